// Makes and checks handles of arrays. Each handle is in its state's list of all handles (handles.h).
#ifndef CP_LUA_VALUES_HANDLE_H
#define CP_LUA_VALUES_HANDLE_H

#include "lua/objects/handles.h"
#include "lua/state/error.h"

// Pushes a new handle with room for ndim dimensions and without a storage, for the caller to fill in. The
// userdata is made before any memory is allocated, so nothing leaks if Lua raises an error.
cp_array *cp_push_array(lua_State *L, int ndim);
// Does the same for a caller that has the state. on_top: the metatable of arrays is on top of the stack; it
// stays there, below the handle.
cp_array *cp_push_handle(lua_State *L, cp_state *s, int ndim, bool on_top);
// Allocates memory on the device for the array a, whose handle is on top of the stack and whose layout is
// set. Raises.
void cp_allocate_pushed(lua_State *L, const char *where, cp_array *a, cp_device *device, cp_dtype dtype);
// Pushes a new array of this shape in C order with memory of its own, whose contents are undefined.
cp_array *cp_push_new_array(lua_State *L, const char *where, cp_device *device, cp_dtype dtype, int ndim,
                            const int64_t *shape);
// Pushes another handle of the same view.
cp_array *cp_push_view(lua_State *L, const cp_array *a);
// Pushes a view that begins at the first element of a and has no axes yet, but room for ndim of them, which
// cp_view_axis adds. slot: a stack slot that holds an array, whose metatable is then used; 0: there is none.
cp_array *cp_push_view_of(lua_State *L, const cp_array *a, int slot, int ndim);
// Pushes a handle of the view of a, which may be pending, that `view` describes (lazy/arrays/pending_view.h).
void cp_push_pending_view(lua_State *L, const char *where, cp_array *a, cp_array *view);
// Forces a pending array unless its views may be pending, too; raises if the array was freed.
void cp_need_for_view(lua_State *L, const char *where, cp_array *a);
// The array at index, computed if it was pending. Raises an error that names the argument if there is no
// array.
cp_array *cp_check_array(lua_State *L, int index, const char *where, const char *argument);
// Does the same without forcing a pending array, for callers that want its fields or its value as a node.
cp_array *cp_check_value(lua_State *L, int index, const char *where, const char *argument);
// Forces a pending array; raises if the array was freed. To be called before its storage is read.
void cp_need(lua_State *L, const char *where, cp_array *a);
// The element at these positions from 0, one for each axis, within the shape of the handle a. Raises.
cp_scalar cp_read_element(lua_State *L, const char *where, cp_array *a, const int64_t *positions);

#endif
