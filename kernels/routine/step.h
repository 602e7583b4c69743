// cp_step, sum + v * w: rounded once where T is a floating type.

CP_FN T cp_step(T sum, T v, T w) {
#if defined(T_COMPLEX)
  sum.re = T_SPACE::m_fma(-v.im, w.im, T_SPACE::m_fma(v.re, w.re, sum.re));
  sum.im = T_SPACE::m_fma(v.im, w.re, T_SPACE::m_fma(v.re, w.im, sum.im));
  return sum;
#elif defined(T_REAL)
  return T_SPACE::m_fma(v, w, sum);
#else
  return T_SPACE::r_add(sum, T_SPACE::r_multiply(v, w));
#endif
}
