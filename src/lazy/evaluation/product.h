// Products of sparse matrices that wait, so that operators after them join them.
//
// A product's value is a node of operation CP_OP_product on leaves: the matrix's starts, columns and values,
// the dense operand, and tiles where the device asks for them. No plan can have such a node, so it is
// computed before what it is part of (parts.h). But if the value to be computed is p * s + b or the like, of
// a product p, and nothing else that waits needs p, the routine computes all of it: p is absorbed, and
// nothing stores it.
//
// The script may still have a handle of p, which the library cannot tell from a temporary of
// `A:dot(x) * s + b` that the collector has not freed. If p is needed after it was absorbed, it is computed a
// second time, and products of a matrix with the same starts no longer wait (cp_buffer.products_kept): so
// that happens once for each matrix.
#ifndef CP_LAZY_EVALUATION_PRODUCT_H
#define CP_LAZY_EVALUATION_PRODUCT_H

#include "lazy/expression/node.h"
#include "routines/sparse.h"

// The arguments of a product.
enum { CP_PRODUCT_STARTS, CP_PRODUCT_COLUMNS, CP_PRODUCT_VALUES, CP_PRODUCT_X, CP_PRODUCT_TILES };

// The product of the job, without its addresses and what is to be done after it, on 4 or 5 of these leaves; a
// node of this shape. Takes the leaves' references even on failure.
cp_status cp_node_multiply(const cp_sparse_product_job *job, int nargs, cp_node *const *leaves, int ndim,
                           const int64_t *shape, cp_node **out);
// Computes n, a product that waits or a value that can be computed with one: then *done, and n is a leaf
// unless the caller had its only reference. The caller has references beside those of arrays and values.
cp_status cp_compute_product(cp_context *ctx, cp_node *n, bool *done);

#endif
