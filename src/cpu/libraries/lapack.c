// LAPACK on the CPU device: one routine for each function of cp_solver_ops, over a batch of matrices. The
// pool's threads share small matrices. Large ones are processed one after the other, each with the library's
// own threads.
#include "cpu/libraries/lapack.h"
#include "cpu/run/cpu.h"
#include "host/threads.h"
#include "memory/pool.h"
#include "routines/solver.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { TASKS = 64 };

// Scratch memory of one thread: LAPACK's work, rwork and iwork.
typedef struct scratch {
  void *work, *real;
  int *whole;
  int lwork, lreal, lwhole; // lengths in elements
} scratch;

typedef struct batch {
  cp_context *ctx;
  cp_solver_call *c;
  const cp_lapack *lapack;
  int (*one)(const struct batch *b, int64_t k, scratch *s); // returns LAPACK's info
  scratch sizes;
  int64_t per_task;
  int threads; // the library's threads per matrix
  int *infos;
  atomic_bool out_of_memory;
} batch;

// ---- batches ----

static size_t real_size(cp_dtype t) { return cp_itemsize(cp_dtypes[t].real); }

// Address of matrix k, where each matrix has `size` elements.
static void *item(const cp_solver_call *c, const void *p, int64_t k, int64_t size) {
  return (char *)(uintptr_t)p + (size_t)(k * size) * cp_itemsize(c->dtype);
}
static void *real_item(const cp_solver_call *c, const void *p, int64_t k, int64_t size) {
  return (char *)(uintptr_t)p + (size_t)(k * size) * real_size(c->dtype);
}

static int64_t smaller(const cp_solver_call *c) { return c->rows < c->columns ? c->rows : c->columns; }

static bool make_scratch(const batch *b, scratch *s) {
  *s = b->sizes;
  s->work = s->lwork > 0 ? malloc((size_t)s->lwork * cp_itemsize(b->c->dtype)) : NULL;
  s->real = s->lreal > 0 ? malloc((size_t)s->lreal * real_size(b->c->dtype)) : NULL;
  s->whole = s->lwhole > 0 ? malloc((size_t)s->lwhole * sizeof(int)) : NULL;
  return (s->lwork <= 0 || s->work != NULL) && (s->lreal <= 0 || s->real != NULL) &&
         (s->lwhole <= 0 || s->whole != NULL);
}

static void work_on(void *data, cp_tasks *tasks) {
  batch *b = data;
  scratch s;
  bool made = make_scratch(b, &s);
  int before = cp_lapack_enter(b->threads);
  if (!made) atomic_store(&b->out_of_memory, true);
  for (int64_t task; cp_next_task(tasks, &task);) {
    int64_t first = task * b->per_task, end = first + b->per_task;
    for (int64_t k = first; made && k < end && k < b->c->count && cp_go_on(tasks); k++)
      b->infos[k] = b->one(b, k, &s);
  }
  cp_lapack_leave(before);
  free(s.work);
  free(s.real);
  free(s.whole);
}

// Bytes of scratch memory for all threads.
static size_t scratch_bytes(const batch *b, int64_t tasks) {
  const scratch *s = &b->sizes;
  int64_t threads = tasks < cp_thread_count() ? tasks : cp_thread_count();
  size_t each = (size_t)s->lwork * cp_itemsize(b->c->dtype) + (size_t)s->lreal * real_size(b->c->dtype) +
                (size_t)s->lwhole * sizeof(int);
  return (size_t)threads * each + (size_t)b->c->count * sizeof *b->infos;
}

static cp_status run_tasks(batch *b, int64_t tasks, bool small) {
  cp_solver_call *c = b->c;
  b->infos = calloc((size_t)c->count, sizeof *b->infos);
  if (b->infos == NULL) return cp_no_memory(NULL);
  cp_status status = cp_parallel(b->ctx, work_on, b, tasks, small);
  c->info = 0;
  c->which = -1;
  for (int64_t k = 0; k < c->count && c->info == 0; k++)
    if (b->infos[k] != 0) c->info = b->infos[k], c->which = k;
  free(b->infos);
  CP_TRY(status);
  return atomic_load(&b->out_of_memory) ? cp_no_memory(NULL) : CP_OK;
}

static cp_status run(batch *b) {
  cp_solver_call *c = b->c;
  b->threads = cp_lapack_threads_of(c->rows, c->columns + c->right);
  bool small = b->threads == 1 && c->count > 1;
  b->per_task = small ? (c->count + TASKS - 1) / TASKS : c->count;
  int64_t tasks = (c->count + b->per_task - 1) / b->per_task;
  size_t bytes = scratch_bytes(b, tasks);
  cp_context_make_room(b->ctx, bytes);
  CP_TRY(cp_context_hold(b->ctx, bytes));
  cp_status status = run_tasks(b, tasks, small);
  cp_context_drop(b->ctx, bytes);
  return status;
}

static cp_status open_batch(cp_context *ctx, batch *b, cp_solver_call *c) {
  *b = (batch){.ctx = ctx, .c = c};
  const int64_t sizes[] = {c->rows, c->columns, c->right};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    if (sizes[k] > INT_MAX)
      return cp_fail(CP_ESHAPE, "an axis of %lld elements is too long for LAPACK (at most %d)",
                     (long long)sizes[k], INT_MAX);
  return cp_lapack_open(&b->lapack);
}

// The optimal size, which a routine's size query wrote into work[0].
static int asked(const cp_solver_call *c, const void *work) {
  bool wide = real_size(c->dtype) == sizeof(double);
  double size = wide ? *(const double *)work : (double)*(const float *)work;
  // A float cannot represent every size, so it is rounded up.
  size = size * (1 + 2e-7) + 1;
  return size < INT_MAX ? (int)size : INT_MAX;
}

// ---- linear systems ----

static int lu_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  int m = (int)c->rows, n = (int)c->columns, info = 0;
  (void)s;
  b->lapack->getrf[cp_lapack_index(c->dtype)](&m, &n, item(c, c->a, k, c->rows * c->columns), &m,
                                              (int *)c->pivots + k * smaller(c), &info);
  return info;
}

static int lu_solve_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  int n = (int)c->rows, right = (int)c->right, info = 0;
  (void)s;
  b->lapack->getrs[cp_lapack_index(c->dtype)](&c->trans, &n, &right, item(c, c->a, k, c->rows * c->rows), &n,
                                              (int *)c->pivots + k * c->rows,
                                              item(c, c->b, k, c->rows * c->right), &n, &info, 1);
  return info;
}

static int triangular_one(const batch *b, int64_t k, scratch *s) {
  static const double one[2] = {1, 0};
  static const float one_single[2] = {1, 0};
  const cp_solver_call *c = b->c;
  int n = (int)c->rows, right = (int)c->right;
  const void *alpha = real_size(c->dtype) == sizeof(float) ? (const void *)one_single : one;
  (void)s;
  b->lapack->trsm[cp_lapack_index(c->dtype)]("L", &c->uplo, &c->trans, c->unit ? "U" : "N", &n, &right, alpha,
                                             item(c, c->a, k, c->rows * c->rows), &n,
                                             item(c, c->b, k, c->rows * c->right), &n, 1, 1, 1, 1);
  return 0;
}

static int cholesky_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  int n = (int)c->rows, info = 0;
  (void)s;
  b->lapack->potrf[cp_lapack_index(c->dtype)](&c->uplo, &n, item(c, c->a, k, c->rows * c->rows), &n, &info,
                                              1);
  return info;
}

// ---- orthogonal factors ----

static int qr_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  int m = (int)c->rows, n = (int)c->columns, info = 0;
  b->lapack->geqrf[cp_lapack_index(c->dtype)](&m, &n, item(c, c->a, k, c->rows * c->columns), &m,
                                              item(c, c->w, k, smaller(c)), s->work, &s->lwork, &info);
  return info;
}

static int form_q_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  int m = (int)c->rows, n = (int)c->columns, reflections = (int)c->right, info = 0;
  b->lapack->orgqr[cp_lapack_index(c->dtype)](&m, &n, &reflections, item(c, c->a, k, c->rows * c->columns),
                                              &m, item(c, c->w, k, c->right), s->work, &s->lwork, &info);
  return info;
}

static int svd_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  const char *job = !c->vectors ? "N" : c->full ? "A" : "S";
  int m = (int)c->rows, n = (int)c->columns, info = 0, least = (int)smaller(c), ldv = c->full ? n : least;
  int64_t u_size = c->full ? c->rows * c->rows : c->rows * least, v_size = (int64_t)ldv * c->columns;
  void *a = item(c, c->a, k, c->rows * c->columns), *w = real_item(c, c->w, k, least),
       *u = c->vectors ? item(c, c->u, k, u_size) : NULL, *v = c->vectors ? item(c, c->v, k, v_size) : NULL;
  int pair = cp_lapack_pair(c->dtype);
  if (cp_is_complex(c->dtype))
    b->lapack->gesdd_complex[pair](job, &m, &n, a, &m, w, u, &m, v, &ldv, s->work, &s->lwork, s->real,
                                   s->whole, &info, 1);
  else
    b->lapack->gesdd_real[pair](job, &m, &n, a, &m, w, u, &m, v, &ldv, s->work, &s->lwork, s->whole, &info,
                                1);
  return info;
}

// ---- eigenvalues ----

static int eigh_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  const char *job = c->vectors ? "V" : "N";
  int n = (int)c->rows, info = 0, pair = cp_lapack_pair(c->dtype);
  void *a = item(c, c->a, k, c->rows * c->rows), *w = real_item(c, c->w, k, c->rows);
  if (cp_is_complex(c->dtype))
    b->lapack->heevd[pair](job, &c->uplo, &n, a, &n, w, s->work, &s->lwork, s->real, &s->lreal, s->whole,
                           &s->lwhole, &info, 1, 1);
  else
    b->lapack->syevd[pair](job, &c->uplo, &n, a, &n, w, s->work, &s->lwork, s->whole, &s->lwhole, &info, 1,
                           1);
  return info;
}

static int eig_one(const batch *b, int64_t k, scratch *s) {
  const cp_solver_call *c = b->c;
  const char *job = c->vectors ? "V" : "N";
  int n = (int)c->rows, info = 0, pair = cp_lapack_pair(c->dtype), one = 1, ldv = c->vectors ? n : 1;
  void *a = item(c, c->a, k, c->rows * c->rows), *v = c->vectors ? item(c, c->v, k, c->rows * c->rows) : NULL;
  if (cp_is_complex(c->dtype))
    b->lapack->geev_complex[pair]("N", job, &n, a, &n, item(c, c->w, k, c->rows), NULL, &one, v, &ldv,
                                  s->work, &s->lwork, s->real, &info, 1, 1);
  else
    b->lapack->geev_real[pair]("N", job, &n, a, &n, item(c, c->w, k, 2 * c->rows),
                               item(c, item(c, c->w, k, 2 * c->rows), 1, c->rows), NULL, &one, v, &ldv,
                               s->work, &s->lwork, &info, 1, 1);
  return info;
}

// ---- sizes of scratch memory ----

// Asks a routine for its scratch sizes. With lwork = -1 it computes nothing else.
static void ask(batch *b, int (*one)(const batch *, int64_t, scratch *)) {
  double work[2] = {0}, real[2] = {0};
  int whole[1] = {0};
  scratch s = {.work = work, .real = real, .whole = whole, .lwork = -1, .lreal = -1, .lwhole = -1};
  (void)one(b, 0, &s);
  b->sizes.lwork = asked(b->c, work);
  b->sizes.lreal = asked(b->c, real);
  b->sizes.lwhole = whole[0] + 1;
}

static int svd_real_size(const cp_solver_call *c) {
  double least = (double)smaller(c), most = (double)(c->rows > c->columns ? c->rows : c->columns);
  double a = 5 * least * least + 5 * least, b = 2 * most * least + 2 * least * least + least;
  double size = (!c->vectors ? 7 * least : a > b ? a : b) + 1;
  return size < INT_MAX ? (int)size : INT_MAX;
}

// ---- the table ----

static cp_status run_plain(cp_context *ctx, cp_solver_call *c,
                           int (*one)(const batch *, int64_t, scratch *)) {
  batch b;
  CP_TRY(open_batch(ctx, &b, c));
  b.one = one;
  return run(&b);
}

static cp_status run_asking(cp_context *ctx, cp_solver_call *c,
                            int (*one)(const batch *, int64_t, scratch *)) {
  batch b;
  CP_TRY(open_batch(ctx, &b, c));
  b.one = one;
  ask(&b, one);
  return run(&b);
}

#define PLAIN(name, how)                                                                                     \
  static cp_status name(cp_context *ctx, cp_stream *s, cp_solver_call *c) {                                  \
    (void)s;                                                                                                 \
    return how(ctx, c, name##_one);                                                                          \
  }
PLAIN(lu, run_plain)
PLAIN(lu_solve, run_plain)
PLAIN(triangular, run_plain)
PLAIN(cholesky, run_plain)
PLAIN(qr, run_asking)
PLAIN(form_q, run_asking)
PLAIN(eigh, run_asking)
#undef PLAIN

static cp_status svd(cp_context *ctx, cp_stream *s, cp_solver_call *c) {
  batch b;
  (void)s;
  CP_TRY(open_batch(ctx, &b, c));
  b.one = svd_one;
  ask(&b, svd_one);
  b.sizes.lreal = cp_is_complex(c->dtype) ? svd_real_size(c) : 0;
  b.sizes.lwhole = 8 * (int)smaller(c);
  return run(&b);
}

static cp_status eig(cp_context *ctx, cp_stream *s, cp_solver_call *c) {
  batch b;
  (void)s;
  CP_TRY(open_batch(ctx, &b, c));
  b.one = eig_one;
  ask(&b, eig_one);
  b.sizes.lreal = cp_is_complex(c->dtype) ? 2 * (int)c->rows : 0;
  b.sizes.lwhole = 0;
  return run(&b);
}

static size_t pivot_size(int64_t count, int64_t rows, int64_t columns) {
  (void)count, (void)rows, (void)columns;
  return sizeof(int);
}

const cp_solver_ops cp_cpu_solver = {
    .pivot_size = pivot_size,
    .lu = lu,
    .lu_solve = lu_solve,
    .small = CP_CPU_SMALL,
    .small_right = CP_CPU_SMALL,
    .systems = cp_cpu_systems,
    .triangular = triangular,
    .cholesky = cholesky,
    .qr = qr,
    .form_q = form_q,
    .any_shape = true,
    .svd = svd,
    .eigh = eigh,
    .eig = eig,
};
