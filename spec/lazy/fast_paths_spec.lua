-- Fast paths (src/device/fast.h) give the same results as the general ways: random operations on random
-- operands, some of them wrong, with each fast path turned off and with all. Compares dtypes, shapes, bits
-- and errors.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local generator = require "spec.helper.random.generator"

local PATHS = { "operands", "nodes", "force", "single", "dense", "flat", "small", "fill", "prepared", "lists", "all" }
local gpu = cp.zeros({ 1 }).device:find "^cuda" -- which compiles most of the kernels
local CASES = (gpu or check.mode == "gc") and 150 or 3000

local dtypes = core.dtypes()
local ops, arity = {}, {}
for name, op in pairs(core.operations()) do
  if op.arity <= 2 and pcall(function() return cp[name] end) then
    ops[#ops + 1] = name
    arity[name] = op.arity
  end
end
table.sort(ops)

local g = generator(1) -- begun again where draws are repeated
local function below(n) return g.below(n) end
local function pick(list) return g.one_of(list) end

local SHAPES = { {}, { 0 }, { 1 }, { 2 }, { 5 }, { 7, 3 }, { 7, 3 }, { 7, 1 }, { 3 }, { 1024 }, { 1500 }, { 33, 70 } }
local VIEWS = {
  function(x) return x end,
  function(x) return x end,
  function(x) return x.T end,
  function(x) return x.ndim > 0 and x["::-1"] or x end,
  function(x) return x.ndim > 0 and x.shape[1] > 2 and x["1:"] or x end,
  function(x) return x + 0 end, -- pending
}

local function array(like)
  local shape, size = like and like.shape or pick(SHAPES), 1
  for _, n in ipairs(shape) do size = size * n end
  local x = cp.arange(size):reshape(shape)
  local dtype = like and below(3) > 0 and like.dtype or pick(dtypes)
  x = (x * (below(5) - 1) - below(3)):astype(dtype):eval()
  return like and x or pick(VIEWS)(x)
end

local function freed()
  local x = cp.ones { 3 }
  x:free()
  return x
end

local OTHERS = { array, array, array, function() return below(9) - 3 end,
  function() return below(9) / 4 end, function() return 0 / 0 end, function() return cp.complex(below(3), 1) end,
  function() return below(2) == 1 end, function() return { 1, 2, 3 } end, function() return "text" end, freed,
  function() return 2 ^ 40 end }

local function shown(ok, v)
  if not ok then return tostring(v) end
  if not cp.is_array(v) then return tostring(v) end
  return table.concat({ v.dtype, table.concat(v.shape, "x"), v:tobytes() }, " ")
end

-- Two operands: mostly two arrays of the same shape, or an array and a number in either order.
local function operands()
  local x = below(8) > 0 and array() or pick(OTHERS)()
  local y = cp.is_array(x) and below(2) > 0 and array(x) or pick(OTHERS)()
  if below(4) == 0 then return y, x end
  return x, y
end

local function apply(name, x, y)
  if arity[name] == 1 then return cp[name](x) end
  return cp[name](x, y)
end

local REDUCTIONS = { "sum", "prod", "max", "min", "any", "all", "var", "mean", "argmax", "count_nonzero" }

-- Calls that compute, write and reduce: each returns a value or fails.
local FORMS = {
  apply,
  apply,
  function(name, x, y) return apply(name, x, y):eval() end,
  function(name, x, y) return apply(name, x, y) * 2 + x end,
  function(_, x, y) return x * y + 1 end,
  function(_, x, y) return x:copy():assign(y) end,
  function(_, x) return x:copy():fill(3) end,
  function(_, x, y)
    local z = x:copy()
    z["1:"] = z[":-1"] + y
    return z
  end,
  function(name, x, y) return cp.sum(apply(name, x, y)) end,
  function(_, x) return cp[pick(REDUCTIONS)](x, x.ndim > 0 and below(2) > 0 and below(x.ndim) + 1 or nil) end,
  function(_, x, y) return cp[pick { "argmax", "argmin" }](x - y, x.ndim > 0 and below(x.ndim) + 1 or nil) end,
  function(_, x)
    local z = x:copy()
    z["1:"] = x["::-1"][":-1"] -- a copy without an operation
    return z
  end,
  function() return cp.arange(below(1500), pick(dtypes)) end,
}

local function case()
  local name, form, x, y = pick(ops), pick(FORMS), operands()
  return name, function() return shown(pcall(form, name, x, y)) end
end

describe("fast paths", function()
  after_each(function() core.slow_paths() end)

  it("give what the general ways give", function()
    for k = 1, CASES do
      g = generator(k)
      local name, expected = case()
      expected = expected()
      for _, path in ipairs { PATHS[k % #PATHS + 1], "all" } do
        g = generator(k)
        core.slow_paths(path)
        local _, run = case() -- operands are made without it too
        local got = run()
        core.slow_paths()
        if got ~= expected then
          assert.equal(expected, got, ("%s without fast path '%s', case %d"):format(name, path, k))
        end
      end
    end
  end)

  it("are known by their names", function()
    assert.has_error(function() core.slow_paths "no such path" end)
  end)
end)
