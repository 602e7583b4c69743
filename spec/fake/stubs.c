// Every driver function that spec/fake/cuda.c does not have: the library must export them all.
#include "cuda/api.h"

cpcu_result unsupported(void);
cpcu_result unsupported(void) { return CPCU_ERROR_NOT_SUPPORTED; }

#define STUB(field, symbol, arguments)                                                                       \
  cpcu_result symbol arguments __attribute__((weak, alias("unsupported")));
CPCU_DRIVER_FUNCTIONS(STUB)
