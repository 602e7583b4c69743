// The driver's functions that are not simulated: the core looks up every function, so they must exist. They
// return CPCU_ERROR_NOT_SUPPORTED.
#include "cuda/driver/api.h"

#define MISSING(field, symbol, arguments)                                                                    \
  __attribute__((weak)) int symbol(void);                                                                    \
  int symbol(void) { return CPCU_ERROR_NOT_SUPPORTED; }
CPCU_DRIVER_FUNCTIONS(MISSING)
CPCU_OPTIONAL_FUNCTIONS(MISSING)
