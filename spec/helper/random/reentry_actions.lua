-- What script code does to values in use, for spec/fuzz/reentry.lua, and calls of functions that take
-- functions.

local values = require "spec.helper.random.reentry_values"

local actions = {}

-- ---- on one thing in flight -------------------------------------------------------------------------------

-- A flat list of the arguments of the running calls, and of values in them.
local function things_in_flight(w)
  local list = {}
  for _, arguments in ipairs(w.in_flight) do
    for k = 1, 8 do
      local v = rawget(arguments, k)
      if v ~= nil then list[#list + 1] = v end
      if type(v) == "table" then
        for j = 1, 3 do
          local inner = rawget(v, j)
          if inner ~= nil then list[#list + 1] = inner end
        end
      end
    end
  end
  if #list == 0 then list[1] = values.any(w) end
  return list
end

local on_arrays = {
  free = function(_, x) x:free() end,
  assign = function(w, x) x:assign(w.random.chance(50) and values.array(w) or 3) end,
  fill = function(_, x) x:fill(1) end,
  sort = function(_, x) x:sort_() end,
  write = function(w, x) x["1:1"] = values.array(w) end,
  write_all = function(_, x) x["..."] = 0 end,
  add = function(_, x) x:add_(1) end,
  item = function(_, x) return x:tolist() end,
  eval = function(_, x) x:eval() end,
  pend = function(w, x) w.kept = x + 1 end,
  lend = function(w, x) w.kept = x:dlpack() end,
  view = function(w, x) w.kept = x.T end,
  out = function(w, x) w.cp.add(values.array(w), 1, { out = x }) end,
  assign_from = function(w, x) values.array(w):assign(x) end,
}
local array_actions = { "free", "free", "free", "assign", "fill", "sort", "write", "write_all", "add", "item", "eval",
  "pend", "lend", "view", "out", "assign_from" }

local on_tables = {
  function(_, t) rawset(t, 1, nil) end,
  function(_, t) for k in pairs(t) do rawset(t, k, nil) end end,
  function(_, t) for k = 1, 200 do rawset(t, k, k) end end,
  function(w, t) rawset(t, 1, values.any(w)) end,
  function(w, t) rawset(t, 1, t) w.kept = t end,
  function(w, t) setmetatable(t, { __index = w.hostile "__index", __len = w.hostile "__len" }) end,
  function(_, t) rawset(t, "x" .. #t, 1) end,
  function(_, t) t[#t] = nil end,
}

local OBJECT_METHODS = { "free", "close", "release", "synchronize", "query", "free_all_blocks", "record", "use", "with",
  "report", "replay", "callback" }

local function on_object(w, o)
  local name = w.random.one_of(OBJECT_METHODS)
  return o[name](o, w.hostile())
end

local function on_thing(w)
  local thing = w.random.one_of(things_in_flight(w))
  if w.cp.is_array(thing) then
    local name = w.random.one_of(array_actions)
    w.note("    x:%s()", name)
    return on_arrays[name](w, thing)
  end
  if type(thing) == "table" and w.random.chance(70) then
    w.note "    a table changes"
    return w.random.one_of(on_tables)(w, thing)
  end
  if type(thing) == "userdata" or type(thing) == "table" then
    w.note "    an object"
    return on_object(w, thing)
  end
end

-- ---- on the state -----------------------------------------------------------------------------------------

local on_state = {
  collect = function() collectgarbage() end,
  step = function() collectgarbage "step" end,
  collect_memory = function(w) w.cp.collect() end,
  churn = function(w) for _ = 1, 20 do w.kept = w.cp.ones(50) * 2 end end,
  large = function(w) w.kept = w.cp.zeros(200000) end,
  device = function(w) w.kept = w.cp.device("cpu"):use() end,
  stream = function(w) w.kept = w.cp.cuda.Stream({ device = "cpu" }):use() end,
  go_back = function(w) if w.kept and type(w.kept) == "table" and w.kept.close then w.kept:close() end end,
  fusion = function(w) w.cp.fusion(w.random.chance(50)) end,
  dtype = function(w) w.cp.set_default_dtype(w.random.pick { "float32", "float64" }) end,
  synchronize = function(w) w.cp.synchronize() end,
  scope = function(w) w.cp.scope(function() return w.cp.ones(3) * 2 end) end,
  allocator = function(w) w.cp.cuda.set_allocator(w.random.chance(50) and w.cp.cuda.MemoryPool() or nil) end,
}
local state_actions = { "collect", "collect", "step", "collect_memory", "churn", "large", "device", "stream", "go_back",
  "fusion", "dtype", "synchronize", "scope", "allocator" }

local ERRORS = {
  function() error "an error" end,
  function() error(nil) end,
  function() error({}, 0) end,
  function(w) error(setmetatable({}, { __tostring = w.hostile "__tostring" }), 0) end,
  function() error(setmetatable({}, { __tostring = function() error "inner" end }), 0) end,
  function()
    error(setmetatable({}, { __tostring = function() return {} end, __concat = function() return {} end }), 0)
  end,
  function(w) error(values.array(w), 0) end,
}

-- ---- all --------------------------------------------------------------------------------------------------

local function one(w)
  local n = w.random.number(20)
  if n <= 9 then return pcall(on_thing, w) end
  if n <= 13 then
    local name = w.random.one_of(state_actions)
    w.note("    state: %s", name)
    return pcall(on_state[name], w)
  end
  if n <= 16 and w.depth < 3 then
    local call = w.random_call()
    w.note("    nested: %s", call.name)
    w.depth = w.depth + 1
    pcall(call.run)
    w.depth = w.depth - 1
    return
  end
  if n == 17 then
    w.note "    a coroutine"
    w.depth = w.depth + 1
    local co = coroutine.create(function() pcall(on_thing, w) coroutine.yield() end)
    coroutine.resume(co)
    w.keep_coroutine(co)
    w.depth = w.depth - 1
    return
  end
  if n == 18 then
    w.note "    yields"
    return pcall(coroutine.yield)
  end
  if n == 19 then
    w.note "    yields, or raises that it cannot"
    return coroutine.yield()
  end
  w.note "    raises"
  return w.random.one_of(ERRORS)(w)
end

-- Does one to three random actions.
function actions.act(w, what)
  w.budget = w.budget - 1
  w.note("  by %s:", what)
  for _ = 1, w.random.number(3) do one(w) end
end

-- ---- functions that take functions ------------------------------------------------------------------------

local function scenario(name, run) return { name = name, run = run } end

actions.scenarios = {
  scenario("scope", function(w) return w.cp.scope(w.hostile(), values.array(w)) end),
  scenario("assign", function(w) return values.array(w):assign(w.hostile()) end),
  scenario("update", function(w) return values.array(w):update("1:2", w.hostile()) end),
  scenario("update by a table", function(w) return values.array(w):update(w.disguise { { 1, 2 } }, w.hostile()) end),
  scenario("vectorize", function(w) return w.cp.vectorize(w.hostile())(values.array(w), values.array(w)) end),
  scenario("fuse", function(w) return w.cp.fuse(w.hostile())(values.array(w), values.array(w)) end),
  scenario("fuse source", function(w)
    local f = w.cp.fuse(function(a, b) return a * b + 1, w.hostile()(a) end)
    f(values.array(w), values.array(w))
    return f.source
  end),
  scenario("fromfunction", function(w) return w.cp.fromfunction(w.hostile(), { 2, 3 }) end),
  scenario("apply", function(w) return w.cp.apply_along_axis(w.hostile(), 1, values.array(w)) end),
  scenario("apply_over", function(w) return w.cp.apply_over_axes(w.hostile(), values.array(w), { 1 }) end),
  scenario("piecewise", function(w)
    local x = values.array(w)
    return w.cp.piecewise(x, { x:gt(1), x:lt(1) }, { w.hostile(), w.hostile(), 3 })
  end),
  scenario("with stream", function(w)
    return w.cp.cuda.Stream({ device = "cpu" }):with(w.hostile(), values.array(w))
  end),
  scenario("with device", function(w) return w.cp.device("cpu"):with(w.hostile(), values.array(w)) end),
  scenario("callback", function(w)
    local s = w.cp.cuda.Stream { device = "cpu" }
    s:callback(w.hostile(), values.array(w)):callback(w.hostile(), s)
    s:synchronize()
  end),
  scenario("hook", function(w)
    local hook = w.cp.cuda.MemoryHook { malloc = w.hostile "malloc", free = w.hostile "free",
      alloc = w.hostile "alloc" }
    return hook:with(function() return (w.cp.ones(30) + 1):eval() end)
  end),
  scenario("hook until closed", function(w)
    local guard
    local function act(...)
      if guard and w.random.chance(30) then guard.close() end
      return w.hostile "malloc"(...)
    end
    guard = w.cp.cuda.MemoryHook({ malloc = act, free = act }):use()
    local ok, problem = pcall(function() return (w.cp.ones(30) + 1):eval() end)
    guard.close()
    if not ok then error(problem, 0) end
  end),
  scenario("allocator", function(w)
    local owned = {}
    local function allocate(bytes, device)
      if w.random.chance(40) then w.hostile "allocator"(bytes, device) end
      local a = w.cp.empty(bytes + 64, "uint8")
      owned[#owned + 1] = a
      return a.data.ptr, a
    end
    local a = w.cp.cuda.FunctionAllocator(allocate, w.hostile "release")
    return w.cp.cuda.using_allocator(a, function() return w.hostile()(w.cp.ones(70) + 1) end)
  end),
  scenario("using pool", function(w)
    return w.cp.cuda.using_allocator(w.cp.cuda.MemoryPool(), w.hostile(), values.array(w))
  end),
  scenario("dlpack", function(w)
    local x = values.array(w)
    local y = w.cp.from_dlpack(x:dlpack())
    return w.hostile()(y, x)
  end),
  scenario("graph", function(w)
    local x, y = values.array(w), w.cp.zeros(3)
    local g = w.cp.cuda.graph(function() y:assign(w.cp.ones(3) * 2) return w.hostile()(x, y) end)
    g()
    g:update(w.hostile(), x)
    return g:replay()
  end),
  scenario("time_range", function(w) return w.cp.profiler.time_range("r", w.hostile(), values.array(w)) end),
  scenario("trace_sync", function(w) return w.cp.profiler.trace_sync(w.hostile()) end),
  scenario("profile memory", function(w) return w.cp.profiler.memory(w.hostile(), values.array(w)) end),
  scenario("detrend", function(w) return w.cp.scipy.signal.csd(w.cp.arange(64), w.cp.arange(64), { nperseg = 16,
    detrend = w.hostile() }) end),
  scenario("mask_indices", function(w) return w.cp.mask_indices(3, w.hostile()) end),
  scenario("struct", function(w)
    local S = w.cp.struct("Pair" .. w.random.number(3), "float a; int b[2];")
    local s = S(w.disguise { a = 1, b = w.disguise { 1, 2 } })
    s.a = w.random.number(3)
    return s.b, tostring(s), w.hostile()(s)
  end),
  scenario("print", function(w) return tostring(values.array(w)), values.array(w) .. w.disguise {} end),
  scenario("index", function(w) return values.array(w)[w.disguise { w.disguise { 1, 2 }, values.array(w) }] end),
  scenario("set", function(w) values.array(w)[w.disguise { values.array(w) }] = w.disguise { 1, values.array(w) } end),
  scenario("array", function(w) return w.cp.array(w.disguise { w.disguise { 1, 2 }, { values.array(w), 3 } }) end),
  scenario("iterate", function(w) for _, row in values.array(w):iter() do w.hostile()(row) end end),
  scenario("scalar", function(w) return tostring(w.cp.scalar(3, "float32")), w.cp.complex(1, 2) .. w.disguise {} end),
  scenario("generator", function(w)
    local rng = w.cp.random.default_rng(w.disguise { 1, 2, 3 })
    rng:shuffle(values.array(w))
    return rng:choice(values.array(w), w.disguise { 2, 2 })
  end),
  scenario("printoptions", function(w)
    return w.cp.printoptions and w.cp.printoptions(w.disguise { precision = 3 }, w.hostile(), values.array(w))
  end),
  scenario("eval", function(w) return w.cp.eval(values.array(w) + 1, values.array(w) * 2, w.disguise { 1 }) end),
  scenario("loadtxt", function(w)
    return w.cp.loadtxt({ "1 2", "3 4" }, { converters = w.disguise { w.hostile(), w.hostile() } })
  end),
}

return actions
