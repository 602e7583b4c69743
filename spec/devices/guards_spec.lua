-- Functions leave the scope, stream or hook inside of which they run, however they end.

local check = require "spec.helper.check"
local cp = require "cupola"
local core = require "cupola.core"
local host = require "spec.helper.host"

describe("what a function runs inside of", function()
  it("is left when a debug hook raises, at whatever instruction", function()
    local output, status = check.run "dofile 'spec/helper/processes/interrupted.lua'"
    assert.equal(0, status, output)
    assert.equal("done\n", output)
  end)

  it("is left when memory runs out, at whatever allocation", function()
    if check.mode then return pending "the host runs without modes" end
    local text, status = host.compile_and_run("spec/embed/scarce.c", nil, "CUPOLA_DEVICE=cpu")
    if not text then return pending(status) end
    if status == 77 then return pending "this Lua takes no allocator" end
    assert.equal(0, status, text)
    assert.equal("done", text:match "^[^\n]*")
  end)

  local x = cp.ones(3)
  local ways = {
    scope = function() cp.scope(function() return x + 1, coroutine.yield() end) end,
    ["a scope in a scope"] = function() cp.scope(cp.scope, function() return x + 1, coroutine.yield() end) end,
    ["behind a scope in a scope"] = function()
      cp.scope(function()
        cp.scope(function() return x + 1 end)
        coroutine.yield()
      end)
    end,
    device = function() cp.device("cpu"):with(coroutine.yield) end,
    stream = function() cp.cuda.Stream({ device = "cpu" }):with(coroutine.yield) end,
    allocator = function() cp.cuda.using_allocator(cp.cuda.MemoryPool(), coroutine.yield) end,
    hook = function() cp.cuda.MemoryHook({ malloc = function() end }):with(coroutine.yield) end,
    trace_sync = function()
      pcall(cp.profiler.trace_sync, coroutine.yield) -- there is one at a time
    end,
    time_range = function() cp.profiler.time_range("a range", coroutine.yield) end,
    fuse = function() cp.fuse(function() return x + 1, coroutine.yield() end)() end,
    group = function() cp.cuda.nccl.group(coroutine.yield) end,
  }
  for name, f in pairs(ways) do
    it("goes with a coroutine that is left in it: " .. name, function()
      local function leave(count)
        for _ = 1, count do assert(coroutine.resume(coroutine.create(f))) end
        collectgarbage()
        collectgarbage()
        cp.ones(100):eval():free() -- a hook that was left is removed when an allocation would call it
        collectgarbage()
        return collectgarbage "count"
      end
      leave(200)
      assert.equal(0, core.entered())
      local before, device, allocator = leave(200), cp.memory().state_live, core.chosen_pool()
      -- The coroutines alone would take 10 MB.
      assert.is_true(leave(check.mode == "gc" and 1000 or 10000) < before + 2000)
      assert.equal(0, core.entered())
      assert.is_true(cp.memory().state_live <= device)
      assert.equal(allocator, core.chosen_pool())
      cp.profiler.trace_sync(function() end) -- nobody else does
      local fused = cp.fuse(function() return x + 1 end)
      fused()
      assert.equal(1, fused.launches)
      assert.same({ 2, 2, 2 }, cp.scope(function() return x + 1 end):totable())
    end)
  end

  it("leaves nothing to the collector", function()
    local function nothing() end
    local device, pool, fused = cp.device "cpu", cp.cuda.MemoryPool(), cp.fuse(nothing)
    local function taken(f)
      for _ = 1, 10 do f() end
      local pause = collectgarbage("setpause", 1000)
      collectgarbage()
      local before = collectgarbage "count"
      for _ = 1, 1000 do f() end
      local after = collectgarbage "count"
      collectgarbage("setpause", pause)
      return (after - before) * 1024 / 1000
    end
    if check.mode then return pending "modes take memory of their own" end
    assert.is_true(taken(function() device:with(nothing) end) < 20)
    assert.is_true(taken(function() cp.cuda.using_allocator(pool, nothing) end) < 20)
    assert.is_true(taken(function() cp.scope(nothing) end) < 100) -- the set of what was looked into
    assert.is_true(taken(function() fused() end) < 100)
  end)

  it("keeps nothing once it is left", function()
    local seen = setmetatable({}, { __mode = "v" })
    for count = 1, 100, 33 do
      cp.scope(function()
        for _ = 1, count do seen[#seen + 1] = cp.ones(3):eval() end
        seen[#seen + 1] = cp.keep(cp.ones(3))
        return seen[1]
      end)
    end
    seen[#seen + 1] = cp.fuse(function() return x + 1 end)
    seen[#seen]()
    for _ = 1, 2 do collectgarbage() end
    assert.is_nil((next(seen)))
  end)

  it("is left by a coroutine that is closed", function()
    local close = rawget(coroutine, "close")
    if not close then return pending "coroutine.close is Lua 5.4's" end
    local co = coroutine.create(function()
      cp.scope(function() cp.cuda.Stream({ device = "cpu" }):with(coroutine.yield) end)
    end)
    assert(coroutine.resume(co))
    assert.equal(2, core.entered())
    close(co)
    collectgarbage()
    collectgarbage()
    assert.equal(0, core.entered())
  end)
end)

describe("a pool", function()
  it("lives only as long as it is chosen", function()
    local function release_count(choose)
      local gone = 0
      local pool = cp.cuda.MemoryPool(cp.cuda.FunctionAllocator(function(bytes) return cp.empty(bytes, "uint8") end,
        function() gone = gone + 1 end))
      choose(pool)
      pool = nil -- luacheck: ignore
      for _ = 1, 3 do collectgarbage() end
      return function() cp.cuda.MemoryPool() collectgarbage() cp.cuda.MemoryPool() return gone end
    end
    local gone = release_count(cp.cuda.set_allocator)
    cp.ones(1000):eval():free()
    assert.equal(0, gone())
    assert.equal(core.chosen_pool(), core.pool_number(cp.cuda.get_allocator()))
    cp.cuda.set_allocator()
    for _ = 1, 3 do collectgarbage() end
    assert.equal(1, gone())
    gone = release_count(function(pool)
      pcall(cp.cuda.using_allocator, cp.cuda.MemoryPool(), function()
        cp.cuda.set_allocator(pool)
        cp.ones(1000):eval():free()
        error "no"
      end)
    end)
    assert.equal(1, gone())
  end)
end)
