-- cp.scipy.signal: filters as coefficients, moved to other bands, and those of a single frequency.

return function(cp, core, forms)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local roots = require "cupola.scipy.signal.roots"

  local number, usage = core.number, core.usage
  local pi = math.pi

  -- ---- moves

  -- b and a of a new filter, normalized, for what `f(b, a)` makes of the given ones, in their common dtype;
  -- `wide`: never in single precision.
  local function moved(where, b, a, f, wide)
    local num, den = forms.list(where, b, "b", 1), forms.list(where, a, "a", 1)
    num.real = num.real and den.real
    den.real = num.real
    local one, two = forms.normalized(where, f(num, den))
    if wide then return forms.array(one), forms.array(two) end
    return forms.array(one, num, den), forms.array(two, num, den)
  end

  local function by(v, factor) return { v[1] * factor, v[2] * factor } end

  --- Moves the edge of an analogue lowpass filter from 1 to wo radians per second.
  ---@param b any  highest power first
  ---@param a any
  ---@param wo? number  default 1
  ---@return any b
  ---@return any a
  publish("lp2lp", "b, a, wo", 2, function(where, b, a, wo)
    wo = number(wo, where, "wo", 1)
    return moved(where, b, a, function(num, den)
      local most, out = math.max(#num, #den), {}
      local highest = wo ^ (most - 1 - math.max(#num - #den, 0))
      for n, list in ipairs { num, den } do
        out[n] = { real = list.real }
        for k, v in ipairs(list) do out[n][k] = by(v, highest / wo ^ (#list - k)) end
      end
      return out[1], out[2]
    end, true)
  end)

  --- Makes an analogue highpass filter with its edge at wo of a lowpass filter with its edge at 1.
  ---@param b any
  ---@param a any
  ---@param wo? number  default 1
  ---@return any b
  ---@return any a
  publish("lp2hp", "b, a, wo", 2, function(where, b, a, wo)
    wo = number(wo, where, "wo", 1)
    return moved(where, b, a, function(num, den)
      local most, out = math.max(#num, #den), {}
      for n, list in ipairs { num, den } do
        out[n] = { real = list.real }
        for k = 1, most do
          local v = list[#list + 1 - k]
          out[n][k] = v and by(v, wo ^ (k - 1)) or { 0, 0 }
        end
      end
      return out[1], out[2]
    end)
  end)

  local function binomial(n, k)
    local c = 1
    for j = 1, k do c = c * (n - k + j) / j end
    return c
  end

  -- The polynomial, highest power first, of the sums of c * list's coefficient of s^i, which `add(i, term)`
  -- gives as term(power, c).
  local function collected(list, degree, add)
    local out = { real = list.real }
    for k = 1, degree + 1 do out[k] = { 0, 0 } end
    for i = 0, #list - 1 do
      add(i, function(power, c)
        local at = degree + 1 - power
        out[at] = roots.add(out[at], by(list[#list - i], c))
      end)
    end
    return out
  end

  --- Makes an analogue bandpass filter of a lowpass filter with its edge at 1.
  ---@param b any
  ---@param a any
  ---@param wo? number  the centre of the band; default 1
  ---@param bw? number  its width; default 1
  ---@return any b
  ---@return any a
  publish("lp2bp", "b, a, wo, bw", 2, function(where, b, a, wo, bw)
    wo, bw = number(wo, where, "wo", 1), number(bw, where, "bw", 1)
    return moved(where, b, a, function(num, den)
      local most = math.max(#num, #den) - 1
      local function add(i, term)
        for k = 0, i do term(most - i + 2 * k, binomial(i, k) * (wo * wo) ^ (i - k) / bw ^ i) end
      end
      return collected(num, #num - 1 + most, add), collected(den, #den - 1 + most, add)
    end)
  end)

  --- Makes an analogue bandstop filter of a lowpass filter with its edge at 1.
  ---@param b any
  ---@param a any
  ---@param wo? number  the centre of the band; default 1
  ---@param bw? number  its width; default 1
  ---@return any b
  ---@return any a
  publish("lp2bs", "b, a, wo, bw", 2, function(where, b, a, wo, bw)
    wo, bw = number(wo, where, "wo", 1), number(bw, where, "bw", 1)
    return moved(where, b, a, function(num, den)
      local most = math.max(#num, #den) - 1
      local function add(i, term)
        for k = 0, most - i do
          term(i + 2 * k, binomial(most - i, k) * (wo * wo) ^ (most - i - k) * bw ^ i)
        end
      end
      return collected(num, 2 * most, add), collected(den, 2 * most, add)
    end)
  end)

  local function power_of(factor, n)
    local p = { { 1, 0 }, real = true }
    for _ = 1, n do p = forms.times(p, factor) end
    return p
  end

  --- Makes a digital filter of an analogue one, by the bilinear transform.
  ---@param b any  highest power first
  ---@param a any
  ---@param fs? number  the sampling rate; default 1
  ---@return any b
  ---@return any a
  publish("bilinear", "b, a, fs", 2, function(where, b, a, fs)
    fs = number(fs, where, "fs", 1)
    local num, den = forms.trimmed(forms.list(where, b, "b", 1)), forms.trimmed(forms.list(where, a, "a", 1))
    local function digital()
      local factor, most = math.sqrt(2 * fs), math.max(#num, #den) - 1
      local plus = { { 1 / factor, 0 }, { 1 / factor, 0 }, real = true }
      local minus = { { factor, 0 }, { -factor, 0 }, real = true }
      local function mapped(list)
        local out = { real = list.real }
        for k = 1, most + 1 do out[k] = { 0, 0 } end
        for q = 0, #list - 1 do
          for k, v in ipairs(forms.times(power_of(plus, most - q), power_of(minus, q))) do
            out[k] = roots.add(out[k], by(list[#list - q], v[1]))
          end
        end
        return out
      end
      return mapped(num), mapped(den)
    end
    num, den = forms.normalized(where, digital())
    return forms.array(num), forms.array(den)
  end)

  -- ---- single frequencies

  local function frequency(where, w0, fs, argument, strict)
    local w = number(w0, where, argument)
    local most = fs / 2
    if not (w > 0 or not strict and w == 0) or w > most or strict and w == most then
      usage(where, string.format("%s must be above 0 and below half the sampling rate, %g", argument, most))
    end
    return w
  end

  -- The gain at the middle, and the angle of w0.
  local function notch(where, w0, Q, fs)
    fs = number(fs, where, "fs", 2)
    local w = 2 * frequency(where, w0, fs, "w0") / fs
    return 1 / (1 + math.tan(w / number(Q, where, "Q") * pi / 2)), w * pi
  end

  --- A digital filter that stops a narrow band.
  ---@param w0 number  the frequency in its middle
  ---@param Q number  the quality: w0 divided by the width between points of -3 decibels
  ---@param fs? number  the sampling rate; default 2
  ---@return any b
  ---@return any a
  publish("iirnotch", "w0, Q, fs", 2, function(where, w0, Q, fs)
    local gain, w = notch(where, w0, Q, fs)
    return cp.array { gain, -2 * gain * math.cos(w), gain }, cp.array { 1, -2 * gain * math.cos(w), 2 * gain - 1 }
  end)

  --- A digital filter that passes a narrow band.
  ---@param w0 number  the frequency in its middle
  ---@param Q number  the quality: w0 divided by the width between points of -3 decibels
  ---@param fs? number  the sampling rate; default 2
  ---@return any b
  ---@return any a
  publish("iirpeak", "w0, Q, fs", 2, function(where, w0, Q, fs)
    local gain, w = notch(where, w0, Q, fs)
    return cp.array { 1 - gain, 0, gain - 1 }, cp.array { 1, -2 * gain * math.cos(w), 2 * gain - 1 }
  end)

  local COMBS = { notch = true, peak = true }

  --- A digital filter that stops or passes narrow bands at the multiples of a frequency.
  ---@param w0 number  their distance, by which fs must be divisible
  ---@param Q number  the quality: w0 divided by the width of a band between points of -3 decibels
  ---@param ftype? string  "notch" (default): stops them, "peak": passes them
  ---@param fs? number  the sampling rate; default 2
  ---@param pass_zero? boolean  whether bands of a peaking filter, or gaps of a notching one, are at multiples
  --- of w0 and 0 (of peaks; default false)
  ---@return any b
  ---@return any a
  publish("iircomb", "w0, Q, ftype, fs, pass_zero", 2, function(where, w0, Q, ftype, fs, pass_zero)
    fs = number(fs, where, "fs", 2)
    w0, Q = frequency(where, w0, fs, "w0", true), number(Q, where, "Q")
    ftype = ftype == nil and "notch" or type(ftype) == "string" and string.lower(ftype)
    if not COMBS[ftype] then core.not_among(where, "ftype", '"notch" or "peak"', ftype) end
    pass_zero = core.boolean(pass_zero, where, "pass_zero", false)
    local n = math.floor(fs / w0 + 0.5)
    if math.abs(w0 - fs / n) / fs > 1e-14 then usage(where, "fs must be divisible by w0") end
    local beta = math.tan(n * (2 * pi * w0 / fs / Q) / 4)
    local at_zero, elsewhere = ftype == "notch" and 1 or 0, ftype == "notch" and 0 or 1
    local sign = (ftype == "peak") == pass_zero and -1 or 1
    local b, a = cp.zeros({ n + 1 }), cp.zeros({ n + 1 })
    b[1], a[1] = (at_zero + elsewhere * beta) / (1 + beta), 1
    b[n + 1], a[n + 1] = sign * (at_zero - elsewhere * beta) / (1 + beta), sign * (1 - beta) / (1 + beta)
    return b, a
  end)

  -- ---- gammatone filters

  -- How wide the ear's filter at a frequency is, in Hz.
  local function bandwidth(f) return 1.019 * (f / 9.26449 + 24.7) end

  local function by_taps(freq, fs, order, numtaps)
    local t = cp.arange(numtaps, { dtype = "float64" }) / fs
    local bw, factorial = bandwidth(freq), 1.0 -- no integer, which would overflow
    for k = 2, order - 1 do factorial = factorial * k end
    local scale = 2 * (2 * pi * bw) ^ order / factorial / fs
    local b = cp.power(t, order - 1) * cp.exp(t * (-2 * pi * bw)) * cp.cos(t * (2 * pi * freq)) * scale
    return b, cp.ones(1)
  end

  local function exp(re, im) return { math.exp(re) * math.cos(im), math.exp(re) * math.sin(im) } end

  -- The factors by which Slaney's filter is divided.
  local function gain_of(fr, T, b)
    local g1, g2, turn = by(exp(0, 2 * fr), -2 * T), by(exp(-b, fr), 2 * T), exp(0, 2 * fr)
    local g = { 1, 0 }
    local high, low = math.sqrt(3 + 2 ^ 1.5) * math.sin(fr), math.sqrt(3 - 2 ^ 1.5) * math.sin(fr)
    for _, c in ipairs { -low, low, -high, high } do
      g = roots.mul(g, roots.add(g1, by(g2, math.cos(fr) + c)))
    end
    local d = roots.add({ -2 / math.exp(2 * b), 0 }, by(turn, -2))
    d = roots.add(d, by(roots.add({ 1, 0 }, turn), 2 / math.exp(b)))
    local square = roots.mul(d, d)
    return roots.abs(roots.div(g, roots.mul(square, square)))
  end

  -- M. Slaney, "An efficient implementation of the Patterson-Holdsworth auditory filter bank", 1993.
  local function by_feedback(freq, fs)
    local T, fr = 1 / fs, 2 * freq * pi / fs
    local b = 2 * pi * bandwidth(freq) * T
    local g = gain_of(fr, T, b)
    local function cos(k) return math.cos(k * fr) end
    local num, den = {}, {}
    for k, c in ipairs { 1, -4 * cos(1), 6 * cos(2), -4 * cos(3), cos(4) } do
      num[k] = T ^ 4 * c / math.exp((k - 1) * b) / g
    end
    local one, two, three = -8 * cos(1), 4 * (4 + 3 * cos(2)), -8 * (6 * cos(1) + cos(3))
    for k, c in ipairs { 1, one, two, three, 2 * (18 + 16 * cos(2) + cos(4)), three, two, one, 1 } do
      den[k] = c / math.exp((k - 1) * b)
    end
    return cp.array(num), cp.array(den)
  end

  --- A gammatone filter, as a place of the ear's cochlea.
  ---@param freq number  the frequency in its middle
  ---@param ftype string  "fir" or "iir", of order 8
  ---@param order? integer  of "fir", from 1 to 24; default 4
  ---@param numtaps? integer  of "fir"; default: 15 milliseconds, at least 15
  ---@param fs? number  the sampling rate; default 2
  ---@return any b
  ---@return any a
  publish("gammatone", "freq, ftype, order, numtaps, fs", 2, function(where, freq, ftype, order, numtaps, fs)
    fs = number(fs, where, "fs", 2)
    freq = frequency(where, freq, fs, "freq", true)
    local kind = type(ftype) == "string" and string.lower(ftype)
    if kind == "iir" then return by_feedback(freq, fs) end
    if kind ~= "fir" then core.not_among(where, "ftype", '"fir" or "iir"', ftype) end
    order = core.integer(order, where, "order", 4)
    if order < 1 or order > 24 then usage(where, string.format("order must be from 1 to 24, but is %d", order)) end
    numtaps = core.integer(numtaps, where, "numtaps", math.max(math.floor(fs * 0.015), 15))
    return by_taps(freq, fs, order, numtaps)
  end)
end
