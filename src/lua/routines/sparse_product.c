// Products of sparse matrices with dense operands for the Lua side (lua/cupola/scipy/sparse): functions of
// the table core. Large products may wait (lazy/work/product.h).
#include "device/fast.h"
#include "lazy/work/product.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/routine.h"
#include "lua/routines/sparse.h"
#include "lua/values/handle.h"

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
  const int64_t parts = real && vector && !p->job.scaled
                            ? p->a.starts->device->ops->sparse->parts(p->a.starts->device, &p->job)
                            : 0;
  if (parts == 0)
    lua_pushnil(L);
  else
    p->dots = cp_push_new_array(L, where, p->a.starts->device, p->job.dtype, 1, &parts);
}

// Whether the product, of `size` elements, waits.
static bool waits(const cp_context *ctx, const multiplying *p, int64_t size) {
  const cp_device *device = p->a.starts->device;
  const bool few = size < device->ops->sparse->waits_from && cp_may_go_fast(ctx, CP_FAST_PRODUCTS);
  if (few || size == 0 || ctx->capture.graph != NULL) return false;
  if (p->x->device != device || p->a.columns->device != device || p->a.values->device != device) return false;
  return (p->tiles == NULL || p->tiles->device == device) && !p->a.starts->storage->buffer->products_kept;
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

static bool are_in_memory(const multiplying *p) {
  const cp_array *const operands[] = {p->a.starts, p->a.columns, p->a.values, p->x, p->tiles};
  const int count = p->tiles != NULL ? CP_PRODUCT_TILES + 1 : CP_PRODUCT_TILES;
  bool all = true;
  for (int k = 0; k < count; k++) all = all && cp_is_in_memory(operands[k]);
  return all;
}

// Pushes an array that waits for the product. false: a finalizer has freed or written an operand.
static bool push_waiting(lua_State *L, const char *where, multiplying *p, int ndim, const int64_t *shape) {
  cp_node *n;
  cp_array *a = cp_push_array(L, ndim);
  if (!are_in_memory(p)) return false;
  cp_state_get(L)->ctx.lazy.caller = where;
  CP_CHECK(L, where, make_node(p, ndim, shape, &n));
  CP_CHECK(L, where, cp_give(a, n));
  return true;
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
  cp_take_sparse_values(L, 4, where, &p.a);
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
  if (plain && waits(&cp_state_get(L)->ctx, &p, size) && push_waiting(L, where, &p, ndim, shape)) return 1;
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

// core.sparse_tile(where, indptr, entries, longest, width, dtype): items per tile for core.sparse_product
// with data of that dtype, and all items (routines/sparse.h); 0: it needs no tiles.
static int tile(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  lua_settop(L, 6);
  cp_take_sparse_starts(L, 2, where, &x);
  x.m.entries = cp_arg_integer(L, 3, where, "entries");
  const cp_sparse_product_job job = {.m = x.m,
                                     .longest = cp_arg_integer(L, 4, where, "longest"),
                                     .width = cp_arg_integer(L, 5, where, "width"),
                                     .dtype = cp_check_dtype(L, 6, where)};
  cp_push_scalar(L, cp_scalar_int(x.starts->device->ops->sparse->tile(&job), CP_INT64));
  cp_push_scalar(L, cp_scalar_int(cp_sparse_items(&job), CP_INT64));
  return 2;
}

void cp_open_sparse_product(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_product", product}, {"sparse_tile", tile}, {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
