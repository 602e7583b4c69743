-- Products of dense matrices at the places of a sparse array (SDDMM: sampled dense-dense matrix
-- multiplication), given as such or as a product that waits, times the array.

return function(cp, core, S, publish)
  local function matrix(where, v, name, f)
    local x = core.as_array(v, where, name, f.data)
    if x.device ~= f.data.device then
      core.usage(where, string.format("A is on %s and %s on %s; move one with :to", f.data.device, name, x.device))
    end
    if x.ndim ~= 2 then core.raise_shape(where, name .. " must be a matrix, not of shape " .. tostring(x.shape)) end
    return x
  end

  -- The elements of the product of x and y at the places of f, in canonical csr or csc format.
  local function sample(where, f, x, y)
    local dtype = cp.promote_types(x, y)
    local left, right = x, y.T
    if f.format == "csc" then left, right = right, left end -- its rows are A's columns
    local function dense(v) return cp.ascontiguousarray(S.wide(v, dtype)) end
    return S.narrow(core.sparse_sample(where, f.indptr, f.indices, dense(left), dense(right)), dtype)
  end

  core.wait_for_samples()

  -- BLAS computes about so many elements of a product while one is computed at a place.
  local DENSE = 40

  --- The elements of x at the places of f, likewise, if x waits for a product of dense matrices and these are
  --- few; otherwise nil.
  function S.sample_waiting(where, f, x)
    if x.ndim ~= 2 or x.shape[1] ~= f.shape[1] or x.shape[2] ~= f.shape[2] then return nil end
    if #f.indices * DENSE > x.size or x.device ~= f.data.device then return nil end
    local left, right = core.factors_of(where, x)
    if not left then return nil end
    local values = sample(where, f, left, right)
    left:free()
    right:free()
    return values
  end

  --- alpha x1 x2 + beta A at the places that the sparse array A has, in A's format: of the product of two
  --- dense matrices only these elements are computed. alpha is 1 and beta 0 by default.
  publish("sampled_matmul", "A, x1, x2, alpha, beta", 3, function(where, A, x1, x2, alpha, beta)
    local f = S.take(where, A)
    local x, y = matrix(where, x1, "x1", f), matrix(where, x2, "x2", f)
    if x.shape[1] ~= f.shape[1] or y.shape[2] ~= f.shape[2] or x.shape[2] ~= y.shape[1] then
      core.raise_shape(where, string.format("x1 of shape %s times x2 of shape %s is not (%d, %d)", tostring(x.shape),
        tostring(y.shape), f.shape[1], f.shape[2]))
    end
    local format = f.format
    f = S.canonical(where, format == "csc" and f or S.convert(where, f, "csr"))
    local data = sample(where, f, x, y)
    if alpha ~= nil then data = data * alpha end
    if beta ~= nil then data = data + f.data * beta end
    local result = S.fields(S.known_canonical(where, S.new(f.format, f.shape[1], f.shape[2],
      { indptr = f.indptr:copy(), indices = f.indices:copy(), data = cp.ascontiguousarray(data) })))
    return S.object(S.convert(where, result, format))
  end)
end
