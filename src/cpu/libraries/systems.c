// Small linear systems on the CPU device. Each matrix is copied into column-major scratch memory of the
// thread and solved there, so that neither side is copied as a whole. One that lies by rows is copied as its
// transpose, whose factors solve the system as well.
#include "cpu/libraries/lapack.h"
#include "cpu/run/cpu.h"
#include "host/threads.h"
#include "routines/solver.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Number of tasks of small matrices; large ones are solved one after the other, each with the library's own
// threads.
enum { TASKS = 64 };

typedef struct batch {
  cp_systems *c;
  const cp_lapack *lapack;
  int64_t per_task;
  int threads; // the library's threads per matrix
  atomic_bool singular, out_of_memory;
} batch;

// Scratch memory of one thread.
typedef struct scratch {
  char *a, *b; // column-major
  int *pivots;
  bool turned; // a is the transpose
} scratch;

// A matrix of rows x columns elements. The element (i, j) lies i * row + j * column bytes after the first.
typedef struct matrix {
  char *first;
  int64_t row, column;
} matrix;

#define COPY(bytes)                                                                                          \
  for (int64_t j = 0; j < columns; j++)                                                                      \
    for (int64_t i = 0; i < rows; i++)                                                                       \
      memcpy(to.first + i * to.row + j * to.column, from.first + i * from.row + j * from.column, bytes);

static void copy(matrix to, matrix from, int64_t rows, int64_t columns, size_t item) {
  if (item == 4) {
    COPY(4)
  } else if (item == 8) {
    COPY(8)
  } else {
    COPY(16)
  }
}
#undef COPY

static matrix taken(const cp_systems *c, const char *first, const int64_t *steps, int64_t k) {
  int64_t item = (int64_t)cp_itemsize(c->dtype);
  return (matrix){(char *)(uintptr_t)first + k * steps[0] * item, steps[1] * item, steps[2] * item};
}

static void put_one(char *to, cp_dtype t) {
  if (t == CP_FLOAT32 || t == CP_COMPLEX64)
    *(float *)(void *)to = 1;
  else
    *(double *)(void *)to = 1;
}

// Writes the identity matrix, column by column.
static void make_identity(const cp_systems *c, char *b) {
  size_t item = cp_itemsize(c->dtype), n = (size_t)c->rows;
  memset(b, 0, n * n * item);
  for (size_t i = 0; i < n; i++) put_one(b + i * (n + 1) * item, c->dtype);
}

static void negate(char *element, cp_dtype t) {
  bool single = t == CP_FLOAT32 || t == CP_COMPLEX64;
  for (int part = 0; part < 1 + cp_is_complex(t); part++) {
    if (single)
      ((float *)(void *)element)[part] *= -1;
    else
      ((double *)(void *)element)[part] *= -1;
  }
}

// Stores the diagonal of U as the pivots. The first one gets the sign of the row exchanges.
static void give_pivots(const cp_systems *c, const scratch *s, int64_t k) {
  size_t item = cp_itemsize(c->dtype);
  int64_t n = c->rows, wide = (int64_t)item;
  matrix diagonal = {s->a, wide * (n + 1), 0}, to = {c->out + (size_t)(k * n) * item, wide, 0};
  bool odd = false;
  copy(to, diagonal, n, 1, item);
  for (int64_t i = 0; i < n; i++) odd ^= s->pivots[i] != i + 1;
  if (odd) negate(to.first, c->dtype);
}

// Copies matrix k, in the order in which it lies.
static void take_matrix(const cp_systems *c, scratch *s, int64_t k) {
  const int64_t wide = (int64_t)cp_itemsize(c->dtype);
  matrix from = taken(c, c->a, c->steps_a, k);
  s->turned = from.column == wide && from.row != wide;
  if (s->turned) from = (matrix){from.first, from.column, from.row};
  copy((matrix){s->a, wide, wide * c->rows}, from, c->rows, c->rows, (size_t)wide);
}

static void give_solutions(const batch *b, const scratch *s, int64_t k) {
  const cp_systems *c = b->c;
  size_t item = cp_itemsize(c->dtype);
  int n = (int)c->rows, right = (int)c->right, info;
  int64_t wide = (int64_t)item;
  matrix columns = {s->b, wide, wide * n},
         out = {c->out + (size_t)(k * n * right) * item, wide * right, wide};
  if (c->b != NULL)
    copy(columns, taken(c, c->b, c->steps_b, k), n, right, item);
  else
    make_identity(c, s->b);
  b->lapack->getrs[cp_lapack_index(c->dtype)](s->turned ? "T" : "N", &n, &right, s->a, &n, s->pivots, s->b,
                                              &n, &info, 1);
  copy(out, columns, n, right, item);
}

static void work_on_one(batch *b, scratch *s, int64_t k) {
  cp_systems *c = b->c;
  int n = (int)c->rows, info = 0;
  take_matrix(c, s, k);
  b->lapack->getrf[cp_lapack_index(c->dtype)](&n, &n, s->a, &n, s->pivots, &info);
  if (c->right == 0)
    give_pivots(c, s, k);
  else if (info != 0)
    atomic_store(&b->singular, true);
  else
    give_solutions(b, s, k);
}

static void work_on(void *data, cp_tasks *tasks) {
  batch *b = data;
  cp_systems *c = b->c;
  size_t n = (size_t)c->rows, item = cp_itemsize(c->dtype), matrices = (n + (size_t)c->right) * n * item;
  char *memory = malloc(matrices + n * sizeof(int));
  scratch s = {.a = memory};
  if (memory == NULL)
    atomic_store(&b->out_of_memory, true);
  else
    s.b = memory + n * n * item, s.pivots = (int *)(void *)(memory + matrices);
  int before = cp_lapack_enter(b->threads);
  for (int64_t task; cp_next_task(tasks, &task);) {
    int64_t first = task * b->per_task, end = first + b->per_task;
    for (int64_t k = first; memory != NULL && k < end && k < c->count && !atomic_load(&b->singular); k++) {
      if (!cp_go_on(tasks)) break;
      work_on_one(b, &s, k);
    }
  }
  cp_lapack_leave(before);
  free(memory);
}

cp_status cp_cpu_systems(cp_context *ctx, cp_stream *s, cp_systems *c) {
  batch b = {.c = c, .threads = cp_lapack_threads_of(c->rows, c->rows + c->right)};
  bool shared = b.threads == 1 && c->count > 1;
  (void)s;
  CP_TRY(cp_lapack_open(&b.lapack));
  b.per_task = shared ? (c->count + TASKS - 1) / TASKS : c->count;
  CP_TRY(cp_parallel(ctx, work_on, &b, (c->count + b.per_task - 1) / b.per_task, shared));
  c->singular = atomic_load(&b.singular);
  return atomic_load(&b.out_of_memory) ? cp_no_memory(NULL) : CP_OK;
}
