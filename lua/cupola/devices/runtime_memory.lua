-- Memory in cp.cuda.runtime, beside what runtime.lua allocates and copies: copies of rows, page-locking of
-- memory that others allocated, managed memory, the driver's pools, memory of other processes.

return function(cp, core, shared)
  local runtime = cp.cuda.runtime
  local publish = core.publisher(cp.cuda.runtime, "cuda.runtime.")
  local gpu, current_or = shared.gpu, shared.current_or

  local function check_kind(where, kind)
    kind = core.integer(kind, where, "kind", runtime.memcpyDefault)
    if kind < 0 or kind > runtime.memcpyDefault then
      core.usage(where, "kind must be one of runtime.memcpyHostToHost ... memcpyDefault (0 to 4)")
    end
  end

  shared.check_copy_kind = check_kind

  -- ---- copies of rows

  --- Copies rows of bytes on the current stream, and waits for the copy.
  ---@param dst integer  address
  ---@param dst_pitch integer  bytes between rows
  ---@param src integer  address
  ---@param src_pitch integer
  ---@param width integer  bytes of a row
  ---@param height integer  rows
  ---@param kind? integer  runtime.memcpyDefault and similar; not needed, since the addresses tell
  publish("memcpy2D", "dst, dst_pitch, src, src_pitch, width, height, kind", 6,
    function(where, dst, dst_pitch, src, src_pitch, width, height, kind)
      check_kind(where, kind)
      core.raw_copy_box(where, true, nil, width, height, 1, dst, dst_pitch, 0, 0, 0, 0, src, src_pitch, 0, 0, 0, 0)
    end)

  --- The same, queued on a stream. Copies of host memory that is not page-locked wait in part.
  ---@param dst integer
  ---@param dst_pitch integer
  ---@param src integer
  ---@param src_pitch integer
  ---@param width integer
  ---@param height integer
  ---@param kind? integer
  ---@param stream? userdata|integer  default: the current one
  publish("memcpy2DAsync", "dst, dst_pitch, src, src_pitch, width, height, kind, stream", 6,
    function(where, dst, dst_pitch, src, src_pitch, width, height, kind, stream)
      check_kind(where, kind)
      core.raw_copy_box(where, false, current_or(stream, where), width, height, 1, dst, dst_pitch, 0, 0, 0, 0, src,
        src_pitch, 0, 0, 0, 0)
    end)

  local SIDE = { "ptr", "pitch", "rows", "x", "y", "z" }

  -- The fields of a side as a list.
  local function side_of(where, side, name)
    if type(side) ~= "table" then
      core.usage(where, string.format("%s must be a table with ptr and pitch, not %s", name, cp.type(side)))
    end
    local list = {}
    for key in pairs(side) do
      local known = false
      for _, field in ipairs(SIDE) do known = known or field == key end
      if not known then core.usage(where, string.format("%s has no field %s", name, tostring(key))) end
    end
    for k, field in ipairs(SIDE) do
      list[k] = core.integer(side[field], where, name .. "." .. field, k > 2 and 0 or nil)
    end
    return list
  end

  local function copy_3d(where, wait, stream, dst, src, width, height, depth)
    local to, from = side_of(where, dst, "dst"), side_of(where, src, "src")
    width, height = core.integer(width, where, "width"), core.integer(height, where, "height", 1)
    depth = core.integer(depth, where, "depth", 1)
    core.raw_copy_box(where, wait, stream, width, height, depth, to[1], to[2], to[3], to[4], to[5], to[6], from[1],
      from[2], from[3], from[4], from[5], from[6])
  end

  --- Copies a box of bytes on the current stream, and waits for the copy. A side is {ptr = address, pitch =
  --- bytes between rows, rows = rows of a plane, x = first byte, y = first row, z = first plane}; x, y and z
  --- are 0 where they are not given.
  ---@param dst table
  ---@param src table
  ---@param width integer  bytes of a row
  ---@param height? integer  rows; default 1
  ---@param depth? integer  planes; default 1
  ---@param kind? integer  runtime.memcpyDefault and similar; not needed, since the addresses tell
  publish("memcpy3D", "dst, src, width, height, depth, kind", 3,
    function(where, dst, src, width, height, depth, kind)
      check_kind(where, kind)
      copy_3d(where, true, nil, dst, src, width, height, depth)
    end)

  --- The same, queued on a stream.
  ---@param dst table
  ---@param src table
  ---@param width integer
  ---@param height? integer
  ---@param depth? integer
  ---@param kind? integer
  ---@param stream? userdata|integer  default: the current one
  publish("memcpy3DAsync", "dst, src, width, height, depth, kind, stream", 3,
    function(where, dst, src, width, height, depth, kind, stream)
      check_kind(where, kind)
      copy_3d(where, false, current_or(stream, where), dst, src, width, height, depth)
    end)

  -- ---- the host's memory

  runtime.hostRegisterDefault, runtime.hostRegisterPortable, runtime.hostRegisterMapped = 0, 1, 2

  local locked = {} -- address -> device

  --- Locks pages of the host's memory that somebody else allocated, so that copies use it directly and GPUs
  --- reach it. Without a GPU nothing is locked.
  ---@param ptr integer
  ---@param size integer  bytes
  ---@param flags? integer  runtime.hostRegisterPortable (always set), hostRegisterMapped
  publish("hostRegister", "ptr, size, flags", 2, function(where, ptr, size, flags)
    flags = core.integer(flags, where, "flags", 0)
    if flags < 0 or flags > 3 then core.usage(where, "flags must be a sum of runtime.hostRegister...") end
    ptr = core.integer(ptr, where, "ptr")
    if locked[ptr] then core.usage(where, string.format("%d is locked already", ptr)) end
    local device = core.device_name()
    if device == "cpu" and core.cuda_count() > 0 then device = "cuda:0" end
    core.raw_lock(where, device, ptr, core.integer(size, where, "size"), flags)
    locked[ptr] = device
  end)

  --- Unlocks pages of hostRegister once the device has done all its work.
  ---@param ptr integer
  publish("hostUnregister", "ptr", 1, function(where, ptr)
    ptr = core.integer(ptr, where, "ptr")
    local device = locked[ptr]
    if not device then core.usage(where, string.format("%d is not memory that was locked here", ptr)) end
    core.raw_unlock(where, device, ptr)
    locked[ptr] = nil
  end)

  -- ---- managed memory

  runtime.memAdviseSetReadMostly, runtime.memAdviseUnsetReadMostly = 1, 2
  runtime.memAdviseSetPreferredLocation, runtime.memAdviseUnsetPreferredLocation = 3, 4
  runtime.memAdviseSetAccessedBy, runtime.memAdviseUnsetAccessedBy = 5, 6
  runtime.cpuDeviceId = -1

  -- A place: the number of a GPU that exists, or -1 for the host.
  local function place_of(where, device)
    device = core.integer(device, where, "device")
    if device ~= runtime.cpuDeviceId then core.device_name(gpu(device, where)) end
    return device
  end

  --- Says how managed memory will be used.
  ---@param ptr integer
  ---@param size integer
  ---@param advice integer  runtime.memAdviseSetReadMostly, memAdviseSetPreferredLocation,
  --- memAdviseSetAccessedBy, or memAdviseUnset...
  ---@param device integer  a GPU's number, or runtime.cpuDeviceId for the host
  publish("memAdvise", "ptr, size, advice, device", 4, function(where, ptr, size, advice, device)
    advice = core.integer(advice, where, "advice")
    if advice < 1 or advice > 6 then core.usage(where, "advice must be one of runtime.memAdvise... (1 to 6)") end
    core.raw_advise(where, nil, ptr, size, advice, place_of(where, device))
  end)

  --- Moves managed memory to a GPU or to the host, in the order of a stream.
  ---@param ptr integer
  ---@param size integer
  ---@param device integer  a GPU's number, or runtime.cpuDeviceId for the host
  ---@param stream? userdata|integer  default: the current one
  publish("memPrefetchAsync", "ptr, size, device, stream", 3, function(where, ptr, size, device, stream)
    local place = place_of(where, device)
    core.raw_prefetch(where, current_or(stream, where), ptr, size, place)
  end)

  runtime.memoryTypeUnregistered, runtime.memoryTypeHost = 0, 1
  runtime.memoryTypeDevice, runtime.memoryTypeManaged = 2, 3

  --- What memory an address is in.
  ---@param ptr integer
  ---@return table  {type = runtime.memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice or
  --- memoryTypeManaged, device = the GPU's number or -1, devicePointer = and hostPointer = its addresses, 0:
  --- none}
  publish("pointerGetAttributes", "ptr", 1, function(where, ptr)
    local kind, device, there, here = core.raw_facts(where, core.integer(ptr, where, "ptr"))
    return { type = kind, device = device, devicePointer = there, hostPointer = here }
  end)

  -- ---- pools of the driver

  local made = {} -- handle -> device

  local function device_of(where, device) return device ~= nil and gpu(device, where) or nil end

  local function pool_device(where, pool)
    local device = made[core.integer(pool, where, "pool")]
    if not device then core.usage(where, string.format("%d is not the handle of a pool from here", pool)) end
    return device
  end

  local function known(where, device, by_default)
    local name = device_of(where, device)
    local pool = core.driver_pool_of(where, name, by_default)
    made[pool] = made[pool] or name or core.device_name()
    return pool
  end

  --- The pool that a GPU's stream-ordered memory comes from if no other was chosen.
  ---@param device? integer  default: the current GPU
  ---@return integer pool  its handle
  publish("deviceGetDefaultMemPool", "device", 0, function(where, device) return known(where, device, true) end)

  --- The pool that a GPU's stream-ordered memory comes from.
  ---@param device? integer
  ---@return integer pool
  publish("deviceGetMemPool", "device", 0, function(where, device) return known(where, device, false) end)

  --- Chooses the pool that a GPU's stream-ordered memory comes from.
  ---@param device? integer
  ---@param pool integer
  publish("deviceSetMemPool", "device, pool", 0, function(where, device, pool)
    pool_device(where, pool)
    core.driver_pool_use(where, device_of(where, device), pool)
  end)

  --- Makes a pool of a GPU's memory.
  ---@param device? integer  default: the current GPU
  ---@return integer pool  its handle, for memPoolDestroy
  publish("memPoolCreate", "device", 0, function(where, device)
    local name = device_of(where, device)
    local pool = core.driver_pool_create(where, name)
    made[pool] = name or core.device_name()
    return pool
  end)

  --- Destroys a pool of memPoolCreate. Its memory that is in use stays until it is freed.
  ---@param pool integer
  publish("memPoolDestroy", "pool", 1, function(where, pool)
    core.driver_pool_destroy(where, pool_device(where, pool), pool)
    made[pool] = nil
  end)

  --- Gives free memory of a pool back to the driver.
  ---@param pool integer
  ---@param size? integer  so many bytes may stay; default 0
  publish("memPoolTrimTo", "pool, size", 1, function(where, pool, size)
    core.driver_pool_trim(where, pool_device(where, pool), pool, core.integer(size, where, "size", 0))
  end)

  --- Allocates stream-ordered memory from a pool, to be freed by `freeAsync`.
  ---@param size integer  bytes
  ---@param pool integer
  ---@param stream? userdata|integer  default: the current one
  ---@return integer ptr
  publish("mallocFromPoolAsync", "size, pool, stream", 2, function(where, size, pool, stream)
    stream = current_or(stream, where)
    if pool_device(where, pool) ~= stream.device then
      core.usage(where, "the pool is of " .. made[pool] .. ", but the stream of " .. stream.device)
    end
    size = core.integer(size, where, "size")
    local ptr = core.driver_pool_allocate(where, stream, pool, size)
    shared.allocated[ptr] = { kind = "async", device = stream.device, free = "freeAsync", size = size }
    return ptr
  end)

  -- ---- other processes

  --- A handle by which another process can open memory of `malloc`.
  ---@param ptr integer
  ---@return string handle  64 bytes
  publish("ipcGetMemHandle", "ptr", 1, function(where, ptr)
    return core.ipc_share(where, core.integer(ptr, where, "ptr"), nil)
  end)

  --- Opens memory of another process on the current GPU.
  ---@param handle string
  ---@return integer ptr
  publish("ipcOpenMemHandle", "handle", 1, function(where, handle) return core.ipc_open(where, handle, nil) end)

  --- Closes such memory once the current GPU has done all its work.
  ---@param ptr integer
  publish("ipcCloseMemHandle", "ptr", 1, function(where, ptr)
    core.ipc_close(where, core.integer(ptr, where, "ptr"), nil)
  end)

  --- A handle by which another process can wait for an event that was made with runtime.eventInterprocess.
  ---@param event userdata
  ---@return string handle  64 bytes
  publish("ipcGetEventHandle", "event", 1, function(where, event)
    return core.ipc_share_event(where, core.check_event(event, where, "event"))
  end)

  --- The event of another process, on the current GPU.
  ---@param handle string
  ---@return userdata event
  publish("ipcOpenEventHandle", "handle", 1, function(where, handle)
    return core.shared_event(where, core.device_name(), false, handle)
  end)
end
