// Building views axis by axis, in a cp_array_local that uses the storage of another array without a reference
// of its own.
#ifndef CP_ARRAY_VIEW_H
#define CP_ARRAY_VIEW_H

#include "array/array.h"

// Starts a 0-d view of a's first element.
static inline void cp_view_start(cp_array *view, const cp_array *a) {
  view->storage = a->storage;
  view->device = a->device;
  view->dtype = a->dtype;
  view->readonly = a->readonly;
  view->offset = a->offset;
  view->size = 1;
  view->ndim = 0;
}

// Appends an axis. The caller ensures that there are at most CP_MAXDIM.
static inline void cp_view_axis(cp_array *view, int64_t length, int64_t stride) {
  view->shape[view->ndim] = length;
  view->strides[view->ndim++] = stride;
  view->size *= length;
}

#endif
