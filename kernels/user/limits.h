// The limits of C's types, for kernels that include <limits.h> or <float.h> where the compiler lacks these
// files.
#define CHAR_BIT   8
#define SCHAR_MIN  (-128)
#define SCHAR_MAX  127
#define UCHAR_MAX  255
#define CHAR_MIN   SCHAR_MIN
#define CHAR_MAX   SCHAR_MAX
#define SHRT_MIN   (-32768)
#define SHRT_MAX   32767
#define USHRT_MAX  65535
#define INT_MAX    2147483647
#define INT_MIN    (-INT_MAX - 1)
#define UINT_MAX   4294967295u
#define LLONG_MAX  9223372036854775807ll
#define LLONG_MIN  (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#define LONG_MAX   9223372036854775807l
#define LONG_MIN   (-LONG_MAX - 1)
#define ULONG_MAX  18446744073709551615ul
#define FLT_MAX     3.402823466e+38f
#define FLT_MIN     1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define FLT_DIG     6
#define DBL_MAX     1.7976931348623158e+308
#define DBL_MIN     2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG     15
