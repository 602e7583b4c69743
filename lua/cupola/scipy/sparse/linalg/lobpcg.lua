-- lobpcg: eigenvalues of hermitian matrices by the locally optimal block preconditioned conjugate gradients
-- of Knyazev (2001). The basis stays orthonormal as in Hetmaniuk and Lehoucq, "Basis selection in LOBPCG"
-- (2006): the last directions are made orthogonal in coordinates, so that only the new ones take large
-- products. Blocks are orthonormalised by their Gram matrices (Stathopoulos and Wu, 2002). All large work is
-- products of matrices; small matrices are on the CPU.

return function(cp, core, S, _, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  local EPSILON = { float32 = 2 ^ -23, complex64 = 2 ^ -23, float64 = 2 ^ -52, complex128 = 2 ^ -52 }

  -- ---- blocks of vectors as columns

  local function adjoint(X) return S.conj(X).T end

  local function join(list, axis)
    return #list == 1 and list[1] or cp.concatenate(list, axis)
  end

  -- The products of blocks with V, below each other, as one small matrix on the CPU, in float64 or
  -- complex128.
  local function inner(s, blocks, V)
    local products = {}
    for k, U in ipairs(blocks) do products[k] = cp.matmul(adjoint(U), V) end
    return join(products, 1):to("cpu"):astype(s.small, false)
  end

  -- X C for a small matrix C on the CPU.
  local function combine(s, X, C) return cp.matmul(X, C:astype(s.dtype, false):to(s.device)) end

  -- The rows from `first` to `last`, the columns so.
  local function rows(x, first, last) return core.slice(x, 1, first, last) end
  local function columns(x, first, last) return core.slice(x, 2, first, last) end

  -- How a block is made orthonormal that has the Gram matrix G: the matrix that it is multiplied by, and
  -- whether that is exact enough. before: the squares of what its columns' sizes were; of columns of which
  -- only rounding errors are left nothing is kept. nil: nothing is left.
  local function normalising(s, G, before)
    local squares = cp.diag(G).real
    local left = cp.greater(squares, before * (100 * EPSILON[s.dtype]) ^ 2)
    local scale = cp.where(left, 1 / cp.sqrt(cp.where(left, squares, 1)), 0)
    local values, vectors = cp.linalg.eigh(G * scale * scale:reshape { -1, 1 })
    local n, list = #values, values:totable()
    local first = n + 1
    while first > 1 and list[first - 1] > n * EPSILON[s.dtype] do first = first - 1 end
    if first > n then return nil end
    local C = scale:reshape { -1, 1 } * columns(vectors, first, n) / cp.sqrt(core.slice(values, 1, first, n))
    return C, list[first] > list[n] * 1e-3
  end

  local PASSES = 4

  -- An orthonormal block with the span of X outside of that of orthonormal blocks; directions that are not
  -- there, but for rounding errors, are left out. nil: there are none.
  local function complement(s, X, blocks)
    local known, width = {}, 0
    if #blocks > 0 then
      local BX = s.times_B(X)
      for k, U in ipairs(blocks) do
        known[k], width = cp.matmul(adjoint(U), BX), width + U.shape[2]
      end
      for k, U in ipairs(blocks) do X = X - cp.matmul(U, known[k]) end
      X:eval()
    end
    local before
    for _ = 1, PASSES do
      local all = { unpack(blocks) }
      all[#all + 1] = X
      local numbers, n = inner(s, all, s.times_B(X)), X.shape[2]
      local G = rows(numbers, width + 1, width + n)
      local parts = width > 0 and rows(numbers, 1, width) or nil
      if parts then G = G - cp.matmul(adjoint(parts), parts) end
      if not before then
        before = cp.diag(G).real
        if parts then
          before = before + cp.sum(cp.square(cp.abs(join(known, 1):to("cpu"))), 1):astype("float64", false)
        end
      end
      local C, exact = normalising(s, G, before)
      if not C then return nil end
      X = combine(s, X, C)
      local at = 0
      for _, U in ipairs(blocks) do
        X = X - combine(s, U, cp.matmul(rows(parts, at + 1, at + U.shape[2]), C))
        at = at + U.shape[2]
      end
      X:eval()
      if exact then break end
      before = 1
    end
    return X
  end

  -- ---- the method

  -- Arguments that no script's function stands for.
  local function are_alone(...)
    for k = 1, select("#", ...) do
      local v = select(k, ...)
      if v ~= nil and not S.is_alone(v) then return false end
    end
    return true
  end

  local function read(where, A, X, B, M, Y)
    X = core.as_array(X, where, "X", S.is(A) and S.fields(A).data or cp.is_array(A) and A or nil)
    if X.ndim == 1 then X = X:reshape { -1, 1 } end
    if X.ndim ~= 2 then raise_shape(where, "X must have two axes, not shape " .. tostring(X.shape)) end
    local n = X.shape[1]
    local function take(v, name)
      local op = S.operator(where, v, name, n)
      if op.rows ~= n or op.columns ~= n then
        raise_shape(where, string.format("%s must be (%d, %d), not (%d, %d)", name, n, n, op.rows, op.columns))
      end
      return op
    end
    local op, opB, opM = take(A, "A"), B ~= nil and take(B, "B"), M ~= nil and take(M, "M")
    local dtype = op.dtype and cp.promote_types(op.dtype, X.dtype) or X.dtype
    if opB and opB.dtype then dtype = cp.promote_types(dtype, opB.dtype) end
    dtype = S.solving_dtype(dtype)
    local s = { n = n, dtype = dtype, device = X.device, alone = are_alone(A, B, M) }
    s.small = core.kind(dtype) == "c" and "complex128" or "float64"
    local function times(which)
      if not which then return function(V) return V end end
      return function(V) return which:matmat(V):astype(dtype, false) end
    end
    s.times_A, s.times_B, s.times_M = times(op), times(opB), times(opM)
    s.blocks = {}
    if Y ~= nil then
      Y = core.as_array(Y, where, "Y", X)
      if Y.ndim ~= 2 or Y.shape[1] ~= n then raise_shape(where, string.format("Y must have %d rows", n)) end
      s.blocks[1] = complement(s, Y:astype(dtype), {})
    end
    return s, X:astype(dtype)
  end

  -- The k greatest or smallest eigenvalues of the small matrix H, and their vectors.
  local function wanted(s, H)
    local values, vectors = cp.linalg.eigh(H)
    local n, k = #values, s.k
    if not s.largest then return core.slice(values, 1, 1, k), columns(vectors, 1, k) end
    return cp.flip(core.slice(values, 1, n - k + 1, n), 1), cp.flip(columns(vectors, n - k + 1, n), 2)
  end

  -- The basis U, of which the first k columns are to be X, its products AU with A, and the matrix H there;
  -- all of them from vectors that need not be orthonormal.
  local function begin(s, X, P)
    X = complement(s, X, s.blocks)
    if not X or X.shape[2] < s.k then usage(s.where, "the columns of X are linearly dependent") end
    P = P and complement(s, P, { X, unpack(s.blocks) })
    local U = P and join({ X, P }, 2) or X
    local AU = s.times_A(U)
    local H = inner(s, { U }, AU)
    local q = cp.eye(U.shape[2], { dtype = s.small, device = "cpu" })
    local values, C = wanted(s, (H + adjoint(H))["1:" .. s.k .. ",1:" .. s.k] / 2)
    q[{ { 1, s.k }, { 1, s.k } }] = C
    s.values, s.H = values, cp.matmul(cp.matmul(adjoint(q), H), q)
    return combine(s, U, q), combine(s, AU, q)
  end

  -- The residuals of the first k columns of U, and their sizes as a list.
  local function residuals(s, U, AU)
    local values = s.values:astype(s.dtype, false):to(s.device)
    local R = columns(AU, 1, s.k) - s.times_B(columns(U, 1, s.k)) * values
    local norms = cp.sqrt(cp.sum(cp.square(cp.abs(R)), 1))
    cp.eval(R, norms)
    s.norms = norms:totable()
    return R
  end

  -- One step from U with the residuals R. Returns the new ones, or nothing if no direction is left.
  local function improve(s, U, AU, R)
    local W = complement(s, s.times_M(R), { U, unpack(s.blocks) })
    if not W then return nil end
    local AW = s.times_A(W)
    local k, old, new = s.k, U.shape[2], W.shape[2]
    local beside = inner(s, { U, W }, AW)
    local upper, corner = rows(beside, 1, old), rows(beside, old + 1, old + new)
    local H = join({ join({ s.H, upper }, 2), join({ adjoint(upper), (corner + adjoint(corner)) / 2 }, 2) }, 1)
    local values, C = wanted(s, H)
    -- the steps from X, made orthogonal to the new X
    local D = C:copy()
    rows(D, 1, k):fill(0)
    local Q = cp.linalg.qr(join({ C, D }, 2))
    local first, second = rows(Q, 1, old), rows(Q, old + 1, old + new)
    s.values, s.H = values, cp.matmul(cp.matmul(adjoint(Q), H), Q)
    U = combine(s, U, first) + combine(s, W, second)
    AU = combine(s, AU, first) + combine(s, AW, second)
    cp.eval(U, AU, s.H, s.values)
    return U, AU
  end

  local EVERY = 16 -- steps after which rounding errors are taken out

  local function largest_of(list)
    local most = 0
    for _, v in ipairs(list) do
      if v ~= v then return v end
      most = math.max(most, v)
    end
    return most
  end

  -- What happened at each step, as a matrix on the device.
  local function history(s, list, dtype)
    return cp.array(list, { dtype = dtype, device = "cpu" }):to(s.device)
  end

  local function run(s, X, o)
    local U, AU = begin(s, X)
    local R = residuals(s, U, AU)
    local info, least, lambdas, norms = 0, math.huge, {}, {}
    local function forward(restart, settle)
      local newU, newAU
      if restart or settle then
        local old = U.shape[2]
        newU, newAU = begin(s, columns(U, 1, s.k), not restart and old > s.k and columns(U, s.k + 1, old) or nil)
      else
        newU, newAU = improve(s, U, AU, R)
        if not newU then return nil end
      end
      U, AU, R = newU, newAU, residuals(s, newU, newAU)
      return U, AU, R, s.H, s.values
    end
    local step = S.step(s.alone, forward)
    for k = 0, o.maxiter do
      core.check_interrupt(s.where)
      local worst = largest_of(s.norms)
      if worst ~= worst then usage(s.where, "a product with A is infinite or NaN") end
      lambdas[#lambdas + 1], norms[#norms + 1] = s.values:totable(), s.norms
      if o.verbosity > 0 then print(string.format("step %d: largest residual %.3e", k, worst)) end
      info = worst <= o.tol and 0 or math.max(k, 1)
      if worst <= o.tol or k == o.maxiter then break end
      least = math.min(least, worst)
      if worst > 2 ^ o.restart * least then step(true) end
      if not step() then break end
      if (k + 1) % EVERY == 0 then step(false, true) end
    end
    return columns(U, 1, s.k), info, lambdas, norms
  end

  local NAMES = "A, X, B, M, Y, tol, maxiter, largest, verbosityLevel, retLambdaHistory, retResidualNormsHistory, "
    .. "restartControl"

  --- Some eigenvalues of a hermitian matrix, also of A x = lambda B x, from as many approximate vectors, the
  --- columns of X; M: a preconditioner, Y: vectors to be orthogonal to. Returns the eigenvalues, the vectors
  --- as columns, and 0, or the number of steps that did not suffice. verbosityLevel: not 0 prints each step;
  --- retLambdaHistory, retResidualNormsHistory: also returns the eigenvalues, the residuals' norms, before
  --- the first step and after each, a row for each; restartControl: the directions of the last steps are
  --- given up where the residuals become 2 ^ restartControl times as large as they were.
  function S.lobpcg(where, A, X, B, M, Y, tol, maxiter, largest, verbosity, wants_lambdas, wants_norms, restart)
    local s, start = read(where, A, X, B, M, Y)
    s.where, s.k, s.largest = where, start.shape[2], core.boolean(largest, where, "largest", true)
    local o = { maxiter = core.integer(maxiter, where, "maxiter", 20),
      tol = core.number(tol, where, "tol", math.sqrt(EPSILON[s.dtype]) * s.n),
      restart = core.integer(restart, where, "restartControl", 20),
      verbosity = core.integer(verbosity, where, "verbosityLevel", 0) }
    wants_lambdas = core.boolean(wants_lambdas, where, "retLambdaHistory", false)
    wants_norms = core.boolean(wants_norms, where, "retResidualNormsHistory", false)
    if s.k < 1 or s.k > s.n then raise_shape(where, "X must have from 1 to n columns") end
    local V, info, lambdas, norms = run(s, start, o)
    local real = (s.dtype == "float32" or s.dtype == "complex64") and "float32" or "float64"
    local results = { s.values:astype(real):to(s.device), cp.ascontiguousarray(V), info }
    if wants_lambdas then results[#results + 1] = history(s, lambdas, real) end
    if wants_norms then results[#results + 1] = history(s, norms, real) end
    return unpack(results)
  end

  publish("lobpcg", NAMES, 2, S.lobpcg)
end
