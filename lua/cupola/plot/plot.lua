-- cp.plot: quick plots of arrays. A plot becomes a plain table, a figure. It is laid out (layout.lua) as SVG
-- (svg.lua) or PNG (png.lua), drawn with characters (text.lua), or handed to gnuplot (gnuplot.lua). A figure
-- has
--   kind      "series", "bar", "hist", "heatmap" or "image"
--   series    list of {x = list, y = list, style = "line", "points" or "bars", label = string?}; bars have
--             lists left and right, the places of their sides
--   edges     for hist: the edges of the bins
--   names     for bar: the names of x = 1, 2, ..., if it has some
--   array     for heatmap: the matrix; vmin, vmax, cmap. For image: its pixels, uint8
--   rows, columns: those of the array
--   title, xlabel, ylabel, xlim, ylim, logx, logy, size

return function(cp, core)
  local plot = {}
  local publish = core.publisher(plot, "plot.")
  cp.plot = plot

  local MOST_CELLS = 1500 -- the most rows or columns of a matrix
  local MOST_PIXELS = 8192 -- the longest side of a picture

  local series_of = core.load "plot/series"(cp, core)
  local usage, real_array, text = core.usage, series_of.real_array, series_of.text

  local function pair(v, where, argument)
    if v == nil then return nil end
    if type(v) ~= "table" or type(v[1]) ~= "number" or type(v[2]) ~= "number" then
      usage(where, argument .. " must be a table of two numbers")
    end
    return { v[1], v[2] }
  end

  -- ---- drawing

  local endings = { png = true, svg = true, pdf = true, txt = true }

  local function write_file(where, file, drawn)
    local f = core.open_file(where, file, "w")
    f:write(drawn)
    f:close()
  end

  -- Draws the figure with characters to a file, or in place of a window, and returns the text.
  local function draw_text(where, figure, file, term)
    local drawn = core.plot_text(figure)
    if file then write_file(where, file, drawn) elseif not term then core.print(where, drawn) end
    return drawn
  end

  -- Draws the figure to the requested output. Returns the text if it was drawn with characters.
  local function draw(where, figure, file, term)
    file, term = text(file, where, "file"), text(term, where, "term")
    local ending = file and string.match(file, "%.(%w+)$")
    if file and not endings[ending] and (not term or term == "gnuplot") then
      usage(where, "the file's name must end in .png, .svg, .pdf or .txt: " .. file)
    end
    if ending == "txt" or term == "text" or not file and not term and not core.gnuplot_window(where) then
      return draw_text(where, figure, file, term)
    end
    if not term and (ending == "svg" or ending == "png") then
      write_file(where, file, core["plot_" .. ending](figure))
    else
      core.plot_gnuplot(where, figure, file, ending, term ~= "gnuplot" and term or nil)
    end
    return nil
  end

  local NAMES = "title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term"

  -- Adds the fields that all kinds of figures have, and draws.
  local function finish(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term)
    figure.title, figure.xlabel = text(title, where, "title"), text(xlabel, where, "xlabel")
    figure.ylabel = text(ylabel, where, "ylabel")
    figure.xlim, figure.ylim = pair(xlim, where, "xlim"), pair(ylim, where, "ylim")
    figure.logx, figure.logy = core.boolean(logx, where, "logx", false), core.boolean(logy, where, "logy", false)
    figure.size = pair(size, where, "size")
    for _, side in ipairs(figure.size or {}) do
      local fits = side <= MOST_PIXELS -- false for nan
      if not fits then usage(where, string.format("a side of size must be at most %d", MOST_PIXELS)) end
    end
    return draw(where, figure, file, term)
  end

  local function drawer(name, style)
    return core.define("plot." .. name, "x, y, labels, " .. NAMES .. ", styles", 1,
      function(where, x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term, styles)
        local figure = { kind = "series", series = series_of.of(where, style, x, y, labels, styles) }
        return finish(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term)
      end)
  end

  --- Draws lines: `cp.plot.line(x, y, {file = "sine.png"})`, also `cp.plot(x, y, ...)`. Without a file it
  --- draws in gnuplot's window, or if there is none, with characters to the standard output.
  ---@param x any  x values, one vector for all y or as many as y; without y: the y values at 1, 2, ...
  ---@param y? any  y values: a vector, a matrix of columns, or a table of vectors
  ---@param labels? string|table  a name, or a table of the lines' names
  ---@param title? string
  ---@param xlabel? string
  ---@param ylabel? string
  ---@param xlim? table  {least, greatest}
  ---@param ylim? table
  ---@param logx? boolean  logarithmic axis; default false
  ---@param logy? boolean
  ---@param file? string  .png, .svg or .txt; .pdf by gnuplot
  ---@param size? table  {width, height} in pixels, or for text in characters
  ---@param term? string  "text": characters; "gnuplot", or one of gnuplot's terminals: gnuplot draws
  ---@param styles? string|table  of each series: "line", "points" or "bars"
  ---@return string?  the text, if drawn with characters
  plot.line = drawer("line", "line")

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
  ---@param styles? string|table
  ---@return string?  the text, if drawn with characters
  plot.scatter = drawer("scatter", "points")

  --- Draws bars from 0, beside each other if y has several vectors; other arguments as for plot.line.
  ---@param x any  a table of names, or the x values of the bars' middles; without y: the y values
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
  ---@param styles? string|table
  ---@return string?  the text, if drawn with characters
  publish("bar", "x, y, labels, " .. NAMES .. ", styles", 1,
    function(where, x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term, styles)
      local names
      if type(x) == "table" and type(x[1]) == "string" then
        names = {}
        for k = 1, #x do names[k] = text(x[k], where, "a name") end
        if y == nil then usage(where, "names of bars need y") end
        x = cp.arange(1, #names + 1)
      end
      local figure = { kind = "bar", names = names, series = series_of.of(where, "bars", x, y, labels, styles) }
      return finish(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term)
    end)

  --- Draws a histogram.
  ---@param x any  an array, or a table of arrays whose bars stand beside each other
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
  ---@param labels? string|table  of the arrays of x
  ---@return string?  the text, if drawn with characters
  publish("hist", "x, bins, range, " .. NAMES .. ", labels", 1,
    function(where, x, bins, range, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term, labels)
      local figure = { kind = "hist" }
      figure.series, figure.edges = series_of.histogram(where, x, bins, pair(range, where, "range"), labels)
      return finish(where, figure, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term)
    end)

  -- ---- matrices and pictures

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
  publish("heatmap", "z, cmap, vmin, vmax, " .. NAMES, 1, function(where, z, cmap, vmin, vmax, ...)
    z = real_array(z, where, "z")
    if z.ndim ~= 2 or z.size == 0 then
      core.raise(where, "shape", "z must be (rows, columns), not " .. tostring(z.shape))
    end
    if core.kind(z) ~= "f" then z = z:astype "float64" end
    cmap = cmap == nil and "viridis" or cmap
    core.palette(where, cmap)
    vmin, vmax = core.value_limits(z, limit(vmin, where, "vmin"), limit(vmax, where, "vmax"), where)
    return finish(where, { kind = "heatmap", array = sampled(z, MOST_CELLS, MOST_CELLS), cmap = cmap, vmin = vmin,
      vmax = vmax, rows = z.shape[1], columns = z.shape[2] }, ...)
  end)

  --- Draws a picture inside axes that count its pixels.
  ---@param pixels any  (height, width), or with a last axis of 1 to 4 as cp.image.save takes it; alpha is
  --- dropped
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
  publish("image", "pixels, " .. NAMES, 1, function(where, pixels, ...)
    local x = core.as_array(pixels, where, "pixels")
    local channels = x.ndim == 3 and x.shape[3] or x.ndim == 2 and 1 or 0
    if channels < 1 or channels > 4 or x.size == 0 then
      core.raise(where, "shape", "pixels must be (height, width) or (height, width, 1 to 4), not " .. tostring(x.shape))
    end
    local rows, columns = x.shape[1], x.shape[2]
    x = sampled(core.pixel_bytes(where, x), MOST_CELLS, MOST_CELLS)
    if x.ndim == 3 then x = channels < 3 and x[{ {}, {}, 1 }] or x[{ {}, {}, { 1, 3 } }] end
    return finish(where, { kind = "image", array = x, vmin = 0, vmax = 255, rows = rows, columns = columns }, ...)
  end)

  setmetatable(plot, { __call = function(_, ...) return plot.line(...) end })

  local font = core.load "plot/font"
  core.load "plot/gnuplot"(cp, core)
  core.load "plot/text"(cp, core)
  core.load "plot/layout"(cp, core, font)
  core.load "plot/svg"(cp, core)
  core.load "plot/png"(cp, core, font)
end
