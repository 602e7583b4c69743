// Fourier transforms of the CPU device by FFTW's interface (FFTW 3 or MKL), opened at first use. FFTW runs
// its parallel parts on the pool's threads.
#include "cpu/libraries/fftw.h"
#include "cpu/run/cpu.h"
#include "host/library.h"
#include "host/threads.h"
#include "routines/fft.h"

#include <stdlib.h>
#include <string.h>

enum { DESTROY_INPUT = 1, UNALIGNED = 2, PRESERVE_INPUT = 16, ESTIMATE = 64, PLANS = 64 };
enum { WORTH_THREADS = 1 << 15 }; // elements from which on threads are worth it

// ---- the libraries ----

typedef struct iodim {
  ptrdiff_t n, in, out;
} iodim;

// F(field, name after fftw_ or fftwf_, result, arguments)
// clang-format off
#define FUNCTIONS(F) \
  F(plan_dft, plan_guru64_dft, void *, \
    (int rank, const iodim *dims, int nbatch, const iodim *batch, void *in, void *out, \
     int sign, unsigned flags)) \
  F(plan_r2c, plan_guru64_dft_r2c, void *, \
    (int rank, const iodim *dims, int nbatch, const iodim *batch, void *in, void *out, unsigned flags)) \
  F(plan_c2r, plan_guru64_dft_c2r, void *, \
    (int rank, const iodim *dims, int nbatch, const iodim *batch, void *in, void *out, unsigned flags)) \
  F(execute_dft, execute_dft, void, (void *plan, void *in, void *out)) \
  F(execute_r2c, execute_dft_r2c, void, (void *plan, void *in, void *out)) \
  F(execute_c2r, execute_dft_c2r, void, (void *plan, void *in, void *out)) \
  F(destroy_plan, destroy_plan, void, (void *plan))
// clang-format on

typedef struct functions {
#define FIELD(field, name, result, arguments) result(*field) arguments;
  FUNCTIONS(FIELD)
#undef FIELD
} functions;

typedef void parallel_loop(void *(*work)(char *), char *jobs, size_t size, int count, void *data);
typedef struct thread_functions {
  int (*init_threads)(void);
  void (*plan_with_nthreads)(int count);
  void (*set_callback)(parallel_loop *loop, void *data); // since FFTW 3.3.9
} thread_functions;

static functions tables[2]; // single and double precision
static thread_functions thread_tables[2];

#define SYMBOL_SINGLE(field, name, result, arguments) {"fftwf_" #name, offsetof(functions, field), false},
#define SYMBOL_DOUBLE(field, name, result, arguments) {"fftw_" #name, offsetof(functions, field), false},
static const cp_symbol symbols[2][7] = {{FUNCTIONS(SYMBOL_SINGLE)}, {FUNCTIONS(SYMBOL_DOUBLE)}};
static const cp_symbol thread_symbols[2][3] = {
    {{"fftwf_init_threads", offsetof(thread_functions, init_threads), false},
     {"fftwf_plan_with_nthreads", offsetof(thread_functions, plan_with_nthreads), false},
     {"fftwf_threads_set_callback", offsetof(thread_functions, set_callback), false}},
    {{"fftw_init_threads", offsetof(thread_functions, init_threads), false},
     {"fftw_plan_with_nthreads", offsetof(thread_functions, plan_with_nthreads), false},
     {"fftw_threads_set_callback", offsetof(thread_functions, set_callback), false}}};

#define PLACES                                                                                               \
  .variables = CP_LIST("CUPOLA_FFTW_PATH"),                                                                  \
  .folders =                                                                                                 \
      CP_LIST("/usr/lib/" CP_MULTIARCH, "/usr/lib64", "/usr/local/lib", "/opt/intel/oneapi/mkl/latest/lib")
#define LIBRARY(which, precision, name)                                                                      \
  {                                                                                                          \
    .title = "an FFT library for " precision " precision", .names = CP_LIST(name, "libmkl_rt.so.2"), PLACES, \
    .hint = "install FFTW 3 (Debian: libfftw3-" precision "3), or set CUPOLA_FFTW_PATH to its folder",       \
    .outdated = "FFTW 3 or a library with its interface is needed", .kind = CP_EIO,                          \
    CP_FILLS(&tables[which], symbols[which])                                                                 \
  }
#define THREAD_LIBRARY(which, name)                                                                          \
  {                                                                                                          \
    .title = "FFTW's threads", .names = CP_LIST(name), PLACES, .hint = "", .outdated = "", .kind = CP_EIO,   \
    CP_FILLS(&thread_tables[which], thread_symbols[which])                                                   \
  }

static cp_library libraries[2] = {LIBRARY(0, "single", "libfftw3f.so.3"),
                                  LIBRARY(1, "double", "libfftw3.so.3")};
static cp_library thread_libraries[2] = {THREAD_LIBRARY(0, "libfftw3f_threads.so.3"),
                                         THREAD_LIBRARY(1, "libfftw3_threads.so.3")};

const char *cp_fftw_path(bool wide) { return cp_opened_path(&libraries[wide]); }

// ---- threads ----

typedef struct loop_data {
  void *(*work)(char *);
  char *jobs;
  size_t size;
} loop_data;

static void loop_tasks(void *data, cp_tasks *tasks) {
  const loop_data *l = data;
  for (int64_t task; cp_next_task(tasks, &task);) l->work(l->jobs + (size_t)task * l->size);
}

static void loop_in_pool(void *(*work)(char *), char *jobs, size_t size, int count, void *data) {
  loop_data l = {work, jobs, size};
  (void)data;
  cp_parallel_whole(loop_tasks, &l, count, true); // FFTW has no way to learn of a failure
}

// The planner of each precision, which is not thread-safe, and its plans.
static struct planner {
  pthread_mutex_t lock;
  bool ready, threads;
  cp_fft_cache cache;
} planners[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};

// Called by the cache while it holds its lock.
static void destroy_handle(cp_fft_plan *plan) {
  struct planner *p = &planners[plan->shape.wide];
  pthread_mutex_lock(&p->lock);
  tables[plan->shape.wide].destroy_plan(plan->handle);
  pthread_mutex_unlock(&p->lock);
}

static cp_status open_planner(int wide, struct planner **out) {
  struct planner *p = &planners[wide];
  *out = p;
  CP_TRY(cp_open_library(&libraries[wide]));
  pthread_mutex_lock(&p->lock);
  if (!p->ready) {
    cp_fft_cache_init(&p->cache, PLANS, destroy_handle);
    // Only FFTW has a separate library for threads; MKL needs none.
    bool fftw = strstr(cp_opened_path(&libraries[wide]), "fftw") != NULL;
    thread_functions *t = &thread_tables[wide];
    p->threads = fftw && cp_try_library(&thread_libraries[wide]) && t->init_threads() != 0;
    if (p->threads) t->set_callback(loop_in_pool, NULL);
    p->ready = true;
  }
  pthread_mutex_unlock(&p->lock);
  return CP_OK;
}

// ---- plans ----

static double elements(const cp_fft_shape *s) {
  double size = 1;
  for (int k = 0; k < s->rank; k++) size *= (double)s->n[k];
  for (int k = 0; k < s->nbatch; k++) size *= (double)s->count[k];
  return size;
}

// The caller holds the planner's lock. Planning by estimate does not touch the arrays.
static void *make_handle(const struct planner *p, const cp_fft_shape *s) {
  static _Alignas(64) char places[2][64];
  const functions *f = &tables[s->wide];
  iodim dims[CP_FFT_RANK], batch[CP_MAXDIM];
  for (int k = 0; k < s->rank; k++)
    dims[k] = (iodim){(ptrdiff_t)s->n[k], (ptrdiff_t)s->in[k], (ptrdiff_t)s->out[k]};
  for (int k = 0; k < s->nbatch; k++)
    batch[k] = (iodim){(ptrdiff_t)s->count[k], (ptrdiff_t)s->in_batch[k], (ptrdiff_t)s->out_batch[k]};
  unsigned flags = ESTIMATE | (s->aligned ? 0U : (unsigned)UNALIGNED) |
                   (s->kind == CP_FFT_C2R ? (unsigned)DESTROY_INPUT : (unsigned)PRESERVE_INPUT);
  if (p->threads)
    thread_tables[s->wide].plan_with_nthreads(elements(s) < WORTH_THREADS ? 1 : cp_thread_count());
  if (s->kind == CP_FFT_R2C) return f->plan_r2c(s->rank, dims, s->nbatch, batch, places[0], places[1], flags);
  if (s->kind == CP_FFT_C2R) return f->plan_c2r(s->rank, dims, s->nbatch, batch, places[0], places[1], flags);
  return f->plan_dft(s->rank, dims, s->nbatch, batch, places[0], places[1], s->inverse ? 1 : -1, flags);
}

static cp_status open_plan(cp_context *ctx, cp_stream *stream, const cp_fft_shape *s, cp_fft_plan **out,
                           size_t *work) {
  struct planner *p;
  (void)ctx, (void)stream;
  *work = 0;
  CP_TRY(open_planner(s->wide, &p));
  *out = cp_fft_cache_find(&p->cache, s);
  if (*out != NULL) return CP_OK;
  cp_fft_plan *plan = calloc(1, sizeof *plan);
  if (plan == NULL) return cp_no_memory(NULL);
  plan->shape = *s;
  pthread_mutex_lock(&p->lock);
  plan->handle = make_handle(p, s);
  pthread_mutex_unlock(&p->lock);
  if (plan->handle == NULL) {
    free(plan);
    return cp_fail(CP_EUSAGE, "%s cannot make a plan for this transform",
                   cp_opened_path(&libraries[s->wide]));
  }
  cp_fft_cache_add(&p->cache, plan);
  *out = plan;
  return CP_OK;
}

static cp_status run(cp_stream *stream, cp_fft_plan *plan, void *in, void *out, void *work) {
  const functions *f = &tables[plan->shape.wide];
  (void)stream, (void)work;
  switch (plan->shape.kind) {
  case CP_FFT_R2C: f->execute_r2c(plan->handle, in, out); break;
  case CP_FFT_C2R: f->execute_c2r(plan->handle, in, out); break;
  default: f->execute_dft(plan->handle, in, out); break;
  }
  return CP_OK;
}

static int trim(cp_stream *s, int limit, int keep) {
  int left = 0;
  (void)s;
  for (int wide = 0; wide < 2; wide++) {
    pthread_mutex_lock(&planners[wide].lock);
    bool ready = planners[wide].ready;
    pthread_mutex_unlock(&planners[wide].lock);
    if (ready) left += cp_fft_cache_trim(&planners[wide].cache, limit, keep);
  }
  return left;
}

const cp_fft_ops cp_cpu_fft = {
    .strided = true, .open = open_plan, .run = run, .close = cp_fft_cache_close, .trim = trim};
