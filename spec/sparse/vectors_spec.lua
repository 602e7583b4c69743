-- Sparse arrays with one axis, and what of matrices gives one. Formats and shapes are those that SciPy 1.17
-- gives for the same; values are those of the dense arrays.

local cp = require "cupola"
local check = require "spec.helper.check"
local failure = check.failure

local sp = cp.sparse

local DENSE = { 0, 1, 0, 2, 3 }

local function vector(format) return sp[(format or "csr") .. "_array"](cp.array(DENSE)) end

local function matrix() return sp.csr_array((cp.arange(15):reshape { 3, 5 } % 4):astype "float64") end

-- Format, shape and values of a sparse array; shape and values of a dense one.
local function seen(A)
  if not sp.issparse(A) then return { "dense", tostring(A.shape), check.values(A) } end
  return { A.format, tostring(A.shape), check.values(A:toarray()) }
end

local function same(format, dense, A) assert.same({ format, tostring(dense.shape), check.values(dense) }, seen(A)) end

describe("a sparse array with one axis", function()
  it("is made as matrices are", function()
    local data, places = cp.array { 1, 2, 3 }, cp.index { 2, 4, 5 }
    for k, A in ipairs { vector(), vector "coo", sp.csr_array { data, { places }, shape = { 5 } },
      sp.coo_array { data, { places } }, sp.coo_array { data = data, coords = { places - 1 }, shape = { 5 } },
      sp.csr_array { data = data, indices = places - 1, indptr = cp.index { 0, 3 }, shape = { 5 } },
      sp.csr_array(vector "coo"), sp.coo_array(vector(), { shape = { 5 }, copy = true }),
      sp.coo_array(cp.array(DENSE)):reshape { 1, 5 }:reshape(-1), sp.coo_array { { 1, 2, 3 }, { { 2, 4, 5 } } } } do
      assert.same({ "(5)", DENSE, 1, 3, 5 }, { tostring(A.shape), A:toarray():totable(), A.ndim, A.nnz, #A }, k)
    end
    assert.equal("csr (5) float64 " .. cp.device().name .. ", 3 stored", tostring(vector()))
    assert.same({ 0, 3 }, vector().indptr:totable())
    local coo = vector "coo"
    assert.same({ { { 1, 3, 4 } }, { 0, 0, 0 }, { 1, 3, 4 } },
      { { coo.coords[1]:totable(), coo.coords[2] }, coo.row:totable(), coo.col:totable() })
    assert.same({ "coo", "(7)", 0, "int32" }, (function()
      local A = sp.coo_array({ 7 }, { dtype = "int32" })
      return { A.format, tostring(A.shape), A.nnz, A.dtype }
    end)())
    assert.equal("csr (3) float32 " .. cp.device().name .. ", 0 stored",
      tostring(sp.csr_array { shape = { 3 }, dtype = "float32" }))
    local drawn = sp.random_array({ 50 }, { density = 0.2, seed = 1 })
    assert.same({ "coo", "(50)", 10 }, { drawn.format, tostring(drawn.shape), drawn.nnz })
    for _, format in ipairs { "csc", "dia", "bsr" } do
      local refused = ": arrays with one axis are csr or coo, not " .. format
      local A, make, name = vector(), sp[format .. "_array"], "scipy.sparse." .. format .. "_array"
      failure("shape", name .. refused, function() make(cp.ones(3)) end)
      failure("shape", name .. refused, function() make(A) end)
      failure("shape", "scipy.sparse.to" .. format .. refused, function() A["to" .. format](A) end)
      failure("shape", "scipy.sparse.asformat" .. refused, function() A:asformat(format) end)
    end
    failure("index", "scipy.sparse.coo_array: col[2], counted from 1, is 9; positions are 1 to 5",
      function() sp.coo_array { { 1, 2 }, { cp.index { 1, 9 } }, shape = { 5 } } end)
    failure("shape", "scipy.sparse.coo_array: shape and coords must have as many axes",
      function() sp.coo_array { { 1, 2 }, { cp.index { 1, 3 } }, shape = { 5, 1 } } end)
    failure("shape", "scipy.sparse.csr_array: arg has shape (5), not (1, 5)",
      function() sp.csr_array(vector(), { shape = { 1, 5 } }) end)
    local two = { data = cp.ones(2), indices = cp.index { 0, 1 }, indptr = cp.index { 0, 1, 2 }, shape = { 5 } }
    failure("shape", "scipy.sparse.csr_array: indptr has 3 elements", function() sp.csr_array(two) end)
  end)

  it("is changed and converted", function()
    local x = cp.array(DENSE)
    for _, format in ipairs { "csr", "coo" } do
      local A = vector(format)
      same(format, x, A:copy())
      same("csr", x, A:tocsr())
      same("coo", x, A:tocoo())
      same(format, x, A.T)
      same(format, x, A:transpose())
      same(format, x, sp.permute_dims(A, { 1 }))
      same(format, x, sp.swapaxes(A, 1, -1))
      same(format, x:astype "complex64", A:astype "complex64")
      same(format, x, A:astype("complex64").real)
      same(format, -x, (-A:astype "complex64").H.real)
      same("coo", x:reshape { 5, 1 }, A:reshape { 5, -1 })
      same("coo", x:reshape { 1, 5 }, sp.expand_dims(A))
      same("coo", x:reshape { 5, 1 }, sp.expand_dims(A, -1))
      same(format, x, A:to "cpu")
      A:resize(4)
      same(format, cp.array { 0, 1, 0, 2 }, A)
      A:resize { 6 }
      same(format, cp.array { 0, 1, 0, 2, 0, 0 }, A)
    end
    same("coo", matrix():toarray():reshape(-1), matrix():reshape(15))
    same("coo", matrix():toarray().T:reshape(-1), matrix():reshape({ -1 }, { order = "F" }))
    local A = sp.coo_array { { 1, 2, 3, -3 }, { cp.index { 4, 1, 4, 2 } }, shape = { 4 } }:tocsr()
    A.data[1] = 0
    local B = sp.csr_array { data = cp.array { 1, 2, 5, 0 }, indices = cp.index { 3, 0, 3, 1 },
      indptr = cp.index { 0, 4 }, shape = { 4 } }
    assert.same({ false, false }, { B.has_sorted_indices, B.has_canonical_format })
    same("csr", cp.array { 2, 0, 0, 6 }, B:sorted_indices())
    B:sum_duplicates()
    B:eliminate_zeros()
    assert.same({ 2, { 2, 6 }, "(4)" }, { B.nnz, B.data:totable(), tostring(B.shape) })
    B:check_format()
    failure("shape", "scipy.sparse.resize: shape must have", function() B:resize { 2, 2, 2 } end)
    failure("shape", "scipy.sparse.reshape: shape (3) does not fit 4 elements", function() B:reshape(3) end)
    assert.same({ "(1, 2)", 0 }, { tostring(sp.csr_array({ 1, 2 }).shape), sp.csr_array({ 1, 2 }).nnz })
    same("csr", cp.array { 1, 2 }, sp.csr_array(cp.array { 1, 2 }))
    for _, numbers in ipairs { { 1.5, 2 }, { -1 } } do
      failure("shape", "scipy.sparse.csr_array: arg: one or two numbers in a table are a shape",
        function() sp.csr_array(numbers) end)
    end
    for _, name in ipairs { "diagonal", "trace", "getrow" } do
      failure("shape", "scipy.sparse." .. name .. ": A must have two axes, not shape (4)", function() B[name](B, 1) end)
    end
    failure("shape", "scipy.sparse.tril: A must have two axes", function() sp.tril(B) end)
    failure("shape", "scipy.sparse.expand_dims: A must have one axis", function() sp.expand_dims(matrix()) end)
    failure("shape", "scipy.sparse.linalg.splu: A must have two axes", function() sp.linalg.splu(B) end)
    failure("shape", "scipy.sparse.linalg.cg: A must have two axes", function() sp.linalg.cg(B, cp.ones(4)) end)
    failure("shape", "scipy.sparse.csgraph.connected_components: csgraph must have two axes",
      function() sp.csgraph.connected_components(B) end)
  end)

  it("is computed with by elements", function()
    local x, M, D = cp.array(DENSE), matrix(), matrix():toarray()
    local y = cp.arange(5)
    for _, format in ipairs { "csr", "coo" } do
      local A = vector(format)
      same("csr", x + x, A + A)
      same("csr", x * x, A * A)
      same(format, x * 2, A * 2)
      same(format, -x, -A)
      assert.same({ "(5)", check.values(x ^ 2) }, { tostring((A ^ 2).shape), check.values((A ^ 2):toarray()) })
      assert.same(check.values(cp.sqrt(x)), check.values(cp.sqrt(A):toarray()))
      same("dense", x + y, A + y)
      same("dense", y - x, y - A)
      assert.same({ "(5)", check.values(x * y) }, { tostring((A * y).shape), check.values((A * y):toarray()) })
      same("csr", x * D, A * M)
      same("csr", x * D, M * A)
      assert.same(check.values(x * D), check.values((A * D):toarray()))
      same("dense", x + D, A + D)
      assert.same(check.values(cp.greater(x, 1)), check.values(A:gt(1):toarray()))
      assert.is_true(A == vector() and A ~= A * 2 and A ~= sp.expand_dims(A))
      assert.same(check.values(cp.maximum(x, 1)), check.values(A:maximum(1):toarray()))
      failure("shape", "scipy.sparse.add: shapes (5) and (3, 5) differ", function() local _ = A + M end)
      failure("shape", "scipy.sparse.maximum: shapes (5) and (3, 5) differ", function() A:maximum(M) end)
      failure("usage", "scipy.sparse.add: the result would not be sparse", function() local _ = A + 1 end)
    end
    local column = sp.csr_array { { 1 }, { 2 }, { 3 } }
    same("csr", D * column:toarray(), M * column)
    same("csr", column:toarray() * x, vector() * column)
    same("csr", column:toarray() * cp.array { { 1, 2 } }, column * sp.csr_array { { 1, 2 } })
    same("csr", D * 2, sp.csr_array { { 2 } } * M)
    local short = sp.csr_array { { 1 }, { 2 } }
    failure("shape", "scipy.sparse.multiply: shapes (3, 5) and (2, 1) differ", function() local _ = M * short end)
  end)

  it("is reduced", function()
    local x = cp.array(DENSE)
    for _, format in ipairs { "csr", "coo" } do
      local A = vector(format)
      for _, name in ipairs { "sum", "max", "min", "argmax", "argmin", "mean" } do
        local expected = cp[name](x)
        for _, result in ipairs { A[name](A), A[name](A, 1), A[name](A, -1), cp[name](A) } do
          assert.same({ "()", expected:item() }, { tostring(result.shape), result:item() }, name)
        end
      end
      assert.equal("(1)", tostring(A:sum(1, { keepdims = true }).shape))
      assert.same({ 3, 3, 3 }, { A:getnnz(), A:getnnz(1) and A:getnnz(-1), A:count_nonzero(1):item() })
      failure("index", "scipy.sparse.sum: axis", function() A:sum(2) end)
      assert.same({ { 2, 4, 5 } }, { A:nonzero()[1]:totable() })
      assert.is_nil(A:nonzero()[2])
      assert.near(math.sqrt(14), sp.linalg.norm(A):item(), 1e-12)
      assert.same({ 6, 3 }, { sp.linalg.norm(A, 1):item(), sp.linalg.norm(A, math.huge):item() })
    end
  end)

  it("is multiplied as a matrix or vector", function()
    local x, M, D = cp.array(DENSE), matrix(), matrix():toarray()
    local X = cp.arange(10):reshape { 5, 2 }
    for _, format in ipairs { "csr", "coo" } do
      local A = vector(format)
      same("dense", cp.array(14), A:dot(A))
      same("dense", cp.array(19), A:dot(cp.array { 0, 1, 2, 3, 4 }))
      same("dense", cp.array(19), cp.matmul(cp.array { 0, 1, 2, 3, 4 }, A))
      same("dense", cp.matmul(x, X), A:matmul(X))
      same("dense", cp.matmul(X.T, x), cp.matmul(X.T, A))
      same("coo", cp.matmul(D, x), M:dot(A))
      same("coo", cp.matmul(D, x), M:tocsc():matmul(A))
      same("coo", cp.matmul(x, D.T), A:dot(M.T))
      same("dense", cp.array(14), A:tensordot(A, 1))
      same("coo", cp.matmul(D, x), A:tensordot(M, { { 1 }, { 2 } }))
      same("coo", cp.matmul(D, x), M:tensordot(A, 1))
      assert.is_true(cp.allclose(sp.linalg.spsolve(sp.eye(5):tocsc() * 2, A), x / 2))
      same("coo", cp.kron(x, x), sp.kron(A, A))
      same("csr", cp.kron(D, x:reshape { 1, 5 }), sp.kron(M, A))
      same("csr", cp.vstack { x, x }, sp.vstack { A, A })
      same("csr", cp.vstack { D, x }, sp.vstack { M, A })
      same("csr", cp.hstack { x, x }:reshape { 1, 10 }, sp.hstack { A, A })
      local four = sp.coo_array { 4 }
      failure("shape", "scipy.sparse.dot: shapes (5) and (3, 5) cannot be multiplied", function() A:dot(M) end)
      failure("shape", "scipy.sparse.dot: shapes (1, 5) and (4) cannot be multiplied", function() A:dot(cp.ones(4)) end)
      failure("shape", "scipy.sparse.dot: shapes (5) and (4) cannot be multiplied", function() A:dot(four) end)
    end
  end)

  it("is read and written by places", function()
    local x = cp.array(DENSE)
    for _, format in ipairs { "csr", "coo" } do
      local A = vector(format)
      assert.same({ 1, 0, 3, 3 }, { A[2], A[{ 1 }], A[-1], A["5"] })
      same(format, x["2:4"], A["2:4"])
      same(format, x[{ { 4, 2, -1 } }], A[{ { 4, 2, -1 } }])
      same(format, x[cp.index { 5, 2, 5 }], A[cp.index { 5, 2, 5 }])
      same(format, x[cp.greater(x, 1)], A[cp.greater(x, 1)])
      same(format, x, A[{}])
      A[2] = 9
      A["4:5"] = 0
      A[cp.index { 1, 3 }] = cp.array { 7, 8 }
      same(format, cp.array { 7, 9, 8, 0, 0 }, A)
      A["1:3"] = sp.csr_array(cp.array { 0, 0, 1 })
      same(format, cp.array { 0, 0, 1, 0, 0 }, A)
      failure("shape", "index: a sparse array of shape (5) has one axis", function() local _ = A[{ 1, 2 }] end)
      failure("index", "index: ", function() local _ = A[6] end)
    end
  end)

  it("is what a number as an index leaves of a matrix", function()
    local D = matrix():toarray()
    for _, format in ipairs { "csr", "csc", "coo" } do
      local M = matrix():asformat(format)
      same("coo", D[1], M[1])
      same("coo", D[{ -1, {} }], M[{ -1, {} }])
      same("coo", D[{ {}, 2 }], M["1:3, 2"])
      same("coo", D[{ 1, { 2, 3 } }], M[{ 1, { 2, 3 } }])
      same("coo", D[{ cp.index { 1, 2 }, 2 }], M[{ cp.index { 1, 2 }, 2 }])
      same(format, D["1:1, :"], M:getrow(1))
      same(format, D["1:3, 2:2"], M:getcol(2))
      assert.equal(8, M[1]:dot(M[2]):item())
      M[1] = vector()
      M[{ {}, 1 }] = M[{ {}, 2 }]
      M[{ {}, 3 }] = cp.array { 4, 5, 6 }
      local expected = D:copy()
      expected[1] = cp.array(DENSE)
      expected[{ {}, 1 }] = expected[{ {}, 2 }]
      expected[{ {}, 3 }] = cp.array { 4, 5, 6 }
      same(format, expected, M)
    end
  end)

  it("goes through files", function()
    for _, format in ipairs { "csr", "coo" } do
      local name = os.tmpname()
      sp.save_npz(name, vector(format))
      same(format, cp.array(DENSE), sp.load_npz(name .. ".npz"))
      os.remove(name)
      os.remove(name .. ".npz")
    end
  end)

  it("takes many right sides at once", function()
    local M, D = matrix(), matrix():toarray()
    local X = cp.arange(60):reshape { 2, 2, 5, 3 }
    same("dense", cp.matmul(D, X), M:dot(X))
    same("dense", cp.matmul(D, X), cp.matmul(M:tocsc(), X))
    same("dense", cp.matmul(X.mT, D.T), cp.matmul(X.mT, M.T))
    same("dense", cp.matmul(cp.array(DENSE), X), vector():dot(X))
    assert.equal("(0, 3, 4)", tostring(M:dot(cp.zeros { 0, 5, 4 }).shape))
    failure("shape", "scipy.sparse.dot: shapes (3, 5) and (2, 4, 3) cannot be multiplied",
      function() M:dot(cp.ones { 2, 4, 3 }) end)
  end)
end)
