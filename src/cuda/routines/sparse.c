// Sparse matrices on a GPU: launches rows.cu, product.cu, matrix.cu and sample.cu of
// kernels/routine/sparse.
#include "routines/sparse.h"

#include "cuda/driver/cuda.h"

#include <string.h>

// ORDER as in the kernels.
enum {
  BLOCK = 256,
  WARP = 32,
  CHECK_LANES = 8,  // per row
  ROW_ITEMS = 8,    // entries whose rows a thread finds
  SAMPLES = 16,     // entries that a group of lanes has of a product at places
  CAP = 2048,       // entries that a block can have of whole rows, or half as many
  FILLED = 5,       // average entries per row, of 8 bytes, from which on rows are summed ahead, if
  SIMILAR = 4,      // none has more times the average
  FEW = 8,          // average below which few lanes do that
  CUT = 512,        // entries per block where rows are cut, and
  LARGE_CUT = 1024, // where there are MANY entries
  MANY = 1 << 23,
  WHOLE = 128,       // entries of the longest row up to which none is cut
  TILE = 2048,       // items per group of lanes at most, of products with matrices
  THREADS = 1 << 19, // of products with matrices, where there are entries enough
  SMALL = 1 << 16,   // entries up to which a second launch costs more than uneven rows
  LONG = 192,        // average entries per row from which on a warp per row reads evenly
  EVEN = 16          // a row with more times the average makes rows uneven
};

static const char *name_of(cp_dtype t) { return cp_dtypes[t].name; }

// ---- rows -------------------------------------------------------------------------------------------------

static cp_status run_rows(cp_context *ctx, cp_stream *s, const cp_sparse_layout *m, const char *mode,
                          void *result, int64_t threads) {
  cp_cuda_function *f;
  const uint64_t slots[] = {(uintptr_t)m->starts, (uintptr_t)m->columns_of, (uintptr_t)result,
                            (uint64_t)m->rows,    (uint64_t)m->columns,     (uint64_t)m->entries};
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sparse/rows", &f, "MODE=%s INDEX=%s", mode,
                         name_of(m->index)));
  return cp_cuda_launch_each(ctx, s, f, threads, BLOCK, slots);
}

static cp_status check(cp_context *ctx, cp_stream *s, const cp_sparse_check_job *job) {
  enum { PLACES = CP_SPARSE_BAD_ENTRY + 1 };
  CP_TRY(cp_cuda_fill_bytes(s, job->facts, 0xff, PLACES * sizeof *job->facts));
  CP_TRY(cp_cuda_fill_bytes(s, job->facts + PLACES, 0, (CP_SPARSE_FACTS - PLACES) * sizeof *job->facts));
  return run_rows(ctx, s, &job->m, "check", job->facts, job->m.rows * CHECK_LANES);
}

static cp_status rows(cp_context *ctx, cp_stream *s, const cp_sparse_rows_job *job) {
  return run_rows(ctx, s, &job->m, "rows", job->out, cp_divide_up(job->m.entries, ROW_ITEMS));
}

// ---- products ---------------------------------------------------------------------------------------------

static int64_t average(const cp_sparse_layout *m) {
  return cp_divide_up(m->entries, m->rows > 0 ? m->rows : 1);
}

// Entries that a block can have of whole rows. Fewer of 8 bytes leave registers for more blocks.
static int64_t cap(const cp_sparse_product_job *j) { return cp_itemsize(j->dtype) <= 4 ? CAP : CAP / 2; }

// Whether groups of lanes sum rows and load entries ahead: if rows are much the same in length, and not
// short.
static bool goes_ahead(const cp_sparse_product_job *j) {
  const size_t size = cp_itemsize(j->dtype);
  return j->width == 1 && size <= 8 && j->m.entries > SMALL && j->m.rows <= INT32_MAX &&
         average(&j->m) >= (size < 8 ? FILLED + 1 : FILLED) && j->longest <= WHOLE &&
         j->longest <= SIMILAR * average(&j->m);
}

// Lanes that sum a row ahead, and how often each loads 8 bytes of values at a time: together a little more
// than the average.
typedef struct ahead {
  int lanes, items;
} ahead;
static ahead shape_ahead(const cp_sparse_product_job *j) {
  const bool narrow = cp_itemsize(j->dtype) < 8;
  if (average(&j->m) < FEW) return (ahead){2, narrow ? 2 : 4};
  return (ahead){narrow ? 4 : 8, 3};
}

static int64_t tile(const cp_sparse_product_job *j) {
  const bool even = j->longest <= EVEN * average(&j->m);
  if (j->m.entries <= SMALL || goes_ahead(j) || (j->width == 1 && j->m.rows > INT32_MAX) ||
      (even && (j->width > 1 || average(&j->m) >= LONG)))
    return 0;
  if (j->width != 1) {
    int64_t lanes = 1, size = TILE / 32;
    while (lanes < WARP && lanes * 4 < j->width) lanes *= 2;
    while (size < TILE && size * THREADS < cp_sparse_items(j) * lanes) size *= 2;
    return size;
  }
  const int64_t cut = j->m.entries < MANY ? CUT : LARGE_CUT;
  return j->longest > WHOLE ? cut : (cap(j) - j->longest - 3) / 8 * 8; // up to 3 lie before the first row
}

static int64_t tiles_of(const cp_sparse_product_job *j) {
  const int64_t size = tile(j);
  return size > 0 ? cp_divide_up(j->m.entries, size) : 0;
}

// Blocks that go on until all rows are summed, ahead or from tile to tile of whole rows: as many as all
// multiprocessors run at a time. ORDER as RESIDENT in product.cu.
static int64_t blocks_of(const cp_cuda_device *d, const cp_sparse_product_job *j) {
  const size_t size = cp_itemsize(j->dtype);
  const bool narrow = cp_itemsize(j->m.index) == 4 && size <= 8, on = goes_ahead(j);
  const int64_t blocks = on ? cp_divide_up(j->m.rows * shape_ahead(j).lanes, BLOCK) : tiles_of(j);
  const int64_t most = (int64_t)d->sm_count * (!narrow ? 3 : on && size < 8 ? 5 : 6);
  return blocks < most ? blocks : most;
}

static int64_t parts(cp_device *d, const cp_sparse_product_job *j) {
  return j->longest <= WHOLE ? blocks_of(cp_cuda_of(d), j) : 0;
}

static cp_status find(cp_context *ctx, cp_cuda_device *d, const cp_sparse_product_job *j, const char *mode,
                      int lanes, cp_cuda_function **f) {
  bool carry = mode[0] == 'c'; // which uses neither positions nor x
  const int64_t items = mode[0] == 't'   ? tile(j) / BLOCK
                        : mode[0] == 'w' ? cap(j) / BLOCK
                        : mode[0] == 'a' ? shape_ahead(j).items
                                         : 1;
  return cp_cuda_routine(ctx, d, "sparse/product", f,
                         "MODE=%s T=%s INDEX=%s SUM=%d SCALED=%d DOT=%d LANES=%d ITEMS=%d", mode,
                         name_of(j->dtype), carry ? "int32" : name_of(j->m.index), !carry && j->x == NULL,
                         j->scaled, j->dots != NULL, lanes, (int)items);
}

// The first eight slots of the kernels of products.
static void put_operands(uint64_t *slots, const cp_sparse_product_job *j) {
  const uint64_t operands[] = {(uintptr_t)j->m.starts, (uintptr_t)j->m.columns_of, (uintptr_t)j->values,
                               (uintptr_t)j->x,        (uintptr_t)j->out,          (uint64_t)j->m.rows,
                               (uint64_t)j->m.columns, (uint64_t)j->m.entries};
  memcpy(slots, operands, sizeof operands);
}

// Bytes of the rows of carries, behind which the carries begin, aligned for every dtype.
static uint64_t rows_of_carries(int64_t tiles) {
  return (uint64_t)cp_divide_up(tiles, 2) * 2 * sizeof(int64_t);
}

// ORDER as cp_scaled in kernels/routine/sparse/sparse.h has them.
enum { SCALES = 6 };
static void put_scales(uint64_t *slots, const cp_sparse_product_job *j) {
  const uint64_t scales[SCALES] = {(uintptr_t)j->add, j->alpha[0], j->alpha[1],
                                   j->beta[0],        j->beta[1],  (uintptr_t)j->factors};
  memcpy(slots, scales, sizeof scales);
}

// Memory for a row and for the carries of `width` columns of each tile.
static cp_status carried(cp_stream *s, const cp_sparse_product_job *j, int64_t tiles, cpcu_deviceptr *out) {
  cpcu_deviceptr counters;
  size_t size = (size_t)tiles * (size_t)j->width * cp_itemsize(j->dtype) + rows_of_carries(tiles);
  return cp_cuda_workspace((cp_cuda_stream *)s, size, 0, out, &counters);
}

static cp_status times_vector(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *j) {
  cp_cuda_device *d = cp_cuda_device_of(s);
  cp_cuda_function *f, *add;
  cpcu_deviceptr carries = 0;
  const int64_t tiles = j->tiles != NULL ? tiles_of(j) : 0;
  const bool on = goes_ahead(j), tiled = tiles > 0, whole = tiled && j->longest <= WHOLE;
  const bool even = ((uintptr_t)j->values | (uintptr_t)j->m.columns_of) % 8 == 0 &&
                    (uintptr_t)j->x % cp_itemsize(j->dtype) == 0;
  int lanes = on ? shape_ahead(j).lanes : 1;
  while (!on && !tiled && lanes < WARP && lanes < average(&j->m)) lanes *= 2;
  CP_TRY(find(ctx, d, j,
              on      ? even ? "ahead" : "apart"
              : whole ? "whole"
              : tiled ? "tile"
                      : "vector",
              lanes, &f));
  if (tiled && !whole) {
    CP_TRY(find(ctx, d, j, "carry", 1, &add));
    CP_TRY(carried(s, j, tiles, &carries));
  }
  uint64_t slots[13 + SCALES] = {
      [8] = (uintptr_t)j->tiles, carries + rows_of_carries(tiles), carries, (uint64_t)tiles};
  put_operands(slots, j);
  put_scales(slots + 12, j);
  slots[12 + SCALES] = tiled && !whole ? cp_cuda_turn_round((cp_cuda_stream *)s) : (uintptr_t)j->dots;
  if (on || whole) return cp_cuda_launch_each(ctx, s, f, blocks_of(d, j) * BLOCK, BLOCK, slots);
  if (!tiled) return cp_cuda_launch_each(ctx, s, f, j->m.rows * lanes, BLOCK, slots);
  CP_TRY(cp_cuda_launch_each(ctx, s, f, tiles * BLOCK, BLOCK, slots));
  return cp_cuda_launch_each(ctx, s, add, tiles * WARP, BLOCK, slots);
}

// How many elements next to each other a lane can read at once: up to 16 bytes that are aligned, in rows of
// `width` elements of two matrices.
static int piece(cp_dtype dtype, int64_t width, const void *x, const void *y) {
  int size = (int)cp_itemsize(dtype), each = size < 16 ? 16 / size : 1;
  const uintptr_t places = (uintptr_t)x | (uintptr_t)y;
  while (each > 1 && (width % each != 0 || places % (unsigned)(each * size) != 0)) each /= 2;
  return each;
}

// The lanes that such rows keep busy.
static int lanes_of(int64_t width, int each) {
  int lanes = 1;
  while (lanes < WARP && lanes * each < width) lanes *= 2;
  return lanes;
}

static cp_status times_matrix(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *j) {
  cp_cuda_function *f, *add;
  cpcu_deviceptr carries = 0;
  const int each = piece(j->dtype, j->width, j->x, j->out), lanes = lanes_of(j->width, each);
  int64_t across = cp_divide_up(j->width, lanes * each), size = j->tiles != NULL ? tile(j) : 0;
  int64_t tiles = size == 0 ? 0 : cp_divide_up(cp_sparse_items(j), size);
  const char *format = "MODE=%s T=%s INDEX=%s SCALED=%d LANES=%d EACH=%d", *dtype = name_of(j->dtype),
             *index = name_of(j->m.index);
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sparse/matrix", &f, format, tiles > 0 ? "tile" : "rows",
                         dtype, index, j->scaled, lanes, each));
  if (tiles > 0) {
    CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sparse/matrix", &add, format, "carry", dtype, "int32",
                           j->scaled, lanes, each));
    CP_TRY(carried(s, j, tiles, &carries));
  }
  uint64_t slots[15 + SCALES] = {[8] = (uint64_t)j->width,
                                 (uint64_t)across,
                                 (uintptr_t)j->tiles,
                                 carries + rows_of_carries(tiles),
                                 carries,
                                 (uint64_t)tiles,
                                 (uint64_t)size};
  put_operands(slots, j);
  put_scales(slots + 15, j);
  CP_TRY(cp_cuda_launch_each(ctx, s, f, (tiles > 0 ? tiles : j->m.rows) * across * lanes, BLOCK, slots));
  return cp_cuda_launch_each(ctx, s, add, tiles * across * lanes, BLOCK, slots);
}

static cp_status product(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *j) {
  return j->width == 1 ? times_vector(ctx, s, j) : times_matrix(ctx, s, j);
}

static cp_status sample(cp_context *ctx, cp_stream *s, const cp_sparse_sample_job *j) {
  cp_cuda_function *f;
  const int each = piece(j->dtype, j->width, j->x, j->y), lanes = lanes_of(j->width, each);
  const uint64_t slots[] = {(uintptr_t)j->m.starts, (uintptr_t)j->m.columns_of, (uintptr_t)j->x,
                            (uintptr_t)j->y,        (uintptr_t)j->out,          (uint64_t)j->m.rows,
                            (uint64_t)j->m.columns, (uint64_t)j->m.entries,     (uint64_t)j->width};
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sparse/sample", &f, "T=%s INDEX=%s LANES=%d EACH=%d",
                         name_of(j->dtype), name_of(j->m.index), lanes, each));
  return cp_cuda_launch_each(ctx, s, f, cp_divide_up(j->m.entries, SAMPLES) * lanes, BLOCK, slots);
}

const cp_sparse_ops cp_cuda_sparse_ops = {.waits_from = 0, // one launch less saves more, at any size
                                          .check = check,
                                          .rows = rows,
                                          .tile = tile,
                                          .parts = parts,
                                          .product = product,
                                          .sample = sample,
                                          .room = cp_cuda_sparse_room,
                                          .expand = cp_cuda_sparse_expand,
                                          .meet = cp_cuda_sparse_meet,
                                          .turn_scratch = cp_cuda_sparse_turn_scratch,
                                          .turn = cp_cuda_sparse_turn,
                                          .order_scratch = cp_cuda_sparse_order_scratch,
                                          .order = cp_cuda_sparse_order,
                                          .solve_scratch = cp_cuda_sparse_solve_scratch,
                                          .solve = cp_cuda_sparse_solve};
