-- Integers that fit 32 bits are ints in the text of kernels; no program can tell: loops and counters at the
-- bounds, numbers, arrays and launches that are larger.

local cp = require "cupola"
local jit = cp.jit

-- Runs the text compiled and as Lua text, on copies of the arguments; returns the first argument as a table.
local function both(text, ...)
  local out
  for _, lua in ipairs { false, true } do
    local args = { ... }
    for k, v in ipairs(args) do args[k] = cp.is_array(v) and v:copy() or v end
    jit.rawkernel(text, { lua = lua })(1, 1, args)
    local got = args[1]:totable()
    if out then assert.same(out, got) end
    out = got
  end
  return out
end

describe("integers of kernels", function()
  it("are exact where numbers do not fit 28, 31 and 53 bits", function()
    local k = jit.rawkernel "function(x, n) x[1], x[2], x[3] = n + n, n * n, 5 - n end"
    local x = cp.zeros(3, "int64")
    for _, n in ipairs { 2 ^ 28 - 1, 1 - 2 ^ 28, 2 ^ 28, -2 ^ 30, 2 ^ 31 - 1, 2 ^ 31, 3e9 } do
      k(1, 1, { x, n })
      assert.is_true(x[1] == 2 * n and x[3] == 5 - n and (n * n >= 2 ^ 53 or x[2] == n * n), n)
    end
    assert.equal(2, k.variants)
    local up = 2 ^ 28 - 1
    local outside = jit.rawkernel(function(y) y[1] = up + 1 + up end)
    for _, n in ipairs { 2 ^ 28 - 1, 2 ^ 28, 2 ^ 40 } do
      up = n
      outside(1, 1, { x })
      assert.equal(2 * n + 1, x[1])
    end
  end)

  it("count to the largest int32 and no further", function()
    local text = [[function(x, ends)
      local count, last = 0, 0
      for k = ends[1], ends[2] do count, last = count + 1, k end
      x[1], x[2] = count, last
      for k = ends[2], ends[1], -1 do x[3] = x[3] + 1 x[4] = k end
    end]]
    local high, low = 2147483647, -2147483647 - 1
    assert.same({ 3, high, 3, high - 2 }, both(text, cp.zeros(4, "int64"), cp.array({ high - 2, high }, "int32")))
    assert.same({ 2, low + 1, 2, low }, both(text, cp.zeros(4, "int64"), cp.array({ low, low + 1 }, "int32")))
    assert.same({ 0, 0, 0, 0 }, both(text, cp.zeros(4, "int64"), cp.array({ high, low }, "int32")))
    assert.same({ 2147483648, low }, both("function(x, i) x[1] = 0 - cp.jit.int64(i[1]) "
      .. "for k = i[1], i[1] do x[2] = -k end end", cp.zeros(2, "int64"), cp.array({ low }, "int32")))
  end)

  it("are bounded by the tests of loops only where these bound them", function()
    local rows, texts, want = {
      { 105, "while n < 100 do n = n + 7 end" },
      { 1024, "n = 1 while n <= 1000 and n > 0 do n = n * 2 end" },
      { -2048, "n = -1 while n > -2000 and n < 5 do n = n * 2 end" },
      { 0, "n = 5 while n > 0 do n = n - 1 end" },
      { -1, "n = 5 while n > 0 do n = n - 2 end" },
      { 8e9, "while n < 3 do n = 4000000000 n = n + n end" },
      { 2 ^ 32, "while n < 3 do for k = 1, 2 do n = n + 2147483648 end end" },
      { 3 * 2 ^ 31, "while n < 3 do if n == 0 then n = n + 2147483648 end n = n * 3 end" },
      { 3e9 + 1, "local function f() n = 3000000000 end while n < 5 do f() n = n + 1 end" },
      { 6e9, "while 2 > n do n = n + 2 repeat n = n + 2999999999 until n > 4000000000 end" },
    }, {}, {}
    for k, row in ipairs(rows) do
      texts[k] = ("do local n = 0 %s x[%d] = n end"):format(row[2], k)
      want[k] = row[1]
    end
    assert.same(want, both("function(x) " .. table.concat(texts, "\n") .. " end", cp.zeros(#rows, "int64")))
    assert.same({ 2 ^ 33 }, both("function(x) local n = 0 while n < 9 do ::again:: n = n + 1073741824 "
      .. "if n < 8000000000 then goto again end end x[1] = n end", cp.zeros(1, "int64")))
  end)

  it("divide like Lua's where they may be negative", function()
    local text = [[function(x)
      local n = 3
      for k = 1, 8 do
        x[k], x[k + 8], x[k + 16] = cp.jit.idiv(n, 2), n % 5, cp.jit.idiv(n, 7 - k)
        n = n - 1
      end
      local m = 41
      for k = 0, 3 do x[k + 25], x[k + 29] = cp.jit.idiv(m, k), m % (k + 3) end
    end]]
    local want, n = {}, 3
    for k = 1, 8 do
      want[k], want[k + 8] = math.floor(n / 2), n % 5
      want[k + 16] = k == 7 and 0 or math.floor(n / (7 - k))
      n = n - 1
    end
    for k = 0, 3 do want[k + 25], want[k + 29] = k == 0 and 0 or math.floor(41 / k), 41 % (k + 3) end
    assert.same(want, both(text, cp.zeros(32, "int64")))
  end)

  it("are positions in large arrays and of many threads", function()
    local far = cp.broadcast_to(cp.array { 7 }, 2 ^ 31)
    local k = jit.rawkernel "function(y, x, i) y[1] = x[i] + x[#x] + #x end"
    local y = cp.zeros(1)
    k(1, 1, { y, far, 2 ^ 31 - 3 })
    assert.equal(14 + 2 ^ 31, y[1])
    k(1, 1, { y, cp.arange(5):astype "float64", 2 })
    assert.equal(1 + 4 + 5, y[1])
    assert.equal(2, k.variants)
    local fill = jit.rawkernel "function(x) for i = cp.jit.grid(), #x, cp.jit.gridsize() do x[i] = i end end"
    local x = cp.zeros(40, "int32")
    fill(2, 16, { x })
    assert.is_true(x == cp.arange(1, 41))
    assert.truthy(fill.source:find("(int)(blockIdx.x", 1, true))
    fill({ 2 ^ 20, 0 }, 1024, { x }) -- launches nothing, and is not for an int
    assert.truthy(fill.source:find("(long long)blockIdx.x", 1, true))
    fill(2, 16, { x })
    assert.equal(2, fill.variants)
  end)
end)
