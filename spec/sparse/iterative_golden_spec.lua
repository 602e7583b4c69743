-- Iterative solvers against known solutions, in every dtype, with and without a preconditioner, a start and
-- functions for the matrix. What else they do is in linalg_spec.lua.

local cp = require "cupola"

local sp = cp.sparse
local linalg = sp.linalg

local N = 40

local function vector(n, dtype, seed)
  local rng = cp.random.default_rng(seed)
  local x = rng:random { n } - 0.5
  if dtype:find "complex" then x = x + (rng:random { n } - 0.5) * cp.j end
  return x:astype(dtype)
end

-- A tridiagonal matrix: hermitian and positive definite, or neither.
local function matrix(dtype, hermitian)
  local up, down = -1, hermitian and -1 or 0.5
  if dtype:find "complex" then
    up, down = cp.complex(-1, 0.5), hermitian and cp.complex(-1, -0.5) or cp.complex(0, 1)
  end
  local function of(v, n) return cp.full({ n }, v, { dtype = dtype }) end
  return sp.diags({ of(down, N - 1), of(3, N), of(up, N - 1) }, { -1, 0, 1 }, { N, N }):tocsr()
end

local function near(x, y, tolerance)
  local far = cp.max(cp.abs(x - y)):item()
  assert.is_true(far <= tolerance, ("%g is more than %g"):format(far, tolerance))
end

local DTYPES = { float32 = { 1e-5, 1e-4 }, float64 = { 1e-10, 1e-8 }, complex64 = { 1e-5, 1e-4 },
  complex128 = { 1e-10, 1e-8 } }

describe("iterative solvers", function()
  for _, name in ipairs { "cg", "minres", "bicg", "bicgstab", "cgs", "gmres" } do
    it(name .. " finds known solutions", function()
      for dtype, bounds in pairs(DTYPES) do
        local A = matrix(dtype, name == "cg" or name == "minres")
        local x = vector(N, dtype, 3)
        local b = A:dot(x)
        for _, M in ipairs { false, linalg.jacobi(A) } do
          local y, info = linalg[name](A, b, { rtol = bounds[1], M = M or nil })
          assert.equal(0, info, dtype)
          assert.equal(dtype, y.dtype)
          near(y, x, bounds[2])
        end
        local y, info = linalg[name](A:tocsc(), b, { rtol = bounds[1], x0 = x })
        assert.equal(0, info)
        near(y, x, bounds[2])
        if name ~= "bicg" then -- which needs the adjoint
          near((linalg[name](function(v) return A:dot(v) end, b, { rtol = bounds[1] })), x, bounds[2])
        end
        near(linalg[name](A:toarray(), b, { rtol = bounds[1] }), x, bounds[2])
      end
    end)
  end
end)
