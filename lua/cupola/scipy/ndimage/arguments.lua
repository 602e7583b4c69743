-- Common arguments and results of the filters of cp.scipy.ndimage. As in SciPy, results have the array's
-- dtype or that of output; integers are truncated and wrap.

return function(cp, core)
  local wrapped = require "cupola.analysis.convolution"(cp, core).wrapped

  local usage, raise_shape = core.usage, core.raise_shape

  -- ---- arguments

  -- mode -> the boundary of core.convolve, and the mode of cp.pad
  local MODES = { reflect = { "symm", "symmetric" }, ["grid-mirror"] = { "symm", "symmetric" },
    constant = { "fill", "constant" }, ["grid-constant"] = { "fill", "constant" }, nearest = { "edge", "edge" },
    mirror = { "mirror", "reflect" }, wrap = { "wrap", "wrap" }, ["grid-wrap"] = { "wrap", "wrap" } }

  local function mode_of(where, mode)
    local found = MODES[mode == nil and "reflect" or mode]
    return found or core.not_among(where, "mode", '"reflect", "constant", "nearest", "mirror" or "wrap"', mode)
  end

  -- The lengths of an array's axes, as a new table.
  local function lengths(x)
    local list = {}
    for d, n in ipairs(x.shape) do list[d] = n end
    return list
  end

  local function take(where, input) return core.as_array(input, where, "input") end

  -- One value for each axis, from a table or an array of them, or one for all.
  local function for_axes(where, value, argument, ndim)
    local list = {}
    value = core.listed(value)
    if type(value) == "table" and #value ~= ndim then
      raise_shape(where, string.format("%s has %s for %s", argument, core.counted(#value, "entry", "entries"),
        core.counted(ndim, "axis", "axes")))
    end
    for d = 1, ndim do
      if type(value) == "table" then list[d] = value[d] else list[d] = value end
    end
    return list
  end

  -- `axes` (one, several, or nil for all) in order, as a list; lists with a value for each of ndim axes:
  -- those in `value`, one for all or one for each of `axes`, and `rest` for other axes.
  local function axes_of(where, axes, ndim) return (core.axis_list(axes, where, "axes", ndim)) end

  local function spread(where, value, argument, axes, ndim, rest)
    local given, list = for_axes(where, value, argument, #axes), {}
    for d = 1, ndim do list[d] = rest end
    for k, d in ipairs(axes) do list[d] = given[k] end
    return list
  end

  -- An array with as many axes as `axes` has, as one with ndim axes.
  local function spread_shape(where, array, argument, axes, ndim)
    if array.ndim ~= #axes then
      raise_shape(where, string.format("%s must have %s, not shape %s", argument,
        core.counted(#axes, "axis", "axes"), tostring(array.shape)))
    end
    local order, shape = {}, {}
    for k = 1, #axes do order[k] = k end
    table.sort(order, function(a, b) return axes[a] < axes[b] end)
    for d = 1, ndim do shape[d] = 1 end
    for k, d in ipairs(axes) do shape[d] = core.extent(array, k) end
    return cp.transpose(array, order):reshape(shape)
  end

  -- Applies f to the real and the imaginary part of a complex array, or to a real one. f(part, pick), where
  -- pick(v) is the same part of a number.
  local function by_parts(x, f)
    if core.kind(x) ~= "c" then return f(x, function(v) return v end) end
    local real = f(x.real, function(v) return type(v) == "number" and v or v.re end)
    local imag = f(x.imag, function(v) return type(v) == "number" and 0 or v.im end)
    local result = cp.empty(real.shape, { dtype = cp.promote_types(real.dtype, "complex64"), device = x.device })
    result.real:assign(real)
    result.imag:assign(imag)
    return result
  end

  -- The dtype of a filter's result: that of `output`, a dtype or an array to write to, else the input's. Sums
  -- with complex weights are complex.
  local function result_dtype(where, x, output, weights)
    local complex = weights ~= nil and (core.kind(x) == "c" or core.kind(weights) == "c")
    if output == nil then return complex and cp.promote_types(x, "complex64") or x.dtype end
    local dtype = cp.is_array(output) and output.dtype or core.dtype(output, where)
    if (complex or core.kind(x) == "c") and core.kind(dtype) ~= "c" then
      core.raise(where, "dtype", "output must be complex, as the result is, not " .. dtype)
    end
    return dtype
  end

  -- Converts a result to its dtype: fractions are truncated for integers.
  local function stored(result, dtype)
    if core.is_inexact(result.dtype) and not core.is_inexact(dtype) then result = cp.trunc(result) end
    return wrapped(result, dtype)
  end

  local function finished(where, result, x, output)
    if cp.is_array(output) then return core.write_out(where, output, result) end
    return rawequal(result, x) and x:copy() or result
  end

  local function sizes_of(where, size, ndim)
    local list = for_axes(where, size == nil and 3 or size, "size", ndim)
    for d, n in ipairs(list) do
      list[d] = core.integer(n, where, "size")
      if list[d] < 1 then usage(where, string.format("size must be 1 or more, but is %d", list[d])) end
    end
    return list
  end

  return { usage = usage, raise_shape = raise_shape, mode_of = mode_of, take = take, for_axes = for_axes,
    lengths = lengths, axes_of = axes_of, spread = spread, spread_shape = spread_shape, by_parts = by_parts,
    sizes_of = sizes_of, result_dtype = result_dtype, stored = stored,
    finished = finished }
end
