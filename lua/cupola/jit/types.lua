-- The types of kernels written in Lua: dtypes, and the weak types of numbers that no array or conversion has
-- given a dtype: "int" (int64 where it stands alone), "float" (float64) and "complex" (complex128).

local dtypes = require "cupola.kernels.types"

local types = {}

local ALONE = { int = "int64", float = "float64", complex = "complex128" }

--- Whether the type is weak.
function types.is_weak(t) return ALONE[t] ~= nil end

--- The dtype of a type where it stands alone.
function types.alone(t) return ALONE[t] or t end

--- "boolean", "integer", "real" or "complex".
function types.kind(t) return dtypes[ALONE[t] or t].kind end

function types.is_integer(t) return types.kind(t) == "integer" end
function types.is_signed(t) return dtypes[ALONE[t] or t].signed == true end
function types.width(t) return dtypes[ALONE[t] or t].size * 8 end
function types.is_half(t) return dtypes[ALONE[t] or t].half ~= nil end

local RANK = { int = 1, float = 2, complex = 3 }

local function weak_with(weak, strong)
  local kind = types.kind(strong)
  if weak == "int" or kind == "complex" then return strong end
  if weak == "float" then return kind == "real" and strong or "float64" end
  return (strong == "float32" or dtypes[strong].half) and "complex64" or "complex128"
end

local promoted = {}

-- NumPy's promotion of two dtypes; `promote` is cp.result_type.
local function promote(a, b)
  local key = a < b and a .. b or b .. a
  promoted[key] = promoted[key] or types.promote(a, b)
  return promoted[key]
end

--- The type that holds values of both types; nil if they do not join (bool joins only bool).
function types.join(a, b)
  if a == b then return a end
  if a == "bool" or b == "bool" then return nil end
  if ALONE[a] and ALONE[b] then return RANK[a] > RANK[b] and a or b end
  if ALONE[a] then return weak_with(a, b) end
  if ALONE[b] then return weak_with(b, a) end
  return promote(a, b)
end

local ORDER = { boolean = 0, integer = 2, real = 3, complex = 4 }

local function order(t)
  local kind = types.kind(t)
  return kind == "integer" and not types.is_signed(t) and 1 or ORDER[kind]
end

--- Whether a value of type `from` may be stored into an array of dtype `to`: NumPy's same_kind rule, where
--- bool is stored only as bool.
function types.stores(from, to)
  if from == "bool" or to == "bool" then return from == to end
  if from == "int" then return true end
  return order(from) <= order(to)
end

--- What messages call a type.
function types.name(t)
  if t == "int" then return "an integer" end
  if t == "float" then return "a float" end
  if t == "complex" then return "a complex number" end
  return t
end

--- A number as a literal: an integer if it is whole and small.
function types.text_of(v)
  if v ~= v then return "nan" end
  if v == math.huge or v == -math.huge then return v < 0 and "-1e999" or "1e999" end
  return string.format(v % 1 == 0 and math.abs(v) < 2 ^ 63 and "%d" or "%.17g", v)
end

--- The number of bits that hold the magnitude of a literal integer, with a fraction if it is small; 64 if it
--- is not known.
function types.bits(text)
  local v = tonumber(text)
  if not v then return 64 end
  local bits, limit = 0, 1
  v = math.abs(v)
  if v < 2 ^ 20 then return v == 0 and 0 or math.log(v + 1) / math.log(2) + 1e-9 end
  while v >= limit and bits < 64 do bits, limit = bits + 1, limit * 2 end
  return bits
end

--- The bits of what arrays of less than 2^28 elements, their lengths, and small numbers need: sums of a few
--- of them are ints of C, too. Positions of threads along an axis of the grid may need one more; numbers of
--- blocks need fewer, so that a block's first position stays an int.
types.SMALL, types.THREADS, types.BLOCKS = 28, 29, 24

local function length(v, axis)
  return type(v) == "table" and tonumber(v[axis]) or axis == 1 and tonumber(v) or 1
end

--- Whether a launch has so few threads and blocks along each axis that their positions need no more bits.
function types.has_few_threads(grid, block)
  for axis = 1, 3 do
    local blocks = length(grid, axis)
    if blocks >= 2 ^ types.BLOCKS or blocks * length(block, axis) >= 2 ^ types.THREADS then return false end
  end
  return true
end

--- The bits of a sum or difference. They are no whole number: the bound is 2^bits, and the last term lets
--- rounding only raise it.
function types.sum_bits(x, y)
  if x >= 64 or y >= 64 then return 64 end
  return math.min(64, math.log(2 ^ x + 2 ^ y) / math.log(2) + 1e-9)
end

--- Whether a weak integer fits an int of C.
function types.is_narrow(t, bits) return t == "int" and (bits or 64) <= 31 end

--- The bits of an integer as a weak one.
function types.bits_as_int(value)
  if value.t == "int" then return value.bits or 64 end
  local width = types.width(value.t)
  return types.is_signed(value.t) and types.sum_bits(width - 1, 0) or width -- the lowest is -2^(width - 1)
end

--- The number that a node is a literal of, or nil.
function types.literal(node)
  if node.op == "cast" then return types.literal(node.a) end
  if node.op == "negate" and node.a.op == "num" then return -tonumber(node.a.text) end
  return node.op == "num" and tonumber(node.text) or nil
end

return types
