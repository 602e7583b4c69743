-- One function for arrays on the host and on a device.
-- Prints log(1 + exp(-|x|)) of the same values on the CPU and on the current device, with the device of each
-- result, and the largest difference between the two: 0, or one unit in the last place.
local cp = require "cupola"

local function log_array(x)
  local xp = cp.get_array_module(x) -- cp.cpu for arrays of the CPU, else cp
  return xp.log1p(xp.exp(-xp.abs(x)))
end

local on_host = cp.cpu.linspace(-4, 4, 9)
local on_device = cp.asarray(on_host)
local a, b = log_array(on_host), log_array(on_device)
print(a)
print(b)
local off = cp.abs(a - cp.asnumpy(b)):max():item()
print(("greatest difference: %g"):format(off))
return a, b, off
