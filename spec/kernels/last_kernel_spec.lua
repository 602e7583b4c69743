-- kernels/routine/last.cu on machines without a GPU: its text runs as a raw kernel of the CPU device, where
-- threads share the blocks and pause at random between memory accesses. The result must equal that of a plain
-- loop.

local cp = require "cupola"
local core = require "cupola.core"
local generator = require "spec.helper.random.generator"
local operands = require "spec.helper.calls.operands"

local WORDS = { [1] = "uint8", [2] = "uint16", [4] = "uint32", [8] = "uint64", [16] = "complex128" }
local TURN = 1048576

-- Threads pause before they store a value, claim a cell, and check it again.
local STOPS = [[
static thread_local unsigned cp_dice = 1;
#define CP_STOP { cp_dice = cp_dice * 1664525u + 1013904223u; if (cp_dice >> 29 < 3) __nanosleep(1); }
]]

local function text_of(name)
  return (core.embedded("kernels/routine/" .. name):gsub('#include "([^"]+)"', text_of))
end

local function replaced(text, what, by)
  local out, count = text:gsub(what, by)
  assert(count > 0, what .. " is not in the kernel")
  return out
end

-- How each kind of writes is run: bytes of a word, of a position, and elements ahead; twice: by two kernels
-- too; wide: with places and cells of 64 bits; hash: the kinds of tables.
local BOTH, DIRECT, HASHED = { false, true }, { false }, { true }
local WAYS = { single = { 4, 8, 4, hash = BOTH }, rows = { 16, 4, 1, twice = true, hash = BOTH },
  columns = { 2, 8, 1, hash = DIRECT }, two = { 8, 4, 2, twice = true, wide = true, hash = HASHED },
  along = { 1, 8, 1, hash = HASHED } }
local SHAPES = { -- KEPT, COUNT, NDIM
  single = { 0, 1, 1 }, rows = { 2, 1, 2 }, columns = { 1, 1, 2 }, two = { 4, 2, 3 }, along = { 0, 1, 2 },
}

local function entry_name(name, pass, hash) return ("%s_%d_%d"):format(name, pass, hash and 1 or 0) end

-- All of them in one module, each in a namespace.
local function make_module()
  local text = text_of "last.cu"
  text = replaced(text, "CP_AWAIT;", "")
  text = replaced(text, 'extern "C" __global__ void __launch_bounds__%(BLOCK%) CP_ENTRY', "static void body")
  text = replaced(text, "\n  %*%(word %*%)", "\n  CP_STOP%0")
  text = replaced(text, "\n    seen = atomicMax", "\n    CP_STOP%0")
  text = replaced(text, "const entry now = look", "CP_STOP const entry now = look")
  local names = {}
  for name in text:gmatch "\n#define ([%w_]+)" do names[name] = true end
  local out = { STOPS }
  local function define(name, value)
    names[name] = true
    out[#out + 1] = ("#define %s %s\n"):format(name, value)
  end
  for name, way in pairs(WAYS) do
    for pass = way.twice and 1 or 3, 3 do
      for _, hash in ipairs(way.hash) do
        define("PASS", pass)
        define("HASH", hash and 1 or 0)
        define("BYTES", way[1])
        define("INDEX", way[2])
        define("AHEAD", way[3])
        define("ENTRY", way.wide and 8 or 4)
        define("WIDE", way.wide and 1 or 0)
        for k, variable in ipairs { "KEPT", "COUNT", "NDIM" } do define(variable, SHAPES[name][k]) end
        local entry = entry_name(name, pass, hash)
        out[#out + 1] = ("namespace in_%s {\n%s\n}\n"):format(entry, text)
        out[#out + 1] = ("__global__ void %s(in_%s::cp_slots p) { in_%s::body(p); }\n"):format(entry, entry, entry)
        for used in pairs(names) do out[#out + 1] = ("#undef %s\n"):format(used) end
      end
    end
  end
  return cp.cpu.RawModule { code = table.concat(out) }
end

local function divisor(a, b)
  while b ~= 0 do a, b = b, a % b end
  return math.abs(a)
end

-- What both sides of a write are made of: axes {length, base stride, value stride, kept =}, arrays
-- {positions, length, stride, strides}; base and values as arrays of words. Strides count words.
local function launch(module, name, w, pass, hash, first, tables)
  local way, slots, sizes, reach, low, unit = WAYS[name], {}, 1, 0, 0, 0
  local function put(v) slots[#slots + 1] = v end
  local function add(length, stride)
    if length < 2 or stride == 0 then return end
    unit = divisor(unit, stride)
    reach = reach + (length - 1) * math.abs(stride)
    low = low + math.min(0, (length - 1) * stride)
  end
  local places = 1
  for _, axis in ipairs(w.axes) do
    if not axis.kept then
      add(axis[1], axis[2])
      places = places * axis[1]
    end
    sizes = sizes * (pass == 1 and axis.kept and 1 or axis[1])
  end
  for _, array in ipairs(w.arrays) do add(array[2], array[3]) end
  unit = math.max(unit, 1)
  local cells, bits = reach / unit + 1, 1
  while 2 ^ bits <= 2 * places do bits = bits + 1 end
  if hash then cells = 2 ^ bits end
  local t = tables[1] or cp.cpu.zeros(cells, way.wide and "uint64" or "uint32")
  tables[1] = t
  put(sizes)
  put(w.base.data.ptr + w.base_first * w.bytes)
  put(w.values.data.ptr)
  put(w.words.data.ptr)
  for _, axis in ipairs(w.axes) do
    put(pass == 1 and axis.kept and 1 or axis[1])
    put(axis[2] * w.bytes)
    put(axis[3] * w.bytes)
  end
  for _, array in ipairs(w.arrays) do
    put(array[1].data.ptr)
    put(array[2])
    put(array[3] * w.bytes)
    for d = 1, #w.axes do put(array[4][d] * way[2]) end
  end
  put(t.data.ptr)
  put(first)
  put(64 - bits)
  put(math.floor(-low / unit))
  for _, axis in ipairs(w.axes) do put(axis.kept and 0 or math.floor(axis[2] / unit)) end
  for _, array in ipairs(w.arrays) do put(math.floor(array[3] / unit)) end
  local S = cp.struct("cp_slots", ("long long s[%d];"):format(#slots))
  local f = module:get_function(entry_name(name, pass, hash), { signature = "cp_slots p" })
  cp.device("cpu"):with(function() f(math.ceil(sizes / (256 * way[3])), 256, { S { s = slots } }) end)
end

-- The same by a loop.
local function model(w, base)
  local at = {}
  local function go(d, b, v)
    if d <= #w.axes then
      for k = 0, w.axes[d][1] - 1 do
        at[d] = k
        go(d + 1, b + k * w.axes[d][2], v + k * w.axes[d][3])
      end
      return
    end
    for _, array in ipairs(w.arrays) do
      local from = 0
      for k = 1, #w.axes do from = from + at[k] * array[4][k] end
      local p = array.list[from + 1]
      if p == 0 or p > array[2] or p < -array[2] then return end
      b = b + (p > 0 and p - 1 or p + array[2]) * array[3]
    end
    base[w.base_first + b + 1] = w.list[v + 1]
  end
  go(1, 0, 0)
end

local g = generator(operands.seed)

local function positions(count, length, wrong)
  local list = {}
  for k = 1, count do
    local p = g.number(length)
    list[k] = g.chance(20) and p - length - 1 or p
    if wrong and g.chance(5) then list[k] = g.one_of { 0, length + 1, -length - 3 } end
  end
  return list
end

local function complete(name, w, nbase, nvalues)
  local way = WAYS[name]
  w.bytes = way[1]
  local dtype = WORDS[w.bytes]
  w.list, w.words = {}, cp.cpu.zeros(4, "int64")
  for k = 1, nvalues do w.list[k] = k % 251 + 1 end
  w.values = cp.cpu.array(w.list, dtype)
  w.base, w.base_first = cp.cpu.zeros(nbase, dtype), w.base_first or 0
  for _, array in ipairs(w.arrays) do array[1] = cp.cpu.array(array.list, way[2] == 4 and "int32" or "int64") end
  return w
end

local writes = {}

function writes.single()
  local places, n, stride = g.number(1500), g.number(g.one_of { 3, 60, 2000 }), g.one_of { 1, 3, -2 }
  local w = { axes = { { places, 0, 1 } } }
  w.base_first = stride < 0 and -stride * (n - 1) or 0
  w.arrays = { { nil, n, stride, { 1 }, list = positions(places, n, g.chance(20)) } }
  return complete("single", w, math.abs(stride) * n, places)
end

function writes.rows()
  local places, n, width = g.number(300), g.number(40), g.one_of { 4, 7, 33 }
  local w = {}
  w.axes = { { places, 0, width }, { width, 1, 1, kept = true } }
  w.arrays = { { nil, n, width, { 1, 0 }, list = positions(places, n) } }
  return complete("rows", w, n * width, places * width)
end

function writes.columns()
  local places, n, height = g.number(200), g.number(g.one_of { 1, 4, 30 }), g.number(9)
  local w = {}
  w.axes = { { height, n, places, kept = true }, { places, 0, 1 } }
  w.arrays = { { nil, n, 1, { 0, 1 }, list = positions(places, n) } }
  return complete("columns", w, height * n, places * height)
end

function writes.two() -- x[{ i, {}, j }] of shape (n, m, k), i of shape (a, 1), j of (b)
  local a, b, n, m, k = g.number(12), g.number(12), g.number(6), g.number(5) + 1, g.number(6)
  local w = {}
  w.axes = { { a, 0, b * m }, { b, 0, m }, { m, k, 1, kept = true } }
  w.arrays = {
    { nil, n, m * k, { 1, 0, 0 }, list = positions(a, n) },
    { nil, k, 1, { 0, 1, 0 }, list = positions(b, k) },
  }
  return complete("two", w, n * m * k, a * b * m)
end

function writes.along() -- put_along_axis of shape (rows, n), by positions of shape (rows, places)
  local rows, n, places = g.number(20), g.number(10), g.number(40)
  local w = {}
  w.axes = { { rows, n, places }, { places, 0, 1 } }
  w.arrays = { { nil, n, 1, { places, 1 }, list = positions(rows * places, n) } }
  return complete("along", w, rows * n, rows * places)
end

local module

local function run(name)
  for _, hash in ipairs(WAYS[name].hash) do
    for _ = 1, math.ceil(8 * operands.times) do
      local w, tables, base = writes[name](), {}, {}
      for e = 1, w.base.size do base[e] = 0 end
      for turn = 1, 3 do -- one table for all of them
        local first = turn * TURN
        local twice = turn == 2 and WAYS[name].twice
        for pass = twice and 1 or 3, twice and 2 or 3 do launch(module, name, w, pass, hash, first, tables) end
        model(w, base)
        local got = w.bytes == 16 and w.base.real or w.base
        assert.is_true(cp.array_equal(got:astype("float64"), cp.cpu.array(base, "float64")),
          ("%s, hash %s, turn %d"):format(name, tostring(hash), turn))
        w.values:assign(cp.flip(w.values))
        for e = 1, math.floor(#w.list / 2) do
          w.list[e], w.list[#w.list - e + 1] = w.list[#w.list - e + 1], w.list[e]
        end
      end
    end
  end
end

describe("the kernel that keeps the last of several values", function()
  for _, name in ipairs { "single", "rows", "columns", "two", "along" } do
    it("does for " .. name, function()
      if os.getenv "LD_PRELOAD" then return pending "the module is instrumented" end
      module = module or make_module()
      run(name)
    end)
  end
end)
