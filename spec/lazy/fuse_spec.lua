-- cp.fuse: the kernels of functions under it, that their results are the same, their source, nesting, writes,
-- errors.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local core = require "cupola.core"
local has_nvrtc = pcall(core.nvrtc_compile, 'extern "C" __global__ void f() {}', 90)

-- Numbers in [low, high), the same for each n.
local function numbers(n, dtype, low, high)
  return ((cp.arange(n) * 37 % 101) / 101 * (high - low) + low):astype(dtype):eval()
end

-- Bodies of fused functions: what they do, and what they launch when operators wait.
local function long_chain(x, y)
  local z = x
  for k = 1, 80 do z = z * 0.5 + y * (k % 3) end
  return z
end

local function softmax(x)
  local e = (x - x:max(2, { keepdims = true })):exp()
  return e / e:sum(2, { keepdims = true })
end

local function several(x, y) return x + y, x * y, (x - y):abs(), x:lt(y) end

local function normalise(x)
  local mean, std = x:mean(1), x:std(1)
  return (x - mean) / std, mean
end

describe("a fused function", function()
  local before

  before_each(function() before = not fusion.forced and cp.fusion(true) end)

  after_each(function()
    if not fusion.forced then cp.fusion(before) end
  end)

  local function launches(want, f, ...)
    f(...)
    if fusion.forced then return end
    assert.equal(want, f.launches)
    local counted = check.counted(f, ...)
    assert.equal(want, counted.launches)
    assert.equal(want, f.launches)
  end

  it("gives what the function gives, bit for bit unless it reduces", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "complex64", "int32" } do
      local x, y = numbers(1000, dtype, 1, 9), numbers(1000, dtype, 2, 5)
      local plain = { several(x, y) }
      if dtype:find "complex" then plain = { x + y, x * y, (x - y):abs(), x:eq(y) } end
      local f = cp.fuse(several)
      if dtype:find "complex" then f = cp.fuse(function(a, b) return a + b, a * b, (a - b):abs(), a:eq(b) end) end
      local fused = { f(x, y) }
      assert.equal(4, #fused)
      for k = 1, 4 do
        assert.equal(plain[k].dtype, fused[k].dtype)
        assert.is_true(plain[k] == fused[k], dtype .. " result " .. k)
      end
    end
  end)

  it("is one kernel for a chain of many operations", function()
    local x, y = numbers(5000, "float64", 0, 1), numbers(5000, "float64", 0, 2)
    local f = cp.fuse(long_chain)
    launches(1, f, x, y)
    assert.is_true(f(x, y) == long_chain(x, y))
    -- In closed form: each step halves z and adds (k % 3) y.
    local first, of_y = x[7], y[7]
    for k = 1, 80 do first = first * 0.5 + of_y * (k % 3) end
    assert.equal(first, f(x, y)[7])
  end)

  it("is one kernel up to 256 operations and 64 arrays; beyond, the largest part is another kernel", function()
    local x = numbers(300, "float32", 0, 1)
    local function chain(n)
      return function(v)
        for _ = 1, n do v = cp.negative(v) end
        return v
      end
    end
    launches(1, cp.fuse(chain(256)), x)
    local long = cp.fuse(chain(700))
    launches(3, long, x)
    assert.is_true(long(x) == x)
    local function total(list)
      local sum = list[1]
      for k = 2, #list do sum = sum + list[k] end
      return sum
    end
    local list = {}
    for k = 1, 130 do list[k] = cp.full({ 40 }, k, "float32"):eval() end
    local f = cp.fuse(total)
    f(list)
    assert.is_true(fusion.forced or f.launches == 3, f.launches) -- 64, 64 with the sum before, and the rest
    assert.equal(130 * 131 / 2, f(list)[40])
    for k = 65, 130 do list[k] = nil end
    launches(1, f, list)
  end)

  it("does not exceed the 4 KB of a kernel's arguments", function()
    -- 8 dimensions that cannot be merged: 9 slots for each array.
    local list, sum = {}, 0
    for k = 1, 60 do
      list[k] = cp.full({ 4, 4, 4, 4, 4, 4 }, k, "int32"):eval()["::2, ::2, ::2, ::2, ::2, ::2"]
      sum = sum + k
    end
    local f = cp.fuse(function(...)
      local total = (...)
      for k = 2, select("#", ...) do total = total + select(k, ...) end
      return total
    end)
    local got = f((table.unpack or unpack)(list)) -- luacheck: ignore
    assert.is_true(got:eq(sum):all())
    assert.is_true(fusion.forced or f.launches == 2, f.launches)
  end)

  it("may contain reductions; what follows them is one kernel again", function()
    local x = numbers(600, "float64", -3, 3):reshape(20, 30):eval()
    local f = cp.fuse(softmax)
    launches(3, f, x) -- max, sum of exp, division
    assert.is_true(cp.allclose(f(x), softmax(x), 1e-14, 0))
    assert.is_true(cp.allclose(f(x):sum(2), cp.ones(20), 1e-14, 0))
    local g = cp.fuse(normalise)
    launches(3, g, x)
    local scaled, mean = g(x)
    assert.is_true(scaled:mean(1):abs():max():item() < 1e-14)
    assert.is_true(mean:has_shape(30))
  end)

  it("takes arrays, numbers, tables and anything else, and broadcasts", function()
    local f = cp.fuse(function(x, options, name)
      if name == "twice" then x = x * 2 end
      return x + options.shift, name
    end, { name = "mixed" })
    local shifted, name = f(cp.array { { 1 }, { 2 } }, { shift = cp.array { 10, 20 } }, "twice")
    assert.same({ { 12, 22 }, { 14, 24 } }, shifted:totable())
    assert.equal("twice", name)
    assert.equal(5, (f(3, { shift = 2 })))
    assert.equal("mixed", f.name)
    assert.equal("fused function mixed", tostring(f))
  end)

  it("works on empty arrays, 0-d arrays and views", function()
    local f = cp.fuse(long_chain)
    assert.is_true(f(cp.zeros { 0, 3 }, 1):has_shape(0, 3))
    local one = f(cp.full({}, 2), 1)
    assert.equal(0, one.ndim)
    assert.equal(long_chain(cp.full({}, 2), 1):item(), one:item())
    local x = numbers(120, "float32", 0, 1):reshape(10, 12)
    local view = x["::-2, ::3"]
    assert.is_true(f(view, view.T:copy().T) == long_chain(view, view))
    local special = cp.array { cp.nan, cp.inf, -cp.inf, 0, -0.0 }
    local got, want = f(special, special):totable(), long_chain(special, special):totable()
    for k = 1, 5 do assert.is_true(got[k] == want[k] or got[k] ~= got[k] and want[k] ~= want[k]) end
  end)

  it("writes into arrays in place", function()
    local x, v = numbers(500, "float64", 0, 1), numbers(500, "float64", -1, 1)
    local x0, v0 = x:copy():eval(), v:copy():eval()
    local step = cp.fuse(function(dt)
      v:assign(v - x * dt)
      x:add_(v * dt)
      return x
    end)
    launches(2, step, 0) -- a write is a kernel
    local back = step(0.1)
    assert.is_true(rawequal(back, x))
    local v1 = v0 - x0 * 0.1
    assert.is_true(v == v1)
    assert.is_true(x == x0 + v1 * 0.1)
    local y = cp.zeros(6)
    cp.fuse(function() y["2:"] = y[":-2"] + 1 end)()
    assert.same({ 0, 1, 1, 1, 1, 1 }, y:totable())
  end)

  it("writes nothing but what it returns", function()
    local x = numbers(1000, "float32", 0, 1)
    local f = cp.fuse(function(a)
      local e = a:exp()
      local s = e:sum()
      return e * 2, s
    end)
    f(x)
    local counted = check.counted(f, x)
    if not fusion.forced then assert.equal(2, counted.allocations) end
  end)

  it("frees what it makes and does not return, unless it is kept", function()
    local lost, kept
    local f = cp.fuse(function(x)
      lost = x + 1
      kept = cp.keep(x + 2)
      return { result = lost * 2 }
    end)
    local back = f(cp.ones(3))
    assert.equal(4, back.result[1])
    assert.equal(3, kept[3])
    assert.is_false(pcall(function() return lost:item() end))
  end)

  it("is a part of the fused function that calls it", function()
    local x = numbers(100, "float64", 0, 1)
    local inner = cp.fuse(function(v) return v * 2 + 1 end)
    local outer = cp.fuse(function(v)
      for _ = 1, 40 do v = inner(v) / 3 end
      return v
    end)
    launches(1, outer, x)
    assert.equal(0, inner.launches)
    local want = x[9]
    for _ = 1, 40 do want = (want * 2 + 1) / 3 end
    assert.equal(want, outer(x)[9])
  end)

  it("leaves everything as it was after an error", function()
    local x = cp.ones { 10 }
    local f = cp.fuse(function(v, bad)
      if bad then error({ "mine" }, 0) end
      return v + 1
    end)
    check.failure("shape", "add: shapes (10) and (7) do not broadcast",
      function() cp.fuse(function(v) local y = v + 1; return (y + cp.ones(7)) end)(x) end)
    local ok, problem = pcall(f, x, true)
    assert.is_false(ok)
    assert.same({ "mine" }, problem)
    -- The bounds are the narrow ones again.
    local z = x
    local counted = check.counted(function()
      for _ = 1, 600 do z = -z end
      z:eval()
    end)
    assert.is_true(counted.launches >= 4)
    local g = cp.fuse(long_chain)
    launches(1, g, x, x)
  end)

  it("runs in coroutines", function()
    local f = cp.fuse(function(x)
      local y = x * 2
      coroutine.yield "half"
      return y + 1
    end)
    local work = coroutine.wrap(function() return f(cp.ones(3)) end)
    assert.equal("half", work())
    assert.same({ 3, 3, 3 }, work():totable())
  end)

  it("shows its kernels as CUDA text that compiles", function()
    local x, y = numbers(1000, "float32", 0, 1), numbers(1000, "float32", 0, 1)
    local f = cp.fuse(function(a, b)
      local z = a
      for _ = 1, 90 do z = z * b + 0.25 end
      return z, z:sum()
    end, "horner")
    assert.equal("", f.source)
    f(x, y)
    local source = f.source
    local _, count = source:gsub("// horner, kernel %d+: ", "")
    if fusion.forced then return assert.is_true(count > 100) end
    assert.equal(f.launches, count)
    assert.equal(1, count) -- which stores the elements and finds their sum
    assert.truthy(source:find(": multiply, add, multiply, add, ", 1, true))
    assert.truthy(source:find("sum of float32", 1, true))
    if not has_nvrtc then return end
    for part in (source .. "// horner, "):gmatch "(kernel %d.-)// horner, " do
      local size, seconds = core.nvrtc_compile("// " .. part, 90)
      assert.is_true(size > 1000)
      assert.is_true(seconds < 5, seconds)
    end
  end)

  it("shows user kernels among its own", function()
    local square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    if not pcall(square, cp.ones(2)) then return pending "there is no compiler" end
    local f = cp.fuse(function(x) return square(x + 1) - 1 end, "both")
    assert.equal(8, f(cp.full({ 4 }, 2))[1])
    assert.truthy(f.source:find("an ElementwiseKernel or ReductionKernel", 1, true))
  end)

  it("takes a name in every form of the call, and has no other fields", function()
    assert.equal("a", cp.fuse(softmax, "a").name)
    assert.equal("a", cp.fuse(softmax, { name = "a" }).name)
    assert.equal("a", cp.fuse { f = softmax, kernel_name = "a" }.name)
    assert.equal("fused", cp.fuse(softmax).name)
    local f = cp.fuse(softmax)
    check.failure("usage", "fuse: a fused function has no field or method 'launch'; did you mean 'launches'?",
      function() return (f.launch) end)
    check.failure("usage", "fuse: the fields of a fused function cannot be set ('name')", function() f.name = "b" end)
    check.failure("usage", "fuse: f is missing", function() cp.fuse() end)
    check.failure("usage", "fuse: f must be a function, not number", function() cp.fuse(3) end)
    check.failure("usage", "fuse: name must be a string, not number", function() cp.fuse(softmax, { name = 3 }) end)
    assert.is_true(cp.fuse(f)(cp.ones { 2, 2 }):has_shape(2, 2))
  end)
end)
