-- Filters of cp.scipy.ndimage that are made of a script's function or of other filters. A function of windows
-- gets many of them at once: an array whose last axis is a window.

return function(cp, core, arguments, windows)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, raise_shape, number = arguments.usage, arguments.raise_shape, core.number
  local take, axes_of, mode_of, lengths = arguments.take, arguments.axes_of, arguments.mode_of, arguments.lengths
  local result_dtype, stored, finished = arguments.result_dtype, arguments.stored, arguments.finished
  local MOST = 2 ^ 25 -- elements of windows at a time

  -- x (float64) with borders for windows of these sizes.
  local function bordered(where, x, window, mode, cval)
    local widths, pad = {}, mode_of(where, mode)[2]
    for d, n in ipairs(window.sizes) do
      local before = math.floor(n / 2) + window.origins[d]
      widths[d] = { before, n - 1 - before }
    end
    local constant = pad == "constant" and number(cval, where, "cval", 0) or nil
    return cp.pad(x:astype("float64", false), widths, { mode = pad, constant_values = constant })
  end

  -- A function of an array with windows along the last axis, from one or from a kernel that reduces an axis.
  local function reducer(where, f)
    if type(f) == "function" then return core.callable(f, where, "function") end
    f = core.callable(f, where, "function")
    return function(w) return f(w, { axis = w.ndim }) end
  end

  -- f of what `lines` lines along the first axis need of `wide`, which has n - 1 lines more.
  local function in_pieces(where, wide, lines, n, each, shape, f)
    local step, parts, from = math.max(1, math.floor(MOST / math.max(1, each))), {}, 1
    while from <= lines do
      local to = math.min(lines, from + step - 1)
      local result = core.as_array(f(core.slice(wide, 1, from, to + n - 1)), where, "function's result")
      shape[1] = to - from + 1
      local same = result.ndim == #shape
      for d, m in ipairs(shape) do same = same and core.extent(result, d) == m end
      if not same then
        raise_shape(where, string.format("function must return one value for each window, not shape %s for %s",
          tostring(result.shape), "(" .. table.concat(shape, ", ") .. ")"))
      end
      parts[#parts + 1], from = result, to + 1
    end
    return #parts == 1 and parts[1] or cp.concatenate(parts, { axis = 1 })
  end

  local function real(where, x)
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
    return x
  end

  --- Applies a function to windows.
  ---@param input any
  ---@param func any  gets a float64 array whose last axis has a window's elements, and returns an array
  ---             without that axis; or a ReductionKernel
  ---@param size? any  one for all axes or one for each
  ---@param footprint? any  instead of size: which neighbouring elements count
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? any
  ---@param axes? any  along which the window extends; default: all
  ---@return any
  publish("generic_filter", "input, func, size, footprint, output, mode, cval, origin, axes", 2,
    function(where, input, func, size, footprint, output, mode, cval, origin, axes)
      local x = real(where, take(where, input))
      local target, f = result_dtype(where, x, output), reducer(where, func)
      local window = windows.of(where, x.ndim, size, footprint, origin, axes_of(where, axes, x.ndim))
      if x.size == 0 then return finished(where, stored(x, target), x, output) end
      local wide, all, count = bordered(where, x, window, mode, cval), {}, 1
      for d, n in ipairs(window.sizes) do all[d], count = d, count * n end
      local chosen = window.footprint and cp.flatnonzero(window.footprint):to(x.device)
      local rows = core.extent(x, 1)
      local result = in_pieces(where, wide, rows, window.sizes[1], count * x.size / rows, lengths(x),
        function(part)
          local shape = lengths(x)
          shape[1], shape[#shape + 1] = core.extent(part, 1) - window.sizes[1] + 1, count
          local w = cp.sliding_window_view(part, window.sizes, all):reshape(shape)
          return f(chosen and cp.take(w, chosen, -1) or w)
        end)
      return finished(where, stored(result, target), x, output)
    end)

  --- Applies a function to lines along an axis.
  ---@param input any
  ---@param func function  gets a float64 array whose last axis has the elements of a line, preceded and
  ---             followed by borders of filter_size - 1 elements in all, and returns an array of lines
  ---             without these
  ---@param filter_size integer
  ---@param axis? integer  default: the last
  ---@param output? any
  ---@param mode? string
  ---@param cval? number
  ---@param origin? integer
  ---@return any
  publish("generic_filter1d", "input, func, filter_size, axis, output, mode, cval, origin", 3,
    function(where, input, func, filter_size, axis, output, mode, cval, origin)
      local x = real(where, take(where, input))
      local target, f = result_dtype(where, x, output), core.callable(func, where, "func")
      axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
      local window = windows.of(where, x.ndim, filter_size, nil, origin, { axis })
      for d = 1, x.ndim do window.sizes[d] = d == axis and window.sizes[d] or 1 end
      if x.size == 0 then return finished(where, stored(x, target), x, output) end
      local lines = cp.moveaxis(bordered(where, x, window, mode, cval), axis, -1)
      local result = core.as_array(f(lines), where, "func's result")
      local shape = lengths(cp.moveaxis(x, axis, -1))
      if result.ndim ~= x.ndim or not result:has_shape(unpack(shape)) then
        raise_shape(where, "func must return lines without borders, not shape " .. tostring(result.shape))
      end
      return finished(where, stored(cp.moveaxis(result, -1, axis), target), x, output)
    end)

  -- ---- sums and magnitudes of derivatives

  -- A script's function of (input, axis, output, mode, cval, ...), with further arguments.
  local function derivative_of(where, f, argument, o)
    f = core.callable(f, where, argument)
    local more = o.extra_arguments == nil and {} or o.extra_arguments
    if type(more) ~= "table" then usage(where, "extra_arguments must be a table") end
    local count = #more
    more = { unpack(more, 1, count) }
    if o.extra_keywords ~= nil then count, more[count + 1] = count + 1, o.extra_keywords end
    return function(x, axis, dtype, mode)
      return core.as_array(f(x, axis, dtype, mode, o.cval, unpack(more, 1, count)), where, argument .. "'s result")
    end
  end

  -- Adds up each(d, mode) for the axes and their modes; each result is stored as the target's dtype.
  local function added(where, axes, o, each)
    local modes, sum = arguments.for_axes(where, o.mode, "mode", #axes), nil
    for k, d in ipairs(axes) do
      mode_of(where, modes[k])
      local part = each(d, modes[k])
      sum = sum and sum + part or part
    end
    return sum
  end

  local function laplace(where, x, o, f)
    local target, axes = result_dtype(where, x, o.output), axes_of(where, o.axes, x.ndim)
    if #axes == 0 then return finished(where, stored(x, target), x, o.output) end
    local sum = added(where, axes, o, function(d, mode) return f(x, d, target, mode) end)
    return finished(where, stored(sum, target), x, o.output)
  end

  local function magnitude(where, x, o, f)
    local target, axes = result_dtype(where, x, o.output), axes_of(where, o.axes, x.ndim)
    if #axes == 0 then return finished(where, stored(x, target), x, o.output) end
    local sum = added(where, axes, o, function(d, mode)
      local part = f(x, d, target, mode)
      return part * part
    end)
    return finished(where, stored(cp.sqrt(sum), target), x, o.output)
  end

  local function define_generic(name, argument, how)
    publish(name, "input, " .. argument .. ", output, mode, cval, extra_arguments, extra_keywords, axes", 2,
      function(where, input, f, output, mode, cval, extra_arguments, extra_keywords, axes)
        local o = { output = output, mode = mode, cval = cval, extra_arguments = extra_arguments,
          extra_keywords = extra_keywords, axes = axes }
        return how(where, take(where, input), o, derivative_of(where, f, argument, o))
      end)
  end
  define_generic("generic_laplace", "derivative2", laplace)
  define_generic("generic_gradient_magnitude", "derivative", magnitude)

  -- everywhere: sigma is for all axes, whichever axes the derivatives are along (as in SciPy); else for
  -- `axes`.
  local function define_gaussian(name, order, how, everywhere)
    publish(name, "input, sigma, output, mode, cval, axes, truncate, radius", 2,
      function(where, input, sigma, output, mode, cval, axes, truncate, radius)
        local x = take(where, input)
        local list = axes_of(where, not everywhere and axes or nil, x.ndim)
        local sigmas = arguments.for_axes(where, sigma, "sigma", #list)
        return how(where, x, { output = output, axes = axes, mode = mode }, function(y, d, dtype, own_mode)
          local orders = {}
          for k, axis in ipairs(list) do orders[k] = axis == d and order or 0 end
          return ndimage.gaussian_filter(y, sigmas, { order = orders, output = dtype, mode = own_mode, cval = cval,
            truncate = truncate, radius = radius, axes = list })
        end)
      end)
  end
  define_gaussian("gaussian_laplace", 2, laplace)
  define_gaussian("gaussian_gradient_magnitude", 1, magnitude, true)
end
