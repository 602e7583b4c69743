-- Chains written over their own operands, in every direction, and to destinations of another shape or dtype
-- or without elements. Every test runs with fusion on, off and forced. Expected values are computed in Lua.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })
local flat, same, values = fusion.flat, fusion.same, check.values
local matrix, list, accessor = fusion.matrix, fusion.list, fusion.accessor

each("writing over what is read", function()
  local forms = {
    ["x[a] = x[b]"] = function(x, a, b) x[a] = x[b] end,
    ["x[a] = x[b] * 2"] = function(x, a, b) x[a] = x[b] * 2 end,
    ["x[a] = x[b] + x[a]"] = function(x, a, b) x[a] = x[b] + x[a] end,
    ["x[a]:add_(x[b])"] = function(x, a, b) x[a]:add_(x[b]) end,
    ["assign a function"] = function(x, a, b) x[a]:assign(function() return x[b] * 2 end) end,
    ["out="] = function(x, a, b) cp.multiply(x[b], 2, { out = x[a] }) end,
  }
  local results = {
    ["x[a] = x[b]"] = function(_, b) return b end,
    ["x[a] = x[b] * 2"] = function(_, b) return 2 * b end,
    ["x[a] = x[b] + x[a]"] = function(a, b) return a + b end,
    ["x[a]:add_(x[b])"] = function(a, b) return a + b end,
    ["assign a function"] = function(_, b) return 2 * b end,
    ["out="] = function(_, b) return 2 * b end,
  }
  -- First positions and steps of the two ranges, and their length, among 1..3000.
  local ranges = {}
  for shift = -4, 4 do ranges[#ranges + 1] = { 10, 1, 10 + shift, 1, 2500 } end
  for _, more in ipairs { { 1, 1, 2500, -1, 2500 }, { 2500, -1, 1, 1, 2500 }, { 1, 2, 2, 2, 1200 },
    { 1, 1, 1, 2, 1200 }, { 1, 2, 1, 1, 1200 }, { 5, 3, 2000, -1, 600 }, { 100, 1, 1300, 1, 1200 },
    { 1, 1, 1025, 1, 1200 }, { 1, 1, 2, 1, 7 }, { 3, 1, 9, -1, 7 }, { 5, 1, 5, 1, 0 } } do
    ranges[#ranges + 1] = more
  end

  local function index(first, step, length) return { { first, first + (length - 1) * step, step } } end

  for name, form in pairs(forms) do
    it("by " .. name .. " sees the old values, in every direction", function()
      for _, range in ipairs(ranges) do
        local to, to_step, from, from_step, length = range[1], range[2], range[3], range[4], range[5]
        local x = cp.eval(cp.arange(1, 3001, { dtype = "float64" }))
        local want = flat(x)
        for k = 0, length - 1 do
          want[to + k * to_step] = results[name](to + k * to_step, from + k * from_step)
        end
        form(x, index(to, to_step, length), index(from, from_step, length))
        same(x, want, ("to %d step %d from %d step %d"):format(to, to_step, from, from_step))
      end
    end)
  end

  it("sees the old values of a matrix", function()
    local writes = {
      { "its transpose", function(x) x:assign(x.T) end, function(v, i, j) return v(j, i) end },
      { "its transpose added", function(x) x:add_(x.T) end, function(v, i, j) return v(i, j) + v(j, i) end },
      { "a chain of both", function(x) x["..."] = x.T * 2 - x end, function(v, i, j)
        return 2 * v(j, i) - v(i, j)
      end },
      { "turned by half", function(x) x:assign(x["::-1, ::-1"]) end, function(v, i, j, n)
        return v(n + 1 - i, n + 1 - j)
      end },
      { "columns shifted", function(x) x[":, 2:"] = x[":, :-2"] end, function(v, i, j)
        return v(i, math.max(1, j - 1))
      end },
      { "neighbours", function(x)
        x["2:-2, 2:-2"] = x["3:, 2:-2"] + x[":-3, 2:-2"] + x["2:-2, 3:"] + x["2:-2, :-3"]
      end, function(v, i, j, n)
        if i == 1 or j == 1 or i == n or j == n then return v(i, j) end
        return v(i + 1, j) + v(i - 1, j) + v(i, j + 1) + v(i, j - 1)
      end },
      { "its first row", function(x) x:assign(x[1]) end, function(v, _, j) return v(1, j) end },
      { "its first column", function(x) x:mul_(x[":, 1:1"]) end, function(v, i, j) return v(i, j) * v(i, 1) end },
      { "its own element", function(x) x:sub_(x:at(2, 2)) end, function(v, i, j) return v(i, j) - v(2, 2) end },
      { "its sums", function(x) x:sub_(x:sum(1)) end, function(v, i, j, n)
        local sum = 0
        for k = 1, n do sum = sum + v(k, j) end
        return v(i, j) - sum
      end },
    }
    for _, n in ipairs { 3, 40 } do
      for _, write in ipairs(writes) do
        local x = matrix({ n, n })
        local v = accessor(flat(x), n)
        write[2](x)
        same(x, list(n, n, function(i, j) return write[3](v, i, j, n) end), write[1])
      end
    end
  end)

  it("between parts that touch and parts that do not", function()
    local x = cp.eval(cp.arange(1, 9, { dtype = "float64" }))
    x["1:3"]:assign(x["4:6"] + x["1:3"])
    assert.same({ 5, 7, 9, 4, 5, 6, 7, 8 }, values(x))
    x["1:4"] = x["5:8"] * x["2:5"]
    assert.same({ 35, 54, 28, 40, 5, 6, 7, 8 }, values(x))
    local view = x["2:7"]
    view:assign(view["::-1"] + view)
    assert.same({ 35, 61, 34, 45, 45, 34, 61, 8 }, values(x))
  end)

  it("of another dtype", function()
    local z = cp.array({ cp.complex(1, 2), cp.complex(3, 4), cp.complex(5, 6) })
    z.real:assign(z.imag + z.real)
    assert.equal(3, z[1].re)
    assert.equal(11, z[3].re)
    assert.equal(6, z[3].im)
    z:assign(z.real)
    assert.equal(0, z[2].im)
    assert.equal(7, z[2].re)
  end)
end)

each("a chain and its destination", function()
  it("may differ in shape", function()
    local x, row, column = cp.zeros({ 3, 4 }), cp.eval(cp.arange(1, 5)), cp.eval(cp.arange(1, 4):reshape(3, 1))
    x:assign(row * 2)
    assert.same({ 2, 4, 6, 8 }, values(x[3]))
    x["..."] = row + column
    assert.same({ 4, 5, 6, 7 }, values(x[3]))
    x:assign(column * 10)
    assert.same({ 20, 20, 20, 20 }, values(x[2]))
    x:add_(row - 1)
    assert.same({ 20, 21, 22, 23 }, values(x[2]))
    x:assign(row:sum() * 2)
    assert.equal(20, x[{ 2, 2 }])
    x[":, 2:3"] = column - column
    assert.same({ 20, 0, 0, 20 }, values(x[1]))
    x["2:3, 1"] = cp.full({ 1 }, 3) + 1
    assert.equal(4, x[{ 3, 1 }])
  end)

  it("may differ in dtype", function()
    local i, f = cp.eval(cp.arange(1, 5)), cp.zeros({ 4 }, "float32")
    f:assign(i * 2)
    assert.equal("float32", f.dtype)
    assert.same({ 2, 4, 6, 8 }, values(f))
    f:assign(f / 3 + 2 ^ -40)
    assert.is_true((f * 3)[1] ~= 2 + 3 * 2 ^ -40)
    local small = cp.zeros({ 4 }, "int8")
    small:assign(i * 100)
    assert.same({ 100, -56, 44, -112 }, values(small))
    local half = cp.zeros({ 4 }, "float16")
    half:assign(cp.full({ 4 }, 2049.0) * 1)
    assert.equal(2048, half[1])
    half:assign(cp.full({ 4 }, 1e6) + i)
    assert.equal(math.huge, half[1])
    local truth = cp.zeros({ 4 })
    truth:assign(i:gt(2))
    assert.same({ 0, 0, 1, 1 }, values(truth))
    local z = cp.zeros({ 4 }, "complex64")
    z:assign(f:lt(1) * i)
    assert.equal(1, z[1].re)
  end)

  it("must agree in kind and shape, and nothing is written", function()
    local i, x = cp.eval(cp.arange(1, 5)), cp.ones({ 3 })
    local y = i * 0.5
    check.failure("dtype", "assign: ", function() i:assign(y) end)
    check.failure("shape", "assign: ", function() x:assign(y) end)
    check.failure("shape", "add: shapes (4) and (3) do not broadcast", function() local _ = y + (x * 2) end)
    check.failure("dtype", "add_: ", function() i:add_(y + 1) end)
    assert.same({ 1, 2, 3, 4 }, values(i))
    assert.same({ 1, 1, 1 }, values(x))
    assert.same({ 0.5, 1, 1.5, 2 }, values(y))
  end)

  it("rounds every node to its own dtype", function()
    local h = cp.eval(cp.full({ 5 }, 2048, "float16"))
    assert.same({ 2048, 2048, 2048, 2048, 2048 }, values((h + 1) + 0))
    assert.same({ 0, 0, 0, 0, 0 }, values(h + 1 - 2048))
    local b = cp.eval(cp.full({ 3 }, 256, "bfloat16"))
    assert.same({ 0, 0, 0 }, values((b + 1) - b))
    local f = cp.eval(cp.full({ 3 }, 2 ^ 24, "float32"))
    assert.same({ 0, 0, 0 }, values((f + 1):astype("float64") - 2 ^ 24))
    local u = cp.eval(cp.full({ 3 }, 200, "uint8"))
    assert.same({ 144, 144, 144 }, values((u + u):astype("int32")))
    assert.same({ 72, 72, 72 }, values((u + u) / 2))
  end)
end)

each("what has no axes or no elements", function()
  it("may be pending", function()
    local x = cp.eval(cp.arange(1, 5, { dtype = "float64" }))
    local s = x:sum() * 2 + 1
    local one = x:at(3)
    local y = one + s
    x:fill(0)
    assert.equal(21, s:item())
    assert.equal(24, y:item())
    assert.equal(0, one:item())
    one:assign(s)
    s:fill(1)
    assert.same({ 0, 0, 21, 0 }, values(x))
    local z = cp.full({}, 3) ^ 2
    z:add_(z)
    assert.equal(18, z:item())
  end)

  it("may be empty", function()
    local e = cp.zeros({ 0, 3 })
    local y = e * 2 + 1
    e:fill(1)
    assert.same({ 0, 3 }, y.shape)
    assert.same({ 0, 0, 0 }, values((y - 1):sum(1)))
    assert.equal(0, (y + e):sum():item())
    y:assign(e)
    e:assign(y + 1)
    e["..."] = cp.ones({ 3 }) * 2
    assert.is_true((e + 1):all())
    assert.is_false((e + 1):any())
    assert.same({}, flat(y.T + 1))
    assert.same({ 3, 0 }, (y.T + 1).shape)
    cp.eval(y * 2, e + 1, cp.ones({ 2 }) + 1)
  end)
end)

describe("all of this", function() repeat_forced "spec/lazy/hazard_overlap_spec.lua" end)
