-- cp.scipy.signal: peaks of a vector, which are looked for in Lua, and the analytic signal.

return function(cp, core)
  local signal = cp.scipy.signal

  local function usage(where, fact) return core.raise(where, "usage", fact) end

  -- Places that are higher than both neighbours; of level ones the middle.
  local function local_maxima(x)
    local peaks, k, n = {}, 2, #x
    while k < n do
      if x[k - 1] < x[k] then
        local ahead = k + 1
        while ahead < n and x[ahead] == x[k] do ahead = ahead + 1 end
        if x[ahead] < x[k] then
          peaks[#peaks + 1] = math.floor((k + ahead - 1) / 2)
          k = ahead
        end
      end
      k = k + 1
    end
    return peaks
  end

  -- The bounds of a condition: a number is the lower one, a table {lower, upper} both.
  local function bounds(where, v, name)
    if type(v) == "number" then return v, math.huge end
    if type(v) ~= "table" then usage(where, name .. " must be a number or a table of two") end
    local low, high = v[1], v[2]
    return low == nil and -math.huge or low, high == nil and math.huge or high
  end

  -- Keeps the peaks whose property is within the bounds, with all properties found so far.
  local function keep(found, name, low, high)
    local kept = {}
    for field in pairs(found) do kept[field] = {} end
    for k, v in ipairs(found[name]) do
      if v >= low and v <= high then
        for field, list in pairs(found) do table.insert(kept[field], list[k]) end
      end
    end
    return kept
  end

  -- The highest peaks win over those that are nearer than the distance.
  local function apart(x, found, distance)
    local peaks, order, off = found.peaks, {}, {}
    for k = 1, #peaks do order[k] = k end
    table.sort(order, function(a, b)
      local u, v = x[peaks[a]], x[peaks[b]]
      return u > v or u == v and a > b
    end)
    for _, k in ipairs(order) do
      if not off[k] then
        local left, right = k - 1, k + 1
        while left >= 1 and peaks[k] - peaks[left] < distance do off[left], left = true, left - 1 end
        while right <= #peaks and peaks[right] - peaks[k] < distance do off[right], right = true, right + 1 end
      end
    end
    found.far = {}
    for k = 1, #peaks do found.far[k] = off[k] and 0 or 1 end
    local kept = keep(found, "far", 1, 1)
    kept.far = nil
    return kept
  end

  local function thresholds(x, found)
    found.left_thresholds, found.right_thresholds, found.least, found.most = {}, {}, {}, {}
    for k, p in ipairs(found.peaks) do
      local l, r = x[p] - x[p - 1], x[p] - x[p + 1]
      found.left_thresholds[k], found.right_thresholds[k] = l, r
      found.least[k], found.most[k] = math.min(l, r), math.max(l, r)
    end
  end

  -- The lowest place on the way from a peak to higher ground, in one direction.
  local function base(x, p, step, wlen)
    local at, low, last = p, p, step < 0 and math.max(1, p - wlen) or math.min(#x, p + wlen)
    while at ~= last + step and x[at] <= x[p] do
      if x[at] < x[low] then low = at end
      at = at + step
    end
    return low
  end

  local function prominences(x, found, wlen)
    found.prominences, found.left_bases, found.right_bases = {}, {}, {}
    for k, p in ipairs(found.peaks) do
      local l, r = base(x, p, -1, wlen), base(x, p, 1, wlen)
      found.left_bases[k], found.right_bases[k] = l, r
      found.prominences[k] = x[p] - math.max(x[l], x[r])
    end
  end

  --- Peaks of a vector: places, from 1, that are higher than their neighbours, and what was found of them.
  ---@param x any  real vector
  ---@param height? any  least height, or {least, greatest}
  ---@param threshold? any  least height over both neighbours, or {least, greatest}
  ---@param distance? number  least distance of two peaks; the higher one stays
  ---@param prominence? any  least height over the way to higher ground, or {least, greatest}
  ---@param wlen? integer  how many elements around a peak are looked at for that
  ---@return any peaks  int64 vector
  ---@return table properties  vectors: peak_heights, left_thresholds, prominences, left_bases, ...
  signal.find_peaks = core.define("scipy.signal.find_peaks", "x, height, threshold, distance, prominence, wlen", 1,
    function(x, height, threshold, distance, prominence, wlen)
      local where = "scipy.signal.find_peaks"
      x = core.as_array(x, where, "x")
      if x.ndim ~= 1 then core.raise(where, "shape", "x must be a vector, not of shape " .. x.shape) end
      if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
      local device, v = x.device, x.size > 0 and x:astype("float64", false):totable() or {}
      local found = { peaks = local_maxima(v) }
      if height ~= nil then
        found.peak_heights = {}
        for k, p in ipairs(found.peaks) do found.peak_heights[k] = v[p] end
        found = keep(found, "peak_heights", bounds(where, height, "height"))
      end
      if threshold ~= nil then
        thresholds(v, found)
        local low, high = bounds(where, threshold, "threshold")
        found = keep(keep(found, "least", low, math.huge), "most", -math.huge, high)
        found.least, found.most = nil, nil
      end
      if distance ~= nil then
        if type(distance) ~= "number" or distance < 1 then usage(where, "distance must be 1 or more") end
        found = apart(v, found, math.ceil(distance))
      end
      if prominence ~= nil then
        wlen = core.integer(wlen, where, "wlen", -1)
        prominences(v, found, wlen > 1 and math.floor(wlen / 2) or #v)
        found = keep(found, "prominences", bounds(where, prominence, "prominence"))
      end
      local peaks, properties = found.peaks, {}
      local function array(list, dtype)
        return #list > 0 and cp.array(list, { dtype = dtype, device = device })
          or cp.zeros({ 0 }, { dtype = dtype, device = device })
      end
      for name, list in pairs(found) do
        if name ~= "peaks" then properties[name] = array(list, name:find "bases" and "int64" or "float64") end
      end
      return array(peaks, "int64"), properties
    end)

  -- What keeps the frequencies above 0 of n, twice, along an axis, and 0 once; at half the rate: `middle`.
  local function positive_half(x, n, axis, middle)
    local k, shape = cp.arange(n, { dtype = "int64", device = x.device }), {}
    for d = 1, x.ndim do shape[d] = d == axis and n or 1 end
    local twice = cp.where((2 * k):lt(n):logical_and(k:gt(0)), 2, 0)
    local weights = cp.where(k:eq(0), 1, cp.where((2 * k):eq(n), middle, twice))
    return weights:astype(core.real_dtype(x.dtype)):reshape(shape)
  end

  local function take_real(where, x, least)
    x = core.as_array(x, where, "x")
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    if x.ndim < least then
      core.raise(where, "shape", ("x must have %d axes at least, not shape %s"):format(least, tostring(x.shape)))
    end
    return x
  end

  local function length_of(where, N, missing)
    N = core.integer(N, where, "N", missing)
    if N < 1 then usage(where, ("N must be 1 or more, but is %d"):format(N)) end
    return N
  end

  --- The analytic signal: x, and its Hilbert transform as the imaginary part.
  ---@param x any  real
  ---@param N? integer  length of the transform; default: as many elements as there are
  ---@param axis? integer  default: the last
  ---@return any  complex array
  signal.hilbert = core.define("scipy.signal.hilbert", "x, N, axis", 1, function(x, N, axis)
    local where = "scipy.signal.hilbert"
    x = take_real(where, x, 1)
    axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
    N = length_of(where, N, x.shape[axis])
    local spectrum = cp.fft.fft(x, N, axis)
    return cp.fft.ifft(spectrum * positive_half(spectrum, N, axis, 1), N, axis)
  end)

  --- The analytic signal of a matrix: of its spectrum, what is above 0 along both axes.
  ---@param x any  real, of two axes or more
  ---@param N? any  lengths of the transform along the two axes, or one for both; default: x's
  ---@param axes? any  two of them; default: the last two
  ---@return any  complex array
  signal.hilbert2 = core.define("scipy.signal.hilbert2", "x, N, axes", 1, function(x, N, axes)
    local where = "scipy.signal.hilbert2"
    x = take_real(where, x, 2)
    axes = axes == nil and { -2, -1 } or axes
    if type(axes) ~= "table" or #axes ~= 2 then usage(where, "axes must be a table of two axes") end
    local list, lengths = {}, {}
    for k = 1, 2 do
      list[k] = core.axis(axes[k], where, "axes", x.ndim)
      lengths[k] = length_of(where, type(N) == "table" and N[k] or N, x.shape[list[k]])
    end
    if list[1] == list[2] then usage(where, "axes must name two axes") end
    local spectrum = cp.fft.fft2(x, { s = lengths, axes = list })
    for k = 1, 2 do spectrum = spectrum * positive_half(spectrum, lengths[k], list[k], 0) end
    return cp.fft.ifft2(spectrum, { axes = list })
  end)
end
