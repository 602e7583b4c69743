// Copy kernels that src/cpu/loops/copies.c is compiled into, one table per instruction level. They copy
// elements between strided memory and register blocks, and know the elements' size but not their type. Arrays
// of functions are indexed by the logarithm of the element size, 1 to 16 bytes. Nothing needs to be aligned.
#ifndef CP_CPU_LOOPS_COPIES_H
#define CP_CPU_LOOPS_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CP_MOVE_SIZES = 5,
  CP_MOVE_SLACK = 64 // bytes that functions marked below may write past the end of their destination
};

// What becomes of offsets; CP_PLACES_CHECK: only the positions are checked.
typedef enum cp_placing { CP_PLACES_SET, CP_PLACES_ADD, CP_PLACES_CHECK } cp_placing;

typedef struct cp_copy_loops {
  // dst[k] = the element at src + k * stride, and the reverse.
  void (*gather[CP_MOVE_SIZES])(char *dst, const char *src, int64_t stride, size_t n);
  void (*scatter[CP_MOVE_SIZES])(char *dst, const char *src, int64_t stride, size_t n);
  // n copies of one element.
  void (*fill[CP_MOVE_SIZES])(char *dst, const char *element, size_t n);
  // Each of the `rows` elements at src + r * stride, `times` times. Writes into the slack.
  void (*expand[CP_MOVE_SIZES])(char *dst, const char *src, int64_t stride, size_t rows, size_t times);
  // Row r, column c of dst = the element at src + c * pitch + r * the element size. Rows of dst are dst_pitch
  // bytes apart.
  void (*transpose[CP_MOVE_SIZES])(char *dst, int64_t dst_pitch, const char *src, int64_t pitch, size_t rows,
                                   size_t columns);
  // start, start + step, ...
  void (*count)(int64_t *dst, int64_t start, int64_t step, size_t n);
  // Copies `rows` rows of `bytes` bytes, dst_pitch and src_pitch bytes apart.
  void (*rows)(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, size_t rows, size_t bytes);
  // Gather offsets: stride * the 0-based index that positions[k] selects on an axis of `length` becomes
  // offsets[k] or is added to it. Positions count from 1, those below 1 from the axis' end. They are int32 or
  // int64, `step` bytes apart. False: a position is out of range, and the offsets are not valid.
  bool (*places[2])(const char *positions, int64_t step, int64_t length, int64_t stride, int64_t *offsets,
                    size_t n, cp_placing how);
  // The number of bytes that are not 0 among n, and their indices in order. Writes into the slack.
  size_t (*count_true)(const unsigned char *mask, size_t n);
  size_t (*list_true)(const unsigned char *mask, size_t n, uint16_t *list);
  // dst[k] = start + list[k]
  void (*widen)(int64_t *dst, const uint16_t *list, int64_t start, size_t n);
  // n bytes of bits: each says which of eight bytes of the mask are not 0, the first of them by the highest
  // bit or, with `little`, the lowest.
  void (*pack)(char *bits, const char *mask, size_t n, bool little);
  // Copies with non-temporal stores, which leave the cache alone. Other threads see them after stream_end.
  void (*stream)(char *dst, const char *src, size_t bytes);
  void (*stream_end)(void);
} cp_copy_loops;

// The table at this machine's level.
const cp_copy_loops *cp_cpu_copy_loops(void);

static inline int cp_move_size(size_t itemsize) {
  return itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : itemsize == 8 ? 3 : 4;
}

#endif
