-- Other shapes for the entries of sparse arrays, and products over chosen axes.

return function(cp, core, S, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  -- ---- reshape and resize

  -- Two lengths for this number of elements, one of which may be -1: what the other one leaves; or 1, one
  -- length and true.
  local function lengths(where, shape, size)
    local m, n
    local one = type(shape) == "number" and shape or type(shape) == "table" and #shape == 1 and shape[1]
    if one then
      n = core.integer(one, where, "shape")
      if n ~= size and n ~= -1 then
        raise_shape(where, string.format("shape (%d) does not fit %d elements", n, size))
      end
      return 1, size, true
    elseif type(shape) == "table" and #shape == 2 then
      m, n = core.integer(shape[1], where, "shape"), core.integer(shape[2], where, "shape")
      if m == -1 and n > 0 then m = math.floor(size / n) end
      if n == -1 and m > 0 then n = math.floor(size / m) end
    else
      m, n = S.shape(where, shape)
    end
    if m < 0 or n < 0 or m * n ~= size then
      raise_shape(where, string.format("shape (%d, %d) does not fit %d elements", m, n, size))
    end
    return m, n
  end

  -- A coo array of f's elements in another shape of one axis or two, which they fill by rows (order "C") or
  -- by columns ("F").
  S.method("reshape", "shape, order, copy", 1, function(where, f, shape, order, copy)
    if type(order) == "number" and type(shape) == "number" then shape, order = { shape, order }, nil end
    if order ~= nil and order ~= "C" and order ~= "F" then core.not_among(where, "order", '"C" or "F"', order) end
    local m, n, line = lengths(where, shape, f.shape[1] * f.shape[2])
    core.boolean(copy, where, "copy", false)
    local row, col, data = S.triplets(where, f)
    local place, step = row:astype "int64" * f.shape[2] + col, n
    if order == "F" then place, step = col:astype "int64" * f.shape[1] + row, m end
    local index = S.index_dtype(m, n)
    local major = cp.floor_divide(place, math.max(1, step))
    local minor = (place - major * step):astype(index)
    major = major:astype(index)
    if order == "F" then major, minor = minor, major end
    return S.new("coo", m, n, { row = major, col = minor, data = data:copy(), vector = line })
  end, "own")

  -- Gives A another shape in place: elements keep their places, and those outside are dropped. Between one
  -- axis and two, as in SciPy, an array with one axis is the first row of a csr array; elements of coo arrays
  -- keep their places in the order of rows.
  S.method("resize", "shape, columns", 1, function(where, f, shape, columns)
    if columns ~= nil then shape = { shape, columns } end
    local m, n, line = S.row_shape(where, shape)
    if line then S.check_vector_format(where, f.format) end
    local block = f.block and S.block_of(where, f.block, m, n)
    local row, col, data = S.triplets(where, f)
    local index = S.index_dtype(m, n)
    if line ~= f.vector and f.format == "coo" then
      local at = row:astype "int64" * f.shape[2] + col
      row = line and cp.zeros_like(at) or cp.floor_divide(at, math.max(1, n))
      col = at - row * n
    end
    row, col, data = S.choose(where, cp.logical_and(cp.less(row, m), cp.less(col, n)), row, col, data)
    local g = S.fields(S.new("coo", m, n, { row = row:astype(index), col = col:astype(index), data = data }))
    S.become(f, S.convert(where, g, f.format, block))
    f.shape, f.vector = { m, n }, line
  end, "own")

  -- ---- checks

  -- Entries behind the last row's end hold nothing, and go when positions are checked.
  S.method("prune", "", 0, function(where, f) S.settle(where, f) end, "own")

  -- Raises an error if positions are out of range. They are looked at in any case.
  S.method("check_format", "full_check", 0, function(where, f, full_check)
    core.boolean(full_check, where, "full_check", true)
    S.settle(where, f)
  end, "own")

  local POSITIONS = { "indices", "indptr", "row", "col", "offsets" }

  -- The arrays of positions of A in another dtype: indices and indptr, row and col, or offsets. Raises an
  -- error if one does not fit.
  publish("safely_cast_index_arrays", "A, idx_dtype", 1, function(where, A, idx_dtype)
    local f, list = S.take_any(where, A), {}
    local dtype = idx_dtype == nil and "int32" or core.dtype(idx_dtype, where)
    local kind = core.kind(dtype)
    if kind ~= "i" and kind ~= "u" then core.raise(where, "dtype", "idx_dtype must be of integers, not " .. dtype) end
    S.settle(where, f)
    for _, name in ipairs(POSITIONS) do
      local x = f[name]
      if x then
        list[#list + 1] = x:astype(dtype, false)
        if not cp.array_equal(list[#list]:astype "int64", x:astype "int64") then
          core.raise(where, "dtype", string.format("%s does not fit %s", name, dtype))
        end
      end
    end
    return unpack(list)
  end)

  -- ---- tensordot

  -- The axes of A and of the other array, which have this many, over which tensordot sums.
  local function summed(where, axes, count, others)
    if axes == nil or type(axes) == "number" then
      local n, most = core.integer(axes, where, "axes", 2), math.min(count, others)
      if n < 1 or n > most then
        usage(where, string.format("axes must be from 1 to %d, or a table of both arrays' axes", most))
      end
      if n == 1 then return { count }, { 1 } end
      return { 1, 2 }, { 1, 2 }
    end
    if type(axes) ~= "table" or #axes ~= 2 then usage(where, "axes must be a number or a table of two tables") end
    local mine, theirs = core.axis_list(axes[1], where, "axes", count, "of A"),
      core.axis_list(axes[2], where, "axes", others, "of other")
    if #mine ~= #theirs or #mine == 0 then
      usage(where, "axes must name as many axes of A as of other, and one or two")
    end
    return mine, theirs
  end

  -- The sum of products over axes of both arrays: `axes` last ones of A and first ones of other (default 2),
  -- or a table of A's axes and one of other's. Over one axis a matrix, sparse if both are, over two a number
  -- as an array.
  S.method("tensordot", "other, axes", 1, function(where, f, other, axes)
    local A = S.object(f)
    local B = S.is(other) and other or core.as_array(other, where, "other", f.data)
    if B.ndim ~= 1 and B.ndim ~= 2 then
      raise_shape(where, "other must have one axis or two, not shape " .. tostring(B.shape))
    end
    local mine, theirs = summed(where, axes, A.ndim, B.ndim)
    for k = 1, #mine do
      if A.shape[mine[k]] ~= B.shape[theirs[k]] then
        raise_shape(where, string.format("axis %d of A has length %d, and axis %d of other %d", mine[k],
          A.shape[mine[k]], theirs[k], B.shape[theirs[k]]))
      end
    end
    if #mine == 2 then
      local products = A * (mine[1] == theirs[1] and B or B.T)
      return cp.sum(products, { dtype = products.dtype })
    end
    return S.matmul(where, mine[1] == A.ndim and A or A.T, theirs[1] == 1 and B or B.T)
  end, "own")
end
