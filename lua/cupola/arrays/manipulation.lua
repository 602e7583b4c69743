-- Joining, splitting, repeating and moving elements. It consists of views, assignments and values that read
-- elements where they lie (core.moved), so it runs on every device; split returns views. Axes count from 1.
-- Padding is in lua/cupola/arrays/padding.lua.

return function(cp, core)

  local both, method = core.both, core.method

  local raise_shape = core.raise_shape

  -- A view of positions first..last (from 1; last may be first - 1) along an axis.
  local function slice(x, axis, first, last, step)
    local items = {}
    for k = 1, axis - 1 do items[k] = {} end
    items[axis] = { first, last, step }
    return x[items]
  end

  core.slice = slice

  local function step(list, k)
    if k < #list then return k + 1, list[k + 1] end
  end

  -- Iterates over a list of possibly many values, nil included; the host may interrupt the loop. The list
  -- keeps its length meanwhile.
  function core.each(where, list)
    local count = #list
    if count < 256 then return step, list, 0 end
    return function(t, k)
      if k % 256 == 255 then core.check_interrupt(where) end
      if k < count then return k + 1, t[k + 1] end
    end, list, 0
  end

  local function shape_of(x) return { unpack(x.shape) } end

  local function new_like(x, shape, dtype) return cp.empty(shape, { dtype = dtype or x.dtype, device = x.device }) end

  -- What errors call the elements of a list; the first names are made once.
  local element_names = {}
  for k = 1, 16 do element_names[k] = string.format("arrays[%d]", k) end
  local function element_name(k) return element_names[k] or string.format("arrays[%d]", k) end

  -- A list of arrays from a table of arrays, tables and numbers, or an array. following: the next argument.
  local function list_of(where, arrays, following)
    local list, form = {}, "cp." .. where .. "{a, b}"
    if cp.is_array(following) then core.raise(where, "usage", "the arrays are one argument, a table: " .. form) end
    if cp.is_array(arrays) then arrays = core.as_array(arrays, where, "arrays") end -- raises if freed
    if cp.is_array(arrays) and arrays.ndim > 0 then
      for k = 1, #arrays do
        list[k] = slice(arrays, 1, k, k)
        list[k] = list[k]:reshape({ unpack(list[k].shape, 2) })
      end
    elseif type(arrays) == "table" then
      list = core.as_arrays(where, arrays, element_name)
    else
      core.raise(where, "usage", "arrays must be a table of arrays, as in " .. form .. ", not "
        .. (arrays == nil and "nil (missing)" or type(arrays)))
    end
    if #list == 0 then core.raise(where, "usage", "needs at least one array") end
    return list
  end

  -- ---- joining

  -- Joins the list along an axis that all arrays have, in their promoted dtype or another that the casting
  -- rule allows.
  local function join(where, list, axis, out, dtype, casting)
    local first = list[1]
    if first.ndim == 0 then raise_shape(where, "0-d arrays cannot be joined; cp.stack gives them an axis") end
    axis = core.axis(axis, where, "axis", first.ndim, 1)
    local joined = out == nil and casting == nil and core.join_bytes(where, list, axis, dtype)
    if joined then return joined end
    local shape, total = shape_of(first), core.join_length(where, list, axis)
    if total < 0 then
      local other = list[-total].shape
      raise_shape(where, "shapes " .. first.shape .. " and " .. other .. " differ beside axis " .. axis)
    end
    shape[axis] = core.length(where, 0, total)
    local result = out
    if out == nil then
      result = new_like(first, shape, dtype ~= nil and core.dtype(dtype, where) or core.common_dtype(where, list))
    elseif not cp.is_array(out) or not out:has_shape(unpack(shape)) then
      raise_shape(where, "out must be an array of shape " .. core.shape(shape, where, "shape"))
    end
    if out == nil and casting == nil and core.join_pending(where, result, list, axis) then return result end
    local done = 0
    for _, x in ipairs(list) do
      local n = x.shape[axis]
      if casting ~= nil then
        core.check_cast(where, x, result, casting)
        x = x:astype(result.dtype, false)
      end
      if n > 0 then core.write(where, slice(result, axis, done + 1, done + n), x) end
      done = done + n
    end
    return result
  end

  --- Joins arrays along an existing axis: `cp.concatenate{a, b, axis = 2}`.
  ---@param arrays table  arrays whose shapes differ only along the axis
  ---@param axis? integer|false  default 1; false joins the flat arrays
  ---@param out? any  array of the result's shape
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
  ---@return any
  core.publish("concatenate", "arrays, axis, out, dtype, casting", 1, function(where, arrays, axis, ...)
    local out, dtype, casting = ...
    if (axis == nil or axis == 1) and out == nil and casting == nil then -- perhaps thousands, at once
      local joined = core.join_bytes(where, arrays, 1, dtype)
      if joined then return joined end
    end
    local list = list_of(where, arrays, axis)
    if axis == false then
      for k, x in ipairs(list) do list[k] = x:reshape(-1) end
      axis = 1
    end
    return join(where, list, axis, out, dtype, casting)
  end)
  cp.concat = cp.concatenate

  --- Joins arrays of the same shape along a new axis.
  ---@param arrays table
  ---@param axis? integer  the position of the new axis in the result; default 1
  ---@param out? any
  ---@param dtype? string
  ---@param casting? string  "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
  ---@return any
  core.publish("stack", "arrays, axis, out, dtype, casting", 1, function(where, arrays, axis, ...)
    local list = list_of(where, arrays, axis)
    local first = list[1]
    axis = core.axis(axis, where, "axis", first.ndim + 1, 1)
    for k, x in core.each(where, list) do
      if not core.same_shape(x, first) then
        raise_shape(where, "shapes " .. first.shape .. " and " .. x.shape .. " differ")
      end
      list[k] = cp.expand_dims(x, axis)
    end
    return join(where, list, axis, ...)
  end)

  -- A function that reshapes every array and joins them.
  local function joiner(name, form, axis_of)
    core.publish(name, "arrays, dtype, casting", 1, function(where, arrays, dtype, casting)
      local list = list_of(where, arrays, dtype)
      for k, x in core.each(where, list) do list[k] = form(x) end
      return join(where, list, axis_of(list[1]), nil, dtype, casting)
    end)
  end

  local function first_axis() return 1 end

  --- Joins arrays along the first axis; (n) counts as (1, n).
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("vstack", cp.atleast_2d, first_axis)
  cp.row_stack = cp.vstack
  --- Joins arrays along the second axis, vectors along their only axis.
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("hstack", cp.atleast_1d, function(x) return x.ndim == 1 and 1 or 2 end)
  --- Joins arrays along the third axis; (n) counts as (1, n, 1), (n, m) as (n, m, 1).
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("dstack", cp.atleast_3d, function() return 3 end)
  --- Joins vectors as columns, and matrices along the second axis.
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("column_stack", function(x) return x.ndim < 2 and x:reshape({ x.size, 1 }) or x end, function() return 2 end)

  --- Appends values to an array; without an axis both are flattened first.
  ---@param arr any
  ---@param values any
  ---@param axis? integer
  ---@return any
  method("append", "arr, values, axis", 2, function(where, arr, values, axis)
    local list = core.as_arrays(where, { arr, values }, function(k) return k == 1 and "arr" or "values" end)
    if axis == nil then list[1], list[2] = list[1]:reshape(-1), list[2]:reshape(-1) end
    return join(where, list, axis)
  end)

  -- ---- splitting

  -- Views between cuts: piece k begins after ends[k] elements and stops after ends[k + 1].
  local function cut(where, x, axis, ends)
    local pieces, count = {}, #ends - 1
    for k, after in core.each(where, ends) do
      if k <= count then pieces[k] = slice(x, axis, after + 1, math.max(after, ends[k + 1])) end
    end
    return pieces
  end

  local MOST_EMPTY = 1000000 -- the most empty parts that split makes

  local function ends_of_parts(n, parts)
    local ends, size, longer = { 0 }, math.floor(n / parts), n % parts
    for k = 1, parts do ends[k + 1] = ends[k] + size + (k <= longer and 1 or 0) end
    return ends
  end

  -- Positions of cuts, after so many elements; negative ones count from the end.
  local function ends_of_cuts(where, n, cuts)
    local ends = { 0 }
    for k, c in core.each(where, cuts) do
      c = core.integer(c, where, string.format("cut %d", k))
      ends[k + 1] = math.max(0, math.min(n, c < 0 and c + n or c))
    end
    ends[#ends + 1] = n
    return ends
  end

  local function split(where, x, cuts, axis, uneven)
    local n = x.shape[axis]
    if cp.is_array(cuts) and cuts.ndim == 1 then cuts = cuts:totable() end
    if type(cuts) == "table" then return cut(where, x, axis, ends_of_cuts(where, n, cuts)) end
    local parts = core.integer(cuts, where, "indices_or_sections")
    if parts > n + MOST_EMPTY then
      raise_shape(where, string.format("%d parts of an axis of length %d are too many", parts, n))
    end
    if parts < 1 then raise_shape(where, string.format("the number of parts must be 1 or more, but is %d", parts)) end
    if n % parts ~= 0 and not uneven then
      local fact = "axis %d of length %d does not divide into %d equal parts; see array_split"
      raise_shape(where, string.format(fact, axis, n, parts))
    end
    return cut(where, x, axis, ends_of_parts(n, parts))
  end

  -- axis: the fixed axis of hsplit and similar functions; nil: an argument. fewest: the least number of axes
  -- of x.
  local function splitter(name, fewest, fixed)
    local names = fixed and "ary, indices_or_sections" or "ary, indices_or_sections, axis"
    method(name, names, 2, function(where, ary, cuts, axis)
      ary = core.as_array(ary, where, "ary")
      if ary.ndim < fewest then
        raise_shape(where, "ary must have at least " .. fewest .. " axes, not shape " .. ary.shape)
      end
      axis = fixed and fixed(ary) or core.axis(axis, where, "axis", ary.ndim, 1)
      return split(where, ary, cuts, axis, where == "array_split")
    end)
  end

  --- Splits an array into views: into equal parts, or after the elements in a table: `cp.split(x, {2, 5})`
  --- gives elements 1 to 2, 3 to 5, and the rest.
  ---@param ary any
  ---@param indices_or_sections any  number of parts, or a table of cuts
  ---@param axis? integer  default 1
  ---@return table  list of views
  splitter("split", 1)
  --- The same, but the number of parts need not divide the length: the first parts are one element longer.
  ---@param ary any
  ---@param indices_or_sections any
  ---@param axis? integer  default 1
  ---@return table
  splitter("array_split", 1)
  --- Splits along the second axis, vectors along their only axis.
  ---@param ary any
  ---@param indices_or_sections any
  ---@return table
  splitter("hsplit", 1, function(x) return x.ndim == 1 and 1 or 2 end)
  --- Splits along the first axis of an array with at least two axes.
  ---@param ary any
  ---@param indices_or_sections any
  ---@return table
  splitter("vsplit", 2, function() return 1 end)
  --- Splits along the third axis.
  ---@param ary any
  ---@param indices_or_sections any
  ---@return table
  splitter("dsplit", 3, function() return 3 end)

  -- ---- repeating

  local MOST = 32 -- the most axes of an array

  -- A repeated array is read where it lies if so many elements follow each other there. Shorter pieces are
  -- copied at once, which is faster on the CPU.
  local LONG = 256

  -- The number of elements of x at one position of an axis.
  local function below(x, axis) return core.size("", { unpack(x.shape, axis + 1) }) end

  -- Repeats an axis of x, either each of its elements or as a whole, with at most three axes.
  local function repeated_axis(where, x, axis, count, each)
    local shape, before, behind = shape_of(x), 1, 1
    for d, n in ipairs(shape) do
      if d < axis or each and d == axis then before = before * n else behind = behind * n end
    end
    local result = new_like(x, { before, count, behind })
    core.write(where, result, x:reshape({ before, 1, behind }))
    shape[axis] = shape[axis] * count
    return result:reshape(shape)
  end

  -- Whether the axes of x are repeated, and can be where x lies.
  local function tiles_in_place(x, counts)
    local repeats = false
    for k, n in ipairs(x.shape) do
      if counts[k] ~= 1 and (counts[k] < 1 or n * below(x, k) < LONG) then return false end
      repeats = repeats or counts[k] ~= 1
    end
    return repeats
  end

  -- Repeats each axis k of x counts[k] times as a whole: assigns to a result with separate axes for the
  -- repetitions, and merges them.
  local function tiled(x, counts)
    local from, wide, shape = {}, {}, {}
    if tiles_in_place(x, counts) then
      local result = x
      for k, n in ipairs(x.shape) do
        local length, between = core.length("tile", n * counts[k]), not rawequal(result, x)
        if counts[k] ~= 1 then result = core.moved("tile", result, k, "wrap", 0, length, between) end
      end
      return result
    end
    for k, n in ipairs(x.shape) do
      if counts[k] ~= 1 then
        from[#from + 1], wide[#wide + 1] = 1, counts[k]
      end
      from[#from + 1], wide[#wide + 1] = n, n
      shape[k] = n * counts[k]
    end
    if #wide > MOST then -- then one axis at a time
      for k = #shape, 1, -1 do
        if counts[k] ~= 1 then x = repeated_axis("tile", x, k, counts[k], false) end
      end
      return x
    end
    local result = new_like(x, wide)
    core.write("tile", result, x:reshape(from))
    return result:reshape(shape)
  end

  local tile = core.define("tile", "A, reps", 2, function(where, A, reps)
    if cp.is_array(reps) then reps = reps:reshape(-1):totable() end
    A, reps = core.as_array(A, where, "A"), core.shape(reps, where, "reps")
    local shape, counts, ndim = {}, {}, math.max(A.ndim, #reps)
    for k = 1, ndim do
      shape[k] = A.shape[k - (ndim - A.ndim)] or 1
      counts[k] = reps[k - (ndim - #reps)] or 1
    end
    return tiled(A:reshape(shape), counts)
  end)

  --- Repeats a whole array along each axis: `cp.tile(x, {2, 3})` or `x:tile(2, 3)`.
  ---@param A any
  ---@param reps any  whole numbers, for the last axes of A; if they are more than A's axes, A gets new
  --- leading axes
  ---@return any
  both("tile", function(A, reps, ...)
    if select("#", ...) > 0 and type(reps) == "number" then return tile(A, { reps, ... }) end
    return tile(A, reps, ...)
  end)

  -- The number of repetitions of each element: a vector of int64 on x's device.
  local function counts_of(repeats, x)
    if not cp.is_array(repeats) then return cp.array(repeats, { dtype = "int64", device = x.device }):reshape(-1) end
    local kind = core.kind(repeats)
    if kind ~= "i" and kind ~= "u" and kind ~= "b" and repeats.size > 0 then
      core.raise("repeats", "dtype", "repeats must be whole numbers, not " .. repeats.dtype .. "; convert with :astype")
    end
    return repeats:reshape(-1):to(x.device):astype("int64", false)
  end

  local function check_count(count)
    if count < 0 then
      core.raise("repeats", "shape", string.format("repeats must not be negative, but has %d", count))
    end
  end

  -- Repeats each element along an axis as often as counts says. Position p of the result takes the element
  -- after all those whose repetitions end before p.
  local function repeated_by_counts(x, counts, axis)
    local wide = counts:astype("float64")
    local facts = cp.stack({ cp.min(wide), cp.sum(wide) }):totable()
    local total, shape = facts[2], shape_of(x)
    check_count(facts[1])
    shape[axis] = core.length("repeats", total)
    if total == 0 then return new_like(x, shape) end
    local ended = core.count("repeats", cp.cumsum(counts), total)
    return cp.take(x, cp.cumsum(ended) + 1, axis)
  end

  local function repeated(x, count, axis)
    if count > 1 and x.shape[axis] > 0 and below(x, axis) >= LONG then
      return core.moved("repeats", x, axis, "repeat", count, core.length("repeats", x.shape[axis] * count))
    end
    if x.ndim == MOST then return repeated_axis("repeats", x, axis, count, true) end
    local from, wide, shape = shape_of(x), shape_of(x), shape_of(x)
    table.insert(from, axis + 1, 1)
    table.insert(wide, axis + 1, count)
    shape[axis] = shape[axis] * count
    local result = new_like(x, wide)
    core.write("repeats", result, x:reshape(from))
    return result:reshape(shape)
  end

  --- Repeats each element (NumPy's repeat, which is a keyword of Lua).
  ---@param a any
  ---@param repeats any  a number, or a table or array with a number for each element along the axis
  ---@param axis? integer  default: of the flat array
  ---@return any
  method("repeats", "a, repeats, axis", 2, function(where, a, repeats, axis)
    a = core.as_array(a, where, "a")
    if axis == nil or a.ndim == 0 then a = a:reshape(-1) end
    axis = core.axis(axis, where, "axis", a.ndim, 1)
    if not cp.is_array(repeats) and type(repeats) ~= "table" then
      return repeated(a, core.shape(repeats, where, where)[1], axis)
    end
    local counts, n = counts_of(repeats, a), a.shape[axis]
    if counts.size == 1 then
      local count = tonumber(counts:item())
      check_count(count)
      return repeated(a, count, axis)
    end
    if counts.size ~= n then
      raise_shape(where, string.format("repeats has %d numbers for an axis of length %d", counts.size, n))
    end
    if n == 0 then return a:copy() end
    return repeated_by_counts(a, counts, axis)
  end)

  --- The elements of a in C order in a new shape, repeated from the start if there are too few.
  ---@param a any
  ---@param new_shape any
  ---@return any
  method("resize", "a, new_shape", 2, function(where, a, new_shape)
    a = core.as_array(a, where, "a"):reshape(-1)
    new_shape = core.shape(new_shape, where, "new_shape")
    local size = core.length(where, core.size(where, new_shape))
    if a.size == 0 then return cp.zeros(new_shape, { dtype = a.dtype, device = a.device }) end
    local result, whole = new_like(a, { size }), math.floor(size / a.size)
    local rest = size - whole * a.size
    if whole > 0 then slice(result, 1, 1, whole * a.size):reshape({ whole, a.size }):assign(a) end
    if rest > 0 then slice(result, 1, size - rest + 1, size):assign(slice(a, 1, 1, rest)) end
    return result:reshape(new_shape)
  end)

  -- ---- moving

  local function as_list(v) return type(v) == "table" and v or { v } end

  -- x, an array, rolled along several axes or by several shifts.
  local function rolled(where, x, shifts, axes)
    if #shifts ~= #axes and #shifts ~= 1 and #axes ~= 1 then
      core.raise(where, "usage", string.format("shift has %d numbers and axis %d", #shifts, #axes))
    end
    local result = x
    for k = 1, math.max(#shifts, #axes) do
      result = core.moved(where, result, axes[k] or axes[1], "roll", shifts[k] or shifts[1], nil,
        not rawequal(result, x))
    end
    return result
  end

  --- Rolls elements along axes: those that pass the end continue at the start.
  ---@param a any
  ---@param shift any  the number of positions, or a table of them
  ---@param axis? any  an axis or a table of axes; default: the flat array
  ---@return any  a copy
  method("roll", "a, shift, axis", 2, function(where, a, shift, axis)
    a = core.as_array(a, where, "a")
    local x, along = axis == nil and a:reshape(-1) or a, axis or 1
    local one = type(shift) ~= "table" and type(along) ~= "table"
    local result = one and core.moved(where, x, along, "roll", shift)
      or rolled(where, x, as_list(shift), as_list(along))
    if rawequal(result, x) then result = x:copy("K") end
    return axis == nil and result:reshape(a.shape) or result
  end)

  --- Rotates an array by k times 90 degrees in the plane of two axes, from the first axis towards the second.
  --- A view.
  ---@param m any
  ---@param k? integer  default 1
  ---@param axes? table  default {1, 2}
  ---@return any
  method("rot90", "m, k, axes", 1, function(where, m, k, axes)
    m, k = core.as_array(m, where, "m"), core.integer(k, where, "k", 1) % 4
    axes = axes == nil and { 1, 2 } or axes
    if type(axes) ~= "table" or #axes ~= 2 then core.raise(where, "usage", "axes must be a table of two axes") end
    local from, to = core.axis(axes[1], where, "axes", m.ndim), core.axis(axes[2], where, "axes", m.ndim)
    if from == to then core.raise(where, "usage", "axes must be two different axes") end
    if k == 0 then return cp.flip(m, { axis = {} }) end
    if k == 2 then return cp.flip(m, { from, to }) end
    if k == 1 then return cp.swapaxes(cp.flip(m, to), from, to) end
    return cp.flip(cp.swapaxes(m, from, to), to)
  end)
end
