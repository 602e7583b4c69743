-- Sparse arrays with one axis: coo and csr arrays of one row that have `vector` in their fields. Work on
-- matrices takes them as this row; what is here gives results one axis less. Functions that ask for S.take
-- refuse them.

return function(cp, core, S, publish)
  local raise_shape = core.raise_shape

  --- A sparse array of one row as one with one axis: of format csr or coo.
  function S.as_vector(A)
    S.fields(A).vector = true
    return A
  end

  --- A result of work on the row of a vector without its first axis.
  function S.without_row(result)
    if S.is(result) then return S.as_vector(result) end
    if cp.is_array(result) and result.ndim == 2 then return result:reshape(-1) end
    return result
  end

  --- One row or column of a matrix as a vector: coo, as in SciPy.
  function S.line(where, f)
    local g = f.shape[1] == 1 and f or S.fields(S.transpose(where, f))
    return S.as_vector(S.object(S.convert(where, g, "coo")))
  end

  --- The lengths of f as users see them: (5) or (2, 5).
  function S.shape_text(f)
    if f.vector then return string.format("(%d)", f.shape[2]) end
    return string.format("(%d, %d)", f.shape[1], f.shape[2])
  end

  local VECTORS = { csr = true, coo = true }

  --- Raises unless vectors have this format.
  function S.check_vector_format(where, format)
    if not VECTORS[format] then raise_shape(where, "arrays with one axis are csr or coo, not " .. tostring(format)) end
  end

  -- ---- products of elements

  -- The length of an axis that is broadcast from two; nil if they differ.
  local function broadcast_length(n, m)
    if n == m or m == 1 then return n end
    return n == 1 and m or nil
  end

  --- The lengths of f's shape and this one broadcast; nil if they do not.
  function S.broadcast_shape(f, m, n)
    local rows, columns = broadcast_length(f.shape[1], m), broadcast_length(f.shape[2], n)
    if rows and columns then return rows, columns end
  end

  --- f with its only row and its only column repeated to these lengths, in coo; f itself if it has them.
  function S.spread(where, f, rows, columns)
    if rows == f.shape[1] and columns == f.shape[2] then return f end
    local row, col, data = S.triplets(where, f)
    local function repeated(x, n)
      return cp.ascontiguousarray(cp.broadcast_to(x:reshape(1, -1), { n, #x })):reshape(-1)
    end
    local function counted(n) return cp.repeats(S.range(n, row.dtype, row.device), #data) end
    if rows ~= f.shape[1] then row, col, data = counted(rows), repeated(col, rows), repeated(data, rows) end
    if columns ~= f.shape[2] then col, row, data = counted(columns), repeated(row, columns), repeated(data, columns) end
    return S.fields(S.new("coo", rows, columns, { row = row, col = col, data = data }))
  end

  local function without_entries(rows, columns, dtype, device)
    local places = S.zeros(0, "int32", device)
    local parts = { row = places, col = places:copy(), data = S.zeros(0, dtype, device) }
    return S.object(S.convert("scipy.sparse.multiply", S.fields(S.new("coo", rows, columns, parts)), "csr"))
  end

  --- f * g of sparse arrays whose shapes differ and broadcast; nil if they do not.
  function S.broadcast_product(where, f, g)
    local m, n, m2, n2 = f.shape[1], f.shape[2], g.shape[1], g.shape[2]
    local rows, columns = S.broadcast_shape(f, m2, n2)
    if not rows then return nil end
    if rows == 0 or columns == 0 then
      return without_entries(rows, columns, cp.result_type(f.data, g.data), f.data.device)
    end
    if m > m2 or n > n2 then
      if m < m2 or n < n2 then -- a row and a column: each pair of their elements
        local column, row = f, g
        if m == 1 then column, row = g, f end
        return S.matmul(where, S.object(S.matrix(column)), S.object(S.matrix(row)))
      end
      f, g = g, f
    end
    return S.operate("multiply", nil, nil, S.object(S.matrix(g)), S.dense(where, f))
  end

  --- f's row as a matrix: the same arrays.
  function S.matrix(f)
    if not f.vector then return f end
    return S.sharing(f, f.data)
  end

  -- ---- products of matrices

  -- v as a column.
  local function column(where, f) return S.transpose(where, f) end

  --- The matrix product of a and b, at least one of which is a sparse vector: a number as an array, or a
  --- vector, sparse if both are.
  function S.vector_matmul(where, a, b)
    local f, g = S.fields(a), S.fields(b)
    local sparse = f and g
    local right
    if g and g.vector then
      right = sparse and column(where, g) or S.object(S.matrix(g))
    else
      right = b
    end
    if sparse then
      local left = f.vector and S.object(S.matrix(f)) or a
      local inner = f.shape[2]
      if inner ~= right.shape[1] then
        raise_shape(where, string.format("shapes %s and %s cannot be multiplied", S.shape_text(f), S.shape_text(g)))
      end
      local product = S.matmul(where, left, right)
      if f.vector and g.vector then return product:toarray():reshape {} end
      return S.line(where, S.fields(product))
    end
    if f then -- the row times a dense array
      local product = S.matmul(where, S.object(S.matrix(f)), b)
      if product.ndim == 1 then return product:reshape {} end
      local shape = {}
      for k = 1, product.ndim do
        if k ~= product.ndim - 1 then shape[#shape + 1] = product.shape[k] end
      end
      return product:reshape(shape)
    end
    local x = core.as_array(a, where, "x1", g.data)
    if x.ndim == 1 then return S.matmul(where, right, x):reshape {} end
    return S.matmul(where, x, column(where, g)):reshape(-1)
  end

  -- ---- axes

  --- A with another axis of length 1 before (axis 1, the default) or behind its own: a coo array.
  publish("expand_dims", "A, axis", 1, function(where, A, axis)
    local f = S.take_any(where, A)
    if not f.vector then raise_shape(where, "A must have one axis; sparse arrays have two at most") end
    axis = core.axis(axis, where, "axis", 2, 1)
    local row = S.shared(S.convert(where, f, "coo"))
    return axis == 1 and row or S.transpose(where, S.fields(row))
  end)
end
