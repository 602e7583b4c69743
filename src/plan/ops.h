// The table of operations as the core sees it: ids, names, type rules, and the texts that the kernel generator uses.
#ifndef CP_PLAN_OPS_H
#define CP_PLAN_OPS_H

#include "base/dtype.h"
#include "base/error.h"

enum { CP_MAX_ARGS = 6 }; // of an operation

typedef enum cp_op {
#define OP(name) CP_OP_##name,
#include "ops/names.def" // made by cmake/ops.cmake
  CP_OP_cast,            // not in the table: from the loop dtype to the result dtype
  CP_OP_masked,          // not in the table: the elements of an array where a mask is true (mask.h)
  CP_NOPS
} cp_op;

typedef enum cp_red {
#define RED(name) CP_RED_##name,
#include "ops/names.def"
  CP_NREDS
} cp_red;

// Who calls an operation.
typedef enum cp_op_scope {
  CP_SCOPE_PUBLIC,   // a function and a method
  CP_SCOPE_INPLACE,  // and their twins that write into the first operand
  CP_SCOPE_HIDDEN,   // functions of the Lua side
  CP_SCOPE_INTERNAL, // other operations
  CP_SCOPE_DRAW      // random numbers
} cp_op_scope;

// How the operands that are computed in one dtype decide which.
typedef enum cp_loop_rule {
  CP_RULE_COMMON,
  CP_RULE_VALUE, // COMMON; whole numbers are compared with others by value
  CP_RULE_INTEGER,
  CP_RULE_FLOATING,
  CP_RULE_FLOAT64
} cp_loop_rule;

// Beside dtypes, in the table's columns.
enum {
  CP_LOOP = CP_NDTYPES, // the dtype that is computed in
  CP_REAL               // that of its real part
};

// How Lua values among the operands are read, bits: compared by value; the first one is a condition; the second one is an
// integer exponent.
enum { CP_BY_VALUE = 1, CP_CONDITION = 2, CP_EXPONENT = 4 };

typedef enum cp_red_class {
  CP_RED_ADD,
  CP_RED_SAME,
  CP_RED_FLOAT,
  CP_RED_VARIANCE,
  CP_RED_INDEX
} cp_red_class;

typedef struct cp_op_info {
  const char *name;
  int arity;
  int numeric; // 0 exact, n: within n ulp
  cp_op_scope scope;
  cp_loop_rule rule;
  unsigned char args[3]; // dtypes of the first operand, the second and the others, or CP_LOOP
  bool uniform;          // these are all CP_LOOP
  unsigned char result;  // a dtype, CP_LOOP or CP_REAL
  unsigned char reading; // CP_BY_VALUE and the like
  // Expression texts for float, integer, bool and complex loops; "NA" none (bool becomes int8), "NO" an error.
  const char *real, *integer, *boolean, *complex;
} cp_op_info;

typedef struct cp_red_info {
  const char *name;
  cp_red_class cls;
  const char *accumulator; // VALUE, ARG, MOMENTS, RANGE, COUNTED
  const char *identity, *premap, *combine, *post;
} cp_red_info;

extern const cp_op_info cp_ops[CP_NOPS];
extern const cp_red_info cp_reds[CP_NREDS];

// Types of one operation on operands of the given dtypes: *loop is what operands are converted to (the condition of where becomes bool, the
// exponent of ldexp int32), *result what comes out. CP_EDTYPE "sqrt..." when the operation has no loop for them.
cp_status cp_op_types(cp_op op, int n, const cp_dtype *operands, cp_dtype *loop, cp_dtype *result);

// Types of a reduction of dtype t: *acc is the dtype that elements are converted to (float32 for half types), *result what comes out. requested:
// the user's dtype= (CP_NDTYPES: none).
cp_status cp_red_types(cp_red red, cp_dtype t, cp_dtype requested, cp_dtype *acc, cp_dtype *result);

// Whether op has a loop for dtype t itself.
bool cp_op_computes_in(cp_op op, cp_dtype t);
// Whether the table gives a loop for a kind of dtypes: its text is neither NA (missing) nor NO (refused).
static inline bool cp_is_loop(const char *text) {
  return text[0] != 'N' || (text[1] != 'A' && text[1] != 'O') || text[2] != '\0';
}

static inline bool cp_is_draw(cp_op op) { return cp_ops[op].scope == CP_SCOPE_DRAW; }

// The dtype of argument k of an instruction (op, loop).
static inline cp_dtype cp_op_arg_dtype(cp_op op, cp_dtype loop, int k) {
  int t = cp_ops[op].args[k < 2 ? k : 2];
  return t == CP_LOOP ? loop : (cp_dtype)t;
}

// The dtype that comes out of it.
static inline cp_dtype cp_op_result_dtype(cp_op op, cp_dtype loop) {
  int t = cp_ops[op].result;
  return t == CP_LOOP ? loop : t == CP_REAL ? cp_dtypes[loop].real : (cp_dtype)t;
}

#endif
