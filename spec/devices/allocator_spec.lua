-- Pools and allocators: their figures, which pool arrays allocate from and free to, functions as allocators.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local MB = 1048576

after_each(function() cp.cuda.set_allocator() end)

describe("a memory pool", function()
  it("counts what is used, kept and taken", function()
    local pool = cp.cuda.MemoryPool()
    assert.equal(0, pool:used_bytes())
    local a, b = pool:malloc(1000), pool:malloc(3 * MB)
    assert.equal(1024 + 4 * MB, pool:used_bytes())
    assert.equal(0, pool:free_bytes())
    a:free()
    b:free()
    assert.equal(0, pool:used_bytes())
    assert.equal(1024 + 4 * MB, pool:free_bytes())
    assert.equal(1024 + 4 * MB, pool:total_bytes())
    assert.equal(2, pool:n_free_blocks())
    local c = pool:malloc(1024)
    assert.equal(1, pool:n_free_blocks())
    pool:free_all_blocks()
    assert.equal(0, pool:n_free_blocks())
    assert.equal(1024, pool:total_bytes())
    assert.equal("uint8", c.dtype)
    assert.same({ 1024 }, c.shape)
    assert.matches("^cupola memory pool %(device, [%w:]+%): 1024 bytes used, 0 free$", tostring(pool))
  end)

  it("is each device's default, whose figures are those of cp.memory", function()
    local pool = cp.get_default_memory_pool()
    local x = cp.empty({ MB })
    collectgarbage() -- so that no garbage of other specs is freed between the figures
    collectgarbage()
    local m = cp.memory()
    assert.equal(m.live, pool:used_bytes())
    assert.equal(m.cached, pool:free_bytes())
    assert.equal(m.live + m.cached, pool:total_bytes())
    assert.is_true(pool:usable_bytes() > 0)
    assert.equal(8 * MB, x.nbytes)
  end)

  it("has a limit in bytes or as a share", function()
    local pool = cp.cuda.MemoryPool()
    assert.equal(0, pool:get_limit())
    pool:set_limit(4 * MB)
    assert.equal(4 * MB, pool:get_limit())
    assert.equal(4 * MB, pool:usable_bytes())
    local a = pool:malloc(2 * MB)
    assert.equal(2 * MB, pool:usable_bytes())
    failure("memory", "MemoryPool.malloc: out of memory on ", function() pool:malloc(3 * MB) return 1 end)
    local b = pool:malloc(2 * MB)
    failure("memory", "MemoryPool.malloc: out of memory on ", function() pool:malloc(1) return 1 end)
    b:free()
    assert.equal(1, pool:malloc(1).size)
    pool:set_limit { fraction = 0.25 }
    local total = cp.memory().total
    assert.equal(math.floor(total / 4), pool:get_limit())
    pool:set_limit "50%"
    assert.equal(math.floor(total / 2), pool:get_limit())
    pool:set_limit()
    assert.equal(0, pool:get_limit())
    assert.equal(2 * MB, a.size)
  end)

  it("names the argument that is wrong", function()
    local pool = cp.cuda.MemoryPool()
    failure("usage", "MemoryPool.set_limit: size must not be negative", function() pool:set_limit(-1) return 1 end)
    failure("usage", "MemoryPool.set_limit: fraction must be a number from 0 to 1",
      function() pool:set_limit(nil, 2) return 1 end)
    failure("usage", "MemoryPool.set_limit: size and fraction exclude each other",
      function() pool:set_limit(1, 0.5) return 1 end)
    failure("usage", "MemoryPool.set_limit: size must be a number of bytes or a share",
      function() pool:set_limit "x" return 1 end)
    failure("usage", "MemoryPool.malloc: nbytes must not be negative", function() pool:malloc(-1) return 1 end)
    failure("usage", "MemoryPool.used_bytes: pool must be a memory pool, not number",
      function() pool.used_bytes(3) return 1 end)
    failure("usage", "cuda.MemoryPool: allocator must be a memory pool", function() cp.cuda.MemoryPool(3) return 1 end)
    failure("usage", "cuda.set_allocator: allocator must be a memory pool",
      function() cp.cuda.set_allocator(3) return 1 end)
    failure("usage", "cuda.set_allocator: give the pool itself",
      function() cp.cuda.set_allocator(pool.malloc) return 1 end)
    failure("usage", "cuda.set_allocator: a pool of page-locked memory cannot serve arrays",
      function() cp.cuda.set_allocator(cp.cuda.PinnedMemoryPool()) return 1 end)
    failure("usage", "cuda.set_pinned_memory_allocator: pool must be one of cp.cuda.PinnedMemoryPool",
      function() cp.cuda.set_pinned_memory_allocator(pool) return 1 end)
    failure("usage", "using_allocator: f must be a function, not nil",
      function() cp.cuda.using_allocator(pool) return 1 end)
  end)
end)

describe("an allocator that is set", function()
  it("allocates memory of arrays, and frees it even after another one was set", function()
    local first, second = cp.cuda.MemoryPool(), cp.cuda.MemoryPool()
    cp.cuda.set_allocator(first)
    local x = cp.empty({ MB }, "uint8")
    cp.cuda.set_allocator(second)
    local y = cp.empty({ 2 * MB }, "uint8")
    assert.equal(MB, first:used_bytes())
    assert.equal(2 * MB, second:used_bytes())
    cp.cuda.set_allocator()
    x:free()
    assert.equal(0, first:used_bytes())
    assert.equal(MB, first:free_bytes())
    assert.equal(2 * MB, second:used_bytes())
    y:free()
    assert.equal(2 * MB, second:free_bytes())
  end)

  it("is what get_allocator gives", function()
    local pool = cp.cuda.MemoryPool()
    assert.matches("^cupola memory pool %(device", tostring(cp.cuda.get_allocator()))
    cp.cuda.set_allocator(pool)
    assert.equal(pool, cp.cuda.get_allocator())
    cp.cuda.set_allocator()
    assert.not_equal(pool, cp.cuda.get_allocator())
  end)

  it("applies only to one function with using_allocator, also if that fails", function()
    local pool = cp.cuda.MemoryPool()
    local a, b = cp.cuda.using_allocator(pool, function(n) return cp.arange(n) + 1, "text" end, 1000)
    assert.equal("text", b)
    if check.lazy then assert.equal(8192, pool:used_bytes()) end
    assert.equal(500500, a:sum():item())
    local ok, message = pcall(cp.cuda.using_allocator, pool, function() error("mine", 0) end)
    assert.is_false(ok)
    assert.equal("mine", message)
    local used = pool:used_bytes()
    local x = cp.empty({ 1000 })
    assert.equal(used, pool:used_bytes())
    assert.equal(1000, x.size)
  end)

  it("applies only to one coroutine if it was chosen there by using_allocator", function()
    local first, second = cp.cuda.MemoryPool(), cp.cuda.MemoryPool()
    local function run(pool)
      return coroutine.wrap(function()
        cp.cuda.using_allocator(pool, function()
          local x = cp.empty({ 1000 })
          coroutine.yield()
          local y = cp.empty({ 2000 })
          coroutine.yield(x, y)
        end)
      end)
    end
    local one, other = run(first), run(second)
    one()
    other()
    local outside = cp.empty({ 100000 })
    local x, y = one()
    local u, v = other()
    assert.equal(8192 + 16384, first:used_bytes())
    assert.equal(8192 + 16384, second:used_bytes())
    assert.equal(106000, outside.size + x.size + y.size + u.size + v.size)
    one()
    other()
  end)

  it("may be of any kind", function()
    for _, name in ipairs { "malloc_device", "malloc_managed", "malloc_async" } do
      local x = cp.cuda.using_allocator(cp.cuda[name], function() return cp.arange(1000, "float32") * 2 end)
      assert.equal(999000, x:sum():item())
      local y = cp.cuda[name](100)
      assert.equal(100, y:fill(3):sum():item() / 3)
    end
    for _, pool in ipairs { cp.cuda.MemoryAsyncPool(), cp.cuda.MemoryPool(cp.cuda.malloc_managed) } do
      cp.cuda.set_allocator(pool)
      local x = (cp.arange(1000, "float32") * 2):eval()
      assert.equal(999000, x:sum():item())
      assert.is_true(pool:used_bytes() >= 4000)
      x = (x + 1):sort()
      assert.equal(1, x[1])
      cp.cuda.set_allocator()
    end
    assert.equal("cupola allocator (managed)", tostring(cp.cuda.malloc_managed))
  end)

  it("keeps no freed memory if it is not a pool", function()
    local pool = cp.cuda.MemoryAsyncPool()
    local x = pool:malloc(5 * MB)
    assert.equal(5 * MB, pool:used_bytes()) -- as much as asked for
    x:free()
    assert.equal(0, pool:used_bytes())
    assert.equal(0, pool:total_bytes())
  end)

  it("is used by library calls, sorting and masks", function()
    cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_async))
    local x = cp.arange(64, "float32")
    local y = x:reshape(8, 8)
    assert.equal(cp.arange(64):sum():item() * 8, (y:dot(cp.ones({ 8, 8 }, "float32"))):sum():item())
    assert.equal(32, x[x:ge(32)].size)
    assert.equal(63, (-x):sort()[1] * -1)
    assert.near(64 * 63 / 2, cp.fft.rfft(x)[1].re, 1e-3)
  end)

  it("is used by graphs, whose memory is freed with them", function()
    if check.mode then return end
    local waiting = cp.ones(3) -- a capture computes what waits, from the allocator that is set then
    cp.cuda.graph(function() end):free()
    assert.equal(1, waiting[1])
    for _, allocator in ipairs { cp.cuda.MemoryPool(), cp.cuda.MemoryAsyncPool() } do
      cp.cuda.set_allocator(allocator)
      local x = cp.arange(1000, "float64"):eval()
      local used = allocator:used_bytes()
      local g = cp.cuda.graph(function()
        local twice = (x * 2):eval()
        local more = (twice + 1):eval()
        twice:free()
        return (more + x):eval()
      end)
      local y = g()
      assert.equal(2998, y[-1])
      x:fill(5)
      g()
      assert.equal(16, y[10])
      assert.is_true(allocator:used_bytes() >= used + 16000)
      g:free()
      y:free()
      collectgarbage()
      collectgarbage()
      cp.synchronize()
      cp.collect()
      assert.equal(used, allocator:used_bytes())
      cp.cuda.set_allocator()
    end
  end)

  it("frees pools that nothing refers to once their arrays are gone", function()
    if check.mode then return end
    local before = cp.memory().device_allocations
    for _ = 1, 50 do
      local x = cp.cuda.MemoryPool():malloc(1000)
      assert.equal(1000, x.size)
    end
    collectgarbage()
    collectgarbage()
    cp.collect()
    assert.equal(before, cp.memory().device_allocations)
  end)
end)

describe("functions as an allocator", function()
  local log

  -- Functions that allocate arrays from the default pool and log each call.
  local function malloc(nbytes, device)
    log[#log + 1] = "+" .. nbytes
    assert(device == cp.device().name)
    return cp.empty({ nbytes }, "uint8")
  end

  local function free(memory, nbytes)
    assert(cp.is_array(memory) and memory.size == nbytes)
    log[#log + 1] = "-" .. nbytes
  end

  before_each(function() log = {} end)

  it("are called once for each array that is made and freed", function()
    cp.cuda.set_allocator(malloc, free)
    local x = cp.empty({ 10 }, "float32")
    local y = cp.empty({ 3, 5 }, "float64")
    x:fill(2)
    y:fill(3)
    assert.equal(20, x:sum():item())
    assert.equal(45, y:sum():item())
    cp.cuda.set_allocator()
    assert.equal("+40", log[1])
    assert.equal("+120", log[2])
    x:free()
    y:free()
    x, y = nil, nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    cp.collect()
    local sum = {}
    for _, entry in ipairs(log) do
      local n = entry:sub(2)
      sum[n] = (sum[n] or 0) + (entry:sub(1, 1) == "+" and 1 or -1)
    end
    for n, left in pairs(sum) do
      assert.equal(0, left, n)
    end
  end)

  it("can be the source of a pool, which calls them once for memory that it reuses", function()
    local pool = cp.cuda.MemoryPool(cp.cuda.FunctionAllocator(malloc, free))
    cp.cuda.using_allocator(pool, function()
      for _ = 1, 5 do
        cp.empty({ 1000 }, "uint8"):free()
      end
    end)
    assert.same({ "+1024" }, log)
    pool:free_all_blocks()
    assert.same({ "+1024", "-1024" }, log)
  end)

  it("must return arrays that have memory", function()
    if check.mode then return end
    local function refused(fact, give)
      cp.cuda.set_allocator(give)
      local ok, problem = pcall(cp.empty, { 1000 }, "uint8")
      cp.cuda.set_allocator()
      assert.is_false(ok)
      assert.truthy(problem:find("cupola.empty: the allocator failed: ", 1, true), problem)
      assert.truthy(problem:find("cupola.set_allocator: the array" .. fact, 1, true), problem)
    end
    local gave = " that the allocator gave "
    refused(gave .. "is read-only", function(n) return cp.broadcast_to(cp.zeros({ 1 }, "uint8"), { n }) end)
    refused(gave .. "is a view that is not contiguous", function(n) return cp.zeros({ 2 * n }, "uint8")["::2"] end)
    refused(gave .. "is a view that is not contiguous", function(n) return cp.zeros({ n }, "uint8")["::-1"] end)
    refused(gave .. "has 100 bytes, not 1000", function() return cp.zeros({ 100 }, "uint8") end)
    refused(gave .. "does not begin", function(n) return cp.zeros({ n + 1 }, "uint8")["2:"] end)
    refused("'s memory was freed", function(n)
      local x = cp.zeros({ n }, "uint8")
      x:free()
      return x
    end)
  end)

  it("may free an array that they returned while its memory is in use", function()
    local given
    cp.cuda.set_allocator(function(n)
      given = cp.empty({ n }, "uint8")
      return given
    end)
    local x = cp.empty({ 5000 }, "uint8")
    cp.cuda.set_allocator()
    given:free()
    local others = {}
    for k = 1, 20 do others[k] = cp.full({ 5000 }, 1, "uint8"):eval() end
    x:fill(7)
    assert.equal(35000, x:sum():item())
    for k = 1, 20 do assert.equal(5000, others[k]:sum():item()) end
  end)

  it("may return an address, whose memory they keep", function()
    local kept = {}
    local function address(nbytes)
      local x = cp.empty({ nbytes }, "uint8")
      kept[x.data.ptr] = x
      return x.data.ptr
    end
    local function forget(ptr, nbytes)
      assert(kept[ptr].size == nbytes)
      kept[ptr] = nil
    end
    local x = cp.cuda.using_allocator(cp.cuda.FunctionAllocator(address, forget),
      function() return cp.arange(5, "int32"):copy() end)
    assert.is_not_nil(kept[x.data.ptr])
    assert.same({ 0, 1, 2, 3, 4 }, x:totable())
    x:free()
    cp.collect()
    assert.is_nil(next(kept))
  end)

  it("make arrays that outlive the scope in which they are called", function()
    for _, as_address in ipairs { false, true } do
      local kept = {}
      local function allocate(nbytes)
        local x = cp.empty({ nbytes + 64 }, "uint8")
        kept[#kept + 1] = x
        return as_address and x.data.ptr or x
      end
      local x = cp.cuda.using_allocator(cp.cuda.FunctionAllocator(function(...)
        cp.scope(allocate, ...) -- a scope of its own is its own
        return allocate(...)
      end), function() return cp.scope(function() return (cp.full(5000, 3) + cp.ones(5000)):eval() end) end)
      assert.equal(20000, x:sum():item())
      local gone = 0
      for k = 1, #kept do
        if not pcall(kept[k].any, kept[k]) then gone = gone + 1 end
      end
      assert.equal(as_address and #kept / 2 or 0, gone) -- by the scopes of its own
    end
  end)

  it("fail with their own messages", function()
    cp.cuda.set_allocator(function() error("no more", 0) end)
    local ok, message = pcall(function() cp.empty(3) end)
    cp.cuda.set_allocator()
    assert.is_false(ok)
    assert.matches("allocator_spec%.lua:%d+: cupola%.empty: the allocator failed: no more$", message)
    assert.equal("usage", cp.last_error().kind)
  end)

  it("mean by nil that there is no memory, after garbage was collected", function()
    local asked = 0
    cp.cuda.set_allocator(function() asked = asked + 1 end)
    local ok, message = pcall(function() cp.empty({ 3 }) end)
    cp.cuda.set_allocator()
    assert.is_false(ok)
    assert.matches("cupola%.empty: out of memory on [%w:]+: requested 24 B", message)
    assert.is_true(asked > 1)
  end)

  it("must return an address", function()
    cp.cuda.set_allocator(function() return "text" end)
    local ok, message = pcall(function() cp.empty(3) end)
    assert.is_false(ok)
    assert.matches("the allocator failed: .*what the allocator gave must be an address", message)
    cp.cuda.set_allocator(function() return 8 end)
    ok, message = pcall(function() cp.empty(3) end)
    assert.is_false(ok)
    assert.matches("the allocator failed: .*address 8 is not a multiple of 16", message)
    cp.cuda.set_allocator(function(nbytes, on) return cp.empty(nbytes - 1, { dtype = "uint8", device = on }) end)
    ok, message = pcall(function() cp.empty(3) end)
    assert.is_false(ok)
    assert.matches("the allocator failed: .*the array that the allocator gave has 23 bytes, not 24", message)
    cp.cuda.set_allocator()
    failure("usage", "cuda.FunctionAllocator: malloc must be a function, not nil",
      function() cp.cuda.FunctionAllocator() return 1 end)
    failure("usage", "cuda.FunctionAllocator: free must be a function, not number",
      function() cp.cuda.FunctionAllocator(malloc, 3) return 1 end)
  end)

  it("may fail to free, which the next call of the library reports", function()
    local pool = cp.cuda.MemoryPool(cp.cuda.FunctionAllocator(malloc, function() error("not mine", 0) end))
    pool:malloc(100):free()
    failure("usage", "MemoryPool.free_all_blocks: the allocator's free function failed: not mine",
      function() pool:free_all_blocks() return 1 end)
    pool:free_all_blocks()
  end)

  it("cannot yield", function()
    cp.cuda.set_allocator(function() coroutine.yield() end)
    local thread = coroutine.create(function() cp.empty(3) end)
    local ok, message = coroutine.resume(thread)
    cp.cuda.set_allocator()
    assert.is_false(ok)
    assert.matches("the allocator failed: .*attempt to yield", message)
  end)

  it("are refused while the door for pointers is closed, and get all memory back when the state is closed", function()
    if check.mode then return end
    local shown, status = check.run [[
      local cp = require "cupola"
      local out = 0
      cp.cuda.set_allocator(function(n) out = out + 1 return cp.empty({ n }, "uint8") end,
        function() out = out - 1 if out == 0 then print "all back" end end)
      kept = { cp.empty(3), cp.empty(5), cp.ones(7):eval() }]]
    assert.equal(0, status)
    assert.matches("all back", shown)
  end)
end)
