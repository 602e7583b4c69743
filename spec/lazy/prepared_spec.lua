-- Batches with reductions that come again run by plans that were kept (src/lazy/evaluation/prepared.h), and
-- give what new plans give, bit for bit, whatever the arrays, numbers and handles of each round are. The CPU
-- device has such plans from 16384 elements on, in rows of more than 64.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local generator = require "spec.helper.random.generator"

local unpack = table.unpack or unpack -- luacheck: ignore

local ROUNDS = 6

local g = generator(1) -- begun again where draws are repeated
local function below(n) return g.below(n) end
local function pick(list) return g.one_of(list) end

-- Small whole numbers, so that no order of a sum matters.
local function array(shape, dtype)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  local first, step = below(7), below(5) + 1
  return ((cp.arange(size, "int64") * step + first) % 11 - 5):astype(dtype):reshape(unpack(shape)):eval()
end

local function bytes(x) return table.concat({ x.dtype, table.concat(x.shape, "x"), x:tobytes() }, " ") end

-- What each round of f gives, without kept plans and with them, and how many rounds used one.
local function compare(f, rounds)
  local seen, used = {}, 0
  for pass = 1, 2 do
    if pass == 1 then core.slow_paths "prepared" else core.slow_paths() end
    g = generator(4711)
    for k = 1, rounds or ROUNDS do
      local before = cp.profiler.counters().prepared
      local results = { f(k) }
      for i, x in ipairs(results) do results[i] = bytes(x) end
      used = used + (cp.profiler.counters().prepared - before)
      if pass == 1 then
        seen[k] = results
        assert.equal(0, used)
      else
        assert.same(seen[k], results, "round " .. k)
      end
    end
  end
  core.slow_paths()
  return used
end

local phased = cp.ones({ 256, 80 }, "float32")
local kept = cp.profiler.counters().prepared
for _ = 1, 3 do
  local e = cp.exp(phased - phased:max { axis = 2, keepdims = true });
  (e / e:sum { axis = 2, keepdims = true }):eval()
end
kept = cp.profiler.counters().prepared > kept -- not where every operator is computed at once

describe("kept plans", function()
  after_each(function() core.slow_paths() end)

  it("serve loops from the third round on", function()
    local function softmax()
      local x = array({ 250, 70 }, "float64")
      local e = cp.abs(x - x:max { axis = 2, keepdims = true })
      return e * e:sum { axis = 2, keepdims = true }
    end
    local used = compare(softmax)
    if kept then assert.is_true(used >= ROUNDS - 2) end
  end)

  it("read other arrays and numbers in each round", function()
    compare(function(k)
      local x, y = array({ 200, 99 }, "float32"), array({ 99 }, "float32")
      local m = (x * k + y):sum { axis = 2, keepdims = true }
      return (x - m) * (k + 1) + 0.5 * k, m
    end)
  end)

  it("tell arrays that are one from arrays that are equal", function()
    compare(function(k)
      local x, y = array({ 250, 80 }, "float32"), array({ 250, 80 }, "float32")
      if k <= 2 or k % 3 == 0 then y = x end
      local s = (x * y):sum { axis = 2, keepdims = true }
      return s * x - y, s
    end)
  end)

  it("follow views, offsets and layouts", function()
    compare(function(k)
      local x = array({ 140, 141 }, "float32")
      local v = k % 4 == 0 and x[{ "2:", "2:" }] or k % 4 == 1 and x.T or x
      return v - v:mean { axis = 2, keepdims = true } * 2
    end, 12)
  end)

  it("tell addresses by their alignment", function()
    compare(function(k)
      local m, n = 256, 68
      local base = array({ m * n + 8 }, "float32")
      local first = k <= 2 and 1 or below(8) + 1
      local x = base[{ { first, first + m * n - 1 } }]:reshape(m, n)
      return x - x:max { axis = 2, keepdims = true }
    end, 10)
  end)

  it("tell reductions apart, and their parameters", function()
    compare(function(k)
      local x = array({ 250, 80 }, "float64")
      return x * x[k <= 2 and "sum" or "max"](x, { axis = 2, keepdims = true })
    end)
    compare(function(k)
      local x = array({ 250, 80 }, "float64")
      return x * x:var { axis = 2, keepdims = true, ddof = k <= 2 and 0 or 1 }
    end)
  end)

  it("store what has a handle in that round", function()
    compare(function(k)
      local x = array({ 240, 75 }, "float64")
      local m = x:max { axis = 2, keepdims = true }
      local s = (x - m):sum { axis = 2, keepdims = true }
      if k % 2 == 0 then m:free() end
      local z = (x + s) * s
      z:eval()
      if k % 2 == 0 then return z, s end
      return z, s, m
    end, 10)
  end)

  it("leave other pending reductions to a new plan", function()
    compare(function(k)
      local x = array({ 240, 75 }, "float64")
      local other = k % 2 == 0 and x:min { axis = 2 } or nil
      local m = x:max { axis = 2, keepdims = true }
      local z = (x - m):eval()
      if other then return z, other end
      return z
    end, 12)
  end)

  it("do not see writes of later rounds", function()
    local x = cp.zeros({ 256, 64 + 3 }, "float64")
    compare(function(k)
      x:fill(k)
      local s = x:sum { axis = 2, keepdims = true }
      local z = x * s + 1
      x:add_(1)
      return z, s, x
    end)
  end)

  it("compute conjugate gradients", function()
    local function solve()
      local n = 20000
      local A = (cp.arange(n, "float64") % 7 + 1):eval()
      local b = (cp.arange(n, "float64") % 5):eval()
      local x, r, p = cp.zeros(n, "float64"), b, b
      local rs = (r * r):sum()
      for _ = 1, 12 do
        local Ap = A * p
        local alpha = rs / (p * Ap):sum()
        x = x + alpha * p
        r = r - alpha * Ap
        local new = (r * r):sum()
        p = r + (new / rs) * p
        rs = new
        p:eval()
      end
      return x:eval(), rs
    end
    local used = compare(solve, 2)
    if kept then assert.is_true(used > 8) end
  end)

  local UNARY = { function(a) return -a end, cp.abs, cp.square, function(a) return a + 2 end,
    function(a) return a * below(4) end, function(a) return cp.where(cp.greater(a, 0), a, below(3)) end }
  local BINARY = { function(a, b) return a + b end, function(a, b) return a - b end, cp.maximum, cp.minimum,
    function(a, b) return a * cp.sign(b) end }
  local REDUCTIONS = { "sum", "max", "min", "argmax", "count_nonzero", "mean" }

  -- A random expression over x {m, n} and y {n}; some of its parts go to `parts`, which keeps them alive.
  local function expression(depth, leaves, parts)
    if depth == 0 then return pick(leaves) end
    local way = below(5)
    local value
    local a = expression(depth - 1, leaves, parts)
    if way <= 1 then
      value = pick(BINARY)(a, expression(depth - 1 - below(depth), leaves, parts))
    elseif way == 2 then
      value = pick(UNARY)(a)
    elseif a.ndim > 0 then
      value = a[pick(REDUCTIONS)](a, { axis = a.ndim, keepdims = below(4) > 0 })
      if value.ndim < a.ndim then value = value:reshape(-1, 1) end
    else
      value = a
    end
    if below(4) == 0 then parts[#parts + 1] = value end
    return value
  end

  it("compute random expressions", function()
    local used = 0
    for case = 1, check.mode == "gc" and 6 or 60 do
      local m, n = below(6) + 250, below(70) + 66
      local dtype = pick { "float32", "float64", "int32" }
      local shape = case + 1000
      used = used + compare(function(k)
        local x, z, y = array({ m, n }, dtype), array({ m, n }, dtype), array({ n }, dtype)
        local leaves = { x, y, below(5) == 0 and x or z }
        g = generator(shape + (k == 4 and 1 or 0)) -- the same expression, but for one round
        local parts = {}
        local value = expression(4, leaves, parts)
        if #parts > 0 and k % 3 == 2 then cp.eval(value, parts[1]) end
        value:eval()
        g = generator(k * 7 + case)
        return value, unpack(parts)
      end)
      g = generator(case * 31 + 5)
    end
    if kept then assert.is_true(used > (check.mode == "gc" and 1 or 20), used) end
  end)
end)
