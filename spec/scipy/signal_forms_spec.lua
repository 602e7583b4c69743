-- cp.scipy.signal with arguments of unusual forms: filters of several axes, fractions that vary or are none,
-- what lies beyond the ends, arrays without elements. Expected values are SciPy 1.17's.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local failure, values = check.failure, expect.values
local signal = cp.scipy.signal
local nan = cp.nan

local function parts(h, re, im)
  assert.equal("complex128", h.dtype)
  values(h.real, re, nil, 1e-10)
  values(h.imag, im, nil, 1e-10)
end

describe("freqz", function()
  it("takes filters along the first axis of arrays, and frequencies of any shape", function()
    local b = cp.array { { 1, 2 }, { 3, 4 }, { -1, 0.5 } }
    local a = cp.array { { 1, 1 }, { 0.5, -0.25 } }
    local _, h = signal.freqz(b:reshape(3, 2, 1), a:reshape(2, 2, 1), { worN = 3 })
    parts(h, { { 2, 18 / 7, 2 }, { 26 / 3, 3, -5 / 7 } },
      { { 0, -0.494871659305, -3.46410161514 }, { 0, -5.19615242271, -2.55683690641 } })
    _, h = signal.freqz(b, { worN = { 0.5, 1 } })
    parts(h, { 3.0924453798, 3.9531358052 }, { -0.596805631005, -3.82053265264 })
    local w
    w, h = signal.freqz({ 1, 2 }, { 1, 0.5 }, { worN = cp.array { { 0.5, 1 }, { 0, 2 } } })
    values(w, { { 0.5, 1 }, { 0, 2 } })
    parts(h, { { 1.97123086072, 1.87161450538 }, { 2, 1.15084159981 } },
      { { -0.338007239196, -0.705024214667 }, { 0, -1.63571501557 } })
    _, h = signal.freqz(cp.ones { 1, 3, 1 }, { worN = 2 })
    parts(h, { { 1, 1 }, { 1, 1 }, { 1, 1 } }, { { 0, 0 }, { 0, 0 }, { 0, 0 } })
    failure("shape", "scipy.signal.freqz: b must have elements, not shape (0, 2)",
      function() signal.freqz(cp.zeros { 0, 2 }) return 1 end)
  end)

  it("of sections checks them as sosfilt does", function()
    failure("usage", "scipy.signal.sosfreqz: a of section 1 must begin with 1",
      function() signal.freqz_sos({ 1, 0, 0, 2, 0, 0 }) return 1 end)
    failure("shape", "scipy.signal.sosfreqz: sos must have at least one row",
      function() signal.sosfreqz(cp.zeros { 0, 6 }) return 1 end)
  end)
end)

describe("waves", function()
  local t = cp.array { 0, 1, 2, 4, 5 }

  it("take a fraction for each time, and are nan where it is none", function()
    values(signal.square(t, { 0.1, 0.5, -0.1, 1, 1.5 }), { 1, 1, nan, 1, nan })
    values(signal.square(t, 2), { nan, nan, nan, nan, nan })
    values(signal.square(cp.array { { 0 }, { 1 } }, { 0.1, 0.2, 1.1 }), { { 1, 1, nan }, { -1, 1, nan } })
    values(signal.sawtooth(t, { 0, 0.5, -0.1, 1, 0.7 }), { 1, -0.363380227632, nan, 0.273239544735, 0.361501896937 },
      "float64", 1e-11)
    values(signal.sawtooth(cp.array { { 0 }, { 1 } }, { 0.1, 1 }),
      { { -1, -1 }, { 0.868544570907, -0.681690113816 } }, "float64", 1e-11)
    values(signal.sawtooth(t, -1), { nan, nan, nan, nan, nan })
  end)

  it("keep float32, also beside whole fractions", function()
    assert.equal("float32", signal.square(t:astype "float32", cp.array({ 1 }, "int32")).dtype)
    assert.equal("float64", signal.sawtooth(t:astype "float32", cp.array { 1 }).dtype)
  end)

  it("refuse what has no cutoff", function()
    failure("usage", "scipy.signal.gausspulse: tpr must be below 0",
      function() signal.gausspulse("cutoff", { tpr = 0 }) return 1 end)
    failure("dtype", "scipy.signal.square: duty must be real, not complex128",
      function() signal.square(t, cp.array { cp.j }) return 1 end)
  end)
end)

describe("upfirdn and resample_poly", function()
  local x, h = cp.array { 1, 2, 4, 7 }, cp.array { 1, 0.5, 0.25 }
  local wanted = {
    constant = { { 1, 1, 8 }, { 1, 4, 11, 18, 25, 32, 39, 46, 53, 50, 36 } },
    symmetric = { { 1.25, 1, 8 }, { 90, 90, 102, 117, 123, 108, 90, 90, 102, 117, 123 },
      { 165, 135, 183, 288, 369, 429 } },
    antisymmetric = { { 0.75, 1, 8 }, { -10, 10, 26, 19, -1, -44, -10, 10, 26, 19, -1 } },
    reflect = { { 1.5, 1, 8 }, { 95, 106, 110, 94, 95, 106, 110, 94, 95, 106, 110 } },
    antireflect = { { 1, 1, 8 }, { -317, -250, -178, -110, -47, 20, 92, 160, 223, 290, 362 },
      { -21, 99, 183, 297, 396, 522 } },
    edge = { { 1.25, 1, 8 }, { 45, 46, 50, 57, 67, 80, 96, 115, 137, 162, 180 } },
    wrap = { { 2.75, 1, 8 }, { 108, 111, 96, 108, 111, 96, 108, 111, 96, 108, 111 },
      { 423, 351, 183, 270, 315, 327 } },
    line = { { 0.75, 1, 8 }, { -315, -248, -181, -114, -47, 20, 87, 154, 221, 288, 360 },
      { -90, 63, 183, 294, 387, 501 } },
    smooth = { { 1, 1, 8 }, { -195, -150, -104, -56, -5, 50, 110, 176, 249, 330, 420 } },
  }

  it("extend signals beyond their ends", function()
    local long = cp.range(1, 9):astype "float64"
    for mode, want in pairs(wanted) do
      values(signal.upfirdn(h, x, 2, 3, { mode = mode }), want[1], "float64", 1e-12)
      values(signal.upfirdn(long, x[{ { 1, 3 } }], { mode = mode }), want[2], "float64", 1e-12)
      local rows = cp.stack({ x, x * 2 }, 2)
      local both = signal.upfirdn(h, rows, { up = 2, down = 3, axis = 1, mode = mode })
      values(both[":, 2"], (2 * cp.array(want[1])):totable(), "float64", 1e-12)
      if want[3] then
        values(signal.resample_poly(x, 3, 2, { padtype = mode, window = cp.range(1, 13):astype "float64" }), want[3],
          "float64", 1e-12)
      end
    end
    values(signal.upfirdn(h, x, 2, { cval = 2 }), { 1.5, 0.5, 2.25, 1, 4.5, 2, 8, 3.5, 3.75 })
    values(signal.upfirdn(h, { 3 }, { mode = "smooth" }), { 5.25, 5.25, 5.25 })
    failure("usage", 'scipy.signal.upfirdn: mode must be "constant", "symmetric", "antisymmetric", "reflect", ',
      function() signal.upfirdn(h, x, { mode = "around" }) return 1 end)
  end)

  it("and resample give arrays of the right shape for signals without elements", function()
    local none, some = cp.zeros { 0, 3 }, cp.zeros({ 2, 0 }, "float32")
    expect.shape(signal.upfirdn({ 1, 2, 3 }, none, { up = 2 }), 0, 7)
    values(signal.upfirdn({ 1, 2, 3 }, some, { up = 2 }), { { 0 }, { 0 } }, "float32")
    expect.shape(signal.upfirdn({ 1 }, some, { up = 2 }), 2, 0)
    expect.shape(signal.resample_poly(none, 3, 2, { axis = 2 }), 0, 5)
    expect.shape(signal.resample_poly(some, 1, 2, { axis = 2, padtype = "mean" }), 2, 0)
    expect.shape(signal.resample(none, 4, { axis = 2 }), 0, 4)
    expect.shape(signal.resample(none:astype "complex64", 4, { axis = 2 }), 0, 4)
    failure("shape", "scipy.signal.resample: x must have elements along the axis",
      function() signal.resample(none, 4) return 1 end)
    expect.shape(signal.wiener(none), 0, 3)
  end)
end)

describe("resample", function()
  it("takes the Fourier transform of a signal", function()
    parts(signal.resample({ 1, 2, 4, 7 }, 6, { domain = "freq" }), { 3.5, 0.875, -1.375, -1, -1.375, 0.875 },
      { -0, -1.08253175473, -1.08253175473, -0, 1.08253175473, 1.08253175473 })
    parts(signal.resample({ 1, cp.complex(0, 2), 4, 7 }, 2, { domain = "freq", window = "hann" }), { 1.125, -0.625 },
      { 0.25, -0.25 })
    local z = signal.resample(cp.ones({ 2, 4 }, "float32"), 3, { axis = 2, domain = "freq" })
    assert.equal("complex64", z.dtype)
    failure("usage", 'scipy.signal.resample: domain must be "time" or "freq", not "space"',
      function() signal.resample({ 1, 2 }, 3, { domain = "space" }) return 1 end)
  end)
end)

describe("wiener", function()
  it("takes neighbourhoods of even lengths", function()
    values(signal.wiener({ 1, 2, 4, 7 }, 2), { 0.5, 1.5, 3.0625, 6.375 })
    values(signal.wiener({ { 1, 2, 5 }, { 0, 3, 1 } }, { 1, 2 }, 0.5), { { 0.5, 1.5, 14 / 3 }, { 0, 8 / 3, 1.5 } },
      "float64", 1e-12)
    failure("usage", "scipy.signal.wiener: mysize must be above 0, but is 0",
      function() signal.wiener(cp.ones(3), 0) return 1 end)
  end)
end)

describe("states of filters", function()
  it("are those of coefficients divided by the first of a", function()
    values(signal.sosfilt_zi { { 1, 0.5, 0.2, 2, -0.3, 0.1 }, { 2, 0, 1, 4, 1, 0.5 } },
      { { 0.444444444444, 0.0527777777778 }, { 0.0429292929293, 0.171717171717 } }, "float64", 1e-11)
    expect.shape(signal.sosfilt_zi(cp.zeros { 0, 6 }), 0, 2)
    values(signal.lfilter_zi({ 1, 2 }, { 0, 0, 2, 0.5 }), { 0.7 }, "float64", 1e-12)
    values(signal.sosfilt({ 1, 0.5, 0.2, 1, -0.3, 0.1 }, { 1, 2, 3 }), { 1, 2.8, 4.94 }, "float64", 1e-12)
    failure("usage", "scipy.signal.sosfilt_zi: a of section 1 must not begin with 0",
      function() signal.sosfilt_zi({ 1, 0, 0, 0, 1, 1 }) return 1 end)
  end)

  it("without earlier values are zeros", function()
    values(signal.lfiltic({ 1, 2, 3 }, { 1, 0.5, 0.25 }, {}), { 0, 0 })
    values(signal.lfiltic({ 1, 2, 3 }, { 1, 0.5 }, {}, { 1, 2 }), { 8, 3 })
    failure("shape", "scipy.signal.lfiltic: y must be a vector, not of shape (1, 2)",
      function() signal.lfiltic({ 1 }, { 1, 1 }, { { 1, 2 } }) return 1 end)
  end)

  it("of a signal without elements remain, in its dtype", function()
    local zi = cp.ones({ 1 }, "float32")
    local _, zf = signal.lfilter(cp.array { 1, 2 }, cp.array { 1, 0.5 }, cp.zeros { 0 }, { zi = zi })
    values(zf, { 1 }, "float64")
    zi = cp.ones({ 1, 2 }, "float32")
    _, zf = signal.sosfilt({ { 1, 0, 0, 1, 0, 0 } }, cp.zeros({ 0 }, "complex64"), { zi = zi })
    values(zf.real, { { 1, 1 } }, "float32")
    failure("shape", "scipy.signal.lfilter: zi has shape (2) where (1) is needed",
      function() signal.lfilter({ 1, 2 }, { 1, 0.5 }, cp.zeros { 0 }, { zi = cp.ones { 2 } }) return 1 end)
  end)
end)

describe("find_peaks", function()
  local x = cp.array { 0, 2, 2, 0, 3, 3, 3, 0, 1, 0, 5, 5, 5, 5, 0, 2, 1 }

  local function found(want, properties, options)
    local peaks, got = signal.find_peaks(x, options)
    values(peaks, want, "int64")
    for name, list in pairs(properties) do values(got[name], list, nil, 1e-12) end
  end

  it("tells how long plateaus are", function()
    found({ 2, 6, 12 }, { plateau_sizes = { 2, 3, 4 }, left_edges = { 2, 5, 11 }, right_edges = { 3, 7, 14 } },
      { plateau_size = 2 })
    found({ 2, 9, 16 }, { plateau_sizes = { 2, 1, 1 } }, { plateau_size = { nil, 2 } })
    local _, properties = signal.find_peaks({ 1, 2 }, { plateau_size = 1 })
    expect.shape(properties.plateau_sizes, 0)
  end)

  it("tells how wide peaks are at a part of their prominence", function()
    found({ 2, 6, 9, 12, 16 }, { prominences = { 2, 3, 1, 5, 1 }, widths = { 2, 3, 1, 4, 0.75 },
      width_heights = { 1, 1.5, 0.5, 2.5, 1.5 }, left_ips = { 1.5, 4.5, 8.5, 10.5, 15.75 },
      right_ips = { 3.5, 7.5, 9.5, 14.5, 16.5 } }, { width = 0 })
    found({ 2, 6 }, { widths = { 1.5, 2.5 }, left_ips = { 1.75, 4.75 } }, { width = { 1, 2.5 }, rel_height = 0.25 })
    values(signal.find_peaks({ 0, cp.inf, 0, 1, 0 }, { width = 0 }), { 2, 4 })
    failure("usage", "scipy.signal.find_peaks: rel_height must not be negative",
      function() signal.find_peaks(x, { width = 1, rel_height = -1 }) return 1 end)
  end)

  it("takes a bound for each element", function()
    local least = cp.concatenate { cp.full({ 8 }, 2.5), cp.full({ 9 }, 1.5) }
    found({ 6, 12, 16 }, { peak_heights = { 3, 5, 2 } }, { height = least })
    found({ 6, 12, 16 }, {}, { height = { least, 9 } })
    found({ 6, 12 }, {}, { height = cp.array { 3, 9 } })
    failure("shape", "scipy.signal.find_peaks: height must have as many elements as x, 17, not shape (3)",
      function() signal.find_peaks(x, { height = cp.ones(3) }) return 1 end)
  end)
end)

describe("windows", function()
  it("name what is wrong with their arguments", function()
    local windows = signal.windows
    failure("usage", "scipy.signal.windows.kaiser_bessel_derived: M must be even, but is 5",
      function() windows.kaiser_bessel_derived(5, 2) return 1 end)
    failure("usage", "scipy.signal.windows.kaiser_bessel_derived: this window is only defined as a symmetric one",
      function() windows.kaiser_bessel_derived(6, 2, false) return 1 end)
    failure("usage", "scipy.signal.windows.dpss: Kmax must be from 1 to M, but is 9",
      function() windows.dpss(8, 2, 9) return 1 end)
    failure("usage", "scipy.signal.windows.dpss: NW must be above 0 and below M / 2",
      function() windows.dpss(8, 4) return 1 end)
    failure("usage", "scipy.signal.windows.dpss: norm must be", function() windows.dpss(8, 2, 1, true, 1) return 1 end)
    failure("usage", "scipy.signal.get_window: Nx must be above 0, but is 0",
      function() windows.get_window("hann", 0) return 1 end)
    failure("usage", "scipy.signal.get_window: the window hann takes 0 parameters",
      function() signal.get_window({ "hann", 3 }, 8) return 1 end)
    failure("usage", "scipy.signal.get_window: the window dpss takes 1 parameter",
      function() signal.get_window({ "dpss", 2, 3 }, 8) return 1 end)
    failure("usage", "scipy.signal.get_window: no window 'chebwim'; did you mean chebwin?",
      function() signal.get_window({ "chebwim", 60 }, 8) return 1 end)
  end)

  it("of Slepian are orthonormal, and concentrated as their ratios say", function()
    local w, ratios = signal.windows.dpss(512, 3, 5, { return_ratios = true })
    assert.is_true(cp.matmul(w, w.T):allclose(cp.eye(5), { atol = 1e-10 }))
    local inside = cp.square(cp.abs(cp.fft.fft(w, 512 * 64)))
    local share = (inside[{ {}, { 1, 193 } }]:sum(2) * 2 - inside[{ {}, 1 }] - inside[{ {}, 193 }]) / inside:sum(2)
    assert.is_true(share:allclose(ratios, { atol = 1e-4 }))
  end)

  it("of Chebyshev have side lobes of equal height", function()
    local h = cp.abs(cp.fft.rfft(signal.windows.chebwin(41, 70), 8192))
    local side = h[{ { 1200, 4097 } }] / h[1]
    assert.is_true(math.abs(20 * math.log(side:max():item()) / math.log(10) + 70) < 0.01)
  end)
end)

describe("filtfilt", function()
  it("by Gustafsson's method gives the same from either end", function()
    local b, a = signal.butter(3, 0.2)
    local x = cp.sin(cp.arange(200, "float64") ^ 1.2)
    local y = signal.filtfilt(b, a, x, { method = "gust" })
    local z = cp.flip(signal.filtfilt(b, a, cp.flip(x), { method = "gust" }))
    assert.is_true(y:allclose(z, { atol = 1e-10 }))
    values(signal.filtfilt(b, a, cp.zeros { 2, 0 }, { method = "gust" }), { {}, {} }, "float64")
  end)

  it("names what is wrong with its method", function()
    failure("usage", "scipy.signal.filtfilt: method must be",
      function() signal.filtfilt(1, 1, cp.ones(5), { method = "both" }) return 1 end)
    failure("usage", "scipy.signal.filtfilt: irlen must be above 0",
      function() signal.filtfilt({ 1, 2 }, 1, cp.ones(5), { method = "gust", irlen = 0 }) return 1 end)
  end)
end)

describe("minimum_phase", function()
  it("keeps the gain, or its square root", function()
    local h = signal.firwin(41, 0.3)
    local function gain(b) return cp.abs((select(2, signal.freqz(b, { worN = 64 })))) end
    assert.is_true(cp.square(gain(signal.minimum_phase(h))):allclose(gain(h), { atol = 2e-2 }))
    local whole = signal.minimum_phase(h, { half = false })
    assert.is_true(gain(whole):allclose(gain(h), { atol = 1e-3 }))
    assert.is_true(cp.abs(cp.roots(whole)):max():item() < 1.01)
  end)
end)

describe("firls", function()
  it("takes the least of several solutions where gains do not determine a filter", function()
    local h = signal.firls(21, { 0, 0.1, 0.9, 1 }, { 1, 1, 0, 0 })
    local _, response = signal.freqz(h, { worN = { 0.05 * cp.pi, 0.95 * cp.pi } })
    assert.is_true(cp.abs(response):allclose(cp.array { 1, 0 }, { atol = 1e-3 }))
    assert.is_true(cp.abs(h):max():item() < 10)
  end)
end)

describe("sequences, peaks and filters", function()
  it("tell whether windows add up", function()
    assert.is_true(signal.check_COLA("hann", 120, 60))
    assert.is_true(signal.check_COLA("bartlett", 120, 60))
    assert.is_false(signal.check_COLA("hann", 120, 61))
    assert.is_false(signal.check_COLA({ "tukey", 0.25 }, 120, 60))
    assert.is_true(signal.check_NOLA("hann", 120, 61))
    assert.is_false(signal.check_NOLA("hann", 64, 0))
    assert.is_true(signal.check_NOLA(cp.ones(7), 7, 3, 0.5))
  end)

  it("give numbers for a period, and all of a register's states", function()
    local strength, phase = signal.vectorstrength({ 0.25, 1.25, 2.25 }, 1)
    values(strength, 1, nil, 1e-14)
    values(phase, cp.pi / 2, nil, 1e-14)
    local seq, state = signal.max_len_seq(10)
    assert.equal(1023, #seq)
    assert.equal(512, seq:astype("int64"):sum():item())
    values(state, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, "int8")
    local circle = cp.fft.ifft(cp.square(cp.abs(cp.fft.fft(2 * seq:astype "float64" - 1)))).real
    assert.is_true(circle[{ { 2, 1023 } }]:allclose(-1))
  end)

  it("name what is wrong with their arguments", function()
    failure("usage", "scipy.signal.argrelmax: order must be above 0",
      function() signal.argrelmax({ 1, 2 }, { order = 0 }) return 1 end)
    failure("usage", "scipy.signal.argrelmin: mode must be",
      function() signal.argrelmin({ 1, 2 }, { mode = "fill" }) return 1 end)
    failure("usage", "scipy.signal.peak_prominences: peaks must be from 1 to 3, the length of x",
      function() signal.peak_prominences({ 1, 2, 1 }, { 4 }) return 1 end)
    failure("usage", "scipy.signal.peak_prominences: wlen must be above 1",
      function() signal.peak_prominences({ 1, 2, 1 }, { 2 }, 1) return 1 end)
    failure("usage", "scipy.signal.peak_widths: rel_height must not be negative",
      function() signal.peak_widths({ 1, 2, 1 }, { 2 }, -1) return 1 end)
    failure("usage", "scipy.signal.peak_widths: prominence_data must have bases on both sides of each peak",
      function() signal.peak_widths({ 1, 2, 1 }, { 2 }, 0.5, { { 1 }, { 3 }, { 3 } }) return 1 end)
    failure("shape", "scipy.signal.deconvolve: divisor must be a vector with at least one element",
      function() signal.deconvolve({ 1, 2 }, {}) return 1 end)
    failure("usage", "scipy.signal.max_len_seq: nbits must be from 2 to 32 without taps, but is 40",
      function() signal.max_len_seq(40, { length = 3 }) return 1 end)
    failure("usage", "scipy.signal.max_len_seq: state must have an element that is not 0",
      function() signal.max_len_seq(2, { 0, 0 }) return 1 end)
    failure("usage", "scipy.signal.vectorstrength: period must be above 0",
      function() signal.vectorstrength({ 1 }, { 1, 0 }) return 1 end)
    failure("usage", "scipy.signal.check_COLA: noverlap must be less than nperseg",
      function() signal.check_COLA("hann", 8, 8) return 1 end)
    failure("usage", "scipy.signal.firwin2: freq must not have a value more than twice",
      function() signal.firwin2(9, { 0, 0.5, 0.5, 0.5, 1 }, { 1, 1, 1, 1, 1 }) return 1 end)
    failure("usage", "scipy.signal.firwin2: such a filter's gain is 0 at half the sampling rate",
      function() signal.firwin2(8, { 0, 1 }, { 1, 1 }) return 1 end)
    failure("usage", "scipy.signal.firls: numtaps must be odd and above 0",
      function() signal.firls(8, { 0, 1 }, { 1, 1 }) return 1 end)
    failure("usage", "scipy.signal.firls: bands must be in ascending order, wider than 0 and without overlaps",
      function() signal.firls(9, { 0, 0.5, 0.4, 1 }, { 1, 1, 0, 0 }) return 1 end)
    failure("usage", "scipy.signal.minimum_phase: half = false needs the method homomorphic",
      function() signal.minimum_phase({ 1, 2, 1 }, "hilbert", { half = false }) return 1 end)
  end)
end)

describe("chirp z-transforms", function()
  it("are Fourier transforms where their points are those of one", function()
    local x = cp.sin(cp.arange(30, "float64") ^ 1.5):reshape(2, 15)
    assert.is_true(signal.czt(x):allclose(cp.fft.fft(x), { atol = 1e-12 }))
    assert.is_true(signal.zoom_fft(x, 2):allclose(cp.fft.fft(x), { atol = 1e-12 }))
    assert.is_true(signal.czt(x, { axis = 1 }):allclose(cp.fft.fft(x, nil, 1), { atol = 1e-12 }))
    local transform = signal.CZT(15, 40, cp.complex(math.cos(0.3), math.sin(0.3)), 1.1)
    local z = 1 / transform:points()
    local direct = cp.stack { cp.polyval(cp.flip(x[1]), z), cp.polyval(cp.flip(x[2]), z) }
    assert.is_true(transform(x):allclose(direct, { rtol = 1e-9, atol = 1e-9 }))
    assert.is_true(transform(x.T, { axis = 1 }).T:allclose(direct, { rtol = 1e-9, atol = 1e-9 }))
  end)

  it("and periodograms name what is wrong with their arguments", function()
    failure("usage", "scipy.signal.czt: m must be above 0", function() signal.czt({ 1, 2 }, 0) return 1 end)
    failure("usage", "scipy.signal.czt: w must be a number", function() signal.czt({ 1, 2 }, 2, { 1, 2 }) return 1 end)
    failure("shape", "scipy.signal.CZT: the transform is one of 3 samples, not of 2",
      function() signal.CZT(3)({ 1, 2 }) return 1 end)
    failure("usage", "scipy.signal.zoom_fft: fn must be a frequency or two",
      function() signal.zoom_fft({ 1, 2 }, { 1, 2, 3 }) return 1 end)
    failure("shape", "scipy.signal.lombscargle: x, y and weights must be vectors of one length",
      function() signal.lombscargle({ 1, 2 }, { 1, 2, 3 }, { 1 }) return 1 end)
    failure("usage", "scipy.signal.lombscargle: weights must not be negative, nor all 0",
      function() signal.lombscargle({ 1, 2 }, { 1, 2 }, { 1 }, { weights = { 1, -1 } }) return 1 end)
    failure("usage", "scipy.signal.lombscargle: normalize must be",
      function() signal.lombscargle({ 1, 2 }, { 1, 2 }, { 1 }, { normalize = "all" }) return 1 end)
  end)
end)
