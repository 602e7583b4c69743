-- Preconditioners: operators that approximate the inverse of a matrix and cost little. LU factors
-- (direct.lua) are others.

return function(cp, core, S, linalg, publish)
  local raise_shape = core.raise_shape

  -- Division by the diagonal, as an operator. Elements of the diagonal that are 0 count as 1.
  publish("jacobi", "A", 1, function(where, A)
    local f = S.take(where, A)
    if f.shape[1] ~= f.shape[2] then raise_shape(where, "A must be square") end
    local diagonal = S.methods.diagonal(A)
    local inverse = 1 / cp.where(cp.equal(diagonal, 0), cp.ones_like(diagonal), diagonal)
    inverse:eval()
    local back = cp.conj(inverse)
    local function over(scale)
      return function(x) return x * (x.ndim == 2 and scale:reshape({ -1, 1 }) or scale) end
    end
    return linalg.LinearOperator({ f.shape[1], f.shape[1] }, { matvec = over(inverse), rmatvec = over(back),
      matmat = over(inverse), dtype = inverse.dtype })
  end)

  -- ---- incomplete factors

  -- A as canonical csr with entries on the whole diagonal, in float64 or complex128, and the dtype of
  -- results.
  local function with_diagonal(where, A)
    local f = S.take(where, A)
    local n, device = f.shape[1], f.data.device
    if f.shape[2] ~= n then raise_shape(where, string.format("A must be square, not (%d, %d)", n, f.shape[2])) end
    local dtype = S.solving_dtype(f.data.dtype)
    local row, col, data = S.triplets(where, f)
    local own = S.range(n, row.dtype, device)
    data = data:astype(core.kind(dtype) == "c" and "complex128" or "float64", false)
    local zeros = S.zeros(n, data.dtype, device)
    local all = S.new("coo", n, n, { row = cp.concatenate { row, own }, col = cp.concatenate { col, own },
      data = cp.concatenate { data, zeros } })
    return S.canonical(where, S.fields(all)), dtype
  end

  -- Factors the canonical csr fields f on the host; returns the factors' values on f's device.
  local function factored(where, f, cholesky)
    local function host(x, dtype) return x:astype(dtype, false):to("cpu") end
    local values = f.data:to("cpu"):copy()
    values:eval()
    local row = core.sparse_incomplete(where, host(f.indptr, "int64"), host(f.indices, "int64"), values, cholesky)
    if row > 0 then
      core.usage(where, string.format(cholesky and "A has no such factor: the pivot of row %d is not positive"
        or "A has no such factors: the pivot of row %d is 0", row))
    end
    return values:to(f.data.device)
  end

  -- The entries of f with these values for which `wanted` is true of row and column, as csr in dtype.
  local function part(where, f, values, wanted, dtype)
    local row, col = S.triplets(where, f)
    row, col, values = S.choose(where, wanted(row, col), row, col, values)
    return S.fields(S.from_sorted(where, "csr", f.shape[1], f.shape[2], row, col, values:astype(dtype, false)))
  end

  -- The csr form of the conjugate transpose.
  local function adjoint(where, f)
    local g = S.fields(S.transpose(where, S.sharing(f, cp.conj(f.data))))
    return S.convert(where, g, "csr")
  end

  -- The operator that solves with one triangular matrix after the other. A step is {csr, lower, unit
  -- diagonal}.
  local function solving(where, n, dtype, forward, backward)
    local function through(steps)
      return function(x)
        if x.shape[1] ~= n then raise_shape(where, string.format("x must have %d rows", n)) end
        local y = cp.ascontiguousarray(x:astype(dtype))
        y:eval()
        for _, t in ipairs(steps) do
          S.solve_triangle(where, t[1], y, t[2], t[3])
        end
        return y
      end
    end
    local times = through(forward)
    return linalg.LinearOperator({ n, n }, { matvec = times, matmat = times, rmatvec = through(backward),
      dtype = dtype })
  end

  --- Incomplete LU factors with the entries of A alone, as an operator that solves with them.
  publish("ilu0", "A", 1, function(where, A)
    local f, dtype = with_diagonal(where, A)
    local values = factored(where, f, false)
    local L, U = part(where, f, values, function(row, col) return cp.less(col, row) end, dtype),
      part(where, f, values, function(row, col) return cp.greater_equal(col, row) end, dtype)
    return solving(where, f.shape[1], dtype, { { L, true, true }, { U, false, false } },
      { { adjoint(where, U), true, false }, { adjoint(where, L), false, true } })
  end)

  --- The incomplete Cholesky factor with the entries of A alone, as an operator that solves with it. A is
  --- hermitian; its lower triangle is read.
  publish("ic0", "A", 1, function(where, A)
    local f, dtype = with_diagonal(where, A)
    local function lower(row, col) return cp.less_equal(col, row) end
    local t = part(where, f, f.data, lower, f.data.dtype)
    local L = S.sharing(t, factored(where, t, true):astype(dtype, false))
    local steps = { { L, true, false }, { adjoint(where, L), false, false } }
    return solving(where, f.shape[1], dtype, steps, steps)
  end)
end
