// Shared libraries opened at first use: the CUDA driver and toolkit, BLAS, FFT, zlib, decoders of pictures.
//
// Each library is opened at most once per process, under a lock of its own; what went wrong is kept, so every
// later call fails with the same reason. A library that was opened stays open until the process ends.
#ifndef CP_HOST_LIBRARY_H
#define CP_HOST_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#if defined(__aarch64__)
#define CP_MULTIARCH   "aarch64-linux-gnu"
#define CP_CUDA_TARGET "sbsa-linux"
#else
#define CP_MULTIARCH   "x86_64-linux-gnu"
#define CP_CUDA_TARGET "x86_64-linux"
#endif

// An exported symbol and the place of its pointer in the library's table.
typedef struct cp_symbol {
  const char *name;
  size_t offset;
  bool optional; // its pointer is NULL where the library lacks it
} cp_symbol;

// A library and what is known of it. The first group describes it and never changes; the second is
// cp_open_library's.
typedef struct cp_library {
  const char *title;            // as messages name it
  const char *const *names;     // file names, best first, NULL-terminated
  bool (*second_first)(void);   // whether the second name is better than the first, or NULL
  const char *const *folders;   // its usual folders (glob patterns), NULL-terminated, or NULL
  const char *const *wheels;    // its folders below site-packages, NULL-terminated, or NULL
  const char *const *variables; // of the environment, whose places come first, NULL-terminated, or NULL
  const char *hint;             // what to do when it is not found
  const char *outdated;         // what to say when a function is missing; NULL: of a CUDA toolkit
  cp_status kind;               // of the failure; CP_OK stands for CP_ECUDA
  const cp_symbol *symbols;     // must be exported, unless optional
  size_t nsymbols;
  void *table;                      // where the function pointers go
  void (*opened)(const char *path); // called once after a success, or NULL

  pthread_mutex_t lock;
  atomic_int state; // 0 not tried, 1 open, 2 failed
  void *handle;
  char path[1024];
  char reason[2048];
} cp_library;

// For descriptions: a list of names, and what the functions of `table_` are filled from.
#define CP_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define CP_FILLS(table_, symbols_)                                                                           \
  .symbols = (symbols_), .nsymbols = sizeof(symbols_) / sizeof *(symbols_), .table = (table_),               \
  .lock = PTHREAD_MUTEX_INITIALIZER

// Opens `library` and fills its table, once. Order: what the variables name (a file, a folder, a toolkit's
// root), then for each name the loader's own path, the usual folders and the nvidia-* wheels. Fails with the
// names and places tried. Files that match CUPOLA_HIDDEN_LIBRARIES are passed over.
cp_status cp_open_library(cp_library *library);
// The same without touching the error record.
bool cp_try_library(cp_library *library);
// The file that it was opened from, or NULL when it was not opened (yet). Opens nothing.
const char *cp_opened_path(cp_library *library);

#endif
