-- Run by spec/devices/transfer_spec.lua with a simulated driver (driver.c): indices out of range, which a
-- kernel records and the script's next synchronization reports, even if the library itself waits in between.
-- Prints "all as it should be".

local cp = require "cupola"
local cpu, gpu = cp.cpu, "cuda:0"
assert(cp.device().name == gpu and cp.device().properties.name == "no GPU")

local function there(values, dtype) return cpu.array(values, dtype):to(gpu) end

local x = there({ 10, 20, 30 }, "float32")
local inside, beyond, before = there({ 3, -3 }, "int64"), there({ 1, 7 }, "int64"), there({ 1, -4 }, "int32")
assert(cpu.array_equal(x[inside]:cpu(), cpu.array({ 30, 10 }, "float32")))

local function told(position, f, ...)
  local ok, message = pcall(f or cp.synchronize, ...)
  local fact = ("index %d is out of range for axis 1 of length 3"):format(position)
  assert(not ok and message:find(fact, 1, true), message or "nothing was told")
  assert(cp.last_error().kind == "index")
end

local function quiet() cp.synchronize() end

-- An index out of range is reported once, by whatever waits for the stream.
local y = x[before]
told(-4, function() return y:cpu() end)
quiet()
y = x[beyond]
told(7)
quiet()

-- Returning borrowed memory to its owner waits for the stream but reports nothing.
local memory = cpu.zeros(10, "float32"):eval()
local borrowed = cp.from_pointer(memory.data.ptr, { 10 }, "float32", { device = "cpu" })
y = x[beyond]
borrowed:free()
cp.empty(5) -- making an array runs pending releases
cp.collect()
told(7)
quiet()

-- Freeing a graph waits too, and reports nothing.
local copy = cp.cuda.graph(function() return there({ 1, 2 }, "float32") end)
copy()
y = x[beyond]
copy:free()
told(7)
quiet()

-- An index that a replay found is reported even if the graph is gone by then, as an error of the captured
-- call.
local bad = cp.cuda.graph(function() return x[beyond] end)
bad()
told(7)
bad()
bad:free()
told(7)
quiet()
local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })
s:with(cp.cuda.graph(function() return x[beyond] end))
cp.collect()
cp.collect()
told(7, function() s:synchronize() end)
quiet()

-- Several streams report their indices one after the other.
s:with(function() y = x[beyond] end)
t:with(function() y = x[before] end)
local seen = {}
for _ = 1, 2 do
  local ok, message = pcall(cp.synchronize)
  assert(not ok)
  seen[message:match "index %-?%d+ is"] = true
end
assert(seen["index 7 is"] and seen["index -4 is"])
quiet()

-- When memory runs out, the library waits too.
cp.memory({ limit = cp.memory().live + 4000 })
y = x[beyond]
assert(not pcall(cp.empty, 100000, "float64"))
cp.memory({ limit = 0 })
told(7)
quiet()
print "all as it should be"
