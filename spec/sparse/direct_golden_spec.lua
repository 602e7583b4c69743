-- Direct solvers: what splu and spilu give, and right sides of every kind. Results beside SciPy's are in
-- linalg_golden_spec.lua.

local cp = require "cupola"
local shared = require "spec.helper.sparse"

local sp = cp.sparse
local linalg = sp.linalg
local near, matrix, vector = shared.near, shared.scattered, shared.vector
local with_superlu = shared.with_superlu { it = it, pending = pending }

local DTYPES = { float32 = 1e-4, float64 = 1e-11, complex64 = 1e-4, complex128 = 1e-11 }

-- The 5-point Laplacian of a square.
local function laplacian(side)
  local line = sp.diags({ cp.full({ side - 1 }, -1.0), cp.full({ side }, 2.0), cp.full({ side - 1 }, -1.0) },
    { -1, 0, 1 }, { side, side })
  return sp.kronsum(line, line, "csr")
end

describe("splu", function()
  with_superlu("gives factors of the moved matrix", function()
    for dtype, tolerance in pairs(DTYPES) do
      local A = matrix(60, dtype)
      for _, order in ipairs { "COLAMD", "MMD_AT_PLUS_A", "MMD_ATA", "NATURAL" } do
        local lu = linalg.splu(A, { permc_spec = order })
        local L, U = lu.L, lu.U
        assert.equal("csc", L.format)
        assert.equal(dtype, U.dtype)
        assert.equal(lu.nnz, L.nnz + U.nnz)
        near(sp.triu(L):toarray(), cp.eye(60), 0)
        assert.equal(0, sp.tril(U, -1).nnz)
        -- row perm_r[i] of L U is row i of A
        local moved = L:dot(U):toarray()
        near(cp.take(cp.take(moved, lu.perm_r, 1), lu.perm_c, 2), A:toarray(), tolerance)
        if order == "NATURAL" then assert.same(cp.arange(1, 61):totable(), lu.perm_c:totable()) end
      end
      assert.equal("(60, 60)", tostring(linalg.splu(A).shape))
    end
  end)

  with_superlu("solves for vectors and matrices of any layout and dtype", function()
    local A = matrix(50, "float64")
    local lu, dense = linalg.splu(A), A:toarray()
    local X = vector({ 50, 6 }, "float64", 1)
    for trans, op in pairs { N = dense, T = dense.T, H = dense.T } do
      near(lu:solve(cp.matmul(op, X), trans), X, 1e-10)
      near(lu:solve(cp.asfortranarray(cp.matmul(op, X)), { trans = trans }), X, 1e-10)
      near(lu:solve(cp.matmul(op, X)["::, ::-2"], trans), X["::, ::-2"], 1e-10)
      local z = vector({ 50 }, "complex128", 2)
      near(lu:solve(cp.matmul(op:astype "complex128", z), trans), z, 1e-10)
    end
    near(lu:solve(cp.matmul(dense, X) * 2 + 0), X * 2, 1e-10) -- a pending right side
    local whole = cp.arange(50) - 20
    near(lu:solve(whole), cp.linalg.solve(dense, whole:astype "float64"), 1e-10)
    assert.equal("(50, 0)", tostring(lu:solve(cp.zeros { 50, 0 }).shape))
    assert.equal("float32", linalg.splu(A:astype "float32"):solve(X).dtype)
  end)

  with_superlu("solves a large system", function()
    local A = laplacian(60)
    local x = vector({ 3600 }, "float64", 3)
    near(linalg.splu(A, { permc_spec = "MMD_AT_PLUS_A", diag_pivot_thresh = 0, options = { SymmetricMode = true } })
      :solve(A:dot(x)), x, 1e-11)
    near(linalg.spsolve(A, A:dot(x)), x, 1e-11)
  end)
end)

describe("spilu", function()
  with_superlu("is a preconditioner", function()
    local A = laplacian(40)
    local x = vector({ 1600 }, "float64", 5)
    local b = A:dot(x)
    local ilu = linalg.spilu(A, { drop_tol = 1e-2, fill_factor = 5, drop_rule = "basic,area" })
    assert.is_true(ilu.nnz < linalg.splu(A).nnz)
    for _, name in ipairs { "bicgstab", "gmres", "bicg", "cgs" } do
      local with, without = 0, 0
      local y, info = linalg[name](A, b, { M = ilu, rtol = 1e-10, callback = function() with = with + 1 end })
      assert.equal(0, info)
      near(y, x, 1e-6)
      linalg[name](A, b, { rtol = 1e-10, callback = function() without = without + 1 end })
      assert.is_true(with < without, name .. " took " .. with .. " and " .. without)
    end
    near(linalg.aslinearoperator(linalg.splu(A)):matvec(b), x, 1e-11)
  end)

  with_superlu("drops by every rule as in SciPy", function()
    local A = laplacian(20)
    -- the greatest residuals of SciPy's factors
    local RESIDUALS = { basic = 0.3820164063633, prows = 7.7777043917267, column = 8.4592299348661,
      ["basic,area"] = 0.3820164063633, dynamic = 26.960824853161 }
    for rule, residual in pairs(RESIDUALS) do
      local b = cp.ones(400)
      local r = cp.max(cp.abs(A:dot(linalg.spilu(A, 1e-3, 8, rule):solve(b)) - b)):item()
      assert.is_true(math.abs(r - residual) < 1e-6, rule)
    end
    assert.equal(linalg.spilu(A, 1e-3, 8, { "basic", "area" }).nnz, linalg.spilu(A, 1e-3, 8).nnz)
  end)
end)

describe("spsolve", function()
  with_superlu("keeps a sparse right side sparse", function()
    for _, dtype in ipairs { "float64", "complex64" } do
      local A, B = matrix(40, dtype), sp.random(40, 7, 0.1, { seed = 6, dtype = dtype, format = "csr" })
      local X = linalg.spsolve(A:tocsr(), B)
      assert.equal("csr", X.format)
      assert.equal("csc", linalg.spsolve(A, B).format)
      near(A:dot(X):toarray(), B:toarray(), DTYPES[dtype])
      local column = B["::, 1:1"]
      local x = linalg.spsolve(A, column)
      assert.is_true(x:has_shape(40))
      near(A:dot(x), column:toarray():reshape(-1), DTYPES[dtype])
    end
    local A = matrix(12, "float64")
    near(linalg.inv(A):dot(A):toarray(), cp.eye(12), 1e-11)
    assert.is_true(linalg.spsolve(A, cp.ones { 12, 1 }):has_shape(12))
    assert.equal("complex128", linalg.spsolve(A, cp.ones({ 12 }, "complex128")).dtype)
  end)
end)

describe("incomplete factors in the places of the matrix", function()
  it("are exact where nothing would be filled", function()
    for dtype, tolerance in pairs(DTYPES) do
      local up = dtype:find "complex" and cp.complex(-1, 0.5) or -1
      local down = dtype:find "complex" and cp.complex(-1, -0.5) or -1
      local function of(v, n) return cp.full({ n }, v, { dtype = dtype }) end
      local A = sp.diags({ of(down, 29), of(4, 30), of(up, 29) }, { -1, 0, 1 }, { 30, 30 })
      local x = vector({ 30, 2 }, dtype, 1)
      for _, name in ipairs { "ilu0", "ic0" } do
        local M = linalg[name](A:tocsc())
        assert.equal(dtype, M.dtype)
        near(M:matmat(A:dot(x)), x, tolerance)
        near(M:matvec(A:dot(x)["::, 1"]), x["::, 1"], tolerance)
        near(M:rmatvec(A:dot(x)["::, 2"]), x["::, 2"], tolerance) -- A is hermitian
      end
    end
    local T = sp.csr_array { { 2, 1, 0 }, { 3, 5, 2 }, { 0, 1, 4 } }
    local M = linalg.ilu0(T)
    near(M:rmatvec(T.T:dot(cp.array { 1, 2, 3 })), cp.array { 1, 2, 3 }, 1e-14)
  end)

  it("speed solvers up", function()
    local A = laplacian(40)
    local x = vector({ 1600 }, "float64", 2)
    local counts = {}
    for name, M in pairs { none = false, ilu0 = linalg.ilu0(A), ic0 = linalg.ic0(A) } do
      counts[name] = 0
      local y, info = linalg.cg(A, A:dot(x), { M = M or nil, rtol = 1e-10,
        callback = function() counts[name] = counts[name] + 1 end })
      assert.equal(0, info)
      near(y, x, 1e-7)
    end
    assert.is_true(counts.ilu0 < counts.none / 2 and counts.ic0 < counts.none / 2)
  end)
end)
