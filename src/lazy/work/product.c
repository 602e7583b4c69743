// Computes products of matrices that waited, with the operators that join them (product.h).
#include "lazy/work/product.h"

#include "device/interrupt.h"
#include "lazy/expression/graph.h"
#include "lazy/work/new_output.h"
#include "lazy/work/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cp_status make_node(int nargs, cp_node *const *leaves, cp_dtype dtype, int ndim, const int64_t *shape,
                           cp_node **out) {
  CP_TRY(cp_node_apart(CP_OP_product, nargs, leaves, dtype, ndim, shape, out));
  (*out)->u.product = (cp_node_product){0};
  (*out)->weight = (cp_weight){.ops = 1, .leaves = 1, .slots = 1 + ndim}; // what is made of it reads a leaf
  return CP_OK;
}

cp_status cp_node_multiply(const cp_sparse_product_job *job, int nargs, cp_node *const *leaves, int ndim,
                           const int64_t *shape, cp_node **out) {
  cp_sparse_product_job *own = malloc(sizeof *own);
  if (own == NULL) {
    for (int k = 0; k < nargs; k++) cp_node_release(leaves[k]);
    return cp_no_memory(NULL);
  }
  cp_status status = make_node(nargs, leaves, job->dtype, ndim, shape, out);
  if (status != CP_OK) {
    free(own);
    return status;
  }
  *own = *job;
  (*out)->u.product.job = own;
  return CP_OK;
}

cp_status cp_node_multiply_dense(const cp_gemm *g, cp_node *const leaves[2], const int64_t *shape,
                                 cp_node **out) {
  cp_gemm *own = malloc(sizeof *own);
  if (own == NULL) {
    for (int k = 0; k < 2; k++) cp_node_release(leaves[k]);
    return cp_no_memory(NULL);
  }
  cp_status status = make_node(2, leaves, g->dtype, 2, shape, out);
  if (status != CP_OK) {
    free(own);
    return status;
  }
  *own = *g;
  (*out)->u.product.gemm = own;
  return CP_OK;
}

// ---- what can join a product ------------------------------------------------------------------------------

// alpha * product + beta * add, as a routine computes it.
typedef struct chain {
  cp_node *product;
  const cp_node *factors, *add; // leaves like the result, or NULL
  cp_scalar factor;             // beside `factors`: 1
  int sign, add_sign;           // 1 or -1, in front of the factor and of add
  bool scaled;
} chain;

// Whether the routine reads n where it lies: as contiguous elements in the shape and dtype of the result.
static const cp_node *read_like(const cp_node *n, const cp_node *result) {
  int64_t strides[CP_MAXDIM];
  const cp_node *leaf = cp_node_reads(n);
  if (leaf == NULL || leaf->u.leaf.moves != NULL) return NULL;
  if (!cp_shape_equal(leaf->ndim, leaf->dims, result->ndim, result->dims)) return NULL;
  cp_contiguous_strides(leaf->ndim, leaf->dims, cp_itemsize(leaf->dtype), 'C', strides);
  return memcmp(strides, cp_node_strides(leaf), (size_t)leaf->ndim * sizeof *strides) == 0 ? leaf : NULL;
}

// Whether only an array and the operator above refer to n, the value of that operator's argument.
static bool is_sole(const cp_node *n) {
  return n->kind == CP_NODE_OP && !n->planned && n->refs == 1 + (n->handle != NULL);
}

static bool is_operator(const cp_node *n, const cp_node *result) {
  return n->kind == CP_NODE_OP && n->dtype == result->dtype && n->loop == n->dtype &&
         cp_shape_equal(n->ndim, n->dims, result->ndim, result->dims);
}

// Takes what `add` or `subtract` gives to the product; the argument in *n is then the other one.
static bool take_sum(chain *c, const cp_node *result, cp_node **n) {
  const bool subtracts = (*n)->op == CP_OP_subtract;
  const int at = (*n)->args[0]->apart ? 0 : 1;
  c->add = read_like((*n)->args[1 - at], result);
  c->add_sign = subtracts && at == 0 ? -1 : 1;
  c->sign = subtracts && at == 1 ? -1 : 1;
  *n = (*n)->args[at];
  return c->add != NULL;
}

// Whether multiplication by 1 / s gives what division by s does: s is a power of two.
static bool has_reciprocal(double s) {
  enum { MOST = 120 }; // 1 / s is an ordinary float32, too
  int exponent;
  return fabs(frexp(s, &exponent)) == 0.5 && abs(exponent) < MOST;
}

// Takes the factor that `multiply` or `divide` gives to the product, likewise.
static bool take_factor(chain *c, const cp_node *result, cp_node **n) {
  const bool divides = (*n)->op == CP_OP_divide;
  const int at = divides || (*n)->args[0]->apart ? 0 : 1;
  const cp_node *other = (*n)->args[1 - at];
  *n = (*n)->args[at];
  if (other->kind == CP_NODE_SCALAR) {
    c->factor = other->u.scalar;
    if (divides) c->factor.v.f = 1 / c->factor.v.f;
    return !divides || has_reciprocal(other->u.scalar.v.f);
  }
  if (divides) return false;
  c->factors = read_like(other, result);
  return c->factors != NULL && c->sign > 0;
}

// Whether root is a sum, a difference, a multiple or the negative of a product, or of its multiple, that
// nothing else needs. The routine rounds these as the operators do, so the bits are the same; but of complex
// numbers multiplication by 1 or -1 makes NaN of infinite parts.
static bool find_chain(cp_node *root, chain *c) {
  cp_node *n = root;
  *c = (chain){.sign = 1, .add_sign = 1, .scaled = true};
  if (cp_is_complex(root->dtype) || !is_operator(root, root)) return false;
  if (n->op == CP_OP_add || n->op == CP_OP_subtract) {
    if (!take_sum(c, root, &n)) return false;
    if (!is_sole(n)) return false;
  }
  c->factor = cp_scalar_cast(cp_scalar_int(1, CP_INT64), root->dtype);
  if (is_operator(n, root) && n->op == CP_OP_negative) {
    c->sign = -c->sign;
    n = n->args[0];
  } else if (is_operator(n, root) && (n->op == CP_OP_multiply || n->op == CP_OP_divide)) {
    if (!take_factor(c, root, &n)) return false;
  }
  c->product = n;
  return n != root && is_operator(n, root) && cp_is_sparse_product(n) && is_sole(n) && !n->u.product.absorbed;
}

static void negate(cp_scalar *s, int sign) {
  if (sign > 0) return;
  if (cp_dtypes[s->dtype].kind == 'f')
    s->v.f = -s->v.f;
  else
    s->v.u = 0 - s->v.u;
}

static void put_scales(const chain *c, cp_sparse_product_job *job) {
  cp_scalar alpha = c->factor, beta = cp_scalar_cast(cp_scalar_int(1, CP_INT64), job->dtype);
  negate(&alpha, c->sign);
  negate(&beta, c->add_sign);
  cp_scalar_store(alpha, job->alpha);
  cp_scalar_store(beta, job->beta);
  job->scaled = true;
}

// ---- computing --------------------------------------------------------------------------------------------

enum { MOST_READ = CP_PRODUCT_TILES + 3 };

// A product with what it reads, which stays although a finalizer computes or frees the product.
typedef struct multiplying {
  cp_sparse_product_job job; // of a sparse matrix
  cp_gemm gemm;              // of dense ones
  bool dense;
  cp_node *reads[MOST_READ]; // those of the product, and then factors and add
  int nargs, count;
  bool has_factors;
} multiplying;

static void begin(multiplying *m, const chain *c) {
  const cp_node *p = c->product;
  m->dense = p->u.product.gemm != NULL;
  if (m->dense)
    m->gemm = *p->u.product.gemm;
  else
    m->job = *p->u.product.job;
  m->nargs = m->count = p->nargs;
  memcpy(m->reads, p->args, (size_t)p->nargs * sizeof *p->args);
  m->has_factors = c->factors != NULL;
  if (c->factors != NULL) m->reads[m->count++] = (cp_node *)c->factors;
  if (c->add != NULL) m->reads[m->count++] = (cp_node *)c->add;
  for (int k = 0; k < m->count; k++) cp_node_retain(m->reads[k]);
  if (c->scaled) put_scales(c, &m->job);
}

static void *address_of(const cp_node *leaf) { return leaf->u.leaf.buffer->pointer + leaf->u.leaf.offset; }

static cp_status order(cp_context *ctx, const multiplying *m, const cp_array *out, cp_stream **stream) {
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_context_stream(ctx, out->device, stream));
  for (int k = 0; k < m->count; k++) CP_TRY(cp_before_read(ctx, *stream, m->reads[k]->u.leaf.buffer));
  return cp_before_write(ctx, *stream, out->storage->buffer);
}

static cp_status run_dense(cp_context *ctx, multiplying *m, const cp_array *out) {
  const cp_blas_ops *blas = out->device->ops->blas;
  cp_stream *stream;
  CP_TRY(order(ctx, m, out, &stream));
  CP_TRY(blas->prepare(ctx, stream));
  m->gemm.a = address_of(m->reads[CP_PRODUCT_RIGHT]);
  m->gemm.b = address_of(m->reads[CP_PRODUCT_LEFT]);
  m->gemm.c = cp_address(out);
  ctx->counters.launches++;
  return blas->gemm(stream, &m->gemm);
}

static cp_status run(cp_context *ctx, multiplying *m, const cp_array *out) {
  cp_stream *stream;
  if (m->dense) return run_dense(ctx, m, out);
  cp_sparse_product_job *job = &m->job;
  CP_TRY(order(ctx, m, out, &stream));
  job->m.starts = address_of(m->reads[CP_PRODUCT_STARTS]);
  job->m.columns_of = address_of(m->reads[CP_PRODUCT_COLUMNS]);
  job->values = address_of(m->reads[CP_PRODUCT_VALUES]);
  job->x = address_of(m->reads[CP_PRODUCT_X]);
  if (m->nargs > CP_PRODUCT_TILES) job->tiles = address_of(m->reads[CP_PRODUCT_TILES]);
  if (m->has_factors) job->factors = address_of(m->reads[m->nargs]);
  if (m->count > m->nargs + m->has_factors) job->add = address_of(m->reads[m->count - 1]);
  job->out = cp_address(out);
  return out->device->ops->sparse->product(ctx, stream, job);
}

bool cp_awaits_dense_product(const cp_array *a) {
  return a->node != NULL && cp_is_product(a->node) && a->node->u.product.gemm != NULL &&
         !a->node->u.product.absorbed;
}

void cp_absorb_product(cp_context *ctx, cp_node *n) {
  if (n->handle != NULL) ctx->lazy.nproducts--;
  n->u.product.absorbed = n->read = true;
}

// Computes n, the value of the chain, into new memory. Allocating it may run finalizers, which may compute n
// or the product.
static cp_status compute(cp_context *ctx, cp_node *n, const chain *c) {
  cp_new_output output;
  multiplying m;
  cp_node *product = c->product;
  cp_node_retain(product);
  begin(&m, c);
  ctx->counters.forces++;
  cp_status status = cp_output_make(ctx, n, &output);
  if (status == CP_OK && n->kind != CP_NODE_LEAF) {
    status = run(ctx, &m, &output.a);
    if (status == CP_OK) {
      cp_mark_read(ctx, 1, &n);
      if (n != product && cp_is_product(product)) cp_absorb_product(ctx, product);
      cp_output_settle(n, &output.a);
    }
  }
  if (output.a.storage != NULL) cp_array_release(&output.a);
  for (int k = 0; k < m.count; k++) cp_node_release(m.reads[k]);
  cp_node_release(product);
  return status;
}

cp_status cp_compute_product(cp_context *ctx, cp_node *n, bool *done) {
  chain c;
  *done = true;
  if (cp_is_product(n)) {
    if (n->u.product.absorbed) n->args[CP_PRODUCT_STARTS]->u.leaf.buffer->products_kept = true;
    c = (chain){.product = n};
    return compute(ctx, n, &c);
  }
  *done = n->kind == CP_NODE_OP && find_chain(n, &c);
  return *done ? compute(ctx, n, &c) : CP_OK;
}
