// The texts of kernels/routine/sites for one element type and instruction level. CMake compiles this file
// once for each pair, with CP_LOOP_TYPE (CP_FLOAT32), CP_LOOP_NAME (float32) and CP_LEVEL (v1, v3, v4). Its
// only symbol is the table cp_sites_<type>_<level>.
#include "cpu/loops/sites.h"

#include "cpu/loops/level.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define CP_FN   static inline __attribute__((always_inline, unused))
#define CP_SLOW static __attribute__((noinline, unused))
#define CP_SITES_FOR_C
#define CP_SITES(name, span)                                                                                 \
  static void run_##name(const cp_slots *p, long long row, long long column, int n) {                        \
    cp_##name(p, row, column, n);                                                                            \
  }                                                                                                          \
  enum { SPAN_##name = span };

#if CP_LOOP_TYPE_int8
typedef signed char E;
typedef unsigned char cp_key;
#elif CP_LOOP_TYPE_int16
typedef short E;
typedef unsigned short cp_key;
#elif CP_LOOP_TYPE_int32
typedef int E;
typedef unsigned cp_key;
#elif CP_LOOP_TYPE_int64
typedef long long E;
typedef unsigned long long cp_key;
#elif CP_LOOP_TYPE_uint8
typedef unsigned char E, cp_key;
#elif CP_LOOP_TYPE_uint16
typedef unsigned short E, cp_key;
#elif CP_LOOP_TYPE_uint32
typedef unsigned E, cp_key;
#elif CP_LOOP_TYPE_uint64
typedef unsigned long long E, cp_key;
#elif CP_LOOP_TYPE_float32
typedef float E;
typedef unsigned cp_key;
#else
typedef double E;
typedef unsigned long long cp_key;
#endif

#include "routine/sites/extreme.cu"
#include "routine/sites/rank.cu"
#include "routine/sites/sample.cu"
#include "routine/sites/select.cu"
#include "routine/sites/taps.cu"
#if CP_LOOP_TYPE_float64
#include "routine/sites/spline.cu"
#include "routine/sites/weights.cu"
#endif
#if CP_LOOP_TYPE_int32 || CP_LOOP_TYPE_int64
#include "routine/sites/label.cu"

#include "cpu/loops/label.h"
#endif
#if CP_LOOP_TYPE_int32 || CP_LOOP_TYPE_float64
#undef PASS
#include "routine/sites/envelope.cu"
#endif

#if CP_LOOP_TYPE_uint64
#undef PASS
#include "routine/sites/bits.cu"
#endif

#define LOOP(name)                                                                                           \
  { run_##name, SPAN_##name }

#define TABLE CAT(CAT(cp_sites_, CP_LOOP_NAME), CAT(_, CP_LEVEL))
extern const cp_sites_loops TABLE;
const cp_sites_loops TABLE = {.kinds = {
                                  [CP_SITES_EXTREME] = LOOP(extreme),
                                  [CP_SITES_RANK] = LOOP(rank),
                                  [CP_SITES_SELECT] = LOOP(select),
                                  [CP_SITES_SAMPLE] = LOOP(sample),
                                  [CP_SITES_TAPS] = LOOP(taps),
#if CP_LOOP_TYPE_float64
                                  [CP_SITES_SPLINE] = LOOP(spline),
                                  [CP_SITES_WEIGHTS] = LOOP(weights),
#endif
#if CP_LOOP_TYPE_int32 || CP_LOOP_TYPE_int64
                                  [CP_SITES_LABEL] = LOOP(label),
#endif
#if CP_LOOP_TYPE_int32 || CP_LOOP_TYPE_float64
                                  [CP_SITES_ENVELOPE] = LOOP(envelope),
#endif
#if CP_LOOP_TYPE_uint64
                                  [CP_SITES_BITS] = LOOP(bits),
#endif
                              }};
