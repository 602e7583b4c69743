// Lua values as operands of elementwise work: which dtype bare numbers and tables take beside arrays (API.md section 1).
#include "lua/support/state.h"

// What bare numbers there are. tables: those of tables that the integers beside them, of dtype D, cannot hold.
static int bare_numbers(const cp_operands *o, int tables) {
  int numbers = tables;
  for (int k = 0; k < o->count; k++) {
    const cp_lua_operand *v = &o->v[k];
    if (v->array == NULL && v->weak && k != o->aside) numbers |= cp_weak_of(v->kind);
  }
  return numbers;
}

// D: the dtype beside them.
static void resolve(lua_State *L, const cp_reading *r, cp_dtype D, int tables, cp_operands *o) {
  int numbers = bare_numbers(o, tables);
  cp_dtype standard = o->any_array || o->strong != CP_NDTYPES ? o->state->default_dtype : CP_FLOAT64;
  if (numbers == 0) return;
  o->weak = numbers == CP_WEAK_BOOL ? CP_BOOL : cp_weak_dtype(numbers, D, standard);
  int wide = r->flags & CP_BY_VALUE ? CP_WEAK_COMPLEX : CP_WEAK_COMPLEX | CP_WEAK_FLOAT;
  if (numbers & wide && D != CP_NDTYPES && !cp_is_inexact(D))
    o->cast = o->weak; // comparisons take integers as they are
  if (r->flags & CP_BY_VALUE || !cp_is_integer(o->weak)) return;
  for (int k = 0; k < o->count; k++) {
    const cp_lua_operand *v = &o->v[k];
    if (v->array != NULL || !v->weak || k == o->aside || v->kind != 'i' || cp_scalar_fits(v->s, o->weak))
      continue;
    cp_raise(L, r->where, CP_EDTYPE, "%s = %.17g does not fit %s; convert the array with :astype",
             r->names[k], cp_scalar_cast(v->s, CP_FLOAT64).v.f, cp_dtypes[o->weak].name);
  }
}

static inline void strong_operand(cp_operands *o, cp_dtype t) {
  o->dtypes |= cp_set_of(t);
  if (o->strong != t) o->strong = o->strong == CP_NDTYPES ? t : cp_promote_all(o->dtypes);
}

static inline void add_array(cp_operands *o, cp_lua_operand *v, cp_array *a) {
  v->array = a;
  if (!o->any_array) {
    o->device = a->device;
    o->first = a;
  } else {
    const cp_array *b = o->first;
    o->alike = o->alike && a->dtype == b->dtype && a->device == b->device &&
               cp_shape_equal(a->ndim, a->shape, b->ndim, b->shape);
  }
  o->any_pending |= a->node != NULL;
  o->any_array = true;
  if (a->ndim > o->ndim) o->ndim = a->ndim;
}

// Large pending operands are computed first.
static void bound(lua_State *L, const char *where, cp_operands *o) {
  cp_array *arrays[CP_CALL_OPERANDS];
  cp_context *ctx = &o->state->ctx;
  for (int k = 0; k < o->count; k++) arrays[k] = o->v[k].array;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_bound_operands(ctx, o->count, arrays));
}

// A number beside an array of floating dtype t, whose dtype it takes.
static bool read_number(lua_State *L, int index, cp_dtype t, cp_lua_operand *v) {
  if (!cp_is_float(t) || lua_type(L, index) != LUA_TNUMBER) return false;
  v->weak = true;
  cp_number_to_scalar(L, index, &v->s, &v->kind);
  return true;
}

// The usual two operands: arrays that are alike, or one of a floating dtype and a number. False: they are others, or one was freed. Leaves their
// metatable on top of the stack.
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
  o->state = cp_state_of(L, a);
  o->count = 2;
  o->ndim = a->ndim;
  o->first = a;
  o->any_pending = a->node != NULL || (y != NULL && y->node != NULL);
  o->alike = o->any_array = o->fast_ok = true;
  o->device = a->device;
  o->strong = a->dtype;
  o->cast = CP_NDTYPES;
  o->aside = -1;
  return lua_getmetatable(L, x != NULL ? first : first + 1);
}

// Makes arrays of all tables, each beside what is no table. Returns what bare numbers in them go beyond the integers beside them (cp_push_operand_table).
static int read_tables(lua_State *L, const cp_reading *r, int first, cp_operands *o) {
  int numbers = 0, flags = r->flags;
  cp_dtype like = r->dtype == CP_NDTYPES ? o->strong : r->dtype;
  cp_dtype_set dtypes = o->dtypes, none = 0;
  bool by_value = (flags & CP_BY_VALUE) != 0;
  for (int k = 0; k < o->count; k++) {
    cp_lua_operand *v = &o->v[k];
    bool aside = k == o->aside, exponent = aside && flags & CP_EXPONENT; // whole numbers are such exponents
    if (v->array != NULL || v->kind != 't') continue;
    int beyond = cp_push_operand_table(L, r->where, first + k, exponent ? CP_INT32 : like, by_value,
                                       o->device, aside ? &none : &dtypes);
    if (!aside) numbers |= beyond;
    add_array(o, v, cp_test_array(L, -1));
    lua_replace(L, first + k);
  }
  o->dtypes = dtypes;
  o->strong = cp_promote_all(dtypes);
  return numbers;
}

void cp_read_operands(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o) {
  bool tables = false, weak = false;
  if (count == 2 && r->flags == 0 && r->dtype == CP_NDTYPES && read_alike(L, first, o)) {
    if (o->any_pending) bound(L, r->where, o);
    return;
  }
  o->state = NULL;
  o->any_pending = o->fast_ok = false;
  o->alike = true;
  o->weak = o->cast = CP_NDTYPES;
  o->count = count;
  o->ndim = 0;
  o->any_array = false;
  o->device = NULL;
  o->strong = CP_NDTYPES;
  o->dtypes = 0;
  o->aside = r->flags & CP_CONDITION ? 0 : r->flags & CP_EXPONENT ? 1 : -1;
  for (int k = 0; k < count; k++) {
    cp_lua_operand *v = &o->v[k];
    int index = first + k;
    cp_array *a = cp_test_array(L, index);
    v->array = a;
    if (a != NULL) {
      CP_CHECK(L, r->where, cp_array_alive(a));
      if (o->state == NULL) o->state = cp_state_of(L, a);
      add_array(o, v, a);
      if (k != o->aside) strong_operand(o, a->dtype);
    } else if (lua_istable(L, index)) {
      tables = true;
      v->weak = true;
      v->kind = 't';
    } else if (cp_to_scalar(L, index, &v->s, &v->kind, &v->weak)) {
      weak = weak || v->weak;
      if (!v->weak && k != o->aside) strong_operand(o, v->s.dtype);
    } else {
      cp_raise(L, r->where, CP_EUSAGE, "%s must be an array, number or table, not %s", r->names[k],
               lua_isnoneornil(L, index) ? "nil (missing)" : luaL_typename(L, index));
    }
  }
  if (o->state == NULL) o->state = cp_state_get(L);
  if (o->device == NULL) o->device = cp_current_device(L);
  int numbers = tables ? read_tables(L, r, first, o) : 0;
  if (weak || numbers != 0) resolve(L, r, r->dtype == CP_NDTYPES ? o->strong : r->dtype, numbers, o);
  if (o->any_pending) bound(L, r->where, o);
}

static cp_status operand_node(const cp_operands *o, int k, cp_node **out) {
  const cp_lua_operand *v = &o->v[k];
  if (v->array == NULL && v->weak && o->weak != CP_NDTYPES && k != o->aside)
    return cp_node_scalar(cp_scalar_cast(v->s, o->weak), out);
  CP_TRY(v->array != NULL ? cp_array_node(v->array, out) : cp_node_scalar(v->s, out));
  cp_dtype t = (*out)->dtype;
  if (o->cast != CP_NDTYPES && k != o->aside && !cp_is_inexact(t)) return cp_node_cast(*out, o->cast, out);
  return CP_OK;
}

cp_status cp_operand_nodes(const cp_operands *o, cp_node **nodes) {
  for (int k = 0; k < o->count; k++) {
    cp_status status = operand_node(o, k, &nodes[k]);
    if (status == CP_OK) continue;
    while (k-- > 0) cp_node_release(nodes[k]);
    return status;
  }
  return CP_OK;
}
