// Arrays with moved positions for the Lua side, by the rules of rules/indexing/moved.h, and copies that
// repeat elements.
#include "rules/indexing/moved.h"
#include "array/view.h"
#include "lazy/arrays/assign.h"
#include "lazy/arrays/pending_view.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <string.h>

// ORDER cp_move_rule
static const char *const rules[] = {"roll", "wrap", "clamp", "mirror", "reflect", "repeat", NULL};

// Sets the move for which element k of a (from 0, along an axis of n elements) is element k + before of the
// result; for "repeat", elements from k * before on.
static void set_move(cp_move *m, int64_t n, int64_t before) {
  m->extent = n;
  m->length = m->rule == CP_MOVE_MIRROR ? 2 * n : m->rule == CP_MOVE_REFLECT ? 2 * n - 2 : n;
  if (m->rule == CP_MOVE_REPEAT) {
    m->length = before;
    m->shift = 0;
  } else if (m->rule == CP_MOVE_CLAMP) {
    m->shift = -before;
  } else { // 0 to below length
    m->shift = m->length > 0 ? (m->length - before % m->length) % m->length : 0;
  }
}

// core.moved(where, a, axis, rule, before, length, temporary): a value with `length` elements along the axis
// (from 1), of which elements before + 1 to before + n are a's; the rule says what is around them. "roll":
// length is n, and before any number of positions (a itself, if none is moved); "wrap": a again and again;
// "clamp": its first and last element; "mirror": a backwards and forwards; "reflect": the same without the
// ends, for n > 1; "repeat": each element `before` times. temporary: nothing else needs a, which is freed, as
// the next synchronisation would compute it for nothing.
static int moved(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *a = cp_check_value(L, 2, where, "a");
  cp_move m = {.dim = cp_arg_axis(L, 3, where, "axis", a->ndim)};
  m.rule = (cp_move_rule)luaL_checkoption(L, 4, NULL, rules);
  const bool rolls = m.rule == CP_MOVE_ROLL;
  int64_t n = a->shape[m.dim], before = cp_arg_integer(L, 5, where, rolls ? "shift" : "before");
  int64_t length = rolls ? n : cp_arg_integer(L, 6, where, "length");
  if (rolls) before = n > 0 ? (before % n + n) % n : 0;
  if (rolls && before == 0) {
    lua_pushvalue(L, 2);
    return 1;
  }
  cp_demand(L, where, n >= (m.rule == CP_MOVE_REFLECT ? 2 : 1) && n <= INT64_MAX / 4,
            "the axis is too short");
  cp_demand(L, where, before >= (m.rule == CP_MOVE_REPEAT) && before <= INT64_MAX / 4,
            "before is out of range");
  bool fits = m.rule == CP_MOVE_REPEAT ? length >= 0 && cp_divide_up(length, before) <= n
                                       : length >= 0 && length <= INT64_MAX / 4;
  cp_demand(L, where, fits && length >= 0, "length is out of range");
  set_move(&m, n, before);
  cp_node *root = NULL;
  cp_array *result = cp_push_array(L, a->ndim);
  cp_context *ctx = result->context;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_move_axis(ctx, a, &m, length, &root));
  CP_CHECK(L, where, cp_give(result, root));
  if (lua_toboolean(L, 7)) cp_free_memory(a);
  return 1;
}

// ---- copies with repeated elements ------------------------------------------------------------------------

// How often each axis of an array is repeated.
typedef struct repetition {
  bool each; // each element, else the axis as a whole
  int ndim;
  int64_t counts[CP_MAXDIM], shape[CP_MAXDIM]; // shape: of the result
} repetition;

// Reads the counts in the table at `index`. False if there are too many of them or too many elements; then
// the Lua side says what is wrong.
static bool read_repetition(lua_State *L, int index, const cp_array *a, repetition *r) {
  int axes = a->ndim;
  double size = 1;
  r->ndim = a->ndim;
  for (int d = 0; d < a->ndim; d++) {
    lua_rawgeti(L, index, d + 1);
    const bool whole = cp_to_integer(L, -1, &r->counts[d]) && r->counts[d] >= 0;
    lua_pop(L, 1);
    if (!whole || __builtin_mul_overflow(a->shape[d], r->counts[d], &r->shape[d])) return false;
    axes += r->counts[d] != 1;
    size *= (double)r->shape[d];
  }
  return axes <= CP_MAXDIM && size < (double)((int64_t)1 << 53);
}

// Sets views of the array and of the result that have one shape, but for axes of length 1 of the array where
// the result repeats it.
static void set_views(const repetition *r, const cp_array *a, const cp_array *result, cp_array *from,
                      cp_array *to) {
  cp_view_start(from, a);
  cp_view_start(to, result);
  for (int d = 0; d < r->ndim; d++) {
    const int64_t n = a->shape[d], count = r->counts[d], step = result->strides[d];
    if (count != 1 && !r->each) {
      cp_view_axis(from, 1, 0);
      cp_view_axis(to, count, step * n);
    }
    cp_view_axis(from, n, a->strides[d]);
    cp_view_axis(to, n, count != 1 && r->each ? step * count : step);
    if (count != 1 && r->each) {
      cp_view_axis(from, 1, 0);
      cp_view_axis(to, count, step);
    }
  }
}

// core.repeated(where, a, counts, each): a new array in which each axis of a is repeated as often as the
// table counts says, either each of its elements or as a whole. Nothing where a is a pending value that is
// better read where it is computed, or the result cannot be made so.
static int repeated(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *a = cp_check_value(L, 2, where, "a");
  luaL_checktype(L, 3, LUA_TTABLE);
  repetition r = {.each = lua_toboolean(L, 4)};
  cp_array_local from, to;
  cp_node *root = NULL;
  if (!read_repetition(L, 3, a, &r)) return 0;
  if (a->node != NULL && cp_may_view_pending(a->context, a)) return 0;
  cp_array *result = cp_push_new_array(L, where, a->device, a->dtype, r.ndim, r.shape);
  if (result->size == 0) return 1;
  cp_need(L, where, a); // after an allocation, which runs finalizers
  set_views(&r, a, result, cp_array_local_init(&from), cp_array_local_init(&to));
  CP_CHECK(L, where, cp_array_node(&from.a, &root));
  CP_CHECK(L, where, cp_assign(result->context, &to.a, root, CP_MAY_RENAME));
  return 1;
}

void cp_open_moved(lua_State *L) {
  static const luaL_Reg core[] = {{"moved", moved}, {"repeated", repeated}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
