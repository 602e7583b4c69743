// Turns arrays into Lua values and host memory, and copies arrays between devices for scripts.
//
// Whenever many elements leave the device, they do so by one copy of a contiguous array (cp_push_host_copy).
#include "lua/conversion/convert.h"

#include "array/view.h"
#include "lazy/arrays/capture.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/values/handle.h"
#include "rules/fresh.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// ---- copies -----------------------------------------------------------------------------------------------

cp_array *cp_push_as(lua_State *L, const char *where, cp_array *a, cp_dtype dtype) {
  cp_array *copy = cp_push_array(L, a->ndim);
  cp_context *ctx = &cp_state_of(L, copy)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_new_cast(ctx, a, dtype, copy));
  return copy;
}

void *cp_push_host_copy(lua_State *L, const char *where, cp_array *a) {
  cp_need(L, where, a);
  int top = lua_gettop(L);
  if (!cp_array_contiguous(a, 'C')) a = cp_push_copy(L, where, a, 'C');
  size_t bytes = cp_array_nbytes(a);
  void *host = cp_newuserdata(L, bytes > 0 ? bytes : 1);
  cp_download(L, where, a, host);
  lua_insert(L, top + 1);
  lua_settop(L, top + 1);
  return host;
}

// ---- Lua values -------------------------------------------------------------------------------------------

static void push_element(lua_State *L, const char *p, cp_dtype t) { cp_push_scalar(L, cp_scalar_load(p, t)); }

// Pushes nested tables of the values at p, which are in C order; returns the end of the values.
static const char *push_tables(lua_State *L, const char *p, cp_dtype t, int ndim, const int64_t *shape) {
  if (ndim == 0) {
    push_element(L, p, t);
    return p + cp_itemsize(t);
  }
  int n = (int)shape[0];
  lua_createtable(L, n, 0);
  for (int k = 1; k <= n; k++) {
    if (k % CP_POLL_COUNT == 0 || ndim > 1) cp_check_interrupt(L, "totable");
    if (ndim > 1) {
      p = push_tables(L, p, t, ndim - 1, shape + 1);
    } else {
      push_element(L, p, t);
      p += cp_itemsize(t);
    }
    lua_rawseti(L, -2, k);
  }
  return p;
}

static int push_table_of(lua_State *L, const char *where) {
  cp_at_most(L, where, 1);
  cp_array *x = cp_check_array(L, 1, where, "x");
  for (int d = 0; d < x->ndim; d++)
    if (x->shape[d] > INT_MAX - 1)
      return cp_raise(L, where, CP_ESHAPE, "axis %d is too long for a table", d + 1);
  luaL_checkstack(L, CP_MAXDIM + 8, "too many levels");
  const char *host = cp_push_host_copy(L, where, x);
  push_tables(L, host, x->dtype, x->ndim, x->shape);
  return 1;
}

// x:totable(): nested tables of Lua values; for a 0-d array, its value. x:tolist() is NumPy's name for it.
static int totable(lua_State *L) { return push_table_of(L, "totable"); }
static int tolist(lua_State *L) { return push_table_of(L, "tolist"); }

// x:tobytes(): a string of the values in C order and the machine's byte order.
static int tobytes(lua_State *L) {
  cp_at_most(L, "tobytes", 1);
  cp_array *x = cp_check_array(L, 1, "tobytes", "x");
  const char *host = cp_push_host_copy(L, "tobytes", x);
  lua_pushlstring(L, host, cp_array_nbytes(x));
  return 1;
}

// x:item(): the value of an array that has one element.
static int item(lua_State *L) {
  static const int64_t first[CP_MAXDIM] = {0};
  char text[CP_SHAPE_TEXT];
  cp_array *x = cp_check_array(L, 1, "item", "x");
  if (lua_gettop(L) > 1)
    return cp_raise(L, "item", CP_EUSAGE, "takes no arguments; read an element as x[{i, j}]");
  if (x->size != 1)
    return cp_raise(
        L, "item", CP_ESHAPE,
        "an array of shape %s is not one value; read an element as x[{i, j}], or all by x:totable()",
        cp_shape_text(x->ndim, x->shape, text));
  cp_push_scalar(L, cp_read_element(L, "item", x, first));
  return 1;
}

// ---- iterators --------------------------------------------------------------------------------------------

// The next position, from 0, which equals the control variable in slot 2, as that counts from 1; -1 at the
// end.
static int64_t next_position(lua_State *L, int64_t count) {
  int64_t i;
  return cp_to_integer(L, 2, &i) && i >= 0 && i < count ? i : -1;
}

// The iterator of x:values(). Upvalues: the array and its host copy.
static int next_value(lua_State *L) {
  const cp_array *x = lua_touserdata(L, lua_upvalueindex(1));
  const char *host = lua_touserdata(L, lua_upvalueindex(2));
  int64_t i = next_position(L, x->size);
  if (i < 0) return 0;
  cp_push_scalar(L, cp_scalar_int(i + 1, CP_INT64));
  push_element(L, host + (size_t)i * cp_itemsize(x->dtype), x->dtype);
  return 2;
}

// The iterator of x:rows(). Upvalue: the array.
static int next_row(lua_State *L) {
  cp_array_local local;
  cp_array *x = lua_touserdata(L, lua_upvalueindex(1)), *view = cp_array_local_init(&local);
  int64_t i = next_position(L, x->shape[0]);
  if (i < 0) return 0;
  cp_need(L, "rows", x);
  cp_view_start(view, x);
  view->offset += i * x->strides[0];
  for (int d = 1; d < x->ndim; d++) cp_view_axis(view, x->shape[d], x->strides[d]);
  cp_push_scalar(L, cp_scalar_int(i + 1, CP_INT64));
  cp_push_view(L, view);
  return 2;
}

static int push_values(lua_State *L, const char *where, cp_array *x) {
  lua_pushvalue(L, 1);
  cp_push_host_copy(L, where, x);
  lua_pushcclosure(L, next_value, 2);
  lua_pushnil(L);
  lua_pushinteger(L, 0);
  return 3;
}

// for i, v in x:values(): visits all elements in C order as Lua values, after one copy to the host.
static int values(lua_State *L) {
  cp_at_most(L, "values", 1);
  return push_values(L, "values", cp_check_array(L, 1, "values", "x"));
}

// for i, row in x:rows(): visits the views along the first axis; for a 1-d array its values, after one copy.
static int rows(lua_State *L) {
  cp_at_most(L, "rows", 1);
  cp_array *x = cp_check_array(L, 1, "rows", "x");
  if (x->ndim == 0) return cp_raise(L, "rows", CP_ESHAPE, "a 0-d array has no rows");
  if (x->ndim == 1) return push_values(L, "rows", x);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, next_row, 1);
  lua_pushnil(L);
  lua_pushinteger(L, 0);
  return 3;
}

// ---- devices ----------------------------------------------------------------------------------------------

// Pushes the array x on the device: x itself (stack slot 1) if it is there already, else a copy.
static int move_to(lua_State *L, const char *where, cp_array *x, cp_device *device) {
  if (x->device == device)
    lua_pushvalue(L, 1);
  else
    cp_push_on_device(L, where, x, device);
  return 1;
}

// x:to(device): x on the device; x itself if it is there already.
CP_SIGNATURE(to, 2, "x", "device");
static int to(lua_State *L) {
  cp_arguments(L, &to_signature);
  cp_array *x = cp_check_array(L, 1, "to", "x");
  if (lua_isnoneornil(L, 2))
    return cp_raise(L, "to", CP_EUSAGE,
                    "device must be a name such as \"cpu\" or \"cuda:0\", not nil (missing)");
  return move_to(L, "to", x, cp_arg_device(L, 2, "to"));
}

// x:cpu(): x on the CPU device; x itself if it is there already.
static int cpu(lua_State *L) {
  cp_at_most(L, "cpu", 1);
  return move_to(L, "cpu", cp_check_array(L, 1, "cpu", "x"), cp_device_cpu());
}

// x:cuda(n): x on GPU n, counted from 0 as in CUDA; without n on the first usable GPU.
CP_SIGNATURE(cuda, 1, "x", "n");
static int cuda(lua_State *L) {
  char name[32] = "cuda";
  cp_arguments(L, &cuda_signature);
  cp_device *device;
  cp_array *x = cp_check_array(L, 1, "cuda", "x");
  if (!lua_isnoneornil(L, 2))
    snprintf(name, sizeof name, "cuda:%lld", (long long)cp_arg_integer(L, 2, "cuda", "n"));
  CP_CHECK(L, "cuda", cp_device_find(name, &device));
  return move_to(L, "cuda", x, device);
}

// Pushes a CPU array that shares no memory with x, even if x is on the CPU, so that scripts behave the same
// on all devices.
static int push_on_cpu(lua_State *L, const char *where, cp_array *x) {
  if (x->device == cp_device_cpu())
    cp_push_as(L, where, x, x->dtype);
  else
    cp_push_on_device(L, where, x, cp_device_cpu());
  return 1;
}

// x:get(out, blocking = true): a copy of x on the CPU, written into the CPU array `out` if it is given. If
// out is in page-locked memory and blocking is false, the copy is only queued.
CP_SIGNATURE(get, 1, "x", "out", "blocking");
static int get(lua_State *L) {
  cp_arguments(L, &get_signature);
  cp_array *x = cp_check_array(L, 1, "get", "x");
  bool blocking = cp_arg_boolean_or(L, 3, "get", "blocking", true);
  if (lua_isnil(L, 2)) return push_on_cpu(L, "get", x);
  cp_array *out = cp_check_array(L, 2, "get", "out");
  if (out->device != cp_device_cpu())
    return cp_raise(L, "get", CP_EUSAGE, "out must be an array on the CPU, not on %s", out->device->name);
  if (out->device == x->device)
    cp_assign_value(L, "get", out, 1);
  else
    cp_assign_across(L, "get", out, x, true);
  if (blocking && out->storage != NULL && out->storage->buffer != NULL)
    CP_CHECK(L, "get", cp_await_transfer(&cp_state_get(L)->ctx, out->storage->buffer));
  lua_pushvalue(L, 2);
  return 1;
}

// cp.asnumpy(x): a copy of x on the CPU; x may be a table.
CP_SIGNATURE(asnumpy, 1, "x");
static int asnumpy(lua_State *L) {
  cp_arguments(L, &asnumpy_signature);
  cp_array *x = cp_test_array(L, 1);
  if (x == NULL && lua_istable(L, 1)) {
    cp_push_from_table(L, "asnumpy", 1, CP_NDTYPES, CP_NDTYPES, cp_device_cpu());
    return 1;
  }
  return push_on_cpu(L, "asnumpy", cp_check_array(L, 1, "asnumpy", "x"));
}

void cp_open_readback(lua_State *L) {
  static const luaL_Reg methods[] = {{"totable", totable}, {"tolist", tolist},   {"tobytes", tobytes},
                                     {"item", item},       {"rows", rows},       {"values", values},
                                     {"to", to},           {"cpu", cpu},         {"cuda", cuda},
                                     {"get", get},         {"asnumpy", asnumpy}, {NULL, NULL}};
  lua_pushcfunction(L, asnumpy);
  lua_setfield(L, 2, "asnumpy");
  cp_put_functions(L, 3, methods);
}
