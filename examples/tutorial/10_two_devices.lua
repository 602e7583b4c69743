-- An array is made on the second GPU and brought to the first one, where work goes on with it. An operation on arrays
-- of two devices is an error: copies are written down. With one GPU, or none, the program says so and ends.
--
-- Prints where the array was made and where it is now, what mixing the two says, and the sum of the result.
--   ./dev lua examples/tutorial/10_two_devices.lua

local cp = require "cupola"

local count = cp.cuda.device_count()
if count < 2 then
  print(("this needs two GPUs, and there %s %d: nothing done"):format(count == 1 and "is" or "are", count))
  return nil
end

local on1 = cp.cuda.Device(1):with(cp.array, { 1, 2, 3, 4, 5 })
print("made on " .. on1.device)

local on0 = on1:to("cuda:0") -- queued behind what made it; later work on both sides is ordered
print("moved to " .. on0.device)

local ok, message = pcall(function() return on0 + on1 end)
print(ok, (message:gsub("^.-: ", "")))

local result = cp.cuda.Device(0):with(function() return (on0 * 2 + cp.asarray(on1)):sum() end)
print(("sum of x * 2 + x: %g on %s"):format(result:item(), result.device))
return result
