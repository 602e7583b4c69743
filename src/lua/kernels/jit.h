// What the files of cp.jit share: keys of arguments (jit.c).
#ifndef CP_LUA_KERNELS_JIT_H
#define CP_LUA_KERNELS_JIT_H

#include "array/array.h"
#include "lua/state/state.h"

enum { CP_JIT_KEY = 8 }; // the most bytes of one argument's key
// Numbers, lengths and positions below 2^CP_JIT_SMALL are ints in kernels. ORDER lua/cupola/jit/types.lua
enum { CP_JIT_SMALL = 28, CP_JIT_THREADS = 29, CP_JIT_BLOCKS = 24 };

// What a kernel's variant is made for of an array: small says whether lengths, positions and steps are below
// 2^CP_JIT_SMALL.
typedef struct cp_jit_layout {
  uint8_t dtype, ndim;
  bool contiguous, small;
} cp_jit_layout;

cp_jit_layout cp_jit_layout_of(const cp_array *a);

// Writes what the key of a kernel's variant says of the argument at index; returns the number of bytes.
// An array: its dtype, number of axes, whether it is contiguous, and whether it is large; a number: whether
// it is whole ('i' below 2^CP_JIT_SMALL, 'm', or 'l' beyond 2^53, 'u' beyond int64), another float ('f') or
// complex ('c'); a boolean ('b'); the dtype of a typed scalar.
int cp_jit_key(lua_State *L, int index, char out[CP_JIT_KEY]);
// Loads the chunk of text in slot 1, whose name is in slot 2, as a function in slot 3. False: the caller
// returns what lies behind slot 2, which is nothing for bytecode, or nil and the message.
bool cp_jit_load(lua_State *L);
// Raises unless upvalues may be read.
void cp_jit_check_reading(lua_State *L);

// Add the functions of jit_call.c and jit_values.c to core, the table in slot 1.
void cp_open_jit_call(lua_State *L);
void cp_open_jit_values(lua_State *L);

#endif
