-- eigsh, eigs, svds, lobpcg and expm_multiply on matrices whose eigenvalues are known. Results beside SciPy's
-- are in linalg_golden_spec.lua.

local cp = require "cupola"
local shared = require "spec.helper.sparse"
local check = require "spec.helper.check"
local superlu = require "spec.helper.superlu"
local failure = check.failure

local sp = cp.sparse
local linalg = sp.linalg
local near, laplacian = shared.near, shared.laplacian

local N = 200

local function exact(n, list)
  local values = {}
  for k, j in ipairs(list) do values[k] = 4 * math.sin(math.pi * j / (2 * (n + 1))) ^ 2 end
  table.sort(values)
  return cp.array(values)
end

-- Checks that the columns of V are eigenvectors, and of unit length where `orthonormal`.
local function check_vectors(A, values, V, tolerance, orthonormal)
  near(A:dot(V), V * values:astype(V.dtype), tolerance)
  if orthonormal then near(cp.matmul(cp.conj(V).T, V), cp.eye(#values), tolerance) end
end

local TOLERANCE = { float32 = 2e-5, float64 = 1e-10, complex64 = 2e-5, complex128 = 1e-10 }

describe("eigsh", function()
  it("finds the ends of the spectrum", function()
    local WANTED = { LM = { N, N - 1, N - 2, N - 3 }, LA = { N, N - 1, N - 2, N - 3 }, SA = { 1, 2, 3, 4 },
      SM = { 1, 2, 3, 4 }, BE = { 1, 2, N - 1, N } }
    local A = laplacian(N, "float64")
    for which, list in pairs(WANTED) do
      local values, V = linalg.eigsh(A, 4, { which = which, ncv = 40 })
      near(values, exact(N, list), 1e-11)
      check_vectors(A, values, V, 1e-10, true)
      assert.is_true(V:has_shape(N, 4))
    end
  end)

  it("works in every dtype, from every start, for operators and dense arrays", function()
    for dtype, tolerance in pairs(TOLERANCE) do
      local A = laplacian(60, dtype)
      local want = exact(60, { 58, 59, 60 })
      local values, V = linalg.eigsh(A, 3)
      assert.equal(V.dtype, dtype)
      assert.equal(values.dtype, dtype:find "64$" and dtype ~= "complex64" and "float64" or
        dtype == "complex128" and "float64" or "float32")
      near(values, want, tolerance)
      check_vectors(A, values, V, tolerance, true)
      near(linalg.eigsh(A, 3, { v0 = cp.arange(60):astype(dtype) + 1, which = "LA" }), want, tolerance, false)
      near((linalg.eigsh(A:toarray(), 3)), want, tolerance)
      near((linalg.eigsh(linalg.aslinearoperator(A), { k = 3, which = "LM" })), want, tolerance)
    end
    local own = linalg.LinearOperator({ 30, 30 }, function(x) return x * (cp.arange(30) + 1) end)
    near((linalg.eigsh(own, 2, { return_eigenvectors = false })), cp.array { 29, 30 }, 1e-12)
  end)

  it("gives the same bits each time", function()
    local A = laplacian(80, "float64")
    assert.is_true(cp.array_equal((linalg.eigsh(A, 3)), (linalg.eigsh(A, 3))))
  end)

  it("finds eigenvalues that repeat, and those of subspaces that end early", function()
    local twice = sp.block_diag { laplacian(30, "float64"), laplacian(30, "float64") }
    local values, V = linalg.eigsh(twice:tocsr(), 4, { which = "LA" })
    near(values, exact(30, { 30, 30, 29, 29 }), 1e-11)
    check_vectors(twice, values, V, 1e-10, true)
    values, V = linalg.eigsh(sp.eye(40), 3)
    near(values, cp.ones(3), 1e-14)
    near(cp.matmul(V.T, V), cp.eye(3), 1e-13)
    values = linalg.eigsh(sp.csr_array { 25, 25 }, 2)
    near(values, cp.zeros(2), 0)
    local few = sp.diags { { 5, 3, -4, 1 } }
    near((linalg.eigsh(few, 3, { which = "LA" })), cp.array { 1, 3, 5 }, 1e-14)
    near((linalg.eigsh(few, 1, { v0 = { 0, 1, 0, 0 } })), cp.array { 5 }, 1e-14)
  end)

  it("inverts about a shift", function()
    if superlu.missing then return pending(superlu.missing) end
    for dtype, tolerance in pairs(TOLERANCE) do
      local A = laplacian(N, dtype)
      local values, V = linalg.eigsh(A, 4, { sigma = 0 })
      near(values, exact(N, { 1, 2, 3, 4 }), tolerance)
      check_vectors(A, values, V, tolerance * 10, true)
    end
    local A = laplacian(N, "float64")
    near((linalg.eigsh(A, 2, { sigma = 2.001, tol = 1e-6 })), exact(N, { N / 2, N / 2 + 1 }), 1e-9)
    local inverse = linalg.factorized(A - sp.eye(N) * 1.5)
    near((linalg.eigsh(A, 3, { sigma = 1.5, OPinv = linalg.LinearOperator({ N, N }, inverse) })),
      (linalg.eigsh(A, 3, { sigma = 1.5 })), 1e-11)
  end)

  it("has SciPy's values and vectors by modes buckling and cayley", function()
    if superlu.missing then return pending(superlu.missing) end
    local n = 40
    local A, at = laplacian(n, "float64"), cp.arange(n)
    local M = sp.diags { 1 + at / n }
    local K = sp.diags { cp.where(cp.equal(cp.remainder(at, 3), 0), -1, 1) + 0.1 } -- not positive
    near((linalg.eigsh(A, 4, { M = M, sigma = 0.5, mode = "cayley" })),
      cp.array { 0.37891218, 0.45358326, 0.53345616, 0.61803622 }, 1e-8)
    near((linalg.eigsh(A, 4, { sigma = 1.5, mode = "cayley" })),
      cp.array { 1.32396624, 1.470037, 1.61921778, 1.77063315 }, 1e-8)
    local values, V = linalg.eigsh(A, 3, { M = K, sigma = 1, mode = "buckling" })
    near(values, cp.array { 0.8099301, 0.86365302, 0.8975118 }, 1e-8)
    near(A:dot(V), K:dot(V) * values, 1e-10)
    near(cp.sum(V * A:dot(V), 1), cp.ones(3), 1e-12)
    for _, mode in ipairs { "buckling", "cayley" } do
      check.failure("usage", "scipy.sparse.linalg.eigsh: mode '" .. mode .. "' needs sigma",
        function() linalg.eigsh(A, 2, { mode = mode }) end)
      check.failure("usage", "scipy.sparse.linalg.eigsh: mode '" .. mode .. "' needs a sigma that is not 0",
        function() linalg.eigsh(A, 2, { mode = mode, sigma = 0 }) end)
    end
    check.failure("usage", "scipy.sparse.linalg.eigsh: mode must be", function() linalg.eigsh(A, 2, { mode = "x" }) end)
  end)
end)

describe("eigs", function()
  it("finds eigenvalues of general matrices", function()
    -- blocks with the eigenvalues j +- i j / 10
    local main, above, below = {}, {}, {}
    for k = 1, 80 do
      local j = math.floor((k + 1) / 2)
      main[k], above[k], below[k] = j, k % 2 == 1 and j / 10 or 0.5, k % 2 == 1 and -j / 10 or 0
    end
    for dtype, tolerance in pairs(TOLERANCE) do
      local sides = { cp.array(below)[{ { 1, 79 } }], cp.array(main), cp.array(above)[{ { 1, 79 } }] }
      local A = sp.diags(sides, { -1, 0, 1 }, { 80, 80 }):astype(dtype):tocsr()
      local values, V = linalg.eigs(A, 4, { which = "LR", ncv = 30 })
      local list = {}
      for k, v in ipairs(values:totable()) do list[k] = { v.re, math.abs(v.im) } end
      for k, want in ipairs { 40, 40, 39, 39 } do
        assert.is_true(math.abs(list[k][1] - want) < 1e3 * tolerance, dtype)
        assert.is_true(math.abs(list[k][2] - want / 10) < 1e3 * tolerance, dtype)
      end
      assert.equal(TOLERANCE[V.dtype], tolerance)
      check_vectors(A, values, V, 1e3 * tolerance)
      near(cp.sqrt(cp.sum(cp.square(cp.abs(V)), 1)), cp.ones(4), tolerance)
    end
  end)

  it("agrees with eigsh, and inverts about complex shifts", function()
    local A = laplacian(100, "float64")
    local values, V = linalg.eigs(A, 5, { which = "LM" })
    near(cp.flip(values.real), (linalg.eigsh(A, 5)), 1e-10)
    assert.equal(0, cp.max(cp.abs(values.imag)):item())
    check_vectors(A, values, V, 1e-9)
    if superlu.missing then return end
    local T = sp.random(100, 100, 0.05, { seed = 8 }) + sp.diags(cp.arange(100) / 25)
    local dense = cp.linalg.eig(T:toarray()):astype "complex128"
    local near_shift = linalg.eigs(T, 1, { sigma = cp.complex(1.5, 0.2) })[1]
    local distances = cp.abs(dense - near_shift)
    assert.is_true(cp.min(distances):item() < 1e-8)
  end)

  it("does not fail for defective matrices", function()
    local J = sp.diags({ cp.full({ 30 }, 2.0), cp.full({ 29 }, 1.0) }, { 0, 1 }):tocsr()
    local values = linalg.eigs(J, 2, { return_eigenvectors = false, tol = 1e-3, ncv = 30 })
    assert.is_true(values:has_shape(2))
  end)
end)

describe("svds", function()
  it("gives vectors that belong to the values", function()
    for dtype, tolerance in pairs(TOLERANCE) do
      for _, shape in ipairs { { 60, 40 }, { 40, 60 } } do
        local A = sp.random(shape[1], shape[2], 0.2, { seed = 3, dtype = dtype })
        local u, s, vh = linalg.svds(A, 4)
        near(A:dot(cp.conj(vh).T), u * s:astype(dtype), 10 * tolerance)
        near(cp.matmul(cp.conj(u).T, u), cp.eye(4), 10 * tolerance)
        near(cp.matmul(vh, cp.conj(vh).T), cp.eye(4), 10 * tolerance)
        local all = cp.linalg.svd(A:toarray(), { compute_uv = false })
        near(s, cp.flip(all)["37:40"], 100 * tolerance)
        local left, values, right = linalg.svds(A, 2, { return_singular_vectors = "u" })
        assert.is_nil(right)
        assert.is_true(left:has_shape(shape[1], 2) and values:has_shape(2))
      end
    end
  end)
end)

describe("svds by either solver", function()
  it("gives vectors that belong to the values, of tall and wide matrices and operators", function()
    for dtype, tolerance in pairs { float64 = 1e-10, complex128 = 1e-10 } do
      local A = shared.scattered(20, dtype)[{ {}, { 1, 12 } }]
      local want = cp.linalg.svd(A:toarray(), { compute_uv = false })
      for _, B in ipairs { A, A:conj().T } do
        local op = linalg.LinearOperator(B.shape,
          { matvec = function(x) return B:dot(x) end, rmatvec = function(x) return B:conj().T:dot(x) end })
        for _, solver in ipairs { "arpack", "lobpcg" } do
          for k, M in ipairs { B, dtype == "float64" and B:toarray() or op } do
            for which, range in pairs { [k == 1 and "SM" or "LM"] = k == 1 and "10:12" or "1:3" } do
              local o = { which = which, solver = solver, maxiter = 60, tol = solver == "lobpcg" and 1e-6 or nil }
              local u, s, vh = linalg.svds(M, 3, o)
              near(cp.flip(s), want[range], tolerance)
              near(B:dot(cp.conj(vh).T), u * s, tolerance * 100)
              near(cp.matmul(cp.conj(u).T, u), cp.eye(3), tolerance)
              near(cp.matmul(vh, cp.conj(vh).T), cp.eye(3), tolerance)
            end
          end
        end
      end
    end
  end)

  it("begins as v0 or rng says, and returns the vectors that are wanted", function()
    local A = shared.scattered(30, "float64")
    local function once(options)
      options.tol, options.maxiter, options.solver, options.k = 1e-12, 1, "lobpcg", options.k or 2
      return linalg.svds(A, options)
    end
    local _, s = once { rng = 3 }
    local _, same = once { rng = cp.random.default_rng(3) }
    local _, other = once { rng = 4 }
    assert.is_true(cp.array_equal(s, same))
    assert.is_false(cp.array_equal(s, other))
    -- one step from a singular vector stays there
    local U, want, Vh = cp.linalg.svd(A:toarray())
    local u, found, vh = once { v0 = Vh[4], k = 1 }
    near(found, want["4:4"], 1e-12)
    near(cp.abs(cp.sum(u:reshape(-1) * U[":,4"])), cp.array(1), 1e-12)
    assert.is_true(vh:has_shape(1, 30))
    u, s, vh = linalg.svds(A, 2, { return_singular_vectors = "u" })
    assert.is_true(u:has_shape(30, 2) and vh == nil)
    near(cp.flip(s), want["1:2"], 1e-12)
    u, s, vh = linalg.svds(A, 2, { return_singular_vectors = "vh", solver = "lobpcg", maxiter = 300 })
    assert.is_true(vh:has_shape(2, 30) and u == nil)
    near(cp.flip(s), want["1:2"], 1e-9)
    failure("usage", 'scipy.sparse.linalg.svds: solver must be "arpack" or "lobpcg", not "propack"',
      function() local _ = linalg.svds(A, 2, { solver = "propack" }) end)
    failure("usage", "scipy.sparse.linalg.svds: solver 'lobpcg' begins with k vectors, so v0 needs k = 1",
      function() local _ = linalg.svds(A, 2, { solver = "lobpcg", v0 = Vh[1] }) end)
    failure("usage", "scipy.sparse.linalg.svds: k must be between 1 and 29, not 30",
      function() local _ = linalg.svds(A, 30, { solver = "lobpcg" }) end)
    failure("shape", "scipy.sparse.linalg.svds: v0 has 3 elements, not 30",
      function() local _ = linalg.svds(A, 1, { solver = "lobpcg", v0 = { 1, 2, 3 } }) end)
    failure("usage", "scipy.sparse.linalg.svds: seed must be a whole number, not boolean",
      function() local _ = linalg.svds(A, 2, { rng = true }) end)
  end)
end)

describe("rng", function()
  it("seeds the vector that eigsh and eigs begin with", function()
    local A = laplacian(N, "float64")
    for _, name in ipairs { "eigsh", "eigs" } do
      -- a loose tolerance, so that the start matters
      local function once(rng) return (linalg[name](A, 2, { tol = 1e-2, rng = rng })) end
      assert.is_true(cp.array_equal(once(7), once(cp.random.default_rng(7))))
      assert.is_false(cp.array_equal(once(7), once(8)))
      assert.is_true(cp.array_equal(once(nil), once(nil)))
    end
  end)
end)

describe("lobpcg", function()
  local function start(n, k, dtype) return cp.random.default_rng(1):random({ n, k }):astype(dtype) - 0.5 end

  it("finds both ends of the spectrum", function()
    for dtype, tolerance in pairs(TOLERANCE) do
      local A = laplacian(60, dtype)
      local options = { tol = dtype:find "32" and 1e-3 or dtype == "complex64" and 1e-3 or 1e-9, maxiter = 200 }
      local values, V, info = linalg.lobpcg(A, start(60, 4, dtype), options)
      assert.equal(0, info)
      assert.equal(dtype, V.dtype)
      near(cp.flip(values), exact(60, { 57, 58, 59, 60 }), tolerance)
      options.largest = false
      values, V, info = linalg.lobpcg(A, start(60, 4, dtype), options)
      assert.equal(0, info)
      near(values, exact(60, { 1, 2, 3, 4 }), tolerance)
      check_vectors(A, values, V, options.tol, false)
      near(cp.matmul(cp.conj(V).T, V), cp.eye(4), tolerance * 10)
    end
  end)

  it("takes a metric, a preconditioner and constraints", function()
    local A, B = laplacian(60, "float64"), sp.diags(cp.arange(60) / 30 + 1):tocsr()
    local options = { tol = 1e-9, maxiter = 200, largest = false, B = B, M = linalg.ic0(A) }
    local values, V, info = linalg.lobpcg(A, start(60, 3, "float64"), options)
    assert.equal(0, info)
    near(A:dot(V), B:dot(V) * values, 1e-8)
    near(cp.matmul(V.T, B:dot(V)), cp.eye(3), 1e-10)
    options.Y = V["::, 1:2"]
    local rest = linalg.lobpcg(A, start(60, 2, "float64"), options)
    near(rest[1], values[3], 1e-9)
  end)

  it("tells what happened at each step", function()
    local A, X = laplacian(20, "float32"), start(20, 3, "float32")
    local values, V, info, lambdas, norms = linalg.lobpcg(A, X,
      { tol = 1e-4, maxiter = 100, retLambdaHistory = true, retResidualNormsHistory = true })
    assert.equal(0, info)
    local steps = lambdas.shape[1]
    assert.is_true(lambdas:has_shape(steps, 3) and norms:has_shape(steps, 3))
    assert.same({ "float32", "float32" }, { lambdas.dtype, norms.dtype })
    assert.is_true(cp.array_equal(lambdas[steps], values))
    near(norms[steps], cp.linalg.norm(A:dot(V) - V * values, { axis = 1 }), 1e-5)
    assert.is_true(cp.max(norms[steps]):item() <= 1e-4 and cp.max(norms[steps - 1]):item() > 1e-4)
    -- before the first step: what the block itself says
    local Q = cp.linalg.qr(X:astype "float64")
    near(lambdas[1], cp.flip(cp.linalg.eigvalsh(cp.matmul(Q.T, A:astype("float64"):dot(Q)))), 1e-5)
    local _, _, count, only = linalg.lobpcg(A, X, { tol = 0, maxiter = 4, retResidualNormsHistory = true })
    assert.equal(4, count)
    near(only, norms["1:5"], 1e-5)
  end)

  it("gives up its directions where residuals grow", function()
    -- every step begins anew: the steepest descent, which takes more steps but gets there
    local A, X = laplacian(8, "float64"), start(8, 2, "float64")
    local values, _, info = linalg.lobpcg(A, X, { tol = 1e-5, maxiter = 100, restartControl = -1000 })
    assert.equal(0, info)
    near(cp.flip(values), exact(8, { 7, 8 }), 1e-9)
  end)

  it("handles blocks as large as the matrix, and says when it did not converge", function()
    local A = laplacian(6, "float64")
    local values, _, info = linalg.lobpcg(A, start(6, 5, "float64"), { tol = 1e-10 })
    assert.equal(0, info)
    near(cp.flip(values), exact(6, { 2, 3, 4, 5, 6 }), 1e-10)
    _, _, info = linalg.lobpcg(laplacian(60, "float64"), start(60, 2, "float64"), { tol = 1e-12, maxiter = 3 })
    assert.equal(3, info)
    failure("usage", "scipy.sparse.linalg.lobpcg: the columns of X are linearly dependent",
      function() local _ = linalg.lobpcg(A, cp.ones { 6, 2 }) end)
    failure("shape", "scipy.sparse.linalg.lobpcg: A must be (5, 5), not (6, 6)",
      function() local _ = linalg.lobpcg(A, cp.ones { 5, 2 }) end)
  end)
end)

describe("expm_multiply", function()
  it("is exact for diagonal matrices, also large ones", function()
    local d = cp.array { -30, -2, 0, 0.5, 3 }
    for dtype, tolerance in pairs { float64 = 1e-12, float32 = 1e-5, complex128 = 1e-12 } do
      local y = linalg.expm_multiply(sp.diags(d:astype(dtype)), cp.ones(5, dtype))
      assert.equal(dtype, y.dtype)
      near(y, cp.exp(d), tolerance * 20)
      y = linalg.expm_multiply(sp.diags(d:astype(dtype)), cp.ones({ 5, 2 }, dtype), { traceA = 0 })
      assert.is_true(y:has_shape(5, 2))
    end
  end)

  it("turns vectors by skew matrices, at several times", function()
    local R = sp.csr_array { { 0, -1 }, { 1, 0 } }
    local y = linalg.expm_multiply(R, { 1, 0 }, { start = 0, stop = math.pi, num = 5 })
    for k = 1, 5 do
      local angle = (k - 1) * math.pi / 4
      near(y[k], cp.array { math.cos(angle), math.sin(angle) }, 1e-14)
    end
    assert.is_true(linalg.expm_multiply(R, { 1, 0 }, 0, 1):has_shape(50, 2))
    near(linalg.expm_multiply(sp.csr_array { 2, 2 }, { 3, 4 }), cp.array { 3, 4 }, 0)
  end)
end)
