-- Krylov subspaces that are restarted, for eigenvalues of large matrices. The vectors stay on the device; the
-- projected matrix, whose size is that of the subspace, is on the CPU.
--
-- A subspace s of m steps has
--   V   (m + 1, n): orthonormal rows, also in the product x^H M y if there is an M
--   H   (m, m) and the row `last`: A V' = V' H + v last, where V' are the first m rows as columns, and v the
--       last row. float64 or complex128.
-- Orthogonalisation is classical Gram-Schmidt done twice. A restart keeps a part of the subspace in which the
-- projected matrix has the wanted eigenvalues (thick restarts: Wu and Simon, 2000; Krylov-Schur: Stewart,
-- 2001).

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

  -- w without its parts along the first j vectors, and these parts.
  local function orthogonalise(s, w, j)
    local V, parts = core.slice(s.V, 1, 1, j), nil
    for _ = 1, 2 do
      local h = S.along(V, s.times_M and s.times_M(w) or w)
      w = w - cp.matmul(h, V)
      parts = parts and parts + h or h
      cp.eval(w, parts)
    end
    return w, parts
  end

  -- A unit vector that is orthogonal to the first j ones, for a subspace that cannot grow by itself.
  local function fresh(s, j)
    local w = K.random_vector(s.n, s.dtype, s.device, s.rng)
    if j > 0 then w = orthogonalise(s, w, j) end
    return w / size(s, w)
  end

  --- A subspace of m dimensions that begins with the vector v0. o: n, m, dtype, device, apply(v), times_M(v)
  --- or nil.
  function K.new(where, o, v0)
    local s = { where = where, n = o.n, m = o.m, dtype = o.dtype, device = o.device, apply = o.apply,
      times_M = o.times_M, rng = cp.random.default_rng(SEED + 1), done = 0 }
    s.small = core.kind(o.dtype) == "c" and "complex128" or "float64"
    s.V = cp.zeros({ o.m + 1, o.n }, { dtype = o.dtype, device = o.device })
    s.H = cp.zeros({ o.m, o.m }, { dtype = s.small, device = "cpu" })
    local length = size(s, v0):item()
    if not (length > 0 and length < math.huge) then core.usage(where, "v0 must not be 0, infinite or NaN") end
    row(s.V, 1):assign(v0 / length)
    return s
  end

  -- Step j: the vector j + 1 and the column j of H. A step that stays inside the subspace, but for rounding
  -- errors, goes on with a fresh vector.
  local function step(s, j)
    local w = s.apply(row(s.V, j))
    local before = size(s, w)
    local parts
    w, parts = orthogonalise(s, w, j)
    local after = size(s, w)
    cp.eval(before, after)
    local beta, limit = after:item(), 16 * EPSILON[s.dtype] * before:item()
    if beta ~= beta or limit == math.huge then core.usage(s.where, "a product with A is infinite or NaN") end
    core.slice(core.slice(s.H, 2, j, j), 1, 1, j):assign(parts:to("cpu"):astype(s.small, false):reshape { -1, 1 })
    if beta <= limit or j == s.n then beta = 0 end
    if j < s.m then core.slice(core.slice(s.H, 2, j, j), 1, j + 1, j + 1):assign(beta) end
    if beta > 0 then
      row(s.V, j + 1):assign(w / beta)
    elseif j < s.n then
      row(s.V, j + 1):assign(fresh(s, j))
    end
    return beta
  end

  --- Takes the steps that are left up to m. Sets s.beta, the length of the last step.
  function K.expand(s)
    for j = s.done + 1, s.m do
      core.check_interrupt(s.where)
      s.beta = step(s, j)
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

  --- Keeps the subspace with the orthonormal coordinates Y (m, p), in which the projected matrix is B (p, p).
  function K.restart(s, Y, B)
    local p = Y.shape[2]
    local kept = K.vectors(s, Y)
    kept:eval()
    local coupling = core.slice(Y, 1, s.m, s.m) * s.beta
    coupling:eval()
    row(s.V, p + 1):assign(row(s.V, s.m + 1):copy())
    core.slice(s.V, 1, 1, p):assign(kept)
    s.H:assign(cp.zeros_like(s.H))
    core.slice(core.slice(s.H, 1, 1, p), 2, 1, p):assign(B)
    core.slice(core.slice(s.H, 1, p + 1, p + 1), 2, 1, p):assign(coupling)
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
