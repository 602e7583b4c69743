-- Times random numbers besides those of bench/tables/algorithms.lua on the current device: other dtypes,
-- distributions and generators, and reductions of draws. ./dev lua bench/families/random.lua [N] [REPEATS].
-- Medians by events, in numbers per second.

local cp = require "cupola"

local N, REPEATS = math.floor(tonumber(arg[1] or 1e8)), tonumber(arg[2] or 20)

local function middle(times)
  table.sort(times)
  return times[math.floor(#times / 2) + 1]
end

-- Frees the result of f, if any; the first two calls compile kernels and allocate memory.
local function median_of(f)
  local times = {}
  for k = -1, REPEATS do
    local from, to = cp.cuda.Event(), cp.cuda.Event()
    from:record()
    local result = f()
    to:record()
    to:synchronize()
    times[k] = cp.cuda.get_elapsed_time(from, to)
    if result then result:free() end
  end
  return middle { (table.unpack or unpack)(times) } -- luacheck: ignore
end

local function row(name, f)
  local ms = median_of(f)
  print(("%-44s %10.4f ms %8.0f G/s"):format(name, ms, N / ms / 1e6))
end

print(("n = %d"):format(N))
local rng = cp.random.default_rng(1)
for _, dtype in ipairs { "float32", "float64" } do
  local out = cp.empty(N, dtype)
  if dtype ~= "float32" then
    row("uniform " .. dtype, function() out:assign(rng:random(N, dtype)) end)
    row("normal " .. dtype, function() out:assign(rng:normal(0, 1, N, dtype)) end)
  end
  row("exponential " .. dtype, function() out:assign(rng:exponential(1, N, dtype)) end)
  out:free()
  row("mean of uniform " .. dtype, function() return rng:random(N, dtype):mean() end)
  row("mean of normal " .. dtype, function() return rng:normal(0, 1, N, dtype):mean() end)
end

local has_curand = pcall(cp.random.XORWOW, 1)
for _, name in ipairs(has_curand and { "XORWOW", "MRG32k3a", "MTGP32", "Philox4_32_10", "Sobol32" } or {}) do
  local generator = cp.random.Generator(cp.random[name](1))
  row("uniform float32, cuRAND's " .. name, function() return generator:random(N, "float32"):eval() end)
end
