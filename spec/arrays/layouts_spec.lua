-- Layouts of operands for which there are special kernels: transposed leaves of any item size (tiles through
-- shared memory), reductions of adjacent columns, of short rows, of middle axes, and the order of equal
-- elements and nan in arg-reductions. Expected values come from formulas, in Lua.

local cp = require "cupola"
local check = require "spec.helper.check"

local values = check.values

-- Every item size, and both kinds of conversion at loads and stores.
local dtypes = { "bool", "int8", "uint16", "float16", "bfloat16", "int32", "float32", "float64", "complex64",
  "complex128" }

local function real(v)
  if type(v) == "boolean" then return v and 1 or 0 end
  return type(v) == "number" and v or v.re
end

local function modulus(dtype) return dtype == "bool" and 2 or 11 end

-- An array of this shape whose element number k, from 0 in C order, is k % 11 (bool: k % 2).
local function numbered(shape, dtype)
  local size = 1
  for _, length in ipairs(shape) do size = size * length end
  return (cp.arange(size) % modulus(dtype)):astype(dtype):reshape(shape)
end

-- The first difference between the 2-d array x and f(i, j), as text.
local function differs(x, rows, columns, f)
  local t = values(x)
  if #t ~= rows or #t[1] ~= columns then return ("shape %d x %d"):format(#t, #t[1]) end
  for i = 1, rows do
    for j = 1, columns do
      local got, want = real(t[i][j]), f(i, j)
      if got ~= want then return ("element %d, %d: %s for %s"):format(i, j, tostring(got), tostring(want)) end
    end
  end
end

local function same(x, rows, columns, f, what)
  local bad = differs(x, rows, columns, f)
  if bad then error(what .. ": " .. bad, 2) end
end

describe("transposed operands", function()
  local shapes = { { 16, 16 }, { 17, 16 }, { 16, 33 }, { 40, 64 }, { 65, 31 }, { 130, 68 }, { 67, 129 }, { 15, 40 },
    { 132, 160 } }

  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " are copied", function()
      local m = modulus(dtype)
      for _, shape in ipairs(shapes) do
        local r, c = shape[1], shape[2]
        local x = numbered({ r, c }, dtype)
        same(x.T:copy("C"), c, r, function(i, j) return ((j - 1) * c + i - 1) % m end, ("%d x %d"):format(r, c))
      end
    end)

    it("of " .. dtype .. " are combined with arrays in C order, rows and columns", function()
      if dtype == "bool" then return end
      local r, c = 52, 36
      local x, y = numbered({ r, c }, dtype), numbered({ c, r }, dtype)
      local row, column = numbered({ r }, dtype), numbered({ c, 1 }, dtype)
      local z = cp.zeros({ c, r }, dtype)
      z:assign(x.T)
      z:add_(y)
      same(cp.add(x.T, y, cp.empty({ c, r }, dtype)), c, r, function(i, j)
        return ((j - 1) * c + i - 1) % 11 + ((i - 1) * r + j - 1) % 11
      end, "sum")
      same(z, c, r, function(i, j) return ((j - 1) * c + i - 1) % 11 + ((i - 1) * r + j - 1) % 11 end, "in place")
      z:assign(row)
      z:add_(x.T)
      z:add_(column)
      same(z, c, r, function(i, j) return (j - 1) % 11 + ((j - 1) * c + i - 1) % 11 + (i - 1) % 11 end, "broadcast")
    end)
  end

  it("may start anywhere, skip elements and run backwards", function()
    for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex128" } do
      local r, c = 45, 77
      local x = numbered({ r, c }, dtype)
      local function at(i, j) return ((i - 1) * c + j - 1) % 11 end
      same(x["2:, 4:"].T:copy("C"), c - 3, r - 1, function(i, j) return at(j + 1, i + 3) end, dtype .. " start")
      same(x["::2, ::3"].T:copy("C"), 26, 23, function(i, j) return at(2 * j - 1, 3 * i - 2) end, dtype .. " steps")
      same(x["::-1, :"].T:copy("C"), c, r, function(i, j) return at(r + 1 - j, i) end, dtype .. " rows backwards")
      same(x[":, ::-1"].T:copy("C"), c, r, function(i, j) return at(j, c + 1 - i) end, dtype .. " columns backwards")
      local z = cp.full({ c + 2, r + 3 }, 7, dtype)
      z["2:-2, 3:-2"]:assign(x.T)
      same(z, c + 2, r + 3, function(i, j)
        local inside = i > 1 and i < c + 2 and j > 2 and j < r + 3
        return inside and at(j - 2, i - 1) or 7
      end, dtype .. " into a part")
    end
  end)

  it("of several item sizes take part in one chain", function()
    local r, c = 70, 50
    for _, pair in ipairs { { "int8", "float64" }, { "float32", "int8" }, { "float16", "float32" },
      { "complex64", "float32" }, { "uint16", "bool" } } do
      local x, y = numbered({ r, c }, pair[1]), numbered({ c, r }, pair[2])
      local z = cp.where(cp.ones({ c, r }, "bool"), x.T, y)
      same(z, c, r, function(i, j) return ((j - 1) * c + i - 1) % 11 end, pair[1] .. " and " .. pair[2])
      local target = cp.zeros({ c, r }, pair[2])
      target:assign(x.T:astype(pair[2]))
      if pair[2] ~= "bool" then
        same(target, c, r, function(i, j) return ((j - 1) * c + i - 1) % 11 end, pair[1] .. " as " .. pair[2])
      end
    end
  end)

  it("may have batches, and any order of axes", function()
    local a, b, c = 3, 20, 37
    local x = numbered({ a, b, c }, "float32")
    local function at(i, j, k) return (((i - 1) * b + j - 1) * c + k - 1) % 11 end
    local orders = { { 1, 3, 2 }, { 3, 2, 1 }, { 2, 3, 1 }, { 3, 1, 2 }, { 2, 1, 3 } }
    for _, order in ipairs(orders) do
      local t = values(x:transpose(order):copy("C"))
      local p = {}
      for i = 1, a do
        for j = 1, b do
          for k = 1, c do
            p[1], p[2], p[3] = i, j, k
            assert.equal(at(i, j, k), t[p[order[1]]][p[order[2]]][p[order[3]]], table.concat(order, " "))
          end
        end
      end
    end
  end)
end)

-- Sum, maximum and first maximum of f(1) .. f(n).
local function folded(n, f)
  local sum, most, at = 0, -math.huge, 0
  for k = 1, n do
    local v = f(k)
    sum = sum + v
    if v > most then most, at = v, k end
  end
  return sum, most, at
end

local function rows_of(x) return x:reshape(x.size):totable() end

-- Reductions of the last axis (across: of the first) of x, whose element (i, j) is f(i, j).
local function reduces(x, across, f, what)
  local rows, length = x.shape[1], x.shape[2]
  local axis = across and 1 or 2
  if across then rows, length = length, rows end
  local sum, most, at = rows_of(x:sum(axis)), rows_of(x:max(axis)), rows_of(x:argmax(axis))
  local mean, width = rows_of(x:mean(axis)), rows_of(x:ptp(axis))
  for i = 1, rows do
    local s, m, k = folded(length, function(j) return across and f(j, i) or f(i, j) end)
    local least = folded(1, function() return 0 end)
    for j = 1, length do
      local v = across and f(j, i) or f(i, j)
      least = j == 1 and v or math.min(least, v)
    end
    local where = ("%s, row %d: "):format(what, i)
    if x.dtype ~= "float16" or s <= 2048 then assert.equal(s, real(sum[i]), where .. "sum") end
    assert.equal(m, real(most[i]), where .. "max")
    assert.equal(k, at[i], where .. "argmax")
    assert.equal(m - least, real(width[i]), where .. "ptp")
    assert.is_true(math.abs(real(mean[i]) - s / length) < 1e-2, where .. "mean")
  end
end

describe("reductions of columns", function()
  for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex64", "complex128" } do
    it("of " .. dtype .. " at every width", function()
      for _, shape in ipairs { { 2, 40 }, { 7, 3 }, { 33, 8 }, { 40, 1 }, { 19, 36 }, { 300, 5 }, { 65, 66 },
        { 12, 264 }, { 700, 12 }, { 1, 130 } } do
        local r, c = shape[1], shape[2]
        reduces(numbered({ r, c }, dtype), true, function(i, j) return ((i - 1) * c + j - 1) % 11 end,
          ("%d x %d"):format(r, c))
      end
    end)
  end

  it("shared by many blocks", function()
    local r, c = 9000, 12
    for _, dtype in ipairs { "int32", "float64", "float32", "uint8" } do
      reduces(numbered({ r, c }, dtype), true, function(i, j) return ((i - 1) * c + j - 1) % 11 end, dtype)
    end
  end)

  it("that start anywhere", function()
    local x = numbered({ 50, 41 }, "float32")
    reduces(x["2:, 2:"], true, function(i, j) return (i * 41 + j) % 11 end, "odd rows")
    local y = numbered({ 50, 44 }, "float32")
    reduces(y["2:, 3:-2"], true, function(i, j) return (i * 44 + j + 1) % 11 end, "two by two")
    reduces(y["::-2, ::-1"], true, function(i, j) return ((51 - 2 * i) * 44 + 44 - j) % 11 end, "backwards")
  end)

  it("along middle axes", function()
    local a, b, c = 5, 23, 18
    local x = numbered({ a, b, c }, "float32")
    local sum, at, deviation = values(x:sum(2)), values(x:argmin(2)), values(x:var(2))
    for i = 1, a do
      for k = 1, c do
        local s, q, least, first = 0, 0, math.huge, 0
        for j = 1, b do
          local v = (((i - 1) * b + j - 1) * c + k - 1) % 11
          s, q = s + v, q + v * v
          if v < least then least, first = v, j end
        end
        assert.equal(s, sum[i][k])
        assert.equal(first, at[i][k])
        assert.is_true(math.abs(deviation[i][k] - (q / b - (s / b) ^ 2)) < 1e-4)
      end
    end
  end)
end)

describe("reductions of short rows", function()
  for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex128" } do
    it("of " .. dtype .. " at every length", function()
      for length = 1, 40 do
        for _, rows in ipairs { 2, 37 } do
          reduces(numbered({ rows, length }, dtype), false, function(i, j) return ((i - 1) * length + j - 1) % 11 end,
            ("%d x %d"):format(rows, length))
        end
      end
      for _, length in ipairs { 63, 64, 65, 100, 127, 129, 255, 257, 520 } do
        reduces(numbered({ 5, length }, dtype), false, function(i, j) return ((i - 1) * length + j - 1) % 11 end,
          "5 x " .. length)
      end
    end)
  end

  it("that do not lie side by side", function()
    local x = numbered({ 30, 24 }, "float32")
    local function at(i, j) return ((i - 1) * 24 + j - 1) % 11 end
    reduces(x[":, 2:12"], false, function(i, j) return at(i, j + 1) end, "a part")
    reduces(x["::3, ::2"], false, function(i, j) return at(3 * i - 2, 2 * j - 1) end, "steps")
    reduces(x[":, ::-1"], false, function(i, j) return at(i, 25 - j) end, "backwards")
    reduces(x.T:copy("C").T, false, at, "columns in memory")
  end)
end)

describe("argmin and argmax", function()
  local lengths = { 2, 5, 16, 33, 100, 1030, 4099, 30011 }

  it("give the first of equals in any direction", function()
    for _, dtype in ipairs { "bool", "int8", "float16", "float32", "float64", "complex64" } do
      for _, n in ipairs(lengths) do
        local x = (cp.arange(n) % 2):astype(dtype)
        assert.equal(2, x:argmax():item(), dtype .. n)
        assert.equal(1, x:argmin():item(), dtype .. n)
        local last = (n - 1) % 2
        assert.equal(last == 1 and 1 or 2, x["::-1"]:argmax():item(), dtype .. n)
        assert.equal(last == 0 and 1 or 2, x["::-1"]:argmin():item(), dtype .. n)
        assert.equal(1, cp.ones({ n }, dtype):argmin():item())
        assert.equal(1, cp.ones({ n }, dtype)["::-1"]:argmax():item())
      end
    end
  end)

  it("give the first of two equals wherever they are", function()
    local n = 4099
    local x = cp.zeros({ n }, "float32")
    for _, pair in ipairs { { 1, n }, { 17, 18 }, { 1000, 1016 }, { 255, 2304 }, { n - 1, n } } do
      x:fill(0)
      x[pair[1]], x[pair[2]] = 3, 3
      assert.equal(pair[1], x:argmax():item())
      assert.equal(n + 1 - pair[2], x["::-1"]:argmax():item())
      x:mul_(-1)
      assert.equal(pair[1], x:argmin():item())
    end
  end)

  it("let the first nan win", function()
    for _, dtype in ipairs { "float16", "float32", "float64", "complex64" } do
      for _, n in ipairs(lengths) do
        for _, at in ipairs { 1, math.ceil(n / 2), n } do
          local x = (cp.arange(n) % 5):astype(dtype)
          x[at], x[n] = cp.nan, cp.nan
          assert.equal(at, x:argmax():item(), dtype .. n)
          assert.equal(at, x:argmin():item(), dtype .. n)
          assert.equal(1, x["::-1"]:argmax():item(), dtype .. n)
        end
        assert.equal(1, cp.full({ n }, cp.nan, dtype):argmax():item())
        assert.equal(1, cp.full({ n }, -cp.inf, dtype):argmax():item())
      end
    end
  end)

  it("count in C order whatever the order in memory", function()
    local r, c = 41, 67
    local x = numbered({ r, c }, "float32")
    for _, layout in ipairs { x, x:copy("F"), x["::-1, ::-1"]:copy("C")["::-1, ::-1"],
      x[":, ::-1"]:copy("F")[":, ::-1"] } do
      assert.equal(11, layout:argmax():item())
      assert.equal(1, layout:argmin():item())
    end
    local at = select(3, folded(r * c, function(k) return ((k - 1) % r * c + math.floor((k - 1) / r)) % 11 end))
    assert.equal(at, x.T:argmax():item())
  end)
end)

describe("variances", function()
  -- The variance of n values f(k) / 64, f whole: sums of whole numbers are exact.
  local function expected(n, f)
    local sum, squares = 0, 0
    for k = 1, n do
      sum = sum + f(k)
      squares = squares + f(k) ^ 2
    end
    return (squares - sum / n * sum) / n / 4096
  end

  it("do not cancel beside a large mean", function()
    for _, n in ipairs { 3, 10, 100, 4099, 100003, 300007 } do
      local function f(k) return (k - 1) % 64 end
      local x = (cp.arange(n) % 64 / 64 + 10000):astype("float32")
      local want = expected(n, f)
      assert.is_true(math.abs(x:var():item() / want - 1) < 1e-3, n)
      local columns = cp.broadcast_to(x:reshape(n, 1), { n, 3 }):copy("C"):var(1)
      local rows = cp.broadcast_to(x, { 3, n }):copy("C"):var(2)
      for j = 1, 3 do
        assert.is_true(math.abs(columns[j] / want - 1) < 1e-3, n)
        assert.is_true(math.abs(rows[j] / want - 1) < 1e-3, n)
      end
      x[1] = cp.nan
      want = expected(n - 1, function(k) return f(k + 1) end)
      assert.is_true(math.abs(x:nanvar():item() / want - 1) < 1e-3, n)
    end
  end)

  it("are right to rounding", function()
    for _, n in ipairs { 10, 1000, 30011 } do
      local want = expected(n, function(k) return 64 * ((k - 1) % 11) end)
      for dtype, bound in pairs { float32 = 1e-6, float64 = 1e-14, complex64 = 1e-6, complex128 = 1e-14 } do
        assert.is_true(math.abs(numbered({ n }, dtype):var():item() / want - 1) < bound, dtype .. n)
        assert.is_true(math.abs(numbered({ n }, dtype):std():item() / math.sqrt(want) - 1) < bound, dtype .. n)
      end
    end
  end)

  it("of equal values whose square is infinite are 0", function()
    assert.equal(0, cp.full({ 100 }, 1e20, "float32"):var():item())
    assert.equal(0, cp.full({ 1 }, 1e20, "float32"):var():item())
    local v = cp.full({ 5 }, cp.inf, "float32"):var():item()
    assert.is_true(v ~= v)
  end)
end)

describe("more than 2^31 elements", function()
  local free = cp.device().kind == "cuda" and cp.memory().free or 0

  it("are copied, reduced and turned", function()
    if free < 12 * 2 ^ 30 then return pending("needs a GPU with 12 GB of free memory") end
    local n = 2 ^ 31 + 21
    local x = cp.ones({ n }, "int8")
    x[n - 3] = 5
    assert.equal(n + 4, x:sum():item())
    assert.equal(n - 3, x:argmax():item())
    local y = x + x
    assert.equal(2 * n + 8, y:sum():item())
    y:free()
    local m = x["1:2147483648"]:reshape(32768, 65536)
    m[{ 32768, 3 }] = 9
    local t = m.T:copy("C")
    assert.equal(9, t[{ 3, 32768 }])
    assert.equal(2 * 32768 + 32767 + 9, t["2:4"]:sum():item())
    assert.equal(9, m:max(1)[3])
    assert.equal(32768, m:argmax(1)[3])
    assert.equal(3, m:argmax(2)[32768])
  end)
end)
