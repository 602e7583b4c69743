// Direct solvers of sparse systems by a device's library (routines/direct.h), for
// lua/cupola/scipy/sparse/linalg/direct.lua.
#include "routines/direct.h"
#include "device/interrupt.h"
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/objects/object.h"
#include "lua/routines/sparse.h"
#include "lua/state/module.h"
#include "routines/solver.h"

// The factors, and in the table that they keep the arrays of the matrix: indptr, indices, data.
typedef struct boxed_factors {
  cp_direct *factors; // NULL: there are none, or they were freed
  cp_device *device;
  cp_direct_system system; // without addresses
} boxed_factors;

enum { INDPTR = 1, INDICES, DATA };

static const struct cp_direct_ops *ops_of(const cp_device *d) { return d->ops->solver->direct; }

static void end_factors(lua_State *L, void *object) {
  boxed_factors *f = object;
  (void)L;
  if (f->factors != NULL) ops_of(f->device)->leave(f->factors);
  f->factors = NULL;
}

static boxed_factors *factors_at(lua_State *L, int index, const char *where) {
  boxed_factors *f = cp_check_object(L, index, CP_KIND_DIRECT, where, "factors");
  cp_demand(L, where, f->factors != NULL, "the factors were freed or could not be made");
  return f;
}

// ---- factoring --------------------------------------------------------------------------------------------

// Pushes a new vector for a copy of another one, which nobody else can write or free.
static cp_array *push_copy(lua_State *L, const char *where, cp_array *from) {
  return cp_push_new_array(L, where, from->device, from->dtype, 1, &from->size);
}

static cp_status copy(cp_stream *s, const cp_array *to, const cp_array *from) {
  const size_t bytes = (size_t)from->size * cp_itemsize(from->dtype);
  if (bytes == 0) return CP_OK;
  return s->device->ops->copy(s, cp_address(to), cp_address(from), bytes, CP_WITHIN);
}

// Copies the matrix into `own`, and has its positions checked.
static cp_status take_copies(cp_context *ctx, const cp_sparse_matrix *from, cp_sparse_matrix *own,
                             cp_array *facts, cp_stream **s) {
  const cp_use uses[] = {{from->starts, CP_READ},        {from->columns, CP_READ},
                         {from->values, CP_READ},        {own->starts, CP_WRITE_WHOLE},
                         {own->columns, CP_WRITE_WHOLE}, {own->values, CP_WRITE_WHOLE},
                         {facts, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, facts->device, 7, uses, s));
  CP_TRY(copy(*s, own->starts, from->starts));
  CP_TRY(copy(*s, own->columns, from->columns));
  CP_TRY(copy(*s, own->values, from->values));
  cp_address_sparse(own);
  const cp_sparse_check_job job = {.m = own->m, .facts = (int64_t *)(void *)cp_address(facts)};
  return facts->device->ops->sparse->check(ctx, *s, &job);
}

static cp_status demand_canonical(cp_context *ctx, cp_stream *s, const cp_array *facts, int64_t entries) {
  int64_t f[CP_SPARSE_FACTS];
  ctx->counters.synchronizations++;
  CP_TRY(s->device->ops->copy(s, f, cp_address(facts), sizeof f, CP_TO_HOST));
  if (f[CP_SPARSE_BAD_ROW] < 0 && f[CP_SPARSE_BAD_ENTRY] < 0 && f[CP_SPARSE_UNSORTED] == 0 &&
      f[CP_SPARSE_REPEATED] == 0 && f[CP_SPARSE_BEGIN] == 0 && f[CP_SPARSE_END] == entries)
    return CP_OK;
  return cp_fail(CP_EUSAGE, "the matrix is not canonical");
}

static cp_status run_factor(cp_context *ctx, const cp_sparse_matrix *from, cp_sparse_matrix *own,
                            cp_array *facts, boxed_factors *f, char *why) {
  cp_stream *s;
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_may_wait(ctx, f->device));
  CP_TRY(take_copies(ctx, from, own, facts, &s));
  CP_TRY(demand_canonical(ctx, s, facts, own->m.entries));
  cp_direct_system a = {
      .m = own->m, .dtype = own->values->dtype, .values = cp_address(own->values), .right = 1};
  CP_TRY(ops_of(f->device)->factor(ctx, s, &a, &f->factors, why));
  f->system = (cp_direct_system){.m = own->m, .dtype = a.dtype};
  return CP_OK;
}

// core.direct_there(x): whether the device of x has a library that solves sparse systems.
static int direct_there(lua_State *L) {
  const struct cp_direct_ops *ops = ops_of(cp_check_value(L, 1, "sparse", "x")->device);
  lua_pushboolean(L, ops != NULL && ops->there());
  return 1;
}

// core.direct_factor(where, indptr, indices, data): factors of a square canonical matrix that is compressed
// by rows; or nil and the reason where the device has no library for them, or the library cannot factor the
// matrix well.
static int direct_factor(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const int64_t facts = CP_SPARSE_FACTS;
  cp_sparse_matrix a, own = {0};
  char why[CP_DIRECT_WHY] = "the device has no direct solver";
  lua_settop(L, 4);
  cp_take_sparse_starts(L, 2, where, &a);
  cp_take_sparse_operand(L, 2, where, a.m.rows, &a);
  cp_device *device = a.starts->device;
  cp_demand(L, where, a.m.rows > 0 && cp_is_inexact(a.values->dtype),
            "A must have floats or complex numbers");
  cp_demand_sparse_dtype(L, where, a.values->dtype);
  cp_demand(L, where, a.columns->device == device && a.values->device == device, "A must be on one device");
  if (ops_of(device) != NULL && ops_of(device)->there()) {
    boxed_factors *f = cp_push_object(L, CP_KIND_DIRECT, sizeof *f);
    lua_createtable(L, DATA, 0);
    own.m = a.m;
    own.starts = push_copy(L, where, a.starts);
    lua_rawseti(L, -2, INDPTR);
    own.columns = push_copy(L, where, a.columns);
    lua_rawseti(L, -2, INDICES);
    own.values = push_copy(L, where, a.values);
    lua_rawseti(L, -2, DATA);
    cp_keep_table(L, -2);
    f->device = device;
    cp_array *found = cp_push_new_array(L, where, device, CP_INT64, 1, &facts);
    CP_CHECK(L, where, run_factor(&cp_state_get(L)->ctx, &a, &own, found, f, why));
    lua_pop(L, 1);
    if (f->factors != NULL) return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, why);
  return 2;
}

// Pushes the table with the arrays of the factors at `index`, and reads them.
static void take_matrix(lua_State *L, int index, const char *where, cp_array **matrix) {
  cp_push_kept(L, index);
  for (int k = 0; k < DATA; k++) {
    lua_rawgeti(L, -1, k + 1);
    matrix[k] = cp_check_array(L, -1, where, "factors");
    lua_pop(L, 1); // the table keeps it
  }
}

// ---- solving ----------------------------------------------------------------------------------------------

static cp_status run_solve(cp_context *ctx, boxed_factors *f, cp_array *const *matrix, cp_array *b,
                           cp_array *x, cp_direct_system *a, bool *did) {
  cp_stream *s;
  const cp_use uses[] = {
      {matrix[0], CP_READ}, {matrix[1], CP_READ}, {matrix[2], CP_READ}, {b, CP_READ}, {x, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, f->device, 5, uses, &s));
  a->m.starts = cp_address(matrix[0]);
  a->m.columns_of = cp_address(matrix[1]);
  a->values = cp_address(matrix[2]);
  a->b = cp_address(b);
  a->x = cp_address(x);
  return ops_of(f->device)->solve(ctx, s, f->factors, a, did);
}

// core.direct_solve(where, factors, b, trans): the solution for each row of b, a vector or matrix of the
// factors' dtype. trans: "N", "T" or "C". Returns nil where the library cannot do it for the latter two.
static int direct_solve(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_array *matrix[DATA];
  bool did = true;
  lua_settop(L, 4);
  cp_array *b = cp_take_contiguous(L, 3, where, "rhs");
  const char *trans = luaL_checkstring(L, 4);
  boxed_factors *f = factors_at(L, 2, where);
  cp_direct_system a = f->system;
  cp_demand(L, where, trans[0] == 'N' || trans[0] == 'T' || trans[0] == 'C', "trans must be N, T or C");
  cp_demand(L, where, (b->ndim == 1 || b->ndim == 2) && b->device == f->device && b->dtype == a.dtype,
            "rhs must be a vector or matrix of the factors' dtype");
  cp_demand(L, where, b->shape[b->ndim - 1] == a.m.rows && b->size > 0, "rhs must fit the factors");
  a.trans = trans[0];
  a.right = b->size / a.m.rows;
  take_matrix(L, 2, where, matrix);
  cp_array *x = cp_push_new_array(L, where, f->device, a.dtype, b->ndim, b->shape);
  cp_demand(L, where, f->factors != NULL, "the factors were freed");
  cp_status status = run_solve(ctx, f, matrix, b, x, &a, &did);
  if (status == CP_EMEMORY) {
    CP_CHECK(L, where, ops_of(f->device)->make_room(ctx, f->factors));
    cp_demand(L, where, f->factors != NULL, "the factors were freed");
    status = run_solve(ctx, f, matrix, b, x, &a, &did);
  }
  CP_CHECK(L, where, status);
  if (!did) lua_pushnil(L);
  return 1;
}

static cp_status copy_matrix(cp_context *ctx, cp_array *const *from, cp_array *const *to) {
  cp_stream *s;
  const cp_use uses[] = {{from[0], CP_READ},      {from[1], CP_READ},      {from[2], CP_READ},
                         {to[0], CP_WRITE_WHOLE}, {to[1], CP_WRITE_WHOLE}, {to[2], CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, from[0]->device, 6, uses, &s));
  for (int k = 0; k < DATA; k++) CP_TRY(copy(s, to[k], from[k]));
  return CP_OK;
}

// core.direct_matrix(where, factors): copies of indptr, indices and data of the matrix.
static int direct_matrix(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *from[DATA], *to[DATA];
  (void)factors_at(L, 2, where);
  take_matrix(L, 2, where, from);
  for (int k = 0; k < DATA; k++) to[k] = push_copy(L, where, from[k]);
  CP_CHECK(L, where, copy_matrix(&cp_state_get(L)->ctx, from, to));
  return DATA;
}

// core.direct_free(factors): ends them now.
static int direct_free(lua_State *L) {
  end_factors(L, cp_check_object(L, 1, CP_KIND_DIRECT, "sparse", "factors"));
  cp_context_settle(&cp_state_get(L)->ctx);
  return 0;
}

void cp_open_direct(lua_State *L) {
  static const luaL_Reg functions[] = {{"direct_there", direct_there},   {"direct_factor", direct_factor},
                                       {"direct_matrix", direct_matrix}, {"direct_solve", direct_solve},
                                       {"direct_free", direct_free},     {NULL, NULL}};
  cp_define_kind(L, CP_KIND_DIRECT, NULL, end_factors);
  lua_pop(L, 1);
  cp_put_functions(L, 1, functions);
}
