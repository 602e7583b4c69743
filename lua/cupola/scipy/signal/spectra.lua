-- cp.scipy.signal: spectra of signals in overlapping, windowed segments: power and cross spectra, and
-- transforms over time with their inverse. The segments are one strided view of the signal, so they need only
-- one transform.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local slice = core.slice
  local floor = math.floor

  local number, usage, raise_shape = core.number, core.usage, core.raise_shape

  -- ---- arguments

  local REAL = { bool = "float32", int8 = "float32", uint8 = "float32", int16 = "float32", uint16 = "float32",
    float16 = "float32", bfloat16 = "float32", float32 = "float32", complex64 = "float32" }

  local function real_of(x) return REAL[x.dtype] or "float64" end

  local function widened(x)
    local real = real_of(x)
    return x:astype(core.kind(x) == "c" and core.complexed(real) or real, false)
  end

  local function take(where, x, argument)
    x = core.as_array(x, where, argument)
    if x.ndim == 0 then raise_shape(where, argument .. " must have at least one axis") end
    return widened(x)
  end

  local function rate(where, fs)
    fs = number(fs, where, "fs", 1)
    if fs <= 0 or fs ~= fs then usage(where, string.format("fs must be above 0, but is %g", fs)) end
    return fs
  end

  local function choice(where, v, argument, missing, choices)
    if v == nil then return missing end
    for _, known in ipairs(choices) do
      if v == known then return v end
    end
    return core.not_among(where, argument, '"' .. table.concat(choices, '", "') .. '"', v)
  end

  -- A window by name, or the values of a table or vector, and its length. `most`: the longest window that
  -- fits the signal.
  local function window_of(where, o, missing, length, most, like)
    local window = o.window == nil and missing or o.window
    local named = type(window) == "string" or type(window) == "number"
      or type(window) == "table" and type(window[1]) == "string" and not cp.is_array(window)
    local n = o.nperseg ~= nil and core.integer(o.nperseg, where, "nperseg") or nil
    if n and n < 1 then usage(where, string.format("nperseg must be 1 or more, but is %d", n)) end
    local values
    if named then
      n = n or length
      if most then n = math.min(n, most) end
      values = signal.get_window(window, n)
    else
      values = core.as_array(window, where, "window")
      if values.ndim ~= 1 then
        raise_shape(where, "window must be a vector, not of shape " .. tostring(values.shape))
      end
      if n and n ~= values.size then
        raise_shape(where, string.format("window has %d elements, but nperseg is %d", values.size, n))
      end
      n = values.size
      if n == 0 or most and n > most then
        raise_shape(where, string.format("window has %d elements for %d of the signal", n, most or 0))
      end
      if core.kind(values) == "c" then core.raise(where, "dtype", "window must be real, not " .. values.dtype) end
    end
    return values:to(like.device):astype(real_of(like), false), n
  end

  -- The lengths of a segment, of the step to the next segment, and of a transform.
  local function steps_of(where, o, n, overlap)
    local noverlap = core.integer(o.noverlap, where, "noverlap", overlap or floor(n / 2))
    local nfft = core.integer(o.nfft, where, "nfft", n)
    if noverlap >= n or noverlap < 0 then
      usage(where, string.format("noverlap must be from 0 to nperseg - 1 = %d, but is %d", n - 1, noverlap))
    end
    if nfft < n then usage(where, string.format("nfft must be nperseg = %d or more, but is %d", n, nfft)) end
    return { n = n, step = n - noverlap, overlap = noverlap, nfft = nfft }
  end

  -- ---- segments

  local function shape_of(x, count)
    local shape = {}
    for d = 1, count do shape[d] = core.extent(x, d) end
    return shape
  end

  -- The segments of the last axis, as a last axis of segments and one of their elements.
  local function segments(x, cut)
    local last = x.ndim
    x = x:eval()
    local shape, strides = shape_of(x, last - 1), {}
    for d = 1, last do strides[d] = x.strides[d] end
    shape[last], shape[last + 1] = floor((core.extent(x, last) - cut.overlap) / cut.step), cut.n
    strides[last], strides[last + 1] = x.strides[last] * cut.step, x.strides[last]
    return cp.as_strided(x, shape, strides)
  end

  local function detrended(where, rows, detrend)
    if detrend == false then return rows end
    if detrend == nil then detrend = "constant" end
    if type(detrend) == "function" then return core.callable(detrend, where, "detrend")(rows) end
    choice(where, detrend, "detrend", nil, { "constant", "linear" })
    return signal.detrend(rows, -1, detrend)
  end

  -- The transforms of x's segments.
  local function transforms(where, x, window, cut, detrend, onesided)
    local rows = detrended(where, segments(x, cut), detrend) * window
    return (onesided and cp.fft.rfft or cp.fft.fft)(rows, cut.nfft)
  end

  local function frequencies(cut, fs, onesided, device)
    local f = (onesided and cp.fft.rfftfreq or cp.fft.fftfreq)(cut.nfft, 1 / fs)
    return f:to(device)
  end

  -- The factors of squares: a one-sided spectrum counts twice, except for 0 and half the rate.
  local function weights(cut, count, scale, onesided, like)
    if not onesided then return scale end
    local k = cp.arange(count, { dtype = "int64", device = like.device })
    return cp.where(k:eq(0):logical_or((2 * k):eq(cut.nfft)), scale, 2 * scale):astype(real_of(like))
  end

  local SCALINGS = { "density", "spectrum" }

  local function scale_of(where, window, fs, scaling)
    scaling = choice(where, scaling, "scaling", "density", SCALINGS)
    if scaling == "density" then return 1 / (fs * (window * window):sum()) end
    return 1 / window:sum() ^ 2
  end

  -- x zero-padded to n elements of the last axis.
  local function lengthened(x, n)
    if core.extent(x, -1) >= n then return x end
    local widths = {}
    for d = 1, x.ndim do widths[d] = { 0, d == x.ndim and n - core.extent(x, -1) or 0 } end
    return cp.pad(x, widths)
  end

  local function moved(x, axis)
    return axis == x.ndim and x or cp.moveaxis(x, axis, -1)
  end

  local function power(z) return cp.real(z) ^ 2 + cp.imag(z) ^ 2 end

  -- ---- averages over segments

  -- The factor by which the median of n squares is lower than their mean.
  local function median_bias(n)
    local bias = 1
    for k = 1, floor((n - 1) / 2) do bias = bias + 1 / (2 * k + 1) - 1 / (2 * k) end
    return bias
  end

  local function averaged(where, p, average)
    average = choice(where, average, "average", "mean", { "mean", "median" })
    local count = core.extent(p, -2)
    if average == "mean" then return p:mean(-2) end
    local function median(v) return cp.median(v, -2) end
    local m = core.kind(p) == "c" and median(cp.real(p)) + cp.j * median(cp.imag(p)) or median(p)
    return m / median_bias(count)
  end

  -- SciPy's result for signals of which one has no elements: as long as the shorter one. Their axis is last.
  local function like_empty(x, y, axis)
    local n = y and math.min(core.extent(x, -1), core.extent(y, -1))
    local shape = y and cp.broadcast_shapes(slice(x, x.ndim, 1, n).shape, slice(y, y.ndim, 1, n).shape) or x.shape
    return cp.moveaxis(cp.zeros(shape, { dtype = "float64", device = x.device }), -1, axis):copy()
  end

  -- Prepares spectra: x with its segments' axis last, the window, and how x is cut. options: nperseg: length
  -- of a segment, overlap(n): of two segments, window: the default
  local function prepared(where, x, y, o, options)
    x = take(where, x, "x")
    local axis = core.axis(o.axis, where, "axis", x.ndim, x.ndim)
    local s = { where = where, fs = rate(where, o.fs), back = axis - x.ndim - 1, detrend = o.detrend }
    if options.boundary then s.detrend = o.detrend or false end
    s.x = moved(x, axis)
    if y ~= nil then
      y = take(where, core.beside(where, x, y, "y"), "y")
      y = moved(y, core.axis(o.axis, where, "axis", y.ndim, y.ndim))
      if x.size == 0 or y.size == 0 then return { nothing = like_empty(s.x, y, o.axis or -1) } end
      local n = math.max(s.x.shape[x.ndim], core.extent(y, -1))
      s.x, s.y = lengthened(s.x, n), lengthened(y, n)
    end
    local n = s.x.shape[x.ndim]
    if s.x.size == 0 then return { nothing = like_empty(s.x, nil, axis) } end
    local dtype = s.y and cp.promote_types(s.x, s.y) or s.x.dtype
    s.like = { dtype = dtype, device = x.device }
    s.window, s.length = window_of(where, o, options.window or "hann", options.nperseg or 256, n, s.like)
    s.cut = steps_of(where, o, s.length, options.overlap and options.overlap(s.length))
    s.onesided = core.boolean(o.return_onesided, where, "return_onesided", true) and core.kind(dtype) ~= "c"
    s.f = frequencies(s.cut, s.fs, s.onesided, x.device)
    return s
  end

  local function transforms_of(s, x) return transforms(s.where, x, s.window, s.cut, s.detrend, s.onesided) end

  -- The spectrum of x, or of x and y, with frequencies in place of the axis of segments.
  local function spectrum(s, o, average)
    if s.nothing then return s.nothing end
    local X = transforms_of(s, s.x)
    local squares = s.y and cp.conj(X) * transforms_of(s, s.y) or power(X)
    local scale = scale_of(s.where, s.window, s.fs, o.scaling)
    local p = averaged(s.where, squares, average) * weights(s.cut, core.extent(X, -1), scale, s.onesided, s.like)
    return s.back == -1 and p or cp.moveaxis(p, -1, s.back):copy()
  end

  --- The power of a signal at each frequency, from one transform of the whole signal.
  ---@param x any
  ---@param fs? number  the sampling rate; default 1
  ---@param window? any  as for get_window, or its values; default "boxcar"
  ---@param nfft? integer  length of the transform; default: the signal's
  ---@param detrend? any  "constant" (default): remove the mean, "linear", false, or a function of the
  --- segments
  ---@param return_onesided? boolean  for real signals, return only frequencies from 0; default true
  ---@param scaling? string  "density" (default): power per unit of frequency, "spectrum": power
  ---@param axis? integer  default: the last
  ---@return any  frequencies
  ---@return any  power
  publish("periodogram",
    "x, fs, window, nfft, detrend, return_onesided, scaling, axis", 1,
    function(where, x, fs, window, nfft, detrend, return_onesided, scaling, axis)
      x = take(where, x, "x")
      local d = core.axis(axis, where, "axis", x.ndim, x.ndim)
      local n = core.extent(x, d)
      if nfft ~= nil then
        nfft = core.integer(nfft, where, "nfft")
        if nfft < 1 then usage(where, string.format("nfft must be 1 or more, but is %d", nfft)) end
        if nfft < n then x, n = slice(x, d, 1, nfft), nfft end
      end
      local o = { fs = fs, window = window, nperseg = n > 0 and n or nil, noverlap = 0, nfft = nfft, detrend = detrend,
        return_onesided = return_onesided, scaling = scaling, axis = axis }
      local s = prepared(where, x, nil, o, { window = "boxcar" })
      return s.f or s.nothing:copy(), spectrum(s, o)
    end)

  --- The power of a signal at each frequency, averaged over overlapping segments (Welch's method).
  ---@param x any
  ---@param fs? number  the sampling rate; default 1
  ---@param window? any  as for get_window, or its values; default "hann"
  ---@param nperseg? integer  length of a segment; default 256, or the window's
  ---@param noverlap? integer  how many elements two segments share; default: half of them
  ---@param nfft? integer  length of a transform; default nperseg
  ---@param detrend? any  "constant" (default): remove each segment's mean, "linear", false, or a function of
  --- the segments
  ---@param return_onesided? boolean  for real signals, return only frequencies from 0; default true
  ---@param scaling? string  "density" (default): power per unit of frequency, "spectrum": power
  ---@param axis? integer  default: the last
  ---@param average? string  "mean" (default) or "median"
  ---@return any  frequencies
  ---@return any  power
  publish("welch",
    "x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average", 1,
    function(where, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
      local o = { fs = fs, window = window, nperseg = nperseg, noverlap = noverlap, nfft = nfft, detrend = detrend,
        return_onesided = return_onesided, scaling = scaling, axis = axis, average = average }
      local s = prepared(where, x, nil, o, {})
      return s.f or s.nothing:copy(), spectrum(s, o, average)
    end)

  --- The cross spectrum of two signals: the mean of conj(X) * Y over the transforms of their segments. The
  --- shorter signal is zero-padded.
  ---@param x any
  ---@param y any
  ---@param fs? number  this and the following as for welch
  ---@param window? any
  ---@param nperseg? integer
  ---@param noverlap? integer
  ---@param nfft? integer
  ---@param detrend? any
  ---@param return_onesided? boolean
  ---@param scaling? string
  ---@param axis? integer
  ---@param average? string
  ---@return any  frequencies
  ---@return any  complex
  publish("csd",
    "x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average", 2,
    function(where, x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
      local o = { fs = fs, window = window, nperseg = nperseg, noverlap = noverlap, nfft = nfft, detrend = detrend,
        return_onesided = return_onesided, scaling = scaling, axis = axis, average = average }
      local s = prepared(where, x, y, o, {})
      return s.f or s.nothing:copy(), spectrum(s, o, average)
    end)

  --- The coherence of two signals at each frequency, from 0 to 1: the squared cross spectrum divided by the
  --- product of their power spectra.
  ---@param x any
  ---@param y any
  ---@param fs? number  this and the following as for welch
  ---@param window? any
  ---@param nperseg? integer
  ---@param noverlap? integer
  ---@param nfft? integer
  ---@param detrend? any
  ---@param axis? integer
  ---@return any  frequencies
  ---@return any
  publish("coherence",
    "x, y, fs, window, nperseg, noverlap, nfft, detrend, axis", 2,
    function(where, x, y, fs, window, nperseg, noverlap, nfft, detrend, axis)
      local o = { fs = fs, window = window, nperseg = nperseg, noverlap = noverlap, nfft = nfft, detrend = detrend,
        axis = axis }
      local s = prepared(where, x, y, o, {})
      if s.nothing then return s.nothing:copy(), s.nothing end
      local X, Y = transforms_of(s, s.x), transforms_of(s, s.y)
      local p = power((cp.conj(X) * Y):mean(-2)) / (power(X):mean(-2) * power(Y):mean(-2))
      return s.f, s.back == -1 and p or cp.moveaxis(p, -1, s.back):copy()
    end)

  -- ---- over time

  -- Segments along the last axis, frequencies where the signal was.
  local function over_time(s, z) return cp.moveaxis(z, -1, s.back - 1):copy() end

  -- The times of the segments' centres; `length` elements were cut, `before` of which were added at the
  -- start.
  local function times(s, length, before)
    local cut = s.cut
    local count = floor((length - cut.overlap) / cut.step)
    local first = cut.n / 2 - before
    return (cp.arange(count, { dtype = "float64", device = s.like.device }) * cut.step + first) / s.fs
  end

  local function an_eighth(n) return floor(n / 8) end

  local MODES = { "psd", "complex", "magnitude", "angle", "phase" }

  --- The spectra of a signal's segments, which show how its frequencies change over time.
  ---@param x any
  ---@param fs? number  the sampling rate; default 1
  ---@param window? any  as for get_window, or its values; default { "tukey", 0.25 }
  ---@param nperseg? integer  length of a segment; default 256, or the window's
  ---@param noverlap? integer  how many elements two segments share; default: an eighth of them
  ---@param nfft? integer  length of a transform; default nperseg
  ---@param detrend? any  "constant" (default): remove each segment's mean, "linear", false, or a function of
  --- the segments
  ---@param return_onesided? boolean  of real signals, frequencies from 0 on alone; default true
  ---@param scaling? string  "density" (default) or "spectrum"
  ---@param axis? integer  default: the last
  ---@param mode? string  "psd" (default): power, "complex": as stft, "magnitude", "angle", "phase": unwrapped
  ---@return any  frequencies
  ---@return any  times of the segments' centres
  ---@return any  frequencies in place of the axis, and the segments along a new last axis
  publish("spectrogram",
    "x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, mode", 1,
    function(where, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, mode)
      local o = { fs = fs, window = window, nperseg = nperseg, noverlap = noverlap, nfft = nfft, detrend = detrend,
        return_onesided = return_onesided, scaling = scaling, axis = axis, mode = mode }
      mode = choice(where, mode, "mode", "psd", MODES)
      local s = prepared(where, x, nil, o, { window = { "tukey", 0.25 }, overlap = an_eighth })
      if s.nothing then return s.nothing:copy(), s.nothing:copy(), s.nothing end
      local scale, z = scale_of(where, s.window, s.fs, o.scaling), transforms_of(s, s.x)
      local t = times(s, s.x.shape[s.x.ndim], 0)
      if mode == "psd" then
        return s.f, t, over_time(s, power(z) * weights(s.cut, core.extent(z, -1), scale, s.onesided, s.like))
      end
      z = over_time(s, z * cp.sqrt(scale))
      if mode == "complex" then return s.f, t, z end
      if mode == "magnitude" then return s.f, t, cp.abs(z) end
      local angle = cp.angle(z)
      return s.f, t, mode == "phase" and cp.unwrap(angle, { axis = s.back - 1 }) or angle
    end)

  local PADS = { even = "reflect", odd = "reflect", constant = "edge", zeros = "constant" }

  -- x extended by n elements at both ends of the last axis.
  local function extended(where, x, n, boundary)
    local mode = PADS[boundary]
    if not mode then
      core.not_among(where, "boundary", '"zeros", "even", "odd", "constant" or false', boundary)
    end
    if mode == "reflect" and n >= core.extent(x, -1) then
      raise_shape(where, string.format("boundary %s needs more than nperseg / 2 = %d elements", boundary, n))
    end
    local widths = {}
    for d = 1, x.ndim do widths[d] = d == x.ndim and { n, n } or { 0, 0 } end
    return cp.pad(x, widths, boundary == "odd" and { mode = mode, reflect_type = "odd" } or { mode = mode })
  end

  -- x zero-padded so that segments cover its end.
  local function filled(x, cut)
    local over = (core.extent(x, -1) - cut.n) % cut.step
    return over == 0 and x or lengthened(x, core.extent(x, -1) + cut.step - over)
  end

  local STFT_SCALINGS = { "spectrum", "psd" }

  --- The short-time Fourier transform of a signal, which istft inverts.
  ---@param x any
  ---@param fs? number  the sampling rate; default 1
  ---@param window? any  as for get_window, or its values; default "hann"
  ---@param nperseg? integer  length of a segment; default 256, or the window's
  ---@param noverlap? integer  how many elements two segments share; default: half of them
  ---@param nfft? integer  length of a transform; default nperseg
  ---@param detrend? any  "constant", "linear", false (default), or a function of the segments
  ---@param return_onesided? boolean  for real signals, return only frequencies from 0; default true
  ---@param boundary? any  how to extend the signal, so that the first segment is centred at the first
  --- element: "zeros" (default), "even", "odd", "constant", or false: segments begin at the first element
  ---@param padded? boolean  whether to zero-pad the signal so that segments cover its end; default true
  ---@param axis? integer  default: the last
  ---@param scaling? string  "spectrum" (default) or "psd"
  ---@return any  frequencies
  ---@return any  times of the segments' centres
  ---@return any  complex: frequencies in place of the axis, and the segments along a new last axis
  publish("stft",
    "x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, boundary, padded, axis, scaling", 1,
    function(where, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, boundary, padded, axis, scaling)
      local o = { fs = fs, window = window, nperseg = nperseg, noverlap = noverlap, nfft = nfft, detrend = detrend,
        return_onesided = return_onesided, boundary = boundary, padded = padded, axis = axis, scaling = scaling }
      scaling = choice(where, scaling, "scaling", "spectrum", STFT_SCALINGS)
      local s, first = prepared(where, x, nil, o, { boundary = true }), 0
      if s.nothing then return s.nothing:copy(), s.nothing:copy(), s.nothing end
      if boundary ~= false then
        first = s.cut.n / 2
        s.x = extended(where, s.x, floor(first), boundary or "zeros")
      end
      if core.boolean(padded, where, "padded", true) then s.x = filled(s.x, s.cut) end
      local scale = scale_of(where, s.window, s.fs, scaling == "psd" and "density" or "spectrum")
      return s.f, times(s, s.x.shape[s.x.ndim], first), over_time(s, transforms_of(s, s.x) * cp.sqrt(scale))
    end)

  -- The sum of rows that are offset by `step` elements each. Blocks of `step` elements of all rows are added
  -- at a time.
  local function overlapped(where, rows, step)
    local d = rows.ndim
    local count, n = core.extent(rows, d - 1), core.extent(rows, d)
    local pieces, shape = math.ceil(n / step), shape_of(rows, d)
    shape[d - 1], shape[d] = count + pieces - 1, step
    local sum = cp.zeros(shape, { dtype = rows.dtype, device = rows.device })
    for k = 0, pieces - 1 do
      local from = k * step
      local length = math.min(step, n - from)
      local place = slice(slice(sum, d - 1, k + 1, k + count), d, 1, length)
      core.write(where, place, place + slice(rows, d, from + 1, from + length))
    end
    shape[d - 1], shape[d] = shape[d - 1] * step, nil
    return slice(sum:reshape(shape), d - 1, 1, (count - 1) * step + n)
  end

  -- Z for istft with frequencies as the last axis and segments before it.
  local function in_rows(where, Z, time_axis, freq_axis)
    local t = core.axis(time_axis, where, "time_axis", Z.ndim, Z.ndim)
    local f = core.axis(freq_axis, where, "freq_axis", Z.ndim, Z.ndim - 1)
    if t == f then usage(where, "time_axis and freq_axis must be two axes") end
    return cp.moveaxis(Z, { t, f }, { Z.ndim - 1, Z.ndim }), f < t and t - 1 or t
  end

  local LEAST = 1e-10 -- the least sum of squared windows to divide by

  --- The inverse short-time Fourier transform.
  ---@param Zxx any
  ---@param fs? number  the sampling rate; default 1
  ---@param window? any  that of stft; default "hann"
  ---@param nperseg? integer  length of a segment; default: from Zxx's frequencies, an even length
  ---@param noverlap? integer  how many elements two segments share; default: half of them
  ---@param nfft? integer  length of a transform
  ---@param input_onesided? boolean  whether Zxx has only frequencies from 0; default true
  ---@param boundary? boolean  whether the signal was extended at its ends; default true
  ---@param time_axis? integer  the axis of the segments; default: the last
  ---@param freq_axis? integer  default: the second to last
  ---@param scaling? string  that of stft; "spectrum" (default) or "psd"
  ---@return any  times
  ---@return any  the signal, along the axis of the segments
  publish("istft",
    "Zxx, fs, window, nperseg, noverlap, nfft, input_onesided, boundary, time_axis, freq_axis, scaling", 1,
    function(where, Zxx, fs, window, nperseg, noverlap, nfft, input_onesided, boundary, time_axis, freq_axis, scaling)
      local Z = take(where, Zxx, "Zxx")
      if Z.ndim < 2 then raise_shape(where, "Zxx must have at least 2 axes, not shape " .. tostring(Z.shape)) end
      if Z.size == 0 then raise_shape(where, "the input has no elements") end
      fs, scaling = rate(where, fs), choice(where, scaling, "scaling", "spectrum", STFT_SCALINGS)
      local onesided = core.boolean(input_onesided, where, "input_onesided", true)
      local axis
      Z, axis = in_rows(where, Z, time_axis, freq_axis)
      local count = core.extent(Z, -1)
      local natural = onesided and 2 * (count - 1) or count
      local w, n = window_of(where, { window = window, nperseg = nperseg }, "hann", natural, nil, Z)
      local odd = onesided and n == natural + 1 -- the transform had an odd length
      local cut = steps_of(where, { noverlap = noverlap, nfft = nfft or (odd and n or natural) }, n)
      local rows = (onesided and cp.fft.irfft or cp.fft.ifft)(Z, cut.nfft)
      local gain = scaling == "spectrum" and w:sum() or cp.sqrt(fs * (w * w):sum())
      local x = overlapped(where, slice(rows, rows.ndim, 1, n) * (w * gain), cut.step)
      local norm = overlapped(where, cp.broadcast_to(w * w, { core.extent(Z, -2), n }), cut.step)
      x = x / cp.where(norm:gt(LEAST), norm, 1)
      local half = core.boolean(boundary, where, "boundary", true) and floor(n / 2) or 0
      x = slice(x, x.ndim, half + 1, core.extent(x, -1) - half):copy()
      local t = cp.arange(core.extent(x, -1), { dtype = "float64", device = x.device }) / fs
      return t, axis == x.ndim and x or cp.moveaxis(x, -1, axis):copy()
    end)
end
