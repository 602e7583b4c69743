// Included by loops.c alone: loops of complex numbers that are made of loops of their parts, which vectorise.
#if defined(CP_KIND_COMPLEX)

#define VECTOR_YES_exp   ~, 1
#define VECTOR_YES_angle ~, 1

enum { SPLIT = 256 };
#define PART_DTYPE (sizeof(R) == 4 ? CP_FLOAT32 : CP_FLOAT64)

CP_FN void split_parts(R *re, R *im, const T *a, size_t n) {
  for (size_t j = 0; j < n; j++) {
    re[j] = a[j].re;
    im[j] = a[j].im;
  }
}

static void vector_loop_angle(void *out, const void *const *in, size_t n) {
  cp_loop *f = cp_cpu_loops(PART_DTYPE)->ops[CP_OP_arctan2];
  const T *a = in[0];
  R *to = out, re[SPLIT], im[SPLIT];
  for (size_t k = 0; k < n; k += SPLIT) {
    const size_t m = n - k < SPLIT ? n - k : SPLIT;
    split_parts(re, im, a + k, m);
    f(to + k, (const void *const[]){im, re}, m);
  }
}

// By the product of its factors, as c_exp computes it but for large and special numbers.
static void vector_loop_exp(void *out, const void *const *in, size_t n) {
  const cp_loops *loops = cp_cpu_loops(PART_DTYPE);
  const T *a = in[0];
  T *to = out, some[SPLIT];
  R re[SPLIT], im[SPLIT], size[SPLIT], c[SPLIT], s[SPLIT];
  for (size_t k = 0; k < n; k += SPLIT) {
    const size_t m = n - k < SPLIT ? n - k : SPLIT;
    int ok = 1;
    split_parts(re, im, a + k, m);
    loops->ops[CP_OP_exp](size, (const void *const[]){re}, m);
    loops->ops[CP_OP_cos](c, (const void *const[]){im}, m);
    loops->ops[CP_OP_sin](s, (const void *const[]){im}, m);
#define PART_IS_USUAL(j) ((size[j] < (R)INFINITY) & (m_abs(im[j]) < (R)INFINITY))
    for (size_t j = 0; j < m; j++) {
      ok &= PART_IS_USUAL(j);
      some[j] = c_make(size[j] * c[j], size[j] * s[j]);
    }
    for (size_t j = 0; !ok && j < m; j++)
      if (!PART_IS_USUAL(j)) some[j] = c_exp(a[k + j]);
#undef PART_IS_USUAL
    memcpy(to + k, some, m * sizeof *some);
  }
}
#endif
