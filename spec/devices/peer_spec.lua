-- Several devices in one program: operations across them are errors that name both; and with two GPUs, copies
-- between them, ordered with the work on both, and the pools and library handles of each. Tests that need two
-- GPUs skip themselves.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local GPUS = cp.device().kind == "cuda" and cp.cuda.device_count() or 0

-- ---- two devices of any kind

describe("an operation across devices", function()
  local here = cp.device().name
  local there = GPUS > 1 and (here == "cuda:0" and "cuda:1" or "cuda:0") or here ~= "cpu" and "cpu" or nil

  local function test(name, f)
    it(name, function()
      if not there then return pending("there is one device") end
      local function ramp(device) return cp.arange(4, { dtype = "float64", device = device }) + 1 end
      f(ramp(here), ramp(there))
    end)
  end

  local function refused(f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(message:find(here, 1, true) and message:find(there, 1, true), message)
    assert.truthy(message:find(":to", 1, true), message)
    assert.equal("usage", cp.last_error().kind)
  end

  test("is refused by operators and functions", function(x, y)
    local fact = "add: operands are on different devices, %s and %s; move one with :to(\"%s\")"
    failure("usage", fact:format(here, there, here), function() return x + y, 1 end)
    refused(function() return x:lt(y) end)
    refused(cp.arctan2, y, x)
    refused(cp.where, x:gt(0), y, 1)
    refused(cp.clip, x, y, nil)
    refused(function() x:add_(y) end)
    refused(cp.allclose, x, y)
  end)

  test("is refused by assignment and out", function(x, y)
    local fact = "assign: cannot write values on %s into an array on %s; move them with :to(\"%s\")"
    failure("usage", fact:format(there, here, here), function() x:assign(y) end)
    refused(function() x[":2"] = y[":2"] end)
    refused(cp.copyto, x, y)
    refused(cp.add, x, 1, { out = y })
    refused(cp.sum, x:reshape(2, 2), 1, { out = y[":2"] })
    refused(cp.sqrt, x, { out = y })
    assert.same({ 1, 2, 3, 4 }, x:totable())
    assert.same({ 1, 2, 3, 4 }, y:totable())
  end)

  test("is refused by products and linear algebra", function(x, y)
    refused(cp.dot, x, y)
    refused(cp.matmul, x:reshape(2, 2), y:reshape(2, 2))
    refused(cp.einsum, "i,i->", x, y)
    refused(cp.tensordot, x, y, 1)
    refused(cp.linalg.solve, x:reshape(2, 2), y[":2"])
    refused(cp.kron, x, y)
    refused(cp.convolve, x, y)
  end)

  test("is refused by masks, positions and searches", function(x, y)
    refused(function() return x[y:gt(1)] end)
    refused(function() return x[(y - 1):astype "int64"] end)
    refused(function() x[y:gt(1)] = 0 end)
    refused(cp.take, x, (y - 1):astype "int64")
    refused(cp.searchsorted, x, y)
    refused(cp.concatenate, { x, y })
    refused(cp.stack, { x, y })
    refused(cp.isin, x, y)
    refused(cp.interp, x, y, y)
  end)

  test("is refused by kernels", function(x, y)
    local k = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "peer_add")
    refused(k, x, y)
    refused(k, x, x, y)
    local raw = cp.RawKernel([[extern "C" __global__ void add(const double* x, double* y) {
      y[threadIdx.x] += x[threadIdx.x]; }]], "add")
    refused(raw, 1, 4, { x, y })
  end)

  test("works once one is moved", function(x, y)
    assert.same({ 2, 4, 6, 8 }, (x + y:to(here)):totable())
    local result = cp.device(there):with(function() return cp.asarray(x) + y end)
    assert.equal(there, result.device)
    assert.same({ 2, 4, 6, 8 }, result:totable())
    local new = cp.empty_like(x)
    new:assign(y:to(here))
    assert.same({ 1, 2, 3, 4 }, new:totable())
  end)

  test("counts numbers and tables as where the array is", function(_, y)
    assert.equal(there, (y + 1).device)
    assert.equal(there, (y * { 1, 2, 3, 4 }).device)
    assert.equal(there, cp.dot(y, { 1, 0, 0, 1 }).device)
    assert.equal(there, cp.concatenate({ y, { 5, 6 } }).device)
    assert.equal(there, cp.append(y, { 5 }).device)
    assert.equal(there, cp.linalg.solve(cp.eye(4, { device = there }), { 1, 2, 3, 4 }).device)
    assert.equal(there, cp.searchsorted(y, { 2, 3 }).device)
    assert.equal(there, cp.isin(y, { 2, 3 }).device)
    assert.is_true(cp.allclose(y, { 1, 2, 3, 4 }))
    assert.is_true(cp.array_equal(y, { 1, 2, 3, 4 }))
  end)

  test("leaves functions of one array to its device", function(_, y)
    local m = y:reshape(2, 2) + cp.eye(2, { device = there })
    for name, f in pairs {
      sort = function() return cp.sort(y) end, argsort = function() return cp.argsort(y) end,
      cumsum = function() return cp.cumsum(y) end, median = function() return cp.median(y) end,
      histogram = function() return (cp.histogram(y, 3)) end, unique = function() return (cp.unique(y)) end,
      nonzero = function() return cp.nonzero(y)[1] end, fft = function() return cp.fft.fft(y) end,
      inv = function() return cp.linalg.inv(m) end, svd = function() return (cp.linalg.svd(m)) end,
      roll = function() return cp.roll(y, 1) end, diff = function() return cp.diff(y) end,
      pad = function() return cp.pad(y, 1) end, tile = function() return cp.tile(y, 2) end,
      triu = function() return cp.triu(m) end, outer = function() return cp.outer(y, y) end,
      gradient = function() return cp.gradient(y) end, trace = function() return cp.trace(m) end,
      shuffled = function() return cp.random.permutation(y) end, mean = function() return y:mean() end,
    } do
      assert.equal(there, f().device, name)
    end
  end)
end)

-- ---- two GPUs

local A, B = "cuda:0", "cuda:1"

local function pair(name, f)
  it(name, function()
    if GPUS < 2 then return pending("needs two GPUs, there are " .. GPUS) end
    f()
  end)
end

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }

-- A program that makes copies; as text, because it also runs in a process without peer access.
local COPIES = [[
  local cp = require "cupola"
  local A, B = "cuda:0", "cuda:1"
  for _, n in ipairs { 1, 3, 1000, 524288, 1048577, 5000011 } do
    local x = cp.arange(n, { dtype = "float32", device = A }) % 8191
    local y = x:to(B)
    assert(y.device == B and (y:to "cpu" - x:to "cpu"):abs():max():item() == 0, n)
    local z = (y * 2):to(A)
    assert((z - x * 2):abs():max():item() == 0, n)
  end
  for round = 1, 20 do -- writers and readers on both sides, memory that is freed and taken again
    local x = cp.full(3000000, round, { dtype = "float32", device = A })
    local y = x:to(B)
    x:fill(-1)
    local z = (y + 1):to(A)
    y:fill(-1)
    y:free()
    local w = cp.full(3000000, -2, { dtype = "float32", device = B })
    assert(z:min():item() == round + 1 and z:max():item() == round + 1 and x:max():item() == -1, round)
    x:free()
    w:free()
  end
  cp.synchronize(A)
  cp.synchronize(B)
  print "copied"
]]

describe("a copy to another GPU", function()
  pair("has every dtype", function()
    for _, dtype in ipairs(DTYPES) do
      local x = (cp.arange(1001, { dtype = "int32", device = A }) % 7):astype(dtype)
      local y = x:to(B)
      assert.equal(B, y.device)
      assert.equal(dtype, y.dtype)
      assert.equal(x:tobytes(), y:tobytes())
      assert.equal(x:tobytes(), y:cuda(0):tobytes())
    end
  end)

  pair("has every layout", function()
    local x = cp.arange(120, { dtype = "float64", device = A }):reshape(4, 5, 6)
    for _, view in ipairs { x, x.T, x["1:4:2, :, 2:5"], x["::-1"], x[":, 3"], x:transpose(2, 1, 3),
      cp.broadcast_to(x["1, 1"], { 3, 6 }), x:ravel()["5:5"], x["1, 2"], cp.array(7, { device = A }),
      cp.zeros({ 0, 3 }, { device = A }), x * 2 + 1 } do
      local y = view:to(B)
      assert.equal(B, y.device)
      assert.same(view:to("cpu"):totable(), y:to("cpu"):totable())
    end
    assert.is_true(x.T:to(B).flags.f_contiguous)
  end)

  pair("is the same array where it is there already", function()
    local x = cp.zeros(3, { device = B })
    assert.is_true(rawequal(x, x:to(B)))
    assert.is_true(rawequal(x, cp.device(B):with(cp.asarray, x)))
    assert.equal(A, cp.device(A):with(cp.asarray, x).device)
    assert.equal(A, cp.device(A):with(cp.array, x).device)
  end)

  pair("is queued, without a wait of the host", function()
    local x = cp.ones(2 ^ 22, { dtype = "float32", device = A }):eval()
    local grown = check.counted(function() return x:to(B):to(A), 1 end)
    assert.equal(0, grown.synchronizations)
    assert.equal(2, grown.launches)
  end)

  pair("comes after its writers and before later ones", function()
    local n = 1024
    local m = cp.full({ n, n }, 1 / n, { dtype = "float32", device = A })
    for round = 1, 30 do
      local x = m
      for _ = 1, 5 do x = x:matmul(m) end -- work that takes its time: x stays 1 / n
      x:add_(round)
      local y = x:to(B)
      x:fill(-1)
      assert.near(round + 1 / n, y:sum():item() / (n * n), 1e-3)
    end
  end)

  pair("is ordered among several streams", function()
    local s, t = cp.cuda.Stream { device = A, non_blocking = true }, cp.cuda.Stream { device = B, non_blocking = true }
    for round = 1, 50 do
      local x = s:with(function() return cp.arange(2000000, { dtype = "float32" }) * 0 + round end)
      local y = t:with(function() return x:to(B) end)
      s:with(function() x:fill(0) end)
      local total = cp.device(B):with(function() return (y * 1):sum() end) -- on the device's own stream
      t:with(function() y:fill(0) end)
      assert.equal(round * 2000000, total:item())
    end
  end)

  pair("keeps order with memory that is freed", function()
    for round = 1, 50 do
      local x = cp.full(4000000, round, { dtype = "float32", device = A })
      local y = x:to(B)
      x:free()
      local z = cp.full(4000000, -round, { dtype = "float32", device = A }) -- most likely in the same place
      assert.equal(round, y:min():item())
      assert.equal(round, y:max():item())
      y:free()
      assert.equal(-round, z:to(B):max():item())
      z:free()
    end
    cp.collect()
  end)

  pair("is no part of graphs", function()
    local x = cp.ones(5, { device = A })
    for _, device in ipairs { A, B } do
      local ok, message = pcall(function()
        cp.device(device):with(cp.cuda.graph, function() x:to(B) end)
      end)
      assert.is_false(ok)
      assert.truthy(message:find("a copy from cuda:0 to cuda:1 cannot be captured in a graph", 1, true), message)
    end
    assert.equal(5, x:to(B):sum():item())
  end)

  pair("goes by host memory where GPUs do not reach one another", function()
    local output, status = check.run(COPIES, "CUPOLA_PEER_ACCESS=0")
    assert.equal("copied\n", output)
    assert.equal(0, status)
    output, status = check.run(COPIES)
    assert.equal("copied\n", output)
    assert.equal(0, status)
  end)
end)

describe("two GPUs", function()
  pair("have pools of their own", function()
    cp.collect()
    local a, b = cp.memory({ device = A }).live, cp.memory({ device = B }).live
    local x = cp.empty(2 ^ 20, { dtype = "float64", device = B })
    assert.is_true(cp.memory({ device = B }).live >= b + 8 * 2 ^ 20)
    assert.is_true(cp.memory({ device = A }).live <= a)
    x:free()
    assert.is_true(cp.memory({ device = B }).live <= b)
    cp.memory { device = B, limit = 64 * 1048576 }
    local ok, message = pcall(cp.empty, 2 ^ 24, { dtype = "float64", device = B })
    cp.memory { device = B, limit = 0 }
    assert.is_false(ok)
    assert.truthy(message:find("out of memory on cuda:1", 1, true), message)
  end)

  pair("compute the same", function()
    local function results(device)
      return cp.device(device):with(function()
        local x = cp.random.default_rng(5):random { 64, 64 }
        local spectrum = cp.fft.rfft(x)
        local add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + 2 * y", "peer_two")
        local raw = cp.RawKernel([[extern "C" __global__ void twice(double* x, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }]], "twice")
        local y = x:copy()
        raw(16, 256, { y, y.size })
        local gathered = x:ravel()[cp.argsort(x:ravel())]
        return { x, x:matmul(x), spectrum.real, cp.linalg.svd(x, { compute_uv = false }), cp.linalg.inv(x), add(x, x),
          y, gathered, x:cumsum(1), x[x:gt(0.5)], cp.exp(x):sum(2), x:std() }
      end)
    end
    local a, b = results(A), results(B)
    for k, v in ipairs(a) do
      assert.equal(A, v.device)
      assert.equal(B, b[k].device)
      assert.is_true(cp.cpu.allclose(v:to "cpu", b[k]:to "cpu", 1e-10, 1e-12), "result " .. k)
    end
  end)

  pair("take turns in coroutines", function()
    local function worker(device, value)
      return coroutine.wrap(function()
        cp.device(device):with(function()
          for k = 1, 5 do
            local x = cp.full(1000, value * k)
            coroutine.yield()
            assert(x.device == device and (x + cp.ones(1000)):sum():item() == 1000 * (value * k + 1))
            assert(cp.device().name == device)
          end
        end)
      end)
    end
    local a, b = worker(A, 1), worker(B, 2)
    for _ = 1, 6 do
      a()
      b()
    end
  end)

  pair("wait for one another's events", function()
    local s, t = cp.cuda.Stream { device = A }, cp.cuda.Stream { device = B }
    local x = s:with(function() return cp.ones(2 ^ 22) * 3 end)
    local e = s:record()
    t:wait_event(e)
    assert.is_true(t:synchronize():query())
    assert.equal(3, x:max():item())
    failure("usage", "record: the stream belongs to cuda:1, not to cuda:0", function() e:record(t) end)
    local f = t:record()
    failure("usage", "get_elapsed_time: the events belong to cuda:0 and cuda:1",
      function() cp.cuda.get_elapsed_time(e, f) end)
    assert.equal(A, e.device)
    assert.equal(B, f.device)
  end)

  pair("report faults of their own", function()
    cp.device(B):with(function()
      local x = cp.arange(5)
      local ok, message = pcall(function()
        local y = x[cp.index { 1, 2 } + 7]
        return y:sum():item()
      end)
      assert.is_false(ok)
      assert.truthy(message:find("out of range for axis 1 of length 5", 1, true), message)
    end)
    assert.equal(3, cp.ones(3, { device = A }):sum():item())
  end)

  pair("leave nothing behind when a state ends", function()
    local output, status = check.run [[
      local cp = require "cupola"
      local kept = {}
      for k = 1, 50 do
        local x = cp.full(100000, k, { device = "cuda:0" })
        kept[k % 7] = x:to "cuda:1"
        kept[7 + k % 7] = kept[k % 7]:to "cuda:0"
        local s = cp.cuda.Stream { device = "cuda:1" }
        kept[14 + k % 3] = s:with(function() return x:to "cuda:1" + 1 end)
      end
      print(kept[1]:sum():item() > 0)
    ]]
    assert.equal("true\n", output)
    assert.equal(0, status)
  end)
end)
