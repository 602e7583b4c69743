-- Milliseconds of functions of cp.scipy.ndimage, one line each, "KEY<tab>VALUE"; bench/families/ndimage.py
-- has the same rows of CuPy or SciPy, and bench/families/ndimage.sh runs both and joins them. The arguments
-- are the pictures' dtype and a part of the names of the rows to run.

local cp = require "cupola"
local N = cp.scipy.ndimage
local DTYPE, PATTERN = arg[1] or "float32", arg[2] or ""

local on_gpu = cp.cuda.is_available() and cp.zeros(1).device ~= "cpu"
local side, large, cube = on_gpu and 4096 or 1024, on_gpu and 8192 or 2048, on_gpu and 512 or 128
local ROUNDS = on_gpu and 5 or 3
local clock = on_gpu and cp.clock or os.clock -- on the CPU processor time, as other work may run beside this

-- The same data as in ndimage.py: a sequence that needs no generator, between 0 and 1.
local function noise(shape)
  local n = 1
  for _, m in ipairs(shape) do n = n * m end
  local k = cp.arange(n, { dtype = "float64" })
  return (cp.sin(k * 12.9898) * 43758.5453 % 1):astype(DTYPE):reshape(shape)
end

local function row(key, f)
  if not key:find(PATTERN, 1, true) then return end
  local ok, problem = pcall(f)
  if not ok then return print(key .. "\tfailed: " .. tostring(problem):gsub("\n.*", "")) end
  cp.synchronize()
  local best = math.huge
  for _ = 1, ROUNDS do
    local t = clock()
    local result = f()
    if cp.is_array(result) then cp.eval(result) end
    cp.synchronize()
    best = math.min(best, (clock() - t) * 1e3)
  end
  print(("%s\t%.3f"):format(key, best))
  io.stdout:flush()
end

local x = noise { side, side }
local byte = (x * 255):astype "uint8"
local places = cp.indices({ side, side }, { dtype = "float64" }) + 0.3
for _, order in ipairs { 1, 3 } do
  row(("map_coordinates order %d"):format(order), function() return N.map_coordinates(x, places, { order = order }) end)
  row(("zoom 0.7 order %d"):format(order), function() return N.zoom(x, 0.7, { order = order }) end)
  row(("rotate 30 order %d"):format(order), function() return N.rotate(x, 30, { order = order, reshape = false }) end)
end
row("shift order 1", function() return N.shift(x, 1.3, { order = 1 }) end)
local turn = cp.array({ { 1, 0.02 }, { -0.01, 1 } }, "float64")
row("affine_transform order 1", function() return N.affine_transform(x, turn, { order = 1 }) end)
local part = { math.floor(side * 0.7), math.floor(side * 0.7) }
for _, method in ipairs { "bilinear", "bicubic", "area", "lanczos" } do
  row("resize 0.7 " .. method, function() return cp.image.resize(x, part, method, false) end)
end
row("resize 0.7 bilinear, antialias", function() return cp.image.resize(x, part) end)
row("spline_filter", function() return N.spline_filter(x) end)
for _, size in ipairs { 3, 5, 7, 11 } do
  row(("median_filter %d"):format(size), function() return N.median_filter(x, size) end)
end
row("median_filter 5 uint8", function() return N.median_filter(byte, 5) end)
row("rank_filter 2 of 5 x 5", function() return N.rank_filter(x, 2, 5) end)
row("minimum_filter 5", function() return N.minimum_filter(x, 5) end)
row("binary_erosion", function() return N.binary_erosion(x:gt(0.3)) end)
for _, size in ipairs { 5, 31 } do
  row(("grey_opening %d"):format(size), function() return N.grey_opening(x, size) end)
  local mask, structure = x:gt(0.3), cp.ones({ size, size }, "bool")
  row(("binary_opening %d"):format(size), function() return N.binary_opening(mask, structure) end)
end
for _, sigma in ipairs { 1, 3, 20 } do
  row(("gaussian_filter %d"):format(sigma), function() return N.gaussian_filter(x, sigma) end)
end
local labels = (noise { side, side } * 1e5):astype "int32"
local index = cp.arange(1, 100001)
row("sum_labels 1e5", function() return N.sum_labels(x, labels, index) end)
row("sum", function() return N.sum_labels(x) end)
x, places, byte, labels = nil, nil, nil, nil
collectgarbage()
do
  local cells = noise { large, large }
  local percolation, mask = cells:lt(0.59), cells:gt(0.01)
  row("label of a percolation", function() return (N.label(percolation)) end)
  row("distance_transform_edt 2-d", function() return (N.distance_transform_edt(mask)) end)
end
collectgarbage()
local volume = noise { cube, cube, cube }:gt(0.01)
row("distance_transform_edt 3-d", function() return (N.distance_transform_edt(volume)) end)
