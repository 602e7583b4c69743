-- bsr arrays; methods that change shapes; what comparisons store; memory of many products.

local cp = require "cupola"
local check = require "spec.helper.check"
local failure = check.failure

local sp = cp.sparse

local function values(A) return check.values(A:toarray()) end

-- Blocks of 2 x 3 in a 4 x 6 array, of which one is missing and one holds zeros.
local function example()
  return sp.bsr_array { data = cp.arange(18):reshape { 3, 2, 3 } - 6, indices = cp.index { 0, 1, 1 },
    indptr = cp.index { 0, 2, 3 }, shape = { 4, 6 } }
end

local DENSE = { { -6, -5, -4, 0, 1, 2 }, { -3, -2, -1, 3, 4, 5 }, { 0, 0, 0, 6, 7, 8 }, { 0, 0, 0, 9, 10, 11 } }

describe("a bsr array", function()
  it("is made of blocks", function()
    local A = example()
    assert.same(DENSE, values(A))
    assert.same({ "bsr", 18, { 2, 3 }, { 0, 1, 1 }, { 0, 2, 3 } },
      { A.format, A.nnz, A.blocksize, A.indices:totable(), A.indptr:totable() })
    assert.equal("(3, 2, 3)", tostring(A.data.shape))
    assert.is_true(A.has_canonical_format and A.has_sorted_indices and sp.isspmatrix_bsr(A))
    failure("usage", "index: a csr array has no field or method 'blocksize'",
      function() local _ = A:tocsr().blocksize end)
    for _, format in ipairs { "csr", "csc", "coo", "dia" } do
      local B = A:asformat(format)
      assert.same(DENSE, values(B))
      assert.same(DENSE, values(B:tobsr { 2, 3 }))
      assert.same({ 2, 3 }, B:tobsr({ 2, 3 }).blocksize)
      assert.same(DENSE, values(sp.bsr_array(B, { blocksize = { 4, 1 } })))
    end
    local doubled = sp.bsr_array { data = cp.ones { 2, 1, 2 }, indices = cp.index { 0, 0 }, indptr = cp.index { 0, 2 } }
    assert.same({ { 2, 2 } }, values(doubled))
    doubled:sum_duplicates()
    assert.same({ 2, { { 2, 2 } } }, { doubled.nnz, values(doubled) })
    local empty = sp.bsr_array({ 4, 6 }, { blocksize = { 2, 3 }, dtype = "float32" })
    assert.same({ 0, "float32", { 2, 3 } }, { empty.nnz, empty.dtype, empty.blocksize })
    assert.equal(0, empty:dot(cp.ones(6)):sum():item())
  end)

  it("finds SciPy's block sizes by itself", function()
    local sizes = {}
    for k, n in ipairs { 1, 2, 3, 4, 6 } do
      sizes[k] = sp.kron(sp.eye(12 / n), cp.ones { n, n }):tobsr().blocksize[1]
    end
    assert.same({ 1, 2, 3, 4, 6 }, sizes)
    assert.same({ 1, 1 }, sp.bsr_array({ { 1, 2, 3 } }).blocksize)
  end)

  it("keeps its blocks in arithmetic as SciPy does", function()
    local A = example()
    local B = A:tocsr()
    for what, C in pairs { sum = A + A, half = A / 2, product = A * B, greatest = A:maximum(A), sine = A:sin(),
      absolute = cp.abs(A), square = A ^ 2, copy = A:copy(), cast = A:astype "float32", conjugate = A:conj() } do
      assert.same({ "bsr", 2, 3 }, { C.format, C.blocksize[1], C.blocksize[2] }, what)
    end
    assert.same({ "bsr", 3, 2 }, { A.T.format, A.T.blocksize[1], A.T.blocksize[2] })
    assert.same({ "bsr", 2, 2 }, { A:dot(A.T).format, A:dot(A.T).blocksize[1], A:dot(A.T).blocksize[2] })
    assert.same({ "csr", "csr", "csr" }, { (B + A).format, A:gt(1).format, A[{ { 1, 2 }, {} }].format })
    assert.is_true(A + A == B * 2 and A:dot(A.T) == B:dot(B.T) and A.T == B.T and A ^ 2 == B ^ 2)
    assert.is_true(cp.allclose(A:dot(cp.arange(6)), B:dot(cp.arange(6))))
    assert.same({ 1, 3, 18 }, { A[{ 1, 5 }], (A:argmax(2))[1] / 2, A:count_nonzero():item() + 1 })
  end)

  it("changes places, and drops blocks of zeros", function()
    local A = example()
    A[{ 4, 1 }] = 7
    assert.same({ "bsr", 24, 7 }, { A.format, A.nnz, A[{ 4, 1 }] })
    A[{ 4, 1 }] = 0
    A:eliminate_zeros()
    assert.same({ 18, { 2, 3 } }, { A.nnz, A.blocksize })
    assert.same(DENSE, values(A))
    A.data[1] = 0
    A:eliminate_zeros()
    assert.same({ 12, { 1, 1 }, { 0, 1, 2 } }, { A.nnz, A.indices:totable(), A.indptr:totable() })
    A.data = A.data * 2
    assert.equal(22, A[{ 4, 6 }])
    local B = sp.bsr_array { data = cp.arange(4):reshape { 2, 1, 2 }, indices = cp.index { 1, 0 },
      indptr = cp.index { 0, 2 } }
    assert.is_false(B.has_sorted_indices)
    assert.same({ { 2, 3, 0, 1 } }, values(B:sorted_indices()))
    assert.same({ 0, 1 }, B:sorted_indices().indices:totable())
  end)

  it("goes through files", function()
    local name = os.tmpname()
    sp.save_npz(name, example())
    local A = sp.load_npz(name .. ".npz")
    os.remove(name)
    os.remove(name .. ".npz")
    assert.same({ "bsr", { 2, 3 }, DENSE }, { A.format, A.blocksize, values(A) })
  end)

  it("says what blocks cannot be", function()
    local A = example()
    failure("shape", "scipy.sparse.tobsr: blocks of (3, 3) do not divide shape (4, 6)", function() A:tobsr { 3, 3 } end)
    failure("shape", "scipy.sparse.tobsr: blocksize must be two lengths of at least 1",
      function() A:tobsr { 0, 1 } end)
    local given = { data = cp.ones(2), indices = cp.index { 0, 1 }, indptr = cp.index { 0, 2 } }
    failure("shape", "scipy.sparse.bsr_array: data must have a block for each entry",
      function() sp.bsr_array(given) end)
    given = { data = A.data, indices = A.indices, indptr = A.indptr, shape = { 4, 7 } }
    failure("shape", "scipy.sparse.bsr_array: blocks of (2, 3) do not divide shape (4, 7)",
      function() sp.bsr_array(given) end)
    failure("usage", "scipy.sparse.csr_array: blocksize is for bsr arrays",
      function() sp.csr_array({ 2, 2 }, { blocksize = { 1, 1 } }) end)
    failure("usage", "scipy.sparse.lil_matrix: entries are added to a builder", function() sp.lil_matrix { 2, 2 } end)
    A.indices[1] = 2
    failure("index", "scipy.sparse.toarray: indices[0], counted from 0, is 2; positions are 0 to 1",
      function() A:toarray() end)
  end)
end)

describe("sparse arrays", function()
  it("take other shapes", function()
    local A = sp.csr_array { { 0, 1, 2 }, { 3, 0, 0 } }
    assert.equal("coo", A:reshape({ 3, 2 }).format)
    assert.same({ { 0, 1 }, { 2, 3 }, { 0, 0 } }, values(A:reshape { 3, -1 }))
    assert.same({ { 0, 3, 1, 0, 2, 0 } }, values(A:reshape({ 1, 6 }, "F")))
    assert.equal(0, sp.csr_array({ 0, 3 }):reshape({ 5, 0 }).nnz)
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
      local B = A:asformat(format, true)
      B:resize { 3, 2 }
      assert.same({ format, { { 0, 1 }, { 3, 0 }, { 0, 0 } } }, { B.format, values(B) })
      assert.same({ 1, 3, 0 }, B:dot({ 1, 1 }):totable())
    end
    failure("shape", "scipy.sparse.reshape: shape (4, 2) does not fit 6 elements", function() A:reshape { 4, 2 } end)
    failure("shape", "scipy.sparse.reshape: shape (4, 1) does not fit 6 elements", function() A:reshape { 4, -1 } end)
    failure("shape", "scipy.sparse.resize: blocks of (2, 3) do not divide",
      function() A:tobsr({ 2, 3 }):resize { 4, 4 } end)
    failure("usage", "scipy.sparse.tensordot: axes must be from 1 to 2", function() A:tensordot(A, 0) end)
    failure("shape", "scipy.sparse.tensordot: axis 2 of A has length 3, and axis 1 of other 2",
      function() A:tensordot(A, 1) end)
  end)

  it("drop what lies behind their last entry", function()
    local A = sp.csr_array { data = cp.arange(5), indices = cp.index { 0, 1, 2, 0, 9 }, indptr = cp.index { 0, 1, 3 },
      shape = { 2, 3 } }
    A:prune()
    A:check_format()
    assert.same({ 3, 3 }, { #A.data, #A.indices })
    local indices, indptr = sp.safely_cast_index_arrays(A, "uint8")
    assert.same({ "uint8", "uint8" }, { indices.dtype, indptr.dtype })
    local wide = sp.coo_array { { 1 }, { { 1 }, { 300 } } }
    failure("dtype", "scipy.sparse.safely_cast_index_arrays: col does not fit int8",
      function() sp.safely_cast_index_arrays(wide, "int8") end)
  end)

  it("store no false and no zeros where comparisons and extremes with a number drop them", function()
    local A = sp.csr_array { { 1, 0, 5 }, { -2, 3, 0 } }
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
      local B = A:asformat(format)
      assert.same({ 2, 1, 3, 1, 2, 0 }, { B:gt(1).nnz, B:lt(0).nnz, B:maximum(0).nnz, B:minimum(0).nnz,
        (B:ge(3)).nnz, B:eq(7).nnz })
      assert.same({ { false, false, true }, { false, true, false } }, B:gt(1):toarray():totable())
    end
  end)

  it("keep their memory flat over many products and slices", function()
    local A = sp.random(40, 40, 0.1, { seed = 2, format = "csr" })
    local x = cp.ones(40)
    local function work()
      A:dot(x):free()
      A.T:dot(x):free()
      A:matmul(A):free();
      (A + A):free()
      A[{ { 3, 9 }, {} }]:free()
    end
    local function live()
      collectgarbage()
      collectgarbage()
      return cp.memory().live
    end
    for _ = 1, check.mode and 5 or 50 do work() end
    local before = live()
    for _ = 1, check.mode and 5 or 2000 do work() end
    assert.is_true(live() <= before, ("%d bytes, then %d"):format(before, live()))
  end)

  it("stay whole when a scope ends in which they were multiplied or written", function()
    local A = sp.csr_array { { 1, 0, 2 }, { 0, 0, 3 }, { 4, 5, 0 } }
    local B, x = A:tocsc(), cp.array { 1, 2, 3 }
    for _ = 1, 2 do
      cp.scope(function()
        assert.same({ 7, 9, 14 }, B:dot(x):totable())
        assert.same({ 13, 15, 8 }, A.T:dot(x):totable())
        assert.same({ 13, 15, 8 }, cp.dot(x, A):totable())
      end)
    end
    assert.same({ 7, 9, 14 }, B:dot(x):totable())
    assert.same({ 13, 15, 8 }, A.T:dot(x):totable())
    cp.scope(function()
      A[{ 1, 2 }] = 1
      B:sum_duplicates()
    end)
    assert.same({ 9, 9, 14 }, A:dot(x):totable())
    assert.same({ 13, 16, 8 }, A.T:dot(x):totable())
  end)

  it("transposed share the csr form that is made once", function()
    local A = sp.random(30, 20, 0.2, { seed = 3, format = "csr" })
    local dense, x = A:toarray(), cp.arange(30)
    assert.is_true(cp.allclose(A.T:dot(x), cp.matmul(dense.T, x)))
    A.data:mul_(2)
    assert.is_true(cp.allclose(A.T:dot(x), 2 * cp.matmul(dense.T, x)))
    local B, C = A.T, A.T
    B:resize { 2, 30 } -- an object of its own
    assert.same({ 20, 30 }, { C.shape[1], C.shape[2] })
    assert.is_true(cp.allclose(C:dot(x), 2 * cp.matmul(dense.T, x)))
    assert.is_true(cp.allclose(B:dot(x), 2 * cp.matmul(dense.T, x)[{ { 1, 2 } }]))
    B = A.T
    B.data = cp.ones(A.nnz)
    assert.is_true(cp.allclose(B:dot(x), cp.matmul(cp.not_equal(dense.T, 0):astype "float64", x)))
  end)
end)
