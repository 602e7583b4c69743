// Copy kernels by element size, at one instruction level. CMake compiles this file once per level, with
// CP_LEVEL (v1, v3, v4). Its only symbol is the table cp_copy_loops_<level>. Elements are copied by memcpy of
// a constant size, which compiles to plain moves and needs no alignment.
#include "cpu/loops/copies.h"

#include "base/shape.h"
#include "cpu/loops/level.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define ALL(prefix)                                                                                          \
  { prefix##_1, prefix##_2, prefix##_4, prefix##_8, prefix##_16 }

// Copies adjacent bytes. The C library copies some kilobytes by an instruction of the processor that is many
// times slower on some if source and target are not aligned alike; so these are copied by vectors here.
typedef char wide_bytes __attribute__((vector_size(VECTOR), aligned(1), may_alias));
#define COPY_WIDE(d, s) (*(wide_bytes *)(void *)(d) = *(const wide_bytes *)(const void *)(s))
INLINE void copy_line(char *restrict d, const char *restrict s, size_t n) {
  enum { STEP = 4 * VECTOR, LIBRARY_FROM = 1 << 20 };
  if (n < 2 * STEP || n >= LIBRARY_FROM || (((uintptr_t)d ^ (uintptr_t)s) & 63) == 0) {
    memcpy(d, s, n);
    return;
  }
  size_t k = 0;
  for (; k + STEP <= n; k += STEP) {
    __asm__("" : "+r"(k)); // or else the compiler calls the library again
    COPY_WIDE(d + k, s + k);
    COPY_WIDE(d + k + VECTOR, s + k + VECTOR);
    COPY_WIDE(d + k + 2 * VECTOR, s + k + 2 * VECTOR);
    COPY_WIDE(d + k + 3 * VECTOR, s + k + 3 * VECTOR);
  }
  memcpy(d + n - STEP, s + n - STEP, STEP);
}

// The strides of every second element and of a reversed row are constants, so that they become shuffles.
#define STRIDED(bytes)                                                                                       \
  INLINE void gather_by_##bytes(char *restrict d, const char *restrict s, int64_t stride, size_t n) {        \
    for (size_t k = 0; k < n; k++) memcpy(d + k * bytes, s + (int64_t)k * stride, bytes);                    \
  }                                                                                                          \
  static void gather_##bytes(char *d, const char *s, int64_t stride, size_t n) {                             \
    if (stride == bytes)                                                                                     \
      copy_line(d, s, n *bytes);                                                                             \
    else if (stride == 2 * bytes)                                                                            \
      gather_by_##bytes(d, s, 2 * bytes, n);                                                                 \
    else if (stride == -bytes)                                                                               \
      gather_by_##bytes(d, s, -bytes, n);                                                                    \
    else                                                                                                     \
      gather_by_##bytes(d, s, stride, n);                                                                    \
  }                                                                                                          \
  static void scatter_##bytes(char *restrict d, const char *restrict s, int64_t stride, size_t n) {          \
    if (stride == bytes) {                                                                                   \
      copy_line(d, s, n *bytes);                                                                             \
      return;                                                                                                \
    }                                                                                                        \
    for (size_t k = 0; k < n; k++) memcpy(d + (int64_t)k * stride, s + k * bytes, bytes);                    \
  }                                                                                                          \
  static void fill_##bytes(char *restrict d, const char *restrict element, size_t n) {                       \
    char e[bytes];                                                                                           \
    memcpy(e, element, bytes);                                                                               \
    for (size_t k = 0; k < n; k++) memcpy(d + k * bytes, e, bytes);                                          \
  }                                                                                                          \
  static void expand_##bytes(char *restrict d, const char *restrict s, int64_t stride, size_t rows,          \
                             size_t times) {                                                                 \
    enum { STEP = CP_MOVE_SLACK / bytes };                                                                   \
    for (size_t r = 0; r < rows; r++, d += times * bytes) {                                                  \
      char splat[CP_MOVE_SLACK];                                                                             \
      for (size_t k = 0; k < STEP; k++) memcpy(splat + k * bytes, s + (int64_t)r * stride, bytes);           \
      for (size_t k = 0; k < times; k += STEP) memcpy(d + k * bytes, splat, CP_MOVE_SLACK);                  \
    }                                                                                                        \
  }

STRIDED(1)
STRIDED(2)
STRIDED(4)
STRIDED(8)
STRIDED(16)

#define PLACES(type)                                                                                         \
  INLINE bool places_by_##type(const char *from, int64_t step, int64_t length, int64_t stride,               \
                               int64_t *offsets, size_t n, const cp_placing how) {                           \
    int64_t outside = 0;                                                                                     \
    for (size_t k = 0; k < n; k++) {                                                                         \
      type v;                                                                                                \
      memcpy(&v, from + (int64_t)k * step, sizeof v);                                                        \
      int64_t at = (int64_t)v - 1 + ((int64_t)v > 0 ? 0 : length + 1);                                       \
      outside |= at | (length - 1 - at); /* negative: below, above */                                        \
      if (how == CP_PLACES_SET) offsets[k] = at * stride;                                                    \
      if (how == CP_PLACES_ADD) offsets[k] += at * stride;                                                   \
    }                                                                                                        \
    return outside >= 0;                                                                                     \
  }                                                                                                          \
  INLINE bool some_places_##type(const char *from, int64_t step, int64_t length, int64_t stride,             \
                                 int64_t *offsets, size_t n, const cp_placing how) {                         \
    if (step == sizeof(type)) return places_by_##type(from, sizeof(type), length, stride, offsets, n, how);  \
    return places_by_##type(from, step, length, stride, offsets, n, how);                                    \
  }                                                                                                          \
  static bool places_##type(const char *from, int64_t step, int64_t length, int64_t stride,                  \
                            int64_t *offsets, size_t n, cp_placing how) {                                    \
    if (how == CP_PLACES_CHECK)                                                                              \
      return some_places_##type(from, step, length, stride, offsets, n, CP_PLACES_CHECK);                    \
    if (how == CP_PLACES_SET)                                                                                \
      return some_places_##type(from, step, length, stride, offsets, n, CP_PLACES_SET);                      \
    return some_places_##type(from, step, length, stride, offsets, n, CP_PLACES_ADD);                        \
  }
PLACES(int32_t)
PLACES(int64_t)

static void count(int64_t *d, int64_t start, int64_t step, size_t n) {
  for (size_t k = 0; k < n; k++) d[k] = cp_beyond(start, (int64_t)k, step);
}

// Transposes squares of `side` x `side` elements by SQUARE, and the remaining edges one by one. Columns of
// the source are contiguous.
#define TRANSPOSE(bytes, side, SQUARE)                                                                       \
  INLINE void transpose_one_##bytes(char *d, int64_t dst_pitch, const char *s, int64_t pitch, size_t r,      \
                                    size_t c) {                                                              \
    memcpy(d + (int64_t)r * dst_pitch + c * bytes, s + (int64_t)c * pitch + r * bytes, bytes);               \
  }                                                                                                          \
  static void transpose_##bytes(char *d, int64_t dst_pitch, const char *s, int64_t pitch, size_t rows,       \
                                size_t columns) {                                                            \
    size_t r = 0;                                                                                            \
    for (; r + side <= rows; r += side) {                                                                    \
      size_t c = 0;                                                                                          \
      for (; c + side <= columns; c += side)                                                                 \
        SQUARE(d + (int64_t)r * dst_pitch + c * bytes, dst_pitch, s + (int64_t)c * pitch + r * bytes,        \
               pitch);                                                                                       \
      for (; c < columns; c++) {                                                                             \
        for (size_t k = r; k < r + side; k++) transpose_one_##bytes(d, dst_pitch, s, pitch, k, c);           \
      }                                                                                                      \
    }                                                                                                        \
    for (; r < rows; r++) {                                                                                  \
      for (size_t c = 0; c < columns; c++) transpose_one_##bytes(d, dst_pitch, s, pitch, r, c);              \
    }                                                                                                        \
  }

#define SQUARE_OF(bytes, side)                                                                               \
  INLINE void square_##bytes(char *restrict d, int64_t dst_pitch, const char *restrict s, int64_t pitch) {   \
    for (int64_t k = 0; k < side; k++) {                                                                     \
      for (int64_t j = 0; j < side; j++)                                                                     \
        memcpy(d + j * dst_pitch + k * bytes, s + k * pitch + j * bytes, bytes);                             \
    }                                                                                                        \
  }
SQUARE_OF(1, 8)
SQUARE_OF(2, 8)
SQUARE_OF(16, 2)

#if defined(__SSE2__)
INLINE void square_4(char *d, int64_t dst_pitch, const char *s, int64_t pitch) {
  __m128 a = _mm_loadu_ps((const float *)(const void *)s);
  __m128 b = _mm_loadu_ps((const float *)(const void *)(s + pitch));
  __m128 c = _mm_loadu_ps((const float *)(const void *)(s + 2 * pitch));
  __m128 e = _mm_loadu_ps((const float *)(const void *)(s + 3 * pitch));
  _MM_TRANSPOSE4_PS(a, b, c, e);
  _mm_storeu_ps((float *)(void *)d, a);
  _mm_storeu_ps((float *)(void *)(d + dst_pitch), b);
  _mm_storeu_ps((float *)(void *)(d + 2 * dst_pitch), c);
  _mm_storeu_ps((float *)(void *)(d + 3 * dst_pitch), e);
}
INLINE void square_8(char *d, int64_t dst_pitch, const char *s, int64_t pitch) {
  __m128d a = _mm_loadu_pd((const double *)(const void *)s);
  __m128d b = _mm_loadu_pd((const double *)(const void *)(s + pitch));
  _mm_storeu_pd((double *)(void *)d, _mm_unpacklo_pd(a, b));
  _mm_storeu_pd((double *)(void *)(d + dst_pitch), _mm_unpackhi_pd(a, b));
}
#else
SQUARE_OF(4, 4)
SQUARE_OF(8, 2)
#endif
TRANSPOSE(1, 8, square_1)
TRANSPOSE(2, 8, square_2)
TRANSPOSE(4, 4, square_4)
TRANSPOSE(8, 2, square_8)
TRANSPOSE(16, 2, square_16)

// Copies at least `size` bytes in pieces of that size. The last piece ends where the row ends and may
// overlap.
#define PIECES(size)                                                                                         \
  INLINE void pieces_##size(char *restrict d, const char *restrict s, size_t bytes) {                        \
    for (size_t k = 0; k + size < bytes; k += size) memcpy(d + k, s + k, size);                              \
    memcpy(d + bytes - size, s + bytes - size, size);                                                        \
  }
PIECES(1)
PIECES(4)
PIECES(16)

static void copy_rows(char *d, int64_t dst_pitch, const char *s, int64_t src_pitch, size_t rows,
                      size_t bytes) {
  if (bytes > 256) {
    for (size_t r = 0; r < rows; r++)
      copy_line(d + (int64_t)r * dst_pitch, s + (int64_t)r * src_pitch, bytes);
  } else if (bytes >= 16) {
    for (size_t r = 0; r < rows; r++)
      pieces_16(d + (int64_t)r * dst_pitch, s + (int64_t)r * src_pitch, bytes);
  } else if (bytes >= 4) {
    for (size_t r = 0; r < rows; r++) pieces_4(d + (int64_t)r * dst_pitch, s + (int64_t)r * src_pitch, bytes);
  } else {
    for (size_t r = 0; r < rows; r++) pieces_1(d + (int64_t)r * dst_pitch, s + (int64_t)r * src_pitch, bytes);
  }
}

#if defined(__AVX512F__)
static size_t count_true(const unsigned char *mask, size_t n) {
  size_t count = 0, k = 0;
  for (; k + 64 <= n; k += 64) {
    __m512i bytes = _mm512_loadu_si512(mask + k);
    count += (size_t)__builtin_popcountll(_mm512_test_epi8_mask(bytes, bytes));
  }
  for (; k < n; k++) count += mask[k] != 0;
  return count;
}
// Blocks of 64 that are all true or all false, the usual case in masks of regions, need no compression.
static size_t list_true(const unsigned char *mask, size_t n, uint16_t *list) {
  const __m512i first = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  size_t count = 0, k = 0;
  for (; k + 64 <= n; k += 64) {
    __m512i bytes = _mm512_loadu_si512(mask + k);
    uint64_t which = _mm512_test_epi8_mask(bytes, bytes);
    if (which == 0) continue;
    for (int j = 0; j < 64; j += 16, which >>= 16) {
      __mmask16 some = (__mmask16)which;
      __m512i at = _mm512_add_epi32(first, _mm512_set1_epi32((int)k + j));
      if (some != 0xffff) at = _mm512_maskz_compress_epi32(some, at);
      _mm256_storeu_si256((void *)(list + count), _mm512_cvtepi32_epi16(at));
      count += (size_t)__builtin_popcount(some);
    }
  }
  for (; k < n; k++)
    if (mask[k] != 0) list[count++] = (uint16_t)k;
  return count;
}
#else
static size_t count_true(const unsigned char *mask, size_t n) {
  size_t count = 0;
  for (size_t k = 0; k < n; k++) count += mask[k] != 0;
  return count;
}
static size_t list_true(const unsigned char *mask, size_t n, uint16_t *list) {
  size_t count = 0;
  for (size_t k = 0; k < n; k++) { // without branches, as they would be unpredictable
    list[count] = (uint16_t)k;
    count += mask[k] != 0;
  }
  return count;
}
#endif

static void widen(int64_t *restrict dst, const uint16_t *restrict list, int64_t start, size_t n) {
  for (size_t k = 0; k < n; k++) dst[k] = start + list[k];
}

// The highest bit of each byte is set where the byte is not 0, and a multiplication gathers these bits in the
// highest byte.
INLINE char pack_eight(const char *mask, uint64_t places) {
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), one = UINT64_C(0x0101010101010101);
  uint64_t v;
  memcpy(&v, mask, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return (char)((((((v & low) + low) | v) >> 7 & one) * places) >> 56);
}

static void pack(char *restrict bits, const char *restrict mask, size_t n, bool little) {
  const uint64_t places = little ? UINT64_C(0x0102040810204080) : UINT64_C(0x8040201008040201);
  size_t k = 0;
#if defined(__AVX2__)
  const __m256i backwards = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
                                             3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  for (; k + 4 <= n; k += 4) {
    __m256i v = _mm256_loadu_si256((const void *)(mask + 8 * k));
    if (!little) v = _mm256_shuffle_epi8(v, backwards);
    const int zeros = _mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())), ones = ~zeros;
    memcpy(bits + k, &ones, 4);
  }
#endif
  for (; k < n; k++) bits[k] = pack_eight(mask + 8 * k, places);
}

#if defined(__AVX512F__)
enum { WIDE = 64 };
#define STREAM(d, s) _mm512_stream_si512((void *)(d), _mm512_loadu_si512((const void *)(s)))
#elif defined(__AVX__)
enum { WIDE = 32 };
#define STREAM(d, s) _mm256_stream_si256((void *)(d), _mm256_loadu_si256((const void *)(s)))
#elif defined(__SSE2__)
enum { WIDE = 16 };
#define STREAM(d, s) _mm_stream_si128((void *)(d), _mm_loadu_si128((const void *)(s)))
#endif

#if defined(__SSE2__)
// From this size on, the C library's copy is faster: it does not read what it writes either.
enum { LIBRARY = 32768 };

static void stream(char *d, const char *s, size_t bytes) {
  if (bytes >= LIBRARY) {
    memcpy(d, s, bytes);
    return;
  }
  size_t front = (size_t)(-(uintptr_t)d & 63), k;
  if (front > bytes) front = bytes;
  memcpy(d, s, front);
  for (k = front; k + 64 <= bytes; k += 64) {
    for (size_t j = 0; j < 64; j += WIDE) STREAM(d + k + j, s + k + j);
  }
  memcpy(d + k, s + k, bytes - k);
}
static void stream_end(void) { _mm_sfence(); }
#else
static void stream(char *d, const char *s, size_t bytes) { memcpy(d, s, bytes); }
static void stream_end(void) {}
#endif

extern const cp_copy_loops CAT(cp_copy_loops_, CP_LEVEL);
const cp_copy_loops CAT(cp_copy_loops_, CP_LEVEL) = {
    .gather = ALL(gather),
    .scatter = ALL(scatter),
    .fill = ALL(fill),
    .expand = ALL(expand),
    .transpose = ALL(transpose),
    .count = count,
    .places = {places_int32_t, places_int64_t},
    .rows = copy_rows,
    .count_true = count_true,
    .list_true = list_true,
    .widen = widen,
    .pack = pack,
    .stream = stream,
    .stream_end = stream_end,
};
