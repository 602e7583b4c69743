// Making new arrays: what create.c, sequence.c and triangle.c share.
#ifndef CP_LUA_CREATION_CREATE_H
#define CP_LUA_CREATION_CREATE_H

#include "lua/arguments/options.h"
#include "lua/conversion/take.h"

// op(*node, s) and the conversion to t in place of *node. On failure *node is NULL and its reference gone.
cp_status cp_with_scalar(cp_op op, cp_node **node, cp_scalar s);
cp_status cp_converted(cp_node **node, cp_dtype t);

void cp_open_sequence(lua_State *L); // arange, range, linspace
void cp_open_triangle(lua_State *L); // eye, identity, tri, tril, triu

#endif
