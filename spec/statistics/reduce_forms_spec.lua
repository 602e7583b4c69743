-- Every reduction in every form of a call: dtypes, layouts, lengths, axes, keepdims, dtype, out, initial.
-- Values are small integers, so that sums are exact in any order; each result must equal, bit for bit, that
-- of elementwise operations over the elements one after the other.
--   CUPOLA_CALLS=10, CUPOLA_CALLS_SEED=n   more, other ones

local cp = require "cupola"
local model = require "spec.helper.calls.model"
local generator = require "spec.helper.random.generator"
local operands = require "spec.helper.calls.operands"
local results = require "spec.helper.calls.results"

local seed, times, sample = operands.seed, operands.times, operands.sample

local half = { float16 = true, bfloat16 = true }

-- The dtype that elements are converted to, and the result's dtype (NumPy's rules).
local function types_of(family, dtype, asked)
  local t = asked or dtype
  local unsigned = t:find "^uint"
  if family == "add" and not asked then
    if t == "bool" or t:find "^int" then t = "int64" elseif unsigned then t = "uint64" end
  end
  if family == "float" and (t == "bool" or t:find "int") then t = "float64" end
  return half[t] and "float32" or t, t
end

local function fold(op)
  return function(slices)
    local r = slices[1]
    for k = 2, #slices do r = cp[op](r, slices[k]) end
    return r
  end
end

local function argument(better)
  return function(slices)
    local best, at = slices[1], cp.ones(slices[1].shape, "int64")
    for k = 2, #slices do
      local wins = cp[better](slices[k], best)
      best, at = cp.where(wins, slices[k], best), cp.where(wins, k, at)
    end
    return at
  end
end

-- how elements are combined, the family of dtypes, the value of no elements, and what `initial` is combined
-- by
local sum, prod = fold "add", fold "multiply"
local lowest, highest = fold "minimum", fold "maximum"
local function mean(slices) return cp.divide(sum(slices), #slices) end
local function spread(slices) return highest(slices) - lowest(slices) end
local reductions = {
  sum = { sum, "add", 0, "add" }, prod = { prod, "add", 1, "multiply" }, nansum = { sum, "add", 0 },
  nanprod = { prod, "add", 1 }, mean = { mean, "float" }, nanmean = { mean, "float" },
  min = { lowest, "same", nil, "minimum" }, max = { highest, "same", nil, "maximum" },
  nanmin = { lowest, "same", nil, "fmin" }, nanmax = { highest, "same", nil, "fmax" }, ptp = { spread, "same" },
  any = { fold "logical_or", "bool", false }, all = { fold "logical_and", "bool", true },
  argmin = { argument "less", "index" }, argmax = { argument "greater", "index" },
}

local names = {}
for name in pairs(reductions) do names[#names + 1] = name end
table.sort(names)

-- ---- arrays

local values = { 0, 1, 1, 2, 1, 0, 1, 1, 2, 1, 1 }
local negative = { 0, 1, -1, 2, -1, 0, 1, -2, 1, -1, 1 }

-- Few of them are more than 1, so that products stay small.
local function whole_numbers(g, dtype, shape)
  local size, list = 1, {}
  for _, d in ipairs(shape) do size = size * d end
  if size == 0 then return cp.zeros(shape, dtype) end
  for k = 1, size do list[k] = g.one_of((dtype:find "^u" or dtype == "bool") and values or negative) end
  local x = cp.array(list, "float64"):astype(dtype == "bool" and "bool" or dtype)
  return x:reshape(shape)
end

-- x as a matrix of kept by reduced elements, and the shape of the result with and without keepdims.
local function arranged(x, axes)
  local gone, order, kept, with_ones, reduced = {}, {}, {}, {}, 1
  for _, axis in ipairs(axes) do gone[axis] = true end
  for d = 1, x.ndim do
    with_ones[d] = gone[d] and 1 or x.shape[d]
    if not gone[d] then
      order[#order + 1] = d
      kept[#kept + 1] = x.shape[d]
    end
  end
  for d = 1, x.ndim do
    if gone[d] then
      order[#order + 1] = d
      reduced = reduced * x.shape[d]
    end
  end
  local outer = 1
  for _, n in ipairs(kept) do outer = outer * n end
  return cp.transpose(x, order):copy():reshape({ outer, reduced }), kept, with_ones
end

-- The expected result; nil where the call must fail.
local function expected(c)
  local r = reductions[c.name]
  local acc, result = types_of(r[2], c.x.dtype, c.dtype)
  if r[2] == "bool" then acc, result = "bool", "bool" end
  if r[2] == "index" then acc, result = c.x.dtype, "int64" end
  local rows, kept, with_ones = arranged(c.x, c.axes)
  local n, value = rows.shape[2]
  if n == 0 and rows.shape[1] > 0 then
    local none = r[3]
    if r[2] == "float" then none = result:find "^complex" and cp.complex(cp.nan, cp.nan) or cp.nan end
    if none == nil then return nil end
    value = cp.full({ rows.shape[1] }, none, result)
  elseif rows.shape[1] == 0 then
    value = cp.zeros({ 0 }, result)
  else
    local slices = {}
    rows = (c.dtype and rows:astype(c.dtype) or rows):astype(acc)
    for k = 1, n do slices[k] = rows(cp.ellipsis, k):copy() end
    value = r[1](slices):astype(result)
  end
  return value:reshape(c.keepdims and with_ones or kept)
end

-- ---- calls

local shapes = { { 7 }, { 3, 5 }, { 1 }, { 0 }, { 2, 0 }, { 2, 3, 4 }, { 65 }, { 33, 3 }, { 3, 33 }, { 2, 2, 2, 3 } }

local function axes_of(g, ndim)
  if g.chance(35) then
    local all = {}
    for d = 1, ndim do all[d] = d end
    return all, nil
  end
  local d = g.number(ndim)
  if ndim > 1 and g.chance(30) then
    local e = d % ndim + 1
    return { d, e }, { d, e }
  end
  return { d }, g.chance(50) and d or d - ndim - 1
end

-- Products of complex numbers in another order have zeros of another sign; bool has no differences.
local function allowed(name, dtype)
  if name == "ptp" then return dtype ~= "bool" end
  return not name:find "prod$" or not dtype:find "^complex"
end

local asked = { "float32", "float64", "int32", "complex64", "float16" }

-- A random call, with the options as the function has them.
local function random_call(g, name, dtype)
  local family = reductions[name][2]
  local plain = whole_numbers(g, dtype, g.one_of(shapes))
  local c = { g = g, name = name, x = plain, options = {}, layout = g.one_of(operands.layouts), list = {} }
  c.given, c.base = operands.arrange(plain, c.layout)
  c.axes, c.options.axis = axes_of(g, plain.ndim)
  if family == "index" and type(c.options.axis) == "table" then c.axes, c.options.axis = { 1 }, 1 end
  c.keepdims = g.chance(30)
  c.options.keepdims = c.keepdims or nil
  local complex = dtype:find "^complex"
  if (family == "add" or family == "float") and g.chance(30) then
    c.dtype = g.one_of(asked)
    local refused = complex and c.dtype ~= "complex64" or not allowed(name, c.dtype)
    if refused or c.dtype == "int32" and (family == "float" or dtype ~= "int8") then c.dtype = nil end
    c.options.dtype = c.dtype
  end
  return c
end

-- `initial`, of any kind, is combined with the finished result.
local function add_initial(c)
  local g, op = c.g, reductions[c.name][4]
  if not op or not c.want or g.chance(70) then return end
  local kind = g.one_of { "b", "i", "f", "typed", "typed" }
  local o = kind == "typed" and operands.typed(g, g.one_of(operands.dtypes)) or operands.bare(g, kind)
  local r = model.result(op, { { given = c.want, plain = c.want, dtype = c.want.dtype }, o }, c.want.shape)
  local possible = r and cp.can_cast(r.dtype, c.want.dtype, "same_kind")
  c.options.initial, c.text = o.given, " initial = " .. o.text
  c.want = possible and r:astype(c.want.dtype) or nil
end

-- any and all without an axis return Lua booleans.
local function is_question(c)
  return reductions[c.name][2] == "bool" and not c.options.axis and not c.options.keepdims and not c.options.out
end

-- Sums of floating values are accumulated in the dtype of out if that holds them. Any result can be written
-- into any out, except complex ones into real ones.
local function choose_out(c)
  if not c.g.chance(35) or not c.want then return end
  local dtype, family = c.g.chance(50) and c.want.dtype or c.g.one_of(operands.dtypes), reductions[c.name][2]
  c.out = dtype
  local kind = cp.can_cast(c.x.dtype, "float64") and c.x.dtype:find "float" and "float" or c.x.dtype:match "^complex"
  local wider = kind and dtype:find(kind) and cp.can_cast(c.x.dtype, dtype)
  if wider and not c.dtype and (family == "add" or family == "float") then
    c.dtype = dtype
    c.want = expected(c)
    c.dtype = nil
  end
end

local function written(c)
  local out, base, take = operands.arrange(operands.plain(c.g, c.out, c.want.shape), c.g.one_of(operands.layouts))
  c.options.out, c.text = out, (c.text or "") .. " out = " .. c.out
  if c.out == "bool" or not c.want.dtype:find "^complex" then c.want = c.want:astype(c.out) end
  return base, take
end

local function run(c)
  c.want = expected(c)
  choose_out(c)
  add_initial(c)
  local f = (c.g.chance(50) and cp or c.given)[c.name]
  local function call()
    if next(c.options) == nil then return f(c.given) end -- an empty table would be no axes
    return f(c.given, c.options)
  end
  if c.out and c.want then
    local base, take = written(c)
    return results.expect_written(c, base, take, call)
  end
  if not is_question(c) then return results.expect(c.want, call) end
  local got, want = call(), c.want:item()
  if cp.is_array(got) then return "gave an array" end
  return got ~= want and ("gave %s, want %s"):format(tostring(got), tostring(want)) or nil
end

local function text_of(c)
  return ("%s(%s %s %s, axes %s%s%s)%s: "):format(c.name, c.x.dtype, tostring(c.x.shape), c.layout,
    table.concat(c.axes, " "), c.keepdims and " keepdims" or "", c.dtype and " dtype = " .. c.dtype or "", c.text or "")
end

describe("reductions in every form", function()
  for j, name in ipairs(names) do
    it(name, function()
      local g, failures, calls = generator(seed * 1000 + j), {}, 0
      for round = 1, 12 * times do
        for k, dtype in ipairs(operands.dtypes) do
          if (round + k) % sample == 0 and allowed(name, dtype) then
            local c = random_call(g, name, dtype)
            local bad = run(c)
            calls = calls + 1
            if bad then failures[#failures + 1] = text_of(c) .. bad end
          end
        end
      end
      results.raise(failures, seed, calls)
    end)
  end
end)
