-- csr_array, csc_array, bsr_array, coo_array and dia_array: sparse arrays from dense ones, triplets, raw
-- arrays, shapes and each other.

return function(cp, core, S, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  -- ---- arguments

  --- The two lengths of a shape given as an argument.
  function S.shape(where, shape)
    local s = core.shape(shape, where, "shape")
    if #s ~= 2 then raise_shape(where, "shape must have two lengths, not " .. #s) end
    return s[1], s[2]
  end

  --- The two lengths of a shape given as an argument, and true if it has one length, which is that of a row.
  function S.row_shape(where, shape)
    local s = core.shape(shape, where, "shape")
    if #s == 1 then return 1, s[1], true end
    return S.shape(where, shape)
  end

  --- A vector of whole numbers from an array or a table.
  function S.whole(where, v, argument, device)
    local x = v
    if type(v) == "table" then x = #v > 0 and cp.index(v) or cp.empty({ 0 }, "int64") end
    x = core.as_array(x, where, argument)
    local kind = core.kind(x)
    if x.ndim ~= 1 then raise_shape(where, argument .. " must be a vector, not of shape " .. tostring(x.shape)) end
    if kind ~= "i" and kind ~= "u" then
      core.raise(where, "dtype", argument .. " must be of integers, not " .. x.dtype)
    end
    return (device and x.device ~= device) and x:to(device) or x
  end

  local function vector(where, v, argument)
    local x = core.as_array(v, where, argument)
    if x.ndim ~= 1 then raise_shape(where, argument .. " must be a vector, not of shape " .. tostring(x.shape)) end
    return x
  end

  -- Positions counted from `base` as they are kept: from 0.
  local function from_base(x, base, dtype)
    if base == 0 then return x:astype(dtype, false) end
    return (x - base):astype(dtype, false)
  end

  local function base_of(where, base, missing)
    if base == nil then return missing end
    if base ~= 0 and base ~= 1 then usage(where, "base must be 0 or 1") end
    return base
  end

  local function extent(x, base) return #x == 0 and 0 or cp.max(x):item() - base + 1 end

  -- ---- triplets

  -- row: nil for an array of one axis.
  local function from_triplets(where, o, data, row, col, base)
    local line = row == nil
    data = vector(where, data, "data")
    col = S.whole(where, col, "col", data.device)
    row = line and cp.full({ #col }, base, { dtype = "int64", device = data.device })
      or S.whole(where, row, "row", data.device)
    if #row ~= #data or #col ~= #data then
      raise_shape(where, string.format("data, row and col have %d, %d and %d elements", #data, #row, #col))
    end
    local rows, columns
    if o.shape ~= nil then
      local one
      rows, columns, one = S.row_shape(where, o.shape)
      if (one or false) ~= line then raise_shape(where, "shape and coords must have as many axes") end
    else
      rows, columns = line and 1 or extent(row, base), extent(col, base)
    end
    local dtype = S.index_dtype(rows, columns, #data)
    local f = S.fields(S.new("coo", rows, columns, { data = data, vector = line or nil }))
    -- checked before they are narrowed, in the caller's counting
    for name, x in next, { row = row, col = col } do
      local limit = name == "row" and rows or columns
      local bad = cp.logical_or(cp.less(x, base), cp.greater_equal(x, limit + base))
      if #x > 0 and bad:any() then
        local k = cp.argmax(bad):item()
        core.raise(where, "index", string.format("%s[%d], counted from 1, is %d; positions are %d to %d", name, k, x[k],
          base, limit + base - 1))
      end
      f[name] = from_base(x, base, dtype)
    end
    return f
  end

  -- ---- raw arrays

  local function index_arrays(where, o, base, data)
    local indices = S.whole(where, o.indices, "indices", data.device)
    local indptr = S.whole(where, o.indptr, "indptr", data.device)
    local rows, columns, line
    if o.shape ~= nil then rows, columns, line = S.row_shape(where, o.shape) end
    local dtype = (indices.dtype == "int64" or indptr.dtype == "int64") and "int64" or "int32"
    if indices.dtype ~= indptr.dtype or (indices.dtype ~= "int32" and indices.dtype ~= "int64") then
      dtype = S.index_dtype(rows or 0, columns or 0, #indices)
      if cp.max(cp.concatenate { indices:astype("int64"), S.zeros(1, "int64", data.device) }):item() >= 2 ^ 31 then
        dtype = "int64"
      end
    end
    return from_base(indices, base, dtype), from_base(indptr, base, dtype), rows, columns, line
  end

  -- The blocks of a bsr array, and their shape.
  local function blocks(where, v, blocksize)
    local x = core.as_array(v, where, "data")
    if x.ndim ~= 3 then raise_shape(where, "data must have a block for each entry, not shape " .. tostring(x.shape)) end
    local block = S.block_of(where, { x.shape[2], x.shape[3] }, 0, 0)
    if blocksize ~= nil then
      local given = S.block_of(where, blocksize, 0, 0)
      if given[1] ~= block[1] or given[2] ~= block[2] then
        raise_shape(where, string.format("data has blocks of (%d, %d), not (%d, %d)", block[1], block[2], given[1],
          given[2]))
      end
    end
    return x, block
  end

  local function from_raw(where, format, o, base)
    if format == "coo" or format == "dia" then usage(where, "indices and indptr make csr, csc and bsr arrays") end
    local data, block
    if format == "bsr" then
      data, block = blocks(where, o.data, o.blocksize)
    else
      data = vector(where, o.data, "data")
    end
    local indices, indptr, rows, columns, line = index_arrays(where, o, base, data)
    if line then S.check_vector_format(where, format) end
    if #indptr == 0 then raise_shape(where, "indptr must not be empty") end
    if not rows then
      rows, columns = #indptr - 1, extent(indices, 0)
      if block then rows, columns = rows * block[1], columns * block[2] end
      if format == "csc" then rows, columns = columns, rows end
    end
    if block then S.block_of(where, block, rows, columns) end
    local major = S.axes { format = format, shape = { rows, columns }, block = block }
    if #indptr ~= major + 1 then
      raise_shape(where, string.format("indptr has %d elements, where shape (%d, %d) needs %d", #indptr, rows, columns,
        major + 1))
    end
    local f = S.fields(S.new(format, rows, columns,
      { data = data, indices = indices, indptr = indptr, block = block, vector = line }))
    S.settle(where, f)
    return f
  end

  -- ---- diagonals

  local function from_diagonals(where, o, data, offsets)
    if o.shape == nil then usage(where, "shape is missing") end
    local rows, columns = S.shape(where, o.shape)
    data = core.as_array(data, where, "data")
    if data.ndim == 1 then data = data:reshape({ 1, -1 }) end
    if data.ndim ~= 2 then raise_shape(where, "data must have a row for each diagonal") end
    if type(offsets) == "number" then offsets = { offsets } end
    offsets = S.whole(where, offsets, "offsets", data.device)
    if #offsets ~= data.shape[1] then
      raise_shape(where, string.format("data has %d rows for %d offsets", data.shape[1], #offsets))
    end
    if #cp.unique(offsets) ~= #offsets then usage(where, "offsets contains a diagonal twice") end
    return S.fields(S.new("dia", rows, columns,
      { data = data, offsets = offsets:astype(S.index_dtype(rows, columns), false) }))
  end

  -- ---- one argument

  local function is_vector(v) return type(v) == "table" or cp.is_array(v) end

  -- One or two numbers in a table are a shape, as they are in SciPy in a tuple, never elements.
  local function is_shape(where, arg)
    local n = #arg
    if n ~= 1 and n ~= 2 or type(arg[1]) ~= "number" or type(arg[n]) ~= "number" then return false end
    for _, length in ipairs(arg) do
      if length < 0 or length ~= math.floor(length) then
        raise_shape(where, "arg: one or two numbers in a table are a shape, whose lengths are whole and not negative; "
          .. "elements are given as cp.array { ... }")
      end
    end
    return true
  end

  local function empty(where, format, shape, o)
    local rows, columns, line = S.row_shape(where, shape)
    if line then S.check_vector_format(where, format) end
    local dtype, device = o.dtype, o.device
    local index = S.index_dtype(rows, columns)
    local function zeros(n) return S.zeros(n, index, device) end
    local data = S.zeros(0, dtype or core.default_dtype(), device)
    if format == "coo" then
      return S.fields(S.new("coo", rows, columns, { data = data, row = zeros(0), col = zeros(0), vector = line }))
    end
    if format == "dia" then
      return S.fields(S.new("dia", rows, columns, { data = data:reshape({ 0, 0 }), offsets = zeros(0) }))
    end
    local block = format == "bsr" and S.block_of(where, o.blocksize or { 1, 1 }, rows, columns) or nil
    if block then data = data:reshape { 0, block[1], block[2] } end
    local major = S.axes { format = format, shape = { rows, columns }, block = block }
    return S.fields(S.new(format, rows, columns,
      { data = data, indices = zeros(0), indptr = zeros(major + 1), block = block, vector = line }))
  end

  local function from_table(where, format, arg, o)
    if is_shape(where, arg) then return empty(where, format, arg, o), true end
    local second = arg[2]
    if format == "dia" and #arg == 2 and is_vector(second) and not (type(second) == "table" and is_vector(second[1]))
      and o.shape ~= nil then
      return from_diagonals(where, o, arg[1], second)
    end
    if #arg == 2 and type(second) == "table" and (#second == 1 or #second == 2) and is_vector(second[1]) then
      local row, col = second[1], second[2]
      if #second == 1 then row, col = nil, second[1] end
      return from_triplets(where, o, arg[1], row, col, base_of(where, o.base, 1))
    end
    if #arg == 3 and cp.is_array(arg[1]) and cp.is_array(arg[3]) then
      usage(where, "raw arrays are given by name: {data = , indices = , indptr = }, counted from 0")
    end
  end

  -- The fields that the arguments describe, in any format.
  local function read(where, format, arg, o)
    if o.indices ~= nil or o.indptr ~= nil then
      return from_raw(where, format, o, base_of(where, o.base, 0))
    end
    if o.coords ~= nil or o.row ~= nil then
      local row, col = o.row, o.col
      if o.coords ~= nil then
        if type(o.coords) ~= "table" and not cp.is_array(o.coords) then
          usage(where, "coords must be a table of one or two vectors, not " .. cp.type(o.coords))
        end
        row, col = o.coords[1], o.coords[2]
        if col == nil then row, col = nil, row end
      end
      return from_triplets(where, o, o.data, row, col, base_of(where, o.base, 0))
    end
    if o.offsets ~= nil then return from_diagonals(where, o, o.data, o.offsets) end
    if S.is(arg) then return S.fields(arg) end
    if arg == nil then
      if o.shape ~= nil then return empty(where, format, o.shape, o) end
      usage(where, "arg is missing")
    end
    local f = type(arg) == "table" and from_table(where, format, arg, o)
    if f then return f end
    local x = core.as_array(arg, where, "arg")
    if x.ndim == 0 then x = x:reshape({ 1, 1 }) end
    if x.ndim == 1 then
      S.check_vector_format(where, format)
      return S.fields(S.as_vector(S.from_dense(where, x:reshape({ 1, -1 }), format)))
    end
    if x.ndim ~= 2 then raise_shape(where, "arg must have one axis or two, not shape " .. tostring(x.shape)) end
    return S.fields(S.from_dense(where, x, (format == "dia" or format == "bsr") and "csr" or format))
  end

  local function check_shape(where, f, shape)
    if shape == nil then return end
    local rows, columns, line = S.row_shape(where, shape)
    if rows ~= f.shape[1] or columns ~= f.shape[2] or line ~= f.vector then
      raise_shape(where, string.format("arg has shape %s, not %s", S.shape_text(f),
        S.shape_text { shape = { rows, columns }, vector = line }))
    end
  end

  --- A sparse array of a format, made by the rules of csr_array.
  function S.make(where, format, arg, o)
    if cp.is_array(arg) and cp.is_array(o.shape) then
      usage(where, "raw arrays are given by name: {data = , indices = , indptr = }, counted from 0")
    end
    local copy = core.boolean(o.copy, where, "copy", false)
    local f = read(where, format, arg, o)
    check_shape(where, f, o.shape)
    if f.vector then S.check_vector_format(where, format) end
    local block = o.blocksize ~= nil and S.block_of(where, o.blocksize, f.shape[1], f.shape[2]) or nil
    local result = S.convert(where, f, format, block)
    local A
    if o.dtype ~= nil and result.data.dtype ~= core.dtype(o.dtype, where) then
      A = S.with_data(result, result.data:astype(o.dtype))
    else
      A = copy and S.copy(result) or S.object(result)
    end
    return f.vector and S.as_vector(A) or A
  end

  --- A sparse array from any value, in csr where the value leaves it open.
  function S.as_sparse(where, v, argument)
    if S.is(v) then return S.fields(v) end
    local x = core.as_array(v, where, argument)
    if x.ndim < 2 then x = x:reshape({ 1, -1 }) end
    if x.ndim ~= 2 then raise_shape(where, argument .. " must have two axes, not shape " .. tostring(x.shape)) end
    return S.fields(S.from_dense(where, x, "csr"))
  end

  for _, format in ipairs { "csr", "csc", "bsr", "coo", "dia" } do
    -- An array of this format. arg: a dense matrix; another sparse array; a shape {rows, columns}; or
    -- triplets {data, {rows, columns}}, which count from 1 and may repeat places (their sum counts). For csr
    -- and coo arrays of one axis a dense vector, a shape {n}, or {data, {places}}. By name: data with indices
    -- and indptr, with row and col (or coords), or with offsets, which count from 0.
    -- blocksize: of bsr arrays; default: one that fits.
    publish(format .. "_array",
      "arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize", 0,
      function(where, arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device,
        blocksize)
        if blocksize ~= nil and format ~= "bsr" then usage(where, "blocksize is for bsr arrays") end
        return S.make(where, format, arg, { shape = shape, dtype = dtype, copy = copy, base = base, data = data,
          indices = indices, indptr = indptr, row = row, col = col, coords = coords, offsets = offsets,
          device = device or cp.device().name, blocksize = blocksize })
      end)

    -- There are no matrix classes: as another name of csr_array it would make A * B elementwise.
    publish(format .. "_matrix", "...", 0, function(where)
      usage(where, string.format("there is one family of objects: use %s_array; A:matmul(B) is the matrix product",
        format))
    end)
    publish("isspmatrix_" .. format, "x", 0, function(_, x)
      local f = S.fields(x)
      return f ~= nil and f.format == format
    end)
  end

  for _, name in ipairs { "dok_array", "dok_matrix", "lil_array", "lil_matrix" } do
    -- Formats to which entries are added one by one: a builder is for that.
    publish(name, "...", 0, function(where) usage(where, "entries are added to a builder: cp.sparse.builder") end)
  end

  publish("issparse", "x", 0, function(_, x) return S.is(x) end)
  publish("isspmatrix", "x", 0, function(_, x) return S.is(x) end)
end
