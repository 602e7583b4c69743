// Elementwise kernels with transposed operands: leaves that are contiguous along another dimension than the
// outputs. A block computes a square of CP_TILE x CP_TILE elements over the two innermost dimensions, x and
// y. Outputs and straight leaves are contiguous along x and are accessed as in elementwise.cu. The other
// leaves are contiguous along y: they are read along y, in words, and transposed in shared memory.
//
//   layout     any number of leaves of each kind, any item sizes; the dimensions before y are batches
//   threads    CP_BLOCK = 256; blocks proceed along x first, so that neighbours write to the same rows
//   in flight  16 to 64 bytes per leaf and thread: a tile is 128 x 128 elements of 1 byte, 64 x 64 of 2 or 4
//              bytes, 32 x 32 of 8 or 16 bytes
//
// lua/cupola/kernels/generate.lua writes before this text what elementwise.cu lists, with cp_locate and
// cp_locate_in_tile of access.lua in place of its cp_locate, and:
//   CP_TILE, CP_AHEAD, CP_THIRD     the tile's edge; groups that a thread computes side by side; the slot of
//                                   y's length
//   cp_fill_tiles                   transposes the leaves that are contiguous along y

extern "C" __global__ void __launch_bounds__(CP_BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  cp_place corner;
  cp_index x0, y0;
  cp_locate(p, (cp_index)blockIdx.x, corner, x0, y0);
  const cp_index width = (cp_index)p.s[CP_SECOND] - x0, height = (cp_index)p.s[CP_THIRD] - y0;
  cp_fill_tiles(p, corner, width, height);
  __syncthreads();
#pragma unroll CP_AHEAD
  for (unsigned n = 0; n < (CP_TILE * CP_TILE / CP_VECTOR + CP_BLOCK - 1) / CP_BLOCK; n++) {
    const unsigned g = threadIdx.x + n * CP_BLOCK;
    const unsigned x = g % (CP_TILE / CP_VECTOR) * CP_VECTOR, y = g / (CP_TILE / CP_VECTOR);
    if (y >= CP_TILE || x >= width || y >= height) continue;
    cp_place at;
    cp_locate_in_tile(p, corner, (cp_offset)x, (cp_offset)y, at);
    if (x + CP_VECTOR <= width) {
      cp_inputs in[CP_VECTOR];
      cp_results out[CP_VECTOR];
      int ok = 1;
      cp_load_group(p, at, in);
#pragma unroll
#if CP_FAST
      for (int k = 0; k < CP_VECTOR; k++) out[k] = cp_body_fast(p, in[k], ok);
#else
      for (int k = 0; k < CP_VECTOR; k++) out[k] = cp_body(p, in[k]);
#endif
      if (ok) {
        cp_store_group(p, at, out);
        continue;
      }
    }
#if CP_VECTOR > 1 || CP_FAST
#pragma unroll 1
    for (cp_index k = 0; k < CP_VECTOR && x + k < width; k++)
      cp_store_element(p, at, k, cp_body(p, cp_load_element(p, at, k)));
#endif
  }
}
