-- What rounds of spec/fuzz/reentry.lua work on: arrays, objects, calls, and the ways to run script code
-- inside calls.

local unpack = table.unpack or unpack -- luacheck: ignore
local generator = require "spec.helper.random.generator"
local values = require "spec.helper.random.reentry_values"
local actions = require "spec.helper.random.reentry_actions"

local world = {}

local GOLDEN = { "arrays/forms", "arrays/shapes", "indexing/selection", "arrays/sorting", "scipy/statistics",
                 "scipy/signal", "scipy/scipy" }

-- ---- the journal ------------------------------------------------------------------------------------------

-- A file with the last actions, one per line, which is complete whenever the process dies.
local function new_journal(path)
  local file = path and assert(io.open(path, "w"))
  local lines = 0
  return function(format, ...)
    if not file then return end
    local arguments = { ... }
    for k = 1, select("#", ...) do arguments[k] = tostring(arguments[k]) end
    lines = lines + 1
    if lines % 2000 == 0 then
      file:close()
      file = assert(io.open(path, "w"))
    end
    file:write((format:format(unpack(arguments)):gsub("\n", " ")), "\n")
    file:flush()
  end
end

-- ---- how script code gets to run --------------------------------------------------------------------------

-- Makes a value without references, whose finalizer runs f at the next collection.
local function when_collected(f)
  if _VERSION == "Lua 5.1" then
    local u = newproxy(true) -- luacheck: ignore
    getmetatable(u).__gc = f
  else
    setmetatable({}, { __gc = f })
  end
end

local function calm_collector()
  if _VERSION == "Lua 5.1" then
    collectgarbage("setpause", 200)
    collectgarbage("setstepmul", 200)
  else
    collectgarbage("incremental", 200, 100, 13)
  end
end

-- Runs f while every step of the collector is a full collection, which runs a finalizer that acts.
function world.with_finalizers(w, f)
  local running, left = true, 500
  local function finalizer()
    left = left - 1
    if not running or w.budget <= 0 or left == 0 then return calm_collector() end -- as collections are slow
    when_collected(finalizer)
    if w.random.chance(40) then w.act "finalizer" end
  end
  when_collected(finalizer)
  if _VERSION == "Lua 5.1" then
    collectgarbage("setpause", 0)
    collectgarbage("setstepmul", 0)
  else
    collectgarbage("incremental", 1, 1000, 60)
  end
  local function done(...)
    running = false
    calm_collector()
    return ...
  end
  return done(f())
end

-- Runs f with a debug hook that does random actions between instructions of the Lua side.
function world.with_hook(w, f)
  local function hook() -- an error goes no further than here, unless w.inside allows one
    if w.budget <= 0 or not w.random.chance(30) then return end
    if not w.inside then return pcall(w.act, "hook") end
    w.inside = false
    w.act "hook"
    w.inside = true
  end
  debug.sethook(hook, "", w.random.pick { 3, 17, 50 })
  return f()
end

-- ---- what calls are given ---------------------------------------------------------------------------------

local EVENTS = { "__index", "__len", "__newindex", "__tostring", "__call", "__eq", "__lt", "__le", "__concat",
  "__pairs", "__ipairs", "__unm", "__add", "__mul", "__name", "__gc", "__close", "__mode", "__metatable" }

local function disguise(w, t)
  w.tables[#w.tables + 1] = t
  if not w.random.chance(12) then return t end
  local meta = {}
  for _, event in ipairs(EVENTS) do
    if w.random.chance(30) then meta[event] = w.random.chance(90) and w.hostile(event) or 3 end
  end
  return setmetatable(t, meta)
end

-- Returns a function that acts on values in use and on its own arguments, and then returns some value.
local function hostile(w, what)
  return function(...)
    local r = w.random
    if w.budget > 0 and r.chance(70) then
      w.in_flight[#w.in_flight + 1] = { ... }
      local ok, problem = pcall(w.act, what or "callback")
      w.in_flight[#w.in_flight] = nil
      if not ok then error(problem, 0) end
    end
    local n = r.number(10)
    local first = ...
    if n <= 4 then return ... end
    if n == 5 then return first and first * 2 end
    if n == 6 then return values.array(w) end
    if n == 7 then return r.number(4) end
    if n == 8 then return { values.array(w), first } end
  end
end

local function objects_of(cp)
  local makers = {
    function() return cp.cuda.Stream { device = "cpu" } end,
    function() return cp.cuda.Stream.null end,
    function() return cp.cuda.Event { device = "cpu" } end,
    function() return cp.cuda.MemoryPool() end,
    function() return cp.get_default_memory_pool() end,
    function() return cp.random.default_rng(7) end,
    function() return cp.random.RandomState(7) end,
    function() return cp.poly1d { 1, 2, 3 } end,
    function() return cp.vectorize(function(a, b) return a * b + 1 end) end,
    function() return cp.fuse(function(a, b) return (a + b):sum() end) end,
    function() return cp.scalar(3, "float32") end,
    function() return cp.struct("Pair", "float a; int b[2];") end,
    function() return cp.arange(6):dlpack() end,
    function() return cp.cuda.LineProfileHook() end,
    function() return cp.device("cpu") end,
    function() return cp.complex(1, 2) end,
  }
  local list = {}
  for _, make in ipairs(makers) do
    local ok, object = pcall(make)
    if ok then list[#list + 1] = object end
  end
  return list
end

-- ---- calls ------------------------------------------------------------------------------------------------

local compile = loadstring or load -- luacheck: ignore

local function golden_calls()
  local golden = require "spec.helper.golden_calls"
  local list = {}
  for _, name in ipairs(GOLDEN) do
    for _, call in ipairs(golden.read(name)) do list[#list + 1] = call end
  end
  return list
end

local function golden_call(w)
  local call, x = w.random.one_of(w.golden), {}
  for k, a in ipairs(call.inputs) do x[k] = w.cp.frombytes(a.bytes, a.dtype, a.shape) end
  local f = assert(compile("local cp, x = ...; return " .. call.expression))
  return { name = call.expression, arguments = x, run = function() return w.during(x, f, w.cp, x) end }
end

local METHODS_OF = { Array = "arrays", Stream = "objects", Event = "objects", Generator = "objects", Device = "objects",
  RandomState = "objects", MemoryPool = "objects", MemoryHook = "objects", Graph = "objects" }

local function resolve(w, s)
  if s.method then
    local list = w[METHODS_OF[s.owner] or "objects"]
    local self = w.random.one_of(list)
    return function() return self[s.called] end, self
  end
  local names = {}
  for name in s.owner:gmatch "[^.]+" do names[#names + 1] = name end
  return function()
    local t = w.cp
    for k = 2, #names do t = t[names[k]] end
    return t[s.called]
  end
end

local function annotated_call(w)
  local s = w.random.one_of(w.signatures)
  local args, n = values.arguments(w, s)
  local get, self = resolve(w, s)
  if self ~= nil then
    table.insert(args, 1, self)
    n = n + 1
  end
  return { name = s.name, arguments = args, run = function() return w.during(args, get(), unpack(args, 1, n)) end }
end

local function scenario_call(w)
  local s = w.random.one_of(actions.scenarios)
  return { name = "scenario " .. s.name, arguments = {}, run = function() return w.during({}, s.run, w) end }
end

-- ---- the world --------------------------------------------------------------------------------------------

function world.new(seed, journal)
  -- LuaJIT crashes if a finalizer raises an error in compiled code.
  if jit then jit.off() end -- luacheck: ignore
  local cp = require "cupola"
  local w = { cp = cp, random = generator(seed), arrays = {}, tables = {}, in_flight = {}, coroutines = {},
    budget = 0, depth = 0, note = new_journal(journal) }
  w.note("seed %d, %s", seed, _VERSION)
  function w.disguise(t) return disguise(w, t) end
  function w.hostile(what) return hostile(w, what) end
  function w.object() return w.random.one_of(w.objects) end
  w.signatures, w.golden, w.objects = values.signatures(), golden_calls(), objects_of(cp)
  cp.memory { limit = 512 * 1048576 }
  for _ = 1, 12 do values.array(w) end

  -- Calls f(...), while script code may act on `arguments`.
  function w.during(arguments, f, ...)
    w.in_flight[#w.in_flight + 1] = arguments
    local level = #w.in_flight
    local function done(...)
      for k = #w.in_flight, level, -1 do w.in_flight[k] = nil end
      return ...
    end
    local results = { pcall(f, ...) }
    done()
    if not results[1] then error(results[2], 0) end
    local kept = results[2]
    if cp.is_array(kept) then w.arrays[w.random.number(24)] = kept end
    return unpack(results, 2)
  end

  function w.random_call()
    local n = w.random.number(10)
    if n <= 3 then return golden_call(w) end
    if n <= 7 then return annotated_call(w) end
    return scenario_call(w)
  end

  function w.act(what) return actions.act(w, what) end

  function w.keep_coroutine(co)
    if w.random.chance(40) then return end -- it is never resumed
    w.coroutines[#w.coroutines + 1] = co
  end

  function w.calm()
    w.budget, w.inside = 0, false
    debug.sethook()
    calm_collector()
  end

  -- After a call: resets what calls may have changed, and computes something.
  function w.settle()
    w.budget, w.depth = 0, 0
    for k = #w.arrays, 1, -1 do
      if w.arrays[k] == nil then w.arrays[k] = cp.ones(3) end
    end
    while #w.tables > 30 do table.remove(w.tables, 1) end
    if #w.coroutines > 0 and w.random.chance(30) then
      local co = table.remove(w.coroutines, w.random.number(#w.coroutines))
      w.budget = 3
      coroutine.resume(co)
      w.budget = 0
    end
    if w.random.chance(20) then collectgarbage() end
    cp.cuda.set_allocator()
    cp.fusion(true)
    cp.set_default_dtype "float64"
    return (cp.ones(3) + 1):sum():item() -- may raise, if a hook or allocator is left
  end

  function w.close()
    w.coroutines, w.arrays, w.tables, w.objects = {}, {}, {}, {}
    collectgarbage()
    collectgarbage()
  end
  return w
end

return world
