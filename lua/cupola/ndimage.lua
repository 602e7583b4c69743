-- cp.scipy.ndimage: filters of pictures and of arrays with any number of axes. Linear ones are the direct sums of
-- core.convolve; ranks are taken of neighbourhoods. Results have the array's dtype, or that of output, as SciPy's:
-- what is not whole is cut off where that is an integer.

return function(cp, core)
  local ndimage = {}
  cp.scipy.ndimage = ndimage
  local slice = core.slice

  local function usage(where, fact) return core.raise(where, "usage", fact) end

  local function raise_shape(where, fact) return core.raise(where, "shape", fact) end

  -- ---- arguments

  -- mode -> the border of core.convolve, and the mode of cp.pad
  local MODES = { reflect = { "symm", "symmetric" }, ["grid-mirror"] = { "symm", "symmetric" },
    constant = { "fill", "constant" }, ["grid-constant"] = { "fill", "constant" }, nearest = { "edge", "edge" },
    mirror = { "mirror", "reflect" }, wrap = { "wrap", "wrap" }, ["grid-wrap"] = { "wrap", "wrap" } }

  local function mode_of(where, mode)
    local found = MODES[mode == nil and "reflect" or mode]
    return found or usage(where, "mode must be reflect, constant, nearest, mirror or wrap, not " .. tostring(mode))
  end

  local function take(where, input) return core.as_array(input, where, "input") end

  -- One value for each axis, from a table of them or one for all.
  local function for_axes(where, value, argument, ndim)
    local list = {}
    if type(value) == "table" and #value ~= ndim then
      raise_shape(where, string.format("%s has %d entries for %d axes", argument, #value, ndim))
    end
    for d = 1, ndim do
      if type(value) == "table" then list[d] = value[d] else list[d] = value end
    end
    return list
  end

  local function number(where, v, argument, missing)
    if v == nil then v = missing end
    if type(v) ~= "number" then usage(where, argument .. " must be a number, not " .. type(v)) end
    return v
  end

  local function is_inexact(dtype)
    local kind = core.kind(dtype)
    return kind == "f" or kind == "c"
  end

  -- What was computed, in the dtype of the input or of `output`: a dtype, or an array that it is written into.
  local function finished(where, result, input, output)
    local dtype = output == nil and input.dtype or cp.is_array(output) and output.dtype or core.dtype(output, where)
    if result.dtype ~= dtype then
      if is_inexact(result.dtype) and not is_inexact(dtype) then result = cp.trunc(result) end
      result = result:astype(dtype)
    end
    if cp.is_array(output) then return core.write_out(where, output, result) end
    return result
  end

  -- ---- linear filters

  -- The dtype that sums of products are computed in.
  local function sum_dtype(x, weights)
    local dtype = cp.promote_types(x, weights)
    if is_inexact(dtype) then
      return is_inexact(x.dtype) and core.kind(weights) ~= "c" and x.dtype or dtype
    end
    return "int64"
  end

  -- weights: an array with as many axes as x. convolving: read from its end.
  local function filtered(where, x, weights, o, convolving)
    local shape, start = {}, {}
    local origins = for_axes(where, o.origin == nil and 0 or o.origin, "origin", x.ndim)
    for d = 1, x.ndim do
      local n, origin = weights.shape[d], core.integer(origins[d], where, "origin")
      local half = math.floor(n / 2)
      shape[d] = x.shape[d]
      start[d] = convolving and -(half - origin) + (n % 2 == 0 and 1 or 0) or -(half + origin)
      if n > 0 and (-start[d] < 0 or -start[d] >= n) then
        usage(where, string.format("origin %d is too far for %d weights", origin, n))
      end
    end
    local border = mode_of(where, o.mode)[1]
    local dtype = sum_dtype(x, weights)
    if x.size == 0 then return x:copy() end
    if weights.size == 0 then raise_shape(where, "weights must not be empty") end
    local fill = border == "fill" and number(where, o.cval, "cval", 0) or nil
    if fill and not is_inexact(dtype) and fill % 1 ~= 0 then dtype = "float64" end
    return core.convolve(where, x:astype(dtype, false), weights:astype(dtype, false), shape, start, border, fill,
      convolving, false)
  end

  local function define_linear(name, convolving)
    local where = "scipy.ndimage." .. name
    ndimage[name] = core.define(where, "input, weights, output, mode, cval, origin", 2,
      function(input, weights, output, mode, cval, origin)
        local x = take(where, input)
        weights = core.beside(where, x, weights, "weights")
        if weights.ndim ~= x.ndim or x.ndim == 0 then
          raise_shape(where, string.format("weights have shape %s for an array of shape %s", tostring(weights.shape),
            tostring(x.shape)))
        end
        local o = { mode = mode, cval = cval, origin = origin }
        return finished(where, filtered(where, x, weights, o, convolving), x, output)
      end)
  end

  define_linear("correlate", false)
  define_linear("convolve", true)

  -- Weights, a vector, along one axis.
  local function filtered_along(where, x, weights, axis, o, convolving)
    local shape, origins = {}, {}
    for d = 1, x.ndim do shape[d], origins[d] = d == axis and weights.size or 1, d == axis and (o.origin or 0) or 0 end
    return filtered(where, x, weights:reshape(shape), { mode = o.mode, cval = o.cval, origin = origins }, convolving)
  end

  -- The same for a list of numbers.
  local function along(where, x, list, axis, o, convolving)
    local weights = cp.array(list, { device = x.device })
    local whole = true
    for _, w in ipairs(list) do whole = whole and type(w) == "number" and w % 1 == 0 end
    if whole then weights = weights:astype "int64" end
    return filtered_along(where, x, weights, axis, o, convolving)
  end

  local function axis_of(where, x, axis)
    if x.ndim == 0 then raise_shape(where, "input must have an axis at least") end
    return core.axis(axis, where, "axis", x.ndim, x.ndim)
  end

  local function define_along(name, convolving)
    local where = "scipy.ndimage." .. name
    ndimage[name] = core.define(where, "input, weights, axis, output, mode, cval, origin", 2,
      function(input, weights, axis, output, mode, cval, origin)
        local x = take(where, input)
        local list = core.as_array(weights, where, "weights")
        if list.ndim ~= 1 then raise_shape(where, "weights must be a vector, not of shape " .. list.shape) end
        local o = { mode = mode, cval = cval, origin = origin }
        return finished(where, along(where, x, list:totable(), axis_of(where, x, axis), o, convolving), x, output)
      end)
  end

  define_along("correlate1d", false)
  define_along("convolve1d", true)

  -- ---- Gaussian bells and their derivatives

  local LONGEST_BELL = 2 ^ 24 -- elements to each side, which are counted out in Lua

  -- Coefficients of q in the order-th derivative q(x) exp(-x^2 / 2 s^2).
  local function derivative(order, s2)
    local q = { 1 }
    for _ = 1, order do
      local next_q = {}
      for k = 1, #q + 1 do next_q[k] = (q[k + 1] or 0) * k - (q[k - 1] or 0) / s2 end
      q = next_q
    end
    return q
  end

  local function bell(sigma, order, radius)
    local list, sum, q = {}, 0, derivative(order, sigma * sigma)
    for x = -radius, radius do
      list[x + radius + 1] = math.exp(-0.5 * x * x / (sigma * sigma))
      sum = sum + list[x + radius + 1]
    end
    for x = -radius, radius do
      local p = 0
      for k = #q, 1, -1 do p = p * x + q[k] end
      list[x + radius + 1] = list[x + radius + 1] / sum * p
    end
    local turned = {}
    for k = 1, #list do turned[k] = list[#list + 1 - k] end
    return turned
  end

  local function smoothed(where, x, sigma, axis, order, o)
    sigma, order = number(where, sigma, "sigma"), core.integer(order, where, "order", 0)
    if sigma < 0 then usage(where, "sigma must not be negative") end
    if order < 0 then usage(where, "order must not be negative") end
    local radius = o.radius ~= nil and core.integer(o.radius, where, "radius")
      or math.floor(number(where, o.truncate, "truncate", 4) * sigma + 0.5)
    if sigma == 0 then return x end
    if not (radius >= 0 and radius <= LONGEST_BELL) then
      usage(where, string.format("a bell of %g elements to each side (sigma %g) is not possible", radius, sigma))
    end
    return along(where, x, bell(sigma, order, radius), axis, o, false)
  end

  --- An array smoothed by a Gaussian bell along an axis, or a derivative of that.
  ---@param input any
  ---@param sigma number  the bell's standard deviation
  ---@param axis? integer  default: the last
  ---@param order? integer  of the derivative; default 0
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param truncate? number  where the bell is cut off, in standard deviations; default 4
  ---@param radius? integer  the same in elements
  ---@return any
  ndimage.gaussian_filter1d = core.define("scipy.ndimage.gaussian_filter1d",
    "input, sigma, axis, order, output, mode, cval, truncate, radius", 2,
    function(input, sigma, axis, order, output, mode, cval, truncate, radius)
      local where = "scipy.ndimage.gaussian_filter1d"
      local x = take(where, input)
      local o = { mode = mode, cval = cval, truncate = truncate, radius = radius }
      return finished(where, smoothed(where, x, sigma, axis_of(where, x, axis), order, o), x, output)
    end)

  -- Each axis in turn, the results between in the dtype of the last one.
  local function smoothed_along_all(where, x, sigma, order, o, output)
    local sigmas, orders = for_axes(where, sigma, "sigma", x.ndim), for_axes(where, order or 0, "order", x.ndim)
    local dtype = cp.is_array(output) and output.dtype or output
    local y = x
    for d = 1, x.ndim do
      y = finished(where, smoothed(where, y, sigmas[d], d, orders[d], o), x, dtype)
    end
    return y
  end

  --- An array smoothed by a Gaussian bell along all axes, or derivatives of that.
  ---@param input any
  ---@param sigma any  the bell's standard deviation, one or one for each axis
  ---@param order? any  of the derivatives; default 0
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param truncate? number  where the bell is cut off, in standard deviations; default 4
  ---@param radius? integer  the same in elements
  ---@return any
  ndimage.gaussian_filter = core.define("scipy.ndimage.gaussian_filter",
    "input, sigma, order, output, mode, cval, truncate, radius", 2,
    function(input, sigma, order, output, mode, cval, truncate, radius)
      local where = "scipy.ndimage.gaussian_filter"
      local x = take(where, input)
      local o = { mode = mode, cval = cval, truncate = truncate, radius = radius }
      return finished(where, smoothed_along_all(where, x, sigma, order, o, output), x, output)
    end)

  -- ---- differences

  -- correlate1d with `first` along the axis, then with `second` along all others.
  local function define_edges(name, second)
    local where = "scipy.ndimage." .. name
    ndimage[name] = core.define(where, "input, axis, output, mode, cval", 1, function(input, axis, output, mode, cval)
      local x = take(where, input)
      axis = axis_of(where, x, axis)
      local o = { mode = mode, cval = cval }
      local y = finished(where, along(where, x, { -1, 0, 1 }, axis, o, false), x)
      for d = 1, x.ndim do
        if d ~= axis then y = finished(where, along(where, y, second, d, o, false), x) end
      end
      return finished(where, y, x, output)
    end)
  end

  define_edges("sobel", { 1, 2, 1 })
  define_edges("prewitt", { 1, 1, 1 })

  --- The sum of second differences along all axes.
  ---@param input any
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@return any
  ndimage.laplace = core.define("scipy.ndimage.laplace", "input, output, mode, cval", 1,
    function(input, output, mode, cval)
      local where = "scipy.ndimage.laplace"
      local x, sum = take(where, input), nil
      if x.ndim == 0 then raise_shape(where, "input must have an axis at least") end
      for d = 1, x.ndim do
        local part = finished(where, along(where, x, { 1, -2, 1 }, d, { mode = mode, cval = cval }, false), x)
        sum = sum and sum + part or part
      end
      return finished(where, sum, x, output)
    end)

  -- ---- means

  local function sizes_of(where, size, ndim)
    local list = for_axes(where, size == nil and 3 or size, "size", ndim)
    for d, n in ipairs(list) do
      list[d] = core.integer(n, where, "size")
      if list[d] < 1 then usage(where, string.format("size must be 1 or more, but is %d", list[d])) end
    end
    return list
  end

  -- Whole numbers are added up before they are divided, which is exact.
  local function averaged(where, x, size, axis, o)
    local ones = cp.ones({ size }, { dtype = "int64", device = x.device })
    return filtered_along(where, x, ones, axis, o, false) / size
  end

  --- Means of `size` elements along an axis.
  ---@param input any
  ---@param size integer
  ---@param axis? integer  default: the last
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? integer
  ---@return any
  ndimage.uniform_filter1d = core.define("scipy.ndimage.uniform_filter1d",
    "input, size, axis, output, mode, cval, origin", 2, function(input, size, axis, output, mode, cval, origin)
      local where = "scipy.ndimage.uniform_filter1d"
      local x = take(where, input)
      local o = { mode = mode, cval = cval, origin = origin }
      return finished(where, averaged(where, x, sizes_of(where, size, 1)[1], axis_of(where, x, axis), o), x, output)
    end)

  --- Means of boxes.
  ---@param input any
  ---@param size? any  one or one for each axis; default 3
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? any
  ---@return any
  ndimage.uniform_filter = core.define("scipy.ndimage.uniform_filter", "input, size, output, mode, cval, origin", 1,
    function(input, size, output, mode, cval, origin)
      local where = "scipy.ndimage.uniform_filter"
      local x = take(where, input)
      local origins = for_axes(where, origin or 0, "origin", x.ndim)
      local y, dtype = x, cp.is_array(output) and output.dtype or output
      for d, n in ipairs(sizes_of(where, size, x.ndim)) do
        if n > 1 then
          y = finished(where, averaged(where, y, n, d, { mode = mode, cval = cval, origin = origins[d] }), x, dtype)
        end
      end
      return finished(where, y, x, output)
    end)

  -- ---- ranks

  -- x with borders for windows of these sizes, and how many elements they have.
  local function bordered(where, x, sizes, o)
    local widths, pad = {}, mode_of(where, o.mode)[2]
    local origins = for_axes(where, o.origin == nil and 0 or o.origin, "origin", x.ndim)
    for d, n in ipairs(sizes) do
      local before = math.floor(n / 2) + core.integer(origins[d], where, "origin")
      if before < 0 or before >= n then usage(where, string.format("origin %d is too far for size %d", origins[d],
        n)) end
      widths[d] = { before, n - 1 - before }
    end
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    local constant = pad == "constant" and number(where, o.cval, "cval", 0) or nil
    return cp.pad(x, widths, { mode = pad, constant_values = constant })
  end

  -- The elements around each one, of the footprint where there is one, along a last axis.
  local function neighbours(where, x, sizes, footprint, o)
    local wide, all, count, shape = bordered(where, x, sizes, o), {}, 1, {}
    for d, n in ipairs(sizes) do all[d], count, shape[d] = d, count * n, x.shape[d] end
    shape[#shape + 1] = count
    local around = cp.sliding_window_view(wide, sizes, all):reshape(shape)
    if not footprint then return around, count end
    local chosen = cp.flatnonzero(footprint)
    if chosen.size == 0 then usage(where, "footprint must have a true element") end
    return cp.take(around, chosen, -1), chosen.size
  end

  local function shape_of(where, x, size, footprint)
    if x.ndim == 0 then raise_shape(where, "input must have an axis at least") end
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

  -- rank(count): from 0, of so many elements.
  local function ranked(where, x, size, footprint, o, rank)
    local sizes
    sizes, footprint = shape_of(where, x, size, footprint)
    if x.size == 0 then return x:copy() end
    local around, count = neighbours(where, x, sizes, footprint, o)
    local k = rank(count)
    if k < 0 or k >= count then usage(where, string.format("rank must be from %d to %d", -count, count - 1)) end
    return slice(cp.partition(around, k + 1, -1), around.ndim, k + 1, k + 1):reshape(x.shape):copy()
  end

  --- The median of each element's neighbourhood; of an even number the upper one of the two in the middle.
  ---@param input any
  ---@param size? any  one or one for each axis
  ---@param footprint? any  instead of size: which elements around count
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? any
  ---@return any
  ndimage.median_filter = core.define("scipy.ndimage.median_filter",
    "input, size, footprint, output, mode, cval, origin", 1,
    function(input, size, footprint, output, mode, cval, origin)
      local where = "scipy.ndimage.median_filter"
      local x = take(where, input)
      local o = { mode = mode, cval = cval, origin = origin }
      local y = ranked(where, x, size, footprint, o, function(count) return math.floor(count / 2) end)
      return finished(where, y, x, output)
    end)

  --- The element of a rank in each sorted neighbourhood.
  ---@param input any
  ---@param rank integer  from 0: the smallest; negative ones from the largest
  ---@param size? any
  ---@param footprint? any
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? any
  ---@return any
  ndimage.rank_filter = core.define("scipy.ndimage.rank_filter",
    "input, rank, size, footprint, output, mode, cval, origin", 2,
    function(input, rank, size, footprint, output, mode, cval, origin)
      local where = "scipy.ndimage.rank_filter"
      local x = take(where, input)
      rank = core.integer(rank, where, "rank")
      local o = { mode = mode, cval = cval, origin = origin }
      local y = ranked(where, x, size, footprint, o, function(count) return rank < 0 and count + rank or rank end)
      return finished(where, y, x, output)
    end)

  -- The greatest or least element of each neighbourhood: along one axis after the other without a footprint.
  local function extreme(where, x, size, footprint, o, reduction)
    local sizes
    sizes, footprint = shape_of(where, x, size, footprint)
    if x.size == 0 then return x:copy() end
    if footprint then
      local around = neighbours(where, x, sizes, footprint, o)
      return cp[reduction](around, -1)
    end
    local wide = bordered(where, x, sizes, o)
    for d, n in ipairs(sizes) do
      if n > 1 then wide = cp[reduction](cp.sliding_window_view(wide, n, d), -1) end
    end
    return wide
  end

  local function define_extreme(name, reduction)
    local where = "scipy.ndimage." .. name
    ndimage[name] = core.define(where, "input, size, footprint, output, mode, cval, origin", 1,
      function(input, size, footprint, output, mode, cval, origin)
        local x = take(where, input)
        local o = { mode = mode, cval = cval, origin = origin }
        return finished(where, extreme(where, x, size, footprint, o, reduction), x, output)
      end)
  end

  define_extreme("maximum_filter", "max")
  define_extreme("minimum_filter", "min")
end
