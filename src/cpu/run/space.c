// The space that a program iterates over: the plan's dimensions, reordered and collapsed, or cut into tiles.
#include "cpu/run/program.h"

#include <string.h>

static const cp_operand *operand(const cp_plan *p, int k) {
  return k < p->nleaves ? &p->leaves[k] : &p->outputs[k - p->nleaves];
}

static void set_operands(cp_program *g, const cp_plan *p) {
  g->plan = p;
  g->nmoves = p->nmoves;
  g->noperands = p->nleaves + (p->nred ? 0 : p->noutputs);
  for (int k = 0; k < g->noperands; k++) {
    const cp_operand *o = operand(p, k);
    g->bases[k] = o->base;
    g->starts[k] = o->start;
  }
}

static int64_t stride_of(const cp_operand *o, int dim) {
  return o->access == CP_ACCESS_ONE ? 0 : o->strides[dim];
}

// True when dimension d + 1 continues dimension d in every operand, so that the two can be merged.
static bool continues(const cp_program *g, int d) {
  for (int k = 0; k < g->nmoves; k++) {
    if (g->moves[k].dim == d || g->moves[k].dim == d + 1) return false;
  }
  for (int k = 0; k < g->noperands; k++) {
    if (g->strides[k][d] != g->strides[k][d + 1] * g->shape[d + 1]) return false;
  }
  return true;
}

static void drop_dimension(cp_program *g, int d) {
  size_t rest = (size_t)(g->ndim - d - 1) * sizeof(int64_t);
  memmove(&g->shape[d], &g->shape[d + 1], rest);
  for (int k = 0; k < g->noperands; k++) memmove(&g->strides[k][d], &g->strides[k][d + 1], rest);
  for (int k = 0; k < g->nmoves; k++) g->moves[k].dim -= g->moves[k].dim > d;
  g->ndim--;
}

static void collapse(cp_program *g) {
  for (int d = g->ndim - 1; d >= 0 && g->ndim > 1; d--) {
    if (g->shape[d] == 1) drop_dimension(g, d);
  }
  for (int d = g->ndim - 2; d >= 0; d--) {
    if (!continues(g, d)) continue;
    g->shape[d + 1] *= g->shape[d];
    drop_dimension(g, d);
  }
}

static void set_span(cp_program *g, int span) {
  g->span = span;
  g->within = 1;
  for (int d = g->ndim - span; d < g->ndim; d++) g->within *= g->shape[d];
}

// The plan's moves, along the program's dimensions.
static void set_moves(cp_program *g, const cp_plan *p, const int *order) {
  for (int k = 0; k < p->nmoves; k++) {
    int d = 0;
    while ((order ? order[d] : d) != p->moves[k].dim) d++;
    g->moves[k] = p->moves[k];
    g->moves[k].dim = d;
  }
}

void cp_program_space(cp_program *g, const cp_plan *p, const int *order) {
  set_operands(g, p);
  g->ndim = p->ndim;
  for (int d = 0; d < p->ndim; d++) g->shape[d] = p->shape[order ? order[d] : d];
  for (int k = 0; k < g->noperands; k++) {
    const cp_operand *o = operand(p, k);
    for (int d = 0; d < p->ndim; d++) g->strides[k][d] = stride_of(o, order ? order[d] : d);
  }
  set_moves(g, p, order);
  if (p->ndim > 1) collapse(g);
  set_span(g, g->shape[g->ndim - 1] >= CP_LONG_ROW && !cp_copies_moved(p) ? 1 : g->ndim);
}

// Tiles ----------------------------------------------------------------------------------------------------

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

int cp_program_tile_dim(const cp_plan *p) {
  int last = p->ndim - 1;
  if (p->nmoves > 0) return -1;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *o = &p->leaves[k];
    if (o->access == CP_ACCESS_INDEX || o->access == CP_ACCESS_ONE) continue;
    int64_t nearest = magnitude(o->strides[last]);
    int dim = -1;
    for (int d = 0; d < last; d++) {
      int64_t stride = magnitude(o->strides[d]);
      if (stride == 0 || stride >= nearest) continue;
      nearest = stride;
      dim = d;
    }
    if (dim >= 0) return dim;
  }
  return -1;
}

void cp_program_tiles(cp_program *g, const cp_plan *p, const cp_tiling *t) {
  int last = p->ndim - 1, n = 0;
  set_operands(g, p);
  for (int d = 0; d < last; d++) {
    if (d == t->dim) continue;
    g->shape[n] = p->shape[d];
    for (int k = 0; k < g->noperands; k++) g->strides[k][n] = stride_of(operand(p, k), d);
    n++;
  }
  g->ndim = n + 4;
  const int64_t lengths[4] = {t->rows / t->tile_rows, t->columns / t->tile_columns, t->tile_rows,
                              t->tile_columns};
  memcpy(&g->shape[n], lengths, sizeof lengths);
  for (int k = 0; k < g->noperands; k++) {
    const cp_operand *o = operand(p, k);
    int64_t down = stride_of(o, t->dim), along = stride_of(o, last);
    const int64_t strides[4] = {down * t->tile_rows, along * t->tile_columns, down, along};
    memcpy(&g->strides[k][n], strides, sizeof strides);
    int64_t origin = down * t->row + along * t->column;
    if (o->access == CP_ACCESS_INDEX)
      g->starts[k] += origin;
    else
      g->bases[k] += origin;
  }
  set_span(g, 2);
}
