// Functions of numbers that users wrote, as operations of expressions (CP_OP_call): src/lua/kernels makes
// them, nodes refer to them, and a plan lists those that it calls.
#ifndef CP_PLAN_FUNCTION_H
#define CP_PLAN_FUNCTION_H

#include "plan/ops.h"

#include <stddef.h>
#include <stdint.h>

// The operation of a call, in nodes and instructions. It is not in the table of operations.
#define CP_OP_call ((cp_op)(CP_NOPS + 1))
// The operation of the table with this name; CP_OP_cast: there is none.
cp_op cp_op_from_name(const char *name);

// A function's loop over n elements in register format; the type of the loops of other operations
// (cpu/loops/loops.h).
typedef void cp_function_loop(void *d, const void *const *in, size_t n);

enum { CP_FUNCTION_NAME = 64 };
// What a call counts as among the operations of an expression (cp_weight), as its text is longer.
enum { CP_CALL_OPS = 8 };

// Belongs to the threads of its state, as nodes do.
typedef struct cp_function {
  int refs;
  int nargs;
  int steps; // the operations of an element, as cp_node counts them
  cp_dtype args[CP_MAX_ARGS], result;
  char name[CP_FUNCTION_NAME]; // for messages
  uint64_t id;                 // the hash of `text`, which is part of plans' keys
  char *text;                  // for the generator (lua/cupola/kernels/preludes.lua), and for keys on disk
  size_t size;
  cp_function_loop *loop; // for the CPU device; NULL: not compiled for it
  char *loop_text;        // what it was compiled from
  size_t loop_size;
} cp_function;

// A copy of *f, with one reference, that has its own copy of the text and the id of it. CP_EMEMORY.
cp_status cp_function_new(const cp_function *f, cp_function **out);
static inline void cp_function_retain(cp_function *f) { f->refs++; }
void cp_function_release(cp_function *f); // f may be NULL

#endif
