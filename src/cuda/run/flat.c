// Runs one operation on contiguous arrays without a plan. A fast path, equal to cp_cuda_run with the
// operation's plan (cp_flat_plan). A 64-bit word, which says all that the plan's key would, identifies the
// kernel. Each stream remembers the kernels found recently; only the stream's own thread looks there.
#include "cuda/driver/cuda.h"

#include "plan/flat.h"

enum { BLOCK = 256 };

static int log2_of(size_t power) { return __builtin_ctzll((unsigned long long)power); }

static bool is_aligned(const void *base, size_t bytes) { return ((uintptr_t)base & (bytes - 1)) == 0; }

// True if two operands are the same array, which has one register in a plan.
static bool any_twice(const cp_flat *f) {
  for (int k = 1; k < f->nargs; k++)
    for (int j = 0; j < k; j++)
      if (!(f->numbers >> k & 1) && !(f->numbers >> j & 1) && f->args[j].base == f->args[k].base) return true;
  return false;
}

// Never 0. The number of arguments follows from the operation.
static uint64_t word_of(const cp_flat *f, size_t group) {
  uint64_t word = 1;
  word = word << 10 | (uint64_t)f->op;
  word = word << 4 | (uint64_t)f->loop;
  word = word << 4 | (uint64_t)f->dtype;
  word = word << 3 | (uint64_t)log2_of(group);
  for (int k = 0; k < f->nargs; k++) {
    unsigned number = f->numbers >> k & 1;
    size_t bytes = group * cp_itemsize(cp_op_arg_dtype(f->op, f->loop, k));
    word = word << 2 | number << 1 | (!number && is_aligned(f->args[k].base, bytes));
  }
  return word;
}

// The kernel of the plan that f stands for.
static cp_status find_kernel(cp_context *ctx, cp_cuda_device *d, const cp_flat *f, cp_cuda_function **out) {
  cp_plan *p;
  cp_key key;
  CP_TRY(cp_plan_take(ctx, &p));
  cp_flat_plan(f, p);
  cp_cuda_arrange(d->sm_count, p, &key);
  cp_status status = cp_cuda_kernel(ctx, d, p, &key, out);
  cp_plan_give(ctx, p);
  return status;
}

cp_status cp_cuda_run_flat(cp_context *ctx, cp_stream *stream, const cp_flat *f, bool *done) {
  cp_cuda_device *d = (cp_cuda_device *)stream->device;
  cp_cuda_stream *s = (cp_cuda_stream *)stream;
  uint64_t slots[CP_FLAT_SLOTS];
  size_t group = cp_flat_group(f);
  if (f->size < 2 || any_twice(f) || !is_aligned(f->out, group * cp_itemsize(f->dtype))) return CP_OK;
  uint64_t word = word_of(f, group);
  cp_cuda_recent *recent = &s->recent[(word ^ word >> 12) % CP_CUDA_RECENT];
  if (recent->word != word) {
    cp_cuda_function *function;
    CP_TRY(find_kernel(ctx, d, f, &function));
    *recent = (cp_cuda_recent){word, function};
  } else {
    ctx->counters.cache_hits++;
  }
  uint64_t steps = ((uint64_t)f->size + group - 1) >> log2_of(group);
  cp_flat_params(f, steps, slots);
  cp_cuda_alternate(s, slots);
  *done = true;
  return cp_cuda_launch(ctx, s, recent->function, (int64_t)((steps + BLOCK - 1) / BLOCK), BLOCK, 0, slots);
}
