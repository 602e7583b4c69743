-- Splitting, repeating and moving elements. It consists of views, assignments and values that read elements
-- where they lie (core.moved), so it runs on every device; split returns views. Axes count from 1. Joining is
-- in lua/cupola/arrays/joining.lua, padding in lua/cupola/arrays/padding.lua.

return function(cp, core)

  local both, method = core.both, core.method

  local raise_shape = core.raise_shape

  local slice = core.slice

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

  --- The lengths of an array's axes in a table that may be changed.
  function core.shape_of(x) return { unpack(x.shape) } end

  --- A new array of another shape, and of another dtype if that is given.
  function core.new_like(x, shape, dtype)
    return cp.empty(shape, { dtype = dtype or x.dtype, device = x.device })
  end

  local shape_of, new_like = core.shape_of, core.new_like

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
    local n = core.extent(x, axis)
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

  -- Whether the axes of a shape are repeated, and can be where the elements lie.
  local function tiles_in_place(shape, counts)
    local repeats, within = false, 1
    for k = #shape, 1, -1 do
      within = within * shape[k]
      if counts[k] ~= 1 and (counts[k] < 1 or within < LONG) then return false end
      repeats = repeats or counts[k] ~= 1
    end
    return repeats
  end

  -- Repeats each axis k of x counts[k] times as a whole: assigns to a result with separate axes for the
  -- repetitions, and merges them.
  local function tiled(x, counts)
    local own = x.shape
    if tiles_in_place(own, counts) then
      local result = x
      for k, n in ipairs(own) do
        local length, between = core.length("tile", n * counts[k]), not rawequal(result, x)
        if counts[k] ~= 1 then result = core.moved("tile", result, k, "wrap", 0, length, between) end
      end
      return result
    end
    local copy = core.repeated("tile", x, counts, false)
    if copy then return copy end
    local from, wide, shape = {}, {}, {}
    for k, n in ipairs(own) do
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
    local own, shape, counts = A.shape, {}, {}
    local ndim = math.max(#own, #reps)
    for k = 1, ndim do
      shape[k] = own[k - (ndim - #own)] or 1
      counts[k] = reps[k - (ndim - #reps)] or 1
    end
    return tiled(ndim > #own and A:reshape(shape) or A, counts)
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

  -- The positions of elements that are repeated so often, if these are few whole numbers; else nil.
  local function few_positions(counts)
    local MOST_FEW, list = 256, {}
    for k = 1, #counts do
      local count = counts[k]
      local whole = type(count) == "number" and count >= 0 and count == math.floor(count)
      if not whole or #list + count > MOST_FEW then return nil end
      for _ = 1, count do list[#list + 1] = k end
    end
    return #list > 0 and list or nil
  end

  local function repeated(x, count, axis)
    if count > 1 and core.extent(x, axis) > 0 and below(x, axis) >= LONG then
      return core.moved("repeats", x, axis, "repeat", count, core.length("repeats", core.extent(x, axis) * count))
    end
    local counts = {}
    for k = 1, x.ndim do counts[k] = k == axis and count or 1 end
    local copy = core.repeated("repeats", x, counts, true)
    if copy then return copy end
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
    local n = core.extent(a, axis)
    local few = type(repeats) == "table" and #repeats == n and n > 1 and few_positions(repeats)
    if few then return cp.take(a, few, axis) end
    local counts = counts_of(repeats, a)
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
