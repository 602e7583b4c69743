-- cp.scipy.signal: resampling by Fourier transforms (resample), or by filtering a signal with zeros inserted
-- (`up` times as many elements) and keeping every `down`-th result (upfirdn and functions based on it). The
-- zeros are never stored: each of the `up` positions between two elements has a filter of its own.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local slice = core.slice
  local floor, ceil = math.floor, math.ceil

  local usage, raise_shape = core.usage, core.raise_shape

  local WIDE = { float16 = "float32", bfloat16 = "float32", float32 = "float32", complex64 = "complex64",
    complex128 = "complex128" }

  local function floating(x) return x:astype(WIDE[x.dtype] or "float64", false) end

  -- x with its axis last, and the index of that axis.
  local function take(where, x, axis, missing)
    x = core.as_array(x, where, "x")
    if x.ndim == 0 then raise_shape(where, "x must have at least one axis") end
    local d = core.axis(axis, where, "axis", x.ndim, missing or x.ndim)
    return d == x.ndim and x or cp.moveaxis(x, d, -1), d
  end

  local function back(y, axis) return axis == y.ndim and y or cp.moveaxis(y, -1, axis):copy() end

  local function positive(where, v, argument, missing)
    v = core.integer(v, where, argument, missing)
    if v < 1 then usage(where, string.format("%s must be 1 or more, but is %d", argument, v)) end
    return v
  end

  local function common_divisor(a, b)
    while b > 0 do a, b = b, a % b end
    return a
  end

  local function last(x, first, behind, step) return slice(x, x.ndim, first, behind, step or 1) end

  local function shape_with(x, ...)
    local shape = {}
    for d = 1, x.ndim - 1 do shape[d] = core.extent(x, d) end
    for _, n in ipairs { ... } do shape[#shape + 1] = n end
    return shape
  end

  -- Zeros of x's shape with n elements along the last axis.
  local function zeros(x, n) return cp.zeros(shape_with(x, n), { dtype = x.dtype, device = x.device }) end

  -- ---- filters

  -- The full convolution of the last axis with a vector.
  local function convolved(where, x, h)
    local ones = {}
    for d = 1, x.ndim do ones[d] = 1 end
    ones[x.ndim] = h.size
    return core.slide(where, x, h:reshape(ones), "full", "none", nil, false, 0)
  end

  -- x with up - 1 zeros after each element, filtered by h. Results beyond the end of the filter are zeros.
  local function through(where, x, h, up)
    if up == 1 then return convolved(where, x, h) end
    local n, m = core.extent(x, -1), h.size
    local count = n + ceil(m / up) - 1
    local y = cp.zeros(shape_with(x, count, up), { dtype = x.dtype, device = x.device })
    for phase = 1, math.min(up, m) do
      local part = convolved(where, x, h[{ { phase, phase + floor((m - phase) / up) * up, up } }])
      local place = slice(slice(y, y.ndim, phase, phase), y.ndim - 1, 1, core.extent(part, -1))
      core.write(where, place, part:reshape(shape_with(part, core.extent(part, -1), 1)))
    end
    return y:reshape(shape_with(x, count * up))
  end

  -- What lies beyond the ends of a signal: a mode and a type of reflection of cp.pad, or a slope.
  local EXTENSIONS = { constant = { "constant" }, symmetric = { "symmetric" }, antisymmetric = { "symmetric" },
    reflect = { "reflect" }, antireflect = { "reflect", "odd" }, edge = { "edge" }, wrap = { "wrap" }, line = {},
    smooth = {} }
  local MODES = '"constant", "symmetric", "antisymmetric", "reflect", "antireflect", "edge", "wrap", "line"'

  -- The steps from each element to the next before and after the last axis.
  local function slopes(x, mode)
    local n = core.extent(x, -1)
    local function element(k) return last(x, k, k) end
    if mode == "smooth" then return element(2) - element(1), element(n) - element(n - 1) end
    local slope = (element(n) - element(1)) / (n - 1)
    return slope, slope
  end

  -- Signs that change from one copy of the signal to the next.
  local function signs(n, count, x)
    local k = cp.arange(-count, n + count, { dtype = "int64", device = x.device })
    return (1 - 2 * (cp.floor_divide(k, n) % 2)):astype(x.dtype)
  end

  -- x with `count` more elements at both ends of its last axis.
  local function extended(x, count, mode, cval)
    local n, kind, widths = core.extent(x, -1), EXTENSIONS[mode], {}
    for d = 1, x.ndim do widths[d] = d == x.ndim and { count, count } or { 0, 0 } end
    if n == 1 and mode ~= "constant" and mode ~= "antisymmetric" then kind = EXTENSIONS.edge end
    if #kind == 0 then
      local before, after = slopes(x, mode)
      local far = cp.arange(1, count + 1, { dtype = core.real_dtype(x.dtype), device = x.device })
      return cp.concatenate({ last(x, 1, 1) - before * cp.flip(far), x, last(x, n, n) + after * far }, x.ndim)
    end
    local y = cp.pad(x, widths, { mode = kind[1], reflect_type = kind[2],
      constant_values = kind[1] == "constant" and cval or nil })
    return mode == "antisymmetric" and y * signs(n, count, x) or y
  end

  -- How many elements beyond an end the first or last result needs.
  local function reach(h, up) return ceil((h.size - 1) / up) end

  -- h and x in the dtype of the result, on x's device; h is a vector with at least one element. A table of
  -- numbers takes the dtype of a floating x.
  local function filter_of(where, h, x, argument)
    local given = cp.is_array(h)
    h = core.beside(where, x, h, argument)
    if h.ndim ~= 1 or h.size == 0 then
      raise_shape(where, string.format("%s must be a vector with at least one element, not of shape %s", argument,
        tostring(h.shape)))
    end
    local dtype = given and cp.promote_types(cp.promote_types(x, "float32"), h) or WIDE[x.dtype] or "float64"
    if core.kind(h) == "c" then dtype = cp.promote_types(dtype, "complex64") end
    return h:astype(dtype, false), x:astype(dtype, false)
  end

  --- Inserts up - 1 zeros after each element of x, applies the filter h, and keeps every down-th result.
  ---@param h any  a vector
  ---@param x any
  ---@param up? integer  default 1
  ---@param down? integer  default 1
  ---@param axis? integer  default: the last
  ---@param mode? string  the values beyond the ends: "constant" (default): cval, "symmetric",
  --- "antisymmetric", "reflect", "antireflect", "edge", "wrap", "line": of the line through both ends, or
  --- "smooth": of that through the last two elements
  ---@param cval? number  default 0
  ---@return any  floating array
  publish("upfirdn", "h, x, up, down, axis, mode, cval", 2, function(where, h, x, up, down, axis, mode, cval)
    local d
    x, d = take(where, x, axis)
    h, x = filter_of(where, h, x, "h")
    up, down = positive(where, up, "up", 1), positive(where, down, "down", 1)
    mode, cval = mode == nil and "constant" or mode, core.number(cval, where, "cval", 0)
    if not EXTENSIONS[mode] then core.not_among(where, "mode", MODES .. ' or "smooth"', mode) end
    local length, more = (core.extent(x, -1) - 1) * up + h.size, 0
    if x.size == 0 then return back(zeros(x, math.max(0, floor((length - 1) / down) + 1)), d) end
    if mode ~= "constant" or cval ~= 0 then
      more = reach(h, up)
      x = extended(x, more, mode, cval)
    end
    local y = through(where, x, h, up)
    if core.extent(y, -1) > length or down > 1 then
      local first = more * up + 1
      y = last(y, first, first + floor((length - 1) / down) * down, down):copy()
    end
    return back(y, d)
  end)

  -- The result for an infinite signal of ones: count results, every step-th one from `first`. There are `up`
  -- different ones.
  local function of_ones(h, up, first, count, step)
    local wide = cp.zeros({ ceil(h.size / up) * up }, { dtype = h.dtype, device = h.device })
    core.write("scipy.signal.resample_poly", wide[{ { 1, h.size } }], h)
    local k = (cp.arange(count, { dtype = "int64", device = h.device }) * step + first) % up + 1
    return cp.take(wide:reshape({ wide.size / up, up }):sum(1), k)
  end

  local LEVELS = { mean = "mean", median = "median", maximum = "max", minimum = "min" }

  -- The filter of resample_poly, whose centre is the element half + 1.
  local function low_pass(where, window, up, down, x)
    if type(window) == "string" or type(window) == "table" and type(window[1]) == "string" then
      local widest = math.max(up, down)
      local h = signal.firwin(20 * widest + 1, 1 / widest, { window = window })
      x = floating(x)
      return filter_of(where, h:to(x.device):astype(core.real_dtype(x.dtype)), x, "window")
    end
    return filter_of(where, window, x, "window")
  end

  --- Resamples x to up / down times its sampling rate, with a low-pass filter for frequencies that both rates
  --- can represent.
  ---@param x any
  ---@param up integer
  ---@param down integer
  ---@param axis? integer  default: the first
  ---@param window? any  the window of the filter, as for get_window, or the filter itself; default {
  --- "kaiser", 5 }
  ---@param padtype? string  the values beyond the ends: "constant" (default): cval, "mean", "median",
  --- "maximum", "minimum" of the axis, or another mode of upfirdn
  ---@param cval? number  default 0
  ---@return any  floating array
  publish("resample_poly", "x, up, down, axis, window, padtype, cval", 3,
    function(where, x, up, down, axis, window, padtype, cval)
      local d
      x, d = take(where, x, axis, 1)
      up, down = positive(where, up, "up"), positive(where, down, "down")
      padtype = padtype == nil and "constant" or padtype
      if not EXTENSIONS[padtype] and not LEVELS[padtype] then
        core.not_among(where, "padtype", MODES .. ', "smooth", "mean", "median", "maximum" or "minimum"', padtype)
      end
      if cval ~= nil and padtype ~= "constant" then usage(where, 'cval is only for padtype "constant"') end
      local common = common_divisor(up, down)
      up, down = up / common, down / common
      if up == 1 and down == 1 then return back(x:copy(), d) end
      local n = core.extent(x, -1)
      local h
      h, x = low_pass(where, window == nil and { "kaiser", 5 } or window, up, down, x)
      local half, count = floor((h.size - 1) / 2), ceil(n * up / down)
      if x.size == 0 then return back(zeros(x, count), d) end
      local level = LEVELS[padtype] and cp[LEVELS[padtype]](x, { axis = -1, keepdims = true }) or cval or 0
      local flat = level == 0
      h = (h * up):eval()
      if flat and padtype ~= "constant" then
        local more = reach(h, up)
        x, half = extended(x, more, padtype), half + more * up
      end
      local y = through(where, flat and x or x - level, h, up)
      local behind = half + (count - 1) * down + 1
      if behind > core.extent(y, -1) then -- for a filter that ends earlier
        local widths = {}
        for k = 1, y.ndim do widths[k] = { 0, k == y.ndim and behind - core.extent(y, k) or 0 } end
        y = cp.pad(y, widths)
      end
      y = last(y, half + 1, behind, down)
      if flat then return back(y:copy(), d) end
      return back(padtype == "constant" and y + level * of_ones(h, up, half, count, down) or y + level, d)
    end)

  -- The dtypes that `decimate` filters in as they are: recursive filters keep few digits of half types.
  local NARROW = { float32 = "float32", complex64 = "complex64", complex128 = "complex128" }

  --- Downsamples a signal by the factor q after a low-pass filter.
  ---@param x any
  ---@param q integer
  ---@param n? integer  order of the filter; default 8, for "fir" 20 q
  ---@param ftype? string  "iir" (default): a Chebyshev filter, or "fir": with a Hamming window
  ---@param axis? integer  default: the last
  ---@param zero_phase? boolean  whether to avoid a phase shift; default true
  ---@return any  floating array
  publish("decimate", "x, q, n, ftype, axis, zero_phase", 2, function(where, x, q, n, ftype, axis, zero_phase)
    local d
    x, d = take(where, x, axis)
    q = positive(where, q, "q")
    x = x:astype(NARROW[x.dtype] or "float64", false)
    zero_phase = core.boolean(zero_phase, where, "zero_phase", true)
    if x.size == 0 then raise_shape(where, "x must not be empty") end
    local length = core.extent(x, -1)
    if ftype == nil or ftype == "iir" then
      local sos = signal.cheby1(positive(where, n, "n", 8), 0.05, 0.8 / q, { output = "sos" })
      sos = sos:astype(core.real_dtype(x.dtype))
      local y = zero_phase and signal.sosfiltfilt(sos, x) or signal.sosfilt(sos, x)
      return back(last(y, 1, length, q):copy(), d)
    end
    if ftype ~= "fir" then core.not_among(where, "ftype", '"iir" or "fir"', ftype) end
    local h = signal.firwin(positive(where, n, "n", 20 * q) + 1, 1 / q)
    h = h:to(x.device):astype(x.dtype)
    if zero_phase then return back(signal.resample_poly(x, 1, q, -1, h), d) end
    return back(last(convolved(where, x, h), 1, length, q):copy(), d)
  end)

  -- ---- transforms

  -- The factors of a spectrum of n frequencies, or nil.
  local function weights_of(where, window, n, like)
    if window == nil then return nil end
    local w
    if type(window) == "function" then
      w = core.callable(window, where, "window")(cp.fft.fftfreq(n):to(like.device))
    elseif type(window) == "string" or type(window) == "table" and type(window[1]) == "string" then
      w = cp.fft.fftshift(signal.get_window(window, n))
    else
      w = core.as_array(window, where, "window")
    end
    if not cp.is_array(w) or w.ndim ~= 1 or w.size ~= n then
      raise_shape(where, string.format("window must have as many elements as the signal, %d", n))
    end
    return w:to(like.device):astype(core.real_dtype(like.dtype), false)
  end

  -- Multiplies element k of the last axis, from 1.
  local function scale_at(where, y, k, factor)
    local place = last(y, k, k)
    core.write(where, place, place * factor)
  end

  local function real_resampled(where, x, num, w)
    local n = core.extent(x, -1)
    local m, X = math.min(num, n), cp.fft.rfft(x)
    if w then
      local count = core.extent(X, -1)
      local mirrored = cp.roll(w[{ { n, 1, -1 } }], 1) -- the frequency -f
      X = X * ((w + mirrored) * 0.5)[{ { 1, count } }]
    end
    local half = floor(m / 2)
    X = last(X, 1, half + 1) * (num / n)
    if m % 2 == 0 and num ~= n then scale_at(where, X, half + 1, num < n and 2 or 0.5) end
    return cp.fft.irfft(X, num)
  end

  -- X: the spectrum of the last axis.
  local function complex_resampled(where, X, num, w)
    local n = core.extent(X, -1)
    local m = math.min(num, n)
    if w then X = X * w end
    X = (X * (num / n)):eval()
    local half = floor(m / 2)
    local Y = cp.zeros(shape_with(X, num), { dtype = X.dtype, device = X.device })
    core.write(where, last(Y, 1, half + 1), last(X, 1, half + 1))
    local rest = m - half - 1
    if rest > 0 then core.write(where, last(Y, num - rest + 1, num), last(X, n - rest + 1, n)) end
    if m % 2 == 0 and num < n then -- the frequency that is both plus and minus half the rate
      local place = last(Y, half + 1, half + 1)
      core.write(where, place, last(X, half + 1, half + 1) + last(X, n - half + 1, n - half + 1))
    elseif m % 2 == 0 and num > n then
      scale_at(where, Y, half + 1, 0.5)
      core.write(where, last(Y, num - half + 1, num - half + 1), last(Y, half + 1, half + 1))
    end
    return cp.fft.ifft(Y)
  end

  --- Resamples x to num elements by its Fourier transform, as if it were periodic.
  ---@param x any
  ---@param num integer
  ---@param t? any  the times of x's elements; the new times are then a second result
  ---@param axis? integer  default: the first
  ---@param window? any  factors for the frequencies: as for get_window, its values, or a function of the
  --- frequencies, in the order of fftfreq
  ---@param domain? string  "time" (default), or "freq": x is the Fourier transform of the signal
  ---@return any  floating array
  ---@return any  times, if t is given
  publish("resample", "x, num, t, axis, window, domain", 2, function(where, x, num, t, axis, window, domain)
    local d
    x, d = take(where, x, axis, 1)
    x, num = floating(x), positive(where, num, "num")
    local n = core.extent(x, -1)
    if n == 0 then raise_shape(where, "x must have elements along the axis") end
    if domain ~= nil and domain ~= "time" and domain ~= "freq" then
      core.not_among(where, "domain", '"time" or "freq"', domain)
    end
    local w = weights_of(where, window, n, x)
    local y
    if domain == "freq" then x = x:astype(core.complexed(x.dtype), false) end
    if x.size == 0 then
      y = zeros(x, num)
    elseif core.kind(x) == "c" then
      y = complex_resampled(where, domain == "freq" and x or cp.fft.fft(x), num, w)
    else
      y = real_resampled(where, x, num, w)
    end
    y = back(y, d)
    if t == nil then return y end
    t = core.as_array(t, where, "t")
    if t.ndim ~= 1 or t.size < 2 then raise_shape(where, "t must be a vector of at least two elements") end
    local step = (t[2] - t[1]) * (n / num)
    return y, cp.arange(num, { dtype = "float64", device = t.device }) * step + t[1]
  end)
end
