// Lua values as operands of elementwise work (rules/operands.h), in two steps so that nothing leaks: reading checks
// and converts and may raise, but holds nothing outside Lua; making nodes never raises. Between the two comes the
// result's userdata.
#ifndef CP_LUA_ELEMENTWISE_OPERAND_H
#define CP_LUA_ELEMENTWISE_OPERAND_H

#include "lua/state/state.h"
#include "rules/operands.h"

// Reads the values at stack slots first..first+count-1. Tables are replaced on the stack by arrays. A number that
// does not fit the strong dtype is an error, unless CP_BY_VALUE is set. May leave values on the stack; with fast_ok
// the arrays' metatable is on top.
void cp_read_operands(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o);

#endif
