// The handles of arrays: making and checking them.
#ifndef CP_LUA_VALUES_HANDLE_H
#define CP_LUA_VALUES_HANDLE_H

#include "lua/objects/places.h"
#include "lua/state/error.h"

// Pushes a new userdata with the array metatable, placed for ndim dimensions, storage NULL: fill it afterwards. The userdata comes before the
// memory, so nothing leaks when Lua raises.
cp_array *cp_push_array(lua_State *L, int ndim);
// The same for a caller that has the state; on_top: the metatable of arrays is on top of the stack, and stays below.
cp_array *cp_push_handle(lua_State *L, cp_state *s, int ndim, bool on_top);
// Allocates memory for the array on top (layout set) on its device; raises. Registers it with the running scope.
void cp_allocate_pushed(lua_State *L, const char *where, cp_array *a, cp_device *device, cp_dtype dtype);
// A pushed array of this shape in C order with memory of its own (contents undefined).
cp_array *cp_push_new_array(lua_State *L, const char *where, cp_device *device, cp_dtype dtype, int ndim,
                            const int64_t *shape);
cp_array *cp_push_view(lua_State *L, const cp_array *a); // another handle on the same view
// A handle that begins at the first element of the handle a and has no axes yet, for cp_view_axis; there is room for ndim. slot: where an array stands on
// the stack, whose metatable is at hand; 0: nowhere.
cp_array *cp_push_view_of(lua_State *L, const cp_array *a, int slot, int ndim);
// The array at index or an error that names argument `argument`.
cp_array *cp_check_array(lua_State *L, int index, const char *where, const char *argument);
// The same without forcing a pending array: for those who want its fields or its value as a node.
cp_array *cp_check_value(lua_State *L, int index, const char *where, const char *argument);
// Forces a pending array (and raises use after free); call before reading storage.
void cp_need(lua_State *L, const char *where, cp_array *a);

#endif
