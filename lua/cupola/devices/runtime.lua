-- cp.cuda.runtime: CUDA's low-level calls under their own names, on the current device. They work on the CPU device
-- too, whose addresses are the host's. Addresses are numbers (`x.data.ptr`); nothing checks what is behind them.

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

  --- Makes GPU number `device` the current device until further notice.
  ---@param device integer
  publish("setDevice", "device", 0, function(_, device)
    core.use("setDevice", gpu(device, "setDevice"))
  end)

  --- What is known of a device: the fields of `device.properties` and, under CUDA's names, its attributes.
  ---@param device? integer  a GPU's number; the current device without
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
  ---@param device? integer  a GPU's number; the current device without
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

  --- Free and total bytes of the current device's memory.
  ---@return integer free
  ---@return integer total
  publish("memGetInfo", "", 0, function(_) return core.memory_info() end)

  --- Launches what is pending on the current device and waits for all work on it, also that of other libraries.
  publish("deviceSynchronize", "", 0, function(_)
    core.device_synchronize()
  end)

  -- ---- memory that no pool and no collector knows of

  runtime.hostAllocDefault, runtime.hostAllocPortable, runtime.hostAllocMapped, runtime.hostAllocWriteCombined =
    0, 1, 2, 4

  local allocated = {} -- address -> {kind, device, function that frees it}

  -- Page-locked memory is made by a GPU, the first one unless one is current; without a GPU it is plain memory.
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

  -- Forgets the address and says what it was; raises when it is none that `where` can free.
  local function take(where, ptr)
    local entry = allocated[core.integer(ptr, where, "ptr")]
    if not entry then
      core.raise(where, "usage", string.format("%d is no address of memory made here, or it was freed already", ptr))
    elseif entry.free ~= where and not (entry.kind == "async" and where == "free") then
      core.raise(where, "usage", string.format("ptr is memory for %s", entry.free))
    end
    allocated[ptr] = nil
    return entry
  end

  --- Memory of the current device; `free` gives it back.
  ---@param size integer  bytes
  ---@return integer ptr
  publish("malloc", "size", 0, function(_, size)
    return allocate("malloc", "device", core.device_name(), "free", size)
  end)

  --- Memory that moves to whoever uses it, the host or a GPU; `free` gives it back.
  ---@param size integer  bytes
  ---@return integer ptr
  publish("mallocManaged", "size", 0, function(_, size)
    return allocate("mallocManaged", "managed", core.device_name(), "free", size)
  end)

  --- Gives memory of `malloc`, `mallocManaged` or `mallocAsync` back, after the device has done all its work. 0 is
  --- nothing.
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

  --- Memory of the driver's pool, for work that comes later on the stream; `freeAsync` gives it back.
  ---@param size integer  bytes
  ---@param stream? userdata|integer  the current one unless given
  ---@return integer ptr
  publish("mallocAsync", "size, stream", 0, function(_, size, stream)
    stream = current_or(stream, "mallocAsync")
    return allocate("mallocAsync", "async", stream.device, "freeAsync", size, stream)
  end)

  --- Gives memory of `mallocAsync` back, after the work that is on the stream now.
  ---@param ptr integer
  ---@param stream? userdata|integer  the current one unless given
  publish("freeAsync", "ptr, stream", 0, function(_, ptr, stream)
    stream = current_or(stream, "freeAsync")
    local entry = take("freeAsync", ptr)
    core.raw_free("freeAsync", entry.kind, entry.device, ptr, entry.size, stream)
  end)

  --- Page-locked memory of the host, which copies to and from a GPU read directly, and GPUs too; `freeHost` gives it
  --- back. Without a GPU plain memory.
  ---@param size integer  bytes
  ---@param flags? integer  runtime.hostAllocPortable and hostAllocMapped always hold; hostAllocWriteCombined is quick
  --- to write and slow to read
  ---@return integer ptr
  publish("hostAlloc", "size, flags", 0, function(_, size, flags)
    flags = core.integer(flags, "hostAlloc", "flags", 0)
    if flags < 0 or flags > 7 then core.raise("hostAlloc", "usage", "flags must be a sum of runtime.hostAlloc...") end
    local kind = flags >= 4 and "pinned, write combined" or "pinned"
    return allocate("hostAlloc", kind, pinning_device(), "freeHost", size)
  end)

  --- Gives memory of `hostAlloc` back, after the device has done all its work. 0 is nothing.
  ---@param ptr integer
  publish("freeHost", "ptr", 0, function(_, ptr)
    if ptr == 0 then return end
    local entry = take("freeHost", ptr)
    core.raw_free("freeHost", entry.kind, entry.device, ptr, entry.size)
  end)

  --- The address at which the current device reaches memory of `hostAlloc`: the same one, but for memory that is
  --- write-combined.
  ---@param ptr integer
  ---@return integer ptr
  publish("hostGetDevicePointer", "ptr", 0, function(_, ptr)
    return core.raw_device_pointer(ptr)
  end)

  local function check_kind(kind, where)
    kind = core.integer(kind, where, "kind", runtime.memcpyDefault)
    if kind < 0 or kind > runtime.memcpyDefault then
      core.raise(where, "usage", "kind must be one of runtime.memcpyHostToHost ... memcpyDefault (0 to 4)")
    end
  end

  --- Copies bytes, on the current stream, and waits for them.
  ---@param dst integer  address
  ---@param src integer  address
  ---@param size integer
  ---@param kind? integer  runtime.memcpyDefault and the like; the addresses tell by themselves
  publish("memcpy", "dst, src, size, kind", 0, function(_, dst, src, size, kind)
    check_kind(kind, "memcpy")
    core.raw_copy("memcpy", true, dst, src, size)
  end)

  --- The same in the order of a stream. Host memory that is not pinned is waited for in parts.
  ---@param dst integer
  ---@param src integer
  ---@param size integer
  ---@param kind? integer
  ---@param stream? userdata  the current one unless given
  publish("memcpyAsync", "dst, src, size, kind, stream", 0, function(_, dst, src, size, kind, stream)
    check_kind(kind, "memcpyAsync")
    core.raw_copy("memcpyAsync", false, dst, src, size, stream)
  end)

  --- Copies bytes from one GPU to another, on the current stream, and waits for them.
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

  --- The same in the order of a stream.
  ---@param dst integer  address
  ---@param dst_device integer  the GPU's number
  ---@param src integer  address
  ---@param src_device integer
  ---@param size integer
  ---@param stream? userdata  the current one unless given
  publish("memcpyPeerAsync",
    "dst, dst_device, src, src_device, size, stream", 0,
    function(_, dst, dst_device, src, src_device, size, stream)
      core.device_name(gpu(dst_device, "memcpyPeerAsync"))
      core.device_name(gpu(src_device, "memcpyPeerAsync"))
      core.raw_copy("memcpyPeerAsync", false, dst, src, size, stream)
    end)

  --- Sets bytes, on the current stream, and waits for them.
  ---@param ptr integer
  ---@param value integer  0 to 255
  ---@param size integer
  publish("memset", "ptr, value, size", 0, function(_, ptr, value, size)
    core.raw_set("memset", true, ptr, value, size)
  end)

  --- The same in the order of a stream.
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

  --- Later work of a stream waits for an event.
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
