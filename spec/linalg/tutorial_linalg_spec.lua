-- The tutorial programs of linear algebra and transforms run on the current device, small.

local cp = require "cupola"
local scripts = require "spec.helper.scripts"

describe("the tutorial", function()
  it("decomposes a matrix into singular values", function()
    local text, off, skew, s = scripts.run("tutorial/07_svd", "60")
    assert.truthy(text:find("60 x 60 on " .. cp.device().name, 1, true), text)
    assert.is_true(off < 1e-12 and skew < 1e-12)
    assert.is_true(s:has_shape(60))
    assert.near(60, s[1], 6) -- values around 1 make one large singular value, about n
  end)

  it("filters a signal", function()
    local path = os.tmpname() .. ".txt"
    local text, found, before, after = scripts.run("tutorial/15_fft_filter", path)
    local drawn = assert(io.open(path))
    local picture = drawn:read "*a"
    drawn:close()
    os.remove(path)
    assert.truthy(picture:find("noisy and filtered", 1, true), picture)
    assert.equal(2, #found)
    assert.truthy(text:find("found 50 Hz", 1, true) and text:find("120 Hz", 1, true), text)
    assert.is_true(before > 0.6 and after < 0.1)
  end)

  it("fits a plane", function()
    local _, c, rms, rank = scripts.run("tutorial/16_regression", "20000")
    assert.near(3, c[1], 0.02)
    assert.near(-2, c[2], 0.02)
    assert.near(0.5, c[3], 0.02)
    assert.near(0.2887, rms, 0.01)
    assert.equal(3, rank)
  end)
end)
