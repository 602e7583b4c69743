// The table of operations expanded to data, and the type rules of its classes.
#include "plan/ops.h"

#define EXACT  0
#define ULP(n) n

const cp_op_info cp_ops[CP_NOPS] = {
#define OP_ROW(name, arity, cls, numeric, real, integer, boolean, complex, rare)                             \
  {#name, arity, CP_CLASS_##cls, numeric, #real, #integer, #boolean, #complex, rare},
#define OP(name, arity, cls, numeric, real, integer, boolean, complex)                                       \
  OP_ROW(name, arity, cls, numeric, real, integer, boolean, complex, false)
#define OPR(name, arity, cls, numeric, real, integer, boolean, complex)                                      \
  OP_ROW(name, arity, cls, numeric, real, integer, boolean, complex, true)
#define RED(...)
#include "ops.def"
#undef OP
#undef OPR
#undef RED
    {"cast", 1, CP_CLASS_SAME, 0, "", "", "", "", false},
    {"masked", 2, CP_CLASS_SAME, 0, "", "", "", "", false},
};

const cp_red_info cp_reds[CP_NREDS] = {
#define OP(...)
#define OPR(...)
#define RED(name, cls, numeric, acc, identity, premap, combine, post)                                        \
  {#name, CP_RED_##cls, #acc, #identity, #premap, #combine, #post},
#include "ops.def"
#undef OP
#undef OPR
#undef RED
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

// The dtype an operation computes in, for operands of these dtypes.
static cp_status loop_dtype(cp_op op, cp_dtype_set operands, cp_dtype *loop) {
  const cp_op_info *info = &cp_ops[op];
  cp_dtype t = cp_promote_all(operands);
  if (info->cls == CP_CLASS_QUOTIENT) t = cp_is_inexact(t) ? t : CP_FLOAT64;
  if (info->cls == CP_CLASS_FLOAT || info->cls == CP_CLASS_FLOATABS || info->cls == CP_CLASS_CLOSE ||
      info->cls == CP_CLASS_EXPONENT || info->cls == CP_CLASS_LDEXP)
    t = cp_floating_all(operands);
  if (t == CP_BOOL && is_missing(info->boolean) && !is_missing(info->integer)) t = CP_INT8;
  if (info->cls == CP_CLASS_INT && cp_is_inexact(t))
    return cp_fail(CP_EDTYPE, "needs integers or bool, not %s; convert with :astype", cp_dtypes[t].name);
  if (!cp_op_computes_in(op, t)) return no_loop(op, t);
  *loop = t;
  return CP_OK;
}

static cp_dtype result_dtype(cp_class cls, cp_dtype loop) {
  switch (cls) {
  case CP_CLASS_COMPARE:
  case CP_CLASS_CLOSE:
  case CP_CLASS_TEST: return CP_BOOL;
  case CP_CLASS_EXPONENT: return CP_INT32;
  case CP_CLASS_PACKED: return CP_UINT8;
  case CP_CLASS_ABS:
  case CP_CLASS_FLOATABS: return cp_dtypes[loop].real;
  default: return loop;
  }
}

cp_status cp_op_types(cp_op op, int n, const cp_dtype *operands, cp_dtype *loop, cp_dtype *result) {
  cp_class cls = cp_ops[op].cls;
  int first = cls == CP_CLASS_WHERE ? 1 : 0;
  int last = cls == CP_CLASS_LDEXP || cls == CP_CLASS_RANDOM ? 1 : cls == CP_CLASS_RANDOM2 ? 2 : n;
  cp_dtype_set set = 0;
  for (int k = first; k < last; k++) set |= cp_set_of(operands[k]);
  if (cls == CP_CLASS_LDEXP && !cp_is_integer(operands[1]) && operands[1] != CP_BOOL)
    return cp_fail(CP_EDTYPE, "the exponent must be an integer array, not %s", cp_dtypes[operands[1]].name);
  CP_TRY(loop_dtype(op, set, loop));
  *result = result_dtype(cls, *loop);
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
    // NumPy: the mean of integers is float64 whatever their width.
    if (r == CP_BOOL || cp_is_integer(r)) {
      if (requested != CP_NDTYPES)
        return cp_fail(CP_EDTYPE, "needs a floating dtype, not %s", cp_dtypes[r].name);
      r = CP_FLOAT64;
    }
  }
  *acc = cp_loop_dtype(r);
  if (red == CP_RED_any || red == CP_RED_all) *acc = CP_BOOL;
  *result = cls == CP_RED_INDEX ? CP_INT64 : cls == CP_RED_VARIANCE ? cp_dtypes[r].real : r;
  if (red == CP_RED_any || red == CP_RED_all) *result = CP_BOOL;
  return CP_OK;
}
