-- cp.fft: discrete Fourier transforms by the device's library (src/lua/routines/fft.c), which neither scales
-- nor pads: this file handles lengths, norms and dtypes. Half types are computed in float32, integers in
-- float64.

return function(cp, core)
  local fft = {}
  local publish = core.publisher(fft, "fft.")
  cp.fft = fft

  -- ---- dtypes and lengths

  local REAL = { float16 = "float32", bfloat16 = "float32", float32 = "float32", float64 = "float64" }

  local function as_real(where, x)
    if core.kind(x.dtype) == "c" then
      core.raise(where, "dtype", "takes real values, not " .. x.dtype .. "; cp.fft.fft takes complex ones")
    end
    return x:astype(REAL[x.dtype] or "float64", false)
  end

  local function as_complex(x)
    if core.kind(x.dtype) == "c" then return x end
    return x:astype(core.complexed(REAL[x.dtype] or "float64"), false)
  end

  -- x cropped or zero-padded to n elements along an axis. The second result says whether it is new memory.
  local function fitted(where, x, axis, n)
    local have = core.extent(x, axis)
    if have == n then return x, false end
    if have > n then return core.slice(x, axis, 1, n), false end
    local shape = {}
    for d = 1, x.ndim do shape[d] = d == axis and n or core.extent(x, d) end
    local wide = cp.empty(shape, { dtype = x.dtype, device = x.device })
    core.write(where, core.slice(wide, axis, have + 1, n), 0)
    if have > 0 then core.write(where, core.slice(wide, axis, 1, have), x) end
    return wide, true
  end

  local function check_length(where, n)
    if n < 1 then core.raise(where, "shape", string.format("the length of a transform must be 1 or more, but is %d",
      n)) end
    return n
  end

  local function scale_of(where, norm, inverse, points)
    if norm == "ortho" then return 1 / math.sqrt(points) end
    if norm ~= nil and norm ~= "backward" and norm ~= "forward" then
      core.not_among(where, "norm", '"backward", "ortho" or "forward"', norm)
    end
    return (norm == "forward") ~= inverse and 1 / points or 1
  end

  local function scaled(x, scale) return scale == 1 and x or x * scale end

  -- ---- one call of the library, over up to three axes

  local function empty_result(x, kind, axis, n)
    local shape = {}
    for d = 1, x.ndim do shape[d] = core.extent(x, d) end
    shape[axis] = kind == "r2c" and math.floor(n / 2) + 1 or n
    local dtype = kind == "r2c" and core.complexed(x.dtype) or kind == "c2r" and core.real_dtype(x.dtype) or x.dtype
    return cp.empty(shape, { dtype = dtype, device = x.device })
  end

  -- Whether the stride along an axis is large. Over such an axis alone, FFTW is several times slower than a
  -- copy followed by transforms of rows; together with other axes, only if the stride maps to the same cache
  -- sets.
  local MANY, LONG, SETS = 2 ^ 16, 128, 2048

  local function is_far(x, axis, alone)
    local step = math.abs(x.strides[axis])
    return x.size >= MANY and core.extent(x, axis) >= LONG and step >= SETS and (alone or step % SETS == 0)
  end

  -- axes: sorted by the caller so that the real side is along the last one, whose length there is n.
  local function transform(where, x, kind, inverse, axes, n, mine)
    if x.size == 0 then return empty_result(x, kind, axes[#axes], n) end
    local strided = core.fft_strided(x)
    if strided and not (#axes == 1 and is_far(x, axes[1], true)) then
      return core.fft(where, x, kind, inverse, axes, n, mine)
    end
    local from, last, in_place = {}, {}, true
    for k, axis in ipairs(axes) do
      from[k], last[k] = axis, x.ndim - #axes + k
      in_place = in_place and from[k] == last[k]
    end
    if in_place then return core.fft(where, x, kind, inverse, last, n, mine) end
    -- A copy with these axes last is cheaper than a transform with large strides.
    local moved = core.fft(where, cp.moveaxis(x, from, last):copy(), kind, inverse, last, n, true)
    return cp.moveaxis(moved, last, from)
  end

  local MOST_AXES = 3

  -- The index of the first axis of the group that one call transforms together with axes[last].
  local function group_start(x, axes, last)
    local first = math.max(1, last - MOST_AXES + 1)
    for k = first, last do
      if core.fft_strided(x) and is_far(x, axes[k], first == last) then return last end
    end
    return first
  end

  local function part_of(axes, first, last)
    local list = {}
    for k = first, last do list[#list + 1] = axes[k] end
    return list
  end

  -- Complex transforms over axes[1] to axes[last], starting from the last group.
  local function complex_groups(where, x, inverse, axes, last)
    while last >= 1 do
      local first = group_start(x, axes, last)
      local group = part_of(axes, first, last)
      x = transform(where, x, "c2c", inverse, group, x.shape[axes[last]], false)
      last = first - 1
    end
    return x
  end

  -- ---- the transforms over any axes

  local function points_of(lengths)
    local n = 1
    for _, length in ipairs(lengths) do n = n * length end
    return n
  end

  local function complex_transform(where, a, lengths, axes, norm, inverse)
    local x = as_complex(a)
    for k, axis in ipairs(axes) do x = fitted(where, x, axis, lengths[k]) end
    return scaled(complex_groups(where, x, inverse, axes, #axes), scale_of(where, norm, inverse, points_of(lengths)))
  end

  local function real_transform(where, a, lengths, axes, norm)
    local x = as_real(where, a)
    for k, axis in ipairs(axes) do x = fitted(where, x, axis, lengths[k]) end
    local first = group_start(x, axes, #axes)
    x = transform(where, x, "r2c", false, part_of(axes, first, #axes), lengths[#lengths], false)
    return scaled(complex_groups(where, x, false, axes, first - 1), scale_of(where, norm, false, points_of(lengths)))
  end

  local function inverse_real_transform(where, a, lengths, axes, norm)
    local x, mine = as_complex(a), false
    for k, axis in ipairs(axes) do
      local n = lengths[k]
      local wide, new = fitted(where, x, axis, k == #axes and math.floor(n / 2) + 1 or n)
      x, mine = wide, mine or new
    end
    local first = group_start(x, axes, #axes)
    if first > 1 then
      x, mine = complex_groups(where, x, true, axes, first - 1), true
    end
    x = transform(where, x, "c2r", true, part_of(axes, first, #axes), lengths[#lengths], mine)
    return scaled(x, scale_of(where, norm, true, points_of(lengths)))
  end

  -- ---- arguments

  local function take(where, a)
    a = core.as_array(a, where, "a")
    if a.ndim == 0 then core.raise(where, "shape", "a must have axes, not be 0-d") end
    return a
  end

  -- The axis and length of a transform over one axis; natural(m) is the length when none is given.
  local function one_axis(where, a, n, axis, natural)
    axis = core.axis(axis, where, "axis", a.ndim, -1)
    if axis < 0 then axis = axis + a.ndim + 1 end
    local m = core.extent(a, axis)
    return { check_length(where, core.integer(n, where, "n", natural and natural(m) or m)) }, { axis }
  end

  -- The axes that the argument names; nil: the last `count`, or all.
  local function axis_list(where, a, axes, count)
    if axes ~= nil or count == nil then return (core.axis_list(axes, where, "axes", a.ndim)) end
    local list = {}
    for k = 1, count do list[k] = a.ndim - count + k end
    return list
  end

  -- The lengths and axes of a transform over several axes; natural(m) is the last length when none is given.
  local function some_axes(where, a, s, axes, natural)
    if s ~= nil and type(s) ~= "table" then s = { s } end
    if s and axes == nil and #s > a.ndim then
      core.raise(where, "shape", string.format("s has %s for an array with %s", core.counted(#s, "length"),
        core.counted(a.ndim, "axis", "axes")))
    end
    axes = axis_list(where, a, axes, s and #s)
    if #axes == 0 then core.raise(where, "usage", "axes must name at least one axis") end
    if s and #s ~= #axes then
      core.raise(where, "shape", string.format("s has %s for %s", core.counted(#s, "length"),
        core.counted(#axes, "axis", "axes")))
    end
    local lengths = {}
    for k, axis in ipairs(axes) do
      local m = core.extent(a, axis)
      local missing = natural and k == #axes and natural(m) or m
      local n = core.integer(s and s[k] or nil, where, "s", missing)
      lengths[k] = check_length(where, n == -1 and missing or n)
    end
    return lengths, axes
  end

  local function doubled(m) return 2 * (m - 1) end

  local function two_axes(where, a, axes)
    if a.ndim < 2 then core.raise(where, "shape", "a must have at least 2 axes, not shape " .. a.shape) end
    return axes == nil and { -2, -1 } or axes
  end

  local function identity(x) return x end

  local function finish(where, out, value)
    if out == nil then return value end
    return core.write_out(where, out, value, false, true)
  end

  -- Defines three functions: over one axis, over a list of axes, and over the last two.
  local function define_family(name, f, natural, inverse)
    publish(name, "a, n, axis, norm, out", 1, function(where, a, n, axis, norm, out)
      a = take(where, a)
      local lengths, axes = one_axis(where, a, n, axis, natural)
      return finish(where, out, f(where, a, lengths, axes, norm, inverse))
    end)
    publish(name .. "2", "a, s, axes, norm, out", 1, function(where, a, s, axes, norm, out)
      a = take(where, a)
      local lengths, list = some_axes(where, a, s, two_axes(where, a, axes), natural)
      return finish(where, out, f(where, a, lengths, list, norm, inverse))
    end)
    publish(name .. "n", "a, s, axes, norm, out", 1, function(where, a, s, axes, norm, out)
      a = take(where, a)
      local lengths, list = some_axes(where, a, s, axes, natural)
      return finish(where, out, f(where, a, lengths, list, norm, inverse))
    end)
  end

  define_family("fft", complex_transform, nil, false)
  define_family("ifft", complex_transform, nil, true)
  define_family("rfft", real_transform, nil, false)
  define_family("irfft", inverse_real_transform, doubled, true)

  local SWAPPED = { forward = "backward", ortho = "ortho" }

  -- The norm with which a forward transform scales like an inverse one, and vice versa.
  local function swapped(where, norm)
    scale_of(where, norm, false, 1)
    return SWAPPED[norm] or "forward"
  end

  --- The Fourier transform of a Hermitian-symmetric signal, which has a real spectrum.
  ---@param a any  the half of the signal from time 0 on
  ---@param n? integer  length of the spectrum; default 2 (m - 1)
  ---@param axis? integer  default -1
  ---@param norm? string  "backward" (default), "ortho" or "forward"
  ---@param out? any  array of the result's shape
  ---@return any
  publish("hfft", "a, n, axis, norm, out", 1, function(where, a, n, axis, norm, out)
    a = take(where, a)
    local lengths, axes = one_axis(where, a, n, axis, doubled)
    return finish(where, out, inverse_real_transform(where, cp.conj(a), lengths, axes, swapped(where, norm)))
  end)

  --- The inverse of hfft.
  ---@param a any  a real spectrum
  ---@param n? integer
  ---@param axis? integer  default -1
  ---@param norm? string  "backward" (default), "ortho" or "forward"
  ---@param out? any  array of the result's shape
  ---@return any
  publish("ihfft", "a, n, axis, norm, out", 1, function(where, a, n, axis, norm, out)
    a = take(where, a)
    local lengths, axes = one_axis(where, a, n, axis)
    return finish(where, out, cp.conj(real_transform(where, a, lengths, axes, swapped(where, norm))))
  end)

  -- ---- frequencies and shifts

  local function frequencies(where, half, n, d, device, dtype)
    dtype = dtype ~= nil and core.dtype(dtype, where) or "float64"
    if core.kind(dtype) ~= "f" then core.raise(where, "dtype", "dtype must be floating, not " .. dtype) end
    n = core.integer(n, where, "n")
    if n < 1 then core.raise(where, "shape", string.format("n must be 1 or more, but is %d", n)) end
    if d == nil then d = 1 end
    if type(d) ~= "number" then core.raise(where, "usage", "d must be a number") end
    local k = cp.arange(half and math.floor(n / 2) + 1 or n, { dtype = "float64", device = device })
    if not half then k = cp.where(k:lt(math.ceil(n / 2)), k, k - n) end
    return (k * (1 / (n * d))):astype(dtype, false)
  end

  --- The frequencies of a transform of n points at distance d: 0 first, the negative ones last.
  ---@param n integer
  ---@param d? number  default 1
  ---@param device? any
  ---@param dtype? string  floating; default float64
  ---@return any
  publish("fftfreq", "n, d, device, dtype", 1, function(where, ...)
    return frequencies(where, false, ...)
  end)

  --- The frequencies of rfft, from 0 to the highest.
  ---@param n integer  the number of points of the signal
  ---@param d? number  default 1
  ---@param device? any
  ---@param dtype? string  floating; default float64
  ---@return any
  publish("rfftfreq", "n, d, device, dtype", 1, function(where, ...)
    return frequencies(where, true, ...)
  end)

  local function shifted(where, x, axes, direction)
    x = core.as_array(x, where, "x")
    if x.ndim == 0 then return identity(x) end
    local list, places = axis_list(where, x, axes), {}
    for k, axis in ipairs(list) do places[k] = direction * math.floor(core.extent(x, axis) / 2) end
    return #list == 0 and x:copy() or cp.roll(x, places, list)
  end

  --- Moves the zero frequency to the middle.
  ---@param x any
  ---@param axes? any  default: all
  ---@return any
  publish("fftshift", "x, axes", 1, function(where, x, axes)
    return shifted(where, x, axes, 1)
  end)

  --- The inverse of fftshift.
  ---@param x any
  ---@param axes? any  default: all
  ---@return any
  publish("ifftshift", "x, axes", 1, function(where, x, axes)
    return shifted(where, x, axes, -1)
  end)

  --- Configures the cache of transform plans on the current device, and returns how many plans it holds.
  ---@param limit? integer  the largest number of plans to keep (default on the CPU: 64 of each precision, on
  --- a GPU: 16 of each stream)
  ---@param clear? boolean  drops the cached plans
  ---@return integer  how many plans the cache holds
  publish("plan_cache", "limit, clear", 0, function(where, limit, clear)
    limit = core.integer(limit, where, "limit", -1)
    return core.fft_plans(limit, core.boolean(clear, where, "clear", false) and 0 or nil)
  end)
end
