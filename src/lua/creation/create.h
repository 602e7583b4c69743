// Making new arrays: what create.c, sequence.c and triangle.c share.
#ifndef CP_LUA_CREATION_CREATE_H
#define CP_LUA_CREATION_CREATE_H

#include "lua/creation/support.h"

// The order's letter at slot, one of `known`; `missing` when not given. A is resolved: F where `like` (NULL: none) is in that order alone, else C.
char cp_arg_order(lua_State *L, int slot, const char *where, const char *known, char missing,
                  const cp_array *like);
cp_dtype cp_arg_dtype_or(lua_State *L, int slot, const char *where, cp_dtype missing);
// A length that is not negative; missing < 0: it must be given.
int64_t cp_arg_length(lua_State *L, int slot, const char *where, const char *argument, int64_t missing);
static inline cp_dtype cp_default_dtype(lua_State *L) { return cp_state_get(L)->default_dtype; }

// op(*node, s) and the conversion to t in place of *node. On failure *node is NULL and its reference gone.
cp_status cp_with_scalar(cp_op op, cp_node **node, cp_scalar s);
cp_status cp_converted(cp_node **node, cp_dtype t);

void cp_open_sequence(lua_State *L); // arange, range, linspace
void cp_open_triangle(lua_State *L); // eye, identity, tri, tril, triu

#endif
