// Fourier transforms by cuFFT. Each stream has its own plans. Plans own no memory: the caller passes scratch
// memory for each run.
#include "cuda/driver/graph.h"
#include "cuda/libraries/math.h"

#include <stdlib.h>

enum { PLANS = 16 };

static cpcu_cufft_table table;

static const cp_symbol symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_cufft_table, field), false},
    CPCU_CUFFT_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static cp_library library = {
    .title = "cuFFT",
    // CUDA 12 has cuFFT 11, CUDA 13 has cuFFT 12.
    .names = CP_LIST("libcufft.so.12", "libcufft.so.11", "libcufft.so"),
    .second_first = cp_cuda_prefers_12,
    CP_TOOLKIT_PLACES("cufft"),
    .hint = CP_TOOLKIT_HINT("nvidia-cufft"),
    CP_FILLS(&table, symbols),
};

const char *cp_cufft_path(void) { return cp_opened_path(&library); }

static const char *const status_names[] = {
    "CUFFT_SUCCESS",       "CUFFT_INVALID_PLAN",   "CUFFT_ALLOC_FAILED",        "CUFFT_INVALID_TYPE",
    "CUFFT_INVALID_VALUE", "CUFFT_INTERNAL_ERROR", "CUFFT_EXEC_FAILED",         "CUFFT_SETUP_FAILED",
    "CUFFT_INVALID_SIZE",  "CUFFT_UNALIGNED_DATA", "incomplete parameter list", "CUFFT_INVALID_DEVICE",
    "parse error",         "CUFFT_NO_WORKSPACE",   "CUFFT_NOT_IMPLEMENTED",     "license error",
    "CUFFT_NOT_SUPPORTED",
};

static cp_status check(cpcu_cufft_result result, const char *call) {
  if (result == CPCU_CUFFT_SUCCESS) return CP_OK;
  bool known = result > 0 && (size_t)result < sizeof status_names / sizeof status_names[0];
  return cp_fail(result == CPCU_CUFFT_ALLOC_FAILED ? CP_EMEMORY : CP_ECUDA, "%s: %s (%d)", call,
                 known ? status_names[result] : "cuFFT error", result);
}

static cpcu_cufft handle_of(const cp_fft_plan *plan) { return (cpcu_cufft)(intptr_t)plan->handle; }

// Runs of the plan may still be queued; destroying it waits for the device.
static void destroy_handle(cp_fft_plan *plan) { (void)table.cufftDestroy(handle_of(plan)); }

static cpcu_cufft_type type_of(const cp_fft_shape *s) {
  static const cpcu_cufft_type types[2][3] = {
      [0] = {[CP_FFT_C2C] = CPCU_CUFFT_C2C, [CP_FFT_R2C] = CPCU_CUFFT_R2C, [CP_FFT_C2R] = CPCU_CUFFT_C2R},
      [1] = {[CP_FFT_C2C] = CPCU_CUFFT_Z2Z, [CP_FFT_R2C] = CPCU_CUFFT_D2Z, [CP_FFT_C2R] = CPCU_CUFFT_Z2D}};
  return types[s->wide != 0][s->kind];
}

// The arrays are packed, so the library's default strides are right.
static cp_status make_plan(cp_cuda_stream *s, cpcu_cufft plan, const cp_fft_shape *shape, size_t *work) {
  long long n[CP_FFT_RANK];
  for (int k = 0; k < shape->rank; k++) n[k] = shape->n[k];
  CP_TRY(check(table.cufftSetAutoAllocation(plan, 0), "cufftSetAutoAllocation"));
  CP_TRY(check(table.cufftMakePlanMany64(plan, shape->rank, n, NULL, 1, 1, NULL, 1, 1, type_of(shape),
                                         shape->nbatch > 0 ? shape->count[0] : 1, work),
               "cufftMakePlanMany64"));
  return check(table.cufftSetStream(plan, s->stream), "cufftSetStream");
}

static cp_status new_plan(cp_cuda_stream *s, const cp_fft_shape *shape, cp_fft_plan **out) {
  cpcu_cufft handle;
  CP_TRY(check(table.cufftCreate(&handle), "cufftCreate"));
  cp_fft_plan *plan = calloc(1, sizeof *plan);
  cp_status status = plan != NULL ? make_plan(s, handle, shape, &plan->work) : cp_no_memory(NULL);
  if (status != CP_OK) {
    (void)table.cufftDestroy(handle);
    free(plan);
    return status;
  }
  plan->shape = *shape;
  plan->handle = (void *)(intptr_t)handle;
  *out = plan;
  return CP_OK;
}

static void close_plans(cp_cuda_math *m, const cpcu_driver *driver) {
  (void)driver;
  if (!m->has_plans) return;
  (void)cp_fft_cache_trim(&m->plans, -1, 0);
  m->has_plans = false;
}

static cp_status open_plan(cp_context *ctx, cp_stream *stream, const cp_fft_shape *shape, cp_fft_plan **out,
                           size_t *work) {
  cp_cuda_stream *s = (cp_cuda_stream *)stream;
  cp_cuda_math *m;
  (void)ctx;
  CP_TRY(cp_open_library(&library));
  CP_TRY(cp_cuda_math_of(s, &m));
  if (!m->has_plans) cp_cuda_math_closes(m, close_plans);
  if (!m->has_plans) cp_fft_cache_init(&m->plans, PLANS, destroy_handle);
  m->has_plans = true;
  *out = cp_fft_cache_find(&m->plans, shape);
  if (*out == NULL) {
    cp_cuda_pause();
    cp_status status = new_plan(s, shape, out);
    if (status == CP_OK) cp_fft_cache_add(&m->plans, *out); // which may evict another plan
    cp_cuda_resume();
    CP_TRY(status);
  }
  *work = (*out)->work;
  return CP_OK;
}

static cp_status run(cp_stream *s, cp_fft_plan *plan, void *in, void *out, void *work) {
  cpcu_cufft handle = handle_of(plan);
  int direction = plan->shape.inverse ? CPCU_CUFFT_INVERSE : CPCU_CUFFT_FORWARD;
  CP_TRY(cp_cuda_enter((cp_cuda_device *)s->device));
  if (plan->work > 0) CP_TRY(check(table.cufftSetWorkArea(handle, work), "cufftSetWorkArea"));
  switch (type_of(&plan->shape)) {
  case CPCU_CUFFT_R2C: return check(table.cufftExecR2C(handle, in, out), "cufftExecR2C");
  case CPCU_CUFFT_C2R: return check(table.cufftExecC2R(handle, in, out), "cufftExecC2R");
  case CPCU_CUFFT_C2C: return check(table.cufftExecC2C(handle, in, out, direction), "cufftExecC2C");
  case CPCU_CUFFT_D2Z: return check(table.cufftExecD2Z(handle, in, out), "cufftExecD2Z");
  case CPCU_CUFFT_Z2D: return check(table.cufftExecZ2D(handle, in, out), "cufftExecZ2D");
  default: return check(table.cufftExecZ2Z(handle, in, out, direction), "cufftExecZ2Z");
  }
}

static int trim(cp_stream *stream, int limit, int keep) {
  cp_cuda_stream *s = (cp_cuda_stream *)stream;
  if (s->math == NULL || !s->math->has_plans || cp_cuda_enter((cp_cuda_device *)s->base.device) != CP_OK)
    return 0;
  return cp_fft_cache_trim(&s->math->plans, limit, keep);
}

const cp_fft_ops cp_cuda_fft = {
    .strided = false, .open = open_plan, .run = run, .close = cp_fft_cache_close, .trim = trim};
