-- A[{rows, columns}] and assignment; selections.lua reads the key. Two numbers give a Lua value, two arrays
-- of positions an entry for each pair, one number a coo array with one axis, everything else a sparse array
-- with both axes. An array with one axis has one of these. Two arrays of positions with two axes, such as
-- cp.ix_ gives, are broadcast, and select a sparse array of their shape, as one beside a number does.

return function(cp, core, S)
  local raise_shape = core.raise_shape
  local places = S.places

  -- ---- reading

  -- Rows (of a csc array columns) first..last, from 1.
  function S.major_range(where, f, first, last)
    local known = S.settle(where, f)
    local starts = core.slice(f.indptr, 1, first, last + 1)
    local from, to = f.indptr[first], f.indptr[last + 1]
    local rows, columns = last - first + 1, f.shape[2]
    if f.format == "csc" then rows, columns = f.shape[1], rows end
    local A = S.new(f.format, rows, columns, { indptr = starts - from,
      indices = core.slice(f.indices, 1, from + 1, to):copy(), data = core.slice(f.data, 1, from + 1, to):copy() })
    return S.fields(known.canonical and S.known_canonical(where, A) or A)
  end

  -- The arrays of the rows `at` (int64, from 0) of the compressed array f.
  local function taken(where, f, at)
    local indptr, indices = f.indptr, f.indices
    if core.sparse_forms(f.data) then
      local starts, from, count = core.sparse_runs(where, indptr, #indices, at)
      if S.index_dtype(count) == "int64" and indptr.dtype == "int32" then -- with rows taken many times
        indptr, indices = indptr:astype "int64", indices:astype "int64"
        starts, from = core.sparse_runs(where, indptr, #indices, at)
      end
      return starts, core.sparse_take(where, starts, indices, f.data, from, count)
    end
    local lengths_from = S.gather(where, indptr, at):astype("int64")
    local lengths = S.gather(where, indptr, at + 1):astype("int64") - lengths_from
    local run, within, starts = S.expand(where, lengths)
    local place = S.gather(where, lengths_from, run) + within
    return starts:astype(indptr.dtype), S.gather(where, indices, place), S.gather(where, f.data, place)
  end

  -- Those rows, in this order; f's axes are named by format. What is made on the way is freed at once.
  local function take_major(where, f, at)
    S.settle(where, f)
    local indptr, indices, data = cp.scope(function() return taken(where, f, at) end)
    local rows, columns = #at, f.shape[2]
    if f.format == "csc" then rows, columns = f.shape[1], #at end
    return S.fields(S.new(f.format, rows, columns, { indptr = indptr, indices = indices, data = data }))
  end

  -- The entries of f whose columns (of a csc array: rows) are selected, or nil where f's device does not pick
  -- them, or a place is selected twice.
  local function take_minor(where, f, selection)
    if not core.sparse_forms(f.data) then return nil end
    local known, index, device = S.settle(where, f), f.indices.dtype, f.data.device
    local _, minor = S.axes(f)
    local ascends = selection.list == nil
    local indptr, indices, data = cp.scope(function()
      local turned = cp.full({ minor }, -1, { dtype = index, device = device })
      if selection.list then
        local list = selection.list
        local numbers = S.range(#list, index, device)
        if #list > 0 then turned[list + 1] = numbers end
        if cp.count_nonzero(cp.greater_equal(turned, 0)):item() < #list then return end
        ascends = #list < 2
          or cp.all(cp.less(core.slice(list, 1, 1, #list - 1), core.slice(list, 1, 2, #list)))
      else
        local first = selection.first or selection.at
        core.slice(turned, 1, first + 1, first + selection.count):assign(S.range(selection.count, index, device))
      end
      return core.sparse_pick(where, f.indptr, f.indices, f.data, minor, nil, turned)
    end)
    if not indptr then return nil end
    local rows, columns = f.shape[1], selection.count
    if f.format == "csc" then rows, columns = selection.count, f.shape[2] end
    local A = S.new(f.format, rows, columns, { indptr = indptr, indices = indices, data = data })
    if ascends and known.canonical then return S.fields(S.known_canonical(where, A)) end
    return S.canonical(where, S.fields(A))
  end

  -- f with the selected rows (axis 1) or columns (axis 2).
  local function take(where, f, selection, axis)
    if selection.all then return f end
    if selection.first and f.format == (axis == 1 and "csr" or "csc") then
      return S.major_range(where, f, selection.first + 1, selection.first + selection.count)
    end
    if f.format == (axis == 1 and "csc" or "csr") then
      local part = take_minor(where, f, selection)
      if part then return part end
    end
    return take_major(where, S.convert(where, f, axis == 1 and "csr" or "csc"), places(selection, f.data.device))
  end

  -- For each pair of rows and columns (of a csc array: the other way round; int64, from 0) the number of its
  -- entry in the canonical array g, from 0, or -1.
  local function find_places(where, g, major, minor)
    if #g.indices == 0 then return cp.full({ #major }, -1, { dtype = "int64", device = g.data.device }) end
    if core.sparse_forms(g.data) then return core.sparse_find(where, g.indptr, g.indices, major, minor) end
    local _, n = S.axes(g)
    local keys = core.sparse_rows(where, g.indptr, #g.indices):astype "int64" * n + g.indices
    local wanted = major * n + minor
    local at = cp.minimum(core.search(where, keys, wanted, false), #keys)
    return cp.where(cp.equal(core.gather(where, keys, at), wanted), at - 1, -1)
  end

  --- The elements at pairs of places (int64, from 0), as a vector.
  local function elements(where, f, row, col)
    local g = S.canonical(where, f.format == "csc" and f or S.csr(where, f))
    if g.format == "csc" then row, col = col, row end
    if #row == 0 or #g.data == 0 then return S.zeros(#row, f.data.dtype, f.data.device) end
    if core.sparse_forms(g.data) then return core.sparse_elements(where, g.indptr, g.indices, g.data, row, col) end
    local at = find_places(where, g, row, col)
    local found = core.gather(where, g.data, cp.maximum(at, 0) + 1)
    return cp.where(cp.less(at, 0), S.zeros(1, f.data.dtype, f.data.device), found)
  end

  --- The n elements of diagonal k, as a vector, where core.sparse_forms.
  function S.diagonal(where, f, k, n)
    local g = S.canonical(where, f.format == "csc" and f or S.csr(where, f))
    if #g.data == 0 then return S.zeros(n, f.data.dtype, f.data.device) end
    return core.sparse_diagonal(where, g.indptr, g.indices, g.data, g.format == "csc" and -k or k, n)
  end

  -- One element; only its row (csc: column) is looked at.
  local function element(where, f, i, j)
    local g = f.format == "csc" and f or S.csr(where, f)
    local known = S.settle(where, g)
    if g.format == "csc" then i, j = j, i end
    if known.canonical and core.sparse_forms(g.data) then
      local at = core.sparse_entry(where, g.indptr, g.indices, i, j)
      if at >= 0 then return g.data[at + 1] end
      return core.kind(g.data) == "b" and false or core.kind(g.data) == "c" and cp.complex(0, 0)
        or S.zeros(1, g.data.dtype, "cpu")[1]
    end
    local from, to = g.indptr[i + 1], g.indptr[i + 2]
    if from == to then return S.zeros(1, g.data.dtype, g.data.device)[1] end
    local here = cp.equal(core.slice(g.indices, 1, from + 1, to), j)
    local values = core.slice(g.data, 1, from + 1, to)
    return cp.sum(cp.where(here, values, S.zeros(1, g.data.dtype, g.data.device)), { dtype = g.data.dtype }):item()
  end

  -- The only part that a key has, which may be in a table and beside an ellipsis; nil if it has several.
  local function only_part(key)
    if type(key) ~= "table" or S.is(key) then return key end
    local first, second = key[1], key[2]
    if key[3] ~= nil then return nil end
    if second == nil or rawequal(second, cp.ellipsis) then return first end
    return rawequal(first, cp.ellipsis) and second or nil
  end

  -- The rows and columns (int64, from 0) that a mask of all places selects, dense or sparse; nil for any
  -- other key.
  local function masked(where, f, key)
    key = only_part(key)
    if S.is(key) then
      local mask = S.fields(key)
      if mask.data.dtype ~= "bool" or f.vector or mask.vector then return nil end
      if mask.shape[1] ~= f.shape[1] or mask.shape[2] ~= f.shape[2] then
        raise_shape(where, string.format("a mask of shape %s selects from an array of shape %s", S.shape_text(mask),
          S.shape_text(f)))
      end
      local row, col, data = S.triplets(where, S.canonical(where, S.csr(where, mask)))
      row, col = S.choose(where, data, row, col)
      return row:astype "int64", col:astype "int64"
    end
    local fits = cp.is_array(key) and key.ndim == 2 and key:has_shape(f.shape[1], f.shape[2])
    if not fits or key.dtype ~= "bool" then return nil end
    local at = core.positions(where, cp.ascontiguousarray(key)) - 1
    return core.slice(at, 1, 1, 1):reshape(-1), core.slice(at, 1, 2, 2):reshape(-1)
  end

  -- The positions of two selections by arrays, which form pairs; a single position pairs with all of the
  -- other.
  local function paired(where, rows, columns)
    local r, c = rows.list, columns.list
    if #r ~= #c and #r ~= 1 and #c ~= 1 then
      raise_shape(where, string.format("%d rows and %d columns do not form pairs", #r, #c))
    end
    if #r == #c then return r, c end
    local shape = { #r == 1 and #c or #r }
    return cp.ascontiguousarray(cp.broadcast_to(r, shape)), cp.ascontiguousarray(cp.broadcast_to(c, shape))
  end

  -- A result for the user, in f's format, which may not have blocks.
  local function finished(where, f, result)
    return S.object(S.convert(where, result, f.format == "bsr" and "csr" or f.format))
  end

  -- What two selections select.
  local function selected(where, f, rows, columns)
    if rows.one and columns.one then return element(where, f, rows.at, columns.at) end
    if rows.given and columns.given then
      local found = elements(where, f, paired(where, rows, columns))
      if not rows.shape then return found end
      return finished(where, f, S.fields(S.from_dense(where, found:reshape(rows.shape), "csr")))
    end
    if f.vector then
      local row = columns.all and f or S.convert(where, take(where, f, columns, 2), f.format)
      return S.as_vector(row == f and S.copy(f) or S.object(row))
    end
    local result = take(where, take(where, f, rows, 1), columns, 2)
    if rows.one or columns.one then return S.line(where, result) end
    if result == f then return S.copy(f) end
    return finished(where, f, result)
  end

  --- A[key].
  function S.read(where, f, key)
    local at_row, at_col = masked(where, f, key)
    if at_row then return elements(where, f, at_row, at_col) end
    local rows, columns, layout = S.selections(where, f, key)
    if not layout then return selected(where, f, rows, columns) end
    local shape = S.laid_out(where, f, rows, columns, layout)
    local result = selected(where, f, rows, columns)
    if cp.is_array(result) then return result:reshape(shape) end
    if not S.is(result) then
      local x = cp.full({ 1, 1 }, result, { dtype = f.data.dtype, device = f.data.device })
      result = S.from_dense(where, x, "coo")
    end
    local A = S.methods.reshape(result, shape)
    return #shape == 1 and A or finished(where, f, S.fields(A))
  end

  S.method("getrow", "i", 1, function(where, f, i)
    i = core.integer(i, where, "i")
    return S.read(where, f, { { i, i } })
  end)
  S.method("getcol", "j", 1, function(where, f, j)
    j = core.integer(j, where, "j")
    return S.read(where, f, { {}, { j, j } })
  end)

  -- ---- writing

  -- Sorted numbers of places and their values, of equal ones the last: a stable sort, of which each run's
  -- end is taken.
  local function last_of_equal(where, fresh, values)
    local order = core.sort(where, fresh, true)
    local keys, n = core.gather(where, fresh, order), #fresh
    values = core.gather(where, values, order)
    if n < 2 then return keys, values end
    local last = cp.ones({ n }, { dtype = "bool", device = keys.device })
    core.slice(last, 1, 1, n - 1):assign(cp.not_equal(core.slice(keys, 1, 1, n - 1), core.slice(keys, 1, 2, n)))
    return S.choose(where, last, keys, values)
  end

  -- Whether f's entries can be found by their places, and written.
  local function has_places(where, f)
    return f.indptr and not f.block and f.data.flags.writeable and S.settle(where, f).canonical
  end

  -- Writes values to places (int64, from 1): those that are stored where they are; others are added. false:
  -- f's device does not find entries.
  local function write_places(where, f, row, col, values)
    if not has_places(where, f) then return false end
    if f.format == "csc" then row, col = col, row end
    local at = find_places(where, f, row - 1, col - 1)
    local missing = cp.less(at, 0)
    if not cp.any(missing) then
      f.data[at + 1] = values
      return true
    end
    local stored, old = S.choose(where, cp.logical_not(missing), at, values)
    if #stored > 0 then f.data[stored + 1] = old end
    local _, columns = S.axes(f)
    local keys, fresh = S.choose(where, missing, (row - 1) * columns + (col - 1), values)
    keys, fresh = last_of_equal(where, keys, fresh)
    local index, major = f.indices.dtype, cp.floor_divide(keys, columns)
    local more = S.fields(S.from_sorted(where, f.format, f.shape[1], f.shape[2], major:astype(index),
      (keys - major * columns):astype(index), fresh))
    local indptr, indices, left, right = S.unite(where, f, more, columns)
    S.become(f, S.fields(S.known_canonical(where, S.new(f.format, f.shape[1], f.shape[2],
      { indptr = indptr, indices = indices, data = cp.where(cp.equal(left, 0), right, left):eval() }))))
    return true
  end

  -- Replaces the elements at pairs of places (int64, from 1) by values; of a repeated place the last one
  -- counts. All other stored entries are replaced by change(row, col, data), where rows and columns count
  -- from 0.
  function S.assign(where, f, row, col, values, change)
    local rows, columns = f.shape[1], f.shape[2]
    if core.kind(values) == "c" and core.kind(f.data) ~= "c" then
      core.raise(where, "dtype", "complex values do not fit into " .. f.data.dtype .. "; write A:astype(...)")
    end
    values = values:astype(f.data.dtype, false)
    if not change and write_places(where, f, row, col, values) then return end
    local old_row, old_col, old = S.triplets(where, f)
    if change and #old > 0 then old = change(old_row, old_col, old) end
    local fresh = (row - 1) * columns + (col - 1)
    local keys
    keys, values = last_of_equal(where, fresh, values)
    local dtype = old_row.dtype
    local new_row = cp.floor_divide(keys, columns)
    local new_col = (keys - new_row * columns):astype(dtype)
    new_row = new_row:astype(dtype)
    if #old > 0 and #keys > 0 then
      local mine = old_row:astype("int64") * columns + old_col
      local at = cp.minimum(core.search(where, keys, mine, false), #keys)
      local stays = cp.not_equal(core.gather(where, keys, at), mine)
      old_row, old_col, old = S.choose(where, stays, old_row, old_col, old)
    end
    local all = { row = cp.concatenate { old_row, new_row }, col = cp.concatenate { old_col, new_col },
      data = cp.concatenate { old, values } }
    S.become(f, S.convert(where, S.fields(S.new("coo", rows, columns, all)), f.format, f.block))
  end

  -- The places (int64, from 0) that a selection of n places has.
  local function listed(selection, n, device)
    return selection.all and S.range(n, "int64", device) or places(selection, device)
  end

  -- The pairs of places that two selections select, as vectors from 1.
  local function grid(where, f, rows, columns)
    local device = f.data.device
    if rows.given and columns.given then
      local r, c = paired(where, rows, columns)
      return r + 1, c + 1, rows.shape
    end
    local r, c = listed(rows, f.shape[1], device), listed(columns, f.shape[2], device)
    local shape = { #r, #c }
    local function spread(x, to) return cp.ascontiguousarray(cp.broadcast_to(x:reshape(to), shape)):reshape(-1) + 1 end
    return spread(r, { -1, 1 }), spread(c, { 1, -1 }), shape
  end

  -- A mask of n places that is true at those listed; nil where one is listed twice.
  local function marked(n, list)
    local mask = S.zeros(n, "bool", list.device)
    if #list > 0 then mask[list + 1] = true end
    return cp.count_nonzero(mask):item() == #list and mask or nil
  end

  -- Writes the sparse array g to the places of two selections without going through all of them: what is
  -- stored there becomes 0, and g's entries are added. false: g has another shape, or a place comes twice.
  local function write_sparse(where, f, rows, columns, g)
    local device = f.data.device
    if g.data.device ~= device or rows.given and columns.given then return false end
    local r, c = listed(rows, f.shape[1], device), listed(columns, f.shape[2], device)
    if g.shape[1] ~= #r or g.shape[2] ~= #c then return false end
    local in_rows, in_columns = marked(f.shape[1], r), marked(f.shape[2], c)
    if not in_rows or not in_columns then return false end
    local row, col, data = S.triplets(where, S.canonical(where, g))
    local function cleared(old_row, old_col, old)
      local inside = cp.logical_and(S.gather(where, in_rows, old_row), S.gather(where, in_columns, old_col))
      return cp.where(inside, S.zeros(1, old.dtype, device), old)
    end
    S.assign(where, f, S.gather(where, r, row) + 1, S.gather(where, c, col) + 1, data, cleared)
    return true
  end

  -- Writes a number to one place that is stored; false: something asks for more than that.
  local function write_number(where, f, i, j, value)
    if type(value) ~= "number" or not core.is_inexact(f.data) or core.kind(f.data) == "c" then return false end
    if not core.sparse_forms(f.data) or not has_places(where, f) then return false end
    if f.format == "csc" then i, j = j, i end
    local at = core.sparse_entry(where, f.indptr, f.indices, i, j)
    if at < 0 then return false end
    f.data[at + 1] = value
    return true
  end

  -- Whether x broadcasts to these lengths.
  local function fits(x, shape)
    if x.ndim > #shape then return false end
    for k = 1, x.ndim do
      local n = x.shape[x.ndim + 1 - k]
      if n ~= 1 and n ~= shape[#shape + 1 - k] then return false end
    end
    return true
  end

  --- A[key] = value. Places that are not stored yet are added.
  function S.write(where, f, key, value)
    local row, col = masked(where, f, key)
    local shape, line
    if row then
      row, col = row + 1, col + 1
    else
      local rows, columns, layout = S.selections(where, f, key)
      if layout then shape = S.laid_out(where, f, rows, columns, layout) end
      if not layout and S.is(value) and write_sparse(where, f, rows, columns, S.fields(value)) then return end
      if rows.one and columns.one and write_number(where, f, rows.at, columns.at, value) then return end
      local grid_shape
      row, col, grid_shape = grid(where, f, rows, columns)
      shape = shape or grid_shape
      if not layout and rows.one ~= columns.one then line = rows.one and columns.count or rows.count end
    end
    shape = shape or { #row }
    local x = S.is(value) and S.dense(where, S.fields(value)) or core.as_array(value, where, "value", f.data)
    if x.device ~= f.data.device then
      core.usage(where, string.format("A is on %s and value on %s", f.data.device, x.device))
    end
    if #row == 0 then return end
    if S.is(value) and S.fields(value).vector then x = x:reshape(-1) end
    -- As in dense arrays, leading axes of length 1 may be too many.
    while x.ndim > 1 and x.shape[1] == 1 and not fits(x, shape) do x = cp.squeeze(x, 1) end
    if line and x.ndim == 1 then shape = { line } end
    if not fits(x, shape) then
      raise_shape(where, string.format("value has shape %s, and the selected elements %s", tostring(x.shape),
        tostring(core.shape(shape, where, "shape"))))
    end
    S.assign(where, f, row, col, cp.ascontiguousarray(cp.broadcast_to(x, shape)):reshape(-1))
  end
end
