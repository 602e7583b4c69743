// Kernels with phases: reductions along rows, and what is made of them, in one pass over memory. CP_LANES
// threads share a row and keep its elements in registers: CP_SHARE groups of CP_VECTOR neighbouring elements
// each, CP_LANES groups apart. Each phase computes elements from the leaves and from what earlier phases
// found out about the row, and reduces them; the last phase stores. Every element of a row is read before the
// first one is stored, so an output may also be a leaf.
//
// The order in which elements are combined depends on CP_LANES, CP_SHARE and CP_VECTOR alone, and these on
// the length of the row and the dtype of the accumulators (src/cuda/run/rows.c): a thread combines its
// elements as a tree, then the threads of a row are combined as a tree.
//
// lua/cupola/kernels/phases.lua writes before this text what elementwise.cu lists, and:
//   CP_THREADS, CP_LANES, CP_SHARE  threads of a block and of a row, groups of a thread
// and behind it the structs, the functions and the kernel.

#define CP_COUNT (CP_SHARE * CP_VECTOR) // elements of a thread

template <class A> struct cp_words {
  unsigned w[(sizeof(A) + 3) / 4];
};

// The accumulator of the thread `from` lanes after this one, or of thread `from` of the row's first warp.
template <bool AFTER, class A> CP_FN A cp_other_lane(const A &a, unsigned from, unsigned width) {
  cp_words<A> c;
  A r;
  c.w[sizeof c.w / 4 - 1] = 0;
  memcpy(&c, &a, sizeof a);
#pragma unroll
  for (int k = 0; k < (int)(sizeof c.w / 4); k++)
    c.w[k] = AFTER ? __shfl_down_sync(0xffffffffu, c.w[k], from, width)
                   : __shfl_sync(0xffffffffu, c.w[k], from, width);
  memcpy(&r, &c, sizeof r);
  return r;
}

// Gives all threads of a row the combination of their accumulators. Every thread of the block calls it, once
// for each R, which says how the accumulators of a phase's reductions are combined.
template <class R> CP_FN typename R::acc cp_gather(typename R::acc a) {
  const unsigned width = CP_LANES < 32 ? CP_LANES : 32;
#pragma unroll
  for (unsigned n = width / 2; n > 0; n /= 2) a = R::join(a, cp_other_lane<true>(a, n, width));
#if CP_LANES > 32
  __shared__ cp_words<typename R::acc> cells[CP_THREADS / 32];
  const unsigned warps = CP_LANES / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) memcpy(&cells[warp], &a, sizeof a);
  __syncthreads();
  a = R::identity();
  if (lane < warps) memcpy(&a, &cells[warp / warps * warps + lane], sizeof a);
#pragma unroll
  for (unsigned n = warps / 2; n > 0; n /= 2) a = R::join(a, cp_other_lane<true>(a, n, 32));
#endif
  return cp_other_lane<false>(a, 0, width);
}

template <class R, int N> CP_FN typename R::acc cp_tree(typename R::acc *part) {
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) part[k] = R::join(part[k], part[k + s]);
  return part[0];
}

// The combination of the first n elements of a group. The usual whole group needs no tests.
template <class R>
CP_FN typename R::acc cp_fold_group(const typename R::value *v, const long long *i, int n) {
  typename R::acc part[CP_VECTOR];
  if (n == CP_VECTOR) {
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) part[k] = R::element(v[k], i[k]);
    return cp_tree<R, CP_VECTOR>(part);
  }
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) {
    part[k] = R::identity();
    if (k < n) part[k] = R::element(v[k], i[k]);
  }
  return cp_tree<R, CP_VECTOR>(part);
}

// The combination of a thread's elements. has: how many elements of each group are in the row.
template <class R>
CP_FN typename R::acc cp_fold(const typename R::value *v, const long long *i, const int *has) {
  typename R::acc part[CP_SHARE];
#pragma unroll
  for (int g = 0; g < CP_SHARE; g++) part[g] = R::group(v + g * CP_VECTOR, i + g * CP_VECTOR, has[g]);
  return cp_tree<R, CP_SHARE>(part);
}

// The same for a position: R::among takes copies of the first element for those that are not in the row.
template <class R>
CP_FN typename R::acc cp_fold_extreme(const typename R::value *v, const long long *i, const int *has) {
  if (has[0] == 0) return R::identity();
  typename R::value w[CP_COUNT];
  unsigned in_row = 0;
#pragma unroll
  for (int k = 0; k < CP_COUNT; k++) {
    const bool on = k % CP_VECTOR < has[k / CP_VECTOR];
    w[k] = on ? v[k] : v[0];
    in_row |= (unsigned)on << k;
  }
  return R::among(w, i, in_row);
}

// What a thread knows of its row. It takes part even if there is no such row, and stores nothing then.
struct cp_thread {
  cp_place row;
  unsigned lane;
  bool mine;
  cp_index length;
};

CP_FN cp_thread cp_begin(const cp_slots &p) {
  cp_thread t;
  const cp_index rows = cp_first(p);
  const cp_index row = cp_block(p) * (CP_THREADS / CP_LANES) + threadIdx.x / CP_LANES;
  t.mine = row < rows;
  t.lane = threadIdx.x % CP_LANES;
  t.length = (cp_index)p.s[CP_SECOND];
  cp_locate_row(p, t.mine ? row : rows - 1, t.row);
  return t;
}

// How many elements of group g are in the row. CP_LANES times CP_SHARE is the number of the row's groups,
// rounded up to a power of two, so the first half of them are whole.
CP_FN int cp_group_size(const cp_thread &t, int g) {
  if (g < CP_SHARE / 2) return CP_VECTOR;
  const cp_index x = ((cp_index)g * CP_LANES + t.lane) * CP_VECTOR;
  if (x >= t.length) return 0;
  return t.length - x < CP_VECTOR ? (int)(t.length - x) : CP_VECTOR;
}

CP_FN void cp_place_group(const cp_slots &p, const cp_thread &t, int g, cp_place &at) {
  cp_locate_group(p, t.row, (cp_index)g * CP_LANES + t.lane, at);
}
