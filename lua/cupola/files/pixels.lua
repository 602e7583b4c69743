-- cp.image: resizing pictures, and their colours. Pictures have the shape (height, width) or (height, width,
-- channels). Values keep their meaning: uint8 from 0 to 255, floats from 0 to 1.

return function(cp, core)
  local image = cp.image
  local publish = core.publisher(image, "image.")
  local usage, raise_shape = core.usage, core.raise_shape

  -- ---- arguments

  local function picture(where, value, argument, channels)
    local x = core.as_array(value, where, argument)
    local kind = core.kind(x)
    if kind == "c" then core.raise(where, "dtype", argument .. " must be real, not " .. x.dtype) end
    if channels and (x.ndim ~= 3 or not string.find(channels, tostring(x.shape[3]), 1, true)) then
      raise_shape(where, string.format("%s must have shape (height, width, %s), not %s", argument,
        string.gsub(channels, " ", " or "), tostring(x.shape)))
    end
    if x.ndim ~= 2 and x.ndim ~= 3 then
      raise_shape(where, argument .. " must have shape (height, width) or (height, width, channels), not "
        .. tostring(x.shape))
    end
    return x
  end

  -- Values as the floating dtype that they are computed in; those of integers divided by `scale`.
  local function floating(x, scale)
    if core.is_inexact(x) then
      return core.is_half(x.dtype) and x:astype "float32" or x
    end
    local y = x:astype(x.itemsize > 2 and "float64" or "float32")
    return scale and x.dtype ~= "bool" and y / scale or y
  end

  -- Values in x's dtype again; integers are rounded, and limited to those that there are.
  local function as_before(y, x, scale)
    if x.dtype == "bool" then return cp.greater_equal(y, 0.5) end
    if core.is_inexact(x) then return y:astype(x.dtype, false) end
    return cp.rint(scale and y * scale or y):astype(x.dtype)
  end

  local function full_scale(x) return not core.is_inexact(x) and x.dtype ~= "bool" and cp.iinfo(x.dtype).max or nil end

  -- ---- resizing

  local METHODS = { nearest = true, bilinear = true, bicubic = true, area = true, lanczos = true }

  -- Linear interpolation at once, by the affine map of places (src/lua/routines/sample.c): a GPU would read
  -- and write more by one axis after the other. nil: the filter must be widened, an axis stays as it is, or
  -- the device is the CPU.
  local function interpolated(where, y, shape, sharp, dtype)
    local map = {}
    if y.device == "cpu" or y.ndim > 2 then return nil end
    for d, m in ipairs(shape) do
      local scale = y.shape[d] / m
      if m == 0 or scale == 1 or scale > 1 and not sharp then return nil end
      for k = 1, 2 do map[#map + 1] = k == d and scale or 0 end
      map[#map + 1] = 0.5 * scale - 0.5
    end
    return core.sample(where, y, map, shape, 1, "nearest", 0, 0, dtype)
  end

  --- A picture of another size.
  ---@param x any  (height, width) or (height, width, channels), real
  ---@param shape any  {height, width}
  ---@param method? string  "bilinear" (default), "nearest", "bicubic", "area" or "lanczos"
  ---@param antialias? boolean  false: do not widen the filter where the picture gets smaller; default true
  ---@return any  x's dtype; integers are rounded
  publish("resize", "x, shape, method, antialias", 2, function(where, x, shape, method, antialias)
    x = picture(where, x, "x")
    if type(shape) ~= "table" or #shape ~= 2 then usage(where, "shape must be {height, width}") end
    if method == nil then method = "bilinear" end
    if not METHODS[method] then
      core.not_among(where, "method", '"nearest", "bilinear", "bicubic", "area" or "lanczos"', method)
    end
    local y = floating(x)
    local dtype, sharp = y.dtype, antialias == false
    shape = { shape[1], shape[2] }
    for axis = 1, 2 do
      shape[axis] = core.integer(shape[axis], where, "shape", nil, 0, 2 ^ 31)
      if x.shape[axis] == 0 and shape[axis] > 0 then raise_shape(where, "x has no pixels") end
    end
    local all = method == "bilinear" and interpolated(where, y, shape, sharp, dtype)
    if all then return as_before(all, x) end
    for axis = 2, 1, -1 do
      local m, n = shape[axis], x.shape[axis]
      if m ~= n then
        if m == 0 then
          y = core.slice(y, axis, 1, 0)
        else
          local numbers, weights = core.filter_weights(where, x, m, n, method, sharp)
          y = core.taps(where, y, axis, numbers, weights, nil, dtype)
        end
      end
    end
    return as_before(y, x)
  end)

  -- ---- colours

  local function channel(x, k) return x[{ {}, {}, k }] end

  --- A picture without colours: 0.299 red + 0.587 green + 0.114 blue.
  ---@param x any  (height, width, 3) or with a fourth channel, which is left out
  ---@return any  (height, width), x's dtype
  publish("gray", "x", 1, function(where, x)
    x = picture(where, x, "x", "3 4")
    local y = floating(x)
    return as_before(channel(y, 1) * 0.299 + channel(y, 2) * 0.587 + channel(y, 3) * 0.114, x)
  end)

  --- Hue, saturation and value of colours, each from 0 to 1.
  ---@param x any  (height, width, 3)
  ---@return any  (height, width, 3), floating
  publish("rgb_to_hsv", "x", 1, function(where, x)
    x = picture(where, x, "x", "3")
    local y = floating(x, full_scale(x))
    local r, g, b = channel(y, 1), channel(y, 2), channel(y, 3)
    local high, low = cp.maximum(cp.maximum(r, g), b), cp.minimum(cp.minimum(r, g), b)
    local span = high - low
    local flat = cp.equal(span, 0)
    local safe = cp.where(flat, 1, span)
    local hue = cp.where(cp.equal(high, r), (g - b) / safe,
      cp.where(cp.equal(high, g), 2 + (b - r) / safe, 4 + (r - g) / safe)) / 6
    hue = cp.where(flat, 0, hue - cp.floor(hue))
    return cp.stack({ hue, cp.where(cp.equal(high, 0), 0, span / cp.where(cp.equal(high, 0), 1, high)), high }, 3)
  end)

  --- Colours of hue, saturation and value, each from 0 to 1.
  ---@param x any  (height, width, 3), floating
  ---@return any  (height, width, 3): red, green and blue from 0 to 1
  publish("hsv_to_rgb", "x", 1, function(where, x)
    x = floating(picture(where, x, "x", "3"))
    local h, s, v = channel(x, 1) * 6, channel(x, 2), channel(x, 3)
    local list = {}
    for k, shift in ipairs { 5, 3, 1 } do
      local t = cp.remainder(h + shift, 6)
      list[k] = v - v * s * cp.clip(cp.minimum(t, 4 - t), 0, 1)
    end
    return cp.stack(list, 3)
  end)

  --- Lays a picture over another one.
  ---@param over any  (height, width), or with channels; with 4, the last one is its opacity
  ---@param under any  the same shape, or with 3 channels where `over` has 4
  ---@param alpha? any  the opacity of `over`, from 0 to 1: a number or an array (height, width); default 1
  ---@return any  under's shape and dtype
  publish("blend", "over, under, alpha", 2, function(where, over, under, alpha)
    over, under = picture(where, over, "over"), picture(where, under, "under")
    local a, b = floating(over, full_scale(over)), floating(under, full_scale(under))
    local opacity = alpha == nil and 1 or alpha
    if type(opacity) ~= "number" then
      opacity = floating(core.beside(where, over, opacity, "alpha"))
      if over.ndim == 3 and opacity.ndim == 2 then opacity = cp.expand_dims(opacity, 3) end
    end
    local function colours(x) return x.ndim == 3 and x.shape[3] == 4 and x[{ {}, {}, { 1, 3 } }] or x end
    if over.ndim == 3 and over.shape[3] == 4 then opacity = a[{ {}, {}, { 4, 4 } }] * opacity end
    local result
    if under.ndim == 3 and under.shape[3] == 4 then
      local below = b[{ {}, {}, { 4, 4 } }] * (1 - opacity)
      local all = opacity + below
      local mixed = (colours(a) * opacity + colours(b) * below) / cp.where(cp.equal(all, 0), 1, all)
      result = cp.concatenate({ mixed, cp.broadcast_to(all, { b.shape[1], b.shape[2], 1 }) }, { axis = 3 })
    else
      result = colours(a) * opacity + b * (1 - opacity)
    end
    if result.shape ~= under.shape then
      raise_shape(where, string.format("over and under have shapes %s and %s", tostring(over.shape),
        tostring(under.shape)))
    end
    return as_before(result, under, full_scale(under))
  end)
end
