// Small linear systems for lua/cupola/linalg/linalg.lua, which has already matched shapes and dtypes, and
// what it asks of devices. Decompositions are in decompose.c, products in matmul.c.
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/routines/batches.h"
#include "lua/values/handle.h"

#include "routines/cost.h"

#include <string.h>

// The strides in elements from matrix to matrix, row to row and column to column. False if a stride or the
// offset of x is not a multiple of the element size.
static bool steps_of(const cp_array *x, int64_t batch, int64_t *steps) {
  int64_t item = (int64_t)cp_itemsize(x->dtype), row = x->strides[x->ndim - 2],
          column = x->strides[x->ndim - 1];
  if (x->offset % item != 0 || row % item != 0 || column % item != 0) return false;
  for (int d = 0; d < x->ndim - 2; d++)
    if (x->strides[d] % item != 0) return false;
  steps[0] = batch;
  steps[1] = row / item;
  steps[2] = column / item;
  return true;
}

static cp_status run_systems(cp_context *ctx, cp_array *a, cp_array *b, cp_array *out, cp_systems *c) {
  cp_stream *s;
  const cp_use uses[] = {{a, CP_READ}, {out, CP_WRITE_WHOLE}, {b, CP_READ}};
  CP_TRY(cp_open_arrays(ctx, a->device, b != NULL ? 3 : 2, uses, &s));
  c->a = cp_address(a);
  c->b = b != NULL ? cp_address(b) : NULL;
  c->out = cp_address(out);
  return a->device->ops->solver->systems(ctx, s, c);
}

// core.small_systems(where, a [, b]): the solutions of a x = b; if b is nil, the inverse of a; if b is false,
// the pivots of a, whose product is the determinant. Returns nothing if the device has no function for so
// many rows or right-hand sides, if the batches cannot be merged into one, or if a matrix is singular. a and
// b have at least two axes and one dtype, floating or complex; a is square.
static int small_systems(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  lua_settop(L, 3);
  cp_array *a = cp_check_array(L, 2, where, "a");
  cp_array *b = lua_toboolean(L, 3) ? cp_check_array(L, 3, where, "b") : NULL;
  const cp_solver_ops *o = a->device->ops->solver;
  cp_demand(L, where, cp_is_wide(a->dtype) && a->ndim >= 2 && a->shape[a->ndim - 1] == a->shape[a->ndim - 2],
            "a must be square matrices of a floating or complex dtype");
  cp_demand(L, where, b == NULL || b->ndim >= 2, "b must have two axes");
  int64_t n = a->shape[a->ndim - 1], shape[CP_MAXDIM];
  cp_systems c = {.dtype = a->dtype, .count = 1, .rows = n, .right = n};
  cp_batches m;
  int ndim = 0;
  if (b != NULL) c.right = b->shape[b->ndim - 1];
  if (n == 0 || n > o->small || c.right == 0 || c.right > o->small_right) return 0;
  if (lua_isboolean(L, 3)) c.right = 0;
  if (b != NULL && (b->device != a->device || b->dtype != a->dtype || b->shape[b->ndim - 2] != n)) return 0;
  (void)cp_broadcast(&ndim, shape, a->ndim - 2, a->shape);
  if (b != NULL && !cp_broadcast(&ndim, shape, b->ndim - 2, b->shape)) return 0;
  for (int d = 0; d < ndim; d++) c.count *= shape[d];
  if (c.count == 0) return 0;
  if (c.right > 0) CP_CHECK(L, where, cp_may_wait(ctx, a->device));
  int outer = ndim;
  cp_demand(L, where, ndim + 2 <= CP_MAXDIM, "the result would have too many axes");
  shape[ndim++] = n;
  if (c.right > 0) shape[ndim++] = c.right;
  cp_array *out = cp_push_new_array(L, where, a->device, a->dtype, ndim, shape);
  m.ndim = outer;
  memcpy(m.shape, shape, (size_t)outer * sizeof *shape);
  cp_batch_strides(a, outer, shape, m.a);
  cp_batch_strides(b != NULL ? b : a, outer, shape, m.b);
  for (int d = outer - 1; d >= 0; d--) m.c[d] = d == outer - 1 ? 1 : m.c[d + 1] * shape[d + 1];
  cp_merge_batches(&m);
  if (m.ndim > 1 || !steps_of(a, m.ndim > 0 ? m.a[0] : 0, c.steps_a)) return 0;
  if (b != NULL && !steps_of(b, m.ndim > 0 ? m.b[0] : 0, c.steps_b)) return 0;
  CP_CHECK(L, where, run_systems(ctx, a, b, out, &c));
  return c.singular ? 0 : 1;
}

// core.pivot_dtype(array, count, rows, columns): the dtype of the pivots that lu returns.
static int pivot_dtype(lua_State *L) {
  cp_device *d = cp_check_value(L, 1, "lu", "a")->device;
  size_t size =
      d->ops->solver->pivot_size(luaL_checkinteger(L, 2), luaL_checkinteger(L, 3), luaL_checkinteger(L, 4));
  lua_pushstring(L, size == 4 ? "int32" : "int64");
  return 1;
}

// core.factors_lower(array): whether the device's cholesky is much faster for the lower triangle of columns.
static int factors_lower(lua_State *L) {
  lua_pushboolean(L, cp_check_value(L, 1, "cholesky", "a")->device->ops->solver->factors_lower);
  return 1;
}

// core.svd_any_shape(array): whether the device's svd takes matrices with fewer rows than columns.
static int svd_any_shape(lua_State *L) {
  lua_pushboolean(L, cp_check_value(L, 1, "svd", "a")->device->ops->solver->any_shape);
  return 1;
}

// core.polar_svd(array, dtype, rows, columns): whether the device has an svd by polar decomposition that is
// faster.
static int polar_svd(lua_State *L) {
  cp_device *d = cp_check_value(L, 1, "svd", "a")->device;
  const cp_solver_ops *o = d->ops->solver;
  cp_dtype t = cp_check_dtype(L, 2, "svd");
  lua_pushboolean(L, o->prefers_polar != NULL &&
                         o->prefers_polar(d, t, luaL_checkinteger(L, 3), luaL_checkinteger(L, 4)));
  return 1;
}

void cp_open_linalg(lua_State *L) {
  static const luaL_Reg core[] = {{"small_systems", small_systems}, {"pivot_dtype", pivot_dtype},
                                  {"factors_lower", factors_lower}, {"svd_any_shape", svd_any_shape},
                                  {"polar_svd", polar_svd},         {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
