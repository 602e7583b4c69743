-- Timing by events: the sum of a hundred million float32 values on the GPU and on the CPU.
-- Prints the milliseconds of one sum on each device, measured between two events after a warm-up, the sums,
-- and the speedup of the GPU; without a GPU, only the CPU's line. The argument changes the number of
-- elements.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 100000000

-- The milliseconds of one sum on a device, and the sum.
local function time_sum(device)
  return cp.device(device):with(function()
    local x = cp.full({ n }, 0.5, "float32"):eval()
    x:sum() -- warm-up: compiles the kernel and allocates memory
    cp.synchronize()
    local start, finish = cp.cuda.Event(), cp.cuda.Event()
    start:record()
    local total = x:sum()
    finish:record()
    finish:synchronize()
    local ms = cp.cuda.get_elapsed_time(start, finish)
    print(("%-7s %10.3f ms for a sum of %d: %.1f"):format(device, ms, n, total:item()))
    return ms, total:item()
  end)
end

local on_cpu, total = time_sum "cpu"
if cp.cuda.is_available() then
  local on_gpu, same = time_sum "cuda:0"
  print(("the GPU is %.0f times as fast; the sums differ by %g"):format(on_cpu / on_gpu, math.abs(total - same)))
else
  print("no GPU: " .. tostring(select(2, cp.cuda.is_available())))
end
return total
