-- The same function as a plain script and under cp.fuse: eighty steps of the logistic map, 240 operations,
-- for a million growth rates.
-- Prints for each the number of kernels, the milliseconds after a warm-up and the mean of the result. (A
-- pending chain is split at 128 operations, a fused function at 256, so it is a single kernel.) Then prints
-- whether both give the same bits although the map is chaotic, and the size of the fused kernel's source. The
-- argument changes the number of growth rates.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 1000000
local rates = cp.linspace(2.5, 4, n):eval()

local function population(rate)
  local x = 0.5
  for _ = 1, 80 do
    x = rate * x * (1 - x)
  end
  return x
end

-- Runs f, counted and timed; returns its result and its kernels.
local function measure(what, f)
  f(rates):eval() -- warm-up: compiles
  local before, start = cp.profiler.counters().launches, cp.clock()
  local x = f(rates):eval()
  cp.synchronize()
  local ms, kernels = (cp.clock() - start) * 1e3, cp.profiler.counters().launches - before
  print(("%s: %d kernels, %8.3f ms, mean %.6f"):format(what, kernels, ms, x:mean():item()))
  return x, kernels
end

local fused = cp.fuse(population, "population")
local plain, many = measure("plain", population)
local same, one = measure("fused", fused)
print("the same bits: " .. tostring(plain == same))
print(("the text of %s has %d bytes"):format(fused.name, #fused.source))
return plain, many, one
