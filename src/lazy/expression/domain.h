// The domain of an expression with reductions: the shape that all of them reduce, and the axes. If there is
// one, a kernel that keeps rows of the domain can compute the reductions and what is made of them.
//
// The value of a node is spread over the domain in one of two ways. Most nodes broadcast to the domain's
// shape, as operands do; so do results of reductions that kept their axes with length 1. Results without
// these axes, and what is made of them, have the shape of the axes that stay ("kept").
#ifndef CP_LAZY_EXPRESSION_DOMAIN_H
#define CP_LAZY_EXPRESSION_DOMAIN_H

#include "lazy/expression/node.h"

enum { CP_MAX_DOMAIN_NODES = 256 };

typedef struct cp_domain {
  int ndim, nkept; // nkept: number of axes that stay
  int64_t shape[CP_MAXDIM], kept[CP_MAXDIM];
  int64_t inner; // elements of a row
  uint32_t axes; // one bit for each reduced axis
  int nreductions;
  cp_node *foreign; // a reduction with another domain than the outermost ones; NULL: there is none
  int nnodes;       // nodes that have the shape of the axes that stay
  const cp_node *nodes[CP_MAX_DOMAIN_NODES];
} cp_domain;

// Finds the domain of the roots' reductions: that of the outermost ones. False: there is none, `foreign` has
// another one, or a node fits neither way.
bool cp_find_domain(cp_context *ctx, int count, cp_node *const *roots, cp_domain *d);
// The first half of it: whether all reductions have one domain, whatever the shapes of other nodes are.
// Leaves out d->nodes.
bool cp_share_domain(cp_context *ctx, int count, cp_node *const *roots, cp_domain *d);
// Whether n has the shape of the axes that stay, and not one that broadcasts to the domain's.
bool cp_is_kept_shape(const cp_domain *d, const cp_node *n);
// The strides along the domain's axes of an array of this shape, which has them all (those that are reduced
// with length 1, too) or those that stay.
void cp_domain_strides(const cp_domain *d, bool kept, int ndim, const int64_t *shape, const int64_t *own,
                       int64_t *strides);

#endif
