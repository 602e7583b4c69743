-- Elementwise values of one shape that share operations: computing one of them computes the others, too, by
-- the same kernel. Expected values are computed in Lua, element by element.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced, wait = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })

local N = 1000

local function first() return cp.arange(N, "float64"):eval() end
local function list(f)
  local values = {}
  for k = 1, N do values[k] = f(k - 1) end
  return values
end

-- Two values of x with a part in common: x (x + 1) + 3 x - 2 and 5 - x (x + 1) x.
local function pair(x)
  local shared = x * (x + 1)
  return shared + 3 * x - 2, 5 - shared * x
end
local function a_of(x) return x * (x + 1) + 3 * x - 2 end
local function b_of(x) return 5 - x * (x + 1) * x end

each("values that share operations", function(mode)
  wait()

  it("have the values that each has alone", function()
    local a, b = pair(first())
    fusion.same(a, list(a_of))
    fusion.same(b, list(b_of))
    b, a = pair(first())
    fusion.same(a, list(b_of))
    fusion.same(b, list(a_of))
  end)

  it("go on as states of a loop", function()
    local u, v = first() / N, 1 - first() / N
    local x, y = {}, {}
    for k = 1, N do x[k], y[k] = (k - 1) / N, 1 - (k - 1) / N end
    for _ = 1, 9 do
      local uvv = u * v * v
      u, v = u + 0.125 * cp.roll(u, 1, 1) - uvv + 0.25 * (1 - u), v + 0.5 * cp.roll(v, -1, 1) + uvv - 0.75 * v
      local x2, y2 = {}, {}
      for k = 1, N do
        local xyy = x[k] * y[k] * y[k]
        x2[k] = x[k] + 0.125 * x[k > 1 and k - 1 or N] - xyy + 0.25 * (1 - x[k])
        y2[k] = y[k] + 0.5 * y[k < N and k + 1 or 1] + xyy - 0.75 * y[k]
      end
      x, y = x2, y2
    end
    fusion.same(u, x)
    fusion.same(v, y)
  end)

  it("may be dropped, freed, written and read before", function()
    local x = first()
    local a, b = pair(x)
    b:free()
    fusion.same(a, list(a_of))
    check.raises("add: the array's memory was freed", function() return b + 1 end)
    a, b = pair(x)
    a:eval()
    x:fill(0)
    fusion.same(b, list(b_of))
    x = first()
    a, b = pair(x)
    x:add_(1)
    b[1] = -1
    fusion.same(a, list(a_of))
    assert.equal(-1, b[1])
    assert.equal(b_of(1), b[2])
    a = cp.scope(function()
      local p, q = pair(first())
      p:eval()
      return q
    end)
    fusion.same(a, list(b_of))
  end)

  it("are computed alone if there is memory for one of them only", function()
    local n = 1048576
    local x = cp.eval(cp.full({ n }, 2.0))
    cp.collect()
    local before = cp.memory().limit
    local a, b = pair(x)
    cp.collect()
    cp.memory { limit = cp.memory().live + 12 * n } -- of 8 bytes each
    local ok, message = pcall(function() a:eval() end)
    cp.memory { limit = before }
    assert.is_true(ok, message)
    assert.equal(a_of(2), a[n])
    assert.equal(b_of(2), b[n])
  end)

  it("keep to their streams and devices", function()
    if mode == "forced" then return end
    local x = first()
    local a, b = pair(x)
    local s = cp.cuda.Stream()
    local c = s:with(function()
      local p, q = pair(x)
      p:eval()
      return q
    end)
    fusion.same(a, list(a_of))
    fusion.same(b, list(b_of))
    fusion.same(c, list(b_of))
  end)

  if mode ~= "on" or check.mode then return end

  local function launches(f) return check.counted(f).launches end

  it("are one kernel", function()
    local x = first()
    local a, b
    assert.equal(1, launches(function()
      a, b = pair(x)
      a:eval()
      b:eval()
    end))
    fusion.same(b, list(b_of))
  end)

  it("are one kernel in each round of a loop that rolls them", function()
    local u, v = cp.eval(first() / N, 1 - first() / N)
    local function round()
      local uvv = u * v * v
      u, v = u + 0.125 * cp.roll(u, 1, 1) - uvv + 0.25 * (1 - u), v + 0.5 * cp.roll(v, -1, 1) + uvv - 0.75 * v
    end
    for _ = 1, 3 do round() end
    local count = launches(function()
      for _ = 1, 10 do round() end
    end)
    assert.is_true(count <= 11, count)
  end)

  it("are one kernel where a long chain is cut", function()
    local x, sum, weights = first(), 0, 0
    assert.equal(2, launches(function()
      for k = 1, 25 do
        local w = cp.sqrt((x - k) ^ 2 + 1)
        sum, weights = sum + w * x, weights + w
      end
      cp.eval(sum, weights)
    end))
    for _, e in ipairs { 0, 7, N - 1 } do
      local s, t = 0, 0
      for k = 1, 25 do
        local w = math.sqrt((e - k) ^ 2 + 1)
        s, t = s + w * e, t + w
      end
      assert.equal(s, sum[e + 1])
      assert.equal(t, weights[e + 1])
    end
  end)

  it("are left for later if they share nothing, are steps only, or are made of what is computed", function()
    local x, y = first(), first()
    local a, b
    assert.equal(2, launches(function()
      a, b = 3 * x * x + x - 1, 3 * y * y + y - 1
      a:eval()
      b:eval()
    end))
    assert.equal(2, launches(function()
      a = 3 * x * x + x - 1
      b = a * x + 1
      a:eval()
      b:eval()
    end))
    local kept = check.counted(function()
      a, b = pair(x)
      a:eval()
    end).allocations
    assert.equal(2, kept) -- a and b, and none of the steps
  end)

  it("do not have their steps stored, before or after these were used", function()
    local x = first()
    local y, z = cp.eval(cp.full({ 65536 }, 2.0), cp.full({ 65536 }, 3.0))
    local w = 2 * y -- so few operations on so many elements are computed again
    local a = (w * z + 1) * 2
    a:eval()
    local b = (w - 1) * y + w
    assert.equal(1, check.counted(function() b:eval() end).allocations)
    assert.same({ 26, 10 }, { a[1], b[1] })
    local shared = x * (x + 1)
    local total, c = (shared + 3 * x):sum(), 5 - shared * x
    assert.equal(1, check.counted(function() c:eval() end).allocations)
    assert.equal((N - 1) * N * (2 * N - 1) / 6 + 4 * (N - 1) * N / 2, total:item())
  end)
end)

repeat_forced "spec/lazy/alike_spec.lua"
