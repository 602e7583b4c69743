-- cp.scipy.signal: median and rank filters, the Savitzky-Golay filter, detrending, and the Wiener filter.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local slice, direct = core.slice, require "cupola.analysis.convolution"(cp, core)

  local number, usage, raise_shape = core.number, core.usage, core.raise_shape

  local function floating(x)
    return core.is_inexact(x) and x or x:astype "float64"
  end

  -- ---- ranks

  -- The lengths of a neighbourhood for each axis, which must be odd unless `even`.
  local function lengths_of(where, sizes, ndim, argument, even)
    local list = {}
    if sizes == nil then sizes = 3 end
    sizes = core.listed(sizes)
    if type(sizes) == "table" and #sizes ~= ndim then
      raise_shape(where, string.format("%s has %s for %s", argument, core.counted(#sizes, "length"),
        core.counted(ndim, "axis", "axes")))
    end
    for d = 1, ndim do
      list[d] = core.integer(type(sizes) == "table" and sizes[d] or sizes, where, argument)
      if list[d] < 1 or list[d] % 2 == 0 and not even then
        usage(where, string.format("%s must be %sabove 0, but is %d", argument, even and "" or "odd and ", list[d]))
      end
    end
    return list
  end

  -- The neighbourhood of each element along a last axis, with zeros beyond the borders.
  local function neighbours(x, lengths)
    local widths, all, count = {}, {}, 1
    for d, n in ipairs(lengths) do
      widths[d] = { (n - 1) / 2, (n - 1) / 2 }
      all[d] = d
      count = count * n
    end
    local shape = {}
    for d, n in ipairs(x.shape) do shape[d] = n end
    shape[#shape + 1] = count
    return cp.sliding_window_view(cp.pad(x, widths), lengths, all):reshape(shape), count
  end

  local function check_real(where, x)
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    return x
  end

  -- The element of `rank`, from 0, in each sorted neighbourhood.
  local function ranked(where, x, lengths, rank)
    if x.size == 0 then return x:copy() end
    local around = neighbours(check_real(where, x), lengths)
    return slice(cp.partition(around, rank + 1, -1), around.ndim, rank + 1, rank + 1):reshape(x.shape):copy()
  end

  local function product(list)
    local n = 1
    for _, v in ipairs(list) do n = n * v end
    return n
  end

  -- ---- medians of few

  local least, greatest = cp.minimum, cp.maximum

  local function median_of_3(a, b, c) return greatest(least(a, b), least(greatest(a, b), c)) end

  -- The lowest and the highest of the pairs cannot be the median.
  local function median_of_5(a, b, c, d, e)
    return median_of_3(e, greatest(least(a, b), least(c, d)), least(greatest(a, b), greatest(c, d)))
  end

  local function sorted_3(a, b, c)
    local low, high = least(a, b), greatest(a, b)
    return least(low, c), greatest(low, least(high, c)), greatest(high, c)
  end

  -- Of three sorted triples, take the highest of the lowest, the median of the middles and the lowest of the
  -- highest: their median is the median of all.
  local function median_of_9(...)
    local v = { ... }
    local l1, m1, h1 = sorted_3(v[1], v[2], v[3])
    local l2, m2, h2 = sorted_3(v[4], v[5], v[6])
    local l3, m3, h3 = sorted_3(v[7], v[8], v[9])
    return median_of_3(greatest(greatest(l1, l2), l3), median_of_3(m1, m2, m3), least(least(h1, h2), h3))
  end

  local OF_FEW = { [3] = median_of_3, [5] = median_of_5, [9] = median_of_9 }

  -- Views of x, with zeros around it, moved by each offset of a neighbourhood.
  local function shifted(x, lengths)
    local widths, views = {}, {}
    for d, n in ipairs(lengths) do widths[d] = { (n - 1) / 2, (n - 1) / 2 } end
    views[1] = cp.pad(x, widths)
    for d, n in ipairs(lengths) do
      local longer = {}
      for _, v in ipairs(views) do
        for k = 1, n do longer[#longer + 1] = slice(v, d, k, k + core.extent(x, d) - 1) end
      end
      views = longer
    end
    return views
  end

  -- Medians of few elements are chains of minima and maxima in one kernel. For more elements, or with nan,
  -- which is the highest value here, neighbourhoods are sorted as far as needed.
  local function medians(where, x, lengths)
    local count = product(lengths)
    local median = OF_FEW[count]
    check_real(where, x)
    if not median or x.size == 0 or core.kind(x) == "f" and cp.isnan(x):any() then
      return ranked(where, x, lengths, (count - 1) / 2)
    end
    return median(unpack(shifted(x, lengths), 1, count)):eval()
  end

  --- The median of each element's neighbourhood, with zeros beyond the borders.
  ---@param volume any  real, with any number of axes
  ---@param kernel_size? any  an odd length, or one for each axis; default 3
  ---@return any  array of the same dtype
  publish("medfilt", "volume, kernel_size", 1, function(where, volume, kernel_size)
    local x = core.as_array(volume, where, "volume")
    if x.ndim == 0 then raise_shape(where, "volume must have at least one axis") end
    local lengths = lengths_of(where, kernel_size, x.ndim, "kernel_size")
    return medians(where, x, lengths)
  end)

  --- The median of each element's neighbourhood in a matrix, with zeros beyond the borders.
  ---@param input any
  ---@param kernel_size? any  an odd length, or a table of two; default 3
  ---@return any
  publish("medfilt2d", "input, kernel_size", 1, function(where, input, kernel_size)
    local x = core.as_array(input, where, "input")
    if x.ndim ~= 2 then raise_shape(where, "input must have 2 axes, not shape " .. tostring(x.shape)) end
    local lengths = lengths_of(where, kernel_size, 2, "kernel_size")
    return medians(where, x, lengths)
  end)

  --- The element of a given rank in each sorted neighbourhood, with zeros beyond the borders.
  ---@param a any
  ---@param domain any  ones and zeros that select neighbouring elements; odd lengths
  ---@param rank integer  from 0: the smallest
  ---@return any
  publish("order_filter", "a, domain, rank", 3, function(where, a, domain, rank)
    local x = check_real(where, core.as_array(a, where, "a"))
    domain, rank = core.beside(where, x, domain, "domain"), core.integer(rank, where, "rank")
    if domain.ndim ~= x.ndim or x.ndim == 0 then
      raise_shape(where, string.format("domain has shape %s for an array of shape %s", tostring(domain.shape),
        tostring(x.shape)))
    end
    local lengths = lengths_of(where, domain.shape, x.ndim, "domain")
    local chosen = cp.flatnonzero(domain)
    if rank < 0 or rank >= chosen.size then
      usage(where, string.format("rank must be from 0 to %d, but is %d", chosen.size - 1, rank))
    end
    if x.size == 0 then return x:copy() end
    local around = cp.take(neighbours(x, lengths), chosen, -1)
    return slice(cp.partition(around, rank + 1, -1), around.ndim, rank + 1, rank + 1):reshape(x.shape):copy()
  end)

  --- The Wiener filter: neighbourhoods with no more variance than the noise are replaced by their mean.
  ---@param im any
  ---@param mysize? any  lengths of the neighbourhood; default 3
  ---@param noise? number  its variance; default: the mean of the neighbourhoods' variances
  ---@return any  floating array
  publish("wiener", "im, mysize, noise", 1, function(where, im, mysize, noise)
    local x = floating(core.as_array(im, where, "im"))
    local lengths = lengths_of(where, mysize, x.ndim, "mysize", true)
    if x.size == 0 then return x:copy() end
    local ones, count = cp.ones(lengths, { dtype = x.dtype, device = x.device }), product(lengths)
    local mean = direct.correlate(where, x, ones, "same") / count
    local variance = direct.correlate(where, cp.square(x), ones, "same") / count - cp.square(mean)
    if noise == nil then noise = variance:mean() end
    return cp.where(cp.less(variance, noise), mean, mean + (x - mean) * (1 - noise / variance))
  end)

  -- ---- polynomials along a window

  -- Least-squares polynomial fits in a window, in float64 on the CPU, by polynomials that are orthonormal in
  -- it: each is the one before times the position, less its projections. Returns their values, one per
  -- column, and those of their deriv-th derivatives at a vector of positions, from 0: a row times the sums of
  -- elements times values is the deriv-th derivative at that position.
  local function fit(window, order, deriv, delta, at)
    local half = math.max((window - 1) / 2, 1)
    local function scaled(positions) return (positions - (window - 1) / 2) / half end
    local t, s = scaled(cp.cpu.arange(window, "float64")), scaled(at)
    local size = math.sqrt(window)
    local values = cp.cpu.zeros({ window, order + 1 })
    local there = {} -- the derivatives of all polynomials at s, from the 0th on, one polynomial per column
    for j = 0, deriv do there[j] = cp.cpu.zeros({ at.size, order + 1 }) end
    local function set(k, v, d)
      values[{ {}, k }] = v / size
      for j = 0, deriv do there[j][{ {}, k }] = d[j] / size end
    end
    local function column(x, k) return x[{ {}, k }] end
    local d = { [0] = cp.cpu.ones(at.size) }
    for j = 1, deriv do d[j] = cp.cpu.zeros(at.size) end
    set(1, cp.cpu.ones(window), d)
    for k = 2, order + 1 do
      local v, before = t * column(values, k - 1), values[{ {}, { 1, k - 1 } }]
      for j = deriv, 0, -1 do
        d[j] = s * column(there[j], k - 1)
        if j > 0 then d[j] = d[j] + j * column(there[j - 1], k - 1) end
      end
      for _ = 1, 2 do -- twice, for orthogonality to the last digits
        local parts = cp.matmul(before.T, v)
        v = v - cp.matmul(before, parts)
        for j = 0, deriv do d[j] = d[j] - cp.matmul(there[j][{ {}, { 1, k - 1 } }], parts) end
      end
      size = cp.linalg.norm(v)
      set(k, v, d)
    end
    if deriv > order then return values, cp.cpu.zeros({ at.size, order + 1 }) end
    return values, there[deriv] / (half * delta) ^ deriv
  end

  -- The weights of a window's elements in the derivative at one position, from 0.
  local function weights(window, order, deriv, delta, at)
    local all, there = fit(window, order, deriv, delta, cp.cpu.full(1, at, "float64"))
    return cp.matmul(all, there[1])
  end

  local HIGHEST = 120 -- the highest order; higher ones are too badly conditioned

  local function check_window(where, window_length, polyorder, deriv)
    local window = core.integer(window_length, where, "window_length")
    local order = core.integer(polyorder, where, "polyorder")
    deriv = core.integer(deriv, where, "deriv", 0)
    if window < 1 then usage(where, "window_length must be 1 or more") end
    if order < 0 or order >= window then usage(where, "polyorder must be from 0 to window_length - 1") end
    if order > HIGHEST then
      usage(where, string.format("a polynomial of order %d through %d samples is too much work", order, window))
    end
    if deriv < 0 then usage(where, "deriv must not be negative") end
    return window, order, deriv
  end

  --- The weights of the Savitzky-Golay filter.
  ---@param window_length integer
  ---@param polyorder integer
  ---@param deriv? integer  default 0
  ---@param delta? number  distance between samples; default 1
  ---@param pos? integer  the position in the window, from 1; default: its centre
  ---@param use? string  "conv" (default): for convolve, "dot": for a dot product with the elements
  ---@return any  float64 vector
  publish("savgol_coeffs", "window_length, polyorder, deriv, delta, pos, use", 2,
    function(where, window_length, polyorder, deriv, delta, pos, use)
      local window, order
      window, order, deriv = check_window(where, window_length, polyorder, deriv)
      pos = pos == nil and (window - 1) / 2 or core.integer(pos, where, "pos") - 1
      if pos < 0 or pos >= window then usage(where, "pos must be from 1 to window_length") end
      if use ~= nil and use ~= "conv" and use ~= "dot" then core.not_among(where, "use", '"conv" or "dot"', use) end
      local list = weights(window, order, deriv, number(delta, where, "delta", 1), pos)
      return (use == "dot" and list or cp.flip(list)):to(core.device_name())
    end)

  local BORDERS = { mirror = "mirror", constant = "fill", nearest = "edge", wrap = "wrap", interp = "fill" }

  -- Writes the values of the polynomials of the first and last windows to the ends.
  local function fit_ends(where, y, x, axis, window, order, deriv, delta)
    local n, half = core.extent(x, axis), math.floor(window / 2)
    if half == 0 then return end
    local at = cp.cpu.arange(window, "float64")
    at = cp.concatenate { slice(at, 1, 1, half), slice(at, 1, window - half + 1, window) }
    local all, there = fit(window, order, deriv, delta, at)
    all, there = all:to(x.device), there:to(x.device)
    local wide = cp.promote_types(x, "float64")
    for side, first in ipairs { 1, n - window + 1 } do
      local part = cp.moveaxis(slice(x, axis, first, first + window - 1), axis, -1):astype(wide, false)
      local rows = slice(there, 1, (side - 1) * half + 1, side * half)
      local values = cp.matmul(cp.matmul(part, all), rows.T):astype(x.dtype, false)
      local to = side == 1 and 1 or n - half + 1
      core.write(where, slice(y, axis, to, to + half - 1), cp.moveaxis(values, -1, axis))
    end
  end

  --- The Savitzky-Golay filter: each element becomes the value, or a derivative, of the polynomial that best
  --- fits the window around it.
  ---@param x any
  ---@param window_length integer
  ---@param polyorder integer  less than window_length
  ---@param deriv? integer  default 0
  ---@param delta? number  distance between samples; default 1
  ---@param axis? integer  default: the last
  ---@param mode? string  at the ends: "interp" (default: the polynomials of the outermost windows), "mirror",
  --- "constant", "nearest" or "wrap"
  ---@param cval? number  for mode "constant"; default 0
  ---@return any  floating array
  publish("savgol_filter",
    "x, window_length, polyorder, deriv, delta, axis, mode, cval", 3,
    function(where, x, window_length, polyorder, deriv, delta, axis, mode, cval)
      x = core.as_array(x, where, "x")
      if x.ndim == 0 then raise_shape(where, "x must have at least one axis") end
      x = floating(x)
      local window, order
      window, order, deriv = check_window(where, window_length, polyorder, deriv)
      axis, delta = core.axis(axis, where, "axis", x.ndim, x.ndim), number(delta, where, "delta", 1)
      mode = mode == nil and "interp" or mode
      local border = BORDERS[mode]
      if not border then
        core.not_among(where, "mode", '"interp", "mirror", "constant", "nearest" or "wrap"', mode)
      end
      if mode == "interp" and window > core.extent(x, axis) then
        local fact = "window_length %d is above the length of the axis, %d"
        raise_shape(where, string.format(fact, window, core.extent(x, axis)))
      end
      if x.size == 0 then return x:copy() end
      local shape, start, ones = {}, {}, {}
      for d = 1, x.ndim do shape[d], start[d], ones[d] = core.extent(x, d), 0, 1 end
      start[axis], ones[axis] = -math.floor((window - 1) / 2), window
      local h = weights(window, order, deriv, delta, (window - 1) / 2):to(x.device):astype(x.dtype):reshape(ones)
      cval = number(cval, where, "cval", 0)
      local y = core.convolve(where, x, h, shape, start, border, mode == "constant" and cval or nil, false, false)
      if mode == "interp" then fit_ends(where, y, x, axis, window, order, deriv, delta) end
      return y
    end)

  -- ---- trends

  -- x minus the best linear fit along an axis.
  local function without_line(x, axis)
    local n, shape = core.extent(x, axis), {}
    for d = 1, x.ndim do shape[d] = d == axis and n or 1 end
    local real = core.real_dtype(x.dtype)
    local t = (cp.arange(n, { dtype = real, device = x.device }) - (n - 1) / 2):reshape(shape)
    local centred = x - x:mean({ axis = axis, keepdims = true })
    if n < 2 then return centred end
    local square = n * (n * n - 1) / 12
    return centred - t * ((centred * t):sum({ axis = axis, keepdims = true }) / square)
  end

  --- Removes the trend of x along an axis.
  ---@param data any
  ---@param axis? integer  default: the last
  ---@param type? string  "linear" (default): the best linear fit, "constant": the mean
  ---@param bp? any  breakpoints of a piecewise linear trend: how many elements come before each
  ---@return any  floating array
  publish("detrend", "data, axis, type, bp", 1, function(where, data, axis, kind, bp)
    local x = floating(core.as_array(data, where, "data"))
    if x.ndim == 0 then raise_shape(where, "data must have at least one axis") end
    axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
    if kind == "constant" or kind == "c" then return x - x:mean({ axis = axis, keepdims = true }) end
    if kind ~= nil and kind ~= "linear" and kind ~= "l" then
      core.not_among(where, "type", '"linear" or "constant"', kind)
    end
    local n, bounds = core.extent(x, axis), { 0 }
    bp = core.listed(bp)
    for _, b in ipairs(type(bp) == "table" and bp or { bp }) do bounds[#bounds + 1] = core.integer(b, where, "bp") end
    bounds[#bounds + 1] = n
    table.sort(bounds)
    if bounds[1] < 0 or bounds[#bounds] > n then usage(where, "bp must lie within the axis") end
    if x.size == 0 then return x:copy() end
    local pieces = {}
    for k = 1, #bounds - 1 do
      if bounds[k + 1] > bounds[k] then
        pieces[#pieces + 1] = without_line(slice(x, axis, bounds[k] + 1, bounds[k + 1]), axis)
      end
    end
    return #pieces == 1 and pieces[1] or cp.concatenate(pieces, axis)
  end)
end
