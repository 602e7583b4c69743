// Finding and opening shared libraries (library.h), and the tables of the driver and of NVRTC.
//
// dlopen is given full paths only for files that exist, so its complaint about such a file (a wrong
// architecture, a missing dependency) is worth keeping, while "not there" is summed up in one sentence at the
// end.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dlinfo
#endif
#include "cuda/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__aarch64__)
#define MULTIARCH   "aarch64-linux-gnu"
#define CUDA_TARGET "sbsa-linux"
#else
#define MULTIARCH   "x86_64-linux-gnu"
#define CUDA_TARGET "x86_64-linux"
#endif

enum { UNTRIED, OPEN, FAILED };

// ---- one attempt ----

// Keeps the first complaint that tells more than that a file is not there.
static void note_complaint(cp_library *library, const char *complaint) {
  if (complaint != NULL && library->reason[0] == '\0')
    snprintf(library->reason, sizeof library->reason, "%s", complaint);
}

static bool try_path(cp_library *library, const char *path) {
  if (access(path, F_OK) != 0) return false;
  library->handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library->handle == NULL) note_complaint(library, dlerror());
  return library->handle != NULL;
}

// By bare name: LD_LIBRARY_PATH, the run path, ld.so.cache, the system's folders.
static bool try_loader(cp_library *library, const char *name) {
  library->handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library->handle != NULL) return true;
  const char *complaint = dlerror();
  size_t length = strlen(name);
  bool absent = complaint == NULL || (strncmp(complaint, name, length) == 0 &&
                                      strstr(complaint, "cannot open shared object file") != NULL);
  if (!absent) note_complaint(library, complaint);
  return false;
}

static bool try_folder(cp_library *library, const char *folder, const char *name) {
  char path[1024];
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  return n > 0 && (size_t)n < sizeof path && try_path(library, path);
}

// A folder that may hold wildcards; of several matches the last in sorted order is tried first, as it is the
// newest.
static bool try_pattern(cp_library *library, const char *pattern, const char *name) {
  if (strpbrk(pattern, "*[?") == NULL) return try_folder(library, pattern, name);
  glob_t found;
  bool done = false;
  if (glob(pattern, 0, NULL, &found) != 0) return false;
  for (size_t i = found.gl_pathc; i-- > 0 && !done;) done = try_folder(library, found.gl_pathv[i], name);
  globfree(&found);
  return done;
}

// ---- the places ----

// A toolkit's root, a folder of libraries, or a folder that holds such a folder: all names in one before the
// next.
static bool try_toolkit(cp_library *library, const char *variable) {
  static const char *const below[] = {"lib64", "lib", ".", "targets/" CUDA_TARGET "/lib", NULL};
  const char *root = getenv(variable);
  if (root == NULL || root[0] == '\0') return false;
  for (size_t i = 0; below[i] != NULL; i++) {
    char folder[1024];
    int n = strcmp(below[i], ".") == 0 ? snprintf(folder, sizeof folder, "%s", root)
                                       : snprintf(folder, sizeof folder, "%s/%s", root, below[i]);
    if (n <= 0 || (size_t)n >= sizeof folder) continue;
    for (const char *const *name = library->names(); *name != NULL; name++)
      if (try_folder(library, folder, *name)) return true;
  }
  return false;
}

// Python's folders of installed packages: below a variable's value, or absolute where the variable is NULL.
static const struct {
  const char *variable, *pattern;
} site_packages[] = {
    {"VIRTUAL_ENV", "/lib/python3*/site-packages"},  {"CONDA_PREFIX", "/lib/python3*/site-packages"},
    {"HOME", "/.local/lib/python3*/site-packages"},  {NULL, "/usr/local/lib/python3*/dist-packages"},
    {NULL, "/usr/local/lib/python3*/site-packages"}, {NULL, "/usr/lib/python3*/dist-packages"},
    {NULL, "/usr/lib/python3*/site-packages"},       {NULL, "/usr/lib64/python3*/site-packages"},
};

static bool try_wheels(cp_library *library, const char *name) {
  for (size_t i = 0; i < sizeof site_packages / sizeof site_packages[0]; i++) {
    const char *variable = site_packages[i].variable;
    const char *root = variable == NULL ? "" : getenv(variable);
    if (root == NULL || (variable != NULL && root[0] == '\0')) continue;
    for (const char *const *wheel = library->wheels; *wheel != NULL; wheel++) {
      char pattern[1024];
      int n = snprintf(pattern, sizeof pattern, "%s%s/%s", root, site_packages[i].pattern, *wheel);
      if (n > 0 && (size_t)n < sizeof pattern && try_pattern(library, pattern, name)) return true;
    }
  }
  return false;
}

static bool search(cp_library *library) {
  if (library->toolkit && (try_toolkit(library, "CUPOLA_CUDA_PATH") || try_toolkit(library, "CUDA_PATH")))
    return true;
  for (const char *const *name = library->names(); *name != NULL; name++) {
    if (try_loader(library, *name)) return true;
    for (const char *const *folder = library->folders; *folder != NULL; folder++)
      if (try_pattern(library, *folder, *name)) return true;
    if (library->wheels != NULL && try_wheels(library, *name)) return true;
  }
  return false;
}

// ---- opening ----

static void explain_absence(cp_library *library) {
  char complaint[512], names[256] = "";
  snprintf(complaint, sizeof complaint, "%.500s", library->reason);
  for (const char *const *name = library->names(); *name != NULL; name++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", *name);
  }
  snprintf(library->reason, sizeof library->reason, "%s could not be opened (tried %s in %s)%s%s; %s",
           library->title, names,
           library->toolkit
               ? "CUPOLA_CUDA_PATH, CUDA_PATH, the loader's path, the usual folders and the nvidia-* wheels"
               : "the loader's path and the usual folders",
           complaint[0] != '\0' ? "; " : "", complaint, library->hint);
}

static void remember_path(cp_library *library) {
  struct link_map *map = NULL;
  const char *path = library->title;
  if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL && map->l_name[0] != '\0')
    path = map->l_name;
  snprintf(library->path, sizeof library->path, "%s", path);
}

// Copies the symbols' addresses into the table. memcpy, because C has no cast from an object to a function
// pointer.
static bool resolve(cp_library *library) {
  for (size_t i = 0; i < library->nsymbols; i++) {
    void *address = dlsym(library->handle, library->symbols[i].name);
    if (address == NULL && library->symbols[i].optional) continue;
    if (address == NULL) {
      snprintf(library->reason, sizeof library->reason,
               "%s (%s) has no function %s: it is too old, CUDA 12 or later is needed", library->title,
               library->path, library->symbols[i].name);
      return false;
    }
    memcpy((char *)library->table + library->symbols[i].offset, &address, sizeof address);
  }
  return true;
}

static int open_now(cp_library *library) {
  if (!search(library)) {
    explain_absence(library);
    return FAILED;
  }
  remember_path(library);
  if (!resolve(library)) {
    dlclose(library->handle);
    library->handle = NULL;
    return FAILED;
  }
  if (library->opened != NULL) library->opened(library->path);
  return OPEN;
}

// Opens once and answers OPEN or FAILED, without touching the error record.
static int open_once(cp_library *library) {
  int state = atomic_load_explicit(&library->state, memory_order_acquire);
  if (state != UNTRIED) return state;
  pthread_mutex_lock(&library->lock);
  state = atomic_load_explicit(&library->state, memory_order_relaxed);
  if (state == UNTRIED) {
    state = open_now(library);
    atomic_store_explicit(&library->state, state, memory_order_release);
  }
  pthread_mutex_unlock(&library->lock);
  return state;
}

cp_status cp_open_library(cp_library *library) {
  return open_once(library) == OPEN ? CP_OK : cp_fail(CP_ECUDA, "%s", library->reason);
}

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

static const char *const *driver_names(void) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  return names;
}

// A driver loads cubins made by a toolkit of its own major version or an older one, so the driver decides the
// order.
static const char *const *nvrtc_names(void) {
  static const char *const newest[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
  static const char *const twelve[] = {"libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so", NULL};
  int version = 0;
  if (open_once(&libraries[CP_LIBRARY_DRIVER]) == OPEN &&
      driver_table.cuDriverGetVersion(&version) != CPCU_SUCCESS)
    version = 0;
  return version / 1000 == 12 ? twelve : newest;
}

// NVRTC opens its builtins by bare name, which fails when it came from a folder that the loader does not
// search; loaded before by path, they are found by their soname. Where this fails, NVRTC's own message says
// what is missing.
static void load_nvrtc_builtins(const char *nvrtc_path) {
  char path[1200];
  int major = 0, minor = 0;
  const char *slash = strrchr(nvrtc_path, '/');
  if (slash == NULL || nvrtc_table.nvrtcVersion(&major, &minor) != CPCU_NVRTC_SUCCESS) return;
  snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - nvrtc_path), nvrtc_path, major,
           minor);
  if (access(path, F_OK) == 0) (void)dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

// The last two are where WSL and NixOS keep the driver.
static const char *const driver_folders[] = {
    "/usr/lib/" MULTIARCH, "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib", "/run/opengl-driver/lib", NULL};
static const char *const toolkit_folders[] = {"/usr/local/cuda/lib64",
                                              "/usr/local/cuda-1[2-9].*/lib64",
                                              "/usr/local/cuda-1[2-9]/lib64",
                                              "/opt/cuda/lib64",
                                              "/usr/lib/" MULTIARCH,
                                              "/usr/lib64",
                                              "/usr/lib",
                                              NULL};
static const char *const nvrtc_wheels[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", NULL};

static cp_library libraries[CP_LIBRARY_COUNT] = {
    [CP_LIBRARY_DRIVER] = {.title = "the NVIDIA driver",
                           .names = driver_names,
                           .folders = driver_folders,
                           .hint = "is an NVIDIA GPU driver installed? The CPU device works without one",
                           .symbols = driver_symbols,
                           .nsymbols = sizeof driver_symbols / sizeof driver_symbols[0],
                           .table = &driver_table,
                           .lock = PTHREAD_MUTEX_INITIALIZER},
    [CP_LIBRARY_NVRTC] = {.title = "NVRTC",
                          .names = nvrtc_names,
                          .folders = toolkit_folders,
                          .wheels = nvrtc_wheels,
                          .toolkit = true,
                          .hint = "install a CUDA toolkit 12 or 13, or the Python wheel nvidia-cuda-nvrtc, "
                                  "or set CUPOLA_CUDA_PATH",
                          .symbols = nvrtc_symbols,
                          .nsymbols = sizeof nvrtc_symbols / sizeof nvrtc_symbols[0],
                          .table = &nvrtc_table,
                          .opened = load_nvrtc_builtins,
                          .lock = PTHREAD_MUTEX_INITIALIZER},
};

cp_status cp_cuda_driver(const cpcu_driver **out) {
  *out = &driver_table;
  return cp_open_library(&libraries[CP_LIBRARY_DRIVER]);
}

cp_status cp_nvrtc_library(const cpcu_nvrtc **out) {
  *out = &nvrtc_table;
  return cp_open_library(&libraries[CP_LIBRARY_NVRTC]);
}

const char *cp_library_path(cp_library_id which) {
  cp_library *library = &libraries[which];
  return atomic_load_explicit(&library->state, memory_order_acquire) == OPEN ? library->path : NULL;
}

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
  if (open_once(&libraries[CP_LIBRARY_DRIVER]) == OPEN) {
    driver_table.cuGetErrorName(result, &name);
    driver_table.cuGetErrorString(result, &text);
  }
  if (cp_cuda_is_sticky(result))
    hint = "a kernel launched before may be the cause; CUDA cannot recover from this, restart the process";
  return cp_fail(result == CPCU_ERROR_OUT_OF_MEMORY ? CP_EMEMORY : CP_ECUDA, "%s: %s (%d)%s%s%s%s", call,
                 name != NULL ? name : "CUDA error", result, text != NULL ? ": " : "",
                 text != NULL ? text : "", hint != NULL ? "; " : "", hint != NULL ? hint : "");
}
