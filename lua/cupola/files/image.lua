-- cp.image: images as arrays. src/lua/files/image.c reads and writes the files.

return function(cp, core)
  local image = cp.image
  local publish = core.publisher(image, "image.")
  local maps = core.load "plot/colormaps"

  local usage = core.usage

  -- ---- colour maps

  local function colour(hex, at)
    local r, g, b = string.match(hex, "(%x%x)(%x%x)(%x%x)", at)
    return { tonumber(r, 16), tonumber(g, 16), tonumber(b, 16) }
  end

  -- A map's positions in 0..1 and their colours.
  local function anchors(map)
    local places, colours = {}, {}
    if type(map) == "string" then
      local n = #map / 6
      for k = 1, n do places[k], colours[k] = (k - 1) / (n - 1), colour(map, 6 * k - 5) end
    else
      for k = 1, #map / 2 do places[k], colours[k] = map[2 * k - 1], colour(map[2 * k], 1) end
    end
    return places, colours
  end

  local palettes = {}

  -- 256 colours of three bytes each.
  local function palette(map)
    local places, colours = anchors(map)
    local text, k = {}, 1
    for i = 0, 255 do
      local at = i / 255
      while k < #places - 1 and places[k + 1] < at do k = k + 1 end
      local t = math.max(0, math.min(1, (at - places[k]) / (places[k + 1] - places[k])))
      local bytes = {}
      for c = 1, 3 do bytes[c] = math.floor(colours[k][c] + t * (colours[k + 1][c] - colours[k][c]) + 0.5) end
      text[i + 1] = string.char(bytes[1], bytes[2], bytes[3])
    end
    return table.concat(text)
  end

  local function map_names()
    local names = {}
    for name in pairs(maps) do names[#names + 1] = name end
    table.sort(names)
    return names
  end

  -- The palette of a map's name; the suffix "_r" reverses the map.
  function core.palette(where, name)
    if type(name) ~= "string" then usage(where, "a colour map is named by a string, not " .. type(name)) end
    local known = string.gsub(name, "_r$", "")
    if not maps[known] then
      local near = core.suggest(known, map_names())
      usage(where,
        string.format("no colour map '%s'%s; the colour maps are %s, each also reversed with _r at the end", name,
        near and string.format(" (did you mean '%s'?)", near) or "", table.concat(map_names(), ", ")))
    end
    if not palettes[name] then
      local text = palette(maps[known])
      if known ~= name then
        local list = {}
        for k = 256, 1, -1 do list[#list + 1] = string.sub(text, 3 * k - 2, 3 * k) end
        text = table.concat(list)
      end
      palettes[name] = text
    end
    return palettes[name]
  end

  --- The names of the colour maps; each also exists with the suffix "_r", which reverses it.
  ---@return table names
  publish("colormaps", "", 0, function(_) return map_names() end)

  -- ---- conversion to bytes

  local function number(v, where, argument)
    if type(v) == "number" then return v end
    if cp.is_array(v) and v.size == 1 then return v:item() end
    return usage(where, argument .. " must be a number, not " .. type(v))
  end

  -- Real values as float64 or float32.
  local function floating(x, where)
    local kind = core.kind(x)
    if kind == "c" then core.raise(where, "dtype", "pixels must be real; take cp.abs or cp.angle of complex values") end
    if x.dtype == "float64" or x.dtype == "float32" then return x end
    return x:astype((kind == "i" or kind == "u") and x.itemsize > 2 and "float64" or "float32")
  end

  -- Converts x, limited to 0..1, to uint8; nan becomes 0.
  local function to_bytes(x) return cp.rint(cp.clip(x, 0, 1) * 255):astype "uint8" end

  -- The smallest and largest finite value, unless vmin and vmax give them.
  local function limits(x, vmin, vmax, where)
    if x.size == 0 then return 0, 1 end
    local finite = (vmin == nil or vmax == nil) and cp.isfinite(x)
    vmin = vmin == nil and cp.where(finite, x, cp.inf):min():item() or number(vmin or 0, where, "vmin")
    vmax = vmax == nil and cp.where(finite, x, -cp.inf):max():item() or number(vmax or 0, where, "vmax")
    if vmin > vmax then return 0, 1 end -- no finite value
    return vmin, vmax
  end

  -- Scales x from vmin..vmax to uint8.
  local function scaled(x, vmin, vmax, where)
    x = floating(x, where)
    vmin, vmax = limits(x, vmin, vmax, where)
    local width = vmax - vmin
    if width == 0 or width ~= width or width == cp.inf then return to_bytes((x - vmin) * 0) end
    return to_bytes((x - vmin) / width)
  end

  core.value_limits = limits

  --- Maps values to colours: x between vmin and vmax through a colour map.
  ---@param x any  any shape, real
  ---@param name? string  default "viridis"
  ---@param vmin? number  the value at the start of the map; default: the smallest finite value
  ---@param vmax? number  the value at the end of the map; default: the largest finite value
  ---@return any  uint8, x's shape with another axis of 3
  publish("colormap", "x, name, vmin, vmax", 1, function(where, x, name, vmin, vmax)
    x = core.as_array(x, where, "x")
    local colours = core.palette(where, name == nil and "viridis" or name)
    return core.apply_palette(scaled(x, vmin, vmax, where), colours)
  end)

  -- ---- files

  local HALF_STEP = 1 / 510 -- values so far outside 0..1 are rounded to 0 and 255 anyway

  -- Floats from 0..1 as uint8. clip: values outside are allowed.
  local function from_unit(where, x, clip)
    x = floating(x, where)
    if not clip and x.size > 0 then
      local low, high = cp.nanmin(x):item(), cp.nanmax(x):item()
      if low < -HALF_STEP or high > 1 + HALF_STEP then
        usage(where, string.format("floats are 0..1, but pixels reach from %.6g to %.6g; pass scale = true to map them "
          .. "to 0..1, or clip = true", low, high))
      end
    end
    return to_bytes(x)
  end

  -- Pixels as uint8: uint8 unchanged, bool as 0 and 255, floats from 0..1.
  local function pixel_bytes(where, x, clip)
    if x.dtype == "uint8" then return x end
    if x.dtype == "bool" then return x:astype "uint8" * 255 end
    if core.kind(x) == "f" then return from_unit(where, x, clip) end
    return core.raise(where, "dtype", "pixels must be uint8 (0..255), floats (0..1) or bool, not " .. x.dtype
      .. "; convert with :astype, or name a colour map: cmap = \"gray\"")
  end

  core.pixel_bytes = pixel_bytes

  local OPTIONS = "cmap, vmin, vmax, quality, scale, clip"

  -- The bytes of the pixels, and the quality.
  local function prepared(where, pixels, cmap, vmin, vmax, quality, scale, clip)
    local x = core.as_array(pixels, where, "pixels")
    quality = core.integer(quality, where, "quality", 95)
    if quality < 1 or quality > 100 then usage(where, string.format("quality must be 1 to 100, not %d", quality)) end
    scale, clip = core.boolean(scale, where, "scale", false), core.boolean(clip, where, "clip", false)
    if cmap == nil then
      if scale then return scaled(x, vmin, vmax, where), quality end
      if vmin ~= nil or vmax ~= nil then x, cmap = floating(x, where), "gray" end
    elseif x.ndim == 3 and x.shape[3] == 1 then
      x = x:reshape({ x.shape[1], x.shape[2] })
    end
    if cmap == nil then return pixel_bytes(where, x, clip), quality end
    if x.ndim ~= 2 then
      core.raise(where, "shape", "a colour map takes pixels of shape (height, width), not " .. tostring(x.shape))
    end
    local bytes = scaled(x, vmin, vmax, where)
    return cmap == "gray" and bytes or core.apply_palette(bytes, core.palette(where, cmap)), quality
  end

  --- Writes an image: (height, width) is grey, (height, width, 2 to 4) is grey with alpha, RGB or RGBA. The
  --- file extension chooses the format: .png, .jpg, .bmp or .tga.
  ---@param file string
  ---@param pixels any  uint8 (0..255), floats (0..1), bool; any real values with cmap
  ---@param cmap? string  colour map for (height, width): "viridis", "magma", "gray", ...; see
  --- cp.image.colormaps()
  ---@param vmin? number  with cmap: the value at the start of the map; default: the smallest value
  ---@param vmax? number  with cmap: the value at the end of the map; default: the largest value
  ---@param quality? integer  JPEG quality, 1 to 100; default 95
  ---@param scale? boolean  map vmin..vmax, by default the values' range, to 0..1 first, all channels alike
  ---@param clip? boolean  whether floats may lie outside 0..1; default false: that is an error
  publish("save", "file, pixels, " .. OPTIONS, 2, function(where, file, ...)
    core.write_picture(file, prepared(where, ...))
  end)

  --- The bytes of an image file, as a string. Pixels and options are those of save.
  ---@param pixels any
  ---@param format? string  "png" (default), "jpg", "bmp" or "tga"
  ---@param cmap? string
  ---@param vmin? number
  ---@param vmax? number
  ---@param quality? integer
  ---@param scale? boolean
  ---@param clip? boolean
  ---@return string
  publish("encode", "pixels, format, " .. OPTIONS, 1, function(where, pixels, format, ...)
    return core.encode_picture(format == nil and "png" or format, prepared(where, pixels, ...))
  end)

  local modes = { gray = 1, grey = 1, la = 2, rgb = 3, rgba = 4 }

  -- The pixels of the bytes of an image file. label: what errors call it.
  local function decoded(where, bytes, label, mode, dtype, device)
    dtype = dtype == nil and "uint8" or core.dtype(dtype, where)
    local float = core.kind(dtype) == "f"
    if not float and dtype ~= "uint8" and dtype ~= "uint16" then
      core.raise(where, "dtype", "dtype must be uint8, uint16 or a floating one, not " .. dtype)
    end
    if mode ~= nil and not modes[mode] then core.not_among(where, "mode", '"gray", "la", "rgb" or "rgba"', mode) end
    local wide -- nil: floats keep the file's full precision
    if not float then wide = dtype == "uint16" end
    local x = core.read_picture(bytes(), label, mode and modes[mode] or 0, wide, device, where)
    if not float then return x end
    local most = x.dtype == "uint16" and 65535 or 255
    return (x:astype(dtype == "float64" and dtype or "float32") / most):astype(dtype, false)
  end

  --- Reads an image (PNG, JPEG, BMP, TGA, PNM) as an array (height, width) if it is grey, else (height,
  --- width, channels).
  ---@param file string
  ---@param mode? string  "gray", "la" (with alpha), "rgb" or "rgba"; default: that of the file
  ---@param dtype? string  "uint8" (default), "uint16", or a floating dtype for values in 0..1
  ---@param device? string
  ---@return any
  publish("load", "file, mode, dtype, device", 1, function(where, file, ...)
    core.check_capability(where, "files")
    return decoded(where, function() return core.read_file(where, file) end, file, ...)
  end)

  --- The same of the bytes of an image file, a string.
  ---@param bytes string
  ---@param mode? string  "gray", "la" (with alpha), "rgb" or "rgba"; default: that of the file
  ---@param dtype? string  "uint8" (default), "uint16", or a floating dtype for values in 0..1
  ---@param device? string
  ---@return any
  publish("decode", "bytes, mode, dtype, device", 1, function(where, bytes, ...)
    if type(bytes) ~= "string" then usage(where, "bytes must be a string, not " .. cp.type(bytes)) end
    return decoded(where, function() return bytes end, "bytes", ...)
  end)
end
