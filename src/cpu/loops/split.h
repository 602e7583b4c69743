// Splitting keys by a pivot with AVX2, and the table of orders that the quicksort (quicksort.h) uses too.
// keys.c includes this.

// For every set of 8 lanes, their numbers in 4 bits each: the lanes of the set first, from the lowest bits
// up, then the others.
#define SIZE(set)       (unsigned)__builtin_popcount(set)
#define BELOW(lane)     ((1u << (lane)) - 1)
#define IN(set, lane)   SIZE((set)&BELOW(lane))
#define OUT(set, lane)  (SIZE(set) + SIZE(~(set)&BELOW(lane)))
#define AT(set, lane)   ((unsigned)(lane) << 4 * ((set) >> (lane)&1 ? IN(set, lane) : OUT(set, lane)))
#define HALF(set, lane) (AT(set, lane) | AT(set, (lane) + 1) | AT(set, (lane) + 2) | AT(set, (lane) + 3))
#define ORDERS_1(set)   (HALF(set, 0) | HALF(set, 4))
#define ORDERS_4(set)   ORDERS_1(set), ORDERS_1((set) + 1), ORDERS_1((set) + 2), ORDERS_1((set) + 3)
#define ORDERS_16(set)  ORDERS_4(set), ORDERS_4((set) + 4), ORDERS_4((set) + 8), ORDERS_4((set) + 12)
#define ORDERS_64(set)  ORDERS_16(set), ORDERS_16((set) + 16), ORDERS_16((set) + 32), ORDERS_16((set) + 48)
static const uint32_t orders[256] = {ORDERS_64(0u), ORDERS_64(64u), ORDERS_64(128u), ORDERS_64(192u)};

// The 8 lanes of v, those of the set first.
INLINE __m256i in_order(__m256i v, unsigned set) {
  const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
  return _mm256_permutevar8x32_epi32(v, _mm256_srlv_epi32(_mm256_set1_epi32((int)orders[set]), shifts));
}

INLINE __m256i set1_32(uint32_t v) { return _mm256_set1_epi32((int32_t)v); }
INLINE __m256i set1_64(uint64_t v) { return _mm256_set1_epi64x((int64_t)v); }

// Whole vectors are written to both ends of what is free in `to`: the excess falls into what stays free, as
// that is a multiple of a vector. So the keys that fill no vector come first.
#define SPLIT(bits, lanes)                                                                                   \
  static int64_t split_##bits(const void *keys, void *parted, int64_t n, uint64_t pivot, bool same) {        \
    const uint##bits##_t *from = keys, key = (uint##bits##_t)pivot;                                          \
    const uint##bits##_t sign = (uint##bits##_t)1 << (bits - 1);                                             \
    const __m256i flip = set1_##bits(sign), bound = set1_##bits(key ^ sign);                                 \
    uint##bits##_t *to = parted, *low = to, *high = to + n;                                                  \
    int64_t k = 0;                                                                                           \
    for (; k < n % lanes; k++) *((same ? from[k] <= key : from[k] < key) ? low++ : --high) = from[k];        \
    for (; k < n; k += lanes) {                                                                              \
      const __m256i v = _mm256_loadu_si256((const void *)(from + k)), x = _mm256_xor_si256(v, flip);         \
      const __m256i other = same ? _mm256_cmpgt_epi##bits(x, bound) : _mm256_cmpgt_epi##bits(bound, x);      \
      const unsigned found = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(other));                       \
      const unsigned set = same ? found ^ 255u : found;                                                      \
      const __m256i ordered = in_order(v, set);                                                              \
      const int64_t count = (int64_t)SIZE(set) * lanes / 8;                                                  \
      _mm256_storeu_si256((void *)low, ordered);                                                             \
      _mm256_storeu_si256((void *)(high - lanes), ordered);                                                  \
      low += count;                                                                                          \
      high -= lanes - count;                                                                                 \
    }                                                                                                        \
    return low - to;                                                                                         \
  }
SPLIT(32, 8)
SPLIT(64, 4)
