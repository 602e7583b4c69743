-- Page-locked memory: copies to a device and back run while the program goes on, with arrays and with
-- addresses.
-- Prints the bandwidth of copies from ordinary and from page-locked memory, and the sum of the values that
-- came back.
--   12_pinned.lua [megabytes]
local cp = require "cupola"

local n = math.floor(tonumber(arg and arg[1] or 64) * 2 ^ 20 / 4)
local pinned, back = cp.empty_pinned(n, "float32"), cp.empty_pinned(n, "float32")
local plain = cp.cpu.ones(n, "float32"):eval()
local on_device = cp.empty(n, "float32")

local function rate(what, f)
  f()
  cp.synchronize()
  local start = cp.clock()
  f()
  local queued = cp.clock() - start
  cp.synchronize()
  print(("%-28s %6.1f GB/s, the call returned after %.3f ms"):format(what, 4 * n / (cp.clock() - start) / 1e9,
    queued * 1e3))
end

rate("from ordinary memory", function() return cp.array(plain) end)
pinned:fill(1)
rate("from page-locked memory", function() on_device:assign(pinned) end)
rate("to page-locked memory", function() back:assign(on_device) end)
rate("to ordinary memory", function() plain = on_device:get() end)

-- The host continues while the device works; reading `back` waits for its copy automatically.
pinned:fill(3)
on_device:assign(pinned)
on_device:mul_(2)
back:assign(on_device)
print(("sum of what came back: %.0f"):format(back:sum("float64"):item()))

-- The same with addresses, on a separate stream.
local runtime, stream = cp.cuda.runtime, cp.cuda.Stream()
local host = runtime.hostAlloc(4 * n)
cp.synchronize()
runtime.memcpyAsync(host, on_device.data.ptr, 4 * n, runtime.memcpyDeviceToHost, stream)
stream:synchronize()
local first = cp.from_pointer(host, { n }, "float32", { device = "cpu" })[1]
print(("first value by its address: %g"):format(first))
runtime.freeHost(host)
return back, first
