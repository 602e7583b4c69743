// Shared libraries opened at first use: the CUDA driver, NVRTC, and later cuBLAS, cuFFT and the rest.
//
// Each library is opened at most once per process, under a lock of its own; what went wrong is kept, so every
// later call fails with the same reason. A library that was opened stays open until the process ends.
#ifndef CP_CUDA_LIBRARY_H
#define CP_CUDA_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cuda/api.h"

// An exported symbol and the place of its pointer in the library's table.
typedef struct cp_symbol {
  const char *name;
  size_t offset;
  bool optional; // its pointer stays NULL where the library has none
} cp_symbol;

// A library and what is known of it. The first group describes it and never changes; the second is
// cp_open_library's.
typedef struct cp_library {
  const char *title;                 // as messages name it
  const char *const *(*names)(void); // file names, best first, NULL-terminated
  const char *const *folders;        // its usual folders (glob patterns), NULL-terminated
  const char *const *wheels;         // its folders below site-packages, NULL-terminated, or NULL
  bool toolkit;                      // part of a CUDA toolkit: CUPOLA_CUDA_PATH and CUDA_PATH come first
  const char *hint;                  // what to do when it is not found
  const cp_symbol *symbols;          // every one of them must be exported, unless it is optional
  size_t nsymbols;
  void *table;                      // where the function pointers go
  void (*opened)(const char *path); // called once after a success, or NULL

  pthread_mutex_t lock;
  atomic_int state; // 0 not tried, 1 open, 2 failed
  void *handle;
  char path[1024];
  char reason[2048];
} cp_library;

typedef enum cp_library_id { CP_LIBRARY_DRIVER, CP_LIBRARY_NVRTC, CP_LIBRARY_COUNT } cp_library_id;

// Opens `library` and fills its table, once. Order: CUPOLA_CUDA_PATH and CUDA_PATH (toolkit libraries only),
// then for each name the loader's own path, the usual folders and the nvidia-* wheels. Fails with CP_ECUDA
// and the names tried.
cp_status cp_open_library(cp_library *library);

// The driver's functions; cuInit has not been called. Fails with CP_ECUDA where there is no NVIDIA driver.
cp_status cp_cuda_driver(const cpcu_driver **out);

// NVRTC's functions. A 12.x driver gets an NVRTC 12 where there is one. Fails with CP_ECUDA.
cp_status cp_nvrtc_library(const cpcu_nvrtc **out);

// The file that a library was opened from, or NULL when it was not opened (yet). Opens nothing.
const char *cp_library_path(cp_library_id which);

// Turns a driver function's result into a status: CP_OK, CP_EMEMORY when memory ran out, otherwise CP_ECUDA.
// The message has `call` (such as "cuLaunchKernel"), the error's name, CUDA's sentence and, where there is
// one, a hint.
cp_status cp_cuda_check(cpcu_result result, const char *call);

// True for errors after which CUDA refuses every further call of this process.
bool cp_cuda_is_sticky(cpcu_result result);

#endif
