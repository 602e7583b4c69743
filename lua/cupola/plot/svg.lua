-- A surface for lua/cupola/plot/layout.lua: SVG, whose text the viewer draws in its own font.

return function(cp, core)
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

  -- ---- the surface

  local function begin(add, width, height)
    add('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
      .. 'font-family="sans-serif" font-size="13">', width, height, width, height)
    add "<style>.grid{stroke-width:1}.border{fill:none;stroke:#444444;stroke-width:1}</style>"
    add '<rect width="100%%" height="100%%" fill="white"/>'
  end

  local function surface_of(width, height)
    local lines, surface, clipped = {}, {}, false
    local function add(...) lines[#lines + 1] = string.format(...) end
    local function add_rect(l, t, r, b, ...)
      add('<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" %s/>', l, t, r - l, b - t, string.format(...))
    end
    begin(add, width, height)

    function surface.line(x, y, colour, thickness)
      local points = {}
      for k = 1, #x do points[k] = string.format("%.2f,%.2f", x[k], y[k]) end
      add('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"/>', table.concat(points, " "), colour,
        thickness)
    end

    function surface.dots(x, y, colour, radius)
      for k = 1, #x do add('<circle cx="%.2f" cy="%.2f" r="%g" fill="%s"/>', x[k], y[k], radius, colour) end
    end

    function surface.segment(x0, y0, x1, y1, colour)
      add('<path d="M%.1f %.1fL%.1f %.1f" class="grid" stroke="%s"/>', x0, y0, x1, y1, colour)
    end

    function surface.bar(left, top, right, bottom, colour)
      add_rect(left, top, right, bottom, 'fill="%s" stroke="white" stroke-width="0.5"', colour)
    end

    function surface.panel(left, top, right, bottom)
      add_rect(left, top, right, bottom, 'fill="#ffffff" fill-opacity="0.8"')
    end

    function surface.border(box) add_rect(box.left, box.top, box.right, box.bottom, 'class="border"') end

    function surface.text(x, y, anchor, text, size, rotated)
      local more = size ~= 13 and string.format(' font-size="%g"', size) or ""
      if rotated then more = more .. string.format(' transform="rotate(-90 %.1f %.1f)"', x, y) end
      add('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>', x, y, anchor, more, escaped(text))
    end

    function surface.picture(array, figure, left, top, right, bottom)
      local cmap = figure.cmap -- vmin and vmax are of values that it maps to colours
      local png = cp.image.encode(array, "png", cmap, cmap and figure.vmin, cmap and figure.vmax)
      add('<image x="%.2f" y="%.2f" width="%.2f" height="%.2f" preserveAspectRatio="none" image-rendering="pixelated" '
        .. 'href="data:image/png;base64,%s"/>', left, top, right - left, bottom - top, base64(png))
    end

    function surface.clip(box)
      if clipped then add "</g>" end
      clipped = box ~= nil
      if not box then return end
      add('<clipPath id="inside"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></clipPath>', box.left, box.top,
        box.right - box.left, box.bottom - box.top)
      add '<g clip-path="url(#inside)">'
    end

    function surface.finish()
      add "</svg>"
      return table.concat(lines, "\n") .. "\n"
    end

    return surface
  end

  --- The figure as an SVG document.
  function core.plot_svg(figure) return core.plot_on(surface_of(core.plot_size(figure)), figure) end
end
