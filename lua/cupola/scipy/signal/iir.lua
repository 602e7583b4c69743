-- cp.scipy.signal: filters with feedback, designed from analogue prototypes.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local prototypes, zpk = require "cupola.scipy.signal.prototypes", require "cupola.scipy.signal.zpk"
  local roots, bessel = require "cupola.scipy.signal.roots", require "cupola.scipy.signal.bessel"

  local number, usage = core.number, core.usage

  -- ---- arrays

  --- A list of numbers in pairs as an array.
  local function array_of(list)
    if #list == 0 then return cp.zeros({ 0 }, list.real and "float64" or "complex128") end
    local out = {}
    for k, v in ipairs(list) do out[k] = list.real and v[1] or cp.complex(v[1], v[2]) end
    return cp.array(out, list.real and "float64" or "complex128")
  end
  core.roots_array = array_of

  --- b and a, highest powers first.
  local function coefficients(z, p, k)
    local b = roots.polynomial(z)
    return array_of(roots.map(b, function(v) return { v[1] * k, v[2] * k } end)), array_of(roots.polynomial(p))
  end
  core.zpk_coefficients = coefficients

  -- ---- prototypes

  local HIGHEST = 100

  local function order(where, N, highest)
    N, highest = core.integer(N, where, "N"), highest or HIGHEST
    if N < 0 or N > highest then usage(where, string.format("N must be from 0 to %d, but is %d", highest, N)) end
    return N
  end

  local function decibels(where, v, argument)
    v = number(v, where, argument)
    if not (v > 0 and v < math.huge) then usage(where, argument .. " must be above 0") end
    return v
  end

  local function norm_of(where, norm)
    if norm == nil then return "phase" end
    if not prototypes.NORMS[norm] then core.not_among(where, "norm", '"phase", "delay" or "mag"', norm) end
    return norm
  end

  -- What is checked and made of each kind of filter: (where, N, rp, rs, norm) -> zeros, poles, gain.
  local KINDS = {}

  function KINDS.butter(where, N) return prototypes.butter(order(where, N)) end

  function KINDS.cheby1(where, N, rp) return prototypes.cheby1(order(where, N), decibels(where, rp, "rp")) end

  function KINDS.cheby2(where, N, _, rs) return prototypes.cheby2(order(where, N), decibels(where, rs, "rs")) end

  function KINDS.ellip(where, N, rp, rs)
    local z, p, k = prototypes.ellip(order(where, N), decibels(where, rp, "rp"), decibels(where, rs, "rs"))
    if not z then usage(where, string.format("no elliptic filter has rp = %g and rs = %g", rp, rs)) end
    return z, p, k
  end

  function KINDS.bessel(where, N, _, _, norm)
    return prototypes.bessel(order(where, N, bessel.HIGHEST), norm_of(where, norm))
  end

  local function listed(z, p, k) return array_of(z), array_of(p), k end

  --- The Butterworth filter of order N as an analogue lowpass filter, 1 / sqrt(2) at 1 radian per second.
  ---@param N integer
  ---@return any z  zeros: float64, none
  ---@return any p  poles: complex128
  ---@return number k  gain
  publish("buttap", "N", 1, function(where, N) return listed(KINDS.butter(where, N)) end)

  --- The Chebyshev filter of type I of order N as an analogue lowpass filter, whose passband ends at 1
  --- radian per second.
  ---@param N integer
  ---@param rp number  the ripples of the passband in decibels
  ---@return any z  zeros: float64, none
  ---@return any p  poles: complex128
  ---@return number k  gain
  publish("cheb1ap", "N, rp", 2, function(where, N, rp) return listed(KINDS.cheby1(where, N, rp)) end)

  --- The Chebyshev filter of type II of order N as an analogue lowpass filter, whose stopband begins at 1
  --- radian per second.
  ---@param N integer
  ---@param rs number  the attenuation of the stopband in decibels
  ---@return any z  zeros: complex128
  ---@return any p  poles: complex128
  ---@return number k  gain
  publish("cheb2ap", "N, rs", 2, function(where, N, rs) return listed(KINDS.cheby2(where, N, nil, rs)) end)

  --- The elliptic filter of order N as an analogue lowpass filter, whose passband ends at 1 radian per
  --- second.
  ---@param N integer
  ---@param rp number  the ripples of the passband in decibels
  ---@param rs number  the attenuation of the stopband in decibels
  ---@return any z  zeros: complex128
  ---@return any p  poles: complex128
  ---@return number k  gain
  publish("ellipap", "N, rp, rs", 3, function(where, N, rp, rs) return listed(KINDS.ellip(where, N, rp, rs)) end)

  --- The Bessel filter of order N as an analogue lowpass filter.
  ---@param N integer  up to 30
  ---@param norm? string  "phase" (default): the phase is half of its total at 1 radian per second, "delay":
  --- the delay in the passband is 1 second, "mag": 1 / sqrt(2) at 1 radian per second
  ---@return any z  zeros: float64, none
  ---@return any p  poles: complex128
  ---@return number k  gain
  publish("besselap", "N, norm", 1, function(where, N, norm)
    return listed(KINDS.bessel(where, N, nil, nil, norm))
  end)

  -- ---- designs

  local OUTPUTS = { ba = true, zpk = true, sos = true }
  local TYPES = { low = "lowpass", lowpass = "lowpass", lp = "lowpass", l = "lowpass", high = "highpass",
    highpass = "highpass", hp = "highpass", h = "highpass", band = "bandpass", bandpass = "bandpass",
    pass = "bandpass", bp = "bandpass", stop = "bandstop", bandstop = "bandstop", bands = "bandstop",
    bs = "bandstop" }

  local function lower(v) return type(v) == "string" and string.lower(v) or v end

  -- Zeros, poles and gain in another band, digital unless `analog`.
  local function placed(z, p, k, kind, edges, analog)
    local w = {}
    for n, f in ipairs(edges) do w[n] = analog and f or 4 * math.tan(math.pi * f / 2) end
    if w[2] then
      z, p, k = zpk.move[kind](z, p, k, math.sqrt(w[1] * w[2]), w[2] - w[1])
    else
      z, p, k = zpk.move[kind](z, p, k, w[1])
    end
    if not analog then z, p, k = zpk.bilinear(z, p, k, 2) end
    return z, p, k
  end

  local function output_of(where, out, z, p, k, analog)
    if out == "zpk" then return listed(z, p, k) end
    if out == "ba" then return coefficients(z, p, k) end
    local rows, bad = zpk.sections(z, p, k, analog and "minimal" or "nearest", analog)
    if not rows then usage(where, "the sections of such a filter cannot be told apart: see its " .. bad) end
    return cp.array(rows)
  end

  -- o: btype, analog, output, fs as they were given, rp, rs and norm.
  local function designed(where, kind, N, Wn, o)
    local band, out = TYPES[o.btype == nil and "low" or lower(o.btype)], o.output == nil and "ba" or lower(o.output)
    if not band then core.not_among(where, "btype", '"low", "high", "bandpass" or "bandstop"', o.btype) end
    if not OUTPUTS[out] then core.not_among(where, "output", '"ba", "zpk" or "sos"', o.output) end
    local analog = core.boolean(o.analog, where, "analog", false)
    local edges = core.band_edges(where, Wn, "Wn", o.fs, analog)
    local needed = (band == "bandpass" or band == "bandstop") and 2 or 1
    if #edges ~= needed then usage(where, string.format("%s needs %d in Wn, not %d", band, needed, #edges)) end
    local z, p, k = KINDS[kind](where, N, o.rp, o.rs, o.norm)
    z, p, k = placed(z, p, k, band, edges, analog)
    return output_of(where, out, z, p, k, analog)
  end

  --- A Butterworth filter: maximally flat in the passband.
  ---@param N integer  the order; of bands the filter's order is 2 N
  ---@param Wn any  the cutoff frequency, or two for bands
  ---@param btype? string  "low" (default), "high", "bandpass" or "bandstop"
  ---@param analog? boolean  whether it is a filter for continuous time, Wn in radians per second
  ---@param output? string  "ba" (default): numerator and denominator, "sos": second-order sections, "zpk":
  --- zeros, poles and gain
  ---@param fs? number  the sampling rate; default 2
  ---@return any ...
  publish("butter", "N, Wn, btype, analog, output, fs", 2, function(where, N, Wn, btype, analog, output, fs)
    return designed(where, "butter", N, Wn, { btype = btype, analog = analog, output = output, fs = fs })
  end)

  --- A Chebyshev filter of type I: with ripples in the passband.
  ---@param N integer  the order
  ---@param rp number  the ripples in decibels
  ---@param Wn any  the cutoff frequency, or two for bands
  ---@param btype? string  as for butter
  ---@param analog? boolean
  ---@param output? string
  ---@param fs? number
  ---@return any ...
  publish("cheby1", "N, rp, Wn, btype, analog, output, fs", 3, function(where, N, rp, Wn, btype, analog, output, fs)
    return designed(where, "cheby1", N, Wn,
      { rp = rp, btype = btype, analog = analog, output = output, fs = fs })
  end)

  --- A Chebyshev filter of type II: with ripples in the stopband.
  ---@param N integer  the order
  ---@param rs number  the attenuation of the stopband in decibels
  ---@param Wn any  the cutoff frequency, or two for bands
  ---@param btype? string  as for butter
  ---@param analog? boolean
  ---@param output? string
  ---@param fs? number
  ---@return any ...
  publish("cheby2", "N, rs, Wn, btype, analog, output, fs", 3, function(where, N, rs, Wn, btype, analog, output, fs)
    return designed(where, "cheby2", N, Wn,
      { rs = rs, btype = btype, analog = analog, output = output, fs = fs })
  end)

  --- An elliptic filter: with ripples in both bands, and the shortest transition between them.
  ---@param N integer  the order
  ---@param rp number  the ripples of the passband in decibels
  ---@param rs number  the attenuation of the stopband in decibels
  ---@param Wn any  the cutoff frequency, or two for bands
  ---@param btype? string  as for butter
  ---@param analog? boolean
  ---@param output? string
  ---@param fs? number
  ---@return any ...
  publish("ellip", "N, rp, rs, Wn, btype, analog, output, fs", 4,
    function(where, N, rp, rs, Wn, btype, analog, output, fs)
      return designed(where, "ellip", N, Wn,
        { rp = rp, rs = rs, btype = btype, analog = analog, output = output, fs = fs })
    end)

  --- A Bessel filter: with a delay that is nearly the same for all frequencies of the passband.
  ---@param N integer  the order, up to 30
  ---@param Wn any  the cutoff frequency, or two for bands
  ---@param btype? string  as for butter
  ---@param analog? boolean
  ---@param output? string
  ---@param norm? string  what Wn is, as for besselap; default "phase"
  ---@param fs? number
  ---@return any ...
  publish("bessel", "N, Wn, btype, analog, output, norm, fs", 2,
    function(where, N, Wn, btype, analog, output, norm, fs)
      return designed(where, "bessel", N, Wn,
        { btype = btype, analog = analog, output = output, fs = fs, norm = norm_of(where, norm) })
    end)

  -- ---- by name

  local NAMES = { butter = "butter", butterworth = "butter", cauer = "ellip", elliptic = "ellip", ellip = "ellip",
    bessel = "bessel", bessel_phase = "bessel", bessel_delay = "bessel", bessel_mag = "bessel", cheby1 = "cheby1",
    chebyshev1 = "cheby1", chebyshevi = "cheby1", cheby2 = "cheby2", chebyshev2 = "cheby2",
    chebyshevii = "cheby2" }
  local KNOWN = '"butter", "cheby1", "cheby2", "ellip" or "bessel"'
  local RIPPLES = { cheby1 = { "rp" }, cheby2 = { "rs" }, ellip = { "rp", "rs" } }

  local function kind_of(where, ftype)
    return NAMES[ftype] or core.not_among(where, "ftype", KNOWN, ftype)
  end

  --- A filter of one of five kinds.
  ---@param N integer  the order
  ---@param Wn any  the cutoff frequency, or two for bands
  ---@param rp? number  the ripples of the passband in decibels, of Chebyshev I and elliptic filters
  ---@param rs? number  the attenuation of the stopband in decibels, of Chebyshev II and elliptic filters
  ---@param btype? string  "bandpass" (default), "low", "high" or "bandstop"
  ---@param analog? boolean
  ---@param ftype? string  "butter" (default), "cheby1", "cheby2", "ellip", "bessel"; or "bessel_delay" or
  --- "bessel_mag", with another norm
  ---@param output? string  as for butter
  ---@param fs? number
  ---@return any ...
  publish("iirfilter", "N, Wn, rp, rs, btype, analog, ftype, output, fs", 2,
    function(where, N, Wn, rp, rs, btype, analog, ftype, output, fs)
      ftype = ftype == nil and "butter" or lower(ftype)
      local kind = kind_of(where, ftype)
      for _, name in ipairs(RIPPLES[kind] or {}) do
        if (name == "rp" and rp or name == "rs" and rs) == nil then
          usage(where, string.format("%s must be given for %s", name, ftype))
        end
      end
      return designed(where, kind, N, Wn, { rp = rp, rs = rs, btype = btype == nil and "band" or btype, analog = analog,
        output = output, fs = fs, norm = string.match(ftype, "^bessel_(%a+)$") })
    end)

  -- ---- by the bands

  -- What lies inside what: the band that wp and ws are about.
  local function band_of(where, wp, ws)
    if #wp == 1 then return wp[1] < ws[1] and "lowpass" or "highpass" end
    if ws[1] < wp[1] and wp[2] < ws[2] then return "bandpass" end
    if wp[1] < ws[1] and ws[2] < wp[2] then return "bandstop" end
    usage(where, "one of the bands wp and ws must lie inside the other")
  end

  --- The filter of the lowest order that loses at most gpass decibels in the passband and at least gstop in
  --- the stopband.
  ---@param wp any  the edge of the passband, or two
  ---@param ws any  the edge of the stopband, or two
  ---@param gpass number
  ---@param gstop number
  ---@param analog? boolean
  ---@param ftype? string  "ellip" (default), "butter", "cheby1" or "cheby2"
  ---@param output? string  as for butter
  ---@param fs? number
  ---@return any ...
  publish("iirdesign", "wp, ws, gpass, gstop, analog, ftype, output, fs", 4,
    function(where, wp, ws, gpass, gstop, analog, ftype, output, fs)
      local kind = kind_of(where, ftype == nil and "ellip" or ftype)
      if kind == "bessel" then usage(where, "no order of a Bessel filter can be chosen: use iirfilter") end
      analog = core.boolean(analog, where, "analog", false)
      local p, s = core.band_edges(where, wp, "wp", fs, analog), core.band_edges(where, ws, "ws", fs, analog)
      if #p ~= #s or #p > 2 then
        usage(where, string.format("wp and ws must both have one or two frequencies, not %d and %d", #p, #s))
      end
      local band = band_of(where, p, s)
      local N, edges = core.filter_order(where, kind, p, s, gpass, gstop, analog)
      return designed(where, kind, N, edges, { rp = gpass, rs = gstop, btype = band, analog = analog, output = output })
    end)
end
