// Sequences: arange, range and linspace. They are expressions of an index node, which takes no memory, so one
// kernel writes the result. Values that are not whole are computed in float64 and then converted.
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/creation/create.h"
#include "lua/values/handle.h"

#include <math.h>

// ---- arange and range -------------------------------------------------------------------------------------

typedef struct bound {
  bool whole;
  int64_t i; // valid if whole
  double f;
} bound;

static bound bound_at(lua_State *L, int slot, const char *where, const char *argument, int missing) {
  cp_scalar s = cp_scalar_int(missing, CP_INT64);
  char kind = 'i';
  bool weak;
  if (!lua_isnil(L, slot) && (!cp_to_scalar(L, slot, &s, &kind, &weak) || kind == 'b' || kind == 'c'))
    cp_raise(L, where, CP_EUSAGE, "%s must be a number, not %s", argument,
             cp_test_array(L, slot) != NULL ? "an array"
             : kind == 'c'                  ? "complex"
                                            : luaL_typename(L, slot));
  bound b = {.f = cp_scalar_cast(s, CP_FLOAT64).v.f};
  b.whole = kind == 'i' && (cp_is_float(s.dtype) ? b.f >= -0x1p63 && b.f < 0x1p63
                                                 : s.dtype != CP_UINT64 || s.v.u <= INT64_MAX);
  if (b.whole) b.i = cp_scalar_cast(s, CP_INT64).v.i;
  return b;
}

// The number of values from start to stop, all whole numbers; stop counts if `closed`. The difference is
// computed in unsigned integers, where it always fits.
static uint64_t count_whole(int64_t start, int64_t stop, int64_t step, bool closed) {
  bool down = step < 0;
  if (down ? stop > start : stop < start) return 0;
  uint64_t span = down ? (uint64_t)start - (uint64_t)stop : (uint64_t)stop - (uint64_t)start;
  uint64_t width = down ? 0 - (uint64_t)step : (uint64_t)step;
  if (closed) return span == UINT64_MAX ? span : span / width + 1;
  return span == 0 ? 0 : (span - 1) / width + 1;
}

static int64_t count_values(lua_State *L, const char *where, const bound *start, const bound *stop,
                            const bound *step, bool closed) {
  if (start->whole && stop->whole && step->whole) {
    uint64_t n = count_whole(start->i, stop->i, step->i, closed);
    if (n > INT64_MAX) cp_raise(L, where, CP_ESHAPE, "too many values");
    return (int64_t)n;
  }
  double n = (stop->f - start->f) / step->f;
  n = closed ? floor(n) + 1 : ceil(n);
  if (n != n || !isfinite(start->f) || !isfinite(step->f))
    cp_raise(L, where, CP_EUSAGE, "start, stop and step must be finite");
  if (n >= 9.2e18) cp_raise(L, where, CP_ESHAPE, "too many values");
  return n > 0 ? (int64_t)n : 0;
}

// start + i * step for i from 0 to n - 1: in int64 if `whole`, else in float64; then converted to dtype.
static cp_status sequence(cp_device *device, int64_t n, const bound *start, const bound *step, bool whole,
                          cp_dtype dtype, cp_node **out) {
  int64_t first = whole ? start->i : 0, increment = whole ? step->i : 1;
  CP_TRY(cp_node_index(device, 1, &n, first, &increment, out));
  if (!whole) {
    CP_TRY(cp_converted(out, CP_FLOAT64));
    CP_TRY(cp_with_scalar(CP_OP_multiply, out, cp_scalar_float(step->f, CP_FLOAT64)));
    CP_TRY(cp_with_scalar(CP_OP_add, out, cp_scalar_float(start->f, CP_FLOAT64)));
  }
  return cp_converted(out, dtype);
}

// Makes the sequence of the arguments in slots 1 to 5: start, stop, step, dtype, device.
static int push_sequence(lua_State *L, const char *where, bool closed) {
  bound start = bound_at(L, 1, where, "start", 0), stop = bound_at(L, 2, where, "stop", 0);
  bound step = bound_at(L, 3, where, "step", 1);
  if (step.f == 0) return cp_raise(L, where, CP_EUSAGE, "step must not be 0");
  bool whole = start.whole && stop.whole && step.whole;
  int64_t n = count_values(L, where, &start, &stop, &step, closed);
  cp_dtype dtype = cp_arg_dtype_or(L, 4, where, whole ? CP_INT64 : cp_default_dtype(L));
  cp_device *device = cp_arg_device(L, 5, where);
  if (dtype == CP_BOOL && n > 2) return cp_raise(L, where, CP_EDTYPE, "more than two values do not fit bool");
  cp_node *root = NULL;
  cp_array *a = cp_push_array(L, 1);
  CP_CHECK(L, where, sequence(device, n, &start, &step, whole, dtype, &root));
  CP_CHECK(L, where, cp_give(a, root));
  return 1;
}

// Moves a dtype name that directly follows the numbers, in the slot of stop or step, to slot 4.
static void move_dtype(lua_State *L) {
  for (int slot = 2; slot <= 3; slot++)
    if (lua_type(L, slot) == LUA_TSTRING && lua_isnil(L, 4)) {
      lua_pushvalue(L, slot);
      lua_replace(L, 4);
      lua_pushnil(L);
      lua_replace(L, slot);
    }
}

// arange(start = 0, stop, step = 1, dtype, device): start, start + step, ... before stop. The dtype is int64
// if all numbers are whole, else the default dtype.
CP_SIGNATURE(arange, 1, "start", "stop", "step", "dtype", "device");
static int arange(lua_State *L) {
  cp_arguments(L, &arange_signature);
  move_dtype(L);
  if (lua_isnil(L, 2)) { // arange(stop)
    lua_pushvalue(L, 1);
    lua_replace(L, 2);
    lua_pushnil(L);
    lua_replace(L, 1);
  }
  if (lua_isnil(L, 2)) return cp_raise(L, "arange", CP_EUSAGE, "stop is missing");
  return push_sequence(L, "arange", false);
}

// range(start, stop, step = 1, dtype, device): like the loops of Lua, it includes stop.
CP_SIGNATURE(range, 2, "start", "stop", "step", "dtype", "device");
static int range(lua_State *L) {
  cp_arguments(L, &range_signature);
  move_dtype(L);
  if (lua_isnil(L, 1) || lua_isnil(L, 2))
    return cp_raise(L, "range", CP_EUSAGE, "%s is missing; cp.range(a, b) has both ends",
                    lua_isnil(L, 1) ? "start" : "stop");
  return push_sequence(L, "range", true);
}

// ---- linspace ---------------------------------------------------------------------------------------------

typedef struct spacing {
  // The number of values, and of steps from start to stop.
  int64_t count, parts;
  bool endpoint, is_complex;
  cp_complex128 start, stop, step;
  cp_dtype dtype;
  cp_device *device;
} spacing;

static cp_scalar point(const spacing *s, cp_complex128 v) {
  return s->is_complex ? cp_scalar_complex(v.re, v.im, CP_COMPLEX128) : cp_scalar_float(v.re, CP_FLOAT64);
}

// where(position == last, stop, *node): makes the last value exactly stop, whatever the rounding.
static cp_status end_exactly(const spacing *s, cp_node *position, cp_node **node) {
  cp_node *args[3] = {position, NULL, *node};
  *node = NULL;
  cp_node_retain(position);
  cp_status status = cp_with_scalar(CP_OP_equal, &args[0], cp_scalar_int(s->count - 1, CP_INT64));
  if (status == CP_OK) status = cp_node_scalar(point(s, s->stop), &args[1]);
  if (status == CP_OK) return cp_node_op(CP_OP_where, args, node);
  cp_node_release(args[0]);
  cp_node_release(args[2]);
  return status;
}

// start + position * step, or start + position / parts * (stop - start) if the step underflows.
static cp_status spaced(const spacing *s, cp_node *position, cp_node **out) {
  cp_complex128 delta = {s->stop.re - s->start.re, s->stop.im - s->start.im};
  bool tiny = s->step.re == 0 && s->step.im == 0 && (delta.re != 0 || delta.im != 0);
  cp_node_retain(position);
  *out = position;
  CP_TRY(cp_converted(out, s->is_complex ? CP_COMPLEX128 : CP_FLOAT64));
  if (tiny) CP_TRY(cp_with_scalar(CP_OP_divide, out, cp_scalar_float((double)s->parts, CP_FLOAT64)));
  CP_TRY(cp_with_scalar(CP_OP_multiply, out, point(s, tiny ? delta : s->step)));
  CP_TRY(cp_with_scalar(CP_OP_add, out, point(s, s->start)));
  if (s->endpoint && s->count > 1) CP_TRY(end_exactly(s, position, out));
  if (cp_is_integer(s->dtype)) {
    cp_node *arg = *out;
    *out = NULL;
    CP_TRY(cp_node_op(CP_OP_floor, &arg, out));
  }
  return cp_converted(out, s->dtype);
}

static cp_complex128 end_at(lua_State *L, int slot, const char *argument, bool *is_complex) {
  cp_scalar s = {0};
  char kind;
  bool weak;
  if (!cp_to_scalar(L, slot, &s, &kind, &weak) || kind == 'b')
    cp_raise(L, "linspace", CP_EUSAGE, "%s must be a number or an array, not %s", argument,
             lua_isnil(L, slot) ? "nil (missing)" : luaL_typename(L, slot));
  if (kind == 'c') *is_complex = true;
  return cp_scalar_cast(s, CP_COMPLEX128).v.c;
}

static spacing read_spacing(lua_State *L) {
  static const char where[] = "linspace";
  spacing s = {.is_complex = false};
  s.start = end_at(L, 1, "start", &s.is_complex);
  s.stop = end_at(L, 2, "stop", &s.is_complex);
  s.count = cp_arg_length(L, 3, where, "num", 50);
  s.endpoint = cp_arg_boolean_or(L, 4, where, "endpoint", true);
  s.parts = s.endpoint ? s.count - 1 : s.count;
  s.dtype = cp_arg_dtype_or(
      L, 6, where,
      cp_weak_dtype(s.is_complex ? CP_WEAK_COMPLEX : CP_WEAK_FLOAT, CP_NDTYPES, cp_default_dtype(L)));
  if (s.is_complex && !cp_is_complex(s.dtype))
    cp_raise(L, where, CP_EDTYPE, "complex values do not fit %s", cp_dtypes[s.dtype].name);
  s.device = cp_arg_device(L, 8, where);
  s.step = (cp_complex128){s.stop.re - s.start.re, s.stop.im - s.start.im};
  s.step.re = s.parts > 0 ? s.step.re / (double)s.parts : (double)NAN;
  s.step.im = s.parts > 0 ? s.step.im / (double)s.parts : (double)NAN;
  return s;
}

// Pushes a new array with the values of s.
static void push_spaced(lua_State *L, const spacing *s) {
  spacing one = *s;
  if (s->parts <= 0) one.step = (cp_complex128){0, 0}; // a single value, start
  if (s->parts <= 0) one.stop = one.start;
  cp_node *position = NULL, *root = NULL;
  int64_t n = s->count, steps = 1;
  cp_array *a = cp_push_array(L, 1);
  CP_CHECK(L, "linspace", cp_node_index(s->device, 1, &n, 0, &steps, &position));
  cp_status status = spaced(&one, position, &root);
  cp_node_release(position);
  CP_CHECK(L, "linspace", status);
  CP_CHECK(L, "linspace", cp_give(a, root));
}

// linspace(start, stop, num = 50, endpoint = true, retstep = false, dtype, axis, device): num values from
// start to stop, computed in float64; with retstep also the step. Integer dtypes take the floor. If start or
// stop is an array, so is each value, and the values lie along `axis` (default: the first) of the result. The
// table core, upvalue 1, has the function for that case.
CP_SIGNATURE(linspace, 2, "start", "stop", "num", "endpoint", "retstep", "dtype", "axis", "device");
static int linspace(lua_State *L) {
  cp_arguments(L, &linspace_signature);
  bool arrays =
      cp_test_array(L, 1) != NULL || cp_test_array(L, 2) != NULL || lua_istable(L, 1) || lua_istable(L, 2);
  if (arrays) {
    lua_getfield(L, lua_upvalueindex(1), "linspace_of_arrays");
    lua_insert(L, 1);
    lua_call(L, 8, LUA_MULTRET);
    return lua_gettop(L);
  }
  spacing s = read_spacing(L);
  if (!lua_isnil(L, 7)) cp_arg_axis(L, 7, "linspace", "axis", 1);
  bool retstep = cp_arg_boolean_or(L, 5, "linspace", "retstep", false);
  push_spaced(L, &s);
  if (!retstep) return 1;
  cp_push_scalar(L, point(&s, s.step));
  return 2;
}

void cp_open_sequence(lua_State *L) {
  static const luaL_Reg functions[] = {{"arange", arange}, {"range", range}, {NULL, NULL}};
  lua_pushvalue(L, 2);
  cp_put_functions(L, -1, functions);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, linspace, 1);
  lua_setfield(L, -2, "linspace");
  lua_pop(L, 1);
}
