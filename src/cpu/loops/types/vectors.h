// Included by loops.c alone: loops that call vector functions of the C library. All elements go through
// these, also a last incomplete vector, so that a result does not depend on the element's place in the array.
#if defined(CP_KIND_REAL) && defined(__AVX2__)

#define VECTOR_YES_tan          ~, 1
#define VECTOR_YES_arcsin       ~, 1
#define VECTOR_YES_arccos       ~, 1
#define VECTOR_YES_arctan       ~, 1
#define VECTOR_YES_arctan2      ~, 1
#define VECTOR_YES_sinh         ~, 1
#define VECTOR_YES_cosh         ~, 1
#define VECTOR_YES_arcsinh      ~, 1
#define VECTOR_YES_arccosh      ~, 1
#define VECTOR_YES_arctanh      ~, 1
#define VECTOR_YES_cbrt         ~, 1
#define VECTOR_YES_erf          ~, 1
#define VECTOR_YES_erfc         ~, 1
#define VECTOR_YES_special_ndtr ~, 1

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#else
enum { VECTOR_BYTES = 32 };
#endif
enum { VECTOR_LANES = VECTOR_BYTES / sizeof(T) };
typedef T function_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef function_vector function_of_v(function_vector);
typedef function_vector function_of_vv(function_vector, function_vector);

// Loads n elements at v, and repeats the last one in the remaining lanes.
CP_FN function_vector load_some(const T *v, size_t n) {
  function_vector x;
  if (n >= VECTOR_LANES) {
    memcpy(&x, v, sizeof x);
  } else {
    for (size_t j = 0; j < VECTOR_LANES; j++) x[j] = v[j < n ? j : n - 1];
  }
  return x;
}

CP_FN void store_some(T *d, const function_vector *x, size_t n) {
  if (n >= VECTOR_LANES)
    memcpy(d, x, sizeof *x);
  else
    memcpy(d, x, n * sizeof(T));
}

#define CALL_v  f(load_some(a + k, n - k))
#define CALL_vv f(load_some(a + k, n - k), load_some(b + k, n - k))
#define OTHER_v
#define OTHER_vv const T *b = in[1];

#define VECTOR_LOOP(name, c_name, letters)                                                                   \
  static void vector_loop_##name(void *out, const void *const *in, size_t n) {                               \
    function_of_##letters *f =                                                                               \
        (function_of_##letters *)cp_cpu_vector(CP_VECTOR_##name, VECTOR_BYTES, sizeof(T) == 4);              \
    if (f == NULL) {                                                                                         \
      loop_##name(out, in, n);                                                                               \
      return;                                                                                                \
    }                                                                                                        \
    const T *a = in[0];                                                                                      \
    OTHER_##letters T *d = out;                                                                              \
    for (size_t k = 0; k < n; k += VECTOR_LANES) {                                                           \
      const function_vector r = CALL_##letters;                                                              \
      store_some(d + k, &r, n - k);                                                                          \
    }                                                                                                        \
  }
CP_VECTOR_FUNCTIONS(VECTOR_LOOP)

// The normal distribution function, computed by erfc.
static void vector_loop_special_ndtr(void *out, const void *const *in, size_t n) {
  enum { STEP = 4 * VECTOR_LANES };
  function_of_v *f = (function_of_v *)cp_cpu_vector(CP_VECTOR_erfc, VECTOR_BYTES, sizeof(T) == 4);
  const T *a = in[0];
  T *d = out, y[STEP];
  if (f == NULL) {
    loop_special_ndtr(out, in, n);
    return;
  }
  for (size_t k = 0; k < n; k += STEP) {
    size_t m = n - k < STEP ? n - k : STEP;
    INDEPENDENT for (size_t j = 0; j < m; j++) y[j] = m_ndtr_argument(a[k + j]);
    for (size_t j = 0; j < m; j += VECTOR_LANES) {
      const function_vector r = f(load_some(y + j, m - j));
      store_some(y + j, &r, m - j);
    }
    INDEPENDENT for (size_t j = 0; j < m; j++) d[k + j] = m_ndtr_of(a[k + j], y[j]);
  }
}
#endif

#define LOOP_OF_1(name) vector_loop_##name
#define LOOP_OF_0(name) loop_##name
#define LOOP_OF(name)   CAT(LOOP_OF_, SECOND(CAT(VECTOR_YES_, name), 0, 0))(name)
