-- Run by spec/devices/transfer_spec.lua with a simulated driver (driver.c): captures, which must not make
-- calls that CUDA forbids inside, and graphs of copies on several streams, whose work runs late. Prints "all
-- as it should be".

local cp = require "cupola"
local cpu, runtime = cp.cpu, cp.cuda.runtime
local gpu = "cuda:0"
assert(cp.device().name == gpu and cp.device().properties.name == "no GPU")

local function expect(x, value, what)
  if type(value) == "number" then value = cpu.full(x.shape, value, x.dtype) end
  assert(cpu.array_equal(x:cpu(), value), what)
end

local function numbers(n, first) return (cpu.arange(n, "float32") + first):eval() end
local function bytes_of(x) return x.nbytes, x.data.ptr end

-- Copies from an array to another one by their addresses: work that needs no kernel.
local function copy(to, from)
  local size, p = bytes_of(to)
  runtime.memcpyAsync(p, from.data.ptr, size, runtime.memcpyDeviceToDevice)
end

local function set(x, value)
  local size, p = bytes_of(x)
  runtime.memcpy(p, value.data.ptr, size, runtime.memcpyHostToDevice)
end

local n = 50000
local x, y, z = numbers(n, 0):to(gpu), numbers(n, 1):to(gpu), numbers(n, 2):to(gpu)

-- A capture runs nothing; each replay runs the work in order.
local g = cp.cuda.graph(function()
  copy(y, x)
  copy(z, y)
  return y, z
end)
expect(y, numbers(n, 1), "before the first run")
assert(g.nodes == 2 and g.kernels == 0)
local a, b = g()
expect(a, numbers(n, 0), "the first copy")
expect(b, numbers(n, 0), "the second one")
for round = 1, 20 do
  set(x, numbers(n, round))
  g()
  if round % 5 == 0 then expect(z, numbers(n, round), "round " .. round) end
end

-- Uploads of any size inside a graph are repeated by each run. Memory freed inside is reused inside.
local uploads = cp.cuda.graph(function()
  local list = {}
  for k, size in ipairs { 3, 3000, 30000, 300000 } do
    local t = cpu.full(size, k, "float32"):to(gpu)
    t:free()
    list[k] = cpu.full(size, 10 * k, "float32"):to(gpu)
  end
  return list
end)
assert(uploads.nodes == 8 and uploads.bytes >= 4 * 333003)
for _ = 1, 3 do
  for k, t in ipairs(uploads()) do
    expect(t, 10 * k, "upload " .. k)
    runtime.memsetAsync(t.data.ptr, 0, t.nbytes)
  end
end

-- A graph and the work that writes and reads its array are on several streams. Graphs are freed while their
-- work is queued.
local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })
local locked = cp.empty_pinned(n, "float32")
for round = 1, 30 do
  local h = cp.cuda.graph(function() return numbers(n, round):to(gpu) end)
  local w = t:with(h)
  expect(s:with(function() return w:cpu() end), numbers(n, round), "read elsewhere")
  locked:assign(numbers(n, -round))
  s:with(function() w:assign(locked) end)
  if round % 2 == 0 then
    t:with(h)
    expect(w, numbers(n, round), "written by the graph last")
  else
    expect(t:with(function() return w:cpu() end), numbers(n, -round), "written elsewhere last")
  end
  s:with(h)
  h:free()
  w:free()
  local taken = cpu.full(n, -1, "float32"):to(gpu) -- may reuse the graph's memory, after its work
  expect(taken, -1, "taken")
end

-- Updates with the same structure and with another one.
g:update(function() copy(z, x) copy(y, x) end)
assert(g.updated)
runtime.memsetAsync(z.data.ptr, 0, z.nbytes)
g()
expect(z, numbers(n, 20), "updated")
g:update(function() copy(x, y) end)
assert(not g.updated and g.nodes == 1)
g()

-- Waiting inside a capture is an error. After it, and after an error of the function's own, everything works
-- as before.
for _, f in ipairs {
  function() return x:cpu() end,
  function() return x[1] end,
  function() cp.synchronize() end,
  function() s:synchronize() end,
  function() return s:query() end,
  function() cp.cuda.Event():record() end,
  function() runtime.deviceSynchronize() end,
  function() runtime.free(runtime.malloc(64)) end,
  function() error "my own" end,
} do
  local ok, message = pcall(cp.cuda.graph, function()
    copy(y, x)
    numbers(7, 7):to(gpu)
    f()
  end)
  assert(not ok and (message:find("being captured", 1, true) or message:find("my own", 1, true)), message)
end
cp.cuda.graph(function() end)()
collectgarbage()
collectgarbage()
cp.collect()

-- When memory runs out inside a capture, garbage is collected as it is outside.
cp.memory({ limit = cp.memory().live + 4000000 })
for _ = 1, 5 do
  local full = cp.cuda.graph(function()
    for _ = 1, 20 do cpu.ones(250000, "float32"):to(gpu) end
  end)
  full()
  assert(full.bytes <= 8000000)
end
local ok, message = pcall(cp.cuda.graph, function() return cpu.ones(3000000, "float32"):to(gpu) end)
assert(not ok and message:find("out of memory", 1, true), message)
cp.memory({ limit = 0 })
g()
cp.synchronize()
print "all as it should be"
