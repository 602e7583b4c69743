// Reading single elements.
#ifndef CP_LUA_CONVERSION_ELEMENT_H
#define CP_LUA_CONVERSION_ELEMENT_H

#include "lua/state/state.h"

// The element that is `offset` bytes behind the storage's start. The CPU device runs everything at once and in this memory: it needs no mirror.
// Foreign memory changes without notice: it has none.
cp_status cp_load_element(lua_State *L, const char *where, const cp_array *a, int64_t offset,
                          cp_scalar *value);
// The element at 0-based positions (one per axis, within the shape). Raises for freed memory and failed copies.
cp_scalar cp_read_element(lua_State *L, const char *where, cp_array *a, const int64_t *position);

#endif
