// Products of matrices for lua/cupola/linalg/products.lua, which has already matched shapes and dtypes.
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/routine.h"
#include "lua/elementwise/operand.h"
#include "lua/routines/batches.h"
#include "lua/values/handle.h"

#include "array/view.h"
#include "cache/bundle.h"
#include "device/fast.h"
#include "device/interrupt.h"
#include "lazy/arrays/access.h"
#include "lazy/arrays/pending.h"
#include "lazy/work/product.h"
#include "routines/cost.h"
#include "rules/reduce.h"

#include <stdlib.h>
#include <string.h>

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

// Sets the batch of g, the last axis of m.
static void set_batch(cp_gemm *g, const cp_batches *m) {
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
static cp_status multiply(cp_stream *s, cp_gemm *g, const cp_batches *m, const char *a, const char *b,
                          char *c) {
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
  int ndim; // of c, and its shape
  int64_t shape[CP_MAXDIM];
  cp_batches m;
} product;

// Describes the product of the matrices in the last axes, without their addresses.
static void describe(const cp_context *ctx, const product *p, cp_gemm *g) {
  *g = (cp_gemm){.dtype = p->a->dtype,
                 .turn_a = p->sb.turned,
                 .turn_b = p->sa.turned,
                 .m = p->shape[p->ndim - 1],
                 .n = p->shape[p->ndim - 2],
                 .k = p->a->shape[p->a->ndim - 1],
                 .lda = p->sb.leading,
                 .ldb = p->sa.leading,
                 .ldc = p->shape[p->ndim - 1],
                 .count = 1,
                 .tf32 = ctx->settings.tf32};
}

// Opens the arrays on *s, where BLAS is prepared, and describes one product.
static cp_status open_product(cp_context *ctx, const product *p, cp_gemm *g, cp_stream **s) {
  cp_array *a = p->a, *b = p->b, *c = p->c;
  cp_device *device = a->device;
  describe(ctx, p, g);
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

// Raises an error unless BLAS can take the array at `slot`.
static void check_factor(lua_State *L, const char *where, int slot) {
  const cp_array *x = cp_check_value(L, slot, where, "a");
  cp_demand(L, where, cp_is_wide(x->dtype) || (cp_is_half(x->dtype) && x->device->ops->blas->half),
            "the matrices must have a floating or complex dtype that the device multiplies");
  cp_demand(L, where, x->ndim >= 2 && x->shape[x->ndim - 1] > 0 && x->shape[x->ndim - 2] > 0,
            "the matrices must have two axes, and not be empty");
}

// Reads the factors at slots 2 and 3, which have at least two axes that fit, one device, and one floating or
// complex dtype that its BLAS takes. The caller handles empty products.
static void take_factors(lua_State *L, const char *where, product *p) {
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
  (void)cp_broadcast(&ndim, p->shape, p->a->ndim - 2, p->a->shape);
  if (!cp_broadcast(&ndim, p->shape, p->b->ndim - 2, p->b->shape))
    cp_raise(L, where, CP_ESHAPE, "the batches of matrices do not broadcast");
  for (int d = 0; d < ndim; d++) cp_demand(L, where, p->shape[d] > 0, "the products must not be empty");
  cp_demand(L, where, ndim + 2 <= CP_MAXDIM, "the result would have too many axes");
  p->shape[ndim] = p->a->shape[p->a->ndim - 2];
  p->shape[ndim + 1] = p->b->shape[p->b->ndim - 1];
  p->ndim = ndim + 2;
}

// Pushes the array for the product.
static void push_result(lua_State *L, const char *where, product *p) {
  const int ndim = p->ndim - 2;
  p->c = cp_push_new_array(L, where, p->a->device, p->a->dtype, p->ndim, p->shape);
  p->m.ndim = ndim;
  memcpy(p->m.shape, p->shape, (size_t)ndim * sizeof *p->shape);
  cp_batch_strides(p->a, ndim, p->shape, p->m.a);
  cp_batch_strides(p->b, ndim, p->shape, p->m.b);
  cp_batch_strides(p->c, ndim, p->shape, p->m.c);
  cp_merge_batches(&p->m);
}

// Whether the product waits for a sparse array that selects elements of it.
static bool waits(const cp_context *ctx, const product *p) {
  enum { FROM = 1 << 16 }; // elements
  if (!ctx->lazy.samples || !ctx->lazy.fusion || ctx->capture.graph != NULL || p->ndim != 2) return false;
  const bool few = p->shape[0] * p->shape[1] < FROM && cp_may_go_fast(ctx, CP_FAST_PRODUCTS);
  return !few && cp_is_in_memory(p->a) && !p->a->storage->buffer->products_kept;
}

// Pushes an array that waits for the product. What can go wrong without a result goes wrong now. false: a
// finalizer has freed or written a factor.
static bool push_waiting(lua_State *L, const char *where, const product *p) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_array *x = cp_push_array(L, 2);
  cp_node *leaves[2], *n;
  cp_stream *s;
  cp_gemm g;
  describe(ctx, p, &g);
  CP_CHECK(L, where, cp_may_multiply(ctx, p->a->device, &g));
  CP_CHECK(L, where, cp_context_stream(ctx, p->a->device, &s));
  CP_CHECK(L, where, p->a->device->ops->blas->prepare(ctx, s));
  ctx->lazy.caller = where;
  if (!cp_is_in_memory(p->a) || !cp_is_in_memory(p->b)) return false;
  CP_CHECK(L, where, cp_array_node(p->a, &leaves[CP_PRODUCT_LEFT]));
  const cp_status status = cp_array_node(p->b, &leaves[CP_PRODUCT_RIGHT]);
  if (status != CP_OK) cp_node_release(leaves[CP_PRODUCT_LEFT]);
  CP_CHECK(L, where, status);
  CP_CHECK(L, where, cp_node_multiply_dense(&g, leaves, p->shape, &n));
  CP_CHECK(L, where, cp_give(x, n));
  return true;
}

// core.matmul(where, a, b): the products of the matrices in the last two axes of a and b. A large product of
// two matrices may wait, after core.wait_for_samples.
static int matmul(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  product p;
  lua_settop(L, 3);
  take_factors(L, where, &p);
  if (waits(&cp_state_get(L)->ctx, &p) && push_waiting(L, where, &p)) return 1;
  push_result(L, where, &p);
  CP_CHECK(L, where, run_product(&cp_state_get(L)->ctx, &p));
  return 1;
}

// core.wait_for_samples(): from now on products of dense matrices wait for sparse arrays (core.factors_of).
static int wait_for_samples(lua_State *L) {
  cp_state_get(L)->ctx.lazy.samples = true;
  return 0;
}

// core.factors_of(where, x): the two matrices for whose product the array x waits; it is then taken to be no
// longer needed (lazy/work/product.h). Returns nothing for other values.
static int factors_of(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const cp_array *x = cp_test_array(L, 2);
  if (x == NULL || !cp_awaits_dense_product(x)) return 0;
  cp_array *left = cp_push_array(L, 2), *right = cp_push_array(L, 2);
  if (!cp_awaits_dense_product(x)) return 0; // a finalizer has computed it
  cp_node *const *factors = x->node->args, *second = factors[CP_PRODUCT_RIGHT];
  cp_absorb_product(&cp_state_get(L)->ctx, x->node);
  cp_node_retain(factors[CP_PRODUCT_LEFT]);
  cp_node_retain(second);
  cp_status status = cp_give(left, factors[CP_PRODUCT_LEFT]);
  if (status == CP_OK)
    status = cp_give(right, second);
  else
    cp_node_release(second);
  CP_CHECK(L, where, status);
  return 2;
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
  take_factors(L, where, &p);
  push_result(L, where, &p);
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

// The product y of the matrix m and the vector x, as g describes it but for addresses.
static cp_status multiply_vector(cp_context *ctx, cp_gemv *g, cp_array *m, cp_array *x, cp_array *y) {
  cp_stream *s;
  const cp_use uses[] = {{m, CP_READ}, {x, CP_READ}, {y, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, m->device, 3, uses, &s));
  g->a = cp_address(m);
  g->x = cp_address(x);
  g->y = cp_address(y);
  ctx->counters.launches++;
  return m->device->ops->blas->gemv(s, g);
}

// core.matvec(where, a, b): the product of a matrix and a vector, or of a vector and a matrix, new. Where the
// device has no function for a matrix and a vector, they are a sum of products. So they are if the matrix
// waits to be computed, because a sum reads its elements where they are made. Returns nothing for others.
static int matvec(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_gemv g;
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
  cp_array *y = cp_push_new_array(L, where, device, a->dtype, 1, &a->shape[1 - down]);
  CP_CHECK(L, where, multiply_vector(&cp_state_get(L)->ctx, &g, a, x, y));
  return 1;
}

// The product of a matrix with a matrix of one column, or of a matrix of one row with another, by the
// device's function for a matrix and a vector. Returns nothing where core.matvec would not use it.
static int thin_product(lua_State *L, cp_array *a, cp_array *b) {
  const char *where = luaL_checkstring(L, 1);
  const bool column = b->shape[1] == 1;
  cp_array *m = column ? a : b, *v = column ? b : a;
  const int down = column ? 1 : 0; // the axis of the matrix that the vector goes along
  const int64_t shape[2] = {column ? m->shape[0] : 1, column ? 1 : m->shape[1]};
  cp_device *device = a->device;
  cp_array_local local;
  cp_gemv g;
  if (!cp_is_in_memory(m) || !cp_is_in_memory(v) || a->context->capture.graph != NULL) return 0;
  cp_array *x = cp_array_local_init(&local);
  cp_view_start(x, v);
  cp_view_axis(x, m->shape[down], v->strides[1 - down]);
  if (device->ops->blas->gemv == NULL || cp_recording() || !gemv_of(m, down, x, &g)) return 0;
  cp_array *y = cp_push_new_array(L, where, device, a->dtype, 2, shape);
  if (!cp_is_in_memory(m) || !cp_is_in_memory(v)) return 0; // a finalizer has freed one
  x->storage = v->storage;
  CP_CHECK(L, where, multiply_vector(y->context, &g, m, x, y));
  return 1;
}

static bool are_thin(const cp_array *a, const cp_array *b) {
  return may_multiply(a, b) && a->ndim == 2 && b->ndim == 2 && a->shape[1] == b->shape[0] &&
         (a->shape[0] == 1 || b->shape[1] == 1);
}

// Whether BLAS multiplies these as they are: matrices of one floating or complex dtype, or stacks of them
// that broadcast, none of them a row or a column or empty.
static bool are_matrices(const cp_array *a, const cp_array *b, bool stacks) {
  int64_t shape[CP_MAXDIM];
  int ndim = 0;
  if (a->ndim < 2 || b->ndim < 2 || a->dtype != b->dtype || !cp_is_wide(a->dtype) || a->device != b->device)
    return false;
  const int64_t *m = a->shape + a->ndim - 2, *n = b->shape + b->ndim - 2;
  if (m[1] != n[0] || m[0] <= 1 || m[1] <= 0 || n[1] <= 1) return false;
  return (a->ndim == 2 && b->ndim == 2) ||
         (stacks && a->size > 0 && b->size > 0 && cp_broadcast(&ndim, shape, a->ndim - 2, a->shape) &&
          cp_broadcast(&ndim, shape, b->ndim - 2, b->shape));
}

// core.direct_product(where, a, b[, stacks]): the product by a single call, that of core.matmul or of
// core.matvec. stacks: those of matrices are multiplied one by one. Returns nothing for values that need
// more.
static int direct_product(lua_State *L) {
  const bool stacks = lua_toboolean(L, 4);
  lua_settop(L, 3);
  cp_array *a = cp_test_array(L, 2), *b = cp_test_array(L, 3);
  if (a != NULL && b != NULL && are_matrices(a, b, stacks)) return matmul(L);
  if (may_multiply(a, b) && a->ndim == 1 && b->ndim == 1 && a->size == b->size)
    return push_sum_of_product(L, luaL_checkstring(L, 1));
  if (are_thin(a, b)) return thin_product(L, a, b);
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

void cp_open_matmul(lua_State *L) {
  static const luaL_Reg core[] = {{"matmul", matmul},
                                  {"wait_for_samples", wait_for_samples},
                                  {"factors_of", factors_of},
                                  {"direct_product", direct_product},
                                  {"fused_product", fused_product},
                                  {"matvec", matvec},
                                  {"blas_takes_half", takes_half},
                                  {"allow_tf32", allow_tf32},
                                  {NULL, NULL}};
  const char *tf32 = getenv("CUPOLA_TF32");
  cp_state_get(L)->ctx.settings.tf32 = tf32 != NULL && strcmp(tf32, "1") == 0;
  cp_put_functions(L, 1, core);
}
