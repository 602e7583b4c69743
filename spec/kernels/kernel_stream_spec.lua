-- The option `stream` of user kernels: where they run, what they wait for, what is rejected.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, counted = check.failure, check.counted
local on_gpu = cp.device().name ~= "cpu"
local N = 1000

local add = cp.RawKernel([[
  extern "C" __global__ void add(const float *x, float *y, float a, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) y[i] = x[i] + a;
  }]], "add")
local nothing = cp.RawKernel('extern "C" __global__ void nothing(int n) {}', "nothing")
local double = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "double_it")
local fill = cp.ElementwiseKernel("T x", "raw T y", "y[i] = x + i", "fill_it")
local total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")

local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })
local function now() return cp.cuda.get_current_stream() end

local function fresh()
  local x = cp.arange(N, "float32"):copy()
  s:synchronize()
  t:synchronize()
  return x
end

-- Waits of one stream for another while f runs.
local function waits(f) return counted(f).waits end

describe("a raw kernel with a stream", function()
  local function run(x, y, a, options) add({ math.ceil(N / 128) }, { 128 }, { x, y, a, N }, options) end

  it("runs there and leaves the current stream as it is", function()
    local x, y = fresh(), cp.zeros(N, "float32"):eval()
    run(x, y, 1, { stream = s })
    run(y, x, 2, { stream = t, shared_mem = 256 })
    add[{ 8, 128, stream = s }](x, y, 3, N)
    assert.is_true(now() == cp.cuda.Stream.null)
    assert.same({ 6, 7, 8 }, y["1:3"]:totable())
    assert.equal((N - 1) * N / 2 + 6 * N, y:sum():item())
  end)

  it("waits for the streams that wrote its arrays, and they wait for it", function()
    local x, y = fresh(), cp.zeros(N, "float32"):eval()
    s:synchronize()
    x:fill(5)
    assert.is_true(waits(function() run(x, y, 1, { stream = s }) end) >= 1)
    assert.equal(0, waits(function() run(x, y, 1, { stream = s }) end))
    assert.is_true(waits(function() run(y, x, 1, { stream = t }) end) >= 1)
    local sum
    assert.is_true(waits(function() sum = x:sum():eval() end) >= 1)
    assert.equal(7 * N, sum:item())
  end)

  it("computes pending arguments on the streams that they belong to", function()
    local y = cp.zeros(N, "float32"):eval()
    local x = s:with(function() return fresh() end)
    local pending_value = x * 2 -- on the null stream
    run(pending_value, y, 1, { stream = t })
    assert.equal((N - 1) * N + N, y:sum():item())
    pending_value = x + 1
    run(x, y, 1, { stream = t })
    run(y, x, 1, { stream = t }) -- writes x, which is pending elsewhere
    assert.equal((N - 1) * N / 2 + N, pending_value:sum():item())
    assert.equal((N - 1) * N / 2 + 2 * N, x:sum():item())
  end)

  it("without arrays runs on the stream's device", function()
    local launched = counted(function() nothing(1, 1, { 5 }, { stream = s }) end)
    assert.equal(1, launched.launches)
    local c = cp.cuda.Stream({ device = "cpu" })
    nothing(1, 1, { 5 }, { stream = c })
    nothing[{ 1, 1, stream = c }](5)
    assert.equal(cp.device().name, cp.zeros(1).device)
  end)

  it("refuses what is no open stream of its device", function()
    local x, y = fresh(), cp.zeros(N, "float32")
    failure("usage", "add: stream must be a stream, not number",
      function() add(1, 1, { x, y, 1, N }, { stream = 5 }) return 1 end)
    failure("usage", "add: stream must be a stream, not table", function() add[{ 1, 1, stream = {} }](x, y, 1, 1) end)
    failure("usage", "add: stream must be a stream, not string",
      function() add(1, 1, { x, y, 1, N }, { stream = "s" }) return 1 end)
    failure("usage", "add: no option 'streams'; the options are shared_mem, stream",
      function() add(1, 1, { x, y, 1, N }, { streams = s }) return 1 end)
    local gone = cp.cuda.Stream()
    local configured = add[{ 8, 128, stream = gone }]
    configured(x, y, 1, N)
    gone:close()
    failure("usage", "add: stream is a stream that was closed", function() configured(x, y, 1, N) return 1 end)
    failure("usage", "add: stream is a stream that was closed",
      function() add(1, 1, { x, y, 1, N }, { stream = gone }) return 1 end)
    failure("usage", "add: too many threads", function() add(1, 5000, { x, y, 1, N }, { stream = s }) return 1 end)
    assert.is_true(now() == cp.cuda.Stream.null)
    assert.equal((N - 1) * N / 2 + N, y:sum():item())
    if on_gpu then
      local c = cp.cuda.Stream({ device = "cpu" })
      failure("usage", "add: the stream belongs to cpu, not to " .. x.device,
        function() add(1, 1, { x, y, 1, N }, { stream = c }) return 1 end)
    end
  end)
end)

describe("an elementwise kernel with a stream", function()
  it("runs there, makes its outputs there, and leaves the current stream as it is", function()
    local x = fresh()
    local y
    assert.is_true(waits(function() y = double(x, { stream = s }) end) >= 1)
    assert.equal(0, waits(function() y = double(y, { stream = s }) end))
    assert.is_true(now() == cp.cuda.Stream.null)
    assert.is_true(waits(function() y = y:sum():eval() end) >= 1)
    assert.equal(2 * (N - 1) * N, y:item())
  end)

  it("takes outputs, tables and sizes beside it", function()
    local x, y = fresh(), cp.zeros(N, "float32"):eval()
    assert.is_true(rawequal(y, double(x, y, { stream = t })))
    assert.is_true(waits(function() double(x, x, { stream = s }) end) >= 1) -- t reads it
    double(x["2:"], x["1:-2"], { stream = s }) -- through a temporary
    assert.equal(2 * (N - 1) * N / 2, y:sum():item())
    assert.same({ 4, 8, 12 }, x["1:3"]:totable())
    assert.equal(2 * (N - 1), x[N])
    assert.same({ 2, 4 }, double({ 1, 2 }, { stream = s }):totable())
    local z = fill(3, cp.zeros(4), { size = 4, block_size = 64, stream = s })
    assert.same({ 3, 4, 5, 6 }, z:totable())
    assert.equal("cpu", double({ 1, 2 }, { stream = cp.cuda.Stream({ device = "cpu" }) }).device)
  end)

  it("refuses what is no open stream of its device", function()
    local x, gone = fresh(), cp.cuda.Stream()
    gone:close()
    failure("usage", "double_it: stream must be a stream, not number",
      function() double(x, { stream = 5 }) return 1 end)
    failure("usage", "double_it: stream is a stream that was closed",
      function() double(x, { stream = gone }) return 1 end)
    failure("usage", "double_it: no option 'strem' (did you mean 'stream'?); the options are size, block_size, stream",
      function() double(x, { strem = s }) return 1 end)
    failure("usage", "double_it: size is only for calls", function() double(x, { size = 4, stream = s }) return 1 end)
    assert.is_true(now() == cp.cuda.Stream.null)
    if on_gpu then
      local c = cp.cuda.Stream({ device = "cpu" })
      failure("usage", "double_it: the stream belongs to cpu, not to " .. x.device,
        function() double(x, { stream = c }) return 1 end)
    end
  end)
end)

describe("a reduction kernel with a stream", function()
  it("runs there", function()
    local x = fresh()
    local m, out = x:reshape(10, 100), cp.zeros(10, "float32"):eval()
    local sum, rows
    assert.is_true(waits(function() sum = total(x, { stream = s }) end) >= 1)
    rows = total(m, { axis = 2, keepdims = true, stream = s })
    total(m, { axis = 2, out = out, stream = t })
    total(m, 1, { stream = t })
    assert.is_true(now() == cp.cuda.Stream.null)
    assert.equal((N - 1) * N / 2, sum:item())
    assert.same({ 10, 1 }, { rows.shape[1], rows.shape[2] })
    assert.equal(4950 + 90000, rows[{ 10, 1 }])
    assert.equal(4950 + 90000, out[10])
    failure("usage", "total: stream must be a stream, not boolean", function() total(x, { stream = true }) return 1 end)
    failure("usage", "total: no option 'axes'", function() total(x, { axes = 1 }) return 1 end)
  end)

  it("gives right values when streams alternate", function()
    local x = cp.full({ N }, 1, "float64"):eval()
    for k = 1, 30 do
      local stream = ({ s, t, cp.cuda.Stream.null })[k % 3 + 1]
      x = double(x, { stream = stream })
      if k % 7 == 0 then x = cp.full({ N }, 1, "float64") * (total(x, { stream = s }) / N) end
    end
    assert.equal(2 ^ 30, x:max():item())
    assert.equal(2 ^ 30, x:min():item())
  end)
end)

describe("kernels with a stream in a graph", function()
  it("are recorded like others, in the order of the calls", function()
    local x, y, rows = fresh(), cp.zeros(N, "float32"):eval(), nil
    local g = cp.cuda.graph(function()
      add(8, 128, { x, y, 1, N }, { stream = s })
      double(y, y, { stream = t })
      add[{ 8, 128, stream = t }](y, y, 3, N)
      rows = total(y, { stream = s })
      return rows
    end)
    assert.equal(0, y:sum():item())
    assert.equal((N - 1) * N + 5 * N, g():item())
    x:fill(4)
    assert.equal(13 * N, g():item())
    assert.same({ 13, 13 }, y["1:2"]:totable())
    assert.is_true(now() == cp.cuda.Stream.null)
  end)
end)
