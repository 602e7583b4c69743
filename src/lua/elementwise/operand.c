// Reads Lua values as operands of elementwise work (operand.h): which dtype bare numbers and tables take
// beside arrays, by the rules of rules/operands.h.
#include "lua/elementwise/operand.h"

#include "device/fast.h"
#include "lua/conversion/convert.h"
#include "lua/elementwise/sparse.h"
#include "lua/objects/handles.h"
#include "lua/state/current_device.h"
#include "lua/state/error.h"
#include "lua/values/scalar.h"

// Reads a number beside an array of dtype t, if that is a floating dtype, which the number then takes.
static bool read_number(lua_State *L, int index, cp_dtype t, cp_value *v) {
  if (!cp_is_float(t) || lua_type(L, index) != LUA_TNUMBER) return false;
  v->weak = true;
  cp_number_to_scalar(L, index, &v->s, &v->kind);
  return true;
}

// Reads the usual two operands: arrays of the same shape, dtype and device, or an array of a floating dtype
// and a number. A fast path, equal to the rest of cp_read_dense. False if they are others or one was
// freed. Leaves the metatable of arrays on top of the stack.
static bool read_alike(lua_State *L, int first, cp_operands *o) {
  cp_array *x = cp_test_array(L, first), *y = cp_test_array(L, first + 1);
  cp_array *a = x != NULL ? x : y;
  if (a == NULL || cp_array_alive(a) != CP_OK) return false;
  o->v[0].array = x;
  o->v[1].array = y;
  o->weak = CP_NDTYPES;
  if (x == NULL || y == NULL) {
    int number = x == NULL ? 0 : 1;
    if (!read_number(L, first + number, a->dtype, &o->v[number])) return false;
    o->weak = a->dtype;
  } else if (x->dtype != y->dtype || x->device != y->device || cp_array_alive(y) != CP_OK ||
             !cp_shape_equal(x->ndim, x->shape, y->ndim, y->shape)) {
    return false;
  }
  o->ctx = &cp_state_of(L, a)->ctx;
  if (!cp_may_go_fast(o->ctx, CP_FAST_OPERANDS)) return false;
  o->count = 2;
  o->ndim = a->ndim;
  o->first = a;
  o->any_pending = a->node != NULL || (y != NULL && y->node != NULL);
  o->alike = o->any_array = o->fast_ok = true;
  o->device = a->device;
  o->strong = a->dtype;
  o->cast = CP_NDTYPES;
  o->aside = -1;
  o->weight.ops = 0;
  return lua_getmetatable(L, x != NULL ? first : first + 1);
}

// Makes arrays of all tables, each beside the operands that are not tables. Returns the kinds of bare numbers
// in them that do not fit the integers beside them (cp_push_operand_table).
static int read_tables(lua_State *L, const cp_reading *r, int first, cp_operands *o) {
  int numbers = 0, flags = r->flags;
  cp_dtype like = r->dtype == CP_NDTYPES ? o->strong : r->dtype;
  cp_dtype_set dtypes = o->dtypes, none = 0;
  bool by_value = (flags & CP_BY_VALUE) != 0;
  for (int k = 0; k < o->count; k++) {
    cp_value *v = &o->v[k];
    // An exponent that is a whole number takes part as int32.
    bool aside = k == o->aside, exponent = aside && flags & CP_EXPONENT;
    if (v->array != NULL || v->kind != 't') continue;
    int beyond = cp_push_operand_table(L, r->where, first + k, exponent ? CP_INT32 : like, by_value,
                                       o->device, aside ? &none : &dtypes);
    if (!aside) numbers |= beyond;
    v->array = cp_test_array(L, -1);
    cp_operands_add_array(o, k);
    lua_replace(L, first + k);
  }
  o->dtypes = dtypes;
  o->strong = cp_promote_all(dtypes);
  return numbers;
}

// Computes pending operands first if they are too large.
static void bound(lua_State *L, const char *where, cp_operands *o) {
  o->ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_operands_bound(o));
}

// Reads the usual two operands; false if they are others.
static bool read_usual(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o) {
  if (count != 2 || r->flags != 0 || r->dtype != CP_NDTYPES || !read_alike(L, first, o)) return false;
  if (o->any_pending) bound(L, r->where, o);
  return true;
}

typedef enum operand_kind { OPERAND_READ, OPERAND_TABLE, OPERAND_SPARSE } operand_kind;

// Reads the value at index as operand k, but for a table, which is read later, beside the operands that are
// not tables, and for a sparse array.
static operand_kind read_operand(lua_State *L, const cp_reading *r, int index, cp_operands *o, int k) {
  cp_value *v = &o->v[k];
  v->array = cp_test_array(L, index);
  bool table = v->array == NULL && lua_istable(L, index);
  if (v->array != NULL) {
    if (o->ctx == NULL) o->ctx = &cp_state_of(L, v->array)->ctx;
  } else if (table) {
    v->weak = true;
    v->kind = 't';
  } else if (!cp_to_scalar(L, index, &v->s, &v->kind, &v->weak)) {
    if (cp_is_sparse(L, index)) return OPERAND_SPARSE;
    cp_raise(L, r->where, CP_EUSAGE, "%s must be an array, number or table, not %s", r->names[k],
             lua_isnoneornil(L, index) ? "nil (missing)" : luaL_typename(L, index));
  }
  CP_CHECK(L, r->where, cp_operands_add(o, k));
  return table ? OPERAND_TABLE : OPERAND_READ;
}

bool cp_read_dense(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o) {
  bool tables = false;
  if (read_usual(L, r, first, count, o)) return true;
  cp_operands_begin(o, NULL, r, count);
  for (int k = 0; k < count; k++) {
    operand_kind kind = read_operand(L, r, first + k, o, k);
    if (kind == OPERAND_SPARSE) return false;
    tables = tables || kind == OPERAND_TABLE;
  }
  if (o->ctx == NULL) o->ctx = &cp_state_get(L)->ctx;
  if (o->device == NULL) o->device = cp_current_device(L);
  int beyond = tables ? read_tables(L, r, first, o) : 0;
  cp_dtype standard = ((const cp_state *)(const void *)o->ctx)->default_dtype; // ctx is its first member
  CP_CHECK(L, r->where, cp_operands_settle(o, r, beyond, standard));
  if (o->any_pending) bound(L, r->where, o);
  return true;
}

void cp_read_operands(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o) {
  if (cp_read_dense(L, r, first, count, o)) return;
  cp_raise(L, r->where, CP_EUSAGE, "takes no sparse arrays; convert them with :toarray()");
}
