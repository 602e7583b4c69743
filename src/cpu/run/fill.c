// Runs plans that store one scalar in contiguous memory, or in one element. A fast path, equal to the program
// of the plan (cp_cpu_elementwise).
#include "cpu/loops/copies.h"
#include "cpu/run/run.h"
#include "device/fast.h"
#include "host/threads.h"

#include <string.h>

enum {
  ALONE = 1 << 18,     // up to this many bytes one thread is faster than waking others
  TASK = 1 << 20,      // bytes per task: `rep stos` is faster for longer stores
  BY_VECTORS = 1 << 12 // up to this many bytes vector stores beat the start-up cost of `rep stos`
};

typedef struct filling {
  char *to;
  size_t bytes;
  uint64_t pattern; // elements of up to 8 bytes, repeated
} filling;

// `rep stos` writes whole cache lines without reading them first, and beats vector and non-temporal stores.
static void flood(char *d, uint64_t pattern, size_t bytes) {
  size_t words = bytes / 8;
#if defined(__x86_64__) && defined(__GNUC__)
  if (bytes >= BY_VECTORS) {
    __asm__ volatile("rep stosq" : "+D"(d), "+c"(words) : "a"(pattern) : "memory");
    memcpy(d, &pattern, bytes % 8);
    return;
  }
#endif
  cp_cpu_copy_loops()->fill[cp_move_size(8)](d, (const char *)&pattern, words);
  memcpy(d + 8 * words, &pattern, bytes % 8);
}

static void work(void *data, cp_tasks *tasks) {
  const filling *f = data;
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    size_t begin = (size_t)task * TASK, left = f->bytes - begin;
    flood(f->to + begin, f->pattern, left < TASK ? left : TASK);
  }
}

// Repeats the scalar's bytes to a pattern of 8 bytes. False: the scalar is larger than that.
static bool pattern_of(const cp_scalar *s, uint64_t *pattern) {
  _Alignas(16) char element[16];
  size_t size = cp_itemsize(s->dtype);
  cp_scalar_store(*s, element);
  for (size_t k = size; k < 16; k *= 2) memcpy(element + k, element, k);
  memcpy(pattern, element, 8);
  return memcmp(element, element + 8, 8) == 0;
}

bool cp_cpu_fill(cp_context *ctx, const cp_plan *p, cp_status *status) {
  const cp_operand *out = &p->outputs[0];
  filling f;
  if (!cp_may_go_fast(ctx, CP_FAST_FILL)) return false;
  if (p->ninstrs > 0 || p->nleaves > 0 || p->nscalars != 1 || p->noutputs != 1 || p->ndim != 1) return false;
  if (out->access != CP_ACCESS_VECTOR && out->access != CP_ACCESS_CONTIGUOUS && p->size != 1) return false;
  if (p->scalars[0].dtype != out->dtype || !pattern_of(&p->scalars[0], &f.pattern)) return false;
  f.to = out->base;
  f.bytes = (size_t)p->size * cp_itemsize(out->dtype);
  *status = cp_parallel(ctx, work, &f, (int64_t)((f.bytes + TASK - 1) / TASK), f.bytes > ALONE);
  return true;
}
