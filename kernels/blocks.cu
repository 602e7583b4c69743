// The blocks of a kernel go through memory forwards, those of the next kernel backwards, so that they begin
// with what is still in the L2 cache. The highest bit of the first slot says which (cp_cuda_alternate).

// The place of this block in memory's order.
CP_FN cp_index cp_block(const cp_slots &p) {
  return p.s[CP_FIRST] >> 63 ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
}

// The first slot without that bit.
CP_FN cp_index cp_first(const cp_slots &p) { return (cp_index)(p.s[CP_FIRST] & ~(1ull << 63)); }

