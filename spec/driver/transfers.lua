-- Run by spec/devices/transfer_spec.lua with a simulated driver (driver.c): copies of all kinds on several
-- streams, with memory that is freed and reused in between. There are no kernels: arithmetic runs on the CPU
-- device. Prints "all as it should be".

local cp = require "cupola"
local cpu, runtime = cp.cpu, cp.cuda.runtime
local gpu = "cuda:0"
assert(cp.device().name == gpu and cp.device().properties.name == "no GPU")
math.randomseed(7)

local function expect(x, value, what)
  if type(value) == "number" then value = cpu.full(x.shape, value, x.dtype) end
  assert(cpu.array_equal(x, value), what)
end

local function numbers(n, first) return (cpu.arange(n, "float32") + first):eval() end

-- Copies from pageable memory, which is overwritten right after the call.
for _, n in ipairs { 1, 5000, 8193, 16384, 16385, 131072, 300000, 1048576, 1048577, 3000001 } do
  for round = 1, 3 do
    local x = numbers(n, round)
    local there = x:to(gpu)
    x:fill(-1)
    expect(there:cpu(), numbers(n, round), "ordinary " .. n)
  end
end

-- More small copies to the device than fit into the staging buffer, before anything waits for them.
local small = {}
for k = 1, 20 do small[k] = numbers(8000, k):to(gpu) end
for k = 1, 20 do expect(small[k]:cpu(), numbers(8000, k), "small " .. k) end

-- Page-locked memory, one stream.
local n = 100000
local x, y, z = cp.empty_pinned(n, "float32"), cp.empty(n, "float32"), cp.empty_pinned(n, "float32")
assert(select(2, cp.cuda.is_pinned(x)))
for round = 1, 40 do
  x:fill(round)
  y:assign(x)
  z:assign(y)
  if round % 3 == 0 then assert(z[1] == round and z[-1] == round, "an element") end
  if round % 4 == 0 then assert((z * 2):sum():item() == 2 * round * n, "a sum") end
end

-- Several streams.
local streams = { cp.cuda.Stream(), cp.cuda.Stream(), cp.cuda.Stream() }
local function somewhere(f) return streams[math.random(3)]:with(f) end
for round = 1, 200 do
  x:fill(round)
  somewhere(function() y:assign(x) end)
  somewhere(function() z:assign(y) end)
  if round % 2 == 0 then somewhere(function() y:assign(x) end) end
  local dice = math.random()
  if dice < 0.3 then
    expect(z, round, "streams")
  elseif dice < 0.4 then
    z:free()
    z = cp.empty_pinned(n, "float32")
    z:fill(-5)
  elseif dice < 0.5 then
    y:free()
    y = cp.empty(n, "float32")
  elseif dice < 0.6 then
    x:free()
    x = cp.empty_pinned(n, "float32")
  end
end

-- Memory of each kind of allocator is freed while a copy uses it.
local function churn(what)
  local kept = {}
  for k = 1, 20 do
    local p = cp.empty_pinned(30000, "float32")
    p:fill(k)
    kept[k] = somewhere(function() return p:to(gpu) end)
    p:free()
    local back = somewhere(function()
      local out = cp.empty_pinned(30000, "float32")
      out:assign(kept[k])
      return out
    end)
    if k % 2 == 0 then
      kept[k]:free()
      kept[k] = nil
      somewhere(function() return cpu.full(30000, -k, "float32"):to(gpu) end)
    end
    expect(back, k, what)
  end
  for k, there in pairs(kept) do
    expect(there:cpu(), k, what)
  end
end
churn "the device's pool"
for _, name in ipairs { "malloc_async", "malloc_managed", "malloc_device" } do
  cp.cuda.using_allocator(cp.cuda[name], churn, name)
  cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda[name]), churn, "a pool on " .. name)
end
cp.cuda.using_allocator(function(nbytes) return cp.empty(nbytes, "uint8") end, churn, "a function")

-- Raw, stream-ordered memory.
local host, there = runtime.hostAlloc(4000), runtime.mallocAsync(4000, streams[1])
runtime.memsetAsync(there, 3, 4000, streams[1])
runtime.memcpyAsync(host, there, 4000, nil, streams[1])
runtime.freeAsync(there, streams[1])
streams[1]:synchronize()
assert(cp.from_pointer(host, 1000, "int32", nil, "cpu")[-1] == 0x03030303)
assert(runtime.hostGetDevicePointer(host) == host)
runtime.freeHost(host)
runtime.free(runtime.mallocManaged(100))

-- Arrays of the GPU on host memory, transposed copies, addresses.
x:fill(4)
local shared = cp.cuda.zero_copy(x)
assert(shared.device == gpu)
expect(shared:cpu(), 4, "zero_copy")
local matrix = cp.zeros_pinned({ 10, 100 })
matrix:assign(cpu.arange(1000):reshape(10, 100))
expect(matrix.T:to(gpu):cpu(), cpu.arange(1000):reshape(10, 100).T, "transposed")
y:assign(x)
z:assign(y)
assert(cp.from_pointer(z.data.ptr, 5, "float32", z, "cpu")[5] == 4, "an address")
expect(y:get { out = z }, 4, "get")
local ok, problem = pcall(function() y:assign(cpu.zeros(n, "float32")) end)
assert(not ok and problem:find("cannot write values on cpu into an array on cuda:0", 1, true))

-- These copies may still be queued when the state is closed.
x:fill(6)
y:assign(x)
z:assign(y)
-- Copies into and out of selections. A write of values in pageable memory into an array of the GPU is
-- refused, as is one of the wrong shape, and changes nothing.
local square = cp.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float32")
local page = cp.empty_pinned({ 2, 3 }, "float32")
page:fill(7)
square["1"] = page["2"]
expect(square:cpu(), cpu.array({ { 7, 7, 7 }, { 4, 5, 6 } }, "float32"), "into a row")
page["1"] = square["2"]
expect(page, cpu.array({ { 4, 5, 6 }, { 7, 7, 7 } }, "float32"), "from a row")
for _, write in ipairs {
  function() square["1"] = cpu.ones(3, "float32") end,
  function() square:assign(cpu.ones({ 2, 3 }, "float32")) end,
  function() page["1"] = cp.array({ 1, 2 }, "float32") end,
} do
  assert(not pcall(write), "what does not fit was written")
end
expect(square:cpu(), cpu.array({ { 7, 7, 7 }, { 4, 5, 6 } }, "float32"), "after refusals")

print "all as it should be"
