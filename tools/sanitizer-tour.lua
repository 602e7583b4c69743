-- A short run through every family of kernels on the current device, for tools that make each launch slow
-- (compute-sanitizer, valgrind): small and odd sizes, every kind of access, every reduction by every
-- strategy, casts, user kernels and copies. Compares each result with the CPU device's.
--   compute-sanitizer --tool memcheck lua5.4 tools/sanitizer-tour.lua [PART]
-- PART: elementwise, reductions, casts, kernels or copies; default: all. The status is 1 when a result
-- differs.

local cp = require "cupola"

local device = cp.device()
local host = cp.device "cpu"
local wanted = arg and arg[1]
local cases, wrong = 0, 0

-- How far results of a dtype may differ: both devices may be off by the bound of the operation's class.
local tolerance = { float16 = 4e-3, bfloat16 = 3e-2, float32 = 1e-5, complex64 = 1e-5 }

local function close(a, b)
  local r = tolerance[a.dtype] or 1e-12
  return cp.allclose(a, b, { rtol = r, atol = r, equal_nan = true })
end

local function same(got, want, exact)
  if not cp.is_array(got) then return got == want or (got ~= got and want ~= want) end
  if got.dtype ~= want.dtype or got.shape ~= want.shape then return false end
  got = got:cpu()
  return host:with(function()
    if exact then return cp.array_equal(got, want, { equal_nan = true }) end
    return close(got, want)
  end)
end

-- Runs f on both devices and compares up to two results. exact: bit for bit.
local function case(name, exact, f)
  cases = cases + 1
  local ok, got, more = pcall(device.with, device, f)
  local ok_host, want, more_wanted = pcall(host.with, host, f)
  if ok and ok_host and same(got, want, exact) and same(more, more_wanted, exact) then return end
  wrong = wrong + 1
  print("differs: " .. name)
  if not ok then print("  " .. tostring(got)) end
  if not ok_host then print("  on the CPU: " .. tostring(want)) end
end

local every = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
  "float32", "float64", "complex64", "complex128" }
local widths = { "int8", "float16", "float32", "float64", "complex128" } -- 1, 2, 4, 8 and 16 bytes

-- n small numbers, some negative and some not whole where the dtype has them.
local function numbers(n, dtype)
  local x = (cp.arange(n) * 7) % 23
  if dtype:find "^u" or dtype == "bool" then return x:astype(dtype) end
  if dtype:find "^int" then return (x - 11):astype(dtype) end
  return ((x - 11) * 0.375):astype(dtype)
end

local function matrix(rows, columns, dtype) return numbers(rows * columns, dtype):reshape(rows, columns) end

local parts = {}

function parts.elementwise()
  for _, dtype in ipairs(every) do
    case("add " .. dtype, true, function() return numbers(1025, dtype) + numbers(1025, dtype) end)
  end
  for _, dtype in ipairs(widths) do
    local function layout(name, f) case(("add %s %s"):format(dtype, name), true, function() return f(matrix(37, 29,
      dtype)) end) end
    layout("unaligned", function(x) return x:ravel()["2:"] + x:ravel()[":-2"] end)
    layout("parts of rows", function(x) return x[":, 2:-2"] + x[":, 3:"] end)
    layout("aligned rows", function() return matrix(9, 64, dtype)[":, :32"] + matrix(9, 32, dtype) end)
    layout("reversed", function(x) return x["::-1, ::-1"] + x end)
    layout("strided", function(x) return x["::2, ::3"] + x["::2, 3::3"][":, 1:1"] end)
    layout("transposed", function(x) return x.T + matrix(29, 37, dtype) end)
    layout("row", function(x) return x + x[1] end)
    layout("column", function(x) return x + x[":, 2:2"] end)
    layout("five axes", function()
      local y = numbers(2 * 3 * 4 * 5 * 3, dtype):reshape(2, 3, 4, 5, 3)
      return y["::-1, :, ::2, 2:, :"] + y[":, ::-1, 2::2, 2:, 1:1"]
    end)
    for _, n in ipairs { 1, 3, 15, 17, 33 } do
      case(("add %s %d"):format(dtype, n), true, function() return numbers(n, dtype) + numbers(n, dtype) end)
    end
    case("in place " .. dtype, true, function()
      local x = matrix(19, 19, dtype)
      x:add_(x.T)
      x["2:"]:add_(x[":-2"])
      return x
    end)
  end
  -- every function of one and two operands in float32, with arguments that take the slow paths
  local special = { 0, -0.0, 0.5, -1.5, 3e4, -1e9, 1e30, 2e-40, cp.inf, -cp.inf, cp.nan, 1, -1, 20.5, -87, 105, 7 }
  local one = { "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
    "arcsin",
    "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "sinc", "erf", "erfc", "lgamma",
      "gamma", "floor",
    "rint", "sign", "isnan", "signbit", "reciprocal", "frexp", "modf", "negative", "logical_not" }
  for _, name in ipairs(one) do
    case(name, false, function() return cp[name](cp.array(special, "float32")) end)
  end
  local two = { "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "power", "arctan2", "hypot",
    "logaddexp",
    "maximum", "fmin", "copysign", "nextafter", "heaviside", "less", "not_equal", "logical_xor", "divmod" }
  for _, name in ipairs(two) do
    case(name, false, function() return cp[name](numbers(131, "float32"), numbers(132, "float32")["2:"]) end)
  end
  for _, name in ipairs { "floor_divide", "remainder", "power", "gcd", "lcm", "bitwise_xor", "left_shift",
    "right_shift" } do
    case(name .. " of integers", true,
      function() return cp[name](numbers(131, "int32"), cp.abs(numbers(131, "int32"))) end)
  end
  for _, name in ipairs { "multiply", "divide", "power" } do
    case(name .. " complex", false,
      function() return cp[name](numbers(131, "complex64") * cp.complex(1, 2), cp.complex(2, 1)) end)
  end
  for _, name in ipairs { "exp", "log", "sqrt", "tanh", "arcsin", "abs", "angle" } do
    case(name .. " complex", false, function() return cp[name](numbers(131, "complex64") * cp.complex(1, 2)) end)
  end
  case("where", true,
    function() return cp.where(numbers(131, "int8"):gt(2), numbers(131, "float32"), numbers(1, "float64")) end)
  case("fma", true, function() return cp.fma(numbers(131, "float32"), 3, numbers(131, "float32")["::-1"]) end)
  case("ldexp", true, function() return cp.ldexp(numbers(131, "float32"), numbers(131, "int32")) end)
  case("isclose", true, function() return cp.isclose(numbers(131, "float32"), 1.5, 0.5) end)
end

function parts.reductions()
  local shapes = { -- strategies are chosen by the length and number of rows, and by what is contiguous
    { "short rows", { 301, 33 }, 2 }, { "tiny rows", { 1001, 3 }, 2 }, { "rows", { 700, 1500 }, 2 }, { "long rows",
      { 3, 100003 }, 2 },
    { "columns", { 1003, 37 }, 1 }, { "few long columns", { 40001, 3 }, 1 }, { "many columns", { 5, 70001 }, 1 },
  }
  local all = { "sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var", "std", "ptp", "nansum",
    "nanprod",
    "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "count_nonzero" }
  local exact = { min = true, max = true, any = true, all = true, argmin = true, argmax = true, count_nonzero = true }
  local function reduce(name, dtype, shape, axis, label)
    case(("%s %s %s"):format(name, dtype, label), exact[name], function()
      local x = numbers(shape[1] * shape[2], dtype):reshape(shape)
      if name == "prod" or name == "nanprod" then x = cp.sign(x) + (x:eq(0)):astype(dtype) end
      return cp[name](x, { axis = axis })
    end)
  end
  for _, name in ipairs(all) do
    for k, s in ipairs(shapes) do
      if k ~= 3 or name == "sum" then reduce(name, "float32", s[2], s[3], s[1]) end
    end
  end
  for _, dtype in ipairs { "int8", "uint16", "float16", "float64", "complex128" } do
    for _, s in ipairs(shapes) do reduce("sum", dtype, s[2], s[3], s[1]) end
    if dtype ~= "complex128" then reduce("argmax", dtype, { 3, 10007 }, 2, "rows") end
    reduce("std", dtype, { 3, 10007 }, 2, "rows")
  end
  for _, n in ipairs { 1, 2, 31, 33, 255, 257, 1023, 4097, 300007 } do
    case("sum of all " .. n, false, function() return numbers(n, "float32"):sum() end)
    case("sum of all unaligned " .. n, false, function() return numbers(n + 1, "float32")["2:"]:sum() end)
  end
  case("strided rows", false, function() return matrix(67, 131, "float32")["::-2, 2::3"]:sum(2) end)
  case("transposed", false, function() return matrix(67, 131, "float64").T:max(1) end)
  case("middle axes", false, function()
    return numbers(3 * 5 * 7 * 2 * 4, "float32"):reshape(3, 5, 7, 2, 4)["::-1, :, 2:"]:sum({ axis = { 2, 4 } })
  end)
  case("broadcast", false, function() return cp.broadcast_to(numbers(37, "float32"), { 11, 37 }):sum(1) end)
  for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex128" } do
    for _, name in ipairs { "sum", "std", "argmax" } do
      local function pairs_of(label, first, second, axis)
        local same_bits = name == "argmax"
        if same_bits and dtype == "complex128" then return end
        case(("%s %s %s"):format(name, dtype, label), same_bits, function()
          return cp[name](first(dtype) * 2 - second(dtype), { axis = axis })
        end)
      end
      for _, k in ipairs { 3, 16 } do
        pairs_of("rows of " .. k .. " of pairs", function(t) return matrix(67, k, t):reshape(67, 1, k) end,
          function(t) return matrix(71, k, t) end, 3)
      end
      pairs_of("long rows of pairs", function(t) return numbers(131, t):reshape(131, 1) end,
        function(t) return numbers(1003, t) end, 2)
    end
  end
  case("no elements", true, function() return cp.zeros({ 0, 5 }):sum(1) end)
  case("equality", true, function() return matrix(67, 131, "int16") == matrix(67, 131, "int32") end)
end

function parts.casts()
  for _, dtype in ipairs(every) do
    case("float32 to " .. dtype, true, function() return numbers(131, "float32"):astype(dtype) end)
    case(dtype .. " to float64", true, function() return numbers(131, dtype).real:astype("float64") end)
  end
  local edges = { 0, -0.5, 1.5, 127.5, 300, -129, 65536, 3e9, -3e9, 1e19, -1e19, cp.inf, -cp.inf, cp.nan, 65519, 65520,
    6e-8 }
  for _, dtype in ipairs { "int8", "uint8", "int32", "uint32", "int64", "uint64", "bool", "float16", "bfloat16" } do
    case("edges to " .. dtype, true, function() return cp.array(edges):astype(dtype) end)
  end
end

-- Cumulative sums in blocks of 128, through shared memory and shuffles.
local SUMS = [[
__global__ void sums(const int *x, int *out, int n) {
  __shared__ int of_warp[4];
  extern __shared__ int kept[];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = i < n ? x[i] : 0;
  kept[threadIdx.x] = v;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) of_warp[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; w++) v += of_warp[w];
  if (i < n) out[i] = v + kept[blockDim.x - 1 - threadIdx.x];
}]]

local function raw_kernels()
  local sums = cp.RawKernel(SUMS, "sums")
  for _, n in ipairs { 1, 128, 1001 } do
    case("raw kernel " .. n, true, function()
      local x, out = numbers(n, "int32"), cp.zeros(n, "int32")
      sums(math.ceil(n / 128), 128, { x, out, n }, 512)
      return out
    end)
  end
end

function parts.kernels()
  raw_kernels()
  local squared = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
  local gather = cp.ElementwiseKernel("raw T x, int64 shift", "T y", "y = x[(i + shift) % x.size()]", "gather")
  local split = cp.ElementwiseKernel("T x", "T half, bool big", "half = x / 2; big = x > 1", "split")
  local norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
  for _, dtype in ipairs { "float32", "float64", "int32" } do
    case("user kernel " .. dtype, true, function() return squared(numbers(1001, dtype), numbers(1002, dtype)["2:"]) end)
  end
  case("user kernel strided", true, function() return squared(matrix(37, 29, "float32").T, numbers(37, "float32")) end)
  case("user kernel raw", true, function() return gather(numbers(101, "float32"), 5, { size = 101 }) end)
  case("user kernel with two outputs", true, function() return split(numbers(77, "float32")) end)
  for _, n in ipairs { 1, 33, 1000, 100003 } do
    case("user reduction " .. n, false, function() return norm(numbers(n, "float64")) end)
  end
  case("user reduction of rows", false, function() return norm(matrix(67, 131, "float64"), { axis = 2 }) end)
  case("user reduction of columns", false, function() return norm(matrix(67, 131, "float64"), { axis = 1 }) end)
end

function parts.copies()
  for _, dtype in ipairs(widths) do
    case("transposed copy " .. dtype, true, function() return matrix(67, 35, dtype).T:copy() end)
    case("to the CPU and back " .. dtype, true, function()
      local x = matrix(37, 29, dtype)
      return x["2:, ::-2"]:cpu():to(x.device), x.T:cpu():to(x.device)
    end)
    case("fill and write " .. dtype, true, function()
      local x = cp.full({ 37, 29 }, 3, dtype)
      x["2:5, 2:-2"] = 1
      x[{ -1, {} }] = numbers(29, dtype)
      x[":, 3"] = x[":, 4"]
      return x
    end)
    case("overlap " .. dtype, true, function()
      local x = numbers(1001, dtype)
      x["2:"]:assign(x[":-2"])
      x:assign(x["::-1"])
      return x
    end)
    case("element " .. dtype, true, function() return numbers(101, dtype)["::-1"]:astype("complex128").real[7] end)
  end
  case("large copy", true, function() return matrix(1001, 1003, "float32").T:copy() end)
  case("joined", true, function() return cp.concatenate({ matrix(3, 5, "float32"), matrix(4, 5, "int8") }) end)
end

local begin = cp.clock()
for _, name in ipairs { "elementwise", "reductions", "casts", "kernels", "copies" } do
  if wanted == nil or wanted == name then parts[name]() end
end
cp.synchronize()
print(("%s: %d results compared, %d differ, %.1f s"):format(device.name, cases, wrong, cp.clock() - begin))
os.exit(wrong == 0 and 0 or 1, true)
