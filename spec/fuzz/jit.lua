-- Random functions as plain Lua, compiled kernels and Lua text, for longer than spec/jit/random_spec.lua:
--   lua spec/fuzz/jit.lua [SECONDS [SEED]]   (60 seconds by default)
-- Ends with status 1, the seed and the shrunk function if values differ.

local functions = require "spec.helper.random_functions"

local seconds, seed = tonumber(arg[1]) or 60, tonumber(arg[2]) or os.time() % 1000000
local BATCH = seconds < 20 and 10 or 60 -- functions of one kernel

print("seed " .. seed)

local function compare(first, make, one, other)
  local programs, texts = {}, {}
  for k = 1, BATCH do
    programs[k] = make(first + k - 1)
    texts[k] = functions.text("f" .. k, programs[k])
  end
  local wants, gots = one(texts, first), other(texts, first)
  for k, program in ipairs(programs) do
    if functions.difference(wants[k], gots[k]) then
      print(("seed %d: %s"):format(first + k - 1, functions.report(program, function(text)
        return one({ text }, first + k - 1)[1], other({ text }, first + k - 1)[1]
      end)))
      os.exit(1)
    end
  end
end

local function in_lua(texts)
  local out = {}
  for k, text in ipairs(texts) do out[k] = functions.in_lua(text, "f" .. k, seed) end
  return out
end
local function compiled(texts) return (functions.run(texts, seed)) end
local function as_text(texts) return (functions.run(texts, seed, nil, true)) end
local function typed(texts, n) return (functions.run(texts, seed, n)) end
local function typed_text(texts, n) return (functions.run(texts, seed, n, true)) end

local ended, first = os.time() + seconds, seed
repeat
  compare(first, functions.typed, typed, typed_text)
  compare(first, functions.plain, in_lua, as_text)
  compare(first, functions.plain, in_lua, compiled)
  first = first + BATCH
until os.time() >= ended
print(3 * (first - seed) .. " functions")
