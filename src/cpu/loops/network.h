// Sorts up to MOST vectors of keys in registers. keys.c includes this file for keys of KEY_BITS bits, with
// LANES of them in a vector and a MASK per lane.
//
// A power of two of vectors are the rows of a matrix, whose columns are the lanes. Batcher's odd-even merge
// sort sorts every column, which needs no permutations. Bitonic merges then join columns into pairs,
// quadruples and so on, whose keys continue from lane to lane. In the end the matrix is transposed. Pairs of
// columns lie in such lanes that the transposition leaves the keys in order.
#if KEY_BITS == 32
#include <immintrin.h>

#define UNROLL  _Pragma("GCC unroll 16")
#define OF(f)   CAT(CAT(f, _), KEY_BITS)
#define SIMD(f) CAT(_mm512_##f, KEY_BITS)

enum { MOST = 16 }; // vectors

static const uint32_t lanes_32[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint64_t lanes_64[8] = {0, 1, 2, 3, 4, 5, 6, 7};

// The lanes whose number has this bit.
INLINE unsigned lanes_with(int bit) {
  return bit == 1 ? 0xaaaa : bit == 2 ? 0xcccc : bit == 4 ? 0xf0f0 : 0xff00;
}
#endif

typedef CAT(CAT(uint, KEY_BITS), _t) OF(key);

INLINE MASK OF(first)(size_t count) { return (MASK)(count < LANES ? (1u << count) - 1 : ~0u); }

// Puts the smaller keys into a and the larger ones into b. 32-bit minimum and maximum run on one port of
// Intel's processors, and 64-bit ones take twice as long, so the former case uses only one of them and the
// latter none.
INLINE void OF(order)(__m512i *a, __m512i *b) {
#if KEY_BITS == 32
  __m512i less = _mm512_min_epu32(*a, *b);
  *b = _mm512_ternarylogic_epi32(*a, *b, less, 0x96); // a ^ b ^ less
  *a = less;
#else
  MASK in_order = _mm512_cmple_epu64_mask(*a, *b);
  __m512i less = _mm512_mask_blend_epi64(in_order, *b, *a);
  *b = _mm512_mask_blend_epi64(in_order, *a, *b);
  *a = less;
#endif
}

INLINE __m512i OF(lanes_changed)(int change) {
  return _mm512_xor_si512(_mm512_loadu_si512(OF(lanes)), SIMD(set1_epi)(change));
}
// The smaller key of each lane, or the larger one in lanes whose number has the bit `upper`.
INLINE __m512i OF(trade_with)(__m512i v, __m512i w, int upper) {
#if KEY_BITS == 32
  return _mm512_mask_ternarylogic_epi32(_mm512_min_epu32(v, w), (MASK)lanes_with(upper), v, w, 0x96);
#else
  return _mm512_mask_blend_epi64(_kxor_mask8(_mm512_cmple_epu64_mask(v, w), (MASK)lanes_with(upper)), w, v);
#endif
}
// Compares and exchanges lane i with lane i ^ change.
INLINE __m512i OF(trade)(__m512i v, int change, int upper) {
  return OF(trade_with)(v, SIMD(permutexvar_epi)(OF(lanes_changed)(change), v), upper);
}
// Sorts the keys of one vector.
INLINE __m512i OF(sort_lanes)(__m512i v) {
  v = OF(trade)(v, 1, 1);
  v = OF(trade)(OF(trade)(v, 3, 2), 1, 1);
  v = OF(trade)(OF(trade)(OF(trade)(v, 7, 4), 2, 2), 1, 1);
  if (LANES > 8) v = OF(trade)(OF(trade)(OF(trade)(OF(trade)(v, 15, 8), 4, 4), 2, 2), 1, 1);
  return v;
}

// ---- columns ----------------------------------------------------------------------------------------------

// A step of Batcher's network: row i is compared with row i + by, if i has the bit `bit` (or lacks it, when
// has is 0).
INLINE void OF(step)(__m512i *v, const int rows, const int bit, const int has, const int by) {
  UNROLL for (int i = 0; i < MOST; i++) if (i + by < rows && (i & bit) == has) OF(order)(&v[i], &v[i + by]);
}
INLINE void OF(sort_columns)(__m512i *v, const int rows) {
  if (rows > 8) OF(step)(v, rows, 8, 0, 8);
  if (rows > 4) OF(step)(v, rows, 4, 0, 4);
  if (rows > 8) OF(step)(v, rows, 4, 4, 4);
  if (rows > 2) OF(step)(v, rows, 2, 0, 2);
  if (rows > 8) OF(step)(v, rows, 2, 2, 6);
  if (rows > 4) OF(step)(v, rows, 2, 2, 2);
  OF(step)(v, rows, 1, 0, 1);
  if (rows > 8) OF(step)(v, rows, 1, 1, 7);
  if (rows > 4) OF(step)(v, rows, 1, 1, 3);
  if (rows > 2) OF(step)(v, rows, 1, 1, 1);
}

// The bit of lane numbers that distinguishes the columns of a pair (level 0), the pairs of a quadruple (1),
// and so on.
INLINE int OF(lane_bit)(const int rows, const int level) {
  const int lanes = LANES > 8 ? 4 : 3, log = rows >= LANES ? lanes : rows > 4 ? 3 : rows > 2 ? 2 : 1;
  return 1 << (level + log) % lanes;
}
// Merges runs of 1 << level columns into runs of twice as many.
INLINE void OF(join)(__m512i *v, const int rows, const int level) {
  const int upper = OF(lane_bit)(rows, level);
  int change = 0;
  UNROLL for (int k = 0; k <= level; k++) change |= OF(lane_bit)(rows, k);
  const __m512i places = OF(lanes_changed)(change);
  UNROLL for (int i = 0; i < rows / 2; i++) {
    __m512i a = v[i], b = v[rows - 1 - i];
    v[i] = OF(trade_with)(a, SIMD(permutexvar_epi)(places, b), upper);
    v[rows - 1 - i] = OF(trade_with)(b, SIMD(permutexvar_epi)(places, a), upper);
  }
  UNROLL for (int k = level - 1; k >= 0; k--) {
    const int bit = OF(lane_bit)(rows, k);
    UNROLL for (int i = 0; i < rows; i++) v[i] = OF(trade)(v[i], bit, bit);
  }
  if (rows > 8) OF(step)(v, rows, 8, 0, 8);
  if (rows > 4) OF(step)(v, rows, 4, 0, 4);
  if (rows > 2) OF(step)(v, rows, 2, 0, 2);
  OF(step)(v, rows, 1, 0, 1);
}
// Exchanges this bit of the row numbers with the same bit of the lane numbers.
INLINE void OF(transpose)(__m512i *v, const int rows, const int bit) {
  const __m512i places = OF(lanes_changed)(bit);
  UNROLL for (int i = 0; i < rows; i++) {
    if (i & bit) continue;
    __m512i a = v[i], b = v[i | bit];
    v[i] = SIMD(mask_permutexvar_epi)(a, (MASK)lanes_with(bit), places, b);
    v[i | bit] = SIMD(mask_permutexvar_epi)(b, (MASK)~lanes_with(bit), places, a);
  }
}
INLINE void OF(sort_rows)(__m512i *v, const int rows) {
  OF(sort_columns)(v, rows);
  OF(join)(v, rows, 0);
  OF(join)(v, rows, 1);
  OF(join)(v, rows, 2);
  if (LANES > 8) OF(join)(v, rows, 3);
  OF(transpose)(v, rows, 1);
  if (rows > 2) OF(transpose)(v, rows, 2);
  if (rows > 4) OF(transpose)(v, rows, 4);
  if (rows > 8 && LANES > 8) OF(transpose)(v, rows, 8);
}

// Where row i goes. With more rows than lanes, the extra bit becomes the lowest bit of the row number.
INLINE int OF(row_after)(const int rows, const int i) {
  return rows > LANES ? (i & (LANES - 1)) * 2 | i / LANES : i;
}

// Sorts more keys than rows / 2 vectors hold, and at most as many as `rows` vectors hold. Missing keys count
// as the highest key.
INLINE void OF(sort_few)(OF(key) * keys, size_t n, const int rows) {
  __m512i v[MOST];
  UNROLL for (int i = 0; i < rows; i++) {
    size_t at = (size_t)i * LANES < n ? (size_t)i * LANES : n;
    v[i] = i < rows / 2 ? _mm512_loadu_si512(keys + i * LANES)
                        : SIMD(mask_loadu_epi)(SIMD(set1_epi)(-1), OF(first)(n - at), keys + at);
  }
  if (rows == 1)
    v[0] = OF(sort_lanes)(v[0]);
  else
    OF(sort_rows)(v, rows);
  UNROLL for (int i = 0; i < rows; i++) {
    const int row = OF(row_after)(rows, i);
    size_t at = (size_t)row * LANES < n ? (size_t)row * LANES : n;
    if (row < rows / 2)
      _mm512_storeu_si512(keys + row * LANES, v[i]);
    else
      SIMD(mask_storeu_epi)(keys + at, OF(first)(n - at), v[i]);
  }
}

static void OF(sort_short)(OF(key) * keys, size_t n) {
  if (n <= LANES)
    OF(sort_few)(keys, n, 1);
  else if (n <= 2 * LANES)
    OF(sort_few)(keys, n, 2);
  else if (n <= 4 * LANES)
    OF(sort_few)(keys, n, 4);
  else if (n <= 8 * LANES)
    OF(sort_few)(keys, n, 8);
  else
    OF(sort_few)(keys, n, MOST);
}
