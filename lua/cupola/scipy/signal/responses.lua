-- cp.scipy.signal: frequency responses of filters.

return function(cp, core, forms)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local pi = math.pi

  local number, usage, raise_shape = core.number, core.usage, core.raise_shape

  -- The angles from 0 to pi or around the circle, or those of the given frequencies.
  local function angles(where, worN, whole, fs, include_nyquist)
    fs = number(fs, where, "fs", 2 * pi)
    if worN == nil then worN = 512 end
    if type(worN) == "number" and worN % 1 ~= 0 then worN = { worN } end -- a frequency
    if type(worN) ~= "number" then
      return cp.atleast_1d(core.as_array(worN, where, "worN")):astype("float64", false) * (2 * pi / fs), fs
    end
    whole = core.boolean(whole, where, "whole", false)
    local endpoint = core.boolean(include_nyquist, where, "include_nyquist", false) and not whole
    local n = core.integer(worN, where, "worN")
    if n < 0 then usage(where, "worN must be 0 or more") end
    return cp.linspace(0, whole and 2 * pi or pi, n, { endpoint = endpoint }), fs
  end

  -- The polynomial of exp(-i w) with these coefficients.
  local function response(list, w)
    local k = cp.arange(#list, { dtype = "float64", device = w.device })
    local c = cp.array(list, { device = w.device })
    if #list == 1 then return c * cp.ones_like(w) end
    return (cp.exp(cp.expand_dims(w, w.ndim + 1) * k * (cp.j * -1)) * c):sum(-1)
  end

  -- The same for coefficients along the first axis of an array, whose other axes broadcast with w's.
  local function responses(c, w)
    local z = cp.exp(w * (cp.j * -1))
    local h = cp.zeros_like(z) + c[#c]
    for k = #c - 1, 1, -1 do h = h * z + c[k] end
    return h
  end

  -- The response of the coefficients v, a number, a vector, or an array with more axes.
  local function response_of(where, v, argument, w)
    if type(v) ~= "number" then
      local c = core.as_array(v, where, argument)
      if c.ndim > 1 then
        if #c == 0 then raise_shape(where, argument .. " must have elements, not shape " .. tostring(c.shape)) end
        if c.dtype == "bool" then usage(where, argument .. " must be of numbers, not of bool") end
        return responses(c:to(w.device), w)
      end
    end
    return response(core.coefficients(where, v, argument), w)
  end

  -- Frequencies in the unit of the rate, and the response as complex numbers.
  local function finish(w, rate, h)
    return w * (rate / (2 * pi)), core.kind(h) == "c" and h or h:astype "complex128"
  end

  --- The frequency response of a filter, or of several: coefficients lie along the first axis of b and a, and
  --- their other axes broadcast with those of the frequencies.
  ---@param b any
  ---@param a? any  default 1
  ---@param worN? any  the number of frequencies, default 512, or an array of them, or one that is no whole
  --- number
  ---@param whole? boolean  up to the sampling rate instead of half of it
  ---@param fs? number  the sampling rate; default 2 pi
  ---@param include_nyquist? boolean  whether half the sampling rate is the last frequency
  ---@return any w
  ---@return any h  complex
  publish("freqz", "b, a, worN, whole, fs, include_nyquist", 1,
    function(where, b, a, worN, whole, fs, include_nyquist)
      local w, rate = angles(where, worN, whole, fs, include_nyquist)
      local h = response_of(where, b, "b", w)
      if a ~= nil then h = h / response_of(where, a, "a", w) end
      return finish(w, rate, h)
    end)

  --- The frequency response of a filter in second-order sections.
  ---@param sos any
  ---@param worN? any
  ---@param whole? boolean
  ---@param fs? number
  ---@return any w
  ---@return any h  complex
  publish("sosfreqz", "sos, worN, whole, fs", 1, function(where, sos, worN, whole, fs)
    local rows = core.sections(where, sos)
    local w, rate = angles(where, worN, whole, fs, false)
    local h = cp.ones_like(w)
    for _, row in ipairs(rows) do
      h = h * response({ row[1], row[2], row[3] }, w) / response({ row[4], row[5], row[6] }, w)
    end
    return finish(w, rate, h)
  end)
  signal.freqz_sos = signal.sosfreqz

  -- The product of w less each root.
  local function from_roots(list, w)
    if #list == 0 then return cp.ones_like(w) end
    return (cp.expand_dims(w, w.ndim + 1) - core.roots_array(list):to(w.device)):prod(-1)
  end

  --- The frequency response of a filter with these zeros, poles and gain.
  ---@param z any
  ---@param p any
  ---@param k number
  ---@param worN? any  as for freqz
  ---@param whole? boolean
  ---@param fs? number  the sampling rate; default 2 pi
  ---@return any w
  ---@return any h  complex
  publish("freqz_zpk", "z, p, k, worN, whole, fs", 3, function(where, z, p, k, worN, whole, fs)
    z, p, k = forms.zpk(where, z, p, k)
    local w, rate = angles(where, worN, whole, fs, false)
    local turned = cp.exp(w * cp.j)
    return finish(w, rate, k * from_roots(z, turned) / from_roots(p, turned))
  end)

  --- The delay of a filter's output at each frequency, in samples; 0 where it is not defined.
  ---@param system any  a table of b and a
  ---@param w? any  as worN of freqz
  ---@param whole? boolean
  ---@param fs? number  the sampling rate; default 2 pi
  ---@return any w
  ---@return any gd  float64
  publish("group_delay", "system, w, whole, fs", 1, function(where, system, w, whole, fs)
    if type(system) ~= "table" or #system ~= 2 then usage(where, "system must be a table of b and a") end
    local b, a = forms.list(where, system[1], "b", 1), forms.list(where, system[2], "a", 1)
    local back = { real = a.real }
    for n, v in ipairs(a) do back[#a + 1 - n] = { v[1], -v[2] } end
    local c, weighted = forms.times(b, back), {}
    for n, v in ipairs(c) do weighted[n] = { v[1] * (n - 1), v[2] * (n - 1) } end
    local at, rate = angles(where, w, whole, fs, false)
    local function sum(list) return response(core.roots_array(list):totable(), at) end
    local delay = cp.real(sum(weighted) / sum(c)) - (#a - 1)
    return at * (rate / (2 * pi)), cp.where(cp.isfinite(delay), delay, 0)
  end)

  -- ---- continuous time

  -- Frequencies that show what a filter does between these poles and zeros.
  local function telling(poles, zeros, n)
    if #poles == 0 then poles = { { -1000, 0 } } end
    local high, low = 0, math.huge
    local function see(v)
      local whole = math.sqrt(v[1] * v[1] + v[2] * v[2]) < 1e-10 and 1 or 0
      high = math.max(high, 3 * math.abs(v[1] + whole) + 1.5 * v[2])
      low = math.min(low, math.abs(v[1] + whole) + 2 * v[2])
    end
    for _, v in ipairs(poles) do
      if v[2] >= 0 then see(v) end
    end
    for _, v in ipairs(zeros) do
      if v[2] >= 0 and v[1] * v[1] + v[2] * v[2] < 1e10 then see(v) end
    end
    local function decade(v, half) return cp.rint(cp.log10(v) + half) end
    return cp.logspace(decade(0.1 * low, -0.5), decade(high, 0.5), n)
  end

  local KINDS = { ba = true, zp = true }

  --- Frequencies at which the response of an analogue filter is worth computing.
  ---@param num any  the numerator's coefficients, or zeros
  ---@param den any  the denominator's coefficients, or poles
  ---@param N integer  how many
  ---@param kind? string  "ba" (default): coefficients, "zp": zeros and poles
  ---@return any
  publish("findfreqs", "num, den, N, kind", 3, function(where, num, den, N, kind)
    kind = kind == nil and "ba" or kind
    if not KINDS[kind] then core.not_among(where, "kind", '"ba" or "zp"', kind) end
    N = core.integer(N, where, "N", nil, 0, 100000000)
    local zeros, poles = forms.list(where, num, "num"), forms.list(where, den, "den")
    if kind == "ba" then zeros, poles = forms.roots(zeros), forms.roots(poles) end
    return telling(poles, zeros, N)
  end)

  -- The given frequencies, or as many as `worN` says of those that find(n) gives.
  local function given_or(where, worN, find)
    if worN == nil then worN = 200 end
    if type(worN) == "number" and worN % 1 == 0 then
      return find(core.integer(worN, where, "worN", nil, 0, 100000000))
    end
    return cp.atleast_1d(core.as_array(type(worN) == "number" and { worN } or worN, where, "worN"))
  end

  --- The frequency response of an analogue filter.
  ---@param b any  highest power first
  ---@param a any
  ---@param worN? any  the number of frequencies, default 200, or an array of them, or one that is no whole
  --- number
  ---@return any w  in radians per second
  ---@return any h  complex
  publish("freqs", "b, a, worN", 2, function(where, b, a, worN)
    local num, den = forms.list(where, b, "b", 1), forms.list(where, a, "a", 1)
    local w = given_or(where, worN, function(n) return telling(forms.roots(den), forms.roots(num), n) end)
    local s = w * cp.j
    local function value(list) return cp.polyval(core.roots_array(list):to(w.device), s) end
    return w, value(num) / value(den)
  end)

  --- The frequency response of an analogue filter with these zeros, poles and gain.
  ---@param z any
  ---@param p any
  ---@param k number
  ---@param worN? any  as for freqs
  ---@return any w  in radians per second
  ---@return any h  complex
  publish("freqs_zpk", "z, p, k, worN", 3, function(where, z, p, k, worN)
    z, p, k = forms.zpk(where, z, p, k)
    local w = given_or(where, worN, function(n) return telling(p, z, n) end)
    local s = w * cp.j
    return w, k * from_roots(z, s) / from_roots(p, s)
  end)
end
