// Reductions: each output is the combination of the groups of one row (its reduced elements). Every thread
// folds some groups of a row (fold.cu), then the threads of the row are combined in a fixed tree, so equal launches
// give equal bits.
//
//   CP_WARP    2^width lanes of a warp take a row: short rows, down to one thread for each
//   CP_ONE     a block takes a row
//   CP_SPLIT   several blocks take a row, batches of neighbouring groups in turn; the last of them to finish
//              combines their results
//   CP_COLUMN  rows whose elements lie apart while the rows lie side by side: groups are CP_VECTOR neighbouring
//              rows, a block takes `width` of these, a thread strides along one; split as above
//
//   layout    groups of 16 bytes where the leaves are contiguous and aligned along the rows (CP_COLUMN: across
//             them); any strides else
//   threads   CP_BLOCK = 256; as many blocks as the device holds at a time where rows are split
//   in flight 64 bytes of a leaf and thread, also at the end of a row
//
// lua/cupola/kernels/generate.lua writes before this text what elementwise.cu names, with cp_locate_row,
// cp_locate_group and cp_neighbour for cp_locate, and:
//   CP_STRATEGY, CP_UNROLL          CP_UNROLL groups are loaded before the first is used
//   CP_RUN                          batches whose results are combined before they join the thread's total, which
//                                   keeps the rounding errors of sums small; 0: none are
//   CP_PARTS                        how many cp_inputs a group makes: CP_VECTOR, or less where each holds several elements
//   CP_TAILS                        1 when the end of a row may cut a group
//   CP_LINE                         1 when a row is one line of groups: only its last one may be cut then
//   CP_COSTLY                       1 when cp_combine is long
//   CP_LONG                         1 when a batch is much text, of which there should be few copies then
//   CP_DRAWN                        1 where loading a group computes it: few places should
//   CP_PAIRS                        1 where there may be a place for two groups at once, too
//   CP_REPEATABLE                   1 when an element may be combined twice (minimum, argmax): a batch that reaches
//                                   beyond the end repeats its first group, where others leave elements out
//   CP_GROUPS ... CP_COUNTERS       slot numbers of what src/cuda/run/run.c appends
//   cp_acc, cp_identity, cp_combine, cp_element, cp_store
//   CP_JOIN                         CP_FN, or CP_SLOW where cp_combine is long: then only the hot tree has
//                                   copies of it
//   CP_TREE                         cp_combine, or cp_join where even these would be too many
//   CP_BATCH                        defined when there is a cp_fold_batch, which makes an accumulator of cp_value_of
//                                   and cp_position_of of several elements at once; false: it would not matter
//   CP_POOL                         defined when there is a cp_pool, the combination of all threads of a block
//   CP_REPLACES                     1 when that takes the place of the accumulator it was made beside
// A cp_acc is copied as words, so it must be plain data.

struct cp_cell {
  unsigned w[(sizeof(cp_acc) + 3) / 4];
};

CP_FN cp_cell cp_pack(const cp_acc &a) {
  cp_cell c;
  c.w[sizeof c.w / 4 - 1] = 0;
  memcpy(&c, &a, sizeof a);
  return c;
}

CP_FN cp_acc cp_unpack(const cp_cell &c) {
  cp_acc a;
  memcpy(&a, &c, sizeof a);
  return a;
}

CP_FN cp_acc cp_lane_after(const cp_acc &a, unsigned lanes) {
  cp_cell c = cp_pack(a);
#pragma unroll
  for (int k = 0; k < (int)(sizeof c.w / 4); k++) c.w[k] = __shfl_down_sync(0xffffffffu, c.w[k], lanes);
  return cp_unpack(c);
}

#if CP_STRATEGY == CP_COLUMN
// Thread t combines the accumulators of the `count` threads t, t + width, ...; the first `width` have the results.
CP_FN void cp_gather(cp_acc *acc, unsigned width, unsigned count) {
  __shared__ cp_cell cells[CP_VECTOR][CP_BLOCK];
  const unsigned first = threadIdx.x / width;
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) cells[k][threadIdx.x] = cp_pack(acc[k]);
#pragma unroll 1
  while (count > 1) {
    const unsigned half = (count + 1) / 2;
    __syncthreads();
    if (first + half < count) {
#pragma unroll
      for (int k = 0; k < CP_VECTOR; k++) {
        acc[k] = cp_join(acc[k], cp_unpack(cells[k][threadIdx.x + half * width]));
        cells[k][threadIdx.x] = cp_pack(acc[k]);
      }
    }
    count = half;
  }
  __syncthreads();
}
#elif CP_STRATEGY != CP_WARP && defined(CP_POOL)
CP_FN cp_acc cp_gather(const cp_acc &acc) { return cp_pool(acc); }
#elif CP_STRATEGY != CP_WARP
// Thread 0 has the combination of all threads' accumulators. Where joining takes many instructions, one warp joins those
// of all warps: the others would spend as many on as few.
CP_FN cp_acc cp_gather(cp_acc acc) {
#if CP_COSTLY
  __shared__ cp_cell cells[CP_BLOCK];
  cells[threadIdx.x] = cp_pack(acc);
  __syncthreads();
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (unsigned t = threadIdx.x + 32; t < CP_BLOCK; t += 32) acc = cp_join(acc, cp_unpack(cells[t]));
#pragma unroll 1
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) acc = cp_join(acc, cp_lane_after(acc, lanes));
  }
#else
  __shared__ cp_cell cells[CP_BLOCK / 32];
#pragma unroll 1
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) acc = cp_join(acc, cp_lane_after(acc, lanes));
  if (threadIdx.x % 32 == 0) cells[threadIdx.x / 32] = cp_pack(acc);
  __syncthreads();
  if (threadIdx.x < 32) {
    acc = threadIdx.x < CP_BLOCK / 32 ? cp_unpack(cells[threadIdx.x]) : cp_identity();
#pragma unroll 1
    for (unsigned lanes = CP_BLOCK / 64; lanes > 0; lanes /= 2) acc = cp_join(acc, cp_lane_after(acc, lanes));
  }
#endif
  __syncthreads();
  return acc;
}
#endif

#if CP_STRATEGY == CP_SPLIT || CP_STRATEGY == CP_COLUMN
#define CP_SIDE (CP_STRATEGY == CP_COLUMN ? CP_VECTOR : 1) // accumulators of a thread

// Where block number `block` leaves its results, one after another.
CP_FN cp_cell *cp_cells(const cp_slots &p, size_t block, unsigned cells) {
  return (cp_cell *)p.s[CP_WORKSPACE] + block * cells;
}

// True in the last block of a column of blocks to come here, which sees what the others left.
CP_FN bool cp_last(const cp_slots &p, unsigned column, unsigned splits) {
  __shared__ unsigned before;
  __syncthreads();
  if (threadIdx.x == 0) { // its fences hold for what the others of its block wrote before the barrier, and read after
    __threadfence();
    before = atomicInc((unsigned *)p.s[CP_COUNTERS] + column, splits - 1); // the last block leaves 0
    __threadfence();
  }
  __syncthreads();
  return before == splits - 1;
}

CP_FN cp_acc cp_published(const cp_cell *cell) {
  const volatile cp_cell *from = cell;
  cp_cell c;
#pragma unroll
  for (int k = 0; k < (int)(sizeof c.w / 4); k++) c.w[k] = from->w[k];
  return cp_unpack(c);
}

// acc[k] and cells first, first + step, ... below count of those that begin `apart` from each other at `from`; those of
// acc[k] lie k * beside further on. Several are read before the first is joined, so that one wait serves them all.
CP_FN void cp_join_published(cp_acc *acc, const cp_cell *from, unsigned first, unsigned count, unsigned step,
                             unsigned apart, unsigned beside) {
  const unsigned room = 64 / sizeof(cp_cell) / CP_SIDE, ahead = room > 8 ? 8 : room > 0 ? room : 1;
#pragma unroll 1
  for (unsigned s = first; s < count; s += ahead * step) {
    cp_acc part[ahead][CP_SIDE];
#pragma unroll
    for (unsigned u = 0; u < ahead; u++)
#pragma unroll
      for (unsigned k = 0; k < CP_SIDE; k++) {
        part[u][k] = cp_identity();
        if (s + u * step < count) part[u][k] = cp_published(from + (size_t)(s + u * step) * apart + k * beside);
      }
#pragma unroll
    for (unsigned u = 0; u < ahead; u++)
#pragma unroll
      for (unsigned k = 0; k < CP_SIDE; k++) acc[k] = cp_join(acc[k], part[u][k]);
  }
}
#endif

#if CP_STRATEGY == CP_WARP
// Groups lane, lane + lanes, ... of a row as one batch of so many quarters of CP_UNROLL, rounded up.
template <int QUARTERS>
CP_FN cp_acc cp_take_row(const cp_slots &p, const cp_place &row, cp_index lane, cp_index lanes) {
  const cp_index groups = (cp_index)p.s[CP_GROUPS];
  return cp_take_some<(CP_UNROLL * QUARTERS + 3) / 4, true>(cp_identity(), p, row, lane, groups, lanes);
}

// The combination of groups lane, lane + lanes, ... of a row.
CP_FN cp_acc cp_fold(const cp_slots &p, const cp_place &row, cp_index lane, cp_index lanes) {
  const cp_index groups = (cp_index)p.s[CP_GROUPS];
  if (!CP_LONG && groups <= CP_UNROLL / 2 * lanes) return cp_take_row<2>(p, row, lane, lanes);
  if (!CP_LONG && groups <= CP_UNROLL * lanes) return cp_take_row<4>(p, row, lane, lanes);
  cp_acc acc = cp_identity();
#pragma unroll 1
  for (cp_index g = lane; g < groups; g += CP_UNROLL * lanes)
    acc = cp_take_some<CP_UNROLL, false>(acc, p, row, g, groups, lanes);
  return acc;
}

// The most groups of a row that one lane takes at once.
#define CP_ALONE (CP_LONG ? CP_UNROLL / 4 * 3 : CP_UNROLL)

// All groups of a row, in one lane, which knows how far apart they are.
CP_FN cp_acc cp_fold_alone(const cp_slots &p, const cp_place &row) {
  const cp_index groups = (cp_index)p.s[CP_GROUPS];
  if (!CP_LONG && groups <= CP_UNROLL / 4) return cp_take_row<1>(p, row, 0, 1);
  if (!CP_LONG && groups <= CP_UNROLL / 2) return cp_take_row<2>(p, row, 0, 1);
  if (CP_LONG || groups <= CP_UNROLL / 4 * 3) return cp_take_row<3>(p, row, 0, 1);
  return cp_take_row<4>(p, row, 0, 1);
}

CP_FN void cp_reduce(const cp_slots &p) {
  const unsigned width = (unsigned)p.s[CP_WIDTH], lanes = 1u << width, lane = threadIdx.x & (lanes - 1);
  const cp_index outputs = (cp_index)p.s[CP_FIRST], groups = (cp_index)p.s[CP_GROUPS];
  const cp_index row = (cp_index)blockIdx.x * (CP_BLOCK >> width) + (threadIdx.x >> width);
  cp_place at;
  cp_acc acc = cp_identity();
  if (row < outputs) {
    cp_locate_row(p, row, at);
    if (width == 0 && groups > 0 && groups <= CP_ALONE)
      acc = cp_fold_alone(p, at);
    else if (lane < groups)
      acc = cp_fold(p, at, lane, lanes);
  }
#pragma unroll 1
  for (unsigned half = lanes / 2; half > 0; half /= 2) acc = cp_join(acc, cp_lane_after(acc, half));
  if (lane == 0 && row < outputs) cp_store(p, at, acc);
}
#elif CP_STRATEGY == CP_ONE
CP_FN void cp_reduce(const cp_slots &p) {
  cp_place at;
  cp_locate_row(p, (cp_index)blockIdx.x, at);
  const cp_index groups = (cp_index)p.s[CP_GROUPS];
  const cp_acc acc = cp_gather(cp_fold(p, at, threadIdx.x, groups, CP_BLOCK, CP_UNROLL * CP_BLOCK));
  if (threadIdx.x == 0) cp_store(p, at, acc);
}
#elif CP_STRATEGY == CP_SPLIT
CP_FN void cp_reduce(const cp_slots &p) {
  const unsigned splits = (unsigned)p.s[CP_SPLITS];
  const unsigned row = blockIdx.x / splits, split = blockIdx.x - row * splits;
  const cp_index groups = (cp_index)p.s[CP_GROUPS], batch = CP_UNROLL * CP_BLOCK;
  cp_place at;
  cp_locate_row(p, (cp_index)row, at);
  cp_acc acc = cp_gather(cp_fold(p, at, split * batch + threadIdx.x, groups, CP_BLOCK, splits * batch));
  if (splits > 1) {
    if (threadIdx.x == 0) *cp_cells(p, blockIdx.x, 1) = cp_pack(acc);
    if (!cp_last(p, row, splits)) return;
    acc = cp_identity();
    cp_join_published(&acc, cp_cells(p, (size_t)row * splits, 1), threadIdx.x, splits, CP_BLOCK, 1, 1);
    acc = cp_gather(acc);
  }
  if (threadIdx.x == 0) cp_store(p, at, acc);
}
#else
CP_FN void cp_reduce(const cp_slots &p) {
  const unsigned width = (unsigned)p.s[CP_WIDTH], depth = CP_BLOCK / width, cells = width * CP_VECTOR;
  const unsigned lane = threadIdx.x % width, first = threadIdx.x / width;
  const unsigned splits = (unsigned)p.s[CP_SPLITS];
  const unsigned column = blockIdx.x / splits, split = blockIdx.x - column * splits;
  const cp_index groups = (cp_index)p.s[CP_GROUPS], batch = CP_UNROLL * depth;
  const cp_index outputs = (cp_index)p.s[CP_FIRST], row = (cp_index)column * width + lane;
  const bool mine = row < outputs && first < depth;
  cp_place at;
  cp_acc acc[CP_VECTOR];
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) acc[k] = cp_identity();
  if (mine) {
    cp_locate_row(p, row, at);
    cp_fold(acc, p, at, split * batch + first, groups, depth, splits * batch);
  }
  cp_gather(acc, width, depth);
  if (splits > 1) {
    cp_cell *to = cp_cells(p, blockIdx.x, cells) + lane;
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++)
      if (first == 0) to[k * width] = cp_pack(acc[k]);
    if (!cp_last(p, column, splits)) return;
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) acc[k] = cp_identity();
    if (first < depth)
      cp_join_published(acc, cp_cells(p, (size_t)column * splits, cells) + lane, first, splits, depth, cells, width);
    cp_gather(acc, width, depth);
  }
  if (first > 0 || row >= outputs) return;
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) cp_store(p, cp_neighbour(p, at, k), acc[k]);
}
#endif

#if CP_STRATEGY == CP_SPLIT && !CP_DRAWN
// As many registers as hold what a thread has in flight: left to itself, the compiler keeps to few, and loads wait for
// each other.
#define CP_BOUNDS CP_BLOCK, 1
#else
#define CP_BOUNDS CP_BLOCK
#endif

extern "C" __global__ void __launch_bounds__(CP_BOUNDS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  cp_reduce(p);
}
