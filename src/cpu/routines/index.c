// Masks and arrays of positions on the CPU device.
//
// A lookup runs row by row along the innermost axis, in blocks: first it computes the gather offsets of a
// block, then it copies the elements. Writes go in C order in one thread, so that the last of several values
// for an element is kept; they begin after all positions were checked.
#include "cpu/routines/index.h"

#include "cpu/loops/copies.h"
#include "device/interrupt.h"
#include "host/threads.h"

#include <stdatomic.h>
#include <string.h>

// ---- masks ------------------------------------------------------------------------------------------------

enum { TILES_PER_TASK = CP_MASK_GROUP, SHARED_SIZE = 1 << 16 };

typedef struct scan_job {
  const unsigned char *mask;
  int64_t size, *offsets;
} scan_job;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// A task is a group of tiles.
static void scan_tiles(void *data, cp_tasks *tasks) {
  scan_job *j = data;
  const cp_copy_loops *copies = cp_cpu_copy_loops();
  int64_t tiles = cp_mask_tiles(j->size);
  for (int64_t task; cp_next_task(tasks, &task);) {
    int64_t sum = 0, last = smaller((task + 1) * TILES_PER_TASK, tiles);
    for (int64_t t = task * TILES_PER_TASK; t < last; t++) {
      j->offsets[t] = sum;
      int64_t n = smaller(CP_MASK_TILE, j->size - t * CP_MASK_TILE);
      sum += (int64_t)copies->count_true(j->mask + t * CP_MASK_TILE, (size_t)n);
    }
    j->offsets[tiles + task] = sum;
  }
}

static cp_status scan(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, char *offsets,
                      int64_t *count) {
  scan_job j = {(const unsigned char *)mask, size, (int64_t *)(void *)offsets};
  int64_t sum = 0, count_of_groups = cp_mask_groups(size), *groups = j.offsets + cp_mask_tiles(size);
  (void)s;
  ctx->counters.launches++;
  CP_TRY(cp_parallel(ctx, scan_tiles, &j, count_of_groups, size >= SHARED_SIZE));
  for (int64_t g = 0; g < count_of_groups; g++) {
    int64_t n = groups[g];
    groups[g] = sum;
    sum += n;
  }
  *count = groups[count_of_groups] = sum;
  return CP_OK;
}

// Copies the listed elements to the first elements of the other side, or the reverse.
#define MOVE_LISTED(type, value_by, base_by)                                                                 \
  for (int k = 0; k < n; k++) {                                                                              \
    if (read)                                                                                                \
      memcpy(value + k * (value_by), base + list[k] * (base_by), sizeof(type));                              \
    else                                                                                                     \
      memcpy(base + list[k] * (base_by), value + k * (value_by), sizeof(type));                              \
  }

#define MOVE_LIST(type)                                                                                      \
  if (c->value_stride == sizeof(type) && c->base_stride == sizeof(type)) {                                   \
    MOVE_LISTED(type, (int64_t)sizeof(type), (int64_t)sizeof(type))                                          \
  } else {                                                                                                   \
    MOVE_LISTED(type, c->value_stride, c->base_stride)                                                       \
  }                                                                                                          \
  break

static inline __attribute__((always_inline)) void
move_listed(const cp_compaction *c, const bool read, char *value, char *base, int n, const uint16_t *list) {
  switch (c->itemsize) {
  case 1: MOVE_LIST(uint8_t);
  case 2: MOVE_LIST(uint16_t);
  case 4: MOVE_LIST(uint32_t);
  case 8: MOVE_LIST(uint64_t);
  default: MOVE_LIST(cp_complex128);
  }
}

// The n numbers at `value`, which are `stride` bytes apart: start + list[k], or start without a list.
static void write_numbers(char *value, int64_t stride, int n, const uint16_t *list, int64_t start) {
  enum { FEW = 8 };
  const cp_copy_loops *copies = cp_cpu_copy_loops();
  if (stride == sizeof start && n >= FEW) {
    if (list != NULL)
      copies->widen((int64_t *)(void *)value, list, start, (size_t)n);
    else
      copies->fill[cp_move_size(sizeof start)](value, (const char *)&start, (size_t)n);
    return;
  }
  for (int k = 0; k < n; k++, value += stride) {
    const int64_t v = list != NULL ? start + list[k] : start;
    memcpy(value, &v, sizeof v);
  }
}

// How many of the listed positions are below `end`, at least one.
static int count_below(const uint16_t *list, int n, int64_t end) {
  int count = 1;
  if (list[n - 1] < end) return n;
  while (list[count] < end) count++;
  return count;
}

// Writes the coordinates, counted from 1, of the listed positions after `first`. Positions of one row are
// written together, as they differ only in the last coordinate.
static void write_coordinates(const cp_compaction *c, int64_t first, int n, const uint16_t *list,
                              char *value) {
  const int inner = c->ndim - 1;
  for (int m; n > 0; n -= m, list += m, value += m * c->value_stride) {
    int64_t row = (first + list[0]) / c->shape[inner], begin = row * c->shape[inner] - first;
    m = count_below(list, n, begin + c->shape[inner]);
    write_numbers(value + inner * c->coordinate_stride, c->value_stride, m, list, 1 - begin);
    for (int d = inner - 1; d >= 0; d--) {
      const int64_t rest = row / c->shape[d];
      write_numbers(value + d * c->coordinate_stride, c->value_stride, m, NULL, row - rest * c->shape[d] + 1);
      row = rest;
    }
  }
}

static void compact_tile(const cp_compaction *c, int64_t tile) {
  uint16_t list[CP_MASK_TILE + CP_MOVE_SLACK / sizeof(uint16_t)];
  const int64_t *offsets = (const int64_t *)(const void *)c->offsets;
  int64_t first = tile * CP_MASK_TILE;
  int64_t before = offsets[tile] + offsets[cp_mask_tiles(c->size) + tile / CP_MASK_GROUP];
  int n = (int)cp_cpu_copy_loops()->list_true((const unsigned char *)c->mask + first,
                                              (size_t)smaller(CP_MASK_TILE, c->size - first), list);
  char *value = c->value + before * c->value_stride, *base = c->base + first * c->base_stride;
  if (c->kind == CP_COMPACT_READ)
    move_listed(c, true, value, base, n, list);
  else if (c->kind == CP_COMPACT_WRITE)
    move_listed(c, false, value, base, n, list);
  else
    write_coordinates(c, first, n, list, value);
}

static void compact_tiles(void *data, cp_tasks *tasks) {
  const cp_compaction *c = data;
  for (int64_t task; cp_next_task(tasks, &task);) {
    int64_t last = smaller((task + 1) * TILES_PER_TASK, cp_mask_tiles(c->size));
    for (int64_t t = task * TILES_PER_TASK; t < last; t++) compact_tile(c, t);
  }
}

static cp_status compact(cp_context *ctx, cp_stream *s, const cp_compaction *c) {
  cp_compaction copy = *c;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, compact_tiles, &copy, cp_mask_groups(c->size), c->size >= SHARED_SIZE);
}

static cp_status pack(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, bool little,
                      char *bits) {
  enum { PIECE = 1 << 20 }; // bytes of bits between two checks for an interrupt
  const cp_copy_loops *m = cp_cpu_copy_loops();
  const int64_t whole = size / 8;
  char last[8] = {0};
  (void)s;
  ctx->counters.launches++;
  for (int64_t first = 0; first < whole; first += PIECE) {
    CP_TRY(cp_poll(ctx));
    m->pack(bits + first, mask + 8 * first, (size_t)smaller(PIECE, whole - first), little);
  }
  memcpy(last, mask + 8 * whole, (size_t)(size % 8));
  if (size % 8 > 0) m->pack(bits + whole, last, 1, little);
  return CP_OK;
}

// ---- positions --------------------------------------------------------------------------------------------

enum { BLOCK = 512, SHARED_LOOKUP = 1 << 14 };

// The first position out of range that a thread found.
typedef struct fault {
  atomic_bool found;
  int64_t position;
  int which;
} fault;

typedef struct lookup_job {
  const cp_lookup *l;
  bool check;     // only check the positions
  int64_t pieces; // pieces per row, shared by threads
  int64_t length; // elements per piece
  fault fault;
} lookup_job;

static void report(fault *f, int64_t position, int which) {
  bool expected = false;
  if (!atomic_compare_exchange_strong(&f->found, &expected, true)) return;
  f->position = position;
  f->which = which;
}

static int64_t position_at(cp_dtype t, const char *from) {
  if (t == CP_INT32) {
    int32_t v;
    memcpy(&v, from, sizeof v);
    return v;
  }
  int64_t v;
  memcpy(&v, from, sizeof v);
  return v;
}

// Where offsets go, for n positions.
typedef struct placing {
  int64_t *offsets, n;
  cp_placing how;
} placing;

// Sets to.offsets[k] to the offset that the k-th position at `from` selects along the axis, adds that, or
// only checks the positions. False: *bad is the first position out of range.
static bool place_positions(cp_dtype t, const cp_index_array *axis, const char *from, int64_t step,
                            placing to, int64_t *bad) {
  int64_t length = axis->length;
  if (cp_cpu_copy_loops()->places[t != CP_INT32](from, step, length, axis->stride, to.offsets, (size_t)to.n,
                                                 to.how))
    return true;
  do {
    *bad = position_at(t, from);
    from += step;
  } while (*bad > 0 ? *bad <= length : *bad < 0 && *bad >= -length);
  return false;
}

// A row: where its first elements lie, and which arrays of positions vary along it.
typedef struct row {
  int64_t base, value; // offsets in bytes
  int nvarying, varying[CP_MAXDIM];
  const char *positions[CP_MAXDIM]; // the varying positions at the row's start
} row;

// Moves to row r, and adds the offsets of positions that are constant along it. False: one is out of range.
static bool go_to_row(lookup_job *j, int64_t r, row *w) {
  const cp_lookup *l = j->l;
  int inner = l->ndim - 1;
  int64_t at[CP_MAXDIM];
  w->base = w->value = 0;
  w->nvarying = 0;
  for (int d = inner - 1; d >= 0; d--) {
    at[d] = r % l->shape[d];
    r /= l->shape[d];
    w->base += at[d] * l->base_strides[d];
    w->value += at[d] * l->value_strides[d];
  }
  for (int k = 0; k < l->count; k++) {
    const cp_index_array *p = &l->positions[k];
    int64_t bad, offset = 0;
    for (int d = 0; d < inner; d++) offset += at[d] * p->strides[d];
    if (inner >= 0 && p->strides[inner] != 0) {
      w->positions[w->nvarying] = p->base + offset;
      w->varying[w->nvarying++] = k;
    } else if (!place_positions(l->positions_dtype, p, p->base + offset, 0,
                                (placing){&w->base, 1, CP_PLACES_ADD}, &bad)) {
      report(&j->fault, bad, k);
      return false;
    }
  }
  return true;
}

#define READ_BLOCK(type)                                                                                     \
  for (int64_t k = 0; k < n; k++) memcpy(value + k * step, base + offsets[k], sizeof(type));                 \
  break
#define WRITE_BLOCK(type)                                                                                    \
  for (int64_t k = 0; k < n; k++) memcpy(base + offsets[k], value + k * step, sizeof(type));                 \
  break

static void move_block(const cp_lookup *l, char *base, const int64_t *offsets, char *value, int64_t step,
                       int64_t n) {
  if (l->kind > CP_LOOKUP_WRITE) {
    cp_cpu_accumulate(l->kind, l->dtype, base, offsets, value, step, n);
    return;
  }
  bool read = l->kind == CP_LOOKUP_READ;
  switch (l->itemsize * 2 + read) {
  case 3: READ_BLOCK(uint8_t);
  case 5: READ_BLOCK(uint16_t);
  case 9: READ_BLOCK(uint32_t);
  case 17: READ_BLOCK(uint64_t);
  case 33: READ_BLOCK(cp_complex128);
  case 2: WRITE_BLOCK(uint8_t);
  case 4: WRITE_BLOCK(uint16_t);
  case 8: WRITE_BLOCK(uint32_t);
  case 16: WRITE_BLOCK(uint64_t);
  default: WRITE_BLOCK(cp_complex128);
  }
}

// Copies n elements at once if they are contiguous on both sides.
static bool move_whole(const cp_lookup *l, const row *w, int64_t first, int64_t n) {
  int64_t item = (int64_t)l->itemsize;
  int d = l->ndim - 1;
  if (d < 0 || w->nvarying > 0 || l->kind > CP_LOOKUP_WRITE) return false;
  if (l->base_strides[d] != item || l->value_strides[d] != item) return false;
  char *base = l->base + w->base + first * item, *value = l->value + w->value + first * item;
  if (l->kind == CP_LOOKUP_READ)
    memcpy(value, base, (size_t)(n * item));
  else
    memcpy(base, value, (size_t)(n * item));
  return true;
}

// The case of a single array of positions, with positions and values contiguous: each element is copied as
// soon as its offset is known, so that many memory accesses overlap. n becomes the number of elements before
// a position out of range.
#define MOVE_PLACED(type, position)                                                                          \
  for (int64_t k = 0; k < n; k++, from += sizeof(position), value += sizeof(type)) {                         \
    position i;                                                                                              \
    memcpy(&i, from, sizeof i);                                                                              \
    int64_t at = i > 0 ? i - 1 : i + length;                                                                 \
    if ((uint64_t)at >= (uint64_t)length) return k;                                                          \
    if (read)                                                                                                \
      memcpy(value, base + at * stride, sizeof(type));                                                       \
    else                                                                                                     \
      memcpy(base + at * stride, value, sizeof(type));                                                       \
  }                                                                                                          \
  return n

#define MOVE_BY(position)                                                                                    \
  static inline __attribute__((always_inline))                                                               \
  int64_t move_by_##position(const bool read, size_t itemsize, const cp_index_array *axis, const char *from, \
                             char *base, char *value, int64_t n) {                                           \
    const int64_t length = axis->length, stride = axis->stride;                                              \
    switch (itemsize) {                                                                                      \
    case 1: MOVE_PLACED(uint8_t, position);                                                                  \
    case 2: MOVE_PLACED(uint16_t, position);                                                                 \
    case 4: MOVE_PLACED(uint32_t, position);                                                                 \
    case 8: MOVE_PLACED(uint64_t, position);                                                                 \
    default: MOVE_PLACED(cp_complex128, position);                                                           \
    }                                                                                                        \
  }
MOVE_BY(int32_t)
MOVE_BY(int64_t)

// Copies elements first .. first + n of the row by MOVE_PLACED, if the lookup is of that kind.
static bool move_plain(lookup_job *j, const row *w, int64_t first, int64_t n) {
  const cp_lookup *l = j->l;
  int d = l->ndim - 1;
  bool narrow = l->positions_dtype == CP_INT32, read = l->kind == CP_LOOKUP_READ;
  if (d < 0 || w->nvarying != 1 || l->kind > CP_LOOKUP_WRITE || l->base_strides[d] != 0) return false;
  const cp_index_array *p = &l->positions[w->varying[0]];
  if (l->value_strides[d] != (int64_t)l->itemsize || p->strides[d] != (narrow ? 4 : 8)) return false;
  const char *from = w->positions[0] + first * p->strides[d];
  char *base = l->base + w->base, *value = l->value + w->value + first * l->value_strides[d];
  int64_t done;
  if (narrow)
    done = read ? move_by_int32_t(true, l->itemsize, p, from, base, value, n)
                : move_by_int32_t(false, l->itemsize, p, from, base, value, n);
  else
    done = read ? move_by_int64_t(true, l->itemsize, p, from, base, value, n)
                : move_by_int64_t(false, l->itemsize, p, from, base, value, n);
  if (done < n)
    report(&j->fault, position_at(l->positions_dtype, from + done * p->strides[d]), w->varying[0]);
  return true;
}

// Copies elements first .. first + n of row r.
static void run_piece(lookup_job *j, int64_t r, int64_t first, int64_t n) {
  const cp_lookup *l = j->l;
  int64_t offsets[BLOCK], bad;
  int d = l->ndim - 1;
  row w;
  if (!go_to_row(j, r, &w) || (j->check && w.nvarying == 0)) return;
  if (!j->check && (move_whole(l, &w, first, n) || move_plain(j, &w, first, n))) return;
  int64_t along = d >= 0 ? l->base_strides[d] : 0, step = d >= 0 ? l->value_strides[d] : 0;
  for (int64_t end = first + n; first < end; first += BLOCK) {
    int64_t m = smaller(BLOCK, end - first);
    cp_placing how = j->check                       ? CP_PLACES_CHECK
                     : along == 0 && w.nvarying > 0 ? CP_PLACES_SET
                                                    : CP_PLACES_ADD;
    int64_t at = first * along; // below, products of 64 bits would not vectorise
    for (int64_t k = 0; k < m && how == CP_PLACES_ADD; k++, at += along) offsets[k] = at;
    for (int v = 0; v < w.nvarying; v++) {
      const cp_index_array *p = &l->positions[w.varying[v]];
      int64_t stride = p->strides[d];
      const char *from = w.positions[v] + first * stride;
      if (!place_positions(l->positions_dtype, p, from, stride, (placing){offsets, m, how}, &bad)) {
        report(&j->fault, bad, w.varying[v]);
        return;
      }
      if (how == CP_PLACES_SET) how = CP_PLACES_ADD;
    }
    if (!j->check) move_block(l, l->base + w.base, offsets, l->value + w.value + first * step, step, m);
  }
}

static void run_pieces(void *data, cp_tasks *tasks) {
  lookup_job *j = data;
  const cp_lookup *l = j->l;
  int64_t inner = l->ndim > 0 ? l->shape[l->ndim - 1] : 1;
  for (int64_t task; cp_next_task(tasks, &task);) {
    int64_t first = task % j->pieces * j->length;
    run_piece(j, task / j->pieces, first, smaller(j->length, inner - first));
    if (atomic_load_explicit(&j->fault.found, memory_order_relaxed)) return;
  }
}

// Runs the lookup, or with `check` only checks the positions.
static cp_status run_lookup(cp_context *ctx, const cp_lookup *l, bool check) {
  enum { PIECE = 1 << 13 };
  bool in_order = !check && l->kind != CP_LOOKUP_READ;
  lookup_job j = {.l = l, .check = check};
  int64_t inner = l->ndim > 0 ? l->shape[l->ndim - 1] : 1;
  j.length = smaller(inner, PIECE);
  j.pieces = inner / j.length + (inner % j.length != 0);
  CP_TRY(cp_parallel(ctx, run_pieces, &j, l->size / inner * j.pieces, !in_order && l->size >= SHARED_LOOKUP));
  if (!atomic_load(&j.fault.found)) return CP_OK;
  const cp_index_array *p = &l->positions[j.fault.which];
  return cp_fail_position(l->where, NULL, j.fault.position, p->axis, p->length);
}

static cp_status lookup(cp_context *ctx, cp_stream *s, const cp_lookup *l) {
  (void)s;
  if (l->size == 0) return CP_OK;
  ctx->counters.launches++;
  if (l->kind != CP_LOOKUP_READ) CP_TRY(run_lookup(ctx, l, true));
  return run_lookup(ctx, l, false);
}

const cp_index_ops cp_cpu_index_ops = {.scan = scan, .compact = compact, .pack = pack, .lookup = lookup};
