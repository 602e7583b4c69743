-- cp.scipy.signal: peaks of a vector, and the analytic signal. Peaks and their heights are found on the
-- vector's device; distances between peaks and prominences are computed in Lua.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local slice = core.slice

  local usage = core.usage

  -- The middles of plateaus that are higher than both neighbours, and their ends: x rises at one change and
  -- falls at the next.
  local function with_levels(x)
    local n = #x
    local function none() return cp.zeros({ 0 }, { dtype = "int64", device = x.device }) end
    if n < 3 then return none(), none(), none() end
    local before, behind = slice(x, 1, 1, n - 1), slice(x, 1, 2, n)
    local changes = cp.flatnonzero(before:ne(behind))
    local m = #changes
    if m < 2 then return none(), none(), none() end
    local rises, falls = cp.take(before:lt(behind), changes), cp.take(before:gt(behind), changes)
    local top = slice(rises, 1, 1, m - 1):logical_and(slice(falls, 1, 2, m))
    local first, last = slice(changes, 1, 1, m - 1)[top] + 1, slice(changes, 1, 2, m)[top]
    return cp.floor_divide(first + last, 2), first, last
  end

  -- Positions, from 1, that are higher than both neighbours; for plateaus the middle.
  local function local_maxima(x)
    local n = #x
    if n < 3 then return cp.zeros({ 0 }, { dtype = "int64", device = x.device }) end
    local left, middle, right = slice(x, 1, 1, n - 2), slice(x, 1, 2, n - 1), slice(x, 1, 3, n)
    local rises = left:lt(middle)
    if rises:logical_and(middle:eq(right)):any() then return (with_levels(x)) end
    return cp.flatnonzero(rises:logical_and(middle:gt(right))) + 1
  end

  -- A bound: a number, or an array of x's length as its elements at the peaks.
  local function bound(where, x, v, name, peaks, missing)
    if v == nil then return missing end
    if type(v) == "number" then return v end
    v = core.beside(where, x, v, name)
    if v.ndim ~= 1 or #v ~= #x then
      core.raise(where, "shape", string.format("%s must have as many elements as x, %d, not shape %s", name, #x,
        tostring(v.shape)))
    end
    return cp.take(v, peaks)
  end

  -- The bounds of a condition: a number or an array of x's length is the lower one, two values are both.
  local function bounds(where, x, v, name, peaks)
    if type(v) ~= "number" and type(v) ~= "table" and not cp.is_array(v) then
      usage(where, name .. " must be a number, two of them, or an array")
    end
    local low, high = v, nil
    if cp.is_array(v) and v.ndim == 1 and #v == 2 then v = v:totable() end
    if type(v) == "table" and not cp.is_array(v) and (#v <= 2 or v[1] == nil) then low, high = v[1], v[2] end
    return bound(where, x, low, name, peaks, -math.huge), bound(where, x, high, name, peaks, math.huge)
  end

  -- Keeps the peaks where a mask is true, with all properties found so far.
  local function keep(found, mask)
    local kept = {}
    for field, values in pairs(found) do kept[field] = values[mask] end
    return kept
  end

  local function within(v, low, high) return v:ge(low):logical_and(v:le(high)) end

  -- Removes peaks that are nearer than the distance to a higher peak.
  local function apart(where, x, found, distance)
    if #found.peaks == 0 then return found end
    local peaks, order = found.peaks:totable(), cp.argsort(cp.take(x, found.peaks)):totable()
    local count, stays = #order, {}
    for k = 1, count do stays[k] = true end
    for j in core.each(where, order) do
      local k = order[count + 1 - j] -- of equal peaks, the last first
      if stays[k] then
        local left, right = k - 1, k + 1
        while left >= 1 and peaks[k] - peaks[left] < distance do stays[left], left = false, left - 1 end
        while right <= #peaks and peaks[right] - peaks[k] < distance do stays[right], right = false, right + 1 end
      end
    end
    return keep(found, cp.array(stays, { dtype = "bool", device = x.device }))
  end

  -- The heights above the neighbours on both sides.
  local function over_neighbours(x, found)
    local height = cp.take(x, found.peaks)
    found.left_thresholds = (height - cp.take(x, found.peaks - 1)):eval()
    found.right_thresholds = (height - cp.take(x, found.peaks + 1)):eval()
  end

  -- The lowest position between a peak and higher ground, in one direction.
  local function base(where, x, p, step, wlen)
    local at, low, last = p, p, step < 0 and math.max(1, p - wlen) or math.min(#x, p + wlen)
    while at ~= last + step and x[at] <= x[p] do
      if x[at] < x[low] then low = at end
      at = at + step
      if at % 4096 == 0 then core.check_interrupt(where) end
    end
    return low
  end

  local function prominences(where, x, found, wlen)
    local v, heights, lefts, rights = x:totable(), {}, {}, {}
    for k, p in core.each(where, #found.peaks > 0 and found.peaks:totable() or {}) do
      lefts[k], rights[k] = base(where, v, p, -1, wlen), base(where, v, p, 1, wlen)
      heights[k] = v[p] - math.max(v[lefts[k]], v[rights[k]])
    end
    local function array(list, dtype)
      local o = { dtype = dtype, device = x.device }
      return #list > 0 and cp.array(list, o) or cp.zeros({ 0 }, o)
    end
    found.prominences = array(heights, "float64")
    found.left_bases, found.right_bases = array(lefts, "int64"), array(rights, "int64")
  end

  -- How wide each peak is at a part of its prominence below it, and where that height is crossed, from 1.
  local function widths(where, x, found, rel_height)
    local v, lists = x:totable(), { widths = {}, width_heights = {}, left_ips = {}, right_ips = {} }
    local peaks, drops = found.peaks:totable(), found.prominences:totable()
    local ends = { found.left_bases:totable(), found.right_bases:totable() }

    -- The position where x crosses the height in one direction from the peak, at `last` at the furthest.
    local function crossing(peak, height, step, last)
      local at = peak
      while at ~= last and v[at] > height do
        at = at + step
        if at % 4096 == 0 then core.check_interrupt(where) end
      end
      if v[at] < height then return at - step * (height - v[at]) / (v[at - step] - v[at]) end
      return at
    end

    for k, peak in core.each(where, peaks) do
      local height = v[peak] - drops[k] * rel_height
      local left, right = crossing(peak, height, -1, ends[1][k]), crossing(peak, height, 1, ends[2][k])
      lists.widths[k], lists.width_heights[k], lists.left_ips[k], lists.right_ips[k] = right - left, height, left, right
    end
    for name, list in pairs(lists) do
      local o = { dtype = "float64", device = x.device }
      found[name] = #list > 0 and cp.array(list, o) or cp.zeros({ 0 }, o)
    end
  end

  -- The peaks with the extents of their plateaus, which lie within bounds.
  local function level_peaks(where, x, plateau_size)
    local found = {}
    found.peaks, found.left_edges, found.right_edges = with_levels(x)
    found.plateau_sizes = found.right_edges - found.left_edges + 1
    return keep(found, within(found.plateau_sizes, bounds(where, x, plateau_size, "plateau_size", found.peaks)))
  end

  --- Finds the peaks of a vector: positions, from 1, that are higher than their neighbours, and their
  --- properties. A condition is a least value, {least, greatest}, or an array of x's length of least values.
  ---@param x any  real vector
  ---@param height? any
  ---@param threshold? any  of the height above both neighbours
  ---@param distance? number  least distance between peaks; the higher peak remains
  ---@param prominence? any
  ---@param width? any
  ---@param wlen? integer  how many elements around a peak determine its prominence
  ---@param rel_height? number  the part of the prominence below the peak at which it is as wide as its width;
  --- default 0.5
  ---@param plateau_size? any  of the number of equal highest elements
  ---@return any peaks  int64 vector
  ---@return table properties  vectors: peak_heights, left_thresholds, prominences, left_bases, widths, ...
  publish("find_peaks", "x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size", 1,
    function(where, x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)
      x = core.as_array(x, where, "x")
      if x.ndim ~= 1 then core.raise(where, "shape", "x must be a vector, not of shape " .. x.shape) end
      if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
      local found = plateau_size ~= nil and level_peaks(where, x, plateau_size) or { peaks = local_maxima(x) }
      x = x:astype("float64", false)
      local function limits(v, name) return bounds(where, x, v, name, found.peaks) end
      if height ~= nil then
        found.peak_heights = cp.take(x, found.peaks)
        found = keep(found, within(found.peak_heights, limits(height, "height")))
      end
      if threshold ~= nil then
        over_neighbours(x, found)
        local low, high = limits(threshold, "threshold")
        local l, r = found.left_thresholds, found.right_thresholds
        found = keep(found, cp.minimum(l, r):ge(low):logical_and(cp.maximum(l, r):le(high)))
      end
      if distance ~= nil then
        if type(distance) ~= "number" or distance < 1 then usage(where, "distance must be 1 or more") end
        found = apart(where, x, found, math.ceil(distance))
      end
      if prominence ~= nil or width ~= nil then
        wlen = core.integer(wlen, where, "wlen", -1)
        prominences(where, x, found, wlen > 1 and math.floor(wlen / 2) or #x)
      end
      if prominence ~= nil then found = keep(found, within(found.prominences, limits(prominence, "prominence"))) end
      if width ~= nil then
        rel_height = core.number(rel_height, where, "rel_height", 0.5)
        if rel_height < 0 then usage(where, "rel_height must not be negative") end
        widths(where, x, found, rel_height)
        found = keep(found, within(found.widths, limits(width, "width")))
      end
      local peaks = found.peaks
      found.peaks = nil
      return peaks, found
    end)

  -- A real vector and positions of its elements, as arrays.
  local function peaks_of(where, x, peaks)
    x = core.as_array(x, where, "x")
    if x.ndim ~= 1 then core.raise(where, "shape", "x must be a vector, not of shape " .. tostring(x.shape)) end
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    peaks = core.beside(where, x, peaks, "peaks")
    if #peaks == 0 then peaks = cp.zeros({ 0 }, { dtype = "int64", device = x.device }) end
    local whole = core.kind(peaks) == "i" or core.kind(peaks) == "u" or cp.all(peaks:eq(cp.floor(peaks)))
    if peaks.ndim ~= 1 or not whole then usage(where, "peaks must be a vector of positions") end
    if #peaks > 0 and not cp.all(within(peaks, 1, #x)) then
      usage(where, string.format("peaks must be from 1 to %d, the length of x", #x))
    end
    return x:astype("float64", false), { peaks = peaks:astype("int64", false) }
  end

  -- How far from a peak its bases may be.
  local function reach(where, wlen, x)
    if wlen == nil then return #x end
    if core.number(wlen, where, "wlen") <= 1 then usage(where, "wlen must be above 1") end
    return math.floor(math.ceil(wlen) / 2)
  end

  --- How far peaks rise above their surroundings: above the higher one of the lowest points between a peak
  --- and higher ground on both sides.
  ---@param x any  real vector
  ---@param peaks any  positions, from 1
  ---@param wlen? number  how many elements around a peak count; default: all
  ---@return any prominences
  ---@return any left_bases  positions of the lowest points
  ---@return any right_bases
  publish("peak_prominences", "x, peaks, wlen", 2, function(where, x, peaks, wlen)
    local found
    x, found = peaks_of(where, x, peaks)
    prominences(where, x, found, reach(where, wlen, x))
    return found.prominences, found.left_bases, found.right_bases
  end)

  --- How wide peaks are at a part of their prominence below them.
  ---@param x any  real vector
  ---@param peaks any  positions, from 1
  ---@param rel_height? number  that part; default 0.5
  ---@param prominence_data? table  the three results of peak_prominences
  ---@param wlen? number  as for peak_prominences
  ---@return any widths
  ---@return any width_heights
  ---@return any left_ips  where x crosses that height, from 1
  ---@return any right_ips
  publish("peak_widths", "x, peaks, rel_height, prominence_data, wlen", 2,
    function(where, x, peaks, rel_height, prominence_data, wlen)
      local found
      x, found = peaks_of(where, x, peaks)
      rel_height = core.number(rel_height, where, "rel_height", 0.5)
      if rel_height < 0 then usage(where, "rel_height must not be negative") end
      if prominence_data == nil then
        prominences(where, x, found, reach(where, wlen, x))
      else
        if type(prominence_data) ~= "table" or #prominence_data ~= 3 then
          usage(where, "prominence_data must be a table of the three results of peak_prominences")
        end
        for k, name in ipairs { "prominences", "left_bases", "right_bases" } do
          found[name] = core.beside(where, x, prominence_data[k], "prominence_data")
          if not found[name]:has_shape(#found.peaks) then
            usage(where, "prominence_data must have an element for each peak")
          end
        end
        local left, right = within(found.left_bases, 1, found.peaks), within(found.right_bases, found.peaks, #x)
        if #left > 0 and not cp.all(left:logical_and(right)) then
          usage(where, "prominence_data must have bases on both sides of each peak")
        end
      end
      widths(where, x, found, rel_height)
      return found.widths, found.width_heights, found.left_ips, found.right_ips
    end)

  -- Weights of n frequencies along an axis: 2 for those above 0, 1 for 0, and `middle` at half the sampling
  -- rate.
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
      core.raise(where, "shape", string.format("x must have at least %s, not shape %s",
        core.counted(least, "axis", "axes"), tostring(x.shape)))
    end
    return x
  end

  local function length_of(where, N, missing)
    N = core.integer(N, where, "N", missing)
    if N < 1 then usage(where, string.format("N must be 1 or more, but is %d", N)) end
    return N
  end

  --- The analytic signal: x with its Hilbert transform as the imaginary part.
  ---@param x any  real
  ---@param N? integer  length of the transform; default: that of x
  ---@param axis? integer  default: the last
  ---@return any  complex array
  publish("hilbert", "x, N, axis", 1, function(where, x, N, axis)
    x = take_real(where, x, 1)
    axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
    N = length_of(where, N, core.extent(x, axis))
    local spectrum = cp.fft.fft(x, N, axis)
    return cp.fft.ifft(spectrum * positive_half(spectrum, N, axis, 1), N, axis)
  end)

  --- The analytic signal of a matrix: the part of its spectrum with positive frequencies along both axes.
  ---@param x any  real, with at least two axes
  ---@param N? any  lengths of the transform along the two axes, or one for both; default: x's
  ---@param axes? any  two axes; default: the last two
  ---@return any  complex array
  publish("hilbert2", "x, N, axes", 1, function(where, x, N, axes)
    x = take_real(where, x, 2)
    axes = axes == nil and { -2, -1 } or axes
    if type(axes) ~= "table" or #axes ~= 2 then usage(where, "axes must be a table of two axes") end
    local list, lengths = {}, {}
    N = core.listed(N)
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
