-- cp.scipy.ndimage: filters of images and of arrays with any number of axes. This file has the linear
-- filters, direct sums by core.convolve; rank filters are in ranks.lua. Where a filter handles one axis after
-- the other, the intermediate arrays have the result's dtype, as in SciPy.

return function(cp, core)
  local ndimage = {}
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  cp.scipy.ndimage = ndimage

  local arguments = require "cupola.scipy.ndimage.arguments"(cp, core)
  local usage, raise_shape, number = arguments.usage, arguments.raise_shape, core.number
  local mode_of, take, for_axes, sizes_of = arguments.mode_of, arguments.take, arguments.for_axes, arguments.sizes_of
  local axes_of, spread, spread_shape = arguments.axes_of, arguments.spread, arguments.spread_shape
  local is_inexact, result_dtype = core.is_inexact, arguments.result_dtype
  local stored, finished = arguments.stored, arguments.finished

  -- ---- linear filters

  local function is_wide(x) return x.dtype == "int64" or x.dtype == "uint64" end

  -- The dtype in which sums of products are computed for a result of dtype `target`.
  local function sum_dtype(x, weights, target)
    local dtype = cp.promote_types(x, weights)
    if not is_inexact(dtype) then return is_inexact(target) and is_wide(x) and "float64" or "int64" end
    if is_inexact(x.dtype) and core.kind(weights) ~= "c" then dtype = x.dtype end
    return cp.promote_types(dtype, is_inexact(target) and target or "float64")
  end

  -- Sums like `convolved` of a complex x with a complex constant beyond its ends: the sums of x minus the
  -- constant, which is 0 there, plus those of the constant alone.
  local function with_complex(where, x, weights, constant, convolved)
    local re, im = number(constant.re, where, "cval"), number(constant.im, where, "cval")
    local value, total = cp.scalar(cp.complex(re, im), x.dtype), cp.sum(weights)
    return convolved(x - value) + value * total
  end

  -- weights: an array with as many axes as x. convolving: the weights are reversed, else conjugated. Sums are
  -- in the dtype of sum_dtype.
  local function sums(where, x, weights, target, o, convolving)
    local shape, start = {}, {}
    local origins = for_axes(where, o.origin == nil and 0 or o.origin, "origin", x.ndim)
    for d = 1, x.ndim do
      local n, origin = core.extent(weights, d), core.integer(origins[d], where, "origin")
      local half = math.floor(n / 2)
      shape[d] = core.extent(x, d)
      start[d] = convolving and -(half - origin) + (n % 2 == 0 and 1 or 0) or -(half + origin)
      if n > 0 and (-start[d] < 0 or -start[d] >= n) then
        usage(where, string.format("origin %d is out of range for %d weights", origin, n))
      end
    end
    local border = mode_of(where, o.mode)[1]
    local dtype = sum_dtype(x, weights, target)
    if x.size == 0 then return x end
    if weights.size == 0 then raise_shape(where, "weights must not be empty") end
    local is_complex = border == "fill" and core.kind(dtype) == "c" and type(o.cval) == "userdata"
    local fill = border == "fill" and (is_complex and 0 or number(o.cval, where, "cval", 0)) or nil
    if fill and not is_inexact(dtype) and fill % 1 ~= 0 then dtype = "float64" end
    weights = weights:astype(dtype, false)
    local function convolved(y)
      return core.convolve(where, y, weights, shape, start, border, fill, convolving, not convolving, o.sparing)
    end
    x = x:astype(dtype, false)
    if not is_complex then return convolved(x) end
    return with_complex(where, x, convolving and weights or cp.conj(weights), o.cval, convolved)
  end

  local function filtered(where, x, weights, target, o, convolving)
    return stored(sums(where, x, weights, target, o, convolving), target)
  end

  local function define_linear(name, convolving)
    publish(name, "input, weights, output, mode, cval, origin, axes", 2,
      function(where, input, weights, output, mode, cval, origin, axes)
        local x = take(where, input)
        weights = core.beside(where, x, weights, "weights")
        local list = axes_of(where, axes, x.ndim)
        if weights.ndim ~= #list or x.ndim == 0 then
          raise_shape(where, string.format("weights have shape %s for %s", tostring(weights.shape),
            axes == nil and "an array of shape " .. tostring(x.shape) or #list .. " axes"))
        end
        if axes ~= nil then
          weights = spread_shape(where, weights, "weights", list, x.ndim)
          origin = spread(where, origin == nil and 0 or origin, "origin", list, x.ndim, 0)
        end
        local o = { mode = mode, cval = cval, origin = origin, sparing = true } -- not so along one axis
        local target = result_dtype(where, x, output, weights)
        return finished(where, filtered(where, x, weights, target, o, convolving), x, output)
      end)
  end

  define_linear("correlate", false)
  define_linear("convolve", true)

  -- Applies a vector of weights along one axis by `how`, sums or filtered.
  local function along_axis(how, where, x, weights, target, axis, o, convolving)
    local shape, origins = {}, {}
    for d = 1, x.ndim do shape[d], origins[d] = d == axis and weights.size or 1, d == axis and (o.origin or 0) or 0 end
    local options = { mode = o.mode, cval = o.cval, origin = origins }
    return how(where, x, weights:reshape(shape), target, options, convolving)
  end

  -- The weights in a list: integers if all are whole, so that sums of integers are exact.
  local function weights_of(x, list)
    local weights, whole = cp.array(list, { device = x.device }), true
    for _, w in ipairs(list) do whole = whole and type(w) == "number" and w % 1 == 0 end
    return whole and weights:astype "int64" or weights
  end

  local function along(where, x, list, target, axis, o, convolving)
    return along_axis(filtered, where, x, weights_of(x, list), target, axis, o, convolving)
  end

  local function axis_of(where, x, axis)
    if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
    return core.axis(axis, where, "axis", x.ndim, x.ndim)
  end

  local function define_along(name, convolving)
    publish(name, "input, weights, axis, output, mode, cval, origin", 2,
      function(where, input, weights, axis, output, mode, cval, origin)
        local x = take(where, input)
        local list = core.as_array(weights, where, "weights")
        if list.ndim ~= 1 then raise_shape(where, "weights must be a vector, not of shape " .. list.shape) end
        local o = { mode = mode, cval = cval, origin = origin }
        local target = result_dtype(where, x, output, list)
        axis, list = axis_of(where, x, axis), weights_of(x, list:totable())
        return finished(where, along_axis(filtered, where, x, list, target, axis, o, convolving), x, output)
      end)
  end

  define_along("correlate1d", false)
  define_along("convolve1d", true)

  -- ---- Gaussian bells and their derivatives

  local LONGEST_BELL = 2 ^ 24 -- elements on each side

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

  -- Its values from `radius` down to -radius.
  local function bell(sigma, order, radius)
    local x, q = cp.cpu.arange(radius, -radius - 1, -1, "float64"), derivative(order, sigma * sigma)
    local values = cp.exp(x * x * (-0.5 / (sigma * sigma)))
    local p = q[#q]
    for k = #q - 1, 1, -1 do p = x * p + q[k] end
    return values * p / values:sum()
  end

  local function smoothed(where, x, sigma, target, axis, order, o)
    sigma, order = number(sigma, where, "sigma"), core.integer(order, where, "order", 0, 0, 1000)
    if sigma < 0 then usage(where, "sigma must not be negative") end
    local radius = o.radius ~= nil and core.integer(o.radius, where, "radius")
      or math.floor(number(o.truncate, where, "truncate", 4) * sigma + 0.5)
    if sigma == 0 then return stored(x, target) end
    if not (radius >= 0 and radius <= LONGEST_BELL) then
      usage(where, string.format("a window of %g elements to each side (sigma %g) is not possible", radius, sigma))
    end
    return along_axis(filtered, where, x, bell(sigma, order, radius):to(x.device), target, axis, o, false)
  end

  --- Smooths an array with a Gaussian along an axis, or applies a derivative of the Gaussian.
  ---@param input any
  ---@param sigma number  the standard deviation of the Gaussian
  ---@param axis? integer  default: the last
  ---@param order? integer  of the derivative; default 0: the Gaussian itself
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param truncate? number  where to truncate the Gaussian, in standard deviations; default 4
  ---@param radius? integer  the same in elements
  ---@return any
  publish("gaussian_filter1d",
    "input, sigma, axis, order, output, mode, cval, truncate, radius", 2,
    function(where, input, sigma, axis, order, output, mode, cval, truncate, radius)
      local x = take(where, input)
      local o = { mode = mode, cval = cval, truncate = truncate, radius = radius }
      local target = result_dtype(where, x, output)
      return finished(where, smoothed(where, x, sigma, target, axis_of(where, x, axis), order, o), x, output)
    end)

  local function smoothed_along_all(where, x, sigma, target, order, o, axes)
    local list = axes_of(where, axes, x.ndim)
    local sigmas, orders = for_axes(where, sigma, "sigma", #list), for_axes(where, order or 0, "order", #list)
    local modes, radii = for_axes(where, o.mode, "mode", #list), for_axes(where, o.radius, "radius", #list)
    for k, d in ipairs(list) do
      x = smoothed(where, x, sigmas[k], target, d, orders[k],
        { mode = modes[k], cval = o.cval, truncate = o.truncate, radius = radii[k] })
    end
    return x
  end

  --- Smooths an array with a Gaussian along all axes, or applies derivatives of the Gaussian.
  ---@param input any
  ---@param sigma any  the standard deviation of the Gaussian, one for all axes or one for each
  ---@param order? integer|table  of the derivatives; default 0: the Gaussian itself
  ---@param output? any
  ---@param mode? string|table
  ---@param cval? number
  ---@param truncate? number  where to truncate the Gaussian, in standard deviations; default 4
  ---@param radius? integer  the same in elements
  ---@param axes? any  default: all
  ---@return any
  publish("gaussian_filter",
    "input, sigma, order, output, mode, cval, truncate, radius, axes", 2,
    function(where, input, sigma, order, output, mode, cval, truncate, radius, axes)
      local x = take(where, input)
      local o = { mode = mode, cval = cval, truncate = truncate, radius = radius }
      return finished(where, smoothed_along_all(where, x, sigma, result_dtype(where, x, output), order, o, axes), x,
        output)
    end)

  -- ---- differences

  -- correlate1d with `first` along the axis, then with `second` along all others.
  local function define_edges(name, second)
    publish(name, "input, axis, output, mode, cval", 1, function(where, input, axis, output, mode, cval)
      local x = take(where, input)
      axis = axis_of(where, x, axis)
      local modes, target = for_axes(where, mode, "mode", x.ndim), result_dtype(where, x, output)
      local y = along(where, x, { -1, 0, 1 }, target, axis, { mode = modes[axis], cval = cval }, false)
      for d = 1, x.ndim do
        if d ~= axis then y = along(where, y, second, target, d, { mode = modes[d], cval = cval }, false) end
      end
      return finished(where, y, x, output)
    end)
  end

  define_edges("sobel", { 1, 2, 1 })
  define_edges("prewitt", { 1, 1, 1 })

  --- The Laplacian: the sum of second differences along all axes.
  ---@param input any
  ---@param output? any
  ---@param mode? string|table
  ---@param cval? number
  ---@param axes? any  default: all
  ---@return any
  publish("laplace", "input, output, mode, cval, axes", 1, function(where, input, output, mode, cval, axes)
    local x, sum = take(where, input), nil
    if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
    local target, list = result_dtype(where, x, output), axes_of(where, axes, x.ndim)
    local modes = for_axes(where, mode, "mode", #list)
    for k, d in ipairs(list) do
      local part = along(where, x, { 1, -2, 1 }, target, d, { mode = modes[k], cval = cval }, false)
      sum = sum and sum + part or part
    end
    return finished(where, sum or stored(x, target), x, output)
  end)

  -- ---- means

  -- Integers are summed before the division, which is exact; 64-bit integers, whose sums may overflow, as
  -- float64.
  local function averaged(where, x, size, target, axis, o)
    local ones = cp.ones({ size }, { dtype = is_wide(x) and "float64" or "int64", device = x.device })
    return stored(along_axis(sums, where, x, ones, target, axis, o, false) / size, target)
  end

  --- The means of `size` elements along an axis.
  ---@param input any
  ---@param size integer
  ---@param axis? integer  default: the last
  ---@param output? any
  ---@param mode? string|table
  ---@param cval? number
  ---@param origin? integer
  ---@return any
  publish("uniform_filter1d",
    "input, size, axis, output, mode, cval, origin", 2, function(where, input, size, axis, output, mode, cval, origin)
      local x = take(where, input)
      local o = { mode = mode, cval = cval, origin = origin }
      local target = result_dtype(where, x, output)
      size, axis = sizes_of(where, size, 1)[1], axis_of(where, x, axis)
      return finished(where, averaged(where, x, size, target, axis, o), x, output)
    end)

  --- The means of boxes.
  ---@param input any
  ---@param size? any  one for all axes or one for each; default 3
  ---@param output? any
  ---@param mode? string|table
  ---@param cval? number
  ---@param origin? any
  ---@param axes? any  default: all
  ---@return any
  publish("uniform_filter", "input, size, output, mode, cval, origin, axes", 1,
    function(where, input, size, output, mode, cval, origin, axes)
      local x = take(where, input)
      local list = axes_of(where, axes, x.ndim)
      local origins, modes = for_axes(where, origin or 0, "origin", #list), for_axes(where, mode, "mode", #list)
      local y, target = x, result_dtype(where, x, output)
      for k, n in ipairs(sizes_of(where, size, #list)) do
        if n > 1 then
          y = averaged(where, y, n, target, list[k], { mode = modes[k], cval = cval, origin = origins[k] })
        end
      end
      return finished(where, stored(y, target), x, output)
    end)

  local windows = require "cupola.scipy.ndimage.windows"(cp, core, arguments)
  for _, part in ipairs { "ranks", "morphology", "grey", "labels", "measurements", "distances", "generic" } do
    require("cupola.scipy.ndimage." .. part)(cp, core, arguments, windows)
  end
  require "cupola.scipy.ndimage.interpolation"(cp, core, arguments)
  require "cupola.scipy.ndimage.fourier"(cp, core, arguments)
end
