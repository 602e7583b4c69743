// Included by loops.c alone: defines the element type T of this translation unit, its real part R, its kind,
// ROWS (the rows of the table that T has, cmake/ops.cmake), and includes the preludes of kernels/prelude that
// define the functions of T.

#if defined(CP_LOOP_TYPE_complex64) || defined(CP_LOOP_TYPE_complex128)
#define CP_KIND_COMPLEX 1
#if defined(CP_LOOP_TYPE_complex64)
#define T complex64
#define R float
#define C complex64
#include "kernels/prelude/float32.h"
#else
#define T complex128
#define R double
#define C complex128
#include "kernels/prelude/float64.h"
#endif
#include "kernels/prelude/complex.h"
#define CP_LOWEST  (-(R)INFINITY)
#define CP_HIGHEST ((R)INFINITY)
#define ROWS       "ops/complex.def"
#define AS_LOOP(e) (e) // complex numbers are structs, which cannot be cast

#elif defined(CP_LOOP_TYPE_float32) || defined(CP_LOOP_TYPE_float64)
#define CP_KIND_REAL 1
#if defined(CP_LOOP_TYPE_float32)
#define T float
#define R float
#include "kernels/prelude/float32.h"
#else
#define T double
#define R double
#include "kernels/prelude/float64.h"
#endif
#define CP_LOWEST  (-(R)INFINITY)
#define CP_HIGHEST ((R)INFINITY)
#define ROWS       "ops/real.def"

#elif defined(CP_LOOP_TYPE_bool)
#define CP_KIND_BOOL 1
#define T            unsigned char
#define R            T
#include "kernels/prelude/bool.h"
#define CP_LOWEST  0
#define CP_HIGHEST 1
#define ROWS       "ops/boolean.def"

#else
#define CP_KIND_INTEGER 1
#if defined(CP_LOOP_TYPE_int8)
#define T          signed char
#define CP_SIGNED  1
#define CP_WIDTH   8
#define CP_LOWEST  SCHAR_MIN
#define CP_HIGHEST SCHAR_MAX
#elif defined(CP_LOOP_TYPE_int16)
#define T          short
#define CP_SIGNED  1
#define CP_WIDTH   16
#define CP_LOWEST  SHRT_MIN
#define CP_HIGHEST SHRT_MAX
#elif defined(CP_LOOP_TYPE_int32)
#define T          int
#define CP_SIGNED  1
#define CP_WIDTH   32
#define CP_LOWEST  INT_MIN
#define CP_HIGHEST INT_MAX
#elif defined(CP_LOOP_TYPE_int64)
#define T          long long
#define CP_SIGNED  1
#define CP_WIDTH   64
#define CP_LOWEST  LLONG_MIN
#define CP_HIGHEST LLONG_MAX
#elif defined(CP_LOOP_TYPE_uint8)
#define T          unsigned char
#define CP_SIGNED  0
#define CP_WIDTH   8
#define CP_LOWEST  0
#define CP_HIGHEST UCHAR_MAX
#elif defined(CP_LOOP_TYPE_uint16)
#define T          unsigned short
#define CP_SIGNED  0
#define CP_WIDTH   16
#define CP_LOWEST  0
#define CP_HIGHEST USHRT_MAX
#elif defined(CP_LOOP_TYPE_uint32)
#define T          unsigned int
#define CP_SIGNED  0
#define CP_WIDTH   32
#define CP_LOWEST  0
#define CP_HIGHEST UINT_MAX
#elif defined(CP_LOOP_TYPE_uint64)
#define T          unsigned long long
#define CP_SIGNED  0
#define CP_WIDTH   64
#define CP_LOWEST  0
#define CP_HIGHEST ULLONG_MAX
#else
#error "CP_LOOP_TYPE_<name> is not one of the element types"
#endif
#if CP_WIDTH == 64
#define W unsigned long long
#else
#define W unsigned
#endif
#define R T
#include "kernels/prelude/integer.h"
#define ROWS "ops/integer.def"
#endif

#include "kernels/prelude/half.h"
#include "kernels/prelude/reduce.h"
#if defined(CP_KIND_REAL) || defined(CP_KIND_COMPLEX)
#include "kernels/prelude/cast.h"
#endif

#if defined(CP_LOOP_TYPE_float64)
// Plans use these for half types only, which compute in float32, so these are never called.
#define h_nextafter_f16(a, b)  m_nextafter(a, b)
#define h_nextafter_bf16(a, b) m_nextafter(a, b)
#endif
