-- Weighted means, covariances and correlations.

return function(cp, core)
  local method = core.method

  local raise_shape = core.raise_shape

  -- ---- average

  local function shapes_equal(a, b) return tostring(a.shape) == tostring(b.shape) end

  -- The weights as an array that broadcasts with a.
  local function spread(weights, a, axis)
    local w = core.beside("average", a, weights, "weights")
    if shapes_equal(w, a) then return w end
    if axis == nil then
      raise_shape("average", "weights of shape " .. w.shape .. " for an array of shape " .. a.shape .. " need an axis")
    end
    local axes, shape, order = core.axis_list(axis, "average", "axis", a.ndim), {}, {}
    local fits = w.ndim == #axes
    for k = 1, a.ndim do shape[k] = 1 end
    for k, d in ipairs(axes) do
      fits = fits and core.extent(w, k) == core.extent(a, d)
      shape[d], order[k] = core.extent(a, d), k
    end
    if not fits then
      raise_shape("average", string.format("weights of shape %s for %s of an array of shape %s", tostring(w.shape),
        #axes == 1 and "axis " .. axes[1] or "axes " .. table.concat(axes, ", "), tostring(a.shape)))
    end
    table.sort(order, function(i, j) return axes[i] < axes[j] end)
    return cp.transpose(w, order):reshape(shape)
  end

  --- The mean, or the weighted mean sum(a * weights) / sum(weights).
  ---@param a any
  ---@param axis? any  an axis or a table of axes; default: all
  ---@param weights? any  of a's shape, or of the lengths of the axes
  ---@param returned? boolean  return the sum of weights, too
  ---@param keepdims? boolean
  ---@return any
  method("average", "a, axis, weights, returned, keepdims", 1, function(where, a, axis, weights, ...)
    local returned, keep = ...
    a = core.as_array(a, where, "a")
    local result, sum
    local options = { axis = axis, keepdims = core.boolean(keep, where, "keepdims", false) }
    if weights == nil then
      result = cp.mean(a, options)
      if core.kind(a) ~= "c" and core.kind(a) ~= "f" then result = result:astype("float64", false) end
      sum = cp.full_like(result, result.size > 0 and a.size / result.size or 0)
    else
      local w = spread(weights, a, axis)
      local dtype = cp.promote_types(a, w)
      if not core.is_inexact(a) or not core.is_inexact(w) then dtype = cp.promote_types(dtype, "float64") end
      w = cp.broadcast_to(w:astype(dtype, false), a.shape)
      sum = cp.sum(w, options)
      if cp.equal(sum, 0):any() then core.raise(where, "usage", "weights sum to 0, so there is no mean") end
      result = cp.sum(a:astype(dtype, false) * w, options) / sum
    end
    if core.boolean(returned, where, "returned", false) then return result, sum end
    return result
  end)

  -- ---- covariance

  local function as_rows(where, m, argument, rowvar, dtype)
    local x = core.as_array(m, where, argument)
    if x.ndim > 2 then raise_shape(where, argument .. " must have at most 2 axes, not shape " .. x.shape) end
    if not rowvar and x.ndim == 2 then x = x.T end
    if x.ndim < 2 then x = x:reshape({ 1, x.size }) end
    return x:astype(dtype, false)
  end

  -- The given weights as a float64 vector for n observations.
  local function weights_of(where, value, argument, x, whole)
    if value == nil then return nil end
    local w, n = core.beside(where, x, value, argument), core.extent(x, 2)
    if not w:has_shape(n) then
      raise_shape(where, string.format("%s has shape %s for %d observations", argument, tostring(w.shape), n))
    end
    w = w:astype("float64", false)
    if w:lt(0):any() then core.raise(where, "usage", argument .. " must not be negative") end
    if whole and cp.not_equal(w, cp.rint(w)):any() then
      core.raise(where, "usage", argument .. " must be whole numbers")
    end
    return w
  end

  -- The divisor of the sum of products.
  local function factor(x, w, fweights, aweights, ddof)
    if w == nil then return core.extent(x, 2) - ddof end
    local sum = w:sum():item()
    if ddof == 0 then return sum end
    if aweights == nil then return sum - ddof end
    local both_weights = fweights and (fweights * aweights * aweights) or aweights * aweights
    return sum - ddof * both_weights:sum():item() / sum
  end

  -- From this many products on, the library's matrix product is faster: on the CPU device, and on a GPU,
  -- where one kernel does all the work for fewer.
  local MANY, MANY_ON_GPU = 1e4, 1e6

  -- Sums of products of all pairs of rows: x (m, n) with y (k, n).
  local function products(x, y)
    local m, k, n = core.extent(x, 1), core.extent(y, 1), core.extent(x, 2)
    local many = x.device == "cpu" and MANY or MANY_ON_GPU
    if m > 1 and m * k * n > many and core.is_inexact(x) and core.is_inexact(y) then return cp.matmul(x, y.T) end
    return (x:reshape({ m, 1, n }) * y:reshape({ 1, k, n })):sum(3)
  end

  local function covariance(where, m, y, rowvar, o)
    rowvar = core.boolean(rowvar, where, "rowvar", true)
    local first = core.as_array(m, where, "m")
    local dtype = o.dtype and core.dtype(o.dtype, where) or cp.promote_types(first, "float64")
    if y ~= nil then
      y = core.beside(where, first, y, "y")
      if o.dtype == nil then dtype = cp.promote_types(dtype, y) end
    end
    local x = as_rows(where, first, "m", rowvar, dtype)
    if y ~= nil then
      y = as_rows(where, y, "y", rowvar, dtype)
      if core.extent(y, 2) ~= core.extent(x, 2) then
        raise_shape(where, string.format("m has %d observations and y has %d", core.extent(x, 2), core.extent(y, 2)))
      end
      x = cp.concatenate { x, y }
    end
    local f = weights_of(where, o.fweights, "fweights", x, true)
    local a = weights_of(where, o.aweights, "aweights", x, false)
    local w = f and a and f * a or f or a
    local ddof = o.ddof or (core.boolean(o.bias, where, "bias", false) and 0 or 1)
    if core.extent(x, 1) == 1 and not w and core.kind(x) == "f" then return x:var({ ddof = ddof }) end
    local centre
    if w then
      centre = (x * w):sum({ axis = 2, keepdims = true }) / w:sum()
    else
      centre = x:mean({ axis = 2, keepdims = true })
    end
    local d = (x - centre):eval()
    local scaled = w and d * w or d
    if core.kind(x) == "c" then scaled = cp.conj(scaled) end
    local result = products(d, scaled:astype(dtype, false)) / math.max(factor(x, w, f, a, ddof), 0)
    return core.extent(x, 1) == 1 and result:reshape({}) or result
  end

  --- The covariance matrix of variables. Rows are variables and columns observations, unless rowvar is false.
  ---@param m any
  ---@param y? any  more variables
  ---@param rowvar? boolean  default true
  ---@param bias? boolean  divide by the number of observations instead of one less; default false
  ---@param ddof? integer  subtracted from the number of observations, instead of bias
  ---@param fweights? any  how many times each observation counts
  ---@param aweights? any  weights of the observations
  ---@param dtype? string
  ---@return any
  method("cov", "m, y, rowvar, bias, ddof, fweights, aweights, dtype", 1,
    function(where, m, y, rowvar, bias, ddof, fweights, aweights, dtype)
      if ddof ~= nil then ddof = core.integer(ddof, where, "ddof") end
      return covariance(where, m, y, rowvar,
        { bias = bias, ddof = ddof, fweights = fweights, aweights = aweights, dtype = dtype })
    end)

  --- The matrix of correlation coefficients of variables, from -1 to 1.
  ---@param x any
  ---@param y? any  more variables
  ---@param rowvar? boolean  default true: rows are variables
  ---@param dtype? string
  ---@return any
  method("corrcoef", "x, y, rowvar, dtype", 1, function(where, x, y, rowvar, dtype)
    local c = covariance(where, x, y, rowvar, { dtype = dtype })
    if c.ndim == 0 then return c / c end
    local n = core.extent(c, 1)
    local deviation = cp.sqrt(cp.real(cp.as_strided(c, { n }, { c.strides[1] + c.strides[2] }))):eval()
    local r = c / deviation:reshape({ n, 1 }) / deviation:reshape({ 1, n })
    if core.kind(r) ~= "c" then return cp.clip(r, -1, 1) end
    local result = cp.empty_like(r)
    core.write(where, result.real, cp.clip(r.real, -1, 1))
    core.write(where, result.imag, cp.clip(r.imag, -1, 1))
    return result
  end)
end
