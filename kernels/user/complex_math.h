// Transcendental functions of complex<CP_R>, by the prelude of complex numbers in the namespace CP_SPACE,
// whose struct is CP_C: the same text and so the same bits on every device. Included once per type.

CP_FN CP_SPACE::CP_C cp_plain(const complex<CP_R> &z) { return CP_SPACE::CP_C{z.re, z.im}; }
CP_FN complex<CP_R> cp_wrap(const CP_SPACE::CP_C &z) { return complex<CP_R>(z.re, z.im); }

#define CP_COMPLEX_FUNCTION(NAME, PRELUDE)                                                                   \
  CP_FN complex<CP_R> NAME(const complex<CP_R> &z) { return cp_wrap(CP_SPACE::PRELUDE(cp_plain(z))); }
CP_COMPLEX_FUNCTION(exp, c_exp)
CP_COMPLEX_FUNCTION(log, c_log)
CP_COMPLEX_FUNCTION(log10, c_log10)
CP_COMPLEX_FUNCTION(sqrt, c_sqrt)
CP_COMPLEX_FUNCTION(sin, c_sin)
CP_COMPLEX_FUNCTION(cos, c_cos)
CP_COMPLEX_FUNCTION(tan, c_tan)
CP_COMPLEX_FUNCTION(sinh, c_sinh)
CP_COMPLEX_FUNCTION(cosh, c_cosh)
CP_COMPLEX_FUNCTION(tanh, c_tanh)
CP_COMPLEX_FUNCTION(asin, c_arcsin)
CP_COMPLEX_FUNCTION(acos, c_arccos)
CP_COMPLEX_FUNCTION(atan, c_arctan)
CP_COMPLEX_FUNCTION(asinh, c_arcsinh)
CP_COMPLEX_FUNCTION(acosh, c_arccosh)
CP_COMPLEX_FUNCTION(atanh, c_arctanh)
#undef CP_COMPLEX_FUNCTION

CP_FN complex<CP_R> pow(const complex<CP_R> &a, const complex<CP_R> &b) {
  return cp_wrap(CP_SPACE::c_power(cp_plain(a), cp_plain(b)));
}
template <typename S, typename = typename cp_number<S>::yes>
CP_FN complex<CP_R> pow(const complex<CP_R> &a, const S &b) {
  return pow(a, complex<CP_R>((CP_R)b));
}
template <typename S, typename = typename cp_number<S>::yes>
CP_FN complex<CP_R> pow(const S &a, const complex<CP_R> &b) {
  return pow(complex<CP_R>((CP_R)a), b);
}
