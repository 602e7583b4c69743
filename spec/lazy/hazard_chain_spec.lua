-- Pending values together: random draws, shared parts, long chains, errors, and what evaluates them. Every
-- test runs with fusion on, off and forced.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })
local flat, same, values = fusion.flat, fusion.same, check.values
-- Each allocation collects, or each launch is checked: loops are shorter then.
local collected = check.mode == "gc"
local slow = collected or os.getenv "CUPOLA_SANITIZED" == "1"
local matrix, mapped = fusion.matrix, fusion.mapped

-- Rows and columns of arrays: a few elements, and more than one block of the CPU device.
local shapes = { { 4, 6 }, { 41, 75 } }

each("generators", function()
  it("give arrays like any other", function()
    local made = {
      zeros = { function() return cp.zeros({ 4 }) end, { 0, 0, 0, 0 } },
      ones = { function() return cp.ones({ 4 }) end, { 1, 1, 1, 1 } },
      full = { function() return cp.full({ 4 }, 3.0) end, { 3, 3, 3, 3 } },
      arange = { function() return cp.arange(4) end, { 0, 1, 2, 3 } },
      range = { function() return cp.range(1, 4) end, { 1, 2, 3, 4 } },
      linspace = { function() return cp.linspace(0, 3, 4) end, { 0, 1, 2, 3 } },
      zeros_like = { function() return cp.zeros_like(cp.ones({ 4 })) end, { 0, 0, 0, 0 } },
      full_like = { function() return cp.full_like(cp.ones({ 4 }), 2) end, { 2, 2, 2, 2 } },
      eye = { function() return cp.eye(2):reshape(4) end, { 1, 0, 0, 1 } },
      tri = { function() return cp.tri(2):reshape(4) end, { 1, 0, 1, 1 } },
    }
    for name, m in pairs(made) do
      local x = m[1]()
      local alias, y, view = x, x * 2, x["2:3"]
      x:fill(5)
      assert.same(mapped(m[2], function(v) return 2 * v end), values(y), name)
      assert.same({ 5, 5, 5, 5 }, values(alias), name)
      view:fill(6)
      assert.same({ 5, 6, 6, 5 }, values(x), name)
      x = m[1]()
      x[2] = 9
      local want = mapped(m[2], function(v, k) return k == 2 and 9 or v end)
      assert.same(want, values(x), name)
      x = m[1]()
      local other = m[1]()
      x:add_(other)
      other:fill(0)
      assert.same(mapped(m[2], function(v) return 2 * v end), values(x), name)
    end
  end)

  it("do not change with the arrays that they were made of", function()
    local a, b = cp.eval(cp.arange(1, 4)), cp.eval(cp.arange(1, 3))
    local X, Y = cp.meshgrid(a, b)
    local low, turned = cp.tril(a:reshape(3, 1) * a), cp.broadcast_to(a, { 2, 3 }) + 0
    a:fill(0)
    b:fill(0)
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, values(X))
    assert.same({ { 1, 1, 1 }, { 2, 2, 2 } }, values(Y))
    assert.same({ { 1, 0, 0 }, { 2, 4, 0 }, { 3, 6, 9 } }, values(low))
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, values(turned))
  end)

  it("do not change with tables and numbers", function()
    local t, n = { 1, 2, 3 }, 2
    local x = cp.ones({ 3 }) * n + t
    t[1], n = 100, 50 -- luacheck: ignore
    assert.same({ 3, 4, 5 }, values(x))
  end)

  it("that are computed themselves stay within the bounds of what was made of them", function()
    local made = {
      function(k) return cp.full({ 2 }, k, "int64") end, function(k) return cp.full({}, k, "int64") end,
      function(k) return cp.full({ 2 }, k, "int64") + 0 end, function(k) return -cp.full({ 2 }, -k, "int64") end,
      function(k) return cp.arange(k, k + 2) end,
    }
    for at, make in ipairs(made) do
      local constants, sum = {}, cp.zeros({ 2 }, "int64"):eval()
      for k = 1, 80 do
        constants[k] = make(k)
        sum = sum + constants[k]
      end
      for k, constant in ipairs(constants) do assert.equal(k, constant:eval():reshape(-1)[1]) end
      assert.equal(3240, sum[1], at)
    end
  end)

  it("that return their argument return a copy", function()
    local made = {
      positive = cp.positive, copy = cp.copy, round = cp.round, floor = cp.floor, ceil = cp.ceil, conj = cp.conj,
      astype = function(x) return x:astype(x.dtype) end, power = function(x) return x ^ 1 end,
      clip = function(x) return x:clip(0, 100) end, absolute = cp.absolute, array = cp.array,
    }
    for name, f in pairs(made) do
      for _, dtype in ipairs { "int32", "float32", "uint8" } do
        local x = cp.eval(cp.arange(1, 4):astype(dtype))
        local y = f(x)
        x:fill(0)
        assert.same({ 1, 2, 3 }, values(y), name)
        y:fill(7)
        assert.same({ 0, 0, 0 }, values(x), name)
      end
    end
  end)
end)

each("values that share a part", function()
  it("are right when one is forced and the leaf is written", function()
    for _, shape in ipairs(shapes) do
      local x = matrix(shape)
      local old = flat(x)
      local s = x * 2
      local a, b = s + 1, s - 1
      a:eval()
      x:fill(0)
      same(b, mapped(old, function(v) return 2 * v - 1 end))
      same(s, mapped(old, function(v) return 2 * v end))
      same(a, mapped(old, function(v) return 2 * v + 1 end))
    end
  end)

  it("are right in every order of forcing and writing", function()
    for order = 1, 6 do
      local x = cp.eval(cp.arange(1, 5, { dtype = "float64" }))
      local s = x + 1
      local roots = { s * 2, s * 3, s * s }
      local want = { { 4, 6, 8, 10 }, { 6, 9, 12, 15 }, { 4, 9, 16, 25 } }
      for k = 0, 2 do
        local at = (k * (order % 2 == 0 and 1 or 2) + order) % 3 + 1
        assert.same(want[at], values(roots[at]))
        x:add_(100)
        if order > 3 then s:fill(-k) end
      end
    end
  end)

  it("are one value, even if they are written twice", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local s = x + 1
    local t = s
    t:mul_(2)
    assert.same({ 4, 6, 8 }, values(s))
    assert.is_true(rawequal(s, cp.eval(s)))
    s:assign(s + t)
    assert.same({ 8, 12, 16 }, values(t))
  end)

  it("are forced together", function()
    local x, z = cp.eval(cp.arange(1, 4, { dtype = "float64" })), cp.ones({ 2, 2 })
    local s = x * 2
    local a, b, c, d = cp.eval(s + 1, s - 1, s, z * 3)
    x:fill(0)
    assert.same({ 3, 5, 7 }, values(a))
    assert.same({ 1, 3, 5 }, values(b))
    assert.same({ 2, 4, 6 }, values(c))
    assert.same({ { 3, 3 }, { 3, 3 } }, values(d))
    a:fill(0)
    s:fill(1)
    assert.same({ 1, 3, 5 }, values(b))
    local p = x + 1
    local q, r = cp.eval(p, p)
    assert.is_true(rawequal(q, r))
  end)
end)

each("long chains", function(mode)
  -- The most memory that the loop f(step) holds, apart from what was live before, with a limit of 256 MB: the
  -- pool collects at a quarter of the limit.
  local function peak(steps, f)
    cp.collect()
    local start, most, limit = cp.memory().live, 0, cp.memory().limit
    cp.memory { limit = start + 2 ^ 28 }
    for k = 1, steps do
      f(k)
      if k % 500 == 0 then most = math.max(most, cp.memory().live - start) end
    end
    cp.memory { limit = limit }
    return most
  end

  local steps = collected and 400 or slow and 2000 or 100000

  it("x = x + 1 keep memory flat and compile little", function()
    local x = cp.zeros({ 1000 })
    local most
    local c = check.counted(function() most = peak(steps, function() x = x + 1 end) end)
    assert.equal(steps, x[1])
    assert.equal(steps, x[-1])
    assert.is_true(most < 2 ^ 29, most) -- of 800 MB in all: the collector's budget grows on a busy machine
    assert.is_true(c.compiles <= 50, c.compiles)
    if mode == "on" then assert.is_true(c.launches <= steps / 8, c.launches) end
  end)

  it("of two arrays that alternate", function()
    local a, b = cp.zeros({ 3 }), cp.ones({ 3 })
    local fa, fb = 0, 1
    for _ = 1, 75 do
      a, b = b, a + b
      fa, fb = fb, fa + fb
    end
    assert.equal(fb, b[1])
    assert.equal(fa, a[3])
  end)

  it("that double: sixty nodes, not 2^60", function()
    local a = cp.eval(cp.ones({ 5 }))
    local c = check.counted(function()
      for _ = 1, 60 do a = a + a end
      a:eval()
    end)
    assert.equal(2 ^ 60, a[1])
    if mode == "on" then assert.is_true(c.launches <= 4, c.launches) end
    assert.is_true(c.launches <= 60)
  end)

  it("of many leaves", function()
    local sum, leaves = cp.zeros({ 3 }), {}
    for k = 1, 200 do leaves[k] = cp.eval(cp.full({ 3 }, k)) end
    for k = 1, 200 do sum = sum + leaves[k] end
    for k = 1, 200 do leaves[k]:fill(0) end
    assert.same({ 20100, 20100, 20100 }, values(sum))
  end)

  it("of many numbers", function()
    local x, want = cp.eval(cp.ones({ 3 })), 1
    for k = 1, 500 do
      x, want = x * 0.5 + k, want * 0.5 + k
    end
    assert.same({ want, want, want }, values(x))
  end)

  it("that are wide and deep", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local level = {}
    for k = 1, 64 do level[k] = x + k end
    while #level > 1 do
      local next_level = {}
      for k = 1, #level, 2 do next_level[#next_level + 1] = level[k] + level[k + 1] end
      level = next_level
    end
    x:fill(0)
    assert.same({ 64 + 2080, 128 + 2080, 192 + 2080 }, values(level[1]))
  end)

  it("with every node still held", function()
    local x, held = cp.eval(cp.zeros({ 4 })), {}
    local count = collected and 120 or slow and 300 or 3000
    for k = 1, count do
      x = x + 1
      held[k] = x
    end
    for _, k in ipairs { 1, 2, 50, 100, 127, 128, 129, 130, count - 1, count } do
      if k <= count then assert.equal(k, held[k][2]) end
    end
    held[7]:fill(-1)
    assert.equal(8, held[8][1])
    assert.equal(6, held[6][1])
  end)

  it("are dropped without being computed", function()
    local x = cp.eval(cp.ones({ 10 }))
    local count = collected and 150 or slow and 500 or 20000
    local c = check.counted(function()
      for _ = 1, count do
        local y = x * 2
        y = y + x -- luacheck: ignore
      end
    end)
    x:fill(3)
    collectgarbage()
    assert.same({ 6, 6 }, values((x * 2)["1:2"]))
    if mode == "on" then assert.is_true(c.launches <= count / 8, c.launches) end
  end)

  it("of a hundred thousand nodes are freed without recursion", function()
    local x = cp.eval(cp.ones({ 2 }))
    local y = x
    for k = 1, steps do y = k % 2 == 0 and y * 1 or y + x end
    y = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.equal(1, x[1])
  end)

  it("in which the pending reader of a written array is written in turn", function()
    local x = cp.eval(cp.arange(4, { dtype = "float64" }))
    local v = { 0, 1, 2, 3 }
    for k = 1, 300 do
      local y = x + k
      x:mul_(0.5)
      x:assign(y - x)
      for j = 1, 4 do v[j] = v[j] + k - v[j] * 0.5 end
    end
    assert.same(v, values(x))
  end)
end)

each("errors in the middle", function()
  it("leave pending values as they are", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    assert.is_false(pcall(function() return y + cp.ones({ 2 }) end))
    assert.is_false(pcall(function() return y:reshape(5) end))
    assert.is_false(pcall(function() return y[9] end))
    assert.is_false(pcall(function() y[9] = 1 end))
    assert.is_false(pcall(function() y["1:2"] = cp.ones({ 3 }) * 2 end))
    assert.is_false(pcall(function() return cp.bitwise_and(y, 1) end))
    assert.is_false(pcall(function() x:assign(y * cp.j) end))
    assert.is_false(pcall(function() return y:sum(2) end))
    x:fill(0)
    assert.same({ 2, 4, 6 }, values(y))
  end)

  it("come from the operator, not from the force", function()
    local x = cp.eval(cp.ones({ 3 }))
    check.failure("shape", "add: shapes (3) and (2) do not broadcast", function() local _ = x * 2 + cp.ones({ 2 }) end)
    check.failure("dtype", "bitwise_and: ", function() local _ = cp.bitwise_and(x * 2, x) end)
    check.failure("dtype", "add: x2 = 300 does not fit uint8", function() local _ = x:astype("uint8") * 2 + 300 end)
  end)
end)

each("functions that need a pending value's elements", function()
  it("get them", function()
    local x = cp.eval(cp.arange(1, 5, { dtype = "float64" }))
    local function y() return x * 2 end
    assert.equal(4, y()[2])
    assert.equal(6, y()(3))
    assert.equal(20, y():sum():item())
    assert.is_true(y():any())
    assert.is_true(y():all())
    assert.is_true(y() == x + x)
    assert.is_false(y() == x)
    assert.is_true(cp.array_equal(y(), x + x))
    assert.is_true(cp.allclose(y(), x + x))
    assert.equal(4, #y())
    assert.equal("float64", y().dtype)
    assert.same({ 4 }, y().shape)
    assert.same({ 8 }, y().strides)
    assert.equal(32, y().nbytes)
    assert.equal("[2. 4. 6. 8.]", (tostring(y()):match "^[^\n]*"))
    assert.equal(x:tobytes(), (y() / 2):tobytes())
    assert.same({ 2, 4, 6, 8 }, y():totable())
    local seen = {}
    for k, v in y():values() do seen[k] = v end
    assert.same({ 2, 4, 6, 8 }, seen)
    for k, row in (matrix({ 2, 2 }) + 1):rows() do assert.equal(2 * k, row[1]) end
    assert.is_true((x:sum() * 2) < (x:sum() * 3))
    assert.equal("20.0", ("" .. y():sum()))
    assert.same({ 2, 4, 6, 8 }, values(cp.asarray(y())))
    assert.same({ 2, 4, 6, 8 }, values(cp.concatenate { y() }))
    assert.same({ 1, 3, 5, 7 }, values(cp.stack { y() - 1, y() }[1]))
    assert.equal(4, y():argmax():item())
  end)

  it("get them on another device", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    local z = cp.asnumpy(y)
    x:fill(0)
    y:fill(1)
    assert.equal("cpu", z.device)
    assert.same({ 2, 4, 6 }, values(z))
    local a = cp.device("cpu"):with(function(v) return v + 1 end, z)
    z:fill(0)
    assert.same({ 3, 5, 7 }, values(a))
  end)
end)

each("the switch", function()
  it("belongs to the state, and may change while values are pending", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local before = cp.fusion()
    assert.is_boolean(before)
    local y = x * 2
    assert.equal(before, cp.fusion(not before))
    assert.equal(not before, cp.fusion())
    local z = y + x
    assert.equal(not before, cp.fusion(before))
    local w = z + y
    x:fill(0)
    assert.same({ 2, 4, 6 }, values(y))
    assert.same({ 3, 6, 9 }, values(z))
    assert.same({ 5, 10, 15 }, values(w))
  end)
end)

describe("all of this", function() repeat_forced "spec/lazy/hazard_chain_spec.lua" end)
