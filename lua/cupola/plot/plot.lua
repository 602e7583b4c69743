-- cp.plot: quick plots of arrays. A plot becomes a plain table, a figure, which is drawn as SVG (svg.lua),
-- with characters (text.lua), or by gnuplot to another file or a window (gnuplot.lua). A figure has
--   kind      "line", "scatter", "hist" or "heatmap"
--   series    list of {x = list, y = list, label = string?}; for hist, the centres of the bins and the
--             counts
--   edges     for hist: the edges of the bins
--   matrix    for heatmap: list of rows; vmin, vmax, cmap; rows, columns: those of the array
--   title, xlabel, ylabel, xlim, ylim, logx, logy, size

return function(cp, core)
  local plot = {}
  local publish = core.publisher(plot, "plot.")
  cp.plot = plot

  local MOST_POINTS, MOST_CELLS = 20000, 1500 -- the most points of a line, and rows or columns of a heat map

  local usage = core.usage

  -- ---- arguments

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

  local function pair(v, where, argument)
    if v == nil then return nil end
    if type(v) ~= "table" or type(v[1]) ~= "number" or type(v[2]) ~= "number" then
      usage(where, argument .. " must be a table of two numbers")
    end
    return { v[1], v[2] }
  end

  -- ---- series

  -- y as a list of vectors: a table of arrays, the columns of a matrix, or a single vector.
  local function vectors(where, y)
    if type(y) == "table" and cp.is_array(y[1]) then
      local list = {}
      for k = 1, #y do list[k] = real_array(y[k], where, string.format("y[%d]", k)) end
      return list
    end
    y = real_array(y, where, "y")
    if y.ndim == 2 then
      local list = {}
      for k = 1, y.shape[2] do list[k] = y[{ {}, k }] end
      return list
    end
    return { y }
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

  local function series_of(where, kind, x, y, labels)
    if y == nil then x, y = nil, x end
    local list = vectors(where, y)
    if x ~= nil then x = real_array(x, where, "x") end
    if type(labels) == "string" then labels = { labels } end
    if labels ~= nil and type(labels) ~= "table" then usage(where, "labels must be a table of strings") end
    local series, xs = {}, x ~= nil and list_of(x)
    for k, v in ipairs(list) do
      if v.ndim > 1 then core.raise(where, "shape", "y must have one or two axes, not shape " .. tostring(v.shape)) end
      local ys, own = list_of(v), xs
      if not own then
        own = {}
        for i = 1, #ys do own[i] = i end
      end
      if #own ~= #ys then
        core.raise(where, "shape", string.format("x has %d values, y has %d", #own, #ys))
      end
      if kind == "line" then own, ys = thinned(own, ys) end
      series[k] = { x = own, y = ys, label = text(labels and labels[k], where, "a label") }
    end
    return series
  end

  -- ---- drawing

  local endings = { png = true, svg = true, pdf = true, txt = true }

  local function write_text(where, file, drawn)
    local f = core.open_file(where, file, "w")
    f:write(drawn)
    f:close()
  end

  -- Draws the figure to the requested output. Returns the text if it was drawn with characters.
  local function draw(where, figure, file, term)
    file, term = text(file, where, "file"), text(term, where, "term")
    local ending = file and string.match(file, "%.(%w+)$")
    if file and not endings[ending] and not term then
      usage(where, "the file's name must end in .png, .svg, .pdf or .txt: " .. file)
    end
    if ending == "txt" or term == "text" or not file and not term and not core.gnuplot_window(where) then
      local drawn = core.plot_text(figure)
      if file then
        write_text(where, file, drawn)
      elseif not term then -- in place of a window
        core.print(where, drawn)
      end
      return drawn
    end
    if ending == "svg" and not term then
      write_text(where, file, core.plot_svg(figure))
      return nil
    end
    if not core.gnuplot(where) and figure.kind == "heatmap" and ending == "png" then
      cp.image.save(file, figure.array, figure.cmap, figure.vmin, figure.vmax)
      return nil
    end
    core.plot_gnuplot(where, figure, file, ending, term)
    return nil
  end

  local NAMES = "title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term"

  -- The fields of a figure that all kinds have.
  local function frame(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, size)
    figure.title, figure.xlabel = text(title, where, "title"), text(xlabel, where, "xlabel")
    figure.ylabel = text(ylabel, where, "ylabel")
    figure.xlim, figure.ylim = pair(xlim, where, "xlim"), pair(ylim, where, "ylim")
    figure.logx, figure.logy = core.boolean(logx, where, "logx", false), core.boolean(logy, where, "logy", false)
    figure.size = pair(size, where, "size")
    return figure
  end

  local function drawer(kind)
    return core.define("plot." .. kind, "x, y, labels, " .. NAMES, 1,
      function(where, x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term)
        local figure = { kind = kind, series = series_of(where, kind, x, y, labels) }
        frame(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, size)
        return draw(where, figure, file, term)
      end)
  end

  --- Draws lines: `cp.plot.line(x, y, {file = "sine.png"})`, also `cp.plot(x, y, ...)`. Without a file it
  --- draws in gnuplot's window, or if there is none, with characters to the standard output.
  ---@param x any  x values; without y: the y values at 1, 2, ...
  ---@param y? any  y values: a vector, a matrix of columns, or a table of vectors
  ---@param labels? string|table  a name, or a table of the lines' names
  ---@param title? string
  ---@param xlabel? string
  ---@param ylabel? string
  ---@param xlim? table  {least, greatest}
  ---@param ylim? table
  ---@param logx? boolean  logarithmic axis; default false
  ---@param logy? boolean
  ---@param file? string  .svg or .txt; .png or .pdf by gnuplot
  ---@param size? table  {width, height} in pixels, or for text in characters
  ---@param term? string  a gnuplot terminal, or "text": characters
  ---@return string?  the text, if drawn with characters
  plot.line = drawer "line"

  --- Draws points; arguments as for plot.line.
  ---@param x any
  ---@param y? any
  ---@param labels? string|table
  ---@param title? string
  ---@param xlabel? string
  ---@param ylabel? string
  ---@param xlim? table
  ---@param ylim? table
  ---@param logx? boolean
  ---@param logy? boolean
  ---@param file? string
  ---@param size? table
  ---@param term? string
  ---@return string?  the text, if drawn with characters
  plot.scatter = drawer "scatter"

  -- ---- histograms

  local function edges_of(where, x, bins, range)
    if type(bins) == "table" or cp.is_array(bins) then
      local edges = list_of(real_array(bins, where, "bins"))
      for k = 2, #edges do
        local grows = edges[k] > edges[k - 1]
        if not grows then usage(where, "the edges of bins must grow") end -- so no edge may be nan
      end
      if #edges < 2 then usage(where, "bins needs two edges at least") end
      return edges
    end
    local n = core.integer(bins, where, "bins", 20)
    if n < 1 then usage(where, string.format("bins must be 1 or more, not %d", n)) end
    local low, high = 0, 1
    if range then
      low, high = range[1], range[2]
    elseif x.size > 0 then
      local finite = cp.isfinite(x)
      low, high = cp.where(finite, x, cp.inf):min():item(), cp.where(finite, x, -cp.inf):max():item()
    end
    if low > high then low, high = 0, 1 end -- no finite value
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

  --- Draws a histogram.
  ---@param x any
  ---@param bins? any  the number of bins (default 20), or a table or vector of edges
  ---@param range? table  {least, greatest}; default: that of the finite values
  ---@param title? string
  ---@param xlabel? string
  ---@param ylabel? string
  ---@param xlim? table
  ---@param ylim? table
  ---@param logx? boolean
  ---@param logy? boolean
  ---@param file? string
  ---@param size? table
  ---@param term? string
  ---@return string?  the text, if drawn with characters
  publish("hist", "x, bins, range, " .. NAMES, 1,
    function(where, x, bins, range, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term)
      x = real_array(x, where, "x")
      if core.kind(x) ~= "f" then x = x:astype "float64" end
      local edges = edges_of(where, x, bins, pair(range, where, "range"))
      local counts, middles = counts_of(x, edges), {}
      for k = 1, #counts do middles[k] = (edges[k] + edges[k + 1]) / 2 end
      local figure = { kind = "hist", series = { { x = middles, y = counts, edges = edges } } }
      frame(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, size)
      return draw(where, figure, file, term)
    end)

  -- ---- heat maps

  -- z, or if it is large, every second, third, ... row and column.
  local function sampled(z, most_rows, most_columns)
    local items = {}
    for axis, most in ipairs { most_rows, most_columns } do
      local n = z.shape[axis]
      items[axis] = { 1, n, math.max(1, math.ceil(n / most)) }
    end
    return z[items]
  end

  core.plot_sampled = sampled

  local function limit(v, where, argument)
    if v ~= nil and type(v) ~= "number" then usage(where, argument .. " must be a number, not " .. type(v)) end
    return v
  end

  --- Draws a matrix as coloured cells, with the first row at the top.
  ---@param z any  (rows, columns)
  ---@param cmap? string  colour map; default "viridis", see cp.image.colormaps()
  ---@param vmin? number  the value at the start of the map; default: the smallest finite value
  ---@param vmax? number  the value at the end of the map; default: the largest finite value
  ---@param title? string
  ---@param xlabel? string
  ---@param ylabel? string
  ---@param xlim? table
  ---@param ylim? table
  ---@param logx? boolean  ignored
  ---@param logy? boolean  ignored
  ---@param file? string
  ---@param size? table
  ---@param term? string
  ---@return string?  the text, if drawn with characters
  publish("heatmap", "z, cmap, vmin, vmax, " .. NAMES, 1,
    function(where, z, cmap, vmin, vmax, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term)
      z = real_array(z, where, "z")
      if z.ndim ~= 2 or z.size == 0 then
        core.raise(where, "shape", "z must be (rows, columns), not " .. tostring(z.shape))
      end
      if core.kind(z) ~= "f" then z = z:astype "float64" end
      cmap = cmap == nil and "viridis" or cmap
      core.palette(where, cmap)
      vmin, vmax = core.value_limits(z, limit(vmin, where, "vmin"), limit(vmax, where, "vmax"), where)
      local figure = { kind = "heatmap", array = sampled(z, MOST_CELLS, MOST_CELLS), cmap = cmap, vmin = vmin,
        vmax = vmax,
        rows = z.shape[1], columns = z.shape[2] }
      frame(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, size)
      return draw(where, figure, file, term)
    end)

  setmetatable(plot, { __call = function(_, ...) return plot.line(...) end })

  core.load "plot/gnuplot"(cp, core)
  core.load "plot/text"(cp, core)
  core.load "plot/svg"(cp, core)
end
