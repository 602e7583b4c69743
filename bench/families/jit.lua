-- Times kernels in Lua beside the same kernels by hand with RawKernel, under equal flags:
--   ./dev lua bench/families/jit.lua [PATTERN [lua]]
-- Prints for each kernel of bench/families/jit_kernels.lua whose name contains PATTERN: microseconds per
-- launch of both, their ratio, registers, the times of the first calls (compiled anew), and whether both gave
-- equal bits; with `lua`, at the small sizes of the specs, how many times as long the kernel takes as Lua
-- text. The last lines are the host's cost of a launch of a small kernel. Takes about a minute on a GPU.

local cp = require "cupola"
local folder = arg[0]:match "^(.*/)" or ""
local list = dofile(folder .. "jit_kernels.lua")
local timing = dofile(folder .. "../timing.lua")

local PATTERN = arg[1] or ""
local on_gpu = cp.device().kind == "cuda"
local ROUNDS = on_gpu and 9 or 2

local function copies(args)
  local out = {}
  for k, v in ipairs(args) do out[k] = cp.is_array(v) and v:copy() or v end
  return out
end

-- A function that launches the kernel for each of the steps.
local function launcher(kernel, args, grid, block, steps)
  local calls = {}
  for k, more in ipairs(steps) do
    local all = {}
    for n, v in ipairs(args) do all[n] = v end
    for _, v in ipairs(more) do all[#all + 1] = v end
    calls[k] = all
  end
  return function()
    for _, all in ipairs(calls) do kernel(grid, block, all) end
  end
end

local function seconds_of_first(f)
  cp.synchronize()
  local t = cp.clock()
  f()
  cp.synchronize()
  return cp.clock() - t
end

-- Alternates between both, so that clocks and caches are the same; the median of the ratios of pairs.
local function compare(first, second)
  local pairs_of, a, b = {}, {}, {}
  for k = 1, ROUNDS do
    a[k] = timing.device(first, 1, 3)
    b[k] = timing.device(second, 1, 3)
    pairs_of[k] = a[k] / b[k]
  end
  table.sort(pairs_of)
  table.sort(a)
  table.sort(b)
  local middle = math.ceil(ROUNDS / 2)
  return a[middle], b[middle], pairs_of[middle]
end

if arg[2] == "lua" then
  for _, entry in ipairs(list) do
    if entry.name:find(PATTERN, 1, true) then
      local args, _, grid, block = entry.make(entry.sizes[1])
      for _, v in ipairs(entry.steps and entry.steps(entry.sizes[1])[1] or {}) do args[#args + 1] = v end
      local kernel, text = cp.jit.rawkernel(entry.f), cp.jit.rawkernel(entry.f, { lua = true })
      kernel(grid, block, args) -- compiled
      local compiled = timing.device(function() kernel(grid, block, args) end, 1, 3)
      local as_text = timing.device(function() text(grid, block, args) end, 1, 1)
      print(("%-22s %12.1f us compiled, %12.1f us as Lua text, %6.0f times"):format(entry.name, compiled * 1e6,
        as_text * 1e6, as_text / compiled))
    end
  end
  os.exit(0)
end

print(("%-22s %12s %12s %7s %10s %14s  %s"):format("kernel", "Lua us", "hand us", "ratio", "registers",
  "first ms", "bits"))
for _, entry in ipairs(list) do
  if entry.name:find(PATTERN, 1, true) then
    local size = entry.sizes[on_gpu and 2 or 1]
    local args, written, grid, block, more = entry.make(size)
    local steps = entry.steps and entry.steps(size) or { {} }
    local ours, theirs = copies(args), copies(args)
    local by_hand = copies(theirs)
    for _, v in ipairs(more or {}) do by_hand[#by_hand + 1] = v end
    local kernel, hand = cp.jit.rawkernel(entry.f), cp.RawKernel(entry.hand, "hand", { "-fmad=false" })
    local first, second = launcher(kernel, ours, grid, block, steps), launcher(hand, by_hand, grid, block, steps)
    local ms = seconds_of_first(first) * 1e3
    local ms_by_hand = seconds_of_first(second) * 1e3
    local equal = true
    for _, k in ipairs(written) do equal = equal and cp.array_equal(ours[k], by_hand[k]) end
    local a, b, ratio = compare(first, second)
    print(("%-22s %12.1f %12.1f %7.3f %4d %5d %7.1f %6.1f  %s"):format(entry.name, a * 1e6, b * 1e6, ratio,
      kernel.kernel.num_regs, hand.num_regs, ms, ms_by_hand, equal and "equal" or "DIFFERENT"))
  end
end

-- The host's part of a call.
local scale = 2
local small = cp.jit.rawkernel(function(x, y, n)
  local i = cp.jit.grid(1)
  if i <= n then y[i] = scale * x[i] end
end)
local same = cp.RawKernel([[extern "C" __global__ void same(const float *x, float *y, long long n, long long scale) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (float)scale * x[i];
}]], "same")
local x, y = cp.ones(256, "float32"), cp.zeros(256, "float32")
local host_lua, host_hand = {}, {}
for k = 1, ROUNDS do
  host_lua[k] = timing.host(function()
    scale = scale + 1
    small(1, 256, { x, y, 256 })
  end)
  host_hand[k] = timing.host(function() same(1, 256, { x, y, 256, 2 }) end)
end
table.sort(host_lua)
table.sort(host_hand)
local middle = math.ceil(ROUNDS / 2)
local counts = cp.profiler.counters()
print(("%d kernels compiled, %d read from the disk"):format(counts.compiles, counts.cache_hits))
print(("host us per launch: %.2f with a changing upvalue, %.2f by hand"):format(host_lua[middle] * 1e6,
  host_hand[middle] * 1e6))
