// Users' elementwise and reduction kernels, and functions of expressions, on the CPU: C++ text from the
// generator, compiled once, cached on disk by text and in memory by the plan's key. The compiled function
// gets positions [begin, end) (in a reduction, outputs) and computes them completely.
#include "cache/bundle.h"
#include "cpu/kernels/compiler.h"
#include "cpu/kernels/object.h"
#include "cpu/run/commands.h"
#include "cpu/run/program.h"
#include "cpu/run/run.h"
#include "host/threads.h"
#include "plan/params.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef void kernel(const unsigned long long *slots, long long begin, long long end, void *scratch);

enum {
  ALONE = 16384, // up to this many elements one thread does the work
  PIECE = 512    // elements between two checks for an interrupt, as the cost of the user's text is unknown
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects `kernels`
static cp_table *kernels;                                // by cp_plan_key; loops of functions by their text

typedef union entry {
  kernel *function;
  cp_function_loop *loop;
  void *pointer; // the form that dlsym and the table have
} entry;

const char *cp_cpu_compiler(void) { return cp_compiler_path(); }

static entry find(const void *key, size_t size) {
  entry e = {NULL};
  pthread_mutex_lock(&lock);
  if (kernels) e.pointer = cp_table_get(kernels, key, size);
  pthread_mutex_unlock(&lock);
  return e;
}

static cp_status keep(const void *key, size_t size, void *pointer) {
  cp_status status = CP_EMEMORY;
  pthread_mutex_lock(&lock);
  if (!kernels) kernels = cp_table_new();
  if (kernels)
    status = cp_table_set(kernels, key, size, pointer);
  else
    cp_no_memory(NULL);
  pthread_mutex_unlock(&lock);
  return status;
}

// The function of this text, from a bundle, from disk or from the compiler.
static cp_status build(cp_context *ctx, const cp_object_source *s, void **pointer) {
  cp_strbuf lasting = {0};
  bool cached = false;
  cp_strbuf_printf(&lasting, "cpu kernel\n%s\n", cp_compiler_options);
  cp_strbuf_append(&lasting, s->text, s->size);
  cp_status status =
      lasting.failed ? cp_no_memory(NULL) : cp_obtain_object(ctx, s, &lasting, pointer, &cached);
  if (status == CP_OK && !cached) ctx->counters.compiles++;
  cp_strbuf_free(&lasting);
  return status;
}

static cp_status obtain(cp_context *ctx, const cp_plan *p, kernel **out) {
  cp_key key;
  cp_strbuf source = {0};
  entry e = {NULL};
  cp_plan_key(p, &key);
  *out = find(key.bytes, key.size).function;
  if (*out && !cp_recording()) {
    ctx->counters.cache_hits++;
    return CP_OK;
  }
  CP_TRY(cp_budget_kernel(ctx));
  cp_status status = ctx->generator.source(ctx->generator.data, p, "cpu", &source);
  if (status == CP_OK && (source.failed || !source.text)) status = cp_no_memory(NULL);
  const cp_object_source s = {.text = source.text, .size = source.size, .symbol = "cupola_kernel"};
  if (status == CP_OK) status = build(ctx, &s, &e.pointer);
  if (status == CP_OK) status = keep(key.bytes, key.size, e.pointer);
  cp_strbuf_free(&source);
  *out = e.function;
  return status;
}

cp_status cp_cpu_function(cp_context *ctx, const char *text, size_t size, cp_function_loop **out) {
  const cp_object_source s = {.text = text, .size = size, .symbol = "cupola_loop"};
  entry e = find(text, size);
  *out = e.loop;
  if (*out && !cp_recording()) return CP_OK;
  CP_TRY(cp_budget_kernel(ctx));
  CP_TRY(build(ctx, &s, &e.pointer));
  CP_TRY(keep(text, size, e.pointer));
  *out = e.loop;
  return CP_OK;
}

typedef struct launch {
  kernel *function;
  unsigned long long slots[CP_MAX_SLOTS];
  int64_t count, grain; // positions or outputs, and how many of them per task
  size_t scratch;
  bool shared; // run by several threads
} launch;

static void work(void *data, cp_tasks *tasks) {
  const launch *l = data;
  int64_t task;
  void *scratch = cp_arena(l->scratch);
  if (!scratch) return; // the caller's thread has its own
  while (cp_next_task(tasks, &task)) {
    int64_t begin = task * l->grain, end = begin + l->grain < l->count ? begin + l->grain : l->count;
    int64_t piece = tasks->ctx != NULL && l->grain > PIECE ? PIECE : l->grain;
    for (; begin < end && cp_go_on(tasks); begin += piece)
      l->function(l->slots, begin, end - begin < piece ? end : begin + piece, scratch);
  }
}

// count 0 means no work.
static cp_status prepare(cp_context *ctx, const cp_plan *p, launch *l) {
  cp_params params;
  l->count = p->nred ? p->outer : p->size;
  if (l->count == 0) return CP_OK;
  CP_TRY(obtain(ctx, p, &l->function));
  CP_TRY(cp_plan_params(p, &params));
  for (int k = 0; k < params.count; k++) l->slots[k] = params.slots[k];
  l->scratch = p->user->accumulator_size + 64;
  l->grain = p->nred && p->inner > 0 ? CP_CHUNK / p->inner : CP_CHUNK;
  if (l->grain < 1) l->grain = 1;
  l->shared = p->size > ALONE;
  return CP_OK;
}

static cp_status run(cp_context *ctx, launch *l) {
  if (!cp_arena(l->scratch)) return cp_no_memory(NULL);
  return cp_parallel(ctx, work, l, (l->count + l->grain - 1) / l->grain, l->shared);
}

cp_status cp_cpu_user(cp_context *ctx, const cp_plan *p) {
  launch l;
  CP_TRY(prepare(ctx, p, &l));
  return l.count > 0 ? run(ctx, &l) : CP_OK;
}

static cp_status replay(cp_context *ctx, cp_stream *s, void *arguments) {
  (void)s;
  return run(ctx, arguments);
}

cp_status cp_cpu_user_record(cp_context *ctx, cp_stream *s, const cp_plan *p) {
  launch l;
  memset(&l, 0, sizeof l);
  CP_TRY(prepare(ctx, p, &l));
  return l.count > 0 ? cp_commands_put(s, replay, &l, sizeof l, true) : CP_OK;
}
