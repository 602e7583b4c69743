// Opens cuDSS at first use, and keeps its handles (cudss.h).
#include "cuda/libraries/cudss.h"

#include "cuda/driver/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the library ----

cpcu_cudss_table cp_cudss_table;

static const cp_symbol symbols[] = {
#define SYMBOL(symbol, arguments) {#symbol, offsetof(cpcu_cudss_table, symbol), false},
    CPCU_CUDSS_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static cp_library library = {
    .title = "cuDSS",
    .names = CP_LIST("libcudss.so.1"),
    .folders = cp_toolkit_folders,
    .wheels = CP_LIST("nvidia/cu13/lib", "nvidia/cu12/lib", "nvidia/cudss/lib"),
    .variables = CP_LIST("CUPOLA_CUDSS_PATH", "CUPOLA_CUDA_PATH", "CUDA_PATH"),
    .hint = "install the Python wheel nvidia-cudss-cu12 or -cu13, or set CUPOLA_CUDSS_PATH",
    .outdated = "cuDSS 1.0 or later is needed",
    CP_FILLS(&cp_cudss_table, symbols),
};

const char *cp_cudss_path(void) { return cp_opened_path(&library); }

static const char *const status_names[] = {
    "CUDSS_STATUS_SUCCESS",        "CUDSS_STATUS_NOT_INITIALIZED", "CUDSS_STATUS_ALLOC_FAILED",
    "CUDSS_STATUS_INVALID_VALUE",  "CUDSS_STATUS_NOT_SUPPORTED",   "CUDSS_STATUS_EXECUTION_FAILED",
    "CUDSS_STATUS_INTERNAL_ERROR", "CUDSS_STATUS_IR_FAILED",
};

cp_status cp_cudss_check(cpcu_cudss_status status, const char *call) {
  if (status == CPCU_CUDSS_STATUS_SUCCESS) return CP_OK;
  bool known = status > 0 && (size_t)status < sizeof status_names / sizeof status_names[0];
  return cp_fail(status == CPCU_CUDSS_STATUS_ALLOC_FAILED ? CP_EMEMORY : CP_ECUDA, "%s: %s (%d)", call,
                 known ? status_names[status] : "cuDSS error", status);
}

// cuBLAS and NVRTC, which the library needs, are opened first: the loader then takes them from wherever they
// were found.
bool cp_cudss_there(void) {
  const cpcu_nvrtc *nvrtc;
  if (cp_cudss_path() != NULL) return true;
  (void)cp_cublas_there();
  (void)cp_nvrtc_library(&nvrtc);
  return cp_try_library(&library);
}

// ---- handles ----

static void free_handle(cp_cudss *u) {
  if (u->handle != NULL) (void)cp_cudss_table.cudssDestroy(u->handle);
  free(u);
}

void cp_cudss_end(cp_direct *f) {
  if (f->data != NULL) (void)cp_cudss_table.cudssDataDestroy(f->home->handle, f->data);
  if (f->config != NULL) (void)cp_cudss_table.cudssConfigDestroy(f->config);
  f->data = NULL;
  f->config = NULL;
}

// The state ends: all its streams are idle, and some are gone.
static void close_cudss(cp_cuda_math *m, const cpcu_driver *driver) {
  cp_cudss *u = m->direct;
  (void)driver;
  m->direct = NULL;
  u->own = NULL;
  for (cp_direct *f = u->factors; f != NULL; f = f->next) {
    cp_cudss_end(f);
    f->home = NULL;
  }
  free_handle(u);
}

// Without files of its own: what the library compiles, it compiles once in a process. Its memory is its own:
// with functions of ours for it (cudssSetDeviceMemHandler) version 1.0 fails to give back what it registered.
static cp_status make_handle(cp_cudss *u) {
  CP_TRY(cp_cudss_check(cp_cudss_table.cudssCreate(&u->handle), "cudssCreate"));
  CP_TRY(cp_cudss_check(cp_cudss_table.cudssSetStream(u->handle, u->own->stream), "cudssSetStream"));
  return cp_cudss_check(cp_cudss_table.cudssSetJitCacheDir(u->handle, ""), "cudssSetJitCacheDir");
}

// A failure other than for memory is kept.
static cp_status begin(cp_cuda_stream *own, cp_cuda_math *m) {
  cp_cudss *u = calloc(1, sizeof *u);
  if (u == NULL) return cp_no_memory(NULL);
  u->device = own->base.device;
  u->own = own;
  cp_cuda_alone_begin((cp_cuda_device *)u->device);
  cp_status status = make_handle(u);
  cp_cuda_alone_end((cp_cuda_device *)u->device);
  if (status == CP_EMEMORY) {
    free_handle(u);
    return status;
  }
  if (status != CP_OK) snprintf(u->unusable, sizeof u->unusable, "%s", cp_error_text());
  m->direct = u;
  cp_cuda_math_closes(m, close_cudss);
  return CP_OK;
}

cp_status cp_cudss_of(cp_context *ctx, cp_device *d, cp_cudss **out, const char **why) {
  cp_stream *own;
  cp_cuda_math *m;
  *out = NULL;
  *why = "cuDSS could not be opened";
  if (!cp_cudss_there()) return CP_OK;
  CP_TRY(cp_context_own_stream(ctx, d, &own));
  CP_TRY(cp_cuda_math_of((cp_cuda_stream *)own, &m));
  if (m->direct == NULL) CP_TRY(begin((cp_cuda_stream *)own, m));
  if (m->direct->unusable[0] == '\0')
    *out = m->direct;
  else
    *why = m->direct->unusable;
  return CP_OK;
}
