// Compares an integer array with any number, and signed integers with uint64, without rounding either side.
#include "rules/compare.h"

#include <math.h>

static cp_op mirrored(cp_op op) {
  switch (op) {
  case CP_OP_less: return CP_OP_greater;
  case CP_OP_less_equal: return CP_OP_greater_equal;
  case CP_OP_greater: return CP_OP_less;
  case CP_OP_greater_equal: return CP_OP_less_equal;
  default: return op;
  }
}

// The result of x op v if it is the same for every x: v is greater (side 1) or less (side -1) than all values
// of x's dtype, or v equals none of them because it is no whole number or nan (side 0).
static bool constant_answer(cp_op op, int side) {
  switch (op) {
  case CP_OP_not_equal: return true;
  case CP_OP_less:
  case CP_OP_less_equal: return side > 0;
  case CP_OP_greater:
  case CP_OP_greater_equal: return side < 0;
  default: return false;
  }
}

// Makes an array with the same answer everywhere, in x's shape, by comparing x with itself: integers always
// equal themselves.
static cp_status answer(bool yes, cp_node *x, cp_node **out) {
  cp_node *both[2] = {x, x};
  cp_node_retain(x);
  return cp_node_op(yes ? CP_OP_equal : CP_OP_not_equal, both, out);
}

static cp_status with_scalar(cp_op op, cp_node *x, cp_scalar v, cp_node **out) {
  cp_node *both[2] = {x, NULL};
  cp_status status = cp_node_scalar(v, &both[1]);
  if (status != CP_OK) {
    cp_node_release(x);
    return status;
  }
  return cp_node_op(op, both, out);
}

// Makes x op v for an x of an integer dtype.
static cp_status integer_with_number(cp_op op, cp_node *x, cp_scalar v, cp_node **out) {
  cp_dtype t = x->dtype;
  if (cp_scalar_fits(v, t)) return with_scalar(op, x, cp_scalar_cast(v, t), out);
  double d = cp_scalar_cast(v, CP_FLOAT64).v.f;
  if (isnan(d)) return answer(constant_answer(op, 0) && op == CP_OP_not_equal, x, out);
  if (d != floor(d)) {
    if (op == CP_OP_equal || op == CP_OP_not_equal) return answer(op == CP_OP_not_equal, x, out);
    bool up = op == CP_OP_less || op == CP_OP_greater_equal;
    cp_scalar whole = cp_scalar_float(up ? ceil(d) : floor(d), CP_FLOAT64);
    if (cp_scalar_fits(whole, t)) return with_scalar(op, x, cp_scalar_cast(whole, t), out);
  }
  return answer(constant_answer(op, d > 0 ? 1 : -1), x, out);
}

static cp_status binary(cp_op op, cp_node *a, cp_node *b, cp_node **out) {
  cp_node *both[2] = {a, b};
  return cp_node_op(op, both, out);
}

// Makes s op u for signed s and uint64 u: a negative s is less than every u, and other values compare as
// uint64.
static cp_status signed_with_unsigned(cp_op op, cp_node *s, cp_node *u, cp_node **out) {
  bool below = constant_answer(op, 1); // the answer where s < 0
  cp_node *sign = NULL, *as_unsigned = NULL, *same = NULL;
  cp_scalar zero = cp_scalar_int(0, s->dtype);
  cp_node_retain(s);
  cp_status status = with_scalar(below ? CP_OP_less : CP_OP_greater_equal, s, zero, &sign);
  if (status == CP_OK) {
    status = cp_node_cast(s, CP_UINT64, &as_unsigned);
    s = NULL;
  }
  if (status == CP_OK) {
    status = binary(op, as_unsigned, u, &same);
    u = NULL;
  }
  if (status == CP_OK) return binary(below ? CP_OP_logical_or : CP_OP_logical_and, sign, same, out);
  cp_node_release(sign);
  cp_node_release(s);
  cp_node_release(u);
  return status;
}

bool cp_compares_by_value(cp_op op, const cp_operands *o) {
  if (!cp_is_comparison(op) || !o->any_array) return false;
  if (cp_is_bare_number(&o->v[0]) || cp_is_bare_number(&o->v[1]))
    return o->strong != CP_NDTYPES && (o->strong == CP_BOOL || cp_is_integer(o->strong));
  return false;
}

cp_status cp_compare_by_value(cp_op op, const cp_operands *o, cp_node **nodes, cp_node **out) {
  int number = cp_is_bare_number(&o->v[0]) ? 0 : 1;
  cp_node *x = nodes[1 - number];
  cp_node_release(nodes[number]);
  if (x->dtype == CP_BOOL) CP_TRY(cp_node_cast(x, CP_INT64, &x));
  return integer_with_number(number == 0 ? mirrored(op) : op, x, o->v[number].s, out);
}

bool cp_compares_signs(cp_op op, cp_node *const *nodes) {
  if (!cp_is_comparison(op)) return false;
  cp_dtype a = nodes[0]->dtype, b = nodes[1]->dtype;
  bool a_signed = cp_is_integer(a) && !cp_is_unsigned(a), b_signed = cp_is_integer(b) && !cp_is_unsigned(b);
  return (a_signed && b == CP_UINT64) || (b_signed && a == CP_UINT64);
}

cp_status cp_compare_signs(cp_op op, cp_node **nodes, cp_node **out) {
  if (nodes[1]->dtype == CP_UINT64) return signed_with_unsigned(op, nodes[0], nodes[1], out);
  return signed_with_unsigned(mirrored(op), nodes[1], nodes[0], out);
}
