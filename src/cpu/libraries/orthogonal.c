// A vector without its parts along others on the CPU (cp_orthogonal), by the loops for a matrix and a
// vector. A sweep takes out the parts that the sweep before it found, and finds those that are left: both
// while a block of the lines is in the cache. Blocks depend on the shape alone and their sums are added in
// order, so results do not depend on the number of threads.
#include "cpu/loops/products.h"
#include "cpu/run/cpu.h"
#include "host/threads.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  BLOCK = 512,      // places of a task
  SHARED = 1 << 17, // from so many elements on, threads share the work
};

typedef struct sweep {
  const cp_orthogonal *o;
  cp_matvec_loop *along, *across;
  size_t item;
  const char *from; // the vector that is read
  int64_t out, in;  // parts along the lines from `out` on are taken out, those from `in` on are found
  const char *by;   // what is taken out, negated: an element for each line; NULL: nothing, only find
  double *sums;     // for each block: the parts along the lines, and the square of the size of what is left
} sweep;

static char *line_of(const cp_orthogonal *o, size_t item, int64_t line, int64_t place) {
  return (char *)o->basis + (size_t)(line * o->length + place) * item;
}

static void add_up(const sweep *v, const cp_matvec *m, const char *lines, const char *x, double *sums) {
  enum { MANY = 32 };
  _Alignas(8) char found[MANY * sizeof(double)];
  for (int64_t done = 0; done < m->lines; done += MANY) {
    cp_matvec some = *m;
    some.lines = m->lines - done < MANY ? m->lines - done : MANY;
    v->along(&some, lines + (size_t)(done * m->pitch) * v->item, x, found);
    for (int64_t k = 0; k < some.lines; k++)
      sums[done + k] = v->item == sizeof(float) ? (double)((const float *)(const void *)found)[k]
                                                : ((const double *)(const void *)found)[k];
  }
}

static void sweep_blocks(void *data, cp_tasks *tasks) {
  const sweep *v = data;
  const cp_orthogonal *o = v->o;
  for (int64_t task; cp_next_task(tasks, &task);) {
    const int64_t place = task * BLOCK, length = o->length - place < BLOCK ? o->length - place : BLOCK;
    const char *x = v->from + (size_t)place * v->item;
    double *sums = v->sums + task * (o->lines + 1);
    cp_matvec m = {o->lines - v->out, length, o->length, 1, true};
    if (v->by != NULL) {
      char *to = line_of(o, v->item, o->lines, place);
      if (to != x) memmove(to, x, (size_t)length * v->item);
      v->across(&m, line_of(o, v->item, v->out, place), v->by + (size_t)v->out * v->item, to);
      x = to;
    }
    m.lines = o->lines - v->in;
    add_up(v, &m, line_of(o, v->item, v->in, place), x, sums + v->in);
    m.lines = 1;
    sums[o->lines] = 0;
    if (v->by != NULL) add_up(v, &m, x, x, sums + o->lines);
  }
}

// Adds up the blocks' sums from line `in` on into sums[0 .. lines], those before it 0.
static cp_status run_sweep(cp_stream *s, sweep *v) {
  const cp_orthogonal *o = v->o;
  const int64_t blocks = (o->length + BLOCK - 1) / BLOCK, each = o->lines + 1;
  CP_TRY(cp_parallel(s->context, sweep_blocks, v, blocks, o->lines * o->length >= SHARED));
  for (int64_t k = v->in; k < each; k++)
    for (int64_t block = 1; block < blocks; block++) v->sums[k] += v->sums[block * each + k];
  for (int64_t k = 0; k < v->in; k++) v->sums[k] = 0;
  return CP_OK;
}

// Adds the parts that were found to the result, and negates them for the next sweep. Returns the sum of
// their squares.
static double take_parts(const sweep *v, char *by) {
  double square = 0;
  for (int64_t k = 0; k < v->o->lines; k++) {
    const double part = v->sums[k];
    v->o->parts[k] += part;
    square += part * part;
    if (v->item == sizeof(float))
      ((float *)(void *)by)[k] = (float)-part;
    else
      ((double *)(void *)by)[k] = -part;
  }
  return square;
}

static void divide_line(const sweep *v, double size) {
  char *line = line_of(v->o, v->item, v->o->lines, 0);
  const int64_t n = v->o->length;
  const double by = 1 / (size > DBL_MIN ? size : DBL_MIN);
  if (v->item == sizeof(float))
    for (int64_t k = 0; k < n; k++)
      ((float *)(void *)line)[k] = (float)((double)((float *)(void *)line)[k] * by);
  else
    for (int64_t k = 0; k < n; k++) ((double *)(void *)line)[k] *= by;
}

// The sweeps; v->sums and by have been allocated.
static cp_status orthogonalise(cp_stream *s, sweep *v, char *by) {
  enum { PASSES = 3 };
  const cp_orthogonal *o = v->o;
  memset(o->parts, 0, (size_t)(o->lines + 1) * sizeof *o->parts);
  v->in = o->first;
  CP_TRY(run_sweep(s, v));
  v->out = o->first;
  for (int pass = 1, last = 0; !last; pass++) {
    const double square = take_parts(v, by), size = v->sums[o->lines];
    // if what is taken out now is small, rounding leaves nothing to be taken out after it
    last = pass == PASSES || (pass > 1 && 2 * square <= size);
    v->by = by;
    v->in = last ? o->lines : 0;
    CP_TRY(run_sweep(s, v));
    v->from = line_of(o, v->item, o->lines, 0);
    v->out = 0;
  }
  o->parts[o->lines] = sqrt(v->sums[o->lines]);
  if (o->parts[o->lines] > 0) divide_line(v, o->parts[o->lines]);
  return CP_OK;
}

cp_status cp_cpu_orthogonalise(cp_stream *s, const cp_orthogonal *o) {
  const bool single = o->dtype == CP_FLOAT32;
  const cp_products *p = cp_cpu_products();
  const int64_t blocks = (o->length + BLOCK - 1) / BLOCK;
  sweep v = {.o = o, .item = cp_itemsize(o->dtype), .from = o->w};
  v.along = single ? p->matvec32.along : p->matvec64.along;
  v.across = single ? p->matvec32.across : p->matvec64.across;
  v.sums = malloc((size_t)((blocks + 1) * (o->lines + 1)) * sizeof *v.sums);
  if (v.sums == NULL) return cp_no_memory(NULL);
  const cp_status status = orthogonalise(s, &v, (char *)(v.sums + blocks * (o->lines + 1)));
  free(v.sums);
  return status;
}
