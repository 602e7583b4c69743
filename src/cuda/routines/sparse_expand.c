// Products and unions of two sparse matrices on a GPU: launches expand.cu, merge.cu, window.cu and meet.cu of
// kernels/routine/sparse.
#include "routines/sparse.h"

#include "cuda/driver/cuda.h"

#include <string.h>

// ORDER as in the kernels. COLUMN: bits of a column. SHARE: entries that a block of a union
// has.
enum { BLOCK = 256, ITEMS = 8, ITEMS_OF_LARGE = 4, COLUMN = 42, SHARE = 1024 };

static int items(cp_dtype dtype) { return cp_itemsize(dtype) > 8 ? ITEMS_OF_LARGE : ITEMS; }

int64_t cp_cuda_sparse_room(cp_dtype dtype) { return (int64_t)BLOCK * items(dtype); }

static cp_status launch(cp_context *ctx, cp_stream *s, const cp_cuda_function *f, int64_t blocks,
                        const uint64_t *slots) {
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, blocks, BLOCK, 0, slots);
}

// The slots of an operand.
static void put_matrix(uint64_t *slots, const cp_sparse_layout *m, const void *values) {
  slots[0] = (uintptr_t)m->starts;
  slots[1] = (uintptr_t)m->columns_of;
  slots[2] = (uintptr_t)values;
}

// The slots of both operands of a product, and `last`, those from the lengths or starts of its rows on.
static void put_product(uint64_t *slots, uint64_t *last, const cp_sparse_expand_job *j) {
  const uint64_t rest[] = {j->lengths != NULL ? (uintptr_t)j->lengths : (uintptr_t)j->starts,
                           (uintptr_t)j->columns,
                           (uintptr_t)j->out,
                           (uint64_t)j->a.rows,
                           (uint64_t)j->b.rows,
                           (uint64_t)j->b.columns,
                           (uint64_t)j->a.entries,
                           (uint64_t)j->b.entries,
                           (uint64_t)j->entries};
  put_matrix(slots, &j->a, j->a_values);
  put_matrix(slots + 3, &j->b, j->b_values);
  memcpy(last, rest, sizeof rest);
}

static cp_status merge(cp_context *ctx, cp_stream *s, const cp_sparse_expand_job *j) {
  cp_cuda_function *f;
  const bool count = j->lengths != NULL;
  int lanes = 8; // fewer would store less than 32 bytes at a time
  while (lanes < j->longest) lanes *= 2;
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)s->device, "sparse/merge", &f,
                         "MODE=%s T=%s INDEX=%s LANES=%d", count ? "count" : "fill",
                         count ? "float32" : cp_dtypes[j->dtype].name, cp_dtypes[j->a.index].name, lanes));
  uint64_t slots[15];
  put_product(slots, slots + 6, j);
  return launch(ctx, s, f, cp_divide_up(j->a.rows * lanes, BLOCK), slots);
}

static cp_status expand(cp_context *ctx, cp_stream *s, const cp_sparse_expand_job *j) {
  cp_cuda_function *f;
  const bool count = j->lengths != NULL;
  if (j->b.columns > (int64_t)1 << COLUMN)
    return cp_fail(CP_EUSAGE, "there are more products than one kernel can take");
  // Numbers of places do not depend on values, but tiles on the room for them.
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)s->device, "sparse/expand", &f,
                         "MODE=%s T=%s INDEX=%s ITEMS=%d", count ? "count" : "fill",
                         count ? "float32" : cp_dtypes[j->dtype].name, cp_dtypes[j->a.index].name,
                         items(j->dtype)));
  uint64_t slots[17] = {[6] = (uintptr_t)j->products, [7] = (uintptr_t)j->first_rows};
  put_product(slots, slots + 8, j);
  return launch(ctx, s, f, j->tiles, slots);
}

static cp_status window(cp_context *ctx, cp_stream *s, const cp_sparse_expand_job *j) {
  cp_cuda_function *f;
  const bool count = j->lengths != NULL;
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)s->device, "sparse/window", &f, "MODE=%s T=%s INDEX=%s",
                         count ? "count" : "fill", count ? "float32" : cp_dtypes[j->dtype].name,
                         cp_dtypes[j->a.index].name));
  uint64_t slots[16] = {[6] = (uintptr_t)j->chosen};
  put_product(slots, slots + 7, j);
  return launch(ctx, s, f, j->many, slots);
}

cp_status cp_cuda_sparse_expand(cp_context *ctx, cp_stream *s, const cp_sparse_expand_job *j) {
  if (j->chosen != NULL) return window(ctx, s, j);
  return j->products == NULL ? merge(ctx, s, j) : expand(ctx, s, j);
}

static cp_status find_meet(cp_context *ctx, cp_stream *s, const cp_sparse_meet_job *j, cp_cuda_function **f) {
  cp_cuda_device *d = (cp_cuda_device *)s->device;
  const char *index = cp_dtypes[j->a.index].name;
  if (j->met_before == NULL)
    return cp_cuda_routine(ctx, d, "sparse/meet", f, "MODE=meet INDEX=%s SIZE=1", index);
  if (j->zero == NULL)
    return cp_cuda_routine(ctx, d, "sparse/meet", f, "MODE=fill INDEX=%s SIZE=%d", index,
                           (int)cp_itemsize(j->dtype));
  return cp_cuda_routine(ctx, d, "sparse/meet", f, "MODE=sum INDEX=%s T=%s", index, cp_dtypes[j->dtype].name);
}

cp_status cp_cuda_sparse_meet(cp_context *ctx, cp_stream *s, const cp_sparse_meet_job *j) {
  cp_cuda_function *f;
  CP_TRY(find_meet(ctx, s, j, &f));
  const bool find = j->met_before == NULL;
  uint64_t slots[] = {[6] = find ? (uintptr_t)j->met : (uintptr_t)j->met_before,
                      (uintptr_t)j->starts,
                      (uintptr_t)j->columns,
                      (uintptr_t)j->a_out,
                      j->zero != NULL ? j->subtract : (uintptr_t)j->b_out,
                      (uint64_t)j->a.rows,
                      (uint64_t)j->a.entries,
                      (uint64_t)j->b.entries,
                      (uint64_t)j->entries,
                      (uintptr_t)j->zero};
  put_matrix(slots, &j->a, j->a_values);
  put_matrix(slots + 3, &j->b, j->b_values);
  int64_t blocks = cp_divide_up(j->a.entries, SHARE);
  if (!find) blocks += cp_divide_up(j->b.entries, SHARE) + cp_divide_up(j->a.rows + 1, SHARE);
  return launch(ctx, s, f, blocks, slots);
}
