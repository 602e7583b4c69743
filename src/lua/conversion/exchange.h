// Memory that cupola shares with others: DLPack tensors and addresses.
#ifndef CP_LUA_CONVERSION_EXCHANGE_H
#define CP_LUA_CONVERSION_EXCHANGE_H

#include "lua/state/state.h"

struct DLManagedTensor;

// A tensor on the memory of a, owned by the caller. Raises.
struct DLManagedTensor *cp_export_array(lua_State *L, const char *where, cp_array *a);
// Pushes an array on the memory of t, which is cupola's from then on. Raises: then it stays the caller's.
void cp_push_dlpack(lua_State *L, const char *where, struct DLManagedTensor *t);

#endif
