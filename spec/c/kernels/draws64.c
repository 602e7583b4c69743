/* draws.c for float64. */
#define DRAWS_FLOAT64
#include "draws.c"
