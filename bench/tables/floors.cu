// What bare CUDA achieves for the work of bench/run: one line each, "floor<tab>KEY<tab>VALUE<tab>UNIT".
// Minimal kernels with 16-byte accesses, or CUB if it has the operation. If reading alone bounds a row, its
// kernel only reads.
// Compile: nvcc -O3 -std=c++17 -arch=native floors.cu -lcuda
// Usage: floors          all rows
//        floors start    milliseconds for the driver's start and a context, in a new process
#include "floors_algorithms.cuh"

#include <cstring>

static const char *const CHAIN = "sqrt(x*x + y*y)*exp(-x) + sin(y)";
static __device__ float quadratic(float x, float y) { return x * x + 2 * y; }
static __device__ float chain(float x, float y) { return sqrtf(x * x + y * y) * expf(-x) + sinf(y); }
static __device__ float total(float4 v) { return (v.x + v.y) + (v.z + v.w); }

__global__ void fill(float4 *z, size_t n) {
  size_t i = position();
  if (i < n) z[i] = make_float4(1, 1, 1, 1);
}

__global__ void copy(const float4 *x, float4 *z, size_t n) {
  size_t i = position();
  if (i < n) z[i] = x[i];
}

// Two operands in, one out: F of each pair.
template <class F> __global__ void combine(const float4 *x, const float4 *y, float4 *z, size_t n, F f) {
  size_t i = position();
  if (i < n) {
    float4 a = x[i], b = y[i];
    z[i] = make_float4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
  }
}

struct Add {
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct Quadratic {
  __device__ float operator()(float x, float y) const { return quadratic(x, y); }
};
struct Chain {
  __device__ float operator()(float x, float y) const { return chain(x, y); }
};

// Only reads: LEAVES arrays, with four groups in flight per thread. The store never happens, but the compiler
// cannot know that.
template <int LEAVES> __global__ void read_only(const float4 *x, const float4 *y, float *z, size_t n) {
  float sum = 0;
  size_t base = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    size_t i = base + (size_t)k * blockDim.x;
    if (i < n) {
      sum += total(x[i]);
      if (LEAVES == 2) sum += total(y[i]);
    }
  }
  if (sum == -12345.678f) *z = sum;
}

// Adds a row to each row of a matrix, blockIdx.y; a row has `groups` groups.
__global__ void add_row(const float4 *x, const float4 *row, float4 *z, unsigned groups) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < groups) {
    size_t at = (size_t)blockIdx.y * groups + i;
    float4 a = x[at], b = row[i];
    z[at] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }
}

// Sums of rows of ten: a block reads 2560 elements in order through shared memory; each thread adds up ten.
__global__ void short_rows(const float *x, float *z, size_t rows) {
  __shared__ float tile[10 * THREADS];
  size_t first = (size_t)blockIdx.x * THREADS, row = first + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 10; k++) {
    size_t i = first * 10 + (size_t)k * THREADS + threadIdx.x;
    if (i < rows * 10) tile[k * THREADS + threadIdx.x] = x[i];
  }
  __syncthreads();
  if (row >= rows) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 10; k++) sum += tile[threadIdx.x * 10 + k];
  z[row] = sum;
}

// Transposes a square matrix through tiles in shared memory; each thread moves TILE / STEP elements.
template <int TILE, int STEP> __global__ void turn(const float *x, float *z, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
  for (int k = 0; k < TILE; k += STEP)
    if (column < n && row + k < n) tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(row + k) * n + column];
  __syncthreads();
  column = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
  for (int k = 0; k < TILE; k += STEP)
    if (column < n && row + k < n) z[(size_t)(row + k) * n + column] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void tiny(const float *x, float *z, int n) {
  int i = threadIdx.x;
  if (i < n) z[i] = x[i] + 1;
}

// The same, but the kernel itself waits for the one before it (programmatic dependent launch).
__global__ void tiny_awaiting(const float *x, float *z, int n) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  int i = threadIdx.x;
  if (i < n) z[i] = x[i] + 1;
}

static double clock_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The host's microseconds per call for consecutive calls: the best of five rounds.
template <class F> static double host_microseconds(F call) {
  double best = 1;
  for (int round = 0; round < 5; round++) {
    CHECK(cudaDeviceSynchronize());
    double t = clock_now();
    for (int k = 0; k < 20000; k++) call();
    best = std::min(best, (clock_now() - t) / 20000);
  }
  CHECK(cudaDeviceSynchronize());
  return best * 1e6;
}

// One launch, which every call on a small array costs at least; and how long the driver takes to record an
// event.
static void host_rows(const float *x, float *z) {
  CUfunction f;
  CUstream s;
  CUevent timed, untimed;
  CHECK(cudaGetFuncBySymbol(&f, (const void *)tiny));
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&timed));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  int n = 100;
  void *args[] = {&x, &z, &n};
  double launch = host_microseconds([&] { cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, s, args, nullptr); });
  report("host launch", launch, "us");
  CUlaunchAttribute overlap{};
  overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  overlap.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig shape{1, 1, 1, 128, 1, 1, 0, s, &overlap, 1};
  CUfunction awaiting;
  CHECK(cudaGetFuncBySymbol(&awaiting, (const void *)tiny_awaiting));
  report("host launch of a kernel that waits by itself",
         host_microseconds([&] { cuLaunchKernelEx(&shape, awaiting, args, nullptr); }), "us");
  report("host event record, with its time", host_microseconds([&] { cuEventRecord(timed, s); }), "us");
  report("host event record, without a time", host_microseconds([&] { cuEventRecord(untimed, s); }), "us");
  for (const char *key : {"host a + b, n = 100", "host a + 1, n = 100", "host a += b, n = 100",
                          "host x^2 + 2*y, n = 100", "host sum, n = 100", "host ElementwiseKernel, n = 100"})
    report(key, launch, "us");
}

// The mean of what a kernel wrote, on which all libraries must agree.
static void check_mean(const char *key, const float *z) {
  float *sum, value;
  CHECK(cudaMalloc(&sum, sizeof(float)));
  with_scratch([=](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, z, sum, (int)N); });
  CHECK(cudaMemcpy(&value, sum, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(sum));
  report(key, value / N, "value");
}

template <class F> static double combined(const float *x, const float *y, float *z, F f) {
  return seconds(
      [=] { combine<<<BLOCKS, THREADS>>>((const float4 *)x, (const float4 *)y, (float4 *)z, GROUPS, f); });
}

static void elementwise_rows(const float *x, const float *y, float *z) {
  auto *x4 = (const float4 *)x;
  auto *z4 = (float4 *)z;
  bandwidth("copy", 8.0 * N, seconds([=] { copy<<<BLOCKS, THREADS>>>(x4, z4, GROUPS); }));
  bandwidth("fill", 4.0 * N, seconds([=] { fill<<<BLOCKS, THREADS>>>(z4, GROUPS); }));
  double add = combined(x, y, z, Add());
  bandwidth("add", 12.0 * N, add);
  bandwidth("add, new result", 12.0 * N, add);
  milliseconds("x^2 + 2*y", combined(x, y, z, Quadratic()));
  check_mean("check mean of x^2 + 2*y", z);
  milliseconds(CHAIN, combined(x, y, z, Chain())); // with CUDA's own sqrtf, expf, sinf
  check_mean("check mean of the long chain", z);
  unsigned groups = (unsigned)(ROWS / 4);
  dim3 grid((groups + THREADS - 1) / THREADS, (unsigned)(N / ROWS));
  bandwidth("matrix + row", 8.0 * N,
            seconds([=] { add_row<<<grid, THREADS>>>(x4, (const float4 *)y, z4, groups); }));
}

static void transposed_row(const float *x, float *z) {
  const int n = (int)ROWS;
  dim3 small((n + 31) / 32, (n + 31) / 32), large((n + 63) / 64, (n + 63) / 64);
  double best = seconds([=] { turn<32, 8><<<small, dim3(32, 8)>>>(x, z, n); });
  best = std::min(best, seconds([=] { turn<64, 8><<<large, dim3(64, 8)>>>(x, z, n); }));
  best = std::min(best, seconds([=] { turn<64, 16><<<large, dim3(64, 16)>>>(x, z, n); }));
  bandwidth("transposed copy of 1e4 x 1e4", 8.0 * N, best);
}

// The rows that only read: nothing is faster than a kernel that reads the same bytes.
static void read_rows(const float *x, const float *y, float *z) {
  auto *x4 = (const float4 *)x, *y4 = (const float4 *)y;
  double one = seconds([=] { read_only<1><<<BLOCKS / 4 + 1, THREADS>>>(x4, y4, z, GROUPS); });
  double two = seconds([=] { read_only<2><<<BLOCKS / 4 + 1, THREADS>>>(x4, y4, z, GROUPS); });
  bandwidth("reading one array", 4.0 * N, one);
  bandwidth("reading two arrays", 8.0 * N, two);
  milliseconds("sum((x - y)^2)", two);
  milliseconds("std", one);
  bandwidth("sum over axis 0 of 1e4 x 1e4", 4.0 * N, one);
  const size_t rows = N / 10;
  bandwidth("sum over the short axis of 1e7 x 10", 4.0 * N, seconds([=] {
              short_rows<<<(unsigned)((rows + THREADS - 1) / THREADS), THREADS>>>(x, z, rows);
            }));
}

static void cub_rows(const float *x, float *z) {
  using cub::DeviceReduce;
  using cub::DeviceSegmentedReduce;
  bandwidth("sum", 4.0 * N,
            with_scratch([=](void *t, size_t &b) { return DeviceReduce::Sum(t, b, x, z, (int)N); }));
  bandwidth("argmax", 4.0 * N, with_scratch([=](void *t, size_t &b) {
              return DeviceReduce::ArgMax(t, b, x, z, (long long *)(z + 4), (long long)N);
            }));
  std::vector<int> edges;
  for (size_t k = 0; k <= ROWS; k++) edges.push_back((int)(k * (N / ROWS)));
  int *offsets;
  CHECK(cudaMalloc(&offsets, edges.size() * sizeof(int)));
  CHECK(cudaMemcpy(offsets, edges.data(), edges.size() * sizeof(int), cudaMemcpyHostToDevice));
  bandwidth("sum over axis 1 of 1e4 x 1e4", 4.0 * N, with_scratch([=](void *t, size_t &b) {
              return DeviceSegmentedReduce::Sum(t, b, x, z, (int)ROWS, offsets, offsets + 1);
            }));
  CHECK(cudaFree(offsets));
}

// Milliseconds for cuInit and a context: CUDA's part in the start of any program.
static double start_of_cuda() {
  double t = clock_now();
  CUdevice device;
  CUcontext context;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
    std::exit(1);
  return (clock_now() - t) * 1e3;
}

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "start") == 0) {
    std::printf("%.0f\n", start_of_cuda());
    return 0;
  }
  float *x, *y, *z;
  for (float **p : {&x, &y, &z}) CHECK(cudaMalloc(p, N * 4));
  fractions<<<BLOCKS * 4, THREADS>>>(x, N, 0.6180339887498949, 0);
  fractions<<<BLOCKS * 4, THREADS>>>(y, N, 0.41421356237309515, 1);
  CHECK(cudaDeviceSynchronize());
  host_rows(x, z);
  elementwise_rows(x, y, z);
  transposed_row(x, z);
  read_rows(x, y, z);
  cub_rows(x, z);
  algorithm_rows(x, z);
  return 0;
}
