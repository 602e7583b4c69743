-- Sparse arrays: masks as indices, extremes of rows without entries, and random entries.

local cp = require "cupola"
local check = require "spec.helper.check"

local sp = cp.sparse

describe("sparse arrays", function()
  it("take sparse masks as indices", function()
    for _, format in ipairs { "csr", "csc", "coo", "bsr", "dia" } do
      local A = sp.csr_array({ { 1, 0, 3 }, { 0, 5, 0 }, { 7, 0, 0.5 } }):asformat(format):copy()
      assert.same({ 3, 5, 7 }, A[A:gt(2)]:totable())
      A[A:gt(2)] = -1
      assert.same({ { 1, 0, -1 }, { 0, -1, 0 }, { -1, 0, 0.5 } }, A:toarray():totable())
      assert.equal(0, #A[A:gt(9)])
    end
    local A = sp.eye(3)
    assert.has_error(function() return A[sp.eye(2):gt(0)] end)
    assert.has_error(function() return A[A] end)
  end)

  it("take one position with each of several, and only so many as form pairs", function()
    local A = sp.csr_array { { 1, 0, 3 }, { 0, 5, 0 }, { 7, 0, 0.5 } }
    assert.same({ 3, 0, 3 }, A[{ cp.index { 1 }, cp.index { 3, 2, 3 } }]:totable())
    assert.same({ 3, 0.5 }, A[{ cp.array { true, false, true }, cp.index { 3 } }]:totable())
    A[{ cp.index { 1, 3 }, cp.index { 2 } }] = cp.array { 8, 9 }
    assert.same({ { 1, 8, 3 }, { 0, 5, 0 }, { 7, 9, 0.5 } }, A:toarray():totable())
    local none = cp.array { false, false, false }
    assert.equal(0, #A[{ none, cp.index { 1 } }])
    assert.has_error(function() return A[{ cp.index { 1, 2 }, cp.index { 1, 2, 3 } }] end)
    assert.has_error(function() A[{ cp.index { 1, 2 }, cp.index { 1, 2, 3 } }] = 1 end)
    assert.has_error(function() A[{ none, cp.index { 1, 2, 3 } }] = 1 end)
  end)

  it("take positions with two axes, as cp.ix_ gives", function()
    local grid = cp.ix_(cp.index { 3, 1 }, cp.array { false, true, false, true })
    local i, j = cp.index { { 1, 2 }, { 3, 1 } }, cp.index { { 1, 4 }, { 2, 2 } }
    for _, format in ipairs { "csr", "csc", "coo", "bsr", "dia" } do -- values are SciPy's
      local A = sp.csr_array(cp.arange(1, 13):reshape(3, 4))
      A = A["to" .. format](A)
      local result = format == "bsr" and "csr" or format
      local B, pairs_of = A[grid], A[{ i, j }]
      assert.same({ result, { { 10, 12 }, { 2, 4 } } }, { B.format, B:toarray():totable() }, format)
      assert.same({ result, { { 1, 8 }, { 10, 2 } } }, { pairs_of.format, pairs_of:toarray():totable() }, format)
      assert.same({ { 1, 5 }, { 2, 6 }, { 3, 7 } },
        A[{ cp.index { { 1, 2 } }, cp.index { { 1 }, { 2 }, { 3 } } }]:toarray():totable())
      A[grid] = cp.array { { 1, 2 }, { 4, 5 } } * 100
      assert.same({ { 1, 400, 3, 500 }, { 5, 6, 7, 8 }, { 9, 100, 11, 200 } }, A:toarray():totable(), format)
      A[{ i, j }] = cp.array { { -1, -2 }, { -3, -4 } }
      assert.same({ { -1, -4, 3, 500 }, { 5, 6, 7, -2 }, { 9, -3, 11, 200 } }, A:toarray():totable(), format)
      A[cp.ix_(cp.index { 3, 1 }, cp.index { 2 })] = sp.csr_array { { 0 }, { 7 } }
      assert.same({ { -1, 7, 3, 500 }, { 5, 6, 7, -2 }, { 9, 0, 11, 200 } }, A:toarray():totable(), format)
    end
    local A = sp.csr_array { { 1, 2 } }
    local fact = "index: an index of a sparse array must be a vector; only two together may have two axes, as in cp.ix_"
    check.failure("shape", fact, function() local _ = A[{ cp.index { { 1, 1 } }, 1 }] end)
    check.failure("shape", fact, function() local _ = A[cp.index { { 1, 1 } }] end)
  end)

  it("without elements are broadcast in products, and have extremes along the other axis", function()
    local function product(m, n, dtype, m2, n2, dtype2)
      local A = sp.csr_array({ m, n }, { dtype = dtype }) * sp.csc_array({ m2, n2 }, { dtype = dtype2 })
      return { tostring(A.shape), A.dtype, A.nnz }
    end
    assert.same({ "(0, 0)", "int64", 0 }, product(1, 1, "int32", 0, 0, "int64"))
    assert.same({ "(0, 0)", "float64", 0 }, product(1, 0, "float32", 0, 1, "float64"))
    assert.same({ "(0, 3)", "complex64", 0 }, product(1, 1, "complex64", 0, 3, "float32"))
    assert.same({ "(0, 3)", "bool", 0 }, product(0, 1, "bool", 1, 3, "bool"))
    check.failure("shape", "scipy.sparse.multiply: shapes (2, 3) and (0, 1) differ",
      function() local _ = sp.csr_array(cp.ones { 2, 3 }) * sp.csr_array { 0, 1 } end)
    local A = sp.csr_array({ 0, 3 }, { dtype = "float32" })
    for _, B in ipairs { A:max(2), A:argmin(2), A.T:min(1), A.T:argmax(1) } do assert.is_true(B:has_shape(0)) end
    assert.same({ "float32", "int64" }, { A:max(2).dtype, A:argmax(2).dtype })
    check.failure("shape", "scipy.sparse.max: an array without elements has no max", function() A:max(1) end)
    check.failure("shape", "scipy.sparse.argmin: an array without elements has no argmin", function() A:argmin() end)
  end)

  it("have extremes of 0 where rows without entries lie among others of one sign", function()
    for _, dtype in ipairs { "int16", "uint8", "int64", "float32", "bool" } do
      local A = sp.csr_array { data = cp.array({ 4, 3, 2, 3 }):astype(dtype), shape = { 5, 7 },
        indices = cp.array({ 0, 1, 0, 3 }, "int32"), indptr = cp.array({ 0, 2, 4, 4, 4, 4 }, "int32") }
      assert.is_true(cp.array_equal(A:max(1), cp.max(A:toarray(), 1)), dtype)
      assert.is_true(cp.array_equal(A:max(2), cp.max(A:toarray(), 2)), dtype)
      if dtype:sub(1, 1) ~= "u" and dtype ~= "bool" then
        assert.is_true(cp.array_equal((-A):min(1), cp.min(-A:toarray(), 1)), dtype)
      end
    end
  end)

  it("are drawn by generators and by functions of the user", function()
    local A = sp.random(6, 7, { density = 0.5, rng = 3 })
    assert.is_true(A == sp.random(6, 7, { density = 0.5, seed = 3 }))
    assert.is_true(A == sp.random(6, 7, { density = 0.5, random_state = cp.random.default_rng(3) }))
    local function count_up(n) return cp.arange(n) + 1 end
    local B = sp.random_array({ 6, 7 }, { density = 0.5, rng = 3, data_sampler = count_up })
    assert.equal("231.0", tostring(B:sum()))
    assert.has_error(function() sp.random(6, 7, { rng = 1, seed = 1 }) end)
    assert.has_error(function() sp.random(6, 7, { data_rvs = 3 }) end)
    assert.has_error(function() sp.random(6, 7, { density = 0.5, data_rvs = function() return cp.ones { 1 } end }) end)
  end)
end)
