// Shared libraries opened at first use: the CUDA driver and toolkit, BLAS, FFT, zlib, image decoders.
//
// Each library is opened at most once per process, under its own lock. A failure is kept, so every later call
// fails with the same reason. An open library stays open until the process ends.
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

// An exported symbol, and where in the library's table its address goes.
typedef struct cp_symbol {
  const char *name;
  size_t offset;
  bool optional; // its pointer is NULL where the library lacks it
} cp_symbol;

// A library. The first group of fields describes it and never changes; cp_open_library fills the second.
typedef struct cp_library {
  const char *title;            // its name in messages
  const char *const *names;     // file names, best first, NULL-terminated
  bool (*second_first)(void);   // whether to try the second name before the first, or NULL
  const char *const *folders;   // its usual folders (glob patterns), NULL-terminated, or NULL
  const char *const *wheels;    // its folders below site-packages, NULL-terminated, or NULL
  const char *const *variables; // environment variables that are tried first, NULL-terminated, or NULL
  const char *hint;             // advice in the message when it is not found
  const char *outdated;         // the message when a function is missing; NULL: that of a CUDA toolkit
  cp_status kind;               // the status of a failure; CP_OK stands for CP_ECUDA
  const cp_symbol *symbols;     // must be exported, unless optional
  size_t nsymbols;
  void *table;                      // a struct of function pointers, to be filled
  void (*opened)(const char *path); // called once when it has been opened, or NULL

  pthread_mutex_t lock;
  atomic_int state; // 0 not tried, 1 open, 2 failed
  void *handle;
  char path[1024];
  char reason[2048];
} cp_library;

// For initializers of cp_library: a list of names, and the table with its symbols.
#define CP_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define CP_FILLS(table_, symbols_)                                                                           \
  .symbols = (symbols_), .nsymbols = sizeof(symbols_) / sizeof *(symbols_), .table = (table_),               \
  .lock = PTHREAD_MUTEX_INITIALIZER

// Opens `library` and fills its table, once. It tries the environment variables (a file, a folder or a
// toolkit's root), then for each name the loader's search path, the usual folders and the nvidia-* wheels,
// and skips files that match CUPOLA_HIDDEN_LIBRARIES. The message of a failure lists the names and places
// tried.
cp_status cp_open_library(cp_library *library);
// The same, but leaves the error record alone; false when it fails.
bool cp_try_library(cp_library *library);
// The path of an open library, or NULL when it is not open (yet). Opens nothing.
const char *cp_opened_path(cp_library *library);

#endif
