-- The clocks of bench/tables/cupola.lua and bench/families/roofline.lua: the time of a call on the host and
-- on the device.

local cp = require "cupola"
local timing = {}

-- Scattered numbers in [0, 1), the same in every library: the fractional parts of k * step, which are evenly
-- distributed for such a step.
timing.GOLDEN, timing.SILVER = 0.6180339887498949, 0.41421356237309515

function timing.fractions(n, step)
  return cp.scope(function() return ((cp.arange(n, "float64") * step) % 1):astype("float32"):eval() end)
end

-- Numbers in [0, 1) without a visible order, the same in every library: for sort keys, positions, masks.
function timing.scrambled(n)
  return cp.scope(function()
    local k = cp.arange(n, "float64")
    return ((((k * timing.GOLDEN) % 1) * ((k * timing.SILVER) % 1) * 1e5) % 1):astype("float32"):eval()
  end)
end

-- The host's seconds per call for consecutive calls: the best of fifteen rounds. A round has at most `most`
-- calls, or 10000 (during which Lua's garbage collector completes several cycles), and does not take much
-- longer than 0.1 s. The queue is drained between rounds, outside the measured time.
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

-- The device's seconds per call: the median of `rounds` intervals between events. Each interval has `batch`
-- calls and comes after prepare(), if given.
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

-- The median of 20 calls, each between two events, after 20 warm-up calls for pools and caches. Slow calls
-- are repeated less, so that both take half a second, but at least 5 times. prepare() runs before each call,
-- outside its time.
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

-- Seconds on the host's clock until a call's work is done: the median of 11. There are at least three warm-up
-- calls, and as many as fit in 20 ms.
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

-- The same within about `budget` seconds, however long a call takes: short calls run in batches of a
-- millisecond, long ones only a few times. The results of a batch are freed at its end, so that all batches
-- use the same memory.
function timing.budgeted(f, budget)
  local batch = 1
  local function calls()
    for _ = 1, batch do f() end
  end
  local function run() cp.scope(calls) end
  run() -- compiles
  run() -- now the pool has the blocks
  local once = math.max(timing.device(run, 1, 1), 1e-7)
  batch = math.max(1, math.floor(1e-3 / once))
  local rounds = math.max(3, math.min(20, math.floor(budget / (once * batch))))
  if batch > 1 then timing.device(run, 2, 1) end
  return timing.device(run, rounds, 1) / batch
end

-- The device's seconds per call of 20 that are queued back to back, their results freed together: the best
-- of 5 rounds.
function timing.queued(f)
  local CALLS, ROUNDS = 20, 5
  local function calls()
    for _ = 1, CALLS do f() end
  end
  local function round() cp.scope(calls) end
  round()
  round()
  local best = math.huge
  for _ = 1, ROUNDS do best = math.min(best, timing.device(round, 1, 1) / CALLS) end
  return best
end

-- Whether ROWS, a list of parts of names, selects the row of this name.
function timing.is_wanted(key)
  local rows = os.getenv "ROWS" or ""
  for part in rows:gmatch "[^,]+" do
    if key:find(part, 1, true) then return true end
  end
  return rows == ""
end

-- How many of `what` ("launches", "allocations") one call causes after a warm-up.
function timing.count(f, what)
  f()
  local before = cp.profiler.counters()[what]
  f()
  return cp.profiler.counters()[what] - before
end

return timing
