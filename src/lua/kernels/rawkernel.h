// RawKernel and RawModule: kernels whose whole source the user writes. The constructors are in
// lua/cupola/userkernels/rawkernels.lua, which reads the parameters from the source. rawmodule.c loads
// modules, rawkernel.c makes the calls, rawkernel_args.c reads their arguments, and rawkernel_params.c
// compares the parameters with those of the compiled kernel. Devices offer raw kernels through device/raw.h.
#ifndef CP_LUA_KERNELS_RAWKERNEL_H
#define CP_LUA_KERNELS_RAWKERNEL_H

#include "device/raw.h"
#include "lua/state/state.h"

typedef enum cp_raw_kind { // ORDER kind_names in rawkernel_params.c
  CP_PARAM_UNKNOWN,        // passed by value, of a type that the source does not show
  CP_PARAM_POINTER,
  CP_PARAM_NUMBER,
  CP_PARAM_VECTOR, // float4 and the like
  CP_PARAM_STRUCT,
  CP_PARAM_TEXTURE,
  CP_PARAM_SURFACE,
  CP_PARAM_FAULTS // a pointer that the device passes (device/raw.h), the last one
} cp_raw_kind;

typedef struct cp_raw_param {
  cp_raw_kind kind;
  cp_dtype dtype;   // of a number, or of the elements of a vector
  bool constant;    // the kernel only reads through the pointer
  uint32_t accepts; // the dtypes that the pointer may point to, one bit each
  int count;        // number of elements of a vector
  size_t size;      // in bytes; 0: not known
  char name[48], type[64], structure[64];
} cp_raw_param;

typedef struct cp_raw_kernel { // a userdata
  cp_state *state;
  char name[96]; // as error messages show it
  int symbol;    // reference in the registry: the kernel's name in the module
  int module;    // reference in the registry: the declaration of the module
  // resolved: it was compiled for at least one device, so its parameters have been compared.
  bool cooperative, strided, resolved;
  bool known; // the parameters were read from the source
  int nparams;
  cp_raw_function *functions[CP_MAX_DEVICES]; // found at first use
  cp_raw_param params[];
} cp_raw_kernel;

// How many arguments a call gives.
static inline int cp_raw_given(const cp_raw_kernel *k) {
  return k->nparams > 0 && k->params[k->nparams - 1].kind == CP_PARAM_FAULTS ? k->nparams - 1 : k->nparams;
}

// The arguments of one call, in the caller's memory.
typedef struct cp_raw_arguments {
  cp_device *device;
  int count, nuses;
  bool unknown; // some belong to parameters of unknown type: sizes are compared with the compiled kernel's
  size_t used;  // bytes used in `bytes`
  void *addresses[CP_MAX_RAW_PARAMS];
  size_t sizes[CP_MAX_RAW_PARAMS];
  struct cp_use *uses;
  int slots[CP_MAX_RAW_PARAMS]; // for each of `uses`, the number of its argument, or -1: a texture reads it
  _Alignas(16) char bytes[CP_MAX_RAW_BYTES];
} cp_raw_arguments;

// Reads the parameter that the table on top describes; lua/cupola/kernels/signature.lua makes such tables.
void cp_raw_read_param(lua_State *L, cp_raw_param *p);
// Compares what was read from the source with what the compiler made of it. A parameter for which they differ
// becomes one of unknown type, so that the compiled kernel decides; if even their number differs, all become
// unknown.
void cp_raw_compare_params(cp_raw_kernel *k, const cp_raw_function *f);

// The values of a call: the stack slots first..first+count-1. Which of the first `tested` are arrays is known
// already (NULL: no array).
typedef struct cp_raw_values {
  int first, count, tested;
  cp_array *const *arrays;
} cp_raw_values;

// Reads the values as arguments; raises. a->uses must have room for them.
void cp_raw_read(lua_State *L, const cp_raw_kernel *k, const cp_raw_values *values, cp_raw_arguments *a);
// Sets the pointer that argument k passes.
static inline void cp_raw_set_pointer(cp_raw_arguments *a, int k, const char *pointer) {
  __builtin_memcpy(a->addresses[k], &pointer, sizeof pointer);
}

// How and where one call launches the kernel.
typedef struct cp_raw_call {
  cp_raw_launch launch;
  cp_stream *stream; // NULL: the current stream
} cp_raw_call;

// Reads grid, block and options, which are in the slots 2, 3 and 5; raises.
void cp_raw_read_call(lua_State *L, const cp_raw_kernel *k, cp_raw_call *c);
// Launches the kernel with the values. *c has grid, block and options, but no arguments yet. Returns 0 or
// raises.
int cp_raw_launch_with(lua_State *L, cp_raw_kernel *k, cp_raw_call *c, cp_raw_values values);

// The module that the declaration at `index` describes, loaded on the device; raises.
cp_raw_module *cp_raw_need_module(lua_State *L, const char *where, int index, cp_device *device);

// ---- cp.struct (struct.c) ----

typedef struct cp_struct_value {     // a userdata
  const struct cp_struct_type *type; // kept alive by the value
  cp_device *device;                 // the device of the arrays that it points to, or NULL
  size_t size;
  const char *name;
  _Alignas(8) char bytes[]; // LuaJIT aligns userdata to 8 bytes only; kernels get an aligned copy
} cp_struct_value;

// The value of cp.struct at index, or NULL.
cp_struct_value *cp_test_struct(lua_State *L, int index);

#endif
