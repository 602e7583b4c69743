-- Matrices, vectors and comparisons that several specs of sparse arrays have in common.

local cp = require "cupola"
local assert = require "luassert"
local superlu = require "spec.helper.superlu"

local sp = cp.sparse
local sparse = {}

-- Fails unless no element of x is farther from y's than `tolerance`.
function sparse.near(x, y, tolerance)
  local far = cp.max(cp.abs(x - y)):item()
  assert.is_true(far <= tolerance, ("%g is more than %g"):format(far, tolerance))
end

-- Numbers from -0.5 to 0.5, complex ones in both parts.
function sparse.vector(shape, dtype, seed)
  local rng = cp.random.default_rng(seed)
  local x = rng:random(shape) - 0.5
  if dtype:find "complex" then x = x + (rng:random(shape) - 0.5) * cp.j end
  return x:astype(dtype)
end

-- A csc matrix with a tenth of its places filled at random, and a large diagonal.
function sparse.scattered(n, dtype)
  local A = sp.random(n, n, 0.1, { seed = 4, dtype = dtype }) - sp.random(n, n, 0.05, { seed = 5, dtype = dtype })
  return (A + sp.eye(n, n, 0, dtype) * 2):tocsc()
end

-- The 3-point Laplacian, whose eigenvalue j is 4 sin(pi j / (2 (n + 1))) ^ 2.
function sparse.laplacian(n, dtype)
  local function of(v, m) return cp.full({ m }, v, { dtype = dtype }) end
  return sp.diags({ of(-1, n - 1), of(2, n), of(-1, n - 1) }, { -1, 0, 1 }, { n, n }):tocsr()
end

-- A matrix of three diagonals, with which iterations converge; Hermitian or not.
function sparse.tridiagonal(n, dtype, hermitian)
  local up, down = -1, hermitian and -1 or 0.5
  if dtype:find "complex" then
    up, down = cp.complex(-1, 0.5), hermitian and cp.complex(-1, -0.5) or cp.complex(0, 1)
  end
  local function of(v, m) return cp.full({ m }, v, { dtype = dtype }) end
  return sp.diags({ of(down, n - 1), of(3, n), of(up, n - 1) }, { -1, 0, 1 }, { n, n }):tocsr()
end

-- The function it(text, f) for specs that need SuperLU. busted: what a spec calls it and pending.
function sparse.with_superlu(busted)
  return function(text, f)
    busted.it(text, function()
      if superlu.missing then return busted.pending(superlu.missing) end
      f()
    end)
  end
end

return sparse
