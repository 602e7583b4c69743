-- cp.linalg: Cholesky, QR, singular values, eigenvalues, and least squares.

return function(cp, core)
  local linalg, form = cp.linalg, core.linalg
  local publish = core.publisher(linalg, "linalg.")

  -- ---- Cholesky

  --- The Cholesky decomposition of Hermitian positive definite a: the lower triangular L with a = L L^H, or
  --- the upper triangular U with a = U^H U. Only that triangle of a is read.
  ---@param a any
  ---@param upper? boolean  default false
  ---@return any
  publish("cholesky", "a, upper", 1, function(where, a, upper)
    a, upper = form.take_square(where, a), core.boolean(upper, where, "upper", false)
    local batch, n = form.batch(a), core.extent(a, -1)
    -- The rows of a are the columns of its transpose, whose upper triangle is the lower triangle of a.
    local turned = not upper and core.factors_lower(a)
    local packed = form.packed(where, a, form.dtype(where, a), turned and "columns" or "rows")
    if packed.size == 0 then return packed end
    form.solve(where, "cholesky", { a = packed, count = form.count(batch), rows = n, columns = n,
      uplo = (upper or turned) and "L" or "U" }, "is not positive definite")
    return upper and cp.triu(packed) or cp.tril(turned and form.turned(packed) or packed)
  end)

  -- ---- QR

  -- The first k of packed columns, in memory for columns of length m.
  local function widened_columns(where, packed, dtype, batch, m, k, wanted)
    local full = form.new(packed, dtype, batch, wanted, m)
    if wanted > k then full:fill(0) end
    core.write(where, core.slice(full, full.ndim - 1, 1, k), core.slice(packed, packed.ndim - 1, 1, k))
    return full
  end

  local QR_MODES = { reduced = true, complete = true, r = true, raw = true }

  local function qr(where, a, mode)
    local dtype, batch = form.dtype(where, a), form.batch(a)
    local count, m, n = form.count(batch), core.extent(a, -2), core.extent(a, -1)
    local k = math.min(m, n)
    local packed, tau = form.packed(where, a, dtype, "columns"), form.new(a, dtype, batch, k)
    local empty = count == 0 or k == 0
    if not empty then
      local call = { a = packed, w = tau, count = count, rows = m, columns = n }
      form.solve(where, "qr", call, "has no QR decomposition")
    end
    if mode == "raw" then return packed, tau end
    local wanted = mode == "complete" and m or k
    local r = cp.triu(core.slice(form.turned(packed), a.ndim - 1, 1, mode == "complete" and m or k))
    if mode == "r" then return r end
    if empty then
      local eye = cp.eye(m, wanted, { dtype = dtype, device = a.device })
      return cp.broadcast_to(eye, form.shape(batch, m, wanted)):copy(), r
    end
    local q = wanted == n and packed:copy() or widened_columns(where, packed, dtype, batch, m, k, wanted)
    form.solve(where, "form_q", { a = q, w = tau, count = count, rows = m, columns = wanted, right = k },
      "has no QR decomposition")
    return form.turned(q), r
  end

  --- The QR decomposition a = q r: q has orthonormal columns and r is upper triangular.
  ---@param a any
  ---@param mode? string  "reduced" (default), "complete" (q is square), "r" (only r) or "raw" (LAPACK's h and
  --- tau)
  ---@return any q
  ---@return any r
  publish("qr", "a, mode", 1, function(where, a, mode)
    mode = mode == nil and "reduced" or mode
    if not QR_MODES[mode] then
      core.not_among(where, "mode", '"reduced", "complete", "r" or "raw"', mode)
    end
    return qr(where, form.take(where, a), mode)
  end)

  -- ---- singular values

  local NO_CONVERGENCE = "has no singular values that could be found: the iteration did not converge"

  -- For an empty matrix: no singular values, and vectors as in the identity.
  local function empty_svd(a, dtype, batch, full, vectors)
    local m, n = core.extent(a, -2), core.extent(a, -1)
    local k = math.min(m, n)
    local s = cp.zeros(form.shape(batch, k), { dtype = core.real_dtype(dtype), device = a.device })
    if not vectors then return nil, s end
    local function eye(rows, columns)
      local one = cp.eye(rows, columns, { dtype = dtype, device = a.device })
      return cp.broadcast_to(one, form.shape(batch, rows, columns)):copy()
    end
    return eye(m, full and m or k), s, eye(full and n or k, n)
  end

  -- u, s and v^H. LAPACK takes the rows of a as columns, so it decomposes the transpose, whose results are
  -- the rows of v^H and u without a transposition. Devices that need at least as many rows as columns get
  -- whichever fits.
  local function svd(where, a, full, vectors)
    local dtype, batch = form.dtype(where, a), form.batch(a)
    local count, m, n = form.count(batch), core.extent(a, -2), core.extent(a, -1)
    local k = math.min(m, n)
    if count == 0 or k == 0 then return empty_svd(a, dtype, batch, full, vectors) end
    form.check_finite(where, a, dtype)
    local by_rows = n >= m or core.svd_any_shape(a)
    local rows, columns = by_rows and n or m, by_rows and m or n
    local function call_of(t, with, all)
      local call = { a = form.packed(where, a, t, by_rows and "rows" or "columns"),
        w = form.new(a, core.real_dtype(t), batch, k), count = count, rows = rows, columns = columns,
        vectors = with, full = all, narrow = t ~= dtype }
      if with then
        call.u = form.new(a, t, batch, all and rows or k, rows)
        call.v = form.new(a, t, batch, columns, all and columns or k)
      end
      return call
    end
    -- By polar decomposition, in float64, which gives v itself, and no more columns of u than a has.
    local reduced = not (vectors and full) or rows == columns
    if reduced and core.polar_svd(a, dtype, rows, columns) then
      local call = call_of(cp.promote_types(dtype, "float64"), true, false)
      if core.decompose(where, "svd_polar", call) == 0 then
        local s = call.w:astype(core.real_dtype(dtype), false)
        if not vectors then return nil, s end
        local u, v = form.turned(call.u):astype(dtype, false), form.turned(call.v):astype(dtype, false)
        if by_rows then return cp.conj(v), s, form.turned(u) end
        return u, s, form.turned(cp.conj(v))
      end
    end
    local call = call_of(dtype, vectors, full)
    form.solve(where, "svd", call, NO_CONVERGENCE)
    if not vectors then return nil, call.w end
    if by_rows then return call.v, call.w, call.u end
    return form.turned(call.u), call.w, form.turned(call.v)
  end

  -- The same for Hermitian matrices, from their eigenvalues.
  local function hermitian_svd(where, a, vectors)
    local w, v = form.eigh(where, a, "L", true)
    local s = cp.abs(w)
    local order = form.falling_order(s)
    s = form.reordered(s, order, s.ndim)
    if not vectors then return nil, s end
    local u = form.reordered(v, order, v.ndim)
    local sign = form.reordered(cp.where(w:lt(0), -1, 1):astype(w.dtype), order, w.ndim)
    return u, s, form.turned(cp.conj(u * cp.expand_dims(sign, -2)))
  end

  form.svd = svd

  --- The singular value decomposition a = u diag(s) vh, with s in descending order.
  ---@param a any
  ---@param full_matrices? boolean  square u and vh (default true)
  ---@param compute_uv? boolean  default true; false: only s
  ---@param hermitian? boolean  whether a is Hermitian
  ---@return any u
  ---@return any s
  ---@return any vh
  publish("svd", "a, full_matrices, compute_uv, hermitian", 1, function(where, a, full, vectors, hermitian)
    full, vectors = core.boolean(full, where, "full_matrices", true), core.boolean(vectors, where, "compute_uv", true)
    local u, s, vh
    if core.boolean(hermitian, where, "hermitian", false) then
      u, s, vh = hermitian_svd(where, form.take_square(where, a), vectors)
    else
      u, s, vh = svd(where, form.take(where, a), full, vectors)
    end
    if vectors then return u, s, vh end
    return s
  end)

  local function singular_values(where, a, hermitian)
    if core.boolean(hermitian, where, "hermitian", false) then
      return select(2, hermitian_svd(where, form.take_square(where, a), false))
    end
    return select(2, svd(where, a, false, false))
  end

  form.singular_values = singular_values

  --- The singular values in descending order.
  ---@param x any
  ---@return any
  publish("svdvals", "x", 1, function(where, x)
    return singular_values(where, form.take(where, x, "x"))
  end)

  -- ---- Hermitian eigenvalues

  local function check_triangle(where, uplo)
    if uplo == nil or uplo == "L" or uplo == "l" then return "L" end
    if uplo ~= "U" and uplo ~= "u" then core.not_among(where, "UPLO", '"L" or "U"', uplo) end
    return "U"
  end

  function form.eigh(where, a, uplo, vectors)
    local dtype, batch, n = form.dtype(where, a), form.batch(a), core.extent(a, -1)
    local packed, w = form.packed(where, a, dtype, "columns"), form.new(a, core.real_dtype(dtype), batch, n)
    if packed.size > 0 then
      form.check_finite(where, packed, dtype)
      form.solve(where, "eigh", { a = packed, w = w, count = form.count(batch), rows = n, columns = n, uplo = uplo,
        vectors = vectors }, "has no eigenvalues that could be found: the iteration did not converge")
    end
    return w, form.turned(packed)
  end

  --- Eigenvalues in ascending order, and eigenvectors (the columns of v), of Hermitian matrices, of which one
  --- triangle is read.
  ---@param a any
  ---@param UPLO? string  "L" (default) or "U"
  ---@return any w
  ---@return any v
  publish("eigh", "a, UPLO", 1, function(where, a, uplo)
    return form.eigh(where, form.take_square(where, a), check_triangle(where, uplo), true)
  end)

  --- The eigenvalues of Hermitian matrices in ascending order.
  ---@param a any
  ---@param UPLO? string  "L" (default) or "U"
  ---@return any
  publish("eigvalsh", "a, UPLO", 1, function(where, a, uplo)
    return (form.eigh(where, form.take_square(where, a), check_triangle(where, uplo), false))
  end)

  -- Positions that sort each row of non-negative s in descending order: the number of elements before each.
  function form.falling_order(s)
    local n = core.extent(s, -1)
    local a, b = cp.expand_dims(s, -1), cp.expand_dims(s, -2)
    local at = cp.arange(n, { device = s.device })
    local earlier = cp.expand_dims(at, 1):lt(cp.expand_dims(at, 2))
    local before = cp.logical_or(b:gt(a), cp.logical_and(b:eq(a), earlier))
    return cp.count_nonzero(before, -1)
  end

  -- x with positions along an axis permuted by `order`, as a sum with one nonzero term.
  function form.reordered(x, order, axis)
    local n = core.extent(order, -1)
    local at = cp.arange(n, { device = x.device })
    local picks = cp.expand_dims(order, -1):eq(at):astype(x.dtype) -- [from, to]
    if axis == x.ndim and x.ndim == order.ndim then
      return core.sum_of_product(cp.expand_dims(x, -1), picks, -2, x.dtype)
    end
    return core.matrix_product("linalg.svd", x, picks)
  end

  -- ---- general eigenvalues

  -- LAPACK's pairs of columns as complex vectors: for an eigenvalue with a positive imaginary part, its
  -- column is the real part and the next column the imaginary part; its conjugate comes next.
  local function paired(v, imaginary)
    local first, second = cp.expand_dims(imaginary:gt(0), -2), cp.expand_dims(imaginary:lt(0), -2)
    local real = cp.where(second, cp.roll(v, 1, -1), v)
    local imag = cp.where(first, cp.roll(v, -1, -1), cp.where(second, -v, 0))
    return real + cp.j * imag
  end

  local function eig(where, a, vectors)
    local dtype, batch, n = form.dtype(where, a), form.batch(a), core.extent(a, -1)
    local is_complex = form.is_complex(dtype)
    local packed = form.packed(where, a, dtype, "columns")
    if packed.size == 0 then return form.new(a, dtype, batch, n), form.turned(packed) end
    form.check_finite(where, packed, dtype)
    local w = form.new(a, dtype, batch, is_complex and n or 2 * n)
    local v = vectors and form.new(a, dtype, batch, n, n) or nil
    form.solve(where, "eig", { a = packed, w = w, v = v, count = form.count(batch), rows = n, columns = n,
      vectors = vectors }, "has no eigenvalues that could be found: the iteration did not converge")
    v = v and form.turned(v)
    if is_complex then return w, v end
    local real, imaginary = core.slice(w, w.ndim, 1, n), core.slice(w, w.ndim, n + 1, 2 * n)
    if not imaginary:any() then return real:copy(), v end
    return (real + cp.j * imaginary), v and paired(v, imaginary)
  end

  --- Eigenvalues and right eigenvectors (the columns of v) of square matrices. They are real if a is real and
  --- all its eigenvalues are, else complex.
  ---@param a any
  ---@return any w
  ---@return any v
  publish("eig", "a", 1, function(where, a)
    return eig(where, form.take_square(where, a), true)
  end)

  --- The eigenvalues of square matrices: real if a is real and all of them are, else complex.
  ---@param a any
  ---@return any
  publish("eigvals", "a", 1, function(where, a)
    return (eig(where, form.take_square(where, a), false))
  end)

  -- ---- least squares

  local function epsilon(dtype) return cp.finfo(core.real_dtype(dtype)).eps end

  -- 1 / s where s exceeds cutoff, else 0.
  local function inverted(s, cutoff)
    local large = s:gt(cutoff)
    return cp.where(large, 1 / cp.where(large, s, 1), 0):astype(s.dtype), large
  end

  local function first_of(s) return core.slice(s, s.ndim, 1, math.min(1, core.extent(s, -1))) end

  --- The pseudo-inverse by singular values: those below rcond times the largest are treated as 0.
  ---@param a any
  ---@param rcond? any  a number, or an array with one for each matrix; default: the larger side times the
  --- dtype's epsilon
  ---@param hermitian? boolean  whether a is Hermitian
  ---@param rtol? any  another name of rcond, as in the array API standard
  ---@return any
  publish("pinv", "a, rcond, hermitian, rtol", 1, function(where, a, rcond, hermitian, rtol)
    a = form.take(where, a)
    if rcond ~= nil and rtol ~= nil then core.raise(where, "usage", "takes rcond or rtol, not both") end
    if rcond == nil then rcond = rtol end
    local m, n = core.extent(a, -2), core.extent(a, -1)
    local u, s, vh
    if core.boolean(hermitian, where, "hermitian", false) then
      u, s, vh = hermitian_svd(where, form.take_square(where, a), true)
    else
      u, s, vh = svd(where, a, false, true)
    end
    if s.size == 0 then return cp.zeros(form.shape(form.batch(a), n, m), { dtype = u.dtype, device = a.device }) end
    if rcond == nil then rcond = math.max(m, n) * epsilon(s.dtype) end
    if cp.is_array(rcond) then rcond = cp.expand_dims(rcond, -1) end
    local factor = inverted(s, first_of(s) * rcond)
    local v = form.turned(cp.conj(vh)) * cp.expand_dims(factor, -2)
    return core.matrix_product(where, v, form.turned(cp.conj(u)))
  end)

  --- Least squares: the x that minimizes the norm of b - a x; if there are several, the one with the smallest
  --- norm.
  ---@param a any  m x n
  ---@param b any  m, or m x k
  ---@param rcond? number  singular values below rcond times the largest are treated as 0; default: the larger
  --- side times the dtype's epsilon
  ---@return any x
  ---@return any residuals  sums of squares for each column of b; empty if rank < n or m <= n
  ---@return integer rank
  ---@return any s  singular values of a
  publish("lstsq", "a, b, rcond", 2, function(where, a, b, rcond)
    a, b = form.take(where, a, "a", b), core.as_array(b, where, "b", a)
    if a.ndim ~= 2 or b.ndim < 1 or b.ndim > 2 then
      local fact = "a must be a matrix and b a vector or matrix, not of shape %s and %s"
      core.raise(where, "shape", string.format(fact, tostring(a.shape), tostring(b.shape)))
    end
    if core.extent(a, 1) ~= core.extent(b, 1) then
      core.raise(where, "shape", string.format("a of shape %s and b of shape %s do not fit: %d and %d differ",
        tostring(a.shape), tostring(b.shape), core.extent(a, 1), core.extent(b, 1)))
    end
    local m, n, dtype = core.extent(a, 1), core.extent(a, 2), form.dtype(where, a, b)
    local right = (b.ndim == 1 and b:reshape({ m, 1 }) or b):astype(dtype, false)
    local u, s, vh = svd(where, a:astype(dtype, false), false, true)
    if rcond == nil then rcond = math.max(m, n) * epsilon(dtype) end
    if type(rcond) ~= "number" then rcond = core.as_array(rcond, where, "rcond", a) end
    local factor, large = inverted(s, rcond * (s.size > 0 and first_of(s) or 1))
    local along = core.matrix_product(where, form.turned(cp.conj(u)), right)
    local x = core.matrix_product(where, form.turned(cp.conj(vh)), cp.expand_dims(factor, -1) * along)
    local rank = cp.count_nonzero(large):item()
    local residuals = cp.zeros({ 0 }, { dtype = s.dtype, device = a.device })
    if rank == n and m > n then
      local rest = cp.abs(right - core.matrix_product(where, a:astype(dtype, false), x))
      residuals = (rest * rest):sum({ axis = 1 })
    end
    return b.ndim == 1 and cp.squeeze(x, 2) or x, residuals, rank, s
  end)

  -- The covariances of the coefficients that fit y by `left`, whose columns were divided by scale: a matrix
  -- for one polynomial; for several, with another axis at the end.
  local function coefficient_covariances(left, scale, residuals, scaled, several)
    local where, m, n = "polyfit", core.extent(left, 1), core.extent(left, 2)
    local base = linalg.inv(cp.matmul(left.T, left)) / cp.outer(scale, scale)
    if several then base = cp.expand_dims(base, 3) end
    if not scaled then return base:copy() end
    if m <= n then
      core.raise(where, "shape", string.format("the covariance of %d coefficients needs more than %d points", n, m))
    end
    return base * (residuals / (m - n))
  end

  --- The polynomial of degree deg that best fits y at x in least squares; coefficients from the highest power
  --- down.
  ---@param x any  a vector
  ---@param y any  a vector, or a matrix with a column for each polynomial
  ---@param deg integer
  ---@param rcond? number  default: the length times the dtype's epsilon
  ---@param full? boolean  return residuals, rank, singular values and rcond too; default false
  ---@param w? any  weights, applied to the residuals
  ---@param cov? any  true: return the covariances of the coefficients too, scaled by the residuals;
  --- "unscaled": for weights that are 1 / sigma
  ---@return any
  ---@return any ...
  core.publish("polyfit", "x, y, deg, rcond, full, w, cov", 3, function(where, x, y, deg, rcond, full, w, cov)
    full = core.boolean(full, where, "full", false)
    if cov ~= nil and type(cov) ~= "boolean" and cov ~= "unscaled" then
      core.not_among(where, "cov", 'true, false or "unscaled"', cov)
    end
    x, y = core.as_array(x, where, "x", y), core.as_array(y, where, "y", x)
    deg = core.integer(deg, where, "deg", nil, 0, 10000)
    if x.ndim ~= 1 or x.size == 0 then core.raise(where, "shape", "x must be a vector that is not empty") end
    if y.ndim < 1 or y.ndim > 2 or core.extent(y, 1) ~= x.size then
      core.raise(where, "shape", "y must have as many rows as x elements, not shape " .. y.shape)
    end
    local dtype = form.dtype(where, x, y)
    local powers = cp.arange(deg, -1, -1, { dtype = dtype, device = x.device })
    local left = cp.expand_dims(x:astype(dtype, false), 2) ^ powers
    local right = y:astype(dtype, false)
    if w ~= nil then
      w = core.as_array(w, where, "w", x):astype(dtype, false)
      if not w:has_shape(x.size) then core.raise(where, "shape", "w must have the shape of x") end
      left = left * cp.expand_dims(w, 2)
      right = right * (y.ndim == 2 and cp.expand_dims(w, 2) or w)
    end
    local scale = cp.sqrt((left * left):sum(1))
    left, rcond = left / scale, rcond or x.size * epsilon(dtype)
    local c, residuals, rank, s = linalg.lstsq(left, right, rcond)
    c = y.ndim == 2 and c / cp.expand_dims(scale, 2) or c / scale
    if full then return c, residuals, rank, s, rcond end
    if not cov then return c end
    return c, coefficient_covariances(left, scale, residuals, cov == true, y.ndim == 2)
  end)
end
