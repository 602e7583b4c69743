// Vector functions of the C library (glibc's libmvec), with errors of at most 4 ulp. The library is opened at
// first use. Where it or a function is missing, loops call the scalar function.
#ifndef CP_CPU_LOOPS_VECTORS_H
#define CP_CPU_LOOPS_VECTORS_H

#include <stdbool.h>

// X(name in ops.def, name in the C library, letters of the operands)
#define CP_VECTOR_FUNCTIONS(X)                                                                               \
  X(tan, tan, v)                                                                                             \
  X(arcsin, asin, v)                                                                                         \
  X(arccos, acos, v)                                                                                         \
  X(arctan, atan, v)                                                                                         \
  X(arctan2, atan2, vv)                                                                                      \
  X(sinh, sinh, v)                                                                                           \
  X(cosh, cosh, v)                                                                                           \
  X(arcsinh, asinh, v)                                                                                       \
  X(arccosh, acosh, v)                                                                                       \
  X(arctanh, atanh, v)                                                                                       \
  X(cbrt, cbrt, v)                                                                                           \
  X(erf, erf, v)                                                                                             \
  X(erfc, erfc, v)

typedef enum cp_vector_id {
#define ID(name, c_name, letters) CP_VECTOR_##name,
  CP_VECTOR_FUNCTIONS(ID)
#undef ID
      CP_NVECTORS
} cp_vector_id;

// Must be cast to the function's type, which takes one or two vectors of 32 or 64 bytes.
typedef void cp_vector_function(void);

// NULL if there is no such function.
cp_vector_function *cp_cpu_vector(cp_vector_id id, int bytes, bool single);

#endif
