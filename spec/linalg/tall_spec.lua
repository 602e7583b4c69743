-- Products X^T Y of tall matrices, for which GPUs have a kernel of their own (kernels/routine/tall.cu).

local cp = require "cupola"

local ROWS = 20011

-- Whole numbers from -3 to 3, so that sums of products are exact, as `rows` x `columns` of a wider matrix
-- that begins at column `from`.
local function wholes(rows, columns, seed, dtype, from)
  local wide = columns + 2 * from
  local k = cp.arange(rows * wide, "int64")
  local x = ((k * 7919 + seed) % 1009 % 7 - 3):astype(dtype):reshape(rows, wide):eval()
  return x[{ {}, { from + 1, from + columns } }]
end

-- The same by sums of 64-bit integers.
local function expected(x, y)
  local m, n = x.shape[2], y.shape[2]
  local a, b = x:astype "int64", y:astype "int64"
  return (a:reshape(-1, m, 1) * b:reshape(-1, 1, n)):sum(1)
end

describe("a product of tall matrices", function()
  for _, dtype in ipairs { "float32", "float64" } do
    it("is exact for whole numbers of " .. dtype, function()
      for _, s in ipairs { { 2, 2, 0 }, { 8, 8, 0 }, { 7, 3, 0 }, { 12, 16, 0 }, { 16, 5, 1 }, { 20, 32, 0 },
        { 32, 32, 0 }, { 32, 32, 4 }, { 32, 31, 0 }, { 17, 32, 3 }, { 32, 33, 0 } } do
        local x, y = wholes(ROWS, s[1], 1, dtype, s[3]), wholes(ROWS, s[2], 5, dtype, s[3])
        local c = cp.matmul(x.T, y)
        assert.equal(dtype, c.dtype)
        assert.is_true(cp.array_equal(c, expected(x, y)))
        assert.is_true(cp.array_equal(cp.matmul(x.T, x), expected(x, x)))
      end
    end)
  end

  it("takes operands that wait, and gives the same bits again", function()
    local x, w = cp.random.default_rng(7):normal(0, 1, { 30000, 32 }):astype("float32"), cp.arange(30000) / 3e4
    local function product() return cp.matmul(x.T, x * w:reshape(-1, 1):astype "float32"):eval() end
    local c, d = product(), x:astype "float64"
    assert.is_true(cp.array_equal(c, product()))
    local want = (d:reshape(-1, 32, 1) * (d * w:reshape(-1, 1)):reshape(-1, 1, 32)):sum(1)
    assert.is_true(cp.allclose(c, want, 1e-5, 0.05))
  end)

  it("keeps nan and infinities in their rows and columns", function()
    local x, y = wholes(ROWS, 30, 1, "float32", 0):copy(), wholes(ROWS, 30, 5, "float32", 0):copy()
    x[5000][3], y[ROWS][30] = cp.nan, cp.inf
    local c = cp.matmul(x.T, y)
    assert.equal(29 * 29, cp.isfinite(c):sum():item())
    assert.is_true(cp.isnan(c[3]):all())
    assert.is_false(cp.isfinite(c[{ {}, 30 }]):any())
    assert.is_true(cp.isfinite(c[{ { 4, -1 }, { 1, 29 } }]):all())
  end)

  it("stands in a graph", function()
    local x = wholes(ROWS, 24, 1, "float32", 0):copy()
    local c = cp.zeros({ 24, 24 }, "float32"):eval()
    local graph = cp.cuda.graph(function() c:assign(cp.matmul(x.T, x)) end)
    x:mul_(2)
    graph()
    assert.is_true(cp.array_equal(c, expected(x, x)))
  end)
end)
