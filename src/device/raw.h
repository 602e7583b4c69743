// Modules of kernels that users write whole: what a device must be able to do with them. A module belongs to one lua_State and lives
// until that state closes (kernels in flight, arrays on its variables and captured work may refer to it), so nothing is unloaded before.
#ifndef CP_DEVICE_RAW_H
#define CP_DEVICE_RAW_H

#include "device/device.h"

enum {
  CP_MAX_RAW_PARAMS = 128,  // of a kernel
  CP_MAX_RAW_BYTES = 4096,  // of its arguments, as CUDA allows
  CP_MAX_RAW_OPTIONS = 64,  // of the compiler
  CP_MAX_RAW_SYMBOLS = 256, // kernels and variables of a module that need the compiler's help to be found
};

// What a module is made of. All texts belong to the caller.
typedef struct cp_raw_source {
  const char *name; // for messages
  const char *text; // C++ text, NUL-terminated, or an image (cubin, fatbin, PTX)
  size_t size;
  bool image;
  bool whole_language,
      cuda_headers; // what the text asks of NVRTC: more than the minimum; the toolkit's headers
  const char *key;  // all that the result depends on, other than device and compiler
  size_t key_size;
  int noptions, nsymbols;
  const char *const *options; // of the compiler
  const char *const *symbols; // C++ names of kernels ("scale<float>") and "&variable"
} cp_raw_source;

typedef struct cp_raw_module { // devices extend it
  struct cp_raw_module *next;  // of the same state
  cp_device *device;
  char *key;
  size_t key_size;
} cp_raw_module;

typedef enum cp_raw_attribute { // ORDER attribute_names in src/lua/kernels/rawkernel.c, attributes in src/cuda/run/module.c
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

typedef struct cp_raw_function { // devices extend it; as old as its module
  const char *name;
  int nparams; // -1: not known
  const size_t *sizes;
  int attributes[CP_RAW_NATTRIBUTES];
  size_t max_dynamic_shared; // bytes that a launch may add
} cp_raw_function;

typedef struct cp_raw_launch {
  unsigned grid[3], block[3]; // none is 0
  size_t shared;              // dynamic shared memory, bytes
  bool cooperative;
  void **arguments; // the address of each
} cp_raw_launch;

typedef struct cp_raw_ops {
  // Sets device, key and next are the caller's. CP_ECOMPILE with the compiler's text, CP_EUSAGE for what the device cannot run.
  cp_status (*load)(cp_context *ctx, cp_device *d, const cp_raw_source *s, cp_raw_module **out);
  void (*unload)(cp_raw_module *m);
  // *out stays NULL where the module has no such kernel.
  cp_status (*function)(cp_raw_module *m, const char *name, cp_raw_function **out);
  // *address stays NULL where the module has no such variable.
  cp_status (*global)(cp_raw_module *m, const char *name, void **address, size_t *bytes);
  cp_status (*launch)(cp_context *ctx, cp_stream *s, cp_raw_function *f, const cp_raw_launch *l);
  // Sets one of the last two attributes.
  cp_status (*set)(cp_device *d, cp_raw_function *f, cp_raw_attribute which, int value);
  // Blocks of so many threads that one multiprocessor holds at a time; and the block that fills it best, with the
  // grid that fills the device.
  cp_status (*occupancy)(cp_device *d, cp_raw_function *f, int block, size_t shared, int *blocks);
  cp_status (*best_block)(cp_device *d, cp_raw_function *f, size_t shared, int limit, int *grid, int *block);
} cp_raw_ops;

// This state's module of that key on the device, loaded at first use.
cp_status cp_raw_load(cp_context *ctx, cp_device *d, const cp_raw_source *s, cp_raw_module **out);
// Unloads the state's modules; its streams are synchronised and gone.
void cp_raw_close(cp_context *ctx);

#endif
