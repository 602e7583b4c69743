// x[index] and x[index] = v for an index with arrays, by the rules of rules/indexing/select.h; the primitives
// for scatter, take_along_axis and masks on the Lua side; and the settings of checks and determinism.
#include "lua/indexing/index.h"

#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/indexing/view.h"
#include "lua/values/handle.h"
#include "rules/indexing/lookup.h"

#include <string.h>

// ---- arguments --------------------------------------------------------------------------------------------

enum { SITE_SIZE = LUA_IDSIZE + 32 };

// The line of the script as "FILE:LINE", for errors that a device finds later; empty for the CPU device,
// which finds them at once.
static const char *site_of(lua_State *L, const cp_array *a, char *text) {
  text[0] = '\0';
  if (a->device == cp_device_cpu()) return text;
  cp_user_position(L, text, SITE_SIZE);
  size_t n = strlen(text);
  if (n > 2) text[n - 2] = '\0'; // without the ": " at the end
  return text;
}

// Reads the value at stack slot `slot` (array, table, number), which will be written into target. Pushes the
// array made of a table.
static void read_value(lua_State *L, const char *where, const cp_array *target, int slot, cp_value *v) {
  v->array = cp_test_array(L, slot);
  if (v->array != NULL || cp_to_scalar(L, slot, &v->s, &v->kind, &v->weak)) return;
  if (!lua_istable(L, slot))
    cp_raise(L, where, CP_EUSAGE, "cannot write %s into an array; give an array, number or table",
             luaL_typename(L, slot));
  v->array = cp_push_from_table(L, where, slot, CP_NDTYPES, target->dtype, target->device);
}

// The context for work on behalf of `where`.
static cp_context *context_for(lua_State *L, const cp_array *a, const char *where) {
  cp_context *ctx = &cp_state_of(L, a)->ctx;
  ctx->lazy.caller = where;
  return ctx;
}

// ---- indices ----------------------------------------------------------------------------------------------

void cp_choose(lua_State *L, const cp_index *ix, cp_array *a) {
  char site[SITE_SIZE];
  cp_selection c;
  cp_node *root = NULL;
  CP_CHECK(L, ix->where, cp_select(ix, a, &c));
  luaL_checkstack(L, 8, "too many arrays");
  if (!c.single_mask) c.site = site_of(L, a, site);
  cp_array *result = cp_push_array(L, c.ndim);
  CP_CHECK(L, ix->where, cp_select_read(context_for(L, a, ix->where), &c, result, &root));
  if (root != NULL) CP_CHECK(L, ix->where, cp_give(result, root));
}

void cp_choose_write(lua_State *L, const cp_index *ix, cp_array *a, int value, cp_lookup_kind kind,
                     bool distinct) {
  char site[SITE_SIZE];
  cp_selection c;
  cp_value v;
  CP_CHECK(L, ix->where, cp_select(ix, a, &c));
  CP_CHECK(L, ix->where, cp_check_write(a, kind));
  luaL_checkstack(L, 8, "too many arrays");
  if (!c.single_mask) c.site = site_of(L, a, site);
  read_value(L, ix->where, a, value, &v);
  CP_CHECK(L, ix->where, cp_select_write(context_for(L, a, ix->where), &c, &v, kind, distinct));
}

// ---- for the Lua side -------------------------------------------------------------------------------------

// Reads the kind of a lookup. "any" means a write with *distinct set: positions are known to be distinct, or
// any of the values written to one element is fine.
static cp_lookup_kind kind_at(lua_State *L, int slot, bool *distinct) {
  static const char *const names[] = {"read", "write", "add", "max", "min", "any", NULL};
  int kind = luaL_checkoption(L, slot, "read", names);
  *distinct = kind > CP_LOOKUP_MIN;
  return *distinct ? CP_LOOKUP_WRITE : (cp_lookup_kind)kind;
}

// core.scatter(where, kind, x, key, value): combines each element that the key selects with the value, as
// `kind` says.
static int scatter(lua_State *L) {
  cp_index ix;
  bool distinct;
  const char *where = luaL_checkstring(L, 1);
  cp_lookup_kind kind = kind_at(L, 2, &distinct);
  cp_array *a = cp_check_array(L, 3, where, "a");
  if (lua_isnoneornil(L, 5)) return cp_raise(L, where, CP_EUSAGE, "value is missing");
  cp_index_read(L, &ix, where, 4);
  cp_choose_write(L, &ix, a, 5, kind, distinct);
  return 0;
}

// core.along(where, kind, x, indices, axis[, values]): a lookup along the axis, counted from 1 (cp_along):
// reads the elements, or writes the values.
static int along(lua_State *L) {
  char site[SITE_SIZE];
  cp_value v;
  cp_along w = {.where = luaL_checkstring(L, 1)};
  w.kind = kind_at(L, 2, &w.distinct);
  cp_array *a = w.array = cp_check_array(L, 3, w.where, "arr");
  w.positions = cp_check_array(L, 4, w.where, "indices");
  int64_t given = cp_arg_integer(L, 5, w.where, "axis");
  cp_demand(L, w.where, given >= 1 && given <= a->ndim, "axis must be one of the array's");
  w.axis = (int)given - 1;
  w.site = site_of(L, a, site);
  if (w.kind == CP_LOOKUP_READ) {
    cp_array *result = cp_push_array(L, a->ndim);
    cp_node *root;
    CP_CHECK(L, w.where, cp_along_read(context_for(L, a, w.where), &w, result, &root));
    if (root != NULL) CP_CHECK(L, w.where, cp_give(result, root));
    return 1;
  }
  CP_CHECK(L, w.where, cp_check_write(a, w.kind));
  read_value(L, w.where, a, 6, &v);
  CP_CHECK(L, w.where, cp_along_write(context_for(L, a, w.where), &w, &v));
  return 0;
}

// core.positions(where, mask, rows): the positions of the true elements (cp_mask_positions).
static int positions(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *mask = cp_check_array(L, 2, where, "a");
  bool rows = lua_toboolean(L, 3);
  if (mask->dtype != CP_BOOL) mask = cp_push_as(L, where, mask, CP_BOOL);
  cp_array *result = cp_push_array(L, 2);
  CP_CHECK(L, where, cp_mask_positions(context_for(L, mask, where), mask, rows, result));
  return 1;
}

// core.count_true(where, mask): how many elements of a bool array are true.
static int count_true(lua_State *L) {
  int64_t count = 0;
  const char *where = luaL_checkstring(L, 1);
  cp_array *mask = cp_check_array(L, 2, where, "mask");
  cp_demand(L, where, mask->dtype == CP_BOOL, "mask must be of bool");
  CP_CHECK(L, where, cp_count_true(context_for(L, mask, where), mask, &count));
  cp_push_scalar(L, cp_scalar_int(count, CP_INT64));
  return 1;
}

// ---- settings ---------------------------------------------------------------------------------------------

// cp.deterministic([on]): sets whether results are the same in every run, which costs time. Returns the
// setting before.
CP_SIGNATURE(deterministic, 0, "on");
static int deterministic(lua_State *L) {
  cp_arguments(L, &deterministic_signature);
  cp_context *ctx = &cp_state_get(L)->ctx;
  lua_pushboolean(L, ctx->settings.deterministic);
  if (!lua_isnoneornil(L, 1))
    ctx->settings.deterministic = cp_arg_boolean_or(L, 1, "deterministic", "on", true);
  return 1;
}

// cp.checks([mode]): with "strict", work whose errors a device finds is waited for; with "lazy", errors are
// reported at the next synchronisation. Returns the setting before.
CP_SIGNATURE(checks, 0, "mode");
static int checks(lua_State *L) {
  cp_arguments(L, &checks_signature);
  cp_context *ctx = &cp_state_get(L)->ctx;
  const char *mode = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : NULL;
  if (!lua_isnil(L, 1) && (mode == NULL || (strcmp(mode, "strict") != 0 && strcmp(mode, "lazy") != 0)))
    cp_not_among(L, "checks", "mode", "\"strict\" or \"lazy\"", 1);
  lua_pushstring(L, ctx->settings.strict ? "strict" : "lazy");
  if (mode != NULL) ctx->settings.strict = strcmp(mode, "strict") == 0;
  return 1;
}

void cp_open_fancy(lua_State *L) {
  static const luaL_Reg core[] = {{"scatter", scatter},
                                  {"along", along},
                                  {"positions", positions},
                                  {"count_true", count_true},
                                  {NULL, NULL}};
  static const luaL_Reg cp[] = {{"deterministic", deterministic}, {"checks", checks}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_put_functions(L, 2, cp);
}
