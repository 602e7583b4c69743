// Keys of elements, and their quicksort with AVX-512. CMake compiles this file once for each level, with CP_LEVEL (v1, v3, v4); its only symbol is
// the table cp_keys_<level>, which sorts from v4 on.
//
// A range is divided in place, from both ends: what one round reads at each end is held back at the start, so that both ends have room for what
// a round writes. Ranges of up to MOST vectors are sorted by Batcher's bitonic network in registers.
#include "cpu/keys.h"

#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)

// Keys may lie where the elements do.
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

// cp_order_key in E's own arithmetic and without branches, so that several are done at once, and its reverse: what is inverted is the sign, and
// of negative floats everything.
#define KEYS(E)                                                                                              \
  static void encode_##E(const cp_ordering *o, void *keys, const void *elements, size_t n) {                 \
    const E sign = (E)o->sign, nans = (E)o->nans, all = o->nans ? (E)-1 : 0, *from = elements;               \
    E *to = keys;                                                                                            \
    INDEPENDENT for (size_t k = 0; k < n; k++) {                                                             \
      E v = from[k], negative = (E)((E)0 - (E)(v >> (sizeof(E) * 8 - 1)));                                   \
      to[k] = (E)((E)(v ^ ((negative & all) | sign)) - nans);                                                \
    }                                                                                                        \
  }                                                                                                          \
  static void decode_##E(const cp_ordering *o, void *elements, const void *keys, size_t n) {                 \
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

#if defined(__AVX512F__)
#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

enum {
  MOST = 16,     // vectors of a range that is sorted in registers
  ROUND = 8,     // vectors that are read at once while dividing
  SAMPLES = 4,   // vectors that the pivot of a long range is the middle of
  LONG = 1 << 12 // keys of a long range
};

static const uint32_t lanes_32[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint64_t lanes_64[8] = {0, 1, 2, 3, 4, 5, 6, 7};

// The lanes whose number has this bit.
INLINE unsigned lanes_with(int bit) {
  return bit == 1 ? 0xaaaa : bit == 2 ? 0xcccc : bit == 4 ? 0xf0f0 : 0xff00;
}

INLINE uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 32;
}

// The functions of keys of B bits, LANES of them in a vector.
#define QUICK(B, LANES, MASK)                                                                                  \
  typedef uint##B##_t key_##B;                                                                                 \
                                                                                                               \
  INLINE MASK first_##B(size_t count) { return count < LANES ? (MASK)((1u << count) - 1) : (MASK)-1; }         \
                                                                                                               \
  INLINE __m512i places_##B(int change) {                                                                      \
    return _mm512_xor_si512(_mm512_loadu_si512(lanes_##B), _mm512_set1_epi##B(change));                        \
  }                                                                                                            \
  /* The smaller key of each lane, and in the lanes whose number has the bit `upper` the larger one. */        \
  INLINE __m512i trade_with_##B(__m512i v, __m512i w, int upper) {                                             \
    return _mm512_mask_max_epu##B(_mm512_min_epu##B(v, w), (MASK)lanes_with(upper), v, w);                     \
  }                                                                                                            \
  /* Lane i trades with lane i ^ change. */                                                                    \
  INLINE __m512i trade_##B(__m512i v, int change, int upper) {                                                 \
    return trade_with_##B(v, _mm512_permutexvar_epi##B(places_##B(change), v), upper);                         \
  }                                                                                                            \
  /* A vector that rises and then falls, or the other way round. */                                            \
  INLINE __m512i merge_lanes_##B(__m512i v) {                                                                  \
    if (LANES > 8) v = trade_##B(v, 8, 8);                                                                     \
    return trade_##B(trade_##B(trade_##B(v, 4, 4), 2, 2), 1, 1);                                               \
  }                                                                                                            \
  INLINE __m512i sort_lanes_##B(__m512i v) {                                                                   \
    v = trade_##B(v, 1, 1);                                                                                    \
    v = trade_##B(trade_##B(v, 3, 2), 1, 1);                                                                   \
    v = trade_##B(trade_##B(trade_##B(v, 7, 4), 2, 2), 1, 1);                                                  \
    if (LANES > 8) v = trade_##B(trade_##B(trade_##B(trade_##B(v, 15, 8), 4, 4), 2, 2), 1, 1);                 \
    return v;                                                                                                  \
  }                                                                                                            \
                                                                                                               \
  /* A vector v[i] trades with v[i ^ change], for a change of all bits up to its highest one or of one bit. */ \
  INLINE void trade_whole_##B(__m512i *v, const int count, const int change, const int upper) {                \
    UNROLL for (int i = 0; i < count; i++) {                                                                   \
      if (i & upper) continue;                                                                                 \
      __m512i a = v[i], b = v[i ^ change];                                                                     \
      v[i] = _mm512_min_epu##B(a, b);                                                                          \
      v[i ^ change] = _mm512_max_epu##B(a, b);                                                                 \
    }                                                                                                          \
  }                                                                                                            \
  /* v[0..half) and v[half..2 half) are sorted. */                                                             \
  INLINE void merge_##B(__m512i *v, const int half) {                                                          \
    __m512i high[MOST / 2];                                                                                    \
    UNROLL for (int i = 0; i < half; i++) {                                                                    \
      __m512i a = v[i], b = _mm512_permutexvar_epi##B(places_##B(LANES - 1), v[2 * half - 1 - i]);             \
      v[i] = _mm512_min_epu##B(a, b);                                                                          \
      high[i] = _mm512_max_epu##B(a, b);                                                                       \
    }                                                                                                          \
    UNROLL for (int i = 0; i < half; i++) v[half + i] = high[i];                                               \
    if (half > 4) trade_whole_##B(v, 2 * half, 4, 4);                                                          \
    if (half > 2) trade_whole_##B(v, 2 * half, 2, 2);                                                          \
    if (half > 1) trade_whole_##B(v, 2 * half, 1, 1);                                                          \
    UNROLL for (int i = 0; i < 2 * half; i++) v[i] = merge_lanes_##B(v[i]);                                    \
  }                                                                                                            \
  /* Lanes of `width` sorted columns, which go on from lane to lane, become ones of twice the width. */        \
  INLINE void join_columns_##B(__m512i *v, const int width) {                                                  \
    const __m512i places = places_##B(2 * width - 1);                                                          \
    UNROLL for (int i = 0; i < LANES / 2; i++) {                                                               \
      __m512i a = v[i], b = v[LANES - 1 - i];                                                                  \
      v[i] = trade_with_##B(a, _mm512_permutexvar_epi##B(places, b), width);                                   \
      v[LANES - 1 - i] = trade_with_##B(b, _mm512_permutexvar_epi##B(places, a), width);                       \
    }                                                                                                          \
    UNROLL for (int i = 0; i < LANES; i++) {                                                                   \
      if (width > 4) v[i] = trade_##B(v[i], 4, 4);                                                             \
      if (width > 2) v[i] = trade_##B(v[i], 2, 2);                                                             \
      if (width > 1) v[i] = trade_##B(v[i], 1, 1);                                                             \
    }                                                                                                          \
    if (LANES > 8) trade_whole_##B(v, LANES, 8, 8);                                                            \
    trade_whole_##B(v, LANES, 4, 4);                                                                           \
    trade_whole_##B(v, LANES, 2, 2);                                                                           \
    trade_whole_##B(v, LANES, 1, 1);                                                                           \
  }                                                                                                            \
  INLINE void transpose_##B(__m512i *v, const int bit) {                                                       \
    const __m512i places = places_##B(bit);                                                                    \
    UNROLL for (int i = 0; i < LANES; i++) {                                                                   \
      if (i & bit) continue;                                                                                   \
      __m512i a = v[i], b = v[i | bit];                                                                        \
      v[i] = _mm512_mask_permutexvar_epi##B(a, (MASK)lanes_with(bit), places, b);                              \
      v[i | bit] = _mm512_mask_permutexvar_epi##B(b, (MASK)~lanes_with(bit), places, a);                       \
    }                                                                                                          \
  }                                                                                                            \
  /* As many vectors as lanes: columns are sorted, which costs no permutations, and joined. */                 \
  INLINE void sort_square_##B(__m512i *v) {                                                                    \
    trade_whole_##B(v, LANES, 1, 1);                                                                           \
    trade_whole_##B(v, LANES, 3, 2);                                                                           \
    trade_whole_##B(v, LANES, 1, 1);                                                                           \
    trade_whole_##B(v, LANES, 7, 4);                                                                           \
    trade_whole_##B(v, LANES, 2, 2);                                                                           \
    trade_whole_##B(v, LANES, 1, 1);                                                                           \
    if (LANES > 8) {                                                                                           \
      trade_whole_##B(v, LANES, 15, 8);                                                                        \
      trade_whole_##B(v, LANES, 4, 4);                                                                         \
      trade_whole_##B(v, LANES, 2, 2);                                                                         \
      trade_whole_##B(v, LANES, 1, 1);                                                                         \
    }                                                                                                          \
    join_columns_##B(v, 1);                                                                                    \
    join_columns_##B(v, 2);                                                                                    \
    join_columns_##B(v, 4);                                                                                    \
    if (LANES > 8) join_columns_##B(v, 8);                                                                     \
    transpose_##B(v, 1);                                                                                       \
    transpose_##B(v, 2);                                                                                       \
    transpose_##B(v, 4);                                                                                       \
    if (LANES > 8) transpose_##B(v, 8);                                                                        \
  }                                                                                                            \
  INLINE void sort_vectors_##B(__m512i *v, const int count) {                                                  \
    const int squares = count / LANES;                                                                         \
    UNROLL for (int i = 0; i < squares; i++) sort_square_##B(v + i * LANES);                                   \
    if (squares > 0) {                                                                                         \
      if (count == 2 * LANES) merge_##B(v, LANES);                                                             \
      return;                                                                                                  \
    }                                                                                                          \
    UNROLL for (int i = 0; i < count; i++) v[i] = sort_lanes_##B(v[i]);                                        \
    UNROLL for (int i = 0; i + 1 < count; i += 2) merge_##B(v + i, 1);                                         \
    UNROLL for (int i = 0; i + 3 < count; i += 4) merge_##B(v + i, 2);                                         \
    UNROLL for (int i = 0; i + 7 < count; i += 8) merge_##B(v + i, 4);                                         \
  }                                                                                                            \
                                                                                                               \
  /* Up to `count` vectors of keys; what is missing counts as the highest key. */                              \
  INLINE void sort_few_##B(key_##B *keys, size_t n, const int count) {                                         \
    __m512i v[MOST];                                                                                           \
    UNROLL for (int i = 0; i < count; i++) {                                                                   \
      size_t at = (size_t)i * LANES < n ? (size_t)i * LANES : n;                                               \
      v[i] = _mm512_mask_loadu_epi##B(_mm512_set1_epi##B(-1), first_##B(n - at), keys + at);                   \
    }                                                                                                          \
    sort_vectors_##B(v, count);                                                                                \
    UNROLL for (int i = 0; i < count; i++) {                                                                   \
      size_t at = (size_t)i * LANES < n ? (size_t)i * LANES : n;                                               \
      _mm512_mask_storeu_epi##B(keys + at, first_##B(n - at), v[i]);                                           \
    }                                                                                                          \
  }                                                                                                            \
  static void sort_short_##B(key_##B *keys, size_t n) {                                                        \
    if (n <= LANES)                                                                                            \
      sort_few_##B(keys, n, 1);                                                                                \
    else if (n <= 2 * LANES)                                                                                   \
      sort_few_##B(keys, n, 2);                                                                                \
    else if (n <= 4 * LANES)                                                                                   \
      sort_few_##B(keys, n, 4);                                                                                \
    else if (n <= 8 * LANES)                                                                                   \
      sort_few_##B(keys, n, 8);                                                                                \
    else                                                                                                       \
      sort_few_##B(keys, n, MOST);                                                                             \
  }                                                                                                            \
                                                                                                               \
  /* The middle one of keys from all over the range. */                                                        \
  static key_##B choose_##B(const key_##B *keys, size_t n, uint64_t *state) {                                  \
    key_##B samples[SAMPLES * LANES];                                                                          \
    __m512i v[SAMPLES];                                                                                        \
    size_t count = n < LONG ? LANES : SAMPLES * LANES, step = n / count;                                       \
    uint64_t wide = step < UINT32_MAX ? step : UINT32_MAX;                                                     \
    for (size_t k = 0; k < count; k++)                                                                         \
      samples[k] = keys[k * step + (size_t)(next_random(state) * wide >> 32)];                                 \
    for (size_t k = 0; k * LANES < count; k++) v[k] = _mm512_loadu_si512(samples + k * LANES);                 \
    if (count == LANES)                                                                                        \
      v[0] = sort_lanes_##B(v[0]);                                                                             \
    else                                                                                                       \
      sort_vectors_##B(v, SAMPLES);                                                                            \
    for (size_t k = 0; k * LANES < count; k++) _mm512_storeu_si512(samples + k * LANES, v[k]);                 \
    return samples[count / 2];                                                                                 \
  }                                                                                                            \
                                                                                                               \
  typedef struct ends_##B {                                                                                    \
    key_##B *low, *high;                                                                                       \
  } ends_##B;                                                                                                  \
  /* Writes the lanes of `which` to the two ends. */                                                           \
  INLINE void put_##B(ends_##B *to, __m512i v, __m512i pivot, MASK which) {                                    \
    MASK less = _mm512_mask_cmplt_epu##B##_mask(which, v, pivot), more = (MASK)(which & ~less);                \
    size_t below = (size_t)__builtin_popcount(less), above = (size_t)__builtin_popcount(more);                 \
    to->high -= above;                                                                                         \
    _mm512_mask_storeu_epi##B(to->low, (MASK)((1u << below) - 1), _mm512_maskz_compress_epi##B(less, v));      \
    _mm512_mask_storeu_epi##B(to->high, (MASK)((1u << above) - 1), _mm512_maskz_compress_epi##B(more, v));     \
    to->low += below;                                                                                          \
  }                                                                                                            \
                                                                                                               \
  /* Moves the keys below the pivot to the front; how many they are. n is at least two rounds. */              \
  static size_t divide_##B(key_##B *keys, size_t n, key_##B key) {                                             \
    enum { BLOCK = ROUND * LANES };                                                                            \
    const __m512i pivot = _mm512_set1_epi##B((int##B##_t)key);                                                 \
    const size_t left = n % BLOCK;                                                                             \
    key_##B rest[BLOCK], *read = keys, *end = keys + (n - left);                                               \
    ends_##B to = {keys, keys + n};                                                                            \
    __m512i held[2 * ROUND], v[ROUND];                                                                         \
    memcpy(rest, end, left * sizeof *rest);                                                                    \
    end -= BLOCK;                                                                                              \
    for (size_t k = 0; k < ROUND; k++) {                                                                       \
      held[k] = _mm512_loadu_si512(read + k * LANES);                                                          \
      held[ROUND + k] = _mm512_loadu_si512(end + k * LANES);                                                   \
    }                                                                                                          \
    read += BLOCK;                                                                                             \
    while (read < end) {                                                                                       \
      bool front = read - to.low <= to.high - end; /* the end with less room */                                \
      const key_##B *from = front ? read : end - BLOCK;                                                        \
      read += front ? BLOCK : 0;                                                                               \
      end -= front ? 0 : BLOCK;                                                                                \
      UNROLL for (size_t k = 0; k < ROUND; k++) v[k] = _mm512_loadu_si512(from + k * LANES);                   \
      UNROLL for (size_t k = 0; k < ROUND; k++) put_##B(&to, v[k], pivot, (MASK)-1);                           \
    }                                                                                                          \
    for (size_t k = 0; k < 2 * ROUND; k++) put_##B(&to, held[k], pivot, (MASK)-1);                             \
    for (size_t k = 0; k < left; k += LANES) {                                                                 \
      MASK which = first_##B(left - k);                                                                        \
      put_##B(&to, _mm512_maskz_loadu_epi##B(which, rest + k), pivot, which);                                  \
    }                                                                                                          \
    return (size_t)(to.low - keys);                                                                            \
  }                                                                                                            \
                                                                                                               \
  static bool sort_##B(key_##B *keys, size_t n, int levels, uint64_t *state) {                                 \
    for (; n > MOST * LANES; levels--) {                                                                       \
      if (levels <= 0) return false;                                                                           \
      key_##B pivot = choose_##B(keys, n, state);                                                              \
      size_t below = divide_##B(keys, n, pivot);                                                               \
      if (below == 0) { /* the pivot is the lowest key: those that equal it come first, and are done */        \
        if (pivot == (key_##B) - 1) return true;                                                               \
        below = divide_##B(keys, n, pivot + 1);                                                                \
        keys += below;                                                                                         \
        n -= below;                                                                                            \
      } else if (below < n - below) {                                                                          \
        if (!sort_##B(keys, below, levels - 1, state)) return false;                                           \
        keys += below;                                                                                         \
        n -= below;                                                                                            \
      } else {                                                                                                 \
        if (!sort_##B(keys + below, n - below, levels - 1, state)) return false;                               \
        n = below;                                                                                             \
      }                                                                                                        \
    }                                                                                                          \
    sort_short_##B(keys, n);                                                                                   \
    return true;                                                                                               \
  }                                                                                                            \
  static bool quick_##B(void *keys, size_t n, int levels) {                                                    \
    uint64_t state = n;                                                                                        \
    return sort_##B(keys, n, levels, &state);                                                                  \
  }

QUICK(32, 16, __mmask16)
QUICK(64, 8, __mmask8)

#else
#define quick_32 NULL
#define quick_64 NULL
#endif

#define EACH(what)                                                                                           \
  { what##_uint8_t, what##_uint16_t, what##_uint32_t, what##_uint64_t }
const cp_keys CAT(cp_keys_, CP_LEVEL);
const cp_keys CAT(cp_keys_, CP_LEVEL) = {EACH(encode), EACH(decode), quick_32, quick_64};
