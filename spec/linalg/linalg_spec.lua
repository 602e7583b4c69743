-- Products, einsum, cp.linalg and cp.scipy.linalg beyond the golden data: bad input, large sizes against
-- other ways of computing the same values, batches, integers that wrap, pending operands and writes after a
-- call, memory.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, values = check.failure, check.values
local linalg = cp.linalg

-- Fixed numbers between -1 and 1 in a shape.
local function numbers(shape, dtype, seed)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  local x = cp.sin(cp.arange(n, { dtype = "float64" }) * 1.7 + (seed or 0))
  if dtype and dtype:find "complex" then x = x + cp.j * cp.cos(cp.arange(n, { dtype = "float64" }) * 2.3) end
  return x:reshape(shape):astype(dtype or "float64")
end

local function largest(x) return cp.abs(x):max():item() end

local function near(a, b, tolerance)
  local distance = largest(a:astype(cp.promote_types(a.dtype, "float64")) - b)
  assert.is_true(distance <= tolerance, ("differ by %g, more than %g"):format(distance, tolerance))
end

-- The product of matrices by sums, without BLAS.
local function summed(a, b) return (cp.expand_dims(a, -1) * cp.expand_dims(b, -3)):sum(-2) end

describe("products", function()
  it("of large matrices equal sums without BLAS, in every layout of the operands", function()
    local a, b = numbers({ 150, 200 }), numbers({ 200, 130 }, nil, 5)
    local want = summed(a, b)
    local function layouts(x)
      local beside = cp.concatenate({ x, x }, 2)
      return { x, x:copy("F"), beside[{ {}, { 1, x.shape[2] } }], cp.flip(x):copy()["::-1, ::-1"],
        beside.T:copy().T[{ {}, { 1, x.shape[2] } }] }
    end
    for _, x in ipairs(layouts(a)) do
      for _, y in ipairs(layouts(b)) do near(cp.matmul(x, y), want, 1e-12) end
    end
  end)

  it("of small matrices of whole numbers are exact, at any size and in every layout", function()
    local sides = { 1, 2, 3, 5, 8, 12, 16, 17, 31, 32, 33 }
    local function whole(shape, dtype) return (numbers(shape) * 1000 % 17):round():astype(dtype):eval() end
    local function layouts(x)
      local beside = cp.concatenate({ x, x }, 3)
      return { x, cp.swapaxes(cp.swapaxes(x, 2, 3):copy(), 2, 3), beside[{ {}, {}, { 1, x.shape[3] } }] }
    end
    for at, m in ipairs(sides) do
      for _, dtype in ipairs { "float32", "float64" } do
        local k, n = sides[(at * 7) % #sides + 1], sides[(at * 3) % #sides + 1]
        local a, b = whole({ 2, m, k }, dtype), whole({ 2, k, n }, dtype)
        local want = summed(a, b)
        for _, x in ipairs(layouts(a)) do
          for _, y in ipairs(layouts(b)) do
            assert.is_true(cp.matmul(x, y) == want, ("%s: %d x %d x %d"):format(dtype, m, k, n))
          end
        end
      end
    end
  end)

  it("of small matrices keep a nan in its row and column", function()
    for _, side in ipairs { 3, 16, 19 } do
      local a, b = cp.ones({ side, side }, "float32"), cp.ones({ side, side }, "float32")
      a[{ side, 1 }], b[{ 2, side }] = 0 / 0, math.huge
      local c = cp.matmul(a, b)
      assert.is_true(cp.isnan(c[side]):all())
      assert.is_true((c[{ { 1, side - 1 }, { 1, side - 1 } }]):eq(side):all())
      assert.is_true(cp.isinf(c[{ { 1, side - 1 }, side }]):all())
    end
  end)

  it("broadcast batches that lie in memory in any way", function()
    local a, b = numbers({ 3, 1, 4, 5 }), numbers({ 2, 5, 6 })
    local want = summed(a, b)
    near(cp.matmul(a, b), want, 1e-13)
    near(cp.matmul(cp.broadcast_to(a, { 3, 2, 4, 5 }), b), want, 1e-13)
    near(cp.matmul(cp.flip(a, 1), b), cp.flip(want, 1), 1e-13)
    near(cp.matmul(cp.moveaxis(cp.moveaxis(a, 1, 3):copy(), 3, 1), b), want, 1e-13)
    near(cp.matmul(numbers({ 7, 3, 5 }), b[1]), summed(numbers({ 7, 3, 5 }), b[1]), 1e-13)
    local gaps = numbers({ 2, 3, 4, 5 })[{ {}, { 1, 3, 2 } }]
    near(cp.matmul(gaps, b[1]), summed(gaps, b[1]), 1e-13)
  end)

  it("of half types are summed in float32", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local a, b = cp.ones({ 4, 3000 }, dtype), cp.ones({ 3000, 5 }, dtype)
      assert.equal(dtype, cp.matmul(a, b).dtype)
      assert.is_true(largest(cp.matmul(a, b):astype("float64") - 3000) <= 8)
      assert.is_true(largest(cp.dot(a[1], b[{ {}, 1 }]):astype("float64") - 3000) <= 8)
    end
  end)

  it("of integers wrap around", function()
    for _, dtype in ipairs { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64" } do
      local zeros = cp.zeros({ 40, 40 }, dtype)
      local a = dtype:find "^u" and cp.invert(zeros) or zeros + cp.iinfo(dtype).max
      local want = (cp.expand_dims(a, 2) * a):sum({ axis = 3, dtype = dtype })
      assert.is_true(cp.matmul(a, a) == want, dtype)
    end
  end)

  it("of integers stay exact when very many are added", function()
    if check.mode == "limit" then return pending "needs more memory than this mode has" end
    local k = 2 ^ 21 + 3
    local a = cp.full({ 2, k }, 65535, "uint32")
    assert.same({ a[1]:sum():item() % 2 ^ 32 * 65535 % 2 ^ 32 }, values(cp.matmul(a, a.T)[{ 1, { 2 } }]))
  end)

  it("of bool are any and all", function()
    local a = numbers({ 40, 50 }):gt(0.9)
    local b = numbers({ 50, 40 }, nil, 3):gt(0.9)
    local want = summed(a:astype("int32"), b:astype("int32")):ne(0)
    assert.equal("bool", cp.matmul(a, b).dtype)
    assert.is_true(cp.matmul(a, b) == want)
  end)

  it("keep nan and infinity where they belong", function()
    local a = cp.ones({ 3, 3 })
    a[{ 2, 2 }] = cp.nan
    a[{ 3, 1 }] = math.huge
    local c = cp.matmul(a, cp.ones({ 3, 2 }))
    assert.same({ { false, false }, { true, true }, { false, false } }, values(cp.isnan(c)))
    assert.equal(math.huge, c[{ 3, 2 }])
  end)

  it("write into out", function()
    local out = cp.zeros({ 2, 2 })
    assert.is_true(rawequal(out, cp.matmul(cp.eye(2), cp.full({ 2, 2 }, 3), out)))
    assert.same({ { 3, 3 }, { 3, 3 } }, values(out))
    assert.same({ { 3, 3 }, { 3, 3 } }, values(cp.dot(cp.eye(2), out, { out = out })))
    failure("shape", "matmul: ", function() cp.matmul(cp.eye(2), cp.eye(2), cp.zeros({ 3, 3 })) end)
  end)

  it("are methods too", function()
    assert.equal(32, cp.array({ 1, 2, 3 }):dot({ 4, 5, 6 }):item())
    assert.same({ { 2, 0 }, { 0, 2 } }, values(cp.eye(2):matmul(cp.eye(2) * 2)))
    assert.equal(2, cp.eye(2):trace():item())
  end)

  it("take pending operands, and are not affected by later writes", function()
    local x = cp.ones({ 20, 20 })
    local y = x * 2 + 1
    local z = cp.matmul(y, x)
    x:fill(0)
    y:fill(7)
    assert.equal(60, z[{ 3, 4 }])
    local w = cp.matmul(z, z) + x
    z:fill(1)
    assert.equal(60 * 60 * 20, w[{ 1, 1 }])
  end)

  it("of matrices are one launch and one allocation", function()
    local a = cp.matmul(cp.ones({ 8, 8 }), cp.ones({ 8, 8 }))
    local c
    local cost = check.counted(function() c = cp.matmul(a, a.T) end)
    assert.equal(1, cost.launches)
    assert.equal(1, cost.allocations)
    assert.equal(8 * 64, c[{ 1, 1 }])
  end)

  it("refuse shapes that do not match", function()
    local a, b = cp.ones({ 3, 4 }), cp.ones({ 5, 6 })
    failure("shape", "matmul: shapes (3, 4) and (5, 6) cannot be multiplied: 4 and 5 differ",
      function() cp.matmul(a, b) end)
    failure("shape", "matmul: shapes (3, 4) and (3) cannot be multiplied: 4 and 3 differ",
      function() cp.matmul(a, cp.ones(3)) end)
    failure("shape", "dot: shapes (3, 4) and (5, 6) cannot be multiplied: 4 and 5 differ", function() cp.dot(a, b) end)
    failure("shape", "matmul: needs arrays with axes", function() cp.matmul(a, 3) end)
    failure("shape", "matmul: shapes (2, 3, 4) and (3, 4, 5) cannot be multiplied: their first axes do not broadcast",
      function() cp.matmul(cp.ones({ 2, 3, 4 }), cp.ones({ 3, 4, 5 })) end)
    failure("shape", "vdot: the arrays have 12 and 30 elements", function() cp.vdot(a, b) end)
    failure("shape", "inner: shapes (3, 4) and (5, 6) cannot be multiplied: 4 and 6 differ",
      function() cp.inner(a, b) end)
    failure("shape", "tensordot: shapes (3, 4) and (5, 6) cannot be multiplied: 3 and 5 differ",
      function() cp.tensordot(a, b, { 1, 1 }) end)
    failure("shape", "tensordot: axes names 1 axis of a and 2 of b", function() cp.tensordot(a, b, { 1, { 1, 2 } }) end)
    failure("shape", "tensordot: axes = 3, but the shapes are (3, 4) and (5, 6)", function() cp.tensordot(a, b, 3) end)
    failure("index", "tensordot: axes 5 is out of range", function() cp.tensordot(a, b, { 5, 1 }) end)
    failure("shape", "trace: a must have at least 2 axes, not shape (3)", function() cp.trace(cp.ones(3)) end)
    failure("usage", "matmul: x2 is missing", function() cp.matmul(a) end)
  end)
end)

describe("einsum", function()
  it("plans many operands quickly", function()
    local list, texts = {}, {}
    for k = 1, 401 do
      list[k], texts[k] = cp.array(k % 2 == 1 and { 1, -1 } or { 1, 2 }, "int64"), k % 2 == 1 and "a" or "b"
      if k % 2 == 0 and k > 2 then list[k] = cp.ones({ 2 }, "int64") end
    end
    local before = os.clock()
    near(cp.einsum(table.concat(texts, ",") .. "->ab", (table.unpack or unpack)(list)), { { 1, 2 }, { -1, -2 } }, 0) -- luacheck: ignore
    assert.is_true(os.clock() - before < 10) -- trying each pair in each step took minutes
  end)

  it("contracts the cheapest pair first, or in the written order if asked to", function()
    local a, b, c = numbers({ 30, 2 }), numbers({ 2, 40 }, nil, 1), numbers({ 40, 3 }, nil, 2)
    local want = cp.matmul(cp.matmul(a, b), c)
    near(cp.einsum("ij,jk,kl->il", a, b, c), want, 1e-12)
    near(cp.einsum("ij,jk,kl->il", a, b, c, { optimize = false }), want, 1e-12)
  end)

  it("gives views where nothing is computed", function()
    local a = cp.zeros({ 2, 3 })
    cp.einsum("ij->ji", a):fill(5)
    assert.equal(30, a:sum():item())
  end)

  it("refuses what it cannot read", function()
    local a = cp.ones({ 2, 3 })
    failure("usage", "einsum: subscripts must be a text", function() cp.einsum(a, a) end)
    failure("usage", "einsum: needs at least one array", function() cp.einsum("ij") end)
    failure("usage", "einsum: subscripts name 1 operands, but 2 are given", function() cp.einsum("ij", a, a) end)
    failure("usage", "einsum: subscripts name more operands than the 1 given", function() cp.einsum("ij,jk", a) end)
    cp.einsum("ab,ab", a, a) -- known from now on, for two operands
    failure("usage", "einsum: subscripts name more operands than the 1 given", function() cp.einsum("ab,ab", a) end)
    failure("shape", "einsum: operand 1 has 2 axes, but subscripts name 3", function() cp.einsum("ijk", a) end)
    failure("shape", "einsum: label 'j' has length 3 and 2", function() cp.einsum("ij,jk", a, a) end)
    failure("usage", "einsum: the result's label 'k' is in no operand", function() cp.einsum("ij->ik", a) end)
    failure("usage", "einsum: the result has the label 'i' twice", function() cp.einsum("ij->ii", a) end)
    failure("usage", "einsum: '1' in subscripts is not a letter", function() cp.einsum("i1", a) end)
    failure("usage", "einsum: no option 'opt'", function() cp.einsum("ij", a, { opt = true }) end)
    failure("shape", "einsum: the result has no '...'", function() cp.einsum("...j->j", a) end)
  end)
end)

describe("linear systems", function()
  it("factors the lower triangle without reading the upper one, and the other way round", function()
    for _, n in ipairs { 5, 70 } do
      for _, dtype in ipairs { "float32", "float64", "complex128" } do
        local m = ((cp.arange(n * n) * 7 % 11):reshape(n, n) / (8 * n)):astype(dtype)
        if dtype == "complex128" then m = m + m.T * cp.j / 2 end
        local factor = cp.tril(m, -1) + cp.eye(n)
        local a = cp.matmul(factor, cp.conj(factor).T)
        local hidden = cp.triu(cp.full({ n, n }, cp.nan), 1)
        local only = cp.where(cp.tri(n):ne(0), a, hidden):astype(dtype)
        assert.is_true(cp.allclose(linalg.cholesky(only), factor, { rtol = 1e-4, atol = 1e-4 }))
        assert.is_true(cp.allclose(linalg.cholesky(only.T, true), factor.T, { rtol = 1e-4, atol = 1e-4 }))
      end
    end
  end)

  it("of a large matrix and of many small ones", function()
    local a = numbers({ 300, 300 }) + 20 * cp.eye(300)
    local b = numbers({ 300, 7 }, nil, 9)
    near(cp.matmul(a, linalg.solve(a, b)), b, 1e-12)
    near(cp.matmul(a, linalg.inv(a)), cp.eye(300), 1e-12)
    local many = numbers({ 700, 6, 6 }) + 5 * cp.eye(6)
    local right = numbers({ 700, 6, 2 }, nil, 4)
    near(cp.matmul(many, linalg.solve(many, right)), right, 1e-12)
    near(linalg.det(many), linalg.eigvals(many):prod(-1), 1e-7)
    local low = linalg.cholesky(cp.matmul(many, many:swapaxes(2, 3)))
    near(cp.matmul(low, low:swapaxes(2, 3)), cp.matmul(many, many:swapaxes(2, 3)), 1e-11)
    local u, s, vh = linalg.svd(many, false)
    near(cp.matmul(u * cp.expand_dims(s, 2), vh), many, 1e-12)
  end)

  it("of few rows are solved in every size, dtype and number of right sides", function()
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      local tolerance = cp.finfo(dtype).eps * 300
      for _, n in ipairs { 1, 2, 5, 8, 9, 16, 17, 31, 32, 33 } do
        -- the largest elements are those of the other diagonal, so that rows are exchanged
        local a = (numbers({ 5, n, n }, dtype, n) / n + 2 * cp.flip(cp.eye(n), 1)):astype(dtype)
        for _, right in ipairs { 1, 3, 33, 70 } do
          local b = numbers({ 5, n, right }, dtype, 4)
          local x = linalg.solve(a, b)
          assert.equal(dtype, x.dtype)
          assert.is_true(x:has_shape(5, n, right))
          near(cp.matmul(a, x), b, tolerance)
        end
        near(cp.matmul(linalg.inv(a), a), cp.eye(n), tolerance)
        local sign, size = linalg.slogdet(a)
        local want = linalg.eigvals(a:astype(cp.promote_types(dtype, "float64"))):prod(-1)
        near(sign * cp.exp(size) / want, cp.ones(5), 100 * tolerance)
        near(linalg.det(a) / want, cp.ones(5), 100 * tolerance)
      end
    end
  end)

  it("of few rows are read in place", function()
    local a, b = numbers({ 6, 9, 9 }) + 5 * cp.eye(9), numbers({ 6, 9, 4 }, nil, 2)
    local want = linalg.inv(a:copy())
    local wide = cp.concatenate({ a, a }, 3)
    local layouts = { wide[{ {}, {}, { 10, 18 } }], cp.swapaxes(cp.swapaxes(a, 2, 3):copy(), 2, 3),
      cp.flip(cp.flip(a, 1):copy(), 1), cp.flip(cp.flip(a):copy()), cp.moveaxis(cp.moveaxis(a, 1, -1):copy(), -1, 1) }
    for _, x in ipairs(layouts) do
      near(linalg.inv(x), want, 1e-13)
      near(linalg.solve(x, b), cp.matmul(want, b), 1e-13)
      near(linalg.solve(x, cp.flip(b, 3)), cp.matmul(want, cp.flip(b, 3)), 1e-13)
      near(linalg.det(x), linalg.det(a), 1e-9 * largest(linalg.det(a)))
    end
    -- batches that broadcast: one matrix or one right side for all, and two axes that do not merge
    near(linalg.solve(a[2], b), cp.matmul(want[2], b), 1e-13)
    near(linalg.solve(a, b[3]), cp.matmul(want, b[3]), 1e-13)
    near(linalg.solve(a, b[3][{ {}, 1 }]), cp.matmul(want, b[3][{ {}, 1 }]), 1e-13)
    near(linalg.solve(a:reshape({ 2, 3, 9, 9 }), b:reshape({ 2, 3, 9, 4 })[{ {}, { 1, 1 } }]),
      cp.matmul(want:reshape({ 2, 3, 9, 9 }), b:reshape({ 2, 3, 9, 4 })[{ {}, { 1, 1 } }]), 1e-13)
    local pending = a * 2
    near(linalg.inv(pending), want / 2, 1e-13)
    assert.is_true(linalg.inv(cp.ones({ 0, 3, 3 })):has_shape(0, 3, 3))
    assert.is_true(linalg.inv(cp.ones({ 2, 0, 0 })):has_shape(2, 0, 0))
  end)

  it("of few rows keep nan and infinity in the matrices where they are", function()
    local a = cp.stack { cp.eye(3), cp.eye(3), cp.eye(3) * 2 }
    a[{ 2, 1, 2 }] = cp.nan
    local x, det = linalg.inv(a), linalg.det(a)
    assert.is_true(cp.isnan(x[2]):any())
    assert.is_true(cp.isnan(det)[2])
    near(x[1], cp.eye(3), 0)
    near(x[3], cp.eye(3) / 2, 0)
    near(det[{ { 1, 3, 2 } }], cp.array { 1, 8 }, 0)
  end)

  it("say which matrix is singular", function()
    local rows = cp.eye(20)
    rows[{ 7, 7 }] = 0
    local five = cp.stack { cp.eye(20), cp.eye(20), cp.eye(20), rows, cp.eye(20) }
    failure("usage", "linalg.solve: matrix 4 of 5 is singular", function() linalg.solve(five, cp.ones(20)) end)
    assert.same({ 1, 0 }, values(linalg.det(cp.stack { cp.eye(20), rows })))
    local a = cp.array { { 1, 2 }, { 2, 4 } }
    failure("usage", "linalg.solve: the matrix is singular", function() linalg.solve(a, cp.ones(2)) end)
    failure("usage", "linalg.inv: the matrix is singular", function() linalg.inv(a) end)
    local batch = cp.stack { cp.eye(2), a, cp.eye(2) }
    failure("usage", "linalg.inv: matrix 2 of 3 is singular", function() linalg.inv(batch) end)
    failure("usage", "linalg.matrix_power: the matrix is singular", function() linalg.matrix_power(a, -1) end)
    failure("usage", "scipy.linalg.lu_solve: the matrix is singular",
      function() cp.scipy.linalg.lu_solve({ cp.scipy.linalg.lu_factor(a) }, cp.ones(2)) end)
    failure("usage", "scipy.linalg.solve_triangular: the matrix is singular: its diagonal has a zero",
      function() cp.scipy.linalg.solve_triangular(cp.zeros({ 2, 2 }), cp.ones(2)) end)
    assert.equal(0, linalg.det(a):item())
  end)

  it("say which matrix is not positive definite", function()
    failure("usage", "linalg.cholesky: the matrix is not positive definite", function() linalg.cholesky(-cp.eye(3)) end)
    failure("usage", "linalg.cholesky: matrix 3 of 3 is not positive definite",
      function() linalg.cholesky(cp.stack { cp.eye(2), cp.eye(2), cp.zeros({ 2, 2 }) }) end)
  end)

  it("refuse wrong shapes", function()
    local wide = cp.ones({ 2, 3 })
    for _, name in ipairs { "inv", "det", "slogdet", "cholesky", "eig", "eigvals", "eigh", "eigvalsh" } do
      failure("shape", "linalg." .. name .. ": a must be square matrices, not of shape (2, 3)",
        function() linalg[name](wide) end)
      failure("shape", "linalg." .. name .. ": a must have at least 2 axes, not shape (3)",
        function() linalg[name](cp.ones(3)) end)
    end
    for _, name in ipairs { "qr", "svd", "pinv" } do
      failure("shape", "linalg." .. name .. ": a must have at least 2 axes, not shape ()",
        function() linalg[name](1) end)
    end
    failure("shape", "linalg.solve: a of shape (2, 2) and b of shape (3) do not fit: 2 and 3 differ",
      function() linalg.solve(cp.eye(2), cp.ones(3)) end)
    failure("shape", "linalg.solve: the batches of",
      function() linalg.solve(cp.ones({ 2, 2, 2 }), cp.ones({ 3, 2, 1 })) end)
    failure("shape", "linalg.lstsq: a of shape (3, 2) and b of shape (2) do not fit",
      function() linalg.lstsq(cp.ones({ 3, 2 }), cp.ones(2)) end)
    assert.equal(math.huge, linalg.cond(cp.zeros({ 2, 2 })):item())
    assert.same({ math.huge, 1 }, values(linalg.cond(cp.stack({ cp.zeros({ 2, 2 }), cp.eye(2) }), -2)))
    failure("shape", "linalg.cond: an empty matrix has no condition", function() linalg.cond(cp.ones({ 0, 2 })) end)
    failure("shape", "linalg.multi_dot: arrays[1] and arrays[2] cannot be multiplied: 3 and 2 differ",
      function() linalg.multi_dot { wide, wide } end)
  end)

  it("refuse unsupported dtypes and options", function()
    local half = cp.ones({ 2, 2 }, "float16")
    failure("dtype", "linalg.inv: float16 matrices cannot be decomposed; convert with :astype(\"float32\")",
      function() linalg.inv(half) end)
    failure("usage", "linalg.qr: mode must be", function() linalg.qr(cp.eye(2), "full") end)
    failure("usage", "linalg.eigh: UPLO must be \"L\" or \"U\"", function() linalg.eigh(cp.eye(2), "X") end)
    failure("usage", "linalg.norm: ord of a matrix norm must be", function() linalg.norm(cp.eye(2), 3) end)
    failure("usage", "linalg.norm: ord of a vector norm must be a number",
      function() linalg.norm(cp.ones(2), "fro") end)
    failure("shape", "linalg.norm: ord needs axis for an array with 3 axes",
      function() linalg.norm(cp.ones({ 2, 2, 2 }), 2) end)
    failure("index", "linalg.norm: axis names an axis twice", function() linalg.norm(cp.eye(2), nil, { 1, -2 }) end)
    failure("usage", "linalg.matrix_rank: takes tol or rtol, not both",
      function() linalg.matrix_rank(cp.eye(2), { tol = 1, rtol = 1 }) end)
  end)

  it("refuse infinities and nans where LAPACK would not end", function()
    for _, v in ipairs { cp.nan, math.huge } do
      local a = cp.full({ 2, 2 }, v)
      for _, name in ipairs { "svd", "eig", "eigh", "eigvals", "pinv", "matrix_rank", "cond" } do
        failure("usage", "linalg." .. name .. ": the matrix has infinities or NaNs", function() linalg[name](a) end)
      end
    end
    assert.is_true(cp.isnan(linalg.det(cp.full({ 2, 2 }, cp.nan))):all())
  end)

  it("refuse operands on different devices", function()
    if not cp.cuda.is_available() then return pending "needs a GPU" end
    local here, there = cp.ones({ 2, 2 }, { device = "cuda" }), cp.ones({ 2, 2 }, { device = "cpu" })
    local name = here.device
    for _, f in ipairs { "matmul", "dot", "inner", "vdot" } do
      failure("usage", f .. ": arrays on " .. name .. " and cpu; move one with :to(\"" .. name .. "\")",
        function() cp[f](here, there) end)
    end
    failure("usage", "linalg.solve: arrays on " .. name .. " and cpu", function() linalg.solve(here, there) end)
    failure("usage", "einsum: arrays on " .. name .. " and cpu", function() cp.einsum("ij,jk", here, there) end)
  end)

  it("leave their arguments as they are", function()
    local a, b = numbers({ 5, 5 }) + 3 * cp.eye(5), numbers({ 5, 2 })
    local a0, b0 = a:copy(), b:copy()
    linalg.solve(a, b)
    linalg.inv(a)
    linalg.svd(a)
    linalg.qr(a)
    linalg.eig(a)
    linalg.eigh(a)
    linalg.det(a)
    cp.scipy.linalg.lu_factor(a)
    cp.scipy.linalg.solve_triangular(a, b)
    assert.is_true(a == a0 and b == b0)
  end)

  it("take integers, booleans and tables", function()
    assert.same({ 2, 3 }, values(cp.rint(linalg.solve({ { 3, 1 }, { 1, 2 } }, { 9, 8 }))))
    assert.equal("float64", linalg.inv(cp.eye(2, { dtype = "int8" })).dtype)
    assert.equal("float64", linalg.svdvals(cp.ones({ 2, 2 }, "bool")).dtype)
  end)
end)

describe("eigenvalues", function()
  it("of a rotation are complex, of a symmetric array real", function()
    local w, v = linalg.eig { { 0, -1 }, { 1, 0 } }
    assert.equal("complex128", w.dtype)
    assert.equal("complex128", v.dtype)
    near(cp.abs(w.imag), cp.ones(2), 1e-15)
    assert.equal("float64", linalg.eig({ { 2, 1 }, { 1, 2 } }).dtype)
  end)

  it("of a large symmetric matrix rise and rebuild it", function()
    local a = numbers({ 120, 120 })
    a = a + a.T
    local w, v = linalg.eigh(a)
    assert.is_true(w["2:"]:ge(w[":-2"]):all())
    near(cp.matmul(v * w, v.T), a, 1e-11)
  end)
end)

describe("least squares", function()
  it("find a line, its residuals and the rank", function()
    local x = cp.arange(6, { dtype = "float64" })
    local a = cp.stack({ x, cp.ones(6) }, 2)
    local c, residuals, rank, s = linalg.lstsq(a, 3 * x + 2)
    near(c, cp.array { 3, 2 }, 1e-13)
    assert.equal(2, rank)
    assert.is_true(residuals:has_shape(1) and residuals:item() < 1e-24)
    assert.is_true(s:has_shape(2))
    near(cp.polyfit(x, 2 * x ^ 2 - x + 1, 2), cp.array { 2, -1, 1 }, 1e-12)
  end)
end)

describe("linalg.cross", function()
  it("takes vectors of three components along an axis", function()
    local a, b = cp.array { { 1, 0, 0 }, { 0, 2, 0 } }, cp.array { 0, 1, 0 }
    assert.same({ { 0, 0, 1 }, { 0, 0, 0 } }, linalg.cross(a, b):totable())
    assert.same({ { 0, 0 }, { 0, 0 }, { 1, 0 } }, linalg.cross(a.T, cp.stack({ b, b }, 2), 1):totable())
    failure("shape", "linalg.cross: vectors of b have 3 components, not 2", function() linalg.cross(b, cp.ones(2)) end)
    failure("shape", "linalg.cross: a must have at least one axis", function() linalg.cross(1, b) end)
  end)
end)

describe("cp.cuda.allow_tf32", function()
  it("is off by default and returns the previous setting", function()
    assert.is_false(cp.cuda.allow_tf32(true))
    assert.is_true(cp.cuda.allow_tf32())
    -- 1 + 2^-12 needs more than 10 bits: a GPU may round it with TF32, the CPU ignores the switch.
    local a = cp.full({ 32, 32 }, 1 + 2 ^ -12, "float32")
    near(cp.matmul(a, cp.eye(32, { dtype = "float32" })), a, 2 ^ -11)
    assert.is_true(cp.cuda.allow_tf32(false))
    near(cp.matmul(a, cp.eye(32, { dtype = "float32" })), a, 0)
  end)
end)

describe("CUPOLA_TF32", function()
  it("sets what cp.cuda.allow_tf32 gives", function()
    local script = "print(require('cupola').cuda.allow_tf32())"
    assert.equal("true\n", (check.run(script, "CUPOLA_TF32=1")))
    assert.equal("false\n", (check.run(script, "CUPOLA_TF32=")))
  end)
end)

describe("docs/linalg.md", function()
  it("shows code that runs", function()
    local file = assert(io.open "docs/linalg.md")
    local text = file:read "*a"
    file:close()
    local code = assert(text:match "```lua\n(.-)```")
    assert((loadstring or load)(code))() -- luacheck: ignore
  end)
end)
