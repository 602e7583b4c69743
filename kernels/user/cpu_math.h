// The mathematical functions of <math.h>, with CUDA's overloads and additions. They are declared without a
// header, which would take longer to parse than most kernels take to compile. Left out if a kernel's preamble
// includes headers itself.

template <typename A, typename B> struct cp_meet { // the type that a function of two numbers computes in
  typedef double type;
};
template <> struct cp_meet<float, float> {
  typedef float type;
};

#define CP_LIBRARY1(NAME)                                                                                    \
  extern "C" double NAME(double) noexcept;                                                                   \
  extern "C" float NAME##f(float) noexcept;
#define CP_OVERLOAD1(NAME)                                                                                   \
  CP_FN float NAME(float x) { return NAME##f(x); }                                                           \
  template <typename S, typename = typename cp_number<S>::yes> CP_FN double NAME(const S &x) {               \
    return NAME((double)x);                                                                                  \
  }
#define CP_MATH1(NAME) CP_LIBRARY1(NAME) CP_OVERLOAD1(NAME)
#define CP_MATH2(NAME)                                                                                       \
  extern "C" double NAME(double, double) noexcept;                                                           \
  extern "C" float NAME##f(float, float) noexcept;                                                           \
  CP_FN float NAME(float x, float y) { return NAME##f(x, y); }                                               \
  template <typename A, typename B, typename = typename cp_number<A>::yes,                                   \
            typename = typename cp_number<B>::yes>                                                           \
  CP_FN typename cp_meet<A, B>::type NAME(const A &x, const B &y) {                                          \
    return NAME((double)x, (double)y);                                                                       \
  }

CP_MATH1(acos)
CP_MATH1(asin) CP_MATH1(atan) CP_MATH1(cos) CP_MATH1(sin) CP_MATH1(tan) CP_MATH1(acosh) CP_MATH1(asinh)
    CP_MATH1(atanh) CP_MATH1(cosh) CP_MATH1(sinh) CP_MATH1(tanh) CP_MATH1(exp) CP_MATH1(exp2) CP_MATH1(expm1)
        CP_MATH1(log) CP_MATH1(log2) CP_MATH1(log10) CP_MATH1(log1p) CP_MATH1(logb) CP_MATH1(sqrt)
            CP_MATH1(cbrt) CP_MATH1(erf) CP_MATH1(erfc) CP_MATH1(lgamma) CP_MATH1(tgamma) CP_MATH1(ceil)
                CP_MATH1(floor) CP_MATH1(trunc) CP_MATH1(round) CP_MATH1(rint) CP_MATH1(nearbyint)
                    CP_MATH1(fabs) CP_MATH1(j0) CP_MATH1(j1) CP_MATH1(y0) CP_MATH1(y1) CP_MATH2(atan2)
                        CP_MATH2(copysign) CP_MATH2(fdim) CP_MATH2(fmax) CP_MATH2(fmin) CP_MATH2(fmod)
                            CP_MATH2(hypot) CP_MATH2(nextafter) CP_MATH2(pow) CP_MATH2(remainder)

                                extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int *) noexcept;
extern "C" float frexpf(float, int *) noexcept;
extern "C" double modf(double, double *) noexcept;
extern "C" float modff(float, float *) noexcept;
CP_FN float fma(float x, float y, float z) { return fmaf(x, y, z); }
CP_FN float ldexp(float x, int e) { return ldexpf(x, e); }
CP_FN float frexp(float x, int *e) { return frexpf(x, e); }
CP_FN float modf(float x, float *whole) { return modff(x, whole); }

CP_FN int abs(int x) { return x < 0 ? -x : x; }
CP_FN long abs(long x) { return x < 0 ? -x : x; }
CP_FN long long abs(long long x) { return x < 0 ? -x : x; }
CP_FN float abs(float x) { return __builtin_fabsf(x); }
CP_FN double abs(double x) { return __builtin_fabs(x); }

#define CP_TEST(NAME)                                                                                        \
  CP_FN bool NAME(float x) { return __builtin_##NAME(x) != 0; }                                              \
  CP_FN bool NAME(double x) { return __builtin_##NAME(x) != 0; }
CP_TEST(isnan) CP_TEST(isinf) CP_TEST(isfinite) CP_TEST(signbit)
