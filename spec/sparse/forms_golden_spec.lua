-- Conversions, slices, sums and products of sparse arrays with and without the functions that move entries in
-- place (core.sparse_forms), which some devices lack: both must give the same, and what dense arrays give.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"

local sp = cp.sparse

-- Calls f as devices without the functions would have it.
local function by_sorting(f, ...)
  local forms = core.sparse_forms
  rawset(core, "sparse_forms", function() return false end)
  local ok, result = pcall(f, ...)
  rawset(core, "sparse_forms", forms)
  assert(ok, result)
  return result
end

local function same_array(x, y, what)
  if x.size == 0 and y.size == 0 then return assert.same(x.shape, y.shape, what) end
  assert.is_true(x.dtype == y.dtype and cp.array_equal(x, y, core.is_inexact(x)),
    ("%s: %s\nis not\n%s"):format(what, tostring(x), tostring(y)))
end

-- Both have the same arrays, up to rounding of values that are sums.
local function same_parts(A, B, what)
  assert.equal(A.format, B.format)
  assert.equal(A.dtype, B.dtype)
  assert.equal(A.has_canonical_format, B.has_canonical_format, what)
  for _, name in ipairs(A.format == "coo" and { "row", "col" } or { "indptr", "indices" }) do
    same_array(B[name]:astype "int64", A[name]:astype "int64", what .. ", " .. name)
  end
  local tolerance = A.dtype == "float16" and 0.02 or 1e-6
  local close = cp.allclose(A.data, B.data, { rtol = tolerance, atol = tolerance, equal_nan = true })
  assert.is_true(close, what .. ", data")
end

-- Arrays of all kinds of rows: empty, full, long, unsorted, with repeated places; and both index dtypes.
local function examples(dtype)
  local rng = cp.random.RandomState(3)
  local list = {}
  local function add(name, m, n, rows, columns, index)
    local count = #rows
    local data = (rng:random_sample { count } * 8 - 4):astype(dtype)
    if dtype == "bool" then data = cp.ones({ count }, "bool") end
    local coo = sp.coo_array { data = data, row = cp.index(rows), col = cp.index(columns), shape = { m, n } }
    if index == "int64" then
      coo.row, coo.col = coo.row, coo.col
      coo = sp.csr_array { data = coo:tocsr().data, indices = coo:tocsr().indices:astype "int64",
        indptr = coo:tocsr().indptr:astype "int64", shape = { m, n } }:tocoo()
    end
    list[#list + 1] = { name = name, A = coo, rows = rows, columns = columns, data = data, m = m, n = n }
  end
  local function draw(n, most)
    local values = {}
    for k, v in ipairs(rng:random_sample({ n }):totable()) do values[k] = math.floor(v * most) end
    return values
  end
  add("few", 7, 5, draw(12, 7), draw(12, 5))
  add("wide positions", 7, 5, draw(12, 7), draw(12, 5), "int64")
  add("many repeated", 4, 6, draw(60, 4), draw(60, 6))
  local long, across = draw(300, 3), draw(300, 200)
  add("long rows", 3, 200, long, across)
  add("long columns", 200, 3, across, long)
  add("one row", 1, 9, draw(5, 1), draw(5, 9))
  return list
end

local DTYPES = { "float64", "float32", "complex64", "complex128", "int32", "int8", "float16", "bool" }

-- Rows as they come, unsorted and with repeated places.
local function raw(e)
  local starts, at, values = { 0 }, {}, {}
  local data = e.data:astype(e.data.dtype == "float16" and "float32" or e.data.dtype):totable()
  for row = 0, e.m - 1 do
    for k, r in ipairs(e.rows) do
      if r == row then at[#at + 1], values[#values + 1] = e.columns[k], data[k] end
    end
    starts[row + 2] = #at
  end
  return sp.csr_array { data = cp.array(values, { dtype = e.data.dtype }), indices = cp.index(at):astype "int32",
    indptr = cp.index(starts):astype "int32", shape = { e.m, e.n } }
end

describe("sparse arrays", function()
  for _, dtype in ipairs(DTYPES) do
    it("take the same forms with and without work in place, " .. dtype, function()
      for _, e in ipairs(examples(dtype)) do
        for name, f in pairs {
          tocsr = function() return e.A:tocsr() end, tocsc = function() return e.A:tocsc() end,
          turned = function() return e.A:tocsr():tocsc() end, back = function() return e.A:tocsc():tocsr() end,
          raw_to_csc = function() return raw(e):tocsc() end,
          rows = function() return e.A:tocsr()[{ cp.index { e.m, 1, 1, e.m } }] end,
          columns = function() return e.A:tocsr()[{ {}, cp.index { e.n, 1, 1 } }] end,
          range = function() return e.A:tocsc()[{ { 1, e.m }, { 1, e.n, 2 } }] end,
          tidy = function()
            local A = raw(e)
            A:sum_duplicates()
            return A
          end,
          sums = function() return raw(e) + e.A:tocsr() end, product = function() return raw(e) * e.A:tocsr() end,
          squares = function() return e.A:tocsr():matmul(e.A.T:tocsr()) end,
          raw_squares = function() return raw(e).T:tocsr():matmul(raw(e)) end,
        } do
          same_parts(by_sorting(f), f(), e.name .. ", " .. name)
        end
        local dense = e.A:toarray()
        same_array(by_sorting(function() return e.A:toarray() end), dense, e.name)
        same_array(raw(e):toarray(), dense, e.name)
        same_array(e.A:tocsc():toarray(), dense, e.name)
        same_array(cp.ascontiguousarray(e.A:tocsr():toarray "F"), dense, e.name)
      end
    end)
  end

  it("without rows, columns or entries take all forms", function()
    for _, shape in ipairs { { 0, 0 }, { 0, 4 }, { 4, 0 }, { 3, 5 } } do
      local A = sp.csr_array(shape)
      assert.same({ tostring(cp.zeros(shape)) }, { tostring(A:toarray()) })
      for _, B in ipairs { A:tocsc(), A:tocoo():tocsr(), A + A, A * A, A:tocsc():tocsr(), A[{ {}, {} }] } do
        assert.equal(0, B.nnz)
        assert.same({ shape[1], shape[2] }, { B.shape[1], B.shape[2] })
      end
      assert.same({ shape[1], shape[1] }, { A:matmul(A.T):toarray().shape[1], A:matmul(A.T):toarray().shape[2] })
    end
  end)

  it("multiply as dense ones do where rows are long, short, spread and in order", function()
    local rng = cp.random.RandomState(5)
    for _, case in ipairs { { 50, 50, 0.5 }, { 40, 3000, 0.01 }, { 300, 300, 0.02 }, { 5, 20000, 0.001 } } do
      local m, n, density = case[1], case[2], case[3]
      local A = sp.csr_array(cp.where(rng:random_sample({ m, n }):lt(density), rng:random_sample { m, n }, 0))
      for _, pair in ipairs { { A, A.T }, { A.T, A } } do
        if pair[1].shape[1] <= 3000 then
          local C = pair[1]:matmul(pair[2])
          assert.is_true(C.has_canonical_format)
          local x, y = pair[1]:toarray(), pair[2]:toarray()
          assert.is_true(cp.allclose(C:toarray(), cp.matmul(x, y), { rtol = 1e-12 }))
        end
      end
    end
  end)

  it("are added where both have the same rows, in whole or in part", function()
    local rng = cp.random.RandomState(6)
    local n = 9000 -- more rows than are looked at at once
    local offsets = { -2, -1, 0, 1, 2 }
    local function banded()
      return sp.dia_array({ rng:random_sample { 5, n }, offsets }, { shape = { n, n } }):tocsr()
    end
    local A, B = banded(), banded()
    for _, change in ipairs { function() end, function() B[{ 4000, 17 }] = 3 end, function() B[{ 1, 9 }] = 5 end } do
      change()
      local C = A + B
      same_parts(by_sorting(function() return A + B end), C, "sum")
      assert.equal(B.nnz, C.nnz)
      assert.is_true(cp.max((C - B - A):abs()):item() < 1e-12)
      assert.equal(0, (A - A).nnz)
    end
  end)

  it("are added and subtracted where places differ and values cancel, in every dtype", function()
    local m, n = 70, 90
    local at = cp.arange(m * n):reshape(m, n)
    local function pattern(step, of) return cp.equal(at % step, 0) * (at % of - 3) end
    for _, dtype in ipairs { "int32", "int64", "float32", "float64", "complex64", "complex128" } do
      local unit = dtype:find "complex" and cp.complex(1, -2) or 1
      local x, y = pattern(3, 7) * unit, pattern(5, 11) * unit
      for _, pair in ipairs { { x, y }, { x, cp.where(cp.equal(at % 2, 0), x, y) }, { x, x * 0 }, { y, -y } } do
        local a, b = pair[1]:astype(dtype), pair[2]:astype(dtype)
        for name, want in pairs { add = a + b, subtract = a - b } do
          local C = cp[name](sp.csr_array(a), sp.csr_array(b))
          same_array(C:toarray(), want, name .. ", " .. dtype)
          assert.equal(cp.count_nonzero(want):item(), C.nnz)
          assert.is_true(C.has_canonical_format)
        end
      end
    end
  end)

  it("repeat their bits with any number of threads", function()
    local A = sp.random(3000, 3000, 0.01, { seed = 4, format = "csr" })
    local x = A:matmul(A)
    local function bits(B) return B.data:tobytes() .. B.indices:tobytes() end
    assert.equal(bits(x), bits(A:matmul(A)))
    local t = A:tocsc()
    assert.equal(bits(t), bits(A:tocsc()))
    assert.is_true(t:tocsr() == A and bits(t:tocsr()) == bits(A))
  end)

  it("multiply by infinity and nan as SciPy's do", function()
    local A = sp.csr_array { { math.huge, 0, 2 }, { 0, 1, 0 } }
    local B = sp.csr_array { { 0, 0 / 0, 3 }, { 0, math.huge, 0 } }
    for _, C in ipairs { A * B, by_sorting(function() return A * B end) } do
      local x = C:toarray()
      assert.is_true(cp.isnan(x[{ 1, 1 }]) and cp.isnan(x[{ 1, 2 }]))
      assert.same({ 6, math.huge, 4 }, { x[{ 1, 3 }], x[{ 2, 2 }], C.nnz })
    end
  end)

  it("keep exact integers where both have different dtypes", function()
    local A = sp.csr_array(cp.array({ { 2 ^ 53, 1 } }, "float64"):astype "int64" + 1)
    local B = sp.csr_array(cp.array({ { 2 ^ 53, 2 } }, "float64"):astype "uint64")
    assert.equal(1, (A:ne(B)).nnz)
    assert.equal("int64", (A + B:astype "int32").dtype)
  end)

  it("name what does not fit", function()
    check.failure("shape", "scipy.sparse.add: shapes (2, 2) and (2, 3) differ",
      function() local _ = sp.eye(2) + sp.eye(2, 3) end)
  end)
end)
