-- Sparse arrays: entries found, picked and written where they are; what is kept with an array past scopes;
-- diagonals as factors; positions of extremes. Expected values are SciPy's.

local cp = require "cupola"
local check = require "spec.helper.check"
local on_both_kinds_of_devices = require "spec.helper.walks"

local sp = cp.sparse

local function triplets(rows, columns, values, shape)
  return sp.coo_array({ cp.array(values), { cp.index(rows), cp.index(columns) } }, { shape = shape }):tocsr()
end

-- {{1, 0, 2, 0}, {0, 0, 3, 0}, {4, 5, 0, 6}}
local function small() return triplets({ 1, 1, 2, 3, 3, 3 }, { 1, 3, 3, 1, 2, 4 }, { 1, 2, 3, 4, 5, 6 }, { 3, 4 }) end

describe("selections of sparse arrays", function()
  it("pick columns in any order, also twice", function()
    for _, format in ipairs { "csr", "csc" } do
      local A = small():asformat(format)
      assert.same({ { 0, 2 }, { 0, 3 }, { 5, 0 } }, A[{ {}, { 2, 3 } }]:toarray():totable())
      assert.same({ { 0, 2, 1 }, { 0, 3, 0 }, { 6, 0, 4 } }, A[{ {}, cp.index { 4, 3, 1 } }]:toarray():totable())
      assert.same({ { 2, 1, 2 }, { 3, 0, 3 }, { 0, 4, 0 } }, A[{ {}, cp.index { 3, 1, 3 } }]:toarray():totable())
      assert.same({ { 1, 0 }, { 0, 0 }, { 4, 6 } },
        A[{ {}, cp.array { true, false, false, true } }]:toarray():totable())
      assert.same({ { 0, 0 }, { 4, 5 } }, A["2:3, 1:2"]:toarray():totable())
      assert.same({ { 3, 0 }, { 0, 6 } }, A[{ { -2, -1 }, { -2, -1 } }]:toarray():totable())
      assert.same({ 2, 3, 0 }, A[{ {}, 3 }]:toarray():totable())
      assert.is_true(A[{ {}, cp.index { 4, 3, 1 } }].has_canonical_format)
      assert.same({ 3, 0 }, { A[{ {}, cp.index {} }].shape[1], A[{ {}, cp.index {} }].shape[2] })
      assert.same({ 1, 0, 6, 0 }, { A[{ 1, 1 }], A[{ 1, 2 }], A[{ -1, -1 }], A[{ 2, 4 }] })
      assert.same({ 2, 0, 6, 2 }, A[{ cp.index { 1, 2, 3, 1 }, cp.index { 3, 1, 4, 3 } }]:totable())
    end
  end)

  it("keep every dtype", function()
    for _, dtype in ipairs { "bool", "int8", "uint64", "float16", "complex64", "complex128" } do
      local A = small():astype(dtype)
      local part = A[{ {}, { 2, 4 } }]
      assert.equal(dtype, part.dtype)
      assert.is_true(cp.array_equal(A:toarray()[{ {}, { 2, 4 } }], part:toarray()))
      assert.is_true(A[{ 1, 2 }] == A:toarray()[{ 1, 2 }] and A[{ 3, 4 }] == A:toarray()[{ 3, 4 }])
    end
  end)

  it("write what is stored where it is", function()
    for _, format in ipairs { "csr", "csc" } do
      local A = small():asformat(format)
      local data = A.data
      A[{ 1, 3 }] = 20
      A[{ cp.index { 3, 3 }, cp.index { 4, 4 } }] = cp.array { 7, 60 } -- the last one counts
      A:setdiag(10, 1) -- nothing is stored at {1, 2}
      A[{ 1, 1 }] = 0
      assert.same({ { 0, 10, 20, 0 }, { 0, 0, 10, 0 }, { 4, 5, 0, 10 } }, (function()
        A[{ 3, 4 }] = 10
        return A:toarray():totable()
      end)())
      assert.equal(7, A.nnz)
      assert.is_true(data:eq(20):any()) -- the first writes were into A's own memory
    end
    local A = small():astype "int32"
    A[{ 1, 3 }] = 2.75
    assert.equal(2, A[{ 1, 3 }])
  end)
end)

describe("forms that are kept with sparse arrays", function()
  it("outlive the scopes that make them", function()
    if check.mode then return pending "other modes count other launches" end
    local A, x = small():tocsc(), cp.ones(4)
    local function launches()
      local before = cp.profiler.counters().launches
      cp.scope(function() A:dot(x):eval() end)
      return cp.profiler.counters().launches - before
    end
    local first = launches()
    local again = launches()
    assert.is_true(again < first)
    assert.equal(again, launches())
    local y = cp.scope(function() return cp.scope(function() return A.T:dot(cp.ones(3)) end) end)
    assert.is_true(cp.allclose(y, cp.array { 5, 5, 5, 6 }))
    -- a form made of values that a scope wrote is the one that is kept
    cp.scope(function()
      for k = 1, 3 do
        A.data[1] = k
        A:dot(x):eval()
      end
    end)
    assert.same({ 5, 3, 15 }, A:dot(x):totable())
  end)

  it("are those of arrays that a scope puts into one from outside", function()
    local A = small()
    cp.scope(function()
      A.data = A.data * 2
      A[{ 1, 2 }] = 9
      A:resize { 3, 3 }
      A:setdiag(1)
    end)
    assert.same({ { 1, 9, 4 }, { 0, 1, 6 }, { 8, 10, 1 } }, A:toarray():totable())
  end)
end)

describe("sparse arrays of one diagonal", function()
  it("scale rows and columns", function()
    local A = small()
    local rows, columns = sp.diags { 1, 2, 3 }, sp.diags { 1, 10, 100, 1000 }
    assert.same({ { 1, 0, 2, 0 }, { 0, 0, 6, 0 }, { 12, 15, 0, 18 } }, rows:matmul(A):toarray():totable())
    assert.same({ { 1, 0, 200, 0 }, { 0, 0, 300, 0 }, { 4, 50, 0, 6000 } },
      A:tocsc():matmul(columns):toarray():totable())
    assert.equal("float64", sp.diags(cp.arange(3, "int32")):matmul(A).dtype)
    assert.has_error(function() local _ = columns:matmul(A) end)
    assert.same({ { 0, 0, 3, 0 }, { 8, 10, 0, 12 }, { 0, 0, 0, 0 } },
      sp.diags({ 1, 2 }, 1):matmul(A):toarray():totable())
  end)

  it("have powers of their entries", function()
    assert.same({ { 0.5, 0 }, { 0, 0.25 } }, (sp.diags { 2, 4 } ^ -1):toarray():totable())
    assert.same({ { 0.5, 0 }, { 0, 0.25 } }, sp.diags({ 4, 16 }):power(-0.5):toarray():totable())
    assert.has_error(function() local _ = sp.diags { 2, 4 } ^ 0 end)
  end)
end)

describe("extremes of sparse arrays", function()
  it("have the first of equal positions", function()
    local A = sp.csr_array { { 0, 0, 0 }, { 1, 1, 0 }, { -1, -2, -3 }, { -1, 0, -3 }, { 0, -1, -1 }, { 5, 5, 5 },
      { 0, 2, 2 } }
    for _, dtype in ipairs { "float64", "int32" } do
      for _, format in ipairs { "csr", "csc", "coo" } do
        local B = A:astype(dtype):asformat(format)
        assert.same({ 1, 1, 1, 2, 1, 1, 2 }, B:argmax(2):totable())
        assert.same({ 1, 3, 3, 3, 2, 1, 1 }, B:argmin(2):totable())
        assert.same({ 6, 6, 6 }, B:argmax(1):totable())
        assert.same({ 3, 3, 3 }, B:argmin(1):totable())
        assert.equal(16, B:argmax():item())
        assert.same({ 5, 5, 5 }, B:max(1):totable())
        assert.same({ 0, 0, -3, -3, -1, 5, 0 }, B:min(2):totable())
      end
    end
  end)
end)

describe("blocks side by side", function()
  it("are joined by their rows", function()
    local A = small()
    local B = sp.hstack({ A, A[{ {}, { 1, 2 } }], A:astype "float32" }, "csr")
    assert.is_true(B.has_canonical_format)
    assert.same({ { 1, 0, 2, 0, 1, 0, 1, 0, 2, 0 }, { 0, 0, 3, 0, 0, 0, 0, 0, 3, 0 },
      { 4, 5, 0, 6, 4, 5, 4, 5, 0, 6 } }, B:toarray():totable())
    local C = sp.vstack({ A:tocsc(), A:tocsc() }, "csc")
    assert.same(sp.vstack({ A, A }):toarray():totable(), C:toarray():totable())
    assert.same({ { 2, 0, 0, 0 }, { 0, 3, 0, 0 }, { 0, 0, 1, 2 } },
      sp.block_diag({ 2, { { 3 } }, cp.array { 1, 2 } }):toarray():totable())
  end)
end)

describe("strong components", function()
  local function check_ring(n)
    local ring = sp.csr_array { data = cp.ones(n), indices = (cp.arange(n) + 1) % n, indptr = cp.arange(n + 1),
      shape = { n, n } }
    local count, labels = sp.csgraph.connected_components(ring, { connection = "strong" })
    assert.equal(1, count)
    assert.is_true(cp.all(labels:eq(1)))
    ring[{ n, 1 }] = 0
    ring:eliminate_zeros()
    count, labels = sp.csgraph.connected_components(ring, { connection = "strong" })
    assert.equal(n, count)
    assert.same({ 1, 2, n }, { labels[1], labels[2], labels[n] })
  end

  it("of long ways are found in one walk", function() check_ring(200000) end)

  it("of long ways are found by a walk on devices that take none", function()
    on_both_kinds_of_devices(function() check_ring(2000) end)
  end)
end)

it("sparse arrays are compared by methods", function()
  local A = small()
  for _, f in ipairs { function() return A < A end, function() return A <= A end, function() return A >= A end } do
    local ok, message = pcall(f)
    assert.is_false(ok)
    assert.is_truthy(message:find("cupola.compare: sparse arrays are compared element by element", 1, true))
  end
end)
