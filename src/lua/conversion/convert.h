// Conversion between Lua values and arrays.
#ifndef CP_LUA_CONVERSION_CONVERT_H
#define CP_LUA_CONVERSION_CONVERT_H

#include "lua/state/state.h"

// Pushes a new array on device made from the table (nested tables of numbers, booleans, boxed, cdata, equal-shaped arrays) at index. dtype CP_NDTYPES: by
// the rules of API.md section 1; like: weak dtype of the array it is combined with (CP_NDTYPES: none), for a table operand.
cp_array *cp_push_from_table(lua_State *L, const char *where, int index, cp_dtype dtype, cp_dtype like,
                             cp_device *device);
// The same for an operand beside arrays of dtype like. by_value: it is compared with them, so numbers that do not fit like take the default dtype.
// Adds its dtype to those that are promoted, unless like is of integers and bare numbers stand in the table that these cannot hold: what such
// numbers are (CP_WEAK_...) is returned instead, as they bring the integers to their dtype.
int cp_push_operand_table(lua_State *L, const char *where, int index, cp_dtype like, bool by_value,
                          cp_device *device, cp_dtype_set *dtypes);
// Host copy of an array's elements in C order, as memory of a pushed userdata.
void *cp_push_host_copy(lua_State *L, const char *where, cp_array *a);

// Pushes a new array on `device` with the values of a, which may be on any device; in Fortran order when a is so, else in C order. Raises.
cp_array *cp_push_on_device(lua_State *L, const char *where, cp_array *a, cp_device *device);
// Pushes a new array on a's device with a's values converted to dtype by any cast, in the order in which a lies in memory. Raises.
cp_array *cp_push_as(lua_State *L, const char *where, cp_array *a, cp_dtype dtype);

// Raises where a copy from one of the devices to the other would be work of the graph that is being captured: a graph is of one device.
void cp_check_captured_copy(lua_State *L, const char *where, const cp_device *from, const cp_device *to);
// Copies a's bytes, contiguous in some order, from its device to host memory.
void cp_download(lua_State *L, const char *where, const cp_array *a, void *host);
// Copies a's bytes into `to`, on another device, the same in layout and contiguous.
void cp_transfer(lua_State *L, const char *where, const cp_array *a, cp_array *to);
// Where one of the two is page-locked memory of the host and the other lies on a GPU, queues the copy of from's bytes into `to`, which may be written
// (cp_begin_write was passed) and has the same layout, contiguous; it runs while the host goes on. False: nothing was done.
bool cp_copy_pinned(lua_State *L, const char *where, const cp_array *from, const cp_array *to);
// Writes value into target, which is on another device, where one of them is page-locked memory of the host, or `always`; broadcasts and casts as
// an assignment does. False: neither is. May leave values on the stack.
bool cp_assign_across(lua_State *L, const char *where, cp_array *target, cp_array *value, bool always);
bool cp_is_pinned(const cp_array *a);

// Copies the host memory, the values of target in C order, into target, which is contiguous. Raises.
void cp_upload(lua_State *L, const char *where, cp_array *target, const void *host);
// The memory of target, which is contiguous and lies on the CPU device, for the host to write all of it. Raises.
void *cp_host_target(lua_State *L, const char *where, cp_array *target);

void cp_open_convert(lua_State *L);
void cp_open_readback(lua_State *L);
void cp_open_print(lua_State *L);

#endif
