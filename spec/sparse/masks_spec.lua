-- Keys of sparse arrays: masks, new axes, ellipses, positions with two axes; values of other shapes than the
-- selection; extremes of rows without entries, and random entries. Expected values are SciPy 1.17's, or
-- NumPy's where SciPy raises an error.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local sp, values, new, dots = cp.sparse, expect.values, cp.newaxis, cp.ellipsis

local function small(format)
  return sp.csr_array({ { 1, 0, 2, 0 }, { 0, 0, 3, 0 }, { 4, 5, 0, 6 } }):asformat(format or "csr")
end

local function each_format(f)
  for _, format in ipairs { "csr", "csc", "coo" } do f(small(format), format) end
end

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
    local fact = "index: an array of positions with two axes needs a number or another array for the other axis"
    check.failure("shape", fact, function() local _ = A[{ cp.index { { 1, 1 } }, {} }] end)
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

describe("keys of sparse arrays", function()
  it("may add axes", function()
    each_format(function(A, format)
      values(A[{ new, 1, { 2, 3 } }]:toarray(), { { 0, 2 } })
      values(A[{ new, 3 }]:toarray(), { { 4, 5, 0, 6 } })
      values(A[{ 3, new }]:toarray(), { { 4, 5, 0, 6 } })
      values(A[{ 3, {}, new }]:toarray(), { { 4 }, { 5 }, { 0 }, { 6 } })
      values(A[{ 1, new, { 3, 4 } }]:toarray(), { { 2, 0 } })
      values(A[{ { 2, 3 }, new, 3 }]:toarray(), { { 3 }, { 0 } })
      values(A[{ new, 3, 4, new }]:toarray(), { { 6 } })
      values(A[{ 3, 4, new }]:toarray(), { 6 })
      values(A["3, :, new"]:toarray(), { { 4 }, { 5 }, { 0 }, { 6 } })
      values(A[{ cp.index { 1, 3 }, new, cp.index { 3, 4 } }], { { 2 }, { 6 } })
      values(A[{ new, cp.index { 1, 3 }, cp.index { 3, 4 } }], { { 2, 6 } })
      values(A[{ new, 3, cp.index { 1, 4 } }]:toarray(), { { 4, 6 } })
      values(A[{ 3, new, cp.index { 1, 4 } }]:toarray(), { { 4 }, { 6 } })
      expect.shape(A[{ new, cp.index {}, cp.index { 2 } }], 1, 0)
      assert.equal(format, A[{ new, 3 }].format)
      check.failure("shape", "index: the selected elements have 3 axes; sparse arrays have two at most",
        function() local _ = A[{ new, {}, {} }] end)
    end)
    for _, format in ipairs { "csr", "coo" } do
      local v = sp.csr_array(cp.array { 5, 0, 6, 7 }):asformat(format)
      values(v[{ new, { 2, 3 } }]:toarray(), { { 0, 6 } })
      values(v[{ { 2, 3 }, new }]:toarray(), { { 0 }, { 6 } })
      values(v[{ new, 3 }]:toarray(), { 6 })
    end
  end)

  it("may leave axes to an ellipsis", function()
    each_format(function(A)
      values(A[{ dots, 3 }]:toarray(), { 2, 3, 0 })
      values(A[{ 3, dots }]:toarray(), { 4, 5, 0, 6 })
      values(A["..., 3"]:toarray(), { 2, 3, 0 })
      assert.is_true(A[{ dots }] == A and A[{ {}, {}, dots }] == A)
      check.failure("usage", "index: an index has one ellipsis at most", function() local _ = A[{ dots, dots }] end)
      check.failure("shape", "index: a sparse array of shape (3, 4) has two axes",
        function() local _ = A[{ 1, dots, 1, 1 }] end)
    end)
  end)

  it("may hold positions with two axes beside a number", function()
    each_format(function(A)
      values(A[{ 3, cp.index { { 1, 4 }, { 2, 2 } } }]:toarray(), { { 4, 6 }, { 5, 5 } })
      values(A[{ cp.index { { 1 }, { 3 } }, 1 }]:toarray(), { { 1 }, { 4 } })
      A[{ 2, cp.index { { 1, 2 }, { 3, 4 } } }] = cp.array { { 1, 2 }, { 3, 4 } }
      values(A:toarray(), { { 1, 0, 2, 0 }, { 1, 2, 3, 4 }, { 4, 5, 0, 6 } })
    end)
    values(sp.coo_array(cp.array { 5, 0, 6, 7 })[cp.index { { 1, 3 } }]:toarray(), { { 5, 6 } })
    values(sp.csr_array(cp.array { 5, 0, 6, 7 })[cp.index { { 1, 3 } }]:toarray(), { { 5, 6 } })
  end)

  it("may be masks with one axis", function()
    local mask = sp.csr_array(cp.array { true, false, true, false })
    for _, format in ipairs { "csr", "coo" } do
      values(sp.csr_array(cp.array { 5, 0, 6, 7 }):asformat(format)[mask]:toarray(), { 5, 6 })
    end
    values(small()[{ {}, mask }]:toarray(), { { 1, 2 }, { 0, 3 }, { 4, 0 } })
    each_format(function(A) -- masks with both axes are the only part of a key, but for an ellipsis
      for _, large in ipairs { A:gt(3), A:toarray():gt(3) } do
        values(A[{ large }], { 4, 5, 6 })
        values(A[{ large, dots }], { 4, 5, 6 })
        values(A[{ dots, large }], { 4, 5, 6 })
      end
    end)
    check.failure("usage", "index: a sparse array in an index must be a mask",
      function() local _ = small()[small()] end)
  end)
end)

describe("values that are written to sparse arrays", function()
  it("may be sparse arrays with one axis, or have leading axes of length 1", function()
    each_format(function(A)
      A[A:gt(3)] = sp.coo_array(cp.array { 10, 0, 30 })
      values(A:toarray(), { { 1, 0, 2, 0 }, { 0, 0, 3, 0 }, { 10, 0, 0, 30 } })
      A[{ cp.index { 1, 2 }, cp.index { 1, 2 } }] = sp.csr_array(cp.array { 20, 11 })
      values(A:toarray(), { { 20, 0, 2, 0 }, { 0, 11, 3, 0 }, { 10, 0, 0, 30 } })
      A[{ {}, 2 }] = cp.array { { 1, 2, 3 } }
      values(A:toarray(), { { 20, 1, 2, 0 }, { 0, 2, 3, 0 }, { 10, 3, 0, 30 } })
      A[{ {}, 2 }] = cp.array { { 4 }, { 5 }, { 6 } }
      A[{ 1, new, {} }] = cp.array { { 7, 8, 0, 9 } }
      values(A:toarray(), { { 7, 8, 0, 9 }, { 0, 5, 3, 0 }, { 10, 6, 0, 30 } })
      A[A:gt(8)] = cp.array { { -1, -2, -3 } }
      values(A:toarray(), { { 7, 8, 0, -1 }, { 0, 5, 3, 0 }, { -2, 6, 0, -3 } })
      check.failure("shape", "index: value has shape (2, 1), and the selected elements (1, 4)",
        function() A[{ 1, {} }] = cp.ones { 2, 1 } end)
    end)
  end)
end)
