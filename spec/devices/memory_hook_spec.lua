-- Memory hooks, and the memory profiler based on them.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local MB = 1048576

-- In this mode garbage of other specs is freed at any time.
local steady = check.mode ~= "gc"

after_each(function() cp.cuda.set_allocator() end)

describe("a memory hook", function()
  it("is called for blocks that are allocated and freed", function()
    if not steady then return end
    local got = {}
    local hook = cp.cuda.MemoryHook {
      malloc = function(info) got[#got + 1] = { "malloc", info } end,
      alloc = function(info) got[#got + 1] = { "alloc", info } end,
      free = function(info) got[#got + 1] = { "free", info } end,
    }
    local pool = cp.cuda.MemoryPool()
    collectgarbage()
    collectgarbage()
    local line = debug.getinfo(1, "l").currentline
    local text = hook:with(function()
      local x = pool:malloc(1000)
      x:free()
      pool:malloc(1000):free()
      return "done"
    end)
    pool:malloc(1000):free()
    assert.equal("done", text)
    local kinds = {}
    for k, entry in ipairs(got) do
      kinds[k] = entry[1]
    end
    assert.same({ "alloc", "malloc", "free", "malloc", "free" }, kinds)
    local info = got[2][2]
    assert.equal(1000, info.nbytes)
    assert.equal(1024, info.size)
    assert.equal(cp.device().name, info.device)
    assert.is_number(info.ptr)
    assert.matches("memory_hook_spec%.lua:" .. line + 2 .. "$", info.place)
    assert.equal(info.ptr, got[3][2].ptr)
    assert.matches(":" .. line + 4 .. "$", got[4][2].place)
  end)

  it("may be nested in another one, and be active until a guard is closed", function()
    local outer, inner = 0, 0
    local a = cp.cuda.MemoryHook { malloc = function() outer = outer + 1 end }
    local b = cp.cuda.MemoryHook { malloc = function() inner = inner + 1 end }
    local guard = a:use()
    local x = cp.empty(3)
    b:with(function() x = cp.empty(4) end)
    guard.close()
    guard.close()
    x = (x + cp.empty(4)):eval()
    assert.same({ 1, 2, 4 }, { inner, outer, x.size })
  end)

  it("may make arrays, for which it is not called", function()
    local heard, sum = 0, 0
    local hook = cp.cuda.MemoryHook { malloc = function()
      heard = heard + 1
      sum = sum + cp.ones(5):sum():item()
    end }
    hook:with(function() cp.empty(3) end)
    assert.equal(1, heard)
    assert.equal(5, sum)
  end)

  it("makes arrays that outlive the scope in which it is called", function()
    local made = {}
    local hook = cp.cuda.MemoryHook { malloc = function() made[#made + 1] = cp.full(3, 4):eval() end }
    hook:with(function() cp.scope(function() cp.ones(5):eval() end) end)
    assert.equal(12, made[1]:sum():item())
    assert.is_true(cp.scope(function() return cp.ones(2) end):sum():item() == 2) -- scopes are as before
  end)

  it("that fails makes the allocation fail", function()
    local hook = cp.cuda.MemoryHook { malloc = function() error("too much", 0) end }
    local guard = hook:use()
    local ok, message = pcall(function() cp.empty(3) end)
    guard.close()
    assert.is_false(ok)
    assert.matches("cupola%.empty: the memory hook failed: too much$", message)
    failure("usage",
      "cuda.MemoryHook: no option 'mallok' (did you mean 'malloc'?); the options are malloc, alloc, free",
      function() cp.cuda.MemoryHook { mallok = print } return 1 end)
    failure("usage", "cuda.MemoryHook: malloc must be a function, not number",
      function() cp.cuda.MemoryHook { malloc = 3 } return 1 end)
    failure("usage", "cuda.MemoryHook: needs a function: malloc, alloc or free",
      function() cp.cuda.MemoryHook() return 1 end)
  end)
end)

describe("profiler.memory", function()
  it("sums up bytes by line", function()
    if check.mode then return end
    local pool = cp.cuda.MemoryPool()
    local line = debug.getinfo(1, "l").currentline
    local report, n = cp.profiler.memory(function(count)
      for _ = 1, count do
        pool:malloc(2 * MB):free()
      end
      return pool:malloc(1000).size
    end, 3)
    assert.equal(1000, n)
    assert.equal(2, #report)
    assert.matches(":" .. line + 3 .. "$", report[1].place)
    assert.matches(":" .. line + 5 .. "$", report[2].place)
    assert.same({ 6 * MB, 2 * MB, 3 }, { report[1].used, report[1].acquired, report[1].count })
    assert.same({ 1024, 1024, 1 }, { report[2].used, report[2].acquired, report[2].count })
    assert.same({ 6 * MB + 1024, 2 * MB + 1024, 4 }, { report.used, report.acquired, report.count })
    assert.matches("^used 6.0MB, acquired from the device 2.0MB, in 4 blocks\n.*: used 6MB, acquired 2MB, 3 blocks\n",
      tostring(report))
    failure("usage", "profiler.memory: f must be a function, not nil", function() cp.profiler.memory() return 1 end)
  end)

  it("is a hook too", function()
    local hook = cp.cuda.LineProfileHook()
    hook:with(function() cp.empty({ 1000 }) end)
    hook:with(function() cp.empty({ 1000 }) end)
    assert.equal(16384, hook:report().used)
  end)
end)
