// What kernels written in Lua call (lua/cupola/jit/cuda.lua): comparisons by value, shifts, rounds of loops,
// atomics.

#ifdef CP_DEVICE
#define CP_JIT_UNROLL            _Pragma("unroll")
#define CP_JIT_UNROLL_TEXT(text) _Pragma(#text)
#define CP_JIT_UNROLL_BY(n)      CP_JIT_UNROLL_TEXT(unroll n)
#else
#define CP_JIT_UNROLL
#define CP_JIT_UNROLL_BY(n)
#endif
#ifndef INFINITY
#define INFINITY (__uint_as_float(0x7f800000u))
#endif
#ifndef NAN
#define NAN (__uint_as_float(0x7fc00000u))
#endif

namespace cp_jit {

typedef unsigned long long word;

// b where a < b, as Lua's math.max; a where b is nan.
template <typename T> CP_FN T max(T a, T b) { return a < b ? b : a; }
template <typename T> CP_FN T min(T a, T b) { return b < a ? b : a; }

// 0 - a, in a form that prelude/integer.h explains.
CP_FN unsigned minus(unsigned a) {
#ifdef __CUDA_ARCH__
  unsigned inverse;
  asm("not.b32 %0, %1;" : "=r"(inverse) : "r"(a));
  return inverse + 1u;
#else
  return 0u - a;
#endif
}

// ---- comparisons of int64 with uint64 and of 64-bit integers with floating numbers ----

CP_FN bool less(long long a, word b) { return a < 0 || (word)a < b; }
CP_FN bool less(word a, long long b) { return b >= 0 && a < (word)b; }
CP_FN bool less_equal(long long a, word b) { return a < 0 || (word)a <= b; }
CP_FN bool less_equal(word a, long long b) { return b >= 0 && a <= (word)b; }
CP_FN bool equal(long long a, word b) { return a >= 0 && (word)a == b; }
CP_FN bool equal(word a, long long b) { return b >= 0 && a == (word)b; }

// The integer of b rounded down, where b is in the integer's range; low and high: beyond it.
#define CP_JIT_MIXED(I, LOW, HIGH)                                                                           \
  CP_FN bool less(I a, double b) {                                                                           \
    return b >= HIGH || (b > LOW && ((double)a < b || (b == (double)a && a < (I)b)));                        \
  }                                                                                                          \
  CP_FN bool less_equal(I a, double b) {                                                                     \
    return b >= HIGH || (b >= LOW && ((double)a < b || (b == (double)a && a <= (I)b)));                      \
  }                                                                                                          \
  CP_FN bool less(double a, I b) {                                                                           \
    return a < LOW || (a < HIGH && (a < (double)b || (a == (double)b && (I)a < b)));                         \
  }                                                                                                          \
  CP_FN bool less_equal(double a, I b) {                                                                     \
    return a < LOW || (a < HIGH && (a < (double)b || (a == (double)b && (I)a <= b)));                        \
  }                                                                                                          \
  CP_FN bool equal(I a, double b) { return b >= LOW && b < HIGH && (double)a == b && (I)b == a; }            \
  CP_FN bool equal(double a, I b) { return equal(b, a); }
CP_JIT_MIXED(long long, -9223372036854775808.0, 9223372036854775808.0)
CP_JIT_MIXED(word, 0.0, 18446744073709551616.0)
#undef CP_JIT_MIXED

// ---- shifts: logical, by any count; a negative count shifts the other way ----

template <typename T> struct unsigned_of;
#define CP_JIT_UNSIGNED(T, U)                                                                                \
  template <> struct unsigned_of<T> { typedef U type; };
CP_JIT_UNSIGNED(signed char, unsigned char)
CP_JIT_UNSIGNED(short, unsigned short)
CP_JIT_UNSIGNED(int, unsigned)
CP_JIT_UNSIGNED(long long, word)
CP_JIT_UNSIGNED(unsigned char, unsigned char)
CP_JIT_UNSIGNED(unsigned short, unsigned short)
CP_JIT_UNSIGNED(unsigned, unsigned)
CP_JIT_UNSIGNED(word, word)
#undef CP_JIT_UNSIGNED

template <typename T> CP_FN T moved(T a, long long left) {
  typedef typename unsigned_of<T>::type U;
  const int width = (int)sizeof(T) * 8;
  if (left <= -width || left >= width) return (T)0;
  return left >= 0 ? (T)(U)((word)(U)a << left) : (T)(U)((U)a >> -left);
}
CP_FN long long count_of(long long n) { return n; }
CP_FN long long count_of(word n) { return n > 127 ? 127 : (long long)n; }
template <typename T, typename N> CP_FN T shl(T a, N n) { return moved(a, count_of(n)); }
template <typename T, typename N> CP_FN T shr(T a, N n) {
  const long long right = count_of(n);
  return moved(a, right < -127 ? 127 : -right);
}
// Arithmetic: copies of the sign come in from the left.
template <typename T, typename N> CP_FN T sar(T a, N n) {
  const long long right = count_of(n), most = (long long)sizeof(T) * 8 - 1;
  if (right < 0) return moved(a, right < -127 ? 127 : -right);
  return (T)(a >> (right > most ? most : right));
}

// ---- quotients of numbers that are not negative; 0 where the divisor is 0 ----

CP_FN unsigned quotient(unsigned a, unsigned b) { return b == 0 ? 0 : a / b; }
CP_FN word quotient(word a, word b) { return b == 0 ? 0 : a / b; }
CP_FN unsigned rest(unsigned a, unsigned b) { return b == 0 ? 0 : a % b; }
CP_FN word rest(word a, word b) { return b == 0 ? 0 : a % b; }

// ---- floor division by a number that is not negative; 0 where it is 0 ----

// In unsigned numbers: for a < 0, a = ~m with m >= 0, and floor(a / b) = ~(m / b).
CP_FN int modulo(int a, int b) {
  const unsigned d = b == 0 ? 1u : (unsigned)b, s = (unsigned)(a >> 31);
  return (int)(((((unsigned)a ^ s) % d) ^ s) + (s & d));
}
CP_FN int floored(int a, int b) {
  const unsigned s = (unsigned)(a >> 31);
  return b == 0 ? 0 : (int)((((unsigned)a ^ s) / (unsigned)b) ^ s);
}

// ---- loops ----

// How often a loop from first to last runs; 0 for a step of 0.
CP_FN long long rounds(long long first, long long last, long long step) {
  if (step == 0 || (step > 0 ? first > last : first < last)) return 0;
  const word distance = step > 0 ? (word)last - (word)first : (word)first - (word)last;
  const word by = step > 0 ? (word)step : 0 - (word)step;
  return (long long)(distance / by + 1);
}

// A floating end of a loop over integers, rounded towards the beginning.
CP_FN long long limit(double last, bool down) {
  if (last != last) return down ? 9223372036854775807ll : -9223372036854775807ll - 1;
  if (last >= 9223372036854775808.0) return 9223372036854775807ll;
  if (last < -9223372036854775808.0) return -9223372036854775807ll - 1;
  const long long whole = (long long)last;
  if (down) return (double)whole < last ? whole + 1 : whole;
  return (double)whole > last ? whole - 1 : whole;
}

#if defined(CP_JIT_THREADS)

// ---- checked positions ----

struct axis {
  long long at, length, step; // the position, from 1
};
enum : long long { none = -9223372036854775807ll - 1 };

// The offset of an element; `none` if a position is out of range, which is recorded if it is the first:
// ORDER cp_fault_words in src/device/raw.h. The check comes last, as another stream may read the words.
template <int N> CP_FN long long place(word *fault, int check, const axis (&axes)[N]) {
  long long offset = 0;
  for (int k = 0; k < N; k++) {
    const word at = (word)axes[k].at - 1;
    if (at >= (word)axes[k].length) {
      if (atomicCAS(fault + 4, (word)0, (word)1) == 0) {
        fault[1] = (word)axes[k].at;
        fault[2] = (word)(k + 1);
        fault[3] = (word)axes[k].length;
        __threadfence_system();
        *(volatile word *)fault = (word)check;
      }
      return none;
    }
    offset += (long long)at * axes[k].step;
  }
  return offset;
}
template <typename T> CP_FN T load(const T *x, long long at) { return at == none ? T() : x[at]; }
template <typename T, typename V> CP_FN void store(T *x, long long at, V v) {
  if (at != none) x[at] = (T)v;
}
CP_FN long long thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
CP_FN long long threads() { return (long long)blockDim.x * blockDim.y * blockDim.z; }

CP_FN int lane() {
  return (int)(((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32u);
}

// ---- the barrier of a grid ----

#ifdef CP_DEVICE
// All threads of a grid whose blocks run at once wait for each other. The word is 0 before the launch; each
// barrier turns its highest bit over, by what the first block adds.
CP_FN void __syncgrid(unsigned *arrived) {
  __syncthreads();
  if (thread() == 0) {
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    const bool first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
    __threadfence();
    const unsigned old = atomicAdd(arrived, first ? 0x80000000u - (blocks - 1) : 1u);
    while (((old ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0) {}
    __threadfence();
  }
  __syncthreads();
}
#else
CP_FN void __syncgrid(unsigned *) { cp_grid_barrier(); }
#endif

// ---- atomics, which return the old value ----

template <typename T> CP_FN T atomic_add(T *p, T v) { return atomicAdd(p, v); }
template <typename T> CP_FN T atomic_sub(T *p, T v) { return atomicAdd(p, (T)(0 - v)); }
template <typename T> CP_FN T atomic_exch(T *p, T v) { return atomicExch(p, v); }
template <typename T> CP_FN T atomic_min(T *p, T v) { return atomicMin(p, v); }
template <typename T> CP_FN T atomic_max(T *p, T v) { return atomicMax(p, v); }
template <typename T> CP_FN T atomic_and(T *p, T v) { return atomicAnd(p, v); }
template <typename T> CP_FN T atomic_or(T *p, T v) { return atomicOr(p, v); }
template <typename T> CP_FN T atomic_xor(T *p, T v) { return atomicXor(p, v); }
template <typename T> CP_FN T atomic_inc(T *p, T v) { return atomicInc(p, v); }
template <typename T> CP_FN T atomic_dec(T *p, T v) { return atomicDec(p, v); }
template <typename T> CP_FN T atomic_cas(T *p, T expected, T v) { return atomicCAS(p, expected, v); }

// 64-bit integers and floating numbers that CUDA's functions do not take.
CP_FN long long atomic_add(long long *p, long long v) { return (long long)atomicAdd((word *)p, (word)v); }
CP_FN long long atomic_sub(long long *p, long long v) { return (long long)atomicAdd((word *)p, 0 - (word)v); }
CP_FN long long atomic_exch(long long *p, long long v) { return (long long)atomicExch((word *)p, (word)v); }
CP_FN long long atomic_and(long long *p, long long v) { return (long long)atomicAnd((word *)p, (word)v); }
CP_FN long long atomic_or(long long *p, long long v) { return (long long)atomicOr((word *)p, (word)v); }
CP_FN long long atomic_xor(long long *p, long long v) { return (long long)atomicXor((word *)p, (word)v); }
CP_FN long long atomic_cas(long long *p, long long expected, long long v) {
  return (long long)atomicCAS((word *)p, (word)expected, (word)v);
}
CP_FN float atomic_sub(float *p, float v) { return atomicAdd(p, -v); }
CP_FN double atomic_sub(double *p, double v) { return atomicAdd(p, -v); }
CP_FN double atomic_exch(double *p, double v) {
  return __longlong_as_double((long long)atomicExch((word *)p, (word)__double_as_longlong(v)));
}

// The lesser or greater of two floating numbers: as math.min and math.max with the old value first.
template <bool greater> CP_FN float atomic_extreme(float *p, float v) {
  int old = __float_as_int(*(volatile float *)p), before;
  do {
    before = old;
    const float a = __int_as_float(before), b = greater ? max(a, v) : min(a, v);
    old = atomicCAS((int *)p, before, __float_as_int(b));
  } while (old != before);
  return __int_as_float(old);
}
template <bool greater> CP_FN double atomic_extreme(double *p, double v) {
  word old = (word)__double_as_longlong(*(volatile double *)p), before;
  do {
    before = old;
    const double a = __longlong_as_double((long long)before), b = greater ? max(a, v) : min(a, v);
    old = atomicCAS((word *)p, before, (word)__double_as_longlong(b));
  } while (old != before);
  return __longlong_as_double((long long)old);
}
CP_FN float atomic_min(float *p, float v) { return atomic_extreme<false>(p, v); }
CP_FN float atomic_max(float *p, float v) { return atomic_extreme<true>(p, v); }
CP_FN double atomic_min(double *p, double v) { return atomic_extreme<false>(p, v); }
CP_FN double atomic_max(double *p, double v) { return atomic_extreme<true>(p, v); }

#endif

} // namespace cp_jit
