-- Kernels as Lua text: the specs of compiled kernels hold for them too. What is particular to them: threads
-- that meet, positions out of range, machines without a compiler.

local cp = require "cupola"
local check = require "spec.helper.check"
local jit = cp.jit

local made = { rawkernel = jit.rawkernel, elementwise = jit.elementwise, reduction = jit.reduction }

local function with_lua(options)
  local out = { lua = true }
  for name, v in pairs(type(options) == "table" and options or { name = options }) do out[name] = v end
  return out
end

-- From here to `compiled` all kernels run as Lua text.
local function as_lua()
  jit.rawkernel = function(f, options) return made.rawkernel(f, with_lua(options)) end
  jit.elementwise = function(f, options) return made.elementwise(f, with_lua(options)) end
  jit.reduction = function(options) return made.reduction(with_lua(options)) end
end

local function compiled()
  for name, f in pairs(made) do jit[name] = f end
end

-- What holds for compiled kernels alone: here the functions above make the kernels, and a GPU's functions may
-- differ from the processor's in the last bit.
local NOT = { ["names the argument that is wrong"] = true,
  ["gives the bits of the same operations on arrays"] = cp.device().kind == "cuda" }

-- Runs a file with the globals of this one.
local function run_file(path)
  local mine = _ENV or getfenv(1) -- luacheck: ignore
  local globals = setmetatable({ it = function(name, f) return NOT[name] or it(name, f) end }, { __index = mine })
  local f = assert(loadfile(path, "t", globals))
  if setfenv then setfenv(f, globals) end -- luacheck: ignore
  f()
end

for _, name in ipairs { "rawkernel", "functions", "operators", "language" } do
  describe("as Lua text,", function()
    before_each(as_lua)
    after_each(compiled)
    as_lua()
    run_file("spec/jit/" .. name .. "_spec.lua")
    compiled()
  end)
end

local function raw(text, options) return jit.rawkernel(text, with_lua(options)) end

describe("a kernel as Lua text", function()
  it("stands on the lines of the text that it is made from", function()
    local k = raw "function(x)\n  local s = 0.5\n  for i = 1, #x do\n    s = s + x[i]\n  end\n  x[1] = s\nend"
    local x = cp.ones(3, "float32")
    k(1, 1, { x })
    assert.equal(3.5, x[1])
    assert.is_true(k.runs_lua)
    local lines = {}
    for line in k.lua_source:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal("  local s = 0.5", lines[2])
    assert.equal("  for i = 1, x_shape1 do", lines[3])
    assert.equal("    s = cp_float32(s + x[i])", lines[4])
    assert.equal("  end", lines[5])
    assert.equal("  x[1] = s", lines[6])
    assert.is_false(jit.rawkernel("function(x) end").runs_lua)
  end)

  it("names position, array and line of a position out of range, and keeps what was written", function()
    local k = raw("function(x, n)\n  x[1] = 5\n  x[n] = 1\nend", "store")
    local x = cp.zeros(3)
    check.failure("index", "store: store:3: position 4 of 'x', which has 3 elements", function() k(1, 1, { x, 4 }) end)
    assert.same({ 5, 0, 0 }, x:totable())
    check.failure("index", "store: store:3: position 0 of 'x'", function() k(1, 1, { x, 0 }) end)
    local shared = raw [[function(x)
      local s = cp.jit.shared_memory("int32", 4)
      x[1] = s[cp.jit.threadIdx.x + 3]
    end]]
    check.failure("index", "kernel: kernel:3: position 5 of 'shared memory', which has 4 elements",
      function() shared(1, 4, { x }) end)
  end)

  it("prints by formats", function()
    local k = jit.rawkernel("function(x) if x[1] > 5 then cp.jit.printf('%d \"%g\"\\n', 1, x[1]) end x[1] = 2 end",
      { lua = true })
    local x = cp.ones(1)
    k(1, 1, { x })
    assert.equal(2, x[1])
  end)

  it("has threads that meet at barriers in a loop, and shuffles", function()
    local k = raw [[function(x, out)
      local s = cp.jit.shared_memory("int32", 256)
      local t = cp.jit.threadIdx.x + 1
      s[t] = x[t]
      local d = 128
      while d > 0 do
        cp.jit.syncthreads()
        if t <= d then s[t] = s[t] + s[t + d] end
        d = cp.jit.idiv(d, 2)
      end
      local v = x[t]
      for k = 1, 5 do v = v + cp.jit.shfl_xor_sync(-1, v, 1 << (k - 1)) end
      if t == 1 then out[1] = s[1] end
      out[2] = v
    end]]
    local x, out = cp.arange(256):astype "int32", cp.zeros(2, "int64")
    k(1, 256, { x, out })
    assert.same({ 32640, 7664 }, out:totable()) -- the last warp has 224..255
  end)

  it("counts threads that have left as arrived, and reports those that wait for ever", function()
    local x = cp.zeros(64, "int32")
    raw [[function(x)
      local t = cp.jit.threadIdx.x + 1
      if t > 40 then return end
      x[t] = 1
      cp.jit.syncthreads()
      x[t] = x[t] + x[41 - t]
    end]](1, 64, { x })
    assert.equal(2, x[1])
    assert.equal(0, x[41])
    local k = raw("function(x)\n  if cp.jit.threadIdx.x < 3 then\n    cp.jit.syncthreads()\n  else\n"
      .. "    cp.jit.syncwarp(0xff)\n  end\nend", "apart")
    check.failure("index", "apart: threads of a block wait for each other for ever: thread (0, 0, 0) waits at line 3, "
      .. "thread (3, 0, 0) waits at line 5", function() k(1, 8, { x }) end)
  end)

  it("sees through several views what one of them writes", function()
    local x = cp.arange(8)
    raw "function(a, b) for i = 1, 4 do a[i] = b[i] + 1 end end"(1, 1, { x["2:5"], x["1:4"] })
    assert.same({ 0, 1, 2, 3, 4, 5, 6, 7 }, x:totable())
    raw "function(a, b) for i = 1, 3 do a[i] = b[i] + 10 end end"(1, 1, { x["2::2"], x["1::2"] })
    assert.same({ 0, 10, 2, 12, 4, 14, 6, 7 }, x:totable())
    local m = cp.arange(6):reshape(2, 3)
    raw "function(m, t) m[{ 1, 3 }] = t[{ 2, 1 }] + 50 end"(1, 1, { m, m.T })
    assert.equal(51, m[{ 1, 3 }])
  end)

  it("has integers of 64 bits in every Lua", function()
    local u, i = cp.zeros(3, "uint64"):invert(), cp.array({ 2 ^ 53, 1, 3 }, "int64")
    raw [[function(u, i)
      u[1] = u[1] - 1
      u[2] = cp.jit.idiv(u[2], 3)
      u[3] = cp.jit.shr(u[3], 1)
      i[1] = i[1] + 1
      i[2] = 9223372036854775807 + i[2]
      i[3] = i[3] * 6148914691236517205
    end]](1, 1, { u, i })
    local want = cp.zeros(3, "uint64"):invert()
    assert.is_true(u[1] == (want - 1)[1] and u[2] == want:floor_divide(3)[1] and u[3] == want:right_shift(1)[1])
    local low = cp.array({ 2 ^ 53, 1, 3 }, "int64")
    assert.is_true(i["1:1"] == low["1:1"] + 1)
    assert.equal(-2 ^ 63, tonumber(i[2]))
    assert.equal(-1, i[3])
  end)

  it("takes over where there is no compiler", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write [[
      local cp = require "cupola"
      local x = cp.arange(5)
      local k = cp.jit.rawkernel "function(x) local i = cp.jit.grid() x[i] = x[i] * 2 end"
      k(1, 5, { x })
      local f = cp.jit.elementwise "function(x) if x > 4 then return x end return -x end"
      local s = cp.jit.reduction { map = "function(x) return x end", reduce = "function(a, b) return a + b end",
        identity = 0 }
      print(x, f(x), s(x):item(), k.runs_lua, f.runs_lua, s.runs_lua)
    ]]
    file:close()
    local lua = _VERSION == "Lua 5.1" and "luajit" or "lua5.4"
    local cpath = package.cpath:gsub("'", "")
    local pipe = io.popen(("CUPOLA_DEVICE=cpu CUPOLA_CACHE_DIR=off CUPOLA_CXX=/none LUA_CPATH='%s' LUA_CPATH_5_4='%s' "
      .. "%s %s 2>&1"):format(cpath, cpath, lua, script))
    local text = pipe:read "*a"
    pipe:close()
    os.remove(script)
    assert.truthy(text:find("20", 1, true) and text:find("true%s+true%s+true"), text)
  end)
end)
