// ElementwiseKernel and ReductionKernel: what a kernel object holds, and one call of it. The constructors are in lua/cupola/userkernels/userkernels.lua, the source
// text comes from lua/cupola/kernels/user.lua.
#ifndef CP_LUA_KERNELS_USERKERNEL_H
#define CP_LUA_KERNELS_USERKERNEL_H

#include "lua/state/state.h"

enum {
  CP_MAX_PARAMS = 24,      // of a kernel, inputs and outputs
  CP_MAX_VARIANT_KEY = 96, // see cp_user_variant
  CP_MAX_ACCUMULATOR = 64, // bytes; ORDER lua/cupola/kernels/user.lua
};

typedef struct cp_user_param {
  char name[64];
  int letter; // index of the type letter, -1: dtype is fixed
  cp_dtype dtype;
  bool raw;
  bool mutable; // an input that the kernel writes
  bool read;    // an output whose memory the kernel may read
} cp_user_param;

// A kernel's text for one choice of types; what else it depends on is in the plan's key.
typedef struct cp_user_variant {
  struct cp_user_variant *next;
  size_t size;
  unsigned char
      key[CP_MAX_VARIANT_KEY]; // types, which inputs are numbers, which raw arrays are contiguous, block
  char *identity;
  size_t identity_size;
  uint64_t id;
  int reference; // registry: the description, which the generator sees as spec.user
} cp_user_variant;

typedef struct cp_kernel_object { // a userdata
  char name[64];
  int nin, nout;
  cp_user_param params[CP_MAX_PARAMS]; // inputs first
  bool reduction, no_return, return_table, has_identity;
  bool plain; // one element per thread
  bool uses_i, uses_J, uses_shape;
  int declaration; // registry: the constructor's table
  cp_user_variant *variants;
} cp_kernel_object;

// One call: what was given, and what follows from it. Holds nothing outside Lua.
typedef struct cp_kernel_call {
  cp_kernel_object *k;
  cp_state *state;
  cp_array *arrays[CP_MAX_PARAMS]; // NULL: a number, or an output to be made
  cp_scalar scalars[CP_MAX_PARAMS];
  char kinds[CP_MAX_PARAMS]; // of numbers, see cp_to_scalar
  bool weak[CP_MAX_PARAMS];
  cp_dtype types[CP_MAX_PARAMS];
  cp_device *device;
  int given; // stack slot of the first output, 0: outputs are to be made
  int ndim;  // of the elements worked on
  int64_t shape[CP_MAXDIM];
  int64_t size;      // option, -1: none
  int block;         // option, 0: none
  cp_stream *stream; // option, NULL: the current one
  uint32_t axes;     // of a reduction
  bool keepdims;
  cp_user_variant *variant;
} cp_kernel_call;

// The kernel object at 1; raises.
cp_kernel_object *cp_check_kernel(lua_State *L, const char *where);
// userkernel_args.c: arguments from stack slot 2 on, then types and shape; raises. Outputs given end up in c->arrays.
void cp_kernel_arguments(lua_State *L, cp_kernel_call *c);
// userkernel.c: finds or makes the variant of c->types; raises.
cp_user_variant *cp_kernel_variant(lua_State *L, cp_kernel_call *c);

#endif
