// Making views: steps that indexing and the functions of view.c share, and the views that fields of an array give.
//
// A view is put together in a cp_array_local that borrows the storage from the array's handle; cp_push_view then makes a handle of it.
#ifndef CP_LUA_INDEXING_VIEW_H
#define CP_LUA_INDEXING_VIEW_H

#include "lua/support/state.h"

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

// Pushes the view of a with its axes reversed (x.T). Returns 1.
int cp_push_transposed(lua_State *L, cp_array *a);
// Pushes the view of a with its last two axes exchanged (x.mT). Returns 1.
int cp_push_matrices_transposed(lua_State *L, cp_array *a);
// Pushes the real (imag false) or imaginary part of a: a view of complex values; of others the array itself or read-only zeros. Returns 1.
int cp_push_part(lua_State *L, cp_array *a, bool imag);

void cp_open_view(lua_State *L);
void cp_open_reinterpret(lua_State *L);

#endif
