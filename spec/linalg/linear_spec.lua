-- cp.linalg.linear: products with a bias and an activation, whose values at single points are known.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, linear = check.failure, cp.linalg.linear

-- The activations at -1, 0, 1 and 2: Φ(x) is NIST's table of the normal distribution.
local KNOWN = {
  none = { -1, 0, 1, 2 }, relu = { 0, 0, 1, 2 },
  tanh = { -0.7615941559557649, 0, 0.7615941559557649, 0.9640275800758169 },
  sigmoid = { 0.2689414213699951, 0.5, 0.7310585786300049, 0.8807970779778823 },
  silu = { -0.2689414213699951, 0, 0.7310585786300049, 1.7615941559557646 },
  gelu = { -0.15865525393145707, 0, 0.8413447460685429, 1.9544997361036416 },
  gelu_tanh = { -0.15880800939172324, 0, 0.8411919906082768, 1.954597694087775 },
}

local function near(x, values, tolerance)
  assert.is_true(cp.allclose(x:astype "float64", cp.array(values), { rtol = tolerance, atol = tolerance }), tostring(x))
end

describe("linalg.linear", function()
  local a, b = cp.array { { 1, 0 }, { 0, 1 } }, cp.array { { 0, 1, 2, 3 }, { -2, -1, 0, 1 } }

  it("applies the activation to product and bias", function()
    for name, values in pairs(KNOWN) do
      for dtype, tolerance in pairs { float64 = 1e-15, float32 = 1e-6, float16 = 1e-3, bfloat16 = 8e-3 } do
        local bias = cp.array { -1, -1, -1, -1 }
        local y = linear(a:astype(dtype), b:astype(dtype), bias:astype(dtype), { activation = name })
        assert.equal(dtype, y.dtype)
        assert.is_true(y:has_shape(2, 4))
        near(y[1], values, tolerance)
      end
      near(linear(a, b, { 1, 1, 1, 1 }, name)[2], values, 1e-15)
    end
  end)

  it("is the product where nothing else is given, in matmul's shapes", function()
    local x = cp.arange(24):reshape(2, 3, 4) - 7
    local w = cp.arange(20):reshape(4, 5) % 3
    assert.is_true(cp.array_equal(linear(x, w), cp.matmul(x, w)))
    assert.is_true(cp.array_equal(linear(x, w, cp.ones { 3, 1 }), cp.matmul(x, w) + 1))
    assert.equal("float64", linear(x, w).dtype)
    assert.is_true(cp.array_equal(linear(x[1][1], w, 2), cp.matmul(x[1][1], w) + 2))
    assert.is_true(linear(cp.zeros { 0, 4 }, w, cp.ones(5), "relu"):has_shape(0, 5))
    assert.is_true(cp.array_equal(linear(cp.zeros { 2, 0 }, cp.zeros { 0, 3 }, { 1, -1, 2 }, "relu"),
      cp.array { { 1, 0, 2 }, { 1, 0, 2 } }))
    local z = cp.array { { cp.complex(0, 1) } }
    assert.equal(cp.complex(0, 2), linear(z, z, cp.complex(1, 2)):item())
  end)

  it("takes a bias that is wider, views, nan, and an array for the result", function()
    local y = linear(a:astype "float32", b.T:copy().T:astype "float32", cp.array { 1, 0, 0, 0 }, "relu")
    assert.equal("float64", y.dtype)
    assert.same({ { 1, 1, 2, 3 }, { 0, 0, 0, 1 } }, y:totable())
    local out = cp.zeros({ 2, 4 }, "float32")
    assert.is_true(rawequal(out, linear(a, b, cp.array { 1, 0, 0, 0 }, "relu", out)))
    assert.same({ { 1, 1, 2, 3 }, { 0, 0, 0, 1 } }, out:totable())
    for _, name in ipairs { "relu", "gelu", "silu", "tanh" } do
      assert.is_true(cp.isnan(linear({ { cp.nan } }, { { 1 } }, nil, name)):all())
      assert.equal(cp.inf, 2 * linear({ { 1 } }, { { 1 } }, cp.inf, name == "tanh" and "relu" or name):item())
    end
  end)

  it("rounds gelu of every float16 to one of its neighbours", function()
    local x = cp.arange(65536):astype("uint16"):view("float16")
    x = x[cp.isfinite(x)]
    local y, wide = linear(x:reshape(-1, 1), cp.ones({ 1, 1 }, "float16"), nil, "gelu"):reshape(-1), x:astype "float64"
    local expected = wide * cp.scipy.special.ndtr(wide)
    local rounded = expected:astype "float16"
    local spacing = cp.abs(cp.nextafter(rounded, cp.where(wide:lt(0), -cp.inf, cp.inf):astype "float16") - rounded)
    local off = cp.abs(y:astype "float64" - expected) / spacing:astype "float64"
    assert.is_true(off[cp.isfinite(off)]:max():item() < 1.01)
    assert.is_true(cp.count_nonzero(y:ne(rounded)):item() < 40)
  end)

  it("computes matrices as float64 does, also in views and batches", function()
    local x = (cp.arange(4 * 24 * 40) * 7 % 31 - 15):reshape(4, 24, 40) / 16
    local w = (cp.arange(40 * 56) * 11 % 29 - 14):reshape(40, 56) / 64
    local bias = (cp.arange(57) % 5 - 2)["2:57"]
    for dtype, tolerance in pairs { float32 = 1e-5, float16 = 4e-3, bfloat16 = 3e-2 } do
      local xs, ws, vector = x:astype(dtype), w:astype(dtype), cp.astype(bias, dtype)
      for _, name in ipairs { "none", "relu", "gelu_tanh", "gelu" } do
        local expected = linear(x, w, bias, name)
        local function agrees(y, values)
          assert.equal(dtype, y.dtype)
          local bounds = { rtol = tolerance, atol = tolerance }
          assert.is_true(cp.allclose(y:astype "float64", values, bounds), dtype .. " " .. name)
        end
        agrees(linear(xs, ws, vector, name), expected)
        agrees(linear(xs[3], ws.T:copy().T, vector, name), expected[3])
        agrees(linear(xs[{ {}, { 2, 24 }, {} }], ws, vector, name), expected[{ {}, { 2, 24 }, {} }])
        agrees(linear(cp.swapaxes(xs, 2, 3):copy():swapaxes(2, 3)[1], ws, nil, name), linear(x, w, nil, name)[1])
        agrees(linear(xs, ws[{ {}, { 3, 19 } }], vector["3:19"], name), expected[{ {}, {}, { 3, 19 } }])
        local y = linear(xs[1], ws, vector * cp.nan, name)
        assert.is_true(cp.isnan(y):all(), dtype .. " " .. name)
      end
    end
  end)

  it("names what it cannot take", function()
    failure("usage", 'linalg.linear: activation must be "none", "relu", "gelu", ',
      function() linear(a, b, nil, "elu") end)
    failure("shape", "linalg.linear: shapes (2, 4) and (2, 2) cannot be multiplied", function() linear(b, a) end)
    failure("shape", "linalg.linear: bias has shape (3, 1, 1), the product (2, 4)",
      function() linear(a, b, cp.ones { 3, 1, 1 }) end)
    failure("shape", "linalg.linear: bias has shape (3), the product (2, 4)", function() linear(a, b, cp.ones(3)) end)
    failure("dtype", "linalg.linear: activations take real values, not complex128",
      function() linear(a, b, cp.array { cp.j }, "relu") end)
  end)
end)
