// Masks and arrays of positions on a GPU: chooses the kernel of kernels/routine, fills its arguments,
// launches it. ORDER as in kernels/routine/count.cu, compact.cu, lookup.cu, lookup_tables.cu and lookup.h:
// slots, threads per block.
#include "cuda/routines/index.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_BLOCK = 32 * CP_MASK_GROUP, COMPACT_BLOCK = CP_MASK_TILE / 16 };

static void put(cp_params *p, uint64_t v) {
  if ((unsigned)p->count < CP_MAX_SLOTS) p->slots[p->count] = v;
  p->count++;
}

static void put_pointer(cp_params *p, const char *address) { put(p, (uint64_t)(uintptr_t)address); }

void cp_cuda_put_slot(cp_params *p, uint64_t v) { put(p, v); }

static cp_status launch(cp_context *ctx, cp_stream *s, const cp_cuda_function *f, int64_t grid,
                        unsigned block, unsigned shared, const cp_params *params) {
  if (params->count > CP_MAX_SLOTS)
    return cp_fail(CP_EUSAGE, "the index has more axes and arrays than one kernel can take");
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, grid, block, shared, params->slots);
}

cp_status cp_cuda_launch_index(cp_context *ctx, cp_stream *s, const cp_cuda_function *f, int64_t grid,
                               unsigned block, const cp_params *params) {
  return launch(ctx, s, f, grid, block, 0, params);
}

// ---- masks ------------------------------------------------------------------------------------------------

static cp_status scan(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, char *offsets,
                      int64_t *count) {
  char *result;
  cpcu_deviceptr workspace, counter;
  cp_cuda_function *f;
  cp_params p;
  *count = 0;
  if (size == 0) return cp_cuda_fill_bytes(s, offsets, 0, sizeof *count);
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "count", &f, "TILE=%d", (int)CP_MASK_TILE));
  CP_TRY(cp_cuda_workspace((cp_cuda_stream *)s, 0, 1, &workspace, &counter));
  p.count = 0;
  put_pointer(&p, mask);
  put(&p, (uint64_t)size);
  put_pointer(&p, offsets);
  put(&p, counter);
  CP_TRY(cp_cuda_result_buffer((cp_cuda_stream *)s, sizeof *count, &result));
  put_pointer(&p, result);
  CP_TRY(cp_cuda_launch_index(ctx, s, f, cp_mask_groups(size), COUNT_BLOCK, &p));
  if (result != NULL) return cp_cuda_take_result((cp_cuda_stream *)s, count, result, sizeof *count);
  const char *total = offsets + (size_t)(cp_mask_offsets(size) - 1) * sizeof *count;
  return cp_cuda_copy(s, count, total, sizeof *count, CP_TO_HOST);
}

static cp_status compact(cp_context *ctx, cp_stream *s, const cp_compaction *c) {
  cp_cuda_function *f;
  cp_params p;
  int pass = c->kind == CP_COMPACT_READ ? 1 : c->kind == CP_COMPACT_WRITE ? 2 : 3;
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "compact", &f, "PASS=%d BYTES=%d TILE=%d", pass,
                         pass == 3 ? 8 : (int)c->itemsize, (int)CP_MASK_TILE));
  p.count = 0;
  put_pointer(&p, c->mask);
  put(&p, (uint64_t)c->size);
  put_pointer(&p, c->offsets);
  put_pointer(&p, c->base);
  put(&p, (uint64_t)c->base_stride);
  put_pointer(&p, c->value);
  put(&p, (uint64_t)c->value_stride);
  put(&p, (uint64_t)c->coordinate_stride);
  put(&p, (uint64_t)c->ndim);
  for (int d = 0; d < c->ndim; d++) put(&p, (uint64_t)c->shape[d]);
  return cp_cuda_launch_index(ctx, s, f, cp_mask_tiles(c->size), COMPACT_BLOCK, &p);
}

// ---- positions --------------------------------------------------------------------------------------------

// How a lookup is run; see lookup.cu.
typedef struct manner {
  bool wide, line, ordered;
  int index, ahead;
  int64_t grid;
} manner;

// True if positions and values are contiguous and aligned to groups.
static bool is_line(const cp_lookup *l, int index) {
  int64_t group = 16 / index, item = (int64_t)l->itemsize, bytes = item * group < 16 ? item * group : 16;
  return l->kind <= CP_LOOKUP_WRITE && l->ndim == 1 && l->count == 1 && l->base_strides[0] == 0 &&
         l->positions[0].strides[0] == index && l->value_strides[0] == item &&
         (uintptr_t)l->positions[0].base % 16 == 0 && (uintptr_t)l->value % (uintptr_t)bytes == 0;
}

static manner choose_manner(const cp_cuda_device *d, const cp_lookup *l) {
  manner m = {.index = (int)cp_itemsize(l->positions_dtype), .wide = l->size > INT32_MAX};
  // Integer sums do not depend on the order of additions; maxima and minima never do.
  bool exact = l->kind != CP_LOOKUP_ADD || (!cp_is_float(l->dtype) && !cp_is_complex(l->dtype));
  m.ordered = l->ordered && !exact && l->count > 0;
  m.line = !m.ordered && is_line(l, m.index);
  m.ahead = m.ordered ? 1 : l->ndim <= 2 ? 4 : l->ndim == 3 ? 2 : 1;
  int64_t places = m.line ? l->size / (16 / m.index) : l->size,
          share = (int64_t)CP_CUDA_LOOKUP_BLOCK * m.ahead;
  m.grid = m.ordered ? d->sm_count : places / share + (places % share != 0);
  if (m.grid == 0) m.grid = 1; // the remainder of a line still needs a block
  return m;
}

static cp_status find_lookup(cp_context *ctx, cp_cuda_device *d, const cp_lookup *l, const manner *m,
                             cp_cuda_function **f) {
  char bytes[12];
  const bool typed = l->kind > CP_LOOKUP_WRITE;
  snprintf(bytes, sizeof bytes, "%d", (int)l->itemsize);
  return cp_cuda_routine(ctx, d, "lookup", f,
                         "KIND=%d %s=%s INDEX=%d COUNT=%d NDIM=%d WIDE=%d AHEAD=%d LINE=%d ORDERED=%d",
                         (int)l->kind, typed ? "T" : "BYTES", typed ? cp_dtypes[l->dtype].name : bytes,
                         m->index, l->count, l->ndim, m->wide, m->ahead, m->line, m->ordered);
}

void cp_cuda_put_lookup(cp_params *p, const cp_lookup *l, cpcu_deviceptr words) {
  p->count = 0;
  put(p, (uint64_t)l->size);
  put_pointer(p, l->base);
  put_pointer(p, l->value);
  put(p, words);
  for (int d = 0; d < l->ndim; d++) {
    put(p, (uint64_t)l->shape[d]);
    put(p, (uint64_t)l->base_strides[d]);
    put(p, (uint64_t)l->value_strides[d]);
  }
  for (int k = 0; k < l->count; k++) {
    const cp_index_array *c = &l->positions[k];
    put_pointer(p, c->base);
    put(p, (uint64_t)c->length);
    put(p, (uint64_t)c->stride);
    for (int d = 0; d < l->ndim; d++) put(p, (uint64_t)c->strides[d]);
  }
}

void cp_cuda_put_cells(cp_params *p, const cp_lookup *l, const cp_reach *reach, uint32_t except) {
  put(p, (uint64_t)(-reach->low / reach->unit));
  for (int d = 0; d < l->ndim; d++)
    put(p, except >> d & 1 ? 0 : (uint64_t)(l->base_strides[d] / reach->unit));
  for (int k = 0; k < l->count; k++) put(p, (uint64_t)(l->positions[k].stride / reach->unit));
}

// ---- few elements -----------------------------------------------------------------------------------------

// Tables of the elements that a lookup combines values with (kernels/routine/lookup_tables.cu).
typedef struct tables {
  cp_reach reach;
  int64_t copies, grid;
  unsigned bytes; // of shared memory
} tables;

// Whether the elements are few enough for tables in shared memory, and the values so many that threads would
// meet in them.
static bool find_tables(const cp_cuda_device *d, const cp_lookup *l, tables *t) {
  enum {
    MOST = 48 << 10,
    COPIES = 16 << 10,
    MOST_COPIES = 32,
    AHEAD = 4,
    MANY = 16,
    RESIDENT = 8,
    SHARE = 4
  };
  if (l->kind <= CP_LOOKUP_WRITE || l->ordered || l->count == 0) return false;
  t->reach = cp_lookup_reach(l, 0);
  const int64_t cells = t->reach.extent, item = (int64_t)l->itemsize;
  if (cells > MOST / item || l->size / MANY < cells || l->size < MANY * CP_CUDA_LOOKUP_BLOCK) return false;
  for (t->copies = 1; t->copies < MOST_COPIES && 2 * t->copies * cells * item <= COPIES;) t->copies *= 2;
  t->bytes = (unsigned)(t->copies * cells * item);
  const int64_t most = (int64_t)d->sm_count * (t->bytes <= COPIES ? RESIDENT : RESIDENT / 2);
  const int64_t work = cp_divide_up(l->size, CP_CUDA_LOOKUP_BLOCK * AHEAD);
  const int64_t shares =
      cp_divide_up(l->size, SHARE * cells); // combining the tables takes less than filling them
  t->grid = work < most ? work : most;
  if (shares < t->grid) t->grid = shares;
  return true;
}

static cp_status combine(cp_context *ctx, cp_stream *s, const cp_lookup *l, const tables *t) {
  cpcu_deviceptr words;
  cp_cuda_function *f;
  cp_params p;
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "lookup_tables", &f,
                         "KIND=%d T=%s INDEX=%d COUNT=%d NDIM=%d WIDE=%d", (int)l->kind,
                         cp_dtypes[l->dtype].name, (int)cp_itemsize(l->positions_dtype), l->count, l->ndim,
                         l->size > INT32_MAX));
  CP_TRY(cp_cuda_expect_faults((cp_cuda_stream *)s, l, &words));
  cp_cuda_put_lookup(&p, l, words);
  put(&p, (uint64_t)t->reach.unit);
  put(&p, (uint64_t)t->reach.extent);
  put(&p, (uint64_t)t->copies);
  cp_cuda_put_cells(&p, l, &t->reach, 0);
  return launch(ctx, s, f, t->grid, CP_CUDA_LOOKUP_BLOCK, t->bytes, &p);
}

static cp_status lookup(cp_context *ctx, cp_stream *s, const cp_lookup *l) {
  if (cp_cuda_keeps_last(l)) return cp_cuda_write_last(ctx, s, l);
  cpcu_deviceptr words = 0;
  cp_cuda_function *f;
  cp_params p;
  tables t;
  if (find_tables(cp_cuda_device_of(s), l, &t)) return combine(ctx, s, l, &t);
  manner m = choose_manner(cp_cuda_device_of(s), l);
  CP_TRY(find_lookup(ctx, cp_cuda_device_of(s), l, &m, &f));
  if (l->count > 0) CP_TRY(cp_cuda_expect_faults((cp_cuda_stream *)s, l, &words));
  cp_cuda_put_lookup(&p, l, words);
  return cp_cuda_launch_index(ctx, s, f, m.grid, CP_CUDA_LOOKUP_BLOCK, &p);
}

const cp_index_ops cp_cuda_index_ops = {.scan = scan,
                                        .compact = compact,
                                        .lookup = lookup,
                                        .write_scratch = cp_cuda_write_scratch,
                                        .spread_share = 8,
                                        .spread_size = 1 << 16};
