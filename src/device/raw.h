// Modules of raw kernels, which users write as a whole: what a device must be able to do with them. A module
// belongs to one lua_State and lives until that state closes, because running kernels, arrays on its
// variables and captured work may refer to it.
#ifndef CP_DEVICE_RAW_H
#define CP_DEVICE_RAW_H

#include "device/device.h"

enum {
  CP_MAX_RAW_PARAMS = 128,  // parameters of a kernel
  CP_MAX_RAW_BYTES = 4096,  // bytes of its arguments: CUDA's limit
  CP_MAX_RAW_OPTIONS = 64,  // options of the compiler
  CP_MAX_RAW_SYMBOLS = 256, // kernels and variables of a module whose mangled names only the compiler knows
};

// What a module is made from. The caller owns all texts.
typedef struct cp_raw_source {
  const char *name; // for messages
  const char *text; // C++ text, NUL-terminated, or an image (cubin, fatbin, PTX)
  size_t size;
  bool image;
  // What the text needs from NVRTC: more than its minimal mode, and the toolkit's headers.
  bool whole_language, cuda_headers;
  const char *key; // everything that the result depends on, except the device and the compiler
  size_t key_size;
  int noptions, nsymbols;
  const char *const *options; // options of the compiler
  const char *const *symbols; // C++ names of kernels ("scale<float>") and "&variable"
} cp_raw_source;

// The positions that a kernel compares with the lengths of arrays (lua/cupola/jit/checked.lua), by number
// from 1. The first one out of range is stored in words to which the kernel's last argument points, and which
// the device provides.
typedef struct cp_raw_check {
  const char *file, *array;
  int line, ndim;
} cp_raw_check;
typedef struct cp_raw_checks {
  const char *kernel;
  int count;
  cp_raw_check list[];
} cp_raw_checks;
typedef enum cp_fault_words { // ORDER cp_jit::place in kernels/user/jit.h
  CP_FAULT_CHECK,             // 0: no position was out of range
  CP_FAULT_POSITION,
  CP_FAULT_AXIS,
  CP_FAULT_LENGTH,
  CP_FAULT_CLAIMED, // a thread writes the other words
  CP_FAULT_WORDS
} cp_fault_words;
// Fails with the message for these words; `named`: it begins with the kernel's name.
cp_status cp_raw_report(const cp_raw_checks *c, const int64_t *words, bool named);

// Devices extend it.
typedef struct cp_raw_module {
  struct cp_raw_module *next; // in the list of the same state
  cp_device *device;
  char *key;
  size_t key_size;
  cp_raw_checks *checks; // of its only kernel, in one block of memory; usually NULL
} cp_raw_module;

// ORDER attribute_names in src/lua/kernels/rawkernel.c, attributes in src/cuda/run/module.c: keep these the
// same.
typedef enum cp_raw_attribute {
  CP_RAW_MAX_THREADS,
  CP_RAW_SHARED,
  CP_RAW_CONST,
  CP_RAW_LOCAL,
  CP_RAW_REGISTERS,
  CP_RAW_PTX_VERSION,
  CP_RAW_BINARY_VERSION,
  CP_RAW_CACHE_MODE,
  CP_RAW_MAX_DYNAMIC,
  CP_RAW_CARVEOUT,
  CP_RAW_NATTRIBUTES
} cp_raw_attribute;

// Devices extend it. It lives as long as its module.
typedef struct cp_raw_function {
  const char *name;
  int nparams; // -1 if not known
  const size_t *sizes;
  int attributes[CP_RAW_NATTRIBUTES];
  size_t max_dynamic_shared;   // bytes of dynamic shared memory that a launch may ask for
  const cp_raw_checks *checks; // the module's
} cp_raw_function;

typedef struct cp_raw_launch {
  unsigned grid[3], block[3]; // none is 0
  size_t shared;              // bytes of dynamic shared memory
  bool cooperative;           // all blocks run at once
  int count;                  // arguments
  void **arguments;           // the address of each
} cp_raw_launch;

typedef struct cp_raw_ops {
  // Loads a module. The caller sets its fields device, key and next. Fails with CP_ECOMPILE and the
  // compiler's text, or with CP_EUSAGE for what the device cannot run.
  cp_status (*load)(cp_context *ctx, cp_device *d, const cp_raw_source *s, cp_raw_module **out);
  void (*unload)(cp_raw_module *m);
  // Finds a kernel. *out stays NULL if the module has no such kernel.
  cp_status (*function)(cp_raw_module *m, const char *name, cp_raw_function **out);
  // Finds a global variable. *address stays NULL if the module has no such variable.
  cp_status (*global)(cp_raw_module *m, const char *name, void **address, size_t *bytes);
  cp_status (*launch)(cp_context *ctx, cp_stream *s, cp_raw_function *f, const cp_raw_launch *l);
  // Sets one of the last two attributes.
  cp_status (*set)(cp_device *d, cp_raw_function *f, cp_raw_attribute which, int value);
  // How many blocks of `block` threads fit on one multiprocessor at a time.
  cp_status (*occupancy)(cp_device *d, cp_raw_function *f, int block, size_t shared, int *blocks);
  // The block size that fills a multiprocessor best, and the grid that fills the device with such blocks.
  cp_status (*best_block)(cp_device *d, cp_raw_function *f, size_t shared, int limit, int *grid, int *block);
} cp_raw_ops;

// Gives this state's module with the source's key on the device, and loads it at first use.
cp_status cp_raw_load(cp_context *ctx, cp_device *d, const cp_raw_source *s, cp_raw_module **out);
// Unloads the state's modules. Its streams must have been synchronised and destroyed.
void cp_raw_close(cp_context *ctx);

#endif
