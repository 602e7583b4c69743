-- cp.jit.elementwise and cp.jit.reduction: results against the same functions in Lua and against cupola's own
-- operations.

local cp = require "cupola"
local jit = cp.jit

describe("jit.elementwise", function()
  local mandel = jit.elementwise(function(re, im)
    local zr, zi, n = 0.0, 0.0, 0
    while zr * zr + zi * zi <= 4 and n < 100 do
      zr, zi, n = zr * zr - zi * zi + re, 2 * zr * zi + im, n + 1
    end
    return n
  end)

  local function in_lua(re, im)
    local zr, zi, n = 0.0, 0.0, 0
    while zr * zr + zi * zi <= 4 and n < 100 do
      zr, zi, n = zr * zr - zi * zi + re, 2 * zr * zi + im, n + 1
    end
    return n
  end

  it("runs loops and branches on elements that broadcast", function()
    local re, im = cp.linspace(-2, 1, 31), cp.linspace(-1, 1, 11):reshape(11, 1)
    local n = mandel(re, im)
    assert.equal("mandel", mandel.name)
    assert.equal("int64", n.dtype)
    assert.same({ 11, 31 }, { n.shape[1], n.shape[2] })
    for i = 1, 11 do
      for j = 1, 31 do assert.equal(in_lua(re[j], im[{ i, 1 }]), n[{ i, j }]) end
    end
    assert.is_true(mandel(re, -1) == n[{ 1, {} }])
  end)

  it("takes numbers alone, tables, empty and 0-d arrays, and strided ones", function()
    local k = jit.elementwise "function(x, y) if x > y then return x - y end return y - x end"
    assert.equal(2, k(5, 3))
    assert.equal(0.5, k(1, 1.5))
    assert.same({ 1, 1 }, k({ 1, 2 }, { 2, 3 }):totable())
    assert.equal(0, k(cp.zeros(0), 1).size)
    assert.equal(3, k(cp.array(4), 1):item())
    local x = cp.arange(24):reshape(4, 6)
    assert.is_true(k(x.T["::2"], 5) == cp.abs(x.T["::2"] - 5))
  end)

  it("returns several results of their own dtypes", function()
    local k = jit.elementwise(function(x, y)
      if y == 0 then return 0, 0.5, false end
      return math.floor(x / y), x % y, x > y
    end)
    local q, r, more = k(cp.array { 7, 8, 9 }, cp.array { 2, 0, 10 })
    assert.same({ 3, 0, 0 }, q:totable())
    assert.same({ 1, 0.5, 9 }, r:totable())
    assert.same({ true, false, false }, more:totable())
    assert.equal("int64", q.dtype)
  end)

  it("writes into arrays that are given, by the rule of storing", function()
    local k = jit.elementwise "function(x) return x * 2 end"
    local x, out = cp.arange(5), cp.zeros(5, "float32")
    assert.equal(out, k(x, { out = out }))
    assert.is_true(out == x * 2)
    local same = k(x, x) -- in place
    assert.is_true(same == x and x == cp.arange(5) * 2)
    local ok, message = pcall(k, cp.ones(5), { out = cp.zeros(5, "int32") })
    assert.is_false(ok)
    assert.truthy(message:find "result 1 is float64, which cannot be stored in an array of int32")
    ok, message = pcall(jit.elementwise "function(x) return x, x end", x, { out = out })
    assert.is_true(not ok and message:find("1 output for 2 results", 1, true) ~= nil, message)
  end)

  it("gives the bits of the same operations on arrays", function()
    local rng = cp.random.default_rng(5)
    local x, y = rng:random(1000) * 20 - 10, rng:random(1000) + 0.1
    for _, text in ipairs { "cp.sin(x) * cp.exp(y) + cp.log(y)", "cp.log1p(y) / cp.sqrt(y) - cp.tanh(x)",
      "cp.power(y, x) + cp.log2(y)", "cp.maximum(x, y) * cp.sign(x)", "cp.fma(x, y, x) + cp.floor(x)" } do
      for _, dtype in ipairs { "float32", "float64" } do
        local a, b = x:astype(dtype), y:astype(dtype)
        local compile = loadstring or load -- luacheck: ignore
        local want = assert(compile("local cp, x, y = ... return " .. text))(cp, a, b)
        local got = jit.elementwise("function(x, y) return " .. text .. " end")(a, b)
        assert.is_true(got == want, text .. " " .. dtype)
      end
    end
  end)

  it("has upvalues as arguments that never compile again", function()
    local a, b = 2, 0.5
    local k = jit.elementwise(function(x) return x * a + b end)
    local x = cp.arange(4)
    assert.is_true(k(x) == x * 2 + 0.5)
    a, b = 3, 0.25
    assert.is_true(k(x) == x * 3 + 0.25)
    assert.equal(1, k.variants)
  end)

  it("computes with bool, half and complex elements", function()
    local flip = jit.elementwise "function(b, x) if b then return -x end return x end"
    local x = cp.array({ 1.5, 2.5 }, "float16")
    local got = flip(cp.array { true, false }, x)
    assert.equal("float16", got.dtype)
    assert.same({ -1.5, 2.5 }, got:totable())
    local z = cp.array { cp.complex(1, 2), cp.complex(3, -1) }
    assert.is_true(jit.elementwise "function(z) return z * z + 1 end"(z) == z * z + 1)
  end)

  it("contracts only with fmad", function()
    local k = jit.elementwise "function(x, y, z) return x * y + z end"
    local e = 2 ^ -30
    local x = cp.array { 1 + e }
    assert.equal(0, k(x, x, cp.array { -(1 + 2 * e) })[1])
    assert.equal(e * e, jit.elementwise "function(x, y, z) return cp.fma(x, y, z) end"(x, x,
      cp.array { -(1 + 2 * e) })[1])
  end)
end)

describe("jit.reduction", function()
  local norm = jit.reduction {
    map = function(x) return x * x end, reduce = function(a, b) return a + b end,
    post = function(a) return cp.sqrt(a) end, identity = 0,
  }

  it("reduces all axes, or some", function()
    local x = cp.arange(12):reshape(3, 4)
    assert.equal(cp.sqrt((x * x):sum()):item(), norm(x):item())
    assert.is_true(cp.allclose(norm(x, 1), cp.sqrt((x * x):sum(1))))
    assert.same({ 3, 1 }, { norm(x, 2, true).shape[1], norm(x, 2, true).shape[2] })
    assert.is_true(cp.allclose(norm(x, { axis = 2, keepdims = true }), cp.sqrt((x * x):sum(2, { keepdims = true }))))
    local out = cp.zeros(4)
    norm(x, { axis = 1, out = out })
    assert.is_true(cp.allclose(out, cp.sqrt((x * x):sum(1))))
    assert.equal(0, norm(cp.zeros(0)):item())
    assert.equal(norm(x):item(), norm(x, { 1, 2 }):item())
    local ok, message = pcall(norm, x, 1, true, 2)
    assert.is_true(not ok and message:find("nothing may follow keepdims", 1, true) ~= nil, message)
  end)

  it("takes several arguments and values", function()
    local dot = jit.reduction { map = function(x, y) return x * y end, reduce = function(a, b) return a + b end,
      identity = 0 }
    local x = cp.arange(1000):astype "int32"
    assert.equal(x:astype("int64"):sum():item() * 2, dot(x, 2):item())
    local extremes = jit.reduction {
      map = function(v) return v, v, 1 end,
      reduce = function(low, high, n, low2, high2, n2) return math.min(low, low2), math.max(high, high2), n + n2 end,
      identity = { math.huge, -math.huge, 0 },
      post = function(low, high, n) return high - low, n end,
    }
    local width, n = extremes(cp.array { 3, -1, 7, 2 })
    assert.equal(8, width:item())
    assert.equal(4, n:item())
  end)

  it("has branches and loops in each part", function()
    local count = jit.reduction {
      map = function(x)
        local n = 0
        while x > 1 do
          if x % 2 == 0 then x = x / 2 else x = 3 * x + 1 end
          n = n + 1
        end
        return n
      end,
      reduce = function(a, b) if a > b then return a end return b end,
      identity = -1,
    }
    assert.equal(111, count(cp.arange(1, 31):astype "float64"):item())
  end)

  it("keeps the types of the table: sums of weak integers are int64", function()
    local sum = jit.reduction { map = function(x) return x > 2 and 1 or 0 end, reduce = function(a,
      b) return a + b end,
      identity = 0 }
    local n = sum(cp.arange(10))
    assert.equal("int64", n.dtype)
    assert.equal(7, n:item())
    local all = jit.reduction { map = function(x) return x > 2 end, reduce = function(a, b) return a and b end,
      identity = true }
    assert.equal(false, all(cp.arange(10)):item())
    assert.equal("bool", all(cp.arange(10)).dtype)
  end)
end)
