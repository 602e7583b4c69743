// Products of small matrices at one instruction level. CMake compiles this file once per level, with CP_LEVEL
// (v1, v3, v4), and lets the compiler fuse multiplications and additions. Its only symbol is the table
// cp_products_<level>.
//
// Columns of op(a) that are not whole vectors are first copied into a buffer with room for whole ones; the
// results of the padding are not used. A tile of the result, up to two vectors high and eight columns wide,
// stays in registers over all of k.
#include "cpu/loops/products.h"

#include "cpu/loops/level.h"

#include <string.h>

#define UNROLLED _Pragma("GCC unroll 8")

// Tiles of `high` vectors of `bytes` bytes and `wide` columns; all three are constants where they are called.
// A panel is the part of matrix a that a tile reads: `rows` rows, with columns `pitch` elements apart.
#define TILE(name, T, bytes)                                                                                 \
  typedef T name##_vector __attribute__((vector_size(bytes)));                                               \
  INLINE void name##_part(T *c, name##_vector sum, int count) {                                              \
    const T *from = (const T *)&sum;                                                                         \
    UNROLLED for (int piece = (int)(bytes / sizeof(T) / 2); piece > 0; piece /= 2) {                         \
      if ((count & piece) == 0) continue;                                                                    \
      memcpy(c, from, (size_t)piece * sizeof(T));                                                            \
      c += piece;                                                                                            \
      from += piece;                                                                                         \
    }                                                                                                        \
  }                                                                                                          \
  typedef struct name##_panel {                                                                              \
    const T *a;                                                                                              \
    size_t pitch;                                                                                            \
    int rows;                                                                                                \
  } name##_panel;                                                                                            \
  INLINE void name##_tile(const name##_panel v, const cp_product *q, const T *b, T *c, const int high,       \
                          const int wide) {                                                                  \
    enum { LANES = bytes / sizeof(T) };                                                                      \
    const T *a = v.a;                                                                                        \
    const int64_t along = q->along_b, ldc = q->ldc;                                                          \
    name##_vector sum[2][8], x[2];                                                                           \
    UNROLLED for (int j = 0; j < wide; j++) {                                                                \
      UNROLLED for (int i = 0; i < high; i++) sum[i][j] = (name##_vector){0};                                \
    }                                                                                                        \
    for (int p = 0, k = q->k; p < k; p++, a += v.pitch, b += q->down_b) {                                    \
      UNROLLED for (int i = 0; i < high; i++) memcpy(&x[i], a + i * LANES, bytes);                           \
      UNROLLED for (int j = 0; j < wide; j++) {                                                              \
        const name##_vector y = b[j * along] - (name##_vector){0};                                           \
        UNROLLED for (int i = 0; i < high; i++) sum[i][j] += x[i] * y;                                       \
      }                                                                                                      \
    }                                                                                                        \
    UNROLLED for (int j = 0; j < wide; j++) {                                                                \
      UNROLLED for (int i = 0; i < high; i++) {                                                              \
        int left = v.rows - i * LANES;                                                                       \
        if (left >= LANES)                                                                                   \
          memcpy(c + j * ldc + i * LANES, &sum[i][j], bytes);                                                \
        else if (left > 0)                                                                                   \
          name##_part(c + j * ldc + i * LANES, sum[i][j], left);                                             \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  INLINE void name##_tiles(const name##_panel v, const cp_product *q, const T *b, T *c, const int high) {    \
    enum { WIDE = 8 };                                                                                       \
    int wide = high > 1 ? WIDE / 2 : WIDE, j = 0;                                                            \
    for (; j + wide <= q->n; j += wide)                                                                      \
      name##_tile(v, q, b + j * q->along_b, c + j * q->ldc, high, high > 1 ? WIDE / 2 : WIDE);               \
    for (; j + 2 <= q->n; j += 2) name##_tile(v, q, b + j * q->along_b, c + j * q->ldc, high, 2);            \
    for (; j < q->n; j++) name##_tile(v, q, b + j * q->along_b, c + j * q->ldc, high, 1);                    \
  }                                                                                                          \
  INLINE void name##_pack(const cp_product *q, const T *a, T *room, int pitch) {                             \
    enum { LANES = bytes / sizeof(T) };                                                                      \
    const T *end = a + (q->k - 1) * q->lda + q->m;                                                           \
    for (int p = 0; p < q->k; p++, room += pitch) {                                                          \
      const T *from = a + p * q->lda;                                                                        \
      if (q->turn_a)                                                                                         \
        for (int i = 0; i < pitch; i++) room[i] = i < q->m ? a[i * q->lda + p] : 0;                          \
      else if (pitch <= end - from) /* excess lanes belong to the next column */                             \
        for (int i = 0; i < pitch; i += LANES) memcpy(room + i, from + i, bytes);                            \
      else                                                                                                   \
        for (int i = 0; i < pitch; i++) room[i] = i < q->m ? from[i] : 0;                                    \
    }                                                                                                        \
  }                                                                                                          \
  static void name(const cp_product *q, const T *a, const T *b, T *c) {                                      \
    enum { LANES = bytes / sizeof(T) };                                                                      \
    _Alignas(64) T room[CP_SMALL_SIDE * CP_SMALL_SIDE];                                                      \
    size_t pitch = (size_t)((q->m + LANES - 1) / LANES * LANES);                                             \
    if (q->turn_a || q->m % LANES != 0) {                                                                    \
      name##_pack(q, a, room, (int)pitch);                                                                   \
      a = room;                                                                                              \
    } else {                                                                                                 \
      pitch = (size_t)q->lda;                                                                                \
    }                                                                                                        \
    int i = 0;                                                                                               \
    for (; i + LANES < q->m; i += 2 * LANES)                                                                 \
      name##_tiles((name##_panel){a + i, pitch, q->m - i}, q, b, c + i, 2);                                  \
    if (i < q->m) name##_tiles((name##_panel){a + i, pitch, q->m - i}, q, b, c + i, 1);                      \
  }

// Uses the narrowest vectors that hold a column of the result, if there are any.
#define PRODUCT(T)                                                                                           \
  TILE(T##_16, T, 16)                                                                                        \
  TILE(T##_32, T, (VECTOR < 32 ? VECTOR : 32))                                                               \
  TILE(T##_64, T, VECTOR)                                                                                    \
  static void T##_product(const cp_product *q, const void *a, const void *b, void *c) {                      \
    size_t column = (size_t)q->m * sizeof(T);                                                                \
    if (column <= 16)                                                                                        \
      T##_16(q, a, b, c);                                                                                    \
    else if (column <= 32)                                                                                   \
      T##_32(q, a, b, c);                                                                                    \
    else                                                                                                     \
      T##_64(q, a, b, c);                                                                                    \
  }

PRODUCT(float)
PRODUCT(double)

#include "cpu/loops/matvec.h"
MATVEC(float, int32_t, float_64)
MATVEC(double, int64_t, double_64)

extern const cp_products CAT(cp_products_, CP_LEVEL);
const cp_products CAT(cp_products_, CP_LEVEL) = {.float32 = float_product,
                                                 .float64 = double_product,
                                                 .matvec32 = {float_64_along, float_64_across},
                                                 .matvec64 = {double_64_along, double_64_across}};
