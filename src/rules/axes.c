// Resolves the numbers of axes, and makes orders of axes (axes.h).
#include "rules/axes.h"

#include <inttypes.h>

static const char *axes_word(int n) { return n == 1 ? "axis" : "axes"; }

cp_status cp_axis_resolve(const char *argument, int64_t axis, int ndim, int *out) {
  if (axis == 0) return cp_fail(CP_EINDEX, "%s counts from 1; there is no axis 0", argument);
  if (axis > ndim || axis < -ndim)
    return cp_fail(CP_EINDEX, "%s %" PRId64 " is out of range for an array with %d %s", argument, axis, ndim,
                   axes_word(ndim));
  *out = (int)(axis > 0 ? axis - 1 : axis + ndim);
  return CP_OK;
}

cp_status cp_axes_add(cp_axes *axes, const char *argument, int64_t axis, int ndim) {
  int at = 0;
  CP_TRY(cp_axis_resolve(argument, axis, ndim, &at));
  if (axes->set >> at & 1) return cp_fail(CP_EINDEX, "%s names axis %d twice", argument, at + 1);
  axes->set |= 1U << at;
  axes->at[axes->count++] = at;
  return CP_OK;
}

cp_status cp_axes_include(uint32_t *set, const char *argument, int64_t axis, int ndim) {
  int at = 0;
  CP_TRY(cp_axis_resolve(argument, axis, ndim, &at));
  if (*set >> at & 1) return cp_fail(CP_EINDEX, "%s names an axis twice", argument);
  *set |= 1U << at;
  return CP_OK;
}

cp_status cp_axes_single(uint32_t *set, const char *argument, int64_t axis, int ndim) {
  *set = 0;
  return ndim == 0 && (axis == 1 || axis == -1) ? CP_OK : cp_axes_include(set, argument, axis, ndim);
}

cp_status cp_order_check(const cp_axes *axes, int ndim) {
  if (axes->count == ndim) return CP_OK;
  return cp_fail(CP_ESHAPE, "axes has %d entries for an array with %d %s", axes->count, ndim,
                 axes_word(ndim));
}

void cp_order_reverse(int ndim, int *perm) {
  for (int k = 0; k < ndim; k++) perm[k] = ndim - 1 - k;
}

void cp_order_swap(int ndim, int one, int two, int *perm) {
  for (int k = 0; k < ndim; k++) perm[k] = k;
  perm[one] = two;
  perm[two] = one;
}

cp_status cp_order_swap_last(int ndim, int *perm) {
  if (ndim < 2) return cp_fail(CP_ESHAPE, "x needs at least 2 axes, not %d; x.T takes any array", ndim);
  cp_order_swap(ndim, ndim - 1, ndim - 2, perm);
  return CP_OK;
}

cp_status cp_order_move(int ndim, const cp_axes *from, const cp_axes *to, int *perm) {
  if (from->count != to->count)
    return cp_fail(CP_EUSAGE, "source and destination must have equally many entries");
  for (int k = 0; k < to->count; k++) perm[to->at[k]] = from->at[k];
  for (int k = 0, axis = 0; k < ndim; k++) {
    if (to->set >> k & 1) continue;
    while (from->set >> axis & 1) axis++;
    perm[k] = axis++;
  }
  return CP_OK;
}

cp_status cp_order_roll(int ndim, int axis, int64_t start, int *perm) {
  if (start == 0 || start > ndim + 1 || start < -ndim)
    return cp_fail(CP_EINDEX, "start %" PRId64 " must be in 1..%d or -%d..-1", start, ndim + 1, ndim);
  int place = (int)(start < 0 ? start + ndim : start - 1);
  if (axis < place) place--;
  for (int k = 0, other = 0; k < ndim; k++) {
    if (other == axis) other++;
    perm[k] = k == place ? axis : other++;
  }
  return CP_OK;
}
