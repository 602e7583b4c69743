// Runs reduction plans by rows, and begins and ends all reductions (reduction.h).
#include "cpu/run/reduction.h"

#include "cpu/run/run.h"
#include "device/fast.h"

#include <stdlib.h>
#include <string.h>

enum {
  ALONE = 65536, // up to this many elements one thread is faster than waking others
  POST = 256     // outputs converted and stored at once
};

// Output ---------------------------------------------------------------------------------------------------

static cp_dtype post_dtype(const cp_plan *p) {
  cp_red_class cls = cp_reds[p->red].cls;
  if (cls == CP_RED_INDEX) return CP_INT64;
  return cls == CP_RED_VARIANCE ? cp_dtypes[cp_loop_dtype(p->acc)].real : cp_loop_dtype(p->acc);
}

void cp_reduction_finish(const cp_reduction *r, const char *accs, int64_t first, int64_t count) {
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

const cp_positions *cp_reducer_positions(const cp_reducer *s, int64_t index, bool along, cp_positions *p) {
  const cp_reduction *r = s->r;
  if (r->p->position < 0) return NULL;
  p->list = r->affine ? NULL : s->w.registers[r->p->position];
  p->start = r->start + index * r->step;
  p->step = along ? r->step : 0;
  p->row = along ? 0 : r->step;
  return p;
}

// Reduces one long row, or the chunk [begin, end) of it: its values are gathered from all blocks first, so
// that the order in which they are combined does not depend on what they are computed from.
static void reduce_gathered(cp_reducer *s, int64_t begin, int64_t end, char *acc) {
  const cp_reduction *r = s->r;
  size_t all = (size_t)(end - begin), n;
  const char *values = s->stack;
  for (size_t done = 0; done < all && cp_go_on(s->tasks); done += n, begin += (int64_t)n) {
    n = cp_program_range(&r->program, begin, end);
    cp_worker_run(&s->w, begin, n);
    if (n == all)
      values = s->w.registers[r->p->value];
    else
      memcpy(s->stack + done * r->element, s->w.registers[r->p->value], n * r->element);
  }
  if (cp_go_on(s->tasks)) r->red->reduce(acc, values, NULL, all);
}

// The same for reductions that give positions, which are exact, so each block is reduced on its own.
static void reduce_long(cp_reducer *s, int64_t begin, int64_t end, char *acc) {
  const cp_reduction *r = s->r;
  cp_positions p;
  int64_t index = begin % r->p->inner;
  while (begin < end && cp_go_on(s->tasks)) {
    size_t n = cp_program_range(&r->program, begin, end);
    cp_worker_run(&s->w, begin, n);
    r->red->reduce(s->cascade.fresh, s->w.registers[r->p->value], cp_reducer_positions(s, index, true, &p),
                   n);
    cp_cascade_push(&s->cascade);
    begin += (int64_t)n;
    index += (int64_t)n;
  }
  if (!cp_go_on(s->tasks)) return;
  memcpy(acc, cp_cascade_take(&s->cascade), r->item);
}

// The same for a sum of products, which are not stored.
static void reduce_products(const cp_reducer *s, int64_t begin, int64_t end, char *acc) {
  const cp_reduction *r = s->r;
  const char *factors[2];
  if (!cp_go_on(s->tasks)) return;
  for (int k = 0; k < 2; k++) factors[k] = r->program.bases[r->factors[k]] + begin * (int64_t)r->element;
  cp_cpu_loops(r->p->acc)->sum_products(acc, factors[0], factors[1], (size_t)(end - begin));
}

static void reduce_row(cp_reducer *s, int64_t begin, int64_t end, char *acc) {
  if (s->r->factors[0] >= 0)
    reduce_products(s, begin, end, acc);
  else if (s->r->p->position < 0)
    reduce_gathered(s, begin, end, acc);
  else
    reduce_long(s, begin, end, acc);
}

// Reduces rows shorter than CP_LONG_ROW, several at once, for the outputs [first, first + count).
static void reduce_short(cp_reducer *s, int64_t first, int64_t count, char *accs) {
  const cp_reduction *r = s->r;
  int64_t inner = r->p->inner;
  while (count > 0 && cp_go_on(s->tasks)) {
    int64_t rows = (int64_t)cp_program_range(&r->program, first * inner, (first + count) * inner) / inner;
    cp_worker_run(&s->w, first * inner, (size_t)(rows * inner));
    const char *values = s->w.registers[r->p->value];
    cp_positions p = {0, 0, 0, 0};
    const cp_positions *at = cp_reducer_positions(s, 0, true, &p);
    for (int64_t k = 0; k < rows; k++, accs += r->item, values += (size_t)inner * r->element) {
      r->red->reduce(accs, values, at, (size_t)inner);
      if (p.list) p.list += inner;
    }
    first += rows;
    count -= rows;
  }
}

static void reduce_rows(cp_reducer *s, int64_t group, int64_t chunk) {
  const cp_reduction *r = s->r;
  int64_t inner = r->p->inner, first = group * r->width, count = r->p->outer - first;
  if (count > r->width) count = r->width;
  if (r->chunks == 1 && inner < CP_LONG_ROW) {
    reduce_short(s, first, count, s->accs);
  } else if (r->chunks == 1) {
    for (int64_t k = 0; k < count; k++) {
      reduce_row(s, (first + k) * inner, (first + k + 1) * inner, s->accs + (size_t)k * r->item);
    }
  } else {
    int64_t begin = chunk * r->length, end = begin + r->length;
    char *acc = r->workspace + (size_t)(chunk * r->p->outer + first) * r->item;
    reduce_row(s, first * inner + begin, first * inner + (end < inner ? end : inner), acc);
    return;
  }
  if (cp_go_on(s->tasks)) cp_reduction_finish(r, s->accs, first, count);
}

static size_t cascade_width(const cp_reduction *r) { return r->columns ? (size_t)r->width : 1; }

static size_t accumulators_memory(const cp_reduction *r) {
  return ((size_t)r->width * r->item + 63) / 64 * 64;
}

// Bytes for the values of one row or chunk that consists of several blocks.
static size_t gathered_memory(const cp_reduction *r) {
  const cp_program *g = &r->program;
  int64_t all = r->p->inner < r->length ? r->p->inner : r->length;
  bool whole = (int64_t)g->block >= all && (g->span == g->ndim || g->within >= r->p->inner);
  return whole || r->p->position >= 0 || all < CP_LONG_ROW ? 0 : (size_t)all * r->element;
}

size_t cp_reduction_memory(const cp_reduction *r) {
  return r->program.memory + r->cascade_rows * cp_cascade_row(r->red, cascade_width(r)) +
         (r->columns ? cp_columns_stack(r) : accumulators_memory(r) + gathered_memory(r));
}

void cp_reducer_start(cp_reducer *s, const cp_reduction *r, cp_tasks *tasks, char *memory) {
  s->r = r;
  s->tasks = tasks;
  cp_worker_start(&s->w, &r->program, memory);
  memory += r->program.memory;
  cp_cascade_start(&s->cascade, r->red, cascade_width(r), r->cascade_rows, memory);
  s->accs = s->stack = memory + r->cascade_rows * cp_cascade_row(r->red, cascade_width(r));
  if (!r->columns) s->stack += accumulators_memory(r);
}

void cp_reducer_run(cp_reducer *s, int64_t group, int64_t chunk) {
  if (s->r->columns)
    cp_reduce_columns(s, group, chunk);
  else
    reduce_rows(s, group, chunk);
}

static void work(void *data, cp_tasks *tasks) {
  const cp_reduction *r = data;
  cp_reducer s;
  int64_t task;
  char *memory = cp_arena(cp_reduction_memory(r));
  if (!memory) return; // the caller's thread has its own
  cp_reducer_start(&s, r, tasks, memory);
  while (cp_next_task(tasks, &task)) cp_reducer_run(&s, task % r->groups, task / r->groups);
}

// Planning -------------------------------------------------------------------------------------------------

int64_t cp_rows_at_once(const cp_plan *p) {
  int64_t rows = CP_CHUNK / p->inner;
  if (rows > CP_BLOCK) rows = CP_BLOCK;
  return rows < 1 ? 1 : rows;
}

static void plan_rows(cp_reduction *r) {
  const cp_plan *p = r->p;
  r->length = CP_CHUNK;
  r->chunks = cp_divide_up(p->inner, CP_CHUNK);
  r->width = cp_rows_at_once(p);
  r->groups = cp_divide_up(p->outer, r->width);
  r->cascade_rows = cp_cascade_rows(CP_CHUNK);
}

// Finds out whether the plan sums products, or squares, of elements that lie one after the other in all rows.
static void find_factors(cp_reduction *r) {
  const cp_plan *p = r->p;
  const cp_program *g = &r->program;
  const cp_instr *in = p->instrs;
  r->factors[0] = -1;
  if (r->columns || p->red != CP_RED_sum || p->ninstrs != 1 || g->ndim != 1 || p->value != g->first) return;
  if ((in->op != CP_OP_multiply && in->op != CP_OP_square) || in->loop != p->acc || in->dtype != p->acc)
    return;
  if (cp_cpu_loops(p->acc)->sum_products == NULL) return;
  for (int k = 0; k < in->nargs; k++) {
    const int leaf = in->args[k];
    if (leaf >= p->nleaves || p->leaves[leaf].dtype != p->acc || p->leaves[leaf].moved != 0 ||
        g->sources[leaf] != CP_SOURCE_PLACE)
      return;
  }
  r->factors[0] = in->args[0];
  r->factors[1] = in->args[in->nargs - 1];
}

// Builds the program of the values, and shares the work.
static cp_status prepare(cp_reduction *r) {
  const cp_plan *p = r->p;
  int order[CP_MAXDIM + 1], keep[2] = {p->value, p->position};
  int kept = p->ndim - p->nred;
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
  find_factors(r);
  if (r->columns)
    cp_plan_columns(r);
  else
    plan_rows(r);
  return CP_OK;
}

cp_status cp_reduction_begin(cp_reduction *r, const cp_plan *p, bool columns) {
  r->p = p;
  r->columns = columns;
  r->red = &cp_cpu_loops(p->acc)->reds[p->red];
  r->workspace = NULL;
  r->item = r->red->accumulator_size;
  r->element = cp_dtypes[p->acc].register_size;
  if (r->item == 0)
    return cp_fail(CP_EDTYPE, "%s has no loop for %s", cp_reds[p->red].name, cp_dtypes[p->acc].name);
  if (p->inner == 0) return CP_OK;
  CP_TRY(prepare(r));
  size_t bytes = r->chunks > 1 ? (size_t)(r->chunks * p->outer) * r->item : 0;
  if (bytes > 0) r->workspace = malloc(bytes);
  if (bytes > 0 && r->workspace == NULL)
    return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes to reduce in", bytes);
  return CP_OK;
}

void cp_reduction_end(cp_reduction *r) { free(r->workspace); }

cp_status cp_reduction_combine(cp_context *ctx, const cp_reduction *r, int64_t first, int64_t count) {
  size_t row = (size_t)r->p->outer * r->item;
  char *at = r->workspace + (size_t)first * r->item;
  for (int64_t step = 1; step < r->chunks; step *= 2) {
    for (int64_t c = 0; c + step < r->chunks; c += 2 * step) {
      CP_TRY(cp_poll(ctx));
      r->red->combine(at + (size_t)c * row, at + (size_t)(c + step) * row, (size_t)count);
    }
  }
  cp_reduction_finish(r, at, first, count);
  return CP_OK;
}

static void finish_empty(const cp_reduction *r) {
  _Alignas(64) char accs[POST * CP_MAX_ACCUMULATOR];
  r->red->identity(accs, POST);
  for (int64_t k = 0; k < r->p->outer; k += POST) {
    cp_reduction_finish(r, accs, k, r->p->outer - k < POST ? r->p->outer - k : POST);
  }
}

static cp_status reduce(cp_context *ctx, cp_reduction *r) {
  size_t memory = cp_reduction_memory(r);
  if (!cp_arena(memory)) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes to reduce in", memory);
  CP_TRY(cp_parallel(ctx, work, r, r->groups * r->chunks, r->p->size > ALONE));
  return r->chunks > 1 ? cp_reduction_combine(ctx, r, 0, r->p->outer) : CP_OK;
}

// The values of a plan that only reads the elements of an array: where they lie, if they have no gaps, else a
// copy in the thread's memory. NULL: the plan is another one, or there is no memory.
static const char *few_elements(const cp_context *ctx, const cp_plan *p) {
  const cp_operand *values = &p->leaves[0];
  const size_t itemsize = cp_itemsize(p->acc);
  if (p->nleaves != 1 + (p->position >= 0) || p->value != 0 || p->size > CP_CHUNK) return NULL;
  if (values->dtype != p->acc || p->acc == CP_BOOL || cp_is_half(p->acc) || values->moved != 0) return NULL;
  if (values->access == CP_ACCESS_INDEX || !cp_may_go_fast(ctx, CP_FAST_SMALL)) return NULL;
  if (cp_in_place(values) && cp_is_contiguous(p->ndim, p->shape, values->strides, itemsize, 'C'))
    return values->base;
  char *copy = cp_arena((size_t)p->size * itemsize + CP_MOVE_SLACK);
  const cp_strided from = {values->base, p->ndim, p->shape, values->strides};
  if (copy != NULL) cp_gather(copy, &from, 0, (size_t)p->size, itemsize);
  return copy;
}

// Reduces a few rows whose values are few enough to be computed at once. A fast path, equal to a reduction by
// rows. False: the plan is another one.
static bool reduce_small(const cp_context *ctx, const cp_plan *p) {
  _Alignas(64) char accs[POST * CP_MAX_ACCUMULATOR];
  cp_reduction r; // most of it is the program, which need not be cleared
  cp_positions positions = {0, 0, 0, 0}, *at = NULL;
  r.p = p;
  r.red = &cp_cpu_loops(p->acc)->reds[p->red];
  r.item = r.red->accumulator_size;
  if (p->outer > POST || p->inner == 0 || r.item == 0 || cp_prefers_columns(p)) return false;
  if (p->position >= 0) {
    if (p->nred != 1) return false;
    at = &positions;
    at->start = p->leaves[p->position].start;
    at->step = p->leaves[p->position].strides[p->ndim - 1];
  }
  const char *values = p->ninstrs == 0 ? few_elements(ctx, p) : cp_cpu_small_values(ctx, p);
  if (values == NULL) return false;
  const size_t row = (size_t)p->inner * cp_dtypes[p->acc].register_size;
  for (int64_t k = 0; k < p->outer; k++)
    r.red->reduce(accs + (size_t)k * r.item, values + (size_t)k * row, at, (size_t)p->inner);
  cp_reduction_finish(&r, accs, 0, p->outer);
  return true;
}

cp_status cp_cpu_reduce(cp_context *ctx, const cp_plan *p) {
  if (p->outer == 0 || reduce_small(ctx, p)) return CP_OK;
  cp_reduction *r = malloc(sizeof *r); // malloc, as most of it is the program, which need not be cleared
  if (r == NULL) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for a program", sizeof *r);
  cp_status status = cp_reduction_begin(r, p, cp_prefers_columns(p));
  if (status == CP_OK && p->inner == 0)
    finish_empty(r);
  else if (status == CP_OK)
    status = reduce(ctx, r);
  cp_reduction_end(r);
  free(r);
  return status;
}
