-- Reductions of the elements that a mask selects, and variances around a mean that is given. They are
-- composed of `where` and reductions of whole arrays, which run as one kernel.

return function(cp, core)
  -- What an element that is not selected counts as; min and max need an initial value for that.
  local NEUTRAL = { sum = 0, nansum = 0, prod = 1, nanprod = 1, any = 0, all = 1 }
  local BOUNDS = { min = true, max = true, nanmin = true, nanmax = true }
  local WIDE = { float16 = "float32", bfloat16 = "float32" }

  -- The mask, which must be of bool and broadcast to a's shape; nil where all elements are meant.
  local function mask_for(where, mask, a)
    if mask == nil then return nil end
    if type(mask) == "boolean" then
      core.usage(where, "where is a Lua boolean; == gives one answer for whole arrays, use x:eq(y) for an "
        .. "elementwise one")
    end
    mask = core.beside(where, a, mask, "where")
    if mask.dtype ~= "bool" then core.raise(where, "dtype", "where must be a bool array, not " .. mask.dtype) end
    local more, fits = a.ndim - mask.ndim, mask.ndim <= a.ndim
    for d, n in ipairs(mask.shape) do fits = fits and (n == 1 or n == core.extent(a, more + d)) end
    if not fits then
      core.raise_shape(where, "where has shape " .. mask.shape .. ", which does not broadcast to a's shape " .. a.shape)
    end
    return mask
  end

  -- a with `value` where the mask is false. The dtype stays.
  local function filled(where, mask, a, value)
    local result = cp.where(mask, a, value)
    if result.dtype ~= a.dtype then
      core.raise(where, "dtype", "initial cannot be stored as " .. a.dtype)
    end
    return result
  end

  local function selected_bound(where, a, mask, o)
    if o.initial == nil then core.usage(where, "has no value where the mask selects nothing; give initial") end
    return cp[where](filled(where, mask, a, o.initial),
      { axis = o.axis, out = o.out, keepdims = o.keepdims, initial = o.initial })
  end

  -- The number of selected elements in each slice, as float64.
  local function count_of(a, mask, axis, keepdims)
    if mask then mask = cp.broadcast_to(mask, a.shape) else mask = cp.ones_like(a, "bool") end
    return cp.count_nonzero(mask, axis, keepdims):astype("float64")
  end

  local function sum_of(a, mask, axis, keepdims)
    if mask then a = cp.where(mask, a, cp.scalar(0, a.dtype)) end
    return cp.sum(a, { axis = axis, keepdims = keepdims, dtype = a.dtype })
  end

  -- Mean and variance are computed in float32 at least. The quotient of a sum and a count is one in float64.
  local function mean_of(a, mask, axis, keepdims)
    return (sum_of(a, mask, axis, keepdims) / count_of(a, mask, axis, keepdims)):astype(a.dtype)
  end

  local function square_size(d)
    if core.kind(d) == "c" then return cp.square(d.real) + cp.square(d.imag) end
    return cp.square(d)
  end

  local function variance_of(where, a, mask, o, ddof)
    local mean = o.mean
    if mean == nil then
      mean = mean_of(a, mask, o.axis, true)
    else
      mean = core.beside(where, a, mean, "mean"):astype(a.dtype, false)
    end
    local freedom = cp.maximum(count_of(a, mask, o.axis, o.keepdims) - ddof, 0)
    local sum = sum_of(square_size(a - mean), mask, o.axis, o.keepdims)
    local result = sum / freedom
    -- Where nothing is free to vary, NumPy's nanvar has no value, whereas var divides by 0.
    if where == "nanvar" or where == "nanstd" then result = cp.where(freedom:gt(0), result, cp.nan) end
    if where == "std" or where == "nanstd" then result = cp.sqrt(result) end
    return result
  end

  local function ddof_of(where, o)
    if o.ddof ~= nil and o.correction ~= nil then core.usage(where, "ddof and correction must not both be given") end
    if o.ddof ~= nil then return core.number(o.ddof, where, "ddof") end
    return core.number(o.correction, where, "correction", 0)
  end

  local function selected_moment(where, a, mask, o)
    local dtype = o.dtype ~= nil and core.dtype(o.dtype, where) or core.is_inexact(a) and a.dtype or "float64"
    if not core.is_inexact(dtype) then core.raise(where, "dtype", "dtype must be floating, not " .. dtype) end
    local ddof = ddof_of(where, o)
    if string.find(where, "^nan") and core.is_inexact(a) then
      local valid = cp.logical_not(cp.isnan(a))
      mask = mask and cp.logical_and(mask, valid) or valid
    end
    a = a:astype(dtype, false):astype(WIDE[dtype] or dtype, false)
    local result
    if where == "mean" or where == "nanmean" then
      result = mean_of(a, mask, o.axis, o.keepdims)
    else
      result, dtype = variance_of(where, a, mask, o, ddof), core.real_dtype(dtype)
    end
    result = result:astype(dtype, false)
    return o.out == nil and result or core.write_out(where, o.out, result)
  end

  --- A reduction NAME of `a` with the options `where` (a mask) or `mean`, for the core (reduce.c). o: all
  --- options by name.
  function core.reduce_masked(where, a, o)
    a = core.as_array(a, where, "a")
    local mask = mask_for(where, o.where, a)
    if o.keepdims ~= nil then o.keepdims = core.boolean(o.keepdims, where, "keepdims") end
    if BOUNDS[where] then return selected_bound(where, a, mask, o) end
    if not NEUTRAL[where] then return selected_moment(where, a, mask, o) end
    a = cp.where(mask, a, cp.scalar(NEUTRAL[where], a.dtype))
    if where == "any" or where == "all" then return cp[where](a, o.axis, o.out, o.keepdims) end
    return cp[where](a, o.axis, o.dtype, o.out, o.keepdims, o.initial)
  end
end
