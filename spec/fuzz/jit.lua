-- Random functions as plain Lua, compiled kernels and Lua text, for longer than spec/jit/random_spec.lua:
--   lua spec/fuzz/jit.lua [SECONDS [SEED]]   (60 seconds by default)
-- Ends with status 1, the seed and the shrunk function if values differ.

local functions = require "spec.helper.random.functions"

local seconds, seed = tonumber(arg[1]) or 60, tonumber(arg[2]) or os.time() % 1000000
local BATCH = seconds < 20 and 10 or 60 -- functions of one kernel
local ways = functions.ways(seed)

print("seed " .. seed)

local function compare(first, make, one, other)
  local difference = functions.compare(first, BATCH, make, one, other)
  if not difference then return end
  print(difference)
  os.exit(1)
end

local ended, first = os.time() + seconds, seed
repeat
  compare(first, functions.typed, ways.typed, ways.typed_text)
  compare(first, functions.plain, ways.in_lua, ways.as_text)
  compare(first, functions.plain, ways.in_lua, ways.compiled)
  first = first + BATCH
until os.time() >= ended
print(3 * (first - seed) .. " functions")
