-- Cooperation between the threads of a block of a raw kernel, on the current device.

local cp = require "cupola"

local function floats(n) return cp.arange(n):astype "float32" end

local function equal(want, x) assert.same(want, x:totable()) end

describe("threads of a block", function()
  local together = cp.RawModule { code = [[
template <typename T> __device__ T warp_sum(T v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}
extern __shared__ double dynamic_at_file_scope[];
extern "C" {
__global__ void reverse(int *x, int n) { // dynamic and static shared memory
  extern __shared__ int s[];
  __shared__ int first[2];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * n + t];
  if (t < 2) first[t] = blockIdx.x * 100;
  __syncthreads();
  x[blockIdx.x * n + t] = s[n - 1 - t] + first[0] + first[1];
}
__global__ void file_scope(double *x) {
  dynamic_at_file_scope[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = dynamic_at_file_scope[blockDim.x - 1 - threadIdx.x];
}
__global__ void total(const double *x, double *out, long long n) {
  __shared__ double part[32];
  double v = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
  v = warp_sum(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
__global__ void votes(int *out) {
  int t = threadIdx.x;
  int c = __syncthreads_count(t % 3 == 0), a = __syncthreads_and(t < 1000), o = __syncthreads_or(t == 5);
  int b = __syncthreads_or(t < 0);
  if (t == 7) {
    out[0] = c;
    out[1] = a != 0;
    out[2] = o != 0;
    out[3] = b != 0;
  }
}
__global__ void warps(int *out) { // 32 threads, 10 numbers each
  int t = threadIdx.x, *o = out + 10 * t;
  o[0] = __shfl_sync(0xffffffffu, t * t, 5);
  o[1] = __shfl_up_sync(0xffffffffu, t, 3);
  o[2] = __shfl_xor_sync(0xffffffffu, t, 1);
  o[3] = __shfl_down_sync(0xffffffffu, t, 2, 8);
  o[4] = __shfl_sync(0xffffffffu, t, 1, 4);
  o[5] = (int)__ballot_sync(0xffffffffu, t % 4 == 0);
  o[6] = __any_sync(0xffffffffu, t == 9) + 2 * __all_sync(0xffffffffu, t < 31);
  o[7] = (int)__match_any_sync(0xffffffffu, t / 8);
  o[8] = (int)(10 * __shfl_xor_sync(0xffffffffu, 0.5 * t, 16)); // doubles too
  int lower = 0;
  if (t < 16) lower = (int)__ballot_sync(0x0000ffffu, t % 2); // a part of the warp
  __syncwarp();
  o[9] = lower + __popc(__ballot_sync(0xffffffffu, 1));
}
__global__ void leave_early(int *out, int n) { // some threads end before the others meet
  __shared__ int s[256];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
__global__ void scan(const float *x, float *out, int n) { // Hillis and Steele, a barrier in each round
  __shared__ float s[2][256];
  int t = threadIdx.x, side = 0;
  s[0][t] = t < n ? x[t] : 0;
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    s[1 - side][t] = s[side][t] + (t >= d ? s[side][t - d] : 0);
    side = 1 - side;
  }
  __syncthreads();
  if (t < n) out[t] = s[side][t];
}
__global__ void transpose(const float *x, float *out, int rows, int columns) { // blocks of two dimensions
  __shared__ float tile[16][17];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = x[r * columns + c];
  __syncthreads();
  c = blockIdx.y * 16 + threadIdx.x;
  r = blockIdx.x * 16 + threadIdx.y;
  if (r < columns && c < rows) out[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}
__global__ void last_block(const int *x, int *part, unsigned *done, int *out) { // who comes last adds up
  __shared__ bool last;
  atomicAdd(&part[blockIdx.x], x[blockIdx.x * blockDim.x + threadIdx.x]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += ((volatile int *)part)[b];
    out[0] = sum;
  }
}
}]] }

  local function run(name, ...) return together:get_function(name)(...) end

  it("share memory, static and dynamic", function()
    local x, want = cp.arange(300):astype "int32", {}
    run("reverse", 3, 100, { x, 100 }, 400)
    for b = 0, 2 do
      for t = 0, 99 do want[#want + 1] = b * 100 + 99 - t + 200 * b end
    end
    equal(want, x)
    local y = cp.arange(5):astype "float64"
    run("file_scope", 1, 5, { y }, { shared_mem = 40 })
    equal({ 4, 3, 2, 1, 0 }, y)
  end)

  it("can have more than the default 48 KB of dynamic shared memory", function()
    local x = cp.arange(1024):astype "float64"
    run("file_scope", 1, 1024, { x }, { shared_mem = 65536 })
    assert.is_true(x == cp.arange(1024)["::-1"])
  end)

  it("add up by shuffles, barriers and atomics", function()
    for _, n in ipairs { 1, 1000, 123457 } do
      local out = cp.zeros(1)
      run("total", 7, 256, { cp.arange(n):astype "float64", out, n })
      assert.equal(n * (n - 1) / 2, out[1])
    end
  end)

  it("vote", function()
    local out = cp.zeros(4, "int32")
    run("votes", 2, 100, { out })
    equal({ 34, 1, 1, 0 }, out)
  end)

  it("exchange values within a warp", function()
    local out = cp.zeros({ 32, 10 }, "int32")
    run("warps", 1, 32, { out })
    local rows = out:totable()
    local signed = function(v) return v >= 2 ^ 31 and v - 2 ^ 32 or v end
    for t = 0, 31 do
      local want = { 25, t < 3 and t or t - 3, t % 2 == 0 and t + 1 or t - 1, t % 8 < 6 and t + 2 or t,
        t - t % 4 + 1, 0x11111111, 1, signed(255 * 2 ^ (t - t % 8)), 5 * (t < 16 and t + 16 or t - 16),
        (t < 16 and 0xaaaa or 0) + 32 }
      assert.same(want, rows[t + 1], "lane " .. t)
    end
  end)

  it("may return before the others reach a barrier", function()
    local out, want = cp.zeros(70, "int32"), {}
    run("leave_early", 1, 256, { out, 70 })
    for t = 1, 70 do want[t] = 70 - t end
    equal(want, out)
  end)

  it("reach barriers many times", function()
    local out = cp.zeros(200, "float32")
    run("scan", 1, 256, { floats(200), out, 200 })
    local sum, want = 0, {}
    for k = 0, 199 do
      sum = sum + k
      want[k + 1] = sum
    end
    equal(want, out)
  end)

  it("work in blocks of two dimensions", function()
    for _, shape in ipairs { { 16, 16 }, { 33, 50 }, { 1, 40 } } do
      local r, c = shape[1], shape[2]
      local x, out = floats(r * c):reshape(r, c), cp.zeros({ c, r }, "float32")
      run("transpose", { math.ceil(c / 16), math.ceil(r / 16) }, { 16, 16 }, { x, out, r, c })
      assert.is_true(out == x.T, tostring(x.shape))
    end
  end)

  it("find the last block of a grid", function()
    local part, done, out = cp.zeros(50, "int32"), cp.zeros(1, "uint32"), cp.zeros(1, "int32")
    run("last_block", 50, 32, { cp.ones(1600, "int32") * 3, part, done, out })
    equal({ 4800 }, out)
    equal({ 0 }, done)
  end)
end)
