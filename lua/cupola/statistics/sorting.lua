-- Sorting and searching. core.sort sorts real dtypes along the last axis; complex numbers are sorted by their
-- real, then their imaginary parts. Positions count from 1.

return function(cp, core)
  local method = core.method

  local function is_complex(x) return core.kind(x) == "c" end

  -- ---- along the last axis

  -- The elements of x at the positions `places` in each row (int64, of x's shape).
  local function along(where, x, places)
    if x.ndim == 1 then return core.gather(where, x, places) end
    local n = core.extent(places, -1)
    if x.size == core.extent(x, -1) then return core.gather(where, x, places) end
    local rows = math.floor(x.size / core.extent(x, -1))
    local starts = cp.arange(rows, { device = x.device }):reshape({ rows, 1 }) * core.extent(x, -1)
    return core.gather(where, x, places:reshape({ rows, n }) + starts):reshape(places.shape)
  end


  -- Positions that sort rows by several keys of equal shape; the last key is the primary one.
  local function order(where, keys)
    local places = core.sort(where, keys[1], true)
    for k = 2, #keys do
      if places.size == 0 then break end
      places = along(where, places, core.sort(where, along(where, keys[k], places), true))
    end
    return places
  end

  local function parts_of(x)
    local re, im = x.real, x.imag
    return { im, re, cp.isnan(re):astype("uint8") * 2 + cp.isnan(im):astype("uint8") }
  end

  -- Positions of x's elements in sorted order along the last axis.
  local function ordered(where, x)
    if is_complex(x) then return order(where, parts_of(x)) end
    return core.sort(where, x, true)
  end

  local function sorted(where, x)
    if not is_complex(x) then return core.sort(where, x, false) end
    if x.size == 0 then return x:copy() end
    return along(where, x, ordered(where, x))
  end

  core.ordered, core.sorted = ordered, sorted

  -- ---- along any axis

  local KINDS = { quicksort = true, mergesort = true, heapsort = true, stable = true }

  local function check_kind(where, kind)
    if kind == nil or KINDS[kind] then return end
    core.not_among(where, "kind", '"quicksort", "mergesort", "heapsort" or "stable"', kind)
  end

  local function check_selection(where, kind)
    if kind ~= nil and kind ~= "introselect" then core.not_among(where, "kind", '"introselect"', kind) end
  end

  -- Applies f(where, x) along an axis: the last if nil; if false, to the flat array.
  local function on_axis(where, x, axis, f)
    x = core.as_array(x, where, "a")
    if axis == false then x, axis = x:reshape(-1), 1 end
    if x.ndim == 0 then core.raise(where, "shape", "a must have at least one axis") end
    axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
    if axis == x.ndim then return f(where, x) end
    return cp.moveaxis(f(where, cp.moveaxis(x, axis, -1)), -1, axis):copy()
  end

  -- A 0-d array becomes a vector of one element.
  local function with_axis(where, a)
    a = core.as_array(a, where, "a")
    return a.ndim == 0 and a:reshape(1) or a
  end

  -- The two functions in descending order are those of the reversed row, reversed: nan comes first, and equal
  -- elements keep their order.
  local function reversed(x) return cp.flip(x, -1) end

  local function sorted_down(where, x) return reversed(sorted(where, x)):copy() end

  local function ordered_down(where, x)
    return core.extent(x, -1) + 1 - reversed(ordered(where, reversed(x)))
  end

  -- Checks the options of a sort; returns whether it is descending.
  local function descends(where, kind, descending, stable)
    if kind == nil and descending == nil and stable == nil then return false end
    check_kind(where, kind)
    core.boolean(stable, where, "stable", true)
    return core.boolean(descending, where, "descending", false)
  end

  --- Sorts along an axis: in ascending order, nan last, or in descending order, nan first; complex values by
  --- their real, then their imaginary parts. Returns a copy; x:sort_() sorts in place.
  ---@param a any
  ---@param axis? any  default: the last; false: the flat array
  ---@param kind? string  accepted as in NumPy; every sort is stable
  ---@param descending? boolean  default false
  ---@param stable? boolean  accepted as in the array API standard; every sort is stable
  ---@return any
  method("sort", "a, axis, kind, descending, stable", 1, function(where, a, axis, kind, descending, stable)
    if descends(where, kind, descending, stable) then return on_axis(where, a, axis, sorted_down) end
    local result = core.sort_last(where, a, false, axis) -- the most common case, in one step
    if result then return result end
    return on_axis(where, a, axis, sorted)
  end)

  --- The positions, from 1, that sort the elements; equal elements keep their order. Arguments as for sort.
  ---@param a any
  ---@param axis? any  default: the last; false: the flat array
  ---@param kind? string  accepted as in NumPy; every sort is stable
  ---@param descending? boolean  default false
  ---@param stable? boolean  accepted as in the array API standard; every sort is stable
  ---@return any  int64 array
  method("argsort", "a, axis, kind, descending, stable", 1, function(where, a, axis, kind, descending, stable)
    if descends(where, kind, descending, stable) then
      return on_axis(where, with_axis(where, a), axis, ordered_down)
    end
    local result = core.sort_last(where, a, true, axis)
    if result then return result end
    return on_axis(where, with_axis(where, a), axis, ordered)
  end)

  -- Applies part(where, x, first, last) along an axis of a, where first and last are the least and the
  -- greatest position of kth: a position from 1, or a table of them. Negative positions count from the end.
  local function at_kth(where, a, kth, axis, part)
    local x = core.as_array(a, where, "a")
    if x.ndim == 0 then core.raise(where, "shape", "a must have at least one axis") end
    local n = axis == false and x.size or core.extent(x, core.axis(axis, where, "axis", x.ndim, x.ndim))
    if cp.is_array(kth) then kth = kth:reshape(-1):totable() end
    local first, last
    for _, k in ipairs(type(kth) == "table" and kth or { kth }) do
      k = core.integer(k, where, "kth")
      if k == 0 then core.raise(where, "index", "kth counts from 1; there is no position 0") end
      if k > n or k < -n then
        core.raise(where, "index", string.format("kth %d is out of range for an axis of length %d", k, n))
      end
      if k < 0 then k = n + 1 + k end
      first, last = math.min(k, first or k), math.max(k, last or k)
    end
    return on_axis(where, x, axis, function(_, y) return part(where, y, first, last) end)
  end

  -- The elements of x, or their positions, so that those from first to last are where sort puts them.
  local function parted(where, x, first, last)
    if is_complex(x) or first == nil then return sorted(where, x) end
    return core.sort(where, x, false, first, last)
  end

  local function parted_order(where, x, first, last)
    if is_complex(x) or first == nil then return ordered(where, x) end
    return core.sort(where, x, true, first, last)
  end

  --- Reorders the elements so that the one at position kth is where sort puts it, with no larger one before
  --- and no smaller one after it. The order on both sides may vary with the device.
  ---@param a any
  ---@param kth any  a position from 1, or a table of them
  ---@param axis? any  default: the last; false: the flat array
  ---@param kind? string  "introselect"
  ---@return any
  method("partition", "a, kth, axis, kind", 2, function(where, a, kth, axis, kind)
    check_selection(where, kind)
    return at_kth(where, a, kth, axis, parted)
  end)

  --- The positions, from 1, that partition the elements.
  ---@param a any
  ---@param kth any  a position from 1, or a table of them
  ---@param axis? any  default: the last; false: the flat array
  ---@param kind? string  "introselect"
  ---@return any  int64 array
  method("argpartition", "a, kth, axis, kind", 2, function(where, a, kth, axis, kind)
    check_selection(where, kind)
    return at_kth(where, with_axis(where, a), kth, axis, parted_order)
  end)

  local function in_place(name, names, required, f)
    method(name, names, required, function(where, a, ...)
      if not cp.is_array(a) then core.raise(where, "usage", "a must be an array, not " .. type(a)) end
      return core.write(where, a, f(a, ...))
    end)
  end

  --- Sorts an array in place and returns it. Arguments as for sort.
  ---@param a any
  ---@param axis? integer  default: the last
  ---@param kind? string
  ---@param descending? boolean
  ---@param stable? boolean
  ---@return any
  in_place("sort_", "a, axis, kind, descending, stable", 1, function(a, axis, kind, descending, stable)
    return on_axis("sort_", a, axis or nil, descends("sort_", kind, descending, stable) and sorted_down or sorted)
  end)
  --- Partitions an array in place and returns it. Arguments as for partition.
  ---@param a any
  ---@param kth any
  ---@param axis? integer  default: the last
  ---@param kind? string
  ---@return any
  in_place("partition_", "a, kth, axis, kind", 2, function(a, kth, axis, kind)
    check_selection("partition_", kind)
    return at_kth("partition_", a, kth, axis or nil, parted)
  end)

  local COMPLEX = { int8 = "complex64", uint8 = "complex64", int16 = "complex64", uint16 = "complex64",
    complex64 = "complex64" } -- other dtypes become complex128, as in NumPy

  --- Sorts the array as complex numbers in ascending order along the last axis.
  ---@param a any
  ---@return any  complex64 for complex64 and integers up to 16 bits, else complex128
  core.publish("sort_complex", "a", 1, function(where, a)
    local x = core.as_array(a, where, "a")
    if x.ndim == 0 then core.raise(where, "shape", "a must have at least one axis") end
    return sorted(where, x:astype(COMPLEX[x.dtype] or "complex128"))
  end)

  local function row(x, k)
    local shape = {}
    for d = 2, x.ndim do shape[d - 1] = core.extent(x, d) end
    return core.slice(x, 1, k, k):reshape(shape)
  end

  -- The keys of lexsort as a list of arrays with the sorted axis last; nil for 0-d keys.
  local function keys_of(keys, axis)
    local list, count = {}, 0
    if cp.is_array(keys) and keys.ndim > 0 or type(keys) == "table" then count = #keys end
    if count == 0 then
      core.raise("lexsort", "usage", "keys must be a table of arrays, or an array of rows")
    end
    for k = 1, count do
      local key = cp.is_array(keys) and row(keys, k) or keys[k]
      list[k] = core.as_array(key, "lexsort", cp.is_array(key) and "keys" or string.format("keys[%d]", k))
      if not core.same_shape(list[k], list[1]) then
        core.raise("lexsort", "shape", "shapes " .. list[1].shape .. " and " .. list[k].shape .. " differ")
      end
    end
    if list[1].ndim == 0 then return nil end
    axis = core.axis(axis, "lexsort", "axis", list[1].ndim, list[1].ndim)
    local parts = {}
    for _, key in ipairs(list) do
      if axis ~= key.ndim then key = cp.moveaxis(key, axis, -1) end
      if is_complex(key) then
        for _, part in ipairs(parts_of(key)) do parts[#parts + 1] = part end
      else
        parts[#parts + 1] = key
      end
    end
    return parts, axis
  end

  core.order = order

  --- The positions, from 1, that sort by several keys: by the last key, equal ones by the key before it, and
  --- so on.
  ---@param keys any  a table of arrays of equal shape, or an array with a key in each row
  ---@param axis? integer  default: the last
  ---@return any  int64 array
  core.publish("lexsort", "keys, axis", 1, function(where, keys, axis)
    local parts, at = keys_of(keys, axis)
    if not parts then return cp.ones({}, "int64") end
    local places = order(where, parts)
    return at == places.ndim and places or cp.moveaxis(places, -1, at):copy()
  end)

  -- ---- searching

  -- A table or number as an array on a's device.
  local function beside(where, a, value, argument)
    if cp.is_array(value) then return core.as_array(value, where, argument) end
    return core.as_array(value, where, argument):to(a.device)
  end

  core.beside = beside

  local function search(where, a, v, behind)
    local common = cp.promote_types(a, v)
    return core.search(where, a:astype(common, false), v:astype(common, false), behind)
  end

  core.search_sorted = search

  --- Finds where to insert values in a sorted vector to keep it sorted: the position, from 1, of the element
  --- before which each is inserted, or #a + 1 for the end.
  ---@param a any  vector in ascending order
  ---@param v any  values, of any shape
  ---@param side? string  "left" (default): before equal elements, "right": after them
  ---@param sorter? any  positions that sort a, such as those of argsort
  ---@return any  int64 array of v's shape
  method("searchsorted", "a, v, side, sorter", 2, function(where, a, v, side, sorter)
    a = core.as_array(a, where, "a")
    v = beside(where, a, v, "v")
    if a.ndim ~= 1 then core.raise(where, "shape", "a must be a vector, not of shape " .. a.shape) end
    if side ~= nil and side ~= "left" and side ~= "right" then
      core.not_among(where, "side", '"left" or "right"', side)
    end
    if sorter ~= nil then
      sorter = beside(where, a, sorter, "sorter")
      if not sorter:has_shape(#a) then
        core.raise(where, "shape", "sorter has shape " .. sorter.shape .. " for a vector of " .. a.shape)
      end
      local places = sorter:astype("int64", false)
      if #a > 0 and (places:min():item() < 1 or places:max():item() > #a) then
        core.raise(where, "index", string.format("sorter has positions outside 1 to %d", #a))
      end
      a = core.gather(where, a, places)
    end
    return search(where, a, v, side == "right")
  end)
end
