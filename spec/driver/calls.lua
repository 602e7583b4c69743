-- Run by spec/devices/transfer_spec.lua with a simulated driver of two linked GPUs: the calls of
-- cp.cuda.runtime that spec/devices/runtime_spec.lua cannot make without a GPU. Prints "all as it should be".

local cp = require "cupola"
local cpu, runtime = cp.cpu, cp.cuda.runtime

local function fails(text, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(text, 1, true), tostring(message))
end

-- Rows of a matrix: from the host's memory, pageable and page-locked, to the GPU and back.
local rows, columns = 7, 24
local x = cpu.arange(rows * columns, "uint8"):reshape(rows, columns):eval()
local there = runtime.malloc(rows * 32)
local back = cp.empty_pinned({ rows, columns }, "uint8"):fill(0)
runtime.memset(there, 0, rows * 32)
runtime.memcpy2D(there, 32, x.data.ptr, columns, columns, rows, runtime.memcpyHostToDevice)
runtime.memcpy2DAsync(back.data.ptr, columns, there, 32, columns, rows)
cp.cuda.get_current_stream():synchronize()
assert(cpu.array_equal(back, x))
back:fill(0)
local stream = runtime.streamCreate()
runtime.memcpy3DAsync { dst = { ptr = back.data.ptr, pitch = columns, x = 3, y = 1 },
  src = { ptr = there, pitch = 32, x = 2, y = 2 }, width = 10, height = 4, stream = stream }
runtime.streamSynchronize(stream)
local wanted = cpu.zeros({ rows, columns }, "uint8")
wanted[{ { 2, 5 }, { 4, 13 } }] = x[{ { 3, 6 }, { 3, 12 } }]
assert(cpu.array_equal(back, wanted))
fails("a row of src has 32 bytes, but bytes 30 to 40", runtime.memcpy3D,
  { dst = { ptr = back.data.ptr, pitch = columns }, src = { ptr = there, pitch = 32, x = 30 }, width = 10 })

-- What memory an address is in.
local facts = runtime.pointerGetAttributes(there)
assert(facts.type == runtime.memoryTypeDevice and facts.device == 0 and facts.devicePointer == there)
assert(facts.hostPointer == 0)
assert(runtime.pointerGetAttributes(x.data.ptr).type == runtime.memoryTypeUnregistered)
runtime.hostRegister(x.data.ptr, x.nbytes)
assert(runtime.pointerGetAttributes(x.data.ptr).type == runtime.memoryTypeHost)
fails("is locked already", runtime.hostRegister, x.data.ptr, x.nbytes)
runtime.hostUnregister(x.data.ptr)
fails("is not memory that was locked here", runtime.hostUnregister, x.data.ptr)

-- Managed memory.
local managed = runtime.mallocManaged(4096)
runtime.memAdvise(managed, 4096, runtime.memAdviseSetPreferredLocation, 1)
runtime.memAdvise(managed, 4096, runtime.memAdviseSetAccessedBy, runtime.cpuDeviceId)
runtime.memPrefetchAsync(managed, 4096, 1)
runtime.memPrefetchAsync(managed, 4096, runtime.cpuDeviceId, stream)
fails("cuda:2", runtime.memPrefetchAsync, managed, 4096, 2)
runtime.free(managed)

-- Pools.
local pool, first = runtime.memPoolCreate(), runtime.deviceGetDefaultMemPool()
assert(pool ~= first and runtime.deviceGetMemPool(0) == first)
runtime.deviceSetMemPool(0, pool)
assert(runtime.deviceGetMemPool() == pool)
local p = runtime.mallocFromPoolAsync(1000, pool, stream)
runtime.memsetAsync(p, 7, 1000, stream)
local seven = cpu.zeros(1000, "uint8")
runtime.memcpyAsync(seven.data.ptr, p, 1000, runtime.memcpyDeviceToHost, stream)
runtime.streamSynchronize(stream)
assert(cpu.all(seven:eq(7)))
runtime.freeAsync(p, stream)
runtime.memPoolTrimTo(pool)
runtime.memPoolTrimTo(first, 1024)
runtime.deviceSetMemPool(0, first)
runtime.memPoolDestroy(pool)
fails("is not the handle of a pool", runtime.memPoolTrimTo, pool)
fails("the pool is of cuda:1, but the stream of cuda:0", runtime.mallocFromPoolAsync, 8, runtime.memPoolCreate(1))

-- The GPUs themselves.
runtime.deviceSetLimit(runtime.limitStackSize, 4096)
assert(runtime.deviceGetLimit(runtime.limitStackSize) == 4096)
assert(runtime.deviceGetPCIBusId(1) == "0000:3c:00.0" and runtime.deviceGetPCIBusId() == "0000:3b:00.0")
assert(runtime.deviceGetByPCIBusId "0000:3C:00.0" == 1 and runtime.deviceGetByPCIBusId "3b:00" == 0)
fails("there is no GPU at 0000:01:00.0", runtime.deviceGetByPCIBusId, "0000:01:00.0")
assert(runtime.deviceCanAccessPeer(0, 1) == true and runtime.deviceCanAccessPeer(0, 0) == false)
runtime.deviceEnablePeerAccess(1)
runtime.deviceEnablePeerAccess(1)
runtime.profilerStart()
runtime.profilerStop()

-- Other processes, of which this one plays the part.
local handle = runtime.ipcGetMemHandle(there)
assert(#handle == 64)
local other = runtime.ipcOpenMemHandle(handle)
assert(other == there)
runtime.ipcCloseMemHandle(other)
fails("handle must be a string of 64 bytes", runtime.ipcOpenMemHandle, "short")
do
  local event = runtime.eventCreateWithFlags(runtime.eventInterprocess + runtime.eventDisableTiming)
  runtime.eventRecord(event, stream)
  local opened = runtime.ipcOpenEventHandle(runtime.ipcGetEventHandle(event))
  runtime.eventSynchronize(opened)
  runtime.eventDestroy(opened)
  fails("was destroyed", runtime.eventQuery, opened)
  fails("must be made with runtime.eventInterprocess", runtime.ipcGetEventHandle, runtime.eventCreate())
end
collectgarbage()
collectgarbage()
runtime.eventSynchronize(runtime.eventCreateWithFlags(runtime.eventDisableTiming)) -- not the shared one again

runtime.free(there)
runtime.streamDestroy(stream)
print "all as it should be"
