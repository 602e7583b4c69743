-- Products that a sum or difference takes in: the bits are those of two operations one after the other.

local cp = require "cupola"

-- Values whose products and sums round.
local function operand(n, seed, dtype)
  return (cp.random.default_rng(seed):random { n } * 3 - 1):astype(dtype):eval()
end

-- A GPU compiles a kernel for each expression and dtype, which takes a while, and has no such loops.
local DTYPES = cp.device() == cp.device "cpu" and { "float16", "float32", "float64", "complex64", "int32" }
  or { "float32" }

describe("a product within a sum", function()
  for _, dtype in ipairs(DTYPES) do
    it("has the bits of both operations: " .. dtype, function()
      for _, n in ipairs { 3, 1000, 5001, 70000 } do
        local a, b, c = operand(n, 1, dtype), operand(n, 2, dtype), operand(n, 3, dtype)
        local product = (a * b):eval()
        local square = (a * a):eval()
        local function same(x, y) assert.is_true(cp.array_equal(x, y)) end
        same(product + c, a * b + c)
        same(c + product, c + a * b)
        same(product - c, a * b - c)
        same(c - product, c - a * b)
        same(square + a, a * a + a)
        same(product + (product + c):eval(), a * b + (a * b + c))
        same((product + (b * c):eval()):eval(), a * b + b * c)
        same((product - c):eval() * 2 - c, (a * b - c) * 2 - c)
      end
    end)
  end

  it("may be read elsewhere, too, and be a result", function()
    local a, b, c = operand(20000, 1, "float64"), operand(20000, 2, "float64"), operand(20000, 3, "float64")
    local product = (a * b):eval()
    local x = a * b
    local y, z = x + c, x * 2
    cp.eval(x, y, z)
    assert.is_true(cp.array_equal(product, x))
    assert.is_true(cp.array_equal((product + c):eval(), y))
    assert.is_true(cp.array_equal((product * 2):eval(), z))
  end)

  it("goes where its operands are", function()
    for _, n in ipairs { 100, 50000 } do
      local a, b, s = operand(n, 1, "float64"), operand(n, 2, "float64"), cp.array(0.3)
      local scaled = (b * s):eval()
      local expected = (a + scaled):eval()
      local x, p = a:copy(), b:copy()
      x:assign(x + p * s)
      assert.is_true(cp.array_equal(expected, x))
      x:assign(a)
      p:assign(x + p * s)
      assert.is_true(cp.array_equal(expected, p))
      -- reversed, so that elements are read after others are written
      local y = b:copy()
      y:assign(a - y["::-1"] * s)
      assert.is_true(cp.array_equal((a - (b["::-1"] * s):eval()):eval(), y))
    end
  end)

  it("keeps products and sums that are reduced", function()
    local a, b, c = operand(30000, 1, "float32"), operand(30000, 2, "float32"), operand(30000, 3, "float32")
    local sum = ((a * b):eval() + c):eval()
    assert.is_true(cp.allclose(cp.sum(sum), cp.sum(a * b + c))) -- in another order, if it is read as it is
    assert.is_true(cp.array_equal(cp.max(sum), cp.max(a * b + c)))
  end)
end)
