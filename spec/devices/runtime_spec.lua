-- cp.cuda.runtime on the current device: copies of rows and boxes, memory of others, streams and events. What
-- only GPUs have is also tested with a simulated driver (spec/driver/calls.lua).

local cp = require "cupola"

local cpu, runtime = cp.cpu, cp.cuda.runtime
local on_gpu = cp.device().name ~= "cpu"

-- Asserts that f(...) fails with an error of this kind (nil: any) whose message contains the text.
local function failure(kind, text, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.truthy(tostring(message):find(text, 1, true), message)
  if kind then assert.equal(kind, cp.last_error().kind) end
end

describe("cuda.runtime copies", function()
  it("rows between pitched memory", function()
    for _, dtype in ipairs { "uint8", "float32", "complex128" } do
      local x = cp.arange(60, { dtype = dtype }):reshape(5, 12):eval()
      local item = x.itemsize
      local y = cp.zeros({ 7, 20 }, dtype):eval()
      runtime.memcpy2D(y.data.ptr, 20 * item, x.data.ptr, 12 * item, 12 * item, 5)
      local wanted = cpu.zeros({ 7, 20 }, dtype)
      wanted[{ { 1, 5 }, { 1, 12 } }] = x:cpu()
      assert.is_true(cpu.array_equal(y:cpu(), wanted))
      local stream = cp.cuda.Stream()
      runtime.memcpy2DAsync(x.data.ptr, 12 * item, y.data.ptr + 2 * item, 20 * item, 10 * item, 4,
        runtime.memcpyDeviceToDevice, stream)
      stream:synchronize()
      local expected = cpu.arange(60, { dtype = dtype }):reshape(5, 12):copy()
      expected[{ { 1, 4 }, { 1, 10 } }] = wanted[{ { 1, 4 }, { 3, 12 } }]
      assert.is_true(cpu.array_equal(x:cpu(), expected))
    end
  end)

  it("rows between the host and the device", function()
    local x = cpu.arange(30, "int32"):reshape(5, 6):eval()
    local y, z = cp.zeros({ 5, 8 }, "int32"):eval(), cpu.zeros({ 5, 6 }, "int32"):eval()
    runtime.memcpy2D(y.data.ptr, 32, x.data.ptr, 24, 24, 5, runtime.memcpyHostToDevice)
    runtime.memcpy2D(z.data.ptr, 24, y.data.ptr, 32, 24, 5, runtime.memcpyDeviceToHost)
    assert.is_true(cpu.array_equal(x, z))
  end)

  it("boxes", function()
    local x = cp.arange(4 * 5 * 6, { dtype = "int16" }):reshape(4, 5, 6):eval()
    local y = cp.zeros({ 3, 4, 8 }, "int16"):eval()
    runtime.memcpy3D { src = { ptr = x.data.ptr, pitch = 12, rows = 5, x = 4, y = 1, z = 2 },
      dst = { ptr = y.data.ptr, pitch = 16, rows = 4, x = 2, z = 1 }, width = 8, height = 3, depth = 2 }
    local wanted = cpu.zeros({ 3, 4, 8 }, "int16")
    wanted[{ { 2, 3 }, { 1, 3 }, { 2, 5 } }] = x:cpu()[{ { 3, 4 }, { 2, 4 }, { 3, 6 } }]
    assert.is_true(cpu.array_equal(y:cpu(), wanted))
    runtime.memcpy3DAsync { src = { ptr = x.data.ptr, pitch = 12 }, dst = { ptr = y.data.ptr, pitch = 16 }, width = 12,
      stream = cp.cuda.get_current_stream() }
    cp.synchronize()
    assert.same({ 0, 1, 2, 3, 4, 5, 0, 0 }, y[{ 1, 1 }]:totable())
  end)

  it("nothing where an extent is 0", function()
    runtime.memcpy2D(0, 0, 0, 0, 0, 5)
    runtime.memcpy3D { src = { ptr = 0, pitch = 0 }, dst = { ptr = 0, pitch = 0 }, width = 4, height = 0 }
  end)

  it("refuse what leaves their rows", function()
    local p = cp.zeros(64, "uint8").data.ptr
    failure("usage", "memcpy2D: a row of dst has 8 bytes, but bytes 0 to 9 are asked for", runtime.memcpy2D, p, 8, p,
      9, 9, 1)
    failure("usage", "a null pointer", runtime.memcpy2D, 0, 8, p, 8, 8, 1)
    failure("usage", "width must not be negative", runtime.memcpy2D, p, 8, p, 8, -1, 1)
    failure("usage", "kind must be one of", runtime.memcpy2D, p, 8, p, 8, 8, 1, 7)
    failure("usage", "a plane of src has 2 rows, but rows 0 to 3 are asked for", runtime.memcpy3D,
      { src = { ptr = p, pitch = 4, rows = 2 }, dst = { ptr = p, pitch = 4, rows = 3 }, width = 4, height = 3,
        depth = 2 })
    failure("usage", "dst must be a table", runtime.memcpy3D, { dst = 7, src = { ptr = p, pitch = 4 }, width = 4 })
    failure("usage", "dst is missing", runtime.memcpy3D, { src = { ptr = p, pitch = 4 }, width = 4 })
    failure("usage", "src has no field pich", runtime.memcpy3D,
      { src = { ptr = p, pich = 4 }, dst = { ptr = p, pitch = 4 }, width = 4 })
    failure("usage", "no option 'widht'", runtime.memcpy3D,
      { src = { ptr = p, pitch = 4 }, dst = { ptr = p, pitch = 4 }, widht = 4 })
  end)
end)

describe("cuda.runtime memory", function()
  it("locks pages that others allocated", function()
    local x = cpu.arange(5000, "float32"):eval()
    local p = x.data.ptr
    runtime.hostRegister(p, x.nbytes, runtime.hostRegisterPortable)
    local kind = runtime.pointerGetAttributes(p).type
    assert.equal(cp.cuda.is_available() and on_gpu and runtime.memoryTypeHost or kind, kind)
    failure("usage", "is locked already", runtime.hostRegister, p, 4)
    runtime.hostUnregister(p)
    failure("usage", "is not memory that was locked here", runtime.hostUnregister, p)
    failure("usage", "size must be positive", runtime.hostRegister, p, 0)
    failure("usage", "flags must be a sum", runtime.hostRegister, p, 8, 9)
    assert.equal(4999, x[-1])
  end)

  it("takes advice on managed memory, and moves it", function()
    local p = runtime.mallocManaged(8192)
    local device = on_gpu and runtime.getDevice() or runtime.cpuDeviceId
    runtime.memAdvise(p, 8192, runtime.memAdviseSetReadMostly, device)
    runtime.memAdvise(p, 8192, runtime.memAdviseUnsetReadMostly, device)
    runtime.memAdvise(p, 8192, runtime.memAdviseSetPreferredLocation, runtime.cpuDeviceId)
    runtime.memset(p, 3, 8192)
    runtime.memPrefetchAsync(p, 8192, device)
    runtime.memPrefetchAsync(p, 8192, runtime.cpuDeviceId, cp.cuda.Stream())
    cp.synchronize()
    local y = cpu.zeros(8192, "uint8"):eval()
    runtime.memcpy(y.data.ptr, p, 8192)
    assert.is_true(y:eq(3):all())
    failure("usage", "advice must be one of", runtime.memAdvise, p, 8, 7, -1)
    failure(nil, "cuda:99", runtime.memPrefetchAsync, p, 8, 99)
    runtime.free(p)
  end)

  it("says what memory an address is in", function()
    local p = runtime.malloc(64)
    local facts = runtime.pointerGetAttributes(p)
    assert.equal(on_gpu and runtime.memoryTypeDevice or runtime.memoryTypeUnregistered, facts.type)
    assert.equal(on_gpu and runtime.getDevice() or -1, facts.device)
    assert.equal(p, facts.devicePointer)
    assert.equal(on_gpu and 0 or p, facts.hostPointer)
    runtime.free(p)
    failure("usage", "ptr is a null pointer", runtime.pointerGetAttributes, 0)
  end)

  it("comes from the driver's pools", function()
    if not on_gpu then
      failure("usage", "is for GPUs, but the device is cpu", runtime.memPoolCreate)
      failure("usage", "is not the handle of a pool", runtime.memPoolTrimTo, 64)
      failure("usage", "is not the handle of a pool", runtime.deviceSetMemPool, nil, 64)
      failure("usage", "pool", runtime.deviceSetMemPool)
      return
    end
    local pool, stream = runtime.memPoolCreate(), cp.cuda.Stream()
    local p = runtime.mallocFromPoolAsync(4096, pool, stream)
    runtime.memsetAsync(p, 9, 4096, stream)
    local y = cpu.zeros(4096, "uint8"):eval()
    runtime.memcpyAsync(y.data.ptr, p, 4096, nil, stream)
    stream:synchronize()
    assert.is_true(y:eq(9):all())
    runtime.freeAsync(p, stream)
    stream:synchronize()
    runtime.memPoolTrimTo(pool, 0)
    local before = runtime.deviceGetMemPool()
    runtime.deviceSetMemPool(nil, pool)
    assert.equal(pool, runtime.deviceGetMemPool(runtime.getDevice()))
    runtime.deviceSetMemPool(nil, before)
    assert.equal(before, runtime.deviceGetDefaultMemPool())
    runtime.memPoolDestroy(pool)
  end)

  it("is shared with other processes by GPUs alone", function()
    if not on_gpu then
      failure("usage", "is for GPUs, but the device is cpu", runtime.ipcGetMemHandle, 64)
      failure("usage", "are for GPUs, but the device is cpu", runtime.ipcOpenEventHandle, ("x"):rep(64))
      return
    end
    local p = runtime.malloc(4096)
    assert.equal(64, #runtime.ipcGetMemHandle(p))
    failure("usage", "handle must be a string of 64 bytes", runtime.ipcOpenMemHandle, "x")
    local event = runtime.eventCreateWithFlags(runtime.eventInterprocess + runtime.eventDisableTiming)
    runtime.eventRecord(event)
    assert.equal(64, #runtime.ipcGetEventHandle(event))
    runtime.eventSynchronize(event)
    runtime.free(p)
  end)
end)

describe("cuda.runtime devices", function()
  it("have limits and places", function()
    if not on_gpu then
      failure("usage", "deviceGetLimit: is for GPUs, but the device is cpu", runtime.deviceGetLimit, 0)
      failure("usage", "deviceGetPCIBusId: is for GPUs", runtime.deviceGetPCIBusId)
      failure("usage", "limit must be one of", runtime.deviceGetLimit, 70)
      if runtime.getDeviceCount() == 0 then
        failure("usage", "there is no GPU at 0000:01:00.0", runtime.deviceGetByPCIBusId, "0000:01:00.0")
      end
      return
    end
    local before = runtime.deviceGetLimit(runtime.limitStackSize)
    runtime.deviceSetLimit(runtime.limitStackSize, 2048)
    assert.equal(2048, runtime.deviceGetLimit(runtime.limitStackSize))
    runtime.deviceSetLimit(runtime.limitStackSize, before)
    local place = runtime.deviceGetPCIBusId()
    assert.truthy(place:match "^%x+:%x+:%x+%.%x$")
    assert.equal(runtime.getDevice(), runtime.deviceGetByPCIBusId(place))
    assert.is_false(runtime.deviceCanAccessPeer(runtime.getDevice(), runtime.getDevice()))
  end)

  it("are profiled between two calls", function()
    runtime.profilerStart()
    runtime.profilerStop()
    cp.cuda.profiler.start()
    cp.cuda.profiler.stop()
  end)
end)

describe("cuda.runtime streams and events", function()
  it("are made, used and given up", function()
    local streams = { runtime.streamCreate(), runtime.streamCreateWithFlags(runtime.streamNonBlocking),
      runtime.streamCreateWithPriority(runtime.streamDefault, -1) }
    for _, stream in ipairs(streams) do
      local start, finish = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventBlockingSync)
      runtime.eventRecord(start, stream)
      local x = stream:with(function() return (cp.arange(1000) + 1):eval() end)
      runtime.eventRecord(finish, stream)
      runtime.streamWaitEvent(cp.cuda.get_current_stream(), finish)
      runtime.eventSynchronize(finish)
      assert.is_true(runtime.eventQuery(finish))
      assert.is_true(runtime.eventElapsedTime(start, finish) >= 0)
      runtime.streamSynchronize(stream)
      assert.equal(500500, x:sum():item())
      runtime.eventDestroy(start)
      failure("usage", "event is an event that was destroyed", runtime.eventQuery, start)
      failure("usage", "event is an event that was destroyed", runtime.eventDestroy, start)
    end
    runtime.streamDestroy(streams[3])
    failure("usage", "stream", runtime.streamSynchronize, streams[3])
    failure("usage", "flags must be runtime.streamDefault", runtime.streamCreateWithFlags, 2)
    failure("usage", "flags must be a sum of runtime.event", runtime.eventCreateWithFlags, 8)
    failure("usage", "eventInterprocess needs eventDisableTiming", runtime.eventCreateWithFlags, 4)
    failure("usage", "start was not recorded", runtime.eventElapsedTime, runtime.eventCreate(), runtime.eventCreate())
    local untimed = runtime.eventCreateWithFlags(runtime.eventDisableTiming)
    runtime.eventRecord(untimed)
    failure("usage", "was made with timing = false", runtime.eventElapsedTime, untimed, untimed)
  end)

  it("call functions once their work is done", function()
    local stream, heard = cp.cuda.Stream(), {}
    runtime.launchHostFunc(stream, function(arg) heard[#heard + 1] = arg end, "first")
    runtime.streamAddCallback(stream, function(s, status, arg) heard[#heard + 1] = { s == stream, status, arg } end, 2)
    stream:synchronize()
    assert.same({ "first", { true, 0, 2 } }, heard)
    failure("usage", "callback", runtime.launchHostFunc, stream, 3)
  end)
end)
