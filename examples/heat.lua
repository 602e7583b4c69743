-- The heat equation on a plate by slicing: each step writes a chain of views through to the inner points.
-- Usage: ./dev lua examples/heat.lua [STEPS] [FILE]

local cp = require "cupola"

local n = 512
local steps = tonumber(arg and arg[1]) or 4000
local file = arg and arg[2] or "heat.png"

-- A cold plate with a hot bar, a hot disc and edges that stay cold.
local u = cp.zeros({ n, n }, "float32")
local axis = cp.arange(n, "float32")
local disc = ((axis - 350) ^ 2 + ((axis - 340) ^ 2):reshape(-1, 1)):lt(60 ^ 2)
u:assign(cp.where(disc, 1, u))
u["100:140, 60:300"] = 1

local started = cp.clock()
local heat = u:sum():item()
local inner = u["2:-2, 2:-2"]
for _ = 1, steps do
  inner:assign(inner + 0.2 * (u["3:, 2:-2"] + u[":-3, 2:-2"] + u["2:-2, 3:"] + u["2:-2, :-3"] - 4 * inner))
end
local left = u:sum():item()
local seconds = cp.clock() - started

-- Black, red, yellow, white.
local v = u / u:max()
local function channel(from) return (cp.clip(v * 3 - from, 0, 1) * 255):astype "uint8" end
cp.image.imwrite(file, cp.stack({ channel(0), channel(1), channel(2) }, 3))
print(("%s: %d steps of %d x %d on %s in %.2f s; %.1f%% of the heat is left"):format(file, steps, n, n,
  cp.device().name, seconds, 100 * left / heat))
