// Elementwise plans: positions in tasks of CP_CHUNK, shared by the threads when there is enough to do.
#include "cpu/program.h"
#include "cpu/run.h"
#include "cpu/threads.h"

enum { ALONE = 65536 }; // up to so many positions one thread is faster than waking others

typedef struct elementwise {
  const cp_program *program;
  int64_t size;
} elementwise;

static void run_range(cp_worker *w, int64_t begin, int64_t end) {
  while (begin < end) {
    size_t n = cp_program_range(w->program, begin, end);
    cp_worker_run(w, begin, n);
    begin += (int64_t)n;
  }
}

static void work(void *data, cp_tasks *tasks) {
  const elementwise *e = data;
  cp_worker w;
  int64_t task;
  char *memory = cp_arena(cp_program_memory(e->program));
  if (!memory) return; // the caller's thread has its own
  cp_worker_start(&w, e->program, memory);
  while (cp_next_task(tasks, &task)) {
    int64_t begin = task * CP_CHUNK, end = begin + CP_CHUNK;
    run_range(&w, begin, end < e->size ? end : e->size);
  }
}

cp_status cp_cpu_elementwise(const cp_plan *p) {
  cp_program g;
  int keep[CP_MAX_OUTPUTS];
  if (p->size == 0) return CP_OK;
  for (int o = 0; o < p->noutputs; o++) keep[o] = p->outputs[o].reg;
  size_t block = p->size < CP_BLOCK ? (size_t)p->size : CP_BLOCK;
  CP_TRY(cp_program_build(&g, p, NULL, block, p->noutputs, keep));
  size_t bytes = cp_program_memory(&g);
  if (!cp_arena(bytes)) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for blocks", bytes);
  elementwise e = {&g, p->size};
  cp_parallel(work, &e, (p->size + CP_CHUNK - 1) / CP_CHUNK, p->size > ALONE);
  return CP_OK;
}
