-- bsr arrays: csr arrays whose entries are dense blocks of one shape, f.block = {rows, columns}. data is
-- (entries, rows, columns); indices and indptr count blocks. What is not about blocks works on their csr
-- form.

return function(cp, core, S)
  -- ---- entries

  --- The rows, columns and values of all elements of f's blocks.
  function S.triplets_of_blocks(where, f)
    local R, C, n = f.block[1], f.block[2], #f.indices
    local dtype, device = f.indices.dtype, f.data.device
    local function spread(x, step, shape)
      local places = x:reshape { n, 1, 1 } * step + S.range(step, dtype, device):reshape(shape)
      return cp.ascontiguousarray(cp.broadcast_to(places:astype(dtype), { n, R, C })):reshape(-1)
    end
    local row = core.sparse_rows(where, f.indptr, n)
    return spread(row, R, { 1, R, 1 }), spread(f.indices, C, { 1, 1, C }), cp.ascontiguousarray(f.data):reshape(-1)
  end

  -- For each entry of a csr array the number of its block, in the order of the rows of blocks (int64).
  local function block_numbers(where, g, R, C)
    local row, col = S.triplets(where, g)
    return cp.floor_divide(row:astype "int64", R) * math.floor(g.shape[2] / C) + cp.floor_divide(col, C), row, col
  end

  -- The share of stored elements in the k x k blocks that have any.
  local function filled(where, g, k)
    if g.shape[1] % k ~= 0 or g.shape[2] % k ~= 0 then return 0 end
    return #g.data / (k * k * #cp.unique((block_numbers(where, g, k, k))))
  end

  -- The size of square blocks that fit the entries, by SciPy's rule: at least 0.7 of the blocks is stored,
  -- and 6 only where 2 and 3 fit well.
  local function fitting_size(where, g)
    if #g.data == 0 then return 1 end
    local of_two, of_three = filled(where, g, 2), filled(where, g, 3)
    if of_two > 0.85 and of_three > 0.85 then return filled(where, g, 6) > 0.7 and 6 or 3 end
    if filled(where, g, 4) > 0.7 then return 4 end
    return of_three > 0.7 and 3 or of_two > 0.7 and 2 or 1
  end

  --- A table of two lengths that divide those of the shape, from an argument.
  function S.block_of(where, blocksize, rows, columns)
    local s = core.shape(blocksize, where, "blocksize")
    if #s ~= 2 or s[1] < 1 or s[2] < 1 then
      core.raise_shape(where, "blocksize must be two lengths of at least 1, not " .. tostring(s))
    end
    if rows % s[1] ~= 0 or columns % s[2] ~= 0 then
      core.raise_shape(where, string.format("blocks of (%d, %d) do not divide shape (%d, %d)", s[1], s[2], rows,
        columns))
    end
    return { s[1], s[2] }
  end

  -- ---- conversion

  --- The bsr form of f, in blocks of this shape; nil: one that fits the entries.
  function S.to_blocks(where, f, block)
    local g = S.canonical(where, S.convert(where, f, "csr"))
    if not block then
      local k = fitting_size(where, g)
      block = { k, k }
    end
    local rows, columns, R, C = f.shape[1], f.shape[2], block[1], block[2]
    local dtype, device, count = S.index_dtype(rows, columns), g.data.device, #g.data
    local keys = S.zeros(0, "int64", device)
    local number, row, col
    if count > 0 then
      number, row, col = block_numbers(where, g, R, C)
      keys, number = cp.unique(number, { return_inverse = true })
    end
    local data = cp.zeros({ #keys, R, C }, { dtype = g.data.dtype, device = device })
    if count > 0 then
      data:reshape(-1)[((number - 1) * R + cp.remainder(row, R)) * C + cp.remainder(col, C) + 1] = g.data
    end
    local across = math.max(1, math.floor(columns / C))
    local major = cp.floor_divide(keys, across)
    return S.fields(S.new("bsr", rows, columns, { block = { R, C }, data = data,
      indices = (keys - major * across):astype(dtype),
      indptr = S.starts(where, major:astype(dtype), math.floor(rows / R)) }))
  end

  S.method("tobsr", "blocksize, copy", 0, function(where, f, blocksize, copy)
    if f.vector then S.check_vector_format(where, "bsr") end
    local block = blocksize ~= nil and S.block_of(where, blocksize, f.shape[1], f.shape[2]) or nil
    local result = S.convert(where, f, "bsr", block)
    return core.boolean(copy, where, "copy", false) and result == f and S.copy(f) or S.object(result)
  end, "own")

  S.getters.blocksize = function(f) return f.block and { f.block[1], f.block[2] } end

  --- f without blocks of zeros.
  function S.drop_zero_blocks(where, f)
    local mask = cp.any(cp.not_equal(f.data, 0), { axis = { 2, 3 } })
    local rows, indices = S.choose(where, mask, core.sparse_rows(where, f.indptr, #f.indices), f.indices)
    return S.fields(S.new("bsr", f.shape[1], f.shape[2], { block = f.block, indices = indices,
      data = cp.take(f.data, core.positions(where, mask):reshape(-1), 1),
      indptr = S.starts(where, rows, #f.indptr - 1) }))
  end
end
