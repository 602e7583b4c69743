// Accumulators of reduce.h for N elements at once, for CUDA: what has to be done for every element is little (a
// maximum, a sum), and the thread's accumulator a is met once for a batch; false: b would not change it. Included after reduce.h, for the same T.
// i holds the elements' positions; low is the least of them where they are affine in k, and else -1.

#ifdef CP_SINGLE
#if __CUDA_ARCH__ >= 800
// One instruction each; a nan wins.
CP_FN float batch_most(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
CP_FN float batch_least(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#define CP_BATCH_BOUNDS
#endif
#endif
#ifndef CP_BATCH_BOUNDS
CP_FN T batch_most(T a, T b) { return r_maximum(a, b); }
CP_FN T batch_least(T a, T b) { return r_minimum(a, b); }
#endif
#undef CP_BATCH_BOUNDS

#if defined(CP_KIND_COMPLEX)
CP_FN bool batch_equal(T a, T b) { return c_equal(a, b); }
#else
CP_FN bool batch_equal(T a, T b) { return a == b; }
#endif

template <int N, int MOST> CP_FN T batch_bound(const T *v) {
  T t[N];
#pragma unroll
  for (int k = 0; k < N; k++) t[k] = v[k];
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s)
      t[k] = MOST ? batch_most(t[k], t[k + s]) : batch_least(t[k], t[k + s]);
  return t[0];
}

// Looks for the position only where the batch wins, which is rare in a long row; among equals, where positions
// before the best one's may come.
template <int N, int MOST>
CP_FN bool arg_batch(const acc_arg a, const T *v, const long long *i, long long low, acc_arg &b) {
  const T best = batch_bound<N, MOST>(v);
  if (a.i >= 0) {
    if (MOST ? r_before(best, a.v) : r_before(a.v, best)) return false;
    const bool better =
        (MOST ? r_before(a.v, best) : r_before(best, a.v)) || (r_isnan(best) && !r_isnan(a.v));
    if (!better && low > a.i) return false;
  }
  const bool falling = low == i[N - 1]; // of affine positions
  long long at = -1;
#pragma unroll
  for (int k = 0; k < N; k++)
    if ((batch_equal(v[k], best) || r_isnan(v[k])) && (at < 0 || (low < 0 ? i[k] < at : falling))) at = i[k];
  b = arg_of(best, at);
  return true;
}

template <int N> CP_FN bool range_batch(const T *v, acc_range &b) {
  b.low = batch_bound<N, 0>(v);
  b.high = batch_bound<N, 1>(v);
  b.empty = 0;
  return true;
}

#if defined(CP_KIND_REAL) || defined(CP_KIND_COMPLEX)
template <int N> CP_FN R batch_total(R *t) {
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) t[k] = t[k] + t[k + s];
  return t[0];
}

// The batch's own mean first, then its squared deviations. SKIP: nan does not count.
template <int N, int SKIP> CP_FN bool moments_batch(const T *v, acc_moments &b) {
  T t[N];
  R count[N], square[N];
#pragma unroll
  for (int k = 0; k < N; k++) {
    t[k] = SKIP ? r_skip(v[k], r_zero()) : v[k];
    count[k] = SKIP && r_isnan(v[k]) ? (R)0 : (R)1;
  }
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) t[k] = r_add(t[k], t[k + s]);
  b.n = SKIP ? batch_total<N>(count) : (R)N;
  b.mean = r_scaled(t[0], SKIP ? (b.n > 0 ? 1 / b.n : (R)0) : (R)1 / (R)N);
#pragma unroll
  for (int k = 0; k < N; k++) square[k] = SKIP && r_isnan(v[k]) ? (R)0 : r_norm(r_minus(v[k], b.mean));
  b.m2 = batch_total<N>(square);
  return true;
}
#endif
