// Sparse arrays as a kind of userdata, and what the Lua side needs to define it (sparse.h).
#include "lua/elementwise/sparse.h"

#include "lua/objects/object.h"
#include "lua/state/error.h"
#include "lua/state/module.h"

bool cp_is_sparse(lua_State *L, int index) { return cp_test_object(L, index, CP_KIND_SPARSE) != NULL; }

int cp_call_sparse(lua_State *L, const char *handler, const char *name, int first, int count) {
  luaL_checkstack(L, count + 4, "too many operands");
  cp_push_kind(L, CP_KIND_SPARSE);
  lua_getfield(L, -1, handler);
  lua_remove(L, -2);
  lua_pushstring(L, name);
  for (int k = 0; k < count; k++) lua_pushvalue(L, first + k);
  lua_call(L, count + 1, 1);
  return 1;
}

// core.sparse_object(fields): a new sparse array with this table of fields.
static int sparse_object(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  cp_push_object(L, CP_KIND_SPARSE, 1);
  lua_pushvalue(L, 1);
  cp_keep_table(L, -2);
  return 1;
}

// core.sparse_fields(v): the table of fields of a sparse array; nil for other values.
static int sparse_fields(lua_State *L) {
  if (!cp_is_sparse(L, 1)) return 0;
  cp_push_kept(L, 1);
  return 1;
}

// core.sparse_events(events): adds metamethods and handlers, all functions, to the kind's metatable.
static int sparse_events(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  cp_push_kind(L, CP_KIND_SPARSE);
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 2);
  }
  return 0;
}

void cp_open_sparse_kind(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_object", sparse_object},
                                       {"sparse_fields", sparse_fields},
                                       {"sparse_events", sparse_events},
                                       {NULL, NULL}};
  cp_define_kind(L, CP_KIND_SPARSE, NULL, NULL);
  lua_pop(L, 1);
  cp_put_functions(L, 1, functions);
}
