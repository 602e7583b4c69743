-- Two galaxies pass each other. Every body attracts every other one, written as one broadcast of all pairs
-- and a sum. The matrix of pairs is never stored: the sum reads the fused chain.
-- Usage: ./dev lua examples/nbody.lua [STEPS] [FILE] [BODIES]

local cp = require "cupola"

local steps = tonumber(arg and arg[1]) or 720
local file = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/nbody.png"
local half = math.floor((tonumber(arg and arg[3]) or 2048) / 2) -- bodies per galaxy
local dt, softening = 0.005, 0.05
local centre_mass, disc_mass = 1, 0.05

-- A disc of light bodies that orbit a heavy one, body 1; the golden angle spreads them evenly. The arguments
-- are the centre's position and velocity.
local function galaxy(cx, cy, vx, vy)
  local k = cp.arange(half, "float64")
  local light = k:gt(0)
  local r = (0.1 + 0.6 * cp.sqrt(k / half)) * light
  local angle = 2.399963229728653 * k
  local speed = r * math.sqrt(centre_mass) / cp.hypot(r, softening) ^ 1.5
  local m = cp.where(light, disc_mass / half, centre_mass)
  return cx + r * cp.cos(angle), cy + r * cp.sin(angle), vx - speed * cp.sin(angle), vy + speed * cp.cos(angle), m
end

-- Two galaxies on a parabolic orbit: 3 apart, 1.1 at the nearest point.
local mass, apart, nearest = 2 * (centre_mass + disc_mass), 3, 1.1
local across = math.sqrt(2 * mass * nearest) / apart
local towards = math.sqrt(2 * mass / apart - across ^ 2)
local x1, y1, vx1, vy1, m1 = galaxy(-apart / 2, 0, towards / 2, -across / 2)
local x2, y2, vx2, vy2, m2 = galaxy(apart / 2, 0, -towards / 2, across / 2)
local x, y = cp.concatenate { x1, x2 }, cp.concatenate { y1, y2 }
local vx, vy = cp.concatenate { vx1, vx2 }, cp.concatenate { vy1, vy2 }
local m = cp.concatenate { m1, m2 }

-- Differences of all pairs: element (i, j) is from body i to body j.
local function pairs_of(v) return v - v:reshape(-1, 1) end

local function accelerations()
  local dx, dy = pairs_of(x), pairs_of(y)
  local w = cp.rsqrt(dx ^ 2 + dy ^ 2 + softening ^ 2)
  local pull = m * w * w * w
  return (pull * dx):sum(2), (pull * dy):sum(2)
end

local function energy()
  local kinetic = 0.5 * (m * (vx ^ 2 + vy ^ 2)):sum()
  local w = cp.rsqrt(pairs_of(x) ^ 2 + pairs_of(y) ^ 2 + softening ^ 2)
  return (kinetic - 0.5 * (m * m:reshape(-1, 1) * w):sum()):item()
end

-- Leapfrog: half a kick, a drift, half a kick.
local start_energy = energy()
local ax, ay = accelerations()
local started, before = cp.clock(), cp.profiler.counters()
for _ = 1, steps do
  vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
  x, y = x + dt * vx, y + dt * vy
  ax, ay = accelerations()
  vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
end
cp.synchronize()
local seconds, after = cp.clock() - started, cp.profiler.counters()
local drift = energy() / start_energy - 1

-- An image of the bodies: each one lights up the pixels around it, by the product of a curve over the columns
-- and one over the rows.
local width, height, scale = 640, 480, 120
local function light(positions, pixels)
  local at = (cp.arange(pixels, "float64") - pixels / 2):reshape(-1, 1)
  return cp.exp(-0.5 * (at - scale * positions) ^ 2 / 1.3 ^ 2)
end
local over_columns, over_rows = light(x, width), light(-y, height)
local picture = cp.empty({ height, width }, "float64")
for row = 1, height do
  picture[row] = (over_columns * over_rows[row]):sum(2)
end
local brightness = 1 - cp.exp(-0.6 * picture)
local function channel(power) return (255 * brightness ^ power):astype "uint8" end
cp.image.imwrite(file, cp.stack({ channel(1.5), channel(1.1), channel(0.7) }, 3))

print(("%s: %d steps of %d bodies on %s in %.2f s; the energy drifted by %.1e"):format(file, steps, 2 * half,
  cp.device().name, seconds, math.abs(drift)))
print(("%.1f launches and %.1f allocations per step"):format((after.launches - before.launches) / steps,
  (after.allocations - before.allocations) / steps))

return { x = x, y = y, vx = vx, vy = vy, m = m, drift = drift }
