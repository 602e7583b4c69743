-- Memory pools, allocators that can be set, page-locked memory of the host, and arrays of a GPU on such memory.

return function(cp, core)
  local publish = core.publisher(cp.cuda, "cuda.")
  local MemoryPool, meta = core.pool_methods, core.pool_metatable

  local usage = core.usage

  local function count(value, where, argument)
    local n = core.integer(value, where, argument)
    if n < 0 then usage(where, argument .. " must not be negative") end
    return n
  end

  -- ---- sources of memory

  local Source = {}
  Source.__index = Source

  function Source.__tostring(source) return "cupola allocator (" .. source.kind .. ")" end

  -- The source as it is, without a pool that keeps what is freed.
  local function direct(source)
    if not source.handle then
      source.handle = core.new_pool(source.kind, true, source.allocate, source.release)
    end
    return source.handle
  end

  --- Memory of the source: an array of bytes.
  function Source.__call(source, nbytes, ...)
    core.at_most("malloc", 0, ...)
    return core.pool_array("malloc", direct(source), count(nbytes, "malloc", "nbytes"), "uint8")
  end

  local function source_of(kind) return setmetatable({ kind = kind }, Source) end

  cp.cuda.malloc_device = source_of "device"
  cp.cuda.malloc_managed = source_of "managed"
  cp.cuda.malloc_async = source_of "async"

  -- What a script's function gave, as an address and {the value that keeps the memory}.
  local function read_memory(memory, nbytes, device)
    if memory == nil then return nil end
    if cp.is_array(memory) then
      local ptr, kept = core.array_memory("set_allocator", memory, nbytes, device)
      return ptr, { memory, kept }
    end
    local owner = type(memory) ~= "number" and { memory } or nil
    if type(memory) == "table" and memory.mem ~= nil then memory = memory.mem end
    local ptr = core.pointer(memory, "set_allocator", "what the allocator gave")
    if ptr % 16 ~= 0 then usage("set_allocator", string.format("address %d is not a multiple of 16", ptr)) end
    return ptr, owner
  end

  --- An allocator of two functions: `malloc(nbytes, device)` gives an address (a number, a pointer, an array, a table
  --- {ptr =}), or nil where there is no memory; `free(memory, nbytes)` gets what malloc gave. Without `free` what
  --- malloc gave is kept until the memory is no longer used. Both may run inside of any allocation, and not yield.
  ---@param malloc function
  ---@param free? function
  ---@return table allocator  for `cp.cuda.set_allocator` and `cp.cuda.MemoryPool`
  publish("FunctionAllocator", "malloc, free", 0, function(_, malloc, free)
    malloc = core.callable(malloc, "FunctionAllocator", "malloc")
    if free ~= nil then free = core.callable(free, "FunctionAllocator", "free") end
    local source = source_of "function"
    function source.allocate(nbytes, device)
      local memory = malloc(nbytes, device)
      local ok, ptr, owner = pcall(read_memory, memory, nbytes, device)
      if ok then return ptr, owner end
      if free and memory ~= nil then free(memory, nbytes) end
      error(ptr, 0)
    end
    function source.release(ptr, nbytes, owner)
      if free then free(owner and owner[1] or ptr, nbytes) end
    end
    return source
  end)

  -- A source from what a script gives where one is wanted.
  local function to_source(v, where, free)
    if getmetatable(v) == Source then return v end
    if v == MemoryPool.malloc then usage(where, "give the pool itself, as in set_allocator(pool)") end
    if not cp.is_array(v) and core.is_callable(v) then return cp.cuda.FunctionAllocator(v, free) end
    usage(where, "allocator must be a memory pool, cp.cuda.malloc_managed and the like, or a function, not "
      .. (v == nil and "nil (missing)" or type(v)))
  end

  -- ---- pools

  --- A pool that keeps what is freed for the next arrays, on memory of another kind: `cp.cuda.malloc_managed`,
  --- `cp.cuda.malloc_async`, a function (see `cp.cuda.FunctionAllocator`); of the device without.
  ---@param allocator? table|function
  ---@return userdata pool  to be set by `cp.cuda.set_allocator`; there is one for each device behind it
  publish("MemoryPool", "allocator", 0, function(_, allocator)
    local source = allocator == nil and cp.cuda.malloc_device or to_source(allocator, "MemoryPool")
    return core.new_pool(source.kind, false, source.allocate, source.release)
  end)

  --- The driver's own pool, in which memory is taken and given back in the order of a stream.
  ---@return userdata pool
  publish("MemoryAsyncPool", "", 0, function(_)
    return core.new_pool("async", true)
  end)

  --- A pool of page-locked memory of the host, see `cp.empty_pinned`.
  ---@return userdata pool
  publish("PinnedMemoryPool", "", 0, function(_) return core.new_pool "pinned" end)

  --- The pool that arrays take memory from unless another one was set: that of the current device.
  ---@return userdata pool
  core.publish("get_default_memory_pool", "", 0, function(_)
    return core.default_pool(false)
  end)

  --- The pool of page-locked memory that `cp.empty_pinned` and its like take from, one for all states.
  ---@return userdata pool
  core.publish("get_default_pinned_memory_pool", "", 0, function(_)
    return core.default_pool(true)
  end)

  function meta.__tostring(pool)
    local f = core.pool_figures(pool)
    return string.format("cupola memory pool (%s, %s): %d bytes used, %d free", f.source, f.device, f.live, f.cached)
  end

  --- Bytes of arrays that live, by block size.
  ---@return integer
  MemoryPool.used_bytes = core.define("MemoryPool.used_bytes", "pool", 1, function(_, self)
    return core.pool_figures(self).live
  end)

  --- Bytes that the pool keeps for the next arrays.
  ---@return integer
  MemoryPool.free_bytes = core.define("MemoryPool.free_bytes", "pool", 1, function(_, self)
    return core.pool_figures(self).cached
  end)

  --- Bytes that the pool has taken from the device: used and free ones.
  ---@return integer
  MemoryPool.total_bytes = core.define("MemoryPool.total_bytes", "pool", 1, function(_, self)
    local f = core.pool_figures(self)
    return f.live + f.cached
  end)

  --- Bytes that arrays can still get: free on the device and in the pool, as far as the limit allows.
  ---@return integer
  MemoryPool.usable_bytes = core.define("MemoryPool.usable_bytes", "pool", 1, function(_, self)
    local f = core.pool_figures(self)
    local usable = f.free + f.cached
    return f.limit > 0 and math.min(usable, math.max(f.limit - f.live, 0)) or usable
  end)

  --- Blocks that the pool keeps.
  ---@return integer
  MemoryPool.n_free_blocks = core.define("MemoryPool.n_free_blocks", "pool", 1, function(_, self)
    return core.pool_figures(self).cached_blocks
  end)

  --- Gives the kept blocks back to where they came from.
  MemoryPool.free_all_blocks = core.define("MemoryPool.free_all_blocks", "pool", 1, function(_, self)
    core.pool_trim(self)
  end)

  local function limit_of(size, fraction, total)
    if type(size) == "string" then
      local share = tonumber(string.match(size, "^%s*([%d.]+)%s*%%$"))
      if not share then usage("set_limit", "size must be a number of bytes or a share such as \"80%\"") end
      size, fraction = nil, share / 100
    end
    if size ~= nil then return count(size, "set_limit", "size") end
    if fraction == nil then return 0 end
    if type(fraction) ~= "number" or not (fraction >= 0 and fraction <= 1) then
      usage("set_limit", "fraction must be a number from 0 to 1")
    end
    return math.floor(fraction * total)
  end

  --- Bounds what the pool takes from the current device; no bound without arguments, and for 0.
  ---@param size? integer|string|table  bytes, or a share of the device's memory such as "80%", or {fraction = 0.8}
  ---@param fraction? number  the share, 0 to 1
  MemoryPool.set_limit = core.define("MemoryPool.set_limit", "pool, size, fraction", 1,
    function(_, self, size, fraction)
    if size ~= nil and fraction ~= nil then usage("set_limit", "size and fraction exclude each other") end
    core.pool_limit(self, limit_of(size, fraction, core.pool_figures(self).total))
  end)

  --- The bound in bytes; 0: none.
  ---@return integer
  MemoryPool.get_limit = core.define("MemoryPool.get_limit", "pool", 1, function(_, self)
    return core.pool_figures(self).limit
  end)

  --- Memory of the pool, as an array of bytes.
  ---@param nbytes integer
  ---@return cupola.Array
  MemoryPool.malloc = core.define("MemoryPool.malloc", "pool, nbytes", 1, function(_, self, nbytes)
    return core.pool_array("malloc", self, count(nbytes, "malloc", "nbytes"), "uint8")
  end)

  -- ---- choosing one

  local shown = setmetatable({}, { __mode = "v" }) -- by number: what get_allocator gives

  local function number_of(allocator, where, free)
    if allocator == nil then return nil end
    local pool = core.is_pool(allocator) and allocator or direct(to_source(allocator, where, free))
    local number = core.pool_number(pool)
    if number ~= 0 then shown[number] = pool end
    return number, pool
  end

  local function check_host(where)
    local _, by_host = core.chosen_pool()
    if by_host then usage(where, "the host program chose the allocator") end
  end

  --- Arrays take their memory from `allocator` from now on: a pool, `cp.cuda.malloc_async`, `cp.cuda.malloc_managed`,
  --- or a function `nbytes, device -> memory` (see `cp.cuda.FunctionAllocator`). nil: from the device's pool, as at
  --- first. Memory goes back to where it came from, whatever is set then.
  ---@param allocator? userdata|table|function
  ---@param free? function  beside a function
  publish("set_allocator", "allocator, free", 0, function(_, allocator, free)
    check_host "set_allocator"
    core.choose_pool((number_of(allocator, "set_allocator", free)))
  end)

  --- What arrays take their memory from: a pool.
  ---@return userdata pool
  publish("get_allocator", "", 0, function(_)
    local number = core.chosen_pool()
    shown[number] = shown[number] or core.pool_again(number)
    return shown[number] or cp.get_default_memory_pool()
  end)

  --- Runs f(...) with another allocator, as far as the running coroutine is concerned.
  ---@param allocator userdata|table|function  as for `cp.cuda.set_allocator`
  ---@param f function
  ---@return any ... what f returns
  function cp.cuda.using_allocator(allocator, f, ...)
    f = core.callable(f, "using_allocator", "f")
    check_host "using_allocator"
    local number, pool = number_of(allocator, "using_allocator")
    return core.within(core.choice("using_allocator", core.device_name(), number or 0, pool), f, ...)
  end

  --- Memory from what is set, as an array of bytes.
  ---@param nbytes integer
  ---@return cupola.Array
  publish("alloc", "nbytes", 0, function(_, nbytes)
    return cp.empty({ count(nbytes, "alloc", "nbytes") }, "uint8")
  end)

  -- ---- page-locked memory of the host

  local pinned = cp.get_default_pinned_memory_pool()

  --- Page-locked memory comes from `pool` from now on; nil: from the default one.
  ---@param pool? userdata  of `cp.cuda.PinnedMemoryPool`
  publish("set_pinned_memory_allocator", "pool", 0, function(_, pool)
    if pool == nil then pool = cp.get_default_pinned_memory_pool() end
    if not core.is_pool(pool) or core.pool_figures(pool).source ~= "pinned" then
      usage("set_pinned_memory_allocator", "pool must be one of cp.cuda.PinnedMemoryPool")
    end
    pinned = pool
  end)

  --- Page-locked memory of the host, as an array of bytes.
  ---@param nbytes integer
  ---@return cupola.Array
  publish("alloc_pinned_memory", "nbytes", 0, function(_, nbytes)
    return core.pool_array("alloc_pinned_memory", pinned, count(nbytes, "alloc_pinned_memory", "nbytes"), "uint8")
  end)

  local function check_order(order, where, like)
    if order == nil then order = like and "K" or "C" end
    if order == "K" or order == "A" then
      return like and like.flags.f_contiguous and not like.flags.c_contiguous and "F" or "C"
    end
    if order ~= "C" and order ~= "F" then
      core.not_among(where, "order", "one of the letters " .. (like and "CFAK" or "CF"), order)
    end
    return order
  end

  local function new_pinned(name, fill)
    return core.define(name, "shape, dtype, order", 1, function(where, shape, dtype, order)
      local x = core.pool_array(where, pinned, shape, dtype, check_order(order, where))
      return fill and x:fill(fill) or x
    end)
  end

  local function new_pinned_like(name, fill)
    return core.define(name, "a, dtype, order, shape", 1, function(where, a, dtype, order, shape)
      a = core.as_array(a, where, "a")
      local x = core.pool_array(where, pinned, shape or a.shape, dtype or a.dtype, check_order(order, where, a))
      return fill and x:fill(fill) or x
    end)
  end

  --- A CPU array in page-locked memory, of any values: copies between it and a GPU (`x:to`, `x:assign`) run at the
  --- bus's full speed while the program goes on. Whoever reads or writes it on the CPU waits for them by itself.
  ---@param shape integer|integer[]
  ---@param dtype? string  default: the default dtype
  ---@param order? string  "C" (default) or "F"
  ---@return cupola.Array
  cp.empty_pinned = new_pinned "empty_pinned"

  --- A CPU array of zeros in page-locked memory, see `cp.empty_pinned`.
  ---@param shape integer|integer[]
  ---@param dtype? string  default: the default dtype
  ---@param order? string  "C" (default) or "F"
  ---@return cupola.Array
  cp.zeros_pinned = new_pinned("zeros_pinned", 0)

  --- A CPU array in page-locked memory, of the shape and dtype of `a`.
  ---@param a any
  ---@param dtype? string  default: that of a
  ---@param order? string  "C", "F", "A" or "K" (default)
  ---@param shape? integer|integer[]  default: that of a
  ---@return cupola.Array
  cp.empty_like_pinned = new_pinned_like "empty_like_pinned"

  --- A CPU array of zeros in page-locked memory, of the shape and dtype of `a`.
  ---@param a any
  ---@param dtype? string  default: that of a
  ---@param order? string  "C", "F", "A" or "K" (default)
  ---@param shape? integer|integer[]  default: that of a
  ---@return cupola.Array
  cp.zeros_like_pinned = new_pinned_like("zeros_like_pinned", 0)

  --- Whether x lies in memory of a pinned pool, and whether that is page-locked: without a GPU it is not.
  ---@param x cupola.Array
  ---@return boolean pinned
  ---@return boolean locked
  publish("is_pinned", "x", 0, function(_, x) return core.is_pinned(x) end)

  --- An array of a device on the memory of x, a CPU array in page-locked memory: kernels read and write it over the
  --- bus, without a copy. Nothing orders the host's uses of x and the device's: `cp.synchronize()` stands between them.
  ---@param x cupola.Array  of `cp.empty_pinned` and the like, or a view of one
  ---@param device? string  default: the current one
  ---@return cupola.Array
  cp.cuda.zero_copy = core.define("zero_copy", "x, device", 1, core.zero_copy)
end
