-- The rank filters of cp.scipy.ndimage: medians, percentiles, smallest and largest elements of windows.

return function(cp, core, arguments, windows)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, number = arguments.usage, core.number
  local take, axes_of, spread, raise_shape = arguments.take, arguments.axes_of, arguments.spread, arguments.raise_shape
  local result_dtype, stored, finished = arguments.result_dtype, arguments.stored, arguments.finished

  -- rank(count): the rank, from 0, among that many elements.
  local function ranked(where, x, o, rank)
    local axes, target = axes_of(where, o.axes, x.ndim), result_dtype(where, x, o.output)
    local window = windows.of(where, x.ndim, o.size, o.footprint, o.origin, axes)
    local count = windows.count(window)
    local k = rank(count)
    if k < 0 or k >= count then usage(where, string.format("rank must be from %d to %d", -count, count - 1)) end
    local y = windows.ranked(where, x, window, k, count, o.mode, o.cval)
    return finished(where, stored(y, target), x, o.output)
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
  ---@param axes? any  along which the window extends; default: all
  ---@return any
  publish("median_filter", "input, size, footprint, output, mode, cval, origin, axes", 1,
    function(where, input, size, footprint, output, mode, cval, origin, axes)
      return ranked(where, take(where, input), { size = size, footprint = footprint, output = output, mode = mode,
        cval = cval, origin = origin, axes = axes }, function(count) return math.floor(count / 2) end)
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
  ---@param axes? any  along which the window extends; default: all
  ---@return any
  publish("rank_filter", "input, rank, size, footprint, output, mode, cval, origin, axes", 2,
    function(where, input, rank, size, footprint, output, mode, cval, origin, axes)
      local x = take(where, input)
      rank = core.integer(rank, where, "rank")
      return ranked(where, x, { size = size, footprint = footprint, output = output, mode = mode, cval = cval,
        origin = origin, axes = axes }, function(count) return rank < 0 and count + rank or rank end)
    end)

  --- A percentile of each element's neighbourhood, as one of its elements.
  ---@param input any
  ---@param percentile number  0 to 100; negative: from the largest
  ---@param size? any
  ---@param footprint? any
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? any
  ---@param axes? any  along which the window extends; default: all
  ---@return any
  publish("percentile_filter", "input, percentile, size, footprint, output, mode, cval, origin, axes", 2,
    function(where, input, percentile, size, footprint, output, mode, cval, origin, axes)
      local x = take(where, input)
      percentile = number(percentile, where, "percentile")
      if percentile < 0 then percentile = percentile + 100 end
      if not (percentile >= 0 and percentile <= 100) then usage(where, "percentile must be from -100 to 100") end
      return ranked(where, x, { size = size, footprint = footprint, output = output, mode = mode, cval = cval,
        origin = origin, axes = axes }, function(count)
          return percentile == 100 and count - 1 or math.floor(count * percentile / 100)
        end)
    end)

  -- The least or greatest elements. Where the result has another dtype, boxes are done along one axis after
  -- the other, with each intermediate result stored as that dtype, as in SciPy.
  local function extreme(where, x, window, which, target, mode, cval)
    if target == x.dtype or window.footprint then
      return stored(windows.extreme(where, x, window, which, mode, cval), target)
    end
    for d, n in ipairs(window.sizes) do
      local sizes, origins = {}, {}
      for k = 1, x.ndim do sizes[k], origins[k] = k == d and n or 1, k == d and window.origins[d] or 0 end
      local m = mode
      if type(mode) == "table" then m = mode[d] end
      x = stored(windows.extreme(where, x, { sizes = sizes, origins = origins }, which, m, cval), target)
    end
    return x
  end

  local function define_extreme(name, which)
    publish(name, "input, size, footprint, output, mode, cval, origin, axes", 1,
      function(where, input, size, footprint, output, mode, cval, origin, axes)
        local x = take(where, input)
        local target, list = result_dtype(where, x, output), axes_of(where, axes, x.ndim)
        local window = windows.of(where, x.ndim, size, footprint, origin, list)
        if type(mode) == "table" then
          if window.footprint then usage(where, "a footprint needs the same mode for all axes") end
          mode = spread(where, mode, "mode", list, x.ndim, "reflect")
        end
        if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
        return finished(where, extreme(where, x, window, which, target, mode, cval), x, output)
      end)
    publish(name .. "1d", "input, size, axis, output, mode, cval, origin", 2,
      function(where, input, size, axis, output, mode, cval, origin)
        local x = take(where, input)
        if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
        local target = result_dtype(where, x, output)
        local window = windows.of(where, x.ndim, size, nil, origin, { core.axis(axis, where, "axis", x.ndim, x.ndim) })
        if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
        return finished(where, stored(windows.extreme(where, x, window, which, mode, cval), target), x, output)
      end)
  end

  define_extreme("maximum_filter", "greatest")
  define_extreme("minimum_filter", "least")
end
