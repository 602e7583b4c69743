-- What the functions of lua/cupola/plot/plot.lua are given, as series of a figure: lists of Lua numbers.

return function(cp, core)
  local MOST_POINTS = 20000 -- of a line
  local BARS = 0.8 -- the part of an axis that bars take

  local usage = core.usage

  local function real_array(v, where, argument)
    local x = core.as_array(v, where, argument)
    if core.kind(x) == "c" then core.raise(where, "dtype", argument .. " must be real, not " .. x.dtype) end
    return x
  end

  -- The values of a vector as a list of Lua numbers.
  local function list_of(x)
    if core.kind(x) ~= "f" then x = x:astype "float64" end
    return x:reshape(-1):totable()
  end

  local function text(v, where, argument)
    if v == nil or type(v) == "string" then return v end
    return usage(where, argument .. " must be a string, not " .. type(v))
  end

  local function holds_vectors(v)
    return type(v) == "table" and (cp.is_array(v[1]) or type(v[1]) == "table")
  end

  -- v as a list of vectors: a table of arrays or tables, the columns of a matrix, or a single vector.
  local function vectors(where, v, argument)
    if holds_vectors(v) then
      local list = {}
      for k = 1, #v do list[k] = real_array(v[k], where, string.format("%s[%d]", argument, k)) end
      return list
    end
    v = real_array(v, where, argument)
    if v.ndim == 2 then
      local list = {}
      for k = 1, v.shape[2] do list[k] = v[{ {}, k }] end
      return list
    end
    if v.ndim > 1 then
      core.raise(where, "shape", argument .. " must have one or two axes, not shape " .. tostring(v.shape))
    end
    return { v }
  end

  -- Reduces a long line to the lowest and highest point of each stretch, in order, which looks the same.
  local function thinned(xs, ys)
    local n = #xs
    if n <= MOST_POINTS then return xs, ys end
    local step, x, y = math.ceil(n / (MOST_POINTS / 2)), {}, {}
    for first = 1, n, step do
      local low, high = first, first
      for k = first + 1, math.min(n, first + step - 1) do
        if ys[k] < ys[low] or ys[low] ~= ys[low] then low = k end
        if ys[k] > ys[high] or ys[high] ~= ys[high] then high = k end
      end
      for _, k in ipairs { math.min(low, high), low ~= high and math.max(low, high) or nil } do
        x[#x + 1], y[#y + 1] = xs[k], ys[k]
      end
    end
    return x, y
  end

  -- ---- bars

  -- The least distance between values.
  local function least_gap(values)
    local sorted, gap = {}, cp.inf
    for _, v in ipairs(values) do
      if v == v then sorted[#sorted + 1] = v end
    end
    table.sort(sorted)
    for k = 2, #sorted do
      local step = sorted[k] - sorted[k - 1]
      if step > 0 then gap = math.min(gap, step) end
    end
    return gap < cp.inf and gap or 1
  end

  -- Gives the bars of a figure's series their places, beside each other where several have the same x.
  local function place_bars(series)
    local bars, all = {}, {}
    for _, s in ipairs(series) do
      if s.style == "bars" then
        bars[#bars + 1] = s
        if #bars == 1 then all = s.x end
      end
    end
    if #bars == 0 then return end
    local width = BARS * least_gap(all)
    for j, s in ipairs(bars) do
      s.left, s.right = {}, {}
      for k, x in ipairs(s.x) do
        s.left[k] = x - width / 2 + width * (j - 1) / #bars
        s.right[k] = x - width / 2 + width * j / #bars
      end
    end
  end

  -- ---- series

  local STYLES = { line = true, points = true, bars = true }

  local function option(where, list, argument)
    if type(list) == "string" then return { list } end
    if list ~= nil and type(list) ~= "table" then usage(where, argument .. " must be a table of strings") end
    return list or {}
  end

  -- The style of the series k: that of its own, or the figure's.
  local function style_of(where, styles, k, default)
    local style = styles[k]
    if style == nil then return default end
    if not STYLES[style] then core.not_among(where, "a style", '"line", "points" or "bars"', style) end
    return style
  end

  -- The x values of the series k, of n values: given once for all series, or for each of its own.
  local function x_of(where, xs, k, n)
    local own = xs and list_of(xs[#xs == 1 and 1 or k])
    if not own then
      own = {}
      for i = 1, n do own[i] = i end
    end
    if #own ~= n then core.raise(where, "shape", string.format("x has %d values, y has %d", #own, n)) end
    return own
  end

  -- The series of y over x; without y, of x. style: that of series without one of their own.
  local function of(where, style, x, y, labels, styles)
    if y == nil then x, y = nil, x end
    local list, xs = vectors(where, y, "y"), x ~= nil and vectors(where, x, "x")
    if xs and #xs ~= 1 and #xs ~= #list then
      core.raise(where, "shape", string.format("x has %d vectors, y has %d", #xs, #list))
    end
    labels, styles = option(where, labels, "labels"), option(where, styles, "styles")
    local series = {}
    for k, v in ipairs(list) do
      local s = { style = style_of(where, styles, k, style), label = text(labels[k], where, "a label") }
      if v.ndim > 1 then
        core.raise(where, "shape", "y must hold vectors, not an array of shape " .. tostring(v.shape))
      end
      s.y = list_of(v)
      s.x = x_of(where, xs, k, #s.y)
      if s.style == "line" then s.x, s.y = thinned(s.x, s.y) end
      series[k] = s
    end
    place_bars(series)
    return series
  end

  -- ---- histograms

  -- The least and greatest finite value of several arrays.
  local function range_of(arrays)
    local low, high = cp.inf, -cp.inf
    for _, x in ipairs(arrays) do
      if x.size > 0 then
        local finite = cp.isfinite(x)
        low = math.min(low, cp.where(finite, x, cp.inf):min():item())
        high = math.max(high, cp.where(finite, x, -cp.inf):max():item())
      end
    end
    if low > high then return 0, 1 end -- no finite value
    return low, high
  end

  local function edges_of(where, arrays, bins, range)
    if type(bins) == "table" or cp.is_array(bins) then
      local edges = list_of(real_array(bins, where, "bins"))
      for k = 2, #edges do
        local grows = edges[k] > edges[k - 1]
        if not grows then usage(where, "the edges of bins must ascend") end -- so no edge may be nan
      end
      if #edges < 2 then usage(where, "bins needs at least two edges") end
      return edges
    end
    local n = core.integer(bins, where, "bins", 20)
    if n < 1 then usage(where, string.format("bins must be 1 or more, not %d", n)) end
    local low, high
    if range then low, high = range[1], range[2] else low, high = range_of(arrays) end
    if low > high then low, high = 0, 1 end
    if low == high then low, high = low - 0.5, high + 0.5 end
    local edges = {}
    for k = 0, n do edges[k + 1] = low + (high - low) * k / n end
    return edges
  end

  -- How many values are in each bin; the last bin includes its upper edge.
  local function counts_of(x, edges)
    local below, counts, n = {}, {}, #edges
    for k, edge in ipairs(edges) do
      below[k] = (k == n and cp.less_equal or cp.less)(x, edge):count_nonzero()
    end
    below = cp.stack(below):totable()
    for k = 1, n - 1 do counts[k] = tonumber(below[k + 1] - below[k]) end
    return counts
  end

  -- The series of a histogram of x, an array or a table of arrays, and the edges of its bins.
  local function histogram(where, x, bins, range, labels)
    local arrays = holds_vectors(x) and vectors(where, x, "x") or { real_array(x, where, "x") }
    for k, v in ipairs(arrays) do
      if core.kind(v) ~= "f" then arrays[k] = v:astype "float64" end
    end
    labels = option(where, labels, "labels")
    local edges, series, n = edges_of(where, arrays, bins, range), {}, #arrays
    for k, v in ipairs(arrays) do
      local s = { style = "bars", x = {}, y = counts_of(v, edges), left = {}, right = {},
        label = text(labels[k], where, "a label") }
      for i = 1, #s.y do
        local low, width = edges[i], edges[i + 1] - edges[i]
        s.left[i], s.right[i] = low + width * (k - 1) / n, low + width * k / n
        s.x[i] = (s.left[i] + s.right[i]) / 2
      end
      series[k] = s
    end
    return series, edges
  end

  return { of = of, histogram = histogram, real_array = real_array, text = text }
end
