// Memory that cupola shares with other libraries: DLPack tensors (array/dlpack.h) and addresses.
#ifndef CP_LUA_CONVERSION_EXCHANGE_H
#define CP_LUA_CONVERSION_EXCHANGE_H

#include "lua/state/state.h"

#include "array/dlpack.h"

// Makes a tensor on the memory of a, which the caller owns. Raises.
cp_tensor cp_export_array(lua_State *L, const char *where, cp_array *a, bool versioned);
// Pushes an array on the memory of t and takes ownership of t. If it raises an error, the caller still owns
// t.
void cp_push_dlpack(lua_State *L, const char *where, cp_tensor t);

#endif
