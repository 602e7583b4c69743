-- Streams: an array is copied to the device on one stream and summed on another, and an event says when the
-- sum may begin.
-- Prints the sum of a million ones and their doubled values, the milliseconds of copy and sum between events,
-- whether the work of both streams is done, and how often one stream waited for another. The argument changes
-- the number of elements.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 1000000
local host = cp.cpu.ones({ n }, "float32") -- in the host's memory

local copying, computing = cp.cuda.Stream { non_blocking = true }, cp.cuda.Stream { non_blocking = true }
local waits = cp.profiler.counters().waits

-- Three events: before the copy, after it, and after the sum.
local begun, copied, summed = cp.cuda.Event(), cp.cuda.Event(), cp.cuda.Event()

local x = copying:with(function()
  begun:record()
  local on_device = cp.array(host)
  copied:record()
  return on_device
end)

local total, doubled = computing:with(function()
  computing:wait_event(copied) -- x is complete from here on; cupola would also do this automatically
  local sum, twice = x:sum(), (x * 2):sum()
  summed:record()
  return sum, twice
end)

summed:synchronize()
print(("sum %g, doubled %g, on %s"):format(total:item(), doubled:item(), x.device))
print(("copy %.3f ms, sums %.3f ms"):format(cp.cuda.get_elapsed_time(begun, copied),
  cp.cuda.get_elapsed_time(copied, summed)))

copying:synchronize()
computing:synchronize()
print(("done: %s and %s"):format(tostring(copying:query()), tostring(computing:query())))
print(("waits of one stream for another: %d"):format(cp.profiler.counters().waits - waits))
return total:item(), doubled:item(), copying:query() and computing:query()
