-- Steps of Gram's and Schmidt's method in one call (core.orthogonalise), and by the products of which they
-- consist elsewhere: what they must leave follows from their definition.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local shared = require "spec.helper.sparse"
local superlu = require "spec.helper.superlu"

local sp = cp.sparse
local linalg = sp.linalg
local near, failure = shared.near, check.failure

-- A matrix with `lines` orthonormal rows of length n and one more.
local function basis(lines, n, dtype)
  local Q = cp.linalg.qr(shared.vector({ n, lines }, "float64", 3))
  return cp.concatenate({ Q.T, cp.full({ 1, n }, 7) }, 1):astype(dtype)
end

describe("core.orthogonalise", function()
  if cp.device().name ~= "cpu" then return end

  it("splits a vector into parts along others and a unit vector", function()
    for dtype, tolerance in pairs { float64 = 2e-13, float32 = 2e-4 } do
      -- one block of places and several, with a rest; more lines than are added up at once; work for threads
      for _, size in ipairs { { 1, 1 + 1 }, { 3, 40 }, { 5, 1024 }, { 7, 2500 }, { 33, 1100 }, { 70, 4099 } } do
        local lines, n = size[1], size[2]
        local V = basis(lines, n, dtype)
        local before = V:copy()
        local w = shared.vector({ n }, dtype, 5)
        local copy = w:copy()
        local parts = core.orthogonalise("spec", V, lines, w, 1)
        assert.equal(lines + 1, #parts)
        assert.is_true(cp.array_equal(w, copy))
        local rows, last = V["1:" .. lines], V[lines + 1]
        assert.is_true(cp.array_equal(rows, before["1:" .. lines]))
        local h = cp.matmul(rows:astype "float64", w:astype "float64")
        near(cp.array(parts)["1:" .. lines], h, tolerance)
        rows, last, w = rows:astype "float64", last:astype "float64", w:astype "float64"
        near(cp.matmul(h, rows) + last * parts[lines + 1], w, tolerance)
        near(cp.matmul(rows, last), cp.zeros(lines), tolerance / 10)
        near(cp.sum(cp.square(last)), cp.array(1), tolerance / 10)
      end
    end
  end)

  it("finds parts along the lines before the first one, too", function()
    local V, w = basis(6, 300, "float64"), shared.vector({ 300 }, "float64", 5)
    local h = cp.matmul(V["1:6"], w)
    near(cp.array(core.orthogonalise("spec", V, 6, w, 5))["1:6"], h, 1e-14)
    near(cp.matmul(V["1:6"], V[7]), cp.zeros(6), 1e-15)
  end)

  it("takes rounding errors out where little is left", function()
    local V, noise = basis(6, 300, "float64"), shared.vector({ 300 }, "float64", 8)
    for _, first in ipairs { 1, 6 } do
      local parts = core.orthogonalise("spec", V, 6, V[2] * 3 + V[6] + noise * 1e-11, first)
      assert.is_true(parts[7] > 1e-12 and parts[7] < 1e-9)
      near(cp.matmul(V["1:6"], V[7]), cp.zeros(6), 3e-16)
      near(cp.sum(cp.square(V[7])), cp.array(1), 1e-14)
    end
  end)

  it("says 0 where nothing is left", function()
    local V = cp.eye(3)
    assert.same({ 2, 0, 0 }, core.orthogonalise("spec", V, 2, cp.array { 2, 0, 0 }, 1))
    near(V[3], cp.zeros(3), 0)
  end)

  it("checks what it is given", function()
    local V, w = cp.eye(4), cp.ones(4)
    assert.is_nil((core.orthogonalise("spec", V:astype "complex128", 1, w, 1)))
    for _, bad in ipairs { { 0, 1 }, { 4, 1 }, { 2, 3 }, { 2, 0 } } do
      failure("usage", "spec: lines or first is out of range",
        function() core.orthogonalise("spec", V, bad[1], w, bad[2]) end)
    end
    failure("usage", "spec: w must be a vector that fits the basis",
      function() core.orthogonalise("spec", V, 1, cp.ones(3), 1) end)
    failure("usage", "spec: the basis must be a contiguous matrix",
      function() core.orthogonalise("spec", V["1:4, 1:3"], 1, cp.ones(3), 1) end)
  end)
end)

describe("eigenvectors", function()
  it("are orthonormal where the subspace ends early, in all dtypes and with a metric", function()
    -- from a sum of few eigenvectors the subspace goes on with random vectors
    local n, d = 40, cp.arange(40) + 1
    local v0 = cp.where(cp.less(cp.arange(n), 5), 1, 1e-12)
    for dtype, tolerance in pairs { float64 = 1e-13, complex128 = 1e-13, complex64 = 1e-5 } do
      for _, M in ipairs(superlu.missing and { false } or { false, sp.diags(cp.full({ n }, 2)):astype(dtype) }) do
        local o = { which = "LA", ncv = 12, v0 = v0:astype(dtype), M = M or nil }
        local values, V = linalg.eigsh(sp.diags(d:astype(dtype)), 3, o)
        near(values * (M and 2 or 1), cp.array { 38, 39, 40 }, tolerance * 100)
        near(cp.matmul(cp.conj(V).T, V) * (M and 2 or 1), cp.eye(3), tolerance * 10)
      end
    end
  end)

  it("are orthonormal even where the matrix is not hermitian", function()
    for dtype, tolerance in pairs { float64 = 1e-13, complex128 = 1e-13 } do
      local u, v = shared.vector({ 12 }, dtype, 1), shared.vector({ 12 }, dtype, 2)
      local d = cp.arange(12):astype(dtype)
      local function times(x) return d * x + v * (cp.sum(u * x) * 1e7) end
      local A = linalg.LinearOperator({ 12, 12 }, times, { dtype = dtype })
      local _, V = linalg.eigsh(A, 4, { ncv = 12 })
      near(cp.matmul(cp.conj(V).T, V), cp.eye(4), tolerance)
    end
  end)

  it("are orthonormal in large subspaces, with the metric's product as well", function()
    local n = 2100
    local A, B = shared.laplacian(n, "float64"), sp.diags(cp.arange(n) / n + 1):tocsr()
    local values, V = linalg.eigsh(A, 3, { ncv = 64, tol = 1e-6 })
    near(cp.matmul(V.T, V), cp.eye(3), 1e-13)
    near(A:dot(V), V * values, 1e-5)
    if not superlu.missing then
      values, V = linalg.eigsh(A, 3, { M = B, ncv = 64, tol = 1e-6 })
      near(cp.matmul(V.T, B:dot(V)), cp.eye(3), 1e-13)
      near(A:dot(V), B:dot(V) * values, 1e-5)
    end
  end)
end)
