-- cp.image's functions of pixels against Pillow's and colorsys's results (spec/golden/files/pixels_calls.py),
-- and wrong arguments.

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"
local image = cp.image

calls.specs(cp, "files/pixels", describe, it)

describe("pixels", function()
  local function failure(fact, f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(tostring(message):find(fact, 1, true), message)
  end

  it("keep dtypes and the values of flat pictures", function()
    for _, dtype in ipairs { "uint8", "int16", "float16", "float32", "float64", "bool" } do
      local x = cp.ones({ 5, 7, 3 }, { dtype = dtype })
      for _, method in ipairs { "nearest", "bilinear", "bicubic", "area", "lanczos" } do
        local y = image.resize(x, { 8, 3 }, method)
        assert.equal(dtype, y.dtype)
        assert.is_true(cp.allclose(y, cp.ones { 8, 3, 3 }))
      end
    end
    assert.is_true(image.resize(cp.ones { 4, 4 }, { 0, 2 }):has_shape(0, 2))
    assert.equal("uint8", image.gray(cp.ones({ 2, 2, 4 }, { dtype = "uint8" })).dtype)
  end)

  it("are exact for linear pictures of any size", function()
    local function linear(height, width, down, right)
      local row = ((cp.arange(height, { dtype = "float64" }) + 0.5) * down - 0.5):reshape(height, 1)
      return row * 3 + (cp.arange(width, { dtype = "float64" }) + 0.5) * right - 0.5
    end
    local x = linear(37, 301, 1, 1)
    for _, dtype in ipairs { "float32", "float64" } do
      local y = image.resize(x:astype(dtype), { 26, 210 }, "bicubic", false)[{ { 4, 23 }, { 4, 207 } }]
      assert.is_true(cp.allclose(y, linear(26, 210, 37 / 26, 301 / 210)[{ { 4, 23 }, { 4, 207 } }], { rtol = 1e-5 }))
    end
  end)

  it("limit integers to what they hold", function()
    local x = cp.zeros({ 1, 8 }, { dtype = "uint8" })
    x[{ 1, { 5, 8 } }] = 255
    local y = image.resize(x, { 1, 32 }, "bicubic")
    assert.equal(0, y:min():item())
    assert.equal(255, y:max():item())
  end)

  it("leave elements out if filters are not widened", function()
    local x = cp.arange(16, "float64"):reshape(1, 16)
    assert.is_true(cp.allclose(image.resize(x, { 1, 4 }, "bilinear", false), { { 1.5, 5.5, 9.5, 13.5 } }))
  end)

  it("refuse what does not fit", function()
    local x = cp.ones { 4, 4 }
    failure("shape must be {height, width}", image.resize, x, 3)
    failure("method must be", image.resize, x, { 2, 2 }, "cubic")
    failure("x must have shape (height, width) or", image.resize, cp.ones(3), { 2, 2 })
    failure("x must have shape (height, width, 3 or 4), not (4, 4)", image.gray, x)
    failure("x must have shape (height, width, 3)", image.rgb_to_hsv, cp.ones { 2, 2, 4 })
    failure("must be real", image.resize, cp.ones({ 2, 2 }, { dtype = "complex64" }), { 1, 1 })
    failure("x has no pixels", image.resize, cp.ones { 0, 2 }, { 1, 1 })
    failure("over and under have shapes", image.blend, cp.ones { 2, 3 }, cp.ones { 1, 3 })
  end)
end)
