// Chooses the instruction level of the loops, once: the highest that was built, that the processor supports,
// and that CUPOLA_CPU_LEVEL (v1, v3 or v4) allows.
#include "cpu/loops/convolutions.h"
#include "cpu/loops/copies.h"
#include "cpu/loops/keys.h"
#include "cpu/loops/loops.h"
#include "cpu/loops/products.h"
#include "cpu/loops/sites.h"

#include <stdlib.h>
#include <string.h>

#define REAL_TYPES(level, X)                                                                                 \
  X(level, INT8, int8)                                                                                       \
  X(level, INT16, int16)                                                                                     \
  X(level, INT32, int32)                                                                                     \
  X(level, INT64, int64)                                                                                     \
  X(level, UINT8, uint8)                                                                                     \
  X(level, UINT16, uint16)                                                                                   \
  X(level, UINT32, uint32)                                                                                   \
  X(level, UINT64, uint64)                                                                                   \
  X(level, FLOAT32, float32)                                                                                 \
  X(level, FLOAT64, float64)
#define TYPES(level, X)                                                                                      \
  REAL_TYPES(level, X)                                                                                       \
  X(level, BOOL, bool)                                                                                       \
  X(level, COMPLEX64, complex64)                                                                             \
  X(level, COMPLEX128, complex128)

// Loops of complex numbers, and sites of short integers, use the instructions of v3 at most
// (cmake/loops.cmake), so v4 has no others.
#if defined(CP_HAVE_V3) && defined(CP_HAVE_V4)
#define cp_loops_complex64_v4  cp_loops_complex64_v3
#define cp_loops_complex128_v4 cp_loops_complex128_v3
#define cp_sites_int8_v4       cp_sites_int8_v3
#define cp_sites_uint8_v4      cp_sites_uint8_v3
#define cp_sites_int16_v4      cp_sites_int16_v3
#define cp_sites_uint16_v4     cp_sites_uint16_v3
#endif

#define DECLARE(level, ID, name)       extern const cp_loops cp_loops_##name##_##level;
#define ENTRY(level, ID, name)         [CP_##ID] = &cp_loops_##name##_##level,
#define DECLARE_SITES(level, ID, name) extern const cp_sites_loops cp_sites_##name##_##level;
#define SITES_ENTRY(level, ID, name)   [CP_##ID] = &cp_sites_##name##_##level,
#define TABLE(level)                                                                                         \
  TYPES(level, DECLARE)                                                                                      \
  REAL_TYPES(level, DECLARE_SITES)                                                                           \
  extern const cp_copy_loops cp_copy_loops_##level;                                                          \
  extern const cp_keys cp_keys_##level;                                                                      \
  extern const cp_convolution_loops cp_convolution_loops_##level;                                            \
  extern const cp_products cp_products_##level;                                                              \
  static const cp_loops *const table_##level[CP_NDTYPES] = {TYPES(level, ENTRY)};                            \
  static const cp_sites_loops *const sites_##level[CP_NDTYPES] = {REAL_TYPES(level, SITES_ENTRY)};

TABLE(v1)
#if defined(CP_HAVE_V3)
TABLE(v3)
#endif
#if defined(CP_HAVE_V4)
TABLE(v4)
#endif

typedef struct level {
  const char *name;
  const cp_loops *const *table;
  const cp_copy_loops *copies;
  const cp_keys *keys;
  const cp_convolution_loops *convolutions;
  const cp_products *products;
  const cp_sites_loops *const *sites;
} level;

#if defined(CP_HAVE_V3) || defined(CP_HAVE_V4)
static bool has_v3(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
#endif
#if defined(CP_HAVE_V4)
static bool has_v4(void) {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

static level choose(void) {
  const char *cap = getenv("CUPOLA_CPU_LEVEL");
  if (!cap || !*cap) cap = "v4";
#if defined(CP_HAVE_V4)
  if (strcmp(cap, "v4") >= 0 && has_v4())
    return (level){
        "v4", table_v4, &cp_copy_loops_v4, &cp_keys_v4, &cp_convolution_loops_v4, &cp_products_v4, sites_v4};
#endif
#if defined(CP_HAVE_V3)
  if (strcmp(cap, "v3") >= 0 && has_v3())
    return (level){
        "v3", table_v3, &cp_copy_loops_v3, &cp_keys_v3, &cp_convolution_loops_v3, &cp_products_v3, sites_v3};
#endif
  return (level){"v1",    table_v1, &cp_copy_loops_v1, &cp_keys_v1, &cp_convolution_loops_v1, &cp_products_v1,
                 sites_v1};
}

// Any thread may write these, always with the same values.
static _Atomic(const cp_loops *const *) chosen;
static _Atomic(const cp_copy_loops *) chosen_copy_loops;
static _Atomic(const cp_keys *) chosen_keys;
static _Atomic(const cp_convolution_loops *) chosen_convolution_loops;
static _Atomic(const cp_products *) chosen_products;
static _Atomic(const cp_sites_loops *const *) chosen_sites;

const cp_loops *cp_cpu_loops(cp_dtype t) {
  const cp_loops *const *table = chosen;
  if (!table) chosen = table = choose().table;
  return table[cp_loop_dtype(t)];
}

const cp_copy_loops *cp_cpu_copy_loops(void) {
  const cp_copy_loops *copies = chosen_copy_loops;
  if (!copies) chosen_copy_loops = copies = choose().copies;
  return copies;
}

const cp_keys *cp_cpu_keys(void) {
  const cp_keys *keys = chosen_keys;
  if (!keys) chosen_keys = keys = choose().keys;
  return keys;
}

const cp_convolution_loops *cp_cpu_convolution_loops(void) {
  const cp_convolution_loops *convolutions = chosen_convolution_loops;
  if (!convolutions) chosen_convolution_loops = convolutions = choose().convolutions;
  return convolutions;
}

const cp_products *cp_cpu_products(void) {
  const cp_products *products = chosen_products;
  if (!products) chosen_products = products = choose().products;
  return products;
}

const cp_sites_loops *cp_cpu_sites_loops(cp_dtype t) {
  const cp_sites_loops *const *table = chosen_sites;
  if (!table) chosen_sites = table = choose().sites;
  return table[t];
}

const char *cp_cpu_level(void) { return choose().name; }
