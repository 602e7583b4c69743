-- Lays out figures of lua/cupola/plot/plot.lua: a frame with marks and text, and in it lines, points, bars or
-- a picture. They are drawn on a surface (svg.lua, png.lua), which has these functions; places are in pixels
-- from the upper left corner, colours are "#rrggbb":
--   line(x, y, colour, width)        joins points, lists of coordinates
--   dots(x, y, colour, radius)
--   segment(x0, y0, x1, y1, colour)  a thin line
--   bar(left, top, right, bottom, colour)  a rectangle with a white edge
--   panel(left, top, right, bottom)  a white rectangle through which what is behind it shines
--   border(box)                      the edge of a box {left, top, right, bottom}
--   text(x, y, anchor, text, size, rotated)  y is the baseline; anchor "start", "middle" or "end"; rotated:
--                                    upwards
--   picture(array, figure, left, top, right, bottom)  shades of a matrix, or pixels
--   clip(box)                        draws inside a box only; nil: everywhere
--   finish()                         returns the file's bytes

return function(cp, core, font)
  local WIDTH, HEIGHT, TEXT, TITLE = 800, 600, 13, 17
  local COLOURS = { "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2" }
  local GRID = "#dddddd"

  local axes = core.load "plot/axes"(cp)
  local finite = axes.finite

  local function colour_of(k) return COLOURS[(k - 1) % #COLOURS + 1] end

  -- ---- the frame

  local function draw_frame(surface, figure, box, across, up)
    for _, tick in ipairs(across.ticks) do
      local x = across.at_scale(tick.at)
      if not figure.names then surface.segment(x, box.top, x, box.bottom, GRID) end
      surface.text(x, box.bottom + 18, "middle", tick.text, TEXT)
    end
    for _, tick in ipairs(up.ticks) do
      local y = up.at_scale(tick.at)
      surface.segment(box.left, y, box.right, y, GRID)
      surface.text(box.left - 6, y + 4, "end", tick.text, TEXT)
    end
    local middle = (box.left + box.right) / 2
    if figure.title then surface.text(middle, box.top - 14, "middle", figure.title, TITLE) end
    if figure.xlabel then surface.text(middle, box.bottom + 40, "middle", figure.xlabel, TEXT) end
    if figure.ylabel then surface.text(18, (box.top + box.bottom) / 2, "middle", figure.ylabel, TEXT, true) end
  end

  local function draw_key(surface, style, x, y, colour)
    if style == "line" then
      surface.line({ x - 34, x - 12 }, { y - 4, y - 4 }, colour, 3)
    elseif style == "points" then
      surface.dots({ x - 23 }, { y - 4 }, colour, 3.5)
    else
      surface.bar(x - 34, y - 10, x - 12, y + 2, colour)
    end
  end

  local function draw_legend(surface, figure, box)
    local widest, rows = 0, 0
    for _, s in ipairs(figure.series) do
      if s.label then widest, rows = math.max(widest, font.width(s.label, TEXT)), rows + 1 end
    end
    if rows == 0 then return end
    surface.panel(box.right - 48 - widest, box.top + 3, box.right - 5, box.top + 8 + 18 * rows)
    local y = box.top + 18
    for k, s in ipairs(figure.series) do
      if s.label then
        draw_key(surface, s.style, box.right, y, colour_of(k))
        surface.text(box.right - 40, y, "end", s.label, TEXT)
        y = y + 18
      end
    end
  end

  -- ---- what is in it

  local function draw_line(surface, s, colour, across, up)
    local xs, ys = {}, {}
    local function flush()
      if #xs > 1 then surface.line(xs, ys, colour, 1.8) elseif #xs == 1 then surface.dots(xs, ys, colour, 2) end
      xs, ys = {}, {}
    end
    for k = 1, #s.x do
      local x, y = across.at(s.x[k]), up.at(s.y[k])
      if finite(x) and finite(y) then xs[#xs + 1], ys[#ys + 1] = x, y else flush() end
    end
    flush()
  end

  local function draw_points(surface, s, colour, across, up)
    local xs, ys = {}, {}
    for k = 1, #s.x do
      local x, y = across.at(s.x[k]), up.at(s.y[k])
      if finite(x) and finite(y) then xs[#xs + 1], ys[#ys + 1] = x, y end
    end
    if #xs > 0 then surface.dots(xs, ys, colour, 2.5) end
  end

  local function draw_bars(surface, s, colour, across, up, box)
    local base = up.log and box.bottom or up.at(0)
    for k, v in ipairs(s.y) do
      local left, right, y = across.at(s.left[k]), across.at(s.right[k]), up.at(v)
      if not finite(left) then left = box.left end -- a logarithmic axis has no 0
      if finite(right) and finite(y) and y ~= base then
        surface.bar(math.min(left, right), math.min(y, base), math.max(left, right), math.max(y, base), colour)
      end
    end
  end

  local draw = { line = draw_line, points = draw_points, bars = draw_bars }

  -- ---- figures

  local function draw_colours(surface, figure, box)
    local bar = { left = box.right + 14, right = box.right + 30, top = box.top, bottom = box.bottom }
    local shades = cp.linspace(figure.vmax, figure.vmin, 256, { device = "cpu" }):reshape(256, 1)
    surface.picture(shades, figure, bar.left, bar.top, bar.right, bar.bottom)
    surface.border(bar)
    local scale = axes.place(axes.axis(figure.vmin, figure.vmax, false, 6), bar.bottom, bar.top)
    for _, tick in ipairs(scale.ticks) do
      surface.text(bar.right + 5, scale.at_scale(tick.at) + 4, "start", tick.text, TEXT)
    end
  end

  local function draw_matrix(surface, figure, box, across, up)
    local array, left, right = figure.array, across.at(0.5), across.at(figure.columns + 0.5)
    local top, bottom = up.at(0.5), up.at(figure.rows + 0.5)
    if left > right then array, left, right = cp.flip(array, 2), right, left end
    if top > bottom then array, top, bottom = cp.flip(array, 1), bottom, top end
    surface.picture(array, figure, left, top, right, bottom)
    surface.clip(nil)
    surface.border(box)
    if figure.kind == "heatmap" and figure.vmax > figure.vmin then draw_colours(surface, figure, box) end
  end

  local function draw_series(surface, figure, box, across, up)
    for k, s in ipairs(figure.series) do draw[s.style](surface, s, colour_of(k), across, up, box) end
    surface.clip(nil)
    surface.border(box)
    draw_legend(surface, figure, box)
  end

  -- Makes the box of a picture as high or as narrow as its pixels are square.
  local function keep_square(box, across, up)
    local scale = math.min((box.right - box.left) / math.abs(across.high - across.low),
      (box.bottom - box.top) / math.abs(up.high - up.low))
    local x = (box.right - box.left - scale * math.abs(across.high - across.low)) / 2
    local y = (box.bottom - box.top - scale * math.abs(up.high - up.low)) / 2
    box.left, box.right, box.top, box.bottom = box.left + x, box.right - x, box.top + y, box.bottom - y
  end

  --- The size of a figure's picture, in pixels.
  function core.plot_size(figure)
    local size = figure.size or { WIDTH, HEIGHT }
    return math.max(200, math.floor(size[1])), math.max(150, math.floor(size[2]))
  end

  --- Draws a figure on a surface, and returns the file's bytes.
  function core.plot_on(surface, figure)
    local width, height = core.plot_size(figure)
    local across, up = (figure.array and axes.of_matrix or axes.of_series)(figure)
    local widest = 0
    for _, tick in ipairs(up.ticks) do widest = math.max(widest, font.width(tick.text, TEXT)) end
    local box = { left = (figure.ylabel and 18 or 0) + math.max(66, widest + 14),
      right = width - (figure.kind == "heatmap" and 100 or 22), top = figure.title and 40 or 18,
      bottom = height - (figure.xlabel and 52 or 34) }
    if figure.kind == "image" then keep_square(box, across, up) end
    axes.place(across, box.left, box.right)
    axes.place(up, box.bottom, box.top)
    draw_frame(surface, figure, box, across, up)
    surface.clip(box)
    local draw_inside = figure.array and draw_matrix or draw_series
    draw_inside(surface, figure, box, across, up)
    return surface.finish()
  end
end
