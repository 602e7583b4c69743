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
    sizes_of = sizes_of, result_dtype = result_dtype, stored = stored,
    finished = finished }
end
