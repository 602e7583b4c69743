// The CPU device. Its memory comes from run/memory.c. Streams and events are trivial, because all work is
// done when a call returns.
#include "cpu/device.h"
#include "cpu/libraries/fftw.h"
#include "cpu/libraries/lapack.h"
#include "cpu/loops/loops.h"
#include "cpu/record.h"
#include "cpu/routines/index.h"
#include "cpu/run/commands.h"
#include "cpu/run/cpu.h"
#include "cpu/run/memory.h"
#include "cpu/run/run.h"
#include "device/runtime.h"
#include "device/texture.h"
#include "host/threads.h"
#include "memory/allocator.h"
#include "routines/collective.h"
#include "routines/convolve.h"
#include "routines/scan.h"
#include "routines/sort.h"
#include "routines/sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cpu_event {
  cp_event base;
  double time; // cp_clock when it was recorded
} cpu_event;

static size_t pages(int name) {
  long count = sysconf(name), size = sysconf(_SC_PAGESIZE);
  return count > 0 && size > 0 ? (size_t)count * (size_t)size : 0;
}

// Linux overcommits memory, so a request that exceeds physical memory is refused here.
static cp_status cpu_allocate(cp_device *d, size_t bytes, void **pointer) {
  enum { SMALL = 1 << 20 }; // every machine has so much, and the kernel need not be asked
  size_t physical = bytes <= SMALL ? 0 : pages(_SC_PHYS_PAGES);
  *pointer = physical == 0 || bytes <= physical ? cp_cpu_take(bytes) : NULL;
  if (*pointer) return CP_OK;
  return cp_fail(CP_EMEMORY, "out of memory on %s: requested %zu bytes of %zu", d->name, bytes, physical);
}

static void cpu_release(cp_device *d, void *pointer, size_t bytes) {
  (void)d;
  cp_cpu_give(pointer, bytes);
}

static cp_status cpu_memory_info(cp_device *d, size_t *free_bytes, size_t *total_bytes) {
  (void)d;
  *free_bytes = pages(_SC_AVPHYS_PAGES);
  *total_bytes = pages(_SC_PHYS_PAGES);
  return CP_OK;
}

// How many of the `left` bytes to copy before the next check for an interrupt.
static size_t piece_of(const cp_context *ctx, size_t left) {
  enum { PIECE = 8 << 20 };
  return left > PIECE && cp_may_end(ctx) ? PIECE : left;
}

// The two ranges may overlap: then copying goes from the end backwards, so that no byte is overwritten before
// it is read.
static cp_status move_bytes(cp_context *ctx, char *dst, const char *src, size_t bytes) {
  bool backwards = (uintptr_t)dst > (uintptr_t)src;
  for (size_t done = 0, n; done < bytes; done += n) {
    CP_TRY(cp_poll(ctx));
    n = piece_of(ctx, bytes - done);
    size_t at = backwards ? bytes - done - n : done;
    memmove(dst + at, src + at, n);
  }
  return CP_OK;
}

static cp_status cpu_copy(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind) {
  (void)kind;
  if (s->capturing) return cp_record_copy(s, dst, src, bytes, kind);
  return bytes > 0 ? move_bytes(s->context, dst, src, bytes) : CP_OK;
}

static cp_status cpu_fill_bytes(cp_stream *s, void *dst, int byte, size_t bytes) {
  if (s->capturing) return cp_record_fill_bytes(s, dst, byte, bytes);
  for (size_t at = 0, n; at < bytes; at += n) {
    CP_TRY(cp_poll(s->context));
    n = piece_of(s->context, bytes - at);
    memset((char *)dst + at, byte, n);
  }
  return CP_OK;
}

// Runs or records a user's kernel, whose text works element by element.
static cp_status run_user(cp_context *ctx, cp_stream *s, cp_plan *plan) {
  cp_plan_ungroup(plan);
  if (s->capturing) return cp_record_run(ctx, s, plan);
  ctx->counters.launches++;
  return cp_cpu_user(ctx, plan);
}

static cp_status cpu_run(cp_context *ctx, cp_stream *s, cp_plan *plan) {
  if (plan->user) return run_user(ctx, s, plan);
  if (s->capturing) return cp_record_run(ctx, s, plan);
  ctx->counters.launches++;
  if (plan->nphased > 0) return cp_cpu_phases(ctx, plan);
  return plan->nred ? cp_cpu_reduce(ctx, plan) : cp_cpu_elementwise(ctx, plan);
}

static cp_status cpu_synchronize(cp_device *d) {
  (void)d;
  return CP_OK;
}

// All streams stand for the same queue, the calling thread.
static cp_status cpu_stream_create(cp_device *d, const cp_stream_options *options, cp_stream **out) {
  (void)options;
  *out = calloc(1, sizeof **out);
  if (!*out) return cp_no_memory(NULL);
  (*out)->device = d;
  return CP_OK;
}

static void cpu_stream_destroy(cp_stream *s) { free(s); }

static cp_status cpu_stream_synchronize(cp_stream *s) { return s->capturing ? cp_commands_refuse(s) : CP_OK; }

static cp_status cpu_stream_query(cp_stream *s, bool *done) {
  (void)s;
  *done = true;
  return CP_OK;
}

static cp_status cpu_stream_wait(cp_stream *waiter, cp_stream *other) {
  (void)waiter, (void)other;
  return CP_OK;
}

static uintptr_t cpu_stream_pointer(cp_stream *s) { return s->options.pointer; }

static void cpu_priorities(cp_device *d, int *least, int *greatest) {
  (void)d;
  *least = *greatest = 0;
}

static cp_status cpu_event_create(cp_device *d, bool timing, bool blocking, cp_event **out) {
  cpu_event *e = calloc(1, sizeof *e);
  (void)d, (void)timing, (void)blocking;
  if (!e) return cp_no_memory(NULL);
  *out = &e->base;
  return CP_OK;
}

static void cpu_event_destroy(cp_device *d, cp_event *e) {
  (void)d;
  free(e);
}

static cp_status cpu_event_record(cp_stream *s, cp_event *e) {
  (void)s;
  ((cpu_event *)e)->time = cp_clock();
  return CP_OK;
}

static cp_status cpu_event_wait(cp_stream *s, cp_event *e) {
  (void)s, (void)e;
  return CP_OK;
}

static cp_status cpu_event_query(cp_device *d, cp_event *e, bool *done) {
  (void)d, (void)e;
  *done = true;
  return CP_OK;
}

static cp_status cpu_event_synchronize(cp_device *d, cp_event *e) {
  (void)d, (void)e;
  return CP_OK;
}

static cp_status cpu_event_elapsed(cp_device *d, cp_event *start, cp_event *end, double *milliseconds) {
  (void)d;
  *milliseconds = (((cpu_event *)end)->time - ((cpu_event *)start)->time) * 1e3;
  return CP_OK;
}

static uintptr_t cpu_event_pointer(cp_event *e) { return (uintptr_t)e; }

// The processor's name from Linux, or "" elsewhere.
static void cpu_title(char *title, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  title[0] = '\0';
  while (f && title[0] == '\0' && fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(title, size, "%s", colon + 2);
  }
  if (f) fclose(f);
}

static cp_status cpu_properties(cp_device *d, bool attributes,
                                void (*each)(void *, const char *, const char *, double), void *data) {
  char title[128];
  size_t free_bytes, total_bytes;
  if (attributes) {
    each(data, "Threads", NULL, cp_thread_count());
    each(data, "CacheLineSize", NULL, (double)sysconf(_SC_LEVEL1_DCACHE_LINESIZE));
    each(data, "PageSize", NULL, (double)sysconf(_SC_PAGESIZE));
    return CP_OK;
  }
  cpu_title(title, sizeof title);
  CP_TRY(cpu_memory_info(d, &free_bytes, &total_bytes));
  each(data, "name", title[0] ? title : "CPU", 0);
  each(data, "instruction_level", cp_cpu_level(), 0);
  each(data, "multiprocessors", NULL, cp_thread_count());
  each(data, "total_memory", NULL, (double)total_bytes);
  each(data, "free_memory", NULL, (double)free_bytes);
  return CP_OK;
}

static void describe_library(cp_strbuf *out, const char *what, const char *path) {
  cp_strbuf_printf(out, "%s: %s\n", what, path ? path : "not opened yet");
}

static void cpu_describe(cp_device *d, cp_strbuf *out) {
  const char *compiler = cp_cpu_compiler();
  (void)d;
  cp_strbuf_printf(out, "threads: %d\n", cp_thread_count());
  cp_strbuf_printf(out, "instruction level: %s\n", cp_cpu_level());
  cp_strbuf_printf(out, "memory: %zu MB\n", pages(_SC_PHYS_PAGES) >> 20);
  cp_strbuf_printf(out, "C++ compiler for user kernels: %s\n", compiler ? compiler : "none found");
  describe_library(out, "BLAS and LAPACK", cp_lapack_path());
  if (cp_lapack_is_slow())
    cp_strbuf_printf(out, "note: this BLAS is the reference implementation, which is many times slower than "
                          "OpenBLAS (Debian: libopenblas0-pthread)\n");
  describe_library(out, "FFT", cp_fftw_path(true) ? cp_fftw_path(true) : cp_fftw_path(false));
}

const cp_device_ops cp_cpu_ops = {
    .kind = "cpu",
    .allocate = cpu_allocate,
    .release = cpu_release,
    .memory_info = cpu_memory_info,
    .price = {.block = 5e-5, .byte = 5e-11}, // pages are allocated at the first touch
    .copy = cpu_copy,
    .fill_bytes = cpu_fill_bytes,
    .run = cpu_run,
    .takes_phases = cp_cpu_takes_phases,
    .phased_least = CP_CPU_PHASED_LEAST,
    .phased_most = INT64_MAX,
    .phased_size = CP_CPU_PHASED_SIZE,
    .viewed_size = CP_CPU_VIEWED_SIZE,
    .run_flat = cp_cpu_run_flat,
    .flat_most = CP_CPU_ALONE,
    .synchronize = cpu_synchronize,
    .stream_create = cpu_stream_create,
    .stream_destroy = cpu_stream_destroy,
    .stream_synchronize = cpu_stream_synchronize,
    .stream_finish = cpu_stream_synchronize,
    .stream_query = cpu_stream_query,
    .stream_wait = cpu_stream_wait,
    .stream_mark = cpu_stream_synchronize,
    .stream_follow = cpu_stream_wait,
    .stream_pointer = cpu_stream_pointer,
    .priorities = cpu_priorities,
    .event_create = cpu_event_create,
    .event_destroy = cpu_event_destroy,
    .event_record = cpu_event_record,
    .event_wait = cpu_event_wait,
    .event_query = cpu_event_query,
    .event_synchronize = cpu_event_synchronize,
    .event_elapsed = cpu_event_elapsed,
    .event_pointer = cpu_event_pointer,
    .properties = cpu_properties,
    .index = &cp_record_index_ops,
    .describe = cpu_describe,
    .blas = &cp_record_blas_ops,
    .solver = &cp_cpu_solver,
    .fft = &cp_record_fft_ops,
    .raw = &cp_cpu_raw_ops,
    .memory = &cp_plain_memory_ops,
    .runtime = &cp_plain_runtime_ops,
    .textures = &cp_plain_texture_ops,
    .scan = &cp_record_scan_ops,
    .convolve = &cp_record_convolve_ops,
    .sites = &cp_record_sites_ops,
    .sort = &cp_record_sort_ops,
    .sparse = &cp_record_sparse_ops,
    .sparse_forms = &cp_record_sparse_form_ops,
    .walks = &cp_record_walk_ops,
    .collective = &cp_cpu_collective_ops,
    .graph = &cp_cpu_graph_ops,
};

static int count_one(const char **reason) {
  (void)reason;
  return 1;
}

static cp_status open_cpu(int ordinal, void *context, cp_device **out) {
  static cp_device cpu = {.ops = &cp_cpu_ops, .name = "cpu"};
  (void)ordinal, (void)context;
  cpu.pool = cp_pool_new(&cpu);
  *out = &cpu;
  return cpu.pool != NULL ? CP_OK : cp_no_memory(NULL);
}

static bool is_in(const cp_device *d, const void *context) {
  (void)d;
  return context == NULL;
}

const cp_device_kind cp_cpu_kind = {.ops = &cp_cpu_ops, .count = count_one, .open = open_cpu, .is_in = is_in};
