-- cp.scipy.signal: the design of filters without feedback.

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
  core.band_edges = frequencies_of

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

  -- ---- by frequencies and gains

  local function reals(where, v, argument)
    local list = {}
    for k, x in ipairs(core.coefficients(where, v, argument)) do list[k] = number(x, where, argument) end
    return list
  end

  -- The type of a filter with a linear phase, 1 to 4; the gains must allow it.
  local function phase_type(where, numtaps, gain, antisymmetric)
    local type_ = (antisymmetric and 3 or 1) + (numtaps % 2 == 0 and 1 or 0)
    local first, last = gain[1] ~= 0, gain[#gain] ~= 0
    if (type_ == 2 or type_ == 3) and last then
      usage(where, "such a filter's gain is 0 at half the sampling rate")
    elseif type_ > 2 and first then
      usage(where, "such a filter's gain is 0 at frequency 0")
    end
    return type_
  end

  -- Frequencies that ascend from 0 to half the rate, of which one may be there twice: then it is a jump.
  local function jumps_of(where, freq, nyquist)
    local n = #freq
    if freq[1] ~= 0 or freq[n] ~= nyquist then usage(where, "freq must begin with 0 and end with half of fs") end
    local out = {}
    for k, f in ipairs(freq) do
      out[k] = f
      if k > 1 and f < freq[k - 1] then usage(where, "freq must be in ascending order") end
      if k > 2 and f == freq[k - 2] then usage(where, "freq must not have a value more than twice") end
    end
    if freq[2] == 0 or freq[n - 1] == nyquist then usage(where, "freq must not repeat 0 or half of fs") end
    for k = 1, n - 1 do
      if out[k] == out[k + 1] then
        out[k], out[k + 1] = out[k] - 2 ^ -52 * nyquist, out[k + 1] + 2 ^ -52 * nyquist
      end
    end
    for k = 2, n do
      if out[k] <= out[k - 1] then usage(where, "freq has values that are too near to a jump") end
    end
    return out
  end

  --- An FIR filter with gains at given frequencies, and linear ones between, by the window method.
  ---@param numtaps integer
  ---@param freq any  from 0 to half of fs; a frequency that is there twice is a jump
  ---@param gain any  one for each
  ---@param nfreqs? integer  how many frequencies are interpolated; default: 1 + a power of 2 from numtaps on
  ---@param window? any  as of get_window; default "hamming", false for none
  ---@param antisymmetric? boolean  whether coefficients are odd around the middle
  ---@param fs? number  the sampling rate; default 2
  ---@return any  float64 vector
  publish("firwin2", "numtaps, freq, gain, nfreqs, window, antisymmetric, fs", 3,
    function(where, numtaps, freq, gain, nfreqs, window, antisymmetric, fs)
      numtaps = core.integer(numtaps, where, "numtaps", nil, 1, 100000000)
      freq, gain = reals(where, freq, "freq"), reals(where, gain, "gain")
      local nyquist = number(fs, where, "fs", 2) / 2
      if #freq ~= #gain or #freq < 2 then usage(where, "freq and gain must be equally many, at least two") end
      nfreqs = core.integer(nfreqs, where, "nfreqs", 1 + 2 ^ math.ceil(math.log(numtaps) / math.log(2) - 1e-12))
      if numtaps >= nfreqs then usage(where, "nfreqs must be above numtaps") end
      freq = jumps_of(where, freq, nyquist)
      local type_ = phase_type(where, numtaps, gain, core.boolean(antisymmetric, where, "antisymmetric", false))
      local x = cp.linspace(0, nyquist, nfreqs)
      local shift = cp.exp(x * cp.complex(0, -(numtaps - 1) / 2 * pi / nyquist))
      if type_ > 2 then shift = shift * cp.j end
      local out = core.slice(cp.fft.irfft(cp.interp(x, cp.array(freq), cp.array(gain)) * shift), 1, 1, numtaps)
      if window ~= false then out = out * signal.get_window(window == nil and "hamming" or window, numtaps, false) end
      out = out:copy()
      if type_ == 3 then out[math.floor(numtaps / 2) + 1] = 0 end
      return out
    end)

  -- Bands relative to half the sampling rate, in ascending order, without overlaps: {low, high, gains at
  -- both, weight} each.
  local function bands_of(where, bands, desired, weight, nyquist)
    local edges = reals(where, cp.ravel(cp.is_array(bands) and bands or cp.array(bands)), "bands")
    local gains = reals(where, cp.ravel(cp.is_array(desired) and desired or cp.array(desired)), "desired")
    local list = {}
    if #edges % 2 ~= 0 then usage(where, "bands must be pairs of frequencies") end
    if #gains ~= #edges then usage(where, "desired must have one gain for each frequency of bands") end
    local weights = weight ~= nil and reals(where, weight, "weight") or nil
    if weights and #weights ~= #edges / 2 then usage(where, "weight must have one value for each band") end
    for k = 1, #edges / 2 do
      local low, high = edges[2 * k - 1] / nyquist, edges[2 * k] / nyquist
      if low < 0 or high > 1 then usage(where, "bands must be from 0 to half of fs") end
      if low >= high or k > 1 and low < list[k - 1][2] then
        usage(where, "bands must be in ascending order, wider than 0 and without overlaps")
      end
      list[k] = { low, high, gains[2 * k - 1], gains[2 * k], weights and weights[k] or 1 }
      if list[k][3] < 0 or list[k][4] < 0 then usage(where, "desired must not be negative") end
      if list[k][5] < 0 then usage(where, "weight must not be negative") end
    end
    return list
  end

  --- An FIR filter that is nearest to given gains, in the sense of least squares.
  ---@param numtaps integer  odd
  ---@param bands any  pairs of frequencies
  ---@param desired any  the gain at each of them; it is linear within a band
  ---@param weight? any  one for each band; default 1
  ---@param fs? number  the sampling rate; default 2
  ---@return any  float64 vector
  publish("firls", "numtaps, bands, desired, weight, fs", 3, function(where, numtaps, bands, desired, weight, fs)
    numtaps = core.integer(numtaps, where, "numtaps", nil, -2 ^ 31, 20001)
    if numtaps < 1 or numtaps % 2 == 0 then usage(where, "numtaps must be odd and above 0") end
    local half, np = (numtaps - 1) / 2, cp.cpu
    local list = bands_of(where, bands, desired, weight, number(fs, where, "fs", 2) / 2)
    local n = np.arange(numtaps, "float64")
    local some = core.slice(n, 1, 1, half + 1)
    local q, b = np.zeros({ numtaps }), np.zeros({ half + 1 })
    for _, band in ipairs(list) do
      local slope = (band[4] - band[3]) / (band[2] - band[1])
      local start = band[3] - band[1] * slope
      for k, sign in ipairs { -1, 1 } do
        local f = band[k]
        q = q + sign * band[5] * f * cp.sinc(f * n)
        local part = f * (slope * f + start) * cp.sinc(f * some)
        local square = cp.square(pi * some)
        part = part + cp.where(some:eq(0), -slope * f * f / 2, slope * cp.cos(pi * f * some) / square)
        b = b + sign * band[5] * part
      end
    end
    local i = np.arange(half + 1, "int64")
    local j = i:reshape(-1, 1)
    local system = cp.take(q, cp.abs(i - j) + 1) + cp.take(q, i + j + 1)
    local sizes = cp.abs(cp.linalg.eigvalsh(system))
    local determined = sizes:min():item() > 2 ^ -52 * sizes:max():item()
    local a = (determined and cp.linalg.solve or cp.linalg.lstsq)(system, b)
    local rest = core.slice(a, 1, 2, half + 1)
    return cp.concatenate({ cp.flip(rest), 2 * core.slice(a, 1, 1, 1), rest }):to(core.device_name())
  end)

  -- ---- minimum phase

  -- By the cepstrum: h's with twice, or of half order once, its later half for its earlier.
  local function homomorphic(h, n, half)
    local size = cp.abs(cp.fft.fft(h, n))
    local least = cp.where(size:gt(0), size, cp.inf):min()
    local log = cp.log(size + 1e-7 * least) * (half and 0.5 or 1)
    local k = cp.arange(n, { dtype = "float64", device = h.device })
    local middle = math.floor(n / 2)
    local fold = cp.where(k:eq(0), 1, cp.where(k:lt(middle), 2, cp.where(k:eq(middle), n % 2, 0)))
    return cp.fft.ifft(cp.exp(cp.fft.fft(cp.real(cp.fft.ifft(log)) * fold))).real
  end

  -- By the Hilbert transform of the logarithm of the gain, for filters with equal ripples.
  local function by_hilbert(h, n, half)
    local k = cp.arange(n, { dtype = "float64", device = h.device })
    local gain = cp.real(cp.fft.fft(h, n) * cp.exp(k * cp.complex(0, 2 * pi / n * half)))
    local dp, ds = gain:max():item() - 1, -gain:min():item()
    gain = cp.sqrt((gain + ds) * (4 / (math.sqrt(1 + dp + ds) + math.sqrt(1 - dp + ds)) ^ 2)) + 1e-10
    local middle = math.floor(n / 2)
    local side = cp.where(k:eq(0):logical_or(k:eq(middle)), 0, cp.where(k:lt(middle), 1, -1))
    return cp.real(cp.fft.ifft(gain * cp.exp(cp.fft.fft(side * cp.fft.ifft(cp.log(gain))))))
  end

  local METHODS = { homomorphic = true, hilbert = true }

  --- Makes a filter of a linear phase one of minimum phase.
  ---@param h any  real vector, symmetric
  ---@param method? string  "homomorphic" (default), or "hilbert", for filters with equal ripples
  ---@param n_fft? integer  length of the transforms; default: a power of 2, 200 times as long as h
  ---@param half? boolean  whether the result has half the order and the gain's square root; default true
  ---@return any  float64 vector
  publish("minimum_phase", "h, method, n_fft, half", 1, function(where, h, method, n_fft, half)
    h = core.as_array(h, where, "h")
    if core.kind(h) == "c" then core.raise(where, "dtype", "takes real values, not " .. h.dtype) end
    if h.ndim ~= 1 or #h <= 2 then core.raise_shape(where, "h must be a vector of more than 2 elements") end
    method, half = method == nil and "homomorphic" or method, core.boolean(half, where, "half", true)
    if not METHODS[method] then core.not_among(where, "method", '"homomorphic" or "hilbert"', method) end
    if method == "hilbert" and not half then usage(where, "half = false needs the method homomorphic") end
    local default = 2 ^ math.ceil(math.log(2 * (#h - 1) / 0.01) / math.log(2))
    n_fft = core.integer(n_fft, where, "n_fft", default)
    if n_fft < #h then usage(where, "n_fft must be at least the length of h") end
    local middle = math.floor(#h / 2)
    local x = h:astype("float64", false)
    local all = method == "hilbert" and by_hilbert(x, n_fft, middle) or homomorphic(x, n_fft, half)
    return core.slice(all, 1, 1, half and middle + #h % 2 or #h):copy()
  end)
end
