// Checks reductions on the CPU device against plain loops: by rows and by columns with their chunks, groups
// of rows, ties, moments and empty reductions; and equal bits for any number of threads.
#include "cpu_plans.h"

// A matrix of shape (outer, inner) with strides in bytes.
typedef struct matrix {
  const void *a;
  cp_dtype from;
  int64_t outer, inner, so, si;
} matrix;

// Reduces each row, accumulating in acc, to d of dtype t.
static void reduce(cp_red red, matrix r, cp_dtype acc, void *d, cp_dtype t) {
  cp_plan *p = plan((shape){2, {r.outer, r.inner}});
  p->reduction = true;
  p->nred = 1;
  p->red = red;
  p->acc = acc;
  p->result = t;
  p->value = leaf(p, r.a, r.from, STRIDES(r.so, r.si));
  if (cp_reds[red].cls == CP_RED_INDEX) p->position = indices(p, 0, STRIDES(0, 1));
  output(p, d, t, STRIDES((int64_t)cp_itemsize(t), 0), -1);
  run_and_free(p);
}

static void test_sums(int64_t outer, int64_t inner, bool transposed) {
  float *a = floats(outer * inner), *d = malloc((size_t)outer * 4), *first = NULL;
  int64_t so = transposed ? 1 : inner, si = transposed ? outer : 1;
  for (int threads = 1; threads <= 4; threads++) {
    cp_set_thread_count(threads);
    reduce(CP_RED_sum, (matrix){a, CP_FLOAT32, outer, inner, 4 * so, 4 * si}, CP_FLOAT32, d, CP_FLOAT32);
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
  reduce(CP_RED_min, (matrix){a, CP_FLOAT32, outer, inner, 4 * so, 4 * si}, CP_FLOAT32, low, CP_FLOAT32);
  reduce(CP_RED_argmin, (matrix){a, CP_FLOAT32, outer, inner, 4 * so, 4 * si}, CP_FLOAT32, at, CP_INT64);
  reduce(CP_RED_var, (matrix){a, CP_FLOAT32, outer, inner, 4 * so, 4 * si}, CP_FLOAT32, var, CP_FLOAT32);
  reduce(CP_RED_nanmean, (matrix){a, CP_FLOAT32, outer, inner, 4 * so, 4 * si}, CP_FLOAT32, mean, CP_FLOAT32);
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
    reduce(CP_RED_argmax, (matrix){base, CP_FLOAT32, outer, inner, 4 * so, 4 * step}, CP_FLOAT32, at,
           CP_INT64);
    reduce(CP_RED_max, (matrix){base, CP_FLOAT32, outer, inner, 4 * so, 4 * step}, CP_FLOAT32, high,
           CP_FLOAT32);
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

// A large mean with small differences: computing moments in one pass must not cancel.
static void test_moments(int64_t outer, int64_t inner, bool transposed) {
  double *a = malloc((size_t)(outer * inner) * 8), *var = malloc((size_t)outer * 8);
  int64_t so = transposed ? 1 : inner, si = transposed ? outer : 1;
  for (int64_t k = 0; k < outer * inner; k++) a[k] = 1e9 + noise((uint64_t)k);
  reduce(CP_RED_var, (matrix){a, CP_FLOAT64, outer, inner, 8 * so, 8 * si}, CP_FLOAT64, var, CP_FLOAT64);
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
  reduce(CP_RED_sum, (matrix){d, CP_FLOAT32, 300, 0, 0, 4}, CP_FLOAT32, d, CP_FLOAT32);
  for (int k = 0; k < 300; k++) check(d[k] == 0, "empty sum [%d] = %g", k, (double)d[k]);
  reduce(CP_RED_mean, (matrix){d, CP_FLOAT32, 3, 0, 0, 4}, CP_FLOAT32, d, CP_FLOAT32);
  check(isnan(d[0]) && isnan(d[2]), "empty mean: %g", (double)d[0]);
  cp_plan *p = plan((shape){2, {0, 5}});
  output(p, d, CP_FLOAT32, STRIDES(20, 4), leaf(p, d, CP_FLOAT32, STRIDES(20, 4)));
  run_and_free(p);
}

static void test_half_sum(void) {
  enum { N = 5000 };
  unsigned short *a = malloc(N * 2), d;
  for (int k = 0; k < N; k++) cp_scalar_store(cp_scalar_float(0.125 * (k % 9), CP_FLOAT16), &a[k]);
  reduce(CP_RED_sum, (matrix){a, CP_FLOAT16, 1, N, 0, 2}, CP_FLOAT32, &d, CP_FLOAT16);
  double sum = 0;
  for (int k = 0; k < N; k++) sum += 0.125 * (k % 9);
  double want = cp_scalar_cast(cp_scalar_float(sum, CP_FLOAT32), CP_FLOAT16).v.f,
         got = cp_scalar_load(&d, CP_FLOAT16).v.f;
  check(got == want, "sum of float16: %g, not %g", got, want);
  free(a);
}

// A strided reduction over the middle of three axes, after an expression.
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

// Rows that are adjacent in memory, in groups that are not: blocks of several rows must end with the group.
static void test_groups(int64_t groups, int64_t rows, int64_t n, int64_t apart) {
  float *a = floats(groups * apart), *d = malloc((size_t)(groups * rows) * 4);
  for (int64_t k = 0; k < groups * apart; k++) a[k] = rintf(a[k] * 1000); // so that sums are exact
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
  return report("cpu_reductions");
}
