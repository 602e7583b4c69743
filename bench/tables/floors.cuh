// What floors.cu and floors_algorithms.cuh share: sizes, data, clocks and reports.
#pragma once
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

static const size_t N = 100000000, ROWS = 10000, GROUPS = N / 4; // a group: 16 bytes
static const unsigned THREADS = 256, BLOCKS = (unsigned)((GROUPS + THREADS - 1) / THREADS);

// A thread's position in the whole launch.
static __device__ size_t position() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }

// The fractional parts of k * step, the data of every library.
__global__ void fractions(float *z, size_t n, double step, float more) {
  size_t i = position();
  if (i < n) z[i] = (float)fmod((double)i * step, 1.0) + more;
}

// The median of 20 intervals between events, after 20 warm-up calls.
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
  CHECK(cudaEventDestroy(first));
  CHECK(cudaEventDestroy(last));
  std::sort(times.begin(), times.end());
  return times[9] / 1e3;
}

static void report(const char *key, double value, const char *unit) {
  std::printf("floor\t%s\t%.6g\t%s\n", key, value, unit);
  std::fflush(stdout);
}
static void bandwidth(const char *key, double bytes, double s) { report(key, bytes / s / 1e9, "GB/s"); }
static void milliseconds(const char *key, double s) { report(key, s * 1e3, "ms"); }

// CUB allocates nothing itself: the first call, without memory, reports how much it needs.
template <class F> static double with_scratch(F call) {
  size_t bytes = 0;
  void *scratch = nullptr;
  CHECK(call(scratch, bytes));
  CHECK(cudaMalloc(&scratch, bytes));
  double s = seconds([&] { call(scratch, bytes); });
  CHECK(cudaFree(scratch));
  return s;
}
