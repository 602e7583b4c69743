-- Arrays as sets. All functions sort, so that equal elements become adjacent.

return function(cp, core)
  local slice = core.slice

  local method = core.method

  -- The elements of x (nil: the positions) where the mask, a bool vector, is true.
  local function picked(where, x, mask)
    if x == nil then return core.positions(where, mask):reshape(-1) end
    return core.choose(where, x, mask)
  end

  -- Whether each element of the sorted vector s differs from the previous one.
  local function changes(where, s, equal_nan)
    local n = #s
    local mask = cp.ones({ n }, { dtype = "bool", device = s.device })
    if n < 2 then return mask end
    local here, before = slice(s, 1, 2, n), slice(s, 1, 1, n - 1)
    local differ = cp.not_equal(here, before)
    if equal_nan and core.is_inexact(s) then
      differ = cp.logical_and(differ, cp.logical_not(cp.logical_and(cp.isnan(here), cp.isnan(before))))
    end
    core.write(where, slice(mask, 1, 2, n), differ)
    return mask
  end

  -- The results of unique besides the elements, from the mask of first elements and the positions before
  -- sorting.
  local function companions(where, mask, places, wanted)
    local n, list = #mask, {}
    if n == 0 then
      for k = 1, #wanted do list[k] = cp.empty({ 0 }, { dtype = "int64", device = mask.device }) end
      return list
    end
    local starts = picked(where, nil, mask)
    for k, name in ipairs(wanted) do
      if name == "index" then
        list[k] = core.gather(where, places, starts)
      elseif name == "inverse" then
        list[k] = core.put_rows(where, core.scan(where, "sum", mask, 1, "int64"), places)
      else
        list[k] = cp.diff(starts, { append = cp.full({ 1 }, n + 1, { dtype = "int64", device = mask.device }) })
      end
    end
    return list
  end

  -- The unique elements of a vector, and a list of the other results.
  local function unique_of(where, x, wanted, equal_nan)
    if #wanted == 0 then
      local s = core.sorted(where, x)
      return picked(where, s, changes(where, s, equal_nan)), {}
    end
    local places = core.ordered(where, x)
    local s = #x > 0 and core.gather(where, x, places) or x
    local mask = changes(where, s, equal_nan)
    return picked(where, s, mask), companions(where, mask, places, wanted)
  end

  -- The unique slices along an axis if slices have no elements, so that all are equal, or if there are none.
  local function unique_of_empty(x, axis, wanted)
    local n, shape, list = core.extent(x, axis), { unpack(x.shape) }, {}
    local options = { dtype = "int64", device = x.device }
    shape[axis] = math.min(n, 1)
    for k, name in ipairs(wanted) do
      list[k] = cp.full(name == "inverse" and n or shape[axis], name == "counts" and n or 1, options)
    end
    return cp.empty(shape, { dtype = x.dtype, device = x.device }), list
  end

  -- The unique slices along an axis, in the order of their elements.
  local function unique_slices(where, x, axis, wanted)
    if x.size == 0 then return unique_of_empty(x, axis, wanted) end
    local moved = cp.moveaxis(x, axis, 1)
    local n, shape = core.extent(moved, 1), { -1 }
    for k = 2, moved.ndim do shape[k] = core.extent(moved, k) end
    local width = math.floor(x.size / n)
    local rows = moved:reshape({ n, width })
    local columns, keys = rows.T:copy(), {}
    for k = width, 1, -1 do
      local column = slice(columns, 1, k, k):reshape({ n })
      if core.kind(x) == "c" then keys[#keys + 1] = column.imag end
      keys[#keys + 1] = core.kind(x) == "c" and column.real or column
    end
    local places = core.order(where, keys)
    local steps = cp.arange(width, { device = x.device }):reshape({ 1, width })
    local s = core.gather(where, rows, (places - 1):reshape({ n, 1 }) * width + steps + 1)
    local mask = cp.ones({ n }, { dtype = "bool", device = x.device })
    if n > 1 then
      core.write(where, slice(mask, 1, 2, n), cp.not_equal(slice(s, 1, 2, n), slice(s, 1, 1, n - 1)):any(2))
    end
    local starts = picked(where, nil, mask)
    local kept = core.gather(where, s, (starts - 1):reshape({ #starts, 1 }) * width + steps + 1)
    return cp.moveaxis(kept:reshape(shape), 1, axis):copy(), companions(where, mask, places, wanted)
  end

  local function unique(where, ar, axis, wanted, equal_nan)
    ar = core.as_array(ar, where, "ar")
    local values, list
    if axis ~= nil then axis = core.axis(axis, where, "axis", ar.ndim) end
    if axis ~= nil and ar.ndim > 1 then
      values, list = unique_slices(where, ar, axis, wanted)
    else
      values, list = unique_of(where, ar:reshape(-1), wanted, equal_nan)
      for k, name in ipairs(wanted) do
        if name == "inverse" then list[k] = list[k]:reshape(ar.shape) end
      end
    end
    return values, unpack(list)
  end

  local flags = "ar, return_index, return_inverse, return_counts, axis, equal_nan, sorted"

  --- The unique elements in ascending order; then, if requested: the position (from 1) in ar of the first of
  --- each, for every element of ar its position in the result, and how often each occurs.
  ---@param ar any
  ---@param return_index? boolean
  ---@param return_inverse? boolean
  ---@param return_counts? boolean
  ---@param axis? integer  unique slices along this axis; default: elements of the flat array
  ---@param equal_nan? boolean  whether all nans are equal; default true. Slices with nan are never equal
  ---@param sorted? boolean  ignored: they always are
  ---@return any
  method("unique", flags, 1, function(where, ar, index, inverse, counts, axis, equal_nan)
    local wanted = {}
    if core.boolean(index, where, "return_index", false) then wanted[1] = "index" end
    if core.boolean(inverse, where, "return_inverse", false) then wanted[#wanted + 1] = "inverse" end
    if core.boolean(counts, where, "return_counts", false) then wanted[#wanted + 1] = "counts" end
    return unique(where, ar, axis, wanted, core.boolean(equal_nan, where, "equal_nan", true))
  end)

  local function standard(name, wanted)
    core.publish(name, "x", 1, function(where, x) return unique(where, x, nil, wanted, false) end)
  end
  --- The unique elements; every nan is unique.
  ---@param x any
  ---@return any
  standard("unique_values", {})
  --- The unique elements, and how often each occurs.
  ---@param x any
  ---@return any
  ---@return any
  standard("unique_counts", { "counts" })
  --- The unique elements, and for every element of x its position among them.
  ---@param x any
  ---@return any
  ---@return any
  standard("unique_inverse", { "inverse" })
  --- The unique elements, the positions of their first occurrences, the positions of all elements among them,
  --- and counts.
  ---@param x any
  ---@return any
  ---@return any
  ---@return any
  ---@return any
  standard("unique_all", { "index", "inverse", "counts" })

  -- ---- membership

  local function pair_of(where, a, b, names)
    local one, two
    if cp.is_array(b) and not cp.is_array(a) then
      two = core.as_array(b, where, names[2])
      one = core.beside(where, two, a, names[1])
    else
      one = core.as_array(a, where, names[1])
      two = core.beside(where, one, b, names[2])
    end
    local common = cp.promote_types(one, two)
    return one:astype(common, false), two:astype(common, false)
  end

  -- Whether each element of x is in the array y of integers, both not empty, as read in a table of all from
  -- y's least to its greatest. nil where that would be much longer than both arrays. Only for the CPU: others
  -- would wait for the least and the greatest.
  local function found_in_table(where, x, y, invert)
    local kind = core.kind(x)
    if x.device ~= "cpu" or (kind ~= "i" and kind ~= "u") then return nil end
    local low, high = cp.min(y), cp.max(y)
    local function place(z) return z:astype "int64" - low:astype "int64" + 1 end
    local range = tonumber(place(high):item()) -- below 1 where it is 2^63 or more
    if range < 1 or range > 6 * (x.size + y.size) then return nil end
    local present = cp.full(range + 1, invert, { dtype = "bool", device = "cpu" })
    present[place(y:reshape(-1))] = not invert
    local is_inside = cp.logical_and(x:ge(low), x:le(high))
    return core.gather(where, present, cp.where(is_inside, place(x), range + 1))
  end

  -- Whether each element of x is one of the few of y: a comparison with each, in one pass.
  local FEW = 10
  local function is_one_of(x, y, invert)
    local found
    for k = 1, y.size do
      local one = x[invert and "ne" or "eq"](x, slice(y, 1, k, k):reshape {})
      found = found and (invert and cp.logical_and or cp.logical_or)(found, one) or one
    end
    return found
  end

  -- Whether each element of x is in the array y (of x's dtype).
  local function is_member(where, x, y, invert)
    if y.size == 0 or x.size == 0 then
      return cp.full(x.shape, invert and y.size == 0, { dtype = "bool", device = x.device })
    end
    if y.size <= FEW then return is_one_of(x, y:reshape(-1), invert) end
    local result = found_in_table(where, x, y, invert)
    if result then return result end
    local s = core.sorted(where, y:reshape(-1))
    local found = core.gather(where, s, cp.minimum(core.search(where, s, x, false), #s))
    return invert and cp.not_equal(found, x) or cp.equal(found, x)
  end

  -- How NumPy is to search; the device and the sizes choose here.
  local function check_kind(where, kind)
    if kind ~= nil and kind ~= "sort" and kind ~= "table" then
      core.not_among(where, "kind", '"sort" or "table"', kind)
    end
  end

  --- Whether each element is among test_elements.
  ---@param element any
  ---@param test_elements any
  ---@param assume_unique? boolean  ignored
  ---@param invert? boolean  return whether it is not; default false
  ---@param kind? string  "sort" or "table"; ignored
  ---@return any  bool array of element's shape
  method("isin", "element, test_elements, assume_unique, invert, kind", 2, function(where, x, y, _, invert, kind)
    check_kind(where, kind)
    x, y = pair_of(where, x, y, { "element", "test_elements" })
    return is_member(where, x, y, core.boolean(invert, where, "invert", false))
  end)

  --- Like isin, for the flat array.
  ---@param ar1 any
  ---@param ar2 any
  ---@param assume_unique? boolean  ignored
  ---@param invert? boolean  default false
  ---@param kind? string  "sort" or "table"; ignored
  ---@return any  bool vector
  core.publish("in1d", "ar1, ar2, assume_unique, invert, kind", 2, function(where, x, y, _, invert, kind)
    check_kind(where, kind)
    x, y = pair_of(where, x, y, { "ar1", "ar2" })
    return is_member(where, x:reshape(-1), y, core.boolean(invert, where, "invert", false))
  end)

  -- ---- two sets

  local NAMES = { "ar1", "ar2" }

  local function is_unique(where, assume) return core.boolean(assume, where, "assume_unique", false) end

  --- The elements that are in both arrays, in ascending order.
  ---@param ar1 any
  ---@param ar2 any
  ---@param assume_unique? boolean  ignored
  ---@param return_indices? boolean  return their first positions in both arrays, too
  ---@return any
  core.publish("intersect1d", "ar1, ar2, assume_unique, return_indices", 2, function(where, x, y, _, indices)
    x, y = pair_of(where, x, y, NAMES)
    local wanted = core.boolean(indices, where, "return_indices", false) and { "index" } or {}
    local one, at_one = unique_of(where, x:reshape(-1), wanted, true)
    local two, at_two = unique_of(where, y:reshape(-1), wanted, true)
    local in_two = is_member(where, one, two, false)
    local common = picked(where, one, in_two)
    if #wanted == 0 then return common end
    return common, picked(where, at_one[1], in_two), picked(where, at_two[1], is_member(where, two, one, false))
  end)

  --- The elements that are in at least one of two arrays, in ascending order.
  ---@param ar1 any
  ---@param ar2 any
  ---@return any
  core.publish("union1d", "ar1, ar2", 2, function(where, x, y)
    x, y = pair_of(where, x, y, NAMES)
    return (unique_of(where, cp.concatenate { x:reshape(-1), y:reshape(-1) }, {}, true))
  end)

  --- The elements of ar1 that are not in ar2, in ascending order.
  ---@param ar1 any
  ---@param ar2 any
  ---@param assume_unique? boolean  whether ar1 has no duplicates: its order is kept
  ---@return any  of ar1's dtype
  core.publish("setdiff1d", "ar1, ar2, assume_unique", 2, function(where, x, y, assume)
    local promoted, others = pair_of(where, x, y, NAMES)
    x = (cp.is_array(x) and x or promoted):reshape(-1)
    if not is_unique(where, assume) then x = unique_of(where, x, {}, true) end
    return picked(where, x, is_member(where, x:astype(promoted.dtype, false), others, true))
  end)

  --- The elements that are in exactly one of the arrays, in ascending order.
  ---@param ar1 any
  ---@param ar2 any
  ---@param assume_unique? boolean  whether the arrays have no duplicates
  ---@return any
  core.publish("setxor1d", "ar1, ar2, assume_unique", 2, function(where, x, y, assume)
    x, y = pair_of(where, x, y, NAMES)
    x, y = x:reshape(-1), y:reshape(-1)
    if not is_unique(where, assume) then
      x, y = unique_of(where, x, {}, true), unique_of(where, y, {}, true)
    end
    local s = core.sorted(where, cp.concatenate { x, y })
    if #s == 0 then return s end
    local first = changes(where, s, false)
    local last = cp.ones({ #s }, { dtype = "bool", device = s.device })
    core.write(where, slice(last, 1, 1, #s - 1), slice(first, 1, 2, #s))
    return picked(where, s, cp.logical_and(first, last))
  end)
end
