// What the CPU device's functions of routines/sparse_forms.h share.
#ifndef CP_CPU_ROUTINES_SPARSE_FORMS_H
#define CP_CPU_ROUTINES_SPARSE_FORMS_H

#include "cpu/routines/sparse/sparse.h"
#include "routines/sparse_forms.h"

#include <pthread.h>

// EACH(bytes, C type) for values of each size.
typedef struct cp_sparse_words {
  uint64_t a, b;
} cp_sparse_words;
#define CP_SPARSE_SIZES(EACH)                                                                                \
  EACH(1, uint8_t)                                                                                           \
  EACH(2, uint16_t)                                                                                          \
  EACH(4, uint32_t)                                                                                          \
  EACH(8, uint64_t)                                                                                          \
  EACH(16, cp_sparse_words)

// Memory for each thread of a job, at first zero.
typedef struct cp_sparse_rooms {
  pthread_t caller;
  _Atomic int taken;
  int count;
  size_t bytes; // of each room
  char *memory;
} cp_sparse_rooms;

// Opens rooms of this size: one for each thread if `shared`, else one. CP_EMEMORY.
cp_status cp_sparse_open_rooms(cp_sparse_rooms *r, size_t bytes, bool shared);
// The room of the calling thread, which takes one once per job. NULL: there is none, and another thread than
// the caller of cp_parallel leaves the work to others.
void *cp_sparse_room(cp_sparse_rooms *r);
void cp_sparse_close_rooms(cp_sparse_rooms *r);

// Results whose number of entries is not known before: each task makes its rows in a piece of its own, and
// the pieces are copied one after the other when all are done.
typedef struct cp_sparse_piece {
  int64_t entries, room;
  char *columns, *values;
  bool in_scratch; // its memory is part of the target's scratch memory
} cp_sparse_piece;

typedef struct cp_sparse_pieces {
  const cp_sparse_layout *m; // whose rows tasks are cut from; m->index is that of the pieces' columns
  const cp_sparse_target *target;
  size_t item; // bytes of a value
  int64_t count;
  cp_sparse_piece *list;   // of each task
  int64_t *lengths;        // of each row
  _Atomic int64_t taken;   // entries of the scratch memory that pieces have
  _Atomic bool has_failed; // memory ran out
  bool adopted;            // the scratch memory is the result's
  cp_sparse_result out;
} cp_sparse_pieces;

cp_status cp_sparse_open_pieces(cp_sparse_pieces *p, const cp_sparse_layout *m, size_t item,
                                const cp_sparse_target *target);
// Begins a task's piece, which will have at most so many entries, in the scratch memory if that has room.
void cp_sparse_begin_piece(cp_sparse_pieces *p, cp_sparse_piece *piece, int64_t most);
// Makes room for more entries in a piece; false: there is none, and the task must return.
bool cp_sparse_grow(cp_sparse_pieces *p, cp_sparse_piece *piece, int64_t more);
static inline bool cp_sparse_extend(cp_sparse_pieces *p, cp_sparse_piece *piece, int64_t more) {
  return piece->room - piece->entries >= more || cp_sparse_grow(p, piece, more);
}
// Ends it: what is left of scratch memory goes to others.
void cp_sparse_end_piece(cp_sparse_pieces *p, cp_sparse_piece *piece);
// After the tasks, which have ended with this status: copies the pieces to where the result belongs.
cp_status cp_sparse_join_pieces(cp_context *ctx, cp_sparse_pieces *p, cp_status status);
void cp_sparse_close_pieces(cp_sparse_pieces *p);

// Defines static void name(E *x, E *spare, int64_t n), which sorts x, stably, by BEFORE(a, b) in runs of
// SHORT elements that are sorted by insertion and then merged. spare: n elements.
#define CP_SPARSE_SORT(name, E, BEFORE)                                                                      \
  static void name##_run(E *x, int64_t n) {                                                                  \
    for (int64_t k = 1; k < n; k++) {                                                                        \
      const E e = x[k];                                                                                      \
      int64_t i = k;                                                                                         \
      for (; i > 0 && BEFORE(e, x[i - 1]); i--) x[i] = x[i - 1];                                             \
      x[i] = e;                                                                                              \
    }                                                                                                        \
  }                                                                                                          \
  static void name##_merge(const E *x, int64_t middle, int64_t end, E *out) {                                \
    int64_t i = 0, j = middle;                                                                               \
    while (i < middle && j < end) {                                                                          \
      const bool second = BEFORE(x[j], x[i]);                                                                \
      *out++ = second ? x[j] : x[i];                                                                         \
      j += second;                                                                                           \
      i += !second;                                                                                          \
    }                                                                                                        \
    while (i < middle) *out++ = x[i++];                                                                      \
    while (j < end) *out++ = x[j++];                                                                         \
  }                                                                                                          \
  static void name(E *x, E *spare, int64_t n) {                                                              \
    enum { SHORT = 16 };                                                                                     \
    E *from = x, *to = spare;                                                                                \
    for (int64_t k = 0; k < n; k += SHORT) name##_run(x + k, n - k < SHORT ? n - k : SHORT);                 \
    for (int64_t width = SHORT; width < n; width *= 2) {                                                     \
      for (int64_t k = 0; k < n; k += 2 * width)                                                             \
        name##_merge(from + k, n - k < width ? n - k : width, n - k < 2 * width ? n - k : 2 * width,         \
                     to + k);                                                                                \
      E *other = from;                                                                                       \
      from = to;                                                                                             \
      to = other;                                                                                            \
    }                                                                                                        \
    for (int64_t k = 0; from != x && k < n; k++) x[k] = from[k];                                             \
  }

// Counts for each of n <= width positions, at most CP_SPARSE_RANKED, the lesser ones: its place in their
// order. Returns whether all of them differ. `width` is a constant, so that the loop becomes vector
// instructions.
enum { CP_SPARSE_FEW = 16, CP_SPARSE_RANKED = 2 * CP_SPARSE_FEW };
#define CP_SPARSE_RANK(I, MOST)                                                                              \
  static inline bool cp_sparse_rank_##I(const I *list, int64_t n, const int width, I *ranks) {               \
    I x[CP_SPARSE_RANKED];                                                                                   \
    int64_t sum = 0;                                                                                         \
    for (int k = 0; k < width; k++) x[k] = k < n ? list[k] : MOST;                                           \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      const I v = x[k];                                                                                      \
      I rank = 0;                                                                                            \
      for (int i = 0; i < width; i++) rank += x[i] < v;                                                      \
      ranks[k] = rank;                                                                                       \
      sum += rank;                                                                                           \
    }                                                                                                        \
    return sum == n * (n - 1) / 2;                                                                           \
  }                                                                                                          \
  static inline bool cp_sparse_ranks_##I(const I *list, int64_t n, I *ranks) {                               \
    return n <= CP_SPARSE_FEW ? cp_sparse_rank_##I(list, n, CP_SPARSE_FEW, ranks)                            \
                              : cp_sparse_rank_##I(list, n, CP_SPARSE_RANKED, ranks);                        \
  }
CP_SPARSE_RANK(int32_t, INT32_MAX)
CP_SPARSE_RANK(int64_t, INT64_MAX)

cp_status cp_cpu_sparse_group(cp_context *ctx, cp_stream *s, const cp_sparse_group_job *job);
cp_status cp_cpu_sparse_runs(cp_context *ctx, cp_stream *s, const cp_sparse_runs_job *job);
cp_status cp_cpu_sparse_take(cp_context *ctx, cp_stream *s, const cp_sparse_take_job *job);
cp_status cp_cpu_sparse_dense(cp_context *ctx, cp_stream *s, const cp_sparse_dense_job *job);
cp_status cp_cpu_sparse_tidy(cp_context *ctx, cp_stream *s, const cp_sparse_tidy_job *job);
cp_status cp_cpu_sparse_find(cp_context *ctx, cp_stream *s, const cp_sparse_find_job *job);
cp_status cp_cpu_sparse_pick(cp_context *ctx, cp_stream *s, cp_sparse_pick_job *job);
cp_status cp_cpu_sparse_extremes(cp_context *ctx, cp_stream *s, const cp_sparse_extremes_job *job);
cp_status cp_cpu_sparse_sums(cp_context *ctx, cp_stream *s, const cp_sparse_sums_job *job);
cp_status cp_cpu_sparse_unite(cp_context *ctx, cp_stream *s, const cp_sparse_union_job *job);
cp_status cp_cpu_sparse_multiply(cp_context *ctx, cp_stream *s, const cp_sparse_multiply_job *job);
cp_status cp_cpu_sparse_add(cp_context *ctx, cp_stream *s, const cp_sparse_add_job *job);

#endif
