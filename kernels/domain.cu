// Reductions of one dimension over a domain that is larger than its leaves, because they are broadcast: most
// of the work is arithmetic, not memory. A thread computes CP_VECTOR outputs of one line (the last kept
// dimension), `width` apart, so that a warp stores neighbours whatever their alignment; it loads what they
// share once.
//
//   CP_SHORT   rows of CP_COUNT elements, unrolled: a thread computes its outputs in several lines, one after
//              another, and keeps what the lines share in registers
//   CP_DOMAIN  long rows: a block takes `width` x CP_VECTOR outputs, a thread strides along their rows in
//              batches of CP_COUNT elements, and keeps what does not vary along the rows in registers; what
//              varies along them only is the same for a warp, and comes from the L1 cache. Threads and blocks
//              are combined by reduce.cu.
//
// The order in which elements are combined depends on the shapes, the accumulator and the device only.
//
// lua/cupola/kernels/domain.lua writes before this text CP_COUNT and
//   cp_locate_line       sets `at` to the first output of a line
//   cp_load_still        loads what a thread keeps, for the outputs at x[k]
//   cp_load_moving       loads the rest, CP_COUNT elements of each row from element g on; cp_load_one: one
//   cp_output            `at` moved along its line
// Elements are in[u * CP_VECTOR + k]: element u of output k.

struct cp_outputs {
  cp_place at;
  cp_index x[CP_VECTOR];     // positions in the line; may lie beyond its end
  cp_offset from[CP_VECTOR]; // the same, but at most the last: what is loaded
};

// False: beyond the end of the line.
CP_FN bool cp_spread(const cp_slots &p, cp_index tile, unsigned lane, unsigned width, cp_outputs &to) {
  const cp_index length = (cp_index)p.s[CP_LENGTH];
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) {
    to.x[k] = (tile * CP_VECTOR + k) * width + lane;
    to.from[k] = (cp_offset)(to.x[k] < length ? to.x[k] : length - 1);
  }
  return to.x[0] < length;
}

CP_FN void cp_store_outputs(const cp_slots &p, const cp_outputs &to, const cp_acc *acc) {
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++)
    if (to.x[k] < (cp_index)p.s[CP_LENGTH]) cp_store(p, cp_output(p, to.at, to.from[k]), acc[k]);
}

#if CP_STRATEGY == CP_SHORT
CP_FN void cp_reduce(const cp_slots &p) {
  const unsigned width = (unsigned)p.s[CP_WIDTH], depth = CP_BLOCK / width, rows = (unsigned)p.s[CP_GROUPS];
  const unsigned tiles = (unsigned)p.s[CP_TILES], height = blockIdx.x / tiles, row = threadIdx.x / width;
  const cp_index lines = (cp_index)p.s[CP_LINES];
  cp_index line = (cp_index)height * rows * depth + row;
  cp_outputs to;
  if (!cp_spread(p, blockIdx.x - height * tiles, threadIdx.x % width, width, to)) return;
  if (row >= depth || line >= lines) return;
  cp_inputs still[CP_COUNT * CP_VECTOR];
  cp_locate_line(p, line, to.at);
  cp_load_still(p, to.at, to.from, still);
#pragma unroll 1
  for (unsigned r = 0; r < rows && line < lines; r++, line += depth) {
    cp_inputs in[CP_COUNT * CP_VECTOR];
    bool on[CP_COUNT];
    cp_acc acc[CP_VECTOR];
#pragma unroll
    for (int i = 0; i < CP_COUNT * CP_VECTOR; i++) in[i] = still[i];
#pragma unroll
    for (int u = 0; u < CP_COUNT; u++) on[u] = true;
    cp_locate_line(p, line, to.at);
    cp_load_moving(p, to.at, to.from, 0, in);
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++)
      acc[k] = cp_take<CP_COUNT, CP_VECTOR, 1, true>(cp_identity(), p, in + k, on, true);
    cp_store_outputs(p, to, acc);
  }
}
#else
CP_FN bool cp_locate_outputs(const cp_slots &p, unsigned column, unsigned lane, unsigned width,
                             cp_outputs &to) {
  const unsigned tiles = (unsigned)p.s[CP_TILES], line = column / tiles;
  cp_locate_line(p, line, to.at);
  return cp_spread(p, column - line * tiles, lane, width, to);
}

// Combines acc[k] with CP_COUNT elements of row k from element g on, or with one.
template <bool ONE>
CP_FN void cp_take_elements(cp_acc *acc, const cp_slots &p, const cp_outputs &to, const cp_inputs *still,
                            cp_index g) {
  const int N = ONE ? 1 : CP_COUNT;
  cp_inputs in[N * CP_VECTOR];
#pragma unroll
  for (int i = 0; i < N * CP_VECTOR; i++) in[i] = still[i % CP_VECTOR];
  if (ONE)
    cp_load_one(p, to.at, to.from, (cp_offset)g, in);
  else
    cp_load_moving(p, to.at, to.from, (cp_offset)g, in);
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) acc[k] = cp_take_all<N, CP_VECTOR, 1>(acc[k], p, in + k);
}

// total[k] becomes the combination of one thread's elements of row k. The thread is number `first` of
// `depth`, in block number `split` of `splits`.
CP_FN void cp_fold(cp_acc *total, const cp_slots &p, const cp_outputs &to, unsigned split, unsigned splits,
                   unsigned first, unsigned depth) {
  const cp_index end = (cp_index)p.s[CP_GROUPS], whole = end / CP_COUNT * CP_COUNT;
  const cp_index further = (cp_index)splits * depth * CP_COUNT;
  cp_index g = ((cp_index)split * depth + first) * CP_COUNT;
  cp_inputs still[CP_VECTOR];
  cp_load_still(p, to.at, to.from, still);
#pragma unroll 1
  while (g < end) {
    cp_acc run[CP_VECTOR];
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) run[k] = cp_identity();
#pragma unroll 1
    for (int i = 0; i < 16 && g < whole; i++, g += further) cp_take_elements<false>(run, p, to, still, g);
    if (g >= whole) {
#pragma unroll 1
      for (; g < end; g++) cp_take_elements<true>(run, p, to, still, g);
    }
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) total[k] = cp_join(total[k], run[k]);
  }
}
#endif
