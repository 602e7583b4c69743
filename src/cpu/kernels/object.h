// Shared objects of users' kernels: taken from a bundle, from disk, or from the C++ compiler.
#ifndef CP_CPU_KERNELS_OBJECT_H
#define CP_CPU_KERNELS_OBJECT_H

#include "cpu/kernels/compiler.h"
#include "device/budget.h"

typedef struct cp_object_source {
  const char *text; // the C++ text
  size_t size;
  int noptions; // compiler options beside cp_compiler_options
  const char *const *options;
  const char *symbol; // the symbol that the object exports
} cp_object_source;

// Loads the object and finds its symbol. key: all that the object depends on, except the compiler. *cached:
// nothing was compiled. CP_ECOMPILE, CP_EIO, CP_EMEMORY.
cp_status cp_obtain_object(cp_context *ctx, const cp_object_source *s, const cp_strbuf *key, void **address,
                           bool *cached);

#endif
