// Questions about what kernels with phases may compute, for batches (batch.h), and for evaluation (eval.h).
#ifndef CP_LAZY_EVALUATION_PHASES_H
#define CP_LAZY_EVALUATION_PHASES_H

#include "lazy/expression/domain.h"

// A part of root's expression that is not inside of another one of that kind; NULL: there is none. A node's
// flags may be set although its parts have been computed.
cp_node *cp_find_part(cp_context *ctx, cp_node *root, bool apart_only);
// Whether n is made of reductions that have not been computed yet.
bool cp_still_reduces(cp_context *ctx, cp_node *n);

// Whether the device has kernels with phases for rows of this number and length.
bool cp_is_phased_domain(cp_context *ctx, const cp_device *device, const cp_domain *d);
// Whether one pass over this domain may find these values on the device: none is made of elements and of
// reductions' results, or a reduction of such.
bool cp_is_joint_domain(cp_context *ctx, const cp_device *device, const cp_domain *d, int count,
                        cp_node *const *roots);
// Whether n is a reduction of elements that are not reductions' results.
bool cp_is_plain_reduction(const cp_node *n);
// Whether the device may run n, such a reduction, as a plan with phases although nothing else is computed.
bool cp_may_be_phased_alone(const cp_device *device, const cp_node *n);
// Whether n is a reduction with plain accumulators, of elements that no reduction gave: one pass may find
// several.
bool cp_is_joinable(cp_context *ctx, const cp_node *n);
// Whether n is a pending reduction over these axes of this shape, on the device and the stream of `first`.
bool cp_is_beside(const cp_context *ctx, const cp_node *first, uint32_t axes, int ndim, const int64_t *shape,
                  const cp_node *n);
enum { CP_MOST_BESIDE = 32 }; // so many pending values, the newest first, are looked at

#endif
