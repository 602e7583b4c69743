-- Products of a matrix and a vector, which the CPU device computes by loops of its own.

local cp = require "cupola"

local function near(expected, found, bound, what)
  assert.same(expected.shape, found.shape)
  local off = cp.abs(expected - found:astype "float64"):max():item()
  bound = bound * (1 + cp.abs(expected):max():item())
  assert.is_true(off <= bound, ("%s: off by %g"):format(what, off))
end

-- The same as a sum of products in float64.
local function product(a, x) return (a:astype "float64" * x:astype "float64"):sum(2) end

local function numbers(shape, dtype, first)
  local n = 1
  for _, m in ipairs(shape) do n = n * m end
  return ((cp.arange(n) * 0.6180339887 + (first or 0)) % 1 - 0.5):astype(dtype):reshape(shape):eval()
end

describe("products of a matrix and a vector", function()
  it("of all sizes, in both orders", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local bound = dtype == "float32" and 1e-6 or 1e-14
      for _, size in ipairs { { 1, 1 }, { 1, 9 }, { 9, 1 }, { 3, 5 }, { 8, 8 }, { 17, 33 }, { 130, 131 }, { 1030, 7 },
        { 7, 4100 }, { 2, 9001 }, { 2050, 100 } } do
        local m, n = size[1], size[2]
        local a, x, y = numbers({ m, n }, dtype), numbers({ n }, dtype, 0.3), numbers({ m }, dtype, 0.7)
        local what = ("%s, %d x %d"):format(dtype, m, n)
        near(product(a, x), cp.matmul(a, x), bound, what)
        near(product(a.T, y), cp.matmul(y, a), bound, what .. ", from the left")
        near(product(a.T, y), cp.matmul(a.T, y), bound, what .. ", transposed")
        near(product(a, x), cp.dot(x, a.T), bound, what .. ", transposed, from the left")
        near(product(a, x):reshape(m, 1), cp.matmul(a, x:reshape(n, 1)), bound, what .. ", as a column")
        near(product(a.T, y):reshape(1, n), cp.matmul(y:reshape(1, m), a), bound, what .. ", as a row")
        assert.equal(dtype, cp.matmul(a, x).dtype)
      end
    end
  end)

  it("of views", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local a, x = numbers({ 60, 50 }, dtype), numbers({ 200 }, dtype)
      local views = { a[{ { 3, 40 }, { 5, 30 } }], a[{ { 1, 60, 2 }, {} }], a[{ {}, { 1, 50, 3 } }],
        a[{ { 60, 1, -1 }, {} }], a.T[{ { 2, 49 }, { 4, 50 } }], cp.broadcast_to(a[1], { 7, 50 }), a[{ { 5, 5 }, {} }] }
      for k, v in ipairs(views) do
        local n = v.shape[2]
        for _, w in ipairs { x[{ { 1, n } }], x[{ { 3, 2 * n + 2, 2 } }], x[{ { n, 1, -1 } }],
          cp.broadcast_to(x[7], { n }) } do
          near(product(v, w), cp.matmul(v, w), 1e-5, "view " .. k)
          near(product(v, w), cp.matmul(w, v.T), 1e-5, "view " .. k .. " from the left")
        end
      end
    end
  end)

  it("of values that are not computed yet", function()
    local a, x = numbers({ 30, 20 }, "float32"), numbers({ 20 }, "float32")
    near(product(a + 1, x * 2), cp.matmul(a + 1, x * 2), 1e-5, "both")
    near(product(a, x * 2), cp.matmul(a, x * 2), 1e-5, "the vector")
    local y = cp.matmul(a, x)
    x:fill(0)
    assert.is_true(y:ne(0):any())
    a:assign(cp.matmul(a, a.T)[{ {}, { 1, 20 } }])
    near(product(a, x), cp.matmul(a, x), 0, "zeros")
  end)

  it("are sums of products where the matrix waits, and of two vectors", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local a, x = numbers({ 30, 70 }, dtype), numbers({ 70 }, dtype, 0.3)
      for name, pair in pairs {
        matrix = { cp.matmul(2 * a, x), ((2 * a) * x):sum(2) },
        ["vector that waits"] = { cp.matmul(2 * a, x - 1), ((2 * a) * (x - 1)):sum(2) },
        vectors = { cp.matmul(x, x + 1), (x * (x + 1)):sum() },
      } do
        assert.equal(dtype, pair[1].dtype)
        near(pair[2]:astype "float64", pair[1], dtype == "float32" and 1e-5 or 1e-13, name)
      end
    end
    assert.has_error(function() cp.vectorize(function(v) return cp.matmul(v, v) end)(cp.ones(3)) end)
    local gone = cp.ones(70)
    gone:free()
    assert.has_error(function() cp.matmul(2 * numbers({ 30, 70 }, "float64"), gone) end)
  end)

  it("with nan and infinities", function()
    local a = numbers({ 5, 40 }, "float64")
    a[{ 2, 33 }], a[{ 4, 40 }] = cp.inf, cp.nan
    local x = cp.ones(40)
    local y = cp.matmul(a, x):totable()
    assert.equal(math.huge, y[2])
    assert.is_true(y[4] ~= y[4] and y[1] == y[1] and y[5] == y[5])
    local z = cp.matmul(cp.ones(5), a):totable()
    assert.equal(math.huge, z[33])
    assert.is_true(z[40] ~= z[40] and z[39] == z[39])
    for _, dtype in ipairs { "float32", "float64" } do -- in front of what fills no vector
      for at = 33, 43 do
        local b, ones = cp.ones({ 9, 43 }, dtype), cp.ones(43, dtype)
        b[{ {}, at }], ones[at] = cp.inf, cp.inf
        assert.is_true(cp.isinf(cp.matmul(b, cp.ones(43, dtype))):all())
        assert.is_true(cp.isinf(cp.matmul(cp.ones({ 9, 43 }, dtype), ones)):all())
        assert.equal(1, cp.isinf(cp.matmul(cp.ones(9, dtype), b)):sum():item())
        assert.is_false(cp.isnan(cp.matmul(ones["1:9"], b)):any())
      end
    end
  end)

  it("of other dtypes, empty and refused", function()
    local a = cp.arange(6, "int32"):reshape(2, 3)
    assert.same({ 5, 14 }, cp.matmul(a, a[2] - 3):totable())
    assert.equal("complex64", cp.matmul(a:astype "complex64", cp.ones(3, "complex64")).dtype)
    assert.equal("float64", cp.matmul(a:astype "float32", cp.ones(3)).dtype)
    assert.same({ 0, 0 }, cp.matmul(cp.zeros { 2, 0 }, cp.zeros(0)):totable())
    assert.equal(0, cp.matmul(cp.zeros { 0, 3 }, cp.zeros(3)).size)
    local ok, message = pcall(cp.matmul, cp.ones { 2, 3 }, cp.ones(2))
    assert.is_false(ok)
    assert.truthy(message:find("cannot be multiplied: 3 and 2 differ", 1, true))
    local out = cp.zeros(2)
    assert.is_true(rawequal(out, cp.matmul(cp.ones { 2, 3 }, cp.ones(3), out)))
    assert.same({ 3, 3 }, out:totable())
  end)

  it("in graphs", function()
    local a, x = numbers({ 200, 100 }, "float32"), cp.ones(100, "float32"):eval()
    local graph = cp.cuda.graph(function() return cp.matmul(a, x) * 2 end)
    x:fill(3)
    local y = graph()
    near(product(a, x) * 2, y, 1e-4, "replayed")
  end)
end)
