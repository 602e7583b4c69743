-- Draws figures of lua/cupola/plot/plot.lua with gnuplot, whose input is a script that includes the data.
-- CUPOLA_GNUPLOT names another command; if empty, gnuplot is not used.

return function(cp, core)
  -- A string for gnuplot in which no character is special.
  local function quoted(s) return "'" .. string.gsub(string.gsub(s, "[%c]", " "), "'", "''") .. "'" end

  --- The command gnuplot, or false.
  function core.gnuplot(where)
    local wanted = core.variable(where, "CUPOLA_GNUPLOT") or "gnuplot"
    return core.has_program(where, wanted) and wanted
  end

  --- Whether gnuplot can open a window.
  function core.gnuplot_window(where)
    local display = core.variable(where, "DISPLAY") or core.variable(where, "WAYLAND_DISPLAY")
    return display ~= nil and display ~= "" and core.gnuplot(where)
  end

  -- ---- the script

  local function number(v)
    if v ~= v or v == cp.inf or v == -cp.inf then return "NaN" end
    return string.format("%.10g", v)
  end

  local function range(limits)
    if not limits then return nil end
    return string.format("[%s:%s]", number(limits[1]), number(limits[2]))
  end

  local terminals = {
    png = "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) set term pngcairo noenhanced size %d,%d; "
      .. "else set term png noenhanced size %d,%d",
    svg = "set term svg noenhanced size %d,%d",
    pdf = "set term pdfcairo noenhanced size %d/72.,%d/72.",
  }

  local function add_terminal(add, figure, file, ending, term)
    local size = figure.size or { 800, 600 }
    if term then
      add("set term " .. term .. " noenhanced")
    elseif ending then
      add(string.format(terminals[ending], size[1], size[2], size[1], size[2]))
    end
    if file then add("set output " .. quoted(file)) end
  end

  local function add_frame(add, figure)
    for _, name in ipairs { "title", "xlabel", "ylabel" } do
      if figure[name] then add(string.format("set %s %s", name, quoted(figure[name]))) end
    end
    if figure.logx then add "set logscale x" end
    if figure.logy then add "set logscale y" end
    if figure.xlim then add("set xrange " .. range(figure.xlim)) end
    if figure.ylim then add("set yrange " .. range(figure.ylim)) end
  end

  local styles = {
    line = "with lines linewidth 2", points = "with points pointtype 7 pointsize 0.6",
    bars = "with boxes fillstyle solid 0.7",
  }

  local function add_data(add, name, s)
    add(string.format("%s << EOD", name))
    for i = 1, #s.x do
      if s.left then
        local left, right = s.left[i], s.right[i]
        add(string.format("%s %s %s", number((left + right) / 2), number(s.y[i]), number(right - left)))
      else
        add(number(s.x[i]) .. " " .. number(s.y[i]))
      end
    end
    add "EOD"
  end

  local function add_names(add, names)
    local marks = {}
    for k, name in ipairs(names) do marks[k] = string.format("%s %d", quoted(name), k) end
    add("set xtics (" .. table.concat(marks, ", ") .. ")")
  end

  local function add_series(add, figure)
    local parts, positive = {}, not figure.ylim and not figure.logy
    for k, s in ipairs(figure.series) do
      local name = string.format("$s%d", k)
      add_data(add, name, s)
      parts[k] = string.format("%s using 1:2%s %s %s", name, s.left and ":3" or "", styles[s.style],
        s.label and "title " .. quoted(s.label) or "notitle")
      positive = positive and s.left ~= nil
      for _, v in ipairs(s.y) do
        if v < 0 then positive = false end
      end
    end
    if figure.names then add_names(add, figure.names) end
    if positive then add "set yrange [0:*]" end -- of bars
    add("plot " .. table.concat(parts, ", "))
  end

  local function palette_text(name)
    local colours, parts = core.palette("plot.heatmap", name), {}
    for i = 0, 255, 5 do
      parts[#parts + 1] = string.format("%d '#%02x%02x%02x'", i, string.byte(colours, 3 * i + 1, 3 * i + 3))
    end
    return "set palette defined (" .. table.concat(parts, ", ") .. ")"
  end

  -- Sets the ranges of a matrix or picture; returns the distances of its columns and rows that are drawn.
  local function add_cells(add, figure)
    local rows, columns = figure.array.shape[1], figure.array.shape[2]
    local dy, dx = math.ceil(figure.rows / rows), math.ceil(figure.columns / columns)
    if not figure.xlim then add(string.format("set xrange [%g:%g]", 1 - dx / 2, (columns - 1) * dx + 1 + dx / 2)) end
    if not figure.ylim then add(string.format("set yrange [%g:%g]", (rows - 1) * dy + 1 + dy / 2, 1 - dy / 2)) end
    return dx, dy
  end

  local function add_heatmap(add, figure)
    add(palette_text(figure.cmap))
    add("set cbrange " .. range { figure.vmin, figure.vmax > figure.vmin and figure.vmax or figure.vmin + 1 })
    local dx, dy = add_cells(add, figure)
    add "$z << EOD"
    for _, row in ipairs(figure.array:totable()) do
      local words = {}
      for k, v in ipairs(row) do words[k] = number(v) end
      add(table.concat(words, " "))
    end
    add "EOD"
    add(string.format("plot $z matrix using ($1*%d+1):($2*%d+1):3 with image notitle", dx, dy))
  end

  local function add_image(add, figure)
    local dx, dy = add_cells(add, figure)
    add "set size ratio -1"
    add "$z << EOD"
    for i, row in ipairs(figure.array:totable()) do
      for k, v in ipairs(row) do
        local r, g, b = v, v, v
        if type(v) == "table" then r, g, b = unpack(v) end
        add(string.format("%d %d %d %d %d", (k - 1) * dx + 1, (i - 1) * dy + 1, r, g, b))
      end
    end
    add "EOD"
    add "plot $z using 1:2:3:4:5 with rgbimage notitle"
  end

  local add_kind = { heatmap = add_heatmap, image = add_image }

  -- The script that draws a figure.
  function core.gnuplot_script(figure, file, ending, term)
    local lines = {}
    local function add(line) lines[#lines + 1] = line end
    add_terminal(add, figure, file, ending, term)
    add "set border linewidth 0.5; set tics nomirror; set grid linewidth 0.5"
    add_frame(add, figure)
    local add_contents = add_kind[figure.kind] or add_series
    add_contents(add, figure)
    if file then add "set output" end
    return table.concat(lines, "\n") .. "\n"
  end

  -- ---- running it

  local function empty(figure)
    for _, s in ipairs(figure.series or {}) do
      for k = 1, #s.x do
        if number(s.x[k]) ~= "NaN" and number(s.y[k]) ~= "NaN" then return false end
      end
    end
    return figure.array == nil
  end

  --- Draws a figure to a file or a window.
  function core.plot_gnuplot(where, figure, file, ending, term)
    local program = core.gnuplot(where)
    if not program then
      core.raise(where, "io", "gnuplot is not installed (Debian, Ubuntu: gnuplot-nox); it draws PDF and windows: "
        .. "give term = \"text\", or a file that ends in .png, .svg or .txt")
    end
    if term and string.find(term, "[^%w ,.#]") then
      core.raise(where, "usage", "term must be a gnuplot terminal, not " .. term)
    end
    if empty(figure) then core.raise(where, "usage", "there is no finite value to draw") end
    -- This raises an error with the reason if the file cannot be written.
    if file then core.open_file(where, file, "a"):close() end
    local complaints, failure = core.run_program(where, { program, not file and "-persist" or nil },
      core.gnuplot_script(figure, file, ending, term))
    local fault = string.match(complaints, "line %d+: ([^\n]*)") or failure
    if fault then core.raise(where, "io", "gnuplot failed: " .. fault) end
  end
end
