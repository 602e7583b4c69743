-- cp.scipy.io: matrices in Matrix Market files. src/lua/files/market.c reads their lines, market_write.c
-- writes them; here symmetric ones are completed and taken apart.

return function(cp, core)
  local io = {}
  cp.scipy.io = io
  local publish = core.publisher(io, "scipy.io.")
  local usage = core.usage

  local function has_ending(path, ending) return type(path) == "string" and string.sub(path, -#ending) == ending end

  local function open(where, path, mode)
    local f = core.open_file(where, path, mode)
    if has_ending(path, ".gz") then f:begin_entry "gzip" end
    return f
  end

  -- ---- reading

  -- The elements above the diagonal, from those below it.
  local function mirrored(x, symmetry)
    if symmetry == "skew-symmetric" then return -x end
    return symmetry == "hermitian" and cp.conj(x) or x
  end

  -- Rows and columns, from 1, of the places on and below the diagonal (skew: below it), column by column.
  local function triangle(n, symmetry, device)
    local at = cp.triu_indices(n, symmetry == "skew-symmetric" and 1 or 0)
    return at[2]:to(device), at[1]:to(device)
  end

  -- The matrix whose elements a file lists column by column.
  local function dense(symmetry, rows, columns, data)
    if symmetry == "general" then return cp.ascontiguousarray(data:reshape({ columns, rows }).T) end
    local out = cp.zeros({ rows, rows }, { dtype = data.dtype, device = data.device })
    if data.size == 0 then return out end
    local row, col = triangle(rows, symmetry, data.device)
    local flat = out:reshape(-1)
    flat[(col - 1) * rows + row] = mirrored(data, symmetry)
    flat[(row - 1) * rows + col] = data
    return out
  end

  local function entries(where, symmetry, rows, columns, row, col, data)
    local S = core.sparse
    data = data or cp.ones({ #row }, { dtype = "float64", device = row.device })
    if symmetry ~= "general" then
      local i, j, x = S.choose(where, cp.not_equal(row, col), row, col, data)
      row, col, data = cp.concatenate { row, j }, cp.concatenate { col, i },
        cp.concatenate { data, mirrored(x, symmetry) }
    end
    local dtype = S.index_dtype(rows, columns, #data)
    return S.new("coo", rows, columns, { row = row:astype(dtype, false), col = col:astype(dtype, false), data = data })
  end

  --- Reads a matrix from a Matrix Market file (gzipped if its name ends in .gz): a coo array from one that
  --- lists entries ("coordinate"), a dense array from one that lists all elements ("array"). Symmetric ones
  --- become complete; entries without values ("pattern") are 1.
  ---@param source string
  ---@param device? string  default: the current one
  ---@return any
  publish("mmread", "source, device", 1, function(where, source, device)
    local f = open(where, source, "r")
    local format, _, symmetry, rows, columns, _, row, col, data = core.read_market(f, false, device)
    f:close()
    if format == "array" then return dense(symmetry, rows, columns, data) end
    return entries(where, symmetry, rows, columns, row, col, data)
  end)

  --- What the header of a Matrix Market file says.
  ---@param source string
  ---@return integer rows
  ---@return integer columns
  ---@return integer entries
  ---@return string format  "coordinate" or "array"
  ---@return string field  "real", "complex", "integer", "unsigned-integer" or "pattern"
  ---@return string symmetry  "general", "symmetric", "skew-symmetric" or "hermitian"
  publish("mminfo", "source", 1, function(where, source)
    local f = open(where, source, "r")
    local format, field, symmetry, rows, columns, count = core.read_market(f, true)
    f:close()
    return rows, columns, format == "array" and rows * columns or count, format, field, symmetry
  end)

  -- ---- writing

  -- What values are written as, by their kind.
  local FIELDS = { f = "real", c = "complex", i = "integer", u = "integer", b = "integer" }

  local function field_of(where, x, field)
    if field == nil then return x.dtype == "uint64" and "unsigned-integer" or FIELDS[core.kind(x)] end
    if field ~= "real" and field ~= "complex" and field ~= "integer" and field ~= "pattern" then
      core.not_among(where, "field", '"real", "complex", "integer" or "pattern"', field)
    end
    if core.kind(x) == "c" and field ~= "complex" and field ~= "pattern" then
      usage(where, "complex values are not " .. field .. "; write a.real")
    end
    return field
  end

  -- The values in a dtype in which they are written in this field.
  local function written(x, field)
    if field == "pattern" then return nil end
    if field == "integer" then return x:astype("int64", false) end
    if field == "unsigned-integer" then return x end
    if field == "complex" then return x:astype(x.dtype == "complex64" and "complex64" or "complex128", false) end
    local half = core.is_half(x.dtype)
    return x:astype((half or x.dtype == "float32") and "float32" or "float64", false)
  end

  -- A's symmetry by its elements; A and its negative are compared with its transpose by `same`.
  local function symmetry_of(A, kind, same)
    local turned = A.T
    if same(A, turned) then return "symmetric" end
    if kind ~= "b" and kind ~= "u" and same(-A, turned) then return "skew-symmetric" end
    return kind == "c" and same(A:conj(), turned) and "hermitian" or "general"
  end

  local SYMMETRIES = { general = true, symmetric = true, ["skew-symmetric"] = true, hermitian = true }

  -- The symmetry to write A in, which has this shape.
  local function check_symmetry(where, symmetry, shape, determine)
    if symmetry == nil or symmetry == "AUTO" then return shape[1] == shape[2] and determine() or "general" end
    if not SYMMETRIES[symmetry] then
      core.not_among(where, "symmetry", '"AUTO", "general", "symmetric", "skew-symmetric" or "hermitian"', symmetry)
    end
    if symmetry ~= "general" and shape[1] ~= shape[2] then
      core.raise_shape(where, string.format("a matrix of shape (%d, %d) is not %s", shape[1], shape[2], symmetry))
    end
    return symmetry
  end

  -- Writes a file with this format, symmetry and line of sizes; row and col are nil for an array.
  local function put(where, o, format, symmetry, sizes, row, col, data)
    local function host(x) return x and x:to("cpu") end
    local f = open(where, o.target, "w")
    f:write(string.format("%%%%MatrixMarket matrix %s %s %s\n", format, o.field, symmetry))
    for line in string.gmatch((o.comment or "") .. "\n", "([^\n]*)\n") do f:write("%" .. line .. "\n") end
    f:write(sizes .. "\n")
    core.write_market(f, host(row), host(col), host(written(data, o.field)), o.precision)
    if has_ending(o.target, ".gz") then f:end_entry() end
    f:close()
  end

  local function write_sparse(where, A, o)
    local S = core.sparse
    local g = S.fields(A)
    o.field = field_of(where, g.data, o.field)
    local symmetry = check_symmetry(where, o.symmetry, g.shape,
      function() return symmetry_of(A, core.kind(g.data), S.equal) end)
    local row, col, data = S.triplets(where, symmetry == "general" and g or S.canonical(where, g))
    if symmetry ~= "general" then
      local lower = symmetry == "skew-symmetric" and cp.greater or cp.greater_equal
      row, col, data = S.choose(where, lower(row, col), row, col, data)
    end
    put(where, o, "coordinate", symmetry, string.format("%d %d %d", g.shape[1], g.shape[2], #row),
      row:astype("int64"), col:astype("int64"), data)
  end

  local function write_dense(where, x, o)
    o.field = field_of(where, x, o.field)
    local rows, columns = x.shape[1], x.shape[2]
    if o.field == "pattern" then usage(where, "a dense matrix has no pattern; write sparse.coo_array(a)") end
    local symmetry = check_symmetry(where, o.symmetry, { rows, columns },
      function() return symmetry_of(x, core.kind(x), cp.array_equal) end)
    local data
    if symmetry == "general" then
      data = cp.ascontiguousarray(x.T):reshape(-1)
    else
      local row, col = triangle(rows, symmetry, x.device)
      data = #row > 0 and cp.ascontiguousarray(x):reshape(-1)[(row - 1) * rows + col]
        or cp.zeros({ 0 }, { dtype = x.dtype, device = x.device })
    end
    put(where, o, "array", symmetry, string.format("%d %d", rows, columns), nil, nil, data)
  end

  --- Writes a matrix to a Matrix Market file; ".mtx" is added if the name ends in neither ".mtx" nor ".gz".
  --- Sparse arrays are written as their entries, dense ones as all elements; of a symmetric matrix only the
  --- elements on and below the diagonal.
  ---@param target string
  ---@param a any  a sparse array, or a dense matrix
  ---@param comment? string  lines for the head of the file
  ---@param field? string  "real", "complex", "integer" or "pattern"; default: by a's dtype
  ---@param precision? integer  significant digits; default: as many as read back as the same values
  ---@param symmetry? string  "general", "symmetric", "skew-symmetric" or "hermitian"; default "AUTO": by a's
  --- elements
  publish("mmwrite", "target, a, comment, field, precision, symmetry", 2,
    function(where, target, a, comment, field, precision, symmetry)
      if comment ~= nil and type(comment) ~= "string" then
        usage(where, "comment must be a string, not " .. type(comment))
      end
      if precision ~= nil then
        precision = core.integer(precision, where, "precision")
        if precision < 1 or precision > 40 then usage(where, "precision must be from 1 to 40") end
      end
      local sparse = core.sparse_fields(a) ~= nil
      local x = sparse and a or core.as_array(a, where, "a")
      if x.ndim ~= 2 then core.raise_shape(where, "a must have two axes, not shape " .. tostring(x.shape)) end
      if not has_ending(target, ".gz") then target = core.with_ending(target, ".mtx") end
      local write = sparse and write_sparse or write_dense
      write(where, x, { target = target, comment = comment, field = field, precision = precision, symmetry = symmetry })
    end)
end
