// Boxed values, cp.complex and cp.scalar: making them, their arithmetic, order and text. Arithmetic of typed
// numbers is that of the elementwise functions (ufunc.h).
#include "lua/arguments/args.h"
#include "lua/elementwise/sparse.h"
#include "lua/elementwise/ufunc.h"
#include "lua/loading/libraries.h"
#include "lua/loading/load.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/state/module.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- arithmetic of cp.complex and cp.scalar ---------------------------------------------------------------

static cp_complex128 operand(lua_State *L, int index) {
  cp_scalar s = {0};
  char kind;
  bool weak;
  if (!cp_to_scalar(L, index, &s, &kind, &weak))
    cp_raise(L, "complex", CP_EUSAGE, "operand %d must be a number or a complex value, not %s", index,
             luaL_typename(L, index));
  return cp_scalar_cast(s, CP_COMPLEX128).v.c;
}

static cp_complex128 compute(char op, cp_complex128 a, cp_complex128 b) {
  cp_complex128 r = {a.re + b.re, a.im + b.im};
  if (op == '-') {
    r.re = a.re - b.re;
    r.im = a.im - b.im;
  } else if (op == '*') {
    r.re = a.re * b.re - a.im * b.im;
    r.im = a.re * b.im + a.im * b.re;
    // Smith's method of 1962, which scales by the larger part.
  } else if (op == '/') {
    bool real = fabs(b.re) >= fabs(b.im);
    double q = real ? b.im / b.re : b.re / b.im, d = real ? b.re + b.im * q : b.re * q + b.im;
    r.re = (real ? a.re + a.im * q : a.re * q + a.im) / d;
    r.im = (real ? a.im - a.re * q : a.im * q - a.re) / d;
  }
  return r;
}

// Typed numbers, alone or beside other numbers, give what cp.add and the like give.
static int real_arithmetic(lua_State *L, char op) {
  switch (op) {
  case '+': return cp_elementwise(L, "add", CP_OP_add, 1, 0, CP_NDTYPES);
  case '-': return cp_elementwise(L, "subtract", CP_OP_subtract, 1, 0, CP_NDTYPES);
  case '*': return cp_elementwise(L, "multiply", CP_OP_multiply, 1, 0, CP_NDTYPES);
  default: return cp_elementwise(L, "divide", CP_OP_divide, 1, 0, CP_NDTYPES);
  }
}

// If an operand is an array, dense or sparse, calls the array's own metamethod. False if none is.
static bool by_array(lua_State *L, const char *event) {
  for (int k = 1; k <= 2; k++)
    if ((cp_test_array(L, k) != NULL || cp_is_sparse(L, k)) && luaL_getmetafield(L, k, event)) {
      lua_insert(L, 1);
      lua_call(L, lua_gettop(L) - 1, 1);
      return true;
    }
  return false;
}

// Reads both operands. False if one is complex or not a number.
static bool read_real(lua_State *L, cp_scalar *s) {
  char kind;
  bool weak;
  for (int k = 0; k < 2; k++)
    if (!cp_to_scalar(L, k + 1, &s[k], &kind, &weak) || kind == 'c') return false;
  return true;
}

static int arithmetic(lua_State *L) {
  const char *op = lua_tostring(L, lua_upvalueindex(1));
  cp_scalar real[2];
  lua_settop(L, 2);
  if (by_array(L, lua_tostring(L, lua_upvalueindex(2)))) return 1;
  if (read_real(L, real)) return real_arithmetic(L, op[0]);
  cp_complex128 r = compute(op[0], operand(L, 1), operand(L, 2));
  cp_push_boxed(L, cp_scalar_complex(r.re, r.im, CP_COMPLEX128), true);
  return 1;
}

static int raise_power(lua_State *L) {
  lua_settop(L, 2);
  return by_array(L, "__pow") ? 1 : cp_elementwise(L, "power", CP_OP_power, 1, 0, CP_NDTYPES);
}

static int negate(lua_State *L) {
  const cp_boxed *b = cp_test_boxed(L, 1);
  if (b != NULL && !cp_is_complex(b->s.dtype))
    return cp_elementwise(L, "negative", CP_OP_negative, 1, 0, CP_NDTYPES);
  cp_complex128 a = operand(L, 1);
  cp_push_boxed(L, cp_scalar_complex(-a.re, -a.im, CP_COMPLEX128), true);
  return 1;
}

// -1, 0 or 1 if a is less than, equal to or greater than b; 2 if one is nan. Whole numbers are compared
// without rounding.
static int order(cp_scalar a, cp_scalar b) {
  if (cp_is_float(a.dtype) || cp_is_float(b.dtype)) {
    double x = cp_scalar_cast(a, CP_FLOAT64).v.f, y = cp_scalar_cast(b, CP_FLOAT64).v.f;
    return x < y ? -1 : x == y ? 0 : x > y ? 1 : 2;
  }
  bool below_a = a.dtype != CP_UINT64 && a.v.i < 0, below_b = b.dtype != CP_UINT64 && b.v.i < 0;
  if (below_a != below_b) return below_a ? -1 : 1;
  return a.v.u < b.v.u ? -1 : a.v.u > b.v.u; // both have the same sign
}

static int equal(lua_State *L) {
  // Lua also calls this for an array, or another library's userdata.
  if (cp_test_boxed(L, 1) == NULL || cp_test_boxed(L, 2) == NULL) {
    lua_pushboolean(L, false);
    return 1;
  }
  cp_scalar real[2];
  if (read_real(L, real)) {
    lua_pushboolean(L, order(real[0], real[1]) == 0);
    return 1;
  }
  cp_complex128 a = operand(L, 1), b = operand(L, 2);
  lua_pushboolean(L, a.re == b.re && a.im == b.im);
  return 1;
}

// a < b or, if upvalue 2 is true, a <= b. Upvalue 1 is the name of the metamethod.
static int less(lua_State *L) {
  cp_scalar s[2];
  lua_settop(L, 2);
  if (by_array(L, lua_tostring(L, lua_upvalueindex(1)))) return 1;
  if (!read_real(L, s)) return cp_raise(L, "complex", CP_EUSAGE, "only numbers can be ordered");
  lua_pushboolean(L, order(s[0], s[1]) <= (lua_toboolean(L, lua_upvalueindex(2)) ? 0 : -1));
  return 1;
}

static int get_field(lua_State *L) {
  const cp_boxed *b = cp_check_object(L, 1, CP_KIND_SCALAR, "scalar", "argument 1");
  const char *name = lua_tostring(L, 2);
  if (name == NULL) return 0;
  if (strcmp(name, "re") == 0)
    lua_pushnumber(L, cp_scalar_cast(b->s, CP_COMPLEX128).v.c.re);
  else if (strcmp(name, "im") == 0)
    lua_pushnumber(L, cp_scalar_cast(b->s, CP_COMPLEX128).v.c.im);
  else if (strcmp(name, "dtype") == 0)
    lua_pushstring(L, cp_dtypes[b->s.dtype].name);
  else
    return cp_raise(L, "complex", CP_EUSAGE, "no field %s; the fields are re, im and dtype", name);
  return 1;
}

static void format_part(char *buf, size_t size, double v) {
  // The shortest text that reads back as the same number.
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(buf, size, "%.*g", digits, v);
    double back = 0;
    if (sscanf(buf, "%lf", &back) == 1 && (back == v || v != v)) break;
  }
  if (v != v) snprintf(buf, size, "nan");
}

static int to_text(lua_State *L) {
  const cp_boxed *b = cp_check_object(L, 1, CP_KIND_SCALAR, "tostring", "argument 1");
  char re[40], im[40];
  if (cp_is_integer(b->s.dtype)) {
    if (cp_is_unsigned(b->s.dtype))
      snprintf(re, sizeof re, "%" PRIu64, b->s.v.u);
    else
      snprintf(re, sizeof re, "%" PRId64, b->s.v.i);
    lua_pushstring(L, re);
    return 1;
  }
  if (!cp_is_complex(b->s.dtype)) {
    cp_push_scalar(L, b->s);
    cp_push_own(L, "tostring");
    lua_insert(L, -2);
    lua_call(L, 1, 1);
    return 1;
  }
  cp_complex128 c = cp_scalar_cast(b->s, CP_COMPLEX128).v.c;
  format_part(re, sizeof re, c.re);
  format_part(im, sizeof im, c.im);
  lua_pushfstring(L, "%s%s%sj", re, im[0] == '-' ? "" : "+", im);
  return 1;
}

// cp.complex(re, im): a complex value, weak in promotion.
CP_SIGNATURE(complex, 1, "re", "im");
static int make_complex(lua_State *L) {
  cp_arguments(L, &complex_signature);
  double re = cp_arg_number(L, 1, "complex", "re");
  double im = lua_isnoneornil(L, 2) ? 0 : cp_arg_number(L, 2, "complex", "im");
  cp_push_boxed(L, cp_scalar_complex(re, im, CP_COMPLEX128), true);
  return 1;
}

// cp.scalar(v, dtype): a typed value, strong in promotion.
CP_SIGNATURE(scalar, 1, "v", "dtype");
static int make_scalar(lua_State *L) {
  cp_arguments(L, &scalar_signature);
  cp_scalar s = {0};
  char kind;
  bool weak;
  if (!cp_to_scalar(L, 1, &s, &kind, &weak))
    return cp_raise(L, "scalar", CP_EUSAGE, "v must be a number, boolean or complex value, not %s",
                    luaL_typename(L, 1));
  cp_dtype t = cp_arg_dtype(L, 2, "scalar");
  if (t == CP_NDTYPES) t = cp_dtype_alone(L, s, kind, true);
  if (cp_is_integer(t) && kind != 'b' && (kind == 'c' || !cp_scalar_fits(s, t)))
    return cp_raise(L, "scalar", CP_EDTYPE, "the value is not one of %s", cp_dtypes[t].name);
  cp_push_boxed(L, cp_scalar_cast(s, t), false);
  return 1;
}

static void set_operator(lua_State *L, const char *event, const char *op) {
  lua_pushstring(L, op);
  lua_pushstring(L, event);
  lua_pushcclosure(L, arithmetic, 2);
  lua_setfield(L, -2, event);
}

static void set_order(lua_State *L, const char *event, bool or_equal) {
  lua_pushstring(L, event);
  lua_pushboolean(L, or_equal);
  lua_pushcclosure(L, less, 2);
  lua_setfield(L, -2, event);
}

void cp_open_boxed(lua_State *L) {
  static const luaL_Reg cp[] = {{"complex", make_complex}, {"scalar", make_scalar}, {NULL, NULL}};
  static const luaL_Reg meta[] = {
      {"__unm", negate}, {"__eq", equal}, {"__index", get_field}, {"__tostring", to_text}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_SCALAR, meta, NULL);
  set_operator(L, "__add", "+");
  set_operator(L, "__sub", "-");
  set_operator(L, "__mul", "*");
  set_operator(L, "__div", "/");
  set_order(L, "__lt", false);
  set_order(L, "__le", true);
  lua_pushcfunction(L, raise_power);
  lua_setfield(L, -2, "__pow");
  lua_pop(L, 1);
  lua_pushvalue(L, 2);
  cp_put_functions(L, -1, cp);
  cp_push_boxed(L, cp_scalar_complex(0, 1, CP_COMPLEX128), true);
  lua_setfield(L, -2, "j");
  lua_pop(L, 1);
}
