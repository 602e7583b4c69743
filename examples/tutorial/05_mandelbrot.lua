-- The Mandelbrot set as array code: complex numbers, masks, smooth colouring, and an end when no point is
-- left.
-- Prints the number of steps, the fraction of points that never escaped, the time, and where the image was
-- saved: mandelbrot.png in the folder for temporary files, or the file that the second argument names. The
-- first argument is the image's width, the third the largest number of steps.
local cp = require "cupola"

local width = tonumber(arg and arg[1]) or 900
local path = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/mandelbrot.png"
local most = tonumber(arg and arg[3]) or 100
local height = math.floor(width * 2 / 3)

-- For each point c of the plane, the step at which z -> z^2 + c leaves the circle of radius 2, with a
-- fraction for smooth colours, or 0; also the number of steps.
local function escape(c, max_iter)
  local z = cp.zeros_like(c)
  local counts, inside = cp.zeros(c.shape), cp.ones(c.shape, "bool")
  for k = 1, max_iter do
    z[inside] = z[inside] ^ 2 + c[inside] -- one kernel: masked elements are not copied out and back
    local leaving = cp.abs(z):gt(2):logical_and(inside)
    if leaving:any() then
      counts[leaving] = k + 1 - z[leaving]:abs():log():log() / math.log(2)
      inside[leaving] = false
    end
    if not inside:any() then return counts, inside, k end
  end
  return counts, inside, max_iter
end

local started = cp.clock()
local x, y = cp.linspace(-2.2, 0.8, width), cp.linspace(1, -1, height)
local counts, inside, steps = escape(x + cp.j * y:reshape(-1, 1), most)
local share = cp.count_nonzero(inside):item() / inside.size

-- Colours by the logarithm of the count, black where it is 0.
local t = cp.log(cp.maximum(counts, 1))
local channels = {}
for k, phase in ipairs { 3.4, 3.0, 2.4 } do
  channels[k] = cp.where(inside, 0, 127.5 + 127.5 * cp.cos(phase + 1.3 * t)):astype "uint8"
end
cp.image.imwrite(path, cp.stack(channels, 3))

print(("%d x %d points on %s: %d steps, %.1f %% never left, %.2f s"):format(width, height, cp.device().name, steps,
  share * 100, cp.clock() - started))
print("saved to " .. path)
return counts, steps
