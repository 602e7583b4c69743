-- What the key of A[key] selects. Each of its items may be whatever selects from one axis of an array: a
-- number, a range, text, a mask or an array of positions; all count from 1. cp.newaxis and cp.ellipsis stand
-- between them as in the key of a dense array.

return function(cp, core, S)
  local usage, raise_shape = core.usage, core.raise_shape
  local newaxis, ellipsis = cp.newaxis, cp.ellipsis

  -- ---- what an axis selects

  -- A number as a place of n from 1; nil if it is none.
  local function place_of(v, n)
    if type(v) ~= "number" or v ~= math.floor(v) then return nil end
    if v < 0 then v = n + 1 + v end
    return v >= 1 and v <= n and v or nil
  end

  -- The first and the last place of a range without steps in a table or in text; nil if it is none.
  local function range_of(spec, n)
    local first, last, step
    if type(spec) == "string" then
      first, last = string.match(spec, "^%s*(%-?%d+)%s*:%s*(%-?%d+)%s*$")
      first, last = tonumber(first), tonumber(last)
    elseif type(spec) == "table" and not cp.is_array(spec) and not S.is(spec) and #spec <= 2 then
      first, last, step = spec[1], spec[2], spec[3]
      if last == nil then last = first end
    end
    first, last = place_of(first, n), place_of(last, n)
    if first and last and first <= last and step == nil then return first, last end
  end

  -- The places from 0 (int64) of a short array of positions; nil for others, and if one is outside. Longer
  -- ones may as well select from the numbers of all places, which says what is wrong with them.
  local function listed_places(spec, n, device)
    if device ~= "cpu" or not cp.is_array(spec) or spec.device ~= "cpu" or spec.size == 0 then return nil end
    if core.kind(spec) ~= "i" or spec.ndim == 0 or 4 * spec.size > n then return nil end
    local x = spec:astype("int64", false)
    local low, high = cp.min(x):item(), cp.max(x):item()
    if low >= 1 and high <= n then return (x - 1):eval() end
    if low < -n or high > n or cp.any(cp.equal(x, 0)) then return nil end
    return cp.where(cp.less(x, 0), x + n, x - 1):eval()
  end

  -- The elements of a mask that is a sparse array with one axis.
  local function dense_mask(where, f)
    if not f.vector or f.data.dtype ~= "bool" then
      usage(where, "a sparse array in an index must be a mask: of bool, with one axis or with A's shape")
    end
    return S.dense(where, f):reshape(-1)
  end

  -- A selection with the number of places, count: {all = true}, {one = true, at = place from 0}, {first =
  -- place from 0} of a range, or {list = places from 0 (int64), given = whether an array gave them}.
  local function select_axis(where, n, spec, device)
    if S.is(spec) then spec = dense_mask(where, S.fields(spec)) end
    if spec == nil or type(spec) == "table" and next(spec) == nil then return { all = true, count = n } end
    if type(spec) == "string" and string.find(spec, "^%s*:?%s*$") then return { all = true, count = n } end
    local at = place_of(spec, n)
    if at then return { one = true, at = at - 1, count = 1 } end
    local first, last = range_of(spec, n)
    if first then return { first = first - 1, count = last - first + 1 } end
    local listed = listed_places(spec, n, device)
    if listed then return { list = listed, count = listed.size, given = true } end
    if type(spec) == "table" and not cp.is_array(spec) and type(spec[1]) ~= "number" then
      usage(where, "an index is a number, a range {a, b}, text or an array; lists of positions are cp.index{...}")
    end
    local picked = S.range(n, "int64", device)[cp.is_array(spec) and spec or { spec }]
    if not cp.is_array(picked) then return { one = true, at = tonumber(picked), count = 1 } end
    return { list = picked, count = picked.size, given = cp.is_array(spec) }
  end

  local function rank(selection) return selection.list and selection.list.ndim or 1 end

  -- A number beside an array of positions with two axes, as such an array.
  local function spread(a, b, device)
    if not a.one or rank(b) ~= 2 or not b.given then return end
    a.one, a.given = nil, true
    a.list = cp.full(b.list.shape, a.at, { dtype = "int64", device = device })
  end

  -- Makes vectors of lists of positions with two axes. A column of rows and a row of columns select as two
  -- ranges do; others are pairs, in an array of their shape.
  local function flatten(where, rows, columns, device)
    if rank(rows) == 1 and rank(columns) == 1 then return end
    spread(rows, columns, device)
    spread(columns, rows, device)
    if rank(rows) > 2 or rank(columns) > 2 or not (rows.given and columns.given) then
      raise_shape(where, "an array of positions with two axes needs a number or another array for the other axis; "
        .. "sparse arrays have two axes at most")
    end
    local r, c = rows.list, columns.list
    local outer = rank(rows) == 2 and r.shape[2] == 1 and (rank(columns) == 1 or c.shape[1] == 1)
    if outer then
      rows.given, columns.given = false, false
    else
      r, c = cp.broadcast_arrays(r, c)
      rows.shape = r.shape
    end
    rows.list, columns.list = cp.ascontiguousarray(r):reshape(-1), cp.ascontiguousarray(c):reshape(-1)
    rows.count, columns.count = rows.list.size, columns.list.size
  end

  -- ---- keys

  local MARKS = { new = newaxis, ["..."] = ellipsis }

  -- The parts of a key of text.
  local function split_text(text)
    local parts = {}
    for part in string.gmatch(text .. ",", "([^,]*),") do
      parts[#parts + 1] = tonumber(part) or MARKS[string.match(part, "^%s*(.-)%s*$")] or part
    end
    return parts
  end

  local function is_mark(v) return rawequal(v, newaxis) or rawequal(v, ellipsis) end

  -- The number of a key's parts, of which some may be nil, and whether there are marks among them.
  local function measure(parts)
    local n, marked = 0, false
    for k, v in next, parts do
      if type(k) == "number" and k > n then n = k end
      marked = marked or is_mark(v)
    end
    return n, marked
  end

  -- A key with marks: what it has for each axis of A, and what the result's axes come from in order: the
  -- number of an axis of A, or "new".
  local function unmarked(where, parts, n, axes)
    local named, list, layout, seen = 0, {}, {}, false
    for k = 1, n do named = named + (is_mark(parts[k]) and 0 or 1) end
    local function take(v)
      list[#list + 1] = v == nil and {} or v
      layout[#layout + 1] = #list
    end
    for k = 1, n do
      if rawequal(parts[k], newaxis) then
        layout[#layout + 1] = "new"
      elseif rawequal(parts[k], ellipsis) then
        if seen then usage(where, "an index has one ellipsis at most") end
        seen = true
        for _ = named + 1, axes do take() end
      else
        take(parts[k])
      end
    end
    for _ = #list + 1, axes do take() end
    return list, layout
  end

  --- The selections of both axes; of an array with one axis the first one is its row. Lists of positions must
  --- be on f's device. The third result is a layout for S.laid_out, or nil if the key has no marks.
  function S.selections(where, f, key)
    local parts, layout = key, nil
    if type(key) == "string" then
      parts = split_text(key)
    elseif type(key) ~= "table" or S.is(key) then
      parts = { key }
    end
    local axes = f.vector and 1 or 2
    local n, marked = measure(parts)
    if marked then parts, layout = unmarked(where, parts, n, axes) end
    if parts[axes + 1] ~= nil then
      raise_shape(where, string.format("a sparse array of shape %s has %s", S.shape_text(f),
        axes == 1 and "one axis" or "two axes"))
    end
    local device = f.data.device
    local rows = f.vector and { one = true, at = 0, count = 1 } or select_axis(where, f.shape[1], parts[1], device)
    local columns = select_axis(where, f.shape[2], parts[axes], device)
    flatten(where, rows, columns, device)
    return rows, columns, layout
  end

  local function advanced(selection) return selection.one or selection.given end

  --- The lengths of a selection's result with the axes that cp.newaxis adds.
  function S.laid_out(where, f, rows, columns, layout)
    local chosen = f.vector and { columns } or { rows, columns }
    local pairs_of = not f.vector and rows.given and columns.given
    local shape, at = {}, {}
    -- The axes of pairs, or of a number and an array, come first where an axis is added between the two.
    for k, item in ipairs(layout) do at[item] = k end
    local parted = not f.vector and advanced(rows) and advanced(columns) and (rows.given or columns.given)
      and at[2] - at[1] > 1
    local function add(item)
      if pairs_of and item == 1 then
        local lengths = rows.shape or { rows.count == 1 and columns.count or rows.count }
        for _, length in ipairs(lengths) do shape[#shape + 1] = length end
      elseif not pairs_of and not chosen[item].one then
        shape[#shape + 1] = chosen[item].count
      end
    end
    if parted then
      add(1)
      add(2)
    end
    for _, item in ipairs(layout) do
      if item == "new" then shape[#shape + 1] = 1 elseif not parted then add(item) end
    end
    if #shape > 2 then
      raise_shape(where, string.format("the selected elements have %d axes; sparse arrays have two at most", #shape))
    end
    return shape
  end

  --- The places (int64, from 0) that a selection names.
  function S.places(selection, device)
    if selection.one then return cp.full({ 1 }, selection.at, { dtype = "int64", device = device }) end
    if selection.first then return S.range(selection.count, "int64", device) + selection.first end
    return selection.list
  end
end
