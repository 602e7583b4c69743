-- Creates an array on the second GPU and copies it to the first, where work continues. An operation on arrays
-- of two devices is an error: copies are explicit. With fewer than two GPUs, the program says so and ends.
--
-- Prints where the array was created and where it is now, the error message for mixing the two, and the sum
-- of the result.
--   ./dev lua examples/tutorial/10_two_devices.lua

local cp = require "cupola"

local count = cp.cuda.device_count()
if count < 2 then
  print(("this needs two GPUs, and there %s %d: nothing done"):format(count == 1 and "is" or "are", count))
  return nil
end

local on1 = cp.cuda.Device(1):with(cp.array, { 1, 2, 3, 4, 5 })
print("made on " .. on1.device)

local on0 = on1:to("cuda:0") -- queued after the work that created it; later work on both devices is ordered
print("moved to " .. on0.device)

local ok, message = pcall(function() return on0 + on1 end)
print(ok, (message:gsub("^.-: ", "")))

local result = cp.cuda.Device(0):with(function() return (on0 * 2 + cp.asarray(on1)):sum() end)
print(("sum of x * 2 + x: %g on %s"):format(result:item(), result.device))
return result
