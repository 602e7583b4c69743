-- Elementwise functions of cp.jit join the chains around them: one kernel computes both, with the same bits
-- as the function on arrays that were computed before; what has loops is never repeated by broadcasting.

local cp = require "cupola"
local check = require "spec.helper.check"
local jit = cp.jit

-- Calls f, which must launch so many kernels; returns its result.
local function launches(want, f)
  local y
  local grown = check.counted(function() y = f() end)
  if check.lazy then assert.equal(want, grown.launches) end
  return y
end

local steps = jit.elementwise(function(x, limit)
  local n = 0
  while x < limit and n < 50 do x, n = x * 2 + 1, n + 1 end
  return x + n
end)

local function in_lua(x, limit)
  local n = 0
  while x < limit and n < 50 do x, n = x * 2 + 1, n + 1 end
  return x + n
end

describe("an elementwise function of cp.jit in a chain", function()
  it("is computed by the kernel of the chain", function()
    local x = cp.arange(1, 1000):astype("float64"):eval()
    steps(x, 1000):eval() -- compiled
    local y = launches(1, function() return (steps(x + 1, 1000) * 3 - x):eval() end)
    for _, k in ipairs { 1, 17, 998 } do assert.equal(in_lua(k + 1, 1000) * 3 - k, y[k]) end
    local total = launches(1, function() return steps(x * 2, 1000):sum():eval() end)
    local want = 0
    for k = 1, 999 do want = want + in_lua(k * 2, 1000) end
    assert.equal(want, total:item())
    local rows = x["1:900"]:reshape(30, 30)
    local scaled = steps(rows, 1000)
    assert.is_true(cp.allclose(scaled / scaled:sum(2, { keepdims = true }), steps(rows, 1000):eval()
      / steps(rows, 1000):eval():sum(2, { keepdims = true })))
  end)

  it("is not repeated by broadcasting if it has a loop", function()
    local x = cp.arange(64):astype("float32"):eval()
    local plain = jit.elementwise "function(x) return x + 1 end"
    local long = jit.elementwise "function(x) for k = 1, 9 do x = x * 0.5 + k end return x end"
    plain(x):eval()
    long(x):eval()
    local big = cp.ones({ 128, 64 }, "float32"):eval()
    launches(1, function() return (big + plain(x)):eval() end)
    local y = launches(2, function() return (big + long(x)):eval() end)
    assert.is_true(y[3] == long(x) + 1)
  end)

  it("gives the bits of the function on computed arrays, for all dtypes", function()
    local k = jit.elementwise(function(x, y)
      if x > y then return x * y + 1 end
      return y - x
    end)
    for _, dtype in ipairs { "int8", "uint32", "bfloat16", "float64" } do
      local x, y = (cp.arange(300) % 7):astype(dtype):eval(), (cp.arange(300) % 5):astype(dtype):eval()
      local got = k(x + y, y * 2) + x
      local a, b = (x + y):eval(), (y * 2):eval()
      assert.is_true(got == k(a, b):eval() + x, dtype)
      local out = cp.zeros(300, dtype)
      if dtype ~= "uint32" then
        k(a, b, out) -- by a kernel of its own
        assert.is_true(k(a, b) == out, dtype)
      end
    end
    local z = cp.array { cp.complex(1, 2), cp.complex(3, -1) }
    local square = jit.elementwise "function(z, w) return z * w + 1 end"
    assert.is_true(square(z + 1, z * 2) - z == (z + 1) * (z * 2) + 1 - z)
    local flip = jit.elementwise "function(b, x) if b then return -x end return x end"
    local x = cp.array({ 1.5, 2.5 }, "float16")
    assert.same({ -2.5, 3.5 }, flip((x + 1):lt(3), x + 1):totable())
    assert.same({ true, false }, jit.elementwise "function(x) return x > 2 end"(x):logical_not():totable())
  end)

  it("takes views, moved axes, masks, numbers and values from outside", function()
    local scale = 3
    local k = jit.elementwise(function(x, y) return x * scale - y end)
    local x = cp.arange(24):reshape(4, 6):astype "float64"
    assert.is_true(k(x.T["::-1"] + 1, 2) * 2 == ((x.T["::-1"] + 1) * 3 - 2) * 2)
    scale = 5
    local pending = k(x, 1)
    scale = 7 -- the value of the call counts
    assert.is_true(pending == x * 5 - 1)
    assert.is_true(k(cp.roll(x, 1, 2), x) == cp.roll(x, 1, 2) * 7 - x)
    local mask = x:gt(5)
    assert.is_true(k(x[mask], 1) + 1 == x[mask] * 7)
    x[mask] = k(x[mask], 1)
    assert.equal(6 * 7 - 1, x[{ 2, 1 }])
    assert.equal(0, k(cp.zeros({ 0, 3 }), 1):sum():item())
    local y = x:copy()
    y:assign(k(y, y) + 1)
    assert.is_true(y == x * 7 - x + 1)
    check.failure("shape", "k: shapes (4, 6) and (5) do not broadcast", function() k(x, cp.ones(5)) end)
  end)

  it("joins with each of its results", function()
    local x = cp.arange(1, 101):astype("float32"):eval()
    local both = jit.elementwise(function(v, limit)
      local root = cp.sqrt(v)
      if v > limit then return v - limit, root end
      return v, root * 2
    end)
    both(x, 50)
    local total = launches(1, function()
      local over, root = both(x + 1, 50)
      return (over * root):sum():eval()
    end)
    local over, root = both((x + 1):eval(), 50)
    assert.is_true(over == cp.where((x + 1):gt(50), x - 49, x + 1))
    assert.is_true(root == cp.where((x + 1):gt(50), cp.sqrt(x + 1), cp.sqrt(x + 1) * 2))
    assert.is_true(cp.allclose(total, (over * root):sum(), { rtol = 1e-5 }))
    local a, b = cp.zeros(100, "float32"), cp.zeros(100, "float32")
    both(x, 50, a, b) -- by a kernel of its own
    over, root = both(x, 50)
    assert.is_true(over == a and root == b)
    local z, same = jit.elementwise "function(z, w) return z * w, z == w end"(cp.array { cp.complex(1, 2) }, 2)
    assert.is_true(z[1] == cp.complex(2, 4) and same.dtype == "bool")
  end)

  it("joins what cp.fuse and cp.vectorize record", function()
    local x = cp.arange(100):astype("float64"):eval()
    steps(x, 90):eval()
    local f = cp.fuse(function(v) return cp.sqrt(steps(v * v, 90)) + v end)
    assert.is_true(f(x) == cp.sqrt(steps(x * x, 90)) + x)
    local v = cp.vectorize(function(a) return steps(a + 1, 90) * 2 end)
    assert.is_true(v(x) == steps(x + 1, 90) * 2)
    local decides = cp.vectorize(function(a) if a > 50 then return a - 50 end return a end)
    decides(x):eval()
    local y = launches(1, function() return (decides(x + 1) * 2):eval() end)
    assert.is_true(y == cp.where((x + 1):gt(50), x - 49, x + 1) * 2)
  end)

  it("lets an array be freed, and a function be collected, before its values are needed", function()
    local x = cp.arange(10):astype "float64"
    local y = jit.elementwise "function(x) return x * 2 end"(x + 1)
    collectgarbage()
    collectgarbage()
    x:fill(0)
    assert.same({ 2, 4, 6 }, y["1:3"]:totable())
  end)

  it("is recorded in graphs, which outlive it", function()
    local x, y = cp.arange(5):astype("float64"):eval(), cp.zeros(5)
    local f = jit.elementwise "function(x) for k = 1, 3 do x = x * 2 end return x end"
    f(x):eval() -- compiled
    local graph = cp.cuda.graph(function() y:assign(f(x + 1) + 1) end)
    f = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    x:fill(2)
    graph:replay()
    assert.is_true(y == cp.full(5, 25))
  end)

  it("computes at once what needs a kernel of its own", function()
    local x = cp.arange(8):astype("float64"):eval()
    local both = jit.elementwise "function(x) for k = 1, 2 do x = x * k end return x + 1, x - 1 end"
    local a, b = both(x * 2)
    assert.is_true(a + b == x * 8)
    local seven = jit.elementwise "function(a, b, c, d, e, f, g) return a + b + c + d + e + f + g end"
    assert.is_true(seven(x, x, x, x, x, x, x) * 2 == x * 14)
    local contracted = jit.elementwise("function(x) return x * 3 + 1 end", { fmad = true })
    assert.is_true(contracted(x + 1) == x * 3 + 4)
  end)
end)
