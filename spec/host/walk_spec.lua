-- A script without `debug` cannot reach the internal table of the Lua side, nor the tables that cupola's own
-- code works with: through fields, metatables, environments of functions and stack levels, iterators,
-- arguments of callbacks or error objects. spec/embed/closed.c is the host, which provides the table that
-- must not be found.

local host = require "spec.helper.host"

local WALK = [==[
local cp = open()
local core = core -- what must not be found
_G.core = nil
local private = {} -- the tables that cupola's own code works with
for _, t in next, core.tables do private[t] = true end
private[core] = true
local getfenv, setfenv, newproxy = getfenv, setfenv, newproxy -- luacheck: ignore

local seen, queue, count = {}, {}, 0
local function found(v, way) error("found by " .. way .. ": " .. tostring(v), 0) end

local function note(v, way)
  local t = type(v)
  if #way > 300 then return end -- some iterators never end
  if t ~= "table" and t ~= "function" and t ~= "userdata" then return end
  if private[v] then found(v, way) end
  if seen[v] then return end
  seen[v] = true
  queue[#queue + 1] = { v, way }
end

-- The environments of levels 1 to 8 of the stack, wherever this is called from.
local function look_around(way)
  if not getfenv then return end
  for level = 1, 8 do
    local ok, env = pcall(getfenv, level)
    if ok then note(env, way .. ", environment of level " .. level) end
  end
end

local function callback(way, result)
  return function(...)
    look_around(way)
    for k = 1, select("#", ...) do note((select(k, ...)), way .. ", argument " .. k) end
    if result ~= nil then return result end
    return ...
  end
end

-- Calls f as scripts may, and looks at error objects and at the stack around their handler too.
local function try(way, f, ...)
  local results = { xpcall(f, function(message)
    look_around(way .. ", handler")
    note(message, way .. ", error")
    return message
  end, ...) }
  for _, v in next, results do note(v, way .. ", result") end
  return results[2]
end

local ways = {
  table = function(t, way)
    for k, v in next, t do
      note(k, way .. ", key")
      note(v, way .. "." .. tostring(k))
    end
    try(way .. ", pairs", function()
      local f, s = pairs(t)
      note(f, way .. ", iterator") note(s, way .. ", state of iterator")
      for k, v in pairs(t) do note(k, way) note(v, way) end
    end)
  end,
  ["function"] = function(f, way)
    if not getfenv then return end
    local ok, env = pcall(getfenv, f)
    if ok then note(env, way .. ", environment") end
  end,
  userdata = function(u, way)
    if way:find "%.T" then return end
    for _, name in next, { "T", "data", "device", "shape", "base", "stream", "kind", "owner" } do
      try(way .. "." .. name, function() note(u[name], way .. "." .. name) end)
    end
  end,
}

local function walk()
  while #queue > 0 do
    local entry = table.remove(queue)
    local v, way = entry[1], entry[2]
    count = count + 1
    local meta = getmetatable(v)
    note(meta, way .. ", metatable")
    if meta ~= nil and meta ~= false and type(v) == "userdata" and v ~= io then
      if tostring(v):find "cupola" then error(way .. ": getmetatable answers " .. tostring(meta), 0) end
    end
    ways[type(v)](v, way)
  end
end

-- Objects of many kinds, and callbacks in many places.
local x = cp.arange(6):reshape(2, 3)
for name, f in next, {
  device = function() return cp.device "cpu" end,
  event = function() return cp.cuda.Event() end,
  stream = function() return cp.cuda.Stream() end,
  pool = function() return cp.get_default_memory_pool() end,
  ["new pool"] = function() return cp.cuda.MemoryPool() end,
  pinned = function() return cp.cuda.PinnedMemoryPool() end,
  malloc = function() return cp.cuda.malloc_managed end,
  generator = function() return cp.random.default_rng(1) end,
  philox = function() return cp.random.Philox(1) end,
  poly = function() return cp.poly1d { 1, 2 } end,
  scalar = function() return cp.scalar(1, "int8") end,
  complex = function() return cp.complex(1, 2) end,
  struct = function() return cp.struct("S", "float a; int b;") end,
  fused = function() return cp.fuse(function(a) return a + 1 end) end,
  vectorized = function() return cp.vectorize(function(a) return a + 1 end) end,
  finfo = function() return cp.finfo "float32" end,
  iinfo = function() return cp.iinfo "int8" end,
  hook = function() return cp.cuda.MemoryHook {} end,
  printoptions = function() return cp.get_printoptions() end,
  index = function() return cp.s_ and cp.s_["1:2"] or cp.ix_({ 1 }, { 2 }) end,
  nditer = function() return cp.ndenumerate(x) end,
  ndindex = function() return cp.ndindex(2, 2) end,
  guard = function() return cp.device("cpu"):use() end,
  shape = function() return x.shape end,
  elements = function() return ipairs(x) end,
} do
  note(try(name, f), name)
end
note(x, "array")
note(cp, "cp")
note(_G, "_G")
note(getmetatable "", "strings")
walk()

for name, f in next, {
  apply_along_axis = function() return cp.apply_along_axis(callback "apply_along_axis", 1, x) end,
  apply_over_axes = function() return cp.apply_over_axes(callback "apply_over_axes", x, { 1 }) end,
  fromfunction = function() return cp.fromfunction(callback "fromfunction", { 2, 2 }) end,
  piecewise = function() return cp.piecewise(x, { x:gt(2) }, { callback("piecewise", 1), 2 }) end,
  scope = function() return cp.scope(callback "scope") end,
  assign = function() return cp.zeros({ 2, 3 }):assign(callback("assign", x)) end,
  fuse = function() return cp.fuse(callback "fuse")(x) end,
  vectorize = function() return cp.vectorize(callback "vectorize")(x) end,
  fusion = function() return cp.fusion(false, callback "fusion") end,
  with = function() return cp.device("cpu"):with(callback "with", 1) end,
  stream = function() return cp.cuda.Stream():with(callback "stream", 1) end,
  callback = function()
    local s = cp.cuda.Stream()
    s:callback(callback "callback")
    s:synchronize()
  end,
  on_cpu = function() return cp.cpu.apply_along_axis(callback "on_cpu", 1, x) end,
  benchmark = function() return cp.profiler.benchmark(callback "benchmark", {}, { n_repeat = 1, n_warmup = 0 }) end,
  using_allocator = function() return cp.cuda.using_allocator(nil, callback "using_allocator") end,
  printoptions = function() return cp.printoptions({ precision = 2 }, callback "printoptions") end,
  deterministic = function() return cp.deterministic(true, callback "deterministic") end,
  graph = function() return cp.cuda.graph(callback("graph", x)) end,
  metamethods = function()
    local t = setmetatable({}, { __index = callback("__index", 1), __len = callback("__len", 2),
      __call = callback("__call", 1), __tostring = callback("__tostring", "t"), __add = callback "__add",
      __eq = callback("__eq", true), __lt = callback("__lt", true), __concat = callback("__concat", "t") })
    for _, g in next, { cp.array, cp.zeros, cp.sum, cp.add, cp.sort, cp.concatenate, cp.reshape, print, tostring } do
      try("metamethods", g, t, t, t)
      try("metamethods", g, x, t)
    end
    return x + t
  end,
  index = function() return cp.no_such_name end,
  nested = function() return cp.linalg.no_such_name end,
  bad = function() return cp.sort({}, {}, {}) end,
  finalizer = function()
    for _ = 1, 20 do
      if newproxy then getmetatable(newproxy(true)).__gc = callback "finalizer" end
      if not newproxy then setmetatable({}, { __gc = callback "finalizer" }) end
    end
    collectgarbage()
    cp.apply_along_axis(function(r)
      collectgarbage()
      return r
    end, 1, x)
  end,
} do
  try(name, f)
end
if not getfenv then
  local close = load [[local f, callback = ... local guard <close> = setmetatable({}, { __close = callback }) f()]]
  try("close", close, function() return cp.sort(1, 2, 3) end, callback "__close")
end
walk()

-- Whatever a script can set changes nothing for cupola's own code.
if setfenv then
  for v in next, seen do
    if type(v) == "function" and v ~= setfenv and v ~= try and v ~= walk then
      local ok, env = pcall(getfenv, v)
      if ok and env ~= _G then pcall(setfenv, v, {}) end
    end
  end
end
for k, v in next, cp do
  if type(v) == "function" then cp[k] = false end
end
local one = cp.cpu.array { 3, 1, 2 }
assert(one:sort()[1] == 1 and one:median():item() == 2 and one:cumsum()[3] == 6)
assert(count > 1000, count)
]==]

describe("a walk through all that a script can reach", function()
  it("does not find the internal table", function()
    local script = os.tmpname()
    local f = assert(io.open(script, "w"))
    f:write(WALK)
    f:close()
    local out, status = host.compile_and_run("spec/embed/closed.c", script, "CLOSED_GIVES_CORE=1")
    os.remove(script)
    if not out then return pending(status) end
    assert.equal(0, status, out)
  end)
end)
