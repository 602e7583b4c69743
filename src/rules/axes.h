// Axes as users name them, and orders of axes.
//
// Users count axes from 1, or from the end if the number is negative; in C they count from 0. An order
// `perm` has one entry for each axis: axis perm[k] of an array comes to stand at place k.
#ifndef CP_RULES_AXES_H
#define CP_RULES_AXES_H

#include "base/shape.h"

// Different axes, in the order in which the user named them.
typedef struct cp_axes {
  int count;
  uint32_t set; // one bit for each axis in the list
  int at[CP_MAXDIM];
} cp_axes;

static inline void cp_axes_begin(cp_axes *axes) {
  axes->count = 0;
  axes->set = 0;
}

// Gives the axis, from 0, that a user means by `axis` among ndim axes. argument: the argument's name, for
// messages. CP_EINDEX.
cp_status cp_axis_resolve(const char *argument, int64_t axis, int ndim, int *out);
// Appends such an axis to the list. CP_EINDEX if it is there already.
cp_status cp_axes_add(cp_axes *axes, const char *argument, int64_t axis, int ndim);
// The set of all axes, one bit each.
static inline uint32_t cp_all_axes(int ndim) { return (uint32_t)((1ULL << ndim) - 1); }
// Adds such an axis to a set. CP_EINDEX if it is there already.
cp_status cp_axes_include(uint32_t *set, const char *argument, int64_t axis, int ndim);
// Gives the set of a single axis. An array without axes has none, even if its first or last one is named.
cp_status cp_axes_single(uint32_t *set, const char *argument, int64_t axis, int ndim);

// Fails with CP_ESHAPE unless the list names all axes; then `at` is an order.
cp_status cp_order_check(const cp_axes *axes, int ndim);
void cp_order_reverse(int ndim, int *perm);
void cp_order_swap(int ndim, int one, int two, int *perm);
// Exchanges the last two axes. CP_ESHAPE if there are fewer.
cp_status cp_order_swap_last(int ndim, int *perm);
// Moves each axis of `from` to the place in `to`; the others keep their order. CP_EUSAGE if the lists differ
// in length.
cp_status cp_order_move(int ndim, const cp_axes *from, const cp_axes *to, int *perm);
// Moves the axis before the axis that a user means by `start`, which may be one behind the last. CP_EINDEX.
cp_status cp_order_roll(int ndim, int axis, int64_t start, int *perm);

#endif
