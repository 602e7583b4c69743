-- The rank filters of cp.scipy.ndimage: medians, smallest and largest elements of neighbourhoods.

return function(cp, core, arguments)
  local ndimage, slice = cp.scipy.ndimage, core.slice
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, raise_shape, number = arguments.usage, arguments.raise_shape, core.number
  local mode_of, take, for_axes, sizes_of = arguments.mode_of, arguments.take, arguments.for_axes, arguments.sizes_of
  local result_dtype, stored, finished = arguments.result_dtype, arguments.stored, arguments.finished

  -- A number converted to a dtype: integers are truncated and wrap.
  local function as_element(dtype, value)
    local kind = core.kind(dtype)
    if kind == "f" or kind == "c" then return value end
    if value ~= value or math.abs(value) == math.huge then return 0 end
    value = value - math.fmod(value, 1)
    if kind == "b" then return value == 0 and 0 or 1 end
    local bits = cp.iinfo(dtype).bits
    value = value % 2 ^ bits
    return kind == "i" and value >= 2 ^ (bits - 1) and value - 2 ^ bits or value
  end

  -- x with borders for windows of these sizes. cval is converted to x's dtype, unless `exact`.
  local function bordered(where, x, sizes, o, exact)
    local widths, pad = {}, mode_of(where, o.mode)[2]
    local origins = for_axes(where, o.origin == nil and 0 or o.origin, "origin", x.ndim)
    for d, n in ipairs(sizes) do
      local before = math.floor(n / 2) + core.integer(origins[d], where, "origin")
      if before < 0 or before >= n then usage(where, string.format("origin %d is out of range for size %d", origins[d],
        n)) end
      widths[d] = { before, n - 1 - before }
    end
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    local constant = pad == "constant" and number(o.cval, where, "cval", 0) or nil
    if constant and as_element(x.dtype, constant) ~= constant then
      if exact then x = x:astype "float64" else constant = as_element(x.dtype, constant) end
    end
    return cp.pad(x, widths, { mode = pad, constant_values = constant })
  end

  -- The neighbourhood of each element, restricted to the footprint if given, along a last axis.
  local function neighbours(where, x, sizes, footprint, o, exact)
    local wide, all, count, shape = bordered(where, x, sizes, o, exact), {}, 1, {}
    for d, n in ipairs(sizes) do all[d], count, shape[d] = d, count * n, x.shape[d] end
    shape[#shape + 1] = count
    local around = cp.sliding_window_view(wide, sizes, all):reshape(shape)
    if not footprint then return around, count end
    local chosen = cp.flatnonzero(footprint)
    if chosen.size == 0 then usage(where, "footprint must have a true element") end
    return cp.take(around, chosen, -1), chosen.size
  end

  local function shape_of(where, x, size, footprint)
    if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
    if footprint == nil then
      if size == nil then usage(where, "size or footprint must be given") end
      return sizes_of(where, size, x.ndim), nil
    end
    footprint = core.beside(where, x, footprint, "footprint"):astype("bool", false)
    if footprint.ndim ~= x.ndim then
      raise_shape(where, string.format("footprint has shape %s for an array of shape %s", tostring(footprint.shape),
        tostring(x.shape)))
    end
    local sizes = {}
    for d, n in ipairs(footprint.shape) do sizes[d] = n end
    return sizes, footprint
  end

  -- rank(count): the rank, from 0, among that many elements.
  local function ranked(where, x, size, footprint, o, rank)
    local sizes
    sizes, footprint = shape_of(where, x, size, footprint)
    if x.size == 0 then return x:copy() end
    local around, count = neighbours(where, x, sizes, footprint, o)
    local k = rank(count)
    if k < 0 or k >= count then usage(where, string.format("rank must be from %d to %d", -count, count - 1)) end
    return slice(cp.partition(around, k + 1, -1), around.ndim, k + 1, k + 1):reshape(x.shape):copy()
  end

  --- The median of each element's neighbourhood; for an even number of elements, the upper one of the two in
  --- the middle.
  ---@param input any
  ---@param size? any  one for all axes or one for each
  ---@param footprint? any  instead of size: which neighbouring elements count
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? any
  ---@return any
  publish("median_filter",
    "input, size, footprint, output, mode, cval, origin", 1,
    function(where, input, size, footprint, output, mode, cval, origin)
      local x = take(where, input)
      local o = { mode = mode, cval = cval, origin = origin }
      local target = result_dtype(where, x, output)
      local y = ranked(where, x, size, footprint, o, function(count) return math.floor(count / 2) end)
      return finished(where, stored(y, target), x, output)
    end)

  --- The element of a given rank in each sorted neighbourhood.
  ---@param input any
  ---@param rank integer  from 0: the smallest; negative: from the largest
  ---@param size? any
  ---@param footprint? any
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? any
  ---@return any
  publish("rank_filter",
    "input, rank, size, footprint, output, mode, cval, origin", 2,
    function(where, input, rank, size, footprint, output, mode, cval, origin)
      local x = take(where, input)
      rank = core.integer(rank, where, "rank")
      local o = { mode = mode, cval = cval, origin = origin }
      local target = result_dtype(where, x, output)
      local y = ranked(where, x, size, footprint, o, function(count) return rank < 0 and count + rank or rank end)
      return finished(where, stored(y, target), x, output)
    end)

  -- One axis after the other, with the borders of all axes made at once.
  local function extreme_of_box(where, x, sizes, o, reduction)
    local wide = bordered(where, x, sizes, o, true)
    for d, n in ipairs(sizes) do
      if n > 1 then wide = cp[reduction](cp.sliding_window_view(wide, n, d), -1) end
    end
    return wide
  end

  -- The largest or smallest element of each neighbourhood. Without a footprint, along one axis after the
  -- other, with each intermediate result stored as `target`.
  local function extreme(where, x, size, footprint, target, o, reduction)
    local sizes
    sizes, footprint = shape_of(where, x, size, footprint)
    if x.size == 0 then return stored(x, target) end
    if footprint then
      local around = neighbours(where, x, sizes, footprint, o, true)
      return stored(cp[reduction](around, -1), target)
    end
    if target == x.dtype then return stored(extreme_of_box(where, x, sizes, o, reduction), target) end
    local origins = for_axes(where, o.origin == nil and 0 or o.origin, "origin", x.ndim)
    for d, n in ipairs(sizes) do
      local box, origin = {}, {}
      for k = 1, x.ndim do box[k], origin[k] = k == d and n or 1, k == d and origins[k] or 0 end
      local y = extreme_of_box(where, x, box, { mode = o.mode, cval = o.cval, origin = origin }, reduction)
      x = stored(y, target)
    end
    return x
  end

  local function define_extreme(name, reduction)
    publish(name, "input, size, footprint, output, mode, cval, origin", 1,
      function(where, input, size, footprint, output, mode, cval, origin)
        local x = take(where, input)
        local o, target = { mode = mode, cval = cval, origin = origin }, result_dtype(where, x, output)
        return finished(where, extreme(where, x, size, footprint, target, o, reduction), x, output)
      end)
  end

  define_extreme("maximum_filter", "max")
  define_extreme("minimum_filter", "min")
end
