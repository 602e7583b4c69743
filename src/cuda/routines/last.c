// Writes through arrays of positions that keep the last of several values for an element, on a GPU
// (kernels/routine/last.cu). ORDER as in kernels/routine/last.cu: slots, numbers.
//
// Positions that select the same elements are numbered alike. The numbers go into a table: the stream's, if
// there are few, else memory for this call. If elements are large, or many are written, a kernel of its own
// fills the table; otherwise one kernel does both, as another launch would cost more.
#include "cuda/routines/index.h"

enum { FEW = 1 << 18, LARGE = 128, MANY = 8, MUCH = 4 << 20 };

static int64_t total_bytes(const cp_lookup *l) { return l->size * (int64_t)l->itemsize; }
static int64_t bytes_of_place(const cp_lookup *l) { return total_bytes(l) / l->rivals.places; }

// ---- the table --------------------------------------------------------------------------------------------

typedef struct table {
  bool shared; // the stream's table
  int entry;   // bytes per cell
  int hash;    // bits of a hash that selects the cell; 0: each element has its own cell
  size_t bytes;
  cpcu_deviceptr memory;
  uint64_t first;
} table;

static table table_for(const cp_rivals *r) {
  enum { SMALL = 1 << 20 };
  table t = {.shared = r->places < (int64_t)1 << CP_CUDA_TURN, .entry = r->places < UINT32_MAX ? 4 : 8};
  int64_t cells = r->reach.extent;
  if (cells > (t.shared ? SMALL : 0) && cells / 4 > r->places) {
    for (t.hash = 1; (int64_t)1 << t.hash <= 2 * r->places;) t.hash++;
    cells = (int64_t)1 << t.hash;
  }
  t.bytes = (size_t)cells * (size_t)t.entry;
  return t;
}

// Whether keeping the last value costs little (measured by bench/families/scatter.lua): with a cell for each
// element, if there are at most FEW positions (the host's part of a launch hides the cost), if a value has
// LARGE bytes and so costs more than its position, or if there are MANY times as many positions as elements
// (most positions then see in the table that they need not write).
static bool is_cheap(const cp_lookup *l) {
  const cp_rivals *r = &l->rivals;
  if (r->places > FEW && bytes_of_place(l) < LARGE && r->reach.extent > r->places / MANY) return false;
  return table_for(r).hash == 0;
}

bool cp_cuda_keeps_last(const cp_lookup *l) { return l->rivals.any && (l->ordered || is_cheap(l)); }

size_t cp_cuda_write_scratch(const cp_lookup *l) {
  if (!cp_cuda_keeps_last(l)) return 0;
  table t = table_for(&l->rivals);
  return t.shared ? 0 : t.bytes;
}

static cp_status make_table(cp_stream *s, const cp_lookup *l, table *t) {
  unsigned turn;
  *t = table_for(&l->rivals);
  if (!t->shared) {
    t->memory = (cpcu_deviceptr)(uintptr_t)l->scratch;
    return cp_cuda_fill_bytes(s, l->scratch, 0, t->bytes);
  }
  CP_TRY(cp_cuda_table((cp_cuda_stream *)s, t->bytes, &t->memory, &turn));
  t->first = (uint64_t)turn << CP_CUDA_TURN;
  return CP_OK;
}

// ---- kernels ----------------------------------------------------------------------------------------------

enum { FILL = 1, WRITE = 2, BOTH = 3 };

static bool is_kept(const cp_lookup *l, int d) { return l->rivals.kept >> d & 1; }

static void put_table(cp_params *p, const cp_lookup *l, const table *t) {
  cp_cuda_put_slot(p, t->memory);
  cp_cuda_put_slot(p, t->first);
  cp_cuda_put_slot(p, (uint64_t)(64 - t->hash));
  cp_cuda_put_cells(p, l, &l->rivals.reach, l->rivals.kept);
}

static cp_status run(cp_context *ctx, cp_stream *s, const cp_lookup *l, int pass, const table *t,
                     cpcu_deviceptr words) {
  cp_params p;
  cp_cuda_function *f;
  const int ahead = l->ndim == 1 && l->size > FEW ? 4 : 1;
  const int64_t share = CP_CUDA_LOOKUP_BLOCK * ahead;
  CP_TRY(
      cp_cuda_routine(ctx, (cp_cuda_device *)s->device, "last", &f,
                      "PASS=%d BYTES=%d ENTRY=%d HASH=%d KEPT=%d INDEX=%d COUNT=%d NDIM=%d WIDE=%d AHEAD=%d",
                      pass, (int)l->itemsize, t->entry, t->hash != 0, (int)l->rivals.kept,
                      (int)cp_itemsize(l->positions_dtype), l->count, l->ndim, l->size > INT32_MAX, ahead));
  cp_cuda_put_lookup(&p, l, words);
  put_table(&p, l, t);
  return cp_cuda_launch_index(ctx, s, f, l->size / share + (l->size % share != 0), CP_CUDA_LOOKUP_BLOCK, &p);
}

// Runs over the positions, without those that differ along kept axes alone.
static cp_status fill_table(cp_context *ctx, cp_stream *s, const cp_lookup *l, const table *t,
                            cpcu_deviceptr words) {
  cp_lookup places = *l;
  for (int d = 0; d < l->ndim; d++)
    if (is_kept(l, d)) places.shape[d] = 1;
  places.size = l->rivals.places;
  return run(ctx, s, &places, FILL, t, words);
}

cp_status cp_cuda_write_last(cp_context *ctx, cp_stream *s, const cp_lookup *l) {
  cpcu_deviceptr words;
  table t;
  CP_TRY(cp_cuda_expect_faults((cp_cuda_stream *)s, l, &words));
  CP_TRY(make_table(s, l, &t));
  if (bytes_of_place(l) < LARGE || total_bytes(l) < MUCH) return run(ctx, s, l, BOTH, &t, words);
  CP_TRY(fill_table(ctx, s, l, &t, words));
  return run(ctx, s, l, WRITE, &t, words);
}
