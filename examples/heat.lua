-- The heat equation on a plate by slicing: each step computes a chain of views, written to the inner points.
-- Usage: ./dev lua examples/heat.lua [STEPS] [FILE] [SIZE]

local cp = require "cupola"

local steps = tonumber(arg and arg[1]) or 4000
local file = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/heat.png"
local n = tonumber(arg and arg[3]) or 512

-- A cold plate with a hot bar, a hot disc and edges that stay cold.
local u = cp.zeros({ n, n }, "float32")
local axis = cp.arange(n, "float32")
local disc = ((axis - 0.68 * n) ^ 2 + ((axis - 0.66 * n) ^ 2):reshape(-1, 1)):lt((0.12 * n) ^ 2)
u:assign(cp.where(disc, 1, u))
u[{ { math.floor(n / 5), math.floor(n / 4) }, { math.floor(n / 8), math.floor(n / 2) } }] = 1

local heat = u:sum():item()
local started, before = cp.clock(), cp.profiler.counters()
local inner = u["2:-2, 2:-2"]
for _ = 1, steps do
  inner:assign(inner + 0.2 * (u["3:, 2:-2"] + u[":-3, 2:-2"] + u["2:-2, 3:"] + u["2:-2, :-3"] - 4 * inner))
end
cp.synchronize()
local seconds, after = cp.clock() - started, cp.profiler.counters()
local left = u:sum():item()

-- Black, red, yellow, white.
local v = u / u:max()
local function channel(from) return (cp.clip(v * 3 - from, 0, 1) * 255):astype "uint8" end
cp.image.imwrite(file, cp.stack({ channel(0), channel(1), channel(2) }, 3))

print(("%s: %d steps of %d x %d on %s in %.2f s; %.1f%% of the heat is left"):format(file, steps, n, n,
  cp.device().name, seconds, 100 * left / heat))
print(("%.1f launches and %.1f allocations per step"):format((after.launches - before.launches) / steps,
  (after.allocations - before.allocations) / steps))

return u
