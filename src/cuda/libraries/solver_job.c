// Opens cuSOLVER at first use, and runs calls of it (solver_job.h).
#include "cuda/libraries/solver_job.h"

#include <stdlib.h>

// ---- the library ----

static cpcu_cusolver_table table;

static const cp_symbol symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_cusolver_table, field), false},
    CPCU_CUSOLVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_cusolver_table, field), true},
        CPCU_CUSOLVER_OPTIONAL(SYMBOL)
#undef SYMBOL
#define PLACE(field, k) (offsetof(cpcu_cusolver_table, field) + (k) * sizeof table.field[0])
#define SYMBOLS(field, s, d, c, z, arguments)                                                                \
  {#s, PLACE(field, 0), false}, {#d, PLACE(field, 1), false}, {#c, PLACE(field, 2), false},                  \
      {#z, PLACE(field, 3), false},
            CPCU_CUSOLVER_TYPED(SYMBOLS)
#undef SYMBOLS
};

static cp_library library = {
    .title = "cuSOLVER",
    // CUDA 12 has cuSOLVER 11, CUDA 13 has cuSOLVER 12.
    .names = CP_LIST("libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"),
    .second_first = cp_cuda_prefers_12,
    CP_TOOLKIT_PLACES("cusolver"),
    .hint = CP_TOOLKIT_HINT("nvidia-cusolver"),
    CP_FILLS(&table, symbols),
};

const char *cp_cusolver_path(void) { return cp_opened_path(&library); }

static const char *const status_names[] = {
    "CUSOLVER_STATUS_SUCCESS",
    "CUSOLVER_STATUS_NOT_INITIALIZED",
    "CUSOLVER_STATUS_ALLOC_FAILED",
    "CUSOLVER_STATUS_INVALID_VALUE",
    "CUSOLVER_STATUS_ARCH_MISMATCH",
    "CUSOLVER_STATUS_MAPPING_ERROR",
    "CUSOLVER_STATUS_EXECUTION_FAILED",
    "CUSOLVER_STATUS_INTERNAL_ERROR",
    "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
    "CUSOLVER_STATUS_NOT_SUPPORTED",
};

cp_status cp_cusolver_check(cpcu_cusolver_status status, const char *call) {
  if (status == CPCU_CUSOLVER_STATUS_SUCCESS) return CP_OK;
  bool known = status > 0 && (size_t)status < sizeof status_names / sizeof status_names[0];
  return cp_fail(status == CPCU_CUSOLVER_STATUS_ALLOC_FAILED ? CP_EMEMORY : CP_ECUDA, "%s: %s (%d)", call,
                 known ? status_names[status] : "cuSOLVER error", status);
}

static cp_status make_handles(cp_cuda_stream *s, cp_cuda_math *m) {
  CP_TRY(cp_cusolver_check(table.cusolverDnCreate(&m->solver), "cusolverDnCreate"));
  CP_TRY(cp_cusolver_check(table.cusolverDnSetStream(m->solver, s->stream), "cusolverDnSetStream"));
  CP_TRY(cp_cusolver_check(table.cusolverDnCreateParams(&m->params), "cusolverDnCreateParams"));
  return cp_cusolver_check(table.cusolverDnCreateSyevjInfo(&m->syevj), "cusolverDnCreateSyevjInfo");
}

static void close_solver(cp_cuda_math *m, const cpcu_driver *driver) {
  (void)driver;
  if (m->syevj != NULL) (void)table.cusolverDnDestroySyevjInfo(m->syevj);
  if (m->params != NULL) (void)table.cusolverDnDestroyParams(m->params);
  if (m->solver != NULL) (void)table.cusolverDnDestroy(m->solver);
  m->syevj = NULL;
  m->params = NULL;
  m->solver = NULL;
}

static cp_status open_solver(cp_cuda_stream *s, cp_cuda_math **out) {
  CP_TRY(cp_open_library(&library));
  CP_TRY(cp_cuda_math_of(s, out));
  if ((*out)->solver != NULL) return CP_OK;
  cp_cuda_math_closes(*out, close_solver);
  cp_status status = make_handles(s, *out);
  if (status != CP_OK) close_solver(*out, NULL);
  return status;
}

// ---- a call and its scratch memory ----

static size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }

// ORDER as in kernels/routine/addresses.cu. Lists longer than FEW are computed by a kernel, as copying them
// would wait for the device.
enum { BLOCK = 256, FEW = 2048 };

static cp_status make_addresses(const cp_solver_job *j, void *p, int64_t size, void *const *to) {
  cp_cuda_device *d = (cp_cuda_device *)j->s->base.device;
  cp_cuda_function *f;
  int64_t count = j->c->count;
  const uint64_t slots[] = {(uintptr_t)to, (uintptr_t)p, (uint64_t)size * cp_itemsize(j->c->dtype),
                            (uint64_t)count};
  CP_TRY(cp_cuda_routine(j->ctx, d, "addresses", &f, "BLOCK=%d", (int)BLOCK));
  CP_TRY(cp_cuda_enter(d)); // compiling the kernel may have run the host program's code
  return cp_cuda_launch_each(j->ctx, &j->s->base, f, count, BLOCK, slots);
}

cp_status cp_solver_addresses(const cp_solver_job *j, void *p, int64_t size, void *const *to) {
  size_t bytes = (size_t)j->c->count * sizeof(void *);
  if (j->c->count > FEW) return make_addresses(j, p, size, to);
  void **list = malloc(bytes);
  if (list == NULL) return cp_no_memory(NULL);
  for (int64_t k = 0; k < j->c->count; k++) list[k] = cp_solver_matrix(j->c, p, k, size);
  cp_status status = cp_cuda_copy(&j->s->base, (void *)(uintptr_t)to, list, bytes, CP_TO_DEVICE);
  free(list);
  return status;
}

// Allocates scratch memory of device_bytes and host_bytes, with room for infos and addresses.
static cp_status make_scratch(cp_solver_job *j) {
  size_t count = (size_t)j->c->count, work = rounded(j->device_bytes), infos = rounded(count * sizeof(int)),
         list = rounded(count * sizeof(void *));
  cp_device *d = j->s->base.device;
  j->host = j->host_bytes > 0 ? malloc(j->host_bytes) : NULL;
  if (j->host_bytes > 0 && j->host == NULL) return cp_no_memory(NULL);
  CP_TRY(cp_context_allocate(j->ctx, d, &j->s->base, work + infos + 2 * list, &j->block));
  j->work = j->block->pointer;
  j->infos = (int *)(void *)(j->work + work);
  j->a = (void *const *)(void *)(j->work + work + infos);
  j->b = (void *const *)(void *)(j->work + work + infos + list);
  CP_TRY(cp_cuda_enter((cp_cuda_device *)d)); // the collector may have run the host program's code
  return cp_cuda_fill_bytes(&j->s->base, j->infos, 0, count * sizeof(int));
}

static cp_status read_infos(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  int *infos = malloc((size_t)c->count * sizeof *infos);
  if (infos == NULL) return cp_no_memory(NULL);
  cp_status status = cp_cuda_copy(&j->s->base, infos, j->infos, (size_t)c->count * sizeof *infos, CP_TO_HOST);
  c->info = 0;
  c->which = -1;
  for (int64_t k = 0; status == CP_OK && k < c->count && c->info == 0; k++)
    if (infos[k] != 0) c->info = infos[k], c->which = k;
  if (j->inaccurate && c->info == 0) c->info = 1;
  free(infos);
  return status;
}

cp_status cp_solver_run(cp_context *ctx, cp_stream *s, cp_solver_call *c, cp_status (*sizes)(cp_solver_job *),
                        cp_status (*queue)(cp_solver_job *), bool can_fail) {
  cp_solver_job j = {.ctx = ctx, .s = (cp_cuda_stream *)s, .c = c, .library = &table};
  CP_TRY(cp_may_wait(ctx, s->device)); // no graph would keep the scratch memory
  CP_TRY(open_solver(j.s, &j.m));
  if (sizes != NULL) CP_TRY(sizes(&j));
  cp_status status = make_scratch(&j);
  if (status == CP_OK) status = queue(&j);
  c->info = 0;
  c->which = -1;
  if (status == CP_OK) ctx->counters.launches++;
  if (status == CP_OK && can_fail) {
    ctx->counters.synchronizations++;
    status = read_infos(&j);
  } else if (j.host != NULL) {
    (void)cp_cuda_stream_finish(s); // the library may still use the host memory
  }
  if (j.block != NULL) cp_context_release(ctx, j.block);
  free(j.host);
  return status;
}
