-- Sparse arrays as objects: fields, counting, writes into positions, operators beside arrays, scopes,
-- devices, errors.

local cp = require "cupola"
local check = require "spec.helper.check"
local failure = check.failure

local sp = cp.sparse

local function example() return sp.csr_array { { 1, 0, 2 }, { 0, 0, 3 }, { 4, 5, 0 } } end

local function values(A) return check.values(A:toarray()) end

describe("a sparse array", function()
  it("has fields that are its arrays", function()
    local A = example()
    assert.same({ 1, 2, 3, 4, 5 }, A.data:totable())
    assert.same({ 0, 2, 2, 0, 1 }, A.indices:totable())
    assert.same({ 0, 2, 3, 5 }, A.indptr:totable())
    assert.equal("int32", A.indices.dtype)
    assert.equal("csr", A.format)
    assert.equal("(3, 3)", tostring(A.shape))
    assert.equal(5, A.nnz)
    assert.equal(2, A.ndim)
    assert.equal(3, #A)
    assert.equal(cp.device().name, A.device)
    assert.equal("sparse", cp.type(A))
    assert.is_false(cp.is_array(A))
    assert.is_true(sp.issparse(A) and not sp.issparse(A.data))
    A.data[1] = 9
    assert.equal(9, A[{ 1, 1 }])
    assert.equal("csr (3, 3) float64 " .. A.device .. ", 5 stored", tostring(A))
  end)

  it("counts raw arrays from 0 and triplets from 1, both ways", function()
    local raw = sp.csr_array { data = cp.array { 1, 2 }, indices = cp.index { 2, 0 }, indptr = cp.index { 0, 1, 2 },
      shape = { 2, 3 } }
    assert.same({ { 0, 0, 1 }, { 2, 0, 0 } }, values(raw))
    local triplets = sp.csr_array { { 1, 2 }, { { 1, 2 }, { 3, 1 } }, shape = { 2, 3 } }
    assert.is_true(raw == triplets)
    local zero = sp.csr_array { { 1, 2 }, { { 0, 1 }, { 2, 0 } }, shape = { 2, 3 }, base = 0 }
    assert.is_true(raw == zero)
    local one = sp.csr_array { data = cp.array { 1, 2 }, indices = cp.index { 3, 1 }, indptr = cp.index { 1, 2, 3 },
      shape = { 2, 3 }, base = 1 }
    assert.is_true(raw == one)
    local named = sp.coo_array { data = cp.array { 1, 2 }, row = cp.index { 0, 1 }, col = cp.index { 2, 0 } }
    assert.is_true(raw == named)
    local rows, columns, data = sp.find(raw)
    assert.is_true(raw == sp.coo_array({ data, { rows, columns } }, { shape = { 2, 3 } }))
    local places = raw:nonzero()
    assert.same({ { 1, 2 }, { 3, 1 } }, { places[1]:totable(), places[2]:totable() })
  end)

  it("keeps what it is made of without a copy", function()
    local data = cp.array { 1, 2 }
    local A = sp.csr_array { data = data, indices = cp.index({ 0, 1 }):astype "int32",
      indptr = cp.index({ 0, 1, 2 }):astype "int32", shape = { 2, 2 } }
    data[2] = 7
    assert.equal(7, A[{ 2, 2 }])
    assert.is_true(rawequal(data, A.data))
  end)

  it("sums repeated triplets", function()
    local A = sp.coo_array { { 1, 2, 4 }, { { 2, 1, 2 }, { 1, 1, 1 } }, shape = { 2, 2 } }
    assert.equal(3, A.nnz)
    assert.equal(2, A:tocsr().nnz)
    assert.same({ { 2, 0 }, { 5, 0 } }, values(A))
    assert.equal(5, A[{ 2, 1 }])
    A:sum_duplicates()
    assert.equal(2, A.nnz)
  end)

  it("notices writes into its positions", function()
    local A, x = example(), cp.ones(3)
    assert.same({ 3, 3, 9 }, A:dot(x):totable())
    A.indices[2] = 1e9
    failure("index", "scipy.sparse.dot: indices[1], counted from 0, is 1000000000; positions are 0 to 2",
      function() local _ = A:dot(x) end)
    A.indices[{ { 2, 2 } }]:assign(1)
    assert.same({ 1, 2, 0 }, A[{ 1, {} }]:toarray():totable())
    A.indptr[2] = 9
    failure("index", "scipy.sparse.toarray: indptr[0] and indptr[1], counted from 0, are 0 and 9; they must ascend",
      function() local _ = A:toarray() end)
    A.indptr[2], A.indptr[1] = 2, 1
    failure("index", "scipy.sparse.dot: indptr must begin with 0, not 1",
      function() local _ = A.T:dot(x) end)
  end)

  it("notices writes by its owner's views, and those that nobody can see", function()
    local indices = cp.index { 0, 1, 2 }
    local A = sp.csr_array { data = cp.array { 1, 2, 3 }, indices = indices[{ { 1, 3 } }],
      indptr = cp.index { 0, 1, 2, 3 }, shape = { 3, 3 } }
    assert.same({ 1, 2, 3 }, A:dot(cp.ones(3)):totable())
    indices[3] = -1
    assert.is_false(pcall(function() return A:dot(cp.ones(3)) end))
    indices[3] = 0
    assert.same({ 4, 2, 0 }, A.T:dot(cp.ones(3)):totable())
    if pcall(function() return indices.data.ptr end) then -- from here on others may write
      assert.same({ 1, 2, 3 }, A:dot(cp.ones(3)):totable())
      indices[2] = 77
      assert.is_false(pcall(function() return A:dot(cp.ones(3)) end))
    end
  end)

  it("sees new values after a write into data", function()
    local A = example():tocsc()
    assert.same({ 3, 3, 9 }, A:dot(cp.ones(3)):totable())
    A.data:mul_(2)
    assert.same({ 6, 6, 18 }, A:dot(cp.ones(3)):totable())
    A.data = cp.array { 1, 1, 1, 1, 1 }
    assert.same({ 2, 1, 2 }, A:dot(cp.ones(3)):totable())
  end)

  it("works beside arrays whose values are pending", function()
    local A, x = example(), cp.arange(3) + 1
    assert.same({ { 1, 0, 6 }, { 0, 0, 9 }, { 4, 10, 0 } }, values(x * A))
    assert.same({ { 1, 0, 6 }, { 0, 0, 9 }, { 4, 10, 0 } }, values(A * x))
    assert.same({ { 2, 2, 5 }, { 1, 2, 6 }, { 5, 7, 3 } }, (A + x):totable())
    assert.same({ { 0, 2, 1 }, { 1, 2, 0 }, { -3, -3, 3 } }, (x - A):totable())
    assert.same({ 7, 9, 14 }, A:dot(x):totable())
    assert.same({ 7, 9, 14 }, cp.matmul(A, x):totable())
    assert.same({ 13, 15, 8 }, cp.dot(x, A):totable())
    assert.same({ { 1, 0, 4 }, { 0, 0, 9 }, { 16, 25, 0 } }, values(A ^ 2))
    assert.same({ { 2, 0, 4 }, { 0, 0, 6 }, { 8, 10, 0 } }, values(A + A))
    assert.same({ { 2, 0, 4 }, { 0, 0, 6 }, { 8, 10, 0 } }, values(2 * A))
    assert.is_true(A == example() and A ~= A * 2 and A ~= example()[{ { 1, 2 }, {} }])
    assert.equal(15, cp.sum(A):item())
    assert.same({ { 3, 0, 6 }, { 0, 0, 9 }, { 12, 15, 0 } }, values(cp.multiply(A, 3)))
  end)

  it("multiplies in place with alpha and beta", function()
    local A, x, y = example(), cp.ones(3), cp.array { 10, 20, 30 }
    assert.is_true(rawequal(y, A:dot(x, { alpha = 2, beta = 0.5, out = y })))
    assert.same({ 11, 16, 33 }, y:totable())
  end)

  it("multiplies and adds in one kernel where it can", function()
    local A, x, b = sp.csr_array { { 1, 2 }, { 0, 3 } }, cp.array { 1, 2 }, cp.array { 10, 20 }
    local function launches(f)
      local before = cp.profiler.counters().launches
      f()
      return cp.profiler.counters().launches - before
    end
    A:dot(x)
    assert.equal(1, launches(function() A:dot(x, { alpha = 2, beta = 3, add = b }) end))
    assert.same({ 40, 72 }, A:dot(x, { alpha = 2, beta = 3, add = b }):totable())
    assert.same({ 15, 16 }, A:dot(x, { add = 10 }):totable())
    local s = cp.array { 1, 10 }
    assert.equal(1, launches(function() A:dot(x, { alpha = s, add = b }) end))
    assert.same({ 15, 80 }, A:dot(x, { alpha = s, add = b }):totable())
    assert.same({ 5, 60 }, A:dot(x, { alpha = s, out = s }):totable())
    assert.same({ 5, 60 }, A:dot(x, { alpha = cp.array({ 1, 10 }, "int64") }):totable())
    assert.same({ 2.5, 3 }, A:astype("int32"):dot(x:astype "int32", { alpha = 0.5 }):totable())
    assert.same({ 5, 6 }, A:dot(x, { out = x }):totable()) -- which it reads, too
    local wide = cp.zeros { 2, 2 }
    A:dot(b, { out = wide[{ {}, 2 }], alpha = 1 })
    assert.same({ { 0, 50 }, { 0, 60 } }, wide:totable())
    assert.has_error(function() A:dot(x, { beta = 2 }) end)
    assert.has_error(function() A:dot(x, { add = cp.ones(3) }) end)
  end)

  it("is returned from a scope, moved, copied and freed", function()
    local A = cp.scope(function() return example() * 2 end)
    assert.same({ { 2, 0, 4 }, { 0, 0, 6 }, { 8, 10, 0 } }, values(A))
    assert.is_true(A:to("cpu") == A:copy():cpu())
    local B = A:copy()
    A:free()
    failure("usage", "scipy.sparse.dot: ", function() local _ = A:dot(cp.ones(3)) end)
    assert.equal(24, 24 - 0 * B:sum():item())
    assert.equal("float32", B:astype("float32").dtype)
  end)

  it("keeps what is written into it two scopes deep", function()
    for _, format in ipairs { "csr", "dia" } do
      local A = example():asformat(format)
      cp.scope(function()
        local B = example()
        cp.scope(function()
          A[{ 1, 2 }], B[{ 1, 2 }] = 7, 7
          A:setdiag(9)
          A:dot(cp.ones(3))
        end)
        assert.equal(7, B[{ 1, 2 }])
        A:dot(cp.ones(3))
      end)
      assert.same({ { 9, 7, 2 }, { 0, 9, 3 }, { 4, 5, 9 } }, values(A), format)
      assert.same({ 13, 21, 14 }, A.T:dot(cp.ones(3)):totable())
    end
    local live, C = check.live(), example()
    cp.scope(function()
      for k = 1, 3 do C[{ 1, 2 }] = k end
    end)
    assert.equal(3, C[{ 1, 2 }])
    C:free()
    assert.equal(live, check.live()) -- what it had in between is free
  end)

  it("finds and sets elements", function()
    local A = example()
    assert.equal(0, A[{ 1, 2 }])
    assert.equal(5, A[{ -1, 2 }])
    assert.equal(3, A(2, 3))
    A[{ 1, 2 }] = 8
    assert.equal(6, A.nnz)
    assert.same({ { 1, 8, 2 }, { 0, 0, 3 }, { 4, 5, 0 } }, values(A))
    A["2, :"] = { 1, 2, 3 }
    assert.same({ { 1, 8, 2 }, { 1, 2, 3 }, { 4, 5, 0 } }, values(A))
    A[A:gt(3):toarray()] = -1
    assert.same({ { 1, -1, 2 }, { 1, 2, 3 }, { -1, -1, 0 } }, values(A))
    assert.same({ -1, -1, -1 }, A[A:lt(0):toarray()]:totable())
  end)

  it("sets diagonals that it has, and no others", function()
    local A = sp.csr_array { { 1, 0 }, { 2, 3 }, { 0, 0 } }
    A:setdiag(5, 1)
    A:setdiag({ 7, 8 }, -1)
    assert.same({ { 1, 5 }, { 7, 3 }, { 0, 8 } }, values(A))
    failure("usage", "scipy.sparse.setdiag: k is 2, but an array of shape (3, 2) has no such diagonal",
      function() A:setdiag(5, 2) return 1 end)
    failure("usage", "scipy.sparse.setdiag: k is -3, but an array of shape (3, 2) has no such diagonal",
      function() A:setdiag(5, -3) return 1 end)
  end)

  it("stands to the right of complex and typed numbers", function()
    local A = example()
    local twice = cp.complex(0, 2) * A
    assert.equal("complex128", twice.dtype)
    assert.same(values(A * 2), check.values(twice:toarray().imag))
    assert.same(values(A * 2), values(cp.scalar(2, "int8") * A))
    failure("usage", "scipy.sparse.add: the result would not be sparse; write 0+2j + A:toarray()",
      function() return (cp.complex(0, 2) + A):sum() end)
  end)

  it("has room for many rows, no rows and no columns", function()
    for _, format in ipairs { "csr", "csc", "coo" } do
      for _, shape in ipairs { { 0, 3 }, { 3, 0 }, { 0, 0 }, { 2, 3 } } do
        local A = sp[format .. "_array"](shape)
        assert.equal(0, A.nnz)
        assert.equal(("(%d, %d)"):format(shape[1], shape[2]), tostring(A:toarray().shape))
        assert.equal(shape[1], A:dot(cp.ones(shape[2])).size)
        assert.equal(0, A:dot(cp.ones { shape[2], 2 }):sum():item())
        assert.equal(0, A:sum():item())
        assert.equal(0, A.T:dot(A).nnz)
        assert.equal(0, (A + A).nnz)
      end
    end
  end)

  it("gives the same bits in every run", function()
    local A = sp.random(300, 200, 0.2, { seed = 5, format = "csr" })
    local x = cp.random.default_rng(3):random { 200 }
    local first = A:dot(x)
    for _ = 1, 3 do assert.is_true(cp.array_equal(first, A:dot(x))) end
  end)
end)

describe("products", function()
  -- Rows of very different lengths, and many entries: the ways that a GPU chooses by these.
  it("agree with dense ones for all kinds of rows", function()
    local n = 700
    local rng = cp.random.default_rng(11)
    for _, density in ipairs { 0.002, 0.05, 0.4 } do
      local A = sp.random(n, n, density, { seed = 4, format = "csr" })
      local skewed = sp.vstack { A, sp.csr_array(rng:random { 1, n }), sp.csr_array { 300, n }, A }
      for _, M in ipairs { A, skewed, skewed.T } do
        local dense = M:toarray()
        for _, width in ipairs { 1, 3, 33, 150 } do
          local x = rng:random { M.shape[2], width }
          assert.is_true(cp.allclose(M:dot(x), cp.matmul(dense, x)), density .. " x " .. width)
        end
        local v = rng:random { M.shape[2] }
        assert.is_true(cp.allclose(M:dot(v), cp.matmul(dense, v)))
        assert.is_true(cp.allclose(M:sum(2), dense:sum(2)))
        assert.is_true(cp.allclose(M:sum(1), dense:sum(1)))
      end
      if density < 0.1 then
        assert.is_true(cp.allclose(A:dot(A):toarray(), cp.matmul(A:toarray(), A:toarray())))
      end
    end
  end)

  it("of one very long row and of many empty ones", function()
    local n = 100000
    local row = sp.coo_array { data = cp.ones(n), row = cp.zeros({ n }, "int64"), col = cp.arange(n), shape = { 5, n } }
    assert.same({ n, 0, 0, 0, 0 }, row:dot(cp.ones(n)):totable())
    assert.equal(n, row.T:dot(cp.ones(5)):sum():item())
    local last = sp.coo_array { data = cp.ones(n), row = cp.arange(n) * 3, col = cp.zeros({ n }, "int64"),
      shape = { 3 * n + 7, 2 } }
    local y = last:dot(cp.array { 2, 0 })
    assert.equal(2 * n, y:sum():item())
    assert.equal(0, y[2])
    assert.equal(2, y[3 * n - 2])
    assert.equal(0, y[-1])
  end)

  it("take all dtypes", function()
    for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int64", "uint64", "float16", "bfloat16", "float32",
      "complex64", "complex128" } do
      local A = sp.csr_array(cp.array({ { 1, 0, 1 }, { 0, 1, 1 } }, { dtype = dtype }))
      local y = A:dot(cp.array({ 1, 0, 1 }, { dtype = dtype }))
      assert.equal(dtype, y.dtype)
      local isbool = dtype == "bool"
      assert.same(isbool and { true, true } or { 2, 1 }, y.real:astype(isbool and "bool" or "int64"):totable())
    end
    local wide = sp.csr_array { data = cp.array { 1, 2 }, indices = cp.index { 0, 1 }, indptr = cp.index { 0, 1, 2 },
      shape = { 2, 2 } }
    assert.equal("int64", wide.indices.dtype)
    assert.same({ 3, 8 }, wide:dot(cp.array { 3, 4 }):totable())
  end)
end)

describe("a builder", function()
  it("take powers in another dtype", function()
    local A = sp.csr_array { { 1, 200 }, { 0, 3 } }:astype "uint8"
    assert.equal("uint8", A:power(2).dtype)
    local B = A:power(2, "float32")
    assert.equal("float32", B.dtype)
    assert.is_true(cp.array_equal(B:toarray(), { { 1, 40000 }, { 0, 9 } }))
  end)

  it("takes entries one by one and in bulk", function()
    local b = sp.builder { 3, 3 }
    b:add(1, 1, 2):add(3, 2, 1):add(1, 1, 3)
    b:add({ 2, 3 }, { 2, 3 }, { 7, 8 })
    assert.same({ { 5, 0, 0 }, { 0, 7, 0 }, { 0, 1, 8 } }, values(b:tocsr()))
    failure("index", "scipy.sparse.builder: rows and columns count from 1", function() b:add(0, 1, 2) end)
  end)
end)

describe("a random sparse array", function()
  it("has as many different places as were asked for", function()
    for _, density in ipairs { 0, 0.01, 0.3, 0.9, 1 } do
      local A = sp.random(40, 50, density, { seed = 1 })
      assert.equal(math.floor(density * 2000 + 0.5), A.nnz)
      assert.equal(A.nnz, A:tocsr().nnz)
      assert.is_true(A.nnz == 0 or A.data:min():item() >= 0 and A.data:max():item() < 1)
    end
    assert.is_true(sp.random(9, 9, 0.5, { seed = 3 }) == sp.random(9, 9, 0.5, { seed = 3 }))
  end)
end)

describe("errors of sparse arrays", function()
  local A = example()

  -- What csr_array takes for n ones at these positions.
  local function raw(n, indices, indptr, shape)
    return { data = cp.ones(n), indices = cp.index(indices), indptr = cp.index(indptr), shape = shape }
  end

  it("name the function, the argument and the fact", function()
    failure("usage", "scipy.sparse.csr_matrix: there is one family of objects: use csr_array; A:matmul(B)",
      function() local _ = sp.csr_matrix { { 1 } } end)
    failure("usage", "scipy.sparse.add: the result would not be sparse; write A:toarray() + 1",
      function() local _ = A + 1 end)
    failure("usage", "scipy.sparse.exp: exp of 0 is not 0, so the result would not be sparse; write cp.exp(A:to",
      function() local _ = cp.exp(A) end)
    failure("usage", "array: the value is a sparse array; its method toarray gives a dense one",
      function() local _ = cp.array(A) end)
    failure("usage", "index: a csr array has no method 'tolil'; A[{i, j}] = v writes an entry, and cp.sparse.builder",
      function() A:tolil() end)
    failure("usage", "scipy.sparse.matmul: x must be an array, not a number; use * for numbers",
      function() local _ = A:matmul(2) end)
    failure("usage", "scipy.sparse.add: a sparse array is not written in place",
      function() local _ = cp.add_(A, A) end)
    failure("shape", "scipy.sparse.dot: shapes (3, 3) and (4) cannot be multiplied",
      function() local _ = A:dot(cp.ones(4)) end)
    failure("shape", "scipy.sparse.add: shapes (3, 3) and (3, 2) differ",
      function() local _ = A + A[{ {}, { 1, 2 } }] end)
    failure("index", "scipy.sparse.coo_array: row[2], counted from 1, is 0; positions are 1 to 3",
      function() local _ = sp.coo_array { { 1, 2 }, { { 1, 0 }, { 1, 1 } }, shape = { 3, 3 } } end)
    failure("index", "scipy.sparse.csr_array: indices[0], counted from 0, is 3; positions are 0 to 2",
      function() local _ = sp.csr_array(raw(1, { 3 }, { 0, 1 }, { 1, 3 })) end)
    failure("shape", "scipy.sparse.csr_array: indptr has 2 elements, where shape (3, 3) needs 4",
      function() local _ = sp.csr_array(raw(1, { 0 }, { 0, 1 }, { 3, 3 })) end)
    failure("shape", "scipy.sparse.csr_array: data has 2 elements and indices 1",
      function() local _ = sp.csr_array(raw(2, { 0 }, { 0, 1 }, { 1, 3 })) end)
    failure("shape", "scipy.sparse.csr_array: arg must have one axis or two",
      function() local _ = sp.csr_array(cp.ones { 2, 2, 2 }) end)
    failure("usage", "index: a csr array has no field or method 'nozero'; did you mean 'nonzero'?",
      function() local _ = A.nozero end)
    failure("usage", "sort: a must be an array", function() local _ = cp.sort(A) end)
    assert.is_false(pcall(function() return A[{ 4, 1 }] end))
    assert.is_false(pcall(function() return A[{ 1, 1, 1 }] end))
  end)
end)
