-- Operations on two sparse arrays that the CPU computes in one pass, beside the same on dense arrays.
local cp = require "cupola"
local sp = cp.sparse

describe("operations on pairs of elements", function()
  -- A matrix of small integers, also negative ones and stored zeros.
  local function matrix(dtype, seed)
    local A = sp.random(40, 30, 0.3, { seed = seed }):tocsr()
    local data = (cp.floor(A.data * 9) - 4):astype(dtype)
    if dtype:find "float" then
      data[3], data[4], data[5], data[6] = 0 / 0, math.huge, -math.huge, -0.0
    end
    return sp.csr_array { data = data, indices = A.indices, indptr = A.indptr, shape = { 40, 30 } }
  end

  for _, dtype in ipairs { "int8", "int32", "int64", "float32", "float64" } do
    for _, name in ipairs { "multiply", "maximum", "minimum", "lt", "gt", "ne" } do
      it(name .. " of " .. dtype .. " are those of dense arrays", function()
        local A, B = matrix(dtype, 1), matrix(dtype, 2)
        local of_dense = cp[({ lt = "less", gt = "greater", ne = "not_equal" })[name] or name]
        for _, pair in ipairs { { A, B }, { B, A }, { A, A }, { A:tocsc(), B }, { A, A * 0 } } do
          local C = pair[1][name](pair[1], pair[2])
          local wanted = of_dense(pair[1]:toarray(), pair[2]:toarray())
          assert.equal(wanted.dtype, C.dtype)
          assert.is_true(cp.array_equal(C:toarray(), wanted, { equal_nan = dtype:find "float" ~= nil }))
          assert.equal(cp.count_nonzero(wanted):item(), C.nnz)
          assert.is_true(C.has_canonical_format)
        end
      end)
    end
  end

  it("diagonals and elements of every format are those of dense arrays", function()
    local A = matrix("float32", 3)
    local dense = A:toarray()
    local rows, columns = cp.index { 1, 40, 7, 7, 20 }, cp.index { 30, 1, 8, 9, 20 }
    for _, format in ipairs { "csr", "csc", "coo", "dia" } do
      local B = A:asformat(format)
      for _, k in ipairs { 0, 3, -12, 29, -39 } do
        assert.is_true(cp.array_equal(B:diagonal(k), cp.diagonal(dense, k), { equal_nan = true }))
      end
      assert.is_true(cp.array_equal(B[{ rows, columns }], dense[{ rows, columns }], { equal_nan = true }))
    end
  end)
end)
