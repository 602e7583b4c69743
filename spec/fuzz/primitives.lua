-- Calls every primitive of the internal table, and every method of every object, with arguments of all kinds,
-- in a state without any capability: each may raise or work, but must not crash, hang, or touch memory
-- outside of the state.
--   lua spec/fuzz/primitives.lua [SECONDS [SEED]]   (seconds: 60 by default)
-- spec/embed/closed.c is the host of such states, of 20000 calls each; each state increments the seed. A
-- crash reports its seed and last call: run that seed for a second.
--
-- A short tour records what the library itself passes to its primitives, which is then passed again with some
-- values exchanged, so that calls get beyond the first check.

if not open then -- luacheck: ignore
  local host = require "spec.helper.host"
  local seconds, seed = tonumber(arg[1]) or 60, tonumber(arg[2]) or os.time()
  local program = assert(host.compile "spec/embed/closed.c")
  local text, status = host.run(program, ("spec/fuzz/primitives.lua %d"):format(seed),
    ("CLOSED_GIVES_CORE=1 CLOSED_SECONDS=%d"):format(seconds))
  os.remove(program)
  print((text:gsub("status=%d+%s*$", "")))
  os.exit(status == 0 and 0 or 1)
end

local seed = tonumber((select(select("#", ...), ...))) or 1
local CALLS = 20000 -- of a state

local print = print
_G.print = function() end -- scripts' output is no finding

local cp = open() -- luacheck: ignore
local core, note, is_primitive = core, note, is_primitive -- luacheck: ignore
local random, unpack = math.random, table.unpack or unpack -- luacheck: ignore
math.randomseed(seed)

local function pick(list) return list[random(#list)] end

-- ---- the tour

local corpus = {} -- {name, function, arguments, n}
local targets, names = {}, {} -- functions

local function add_target(name, f)
  if type(f) ~= "function" or not is_primitive(f) or names[f] then return end
  names[f] = name
  targets[#targets + 1] = f
end

local recording = true
local function recorder(name, f)
  local count = 0
  return function(...)
    if recording and count < 20 then
      count = count + 1
      corpus[#corpus + 1] = { name = name, f = f, n = select("#", ...), ... }
    end
    return f(...)
  end
end

local originals = {}
for name, f in next, core do
  if type(f) == "function" and is_primitive(f) then originals[name] = f end
end
for name, f in next, originals do core[name] = recorder(name, f) end
if core.load_all then pcall(core.load_all) end

local function matrix(n, dtype) return (cp.arange(n * n, dtype or "float64"):reshape(n, n) + cp.eye(n) * 7):eval() end
local TOUR = {
  function()
    local x = cp.array { 3, 1, 2, 5 } cp.sort(x) cp.argsort(x) cp.unique(x) cp.median(x) cp.quantile(x, 0.3)
  end,
  function()
    cp.searchsorted(cp.arange(5), cp.array { 1, 3 }) cp.histogram(cp.arange(9), 3)
    cp.bincount(cp.array({ 1, 2 }, "int64"))
  end,
  function() cp.cumsum(cp.arange(6):reshape(2, 3), 1) cp.cumprod(cp.arange(5)) cp.diff(cp.arange(5)) end,
  function() cp.interp(cp.array { 1.5 }, cp.arange(4), cp.arange(4)) cp.convolve(cp.arange(5), cp.arange(3)) end,
  function() local a = matrix(3) cp.linalg.solve(a, cp.ones(3)) cp.linalg.inv(a) cp.linalg.det(a) cp.linalg.qr(a) end,
  function() local a = matrix(3) cp.linalg.svd(a) cp.linalg.eigh(a + a.T) cp.linalg.eig(a) end,
  function() cp.linalg.cholesky(cp.eye(3) * 2) cp.linalg.solve(matrix(40), cp.ones({ 40, 2 })) end,
  function() cp.scipy.linalg.solve_triangular(matrix(3), cp.ones(3)) cp.scipy.linalg.lu_factor(matrix(3)) end,
  function()
    cp.matmul(matrix(4), matrix(4)) cp.dot(cp.ones(3), cp.ones(3)) cp.einsum("ij,jk->ik", matrix(3), matrix(3))
  end,
  function()
    cp.fft.fft(cp.arange(8)) cp.fft.rfft2(matrix(4)) cp.fft.irfft(cp.arange(5))
    cp.fft.fftn(cp.ones({ 2, 3, 4 }))
  end,
  function()
    cp.random.rand(3) cp.random.randint(1, 9, { 4 }) cp.random.shuffle(cp.arange(4))
    cp.random.normal(0, 1, { 3 })
  end,
  function() cp.vectorize(function(x) return x * 2 + 1 end)(cp.arange(4)) end,
  function() cp.fuse(function(x) return cp.exp(x) + 1 end)(cp.arange(4)) end,
  function()
    cp.scipy.signal.lfilter({ 1, 2 }, { 1, 0.5 }, cp.arange(9)) cp.scipy.signal.convolve2d(matrix(5), matrix(3))
  end,
  function() cp.scipy.ndimage.gaussian_filter(matrix(6), 1) cp.scipy.ndimage.sobel(matrix(5)) end,
  function()
    local x = cp.arange(6) cp.take_along_axis(x, cp.array({ 1, 2 }, "int64"), 1) cp.put(x, cp.index { 1 }, 3)
  end,
  function() local x = cp.arange(6) x[x:gt(2)] = 0 cp.nonzero(x) cp.where(x:gt(1), x, 0) cp.count_nonzero(x) end,
  function()
    cp.scope(function() return cp.ones(3) + 1 end) cp.cuda.Stream():with(function() return cp.ones(3) + 1 end)
  end,
  function() cp.fromstring("1 2 3", { sep = " " }) cp.frombuffer("\1\2\3\4", "uint8") end,
  function() cp.image.colormap(cp.arange(4):reshape(2, 2)) cp.packbits(cp.array({ 1, 0, 1 }, "uint8")) end,
  function()
    local S =
    cp.struct("S", "float a; int b[3]; float4 c;") S { a = 1, b = { 1, 2, 3 }, c = { 1, 2, 3, 4 } }.a = 2
  end,
  function() local g = cp.cuda.graph(function() return cp.ones(3) * 2 end) g() end,
  function()
    local g = cp.cuda.graph(function() return cp.random.rand(3) end)
    g() g() cp.matmul(matrix(3), matrix(3), { out = matrix(3) })
    cp.unique(cp.array { 2, 1, 2 }, { return_inverse = true, return_index = true, return_counts = true })
    cp.isin(cp.arange(4), cp.arange(2)) cp.scatter_add(cp.arange(4), cp.index { 1, 1 }, 2) cp.sort_complex(cp.arange(3))
  end,
  function() cp.memory() cp.profiler.counters() cp.show_config() end,
  function() cp.cuda.MemoryHook({}):with(function() return cp.ones(3) * 2 end) end,
  function() cp.cuda.using_allocator(cp.cuda.MemoryPool(), function() return cp.ones(3) * 2 end) end,
  function() cp.empty_pinned(3) cp.cuda.zero_copy(cp.zeros_pinned { 2, 3 }) end,
  function() cp.gradient(cp.arange(5)) cp.tri(3) cp.pad(cp.arange(3), 1) cp.block { { cp.ones(2), cp.ones(2) } } end,
  function()
    cp.insert(cp.arange(4), 1, 2) cp.kron(cp.ones(2), cp.ones(2)) cp.cov(matrix(3)) cp.polyfit(cp.arange(4),
    cp.arange(4), 1)
  end,
}
for _, part in ipairs(TOUR) do pcall(part) end
recording = false
for name, f in next, originals do core[name] = f end

-- ---- what is called

local cp_tables = { cp = cp, ["cp.cuda"] = cp.cuda }
for name, f in next, originals do add_target("core." .. name, f) end
for place, t in next, cp_tables do
  for name, f in next, t do
    if name ~= "show_config" then add_target(place .. "." .. tostring(name), f) end
  end
end
for _, holder in ipairs { "stream_methods", "pool_methods", "comm_methods" } do
  for name, f in next, rawget(core, holder) or {} do
    if type(f) == "function" then
      names[f] = holder .. "." .. tostring(name)
      targets[#targets + 1] = f
    end
  end
end
local METHODS = {
  "sum", "reshape", "to", "copy", "fill", "item", "totable", "tobytes", "view", "at", "set", "update", "values",
  "rows", "astype", "add_", "assign", "eval", "free", "flatten", "max", "argmin", "transpose", "has_shape",
  "get", "cpu",
}
for _, name in ipairs(METHODS) do
  local ok, f = pcall(function() return cp.ones(1)[name] end)
  if ok then add_target("x:" .. name, f) end
end

-- ---- arguments

local DTYPES = core.dtypes()
local STRINGS = {
  "", "x", "cpu", "cuda", "cuda:0", "C", "F", "K", "sum", "prod", "min", "max", "read", "write", "add", "full",
  "same", "valid", "fill", "wrap", "symm", "edge", "mirror", "c2c", "r2c", "c2r", "lu", "lu_solve",
  "triangular", "cholesky", "qr", "form_q", "svd", "svd_polar", "eigh", "eig", "U", "L", "T", "device",
  "managed", "async", "pinned", "uniform", "normal", "integers", "usage", "1:3", "::-1", ", ...", "new", "init",
  "a, b, c", "...", "kernels/ops.def", "\0\1\2\99\255", "1 2\n3 4", ("a"):rep(3000),
}
local NUMBERS = {
  0, 1, 2, 3, 4, 5, 7, -1, -2, 0.5, 31, 32, 33, 64, 100, 255, 256, 1000, 65536, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32,
  2 ^ 40, 2 ^ 53, -2 ^ 31, -2 ^ 53, 2 ^ 63, -2 ^ 63, 1e308, -1e308, 1 / 0, -1 / 0, 0 / 0, -2 ^ 62, 2 ^ 62,
}
local FIELDS = {
  "a", "b", "u", "v", "w", "pivots", "count", "rows", "columns", "right", "uplo", "trans", "unit", "vectors",
  "full", "name", "dtype", "dims", "nested", "pointer", "shape", "axis", "out", "device", "stream", "target",
  "leaves", "outputs", "instrs", "op", "ndim", "ptr", "n", "cooperative", "params", "kind",
}

local value, blind -- a random value of any kind, a random call
local harvest = {} -- objects that calls gave

local function lengths()
  local shape = {}
  for k = 1, random(0, 4) do shape[k] = pick { 0, 1, 1, 2, 3, 4, 5, 17 } end
  return shape
end

local function new_array()
  local dtype = pick(DTYPES)
  local ok, x = pcall(function()
    local x = cp.ones(lengths(), dtype)
    local how = random(12)
    if how == 1 then x = x.T -- luacheck: ignore
    elseif how == 2 then x = x + x
    elseif how == 3 then x = x["::2"]
    elseif how == 4 then x = x["::-1"]
    elseif how == 5 then x = cp.broadcast_to(cp.ones(1, dtype), lengths())
    elseif how == 6 then x:free()
    elseif how == 7 then x = cp.zeros({ 4, 4 }, dtype)[":, 2:3"]
    elseif how == 8 then x = cp.arange(random(0, 40)):astype(dtype)
    elseif how == 9 then x = cp.zeros(x.shape, dtype)
    elseif how == 10 then x = cp.eye(random(0, 6), nil, dtype)
    end
    return x
  end)
  return ok and x or nil
end

local arrays = { cp.ones(3), cp.arange(4) }
local function array()
  if #arrays < 60 or random(20) == 1 then
    local x = new_array()
    if x then arrays[#arrays < 60 and #arrays + 1 or random(60)] = x end
  end
  return pick(arrays)
end

local MAKERS = {
  function()
    return cp.cuda.Stream() end, function() return cp.cuda.Event() end, function() return cp.cuda.MemoryPool()
  end,
  function()
    return cp.complex(1, 2) end, function() return cp.scalar(3, pick(DTYPES)) end, function() return cp.newaxis
  end,
  function() return cp.ellipsis end, function() return core.fuse_notes() end,
  function() return (core.struct_type("S", { { name = "x", dtype = "float32" } })) end,
  function()
    return core.choice("x", "cpu") end, function() return cp.struct("P", "float x; int n;") { x = 1 }
  end,
  function() return cp.get_default_memory_pool() end, function() return coroutine.create(function() end) end,
  function()
    return cp.linspace end, function() return cp end, function() return core end, function() return
    cp.ones(2).shape
  end,
}
for _, name in ipairs { "scope_guard", "guard", "trace_guard", "hook_guard", "range_guard" } do
  MAKERS[#MAKERS + 1] = function() return core[name] "x" end
end
local FUNCTIONS = {
  function() return blind() end,
  function(...) return ... end, function() error "no" end, function() return 1 end, function() return array() end,
  function() error(setmetatable({}, { __tostring = function() error "worse" end })) end,
}

local function list(f)
  local t = {}
  for k = 1, pick { 0, 1, 1, 2, 2, 3, 4, 5, 9, 40, 200 } do t[k] = f() end
  return t
end

-- A value whose finalizer makes a call. LuaJIT runs no finalizers of tables, and its compiler does not
-- survive such finalizers of other values, which spec/fuzz/reentry.lua tests.
local function mine() return setmetatable({}, { __gc = function() pcall(blind) end }) end

local function table_value()
  local how = random(9)
  if how == 9 then return mine() end
  if how == 1 then return {} end
  if how <= 3 then return list(function() return pick(NUMBERS) end) end
  if how == 4 then return list(array) end
  if how == 5 then return list(function() return pick(DTYPES) end) end
  if how == 6 then return list(value) end
  if how == 7 then
    return setmetatable({}, { __index = function() return value() end, __len = function() return 3 end })
  end
  local t = {}
  for _ = 1, random(8) do t[pick(FIELDS)] = value() end
  return t
end

function value()
  local how = random(100)
  if how <= 30 then return array() end
  if how <= 50 then return pick(NUMBERS) end
  if how <= 60 then return pick(STRINGS) end
  if how <= 68 then return pick(DTYPES) end
  if how <= 80 then return table_value() end
  if how <= 84 then return how % 2 == 0 end
  if how <= 87 then return pick(FUNCTIONS) end
  if how <= 92 then
    local ok, v = pcall(pick(MAKERS))
    return ok and v or nil
  end
  if how <= 97 and #harvest > 0 then return pick(harvest) end
  return nil
end

-- ---- calling

local function shown(v)
  if cp.is_array(v) then
    local ok, text = pcall(function() return ("array %s %s"):format(v.dtype, tostring(v.shape)) end)
    return ok and text or "array"
  end
  if type(v) == "string" then return ("%q"):format(v:sub(1, 40)) end
  if type(v) == "number" then return tostring(v) end
  if type(v) ~= "table" or getmetatable(v) ~= nil then return type(v) end
  local parts = {}
  for key, item in next, v do
    if #parts > 12 then break end
    local name = type(key) == "string" and key or type(key)
    parts[#parts + 1] = name .. "=" .. (type(item) == "table" and "{...}" or shown(item))
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function keep(...)
  for k = 1, math.min(select("#", ...), 3) do
    local v = (select(k, ...))
    local t = type(v)
    local small = t == "userdata" or t == "table" or t == "function"
    if cp.is_array(v) then
      local ok, size = pcall(function() return v.size end)
      small = ok and size <= 2000
    end
    if small then harvest[#harvest < 100 and #harvest + 1 or random(100)] = v end
  end
end

local done = 0
local within = "" -- the names of the running calls, when functions passed to them make calls
local function call(name, f, arguments, n)
  local texts, outer = {}, within
  if #outer > 1000 then return false end
  for k = 1, n do texts[k] = shown(arguments[k]) end
  done = done + 1
  within = ("%s%s(%s)"):format(outer, name, table.concat(texts, ", "))
  note(("seed %d, call %d: %s"):format(seed, done, within))
  within = within .. " > "
  local function results(ok, ...)
    within = outer
    if ok then keep(...) end
    return ok
  end
  return results(pcall(f, unpack(arguments, 1, n)))
end

local noted, by_name = {}, {}
for _, entry in ipairs(corpus) do
  if not by_name[entry.name] then
    by_name[entry.name] = {}
    noted[#noted + 1] = entry.name
  end
  table.insert(by_name[entry.name], entry)
end
table.sort(noted)

-- Repeats a recorded call with some arguments exchanged. A call that works is added to the corpus.
local function mutated()
  local of_name = by_name[pick(noted)]
  local entry = pick(of_name)
  local arguments = { n = entry.n }
  for k = 1, entry.n do arguments[k] = entry[k] end
  for _ = 1, pick { 0, 1, 1, 1, 2, 3 } do
    local at = random(math.max(entry.n, 1))
    if type(arguments[at]) == "table" and getmetatable(arguments[at]) == nil and random(2) == 1 then
      local copy, keys = {}, {}
      for key, v in next, arguments[at] do copy[key], keys[#keys + 1] = v, key end
      if #keys > 0 then copy[pick(keys)] = value() end
      arguments[at] = copy
    elseif random(10) == 1 then
      arguments.n = random(0, entry.n + 1)
    else
      arguments[at] = value()
    end
  end
  if call(entry.name, entry.f, arguments, arguments.n) and random(4) == 1 then
    arguments.name, arguments.f = entry.name, entry.f
    of_name[#of_name < 40 and #of_name + 1 or random(21, 40)] = arguments
  end
end

function blind()
  local f = pick(targets)
  local arguments, n = {}, random(0, 9)
  for k = 1, n do arguments[k] = value() end
  if n > 0 and names[f]:find("^core%.") and random(2) == 1 then arguments[1] = "x" end
  if n > 0 and names[f]:find("^x:") and random(4) > 1 then arguments[1] = array() end
  if n > 1 and random(4) == 1 and #harvest > 0 then
    arguments[1] = pick { arguments[1], pick(harvest) }
    arguments[2] = pick(harvest)
  end
  call(names[f], f, arguments, n)
end

note(("seed %d: before the first call"):format(seed))
print(("seed %d: %d primitives, %d calls noted"):format(seed, #targets, #corpus))
-- Resets settings with which later calls would test little.
local function switch_off()
  pcall(originals.memory_hook)
  pcall(cp.fusion, true)
end

for k = 1, CALLS do
  within = "" -- an error in a finalizer may have skipped the reset
  if k % 20 == 0 then switch_off() end
  if random(3) == 1 then blind() else mutated() end
  if k % 50 == 0 then pcall(collectgarbage, "step", 200) end
  if k % 1000 == 0 then collectgarbage() end
end
