// New arrays, empty ones and copies. The caller gives the place: a handle, or a cp_array_local that it
// releases (cp_array_release).
#ifndef CP_RULES_FRESH_H
#define CP_RULES_FRESH_H

#include "array/array.h"

// Makes a (placed for ndim dimensions) an array in C order with memory of its own, contents undefined.
cp_status cp_new_array(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype dtype, int ndim,
                       const int64_t *shape);
// Makes copy one of a's values in this order, 'C' or 'F'.
cp_status cp_new_copy(cp_context *ctx, cp_array *a, char order, cp_array *copy);
// Makes copy one of a's values converted to dtype by any cast, in the order in which a lies in memory.
cp_status cp_new_cast(cp_context *ctx, cp_array *a, cp_dtype dtype, cp_array *copy);
// Device memory for one piece of work, with one reference; *scratch NULL for 0 bytes.
cp_status cp_new_scratch(cp_context *ctx, cp_device *device, size_t bytes, cp_buffer **scratch);

// An array that a rule needs in memory in another form than it was given: the array itself, or a copy, which
// cp_end_form releases.
typedef struct cp_form {
  cp_array *a;
  cp_array_local copy;
} cp_form;
static inline void cp_begin_form(cp_form *f, cp_array *a) {
  cp_array_local_init(&f->copy);
  f->a = a;
}
static inline void cp_end_form(cp_form *f) { cp_array_release(&f->copy.a); }
// f->a in memory, in C order without gaps.
cp_status cp_form_dense(cp_context *ctx, cp_form *f);
// f->a, which is no copy yet, in memory as a copy in dtype.
cp_status cp_form_cast(cp_context *ctx, cp_form *f, cp_dtype dtype);

#endif
