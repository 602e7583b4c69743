// Products of a matrix and a vector on the CPU, by loops of its own (cpu/loops/matvec.h): BLAS is no faster
// where memory is the limit, and slower for thin matrices. Tasks depend on the shape alone, so results do not
// depend on the number of threads.
#include "cpu/loops/products.h"
#include "cpu/run/cpu.h"
#include "host/threads.h"

#include <stdlib.h>
#include <string.h>

enum {
  TASK = 1 << 16,   // elements of a task, about
  WIDE = 2048,      // places that a task across lines adds up
  DEEP = 1024,      // lines that a task across lines adds up
  SHARED = 1 << 17, // from so many elements on, threads share the work
};

typedef struct matvec {
  const cp_gemv *g;
  cp_matvec_loop *loop;
  size_t item;
  const char *x;
  int64_t per_task, wide, deep; // along: lines of a task; across: columns and rows of tasks
  char *sums;                   // across: the results of each row of tasks
} matvec;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void along_lines(void *data, cp_tasks *tasks) {
  const matvec *v = data;
  const cp_gemv *g = v->g;
  for (int64_t task; cp_next_task(tasks, &task);) {
    const int64_t first = task * v->per_task;
    const cp_matvec m = {smaller(v->per_task, g->lines - first), g->length, g->pitch, 1, false};
    v->loop(&m, (const char *)g->a + (size_t)(first * g->pitch) * v->item, v->x,
            (char *)g->y + (size_t)first * v->item);
  }
}

static void across_lines(void *data, cp_tasks *tasks) {
  const matvec *v = data;
  const cp_gemv *g = v->g;
  for (int64_t task; cp_next_task(tasks, &task);) {
    const int64_t row = task / v->wide, line = row * DEEP, place = task % v->wide * WIDE;
    const cp_matvec m = {smaller(DEEP, g->lines - line), smaller(WIDE, g->length - place), g->pitch, g->step,
                         false};
    v->loop(&m, (const char *)g->a + (size_t)(line * g->pitch + place) * v->item,
            v->x + (line * g->step) * (int64_t)v->item,
            v->sums + (size_t)(row * g->length + place) * v->item);
  }
}

static cp_status along(cp_stream *s, matvec *v) {
  const cp_gemv *g = v->g;
  char *packed = NULL;
  v->x = g->x;
  v->per_task = (TASK / g->length + CP_MATVEC_LINES) / CP_MATVEC_LINES * CP_MATVEC_LINES;
  if (g->step != 1 && g->length > 1) {
    packed = malloc((size_t)g->length * v->item);
    if (packed == NULL) return cp_no_memory(NULL);
    for (int64_t k = 0; k < g->length; k++)
      memcpy(packed + (size_t)k * v->item, v->x + k * g->step * (int64_t)v->item, v->item);
    v->x = packed;
  }
  const int64_t tasks = (g->lines + v->per_task - 1) / v->per_task;
  cp_status status = cp_parallel(s->context, along_lines, v, tasks, g->lines * g->length >= SHARED);
  free(packed);
  return status;
}

#define ADD_ROWS(T)                                                                                          \
  static void add_rows_##T(const matvec *v) {                                                                \
    const T *from = (const T *)(const void *)v->sums;                                                        \
    T *to = v->g->y;                                                                                         \
    const int64_t n = v->g->length;                                                                          \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      double sum = 0;                                                                                        \
      for (int64_t row = 0; row < v->deep; row++) sum += (double)from[row * n + k];                          \
      to[k] = (T)sum;                                                                                        \
    }                                                                                                        \
  }
ADD_ROWS(float)
ADD_ROWS(double)

static cp_status across(cp_stream *s, matvec *v) {
  const cp_gemv *g = v->g;
  v->x = g->x;
  v->wide = (g->length + WIDE - 1) / WIDE;
  v->deep = (g->lines + DEEP - 1) / DEEP;
  v->sums = v->deep == 1 ? g->y : malloc((size_t)(v->deep * g->length) * v->item);
  if (v->sums == NULL) return cp_no_memory(NULL);
  cp_status status =
      cp_parallel(s->context, across_lines, v, v->wide * v->deep, g->lines * g->length >= SHARED);
  if (v->deep > 1) {
    if (status == CP_OK) (g->dtype == CP_FLOAT32 ? add_rows_float : add_rows_double)(v);
    free(v->sums);
  }
  return status;
}

cp_status cp_cpu_gemv(cp_stream *s, const cp_gemv *g) {
  const cp_products *p = cp_cpu_products();
  const bool single = g->dtype == CP_FLOAT32;
  matvec v = {.g = g, .item = cp_itemsize(g->dtype)};
  if (g->along)
    v.loop = single ? p->matvec32.along : p->matvec64.along;
  else
    v.loop = single ? p->matvec32.across : p->matvec64.across;
  return g->along ? along(s, &v) : across(s, &v);
}
