-- cp.scipy.ndimage, cp.scipy.fft and cp.scipy.linalg's matrices beyond SciPy's golden data: closed forms,
-- large sizes, outputs, bad input; and NumPy's functions of lua/cupola/arrays/values.lua, forms.lua and
-- functional.lua.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, values = check.failure, check.values
local ndimage, fft, linalg = cp.scipy.ndimage, cp.scipy.fft, cp.scipy.linalg

local function largest(x) return cp.abs(x):max():item() end

describe("cp.scipy.ndimage", function()
  it("smooths a large picture without changing its sum, in its own dtype", function()
    local k = cp.arange(300 * 400, { dtype = "int64" })
    local x = ((k * 7919 + k * k * 31) % 17):astype("float32"):reshape(300, 400)
    local wrap = { mode = "wrap" }
    for _, y in ipairs { ndimage.gaussian_filter(x, 2, wrap), ndimage.uniform_filter(x, 7, wrap) } do
      assert.equal("float32", y.dtype)
      assert.near(1, (y:sum("float64") / x:sum("float64")):item(), 1e-6)
      assert.is_true(y:std():item() < 0.2 * x:std():item())
    end
    assert.is_true(cp.array_equal(ndimage.median_filter(cp.full({ 40, 50 }, 3), 5), cp.full({ 40, 50 }, 3)))
    local out = cp.empty({ 300, 400 })
    ndimage.sobel(x, { output = out })
    assert.is_true(cp.array_equal(out, ndimage.sobel(x):astype "float64"))
  end)

  it("gives minima, medians and maxima in this order for random neighbourhoods", function()
    local x = cp.random.default_rng(3):random { 30, 40 }
    local low, middle, high = ndimage.minimum_filter(x, 3), ndimage.median_filter(x, 3), ndimage.maximum_filter(x, 3)
    assert.is_true((low:le(middle)):all() and middle:le(high):all() and low:le(x):all() and x:le(high):all())
    assert.equal(x[{ { 4, 6 }, { 9, 11 } }]:max():item(), high[{ 5, 10 }])
  end)

  it("fails with clear messages", function()
    failure("usage",
      'scipy.ndimage.convolve: mode must be "reflect", "constant", "nearest", "mirror" or "wrap", not "symm"',
      function() ndimage.convolve(cp.ones(3), cp.ones(3), { mode = "symm" }) return 1 end)
    failure("shape", "scipy.ndimage.correlate: weights have shape (3) for an array of shape (3, 3)",
      function() ndimage.correlate(cp.ones { 3, 3 }, cp.ones(3)) return 1 end)
    failure("usage", "scipy.ndimage.correlate1d: origin 2 is out of range for 3 weights",
      function() ndimage.correlate1d(cp.ones(5), { 1, 1, 1 }, { origin = 2 }) return 1 end)
    failure("usage", "scipy.ndimage.gaussian_filter1d: a window of 4e+17 elements to each side",
      function() ndimage.gaussian_filter1d(cp.ones(9), 1e17) return 1 end)
    assert.is_false((pcall(ndimage.gaussian_filter, cp.ones(9), cp.nan)))
    failure("memory", "scipy.ndimage.uniform_filter1d: out of memory",
      function() ndimage.uniform_filter1d(cp.cpu.ones(9), 2 ^ 45) return 1 end)
    failure("usage", "scipy.ndimage.median_filter: size or footprint must be given",
      function() ndimage.median_filter(cp.ones(5)) return 1 end)
  end)
end)

describe("cp.scipy.fft", function()
  it("undoes its own transforms of any length", function()
    local x = cp.random.default_rng(4):random { 3, 1001 }
    for _, norm in ipairs { "backward", "ortho", "forward" } do
      for t = 1, 4 do
        assert.is_true(largest(fft.idct(fft.dct(x, t, { norm = norm }), t, { norm = norm }) - x) < 1e-12)
        assert.is_true(largest(fft.idst(fft.dst(x, t, { norm = norm }), t, { norm = norm }) - x) < 1e-12)
      end
    end
    assert.equal("float32", fft.dct(x:astype "float32").dtype)
    local function is_fast(n)
      for _, prime in ipairs { 2, 3, 5, 7 } do
        while n % prime == 0 do n = n / prime end
      end
      return n == 1
    end
    local n = 1
    for target = 1, 3000 do
      while n < target or not is_fast(n) do n = n + 1 end
      assert.equal(n, fft.next_fast_len(target))
    end
    -- large ones: the neighbours of products, which are far apart
    assert.equal(2 ^ 40, fft.next_fast_len(2 ^ 40))
    for _, long in ipairs { 3 ^ 20 * 2 ^ 10, 5 ^ 15 * 7 ^ 3, 7 ^ 16, 2 ^ 52 } do
      assert.equal(long, fft.next_fast_len(long))
      assert.is_true(is_fast(fft.next_fast_len(long - 1)) and fft.next_fast_len(long - 1) >= long - 1)
    end
    assert.same({ 1, 8, 1008, 1024 }, { fft.next_fast_len(1), fft.next_fast_len(8), fft.next_fast_len(1002),
      fft.next_fast_len(1024) })
    failure("usage", "scipy.fft.dct: type must be from 1 to 4, but is 5",
      function() fft.dct(cp.ones(3), 5) return 1 end)
    failure("shape", "scipy.fft.dct: type 1 needs at least 2 elements",
      function() fft.dct(cp.ones(1), 1) return 1 end)
  end)
end)

describe("cp.scipy.linalg", function()
  it("has the exponential of matrices", function()
    local t = 0.7
    local turn = linalg.expm(cp.array { { 0, -t }, { t, 0 } })
    assert.is_true(largest(turn - cp.array { { math.cos(t), -math.sin(t) }, { math.sin(t), math.cos(t) } }) < 1e-15)
    local single = linalg.expm(cp.array({ { 0, -20 * t }, { 20 * t, 0 } }, "float32"))
    assert.equal("float32", single.dtype)
    assert.near(math.cos(20 * t), single[{ 1, 1 }], 2e-5)
    assert.is_true(linalg.expm(cp.zeros { 0, 2, 2 }):has_shape(0, 2, 2))
    failure("usage", "scipy.linalg.hadamard: n must be a power of two, but is 6",
      function() linalg.hadamard(6) return 1 end)
    failure("usage", "scipy.linalg.hadamard: n must be a power of two, but is 1000000000001",
      function() linalg.hadamard(1000000000001) return 1 end)
  end)

  it("has companion matrices whose eigenvalues are roots", function()
    local roots = cp.linalg.eigvals(linalg.companion { 1, -6, 11, -6 }).real:sort()
    assert.is_true(largest(roots - cp.array { 1, 2, 3 }) < 1e-9)
  end)
end)

describe("NumPy's further functions", function()
  it("compare shapes and equivalence", function()
    assert.equal("(3, 4, 5)", tostring(cp.broadcast_shapes({ 4, 1 }, { 3, 1, 5 }, 5)))
    failure("shape", "broadcast_shapes: axis 1 has lengths 2 and 3", function() cp.broadcast_shapes(2, 3) return 1 end)
    assert.is_true(cp.array_equiv({ 1, 2 }, { { 1, 2 }, { 1, 2 } }))
    assert.is_false(cp.array_equiv({ 1, 2 }, { 1, 2, 3 }))
    assert.same({ { 1, 3 }, { 2, 4 } }, values(cp.array({ { 1, 2 }, { 3, 4 } }):matrix_transpose()))
  end)

  it("fail with clear messages", function()
    failure("usage", "nanargmax: a slice has only nans",
      function() cp.nanargmax(cp.array { { cp.nan, cp.nan }, { 1, 2 } }, 2) return 1 end)
    failure("usage", "cumulative_sum: axis must be given for an array of several axes",
      function() cp.cumulative_sum(cp.ones { 2, 2 }) return 1 end)
  end)
end)

-- Values of SciPy.
describe("transforms of several axes", function()
  it("take complex values, and lengths", function()
    local z = cp.array { { cp.complex(1, 2), cp.complex(3, -1), cp.complex(0, 2) }, { 4, cp.complex(5, 1), -6 } }
    local y = cp.scipy.fft.dctn(z)
    check.values(y.real, { { 28, 38.10511776651529, -34 }, { 2.82842712474619, -22.045407685048602,
      9.899494936611664 } },
      1e-12)
    check.values(y.imag, { { 16, 0, 8 }, { 5.65685424949238, 0, 11.31370849898476 } }, 1e-12)
    check.values(cp.scipy.fft.dct(z[1]).imag, { 6, 0, 6 }, 1e-12)
    assert.equal("complex64", cp.scipy.fft.idst(z:astype "complex64").dtype)
    local x = cp.array { { 1, 2, 3 }, { 4, 5, 7 } }
    check.values(cp.scipy.fft.dctn(x, { s = { 3, 2 } }),
      { { 48, -5.65685424949238 }, { 10.392304845413264, -2.449489742783178 }, { -30, 1.4142135623730936 } }, 1e-12)
    check.values(cp.scipy.fft.dstn(x, { s = 4 }), { { 10.004162189843047, 0, -1.979075258628325, 4 },
      { 25.234576239191597, 2.82842712474619, -1.7933661166718604, 12 } }, 1e-12)
    check.values(cp.scipy.fft.idctn(x, { s = { 2, 2 }, axes = { 2, 1 } }),
      { { 1.2178300858899105, -0.385723304703363 }, { -0.7392766952966369, 0.1571699141100893 } }, 1e-12)
    check.failure("shape", "scipy.fft.dctn: s has 1 length for 2 axes",
      function() cp.scipy.fft.dctn(x, { s = { 2 }, axes = { 1, 2 } }) end)
  end)
end)

describe("the exponential of matrices", function()
  -- exp of c on the diagonal and k above it: e^c, k e^c, k^2 e^c / 2.
  local function bidiagonal(c, k) return cp.array { { c, k, 0 }, { 0, c, k }, { 0, 0, c } } end

  it("keeps small parts beside large ones, whose powers are small", function()
    for _, k in ipairs { 1, 3e4, 1e7 } do
      local e = math.exp(-1.1)
      local want = cp.array { { e, k * e, k * k * e / 2 }, { 0, e, k * e }, { 0, 0, e } }
      assert.is_true(cp.allclose(linalg.expm(bidiagonal(-1.1, k)), want, { rtol = 1e-9, atol = 1e-12 }), k)
    end
    local nilpotent = cp.array { { 0, 1e200 }, { 0, 0 } }
    assert.is_true(cp.allclose(linalg.expm(nilpotent), cp.array { { 1, 1e200 }, { 0, 1 } }, { rtol = 1e-13, atol = 0 }))
  end)

  it("is that of each matrix of a stack", function()
    local stack = cp.zeros { 4, 3, 3 }
    stack[2], stack[3] = bidiagonal(-1.1, 3e4), cp.eye(3) * 1e-9
    stack[4] = cp.array { { 0, 50, 0 }, { -50, 0, 0 }, { 0, 0, 1 } }
    for _, dtype in ipairs { "float64", "complex128" } do
      local all = linalg.expm(stack:astype(dtype))
      for k = 1, 4 do assert.is_true(cp.allclose(all[k], linalg.expm(stack[k]:astype(dtype)), { rtol = 1e-13 })) end
      assert.near(math.cos(50), cp.real(all[{ 4, 1, 1 }]), 1e-12)
      assert.near(math.sin(50), cp.real(all[{ 4, 1, 2 }]), 1e-12)
    end
    assert.near(math.cos(50), linalg.expm(stack:astype "float32")[{ 4, 1, 1 }], 2e-5)
  end)
end)

describe("special matrices", function()
  it("may be empty", function()
    assert.is_true(linalg.hilbert(0):has_shape(0, 0))
    assert.is_true(linalg.dft(0):has_shape(0, 0))
    assert.is_true(linalg.block_diag():has_shape(1, 0))
  end)
end)

describe("special functions at the ends of the range", function()
  it("keep SciPy's values", function()
    local special = cp.scipy.special
    local function near(got, want)
      for k, v in ipairs(want) do assert.is_true(math.abs(got[k] / v - 1) < 1e-10, got[k] .. ", want " .. v) end
    end
    local y = special.boxcox({ 0.01, 100 }, { -155, 155 })
    near(y, { -6.451612903225002e+307, 6.451612903226469e+307 })
    near(special.inv_boxcox(y, { -155, 155 }), { 0.01, 100 })
    near(special.rel_entr({ 1, 1 + 4 * 2 ^ -52, 1e200, 1e-300 }, { 1 - 2 ^ -50, 1, 1e-200, 1e300 }),
      { 2 ^ -50, 2 ^ -50, 9.210340371976184e+202, -1.3815510557964273e-297 })
    assert.is_true(special.bdtr(1, cp.inf, 0.5) ~= special.bdtr(1, cp.inf, 0.5))
  end)
end)
