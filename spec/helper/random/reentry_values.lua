-- Random values for calls of public functions, by the annotations (library/cupola.lua) of each argument.

local values = {}

-- Parts of names of functions that open files, compile, connect, wait, print, take addresses or affect the
-- process.
local NOT_CALLED = {
  "save", "load", "tofile", "fromfile", "genfromtxt", "txt", "plot", "image", "nccl", "pointer", "dlpack", "runtime",
  "bundle", "clear_memo", "show", "Kernel", "Module", "get_include", "print", "exit", "benchmark", "ExternalStream",
  "alloc$", "llocator$", "set_printoptions", "MemoryAsyncPool", "struct",
  "memory$", "set_limit", "testing", "dump", "fromregex", "memmap", "disable", "robbed", "jit",
}

local FILES = { fname = true, file = true, path = true, filename = true, fid = true, name_or_file = true }

local function is_called(name)
  for _, part in ipairs(NOT_CALLED) do
    if name:find(part) then return false end
  end
  return true
end

-- The public functions: {name =, method =, parameters = {{name =, type =}, ...}}, in the order of the file.
function values.signatures()
  local list, parameters = {}, {}
  for line in io.lines "library/cupola.lua" do
    local name, kind = line:match "^%-%-%-@param ([%w_.?]+) ([^#]+)"
    if name then parameters[#parameters + 1] = { name = name:gsub("%?", ""), type = kind } end
    local owner, sep, called = line:match "^function ([%w_.]-)([.:])([%w_]+)%("
    local opens = parameters[1] and (FILES[parameters[1].name] or parameters[2] and FILES[parameters[2].name])
    if owner and not opens and is_called(owner .. "." .. called) then
      list[#list + 1] = { name = owner .. sep .. called, owner = owner, called = called, method = sep == ":",
        parameters = parameters }
    end
    if not line:find "^%-%-%-" then parameters = {} end
  end
  return list
end

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }
local WORDS = { "C", "F", "K", "full", "same", "valid", "reflect", "constant", "edge", "wrap", "nearest", "linear",
  "left", "right", "hann", "mean", "ortho", "ij", "xy", "density", "fft", "direct", "lower", "raise", "x:1", "1:2, ...",
  "ij,jk->ik", "i->", "sum", "max", "cpu", "sosfiltfilt", "band", "unsafe", "?", "" }
local SHAPES = { {}, { 0 }, { 1 }, { 3 }, { 7 }, { 2, 3 }, { 3, 3 }, { 4, 1 }, { 2, 3, 4 }, { 0, 3 }, { 40, 50 },
  { 300 } }

-- Returns an array of the world w, or a new one, which it adds to the world. A world (reentry_world.lua) has
-- a generator (random), lists of arrays and objects, and a maker of hostile functions (hostile).
function values.array(w)
  local cp, r = w.cp, w.random
  local n = r.number(12)
  if n <= 7 and #w.arrays > 0 then return r.one_of(w.arrays) end
  local dtype, shape = r.one_of(DTYPES), r.one_of(SHAPES)
  local size = 1
  for _, d in ipairs(shape) do size = size * d end
  local x = cp.arange(size, "float64"):reshape(shape):astype(dtype)
  if n == 8 then x = x + 1 end
  if n == 9 and #shape > 1 then x = x.T end
  if n == 10 and #shape > 0 and shape[1] > 1 then x = x["::2"] end
  if n == 11 then x = x:gt(1) end
  if #w.arrays >= 24 then w.arrays[r.number(24)] = x else w.arrays[#w.arrays + 1] = x end
  return x
end

local function number(w)
  local r = w.random
  local n = r.number(10)
  if n <= 6 then return r.number(6) - 2 end
  return r.pick { 0.5, -1.5, 1e300, 1 / 0, 0 / 0, 255, 65536 }
end

-- Makes data: nested tables, which may be ragged and may contain arrays or hostile tables.
local function data(w, depth)
  local r, t = w.random, {}
  local n = r.number(4) - 1
  for k = 1, n do
    local kind = r.number(12)
    if kind <= 2 and depth < 3 then t[k] = data(w, depth + 1)
    elseif kind == 3 then t[k] = values.array(w)
    elseif kind == 4 then t[k] = r.chance(50)
    elseif kind == 5 then t[k] = w.cp.scalar(number(w), r.one_of(DTYPES))
    else t[k] = number(w) end
  end
  return w.disguise(t)
end

local function list(w)
  local r, t = w.random, {}
  for k = 1, r.number(4) do t[k] = r.chance(70) and r.number(4) - 1 or values.array(w) end
  return w.disguise(t)
end

local makers = {
  ["cupola.Operand"] = function(w)
    local n = w.random.number(10)
    if n <= 6 then return values.array(w) end
    if n == 7 then return number(w) end
    if n == 8 then return w.cp.scalar(w.random.number(3), w.random.one_of(DTYPES)) end
    return data(w, 1)
  end,
  ["cupola.Array"] = values.array,
  ["cupola.Array[]"] = function(w)
    local t = {}
    for k = 1, w.random.number(3) do t[k] = values.array(w) end
    return w.disguise(t)
  end,
  ["cupola.dtype"] = function(w) return w.random.one_of(DTYPES) end,
  integer = function(w) return w.random.number(5) - 2 end,
  number = number,
  boolean = function(w) return w.random.chance(50) end,
  string = function(w) return w.random.one_of(WORDS) end,
  table = list,
  ["integer[]"] = list,
  ["function"] = function(w) return w.hostile() end,
  any = function(w) return values.any(w) end,
  ["cupola.Stream"] = function(w) return w.object() end,
  userdata = function(w) return w.object() end,
}

function values.any(w)
  local n = w.random.number(9)
  if n <= 3 then return values.array(w) end
  if n == 4 then return data(w, 1) end
  if n == 5 then return w.hostile() end
  if n == 6 then return w.object() end
  if n == 7 then return w.random.one_of(WORDS) end
  if n == 8 then return w.disguise {} end
  return number(w)
end

local function of_type(w, text)
  local kinds = {}
  for kind in text:gmatch "[^|%s]+" do
    if makers[kind] then kinds[#kinds + 1] = kind end
    local word = kind:match '^"(.*)"$'
    if word and w.random.chance(50) then return word end
  end
  if #kinds == 0 or w.random.chance(4) then return values.any(w) end
  return makers[w.random.one_of(kinds)](w)
end

-- Makes arguments for a signature: some by position, then perhaps a table of named ones. Returns them and
-- their number.
function values.arguments(w, signature)
  local r, args, p = w.random, {}, signature.parameters
  local n = #p
  while n > 1 and r.chance(25) do n = n - 1 end
  local named = n + 1
  if n > 1 and r.chance(30) then named = r.number(n - 1) + 1 end
  for k = 1, math.min(n, named - 1) do args[k] = of_type(w, p[k].type) end
  if named <= n then
    local options = {}
    for k = named, n do options[p[k].name] = of_type(w, p[k].type) end
    if r.chance(20) then options.out = values.array(w) end
    args[named] = w.disguise(options)
  end
  return args, math.min(n, named)
end

return values
