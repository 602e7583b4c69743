// ElementwiseKernel and ReductionKernel: what a kernel object holds, and what one call of it needs. The
// constructors are in lua/cupola/userkernels/userkernels.lua; lua/cupola/kernels/user.lua makes the source
// text.
#ifndef CP_LUA_KERNELS_USERKERNEL_H
#define CP_LUA_KERNELS_USERKERNEL_H

#include "lua/state/state.h"

enum {
  CP_MAX_PARAMS = 24,      // parameters of a kernel: inputs and outputs
  CP_MAX_VARIANT_KEY = 96, // bytes of cp_user_variant.key
  CP_MAX_ACCUMULATOR = 64, // bytes; ORDER lua/cupola/kernels/user.lua
};

typedef struct cp_user_param {
  char name[64];
  int letter; // index of its type letter; -1: the dtype is fixed
  cp_dtype dtype;
  bool raw;
  bool mutable; // it is an input that the kernel writes
  bool read;    // it is an output whose old elements the kernel may read
} cp_user_param;

// A kernel for one choice of types. What else its text depends on is in the plan's key.
typedef struct cp_user_variant {
  struct cp_user_variant *next;
  size_t size;
  // The types, which inputs are numbers, which raw arrays are contiguous, the block size, and the number of
  // axes if the kernel uses the shape.
  unsigned char key[CP_MAX_VARIANT_KEY];
  // What identifies the kernel in all states: the declaration's identity_key, then `key`. id is its hash.
  char *identity;
  size_t identity_size;
  uint64_t id;
  int reference; // reference in the registry: the description, which the generator gets as spec.user
} cp_user_variant;

typedef struct cp_kernel_object { // a userdata
  char name[64];
  int nin, nout;
  cp_user_param params[CP_MAX_PARAMS]; // inputs first
  bool reduction, no_return, return_table, has_identity;
  bool plain; // a thread computes one element at a time, not a group
  bool uses_i, uses_J, uses_shape;
  int declaration; // reference in the registry: the table that the constructor made
  cp_user_variant *variants;
} cp_kernel_object;

// One call: its arguments, and what follows from them. Owns nothing; Lua's stack keeps the arrays alive.
typedef struct cp_kernel_call {
  cp_kernel_object *k;
  cp_state *state;
  cp_array *arrays[CP_MAX_PARAMS]; // NULL: a number, or an output that must be made
  cp_scalar scalars[CP_MAX_PARAMS];
  char kinds[CP_MAX_PARAMS]; // kinds of numbers (see cp_to_scalar); 't': a table; 0: an array
  bool weak[CP_MAX_PARAMS];
  cp_dtype types[CP_MAX_PARAMS];
  cp_device *device;
  int given; // stack slot of the first output; 0: the outputs must be made
  int ndim;  // dimensions of the elements that the kernel works on
  int64_t shape[CP_MAXDIM];
  int64_t size;      // the option; -1: not given
  int block;         // the option block_size; 0: not given
  cp_stream *stream; // the option; NULL: the current stream
  uint32_t axes;     // the axes that are reduced, one bit each
  bool keepdims;
  cp_user_variant *variant;
} cp_kernel_call;

// The kernel object at stack index 1; raises if there is none.
cp_kernel_object *cp_check_kernel(lua_State *L, const char *where);
// Reads the arguments from stack slot 2 on, and finds types and shape; raises. Outputs that the script passed
// are put into c->arrays, too. (userkernel_args.c)
void cp_kernel_arguments(lua_State *L, cp_kernel_call *c);
// Finds or makes the variant for c->types; raises. (userkernel.c)
cp_user_variant *cp_kernel_variant(lua_State *L, cp_kernel_call *c);

#endif
