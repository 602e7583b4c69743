// Runs plans with phases by their stages (plan/stages.h): a task takes a few rows through all stages, while
// their elements stay in the cache. Rows that are longer than that are shared by tasks, one level of
// reductions after the other.
//
// A reduction's order is that of the same reduction alone (reduction.h).
#include "array/freed_structs.h"
#include "cpu/run/reduction.h"
#include "cpu/run/run.h"
#include "plan/stages.h"

enum { NEAR_ROW = 65536 }; // elements of a row that stays in the cache

// A stage as a program for threads.
typedef struct work_stage {
  const cp_stage *stage;
  union {
    cp_reduction reduction; // CP_STAGE_REDUCE
    cp_program program;
  } u;
  size_t memory; // where a thread's blocks for it begin
} work_stage;

typedef struct phases {
  cp_context *ctx;
  const cp_plan *p;
  int64_t width, groups; // rows of a task, and tasks
  int count;
  work_stage *list[CP_MAX_STAGES];
  size_t states, memory; // bytes of a thread's states, and of all its memory
} phases;

// A thread's part of a stage.
typedef struct thread_stage {
  bool started;
  union {
    cp_reducer reducer;
    cp_worker worker;
  } u;
} thread_stage;

bool cp_cpu_takes_phases(cp_plan *p) {
  cp_plan_access(p, p->along);
  if (p->nred != 1 || cp_prefers_columns(p)) return false;
  if (!cp_has_stages(p)) return false;
  return p->inner <= NEAR_ROW ? p->ninstrs > 1 : cp_first_reductions(p) > 1;
}

// ---- rows in the cache ------------------------------------------------------------------------------------

static void run_reduction(cp_reducer *s, int64_t group) {
  const cp_reduction *r = s->r;
  for (int64_t chunk = 0; chunk < r->chunks; chunk++) cp_reducer_run(s, group, chunk);
  if (r->chunks > 1 && cp_go_on(s->tasks)) (void)cp_reduction_combine(NULL, r, group, 1);
}

// Stages start when they first run, since values of the only row are read at the start.
static void run_stage(const phases *f, int k, thread_stage *own, cp_tasks *tasks, char *memory,
                      int64_t group) {
  const work_stage *w = f->list[k];
  bool reduces = w->stage->kind == CP_STAGE_REDUCE;
  if (!own->started && reduces)
    cp_reducer_start(&own->u.reducer, &w->u.reduction, tasks, memory + w->memory);
  else if (!own->started)
    cp_worker_start(&own->u.worker, &w->u.program, memory + w->memory);
  own->started = true;
  if (reduces) {
    run_reduction(&own->u.reducer, group);
    return;
  }
  int64_t first = group * f->width, last = first + f->width < f->p->outer ? first + f->width : f->p->outer;
  int64_t length = w->stage->kind == CP_STAGE_ROWS ? 1 : f->p->inner;
  cp_worker_range(&own->u.worker, tasks, first * length, last * length);
}

static void work(void *data, cp_tasks *tasks) {
  const phases *f = data;
  int64_t group;
  char *memory = cp_arena(f->memory);
  if (!memory) return; // the caller's thread has its own
  thread_stage *own = (thread_stage *)(void *)memory;
  for (int k = 0; k < f->count; k++) own[k].started = false;
  while (cp_next_task(tasks, &group))
    for (int k = 0; k < f->count && cp_go_on(tasks); k++) run_stage(f, k, &own[k], tasks, memory, group);
  for (int k = 0; k < f->count; k++)
    if (own[k].started && f->list[k]->stage->kind == CP_STAGE_ELEMENTS) cp_worker_end(&own[k].u.worker);
}

// Builds the program of a stage, and reserves a thread's memory for it.
static cp_status add_stage(phases *f, const cp_stage *stage) {
  work_stage *w = cp_struct_take(&f->ctx->programs, sizeof *w);
  const cp_plan *p = stage->plan;
  if (w == NULL) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for a program", sizeof *w);
  w->stage = stage;
  w->memory = f->memory;
  w->u.reduction.workspace = NULL;
  f->list[f->count++] = w;
  if (stage->kind == CP_STAGE_REDUCE) {
    CP_TRY(cp_reduction_begin(&w->u.reduction, p, false));
    f->memory += cp_reduction_memory(&w->u.reduction);
  } else {
    int keep[CP_MAX_OUTPUTS];
    int64_t most = f->width * (stage->kind == CP_STAGE_ROWS ? 1 : f->p->inner);
    for (int o = 0; o < p->noutputs; o++) keep[o] = p->outputs[o].reg;
    cp_program_space(&w->u.program, p, NULL);
    CP_TRY(cp_program_build(&w->u.program, (size_t)(most < CP_CHUNK ? most : CP_CHUNK), p->noutputs, keep));
    f->memory += w->u.program.memory;
  }
  f->memory = (f->memory + 63) / 64 * 64;
  return CP_OK;
}

static void free_stages(phases *f) {
  while (f->count > 0) {
    work_stage *w = f->list[--f->count];
    if (w->stage->kind == CP_STAGE_REDUCE) cp_reduction_end(&w->u.reduction);
    cp_struct_put(f->ctx, &f->ctx->programs, w);
  }
}

// A task's rows are those of a task of a reduction.
static cp_status run_near(cp_context *ctx, phases *f, const cp_stages *stages) {
  cp_status status = CP_OK;
  f->width = cp_rows_at_once(f->p);
  f->groups = cp_divide_up(f->p->outer, f->width);
  f->memory = ((size_t)stages->count * sizeof(thread_stage) + 63) / 64 * 64;
  for (int k = 0; k < stages->count && status == CP_OK; k++) status = add_stage(f, &stages->list[k]);
  if (status == CP_OK && !cp_arena(f->memory))
    status = cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for blocks", f->memory);
  if (status == CP_OK) status = cp_parallel(ctx, work, f, f->groups, f->p->size > CP_CPU_ALONE);
  free_stages(f);
  return status;
}

// ---- long rows --------------------------------------------------------------------------------------------

// Several reductions of the same elements: a task takes a chunk of a row through all of them.
static void work_beside(void *data, cp_tasks *tasks) {
  const phases *f = data;
  int64_t task;
  char *memory = cp_arena(f->memory);
  if (!memory) return; // the caller's thread has its own
  thread_stage *own = (thread_stage *)(void *)memory;
  const cp_reduction *first = &f->list[0]->u.reduction;
  for (int k = 0; k < f->count; k++)
    cp_reducer_start(&own[k].u.reducer, &f->list[k]->u.reduction, tasks, memory + f->list[k]->memory);
  while (cp_next_task(tasks, &task))
    for (int k = 0; k < f->count; k++)
      cp_reducer_run(&own[k].u.reducer, task % first->groups, task / first->groups);
}

static cp_status run_beside(cp_context *ctx, phases *f, int count, const cp_stage *stages) {
  cp_status status = CP_OK;
  f->width = 1;
  f->memory = ((size_t)count * sizeof(thread_stage) + 63) / 64 * 64;
  for (int k = 0; k < count && status == CP_OK; k++) status = add_stage(f, &stages[k]);
  if (status == CP_OK && !cp_arena(f->memory))
    status = cp_fail(CP_EMEMORY, "out of host memory: %zu bytes to reduce in", f->memory);
  if (status == CP_OK) {
    const cp_reduction *r = &f->list[0]->u.reduction;
    status = cp_parallel(ctx, work_beside, f, r->groups * r->chunks, true);
  }
  for (int k = 0; k < f->count && status == CP_OK; k++)
    status = cp_reduction_combine(ctx, &f->list[k]->u.reduction, 0, f->p->outer);
  free_stages(f);
  return status;
}

static cp_status run_far(cp_context *ctx, phases *f, const cp_stages *stages) {
  for (int k = 0, count; k < stages->count; k += count) {
    const cp_stage *from = &stages->list[k];
    count = 0;
    while (k + count < stages->count && from[count].kind == CP_STAGE_REDUCE &&
           from[count].level == from[0].level)
      count++;
    if (count > 0) {
      CP_TRY(run_beside(ctx, f, count, from));
    } else {
      CP_TRY(cp_cpu_elementwise(ctx, from[0].plan));
      count = 1;
    }
  }
  return CP_OK;
}

cp_status cp_cpu_phases(cp_context *ctx, const cp_plan *p) {
  phases f = {.ctx = ctx, .p = p};
  cp_stages stages;
  bool near = p->inner <= NEAR_ROW;
  if (p->outer == 0) return CP_OK;
  cp_status status = cp_stages_make(ctx, p, near, &stages);
  if (status == CP_OK) status = near ? run_near(ctx, &f, &stages) : run_far(ctx, &f, &stages);
  cp_stages_free(ctx, &stages);
  return status;
}
