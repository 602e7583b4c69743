-- Shapes of sparse arrays: broadcast with those of dense ones, given as numbers, changed, left open; and what
-- is known of the order of entries. Expected values are SciPy 1.17's.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local sp, values, shape = cp.sparse, expect.values, expect.shape

describe("shapes of sparse arrays", function()
  it("broadcast to those of dense factors", function()
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
      local A = sp.csr_array({ { 0, 5 } }):asformat(format)
      local x = cp.array { { 1 }, { 2 }, { 0 } }
      assert.same({ { 0, 5 }, { 0, 10 }, { 0, 0 } }, A:multiply(x):toarray():totable(), format)
      assert.same({ { 0, 5 }, { 0, 10 }, { 0, 0 } }, (x * A):toarray():totable(), format)
    end
    assert.same({ { 5, 0, 10 } }, sp.csr_array({ { 5 } }):multiply(cp.array { 1, 0, 2 }):toarray():totable())
    check.failure("shape", "scipy.sparse.multiply: shapes (1, 2) and (2, 3) differ",
      function() return sp.csr_array({ { 0, 5 } }):multiply(cp.ones { 2, 3 }), 1 end)
  end)

  it("are given as numbers or as a table", function()
    local A = sp.csr_array { { 0, 5, 0 }, { 1, 0, 2 } }
    assert.same({ { 0, 5 }, { 0, 1 }, { 0, 2 } }, A:reshape(3, 2):toarray():totable())
    assert.same({ { 0, 5 }, { 0, 1 }, { 0, 2 } }, A:reshape({ 3, 2 }):toarray():totable())
    A:resize(3, 2)
    assert.same({ { 0, 5 }, { 1, 0 }, { 0, 0 } }, A:toarray():totable())
    A:resize { 1, 3 }
    assert.same({ { 0, 5, 0 } }, A:toarray():totable())
  end)
end)

describe("sparse arrays beside dense ones", function()
  it("are broadcast to these", function()
    local A = sp.csr_array(cp.array { { 1, 0, 2 } })
    local x = cp.array { { 1 }, { 2 } }
    values(A:gt(x), { { false, false, true }, { false, false, false } })
    values(A:maximum(x), { { 1, 1, 2 }, { 2, 2, 2 } })
    values(A + x, { { 2, 1, 3 }, { 3, 2, 4 } })
    values(x - A, { { 0, 1, -1 }, { 1, 2, 0 } })
    for _, B in ipairs { A, A:tocoo(), A[{ 1, {} }] } do
      -- elements that are not stored stay 0 whatever they are multiplied with or divided by
      local product, quotient = B * cp.array { { 1 }, { cp.nan } }, B / cp.array { { 2 }, { 0 } }
      assert.same({ 4, 4 }, { product.nnz, quotient.nnz })
      values(product:toarray(), { { 1, 0, 2 }, { cp.nan, 0, cp.nan } })
      values(quotient:toarray(), { { 0.5, 0, 1 }, { cp.inf, 0, cp.inf } })
    end
    values((A.T * cp.array { 1, 10 }):toarray(), { { 1, 10 }, { 0, 0 }, { 2, 20 } })
    values((sp.csr_array { 1, 0 } * cp.ones { 2, 0 }):toarray(), { {}, {} })
    values((sp.csr_array { 1, 3 } * cp.ones { 0, 3 }):toarray(), {})
  end)

  it("without axes have their dtype", function()
    local A = sp.csr_array(cp.array { { 1, 0, 2 } }):astype "float32"
    assert.equal("float64", (A * cp.array(2.5)).dtype)
    assert.equal("float64", (A / cp.array(2)).dtype)
    assert.equal("float32", (A * 2.5).dtype)
    assert.equal("int32", (A:astype "int8" * cp.array(3, "int32")).dtype)
    assert.equal("float64", A:maximum(cp.array(1)).dtype)
    values((A * cp.array(2.5)):toarray(), { { 2.5, 0, 5 } })
    values(A:gt(cp.array(1)):toarray(), { { false, false, true } })
    values((A ^ cp.array(2)):toarray(), { { 1, 0, 4 } })
  end)
end)

describe("resize", function()
  it("gives a csr array with one axis more or fewer its first row", function()
    local A = sp.csr_array(cp.arange(1, 7))
    A:resize { 2, 2 }
    values(A:toarray(), { { 1, 2 }, { 0, 0 } })
    A[{ 2, 1 }] = 9
    A:resize(3)
    values(A:toarray(), { 1, 2, 0 })
    assert.equal("csr", A.format)
    A:resize(0)
    assert.same({ "(0)", 0 }, { tostring(A.shape), A.nnz })
  end)

  it("keeps the places of a coo array's elements in the order of rows", function()
    local A = sp.coo_array(cp.array { { 1, 0, 2 }, { 0, 3, 4 } })
    A:resize { 4 }
    values(A:toarray(), { 1, 0, 2, 0 })
    A:resize(3, 2)
    values(A:toarray(), { { 1, 0 }, { 2, 0 }, { 0, 0 } })
    A:resize(0, 2)
    A:resize(2)
    values(A:toarray(), { 0, 0 })
  end)

  it("is not for one axis in other formats", function()
    for _, format in ipairs { "csc", "dia", "bsr" } do
      check.failure("shape", "scipy.sparse.resize: arrays with one axis are csr or coo, not " .. format,
        function() sp.csr_array({ { 1, 2 } }):asformat(format):resize(1) end)
    end
  end)
end)

describe("functions that make sparse arrays", function()
  it("take lengths from what they are given", function()
    local data = cp.arange(1, 7):reshape(2, 3)
    values(sp.spdiags(data, { 0, 1 }):toarray(), { { 1, 5, 0 }, { 0, 2, 6 }, { 0, 0, 3 } })
    values(sp.spdiags(data, { 0, 1 }, { 2, 3 }):toarray(), { { 1, 5, 0 }, { 0, 2, 6 } })
    values(sp.spdiags({ 1, 2 }, { 0 }):toarray(), { { 1, 0 }, { 0, 2 } })
    shape(sp.diags({}):toarray(), 0, 0)
    shape(sp.diags(cp.zeros { 0 }):toarray(), 0, 0)
    check.failure("shape", "scipy.sparse.diags: 0 diagonals for 3 offsets", function() sp.diags({}, { -4, 2, -1 }) end)
  end)

  it("know no diagonals outside of the shape", function()
    values(sp.eye(2, 3, 3):toarray(), { { 0, 0, 0 }, { 0, 0, 0 } })
    values(sp.eye(2, 3, -2):toarray(), { { 0, 0, 0 }, { 0, 0, 0 } })
    for _, name in ipairs { "eye", "eye_array" } do
      local fact = "scipy.sparse." .. name .. ": k is %d, but an array of shape (2, 3) has no such diagonal"
      for _, k in ipairs { 4, -3 } do
        check.failure("shape", fact:format(k), function() sp[name](2, 3, k) end)
      end
    end
  end)

  it("give no length to rows and columns without blocks", function()
    local A = sp.csr_array { { 1, 2 } }
    shape(sp.block_array({ { false, false } }):toarray(), 0, 0)
    values(sp.block_array({ { A, false }, { false, false } }):toarray(), { { 1, 2 } })
    values(sp.block_array({ { false, A, A } }):toarray(), { { 1, 2, 1, 2 } })
    values(sp.vstack({ sp.csr_array { 0, 2 }, A }):toarray(), { { 1, 2 } })
    for _, name in ipairs { "hstack", "vstack", "block_array" } do
      check.failure("usage", "scipy.sparse." .. name .. ": needs at least one block", function() sp[name] {} end)
    end
  end)
end)

describe("coo arrays", function()
  it("tell whether their entries are in order and not repeated", function()
    local function order(rows, columns)
      return sp.coo_array({ cp.ones(#rows), { cp.index(rows), cp.index(columns) } }, { shape = { 3, 3 } })
    end
    assert.is_false(order({ 3, 1 }, { 1, 2 }).has_canonical_format)
    assert.is_false(order({ 1, 1 }, { 2, 1 }).has_canonical_format)
    assert.is_false(order({ 1, 1 }, { 2, 2 }).has_canonical_format)
    assert.is_true(order({ 1, 1, 3 }, { 2, 3, 1 }).has_canonical_format)
    assert.is_true(order({}, {}).has_canonical_format)
    local A = order({ 3, 1, 1 }, { 1, 2, 2 })
    assert.is_false(A.has_canonical_format)
    A:sum_duplicates()
    assert.is_true(A.has_canonical_format)
    A.row[1] = 2
    assert.is_false(A.has_canonical_format)
  end)

  it("may have more rows than fit into memory", function()
    local n = 2 ^ 33
    local A = sp.coo_array({ { 1, 2, -3, 0, 2 }, { cp.index { n, 5, 7, 9, 5 }, cp.index { 3, n, 2, 2, n } } },
      { shape = { n, n } })
    values(A:count_nonzero(), 3)
    values(A:max(), 4)
    values(A:min(), -3)
    values(A:sum(), 2)
    values(sp.coo_array(A / -4):nanmax { explicit = true }, 0.75)
    local B = cp.round(A / 3, 1)
    values(B.data, { 1.3, -1, 0, 0.3 })
    values(B.row, { 4, 6, 8, n - 1 })
    values(B.col, { n - 1, 1, 1, 2 })
    A:sum_duplicates()
    assert.same({ 4, true }, { A.nnz, A.has_canonical_format })
  end)
end)

describe("sparse arrays", function()
  it("are rounded", function()
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
      local A = sp.csr_array({ { 1.26, 0 }, { -3.45, 12.5 } }):asformat(format)
      values(A:round(1):toarray(), { { 1.3, 0 }, { -3.4, 12.5 } })
      values(A:round():toarray(), { { 1, 0 }, { -3, 12 } })
      values(A:round(-1):toarray(), { { 0, 0 }, { 0, 10 } })
      assert.equal(format, A:round(1).format)
    end
    values(sp.csr_array(cp.array { 0.06, 0 }):round(1):toarray(), { 0.1, 0 })
    values(cp.around(sp.csr_array { { 1.26, 0 } }, 1):toarray(), { { 1.3, 0 } })
    local twice = sp.coo_array({ { 0.4, 0.4 }, { cp.index { 1, 1 }, cp.index { 1, 1 } } }, { shape = { 1, 1 } })
    values(twice:round():toarray(), { { 1 } })
  end)

  it("are not copied to a dtype that they have, if that is not asked for", function()
    local A = sp.csr_array { { 1, 2 }, { 3, 0 } }
    local B = A:astype("float64", { copy = false })
    assert.is_true(cp.shares_memory(A.data, B.data) and cp.shares_memory(A.indices, B.indices))
    assert.is_false(cp.shares_memory(A.data, A:astype("float64").data))
    local C = A:astype("float32", { copy = false })
    assert.equal("float32", C.dtype)
    assert.is_false(cp.shares_memory(A.indices, C.indices))
    local v = A[{ 1, {} }]
    assert.same({ "(2)", true }, { tostring(v:astype("float64", false).shape),
      cp.shares_memory(v.data, v:astype("float64", false).data) })
  end)

  it("do not suggest the name that they lack", function()
    check.failure("usage", "index: a csr array has no field or method 'coords'",
      function() local _ = sp.csr_array({ 2, 2 }).coords end)
    local _, message = pcall(function() return sp.csr_array({ 2, 2 }).coords end)
    assert.is_nil(message:find("did you mean", 1, true))
  end)
end)
