// Blocks of leaves whose positions within the span move: where a block lies in memory, or its elements
// gathered piece by piece, each of which is read with one step.
#include "cpu/run/program.h"

enum { NEAR = 32768 }; // bytes of the nearest cache

static const cp_move *move_along(const cp_program *g, int leaf, int dim) {
  for (int k = 0; k < g->nmoves; k++) {
    if ((g->plan->leaves[leaf].moved >> k & 1) && g->moves[k].dim == dim) return &g->moves[k];
  }
  return NULL;
}

const char *cp_moved_place(const cp_worker *w, int leaf, int64_t column, size_t n) {
  const cp_program *g = w->program;
  int last = g->ndim - 1, step;
  cp_dtype t = g->dtypes[leaf];
  const cp_move *move = move_along(g, leaf, last);
  if (g->span != 1 || move == NULL || cp_is_half(t) || t == CP_BOOL) return NULL;
  if (g->strides[leaf][last] != (int64_t)cp_itemsize(t)) return NULL;
  if (cp_move_run(move, column, &step) < (int64_t)n || step != 1) return NULL;
  const char *at = g->bases[leaf] + w->offsets[leaf] + cp_moved(move, column) * g->strides[leaf][last];
  return ((uintptr_t)at & (cp_dtypes[cp_dtypes[t].real].itemsize - 1)) == 0 ? at : NULL;
}

// The span of a leaf, and where in it the next element is.
typedef struct walk {
  const cp_program *program;
  const int64_t *shape, *strides; // of the span
  int ndim, inner;                // inner: the innermost dimension with a move
  const cp_move *moves[CP_MAXDIM + 3];
  size_t itemsize;
  const char *base; // of the span
} walk;

static void walk_start(walk *w, const cp_worker *worker, int leaf) {
  const cp_program *g = worker->program;
  int first = g->ndim - g->span;
  w->program = g;
  w->ndim = g->span;
  w->inner = 0;
  w->shape = g->shape + first;
  w->strides = g->strides[leaf] + first;
  w->itemsize = cp_itemsize(g->dtypes[leaf]);
  w->base = g->bases[leaf] + worker->offsets[leaf];
  for (int k = 0; k < w->ndim; k++) {
    w->moves[k] = move_along(g, leaf, first + k);
    if (w->moves[k] != NULL) w->inner = k;
  }
}

// The address of position 0 of dimension `dim` and those within it, where the positions of the dimensions
// before it, in C order, are number `position`.
static const char *walk_row(const walk *w, int dim, int64_t position) {
  const char *at = w->base;
  for (int k = dim - 1; k >= 0; position /= w->shape[k--]) {
    int64_t index = position % w->shape[k];
    at += (w->moves[k] != NULL ? cp_moved(w->moves[k], index) : index) * w->strides[k];
  }
  return at;
}

// Gathers elements that are read with one step along the innermost moved dimension; returns how many, at most
// n.
static size_t gather_run(const walk *w, char *d, int64_t position, size_t n) {
  int step, dim = w->inner;
  int64_t below = 1, shape[CP_MAXDIM + 3], strides[CP_MAXDIM + 3];
  for (int k = dim + 1; k < w->ndim; k++) {
    below *= w->shape[k];
    shape[k - dim] = w->shape[k];
    strides[k - dim] = w->strides[k];
  }
  int64_t low = position % below, x = position / below % w->shape[dim];
  int64_t run = cp_move_run(w->moves[dim], x, &step), left = w->shape[dim] - x;
  shape[0] = run < left ? run : left;
  strides[0] = step * w->strides[dim];
  const char *row = walk_row(w, dim, position / below / w->shape[dim]);
  cp_strided view = {(char *)(uintptr_t)row + cp_moved(w->moves[dim], x) * w->strides[dim], w->ndim - dim,
                     shape, strides};
  size_t count = (size_t)(shape[0] * below - low);
  if (count > n) count = n;
  while (view.ndim > 1 && strides[view.ndim - 2] == shape[view.ndim - 1] * strides[view.ndim - 1]) {
    shape[view.ndim - 2] *= shape[view.ndim - 1]; // rows that follow each other are one
    strides[view.ndim - 2] = strides[view.ndim - 1];
    view.ndim--;
  }
  cp_gather(d, &view, low, count, w->itemsize);
  return count;
}

// Gathers whole rows that move along themselves only, piece by piece for as many as the nearest cache holds;
// returns how many elements, 0 if there are no two such rows.
static size_t gather_rows(const walk *w, char *d, int64_t position, size_t n) {
  int last = w->ndim - 1, step = 1;
  int64_t length = w->shape[last], size = (int64_t)w->itemsize, rows = (int64_t)n / length;
  if (last < 1 || w->inner < last || w->moves[last - 1] != NULL || w->strides[last] != size) return 0;
  int64_t left = w->shape[last - 1] - position / length % w->shape[last - 1];
  if (rows > left) rows = left;
  if (rows > NEAR / (length * size)) rows = NEAR / (length * size);
  if (rows < 2 || position % length != 0) return 0;
  const char *row = walk_row(w, last, position / length);
  for (int64_t x = 0; x < length;) {
    int64_t run = cp_move_run(w->moves[last], x, &step), from = cp_moved(w->moves[last], x);
    if (step != 1) run = 1;
    if (run > length - x) run = length - x;
    w->program->copies->rows(d + x * size, length * size, row + from * size, w->strides[last - 1],
                             (size_t)rows, (size_t)(run * size));
    x += run;
  }
  return (size_t)(rows * length);
}

void cp_gather_moved(const cp_worker *worker, int leaf, void *dst, int64_t column, size_t n) {
  walk w;
  char *d = dst;
  walk_start(&w, worker, leaf);
  while (n > 0) {
    size_t count = gather_rows(&w, d, column, n);
    if (count == 0) count = gather_run(&w, d, column, n);
    d += count * w.itemsize;
    column += (int64_t)count;
    n -= count;
  }
}
