-- Run by spec/devices/transfer_spec.lua with a simulated driver (driver.c): kernels from Lua functions, whose
-- simulations (jit.c) go by their names. Prints "all as it should be".

local cp = require "cupola"
local cpu, jit = cp.cpu, cp.jit
local gpu = "cuda:0"
assert(cp.device().name == gpu and cp.device().properties.name == "no GPU")

local function numbers(n, first) return (cpu.arange(n, "float32") + first):eval() end
local function is(x, want) assert(cpu.array_equal(x:cpu(), want)) end
local function launches(f)
  local before = cp.profiler.counters().launches
  f()
  return cp.profiler.counters().launches - before
end

-- A chain is one kernel, whose arguments may be freed before it runs, also on another stream.
local tripled = jit.elementwise("function(x) return x * 3 end", "tripled")
local n = 5000
local x = numbers(n, 1):to(gpu)
local chain
assert(launches(function() chain = (tripled(x) + x):eval() end) == 1)
is(chain, numbers(n, 1) * 4)
for round = 1, 20 do
  local a = numbers(n, round):to(gpu)
  local y = tripled(a) + a
  if round % 3 == 0 then
    local s = cp.cuda.Stream()
    s:with(function() y:eval() end)
  else
    y:eval()
  end
  a:free()
  is(y, numbers(n, round) * 4)
end
collectgarbage() -- a capture computes values that wait, also parts of chains that nobody needs any more
collectgarbage()
local graph = cp.cuda.graph(function() return tripled(x) + x end)
for _ = 1, 3 do is(graph(), numbers(n, 1) * 4) end

-- Positions that a kernel finds out of range are reported by the next wait: the first since the last one.
local reach = jit.rawkernel("function(x, i)\n  x[i] = x[i] + 1\nend", { name = "reach", check = true })
local function reports(position, f)
  local ok, message = pcall(f)
  assert(not ok, "no report")
  local want = ("reach: reach:2: position %d of 'x', which has 5000 elements"):format(position)
  assert(message:find(want, 1, true), message)
end
for k = 1, 300 do reach(1, 1, { x, k }) end
is(x, cpu.concatenate { numbers(300, 2), numbers(n - 300, 301) })
reach(1, 1, { x, 5001 })
reach(1, 1, { x, -7 })
reach(1, 1, { x, 1 })
reports(5001, function() cp.synchronize() end)
cp.synchronize()
assert(x:cpu()[1] == 3)
local found = false
for _ = 1, 300 do found = found or not pcall(reach, 1, 1, { x, 0 }) end -- waits when the words are used up
assert(found)
pcall(cp.synchronize)

-- The same for graphs, in each run, also when a graph goes before anything waited.
local bad = cp.cuda.graph(function()
  reach(1, 1, { x, 1 })
  reach(1, 1, { x, 6000 })
  reach(1, 1, { x, 2 })
end)
cp.synchronize()
for round = 1, 3 do
  bad:replay()
  reports(6000, function() cp.synchronize() end)
  assert(x:cpu()[1] == 3 + round and x:cpu()[2] == 3 + round)
end
bad:replay()
bad:free()
reports(6000, function() cp.synchronize() end)
cp.synchronize()

-- Blocks that wait for each other are launched together, each time with a barrier of their own.
local together = jit.rawkernel("function(x) cp.jit.cg.this_grid():sync() x[1] = x[1] + 1 end", "together")
local y = numbers(1, 0):to(gpu)
for _ = 1, 3 do together(5, 1, { y }) end
is(y, numbers(1, 15))
print "all as it should be"
