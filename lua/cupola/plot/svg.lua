-- Draws figures of lua/cupola/plot/plot.lua as SVG, without another program: a frame with ticks and text, and
-- in it lines, points, bars, or a picture of a matrix with a bar of its colours.

return function(cp, core)
  local WIDTH, HEIGHT = 800, 600
  local COLOURS = { "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2" }

  local function colour_of(k) return COLOURS[(k - 1) % #COLOURS + 1] end

  local function finite(v) return v == v and v ~= cp.inf and v ~= -cp.inf end

  local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

  local function escaped(text) return (string.gsub(string.gsub(text, "%c", " "), '[&<>"]', ENTITIES)) end

  -- ---- base64 (RFC 4648), for pictures inside the text

  local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  local function digit(v) return string.sub(DIGITS, v + 1, v + 1) end

  local function base64(bytes)
    local parts = {}
    for k = 1, #bytes, 3 do
      local a, b, c = string.byte(bytes, k, k + 2)
      local v = a * 65536 + (b or 0) * 256 + (c or 0)
      parts[#parts + 1] = digit(math.floor(v / 262144)) .. digit(math.floor(v / 4096) % 64)
        .. (b and digit(math.floor(v / 64) % 64) or "=") .. (c and digit(v % 64) or "=")
      if #parts % 4096 == 0 then core.check_interrupt "plot" end
    end
    return table.concat(parts)
  end

  -- ---- axes

  local function power(v) return math.log(v) / math.log(10) end

  local function on_scale(v, log)
    if not log then return v end
    return v > 0 and power(v) or cp.nan
  end

  -- The least and greatest value of an axis on its scale.
  local function limits_of(figure, key, given, log)
    if given then return on_scale(given[1], log), on_scale(given[2], log) end
    local low, high, other = cp.inf, -cp.inf, key == "x" and "y" or "x"
    for _, s in ipairs(figure.series) do
      for k = 1, #s.x do
        local v = on_scale(s[key][k], log)
        if finite(v) and finite(s[other][k]) then low, high = math.min(low, v), math.max(high, v) end
      end
    end
    if low > high then low, high = 0, 1 end
    if low == high then low, high = low - 0.5, high + 0.5 end
    local room = (high - low) * 0.03
    return low - room, high + room
  end

  -- Round numbers between low and high, at distances of 1, 2 or 5 times a power of ten.
  local function ticks_of(low, high, log, most)
    local list, least, greatest = {}, math.min(low, high), math.max(low, high)
    local rough = (greatest - least) / most
    if not (rough > 0 and finite(rough)) then return list end
    local unit = 10 ^ math.floor(power(rough))
    local step = rough <= unit and unit or rough <= 2 * unit and 2 * unit or rough <= 5 * unit and 5 * unit or 10 * unit
    if log then step = math.max(1, math.floor(step + 0.5)) end
    for k = math.ceil(least / step - 1e-9), math.floor(greatest / step + 1e-9) do
      local v = k * step + 0 -- not -0, which LuaJIT's ceil gives
      list[#list + 1] = { at = v, text = string.format("%.5g", log and 10 ^ v or v) }
    end
    return list
  end

  -- An axis: at(v) is where a value lies in pixels, ticks are its marks.
  local function axis_of(low, high, from, to, log, most)
    local axis = { ticks = ticks_of(low, high, log, most) }
    function axis.at_scale(v) return from + (v - low) / (high - low) * (to - from) end
    function axis.at(v) return axis.at_scale(on_scale(v, log)) end
    return axis
  end

  -- ---- the frame

  local function writer()
    local lines = {}
    local function add(...) lines[#lines + 1] = string.format(...) end
    return lines, add
  end

  local function add_text(add, x, y, anchor, text, more)
    add('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>', x, y, anchor, more or "", escaped(text))
  end

  local function add_frame(add, figure, box, across, up)
    for _, tick in ipairs(across.ticks) do
      local x = across.at_scale(tick.at)
      add('<path d="M%.1f %.1fV%.1f" class="grid"/>', x, box.top, box.bottom)
      add_text(add, x, box.bottom + 18, "middle", tick.text)
    end
    for _, tick in ipairs(up.ticks) do
      local y = up.at_scale(tick.at)
      add('<path d="M%.1f %.1fH%.1f" class="grid"/>', box.left, y, box.right)
      add_text(add, box.left - 6, y + 4, "end", tick.text)
    end
    local middle = (box.left + box.right) / 2
    if figure.title then add_text(add, middle, 26, "middle", figure.title, ' font-size="17"') end
    if figure.xlabel then add_text(add, middle, box.bottom + 40, "middle", figure.xlabel) end
    if figure.ylabel then
      local y = (box.top + box.bottom) / 2
      add_text(add, 18, y, "middle", figure.ylabel, string.format(' transform="rotate(-90 18 %.1f)"', y))
    end
  end

  local function add_border(add, box)
    add('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="border"/>', box.left, box.top, box.right - box.left,
      box.bottom - box.top)
  end

  local function add_legend(add, figure, box)
    local row = 0
    for k, s in ipairs(figure.series) do
      if s.label then
        local y = box.top + 18 + 18 * row
        add('<path d="M%.1f %.1fh22" stroke="%s" stroke-width="3"/>', box.right - 34, y - 4, colour_of(k))
        add_text(add, box.right - 40, y, "end", s.label)
        row = row + 1
      end
    end
  end

  -- ---- what is in it

  local function add_line(add, s, colour, across, up)
    local points = {}
    local function flush()
      if #points > 1 then
        add('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.8"/>', table.concat(points, " "), colour)
      elseif #points == 1 then
        local x, y = string.match(points[1], "(.*),(.*)")
        add('<circle cx="%s" cy="%s" r="2" fill="%s"/>', x, y, colour)
      end
      points = {}
    end
    for k = 1, #s.x do
      local x, y = across.at(s.x[k]), up.at(s.y[k])
      if finite(x) and finite(y) then points[#points + 1] = string.format("%.2f,%.2f", x, y) else flush() end
    end
    flush()
  end

  local function add_points(add, s, colour, across, up)
    for k = 1, #s.x do
      local x, y = across.at(s.x[k]), up.at(s.y[k])
      if finite(x) and finite(y) then add('<circle cx="%.2f" cy="%.2f" r="2.5" fill="%s"/>', x, y, colour) end
    end
  end

  local function add_bars(add, s, colour, across, up, bottom)
    for k, v in ipairs(s.y) do
      local left, right, y = across.at(s.edges[k]), across.at(s.edges[k + 1]), up.at(v)
      if finite(left) and finite(right) and finite(y) and y < bottom then
        add('<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s" stroke="white" stroke-width="0.5"/>', left, y,
          right - left, bottom - y, colour)
      end
    end
  end

  local function add_picture(add, array, figure, left, top, right, bottom)
    local png = cp.image.encode(array, "png", figure.cmap, figure.vmin, figure.vmax)
    add('<image x="%.2f" y="%.2f" width="%.2f" height="%.2f" preserveAspectRatio="none" image-rendering="pixelated" '
      .. 'href="data:image/png;base64,%s"/>', left, top, right - left, bottom - top, base64(png))
  end

  -- ---- figures

  local function heatmap(add, figure, box)
    local xlim, ylim = figure.xlim or { 0.5, figure.columns + 0.5 }, figure.ylim or { figure.rows + 0.5, 0.5 }
    local across = axis_of(xlim[1], xlim[2], box.left, box.right, false, 8)
    local up = axis_of(ylim[1], ylim[2], box.bottom, box.top, false, 6)
    add_frame(add, figure, box, across, up)
    add '<g clip-path="url(#inside)">'
    add_picture(add, figure.array, figure, across.at(0.5), up.at(0.5), across.at(figure.columns + 0.5),
      up.at(figure.rows + 0.5))
    add "</g>"
    add_border(add, box)
    if figure.vmax > figure.vmin then
      local bar = { left = box.right + 14, right = box.right + 30, top = box.top, bottom = box.bottom }
      local shades = cp.linspace(figure.vmax, figure.vmin, 256):reshape(256, 1)
      add_picture(add, shades, figure, bar.left, bar.top, bar.right, bar.bottom)
      add_border(add, bar)
      local scale = axis_of(figure.vmin, figure.vmax, bar.bottom, bar.top, false, 6)
      for _, tick in ipairs(scale.ticks) do
        add_text(add, bar.right + 5, scale.at_scale(tick.at) + 4, "start", tick.text)
      end
    end
  end

  local function graph(add, figure, box)
    local x0, x1 = limits_of(figure, "x", figure.xlim, figure.logx)
    local y0, y1 = limits_of(figure, "y", figure.ylim, figure.logy)
    if figure.kind == "hist" then
      local edges = figure.series[1].edges
      if not figure.xlim then x0, x1 = on_scale(edges[1], figure.logx), on_scale(edges[#edges], figure.logx) end
      if not finite(x0) then x0 = x1 - 3 end -- a logarithmic axis has no 0
      if not figure.ylim and not figure.logy then y0 = 0 end
      if not figure.ylim and figure.logy then y0 = math.min(y0, 0) - 0.3 end
    end
    local across = axis_of(x0, x1, box.left, box.right, figure.logx, 8)
    local up = axis_of(y0, y1, box.bottom, box.top, figure.logy, 6)
    add_frame(add, figure, box, across, up)
    add '<g clip-path="url(#inside)">'
    for k, s in ipairs(figure.series) do
      local colour = colour_of(k)
      if figure.kind == "line" then
        add_line(add, s, colour, across, up)
      elseif figure.kind == "hist" then
        add_bars(add, s, colour, across, up, box.bottom)
      else
        add_points(add, s, colour, across, up)
      end
    end
    add "</g>"
    add_border(add, box)
    add_legend(add, figure, box)
  end

  --- The figure as an SVG document.
  function core.plot_svg(figure)
    local size = figure.size or { WIDTH, HEIGHT }
    local width, height = math.max(200, size[1]), math.max(150, size[2])
    local box = { left = figure.ylabel and 84 or 66, right = width - (figure.kind == "heatmap" and 100 or 22),
      top = figure.title and 40 or 18, bottom = height - (figure.xlabel and 52 or 34) }
    local lines, add = writer()
    add('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
      .. 'font-family="sans-serif" font-size="13">', width, height, width, height)
    add "<style>.grid{stroke:#dddddd;stroke-width:1}.border{fill:none;stroke:#444444;stroke-width:1}</style>"
    add '<rect width="100%%" height="100%%" fill="white"/>'
    add('<clipPath id="inside"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></clipPath>', box.left, box.top,
      box.right - box.left, box.bottom - box.top)
    if figure.kind == "heatmap" then heatmap(add, figure, box) else graph(add, figure, box) end
    add "</svg>"
    return table.concat(lines, "\n") .. "\n"
  end
end
