-- Measurements of labelled elements of cp.scipy.ndimage. Sums are counts by label with weights; whatever
-- depends on the order of values comes from sorting them within each label. Positions count from 1.

return function(cp, core, arguments)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, raise_shape, take = arguments.usage, arguments.raise_shape, arguments.take

  -- ---- groups

  -- Whether the integers of i follow each other.
  local function consecutive(i)
    local kind = core.kind(i)
    if kind ~= "i" and kind ~= "u" or i.size == 0 then return false end
    local first, last = i[1], i[-1]
    if last - first ~= i.size - 1 then return false end
    return i.size == 1 or cp.all(cp.equal(i["2:"], i[":-2"] + 1))
  end

  -- The groups of labels that follow each other from `low` on, as core.count takes them: others are negative
  -- or too great. Only where no difference that counts can wrap.
  local function bins_of(l, low, high)
    local short = l.dtype == "int32" and high < 2 ^ 31
    return low >= 0 and (short or l.dtype == "int64") and l - low or nil
  end

  -- A group for each label in `index`: {x, values (flat), ids (flat int64: the group from 0, or -1), bins
  -- (ids that core.count takes, or nil), whole (all elements are one group: ids is nil), count, shape (of
  -- results)}. Without labels all elements are one group; without index those with a label greater than 0
  -- are.
  local function groups_of(where, input, labels, index)
    local x = take(where, input)
    local g = { x = x, values = x:ravel(), count = 1, shape = {} }
    if labels == nil then
      if index ~= nil then usage(where, "index needs labels") end
      g.whole = true
      return g
    end
    local l = core.beside(where, x, labels, "labels")
    if l.shape ~= x.shape then
      if not pcall(cp.broadcast_to, l, x.shape) then
        raise_shape(where, string.format("labels have shape %s for an array of shape %s", tostring(l.shape),
          tostring(x.shape)))
      end
      l = cp.broadcast_to(l, x.shape)
    end
    l = l:ravel()
    if index == nil then
      g.ids = cp.where(cp.greater(l, 0), 0, -1):astype("int64", false)
      return g
    end
    local i = core.beside(where, x, index, "index")
    g.shape = arguments.lengths(i)
    local kinds = core.kind(l) .. core.kind(i)
    local unique = i:ravel()
    if not consecutive(unique) then
      unique, g.pick = cp.unique(unique, { return_inverse = true })
      g.pick = g.pick:reshape(-1)
    end
    g.count = unique.size
    if unique.size == 0 or x.size == 0 then
      g.ids = cp.full({ x.size }, -1, { dtype = "int64", device = x.device })
      return g
    end
    local low, high = unique[1], unique[-1]
    if not string.find(kinds, "f") and high - low == unique.size - 1 then -- labels without gaps
      local at = l:astype("int64", false) - low
      g.bins = bins_of(l, low, high)
      g.ids = cp.where(cp.logical_and(cp.greater_equal(at, 0), cp.less(at, unique.size)), at, -1)
      return g
    end
    local at = cp.minimum(cp.searchsorted(unique, l), unique.size)
    g.ids = cp.where(cp.equal(cp.take(unique, at), l), at - 1, -1):astype("int64", false)
    return g
  end

  local function ids_of(g)
    return g.ids or cp.zeros({ g.x.size }, { dtype = "int64", device = g.x.device })
  end

  -- Results of groups, one for each or in one array without axes, in the order and shape of index.
  local function arranged(g, results)
    if g.pick then results = cp.take(results, g.pick, 1) end
    return results:reshape(g.shape)
  end

  local function sums(where, g, weights)
    if g.count == 0 then return cp.zeros({ 0 }, { device = g.x.device }) end
    if g.whole then return cp.sum(weights):reshape(1) end
    return core.count(where, g.bins or ids_of(g), g.count, nil, nil, nil, weights)
  end

  local function counts(where, g)
    if g.count == 0 then return cp.zeros({ 0 }, { dtype = "int64", device = g.x.device }) end
    if g.whole then return cp.full({ 1 }, g.x.size, { dtype = "int64", device = g.x.device }) end
    return core.count(where, g.bins or ids_of(g), g.count)
  end

  -- Sums of f(part) for the real and the imaginary part of the values.
  local function sums_of(where, g, values)
    return arguments.by_parts(values, function(part) return sums(where, g, part:astype("float64", false)) end)
  end

  local function define(names, f)
    for name in string.gmatch(names, "%S+") do
      publish(name, "input, labels, index", 1, function(where, input, labels, index)
        return f(where, groups_of(where, input, labels, index))
      end)
    end
  end

  -- ---- sums

  local function sum(where, g) return sums_of(where, g, g.values) end

  -- As in SciPy, a single sum has the dtype of an array's sum; those of a list of labels are float64.
  define("sum sum_labels", function(where, g)
    if #g.shape > 0 or g.count == 0 then return arranged(g, sum(where, g)) end
    return cp.sum(g.whole and g.values or cp.where(cp.greater_equal(ids_of(g), 0), g.values, cp.scalar(0, g.x.dtype)))
  end)
  define("mean", function(where, g) return arranged(g, sum(where, g) / counts(where, g)) end)

  -- Variances, from differences from the mean.
  local function variance(where, g)
    if g.count == 0 then return sums(where, g) end
    local n = counts(where, g)
    local mean = sum(where, g) / n
    local apart = g.values - core.gather(where, mean, cp.maximum(ids_of(g), 0) + 1)
    local squares = core.kind(apart) == "c" and cp.real(apart * cp.conj(apart)) or cp.square(apart:astype "float64")
    return sums(where, g, squares) / n
  end
  define("variance", function(where, g) return arranged(g, variance(where, g)) end)
  define("standard_deviation", function(where, g) return arranged(g, cp.sqrt(variance(where, g))) end)

  --- The centre of mass of each label: the mean position, weighted by the values.
  ---@param input any
  ---@param labels? any
  ---@param index? any  the labels; default: all elements whose label is greater than 0 together
  ---@return any  float64, positions from 1 along each axis; with a table or array of labels one row for each
  publish("center_of_mass", "input, labels, index", 1, function(where, input, labels, index)
    local g = groups_of(where, input, labels, index)
    local x, columns = g.x:astype("float64", false), {}
    local total = sums(where, g, x:ravel())
    for d, n in ipairs(g.x.shape) do
      local line = {}
      for k = 1, x.ndim do line[k] = k == d and n or 1 end
      local at = cp.arange(1, n + 1, { dtype = "float64", device = x.device }):reshape(line)
      columns[d] = arranged(g, sums(where, g, (x * at):ravel()) / total)
    end
    if #columns == 0 then return cp.zeros({ 0 }, { device = x.device }) end
    return cp.stack(columns, -1)
  end)

  -- ---- order

  -- Sorts values within groups: their positions (from 1) in the flat array, group after group, and where each
  -- group begins and ends (from 1; an empty group ends before it begins). nan comes last.
  local function sorted(where, g)
    local by_value = cp.argsort(g.values, { kind = "stable" })
    local order = cp.take(by_value, cp.argsort(cp.take(ids_of(g), by_value), { kind = "stable" }))
    local n = counts(where, g)
    local ends = cp.cumsum(n) + (g.values.size - cp.sum(n))
    return order, ends - n + 1, ends
  end

  -- The values at `at` in the sorted order of g (kept within it), 0 for groups without elements, and their
  -- flat positions.
  local function at_order(g, order, at, first, last)
    local none = cp.less(last, first)
    local place = cp.take(order, cp.clip(at, 1, order.size))
    return cp.where(none, 0, cp.take(g.values, place)):astype(g.values.dtype, false), cp.where(none, 1, place)
  end

  -- Flat positions as those along each axis, in a last axis.
  local function positions(g, flat)
    local columns, rest = {}, flat - 1
    for d = g.x.ndim, 1, -1 do
      local above = cp.floor_divide(rest, g.x.shape[d])
      columns[d], rest = arranged(g, rest - above * g.x.shape[d] + 1), above
    end
    if #columns == 0 then return cp.zeros({ 0 }, { dtype = "int64", device = g.x.device }) end
    return cp.stack(columns, -1)
  end

  local function must_have(where, g)
    if g.x.size == 0 then raise_shape(where, "input has no elements") end
  end

  -- Where among equal greatest values the first one lies: the sort is stable, so behind those that are less.
  local function greatest(g, order, first, last)
    local value = at_order(g, order, last, first, last)
    local sorted_values, ids = cp.take(g.values, order), cp.take(ids_of(g), order)
    local is_first = cp.equal(sorted_values, cp.take(value, cp.maximum(ids, 0) + 1))
    local at = cp.full({ g.count + 1 }, order.size, { dtype = "int64", device = g.x.device })
    cp.scatter_min(at, cp.where(cp.logical_and(is_first, cp.greater_equal(ids, 0)), ids + 1, 0) + 1,
      cp.arange(1, order.size + 1, { dtype = "int64", device = g.x.device }))
    return value, core.slice(at, 1, 2, g.count + 1)
  end

  local function extremes(where, g)
    must_have(where, g)
    if g.count == 0 then
      local none = cp.zeros({ 0 }, { dtype = "int64", device = g.x.device })
      local nothing = none:astype(g.values.dtype, false)
      return nothing, nothing, none, none
    end
    local order, first, last = sorted(where, g)
    local low, low_at = at_order(g, order, first, first, last)
    local high, at = greatest(g, order, first, last)
    local _, high_at = at_order(g, order, at, first, last)
    return low, high, low_at, high_at
  end

  define("minimum", function(where, g) return arranged(g, (extremes(where, g))) end)
  define("maximum", function(where, g) return arranged(g, (select(2, extremes(where, g)))) end)
  define("minimum_position", function(where, g) return positions(g, (select(3, extremes(where, g)))) end)
  define("maximum_position", function(where, g) return positions(g, (select(4, extremes(where, g)))) end)
  define("extrema", function(where, g)
    local low, high, low_at, high_at = extremes(where, g)
    return arranged(g, low), arranged(g, high), positions(g, low_at), positions(g, high_at)
  end)

  define("median", function(where, g)
    must_have(where, g)
    local order, first, last = sorted(where, g)
    local sum_of_ends = first + last
    local low = at_order(g, order, cp.floor_divide(sum_of_ends, 2), first, last)
    local high = at_order(g, order, cp.floor_divide(sum_of_ends + 1, 2), first, last)
    if not core.is_inexact(low) then low, high = low:astype "float64", high:astype "float64" end
    return arranged(g, cp.where(cp.less(last, first), cp.nan, low + (high - low) / 2))
  end)

  -- ---- by values and functions

  --- The histogram of each label's values.
  ---@param input any
  ---@param min number
  ---@param max number
  ---@param bins integer
  ---@param labels? any
  ---@param index? any  the labels; default: all elements whose label is greater than 0 together
  ---@return any  int64, one row for each label
  publish("histogram", "input, min, max, bins, labels, index", 4,
    function(where, input, min, max, bins, labels, index)
      local g = groups_of(where, input, labels, index)
      min, max = core.number(min, where, "min"), core.number(max, where, "max")
      bins = core.integer(bins, where, "bins", nil, 1, 2 ^ 31)
      if min >= max or min ~= min or max ~= max then usage(where, "max must be greater than min") end
      local edges = cp.linspace(min, max, bins + 1, { device = g.x.device })
      local v = g.values:astype("float64", false)
      local bin = cp.minimum(cp.searchsorted(edges, v, "right") - 1, bins) - 1
      local inside = cp.logical_and(cp.logical_and(cp.greater_equal(v, min), cp.less_equal(v, max)),
        cp.greater_equal(ids_of(g), 0))
      local number = cp.where(inside, ids_of(g) * bins + bin, -1):astype("int64", false)
      local all = g.count > 0 and core.count(where, number, g.count * bins)
        or cp.zeros({ 0 }, { dtype = "int64", device = g.x.device })
      all = all:reshape(g.count, bins)
      if g.pick then all = cp.take(all, g.pick, 1) end
      local shape = { unpack(g.shape) }
      shape[#shape + 1] = bins
      return all:reshape(shape)
    end)

  --- Applies a function to the values of each label.
  ---@param input any
  ---@param labels any  nil: all elements together
  ---@param index any  the labels; nil: all elements whose label is greater than 0 together
  ---@param func function  gets a vector of a label's values, in C order, and returns a number or a 0-d array
  ---@param out_dtype string
  ---@param default number  for labels without elements
  ---@param pass_positions? boolean  also pass the values' flat positions
  ---@return any
  publish("labeled_comprehension", "input, labels, index, func, out_dtype, default, pass_positions", 1,
    function(where, input, labels, index, func, out_dtype, default, pass_positions)
      func = core.callable(func, where, "func")
      out_dtype, default = core.dtype(out_dtype, where), core.number(default, where, "default")
      local g = groups_of(where, input, labels, index)
      local order, n = cp.argsort(ids_of(g), { kind = "stable" }), counts(where, g):totable()
      local at, results = g.values.size, {}
      for k = 1, g.count do at = at - n[k] end
      for k = 1, g.count do
        results[k] = default
        if n[k] > 0 then
          local flat = core.slice(order, 1, at + 1, at + n[k])
          local v = func(cp.take(g.values, flat), pass_positions and flat or nil)
          if cp.is_array(v) then v = v:item() end
          results[k] = core.number(v, where, "func's result")
        end
        at = at + n[k]
      end
      local all = cp.array(results, { dtype = out_dtype, device = g.x.device })
      return arranged(g, all:reshape(g.count))
    end)
end
