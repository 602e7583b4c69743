// Checks elementwise plans on the CPU device against plain loops: every kind of access, half types, tiles and
// chunks; and equal bits for any number of threads.
#include "cpu_plans.h"

static void test_lengths(void) {
  float *a = floats(200000), *b = floats(200001), *d = malloc(200001 * sizeof *d);
  const int64_t lengths[] = {1, 2, 3, 7, 33, 100, 1023, 1024, 1025, 5000, 16384, 16385, 65537, 199999};
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    int64_t n = lengths[k];
    cp_plan *p = plan((shape){1, {n}});
    int x = leaf(p, a, CP_FLOAT32, STRIDES(4)), y = leaf(p, b + 1, CP_FLOAT32, STRIDES(4));
    p->nscalars = 1;
    p->scalars[0] = cp_scalar_float(2.5, CP_FLOAT32);
    int t = instr(p, CP_OP_multiply, CP_FLOAT32, CP_FLOAT32, x, 2);
    output(p, d, CP_FLOAT32, STRIDES(4), instr(p, CP_OP_add, CP_FLOAT32, CP_FLOAT32, t, y));
    d[n] = -7;
    run_and_free(p);
    int64_t bad = d[n] == -7 ? 0 : 1;
    for (int64_t i = 0; i < n; i++) bad += d[i] != a[i] * 2.5f + b[i + 1];
    check(bad == 0, "x * 2.5 + y of length %lld: %lld wrong", (long long)n, (long long)bad);
  }
  free(a), free(b), free(d);
}

// d[i][j][k] = a[k][j][i] + row[k] for odd shapes: strided loads that cross rows, and rows read in place.
static void test_strided(int64_t ni, int64_t nj, int64_t nk) {
  float *a = floats(ni * nj * nk), *row = floats(nk), *d = malloc((size_t)(ni * nj * nk) * sizeof *d);
  for (int reversed = 0; reversed < 2; reversed++) {
    cp_plan *p = plan((shape){3, {ni, nj, nk}});
    int x = leaf(p, a, CP_FLOAT32, STRIDES(4, 4 * ni, 4 * ni * nj));
    int y = reversed ? leaf(p, row + nk - 1, CP_FLOAT32, STRIDES(0, 0, -4))
                     : leaf(p, row, CP_FLOAT32, STRIDES(0, 0, 4));
    output(p, d, CP_FLOAT32, STRIDES(4 * nj * nk, 4 * nk, 4),
           instr(p, CP_OP_add, CP_FLOAT32, CP_FLOAT32, x, y));
    run_and_free(p);
    int64_t bad = 0;
    for (int64_t i = 0; i < ni; i++)
      for (int64_t j = 0; j < nj; j++)
        for (int64_t k = 0; k < nk; k++)
          bad += d[(i * nj + j) * nk + k] != a[(k * nj + j) * ni + i] + row[reversed ? nk - 1 - k : k];
    check(bad == 0, "transposed plus row %lldx%lldx%lld", (long long)ni, (long long)nj, (long long)nk);
  }
  free(a), free(row), free(d);
}

// Unaligned bytes, bool from any byte, indices, several outputs, one of which is a leaf and one in place.
static void test_mixed(void) {
  enum { N = 3000 };
  char *bytes = malloc(N * 8 + 1);
  unsigned char *flags = malloc(N), *out = malloc(N);
  int64_t *d = malloc(N * 8), *e = malloc(N * 8);
  for (int64_t k = 0; k < N; k++) {
    int64_t v = k * k - 5;
    memcpy(bytes + 1 + 8 * k, &v, 8);
    flags[k] = (unsigned char)(k % 5);
    e[k] = k;
  }
  cp_plan *p = plan((shape){1, {N}});
  int x = leaf(p, bytes + 1, CP_INT64, STRIDES(8)), f = leaf(p, flags, CP_BOOL, STRIDES(1));
  int pos = indices(p, 10, STRIDES(3)), old = leaf(p, e, CP_INT64, STRIDES(8));
  int sum = instr(p, CP_OP_add, CP_INT64, CP_INT64, x, pos);
  int twice = instr(p, CP_OP_add, CP_INT64, CP_INT64, old, old);
  int again = instr(p, CP_OP_add, CP_INT64, CP_INT64, sum, old);
  output(p, e, CP_INT64, STRIDES(8), twice);
  output(p, d, CP_INT64, STRIDES(8), again);
  output(p, out, CP_BOOL, STRIDES(1), f);
  run_and_free(p);
  int64_t bad = 0;
  for (int64_t k = 0; k < N; k++) {
    bad += d[k] != k * k - 5 + 10 + 3 * k + k || e[k] != 2 * k || out[k] != (k % 5 != 0);
  }
  check(bad == 0, "mixed operands: %lld wrong", (long long)bad);
  free(bytes), free(flags), free(out), free(d), free(e);
}

// Results of another element size than strided operands must not reuse blocks that are still being read.
static void test_sizes(void) {
  enum { N = 700 };
  float *a = floats(2 * N);
  double *d = malloc(2 * N * sizeof *d);
  unsigned char *less = malloc(2 * N);
  cp_plan *p = plan((shape){1, {N}});
  int x = leaf(p, a, CP_FLOAT32, STRIDES(8)), y = leaf(p, a + 1, CP_FLOAT32, STRIDES(8));
  int wide = instr(p, CP_OP_cast, CP_FLOAT32, CP_FLOAT64, x, -1);
  output(p, d, CP_FLOAT64, STRIDES(16), wide);
  output(p, less, CP_BOOL, STRIDES(2), instr(p, CP_OP_less, CP_FLOAT32, CP_BOOL, y, x));
  run_and_free(p);
  int bad = 0;
  for (int k = 0; k < N; k++) bad += d[2 * k] != a[2 * k] || less[2 * k] != (a[2 * k + 1] < a[2 * k]);
  check(bad == 0, "operands and results of different sizes: %d wrong", bad);
  free(a), free(d), free(less);
}

// d[i][j] = a[j][i] * 2 + b[i][j] in tiles with all kinds of edges, and the plain transposed copy for each
// item size.
static void test_tiles(int64_t ni, int64_t nj) {
  float *a = floats(ni * nj), *b = floats(ni * nj), *d = malloc((size_t)(ni * nj) * sizeof *d);
  cp_plan *p = plan((shape){2, {ni, nj}});
  int x = leaf(p, a, CP_FLOAT32, STRIDES(4, 4 * ni)), y = leaf(p, b, CP_FLOAT32, STRIDES(4 * nj, 4));
  p->nscalars = 1;
  p->scalars[0] = cp_scalar_float(2, CP_FLOAT32);
  int t = instr(p, CP_OP_multiply, CP_FLOAT32, CP_FLOAT32, x, 2);
  output(p, d, CP_FLOAT32, STRIDES(4 * nj, 4), instr(p, CP_OP_add, CP_FLOAT32, CP_FLOAT32, t, y));
  run_and_free(p);
  int64_t bad = 0;
  for (int64_t i = 0; i < ni; i++)
    for (int64_t j = 0; j < nj; j++) bad += d[i * nj + j] != a[j * ni + i] * 2 + b[i * nj + j];
  check(bad == 0, "transposed times 2 plus %lldx%lld: %lld wrong", (long long)ni, (long long)nj,
        (long long)bad);
  const cp_dtype types[] = {CP_INT8, CP_FLOAT16, CP_FLOAT32, CP_FLOAT64, CP_COMPLEX128};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    int64_t size = (int64_t)cp_itemsize(types[k]);
    unsigned char *from = malloc((size_t)(ni * nj * size)), *to = malloc((size_t)(ni * nj * size));
    for (int64_t j = 0; j < ni * nj * size; j++) from[j] = (unsigned char)(j * 37 + j / 251);
    cp_plan *copy = plan((shape){2, {ni, nj}});
    output(copy, to, types[k], STRIDES(size * nj, size),
           leaf(copy, from, types[k], STRIDES(size, size * ni)));
    run_and_free(copy);
    bad = 0;
    for (int64_t i = 0; i < ni; i++)
      for (int64_t j = 0; j < nj; j++)
        bad += memcmp(to + (i * nj + j) * size, from + (j * ni + i) * size, (size_t)size) != 0;
    check(bad == 0, "transposed %s %lldx%lld: %lld wrong", cp_dtypes[types[k]].name, (long long)ni,
          (long long)nj, (long long)bad);
    free(from), free(to);
  }
  free(a), free(b), free(d);
}

// Short rows: a broadcast row and column, of a half type, bool and float32.
static void test_short_rows(int64_t rows, int64_t n) {
  float *a = floats(rows * n), *column = floats(rows), *d = malloc((size_t)(rows * n) * sizeof *d);
  unsigned short *row = malloc((size_t)n * 2);
  unsigned char *flags = malloc((size_t)n);
  for (int64_t k = 0; k < n; k++) {
    cp_scalar_store(cp_scalar_float((double)(k % 8), CP_FLOAT16), &row[k]);
    flags[k] = (unsigned char)(k % 3);
  }
  cp_plan *p = plan((shape){2, {rows, n}});
  int x = leaf(p, a, CP_FLOAT32, STRIDES(4 * n, 4)), c = leaf(p, column, CP_FLOAT32, STRIDES(4, 0));
  int h = leaf(p, row, CP_FLOAT16, STRIDES(0, 2)), f = leaf(p, flags, CP_BOOL, STRIDES(0, 1));
  int wide = instr(p, CP_OP_cast, CP_FLOAT16, CP_FLOAT32, h, -1);
  int flag = instr(p, CP_OP_cast, CP_BOOL, CP_FLOAT32, f, -1);
  int sum = instr(p, CP_OP_add, CP_FLOAT32, CP_FLOAT32, x, c);
  sum = instr(p, CP_OP_add, CP_FLOAT32, CP_FLOAT32, sum, wide);
  output(p, d, CP_FLOAT32, STRIDES(4 * n, 4), instr(p, CP_OP_add, CP_FLOAT32, CP_FLOAT32, sum, flag));
  run_and_free(p);
  int64_t bad = 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < n; k++) {
      float want = a[i * n + k] + column[i];
      want += (float)(k % 8);
      want += k % 3 != 0;
      bad += d[i * n + k] != want;
    }
  check(bad == 0, "rows %lldx%lld with row and column: %lld wrong", (long long)rows, (long long)n,
        (long long)bad);
  free(a), free(column), free(d), free(row), free(flags);
}

// Swaps two arrays; large results, which are stored past the cache.
static void test_exchange(void) {
  enum { N = 5000000 };
  float *a = floats(N), *b = malloc(N * sizeof *b), *d = aligned_alloc(64, N * sizeof *d);
  for (int k = 0; k < N; k++) b[k] = (float)k;
  cp_plan *p = plan((shape){1, {N}});
  int x = leaf(p, a, CP_FLOAT32, STRIDES(4)), y = leaf(p, b, CP_FLOAT32, STRIDES(4));
  output(p, a, CP_FLOAT32, STRIDES(4), y);
  output(p, b, CP_FLOAT32, STRIDES(4), x);
  output(p, d, CP_FLOAT32, STRIDES(4), instr(p, CP_OP_add, CP_FLOAT32, CP_FLOAT32, x, y));
  run_and_free(p);
  int64_t bad = 0;
  for (int k = 0; k < N; k++) {
    float was = (float)noise((uint64_t)k);
    bad += a[k] != (float)k || b[k] != was || d[k] != was + (float)k;
  }
  check(bad == 0, "exchange: %lld wrong", (long long)bad);
  free(a), free(b), free(d);
}

// The largest plan: the most operations, leaves and scalars, some of them equal, with two results, one in the
// middle.
static void test_long_chain(void) {
  enum { N = 3000, LEAVES = 20, SCALARS = 30, OPS = 90 };
  float *a = floats(N + LEAVES), *d = malloc(N * 4), *e = malloc(N * 4);
  cp_plan *p = plan((shape){1, {N}});
  for (int k = 0; k < LEAVES; k++) leaf(p, a + k, CP_FLOAT32, STRIDES(4));
  p->nscalars = SCALARS;
  for (int k = 0; k < SCALARS; k++) p->scalars[k] = cp_scalar_float(0.25 * (k % 7), CP_FLOAT32);
  int regs[OPS];
  for (int k = 0; k < OPS; k++) {
    int before = k ? regs[k - 1] : 0, other = k % 3 == 0   ? LEAVES + k % SCALARS
                                              : k % 3 == 1 ? k % LEAVES
                                                           : regs[k / 2];
    regs[k] = instr(p, k % 2 ? CP_OP_subtract : CP_OP_add, CP_FLOAT32, CP_FLOAT32, before, other);
  }
  output(p, d, CP_FLOAT32, STRIDES(4), regs[OPS - 1]);
  output(p, e, CP_FLOAT32, STRIDES(4), regs[OPS / 2]);
  run_and_free(p);
  int bad = 0;
  for (int i = 0; i < N; i++) {
    float values[OPS];
    for (int k = 0; k < OPS; k++) {
      float before = k ? values[k - 1] : a[i];
      float other = k % 3 == 0   ? 0.25f * (float)(k % SCALARS % 7)
                    : k % 3 == 1 ? a[i + k % LEAVES]
                                 : values[k / 2];
      values[k] = k % 2 ? before - other : before + other;
    }
    bad += d[i] != values[OPS - 1] || e[i] != values[OPS / 2];
  }
  check(bad == 0, "chain of %d operations: %d wrong", OPS, bad);
  free(a), free(d), free(e);
}

// Products of complex numbers are rounded before they are added: equal bits on every device.
static void test_complex(void) {
  enum { N = 1000 };
  float *a = floats(2 * N), *b = floats(2 * N + 1) + 1, *d = malloc(2 * N * sizeof *d);
  cp_plan *p = plan((shape){1, {N}});
  int x = leaf(p, a, CP_COMPLEX64, STRIDES(8)), y = leaf(p, b, CP_COMPLEX64, STRIDES(8));
  output(p, d, CP_COMPLEX64, STRIDES(8), instr(p, CP_OP_multiply, CP_COMPLEX64, CP_COMPLEX64, x, y));
  run_and_free(p);
  int bad = 0;
  for (int k = 0; k < N; k++) {
    volatile float rr = a[2 * k] * b[2 * k], ii = a[2 * k + 1] * b[2 * k + 1];
    volatile float ri = a[2 * k] * b[2 * k + 1], ir = a[2 * k + 1] * b[2 * k];
    bad += d[2 * k] != rr - ii || d[2 * k + 1] != ri + ir;
  }
  check(bad == 0, "complex products: %d are not rounded", bad);
  free(a), free(b - 1), free(d);
}

static void test_half(void) {
  enum { N = 1500 };
  unsigned short *a = malloc(N * 2 * 2), *d = malloc(N * 2);
  float *f = malloc(N * 4);
  for (int pass = 0; pass < 2; pass++) {
    cp_dtype t = pass ? CP_BFLOAT16 : CP_FLOAT16;
    for (int k = 0; k < 2 * N; k++) a[k] = (unsigned short)(k * 7);
    cp_plan *p = plan((shape){1, {N}});
    int x = leaf(p, a, t, STRIDES(4)); // every second element
    int s = instr(p, CP_OP_multiply, t, t, x, x);
    int w = instr(p, CP_OP_cast, t, CP_FLOAT32, s, -1);
    output(p, d, t, STRIDES(2), s);
    output(p, f, CP_FLOAT32, STRIDES(4), w);
    run_and_free(p);
    int bad = 0;
    for (int k = 0; k < N; k++) {
      double v = cp_scalar_load(&a[2 * k], t).v.f,
             r = cp_scalar_cast(cp_scalar_float((float)v * (float)v, CP_FLOAT32), t).v.f;
      double got = cp_scalar_load(&d[k], t).v.f;
      bad += !(got == r || (isnan(got) && isnan(r))) || !(got == f[k] || (isnan(got) && isnan(f[k])));
    }
    check(bad == 0, "%s: %d wrong", cp_dtypes[t].name, bad);
  }
  free(a), free(d), free(f);
}

static void test_casts(void) {
  const float v[] = {0.9f,  -1.5f,  300,   -300, 3e9f,     -3e9f,     5e9f,
                     1e19f, -1e19f, 2e19f, NAN,  INFINITY, -INFINITY, 127.9f};
  enum { N = sizeof v / sizeof *v };
  for (int to = CP_BOOL; to <= CP_UINT64; to++) {
    char out[8 * N];
    cp_plan *p = plan((shape){1, {N}});
    int r = instr(p, CP_OP_cast, CP_FLOAT32, (cp_dtype)to, leaf(p, v, CP_FLOAT32, STRIDES(4)), -1);
    r++, r--;
    output(p, out, (cp_dtype)to, STRIDES((int64_t)cp_itemsize((cp_dtype)to)), r);
    run_and_free(p);
    for (int k = 0; k < N; k++) {
      cp_scalar want = cp_scalar_cast(cp_scalar_float(v[k], CP_FLOAT32), (cp_dtype)to);
      cp_scalar got = cp_scalar_load(out + (size_t)k * cp_itemsize((cp_dtype)to), (cp_dtype)to);
      check(want.v.i == got.v.i, "cast %g to %s: %lld", (double)v[k], cp_dtypes[to].name, (long long)got.v.i);
    }
  }
}

// sin has a fast path that is not valid for all elements; in place.
static void test_fast_form(void) {
  enum { N = 2000 };
  float *a = floats(N), *b = malloc(N * 4);
  for (int k = 0; k < N; k += 97) a[k] = 1e20f * (float)(k + 1);
  memcpy(b, a, N * 4);
  cp_plan *p = plan((shape){1, {N}});
  int r = instr(p, CP_OP_sin, CP_FLOAT32, CP_FLOAT32, leaf(p, a, CP_FLOAT32, STRIDES(4)), -1);
  output(p, a, CP_FLOAT32, STRIDES(4), r);
  run_and_free(p);
  for (int k = 0; k < N; k++)
    check(fabs(a[k] - sin(b[k])) < 1e-6, "sin(%g) = %g", (double)b[k], (double)a[k]);
  free(a), free(b);
}

int main(void) {
  test_lengths();
  test_strided(3, 5, 7);
  test_strided(7, 300, 3);
  test_strided(2, 3, 1500);
  test_strided(70, 40, 50);
  test_tiles(64, 64), test_tiles(100, 131), test_tiles(3, 5000), test_tiles(5000, 3), test_tiles(33, 1000);
  test_short_rows(3000, 1), test_short_rows(3000, 10), test_short_rows(700, 100), test_short_rows(40, 500);
  test_exchange();
  test_long_chain();
  test_complex();
  test_mixed();
  test_sizes();
  test_half();
  test_casts();
  test_fast_form();
  return report("cpu_device");
}
