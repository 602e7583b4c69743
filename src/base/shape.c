// Arithmetic on shapes and strides.
//
// cp_shape_size accepts a shape only when the product of its nonzero lengths and the item size fits int64_t,
// so no stride or offset computed from an accepted shape overflows.
#include "base/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

cp_status cp_shape_size_any(int ndim, const int64_t *shape, size_t itemsize, int64_t *size) {
  int64_t n = 1, bytes = (int64_t)itemsize;
  bool empty = false, fits = true;
  char text[CP_SHAPE_TEXT];
  for (int k = 0; k < ndim; k++) {
    if (shape[k] < 0)
      return cp_fail(CP_ESHAPE, "shape %s has a negative length", cp_shape_text(ndim, shape, text));
    if (shape[k] == 0) {
      empty = true;
    } else {
      fits = fits && !__builtin_mul_overflow(bytes, shape[k], &bytes);
      n = fits ? n * shape[k] : n;
    }
  }
  if (!fits) return cp_fail(CP_ESHAPE, "shape %s is too big", cp_shape_text(ndim, shape, text));
  *size = empty ? 0 : n;
  return CP_OK;
}

char *cp_shape_text(int ndim, const int64_t *shape, char *buf) {
  char *p = buf;
  *p++ = '(';
  for (int k = 0; k < ndim; k++) p += sprintf(p, "%s%" PRId64, k > 0 ? ", " : "", shape[k]);
  strcpy(p, ")");
  return buf;
}

bool cp_broadcast(int *ndim, int64_t *shape, int nb, const int64_t *b) {
  int shift = *ndim - nb; // axis k of b is matched with axis k + shift
  for (int k = 0; k < nb; k++)
    if (k + shift >= 0 && shape[k + shift] != b[k] && shape[k + shift] != 1 && b[k] != 1) return false;
  if (shift < 0) {
    memmove(shape - shift, shape, (size_t)*ndim * sizeof *shape);
    for (int k = 0; k < -shift; k++) shape[k] = 1;
    *ndim = nb;
    shift = 0;
  }
  for (int k = 0; k < nb; k++)
    if (shape[k + shift] == 1) shape[k + shift] = b[k];
  return true;
}

void cp_contiguous_strides_any(int ndim, const int64_t *shape, size_t itemsize, char order,
                               int64_t *strides) {
  int64_t step = (int64_t)itemsize;
  for (int i = 0; i < ndim; i++) {
    int k = order == 'F' ? i : ndim - 1 - i;
    strides[k] = step;
    if (shape[k] > 1) step *= shape[k];
  }
}

void cp_ordered_strides(int ndim, const int64_t *shape, size_t itemsize, const int *perm, int64_t *strides) {
  int64_t step = (int64_t)itemsize;
  for (int k = ndim - 1; k >= 0; k--) {
    strides[perm[k]] = step;
    if (shape[perm[k]] > 1) step *= shape[perm[k]];
  }
}

bool cp_is_contiguous_any(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize,
                          char order) {
  int64_t step = (int64_t)itemsize;
  bool dense = true;
  for (int i = 0; i < ndim; i++) {
    int k = order == 'F' ? i : ndim - 1 - i;
    if (shape[k] == 0) return true;
    if (shape[k] == 1) continue;
    dense = dense && strides[k] == step;
    step *= shape[k];
  }
  return dense;
}

void cp_broadcast_strides(int ndim, const int64_t *shape, int nb, const int64_t *b, const int64_t *strides_b,
                          int64_t *out) {
  int shift = ndim - nb;
  for (int k = 0; k < shift; k++) out[k] = 0;
  for (int k = 0; k < nb; k++) out[k + shift] = b[k] == 1 && shape[k + shift] != 1 ? 0 : strides_b[k];
}

void cp_extent(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize, int64_t *low,
               int64_t *high) {
  *low = *high = 0;
  int64_t below = 0, above = 0;
  for (int k = 0; k < ndim; k++) {
    if (shape[k] == 0) return;
    int64_t reach = (shape[k] - 1) * strides[k];
    if (reach < 0)
      below += reach;
    else
      above += reach;
  }
  *low = below;
  *high = above + (int64_t)itemsize;
}

bool cp_regions_overlap(const cp_region *a, const cp_region *b) {
  int64_t low_a, high_a, low_b, high_b;
  cp_extent(a->ndim, a->shape, a->strides, a->itemsize, &low_a, &high_a);
  cp_extent(b->ndim, b->shape, b->strides, b->itemsize, &low_b, &high_b);
  return low_a < high_a && low_b < high_b && a->start + low_a < b->start + high_b &&
         b->start + low_b < a->start + high_a;
}

bool cp_regions_equal(const cp_region *a, const cp_region *b) {
  return a->start == b->start && a->itemsize == b->itemsize &&
         cp_shape_equal(a->ndim, a->shape, b->ndim, b->shape) &&
         memcmp(a->strides, b->strides, (size_t)a->ndim * sizeof *a->strides) == 0;
}

// Copies the axes whose length is not 1; returns their number.
static int squeeze(int ndim, const int64_t *shape, const int64_t *strides, int64_t *lengths, int64_t *steps) {
  int n = 0;
  for (int k = 0; k < ndim; k++) {
    if (shape[k] == 1) continue;
    lengths[n] = shape[k];
    steps[n++] = strides[k];
  }
  return n;
}

// Pairs groups of old axes with groups of new axes of the same size. An old group must be evenly spaced in
// memory, each stride the next one's stride times its length; the new axes then split that run.
bool cp_reshape_strides(int ndim, const int64_t *shape, const int64_t *strides, int new_ndim,
                        const int64_t *new_shape, size_t itemsize, int64_t *out) {
  int64_t lengths[CP_MAXDIM], steps[CP_MAXDIM];
  for (int k = 0; k < ndim; k++) {
    if (shape[k] != 0) continue;
    cp_contiguous_strides(new_ndim, new_shape, itemsize, 'C', out);
    return true;
  }
  int n = squeeze(ndim, shape, strides, lengths, steps), old = 0;
  int64_t last = (int64_t)itemsize; // stride of the axis before
  for (int first = 0; first < new_ndim;) {
    if (new_shape[first] == 1) { // in no group: its stride spans everything that follows
      out[first] = old < n ? lengths[old] * steps[old] : last;
      first++;
      continue;
    }
    if (old == n) return false;
    int end = first + 1, old_end = old + 1;
    int64_t have = lengths[old], want = new_shape[first];
    while (have != want) {
      if (have < want) {
        if (old_end == n || steps[old_end - 1] != lengths[old_end] * steps[old_end]) return false;
        have *= lengths[old_end++];
      } else {
        if (end == new_ndim) return false;
        want *= new_shape[end++];
      }
    }
    out[end - 1] = last = steps[old_end - 1];
    for (int k = end - 2; k >= first; k--) out[k] = out[k + 1] * new_shape[k + 1];
    first = end;
    old = old_end;
  }
  return old == n;
}

// Compares the strides of axis a with those of axis b, which follows a in C order: 1 when a should remain the
// slower axis, -1 when it should become the faster one, 0 when the strides do not decide.
static int compare_axes(const int64_t *shape, int count, const int64_t *const *strides, int a, int b) {
  int answer = 0;
  if (shape[a] == 1 || shape[b] == 1) return 0;
  for (int k = 0; k < count; k++) {
    int64_t sa = strides[k][a], sb = strides[k][b];
    if (sa == 0 || sb == 0) continue;
    if ((sa < 0 ? -sa : sa) >= (sb < 0 ? -sb : sb)) return 1;
    answer = -1;
  }
  return answer;
}

// Sorts by insertion from the fastest axis to the slowest and skips undecided comparisons, as NumPy's
// iterator does.
void cp_stride_order(int ndim, const int64_t *shape, int count, const int64_t *const *strides, int *perm) {
  for (int k = 0; k < ndim; k++) perm[k] = k;
  for (int i = ndim - 2; i >= 0; i--) {
    int axis = perm[i], to = i;
    for (int j = i + 1; j < ndim; j++) {
      int answer = compare_axes(shape, count, strides, axis, perm[j]);
      if (answer > 0) break;
      if (answer < 0) to = j;
    }
    memmove(perm + i, perm + i + 1, (size_t)(to - i) * sizeof *perm);
    perm[to] = axis;
  }
}
