-- Elements of arrays as bytes: decoding, ordering by units in the last place, and printing, for every dtype.
-- In pure Lua without string.unpack, so that both interpreters compare the same bits.

local numbers = {}

numbers.itemsize = {
  bool = 1, int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8,
  float16 = 2, bfloat16 = 2, float32 = 4, float64 = 8, complex64 = 8, complex128 = 16,
}
numbers.part = { complex64 = "float32", complex128 = "float64" }

-- The number of bits of the exponent and of the fraction, by format.
local layout = { float16 = { 5, 10 }, bfloat16 = { 8, 7 }, float32 = { 8, 23 }, float64 = { 11, 52 } }

-- Units of 2^(1 - precision) by dtype, for tolerances.
numbers.epsilon = { float16 = 2 ^ -10, bfloat16 = 2 ^ -7, float32 = 2 ^ -23, float64 = 2 ^ -52 }

-- The low 32 bits and the rest, of an unsigned little-endian integer of up to 8 bytes.
local function halves(s)
  local low, high = 0, 0
  for k = math.min(#s, 4), 1, -1 do low = low * 256 + s:byte(k) end
  for k = #s, 5, -1 do high = high * 256 + s:byte(k) end
  return low, high
end

local function unsigned(s)
  local low, high = halves(s)
  return high * 2 ^ 32 + low
end

-- The sign (1 or -1), and the bits of the magnitude in two parts.
local function magnitude(s)
  local low, high = halves(s)
  local top = 2 ^ (#s * 8 - 1)
  if #s == 8 then
    if high >= 2 ^ 31 then return -1, low, high - 2 ^ 31 end
  elseif low >= top then
    return -1, low - top, 0
  end
  return 1, low, high
end

-- The number that bytes s hold in a floating format.
local function float(s, dtype)
  local f = layout[dtype]
  local sign, low, high = magnitude(s)
  local fraction, exponent
  if dtype == "float64" then
    exponent = math.floor(high / 2 ^ 20)
    fraction = (high - exponent * 2 ^ 20) * 2 ^ 32 + low
  else
    exponent = math.floor(low / 2 ^ f[2])
    fraction = low - exponent * 2 ^ f[2]
  end
  local bias = 2 ^ (f[1] - 1) - 1
  if exponent == 2 ^ f[1] - 1 then return fraction == 0 and sign * math.huge or 0 / 0 end
  if exponent == 0 then return sign * (fraction * 2 ^ -f[2]) * 2 ^ (1 - bias) end
  return sign * (1 + fraction * 2 ^ -f[2]) * 2 ^ (exponent - bias)
end

-- The value at bytes s: a number (an integer above 2^53 loses digits), or two for complex dtypes.
function numbers.value(s, dtype)
  local part = numbers.part[dtype]
  if part then
    local n = #s / 2
    return float(s:sub(1, n), part), float(s:sub(n + 1), part)
  end
  if layout[dtype] then return float(s, dtype) end
  local v = unsigned(s)
  if dtype:find("^int") and v >= 2 ^ (#s * 8 - 1) then v = v - 2 ^ (#s * 8) end
  return v
end

-- The distance of two floating numbers of one format in units in the last place; -0 and 0 count as one
-- number.
function numbers.distance(a, b)
  local sa, la, ha = magnitude(a)
  local sb, lb, hb = magnitude(b)
  return math.abs((sa * ha - sb * hb) * 2 ^ 32 + (sa * la - sb * lb))
end

local function text_of(v)
  if v ~= v then return "nan" end
  if v == 0 and 1 / v < 0 then return "-0" end
  return ("%.17g"):format(v)
end

local function hex(s)
  local digits = s:reverse():gsub(".", function(c) return ("%02x"):format(c:byte()) end)
  return "0x" .. digits
end

-- The value as text, with its bits if the decimal text does not determine them.
function numbers.text(s, dtype)
  local re, im = numbers.value(s, dtype)
  if im then return ("(%s, %s)"):format(text_of(re), text_of(im)) end
  if layout[dtype] or #s == 8 then return ("%s %s"):format(text_of(re), hex(s)) end
  return text_of(re)
end

return numbers
