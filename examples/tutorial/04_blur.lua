-- Blurs an image and finds its edges: a box filter and Sobel filters by convolve2d with mirrored borders, on
-- the CPU and on the GPU.
-- Prints the image's size and, for each device, the milliseconds of the blur and of the edges after a
-- warm-up. With a GPU it also prints the difference between the devices' results (less than 1e-5) and the
-- speedup of the GPU. Writes blurred.png and edges.png to the folder for temporary files; the first argument
-- is a prefix for their names instead, such as "out/" or "my-". The second argument is the image, a PNG or
-- JPEG file; without it, an image of discs and stripes is drawn, saved as picture.png and loaded. The third
-- is the side of that image, by default 1024.
local cp = require "cupola"

local before = arg and arg[1] or (os.getenv "TMPDIR" or "/tmp") .. "/"
local path = arg and arg[2]
local side = tonumber(arg and arg[3]) or 1024
local convolve2d = cp.scipy.signal.convolve2d

-- Discs in front of stripes, in grey.
local function draw(file)
  local y, x = cp.arange(side, "float32"):reshape(-1, 1) / side, cp.arange(side, "float32") / side
  local grey = 0.35 + 0.15 * cp.sign(cp.sin(40 * (x + 0.5 * y)))
  for k = 1, 6 do
    local inside = ((x - k / 7) ^ 2 + (y - (k * 5 % 7) / 7) ^ 2):lt((0.03 + 0.012 * k) ^ 2)
    grey = cp.where(inside, 0.15 * k, grey)
  end
  cp.image.save(file, grey)
end

if not path then
  path = before .. "picture.png"
  draw(path)
end

local box = cp.full({ 9, 9 }, 1 / 81, "float32")
local sobel = cp.array({ { 1, 0, -1 }, { 2, 0, -2 }, { 1, 0, -1 } }, "float32")

local function blur(picture, filter) return convolve2d(picture, filter, "same", "symm") end

local function edges(picture, filter)
  local across = convolve2d(picture, filter, "same", "symm")
  local down = convolve2d(picture, filter.T, "same", "symm")
  return cp.sqrt(across ^ 2 + down ^ 2)
end

-- The result of f(picture, filter), and its milliseconds after a warm-up.
local function timed(f, picture, filter)
  f(picture, filter):eval()
  local start, finish = cp.cuda.Event(), cp.cuda.Event()
  start:record()
  local result = f(picture, filter):eval()
  finish:record()
  finish:synchronize()
  return result, cp.cuda.get_elapsed_time(start, finish)
end

-- Filters the image on one device.
local function filtered(device)
  return cp.device(device):with(function()
    local picture = cp.image.load(path, "gray", "float32")
    local on_device = function(filter) return filter:to(picture.device) end
    local blurred, blur_ms = timed(blur, picture, on_device(box))
    local outlines, edges_ms = timed(edges, picture, on_device(sobel))
    print(("%-7s %d x %d: blur %8.3f ms, edges %8.3f ms"):format(device, picture.shape[2], picture.shape[1], blur_ms,
      edges_ms))
    return { blurred = blurred, outlines = outlines, ms = blur_ms + edges_ms }
  end)
end

local on_cpu = filtered "cpu"
local difference, last = 0, on_cpu
if cp.cuda.is_available() then
  local on_gpu = filtered "cuda:0"
  for _, name in ipairs { "blurred", "outlines" } do
    difference = math.max(difference, cp.abs(on_gpu[name]:cpu() - on_cpu[name]):max():item())
  end
  print(("the results differ by %.1e at most; the GPU is %.0f times as fast"):format(difference,
    on_cpu.ms / on_gpu.ms))
  last = on_gpu
else
  print("no GPU: " .. tostring(select(2, cp.cuda.is_available())))
end

cp.image.save(before .. "blurred.png", last.blurred)
cp.image.save(before .. "edges.png", last.outlines, { cmap = "magma", vmin = 0 })
print(("saved to %sblurred.png and %sedges.png"):format(before, before))
return on_cpu.blurred, on_cpu.outlines, difference
