// Errors about unknown names, which suggest the closest known name or list all of them.
#ifndef CP_LUA_STATE_UNKNOWN_H
#define CP_LUA_STATE_UNKNOWN_H

#include "lua/state/compat.h"

// The one of `count` names that is closest to `name` by edit distance, for "did you mean"; NULL if none is
// near.
const char *cp_suggest(const char *name, int count, const char *const *names);
// Raises an error: `what` ("a stream") has no field or method of this name. The message suggests the closest
// name, or lists all names if they are few. methods: the stack index of a table whose keys are names, or 0.
// fields: more names, ended by NULL; or NULL.
int cp_raise_unknown(lua_State *L, const char *where, const char *what, const char *name, int methods,
                     const char *const *fields);

#endif
