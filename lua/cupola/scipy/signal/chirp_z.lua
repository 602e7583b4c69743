-- cp.scipy.signal: the chirp z-transform, a Fourier transform at points of a spiral, and that of a part of
-- the frequencies; and the Lomb-Scargle periodogram, of samples at any times.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local fast_length = require("cupola.analysis.lengths").fast
  local pi = math.pi

  local number, usage, raise_shape = core.number, core.usage, core.raise_shape

  -- ---- arguments

  local function length(where, v, argument, missing)
    v = core.integer(v, where, argument, missing)
    if v < 1 or v > 2 ^ 40 then usage(where, argument .. " must be above 0") end
    return v
  end

  -- A number, real or complex, as an array.
  local function value(where, v, argument, missing)
    if v == nil then return missing end
    local x = cp.array(v)
    if x.ndim ~= 0 or x.dtype == "bool" then usage(where, argument .. " must be a number") end
    return x:astype(core.kind(x) == "c" and "complex128" or "float64", false)
  end

  local function complex(re, im) return cp.array(cp.complex(re, im)) end

  local function turn(angle) return complex(math.cos(angle), math.sin(angle)) end

  -- ---- transforms

  -- What a transform of n samples at m points multiplies by, on the CPU: samples by `before`, the spectrum of
  -- these by `spectrum`, results by `after`. chirp: w^(k^2 / 2) for k from 0; starts: a^-k.
  local function factors(t, chirp, starts)
    local size = fast_length(t.n + t.m - 1)
    local after, head = core.slice(chirp, 1, 1, t.m), core.slice(chirp, 1, 1, t.n)
    local around = t.n > 1 and cp.concatenate { core.slice(chirp, 1, t.n, 2, -1), after } or after
    t.parts = { size = size, before = starts * head, after = after, spectrum = cp.fft.fft(1 / around, size) }
    return t
  end

  local function steps(count) return cp.arange(count, { dtype = "float64" }) end

  local function transform_of(where, n, m, w, a)
    n = length(where, n, "n")
    m = length(where, m, "m", n)
    local k = steps(math.max(m, n))
    w, a = value(where, w, "w"), value(where, a, "a", complex(1, 0))
    local angle = cp.mod(cp.square(k), 2 * m) * (-pi / m)
    local chirp = w and cp.power(w, cp.square(k) / 2) or cp.cos(angle) + cp.j * cp.sin(angle)
    local t = { n = n, m = m, w = w or turn(-2 * pi / m), a = a }
    return factors(t, chirp, cp.power(a, -core.slice(k, 1, 1, n)))
  end

  -- The first and the last frequency.
  local function range_of(where, fn)
    if type(fn) == "number" then return 0, fn end
    local list = core.coefficients(where, fn, "fn")
    if #list > 2 then usage(where, "fn must be a frequency or two") end
    if not list[2] then return 0, number(list[1], where, "fn") end
    return number(list[1], where, "fn"), number(list[2], where, "fn")
  end

  local function zoom_of(where, n, fn, m, fs, endpoint)
    n = length(where, n, "n")
    m = length(where, m, "m", n)
    fs = number(fs, where, "fs", 2)
    local f1, f2 = range_of(where, fn)
    local scale = (f2 - f1) / fs
    if core.boolean(endpoint, where, "endpoint", false) then scale = scale * m / (m - 1) end
    local k = steps(math.max(m, n))
    local chirp = cp.exp(cp.square(k) * cp.complex(0, -pi * scale / m))
    local starts = cp.exp(core.slice(k, 1, 1, n) * cp.complex(0, -2 * pi * f1 / fs))
    local t = { n = n, m = m, w = turn(-2 * pi / m * scale), a = turn(2 * pi * f1 / fs), f1 = f1, f2 = f2, fs = fs }
    return factors(t, chirp, starts)
  end

  local function transformed(where, t, x, axis)
    x = core.as_array(x, where, "x")
    if x.ndim == 0 then raise_shape(where, "x must have at least one axis") end
    axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
    if core.extent(x, axis) ~= t.n then
      raise_shape(where, string.format("the transform is one of %d samples, not of %d", t.n, core.extent(x, axis)))
    end
    local p, y = t.parts, cp.moveaxis(x, axis, -1)
    local spectrum = cp.fft.fft(y * p.before:to(x.device), p.size) * p.spectrum:to(x.device)
    y = core.slice(cp.fft.ifft(spectrum), y.ndim, t.n, t.n + t.m - 1) * p.after:to(x.device)
    return axis == x.ndim and y:eval() or cp.moveaxis(y, -1, axis):copy()
  end

  local function points(m, w, a) return a * cp.power(w, -steps(m)) end

  -- ---- objects

  local function class(name)
    local methods, where = {}, "scipy.signal." .. name
    methods.points = core.define(where .. ":points", "transform", 1, function(_, t) return points(t.m, t.w, t.a) end)
    local call = core.define(where, "transform, x, axis", 2, function(_, t, x, axis)
      return transformed(where, t, x, axis)
    end)
    return { __index = methods, __call = call, __name = name }
  end

  local Transform, Zoom = class "CZT", class "ZoomFFT"

  --- A chirp z-transform that can be applied to many signals: call it with a signal, and an axis (default:
  --- the last). Its method points() gives the points a w^-k.
  ---@param n integer  the number of samples
  ---@param m? integer  the number of points; default n
  ---@param w? any  the ratio between points; default: equally spaced ones around the unit circle
  ---@param a? any  the first point; default 1
  ---@return table
  publish("CZT", "n, m, w, a", 1, function(where, n, m, w, a)
    return setmetatable(transform_of(where, n, m, w, a), Transform)
  end)

  --- A Fourier transform of a part of the frequencies that can be applied to many signals: call it with a
  --- signal, and an axis (default: the last). Its method points() gives the points on the unit circle.
  ---@param n integer  the number of samples
  ---@param fn any  the last frequency, or the first and the last
  ---@param m? integer  the number of frequencies; default n
  ---@param fs? number  the sampling rate; default 2
  ---@param endpoint? boolean  whether the last frequency is among them; default false
  ---@return table
  publish("ZoomFFT", "n, fn, m, fs, endpoint", 2, function(where, n, fn, m, fs, endpoint)
    return setmetatable(zoom_of(where, n, fn, m, fs, endpoint), Zoom)
  end)

  -- ---- functions

  -- A signal and the length of its axis.
  local function signal_of(where, x, axis)
    x = core.as_array(x, where, "x")
    if x.ndim == 0 then raise_shape(where, "x must have at least one axis") end
    return x, core.extent(x, core.axis(axis, where, "axis", x.ndim, x.ndim))
  end

  --- The z-transform of a signal at the points a w^-k.
  ---@param x any
  ---@param m? integer  the number of points; default: that of the samples
  ---@param w? any  the ratio between points; default: equally spaced ones around the unit circle
  ---@param a? any  the first point; default 1
  ---@param axis? integer  default: the last
  ---@return any  complex128
  publish("czt", "x, m, w, a, axis", 1, function(where, x, m, w, a, axis)
    local n
    x, n = signal_of(where, x, axis)
    return transformed(where, transform_of(where, n, m, w, a), x, axis)
  end)

  --- The Fourier transform of a signal at m frequencies of a range.
  ---@param x any
  ---@param fn any  the last frequency, or the first and the last
  ---@param m? integer  default: the number of samples
  ---@param fs? number  the sampling rate; default 2
  ---@param endpoint? boolean  whether the last frequency is among them; default false
  ---@param axis? integer  default: the last
  ---@return any  complex128
  publish("zoom_fft", "x, fn, m, fs, endpoint, axis", 2, function(where, x, fn, m, fs, endpoint, axis)
    local n
    x, n = signal_of(where, x, axis)
    return transformed(where, zoom_of(where, n, fn, m, fs, endpoint), x, axis)
  end)

  --- The points of a chirp z-transform.
  ---@param m integer
  ---@param w? any  as for czt
  ---@param a? any
  ---@return any
  publish("czt_points", "m, w, a", 1, function(where, m, w, a)
    m = length(where, m, "m")
    w, a = value(where, w, "w"), value(where, a, "a", complex(1, 0))
    if w ~= nil then return points(m, w, a) end
    return a * cp.exp(steps(m) * cp.complex(0, 2 * pi / m))
  end)

  -- ---- samples at any times

  local NORMALIZE = { [false] = "power", [true] = "normalize", power = "power", normalize = "normalize",
    amplitude = "amplitude" }

  -- Real vectors of float64, of x's device and equally long.
  local function samples_of(where, x, y, weights)
    local list = { x, y, weights }
    for k, name in ipairs { "x", "y", "weights" } do
      local v = k == 1 and core.as_array(x, where, name) or core.beside(where, list[1], list[k], name)
      if core.kind(v) == "c" then core.raise(where, "dtype", "takes real values, not " .. v.dtype) end
      list[k] = v:astype("float64", false)
      if v.ndim ~= 1 or #v == 0 or #v ~= #list[1] then
        raise_shape(where, "x, y and weights must be vectors of one length, with at least one element")
      end
    end
    return unpack(list)
  end

  --- The Lomb-Scargle periodogram: how strong each frequency is in samples at any times.
  ---@param x any  the times
  ---@param y any  the samples
  ---@param freqs any  vector of angular frequencies
  ---@param precenter? boolean  whether the samples' mean is subtracted first; default false
  ---@param normalize? any  false (default) or "power", true or "normalize": relative to the samples' energy,
  --- "amplitude": as complex amplitudes
  ---@param weights? any  of the samples; default 1
  ---@param floating_mean? boolean  whether a constant is fitted, too, at each frequency; default false
  ---@return any  float64 vector, of amplitudes complex128
  publish("lombscargle", "x, y, freqs, precenter, normalize, weights, floating_mean", 3,
    function(where, x, y, freqs, precenter, normalize, weights, floating_mean)
      if weights == nil then weights = cp.ones_like(core.as_array(y, where, "y"), "float64") end
      local w
      x, y, w = samples_of(where, x, y, weights)
      freqs = core.beside(where, x, freqs, "freqs"):astype("float64", false)
      if freqs.ndim ~= 1 or #freqs == 0 then raise_shape(where, "freqs must be a vector with at least one element") end
      if cp.any(w:lt(0)) or w:sum():item() <= 0 then usage(where, "weights must not be negative, nor all 0") end
      if normalize == nil then normalize = false end
      local kind = NORMALIZE[normalize]
      if not kind then
        core.not_among(where, "normalize", 'false, "power", true, "normalize" or "amplitude"', normalize)
      end
      local floating = core.boolean(floating_mean, where, "floating_mean", false)
      w = w / w:sum()
      if core.boolean(precenter, where, "precenter", false) then y = y - y:mean() end
      local angle = cp.expand_dims(freqs, 2) * x
      local function mean(v) return (v * w):sum(2) end
      -- The moments of cosine and sine about their means, which are 0 unless a constant is fitted.
      local function moments(a)
        local c, s = cp.cos(a), cp.sin(a)
        local cc, cs = mean(c * c), mean(c * s)
        local ss = 1 - cc
        if not floating then return cc, ss, cs, 0, 0 end
        local mc, ms = mean(c), mean(s)
        return cc - mc * mc, ss - ms * ms, cs - mc * ms, mc, ms
      end
      local cc, ss, cs = moments(angle)
      local tau = (0.5 * cp.arctan2(2 * cs, cc - ss)):eval()
      local shifted, total = angle - cp.expand_dims(tau, 2), mean(y:reshape(1, -1))
      local mc, ms, _
      cc, ss, _, mc, ms = moments(shifted)
      local yc, ys = mean(y * cp.cos(shifted)) - total * mc, mean(y * cp.sin(shifted)) - total * ms
      local least = 2 ^ -53
      local a, b = yc / cp.maximum(cc, least), ys / cp.maximum(ss, least)
      if kind == "amplitude" then return cp.squeeze((a + cp.j * b) * cp.exp(cp.j * tau)) end
      local power = cp.squeeze(2 * (a * yc + b * ys))
      if kind == "power" then return power * (#x / 4) end
      local energy = mean(cp.square(y):reshape(1, -1))
      if floating then energy = energy - total * total end
      return power * 0.5 / energy[1]
    end)
end
