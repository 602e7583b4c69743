-- Sparse arrays: masks as indices, extremes of rows without entries, and random entries.

local cp = require "cupola"

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
