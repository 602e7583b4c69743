-- Counts and measures cells in a picture: threshold, distance transform, a split of cells that touch, and
-- measurements by labels. The picture is made here, so that the true cells are known.
-- Usage: ./dev lua examples/cells.lua [CELLS] [FILE] [SIZE]

local cp = require "cupola"
local ndimage = cp.scipy.ndimage

local wanted = tonumber(arg and arg[1]) or 120
local file = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/cells.png"
local n = tonumber(arg and arg[3]) or 512

-- ---- a picture: blurred discs on an uneven background, with noise

-- Places cells at random, some of them touching others, but no centre inside of another cell.
local function place_cells(rng, count)
  local cells = {}
  for _ = 1, 200 * count do
    if #cells == count then break end
    local u = rng:random(3):totable()
    local cell = { r = 9 + 5 * u[3] }
    cell.y, cell.x = 16 + (n - 31) * u[1], 16 + (n - 31) * u[2]
    local free = true
    for _, other in ipairs(cells) do
      local apart = math.sqrt((cell.y - other.y) ^ 2 + (cell.x - other.x) ^ 2)
      free = free and apart > 0.85 * (cell.r + other.r)
    end
    if free then cells[#cells + 1] = cell end
  end
  return cells
end

local function draw_cells(rng, cells)
  local y, x = cp.arange(1, n + 1):reshape(n, 1), cp.arange(1, n + 1):reshape(1, n)
  local picture = cp.zeros({ n, n }, "bool")
  for _, cell in ipairs(cells) do
    picture = cp.logical_or(picture, ((y - cell.y) ^ 2 + (x - cell.x) ^ 2):lt(cell.r ^ 2)):eval()
  end
  local light = ndimage.gaussian_filter(picture:astype "float32", 1.2)
  local background = 0.15 + 0.1 * x / n + 0.05 * y / n
  return (background + 0.5 * light + 0.04 * rng:normal(0, 1, { n, n })):astype "float32"
end

-- ---- finding cells

-- Otsu's threshold: the value that splits the histogram into the two classes farthest apart.
local function threshold(x)
  local counts, edges = cp.histogram(x, 256)
  local centres = (edges["1:256"] + edges["2:257"]) / 2
  local below, sum = cp.cumsum(counts:astype "float64"), cp.cumsum(counts * centres)
  local above = below[-1] - below
  local between = below * above * (sum / below:maximum(1) - (sum[-1] - sum) / above:maximum(1)) ^ 2
  return centres[between:argmax():item()]
end

-- Labels cells: each maximum of the distance to the background is one. From there labels grow over the mask,
-- from large distances to small ones, so that they meet where cells touch.
local function split(mask)
  local distance = ndimage.gaussian_filter(ndimage.distance_transform_edt(mask), 1.5)
  local tops = cp.logical_and(distance:eq(ndimage.maximum_filter(distance, 13)), mask)
  local labels, count = ndimage.label(tops, { structure = cp.ones({ 3, 3 }, "bool") })
  for level = math.floor(distance:max():item()), 0, -1 do
    local open = cp.logical_and(distance:ge(level), mask)
    repeat
      local free = cp.logical_and(open, labels:eq(0))
      local grown = cp.where(free, ndimage.grey_dilation(labels, { footprint = cp.ones({ 3, 3 }, "bool") }), labels)
      local changed = cp.not_equal(grown, labels):any()
      labels = grown:eval()
    until not changed
  end
  return labels, count
end

local rng = cp.random.default_rng(7)
local cells = place_cells(rng, wanted)
local picture = draw_cells(rng, cells):eval()
local started = cp.clock()

local smooth = ndimage.gaussian_filter(picture, 1)
local flat = smooth - ndimage.uniform_filter(ndimage.grey_opening(smooth, 41), 41) -- without the background
local mask = ndimage.binary_opening(flat:gt(threshold(flat)), cp.ones({ 3, 3 }, "bool"))
local _, pieces = ndimage.label(mask)
local labels, count = split(mask)
count = tonumber(count)

local index = cp.arange(1, count + 1)
local area = ndimage.sum_labels(mask:astype "float32", labels, index)
local light = ndimage.mean(picture, labels, index)
local centres = ndimage.center_of_mass(mask:astype "float32", labels, index)
local diameter = 2 * cp.sqrt(area / math.pi)
cp.eval(area, light, diameter)
local seconds = cp.clock() - started

-- ---- the picture with the cells in colours

local hue = (labels:astype "float32" * 0.618034) % 1
local saturation, value = cp.full({ n, n }, 0.8, "float32"), cp.ones({ n, n }, "float32")
local colours = cp.image.hsv_to_rgb(cp.stack({ hue, saturation, value }, 3))
local edge = cp.not_equal(ndimage.minimum_filter(labels, 3), labels)
local grey = cp.clip(picture, 0, 1)
local under = cp.stack({ grey, grey, grey }, 3)
local over = cp.image.blend(colours, under, cp.where(labels:gt(0), cp.where(edge, 1, 0.35), 0):astype "float32")
local both = (cp.concatenate({ under, over }, 2) * 255):astype "uint8"
cp.image.imwrite(file, both)

print(("%s: %d cells in %d pieces on %s in %.2f s; there are %d"):format(file, count, tonumber(pieces),
  cp.device().name, seconds, #cells))
print(("diameter %.1f +- %.1f pixels, from %.1f to %.1f"):format(diameter:mean():item(), diameter:std():item(),
  diameter:min():item(), diameter:max():item()))

return { cells = cells, count = count, area = area, centres = centres, light = light, diameter = diameter }
