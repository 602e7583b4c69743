-- Iterative solvers against known solutions, in every dtype, with and without a preconditioner, a start and
-- functions for the matrix. What else they do is in linalg_spec.lua.

local cp = require "cupola"
local shared = require "spec.helper.sparse"

local sp = cp.sparse
local linalg = sp.linalg

local N = 40
local near, vector = shared.near, shared.vector
local function matrix(dtype, hermitian) return shared.tridiagonal(N, dtype, hermitian) end

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
