// Errors about unknown names: what was meant, or what there is.
#ifndef CP_LUA_STATE_UNKNOWN_H
#define CP_LUA_STATE_UNKNOWN_H

#include "lua/state/compat.h"

// Closest of count names to `name` by edit distance, for "did you mean"; NULL when none is near.
const char *cp_suggest(const char *name, int count, const char *const *names);
// Raises that `what` ("a stream") has no field or method of this name, with the closest one, or with all where those are few. methods: the stack
// index of a table whose keys are names, or 0; fields: more names, behind them NULL, or NULL.
int cp_raise_unknown(lua_State *L, const char *where, const char *what, const char *name, int methods,
                     const char *const *fields);

#endif
