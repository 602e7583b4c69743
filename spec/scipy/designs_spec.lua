-- cp.scipy.signal's designs of recursive filters beyond SciPy's golden data: what the filters do at the edges
-- of their bands, high orders, bad input.

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
