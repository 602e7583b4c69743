// Opens the CUDA driver's library and NVRTC (library.h), and turns the driver's errors into messages.
#include "cuda/driver/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the libraries ----

static cpcu_driver driver_table;
static cpcu_nvrtc nvrtc_table;
static cp_library libraries[CP_LIBRARY_COUNT];

static const cp_symbol driver_symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_driver, field), false},
    CPCU_DRIVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_driver, field), true},
        CPCU_OPTIONAL_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static const cp_symbol nvrtc_symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_nvrtc, field), false},
    CPCU_NVRTC_FUNCTIONS(SYMBOL)
#undef SYMBOL
        {"nvrtcGetErrorString", offsetof(cpcu_nvrtc, nvrtcGetErrorString), false},
};

// A driver loads cubins made by a toolkit of its own major version or an older one, so its version decides
// which toolkit is preferred.
bool cp_cuda_prefers_12(void) {
  int version = 0;
  if (cp_try_library(&libraries[CP_LIBRARY_DRIVER]) &&
      driver_table.cuDriverGetVersion(&version) != CPCU_SUCCESS)
    version = 0;
  return version / 1000 == 12;
}

// NVRTC opens its builtins by their bare file name, which fails if NVRTC came from a folder that the loader
// does not search. Once loaded by path, they are found by their soname. If this fails, NVRTC's own message
// says what is missing.
static void load_nvrtc_builtins(const char *nvrtc_path) {
  char path[1200];
  int major = 0, minor = 0;
  const char *slash = strrchr(nvrtc_path, '/');
  if (slash == NULL || nvrtc_table.nvrtcVersion(&major, &minor) != CPCU_NVRTC_SUCCESS) return;
  snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - nvrtc_path), nvrtc_path, major,
           minor);
  if (access(path, F_OK) == 0) (void)dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

const char *const cp_toolkit_variables[] = {"CUPOLA_CUDA_PATH", "CUDA_PATH", NULL};
const char *const cp_toolkit_folders[] = {"/usr/local/cuda/lib64",
                                          "/usr/local/cuda-1[2-9].*/lib64",
                                          "/usr/local/cuda-1[2-9]/lib64",
                                          "/opt/cuda/lib64",
                                          "/usr/lib/" CP_MULTIARCH,
                                          "/usr/lib64",
                                          "/usr/lib",
                                          NULL};

static cp_library libraries[CP_LIBRARY_COUNT] = {
    [CP_LIBRARY_DRIVER] = {.title = "the NVIDIA driver",
                           .names = CP_LIST("libcuda.so.1", "libcuda.so"),
                           // the last two folders are those of WSL and NixOS
                           .folders = CP_LIST("/usr/lib/" CP_MULTIARCH, "/usr/lib64", "/usr/lib",
                                              "/usr/lib/wsl/lib", "/run/opengl-driver/lib"),
                           .hint = "is an NVIDIA GPU driver installed? The CPU device works without one",
                           CP_FILLS(&driver_table, driver_symbols)},
    [CP_LIBRARY_NVRTC] = {.title = "NVRTC",
                          .names = CP_LIST("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"),
                          .second_first = cp_cuda_prefers_12,
                          CP_TOOLKIT_PLACES("cuda_nvrtc"),
                          .hint = CP_TOOLKIT_HINT("nvidia-cuda-nvrtc"),
                          .opened = load_nvrtc_builtins,
                          CP_FILLS(&nvrtc_table, nvrtc_symbols)},
};

cp_status cp_cuda_driver(const cpcu_driver **out) {
  *out = &driver_table;
  return cp_open_library(&libraries[CP_LIBRARY_DRIVER]);
}

cp_status cp_nvrtc_library(const cpcu_nvrtc **out) {
  const char *setting = getenv("CUPOLA_NVRTC");
  *out = &nvrtc_table;
  if (setting != NULL && strcmp(setting, "off") == 0)
    return cp_fail(CP_ECUDA, "NVRTC is off (CUPOLA_NVRTC=off), and no bundle or cache has the kernel");
  return cp_open_library(&libraries[CP_LIBRARY_NVRTC]);
}

const char *cp_library_path(cp_library_id which) { return cp_opened_path(&libraries[which]); }

// ---- driver errors ----

bool cp_cuda_is_sticky(cpcu_result result) {
  switch (result) {
  case CPCU_ERROR_ECC_UNCORRECTABLE:
  case CPCU_ERROR_NVLINK_UNCORRECTABLE:
  case CPCU_ERROR_ILLEGAL_ADDRESS:
  case CPCU_ERROR_LAUNCH_TIMEOUT:
  case CPCU_ERROR_CONTEXT_IS_DESTROYED:
  case CPCU_ERROR_ASSERT:
  case CPCU_ERROR_HARDWARE_STACK_ERROR:
  case CPCU_ERROR_ILLEGAL_INSTRUCTION:
  case CPCU_ERROR_MISALIGNED_ADDRESS:
  case CPCU_ERROR_INVALID_ADDRESS_SPACE:
  case CPCU_ERROR_INVALID_PC:
  case CPCU_ERROR_LAUNCH_FAILED: return true;
  default: return false;
  }
}

static const char *hint_for(cpcu_result result) {
  switch (result) {
  case CPCU_ERROR_OUT_OF_MEMORY: return "the GPU has no memory left: free arrays, or use smaller ones";
  case CPCU_ERROR_NOT_INITIALIZED: return "a process forked after CUDA was first used cannot use it";
  case CPCU_ERROR_DEINITIALIZED: return "the process is ending";
  case CPCU_ERROR_STUB_LIBRARY:
    return "this libcuda is a toolkit's stub: take the stubs folder out of LD_LIBRARY_PATH";
  case CPCU_ERROR_NO_DEVICE: return "there is no usable GPU: see nvidia-smi and CUDA_VISIBLE_DEVICES";
  case CPCU_ERROR_DEVICE_UNAVAILABLE: return "another process holds the GPU in exclusive mode";
  case CPCU_ERROR_INVALID_IMAGE:
  case CPCU_ERROR_NO_BINARY_FOR_GPU:
    return "the kernel was compiled for another architecture, or by an NVRTC that is newer than the driver";
  case CPCU_ERROR_UNSUPPORTED_PTX_VERSION:
    return "NVRTC is newer than the driver: update the driver or use an older CUDA toolkit";
  case CPCU_ERROR_INVALID_CONTEXT:
  case CPCU_ERROR_INVALID_HANDLE: return "an object was used on another device, or after it was released";
  case CPCU_ERROR_LAUNCH_OUT_OF_RESOURCES:
    return "the kernel needs more registers or shared memory than a block of this size can have";
  case CPCU_ERROR_SYSTEM_NOT_READY: return "the system is not ready for CUDA: is the fabric manager running?";
  case CPCU_ERROR_SYSTEM_DRIVER_MISMATCH:
    return "the driver's user and kernel parts differ: restart the computer after a driver update";
  case CPCU_ERROR_STREAM_CAPTURE_UNSUPPORTED:
  case CPCU_ERROR_STREAM_CAPTURE_IMPLICIT: return "this cannot be done while a graph is captured";
  default: return NULL;
  }
}

cp_status cp_cuda_check(cpcu_result result, const char *call) {
  if (result == CPCU_SUCCESS) return CP_OK;
  const char *name = NULL, *text = NULL, *hint = hint_for(result);
  if (cp_try_library(&libraries[CP_LIBRARY_DRIVER])) {
    driver_table.cuGetErrorName(result, &name);
    driver_table.cuGetErrorString(result, &text);
  }
  if (cp_cuda_is_sticky(result))
    hint = "a kernel launched before may be the cause; CUDA cannot recover from this, restart the process";
  return cp_fail(result == CPCU_ERROR_OUT_OF_MEMORY ? CP_EMEMORY : CP_ECUDA, "%s: %s (%d)%s%s%s%s", call,
                 name != NULL ? name : "CUDA error", result, text != NULL ? ": " : "",
                 text != NULL ? text : "", hint != NULL ? "; " : "", hint != NULL ? hint : "");
}
