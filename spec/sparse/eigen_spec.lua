-- eigsh, eigs and expm_multiply of small matrices, without convergence, and with bad arguments. Other results
-- are in eigen_golden_spec.lua and linalg_golden_spec.lua.

local cp = require "cupola"
local shared = require "spec.helper.sparse"
local check = require "spec.helper.check"
local failure = check.failure

local sp = cp.sparse
local linalg = sp.linalg
local near, laplacian = shared.near, shared.laplacian

local N = 40

describe("eigsh", function()
  it("restarts", function()
    local values, V = linalg.eigsh(laplacian(12, "float64"), 2, { ncv = 5 })
    for k = 1, 2 do assert.is_true(math.abs(values[k] - 4 * math.sin(math.pi * (10 + k) / 26) ^ 2) < 1e-12) end
    near(laplacian(12, "float64"):dot(V), V * values, 1e-11)
  end)

  it("keeps subspaces whose eigenvectors are nearly dependent", function()
    for _, dtype in ipairs { "float64", "complex128" } do
      local A = (sp.diags(cp.arange(30) / 10 + 1) + sp.eye(30, 30, 1)):astype(dtype):tocsr()
      local values, V = linalg.eigs(A, 3, { ncv = 12 })
      near(values, cp.array { 3.9, 3.8, 3.7 }, 1e-6)
      near(A:dot(V), V * values, 1e-11)
    end
  end)

  it("says what has converged where it does not", function()
    local A = laplacian(N, "float64")
    failure("usage", "scipy.sparse.linalg.eigsh: no convergence in 2 restarts: 0 of 4 eigenvalues have converged",
      function() local _ = linalg.eigsh(A, 4, { which = "SA", maxiter = 2, ncv = 7 }) end)
    local split = sp.diags(cp.concatenate { cp.array { 100 }, cp.arange(199) / 199 })
    failure("usage", "scipy.sparse.linalg.eigsh: no convergence in 1 restarts: 1 of 3 eigenvalues have converged (1",
      function() local _ = linalg.eigsh(split, 3, { maxiter = 1, ncv = 12 }) end)
  end)

  it("refuses what it cannot do", function()
    local A = laplacian(10, "float64")
    failure("usage", "scipy.sparse.linalg.eigsh: k must be between 1 and 9, not 10",
      function() local _ = linalg.eigsh(A, 10) end)
    failure("usage", "scipy.sparse.linalg.eigsh: ncv must be between 4 and 10, not 3",
      function() local _ = linalg.eigsh(A, 3, { ncv = 3 }) end)
    failure("usage", 'scipy.sparse.linalg.eigsh: which must be "LM", "SM", "LA", "SA" or "BE"',
      function() local _ = linalg.eigsh(A, 3, { which = "LR" }) end)
    failure("usage", "scipy.sparse.linalg.eigsh: v0 must not be 0, infinite or NaN",
      function() local _ = linalg.eigsh(A, 3, { v0 = cp.zeros(10) }) end)
    failure("shape", "scipy.sparse.linalg.eigsh: v0 has 3 elements, not 10",
      function() local _ = linalg.eigsh(A, 3, { v0 = { 1, 2, 3 } }) end)
    failure("shape", "scipy.sparse.linalg.eigsh: A must be square, not (2, 3)",
      function() local _ = linalg.eigsh(sp.csr_array { 2, 3 }, 1) end)
    failure("usage", "scipy.sparse.linalg.eigsh: a product with A is infinite or NaN",
      function() local _ = linalg.eigsh(A * (0 / 0), 2) end)
    failure("usage", "scipy.sparse.linalg.eigsh: sigma must be a real number",
      function() local _ = linalg.eigsh(A, 2, { sigma = cp.complex(1, 2) }) end)
    failure("usage", "scipy.sparse.linalg.eigsh: A must be a matrix, because it is factorised",
      function() local _ = linalg.eigsh(linalg.aslinearoperator(A), 2, { sigma = 1 }) end)
  end)
end)

describe("eigs", function()
  it("takes the smallest subspaces", function()
    local R = sp.csr_array { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 0.5 } }
    near(cp.abs((linalg.eigs(R, 1))), cp.array { 1 }, 1e-13)
    near(cp.abs((linalg.eigs(R, 2, { ncv = 3 }))), cp.array { 1, 1 }, 1e-13)
    near((linalg.eigs(sp.diags(cp.arange(6) + 1), 1, { ncv = 3 })), cp.array { 6 }, 1e-9)
    failure("usage", "scipy.sparse.linalg.eigs: ncv must be between 3 and 6, not 2",
      function() local _ = linalg.eigs(sp.eye(6), 1, { ncv = 2 }) end)
  end)

  it("restarts", function()
    local A = laplacian(12, "float64") + sp.diags(cp.full({ 10 }, 1.5), 2) - sp.diags(cp.full({ 10 }, 1.5), -2)
    local values, V = linalg.eigs(A, 2, { ncv = 6, which = "LI" })
    near(A:dot(V), V * values, 1e-10)
    near(cp.abs(values.imag), cp.sort(cp.abs(cp.linalg.eigvals(A:toarray()).imag))["11:12"], 1e-10)
  end)

  it("says what has converged where it does not", function()
    failure("usage", "scipy.sparse.linalg.eigs: no convergence in 1 restarts: 0 of 3 eigenvalues have converged",
      function() local _ = linalg.eigs(laplacian(N, "float64"), 3, { which = "SM", maxiter = 1, ncv = 8 }) end)
    failure("usage", 'scipy.sparse.linalg.eigs: which must be "LM", "SM", "LR", "SR", "LI" or "SI"',
      function() local _ = linalg.eigs(sp.eye(8), 3, { which = "LA" }) end)
  end)
end)

describe("expm_multiply", function()
  it("refuses what it cannot do", function()
    failure("shape", "scipy.sparse.linalg.expm_multiply: B must have 2 rows, not shape (3)",
      function() local _ = linalg.expm_multiply(sp.eye(2), { 1, 2, 3 }) end)
    failure("usage", "scipy.sparse.linalg.expm_multiply: A has elements that are infinite or NaN",
      function() local _ = linalg.expm_multiply(sp.eye(2) * math.huge, { 1, 2 }) end)
    failure("usage", "scipy.sparse.linalg.expm_multiply: start and stop must be given together",
      function() local _ = linalg.expm_multiply(sp.eye(2), { 1, 2 }, { num = 3 }) end)
  end)
end)
