// Converts Lua values to arrays and back, and copies arrays between devices and host memory. convert.c makes
// arrays from tables, readback.c makes Lua values from arrays, transfer.c copies.
#ifndef CP_LUA_CONVERSION_CONVERT_H
#define CP_LUA_CONVERSION_CONVERT_H

#include "lua/state/state.h"

// Pushes a new array on the device, made from the value at index: nested tables of numbers, booleans, boxed
// values, 64-bit cdata and arrays of equal shape, or one of these alone. dtype CP_NDTYPES: the dtype follows
// from the values. like: the dtype of the arrays beside which the table stands, to which bare numbers adapt;
// CP_NDTYPES: there are none.
cp_array *cp_push_from_table(lua_State *L, const char *where, int index, cp_dtype dtype, cp_dtype like,
                             cp_device *device);
// Does the same for a table that is an operand beside arrays of dtype `like`. by_value: it is only compared
// with them, so numbers that do not fit `like` give it a floating dtype instead of an error. Adds the new
// array's dtype to *dtypes, which are promoted, and returns 0. But if `like` is an integer or boolean dtype
// and bare numbers in the table are floating or complex, it returns their class instead (CP_WEAK_FLOAT or
// CP_WEAK_COMPLEX): such numbers promote the integers as a bare number would.
int cp_push_operand_table(lua_State *L, const char *where, int index, cp_dtype like, bool by_value,
                          cp_device *device, cp_dtype_set *dtypes);
// Copies an array's elements, in C order, to host memory that belongs to a pushed userdata.
void *cp_push_host_copy(lua_State *L, const char *where, cp_array *a);

// Pushes a new array on `device` with the values of a, which may be on any device. It has Fortran order if a
// has, else C order. Raises.
cp_array *cp_push_on_device(lua_State *L, const char *where, cp_array *a, cp_device *device);
// Pushes a new array on a's device with a's values cast to dtype, whatever the cast loses. Its axes have the
// same order in memory as a's. Raises.
cp_array *cp_push_as(lua_State *L, const char *where, cp_array *a, cp_dtype dtype);

// Copies the bytes of a, which is contiguous in some order, from its device to host memory, and waits for
// them. Raises.
void cp_download(lua_State *L, const char *where, const cp_array *a, void *host);
// Writes value into target on another device, with the broadcast and cast of an assignment, if one of the two
// is in page-locked host memory or if `always` is set. Otherwise does nothing and returns false. May leave
// values on the stack. Raises.
bool cp_assign_across(lua_State *L, const char *where, cp_array *target, cp_array *value, bool always);
// Whether a's memory is from the pool of page-locked memory.
bool cp_is_pinned(const cp_array *a);

// Copies host memory, which has target's values in C order, to target, which is contiguous. Raises.
void cp_upload(lua_State *L, const char *where, cp_array *target, const void *host);
// The memory of target, which is contiguous and on the CPU device, for the caller to write all of it. Raises.
void *cp_host_target(lua_State *L, const char *where, cp_array *target);

void cp_open_convert(lua_State *L);
void cp_open_readback(lua_State *L);
void cp_open_print(lua_State *L);

#endif
