// Reductions: each output is the combination of the groups of one row (its reduced elements). Every thread
// folds some groups of a row, then the threads of the row are combined in a fixed tree, so equal launches
// give equal bits.
//
//   CP_WARP    2^width lanes of a warp take a row: short rows
//   CP_ONE     a block takes a row
//   CP_SPLIT   several blocks take a row; the last of them to finish combines their results
//   CP_COLUMN  a block takes 2^width neighbouring rows, a thread strides along one: rows whose elements lie
//              apart while the rows lie side by side; split as above
//
// lua/cupola/kernels/generate.lua writes before this text what elementwise.cu names, with cp_locate_row and
// cp_locate_group for cp_locate, and:
//   CP_STRATEGY, CP_UNROLL          CP_UNROLL groups are loaded before the first is used
//   CP_RUN                          steps whose results are combined before they join the thread's total, which
//                                   keeps the rounding errors of sums small
//   CP_INNERMOST                    1 when one dimension is reduced
//   CP_GROUPS ... CP_COUNTERS       slot numbers of what src/cuda/run.c appends
//   cp_acc, cp_identity, cp_combine, cp_element, cp_store
//   CP_JOIN                         CP_FN, or CP_SLOW where cp_combine is long: then only the hot tree has
//                                   copies of it
//   CP_TREE                         cp_combine, or cp_join where even these would be too many
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

CP_JOIN cp_acc cp_join(const cp_acc a, const cp_acc b) { return cp_combine(a, b); }

// The combination of N elements, in a tree. Constant folding makes its first levels cheap (mean and variance
// of two numbers need no division).
template <int N> CP_FN cp_acc cp_take(const cp_slots &p, const cp_inputs *in) {
  cp_acc part[N];
#pragma unroll
  for (int k = 0; k < N; k++) part[k] = cp_element(p, in[k]);
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) part[k] = CP_TREE(part[k], part[k + s]);
  return part[0];
}

// One group, which may reach beyond the row's end.
CP_FN cp_acc cp_take_group(const cp_slots &p, const cp_place &row, cp_index g, cp_index length) {
  cp_place at;
  const cp_index x = cp_locate_group(p, row, g, at);
  cp_inputs in[CP_VECTOR];
  if (CP_VECTOR == 1 || x + CP_VECTOR <= length) {
    cp_load_group(p, at, in);
    return cp_take<CP_VECTOR>(p, in);
  }
  cp_acc acc = cp_identity();
#pragma unroll 1
  for (cp_index k = 0; x + k < length; k++) acc = cp_join(acc, cp_element(p, cp_load_element(p, at, k)));
  return acc;
}

// The combination of groups g, g + step, ... below end of a row.
CP_FN cp_acc cp_fold(const cp_slots &p, const cp_place &row, cp_index g, cp_index end, cp_index step) {
  const cp_index length = (cp_index)p.s[CP_LENGTH];
  const cp_index ahead = (CP_UNROLL - 1) * step;
  cp_acc total = cp_identity();
  while (g < end) {
    cp_acc run = cp_identity();
#pragma unroll 1
    for (int i = 0; i < CP_RUN && g < end; i++) {
#if CP_UNROLL > 1
      cp_place at[CP_UNROLL];
      bool whole = g + ahead < end;
#pragma unroll
      for (int u = 0; u < CP_UNROLL; u++) {
        const cp_index x = cp_locate_group(p, row, g + u * step, at[u]);
        if (CP_VECTOR > 1 && (!CP_INNERMOST || u == CP_UNROLL - 1)) whole = whole && x + CP_VECTOR <= length;
      }
      if (whole) {
        cp_inputs in[CP_UNROLL * CP_VECTOR];
#pragma unroll
        for (int u = 0; u < CP_UNROLL; u++) cp_load_group(p, at[u], in + u * CP_VECTOR);
        run = cp_join(run, cp_take<CP_UNROLL * CP_VECTOR>(p, in));
        g += CP_UNROLL * step;
        continue;
      }
#endif
      run = cp_join(run, cp_take_group(p, row, g, length));
      g += step;
    }
    total = cp_join(total, run);
  }
  return total;
}

CP_FN cp_acc cp_lane_after(const cp_acc &a, unsigned lanes) {
  cp_cell c = cp_pack(a);
#pragma unroll
  for (int k = 0; k < (int)(sizeof c.w / 4); k++) c.w[k] = __shfl_down_sync(0xffffffffu, c.w[k], lanes);
  return cp_unpack(c);
}

#if CP_STRATEGY == CP_COLUMN
// Thread t combines the accumulators of the threads t + k * 2^width; those with t < 2^width have the results.
CP_FN cp_acc cp_gather(cp_acc acc, unsigned width) {
  __shared__ cp_cell cells[CP_BLOCK];
  cells[threadIdx.x] = cp_pack(acc);
#pragma unroll 1
  for (unsigned half = CP_BLOCK / 2; half >> width; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      acc = cp_join(acc, cp_unpack(cells[threadIdx.x + half]));
      cells[threadIdx.x] = cp_pack(acc);
    }
  }
  __syncthreads();
  return acc;
}
#elif CP_STRATEGY != CP_WARP
// Thread 0 has the combination of all threads' accumulators.
CP_FN cp_acc cp_gather(cp_acc acc, unsigned) {
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
  __syncthreads();
  return acc;
}
#endif

#if CP_STRATEGY == CP_SPLIT || CP_STRATEGY == CP_COLUMN
// Leaves this block's results in the workspace. True in the last block of a row to do so, which sees those of
// the others.
CP_FN bool cp_publish(const cp_slots &p, const cp_acc &acc, unsigned rows, unsigned column, unsigned splits) {
  __shared__ unsigned before;
  cp_cell *mine = (cp_cell *)p.s[CP_WORKSPACE] + (size_t)blockIdx.x * rows;
  if (threadIdx.x < rows) mine[threadIdx.x] = cp_pack(acc);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) // the last block leaves 0
    before = atomicInc((unsigned *)p.s[CP_COUNTERS] + column, splits - 1);
  __syncthreads();
  __threadfence();
  return before == splits - 1;
}

// What block `split` of `column` left for row number `lane` of it.
CP_FN cp_acc cp_published(const cp_slots &p, unsigned rows, unsigned column, unsigned splits, unsigned split,
                          unsigned lane) {
  const size_t block = (size_t)column * splits + split;
  const volatile cp_cell *from = (const volatile cp_cell *)p.s[CP_WORKSPACE] + block * rows + lane;
  cp_cell c;
#pragma unroll
  for (int k = 0; k < (int)(sizeof c.w / 4); k++) c.w[k] = from->w[k];
  return cp_unpack(c);
}
#endif

extern "C" __global__ void __launch_bounds__(CP_BLOCK) cupola_kernel(const __grid_constant__ cp_slots p) {
  const cp_index outputs = (cp_index)p.s[CP_FIRST], groups = (cp_index)p.s[CP_GROUPS];
  cp_place at;
#if CP_STRATEGY == CP_WARP
  const unsigned width = (unsigned)p.s[CP_WIDTH], lanes = 1u << width, lane = threadIdx.x & (lanes - 1);
  const cp_index row = (cp_index)blockIdx.x * (CP_BLOCK >> width) + (threadIdx.x >> width);
  cp_acc acc = cp_identity();
  if (row < outputs) {
    cp_locate_row(p, row, at);
    acc = cp_fold(p, at, lane, groups, lanes);
  }
#pragma unroll 1
  for (unsigned half = lanes / 2; half > 0; half /= 2) acc = cp_join(acc, cp_lane_after(acc, half));
  if (lane == 0 && row < outputs) cp_store(p, at, acc);
#else
#if CP_STRATEGY == CP_COLUMN
  const unsigned width = (unsigned)p.s[CP_WIDTH];
#else
  const unsigned width = 0;
#endif
  const unsigned rows = 1u << width, lane = threadIdx.x & (rows - 1), first = threadIdx.x >> width;
#if CP_STRATEGY == CP_ONE
  const unsigned column = blockIdx.x;
  const cp_index begin = 0, end = groups;
#else
  const unsigned splits = (unsigned)p.s[CP_SPLITS];
  const unsigned column = blockIdx.x / splits, split = blockIdx.x - column * splits;
  const cp_index chunk = (cp_index)p.s[CP_CHUNK], begin = split * chunk;
  const cp_index end = groups - begin < chunk ? groups : begin + chunk;
#endif
  const cp_index row = (cp_index)column * rows + lane;
  cp_acc acc = cp_identity();
  if (row < outputs) {
    cp_locate_row(p, row, at);
    acc = cp_fold(p, at, begin + first, end, CP_BLOCK >> width);
  }
  acc = cp_gather(acc, width);
#if CP_STRATEGY != CP_ONE
  if (splits > 1) {
    if (!cp_publish(p, acc, rows, column, splits)) return;
    acc = cp_identity();
#pragma unroll 4
    for (unsigned k = first; k < splits; k += CP_BLOCK >> width)
      acc = cp_join(acc, cp_published(p, rows, column, splits, k, lane));
    acc = cp_gather(acc, width);
  }
#endif
  if (first == 0 && row < outputs) cp_store(p, at, acc);
#endif
}
