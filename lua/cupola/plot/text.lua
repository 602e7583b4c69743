-- Draws figures of lua/cupola/plot/plot.lua with characters: lines and points as Braille dots, bars and
-- shades as block characters.

return function(cp, core)
  local WIDTH, HEIGHT, MARGIN = 72, 18, 11

  -- The UTF-8 encoding, in three bytes, of a code point.
  local function utf8(code)
    return string.char(224 + math.floor(code / 4096), 128 + math.floor(code / 64) % 64, 128 + code % 64)
  end

  local axes = core.load "plot/axes"(cp)
  local finite, on_scale = axes.finite, axes.on_scale

  local function short(v) return string.format("%.4g", v) end

  local function size_of(figure)
    local size = figure.size or {}
    return math.max(8, math.floor(size[1] or WIDTH)), math.max(2, math.floor(size[2] or HEIGHT))
  end

  local function centred(text, width)
    local room = width - #text
    return room > 0 and string.rep(" ", math.floor(room / 2)) .. text or text
  end

  -- ---- a canvas of dots, two by four in each character

  local dots = { { 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 } }

  local function canvas(columns, rows)
    local cells = {}
    local self = { width = 2 * columns, height = 4 * rows }

    function self.dot(x, y) -- from 0, from the top left
      if x < 0 or y < 0 or x >= self.width or y >= self.height then return end
      local cell = math.floor(y / 4) * columns + math.floor(x / 2)
      local bit = dots[x % 2 + 1][y % 4 + 1]
      local bits = cells[cell] or 0
      if math.floor(bits / bit) % 2 == 0 then cells[cell] = bits + bit end
    end

    function self.line(x0, y0, x1, y1)
      local steps = math.max(math.abs(x1 - x0), math.abs(y1 - y0))
      for k = 0, steps do
        local t = steps > 0 and k / steps or 0
        self.dot(math.floor(x0 + t * (x1 - x0) + 0.5), math.floor(y0 + t * (y1 - y0) + 0.5))
      end
    end

    function self.row(k) -- from 0
      local text = {}
      for c = 0, columns - 1 do
        local bits = cells[k * columns + c]
        text[c + 1] = bits and utf8(0x2800 + bits) or " "
      end
      return (string.gsub(table.concat(text), " +$", ""))
    end

    return self
  end

  -- ---- lines and points

  local function limits_of(figure, key, given, log)
    if given then return on_scale(given[1], log), on_scale(given[2], log) end
    local low, high = cp.inf, -cp.inf
    for _, s in ipairs(figure.series) do
      for k = 1, #s.x do
        local v = on_scale(s[key][k], log)
        if finite(v) and finite(s[key == "x" and "y" or "x"][k]) then
          low, high = math.min(low, v), math.max(high, v)
        end
      end
    end
    if low > high then low, high = 0, 1 end
    if low == high then low, high = low - 0.5, high + 0.5 end
    return low, high
  end

  -- Draws the points, for lines the segments between them, and for bars those from 0. Points may be far
  -- outside, but then a segment is skipped, since it would have too many dots.
  local function draw_series(figure, c, place_x, place_y)
    local far, ground = 20 * (c.width + c.height), place_y(0)
    if not finite(ground) then ground = c.height - 1 end -- a logarithmic axis has no 0
    for _, s in ipairs(figure.series) do
      local last_x, last_y
      for k = 1, #s.x do
        local x, y = place_x(s.x[k]), place_y(s.y[k])
        if not finite(x) or not finite(y) then
          x = nil
        elseif s.style == "bars" and math.abs(y - ground) < far then
          c.line(x, math.max(-1, math.min(c.height, ground)), x, y)
        elseif s.style == "line" and last_x and math.abs(x - last_x) + math.abs(y - last_y) < far then
          c.line(last_x, last_y, x, y)
        else
          c.dot(math.floor(x + 0.5), math.floor(y + 0.5))
        end
        last_x, last_y = x, y
      end
    end
  end

  local function placer(low, high, last, log)
    return function(v) return (on_scale(v, log) - low) / (high - low) * last end
  end

  local function draw_points(figure, add)
    local columns, rows = size_of(figure)
    columns = columns - MARGIN
    local c = canvas(math.max(4, columns), rows)
    local x0, x1 = limits_of(figure, "x", figure.xlim, figure.logx)
    local y0, y1 = limits_of(figure, "y", figure.ylim, figure.logy)
    local across, up = placer(x0, x1, c.width - 1, figure.logx), placer(y0, y1, c.height - 1, figure.logy)
    draw_series(figure, c, across, function(v) return c.height - 1 - up(v) end)
    local function shown(v, log) return short(log and 10 ^ v or v) end
    for k = 0, rows - 1 do
      local label = k == 0 and shown(y1, figure.logy) or k == rows - 1 and shown(y0, figure.logy) or ""
      add(string.format("%9s \226\148\130", label) .. c.row(k))
    end
    add(string.rep(" ", 10) .. "\226\148\148" .. string.rep("\226\148\128", columns))
    local left, right = shown(x0, figure.logx), shown(x1, figure.logx)
    add(string.rep(" ", 11) .. left .. string.rep(" ", math.max(1, columns - #left - #right)) .. right)
    if figure.xlabel then add(string.rep(" ", 11) .. centred(figure.xlabel, columns)) end
    local labels = {}
    for _, s in ipairs(figure.series) do labels[#labels + 1] = s.label end
    if #labels > 0 then add(string.rep(" ", 11) .. table.concat(labels, ", ")) end
  end

  -- ---- bars

  local eighths = { "\226\150\143", "\226\150\142", "\226\150\141", "\226\150\140", "\226\150\139", "\226\150\138",
    "\226\150\137" }

  -- A bar of a length in characters.
  local function bar(length)
    local whole = math.floor(length + 1 / 16)
    local part = math.floor((length - whole) * 8 + 0.5)
    return string.rep("\226\150\136", whole) .. (eighths[part] or "")
  end

  -- What stands before the bar of item k.
  local function bar_name(figure, k)
    if figure.edges then return string.format("%10s .. %-9s", short(figure.edges[k]), short(figure.edges[k + 1])) end
    return string.format("%23s", figure.names and figure.names[k] or short(figure.series[1].x[k]))
  end

  local function draw_bars(figure, add)
    local columns, most = size_of(figure), 0
    local function length(v)
      v = math.abs(v)
      if v ~= v or v == cp.inf then return 0 end
      return figure.logy and (v > 0 and math.max(0, math.log(v) + 1) or 0) or v
    end
    for _, s in ipairs(figure.series) do
      for _, v in ipairs(s.y) do most = math.max(most, length(v)) end
    end
    local room = math.max(4, columns - 24 - 8)
    for k = 1, #figure.series[1].y do
      for j, s in ipairs(figure.series) do
        local v = s.y[k]
        if v then
          add((j == 1 and bar_name(figure, k) or string.rep(" ", 23)) .. " \226\148\130"
            .. bar(most > 0 and room * length(v) / most or 0) .. " "
            .. string.format(figure.edges and "%d" or "%.4g", v) .. (s.label and "  " .. s.label or ""))
        end
      end
    end
    if figure.xlabel then add(figure.xlabel) end
  end

  -- ---- shades

  local shades = { [0] = " ", "\226\150\145", "\226\150\146", "\226\150\147", "\226\150\136" }

  local function draw_shades(figure, add)
    local columns, rows = size_of(figure)
    if not figure.size then rows = 36 end
    local z = figure.array
    if z.ndim == 3 then
      local parts = cp.array({ 77, 150, 29 }, "float32", { device = z.device }) -- of the luminance
      z = (z:astype "float32" * parts):sum(3) / 256
    end
    z = core.plot_sampled(z, rows, math.floor(columns / 2))
    local width = figure.vmax - figure.vmin
    for _, row in ipairs(z:totable()) do
      local text = {}
      for k, v in ipairs(row) do
        local t = width > 0 and finite(v) and (v - figure.vmin) / width or 0
        text[k] = string.rep(shades[math.max(0, math.min(4, math.floor(t * 5)))], 2)
      end
      add(table.concat(text))
    end
    add(string.format("blank %s .. full %s", short(figure.vmin), short(figure.vmax)))
  end

  --- The figure as text.
  function core.plot_text(figure)
    local lines = {}
    local function add(line) lines[#lines + 1] = line end
    if figure.title then add(centred(figure.title, (size_of(figure)))) end
    if figure.ylabel then add(figure.ylabel) end
    if figure.array then
      draw_shades(figure, add)
    elseif figure.kind == "hist" or figure.kind == "bar" then
      draw_bars(figure, add)
    else
      draw_points(figure, add)
    end
    return table.concat(lines, "\n") .. "\n"
  end
end
