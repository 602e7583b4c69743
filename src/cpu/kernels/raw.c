// Raw kernels on the CPU: C++ text from lua/cupola/kernels/raw.lua, compiled once and cached on disk. The
// threads of the pool share the blocks of a grid. A block's threads run one after the other or, where the
// text has barriers, as fibers (block.h). Blocks that wait for each other all run on one thread.
#include "device/raw.h"

#include "cache/cache.h"
#include "cpu/kernels/compiler.h"
#include "cpu/kernels/exported.h"
#include "cpu/kernels/object.h"
#include "cpu/run/commands.h"
#include "cpu/run/run.h"
#include "host/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHARED = 232448, ALONE = 4096, TASKS_PER_THREAD = 8 };

typedef struct raw_function {
  cp_raw_function base;
  const cp_exported_kernel *entry;
} raw_function;

typedef struct raw_module {
  cp_raw_module base;
  const cp_exported_table *table;
  raw_function functions[]; // one per entry
} raw_module;

// ---- modules ----------------------------------------------------------------------------------------------

// Each state gets its own copy of the module's variables, so its own shared object.
static cp_status build(cp_context *ctx, const cp_raw_source *s, void **table) {
  cp_strbuf lasting = {0};
  bool cached = false;
  cp_strbuf_printf(&lasting, "cpu raw kernel\n%s\n", cp_compiler_options);
  cp_strbuf_append(&lasting, s->key, s->key_size);
  const cp_object_source object = {.text = s->text,
                                   .size = s->size,
                                   .noptions = s->noptions,
                                   .options = s->options,
                                   .symbol = "cupola_module"};
  cp_status status = lasting.failed ? cp_no_memory("loading a raw kernel")
                                    : cp_obtain_object(ctx, &object, &lasting, table, &cached);
  if (status == CP_OK && cached) ctx->counters.cache_hits++;
  if (status == CP_OK && !cached) ctx->counters.compiles++;
  cp_strbuf_free(&lasting);
  return status;
}

static void describe_function(raw_function *f, const cp_exported_kernel *e) {
  f->entry = e;
  f->base = (cp_raw_function){
      .name = e->name,
      .nparams = e->count,
      .sizes = e->sizes,
      .attributes =
          {[CP_RAW_MAX_THREADS] = CP_MAX_BLOCK, [CP_RAW_MAX_DYNAMIC] = 48 << 10, [CP_RAW_CARVEOUT] = -1},
      .max_dynamic_shared = MAX_SHARED};
}

static cp_status load(cp_context *ctx, cp_device *d, const cp_raw_source *s, cp_raw_module **out) {
  void *table = NULL;
  CP_TRY(build(ctx, s, &table));
  const cp_exported_table *t = table;
  raw_module *m = calloc(1, sizeof *m + (size_t)t->nentries * sizeof *m->functions);
  if (m == NULL) return cp_no_memory("loading a raw kernel");
  m->base.device = d;
  m->table = t;
  for (int k = 0; k < t->nentries; k++) describe_function(&m->functions[k], &t->entries[k]);
  *out = &m->base;
  return CP_OK;
}

// The shared object stays loaded, as threads of the pool may still have to run destructors of its
// thread-local variables.
static void unload(cp_raw_module *m) { free(m); }

static cp_status get_function(cp_raw_module *base, const char *name, cp_raw_function **out) {
  raw_module *m = (raw_module *)base;
  *out = NULL;
  for (int k = 0; k < m->table->nentries && *out == NULL; k++)
    if (strcmp(m->table->entries[k].name, name) == 0) *out = &m->functions[k].base;
  return CP_OK;
}

static cp_status global(cp_raw_module *base, const char *name, void **address, size_t *bytes) {
  const cp_exported_table *t = ((raw_module *)base)->table;
  *address = NULL;
  for (int k = 0; k < t->nvariables; k++) {
    if (strcmp(t->variables[k].name, name) != 0) continue;
    *address = t->variables[k].address;
    *bytes = t->variables[k].size;
  }
  return CP_OK;
}

// ---- launching --------------------------------------------------------------------------------------------

typedef struct grid_run {
  const cp_exported_kernel *entry;
  const cp_raw_launch *launch;
  uint64_t blocks, grain; // number of blocks, and blocks per task
  _Atomic(const char *) problem;
} grid_run;

static void note_problem(grid_run *r, const char *problem) {
  const char *none = NULL;
  atomic_compare_exchange_strong(&r->problem, &none, problem);
}

// Runs the blocks of a task from `first` on, one at a time if the host may interrupt.
static void run_blocks(grid_run *r, cp_tasks *tasks, cp_exported_job *job, uint64_t first) {
  uint64_t end = first + r->grain < r->blocks ? first + r->grain : r->blocks;
  uint64_t step = tasks->ctx != NULL ? 1 : r->grain;
  for (; first < end && cp_go_on(tasks); first += step) {
    job->first = first;
    job->last = first + step < end ? first + step : end;
    const char *problem = r->entry->run(job);
    if (problem == NULL) continue;
    note_problem(r, problem);
    return;
  }
}

// Runs all blocks at once.
static void run_grid(grid_run *r, cp_exported_job *job) {
  job->stride = (r->launch->shared + 63) / 64 * 64;
  job->memory = cp_arena(job->stride * r->blocks + 64);
  job->state = cp_block_new((int)r->blocks);
  const char *problem = "out of host memory";
  if (job->memory != NULL && job->state != NULL) problem = r->entry->run(job);
  if (problem != NULL) note_problem(r, problem);
  free(job->state);
}

static void work(void *data, cp_tasks *tasks) {
  grid_run *r = data;
  cp_exported_job job = {.arguments = r->launch->arguments, .host = &cp_block_functions, .run = cp_block_run};
  int64_t task;
  memcpy(job.grid, r->launch->grid, sizeof job.grid);
  memcpy(job.block, r->launch->block, sizeof job.block);
  if (r->launch->cooperative) {
    while (cp_next_task(tasks, &task)) run_grid(r, &job);
    return;
  }
  job.shared = cp_arena(r->launch->shared + 64);
  if (r->entry->fibers) job.state = cp_block_new(1);
  if (job.shared == NULL || (r->entry->fibers && job.state == NULL)) {
    note_problem(r, "out of host memory");
    free(job.state);
    return;
  }
  while (cp_next_task(tasks, &task)) {
    // after a failure the remaining blocks are skipped
    if (atomic_load_explicit(&r->problem, memory_order_relaxed) != NULL) continue;
    run_blocks(r, tasks, &job, (uint64_t)task * r->grain);
  }
  free(job.state);
}

// ---- launches that are recorded ---------------------------------------------------------------------------

typedef struct recorded_launch {
  cp_raw_function *function;
  cp_raw_launch launch;
} recorded_launch;

static size_t aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }

static cp_status run_now(cp_context *ctx, cp_raw_function *function, const cp_raw_launch *l, bool named);

static cp_status replay_launch(cp_context *ctx, cp_stream *s, void *arguments) {
  const recorded_launch *j = arguments;
  (void)s;
  ctx->counters.launches++;
  return run_now(ctx, j->function, &j->launch, true);
}

// The addresses of the arguments and their values are stored behind the job.
static cp_status record_launch(cp_stream *s, cp_raw_function *f, const cp_raw_launch *l) {
  const recorded_launch job = {f, *l};
  size_t list = aligned((size_t)f->nparams * sizeof(void *)), more = list;
  for (int k = 0; k < f->nparams; k++) more += aligned(f->sizes[k]);
  char *at = cp_commands_add(s, replay_launch, &job, sizeof job, more, true);
  if (at == NULL) return CP_EMEMORY;
  void **addresses = (void **)(void *)(at + aligned(sizeof job));
  char *argument = (char *)addresses + list;
  ((recorded_launch *)(void *)at)->launch.arguments = addresses;
  for (int k = 0; k < f->nparams; k++) {
    addresses[k] = argument;
    memcpy(argument, l->arguments[k], f->sizes[k]);
    argument += aligned(f->sizes[k]);
  }
  return CP_OK;
}

// Only texts that call our barrier of a grid keep the memory of blocks apart that run at once.
static cp_status check_together(const raw_function *f, uint64_t blocks, uint64_t threads) {
  if (f->entry->fibers < 2)
    return cp_fail(CP_EUSAGE,
                   "cooperative launches cannot be made on the CPU device; run this kernel on a GPU");
  if (blocks > CP_MAX_TOGETHER || blocks * threads > CP_MAX_TOGETHER)
    return cp_fail(
        CP_EUSAGE,
        "%llu blocks of %llu threads wait for each other; on the CPU device at most %d threads can",
        (unsigned long long)blocks, (unsigned long long)threads, CP_MAX_TOGETHER);
  return CP_OK;
}

// named: what a check reports has to name the kernel.
static cp_status run_now(cp_context *ctx, cp_raw_function *function, const cp_raw_launch *l, bool named) {
  const raw_function *f = (const raw_function *)function;
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  grid_run r = {.entry = f->entry, .launch = l, .blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};
  int64_t words[CP_FAULT_WORDS] = {0}, *faults = words;
  if (l->cooperative) CP_TRY(check_together(f, r.blocks, threads));
  r.grain = r.blocks / ((uint64_t)cp_thread_count() * TASKS_PER_THREAD);
  if (r.grain == 0) r.grain = 1;
  if (l->cooperative) r.grain = r.blocks;
  if (function->checks != NULL) memcpy(l->arguments[l->count - 1], &faults, sizeof faults);
  CP_TRY(
      cp_parallel(ctx, work, &r, (int64_t)((r.blocks + r.grain - 1) / r.grain), r.blocks * threads > ALONE));
  const char *problem = atomic_load(&r.problem);
  if (problem != NULL) return cp_fail(CP_ECUDA, "%s", problem);
  return words[0] == 0 ? CP_OK : cp_raw_report(function->checks, words, named);
}

static cp_status launch(cp_context *ctx, cp_stream *s, cp_raw_function *function, const cp_raw_launch *l) {
  ctx->counters.launches++;
  return s->capturing ? record_launch(s, function, l) : run_now(ctx, function, l, false);
}

// ---- attributes -------------------------------------------------------------------------------------------

static cp_status set_attribute(cp_device *d, cp_raw_function *f, cp_raw_attribute which, int value) {
  (void)d;
  f->attributes[which] = value;
  return CP_OK;
}

// On this device one host thread plays the multiprocessor, and runs one block at a time.
static cp_status occupancy(cp_device *d, cp_raw_function *f, int block, size_t shared, int *blocks) {
  (void)d, (void)f, (void)block, (void)shared;
  *blocks = 1;
  return CP_OK;
}

static cp_status best_block(cp_device *d, cp_raw_function *f, size_t shared, int limit, int *grid,
                            int *block) {
  enum { USUAL = 256 };
  (void)d, (void)f, (void)shared;
  *block = limit > 0 && limit < USUAL ? limit : USUAL;
  *grid = cp_thread_count();
  return CP_OK;
}

const cp_raw_ops cp_cpu_raw_ops = {
    .load = load,
    .unload = unload,
    .function = get_function,
    .global = global,
    .launch = launch,
    .set = set_attribute,
    .occupancy = occupancy,
    .best_block = best_block,
};
