-- Direct solvers: formats, singular matrices, bad arguments. Results are in direct_golden_spec.lua and
-- linalg_golden_spec.lua.

local cp = require "cupola"
local shared = require "spec.helper.sparse"
local check = require "spec.helper.check"
local failure = check.failure

local sp = cp.sparse
local linalg = sp.linalg
local near, matrix, vector = shared.near, shared.scattered, shared.vector
local with_superlu = shared.with_superlu { it = it, pending = pending }

describe("splu", function()
  with_superlu("takes every format, unsorted and repeated entries, and whole numbers", function()
    local A = sp.coo_array({ { 4, -2, 1, 5, 2, 1 }, { { 2, 1, 1, 3, 1, 3 }, { 2, 1, 2, 3, 1, 1 } } },
      { shape = { 3, 3 } }) + sp.eye(3) * 3
    for _, format in ipairs { "csr", "csc", "coo", "dia" } do
      near(linalg.splu(A:asformat(format)):solve { 1, 2, 3 }, cp.linalg.solve(A:toarray(), cp.array { 1, 2, 3 }), 1e-14)
    end
    near(linalg.spsolve(A:toarray(), { 1, 2, 3 }), linalg.spsolve(A, { 1, 2, 3 }), 1e-14)
    local whole = sp.csr_array(cp.array({ { 2, 1 }, { 0, 4 } }, { dtype = "int32" }))
    near(linalg.splu(whole):solve { 4, 4 }, cp.array { 1.5, 1 }, 0)
  end)

  with_superlu("does not change with the matrix", function()
    local A = matrix(20, "float64")
    local x = vector({ 20 }, "float64", 8)
    local b, lu = A:dot(x), linalg.splu(A)
    A.data:fill(0)
    local L = lu.L
    L.data:fill(7)
    near(lu:solve(b), x, 1e-11)
  end)
end)

describe("SuperLU's work", function()
  -- Blocks of more and of fewer columns than those for which loops of cupola's replace BLAS.
  with_superlu("is right in dense blocks of every size and dtype", function()
    local TOLERANCES = { float32 = 1e-4, float64 = 1e-12, complex64 = 1e-4, complex128 = 1e-12 }
    for dtype, tolerance in pairs(TOLERANCES) do
      for _, n in ipairs { 1, 3, 40, 300 } do
        local A = vector({ n, n }, dtype, n) + cp.eye(n, { dtype = dtype }) * 3
        local b = vector({ n, 2 }, dtype, 7)
        local lu = linalg.splu(sp.csc_array(A))
        near(cp.matmul(A, lu:solve(b)), b, tolerance * n)
        near(cp.matmul(A.T, lu:solve(b[{ {}, 1 }], "T")), b[{ {}, 1 }], tolerance * n)
        near(cp.matmul(cp.conj(A.T), lu:solve(b, "H")), b, tolerance * n)
      end
    end
  end)

  with_superlu("gives canonical factors", function()
    local A = matrix(60, "float64")
    local lu = linalg.splu(A)
    local L, U = lu.L, lu.U
    assert.is_true(L.has_canonical_format and U.has_canonical_format)
    assert.equal(L.nnz + U.nnz, lu.nnz)
    local rows, columns = lu.perm_r:astype "int64", lu.perm_c:astype "int64"
    near(L:dot(U):toarray()[cp.ix_(rows, columns)], A:toarray(), 1e-12)
    assert.is_true(cp.all(cp.equal(L:diagonal(), 1)))
  end)

  with_superlu("leaves its large blocks to the pool, and needs none of it", function()
    cp.device("cpu"):with(function()
      local A = sp.kronsum(shared.laplacian(60), shared.laplacian(60)):tocsc():to "cpu"
      local b = cp.ones({ 3600 }, { device = "cpu" })
      local pool = cp.get_default_memory_pool() -- of the device that is the current one when it is asked
      local expected = linalg.spsolve(A, b)
      pool:free_all_blocks()
      local before = pool:total_bytes()
      near(linalg.spsolve(A, b), expected, 0)
      assert.is_true(pool:total_bytes() > before + 2 ^ 20)
      pool:free_all_blocks()
      local limit, bound = pool:get_limit(), pool:used_bytes() + 2 ^ 23
      pool:set_limit(bound) -- enough for the factors, but not for the work beside them
      local ok, lu = pcall(linalg.splu, A)
      local used = pool:total_bytes()
      pool:set_limit(limit)
      assert.is_true(ok and used <= bound)
      near(lu:solve(b), expected, 0)
    end)
  end)
end)

describe("singular matrices", function()
  with_superlu("are errors, by places and by values", function()
    local by_places = sp.csr_array { { 1, 0, 2 }, { 0, 0, 3 }, { 4, 0, 6 } }
    local by_rows = sp.csr_array { { 1, 0, 0 }, { 2, 0, 0 }, { 3, 1, 1 } }
    local by_values = sp.csr_array { { 1, 2 }, { 2, 4 } }
    for _, A in ipairs { by_places, by_rows, by_values } do
      failure("usage", "scipy.sparse.linalg.spilu: A is singular, or too many of its entries were dropped",
        function() local _ = linalg.spilu(A) end)
    end
    for _, name in ipairs { "splu", "factorized", "inv" } do
      local where = "scipy.sparse.linalg." .. name .. ": A is singular: there is no pivot for column "
      failure("usage", where .. "2", function() local _ = linalg[name](by_places) end)
      failure("usage", where, function() local _ = linalg[name](by_rows) end)
      failure("usage", where .. "2", function() local _ = linalg[name](by_values) end)
    end
    failure("usage", "scipy.sparse.linalg.spsolve: A is singular",
      function() local _ = linalg.spsolve(sp.csr_array { 3, 3 }, { 1, 2, 3 }) end)
  end)
end)

describe("a matrix without rows", function()
  it("has factors without entries, and solutions", function()
    for dtype, n in pairs { float64 = 2, complex64 = 3 } do
      local A = sp.csc_array({ 0, 0 }, { dtype = dtype })
      for _, name in ipairs { "splu", "spilu" } do
        local lu = linalg[name](A)
        assert.is_true(lu.shape[1] == 0 and lu.nnz == 0 and #lu.perm_r == 0 and #lu.perm_c == 0)
        assert.is_true(lu.L.shape[1] == 0 and lu.U.dtype == dtype)
        assert.is_true(lu:solve(cp.zeros { 0, n }):has_shape(0, n))
        assert.equal(dtype, lu:solve(cp.zeros(0, dtype), "T").dtype)
      end
      assert.is_true(linalg.factorized(A)(cp.zeros(0)):has_shape(0))
      assert.is_true(linalg.spsolve(A, cp.zeros(0)):has_shape(0))
      assert.is_true(linalg.spsolve(A, cp.zeros { 0, n }):has_shape(0, n))
      local x = linalg.spsolve(A, sp.csc_array { 0, n })
      assert.is_true(sp.issparse(x) and x.shape[1] == 0 and x.shape[2] == n)
      assert.equal(0, linalg.inv(A).shape[2])
    end
    failure("shape", "scipy.sparse.linalg.splu: A must be square, not (0, 2)",
      function() local _ = linalg.splu(sp.csc_array { 0, 2 }) end)
  end)
end)

describe("errors of direct solvers", function()
  with_superlu("name the argument", function()
    local A = matrix(5, "float64")
    local NaN = A * 1
    NaN.data[2] = 0 / 0
    failure("usage", "scipy.sparse.linalg.splu: A has elements that are infinite or NaN",
      function() local _ = linalg.splu(NaN) end)
    failure("shape", "scipy.sparse.linalg.splu: A must be square, not (2, 3)",
      function() local _ = linalg.splu(sp.csc_array { 2, 3 }) end)
    failure("usage", 'scipy.sparse.linalg.splu: permc_spec must be "COLAMD", "MMD_AT_PLUS_A", "MMD_ATA" or "NATURAL"',
      function() local _ = linalg.splu(A, "AMD") end)
    failure("usage", "scipy.sparse.linalg.splu: diag_pivot_thresh must be between 0 and 1, not 2",
      function() local _ = linalg.splu(A, { diag_pivot_thresh = 2 }) end)
    failure("usage", "scipy.sparse.linalg.splu: relax must be between 1 and 32767, not 0",
      function() local _ = linalg.splu(A, { relax = 0 }) end)
    failure("usage", "scipy.sparse.linalg.splu: options' name must be",
      function() local _ = linalg.splu(A, { options = { Fact = 1 } }) end)
    failure("usage", "scipy.sparse.linalg.spilu: drop_rule must be",
      function() local _ = linalg.spilu(A, { drop_rule = "basic,most" }) end)
    failure("usage", "scipy.sparse.linalg.spilu: drop_tol must be between 0 and 1, not -1",
      function() local _ = linalg.spilu(A, { drop_tol = -1 }) end)
    failure("shape", "scipy.sparse.linalg.solve: rhs must have 5 rows, not shape (4)",
      function() local _ = linalg.splu(A):solve { 1, 2, 3, 4 } end)
    failure("usage", 'scipy.sparse.linalg.solve: trans must be "N", "T" or "H"',
      function() local _ = linalg.splu(A):solve({ 1, 2, 3, 4, 5 }, "C") end)
    failure("shape", "scipy.sparse.linalg.spsolve: A has 5 rows, and b the shape (4)",
      function() local _ = linalg.spsolve(A, { 1, 2, 3, 4 }) end)
    failure("usage", "scipy.sparse.linalg.inv: A must be a sparse array, not array",
      function() local _ = linalg.inv(cp.eye(3)) end)
  end)
end)

describe("incomplete factors in the places of the matrix", function()
  it("say when there are none", function()
    failure("usage", "scipy.sparse.linalg.ilu0: A has no such factors: the pivot of row 1 is 0",
      function() local _ = linalg.ilu0(sp.csr_array { { 0, 1 }, { 1, 0 } }) end)
    failure("usage", "scipy.sparse.linalg.ic0: A has no such factor: the pivot of row 2 is not positive",
      function() local _ = linalg.ic0(sp.csr_array { { 1, 2 }, { 2, 1 } }) end)
    failure("shape", "scipy.sparse.linalg.ic0: A must be square, not (2, 3)",
      function() local _ = linalg.ic0(sp.csr_array { 2, 3 }) end)
    assert.equal("(0, 0)", tostring(linalg.ilu0(sp.csr_array { 0, 0 }).shape))
  end)
end)
