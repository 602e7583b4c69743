// A mark of the domain of a node's outermost reductions, which each node has from when it is made, so that
// operators can ask at once whether operands belong together. A kernel's domain is found later, with its
// shape and the nodes that lie in it (domain.h).
#ifndef CP_LAZY_EXPRESSION_REDUCED_H
#define CP_LAZY_EXPRESSION_REDUCED_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cp_reduced {
  uint32_t axes;  // the reduced ones. No bits: there is no reduction; all bits: they have different domains
  uint32_t shape; // a hash of the domain's shape
} cp_reduced;

cp_reduced cp_reduced_over(uint32_t axes, int ndim, const int64_t *shape);
static inline bool cp_reduced_equal(cp_reduced a, cp_reduced b) {
  return a.axes == b.axes && a.shape == b.shape;
}
// Adds the domain of another operand.
static inline void cp_reduced_join(cp_reduced *all, cp_reduced more) {
  if (more.axes == 0) return;
  if (all->axes == 0)
    *all = more;
  else if (!cp_reduced_equal(*all, more))
    all->axes = UINT32_MAX;
}
// Whether an operand of shape `dims` broadcasts to `shape`, the domain, along the reduced axes.
bool cp_reduced_spreads(cp_reduced r, int nd, const int64_t *dims, int ndim, const int64_t *shape);

#endif
