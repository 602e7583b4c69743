// What bare CUDA gives for the work of bench/run: one line each, "floor<tab>KEY<tab>VALUE<tab>UNIT".
// Minimal kernels, one 16-byte access per operand and thread. nvcc -O3 -std=c++17 -arch=native floors.cu
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda.h>
#include <vector>

static void check(cudaError_t e, int line) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "floors.cu:%d: %s\n", line, cudaGetErrorString(e));
    std::exit(1);
  }
}
#define CHECK(call) check((call), __LINE__)

__global__ void fill(float4 *z, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = make_float4(1, 1, 1, 1);
}
__global__ void ramp(float4 *z, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  float v = (float)i * 1e-8f;
  if (i < n) z[i] = make_float4(v, v + 1e-9f, v + 2e-9f, v + 3e-9f);
}
__global__ void copy(const float4 *x, float4 *z, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i];
}
__global__ void add(const float4 *x, const float4 *y, float4 *z, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 a = x[i], b = y[i];
    z[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }
}
__global__ void tiny(const float *x, float *z, int n) {
  int i = threadIdx.x;
  if (i < n) z[i] = x[i] + 1;
}

template <class F> static double seconds(F call) {
  cudaEvent_t first, last;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  for (int k = 0; k < 20; k++) call();
  std::vector<float> times;
  for (int k = 0; k < 20; k++) {
    float ms;
    CHECK(cudaEventRecord(first));
    call();
    CHECK(cudaEventRecord(last));
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaEventElapsedTime(&ms, first, last));
    times.push_back(ms);
  }
  CHECK(cudaGetLastError());
  std::sort(times.begin(), times.end());
  return times[9] / 1e3;
}

static void report(const char *key, double value, const char *unit) { std::printf("floor\t%s\t%.4f\t%s\n", key, value, unit); }

static double clock_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void launch_row(const float *x, float *z) {
  CUfunction f;
  CUstream s;
  CHECK(cudaGetFuncBySymbol(&f, (const void *)tiny));
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  int n = 100;
  void *args[] = {&x, &z, &n};
  double best = 1;
  for (int round = 0; round < 5; round++) {
    CHECK(cudaDeviceSynchronize());
    double t = clock_now();
    for (int k = 0; k < 20000; k++) cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, s, args, nullptr);
    best = std::min(best, (clock_now() - t) / 20000);
  }
  CHECK(cudaDeviceSynchronize());
  for (const char *key : {"host a + b, n = 100", "host a + 1, n = 100", "host a += b, n = 100", "host sum, n = 100", "host ElementwiseKernel, n = 100"})
    report(key, best * 1e6, "us");
}

int main() {
  const size_t n = 100000000, groups = n / 4;
  const unsigned blocks = (unsigned)((groups + 255) / 256);
  float *x, *y, *z;
  for (float **p : {&x, &y, &z}) CHECK(cudaMalloc(p, n * 4));
  ramp<<<blocks, 256>>>((float4 *)x, groups);
  ramp<<<blocks, 256>>>((float4 *)y, groups);
  launch_row(x, z);
  report("copy 1e8", 8e-9 * n / seconds([&] { copy<<<blocks, 256>>>((float4 *)x, (float4 *)z, groups); }), "GB/s");
  double t = seconds([&] { add<<<blocks, 256>>>((float4 *)x, (float4 *)y, (float4 *)z, groups); });
  report("add 1e8", 12e-9 * n / t, "GB/s");
  report("add, new result 1e8", 12e-9 * n / t, "GB/s");
  report("fill 1e8", 4e-9 * n / seconds([&] { fill<<<blocks, 256>>>((float4 *)z, groups); }), "GB/s");
  size_t bytes = 0;
  void *scratch = nullptr;
  cub::DeviceReduce::Sum(scratch, bytes, x, z, n);
  CHECK(cudaMalloc(&scratch, bytes));
  report("sum 1e8", 4e-9 * n / seconds([&] { cub::DeviceReduce::Sum(scratch, bytes, x, z, n); }), "GB/s");
  return 0;
}
