-- Run by spec/devices/transfer_spec.lua with a simulated driver (driver.c) of three GPUs: copies between them
-- on several streams, with memory that is freed and reused in between. Prints "all as it should be".

local cp = require "cupola"
local cpu = cp.cpu
local GPUS = 3
assert(cp.cuda.device_count() == GPUS)
math.randomseed(11)

local function name(k) return "cuda:" .. k end

local function expect(x, value, what) assert(cpu.array_equal(x, cpu.full(x.shape, value, x.dtype)), what) end

-- Two streams for each GPU; on(k, f) runs f on one of GPU k's.
local streams = {}
for k = 0, GPUS - 1 do
  streams[k] = { cp.cuda.Stream { device = name(k) }, cp.cuda.Stream { device = name(k) } }
end
local function on(k, f) return streams[k][math.random(2)]:with(f) end

-- Arrays are copied from GPU to GPU. All elements of an array are equal; `values` has what they must be.
for _, n in ipairs { 1000, 100000, 1300000 } do
  local arrays, values = {}, {}
  for k = 0, GPUS - 1 do
    arrays[k], values[k] = cpu.full(n, k, "float32"):to(name(k)), k
  end
  for step = 1, n > 1000000 and 20 or 100 do
    local from, to = math.random(0, GPUS - 1), math.random(0, GPUS - 1)
    if from ~= to then
      local moved = on(to, function() return arrays[from]:to(name(to)) end)
      arrays[to]:free()
      arrays[to], values[to] = moved, values[from]
    end
    local dice, k = math.random(), math.random(0, GPUS - 1)
    if dice < 0.2 then
      values[k] = 100 + step
      arrays[k]:free()
      arrays[k] = on(k, function() return cpu.full(n, values[k], "float32"):to(name(k)) end)
    elseif dice < 0.4 then
      expect(on(k, function() return arrays[k]:cpu() end), values[k], "by ordinary memory")
    elseif dice < 0.6 then
      local pinned = cp.empty_pinned(n, "float32")
      on(k, function() pinned:assign(arrays[k]) end)
      expect(pinned, values[k], "by page-locked memory")
    end
  end
  for k = 0, GPUS - 1 do
    assert(arrays[k].device == name(k))
    expect(arrays[k]:cpu(), values[k], "at the end")
  end
end

-- One page-locked array is copied to all GPUs.
local x = cp.empty_pinned(50000, "float32")
for round = 1, 20 do
  x:fill(round)
  local copies = {}
  for k = 0, GPUS - 1 do
    copies[k] = on(k, function() return x:to(name(k)) end)
  end
  x:fill(-round)
  for k = 0, GPUS - 1 do
    expect(copies[k]:cpu(), round, "one for all")
  end
end

-- A graph belongs to one GPU. A copy between GPUs is refused with the same message on any of them.
local a, b = cpu.full(100, 1, "float32"):to "cuda:0", cpu.full(100, 2, "float32"):to "cuda:1"
for k = 0, GPUS - 1 do
  for _, copy in ipairs { function() return a:to "cuda:1" end, function() b:assign(a) end } do
    local ok, message = pcall(function() cp.device(name(k)):with(cp.cuda.graph, copy) end)
    assert(not ok and message:find("a copy from cuda:0 to cuda:1 cannot be captured in a graph", 1, true), message)
  end
end
expect(b:cpu(), 2, "was not written")

-- Memory of each GPU goes back to that GPU's pool, also with the driver's stream-ordered pools.
cp.cuda.set_allocator(cp.cuda.MemoryAsyncPool())
for k = 0, GPUS - 1 do
  local here = cpu.full(5000, k, "float32"):to(name(k))
  local there = here:to(name((k + 1) % GPUS))
  here:free()
  expect(there:cpu(), k, "the driver's pools")
  cp.device(name(k)):with(function() assert(cp.cuda.get_allocator():used_bytes() <= 20000) end)
end
cp.cuda.set_allocator()
cp.cuda.runtime.setDevice(1)
local ptr = cp.cuda.runtime.malloc(4000)
cp.cuda.runtime.setDevice(0)
cp.cuda.runtime.free(ptr)
print "all as it should be"
