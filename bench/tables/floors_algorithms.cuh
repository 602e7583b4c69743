// Floors of bench/tables/algorithms.lua: CUB's scans, sorts, selection and counting, and minimal kernels that
// gather or draw.
#pragma once
#include "floors.cuh"

// Keys without a visible order, the same as in the other libraries.
__global__ void scramble(float *z, size_t n) {
  size_t i = position();
  if (i >= n) return;
  double k = (double)i, a = fmod(k * 0.6180339887498949, 1.0), b = fmod(k * 0.41421356237309515, 1.0);
  z[i] = (float)fmod(a * b * 1e5, 1.0);
}

__global__ void above_half(const float *x, unsigned char *mask, size_t n) {
  size_t i = position();
  if (i < n) mask[i] = x[i] > 0.5f;
}

__global__ void places_of(const float *x, long long *places, size_t n) {
  size_t i = position();
  if (i < n) places[i] = (long long)((double)x[i] * (double)N) % (long long)N;
}

__global__ void gather(const float *x, const long long *places, float *z, size_t n) {
  size_t i = position();
  if (i < n) z[i] = x[places[i]];
}

__global__ void to_bins(const float *x, int *z, size_t n) {
  size_t i = position();
  if (i < n) z[i] = (int)(x[i] * 1000);
}

// ---- random numbers: Philox4x32-10, four numbers for each counter

static __device__ uint4 philox(size_t counter, unsigned seed) {
  uint4 c = make_uint4((unsigned)counter, (unsigned)(counter >> 32), 0, 0);
  unsigned key = seed, other = 0;
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
    c = make_uint4((unsigned)(b >> 32) ^ c.y ^ key, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ other,
                   (unsigned)a);
    key += 0x9E3779B9u;
    other += 0xBB67AE85u;
  }
  return c;
}

// In (0, 1], as cuRAND makes them.
static __device__ float unit(unsigned r) { return r * 0x1p-32f + 0x1p-33f; }

static __device__ float4 draw(size_t counter, unsigned seed) {
  uint4 r = philox(counter, seed);
  return make_float4(unit(r.x), unit(r.y), unit(r.z), unit(r.w));
}

__global__ void uniform(float4 *z, size_t n) {
  size_t i = position();
  if (i < n) z[i] = draw(i, 1);
}

// Box and Muller's pair, with CUDA's precise functions.
static __device__ float2 normal_pair(float u, float v) {
  float radius = sqrtf(-2 * logf(u)), sine, cosine;
  sincospif(2 * v, &sine, &cosine);
  return make_float2(radius * cosine, radius * sine);
}

__global__ void normal(float4 *z, size_t n) {
  size_t i = position();
  if (i >= n) return;
  float4 u = draw(i, 1);
  float2 a = normal_pair(u.x, u.y), b = normal_pair(u.z, u.w);
  z[i] = make_float4(a.x, a.y, b.x, b.y);
}

// Each counter gives two points; counts those in the circle.
__global__ void inside_circle(unsigned long long *count, size_t n) {
  unsigned inside = 0;
  for (size_t i = position(); i < n; i += (size_t)gridDim.x * blockDim.x) {
    float4 u = draw(i, 1);
    inside += (u.x * u.x + u.y * u.y < 1) + (u.z * u.z + u.w * u.w < 1);
  }
  for (int lane = 16; lane > 0; lane /= 2) inside += __shfl_down_sync(~0u, inside, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(count, (unsigned long long)inside);
}

// ---- rows

static void rate(const char *key, double count, double s) { report(key, count / s / 1e9, "G/s"); }
static unsigned blocks_for(size_t n) { return (unsigned)((n + THREADS - 1) / THREADS); }

template <class T> static T *memory_for(size_t n) {
  T *p;
  CHECK(cudaMalloc(&p, n * sizeof(T)));
  return p;
}

static void scan_and_sort_floors(const float *x, float *z) {
  const int n = (int)N, rows = (int)ROWS;
  bandwidth("cumsum", 8.0 * N,
            with_scratch([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, z, n); }));
  rate("sort", N,
       with_scratch([=](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, x, z, n); }));
  int *from = memory_for<int>(N), *to = memory_for<int>(N);
  CHECK(cudaMemset(from, 0, N * sizeof(int)));
  rate("argsort", N, with_scratch([=](void *t, size_t &b) {
         return cub::DeviceRadixSort::SortPairs(t, b, x, z, from, to, n);
       }));
  std::vector<int> edges;
  for (int k = 0; k <= rows; k++) edges.push_back(k * (n / rows));
  CHECK(cudaMemcpy(from, edges.data(), edges.size() * sizeof(int), cudaMemcpyHostToDevice));
  rate("sort of 1e4 rows of 1e4", N, with_scratch([=](void *t, size_t &b) {
         return cub::DeviceSegmentedSort::SortKeys(t, b, x, z, (long long)n, (long long)rows, from, from + 1);
       }));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

static void index_floors(const float *x, float *z) {
  auto *mask = memory_for<unsigned char>(N);
  auto *chosen = memory_for<int>(1);
  above_half<<<blocks_for(N), THREADS>>>(x, mask, N);
  milliseconds("x[mask], half true", with_scratch([=](void *t, size_t &b) {
                 return cub::DeviceSelect::Flagged(t, b, x, mask, z, chosen, (int)N);
               }));
  CHECK(cudaFree(mask));
  CHECK(cudaFree(chosen));
  const size_t taken = 10000000;
  auto *places = memory_for<long long>(taken);
  places_of<<<blocks_for(taken), THREADS>>>(x, places, taken);
  milliseconds("x[idx], 1e7 of 1e8",
               seconds([=] { gather<<<blocks_for(taken), THREADS>>>(x, places, z, taken); }));
  CHECK(cudaFree(places));
}

static void count_floors(const float *x, float *z) {
  const int n = 50000000, bins = 1000;
  auto *counts = memory_for<int>(bins);
  rate("histogram of 5e7, 1000 bins", n, with_scratch([=](void *t, size_t &b) {
         return cub::DeviceHistogram::HistogramEven(t, b, x, counts, bins + 1, 0.0f, 1.0f, n);
       }));
  to_bins<<<blocks_for(n), THREADS>>>(x, (int *)z, n);
  rate("bincount of 5e7, 1000 bins", n, with_scratch([=](void *t, size_t &b) {
         return cub::DeviceHistogram::HistogramEven(t, b, (const int *)z, counts, bins + 1, 0, bins, n);
       }));
  CHECK(cudaFree(counts));
}

static void random_floors(float *z) {
  rate("uniform", N, seconds([=] { uniform<<<BLOCKS, THREADS>>>((float4 *)z, GROUPS); }));
  rate("normal", N, seconds([=] { normal<<<BLOCKS, THREADS>>>((float4 *)z, GROUPS); }));
  auto *count = memory_for<unsigned long long>(1);
  int processors;
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  milliseconds("Monte-Carlo pi", seconds([=] { inside_circle<<<processors * 8, THREADS>>>(count, N / 2); }));
  CHECK(cudaFree(count));
}

// x and z are overwritten.
static void algorithm_rows(float *x, float *z) {
  scramble<<<blocks_for(N), THREADS>>>(x, N);
  scan_and_sort_floors(x, z);
  index_floors(x, z);
  count_floors(x, z);
  random_floors(z);
}
