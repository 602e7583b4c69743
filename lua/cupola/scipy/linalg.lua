-- cp.scipy.linalg: LU and Cholesky factors for repeated solves, triangular systems.

return function(cp, core)
  local form = core.linalg
  local linalg = {}
  local publish = core.publisher(linalg, "scipy.linalg.")
  cp.scipy.linalg = linalg

  -- ---- LU

  --- The LU decomposition of matrices with row exchanges, for lu_solve: L (without its unit diagonal) and U
  --- in one matrix, and the pivots: row k was exchanged with row piv[k], counted from 1.
  ---@param a any
  ---@return any lu
  ---@return any piv
  publish("lu_factor", "a", 1, function(where, a)
    a = form.take(where, a)
    local call = form.lu(where, a, form.dtype(where, a))
    return form.turned(call.a), call.pivots:astype("int32", false)
  end)

  local OPERATIONS = { [0] = "N", "T", "C" }

  local function operation(where, trans)
    if trans == "N" or trans == "T" or trans == "C" then return trans end
    local name = OPERATIONS[core.integer(trans, where, "trans", 0)]
    if not name then core.raise(where, "usage", "trans must be 0, 1 or 2") end
    return name
  end

  -- A pair {factor, other}, given as a table of results.
  local function pair(where, value, name, what)
    if type(value) ~= "table" or value[1] == nil or value[2] == nil then
      core.raise(where, "usage", name .. " must be a table of two, " .. what)
    end
    return value[1], value[2]
  end

  -- Packed matrices and right-hand sides for a call, and whether b is a vector.
  local function system(where, a, b)
    a, b = form.take_square(where, a, "a", b), core.as_array(b, where, "b", a)
    local columns, vector = form.as_columns(where, a, b)
    local dtype, batch, n = form.dtype(where, a, b), form.common_batch(where, a, columns), core.extent(a, -1)
    local x, right = form.right_sides(where, columns, dtype, batch)
    local wide = cp.broadcast_to(a, form.shape(batch, n, n))
    return { a = form.packed(where, wide, dtype, "columns"), b = x, count = form.count(batch), rows = n, columns = n,
      right = right }, vector, batch
  end

  --- Solves a x = b with the decomposition of a from lu_factor.
  ---@param lu_and_piv table  {lu, piv}
  ---@param b any
  ---@param trans? integer  0: a x = b (default), 1: transposed a, 2: conjugate transposed a
  ---@return any
  publish("lu_solve", "lu_and_piv, b, trans", 2, function(where, lu_and_piv, b, trans)
    local lu, piv = pair(where, lu_and_piv, "lu_and_piv", "the results of lu_factor")
    local call, vector, batch = system(where, lu, b)
    call.trans = operation(where, trans)
    if call.b.size == 0 then return form.solution(call.b, vector) end
    piv = cp.broadcast_to(core.as_array(piv, where, "piv"), form.shape(batch, call.rows))
    call.pivots = form.packed(where, piv, core.pivot_dtype(call.a, call.count, call.rows, call.rows), "rows")
    if cp.diagonal(call.a, 0, -2, -1):eq(0):any() then core.raise(where, "usage", "the matrix is singular") end
    form.solve(where, "lu_solve", call, "cannot be solved")
    return form.solution(call.b, vector)
  end)

  -- For each k, the row of a that is row k of L U, from the pivots (a table).
  local function rows_of(pivots, m)
    local rows = {}
    for k = 1, m do rows[k] = k end
    for k, other in ipairs(pivots) do rows[k], rows[other] = rows[other], rows[k] end
    return rows
  end

  -- The same for each matrix of a batch, as an int64 array.
  local function permutations(pivots, batch, m, device)
    local count = form.count(batch)
    local least = core.extent(pivots, -1)
    if count * m == 0 then return cp.zeros(form.shape(batch, m), { dtype = "int64", device = device }) end
    local list = least > 0 and pivots:reshape({ count, least }):totable() or {}
    local rows = {}
    for k = 1, count do rows[k] = rows_of(list[k] or {}, m) end
    return cp.array(rows, { dtype = "int64", device = device }):reshape(form.shape(batch, m))
  end

  local function unit_lower(x, dtype)
    local m, n = core.extent(x, -2), core.extent(x, -1)
    return cp.tril(x, -1) + cp.eye(m, n, { dtype = dtype, device = x.device })
  end

  --- The LU decomposition a = p l u with a permutation matrix p, unit lower triangular l and upper triangular
  --- u.
  ---@param a any
  ---@param permute_l? boolean  return two results: p l, and u
  ---@param p_indices? boolean  return, instead of p, the rows from 1 that reorder l u to a
  ---@return any p
  ---@return any l
  ---@return any u
  publish("lu", "a, permute_l, p_indices", 1, function(where, a, permute_l, p_indices)
    a = form.take(where, a)
    permute_l = core.boolean(permute_l, where, "permute_l", false)
    p_indices = core.boolean(p_indices, where, "p_indices", false)
    local dtype, batch, m = form.dtype(where, a), form.batch(a), core.extent(a, -2)
    local k = math.min(m, core.extent(a, -1))
    local call = form.lu(where, a, dtype)
    local both = form.turned(call.a)
    local l = unit_lower(core.slice(both, both.ndim, 1, k), dtype)
    local u = cp.triu(core.slice(both, both.ndim - 1, 1, k))
    local rows = permutations(call.pivots, batch, m, a.device)
    local at = cp.arange(1, m + 1, { dtype = "int64", device = a.device })
    local p = cp.expand_dims(at, 2):eq(cp.expand_dims(rows, -2)) -- p[r][k]: row r of a is row k of l u
    if permute_l then return core.matrix_product(where, p:astype(dtype), l), u end
    if p_indices then return (p * at):sum({ axis = -1, dtype = "int64" }), l, u end
    return p:astype(core.real_dtype(dtype)), l, u
  end)

  -- ---- triangular systems

  local function solve_triangular(where, a, b, trans, lower, unit)
    local call, vector = system(where, a, b)
    call.trans, call.uplo, call.unit = operation(where, trans), lower and "L" or "U", unit
    if call.b.size == 0 then return form.solution(call.b, vector) end
    if not unit and cp.diagonal(call.a, 0, -2, -1):eq(0):any() then
      core.raise(where, "usage", "the matrix is singular: its diagonal has a zero")
    end
    form.solve(where, "triangular", call, "cannot be solved")
    return form.solution(call.b, vector)
  end

  --- Solves a x = b for triangular a; the other triangle is not read.
  ---@param a any
  ---@param b any
  ---@param trans? any  0 or "N": a x = b (default), 1 or "T": transposed a, 2 or "C": conjugate transposed a
  ---@param lower? boolean  whether a is lower triangular (default false: upper)
  ---@param unit_diagonal? boolean  whether the diagonal is treated as ones
  ---@return any
  publish("solve_triangular", "a, b, trans, lower, unit_diagonal", 2,
    function(where, a, b, trans, lower, unit_diagonal)
      lower = core.boolean(lower, where, "lower", false)
      return solve_triangular(where, a, b, trans, lower, core.boolean(unit_diagonal, where, "unit_diagonal", false))
    end)

  --- The Cholesky factor of a for cho_solve, and whether it is lower triangular.
  ---@param a any
  ---@param lower? boolean  default false
  ---@return any c
  ---@return boolean lower
  publish("cho_factor", "a, lower", 1, function(where, a, lower)
    lower = core.boolean(lower, where, "lower", false)
    return cp.linalg.cholesky(a, not lower), lower
  end)

  --- Solves a x = b with the factor of a from cho_factor.
  ---@param c_and_lower table  {c, lower}
  ---@param b any
  ---@return any
  publish("cho_solve", "c_and_lower, b", 2, function(where, c_and_lower, b)
    local c, lower = pair(where, c_and_lower, "c_and_lower", "the results of cho_factor")
    local between = solve_triangular(where, c, b, lower and "N" or "C", lower, false)
    return solve_triangular(where, c, between, lower and "C" or "N", lower, false)
  end)

  -- ---- those of cp.linalg that have other defaults

  --- The Cholesky factor of positive definite matrices: a = u^H u, or a = l l^H.
  ---@param a any
  ---@param lower? boolean  return the lower factor l; default false: the upper one
  ---@return any
  publish("cholesky", "a, lower", 1, function(where, a, lower)
    return cp.linalg.cholesky(a, not core.boolean(lower, where, "lower", false))
  end)

  local MODES = { full = "complete", economic = "reduced", r = "r", raw = "raw" }

  -- Upper triangular matrices extended to m rows by rows of zeros.
  local function with_all_rows(r, m)
    local widths = {}
    for d = 1, r.ndim do widths[d] = { 0, d == r.ndim - 1 and m - core.extent(r, d) or 0 } end
    return cp.pad(r, widths)
  end

  --- The QR decomposition a = q r with orthonormal columns in q and upper triangular r.
  ---@param a any
  ---@param mode? string  "full" (default): q is square, "economic": q has as many columns as the shorter side
  --- of a, "r": only r, with all rows, or "raw": LAPACK's result, a table of h and tau, instead of q
  ---@return any q
  ---@return any r
  publish("qr", "a, mode", 1, function(where, a, mode)
    local ours = MODES[mode == nil and "full" or mode]
    if not ours then
      core.not_among(where, "mode", '"full", "economic", "r" or "raw"', mode)
    end
    a = form.take(where, a)
    local q, r = cp.linalg.qr(a, ours)
    if mode == "r" then return with_all_rows(q, core.extent(a, -2)) end
    if mode ~= "raw" then return q, r end
    local h = form.turned(q)
    return { h, r }, cp.triu(core.slice(h, h.ndim - 1, 1, math.min(core.extent(a, -2), core.extent(a, -1))))
  end)

  for _, name in ipairs { "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "norm", "pinv",
    "solve", "svd", "svdvals" } do
    linalg[name] = cp.linalg[name]
  end

  core.load("scipy/special_matrices")(cp, core)
end
