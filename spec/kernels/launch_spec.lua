-- Kernels that wait for the kernels before them by themselves (src/cuda/run/launch.c): every kernel waits or
-- says that it does not, and a stream's order holds for any sequence.
local cp = require "cupola"
local core = require "cupola.core"
local raw = require "cupola.kernels.raw"
local generator = require "spec.helper.random.generator"

local embedded = core.embedded

local function compiled(source, arch)
  local ok, image = pcall(core.raw_image, core.raw_declaration(cp.RawModule { code = source }), arch)
  if ok then return image end
  assert.matches("NVRTC could not be opened", image)
end

describe("kernels of the library", function()
  it("begin with the wait", function()
    local kernels = 0
    for file in io.popen("find kernels -name '*.cu'"):lines() do
      local text = embedded(file)
      assert.is_nil(text:find "__global__ [^\n]*cupola_kernel", file)
      for body in text:gmatch "__global__ void __launch_bounds__%b() CP_ENTRY%b() {\n([^\n]*)\n" do
        assert.equal("  CP_AWAIT;", body, file)
        kernels = kernels + 1
      end
      assert.equal(select(2, text:gsub("__global__", "")), select(2, text:gsub("CP_AWAIT;", "")), file)
    end
    assert.is_true(kernels >= 25)
  end)
end)

describe("a raw kernel's source", function()
  -- What the compiler gets after the line that names the file, and whether it has the wait.
  local function source(text, options)
    local d = core.raw_declaration(cp.RawModule { code = text, options = options })
    local s = raw.source(embedded, d, "cuda").text
    return s:match '#line 1 "[^\n]*\n(.*)$', s:find("griddepcontrol.wait", 1, true) ~= nil
  end
  local MARK = '\n\n#if __CUDA_ARCH__ >= 900\nextern "C" __global__ void cupola_awaits() {}\n#endif\n'

  it("gets the wait at the start of each body, on its line", function()
    local text, awaits = source [[
// __global__ in a comment
extern "C" __global__ void f(int *x = nullptr);
extern "C" __global__ void
__launch_bounds__(64) f(int *x) { const char *s = "__global__"; x[0] = s[0]; }
namespace inner { template <class T> __global__ void g(T *x)
{
  if (x) { x[0] = 1; }
} }
#if 0
__global__ void never() {}
#else
__global__ void h() {}
#endif
__device__ int helper() { return 1; }]]
    assert.is_true(awaits)
    assert.equal([[
// __global__ in a comment
extern "C" __global__ void f(int *x = nullptr);
extern "C" __global__ void
__launch_bounds__(64) f(int *x) {CUPOLA_AWAIT  const char *s = "__global__"; x[0] = s[0]; }
namespace inner { template <class T> __global__ void g(T *x)
{CUPOLA_AWAIT @
  if (x) { x[0] = 1; }
} }
#if 0
__global__ void never() {}
#else
__global__ void h() {CUPOLA_AWAIT }
#endif
__device__ int helper() { return 1; }
]] .. MARK:sub(2), (text:gsub("AWAIT \n", "AWAIT @\n")))
  end)

  it("stays as it is if no kernel is found in it", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir -p " .. folder))
    local f = assert(io.open(folder .. "/k.h", "w"))
    f:write "__global__ void inside(int *x) { x[0] = 1; }\n"
    f:close()
    for text, options in pairs {
      ["#define KERNEL __global__ void\nKERNEL f(int *x) { x[0] = 1; }\n__global__ void g() {}"] = {},
      ["#define BOTH(name) __global__ void name() {}\nBOTH(f)\n__global__ void g() {}"] = {},
      ["template <class T> __global__ void f(T *x) { x[0] = 1; }\ntemplate <> __global__ void f<int>(int *x) {}"] = {},
      ["struct s { friend __global__ void f(); };\n__global__ void f() {}"] = {},
      ["#include \"k.h\"\n__global__ void f(int *x) { x[0] = 1; }"] = { "-I" .. folder },
      ["#include <cub/cub.cuh>\n__global__ void f(int *x) { x[0] = 1; }"] = {},
      ["__global__ void f(int *x) { x[0] = 1; }"] = { "--pre-include=k.h" },
      ["__global__ void f(int *x) { x[0] = 1; }\nKERNEL g(int *x) { x[0] = 2; }"] = { "-DKERNEL=__global__ void" },
    } do
      local same, awaits = source(text, options)
      assert.is_false(awaits, text)
      assert.equal(text .. "\n", same)
    end
    os.execute("rm -r " .. folder)
  end)

  it("gets the wait only in code for 9.0 and later", function()
    local text = 'extern "C" __global__ void f(int *x) { x[0]++; }'
    local new, old = compiled(text, 90), compiled(text, 80)
    if not new then return end
    assert.is_truthy(new:find("cupola_awaits", 1, true))
    assert.is_nil(old:find("cupola_awaits", 1, true))
  end)
end)

-- Each step reads what the step before wrote in other blocks: y[i] = x[n - 1 - i] + 1. A step that starts
-- early finds old values.
describe("the order of a stream", function()
  local turn = cp.RawKernel([[
    extern "C" __global__ void turn(const float *x, float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[n - 1 - i] + 1;
    }]], "turn")
  local image -- without the wait
  local turn_back = cp.ElementwiseKernel("raw T x, int64 m", "T y", "y = x[m - 1 - i] + 1", "turn_back")

  -- Kinds of work that may follow each other: each makes y of n elements from x.
  local steps = {
    function(x, y) y:assign(x["::-1"] + 1) end,
    function(x, y, n) turn(math.ceil(n / 256), 256, { x, y, cp.scalar(n, "int32") }) end,
    function(x, y, n) turn_back(x, n, y) end,
    function(x, y) -- with a copy by the driver, and in place
      y:assign(x)
      y:add_(1)
    end,
    function(x, y) y:assign(cp.sort(x) + 1) end, -- all are the same
    function(x, y) y:assign(cp.full_like(x, x:max() + 1)) end,
    function(x, y, n) y:assign(cp.take(x, n - cp.arange(n)) + 1) end,
    function(x, y) y:assign(cp.ones(x.shape, x.dtype) + x:min()) end,
    function(x, y, n)
      local f = image and image:get_function("turn", { signature = "const float *x, float *y, int n" }) or turn
      f(math.ceil(n / 256), 256, { x, y, cp.scalar(n, "int32") })
    end,
  }

  local function walk(n, count, seed)
    local x, y = cp.zeros(n, "float32"):eval(), cp.zeros(n, "float32"):eval()
    local g = generator(seed)
    for _ = 1, count do
      g.one_of(steps)(x, y, n)
      x, y = y, x
    end
    return x
  end

  local function all_are(x, v) assert.same({ v, v }, { x:min():item(), x:max():item() }) end

  if cp.device().kind == "cuda" then
    image = cp.RawModule { code = (assert(compiled([[
      #define KERNEL extern "C" __global__ void
      KERNEL turn(const float *x, float *y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[n - 1 - i] + 1;
      }]], tonumber((tostring(cp.device().compute_capability):gsub("%.", "")))))) }
  end

  it("holds between kernels of every kind", function()
    for k, n in ipairs { 1, 100, 5000, 100000, 3000001 } do all_are(walk(n, 60, k), 60) end
  end)

  it("holds among many small kernels", function()
    for seed = 1, 3 do
      local x, y = cp.zeros(20000, "float32"):eval(), cp.zeros(20000, "float32"):eval()
      for k = 1, 600 do
        steps[(k * seed) % 3 + 1](x, y, 20000)
        x, y = y, x
      end
      all_are(x, 600)
    end
  end)

  -- The next kernel starts at once; without its wait it would read what is not yet written.
  it("holds after kernels that let the next one start early", function()
    local source = [[
      extern "C" __global__ void early(const float *x, float *y, int n) {
      #if __CUDA_ARCH__ >= 900
        asm volatile("griddepcontrol.launch_dependents;");
      #endif
        long long began = clock64();
        while (clock64() - began < 200000) {}
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[n - 1 - i] + 1;
      }]]
    compiled(source, 90)
    if cp.device().kind ~= "cuda" then return pending "needs a GPU" end -- asm
    local early, n = cp.RawKernel(source, "early"), 1000
    local x, y = cp.zeros(n, "float32"):eval(), cp.zeros(n, "float32"):eval()
    for k = 1, 8 * #steps do
      early(4, 256, { x, y, cp.scalar(n, "int32") })
      steps[k % #steps + 1](y, x, n)
    end
    all_are(x, 16 * #steps)
  end)

  it("holds across streams and events", function()
    local s, t = cp.cuda.Stream { non_blocking = true }, cp.cuda.Stream { non_blocking = true }
    local n = 200000
    local x, y = cp.zeros(n, "float32"):eval(), cp.zeros(n, "float32"):eval()
    local event = cp.cuda.Event()
    for k = 1, 90 do
      (k % 3 == 0 and s or t):with(function()
        steps[k % 4 + 1](x, y, n)
        event:record()
      end)
      cp.cuda.get_current_stream():wait_event(event)
      x, y = y, x
    end
    all_are(x, 90)
  end)

  it("holds in CUDA's default streams", function()
    for _, pointer in ipairs(cp.device().kind == "cuda" and { 0, 1, 2 } or { 1 }) do
      local s = cp.cuda.ExternalStream(pointer)
      s:with(function() all_are(walk(20000, 200, pointer + 1), 200) end)
      s:close()
    end
  end)

  it("holds between kernels and copies from the host", function()
    for _, n in ipairs { 3, 1000, 20000, 400000 } do
      local host, pinned = {}, {}
      for k = 1, 4 do
        host[k] = cp.cpu.full(n, 10 * k, "float32"):eval()
        pinned[k] = cp.zeros_pinned(n, "float32")
        pinned[k]:assign(cp.full(n, k, "float32"))
      end
      local x, y, total = cp.zeros(n, "float32"):eval(), cp.zeros(n, "float32"):eval(), cp.zeros(n, "float32"):eval()
      cp.synchronize()
      for k = 1, 80 do
        x:assign(pinned[k % 4 + 1]) -- earlier reads of it are done
        steps[k % 3 + 1](x, y, n)
        total:add_(y)
        total:add_(cp.array(host[k % 4 + 1]))
      end
      all_are(total, 20 * (2 + 3 + 4 + 5) + 20 * 100)
    end
  end)

  it("holds in graphs", function()
    local n = 50000
    local x, y = cp.zeros(n, "float32"):eval(), cp.zeros(n, "float32"):eval()
    local order = { 1, 2, 1, 3, 4, 2, 8, 1, 3, 9, 6, 1 }
    local g = cp.cuda.graph(function()
      for k, which in ipairs(order) do steps[which](k % 2 == 1 and x or y, k % 2 == 1 and y or x, n) end
    end)
    local before = x:max():item()
    for _ = 1, 20 do g() end
    all_are(x, before + 20 * #order)
  end)
end)
