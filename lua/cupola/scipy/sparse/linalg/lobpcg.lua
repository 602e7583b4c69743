-- lobpcg: eigenvalues of hermitian matrices by the locally optimal block preconditioned conjugate gradients
-- of Knyazev (2001). Blocks are orthonormalised by their Gram matrices (Stathopoulos and Wu, 2002), so all
-- large work is products of matrices; small matrices are on the CPU.

return function(cp, core, S, _, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  local EPSILON = { float32 = 2 ^ -23, complex64 = 2 ^ -23, float64 = 2 ^ -52, complex128 = 2 ^ -52 }

  -- ---- blocks of vectors as columns

  local function adjoint(X) return S.conj(X).T end

  -- U' B V on the CPU, in float64 or complex128.
  local function inner(s, U, V) return cp.matmul(adjoint(U), s.times_B(V)):to("cpu"):astype(s.small, false) end

  -- X C for a small matrix C on the CPU.
  local function combine(s, X, C)
    local Y = cp.matmul(X, C:astype(s.dtype, false):to(s.device))
    Y:eval()
    return Y
  end

  local function sizes(s, X)
    return cp.sqrt(cp.abs(cp.sum(S.conj(X) * s.times_B(X), 1))):to("cpu"):astype("float64", false)
  end

  -- Takes the parts along orthonormal blocks out of X, twice. Columns of which only rounding errors are left
  -- become 0.
  local function project(s, X, ...)
    local before = sizes(s, X)
    for _ = 1, 2 do
      for _, U in ipairs { ... } do X = X - combine(s, U, inner(s, U, X)) end
    end
    local left = cp.greater(sizes(s, X), before * (100 * EPSILON[s.dtype]))
    return X * left:to(s.device):astype(s.dtype)
  end

  -- An orthonormal block with the span of X; directions that are not there, but for rounding errors, are left
  -- out. nil: there are none.
  local function orthonormal(s, X)
    for _ = 1, 2 do
      local G = inner(s, X, X)
      local lengths = cp.sqrt(cp.abs(cp.diag(G)))
      local scale = cp.where(cp.greater(lengths, 0), 1 / cp.where(cp.greater(lengths, 0), lengths, 1), 0)
      G = G * scale * scale:reshape { -1, 1 }
      local values, vectors = cp.linalg.eigh((G + adjoint(G)) / 2)
      local count = cp.sum(cp.greater(values, #values * EPSILON[s.dtype])):item()
      if count == 0 then return nil end
      local from, last = #values - count + 1, #values
      local C = scale:reshape { -1, 1 } * core.slice(vectors, 2, from, last)
        / cp.sqrt(core.slice(values, 1, from, last))
      X = combine(s, X, C)
    end
    return X
  end

  -- ---- the method

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
    local s = { n = n, dtype = dtype, device = X.device, X = X:astype(dtype) }
    s.small = core.kind(dtype) == "c" and "complex128" or "float64"
    local function times(which)
      if not which then return function(V) return V end end
      return function(V) return which:matmat(V):astype(dtype, false) end
    end
    s.times_A, s.times_B, s.times_M = times(op), times(opB), times(opM)
    if Y ~= nil then
      Y = core.as_array(Y, where, "Y", X)
      if Y.ndim ~= 2 or Y.shape[1] ~= n then raise_shape(where, string.format("Y must have %d rows", n)) end
      s.Y = orthonormal(s, Y:astype(dtype))
    end
    return s
  end

  -- The k greatest or smallest eigenvalues of the problem in an orthonormal basis, and their coordinates.
  local function small_problem(s, basis, products, k, largest)
    local H = cp.matmul(adjoint(basis), products):to("cpu"):astype(s.small, false)
    local values, vectors = cp.linalg.eigh((H + adjoint(H)) / 2)
    local n = #values
    if not largest then return core.slice(values, 1, 1, k), core.slice(vectors, 2, 1, k) end
    return cp.flip(core.slice(values, 1, n - k + 1, n), 1), cp.flip(core.slice(vectors, 2, n - k + 1, n), 2)
  end

  local function join(...) return cp.concatenate({ ... }, 2) end

  -- One step from s.X, s.AX with the residuals R; false: no direction is left.
  local function improve(s, R, k, largest)
    local W = s.Y and project(s, s.times_M(R), s.Y, s.X) or project(s, s.times_M(R), s.X)
    W = orthonormal(s, W)
    if not W then return false end
    local others = W
    if s.P then
      local P = orthonormal(s, project(s, s.P, s.X, W))
      if P then others = join(W, P) end
    end
    local basis, products = join(s.X, others), join(s.AX, s.times_A(others))
    local values, C = small_problem(s, basis, products, k, largest)
    s.values = values
    s.P = combine(s, others, core.slice(C, 1, k + 1, C.shape[1]))
    s.X, s.AX = combine(s, basis, C), combine(s, products, C)
    return true
  end

  -- Starts again from orthonormal vectors, in which the small problem is solved.
  local function settle(where, s, X, largest)
    X = orthonormal(s, X)
    if not X or X.shape[2] < s.k then usage(where, "the columns of X are linearly dependent") end
    local AX = s.times_A(X)
    local values, C = small_problem(s, X, AX, s.k, largest)
    s.values, s.X, s.AX = values, combine(s, X, C), combine(s, AX, C)
  end

  local EVERY = 16 -- steps after which rounding errors are taken out

  --- Some eigenvalues of a hermitian matrix, also of A x = lambda B x, from as many approximate vectors, the
  --- columns of X; M: a preconditioner, Y: vectors to be orthogonal to. Returns the eigenvalues, the vectors
  --- as columns, and 0, or the number of steps that did not suffice.
  publish("lobpcg", "A, X, B, M, Y, tol, maxiter, largest", 2, function(where, A, X, B, M, Y, tol, maxiter, largest)
    local s = read(where, A, X, B, M, Y)
    s.k = s.X.shape[2]
    largest = core.boolean(largest, where, "largest", true)
    maxiter = core.integer(maxiter, where, "maxiter", 20)
    tol = core.number(tol, where, "tol", math.sqrt(EPSILON[s.dtype]) * s.n)
    if s.k < 1 or s.k > s.n then raise_shape(where, "X must have from 1 to n columns") end
    settle(where, s, s.Y and project(s, s.X, s.Y) or s.X, largest)
    local info = 0
    for step = 0, maxiter do
      core.check_interrupt(where)
      local R = s.AX - s.times_B(s.X) * s.values:to(s.device):astype(s.dtype, false)
      local worst = cp.max(cp.sqrt(cp.sum(cp.square(cp.abs(R)), 1))):item()
      if worst ~= worst then usage(where, "a product with A is infinite or NaN") end
      if worst <= tol then
        info = 0
        break
      end
      info = math.max(step, 1)
      if step == maxiter or not improve(s, R, s.k, largest) then break end
      if (step + 1) % EVERY == 0 then settle(where, s, s.X, largest) end
    end
    local real = (s.dtype == "float32" or s.dtype == "complex64") and "float32" or "float64"
    return s.values:astype(real):to(s.device), s.X, info
  end)
end
