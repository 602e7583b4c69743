-- Factors that a device's library makes and keeps (core.direct_factor): cuDSS on a GPU, where it is
-- installed. They only solve; what else is asked of factors comes from SuperLU (direct.lua).

return function(cp, core, S)
  local D = {}

  local EPSILON = { float32 = 2 ^ -23, complex64 = 2 ^ -23, float64 = 2 ^ -52, complex128 = 2 ^ -52 }
  local MOST_ERROR = 2 ^ 10 -- of a trial, in units of EPSILON

  -- Numbers around 1 and -1 that no structure of a matrix fits by accident: parts of multiples of the golden
  -- ratio.
  local function trial_vector(n, dtype, device)
    local places = cp.arange(n, { dtype = "float64", device = device })
    local parts = places * 0.6180339887498949 % 1
    local signs = cp.where(cp.less(places * 0.7548776662466927 % 1, 0.5), -1, 1)
    return ((parts + 0.5) * signs):astype(dtype)
  end

  -- The residual of A x = b for a b without pattern, as a share of the sizes of A, x and b. The library
  -- exchanges rows only near the diagonal, so the elements of its factors may grow until nothing of A is left
  -- in them; then this is large, or not a number.
  local function error_of_trial(where, handle, f)
    local dtype, n = f.data.dtype, f.shape[1]
    local b = trial_vector(n, dtype, f.data.device)
    local x = core.direct_solve(where, handle, b, "N")
    local sizes = S.sums_of_rows(where, S.sharing(f, cp.abs(f.data)), core.real_dtype(dtype))
    local residual = cp.max(cp.abs(b - S.object(f):dot(x)))
    return (residual / (cp.max(sizes) * cp.max(cp.abs(x)) + cp.max(cp.abs(b)))):item()
  end

  --- Factors of the fields f in dtype, or nil where the device has no library or it would not do as well as
  --- SuperLU.
  function D.factor(where, f, dtype)
    if not core.direct_there(f.data) then return nil end
    local g = S.convert(where, S.canonical(where, f), "csr")
    g = S.sharing(g, g.data:astype(dtype, false))
    local index = #g.indices < 2 ^ 31 and "int32" or "int64"
    local handle = core.direct_factor(where, g.indptr:astype(index, false), g.indices:astype(index, false), g.data)
    if not handle then return nil end
    if error_of_trial(where, handle, g) <= MOST_ERROR * EPSILON[dtype] then return handle end
    core.direct_free(handle)
    return nil
  end

  --- The solution for a vector or matrix b of the factors' dtype. trans: "N", "T" or "H". nil where the
  --- library cannot do the latter two.
  function D.solve(where, handle, b, trans)
    local way = trans == "H" and "C" or trans
    if b.ndim == 1 then return core.direct_solve(where, handle, b, way) end
    local x = core.direct_solve(where, handle, b.T, way)
    return x and x.T
  end

  --- The fields of the n x n matrix that was factored, in memory of their own.
  function D.matrix(where, handle, n)
    local indptr, indices, data = core.direct_matrix(where, handle)
    return S.fields(S.new("csr", n, n, { indptr = indptr, indices = indices, data = data }))
  end

  D.free = core.direct_free

  return D
end
