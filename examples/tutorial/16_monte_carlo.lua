-- Pi by random points: the share of those in a square that lie in its circle.
-- Prints the estimate after each round of a million points, the last error, and how many kernels one round
-- takes. The error falls with the root of the number of points (about 0.0016 after one round). The arguments
-- change the number of points in a round, and of rounds.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 1000000
local rounds = tonumber(arg and arg[2]) or 5

local rng = cp.random.default_rng(42) -- the same numbers in every run, on every device
local inside, launches = cp.zeros({}, "int64"), 0
local estimate
for k = 1, rounds do
  local before = cp.profiler.counters().launches
  local x, y = rng:random(n), rng:random(n)
  inside = inside + (x * x + y * y):le(1):sum()
  launches = cp.profiler.counters().launches - before
  estimate = 4 * inside:item() / (n * k)
  print(("%9d points: %.6f"):format(n * k, estimate))
end
print(("error %.6f; %d %s a round, on %s"):format(math.abs(estimate - math.pi), launches,
  launches == 1 and "kernel" or "kernels", inside.device))
return estimate, launches
