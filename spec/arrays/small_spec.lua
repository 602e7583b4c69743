-- The fast path of one operation on small arrays without gaps (src/plan/flat.h), and reuse of their memory by
-- the free lists of a state. Expected values are computed in Lua.

local cp = require "cupola"
local check = require "spec.helper.check"

local values = check.values

local function list(n, f)
  local out = {}
  for i = 1, n do out[i] = f(i) end
  return out
end

describe("one operation on small arrays", function()
  local sizes = { 1, 2, 3, 7, 8, 100, 1023, 1024, 1025 }

  it("gives the same at every size", function()
    for _, n in ipairs(sizes) do
      for _, dtype in ipairs { "float32", "float64", "int32", "int8", "float16", "complex64" } do
        local k = cp.arange(1, n + 1)
        local x, y = (k % 11):astype(dtype):eval(), (k % 7):astype(dtype):eval()
        local what = n .. " of " .. dtype
        local function same(f, z) assert.same(list(n, f), values(z:eval().real:astype "float64"), what) end
        same(function(i) return i % 11 + i % 7 end, x + y)
        same(function(i) return i % 11 - 3 end, x - 3)
        same(function(i) return 2 * (i % 11) end, x + x)
        same(function(i) return -(i % 7) end, -y)
      end
    end
  end)

  it("compares, chooses and converts", function()
    local x = cp.array({ 1, 5, 3, 0 / 0, -2 }, "float32")
    local y = cp.array({ 2, 5, 1, 1, 0 / 0 }, "float32")
    local less = cp.less(x, y):eval()
    assert.equal("bool", less.dtype)
    assert.same({ true, false, false, false, false }, values(less))
    assert.same({ 1, 5, 1, 1 }, values(cp.where(less, x, y):eval()["1:4"]))
    assert.same({ false, true, true, true, true }, values(cp.logical_not(less):eval()))
    assert.same({ 1, 5, 3, 0, -2 }, values(x:astype("int32"):eval()))
    assert.same({ true, true, true, true, true }, values(x:astype("bool"):eval()))
  end)

  it("takes dense arrays of several dimensions, and leaves others to plans", function()
    local x = cp.arange(1, 13, "float64"):reshape({ 3, 4 }):eval()
    local t = cp.arange(1, 13, "float64"):reshape({ 4, 3 }):eval().T
    assert.same(list(12, function(i) return 2 * i end), values((x + x):eval():reshape { 12 }))
    local sum = (x + t):eval()
    for i = 1, 3 do
      for j = 1, 4 do assert.equal((i - 1) * 4 + j + (j - 1) * 3 + i, sum(i, j)) end
    end
    assert.same(list(12, function(i) return i + (i - 1) % 4 + 1 end), values((x + x[1]):eval():reshape { 12 }))
    assert.same({ 3, 3 }, (t[{ { 1, 3 }, { 1, 3 } }] + 1):eval().shape)
    assert.same({ 0, 4 }, (x["1:0"] + 1):eval().shape)
    assert.equal(5, (cp.array(2, "float64") + cp.array(3, "float64")):eval():item())
  end)

  it("writes in place, and through a temporary where elements move", function()
    local x = cp.arange(1, 11, "float64"):eval()
    x:add_(x)
    assert.same(list(10, function(i) return 2 * i end), values(x))
    x["2:10"]:add_(x["1:9"])
    assert.same(list(10, function(i) return i == 1 and 2 or 2 * i + 2 * (i - 1) end), values(x))
    x["1:9"]:assign(x["2:10"] * 1)
    assert.same(list(10, function(i) return i == 10 and 38 or 4 * i + 2 end), values(x))
    local y = cp.arange(1, 9, "int32"):eval()
    cp.add(y["1:4"], y["5:8"], { out = y["3:6"] })
    assert.same({ 1, 2, 6, 8, 10, 12, 7, 8 }, values(y))
  end)

  it("counts as one launch and one allocation, and keeps what was pending before a write", function()
    local x, y = cp.ones(100, "float32"):eval(), cp.full(100, 2, "float32"):eval()
    local late = x + 1
    local before = cp.profiler.counters()
    local z = (x + y):eval()
    local after = cp.profiler.counters()
    assert.equal(1, after.launches - before.launches)
    assert.equal(1, after.allocations - before.allocations)
    assert.equal(1, after.forces - before.forces)
    x:add_(y)
    assert.equal(2, late(1))
    assert.equal(3, x(1))
    assert.equal(3, z(100))
  end)
end)

describe("blocks of freed small arrays", function()
  it("are cached in the figures of memory, and go back to the device", function()
    cp.collect()
    local before = cp.memory()
    local x = cp.empty(100, "float32")
    assert.equal(before.live + 512, cp.memory().live)
    x:free()
    local after = cp.memory()
    assert.equal(before.live, after.live)
    assert.is_true(after.cached >= 512)
    cp.collect()
    assert.equal(0, cp.memory().cached)
  end)

  it("serve the next ones without asking the device", function()
    local x = cp.empty(100, "float32")
    x:free()
    local asked = cp.memory().device_allocations
    for _ = 1, 1000 do cp.empty(100, "float32"):free() end
    assert.equal(asked, cp.memory().device_allocations)
  end)

  it("are released when a limit is reached", function()
    cp.collect()
    local keep = cp.memory().live
    cp.memory { limit = keep + 8 * 65536 }
    for _ = 1, 3 do
      local parts = {}
      for k = 1, 8 do parts[k] = cp.empty(65536, "uint8") end
      for k = 1, 8 do parts[k]:free() end
      local whole = cp.empty(7 * 65536, "uint8")
      whole:free()
    end
    cp.memory { limit = 0 }
  end)
end)
