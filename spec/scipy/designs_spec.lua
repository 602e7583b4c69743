-- cp.scipy.signal's designs and forms of recursive filters beyond SciPy's golden data: what the filters do at
-- the edges of their bands, high orders, sections of any zeros and poles, bad input.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local failure = check.failure
local signal = cp.scipy.signal
local unpack = table.unpack or unpack -- luacheck: ignore

-- The gains of a filter in decibels at frequencies relative to half the sampling rate.
local function losses(sos, ...)
  local w = cp.array({ ... }) * cp.pi
  local _, h = signal.freqz_sos(sos, w)
  return (20 * cp.log10(cp.abs(h)))
end

describe("designed filters", function()
  it("lose what they are to lose at the edges", function()
    local sos = { output = "sos" }
    expect.values(losses(signal.butter(7, 0.3, sos), 0, 0.3), { 0, -10 * math.log(2) / math.log(10) }, nil, 1e-9)
    expect.values(losses(signal.cheby1(7, 1.5, { 0.3, 0.6 }, "band", sos), 0.3, 0.6), { -1.5, -1.5 }, nil, 1e-9)
    expect.values(losses(signal.cheby2(7, 35, 0.3, "high", sos), 1, 0.3), { 0, -35 }, nil, 1e-9)
    expect.values(losses(signal.ellip(7, 1.5, 45, { 0.3, 0.6 }, "stop", sos), 0, 0.3, 0.6), { 0, -1.5, -1.5 }, nil,
      1e-9)
    expect.values(losses(signal.bessel(7, 0.3, "low", { output = "sos", norm = "mag" }), 0, 0.3),
      { 0, -10 * math.log(2) / math.log(10) }, nil, 1e-9)
    for _, kind in ipairs { "butter", "cheby1", "cheby2", "ellip" } do
      for _, bands in ipairs { { { 0.2 }, { 0.3 } }, { { 0.4 }, { 0.3 } }, { { 0.2, 0.4 }, { 0.1, 0.6 } },
        { { 0.1, 0.6 }, { 0.2, 0.4 } } } do
        local p, s = bands[1], bands[2]
        local filter = signal.iirdesign(p, s, 1, 40, { ftype = kind, output = "sos" })
        assert.is_true(losses(filter, unpack(p)):min():item() > -1 - 1e-6)
        assert.is_true(losses(filter, unpack(s)):max():item() < -40 + 1e-6)
      end
    end
  end)

  it("are accurate where polynomials of the order are not", function()
    for n = 2, 30 do
      local _, p = signal.besselap(n, "delay")
      assert.is_true(p.real:max():item() < 0)
      -- The sum of the roots is minus the second coefficient, n (n + 1) / 2.
      assert.is_true(math.abs(p.real:sum():item() / (n * (n + 1) / 2) + 1) < 1e-15 * n)
      assert.is_true(math.abs(p.imag:sum():item()) < 1e-13 * n)
    end
    local zeros, poles = signal.ellipap(24, 1e-3, 3) -- values by mpmath: SciPy's have 7 digits
    local at = zeros.imag:gt(0)
    expect.values(zeros.imag[at]:min(), 1.0000000056809628, nil, 1e-15)
    expect.values(zeros.imag:max(), 2.4039436258063467, nil, 1e-14)
    expect.values(poles.real:max() * 1e9, -1.1245537395947575, nil, 1e-10)
    expect.values(cp.abs(poles.imag[poles.real:argmax()]), 1.0000000052795199, nil, 1e-14)
    local _, p, k = signal.ellipap(1, 3, 40)
    expect.values(p.real, { -1.0023772930076 }, nil, 1e-14)
    expect.values(k, 1.0023772930076, nil, 1e-14)
  end)

  it("name what is wrong with their arguments", function()
    failure("usage", "scipy.signal.bessel: N must be from 0 to 30, but is 31",
      function() signal.bessel(31, 0.5) return 1 end)
    failure("usage", "scipy.signal.besselap: norm", function() signal.besselap(3, "size") return 1 end)
    failure("usage", "scipy.signal.ellip: rs must be above 0", function() signal.ellip(3, 1, 0, 0.5) return 1 end)
    failure("usage", "scipy.signal.ellip: no elliptic filter has rp = 1 and rs = 1e+06",
      function() signal.ellip(3, 1, 1e6, 0.5) return 1 end)
    failure("usage", "scipy.signal.iirfilter: bandpass needs 2 in Wn, not 1",
      function() signal.iirfilter(3, 0.5) return 1 end)
    failure("usage", "scipy.signal.iirfilter: rs must be given for cheby2",
      function() signal.iirfilter(3, { 0.2, 0.5 }, 1, { ftype = "cheby2" }) return 1 end)
    failure("usage", "scipy.signal.iirfilter: ftype",
      function() signal.iirfilter(3, 0.5, { ftype = "best" }) return 1 end)
    failure("usage", "scipy.signal.iirfilter: btype",
      function() signal.iirfilter(3, 0.5, { btype = "all" }) return 1 end)
    failure("usage", "scipy.signal.iirdesign: no order of a Bessel filter can be chosen: use iirfilter",
      function() signal.iirdesign(0.2, 0.3, 1, 40, { ftype = "bessel" }) return 1 end)
    failure("usage", "scipy.signal.iirdesign: one of the bands wp and ws must lie inside the other",
      function() signal.iirdesign({ 0.2, 0.4 }, { 0.3, 0.5 }, 1, 40) return 1 end)
    failure("usage", "scipy.signal.iirdesign: wp and ws must both have one or two frequencies, not 2 and 1",
      function() signal.iirdesign({ 0.2, 0.4 }, 0.3, 1, 40) return 1 end)
    failure("usage", "scipy.signal.buttord: gstop must be at least gpass",
      function() signal.buttord(0.2, 0.3, 40, 1) return 1 end)
    failure("usage", "scipy.signal.cheb1ord: gpass must be above 0",
      function() signal.cheb1ord(0.2, 0.3, 0, 1) return 1 end)
    failure("usage", "scipy.signal.ellipord: wp and ws leave no transition between them",
      function() signal.ellipord(0.2, 0.2, 1, 40) return 1 end)
    failure("usage", "scipy.signal.cheb2ord: fs must not be given for an analog filter",
      function() signal.cheb2ord(2, 3, 1, 40, true, 100) return 1 end)
    failure("usage", "scipy.signal.band_stop_obj: ind must",
      function() signal.band_stop_obj(1, 3, { 1, 2 }, { 1.2, 1.5 }, 1, 40, "butter") return 1 end)
  end)
end)

describe("sections", function()
  local seed = 1

  local function random()
    seed = seed * 16807 % 2147483647
    return seed / 2147483647
  end

  -- n numbers, real or in conjugate pairs.
  local function roots(n)
    local list = {}
    while #list < n do
      local re, im = 2 * random() - 1, random()
      if #list + 2 <= n and random() < 0.6 then
        list[#list + 1], list[#list + 2] = cp.complex(re, im), cp.complex(re, -im)
      else
        list[#list + 1] = cp.complex(re, 0)
      end
    end
    return n > 0 and cp.array(list) or cp.zeros({ 0 }, "complex128")
  end

  it("are the filter that they are made of, whatever its zeros and poles are", function()
    local w = cp.linspace(0.1, 3, 7)
    for k = 1, 120 do
      local analog, poles = k % 2 == 0, math.floor(random() * 8)
      local z, p = roots(math.floor(random() * (analog and poles + 1 or 8))), roots(poles)
      local sos = signal.zpk2sos(z, p, 1.5, not analog and k % 4 == 1 and "keep_odd" or nil, analog)
      local x = analog and w * cp.j or cp.exp(w * cp.j)
      local b, a = signal.zpk2tf(z, p, 1.5)
      local want, got = cp.polyval(b, x) / cp.polyval(a, x), cp.ones_like(x)
      for s = 1, sos.shape[1] do
        got = got * cp.polyval(sos[s][{ { 1, 3 } }], x) / cp.polyval(sos[s][{ { 4, 6 } }], x)
      end
      if not analog then want, got = cp.abs(want), cp.abs(got) end -- a section may delay
      assert.is_true(got:allclose(want, 1e-8, 1e-12))
    end
  end)

  it("and coefficients lead back to zeros and poles", function()
    local z, p, k = signal.ellip(5, 1, 40, 0.3, { output = "zpk" })
    for _, form in ipairs { { signal.tf2zpk(signal.zpk2tf(z, p, k)) }, { signal.sos2zpk(signal.zpk2sos(z, p, k)) } } do
      assert.is_true(cp.sort_complex(form[1])[{ { -5, -1 } }]:allclose(cp.sort_complex(z), 1e-6, 1e-6) or #form[1] > 5)
      assert.is_true(math.abs(form[3] / k - 1) < 1e-9)
      for _, v in ipairs(p:totable()) do
        assert.is_true(cp.abs(form[2] - v):min():item() < 1e-6)
      end
    end
  end)
end)

describe("forms of filters", function()
  it("name what is wrong with their arguments", function()
    local z, p = cp.array { 0.5 }, cp.array { cp.complex(0.1, 0.2) }
    failure("usage", "scipy.signal.zpk2sos: p must have the conjugate of each complex value",
      function() signal.zpk2sos(z, p, 1) return 1 end)
    failure("usage", 'scipy.signal.zpk2sos: the pairing of an analog filter must be "minimal"',
      function() signal.zpk2sos(z, z, 1, "nearest", true) return 1 end)
    failure("usage", 'scipy.signal.zpk2sos: the pairing "minimal" needs at least as many poles as zeros',
      function() signal.zpk2sos({ 1, 2 }, z, 1, "minimal") return 1 end)
    failure("usage", "scipy.signal.zpk2sos: k must be real", function() signal.zpk2sos(z, z, cp.j) return 1 end)
    failure("usage", "scipy.signal.zpk2sos: pairing must be", function() signal.zpk2sos(z, z, 1, "best") return 1 end)
    failure("shape", "scipy.signal.zpk2tf: k has 3 gains for 2 rows of z",
      function() signal.zpk2tf(cp.ones { 2, 2 }, p, { 1, 2, 3 }) return 1 end)
    failure("usage", "scipy.signal.normalize: a must have a coefficient that is not 0",
      function() signal.normalize({ 1 }, { 0, 0 }) return 1 end)
    failure("shape", "scipy.signal.sos2tf: sos must have rows of 6 numbers, not shape (3)",
      function() signal.sos2tf { 1, 2, 3 } return 1 end)
    failure("usage", "scipy.signal.lp2hp_zpk: a filter needs at least as many poles as zeros",
      function() signal.lp2hp_zpk({ 1, 2 }, { 1 }, 1) return 1 end)
    failure("usage", "scipy.signal.iirnotch: w0 must be above 0 and below half the sampling rate, 1",
      function() signal.iirnotch(1.5, 30) return 1 end)
    failure("usage", "scipy.signal.iircomb: fs must be divisible by w0",
      function() signal.iircomb(3, 30, { fs = 10 }) return 1 end)
    failure("usage", "scipy.signal.gammatone: order must be from 1 to 24, but is 25",
      function() signal.gammatone(440, "fir", 25, { fs = 16000 }) return 1 end)
    failure("usage", "scipy.signal.gammatone: ftype must be", function() signal.gammatone(0.5, "both") return 1 end)
    failure("usage", "scipy.signal.group_delay: system must be a table of b and a",
      function() signal.group_delay({ 1 }) return 1 end)
    failure("usage", "scipy.signal.findfreqs: kind must be",
      function() signal.findfreqs({ 1 }, { 1 }, 3, "sos") return 1 end)
  end)
end)
