// What both devices do with a lookup before they run it.
#include "device/index.h"

#include <inttypes.h>
#include <stdio.h>

static bool mergeable(const int64_t *strides, int d, int64_t length) {
  return strides[d] == strides[d + 1] * length;
}

// Whether axis d and the next one can be one axis.
static bool can_merge(const cp_lookup *l, int d) {
  int64_t length = l->shape[d + 1];
  bool can = mergeable(l->base_strides, d, length) && mergeable(l->value_strides, d, length);
  for (int k = 0; k < l->count && can; k++) can = mergeable(l->positions[k].strides, d, length);
  return can;
}

static void copy_axis(cp_lookup *l, int to, int from) {
  l->shape[to] = l->shape[from];
  l->base_strides[to] = l->base_strides[from];
  l->value_strides[to] = l->value_strides[from];
  for (int k = 0; k < l->count; k++) l->positions[k].strides[to] = l->positions[k].strides[from];
}

static void merge_axes(cp_lookup *l) {
  int n = 0;
  for (int d = 0; d < l->ndim; d++)
    if (l->shape[d] != 1) copy_axis(l, n++, d);
  l->ndim = n;
  int last = 0; // the axis that the next one may join
  for (int d = 1; d < n; d++) {
    copy_axis(l, last + 1, d);
    if (can_merge(l, last)) {
      int64_t length = l->shape[last] * l->shape[last + 1];
      copy_axis(l, last, last + 1);
      l->shape[last] = length;
    } else {
      last++;
    }
  }
  if (n > 0) l->ndim = last + 1;
}

// Whether every element starts at a multiple of `bytes`, the innermost axis aside.
static bool aligned(const cp_lookup *l, int64_t bytes) {
  uint64_t all = (uint64_t)(uintptr_t)l->base | (uint64_t)(uintptr_t)l->value;
  for (int d = 0; d < l->ndim - 1; d++) all |= (uint64_t)l->base_strides[d] | (uint64_t)l->value_strides[d];
  for (int k = 0; k < l->count; k++) all |= (uint64_t)l->positions[k].stride;
  return all % (uint64_t)bytes == 0;
}

// Rows whose elements lie side by side are moved in words of up to 16 bytes.
static void widen(cp_lookup *l) {
  enum { WIDEST = 16 };
  int d = l->ndim - 1;
  int64_t item = (int64_t)l->itemsize;
  if (d < 0 || l->base_strides[d] != item || l->value_strides[d] != item) return;
  for (int k = 0; k < l->count; k++)
    if (l->positions[k].strides[d] != 0) return;
  while (item < WIDEST && l->shape[d] % 2 == 0 && aligned(l, 2 * item)) {
    item *= 2;
    l->shape[d] /= 2;
  }
  l->size = l->size / (item / (int64_t)l->itemsize);
  l->itemsize = (size_t)item;
  l->base_strides[d] = l->value_strides[d] = item;
}

void cp_lookup_collapse(cp_lookup *l) {
  if (l->size == 0) return;
  merge_axes(l);
  if (l->kind == CP_LOOKUP_READ || l->kind == CP_LOOKUP_WRITE) widen(l);
}

cp_status cp_fail_position(const char *where, const char *site, int64_t i, int axis, int64_t length) {
  char origin[192] = "", place[32] = "the flat array";
  if (site != NULL) snprintf(origin, sizeof origin, "%s at %s: ", where, site);
  if (axis > 0) snprintf(place, sizeof place, "axis %d", axis);
  if (i == 0)
    return cp_fail(CP_EINDEX, "%sindex 0 for %s: positions count from 1, and -1 is the last", origin, place);
  return cp_fail(CP_EINDEX, "%sindex %" PRId64 " is out of range for %s of length %" PRId64, origin, i, place,
                 length);
}
