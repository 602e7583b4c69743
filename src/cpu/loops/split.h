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

// Where the next elements go that come first, and the end of what is free for the others.
typedef struct free_room {
  char *low, *high;
} free_room;

// Whole vectors are written to both ends of what is free: the excess falls into what stays free, as that is a
// multiple of a vector. So the elements that fill no vector come first.
INLINE void put_parted(free_room *to, __m256i v, unsigned set) {
  const __m256i ordered = in_order(v, set);
  const int64_t bytes = 4 * (int64_t)SIZE(set);
  _mm256_storeu_si256((void *)to->low, ordered);
  _mm256_storeu_si256((void *)(to->high - sizeof v), ordered);
  to->low += bytes;
  to->high -= (int64_t)sizeof v - bytes;
}
INLINE unsigned set_of(__m256i lanes) { return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(lanes)); }
INLINE __m256i negative_32(__m256i v) { return _mm256_srai_epi32(v, 31); }
INLINE __m256i negative_64(__m256i v) { return _mm256_cmpgt_epi64(_mm256_setzero_si256(), v); }

// What turns elements into keys that compare as signed numbers, cp_order_key with the highest bit inverted:
// `negated` are the bits that are inverted in a negative element, `less` is subtracted after that. Without an
// order the elements are keys.
#define COMPARED(bits)                                                                                       \
  typedef struct compared_##bits {                                                                           \
    __m256i negated, less, bound;                                                                            \
    uint##bits##_t key;                                                                                      \
    const cp_key_ordering *order;                                                                            \
    bool same;                                                                                               \
  } compared_##bits;                                                                                         \
  INLINE compared_##bits compared_with_##bits(const cp_key_ordering *o, uint64_t pivot, bool same) {         \
    const uint##bits##_t highest = (uint##bits##_t)1 << (bits - 1), key = (uint##bits##_t)pivot;             \
    const uint64_t negated = o != NULL && o->nans != 0 ? o->sign - 1 : 0;                                    \
    const uint64_t less = o != NULL && o->sign != 0 ? o->nans : highest;                                     \
    return (compared_##bits){set1_##bits((uint##bits##_t)negated),                                           \
                             set1_##bits((uint##bits##_t)less),                                              \
                             set1_##bits(key ^ highest),                                                     \
                             key,                                                                            \
                             o,                                                                              \
                             same};                                                                          \
  }                                                                                                          \
  /* All ones in the lanes that come first: below the key, or with `same` not above it. */                   \
  INLINE __m256i come_first_##bits(const compared_##bits *c, __m256i v) {                                    \
    const __m256i bits_of = c->order == NULL                                                                 \
                                ? v                                                                          \
                                : _mm256_xor_si256(v, _mm256_and_si256(negative_##bits(v), c->negated)),     \
                  key = _mm256_sub_epi##bits(bits_of, c->less);                                              \
    if (!c->same) return _mm256_cmpgt_epi##bits(c->bound, key);                                              \
    return _mm256_xor_si256(_mm256_cmpgt_epi##bits(key, c->bound), _mm256_set1_epi32(-1));                   \
  }                                                                                                          \
  INLINE bool comes_first_##bits(const compared_##bits *c, uint##bits##_t e) {                               \
    const uint##bits##_t key = c->order == NULL ? e : (uint##bits##_t)cp_order_key(*c->order, e);            \
    return c->same ? key <= c->key : key < c->key;                                                           \
  }

#define SPLIT(bits, lanes)                                                                                   \
  COMPARED(bits)                                                                                             \
  INLINE int64_t part_##bits(compared_##bits c, const uint##bits##_t *from, uint##bits##_t *to, int64_t n) { \
    uint##bits##_t *low = to, *high = to + n;                                                                \
    int64_t k = 0;                                                                                           \
    for (; k < n % lanes; k++) *(comes_first_##bits(&c, from[k]) ? low++ : --high) = from[k];                \
    free_room room = {(char *)low, (char *)high};                                                            \
    for (; k < n; k += lanes) {                                                                              \
      const __m256i v = _mm256_loadu_si256((const void *)(from + k));                                        \
      put_parted(&room, v, set_of(come_first_##bits(&c, v)));                                                \
    }                                                                                                        \
    return (room.low - (char *)to) / (int64_t)sizeof *to;                                                    \
  }                                                                                                          \
  static int64_t split_##bits(const void *keys, void *parted, int64_t n, uint64_t pivot, bool same) {        \
    return part_##bits(compared_with_##bits(NULL, pivot, same), keys, parted, n);                            \
  }                                                                                                          \
  static int64_t split_elements_##bits(const cp_key_ordering *o, const void *elements, void *parted,         \
                                       int64_t n, uint64_t pivot, bool same) {                               \
    return part_##bits(compared_with_##bits(o, pivot, same), elements, parted, n);                           \
  }
SPLIT(32, 8)
SPLIT(64, 4)

INLINE void put_places_32(free_room *to, __m256i first, __m256i at) {
  const __m256i later = _mm256_add_epi64(at, _mm256_set1_epi64x(4));
  put_parted(to, at, set_of(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(first))));
  put_parted(to, later, set_of(_mm256_cvtepi32_epi64(_mm256_extracti128_si256(first, 1))));
}
INLINE void put_places_64(free_room *to, __m256i first, __m256i at) { put_parted(to, at, set_of(first)); }

// The positions of the elements, from 1, instead of the elements.
#define PLACES(bits, lanes)                                                                                  \
  static int64_t split_places_##bits(const cp_key_ordering *o, const void *elements, void *parted,           \
                                     int64_t n, uint64_t pivot, bool same) {                                 \
    const uint##bits##_t *from = elements;                                                                   \
    const compared_##bits c = compared_with_##bits(o, pivot, same);                                          \
    int64_t *to = parted, *low = to, *high = to + n, k = 0;                                                  \
    for (; k < n % lanes; k++) *(comes_first_##bits(&c, from[k]) ? low++ : --high) = k + 1;                  \
    free_room room = {(char *)low, (char *)high};                                                            \
    __m256i at = _mm256_add_epi64(_mm256_set1_epi64x(k), _mm256_setr_epi64x(1, 2, 3, 4));                    \
    for (; k < n; k += lanes, at = _mm256_add_epi64(at, _mm256_set1_epi64x(lanes)))                          \
      put_places_##bits(&room, come_first_##bits(&c, _mm256_loadu_si256((const void *)(from + k))), at);     \
    return (room.low - (char *)to) / (int64_t)sizeof *to;                                                    \
  }
PLACES(32, 8)
PLACES(64, 4)
