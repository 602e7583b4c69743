// core.join_length, core.join_bytes and core.join_pending: what lua/cupola/arrays/manipulation.lua does for
// each of possibly thousands of arrays that it joins.
#include "array/view.h"
#include "device/interrupt.h"
#include "lazy/arrays/access.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/eval.h"
#include "lazy/expression/graph.h"

#include "lua/arguments/args.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <string.h>

// Whether both have the same lengths but for those along an axis.
static bool fits(const cp_array *x, const cp_array *first, int axis) {
  if (x->ndim != first->ndim) return false;
  for (int d = 0; d < x->ndim; d++)
    if (d != axis && x->shape[d] != first->shape[d]) return false;
  return true;
}

// core.join_length(where, list, axis): the sum of the lengths along an axis (from 1) that all arrays of the
// list have; else the number of the first array, negative, whose shape differs from the first one's beside
// that axis.
static int join_length(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  const int axis = (int)luaL_checkinteger(L, 3) - 1;
  const int count = (int)lua_rawlen(L, 2);
  const cp_array *first = NULL;
  double total = 0;
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 2, k);
    const cp_array *x = cp_check_value(L, -1, where, "arrays");
    if (first == NULL) first = x;
    cp_demand(L, where, axis >= 0 && axis < first->ndim, "there is no such axis");
    if (!fits(x, first, axis)) {
      lua_pushinteger(L, -k);
      return 1;
    }
    total += (double)x->shape[axis];
    lua_pop(L, 1);
  }
  lua_pushnumber(L, total);
  return 1;
}

// ---- joining bytes ----

// Whether the bytes of x are, as they are, a part of what `first` begins: in memory, C-contiguous.
static bool is_ready(const cp_array *x, const cp_array *first, int axis) {
  return x != NULL && cp_array_alive(x) == CP_OK && x->node == NULL && x->dtype == first->dtype &&
         x->device == first->device && cp_array_contiguous(x, 'C') && fits(x, first, axis);
}

static cp_array *member(lua_State *L, int k) {
  lua_rawgeti(L, 2, k);
  cp_array *x = cp_test_array(L, -1);
  lua_pop(L, 1); // the list holds it
  return x;
}

// The first array of the list at 2, if all are ready to be joined along the axis, on the CPU (on a GPU a
// kernel is as quick as a copy); *total becomes the sum of
// their lengths.
static const cp_array *first_of_ready(lua_State *L, int count, int axis, int64_t *total) {
  const cp_array *first = count > 0 ? member(L, 1) : NULL;
  if (first == NULL || cp_array_alive(first) != CP_OK || first->ndim <= axis) return NULL;
  for (int d = 0; d < axis; d++)
    if (first->shape[d] != 1) return NULL;
  *total = 0;
  for (int k = 1; k <= count; k++) {
    const cp_array *x = member(L, k);
    if (!is_ready(x, first, axis) || __builtin_add_overflow(*total, x->shape[axis], total)) return NULL;
  }
  return strcmp(first->device->ops->kind, "cpu") == 0 ? first : NULL;
}

// Copies the bytes of the arrays one behind the other into the new array, some at a time. False if the list
// is another one by now: making an array runs finalizers.
static bool copy_all(lua_State *L, const char *where, int count, int axis, cp_array *result) {
  enum { SOME = 16 };
  cp_context *ctx = &cp_state_of(L, result)->ctx;
  const size_t item = cp_itemsize(result->dtype);
  cp_use uses[SOME] = {{result, CP_WRITE}};
  size_t done = 0, size = (size_t)result->size;
  for (int k = 1, n; k <= count; k += n) {
    cp_stream *s;
    for (n = 0; n < SOME - 1 && k + n <= count; n++) {
      cp_array *x = member(L, k + n);
      if (!is_ready(x, result, axis)) return false;
      uses[n + 1] = (cp_use){x, CP_READ};
    }
    CP_CHECK(L, where, cp_open_arrays(ctx, result->device, n + 1, uses, &s));
    ctx->counters.launches++;
    for (int i = 1; i <= n; i++) {
      const size_t more = (size_t)uses[i].array->size;
      if (more > size - done) return false;
      if (more == 0) continue;
      char *to = (char *)cp_address(result) + done * item;
      CP_CHECK(L, where, s->device->ops->copy(s, to, cp_address(uses[i].array), more * item, CP_WITHIN));
      done += more;
    }
  }
  return done == size;
}

// core.join_bytes(where, list, axis, dtype?): the arrays of the list joined along an axis (from 1), by copies
// of their bytes. Nothing where they do not lie ready for that, or where the list is no plain table: then
// join_length and others say what is wrong, or they are joined as values are.
static int join_bytes(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const int axis = (int)luaL_checkinteger(L, 3) - 1;
  int64_t total;
  lua_settop(L, 4);
  if (!lua_istable(L, 2) || lua_getmetatable(L, 2) || axis < 0) return 0;
  const int count = (int)lua_rawlen(L, 2);
  const cp_dtype dtype = cp_arg_dtype(L, 4, where);
  const cp_array *first = count > 0 ? member(L, 1) : NULL;
  if (first == NULL) return 0;
  const size_t bytes = (size_t)first->ndim * sizeof total;
  int64_t *shape = cp_newuserdata(L, bytes);
  first = first_of_ready(L, count, axis, &total); // behind an allocation, which may run finalizers
  if (first == NULL || (size_t)first->ndim * sizeof total != bytes) return 0;
  if (dtype != CP_NDTYPES && dtype != first->dtype) return 0;
  memcpy(shape, first->shape, bytes);
  shape[axis] = total;
  cp_array *result = cp_push_new_array(L, where, first->device, first->dtype, first->ndim, shape);
  return copy_all(L, where, count, axis, result);
}

// ---- pending pieces of one shape --------------------------------------------------------------------------

// Some pieces, and the parts of the result that they become.
typedef struct pieces {
  int count;
  int64_t length; // along the axis, of each
  cp_node *nodes[CP_MAX_OUTPUTS];
  cp_array *parts[CP_MAX_OUTPUTS];
  cp_array_local locals[CP_MAX_OUTPUTS];
} pieces;

static bool is_like(const cp_array *x, const cp_array *first, const cp_array *result) {
  return x->device == result->device && cp_can_cast(x->dtype, result->dtype, CP_CAST_SAME_KIND) &&
         x->ndim == result->ndim && cp_shape_equal(x->ndim, x->shape, first->ndim, first->shape);
}

static bool may_join(const cp_array *x, const cp_array *first, const cp_array *result) {
  const cp_node *n = x->node;
  return n != NULL && n->kind == CP_NODE_OP && !n->reduces && !n->apart && !n->traced &&
         is_like(x, first, result);
}

// Adds the piece x, which becomes the part at the place k of the result.
static cp_status add_piece(pieces *p, cp_array *x, const cp_array *result, int axis, int k) {
  cp_array *part = cp_array_local_init(&p->locals[p->count]);
  cp_view_start(part, result);
  part->offset += k * p->length * result->strides[axis];
  for (int d = 0; d < result->ndim; d++)
    cp_view_axis(part, d == axis ? p->length : result->shape[d], result->strides[d]);
  p->parts[p->count] = part;
  CP_TRY(cp_array_node(x, &p->nodes[p->count]));
  CP_TRY(cp_node_cast(p->nodes[p->count], result->dtype, &p->nodes[p->count]));
  p->count++;
  return CP_OK;
}

// Computes the pieces into their parts by one kernel. *done: false if no kernel can compute all of them, or
// some value among them is to be kept.
static cp_status run_pieces(cp_context *ctx, pieces *p, bool *done) {
  cp_node *kept[1];
  *done =
      cp_fit_together(ctx, p->count, p->nodes) && cp_find_kept(ctx, p->count, p->nodes, true, 1, kept) == 0;
  return *done ? cp_evaluate(ctx, p->count, p->nodes, p->parts, true) : CP_OK;
}

// Adds pieces of the list at 3 from its element k + 1 on, which stay on the stack. *done: false if one does
// not fit, as a finalizer may have changed the list since it was looked at.
static cp_status add_pieces(lua_State *L, pieces *p, const cp_array *result, int axis, int k, int count,
                            bool *done) {
  cp_status status = CP_OK;
  while (p->count < CP_MAX_OUTPUTS && k + p->count < count && status == CP_OK && *done) {
    lua_rawgeti(L, 3, k + p->count + 1);
    cp_array *x = cp_test_array(L, -1);
    *done = x != NULL && is_like(x, cp_test_array(L, 5), result);
    if (*done) status = add_piece(p, x, result, axis, k + p->count);
  }
  return status;
}

// core.join_pending(where, result, list, axis): computes arrays of one shape into the new array, which they
// fill along an axis (from 1), several by one kernel. False if that cannot be, as not all of them are pending
// elementwise operations on the result's device; then nothing, or a part of it, was done.
static int join_pending(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *result = cp_check_value(L, 2, where, "out"), *first = NULL;
  luaL_checktype(L, 3, LUA_TTABLE);
  const int axis = (int)luaL_checkinteger(L, 4) - 1, count = (int)lua_rawlen(L, 3);
  cp_context *ctx = &cp_state_of(L, result)->ctx;
  pieces p;
  bool done = count > 1 && result->size > 0 && ctx->lazy.fusion && result->node == NULL;
  luaL_checkstack(L, CP_MAX_OUTPUTS + 4, "too many arrays");
  for (int k = 1; k <= count && done; k++) {
    lua_rawgeti(L, 3, k);
    cp_array *x = cp_check_value(L, -1, where, "arrays");
    if (first == NULL) first = x;
    done = may_join(x, first, result);
    lua_settop(L, 5); // the first one stays
  }
  for (int k = 0; k < count && done; k += p.count) {
    p.count = 0;
    p.length = first->shape[axis];
    cp_status status = add_pieces(L, &p, result, axis, k, count, &done);
    if (status == CP_OK && done) status = run_pieces(ctx, &p, &done);
    lua_settop(L, 5);
    for (int j = 0; j < p.count; j++) cp_node_release(p.nodes[j]);
    ctx->lazy.caller = where;
    CP_CHECK(L, where, status);
  }
  lua_pushboolean(L, done);
  return 1;
}

void cp_open_join(lua_State *L) {
  lua_pushcfunction(L, join_length);
  lua_setfield(L, 1, "join_length");
  lua_pushcfunction(L, join_bytes);
  lua_setfield(L, 1, "join_bytes");
  lua_pushcfunction(L, join_pending);
  lua_setfield(L, 1, "join_pending");
}
