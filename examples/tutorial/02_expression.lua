-- x^2 + 2*y over ten million elements, with results copied to Lua.
-- Prints the mean, which is near 1/3 + 3 = 3.333333, the sum, which is n times that, and the number of kernel
-- launches. The argument changes the number of elements.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 10000000
local x = cp.linspace(0, 1, n, { dtype = "float32" })
local y = cp.linspace(1, 2, n, { dtype = "float32" })

local before = cp.profiler.counters().launches
local z = x ^ 2 + 2 * y -- nothing runs yet
local mean, sum = z:mean(), z:sum() -- the first use reads the chain in one kernel, the second use stores z
print(("%d elements on %s: mean %.6f, sum %.1f"):format(n, z.device, mean:item(), sum:item()))
print(("%d kernels"):format(cp.profiler.counters().launches - before))
return mean:item(), sum:item()
