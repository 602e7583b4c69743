// Sort keys of elements, and their quicksort with AVX-512 (quicksort.h, network.h). CMake compiles this file
// once per level, with CP_LEVEL (v1, v3, v4). Its only symbol is the table cp_keys_<level>, which can sort
// from level v4 on.
#include "cpu/loops/keys.h"

#include "cpu/loops/level.h"

// The keys may be in the same memory as the elements, so the compiler must be told that iterations are
// independent.
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

// cp_order_key and its inverse in E's own arithmetic and without branches, so that they vectorise. The sign
// bit is inverted, and all bits of negative floats.
#define KEYS(E)                                                                                              \
  static void encode_##E(const cp_key_ordering *o, void *keys, const void *elements, size_t n) {             \
    const E sign = (E)o->sign, nans = (E)o->nans, all = o->nans ? (E)-1 : 0, *from = elements;               \
    E *to = keys;                                                                                            \
    INDEPENDENT for (size_t k = 0; k < n; k++) {                                                             \
      E v = from[k], negative = (E)((E)0 - (E)(v >> (sizeof(E) * 8 - 1)));                                   \
      to[k] = (E)((E)(v ^ ((negative & all) | sign)) - nans);                                                \
    }                                                                                                        \
  }                                                                                                          \
  static void decode_##E(const cp_key_ordering *o, void *elements, const void *keys, size_t n) {             \
    const E sign = (E)o->sign, nans = (E)o->nans, all = o->nans ? (E)-1 : 0, *from = keys;                   \
    E *to = elements;                                                                                        \
    INDEPENDENT for (size_t k = 0; k < n; k++) {                                                             \
      E v = (E)(from[k] + nans), negative = (E)((E)(v >> (sizeof(E) * 8 - 1)) - (E)1);                       \
      to[k] = (E)(v ^ ((negative & all) | sign));                                                            \
    }                                                                                                        \
  }
KEYS(uint8_t)
KEYS(uint16_t)
KEYS(uint32_t)
KEYS(uint64_t)

#if defined(__AVX2__)
#include <immintrin.h>

#include "cpu/loops/split.h"
#else
#define split_32          NULL
#define split_64          NULL
#define split_elements_32 NULL
#define split_elements_64 NULL
#define split_places_32   NULL
#define split_places_64   NULL
#endif

#if defined(__AVX512F__)
#define encode_32 encode_uint32_t
#define decode_32 decode_uint32_t
#define encode_64 encode_uint64_t
#define decode_64 decode_uint64_t

#define KEY_BITS  32
#define LANES     16
#define MASK      __mmask16
#include "cpu/loops/network.h"
#include "cpu/loops/quicksort.h"
#undef KEY_BITS
#undef LANES
#undef MASK
#define KEY_BITS 64
#define LANES    8
#define MASK     __mmask8
#include "cpu/loops/network.h"
#include "cpu/loops/quicksort.h"
#else
#define quicksort_32 NULL
#define quicksort_64 NULL
#endif

#define EACH(what)                                                                                           \
  { what##_uint8_t, what##_uint16_t, what##_uint32_t, what##_uint64_t }
const cp_keys CAT(cp_keys_, CP_LEVEL);
const cp_keys CAT(cp_keys_, CP_LEVEL) = {EACH(encode),
                                         EACH(decode),
                                         quicksort_32,
                                         quicksort_64,
                                         split_32,
                                         split_64,
                                         {split_elements_32, split_elements_64},
                                         {split_places_32, split_places_64}};
