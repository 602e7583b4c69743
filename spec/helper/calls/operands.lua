-- Random operands of calls: arrays of every dtype and layout, 0-d arrays, plain numbers, booleans, typed and
-- complex scalars, 64-bit integers of LuaJIT, tables. An operand is a table of
--   given         the value to pass
--   plain, dtype  of arrays, tables and typed scalars: a contiguous array of the same elements, and its dtype
--   kind          of plain values: "b", "i", "f" or "c"
--   base, take    of arrays: the array that owns the memory, and the function that makes `given` from it
--   text          for messages

local cp = require "cupola"
local check = require "spec.helper.check"
local layouts = require "spec.helper.calls.layouts"

local operands = {}

--- From the environment: the seed of the random calls, and a factor for their number.
operands.seed = tonumber(os.getenv "CUPOLA_CALLS_SEED" or 1)
operands.times = tonumber(os.getenv "CUPOLA_CALLS" or 1)

--- Only one of so many calls is made where calls are slow: a GPU compiles kernels for each of them, and mode
--- gc collects at every allocation.
operands.sample = (check.mode == "gc" or cp.zeros({ 1 }).device:find "^cuda") and 20 or 1

local ffi = rawget(_G, "jit") and require "ffi"

operands.dtypes = {
  "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
  "float64", "complex64", "complex128",
}

--- A list of kinds of operands: arrays and typed numbers of each dtype, and bare numbers.
function operands.kinds()
  local kinds = {}
  for _, dtype in ipairs(operands.dtypes) do
    kinds[#kinds + 1] = { array = dtype }
    kinds[#kinds + 1] = { typed = dtype }
  end
  for _, bare in ipairs { "b", "i", "i", "f", "f", "c" } do kinds[#kinds + 1] = { bare = bare } end
  return kinds
end

-- ---- values

local nan, inf = 0 / 0, math.huge
local floating = { 0, -0.0, 1, -1, 0.5, 2, 3, -2.5, 7, 100.25, 1e-3, 1e5, nan, inf, -inf }
local signed, unsigned = { 0, 1, 2, 3, -1, -2, 7, 100, -128 }, { 0, 1, 2, 3, 5, 7, 100, 255 }
-- exact in float64, in which call_model.lua compares
local extremes = { int8 = { 127 }, int16 = { 32767, -32768 }, int32 = { 2147483647, -2147483648 },
                   int64 = { 2 ^ 53, -2 ^ 63 }, uint16 = { 65535 }, uint32 = { 4294967295 },
                   uint64 = { 2 ^ 53, 2 ^ 63, 2 ^ 64 - 2048 } }

--- A random Lua value for an element of this dtype.
function operands.value(g, dtype)
  if dtype == "bool" then return g.chance(50) end
  if dtype:find "^complex" then
    return cp.complex(floating[g.number(10)], floating[g.number(10)])
  end
  if dtype:find "float" then return g.one_of(floating) end
  if extremes[dtype] and g.chance(15) then return g.one_of(extremes[dtype]) end
  return g.one_of(dtype:find "^u" and unsigned or signed)
end

-- ---- arrays

-- An array of random elements; large ones repeat a few.
function operands.plain(g, dtype, shape)
  local size, few = layouts.product(shape), {}
  if size == 0 then return cp.zeros(shape, dtype) end
  for k = 1, math.min(size, 24) do few[k] = operands.value(g, dtype) end
  local x = cp.array(few, dtype)
  if size > #few then x = cp.tile(x, math.ceil(size / #few))[{ { 1, size } }]:copy() end
  return x:reshape(shape)
end

-- Each function returns an array that owns memory, and a function that makes the view with x's elements of
-- it.
local arrange = {}

local function itself(base) return base end

function arrange.contiguous(x) return x:copy(), itself end

function arrange.fortran(x) return x:copy "F", itself end

-- A pending value.
function arrange.pending(x) return x:maximum(x), itself end

function arrange.stepped(x)
  local n = x.shape[x.ndim]
  local base, index = cp.full(layouts.with_last(x.shape, 2 * n), 1, x.dtype), layouts.on_last(x.shape, { 1, 2 * n, 2 })
  base[index] = x
  return base, function(b) return b[index] end
end

function arrange.reversed(x)
  local index = layouts.on_last(x.shape, { x.shape[x.ndim], 1, -1 })
  return x[index]:copy(), function(b) return b[index] end
end

function arrange.shifted(x)
  local base, shape = cp.full({ x.size + 2 }, 1, x.dtype), x.shape
  local function take(b) return b[{ { 2, b.size - 1 } }]:reshape(shape) end
  take(base):assign(x)
  return base, take
end

operands.layouts = { "contiguous", "stepped", "reversed", "fortran", "shifted", "pending" }

--- Puts the elements of x into a layout. Returns the array, the owner of its memory, and the function that
--- makes the array of the owner.
function operands.arrange(x, layout)
  if x.size == 0 then layout = "contiguous" end
  if x.ndim == 0 and (layout == "stepped" or layout == "reversed") then layout = "shifted" end
  local base, take = arrange[layout](x)
  return take(base), base, take
end

-- A shape that broadcasts into `shape`.
local function narrowed(g, shape)
  local t, from = {}, g.chance(30) and g.number(#shape + 1) or 1
  for k = from, #shape do t[#t + 1] = g.chance(25) and 1 or shape[k] end
  return t
end

local function shape_text(shape) return "(" .. table.concat(shape, ",") .. ")" end

--- An array operand. whole: it has the full shape and can be written.
function operands.array(g, dtype, shape, whole)
  local own = shape
  if not whole and g.chance(30) then own = g.chance(30) and {} or narrowed(g, shape) end
  local plain = operands.plain(g, dtype, own)
  local layout = g.one_of(operands.layouts)
  local o = { plain = plain, dtype = dtype, text = ("%s%s %s"):format(dtype, shape_text(own), layout) }
  o.given, o.base, o.take = operands.arrange(plain, layout)
  if not whole and own ~= shape and g.chance(30) then -- the same as a view with strides of 0
    o.given, o.text, o.repeated = cp.broadcast_to(o.given, shape), o.text .. " broadcast", true
  end
  return o
end

-- ---- single values

local whole, other = { 0, 1, 2, 3, -1, -2, 100, 300, -0.0 }, { 0.5, -0.5, 2.5, -2.5, nan, inf, 1e20 }

--- A typed scalar (cp.scalar).
function operands.typed(g, dtype)
  local v = operands.value(g, dtype)
  return { given = cp.scalar(v, dtype), plain = cp.full({}, v, dtype), dtype = dtype, scalar = true,
           text = ("scalar(%s, %s)"):format(tostring(v), dtype) }
end

--- A plain value of a kind.
function operands.bare(g, kind)
  local v
  if kind == "b" then
    v = g.chance(50)
  elseif kind == "c" then
    v = cp.complex(floating[g.number(10)], floating[g.number(10)])
  else
    v = g.one_of(kind == "i" and whole or other)
    if kind == "i" and ffi and g.chance(30) and 1 / v ~= -inf then
      v = v >= 0 and g.chance(50) and ffi.new("uint64_t", v) or ffi.new("int64_t", v)
    end
    if v == 1e20 then kind = "i" end -- whole, and beyond every integer
  end
  return { given = v, kind = kind, text = ("%s(%s)"):format(kind, tostring(v)) }
end

--- A table of whole numbers for the last axis of a shape. Like a number it takes the dtype of the arrays
--- (beside; nil: no arrays).
function operands.list(g, shape, beside)
  local t, n = {}, math.max(shape[#shape] or 1, 1)
  for k = 1, n do t[k] = g.one_of(unsigned) % 100 end
  local dtype = beside == "bool" and "int64" or beside or cp.get_default_dtype()
  local text = ("{%s}"):format(table.concat(t, ",", 1, math.min(n, 6)))
  return { given = t, dtype = dtype, plain = cp.array(t, dtype), text = text }
end

--- The operands of a call, for messages.
function operands.text(list)
  local t = {}
  for k, o in ipairs(list) do t[k] = o.text end
  return table.concat(t, ", ")
end

return operands
