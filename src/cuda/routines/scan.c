// Scans on a GPU: chooses the way of a scan, allocates its scratch memory, launches kernels/routine/scan.cu.
#include "routines/scan.h"

#include "cuda/driver/cuda.h"

// ORDER as in kernels/routine/scan.cu.
enum {
  BLOCK = 256,
  AHEAD = 4,
  STRIP = 32,   // columns per tile
  SHALLOW = 64, // shorter columns are never cut
  SHORT = 2048, // shorter rows are never cut
  MANY = 4096,  // with at least this many rows, a warp scans each
  TICKET = 256, // bytes before the values that tiles publish
};

// The tile sizes for a result dtype.
typedef struct tiling {
  int words;    // 32-bit words per value
  int items;    // elements per thread
  int group;    // in tiles
  int resident; // blocks per multiprocessor that process tiles
} tiling;

static tiling tiling_of(const cp_scan_job *j) {
  size_t size = cp_dtypes[j->to].register_size;
  if (size > 8) return (tiling){.words = 4, .items = 4, .group = 32, .resident = 2};
  if (size > 4) return (tiling){.words = 2, .items = 8, .group = 64, .resident = 4};
  return (tiling){.words = 1, .items = 16, .group = 128, .resident = 4};
}

static bool by_rows(const cp_scan_job *j) { return j->inner == 1 && (j->length <= SHORT || j->rows >= MANY); }
static bool by_strands(const cp_scan_job *j) { return j->inner > 1 && j->length <= SHALLOW; }
static int64_t tiles_of(const cp_scan_job *j) { // of a row or a column
  return cp_divide_up(j->length, BLOCK / (j->inner == 1 ? 1 : STRIP) * tiling_of(j).items);
}
static int64_t strips(const cp_scan_job *j) { return cp_divide_up(j->inner, STRIP); }

// A tile counter and the published values, all zero before the tiles start.
static size_t scratch(cp_device *d, const cp_scan_job *j) {
  tiling t = tiling_of(j);
  int64_t tiles = tiles_of(j);
  (void)d;
  if (by_rows(j) || by_strands(j)) return 0;
  int64_t places =
      j->inner > 1 ? j->rows * strips(j) * tiles * STRIP : j->rows * (tiles + cp_divide_up(tiles, t.group));
  return TICKET + (size_t)places * 8 * (size_t)t.words;
}

static const char *kind_name(cp_scan_kind kind) {
  static const char *const names[] = {"sum", "prod", "min", "max"}; // ORDER cp_scan_kind
  return names[kind];
}

static cp_status find(cp_context *ctx, cp_cuda_device *d, const cp_scan_job *j, const char *mode, int vector,
                      cp_cuda_function **f) {
  return cp_cuda_routine(ctx, d, "scan", f, "MODE=%s OP=%s FROM=%s TO=%s VECTOR=%d", mode, kind_name(j->kind),
                         cp_dtypes[j->from].name, cp_dtypes[j->to].name, vector);
}

static bool aligned(const void *p, size_t bytes) { return (uintptr_t)p % bytes == 0; }

// Elements per vector access: up to 16 bytes and four elements, if both arrays are aligned.
static int vector_of(const cp_scan_job *j) {
  size_t in = cp_itemsize(j->from), out = cp_itemsize(j->to), widest = in > out ? in : out;
  size_t vector = widest >= 4 ? 16 / widest : 4;
  bool fits = aligned(j->in, vector * in) && aligned(j->out, vector * out);
  return fits && (j->rows == 1 || j->length % (int64_t)vector == 0) ? (int)vector : 1;
}

// A kernel for the job: its mode, elements per vector access, blocks of the launch, and values of the second
// and fourth slot.
typedef struct variant {
  const char *mode;
  int vector;
  int64_t blocks, second, fourth;
} variant;

static cp_status launch(cp_context *ctx, cp_stream *stream, const cp_scan_job *j, variant v) {
  cp_cuda_function *f;
  const uint64_t slots[] = {(uintptr_t)j->in,    (uintptr_t)j->out,  (uint64_t)v.second,
                            (uint64_t)j->length, (uint64_t)v.fourth, (uintptr_t)j->scratch,
                            (uint64_t)j->inner};
  CP_TRY(find(ctx, (cp_cuda_device *)stream->device, j, v.mode, v.vector, &f));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, v.blocks, BLOCK, 0, slots);
}

// A power of two of lanes scans each row, at least two so that whole sectors are read. Each lane has AHEAD
// accesses in flight.
static cp_status run_rows(cp_context *ctx, cp_stream *stream, const cp_scan_job *j) {
  int64_t vector = vector_of(j), width = j->length > vector;
  while (width < 5 && AHEAD * vector << width < j->length) width++;
  return launch(ctx, stream, j,
                (variant){"rows", (int)vector, cp_divide_up(j->rows, BLOCK >> width), j->rows, width});
}

static cp_status run(cp_context *ctx, cp_stream *stream, const cp_scan_job *j) {
  int64_t tiles = tiles_of(j), columns = j->rows * j->inner, across = j->rows * strips(j);
  if (by_rows(j)) return run_rows(ctx, stream, j);
  if (by_strands(j))
    return launch(ctx, stream, j, (variant){"strands", 1, cp_divide_up(columns, BLOCK), columns, 0});
  CP_TRY(cp_cuda_fill_bytes(stream, j->scratch, 0, scratch(stream->device, j)));
  if (j->inner > 1) return launch(ctx, stream, j, (variant){"columns", 1, across * tiles, across, strips(j)});
  int64_t blocks = (int64_t)((cp_cuda_device *)stream->device)->sm_count * tiling_of(j).resident;
  if (blocks > j->rows * tiles) blocks = j->rows * tiles;
  return launch(ctx, stream, j, (variant){"tiles", vector_of(j), blocks, j->rows, tiles});
}

const cp_scan_ops cp_cuda_scan_ops = {.scratch = scratch, .run = run};
