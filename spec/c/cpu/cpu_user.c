// Checks user kernels on the CPU device: compiled, kept in memory and on disk, compiled again when an entry
// is damaged; errors of the compiler and a missing compiler; and the thread pool with several callers and
// after a fork.
#include "cache/cache.h"
#include "cpu/device.h"
#include "cpu/run/cpu.h"
#include "cpu/run/run.h"
#include "host/threads.h"
#include "plan/plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void check(bool ok, const char *what) {
  if (!ok) printf("FAILED %s (%s)\n", what, cp_error_text());
  failures += !ok;
}

static cp_status source(void *data, const cp_plan *plan, const char *target, cp_strbuf *out) {
  (void)plan, (void)target;
  cp_strbuf_puts(out, data);
  return CP_OK;
}

static cp_context ctx;

static cp_status run(cp_plan *p, const char *text) {
  static cp_device device = {.ops = &cp_cpu_ops, .name = "cpu"};
  cp_stream stream = {.device = &device};
  ctx.generator.source = source;
  ctx.generator.data = (void *)(uintptr_t)text;
  return cp_cpu_ops.run(&ctx, &stream, p);
}

enum { N = 100000 };
static float a[N], d[N];

// d = 3 * a by text; slots 4 and 6 are the addresses (see kernels/slots.def: two numbers, a divisor pair,
// then a and its stride).
static cp_plan *user_plan(cp_user_kernel *user, uint64_t id) {
  cp_plan *p = calloc(1, sizeof *p);
  *user = (cp_user_kernel){.id = id, .identity = "test", .identity_size = 4};
  p->ndim = 1;
  p->shape[0] = N;
  p->nleaves = p->noutputs = 1;
  p->red = CP_NREDS;
  p->value = p->position = -1;
  p->user = user;
  p->leaves[0] =
      (cp_operand){.base = (char *)a, .dtype = CP_FLOAT32, .access = CP_ACCESS_STRIDED, .strides = {4}};
  p->outputs[0] =
      (cp_operand){.base = (char *)d, .dtype = CP_FLOAT32, .access = CP_ACCESS_STRIDED, .strides = {4}};
  cp_plan_finish(p);
  return p;
}

static const char good[] = "extern \"C\" void cupola_kernel(const unsigned long long *slots, long long "
                           "begin, long long end, void *scratch) {\n"
                           "  const float *a = (const float *)slots[4];\n"
                           "  float *d = (float *)slots[6];\n"
                           "  *(char *)scratch = 1;\n"
                           "  for (long long i = begin; i < end; i++) d[i] = 3 * a[i];\n"
                           "}\n";

static bool tripled(void) {
  for (int k = 0; k < N; k++) {
    if (d[k] != 3 * a[k]) return false;
  }
  return true;
}

static void test_text(void) {
  cp_user_kernel user;
  cp_plan *p = user_plan(&user, 1);
  check(run(p, good) == CP_OK && tripled() && ctx.counters.compiles == 1, "compile and run");
  memset(d, 0, sizeof d);
  check(run(p, "never read") == CP_OK && tripled() && ctx.counters.cache_hits == 1, "kept in memory");
  free(p);
  p = user_plan(&user, 2);
  memset(d, 0, sizeof d);
  check(run(p, good) == CP_OK && tripled() && ctx.counters.compiles == 1, "kept on disk");
  free(p);
  p = user_plan(&user, 3);
  check(run(p, "#line 7 \"operation\"\nint f() { return undefined_name; }\n") == CP_ECOMPILE, "wrong text");
  check(strstr(cp_error_text(), "operation:7") && strstr(cp_error_text(), "undefined_name"),
        "line of the user's text");
  check(run(p, "int other() { return 0; }\n") == CP_ECOMPILE, "text without the function");
  check(run(p, good) == CP_OK && tripled(), "usable after errors");
  free(p);
}

static void test_no_compiler(const char *program) {
  if (fork() == 0) {
    setenv("CUPOLA_CXX", "/no/such/compiler", 1);
    setenv("CUPOLA_CACHE_DIR", "", 1);
    execl(program, program, "no-compiler", (char *)NULL);
    _exit(2);
  }
  int status;
  wait(&status);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a missing compiler");
}

static int without_compiler(void) {
  cp_user_kernel user;
  cp_plan *p = user_plan(&user, 1);
  bool ok = run(p, good) == CP_ECOMPILE && strstr(cp_error_text(), "/no/such/compiler");
  free(p);
  return ok ? 0 : 1;
}

// Threads --------------------------------------------------------------------------------------------------

typedef struct total {
  _Atomic int64_t sum;
} total;

static void add_tasks(void *data, cp_tasks *tasks) {
  total *t = data;
  int64_t task;
  while (cp_next_task(tasks, &task)) t->sum += task;
}

static void *caller(void *bad) {
  for (int k = 0; k < 200; k++) {
    total t = {0};
    cp_status status = cp_parallel(NULL, add_tasks, &t, 1000, true);
    if (status != CP_OK || t.sum != 499500) *(_Atomic int *)bad += 1;
  }
  return NULL;
}

static void test_threads(void) {
  pthread_t threads[4];
  _Atomic int bad = 0;
  cp_set_thread_count(4);
  for (int k = 0; k < 4; k++) pthread_create(&threads[k], NULL, caller, &bad);
  for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
  check(bad == 0, "several callers");
  pid_t pid = fork();
  if (pid == 0) {
    caller(&bad);
    _exit(bad != 0);
  }
  int status;
  waitpid(pid, &status, 0);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the pool after a fork");
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/cupola-spec-XXXXXX", command[64];
  for (int k = 0; k < N; k++) a[k] = (float)k;
  if (argc > 1) return without_compiler();
  test_threads();
  if (!cp_cpu_compiler()) return 77;
  if (!mkdtemp(folder)) return 1;
  setenv("CUPOLA_CACHE_DIR", folder, 1);
  test_text();
  test_no_compiler(argv[0]);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0) failures++;
  printf("cpu_user: %s\n", failures ? "FAILED" : "passed");
  return failures ? 1 : 0;
}
