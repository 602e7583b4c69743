// The CUDA device: opens a GPU, allocates its memory, and describes it for show_config.
#include "cuda/device.h"
#include "cuda/driver/graph.h"
#include "cuda/libraries/math.h"
#include "cuda/routines/index.h"
#include "cuda/run/nvrtc.h"
#include "cuda/run/rows.h"
#include "device/runtime.h"
#include "device/texture.h"
#include "memory/allocator.h"
#include "routines/collective.h"
#include "routines/convolve.h"
#include "routines/scan.h"
#include "routines/sites.h"
#include "routines/sort.h"
#include "routines/sparse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIBE_MB = 1 << 20 };

// ---- raw memory ----

static cp_status allocate(cp_device *base, size_t bytes, void **pointer) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  cpcu_deviceptr p = 0;
  *pointer = NULL;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(cp_cuda_result(d, d->driver->cuMemAlloc(&p, bytes), "cuMemAlloc"));
  *pointer = (void *)(uintptr_t)p;
  return CP_OK;
}

// An error here comes from earlier work, and the next cp_cuda_enter reports it.
static void release(cp_device *base, void *pointer, size_t bytes) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  (void)bytes;
  if (pointer == NULL || cp_cuda_enter(d) != CP_OK) return;
  cp_cuda_pause();
  (void)cp_cuda_result(d, d->driver->cuMemFree(cp_cuda_address(pointer)), "cuMemFree");
  cp_cuda_resume();
}

static cp_status memory_info(cp_device *base, size_t *free_bytes, size_t *total_bytes) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d, d->driver->cuMemGetInfo(free_bytes, total_bytes), "cuMemGetInfo");
}

static cp_status synchronize(cp_device *base) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_wait_for_context(d);
}

// ---- properties ----

typedef void property_sink(void *data, const char *name, const char *text, double value);

// Every attribute that api.h declares, by its CUDA name without the prefix: MAX_BLOCK_DIM_X.
#define ATTRIBUTE_PREFIX "DEVICE_ATTRIBUTE_"
static const struct {
  const char *name;
  cpcu_attribute attribute;
} attributes[] = {
#define ENTRY(prefix, name, value) {#name, value},
    CPCU_CONSTANTS(ENTRY)
#undef ENTRY
};

// Turns "MAX_BLOCK_DIM_X" into "MaxBlockDimX".
static void camel_case(const char *name, char *out, size_t size) {
  size_t n = 0;
  bool first = true;
  for (; *name != '\0' && n + 1 < size; name++) {
    if (*name != '_') out[n++] = (char)(first ? *name : tolower((unsigned char)*name));
    first = *name == '_';
  }
  out[n] = '\0';
}

static void list_attributes(cp_cuda_device *d, property_sink *each, void *data) {
  char name[96];
  for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
    int value = 0;
    const char *text = attributes[k].name;
    if (strncmp(text, ATTRIBUTE_PREFIX, sizeof ATTRIBUTE_PREFIX - 1) != 0) continue;
    if (d->driver->cuDeviceGetAttribute(&value, attributes[k].attribute, d->device) != CPCU_SUCCESS) continue;
    camel_case(text + sizeof ATTRIBUTE_PREFIX - 1, name, sizeof name);
    each(data, name, NULL, value);
  }
}

static cp_status properties(cp_device *base, bool all, property_sink *each, void *data) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  size_t available, total;
  char text[16];
  CP_TRY(cp_cuda_enter(d));
  if (all) {
    list_attributes(d, each, data);
    return CP_OK;
  }
  CP_TRY(memory_info(base, &available, &total));
  snprintf(text, sizeof text, "%d.%d", d->arch / 10, d->arch % 10);
  each(data, "name", d->title, 0);
  each(data, "compute_capability", text, 0);
  each(data, "multiprocessors", NULL, d->sm_count);
  each(data, "max_threads_per_block", NULL, d->max_threads);
  each(data, "max_threads_per_multiprocessor", NULL, d->max_sm_threads);
  each(data, "shared_memory_per_block", NULL, d->max_shared);
  each(data, "shared_memory_per_block_optin", NULL, d->max_shared_optin);
  each(data, "l2_cache_size", NULL, d->l2_bytes);
  each(data, "driver_version", NULL, d->driver_version);
  each(data, "total_memory", NULL, (double)total);
  each(data, "free_memory", NULL, (double)available);
  return CP_OK;
}

// ---- description ----

static void describe_memory(cp_device *base, cp_strbuf *out) {
  size_t available = 0, total = 0;
  if (memory_info(base, &available, &total) == CP_OK)
    cp_strbuf_printf(out, "memory: %zu MB, %zu MB of them free\n", total / DESCRIBE_MB,
                     available / DESCRIBE_MB);
  else
    cp_strbuf_printf(out, "memory: %s\n", cp_error_text());
}

static void describe_library(cp_strbuf *out, const char *title, const char *path) {
  cp_strbuf_printf(out, "%s: %s\n", title, path != NULL ? path : "not opened yet");
}

static void describe(cp_device *base, cp_strbuf *out) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  const char *folder = cp_disk_folder(), *driver = cp_library_path(CP_LIBRARY_DRIVER);
  int major = 0, minor = 0;
  cp_strbuf_printf(out, "name: %s\n", d->title);
  cp_strbuf_printf(out, "compute capability: %d.%d\n", d->arch / 10, d->arch % 10);
  cp_strbuf_printf(out, "multiprocessors: %d\n", d->sm_count);
  describe_memory(base, out);
  cp_strbuf_printf(out, "driver: CUDA %d.%d, %s\n", d->driver_version / 1000, d->driver_version % 1000 / 10,
                   driver != NULL ? driver : "not open");
  if (cp_nvrtc_version(&major, &minor) == CP_OK)
    cp_strbuf_printf(out, "nvrtc: %d.%d, %s\n", major, minor, cp_library_path(CP_LIBRARY_NVRTC));
  else
    cp_strbuf_printf(out, "nvrtc: %s\n", cp_error_text());
  describe_library(out, "cuBLAS", cp_cublas_path());
  describe_library(out, "cuSOLVER", cp_cusolver_path());
  describe_library(out, "cuFFT", cp_cufft_path());
  describe_library(out, "cuRAND", cp_curand_path());
  if (cp_cudss_path() != NULL) describe_library(out, "cuDSS", cp_cudss_path());
  if (cp_nccl_path() != NULL) cp_strbuf_printf(out, "NCCL: %s\n", cp_nccl_path());
  cp_strbuf_printf(out, "kernel cache: %s\n", folder[0] != '\0' ? folder : "off");
}

// ---- opening ----

static const cp_device_ops cuda_ops = {
    .kind = "cuda",
    .allocate = allocate,
    .release = release,
    .memory_info = memory_info,
    .price = {.block = 4.5e-5, .byte = 1.5e-13}, // cuMemAlloc on an H200
    .together = 16,
    .copy = cp_cuda_copy,
    .fill_bytes = cp_cuda_fill_bytes,
    .peer_reader = cp_cuda_peer_reader,
    .peer_copy = cp_cuda_peer_copy,
    .run = cp_cuda_run,
    .takes_phases = cp_cuda_takes_phases,
    .takes_lookups = true,
    .phased_least = CP_CUDA_PHASED_LEAST,
    .phased_plain = true,
    .phased_joins = true,
    .draws_again = true,
    .writes_wait = true,
    .phased_most = CP_CUDA_PHASED_MOST,
    .run_flat = cp_cuda_run_flat,
    .flat_most = INT32_MAX - 1,
    .synchronize = synchronize,
    .stream_create = cp_cuda_stream_create,
    .stream_destroy = cp_cuda_stream_destroy,
    .stream_synchronize = cp_cuda_stream_synchronize,
    .stream_finish = cp_cuda_stream_finish,
    .stream_query = cp_cuda_stream_query,
    .stream_wait = cp_cuda_stream_wait,
    .stream_mark = cp_cuda_stream_mark,
    .stream_follow = cp_cuda_stream_follow,
    .stream_pointer = cp_cuda_stream_pointer,
    .priorities = cp_cuda_priorities,
    .event_create = cp_cuda_event_create,
    .event_destroy = cp_cuda_event_destroy,
    .event_record = cp_cuda_event_record,
    .event_wait = cp_cuda_event_wait,
    .event_query = cp_cuda_event_query,
    .event_synchronize = cp_cuda_event_synchronize,
    .event_elapsed = cp_cuda_event_elapsed,
    .event_pointer = cp_cuda_event_pointer,
    .properties = properties,
    .index = &cp_cuda_index_ops,
    .describe = describe,
    .blas = &cp_cuda_blas,
    .solver = &cp_cuda_solver,
    .fft = &cp_cuda_fft,
    .raw = &cp_cuda_raw_ops,
    .scan = &cp_cuda_scan_ops,
    .convolve = &cp_cuda_convolve_ops,
    .sites = &cp_cuda_sites_ops,
    .sort = &cp_cuda_sort_ops,
    .sparse = &cp_cuda_sparse_ops,
    .memory = &cp_cuda_memory_ops,
    .runtime = &cp_cuda_runtime_ops,
    .textures = &cp_cuda_texture_ops,
    .collective = &cp_cuda_collective_ops,
    .graph = &cp_cuda_graph_ops,
};

static cp_status read_attributes(cp_cuda_device *d) {
  int major = 0, minor = 0;
  const struct {
    int *value;
    cpcu_attribute attribute;
  } wanted[] = {
      {&major, CPCU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {&minor, CPCU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {&d->sm_count, CPCU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {&d->max_threads, CPCU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {&d->max_sm_threads, CPCU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {&d->max_shared, CPCU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
      {&d->max_shared_optin, CPCU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {&d->l2_bytes, CPCU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
    CP_TRY(cp_cuda_check(d->driver->cuDeviceGetAttribute(wanted[i].value, wanted[i].attribute, d->device),
                         "cuDeviceGetAttribute"));
  d->arch = 10 * major + minor;
  return CP_OK;
}

// The host's context must belong to this GPU. The driver can tell once the context is current.
static cp_status adopt_context(cp_cuda_device *d, cpcu_context context) {
  cpcu_device of = 0;
  cpcu_context popped;
  CP_TRY(cp_cuda_check(d->driver->cuCtxPushCurrent(context), "the given context: cuCtxPushCurrent"));
  cp_status status = cp_cuda_check(d->driver->cuCtxGetDevice(&of), "the given context: cuCtxGetDevice");
  (void)d->driver->cuCtxPopCurrent(&popped);
  CP_TRY(status);
  if (of != d->device)
    return cp_fail(CP_EUSAGE, "the context given for %s belongs to another GPU", d->base.name);
  d->context = context;
  return CP_OK;
}

static bool is_in(const cp_device *d, const void *context) {
  return ((const cp_cuda_device *)d)->context == context;
}

// context: the host's, or NULL for the primary context.
static cp_status open_device(cp_cuda_device *d, int ordinal, cpcu_context context) {
  CP_TRY(cp_cuda_check(d->driver->cuDeviceGet(&d->device, ordinal), "cuDeviceGet"));
  CP_TRY(cp_cuda_check(d->driver->cuDeviceGetName(d->title, (int)sizeof d->title, d->device),
                       "cuDeviceGetName"));
  CP_TRY(read_attributes(d));
  d->kernels = cp_table_new();
  if (d->kernels == NULL) return cp_fail(CP_EMEMORY, "out of host memory while opening %s", d->base.name);
  if (context != NULL) return adopt_context(d, context);
  return cp_cuda_check(d->driver->cuDevicePrimaryCtxRetain(&d->context, d->device),
                       "cuDevicePrimaryCtxRetain");
}

static cp_status open_gpu(int ordinal, void *context, cp_device **out) {
  const char *reason;
  *out = NULL;
  if (cp_cuda_count(&reason) == 0) return cp_fail(CP_ECUDA, "%s", reason);
  cp_cuda_device *d = calloc(1, sizeof *d);
  if (d == NULL || !cp_cuda_gate_init(&d->gate)) {
    free(d);
    return cp_fail(CP_EMEMORY, "out of host memory while opening cuda:%d", ordinal);
  }
  d->base.ops = &cuda_ops;
  d->base.ordinal = ordinal;
  snprintf(d->base.name, sizeof d->base.name, "cuda:%d", ordinal);
  pthread_mutex_init(&d->lock, NULL);
  cp_status status = cp_cuda_start(d);
  if (status == CP_OK) status = open_device(d, ordinal, context);
  if (status == CP_OK && (d->base.pool = cp_pool_new(&d->base)) == NULL) status = cp_no_memory(NULL);
  if (status == CP_OK) {
    *out = &d->base;
    return CP_OK;
  }
  if (d->kernels != NULL) cp_table_free(d->kernels, NULL);
  pthread_mutex_destroy(&d->lock);
  cp_cuda_gate_destroy(&d->gate);
  free(d);
  return status;
}

const cp_device_kind cp_cuda_kind = {
    .ops = &cuda_ops, .count = cp_cuda_count, .open = open_gpu, .is_in = is_in};
