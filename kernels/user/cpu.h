// CUDA's names for kernels that the system's C++ compiler compiles: qualifiers, bit casts, intrinsics and
// atomics. Threads of the CPU device share memory, so atomics are real ones; threadIdx and the like do not
// exist here.

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__    __attribute__((noinline))
#define __constant__    static const

#define CP_FN     static inline __attribute__((always_inline))
#define CP_SLOW   static __attribute__((noinline))
#define CP_METHOD inline __attribute__((always_inline))

template <typename To, typename From> CP_FN To cp_bits(From v) {
  To r;
  __builtin_memcpy(&r, &v, sizeof r);
  return r;
}
CP_FN float __uint_as_float(unsigned v) { return cp_bits<float>(v); }
CP_FN float __int_as_float(int v) { return cp_bits<float>(v); }
CP_FN int __float_as_int(float v) { return cp_bits<int>(v); }
CP_FN unsigned __float_as_uint(float v) { return cp_bits<unsigned>(v); }
CP_FN double __longlong_as_double(long long v) { return cp_bits<double>(v); }
CP_FN long long __double_as_longlong(double v) { return cp_bits<long long>(v); }

CP_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
CP_FN int __popc(unsigned v) { return __builtin_popcount(v); }
CP_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
CP_FN int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
CP_FN int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
CP_FN int __ffs(int v) { return __builtin_ffs(v); }
template <typename T> CP_FN T __ldg(const T *p) { return *p; }

// All atomics return the previous value.
template <typename T, typename F> CP_FN T cp_atomic(T *p, F change) {
  T before, after;
  __atomic_load(p, &before, __ATOMIC_RELAXED);
  do after = change(before);
  while (!__atomic_compare_exchange(p, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return before;
}
// The second argument takes the type of the first.
template <typename T> struct cp_same {
  typedef T type;
};
#define CP_ATOMIC(NAME, EXPRESSION)                                                                          \
  template <typename T> CP_FN T NAME(T *p, typename cp_same<T>::type v) {                                    \
    return cp_atomic(p, [=](T old) -> T { return EXPRESSION; });                                             \
  }
CP_ATOMIC(atomicAdd, old + v)
CP_ATOMIC(atomicSub, old - v)
CP_ATOMIC(atomicMin, old < v ? old : v)
CP_ATOMIC(atomicMax, old < v ? v : old)
CP_ATOMIC(atomicExch, v)
CP_ATOMIC(atomicAnd, old &v)
CP_ATOMIC(atomicOr, old | v)
CP_ATOMIC(atomicXor, old ^ v)
#undef CP_ATOMIC
template <typename T>
CP_FN T atomicCAS(T *p, typename cp_same<T>::type expected, typename cp_same<T>::type v) {
  T before = expected;
  __atomic_compare_exchange(p, &before, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return before;
}
