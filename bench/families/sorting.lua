-- Times sorting, scans and counting besides those of bench/tables/algorithms.lua on the current device: other
-- dtypes, axes, lengths and numbers of bins. ./dev lua bench/families/sorting.lua [N] [REPEATS]. Figures are
-- medians by events, with elements or bytes (each read once and written once) per second.

local cp = require "cupola"

local N, REPEATS = math.floor(tonumber(arg[1] or 1e8)), tonumber(arg[2] or 20)
local SIDE = math.floor(math.sqrt(N))

local function median_of(f)
  local times = {}
  for k = 1, REPEATS + 2 do
    local from, to = cp.cuda.Event(), cp.cuda.Event()
    from:record()
    local result = f()
    to:record()
    to:synchronize()
    times[k] = cp.cuda.get_elapsed_time(from, to)
    result:free()
  end
  table.remove(times, 1) -- the first call compiles kernels and allocates memory
  table.remove(times, 1)
  table.sort(times)
  return times[math.floor(#times / 2) + 1]
end

local function row(name, f, n, bytes)
  local ms = median_of(f)
  local rate = bytes and ("%8.0f GB/s"):format(n * bytes / ms / 1e6) or ("%8.2f G/s"):format(n / ms / 1e6)
  print(("%-44s %10.3f ms %s"):format(name, ms, rate))
end

local function uniform(n, dtype)
  local x = cp.arange(n) * 2654435761 % 4294967291
  return ((x / 4294967291):astype(dtype)):eval()
end

print(("n = %d"):format(N))
local x = uniform(N, "float32")
local m = x[{ { 1, SIDE * SIDE } }]:reshape(SIDE, SIDE)
row("cumsum of rows", function() return m:cumsum(2) end, SIDE * SIDE, 8)
row("cumsum of columns", function() return m:cumsum(1) end, SIDE * SIDE, 8)
local short = x[{ { 1, math.floor(N / 100) * 100 } }]:reshape(-1, 100)
row("sort of rows of 100", function() return short:sort() end, short.size)
local whole = (x * 1e9):astype("int64"):eval()
row("sort int64", function() return whole:sort() end, N)
row("cumsum int64", function() return whole:cumsum() end, N, 16)
whole:free()
local half = math.floor(N / 2)
local h = x[{ { 1, half } }]
for _, bins in ipairs { 10, 256, 10000, 1000000 } do
  local b = (h * bins):astype("int32"):eval()
  row(("bincount, %d bins"):format(bins), function() return cp.bincount(b, { minlength = bins }) end, half)
end
for _, bins in ipairs { 10, 1000 } do
  row(("histogram, %d bins"):format(bins), function() return (cp.histogram(h, bins)) end, half)
end
local u = (h * 1000):astype("int32"):eval()
row("unique of 1000 values", function() return cp.unique(u) end, half)
local sorted = h:sort()
row("searchsorted of 1e6", function() return cp.searchsorted(sorted, x[{ { 1, math.min(N, 1000000) } }]) end,
  math.min(N, 1000000))
