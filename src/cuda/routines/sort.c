// Sorting on a GPU: short rows by kernels/routine/sorting/rows.cu, others by radix.cu there.
#include "routines/sort.h"

#include "cuda/driver/cuda.h"
#include "cuda/routines/search.h"

// ORDER as in kernels/routine/sorting/radix.cu, kernels/routine/sorting/rows.cu.
enum {
  DIGITS = 256,
  MOST = 2048,  // longest row that one block sorts
  SMALL = 256,  // threads of a counting block, and of the smallest block for short rows
  LARGE = 1024, // threads of a block that counts in columns
  TICKETS = 256,
  WIDE = 1 << 30,   // from this length on counts have 64 bits
  PART = 16384,     // least elements that a block counts
  COLUMNS = 1 << 22 // from this length on a block counts in columns, which must be cleared and added up
};

static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

// ---- short rows -------------------------------------------------------------------------------------------

static cp_status too_many(void) { return cp_fail(CP_EUSAGE, "there are more rows than one kernel can take"); }

static cp_status sort_short(cp_context *ctx, cp_stream *stream, const cp_sort_job *j) {
  cp_cuda_function *f;
  int64_t size = 1;
  bool places = j->positions != NULL;
  while (size < j->length) size *= 2;
  int64_t elements = size > 2 * SMALL ? size : 2 * SMALL, blocks = cp_divide_up(j->rows, elements / size);
  const uint64_t slots[] = {(uintptr_t)j->in, places ? (uintptr_t)j->positions : (uintptr_t)j->values,
                            (uint64_t)j->rows, (uint64_t)j->length, (uint64_t)size};
  if (blocks > INT32_MAX) return too_many();
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)stream->device, "sorting/rows", &f, "T=%s PLACES=%d",
                         cp_dtypes[j->dtype].name, places));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, blocks, (unsigned)(elements / 2), 0, slots);
}

// ---- radix sort -------------------------------------------------------------------------------------------

typedef struct radix {
  const cp_sort_job *job;
  const cp_cuda_device *device;
  bool places, wide;
  int digits, passes; // of a key; those by which it is sorted
  int block, items;   // of a sweep: threads per block, and keys per thread
  size_t count_size;  // bytes of a count
  size_t place_size;  // of what is sorted along with a key
  int64_t tiles;      // tiles per row
  // offsets of the parts of the scratch memory
  size_t keys[2], other_places, counts, tile_counter, end;
} radix;

// ORDER as in kernels/routine/sorting/radix.cu: cp_shared.
static size_t shared_size(const radix *r, int items) {
  size_t tile = (size_t)(r->block * items), keys = tile * cp_itemsize(r->job->dtype);
  size_t counts = (size_t)(r->block / 32) * DIGITS * sizeof(uint32_t), starts = (DIGITS + 16) * r->count_size;
  if (!r->places) return counts + keys + starts;
  return (counts > keys ? counts : keys) + tile * r->place_size + starts;
}

// Chooses the tile of a sweep: as many keys as registers and shared memory hold with the wanted number of
// blocks per multiprocessor, or fewer if that leaves less of each row's last tile empty.
static void choose_shape(radix *r) {
  const cp_sort_job *j = r->job;
  size_t key = cp_itemsize(j->dtype), bytes = key + r->place_size;
  int most = r->places ? (bytes <= 8 ? 21 : bytes <= 12 ? 14 : 10) : key <= 4 ? 32 : 11;
  r->block = r->places || key > 4 ? 384 : 256;
  while (most > 5 && shared_size(r, most) > (size_t)r->device->max_shared_optin) most -= 3;
  r->items = most;
  if (j->rows == 1 && j->length > 64 * r->block * most) return;
  int64_t least = INT64_MAX;
  for (int items = most; items >= 5; items -= 3) {
    int64_t cost = cp_divide_up(j->length, r->block * items) * (r->block * (items + 1));
    if (cost < least) {
      least = cost;
      r->items = items;
    }
  }
}

static radix plan(const cp_cuda_device *d, const cp_sort_job *j) {
  radix r = {.job = j, .device = d, .places = j->positions != NULL, .wide = j->length >= WIDE};
  size_t key = cp_itemsize(j->dtype), all = (size_t)(j->rows * j->length);
  r.digits = r.passes = (int)key;
  while (j->bound > 0 && r.passes > 1 && (j->bound - 1) >> (8 * (r.passes - 1)) == 0) r.passes--;
  r.count_size = r.wide ? 8 : 4;
  r.place_size = j->along != NULL ? sizeof *j->along : r.count_size;
  choose_shape(&r);
  r.tiles = cp_divide_up(j->length, r.block * r.items);
  int key_buffers = r.passes == 1 ? 0 : r.places && !j->along && r.passes > 2 ? 2 : 1;
  for (int k = 0; k < key_buffers; k++) {
    r.keys[k] = r.end;
    r.end += padded(all * key);
  }
  r.other_places = r.end;
  if (r.places && r.passes > 1) r.end += padded(all * r.place_size);
  r.counts = r.end;
  r.end += padded((size_t)(j->rows * r.digits) * DIGITS * r.count_size);
  r.tile_counter = r.end;
  r.end += TICKETS + (size_t)(j->rows * r.tiles) * DIGITS * r.count_size;
  return r;
}

static cp_status find(cp_context *ctx, const radix *r, const char *mode, int block, int items, int copies,
                      cp_cuda_function **f) {
  return cp_cuda_routine(ctx, (cp_cuda_device *)r->device, "sorting/radix", f,
                         "MODE=%s T=%s PLACES=%d WIDE=%d BLOCK=%d ITEMS=%d COPIES=%d", mode,
                         cp_dtypes[r->job->dtype].name, r->job->along != NULL ? 2 : r->places, r->wide, block,
                         items, copies);
}

static char *at(const radix *r, size_t offset) { return (char *)r->job->scratch + offset; }

// Counts the digits.
static cp_status count_digits(cp_context *ctx, cp_stream *stream, const radix *r) {
  const cp_sort_job *j = r->job;
  const size_t table = (size_t)r->digits * DIGITS * sizeof(uint32_t);
  cp_cuda_function *histogram;
  bool columns = j->length >= COLUMNS;
  int copies = columns ? 32 : 1;
  while (copies > 1 &&
         (copies > 128 / r->digits || (size_t)copies * table > (size_t)r->device->max_shared_optin))
    copies /= 2;
  int64_t size = cp_divide_up(columns ? j->length : j->rows * j->length,
                              (int64_t)r->device->sm_count * (columns ? 1 : 16));
  if (size < PART) size = PART;
  if (size > INT32_MAX) size = INT32_MAX;
  int64_t parts = cp_divide_up(j->length, size), blocks = j->rows * parts;
  unsigned block = columns ? LARGE : SMALL;
  const uint64_t slots[11] = {(uintptr_t)j->in, [4] = (uint64_t)j->length, [5] = (uint64_t)parts,
                              [8] = (uintptr_t)at(r, r->counts), [10] = (uint64_t)size};
  if (blocks > INT32_MAX) return too_many();
  CP_TRY(find(ctx, r, "histogram", (int)block, 1, copies, &histogram));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, histogram, blocks, block,
                        (unsigned)((size_t)copies * table), slots);
}

// Where pass k writes the keys: the last pass into the result, those before alternately there and into a
// buffer (positions alone: into two buffers).
static void *keys_after(const radix *r, int k) {
  int left = r->passes - 1 - k;
  if (r->places && r->job->along == NULL)
    return left == 0 ? NULL : at(r, r->keys[left % 2 == 0 && r->passes > 2]);
  return left % 2 == 0 ? r->job->values : at(r, r->keys[0]);
}

static void *places_after(const radix *r, int k) {
  if (!r->places) return NULL;
  return (r->passes - 1 - k) % 2 == 0 ? (void *)r->job->positions : at(r, r->other_places);
}

static cp_status sweep(cp_context *ctx, cp_stream *stream, const radix *r, const cp_cuda_function *f, int k) {
  const cp_sort_job *j = r->job;
  int64_t tiles = j->rows * r->tiles;
  const uint64_t slots[11] = {k == 0 ? (uintptr_t)j->in : (uintptr_t)keys_after(r, k - 1),
                              (uintptr_t)keys_after(r, k),
                              k == 0 ? (uintptr_t)j->along : (uintptr_t)places_after(r, k - 1),
                              (uintptr_t)places_after(r, k),
                              (uint64_t)j->length,
                              (uint64_t)r->tiles,
                              (uint64_t)k,
                              (k == 0) | (uint64_t)(k == r->passes - 1) << 1,
                              (uintptr_t)at(r, r->counts),
                              (uintptr_t)at(r, r->tile_counter)};
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, tiles, (unsigned)r->block,
                        (unsigned)shared_size(r, r->items), slots);
}

static cp_status sort_radix(cp_context *ctx, cp_stream *stream, const cp_sort_job *j) {
  radix r = plan((const cp_cuda_device *)stream->device, j);
  cp_cuda_function *f;
  if (j->rows * r.tiles > INT32_MAX) return too_many();
  CP_TRY(find(ctx, &r, "sweep", r.block, r.items, 1, &f));
  CP_TRY(cp_cuda_fill_bytes(stream, at(&r, r.counts), 0,
                            r.end - r.counts)); // clears also the tile counters and what tiles publish
  CP_TRY(count_digits(ctx, stream, &r));
  for (int k = 0; k < r.passes; k++) CP_TRY(sweep(ctx, stream, &r, f, k));
  return CP_OK;
}

// ---- the family -------------------------------------------------------------------------------------------

static size_t sort_scratch(cp_device *d, const cp_sort_job *j) {
  return j->length <= MOST ? 0 : plan((const cp_cuda_device *)d, j).end;
}

static cp_status sort(cp_context *ctx, cp_stream *stream, const cp_sort_job *j) {
  return j->length <= MOST ? sort_short(ctx, stream, j) : sort_radix(ctx, stream, j);
}

size_t cp_cuda_sort_along_scratch(cp_device *d, const cp_sort_job *j) {
  return plan((const cp_cuda_device *)d, j).end;
}

cp_status cp_cuda_sort_along(cp_context *ctx, cp_stream *stream, const cp_sort_job *j) {
  return sort_radix(ctx, stream, j);
}

const cp_sort_ops cp_cuda_sort_ops = {.sort_scratch = sort_scratch,
                                      .sort = sort,
                                      .search = cp_cuda_search,
                                      .interpolate = cp_cuda_interpolate,
                                      .move = cp_cuda_move,
                                      .count = cp_cuda_count_bins};
