// What CUDA offers beyond <math.h>, for kernels on the CPU.

// min and max of numbers of any two types. For floats, if one is nan they return the other.
template <typename A, typename B, typename = typename cp_number<A>::yes,
          typename = typename cp_number<B>::yes>
CP_FN auto min(A a, B b) -> decltype(true ? A() : B()) {
  return b < a || a != a ? b : a;
}
template <typename A, typename B, typename = typename cp_number<A>::yes,
          typename = typename cp_number<B>::yes>
CP_FN auto max(A a, B b) -> decltype(true ? A() : B()) {
  return a < b || a != a ? b : a;
}

CP_FN float min(float a, float b) { return __builtin_fminf(a, b); }
CP_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }

CP_FN float rsqrt(float x) { return 1 / __builtin_sqrtf(x); }
CP_FN double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
CP_FN float rsqrtf(float x) { return rsqrt(x); }
#ifndef CP_HEADERS // the system's headers may declare these
CP_FN float exp10(float x) { return __builtin_powf(10, x); }
CP_FN double exp10(double x) { return __builtin_pow(10, x); }
CP_FN float sinpif(float x) { return (float)__builtin_sin(M_PI * (double)x); }
CP_FN float cospif(float x) { return (float)__builtin_cos(M_PI * (double)x); }
CP_FN double sinpi(double x) { return __builtin_sin(M_PI * x); }
CP_FN double cospi(double x) { return __builtin_cos(M_PI * x); }
#endif

// Macros, because glibc declares functions of these names.
#define __expf(x)         __builtin_expf(x)
#define __logf(x)         __builtin_logf(x)
#define __log2f(x)        __builtin_log2f(x)
#define __log10f(x)       __builtin_log10f(x)
#define __sinf(x)         __builtin_sinf(x)
#define __cosf(x)         __builtin_cosf(x)
#define __tanf(x)         __builtin_tanf(x)
#define __powf(x, y)      __builtin_powf(x, y)
#define __fdividef(x, y)  ((float)(x) / (float)(y))
