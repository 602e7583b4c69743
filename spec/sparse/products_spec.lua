-- Products of sparse arrays large enough to be cut into tiles, with long, short and empty rows: exact sums of
-- integers, against sums over the triplets.

local cp = require "cupola"
local core = require "cupola.core"

local sp = cp.sparse

local N = 4000

-- Arrays of N columns, or as many as given, with rows of 0 to 40 entries, or `most`. full: one row has all
-- columns. Returns the triplets too.
local function example(rows, full, dtype, index, columns, most)
  columns = columns or N
  local lengths = cp.arange(rows) * 7 % ((most or 40) + 1)
  if full then lengths[1235] = N end
  local indptr = cp.concatenate { cp.zeros({ 1 }, "int64"), cp.cumsum(lengths) }
  local row = cp.repeats(cp.arange(rows), lengths)
  local within = cp.arange(#row) - indptr[row + 1]
  local col = (row * 31 + within * 97) % columns
  local data = ((row + within) % 5 - 2):astype(dtype)
  local A = sp.csr_array { data = data, indices = col:astype(index), indptr = indptr:astype(index),
    shape = { rows, columns } }
  return A, row + 1, col + 1, data
end

-- What A times the vector x is.
local function expected(rows, row, col, data, x)
  local out = cp.zeros({ rows }, x.dtype)
  out:scatter_add({ row }, data * x[col])
  return out
end

-- The same values, at addresses that are aligned to no more than one of them.
local function shifted(v) return cp.concatenate({ v[{ { 1, 1 } }], v })[{ { 2, #v + 1 } }] end

-- Columns that are multiples of x.
local function multiples(x, width) return x:reshape { -1, 1 } * ((cp.arange(width) % 5) - 2):astype(x.dtype) end

describe("products of large sparse arrays", function()
  for _, full in ipairs { false, true } do
    for _, dtype in ipairs { "float32", "int32", "complex128" } do
      it(("of %s with %s rows are exact"):format(dtype, full and "long" or "short"), function()
        for _, rows in ipairs { 4000, 4110 } do
          local A, row, col, data = example(rows, full, dtype, rows == 4000 and "int32" or "int64")
          local x = (cp.arange(N) % 7 - 3):astype(dtype)
          local y = expected(rows, row, col, data, x)
          assert.is_true(cp.array_equal(A:dot(x), y))
          assert.is_true(cp.array_equal(A:sum(2), expected(rows, row, col, data, cp.ones({ N }, dtype))))
          local z = (cp.arange(rows) % 3):astype(dtype)
          local other = z:copy()
          assert.is_true(cp.array_equal(A:dot(x, { alpha = 3, add = z }), y * 3 + z))
          assert.is_true(cp.array_equal(A:dot(x, { alpha = z, beta = -1, add = y }), y * z - y))
          assert.is_true(rawequal(other, A:dot(x, { beta = 2, out = other })))
          assert.is_true(cp.array_equal(other, y + z * 2))
          for _, width in ipairs(rows == 4000 and { 2, 3, 8, 36 } or { 1, 133 }) do
            local X, Y, Z = multiples(x, width), multiples(y, width), multiples(z, width)
            assert.is_true(cp.array_equal(A:dot(X), Y), width)
            assert.is_true(cp.array_equal(A:dot(X, { alpha = -2, beta = 3, add = Z }), Z * 3 - Y * 2), width)
            assert.is_true(cp.array_equal(A:dot(X, { alpha = Z, add = Z }), Z * Y + Z), width)
          end
        end
      end)
    end
  end

  it("with a vector are also summed with it in the same kernel", function()
    for _, dtype in ipairs { "float32", "float64", "complex64" } do
      local A, row, col, data = example(N, false, dtype, "int32")
      local x = (cp.arange(N) % 7 - 3):astype(dtype)
      local y = expected(N, row, col, data, x)
      local product, sum = core.sparse.times_and_dot("it", core.sparse_fields(A), x)
      assert.is_true(cp.array_equal(product, y))
      assert.equal(dtype ~= "complex64", sum ~= nil)
      if sum then assert.equal(cp.sum(x * y):item(), sum:item()) end
    end
    local A = example(4110, false, "float32", "int32") -- not square
    local _, sum = core.sparse.times_and_dot("it", core.sparse_fields(A), cp.ones({ N }, "float32"))
    assert.is_nil(sum)
  end)

  it("are exact where there are more tiles than a GPU runs at a time", function()
    local n = 100000
    for case = 1, 6 do -- on average rows have more than 8 entries, which a GPU reads by pieces, or fewer
      local dtype = ({ "float32", "float64", "complex128" })[math.ceil(case / 2)]
      local most = case % 2 == 0 and 9 or 40
      local A, row, col, data = example(n, false, dtype, dtype == "float64" and "int64" or "int32", n, most)
      local x = (cp.arange(n) % 7 - 3):astype(dtype)
      local y = expected(n, row, col, data, x)
      local product, sum = core.sparse.times_and_dot("it", core.sparse_fields(A), x)
      assert.is_true(cp.array_equal(product, y))
      if sum then assert.equal(cp.sum(x * y):item(), sum:item()) end
      assert.is_true(cp.array_equal(A:dot(x, { alpha = 2, add = y }), y * 3))
      assert.is_true(cp.array_equal(A:sum(2), expected(n, row, col, data, cp.ones({ n }, dtype))))
    end
  end)

  -- Rows of up to 20 entries, so that a row of the product of two has few products.
  it("with each other are exact, sorted and without repeated places", function()
    for _, dtype in ipairs { "float32", "int64", "complex128", "bool" } do
      local A = example(3000, false, dtype == "bool" and "int32" or dtype, dtype == "int64" and "int64" or "int32")
      A = A[{ {}, { 1, N, 2 } }]:astype(dtype) -- each second column
      local B = example(N / 2, false, dtype == "bool" and "int32" or dtype, dtype == "int64" and "int64" or "int32")
      B = B[{ {}, { 1, N, 2 } }]:astype(dtype)
      local C = A:matmul(B)
      local again = sp.csr_array { data = C.data, indices = C.indices, indptr = C.indptr, shape = C.shape }
      assert.is_true(again.has_canonical_format)
      local x = (cp.arange(N / 2) % 7 - 3):astype(dtype == "bool" and "int32" or dtype)
      if dtype == "bool" then
        assert.is_true(C:astype "int32" == A:astype("int32"):matmul(B:astype "int32"):gt(0):astype "int32")
      else
        assert.is_true(cp.array_equal(C:dot(x), A:dot(B:dot(x))))
      end
      assert.equal(3000, #C.indptr - 1)
    end
    local none = sp.csr_array { 3000, N / 2 }
    assert.equal(0, none:matmul(sp.csr_array { N / 2, 10 }).nnz)
  end)

  -- Rows of 40 times 80 products among short ones, and rows of b in two windows of columns.
  it("with each other are exact where some rows have thousands of products", function()
    for _, dtype in ipairs { "float32", "int64", "complex128" } do
      local wide = dtype == "int64" and 200000 or 5000
      local lengths = cp.where((cp.arange(150) % 3):eq(1), 40, cp.arange(150) % 4):astype "int64"
      local function rows_of(counts, columns, step)
        local indptr = cp.concatenate { cp.zeros({ 1 }, "int64"), cp.cumsum(counts) }
        local row = cp.repeats(cp.arange(#counts), counts)
        local within = cp.arange(#row) - indptr[row + 1]
        local col = row % 7 + within * step
        return sp.csr_array { data = ((row + within) % 5 - 2):astype(dtype), indices = col:astype "int32",
          indptr = indptr:astype "int32", shape = { #counts, columns } }
      end
      local A = rows_of(lengths, 400, 9)
      local B = rows_of(cp.where((cp.arange(400) % 50):eq(0), 0, 80):astype "int64", wide, math.floor((wide - 7) / 80))
      local C = A:matmul(B)
      local again = sp.csr_array { data = C.data, indices = C.indices, indptr = C.indptr, shape = C.shape }
      assert.is_true(again.has_canonical_format)
      local x = (cp.arange(wide) % 7 - 3):astype(dtype)
      assert.is_true(cp.array_equal(C:dot(x), A:dot(B:dot(x))))
    end
  end)

  it("of dense matrices at the places of a sparse one are those of the whole product", function()
    local mask = (cp.arange(1200) * 7 % 10):lt(3):reshape { 30, 40 }
    mask[{ 5, {} }], mask[{ 6, {} }] = false, true
    for _, case in ipairs { { "float32", "csr", 8 }, { "float64", "csc", 1 }, { "complex64", "coo", 3 },
      { "complex128", "csr", 70 }, { "int64", "csc", 33 }, { "bool", "csr", 4 }, { "float16", "dia", 100 } } do
      local dtype, format, width = case[1], case[2], case[3]
      local function matrix(rows, columns)
        return (cp.arange(rows * columns) * 11 % 5 - 2):astype(dtype == "bool" and "int32" or dtype)
          :reshape { rows, columns }:astype(dtype)
      end
      local A, x, y = sp.csr_array(mask:astype(dtype)):asformat(format), matrix(30, width), matrix(width, 40)
      local B, whole = sp.sampled_matmul(A, x, y), cp.matmul(x, y)
      assert.same({ format, dtype, A.nnz }, { B.format, B.dtype, format == "dia" and A.nnz or B.nnz })
      assert.is_true(cp.array_equal(B:toarray(), cp.where(mask, whole, cp.zeros_like(whole))), dtype)
    end
    local A, x = sp.csr_array(mask:astype "float32"), cp.ones({ 30, 2 }, "float32")
    assert.is_true(sp.sampled_matmul(A, x, cp.ones({ 2, 40 }, "float32"), { alpha = 3, beta = -1 }) == A * 5)
    assert.equal(0, sp.sampled_matmul(sp.csr_array { 3, 4 }, cp.ones { 3, 0 }, cp.ones { 0, 4 }).nnz)
    assert.has_error(function() sp.sampled_matmul(A, x, x) end)
  end)

  it("read right sides that are not aligned", function()
    local A, row, col, data = example(4000, true, "float32", "int32")
    local x = (cp.arange(N) % 7 - 3):astype "float32"
    local X = cp.concatenate { cp.zeros({ 1 }, "float32"), multiples(x, 8):reshape(-1) }
    X = X[{ { 2, N * 8 + 1 } }]:reshape { N, 8 }
    assert.is_true(cp.array_equal(A:dot(X), multiples(expected(4000, row, col, data, x), 8)))
  end)

  it("read entries that are not aligned, and skip empty rows", function()
    local A, row, col, data = example(4000, false, "float32", "int32")
    local x = (cp.arange(N) % 7 - 3):astype "float32"
    local y = expected(4000, row, col, data, x)
    local B = sp.csr_array { data = shifted(A.data), indices = shifted(A.indices), indptr = A.indptr,
      shape = { 4000, N } }
    assert.is_true(cp.array_equal(B:dot(x), y))
    local none = cp.zeros({ 3000 }, "int32")
    local C = sp.csr_array { data = A.data, indices = A.indices,
      indptr = cp.concatenate { none, A.indptr, none + A.nnz }, shape = { 10000, N } }
    assert.is_true(cp.array_equal(C:dot(x), cp.concatenate { none, y, none }))
    assert.is_true(cp.array_equal((C + C):dot(x), cp.concatenate { none, y * 2, none }))
    local D = sp.csr_array { data = C.T:tocsr().data, indices = C.T:tocsr().indices, indptr = C.T:tocsr().indptr,
      shape = { N, 10000 } }
    assert.is_true(cp.array_equal(D.T:dot(x), C:dot(x)))
  end)

  it("are exact where rows are much the same in length, whatever words their entries are read by", function()
    for _, dtype in ipairs { "float32", "int32", "float64", "int64", "complex64" } do
      for _, most in ipairs { 11, 13, 29, 75 } do -- some, most or more of what a GPU reads at once
        for _, index in ipairs { "int32", "int64" } do
          local A, row, col, data = example(20011, false, dtype, index, 20011, most)
          local x = (cp.arange(20011) % 7 - 3):astype(dtype)
          local y = expected(20011, row, col, data, x)
          local sums = expected(20011, row, col, data, cp.ones({ 20011 }, dtype))
          local B = sp.csr_array { data = shifted(A.data), indices = A.indices, indptr = A.indptr, shape = A.shape }
          local D = sp.csr_array { data = A.data, indices = shifted(A.indices), indptr = A.indptr, shape = A.shape }
          for case, C in ipairs { A, B, D } do
            local text = ("%s %d %s %d"):format(dtype, most, index, case)
            assert.is_true(cp.array_equal(C:dot(x), y), text)
            assert.is_true(cp.array_equal(C:dot(shifted(x)), y), text)
            assert.is_true(cp.array_equal(C:dot(x, { alpha = -2, beta = 3, add = y }), y), text)
            assert.is_true(cp.array_equal(C:sum(2), sums), text)
            local product, sum = core.sparse.times_and_dot("it", core.sparse_fields(C), x)
            assert.is_true(cp.array_equal(product, y), text)
            if sum then assert.equal(cp.sum(x * y):item(), sum:item(), text) end
          end
        end
      end
    end
  end)

  it("have nan and infinities in their own rows only", function()
    for _, dtype in ipairs { "float32", "float64", "complex64" } do
      for _, most in ipairs { 11, 29 } do
        local A, row, col, data = example(20011, false, dtype, "int32", 20011, most)
        local x = cp.ones({ 20011 }, dtype)
        local odd = cp.equal(cp.mod(row, 3), 0) -- whose entries have others beside them
        for _, value in ipairs { math.huge, -math.huge, 0 / 0 } do
          local other = cp.where(odd, cp.full({ 1 }, value, dtype), data)
          local B = sp.csr_array { data = other, indices = A.indices, indptr = A.indptr, shape = A.shape }
          local y = B:dot(x)
          local plain = cp.not_equal(cp.mod(cp.arange(1, 20012), 3), 0)
          assert.is_true(cp.array_equal(y[plain], expected(20011, row, col, data, x)[plain]))
          local sums = expected(20011, row, col, other, x)
          assert.is_true(cp.array_equal(cp.real(y), cp.real(sums), { equal_nan = true }))
          assert.is_true(cp.array_equal(cp.real(B:sum(2)), cp.real(sums), { equal_nan = true }))
        end
      end
    end
  end)

  it("have a last entry without a neighbour, in a row among empty ones", function()
    for _, dtype in ipairs { "float32", "int32" } do
      for _, most in ipairs { 11, 29 } do
        local A, row, col, data = example(20011, false, dtype, "int32", 20011, most)
        local x = (cp.arange(20011) % 7 - 3):astype(dtype)
        for less = 0, 1 do -- an odd and an even number of entries
          local last = A.nnz - less
          local first = { { 1, last } }
          local none = cp.full({ 3 }, last, "int32")
          local B = sp.csr_array { data = A.data[first], indices = A.indices[first], shape = { 20014, 20011 },
            indptr = cp.concatenate { cp.minimum(A.indptr, last), none } }
          local y = expected(20014, row[first], col[first], data[first], x)
          assert.is_true(cp.array_equal(B:dot(x), y))
          assert.is_true(cp.array_equal(B:sum(2),
            expected(20014, row[first], col[first], data[first], cp.ones({ 20011 }, dtype))))
        end
      end
    end
  end)

  it("have no elements where the arrays have none", function()
    local function shape(A, x) return tostring(A:matmul(x).shape) end
    assert.equal("(3, 3, 2)", shape(sp.csr_array { 3, 0 }, cp.ones { 3, 0, 2 }))
    assert.is_true(cp.array_equal(sp.csr_array({ 3, 0 }):matmul(cp.ones { 3, 0, 2 }), cp.zeros { 3, 3, 2 }))
    assert.equal("(2, 0, 2)", shape(sp.csr_array { 0, 3 }, cp.ones { 2, 3, 2 }))
    assert.equal("(2, 4, 0)", shape(sp.csr_array { 4, 3 }, cp.ones { 2, 3, 0 }))
    assert.equal("(0, 4, 2)", shape(sp.csr_array { 4, 3 }, cp.ones { 0, 3, 2 }))
  end)
end)
