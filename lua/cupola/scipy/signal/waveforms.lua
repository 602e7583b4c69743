-- cp.scipy.signal: waveforms and pulses at given times.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local number = core.number

  local function floating(where, t)
    t = core.as_array(t, where, "t")
    local kind = core.kind(t)
    if kind == "c" then core.raise(where, "dtype", "takes real times, not " .. t.dtype) end
    return kind == "f" and t or t:astype "float64"
  end

  -- The position in the period, from 0 to 1.
  local function phase(t) return (t % (2 * math.pi)) / (2 * math.pi) end

  -- A fraction as a number, or as an array beside t, which broadcasts with it; and t in the common dtype.
  local function share(where, t, v, argument, missing)
    if v == nil then return missing, t end
    if type(v) == "number" then return v, t end
    v = core.beside(where, t, v, argument)
    if core.kind(v) == "c" then core.raise(where, "dtype", argument .. " must be real, not " .. v.dtype) end
    local dtype = core.is_inexact(v) and cp.promote_types(t, v) or t.dtype
    return v:astype(dtype, false), t:astype(dtype, false)
  end

  -- The wave, but nan where the fraction is not one.
  local function of_shares(wave, v)
    local nan = 0 / 0
    if type(v) == "number" then return v >= 0 and v <= 1 and wave or cp.full_like(wave, nan) end
    return cp.where(v:ge(0):logical_and(v:le(1)), wave, nan)
  end

  --- A square wave of period 2 pi: 1 for the first part of each period, then -1.
  ---@param t any  times
  ---@param duty? any  the fraction of the first part, a number or an array beside t; default 0.5. Where it is
  --- not from 0 to 1, the result is nan
  ---@return any
  publish("square", "t, duty", 1, function(where, t, duty)
    duty, t = share(where, floating(where, t), duty, "duty", 0.5)
    return of_shares(cp.where(phase(t):lt(duty), 1, -1):astype(t.dtype, false), duty)
  end)

  --- A sawtooth wave of period 2 pi: from -1 to 1 in the first part of each period, then back.
  ---@param t any  times
  ---@param width? any  the fraction of the first part, a number or an array beside t; default 1. Where it is
  --- not from 0 to 1, the result is nan
  ---@return any
  publish("sawtooth", "t, width", 1, function(where, t, width)
    width, t = share(where, floating(where, t), width, "width", 1)
    local p = phase(t)
    if type(width) ~= "number" then
      local down = (width + 1 - 2 * p) / (1 - width)
      return of_shares(cp.where(p:lt(width), p * 2 / width - 1, down), width)
    end
    local up = width > 0 and p * (2 / width) - 1 or p * 0 - 1
    local down = width < 1 and (width + 1 - 2 * p) / (1 - width) or up
    return of_shares(cp.where(p:lt(width), up, down), width)
  end)

  local SWEEPS = {
    linear = function(t, f0, t1, f1) return f0 * t + (0.5 * (f1 - f0) / t1) * cp.square(t) end,
    quadratic = function(t, f0, t1, f1, vertex_zero)
      local beta = (f1 - f0) / t1 ^ 2
      if vertex_zero then return f0 * t + (beta / 3) * t ^ 3 end
      return f1 * t + (beta / 3) * ((t1 - t) ^ 3 - t1 ^ 3)
    end,
    logarithmic = function(t, f0, t1, f1)
      if f0 == f1 then return f0 * t end
      local beta = t1 / math.log(f1 / f0)
      return (beta * f0) * (cp.exp(t * (math.log(f1 / f0) / t1)) - 1)
    end,
    hyperbolic = function(t, f0, t1, f1)
      if f0 == f1 then return f0 * t end
      local singular = -f1 * t1 / (f0 - f1)
      return (-singular * f0) * cp.log(cp.abs(1 - t / singular))
    end,
  }
  local METHODS = { lin = "linear", li = "linear", quad = "quadratic", q = "quadratic", log = "logarithmic",
    lo = "logarithmic", hyp = "hyperbolic" }

  --- A cosine whose frequency goes from f0 at time 0 to f1 at time t1.
  ---@param t any  times
  ---@param f0 number
  ---@param t1 number
  ---@param f1 number
  ---@param method? string  "linear" (default), "quadratic", "logarithmic" or "hyperbolic"
  ---@param phi? number  the phase in degrees; default 0
  ---@param vertex_zero? boolean  for a quadratic sweep: slowest at time 0 (default), else at t1
  ---@return any
  publish("chirp", "t, f0, t1, f1, method, phi, vertex_zero", 4,
    function(where, t, f0, t1, f1, method, phi, vertex_zero)
      t, f0, t1 = floating(where, t), number(f0, where, "f0"), number(t1, where, "t1")
      f1, phi = number(f1, where, "f1"), number(phi, where, "phi", 0)
      method = method == nil and "linear" or method
      local sweep = SWEEPS[METHODS[method] or method]
      if not sweep then
        core.not_among(where, "method", '"linear", "quadratic", "logarithmic" or "hyperbolic"', method)
      end
      if sweep == SWEEPS.logarithmic and f0 * f1 <= 0 then
        core.raise(where, "usage", "a logarithmic sweep needs f0 and f1 of one sign, other than 0")
      end
      if sweep == SWEEPS.hyperbolic and (f0 == 0 or f1 == 0) then
        core.raise(where, "usage", "a hyperbolic sweep needs f0 and f1 other than 0")
      end
      local turns = sweep(t, f0, t1, f1, core.boolean(vertex_zero, where, "vertex_zero", true))
      return cp.cos(2 * math.pi * turns + math.rad(phi))
    end)

  --- A sine with a Gaussian envelope: the in-phase part, then, if requested, the quadrature part and the
  --- envelope.
  ---@param t any  times
  ---@param fc? number  the frequency; default 1000
  ---@param bw? number  bandwidth as a fraction of fc; default 0.5
  ---@param bwr? number  the level at which the bandwidth is measured, in decibels; default -6
  ---@param tpr? number  for t = "cutoff": the level of the time to return, in decibels; default -60
  ---@param retquad? boolean
  ---@param retenv? boolean
  ---@return any ...
  publish("gausspulse", "t, fc, bw, bwr, tpr, retquad, retenv", 1,
    function(where, t, fc, bw, bwr, tpr, retquad, retenv)
      fc, bw = number(fc, where, "fc", 1000), number(bw, where, "bw", 0.5)
      bwr = number(bwr, where, "bwr", -6)
      if fc < 0 or bw <= 0 or bwr >= 0 then
        core.raise(where, "usage", "fc must not be negative, bw must be above 0, and bwr below 0")
      end
      local a = -(math.pi * fc * bw) ^ 2 / (4 * math.log(10 ^ (bwr / 20)))
      if t == "cutoff" then
        tpr = number(tpr, where, "tpr", -60)
        if tpr >= 0 then core.raise(where, "usage", "tpr must be below 0") end
        return math.sqrt(-math.log(10 ^ (tpr / 20)) / a)
      end
      t = floating(where, t)
      local bell = cp.exp(-a * cp.square(t))
      local results = { bell * cp.cos(2 * math.pi * fc * t) }
      if core.boolean(retquad, where, "retquad", false) then
        results[#results + 1] = bell * cp.sin(2 * math.pi * fc * t)
      end
      if core.boolean(retenv, where, "retenv", false) then results[#results + 1] = bell end
      return unpack(results)
    end)

  --- A cosine whose frequency is a polynomial of time.
  ---@param t any  times
  ---@param poly any  the polynomial: coefficients, highest power first, or a poly1d
  ---@param phi? number  the phase in degrees; default 0
  ---@return any  floating array
  publish("sweep_poly", "t, poly, phi", 2, function(where, t, poly, phi)
    t, phi = floating(where, t), number(phi, where, "phi", 0)
    return cp.cos(2 * math.pi * cp.polyval(cp.polyint(poly), t) + phi * math.pi / 180)
  end)

  --- A unit impulse: zeros with a single one.
  ---@param shape any
  ---@param idx? any  the position of the one, from 1: a number for all axes, a table, or "mid"; default: the
  --- first
  ---@param dtype? string
  ---@return any
  publish("unit_impulse", "shape, idx, dtype", 1, function(where, shape, idx, dtype)
    local out = cp.zeros(core.shape(shape, where, "shape"), { dtype = dtype or "float64" })
    local at = {}
    for d, n in ipairs(out.shape) do
      if idx == "mid" then
        at[d] = math.floor(n / 2) + 1
      else
        at[d] = core.integer(type(idx) == "table" and idx[d] or type(idx) ~= "table" and idx or nil, where, "idx", 1)
      end
    end
    out[at] = 1
    return out
  end)
end
