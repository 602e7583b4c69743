-- cp.cuda.runtime: CUDA's low-level calls under their own names, on the current device. They also work on the
-- CPU device, with host addresses. Addresses are numbers (`x.data.ptr`) and are not checked.

return function(cp, core)
  local runtime = { memcpyHostToHost = 0, memcpyHostToDevice = 1, memcpyDeviceToHost = 2, memcpyDeviceToDevice = 3,
    memcpyDefault = 4 }
  cp.cuda.runtime = runtime
  local publish = core.publisher(cp.cuda.runtime, "cuda.runtime.")

  local function gpu(id, where) return "cuda:" .. string.format("%d", core.integer(id, where, "device", 0)) end

  --- The number of usable GPUs.
  ---@return integer
  publish("getDeviceCount", "", 0, function(_)
    return (core.cuda_count())
  end)

  --- The number of the current GPU, from 0; -1 when the current device is the CPU.
  ---@return integer
  publish("getDevice", "", 0, function(_)
    local name = core.device_name()
    return tonumber(string.match(name, "^cuda:(%d+)$")) or -1
  end)

  --- Makes GPU number `device` the current device, until changed.
  ---@param device integer
  publish("setDevice", "device", 0, function(_, device)
    core.use("setDevice", gpu(device, "setDevice"))
  end)

  --- Describes a device: the fields of `device.properties` and its attributes under CUDA's names.
  ---@param device? integer  a GPU's number; default: the current device
  ---@return table
  publish("getDeviceProperties", "device", 0, function(_, device)
    local name = device ~= nil and gpu(device, "getDeviceProperties") or core.device_name()
    local all = core.device_properties(name, true)
    for key, value in pairs(core.device_properties(name, false)) do
      all[key] = value
    end
    return all
  end)

  --- One attribute of a device by its name, such as "MaxThreadsPerBlock".
  ---@param name string
  ---@param device? integer  a GPU's number; default: the current device
  ---@return integer
  publish("deviceGetAttribute", "name, device", 0, function(_, name, device)
    local where, known = "deviceGetAttribute", {}
    local all = core.device_properties(device ~= nil and gpu(device, where) or core.device_name(), true)
    for key in pairs(all) do
      known[#known + 1] = key
    end
    if type(name) ~= "string" then
      core.raise(where, "usage", "name must be a string such as MaxThreadsPerBlock, not " .. type(name))
    elseif all[name] == nil then
      local near = core.suggest(name, known)
      core.raise(where, "usage", string.format("there is no attribute %s%s", tostring(name),
        near and "; did you mean " .. near .. "?" or ""))
    end
    return all[name]
  end)

  --- Whether a GPU can access the memory of another one by itself.
  ---@param device integer
  ---@param peer integer
  ---@return boolean
  publish("deviceCanAccessPeer", "device, peer", 2, function(where, device, peer)
    return core.device_peer(where, gpu(device, where), gpu(peer, where), false)
  end)

  --- Lets the current GPU access the memory of another one. cupola does so itself where it copies between
  --- them.
  ---@param peer integer
  publish("deviceEnablePeerAccess", "peer", 1, function(where, peer)
    core.device_peer(where, nil, gpu(peer, where), true)
  end)

  --- A GPU's place on the PCI bus, such as "0000:3b:00.0".
  ---@param device? integer  default: the current one
  ---@return string
  publish("deviceGetPCIBusId", "device", 0, function(where, device)
    return core.device_bus(where, device ~= nil and gpu(device, where) or nil)
  end)

  --- The number of the GPU at a place on the PCI bus.
  ---@param bus_id string  as deviceGetPCIBusId gives it; domain and function may be left out
  ---@return integer
  publish("deviceGetByPCIBusId", "bus_id", 1, function(where, bus_id)
    if type(bus_id) ~= "string" then core.usage(where, "bus_id must be a string, not " .. cp.type(bus_id)) end
    local function parts(text)
      local domain, bus, slot = string.match(string.lower(text), "^(%x+):(%x+):(%x+)")
      if not domain then domain, bus, slot = "0", string.match(string.lower(text), "^(%x+):(%x+)") end
      return domain and bus and tonumber(domain, 16) * 65536 + tonumber(bus, 16) * 256 + tonumber(slot, 16)
    end
    local wanted = parts(bus_id)
    for k = 0, core.cuda_count() - 1 do
      if wanted and parts(core.device_bus(where, gpu(k, where))) == wanted then return k end
    end
    core.usage(where, "there is no GPU at " .. bus_id)
  end)

  runtime.limitStackSize, runtime.limitPrintfFifoSize, runtime.limitMallocHeapSize = 0, 1, 2
  runtime.limitDevRuntimeSyncDepth, runtime.limitDevRuntimePendingLaunchCount = 3, 4
  runtime.limitMaxL2FetchGranularity, runtime.limitPersistingL2CacheSize = 5, 6

  local function check_limit(where, limit)
    limit = core.integer(limit, where, "limit")
    if limit < 0 or limit > runtime.limitPersistingL2CacheSize then
      core.usage(where, "limit must be one of runtime.limitStackSize ... limitPersistingL2CacheSize (0 to 6)")
    end
    return limit
  end

  --- A limit of the current GPU, such as the stack of a thread.
  ---@param limit integer  runtime.limitStackSize, limitPrintfFifoSize, limitMallocHeapSize, ...
  ---@return integer
  publish("deviceGetLimit", "limit", 1, function(where, limit)
    return core.device_limit(where, nil, check_limit(where, limit), nil)
  end)

  --- Sets such a limit.
  ---@param limit integer
  ---@param value integer
  publish("deviceSetLimit", "limit, value", 2, function(where, limit, value)
    core.device_limit(where, nil, check_limit(where, limit), core.integer(value, where, "value"))
  end)

  --- Free and total bytes of the current device's memory.
  ---@return integer free
  ---@return integer total
  publish("memGetInfo", "", 0, function(_) return core.memory_info() end)

  --- Launches what is pending on the current device and waits for all work on it, including that of other
  --- libraries.
  publish("deviceSynchronize", "", 0, function(_)
    core.device_synchronize()
  end)

  -- ---- memory outside of pools, which is not garbage-collected

  runtime.hostAllocDefault, runtime.hostAllocPortable, runtime.hostAllocMapped, runtime.hostAllocWriteCombined =
    0, 1, 2, 4

  local allocated = {} -- address -> {kind, device, function that frees it}

  -- The GPU that allocates page-locked memory: the current one, else the first. Without a GPU it is ordinary
  -- memory.
  local function pinning_device()
    local name = core.device_name()
    return name ~= "cpu" and name or core.cuda_count() > 0 and "cuda:0" or "cpu"
  end

  local function allocate(where, kind, device, free, size, stream)
    size = core.integer(size, where, "size")
    local ptr = core.raw_allocate(where, kind, device, size, stream)
    allocated[ptr] = { kind = kind, device = device, free = free, size = size }
    return ptr
  end

  -- Forgets the address and returns its entry; raises if `where` cannot free it.
  local function take(where, ptr)
    local entry = allocated[core.integer(ptr, where, "ptr")]
    if not entry then
      core.raise(where, "usage",
        string.format("%d is not the address of memory allocated here, or it was already freed", ptr))
    elseif entry.free ~= where and not (entry.kind == "async" and where == "free") then
      core.raise(where, "usage", string.format("ptr is memory for %s", entry.free))
    end
    allocated[ptr] = nil
    return entry
  end

  --- Allocates memory of the current device, to be freed by `free`.
  ---@param size integer  bytes
  ---@return integer ptr
  publish("malloc", "size", 0, function(_, size)
    return allocate("malloc", "device", core.device_name(), "free", size)
  end)

  --- Allocates managed memory, which migrates between host and GPUs, to be freed by `free`.
  ---@param size integer  bytes
  ---@return integer ptr
  publish("mallocManaged", "size", 0, function(_, size)
    return allocate("mallocManaged", "managed", core.device_name(), "free", size)
  end)

  --- Frees memory of `malloc`, `mallocManaged` or `mallocAsync` once the device has done all its work.
  --- Ignores 0.
  ---@param ptr integer
  publish("free", "ptr", 0, function(_, ptr)
    if ptr == 0 then return end
    local entry = take("free", ptr)
    core.raw_free("free", entry.kind, entry.device, ptr, entry.size)
  end)

  -- A stream by its object or its CUDA handle.
  local function named_stream(stream, where)
    if type(stream) == "number" then return core.external_stream(where, stream) end
    return core.check_stream(stream, where, "stream")
  end

  local function current_or(stream, where)
    if stream == nil then return cp.cuda.get_current_stream() end
    return named_stream(stream, where)
  end

  --- Allocates stream-ordered memory from the driver's pool, to be freed by `freeAsync`.
  ---@param size integer  bytes
  ---@param stream? userdata|integer  default: the current one
  ---@return integer ptr
  publish("mallocAsync", "size, stream", 0, function(_, size, stream)
    stream = current_or(stream, "mallocAsync")
    return allocate("mallocAsync", "async", stream.device, "freeAsync", size, stream)
  end)

  --- Frees memory of `mallocAsync` after the work that is now queued on the stream.
  ---@param ptr integer
  ---@param stream? userdata|integer  default: the current one
  publish("freeAsync", "ptr, stream", 0, function(_, ptr, stream)
    stream = current_or(stream, "freeAsync")
    local entry = take("freeAsync", ptr)
    core.raw_free("freeAsync", entry.kind, entry.device, ptr, entry.size, stream)
  end)

  --- Allocates page-locked host memory, which GPUs can access directly and copies use directly; `freeHost`
  --- frees it. Without a GPU it is ordinary memory.
  ---@param size integer  bytes
  ---@param flags? integer  runtime.hostAllocPortable and hostAllocMapped are always set;
  --- hostAllocWriteCombined is fast to write and slow to read
  ---@return integer ptr
  publish("hostAlloc", "size, flags", 0, function(_, size, flags)
    flags = core.integer(flags, "hostAlloc", "flags", 0)
    if flags < 0 or flags > 7 then core.raise("hostAlloc", "usage", "flags must be a sum of runtime.hostAlloc...") end
    local kind = flags >= 4 and "pinned, write combined" or "pinned"
    return allocate("hostAlloc", kind, pinning_device(), "freeHost", size)
  end)

  --- Frees memory of `hostAlloc` once the device has done all its work. Ignores 0.
  ---@param ptr integer
  publish("freeHost", "ptr", 0, function(_, ptr)
    if ptr == 0 then return end
    local entry = take("freeHost", ptr)
    core.raw_free("freeHost", entry.kind, entry.device, ptr, entry.size)
  end)

  --- The current device's address of memory of `hostAlloc`: the same address, unless the memory is
  --- write-combined.
  ---@param ptr integer
  ---@return integer ptr
  publish("hostGetDevicePointer", "ptr", 0, function(_, ptr)
    return core.raw_device_pointer(ptr)
  end)

  local shared = { gpu = gpu, named_stream = named_stream,
    current_or = current_or, allocated = allocated, take = take }
  require "cupola.devices.runtime_memory"(cp, core, shared)
  require "cupola.devices.runtime_queues"(cp, core, shared)
  require "cupola.devices.runtime_arrays"(cp, core, shared)

  local function check_kind(kind, where)
    kind = core.integer(kind, where, "kind", runtime.memcpyDefault)
    if kind < 0 or kind > runtime.memcpyDefault then
      core.raise(where, "usage", "kind must be one of runtime.memcpyHostToHost ... memcpyDefault (0 to 4)")
    end
  end

  --- Copies bytes on the current stream and waits for the copy.
  ---@param dst integer  address
  ---@param src integer  address
  ---@param size integer
  ---@param kind? integer  runtime.memcpyDefault and similar; not needed, since the addresses tell
  publish("memcpy", "dst, src, size, kind", 0, function(_, dst, src, size, kind)
    check_kind(kind, "memcpy")
    core.raw_copy("memcpy", true, dst, src, size)
  end)

  --- The same, queued on a stream. Copies of host memory that is not page-locked wait in part.
  ---@param dst integer
  ---@param src integer
  ---@param size integer
  ---@param kind? integer
  ---@param stream? userdata  default: the current one
  publish("memcpyAsync", "dst, src, size, kind, stream", 0, function(_, dst, src, size, kind, stream)
    check_kind(kind, "memcpyAsync")
    core.raw_copy("memcpyAsync", false, dst, src, size, stream)
  end)

  --- Copies bytes from one GPU to another on the current stream and waits for the copy.
  ---@param dst integer  address
  ---@param dst_device integer  the GPU's number
  ---@param src integer  address
  ---@param src_device integer
  ---@param size integer
  publish("memcpyPeer", "dst, dst_device, src, src_device, size", 0,
    function(_, dst, dst_device, src, src_device, size)
      core.device_name(gpu(dst_device, "memcpyPeer"))
      core.device_name(gpu(src_device, "memcpyPeer"))
      core.raw_copy("memcpyPeer", true, dst, src, size)
    end)

  --- The same, queued on a stream.
  ---@param dst integer  address
  ---@param dst_device integer  the GPU's number
  ---@param src integer  address
  ---@param src_device integer
  ---@param size integer
  ---@param stream? userdata  default: the current one
  publish("memcpyPeerAsync",
    "dst, dst_device, src, src_device, size, stream", 0,
    function(_, dst, dst_device, src, src_device, size, stream)
      core.device_name(gpu(dst_device, "memcpyPeerAsync"))
      core.device_name(gpu(src_device, "memcpyPeerAsync"))
      core.raw_copy("memcpyPeerAsync", false, dst, src, size, stream)
    end)

  --- Sets bytes on the current stream and waits until it is done.
  ---@param ptr integer
  ---@param value integer  0 to 255
  ---@param size integer
  publish("memset", "ptr, value, size", 0, function(_, ptr, value, size)
    core.raw_set("memset", true, ptr, value, size)
  end)

  --- The same, queued on a stream.
  ---@param ptr integer
  ---@param value integer
  ---@param size integer
  ---@param stream? userdata
  publish("memsetAsync", "ptr, value, size, stream", 0, function(_, ptr, value, size, stream)
    core.raw_set("memsetAsync", false, ptr, value, size, stream)
  end)

  --- Waits for a stream.
  ---@param stream userdata|integer  a stream or its CUDA handle
  publish("streamSynchronize", "stream", 0, function(_, stream)
    named_stream(stream, "streamSynchronize"):synchronize()
  end)

  --- Whether a stream's work is done.
  ---@param stream userdata|integer
  ---@return boolean
  publish("streamQuery", "stream", 0, function(_, stream)
    return named_stream(stream, "streamQuery"):query()
  end)

  --- Makes later work of a stream wait for an event.
  ---@param stream userdata|integer
  ---@param event userdata
  publish("streamWaitEvent", "stream, event", 0, function(_, stream, event)
    stream = named_stream(stream, "streamWaitEvent")
    stream:wait_event(core.check_event(event, "streamWaitEvent", "event"))
  end)

  --- The newest CUDA version that the driver supports, as 1000*major + 10*minor; 0 without a driver.
  ---@return integer
  publish("driverGetVersion", "", 0, function(_)
    return core.driver_version()
  end)

  --- The same: cupola uses the driver alone, no CUDA runtime library.
  ---@return integer
  publish("runtimeGetVersion", "", 0, function(_)
    return core.driver_version()
  end)
end
