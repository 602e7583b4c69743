-- Kernels with your own source: an elementwise kernel (squared difference), a reduction (the L2 norm), and
-- raw kernels (the sum of two vectors, for one type and for any).
-- Prints their results on two small arrays; whether the raw kernels and the operator give equal sums of a
-- million elements; and how many kernels were compiled, which is 0 if they were already on disk. Needs a GPU
-- or a C++ compiler.
local cp = require "cupola"

local compiled = cp.profiler.counters().compiles

-- Elementwise: the source runs for every element; the library provides broadcasting and loops.
local squared_diff = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
local x = cp.arange(10, "float32"):reshape(2, 5)
local y = cp.arange(5, "float32")
local differences = squared_diff(x, y) -- y broadcasts along the rows
print("squared differences:")
print(differences)

-- A reduction: a map of each element, the combination of two values, the final step, and the identity.
local l2norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
print(("norm of all: %.4f"):format(l2norm(x):item()))
local norms = l2norm(x, 2)
print("norms of the rows:")
print(norms)

-- Raw: a complete CUDA kernel with its grid; numbers in a call take the types of the parameters.
local add = cp.RawKernel([[
extern "C" __global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}]], "add")

-- The same for any type: a template, whose instances are selected by name.
local module = cp.RawModule {
  code = [[
template <typename T> __global__ void add_any(const T* a, const T* b, T* out, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}]],
  options = { "-std=c++17" },
  name_expressions = { "add_any<float>", "add_any<double>", "add_any<int>" },
}

local n, block = 1000000, 256
local grid = { math.ceil(n / block) }
local equal = true
for _, case in ipairs { { "float32", add }, { "float32", module:get_function "add_any<float>" },
  { "float64", module:get_function "add_any<double>" }, { "int32", module:get_function "add_any<int>" } } do
  local a = (cp.arange(n, { dtype = "int64" }) * 7919 % 1000):astype(case[1])
  local b = (cp.arange(n, { dtype = "int64" }) * 104729 % 1000):astype(case[1])
  local out = cp.empty_like(a)
  case[2](grid, { block }, { a, b, out, n })
  local same = cp.array_equal(out, a + b)
  print(("%-7s %d sums %s the operator's"):format(case[1], n, same and "equal" or "differ from"))
  equal = equal and same
end
print(("compiled: %d, on %s"):format(cp.profiler.counters().compiles - compiled, cp.device().name))
return differences, norms, equal
