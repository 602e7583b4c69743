// Runs reduction plans, in one of two forms:
//   by rows     the reduced dimensions are innermost; each block is reduced to one accumulator
//   by columns  the kept dimensions are innermost; each block is folded into a row of accumulators
// A task is a group of outputs times a chunk of the reduced range. Groups, chunks and the order of all
// combinations depend on the plan alone and not on the number of threads, so results are the same bits with
// any number of threads.
#include "cpu/run/cascade.h"
#include "cpu/run/program.h"
#include "cpu/run/run.h"
#include "host/threads.h"

#include <stdlib.h>
#include <string.h>

enum {
  ALONE = 65536,        // up to this many elements one thread is faster than waking others
  MIN_COLUMNS = 16,     // fewer outputs than this are never worth columns
  TINY_ROW = 16,        // rows up to this length are reduced by columns even when they are contiguous
  COLUMNS = 4096,       // outputs per group: long runs of memory, while the accumulators stay in the cache
  MANY_COLUMNS = 65536, // with at least this many outputs, groups alone make enough tasks
  CHUNKS = 16,          // chunks of a reduction by columns whose chunks have between LEAST and MOST elements;
  LEAST = 65536,        // their accumulators are written to memory, and one thread combines them in the end
  MOST = 1048576,
  MOMENTS = 64, // rows whose moments are folded at once (up to twice as many); CP_MAX_FOLD for other values
  STACK = 16,   // rows of computed values folded at once
  STACK_COLUMNS = 512,
  POST = 256 // outputs converted and stored at once
};

typedef struct reduction {
  const cp_plan *p;
  const cp_red_loops *red;
  cp_program program;
  size_t item;    // bytes per accumulator
  size_t element; // bytes per value in its register
  bool columns;
  bool pitched; // by columns: the values of all rows lie in memory, `pitch` bytes apart
  int64_t pitch;
  bool stacked; // by columns: rows of values are copied to a stack and folded at once
  bool affine;  // positions are start + step * index in the reduced range
  int64_t start, step;
  int64_t groups, chunks; // there are groups x chunks tasks
  int64_t width;          // most outputs per group
  int64_t run, pieces;    // by columns: groups are pieces of runs of `run` outputs
  int64_t folds;          // by columns: rows folded one after the other before they enter the cascade
  int64_t length;         // elements of the reduced range per chunk
  size_t cascade_rows;
  char *workspace; // if chunks > 1: accumulators by [chunk][output]
} reduction;

// Output ---------------------------------------------------------------------------------------------------

static cp_dtype post_dtype(const cp_plan *p) {
  cp_red_class cls = cp_reds[p->red].cls;
  if (cls == CP_RED_INDEX) return CP_INT64;
  return cls == CP_RED_VARIANCE ? cp_dtypes[cp_loop_dtype(p->acc)].real : cp_loop_dtype(p->acc);
}

// Stores post of `count` accumulators as outputs `first`, `first` + 1, ...
static void finish(const reduction *r, const char *accs, int64_t first, int64_t count) {
  const cp_plan *p = r->p;
  _Alignas(64) char posted[16 * POST], rounded[16 * POST], converted[16 * POST];
  cp_strided to = {p->outputs[0].base, p->ndim - p->nred, p->shape, p->outputs[0].strides};
  cp_dtype natural = post_dtype(p), out = p->outputs[0].dtype;
  for (int64_t k = 0; k < count; k += POST) {
    size_t n = (size_t)(count - k < POST ? count - k : POST);
    const char *block = posted;
    r->red->post(posted, accs + (size_t)k * r->item, (double)p->inner, p->parameter, n);
    if (p->result != natural) {
      cp_convert(natural, p->result, rounded, block, n);
      block = rounded;
    }
    if (out != p->result) {
      cp_convert(p->result, out, converted, block, n);
      block = converted;
    }
    cp_store(&to, out, block, first + k, n);
  }
}

// Tasks ----------------------------------------------------------------------------------------------------

typedef struct state {
  const reduction *r;
  cp_tasks *tasks;
  cp_worker w;
  cp_cascade cascade;
  char *accs;  // a group's accumulators
  char *stack; // rows of values
} state;

// The positions of reduced index `index` and those after it, along a row if `along` is set; else one index
// for each of the next rows.
static const cp_positions *positions(const state *s, int64_t index, bool along, cp_positions *p) {
  const reduction *r = s->r;
  if (r->p->position < 0) return NULL;
  p->list = r->affine ? NULL : s->w.registers[r->p->position];
  p->start = r->start + index * r->step;
  p->step = along ? r->step : 0;
  p->row = along ? 0 : r->step;
  return p;
}

// Reduces one long row, or the chunk [begin, end) of it.
static void reduce_long(state *s, int64_t begin, int64_t end, char *acc) {
  const reduction *r = s->r;
  cp_positions p;
  int64_t index = begin % r->p->inner;
  while (begin < end && cp_go_on(s->tasks)) {
    size_t n = cp_program_range(&r->program, begin, end);
    cp_worker_run(&s->w, begin, n);
    r->red->reduce(s->cascade.fresh, s->w.registers[r->p->value], positions(s, index, true, &p), n);
    cp_cascade_push(&s->cascade);
    begin += (int64_t)n;
    index += (int64_t)n;
  }
  if (!cp_go_on(s->tasks)) return;
  memcpy(acc, cp_cascade_take(&s->cascade), r->item);
}

// Reduces rows shorter than CP_LONG_ROW, several at once, for the outputs [first, first + count).
static void reduce_short(state *s, int64_t first, int64_t count, char *accs) {
  const reduction *r = s->r;
  int64_t inner = r->p->inner;
  while (count > 0 && cp_go_on(s->tasks)) {
    int64_t rows = (int64_t)cp_program_range(&r->program, first * inner, (first + count) * inner) / inner;
    cp_worker_run(&s->w, first * inner, (size_t)(rows * inner));
    const char *values = s->w.registers[r->p->value];
    cp_positions p = {0, 0, 0, 0};
    const cp_positions *at = positions(s, 0, true, &p);
    for (int64_t k = 0; k < rows; k++, accs += r->item, values += (size_t)inner * r->element) {
      r->red->reduce(accs, values, at, (size_t)inner);
      if (p.list) p.list += inner;
    }
    first += rows;
    count -= rows;
  }
}

static void rows_task(state *s, int64_t group, int64_t chunk) {
  const reduction *r = s->r;
  int64_t inner = r->p->inner, first = group * r->width, count = r->p->outer - first;
  if (count > r->width) count = r->width;
  if (r->chunks == 1 && inner < CP_LONG_ROW) {
    reduce_short(s, first, count, s->accs);
  } else if (r->chunks == 1) {
    for (int64_t k = 0; k < count; k++) {
      reduce_long(s, (first + k) * inner, (first + k + 1) * inner, s->accs + (size_t)k * r->item);
    }
  } else {
    int64_t begin = chunk * r->length, end = begin + r->length;
    char *acc = r->workspace + (size_t)(chunk * r->p->outer + first) * r->item;
    reduce_long(s, first * inner + begin, first * inner + (end < inner ? end : inner), acc);
    return;
  }
  if (cp_go_on(s->tasks)) finish(r, s->accs, first, count);
}

// Evaluates n columns from `first` on of `rows` rows, which fit into one run of the program, and folds them
// into accs.
static void fold_block(state *s, int64_t row, int64_t rows, int64_t first, size_t n, char *accs) {
  const reduction *r = s->r;
  cp_positions p;
  bool whole = r->pitched;
  cp_worker_run(&s->w, row * r->p->outer + first, whole ? n : (size_t)rows * n);
  r->red->fold(accs, s->w.registers[r->p->value], positions(s, row, false, &p), n, (size_t)rows,
               whole ? r->pitch : (int64_t)(n * r->element));
}

static void fold_stacked(state *s, int64_t row, int64_t rows, int64_t first, size_t n, char *accs) {
  const reduction *r = s->r;
  cp_positions p;
  size_t bytes = n * r->element;
  for (int64_t k = 0; k < rows; k++) {
    cp_worker_run(&s->w, (row + k) * r->p->outer + first, n);
    memcpy(s->stack + (size_t)k * bytes, s->w.registers[r->p->value], bytes);
  }
  r->red->fold(accs, s->stack, positions(s, row, false, &p), n, (size_t)rows, (int64_t)bytes);
}

// The number of rows of [begin, end) with `count` columns that are folded at once.
static int64_t rows_at_once(const reduction *r, int64_t count, int64_t begin, int64_t end) {
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
static void fold_rows(state *s, int64_t first, int64_t count, int64_t begin, int64_t end, char *accs) {
  const reduction *r = s->r;
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

static void columns_task(state *s, int64_t group, int64_t chunk) {
  const reduction *r = s->r;
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
    finish(r, accs, first, count);
}

static size_t cascade_width(const reduction *r) { return r->columns ? (size_t)r->width : 1; }

static size_t stack_memory(const reduction *r) { return r->stacked ? STACK * STACK_COLUMNS * r->element : 0; }

// Bytes that a thread needs: blocks, the cascade and a group's accumulators.
static size_t task_memory(const reduction *r) {
  return r->program.memory + r->cascade_rows * cp_cascade_row(r->red, cascade_width(r)) +
         (r->columns ? stack_memory(r) : (size_t)r->width * r->item);
}

static void work(void *data, cp_tasks *tasks) {
  const reduction *r = data;
  state s;
  int64_t task;
  s.r = r;
  s.tasks = tasks;
  char *memory = cp_arena(task_memory(r));
  if (!memory) return; // the caller's thread has its own
  cp_worker_start(&s.w, &r->program, memory);
  memory += r->program.memory;
  cp_cascade_start(&s.cascade, r->red, cascade_width(r), r->cascade_rows, memory);
  s.accs = s.stack = memory + r->cascade_rows * cp_cascade_row(r->red, cascade_width(r));
  while (cp_next_task(tasks, &task)) {
    if (r->columns)
      columns_task(&s, task % r->groups, task / r->groups);
    else
      rows_task(&s, task % r->groups, task / r->groups);
  }
}

// Planning -------------------------------------------------------------------------------------------------

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

// True when most operands have smaller strides along the kept dimensions than along the reduced ones.
static bool prefers_columns(const cp_plan *p) {
  int kept = p->ndim - p->nred - 1, votes = 0;
  if (p->outer < MIN_COLUMNS) return false;
  if (p->inner <= TINY_ROW) return true;
  for (int l = 0; l < p->nleaves; l++) {
    const cp_operand *leaf = &p->leaves[l];
    if (leaf->access == CP_ACCESS_INDEX || leaf->access == CP_ACCESS_ONE) continue;
    int64_t along = magnitude(leaf->strides[kept]), across = magnitude(leaf->strides[p->ndim - 1]);
    if (along != across) votes += along < across ? 1 : -1;
  }
  return votes > 0;
}

static void plan_rows(reduction *r) {
  const cp_plan *p = r->p;
  r->length = CP_CHUNK;
  r->chunks = cp_divide_up(p->inner, CP_CHUNK);
  r->width = r->chunks > 1 ? 1 : CP_CHUNK / p->inner;
  if (r->width > CP_BLOCK) r->width = CP_BLOCK;
  if (r->width < 1) r->width = 1;
  r->groups = cp_divide_up(p->outer, r->width);
  r->cascade_rows = cp_cascade_rows(CP_CHUNK);
}

static void plan_columns(reduction *r) {
  const cp_plan *p = r->p;
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

// Chooses how the values of several rows are folded at once.
static void set_fold(reduction *r) {
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

static cp_status prepare(reduction *r) {
  const cp_plan *p = r->p;
  int order[CP_MAXDIM + 1], keep[2] = {p->value, p->position};
  int kept = p->ndim - p->nred;
  r->columns = prefers_columns(p);
  for (int d = 0; d < p->ndim; d++) order[d] = !r->columns ? d : d < p->nred ? kept + d : d - p->nred;
  cp_program_space(&r->program, p, order);
  r->affine = p->nred == 1;
  if (p->position >= 0) {
    r->start = p->leaves[p->position].start;
    r->step = p->leaves[p->position].strides[p->ndim - 1];
  }
  size_t block = p->size < CP_CHUNK ? (size_t)p->size : CP_CHUNK;
  int count = p->position < 0 || r->affine ? 1 : 2;
  CP_TRY(cp_program_build(&r->program, block, count, keep));
  set_fold(r);
  if (r->columns)
    plan_columns(r);
  else
    plan_rows(r);
  return CP_OK;
}

// Combines the chunks' accumulators as a tree, in place, and stores the results.
static cp_status finish_chunks(cp_context *ctx, reduction *r) {
  size_t row = (size_t)r->p->outer * r->item;
  for (int64_t step = 1; step < r->chunks; step *= 2) {
    for (int64_t c = 0; c + step < r->chunks; c += 2 * step) {
      CP_TRY(cp_poll(ctx));
      r->red->combine(r->workspace + (size_t)c * row, r->workspace + (size_t)(c + step) * row,
                      (size_t)r->p->outer);
    }
  }
  finish(r, r->workspace, 0, r->p->outer);
  return CP_OK;
}

static void finish_empty(const reduction *r) {
  _Alignas(64) char accs[POST * CP_MAX_ACCUMULATOR];
  r->red->identity(accs, POST);
  for (int64_t k = 0; k < r->p->outer; k += POST) {
    finish(r, accs, k, r->p->outer - k < POST ? r->p->outer - k : POST);
  }
}

static cp_status reduce(cp_context *ctx, reduction *r) {
  const cp_plan *p = r->p;
  CP_TRY(prepare(r));
  size_t workspace = r->chunks > 1 ? (size_t)(r->chunks * p->outer) * r->item : 0;
  if (workspace) r->workspace = malloc(workspace);
  if ((workspace && !r->workspace) || !cp_arena(task_memory(r))) {
    free(r->workspace);
    return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes to reduce in", workspace + task_memory(r));
  }
  cp_status status = cp_parallel(ctx, work, r, r->groups * r->chunks, p->size > ALONE);
  if (status == CP_OK && r->chunks > 1) status = finish_chunks(ctx, r);
  free(r->workspace);
  return status;
}

cp_status cp_cpu_reduce(cp_context *ctx, const cp_plan *p) {
  const cp_red_loops *red = &cp_cpu_loops(p->acc)->reds[p->red];
  if (red->accumulator_size == 0)
    return cp_fail(CP_EDTYPE, "%s has no loop for %s", cp_reds[p->red].name, cp_dtypes[p->acc].name);
  if (p->outer == 0) return CP_OK;
  reduction *r = malloc(sizeof *r); // malloc, as most of it is the program, which need not be cleared
  if (r == NULL) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for a program", sizeof *r);
  r->p = p;
  r->red = red;
  r->workspace = NULL;
  r->item = red->accumulator_size;
  r->element = cp_dtypes[p->acc].register_size;
  cp_status status = CP_OK;
  if (p->inner == 0)
    finish_empty(r);
  else
    status = reduce(ctx, r);
  free(r);
  return status;
}
