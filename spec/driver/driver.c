// Simulates libcuda.so.1 without a GPU. Device memory is host memory (memory.c). A thread for each stream
// runs what is queued on it, with pauses or as late as possible (streams.c), and graphs (graphs.c). It lets
// spec/devices/transfer_spec.lua test on any machine how the CUDA device handles memory, copies, streams and
// events. Its kernels read and write elements by their positions (kernels.c, writes.c, nvrtc.c), or are those
// that cp.jit makes in a spec (jit.c). With DRIVER_KERNELS, a folder that build.sh made, all kernels are
// compiled for the host and run there, which spec/lazy/simulated_spec.lua uses (host/compile.c, host/run.c);
// the script `simulated` runs any command with such a GPU. This file has the GPUs and their contexts.
//   DRIVER_PAUSE   the longest pause before a copy, in microseconds (default 200); "late": nothing runs
//                  before something waits for it, and then only what that wait needs, so that work without an
//                  order always runs in the wrong one; "none": the thread that queues it runs it at once
//   DRIVER_GPUS    the number of GPUs (default 1)
//   DRIVER_PEERS   1: the GPUs can access each other's memory
//
// It is stricter than a GPU where this finds mistakes: copies of pageable memory run late too, freed memory
// is overwritten and never reused, streams and memory can be used only in their own context, and copies
// between GPUs need peer access to be enabled.
#include "driver.h"

#include <stdio.h>

static int contexts[MAX_GPUS];           // their addresses are the handles
static bool reached[MAX_GPUS][MAX_GPUS]; // whether peer access was enabled
static _Thread_local void *current;

int driver_setting(const char *name, int missing) {
  const char *text = getenv(name);
  return text != NULL ? atoi(text) : missing;
}

void driver_forbid(bool forbidden, const char *what) {
  if (!forbidden) return;
  fprintf(stderr, "the simulated driver: %s\n", what);
  _Exit(9);
}

const void *driver_context(void) {
  driver_forbid(current == NULL, "no context");
  return current;
}

int driver_gpu(const void *context) { return (int)((const int *)context - contexts); }

bool driver_reaches(int gpu, int other) { return reached[gpu][other]; }

// ---- GPUs ----

int cuInit(unsigned flags) { return flags == 0 ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE; }

int cuDriverGetVersion(int *version) {
  *version = 13000;
  return CPCU_SUCCESS;
}

int cuDeviceGetCount(int *n) {
  *n = driver_setting("DRIVER_GPUS", 1);
  return *n <= MAX_GPUS ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return CPCU_SUCCESS;
}

int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "no GPU");
  return CPCU_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) { // an H100's
  case CPCU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
  case CPCU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
  case CPCU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = driver_setting("DRIVER_MULTIPROCESSORS", 132);
    break;
  case CPCU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
  case CPCU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
  case CPCU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
  case CPCU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 << 10; break;
  case CPCU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 228 << 10; break;
  case CPCU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: *value = 65536; break;
  case CPCU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 50 << 20; break;
  default: *value = 64;
  }
  return CPCU_SUCCESS;
}

// ---- contexts ----

int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contexts[device];
  return CPCU_SUCCESS;
}

int cuCtxSetCurrent(void *context) {
  current = context;
  return CPCU_SUCCESS;
}

int cuCtxGetCurrent(void **context) {
  *context = current;
  return CPCU_SUCCESS;
}

int cuCtxGetDevice(int *device) {
  *device = driver_gpu(driver_context());
  return CPCU_SUCCESS;
}

int cuCtxSynchronize(void) {
  driver_forbid(driver_capturing(), "cuCtxSynchronize inside of a capture");
  driver_finish(driver_context());
  return CPCU_SUCCESS;
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return CPCU_SUCCESS;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = device != peer && driver_setting("DRIVER_PEERS", 0) == 1;
  return CPCU_SUCCESS;
}

int cuCtxEnablePeerAccess(void *peer, unsigned flags) {
  bool *access = &reached[driver_gpu(driver_context())][driver_gpu(peer)];
  if (flags != 0 || peer == current || driver_setting("DRIVER_PEERS", 0) != 1)
    return CPCU_ERROR_INVALID_VALUE;
  if (*access) return CPCU_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  *access = true;
  return CPCU_SUCCESS;
}

// ---- errors ----

int cuGetErrorName(int error, const char **name) {
  (void)error;
  *name = "ERROR";
  return CPCU_SUCCESS;
}

int cuGetErrorString(int error, const char **text) {
  (void)error;
  *text = "simulated";
  return CPCU_SUCCESS;
}
