// A walk visits a range of linear positions as runs along the innermost dimension. Elements are moved by
// memcpy of a constant size, which compiles to plain moves and does not ask for alignment.
#include "cpu/strided.h"

#include <string.h>

typedef struct walk {
  const cp_strided *view;
  int64_t offset, column; // of the next position: bytes, and place in its row
  int64_t index[CP_MAXDIM + 1];
} walk;

static void walk_start(walk *w, const cp_strided *view, int64_t position) {
  w->view = view;
  w->offset = 0;
  w->column = 0;
  for (int d = view->ndim - 1; d >= 0; d--) {
    int64_t index = position % view->shape[d];
    position /= view->shape[d];
    w->index[d] = index;
    w->offset += index * view->strides[d];
    if (d == view->ndim - 1) w->column = index;
  }
}

// Elements left in the row, at most n.
static size_t walk_run(const walk *w, size_t n) {
  if (w->view->ndim == 0) return 1;
  int64_t left = w->view->shape[w->view->ndim - 1] - w->column;
  return (int64_t)n < left ? n : (size_t)left;
}

// To the start of the next row.
static void walk_next(walk *w) {
  const cp_strided *view = w->view;
  int last = view->ndim - 1;
  if (last < 0) return;
  w->offset -= w->column * view->strides[last];
  w->column = 0;
  for (int d = last - 1; d >= 0; d--) {
    w->offset += view->strides[d];
    if (++w->index[d] < view->shape[d]) return;
    w->offset -= view->strides[d] * view->shape[d];
    w->index[d] = 0;
  }
}

static int64_t row_stride(const cp_strided *view) { return view->ndim ? view->strides[view->ndim - 1] : 0; }

#define RUNS(bytes)                                                                                          \
  static void gather_##bytes(char *dst, const char *src, int64_t stride, size_t n) {                         \
    for (size_t k = 0; k < n; k++) memcpy(dst + k * bytes, src + (int64_t)k * stride, bytes);                \
  }                                                                                                          \
  static void scatter_##bytes(char *dst, const char *src, int64_t stride, size_t n) {                        \
    for (size_t k = 0; k < n; k++) memcpy(dst + (int64_t)k * stride, src + k * bytes, bytes);                \
  }
RUNS(1)
RUNS(2)
RUNS(4)
RUNS(8)
RUNS(16)

static void gather_run(char *dst, const char *src, int64_t stride, size_t n, size_t itemsize) {
  if (stride == (int64_t)itemsize) {
    memcpy(dst, src, n * itemsize);
    return;
  }
  switch (itemsize) {
  case 1: gather_1(dst, src, stride, n); break;
  case 2: gather_2(dst, src, stride, n); break;
  case 4: gather_4(dst, src, stride, n); break;
  case 8: gather_8(dst, src, stride, n); break;
  default: gather_16(dst, src, stride, n); break;
  }
}

static void scatter_run(char *dst, const char *src, int64_t stride, size_t n, size_t itemsize) {
  if (stride == (int64_t)itemsize) {
    memcpy(dst, src, n * itemsize);
    return;
  }
  switch (itemsize) {
  case 1: scatter_1(dst, src, stride, n); break;
  case 2: scatter_2(dst, src, stride, n); break;
  case 4: scatter_4(dst, src, stride, n); break;
  case 8: scatter_8(dst, src, stride, n); break;
  default: scatter_16(dst, src, stride, n); break;
  }
}

void cp_gather(void *dst, const cp_strided *from, int64_t begin, size_t n, size_t itemsize) {
  walk w;
  int64_t stride = row_stride(from);
  char *d = dst;
  walk_start(&w, from, begin);
  for (;;) {
    size_t run = walk_run(&w, n);
    gather_run(d, from->base + w.offset, stride, run, itemsize);
    n -= run;
    if (n == 0) return;
    d += run * itemsize;
    walk_next(&w);
  }
}

void cp_scatter(const cp_strided *to, const void *src, int64_t begin, size_t n, size_t itemsize) {
  walk w;
  int64_t stride = row_stride(to);
  const char *s = src;
  walk_start(&w, to, begin);
  for (;;) {
    size_t run = walk_run(&w, n);
    scatter_run(to->base + w.offset, s, stride, run, itemsize);
    n -= run;
    if (n == 0) return;
    s += run * itemsize;
    walk_next(&w);
  }
}

void cp_count(int64_t *dst, int64_t start, const cp_strided *steps, int64_t begin, size_t n) {
  walk w;
  int64_t step = row_stride(steps);
  walk_start(&w, steps, begin);
  for (;;) {
    size_t run = walk_run(&w, n);
    int64_t value = start + w.offset;
    for (size_t k = 0; k < run; k++) dst[k] = value + (int64_t)k * step;
    n -= run;
    if (n == 0) return;
    dst += run;
    walk_next(&w);
  }
}

void cp_replicate(void *dst, const void *element, size_t n, size_t itemsize) {
  gather_run(dst, element, 0, n, itemsize);
}
