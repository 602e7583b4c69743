// Transposed sparse matrices on a GPU: the entries are sorted by their columns, along with what else they
// have, which kernels/routine/sparse/turn.cu puts into 8 bytes each, and takes out again.
#include "routines/sort.h"
#include "routines/sparse.h"

#include "cuda/driver/cuda.h"

enum { BLOCK = 256, TILE = 1024 };             // ORDER as in the kernel
enum { VALUE, NUMBER, NUMBER_ALONE };          // ORDER as in the kernel: what is packed
enum { COLUMNS, PACKED, SORTED, SORT, PARTS }; // of the scratch memory

static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

// Where the parts of the scratch memory start, and its end.
static void place(const cp_sparse_turn_job *j, size_t *at) {
  const size_t count = (size_t)j->m.entries, packed = padded(count * sizeof(uint64_t));
  at[COLUMNS] = 0;
  at[PACKED] = padded(count * cp_itemsize(j->m.index));
  at[SORTED] = at[PACKED] + packed;
  at[SORT] = at[SORTED] + packed;
}

static cp_sort_job sorting(const cp_sparse_turn_job *j) {
  char *scratch = (char *)j->scratch;
  size_t at[PARTS];
  place(j, at);
  return (cp_sort_job){.dtype = j->m.index,
                       .rows = 1,
                       .length = j->m.entries,
                       .in = j->m.columns_of,
                       .values = scratch + at[COLUMNS],
                       .positions = (int64_t *)(void *)(scratch + at[SORTED]),
                       .along = (const uint64_t *)(const void *)(scratch + at[PACKED]),
                       .scratch = scratch + at[SORT],
                       .last = j->m.entries - 1,
                       .bound = j->m.columns};
}

size_t cp_cuda_sparse_turn_scratch(cp_device *d, const cp_sparse_turn_job *j) {
  char none; // only the sizes of parts are asked for
  cp_sparse_turn_job job = *j;
  size_t at[PARTS];
  job.scratch = &none;
  place(j, at);
  const cp_sort_job sort = sorting(&job);
  return at[SORT] + cp_cuda_sort_along_scratch(d, &sort);
}

static cp_status run(cp_context *ctx, cp_stream *s, const cp_sparse_turn_job *j, const char *mode,
                     const uint64_t *slots) {
  cp_cuda_function *f;
  const bool narrow = j->m.rows <= UINT32_MAX && j->m.entries <= UINT32_MAX;
  const int packed = !narrow ? NUMBER_ALONE : j->item <= 4 ? VALUE : NUMBER;
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)s->device, "sparse/turn", &f,
                         "MODE=%s INDEX=%s SIZE=%d PACKED=%d", mode, cp_dtypes[j->m.index].name, (int)j->item,
                         packed));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, cp_divide_up(j->m.entries, TILE), BLOCK, 0, slots);
}

cp_status cp_cuda_sparse_turn(cp_context *ctx, cp_stream *s, const cp_sparse_turn_job *j) {
  const cp_sort_job sort = sorting(j);
  uint64_t slots[] = {(uintptr_t)j->m.starts, (uintptr_t)sort.values, (uintptr_t)j->values,
                      (uintptr_t)sort.along,  (uintptr_t)j->starts,   (uintptr_t)j->rows,
                      (uintptr_t)j->out,      (uint64_t)j->m.rows,    (uint64_t)j->m.columns,
                      (uint64_t)j->m.entries};
  CP_TRY(run(ctx, s, j, "pack", slots));
  CP_TRY(cp_cuda_sort_along(ctx, s, &sort));
  slots[3] = (uintptr_t)sort.positions;
  return run(ctx, s, j, "unpack", slots);
}
