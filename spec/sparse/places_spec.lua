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

it("errors of sparse arrays name the argument that a script gave", function()
  local A = small()
  local function failure(text, f)
    local ok, message = pcall(f)
    assert.is_false(ok)
    assert.is_truthy(message:find(text, 1, true), message)
  end
  failure("scipy.sparse.dot: x must be an array, not string", function() A:dot "x" end)
  failure("scipy.sparse.dot: alpha must be an array", function() A:dot(cp.ones(4), { alpha = print }) end)
  failure("scipy.sparse.power: n must be an array", function() A:power "a" end)
  failure("index: value has shape (2), and the selected elements (4)", function() A[{ 1, {} }] = cp.ones(2) end)
  failure("csr_array: raw arrays are given by name",
    function() sp.csr_array(cp.ones(2), cp.index { 0, 1 }, cp.index { 0, 1, 2 }) end)
  failure("csr_array: coords must be a table of one or two vectors", function()
    sp.csr_array { data = cp.ones(2), coords = 5 }
  end)
  local linalg = sp.linalg
  failure("linalg.cg: A must return an array, not nil", function() linalg.cg(function() end, cp.ones(3)) end)
  failure("linalg.cg: the result of A has shape (2), not (3)",
    function() linalg.cg(function() return cp.ones(2) end, cp.ones(3)) end)
  failure('gmres: callback_type must be "x", "pr_norm" or "legacy"',
    function() linalg.gmres(sp.eye(3), cp.ones(3), { callback_type = "y" }) end)
end)

describe("solvers' results", function()
  -- SciPy 1.17: lsqr, lsmr and gmres of this A and b
  local linalg = sp.linalg
  local A = sp.csr_array { { 4, 1, 0 }, { 1, 3, 1 }, { 0, 1, 2 }, { 1, 0, 1 } }
  local b = cp.array { 1, 2, 3, 4 }

  local function near(want, got) assert.is_true(math.abs(want - got) <= 1e-9 * math.max(1, math.abs(want)), got) end

  it("of least squares are SciPy's", function()
    local r = { linalg.lsqr(A, b, { damp = 0.5, calc_var = true }) }
    local want = { 2, 3, 1.830249207703, 2.099745907613, 5.979130371551, 4.254142535768, 0.0, 2.058271813189 }
    for k = 1, 8 do near(want[k], r[k + 1]) end
    for k, v in ipairs { 0.431417332826, -0.266159116863, 1.994873746986 } do near(v, r[1][k]) end
    for k, v in ipairs { 0.073594721482, 0.178759040731, 0.253876411623 } do near(v, r[10][k]) end
    r = { linalg.lsmr(A, b, { damp = 0.5 }) }
    want = { 2, 3, 2.099745907613, 0.0, 5.9160797831, 2.572815772793, 2.058271813189 }
    for k = 1, 7 do near(want[k], r[k + 1]) end
    for k, v in ipairs { 0.431417332826, -0.266159116863, 1.994873746986 } do near(v, r[1][k]) end
    r = { linalg.lsqr(A, b, { conlim = 1.2 }) }
    assert.same({ 3, 2 }, { r[2], r[3] })
  end)

  it("of gmres are SciPy's, and so is what its callback hears", function()
    local S, told = A[{ { 1, 3 }, {} }], {}
    local options = { restart = 2, rtol = 1e-10, maxiter = 5, callback = function(v) told[#told + 1] = v end }
    local _, info = linalg.gmres(S, b[{ { 1, 3 } }], options)
    assert.equal(5, info)
    for k, v in ipairs { 0.327326835354, 0.141322115216, 0.061015285312, 0.019971940249,
      0.006537351998 } do near(v, told[k]) end
    assert.equal(5, #told)
    told, options.callback_type, options.maxiter = {}, "x", nil
    _, info = linalg.gmres(S, b[{ { 1, 3 } }], options)
    assert.same({ 0, 12 }, { info, #told })
    for k, v in ipairs { 1.25492108586, 1.436384219182, 1.460798924991 } do near(v, cp.linalg.norm(told[k]):item()) end
  end)
end)
