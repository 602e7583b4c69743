-- cp.scipy.signal: extremes along an axis, division of polynomials, pseudorandom sequences, and how events
-- keep to a period.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")

  local usage, raise_shape = core.usage, core.raise_shape

  -- ---- extremes along an axis

  local MODES = { clip = true, wrap = true }

  -- Which elements compare so with all of `order` neighbours on both sides.
  local function extreme(where, x, comparator, axis, order, mode)
    if x.ndim == 0 then raise_shape(where, "data must have at least one axis") end
    axis, order = core.axis(axis, where, "axis", x.ndim, 1), core.integer(order, where, "order", 1)
    if order < 1 then usage(where, "order must be above 0") end
    mode = mode == nil and "clip" or mode
    if not MODES[mode] then core.not_among(where, "mode", '"clip" or "wrap"', mode) end
    local n = core.extent(x, axis)
    local at = cp.arange(n, { dtype = "int64", device = x.device })
    local found = cp.ones(x.shape, { dtype = "bool", device = x.device })
    if x.size == 0 then return found end
    local function neighbour(shift)
      local k = at + shift
      return cp.take(x, (mode == "clip" and cp.clip(k, 0, n - 1) or cp.mod(k, n)) + 1, axis)
    end
    for shift = 1, order do
      core.check_interrupt(where)
      local beside = comparator(x, neighbour(shift))
      found = cp.logical_and(found, cp.logical_and(beside, comparator(x, neighbour(-shift)))):eval()
    end
    return found
  end

  local function define(name, comparator)
    publish(name, "data, axis, order, mode", 1, function(where, data, axis, order, mode)
      return cp.nonzero(extreme(where, core.as_array(data, where, "data"), comparator, axis, order, mode))
    end)
  end

  define("argrelmin", cp.less)
  define("argrelmax", cp.greater)

  --- Where elements compare with their neighbours along an axis in a way.
  ---@param data any
  ---@param comparator function  of two arrays, such as cp.greater_equal
  ---@param axis? integer  default: the first
  ---@param order? integer  how many neighbours on both sides; default 1
  ---@param mode? string  what lies beyond the ends: "clip" (default): the outermost element, "wrap"
  ---@return table  for each axis a vector of positions, as from nonzero
  publish("argrelextrema", "data, comparator, axis, order, mode", 2,
    function(where, data, comparator, axis, order, mode)
      comparator = core.callable(comparator, where, "comparator")
      return cp.nonzero(extreme(where, core.as_array(data, where, "data"), comparator, axis, order, mode))
    end)

  -- ---- polynomials

  local function vector(where, v, argument)
    local x = cp.atleast_1d(type(v) == "number" and cp.array(v) or core.as_array(v, where, argument))
    if x.ndim ~= 1 or #x == 0 then
      raise_shape(where, argument .. " must be a vector with at least one element, not of shape " .. tostring(x.shape))
    end
    return x
  end

  --- Divides one vector by another as polynomials: what convolved with the divisor, plus a remainder, is the
  --- signal.
  ---@param signal any
  ---@param divisor any
  ---@return any quotient
  ---@return any remainder
  publish("deconvolve", "signal, divisor", 2, function(where, x, divisor)
    local num, den = vector(where, x, "signal"), vector(where, divisor, "divisor")
    den = core.beside(where, num, den, "divisor")
    if #den > #num then return cp.zeros({ 0 }, { dtype = "float64", device = num.device }), num end
    local impulse = cp.zeros({ #num - #den + 1 }, { dtype = "float64", device = num.device })
    impulse[1] = 1
    local quotient = signal.lfilter(num, den, impulse)
    return quotient, num - signal.convolve(den, quotient, "full")
  end)

  -- ---- maximum length sequences

  local TAPS = { [2] = { 1 }, [3] = { 2 }, [4] = { 3 }, [5] = { 3 }, [6] = { 5 }, [7] = { 6 }, [8] = { 7, 6, 1 },
    [9] = { 5 }, [10] = { 7 }, [11] = { 9 }, [12] = { 11, 10, 4 }, [13] = { 12, 11, 8 }, [14] = { 13, 12, 2 },
    [15] = { 14 }, [16] = { 15, 13, 4 }, [17] = { 14 }, [18] = { 11 }, [19] = { 18, 17, 14 }, [20] = { 17 },
    [21] = { 19 }, [22] = { 21 }, [23] = { 18 }, [24] = { 23, 22, 17 }, [25] = { 22 }, [26] = { 25, 24, 20 },
    [27] = { 26, 25, 22 }, [28] = { 25 }, [29] = { 27 }, [30] = { 29, 28, 7 }, [31] = { 28 }, [32] = { 31, 30, 10 } }

  local function taps_of(where, taps, nbits)
    if taps == nil then
      return TAPS[nbits] or usage(where, string.format("nbits must be from 2 to 32 without taps, but is %d", nbits))
    end
    local list, is_there = {}, {}
    for _, v in ipairs(core.coefficients(where, taps, "taps")) do
      v = core.integer(v, where, "taps")
      if v < 0 or v > nbits then usage(where, string.format("taps must be from 0 to nbits, but one is %d", v)) end
      if not is_there[v] then list[#list + 1], is_there[v] = v, true end
    end
    return list
  end

  local function state_of(where, state, nbits)
    local list, any = {}, false
    if state ~= nil then state = core.as_array(state, where, "state"):astype("bool"):totable() end
    if type(state) == "boolean" or state and #state ~= nbits then
      raise_shape(where, string.format("state must be a vector of %d elements", nbits))
    end
    for k = 1, nbits do
      list[k] = (state == nil or state[k]) and 1 or 0
      any = any or list[k] == 1
    end
    if not any then usage(where, "state must have an element that is not 0") end
    return list
  end

  --- A maximum length sequence: zeros and ones that a shift register with feedback gives, without a period
  --- shorter than 2^nbits - 1.
  ---@param nbits integer  the length of the register
  ---@param state? any  what is in it; default ones
  ---@param length? integer  of the sequence; default 2^nbits - 1
  ---@param taps? any  from where in the register the feedback comes
  ---@return any seq  int8
  ---@return any state  what is in the register then
  publish("max_len_seq", "nbits, state, length, taps", 1, function(where, nbits, state, length, taps)
    nbits = core.integer(nbits, where, "nbits", nil, 1, 64)
    taps = taps_of(where, taps, nbits)
    length = core.integer(length, where, "length", 2 ^ nbits - 1)
    if length < 0 then usage(where, "length must not be negative") end
    if length > 2 ^ 28 then usage(where, string.format("a sequence has at most 2^28 elements, not %.0f", length)) end
    local register, out, at = state_of(where, state, nbits), {}, 0
    for k = 1, length do
      if k % 65536 == 0 then core.check_interrupt(where) end
      local bit = register[at + 1]
      out[k] = bit
      for _, tap in ipairs(taps) do bit = bit ~= register[(tap + at) % nbits + 1] and 1 or 0 end
      register[at + 1] = bit
      at = (at + 1) % nbits
    end
    local after = {}
    for k = 1, nbits do after[k] = register[(at + k - 1) % nbits + 1] end
    return #out > 0 and cp.array(out, "int8") or cp.zeros({ 0 }, "int8"), cp.array(after, "int8")
  end)

  -- ---- events

  --- How well events keep to a period: the mean of unit vectors at their phases.
  ---@param events any  times: a vector or a number
  ---@param period any  above 0: a number, or a vector of several
  ---@return any strength  0 to 1: a number, or a vector
  ---@return any phase  of the mean, in radians
  publish("vectorstrength", "events, period", 2, function(where, events, period)
    local function taken(v, argument)
      local x = type(v) == "number" and cp.array(v) or core.as_array(v, where, argument)
      if x.ndim > 1 then raise_shape(where, argument .. " must be a vector, not of shape " .. tostring(x.shape)) end
      return x
    end
    local times, periods = taken(events, "events"), taken(period, "period")
    local alone = periods.ndim == 0
    if core.kind(periods) ~= "f" then periods = periods:astype "float64" end
    if cp.any(periods:le(0)) then usage(where, "period must be above 0") end
    times = cp.atleast_1d(core.beside(where, periods, times, "events"):astype(periods.dtype))
    local turns = cp.expand_dims(2 * cp.pi / cp.atleast_1d(periods), 2) * times
    local mean = cp.exp(turns * cp.j):mean(2)
    local strength, phase = cp.abs(mean), cp.angle(mean)
    if alone then return strength[1], phase[1] end
    return strength, phase
  end)

  -- ---- windows of spectra

  -- The sums of the windows f(window), each moved by nperseg - noverlap.
  local function sums_of(where, window, nperseg, noverlap, f)
    nperseg, noverlap = core.integer(nperseg, where, "nperseg"), core.integer(noverlap, where, "noverlap")
    if nperseg < 1 then usage(where, "nperseg must be above 0") end
    if noverlap >= nperseg then usage(where, "noverlap must be less than nperseg") end
    local named = type(window) == "string" or type(window) == "table" and type(window[1]) == "string"
    local w = named and signal.get_window(window, nperseg) or core.as_array(window, where, "window")
    if w.ndim ~= 1 or #w ~= nperseg then
      raise_shape(where, string.format("window must have %d elements, not shape %s", nperseg, tostring(w.shape)))
    end
    w = f(w):astype("float64", false)
    local step, count = nperseg - noverlap, math.floor(nperseg / (nperseg - noverlap))
    local sums = cp.zeros({ step }, { device = w.device })
    for k = 0, count - 1 do sums = sums + core.slice(w, 1, k * step + 1, (k + 1) * step) end
    local rest = nperseg - count * step
    if rest > 0 then
      local last = core.slice(w, 1, nperseg - rest + 1, nperseg)
      sums = sums + cp.concatenate { last, cp.zeros({ step - rest }, { device = w.device }) }
    end
    return sums
  end

  --- Whether overlapping windows add up to a constant, so that stft with them can be inverted.
  ---@param window any  as of get_window, or a vector
  ---@param nperseg integer  its length
  ---@param noverlap integer
  ---@param tol? number  default 1e-10
  ---@return boolean
  publish("check_COLA", "window, nperseg, noverlap, tol", 3, function(where, window, nperseg, noverlap, tol)
    local sums = sums_of(where, window, nperseg, noverlap, function(w) return w end)
    return cp.abs(sums - cp.median(sums)):max():item() < core.number(tol, where, "tol", 1e-10)
  end)

  --- Whether the squares of overlapping windows add up to more than 0 everywhere, so that istft with them is
  --- possible.
  ---@param window any  as of get_window, or a vector
  ---@param nperseg integer  its length
  ---@param noverlap integer
  ---@param tol? number  default 1e-10
  ---@return boolean
  publish("check_NOLA", "window, nperseg, noverlap, tol", 3, function(where, window, nperseg, noverlap, tol)
    if type(noverlap) == "number" and noverlap < 0 then usage(where, "noverlap must not be negative") end
    local sums = sums_of(where, window, nperseg, noverlap, cp.square)
    return sums:min():item() > core.number(tol, where, "tol", 1e-10)
  end)
end
