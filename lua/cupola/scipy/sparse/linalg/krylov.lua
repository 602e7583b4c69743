-- Krylov subspaces that are restarted, for eigenvalues of large matrices. The vectors stay on the device; the
-- projected matrix, whose size is that of the subspace, is on the host.
--
-- A subspace s of m steps has
--   V   (m + 1, n): orthonormal rows, also in the product x^H M y if there is an M
--   H   a list of the m x m elements of the projected matrix, row by row: A V' = V' H + v last, where V' are
--       the first m rows as columns, v the last row, and `last` is s.beta in its last element, else 0
-- Orthogonalisation is classical Gram-Schmidt done twice. Where A is hermitian, the first pass is only along
-- the two last vectors, as in exact arithmetic there are no other parts. A restart keeps a part of the
-- subspace in which the projected matrix has the wanted eigenvalues (thick restarts: Wu and Simon, 2000;
-- Krylov-Schur: Stewart, 2001).

return function(cp, core, S)
  local K = {}

  local EPSILON = { float32 = 2 ^ -23, complex64 = 2 ^ -23, float64 = 2 ^ -52, complex128 = 2 ^ -52 }

  --- The relative rounding error of a dtype.
  function K.epsilon(dtype) return EPSILON[dtype] end

  local SEED = 20101 -- of start vectors

  --- A vector of length n with elements between -1 and 1, the same on every device. Each call with the same
  --- rng gives another one.
  function K.random_vector(n, dtype, device, rng)
    rng = rng or cp.random.default_rng(SEED)
    local x = rng:random { n } * 2 - 1
    if core.kind(dtype) == "c" then x = x + (rng:random { n } * 2 - 1) * cp.j end
    return x:astype(dtype):to(device)
  end

  local function row(V, j) return core.slice(V, 1, j, j):reshape(-1) end

  -- The norm of a vector, a 0-d array.
  local function size(s, x)
    if not s.times_M then return S.length(x) end
    return cp.sqrt(cp.abs(cp.sum(S.conj(x) * s.times_M(x))))
  end

  -- w's parts along the first j vectors, of which those before `first` are small, and the size of the rest,
  -- as a list of numbers. The rest, divided by its size, becomes vector j + 1.
  local function orthogonalise(s, w, j, first)
    if not s.times_M then
      local parts = core.orthogonalise(s.where, s.V, j, w, first)
      if parts then return parts end
    end
    local function pass(from)
      local V = core.slice(s.V, 1, from, j)
      local h = S.along(V, s.times_M and s.times_M(w) or w)
      w = w - cp.matmul(h, V)
      cp.eval(w, h)
      return h
    end
    -- Writes the vector; the numbers of these arrays and the size come to the host at once.
    local function finish(...)
      local after = size(s, w)
      row(s.V, j + 1):assign(w / after)
      local list = { ... }
      list[#list + 1] = after:astype(s.dtype, false):reshape(1)
      local numbers = cp.concatenate(list):totable()
      return numbers, S.magnitude(numbers[#numbers])
    end
    local parts = {}
    for k = 1, j do parts[k] = 0 end
    local function add(numbers, from, at)
      local square = 0
      for k = from, j do
        local part = numbers[at + k - from + 1]
        parts[k], square = parts[k] + part, square + S.magnitude(part) ^ 2
      end
      return square
    end
    local numbers, after = finish(pass(first), pass(1))
    add(numbers, first, 0)
    if add(numbers, 1, j - first + 1) > after * after then -- so rounding errors are not small beside the rest
      numbers, after = finish(pass(1))
      add(numbers, 1, 0)
    end
    parts[j + 1] = after
    return parts
  end

  -- Makes vector j + 1 a random unit vector that is orthogonal to those before it, for a subspace that cannot
  -- grow by itself.
  local function add_fresh(s, j)
    local w = K.random_vector(s.n, s.dtype, s.device, s.rng)
    orthogonalise(s, w, j, 1)
  end

  --- A subspace of m dimensions that begins with the vector v0. o: n, m, dtype, device, apply(v), times_M(v)
  --- or nil, hermitian: whether A is, alone: whether no script sees the vectors.
  function K.new(where, o, v0)
    local s = { where = where, n = o.n, m = o.m, dtype = o.dtype, device = o.device, apply = o.apply, H = {},
      times_M = o.times_M, hermitian = o.hermitian, alone = o.alone, rng = cp.random.default_rng(SEED + 1), done = 0 }
    s.small = core.kind(o.dtype) == "c" and "complex128" or "float64"
    s.V = cp.zeros({ o.m + 1, o.n }, { dtype = o.dtype, device = o.device })
    for k = 1, o.m * o.m do s.H[k] = 0 end
    local length = size(s, v0):item()
    if not (length > 0 and length < math.huge) then core.usage(where, "v0 must not be 0, infinite or NaN") end
    row(s.V, 1):assign(v0 / length)
    return s
  end

  --- The projected matrix as an array on the CPU.
  function K.matrix(s)
    return cp.array(s.H, { dtype = s.small, device = "cpu" }):reshape(s.m, s.m)
  end

  -- Step j: the vector j + 1 and the column j of H. A step that stays inside the subspace, but for rounding
  -- errors, goes on with a fresh vector.
  local function step(s, j)
    -- the parts along those that a restart kept are in H
    local near = s.hermitian and j > s.kept + 1
    local parts = orthogonalise(s, s.apply(row(s.V, j)):eval(), j, near and j - 1 or 1)
    local beta, square = parts[j + 1], 0
    for k = 1, j + 1 do square = square + S.magnitude(parts[k]) ^ 2 end
    local limit = 16 * EPSILON[s.dtype] * math.sqrt(square)
    if beta ~= beta or limit == math.huge then core.usage(s.where, "a product with A is infinite or NaN") end
    if beta <= limit or j == s.n then beta = 0 end
    for k = 1, j do s.H[(k - 1) * s.m + j] = parts[k] end
    if j < s.m then s.H[j * s.m + j] = beta end
    if beta == 0 and j < s.n then add_fresh(s, j) end
    return beta
  end

  --- Takes the steps that are left up to m. Sets s.beta, the length of the last step.
  function K.expand(s)
    s.kept = s.done
    for j = s.done + 1, s.m do
      core.check_interrupt(s.where)
      s.beta = S.run(s.alone, step, s, j)
    end
    s.done = s.m
  end

  --- The vectors with these coordinates, columns of Y (m, p) on the CPU: rows of a (p, n) array.
  function K.vectors(s, Y)
    local V = core.slice(s.V, 1, 1, s.m)
    local function times_V(part)
      return cp.matmul(cp.ascontiguousarray(part.T):to(s.device):astype(s.dtype, false), V)
    end
    if core.kind(Y) == "c" and s.small == "float64" then return times_V(Y.real) + times_V(Y.imag) * cp.j end
    return times_V(Y)
  end

  --- Frees the subspace's memory, unless a script may have a vector of it.
  function K.close(s)
    if s.alone then s.V:free() end
  end

  --- Keeps the subspace with the orthonormal coordinates Y (m, p), in which the projected matrix is B: a list
  --- of the p x p elements, or of p diagonal ones.
  function K.restart(s, Y, B)
    local p, m = Y.shape[2], s.m
    local kept = K.vectors(s, Y)
    kept:eval()
    row(s.V, p + 1):assign(row(s.V, m + 1))
    core.slice(s.V, 1, 1, p):assign(kept)
    kept:free()
    local coupling = core.slice(Y, 1, m, m):reshape(-1):totable()
    for k = 1, m * m do s.H[k] = 0 end
    for k = 1, p do
      if #B == p then
        s.H[(k - 1) * m + k] = B[k]
      else
        for i = 1, p do s.H[(k - 1) * m + i] = B[(k - 1) * p + i] end
      end
      s.H[p * m + k] = coupling[k] * s.beta
    end
    s.done = p
  end

  --- Whether the first k eigenvalues have converged, and the numbers of those that have. sizes, residuals:
  --- lists of all eigenvalues' absolute values and residuals. The residual may be tol times the eigenvalue,
  --- but no better than rounding errors allow.
  function K.converged(s, sizes, residuals, k, tol)
    local epsilon, largest, good = EPSILON[s.dtype], 0, {}
    for _, v in ipairs(sizes) do largest = math.max(largest, v) end
    tol = math.max(tol, epsilon)
    for j = 1, k do
      local bound = math.max(tol * math.max(epsilon ^ (2 / 3), sizes[j]), epsilon * largest)
      if residuals[j] <= bound then good[#good + 1] = j end
    end
    return #good == k, good
  end

  --- How many vectors to keep at a restart.
  function K.kept(s, k, count)
    local spare = s.m - k
    return math.min(s.m - 1, k + math.max(math.floor(spare / 3), math.min(count, math.floor(spare / 2))))
  end

  return K
end
