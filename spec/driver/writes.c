// The simulated driver's kernels that write by arrays of positions: kernels/routine/lookup.cu and last.cu,
// with their slots and all values of their variables. Places are processed in the worst order, from the last
// to the first. So where positions repeat, lookup.cu keeps the first value; last.cu must keep the last one,
// by its table.
#include "driver.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 256, AHEAD = 4, AXES = 32 };

typedef struct writing {
  int pass; // of last.cu; 0: lookup.cu
  int bytes, entry, hash, index, count, ndim;
  unsigned kept;
  int64_t slots[];
} writing;

static const int64_t *axis_of(const writing *w, int d) { return w->slots + 4 + 3 * d; }
static const int64_t *array_of(const writing *w, int k) {
  return w->slots + 4 + 3 * w->ndim + k * (3 + w->ndim);
}
static const int64_t *own_of(const writing *w) { return array_of(w, w->count); }

bool driver_launch_write(const char *name, void *on, const void *slots, unsigned grid) {
  writing v = {.pass = 0};
  bool last = sscanf(name, "last (PASS=%d BYTES=%d ENTRY=%d HASH=%d KEPT=%u INDEX=%d COUNT=%d NDIM=%d",
                     &v.pass, &v.bytes, &v.entry, &v.hash, &v.kept, &v.index, &v.count, &v.ndim) == 8;
  if (!last && sscanf(name, "lookup (KIND=1 BYTES=%d INDEX=%d COUNT=%d NDIM=%d", &v.bytes, &v.index, &v.count,
                      &v.ndim) != 4)
    return false; // the end of a long name is cut off, and not needed
  const int own = last ? 4 + v.ndim + v.count : 0;
  const size_t bytes = sizeof(int64_t) * (size_t)(4 + 3 * v.ndim + v.count * (3 + v.ndim) + own);
  writing *w = malloc(sizeof v + bytes);
  driver_forbid(w == NULL, "no memory");
  *w = v;
  memcpy(w->slots, slots, bytes);
  driver_forbid(last && (int64_t)grid * BLOCK * AHEAD < w->slots[0], "a grid that is too small");
  driver_queue(driver_stream(on), (work){.kind = WRITE, .from = w});
  return true;
}

// Where a place writes to and reads from (byte offsets), the key of the element in the table, and the place's
// number there.
typedef struct spot {
  int64_t base, value, key;
  uint64_t mine;
} spot;

static bool resolve(const writing *w, const int64_t *at, int k, int64_t *chosen) {
  const int64_t *array = array_of(w, k);
  const char *from = driver_pointer((cpcu_deviceptr)array[0]);
  int64_t i;
  int32_t narrow;
  for (int d = 0; d < w->ndim; d++) from += at[d] * array[3 + d];
  memcpy(&narrow, from, sizeof narrow);
  if (w->index == 8)
    memcpy(&i, from, sizeof i);
  else
    i = narrow;
  *chosen = i > 0 ? i - 1 : i + array[1];
  if (*chosen >= 0 && *chosen < array[1]) return true;
  ((int64_t *)driver_pointer((cpcu_deviceptr)w->slots[3]))[k] = i == 0 ? INT64_MIN : i;
  return false;
}

static bool find_spot(const writing *w, int64_t place, spot *s) {
  static const int64_t nothing[4 + 2 * AXES];
  const int64_t *own = w->pass > 0 ? own_of(w) : nothing;
  int64_t at[AXES], chosen;
  uint64_t number = 0;
  for (int d = w->ndim - 1; d >= 0; d--) {
    at[d] = place % axis_of(w, d)[0];
    place /= axis_of(w, d)[0];
  }
  *s = (spot){.key = own[3]};
  for (int d = 0; d < w->ndim; d++) {
    s->base += at[d] * axis_of(w, d)[1];
    s->value += at[d] * axis_of(w, d)[2];
    s->key += at[d] * own[4 + d];
    if (!(w->kept >> d & 1)) number = number * (uint64_t)axis_of(w, d)[0] + (uint64_t)at[d];
  }
  for (int k = 0; k < w->count; k++) {
    if (!resolve(w, at, k, &chosen)) return false;
    s->base += chosen * array_of(w, k)[2];
    s->key += chosen * own[4 + w->ndim + k];
  }
  s->mine = (uint64_t)own[1] + number + 1;
  return true;
}

static uint64_t read_cell(const writing *w, uint64_t cell) {
  const char *table = driver_pointer((cpcu_deviceptr)own_of(w)[0]);
  uint64_t wide;
  uint32_t narrow;
  if (w->entry == 8) return memcpy(&wide, table + 8 * cell, 8), wide;
  return memcpy(&narrow, table + 4 * cell, 4), narrow;
}

static void write_cell(const writing *w, uint64_t cell, uint64_t v) {
  char *table = driver_pointer((cpcu_deviceptr)own_of(w)[0]);
  driver_forbid(w->entry == 4 && v > UINT32_MAX, "a number that its cell has no room for");
  memcpy(table + (uint64_t)w->entry * cell, &v, (size_t)w->entry);
}

// The first place whose number the cell holds. Places with the same number differ only along kept axes.
static int64_t place_of(const writing *w, uint64_t entry) {
  uint64_t number = entry - (uint64_t)own_of(w)[1] - 1;
  int64_t place = 0, step = 1;
  for (int d = w->ndim - 1; d >= 0; d--) {
    const int64_t length = axis_of(w, d)[0];
    if (!(w->kept >> d & 1)) {
      place += (int64_t)(number % (uint64_t)length) * step;
      number /= (uint64_t)length;
    }
    step *= length;
  }
  return place;
}

static uint64_t cell_of(const writing *w, const spot *s) {
  const uint64_t first = (uint64_t)own_of(w)[1];
  if (!w->hash) return (uint64_t)s->key;
  for (uint64_t cell = (uint64_t)s->key * 0x9e3779b97f4a7c15u >> own_of(w)[2];;
       cell = (cell + 1) & (UINT64_MAX >> own_of(w)[2])) {
    const uint64_t entry = read_cell(w, cell);
    spot other;
    if (entry <= first || (find_spot(w, place_of(w, entry), &other) && other.key == s->key)) return cell;
  }
}

// Every cell must hold zero or a number of an earlier launch.
static void check_table(const writing *w) {
  const uint64_t first = (uint64_t)own_of(w)[1];
  spot s;
  if (w->hash)
    for (uint64_t cell = 0; cell <= UINT64_MAX >> own_of(w)[2]; cell++)
      driver_forbid(read_cell(w, cell) > first, "a table that was not cleared");
  else
    for (int64_t e = 0; e < w->slots[0]; e++)
      driver_forbid(find_spot(w, e, &s) && read_cell(w, (uint64_t)s.key) > first,
                    "a table that was not cleared");
}

void driver_write(const work *job) {
  const writing *w = job->from;
  char *base = driver_pointer((cpcu_deviceptr)w->slots[1]);
  const char *values = driver_pointer((cpcu_deviceptr)w->slots[2]);
  spot s;
  if (w->pass % 2 != 0) {
    check_table(w);
    for (int64_t e = w->slots[0] - 1; e >= 0; e--)
      if (find_spot(w, e, &s) && read_cell(w, cell_of(w, &s)) < s.mine) write_cell(w, cell_of(w, &s), s.mine);
  }
  for (int64_t e = w->slots[0] - 1; e >= 0 && w->pass != 1; e--)
    if (find_spot(w, e, &s) && (w->pass == 0 || read_cell(w, cell_of(w, &s)) == s.mine))
      memcpy(base + s.base, values + s.value, (size_t)w->bytes);
}
