// Recursive filters on the CPU: each row by one thread, its states in the arena.
#include "cpu/recur.h"

#include "cpu/threads.h"

#include <string.h>

enum { PER_TASK = 16384 }; // elements

// filter_NAME: row r of the job through the filter, its states in z. section_NAME: the same of order 2, with states in registers.
#define FILTER(name, T)                                                                                      \
  static void section_##name(const cp_recur_job *j, int64_t r, void *states) {                               \
    const T *x = (const T *)(const void *)j->in + r * j->row_stride, *b = (const void *)j->coefficients;     \
    T *y = (T *)(void *)j->out + r * j->row_stride, *z = states, z0 = z[0], z1 = z[1];                       \
    const T b0 = b[0], b1 = b[1], b2 = b[2], a1 = b[3], a2 = b[4];                                           \
    for (int64_t k = 0; k < j->length; k++, x += j->step, y += j->step) {                                    \
      const T in = *x, out = b0 * in + z0;                                                                   \
      z0 = (b1 * in + z1) - a1 * out; /* what waits for out is short */                                      \
      z1 = b2 * in - a2 * out;                                                                               \
      *y = out;                                                                                              \
    }                                                                                                        \
    z[0] = z0;                                                                                               \
    z[1] = z1;                                                                                               \
  }                                                                                                          \
  static void filter_##name(const cp_recur_job *j, int64_t r, void *states) {                                \
    const T *x = (const T *)(const void *)j->in + r * j->row_stride, *b = (const void *)j->coefficients;     \
    T *y = (T *)(void *)j->out + r * j->row_stride, *z = states;                                             \
    const T *a = b + j->order; /* a[1] is behind b[order] */                                                 \
    const int order = j->order;                                                                              \
    for (int64_t k = 0; k < j->length; k++, x += j->step, y += j->step) {                                    \
      const T in = *x, out = b[0] * in + z[0];                                                               \
      for (int i = 0; i < order; i++) z[i] = b[i + 1] * in - a[i + 1] * out + z[i + 1];                      \
      *y = out;                                                                                              \
    }                                                                                                        \
  }

FILTER(float32, float)
FILTER(float64, double)

// A product of complex numbers by its parts, without the library's detour for infinities.
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
  bool section = j->order == 2;
  if (j->dtype == CP_FLOAT32) return section ? section_float32 : filter_float32;
  if (j->dtype == CP_FLOAT64) return section ? section_float64 : filter_float64;
  return j->dtype == CP_COMPLEX64 ? filter_complex64 : filter_complex128;
}

static int64_t rows_of_a_task(const cp_recur_job *j) { return PER_TASK / (j->length + 1) + 1; }

static void work(void *data, cp_tasks *tasks) {
  const cp_recur_job *j = data;
  const size_t item = cp_itemsize(j->dtype), bytes = (size_t)j->order * item;
  int64_t task, rows = rows_of_a_task(j);
  filter_row *filter = filter_of(j);
  char *z = cp_arena(bytes + item);
  if (z == NULL) return; // the caller looked that it has memory
  while (cp_next_task(tasks, &task)) {
    for (int64_t r = task * rows; r < (task + 1) * rows && r < j->rows; r++) {
      memcpy(z, j->states + (size_t)r * bytes, bytes);
      memset(z + bytes, 0, item); // what follows the last state
      filter(j, r, z);
      memcpy(j->states + (size_t)r * bytes, z, bytes);
    }
  }
}

cp_status cp_cpu_recur(cp_context *ctx, cp_stream *stream, const cp_recur_job *job) {
  cp_recur_job j = *job;
  int64_t rows = rows_of_a_task(job), tasks = job->rows / rows + (job->rows % rows != 0);
  (void)stream;
  if (cp_arena(((size_t)job->order + 1) * cp_itemsize(job->dtype)) == NULL)
    return cp_fail(CP_EMEMORY, "out of host memory while filtering");
  ctx->counters.launches++;
  cp_parallel(work, &j, tasks, tasks > 1);
  return CP_OK;
}
