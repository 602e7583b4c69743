-- cp.scipy.signal: the lowest orders of filters with feedback that satisfy given bands.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local prototypes = require "cupola.scipy.signal.prototypes"

  local number, usage = core.number, core.usage
  local complete, cosh, ripple = prototypes.complete, prototypes.cosh, prototypes.ripple

  local function acosh(x) return math.log(x + math.sqrt(x * x - 1)) end

  -- ---- orders, not yet whole, for the width `nat` of a transition

  local ORDERS = {}

  function ORDERS.butter(nat, gpass, gstop) return math.log(ripple(gstop) / ripple(gpass)) / (2 * math.log(nat)) end

  function ORDERS.cheby(nat, gpass, gstop) return acosh(math.sqrt(ripple(gstop) / ripple(gpass))) / acosh(nat) end

  function ORDERS.ellip(nat, gpass, gstop)
    local ratio, square = ripple(gpass) / ripple(gstop), 1 / (nat * nat)
    return complete(1 - square) * complete(ratio) / (complete(square) * complete(1 - ratio))
  end

  local FAMILY = { butter = "butter", cheby1 = "cheby", cheby2 = "cheby", ellip = "ellip" }

  -- ---- bandstop filters

  local function transition(passb, stopb)
    local least = math.huge
    for _, s in ipairs(stopb) do
      local nat = math.abs(s * (passb[1] - passb[2]) / (s * s - passb[1] * passb[2]))
      if nat < least or nat ~= nat then least = nat end
    end
    return least
  end

  -- The order with one edge of the passband at wp.
  local function order_at(wp, ind, passb, stopb, gpass, gstop, family)
    local edges = { passb[1], passb[2] }
    edges[ind] = wp
    return ORDERS[family](transition(edges, stopb), gpass, gstop)
  end

  local GOLDEN = 0.5 * (3 - math.sqrt(5))

  -- The step to the lowest point of the parabola through three points; nil if it is no better than a golden
  -- section. m: x the best point and its value fx, w and v those before it; a and b the bounds.
  local function parabolic_step(m, last)
    local r = (m.x - m.w) * (m.fx - m.fv)
    local q = (m.x - m.v) * (m.fx - m.fw)
    local p = (m.x - m.v) * q - (m.x - m.w) * r
    q = 2 * (q - r)
    if q > 0 then p = -p end
    q = math.abs(q)
    if math.abs(p) < math.abs(0.5 * q * last) and p > q * (m.a - m.x) and p < q * (m.b - m.x) then return p / q end
  end

  -- Takes the value fu at u into account.
  local function narrowed(m, u, fu)
    if fu <= m.fx then
      if u >= m.x then m.a = m.x else m.b = m.x end
      m.v, m.fv, m.w, m.fw, m.x, m.fx = m.w, m.fw, m.x, m.fx, u, fu
      return
    end
    if u < m.x then m.a = u else m.b = u end
    if fu <= m.fw or m.w == m.x then
      m.v, m.fv, m.w, m.fw = m.w, m.fw, u, fu
    elseif fu <= m.fv or m.v == m.x or m.v == m.w then
      m.v, m.fv = u, fu
    end
  end

  -- The least value of f between a and b, by Brent's method, with the steps and the tolerance of SciPy.
  local function least_between(f, a, b)
    local x = a + GOLDEN * (b - a)
    local m = { a = a, b = b, x = x, fx = f(x), w = x, v = x }
    m.fw, m.fv = m.fx, m.fx
    local step, last = 0, 0
    for _ = 1, 500 do
      local middle = 0.5 * (m.a + m.b)
      local tol = math.sqrt(2.2e-16) * math.abs(m.x) + 1e-5 / 3
      if math.abs(m.x - middle) <= 2 * tol - 0.5 * (m.b - m.a) then break end
      local next_step
      if math.abs(last) > tol then
        next_step = parabolic_step(m, last)
        last = step
        if next_step and (m.x + next_step - m.a < 2 * tol or m.b - m.x - next_step < 2 * tol) then
          next_step = middle >= m.x and tol or -tol
        end
      end
      if not next_step then
        last = m.x >= middle and m.a - m.x or m.b - m.x
        next_step = GOLDEN * last
      end
      step = next_step
      local u = m.x + (step < 0 and -1 or 1) * math.max(math.abs(step), tol)
      narrowed(m, u, f(u))
    end
    return m.x
  end

  -- ---- edges

  -- The width of the transition and the edges of the passband, which a bandstop filter's order is lowest for.
  local function width_of(where, band, passb, stopb, gpass, gstop, family)
    if band == "lowpass" then return stopb[1] / passb[1], passb end
    if band == "highpass" then return passb[1] / stopb[1], passb end
    if band == "bandpass" then
      local least = math.huge
      for _, s in ipairs(stopb) do
        least = math.min(least, math.abs((s * s - passb[1] * passb[2]) / (s * (passb[1] - passb[2]))))
      end
      return least, passb
    end
    local function least(ind, edges, from, to)
      if from > to then usage(where, "the stopband must lie inside the passband") end
      return least_between(function(w) return order_at(w, ind, edges, stopb, gpass, gstop, family) end, from, to)
    end
    local low = least(1, passb, passb[1], stopb[1] - 1e-12)
    local high = least(2, passb, stopb[2] + 1e-12, passb[2])
    passb = { low, high }
    return transition(passb, stopb), passb
  end

  -- Where a Butterworth filter of order N begins to lose 3 decibels.
  local function butter_edges(N, band, passb, gpass)
    local w = ripple(gpass) ^ (-1 / (2 * N))
    if N == 0 then w = 1 end
    if band == "lowpass" then return { w * passb[1] } end
    if band == "highpass" then return { passb[1] / w } end
    local wide, product = passb[2] - passb[1], passb[1] * passb[2]
    local one, other
    if band == "bandstop" then
      local root = math.sqrt(wide * wide + 4 * w * w * product)
      one, other = math.abs((wide + root) / (2 * w)), math.abs((wide - root) / (2 * w))
    else
      local root = math.sqrt(w * w / 4 * wide * wide + product)
      one, other = math.abs(w * wide / 2 + root), math.abs(-w * wide / 2 + root)
    end
    return { math.min(one, other), math.max(one, other) }
  end

  -- Where the stopband of a Chebyshev filter of type II and order N begins.
  local function cheby2_edges(N, band, passb, gpass, gstop)
    local f = 1 / cosh(acosh(math.sqrt(ripple(gstop) / ripple(gpass))) / N)
    if band == "lowpass" then return { passb[1] / f } end
    if band == "highpass" then return { passb[1] * f } end
    local by = band == "bandstop" and f or 1 / f
    local wide, product = passb[2] - passb[1], passb[1] * passb[2]
    local low = -by / 2 * wide + math.sqrt(by * by * wide * wide / 4 + product)
    return { low, product / low }
  end

  local function warped(list, analog)
    local out = {}
    for k, f in ipairs(list) do out[k] = analog and f or math.tan(math.pi * f / 2) end
    return out
  end

  -- The order of a kind of filter and its edges, for wp and ws relative to half the sampling rate.
  local function order_of(where, kind, wp, ws, gpass, gstop, analog)
    gpass, gstop = number(gpass, where, "gpass"), number(gstop, where, "gstop")
    if gpass <= 0 then usage(where, "gpass must be above 0") end
    if gpass > gstop then usage(where, "gstop must be at least gpass") end
    local band = #wp == 1 and (wp[1] < ws[1] and "lowpass" or "highpass") or wp[1] < ws[1] and "bandstop" or "bandpass"
    local family = FAMILY[kind]
    local nat, passb = width_of(where, band, warped(wp, analog), warped(ws, analog), gpass, gstop, family)
    if nat <= 1 or nat ~= nat then usage(where, "wp and ws leave no transition between them") end
    local N = math.ceil(ORDERS[family](nat, gpass, gstop))
    if kind == "butter" then
      passb = butter_edges(N, band, passb, gpass)
    elseif kind == "cheby2" then
      passb = cheby2_edges(N, band, passb, gpass, gstop)
    end
    if not analog then
      for k, w in ipairs(passb) do passb[k] = math.atan(w) * 2 / math.pi end
    end
    return N, passb
  end
  core.filter_order = order_of

  local function order_function(kind)
    return function(where, wp, ws, gpass, gstop, analog, fs)
      analog = core.boolean(analog, where, "analog", false)
      local p, s = core.band_edges(where, wp, "wp", fs, analog), core.band_edges(where, ws, "ws", fs, analog)
      if #p ~= #s or #p > 2 then
        usage(where, string.format("wp and ws must both have one or two frequencies, not %d and %d", #p, #s))
      end
      local N, edges = order_of(where, kind, p, s, gpass, gstop, analog)
      for k, w in ipairs(edges) do edges[k] = fs and w * fs / 2 or w end
      return N, edges[2] and cp.array(edges) or edges[1]
    end
  end

  --- The lowest order of a Butterworth filter that loses at most gpass decibels in the passband and at least
  --- gstop in the stopband.
  ---@param wp any  the edge of the passband, or two
  ---@param ws any  the edge of the stopband, or two
  ---@param gpass number
  ---@param gstop number
  ---@param analog? boolean  whether it is a filter for continuous time, with edges in radians per second
  ---@param fs? number  the sampling rate; default 2
  ---@return integer ord
  ---@return any wn  the cutoff frequency for butter, or a vector of two
  publish("buttord", "wp, ws, gpass, gstop, analog, fs", 4, order_function("butter"))

  --- The lowest order of a Chebyshev filter of type I, as buttord.
  ---@param wp any
  ---@param ws any
  ---@param gpass number
  ---@param gstop number
  ---@param analog? boolean
  ---@param fs? number
  ---@return integer ord
  ---@return any wn  the cutoff frequency for cheby1, or a vector of two
  publish("cheb1ord", "wp, ws, gpass, gstop, analog, fs", 4, order_function("cheby1"))

  --- The lowest order of a Chebyshev filter of type II, as buttord.
  ---@param wp any
  ---@param ws any
  ---@param gpass number
  ---@param gstop number
  ---@param analog? boolean
  ---@param fs? number
  ---@return integer ord
  ---@return any wn  the cutoff frequency for cheby2, or a vector of two
  publish("cheb2ord", "wp, ws, gpass, gstop, analog, fs", 4, order_function("cheby2"))

  --- The lowest order of an elliptic filter, as buttord.
  ---@param wp any
  ---@param ws any
  ---@param gpass number
  ---@param gstop number
  ---@param analog? boolean
  ---@param fs? number
  ---@return integer ord
  ---@return any wn  the cutoff frequency for ellip, or a vector of two
  publish("ellipord", "wp, ws, gpass, gstop, analog, fs", 4, order_function("ellip"))

  --- The order of a bandstop filter, not rounded, with one edge of the passband moved.
  ---@param wp number  the edge
  ---@param ind integer  which edge it is, 1 or 2
  ---@param passb any  two edges
  ---@param stopb any  two edges
  ---@param gpass number
  ---@param gstop number
  ---@param type string  "butter", "cheby" or "ellip"
  ---@return number
  publish("band_stop_obj", "wp, ind, passb, stopb, gpass, gstop, type", 7,
    function(where, wp, ind, passb, stopb, gpass, gstop, kind)
      wp, gpass, gstop = number(wp, where, "wp"), number(gpass, where, "gpass"), number(gstop, where, "gstop")
      ind = core.integer(ind, where, "ind", nil, 1, 2)
      if not ORDERS[kind] then core.not_among(where, "type", '"butter", "cheby" or "ellip"', kind) end
      if gpass <= 0 or gpass > gstop then usage(where, "gpass must be above 0, and gstop at least gpass") end
      local p, s = core.coefficients(where, passb, "passb"), core.coefficients(where, stopb, "stopb")
      if #p ~= 2 or #s ~= 2 then usage(where, "passb and stopb must have two edges each") end
      return order_at(wp, ind, p, s, gpass, gstop, kind)
    end)
end
