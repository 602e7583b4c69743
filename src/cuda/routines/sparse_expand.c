// Products of two sparse matrices on a GPU: launches kernels/routine/sparse_expand.cu.
#include "routines/sparse.h"

#include "cuda/driver/cuda.h"

// ORDER as in the kernel. COLUMN: bits of a column.
enum { BLOCK = 256, ITEMS = 8, ITEMS_OF_LARGE = 4, COLUMN = 42 };

static int items(cp_dtype dtype) { return cp_itemsize(dtype) > 8 ? ITEMS_OF_LARGE : ITEMS; }

int64_t cp_cuda_sparse_room(cp_dtype dtype) { return (int64_t)BLOCK * items(dtype); }

cp_status cp_cuda_sparse_expand(cp_context *ctx, cp_stream *s, const cp_sparse_expand_job *j) {
  cp_cuda_function *f;
  const bool count = j->lengths != NULL;
  if (j->tiles > INT32_MAX || j->b.columns > (int64_t)1 << COLUMN)
    return cp_fail(CP_EUSAGE, "there are more products than one kernel can take");
  // Numbers of places do not depend on values, but tiles on the room for them.
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)s->device, "sparse_expand", &f,
                         "MODE=%s T=%s INDEX=%s ITEMS=%d", count ? "count" : "fill",
                         count ? "float32" : cp_dtypes[j->dtype].name, cp_dtypes[j->a.index].name,
                         items(j->dtype)));
  const uint64_t slots[] = {(uintptr_t)j->a.starts,
                            (uintptr_t)j->a.columns_of,
                            (uintptr_t)j->a_values,
                            (uintptr_t)j->b.starts,
                            (uintptr_t)j->b.columns_of,
                            (uintptr_t)j->b_values,
                            (uintptr_t)j->products,
                            (uintptr_t)j->first_rows,
                            count ? (uintptr_t)j->lengths : (uintptr_t)j->starts,
                            (uintptr_t)j->columns,
                            (uintptr_t)j->out,
                            (uint64_t)j->a.rows,
                            (uint64_t)j->b.rows,
                            (uint64_t)j->b.columns,
                            (uint64_t)j->a.entries,
                            (uint64_t)j->b.entries,
                            (uint64_t)j->entries};
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, (unsigned)j->tiles, BLOCK, 0, slots);
}
