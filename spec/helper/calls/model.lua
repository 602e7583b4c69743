-- The expected result of an elementwise call, computed the slow way: each operand is converted to the dtype
-- that the promotion rules give it, broadcast to the full shape and laid out with gaps; then the operation is
-- evaluated on these alone.

local cp = require "cupola"

local model = {}

local unpack = table.unpack or unpack -- luacheck: ignore

local compare = { equal = true, not_equal = true, less = true, less_equal = true, greater = true,
                  greater_equal = true }
-- powers by these plain numbers are other operations
local exact_powers = { [2] = "square", [3] = function(x) return x ^ 3 end, [0.5] = "sqrt", [-0.5] = "rsqrt",
                       [-1] = "reciprocal", [1] = "positive" }

local function is_whole(dtype) return dtype == "bool" or dtype:find "int" ~= nil end

--- Whether promotion ignores operand k: a condition or an exponent of ldexp.
function model.aside(op, k) return op == "where" and k == 1 or op == "ldexp" and k == 2 end

-- The dtype of a plain value beside arrays of dtype D (nil: no arrays), and the dtype that integer and bool
-- arrays are converted to because of it, if any.
local function bare_dtype(o, D)
  local default = cp.get_default_dtype()
  if o.kind == "b" then return "bool" end
  if o.kind == "c" then
    local wide = cp.promote_types(not D and default or is_whole(D) and default or D, "complex64")
    return wide, D and is_whole(D) and wide or nil
  end
  if not D then return default end
  if not is_whole(D) then return D end
  if o.kind == "i" then return D == "bool" and "int64" or D end
  return default, default
end

--- Whether the plain whole number v fits an integer dtype.
function model.fits(v, dtype)
  local info = cp.iinfo(dtype)
  v = type(v) == "number" and v or tonumber(tostring(v):match "^-?%d+")
  local most = type(info.max) == "userdata" and info.max.re or tonumber(info.max)
  return v >= tonumber(info.min) and v <= most
end

local function promote(a, b) return a and cp.promote_types(a, b) or b end

-- The common dtype of several, nil if there are none. If some are inexact, each is first promoted with the
-- common dtype of the inexact ones.
local function company(dtypes)
  local inexact, D
  for _, t in ipairs(dtypes) do
    if not is_whole(t) then inexact = promote(inexact, t) end
  end
  for _, t in ipairs(dtypes) do D = promote(D, inexact and promote(inexact, t) or t) end
  return D
end

-- Whether an operation of kernels/ops.def computes integer operands in a floating dtype that holds all of
-- them.
local in_floating = {}
for line in io.lines "kernels/ops.def" do
  local name, class = line:match "^OP[%u_]*%(([%w_]+),%s*%d,%s*(%u%w*)"
  in_floating[name or ""] = class == "FLOAT" or class == "CLOSE"
end
local smallest = { bool = "float16", int8 = "float16", uint8 = "float16", int16 = "float32", uint16 = "float32" }

--- The common dtype of the arrays and typed scalars, nil if there are none.
function model.strong(op, list)
  local dtypes = {}
  for k, o in ipairs(list) do
    if o.dtype and not model.aside(op, k) then dtypes[#dtypes + 1] = o.dtype end
  end
  return company(dtypes)
end

local ranks = { b = 1, i = 2, f = 3, c = 4 }

-- The dtype of all plain values, which is that of the widest one, and the dtype that integer and bool arrays
-- are converted to. nil: a number does not fit.
local function bare_dtypes(op, list, D)
  local widest, bare, cast
  for k, o in ipairs(list) do
    local wider = o.kind and (not widest or ranks[o.kind] > ranks[widest.kind])
    if wider and not model.aside(op, k) then widest = o end
  end
  if widest then bare, cast = bare_dtype(widest, D) end
  for k, o in ipairs(list) do
    local integer = bare and bare ~= "bool" and is_whole(bare)
    if o.kind == "i" and integer and not compare[op] and not model.aside(op, k) and not model.fits(o.given, bare) then
      return nil
    end
  end
  return bare or "bool", cast
end

-- Converts x to a dtype and broadcasts it to a shape, with a gap behind each element in memory.
local function spread(x, dtype, shape)
  x = cp.broadcast_to(x:astype(dtype), shape)
  if x.ndim == 0 or x.size == 0 then return x:copy() end
  local wide = {}
  for k, d in ipairs(shape) do wide[k] = d end
  wide[#wide] = 2 * wide[#wide]
  local index = {}
  for k = 1, #wide - 1 do index[k] = {} end
  index[#wide] = { 1, wide[#wide], 2 }
  local view = cp.zeros(wide, dtype)[index]
  view:assign(x)
  return view
end

local function value_as(o, dtype)
  if o.plain then return o.plain end
  return cp.full({}, o.given, dtype)
end

local function condition(o)
  if o.plain then return o.plain end
  local v = o.given
  if type(v) == "userdata" then v = v.re ~= 0 or v.im ~= 0 end
  if type(v) == "cdata" or type(v) == "number" then v = v ~= 0 end
  return cp.full({}, v, "bool")
end

-- Whether integers are compared with a plain number, which compares exact values: the values here are exact
-- in float64.
local function by_value(op, list, D)
  if not compare[op] or not D or not is_whole(D) then return false end
  for _, o in ipairs(list) do
    if o.kind == "i" or o.kind == "f" then return true end
  end
  return false
end

local function exact_power(op, list)
  local e = list[2]
  if op ~= "power" or list[1].dtype == nil or list[1].scalar or not e.kind or e.kind == "b" or e.kind == "c" then
    return nil
  end
  return exact_powers[tonumber((tostring(e.given):gsub("U?LL$", "")))]
end

local function compute(name, op, x)
  local ok, r = pcall(type(name) == "function" and name or cp[name], unpack(x, 1, name == op and #x or 1))
  if not ok then return nil, r end
  return r:copy()
end

--- Returns the dtypes that the operands are converted to (nil if the call must fail), the operation to
--- compute, and the dtype that plain values have before that.
function model.dtypes(op, list)
  local D, types, together = model.strong(op, list), {}, {}
  if by_value(op, list, D) then
    for k in ipairs(list) do types[k] = "float64" end
    return types, op, "float64"
  end
  local bare, cast = bare_dtypes(op, list, D)
  if not bare then return nil end
  for k, o in ipairs(list) do
    local t = o.kind and bare or o.dtype
    if cast and is_whole(t) then t = cast end
    if not model.aside(op, k) then together[#together + 1] = t end
  end
  local common = company(together)
  if in_floating[op] and is_whole(common) then
    for k, t in ipairs(together) do together[k] = smallest[t] or "float64" end
    common = company(together)
  end
  for k in ipairs(list) do types[k] = model.aside(op, k) and (op == "where" and "bool" or "int32") or common end
  return types, exact_power(op, list) or op, bare
end

-- The dtype of a plain value in a call with the option dtype, nil if the value does not fit.
local function bare_beside(o, dtype)
  if o.kind == "i" and is_whole(dtype) and not model.fits(o.given, dtype) then return nil end
  return (bare_dtype(o, dtype))
end

--- The result of a call with the option dtype, to which each operand must convert by a same-kind cast.
function model.computed(op, list, shape, dtype)
  local valued, x = by_value(op, list, model.strong(op, list)), {}
  for k, o in ipairs(list) do
    local exact = valued and o.kind
    local t = exact and "float64" or o.dtype or bare_beside(o, dtype)
    if not t then return nil, "does not fit" end
    local own = exact and bare_dtype(o, dtype) or t
    if not cp.can_cast(own, dtype, "same_kind") then return nil, "loses its kind" end
    local value = value_as(o, t)
    x[k] = spread(exact and value or value:astype(dtype), valued and "float64" or dtype, shape)
  end
  return compute(exact_power(op, list) or op, op, x)
end

--- The result of op on the operands, broadcast to a shape; nil and a message if the call must fail.
function model.result(op, list, shape)
  local types, name, bare = model.dtypes(op, list)
  if not types then return nil, "does not fit" end
  if op == "ldexp" and list[2].dtype and not is_whole(list[2].dtype) then return nil, "is no exponent" end
  local x = {}
  for k, o in ipairs(list) do
    local aside = model.aside(op, k)
    local value = aside and op == "where" and condition(o) or value_as(o, aside and types[k] or bare)
    x[k] = spread(value, types[k], shape)
  end
  return compute(name, op, x)
end

return model
