// Random numbers as pending values: a draw is an elementwise operation on the position of each element, the
// seed and the number of the call (kernels/prelude/philox.h). lua/cupola/random/define.lua calls core.draw.
#include "base/fork.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/creation/seed.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PARAMETERS = 3 };

typedef struct draw {
  const char *where;
  cp_op op;
  int parameters, ndim;
  int64_t shape[CP_MAXDIM];
  cp_dtype dtype;
  uint64_t seed, call;
  cp_device *device;
  cp_scalar scalars[MOST_PARAMETERS]; // the parameters that are not arrays
  cp_array *arrays[MOST_PARAMETERS];  // NULL for the others
  // For graphs, else NULL: int64 arrays of one element that hold the seed, and the number to which `call` is
  // added.
  cp_array *seed_at, *call_at;
} draw;

// The operation of a kind of draw: its name is random_ followed by the kind.
static cp_op op_of(lua_State *L, int index) {
  const char *name = luaL_checkstring(L, index);
  for (cp_op op = (cp_op)0; op < CP_OP_cast; op++)
    if (cp_is_draw(op) && strcmp(cp_ops[op].name + strlen("random_"), name) == 0) return op;
  luaL_error(L, "unknown draw %s", name);
  return CP_NOPS;
}

// The position of each element, 0, 1, ... in C order.
static cp_status position_node(const draw *d, cp_node **out) {
  int64_t steps[CP_MAXDIM];
  cp_contiguous_strides(d->ndim, d->shape, 1, 'C', steps);
  return cp_node_index(d->device, d->ndim, d->shape, 0, steps, out);
}

// Parameters after the second one are whole numbers.
static cp_dtype dtype_of(const draw *d, int k) { return k < 2 ? d->dtype : CP_INT64; }

static cp_status parameter_node(const draw *d, int k, cp_node **out) {
  cp_node *node = NULL;
  if (d->arrays[k] == NULL) return cp_node_scalar(d->scalars[k], out);
  CP_TRY(cp_array_node(d->arrays[k], &node));
  CP_TRY(cp_node_cast(node, dtype_of(d, k), &node)); // if this fails, it has released node
  *out = node;
  return CP_OK;
}

// Seed and call as nodes: two numbers, or for a graph leaves that read both from memory whenever it runs.
static cp_status key_nodes(const draw *d, cp_node **seed, cp_node **call) {
  cp_node *counted[2] = {NULL, NULL};
  if (d->seed_at == NULL) {
    CP_TRY(cp_node_scalar(cp_scalar_int((int64_t)d->seed, CP_INT64), seed));
    return cp_node_scalar(cp_scalar_int((int64_t)d->call, CP_INT64), call);
  }
  CP_TRY(cp_array_node(d->seed_at, seed));
  cp_status status = cp_array_node(d->call_at, &counted[0]);
  if (status == CP_OK) status = cp_node_scalar(cp_scalar_int((int64_t)d->call, CP_INT64), &counted[1]);
  if (status == CP_OK) return cp_node_op(CP_OP_add, counted, call);
  cp_node_release(counted[0]);
  return status;
}

static cp_status draw_node(const draw *d, cp_node **out) {
  cp_node *args[CP_MAX_ARGS] = {NULL};
  int n = d->parameters;
  cp_status status = CP_OK;
  for (int k = 0; k < n && status == CP_OK; k++) status = parameter_node(d, k, &args[k]);
  if (status == CP_OK) status = position_node(d, &args[n]);
  if (status == CP_OK) status = key_nodes(d, &args[n + 1], &args[n + 2]);
  if (status == CP_OK) return cp_node_op(d->op, args, out);
  for (int k = 0; k < n + 3; k++) cp_node_release(args[k]);
  return status;
}

// A uniform draw from [0, a). The operation multiplies a random whole number by its parameter, so the
// parameter is a * step. If the dtype cannot hold that exactly, or a is an array, the draw from [0, 1) is
// multiplied by a instead.
static cp_status uniform_node(const draw *d, cp_node **out) {
  const double step = d->dtype == CP_FLOAT64 ? 0x1p-53 : 0x1p-24, a = d->scalars[0].v.f;
  cp_node *factors[2] = {NULL, NULL};
  draw unit = *d;
  unit.arrays[0] = NULL;
  unit.scalars[0] = cp_scalar_float(a * step, d->dtype);
  if (d->arrays[0] == NULL && unit.scalars[0].v.f / step == a) return draw_node(&unit, out);
  unit.scalars[0] = cp_scalar_float(step, d->dtype);
  CP_TRY(draw_node(&unit, &factors[0]));
  cp_status status = parameter_node(d, 0, &factors[1]);
  if (status == CP_OK) return cp_node_op(CP_OP_multiply, factors, out);
  cp_node_release(factors[0]);
  return status;
}

static bool broadcasts(const cp_array *a, const draw *d) {
  int ndim = d->ndim;
  int64_t shape[CP_MAXDIM] = {0}; // initialised, as ndim may be 0
  memcpy(shape, d->shape, (size_t)ndim * sizeof *shape);
  return cp_broadcast(&ndim, shape, a->ndim, a->shape) && cp_shape_equal(ndim, shape, d->ndim, d->shape);
}

static void read_parameter(lua_State *L, draw *d, int k, int index) {
  char kind;
  bool weak;
  d->arrays[k] = cp_test_array(L, index);
  if (d->arrays[k] != NULL) {
    CP_CHECK(L, d->where, cp_array_alive(d->arrays[k]));
    cp_context *ctx = &cp_state_get(L)->ctx;
    ctx->lazy.caller = d->where;
    CP_CHECK(L, d->where, cp_bound_operands(ctx, 1, &d->arrays[k], NULL));
    cp_demand(L, d->where, broadcasts(d->arrays[k], d), "a parameter does not broadcast to the size");
    return;
  }
  if (!cp_to_scalar(L, index, &d->scalars[k], &kind, &weak))
    luaL_error(L, "a parameter of a draw must be a number");
  d->scalars[k] = cp_scalar_cast(d->scalars[k], dtype_of(d, k));
}

static bool is_word(const cp_array *a) { return a->dtype == CP_INT64 && a->ndim == 0; }

// A whole number below 2^53, in which form Lua passes parts of seeds and counts of calls.
static uint64_t word_at(lua_State *L, int index, const char *where) {
  int64_t v = cp_arg_integer(L, index, where, "seed");
  cp_demand(L, where, v >= 0 && v < (int64_t)1 << 53, "a seed is made of whole numbers below 2^53");
  return (uint64_t)v;
}

// core.draw(where, kind, shape, dtype, a, seed_high, seed_low, call, device[, b[, c[, seed_at, call_at]]]): a
// pending array of random numbers. `kind` is the name of an operation of the class RANDOM without its prefix
// random_. Its parameters a, b and c are numbers, or arrays that broadcast to the shape. The seed is two
// whole numbers below 2^32, `call` is one below 2^53. Shape nil: a 0-d array. seed_at and call_at: 0-d int64
// arrays that replace the seed, and hold the number to which `call` is added.
static int draw_numbers(lua_State *L) {
  draw d = {.where = luaL_checkstring(L, 1)};
  d.op = op_of(L, 2);
  d.parameters = cp_ops[d.op].arity - 3;
  d.ndim = lua_isnil(L, 3) ? 0 : cp_arg_shape(L, 3, d.where, "size", d.shape);
  d.dtype = cp_check_dtype(L, 4, d.where);
  d.seed = word_at(L, 6, d.where) << 32 | word_at(L, 7, d.where);
  d.call = word_at(L, 8, d.where);
  d.device = cp_arg_device(L, 9, d.where);
  read_parameter(L, &d, 0, 5);
  for (int k = 1; k < d.parameters; k++) read_parameter(L, &d, k, 9 + k);
  d.seed_at = lua_isnoneornil(L, 12) ? NULL : cp_check_array(L, 12, d.where, "seed_at");
  d.call_at = d.seed_at != NULL ? cp_check_array(L, 13, d.where, "call_at") : NULL;
  cp_demand(L, d.where, d.seed_at == NULL || (is_word(d.seed_at) && is_word(d.call_at)),
            "seed_at and call_at must be int64 of one element");
  cp_array *a = cp_push_array(L, d.ndim);
  cp_node *node = NULL;
  CP_CHECK(L, d.where, d.op == CP_OP_random_uniform ? uniform_node(&d, &node) : draw_node(&d, &node));
  CP_CHECK(L, d.where, cp_give(a, node));
  return 1;
}

// core.set_word(array, high, low): sets the 64 bits of an int64 array of one element.
static int set_word(lua_State *L) {
  cp_array *a = cp_check_array(L, 1, "random", "array");
  cp_demand(L, "random", is_word(a) && !a->readonly, "array must be int64 of one element");
  const uint64_t bits = word_at(L, 2, "random") << 32 | word_at(L, 3, "random");
  cp_upload(L, "random", a, &bits);
  return 0;
}

// core.entropy(): two whole numbers below 2^32 from the system's source of randomness or, if it has none,
// from the clock and the state's address.
static int entropy(lua_State *L) {
  uint32_t words[2];
  if (getentropy(words, sizeof words) != 0) {
    struct timespec t = {0};
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t place = (uint64_t)(uintptr_t)L;
    words[0] = (uint32_t)t.tv_nsec ^ (uint32_t)place;
    words[1] = (uint32_t)t.tv_sec ^ (uint32_t)(place >> 32) ^ (uint32_t)clock();
  }
  lua_pushnumber(L, (lua_Number)words[0]);
  lua_pushnumber(L, (lua_Number)words[1]);
  return 2;
}

// core.forks(): the number of forks between the process that first opened cupola and this one.
static int forks(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)cp_fork_count());
  return 1;
}

void cp_open_random(lua_State *L) {
  static const luaL_Reg core[] = {{"draw", draw_numbers}, {"entropy", entropy},          {"forks", forks},
                                  {"set_word", set_word}, {"seed_state", cp_seed_state}, {NULL, NULL}};
  cp_watch_forks();
  cp_put_functions(L, 1, core);
}
