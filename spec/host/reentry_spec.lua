-- Script code that runs inside of calls: hooks, allocator functions, converters, finalizers, metamethods and
-- callbacks may do anything to the call's arguments, to the state, and to themselves.

local check = require "spec.helper.check"
local cp = require "cupola"

local is_luajit = type(rawget(_G, "jit")) == "table"

-- Runs f with a memory hook that calls act once, at the first block of at least `bytes`.
local function at_allocation(bytes, act, f)
  local done = false
  return cp.cuda.MemoryHook({
    malloc = function(info)
      if done or info.nbytes < bytes then return end
      done = true
      act()
    end,
  }):with(f)
end

local function collect()
  collectgarbage()
  collectgarbage()
end

local function nested(depth, innermost)
  local t = innermost
  for _ = 1, depth do t = { t } end
  return t
end

-- A value whose finalizer runs f, in Lua 5.4 and LuaJIT.
local function with_finalizer(f)
  if not is_luajit then return setmetatable({}, { __gc = f }) end
  local u = newproxy(true) -- luacheck: ignore
  getmetatable(u).__gc = f
  return u
end

-- Runs f while each step of the collector is a whole collection. What finalizers raise comes out of f under
-- LuaJIT, which does not survive it in compiled code: none is made meanwhile, and none of before is there.
local function at_every_allocation(f)
  if is_luajit then
    jit.off() -- luacheck: ignore
    jit.flush() -- luacheck: ignore
    collectgarbage("setpause", 0)
    collectgarbage("setstepmul", 0)
  else
    collectgarbage("incremental", 1, 1000, 60)
  end
  local ok, problem = pcall(f)
  if is_luajit then
    collectgarbage("setpause", 200)
    collectgarbage("setstepmul", 200)
    jit.on() -- luacheck: ignore
  else
    collectgarbage("incremental", 200, 100, 13)
  end
  if not ok then error(problem, 0) end
end

describe("a memory hook", function()
  it("may end itself and begin another one", function()
    local heard, first, later = 0, nil, nil
    cp.synchronize() -- so that no reduction is still pending
    local second = cp.cuda.MemoryHook { malloc = function() heard = heard + 1 end }
    first = cp.cuda.MemoryHook({
      malloc = function()
        if not first then return end
        first.close()
        first = nil
        later = second:use()
      end,
    }):use()
    cp.ones(300):eval()
    collect()
    cp.ones(400):eval()
    cp.ones(500):eval()
    later.close()
    cp.ones(600):eval()
    assert.equal(2, heard)
  end)

  it("may end hooks that have not been called yet", function()
    local heard, inner = 0, nil
    local outer = cp.cuda.MemoryHook({ malloc = function() inner.close() end }):use()
    inner = cp.cuda.MemoryHook({ malloc = function() heard = heard + 1 end }):use()
    cp.ones(300):eval()
    outer.close()
    assert.equal(0, heard)
  end)

  it("that fails when it ends does not disturb the next ones", function()
    local bad = cp.cuda.MemoryHook { free = function() error "no" end }
    assert.has_error(function()
      bad:with(function() cp.ones(100):eval():free() end)
    end)
    local heard = 0
    cp.cuda.MemoryHook({ malloc = function() heard = heard + 1 end }):with(function() cp.ones(100):eval() end)
    assert.equal(1, heard)
  end)

  it("ends with the coroutine in which it was left active", function()
    local heard = 0
    local hook = cp.cuda.MemoryHook { malloc = function() heard = heard + 1 end }
    local left = coroutine.create(function() hook:with(coroutine.yield) end)
    assert(coroutine.resume(left))
    cp.ones(100):eval()
    assert.equal(1, heard)
    left = nil -- luacheck: ignore
    collect()
    cp.ones(100):eval()
    assert.equal(1, heard)
  end)
end)

describe("allocator functions", function()
  local function allocator(release)
    return cp.cuda.FunctionAllocator(function(bytes) return cp.empty(bytes, "uint8") end, release)
  end

  it("may release their own pool while it is emptied", function()
    local released = 0
    local a = allocator(function()
      released = released + 1
      collect()
      cp.collect()
    end)
    for _ = 1, 8 do
      cp.cuda.using_allocator(a, function()
        for k = 1, 8 do (cp.ones(1000 * k) + 1):eval() end
      end)
    end
    a = nil -- luacheck: ignore
    for _ = 1, 3 do
      collect()
      cp.collect()
    end
    assert.is_true(released > 0)
    assert.equal(6, (cp.ones(3) + 1):sum():item())
  end)

  it("may allocate from their own pool", function()
    local depth, a, inners = 0, nil, {}
    local function allocate(bytes)
      depth = depth + 1
      local inner = depth < 6 and cp.cuda.using_allocator(a, function() return cp.ones(200000) end)
      depth = depth - 1
      if inner then inners[#inners + 1] = inner end
      return cp.empty(bytes, "uint8")
    end
    a = cp.cuda.FunctionAllocator(allocate, function() end)
    local x = cp.cuda.using_allocator(a, function() return (cp.ones(200000) * 2):eval() end)
    assert.equal(400000, x:sum():item())
    for _, inner in ipairs(inners) do assert.equal(200000, inner:sum():item()) end
  end)
end)

describe("a kernel's arguments", function()
  it("that were freed while memory was made for others are an error", function()
    if check.mode then return end -- counts kernels, or waits for what is pending
    local k = cp.ElementwiseKernel("float64 a", "float64 b", "b = a + b", "reentry_add")
    local a, b = cp.ones(50000):eval(), cp.ones(50000):eval()
    local reader = b * 2 -- what is written gets another buffer
    assert.has_error(function()
      at_allocation(400000, function() a:free() end, function() k(a, b) end)
    end)
    assert.equal(100000, reader:sum():item())
  end)
end)

describe("arrays", function()
  -- Each way of using x has to compute a pending reader of x, or x itself, first; a hook frees x meanwhile.
  local uses = {
    ["its address"] = function(x) return x.data.ptr end,
    ["a DLPack capsule"] = function(x) return x:dlpack() end,
    ["an element"] = function(x) return x[1] end,
    ["all values"] = function(x) return x:totable() end,
    ["memory"] = function(x) return x:eval() and x[1] end,
    ["a product"] = function(x) return cp.matmul(x, x) end,
    ["a sorted copy"] = function(x) return cp.sort(x) end,
    ["positions"] = function(x) return cp.arange(3000)[x:astype("int64")] end,
    ["a mask"] = function(x) return cp.arange(2000)[x:greater(5)] end,
  }
  for name, use in pairs(uses) do
    it("that are freed while something is made of them, " .. name .. ", raise or stay", function()
      for _, form in ipairs { "in memory", "pending" } do
        local x = cp.arange(1, 2001):astype "float32"
        if form == "in memory" then x:eval() end
        local reader = x + 1
        local ok, message = pcall(at_allocation, 4000, function() x:free() end, function() return use(x) end)
        assert.is_true(ok or tostring(message):find "freed" ~= nil, form .. ": " .. tostring(message))
        assert.equal(4, reader[3])
      end
    end)
  end

  it("are not exposed before what reads them is computed", function()
    local x = cp.arange(2000, "float32"):eval()
    local reader, other = x + 1, nil
    local capsule = at_allocation(4000, function() other = x * 2 end, function() return x:dlpack() end)
    x:add_(1)
    assert.equal(3, reader[3])
    -- In modes without pending values nothing was left to compute, so the hook was not called.
    if other or not check.mode then assert.equal(4, other[3]) end
    assert.is_truthy(capsule)
  end)
end)

describe("converters of loadtxt", function()
  it("may change the table of comments", function()
    local path = os.tmpname()
    local f = assert(io.open(path, "w"))
    f:write(("1 2 !!comment\n"):rep(200))
    f:close()
    local comments, others = { ("!!%s"):format "com" }, {}
    local x = cp.loadtxt(path, {
      comments = comments,
      converters = {
        function(word)
          comments[1] = nil
          collect()
          for k = 1, 200 do others[k] = ("%05d"):format(math.random(99999)) end -- in the place of the mark
          return tonumber(word)
        end,
      },
    })
    os.remove(path)
    assert.equal(200, #others)
    assert.same({ 200, 2 }, { x.shape[1], x.shape[2] })
  end)
end)

describe("a vectorized function", function()
  it("may not free what it is given", function()
    local f = cp.vectorize(function(a)
      local r = a + 1
      a:free()
      return r
    end)
    local ok, message = pcall(f, cp.ones(3))
    assert.is_false(ok)
    assert.matches("cupola%.vectorize: f uses a value of another trace, or one that it freed", message)
  end)

  it("may not use values of the one around it", function()
    local outer = cp.vectorize(function(a) return cp.vectorize(function(b) return a + b end)(cp.ones(3)) end)
    assert.has_error(function() outer(cp.ones(3)) end)
  end)

  it("cannot yield, and leaves nothing behind when it tries", function()
    if check.mode then return end -- counts kernels, or waits for what is pending
    local f = cp.vectorize(function(a)
      coroutine.yield()
      return a
    end)
    assert.is_false(coroutine.resume(coroutine.create(function() return f(cp.ones(3)) end)))
    local fused = cp.fuse(function(x)
      for _ = 1, 90 do x = x * 0.5 + 1 end
      return x
    end)
    fused(cp.ones(3))
    assert.equal(1, fused.launches)
  end)
end)

describe("a fused function", function()
  it("that was left in a coroutine no longer affects others", function()
    if check.mode then return end -- counts kernels, or waits for what is pending
    local f = cp.fuse(function(x)
      local y = x * 2
      coroutine.yield()
      return y + 1
    end)
    local left = coroutine.create(function() return f(cp.ones(3)) end)
    assert(coroutine.resume(left))
    local g = cp.fuse(function(x)
      for _ = 1, 90 do x = x * 0.5 + 1 end
      return x
    end)
    g(cp.ones(3))
    assert.equal(1, g.launches)
    local _, x = coroutine.resume(left)
    assert.same({ 3, 3, 3 }, x:totable())
  end)
end)

describe("text of arrays and shapes", function()
  it("is joined with text alone", function()
    local strange = setmetatable({}, {
      __tostring = function() return setmetatable({}, { __concat = function() return "x" end }) end,
    })
    for _, text in ipairs { cp.ones(2), cp.ones(2).shape } do
      local ok, message = pcall(function() return text .. strange end)
      assert.is_false(ok)
      assert.matches("cupola%.concat: cannot join the text of an? %w+ with a table whose __tostring gives a table",
        message)
    end
  end)
end)

describe("depth", function()
  it("of tables that a scope returns is not limited", function()
    local x
    cp.scope(function()
      x = cp.ones(3):eval()
      return nested(1e5, x)
    end)
    assert.equal(3, x:sum():item())
  end)

  it("of structs is bounded", function()
    local s, ok, problem = cp.struct("Nested0", "int a;"), true, nil
    for k = 1, 100 do
      if ok then ok, problem = pcall(cp.struct, "Nested" .. k, ("Nested%d s;"):format(k - 1)) end
      s = problem -- keeps the type
    end
    assert.is_false(ok)
    assert.equal(s, problem)
    assert.matches("nests structs deeper than 32 levels", problem)
  end)

  it("of functions that call back ends in an error", function()
    local function update(n)
      if n == 0 then return end
      cp.ones(3):update(1, function()
        update(n - 1)
        return 1
      end)
    end
    assert.has_error(function() update(1e5) end)
    assert.equal(6, (cp.ones(3) + 1):sum():item())
  end)

  it("of graphs of pending values is not limited", function()
    local x = cp.ones(3)
    for _ = 1, 2e5 do x = x + 1 end
    assert.same({ 200001, 200001, 200001 }, x:totable())
  end)
end)

describe("a DLPack tensor", function()
  it("that a finalizer consumes is not consumed twice", function()
    for n = 1, 12 do -- the finalizer that does it is the n-th
      local capsule, address, runs = cp.arange(3):eval():dlpack(), nil, 0
      local function finalizer()
        runs = runs + 1
        if runs == n then address = select(2, pcall(function() return capsule:release() end)) end
        if runs < n then with_finalizer(finalizer) end
      end
      with_finalizer(finalizer)
      local ok, x
      at_every_allocation(function()
        ok, x = pcall(cp.from_dlpack, capsule)
      end)
      if type(address) == "string" then address = nil end -- too late: an error
      assert.is_false(ok and address ~= nil)
      if not ok then assert.matches("the tensor was already consumed", x) end
      if address then x = cp.from_dlpack(address) end
      assert.same({ 0, 1, 2 }, x:totable())
    end
  end)
end)

describe("communicators", function()
  it("that are closed while a call's arrays are computed are an error", function()
    local comm = cp.cuda.nccl.init_all({ "cpu" }, 10)[1]
    local x = cp.cpu.ones(1000) + 1
    local ok, message = pcall(at_allocation, 8000, function() comm:close() end, function()
      return comm:all_reduce(x)
    end)
    assert.is_false(ok)
    assert.matches("the communicator was closed", message)
  end)

  it("cannot be closed while they work", function()
    if check.mode then return end -- counts kernels, or waits for what is pending
    local comm = cp.cuda.nccl.init_all({ "cpu" }, 10)[1]
    local x = cp.cpu.ones(1000):eval()
    local reader = x * 3 -- so that x gets another buffer when it is written
    local message
    at_allocation(8000, function()
      message = select(2, pcall(comm.close, comm))
    end, function() return comm:all_reduce_(x) end)
    assert.matches("cupola%.nccl%.close: the communicator is in use by another call", message)
    assert.equal(4000, reader:sum():item() + x:sum():item())
    comm:close()
  end)
end)

describe("finalizers that raise", function()
  it("leave evaluation as it is", function()
    local list, rounds = {}, 0
    for k = 1, 40 do list[k] = cp.ones(131072) + k end
    local function finalizer()
      rounds = rounds + 1
      if rounds < 200 then with_finalizer(finalizer) end
      error "a finalizer"
    end
    local function work()
      cp.synchronize()
      return ({ list[2] + 1, list[3] * 2 })[1]:eval()
    end
    with_finalizer(finalizer)
    at_every_allocation(function()
      pcall(collect)
      local turns = 0
      repeat
        pcall(work)
        turns = turns + 1
      until turns > 300 and rounds > 10 or turns > 5000
    end)
    assert.is_true(rounds > 10)
    rounds = 200
    pcall(collect)
    list[1] = nil
    collect()
    for k = 2, 40 do assert.equal(131072 * (k + 1), list[k]:sum():item()) end
  end)
end)
