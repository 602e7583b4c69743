// Reads single elements of arrays.
#ifndef CP_LUA_CONVERSION_ELEMENT_H
#define CP_LUA_CONVERSION_ELEMENT_H

#include "lua/state/state.h"

// Reads the element at `offset` bytes from the start of a's storage. On a GPU it comes from the storage's
// mirror, a copy in host memory. The CPU device needs no mirror, because it runs everything at once in this
// memory. Exposed memory has none, because others may change it without notice.
cp_status cp_load_element(lua_State *L, const char *where, const cp_array *a, int64_t offset,
                          cp_scalar *value);
// The element at 0-based positions, one for each axis and within the shape. Raises if the array was freed or
// the copy fails.
cp_scalar cp_read_element(lua_State *L, const char *where, cp_array *a, const int64_t *position);

#endif
