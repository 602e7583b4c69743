-- A surface for lua/cupola/plot/layout.lua: a picture, of whose pixels core.stroke_coverage says which part
-- strokes cover. Text is drawn in strokes, too (font.lua).

return function(cp, core, font)
  local on_cpu = { device = "cpu" }

  local function channel(colour, k) return tonumber(string.sub(colour, 2 * k, 2 * k + 1), 16) end

  local function pixel(colour)
    return cp.array({ channel(colour, 1), channel(colour, 2), channel(colour, 3) }, "float32", on_cpu)
  end

  -- How much of each of the pixels first..last lies between two places.
  local function covered(from, to, first, last)
    local list = {}
    for k = first, last do list[#list + 1] = math.max(0, math.min(k, to) - math.max(k - 1, from)) end
    return cp.array(list, "float32", on_cpu)
  end

  -- For each of the pixels first..last of an edge from..to, which of n rows is drawn there.
  local function nearest(from, to, n, first, last)
    local x = (cp.arange(first, last + 1, 1, "float64", on_cpu) - (0.5 + from)) * (n / (to - from))
    return cp.clip(cp.floor(x), 0, n - 1):astype "int64" + 1
  end

  local function surface_of(width, height)
    local canvas = cp.full({ height, width, 3 }, 255, "float32", on_cpu)
    local surface, inside = {}, { 1, width, 1, height } -- the pixels that are drawn on
    local pending, style = {}, {} -- strokes to draw yet, as a list of coordinates; their colour and form

    -- The pixels that a rectangle touches, within those that are drawn on; nil if there is none.
    local function pixels_of(left, top, right, bottom)
      local l, r = math.max(inside[1], math.floor(left) + 1), math.min(inside[2], math.ceil(right))
      local t, b = math.max(inside[3], math.floor(top) + 1), math.min(inside[4], math.ceil(bottom))
      if l > r or t > b then return nil end
      return l, t, r, b
    end

    -- Paints a colour over the pixels l..r of the rows t..b, where coverage says how much of each.
    local function paint(l, t, r, b, coverage, colour)
      local region = canvas[{ { t, b }, { l, r } }]
      region:assign(region + (pixel(colour) - region) * coverage:reshape(b - t + 1, r - l + 1, 1))
    end

    local function flush()
      local points = pending
      pending = {}
      if #points == 0 then return end
      local l, r, t, b = unpack(inside)
      points = cp.array(points, "float64", on_cpu):reshape(-1, 2) - cp.array({ l - 1, t - 1 }, "float64", on_cpu)
      local coverage = core.stroke_coverage(points, style.joined, style.radius, r - l + 1, b - t + 1)
      paint(l, t, r, b, coverage, style.colour)
    end

    -- The list to which strokes of this kind are added.
    local function strokes(colour, radius, joined)
      if style.colour ~= colour or style.radius ~= radius or style.joined ~= joined then
        flush()
        style = { colour = colour, radius = radius, joined = joined }
      end
      return pending
    end

    local function fill(left, top, right, bottom, colour, opacity)
      flush()
      local l, t, r, b = pixels_of(left, top, right, bottom)
      if not l then return end
      local coverage = covered(top, bottom, t, b):reshape(-1, 1) * covered(left, right, l, r)
      paint(l, t, r, b, coverage * opacity, colour)
    end

    local function add_points(list, x, y)
      local n = #list
      for k = 1, #x do list[n + 2 * k - 1], list[n + 2 * k] = x[k], y[k] end
    end

    function surface.line(x, y, colour, thickness)
      local list = strokes(colour, thickness / 2, true)
      add_points(list, x, y)
      add_points(list, { cp.nan }, { cp.nan })
    end

    function surface.dots(x, y, colour, radius) add_points(strokes(colour, radius, false), x, y) end

    -- Straight lines of one pixel's width lie on pixels, so that they are sharp.
    function surface.segment(x0, y0, x1, y1, colour)
      local function sharp(v) return math.floor(v) + 0.5 end
      surface.line({ sharp(x0), sharp(x1) }, { sharp(y0), sharp(y1) }, colour, 1)
    end

    function surface.bar(left, top, right, bottom, colour)
      fill(left, top, right, bottom, "#ffffff", 1)
      local edge = math.min(0.25, (right - left) / 8)
      fill(left + edge, top, right - edge, bottom, colour, 1)
    end

    function surface.panel(left, top, right, bottom) fill(left, top, right, bottom, "#ffffff", 0.8) end

    function surface.border(box)
      local l, t, r, b = box.left, box.top, box.right, box.bottom
      for _, side in ipairs { { l, t, r, t }, { r, t, r, b }, { l, b, r, b }, { l, t, l, b } } do
        surface.segment(side[1], side[2], side[3], side[4], "#444444")
      end
    end

    function surface.text(x, y, anchor, text, size, rotated)
      text = string.gsub(text, "%c", " ")
      local list, n = strokes("#000000", size * 0.045, true), #pending
      local part = anchor == "middle" and 0.5 or anchor == "end" and 1 or 0
      local back = part * font.width(text, size)
      font.draw(text, size, function(right, up)
        right = right - back
        if rotated then
          list[n + 1], list[n + 2] = x - up, y - right
        else
          list[n + 1], list[n + 2] = x + right, y - up
        end
        n = n + 2
      end)
    end

    function surface.picture(array, figure, left, top, right, bottom)
      flush()
      local l, t, r, b = pixels_of(left, top, right, bottom)
      if not l then return end
      local rows = nearest(top, bottom, array.shape[1], t, b)
      local columns = nearest(left, right, array.shape[2], l, r)
      if figure.cmap then array = cp.image.colormap(array, figure.cmap, figure.vmin, figure.vmax) end
      if array.ndim == 2 then array = array:reshape(array.shape[1], array.shape[2], 1) end
      array = cp.asnumpy(array)
      canvas[{ { t, b }, { l, r } }] = cp.take(cp.take(array, rows, 1), columns, 2)
    end

    function surface.clip(box)
      flush()
      inside = { 1, width, 1, height }
      if box then inside = { pixels_of(box.left, box.top, box.right, box.bottom) } end
      if box then inside = { inside[1], inside[3], inside[2], inside[4] } end
    end

    function surface.finish()
      flush()
      return core.encode_picture("png", cp.rint(canvas):astype "uint8", 95)
    end

    return surface
  end

  --- The figure as a PNG file.
  function core.plot_png(figure) return core.plot_on(surface_of(core.plot_size(figure)), figure) end
end
