// Recursive filters on the CPU: one thread per row, with the states in the thread's arena.
#include "cpu/routines/recur.h"

#include "host/threads.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum {
  PER_TASK = 16384, // elements per task
  REGISTERS = 6,    // largest number of states kept in registers
  PIECE = 1 << 17   // elements times order that are filtered between two checks for an interrupt
};

// filter_NAME: passes row r of the job through the filter, with the states in z. Where the compiler knows the
// order, which is done for small ones, the states stay in registers. Few operations wait for the output of
// the previous step: a product, a difference, and the sum that is the next output.
#define FILTER(name, T)                                                                                      \
  INLINE void steps_##name(const cp_recur_job *j, int64_t r, void *states, const int order) {                \
    const T *x = (const T *)(const void *)j->in + r * j->row_stride, *b = (const void *)j->coefficients;     \
    T *y = (T *)(void *)j->out + r * j->row_stride, z[REGISTERS + 1];                                        \
    const T *a = b + order; /* a[1] follows b[order] */                                                      \
    memcpy(z, states, (size_t)order * sizeof(T));                                                            \
    z[order] = 0;                                                                                            \
    for (int64_t k = 0; k < j->length; k++, x += j->step, y += j->step) {                                    \
      const T in = *x, out = b[0] * in + z[0];                                                               \
      _Pragma("GCC unroll 8") for (int i = 0; i < order; i++) z[i] =                                         \
          (b[i + 1] * in + z[i + 1]) - a[i + 1] * out;                                                       \
      *y = out;                                                                                              \
    }                                                                                                        \
    memcpy(states, z, (size_t)order * sizeof(T));                                                            \
  }                                                                                                          \
  static void filter_##name(const cp_recur_job *j, int64_t r, void *states) {                                \
    switch (j->order) {                                                                                      \
    case 1: steps_##name(j, r, states, 1); return;                                                           \
    case 2: steps_##name(j, r, states, 2); return;                                                           \
    case 3: steps_##name(j, r, states, 3); return;                                                           \
    case 4: steps_##name(j, r, states, 4); return;                                                           \
    case 5: steps_##name(j, r, states, 5); return;                                                           \
    case 6: steps_##name(j, r, states, 6); return;                                                           \
    default: break;                                                                                          \
    }                                                                                                        \
    const T *x = (const T *)(const void *)j->in + r * j->row_stride, *b = (const void *)j->coefficients;     \
    T *y = (T *)(void *)j->out + r * j->row_stride, *z = states;                                             \
    const T *a = b + j->order;                                                                               \
    const int order = j->order;                                                                              \
    for (int64_t k = 0; k < j->length; k++, x += j->step, y += j->step) {                                    \
      const T in = *x, out = b[0] * in + z[0];                                                               \
      for (int i = 0; i < order; i++) z[i] = (b[i + 1] * in + z[i + 1]) - a[i + 1] * out;                    \
      *y = out;                                                                                              \
    }                                                                                                        \
  }

FILTER(float32, float)
FILTER(float64, double)

// Multiplies complex numbers by parts, as the library's product has a slow path for infinities.
#define COMPLEX_FILTER(name, R)                                                                              \
  typedef struct {                                                                                           \
    R re, im;                                                                                                \
  } name;                                                                                                    \
  static name add_##name(name s, name a, name b, R sign) {                                                   \
    s.re += sign * (a.re * b.re - a.im * b.im);                                                              \
    s.im += sign * (a.re * b.im + a.im * b.re);                                                              \
    return s;                                                                                                \
  }                                                                                                          \
  static void filter_##name(const cp_recur_job *j, int64_t r, void *states) {                                \
    const name *x = (const name *)(const void *)j->in + r * j->row_stride;                                   \
    const name *b = (const void *)j->coefficients, *a = b + j->order;                                        \
    name *y = (name *)(void *)j->out + r * j->row_stride, *z = states;                                       \
    for (int64_t k = 0; k < j->length; k++, x += j->step, y += j->step) {                                    \
      const name in = *x, out = add_##name(z[0], b[0], in, 1);                                               \
      for (int i = 0; i < j->order; i++)                                                                     \
        z[i] = add_##name(add_##name(z[i + 1], b[i + 1], in, 1), a[i + 1], out, -1);                         \
      *y = out;                                                                                              \
    }                                                                                                        \
  }

COMPLEX_FILTER(complex64, float)
COMPLEX_FILTER(complex128, double)

typedef void filter_row(const cp_recur_job *j, int64_t r, void *states);

static filter_row *filter_of(const cp_recur_job *j) {
  if (j->dtype == CP_FLOAT32) return filter_float32;
  if (j->dtype == CP_FLOAT64) return filter_float64;
  return j->dtype == CP_COMPLEX64 ? filter_complex64 : filter_complex128;
}

static int64_t rows_of_a_task(const cp_recur_job *j) { return PER_TASK / (j->length + 1) + 1; }

// Filters the row in pieces if the host may interrupt.
static void filter_pieces(const cp_recur_job *j, cp_tasks *tasks, filter_row *filter, int64_t r,
                          void *states) {
  const int64_t item = (int64_t)cp_itemsize(j->dtype), most = PIECE / (j->order + 1) + 1;
  cp_recur_job piece = *j;
  for (int64_t left = j->length; left > 0 && cp_go_on(tasks); left -= piece.length) {
    piece.length = tasks->ctx != NULL && left > most ? most : left;
    filter(&piece, r, states);
    piece.in += piece.length * piece.step * item;
    piece.out += piece.length * piece.step * item;
  }
}

static void work(void *data, cp_tasks *tasks) {
  const cp_recur_job *j = data;
  const size_t item = cp_itemsize(j->dtype), bytes = (size_t)j->order * item;
  int64_t task, rows = rows_of_a_task(j);
  filter_row *filter = filter_of(j);
  char *z = cp_arena(bytes + item);
  if (z == NULL) return; // the caller checked that the memory is there
  while (cp_next_task(tasks, &task)) {
    for (int64_t r = task * rows; r < (task + 1) * rows && r < j->rows; r++) {
      memcpy(z, j->states + (size_t)r * bytes, bytes);
      memset(z + bytes, 0, item); // the zero behind the last state
      filter_pieces(j, tasks, filter, r, z);
      memcpy(j->states + (size_t)r * bytes, z, bytes);
    }
  }
}

cp_status cp_cpu_recur(cp_context *ctx, cp_stream *stream, const cp_recur_job *job) {
  cp_recur_job j = *job;
  int64_t rows = rows_of_a_task(job), tasks = job->rows / rows + (job->rows % rows != 0);
  (void)stream;
  if (cp_arena(((size_t)job->order + 1) * cp_itemsize(job->dtype)) == NULL) return cp_no_memory("filtering");
  ctx->counters.launches++;
  return cp_parallel(ctx, work, &j, tasks, tasks > 1);
}
