-- Medians and quantiles: the reduced axes are merged into a last axis, which is sorted; then elements are
-- read at their ranks. A rank counts from 0 and may be between two elements.

return function(cp, core)
  local slice = core.slice

  -- x as floating numbers, with the axes that `axis` selects (nil: all) merged into one last axis; and the
  -- shape of the result.
  local function rows_of(where, x, axis, keepdims)
    local order, shape, n = {}, {}, 1
    local _, gone = core.axis_list(axis, where, "axis", x.ndim)
    for k = 1, x.ndim do
      if not gone[k] then order[#order + 1] = k end
      if not gone[k] or keepdims then shape[#shape + 1] = gone[k] and 1 or core.extent(x, k) end
    end
    local merged = {}
    for i, k in ipairs(order) do merged[i] = core.extent(x, k) end
    for k = 1, x.ndim do
      if gone[k] then
        order[#order + 1] = k
        n = n * core.extent(x, k)
      end
    end
    merged[#merged + 1] = n
    return cp.transpose(x, order):reshape(merged), shape, n
  end


  local function real(where, x)
    if core.kind(x) == "c" then core.raise(where, "dtype", "a must be real, not " .. x.dtype) end
    return x
  end

  local function floating(where, a)
    local x = real(where, core.as_array(a, where, "a"))
    return core.kind(x) == "f" and x or x:astype("float64")
  end

  local function column(s, k) return slice(s, s.ndim, k + 1, k + 1) end

  -- a + (b - a) * t, computed from the nearer end.
  local function between(a, b, t)
    if type(t) == "number" then
      if t == 0 then return a end
      return t < 0.5 and a + (b - a) * t or b - (b - a) * (1 - t)
    end
    local value = cp.where(t:lt(0.5), a + (b - a) * t, b - (b - a) * (1 - t))
    return cp.where(t:eq(0), a, value) -- also if b is infinite
  end

  -- ---- ranks

  -- Functions for numbers and arrays alike.
  local floor, ceil, minimum, maximum = cp.floor, cp.ceil, cp.minimum, cp.maximum

  local function by_parameters(alpha, beta)
    return function(n, q) return n * q + (alpha + q * (1 - alpha - beta)) - 1 end
  end

  local function linear(n, q) return (n - 1) * q end

  local function equal(a, b)
    if cp.is_array(a) then return cp.equal(a, b) end
    return a == b
  end

  local function choose(condition, yes, no)
    if type(condition) == "boolean" then return condition and yes or no end
    return cp.where(condition, yes, no)
  end

  -- The element at rank r if that is whole (and `even` holds, if given), else the next one.
  local function step(r, even)
    local low = floor(r)
    local whole = equal(r, low)
    if even then
      local odd = equal(low - 2 * floor(low / 2), 1)
      whole = type(whole) == "boolean" and whole and odd or (type(whole) ~= "boolean" and cp.logical_and(whole, odd))
    end
    return choose(whole, low, low + 1)
  end

  -- NumPy's methods: the rank of quantile q among n elements, and how its fraction is used.
  local METHODS = {
    linear = { linear },
    lower = { function(n, q) return floor(linear(n, q)) end },
    higher = { function(n, q) return ceil(linear(n, q)) end },
    nearest = { function(n, q) return cp.rint(linear(n, q)) end },
    midpoint = { function(n, q) return 0.5 * (floor(linear(n, q)) + ceil(linear(n, q))) end },
    interpolated_inverted_cdf = { by_parameters(0, 1) },
    hazen = { by_parameters(0.5, 0.5) },
    weibull = { by_parameters(0, 0) },
    median_unbiased = { by_parameters(1 / 3, 1 / 3) },
    normal_unbiased = { by_parameters(3 / 8, 3 / 8) },
    inverted_cdf = { function(n, q) return step(n * q - 1) end },
    closest_observation = { function(n, q) return step(n * q - 1.5, true) end },
    averaged_inverted_cdf = { function(n, q) return n * q - 1 end,
                              function(part) return choose(equal(part, 0), 0.5, 1) end },
  }

  -- The methods that return one of the elements, in their dtype.
  local PICKING = { lower = true, higher = true, nearest = true, inverted_cdf = true, closest_observation = true }

  local function method_of(where, name)
    local method = METHODS[name == nil and "linear" or name]
    if method then return method end
    local names = {}
    for known in pairs(METHODS) do names[#names + 1] = known end
    table.sort(names)
    return core.raise(where, "usage",
      string.format("no method '%s'; the methods are %s", tostring(name), table.concat(names, ", ")))
  end

  -- The ranks below and above, and the position between them.
  local function rank(method, n, q)
    local r = method[1](n, q)
    local low = floor(r)
    local part = r - low
    if method[2] then part = method[2](part) end
    return maximum(minimum(low, n - 1), 0), maximum(minimum(low + 1, n - 1), 0), part
  end

  -- ---- one quantile of sorted rows

  local function at_quantile(s, n, q, method, dtype)
    local low, high, part = rank(method, n, q)
    local function read(k) return column(s, k):astype(dtype, false) end
    local value = between(read(low), read(high), part)
    local last = read(n - 1)
    return cp.where(cp.isnan(last), last, value)
  end

  -- The same if each row has `counts` numbers before its nans.
  local function at_counted(where, s, q, method, dtype, counts, starts)
    local low, high, part = rank(method, counts, q)
    local function read(k) return core.gather(where, s, k:astype("int64") + starts):astype(dtype, false) end
    local value = between(read(low), read(high), part:astype(dtype))
    return cp.where(counts:gt(0), value, cp.nan)
  end

  -- Reads a quantile of each row, in the dtype.
  local function reader(where, y, n, skip_nan, method, dtype)
    local s = core.sort(where, y, false)
    if core.kind(y) ~= "f" then return function(q) return column(s, (rank(method, n, q))):copy() end end
    if not skip_nan then return function(q) return at_quantile(s, n, q, method, dtype) end end
    local counts = cp.logical_not(cp.isnan(y)):sum({ axis = y.ndim, keepdims = true }):astype("float64"):eval()
    local starts = (cp.arange(counts.size, { device = y.device }) * n + 1):reshape(counts.shape)
    return function(q) return at_counted(where, s, q, method, dtype, counts, starts) end
  end

  -- ---- the functions

  -- q as a list of numbers from 0 to 1, its shape ({} for a number), and its dtype if it has one: numbers and
  -- tables of them have none.
  local function list_of(where, q, scale)
    local shape, dtype = {}, nil
    if cp.is_array(q) or type(q) == "table" or core.is_scalar(q) and type(q) ~= "number" then
      local array = core.as_array(core.is_scalar(q) and cp.array(q) or q, where, "q")
      dtype = type(q) ~= "table" and array.dtype or nil
      for k, n in ipairs(array.shape) do shape[k] = n end
      q = array.ndim > 0 and array:reshape(-1):totable() or { array:item() }
    else
      q = { q }
    end
    for k, v in ipairs(q) do
      if type(v) ~= "number" then core.raise(where, "usage", "q must be a number or an array of numbers") end
      q[k] = v / scale
      if not (q[k] >= 0 and q[k] <= 1) then
        core.raise(where, "usage", string.format("q must be from 0 to %d, but is %.14g", scale, v))
      end
    end
    return q, shape, dtype
  end

  -- ---- weights

  -- The weights in the layout of rows_of: those of each element, or a vector of those along one axis.
  local function weights_of(where, x, weights, axis, method)
    if method ~= "inverted_cdf" then
      core.usage(where, "weights need the method 'inverted_cdf', not '" .. tostring(method or "linear") .. "'")
    end
    local w = core.beside(where, x, weights, "weights")
    if core.kind(w) == "c" then core.raise(where, "dtype", "weights must be real, not " .. w.dtype) end
    if w.shape ~= x.shape then
      local list = core.axis_list(axis, where, "axis", x.ndim)
      if w.ndim ~= 1 or #list ~= 1 or w.size ~= x.shape[list[1]] then
        core.raise(where, "shape", "weights of shape " .. w.shape .. " for values of shape " .. x.shape)
      end
      local along = {}
      for k = 1, x.ndim do along[k] = k == list[1] and w.size or 1 end
      w = cp.broadcast_to(w:reshape(along), x.shape)
    end
    w = w:astype("float64", false)
    if w:lt(0):any() then core.usage(where, "weights must not be negative") end
    return (rows_of(where, w, axis, false))
  end

  -- Reads the least element such that the weights up to it are at least a share q of the row's.
  local function weighted_reader(where, y, w, skip_nan)
    local axis, floats = y.ndim, core.kind(y) == "f"
    local none
    if skip_nan and floats then
      w = cp.where(cp.isnan(y), 0, w)
      none = cp.isnan(y):all({ axis = axis, keepdims = true })
    end
    local order = cp.argsort(y, axis)
    local s = cp.take_along_axis(y, order, axis)
    local shares = cp.cumsum(cp.take_along_axis(w, order, axis), axis):eval()
    local total = column(shares, core.extent(y, axis) - 1)
    local wrong = cp.logical_not(cp.logical_and(total:gt(0), cp.isfinite(total)))
    if none then wrong = cp.logical_and(wrong, cp.logical_not(none)) end
    if wrong:any() then core.usage(where, "weights must be finite, and not all zero") end
    shares = shares / total
    shares = cp.where(shares:eq(0), -1, shares):eval() -- q = 0 is the first element that has a weight
    return function(q)
      local at = shares:lt(q):sum({ axis = axis, keepdims = true }) + 1
      local value = cp.take_along_axis(s, cp.minimum(at, core.extent(y, axis)), axis)
      if not floats then return value end
      local last = column(s, core.extent(y, axis) - 1)
      if skip_nan then return cp.where(none, cp.nan, value) end
      return cp.where(cp.isnan(last), last, value)
    end
  end

  -- ---- all

  -- The dtype of quantiles that lie between elements of x, of the dtype of q, or nil. Whole numbers count as
  -- float64.
  local function between_dtype(x, dtype)
    if dtype == nil then return core.kind(x) == "f" and x.dtype or "float64" end
    return cp.promote_types(x, core.kind(dtype) == "f" and dtype or "float64")
  end

  local function quantiles(where, a, q, axis, method, keepdims, weights, skip_nan)
    local x, steps = core.as_array(a, where, "a"), method_of(where, method)
    local dtype = x.dtype
    if not PICKING[method] or core.kind(x) == "c" then
      dtype = between_dtype(real(where, x), q[3])
      x = core.kind(x) == "f" and x or x:astype(dtype)
    end
    local w = weights ~= nil and weights_of(where, x, weights, axis, method) or nil
    local y, shape, n = rows_of(where, x, axis, core.boolean(keepdims, where, "keepdims", false))
    local list, front = q[1], q[2]
    local pieces, wide = {}, {}
    for _, length in ipairs(front) do wide[#wide + 1] = length end
    for _, length in ipairs(shape) do wide[#wide + 1] = length end
    if n == 0 then
      dtype = core.is_inexact(dtype) and dtype or "float64"
      return cp.full(wide, cp.nan, { dtype = dtype, device = x.device })
    end
    if y.size == 0 or #list == 0 then return cp.zeros(wide, { dtype = dtype, device = x.device }) end
    local read = w and weighted_reader(where, y, w, skip_nan) or reader(where, y, n, skip_nan, steps, dtype)
    for k, v in ipairs(list) do pieces[k] = read(v):reshape(shape) end
    return #front == 0 and pieces[1] or cp.stack(pieces):reshape(wide)
  end

  local function finish(where, out, value)
    if out == nil then return value end
    return core.write_out(where, out, value, false, true)
  end

  local function define(name, scale, skip_nan)
    local names = "a, q, axis, out, overwrite_input, method, keepdims, weights"
    core.method(name, names, 2, function(where, a, q, axis, out, _, ...)
      local method, keepdims, weights = ...
      local list = { list_of(where, q, scale) }
      return finish(where, out, quantiles(where, a, list, axis, method, keepdims, weights, skip_nan))
    end)
  end

  --- Quantiles: the values below which a fraction q of the elements are. nan if there is a nan.
  ---@param a any  integers become float64, except for methods that return an element ("lower", "higher",
  --- "nearest", "inverted_cdf", "closest_observation")
  ---@param q any  from 0 to 1, a number or an array, whose axes come first in the result; an array's dtype is
  --- promoted with a's, except for methods that return an element
  ---@param axis? any  an axis or a table of axes; default: all
  ---@param out? any  array of the result's shape
  ---@param overwrite_input? boolean  ignored
  ---@param method? string  how to interpolate between two elements: "linear" (default), "lower", "higher",
  --- "nearest", "midpoint", or another of NumPy's methods
  ---@param keepdims? boolean  keep reduced axes with length 1
  ---@param weights? any  how often each element counts: of a's shape, or a vector along the axis; with the
  --- method "inverted_cdf" only
  ---@return any
  define("quantile", 1, false)
  --- The same with q from 0 to 100.
  ---@param a any
  ---@param q any  from 0 to 100
  ---@param axis? any
  ---@param out? any
  ---@param overwrite_input? boolean
  ---@param method? string
  ---@param keepdims? boolean
  ---@param weights? any
  ---@return any
  define("percentile", 100, false)
  --- Quantiles of the elements that are not nan; nan if there are none.
  ---@param a any
  ---@param q any  from 0 to 1
  ---@param axis? any
  ---@param out? any
  ---@param overwrite_input? boolean
  ---@param method? string
  ---@param keepdims? boolean
  ---@param weights? any
  ---@return any
  define("nanquantile", 1, true)
  --- The same with q from 0 to 100.
  ---@param a any
  ---@param q any  from 0 to 100
  ---@param axis? any
  ---@param out? any
  ---@param overwrite_input? boolean
  ---@param method? string
  ---@param keepdims? boolean
  ---@param weights? any
  ---@return any
  define("nanpercentile", 100, true)

  -- The mean of the two elements in the middle.
  local function middle(where, y, n)
    local s = core.sorted(where, y)
    local low, high, last = column(s, math.floor((n - 1) / 2)), column(s, math.floor(n / 2)), column(s, n - 1)
    local value = n % 2 == 1 and low or (low + high) / 2
    return cp.where(cp.isnan(last), last, value)
  end

  -- The same of the values in each row that are not nan.
  local function middle_of_valid(where, y, n)
    local s = core.sorted(where, y)
    local counts = cp.logical_not(cp.isnan(y)):sum({ axis = y.ndim, keepdims = true })
    local starts = (cp.arange(counts.size, { device = y.device }) * n + 1):reshape(counts.shape)
    local function read(k) return core.gather(where, s, cp.maximum(cp.floor_divide(k, 2), 0) + starts) end
    local missing = core.kind(y) == "c" and cp.complex(cp.nan, cp.nan) or cp.nan
    return cp.where(counts:gt(0), (read(counts - 1) + read(counts)) / 2, missing):astype(y.dtype)
  end

  local function median(where, a, axis, keepdims, skip_nan)
    local x = core.as_array(a, where, "a")
    if core.kind(x) ~= "c" then x = floating(where, x) end
    local y, shape, n = rows_of(where, x, axis, core.boolean(keepdims, where, "keepdims", false))
    if n == 0 then return cp.full(shape, cp.nan, { dtype = x.dtype, device = x.device }) end
    if y.size == 0 then return cp.zeros(shape, { dtype = x.dtype, device = x.device }) end
    return (skip_nan and middle_of_valid or middle)(where, y, n):reshape(shape)
  end

  local function define_median(name, skip_nan)
    core.method(name, "a, axis, out, overwrite_input, keepdims", 1, function(where, a, axis, out, _, keepdims)
      return finish(where, out, median(where, a, axis, keepdims, skip_nan))
    end)
  end

  --- The median: the middle one of the sorted elements, or the mean of the two middle ones. nan if there is a
  --- nan.
  ---@param a any  integers become float64; complex values are sorted by their real, then imaginary parts
  ---@param axis? any  an axis or a table of axes; default: all
  ---@param out? any  array of the result's shape
  ---@param overwrite_input? boolean  ignored
  ---@param keepdims? boolean  keep reduced axes with length 1
  ---@return any
  define_median("median", false)
  --- The median of the elements that are not nan; nan if there are none.
  ---@param a any
  ---@param axis? any
  ---@param out? any
  ---@param overwrite_input? boolean
  ---@param keepdims? boolean
  ---@return any
  define_median("nanmedian", true)
end
