-- The Mandelbrot set on the best available device, as a coloured PNG.
-- Usage: ./dev lua examples/mandelbrot.lua [WIDTH] [FILE]

local cp = require "cupola"

local width = tonumber(arg and arg[1]) or 1800
local height = math.floor(width * 2 / 3)
local file = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/mandelbrot.png"
local max_iter = 1000
local bands = 20 -- one line of progress each

-- The smooth escape count of each point c, 0 inside the set. Each point has a thread, whose loop runs in
-- registers.
local escape = cp.ElementwiseKernel("complex128 c, int32 max_iter", "float32 count", [[
  double x = 0, y = 0, x2 = 0, y2 = 0;
  int k = 0;
  for (; k < max_iter && x2 + y2 < 65536.0; k++) {
    y = 2 * x * y + c.imag();
    x = x2 - y2 + c.real();
    x2 = x * x;
    y2 = y * y;
  }
  count = k == max_iter ? 0.0f : (float)(k + 1 - log2(log2(x2 + y2) * 0.5));
]], "escape")

local function progress(done)
  io.stderr:write(("\rmandelbrot on %s: %3.0f%%"):format(cp.device().name, done * 100), done == 1 and "\n" or "")
end

local started = cp.clock()
local counts = cp.empty({ height, width }, "float32")
local x = cp.linspace(-2.6, 1.15, width)
local y = cp.linspace(1.25, -1.25, height)
for band = 1, bands do
  local first = math.floor((band - 1) * height / bands) + 1
  local last = math.floor(band * height / bands)
  local c = x + cp.j * y[{ { first, last } }]:reshape(-1, 1)
  counts[{ { first, last } }] = escape(c, max_iter)
  cp.synchronize()
  progress(band / bands)
end

-- Colours: three cosines of the logarithm of the count, black inside the set.
local t = cp.log(cp.maximum(counts, 1)) * 1.2
local inside = counts:eq(0)
local function channel(phase)
  local v = cp.where(inside, 0, 127.5 - 127.5 * cp.cos(t + phase))
  return v:astype "uint8"
end
local picture = cp.stack({ channel(0.4), channel(0.0), channel(-0.6) }, 3)
cp.image.imwrite(file, picture)
print(("%s: %d x %d on %s in %.2f s"):format(file, width, height, cp.device().name, cp.clock() - started))
