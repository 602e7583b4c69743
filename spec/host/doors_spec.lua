-- Denied capabilities: whatever a script does to the base library, before cupola is opened or after, gains
-- none of them, and neither does the internal table of the Lua side. spec/embed/closed.c is the host that
-- runs the scripts.

local host = require "spec.helper.host"

local SECRET = "the host's own business"

-- What the scripts share: attempts to read a file by any way, also with tables that cupola passes to replaced
-- functions.
local PRELUDE = [==[
local path, secret = ...
local pcall, type, pairs, next, rawget, tostring, error = pcall, type, pairs, next, rawget, tostring, error
local getfenv, setmetatable, find = getfenv, setmetatable, string.find -- luacheck: ignore
local slipped = setmetatable({}, { __mode = "k" })

-- A replacement that records its arguments.
local function spy(real)
  return function(...)
    for k = 1, select("#", ...) do
      local v = (select(k, ...))
      if type(v) == "table" then slipped[v] = true end
    end
    return real(...)
  end
end

local function holds_secret(v)
  if type(v) == "string" then return find(v, secret, 1, true) ~= nil end
  local ok, text = pcall(function() return v:tobytes() end)
  if ok and type(text) == "string" and find(text, secret, 1, true) then return true end
  ok, text = pcall(function() return v:read(1000) end)
  return ok and type(text) == "string" and find(text, secret, 1, true) ~= nil
end

local function attempt(what, f, ...)
  local ok, v = pcall(f, ...)
  if ok and holds_secret(v) then error("the secret is out: " .. what, 0) end
end

local PRIMITIVES = {
  open_file = { "x", path, "r" }, raw_file = { path }, read_file = { "x", path }, bundle_list = { path },
  bundle_load = { path },
}

local function try_table(t)
  for name, arguments in pairs(PRIMITIVES) do
    local f = rawget(t, name)
    if f then
      attempt(name, function() return f(arguments[1], arguments[2], arguments[3]) end)
    end
  end
end

local function try(cp)
  attempt("fromfile", function() return cp.fromfile(path, "uint8") end)
  attempt("fromfile by name", function() return cp.fromfile { file = path, dtype = "uint8" } end)
  attempt("loadtxt", function() return cp.loadtxt(path, "uint8") end)
  attempt("genfromtxt", function() return cp.genfromtxt(path) end)
  attempt("load", function() return cp.load(path) end)
  attempt("mmread", function() return select(2, pcall(cp.scipy.io.mmread, path)) end)
  attempt("image.load", function() return cp.image.load(path) end)
  attempt("RawModule", function() return cp.RawModule { path = path } end)
  attempt("vectorize", function() -- its error message would quote the file
    local f = (loadstring or load)("local x = 1\nreturn function(x) if x == 1 then return 2 end return x end",
      "@" .. path)()
    local ok, message = pcall(cp.vectorize, f)
    return not ok and tostring(message) or nil
  end)
  attempt("a kernel's text", function() -- found in the file that the chunk's name says
    local f = (loadstring or load)("return function(x) x[1] = 2 end", "@" .. path)()
    local ok, message = pcall(cp.jit.rawkernel, f)
    return not ok and tostring(message) or nil
  end)
  if getfenv then
    attempt("getfenv", function()
      slipped[getfenv(cp.device).require "cupola.core"] = true
      slipped[getfenv(cp.vectorize).require "cupola.core"] = true
    end)
  end
  for t in next, slipped do
    try_table(t)
    for _, v in next, t do
      if type(v) == "table" then try_table(v) end
    end
  end
end
]==]

-- Replacements of functions of the base library; `open` opens cupola.
local ATTACKS = {
  ["rawget that finds nothing"] = "_G.rawget = function() return nil end",
  ["rawget that hides a name"] = [[local real = rawget
    _G.rawget = function(t, k) if k == "close_doors" or k == "closed_doors" then return nil end return real(t, k) end]],
  ["ipairs that walks nothing"] = "_G.ipairs = function() return function() end end",
  ["pcall that calls nothing"] = "_G.pcall = function() return true, false, false, false end",
  ["pcall that spies"] = "_G.pcall = spy(pcall)",
  ["rawget that spies"] = "_G.rawget = spy(rawget)",
  ["type that knows no table"] = "_G.type = function() return 'nil' end",
  ["type that spies"] = "_G.type = spy(type)",
  ["format that spies"] = "string.format = spy(string.format)",
  ["format that gives the path"] = "string.format = function() return path end",
  ["setmetatable that spies"] = "_G.setmetatable = spy(setmetatable)",
  ["every function that spies"] = [[
    for k, v in next, _G do if type(v) == "function" and k ~= "open" then _G[k] = spy(v) end end
    for k, v in next, table do table[k] = spy(v) end]],
}

describe("a closed door", function()
  local program, why
  local file, script

  setup(function()
    why = host.obstacle()
    if not why then program, why = host.compile "spec/embed/closed.c" end
    file, script = os.tmpname(), os.tmpname()
    local f = assert(io.open(file, "w"))
    f:write(SECRET, "\n", SECRET, "\nreturn function(x) if x == 1 then return 2 end end -- ", SECRET, "\n")
    f:close()
  end)

  teardown(function()
    if program then os.remove(program) end
    os.remove(file)
    os.remove(script)
  end)

  local function passes(text, settings)
    if not program then return pending(why) end
    local f = assert(io.open(script, "w"))
    f:write(PRELUDE, text)
    f:close()
    local out, status = host.run(program, ("%s %s %s"):format(script, file, host.quoted(SECRET)), settings)
    assert.equal(0, status, out)
  end

  it("is what stops the attempts, which succeed while the door is open", function()
    local f = assert(io.open(script, "w"))
    f:write(PRELUDE, [[
      local cp = require "cupola"
      local ok, message = pcall(try, cp)
      assert(not ok and find(tostring(message), "the secret is out: fromfile", 1, true), tostring(message))
      slipped[require "cupola.core"] = true
      for t in next, slipped do ok, message = pcall(try_table, t) end
      assert(not ok and find(tostring(message), "the secret is out", 1, true), tostring(message))]])
    f:close()
    local compiled = assert(loadfile(script))
    compiled(file, SECRET)
  end)

  for name, attack in pairs(ATTACKS) do
    it("stays closed with " .. name .. " replaced before opening", function()
      passes(attack .. "\nlocal ok, cp = pcall(open) if ok and type(cp) == 'table' then try(cp) end")
    end)
    it("stays closed with " .. name .. " replaced after opening", function()
      passes("local cp = open()\n" .. attack .. "\ntry(cp)")
    end)
  end

  it("stays closed for a script that has the internal table", function()
    passes([[
      local cp = open()
      slipped[core] = true
      try(cp)
      local x = cp.ones(3)
      local DOORS = {
        files = {
          open_file = { "x", path, "r" }, raw_file = { path }, bundle_list = { path }, bundle_load = { path },
          record_start = { path, {} }, record_stop = {}, record_abandon = {}, write_picture = { path, x, 90 },
          variable = { "x", "HOME" }, print = { "x", "" }, has_program = { "x", "sh" },
          run_program = { "x", { "sh" }, "" }, comm_id = { "x", "cpu" }, comm_join = { "x", "cpu", "", 0, 1, 1 },
          comm_join_all = { "x", { "cpu" }, 1 }, comm_share = { "x", "127.0.0.1", 1, 0, 1, 1 }, nccl_version = { "x" },
        },
        pointers = {
          from_pointer = { 4096, 1 }, from_dlpack = { 4096 }, pointer = { 4096, "x", "y" },
          raw_copy = { "x", true, 4096, 8192, 1 }, raw_set = { "x", true, 4096, 1, 1 },
          raw_allocate = { "x", "device", "cpu", 1 }, raw_free = { "x", "device", "cpu", 4096, 1 },
          raw_device_pointer = { 4096 }, device_synchronize = {}, external_stream = { "x", 4096 },
          new_pool = { "function", false, print, print }, new_stream = { nil, nil, 4096 },
          raw_copy_box = { "x", true, nil, 1, 1, 1 }, raw_lock = { "x", "cpu", 4096, 1, 0 },
          raw_unlock = { "x", "cpu", 4096 }, raw_advise = { "x", "cpu", 4096, 1, 1, -1 },
          raw_prefetch = { "x", nil, 4096, 1, -1 }, raw_facts = { "x", 4096 }, raw_profile = { "x", true },
          device_limit = { "x", "cpu", 0 }, device_bus = { "x", "cpu" }, device_peer = { "x", "cpu", "cpu" },
          driver_pool_of = { "x", "cpu" }, driver_pool_use = { "x", "cpu", 8 }, driver_pool_create = { "x", "cpu" },
          driver_pool_destroy = { "x", "cpu", 8 }, driver_pool_trim = { "x", "cpu", 8, 0 },
          driver_pool_allocate = { "x", nil, 8, 8 },
          ipc_share = { "x", 4096 }, ipc_open = { "x", "" }, ipc_close = { "x", 4096 }, ipc_share_event = { "x" },
          shared_event = { "x", "cpu", false },
        },
        ["user kernels"] = {
          user_kernel = { {} }, raw_kernel = { {}, "x", "x" }, raw_load = { {}, "x" },
          raw_global = { {}, "x", "int8", 1, "x" }, raw_image = { {}, 90 }, nvrtc_compile = { "", 90 },
          function_new = { "x", "", 1, "int8", "int8" },
        },
      }
      for door, primitives in pairs(DOORS) do
        for name, arguments in pairs(primitives) do
          local ok, message = pcall(core[name], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5],
            arguments[6])
          if ok or not find(tostring(message), door .. " are closed by the host", 1, true) then
            error(name .. ": " .. tostring(message), 0)
          end
        end
      end]], "CLOSED_GIVES_CORE=1")
  end)

  it("runs kernels in Lua as Lua text, which stays within its arrays", function()
    passes [[
      local cp = open()
      local x = cp.arange(4)
      local k = cp.jit.rawkernel "function(x) local i = cp.jit.grid() x[i] = x[i] * 2 end"
      k(1, 4, { x })
      assert(x[4] == 6 and k.runs_lua)
      local ok, message = pcall(function() k(1, 5, { x }) end)
      assert(not ok and find(message, "position 5 of 'x', which has 4 elements", 1, true), message)
      local f = cp.jit.elementwise "function(x) if x > 4 then return x end return -x end"
      assert(f(x)[4] == 12 and f(x)[2] == -4)
      local sum = cp.jit.reduction { map = "function(x) return x * x end", reduce = "function(a, b) return a + b end",
        identity = 0 }
      assert(sum(x):item() == 16 + 64 + 144 and sum.runs_lua)
      ok, message = pcall(cp.jit.rawkernel, "function(x) end", { options = { "-O1" } })
      assert(not ok and find(message, "options is for compiled kernels", 1, true), message)
      ok, message = pcall(cp.jit.rawkernel, "function(x) end", { check = false })
      assert(not ok and find(message, "kernels in Lua are checked", 1, true), message)]]
  end)

  it("hides all addresses", function()
    passes [[
      local cp = open()
      local x = cp.ones(3)
      local function closed(f)
        local ok, message = pcall(f)
        if ok or not find(tostring(message), "pointers are closed by the host", 1, true) then
          error(tostring(message), 0)
        end
      end
      closed(function() return x.data end)
      closed(function() return x:dlpack() end)
      closed(function() return cp.cuda.Stream().ptr end)
      closed(function() return cp.cuda.Event().ptr end)
      closed(function() return cp.cuda.runtime.malloc(8) end)
      local S = cp.struct("S", "float *p; int n;")
      closed(function() return S { p = x } end)
      closed(function() return S { n = 1 }.p end)
      cp.cuda.MemoryHook { malloc = function(info) if info.ptr ~= nil then error "an address" end end }
        :with(function() return cp.ones(1000):eval() end)]]
  end)
end)
