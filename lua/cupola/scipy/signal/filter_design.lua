-- cp.scipy.signal: filter design. Designs are a few numbers, computed in Lua.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local pi = math.pi

  local number, usage = core.number, core.usage

  -- One frequency or a list of them, relative to half the sampling rate; of an analogue filter as they are.
  local function frequencies_of(where, v, argument, fs, analog)
    if analog and fs ~= nil then usage(where, "fs must not be given for an analog filter") end
    fs = number(fs, where, "fs", 2)
    local list = {}
    for k, f in ipairs(type(v) == "number" and { v } or core.coefficients(where, v, argument)) do
      list[k] = number(f, where, argument) / (analog and 1 or fs / 2)
      if not (list[k] > 0 and (analog or list[k] < 1)) then
        local limit = analog and "" or string.format(" and below half the sampling rate, %g", fs / 2)
        usage(where, argument .. " must be above 0" .. limit)
      end
      if k > 1 and list[k] <= list[k - 1] then usage(where, argument .. " must be in ascending order") end
    end
    return list
  end

  -- ---- windows' sizes

  local function kaiser_beta(a)
    if a > 50 then return 0.1102 * (a - 8.7) end
    if a > 21 then return 0.5842 * (a - 21) ^ 0.4 + 0.07886 * (a - 21) end
    return 0
  end

  local function kaiser_atten(numtaps, width) return 2.285 * (numtaps - 1) * pi * width + 7.95 end

  --- The beta of a Kaiser window for an attenuation in decibels.
  ---@param a number
  ---@return number
  publish("kaiser_beta", "a", 1, function(where, a)
    return kaiser_beta(number(a, where, "a"))
  end)

  --- The attenuation in decibels of a filter designed with a Kaiser window.
  ---@param numtaps integer
  ---@param width number  width of the transition, relative to half the sampling rate
  ---@return number
  publish("kaiser_atten", "numtaps, width", 2, function(where, numtaps, width)
    return kaiser_atten(core.integer(numtaps, where, "numtaps"), number(width, where, "width"))
  end)

  --- The length and the beta of a Kaiser window that keep ripples below a number of decibels.
  ---@param ripple number
  ---@param width number  width of the transition, relative to half the sampling rate
  ---@return integer numtaps
  ---@return number beta
  publish("kaiserord", "ripple, width", 2, function(where, ripple, width)
    local a = math.abs(number(ripple, where, "ripple"))
    if a < 8 then usage(where, "ripple must be at least 8 decibels") end
    return math.ceil((a - 7.95) / 2.285 / (pi * number(width, where, "width")) + 1), kaiser_beta(a)
  end)

  -- ---- filters without feedback

  local PASSES = { lowpass = { true, 1, 1 }, highpass = { false, 1, 1 }, bandpass = { false, 2, 99 },
    bandstop = { true, 2, 99 } }

  local function passes_zero(where, pass_zero, count)
    if pass_zero == nil or type(pass_zero) == "boolean" then return pass_zero ~= false end
    local pass = PASSES[pass_zero]
    if not pass then
      core.not_among(where, "pass_zero", 'true, false, "lowpass", "highpass", "bandpass" or "bandstop"', pass_zero)
    end
    if count < pass[2] or count > pass[3] then
      usage(where, string.format("%s needs %s in cutoff, not %d", pass_zero, pass[2] == 1 and "one frequency"
        or "at least two frequencies", count))
    end
    return pass[1]
  end

  --- An FIR filter with numtaps coefficients, designed by the window method.
  ---@param numtaps integer
  ---@param cutoff any  the cutoff frequency, or a table of them
  ---@param width? number  width of the transition; if given, the window is a Kaiser window
  ---@param window? any  as of get_window; default "hamming"
  ---@param pass_zero? any  whether frequency 0 passes, or "lowpass", "highpass", "bandpass", "bandstop";
  --- default true
  ---@param scale? boolean  whether the gain is 1 at the centre of the first passband; default true
  ---@param fs? number  the sampling rate; default 2
  ---@return any  float64 vector
  publish("firwin", "numtaps, cutoff, width, window, pass_zero, scale, fs", 2,
    function(where, numtaps, cutoff, width, window, pass_zero, scale, fs)
      numtaps = core.integer(numtaps, where, "numtaps", nil, 1, 100000000)
      local edges = frequencies_of(where, cutoff, "cutoff", fs)
      pass_zero = passes_zero(where, pass_zero, #edges)
      if width ~= nil then
        window = { "kaiser", kaiser_beta(kaiser_atten(numtaps, number(width, where, "width") / ((fs or 2) / 2))) }
      end
      local pass_nyquist = (#edges % 2 == 1) ~= pass_zero
      if pass_nyquist and numtaps % 2 == 0 then
        usage(where, "a filter that passes half the sampling rate needs an odd numtaps")
      end
      if pass_zero then table.insert(edges, 1, 0) end
      if pass_nyquist then edges[#edges + 1] = 1 end
      local m, h = cp.arange(numtaps, { dtype = "float64" }) - (numtaps - 1) / 2, 0
      for k = 1, #edges, 2 do
        h = h + edges[k + 1] * cp.sinc(edges[k + 1] * m) - edges[k] * cp.sinc(edges[k] * m)
      end
      h = h * signal.get_window(window == nil and "hamming" or window, numtaps, false)
      if not core.boolean(scale, where, "scale", true) then return h end
      local at = edges[1] == 0 and 0 or edges[2] == 1 and 1 or (edges[1] + edges[2]) / 2
      return h / (h * cp.cos(pi * m * at)):sum()
    end)

  -- ---- complex numbers

  local complex = cp.complex

  local function parts(v)
    if type(v) == "number" then return v, 0 end
    return v.re, v.im
  end

  local function modulus(v)
    local re, im = parts(v)
    return math.sqrt(re * re + im * im)
  end

  local function root(v)
    local re, im = parts(v)
    local r = math.sqrt(re * re + im * im)
    local a, b = math.sqrt(math.max((r + re) / 2, 0)), math.sqrt(math.max((r - re) / 2, 0))
    return complex(a, im < 0 and -b or b)
  end

  local function product(list, f)
    local p = complex(1, 0)
    for _, v in ipairs(list) do p = p * f(v) end
    return p
  end

  local function map(list, f)
    local out = {}
    for k, v in ipairs(list) do out[k] = f(v) end
    return out
  end

  -- The real coefficients, highest power first, of the polynomial with these roots, which are real or in
  -- conjugate pairs.
  local function polynomial(roots, gain)
    local c = { complex(gain or 1, 0) }
    for _, r in ipairs(roots) do
      c[#c + 1] = complex(0, 0)
      for k = #c, 2, -1 do c[k] = c[k] - r * c[k - 1] end
    end
    return map(c, function(v) return (parts(v)) end)
  end

  -- ---- filters with feedback
  -- Zeros, poles and gain of the analogue prototype are moved, then transformed by the bilinear transform.

  local function analogue_butter(N)
    local p = {}
    for k = 1, N do
      local m = pi * (2 * k - N - 1) / (2 * N)
      p[k] = complex(-math.cos(m), -math.sin(m))
    end
    return {}, p, 1
  end

  local function asinh(x) return math.log(x + math.sqrt(x * x + 1)) end
  local function sinh(x) return (math.exp(x) - math.exp(-x)) / 2 end
  local function cosh(x) return (math.exp(x) + math.exp(-x)) / 2 end

  local function analogue_cheby1(N, rp)
    local eps = math.sqrt(10 ^ (0.1 * rp) - 1)
    if N == 0 then return {}, {}, 10 ^ (-rp / 20) end
    local mu, p = asinh(1 / eps) / N, {}
    for k = 1, N do
      local theta = pi * (2 * k - N - 1) / (2 * N)
      p[k] = complex(-sinh(mu) * math.cos(theta), -cosh(mu) * math.sin(theta))
    end
    local gain = parts(product(p, function(v) return -v end))
    return {}, p, N % 2 == 0 and gain / math.sqrt(1 + eps * eps) or gain
  end

  local function analogue_cheby2(N, rs)
    local de = 1 / math.sqrt(10 ^ (0.1 * rs) - 1)
    local mu, z, p = asinh(1 / de) / N, {}, {}
    for k = 1, N do
      local m = 2 * k - N - 1
      if m ~= 0 then z[#z + 1] = complex(0, 1 / math.sin(m * pi / (2 * N))) end
      local theta = pi * m / (2 * N)
      local q = complex(-sinh(mu) * math.cos(theta), -cosh(mu) * math.sin(theta))
      p[k] = 1 / q
    end
    local minus = function(v) return -v end
    return z, p, (parts(product(p, minus) / product(z, minus)))
  end

  local function append(list, v, count)
    for _ = 1, count do list[#list + 1] = v end
    return list
  end

  local function minus(v) return -v end

  local move = {}

  function move.lowpass(z, p, k, w)
    local function scaled(v) return v * w[1] end
    return map(z, scaled), map(p, scaled), k * w[1] ^ (#p - #z)
  end

  function move.highpass(z, p, k, w)
    local function turned(v) return w[1] / v end
    return append(map(z, turned), complex(0, 0), #p - #z), map(p, turned),
      k * parts(product(z, minus) / product(p, minus))
  end

  -- Two values for each in the list.
  local function both_sides(list, wo)
    local out = {}
    for _, v in ipairs(list) do out[#out + 1] = v + root(v * v - wo * wo) end
    for _, v in ipairs(list) do out[#out + 1] = v - root(v * v - wo * wo) end
    return out
  end

  function move.bandpass(z, p, k, w)
    local bw, wo = w[2] - w[1], math.sqrt(w[1] * w[2])
    local function scaled(v) return v * (bw / 2) end
    return append(both_sides(map(z, scaled), wo), complex(0, 0), #p - #z), both_sides(map(p, scaled), wo),
      k * bw ^ (#p - #z)
  end

  function move.bandstop(z, p, k, w)
    local bw, wo = w[2] - w[1], math.sqrt(w[1] * w[2])
    local function turned(v) return (bw / 2) / v end
    local zeros = both_sides(map(z, turned), wo)
    append(append(zeros, complex(0, wo), #p - #z), complex(0, -wo), #p - #z)
    return zeros, both_sides(map(p, turned), wo), k * parts(product(z, minus) / product(p, minus))
  end

  local function bilinear(z, p, k)
    local function mapped(v) return (4 + v) / (4 - v) end
    local function rest(v) return 4 - v end
    return append(map(z, mapped), complex(-1, 0), #p - #z), map(p, mapped),
      k * parts(product(z, rest) / product(p, rest))
  end

  -- ---- sections

  local function is_real(v) return select(2, parts(v)) == 0 end

  -- One of each conjugate pair, with a positive imaginary part, then the real ones; each sorted by the real
  -- part.
  local function half_of(list)
    local upper, real = {}, {}
    for _, v in ipairs(list) do
      local re, im = parts(v)
      if math.abs(im) <= 100 * 2.2e-16 * modulus(v) then
        real[#real + 1] = complex(re, 0)
      elseif im > 0 then
        upper[#upper + 1] = v
      end
    end
    table.sort(upper, function(a, b) return a.re < b.re or a.re == b.re and a.im < b.im end)
    table.sort(real, function(a, b) return a.re < b.re end)
    for _, v in ipairs(real) do upper[#upper + 1] = v end
    return upper
  end

  local function count_real(list)
    local n = 0
    for _, v in ipairs(list) do n = n + (is_real(v) and 1 or 0) end
    return n
  end

  -- Removes and returns the entry of the list with the least cost, if `real` is given only from those that
  -- are real or are not; nil if there is none.
  local function take_best(list, cost, real)
    local best
    for k, v in ipairs(list) do
      if (real == nil or is_real(v) == real) and (not best or cost(v) < cost(list[best])) then best = k end
    end
    return best and table.remove(list, best)
  end

  local function from_circle(v) return math.abs(1 - modulus(v)) end
  local function from_axis(v) return math.abs(parts(v)) end

  local function conj(v) return complex(v.re, -v.im) end

  -- The coefficients of a section, highest power first, as six numbers.
  local function section(z, p)
    local row = {}
    for _, roots in ipairs { z, p } do
      local c = polynomial(roots)
      for power = 2, 0, -1 do row[#row + 1] = power < #c and c[#c - power] or 0 end
    end
    return row
  end

  -- Second-order sections: the poles nearest to the border of the stable ones, the unit circle or of
  -- analogue filters the imaginary axis, are paired with the zeros nearest to them, from the last section to
  -- the first.
  -- Sections of an analogue filter have as many zeros as are left, and the last real pole one of its own.
  local function sections_of(z, p, k, analog)
    if #z == 0 and #p == 0 then return { analog and { 0, 0, k, 0, 0, 1 } or { k, 0, 0, 1, 0, 0 } } end
    if not analog then
      local even = math.ceil(math.max(#z, #p) / 2) * 2
      append(p, complex(0, 0), even - #p)
      append(z, complex(0, 0), even - #z)
    end
    local count, cost = math.ceil(#p / 2), analog and from_axis or from_circle
    z, p = half_of(z), half_of(p)
    local rows = {}
    for at = count, 1, -1 do
      local p1 = take_best(p, cost)
      local function near(v) return modulus(v - p1) end
      local poles, zeros, left = { p1 }, {}, count_real(p)
      if is_real(p1) and left == 0 then
        zeros[1] = take_best(z, near, true)
      else
        poles[2] = is_real(p1) and take_best(p, cost, true) or conj(p1)
        local real -- false where the only real zero is kept for the only real pole
        if not is_real(p1) and left == 1 and #p + 1 == #z and count_real(z) == 1 then real = false end
        zeros[1] = take_best(z, near, real)
        if zeros[1] and is_real(zeros[1]) then
          zeros[2] = take_best(z, near, true)
        elseif zeros[1] then
          zeros[2] = conj(zeros[1])
        end
      end
      rows[at] = section(zeros, poles)
    end
    for c = 1, 3 do rows[1][c] = rows[1][c] * k end
    return rows
  end

  local OUTPUTS = { ba = true, zpk = true, sos = true }
  local TYPES = { low = "lowpass", lowpass = "lowpass", lp = "lowpass", l = "lowpass", high = "highpass",
    highpass = "highpass", hp = "highpass", h = "highpass", band = "bandpass", bandpass = "bandpass",
    pass = "bandpass", bp = "bandpass", stop = "bandstop", bandstop = "bandstop", bands = "bandstop",
    bs = "bandstop" }

  local function designed(where, N, Wn, btype, analog, output, fs, prototype)
    N = core.integer(N, where, "N")
    if N < 0 or N > 100 then usage(where, string.format("N must be from 0 to 100, but is %d", N)) end
    local kind, out = TYPES[btype == nil and "low" or btype], output == nil and "ba" or output
    if not kind then core.not_among(where, "btype", '"low", "high", "bandpass" or "bandstop"', btype) end
    if not OUTPUTS[out] then core.not_among(where, "output", '"ba", "zpk" or "sos"', output) end
    analog = core.boolean(analog, where, "analog", false)
    local edges = frequencies_of(where, Wn, "Wn", fs, analog)
    local needed = (kind == "bandpass" or kind == "bandstop") and 2 or 1
    if #edges ~= needed then usage(where, string.format("%s needs %d in Wn, not %d", kind, needed, #edges)) end
    local z, p, k = prototype(N)
    if analog then
      z, p, k = move[kind](z, p, k, edges)
    else
      z, p, k = bilinear(move[kind](z, p, k, map(edges, function(f) return 4 * math.tan(pi * f / 2) end)))
    end
    if out == "sos" then return cp.array(sections_of(z, p, k, analog)) end
    if out == "ba" then return cp.array(polynomial(z, k)), cp.array(polynomial(p)) end
    local function listed(roots) return #roots > 0 and cp.array(roots) or cp.zeros({ 0 }, "complex128") end
    return listed(z), listed(p), k
  end

  --- A Butterworth filter: maximally flat in the passband.
  ---@param N integer  the order
  ---@param Wn any  the cutoff frequency, or two for bands
  ---@param btype? string  "low" (default), "high", "bandpass" or "bandstop"
  ---@param analog? boolean  whether the filter is one of continuous time, and Wn in radians per second
  ---@param output? string  "ba" (default): numerator and denominator, "sos": second-order sections, "zpk":
  --- zeros, poles and gain
  ---@param fs? number  the sampling rate; default 2
  ---@return any ...
  publish("butter", "N, Wn, btype, analog, output, fs", 2, function(where, N, Wn, btype, analog, output, fs)
    return designed(where, N, Wn, btype, analog, output, fs, analogue_butter)
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
    rp = number(rp, where, "rp")
    if rp <= 0 then usage(where, "rp must be above 0") end
    return designed(where, N, Wn, btype, analog, output, fs, function(n) return analogue_cheby1(n, rp) end)
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
    rs = number(rs, where, "rs")
    if rs <= 0 then usage(where, "rs must be above 0") end
    return designed(where, N, Wn, btype, analog, output, fs, function(n) return analogue_cheby2(n, rs) end)
  end)
end
