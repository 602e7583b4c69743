-- The functions of cp.jit in kernels, as nodes (expressions.lua): threads and blocks, shared memory, atomics,
-- shuffles, votes. Each takes the walk, the node of the call and the trees of its arguments.

local types = require "cupola.jit.types"

local builtins = {}

-- The value of a node of C text.
local function c(e, name, text, t, args, bits)
  return { op = "c", name = name, c = text, t = t, args = args or {}, bits = t == "int" and (bits or 64) or nil,
    natural = t == "int" and bits and 0 or nil, -- counts, places and masks
    line = e.line, column = e.column, effect = true }
end

local function count(self, e, args, name, least, most)
  if #args < least or #args > most then
    self:fail(e, "cp.jit.%s takes %s argument%s, %d %s given", name,
      least == most and least or least .. " to " .. most, most == 1 and "" or "s", #args, #args == 1 and "is"
        or "are")
  end
end

-- The node of an argument that must be an integer.
local function integer(self, tree, what)
  local value = self:expression(tree)
  if value.static or not value.t or not types.is_integer(value.t) then
    self:fail(tree, "%s must be an integer, not %s", what, self:describe(value))
  end
  return self:cast(value, "int")
end

local function scalar(self, tree, what)
  local value = self:expression(tree)
  if value.static or not value.t then self:fail(tree, "%s must be a number, not %s", what, self:describe(value)) end
  return value
end

-- ---- threads and blocks ----

local AXES = { "x", "y", "z" }

-- cp.jit.grid(n): the thread's position in the grid, from 1, along each of n axes; gridsize(n): the number of
-- threads.
local function places(name, few, many)
  builtins[name] = function(self, e, args)
    count(self, e, args, name, 0, 1)
    local text, bits = many, 42
    if self.few then text, bits = few, types.THREADS end
    local n = args[1] and self:constant_integer(args[1], "the number of axes", 1, 3) or 1
    local values = {}
    for k = 1, n do
      values[k] = c(e, name .. "." .. AXES[k], string.gsub(text, "@", AXES[k]), "int", nil, bits)
      values[k].effect = nil
    end
    if n == 1 then return values[1] end
    values[1].values = values
    return values[1]
  end
end
places("grid", "(int)(blockIdx.@ * blockDim.@ + threadIdx.@ + 1)",
  "((long long)blockIdx.@ * blockDim.@ + threadIdx.@ + 1)")
places("gridsize", "(int)(gridDim.@ * blockDim.@)", "((long long)gridDim.@ * blockDim.@)")

builtins.laneid = function(self, e, args)
  count(self, e, args, "laneid", 0, 0)
  return c(e, "laneid", "cp_jit::lane()", "int", nil, 5)
end

local function barrier(name, text, waits)
  builtins[name] = function(self, e, args)
    count(self, e, args, name, 0, 0)
    self.waits = true
    return c(e, name, text, nil, nil, nil, waits)
  end
end
barrier("syncthreads", "__syncthreads()")
barrier("threadfence", "__threadfence()")
barrier("threadfence_block", "__threadfence_block()")

builtins.syncwarp = function(self, e, args)
  count(self, e, args, "syncwarp", 0, 1)
  local mask = args[1] and integer(self, args[1], "mask") or { op = "num", text = "0xffffffff", t = "int", bits = 32 }
  return c(e, "syncwarp", "__syncwarp((unsigned)%1)", nil, { mask })
end

local function condition_vote(name, text, t, bits, masked)
  builtins[name] = function(self, e, args)
    count(self, e, args, name, masked and 2 or 1, masked and 2 or 1)
    local list = masked and { integer(self, args[1], "mask") } or {}
    list[#list + 1] = self:condition(args[#args])
    return c(e, name, text, t, list, bits)
  end
end
condition_vote("syncthreads_count", "(long long)__syncthreads_count(%1)", "int", 11)
condition_vote("syncthreads_and", "(__syncthreads_and(%1) != 0)", "bool")
condition_vote("syncthreads_or", "(__syncthreads_or(%1) != 0)", "bool")
condition_vote("all_sync", "(__all_sync((unsigned)%1, %2) != 0)", "bool", nil, true)
condition_vote("any_sync", "(__any_sync((unsigned)%1, %2) != 0)", "bool", nil, true)
condition_vote("ballot_sync", "(long long)__ballot_sync((unsigned)%1, %2)", "int", 32, true)

builtins.activemask = function(self, e, args)
  count(self, e, args, "activemask", 0, 0)
  return c(e, "activemask", "(long long)__activemask()", "int", nil, 32)
end

builtins.match_any_sync = function(self, e, args)
  count(self, e, args, "match_any_sync", 2, 2)
  local value = scalar(self, args[2], "value")
  return c(e, "match_any_sync", "(long long)__match_any_sync((unsigned)%1, %2)", "int",
    { integer(self, args[1], "mask"), value }, 32)
end

-- ---- shuffles ----

local SHUFFLED = { int32 = true, uint32 = true, int64 = true, uint64 = true, float32 = true, float64 = true }

local function shuffle(name, cname)
  builtins[name] = function(self, e, args)
    count(self, e, args, name, 3, 4)
    local mask, value = integer(self, args[1], "mask"), scalar(self, args[2], "value")
    local lane = integer(self, args[3], "the lane")
    local width = args[4] and integer(self, args[4], "width") or { op = "num", text = "32", t = "int", bits = 6 }
    local t = types.alone(value.t)
    if not SHUFFLED[t] and not types.is_half(t) then
      self:fail(args[2], "a shuffle moves numbers of 4 or 8 bytes, not %s; convert it with cp.jit.int32(...)",
        types.name(value.t))
    end
    local node = c(e, name, cname .. "((unsigned)%1, " .. (value.t == "int" and "(long long)" or "")
      .. "%2, (int)%3, (int)%4)", value.t, { mask, value, lane, width }, value.bits)
    node.natural = value.natural
    return node
  end
end
shuffle("shfl_sync", "__shfl_sync")
shuffle("shfl_up_sync", "__shfl_up_sync")
shuffle("shfl_down_sync", "__shfl_down_sync")
shuffle("shfl_xor_sync", "__shfl_xor_sync")

-- ---- memory ----

local function dtype_argument(self, tree)
  local value = self:expression(tree)
  local dtype = value.static == "string" and self.env.find_dtype(value.value)
    or value.static == "cast" and value.value
  if not dtype then self:fail(tree, "a dtype such as cp.float32 is needed, not %s", value.static == "string"
    and "'" .. value.value .. "'" or self:describe(value)) end
  return dtype
end

local function lengths_argument(self, tree)
  local trees, lengths, total = { tree }, {}, 1
  if tree.kind == "table" then
    trees = {}
    for k, item in ipairs(tree.items) do trees[k] = item.value end
  end
  if #trees < 1 or #trees > 8 then self:fail(tree, "a shape has 1 to 8 lengths") end
  for k, length in ipairs(trees) do
    lengths[k] = self:constant_integer(length, "a length", 1, 2 ^ 24)
    total = total * lengths[k]
  end
  return lengths, total
end

local function memory(self, e, space, dtype, lengths, total)
  self.instance.memory = (self.instance.memory or 0) + 1
  local array = { space = space, dtype = dtype, ndim = lengths and #lengths or 1, lengths = lengths, total = total,
    name = space .. " memory", cname = self:unique(space == "local" and "own" or "shared"), contiguous = true,
    id = string.format("%s %d:%d %s", space, e.line, e.column, self.instance.key) }
  self.memory[#self.memory + 1] = array
  if self.checked and not lengths then array.extent = self:extent(array, "shape", 1, e).extent end
  return { static = "array", array = array, line = e.line, column = e.column }
end

-- cp.jit.shared_memory(dtype, shape); without a shape the length is that of the launch's shared_mem.
builtins.shared_memory = function(self, e, args)
  count(self, e, args, "shared_memory", 1, 2)
  local dtype = dtype_argument(self, args[1])
  if not args[2] or args[2].kind == "nil" then return memory(self, e, "dynamic", dtype) end
  local lengths, total = lengths_argument(self, args[2])
  local bytes = total * types.width(dtype) / 8
  if bytes > 227 * 1024 then
    self:fail(e, "%d bytes of shared memory; a block has 227 KB at most", bytes)
  end
  if bytes > 48 * 1024 then
    self:fail(e, "%d bytes of shared memory are more than 48 KB: call cp.jit.shared_memory(dtype) without a shape, "
      .. "and launch with shared_mem = %d", bytes, bytes)
  end
  return memory(self, e, "shared", dtype, lengths, total)
end

builtins.local_array = function(self, e, args)
  count(self, e, args, "local_array", 2, 2)
  local dtype = dtype_argument(self, args[1])
  local lengths, total = lengths_argument(self, args[2])
  if total * types.width(dtype) / 8 > 65536 then self:fail(e, "a local array has 64 KB at most") end
  return memory(self, e, "local", dtype, lengths, total)
end

-- ---- atomics ----

local W = "unsigned long long"
-- By dtype: the type that the hardware knows, if it is another.
local ADD = { int32 = "", uint32 = "", uint64 = "", int64 = W, float32 = "", float64 = "" }
local INTEGERS = { int32 = "", uint32 = "", uint64 = "", int64 = "" }
local EXCHANGE = { int32 = "", uint32 = "", uint64 = "", int64 = W, float32 = "", float64 = "" }
local ATOMICS = {
  atomic_add = { "add", ADD }, atomic_sub = { "sub", ADD }, atomic_exch = { "exch", EXCHANGE },
  atomic_min = { "min", EXCHANGE }, atomic_max = { "max", EXCHANGE },
  atomic_and = { "and", INTEGERS }, atomic_or = { "or", INTEGERS }, atomic_xor = { "xor", INTEGERS },
  atomic_inc = { "inc", { uint32 = "" } }, atomic_dec = { "dec", { uint32 = "" } },
  atomic_cas = { "cas", { int32 = "", uint32 = "", uint64 = "", int64 = W } },
}

local function listed(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, ", ")
end

for name, atomic in pairs(ATOMICS) do
  builtins[name] = function(self, e, args)
    local wanted = name == "atomic_cas" and 4 or 3
    count(self, e, args, name, wanted, wanted)
    local object = self:expression(args[1])
    if object.static ~= "array" then self:fail(args[1], "%s needs an array, not %s", name, self:describe(object)) end
    local array = object.array
    if array.space == "local" then self:fail(args[1], "atomics need an array or shared memory, not a local array") end
    if not atomic[2][array.dtype] then
      self:fail(args[1], "%s is for %s; '%s' is %s", name, listed(atomic[2]), array.name, array.dtype)
    end
    local index = self:index(args[2], array, { args[2] })
    local list = {}
    for k = 3, wanted do list[k - 2] = self:store({ array = array, at = args[k] }, self:expression(args[k])) end
    self:note_write(array)
    return { op = "atomic", name = atomic[1], array = array, index = index, args = list, t = array.dtype,
      line = e.line,
      column = e.column, effect = true }
  end
end

-- ---- operators that LuaJIT has no signs for ----

for name, sym in pairs { band = "&", bor = "|", bxor = "~", shl = "<<", shr = ">>", sar = "sar" } do
  builtins[name] = function(self, e, args)
    count(self, e, args, name, 2, 2)
    return self:bitwise(e, sym, self:expression(args[1]), self:expression(args[2]))
  end
end

builtins.idiv = function(self, e, args)
  count(self, e, args, "idiv", 2, 2)
  local a, b = scalar(self, args[1], "the dividend"), scalar(self, args[2], "the divisor")
  if a.t == "bool" or b.t == "bool" then self:fail(e, "cp.jit.idiv needs numbers, not a boolean") end
  return self:arithmetic(e, "//", a, b)
end

builtins.bnot = function(self, e, args)
  count(self, e, args, "bnot", 1, 1)
  local a = self:expression(args[1])
  if a.static or not a.t or not types.is_integer(a.t) then
    self:fail(args[1], "cp.jit.bnot needs an integer, not %s", self:describe(a))
  end
  return { op = "bits", sym = "^", a = a, b = { op = "ones", t = a.t }, t = a.t, bits = a.t == "int" and 64 or nil,
    line = e.line, column = e.column }
end

-- Bits of an integer: how many are set, and how many zeros lead.
for name, text in pairs { popc = "__popcll((unsigned long long)%1)", clz = "__clzll(%1)" } do
  builtins[name] = function(self, e, args)
    count(self, e, args, name, 1, 1)
    local a = self:expression(args[1])
    if a.static or not a.t or not types.is_integer(a.t) then
      self:fail(args[1], "cp.jit.%s needs an integer, not %s", name, self:describe(a))
    end
    local narrow = types.width(a.t) <= 32 and not types.is_weak(a.t)
    local unsigned = narrow and "uint32" or "uint64"
    local wide = { op = "cast", a = { op = "cast", a = a, t = unsigned }, t = "uint64" }
    local node = c(e, name, name == "clz" and narrow and "(__clzll(%1) - 32)" or text, "int", { wide }, 7)
    node.narrow = narrow
    return node
  end
end

-- ---- random numbers ----

-- cp.jit.random([dtype,] position, seed[, call]): uniform in [0, 1); random_normal alike. The same arguments
-- give the same number on every device.
local function draw(name, operation, scale)
  builtins[name] = function(self, e, args)
    local list, dtype = {}, "float64"
    for k, tree in ipairs(args) do list[k] = tree end
    if list[1] and (list[1].kind == "string" or #list == 4 or list[1].kind == "index") then
      local first = self:expression(list[1])
      if first.static == "string" or first.static == "cast" then dtype = dtype_argument(self, table.remove(list,
        1)) end
    end
    if dtype ~= "float32" and dtype ~= "float64" then self:fail(e, "cp.jit.%s gives float32 or float64", name) end
    count(self, e, list, name, 2, 3)
    local numbers = { { op = "num", text = scale[dtype], float = true, t = dtype } }
    for k = 1, 3 do
      numbers[k + 1] = list[k] and integer(self, list[k], "an argument") or { op = "num", text = "0", t = "int",
        bits = 0 }
    end
    return { op = "op", name = operation, loop = dtype, args = numbers, t = dtype, line = e.line, column = e.column }
  end
end
draw("random", "random_uniform", { float32 = "5.9604644775390625e-08", float64 = "1.1102230246251565e-16" })
draw("random_normal", "random_normal", { float32 = "1.0", float64 = "1.0" })

-- ---- others ----

for name, t in pairs { complex64 = "float32", complex128 = "float64" } do
  -- cp.jit.complex64(re, im)
  builtins[name .. "_of"] = function(self, e, args)
    count(self, e, args, name, 1, 2)
    local re = scalar(self, args[1], "the real part")
    if types.kind(re.t) == "complex" then
      if args[2] then self:fail(args[1], "the real part is complex") end
      return self:cast(re, name)
    end
    local im = args[2] and scalar(self, args[2], "the imaginary part") or { op = "num", text = "0", t = "int",
      bits = 0 }
    if types.kind(im.t) == "complex" then self:fail(args[2], "the imaginary part is complex") end
    local node = c(e, "complex", name .. "{%1, %2}", name, { self:cast(re, t), self:cast(im, t) })
    node.space = name
    return node
  end
end

builtins.clock = function(self, e, args)
  count(self, e, args, "clock", 0, 0)
  return c(e, "clock", "(long long)clock64()", "int")
end
builtins.clock64 = builtins.clock

builtins.nanosleep = function(self, e, args)
  count(self, e, args, "nanosleep", 1, 1)
  return c(e, "nanosleep", "__nanosleep((unsigned)%1)", nil, { integer(self, args[1], "the time") })
end

builtins.range = function(self, e) self:fail(e, "cp.jit.range is for loops: for i in cp.jit.range(a, b) do") end

local FORMATS = { d = "int", i = "int", u = "uint64", x = "int", X = "int", f = "float64", e = "float64",
  g = "float64" }

-- cp.jit.printf(format, ...): Lua's formats for numbers.
builtins.printf = function(self, e, args)
  if not args[1] or args[1].kind ~= "string" then self:fail(e, "cp.jit.printf needs a literal format") end
  local list, out, at, k = {}, {}, 1, 1
  local format = args[1].value
  while true do
    local from = string.find(format, "%%", at)
    out[#out + 1] = string.sub(format, at, (from or 0) - 1)
    if not from then break end
    local flags, letter = string.match(format, "^%%([-+ #0-9.]*)(.)", from)
    if not letter then self:fail(args[1], "the format ends within a %%") end
    at = from + 2 + #flags
    if letter == "%" then
      out[#out + 1] = "%%"
    else
      local t = FORMATS[letter]
      k = k + 1
      if not t then self:fail(args[1], "formats are %%d, %%u, %%x, %%f, %%e, %%g and %%%%, not %%%s", letter) end
      if not args[k] then self:fail(args[1], "no value for %%%s%s", flags, letter) end
      local value = scalar(self, args[k], "a printed value")
      if value.t == "bool" or types.kind(value.t) == "complex" or t ~= "float64"
        and not types.is_integer(value.t) then
        self:fail(args[k], "%%%s cannot print %s", letter, types.name(value.t))
      end
      list[#list + 1] = { op = "cast", a = value, t = t == "int" and "int64" or t }
      out[#out + 1] = "%" .. flags .. (t == "float64" and "" or "ll") .. letter
    end
  end
  if args[k + 1] then self:fail(args[k + 1], "more values than the format has") end
  local node = c(e, "printf", nil, nil, list)
  node.format = table.concat(out)
  return node
end

require "cupola.jit.groups"(builtins, c)

return builtins
