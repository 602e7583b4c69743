// A fast path for elementwise plans over few contiguous elements, equal to the program of the plan
// (cp_cpu_elementwise): each instruction runs once, over all elements. Building a program costs a fifth of a
// microsecond, more than the work of such a plan.
#include "cpu/loops/copies.h"
#include "cpu/loops/loops.h"
#include "cpu/run/program.h"
#include "cpu/run/run.h"
#include "device/fast.h"
#include "host/threads.h"
#include "plan/flat.h"

#include <string.h>

enum { MOST_REGISTERS = 16 }; // registers that are not leaves

bool cp_in_place(const cp_operand *o) {
  if (cp_is_half(o->dtype)) return false;
  if (o->access == CP_ACCESS_VECTOR) return true;
  size_t aligned = cp_dtypes[cp_dtypes[o->dtype].real].itemsize;
  return o->access == CP_ACCESS_CONTIGUOUS && ((uintptr_t)o->base & (aligned - 1)) == 0;
}

// True for plans of this kind. The only output is written by the last instruction, so nothing reads memory
// after it was written.
static bool is_small(const cp_plan *p) {
  int first = p->nleaves + p->nscalars;
  if (p->ndim != 1 || p->size > CP_CPU_FEW || p->noutputs != 1 || p->ninstrs == 0) return false;
  if (p->nscalars + p->ninstrs > MOST_REGISTERS) return false;
  const cp_operand *out = &p->outputs[0];
  if (out->reg != first + p->ninstrs - 1 || !cp_in_place(out)) return false;
  if (out->dtype != p->instrs[p->ninstrs - 1].dtype) return false;
  for (int l = 0; l < p->nleaves; l++) {
    if (!cp_in_place(&p->leaves[l]) || p->leaves[l].dtype == CP_BOOL) return false;
  }
  return true;
}

static cp_loop *loop_of(const cp_plan *p, const cp_instr *in) {
  return cp_is_half(in->dtype) ? NULL : cp_program_loop(p, in); // a half type rounds its results
}

// Writes n copies of the scalar in register format.
static void fill(const cp_scalar *s, char *d, size_t n) {
  _Alignas(16) char element[16];
  cp_scalar_register(*s, element);
  cp_cpu_copy_loops()->fill[cp_move_size(cp_dtypes[s->dtype].register_size)](d, element, n);
}

// Takes memory for the next register's block, behind the blocks taken before.
static char *next_block(char **memory, cp_dtype t, size_t n) {
  char *block = *memory;
  *memory += (cp_dtypes[t].register_size * n + 63) / 64 * 64;
  return block;
}

static bool find_loops(const cp_plan *p, cp_loop **loops) {
  for (int k = 0; k < p->ninstrs; k++) {
    if (!(loops[k] = loop_of(p, &p->instrs[k]))) return false;
  }
  return true;
}

static void run(const cp_plan *p, cp_loop *const *loops, char *memory) {
  const void *registers[CP_MAX_LEAVES + MOST_REGISTERS];
  int reg = 0, last = p->ninstrs - 1;
  size_t n = (size_t)p->size;
  for (int l = 0; l < p->nleaves; l++) registers[reg++] = p->leaves[l].base;
  for (int s = 0; s < p->nscalars; s++) {
    char *d = next_block(&memory, p->scalars[s].dtype, n);
    fill(&p->scalars[s], d, n);
    registers[reg++] = d;
  }
  for (int k = 0; k <= last; k++) {
    const cp_instr *in = &p->instrs[k];
    const void *args[CP_MAX_ARGS];
    char *d = k == last ? p->outputs[0].base : next_block(&memory, in->dtype, n);
    for (int j = 0; j < in->nargs; j++) args[j] = registers[in->args[j]];
    loops[k](d, args, n);
    registers[reg++] = d;
  }
}

bool cp_cpu_small(const cp_context *ctx, const cp_plan *p) {
  cp_loop *loops[MOST_REGISTERS];
  char *memory = NULL;
  if (!cp_may_go_fast(ctx, CP_FAST_SMALL) || !is_small(p) || !find_loops(p, loops)) return false;
  size_t blocks = (size_t)(p->nscalars + p->ninstrs - 1);
  if (blocks && !(memory = cp_arena(blocks * ((size_t)p->size * 16 + 64)))) return false;
  run(p, loops, memory);
  return true;
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
      char *block = next_block(&memory, f->loop, chunk);
      fill(f->args[k].number, block, chunk);
      args[k] = block;
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
