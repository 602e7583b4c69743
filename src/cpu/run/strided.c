// Copies between blocks and strided memory. A walk visits a range of linear positions as runs along the
// innermost dimension, or as several whole rows at once.
#include "cpu/run/strided.h"

#include "cpu/loops/copies.h"

typedef struct walk {
  const cp_strided *view;
  int64_t offset, column; // of the next position: offset in bytes, and column in its row
  int64_t index[CP_MAXDIM + 3];
} walk;

static void walk_start(walk *w, const cp_strided *view, int64_t position) {
  w->view = view;
  w->offset = 0;
  w->column = 0;
  for (int d = view->ndim - 1; d >= 0; d--) {
    int64_t index = position % view->shape[d];
    position /= view->shape[d];
    w->index[d] = index;
    w->offset = cp_beyond(w->offset, index, view->strides[d]);
    if (d == view->ndim - 1) w->column = index;
  }
}

// Number of elements left in the row, at most n.
static size_t walk_run(const walk *w, size_t n) {
  if (w->view->ndim == 0) return 1;
  int64_t left = w->view->shape[w->view->ndim - 1] - w->column;
  return (int64_t)n < left ? n : (size_t)left;
}

// Advances to the start of the next row.
static void walk_next(walk *w) {
  const cp_strided *view = w->view;
  int last = view->ndim - 1;
  if (last < 0) return;
  w->offset = cp_beyond(w->offset, -w->column, view->strides[last]);
  w->column = 0;
  for (int d = last - 1; d >= 0; d--) {
    w->offset += view->strides[d];
    if (++w->index[d] < view->shape[d]) return;
    w->offset -= view->strides[d] * view->shape[d];
    w->index[d] = 0;
  }
}

static int64_t row_stride(const cp_strided *view) { return view->ndim ? view->strides[view->ndim - 1] : 0; }

// Number of whole rows left along the second last dimension, if the position is at the start of a row.
static int64_t walk_rows(const walk *w, size_t run, size_t n) {
  const cp_strided *view = w->view;
  int last = view->ndim - 1;
  if (last < 1 || w->column != 0 || n / run < 2) return 1;
  int64_t left = view->shape[last - 1] - w->index[last - 1], rows = (int64_t)(n / run);
  return rows < left ? rows : left;
}

// Advances by `rows` rows, at most what walk_rows returned.
static void walk_skip(walk *w, int64_t rows) {
  int last = w->view->ndim - 1;
  if (rows > 1) {
    w->offset += (rows - 1) * w->view->strides[last - 1];
    w->index[last - 1] += rows - 1;
  }
  walk_next(w);
}

static void gather_rows(const cp_copy_loops *m, char *d, const char *s, const cp_strided *from, size_t rows,
                        size_t run, size_t itemsize) {
  int last = from->ndim - 1, size = cp_move_size(itemsize);
  int64_t down = from->strides[last - 1], along = from->strides[last], pitch = (int64_t)(run * itemsize);
  if (along == 0) {
    m->expand[size](d, s, down, rows, run);
  } else if (along == (int64_t)itemsize) {
    m->rows(d, pitch, s, down, rows, run * itemsize);
  } else if (down == (int64_t)itemsize) {
    m->transpose[size](d, pitch, s, along, rows, run);
  } else {
    for (size_t r = 0; r < rows; r++, d += pitch, s += down) m->gather[size](d, s, along, run);
  }
}

void cp_gather(void *dst, const cp_strided *from, int64_t begin, size_t n, size_t itemsize) {
  const cp_copy_loops *m = cp_cpu_copy_loops();
  int64_t stride = row_stride(from);
  int size = cp_move_size(itemsize);
  char *d = dst;
  walk w;
  walk_start(&w, from, begin);
  while (n > 0) {
    size_t run = walk_run(&w, n);
    int64_t rows = walk_rows(&w, run, n);
    if (rows > 1)
      gather_rows(m, d, from->base + w.offset, from, (size_t)rows, run, itemsize);
    else if (stride == 0)
      m->fill[size](d, from->base + w.offset, run);
    else
      m->gather[size](d, from->base + w.offset, stride, run);
    d += (size_t)rows * run * itemsize;
    n -= (size_t)rows * run;
    if (n > 0) walk_skip(&w, rows);
  }
}

void cp_scatter(const cp_strided *to, const void *src, int64_t begin, size_t n, size_t itemsize) {
  const cp_copy_loops *m = cp_cpu_copy_loops();
  int64_t stride = row_stride(to);
  int size = cp_move_size(itemsize);
  const char *s = src;
  walk w;
  walk_start(&w, to, begin);
  while (n > 0) {
    size_t run = walk_run(&w, n);
    int64_t rows = stride == (int64_t)itemsize ? walk_rows(&w, run, n) : 1;
    if (rows > 1)
      m->rows(to->base + w.offset, to->strides[to->ndim - 2], s, (int64_t)(run * itemsize), (size_t)rows,
              run * itemsize);
    else
      m->scatter[size](to->base + w.offset, s, stride, run);
    s += (size_t)rows * run * itemsize;
    n -= (size_t)rows * run;
    if (n > 0) walk_skip(&w, rows);
  }
}

void cp_count(int64_t *dst, int64_t start, const cp_strided *steps, int64_t begin, size_t n) {
  const cp_copy_loops *m = cp_cpu_copy_loops();
  int64_t step = row_stride(steps);
  walk w;
  walk_start(&w, steps, begin);
  for (;;) {
    size_t run = walk_run(&w, n);
    m->count(dst, cp_beyond(start, 1, w.offset), step, run);
    n -= run;
    if (n == 0) return;
    dst += run;
    walk_next(&w);
  }
}
