-- cp.cuda.runtime: CUDA's low-level calls under their own names, on the current device. They work on the CPU device
-- too, whose addresses are the host's. Addresses are numbers (`x.data.ptr`); nothing checks what is behind them.

return function(cp, core)
  local runtime = { memcpyHostToHost = 0, memcpyHostToDevice = 1, memcpyDeviceToHost = 2, memcpyDeviceToDevice = 3,
    memcpyDefault = 4 }
  cp.cuda.runtime = runtime

  local function gpu(id, where) return "cuda:" .. ("%d"):format(core.integer(id, where, "device", 0)) end

  --- The number of usable GPUs.
  ---@return integer
  function cp.cuda.runtime.getDeviceCount() return (core.cuda_count()) end

  --- The number of the current GPU, from 0; -1 when the current device is the CPU.
  ---@return integer
  function cp.cuda.runtime.getDevice()
    local name = core.device_name()
    return tonumber(name:match "^cuda:(%d+)$") or -1
  end

  --- Makes GPU number `device` the current device until further notice.
  ---@param device integer
  function cp.cuda.runtime.setDevice(device) core.use("setDevice", gpu(device, "setDevice")) end

  --- What is known of a device: the fields of `device.properties` and, under CUDA's names, its attributes.
  ---@param device? integer  a GPU's number; the current device without
  ---@return table
  function cp.cuda.runtime.getDeviceProperties(device)
    local name = device ~= nil and gpu(device, "getDeviceProperties") or core.device_name()
    local all = core.device_properties(name, true)
    for key, value in pairs(core.device_properties(name, false)) do
      all[key] = value
    end
    return all
  end

  --- One attribute of a device by its name, such as "MaxThreadsPerBlock".
  ---@param name string
  ---@param device? integer  a GPU's number; the current device without
  ---@return integer
  function cp.cuda.runtime.deviceGetAttribute(name, device)
    local all = core.device_properties(device ~= nil and gpu(device, "deviceGetAttribute") or core.device_name(), true)
    local known = {}
    for key in pairs(all) do
      known[#known + 1] = key
    end
    if all[name] == nil then
      local near = type(name) == "string" and core.suggest(name, known)
      core.raise("deviceGetAttribute", "usage", ("there is no attribute %s%s"):format(tostring(name),
        near and "; did you mean " .. near .. "?" or ""))
    end
    return all[name]
  end

  --- Free and total bytes of the current device's memory.
  ---@return integer free
  ---@return integer total
  function cp.cuda.runtime.memGetInfo() return core.memory_info() end

  --- Launches what is pending on the current device and waits for all work on it, also that of other libraries.
  function cp.cuda.runtime.deviceSynchronize() core.device_synchronize() end

  --- Memory of the current device that no pool and no collector knows of; `free` gives it back.
  ---@param size integer  bytes
  ---@return integer ptr
  function cp.cuda.runtime.malloc(size) return core.raw_allocate(size) end

  --- Gives memory of `malloc` back, after the device has done all its work.
  ---@param ptr integer
  function cp.cuda.runtime.free(ptr) core.raw_free(ptr) end

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
  function cp.cuda.runtime.memcpy(dst, src, size, kind)
    check_kind(kind, "memcpy")
    core.raw_copy("memcpy", true, dst, src, size)
  end

  --- The same in the order of a stream. Host memory that is not pinned is waited for in parts.
  ---@param dst integer
  ---@param src integer
  ---@param size integer
  ---@param kind? integer
  ---@param stream? userdata  the current one unless given
  function cp.cuda.runtime.memcpyAsync(dst, src, size, kind, stream)
    check_kind(kind, "memcpyAsync")
    core.raw_copy("memcpyAsync", false, dst, src, size, stream)
  end

  --- Sets bytes, on the current stream, and waits for them.
  ---@param ptr integer
  ---@param value integer  0 to 255
  ---@param size integer
  function cp.cuda.runtime.memset(ptr, value, size) core.raw_set("memset", true, ptr, value, size) end

  --- The same in the order of a stream.
  ---@param ptr integer
  ---@param value integer
  ---@param size integer
  ---@param stream? userdata
  function cp.cuda.runtime.memsetAsync(ptr, value, size, stream)
    core.raw_set("memsetAsync", false, ptr, value, size, stream)
  end

  -- A stream by its object or its CUDA handle.
  local function stream_of(stream, where)
    if type(stream) == "number" then return cp.cuda.ExternalStream(stream) end
    return core.check_stream(stream, where, "stream")
  end

  --- Waits for a stream.
  ---@param stream userdata|integer  a stream or its CUDA handle
  function cp.cuda.runtime.streamSynchronize(stream) stream_of(stream, "streamSynchronize"):synchronize() end

  --- Whether a stream's work is done.
  ---@param stream userdata|integer
  ---@return boolean
  function cp.cuda.runtime.streamQuery(stream) return stream_of(stream, "streamQuery"):query() end

  --- Later work of a stream waits for an event.
  ---@param stream userdata|integer
  ---@param event userdata
  function cp.cuda.runtime.streamWaitEvent(stream, event) stream_of(stream, "streamWaitEvent"):wait_event(event) end

  --- The newest CUDA version that the driver supports, as 1000*major + 10*minor; 0 without a driver.
  ---@return integer
  function cp.cuda.runtime.driverGetVersion() return core.driver_version() end

  --- The same: cupola uses the driver alone, no CUDA runtime library.
  ---@return integer
  function cp.cuda.runtime.runtimeGetVersion() return core.driver_version() end
end
