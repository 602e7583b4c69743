// What raw kernels on the CPU device find beside cpu.h and cpu_math.h: thread indices, shared memory,
// barriers, warp functions and intrinsics. A block runs on one host thread: its threads run one after the
// other, or as fibers if the text has barriers. So a block's shared memory is thread-local to the host.

#undef __constant__
#define __constant__
#define __managed__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDACC_RTC__       1
#define CUPOLA_CPU           1
#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif

static const int warpSize = 32;
static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;

// ---- the host's side; ORDER as in src/cpu/kernels/block.h, src/cpu/kernels/raw.c ----

struct cp_warp_request {
  int op, argument;
  unsigned mask;
  unsigned long long value, result;
};
struct cp_block_host {
  int (*barrier)(void *block, int vote, int predicate);
  void (*warp)(void *block, cp_warp_request *request);
  void (*yield)(void *block);
};
struct cp_raw_job {
  void **arguments;
  unsigned grid[3], block[3];
  unsigned long long first, last; // blocks
  char *shared;                   // of the block
  // Blocks that wait for each other run at once, and have their shared memory here, `stride` bytes each;
  // otherwise null.
  char *memory;
  size_t stride;
  const cp_block_host *host;
  void *state; // of the block; null: its threads are not fibers
  const char *(*run)(void *state, int count, void (*entry)(void *, int), void *data);
};
struct cp_raw_entry {
  const char *name;
  const char *(*run)(cp_raw_job *job);
  int count;
  const size_t *sizes;
  int fibers;
};
struct cp_raw_variable {
  const char *name;
  void *address;
  size_t size;
};
struct cp_raw_table {
  int nentries, nvariables;
  const cp_raw_entry *entries;
  const cp_raw_variable *variables;
};

static thread_local cp_raw_job *cp_job;
static thread_local const char *cp_problem; // what a thread of the block did that no kernel may do

// Dynamic shared memory: `extern __shared__ T name[]` becomes a pointer to it, at file scope an object that
// acts as one.
template <typename T> CP_FN T *cp_dynamic() { return (T *)(void *)cp_job->shared; }
template <typename T> struct cp_dynamic_array {
  CP_METHOD operator T *() const { return cp_dynamic<T>(); }
};

// ---- barriers ----

// Indices belong to the thread, so they are restored: the fibers that ran meanwhile have changed them.
CP_SLOW int cp_barrier(int vote, int predicate) {
  const uint3 me = threadIdx;
  const int result = cp_job->host->barrier(cp_job->state, vote, predicate);
  threadIdx = me;
  return result;
}
CP_FN void __syncthreads() { cp_barrier(0, 0); }
CP_FN int __syncthreads_count(int predicate) { return cp_barrier(1, predicate); }
CP_FN int __syncthreads_and(int predicate) { return cp_barrier(2, predicate); }
CP_FN int __syncthreads_or(int predicate) { return cp_barrier(3, predicate); }
// Waits for all blocks of the grid, whose fibers change the block's index, too.
CP_SLOW void cp_grid_barrier() {
  const uint3 block = blockIdx;
  cp_barrier(4, 0);
  blockIdx = block;
}
CP_FN void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CP_FN void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CP_FN void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CP_SLOW void __nanosleep(unsigned) {
  const uint3 me = threadIdx;
  cp_job->host->yield(cp_job->state);
  threadIdx = me;
}

// ---- warps ----

CP_FN unsigned cp_thread_number() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
CP_FN int cp_lane() { return (int)(cp_thread_number() % 32); }
CP_SLOW unsigned long long cp_warp(int op, unsigned mask, unsigned long long value, int argument) {
  const uint3 me = threadIdx;
  cp_warp_request r = {op, argument, mask, value, 0};
  cp_job->host->warp(cp_job->state, &r);
  threadIdx = me;
  return r.result;
}

// CUDA does not promise which lanes run together; each one alone is always a valid answer.
CP_FN unsigned __activemask() { return 1u << cp_lane(); }
CP_FN void __syncwarp(unsigned mask = 0xffffffffu) { cp_warp(0, mask, 0, 0); }

template <typename T> CP_FN T cp_shuffle(unsigned mask, T value, int lane) {
  static_assert(sizeof(T) <= 8, "a shuffled value has 8 bytes at most");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = cp_warp(1, mask, bits, lane);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T> CP_FN T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
  return cp_shuffle(mask, v, (cp_lane() & -width) | (lane & (width - 1)));
}
template <typename T> CP_FN T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  const int me = cp_lane(), from = me - (int)delta;
  return cp_shuffle(mask, v, from < (me & -width) ? me : from);
}
template <typename T> CP_FN T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  const int me = cp_lane(), from = me + (int)delta;
  return cp_shuffle(mask, v, from > (me | (width - 1)) ? me : from);
}
template <typename T> CP_FN T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32) {
  const int me = cp_lane(), from = me ^ lanes;
  return cp_shuffle(mask, v, from > (me | (width - 1)) ? me : from);
}
CP_FN unsigned __ballot_sync(unsigned mask, int predicate) {
  return (unsigned)cp_warp(2, mask, predicate != 0, 0);
}
CP_FN int __any_sync(unsigned mask, int predicate) { return cp_warp(2, mask, predicate != 0, 0) != 0; }
CP_FN int __all_sync(unsigned mask, int predicate) { return cp_warp(2, mask, predicate == 0, 0) == 0; }
CP_FN int __uni_sync(unsigned mask, int predicate) {
  const unsigned yes = __ballot_sync(mask, predicate), no = __ballot_sync(mask, !predicate);
  return yes == 0 || no == 0;
}
template <typename T> CP_FN unsigned __match_any_sync(unsigned mask, T v) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &v, sizeof v);
  return (unsigned)cp_warp(3, mask, bits, 0);
}
template <typename T> CP_FN unsigned __match_all_sync(unsigned mask, T v, int *all) {
  const unsigned same = __match_any_sync(mask, v), there = __ballot_sync(mask, 1);
  *all = same == there;
  return *all ? same : 0;
}
CP_FN unsigned __reduce_add_sync(unsigned mask, unsigned v) { return (unsigned)cp_warp(4, mask, v, 0); }
CP_FN int __reduce_add_sync(unsigned mask, int v) { return (int)cp_warp(4, mask, (unsigned)v, 0); }
CP_FN unsigned __reduce_min_sync(unsigned mask, unsigned v) { return (unsigned)cp_warp(5, mask, v, 0); }
CP_FN unsigned __reduce_max_sync(unsigned mask, unsigned v) { return (unsigned)cp_warp(6, mask, v, 0); }
CP_FN int __reduce_min_sync(unsigned mask, int v) { return (int)cp_warp(7, mask, (unsigned)v, 0); }
CP_FN int __reduce_max_sync(unsigned mask, int v) { return (int)cp_warp(8, mask, (unsigned)v, 0); }
CP_FN unsigned __reduce_and_sync(unsigned mask, unsigned v) { return (unsigned)cp_warp(9, mask, v, 0); }
CP_FN unsigned __reduce_or_sync(unsigned mask, unsigned v) { return (unsigned)cp_warp(10, mask, v, 0); }
CP_FN unsigned __reduce_xor_sync(unsigned mask, unsigned v) { return (unsigned)cp_warp(11, mask, v, 0); }

// ---- atomics beyond cpu.h ----

CP_FN unsigned atomicInc(unsigned *p, unsigned limit) {
  return cp_atomic(p, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
CP_FN unsigned atomicDec(unsigned *p, unsigned limit) {
  return cp_atomic(p, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
#define CP_SCOPES(NAME)                                                                                      \
  template <typename... A> CP_FN auto NAME##_block(A... a)->decltype(NAME(a...)) { return NAME(a...); }      \
  template <typename... A> CP_FN auto NAME##_system(A... a)->decltype(NAME(a...)) { return NAME(a...); }
CP_SCOPES(atomicAdd)
CP_SCOPES(atomicSub)
CP_SCOPES(atomicMin) CP_SCOPES(atomicMax) CP_SCOPES(atomicExch) CP_SCOPES(atomicAnd) CP_SCOPES(atomicOr)
    CP_SCOPES(atomicXor) CP_SCOPES(atomicCAS) CP_SCOPES(atomicInc) CP_SCOPES(atomicDec)

    // ---- memory, bits, conversions ----

    template <typename T>
    CP_FN T __ldcg(const T *p) {
  return *p;
}
template <typename T> CP_FN T __ldca(const T *p) { return *p; }
template <typename T> CP_FN T __ldcs(const T *p) { return *p; }
template <typename T> CP_FN T __ldlu(const T *p) { return *p; }
template <typename T> CP_FN T __ldcv(const T *p) { return *(const volatile T *)p; }
template <typename T> CP_FN void __stwb(T *p, T v) { *p = v; }
template <typename T> CP_FN void __stcg(T *p, T v) { *p = v; }
template <typename T> CP_FN void __stcs(T *p, T v) { *p = v; }
template <typename T> CP_FN void __stwt(T *p, T v) { *p = v; }

CP_FN int __ffsll(long long v) { return __builtin_ffsll(v); }
CP_FN unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int k = 0; k < 32; k++) r |= (v >> k & 1) << (31 - k);
  return r;
}
CP_FN unsigned long long __brevll(unsigned long long v) {
  return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}
CP_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int k = 0; k < 4; k++) {
    const unsigned s = selector >> (4 * k) & 15, byte = (unsigned)(bytes >> (8 * (s & 7))) & 255;
    r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
  }
  return r;
}
CP_FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
CP_FN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
CP_FN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
CP_FN long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
CP_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
CP_FN int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
CP_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
CP_FN unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}

CP_FN double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
CP_FN int __double2hiint(double v) { return (int)((unsigned long long)__double_as_longlong(v) >> 32); }
CP_FN int __double2loint(double v) { return (int)__double_as_longlong(v); }

// Float to integer: saturated; nan gives 0 (for 32 bits), as in hardware.
template <typename I> CP_FN I cp_saturate(double v, double low, double high) {
  if (v != v) return (I)0;
  return v <= low    ? (I)low
         : v >= high ? (I)(~(I)0 ^ ((I)-1 < (I)0 ? (I)1 << (sizeof(I) * 8 - 1) : (I)0))
                     : (I)v;
}
#define CP_ROUNDINGS(NAME, I, F, LOW, HIGH)                                                                  \
  CP_FN I NAME##_rn(F v) { return cp_saturate<I>(__builtin_rint((double)v), LOW, HIGH); }                    \
  CP_FN I NAME##_rz(F v) { return cp_saturate<I>(__builtin_trunc((double)v), LOW, HIGH); }                   \
  CP_FN I NAME##_ru(F v) { return cp_saturate<I>(__builtin_ceil((double)v), LOW, HIGH); }                    \
  CP_FN I NAME##_rd(F v) { return cp_saturate<I>(__builtin_floor((double)v), LOW, HIGH); }
CP_ROUNDINGS(__float2int, int, float, -2147483648.0, 2147483647.0)
CP_ROUNDINGS(__float2uint, unsigned, float, 0.0, 4294967295.0)
CP_ROUNDINGS(__float2ll, long long, float, -9223372036854775808.0, 9223372036854775808.0)
CP_ROUNDINGS(__float2ull, unsigned long long, float, 0.0, 18446744073709551616.0)
CP_ROUNDINGS(__double2int, int, double, -2147483648.0, 2147483647.0)
CP_ROUNDINGS(__double2uint, unsigned, double, 0.0, 4294967295.0)
CP_ROUNDINGS(__double2ll, long long, double, -9223372036854775808.0, 9223372036854775808.0)
CP_ROUNDINGS(__double2ull, unsigned long long, double, 0.0, 18446744073709551616.0)
CP_FN float __int2float_rn(int v) { return (float)v; }
CP_FN float __uint2float_rn(unsigned v) { return (float)v; }
CP_FN float __ll2float_rn(long long v) { return (float)v; }
CP_FN float __ull2float_rn(unsigned long long v) { return (float)v; }
CP_FN double __int2double_rn(int v) { return v; }
CP_FN double __uint2double_rn(unsigned v) { return v; }
CP_FN double __ll2double_rn(long long v) { return (double)v; }
CP_FN double __ull2double_rn(unsigned long long v) { return (double)v; }
CP_FN float __double2float_rn(double v) { return (float)v; }

// ---- arithmetic ----

CP_FN float __fadd_rn(float a, float b) { return a + b; }
CP_FN float __fsub_rn(float a, float b) { return a - b; }
CP_FN float __fmul_rn(float a, float b) { return a * b; }
CP_FN float __fdiv_rn(float a, float b) { return a / b; }
CP_FN float __frcp_rn(float a) { return 1 / a; }
CP_FN float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
CP_FN float __frsqrt_rn(float a) { return (float)(1 / __builtin_sqrt((double)a)); }
CP_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CP_FN double __dadd_rn(double a, double b) { return a + b; }
CP_FN double __dsub_rn(double a, double b) { return a - b; }
CP_FN double __dmul_rn(double a, double b) { return a * b; }
CP_FN double __ddiv_rn(double a, double b) { return a / b; }
CP_FN double __drcp_rn(double a) { return 1 / a; }
CP_FN double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
CP_FN double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
CP_FN float __saturatef(float v) { return v >= 1 ? 1 : v >= 0 ? v : 0; }
CP_FN float rnorm3df(float x, float y, float z) { return 1 / __builtin_sqrtf(x * x + y * y + z * z); }
CP_FN float norm3df(float x, float y, float z) { return __builtin_sqrtf(x * x + y * y + z * z); }
CP_FN double norm3d(double x, double y, double z) { return __builtin_sqrt(x * x + y * y + z * z); }
CP_FN float rhypotf(float x, float y) { return 1 / __builtin_hypotf(x, y); }
CP_FN double rhypot(double x, double y) { return 1 / __builtin_hypot(x, y); }
CP_FN double normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
CP_FN float normcdff(float x) { return (float)normcdf((double)x); }
#ifndef CP_HEADERS // the system's headers declare these
CP_FN void sincosf(float x, float *s, float *c) {
  *s = __builtin_sinf(x);
  *c = __builtin_cosf(x);
}
CP_FN void sincos(double x, double *s, double *c) {
  *s = __builtin_sin(x);
  *c = __builtin_cos(x);
}
CP_FN float exp10f(float x) { return exp10(x); }
CP_FN long lrintf(float x) { return __builtin_lrintf(x); }
CP_FN long lrint(double x) { return __builtin_lrint(x); }
CP_FN long lroundf(float x) { return __builtin_lroundf(x); }
CP_FN long lround(double x) { return __builtin_lround(x); }
CP_FN long long llrintf(float x) { return __builtin_llrintf(x); }
CP_FN long long llrint(double x) { return __builtin_llrint(x); }
CP_FN long long llroundf(float x) { return __builtin_llroundf(x); }
CP_FN long long llround(double x) { return __builtin_llround(x); }
CP_FN int ilogbf(float x) { return __builtin_ilogbf(x); }
CP_FN int ilogb(double x) { return __builtin_ilogb(x); }
CP_FN float scalbnf(float x, int n) { return __builtin_scalbnf(x, n); }
CP_FN double scalbn(double x, int n) { return __builtin_scalbn(x, n); }
extern "C" int printf(const char *, ...);
extern "C" void *memcpy(void *, const void *, size_t) noexcept;
extern "C" void *memset(void *, int, size_t) noexcept;
#endif
CP_FN void cp_sincosf(float x, float *s, float *c) {
  *s = __builtin_sinf(x);
  *c = __builtin_cosf(x);
}
#define __sincosf(x, s, c) cp_sincosf(x, s, c) // macros, because glibc declares functions of these names
#define __exp10f(x)        __builtin_powf(10, x)
#ifdef __x86_64__
CP_FN long long clock64() { return (long long)__builtin_ia32_rdtsc(); }
#else
CP_FN long long clock64() { return 0; }
#endif

// ---- calling a kernel ----

template <size_t... I> struct cp_indices {};
template <size_t N, size_t... I> struct cp_count : cp_count<N - 1, N - 1, I...> {};
template <size_t... I> struct cp_count<0, I...> { typedef cp_indices<I...> type; };

template <auto F> struct cp_raw_kernel;
template <typename... P, void (*F)(P...)> struct cp_raw_kernel<F> {
  static constexpr int cp_arity = (int)sizeof...(P);
  static constexpr size_t cp_sizes[sizeof...(P) + 1] = {sizeof(P)..., 0};

  template <size_t... I> static CP_METHOD void call(void **a, cp_indices<I...>) { F(*(P *)a[I]...); }
  static CP_METHOD void call(void **a) { call(a, typename cp_count<sizeof...(P)>::type()); }

  static void thread(void *data, int number) {
    const unsigned n = (unsigned)number, x = blockDim.x, y = blockDim.y;
    threadIdx.x = n % x;
    threadIdx.y = n / x % y;
    threadIdx.z = n / x / y;
    call((void **)data);
  }

  static void place_block(unsigned long long b) {
    blockIdx.x = (unsigned)(b % gridDim.x);
    blockIdx.y = (unsigned)(b / gridDim.x % gridDim.y);
    blockIdx.z = (unsigned)(b / gridDim.x / gridDim.y);
  }

  // A thread of a grid whose blocks run at once. It keeps the address of its block's shared memory.
  static void thread_of_grid(void *data, int number) {
    cp_raw_job *job = (cp_raw_job *)data;
    const int count = (int)(job->block[0] * job->block[1] * job->block[2]), block = number / count;
    place_block((unsigned long long)block);
    job->shared = job->memory + (size_t)block * job->stride;
    thread(job->arguments, number % count);
  }

  static void threads(cp_raw_job *job) {
    const unsigned nx = job->block[0], ny = job->block[1], nz = job->block[2];
    void **a = job->arguments;
    for (unsigned z = 0; z < nz; z++)
      for (unsigned y = 0; y < ny; y++)
        for (unsigned x = 0; x < nx; x++) {
          threadIdx.x = x;
          threadIdx.y = y;
          threadIdx.z = z;
          call(a);
        }
  }

  static const char *cp_run(cp_raw_job *job) {
    const int count = (int)(job->block[0] * job->block[1] * job->block[2]);
    cp_job = job;
    blockDim = dim3(job->block[0], job->block[1], job->block[2]);
    gridDim = dim3(job->grid[0], job->grid[1], job->grid[2]);
    if (job->memory != 0) return job->run(job->state, count, thread_of_grid, job);
    for (unsigned long long b = job->first; b < job->last; b++) {
      place_block(b);
      const char *problem = 0;
      if (job->state == 0)
        threads(job);
      else
        problem = job->run(job->state, count, thread, job->arguments);
      if (problem == 0) problem = cp_problem;
      cp_problem = 0;
      if (problem != 0) return problem;
    }
    return 0;
  }
};
