// New arrays: empty ones and copies. The caller provides the cp_array to fill in: a handle, or a
// cp_array_local, which it releases by cp_array_release.
#ifndef CP_RULES_FRESH_H
#define CP_RULES_FRESH_H

#include "array/array.h"

// Makes a new array in C order with undefined contents. `a` must have room for ndim dimensions.
cp_status cp_new_array(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype dtype, int ndim,
                       const int64_t *shape);
// The order that "A" means: 'F' if a is contiguous in that order alone, else 'C'.
static inline char cp_order_of(const cp_array *a) {
  return cp_array_contiguous(a, 'F') && !cp_array_contiguous(a, 'C') ? 'F' : 'C';
}
// Sets the dtype, shape and strides of a new array, which is placed, in order 'C', 'F' or 'K'. K is the order
// in which the axes of `like` lie in memory if there are as many of them, else C.
cp_status cp_layout_like(cp_array *a, cp_dtype dtype, int ndim, const int64_t *shape, char order,
                         const cp_array *like);
// Makes `copy` a copy of a in the given order, 'C' or 'F'.
cp_status cp_new_copy(cp_context *ctx, cp_array *a, char order, cp_array *copy);
// Makes `copy` a copy of a, converted to dtype by any cast, with a's order of axes in memory.
cp_status cp_new_cast(cp_context *ctx, cp_array *a, cp_dtype dtype, cp_array *copy);
// Allocates device memory for one piece of work, with one reference. *scratch is NULL for 0 bytes.
cp_status cp_new_scratch(cp_context *ctx, cp_device *device, size_t bytes, cp_buffer **scratch);

// An array that a rule needs in memory and in a certain form: the array itself if it has that form, otherwise
// a copy, which cp_end_form releases.
typedef struct cp_form {
  cp_array *a;
  cp_array_local copy;
} cp_form;
static inline void cp_begin_form(cp_form *f, cp_array *a) {
  cp_array_local_init(&f->copy);
  f->a = a;
}
static inline void cp_end_form(cp_form *f) { cp_array_release(&f->copy.a); }
// Makes f->a contiguous in C order, in memory.
cp_status cp_form_dense(cp_context *ctx, cp_form *f);
// Replaces f->a, which is not a copy yet, by a copy in dtype, in memory.
cp_status cp_form_cast(cp_context *ctx, cp_form *f, cp_dtype dtype);

#endif
