-- Sizes and data of bench/passes, the same as data.py makes for the peers.

local cp = require "cupola"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local timing = dofile(here .. "../timing.lua")

local data = { GOLDEN = timing.GOLDEN, SILVER = timing.SILVER, BRONZE = 0.7320508075688772 }

-- Scattered numbers in [0, 1): k * step without its whole part.
function data.fractions(n, step, dtype)
  if not dtype then return timing.fractions(n, step) end
  return cp.scope(function() return ((cp.arange(n, "float64") * step) % 1):astype(dtype):eval() end)
end

data.scrambled = timing.scrambled

-- Positions from 1 to `count`, from numbers in [0, 1).
function data.positions(numbers, count)
  return cp.scope(function()
    return ((numbers:astype "float64" * count):astype "int64" % count + 1):eval()
  end)
end

-- The sizes of sizes.txt that BENCH_SCALE selects.
function data.sizes()
  local sizes, column = {}, os.getenv "BENCH_SCALE" == "small" and 2 or 1
  for line in io.lines(here .. "sizes.txt") do
    local name, full, small = line:match "^([%a_]+)%s+(%d+)%s+(%d+)"
    if name then sizes[name] = tonumber(column == 2 and small or full) end
  end
  return sizes
end

return data
