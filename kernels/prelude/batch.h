// Accumulators of reduce.h for N elements at once, for CUDA: what has to be done for every element is little (a
// maximum, a sum), and the thread's accumulator a is met once for a batch; false: b would not change it. Included after
// reduce.h, for the same T.
// i holds the elements' positions, in runs of RUN. An element that is not `on` does not count; where it may be
// combined twice (minimum, argmax), it is another one of the batch. even: all are on.

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

// Looks for the position only where the batch wins, which is rare in a long row. LINE: positions are affine in
// the element of a run and in the run, as far as elements are on.
template <int N, int RUN, int MOST, int LINE>
CP_FN bool arg_batch(const acc_arg a, const T *v, const long long *i, const bool *on, bool even, acc_arg &b) {
  const T best = batch_bound<N, MOST>(v);
  const long long near = RUN > 1 ? i[RUN > 1] - i[0] : 0, far = N > RUN ? i[N > RUN ? RUN : 0] - i[0] : 0;
  const bool falling = near < 0 || far < 0;
  if (a.i >= 0) {
    if (MOST ? r_before(best, a.v) : r_before(a.v, best)) return false;
    const bool better =
        (MOST ? r_before(a.v, best) : r_before(best, a.v)) || (r_isnan(best) && !r_isnan(a.v));
    if (!better && LINE && even && (falling ? i[N - 1] : i[0]) > a.i) return false;
  }
  if (LINE) {
    int at = -1;
#pragma unroll
    for (int k = 0; k < N; k++)
      if ((batch_equal(v[k], best) || r_isnan(v[k])) && (at < 0 || (falling && on[k]))) at = k;
    b = arg_of(best, i[0] + (at % RUN) * near + (at / RUN) * far);
    return true;
  }
  long long at = -1;
#pragma unroll
  for (int k = 0; k < N; k++)
    if ((batch_equal(v[k], best) || r_isnan(v[k])) && (at < 0 || i[k] < at)) at = i[k];
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
template <int N, int SKIP> CP_FN bool moments_batch(const T *v, const bool *on, acc_moments &b) {
  T t[N];
  R count[N], square[N];
#pragma unroll
  for (int k = 0; k < N; k++) {
    const bool counts = on[k] && !(SKIP && r_isnan(v[k]));
    t[k] = counts ? v[k] : r_zero();
    count[k] = counts ? (R)1 : (R)0;
    square[k] = count[k];
  }
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) t[k] = r_add(t[k], t[k + s]);
  b.n = batch_total<N>(count);
  b.mean = r_scaled(t[0], b.n > 0 ? 1 / b.n : (R)0);
#pragma unroll
  for (int k = 0; k < N; k++) square[k] = square[k] > 0 ? r_norm(r_minus(v[k], b.mean)) : (R)0;
  b.m2 = batch_total<N>(square);
  return true;
}
#endif
