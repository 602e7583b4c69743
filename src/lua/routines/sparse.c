// Sparse matrices for the Lua side (lua/cupola/scipy/sparse): functions of the table core that run the jobs
// of routines/sparse.h. Their first argument is the public name for error messages. Starts and columns are
// vectors of one dtype, int32 or int64, that count from 0; all results are new arrays.
#include "lua/routines/sparse.h"

#include "device/interrupt.h"

#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/values/handle.h"

#include <string.h>

void cp_demand_sparse_dtype(lua_State *L, const char *where, cp_dtype t) {
  cp_demand(L, where,
            t == CP_INT32 || t == CP_INT64 || t == CP_FLOAT32 || t == CP_FLOAT64 || cp_is_complex(t),
            "no product of this dtype");
}

cp_array *cp_take_sparse_vector(lua_State *L, int slot, const char *where, const char *name) {
  cp_array *a = cp_take_contiguous(L, slot, where, name);
  cp_demand(L, where, a->ndim == 1, "a sparse array consists of vectors");
  return a;
}

// Reads the starts at stack slot `slot`.
void cp_take_sparse_starts(lua_State *L, int slot, const char *where, cp_sparse_matrix *x) {
  memset(x, 0, sizeof *x);
  x->starts = cp_take_sparse_vector(L, slot, where, "indptr");
  x->m.index = x->starts->dtype;
  x->m.rows = x->starts->size - 1;
  cp_demand(L, where, x->m.index == CP_INT32 || x->m.index == CP_INT64, "indptr must be int32 or int64");
  cp_demand(L, where, x->m.rows >= 0, "indptr must not be empty");
}

// Reads the columns at stack slot `slot`, of a matrix whose starts were read.
void cp_take_sparse_columns(lua_State *L, int slot, const char *where, int64_t columns, cp_sparse_matrix *x) {
  x->columns = cp_take_sparse_vector(L, slot, where, "indices");
  x->m.columns = columns;
  x->m.entries = x->columns->size;
  cp_demand(L, where, x->columns->dtype == x->m.index, "indices must have the dtype of indptr");
  cp_demand(L, where, columns > 0 || (columns == 0 && x->m.entries == 0),
            "there must be a column for each index");
}

void cp_take_sparse_operand(lua_State *L, int slot, const char *where, int64_t columns, cp_sparse_matrix *x) {
  cp_take_sparse_starts(L, slot, where, x);
  cp_take_sparse_columns(L, slot + 1, where, columns, x);
  x->values = cp_take_sparse_vector(L, slot + 2, where, "data");
  cp_demand(L, where, x->values->size == x->m.entries, "data and indices must be equally long");
}

void cp_address_sparse(cp_sparse_matrix *x) {
  x->m.starts = cp_address(x->starts);
  if (x->columns != NULL) x->m.columns_of = cp_address(x->columns);
}

void cp_take_sparse_values(lua_State *L, int slot, const char *where, cp_sparse_matrix *x) {
  x->values = cp_take_sparse_vector(L, slot, where, "data");
  if (x->columns == NULL) x->m.entries = x->values->size;
  cp_demand_sparse_dtype(L, where, x->values->dtype);
  cp_demand(L, where, x->values->size == x->m.entries, "data and indices must be equally long");
}

// Opens the matrix and two more arrays, either of which may be NULL, and takes the matrix's addresses.
static cp_status open_matrix(cp_context *ctx, cp_sparse_matrix *x, cp_array *in, cp_use out,
                             cp_stream **stream) {
  cp_use uses[5] = {out, {x->starts, CP_READ}};
  int count = 2;
  if (x->columns != NULL) uses[count++] = (cp_use){x->columns, CP_READ};
  if (x->values != NULL) uses[count++] = (cp_use){x->values, CP_READ};
  if (in != NULL) uses[count++] = (cp_use){in, CP_READ};
  CP_TRY(cp_open_arrays(ctx, out.array->device, count, uses, stream));
  cp_address_sparse(x);
  return CP_OK;
}

// ---- positions --------------------------------------------------------------------------------------------

static cp_status run_check(cp_context *ctx, cp_sparse_matrix *x, cp_array *facts) {
  cp_stream *stream;
  CP_TRY(open_matrix(ctx, x, NULL, (cp_use){facts, CP_WRITE_WHOLE}, &stream));
  const cp_sparse_check_job job = {.m = x->m, .facts = (int64_t *)(void *)cp_address(facts)};
  return facts->device->ops->sparse->check(ctx, stream, &job);
}

// core.sparse_check(where, indptr, indices, columns): an int64 vector of the facts in cp_sparse_fact's order.
static int check(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const int64_t facts = CP_SPARSE_FACTS;
  cp_sparse_matrix x;
  lua_settop(L, 4);
  cp_take_sparse_starts(L, 2, where, &x);
  x.columns = cp_take_sparse_vector(L, 3, where, "indices");
  x.m.columns = cp_arg_integer(L, 4, where, "columns");
  x.m.entries = x.columns->size;
  cp_demand(L, where, x.columns->dtype == x.m.index, "indices must have the dtype of indptr");
  cp_array *out = cp_push_new_array(L, where, x.starts->device, CP_INT64, 1, &facts);
  CP_CHECK(L, where, run_check(&cp_state_get(L)->ctx, &x, out));
  return 1;
}

static cp_status run_rows(cp_context *ctx, cp_sparse_matrix *x, cp_array *out) {
  cp_stream *stream;
  CP_TRY(open_matrix(ctx, x, NULL, (cp_use){out, CP_WRITE_WHOLE}, &stream));
  const cp_sparse_rows_job job = {.m = x->m, .out = cp_address(out)};
  return out->device->ops->sparse->rows(ctx, stream, &job);
}

// core.sparse_rows(where, indptr, entries): the row of each entry, from 0, in indptr's dtype.
static int rows(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  lua_settop(L, 3);
  cp_take_sparse_starts(L, 2, where, &x);
  x.m.entries = cp_arg_integer(L, 3, where, "entries");
  cp_demand(L, where, x.m.entries == 0 || (x.m.entries > 0 && x.m.rows > 0), "entries must be in rows");
  cp_array *out = cp_push_new_array(L, where, x.starts->device, x.m.index, 1, &x.m.entries);
  if (x.m.entries > 0) CP_CHECK(L, where, run_rows(&cp_state_get(L)->ctx, &x, out));
  return 1;
}

// ---- products at a matrix's places ------------------------------------------------------------------------

static cp_status run_sample(cp_context *ctx, cp_sparse_matrix *a, cp_array *x, cp_array *y, cp_array *out) {
  cp_stream *stream;
  const cp_use uses[] = {
      {out, CP_WRITE_WHOLE}, {a->starts, CP_READ}, {a->columns, CP_READ}, {x, CP_READ}, {y, CP_READ}};
  CP_TRY(cp_open_arrays(ctx, out->device, 5, uses, &stream));
  cp_address_sparse(a);
  const cp_sparse_sample_job job = {.m = a->m,
                                    .dtype = x->dtype,
                                    .width = x->shape[1],
                                    .x = cp_address(x),
                                    .y = cp_address(y),
                                    .out = cp_address(out)};
  return out->device->ops->sparse->sample(ctx, stream, &job);
}

// core.sparse_sample(where, indptr, indices, x, y): for each entry of a matrix the sum of the products of
// x's row of its row, and y's row of its column; x and y are matrices of one dtype, with rows of one length.
static int sample(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix a;
  lua_settop(L, 5);
  cp_take_sparse_starts(L, 2, where, &a);
  cp_array *x = cp_take_contiguous(L, 4, where, "x1"), *y = cp_take_contiguous(L, 5, where, "x2");
  cp_demand_sparse_dtype(L, where, x->dtype);
  cp_demand(L, where,
            x->dtype == y->dtype && x->ndim == 2 && y->ndim == 2 && x->shape[0] == a.m.rows &&
                x->shape[1] == y->shape[1],
            "x1 and x2 must be matrices of one dtype that fit");
  cp_take_sparse_columns(L, 3, where, y->shape[0], &a);
  cp_array *out = cp_push_new_array(L, where, a.starts->device, x->dtype, 1, &a.m.entries);
  if (out->size > 0) CP_CHECK(L, where, run_sample(&cp_state_get(L)->ctx, &a, x, y, out));
  return 1;
}

// ---- factors ----------------------------------------------------------------------------------------------

// The handles of a factorisation's results, in the order in which core.sparse_factor returns them.
enum { ROW_PLACES, COLUMN_PLACES, STARTS, ROWS = STARTS + 2, VALUES = ROWS + 2, RESULTS = VALUES + 2 };

typedef struct factoring {
  cp_context *ctx;
  cp_sparse_factor_job job;
  cp_array *results[RESULTS];
} factoring;

cp_status cp_allocate_sparse_vector(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype t,
                                    int64_t size) {
  CP_TRY(cp_array_layout(a, t, 1, &size, 'C'));
  CP_TRY(cp_array_allocate(ctx, a, device, t));
  a->owner = true;
  return CP_OK;
}

static cp_status allocate(const factoring *f, int which, cp_dtype dtype, int64_t size) {
  return cp_allocate_sparse_vector(f->ctx, f->results[which], cp_device_cpu(), dtype, size);
}

// Gives the handles memory (cp_sparse_factor_job.place).
static cp_status place(void *data, const int64_t entries[2], cp_sparse_factors *out) {
  factoring *f = data;
  const int64_t n = f->job.m.rows;
  for (int k = ROW_PLACES; k <= COLUMN_PLACES; k++) CP_TRY(allocate(f, k, CP_INT32, n));
  for (int k = 0; k < 2; k++) {
    CP_TRY(allocate(f, STARTS + k, CP_INT32, n + 1));
    CP_TRY(allocate(f, ROWS + k, CP_INT32, entries[k]));
    CP_TRY(allocate(f, VALUES + k, f->job.dtype, entries[k]));
  }
  out->row_places = (int32_t *)(void *)cp_address(f->results[ROW_PLACES]);
  out->column_places = (int32_t *)(void *)cp_address(f->results[COLUMN_PLACES]);
  for (int k = 0; k < 2; k++) {
    out->starts[k] = (int32_t *)(void *)cp_address(f->results[STARTS + k]);
    out->rows[k] = (int32_t *)(void *)cp_address(f->results[ROWS + k]);
    out->values[k] = cp_address(f->results[VALUES + k]);
  }
  return CP_OK;
}

static cp_status run_factor(factoring *f, cp_sparse_matrix *a, int64_t *singular) {
  cp_stream *stream;
  cp_use uses[3] = {{a->starts, CP_READ}, {a->columns, CP_READ}, {a->values, CP_READ}};
  cp_device *device = a->starts->device;
  CP_TRY(cp_poll(f->ctx));
  CP_TRY(cp_may_wait(f->ctx, device));
  CP_TRY(cp_open_arrays(f->ctx, device, 3, uses, &stream));
  f->job.m = a->m;
  f->job.m.starts = cp_address(a->starts);
  f->job.m.columns_of = cp_address(a->columns);
  f->job.values = cp_address(a->values);
  return device->ops->sparse->factor(f->ctx, stream, &f->job, singular);
}

static double number_at(lua_State *L, int slot, const char *where, const char *name, double least,
                        double most) {
  double v = cp_arg_number(L, slot, where, name);
  cp_demand(L, where, v >= least && v <= most, "an option is out of range");
  return v;
}

// core.sparse_factor(where, indptr, indices, data, order, symmetric, threshold, relax, panel, drop_tolerance,
// fill, drop_rule): LU factors of a square matrix of the CPU device that is compressed by columns, with int32
// positions; the options are those of cp_sparse_factor_job, without a drop_tolerance of a complete
// factorisation. Returns nil and the column that makes the matrix singular, or the arrays of
// cp_sparse_factors.
static int factor(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  int64_t singular = 0;
  cp_sparse_matrix a;
  factoring f = {.ctx = &cp_state_get(L)->ctx};
  lua_settop(L, 12);
  luaL_checkstack(L, RESULTS + 8, where);
  cp_take_sparse_starts(L, 2, where, &a);
  cp_take_sparse_columns(L, 3, where, a.m.rows, &a);
  cp_take_sparse_values(L, 4, where, &a);
  cp_demand(L, where, a.starts->device == cp_device_cpu() && a.m.index == CP_INT32, "A must be on the CPU");
  cp_demand(L, where, cp_is_inexact(a.values->dtype) && a.m.rows > 0,
            "A must have floats or complex numbers");
  const int64_t order = cp_arg_integer(L, 5, where, "permc_spec");
  cp_demand(L, where, order >= 0 && order < CP_SPARSE_ORDERS, "an option is out of range");
  f.job.dtype = a.values->dtype;
  f.job.order = (cp_sparse_order)order;
  f.job.symmetric = lua_toboolean(L, 6);
  f.job.threshold = number_at(L, 7, where, "diag_pivot_thresh", -1, 1);
  f.job.relax = (int)number_at(L, 8, where, "relax", 0, INT16_MAX);
  f.job.panel = (int)number_at(L, 9, where, "panel_size", 0, INT16_MAX);
  f.job.incomplete = !lua_isnil(L, 10);
  if (f.job.incomplete) {
    f.job.drop_tolerance = number_at(L, 10, where, "drop_tol", 0, 1);
    f.job.fill = number_at(L, 11, where, "fill_factor", 1, INT16_MAX);
    f.job.drop_rule = (int)number_at(L, 12, where, "drop_rule", 0, 511);
  }
  f.job.place = place;
  f.job.data = &f;
  for (int k = 0; k < RESULTS; k++) f.results[k] = cp_push_array(L, 1);
  CP_CHECK(L, where, run_factor(&f, &a, &singular));
  if (singular == 0) return RESULTS;
  lua_pushnil(L);
  cp_push_scalar(L, cp_scalar_int(singular, CP_INT64));
  return 2;
}

static cp_status run_incomplete(cp_context *ctx, cp_sparse_matrix *a, cp_array *values,
                                cp_sparse_incomplete_job *job, int64_t *singular) {
  cp_stream *stream;
  cp_use uses[3] = {{values, CP_WRITE}, {a->starts, CP_READ}, {a->columns, CP_READ}};
  cp_device *device = values->device;
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_may_wait(ctx, device));
  CP_TRY(cp_open_arrays(ctx, device, 3, uses, &stream));
  job->m = a->m;
  job->m.starts = cp_address(a->starts);
  job->m.columns_of = cp_address(a->columns);
  job->values = cp_address(values);
  return device->ops->sparse->incomplete(ctx, stream, job, singular);
}

// core.sparse_incomplete(where, indptr, indices, data, cholesky): incomplete factors of a square matrix of
// the CPU device by rows, in place of data; positions are int64. Returns the row, from 1, that has no pivot,
// or 0.
static int incomplete(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  int64_t singular = 0;
  cp_sparse_matrix a;
  lua_settop(L, 5);
  cp_take_sparse_starts(L, 2, where, &a);
  cp_take_sparse_columns(L, 3, where, a.m.rows, &a);
  cp_array *values = cp_check_array(L, 4, where, "data");
  cp_demand(L, where, values->device == cp_device_cpu() && a.m.index == CP_INT64, "A must be on the CPU");
  cp_demand(L, where, values->dtype == CP_FLOAT64 || values->dtype == CP_COMPLEX128, "data must be float64");
  cp_demand(L, where,
            values->ndim == 1 && values->size == a.m.entries && cp_array_contiguous(values, 'C') &&
                !values->readonly,
            "data must be a contiguous vector that fits the matrix");
  cp_sparse_incomplete_job job = {.dtype = values->dtype, .cholesky = lua_toboolean(L, 5)};
  if (a.m.rows > 0) CP_CHECK(L, where, run_incomplete(&cp_state_get(L)->ctx, &a, values, &job, &singular));
  cp_push_scalar(L, cp_scalar_int(singular, CP_INT64));
  return 1;
}

// core.version(x): a number that changes when x's memory is written; nil while others may write it without
// cupola's knowledge.
static int version(lua_State *L) {
  cp_array *x = cp_check_array(L, 1, luaL_checkstring(L, 2), "x");
  const unsigned unseen = CP_EXPOSED_POINTER | CP_EXPOSED_EXPORT | CP_EXPOSED_GRAPH;
  CP_CHECK(L, lua_tostring(L, 2), cp_array_check(x));
  if (x->storage->buffer->exposed & unseen || x->storage->buffer->block == NULL) return 0;
  cp_push_scalar(L, cp_scalar_int(x->storage->version, CP_INT64));
  return 1;
}

// core.has_memory(x): whether x is an array whose memory was not freed.
static int has_memory(lua_State *L) {
  const cp_array *x = cp_test_array(L, 1);
  lua_pushboolean(L, x != NULL && x->storage != NULL && x->storage->buffer != NULL);
  return 1;
}

void cp_open_sparse(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_check", check},           {"sparse_rows", rows},
                                       {"sparse_sample", sample},         {"sparse_factor", factor},
                                       {"sparse_incomplete", incomplete}, {"version", version},
                                       {"has_memory", has_memory},        {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
