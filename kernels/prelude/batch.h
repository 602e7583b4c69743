// Accumulators of reduce.h for N elements at once, in CUDA. The work per element is small (a maximum, a sum),
// and the batch is combined with the thread's accumulator a only once. False: b would not change it. Included
// after reduce.h, for the same T. i holds the elements' positions, in runs of RUN. An element without `on`
// does not count; if elements may be combined twice (minimum, argmax), it is a copy of another one in the
// batch. even: all are on.

#ifdef CP_SINGLE
#if __CUDA_ARCH__ >= 800
// One instruction each; nan wins.
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

// Bit k: v[k] equals the best of the batch.
template <int N> CP_FN unsigned arg_found(const T *v, T best) {
  static_assert(N <= 32, "a batch has a bit for each element");
  unsigned found = 0;
#pragma unroll
  for (int k = 0; k < N; k++)
    if (batch_equal(v[k], best)) found |= 1u << k;
  if (found == 0) // a nan, which equals nothing
#pragma unroll
    for (int k = 0; k < N; k++)
      if (r_isnan(v[k])) found |= 1u << k;
  return found;
}

// The best of N elements and its position. Positions are affine in the number of the run and in the number of
// the element within the run. in_row: bit k is set if element k belongs to the row. The first one always
// does; those that do not are copies of elements that do.
template <int N, int RUN, int MOST> CP_FN acc_arg arg_among(const T *v, const long long *i, unsigned in_row) {
  const T best = batch_bound<N, MOST>(v);
  const unsigned found = arg_found<N>(v, best) & in_row;
  const long long near = RUN > 1 ? i[RUN > 1] - i[0] : 0, far = N > RUN ? i[N > RUN ? RUN : 0] - i[0] : 0;
  const unsigned at =
      near < 0 || far < 0 ? 31 - (unsigned)__clz((int)found) : (unsigned)__ffs((int)found) - 1;
  return arg_of(best, i[0] + (long long)(at % RUN) * near + (long long)(at / RUN) * far);
}

// True if the batch's best element, b, replaces a. Only then its position is looked for. This is rare for a
// thread of a long row, but not for all 32 threads of a warp, so it must be cheap. LINE: positions are affine
// in the element of a run and in the run, for elements that are on; the first element is on.
template <int N, int RUN, int MOST, int LINE>
CP_FN bool arg_batch(const acc_arg a, const T *v, const long long *i, const bool *on, acc_arg &b) {
  const T best = batch_bound<N, MOST>(v);
  const long long near = RUN > 1 ? i[RUN > 1] - i[0] : 0, far = N > RUN ? i[N > RUN ? RUN : 0] - i[0] : 0;
  const bool falling = near < 0 || far < 0;
  bool better = true;
  if (a.i >= 0) {
    if (MOST ? r_before(best, a.v) : r_before(a.v, best)) return false;
    better = (MOST ? r_before(a.v, best) : r_before(best, a.v)) || (r_isnan(best) && !r_isnan(a.v));
    if (!better && ((r_isnan(a.v) && !r_isnan(best)) || (LINE && !falling && i[0] > a.i))) return false;
  }
  unsigned found = arg_found<N>(v, best);
  if (LINE) {
    unsigned count = 0; // elements that are on come first
#pragma unroll
    for (int k = 0; k < N; k += RUN) count += on[k] ? RUN : 0;
    if (falling) found &= 0xffffffffu >> (32 - count);
    const unsigned at = falling ? 31 - (unsigned)__clz((int)found) : (unsigned)__ffs((int)found) - 1;
    b = arg_of(best, i[0] + (long long)(at % RUN) * near + (long long)(at / RUN) * far);
  } else {
    long long at = -1;
#pragma unroll
    for (int k = 0; k < N; k++)
      if ((found & 1u << k) && (at < 0 || i[k] < at)) at = i[k];
    b = arg_of(best, at);
  }
  return better || b.i < a.i;
}

#if defined(CP_KIND_INTEGER)
// A sum of N small numbers, of up to 20 bits, in 32 bits.
template <int N> CP_FN bool sum_batch(const int *v, const bool *on, T &b) {
  int t[N];
#pragma unroll
  for (int k = 0; k < N; k++) t[k] = on[k] ? v[k] : 0;
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) t[k] += t[k + s];
  b = (T)t[0];
  return true;
}
#endif

template <int N> CP_FN bool range_batch(const T *v, acc_range &b) {
  b.low = batch_bound<N, 0>(v);
  b.high = batch_bound<N, 1>(v);
  b.empty = 0;
  return true;
}

#if defined(CP_KIND_REAL) || defined(CP_KIND_COMPLEX)
template <int N> CP_FN T batch_total(T *t) {
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) t[k] = r_add(t[k], t[k + s]);
  return t[0];
}

#if defined(CP_KIND_COMPLEX)
CP_FN R batch_norm(T a, R sum) { return m_fma(a.re, a.re, m_fma(a.im, a.im, sum)); }
CP_FN T batch_more(T sum, T a, R k) { return c_make(m_fma(a.re, k, sum.re), m_fma(a.im, k, sum.im)); }
CP_FN T batch_share(T a, R n) { return c_make(a.re / n, a.im / n); }
#else
CP_FN R batch_norm(T a, R sum) { return m_fma(a, a, sum); }
CP_FN T batch_more(T sum, T a, R k) { return m_fma(a, k, sum); }
#if defined(CP_SINGLE)
// Within 2 ulp: a mean that is not the nearest number affects the squares less than their own rounding does.
CP_FN T batch_share(T a, R n) { return __fdividef(a, n); }
#else
CP_FN T batch_share(T a, R n) { return a / n; }
#endif
#endif

// The sum of |d[k]|^2 as four independent chains.
template <int N> CP_FN R batch_square(const T *d) {
  const int chains = N < 2 ? 1 : N < 4 ? 2 : 4;
  R t[chains];
#pragma unroll
  for (int k = 0; k < N; k++) t[k % chains] = k < chains ? r_norm(d[k]) : batch_norm(d[k], t[k % chains]);
#pragma unroll
  for (int s = chains / 2; s > 0; s /= 2)
#pragma unroll
    for (int k = 0; k < s; k++) t[k] = t[k] + t[k + s];
  return t[0];
}

// The mean of every fourth element. The sum of squares around it is at most four times that around the true
// mean, whatever the elements.
template <int N> CP_FN T batch_near(const T *v) {
  const R share = (R)1 / (R)((N + 3) / 4);
  T near = r_scaled(v[0], share);
#pragma unroll
  for (int k = 4; k < N; k += 4) near = batch_more(near, v[k], share);
  return near;
}

// Differences from a number near the mean, and their squares; the difference between that number and the mean
// is corrected in the end. SKIP: nan does not count.
template <int N, int SKIP> CP_FN bool moments_batch(const T *v, const bool *on, bool even, acc_moments &b) {
  T t[N], d[N];
  if (!SKIP && even) {
    const T near = batch_near<N>(v);
#pragma unroll
    for (int k = 0; k < N; k++) d[k] = r_minus(v[k], near);
    const R squares = batch_square<N>(d);
    b = moments_near(near, batch_total<N>(d), squares, (R)N);
    return true;
  }
  int n = 0;
#pragma unroll
  for (int k = 0; k < N; k++) {
    const bool counts = on[k] && !(SKIP && r_isnan(v[k]));
    t[k] = counts ? v[k] : r_zero();
    n += counts;
  }
  T near = batch_share(batch_total<N>(t), n > 0 ? (R)n : (R)1);
  if (!(r_finite(near) == 0)) near = r_skip(v[0], r_zero()); // the sum overflowed
#pragma unroll
  for (int k = 0; k < N; k++) d[k] = on[k] && !(SKIP && r_isnan(v[k])) ? r_minus(v[k], near) : r_zero();
  const R squares = batch_square<N>(d);
  b = moments_near(near, batch_total<N>(d), squares, (R)n);
  return true;
}

// ---- the moments of a block's threads ----

CP_FN R pool_add(R a, R b) { return a + b; }
#if defined(CP_KIND_COMPLEX)
CP_FN T pool_add(T a, T b) { return r_add(a, b); }
#endif

// The sum of v over all threads of a block, with the same bits in each. `cells` lie in shared memory.
template <int THREADS, class V> CP_FN V pool_total(V v, V *cells) {
  const int warps = THREADS / 32;
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    unsigned w[sizeof(V) / 4];
    V beside;
    memcpy(w, &v, sizeof v);
#pragma unroll
    for (int k = 0; k < (int)(sizeof(V) / 4); k++) w[k] = __shfl_xor_sync(0xffffffffu, w[k], lanes);
    memcpy(&beside, w, sizeof v);
    v = pool_add(v, beside);
  }
  if (threadIdx.x % 32 == 0) cells[threadIdx.x / 32] = v;
  __syncthreads();
  V t[warps];
#pragma unroll
  for (int k = 0; k < warps; k++) t[k] = cells[k];
#pragma unroll
  for (int s = 1; s < warps; s *= 2)
#pragma unroll
    for (int k = 0; k + s < warps; k += 2 * s) t[k] = pool_add(t[k], t[k + s]);
  return t[0];
}

// Combines all threads' accumulators, in each thread: counts, means and squares are summed, where a tree of
// moments_add would divide at each level. Means are taken relative to the first one that has elements, so
// that a large mean costs no digits. All threads must synchronise between two calls. The arrays start at
// 16-byte boundaries, as they are read by 16 bytes: a load across a boundary would read what other threads
// are writing.
template <int THREADS> CP_FN acc_moments moments_pool(const acc_moments a) {
  const int warps = THREADS / 32;
  __shared__ __align__(16) T means[warps];
  __shared__ __align__(16) T firsts[warps];
  __shared__ __align__(16) R counts[warps];
  __shared__ __align__(16) R squares[warps];
  const unsigned some = __ballot_sync(0xffffffffu, a.n > 0);
  if (threadIdx.x % 32 == (some != 0 ? (unsigned)__ffs((int)some) - 1 : 0)) firsts[threadIdx.x / 32] = a.mean;
  const R n = pool_total<THREADS>(a.n, counts), share = n > 0 ? a.n / n : (R)0;
  T near = firsts[0];
#pragma unroll
  for (int k = warps - 1; k >= 0; k--)
    if (counts[k] > 0) near = firsts[k];
  const T apart = r_add(r_minus(a.mean, near), a.low);
  const T mean = pool_total<THREADS>(r_scaled(apart, share), means);
  const R square = a.n > 0 ? r_norm(r_minus(apart, mean)) * a.n : (R)0;
  acc_moments r = moments_none();
  r.mean = r_split(near, mean, &r.low);
  r.m2 = pool_total<THREADS>(a.m2 + square, squares);
  r.n = n;
  return r;
}
#endif
