// Products of matrices that wait, so that operators after them join them.
//
// The value of a sparse matrix times a dense one is a node of operation CP_OP_product on leaves: the matrix's
// starts, columns and values, the dense operand, and tiles where the device asks for them. No plan can have
// such a node, so it is computed before what it is part of (parts.h). But if the value to be computed is
// p * s + b or the like, of a product p, and nothing else that waits needs p, the routine computes all of it:
// p is absorbed, and nothing stores it.
//
// The script may still have a handle of p, which the library cannot tell from a temporary of
// `A:dot(x) * s + b` that the collector has not freed. If p is needed after it was absorbed, it is computed a
// second time, and products of a matrix with the same starts no longer wait (cp_buffer.products_kept): so
// that happens once for each matrix.
//
// Products of dense matrices wait likewise, once sparse arrays are in use: multiplied by a sparse array, only
// the elements at its places are computed (lua/cupola/scipy/sparse/sampled.lua), and the product is absorbed.
#ifndef CP_LAZY_WORK_PRODUCT_H
#define CP_LAZY_WORK_PRODUCT_H

#include "lazy/expression/node.h"
#include "routines/blas.h"
#include "routines/sparse.h"

// The arguments of a product, and of one of dense matrices. The first one's buffer says whether products of
// it wait.
enum { CP_PRODUCT_STARTS, CP_PRODUCT_COLUMNS, CP_PRODUCT_VALUES, CP_PRODUCT_X, CP_PRODUCT_TILES };
enum { CP_PRODUCT_LEFT, CP_PRODUCT_RIGHT };

// The product of the job, without its addresses and what is to be done after it, on 4 or 5 of these leaves; a
// node of this shape. Takes the leaves' references even on failure.
cp_status cp_node_multiply(const cp_sparse_product_job *job, int nargs, cp_node *const *leaves, int ndim,
                           const int64_t *shape, cp_node **out);
// The product of two matrices, leaves as BLAS reads them; g is without their addresses, and has the right one
// first. Takes the leaves' references even on failure.
cp_status cp_node_multiply_dense(const cp_gemm *g, cp_node *const leaves[2], const int64_t *shape,
                                 cp_node **out);
static inline bool cp_is_sparse_product(const cp_node *n) {
  return cp_is_product(n) && n->u.product.job != NULL;
}
// Whether a's elements lie in memory, so that its node is a leaf.
static inline bool cp_is_in_memory(const cp_array *a) {
  return a->node == NULL && a->storage != NULL && a->storage->buffer != NULL;
}
// Whether the array a waits for a product of dense matrices that is not absorbed.
bool cp_awaits_dense_product(const cp_array *a);
// Notes that what needed the product n has been computed without it.
void cp_absorb_product(cp_context *ctx, cp_node *n);
// Computes n, a product that waits or a value that can be computed with one: then *done, and n is a leaf
// unless the caller had its only reference. The caller has references beside those of arrays and values.
cp_status cp_compute_product(cp_context *ctx, cp_node *n, bool *done);

#endif
