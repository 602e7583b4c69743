// A fast path for plans over few elements, equal to the program of the plan (cp_program_build): each
// instruction runs once, over all elements. Building a program costs a fifth of a microsecond, more than the
// work of such a plan.
#include "cpu/loops/copies.h"
#include "cpu/loops/loops.h"
#include "cpu/run/program.h"
#include "cpu/run/run.h"
#include "device/fast.h"
#include "host/threads.h"
#include "plan/flat.h"

#include <string.h>

enum {
  MOST_INSTRUCTIONS = 48,
  GATHERED = 256, // elements of leaves with gaps; a program reads more of them row by row, where they lie
  ROOM = 16 * CP_CPU_FEW // elements of all blocks: of registers but leaves whose memory serves as it is
};

typedef struct small {
  const cp_plan *p;
  size_t n;
  char *memory; // of the next block
  cp_loop *loops[MOST_INSTRUCTIONS];
  const void *registers[CP_MAX_LEAVES + CP_MAX_SCALARS + MOST_INSTRUCTIONS];
} small;

static bool is_aligned(const cp_operand *o) {
  const size_t aligned = cp_dtypes[cp_dtypes[o->dtype].real].itemsize;
  return ((uintptr_t)o->base & (aligned - 1)) == 0;
}

bool cp_in_place(const cp_operand *o) {
  if (cp_is_half(o->dtype)) return false;
  return o->access == CP_ACCESS_VECTOR || (o->access == CP_ACCESS_CONTIGUOUS && is_aligned(o));
}

// ---- which plans ----

static bool is_single(const cp_operand *leaf) {
  return leaf->access == CP_ACCESS_ONE && !cp_is_half(leaf->dtype) && leaf->moved == 0;
}

// Whether the elements are read where they lie.
static bool reads_in_place(const cp_plan *p, const cp_operand *leaf) {
  return cp_in_place(leaf) &&
         (p->ndim == 1 || cp_is_contiguous(p->ndim, p->shape, leaf->strides, cp_itemsize(leaf->dtype), 'C'));
}

// Whether an output gets the results of an instruction, or a plan copies a leaf and does no more.
static bool takes_result(const cp_plan *p, const cp_operand *out) {
  const int first = p->nleaves + p->nscalars;
  if (out->reg >= first) return out->dtype == p->instrs[out->reg - first].dtype;
  return p->ninstrs == 0 && p->noutputs == 1 && out->reg < p->nleaves &&
         out->dtype == p->leaves[out->reg].dtype;
}

// A plan of one element has only single ones.
static bool takes_outputs(const cp_plan *p) {
  for (int o = 0; o < p->noutputs; o++) {
    const cp_operand *out = &p->outputs[o];
    if (!reads_in_place(p, out) && !(is_single(out) && is_aligned(out))) return false;
    if (!takes_result(p, out)) return false;
  }
  return true;
}

// A half type rounds its results, which a program does.
static bool find_loops(small *s) {
  for (int k = 0; k < s->p->ninstrs; k++) {
    const cp_instr *in = &s->p->instrs[k];
    if (cp_is_half(in->dtype) || !(s->loops[k] = cp_program_loop(s->p, in))) return false;
  }
  return true;
}

// Takes memory for the blocks. False: the plan is of another kind, or there is no memory.
static bool prepare(small *s, const cp_context *ctx, const cp_plan *p) {
  int blocks = p->nscalars + p->ninstrs;
  if (p->size > CP_CPU_FEW || p->ninstrs > MOST_INSTRUCTIONS) return false;
  for (int l = 0; l < p->nleaves; l++) {
    const cp_operand *leaf = &p->leaves[l];
    const bool in_place = reads_in_place(p, leaf), made = is_single(leaf) || leaf->access == CP_ACCESS_INDEX;
    if (leaf->moved != 0 || cp_is_half(leaf->dtype)) return false;
    if (!in_place && !made && p->size > GATHERED) return false;
    blocks += leaf->dtype == CP_BOOL || !in_place; // see read_leaf
  }
  s->p = p;
  s->n = (size_t)p->size;
  if (blocks * p->size > ROOM || !cp_may_go_fast(ctx, CP_FAST_SMALL) || !find_loops(s)) return false;
  s->memory = cp_arena((size_t)blocks * (s->n * 16 + 64) + CP_MOVE_SLACK);
  return s->memory != NULL;
}

// ---- running them ----

// Takes memory for the next register's block, behind the blocks taken before.
static char *next_block(char **memory, cp_dtype t, size_t n) {
  char *block = *memory;
  *memory += (cp_dtypes[t].register_size * n + 63) / 64 * 64;
  return block;
}

// Writes n copies of an element in register format to the next block.
static const char *spread(char **memory, cp_dtype t, const char *element, size_t n) {
  char *block = next_block(memory, t, n);
  cp_cpu_copy_loops()->fill[cp_move_size(cp_dtypes[t].register_size)](block, element, n);
  return block;
}

static const char *spread_number(char **memory, const cp_scalar *number, size_t n) {
  _Alignas(16) char element[16];
  cp_scalar_register(*number, element);
  return spread(memory, number->dtype, element, n);
}

// Copied first, as it need not be aligned.
static const char *spread_single(char **memory, const cp_operand *leaf, size_t n) {
  _Alignas(16) char element[16];
  memcpy(element, leaf->base, cp_itemsize(leaf->dtype));
  if (leaf->dtype == CP_BOOL) element[0] = element[0] != 0;
  return spread(memory, leaf->dtype, element, n);
}

// The elements of a leaf, as many as the plan has. In memory any byte but 0 is true; loops want 0 or 1.
static const void *read_leaf(small *s, const cp_operand *leaf) {
  if (leaf->access == CP_ACCESS_ONE) return spread_single(&s->memory, leaf, s->n);
  const bool in_place = reads_in_place(s->p, leaf);
  if (in_place && leaf->dtype != CP_BOOL) return leaf->base;
  const cp_strided view = {leaf->base, s->p->ndim, s->p->shape, leaf->strides};
  char *block = next_block(&s->memory, leaf->dtype, s->n);
  if (leaf->access == CP_ACCESS_INDEX)
    cp_count((int64_t *)(void *)block, leaf->start, &view, 0, s->n);
  else if (!in_place)
    cp_gather(block, &view, 0, s->n, cp_itemsize(leaf->dtype));
  const void *args[] = {in_place ? leaf->base : block};
  if (leaf->dtype == CP_BOOL) cp_cpu_loops(CP_BOOL)->casts[CP_BOOL](block, args, s->n);
  return block;
}

static bool reads(const cp_instr *in, int reg) {
  for (int j = 0; j < in->nargs; j++) {
    if (in->args[j] == reg) return true;
  }
  return false;
}

// Whether an instruction after number k reads this memory.
static bool read_later(const cp_plan *p, int k, const char *base) {
  for (int l = 0; l < p->nleaves; l++) {
    if (p->leaves[l].base != base) continue;
    for (int later = k + 1; later < p->ninstrs; later++)
      if (reads(&p->instrs[later], l)) return true;
  }
  return false;
}

// Finds which instructions store their result in an output (the others: NULL). The results of a reduction's
// instructions are stored nowhere.
static void find_stores(const cp_plan *p, char **stores) {
  for (int k = 0; k < p->ninstrs; k++) stores[k] = NULL;
  for (int o = p->nred == 0 && p->ninstrs > 0 ? p->noutputs - 1 : -1; o >= 0; o--) {
    const int k = p->outputs[o].reg - p->nleaves - p->nscalars;
    if (k + 1 == p->ninstrs || !read_later(p, k, p->outputs[o].base)) stores[k] = p->outputs[o].base;
  }
}

static void run(small *s) {
  const cp_plan *p = s->p;
  char *stores[MOST_INSTRUCTIONS];
  int reg = 0;
  find_stores(p, stores);
  for (int l = 0; l < p->nleaves; l++) s->registers[reg++] = read_leaf(s, &p->leaves[l]);
  for (int k = 0; k < p->nscalars; k++) s->registers[reg++] = spread_number(&s->memory, &p->scalars[k], s->n);
  for (int k = 0; k < p->ninstrs; k++) {
    const cp_instr *in = &p->instrs[k];
    const void *args[CP_MAX_ARGS];
    char *d = stores[k];
    if (d == NULL) d = next_block(&s->memory, in->dtype, s->n);
    for (int j = 0; j < in->nargs; j++) args[j] = s->registers[in->args[j]];
    s->loops[k](d, args, s->n);
    s->registers[reg++] = d;
  }
}

// Stores what no instruction has stored.
static void store(const small *s) {
  for (int o = 0; o < s->p->noutputs; o++) {
    const cp_operand *out = &s->p->outputs[o];
    const void *result = s->registers[out->reg];
    if (result != out->base) memcpy(out->base, result, s->n * cp_itemsize(out->dtype));
  }
}

bool cp_cpu_small(const cp_context *ctx, const cp_plan *p) {
  small s;
  if (p->size > CP_CPU_FEW || !takes_outputs(p) || !prepare(&s, ctx, p)) return false;
  run(&s);
  store(&s);
  return true;
}

const void *cp_cpu_small_values(const cp_context *ctx, const cp_plan *p) {
  small s;
  if (!prepare(&s, ctx, p)) return NULL;
  run(&s);
  return s.registers[p->value];
}

// ---- one operation without a plan -------------------------------------------------------------------------
// A fast path, equal to cp_cpu_elementwise with the operation's plan (cp_flat_plan).

static size_t alignment_of(cp_dtype t) { return cp_dtypes[cp_dtypes[t].real].itemsize; }

static cp_loop *flat_loop(const cp_flat *f) {
  const cp_loops *loops = cp_cpu_loops(f->loop);
  if (cp_is_half(f->loop) || cp_is_half(f->dtype) || f->loop == CP_BOOL) return NULL;
  if (!cp_ops[f->op].uniform) return NULL;
  return f->op == CP_OP_cast ? loops->casts[f->dtype] : loops->ops[f->op];
}

// Fills a block of `chunk` elements in the thread's memory for each number. False: out of memory, or an array
// is not aligned to its elements.
static bool flat_arguments(const cp_flat *f, size_t chunk, const void **args) {
  char *memory = NULL;
  uintptr_t bits = 0;
  if (f->numbers != 0 && !(memory = cp_arena((size_t)f->nargs * (chunk * 16 + 64)))) return false;
  for (int k = 0; k < f->nargs; k++) {
    if (f->numbers >> k & 1) {
      args[k] = spread_number(&memory, f->args[k].number, chunk);
    } else {
      args[k] = f->args[k].base;
      bits |= (uintptr_t)args[k];
    }
  }
  return (bits & (alignment_of(f->loop) - 1)) == 0 && ((uintptr_t)f->out & (alignment_of(f->dtype) - 1)) == 0;
}

// Runs chunk by chunk, as the blocks of numbers have `chunk` elements.
static cp_status run_chunks(cp_context *ctx, const cp_flat *f, cp_loop *loop, size_t chunk,
                            const void **args) {
  size_t n = (size_t)f->size, read = cp_itemsize(f->loop), written = cp_itemsize(f->dtype);
  for (size_t at = 0; at < n; at += chunk) {
    CP_TRY(cp_poll(ctx));
    loop(f->out + at * written, args, n - at < chunk ? n - at : chunk);
    for (int k = 0; k < f->nargs; k++)
      if (!(f->numbers >> k & 1)) args[k] = (const char *)args[k] + chunk * read;
  }
  return CP_OK;
}

cp_status cp_cpu_run_flat(cp_context *ctx, cp_stream *s, const cp_flat *f, bool *done) {
  const void *args[CP_MAX_ARGS];
  cp_loop *loop = flat_loop(f);
  size_t n = (size_t)f->size, chunk = (f->numbers != 0 || cp_may_end(ctx)) && n > CP_CPU_FEW ? CP_CPU_FEW : n;
  (void)s;
  if (!loop || !flat_arguments(f, chunk, args)) return CP_OK;
  ctx->counters.launches++;
  *done = true;
  if (chunk < n) return run_chunks(ctx, f, loop, chunk, args);
  loop(f->out, args, n);
  return CP_OK;
}
