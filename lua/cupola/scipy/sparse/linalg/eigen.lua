-- Eigenvalues of large matrices: eigsh by the Lanczos method with thick restarts, eigs by Krylov-Schur
-- (krylov.lua), and svds.

return function(cp, core, S, linalg, publish)
  local usage, raise_shape = core.usage, core.raise_shape
  local K = require "cupola.scipy.sparse.linalg.krylov"(cp, core, S)

  -- ---- problems

  -- A scalar argument as a 0-d array.
  local function scalar(where, v, name)
    if not core.is_scalar(v) then usage(where, name .. " must be a number, not " .. cp.type(v)) end
    return core.as_array(v, where, name)
  end

  local function as_sparse(where, v, name)
    if S.is(v) then return S.object(S.take(where, v, name)) end
    local is_matrix = cp.is_array(v) or (type(v) == "table" and not getmetatable(v))
    if not is_matrix then usage(where, name .. " must be a matrix, because it is factorised") end
    return S.object(S.fields(S.from_dense(where, core.as_array(v, where, name), "csc")))
  end

  -- The dtype in which to work with arrays and operators of these dtypes.
  local function working_dtype(dtypes)
    local dtype = dtypes[1] or "float64"
    for k = 2, #dtypes do dtype = cp.promote_types(dtype, dtypes[k]) end
    return S.solving_dtype(dtype)
  end

  -- The generator that the argument rng gives: one itself, or its seed; nil: none is given.
  local function generator(rng) return rng ~= nil and cp.random.default_rng(rng) or nil end

  -- The operators among the options, each n x n; also the dtype and the device.
  local function operators(where, o)
    local p, dtypes = {}, {}
    for _, name in ipairs { "A", "M", "Minv", "OPinv" } do
      if o[name] ~= nil then
        local op = S.operator(where, o[name], name)
        p.n = p.n or op.rows
        if op.rows ~= op.columns then
          raise_shape(where, string.format("%s must be square, not (%d, %d)", name, op.rows, op.columns))
        end
        if op.rows ~= p.n then raise_shape(where, name .. " must have A's shape") end
        p[name], p.device, dtypes[#dtypes + 1] = op, p.device or op.device, op.dtype
      end
    end
    if o.v0 ~= nil then
      local v0 = core.as_array(o.v0, where, "v0")
      if v0.size ~= p.n then raise_shape(where, string.format("v0 has %d elements, not %d", v0.size, p.n)) end
      p.v0, p.device, dtypes[#dtypes + 1] = v0:reshape(-1), p.device or v0.device, core.floating(v0.dtype)
    end
    p.device = p.device or cp.device()
    p.alone = o.alone or S.is_alone(o.A, o.M, o.Minv or o.OPinv)
    for _, name in ipairs { "A", "M", "Minv", "OPinv" } do
      if p[name] and not p[name].dtype then -- asks the operator
        dtypes[#dtypes + 1] = p[name].products.matvec(K.random_vector(p.n, "float64", p.device)).dtype
      end
    end
    return p, dtypes
  end

  -- How eigenvalues w of A x = w M x are sought near sigma, by mode: p.apply has the eigenvalues that p.back
  -- turns into w, and is symmetric in the product p.times_M (Grimes, Lewis and Simon, "A shifted block
  -- Lanczos algorithm", 1994). solve(v): by A - sigma M.
  local SHIFTED = {
    normal = function(p, solve, _, sigma)
      p.apply = p.M and function(v) return solve(p.times_M(v)) end or solve
      p.back = function(theta) return 1 / theta + sigma end
    end,
    buckling = function(p, solve, times_A, sigma)
      p.times_M = times_A
      p.apply = function(v) return solve(times_A(v)) end
      p.back = function(theta) return sigma * theta / (theta - 1) end
    end,
    cayley = function(p, solve, times_A, sigma)
      local shift = sigma:to(p.device)
      p.apply = function(v) return solve(times_A(v) + (p.times_M and p.times_M(v) or v) * shift) end
      p.back = function(theta) return sigma * (theta + 1) / (theta - 1) end
    end,
  }

  -- What o asks for: n, dtype, device, v0, apply(v), times_M(v) or nil, and back(theta), which turns
  -- eigenvalues of `apply` (an array) into those of the problem.
  local function read_problem(where, o)
    local p, dtypes = operators(where, o)
    local sigma = o.sigma ~= nil and scalar(where, o.sigma, "sigma") or nil
    if sigma and core.kind(sigma) == "c" then dtypes[#dtypes + 1] = "complex64" end
    p.dtype = working_dtype(dtypes)
    local function times(op)
      return op and function(v) return op.products.matvec(v):astype(p.dtype, false) end
    end
    local times_A = times(p.A)
    p.times_M = times(p.M)
    p.v0 = p.v0 and p.v0:to(p.device):astype(p.dtype) or K.random_vector(p.n, p.dtype, p.device, generator(o.rng))
    if not sigma then
      if p.M then
        local solve = times(p.Minv or S.operator(where, linalg.splu(as_sparse(where, o.M, "M")), "Minv"))
        p.apply = function(v) return solve(times_A(v)) end
      else
        p.apply = times_A
      end
      p.back = function(theta) return theta end
      return p
    end
    local solve = times(p.OPinv)
    if not solve then
      local A = as_sparse(where, o.A, "A")
      local M = o.M ~= nil and as_sparse(where, o.M, "M") or S.eye(p.n, p.n, 0, p.dtype, "csc", p.device)
      solve = times(S.operator(where, linalg.splu(A - M * o.sigma), "OPinv"))
    end
    SHIFTED[o.mode or "normal"](p, solve, times_A, sigma:to("cpu"))
    return p
  end

  -- The number of eigenvalues and the size of the subspace, which has to hold `spare` more unless it is the
  -- whole.
  local function read_sizes(where, n, o, spare)
    local k = core.integer(o.k, where, "k", 6)
    if k < 1 or k >= n then usage(where, string.format("k must be between 1 and %d, not %d", n - 1, k)) end
    local m = core.integer(o.ncv, where, "ncv", math.min(n, math.max(2 * k + 1, 20)))
    local least = math.min(n, k + spare)
    if m < least or m > n then usage(where, string.format("ncv must be between %d and %d, not %d", least, n, m)) end
    local maxiter = core.integer(o.maxiter, where, "maxiter", 10 * n)
    if maxiter < 1 then usage(where, "maxiter must be at least 1") end
    return k, m, maxiter, core.number(o.tol, where, "tol", 0)
  end

  local function no_convergence(where, cycles, values, k)
    local list = {}
    for j, v in ipairs(values:totable()) do list[j] = tostring(v) end
    usage(where, string.format("no convergence in %d restarts: %d of %d eigenvalues have converged%s", cycles, #list,
      k, #list > 0 and " (" .. table.concat(list, ", ") .. ")" or ""))
  end

  -- The columns of a CPU array with these numbers.
  local function columns(Y, list) return cp.take(Y, cp.array(list, { dtype = "int64", device = "cpu" }), 2) end

  local function first(list, k) return { unpack(list, 1, k) } end

  local function mapped(list, f)
    local result = {}
    for j, v in ipairs(list) do result[j] = f(v) end
    return result
  end

  -- The numbers 1 to n in the order of a list of keys.
  local function order_by(keys)
    local order = {}
    for j = 1, #keys do order[j] = j end
    table.sort(order, function(a, b)
      if keys[a] ~= keys[b] then return keys[a] < keys[b] end
      return a < b
    end)
    return order
  end

  -- Restarts until the first k of the eigenvalues converge. `solve(s)` gives the eigenvalues of s.H (an array
  -- on the CPU), their sizes (a list), their vectors as columns, and the order in which they are wanted;
  -- `shrink(s, values, vectors, order, p)` the orthonormal coordinates and the matrix for a restart with p or
  -- p + 1 vectors. Returns the subspace, values, vectors and order.
  local function iterate(where, p, k, m, maxiter, tol, solve, shrink)
    local s = K.new(where, { n = p.n, m = m, dtype = p.dtype, device = p.device, apply = p.apply,
      times_M = p.times_M, hermitian = p.hermitian, alone = p.alone }, p.v0)
    for cycle = 1, maxiter do
      K.expand(s)
      local values, sizes, vectors, order = solve(s)
      local last = cp.abs(core.slice(vectors, 1, m, m)):reshape(-1):totable()
      local wanted_sizes, wanted_residuals = {}, {}
      for j, at in ipairs(order) do wanted_sizes[j], wanted_residuals[j] = sizes[at], last[at] * s.beta end
      local done, good = K.converged(s, wanted_sizes, wanted_residuals, k, tol)
      if done then return s, values, vectors, order end
      if cycle == maxiter then
        local found = {}
        for _, j in ipairs(good) do found[#found + 1] = order[j] end
        no_convergence(where, maxiter, p.back(cp.take(values, cp.array(found, { dtype = "int64", device = "cpu" }))), k)
      end
      K.restart(s, shrink(s, values, vectors, order, K.kept(s, k, #good)))
    end
  end

  -- ---- hermitian matrices

  -- The order in which ascending eigenvalues are wanted.
  local ORDERS = {
    LM = function(v) return order_by(mapped(v, function(x) return -math.abs(x) end)) end,
    SM = function(v) return order_by(mapped(v, math.abs)) end,
    LA = function(v) return order_by(mapped(v, function(x) return -x end)) end,
    SA = function(v) return order_by(v) end,
    BE = function(v)
      local order = {}
      for j = 1, #v do order[j] = j % 2 == 1 and #v - (j - 1) / 2 or j / 2 end
      return order
    end,
  }

  local function eigsh(where, o)
    local p = read_problem(where, o)
    p.hermitian = true
    local k, m, maxiter, tol = read_sizes(where, p.n, o, 1)
    local which = o.which == nil and "LM" or o.which
    if not ORDERS[which] then core.not_among(where, "which", '"LM", "SM", "LA", "SA" or "BE"', which) end
    local function solve(s)
      local values, vectors = cp.linalg.eigh(K.matrix(s), "U")
      local list = values:totable()
      return values, mapped(list, math.abs), vectors, ORDERS[which](list)
    end
    local function shrink(_, values, vectors, order, count)
      local kept, list, diagonal = first(order, count), values:totable(), {}
      for j, at in ipairs(kept) do diagonal[j] = list[at] end
      return columns(vectors, kept), diagonal
    end
    local s, values, vectors, order = iterate(where, p, k, m, maxiter, tol, solve, shrink)
    local wanted = first(order, k)
    values = p.back(cp.take(values, cp.array(wanted, { dtype = "int64", device = "cpu" })))
    local ascending = order_by(values:totable())
    for j, at in ipairs(ascending) do ascending[j] = wanted[at] end
    local real = (p.dtype == "float32" or p.dtype == "complex64") and "float32" or "float64"
    local found = K.vectors(s, columns(vectors, ascending)):eval()
    K.close(s)
    return cp.sort(values):astype(real):to(p.device), found
  end

  local NAMES = "A, k, M, sigma, which, v0, ncv, maxiter, tol, return_eigenvectors, Minv, OPinv, "

  local function check_mode(where, mode, sigma)
    if mode == nil then return end
    if not SHIFTED[mode] then core.not_among(where, "mode", '"normal", "buckling" or "cayley"', mode) end
    if mode == "normal" then return end
    if sigma == nil then usage(where, "mode '" .. mode .. "' needs sigma") end
    if sigma == 0 then usage(where, "mode '" .. mode .. "' needs a sigma that is not 0") end
  end

  local function options(A, k, M, sigma, which, v0, ncv, maxiter, tol, Minv, OPinv, rng)
    return { A = A, k = k, M = M, sigma = sigma, which = which, v0 = v0, ncv = ncv, maxiter = maxiter, tol = tol,
      Minv = Minv, OPinv = OPinv, rng = rng }
  end

  local function results(where, wants_vectors, values, vectors)
    if not core.boolean(wants_vectors, where, "return_eigenvectors", true) then return values end
    return values, cp.ascontiguousarray(vectors.T)
  end

  --- Some eigenvalues of a hermitian matrix, ascending, and their vectors as columns. mode: what the
  --- eigenvalues are sought by where sigma is given: of w in A x = w M x by 1 / (w - sigma) ("normal"),
  --- w / (w - sigma) ("buckling": A must be positive, M need not be) or (w + sigma) / (w - sigma) ("cayley").
  publish("eigsh", NAMES .. "mode, rng", 1,
    function(where, A, k, M, sigma, which, v0, ncv, maxiter, tol, wants, Minv, OPinv, mode, rng)
      if sigma ~= nil and type(sigma) ~= "number" then usage(where, "sigma must be a real number") end
      check_mode(where, mode, sigma)
      local o = options(A, k, M, sigma, which, v0, ncv, maxiter, tol, Minv, OPinv, rng)
      o.mode = mode
      return results(where, wants, eigsh(where, o))
    end)

  -- ---- general matrices

  local KEYS = {
    LM = function(re, im) return -(re * re + im * im) end,
    SM = function(re, im) return re * re + im * im end,
    LR = function(re) return -re end,
    SR = function(re) return re end,
    LI = function(_, im) return -im end,
    SI = function(_, im) return im end,
  }

  -- Eigenvalues and vectors of a small matrix, complex.
  local function eig(H)
    local values, vectors = cp.linalg.eig(H)
    return values:astype("complex128", false), vectors:astype("complex128", false)
  end

  -- The order in which eigenvalues are wanted; of real matrices pairs of conjugates stay together.
  local function general_order(which, re, im, is_real)
    local keys = {}
    for j = 1, #re do keys[j] = KEYS[which](re[j], is_real and string.find(which, "I") and math.abs(im[j]) or im[j]) end
    return order_by(keys)
  end

  -- The column of the eigenvalue nearest to a + b i, and whether it is real.
  local function nearest(re, im, a, b)
    local best, distance
    for j = 1, #re do
      local d = (re[j] - a) ^ 2 + (im[j] - b) ^ 2
      if not distance or d < distance then best, distance = j, d end
    end
    return best, im[best] == 0
  end

  local function block(T, from, to) return core.slice(core.slice(T, 1, from, to), 2, from, to) end

  -- Orthonormal coordinates Q of the subspace in which T has the eigenvalues `wanted` (numbers into re and
  -- im), and the matrix there: one eigenvector after the other is turned into the next coordinate, or of real
  -- matrices the real and imaginary part of one.
  local function invariant(T, re, im, wanted)
    local n, is_real = T.shape[1], core.kind(T) ~= "c"
    local Q, done, taken = cp.eye(n, { dtype = T.dtype, device = "cpu" }), 0, {}
    T = T:copy()
    for _, at in ipairs(wanted) do
      if not taken[at] and done < n - 1 then
        local values, vectors = eig(block(T, done + 1, n))
        local parts = { values.real:totable(), values.imag:totable() }
        local j, single = nearest(parts[1], parts[2], re[at], im[at])
        local x = core.slice(vectors, 2, j, j)
        if is_real then
          x = single and x.real or cp.concatenate({ x.real, x.imag }, 2)
          for other = 1, #re do -- its conjugate comes along
            if not single and re[other] == re[at] and im[other] == -im[at] then taken[other] = true end
          end
        end
        if done + x.shape[2] >= n then break end
        local q = cp.linalg.qr(x, "complete")
        local right, below = core.slice(T, 2, done + 1, n), core.slice(T, 1, done + 1, n)
        right:assign(cp.matmul(right, q))
        below:assign(cp.matmul(cp.conj(q).T, below))
        local turned = core.slice(Q, 2, done + 1, n)
        turned:assign(cp.matmul(turned, q))
        done = done + x.shape[2]
      end
    end
    return core.slice(Q, 2, 1, done), block(T, 1, done):reshape(-1):totable()
  end

  -- The same at once, from the eigenvectors; nil where these are nearly dependent, so that the subspace that
  -- they span is not exact.
  local function spanned(T, re, im, vectors, wanted)
    local n, is_real = T.shape[1], core.kind(T) ~= "c"
    local list, other, taken = {}, {}, {}
    for _, at in ipairs(wanted) do
      local single = not is_real or im[at] == 0
      if not taken[at] and #list + (single and 1 or 2) < n then
        list[#list + 1], other[#list + 1] = at, false
        if not single then
          list[#list + 1], other[#list + 1] = at, true
          for k = 1, #re do
            if re[k] == re[at] and im[k] == -im[at] then taken[k] = true end
          end
        end
      end
    end
    local X = columns(vectors, list)
    if is_real then X = cp.where(cp.array(other, { device = "cpu" }), X.imag, X.real) end
    local Q = cp.linalg.qr(X)
    local TQ = cp.matmul(T, Q)
    local B = cp.matmul(cp.conj(Q).T, TQ)
    local largest = 0
    for k = 1, #re do largest = math.max(largest, math.abs(re[k]), math.abs(im[k])) end
    local fault = cp.max(cp.abs(TQ - cp.matmul(Q, B))):item()
    if fault <= 2 ^ -46 * largest then return Q, B:reshape(-1):totable() end
  end

  local function eigs(where, o)
    local p = read_problem(where, o)
    local k, m, maxiter, tol = read_sizes(where, p.n, o, 2)
    local which = o.which == nil and "LM" or o.which
    if not KEYS[which] then core.not_among(where, "which", '"LM", "SM", "LR", "SR", "LI" or "SI"', which) end
    local is_real = core.kind(p.dtype) ~= "c"
    local re, im
    local function solve(s)
      local values, vectors = eig(K.matrix(s))
      re, im = values.real:totable(), values.imag:totable()
      return values, cp.abs(values):totable(), vectors, general_order(which, re, im, is_real)
    end
    local function shrink(s, _, vectors, order, count)
      local T, kept = K.matrix(s), first(order, count)
      local Q, B = spanned(T, re, im, vectors, kept)
      if Q then return Q, B end
      return invariant(T, re, im, kept)
    end
    local s, values, vectors, order = iterate(where, p, k, m, maxiter, tol, solve, shrink)
    local wanted = first(order, k)
    local dtype = (p.dtype == "float32" or p.dtype == "complex64") and "complex64" or "complex128"
    values = p.back(cp.take(values, cp.array(wanted, { dtype = "int64", device = "cpu" })))
    local found = K.vectors(s, columns(vectors, wanted)):astype(dtype, false):eval()
    K.close(s)
    return values:astype(dtype):to(p.device), found
  end

  --- Some eigenvalues of a general matrix, complex, the most wanted first, and their vectors as columns.
  publish("eigs", NAMES .. "rng", 1,
    function(where, A, k, M, sigma, which, v0, ncv, maxiter, tol, wants, Minv, OPinv, rng)
      local o = options(A, k, M, sigma, which, v0, ncv, maxiter, tol, Minv, OPinv, rng)
      return results(where, wants, eigs(where, o))
    end)

  -- ---- singular values

  -- Which singular vectors are wanted: left, right.
  local function wanted_sides(where, v)
    if v == nil or v == true then return true, true end
    if v == false then return false, false end
    if v == "u" or v == "vh" then return v == "u", v == "vh" end
    return core.not_among(where, "return_singular_vectors", 'true, false, "u" or "vh"', v)
  end

  -- Eigenvectors of A' A as columns, for the operator A: from a random block, or for one vector from v0.
  local function by_lobpcg(where, gram, o)
    local n = gram.rows
    local k, tol = core.integer(o.k, where, "k", 6), o.tol > 0 and o.tol or nil
    if k < 1 or k >= n then usage(where, string.format("k must be between 1 and %d, not %d", n - 1, k)) end
    if o.v0 ~= nil and k > 1 then usage(where, "solver 'lobpcg' begins with k vectors, so v0 needs k = 1") end
    local device = gram.device or cp.device()
    local X = o.v0 ~= nil and core.as_array(o.v0, where, "v0"):to(device)
      or K.random_vector(n * k, gram.dtype, device, generator(o.rng))
    if X.size ~= n * k then raise_shape(where, string.format("v0 has %d elements, not %d", X.size, n)) end
    local _, V = S.lobpcg(where, gram, X:reshape(n, k), nil, nil, nil, tol, o.maxiter, o.which ~= "SM")
    return V
  end

  -- The same by the Lanczos method.
  local function by_lanczos(where, gram, o)
    o.A = gram
    local _, rows = eigsh(where, o)
    return rows.T
  end

  local SOLVERS = { arpack = by_lanczos, lobpcg = by_lobpcg }

  -- The operator A' A (of a wide A: A A'), and the functions that multiply matrices and vectors by A (A').
  local function gram_of(where, op)
    if not op.products.rmatvec then usage(where, "A must have rmatvec, the product with its adjoint") end
    local wide = op.rows < op.columns
    local n = wide and op.rows or op.columns
    local function pair(forward, back)
      if wide then forward, back = back, forward end
      return function(x) return back(op, forward(op, x)) end
    end
    local gram = linalg.LinearOperator({ n, n },
      { matvec = pair(op.matvec, op.rmatvec), matmat = pair(op.matmat, op.rmatmat) })
    gram._device = op.device
    gram._dtype = op.dtype and S.solving_dtype(op.dtype)
      or gram.products.matvec(K.random_vector(n, "float64", gram.device or cp.device())).dtype
    return gram, wide
  end

  --- Some singular values, ascending, with left vectors as columns and right ones as conjugated rows: u, s,
  --- vh. They come from eigenvectors of the smaller one of A' A and A A', and the decomposition of their
  --- products with A. solver: what finds the eigenvectors: "arpack", the Lanczos method of eigsh, or
  --- "lobpcg", which takes maxiter steps (20) at most and returns what it has then. rng: a generator, or a
  --- seed, for the vectors that it begins with.
  publish("svds", "A, k, ncv, tol, which, v0, maxiter, return_singular_vectors, solver, rng", 1,
    function(where, A, k, ncv, tol, which, v0, maxiter, sides, solver, rng)
      local op = S.operator(where, A, "A")
      if which ~= nil and which ~= "LM" and which ~= "SM" then core.not_among(where, "which", '"LM" or "SM"', which) end
      solver = solver == nil and "arpack" or solver
      if not SOLVERS[solver] then core.not_among(where, "solver", '"arpack" or "lobpcg"', solver) end
      local left, right = wanted_sides(where, sides)
      local gram, wide = gram_of(where, op)
      local V = SOLVERS[solver](where, gram, { k = k, ncv = ncv, tol = core.number(tol, where, "tol", 0) ^ 2,
        which = which, v0 = v0, maxiter = maxiter, rng = rng, alone = S.is_alone(A) })
      local x, s, y = cp.linalg.svd(wide and op:rmatmat(V) or op:matmat(V), false)
      local u, vh = x, cp.matmul(y, cp.conj(V).T)
      if wide then u, vh = cp.conj(vh).T, cp.conj(x).T end
      s, u, vh = cp.flip(s, 1), cp.flip(u, 2), cp.flip(vh, 1)
      if not left and not right then return s end
      return left and cp.ascontiguousarray(u) or nil, s, right and cp.ascontiguousarray(vh) or nil
    end)
end
