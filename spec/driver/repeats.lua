-- Run by spec/devices/transfer_spec.lua with a simulated driver (driver.c): writes with repeated positions,
-- whose kernels share a table of the stream. The simulated kernel (writes.c) ends the process if the table
-- has wrong entries. Prints "all as it should be".

local cp = require "cupola"
local cpu = cp.cpu
local gpu = "cuda:0"
assert(cp.device().name == gpu and cp.device().properties.name == "no GPU")

local function there(values, dtype) return cpu.array(values, dtype):to(gpu) end

-- Repeated positions in an array of n elements, values, and the elements after x[at] = v.
local function repeating(count, n)
  local at = (cpu.arange(count) * 7919 % n + 1):eval()
  local v = cpu.arange(count):astype "float32"
  local want = cpu.zeros(n, "float32")
  want[at] = v
  return at:to(gpu), v:to(gpu), want
end

local function zeros(n) return cpu.zeros(n, "float32"):to(gpu) end

local function clear(a)
  cp.synchronize()
  cp.cuda.runtime.memcpy(a.data.ptr, cpu.zeros(a.size, a.dtype).data.ptr, a.nbytes,
    cp.cuda.runtime.memcpyHostToDevice)
end

local at, v, want = repeating(300, 40)
local x = zeros(40)
x[at] = v
assert(cpu.array_equal(x:cpu(), want))

-- More launches than the table can take before it has to be cleared.
for k = 1, 4200 do
  if k % 600 == 0 then clear(x) end
  x[at] = v
end
assert(cpu.array_equal(x:cpu(), want))
clear(x)
x[at] = v
assert(cpu.array_equal(x:cpu(), want))

-- A larger table is new memory; the count of launches goes on.
local far, values, wanted = repeating(3000, 400000)
local y = zeros(400000)
local further, others, expected = repeating(3000, 1200000) -- so many elements need a hash table
local w = zeros(1200000)
for _ = 1, 3 do
  w[further] = others
  y[far] = values
  x[at] = v
end
assert(cpu.array_equal(w:cpu(), expected))
assert(cpu.array_equal(y:cpu(), wanted) and cpu.array_equal(x:cpu(), want))

-- A graph clears its table in each run. Other graphs, and writes between the runs, have tables of their own.
local first = cp.cuda.graph(function()
  x[at] = v
  y[far] = values
  x[at] = v
end)
local second = cp.cuda.graph(function() y[far] = values end)
for k = 1, 3 do
  for _, graph in ipairs { first, second } do
    clear(x)
    clear(y)
    graph()
    assert(cpu.array_equal(y:cpu(), wanted), "run " .. k)
    if graph == first then assert(cpu.array_equal(x:cpu(), want), "run " .. k) end
    x[at] = v
  end
end

-- A graph that is captured after another one was freed.
first:free()
cp.collect()
local third = cp.cuda.graph(function()
  x[at] = v
  x[at] = v
end)
for k = 1, 3 do
  clear(x)
  third()
  assert(cpu.array_equal(x:cpu(), want), "run " .. k)
end

-- Streams have tables of their own, too.
local s = cp.cuda.Stream()
s:with(function() x[at] = v end)
x[at] = v
assert(cpu.array_equal(x:cpu(), want))

-- Writes to very many places get a cleared table for each call, which is freed afterwards.
local many = (cpu.arange(1100000) % 1000 + 1):eval():to(gpu)
local numbers = cpu.arange(1100000):astype("float32"):to(gpu)
local z = zeros(1000)
for _ = 1, 3 do z[many] = numbers end
assert(cpu.array_equal(z:cpu(), numbers["-1000:"]:cpu()))
local sparse = zeros(4500000)
cp.deterministic(true)
sparse[many] = numbers
cp.deterministic(false)
assert(cpu.array_equal(sparse:cpu()["1:1000"], z:cpu()))
local live = cp.memory().live
z[many] = numbers
assert(cp.memory().live == live)

-- A position out of range is reported, and the other values are written.
local wrong = there({ 1, 5, 99, 5 }, "int64")
x[wrong] = there({ 1, 2, 3, 4 }, "float32")
local ok, message = pcall(cp.synchronize)
assert(not ok and message:find("index 99 is out of range for axis 1 of length 40", 1, true), message)
assert(x[5] == 4)

-- Random writes of all forms. Some have rows that are long enough to need two kernels.
local repeats = require "spec.helper.repeats"
repeats.device, repeats.bare = gpu, true
repeats.begin(1)
for k = 1, 400 do
  cp.deterministic(k % 2 == 0)
  repeats.programs[({ "index", "put_along_axis", "windows" })[k % 3 + 1]]()
end
for _, index in ipairs { "first", "second" } do
  local rows, value = (cpu.arange(9000) * 7919 % 700 + 1):eval(), cpu.arange(9000 * 128):astype("float32")
  local shape, key = { 700, 128 }, { rows, {} }
  if index == "second" then shape, key = { 128, 700 }, { {}, rows } end
  value = value:reshape(index == "first" and { 9000, 128 } or { 128, 9000 })
  local a, b = cpu.zeros(shape, "float32"), cpu.zeros(shape, "float32"):to(gpu)
  a[key] = value
  for d = 1, 2 do
    if cp.is_array(key[d]) then key[d] = key[d]:to(gpu) end
  end
  b[key] = value:to(gpu)
  assert(cpu.array_equal(a, b:cpu()), index)
end
print "all as it should be"
