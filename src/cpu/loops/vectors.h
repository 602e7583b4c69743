// Functions of vectors, as the C library has them beside those of numbers (glibc's libmvec): errors of at most 4 ulp. Opened at first use; where
// there is no such library, or it lacks a function, loops call the function of numbers.
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

// To be cast to the function's type: of one or two vectors of as many elements as 32 or 64 bytes hold.
typedef void cp_vector_function(void);

// NULL: there is none.
cp_vector_function *cp_cpu_vector(cp_vector_id id, int bytes, bool single);

#endif
