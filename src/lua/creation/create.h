// What create.c, sequence.c and triangle.c share to make new arrays.
#ifndef CP_LUA_CREATION_CREATE_H
#define CP_LUA_CREATION_CREATE_H

#include "lua/arguments/options.h"
#include "lua/conversion/take.h"

// Replace *node by op(*node, s), and by its conversion to t. On failure *node is NULL and its reference is
// released.
cp_status cp_with_scalar(cp_op op, cp_node **node, cp_scalar s);
cp_status cp_converted(cp_node **node, cp_dtype t);

void cp_open_sequence(lua_State *L); // arange, range, linspace
void cp_open_triangle(lua_State *L); // eye, identity, tri, tril, triu

#endif
