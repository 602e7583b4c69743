// Making views step by step. A view is put together in a cp_array_local that borrows the storage from the array that it is of.
#ifndef CP_ARRAY_VIEW_H
#define CP_ARRAY_VIEW_H

#include "array/array.h"

// Makes view one without axes at a's first element, without a reference to the storage.
static inline void cp_view_start(cp_array *view, const cp_array *a) {
  view->storage = a->storage;
  view->device = a->device;
  view->dtype = a->dtype;
  view->readonly = a->readonly;
  view->offset = a->offset;
  view->size = 1;
  view->ndim = 0;
}

// Adds the next axis. The caller sees to it that there are no more than CP_MAXDIM.
static inline void cp_view_axis(cp_array *view, int64_t length, int64_t stride) {
  view->shape[view->ndim] = length;
  view->strides[view->ndim++] = stride;
  view->size *= length;
}

#endif
