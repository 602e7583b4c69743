-- Bits: counting them, packing elements into bytes and unpacking them. Bytes are processed eight at a time,
-- as 64-bit integers with the lowest byte first in memory.

return function(cp, core)
  local method = core.method

  local slice = core.slice

  -- An integer from its bytes, the lowest first.
  local function word(bytes) return core.word(bytes, "int64") end
  local function each_byte(byte, dtype) return core.word(string.rep(string.char(byte), 8), dtype or "int64") end

  -- ---- counting bits

  -- Integers made of one repeated byte, by dtype and byte.
  local REPEATED = { uint32 = {}, uint64 = {} }
  for _, byte in ipairs { 0x01, 0x0f, 0x33, 0x55 } do
    REPEATED.uint32[byte], REPEATED.uint64[byte] = cp.scalar(byte * 0x01010101, "uint32"), each_byte(byte, "uint64")
  end

  -- Counts the bits set in 32-bit or 64-bit integers: adds up pairs, fours and bytes, then all bytes by a
  -- multiplication.
  local function count_bits(v)
    local dtype, all = v.dtype, REPEATED[v.dtype]
    local function right(x, n) return x:right_shift(cp.scalar(n, dtype)) end
    v = v - right(v, 1):bitwise_and(all[0x55])
    v = v:bitwise_and(all[0x33]) + right(v, 2):bitwise_and(all[0x33])
    v = (v + right(v, 4)):bitwise_and(all[0x0f])
    return right(v * all[0x01], 8 * v.itemsize - 8)
  end

  --- Counts the bits that are set in the absolute value of each element.
  ---@param x any  bool or an integer dtype
  ---@return any  uint8
  method("bitwise_count", "x", 1, function(where, x)
    x = core.as_array(x, where, "x")
    local kind = core.kind(x)
    if kind == "b" then return x:astype("uint8") end
    if kind ~= "i" and kind ~= "u" then
      core.raise(where, "dtype", "x must be of dtype bool or an integer dtype, not " .. x.dtype)
    end
    if kind == "i" then x = cp.abs(x):astype("u" .. x.dtype) end -- the lowest value is its own absolute value
    return count_bits(x:astype(x.itemsize == 8 and "uint64" or "uint32", false)):astype("uint8")
  end)

  -- ---- packing

  -- Whether the first element becomes the highest bit of a byte.
  local function is_big(where, bitorder)
    if bitorder == nil or bitorder == "big" then return true end
    if bitorder ~= "little" then
      core.not_among(where, "bitorder", '"big" or "little"', bitorder)
    end
    return false
  end

  -- The array with its axis last, and the axis. Without an axis, and for 0-d arrays, the flat array.
  local function axis_last(where, a, axis)
    if axis == nil or a.ndim == 0 then return a:reshape(-1), 1 end
    axis = core.axis(axis, where, "axis", a.ndim)
    return cp.moveaxis(a, axis, -1), axis
  end

  local function axis_back(x, axis)
    return axis == x.ndim and x or cp.moveaxis(x, -1, axis):copy()
  end

  -- Zeros of x's shape, except for the length of the last axis.
  local function bytes_like(x, length)
    local shape = {}
    for d, n in ipairs(x.shape) do shape[d] = d == x.ndim and length or n end
    return cp.zeros(shape, { dtype = "uint8", device = x.device })
  end

  -- Groups of eight bytes as integers.
  local function words_of(bytes) return core.view(bytes, "int64") or bytes:copy():view "int64" end

  -- Factors that gather the lowest bits of eight bytes in the highest byte.
  local GATHER = { [true] = word "\1\2\4\8\16\32\64\128", [false] = word "\128\64\32\16\8\4\2\1" }
  local pack, unpack = core.operation("packbits", "pack_bits"), core.operation("unpackbits", "unpack_bits")

  --- Packs eight elements into each byte, with a bit set for each nonzero element; the last byte is padded
  --- with zeros.
  ---@param a any  bool or an integer dtype
  ---@param axis? integer  default: of the flat array
  ---@param bitorder? string  "big" (default): the first element is the highest bit; or "little"
  ---@return any  uint8
  method("packbits", "a, axis, bitorder", 1, function(where, a, axis, bitorder)
    local big = bitorder == nil or is_big(where, bitorder)
    local packed = axis == nil and core.pack_bits(where, a, not big)
    if packed then return packed end
    a = core.as_array(a, where, "a")
    local kind = core.kind(a)
    if kind ~= "b" and kind ~= "i" and kind ~= "u" then
      core.raise(where, "dtype", "a must be of dtype bool or an integer dtype, not " .. a.dtype)
    end
    a, axis = axis_last(where, a, axis)
    local n, bytes = core.extent(a, -1), a
    if a.itemsize > 1 or n % 8 > 0 then
      bytes = bytes_like(a, math.ceil(n / 8) * 8)
      core.write(where, slice(bytes, bytes.ndim, 1, n), a:ne(0))
    end
    return axis_back(pack(words_of(bytes), GATHER[big]), axis)
  end)

  local PLACES = { [true] = GATHER[false], [false] = GATHER[true] }

  --- Unpacks bytes into bits, each 0 or 1.
  ---@param a any  uint8
  ---@param axis? integer  default: of the flat array
  ---@param count? integer  how many bits: missing ones are 0; negative: how many to drop from the end
  ---@param bitorder? string  "big" (default): the highest bit comes first; or "little"
  ---@return any  uint8
  method("unpackbits", "a, axis, count, bitorder", 1, function(where, a, axis, count, bitorder)
    a = core.as_array(a, where, "a")
    local big = is_big(where, bitorder)
    if a.dtype ~= "uint8" then core.raise(where, "dtype", "a must be of dtype uint8, not " .. a.dtype) end
    a, axis = axis_last(where, a, axis)
    local bits = 8 * core.extent(a, -1)
    count = core.integer(count, where, "count", bits)
    if count < -bits then
      core.raise(where, "usage", string.format("count must not be less than -%d, but is %d", bits, count))
    end
    if count < 0 then count = bits + count end
    local all = unpack(a:astype("int64"), PLACES[big]):copy():view "uint8"
    if count < bits then
      all = slice(all, all.ndim, 1, count)
    elseif count > bits then
      local longer = bytes_like(a, count)
      core.write(where, slice(longer, longer.ndim, 1, bits), all)
      all = longer
    end
    return axis_back(all, axis)
  end)
end
