-- cp.scipy.signal: filters without feedback, designed by windows. Designs are a few numbers, computed in Lua.

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
end
