// Sorting on a GPU: short rows by kernels/routine/rows.cu, others by kernels/routine/radix.cu.
#include "device/sort.h"

#include "cuda/cuda.h"
#include "cuda/search.h"

#include <stdio.h>

// ORDER kernels/routine/radix.cu, kernels/routine/rows.cu
enum {
  DIGITS = 256,
  MOST = 2048, // elements of a row that one block sorts
  BLOCK = 384, // threads of a sweep
  SMALL = 256, // of the other kernels, and of the least block for short rows
  TICKET = 256,
  WIDE = 1 << 30, // from this length on counts take 64 bits
  PART = 16384    // elements that a block counts, at least
};

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

// ---- short rows -----------------------------------------------------------------------------------------------------

static cp_status too_many(void) { return cp_fail(CP_EUSAGE, "a sort of so many rows is not possible"); }

static cp_status sort_short(cp_context *ctx, cp_stream *stream, const cp_sort_job *j) {
  char variables[64];
  cp_cuda_function *f;
  int64_t size = 1;
  bool places = j->positions != NULL;
  while (size < j->length) size *= 2;
  int64_t elements = size > 2 * SMALL ? size : 2 * SMALL, blocks = divide_up(j->rows, elements / size);
  const cp_params params = {.count = 5,
                            .slots = {(uintptr_t)j->in,
                                      places ? (uintptr_t)j->positions : (uintptr_t)j->values,
                                      (uint64_t)j->rows, (uint64_t)j->length, (uint64_t)size}};
  if (blocks > INT32_MAX) return too_many();
  snprintf(variables, sizeof variables, "T=%s PLACES=%d", cp_dtypes[j->dtype].name, places);
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)stream->device, "rows", variables, &f));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, (unsigned)blocks, (unsigned)(elements / 2), 0,
                        &params);
}

// ---- radix sort -----------------------------------------------------------------------------------------------------

typedef struct radix {
  const cp_sort_job *job;
  bool places, wide;
  int passes, items;
  size_t count_size; // of a count, and of a place
  int64_t tiles;     // of a row
  // parts of the scratch, by their offsets
  size_t keys[2], other_places, bases, ticket, end;
} radix;

// Keys of a thread: as many as fit registers and, with their places, shared memory; fewer where that leaves less of the last tile of each
// row empty.
static int items_of(const radix *r) {
  size_t bytes = cp_itemsize(r->job->dtype) + (r->places ? r->count_size : 0);
  int most = bytes <= 4 ? 18 : bytes <= 8 ? (r->places ? 15 : 11) : bytes <= 12 ? 10 : 7, best = most;
  int64_t least = INT64_MAX;
  if (r->job->rows == 1 && r->job->length > 64 * BLOCK * most) return most;
  for (int items = most; items >= 5; items -= 3) {
    int64_t cost = divide_up(r->job->length, BLOCK * items) * (BLOCK * (items + 1));
    if (cost < least) {
      least = cost;
      best = items;
    }
  }
  return best;
}

static radix plan(const cp_sort_job *j) {
  radix r = {.job = j, .places = j->positions != NULL, .wide = j->length >= WIDE};
  size_t key = cp_itemsize(j->dtype), all = (size_t)(j->rows * j->length);
  r.passes = (int)key;
  r.count_size = r.wide ? 8 : 4;
  r.items = items_of(&r);
  r.tiles = divide_up(j->length, BLOCK * r.items);
  int key_buffers = r.passes == 1 ? 0 : r.places && r.passes > 2 ? 2 : 1;
  for (int k = 0; k < key_buffers; k++) {
    r.keys[k] = r.end;
    r.end += padded(all * key);
  }
  r.other_places = r.end;
  if (r.places && r.passes > 1) r.end += padded(all * r.count_size);
  r.bases = r.end;
  r.end += padded((size_t)(j->rows * r.passes) * DIGITS * r.count_size);
  r.ticket = r.end;
  r.end += TICKET + (size_t)(j->rows * r.tiles) * DIGITS * r.count_size;
  return r;
}

static cp_status find(cp_context *ctx, cp_device *d, const radix *r, const char *mode, int block, int items,
                      cp_cuda_function **f) {
  char variables[128];
  snprintf(variables, sizeof variables, "MODE=%s T=%s PLACES=%d WIDE=%d BLOCK=%d ITEMS=%d", mode,
           cp_dtypes[r->job->dtype].name, r->places, r->wide, block, items);
  return cp_cuda_routine(ctx, (cp_cuda_device *)d, "radix", variables, f);
}

static char *at(const radix *r, size_t offset) { return (char *)r->job->scratch + offset; }

// Counts the digits, and makes bases of the counts.
static cp_status count_digits(cp_context *ctx, cp_stream *stream, const radix *r) {
  const cp_sort_job *j = r->job;
  const cp_cuda_device *d = (const cp_cuda_device *)stream->device;
  cp_cuda_function *histogram, *bases;
  int64_t size = divide_up(j->rows * j->length, (int64_t)d->sm_count * 16);
  if (size < PART) size = PART;
  if (size > INT32_MAX) size = INT32_MAX;
  int64_t parts = divide_up(j->length, size), blocks = j->rows * parts, tables = j->rows * r->passes;
  cp_params params = {.count = 11, .slots = {(uintptr_t)j->in}};
  params.slots[4] = (uint64_t)j->length;
  params.slots[5] = (uint64_t)parts;
  params.slots[8] = (uintptr_t)at(r, r->bases);
  params.slots[10] = (uint64_t)size;
  if (blocks > INT32_MAX || tables > INT32_MAX) return too_many();
  CP_TRY(find(ctx, stream->device, r, "histogram", SMALL, 1, &histogram));
  CP_TRY(find(ctx, stream->device, r, "bases", SMALL, 1, &bases));
  CP_TRY(cp_cuda_fill_bytes(stream, at(r, r->bases), 0, (size_t)tables * DIGITS * r->count_size));
  CP_TRY(cp_cuda_launch(ctx, (cp_cuda_stream *)stream, histogram, (unsigned)blocks, SMALL, 0, &params));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, bases, (unsigned)tables, SMALL, 0, &params);
}

// Where pass k leaves keys: the last one in the result, those before in turns there and in a buffer (places: in two buffers).
static void *keys_after(const radix *r, int k) {
  int left = r->passes - 1 - k;
  if (r->places) return left == 0 ? NULL : at(r, r->keys[left % 2 == 0 && r->passes > 2]);
  return left % 2 == 0 ? r->job->values : at(r, r->keys[0]);
}

static void *places_after(const radix *r, int k) {
  if (!r->places) return NULL;
  return (r->passes - 1 - k) % 2 == 0 ? (void *)r->job->positions : at(r, r->other_places);
}

static cp_status sweep(cp_context *ctx, cp_stream *stream, const radix *r, const cp_cuda_function *f, int k) {
  const cp_sort_job *j = r->job;
  int64_t tiles = j->rows * r->tiles;
  const cp_params params = {.count = 11,
                            .slots = {k == 0 ? (uintptr_t)j->in : (uintptr_t)keys_after(r, k - 1),
                                      (uintptr_t)keys_after(r, k),
                                      k == 0 ? 0 : (uintptr_t)places_after(r, k - 1),
                                      (uintptr_t)places_after(r, k), (uint64_t)j->length, (uint64_t)r->tiles,
                                      (uint64_t)k, (k == 0) | (uint64_t)(k == r->passes - 1) << 1,
                                      (uintptr_t)at(r, r->bases), (uintptr_t)at(r, r->ticket)}};
  CP_TRY(cp_cuda_fill_bytes(stream, at(r, r->ticket), 0, r->end - r->ticket));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, (unsigned)tiles, BLOCK, 0, &params);
}

static cp_status sort_radix(cp_context *ctx, cp_stream *stream, const cp_sort_job *j) {
  radix r = plan(j);
  cp_cuda_function *f;
  if (j->rows * r.tiles > INT32_MAX) return too_many();
  CP_TRY(find(ctx, stream->device, &r, "sweep", BLOCK, r.items, &f));
  CP_TRY(count_digits(ctx, stream, &r));
  for (int k = 0; k < r.passes; k++) CP_TRY(sweep(ctx, stream, &r, f, k));
  return CP_OK;
}

// ---- the family -----------------------------------------------------------------------------------------------------

static size_t sort_scratch(cp_device *d, const cp_sort_job *j) {
  (void)d;
  return j->length <= MOST ? 0 : plan(j).end;
}

static cp_status sort(cp_context *ctx, cp_stream *stream, const cp_sort_job *j) {
  return j->length <= MOST ? sort_short(ctx, stream, j) : sort_radix(ctx, stream, j);
}

const cp_sort_ops cp_cuda_sort_ops = {.sort_scratch = sort_scratch,
                                      .sort = sort,
                                      .search = cp_cuda_search,
                                      .move = cp_cuda_move,
                                      .count = cp_cuda_count_bins};
