// Lua values as operands of elementwise work (rules/operands.h), in two steps so that nothing leaks. Reading
// checks and converts; it may raise an error, but holds nothing outside Lua. Making nodes never raises an
// error. Between the two the result's userdata is made.
#ifndef CP_LUA_ELEMENTWISE_OPERAND_H
#define CP_LUA_ELEMENTWISE_OPERAND_H

#include "lua/state/state.h"
#include "rules/operands.h"

// Reads the values at stack slots first..first+count-1, and replaces tables there by arrays. A number that
// does not fit the strong dtype is an error unless CP_BY_VALUE is set. May leave values on the stack; if
// fast_ok is set, the metatable of arrays is on top.
void cp_read_operands(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o);
// The same, but false if one of the values is a sparse array; then o is not complete.
bool cp_read_dense(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o);

#endif
