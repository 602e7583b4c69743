-- Conversions between the formats of sparse arrays. Triplets (row, col, data) are what all formats have in
-- common; sorting them by rows and columns gives compressed forms.

return function(cp, core, S)
  -- ---- triplets

  local function triplets_of_dia(where, f)
    local rows, columns, dtype = f.shape[1], f.shape[2], f.offsets.dtype
    local width = math.min(f.data.shape[2], columns)
    local data = core.slice(f.data, 2, 1, width)
    local col = cp.broadcast_to(S.range(width, dtype, f.data.device), data.shape)
    local row = col - f.offsets:reshape({ -1, 1 })
    local inside = cp.logical_and(cp.logical_and(cp.greater_equal(row, 0), cp.less(row, rows)), cp.not_equal(data, 0))
    local mask = inside:reshape(-1)
    return S.choose(where, mask, row:reshape(-1), cp.ascontiguousarray(col):reshape(-1), data:reshape(-1))
  end

  --- The rows, columns and values of the entries, checked.
  function S.triplets(where, f)
    S.settle(where, f)
    if f.format == "coo" then return f.row, f.col, f.data end
    if f.format == "dia" then return triplets_of_dia(where, f) end
    if f.format == "bsr" then return S.triplets_of_blocks(where, f) end
    local major = core.sparse_rows(where, f.indptr, #f.indices)
    if f.format == "csr" then return major, f.indices, f.data end
    return f.indices, major, f.data
  end

  --- The sums of runs of a vector, from where each starts (int64, from 0; the last is the end).
  function S.sums_of_runs(where, x, starts)
    local wide = S.wide(x, x.dtype)
    local longest = math.ceil(#x / math.max(1, #starts - 1))
    return S.narrow(core.sparse_product(where, starts, nil, wide, 0, longest, nil, nil), x.dtype)
  end

  --- indptr for `count` rows from the sorted rows of entries.
  function S.starts(where, sorted, count)
    local dtype = sorted.dtype
    if #sorted == 0 then return S.zeros(count + 1, dtype, sorted.device) end
    return (core.search(where, sorted, S.range(count + 1, dtype, sorted.device), false) - 1):astype(dtype)
  end

  --- Where runs of these lengths (int64) begin, one after the other, with the end as the last; and the end.
  function S.starts_of(where, lengths)
    local starts = cp.concatenate { S.zeros(1, "int64", lengths.device), core.scan(where, "sum", lengths, 1, "int64") }
    return starts, starts[#starts]
  end

  -- Sorts the rows of fresh compressed arrays, and sums the entries of a place in their order, where the
  -- device can do that in place. Returns the arrays that hold the result.
  local function tidy(where, indptr, indices, data)
    local wide = S.wide(data, data.dtype)
    local lengths = core.sparse_tidy(where, indptr, indices, wide)
    local starts, count = S.starts_of(where, lengths)
    data = S.narrow(wide, data.dtype)
    if count == #indices then return indptr, indices, data end
    local from = core.slice(indptr, 1, 1, #lengths):astype("int64")
    starts = starts:astype(indptr.dtype)
    return starts, core.sparse_take(where, starts, indices, data, from, count)
  end

  -- Whether each of the sorted pairs differs from the one before it.
  local function firsts(major, minor)
    local n = #major
    local mask = cp.ones({ n }, { dtype = "bool", device = major.device })
    if n > 1 then
      local function differ(x) return cp.not_equal(core.slice(x, 1, 2, n), core.slice(x, 1, 1, n - 1)) end
      core.slice(mask, 1, 2, n):assign(cp.logical_or(differ(major), differ(minor)))
    end
    return mask
  end

  --- The compressed arrays of triplets in any order: indptr for `count` rows, indices, data. Entries of one
  --- place are summed in their order.
  function S.compress(where, major, minor, data, count)
    local n = #major
    if n > 0 and core.sparse_forms(major) then
      return tidy(where, core.sparse_group(where, major, count, minor, nil, data))
    end
    if n > 0 then
      local places = core.order(where, { minor, major })
      major, minor, data = core.gather(where, major, places), core.gather(where, minor, places),
        core.gather(where, data, places)
      local mask = firsts(major, minor)
      local starts = core.positions(where, mask):reshape(-1)
      if #starts < n then
        local ends = cp.full({ 1 }, n + 1, { dtype = "int64", device = major.device })
        data = S.sums_of_runs(where, data, cp.concatenate { starts, ends } - 1)
        major, minor = S.choose(where, mask, major, minor)
      end
    end
    return S.starts(where, major, count), minor, data
  end

  local function compressed(format, rows, columns, indptr, indices, data)
    return S.fields(S.new(format, rows, columns, { indptr = indptr, indices = indices, data = data }))
  end

  -- The same of arrays that are canonical as they were just made so.
  local function tidy_array(where, format, rows, columns, ...)
    return S.fields(S.known_canonical(where, S.object(compressed(format, rows, columns, ...))))
  end

  -- ---- compressed formats

  -- csr to csc or back: the entries are sorted by the other axis, each keeping its order.
  local function exchange(where, f)
    local _, minor = S.axes(f)
    local make = S.settle(where, f).canonical and tidy_array
      or function(_, ...) return compressed(...) end
    local other = f.format == "csr" and "csc" or "csr"
    if #f.indices == 0 then
      return make(where, other, f.shape[1], f.shape[2], S.zeros(minor + 1, f.indptr.dtype, f.data.device),
        f.indices:copy(), f.data:copy())
    end
    if core.sparse_forms(f.data) then
      return make(where, other, f.shape[1], f.shape[2],
        core.sparse_group(where, f.indices, minor, nil, f.indptr, f.data))
    end
    if core.sparse_meets(f.data) then
      return make(where, other, f.shape[1], f.shape[2], core.sparse_turn(where, f.indptr, f.indices, f.data, minor))
    end
    local places = core.sort(where, f.indices, true, 1, #f.indices, minor)
    local rows = core.sparse_rows(where, f.indptr, #f.indices)
    local sorted = core.gather(where, f.indices, places)
    return make(where, other, f.shape[1], f.shape[2], S.starts(where, sorted, minor),
      core.gather(where, rows, places), core.gather(where, f.data, places))
  end

  -- What is made on the way is freed at once.
  local function compress_triplets(where, f, format)
    S.settle(where, f)
    local indptr, indices, data = cp.scope(function()
      local row, col, values = S.triplets(where, f)
      if format == "csr" then return S.compress(where, row, col, values, f.shape[1]) end
      return S.compress(where, col, row, values, f.shape[2])
    end)
    return tidy_array(where, format, f.shape[1], f.shape[2], indptr, indices, data)
  end

  -- ---- diagonals

  local function to_dia(where, f)
    local row, col, data = S.triplets(where, S.canonical(where, f))
    local device, columns = data.device, f.shape[2]
    local dtype = S.index_dtype(f.shape[1], columns)
    local place = col:astype("int64") - row
    local offsets, number = cp.empty({ 0 }, { dtype = "int64", device = device }), nil
    if #row > 0 then offsets, number = cp.unique(place, { return_inverse = true }) end
    local width = #row > 0 and cp.max(col):item() + 1 or 0
    local dense = cp.zeros({ #offsets, width }, { dtype = data.dtype, device = device })
    if #row > 0 then dense:reshape(-1)[(number - 1) * width + col + 1] = data end
    return S.fields(S.new("dia", f.shape[1], columns, { data = dense, offsets = offsets:astype(dtype) }))
  end

  -- ---- all formats

  local FORMATS = { csr = true, csc = true, coo = true, dia = true }

  --- The fields of the array in a format: f itself if it has that format. block: of a bsr array, {rows,
  --- columns}; nil: f's own, or one that fits.
  function S.convert(where, f, format, block)
    if f.format == format then
      if format ~= "bsr" or not block or (block[1] == f.block[1] and block[2] == f.block[2]) then return f end
    end
    if format == "bsr" then return S.to_blocks(where, f, block) end
    if not FORMATS[format] then core.not_among(where, "format", '"csr", "csc", "coo", "dia" or "bsr"', format) end
    if format == "dia" then return to_dia(where, f) end
    if format == "coo" then
      local row, col, data = S.triplets(where, f)
      return S.fields(S.new("coo", f.shape[1], f.shape[2], { row = row, col = col, data = data }))
    end
    if f.format == "csr" or f.format == "csc" then return exchange(where, f) end
    return compress_triplets(where, f, format)
  end

  --- The fields in the form in which indices of rows ascend and none is repeated: f itself if it is so.
  --- Formats other than csr and csc become csr.
  function S.canonical(where, f)
    if f.format ~= "csr" and f.format ~= "csc" then return compress_triplets(where, f, "csr") end
    if S.settle(where, f).canonical then return f end
    if core.sparse_forms(f.data) then
      return tidy_array(where, f.format, f.shape[1], f.shape[2], tidy(where, f.indptr, f.indices:copy(), f.data:copy()))
    end
    return compress_triplets(where, f, f.format)
  end

  --- A coo array without its empty rows where these are most, for work that does not ask in which row an
  --- entry is (a compressed form has a start for each row), and the rows that are left; else f itself.
  function S.packed(where, f)
    if f.format ~= "coo" or f.shape[1] < 4 * #f.data + 1024 or #f.data == 0 then return f end
    S.settle(where, f)
    local rows, number = cp.unique(f.row, { return_inverse = true })
    return S.fields(S.new("coo", #rows, f.shape[2],
      { row = (number - 1):astype(f.row.dtype), col = f.col, data = f.data })), rows
  end

  --- The fields in f's format without repeated places, csr and csc also with indices of rows that ascend: f
  --- itself if it is so.
  function S.tidied(where, f)
    if f.format == "dia" or f.format == "bsr" and S.settle(where, f).canonical then return f end
    local packed, rows = S.packed(where, f)
    if rows then
      local row, col, data = S.triplets(where, S.canonical(where, packed))
      return S.fields(S.new("coo", f.shape[1], f.shape[2],
        { row = S.gather(where, rows, row):astype(col.dtype), col = col, data = data }))
    end
    return S.convert(where, S.canonical(where, f), f.format, f.block)
  end

  --- The object of a table of fields.
  function S.object(f) return core.sparse_object(f) end

  --- A csr or csc array whose arrays are those of canonical triplets in the order of `format`.
  function S.from_sorted(where, format, rows, columns, major, minor, data)
    return S.known_canonical(where, S.new(format, rows, columns,
      { indptr = S.starts(where, major, format == "csr" and rows or columns), indices = minor, data = data }))
  end

  -- ---- dense arrays

  --- The elements as a dense array. order: "C" or "F".
  function S.dense(where, f, order)
    local rows, columns = f.shape[1], f.shape[2]
    local out
    if core.sparse_forms(f.data) then
      local g = S.canonical(where, S.convert(where, f, "csr"))
      out = core.sparse_dense(where, g.indptr, g.indices, g.data, columns)
    else
      out = cp.zeros({ rows, columns }, { dtype = f.data.dtype, device = f.data.device })
      local row, col, data = S.triplets(where, S.canonical(where, f))
      if #data > 0 then out:reshape(-1)[row:astype("int64") * columns + col + 1] = data end
    end
    if order == "F" then return cp.asfortranarray(out) end
    return out
  end

  --- The sparse form of a dense matrix. kept: a mask of the elements to be stored; default: those not 0.
  function S.from_dense(where, x, format, kept)
    local rows, columns = x.shape[1], x.shape[2]
    local dtype = S.index_dtype(rows, columns, x.size)
    local function by_major(v) return cp.ascontiguousarray(format == "csc" and v.T or v) end
    local turned = by_major(x)
    local mask = kept and by_major(kept) or cp.not_equal(turned, 0)
    local places = core.positions(where, mask) -- a row for each axis
    local data = core.choose(where, turned, mask)
    local function coordinate(k) return (core.slice(places, 1, k, k):reshape(-1) - 1):astype(dtype) end
    local major, minor = coordinate(1), coordinate(2)
    if format == "coo" then return S.new("coo", rows, columns, { row = major, col = minor, data = data }) end
    return S.from_sorted(where, format, rows, columns, major, minor, data)
  end

  -- ---- methods

  for format in next, FORMATS do
    S.method("to" .. format, "copy", 0, function(where, f, copy)
      if f.vector then S.check_vector_format(where, format) end
      local result = S.convert(where, f, format)
      if result ~= f then return S.object(result) end
      return core.boolean(copy, where, "copy", false) and S.copy(f) or S.object(f)
    end, "alike")
  end

  S.method("asformat", "format, copy", 1, function(where, f, format, copy)
    if f.vector then S.check_vector_format(where, format) end
    local result = S.convert(where, f, format)
    if result == f and core.boolean(copy, where, "copy", false) then return S.copy(f) end
    return S.object(result)
  end, "alike")

  local function toarray(where, f, order, out)
    if order ~= nil and order ~= "C" and order ~= "F" then core.not_among(where, "order", '"C" or "F"', order) end
    local result = S.dense(where, f, order)
    if f.vector then result = result:reshape(-1) end
    return out == nil and result or core.write_out(where, out, result)
  end

  S.method("toarray", "order, out", 0, toarray, "own")
  S.method("todense", "order, out", 0, toarray, "own")

  local ARRAYS = { "data", "indices", "indptr", "row", "col", "offsets" }
  S.ARRAYS = ARRAYS

  --- A new object with f's arrays after `change`.
  function S.map_arrays(f, change)
    local parts = { block = f.block }
    for _, name in ipairs(ARRAYS) do parts[name] = f[name] and change(f[name], name) end
    return S.new(f.format, f.shape[1], f.shape[2], parts)
  end

  function S.copy(f) return S.map_arrays(f, function(x) return x:copy() end) end

  --- A new object with the same arrays.
  function S.shared(f) return S.map_arrays(f, function(x) return x end) end

  --- The same places with other values.
  function S.with_data(f, data)
    return S.map_arrays(f, function(x, name)
      if name == "data" then return data end
      return x:copy()
    end)
  end

  --- The same for work that hands no array of the result to a script: shares f's arrays of positions.
  function S.sharing(f, data)
    local parts = { format = f.format, shape = f.shape, known = f.known, block = f.block }
    for _, name in ipairs(ARRAYS) do parts[name] = f[name] end
    parts.data = data
    return parts
  end

  S.method("copy", "", 0, function(_, f) return S.copy(f) end, "alike")

  S.method("astype", "dtype, copy", 1, function(where, f, dtype, copy)
    copy = core.boolean(copy, where, "copy", true)
    if not copy and f.data.dtype == core.dtype(dtype, where) then return S.object(f) end
    return S.with_data(f, f.data:astype(dtype, copy))
  end, "alike")

  local function to(_, f, device) return S.map_arrays(f, function(x) return x:to(device) end) end
  S.method("to", "device", 1, to, "alike")
  for _, name in ipairs { "cpu", "get" } do
    S.method(name, "", 0, function(_, f) return to(nil, f, "cpu") end, "alike")
  end
  S.method("cuda", "ordinal", 0, function(_, f, ordinal)
    return S.map_arrays(f, function(x) return x:cuda(ordinal) end)
  end, "alike")

  S.method("free", "", 0, function(_, f)
    for _, name in ipairs(ARRAYS) do
      if f[name] then f[name]:free() end
    end
  end, "own")

  S.method("eval", "", 0, function(_, f)
    f.data:eval()
    return S.object(f)
  end, "own")

  -- ---- canonical forms in place

  -- Gives f the arrays of another table of fields of the same format, which live as long as its own.
  function S.become(f, other)
    for _, name in ipairs(ARRAYS) do f[name] = other[name] and core.outlive(other[name], f[name]) end
    f.known, f.twin, f.block = other.known, nil, other.block
  end

  S.method("sum_duplicates", "", 0, function(where, f)
    local g = S.tidied(where, f)
    if g ~= f then S.become(f, g) end
  end, "own")

  local function sort_indices(where, f)
    if not f.indptr then core.usage(where, "A must be a csr, csc or bsr array, not " .. f.format) end
    if S.settle(where, f).sorted then return f end
    local rows = core.sparse_rows(where, f.indptr, #f.indices)
    local places = core.order(where, { f.indices, rows })
    return S.fields(S.new(f.format, f.shape[1], f.shape[2], { block = f.block, indptr = f.indptr,
      indices = core.gather(where, f.indices, places), data = cp.take(f.data, places, 1) }))
  end

  S.method("sort_indices", "", 0, function(where, f) S.become(f, sort_indices(where, f)) end, "own")
  S.method("sorted_indices", "", 0, function(where, f)
    local result = sort_indices(where, f)
    return result == f and S.copy(f) or S.object(result)
  end, "alike")

  --- The entries of f for which the mask is true, in f's format, which is not bsr; of dia arrays in coo.
  function S.keep(where, f, mask)
    if f.indptr and core.sparse_forms(f.data) then
      local known, _, minor = S.settle(where, f), S.axes(f)
      local indptr, indices, data = core.sparse_pick(where, f.indptr, f.indices, f.data, minor, mask, nil)
      local A = S.new(f.format, f.shape[1], f.shape[2], { indptr = indptr, indices = indices, data = data })
      return known.canonical and S.known_canonical(where, A) or A
    end
    local row, col, data = S.triplets(where, f)
    row, col, data = S.choose(where, mask, row, col, data)
    local rows, columns = f.shape[1], f.shape[2]
    if f.indptr then
      local major, minor = row, col
      if f.format == "csc" then major, minor = col, row end
      local A = S.new(f.format, rows, columns,
        { indptr = S.starts(where, major, f.format == "csr" and rows or columns), indices = minor, data = data })
      return S.settle(where, f).canonical and S.known_canonical(where, A) or A
    end
    return S.new("coo", rows, columns, { row = row, col = col, data = data })
  end

  S.method("eliminate_zeros", "", 0, function(where, f)
    if f.format == "dia" then return end
    S.settle(where, f)
    if f.format == "bsr" then return S.become(f, S.drop_zero_blocks(where, f)) end
    local kept = cp.not_equal(f.data, 0)
    if not cp.all(kept) then S.become(f, S.fields(S.keep(where, f, kept))) end
  end, "own")

  -- ---- transposition

  local TURNED = { csr = "csc", csc = "csr", coo = "coo" }

  --- The transposed array; csr and csc exchange their names and share the arrays.
  function S.transpose(where, f)
    local rows, columns = f.shape[1], f.shape[2]
    if f.format == "dia" or f.format == "bsr" then
      local turned = S.fields(S.transpose(where, S.convert(where, f, "coo")))
      return S.object(S.convert(where, turned, f.format, f.block and { f.block[2], f.block[1] }))
    end
    if f.format == "coo" then return S.new("coo", columns, rows, { row = f.col, col = f.row, data = f.data }) end
    local A = S.new(TURNED[f.format], columns, rows, { indptr = f.indptr, indices = f.indices, data = f.data })
    S.fields(A).known = f.known
    return A
  end

  S.method("transpose", "axes, copy", 0, function(where, f, axes, copy)
    if f.vector then
      if axes ~= nil then core.axis_list(axes, where, "axes", 1) end
      return S.as_vector(core.boolean(copy, where, "copy", false) and S.copy(f) or S.shared(f))
    end
    if axes ~= nil then
      local list = core.axis_list(axes, where, "axes", 2)
      if list[1] == 1 then return S.copy(f) end
    end
    local A = S.transpose(where, f)
    return core.boolean(copy, where, "copy", false) and S.copy(S.fields(A)) or A
  end, "own")
end
