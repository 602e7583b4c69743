-- The clocks of bench/cupola.lua and bench/roofline.lua: what a call costs the host, and what it costs the device.

local cp = require "cupola"
local timing = {}

-- Numbers in [0, 1), the same in every tool: the fractions of k * step, which for such a step are in no order and
-- evenly spread.
timing.GOLDEN, timing.SILVER = 0.6180339887498949, 0.41421356237309515

function timing.fractions(n, step)
  return cp.scope(function() return ((cp.arange(n, "float64") * step) % 1):astype("float32"):eval() end)
end

-- Numbers in [0, 1) without a visible order, the same in every tool: keys to be sorted, places, masks.
function timing.scrambled(n)
  return cp.scope(function()
    local k = cp.arange(n, "float64")
    return ((((k * timing.GOLDEN) % 1) * ((k * timing.SILVER) % 1) * 1e5) % 1):astype("float32"):eval()
  end)
end

-- Seconds for each call when calls are issued back to back: best of fifteen rounds of at most `most` calls, or 10000
-- (in which Lua's collector goes round several times), none much longer than 0.1 s. The queue is drained between the
-- rounds, outside the time.
function timing.host(f, most)
  for _ = 1, 200 do f() end
  cp.synchronize()
  local t = cp.clock()
  for _ = 1, 100 do f() end
  local n = math.max(10, math.min(most or 10000, math.floor(10 / (cp.clock() - t))))
  cp.synchronize()
  local best = math.huge
  for _ = 1, 15 do
    t = cp.clock()
    for _ = 1, n do f() end
    best = math.min(best, (cp.clock() - t) / n)
    cp.synchronize()
  end
  return best
end

-- Seconds between two events around `batch` calls.
local function between(first, last, f, batch)
  first:record()
  for _ = 1, batch do f() end
  last:record()
  last:synchronize()
  return cp.cuda.get_elapsed_time(first, last) / 1e3
end

-- Seconds of the device for each call: the median of `rounds` intervals between events with `batch` calls in each,
-- each after prepare() where there is one.
function timing.device(f, rounds, batch, prepare)
  local first, last = cp.cuda.Event(), cp.cuda.Event()
  local times = {}
  for k = 1, rounds do
    if prepare then prepare() end
    times[k] = between(first, last, f, batch) / batch
  end
  table.sort(times)
  return times[math.ceil(rounds / 2)]
end

-- The median of 20 calls, each between two events, after 20 that let pools and caches settle; calls that take long
-- fewer times, so that both take half a second, but 5. prepare() comes before each call, outside its time.
function timing.median(f, prepare)
  local function waited()
    if prepare then prepare() end
    local t = cp.clock()
    f()
    cp.synchronize()
    return cp.clock() - t
  end
  waited() -- compiles
  local rounds = math.max(5, math.min(20, math.floor(0.5 / waited())))
  for _ = 1, rounds - 2 do waited() end
  return timing.device(f, rounds, 1, prepare)
end

-- Seconds on the host's clock until the work of a call is done: the median of 11, after calls that warm up: three, and
-- as many as 20 ms hold.
function timing.waited(f)
  local times, began = {}, cp.clock()
  local function once()
    local t = cp.clock()
    f()
    cp.synchronize()
    return cp.clock() - t
  end
  repeat for _ = 1, 3 do once() end until cp.clock() - began > 0.02
  for k = 1, 11 do times[k] = once() end
  table.sort(times)
  return times[6]
end

-- The same within about `budget` seconds, whatever a call takes: short calls in batches of a millisecond, long ones
-- few times. What a batch leaves is freed at its end, so that all of them work in the same memory.
function timing.budgeted(f, budget)
  local batch = 1
  local function calls()
    for _ = 1, batch do f() end
  end
  local function run() cp.scope(calls) end
  run() -- compiles
  run() -- the pool has the blocks now
  local once = math.max(timing.device(run, 1, 1), 1e-7)
  batch = math.max(1, math.floor(1e-3 / once))
  local rounds = math.max(3, math.min(20, math.floor(budget / (once * batch))))
  if batch > 1 then timing.device(run, 2, 1) end
  return timing.device(run, rounds, 1) / batch
end

-- How many of `what` ("launches", "allocations") one call makes once everything is warm.
function timing.count(f, what)
  f()
  local before = cp.profiler.counters()[what]
  f()
  return cp.profiler.counters()[what] - before
end

return timing
