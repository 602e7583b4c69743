// Quicksort of keys with AVX-512, in place. keys.c includes this after network.h, for keys of KEY_BITS bits.
//
// A range is partitioned from both ends. The first round's keys of each end are held back, so that both ends
// have room for what a round writes. Ranges of up to MOST vectors are sorted in registers.
#if KEY_BITS == 32
#include <string.h>

enum {
  ROUND = 8,      // vectors read at once while partitioning
  SAMPLES = 4,    // vectors of samples whose median is the pivot of a long range
  LONG = 1 << 12, // keys of a long range
  FAR = 1 << 16   // keys of a range that the caches near the core cannot hold
};

INLINE uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 32;
}
#endif

INLINE __m512i OF(middle)(__m512i a, __m512i b, __m512i c) {
  OF(order)(&a, &b);
  OF(order)(&b, &c);
  OF(order)(&a, &b);
  return b;
}
// Approximate median of a short range: the medians of three vectors lane by lane, then medians of three of
// these, twice.
static OF(key) OF(choose_short)(const OF(key) * keys, size_t n) {
  const __m512i one = OF(lanes_changed)(1), two = OF(lanes_changed)(2), three = OF(lanes_changed)(4),
                four = OF(lanes_changed)(LANES - 1);
  const size_t quarter = n / 4;
  __m512i v = OF(middle)(_mm512_loadu_si512(keys + quarter), _mm512_loadu_si512(keys + 2 * quarter),
                         _mm512_loadu_si512(keys + 3 * quarter));
  v = OF(middle)(v, SIMD(permutexvar_epi)(one, v), SIMD(permutexvar_epi)(two, v));
  v = OF(middle)(v, SIMD(permutexvar_epi)(three, v), SIMD(permutexvar_epi)(four, v));
#if KEY_BITS == 32
  return (key_32)_mm_cvtsi128_si32(_mm512_castsi512_si128(v));
#else
  return (key_64)_mm_cvtsi128_si64(_mm512_castsi512_si128(v));
#endif
}
// The median of keys sampled from the whole range.
static OF(key) OF(choose)(const OF(key) * keys, size_t n, uint64_t *state) {
  enum { COUNT = SAMPLES * LANES };
  OF(key) samples[COUNT];
  if (n < LONG) return OF(choose_short)(keys, n);
  size_t step = n / COUNT;
  uint64_t wide = step < UINT32_MAX ? step : UINT32_MAX;
  for (size_t k = 0; k < COUNT; k++) samples[k] = keys[k * step + (size_t)(next_random(state) * wide >> 32)];
  OF(sort_few)(samples, COUNT, SAMPLES);
  return samples[COUNT / 2];
}

// Where the next keys below the pivot go, and the room (in keys) between there and the keys not below it.
typedef struct OF(gap) {
  OF(key) * low;
  size_t room;
} OF(gap);

// Writes 8 keys to both ends; `below` is the set of keys below the pivot. All 8 keys are written at each end,
// since the excess falls into the gap. Its size is a multiple of 8, so the two places are the same or do not
// overlap.
#if KEY_BITS == 32
INLINE void put_8_32(gap_32 *to, __m256i v, unsigned below) {
  __m256i parted = in_order(v, below);
  _mm256_storeu_si256((void *)to->low, parted);
  _mm256_storeu_si256((void *)(to->low + to->room - 8), parted);
  to->low += (size_t)__builtin_popcount(below);
  to->room -= 8;
}
INLINE void put_32(gap_32 *to, __m512i v, __m512i pivot) {
  unsigned below = _mm512_cmplt_epu32_mask(v, pivot);
  put_8_32(to, _mm512_castsi512_si256(v), below & 0xff);
  put_8_32(to, _mm512_extracti64x4_epi64(v, 1), below >> 8);
}
#else
INLINE void put_64(gap_64 *to, __m512i v, __m512i pivot) {
  const __m512i shifts = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28);
  unsigned below = _mm512_cmplt_epu64_mask(v, pivot);
  __m512i order = _mm512_srlv_epi64(_mm512_set1_epi32((int)orders[below]), shifts);
  __m512i parted = _mm512_permutexvar_epi64(order, v);
  _mm512_storeu_si512(to->low, parted);
  _mm512_storeu_si512(to->low + to->room - 8, parted);
  to->low += (size_t)__builtin_popcount(below);
  to->room -= 8;
}
#endif
// Writes the lanes of `which` and no others, whatever the room.
INLINE void OF(put_some)(OF(gap) * to, __m512i v, __m512i pivot, MASK which) {
  MASK less = CAT(CAT(_mm512_mask_cmplt_epu, KEY_BITS), _mask)(which, v, pivot), more = (MASK)(which & ~less);
  size_t below = SIZE(less), above = SIZE(more);
  SIMD(mask_storeu_epi)(to->low, OF(first)(below), SIMD(maskz_compress_epi)(less, v));
  SIMD(mask_storeu_epi)(to->low + to->room - above, OF(first)(above), SIMD(maskz_compress_epi)(more, v));
  to->low += below;
  to->room -= below + above;
}

// Writes n keys, fewer than a block. This comes before the whole blocks, which need room for whole vectors.
INLINE void OF(put_rest)(OF(gap) * to, const OF(key) * keys, size_t n, __m512i pivot) {
  for (size_t k = 0; k < n; k += LANES) {
    MASK which = OF(first)(n - k);
    OF(put_some)(to, SIMD(maskz_loadu_epi)(which, keys + k), pivot, which);
  }
}

// Prefetches the vectors of a later round.
INLINE void OF(fetch)(uintptr_t at) {
  UNROLL for (size_t k = 0; k < ROUND; k++) _mm_prefetch((const char *)at + k * 64, _MM_HINT_T0);
}

// Moves the keys below the pivot to the front and returns their number. n is at least two rounds.
static size_t OF(divide)(OF(key) * keys, size_t n, OF(key) key) {
  enum { BLOCK = ROUND * LANES };
  const __m512i pivot = SIMD(set1_epi)((CAT(CAT(int, KEY_BITS), _t))key);
  const size_t left = n % BLOCK;
  OF(key) rest[BLOCK], *read = keys, *end = keys + (n - left);
  OF(gap) to = {keys, n};
  __m512i held[2 * ROUND], v[ROUND];
  memcpy(rest, end, left * sizeof *rest);
  end -= BLOCK;
  for (size_t k = 0; k < ROUND; k++) {
    held[k] = _mm512_loadu_si512(read + k * LANES);
    held[ROUND + k] = _mm512_loadu_si512(end + k * LANES);
  }
  read += BLOCK;
  OF(put_rest)(&to, rest, left, pivot);
  while (read < end) {
    bool front = read - to.low <= to.low + to.room - end; // the end with less room
    const OF(key) *from = front ? read : end - BLOCK;
    read += front ? BLOCK : 0;
    end -= front ? 0 : BLOCK;
    if (n > FAR) OF(fetch)(front ? (uintptr_t)(read + 2 * BLOCK) : (uintptr_t)(end)-3 * BLOCK * sizeof *end);
    UNROLL for (size_t k = 0; k < ROUND; k++) v[k] = _mm512_loadu_si512(from + k * LANES);
    UNROLL for (size_t k = 0; k < ROUND; k++) OF(put)(&to, v[k], pivot);
  }
  for (size_t k = 0; k < 2 * ROUND; k++) OF(put)(&to, held[k], pivot);
  return (size_t)(to.low - keys);
}

// Partitions the keys of `elements` into `keys`, another array, so that the first partition needs no separate
// pass to make keys.
static size_t OF(divide_elements)(const cp_key_ordering *o, OF(key) * keys, const OF(key) * elements,
                                  size_t n, OF(key) key) {
  enum { BLOCK = ROUND * LANES };
  const __m512i pivot = SIMD(set1_epi)((CAT(CAT(int, KEY_BITS), _t))key);
  const size_t left = n % BLOCK;
  OF(gap) to = {keys, n};
  OF(key) block[BLOCK];
  OF(encode)(o, block, elements, left);
  OF(put_rest)(&to, block, left, pivot);
  for (size_t at = left; at < n; at += BLOCK) {
    OF(encode)(o, block, elements + at, BLOCK);
    UNROLL for (size_t k = 0; k < ROUND; k++) OF(put)(&to, _mm512_loadu_si512(block + k * LANES), pivot);
  }
  return (size_t)(to.low - keys);
}

// ---- ranges -----------------------------------------------------------------------------------------------

static void OF(sink)(OF(key) * heap, size_t at, size_t n) {
  OF(key) key = heap[at];
  for (size_t child; (child = 2 * at + 1) < n; at = child) {
    child += child + 1 < n && heap[child] < heap[child + 1];
    if (heap[child] <= key) break;
    heap[at] = heap[child];
  }
  heap[at] = key;
}
static void OF(heapsort)(OF(key) * keys, size_t n) {
  for (size_t k = n / 2; k-- > 0;) OF(sink)(keys, k, n);
  while (n-- > 1) {
    OF(key) last = keys[n];
    keys[n] = keys[0];
    keys[0] = last;
    OF(sink)(keys, 0, n);
  }
}

typedef struct OF(sorting) {
  const cp_key_ordering *order; // NULL: leave keys as they are
  const OF(key) * first, *last; // the places that are wanted
  uint64_t random;
} OF(sorting);

static void OF(finish)(const OF(sorting) * s, OF(key) * keys, size_t n) {
  if (s->order != NULL) OF(decode)(s->order, keys, keys, n);
}

INLINE bool OF(is_wanted)(const OF(sorting) * s, const OF(key) * keys, size_t n) {
  return keys <= s->last && s->first < keys + n;
}

// lowest: no key is below it. levels: nested partitions that remain before heapsort takes over, which no
// input order makes slow.
static void OF(sort)(OF(sorting) * s, OF(key) * keys, size_t n, OF(key) lowest, int levels) {
  for (; n > MOST * LANES && levels > 0 && OF(is_wanted)(s, keys, n); levels--) {
    OF(key) pivot = OF(choose)(keys, n, &s->random);
    size_t below = pivot > lowest ? OF(divide)(keys, n, pivot) : 0;
    if (below == 0) { // the pivot is the lowest key: the keys equal to it come first and are in place
      below = pivot == (OF(key)) - 1 ? n : OF(divide)(keys, n, pivot + 1);
      OF(finish)(s, keys, below);
    } else if (below < n - below) {
      OF(sort)(s, keys, below, lowest, levels - 1);
      lowest = pivot;
    } else {
      OF(sort)(s, keys + below, n - below, pivot, levels - 1);
      n = below;
      continue;
    }
    keys += below;
    n -= below;
  }
  if (n <= MOST * LANES)
    OF(sort_short)(keys, n);
  else if (OF(is_wanted)(s, keys, n))
    OF(heapsort)(keys, n);
  OF(finish)(s, keys, n);
}
static void OF(quicksort)(const cp_key_ordering *o, void *sorted, const void *elements, size_t n,
                          const cp_wanted *wanted) {
  OF(key) *keys = sorted;
  OF(sorting) s = {o, keys + wanted->first, keys + wanted->last, n};
  OF(key) pivot = 0;
  size_t below = 0;
  if (sorted != elements && n >= LONG) {
    pivot = OF(choose)(elements, n, &s.random);
    OF(encode)(o, &pivot, &pivot, 1);
    below = OF(divide_elements)(o, keys, elements, n, pivot);
  } else if (o != NULL) {
    OF(encode)(o, keys, elements, n);
  }
  OF(sort)(&s, keys, below, 0, wanted->levels);
  OF(sort)(&s, keys + below, n - below, pivot, wanted->levels);
}
