-- cp.RawKernel on the current device: launches, arguments of every type, and every error. Expected values are
-- closed forms or computed by loops here.

local cp = require "cupola"
local check = require "spec.helper.check"

local on_gpu = cp.device().kind == "cuda"

local ADD = [[
extern "C" __global__ void add(const float *x, const float *y, float *z, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}]]
local add = cp.RawKernel(ADD, "add")

local function floats(n) return cp.arange(n):astype "float32" end

local function equal(want, x) assert.same(want, x:totable()) end

-- Kernels that share one compilation.
local several = cp.RawModule { code = [==[
extern "C" {
__global__ void numbers(bool b, signed char i8, unsigned char u8, short i16, unsigned short u16, int i32, unsigned u32,
                        long long i64, unsigned long long u64, float f, double d, char c, size_t s, double *out) {
  double v[] = {(double)b, (double)i8, (double)u8, (double)i16, (double)u16, (double)i32, (double)u32,
                (double)(i64 >> 32), (double)(u64 >> 32), (double)f, d, (double)c, (double)s};
  for (int k = 0; k < 13; k++) out[k] = v[k];
}
__global__ void vectors(float4 v, int3 w, const float4 *many, double2 z, float *out) {
  float4 m = many[1];
  out[0] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
  out[1] = w.x + 10 * w.y + 100 * w.z;
  out[2] = m.x + m.w;
  out[3] = (float)(z.x - z.y);
}
__global__ void places(int *out) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] =
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}
__global__ void count(const int *values, int n, unsigned *bins, float *sum, int *least, int *most) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[values[i]], 1u);
    atomicAdd(sum, 1.0f);
    atomicMin(least, values[i] - 3);
    atomicMax(most, values[i]);
  }
}
__global__ void nothing() {}
__global__ void set(int *out, int value) { out[threadIdx.x] = value; }
__global__ void is_null(const float *p, int *out) { out[0] = p == nullptr; }
__global__ void copy_rows(const double *x, long long step, double *out, int n) { // strides in elements
  if (threadIdx.x < n) out[threadIdx.x] = x[threadIdx.x * step];
}
__global__ void bytes(const unsigned char *mask, const char *text, const void *any, int *out) {
  out[0] = mask[1] + 2 * text[0] + 4 * ((const int *)any)[1];
}
}]==] }

local function kernel(name) return several:get_function(name) end

describe("RawKernel", function()
  it("adds, in both forms of a call", function()
    for _, n in ipairs { 1, 255, 256, 1000, 100003 } do
      local x, y, z = floats(n), cp.full(n, 0.5, "float32"), cp.zeros(n, "float32")
      add({ math.ceil(n / 256) }, { 256 }, { x, y, z, n })
      assert.is_true(z == x + y, tostring(n))
      z:fill(-1)
      add[{ math.ceil(n / 128), 128 }](x, x, z, n)
      assert.is_true(z == x * 2, tostring(n))
    end
  end)

  it("gives each thread its place in grids and blocks of three dimensions", function()
    local out, want = cp.zeros(2 * 3 * 4 * 5 * 3 * 2, "int32"), {}
    kernel "places"({ 2, 3, 4 }, { 5, 3, 2 }, { out })
    for bz = 0, 3 do
      for by = 0, 2 do
        for bx = 0, 1 do
          for tz = 0, 1 do
            for ty = 0, 2 do
              for tx = 0, 4 do want[#want + 1] = tx + 10 * ty + 100 * tz + 1000 * bx + 10000 * by + 100000 * bz end
            end
          end
        end
      end
    end
    equal(want, out)
  end)

  it("converts numbers to the types of the source", function()
    local out = cp.zeros(13)
    kernel "numbers"(1, 1, { true, -128, 255, -32768, 65535, -2147483648, 4294967295, -2 ^ 40, 2 ^ 63, 0.1, 0.1, 65,
      2 ^ 50, out })
    local single = cp.array(0.1, "float32"):astype("float64"):item()
    equal({ 1, -128, 255, -32768, 65535, -2147483648, 4294967295, -256, 2147483648, single, 0.1, 65, 2 ^ 50 }, out)
    local s = cp.scalar
    kernel "numbers"(1, 1, { s(false, "bool"), s(1, "int8"), s(2, "uint8"), s(3, "int16"), s(4, "uint16"),
      s(5, "int32"),
      s(6, "uint32"), s(2 ^ 33, "int64"), s(2 ^ 34, "uint64"), s(9.5, "float32"), s(-1 / 0, "float64"), 0, 12, out })
    equal({ 0, 1, 2, 3, 4, 5, 6, 2, 4, 9.5, -1 / 0, 0, 12 }, out)
    kernel "numbers"(1, 1, { false, 0, 0, 0, 0, 0, 0, 0, 0, 1 / 0, 0 / 0, 0, 0, out })
    assert.equal(1 / 0, out[10])
    assert.is_true(out[11] ~= out[11])
  end)

  it("takes vectors as tables and as arrays of their elements", function()
    local out = cp.zeros(4, "float32")
    kernel "vectors"(1, 1, { { 1, 2, 3, 4 }, { -1, 0, 2 }, floats(8), { 2.5, 1 }, out })
    equal({ 4321, 199, 11, 1.5 }, out)
  end)

  it("takes bytes for bool and char, and any array for void", function()
    local out = cp.zeros(1, "int32")
    kernel "bytes"(1, 1, { cp.array { false, true }, cp.array({ 3 }, "uint8"), cp.array({ 0, 5 }, "int32"), out })
    equal({ 1 + 6 + 20 }, out)
  end)

  it("counts with atomics", function()
    local n = 10000
    local bins, sum = cp.zeros(7, "uint32"), cp.zeros(1, "float32")
    local least, most = cp.zeros(1, "int32"), cp.zeros(1, "int32")
    kernel "count"(13, 64, { cp.arange(n):astype "int32" % 7, n, bins, sum, least, most })
    local want = {}
    for v = 0, 6 do want[v + 1] = math.floor((n - v + 6) / 7) end
    equal(want, bins)
    assert.same({ n, -3, 6 }, { sum[1], least[1], most[1] })
  end)

  it("works without arguments, on empty arrays, and with a grid of no blocks", function()
    kernel "nothing"(3, 32)
    kernel "nothing"(3, 32, {})
    kernel "nothing"[{ 1, 1 }]()
    local x = cp.zeros({ 0 }, "float32")
    add(1, 32, { x, x, x, 0 })
    local out = cp.zeros(1, "int32")
    kernel "set"(0, 1, { out, 5 })
    kernel "set"({ 2, 0 }, 1, { out, 5 })
    equal({ 0 }, out)
    kernel "is_null"(1, 1, { cp.scalar(0, "uint64"), out })
    equal({ 1 }, out)
    kernel "is_null"(1, 1, { x, out })
    assert.is_true(out[1] == 0 or out[1] == 1)
  end)

  it("computes pending arguments, and keeps pending readers of what it writes", function()
    local x = floats(4)
    cp.eval(x)
    local before = x + 10 -- pending
    add(1, 4, { x + 1, x * 2, x, 4 })
    equal({ 1, 4, 7, 10 }, x)
    equal({ 10, 11, 12, 13 }, before)
    local copy = cp.zeros(4, "float32")
    copy:assign(x + 0)
    add(1, 4, { x, x, x, 4 })
    equal({ 1, 4, 7, 10 }, copy)
    equal({ 2, 8, 14, 20 }, x)
  end)

  it("does not disturb pending readers of what it only reads", function()
    if not check.lazy then return end
    local x, z = floats(4), cp.zeros(4, "float32")
    cp.eval(x, z)
    add(1, 4, { x, x, z, 4 }) -- compiled
    local later = x + 1
    local grown = check.counted(add, 1, 4, { x, x, z, 4 })
    assert.same({ 1, 0, 0 }, { grown.launches, grown.forces, grown.allocations })
    equal({ 1, 2, 3, 4 }, later)
  end)

  it("takes views without gaps as they are, others only if it is told to", function()
    local m = cp.arange(12):astype("float64"):reshape(3, 4)
    local out = cp.zeros(4)
    kernel "copy_rows"(1, 4, { m[2], 1, out, 4 })
    equal({ 4, 5, 6, 7 }, out)
    local strided = several:get_function("copy_rows", { strided = true })
    strided(1, 4, { m["1:, 2"], 4, out, 3 })
    equal({ 1, 5, 9, 7 }, out)
    check.failure("usage", "copy_rows: argument 1 (x): the array is a view",
      function() kernel "copy_rows"(1, 4, { m.T, 1, out, 4 }) end)
  end)

  it("shows its name and attributes", function()
    assert.equal("add", add.name)
    assert.equal("RawKernel add", tostring(add))
    assert.equal(add, add:compile())
    local a = add.attributes
    assert.is_true(a.max_threads_per_block >= 256)
    assert.equal(a.num_regs, add.num_regs)
    assert.equal(on_gpu, add.num_regs > 0)
    assert.is_true(add:occupancy(256) >= 1)
    local block, grid = add:best_block()
    assert.is_true(block >= 32 and block <= 1024 and grid >= 1)
    assert.is_true(add:best_block(0, 64) <= 64)
    add.max_dynamic_shared_size_bytes = 4096
    assert.equal(4096, add.max_dynamic_shared_size_bytes)
    add.preferred_shared_memory_carveout = 50
    assert.equal(50, add.preferred_shared_memory_carveout)
  end)

  it("survives collections", function()
    for _ = 1, 3 do
      local k = cp.RawKernel(ADD, "add")
      local x, z = floats(10), cp.zeros(10, "float32")
      k(1, 32, { x, x, z, 10 })
      k = nil -- luacheck: ignore
      collectgarbage()
      collectgarbage()
      assert.is_true(z == x * 2)
    end
  end)
end)

describe("errors of a raw kernel", function()
  local x, y = floats(8), cp.zeros(8, "float32")

  it("name the argument", function()
    check.failure("usage", "add: argument 2 (y): const float* must be an array, not nil (missing)",
      function() add(1, 8, { x, nil, y, 8 }) end)
    check.failure("usage", "add: argument 4 (n): int needs a number, not nil (missing)",
      function() add(1, 8, { x, y, y }) end)
    check.failure("usage", "add: the kernel has 4 parameters, 5 arguments were given",
      function() add(1, 8, { x, x, y, 8, 1 }) end)
    check.failure("usage", "add: the kernel has 4 parameters, 1 argument was given", function() add[{ 1, 8 }](x) end)
    check.failure("dtype", "add: argument 1 (x): const float* needs an array of float32, not of float64; convert it",
      function() add(1, 8, { x:astype "float64", x, y, 8 }) end)
    check.failure("usage", "add: argument 3 (z): float* must be an array, not number",
      function() add(1, 8, { x, x, 0, 8 }) end)
    check.failure("usage", "add: argument 4 (n): int needs a number, not an array (its :item()",
      function() add(1, 8, { x, x, y, x }) end)
    check.failure("dtype", "add: argument 4 (n): int needs a number, not a boolean",
      function() add(1, 8, { x, x, y, true }) end)
    check.failure("dtype", "add: argument 4 (n): int is a whole number, which 1.5 is not",
      function() add(1, 8, { x, x, y, 1.5 }) end)
    check.failure("dtype", "add: argument 4 (n): int is int32, which 2147483648 is not",
      function() add(1, 8, { x, x, y, 2 ^ 31 }) end)
    check.failure("dtype", "add: argument 4 (n): int needs int32, not a scalar of int64",
      function() add(1, 8, { x, x, y, cp.scalar(8, "int64") }) end)
    check.failure("dtype", "add: argument 4 (n): int needs a real number, not a complex one",
      function() add(1, 8, { x, x, y, cp.j }) end)
    check.failure("usage", "add: argument 4 (n): int needs a number, not string",
      function() add(1, 8, { x, x, y, "8" }) end)
    check.failure("dtype", "numbers: argument 1 (b): bool needs a boolean, not a number",
      function() kernel "numbers"(1, 1, { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, cp.zeros(13) }) end)
    check.failure("usage", "vectors: argument 1 (v): float4 needs a table of 4 numbers, not a table of another length",
      function() kernel "vectors"(1, 1, { { 1, 2 }, { 1, 2, 3 }, x, { 1, 2 }, y }) end)
    check.failure("dtype", "vectors: argument 2 (w): component 3: int3 is a whole number, which 0.5 is not",
      function() kernel "vectors"(1, 1, { { 1, 2, 3, 4 }, { 1, 2, 0.5 }, x, { 1, 2 }, y }) end)
    check.failure("usage", "add: args must be a table of arguments, not userdata", function() add(1, 8, x, y) end)
    check.failure("usage", "add: no option 'shared'; the options are shared_mem, stream",
      function() add(1, 8, { x, x, y, 8 }, { shared = 1 }) end)
  end)

  it("refuse arrays that are freed, or that cannot be written", function()
    local freed, broadcast = floats(8), cp.broadcast_to(cp.ones(1, "float32"), { 8 })
    freed:free()
    check.failure("usage", "add: the array's memory was freed", function() add(1, 8, { freed, x, y, 8 }) end)
    check.failure("usage", "add: argument 3 (z): the array is a view",
      function() add(1, 8, { x, x, broadcast, 8 }) end)
  end)

  it("name the limit that a grid or a block exceeds", function()
    check.failure("usage", "add: too many threads: block (1025, 1, 1) has 1025, the kernel allows 1024",
      function() add(1, 1025, { x, x, y, 8 }) end)
    check.failure("usage", "add: too many threads: block (32, 64, 1) has 2048",
      function() add(1, { 32, 64 }, { x, x, y, 8 }) end)
    check.failure("usage", "add: block has 65 threads in dimension 3",
      function() add(1, { 1, 1, 65 }, { x, x, y, 8 }) end)
    check.failure("usage", "add: block has no threads: (0, 1, 1)", function() add(1, 0, { x, x, y, 8 }) end)
    check.failure("usage", "add: grid has 65536 blocks in dimension 2; at most 65535 are possible",
      function() add({ 1, 65536 }, 1, { x, x, y, 8 }) end)
    check.failure("usage", "add: grid is -1 in dimension 1, which is out of range",
      function() add(-1, 1, { x, x, y, 8 }) end)
    check.failure("usage", "add: grid must be a number or a table of 1 to 3 numbers, not nil",
      function() add(nil, 1, { x, x, y, 8 }) end)
    check.failure("usage", "add: grid must have 1 to 3 numbers, but has 4",
      function() add({ 1, 1, 1, 1 }, 1, { x, x, y, 8 }) end)
    check.failure("usage", "add: block must be a whole number, not 1.5",
      function() add(1, { 1.5 }, { x, x, y, 8 }) end)
    check.failure("usage", "add: too much shared memory: 1000000 bytes of dynamic and ",
      function() add(1, 1, { x, x, y, 8 }, 1e6) end)
    check.failure("usage", "add: [{grid, block}] has 1 values, not 2", function() local _ = add[{ 1 }] end)
  end)

  it("show the user's line where a source does not compile", function()
    local bad = cp.RawKernel('extern "C" __global__ void bad(int *a) {\n  a[0] = 1;\n  a[1] = missing;\n}', "bad")
    local ok, message = pcall(bad, 1, 1, { cp.zeros(2, "int32") })
    assert.is_false(ok)
    assert.matches("rawkernel_spec%.lua:%d+: cupola%.bad: ", message)
    assert.matches("bad[:%(]3[:%)]", message)
    assert.matches("line 3:   a%[1%] = missing;$", message)
    assert.equal("compile", cp.last_error().kind)
  end)

  it("name the argument that a constructor refuses", function()
    check.failure("usage", "RawKernel: no kernel 'g'; the kernels are add", function() cp.RawKernel(ADD, "g") end)
    check.failure("usage", "RawKernel: no kernel 'f'; the source has no __global__ function",
      function() cp.RawKernel("int x;", "f") end)
    check.failure("usage", "RawKernel: code must be a string, not number", function() cp.RawKernel(1, "f") end)
    check.failure("usage", "RawKernel: name is missing", function() cp.RawKernel(ADD) end)
    check.failure("usage", "RawKernel: options must be a table of strings, not number",
      function() cp.RawKernel(ADD, "add", 1) end)
    check.failure("usage", "RawKernel: backend must be \"nvrtc\", not \"nvcc\"",
      function() cp.RawKernel(ADD, "add", { backend = "nvcc" }) end)
    check.failure("usage", "RawKernel: t is a template; name an instance of it, such as t<float>",
      function() cp.RawKernel("template <typename T> __global__ void t(T x) {}", "t") end)
    check.failure("usage", "RawKernel: code must be a source", function() cp.RawKernel("\127ELF", "t") end)
    check.failure("usage", "add: a raw kernel has no field or method 'nam'; did you mean 'name'?",
      function() local _ = add.nam end)
    check.failure("usage", "add: 'num_regs' cannot be set", function() add.num_regs = 3 end)
  end)

  it("name the kernel that destroyed the context", function()
    if not on_gpu then return end
    local text = [[
      local cp = require "cupola"
      local k = cp.RawKernel('extern "C" __global__ void astray(int *a) { a[1ll << 40] = 1; }', "astray")
      local x = cp.zeros(4, "int32")
      k(1, 1, { x })
      print(select(2, pcall(cp.synchronize)))
      print(select(2, pcall(k, 1, 1, { x })))
      print(select(2, pcall(cp.zeros, 10)))]]
    local output = check.run(text, "CUPOLA_DEVICE=cuda")
    assert.matches("the CUDA context of cuda:0 is lost.-kernels of the user.-astray", output)
    assert.matches("cannot be used any more, its CUDA context is lost", output)
  end)
end)

describe("raw kernels on the CPU device", function()
  local cpu = cp.device "cpu"
  local function refused(fact, source)
    local k = cp.RawKernel(source, "f")
    local ok, message = pcall(cpu.with, cpu, k, 1, 1)
    assert.is_false(ok)
    assert.is_truthy(message:find("cupola.f: " .. fact, 1, true), message)
  end

  it("refuse by name what they cannot do", function()
    refused("inline PTX (asm) cannot be used on the CPU device; run this kernel on a GPU",
      '__global__ void f() { asm("nop;"); }')
    refused("CUDA's header <cuda_fp16.h> cannot be used", "#include <cuda_fp16.h>\n__global__ void f() {}")
    refused("cooperative groups cannot be used", "namespace cg = cooperative_groups;\n__global__ void f() {}")
    refused("texture references cannot be used", "texture<float> t;\n__global__ void f() {}")
    refused("tex2DLayered cannot be used",
      "__device__ float g() { return tex2DLayered<float>(0, 0, 0, 0); }\n__global__ void f() {}")
    refused("launches from kernels (<<<>>>) cannot be used",
      "__global__ void g() {}\n__global__ void f() { g<<<1, 1>>>(); }")
    refused("the CUDA runtime (cudaMalloc) cannot be used", "__global__ void f() { cudaMalloc(0, 1); }")
  end)

  it("do not refuse comments and strings", function()
    local k = cp.RawKernel('// asm cooperative_groups\n__global__ void f() { const char *s = "<<<"; (void)s; }', "f")
    cpu:with(k, 1, 1)
  end)

  it("report threads that wait for each other for ever", function()
    local code = "__global__ void stuck() { if (threadIdx.x < 5) __syncthreads(); else __syncwarp(); }"
    local k = cp.RawKernel(code, "stuck")
    local ok, message = pcall(cpu.with, cpu, k, 2, 64)
    assert.is_false(ok)
    assert.matches("cupola.stuck: threads of a block wait for each other for ever", message)
    local x = cp.cpu.zeros(4)
    cpu:with(function() assert.equal(8, (x + 2):sum():item()) end)
  end)

  it("refuse a cooperative launch", function()
    local k = cp.RawKernel("__global__ void f() {}", "f", { enable_cooperative_groups = true })
    local ok, message = pcall(cpu.with, cpu, k, 1, 1)
    assert.is_false(ok)
    assert.matches("cooperative launches cannot be made on the CPU device", message)
  end)
end)
