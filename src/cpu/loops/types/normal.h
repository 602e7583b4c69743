// Included by loops.c alone: logarithms and powers of groups of normal numbers, by forms that need fewer
// instructions and give the same bits as the full ones, which other groups take.
#if defined(CP_KIND_REAL)

#define VECTOR_YES_log   ~, 1
#define VECTOR_YES_log2  ~, 1
#define VECTOR_YES_log10 ~, 1
#define VECTOR_YES_power ~, 1

enum { NORMAL_STEP = 64 };

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
NORMAL_LOOP(log2, m_log2_of_normal)
NORMAL_LOOP(log10, m_log10_of_normal)

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
      high[i] = m_pow_logarithm(a[k + i], b[k + i], &low[i], &ok);
      all &= ok;
    }
    if (all) {
      INDEPENDENT for (size_t i = 0; i < m; i++) to[k + i] = m_pow_result(b[k + i], high[i], low[i]);
    } else {
      INDEPENDENT for (size_t i = 0; i < m; i++) to[k + i] = m_pow(a[k + i], b[k + i]);
    }
  }
}
#endif
