// core.sparse_order and core.sparse_solve: triangular systems with sparse matrices.
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/routines/sparse.h"
#include "lua/values/handle.h"

// ---- orders -----------------------------------------------------------------------------------------------

static cp_status run_order(cp_context *ctx, cp_sparse_matrix *a, cp_array *order, cp_array *scratch,
                           cp_sparse_order_job *job) {
  cp_stream *stream;
  const cp_use uses[] = {
      {a->starts, CP_READ}, {a->columns, CP_READ}, {order, CP_WRITE_WHOLE}, {scratch, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, order->device, 4, uses, &stream));
  cp_address_sparse(a);
  job->m = a->m;
  job->order = cp_address(order);
  job->scratch = cp_address(scratch);
  return order->device->ops->sparse->order(ctx, stream, job);
}

// core.sparse_order(where, indptr, indices, lower): an order for core.sparse_solve of the rows of
// a triangular matrix that these positions give by columns.
static int order(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix a = {0};
  lua_settop(L, 4);
  cp_take_sparse_starts(L, 2, where, &a);
  cp_take_sparse_columns(L, 3, where, a.m.rows, &a);
  cp_device *device = a.starts->device;
  cp_sparse_order_job job = {.m = a.m, .lower = lua_toboolean(L, 4)};
  const cp_sparse_ops *ops = device->ops->sparse;
  const size_t bytes = ops->order_scratch == NULL ? 0 : ops->order_scratch(&job);
  cp_demand(L, where, bytes > 0, "the device solves as well in any order");
  cp_push_scratch(L, where, device, bytes);
  cp_array *out = cp_push_new_array(L, where, device, a.m.index, 1, &a.m.rows);
  CP_CHECK(L, where, run_order(&cp_state_get(L)->ctx, &a, out, cp_test_array(L, 5), &job));
  cp_free_scratch(L, 5);
  return 1;
}

// core.sparse_orders(indptr): whether solving such a matrix gains by an order.
static int orders(lua_State *L) {
  const cp_array *starts = cp_check_array(L, 1, "sparse", "indptr");
  const cp_sparse_ops *ops = starts->device->ops->sparse;
  const cp_sparse_order_job job = {.m = {.rows = starts->size - 1, .index = starts->dtype}};
  lua_pushboolean(L, ops->order_scratch != NULL && ops->order_scratch(&job) > 0);
  return 1;
}

// ---- systems ----------------------------------------------------------------------------------------------

// The operands; order and scratch may be NULL.
typedef struct solving {
  cp_sparse_matrix a;
  cp_array *x, *order, *scratch;
  cp_sparse_solve_job job;
} solving;

static cp_status run_solve(cp_context *ctx, solving *v) {
  cp_stream *stream;
  cp_sparse_solve_job *job = &v->job;
  cp_use uses[6] = {
      {v->x, CP_WRITE}, {v->a.starts, CP_READ}, {v->a.columns, CP_READ}, {v->a.values, CP_READ}};
  int count = 4;
  if (v->order != NULL) uses[count++] = (cp_use){v->order, CP_READ};
  if (v->scratch != NULL) uses[count++] = (cp_use){v->scratch, CP_WRITE_WHOLE};
  CP_TRY(cp_open_arrays(ctx, v->x->device, count, uses, &stream));
  cp_address_sparse(&v->a);
  job->m = v->a.m;
  job->values = cp_address(v->a.values);
  job->x = cp_address(v->x);
  job->order = v->order != NULL ? cp_address(v->order) : NULL;
  job->scratch = v->scratch != NULL ? cp_address(v->scratch) : NULL;
  return v->x->device->ops->sparse->solve(ctx, stream, job);
}

// core.sparse_solves_columns(indptr): whether such a matrix may also be compressed by columns, and rows be in
// any order.
static int solves_columns(lua_State *L) {
  lua_pushboolean(L, cp_check_array(L, 1, "sparse", "indptr")->device->ops->sparse->solves_columns);
  return 1;
}

// core.sparse_solve(where, indptr, indices, data, x, lower, unit, order, by_columns): solves a triangular
// system in place; x holds the right sides. routines/sparse.h says what the rows (columns) must hold. order:
// of core.sparse_order, or nil.
static int solve(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  solving v = {0};
  lua_settop(L, 9);
  cp_take_sparse_starts(L, 2, where, &v.a);
  const int64_t rows = v.a.m.rows;
  cp_take_sparse_operand(L, 2, where, rows, &v.a);
  cp_array *x = v.x = cp_check_array(L, 5, where, "b");
  cp_demand(L, where, (x->ndim == 1 || x->ndim == 2) && cp_array_contiguous(x, 'C') && !x->readonly,
            "b must be a contiguous vector or matrix");
  cp_demand(L, where, x->shape[0] == rows && x->dtype == v.a.values->dtype && cp_is_inexact(x->dtype),
            "b must fit the matrix");
  cp_demand_sparse_dtype(L, where, x->dtype);
  if (!lua_isnil(L, 8)) {
    v.order = cp_take_sparse_vector(L, 8, where, "order");
    cp_demand(L, where, v.order->size == rows && v.order->dtype == v.a.m.index, "order must fit the matrix");
  }
  v.job = (cp_sparse_solve_job){.m = v.a.m,
                                .dtype = x->dtype,
                                .lower = lua_toboolean(L, 6),
                                .unit = lua_toboolean(L, 7),
                                .by_columns = lua_toboolean(L, 9),
                                .width = x->ndim == 2 ? x->shape[1] : 1};
  cp_demand(L, where, !v.job.by_columns || x->device->ops->sparse->solves_columns,
            "the device solves for rows alone");
  if (x->size == 0) return 0;
  const size_t bytes = x->device->ops->sparse->solve_scratch(&v.job);
  cp_push_scratch(L, where, x->device, bytes);
  v.scratch = bytes > 0 ? cp_test_array(L, -1) : NULL;
  CP_CHECK(L, where, run_solve(&cp_state_get(L)->ctx, &v));
  cp_free_scratch(L, 10);
  return 0;
}

void cp_open_sparse_solve(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_order", order},
                                       {"sparse_orders", orders},
                                       {"sparse_solve", solve},
                                       {"sparse_solves_columns", solves_columns},
                                       {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
