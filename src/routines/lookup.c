// Prepares a lookup for either device.
#include "routines/index.h"

#include <inttypes.h>
#include <stdio.h>

static bool mergeable(const int64_t *strides, int d, int64_t length) {
  return strides[d] == strides[d + 1] * length;
}

// True if axis d and the next one can be merged.
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

static bool positions_move(const cp_lookup *l, int d) {
  for (int k = 0; k < l->count; k++)
    if (l->positions[k].strides[d] != 0) return true;
  return false;
}

// Along an axis that neither base nor positions depend on, all values go to the same element; keeps only the
// last one.
static void leave_out_overwritten(cp_lookup *l) {
  for (int d = 0; d < l->ndim; d++) {
    if (l->base_strides[d] != 0 || positions_move(l, d)) continue;
    l->value_start += (l->shape[d] - 1) * l->value_strides[d];
    l->size /= l->shape[d];
    l->shape[d] = 1;
  }
}

static void merge_axes(cp_lookup *l) {
  int n = 0;
  for (int d = 0; d < l->ndim; d++)
    if (l->shape[d] != 1) copy_axis(l, n++, d);
  l->ndim = n;
  int last = 0; // the axis that the next one may be merged with
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

// True if every element starts at a multiple of `bytes`, apart from the innermost axis.
static bool aligned(const cp_lookup *l, int64_t bytes) {
  uint64_t all = (uint64_t)(uintptr_t)l->base | (uint64_t)(uintptr_t)l->value;
  for (int d = 0; d < l->ndim - 1; d++) all |= (uint64_t)l->base_strides[d] | (uint64_t)l->value_strides[d];
  for (int k = 0; k < l->count; k++) all |= (uint64_t)l->positions[k].stride;
  return all % (uint64_t)bytes == 0;
}

// Copies contiguous rows in words of up to 16 bytes.
void cp_lookup_widen(cp_lookup *l) {
  enum { WIDEST = 16 };
  int d = l->ndim - 1;
  int64_t item = (int64_t)l->itemsize;
  if (l->kind > CP_LOOKUP_WRITE || l->size == 0 || (l->rivals.any && l->rivals.tangled)) return;
  if (d < 0 || l->base_strides[d] != item || l->value_strides[d] != item || positions_move(l, d)) return;
  while (item < WIDEST && l->shape[d] % 2 == 0 && aligned(l, 2 * item)) {
    item *= 2;
    l->shape[d] /= 2;
  }
  l->size = l->size / (item / (int64_t)l->itemsize);
  l->itemsize = (size_t)item;
  l->base_strides[d] = l->value_strides[d] = item;
}

void cp_lookup_collapse(cp_lookup *l) {
  l->value_start = 0;
  if (l->size == 0) return;
  if (l->kind == CP_LOOKUP_WRITE) leave_out_overwritten(l);
  merge_axes(l);
}

// ---- colliding writes ----

// The terms of an address: lengths and absolute strides, the smallest stride first.
typedef struct steps {
  int count;
  int64_t length[2 * CP_MAXDIM], stride[2 * CP_MAXDIM];
} steps;

static void add_step(steps *s, int64_t length, int64_t stride) {
  if (length <= 1) return;
  int k = s->count++;
  stride = stride < 0 ? -stride : stride;
  for (; k > 0 && s->stride[k - 1] > stride; k--) {
    s->length[k] = s->length[k - 1];
    s->stride[k] = s->stride[k - 1];
  }
  s->length[k] = length;
  s->stride[k] = stride;
}

// True if every combination of terms gives a different element: each stride is larger than the reach of all
// smaller ones.
static bool lead_apart(const steps *s, int64_t itemsize) {
  int64_t end = itemsize;
  for (int k = 0; k < s->count; k++) {
    if (s->stride[k] < end) return false;
    end += (s->length[k] - 1) * s->stride[k];
  }
  return true;
}

static bool is_tangled(const cp_lookup *l) {
  steps s = {.count = 0};
  for (int d = 0; d < l->ndim; d++)
    if (l->base_strides[d] != 0) add_step(&s, l->shape[d], l->base_strides[d]);
  for (int k = 0; k < l->count; k++) add_step(&s, l->positions[k].length, l->positions[k].stride);
  return !lead_apart(&s, (int64_t)l->itemsize);
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

// Adds a term; extent is the sum of the terms' reaches for now.
static void add_reach(cp_reach *r, int64_t length, int64_t stride) {
  if (length <= 1 || stride == 0) return;
  int64_t reach = (length - 1) * stride;
  r->unit = common_divisor(r->unit, stride);
  r->low += reach < 0 ? reach : 0;
  r->extent += reach < 0 ? -reach : reach;
}

cp_reach cp_lookup_reach(const cp_lookup *l, uint32_t except) {
  cp_reach r = {0, 0, 0};
  for (int d = 0; d < l->ndim; d++)
    if (!(except >> d & 1)) add_reach(&r, l->shape[d], l->base_strides[d]);
  for (int k = 0; k < l->count; k++) add_reach(&r, l->positions[k].length, l->positions[k].stride);
  if (r.unit == 0) r.unit = 1;
  r.extent = r.extent / r.unit + 1;
  return r;
}

void cp_lookup_find_rivals(cp_lookup *l) {
  cp_rivals *r = &l->rivals;
  *r = (cp_rivals){.places = 1};
  if (l->kind != CP_LOOKUP_WRITE || l->distinct || l->count == 0 || l->size <= 1) return;
  r->tangled = is_tangled(l);
  for (int d = 0; d < l->ndim; d++) {
    bool moves = l->base_strides[d] != 0;
    if (moves && !r->tangled && !positions_move(l, d)) {
      r->kept |= (uint32_t)1 << d;
      continue;
    }
    r->places *= l->shape[d];
    // Along such an axis several indices may select the same element; along the others they cannot.
    if ((!moves || r->tangled) && l->value_strides[d] != 0) r->any = true;
  }
  r->reach = cp_lookup_reach(l, r->kept);
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
