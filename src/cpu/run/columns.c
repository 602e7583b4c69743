// Reductions by columns: blocks are folded into rows of accumulators (reduction.h).
#include "cpu/run/reduction.h"

#include <string.h>

enum {
  MIN_COLUMNS = 16,     // fewer outputs than this are never worth columns
  TINY_ROW = 16,        // rows up to this length are reduced by columns even when they are contiguous
  COLUMNS = 4096,       // outputs per group: long runs of memory, while the accumulators stay in the cache
  MANY_COLUMNS = 65536, // with at least this many outputs, groups alone make enough tasks
  CHUNKS = 16,          // chunks of a reduction by columns whose chunks have between LEAST and MOST elements;
  LEAST = 65536,        // their accumulators are written to memory, and one thread combines them in the end
  MOST = 1048576,
  MOMENTS = 64, // rows whose moments are folded at once (up to twice as many); CP_MAX_FOLD for other values
  STACK = 16,   // rows of computed values folded at once
  STACK_COLUMNS = 512
};

// Evaluates n columns from `first` on of `rows` rows, which fit into one run of the program, and folds them
// into accs.
static void fold_block(cp_reducer *s, int64_t row, int64_t rows, int64_t first, size_t n, char *accs) {
  const cp_reduction *r = s->r;
  cp_positions p;
  bool whole = r->pitched;
  cp_worker_run(&s->w, row * r->p->outer + first, whole ? n : (size_t)rows * n);
  r->red->fold(accs, s->w.registers[r->p->value], cp_reducer_positions(s, row, false, &p), n, (size_t)rows,
               whole ? r->pitch : (int64_t)(n * r->element));
}

static void fold_stacked(cp_reducer *s, int64_t row, int64_t rows, int64_t first, size_t n, char *accs) {
  const cp_reduction *r = s->r;
  cp_positions p;
  size_t bytes = n * r->element;
  for (int64_t k = 0; k < rows; k++) {
    cp_worker_run(&s->w, (row + k) * r->p->outer + first, n);
    memcpy(s->stack + (size_t)k * bytes, s->w.registers[r->p->value], bytes);
  }
  r->red->fold(accs, s->stack, cp_reducer_positions(s, row, false, &p), n, (size_t)rows, (int64_t)bytes);
}

// The number of rows of [begin, end) with `count` columns that are folded at once.
static int64_t rows_at_once(const cp_reduction *r, int64_t count, int64_t begin, int64_t end) {
  int64_t most = 1, block = (int64_t)r->program.block;
  bool crosses = r->program.span == r->program.ndim; // blocks continue into the next row
  if (r->pitched)
    most = r->folds;
  else if (r->stacked)
    most = STACK;
  else if (crosses && count == r->p->outer && count < block)
    most = block / count < r->folds ? block / count : r->folds;
  return end - begin < most ? end - begin : most;
}

// Folds rows [begin, end) of the outputs [first, first + count) into accs.
static void fold_rows(cp_reducer *s, int64_t first, int64_t count, int64_t begin, int64_t end, char *accs) {
  const cp_reduction *r = s->r;
  r->red->identity(accs, (size_t)count);
  while (begin < end && cp_go_on(s->tasks)) {
    int64_t rows = rows_at_once(r, count, begin, end), row = begin * r->p->outer;
    for (int64_t k = 0; k < count;) {
      size_t n = cp_program_range(&r->program, row + first + k, row + first + count);
      char *to = accs + (size_t)k * r->item;
      if (r->stacked && n > STACK_COLUMNS) n = STACK_COLUMNS;
      if (r->stacked)
        fold_stacked(s, begin, rows, first + k, n, to);
      else
        fold_block(s, begin, rows, first + k, n, to);
      k += (int64_t)n;
    }
    begin += rows;
  }
}

void cp_reduce_columns(cp_reducer *s, int64_t group, int64_t chunk) {
  const cp_reduction *r = s->r;
  int64_t run = group / r->pieces, piece = group % r->pieces;
  int64_t first = run * r->run + piece * r->width, count = (run + 1) * r->run - first;
  if (count > r->width) count = r->width;
  if (count <= 0) return;
  int64_t begin = chunk * r->length, end = begin + r->length < r->p->inner ? begin + r->length : r->p->inner;
  char *part = r->chunks > 1 ? r->workspace + (size_t)(chunk * r->p->outer + first) * r->item : NULL;
  if (part != NULL && end - begin <= r->folds) {
    fold_rows(s, first, count, begin, end, part);
    return;
  }
  s->cascade.width = (size_t)count;
  for (; begin < end && cp_go_on(s->tasks); begin += r->folds) {
    fold_rows(s, first, count, begin, begin + r->folds < end ? begin + r->folds : end, s->cascade.fresh);
    cp_cascade_push(&s->cascade);
  }
  if (!cp_go_on(s->tasks)) return;
  const char *accs = cp_cascade_take(&s->cascade);
  if (part != NULL)
    memcpy(part, accs, (size_t)count * r->item);
  else
    cp_reduction_finish(r, accs, first, count);
}

size_t cp_columns_stack(const cp_reduction *r) { return r->stacked ? STACK * STACK_COLUMNS * r->element : 0; }

// Planning -------------------------------------------------------------------------------------------------

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

// Most operands have smaller strides along the kept dimensions than along the reduced ones. Those that are
// broadcast along either are read from the cache in both orders, so they decide only where all are.
bool cp_prefers_columns(const cp_plan *p) {
  int kept = p->ndim - p->nred - 1, votes = 0, broadcast = 0;
  if (p->outer < MIN_COLUMNS) return false;
  if (p->inner <= TINY_ROW) return true;
  for (int l = 0; l < p->nleaves; l++) {
    const cp_operand *leaf = &p->leaves[l];
    if (leaf->access == CP_ACCESS_INDEX || leaf->access == CP_ACCESS_ONE) continue;
    int64_t along = magnitude(leaf->strides[kept]), across = magnitude(leaf->strides[p->ndim - 1]);
    int vote = (along < across) - (across < along);
    if (along != 0 && across != 0)
      votes += vote;
    else
      broadcast += vote;
  }
  return votes != 0 ? votes > 0 : broadcast > 0;
}

// Chooses how the values of several rows are folded at once.
static void set_fold(cp_reduction *r) {
  const cp_plan *p = r->p;
  const cp_program *g = &r->program;
  cp_red_class cls = cp_reds[p->red].cls;
  bool moments = cls == CP_RED_VARIANCE;
  bool line = g->ndim == 1 && moments;                 // rows follow each other
  bool first = g->ndim > 1 && g->shape[0] == p->inner; // rows are the program's first dimension
  int64_t fit = g->span < g->ndim ? 1 : (int64_t)g->block / p->outer; // rows that fit into a block
  bool in_place = g->sources[p->value] == CP_SOURCE_PLACE && p->leaves[p->value].moved == 0;
  r->pitched = r->columns && (line || first) && in_place && (p->position < 0 || r->affine);
  r->pitch = r->pitched ? g->strides[p->value][0] * (line ? p->outer : 1) : 0;
  r->stacked =
      r->columns && !r->pitched &&
      (moments ? fit < STACK && fit < p->inner : g->span < g->ndim && cls == CP_RED_INDEX && r->affine);
}

void cp_plan_columns(cp_reduction *r) {
  const cp_plan *p = r->p;
  set_fold(r);
  int64_t row = r->program.shape[r->program.ndim - 1];
  r->run = row >= CP_LONG_ROW && row < p->outer ? row : p->outer;
  r->pieces = cp_divide_up(r->run, COLUMNS);
  r->width = cp_divide_up(r->run, r->pieces);
  r->groups = p->outer / r->run * r->pieces;
  r->length = p->inner;
  if (p->outer < MANY_COLUMNS) {
    int64_t least = cp_divide_up(LEAST, p->outer), most = cp_divide_up(MOST, p->outer);
    r->length = cp_divide_up(p->inner, CHUNKS);
    if (r->length > most) r->length = most;
    if (r->length < least) r->length = least;
    if (r->length < MOMENTS) r->length = MOMENTS;
  }
  r->chunks = cp_divide_up(p->inner, r->length);
  r->folds = CP_MAX_FOLD;
  if (cp_reds[p->red].cls == CP_RED_VARIANCE) { // equal shares of a chunk, so that none has too few rows
    r->folds = cp_divide_up(r->length, r->length / MOMENTS > 0 ? r->length / MOMENTS : 1);
  }
  r->cascade_rows = cp_cascade_rows(cp_divide_up(r->length < p->inner ? r->length : p->inner, r->folds));
}
