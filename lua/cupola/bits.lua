-- Bits: how many are set, elements packed into bytes and taken out again.

return function(cp, core, methods)
  local function both(name, f)
    cp[name] = f
    methods[name] = f
    return f
  end

  local slice = core.slice

  -- ---- how many are set

  local function u32(v) return cp.scalar(v, "uint32") end

  -- The bits that are set in uint32 values: summed by twos, fours and eights, then those of all bytes by a product.
  local function count_32(v)
    v = v - v:right_shift(u32(1)):bitwise_and(u32(0x55555555))
    v = v:bitwise_and(u32(0x33333333)) + v:right_shift(u32(2)):bitwise_and(u32(0x33333333))
    v = (v + v:right_shift(u32(4))):bitwise_and(u32(0x0f0f0f0f))
    return (v * u32(0x01010101)):right_shift(u32(24))
  end

  --- How many bits are set in the absolute value of each element.
  ---@param x any  bool or an integer dtype
  ---@return any  uint8
  both("bitwise_count", core.define("bitwise_count", "x", 1, function(x)
    x = core.as_array(x, "bitwise_count", "x")
    local kind = core.kind(x)
    if kind == "b" then return x:astype("uint8") end
    if kind ~= "i" and kind ~= "u" then
      core.raise("bitwise_count", "dtype", "x must be of dtype bool or an integer dtype, not " .. x.dtype)
    end
    if kind == "i" then x = cp.abs(x):astype("u" .. x.dtype) end -- the lowest value is its own absolute value
    local count = count_32(x:astype("uint32", false))
    if x.itemsize == 8 then count = count + count_32(x:right_shift(cp.scalar(32, "uint64")):astype("uint32")) end
    return count:astype("uint8")
  end))

  -- ---- bytes of bits

  -- Whether the first element is a byte's highest bit.
  local function big(where, bitorder)
    if bitorder == nil or bitorder == "big" then return true end
    if bitorder ~= "little" then
      core.raise(where, "usage", "bitorder must be \"big\" or \"little\", not " .. tostring(bitorder))
    end
    return false
  end

  -- The array and its axis; without one the flat array, as 0-d arrays are too.
  local function flat_or_axis(where, a, axis)
    if axis == nil or a.ndim == 0 then return a:ravel(), 1 end
    return a, core.axis(axis, where, "axis", a.ndim)
  end

  local function with_length(x, axis, n)
    local shape = {}
    for d, length in ipairs(x.shape) do shape[d] = d == axis and n or length end
    return shape
  end

  -- The bytes of `count` elements each, for the positions first, first + 8, ... to last: one kernel.
  local function bytes_of(x, axis, first, last, count, from_high)
    local bytes
    for k = 0, count - 1 do
      local bit = slice(x, axis, first + k, last - (count - 1 - k), 8):ne(0):astype("uint8")
      local shift = from_high and 7 - k or k
      if shift > 0 then bit = bit:left_shift(cp.scalar(shift, "uint8")) end
      bytes = bytes and bytes:bitwise_or(bit) or bit
    end
    return bytes
  end

  --- Bytes of eight elements each, a bit set where one is not 0; a last byte that is not full gets zeros.
  ---@param a any  bool or an integer dtype
  ---@param axis? integer  default: of the flat array
  ---@param bitorder? string  "big" (default): the first element is the highest bit; or "little"
  ---@return any  uint8
  both("packbits", core.define("packbits", "a, axis, bitorder", 1, function(a, axis, bitorder)
    local where = "packbits"
    a = core.as_array(a, where, "a")
    local kind, from_high = core.kind(a), big(where, bitorder)
    if kind ~= "b" and kind ~= "i" and kind ~= "u" then
      core.raise(where, "dtype", "a must be of dtype bool or an integer dtype, not " .. a.dtype)
    end
    a, axis = flat_or_axis(where, a, axis)
    local n = a.shape[axis]
    local full, rest = math.floor(n / 8), n % 8
    local result = cp.empty(with_length(a, axis, full + (rest > 0 and 1 or 0)), { dtype = "uint8", device = a.device })
    if full > 0 then core.write(where, slice(result, axis, 1, full), bytes_of(a, axis, 1, 8 * full, 8, from_high)) end
    if rest > 0 then
      core.write(where, slice(result, axis, full + 1, full + 1), bytes_of(a, axis, 8 * full + 1, n, rest, from_high))
    end
    return result
  end))

  --- The bits of bytes, each as 0 or 1.
  ---@param a any  uint8
  ---@param axis? integer  default: of the flat array
  ---@param count? integer  so many bits: of more than there are the last ones are 0; negative: so many less at the end
  ---@param bitorder? string  "big" (default): the highest bit comes first; or "little"
  ---@return any  uint8
  both("unpackbits", core.define("unpackbits", "a, axis, count, bitorder", 1, function(a, axis, count, bitorder)
    local where = "unpackbits"
    a = core.as_array(a, where, "a")
    local from_high = big(where, bitorder)
    if a.dtype ~= "uint8" then core.raise(where, "dtype", "a must be of dtype uint8, not " .. a.dtype) end
    a, axis = flat_or_axis(where, a, axis)
    local bits, shifts = 8 * a.shape[axis], {}
    count = core.integer(count, where, "count", bits)
    if count < -bits then
      core.raise(where, "usage", ("count must not be less than -%d, but is %d"):format(bits, count))
    end
    if count < 0 then count = bits + count end
    for k = 1, axis do shifts[k] = 1 end
    for k = axis + 1, a.ndim + 1 do shifts[k] = k == axis + 1 and 8 or 1 end
    local places = cp.arange(8, { dtype = "uint8", device = a.device })
    if from_high then places = 7 - places end
    local wide = cp.expand_dims(a, axis + 1):right_shift(places:reshape(shifts)):bitwise_and(cp.scalar(1, "uint8"))
    local all = wide:reshape(with_length(a, axis, bits))
    if count <= bits then return count == bits and all or slice(all, axis, 1, count) end
    local result = cp.zeros(with_length(a, axis, count), { dtype = "uint8", device = a.device })
    core.write(where, slice(result, axis, 1, bits), all)
    return result
  end))
end
