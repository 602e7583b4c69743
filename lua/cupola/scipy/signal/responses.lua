-- cp.scipy.signal: frequency responses of filters.

return function(cp, core)
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
end
