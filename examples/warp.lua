-- Warps and resizes a picture: a swirl and a lens by map_coordinates, a rotation, and thumbnails by several
-- filters, all in one sheet.
-- Usage: ./dev lua examples/warp.lua [UNUSED] [FILE] [SIZE]

local cp = require "cupola"
local ndimage = cp.scipy.ndimage

local file = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/warp.png"
local n = tonumber(arg and arg[3]) or 360

-- Coordinates of all points from the middle, and their distance, in halves of the picture.
local at = cp.indices { n, n }
local middle = (n + 1) / 2
local y, x = (at[1] - middle) * 2 / n, (at[2] - middle) * 2 / n
local radius = cp.sqrt(x * x + y * y)

-- A picture with edges, curves and fine lines: squares, rings that get narrower, and hues by angle.
local function draw()
  local squares = (cp.floor(x * 6) + cp.floor(y * 6)) % 2
  local rings = 0.5 + 0.5 * cp.sin(40 * radius ^ 2)
  local hue = cp.arctan2(y, x) / (2 * math.pi) + 0.5
  local value = cp.where(radius:lt(0.8), rings * 0.7 + 0.3, 0.35 + 0.5 * squares)
  local saturation = cp.where(radius:lt(0.8), 0.75, 0.15)
  return cp.image.hsv_to_rgb(cp.stack({ hue, saturation, value }, 3):astype "float32")
end

-- The picture whose point (y, x) is the picture's point (from_y, from_x), both from -1 to 1.
local function warped(picture, from_y, from_x)
  local places = cp.stack({ from_y, from_x }, 1) * (n / 2) + middle
  local channels = {}
  for c = 1, 3 do
    channels[c] = ndimage.map_coordinates(picture[{ {}, {}, c }], places, { order = 3, mode = "mirror" })
  end
  return cp.clip(cp.stack(channels, 3), 0, 1):astype "float32"
end

-- Turns points by an angle that falls to 0 at the distance 1.
local function swirl(picture, turn)
  local angle = turn * cp.clip(1 - radius, 0, 1) ^ 2
  local c, s = cp.cos(angle), cp.sin(angle)
  return warped(picture, c * y + s * x, c * x - s * y)
end

local function lens(picture, strength)
  local scale = 1 - strength * cp.clip(1 - radius, 0, 1)
  return warped(picture, y * scale, x * scale)
end

local started = cp.clock()
local picture = draw()
local swirled = swirl(picture, 2.5)
local back = swirl(swirled, -2.5)
local magnified = lens(picture, 0.6)
local turned = ndimage.rotate(picture, 30, { axes = { 1, 2 }, reshape = false, order = 3, mode = "mirror" })
turned = cp.clip(turned, 0, 1)
local upper = cp.concatenate({ picture, swirled, back }, 2)
local lower = cp.concatenate({ magnified, turned:astype "float32" }, 2)

-- Thumbnails of the picture, enlarged again so that what each filter keeps can be seen.
local small, quarter, thumbnails = math.floor(n / 8), math.floor(n / 2), {}
for k, method in ipairs { "nearest", "bilinear", "area", "lanczos" } do
  local thumbnail = cp.image.resize(picture, { small, small }, method)
  thumbnails[k] = cp.clip(cp.image.resize(thumbnail, { quarter, quarter }, "nearest"), 0, 1)
end
local grid = cp.concatenate({ cp.concatenate({ thumbnails[1], thumbnails[2] }, 2),
  cp.concatenate({ thumbnails[3], thumbnails[4] }, 2) }, 1)
grid = cp.image.resize(grid, { n, n }, "nearest")
local sheet = (cp.concatenate({ upper, cp.concatenate({ lower, grid }, 2) }, 1) * 255):astype "uint8"
cp.image.imwrite(file, sheet)

-- How much the swirl and the swirl back have changed the picture, without its rim.
local inner = radius:lt(0.7):astype("float32"):reshape(n, n, 1)
local off = cp.sqrt((((back - picture) * inner) ^ 2):sum() / (3 * inner:sum())):item()
print(("%s: %d x %d on %s in %.2f s"):format(file, sheet.shape[2], sheet.shape[1], cp.device().name,
  cp.clock() - started))
print(("swirled and swirled back, the picture is off by %.4f"):format(off))

return { picture = picture, swirled = swirled, back = back, magnified = magnified, turned = turned, off = off,
  thumbnails = thumbnails }
