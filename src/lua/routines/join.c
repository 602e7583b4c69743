// core.join_length and core.join_adjacent: what lua/cupola/arrays/manipulation.lua does for each of possibly
// thousands of arrays that it joins.
#include "device/interrupt.h"
#include "lazy/arrays/access.h"

#include "lua/arguments/args.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

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

// Whether the array's bytes are a part of the result as they are.
static bool is_ready(const cp_array *x, const cp_array *result) {
  return x->node == NULL && x->dtype == result->dtype && x->device == result->device &&
         cp_array_contiguous(x, 'C');
}

// core.join_adjacent(where, result, list): copies the bytes of the arrays one behind the other into the new
// array, which they fill. False, and nothing is done, if one is pending, or is not a C-contiguous array of
// the result's dtype and device.
static int join_adjacent(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *result = cp_check_value(L, 2, where, "out");
  luaL_checktype(L, 3, LUA_TTABLE);
  const int count = (int)lua_rawlen(L, 3);
  cp_context *ctx = &cp_state_of(L, result)->ctx;
  const size_t item = cp_itemsize(result->dtype);
  size_t done = 0;
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 3, k);
    const cp_array *x = cp_check_value(L, -1, where, "arrays");
    if (!is_ready(x, result)) {
      lua_pushboolean(L, false);
      return 1;
    }
    done += (size_t)x->size;
    lua_pop(L, 1);
  }
  cp_demand(L, where, done == (size_t)result->size && cp_array_contiguous(result, 'C'),
            "the arrays must fill the result");
  done = 0;
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 3, k);
    cp_array *x = cp_check_value(L, -1, where, "arrays");
    lua_pop(L, 1); // the list holds it
    if (x->size == 0) continue;
    cp_stream *s;
    const size_t bytes = (size_t)x->size * item;
    const cp_use uses[] = {{x, CP_READ}, {result, CP_WRITE}};
    CP_CHECK(L, where, cp_poll(ctx));
    CP_CHECK(L, where, cp_open_arrays(ctx, result->device, 2, uses, &s));
    ctx->counters.launches++;
    char *to = (char *)cp_address(result) + done;
    CP_CHECK(L, where, s->device->ops->copy(s, to, cp_address(x), bytes, CP_WITHIN));
    done += bytes;
  }
  lua_pushboolean(L, true);
  return 1;
}

void cp_open_join(lua_State *L) {
  lua_pushcfunction(L, join_length);
  lua_setfield(L, 1, "join_length");
  lua_pushcfunction(L, join_adjacent);
  lua_setfield(L, 1, "join_adjacent");
}
