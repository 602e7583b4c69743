-- cupola's figures for the table of bench/run, one line each: "WHO<tab>KEY<tab>VALUE<tab>UNIT". Host rows:
-- consecutive calls, each result evaluated. Other rows: the median of 20 by events (fewer for slow calls). A
-- row that fails is omitted and named on standard error. The variable ROWS selects rows (rows.lua).
-- Usage: cupola.lua [WHO]   on the current device; WHO names the column (default cupola)

local started = os.clock()
local here = arg[0]:match "^(.*/)" or ""
local timing = dofile(here .. "../timing.lua")
local rows_of, algorithm_rows = dofile(here .. "rows.lua"), dofile(here .. "algorithms.lua")
local cp = require "cupola"
local on_gpu = cp.device().kind == "cuda"
local report = rows_of(arg[1] or "cupola")
local row, check, host = report.row, report.check, report.host
local milliseconds, bandwidth = report.milliseconds, report.bandwidth

local function small_rows()
  local a, b = cp.ones(100, "float32"), cp.ones(100, "float32")
  local edit = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x - y", "edit")
  cp.eval(a, b)
  host("a + b, n = 100", function() return (a + b):eval() end)
  host("a + 1, n = 100", function() return (a + 1):eval() end)
  host("x^2 + 2*y, n = 100", function() return (a ^ 2 + 2 * b):eval() end)
  host("sum, n = 100", function() return a:sum():eval() end)
  host('slice x["10:20"]', function() return a["10:20"] end)
  host("slice x[{ {10, 20} }]", function() return a[{ { 10, 20 } }] end)
  host("ElementwiseKernel, n = 100", function() return edit(a, b) end)
  local subtract = cp.RawKernel([[extern "C" __global__ void subtract(const float *x, const float *y, float *z, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) z[i] = x[i] - y[i];
  }]], "subtract")
  local c, event, mark = cp.empty(100, "float32"), cp.cuda.Event(), cp.cuda.Event({ timing = false })
  host("RawKernel, n = 100", function() subtract(1, 128, { a, b, c, 100 }) end)
  host("event record, with its time", function() event:record() end)
  host("event record, without a time", function() mark:record() end)
  host("empty(100)", function() return cp.empty(100, "float32") end)
  host("a += b, n = 100", function() a:add_(b) end)
end

-- Kernels so small that launches dominate the time.
local function graph_rows()
  local a, kernels = cp.ones(100, "float32"):eval(), 1000
  local function steps(count)
    for _ = 1, count do a:add_(1) end
  end
  local graph, small = cp.cuda.graph(steps, kernels), cp.cuda.graph(steps, 10)
  row("a kernel of a graph of 1000, n = 100", "us", function() return timing.median(graph) / kernels * 1e6 end)
  -- More than 50 replays would fill the driver's queue, and the host would wait for the GPU.
  host("replay of a graph of 10 kernels", small, 50)
  graph:free()
  small:free()
end

local n = on_gpu and 100000000 or 10000000
local rows, columns = on_gpu and 10000 or 2500, on_gpu and 10000 or 4000
local matrix = on_gpu and "1e4 x 1e4" or "2500 x 4000"
local x = timing.fractions(n, timing.GOLDEN)
local y = (timing.fractions(n, timing.SILVER) + 1):eval()
local z = cp.empty(n, "float32")

local function quadratic() return (x ^ 2 + 2 * y):eval() end
local function chain() return (cp.sqrt(x * x + y * y) * cp.exp(-x) + cp.sin(y)):eval() end
local function squared_difference() return ((x - y) ^ 2):sum():eval() end
local function quadratic_into() return z:assign(x ^ 2 + 2 * y) end

local function elementwise_rows()
  bandwidth("copy", 8 * n, function() z:assign(x) end)
  bandwidth("fill", 4 * n, function() z:fill(1) end)
  bandwidth("add", 12 * n, function() cp.add(x, y, z) end)
  bandwidth("add, new result", 12 * n, function() return (x + y):eval() end)
  bandwidth("sqrt", 8 * n, function() cp.sqrt(x, z) end)
  bandwidth("exp", 8 * n, function() cp.exp(x, z) end)
  milliseconds("x^2 + 2*y", quadratic)
  milliseconds("sqrt(x*x + y*y)*exp(-x) + sin(y)", chain)
  milliseconds("sum((x - y)^2)", squared_difference)
end

local function reduction_rows()
  local m, short = x:reshape(rows, columns), x:reshape(-1, 10)
  bandwidth("sum", 4 * n, function() return x:sum():eval() end)
  bandwidth("argmax", 4 * n, function() return x:argmax():eval() end)
  milliseconds("std", function() return x:std():eval() end)
  bandwidth("sum over axis 0 of " .. matrix, 4 * n, function() return m:sum(1):eval() end)
  bandwidth("sum over axis 1 of " .. matrix, 4 * n, function() return m:sum(2):eval() end)
  bandwidth(("sum over the short axis of %s x 10"):format(on_gpu and "1e7" or "1e6"), 4 * n,
    function() return short:sum(2):eval() end)
end

local function layout_rows()
  local m = x:reshape(rows, columns)
  bandwidth("transposed copy of " .. matrix, 8 * n, function() return cp.ascontiguousarray(m.T):eval() end)
  bandwidth("matrix + row", 8 * n, function() return (m + m[1]):eval() end)
end

local function linalg_rows()
  local size, points, side, batch = 4096, 24, 4096, 10000
  if not on_gpu then size, points, side, batch = 1024, 20, 1024, 1000 end
  local a = timing.fractions(size * size, timing.GOLDEN):reshape(size, size)
  local b = (timing.fractions(size * size, timing.SILVER):reshape(size, size) + 1):eval()
  for _, dtype in ipairs { "float32", "float64", "float16" } do
    local p, q = a:astype(dtype):eval(), b:astype(dtype):eval()
    if on_gpu or dtype ~= "float16" then
      milliseconds(("matmul %d, %s"):format(size, dtype), function() return cp.matmul(p, q) end)
    end
  end
  local signal = timing.fractions(2 ^ points, timing.GOLDEN):astype("complex64"):eval()
  local plane = timing.fractions(side * side, timing.GOLDEN):astype("complex64"):reshape(side, side):eval()
  milliseconds(("fft 2^%d, complex64"):format(points), function() return cp.fft.fft(signal) end)
  milliseconds(("fft2 %d x %d, complex64"):format(side, side), function() return cp.fft.fft2(plane) end)
  local many = (timing.fractions(batch * 256, timing.GOLDEN):reshape(batch, 16, 16) + 4 * cp.eye(16, "float32")):eval()
  local right = timing.fractions(batch * 16, timing.SILVER):reshape(batch, 16, 1)
  milliseconds(("matmul of %d 16 x 16"):format(batch), function() return cp.matmul(many, many) end)
  milliseconds(("solve %d 16 x 16"):format(batch), function() return cp.linalg.solve(many, right) end)
  local m = (cp.sin(cp.arange(1e6, "float64") ^ 2):reshape(1000, 1000):astype "float32"):eval()
  milliseconds("svd 1000 x 1000, float32", function() return cp.linalg.svd(m) end)
  check("a product of matrices", function() return cp.matmul(a, b)[{ 2, 3 }] end)
  check("the largest singular value", function() return cp.linalg.svdvals(m)[1] end)
  check("a Fourier coefficient", function() return cp.fft.fft(signal)[1].re / 2 ^ points end)
end

-- Copies between host and device, by the host's clock: of 200 MB, and of sizes between that of one staging
-- buffer and those that several threads copy.
local function transfer_rows()
  local megabytes = 200
  local bytes = megabytes * 1000000
  local function rate(key, size, f)
    row(key, "GB/s", function() return size / timing.waited(f) / 1e9 end)
  end
  local host_array, device_array = cp.cpu.ones(bytes / 4, "float32"):eval(), cp.ones(bytes / 4, "float32"):eval()
  local pinned = cp.zeros_pinned(bytes / 4, "float32")
  rate("host to device, 200 MB pageable", bytes, function() return cp.array(host_array) end)
  rate("host to device, 200 MB pinned", bytes, function() device_array:assign(pinned) end)
  rate("device to host, 200 MB pageable", bytes, function() return device_array:get() end)
  rate("device to host, 200 MB pinned", bytes, function() pinned:assign(device_array) end)
  for _, kb in ipairs { 64, 1024, 4096 } do
    local h, d = cp.cpu.ones(kb * 256, "float32"):eval(), cp.ones(kb * 256, "float32"):eval()
    rate(("host to device, %d KB pageable"):format(kb), kb * 1024, function() return cp.array(h) end)
    rate(("device to host, %d KB pageable"):format(kb), kb * 1024, function() return d:get() end)
  end
  local h, d = cp.cpu.ones(100, "float32"):eval(), cp.ones(100, "float32"):eval()
  local function wait(key, f)
    row(key, "us", function() return timing.waited(f) * 1e6 end)
  end
  wait("host to device, n = 100, waited for", function() return cp.array(h) end)
  wait("device to host, n = 100", function() return d:get() end)
end

local function signal_rows()
  local signal, length = cp.scipy.signal, 1000000
  local picture = timing.fractions(1024 * 1024, timing.GOLDEN):reshape(1024, 1024):eval()
  for _, m in ipairs { 3, 15 } do
    local filter = timing.fractions(m * m, timing.SILVER):reshape(m, m):eval()
    milliseconds(("convolve2d 1024 x 1024, %d x %d, symm"):format(m, m),
      function() return signal.convolve2d(picture, filter, "same", "symm") end)
    check(("a blurred pixel, %d x %d"):format(m, m),
      function() return signal.convolve2d(picture, filter, "same", "symm")[{ 1, 2 }] end)
  end
  local noise, taps = timing.fractions(length, timing.GOLDEN):eval(), timing.fractions(100, timing.SILVER):eval()
  milliseconds("convolve 1e6 with 100, direct", function() return signal.convolve(noise, taps, "same", "direct") end)
  local b, a = { 0.0048, 0.0193, 0.0289, 0.0193, 0.0048 }, { 1, -2.3695, 2.3140, -1.0547, 0.1874 }
  local wide = noise:astype("float64"):eval()
  milliseconds("lfilter 1e6, order 4, float64", function() return signal.lfilter(b, a, wide) end)
  check("a filtered value", function() return signal.lfilter(b, a, wide)[length] end)
end

local function counts()
  for _, what in ipairs { "launches", "allocations" } do
    row(what .. " of x^2 + 2*y", "calls", function() return timing.count(quadratic, what) end)
    row(what .. " of sqrt(x*x + y*y)*exp(-x) + sin(y)", "calls", function() return timing.count(chain, what) end)
    row(what .. " of sum((x - y)^2)", "calls", function() return timing.count(squared_difference, what) end)
    row(what .. " of z:assign(x^2 + 2*y)", "calls", function() return timing.count(quadratic_into, what) end)
  end
end

-- Last: once there is a second stream, all later work is ordered between streams.
local function switches()
  local stream = cp.cuda.Stream({ non_blocking = true })
  local function nothing() end
  host("switch to a stream and back", function() stream:with(nothing) end)
end

local function checks()
  check("mean of x^2 + 2*y", function() return quadratic():mean():item() end)
  check("mean of the long chain", function() return chain():mean():item() end)
  check("sum((x - y)^2) / n", function() return squared_difference():item() / n end)
  check("std", function() return x:std():item() end)
  check("the value at argmax", function() return x[x:argmax():item()] end)
  check("a sum over axis 0", function() return x:reshape(rows, columns):sum(1)[3] end)
end

small_rows()
if on_gpu then graph_rows() end
elementwise_rows()
reduction_rows()
layout_rows()
linalg_rows()
if on_gpu then transfer_rows() end
signal_rows()
algorithm_rows(report)
counts()
checks()
switches()
row("processor seconds in all", "s", function() return os.clock() - started end)
