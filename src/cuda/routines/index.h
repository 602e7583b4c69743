// The CUDA device's part of routines/index.h.
#ifndef CP_CUDA_ROUTINES_INDEX_H
#define CP_CUDA_ROUTINES_INDEX_H

#include "cuda/driver/fault.h"
#include "routines/index.h"

extern const cp_index_ops cp_cuda_index_ops;

// ---- lookups (index.c) ----

enum { CP_CUDA_LOOKUP_BLOCK = 256 };

// Begins p with the slots that kernels/routine/lookup.h names; words: from cp_cuda_expect_faults.
// cp_cuda_put_slot adds one more.
void cp_cuda_put_lookup(cp_params *p, const cp_lookup *l, cpcu_deviceptr words);
void cp_cuda_put_slot(cp_params *p, uint64_t v);
// Adds the slots by which a kernel numbers the elements within reach: the number of the one at base, then the
// strides in elements, for each axis (0 for those in the bit mask `except`) and for each array of positions.
void cp_cuda_put_cells(cp_params *p, const cp_lookup *l, const cp_reach *reach, uint32_t except);
cp_status cp_cuda_launch_index(cp_context *ctx, cp_stream *s, const cp_cuda_function *f, int64_t grid,
                               unsigned block, const cp_params *params);

// ---- writes that keep the last of several values (last.c) ----

// True for lookups that must keep the last of several values, or where that costs little.
bool cp_cuda_keeps_last(const cp_lookup *l);
// Bytes of l->scratch that such a write needs.
size_t cp_cuda_write_scratch(const cp_lookup *l);
cp_status cp_cuda_write_last(cp_context *ctx, cp_stream *s, const cp_lookup *l);

#endif
