/* ulp.c for float64 and complex128. */
#define ULP_FLOAT64
#include "ulp.c"
