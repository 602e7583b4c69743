// Matrix products and small linear systems for lua/cupola/linalg/linalg.lua, which has already matched shapes
// and dtypes. Decompositions are in decompose.c.
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/routine.h"
#include "lua/elementwise/operand.h"
#include "lua/values/handle.h"

#include "cache/bundle.h"
#include "device/interrupt.h"
#include "lazy/arrays/access.h"
#include "lazy/arrays/pending.h"
#include "routines/cost.h"
#include "rules/reduce.h"

#include <stdlib.h>
#include <string.h>

// ---- products ---------------------------------------------------------------------------------------------

// How BLAS reads the last two axes of an array: as rows or, if turned, as columns, `leading` elements apart.
typedef struct side {
  bool turned;
  int64_t leading;
} side;

// Whether the elements along axis `along` are adjacent and the lines of them lie a fixed number of elements
// apart, *leading, which is at least their length.
static bool lines_of(const cp_array *x, int along, int across, int64_t *leading) {
  int64_t item = (int64_t)cp_itemsize(x->dtype), n = x->shape[along], lines = x->shape[across];
  if (n > 1 && x->strides[along] != item) return false;
  *leading = n;
  if (lines <= 1) return true;
  *leading = x->strides[across] / item;
  return x->strides[across] % item == 0 && *leading >= n;
}

static bool side_of(const cp_array *x, side *s) {
  int64_t item = (int64_t)cp_itemsize(x->dtype);
  int last = x->ndim - 1;
  if (x->offset % item != 0) return false;
  for (int d = 0; d < x->ndim - 2; d++)
    if (x->shape[d] > 1 && (x->strides[d] < 0 || x->strides[d] % item != 0)) return false;
  s->turned = false;
  if (lines_of(x, last, last - 1, &s->leading)) return true;
  s->turned = true;
  return lines_of(x, last - 1, last, &s->leading);
}

// The array at `slot`, computed and in a form that BLAS reads. If needed, a copy replaces it on the stack.
static cp_array *readable(lua_State *L, const char *where, int slot, side *s) {
  cp_array *x = cp_check_array(L, slot, where, "a");
  if (side_of(x, s)) return x;
  x = cp_push_copy(L, where, x, 'C');
  lua_replace(L, slot);
  (void)side_of(x, s);
  return x;
}

// The axes before those of the matrices, merged where all three arrays allow it. The last one is BLAS's
// batch.
typedef struct batches {
  int ndim;
  int64_t shape[CP_MAXDIM], a[CP_MAXDIM], b[CP_MAXDIM], c[CP_MAXDIM]; // strides in elements
} batches;

static void batch_strides(const cp_array *x, int ndim, const int64_t *shape, int64_t *strides) {
  cp_broadcast_strides(ndim, shape, x->ndim - 2, x->shape, x->strides, strides);
  for (int d = 0; d < ndim; d++) strides[d] /= (int64_t)cp_itemsize(x->dtype);
}

static void merge_batches(batches *m) {
  int kept = 0;
  for (int d = 0; d < m->ndim; d++) {
    if (m->shape[d] == 1) continue;
    int64_t n = m->shape[d];
    bool joins = kept > 0 && m->a[kept - 1] == m->a[d] * n && m->b[kept - 1] == m->b[d] * n &&
                 m->c[kept - 1] == m->c[d] * n;
    int to = joins ? kept - 1 : kept++;
    m->shape[to] = joins ? m->shape[to] * n : n;
    m->a[to] = m->a[d];
    m->b[to] = m->b[d];
    m->c[to] = m->c[d];
  }
  m->ndim = kept;
}

// Sets the batch of g, the last axis of m.
static void set_batch(cp_gemm *g, const batches *m) {
  if (m->ndim > 0) {
    const int last = m->ndim - 1;
    g->count = m->shape[last];
    g->step_b = m->a[last];
    g->step_a = m->b[last];
    g->step_c = m->c[last];
  }
  // If all products share the matrix on the right, the rows on the left form one matrix.
  if (g->count > 1 && g->step_a == 0 && !g->turn_b && g->step_b == g->n * g->ldb &&
      g->step_c == g->n * g->ldc) {
    g->n *= g->count;
    g->count = 1;
  }
}

// Calls the device's BLAS for each batch. BLAS's matrices are columns where ours are rows, so b is its first
// operand.
static cp_status multiply(cp_stream *s, cp_gemm *g, const batches *m, const char *a, const char *b, char *c) {
  size_t item = cp_itemsize(g->dtype);
  int64_t at[CP_MAXDIM] = {0};
  int outer = m->ndim > 0 ? m->ndim - 1 : 0;
  set_batch(g, m);
  for (;;) {
    int64_t from_a = 0, from_b = 0, from_c = 0;
    for (int d = 0; d < outer; d++) {
      from_a += at[d] * m->a[d];
      from_b += at[d] * m->b[d];
      from_c += at[d] * m->c[d];
    }
    g->a = b + (size_t)from_b * item;
    g->b = a + (size_t)from_a * item;
    g->c = c + (size_t)from_c * item;
    CP_TRY(cp_poll(s->context));
    CP_TRY(s->device->ops->blas->gemm(s, g));
    int d = outer - 1;
    while (d >= 0 && ++at[d] == m->shape[d]) at[d--] = 0;
    if (d < 0) return CP_OK;
  }
}

typedef struct product {
  cp_array *a, *b, *c, *bias; // bias may be NULL
  side sa, sb;
  batches m;
} product;

// Opens the arrays on *s, where BLAS is prepared, and describes one product.
static cp_status open_product(cp_context *ctx, const product *p, cp_gemm *g, cp_stream **s) {
  cp_array *a = p->a, *b = p->b, *c = p->c;
  cp_device *device = a->device;
  *g = (cp_gemm){.dtype = a->dtype,
                 .turn_a = p->sb.turned,
                 .turn_b = p->sa.turned,
                 .count = 1,
                 .tf32 = ctx->settings.tf32};
  g->m = b->shape[b->ndim - 1];
  g->n = a->shape[a->ndim - 2];
  g->k = a->shape[a->ndim - 1];
  g->lda = p->sb.leading;
  g->ldb = p->sa.leading;
  g->ldc = g->m;
  cp_gemm all = *g;
  for (int d = 0; d < p->m.ndim; d++) all.count *= p->m.shape[d];
  CP_TRY(cp_may_multiply(ctx, device, &all));
  CP_TRY(cp_context_stream(ctx, device, s));
  CP_TRY(device->ops->blas->prepare(ctx, *s));
  const cp_use uses[] = {{a, CP_READ}, {b, CP_READ}, {c, CP_WRITE_WHOLE}, {p->bias, CP_READ}};
  return cp_open_arrays(ctx, device, p->bias != NULL ? 4 : 3, uses, s);
}

static cp_status run_product(cp_context *ctx, product *p) {
  cp_stream *s;
  cp_gemm g;
  CP_TRY(open_product(ctx, p, &g, &s));
  ctx->counters.launches++;
  return multiply(s, &g, &p->m, cp_address(p->a), cp_address(p->b), cp_address(p->c));
}

static cp_status run_fused(cp_context *ctx, product *p, cp_activation activation, bool *did) {
  cp_stream *s;
  cp_gemm g;
  CP_TRY(open_product(ctx, p, &g, &s));
  set_batch(&g, &p->m);
  *did = false;
  if (p->m.ndim > 1 || g.count > 1) return CP_OK;
  g.a = cp_address(p->b);
  g.b = cp_address(p->a);
  g.c = cp_address(p->c);
  const cp_epilogue e = {.bias = p->bias != NULL ? cp_address(p->bias) : NULL, .activation = activation};
  CP_TRY(s->device->ops->blas->fused(s, &g, &e, did));
  ctx->counters.launches += *did;
  return CP_OK;
}

static bool is_wide(cp_dtype t) {
  return t == CP_FLOAT32 || t == CP_FLOAT64 || t == CP_COMPLEX64 || t == CP_COMPLEX128;
}

// Raises an error unless BLAS can take the array at `slot`.
static void check_factor(lua_State *L, const char *where, int slot) {
  const cp_array *x = cp_check_value(L, slot, where, "a");
  cp_demand(L, where, is_wide(x->dtype) || (cp_is_half(x->dtype) && x->device->ops->blas->half),
            "the matrices must have a floating or complex dtype that the device multiplies");
  cp_demand(L, where, x->ndim >= 2 && x->shape[x->ndim - 1] > 0 && x->shape[x->ndim - 2] > 0,
            "the matrices must have two axes, and not be empty");
}

// Reads the factors at slots 2 and 3, and pushes the array for the product. Both factors have at least two
// axes, which fit, one device, and one floating or complex dtype that its BLAS takes. The caller handles
// empty products.
static void take_product(lua_State *L, const char *where, product *p) {
  int64_t shape[CP_MAXDIM];
  int ndim = 0;
  for (int k = 2; k <= 3; k++) check_factor(L, where, k);
  p->a = readable(L, where, 2, &p->sa);
  p->b = readable(L, where, 3, &p->sb);
  p->bias = NULL;
  cp_demand(L, where,
            p->a->dtype == p->b->dtype && p->a->shape[p->a->ndim - 1] == p->b->shape[p->b->ndim - 2],
            "the matrices must fit, and have one dtype");
  if (p->a->device != p->b->device)
    cp_raise(L, where, CP_EUSAGE, "the arrays are on %s and %s; move one with :to(\"%s\")",
             p->a->device->name, p->b->device->name, p->a->device->name);
  (void)cp_broadcast(&ndim, shape, p->a->ndim - 2, p->a->shape);
  if (!cp_broadcast(&ndim, shape, p->b->ndim - 2, p->b->shape))
    cp_raise(L, where, CP_ESHAPE, "the batches of matrices do not broadcast");
  for (int d = 0; d < ndim; d++) cp_demand(L, where, shape[d] > 0, "the products must not be empty");
  cp_demand(L, where, ndim + 2 <= CP_MAXDIM, "the result would have too many axes");
  shape[ndim] = p->a->shape[p->a->ndim - 2];
  shape[ndim + 1] = p->b->shape[p->b->ndim - 1];
  p->c = cp_push_new_array(L, where, p->a->device, p->a->dtype, ndim + 2, shape);
  p->m.ndim = ndim;
  memcpy(p->m.shape, shape, (size_t)ndim * sizeof *shape);
  batch_strides(p->a, ndim, shape, p->m.a);
  batch_strides(p->b, ndim, shape, p->m.b);
  batch_strides(p->c, ndim, shape, p->m.c);
  merge_batches(&p->m);
}

// core.matmul(where, a, b): the products of the matrices in the last two axes of a and b.
static int matmul(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  product p;
  lua_settop(L, 3);
  take_product(L, where, &p);
  CP_CHECK(L, where, run_product(&cp_state_get(L)->ctx, &p));
  return 1;
}

// core.fused_product(where, a, b, bias, activation): activation(a b + bias) by one kernel; bias is nil or a
// vector of the product's dtype with an element for each column. Returns nothing where the device cannot.
static int fused_product(lua_State *L) {
  static const char *const names[] = {"none", "relu", "gelu_tanh", NULL}; // ORDER cp_activation
  const char *where = luaL_checkstring(L, 1);
  product p;
  bool did;
  lua_settop(L, 5);
  const cp_activation activation = (cp_activation)luaL_checkoption(L, 5, "none", names);
  if (cp_check_value(L, 2, where, "a")->device->ops->blas->fused == NULL) return 0;
  cp_array *bias = lua_isnil(L, 4) ? NULL : cp_take_contiguous(L, 4, where, "bias");
  take_product(L, where, &p);
  p.bias = bias;
  cp_demand(L, where,
            bias == NULL || (bias->device == p.c->device && bias->dtype == p.c->dtype && bias->ndim == 1 &&
                             bias->size == p.c->shape[p.c->ndim - 1]),
            "bias must have the product's dtype, and an element for each column");
  CP_CHECK(L, where, run_fused(&cp_state_get(L)->ctx, &p, activation, &did));
  return did;
}

// How gemv reads the matrix a, whose axis `down` x is multiplied along, and whether it can.
static bool gemv_of(const cp_array *a, int down, const cp_array *x, cp_gemv *g) {
  const int64_t item = (int64_t)cp_itemsize(a->dtype);
  const int other = 1 - down;
  if (a->offset % item != 0 || x->offset % item != 0 || x->strides[0] % item != 0) return false;
  *g = (cp_gemv){.dtype = a->dtype, .along = true, .lines = a->shape[other], .length = a->shape[down]};
  g->step = x->strides[0] / item;
  if (lines_of(a, down, other, &g->pitch)) return g->length <= CP_GEMV_MOST;
  g->along = false;
  g->lines = a->shape[down];
  g->length = a->shape[other];
  return lines_of(a, other, down, &g->pitch);
}

// Whether these are arrays that one kernel may multiply: floating ones of one dtype and device, not empty.
static bool may_multiply(const cp_array *a, const cp_array *x) {
  return a != NULL && x != NULL && a->dtype == x->dtype && a->device == x->device && a->size > 0 &&
         (a->dtype == CP_FLOAT32 || a->dtype == CP_FLOAT64) && !cp_is_traced(a) && !cp_is_traced(x);
}

// Pushes the sum over the last axis of the product of the arrays at slots 2 and 3, pending.
static int push_sum_of_product(lua_State *L, const char *where) {
  static const char *const names[] = {"x1", "x2"};
  const cp_reading how = {where, names, 0, CP_NDTYPES};
  cp_operands o;
  cp_node *root;
  cp_read_operands(L, &how, 2, 2, &o);
  cp_array *y = cp_push_handle(L, cp_state_in(L, o.ctx), o.ndim, false);
  CP_CHECK(L, where, cp_sum_of_product(&o, &root));
  CP_CHECK(L, where, cp_give(y, root));
  return 1;
}

// core.matvec(where, a, b): the product of a matrix and a vector, or of a vector and a matrix, new. Where the
// device has no function for a matrix and a vector, they are a sum of products. So they are if the matrix
// waits to be computed, because a sum reads its elements where they are made. Returns nothing for others.
static int matvec(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_gemv g;
  cp_stream *s;
  lua_settop(L, 3);
  cp_array *a = cp_test_array(L, 2), *x = cp_test_array(L, 3);
  if (!may_multiply(a, x) || a->ndim + x->ndim != 3 || (a->ndim != 1 && a->ndim != 2)) return 0;
  const int down = a->ndim == 2 ? 1 : 0; // the axis of the matrix that the vector goes along
  if (down == 0) {
    cp_array *swap = a;
    a = x;
    x = swap;
  }
  cp_device *device = a->device;
  if (x->shape[0] != a->shape[down]) return 0;
  if (a->node != NULL || device->ops->blas->gemv == NULL || cp_recording() || !gemv_of(a, down, x, &g))
    return down == 1 ? push_sum_of_product(L, where) : 0;
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_array *y = cp_push_new_array(L, where, device, a->dtype, 1, &a->shape[1 - down]);
  const cp_use uses[] = {{a, CP_READ}, {x, CP_READ}, {y, CP_WRITE_WHOLE}};
  CP_CHECK(L, where, cp_open_arrays(ctx, device, 3, uses, &s));
  g.a = cp_address(a);
  g.x = cp_address(x);
  g.y = cp_address(y);
  ctx->counters.launches++;
  CP_CHECK(L, where, device->ops->blas->gemv(s, &g));
  return 1;
}

// Whether BLAS multiplies these as they are: matrices of one floating or complex dtype, neither of them a row
// or a column.
static bool are_matrices(const cp_array *a, const cp_array *b) {
  return a->ndim == 2 && b->ndim == 2 && a->dtype == b->dtype && is_wide(a->dtype) &&
         a->device == b->device && a->shape[1] == b->shape[0] && a->shape[0] > 1 && a->shape[1] > 0 &&
         b->shape[1] > 1;
}

// core.direct_product(where, a, b): the product by a single call, that of core.matmul or of core.matvec.
// Returns nothing for values that need more.
static int direct_product(lua_State *L) {
  lua_settop(L, 3);
  const cp_array *a = cp_test_array(L, 2), *b = cp_test_array(L, 3);
  if (a != NULL && b != NULL && are_matrices(a, b)) return matmul(L);
  if (may_multiply(a, b) && a->ndim == 1 && b->ndim == 1 && a->size == b->size)
    return push_sum_of_product(L, luaL_checkstring(L, 1));
  return matvec(L);
}

// core.blas_takes_half(array): whether the BLAS of its device takes float16 and bfloat16.
static int takes_half(lua_State *L) {
  lua_pushboolean(L, cp_check_value(L, 1, "matmul", "a")->device->ops->blas->half);
  return 1;
}

// core.allow_tf32([on]): returns whether products of float32 matrices may use TF32, then sets it to `on` if
// that is given.
static int allow_tf32(lua_State *L) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  bool before = ctx->settings.tf32;
  ctx->settings.tf32 = cp_arg_boolean_or(L, 1, "cuda.allow_tf32", "on", before);
  lua_pushboolean(L, before);
  return 1;
}

// ---- small systems ----------------------------------------------------------------------------------------

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
  cp_demand(L, where, is_wide(a->dtype) && a->ndim >= 2 && a->shape[a->ndim - 1] == a->shape[a->ndim - 2],
            "a must be square matrices of a floating or complex dtype");
  cp_demand(L, where, b == NULL || b->ndim >= 2, "b must have two axes");
  int64_t n = a->shape[a->ndim - 1], shape[CP_MAXDIM];
  cp_systems c = {.dtype = a->dtype, .count = 1, .rows = n, .right = n};
  batches m;
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
  batch_strides(a, outer, shape, m.a);
  batch_strides(b != NULL ? b : a, outer, shape, m.b);
  for (int d = outer - 1; d >= 0; d--) m.c[d] = d == outer - 1 ? 1 : m.c[d + 1] * shape[d + 1];
  merge_batches(&m);
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
  static const luaL_Reg core[] = {{"matmul", matmul},
                                  {"direct_product", direct_product},
                                  {"fused_product", fused_product},
                                  {"matvec", matvec},
                                  {"blas_takes_half", takes_half},
                                  {"allow_tf32", allow_tf32},
                                  {"small_systems", small_systems},
                                  {"pivot_dtype", pivot_dtype},
                                  {"factors_lower", factors_lower},
                                  {"svd_any_shape", svd_any_shape},
                                  {"polar_svd", polar_svd},
                                  {NULL, NULL}};
  const char *tf32 = getenv("CUPOLA_TF32");
  cp_state_get(L)->ctx.settings.tf32 = tf32 != NULL && strcmp(tf32, "1") == 0;
  cp_put_functions(L, 1, core);
}
