// Reductions: each output combines the groups of one row (its reduced elements). Every thread folds some
// groups of a row (fold.cu); then the threads of the row are combined in a fixed tree, so that equal launches
// give equal bits.
//
//   CP_WARP    2^width lanes of a warp share a row: short rows, down to one lane per row
//   CP_ONE     a block reduces a row
//   CP_SPLIT   several blocks share a row, taking batches of neighbouring groups in turn; the last block to
//              finish combines their results
//   CP_COLUMN  neighbouring rows are contiguous, the elements of a row are not: groups are CP_VECTOR
//              neighbouring rows, a block takes `width` of these, a thread strides along one; split as above
//   CP_SHORT, CP_DOMAIN   see domain.cu
//
//   layout     groups of 16 bytes where the leaves are contiguous and aligned along the rows (CP_COLUMN:
//              across them); otherwise any strides
//   threads    CP_BLOCK = 256; where rows are split, as many blocks as the device holds at once
//   in flight  64 bytes per leaf and thread, also at the end of a row
//
// lua/cupola/kernels/generate.lua writes before this text what elementwise.cu lists, with cp_locate_row,
// cp_locate_group and cp_neighbour in place of cp_locate, and:
//   CP_STRATEGY, CP_UNROLL          CP_UNROLL groups are loaded before the first is used
//   CP_RUN                          batches whose results are combined before they join the thread's total,
//                                   which keeps the rounding errors of sums small; 0: none
//   CP_PARTS                        cp_inputs per group: CP_VECTOR, or fewer if each holds several elements
//   CP_TAILS                        1 if the end of a row may cut off a group
//   CP_LINE                         1 if a row is one line of groups: then only its last group may be cut off
//   CP_COSTLY                       1 if cp_combine is long
//   CP_LONG                         1 if a batch is much text, so that there should be few copies of it
//   CP_DRAWN                        1 if loading a group computes it, which should happen in few places
//   CP_PAIRS                        1 if there may be a place that loads two groups at once, too
//   CP_REPEATABLE                   1 if an element may be combined twice (minimum, argmax): a batch that
//                                   goes past the end repeats its first group; other reductions skip elements
//   CP_GROUPS ... CP_COUNTERS       slot numbers of what src/cuda/run/run.c appends
//   cp_acc, cp_identity, cp_combine, cp_element, cp_store
//   CP_JOIN                         CP_FN, or CP_SLOW if cp_combine is long: then only the hot tree inlines
//                                   it
//   CP_TREE                         cp_combine, or cp_join if even these copies would be too many
//   CP_BATCH                        defined if there is a cp_fold_batch, which makes one accumulator from
//                                   cp_value_of and cp_position_of of several elements; false: there is no
//                                   use for it
//   CP_POOL                         defined if there is a cp_pool, which combines all threads of a block
//   CP_REPLACES                     1 if a batch's accumulator replaces the thread's, not combined with it
// A cp_acc is copied word by word, so it must be plain data.

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

#if CP_STRATEGY >= CP_COLUMN
// Thread t combines the accumulators of `count` threads t, t + width, ...; the first `width` threads have the
// results.
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
// Gives thread 0 the combination of all threads' accumulators. If combining takes many instructions, one warp
// combines those of all warps, as the other warps would spend as many instructions on fewer values.
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

#if CP_STRATEGY >= CP_SPLIT
#define CP_SIDE (CP_STRATEGY >= CP_COLUMN ? CP_VECTOR : 1) // accumulators per thread

// Where block number `block` stores its results, one after another.
CP_FN cp_cell *cp_cells(const cp_slots &p, size_t block, unsigned cells) {
  return (cp_cell *)p.s[CP_WORKSPACE] + block * cells;
}

// True in the last block of a column of blocks to arrive here, which then sees the results of the others.
CP_FN bool cp_last(const cp_slots &p, unsigned column, unsigned splits) {
  __shared__ unsigned before;
  __syncthreads();
  // the fences also order what the block's other threads wrote before the barrier and read after it
  if (threadIdx.x == 0) {
    __threadfence();
    // the last block resets the counter to 0
    before = atomicInc((unsigned *)p.s[CP_COUNTERS] + column, splits - 1);
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

// Combines acc[k] with cells first, first + step, ... below `count` of a list at `from`, `apart` cells from
// each other; the cells of acc[k] lie k * beside further on. Reads several before it combines the first, so
// that one wait serves all.
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
        if (s + u * step < count)
          part[u][k] = cp_published(from + (size_t)(s + u * step) * apart + k * beside);
      }
#pragma unroll
    for (unsigned u = 0; u < ahead; u++)
#pragma unroll
      for (unsigned k = 0; k < CP_SIDE; k++) acc[k] = cp_join(acc[k], part[u][k]);
  }
}
#endif

#if CP_STRATEGY == CP_WARP
// Groups lane, lane + lanes, ... of a row as one batch of QUARTERS quarters of CP_UNROLL, rounded up.
template <int QUARTERS>
CP_FN cp_acc cp_take_row(const cp_slots &p, const cp_place &row, cp_index lane, cp_index lanes) {
  const cp_index groups = (cp_index)p.s[CP_GROUPS];
  return cp_take_some<(CP_UNROLL * QUARTERS + 3) / 4, true>(cp_identity(), p, row, lane, groups, lanes);
}

// Combines groups lane, lane + lanes, ... of a row.
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

// Most groups of a row that one lane takes at once.
#define CP_ALONE (CP_LONG ? CP_UNROLL / 4 * 3 : CP_UNROLL)

// All groups of a row in one lane, for which their distance is a constant.
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
#elif CP_STRATEGY != CP_SHORT
CP_FN void cp_reduce(const cp_slots &p) {
  const unsigned width = (unsigned)p.s[CP_WIDTH], depth = CP_BLOCK / width, cells = width * CP_VECTOR;
  const unsigned lane = threadIdx.x % width, first = threadIdx.x / width;
  const unsigned splits = (unsigned)p.s[CP_SPLITS];
  const unsigned column = blockIdx.x / splits, split = blockIdx.x - column * splits;
  cp_outputs to;
  const bool mine = cp_locate_outputs(p, column, lane, width, to);
  cp_acc acc[CP_VECTOR];
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) acc[k] = cp_identity();
  if (mine && first < depth) cp_fold(acc, p, to, split, splits, first, depth);
  cp_gather(acc, width, depth);
  if (splits > 1) {
    cp_cell *cell = cp_cells(p, blockIdx.x, cells) + lane;
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++)
      if (first == 0) cell[k * width] = cp_pack(acc[k]);
    if (!cp_last(p, column, splits)) return;
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) acc[k] = cp_identity();
    if (first < depth)
      cp_join_published(acc, cp_cells(p, (size_t)column * splits, cells) + lane, first, splits, depth, cells,
                        width);
    cp_gather(acc, width, depth);
  }
  if (first == 0 && mine) cp_store_outputs(p, to, acc);
}
#endif

#if CP_STRATEGY == CP_SPLIT && !CP_DRAWN
// Allows as many registers as hold what a thread has in flight. By default the compiler uses few, so that
// loads wait for each other.
#define CP_BOUNDS CP_BLOCK, 1
#elif CP_STRATEGY == CP_DOMAIN
#ifndef CP_RESIDENT
#define CP_RESIDENT 4 // ORDER src/cuda/run/run.c: DOMAIN_BLOCKS
#endif
#define CP_BOUNDS CP_BLOCK, CP_RESIDENT
#else
#define CP_BOUNDS CP_BLOCK
#endif

extern "C" __global__ void __launch_bounds__(CP_BOUNDS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  cp_reduce(p);
}
