-- Memory pools, allocators, page-locked host memory, and GPU arrays on such memory.

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

  -- The source itself, without a pool that caches freed memory.
  local function direct(source)
    if not source.handle then
      source.handle = core.new_pool(source.kind, true, source.allocate, source.release)
    end
    return source.handle
  end

  --- Allocates memory of the source: an array of bytes.
  function Source.__call(source, nbytes, ...)
    core.at_most("malloc", 0, ...)
    return core.pool_array("malloc", direct(source), count(nbytes, "malloc", "nbytes"), "uint8")
  end

  local function source_of(kind) return setmetatable({ kind = kind }, Source) end

  cp.cuda.malloc_device = source_of "device"
  cp.cuda.malloc_managed = source_of "managed"
  cp.cuda.malloc_async = source_of "async"

  -- The result of a script's allocation function, as an address and {the value that keeps the memory alive}.
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

  --- An allocator from two functions: `malloc(nbytes, device)` returns an address (a number, a pointer, an
  --- array or a table {ptr =}), or nil if there is no memory; `free(memory, nbytes)` gets the result of
  --- malloc. Without `free`, that result is kept until the memory is no longer used. Both may be called
  --- inside of any allocation and must not yield.
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

  -- Converts a script's argument to a source.
  local function to_source(v, where, free)
    if getmetatable(v) == Source then return v end
    if v == MemoryPool.malloc then usage(where, "give the pool itself, as in set_allocator(pool)") end
    if not cp.is_array(v) and core.is_callable(v) then return cp.cuda.FunctionAllocator(v, free) end
    usage(where, "allocator must be a memory pool, cp.cuda.malloc_managed and the like, or a function, not "
      .. (v == nil and "nil (missing)" or type(v)))
  end

  -- ---- pools

  --- A pool that caches freed memory for later arrays, on memory of another kind: `cp.cuda.malloc_managed`,
  --- `cp.cuda.malloc_async` or a function (see `cp.cuda.FunctionAllocator`); by default on the device's
  --- memory.
  ---@param allocator? table|function
  ---@return userdata pool  for `cp.cuda.set_allocator`; it has a separate pool for each device
  publish("MemoryPool", "allocator", 0, function(_, allocator)
    local source = allocator == nil and cp.cuda.malloc_device or to_source(allocator, "MemoryPool")
    return core.new_pool(source.kind, false, source.allocate, source.release)
  end)

  --- The driver's own pool, with stream-ordered allocation.
  ---@return userdata pool
  publish("MemoryAsyncPool", "", 0, function(_)
    return core.new_pool("async", true)
  end)

  --- A pool of page-locked host memory, see `cp.empty_pinned`.
  ---@return userdata pool
  publish("PinnedMemoryPool", "", 0, function(_) return core.new_pool "pinned" end)

  --- The pool of the current device, from which arrays are allocated unless another allocator is set.
  ---@return userdata pool
  core.publish("get_default_memory_pool", "", 0, function(_)
    return core.default_pool(false)
  end)

  --- The pool of page-locked memory for `cp.empty_pinned` and similar functions, shared by all states.
  ---@return userdata pool
  core.publish("get_default_pinned_memory_pool", "", 0, function(_)
    return core.default_pool(true)
  end)

  function meta.__tostring(pool)
    local f = core.pool_figures(pool)
    return string.format("cupola memory pool (%s, %s): %d bytes used, %d free", f.source, f.device, f.live, f.cached)
  end

  --- The bytes of live arrays, rounded to block sizes.
  ---@return integer
  MemoryPool.used_bytes = core.define("MemoryPool.used_bytes", "pool", 1, function(_, self)
    return core.pool_figures(self).live
  end)

  --- The bytes that the pool has cached for later arrays.
  ---@return integer
  MemoryPool.free_bytes = core.define("MemoryPool.free_bytes", "pool", 1, function(_, self)
    return core.pool_figures(self).cached
  end)

  --- The bytes that the pool has taken from the device, used and cached.
  ---@return integer
  MemoryPool.total_bytes = core.define("MemoryPool.total_bytes", "pool", 1, function(_, self)
    local f = core.pool_figures(self)
    return f.live + f.cached
  end)

  --- The bytes that arrays can still get: free on the device and cached in the pool, within the limit.
  ---@return integer
  MemoryPool.usable_bytes = core.define("MemoryPool.usable_bytes", "pool", 1, function(_, self)
    local f = core.pool_figures(self)
    local usable = f.free + f.cached
    return f.limit > 0 and math.min(usable, math.max(f.limit - f.live, 0)) or usable
  end)

  --- The number of cached blocks.
  ---@return integer
  MemoryPool.n_free_blocks = core.define("MemoryPool.n_free_blocks", "pool", 1, function(_, self)
    return core.pool_figures(self).cached_blocks
  end)

  --- Returns the cached blocks to where they came from.
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

  --- Limits how much the pool takes from the current device; without arguments, and with 0, there is no
  --- limit.
  ---@param size? integer|string|table  bytes, or a fraction of the device's memory such as "80%" or {fraction
  --- = 0.8}
  ---@param fraction? number  the fraction, 0 to 1
  MemoryPool.set_limit = core.define("MemoryPool.set_limit", "pool, size, fraction", 1,
    function(_, self, size, fraction)
    if size ~= nil and fraction ~= nil then usage("set_limit", "size and fraction exclude each other") end
    core.pool_limit(self, limit_of(size, fraction, core.pool_figures(self).total))
  end)

  --- The limit in bytes; 0: none.
  ---@return integer
  MemoryPool.get_limit = core.define("MemoryPool.get_limit", "pool", 1, function(_, self)
    return core.pool_figures(self).limit
  end)

  --- Allocates memory of the pool, as an array of bytes.
  ---@param nbytes integer
  ---@return cupola.Array
  MemoryPool.malloc = core.define("MemoryPool.malloc", "pool, nbytes", 1, function(_, self, nbytes)
    return core.pool_array("malloc", self, count(nbytes, "malloc", "nbytes"), "uint8")
  end)

  -- ---- choosing an allocator

  local shown = setmetatable({}, { __mode = "v" }) -- by number: the objects that get_allocator returns

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

  --- Sets the allocator for arrays: a pool, `cp.cuda.malloc_async`, `cp.cuda.malloc_managed`, or a function
  --- `nbytes, device -> memory` (see `cp.cuda.FunctionAllocator`); nil: the device's pool, the default.
  --- Memory is always freed by the allocator that it came from.
  ---@param allocator? userdata|table|function
  ---@param free? function  for an allocator that is a function
  publish("set_allocator", "allocator, free", 0, function(_, allocator, free)
    check_host "set_allocator"
    core.choose_pool((number_of(allocator, "set_allocator", free)))
  end)

  --- The allocator of arrays: a pool.
  ---@return userdata pool
  publish("get_allocator", "", 0, function(_)
    local number = core.chosen_pool()
    shown[number] = shown[number] or core.pool_again(number)
    return shown[number] or cp.get_default_memory_pool()
  end)

  --- Runs f(...) with another allocator, for the running coroutine only.
  ---@param allocator userdata|table|function  as for `cp.cuda.set_allocator`
  ---@param f function
  ---@return any ... what f returns
  function cp.cuda.using_allocator(allocator, f, ...)
    f = core.callable(f, "using_allocator", "f")
    check_host "using_allocator"
    local number, pool = number_of(allocator, "using_allocator")
    return core.within(core.choice("using_allocator", core.device_name(), number or 0, pool), f, ...)
  end

  --- Allocates memory from the current allocator, as an array of bytes.
  ---@param nbytes integer
  ---@return cupola.Array
  publish("alloc", "nbytes", 0, function(_, nbytes)
    return cp.empty({ count(nbytes, "alloc", "nbytes") }, "uint8")
  end)

  -- ---- page-locked memory of the host

  local pinned = cp.get_default_pinned_memory_pool()

  --- Sets the pool for page-locked memory; nil: the default one.
  ---@param pool? userdata  a `cp.cuda.PinnedMemoryPool`
  publish("set_pinned_memory_allocator", "pool", 0, function(_, pool)
    if pool == nil then pool = cp.get_default_pinned_memory_pool() end
    if not core.is_pool(pool) or core.pool_figures(pool).source ~= "pinned" then
      usage("set_pinned_memory_allocator", "pool must be one of cp.cuda.PinnedMemoryPool")
    end
    pinned = pool
  end)

  --- Allocates page-locked host memory, as an array of bytes.
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

  --- An uninitialized CPU array in page-locked memory: copies between it and a GPU (`x:to`, `x:assign`) run
  --- at the bus's full speed while the program goes on. Reading or writing it on the CPU waits for them
  --- automatically.
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

  --- An uninitialized CPU array in page-locked memory, with the shape and dtype of `a`.
  ---@param a any
  ---@param dtype? string  default: that of a
  ---@param order? string  "C", "F", "A" or "K" (default)
  ---@param shape? integer|integer[]  default: that of a
  ---@return cupola.Array
  cp.empty_like_pinned = new_pinned_like "empty_like_pinned"

  --- A CPU array of zeros in page-locked memory, with the shape and dtype of `a`.
  ---@param a any
  ---@param dtype? string  default: that of a
  ---@param order? string  "C", "F", "A" or "K" (default)
  ---@param shape? integer|integer[]  default: that of a
  ---@return cupola.Array
  cp.zeros_like_pinned = new_pinned_like("zeros_like_pinned", 0)

  --- Returns whether x is in memory of a pinned pool, and whether that is page-locked: without a GPU it is
  --- not.
  ---@param x cupola.Array
  ---@return boolean pinned
  ---@return boolean locked
  publish("is_pinned", "x", 0, function(_, x) return core.is_pinned(x) end)

  --- A device's array on the memory of x, a CPU array in page-locked memory: kernels access it over the bus,
  --- without a copy. Uses by the host and by the device are not ordered: call `cp.synchronize()` between
  --- them.
  ---@param x cupola.Array  from `cp.empty_pinned` or similar, or a view of such an array
  ---@param device? string  default: the current one
  ---@return cupola.Array
  cp.cuda.zero_copy = core.define("zero_copy", "x, device", 1, core.zero_copy)
end
