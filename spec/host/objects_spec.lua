-- Objects are identified by their metatables: no script can access one, no object passes for one of another
-- kind, and every function rejects an object that was finalized (by another object's finalizer, at a
-- collection or while Lua closes).

local cp = require "cupola"
local check = require "spec.helper.check"
local host = require "spec.helper.host"
local failure = check.failure

-- An object of every kind by its name: what makes it, and functions that use it.
local KINDS = [[
local kinds = {
  array = { function() return cp.arange(8, "float64"):eval() end,
    function(x) return x:sum() end, function(x) return x + 1 end, function(x) return x[1] end,
    function(x) x[1] = 2 end, function(x) return x:add_(1) end, function(x) return cp.add(1, x) end,
    function(x) return x["2:3"] end, function(x) return tostring(x) end },
  pending = { function() return cp.arange(8, "float64") + 1 end,
    function(x) return x:sum() end, function(x) return x * x end, function(x) return x:eval() end },
  stream = { function() return cp.cuda.Stream() end,
    function(x) return x:synchronize() end, function(x) return x:query() end, function(x) return x:with(print) end,
    function(x) return x:use() end, function(x) return x.device end, function(x) return x:close() end,
    function(x) return x:record() end, function(x) return cp.cuda.Event():record(x) end },
  event = { function() return cp.cuda.Event():record() end,
    function(x) return x:record() end, function(x) return x:query() end, function(x) return x:synchronize() end,
    function(x) return cp.cuda.get_elapsed_time(x, x) end, function(x) return x.device end },
  pool = { function() return cp.cuda.MemoryPool() end,
    function(x) return x:malloc(8) end, function(x) return x:used_bytes() end, function(x) x:free_all_blocks() end,
    function(x) x:set_limit(1) end, function(x) return cp.cuda.set_allocator(x) end,
    function(x) return cp.cuda.using_allocator(x, cp.ones, 3) end },
  pinned_pool = { function() return cp.cuda.PinnedMemoryPool() end,
    function(x) return x:malloc(8) end, function(x) return cp.cuda.set_pinned_memory_allocator(x) end },
  async_pool = { function() return cp.cuda.MemoryAsyncPool() end,
    function(x) return x:malloc(8) end, function(x) return x:free_bytes() end },
  function_pool = { function()
      return cp.cuda.MemoryPool(function(n) return cp.cuda.malloc_device(n) end)
    end, function(x) return x:malloc(8) end, function(x) return x:total_bytes() end },
  vectorized = { function()
      local f = cp.vectorize(function(a, b) return a * b + 1 end)
      f(cp.ones(3), 2)
      return f
    end, function(x) return x(cp.ones(3), 2):sum() end },
  fused = { function()
      local f = cp.fuse(function(a) return a + 1 end)
      f(cp.ones(3))
      return f
    end, function(x) return x(cp.ones(3)):sum() end },
  graph = { function()
      local x = cp.ones(3):eval()
      return cp.cuda.graph(function() return (x + 1):eval() end)
    end, function(x) return x() end, function(x) return x.nodes end, function(x) x:free() return x() end },
  kernel = { function() return cp.ElementwiseKernel("T x", "T y", "y = x + 1", "one_more") end,
    function(x) return x(cp.ones(3)) end, function(x) return x.name end },
  reduction = { function() return cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total") end,
    function(x) return x(cp.ones(3)) end },
  raw_kernel = { function() return cp.RawKernel('extern "C" __global__ void one(float *x) { x[0] = 1; }', "one") end,
    function(x) return x(1, 1, { cp.ones(3, "float32") }) end, function(x) return x.name end,
    function(x) return x[{ 1, 1 }](cp.ones(3, "float32")) end, function(x) return x:compile() end },
  struct = { function() return cp.struct("Pair", "float a; int b;") { a = 1, b = 2 } end,
    function(x) return x.a end, function(x) x.b = 3 end },
  capsule = { function() return cp.ones(3):dlpack() end,
    function(x) return x.ptr end, function(x) return x:release() end, function(x) return cp.from_dlpack(x) end },
  communicator = { function() return cp.cuda.nccl.NcclCommunicator(1, cp.cuda.nccl.get_unique_id(), 0) end,
    function(x) return x.rank end, function(x) return x:all_reduce(cp.ones(3)) end, function(x) return x:close() end },
  generator = { function() return cp.random.default_rng(1) end, function(x) return x:random(3) end },
  scalar = { function() return cp.complex(1, 2) end,
    function(x) return x + 1 end, function(x) return x.re end, function(x) return tostring(x) end },
}
]]

-- The text that is printed for a use: "ok", or its error.
local USE = [[
local function use(name, x)
  for k = 2, #kinds[name] do
    local ok, problem = pcall(kinds[name][k], x)
    print(name, k - 1, ok and "ok" or tostring(problem))
  end
end
]]

-- Calls f when it is finalised.
local ON_END = [[
local function on_end(f)
  if not newproxy then return setmetatable({}, { __gc = f }) end
  local p = newproxy(true)
  getmetatable(p).__gc = f
  return p
end
]]

-- What holds nothing, and tables whose handles live as long as they do (in LuaJIT), may go on working.
local LASTING = { scalar = true, struct = true, generator = true, graph = true, vectorized = true, fused = true }

-- How many uses the script's output tells of, and those that did not end with an error of cupola's.
local function judged(output)
  local count, wrong = 0, {}
  for name, use, problem in output:gmatch "([%w_]+)\t(%d+)\t([^\n]*)" do
    count = count + 1
    local good = problem == "ok" and LASTING[name] or problem:find(": cupola.", 1, true)
    if not good then wrong[#wrong + 1] = ("%s %s: %s"):format(name, use, problem) end
  end
  return count, table.concat(wrong, "\n")
end

-- A use of every kind of object by the finalizer of another one, made before it and therefore finalised after
-- it.
local function finalised(script)
  local output, status = check.run("local cp = require 'cupola'\n" .. KINDS:gsub("\n", " ") .. USE .. ON_END .. script)
  assert.equal(0, status, output)
  assert.is_nil(output:find("stack traceback", 1, true), output)
  local count, wrong = judged(output)
  assert.equal("", wrong)
  assert.is_true(count > 50, output)
end

describe("an object that was finalised", function()
  it("is refused after a collection finalized it with its owner", function()
    finalised [[
      collectgarbage "stop" -- one that began earlier may let an object outlive what has it
      local function one(name, kind)
        local box = {}
        box.guard = on_end(function() use(name, box.o) end)
        box.o = kind[1]()
      end
      for name, kind in pairs(kinds) do one(name, kind) end
      for _ = 1, 4 do collectgarbage() end
      print(cp.arange(4):sum())
    ]]
  end)

  it("is refused while Lua closes", function()
    finalised [[
      keep = {}
      for name in pairs(kinds) do
        keep[#keep + 1] = on_end(function() use(name, keep[name]) end)
      end
      for name, kind in pairs(kinds) do keep[name] = kind[1]() end
    ]]
  end)

  it("is refused, or works, in compiled loops while Lua closes", function()
    local output, status = check.run(ON_END .. [[
      local cp = require "cupola"
      if jit then jit.opt.start("hotloop=2", "hotexit=2") end
      local function total(list)
        local sum = 0
        for _, x in pairs(list) do sum = sum + x.size + #x end
        for _, x in next, list do sum = sum + x[1] end
        for _, x in ipairs(list) do sum = sum + x[2] end
        for _, t in pairs { list, list } do
          for _, x in pairs(t) do sum = sum + (x + 1).size end
        end
        return math.floor(sum)
      end
      local function filled()
        local list = {}
        for k = 1, 20 do list[k], list["of " .. k] = cp.ones(3), cp.scope(function() return cp.ones(3) * 1 end) end
        return list
      end
      local function ended(list)
        for k = 1, 50 do
          local ok, sum = pcall(total, list)
          if k == 50 then print(ok and sum or tostring(sum):match "cupola[^:]*" or sum) end
        end
      end
      keep = {}
      local function finish(f) keep[#keep + 1] = on_end(f) end
      finish(function() ended(keep.list) end)
      finish(function() for k in pairs(keep.list) do keep.list[k] = nil end end)
      finish(function() ended(filled()) end)
      keep.list = filled()
      finish(function() ended(filled()) end)
      finish(function() ended(keep.list) end)
      finish(function() for _, x in pairs(keep.list) do x:free() end end)
      finish(function() ended(keep.list) end)
      for _ = 1, 100 do total(keep.list) end
      print(total(keep.list))]])
    assert.equal(0, status, output)
    local count = 0
    for line in output:gmatch "[^\n]+" do
      count = count + 1
      assert.truthy(line == "540" or line == "0" or line:find "^cupola", output)
    end
    assert.equal(6, count, output)
  end)
end)

describe("a state that ends", function()
  it("frees what finalizers make while it ends, and refuses later calls", function()
    local text, status = host.compile_and_run("spec/embed/ending.c", nil, "CUPOLA_DEVICE=cpu")
    if not text then return pending(status) end
    assert.equal(0, status, text)
    assert.truthy(text:find("0 wrong", 1, true), text)
  end)
end)

describe("a metatable", function()
  it("is hidden, for every object and table", function()
    local list = { array = cp.ones(3), pending = cp.ones(3) + 1, shape = cp.ones(3).shape, scalar = cp.complex(1, 2),
      newaxis = cp.newaxis, ellipsis = cp.ellipsis, stream = cp.cuda.Stream(), event = cp.cuda.Event(),
      pool = cp.cuda.MemoryPool(), default_pool = cp.get_default_memory_pool(),
      kernel = cp.ElementwiseKernel("T x", "T y", "y = x", "same"),
      struct_type = cp.struct("S", "float a;"), struct = cp.struct("S", "float a;") { a = 1 },
      capsule = cp.ones(3):dlpack(), generator = cp.random.default_rng(1), bits = cp.random.Philox4x3210(1),
      state = cp.random.RandomState(1), poly1d = cp.poly1d { 1, 2 },
      vectorized = cp.vectorize(function(a) return a end),
      fused = cp.fuse(function(a) return a + 1 end), graph = cp.cuda.graph(function() return cp.ones(3):eval() end),
      device = cp.device(), streams = cp.cuda.Stream, source = cp.cuda.malloc_device, cp = cp, cuda = cp.cuda,
      cpu = cp.cpu, fft = cp.fft, scipy = cp.scipy,
      raw_kernel = cp.RawKernel('extern "C" __global__ void f(float *x) {}', "f"),
      module = cp.RawModule { code = 'extern "C" __global__ void f(float *x) {}' } }
    for name, object in pairs(list) do
      assert.equal(false, getmetatable(object), name)
      assert.has_error(function() setmetatable(object, {}) end, nil, name)
    end
  end)
end)

describe("an object of another kind", function()
  local strangers = { 3, "text", {}, print, coroutine.create(print), io.stdout, false }
  local objects = { cp.ones(3), cp.cuda.Stream(), cp.cuda.Event(), cp.cuda.MemoryPool(), cp.complex(1, 2), cp.newaxis,
    cp.struct("S", "float a;") { a = 1 }, cp.ones(3):dlpack(),
    cp.ElementwiseKernel("T x", "T y", "y = x", "same"), cp.random.default_rng(1), cp.poly1d { 1, 2 } }

  -- Calls f with each stranger and with all objects but those that f is meant for; it must raise an error.
  local function turned_down(name, f, own)
    local function try(self)
      local ok, problem = pcall(f, self, 1, 1)
      assert.is_false(ok, name)
      assert.is_string(problem, name)
    end
    for _, s in ipairs(strangers) do try(s) end
    try(nil)
    for k, o in ipairs(objects) do
      if not own[k] then try(o) end
    end
  end

  it("is refused as self by methods", function()
    for _, name in ipairs { "synchronize", "query", "wait_event", "close", "record", "with", "use", "callback" } do
      turned_down("stream." .. name, objects[2][name], { [2] = true })
    end
    for _, name in ipairs { "record", "query", "synchronize" } do
      turned_down("event." .. name, objects[3][name], { [3] = true })
    end
    for _, name in ipairs { "used_bytes", "malloc", "set_limit", "get_limit", "free_all_blocks", "n_free_blocks" } do
      turned_down("pool." .. name, objects[4][name], { [4] = true })
    end
    turned_down("capsule.release", objects[8].release, { [8] = true })
    for _, name in ipairs { "item", "totable", "free", "eval", "has_shape", "fill", "update" } do
      turned_down("array." .. name, objects[1][name], { true })
    end
  end)

  it("is refused as self by metamethods", function()
    for k, o in ipairs(objects) do
      for event, f in pairs(type(o) == "userdata" and k > 1 and debug.getmetatable(o) or {}) do
        local lenient = event == "__eq" or (k == 5 and event:find "^__[asmdpul]")
        if type(f) == "function" and not lenient then turned_down(event .. " of " .. k, f, { [k] = true }) end
      end
    end
  end)

  it("is refused as a type of struct", function()
    local S = cp.struct("S", "float a; int b;")
    local forged = cp.struct("F", "unsigned long long a[64];") {}
    for _, stranger in ipairs { cp.complex(1, 2), cp.ones(64), forged, cp.struct("T", "float a;"), 3, {} } do
      S.type, S.values, S.handle = stranger, stranger, stranger
      local v = S { a = 1.5, b = 2 }
      assert.equal(1.5, v.a)
      assert.equal(2, v.b)
      failure("usage", "struct: argument 1 must be a type of struct",
        function() debug.getmetatable(S).__call(stranger == S and 1 or {}, {}) end)
    end
    failure("usage", "struct: S has no field c", function() local v = S {} v.c = 1 end)
  end)

  it("keeps a struct's type alive, and what is nested in it", function()
    local function make()
      local inner = cp.struct("Inner", "double x[3];")
      local outer = cp.struct("Outer", "int n; Inner in[2];")
      outer.fields, outer.type = nil, nil
      return outer { n = 1, ["in"] = { { x = { 1, 2, 3 } }, { x = { 4, 5, 6 } } } }, inner
    end
    local v = make()
    for _ = 1, 3 do collectgarbage() end
    for k = 1, 50 do cp.struct("Other" .. k, "float a[100];") {} end
    assert.same({ { x = { 1, 2, 3 } }, { x = { 4, 5, 6 } } }, v["in"])
  end)
end)
