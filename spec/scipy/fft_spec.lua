-- cp.fft beyond the golden data: closed forms of large transforms, bad input, cached plans, and that operands
-- are unchanged. Values of every dtype, axis, length and norm are compared with NumPy in
-- linalg_golden_spec.lua.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, values = check.failure, check.values
local fft = cp.fft

local function largest(x) return cp.abs(x):max():item() end

describe("a transform", function()
  it("of a wave has one peak at its frequency, for powers of two, primes and other lengths", function()
    for _, n in ipairs { 4096, 4099, 6000, 65536 } do
      local wave = cp.exp(cp.arange(n, { dtype = "float64" }) * (cp.j * (2 * math.pi * 5 / n)))
      local spectrum = fft.fft(wave)
      assert.is_true(math.abs(spectrum[6].re - n) < 1e-7 * n)
      spectrum[6] = 0
      assert.is_true(largest(spectrum) < 1e-7 * n)
    end
  end)

  it("is undone by its inverse, for real and complex values and several axes", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local tolerance = dtype == "float32" and 1e-4 or 1e-12
      local x = cp.sin(cp.arange(60 * 70 * 8, { dtype = "float64" }) * 0.37):reshape({ 60, 70, 8 }):astype(dtype)
      assert.is_true(largest(fft.ifftn(fft.fftn(x)) - x) < tolerance)
      assert.is_true(largest(fft.irfftn(fft.rfftn(x), { 60, 70, 8 }) - x) < tolerance)
      assert.is_true(largest(fft.ifft2(fft.fft2(x, nil, { 1, 2 }), nil, { 1, 2 }) - x) < tolerance)
      assert.is_true(largest(fft.irfft(fft.rfft(x, nil, 2), 70, 2) - x) < tolerance)
      assert.equal(dtype, fft.irfft(fft.rfft(x)).dtype)
    end
  end)

  it("of lines with large strides equals that of their copies", function()
    local x = cp.cos(cp.arange(2 ^ 17, { dtype = "float64" }) ^ 2):reshape({ 2, 256, 256 })
    local z = (x + cp.j * cp.sin(x)):eval()
    local function rows(f, y, axis) return cp.moveaxis(f(cp.moveaxis(y, axis, -1):copy()), -1, axis) end
    local want = rows(fft.fft, z, 2)
    assert.is_true(largest(fft.fft(z, nil, 2) - want) < 1e-11)
    assert.is_true(largest(fft.fft2(z) - fft.fft(want)) < 1e-9)
    assert.is_true(largest(fft.rfft2(x) - rows(fft.fft, fft.rfft(x), 2)) < 1e-9)
    assert.is_true(largest(fft.irfft2(fft.rfft2(x)) - x) < 1e-12)
    assert.is_true(largest(fft.ifftn(fft.fftn(z)) - z) < 1e-12)
    assert.is_true(largest(fft.rfft(cp.swapaxes(x, 2, 3), nil, 2) - cp.swapaxes(fft.rfft(x), 2, 3)) < 1e-11)
  end)

  it("keeps the energy under the orthonormal norm", function()
    local x = cp.cos(cp.arange(2 ^ 16, { dtype = "float64" }) ^ 2 * 1e-3)
    local energy = (cp.abs(fft.fft(x, { norm = "ortho" })) ^ 2):sum():item()
    assert.is_true(math.abs(energy - (x ^ 2):sum():item()) < 1e-6)
  end)

  it("turns products into convolutions", function()
    local a, b = cp.array({ 1, 2, 3, 0, 0 }), cp.array({ 0, 1, 0.5, 0, 0 })
    local c = fft.irfft(fft.rfft(a) * fft.rfft(b), 5)
    assert.is_true(largest(c - cp.array({ 0, 1, 2.5, 4, 1.5 })) < 1e-14)
  end)

  it("takes views and broadcast arrays", function()
    local x = cp.cos(cp.arange(240, { dtype = "float64" }) ^ 2):reshape({ 6, 40 })
    local y = x["::-2, 1:40:3"]
    assert.is_true(largest(fft.fft(y) - fft.fft(y:copy())) < 1e-13)
    assert.is_true(largest(fft.fft(y, nil, 1) - fft.fft(y:copy(), nil, 1)) < 1e-13)
    local wide = cp.broadcast_to(x[1], { 3, 40 })
    assert.is_true(largest(fft.fft(wide) - fft.fft(wide:copy())) < 1e-13)
    assert.is_true(largest(fft.fft2(x.T) - fft.fft2(x).T) < 1e-12)
    local z = x + cp.j * x
    assert.is_true(largest(fft.rfft(z.imag) - fft.rfft(x)) < 1e-13)
  end)

  it("leaves its argument as it is", function()
    local x = cp.cos(cp.arange(64, { dtype = "float64" })):reshape({ 8, 8 })
    local z = fft.rfft2(x)
    local x0, z0 = x:copy(), z:copy()
    fft.fft(x)
    fft.irfft2(z)
    fft.irfft(z)
    fft.ifft(z)
    fft.hfft(z)
    assert.is_true(x == x0 and z == z0)
  end)

  it("takes pending operands, and is not affected by later writes", function()
    local x = cp.ones(16)
    local y = x * 2
    local f = fft.fft(y)
    x:fill(0)
    y:fill(5)
    assert.equal(32, f[1].re)
  end)
end)

describe("plans", function()
  it("are kept for later transforms of the same form, up to a limit", function()
    fft.plan_cache({ clear = true })
    assert.equal(0, fft.plan_cache())
    local x = cp.ones({ 4, 32 })
    fft.fft(x)
    fft.fft(x + 1)
    assert.equal(1, fft.plan_cache())
    fft.plan_cache(3)
    for n = 8, 15 do fft.fft(cp.ones(n)) end
    assert.equal(3, fft.plan_cache())
    fft.plan_cache(0)
    assert.equal(0, fft.plan_cache())
    assert.equal(8, fft.fft(cp.ones(8))[1].re)
    assert.equal(0, fft.plan_cache())
    fft.plan_cache(16)
  end)

  it("leave no memory behind", function()
    local x = cp.ones({ 16, 1000 })
    fft.fft(x)
    cp.collect()
    local before = cp.memory().live
    for _ = 1, 20 do fft.fft(x) end
    cp.collect()
    assert.equal(before, cp.memory().live)
  end)
end)

describe("cp.fft", function()
  it("refuses what it cannot transform", function()
    local x = cp.ones({ 4, 4 })
    failure("shape", "fft.fft: a must have axes", function() fft.fft(3) end)
    failure("shape", "fft.fft: the length of a transform must be 1 or more, but is 0", function() fft.fft(x, 0) end)
    failure("shape", "fft.fft: the length of a transform must be 1 or more, but is 0",
      function() fft.fft(cp.ones({ 3, 0 })) end)
    failure("shape", "fft.irfft: the length of a transform must be 1 or more, but is 0",
      function() fft.irfft(cp.ones(1)) end)
    failure("index", "fft.fft: axis 3 is out of range", function() fft.fft(x, nil, 3) end)
    failure("index", "fft.ifft: axis counts from 1", function() fft.ifft(x, nil, 0) end)
    failure("index", "fft.fftn: axes names an axis twice", function() fft.fftn(x, nil, { 1, -2 }) end)
    failure("usage", "fft.fft: norm must be \"backward\", \"ortho\" or \"forward\", not \"unit\"",
      function() fft.fft(x, nil, nil, "unit") end)
    failure("usage", "fft.hfft: norm must be", function() fft.hfft(x, nil, nil, "unit") end)
    failure("dtype", "fft.rfft: takes real values, not complex128; cp.fft.fft takes complex ones",
      function() fft.rfft(x + cp.j) end)
    failure("shape", "fft.fftn: s has 1 length for 2 axes", function() fft.fftn(x, { 4 }, { 1, 2 }) end)
    failure("shape", "fft.fftn: s has 3 lengths for an array with 2 axes", function() fft.fftn(x, { 4, 4, 4 }) end)
    failure("shape", "fft.fft2: a must have at least 2 axes, not shape (4)", function() fft.fft2(x[1]) end)
    failure("shape", "fft.fftfreq: n must be 1 or more, but is 0", function() fft.fftfreq(0) end)
    failure("usage", "fft.fftfreq: d must be a number", function() fft.fftfreq(4, "1") end)
    failure("usage", "fft.fft: a is missing", function() fft.fft() end)
  end)

  it("gives empty results of empty batches", function()
    assert.same({ 0, 5 }, fft.fft(cp.ones({ 0, 5 })).shape)
    assert.same({ 0, 3 }, fft.rfft(cp.ones({ 0, 5 })).shape)
    assert.same({ 0, 8 }, fft.irfft(cp.ones({ 0, 5 })).shape)
    assert.same({ 0, 5 }, fft.fftn(cp.ones({ 0, 5 }), { axes = 2 }).shape)
  end)

  it("writes into out", function()
    local x = cp.arange(12, { dtype = "float64" }):reshape({ 3, 4 })
    local z, r = x + cp.j, x["1:3, 1:3"]
    for name, a in pairs { fft = x, ifft = z, rfft = x, irfft = z, hfft = z, ihfft = x, fft2 = x, ifft2 = z, rfft2 = x,
      irfft2 = z, fftn = x, ifftn = z, rfftn = r, irfftn = z } do
      local want = fft[name](a)
      local out = cp.zeros_like(want)
      assert.is_true(rawequal(out, fft[name](a, { out = out })), name)
      assert.is_true(cp.array_equal(out, want), name)
      local short = { out = cp.zeros(2, want.dtype) }
      failure("shape", "fft." .. name .. ": out has shape (2)", function() fft[name](a, short) end)
    end
    fft.fft(z, { out = z }) -- in place
    assert.is_true(cp.array_equal(z, fft.fft(x + cp.j)))
    failure("dtype", "fft.fft: ", function() fft.fft(x, { out = x }) end)
  end)

  it("takes positions and names", function()
    local x = cp.arange(6, { dtype = "float64" }):reshape({ 2, 3 })
    assert.is_true(fft.fft(x, { n = 4, axis = 1 }) == fft.fft(x, 4, 1))
    assert.is_true(fft.fftn({ a = x, axes = { 1 } }) == fft.fft(x, nil, 1))
    assert.same({ 0, 0.25, -0.5, -0.25 }, values(fft.fftfreq(4, { d = 1 })))
  end)
end)
