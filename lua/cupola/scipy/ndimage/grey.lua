-- Morphology of grey values of cp.scipy.ndimage: the least and greatest elements of windows, which a
-- structure may lower or raise, and what is made of these.

return function(cp, core, arguments, windows)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage = arguments.usage
  local take, axes_of = arguments.take, arguments.axes_of
  local spread, spread_shape = arguments.spread, arguments.spread_shape
  local result_dtype, stored, finished = arguments.result_dtype, arguments.stored, arguments.finished

  -- Erosion ("least") or dilation ("greatest") of x, in the dtype `target`.
  local function changed(where, x, which, o, target)
    local axes = axes_of(where, o.axes, x.ndim)
    local size, footprint, structure, mode = o.size, o.footprint, o.structure, o.mode
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    if size == nil and footprint == nil and structure == nil then
      usage(where, "size, footprint or structure must be given")
    end
    if structure ~= nil then
      structure = core.as_array(structure, where, "structure"):to "cpu":astype("float64", false)
      if footprint == nil then footprint = cp.cpu.ones(structure.shape, { dtype = "bool" }) end
      structure = spread_shape(where, structure, "structure", axes, x.ndim)
    end
    local window = windows.of(where, x.ndim, size, footprint, o.origin, axes)
    if type(mode) == "table" then
      if window.footprint or structure then usage(where, "a footprint needs the same mode for all axes") end
      mode = spread(where, mode, "mode", axes, x.ndim, "reflect")
    end
    if which == "greatest" then window = windows.reversed(window) end
    if structure and x.size > 0 then
      for d, n in ipairs(window.sizes) do
        if core.extent(structure, d) ~= n then
          core.raise_shape(where, "structure and footprint must have one shape")
        end
        if which == "greatest" then structure = core.slice(structure, d, n, 1, -1) end
      end
      if which == "least" then structure = -structure end
      return stored(windows.apply(where, x, window, which, mode, o.cval, true, structure), target)
    end
    return stored(windows.extreme(where, x, window, which, mode, o.cval), target)
  end

  local function define(name, f)
    publish(name, "input, size, footprint, structure, output, mode, cval, origin, axes", 1,
      function(where, input, size, footprint, structure, output, mode, cval, origin, axes)
        local x = take(where, input)
        local o = { size = size, footprint = footprint, structure = structure, mode = mode, cval = cval,
          origin = origin, axes = axes }
        local target = result_dtype(where, x, output)
        local function eroded(y, dtype) return changed(where, y, "least", o, dtype or y.dtype) end
        local function dilated(y, dtype) return changed(where, y, "greatest", o, dtype or y.dtype) end
        return finished(where, f(x, eroded, dilated, target), x, output)
      end)
  end

  define("grey_erosion", function(x, eroded, _, target) return eroded(x, target) end)
  define("grey_dilation", function(x, _, dilated, target) return dilated(x, target) end)
  define("grey_opening", function(x, eroded, dilated, target) return dilated(eroded(x), target) end)
  define("grey_closing", function(x, eroded, dilated, target) return eroded(dilated(x), target) end)
  define("morphological_gradient", function(x, eroded, dilated, target)
    return stored(dilated(x) - eroded(x), target)
  end)
  define("morphological_laplace", function(x, eroded, dilated, target)
    return stored(dilated(x) + eroded(x) - x - x, target)
  end)

  -- a - b; of bools, where they differ.
  local function difference(a, b, target)
    if a.dtype == "bool" and b.dtype == "bool" then return cp.bitwise_xor(a, b):astype(target, false) end
    return stored(a - b, target)
  end
  define("white_tophat", function(x, eroded, dilated, target)
    return difference(x, dilated(eroded(x), target), target)
  end)
  define("black_tophat", function(x, eroded, dilated, target)
    return difference(eroded(dilated(x), target), x, target)
  end)
end
