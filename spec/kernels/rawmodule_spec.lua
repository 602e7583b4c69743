-- cp.RawModule on the current device: several kernels, templates, variables, headers, files, images; what is
-- read from sources without a compiler; and, if NVRTC is installed, what it compiles.
local cp = require "cupola"
local check = require "spec.helper.check"
local core = require "cupola.core"
local signature = require "cupola.kernels.signature"

local on_gpu = cp.device().kind == "cuda"

local function equal(want, x) assert.same(want, x:totable()) end

-- A new folder with these files: name -> text. Returns its path.
local function folder_with(files)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir -p " .. folder .. "/inner"))
  for name, text in pairs(files) do
    local f = assert(io.open(folder .. "/" .. name, "w"))
    f:write(text)
    f:close()
  end
  return folder
end

local module = cp.RawModule { code = [==[
typedef float real;
#define WIDE double
__constant__ real weights[4] = {1, 2, 3, 4};
__device__ int calls, flags[3] = {7, 8, 9};
__device__ float4 corners[2];
namespace inner {
__device__ WIDE table[2][3];
__global__ void fill_table(WIDE v) { table[threadIdx.y][threadIdx.x] = v + 10 * threadIdx.y + threadIdx.x; }
}
extern "C" __global__ void weigh(const real *__restrict__ x, real *__restrict__ y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i] * weights[i];
  if (i == 0) atomicAdd(&calls, 1);
}
template <typename T, int N = 2> __global__ void scale(T *x, T by) { x[threadIdx.x] = x[threadIdx.x] * by + T(N); }
template <class T> struct twice { __device__ T operator()(T v) const { return v + v; } };
template <template <class> class F, typename T> __global__ void apply(T *x) { x[threadIdx.x] = F<T>()(x[threadIdx.x]); }
__global__ void plain(int *x) { x[0] = 5; }
]==], name_expressions = { "scale<float>", "scale<long long, 7>", "apply<twice, double>" } }

describe("RawModule", function()
  it("has several kernels, with C linkage and without", function()
    local x, y = cp.ones(4, "float32"), cp.zeros(4, "float32")
    module:get_function "weigh"(1, 4, { x, y, 4 })
    equal({ 1, 2, 3, 4 }, y)
    local n = cp.zeros(1, "int32")
    module:get_function "plain"(1, 1, { n })
    equal({ 5 }, n)
    assert.equal(module:get_function "plain", module:get_function "plain")
    assert.equal(module, module:compile())
  end)

  it("has instances of templates, whose arguments are checked by their types", function()
    local f, l = cp.ones(2, "float32"), cp.ones(2, "int64")
    module:get_function "scale<float>"(1, 2, { f, 0.5 })
    equal({ 2.5, 2.5 }, f)
    module:get_function "scale<long long,7>"(1, 2, { l, -3 })
    equal({ 4, 4 }, l)
    local d = cp.array { 1, 2 }
    module:get_function "apply<twice, double>"(1, 2, { d })
    equal({ 2, 4 }, d)
    local function message(...) return select(2, pcall(...)) end
    assert.matches("cupola%.scale<float>: argument 1 %(x%): float%* needs an array of float32, not of int64",
      message(module:get_function "scale<float>", 1, 2, { l, 0.5 }))
    assert.matches("cupola%.scale<long long, 7>: argument 2 %(by%): long long is a whole number, which 0.5 is not",
      message(module:get_function "scale<long long, 7>", 1, 2, { l, 0.5 }))
  end)

  it("has variables as arrays", function()
    equal({ 1, 2, 3, 4 }, module:get_global "weights")
    equal({ 7, 8, 9 }, module:get_global "flags")
    local calls, weights = module:get_global "calls", module:get_global "weights"
    assert.same({ "int32", 0 }, { calls.dtype, calls.ndim })
    calls:fill(0)
    weights:assign(weights * 10)
    local x, y = cp.ones(4, "float32"), cp.zeros(4, "float32")
    module:get_function "weigh"(1, 4, { x, y, 4 })
    module:get_function "weigh"(1, 4, { x, y, 4 })
    equal({ 10, 20, 30, 40 }, y)
    assert.equal(2, calls:item())
    weights[{ { 2, 3 } }] = 0
    equal({ 10, 0, 0, 40 }, weights)
    weights:assign(cp.array({ 1, 2, 3, 4 }, "float32"))
    module:get_function "inner::fill_table"(1, { 3, 2 }, { 0.5 })
    equal({ { 0.5, 1.5, 2.5 }, { 10.5, 11.5, 12.5 } }, module:get_global "inner::table")
    assert.same({ 2, 4 }, { module:get_global("corners").shape[1], module:get_global("corners").shape[2] })
    equal({ 0, 0, 0, 0 }, module:get_global("corners", "float64", 4))
  end)

  it("gives variables whose memory is not exchanged when pending values read them", function()
    local flags = module:get_global "flags"
    local later = flags + 1
    flags:fill(0)
    equal({ 8, 9, 10 }, later)
    flags:assign(cp.array({ 7, 8, 9 }, "int32"))
  end)

  it("names what it does not have", function()
    check.failure("usage", "RawModule.get_function: no kernel 'wei'; the kernels are inner::fill_table, weigh, ",
      function() module:get_function "wei" end)
    check.failure("usage", "RawModule.get_function: 'scale<int>' must be among the module's name_expressions",
      function() module:get_function "scale<int>" end)
    check.failure("usage", "RawModule.get_function: scale is a template", function() module:get_function "scale" end)
    check.failure("usage", "RawModule.get_function: no option 'strides' (did you mean 'strided'?); the options are",
      function() module:get_function("weigh", { strides = true }) end)
    check.failure("usage",
      "RawModule.get_global: no variable 'weight'; the variables are weights, calls, flags, corners, ",
      function() module:get_global "weight" end)
    check.failure("shape", "RawModule.get_global: the variable has 16 bytes, but an array (5) of float32 has 20",
      function() module:get_global("weights", "float32", 5) end)
    check.failure("dtype", "RawModule.get_global: the variable has 12 bytes, which are not a whole number of float64",
      function() module:get_global("flags", "float64") end)
    check.failure("usage", "RawModule: a module has no field or method 'get'; "
      .. "it has compile, get_function, get_global",
      function() local _ = module.get end)
    check.failure("usage", "RawModule: needs either code or path", function() cp.RawModule() end)
    check.failure("usage", "RawModule: needs either code or path",
      function() cp.RawModule { code = "x", path = "y" } end)
    check.failure("io", "RawModule: cannot read /no/such/file.cu: ",
      function() cp.RawModule { path = "/no/such/file.cu" } end)
    check.failure("io", "RawModule: cannot read /: ", function() cp.RawModule { path = "/" } end)
    check.failure("usage", "RawModule: no option 'cod' (did you mean 'code'?); the options are code, path",
      function() cp.RawModule { cod = "x" } end)
    check.failure("usage", "RawModule: no kernel 'scal<int>'; the kernels are f",
      function() cp.RawModule { code = "__global__ void f() {}", name_expressions = { "scal<int>" } } end)
    check.failure("usage", "RawModule: the source contains a zero byte",
      function() cp.RawModule { code = "int x;\0" } end)
  end)

  it("takes an explicit signature where a macro hides it", function()
    local m = cp.RawModule { code = [[
#define KERNEL(name, parameters) extern "C" __global__ void name parameters
KERNEL(hidden, (int *x, int v)) { x[0] = v; }
]], name_expressions = { "hidden" } }
    local x = cp.zeros(1, "int32")
    m:get_function("hidden", { signature = "int *x, int v" })(1, 1, { x, 3 })
    equal({ 3 }, x)
    local unknown = m:get_function "hidden"
    unknown(1, 1, { x, cp.scalar(4, "int32") })
    equal({ 4 }, x)
    check.failure("usage", "hidden: argument 2: its type (no source) is not known here",
      function() unknown(1, 1, { x, 4 }) end)
    check.failure("dtype", "hidden: argument 2: 8 bytes were given, but the kernel takes 4",
      function() unknown(1, 1, { x, cp.scalar(4, "int64") }) end)
    check.failure("usage", "hidden: the kernel has 2 parameters, 1 argument was given",
      function() unknown(1, 1, { x }) end)
  end)

  it("trusts the compiler more than its reading of the source", function()
    local m = cp.RawModule { code = [[
#define EXTRA , int more
typedef struct { double v; } number;
#define PAIR struct { int a, b; }
extern "C" __global__ void misread(int *x EXTRA) { x[0] = more; }
]] }
    local x = cp.zeros(1, "int32")
    m:get_function "misread"(1, 1, { x, cp.scalar(9, "int32") })
    equal({ 9 }, x)
  end)
end)

describe("options and headers of a module", function()
  it("are passed to the compiler", function()
    for _, options in ipairs { { "-DFACTOR=3" }, { "-D", "FACTOR=3" }, { "--define-macro=FACTOR=3" } } do
      local k = cp.RawKernel('extern "C" __global__ void f(int *x) { x[0] *= FACTOR; }', "f", { options = options })
      local x = cp.array({ 5 }, "int32")
      k(1, 1, { x })
      equal({ 15 }, x)
    end
  end)

  it("are found in the folders given, and are part of the key", function()
    local folder = folder_with { ["a.h"] = '#pragma once\n#include "inner/b.h"\n', ["inner/b.h"] = "#define VALUE 1\n" }
    local source = '#include <a.h>\n#include "a.h"\nextern "C" __global__ void f(int *x) { x[0] = VALUE; }'
    local x = cp.zeros(1, "int32")
    local function run() cp.RawKernel(source, "f", { "-I", folder })(1, 1, { x }) end
    run()
    equal({ 1 }, x)
    assert.equal(0, check.counted(run).compiles)
    local f = assert(io.open(folder .. "/inner/b.h", "w"))
    f:write "#define VALUE 22222\n"
    f:close()
    run()
    equal({ 22222 }, x)
    assert.equal(0, check.counted(run).compiles)
    os.execute("rm -r " .. folder)
  end)

  it("are found beside a file", function()
    local text = '#include "inner/c.h"\nextern "C" __global__ void f(int *x) { x[0] = c(); }\n'
    local folder = folder_with { ["k.cu"] = text, ["inner/c.h"] = "static __device__ int c() { return 4; }\n" }
    local m, x = cp.RawModule { path = folder .. "/k.cu" }, cp.zeros(1, "int32")
    assert.equal("RawModule k.cu", tostring(m))
    m:get_function "f"(1, 1, { x })
    equal({ 4 }, x)
    os.execute("rm -r " .. folder)
  end)

  it("may be C's standard headers, which NVRTC lacks, and cupola's own", function()
    local k = cp.RawKernel([[
#include <cstdint>
#include <cmath>
#include <limits.h>
#include <cupola/complex.h>
#include <cupola/half.h>
extern "C" __global__ void f(const complex<float> *z, complex<double> w, const float16 *h, bfloat16 *b, int64_t n,
                             double *out) {
  complex<double> p = complex<double>(z[0]) * w;
  out[0] = p.real();
  out[1] = p.imag();
  out[2] = exp(complex<double>(0, 0)).real() + sqrt((double)n);
  out[3] = (double)(float)h[1] + INT_MAX;
  b[0] = float(h[0]) * 2;
}]], "f")
    local out, b = cp.zeros(4), cp.zeros(1, "bfloat16")
    local z, h = cp.array({ cp.complex(1, 2) }, "complex64"), cp.array({ 0.5, 1.5 }, "float16")
    k(1, 1, { z, cp.complex(3, -1), h, b, 16, out })
    equal({ 5, 5, 5, 2147483648.5 }, out)
    equal({ 1 }, b)
    k(1, 1, { cp.array({ 1 }, "complex64"), 3, h, b, 16, out })
    equal({ 3, 0, 5, 2147483648.5 }, out)
  end)
end)

describe("modules of machine code", function()
  local PTX = [[
.version 7.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 p, .param .u32 n)
{
  .reg .pred %q;
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %q, %r5, %r1;
  @%q bra DONE;
  cvta.to.global.u64 %d2, %d1;
  mul.wide.s32 %d3, %r5, 4;
  add.s64 %d2, %d2, %d3;
  ld.global.f32 %f1, [%d2];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%d2], %f2;
DONE:
  ret;
}
]]

  it("run only on a GPU", function()
    local m = cp.RawModule { code = PTX }
    local ok, message = pcall(function() cp.device("cpu"):with(m.compile, m) end)
    assert.is_false(ok)
    assert.matches("machine code of a GPU cannot be used on the CPU device", message)
    check.failure("usage", "RawModule: name_expressions need a source",
      function() cp.RawModule { code = PTX, name_expressions = {} } end)
  end)

  it("come from PTX", function()
    if not on_gpu then return end
    local x = cp.arange(10):astype "float32"
    local twice = cp.RawModule({ code = PTX }):get_function "twice"
    twice(1, 32, { x, cp.scalar(9, "int32") })
    equal({ 0, 2, 4, 6, 8, 10, 12, 14, 16, 9 }, x)
    cp.RawModule({ code = PTX }):get_function("twice", { signature = "float *x, unsigned n" })(1, 32, { x, 1 })
    assert.equal(0, x[1])
    check.failure("usage", "twice: argument 2: its type (no source)", function() twice(1, 32, { x, 9 }) end)
    check.failure("usage", "thrice: the compiled module has no kernel 'thrice'",
      function() cp.RawModule({ code = PTX }):get_function "thrice"(1, 1, {}) end)
    local broken = cp.RawModule { code = (PTX:gsub("add%.f32", "addd.f32")) }
    local ok, message = pcall(broken.compile, broken)
    assert.is_false(ok)
    assert.matches("the driver cannot load", message)
  end)

  it("come from cubins, which NVRTC makes without a GPU", function()
    local arch = on_gpu and tonumber(cp.device().compute_capability) or 90
    local ok, image, names = pcall(core.raw_image, core.raw_declaration(module), arch)
    if not ok and image:find "NVRTC could not be opened" then return end
    assert.is_true(ok, image)
    assert.equal("\127ELF", image:sub(1, 4))
    assert.same({ "_Z5scaleIfLi2EEvPT_S0_", "_Z5scaleIxLi7EEvPT_S0_", "_Z5applyI5twicedEvPT0_",
      "_ZN5inner10fill_tableEd", "_Z5plainPi", "_ZN5inner5tableE" }, names)
    if not on_gpu then return end
    local m = cp.RawModule { code = image }
    local x, y = cp.ones(4, "float32"), cp.zeros(4, "float32")
    m:get_function "weigh"(1, 4, { x, y, cp.scalar(4, "int32") })
    equal({ 1, 2, 3, 4 }, y)
    equal({ 1, 2, 3, 4 }, m:get_global("weights", "float32"))
  end)
end)

describe("NVRTC", function()
  local function compiled(m)
    local ok, image = pcall(core.raw_image, core.raw_declaration(m), 90)
    if not ok and image:find "NVRTC could not be opened" then return nil end
    return ok, image
  end

  it("compiles what includes CUDA's headers", function()
    local ok, image = compiled(cp.RawModule { code = [[
#include <cuda_fp16.h>
#include <cooperative_groups.h>
extern "C" __global__ void f(const __half *a, float *out) {
  cooperative_groups::this_thread_block().sync();
  out[0] = __half2float(a[0]);
}]] })
    if ok == nil then return end
    if not ok and image:find "cuda_fp16.h" then return end -- NVRTC without the rest of a toolkit
    assert.is_true(ok, image)
  end)

  it("compiles textures and uses integers of <stdint.h> without it", function()
    for _, code in ipairs {
      "__global__ void f(cudaTextureObject_t t, float *out) { out[0] = tex1Dfetch<float>(t, 1); }",
      "__global__ void f(const uint8_t *a, int64_t *b) { b[0] = a[0]; }" } do
      local ok, image = compiled(cp.RawModule { code = code })
      if ok == nil then return end
      assert.is_true(ok, image)
    end
  end)

  it("reports errors at the user's line", function()
    local code = "#include <cstdint>\n__global__ void f(int32_t *a) {\n  a[0] = b;\n}"
    local ok, message = compiled(cp.RawModule { code = code })
    if ok == nil then return end
    assert.is_false(ok)
    assert.matches("module%(3%): error: identifier \"b\" is undefined", message)
    assert.matches("line 3:   a%[0%] = b;$", message)
  end)
end)

describe("reading a source", function()
  -- "name:kind:what" of each parameter.
  local function shown(source, name)
    local info = signature.read(source)
    local kernel, list = signature.find(info, name)
    if not kernel then return nil end
    local out = {}
    for k, p in ipairs(list) do
      local what = p.dtype or p.struct or p.accepts and table.concat(p.accepts, "|") or ""
      out[k] = ("%s:%s:%s%s%s"):format(p.name, p.kind, p.constant and "const " or "", what, p.count or "")
    end
    return table.concat(out, " ")
  end

  it("finds parameters", function()
    local function parameters(text) return shown("__global__ void f(" .. text .. ") {}", "f") end
    assert.equal("", parameters "")
    assert.equal("", parameters "void")
    assert.equal("a:number:int64 b:number:uint32 c:number:uint64 d:number:int16",
      parameters "long int a, unsigned b, long long unsigned int c, short int d")
    assert.equal("x:pointer:const float32 y:pointer:float64 z:pointer:const int32",
      parameters "float const *__restrict__ x, double * const y, const int z[]")
    assert.equal("p:pointer: q:pointer:float32|complex64 r:pointer:const complex64 s:pointer:const uint8|bool",
      parameters "float **p, float2 *q, const thrust::complex<float>* r, const unsigned char s[16]")
    assert.equal("v:vector:float324 d:vector:uint323 h:number:float16 t:struct:Thing u:unknown:",
      parameters "float4 v, const dim3 d, __half h, struct Thing t, A<int> u")
    assert.equal("n:number:int32 parameter 2:number:float32 g:number:uint32",
      parameters "int n = 3, float, const __grid_constant__ unsigned int g")
  end)

  it("follows typedefs, using, macros, template arguments and namespaces", function()
    local source = [[
#define REAL double
typedef unsigned int uint; using index = uint;
namespace a { namespace b { template <typename T = float, int N = 4, class U = T>
__global__ void f(T *x, REAL r, index i, const U u) {} } }]]
    assert.equal("x:pointer:float32 r:number:float64 i:number:uint32 u:number:float32", shown(source, "a::b::f<>"))
    assert.equal("x:pointer:int32 r:number:float64 i:number:uint32 u:number:int32", shown(source, "a::b::f<int>"))
    assert.equal("x:pointer:int32 r:number:float64 i:number:uint32 u:number:int8",
      shown(source, " a::b::f<int, 3, char> "))
  end)

  it("ignores comments, strings, function bodies and #if 0", function()
    local source = [[
// __global__ void no(int a) {}
/* __global__ void no(int a) {} */
const char *s = "__global__ void no(int a) {}"; char c = '"'; int big = 1'000'000;
#if 0
__global__ void no(int a) {}
#else
__launch_bounds__(128) __global__ void yes(int a) { if (a) { } "}"; }
#endif
__device__ void helper(int b) {}
extern "C" { __global__ void last(float b); }
__global__ static void __launch_bounds__(32, 1) odd(float a, /* , int no */ float b) {}]]
    local info = signature.read(source)
    assert.same({ "yes", "last", "odd" }, info.order)
    assert.is_true(info.kernels.yes.conditional)
    assert.is_true(info.kernels.last.plain)
    assert.is_false(info.kernels.odd.plain)
    assert.equal("a:number:float32 b:number:float32", shown(source, "odd"))
  end)

  it("finds variables", function()
    local info = signature.read [[
__constant__ float a[2][3], b = 1, *c;
static __device__ int d;
__device__ __align__(16) double e[N];
extern __device__ int no;
__device__ float no2(float x) { return x; }
namespace n { __managed__ unsigned long long f = 0; }]]
    local out = {}
    for k, v in ipairs(info.variables) do
      out[k] = ("%s:%s:%s:%s"):format(v.name, v.kind, v.dtype or "", table.concat(v.dims, ","))
    end
    assert.equal("a:number:float32:2,3 b:number:float32: c:pointer:: d:number:int32: e:number:float64:N "
      .. "n::f:number:uint64:", table.concat(out, " "))
  end)
end)
