-- Run by spec/devices/guards_spec.lua in separate processes: functions inside each kind of scope, with errors
-- that a debug hook raises at their k-th instruction and at the next ones. Each scope must be left as usual.
-- Prints failures, then "done".

local cp = require "cupola"
local core = require "cupola.core"

local jit = rawget(_G, "jit")
if jit then jit.off() end -- compiled code calls no hooks
core.load_all()

local sethook, getinfo, pcall, error = debug.sethook, debug.getinfo, pcall, error

-- ---- what is run

local x = cp.ones(3)
local pool = cp.cuda.MemoryPool()
local stream = cp.cuda.Stream { device = "cpu" }
local there = cp.cpu.ones(3)
local ranks = cp.cuda.nccl.init_all({ "cpu", "cpu" }, 10)
local heard = 0
local hook = cp.cuda.MemoryHook { malloc = function() heard = heard + 1 end }

local function work()
  local y = x + 1
  return (y * 2):eval()
end

local fused = cp.fuse(work)
local drawing = cp.cuda.graph(function() return cp.random.rand(3) end)
local ways = {
  scope = function() return cp.scope(work) end,
  ["keep in a scope"] = function() return cp.scope(function() return cp.keep(work()), work() end) end,
  ["scope in a scope"] = function() return cp.scope(function() return cp.scope(work), work() end) end,
  assign = function() return cp.zeros(3):assign(function() return x + 1 end) end,
  device = function() return cp.device("cpu"):with(work) end,
  ["a function of cp.cpu"] = function() return cp.cpu.add(x, 1) end,
  stream = function() return stream:with(work) end,
  allocator = function() return cp.cuda.using_allocator(pool, work) end,
  ["an allocator set in another one"] = function()
    return cp.cuda.using_allocator(pool, function()
      cp.cuda.set_allocator(cp.cuda.MemoryPool())
      return work()
    end)
  end,
  ["memory hook"] = function() return hook:with(work) end,
  ["memory in lines"] = function() return cp.profiler.memory(work) end,
  ["replay of a graph"] = function() return drawing() end,
  trace_sync = function() return cp.profiler.trace_sync(work) end,
  time_range = function() return cp.profiler.time_range("a range", work) end,
  fuse = function() return fused() end,
  vectorize = function() return cp.vectorize(function(a) return a * 2 end)(x) end,
  graph = function() return cp.cuda.graph(work) end,
  ["draws in a graph"] = function() return cp.cuda.graph(function() return cp.random.rand(3) end) end,
  group = function() return cp.cuda.nccl.group(function() return ranks:all_reduce { there, there } end) end,
  ["all in one another"] = function()
    return stream:with(cp.scope, function()
      return hook:with(cp.cuda.using_allocator, pool, function() return cp.profiler.time_range("a range", fused) end)
    end)
  end,
  ["in a coroutine"] = function()
    local f, mask, count = debug.gethook()
    local co = coroutine.wrap(function()
      if f then sethook(f, mask, count) end -- in Lua 5.4 it is the coroutine's own
      return stream:with(cp.scope, function()
        coroutine.yield(1)
        return work()
      end)
    end)
    co()
    return co()
  end,
}

-- ---- what must be as before

local function state()
  local allocator, device, now = core.chosen_pool(), cp.device().name, cp.cuda.get_current_stream()
  local inner = core.scope()
  local before = heard
  cp.empty(5):eval()
  cp.profiler.trace_sync(function() end) -- raises if another one is running
  ranks:all_reduce_ { cp.cpu.zeros(3), cp.cpu.zeros(3) } -- would only be queued if a group were open
  cp.random.get_state() -- raises if a graph is being captured
  return table.concat({ core.entered(), allocator, device, tostring(now == cp.cuda.Stream.null), tostring(inner),
    heard - before, tostring(core.capturing) }, " ")
end

-- Runs the function with errors at its k-th instruction and the next ones, three or `errors` in all. Returns
-- whether it ended before the first one.
local function interrupt_at(run, k, errors)
  local raised = 0
  local function interrupt()
    if raised == (errors or 3) then return sethook() end
    if getinfo(2, "f").func == interrupt_at then return end
    raised = raised + 1
    sethook(interrupt, "", 1)
    error("time is up", 0)
  end
  sethook(interrupt, "", k)
  local ok, message = pcall(pcall, run)
  sethook()
  if raised == 0 and not ok then error(message, 0) end
  return raised == 0
end

local attempt = ... or interrupt_at -- a host may pass its own (spec/embed/scarce.c)

local names = {}
for name in pairs(ways) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  ways[name]()
  local before, k = state(), 1
  while not attempt(ways[name], k) do
    if name == "in a coroutine" then collectgarbage() end -- its guard may be left to the collector
    local ok, after = pcall(state)
    if after ~= before then print(name, k, ok and "before " .. before .. ", after " .. after or after) break end
    ok, after = pcall(ways[name])
    if not ok then print(name, k, "later", after) break end
    k = k + 1 + math.floor(math.max(0, k - 400) / 20) -- further apart in ways of thousands of instructions
  end
  if k < 20 and attempt == interrupt_at then print(name, "is interrupted nowhere", k) end
end

-- Each callback is called once, except for at most one, which the error may prevent.
local k, ended = 1, false
while not ended do
  local called = {}
  for n = 1, 3 do stream:callback(function() called[n] = (called[n] or 0) + 1 end) end
  ended = attempt(cp.cuda.poll, k, 1)
  while cp.cuda.poll() > 0 do end
  local count = (called[1] or 0) + (called[2] or 0) + (called[3] or 0)
  if count < 2 or count > 3 or (called[1] or 0) > 1 or (called[2] or 0) > 1 then print("callbacks", k, count) end
  k = k + 1
end

-- No replay repeats random numbers: draws outside the graph continue after those of the graph.
k, ended = 1, false
while not ended do
  cp.random.seed(7)
  local results, replays = { cp.random.rand(3):totable() }, 0
  ended = attempt(function()
    drawing()
    replays = 1
  end, k, 1)
  for _ = 1, 3 do results[#results + 1] = drawing():totable() end
  results[#results + 1] = cp.random.rand(3):totable()
  cp.random.seed(7)
  local first = cp.random.rand(3):totable()
  local skipped = 0
  local function next_is(t)
    local drawn = cp.random.rand(3)
    return cp.abs(drawn - cp.array(t)):max():item() == 0
  end
  if cp.abs(cp.array(first) - cp.array(results[1])):max():item() ~= 0 then print("draws", k, "first") end
  for n = 2, #results do
    while not next_is(results[n]) do
      skipped = skipped + 1
      if skipped > 1 then break end
    end
  end
  if skipped > 1 or (ended and skipped ~= replays) then print("draws", k, skipped) end
  k = k + 1
end
print "done"
