-- Run by spec/lazy/simulated_spec.lua with a simulated driver whose kernels are compiled for the host
-- (compile.c): each program once on that GPU and once on the CPU device. Prints "all as it should be".
--   PART=1/2   every second program, from the first on

local cp = require "cupola"
local cpu, gpu = cp.cpu, "cuda:0"
local unpack = table.unpack or unpack -- luacheck: ignore
assert(cp.device().name == gpu and cp.device().properties.name == "no GPU")

-- Numbers between -4 and 6 with gaps, some of them equal.
local function numbers(shape, dtype)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  return ((cpu.arange(n) * 7919 % 1009) / 101 - 4):reshape(shape):astype(dtype or "float32"):eval()
end

local function last(x, name, ...) return x[name](x, { axis = -1, keepdims = true, ... }) end

local function softmax(x)
  local e = cp.exp(x - last(x, "max"))
  return e / last(e, "sum")
end

-- Each: what it tests, the relative error that a result may have (0: none), the operands, the program.
local PROGRAMS = {
  { "elements", 0, { numbers { 1000 } }, function(x) return x * 2 + 1, cp.floor(x / 3), cp.exp(x) * cp.sin(x) end },
  { "rows that begin anywhere", 0, { numbers { 9, 37 }, numbers { 37 } },
    function(x, y) return x["2:, 3:30"] * y["3:30"], cp.where(cp.greater(x, y), x, -y) end },
  { "half types", 0, { numbers({ 333 }, "float16"), numbers({ 333 }, "bfloat16") },
    function(x, y) return x * x + 1, y / 3, x:astype "bfloat16", y:astype "float16" end },
  { "integers", 0, { numbers({ 300 }, "int8"), numbers({ 300 }, "uint16"), numbers({ 300 }, "int64") },
    function(x, y, z) return x * x, y + z, cp.floor_divide(z, 3), x:astype "uint8", cp.negative(z) end },
  { "complex numbers", 1e-6, { numbers({ 200 }, "complex64"), numbers({ 200 }, "complex128") },
    function(x, y) return x * x + 1, cp.exp(y), cp.abs(x) end },
  { "transposed operands", 0, { numbers { 70, 90 }, numbers { 90, 70 } },
    function(x, y) return x + y.T, y.T:astype "int16" * x:astype "int8" end },
  { "moved operands", 0, { numbers { 20, 31 } },
    function(x) return cp.roll(x, 3, 1) + x, cp.pad(x, 2, "reflect") * 2, cp.tile(x, { 2, 2 }) end },
  { "random draws", 0, {}, function()
    cp.random.seed(7)
    return cp.random.rand(1000) * 2, cp.random.randint(1, 100, 500)
  end },
  { "normal draws", 1e-12, {}, function()
    cp.random.seed(8)
    return cp.random.randn(1001) + 1
  end },
  { "short rows", 1e-5, { numbers { 300, 20 } }, function(x) return x:sum(2), x:max(2), x:argmin(2), x:var(2) end },
  { "long rows", 1e-5, { numbers { 3, 5001 } },
    function(x) return (x * 2):sum(2), x:max(2), x:argmax(2), x:std(2), cp.greater(x, 0):sum(2) end },
  { "one row for many blocks", 1e-5, { numbers { 70001 } },
    function(x) return x:sum(), (x * x):mean(), x:argmax(), x:var(), x:min() end },
  { "columns", 1e-5, { numbers { 700, 65 } },
    function(x) return x:sum(1), (x + 1):max(1), x:argmin(1), x:var(1), x:astype "int32":sum(1) end },
  { "sums of small integers", 0, { numbers({ 40, 1000 }, "int8"), numbers({ 5000 }, "bool") },
    function(x, y) return x:sum(2), x:sum(1), y:sum(), x:any(2), x:all(1) end },
  { "domains", 1e-5, { numbers { 60, 3 }, numbers { 50, 3 }, numbers { 40, 90 }, numbers { 30, 90 } },
    function(x, y, v, w)
      return cp.abs(x[":, new"] - y):sum(3), cp.abs(v[":, new"] - w):max(3), (v[":, new"] * w):sum(3)
    end },
  { "several reductions", 1e-5, { numbers { 80, 300 } },
    function(x) return x:sum(2), x:max(2), x:sum(1), x * 2 end },
  { "rows with phases", 1e-5, { numbers { 50, 70 }, numbers { 6, 3000 }, numbers { 4, 500 } }, function(x, y, z)
    local mean = last(z, "mean")
    return softmax(x), softmax(y), (z - mean) / cp.sqrt(last(z, "var") + 1e-5), mean
  end },
  { "positions", 0, { numbers { 40, 9 }, (cpu.arange(25) * 7 % 40 + 1):eval() }, function(x, at)
    local y = x:copy()
    y[at] = at:astype "float32":reshape { 25, 1 }
    return x[at], cp.take(x, at, { axis = 1 }) * 2, y
  end },
  { "masks", 0, { numbers { 5000 } }, function(x)
    local y = x:copy()
    y[cp.less(y, 0)] = 0
    return x[cp.greater(x, 1)], y, cp.nonzero(cp.equal(x, 2))
  end },
  { "scans", 1e-5, { numbers { 9000 }, numbers { 30, 40 } },
    function(x, y) return cp.cumsum(x), cp.cumsum(x:astype "int64"), cp.cumsum(y, 1), cp.cumprod(y, 2) end },
  { "sorting", 0, { numbers { 5000 }, numbers { 30, 40 } },
    function(x, y)
      return cp.sort(x), cp.argsort(y, 2), cp.unique(x:astype "int32"), cp.searchsorted(cp.sort(x), y)
    end },
  { "windows", 1e-5, { numbers { 600 }, numbers { 40, 30 } }, function(x, y)
    return cp.convolve(x, cp.array({ 1, 2, 3 }, "float32")), cp.scipy.ndimage.uniform_filter(y, 3),
      cp.scipy.ndimage.maximum_filter(y, { size = 3 }), cp.bincount(x:astype "int32" + 4)
  end },
}

local function results(device, program, operands)
  local list = {}
  for k, x in ipairs(operands) do list[k] = x:to(device) end
  local out = cp.device(device):with(function()
    local all = { program(unpack(list)) }
    for k, v in ipairs(all) do all[k] = type(v) == "table" and not cp.is_array(v) and v[1] or v end
    return all
  end)
  for k, v in ipairs(out) do out[k] = cp.is_array(v) and v:to "cpu" or cpu.array(v) end
  return out
end

local function check(name, tolerance, operands, program)
  local got, want = results(gpu, program, operands), results("cpu", program, operands)
  assert(#got == #want and #got > 0, name)
  for k = 1, #want do
    local same = got[k].dtype == want[k].dtype and cpu.array_equal(got[k], want[k], { equal_nan = true })
    if not same and tolerance > 0 then
      same = cpu.allclose(got[k], want[k], { rtol = tolerance, atol = tolerance, equal_nan = true })
    end
    if not same then
      print(("%s, result %d: %s\nbut on the CPU %s"):format(name, k, tostring(got[k]), tostring(want[k])))
      os.exit(1)
    end
  end
end

local part, parts = (os.getenv "PART" or "1/1"):match "(%d+)/(%d+)"
for k = part, #PROGRAMS, parts do
  local p = PROGRAMS[math.floor(k)]
  check(unpack(p))
end
print "all as it should be"
