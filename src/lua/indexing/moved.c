// Arrays with moved positions for the Lua side, by the rules of rules/indexing/moved.h.
#include "rules/indexing/moved.h"
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

void cp_open_moved(lua_State *L) {
  static const luaL_Reg core[] = {{"moved", moved}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
