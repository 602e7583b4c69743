-- Random functions (spec/helper/random_functions.lua) give the same values in plain Lua, as compiled kernels,
-- and as Lua text. CUPOLA_JIT_FUNCTIONS is the number of compiled functions (default 80), CUPOLA_JIT_SEED the
-- first seed; a failure prints the seed and the shrunk function. spec/fuzz/jit.lua goes on for longer.

local cp = require "cupola"
local functions = require "spec.helper.random_functions"

local few = os.getenv "CUPOLA_TEST_MODE" or cp.device().kind == "cuda" -- NVRTC takes a second for four
local BATCH = few and 10 or 40 -- functions of one kernel
local COUNT = tonumber(os.getenv "CUPOLA_JIT_FUNCTIONS") or 2 * BATCH
local SEED = tonumber(os.getenv "CUPOLA_JIT_SEED") or 1
local ONLY_LUA = 5 * BATCH -- functions that are not compiled

local function in_lua(texts)
  local wants = {}
  for k, text in ipairs(texts) do wants[k] = functions.in_lua(text, "f" .. k, SEED) end
  return wants
end

-- Makes functions from a seed on and compares two ways to run them, which get texts and the number of the
-- first.
local function compare(first, make, one, other)
  local programs, texts = {}, {}
  for k = 1, BATCH do
    programs[k] = make(first + k - 1)
    texts[k] = functions.text("f" .. k, programs[k])
  end
  local wants, gots = one(texts, first), other(texts, first)
  for k, program in ipairs(programs) do
    if functions.difference(wants[k], gots[k]) then
      error(("seed %d: %s"):format(first + k - 1, functions.report(program, function(text)
        return one({ text }, first + k - 1)[1], other({ text }, first + k - 1)[1]
      end)), 0)
    end
  end
end

describe("random functions", function()
  for first = SEED, SEED + ONLY_LUA - 1, BATCH do
    it(("as Lua text give the values of Lua, from seed %d"):format(first), function()
      compare(first, functions.plain, in_lua, function(texts) return (functions.run(texts, SEED, nil, true)) end)
    end)
  end

  for first = SEED, SEED + COUNT / 2 - 1, BATCH do
    it(("compiled give the values of Lua, from seed %d"):format(first), function()
      compare(first, functions.plain, in_lua, function(texts) return (functions.run(texts, SEED)) end)
    end)
    it(("of all dtypes give the same values compiled and as Lua text, from seed %d"):format(first), function()
      compare(first, functions.typed, function(texts, n) return (functions.run(texts, SEED, n)) end,
        function(texts, n) return (functions.run(texts, SEED, n, true)) end)
    end)
  end
end)
