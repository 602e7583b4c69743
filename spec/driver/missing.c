// What driver.c leaves out: the core looks up every function, and these say that they are not supported.
#include "cuda/driver/api.h"

#define MISSING(field, symbol, arguments)                                                                    \
  __attribute__((weak)) int symbol(void);                                                                    \
  int symbol(void) { return CPCU_ERROR_NOT_SUPPORTED; }
CPCU_DRIVER_FUNCTIONS(MISSING)
CPCU_OPTIONAL_FUNCTIONS(MISSING)
