// RawKernel and RawModule: kernels that users write whole. The constructors are in lua/cupola/userkernels/rawkernels.lua, which reads the parameters
// from the source; modules are loaded in rawmodule.c, calls are in rawkernel.c, their arguments in rawkernel_args.c,
// their parameters in rawkernel_params.c.
#ifndef CP_LUA_KERNELS_RAWKERNEL_H
#define CP_LUA_KERNELS_RAWKERNEL_H

#include "device/raw.h"
#include "lua/state/state.h"

typedef enum cp_raw_kind { // ORDER kind_names in rawkernel_params.c
  CP_PARAM_UNKNOWN,        // by value, of a type that the source does not show
  CP_PARAM_POINTER,
  CP_PARAM_NUMBER,
  CP_PARAM_VECTOR, // float4 and the like
  CP_PARAM_STRUCT
} cp_raw_kind;

typedef struct cp_raw_param {
  cp_raw_kind kind;
  cp_dtype dtype;   // of numbers and of the elements of vectors
  bool constant;    // a pointer that is only read through
  uint32_t accepts; // dtypes that a pointer may point to, a bit each
  int count;        // elements of a vector
  size_t size;      // bytes; 0: not known
  char name[48], type[64], structure[64];
} cp_raw_param;

typedef struct cp_raw_kernel { // a userdata
  cp_state *state;
  char name[96];                       // as errors show it
  int symbol;                          // registry: the name in the module
  int module;                          // registry: the declaration of the module
  bool cooperative, strided, resolved; // resolved: on some device
  bool known;                          // the parameters were read from the source
  int nparams;
  cp_raw_function *functions[CP_MAX_DEVICES]; // found at first use
  cp_raw_param params[];
} cp_raw_kernel;

// One call's arguments, in memory of the caller.
typedef struct cp_raw_arguments {
  cp_device *device;
  int count, nuses;
  bool unknown; // some are of a kind that only the driver knows: their sizes are checked against it
  size_t used;
  void *addresses[CP_MAX_RAW_PARAMS];
  size_t sizes[CP_MAX_RAW_PARAMS];
  struct cp_use *uses;
  int slots[CP_MAX_RAW_PARAMS]; // of each use, the argument
  _Alignas(16) char bytes[CP_MAX_RAW_BYTES];
} cp_raw_arguments;

// Reads the parameter that the table on top describes, as lua/cupola/kernels/signature.lua makes them.
void cp_raw_read_param(lua_State *L, cp_raw_param *p);
// What was read from the source must be what the compiler made of it; what is not, is left to it.
void cp_raw_compare_params(cp_raw_kernel *k, const cp_raw_function *f);

// Reads the values at stack slots first..first+count-1; raises. a->uses has room for them.
void cp_raw_read(lua_State *L, const cp_raw_kernel *k, int first, int count, cp_raw_arguments *a);
// Stores the address of the memory of argument k.
static inline void cp_raw_set_pointer(cp_raw_arguments *a, int k, const char *pointer) {
  __builtin_memcpy(a->addresses[k], &pointer, sizeof pointer);
}

// The function on the device: its module is loaded at first use; raises.
cp_raw_function *cp_raw_resolve(lua_State *L, cp_raw_kernel *k, cp_device *device);
// The module that the declaration at `index` describes, loaded on the device; raises.
cp_raw_module *cp_raw_need_module(lua_State *L, const char *where, int index, cp_device *device);

// ---- cp.struct (struct.c) ----

typedef struct cp_struct_value {     // a userdata
  const struct cp_struct_type *type; // kept alive by the value
  cp_device *device;                 // of the arrays that it points to, or NULL
  size_t size;
  const char *name;
  _Alignas(8) char bytes[]; // 8: userdata of LuaJIT is aligned to no more; kernels get a copy
} cp_struct_value;

cp_struct_value *cp_test_struct(lua_State *L, int index); // NULL: not a value of cp.struct

#endif
