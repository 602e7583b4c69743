// Included by loops.c alone: logarithms and powers of groups of normal numbers, by forms that need fewer
// instructions and give the same bits as the full ones, which other groups take.
#if defined(CP_KIND_REAL)

#define VECTOR_YES_log   ~, 1
#define VECTOR_YES_log2  ~, 1
#define VECTOR_YES_log10 ~, 1
#define VECTOR_YES_power ~, 1

enum { NORMAL_STEP = 64 };

CP_FN T log2_of_normal(T a) {
  T k, f = m_split_normal(a, &k) - 1;
  return m_log2_sum(f, k);
}
CP_FN T log10_of_normal(T a) {
  T k, f = m_split_normal(a, &k) - 1;
  return m_log10_sum(f, k);
}

#define NORMAL_LOOP(name, form)                                                                              \
  static void vector_loop_##name(void *out, const void *const *in, size_t n) {                               \
    const T *a = in[0];                                                                                      \
    T *to = out;                                                                                             \
    for (size_t k = 0; k < n; k += NORMAL_STEP) {                                                            \
      const size_t m = n - k < NORMAL_STEP ? n - k : NORMAL_STEP;                                            \
      int ok = 1;                                                                                            \
      for (size_t i = k; i < k + m; i++) ok &= m_log_fast_ok(a[i]);                                          \
      if (ok) {                                                                                              \
        INDEPENDENT for (size_t i = k; i < k + m; i++) to[i] = form(a[i]);                                   \
      } else {                                                                                               \
        INDEPENDENT for (size_t i = k; i < k + m; i++) to[i] = m_##name(a[i]);                               \
      }                                                                                                      \
    }                                                                                                        \
  }
NORMAL_LOOP(log, m_log_fast)
NORMAL_LOOP(log2, log2_of_normal)
NORMAL_LOOP(log10, log10_of_normal)

// log2 of a normal a > 0, and whether the exponents show that a^b is normal, too.
CP_FN T logarithm_of(T a, T b, T *error, int *ok) {
  T k, m = m_split_normal(a, &k);
  *ok = m_log_fast_ok(a) & m_exp2_is_normal(m_abs(b) * (m_abs(k) + (T)0.5));
  return m_log2_of(m, k, error);
}

// In two steps, as a processor cannot overlap elements whose chains of instructions are longer than what it
// looks ahead.
static void vector_loop_power(void *out, const void *const *in, size_t n) {
  const T *a = in[0], *b = in[1];
  T *to = out, high[NORMAL_STEP], low[NORMAL_STEP];
  for (size_t k = 0; k < n; k += NORMAL_STEP) {
    const size_t m = n - k < NORMAL_STEP ? n - k : NORMAL_STEP;
    int all = 1;
    INDEPENDENT for (size_t i = 0; i < m; i++) {
      int ok;
      high[i] = logarithm_of(a[k + i], b[k + i], &low[i], &ok);
      all &= ok;
    }
    if (all) {
      INDEPENDENT for (size_t i = 0; i < m; i++) to[k + i] = m_exp2_product(b[k + i], high[i], low[i]);
    } else {
      INDEPENDENT for (size_t i = 0; i < m; i++) to[k + i] = m_pow(a[k + i], b[k + i]);
    }
  }
}
#endif
