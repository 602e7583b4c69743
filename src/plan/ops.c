// The table of operations (kernels/ops.def) expanded to data, and the type rules of its classes (ops.h).
#include "plan/ops.h"

#define EXACT        0
#define ULP(n)       n
#define ORDERED      -1

// A row of the table; CLASS_name expands to several of its columns.
#define IS(t, other) ((int)CP_##t == (int)CP_##other)
#define READING(first, second, rule)                                                                         \
  ((CP_RULE_##rule == CP_RULE_VALUE) * CP_BY_VALUE + IS(first, BOOL) * CP_CONDITION +                        \
   IS(second, INT32) * CP_EXPONENT)
#define ROW(...) ROW_(__VA_ARGS__)
#define ROW_(name, arity, numeric, scope, real, integer, boolean, complex, first, second, others, rule,      \
             result)                                                                                         \
  {#name,                                                                                                    \
   arity,                                                                                                    \
   numeric,                                                                                                  \
   CP_SCOPE_##scope,                                                                                         \
   CP_RULE_##rule,                                                                                           \
   {CP_##first, CP_##second, CP_##others},                                                                   \
   IS(first, LOOP) && IS(second, LOOP) && IS(others, LOOP),                                                  \
   CP_##result,                                                                                              \
   READING(first, second, rule),                                                                             \
   real,                                                                                                     \
   integer,                                                                                                  \
   boolean,                                                                                                  \
   complex},
const cp_op_info cp_ops[CP_NOPS] = {
#define OP(name, arity, cls, scope, numeric, real, integer, boolean, complex)                                \
  ROW(name, arity, numeric, scope, #real, #integer, #boolean, #complex, CLASS_##cls)
#include "ops.def"
    ROW(cast, 1, EXACT, INTERNAL, "", "", "", "", CLASS_SAME)     // not in the table
    ROW(masked, 2, EXACT, INTERNAL, "", "", "", "", CLASS_SAME)   // likewise
    ROW(product, 5, EXACT, INTERNAL, "", "", "", "", CLASS_SAME)  // likewise
    ROW(lookup, 1, EXACT, INTERNAL, "", "", "", "", CLASS_SAME)   // likewise
    ROW(reduce, 1, EXACT, INTERNAL, "", "", "", "", CLASS_SAME)}; // likewise

const cp_red_info cp_reds[CP_NREDS] = {
#define RED(name, cls, numeric, acc, identity, premap, combine, post)                                        \
  {#name, CP_RED_##cls, numeric == EXACT, #acc, #identity, #premap, #combine, #post},
#include "ops.def"
};

static cp_status no_loop(cp_op op, cp_dtype t) {
  return cp_fail(CP_EDTYPE, "is not defined for %s%s", cp_dtypes[t].name,
                 op == CP_OP_subtract && t == CP_BOOL ? "; use logical_xor or :astype" : "");
}

static const char *column(const cp_op_info *info, cp_dtype t) {
  switch (cp_dtypes[t].kind) {
  case 'b': return info->boolean;
  case 'c': return info->complex;
  case 'f': return info->real;
  default: return info->integer;
  }
}

static bool is_missing(const char *text) { return text[0] == 'N' && text[1] == 'A' && text[2] == '\0'; }

bool cp_op_computes_in(cp_op op, cp_dtype t) { return cp_is_loop(column(&cp_ops[op], t)); }

// The dtype that an operation computes in for operands of these dtypes.
static cp_status loop_dtype(cp_op op, cp_dtype_set operands, cp_dtype *loop) {
  const cp_op_info *info = &cp_ops[op];
  cp_dtype t = info->rule == CP_RULE_FLOATING ? cp_floating_all(operands) : cp_promote_all(operands);
  if (info->rule == CP_RULE_FLOAT64 && !cp_is_inexact(t)) t = CP_FLOAT64;
  if (info->rule == CP_RULE_INTEGER && cp_is_inexact(t))
    return cp_fail(CP_EDTYPE, "needs an integer dtype or bool, not %s; convert with :astype",
                   cp_dtypes[t].name);
  if (t == CP_BOOL && is_missing(info->boolean) && !is_missing(info->integer)) t = CP_INT8;
  if (!cp_op_computes_in(op, t)) return no_loop(op, t);
  *loop = t;
  return CP_OK;
}

cp_status cp_op_types(cp_op op, int n, const cp_dtype *operands, cp_dtype *loop, cp_dtype *result) {
  cp_dtype_set set = 0;
  for (int k = 0; k < n; k++) {
    cp_dtype t = operands[k];
    int wanted = cp_ops[op].args[k < 2 ? k : 2];
    if (wanted == CP_LOOP) set |= cp_set_of(t);
    if (wanted == CP_INT32 && !cp_is_integer(t) && t != CP_BOOL)
      return cp_fail(CP_EDTYPE, "the exponent must be an integer array, not %s", cp_dtypes[t].name);
  }
  CP_TRY(loop_dtype(op, set, loop));
  *result = cp_op_result_dtype(op, *loop);
  return CP_OK;
}

cp_status cp_red_types(cp_red red, cp_dtype t, cp_dtype requested, cp_dtype *acc, cp_dtype *result) {
  cp_red_class cls = cp_reds[red].cls;
  if (requested != CP_NDTYPES && cp_is_complex(t) && !cp_is_complex(requested) && requested != CP_BOOL)
    return cp_fail(CP_EDTYPE, "cannot take %s as %s; use x.real or :astype", cp_dtypes[t].name,
                   cp_dtypes[requested].name);
  cp_dtype r = requested != CP_NDTYPES && cls != CP_RED_INDEX ? requested : t;
  if (cls == CP_RED_ADD && requested == CP_NDTYPES) {
    if (r == CP_BOOL || (cp_is_integer(r) && !cp_is_unsigned(r)))
      r = CP_INT64;
    else if (cp_is_unsigned(r))
      r = CP_UINT64;
  }
  if (cls == CP_RED_FLOAT || cls == CP_RED_VARIANCE) {
    // As in NumPy, the mean of integers of any width is float64.
    if (r == CP_BOOL || cp_is_integer(r)) {
      if (requested != CP_NDTYPES)
        return cp_fail(CP_EDTYPE, "needs a floating dtype, not %s", cp_dtypes[r].name);
      r = CP_FLOAT64;
    }
  }
  if (cls == CP_RED_TRUTH) r = CP_BOOL;
  *acc = cp_loop_dtype(r);
  *result = cls == CP_RED_INDEX ? CP_INT64 : cls == CP_RED_VARIANCE ? cp_dtypes[r].real : r;
  return CP_OK;
}
