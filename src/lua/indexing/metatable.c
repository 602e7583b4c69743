// The metatable of arrays: their fields, metamethods and finalizer, comparisons, free, and tests of values.
#include "cupola.h"
#include "lua/state/module.h"

#include "lazy/expression/graph.h"
#include "lua/arguments/args.h"
#include "lua/indexing/index.h"
#include "lua/indexing/view.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/depth.h"
#include "lua/state/unknown.h"
#include "lua/values/handle.h"
#include "lua/values/shape.h"

#include <string.h>

// ---- fields -----------------------------------------------------------------------------------------------

static int field_flags(lua_State *L, const cp_array *a) {
  lua_createtable(L, 0, 4);
  lua_pushboolean(L, cp_array_contiguous(a, 'C'));
  lua_setfield(L, -2, "c_contiguous");
  lua_pushboolean(L, cp_array_contiguous(a, 'F'));
  lua_setfield(L, -2, "f_contiguous");
  lua_pushboolean(L, !a->readonly);
  lua_setfield(L, -2, "writeable");
  lua_pushboolean(L, a->owner);
  lua_setfield(L, -2, "owndata");
  return 1;
}

// Whether a is a constant or another cheap value, which a synchronisation does not launch, as it is not
// waiting work. A script that takes its address after a synchronisation, and writes there from another
// stream, would race with the kernel that fills it; so field_data waits.
static bool is_left_alone(const cp_array *a) {
  return a->node != NULL && a->node->kind != CP_NODE_LEAF && cp_is_cheap(a->node);
}

static int field_data(lua_State *L, cp_array *a) {
  char *p;
  cp_context *ctx = &cp_state_of(L, a)->ctx;
  cp_check_capability(L, "data", CUPOLA_POINTERS);
  ctx->lazy.caller = "data";
  bool late = ctx->capture.graph == NULL && is_left_alone(a);
  CP_CHECK(L, "data", cp_expose(ctx, a, CP_EXPOSED_POINTER));
  if (late) CP_CHECK(L, "data", cp_context_finish(ctx, a->device));
  CP_CHECK(L, "data", cp_array_pointer(a, &p));
  lua_createtable(L, 0, 1);
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)p, CP_INT64));
  lua_setfield(L, -2, "ptr");
  return 1;
}

static void push_count(lua_State *L, int64_t v) { cp_push_scalar(L, cp_scalar_int(v, CP_INT64)); }

// Pushes the field `name` of a; returns 0 if there is none. ORDER array_fields
static int push_field(lua_State *L, cp_array *a, const char *name) {
  if (strcmp(name, "shape") == 0)
    cp_push_shape(L, a->ndim, a->shape);
  else if (strcmp(name, "dtype") == 0)
    lua_pushstring(L, cp_dtypes[a->dtype].name);
  else if (strcmp(name, "ndim") == 0)
    push_count(L, a->ndim);
  else if (strcmp(name, "size") == 0)
    push_count(L, a->size);
  else if (strcmp(name, "T") == 0)
    return cp_push_transposed(L, a);
  else if (strcmp(name, "mT") == 0)
    return cp_push_matrices_transposed(L, a);
  else if (strcmp(name, "device") == 0)
    lua_pushstring(L, a->device->name);
  else if (strcmp(name, "itemsize") == 0)
    push_count(L, (int64_t)cp_itemsize(a->dtype));
  else if (strcmp(name, "nbytes") == 0)
    push_count(L, a->size * (int64_t)cp_itemsize(a->dtype));
  else if (strcmp(name, "strides") == 0)
    cp_push_shape(L, a->ndim, a->strides);
  else if (strcmp(name, "real") == 0)
    return cp_push_part(L, a, false);
  else if (strcmp(name, "imag") == 0)
    return cp_push_part(L, a, true);
  else if (strcmp(name, "flags") == 0)
    return field_flags(L, a);
  else if (strcmp(name, "data") == 0)
    return field_data(L, a);
  else
    return 0;
  return 1;
}

// x.flat, which the Lua side makes (arrays/flat.lua). Upvalue 2: core.
static int push_flat(lua_State *L) {
  lua_getfield(L, lua_upvalueindex(2), "flat_of");
  lua_pushvalue(L, 1);
  cp_call(L, "flat", 1, 1);
  return 1;
}

static const char *const array_fields[] = {"shape",  "ndim",    "size", "nbytes", "itemsize", "dtype",
                                           "device", "strides", "T",    "mT",     "real",     "imag",
                                           "flags",  "data",    "flat", NULL};

static bool begins_name(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_identifier(const char *s) {
  if (!begins_name(*s)) return false;
  for (; *s != '\0'; s++)
    if (!begins_name(*s) && !(*s >= '0' && *s <= '9')) return false;
  return true;
}

// x[text]: a method, a field, or an index given as text. Upvalues: methods, core. Names begin with a letter;
// the only such index begins with "new".
static int index_by_text(lua_State *L, cp_array *a) {
  size_t size;
  const char *text = lua_tolstring(L, 2, &size);
  if (begins_name(*text)) {
    lua_pushvalue(L, 2);
    if (cp_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
    lua_pop(L, 1);
  }
  if (is_identifier(text)) {
    if (push_field(L, a, text)) return 1;
    if (strcmp(text, "flat") == 0) return push_flat(L);
    lua_pushvalue(L, 2);
    lua_gettable(L, lua_upvalueindex(1)); // loads the part that has it (later.lua)
    if (!lua_isnil(L, -1)) return 1;
    if (strcmp(text, "new") != 0)
      return cp_raise_unknown(L, "index", "an array", text, lua_upvalueindex(1), array_fields);
  }
  return cp_array_index_text(L, a, text, size);
}

// The array whose metamethod is called; leaves its metatable on the stack.
static inline cp_array *self(lua_State *L, const char *where) {
  cp_array *a = cp_test_array_kept(L, 1);
  return a != NULL ? a : cp_check_object(L, 1, CP_KIND_ARRAY, where, "x");
}

// x[key]: the array's fields, methods and elements.
static int index_event(lua_State *L) {
  cp_array *a = lua_touserdata(L, 1); // only Lua calls this, as scripts cannot get the function
  int type = lua_type(L, 2);
  return type == LUA_TSTRING ? index_by_text(L, a) : cp_array_index(L, a, type);
}

static int length_event(lua_State *L) {
  const cp_array *a = self(L, "len");
  if (a->ndim == 0) return cp_raise(L, "len", CP_ESHAPE, "a 0-d array has no length");
  push_count(L, a->shape[0]);
  return 1;
}

// The finalizer. It only queues the memory, since it must neither call the device nor raise an error. The
// handle is left as an array without memory. Scripts can get a finalizer only by the debug library; an array
// that was finalised before, or whose state is closed, is no longer in its place.
static int collect_event(lua_State *L) {
  cp_array *a = lua_touserdata(L, 1);
  cp_state *s = (cp_state *)(void *)a->context; // ctx is its first member
  if (!cp_is_listed(s, a)) return 0;
  cp_remove_handle(s, a);
  if (a->node != NULL) cp_pending_finalize(a);
  cp_array_release(a);
  return 0;
}

// Compares two real values: negative, 0 or positive; *nan is set if one is nan. 64-bit integers are not
// rounded.
static int order_of(cp_scalar a, cp_scalar b, bool *nan) {
  bool whole_a = !cp_is_float(a.dtype), whole_b = !cp_is_float(b.dtype);
  *nan = false;
  if (whole_a && whole_b) {
    bool below_a = !cp_is_unsigned(a.dtype) && a.v.i < 0, below_b = !cp_is_unsigned(b.dtype) && b.v.i < 0;
    if (below_a != below_b) return below_a ? -1 : 1;
    return a.v.u < b.v.u ? -1 : a.v.u > b.v.u; // two negative values compare alike as unsigned ones
  }
  double x = cp_scalar_cast(a, CP_FLOAT64).v.f, y = cp_scalar_cast(b, CP_FLOAT64).v.f;
  *nan = x != x || y != y;
  return x < y ? -1 : x > y;
}

// a < b and a <= b (upvalue 1: or equal). Arrays of one element compare their values; for others the error
// names the method to use.
static int order_event(lua_State *L) {
  bool or_equal = lua_toboolean(L, lua_upvalueindex(1));
  const char *twin = or_equal ? "le" : "lt";
  cp_scalar v[2];
  bool nan;
  for (int k = 1; k <= 2; k++) {
    cp_array *a = cp_test_array(L, k);
    if (a == NULL || a->size != 1 || cp_is_traced(a))
      return cp_raise(
          L, "compare", CP_EUSAGE,
          "Lua turns a comparison into one boolean; use x:%s(y) (or gt, ge, eq, ne) for an elementwise one",
          twin);
    int64_t first[CP_MAXDIM] = {0};
    v[k - 1] = cp_read_element(L, "compare", a, first);
    if (cp_is_complex(a->dtype)) return cp_raise(L, "compare", CP_EDTYPE, "complex values cannot be ordered");
  }
  int order = order_of(v[0], v[1], &nan);
  lua_pushboolean(L, !nan && (or_equal ? order <= 0 : order < 0));
  return 1;
}

// x:has_shape(3, 4) or x:has_shape({3, 4}): whether the shape is (3, 4).
static int has_shape(lua_State *L) {
  const cp_array *a = cp_check_value(L, 1, "has_shape", "x");
  if (lua_gettop(L) == 2 && lua_istable(L, 2)) {
    int64_t shape[CP_MAXDIM];
    int ndim = cp_arg_shape(L, 2, "has_shape", "shape", shape);
    lua_pushboolean(L, cp_shape_equal(ndim, shape, a->ndim, a->shape));
    return 1;
  }
  int n = lua_gettop(L) - 1;
  bool same = n == a->ndim;
  for (int d = 0; d < n; d++)
    same = (cp_arg_integer(L, d + 2, "has_shape", "length") == (d < a->ndim ? a->shape[d] : 0)) && same;
  lua_pushboolean(L, same);
  return 1;
}

static int close_event(lua_State *L) {
  cp_array *a = cp_test_array(L, 1);
  if (a == NULL) return cp_raise(L, "free", CP_EUSAGE, "x must be an array, not %s", cp_kind_text(L, 1));
  // A failure is left to whoever needs the reduction.
  if (a->storage != NULL && a->storage->buffer != NULL)
    (void)cp_force_reductions_of(a->context != NULL ? a->context : &cp_state_get(L)->ctx, a->storage->buffer);
  cp_free_memory(a);
  return 0;
}

// x:free(): frees the memory now; using any view of it then raises an error. Freeing twice is allowed.
static int free_array(lua_State *L) {
  cp_at_most(L, "free", 1);
  return close_event(L);
}

static int is_array(lua_State *L) {
  lua_pushboolean(L, cp_test_array(L, 1) != NULL);
  return 1;
}

// cp.type(v): "array", "scalar", "sparse", or the type's name in Lua.
static int type_of(lua_State *L) {
  if (cp_test_array(L, 1) != NULL)
    lua_pushliteral(L, "array");
  else if (cp_test_boxed(L, 1) != NULL)
    lua_pushliteral(L, "scalar");
  else if (cp_test_object(L, 1, CP_KIND_SPARSE) != NULL)
    lua_pushliteral(L, "sparse");
  else
    lua_pushstring(L, luaL_typename(L, 1));
  return 1;
}

static void make_metatable(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", collect_event},  {"__index", index_event},
                                  {"__len", length_event},  {"__call", cp_array_call},
                                  {"__close", close_event}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_ARRAY, meta, NULL);
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, index_event, 2);
  lua_setfield(L, -2, "__index");
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, cp_array_newindex, 1);
  lua_setfield(L, -2, "__newindex");
  for (int k = 0; k < 2; k++) {
    lua_pushboolean(L, k);
    lua_pushcclosure(L, order_event, 1);
    lua_setfield(L, -2, k ? "__le" : "__lt");
  }
}

void cp_open_metatable(lua_State *L) {
  static const luaL_Reg cp[] = {{"is_array", is_array}, {"type", type_of}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"has_shape", has_shape}, {"free", free_array}, {NULL, NULL}};
  make_metatable(L);
  cp_put_functions(L, 2, cp);
  cp_put_functions(L, 3, methods);
  lua_pop(L, 1);
}
