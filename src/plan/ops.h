// The table of operations as the core sees it: ids, names, type rules, and the texts that the kernel generator uses.
#ifndef CP_PLAN_OPS_H
#define CP_PLAN_OPS_H

#include "base/dtype.h"
#include "base/error.h"

typedef enum cp_op {
#define OP(name, arity, cls, numeric, real, integer, boolean, complex) CP_OP_##name,
#define OPR                                                            OP
#define RED(...)
#include "kernels/ops.def"
#undef OP
#undef OPR
#undef RED
  CP_OP_cast,   // not in the table: from the loop dtype to the result dtype
  CP_OP_masked, // not in the table: the elements of an array where a mask is true (lazy/mask.h)
  CP_NOPS
} cp_op;

typedef enum cp_red {
#define OP(...)
#define OPR(...)
#define RED(name, cls, numeric, acc, identity, premap, combine, post) CP_RED_##name,
#include "kernels/ops.def"
#undef OP
#undef OPR
#undef RED
  CP_NREDS
} cp_red;

typedef enum cp_class {
  CP_CLASS_SAME,
  CP_CLASS_FLOAT,
  CP_CLASS_QUOTIENT,
  CP_CLASS_ABS,
  CP_CLASS_FLOATABS,
  CP_CLASS_COMPARE,
  CP_CLASS_CLOSE,
  CP_CLASS_TEST,
  CP_CLASS_INT,
  CP_CLASS_WHERE,
  CP_CLASS_LDEXP,
  CP_CLASS_EXPONENT,
  CP_CLASS_RANDOM,
  CP_CLASS_RANDOM2,
  CP_CLASS_INTERNAL,
  CP_CLASS_PACKED
} cp_class;

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
  cp_class cls;
  int numeric; // 0 exact, n: within n ulp
  // Expression texts for float, integer, bool and complex loops; "NA" none (bool becomes int8), "NO" an error.
  const char *real, *integer, *boolean, *complex;
  bool rare; // has the _fast, _rare, _slow forms
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

static inline bool cp_is_draw(cp_op op) {
  return cp_ops[op].cls == CP_CLASS_RANDOM || cp_ops[op].cls == CP_CLASS_RANDOM2;
}

// The dtype of the arguments of an instruction (op, loop): argument k's register dtype.
static inline cp_dtype cp_op_arg_dtype(cp_op op, cp_dtype loop, int k) {
  if (k > 0 && cp_ops[op].cls == CP_CLASS_RANDOM) return CP_INT64;
  if (k > 1 && cp_ops[op].cls == CP_CLASS_RANDOM2) return CP_INT64;
  if (op == CP_OP_where && k == 0) return CP_BOOL;
  if (op == CP_OP_ldexp && k == 1) return CP_INT32;
  return loop;
}

#endif
