-- Counting: bincount, histograms of one or more dimensions, digitize. core.count counts.

return function(cp, core)
  local method = core.method

  local usage, rule_bins = core.usage, core.load "statistics/bin_rules"(cp, core)

  -- ---- integers

  local function whole_numbers(where, value, argument)
    local x = core.as_array(value, where, argument)
    local kind = core.kind(x)
    if kind ~= "i" and kind ~= "u" and kind ~= "b" and not (x.size == 0 or not cp.is_array(value)) then
      local fact = argument .. " must be an array of integers, not " .. x.dtype
      core.raise(where, "dtype", fact .. "; convert with :astype")
    end
    if kind == "f" then
      if cp.not_equal(x, cp.floor(x)):any() then usage(where, argument .. " must be whole numbers") end
      x = x:astype("int64")
    end
    return x
  end

  -- Counts, or sums of weights of any dtype; complex weights are summed in parts.
  local function counted(where, x, bins, edges, first, last, weights)
    if weights == nil then return core.count(where, x, bins, edges, first, last, nil) end
    local function sums(w)
      return core.count(where, x, bins, edges, first, last, w:astype("float64", false))
    end
    if core.kind(weights) ~= "c" then return sums(weights) end
    return sums(weights.real) + cp.j * sums(weights.imag)
  end

  --- Counts each integer: element v + 1 is the number of occurrences of v.
  ---@param x any  vector of non-negative integers
  ---@param weights? any  of x's shape: add these (in float64) instead of counting
  ---@param minlength? integer  the least length of the result
  ---@return any  int64 vector
  method("bincount", "x, weights, minlength", 1, function(where, x, weights, minlength)
    x = whole_numbers(where, x, "x")
    if x.ndim ~= 1 then core.raise(where, "shape", "x must be a vector, not of shape " .. x.shape) end
    minlength = core.integer(minlength, where, "minlength", 0)
    if minlength < 0 then usage(where, "minlength must not be negative") end
    local bins = minlength
    if x.size > 0 then
      local low, high = core.extremes(where, x)
      if low == nil then
        low, high = tonumber(x:min():astype("int64"):item()), tonumber(x:max():astype("int64"):item())
      end
      if low < 0 then usage(where, string.format("x must not be negative, but has %d", low)) end
      bins = math.max(bins, high + 1)
    end
    if weights ~= nil then
      weights = core.beside(where, x, weights, "weights")
      if not weights:has_shape(#x) then
        core.raise(where, "shape", "weights of shape " .. weights.shape .. " for x of shape " .. x.shape)
      end
      if core.kind(weights) == "c" then
        core.raise(where, "dtype", "weights must be real, not " .. weights.dtype)
      end
    end
    return counted(where, x, bins, nil, nil, nil, weights)
  end)

  -- ---- edges

  -- The given range, or that of x.
  local function bounds(where, x, range)
    local first, last
    if range ~= nil then
      range = core.listed(range)
      if type(range) ~= "table" or #range ~= 2 or type(range[1]) ~= "number" or type(range[2]) ~= "number" then
        usage(where, "range must be a table of two numbers")
      end
      first, last = range[1], range[2]
      if first > last then usage(where, "range must ascend") end
    elseif x.size == 0 then
      first, last = 0, 1
    else
      first, last = tonumber(x:min():astype("float64"):item()), tonumber(x:max():astype("float64"):item())
    end
    if not (first > -cp.inf and last < cp.inf) then
      usage(where, string.format("the range from %g to %g is not finite", first, last))
    end
    if first == last then first, last = first - 0.5, last + 0.5 end
    return first, last
  end

  local function edges_dtype(x) return core.kind(x) == "f" and cp.promote_types(x, "float32") or "float64" end

  -- The number of bins by a named rule.
  local function by_rule(where, x, name, first, last)
    if core.kind(x) == "c" then core.raise(where, "dtype", "a must be real, not " .. x.dtype) end
    if x.dtype == "bool" then x = x:astype "uint8" end
    local n, names = rule_bins(name, x:reshape(-1), first, last)
    return n or core.not_among(where, "bins", "a number, edges, " .. names, name)
  end

  -- The edges as an array, and if they are evenly spaced, the number of bins, the first and the last edge.
  local function edges_of(where, x, bins, range)
    if bins == nil then bins = 10 end
    if not cp.is_array(bins) and type(bins) ~= "table" then
      local first, last = bounds(where, x, range)
      local n = type(bins) == "string" and by_rule(where, x, bins, first, last) or core.integer(bins, where, "bins")
      if n < 1 then usage(where, string.format("bins must be positive, but is %d", n)) end
      local edges = cp.linspace(first, last, core.length(where, n, 1), { dtype = edges_dtype(x), device = x.device })
      return edges, n, first, last
    end
    local edges = core.beside(where, x, bins, "bins")
    if edges.ndim ~= 1 then core.raise(where, "shape", "bins must be a vector, not of shape " .. edges.shape) end
    local n = #edges
    if n > 1 and core.slice(edges, 1, 2, n):lt(core.slice(edges, 1, 1, n - 1)):any() then
      usage(where, "bins must ascend")
    end
    return edges
  end

  --- The bin edges that histogram uses.
  ---@param a any
  ---@param bins? any  number of bins (default 10), the edges, or a rule as in histogram
  ---@param range? table  {lowest, highest}; default: of the elements
  ---@return any
  core.publish("histogram_bin_edges", "a, bins, range", 1, function(where, a, bins, range)
    return (edges_of(where, core.as_array(a, where, "a"), bins, range))
  end)

  -- The bin of each element of x, from 0; -1 and n for elements outside. The last edge is in the last bin.
  local function bins_of(where, x, edges)
    local n = #edges
    local at = core.search_sorted(where, edges, x, true) - 2
    return cp.where(cp.logical_and(cp.equal(at, n - 1), cp.equal(x, core.slice(edges, 1, n, n))), n - 2, at)
  end

  local function histogram(where, x, bins, range, weights)
    local edges, n, first, last = edges_of(where, x, bins, range)
    if n then
      local dtype = edges.dtype
      return counted(where, x:astype(dtype, false), n, edges, first, last, weights), edges
    end
    if #edges < 2 then return cp.zeros({ 0 }, { dtype = "int64", device = x.device }), edges end
    return counted(where, bins_of(where, x, edges), #edges - 1, nil, nil, nil, weights), edges
  end

  local function check_weights(where, x, weights, size)
    if weights == nil then return nil end
    weights = core.beside(where, x, weights, "weights")
    if weights.size ~= size then
      core.raise(where, "shape", "weights of shape " .. weights.shape .. " for values of shape " .. x.shape)
    end
    return weights:reshape(-1)
  end

  --- The number of elements in each bin, and the edges. A bin includes its lower edge; the last bin includes
  --- both.
  ---@param a any  flattened
  ---@param bins? any  number of bins (default 10), the edges in ascending order, or the name of a rule that
  --- finds a number: "auto", "doane", "fd", "rice", "scott", "sqrt", "stone" or "sturges", without weights
  ---@param range? table  {lowest, highest}; default: of the elements
  ---@param density? boolean  return a density, whose integral is 1, instead of counts
  ---@param weights? any  of a's shape: add these instead of counting
  ---@return any
  ---@return any
  method("histogram", "a, bins, range, density, weights", 1, function(where, a, bins, range, ...)
    local density, weights = ...
    local x = core.as_array(a, where, "a")
    if core.kind(x) == "c" then core.raise(where, "dtype", "a must be real, not " .. x.dtype) end
    weights = check_weights(where, x, weights, x.size)
    if weights and type(bins) == "string" then usage(where, "rules for bins take no weights") end
    if x.dtype == "bool" then x = x:astype("uint8") end
    local counts, edges = histogram(where, x:reshape(-1), bins, range, weights)
    if core.boolean(density, where, "density", false) then
      return counts / cp.diff(edges):astype("float64") / counts:sum(), edges
    end
    if weights ~= nil and counts.dtype ~= weights.dtype then counts = counts:astype(weights.dtype) end
    return counts, edges
  end)

  -- ---- several dimensions

  -- columns: vectors of one length, one for each dimension; bins and ranges by dimension.
  local function histogram_of(where, columns, bins, ranges, density, weights)
    local index, edges, shape, total, valid = nil, {}, {}, 1, nil
    for k, x in ipairs(columns) do
      local e = edges_of(where, x, bins[k], ranges[k])
      local n = #e - 1
      if n < 1 then usage(where, "each dimension needs at least one bin") end
      local bin = bins_of(where, x, e)
      local inside = cp.logical_and(bin:ge(0), bin:lt(n))
      index = index and index * n + bin or bin
      valid = valid and cp.logical_and(valid, inside) or inside
      edges[k], shape[k], total = e, n, total * n
    end
    local counts = counted(where, cp.where(valid, index, -1), total, nil, nil, nil, weights)
    counts = counts:astype("float64", false):reshape(shape)
    if not core.boolean(density, where, "density", false) then return counts, edges end
    local sum = counts:sum()
    for k, e in ipairs(edges) do
      local wide = {}
      for d = 1, #edges do wide[d] = d == k and shape[k] or 1 end
      counts = counts / cp.diff(e):astype("float64"):reshape(wide)
    end
    return counts / sum, edges
  end

  -- One entry for each of n dimensions: those of a table of n entries, else the same for all.
  local function each(where, value, n, argument, is_list)
    local list = {}
    local split = type(value) == "table" and is_list(value)
    if split and #value ~= n then
      usage(where, string.format("%s has %d entries for %d dimensions", argument, #value, n))
    end
    for k = 1, n do
      if split then list[k] = value[k] else list[k] = value end
    end
    return list
  end

  local function is_table(v) return cp.is_array(v) or type(v) == "table" end
  local function of_tables(v) return is_table(v[1]) or is_table(v[2]) end

  --- The number of points of the plane in each rectangle, and the edges along x and y.
  ---@param x any  vector
  ---@param y any  vector
  ---@param bins? any  a number for both (default 10), the edges of both (an array), or a table {of x, of y}
  ---@param range? table  {{lowest, highest} of x, {lowest, highest} of y}
  ---@param density? boolean
  ---@param weights? any
  ---@return any
  ---@return any
  ---@return any
  core.publish("histogram2d", "x, y, bins, range, density, weights", 2,
    function(where, x, y, bins, range, density, weights)
      x = core.as_array(x, where, "x")
      y = core.beside(where, x, y, "y")
      if x.ndim ~= 1 or not y:has_shape(#x) then
        core.raise(where, "shape", "x and y must be vectors of the same length, not " .. x.shape .. " and " .. y.shape)
      end
      weights = check_weights(where, x, weights, x.size)
      bins = each(where, bins, 2, "bins", function(v) return #v == 2 end)
      range = each(where, range, 2, "range", of_tables)
      local counts, edges = histogram_of(where, { x, y }, bins, range, density, weights)
      return counts, edges[1], edges[2]
    end)

  --- The number of points of any dimension in each box, and a table with the edges of each dimension.
  ---@param sample any  (N, D): one point in each row
  ---@param bins? any  a number for all (default 10), or a table with a number or edges for each dimension
  ---@param range? table  a table of {lowest, highest} for each dimension
  ---@param density? boolean
  ---@param weights? any
  ---@return any
  ---@return table
  core.publish("histogramdd", "sample, bins, range, density, weights", 1,
    function(where, sample, bins, range, density, weights)
      local columns = {}
      sample = core.as_array(sample, where, "sample")
      if sample.ndim == 1 then sample = sample:reshape({ sample.size, 1 }) end
      if sample.ndim ~= 2 then core.raise(where, "shape", "sample must have 2 axes, not shape " .. sample.shape) end
      local n = core.extent(sample, 1)
      for k = 1, core.extent(sample, 2) do columns[k] = core.slice(sample, 2, k, k):reshape({ n }) end
      weights = check_weights(where, sample, weights, n)
      bins = each(where, bins, #columns, "bins", function() return true end)
      range = each(where, range, #columns, "range", of_tables)
      return histogram_of(where, columns, bins, range, density, weights)
    end)

  --- The bin of each value among edges: the position, from 1, of the first edge above it (#bins + 1: none),
  --- so that bins[k - 1] <= v < bins[k]. For descending edges, bins[k - 1] > v >= bins[k].
  ---@param x any  values of any shape
  ---@param bins any  vector of edges, ascending or descending
  ---@param right? boolean  whether bins include the upper edge instead of the lower one; default false
  ---@return any  int64 array of x's shape
  method("digitize", "x, bins, right", 2, function(where, x, bins, right)
    x = core.as_array(x, where, "x")
    bins = core.beside(where, x, bins, "bins")
    right = core.boolean(right, where, "right", false)
    if bins.ndim ~= 1 then core.raise(where, "shape", "bins must be a vector, not of shape " .. bins.shape) end
    if core.kind(x) == "c" or core.kind(bins) == "c" then core.raise(where, "dtype", "values and bins must be real") end
    local n = #bins
    if n > 1 then
      local after, before = core.slice(bins, 1, 2, n), core.slice(bins, 1, 1, n - 1)
      if after:lt(before):any() then
        if after:gt(before):any() then usage(where, "bins must ascend or descend") end
        return n + 2 - core.search_sorted(where, core.slice(bins, 1, n, 1, -1), x, not right)
      end
    end
    return core.search_sorted(where, bins, x, not right)
  end)
end
