-- Random functions (spec/helper/random/functions.lua) give the same values in plain Lua, as compiled kernels,
-- and as Lua text: 2160 in a run under both Luas. CUPOLA_JIT_FUNCTIONS is the number of compiled functions
-- (default 160), CUPOLA_JIT_SEED the first seed; a failure prints the seed and the shrunk function.
-- spec/fuzz/jit.lua goes on for longer.

local cp = require "cupola"
local functions = require "spec.helper.random.functions"

local mode = os.getenv "CUPOLA_TEST_MODE"
local few = mode or cp.device().kind == "cuda" -- NVRTC takes a second for four
local BATCH = few and 10 or 20 -- functions of one kernel; compilers take longer for each if there are more
local COUNT = tonumber(os.getenv "CUPOLA_JIT_FUNCTIONS") or few and 20 or 160
local SEED = tonumber(os.getenv "CUPOLA_JIT_SEED") or 1
local ONLY_LUA = mode and 40 or 1000 -- functions that are not compiled: others under each Lua
local FIRST = _VERSION == "Lua 5.1" and SEED + 100000 or SEED

local ways = functions.ways(SEED)

local function compare(first, make, one, other)
  local difference = functions.compare(first, BATCH, make, one, other)
  if difference then error(difference, 0) end
end

describe("random functions", function()
  for first = FIRST, FIRST + ONLY_LUA - 1, BATCH do
    it(("as Lua text give the values of Lua, from seed %d"):format(first), function()
      compare(first, functions.plain, ways.in_lua, ways.as_text)
    end)
  end

  for first = SEED, SEED + COUNT / 2 - 1, BATCH do
    it(("compiled give the values of Lua, from seed %d"):format(first), function()
      compare(first, functions.plain, ways.in_lua, ways.compiled)
    end)
    it(("of all dtypes give the same values compiled and as Lua text, from seed %d"):format(first), function()
      compare(first, functions.typed, ways.typed, ways.typed_text)
    end)
  end
end)
