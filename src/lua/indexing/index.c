// Indexing for Lua: x[key], x[key] = v, x(...), at, set and update.
// An index is resolved (rules/indexing/index.h) to a view that lives on the C stack or in a handle, and
// borrows the storage from the array's handle, which Lua keeps alive. So reading an element allocates
// nothing, and nothing leaks when Lua raises an error.
#include "lua/indexing/index.h"

#include "lazy/arrays/element.h"
#include "lazy/arrays/pending_write.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/indexing/view.h"
#include "lua/objects/object.h"
#include "lua/state/current_device.h"
#include "lua/state/depth.h"
#include "lua/values/handle.h"

#include <string.h>

// ---- elements ---------------------------------------------------------------------------------------------

static int push_element(lua_State *L, const char *where, const cp_array *a, int64_t offset) {
  cp_scalar value = {0};
  cp_context *ctx = &cp_state_of(L, a)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_load_element(ctx, a, offset, &value));
  cp_push_scalar(L, value);
  return 1;
}

// ---- reading ----------------------------------------------------------------------------------------------

// Pushes the view of a pending array that ix selects.
static int push_pending(lua_State *L, const cp_index *ix, cp_array *a) {
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  CP_CHECK(L, ix->where, cp_index_view(ix, a, view));
  cp_push_pending_view(L, ix->where, a, view);
  return 1;
}

// Pushes what ix selects from a, which is at stack index `slot` and may be pending.
static int push_selected(lua_State *L, const cp_index *ix, cp_array *a, int slot) {
  int64_t offset = 0;
  int rest;
  const bool element = cp_index_is_element(ix, a);
  if (a->node != NULL && (ix->arrays > 0 || element)) cp_need(L, ix->where, a);
  if (ix->arrays > 0) {
    cp_choose(L, ix, a);
    return 1;
  }
  if (a->node != NULL) return push_pending(L, ix, a);
  if (element) {
    CP_CHECK(L, ix->where, cp_index_element(ix, a, &offset));
    return push_element(L, ix->where, a, offset);
  }
  CP_CHECK(L, ix->where, cp_index_rest(ix, a, &rest));
  cp_array *view = cp_push_view_of(L, a, slot, ix->ranges + ix->newaxes + rest);
  CP_CHECK(L, ix->where, cp_index_resolve(ix, rest, a, view));
  return 1;
}

// x[i]: an element of a 1-d array, else row i. The array, which has memory, is at stack index 1.
static int push_row(lua_State *L, const cp_array *a, int64_t i) {
  int64_t position = 0;
  CP_CHECK(L, "index", cp_index_position(i, 0, a->shape[0], &position));
  int64_t offset = position * a->strides[0];
  if (a->ndim == 1) return push_element(L, "index", a, a->offset + offset);
  cp_array *view = cp_push_view_of(L, a, 1, a->ndim - 1);
  view->offset += offset;
  cp_index_add_axes(view, a, 1, a->ndim - 1);
  return 1;
}

// Raises an error if a was freed; computes it unless its views may be pending. Nearly every array that is
// indexed has its memory; then this needs no look at the state.
static inline void need(lua_State *L, cp_array *a) {
  if (a->node != NULL || a->storage == NULL || a->storage->buffer == NULL) cp_need_for_view(L, "index", a);
}

int cp_array_index(lua_State *L, cp_array *a, int type) {
  int64_t i;
  cp_index ix;
  need(L, a);
  if (type == LUA_TNUMBER && a->ndim > 0 && a->node == NULL && cp_is_integer_of(L, type, 2, &i))
    return push_row(L, a, i);
  cp_index_read_as(L, &ix, "index", 2, type);
  return push_selected(L, &ix, a, 1);
}

int cp_array_index_text(lua_State *L, cp_array *a, const char *text, size_t size) {
  cp_index ix;
  need(L, a);
  cp_index_begin(&ix, "index", '"');
  CP_CHECK(L, "index", cp_index_add_text(&ix, text, size));
  return push_selected(L, &ix, a, 1);
}

// Reads the values at stack slots first..last as the items of an index.
static void read_items(lua_State *L, cp_index *ix, const char *where, int first, int last) {
  cp_index_begin(ix, where, '(');
  for (int k = first; k <= last; k++) cp_index_read_item(L, ix, k);
}

int cp_array_call(lua_State *L) {
  cp_index ix;
  cp_array *a = cp_check_value(L, 1, "index", "x");
  need(L, a);
  read_items(L, &ix, "index", 2, lua_gettop(L));
  return push_selected(L, &ix, a, 1);
}

// x:at(i, j, ...) or x:at({i, j, ...}): the 0-d view of one element.
static int array_at(lua_State *L) {
  cp_index ix;
  cp_array *a = cp_check_array(L, 1, "at", "x");
  if (lua_istable(L, 2) && lua_gettop(L) == 2)
    cp_index_read(L, &ix, "at", 2);
  else
    read_items(L, &ix, "at", 2, lua_gettop(L));
  if (ix.integers != ix.count || ix.count != a->ndim)
    return cp_raise(L, "at", CP_EINDEX, "needs %d whole %s, one for each axis", a->ndim,
                    a->ndim == 1 ? "number" : "numbers");
  CP_CHECK(L, "at", cp_index_resolve(&ix, 0, a, cp_push_view_of(L, a, 1, 0)));
  return 1;
}

// ---- writing ----------------------------------------------------------------------------------------------

// Writes the value at stack slot `value` to what ix selects from a, which may be pending.
static void assign_selected(lua_State *L, const cp_index *ix, cp_array *a, int value) {
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  if (a->node != NULL && ix->arrays == 0) {
    CP_CHECK(L, ix->where, cp_index_view(ix, a, view));
    if (cp_assign_pending(L, ix->where, a, view, value)) return;
  }
  if (a->node != NULL) cp_need(L, ix->where, a);
  if (ix->arrays > 0) {
    cp_choose_write(L, ix, a, value, CP_LOOKUP_WRITE, false);
    return;
  }
  view = cp_array_local_init(&local);
  CP_CHECK(L, ix->where, cp_index_view(ix, a, view));
  cp_assign_value(L, ix->where, view, value);
}

// Raises an error if a, an argument named x, was freed; computes it unless parts of it may be written while
// it is pending.
static void need_for_write(lua_State *L, const char *where, cp_array *a) {
  if (a->node == NULL || !cp_may_write_pending(&cp_state_of(L, a)->ctx, a)) cp_need(L, where, a);
}

static bool is_name(const char *s) {
  for (const char *p = s; *p != '\0'; p++)
    if (!(*p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
          (p > s && *p >= '0' && *p <= '9')))
      return false;
  return *s != '\0' && strcmp(s, "new") != 0;
}

// x.name = v by the Lua side (arrays/flat.lua). Upvalue 1: core.
static int set_field(lua_State *L) {
  const char *name = lua_tostring(L, 2);
  lua_getfield(L, lua_upvalueindex(1), "set_field");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  cp_call(L, "index", 3, 1);
  if (lua_toboolean(L, -1)) return 0;
  return cp_raise(L, "index", CP_EUSAGE, "x.%.40s cannot be set; elements are written by an index, x[i] = v",
                  name);
}

int cp_array_newindex(lua_State *L) {
  cp_index ix;
  cp_array *a = lua_touserdata(L, 1); // only Lua calls this, as scripts cannot get the function
  const bool named = lua_type(L, 2) == LUA_TSTRING && is_name(lua_tostring(L, 2));
  if (named) {
    cp_need(L, "index", a);
    return set_field(L);
  }
  if (a->node != NULL || cp_array_alive(a) != CP_OK) need_for_write(L, "index", a);
  cp_index_read(L, &ix, "index", 2);
  assign_selected(L, &ix, a, 3);
  return 0;
}

// x:set(v, i, j, ...): writes v to what the call form x(i, j, ...) reads; without items, to the whole of x.
// Returns x.
static int array_set(lua_State *L) {
  cp_index ix;
  cp_array *a = cp_check_array(L, 1, "set", "x");
  luaL_checkstack(L, 8, "too many arguments");
  if (lua_isnoneornil(L, 2)) return cp_raise(L, "set", CP_EUSAGE, "v is missing");
  read_items(L, &ix, "set", 3, lua_gettop(L));
  assign_selected(L, &ix, a, 2);
  lua_settop(L, 1);
  return 1;
}

// x:update(index, f): x[index] = f(x[index]). Returns x. Upvalue 1: the table core.
static int array_update(lua_State *L) {
  cp_index ix;
  cp_array *a = cp_check_array(L, 1, "update", "x");
  cp_at_most(L, "update", 3);
  lua_settop(L, 3);
  lua_getfield(L, lua_upvalueindex(1), "callable");
  lua_pushvalue(L, 3);
  lua_pushliteral(L, "update");
  lua_pushliteral(L, "f");
  cp_call(L, "update", 3, 1);
  lua_replace(L, 3);
  cp_index_read(L, &ix, "update", 2);
  push_selected(L, &ix, a, 1);
  lua_insert(L, 4);
  lua_settop(L, 4);
  lua_pushvalue(L, 3);
  lua_insert(L, 4);
  cp_call(L, "update", 1, 1);
  lua_replace(L, 3);
  cp_need(L, "update", a);            // f may have freed it,
  cp_index_read(L, &ix, "update", 2); // or changed the index
  assign_selected(L, &ix, a, 3);
  lua_settop(L, 1);
  return 1;
}

// ---- cp.newaxis, cp.ellipsis, cp.index --------------------------------------------------------------------

static int marker_text(lua_State *L) {
  const cp_item_kind *kind = cp_check_object(L, 1, CP_KIND_MARKER, "tostring", "argument 1");
  lua_pushstring(L, *kind == CP_ITEM_NEWAXIS ? "cupola.newaxis" : "cupola.ellipsis");
  return 1;
}

// Sets the field `name` of the table on top to a new marker.
static void set_marker(lua_State *L, const char *name, cp_item_kind kind) {
  *(cp_item_kind *)cp_push_object(L, CP_KIND_MARKER, sizeof kind) = kind;
  lua_setfield(L, -2, name);
}

// cp.index{...}: an int64 array of positions. This is the only place where a table of numbers is a list and
// not a range.
static int make_index(lua_State *L) {
  if (!lua_istable(L, 1) || lua_gettop(L) > 1)
    return cp_raise(L, "index", CP_EUSAGE, "cp.index takes one table of positions, as in cp.index{1, 3, 5}");
  cp_push_from_table(L, "index", 1, CP_INT64, CP_NDTYPES, cp_current_device(L));
  return 1;
}

// core.choose(where, x, key): x[key], with errors that name `where`.
static int choose(lua_State *L) {
  cp_index ix;
  const char *where = luaL_checkstring(L, 1);
  cp_array *a = cp_check_array(L, 2, where, "x");
  cp_index_read(L, &ix, where, 3);
  return push_selected(L, &ix, a, 2);
}

// core.slice(x, axis, first, last[, step]): the view x[{{}, ..., {first, last, step}}] of positions along an
// axis, from 1; last may be first - 1.
static int slice(lua_State *L) {
  cp_index ix;
  int64_t numbers[3];
  cp_array *a = cp_check_value(L, 1, "index", "x");
  const lua_Integer axis = luaL_checkinteger(L, 2);
  const int count = lua_isnoneornil(L, 5) ? 2 : 3;
  cp_demand(L, "index", axis >= 1 && axis <= CP_MAXDIM, "there is no such axis");
  need(L, a);
  cp_index_begin(&ix, "index", '{');
  for (lua_Integer k = 1; k < axis; k++) CP_CHECK(L, "index", cp_index_add_range(&ix, 0, NULL));
  for (int k = 0; k < count; k++)
    if (!cp_to_integer(L, 3 + k, &numbers[k]))
      return cp_raise(L, "index", CP_EINDEX, "item %d of the index is a range, which takes whole numbers",
                      (int)axis);
  CP_CHECK(L, "index", cp_index_add_range(&ix, count, numbers));
  return push_selected(L, &ix, a, 1);
}

// core.choose_write(where, x, key, value): x[key] = value, with errors that name `where`.
static int choose_write(lua_State *L) {
  cp_index ix;
  const char *where = luaL_checkstring(L, 1);
  cp_array *a = cp_check_value(L, 2, where, "x");
  need_for_write(L, where, a);
  luaL_checkany(L, 4);
  cp_index_read(L, &ix, where, 3);
  assign_selected(L, &ix, a, 4);
  return 0;
}

void cp_open_index(lua_State *L) {
  static const luaL_Reg core[] = {
      {"choose", choose}, {"choose_write", choose_write}, {"slice", slice}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"at", array_at}, {"set", array_set}, {NULL, NULL}};
  static const luaL_Reg marker[] = {{"__tostring", marker_text}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_MARKER, marker, NULL);
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
  lua_pushvalue(L, 2);
  set_marker(L, "newaxis", CP_ITEM_NEWAXIS);
  set_marker(L, "ellipsis", CP_ITEM_ELLIPSIS);
  lua_pushcfunction(L, make_index);
  lua_setfield(L, -2, "index");
  lua_pop(L, 1);
  lua_pushvalue(L, 3);
  cp_put_functions(L, -1, methods);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, array_update, 1);
  lua_setfield(L, -2, "update");
  lua_pop(L, 1);
  cp_open_fancy(L);
}
