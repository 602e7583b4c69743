-- cupola's figures for the table of bench/run, one line each: "cupola KEY VALUE UNIT".
-- Host rows: calls issued back to back, the queue drained afterwards. Device rows: median of 20 by events.
-- Usage: cupola.lua [WHO]   on the current device; WHO names the rows (default cupola)

local started = os.clock()
local cp = require "cupola"
local who = arg and arg[1] or "cupola"
local on_gpu = cp.device().kind == "cuda"

local function report(key, value, unit) print(("%s\t%s\t%.4f\t%s"):format(who, key, value, unit)) end

local function host(key, f, n)
  n = n or 20000
  for _ = 1, 500 do f() end
  cp.synchronize()
  local best = math.huge
  for _ = 1, 5 do
    local t = cp.clock()
    for _ = 1, n do f() end
    best = math.min(best, (cp.clock() - t) / n)
    cp.synchronize()
  end
  report(key, best * 1e6, "us")
end

local first, last = cp.cuda.Event(), cp.cuda.Event()
local function seconds(f)
  for _ = 1, 20 do f() end -- pools and caches settle
  local times = {}
  for k = 1, 20 do
    first:record()
    f()
    last:record()
    last:synchronize()
    times[k] = cp.cuda.get_elapsed_time(first, last) / 1e3
  end
  table.sort(times)
  return times[10]
end

local function bandwidth(key, bytes, f) report(key, bytes / seconds(f) / 1e9, "GB/s") end

local a = cp.ones(100, "float32")
local b = cp.ones(100, "float32")
local edit = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x - y", "edit")
host("host a + b, n = 100", function() return a + b end)
host("host a + 1, n = 100", function() return a + 1 end)
host("host a += b, n = 100", function() a:add_(b) end)
host("host sum, n = 100", function() return a:sum() end)
host('host slice x["10:20"]', function() return a["10:20"] end)
host("host slice x[{ {10, 20} }]", function() return a[{ { 10, 20 } }] end)
host("host ElementwiseKernel, n = 100", function() return edit(a, b) end)
host("host empty(100)", function() return cp.empty(100, "float32") end)

local n = on_gpu and 100000000 or 10000000
local size = on_gpu and "1e8" or "1e7"
local x, y = cp.linspace(0, 1, n, { dtype = "float32" }), cp.linspace(1, 2, n, { dtype = "float32" })
local z = cp.empty(n, "float32")
bandwidth("copy " .. size, 8 * n, function() z:assign(x) end)
bandwidth("add " .. size, 12 * n, function() cp.add(x, y, z) end)
bandwidth("add, new result " .. size, 12 * n, function() return x + y end)
bandwidth("sum " .. size, 4 * n, function() return x:sum() end)
bandwidth("sqrt " .. size, 8 * n, function() cp.sqrt(x, z) end)
bandwidth("exp " .. size, 8 * n, function() cp.exp(x, z) end)
bandwidth("fill " .. size, 4 * n, function() z:fill(1) end)
if on_gpu then
  bandwidth("argmax " .. size, 4 * n, function() return x:argmax() end)
  local m = x:reshape(10000, 10000)
  bandwidth("sum over axis 0 of 1e4 x 1e4", 4 * n, function() return m:sum(1) end)
  bandwidth("sum over axis 1 of 1e4 x 1e4", 4 * n, function() return m:sum(2) end)
  bandwidth("matrix + row", 8 * n, function() return m + m[1] end)
end
report("processor seconds in all", os.clock() - started, "s")
