-- Spectra and resampling: properties for signals of any length, and errors of wrong arguments.
-- signal_golden_spec.lua compares values with SciPy's.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"
local failure = check.failure
local signal = cp.scipy.signal

local function largest(x) return cp.abs(x):max():item() end

local function noise(shape, dtype)
  return cp.random.default_rng(7):standard_normal(shape):astype(dtype or "float64")
end

local function sine(n, frequency) return cp.sin(cp.arange(n, { dtype = "float64" }) * (2 * math.pi * frequency)) end

describe("spectra", function()
  it("have a sine's power at its frequency", function()
    local f, p = signal.welch(sine(20000, 0.125) * 3, { nperseg = 512, scaling = "spectrum" })
    assert.equal(65, p:argmax():item()) -- positions count from 1: 64 / 512
    assert.equal(0.125, f[65])
    assert.near(4.5, p[65], 1e-9) -- amplitude^2 / 2
    local g, q = signal.periodogram(sine(4096, 0.25), 100, { scaling = "spectrum" })
    assert.equal(25, g[q:argmax():item()])
    assert.near(0.5, q:max():item(), 1e-12)
  end)

  it("add up to the signal's power", function()
    local x = noise({ 3, 5001 })
    for _, onesided in ipairs { true, false } do
      local f, p = signal.periodogram(x, 8, { detrend = false, return_onesided = onesided })
      assert.equal(onesided and 2501 or 5001, f.size)
      local power = p:sum(-1) * 8 / 5001
      assert.is_true(largest(power - (x * x):mean(-1)) < 1e-12)
    end
    local z = x + cp.j * noise({ 3, 5001 }) * 2
    local f, p = signal.periodogram(z, { detrend = false })
    assert.equal(5001, f.size)
    assert.is_true(largest(p:sum(-1) / 5001 - (cp.abs(z) ^ 2):mean(-1)) < 1e-12)
  end)

  it("are averages of the spectra of segments", function()
    local x = noise({ 4, 3000 }, "float32")
    local f, p = signal.welch(x, { nperseg = 200, noverlap = 50, window = "hamming" })
    local sum, count = 0, 0
    for first = 1, 3000 - 199, 150 do
      local g, q = signal.periodogram(x[{ {}, { first, first + 199 } }], { window = "hamming" })
      assert.is_true(cp.array_equal(f, g))
      sum, count = sum + q, count + 1
    end
    assert.equal("float32", p.dtype)
    assert.is_true(largest(p - sum / count) < 1e-4)
    local _, t, s = signal.spectrogram(x, { nperseg = 200, noverlap = 50, window = "hamming" })
    assert.equal(count, t.size)
    assert.is_true(s:has_shape(4, 101, count))
    assert.is_true(largest(s:mean(-1) - p) < 1e-4)
  end)

  it("are fully coherent with themselves and with a filtered signal", function()
    local x = noise(4096)
    local _, whole = signal.coherence(x, x * -2, { nperseg = 128 })
    assert.is_true(largest(whole - 1) < 1e-12)
    local _, other = signal.coherence(x, signal.lfilter({ 1, 0.5 }, 1, x), { nperseg = 128 })
    assert.is_true(other:min():item() > 0.99)
    local _, none = signal.coherence(x, cp.random.default_rng(8):standard_normal(4096), { nperseg = 64 })
    assert.is_true(none:mean():item() < 0.1)
    local _, own = signal.csd(x, x, { nperseg = 100 })
    local _, power = signal.welch(x, { nperseg = 100 })
    assert.is_true(largest(own - power) < 1e-12)
  end)

  it("take views, pending values, tables and functions", function()
    local x = noise({ 600, 2 })
    local function power(...) return (select(2, signal.welch(...))) end
    local want = power(x.T:copy(), { nperseg = 64 })
    assert.is_true(cp.allclose(power(x.T, { nperseg = 64 }), want))
    assert.is_true(cp.allclose(power(x, { nperseg = 64, axis = 1 }).T, want))
    assert.is_true(cp.allclose(power(x.T * 2, { nperseg = 64 }), 4 * want))
    local reversed = x.T[{ {}, { 600, 1, -1 } }]
    assert.is_true(cp.allclose(power(reversed, { nperseg = 64 }), power(reversed:copy(), { nperseg = 64 })))
    local function centred(rows) return rows - rows:mean({ axis = -1, keepdims = true }) end
    assert.is_true(cp.allclose(power(x.T, { nperseg = 64, detrend = centred }), want))
    assert.is_true(cp.allclose(power({ 1, 5, 2, 8 }, { nperseg = 2, window = { 1, 1 } }),
      power(cp.array { 1, 5, 2, 8 }, { nperseg = 2, window = "boxcar" })))
    local holes = x:copy()
    holes[{ 300, 1 }] = cp.nan
    local got = power(holes, { nperseg = 64, axis = 1 })
    assert.is_true(cp.isnan(got[{ {}, 1 }]):all() and not cp.isnan(got[{ {}, 2 }]):any())
  end)
end)

describe("stft", function()
  it("is undone by istft", function()
    for _, n in ipairs { 300, 1001 } do
      for _, o in ipairs {
        { nperseg = 64 }, { nperseg = 64, noverlap = 48, window = "hamming" }, { nperseg = 33, noverlap = 20 },
        { nperseg = 50, nfft = 64, scaling = "psd", fs = 10 }, { nperseg = 64, boundary = "even" },
      } do
        local x = noise({ 2, n })
        local _, _, z = signal.stft(x, o)
        local back = { nperseg = o.nperseg, noverlap = o.noverlap, window = o.window, nfft = o.nfft,
          scaling = o.scaling, fs = o.fs }
        local t, y = signal.istft(z, back)
        assert.equal(t.size, y.shape[2])
        assert.is_true(largest(y[{ {}, { 1, n } }] - x) < 1e-12)
      end
    end
    local x = noise({ 3, 500 }, "complex64") + cp.j * noise({ 3, 500 }, "complex64")
    local _, _, z = signal.stft(x.T, { nperseg = 40, axis = 1, return_onesided = false })
    assert.equal("complex64", z.dtype)
    local _, y = signal.istft(z, { input_onesided = false, freq_axis = 1 })
    assert.is_true(largest(y[{ {}, { 1, 500 } }] - x) < 1e-5)
  end)
end)

describe("resampling", function()
  it("forth and back gives the signal", function()
    for _, n in ipairs { 301, 1000 } do
      local x = noise({ 2, n })
      local z = x + cp.j * noise({ 2, n })
      for _, num in ipairs { n + 1, 2 * n, 3 * n - 1 } do
        assert.is_true(largest(signal.resample(signal.resample(x, num, { axis = 2 }), n, { axis = 2 }) - x) < 1e-11)
        assert.is_true(largest(signal.resample(signal.resample(z, num, { axis = 2 }), n, { axis = 2 }) - z) < 1e-11)
      end
    end
  end)

  it("by filters equals filtering with zeros between the elements", function()
    local x = noise({ 2, 700 })
    for _, rate in ipairs { { 1, 1, 20 }, { 3, 1, 31 }, { 1, 4, 9 }, { 7, 3, 100 }, { 5, 8, 3 } } do
      local up, down, m = rate[1], rate[2], rate[3]
      local h = noise(m)
      local wide = cp.zeros({ 2, 700, up })
      wide[{ {}, {}, 1 }] = x
      local all = signal.convolve(wide:reshape(2, 700 * up)[{ {}, { 1, 699 * up + 1 } }], h:reshape(1, m),
        "full", "direct")
      local want = all[{ {}, { 1, math.floor((all.shape[2] - 1) / down) * down + 1, down } }]
      assert.is_true(largest(signal.upfirdn(h, x, up, down) - want) < 1e-12)
      assert.is_true(largest(signal.upfirdn(h, x.T, { up = up, down = down, axis = 1 }) - want.T) < 1e-12)
    end
  end)

  it("keeps low frequencies and removes high ones", function()
    local slow, fast = sine(4000, 0.01), sine(4000, 0.4)
    local want = sine(1000, 0.04)
    local inner = { { 101, 900 } }
    for _, how in ipairs {
      function(x) return signal.decimate(x, 4) end, function(x) return signal.decimate(x, 4, { ftype = "fir" }) end,
      function(x) return signal.resample_poly(x, 1, 4) end, function(x) return signal.resample(x, 1000) end,
    } do
      assert.is_true(largest((how(slow + fast) - want)[inner]) < 0.02)
    end
    assert.equal("float32", signal.decimate(slow:astype "float32", 4).dtype)
    assert.equal("float32", signal.resample_poly(slow:astype "float32", 3, 4).dtype)
  end)

  it("returns the times of the elements", function()
    local y, t = signal.resample({ 1, 2, 3, 4 }, 8, { 0, 0.5, 1, 1.5 })
    assert.same({ 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75 }, t:totable())
    assert.equal(8, y.size)
  end)
end)

it("spectra and resampling name the wrong argument", function()
  local x = cp.ones(50)
  for _, case in ipairs {
    { "usage", "scipy.signal.welch: noverlap must be from 0 to nperseg - 1 = 9, but is 10",
      function() signal.welch(x, { nperseg = 10, noverlap = 10 }) return 1 end },
    { "usage", "scipy.signal.welch: nfft must be nperseg = 10 or more, but is 9",
      function() signal.welch(x, { nperseg = 10, nfft = 9 }) return 1 end },
    { "usage", "scipy.signal.welch: nperseg must be 1 or more, but is 0",
      function() signal.welch(x, { nperseg = 0 }) return 1 end },
    { "usage", "scipy.signal.welch: fs must be above 0, but is 0", function() signal.welch(x, 0) return 1 end },
    { "usage", 'scipy.signal.welch: scaling must be "density", "spectrum", not "power"',
      function() signal.welch(x, { scaling = "power" }) return 1 end },
    { "usage", 'scipy.signal.welch: average must be "mean", "median", not "sum"',
      function() signal.welch(x, { average = "sum" }) return 1 end },
    { "usage", 'scipy.signal.welch: detrend must be "constant", "linear", not "line"',
      function() signal.welch(x, { detrend = "line" }) return 1 end },
    { "shape", "scipy.signal.welch: window has 3 elements, but nperseg is 4",
      function() signal.welch(x, { nperseg = 4, window = { 1, 2, 3 } }) return 1 end },
    { "shape", "scipy.signal.stft: x must have at least one axis", function() signal.stft(3) return 1 end },
    { "usage", 'scipy.signal.stft: boundary must be "zeros", "even", "odd", "constant" or false, not "mirror"',
      function() signal.stft(x, { boundary = "mirror" }) return 1 end },
    { "usage", 'scipy.signal.spectrogram: mode must be "psd", "complex", "magnitude", "angle", "phase", not "x"',
      function() signal.spectrogram(x, { mode = "x" }) return 1 end },
    { "shape", "scipy.signal.istft: Zxx must have at least 2 axes, not shape (50)",
      function() signal.istft(x) return 1 end },
    { "usage", "scipy.signal.istft: time_axis and freq_axis must be two axes",
      function() signal.istft(cp.ones({ 3, 4 }), { time_axis = 1, freq_axis = 1 }) return 1 end },
    { "usage", "scipy.signal.upfirdn: up must be 1 or more, but is 0",
      function() signal.upfirdn({ 1 }, x, 0) return 1 end },
    { "shape", "scipy.signal.upfirdn: h must be a vector with at least one element, not of shape (2, 2)",
      function() signal.upfirdn(cp.ones({ 2, 2 }), x) return 1 end },
    { "usage",
      'scipy.signal.resample_poly: padtype must be "constant", "symmetric", "antisymmetric", "reflect", "antireflect", '
      .. '"edge", "wrap", "line", "smooth", "mean", "median", "maximum" or "minimum", not "nearest"',
      function() signal.resample_poly(x, 2, 1, { padtype = "nearest" }) return 1 end },
    { "usage", 'scipy.signal.decimate: ftype must be "iir" or "fir", not "fft"',
      function() signal.decimate(x, 2, nil, "fft") return 1 end },
    { "usage", "scipy.signal.resample: num must be 1 or more, but is 0",
      function() signal.resample(x, 0) return 1 end },
    { "shape", "scipy.signal.resample: window must have as many elements as the signal, 50",
      function() signal.resample(x, 10, { window = { 1, 2 } }) return 1 end },
    { "dtype", "scipy.signal.hilbert2: takes real values, not complex128",
      function() signal.hilbert2(cp.ones({ 2, 2 }, "complex128")) return 1 end },
    { "shape", "scipy.signal.hilbert2: x must have at least 2 axes, not shape (50)",
      function() signal.hilbert2(x) return 1 end },
  } do
    failure(case[1], case[2], case[3])
  end
end)

describe("signals without elements", function()
  it("have spectra without elements, as in SciPy", function()
    for _, mode in ipairs { "psd", "magnitude", "complex" } do
      local f, t, p = signal.spectrogram(cp.zeros { 0, 5 }, { mode = mode })
      assert.is_true(f:has_shape(0, 5) and t:has_shape(0, 5) and p:has_shape(0, 5))
    end
    local function shapes(f, p, ...)
      expect.shape(f, ...)
      expect.shape(p, ...)
      assert.equal("float64", p.dtype)
    end
    local f, p = signal.welch(cp.zeros({ 0 }, "float32"))
    shapes(f, p, 0)
    f, p = signal.periodogram(cp.zeros { 3, 0 })
    shapes(f, p, 3, 0)
    f, p = signal.csd(cp.zeros { 5, 0, 2 }, cp.zeros { 5, 7, 1 }, { axis = 2 })
    shapes(f, p, 5, 0, 2)
  end)
end)
