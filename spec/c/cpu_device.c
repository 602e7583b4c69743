// The CPU device against plain loops: hand-made plans with every access, half types, reductions by rows and
// by columns with their chunks, empty ones; and the same bits for any number of threads.
#include "cpu/cpu.h"
#include "cpu/loops.h"
#include "cpu/run.h"
#include "cpu/threads.h"
#include "expr/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool ok, const char *format, ...) {
  va_list args;
  if (ok) return;
  failures++;
  va_start(args, format);
  printf("FAILED ");
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

static void run(cp_plan *p) {
  cp_device device = {.ops = &cp_cpu_ops, .name = "cpu"};
  cp_stream stream = {.device = &device};
  static cp_context ctx;
  check(cp_cpu_ops.run(&ctx, &stream, p) == CP_OK, "run: %s", cp_error_text());
}

// Plans ----------------------------------------------------------------------------------------------------

typedef struct shape {
  int ndim;
  int64_t n[4];
} shape;

static cp_plan *plan(shape s) {
  cp_plan *p = calloc(1, sizeof *p);
  p->ndim = s.ndim;
  memcpy(p->shape, s.n, (size_t)s.ndim * sizeof *s.n);
  p->vector = 1;
  p->red = CP_NREDS;
  p->value = p->position = -1;
  return p;
}

static cp_operand operand(const void *base, cp_dtype t, const int64_t *strides, int ndim) {
  cp_operand o = {.base = (char *)(uintptr_t)base, .dtype = t, .access = CP_ACCESS_STRIDED};
  for (int d = 0; d < ndim; d++) o.strides[d] = strides[d];
  return o;
}

#define STRIDES(...) ((const int64_t[4]){__VA_ARGS__})

static int leaf(cp_plan *p, const void *base, cp_dtype t, const int64_t *strides) {
  p->leaves[p->nleaves] = operand(base, t, strides, p->ndim);
  return p->nleaves++;
}

static int indices(cp_plan *p, int64_t start, const int64_t *steps) {
  p->leaves[p->nleaves] = operand(NULL, CP_INT64, steps, p->ndim);
  p->leaves[p->nleaves].access = CP_ACCESS_INDEX;
  p->leaves[p->nleaves].start = start;
  return p->nleaves++;
}

static int instr(cp_plan *p, cp_op op, cp_dtype loop, cp_dtype dtype, int a, int b) {
  p->instrs[p->ninstrs] = (cp_instr){op, loop, dtype, b < 0 ? 1 : 2, {a, b}};
  return p->nleaves + p->nscalars + p->ninstrs++;
}

static void output(cp_plan *p, void *base, cp_dtype t, const int64_t *strides, int reg) {
  p->outputs[p->noutputs] = operand(base, t, strides, p->ndim);
  p->outputs[p->noutputs++].reg = reg;
}

static void run_and_free(cp_plan *p) {
  cp_plan_finish(p);
  run(p);
  free(p);
}

static double noise(uint64_t k) {
  k = (k + 1) * 0x9e3779b97f4a7c15u;
  k = (k ^ k >> 29) * 0xbf58476d1ce4e5b9u;
  return (double)(k >> 40) / (1 << 23) - 1;
}

static float *floats(int64_t n) {
  float *a = malloc((size_t)n * sizeof *a + 64);
  for (int64_t k = 0; k < n; k++) a[k] = (float)noise((uint64_t)k);
  return a;
}

// Elementwise ----------------------------------------------------------------------------------------------

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

// d[i][j][k] = a[k][j][i] + row[k] for odd shapes: gathers that cross rows, and rows read in place.
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

// Unaligned bytes, bool of any byte, indices, several outputs of which one is a leaf, one stored in place.
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

// Results of another size than the gathered operands must not take the blocks of those while they are read.
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

// d[i][j] = a[j][i] * 2 + b[i][j] in tiles with all kinds of edges, and the plain transposed copy of each size.
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

// Short rows: a row and a column that are broadcast, of a half type, bool and float32.
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

// Two arrays change places; large results, which are stored past the cache.
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

// As many operations, leaves and scalars as a plan holds, some of them equal; two results, one of them in the middle.
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

// Products of complex numbers are rounded before they are added: the same bits on every device.
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
    int x = leaf(p, a, t, STRIDES(4)); // every second one
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

// sin has rare elements, which go through another function; in place.
static void test_rare(void) {
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

// Reductions -----------------------------------------------------------------------------------------------

// Reduces float32 of shape (outer, inner) with the given byte strides into t.
static void reduce(cp_red red, const void *a, cp_dtype from, cp_dtype acc, int64_t outer, int64_t inner,
                   int64_t so, int64_t si, void *d, cp_dtype t) {
  cp_plan *p = plan((shape){2, {outer, inner}});
  p->reduction = true;
  p->nred = 1;
  p->red = red;
  p->acc = acc;
  p->result = t;
  p->value = leaf(p, a, from, STRIDES(so, si));
  if (cp_reds[red].cls == CP_RED_INDEX) p->position = indices(p, 0, STRIDES(0, 1));
  output(p, d, t, STRIDES((int64_t)cp_itemsize(t), 0), -1);
  run_and_free(p);
}

static void test_sums(int64_t outer, int64_t inner, bool transposed) {
  float *a = floats(outer * inner), *d = malloc((size_t)outer * 4), *first = NULL;
  int64_t so = transposed ? 1 : inner, si = transposed ? outer : 1;
  for (int threads = 1; threads <= 4; threads++) {
    cp_set_thread_count(threads);
    reduce(CP_RED_sum, a, CP_FLOAT32, CP_FLOAT32, outer, inner, 4 * so, 4 * si, d, CP_FLOAT32);
    if (!first) first = memcpy(malloc((size_t)outer * 4), d, (size_t)outer * 4);
    check(memcmp(first, d, (size_t)outer * 4) == 0, "sum %lldx%lld differs with %d threads", (long long)outer,
          (long long)inner, threads);
  }
  for (int64_t i = 0; i < outer; i++) {
    double sum = 0, size = 0;
    for (int64_t k = 0; k < inner; k++) sum += a[i * so + k * si], size += fabs(a[i * so + k * si]);
    check(fabs(sum - d[i]) <= 2e-6 * size, "sum %lldx%lld: %g, not %g", (long long)outer, (long long)inner,
          (double)d[i], sum);
  }
  free(a), free(d), free(first);
}

static void test_others(int64_t outer, int64_t inner, bool transposed) {
  float *a = floats(outer * inner), *low = malloc((size_t)outer * 4), *var = malloc((size_t)outer * 4);
  float *mean = malloc((size_t)outer * 4);
  int64_t *at = malloc((size_t)outer * 8);
  int64_t so = transposed ? 1 : inner, si = transposed ? outer : 1;
  reduce(CP_RED_min, a, CP_FLOAT32, CP_FLOAT32, outer, inner, 4 * so, 4 * si, low, CP_FLOAT32);
  reduce(CP_RED_argmin, a, CP_FLOAT32, CP_FLOAT32, outer, inner, 4 * so, 4 * si, at, CP_INT64);
  reduce(CP_RED_var, a, CP_FLOAT32, CP_FLOAT32, outer, inner, 4 * so, 4 * si, var, CP_FLOAT32);
  reduce(CP_RED_nanmean, a, CP_FLOAT32, CP_FLOAT32, outer, inner, 4 * so, 4 * si, mean, CP_FLOAT32);
  for (int64_t i = 0; i < outer; i++) {
    double sum = 0, squares = 0;
    int64_t best = 0;
    for (int64_t k = 0; k < inner; k++) {
      sum += a[i * so + k * si];
      if (a[i * so + k * si] < a[i * so + best * si]) best = k;
    }
    sum /= (double)inner;
    for (int64_t k = 0; k < inner; k++) squares += (a[i * so + k * si] - sum) * (a[i * so + k * si] - sum);
    squares /= (double)inner;
    bool ok = low[i] == a[i * so + best * si] && at[i] == best + 1 && fabs(var[i] - squares) <= 1e-5 &&
              fabs(mean[i] - sum) <= 1e-5;
    check(ok, "min argmin var nanmean %lldx%lld [%lld]: %g %lld %g %g, not %g %lld %g %g", (long long)outer,
          (long long)inner, (long long)i, (double)low[i], (long long)at[i], (double)var[i], (double)mean[i],
          (double)a[i * so + best * si], (long long)best + 1, squares, sum);
    if (!ok) break;
  }
  free(a), free(low), free(var), free(mean), free(at);
}

// Equal extremes: the first wins, in rows and in columns, forwards and backwards; nan wins over all.
static void test_ties(int64_t outer, int64_t inner, bool transposed, bool nans) {
  float *a = malloc((size_t)(outer * inner) * 4), *high = malloc((size_t)outer * 4);
  int64_t *at = malloc((size_t)outer * 8), so = transposed ? 1 : inner, si = transposed ? outer : 1;
  for (int64_t k = 0; k < outer * inner; k++) a[k] = (float)((k * 7919 + k / 3) % 50);
  for (int64_t k = 0; nans && k < outer * inner; k += 977) a[k] = NAN;
  for (int backwards = 0; backwards < 2; backwards++) {
    const float *base = backwards ? a + (inner - 1) * si : a;
    int64_t step = backwards ? -si : si;
    reduce(CP_RED_argmax, base, CP_FLOAT32, CP_FLOAT32, outer, inner, 4 * so, 4 * step, at, CP_INT64);
    reduce(CP_RED_max, base, CP_FLOAT32, CP_FLOAT32, outer, inner, 4 * so, 4 * step, high, CP_FLOAT32);
    int64_t bad = 0;
    for (int64_t i = 0; i < outer; i++) {
      int64_t best = 0;
      for (int64_t k = 1; k < inner; k++) {
        float v = base[i * so + k * step], b = base[i * so + best * step];
        if (!isnan(b) && (isnan(v) || v > b)) best = k;
      }
      float want = base[i * so + best * step];
      bad += at[i] != best + 1 || !(high[i] == want || (isnan(high[i]) && isnan(want)));
    }
    check(bad == 0, "ties %lldx%lld%s%s%s: %lld wrong", (long long)outer, (long long)inner,
          transposed ? " transposed" : "", nans ? " with nan" : "", backwards ? " backwards" : "",
          (long long)bad);
  }
  free(a), free(high), free(at);
}

// The sum of a large mean and small differences: one pass must not cancel.
static void test_moments(int64_t outer, int64_t inner, bool transposed) {
  double *a = malloc((size_t)(outer * inner) * 8), *var = malloc((size_t)outer * 8);
  int64_t so = transposed ? 1 : inner, si = transposed ? outer : 1;
  for (int64_t k = 0; k < outer * inner; k++) a[k] = 1e9 + noise((uint64_t)k);
  reduce(CP_RED_var, a, CP_FLOAT64, CP_FLOAT64, outer, inner, 8 * so, 8 * si, var, CP_FLOAT64);
  double worst = 0;
  for (int64_t i = 0; i < outer; i++) {
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < inner; k++) sum += a[i * so + k * si] - 1e9;
    for (int64_t k = 0; k < inner; k++) squares += pow(a[i * so + k * si] - 1e9 - sum / (double)inner, 2);
    double error = fabs(var[i] - squares / (double)inner);
    worst = error > worst ? error : worst;
  }
  check(worst < 1e-6, "var %lldx%lld: off by %g", (long long)outer, (long long)inner, worst);
  free(a), free(var);
}

static void test_empty(void) {
  float d[300];
  reduce(CP_RED_sum, d, CP_FLOAT32, CP_FLOAT32, 300, 0, 0, 4, d, CP_FLOAT32);
  for (int k = 0; k < 300; k++) check(d[k] == 0, "empty sum [%d] = %g", k, (double)d[k]);
  reduce(CP_RED_mean, d, CP_FLOAT32, CP_FLOAT32, 3, 0, 0, 4, d, CP_FLOAT32);
  check(isnan(d[0]) && isnan(d[2]), "empty mean: %g", (double)d[0]);
  cp_plan *p = plan((shape){2, {0, 5}});
  output(p, d, CP_FLOAT32, STRIDES(20, 4), leaf(p, d, CP_FLOAT32, STRIDES(20, 4)));
  run_and_free(p);
}

static void test_half_sum(void) {
  enum { N = 5000 };
  unsigned short *a = malloc(N * 2), d;
  for (int k = 0; k < N; k++) cp_scalar_store(cp_scalar_float(0.125 * (k % 9), CP_FLOAT16), &a[k]);
  reduce(CP_RED_sum, a, CP_FLOAT16, CP_FLOAT32, 1, N, 0, 2, &d, CP_FLOAT16);
  double sum = 0;
  for (int k = 0; k < N; k++) sum += 0.125 * (k % 9);
  double want = cp_scalar_cast(cp_scalar_float(sum, CP_FLOAT32), CP_FLOAT16).v.f,
         got = cp_scalar_load(&d, CP_FLOAT16).v.f;
  check(got == want, "sum of float16: %g, not %g", got, want);
  free(a);
}

// A strided reduction over the middle axis of three, with an expression before it.
static void test_middle(int64_t ni, int64_t nj, int64_t nk) {
  float *a = floats(ni * nj * nk), *d = malloc((size_t)(ni * nk) * 4);
  cp_plan *p = plan((shape){3, {ni, nk, nj}});
  int x = leaf(p, a, CP_FLOAT32, STRIDES(4 * nj * nk, 4, 4 * nk));
  p->reduction = true;
  p->nred = 1;
  p->red = CP_RED_max;
  p->acc = p->result = CP_FLOAT32;
  p->value = instr(p, CP_OP_square, CP_FLOAT32, CP_FLOAT32, x, -1);
  output(p, d, CP_FLOAT32, STRIDES(4 * nk, 4, 0), -1);
  run_and_free(p);
  for (int64_t i = 0; i < ni * nk; i++) {
    float best = 0;
    for (int64_t j = 0; j < nj; j++) best = fmaxf(best, powf(a[(i / nk * nj + j) * nk + i % nk], 2));
    check(d[i] == best, "max of squares over the middle axis %lldx%lldx%lld", (long long)ni, (long long)nj,
          (long long)nk);
    if (d[i] != best) break;
  }
  free(a), free(d);
}

// Rows that follow each other in memory, in groups that do not: blocks of several rows must end with the group.
static void test_groups(int64_t groups, int64_t rows, int64_t n, int64_t apart) {
  float *a = floats(groups * apart), *d = malloc((size_t)(groups * rows) * 4);
  for (int64_t k = 0; k < groups * apart; k++) a[k] = rintf(a[k] * 1000); // sums are exact
  cp_plan *p = plan((shape){3, {groups, rows, n}});
  p->reduction = true;
  p->nred = 1;
  p->red = CP_RED_sum;
  p->acc = p->result = CP_FLOAT32;
  p->value = leaf(p, a, CP_FLOAT32, STRIDES(4 * apart, 4 * n, 4));
  output(p, d, CP_FLOAT32, STRIDES(4 * rows, 4, 0), -1);
  run_and_free(p);
  int64_t bad = 0;
  for (int64_t i = 0; i < groups * rows; i++) {
    float sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[i / rows * apart + i % rows * n + k];
    bad += d[i] != sum;
  }
  check(bad == 0, "sums of groups of rows %lldx%lldx%lld: %lld wrong", (long long)groups, (long long)rows,
        (long long)n, (long long)bad);
  free(a), free(d);
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
  test_rare();
  const int64_t shapes[][2] = {{1, 1},      {1, 100},   {1, 1025},  {3, 20000}, {1, 300000},
                               {1000, 3},   {500, 17},  {3, 256},   {100, 300}, {20, 10000},
                               {2000, 100}, {9000, 70}, {600, 1000}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    for (int transposed = 0; transposed < 2; transposed++) {
      test_sums(shapes[k][0], shapes[k][1], transposed);
      test_others(shapes[k][0], shapes[k][1], transposed);
    }
  }
  for (int kind = 0; kind < 4; kind++) {
    test_ties(1, 100000, kind & 1, kind & 2), test_ties(300, 70, kind & 1, kind & 2);
    test_ties(20, 3000, kind & 1, kind & 2), test_ties(2000, 9, kind & 1, kind & 2);
  }
  for (int transposed = 0; transposed < 2; transposed++) {
    test_moments(1, 100000, transposed), test_moments(300, 700, transposed),
        test_moments(2000, 9, transposed);
  }
  test_groups(5, 40, 100, 5000), test_groups(7, 300, 10, 3333), test_groups(3, 4, 255, 1100);
  test_groups(3, 4, 256, 1100);
  test_middle(3, 50, 20);
  test_middle(2, 300, 1500);
  test_middle(20, 11, 300);
  test_empty();
  test_half_sum();
  printf("cpu_device (%s, up to 4 threads): %s\n", cp_cpu_level(), failures ? "FAILED" : "passed");
  return failures ? 1 : 0;
}
