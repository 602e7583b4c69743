// Sparse matrices for the Lua side (lua/cupola/scipy/sparse): functions of the table core that run the jobs
// of routines/sparse.h. Their first argument is the public name for error messages. Starts and columns are
// vectors of one dtype, int32 or int64, that count from 0; all results are new arrays.
#include "lua/routines/sparse.h"

#include "device/fast.h"
#include "device/interrupt.h"

#include "lazy/evaluation/product.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
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

static void take_values(lua_State *L, int slot, const char *where, cp_sparse_matrix *x) {
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

// ---- products ---------------------------------------------------------------------------------------------

// The operands of a product; x, tiles, factors, add and dots may be NULL.
typedef struct multiplying {
  cp_sparse_matrix a;
  cp_array *x, *tiles, *factors, *add, *out, *dots;
  cp_sparse_product_job job;
} multiplying;

static cp_status run_product(cp_context *ctx, multiplying *p) {
  cp_stream *stream;
  cp_sparse_matrix *a = &p->a;
  cp_sparse_product_job *job = &p->job;
  cp_use uses[9] = {
      {p->out, p->add == p->out ? CP_WRITE : CP_WRITE_WHOLE}, {a->starts, CP_READ}, {a->values, CP_READ}};
  int count = 3;
  if (a->columns != NULL) uses[count++] = (cp_use){a->columns, CP_READ};
  if (p->x != NULL) uses[count++] = (cp_use){p->x, CP_READ};
  if (p->tiles != NULL) uses[count++] = (cp_use){p->tiles, CP_READ};
  if (p->factors != NULL) uses[count++] = (cp_use){p->factors, CP_READ};
  if (p->add != NULL && p->add != p->out) uses[count++] = (cp_use){p->add, CP_READ};
  if (p->dots != NULL) uses[count++] = (cp_use){p->dots, CP_WRITE_WHOLE};
  CP_TRY(cp_open_arrays(ctx, p->out->device, count, uses, &stream));
  job->m = a->m;
  job->m.starts = cp_address(a->starts);
  job->m.columns_of = a->columns != NULL ? cp_address(a->columns) : NULL;
  job->values = cp_address(a->values);
  job->x = p->x != NULL ? cp_address(p->x) : NULL;
  job->tiles = p->tiles != NULL ? (const int64_t *)(const void *)cp_address(p->tiles) : NULL;
  job->factors = p->factors != NULL ? cp_address(p->factors) : NULL;
  job->add = p->add != NULL ? cp_address(p->add) : NULL;
  job->out = cp_address(p->out);
  job->dots = p->dots != NULL ? cp_address(p->dots) : NULL;
  return p->out->device->ops->sparse->product(ctx, stream, job);
}

// Reads the number at stack index `slot` as an element of the product's dtype; nil: 1.
static void take_scale(lua_State *L, int slot, const char *where, const multiplying *p, uint64_t *out) {
  cp_scalar s = cp_scalar_int(1, CP_INT64);
  char kind;
  bool weak;
  cp_demand(L, where, lua_isnil(L, slot) || cp_to_scalar(L, slot, &s, &kind, &weak),
            "alpha and beta must be numbers, or alpha an array");
  cp_scalar_store(cp_scalar_cast(s, p->job.dtype), out);
}

// Whether x is contiguous and of the result's dtype and shape.
static bool is_like_result(const multiplying *p, const cp_array *x, int ndim, const int64_t *shape) {
  bool like = x->dtype == p->job.dtype && x->ndim == ndim && cp_array_contiguous(x, 'C') &&
              x->device == p->a.starts->device;
  for (int d = 0; like && d < ndim; d++) like = x->shape[d] == shape[d];
  return like;
}

static void take_tiles(lua_State *L, int slot, const char *where, multiplying *p) {
  p->tiles = cp_take_sparse_vector(L, slot, where, "tiles");
  p->job.m = p->a.m;
  int64_t tile = p->a.starts->device->ops->sparse->tile(&p->job), items = cp_sparse_items(&p->job);
  cp_demand(L, where,
            p->tiles->dtype == CP_INT64 && tile > 0 &&
                p->tiles->size == 2 * (items / tile + (items % tile != 0) + 1),
            "there must be two int64 for each tile");
}

// Pushes the array of the product's `dots`, or nil if there can be none.
static void push_dots(lua_State *L, const char *where, multiplying *p) {
  const bool real = p->job.dtype == CP_FLOAT32 || p->job.dtype == CP_FLOAT64;
  const bool vector = p->x != NULL && p->x->ndim == 1 && p->a.m.rows == p->a.m.columns && p->a.m.rows > 0;
  p->job.m = p->a.m;
  const int64_t parts =
      real && vector && !p->job.scaled ? p->a.starts->device->ops->sparse->parts(&p->job) : 0;
  if (parts == 0)
    lua_pushnil(L);
  else
    p->dots = cp_push_new_array(L, where, p->a.starts->device, p->job.dtype, 1, &parts);
}

// Whether the product waits: one of large vectors or matrices in memory that nobody else may write.
static bool waits(const cp_context *ctx, const multiplying *p, int64_t size) {
  const cp_array *const operands[] = {p->a.starts, p->a.columns, p->a.values, p->x, p->tiles};
  const cp_device *device = p->a.starts->device;
  const bool few = size < device->ops->sparse->waits_from && cp_may_go_fast(ctx, CP_FAST_PRODUCTS);
  if (few || size == 0 || !ctx->lazy.fusion || ctx->capture.graph != NULL) return false;
  for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
    const cp_array *a = operands[k];
    if (a != NULL && (a->device != device || a->node != NULL || a->storage->buffer->exposed != 0)) return false;
  }
  return !p->a.starts->storage->buffer->products_kept;
}

static cp_status make_node(multiplying *p, int ndim, const int64_t *shape, cp_node **out) {
  cp_array *const operands[] = {p->a.starts, p->a.columns, p->a.values, p->x, p->tiles};
  const int count = p->tiles != NULL ? CP_PRODUCT_TILES + 1 : CP_PRODUCT_TILES;
  cp_node *leaves[CP_PRODUCT_TILES + 1];
  cp_status status = CP_OK;
  int made = 0;
  while (made < count && status == CP_OK) {
    status = cp_array_node(operands[made], &leaves[made]);
    made += status == CP_OK;
  }
  p->job.m = p->a.m;
  if (status == CP_OK) return cp_node_multiply(&p->job, count, leaves, ndim, shape, out);
  while (made > 0) cp_node_release(leaves[--made]);
  return status;
}

// Pushes an array that waits for the product.
static int push_waiting(lua_State *L, const char *where, multiplying *p, int ndim, const int64_t *shape) {
  cp_node *n;
  cp_array *a = cp_push_array(L, ndim);
  cp_state_get(L)->ctx.lazy.caller = where;
  CP_CHECK(L, where, make_node(p, ndim, shape, &n));
  CP_CHECK(L, where, cp_give(a, n));
  return 1;
}

// core.sparse_product(where, indptr, indices, data, columns, longest, x, tiles, alpha, beta, add, out, dots):
// the product with the vector or matrix x, of data's dtype, after core.sparse_check. Without x and indices:
// the sum of each row. longest: entries of the longest row. tiles: int64, as core.sparse_tile asks for them,
// or nil. With alpha (a number, or an array like the result), beta or add: alpha times the product plus beta
// times add; written into out, if there is one, which shares memory with no other operand, but may be add.
// Returns nil if out cannot be written, or alpha or add not read, in place. dots: also returns an array whose
// sum is that of x times the product, if there can be one. A large product without any of these may wait.
static int product(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 13);
  multiplying p = {.job = {.longest = cp_arg_integer(L, 6, where, "longest"), .width = 1, .within = true}};
  cp_take_sparse_starts(L, 2, where, &p.a);
  if (!lua_isnil(L, 7)) {
    cp_take_sparse_columns(L, 3, where, cp_arg_integer(L, 5, where, "columns"), &p.a);
    p.x = cp_take_contiguous(L, 7, where, "x");
    cp_demand(L, where, (p.x->ndim == 1 || p.x->ndim == 2) && p.x->shape[0] == p.a.m.columns,
              "x must have a row for each column");
    p.job.width = p.x->ndim == 2 ? p.x->shape[1] : 1;
  }
  take_values(L, 4, where, &p.a);
  p.job.dtype = p.a.values->dtype;
  cp_demand(L, where, p.x == NULL || p.x->dtype == p.job.dtype, "data and x must have the same dtype");
  if (!lua_isnil(L, 8)) take_tiles(L, 8, where, &p);
  const int64_t shape[] = {p.a.m.rows, p.job.width};
  const int ndim = p.x != NULL ? p.x->ndim : 1;
  if (cp_test_array(L, 9) != NULL) {
    p.factors = cp_take_array(L, 9, where, "alpha");
    if (!is_like_result(&p, p.factors, ndim, shape)) return lua_pushnil(L), 1;
  } else {
    take_scale(L, 9, where, &p, p.job.alpha);
  }
  take_scale(L, 10, where, &p, p.job.beta);
  if (!lua_isnil(L, 11)) {
    p.add = cp_take_array(L, 11, where, "add");
    if (!is_like_result(&p, p.add, ndim, shape)) return lua_pushnil(L), 1;
  }
  p.job.scaled = p.x != NULL && (p.add != NULL || !lua_isnil(L, 9) || !lua_isnil(L, 10));
  const int64_t size = p.a.m.rows * p.job.width;
  const bool plain = p.x != NULL && !p.job.scaled && lua_isnil(L, 12) && !lua_toboolean(L, 13);
  if (plain && waits(&cp_state_get(L)->ctx, &p, size)) return push_waiting(L, where, &p, ndim, shape);
  if (!lua_isnil(L, 12)) {
    p.out = cp_check_array(L, 12, where, "out");
    if (p.out->readonly || !is_like_result(&p, p.out, ndim, shape)) return lua_pushnil(L), 1;
    lua_pushvalue(L, 12);
  } else {
    p.out = cp_push_new_array(L, where, p.a.starts->device, p.job.dtype, ndim, shape);
  }
  const bool dots = lua_toboolean(L, 13);
  if (dots) push_dots(L, where, &p);
  if (p.out->size > 0) CP_CHECK(L, where, run_product(&cp_state_get(L)->ctx, &p));
  return dots ? 2 : 1;
}

// core.sparse_tile(where, indptr, entries, longest, width): items per tile for core.sparse_product, and all
// items (routines/sparse.h); 0: it needs no tiles.
static int tile(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  lua_settop(L, 5);
  cp_take_sparse_starts(L, 2, where, &x);
  x.m.entries = cp_arg_integer(L, 3, where, "entries");
  const cp_sparse_product_job job = {.m = x.m,
                                     .longest = cp_arg_integer(L, 4, where, "longest"),
                                     .width = cp_arg_integer(L, 5, where, "width")};
  cp_push_scalar(L, cp_scalar_int(x.starts->device->ops->sparse->tile(&job), CP_INT64));
  cp_push_scalar(L, cp_scalar_int(cp_sparse_items(&job), CP_INT64));
  return 2;
}

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
enum { ROW_PLACES, COLUMN_PLACES, STARTS, COLUMNS = STARTS + 2, VALUES = COLUMNS + 2, RESULTS = VALUES + 2 };

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
    CP_TRY(allocate(f, COLUMNS + k, CP_INT32, entries[k]));
    CP_TRY(allocate(f, VALUES + k, f->job.dtype, entries[k]));
  }
  out->row_places = (int32_t *)(void *)cp_address(f->results[ROW_PLACES]);
  out->column_places = (int32_t *)(void *)cp_address(f->results[COLUMN_PLACES]);
  for (int k = 0; k < 2; k++) {
    out->starts[k] = (int32_t *)(void *)cp_address(f->results[STARTS + k]);
    out->columns[k] = (int32_t *)(void *)cp_address(f->results[COLUMNS + k]);
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
  take_values(L, 4, where, &a);
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
  static const luaL_Reg functions[] = {{"sparse_check", check},
                                       {"sparse_rows", rows},
                                       {"sparse_product", product},
                                       {"sparse_sample", sample},
                                       {"sparse_tile", tile},
                                       {"sparse_factor", factor},
                                       {"sparse_incomplete", incomplete},
                                       {"version", version},
                                       {"has_memory", has_memory},
                                       {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
