-- Gray-Scott: two substances that diffuse and react, u + 2v -> 3v; u is fed in, v is removed. Branches grow
-- and fill the plate with a lifelike pattern. The code reads like the equations in a textbook.
-- Usage: ./dev lua examples/gray_scott.lua [STEPS] [FILE] [SIZE]

local cp = require "cupola"

local steps = tonumber(arg and arg[1]) or 10000
local file = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/gray_scott.png"
local n = tonumber(arg and arg[3]) or 512
local feed, kill = 0.0545, 0.062 -- other pairs give other patterns
local diffusion_u, diffusion_v = 0.16, 0.08

-- u everywhere, v on a few squares; the edges stay fixed.
local U, V = cp.ones({ n, n }, "float32"), cp.zeros({ n, n }, "float32")
local side = math.max(2, math.floor(n / 32))
for k = 0, 6 do
  local row = 2 + math.floor((n - side - 4) * (0.5 + 0.33 * math.sin(k * 2.4)))
  local column = 2 + math.floor((n - side - 4) * (0.5 + 0.33 * math.cos(k * 1.7)))
  local square = { { row, row + side }, { column, column + side } }
  U[square] = 0.5
  V[square] = 0.25
end

-- The sum of the four neighbours minus four times the point itself, for the inner points.
local function laplacian(w)
  return w["3:, 2:-2"] + w[":-3, 2:-2"] + w["2:-2, 3:"] + w["2:-2, :-3"] - 4 * w["2:-2, 2:-2"]
end

local u, v = U["2:-2, 2:-2"], V["2:-2, 2:-2"] -- views: writing them writes U and V
local started, before = cp.clock(), cp.profiler.counters()
for _ = 1, steps do
  local reaction = u * v ^ 2
  local du = diffusion_u * laplacian(U) - reaction + feed * (1 - u)
  local dv = diffusion_v * laplacian(V) + reaction - (feed + kill) * v
  u:assign(u + du)
  v:assign(v + dv)
end
cp.synchronize()
local seconds, after = cp.clock() - started, cp.profiler.counters()

-- Colours by the amount of v, from deep blue through green to sand.
local t = cp.clip(V / V:max(), 0, 1)
local function channel(low, high, power) return (255 * (low + (high - low) * t ^ power)):astype "uint8" end
cp.image.imwrite(file, cp.stack({ channel(0.02, 0.98, 1.6), channel(0.07, 0.90, 0.8), channel(0.22, 0.60, 0.5) }, 3))

print(("%s: %d steps of %d x %d on %s in %.2f s; %.1f%% of the plate is inhabited"):format(file, steps, n, n,
  cp.device().name, seconds, 100 * V:gt(0.1):mean():item()))
print(("%.1f launches and %.1f allocations per step"):format((after.launches - before.launches) / steps,
  (after.allocations - before.allocations) / steps))

return U, V
