// Traces for cp.vectorize: an expression of placeholders that records what a function does with one element,
// and that is built again with other values in their place.
//
// A placeholder is a 0-d array that waits for a value that never comes (cp_node_placeholder). The Lua side
// (lua/cupola/userkernels/vectorize.lua) calls the function with such arrays; the expressions that it returns
// are the trace.
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/objects/object.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <string.h>

enum { MOST_NODES = 640, MOST_RESULTS = 8, MOST_ARGUMENTS = CP_RAISED_LEAVES };

// One node of the trace. The steps are in an order in which each node comes after its arguments.
typedef struct trace_step {
  cp_node *node;
  short argument; // the number of the function's argument that it stands for; -1: none
  short args[CP_MAX_ARGS];
} trace_step;

typedef struct trace { // a userdata
  int nsteps, narguments, nresults;
  cp_node *results[MOST_RESULTS]; // the trace has a reference to each; they refer to all other nodes
  short roots[MOST_RESULTS];      // the steps of the results
  trace_step steps[];
} trace;

static void end_trace(lua_State *L, void *object) {
  trace *t = object;
  (void)L;
  while (t->nresults > 0) cp_node_release(t->results[--t->nresults]);
}

// The dtype that a number gets beside arrays of dtype t (CP_NDTYPES: there are none), by the rules of
// operators.
static cp_dtype number_dtype(const cp_state *state, cp_scalar s, char kind, bool weak, cp_dtype t) {
  if (!weak) return s.dtype;
  // A boolean stays one, because it may be a condition.
  return cp_weak_dtype(cp_weak_of(kind), kind == 'b' ? CP_NDTYPES : t, state->default_dtype);
}

// The common dtype of the arrays among the values (CP_NDTYPES: there are none), and the device of the first.
static cp_dtype common_dtype(lua_State *L, int first, int last, cp_device **device) {
  cp_dtype_set dtypes = 0;
  *device = NULL;
  for (int k = first; k <= last; k++) {
    const cp_array *a = cp_test_array(L, k);
    if (a == NULL) continue;
    dtypes |= cp_set_of(a->dtype);
    if (*device == NULL) *device = a->device;
  }
  return cp_promote_all(dtypes);
}

// core.trace_key(arguments...): the key by which a trace for these arguments is found: bytes with the number
// of the arrays' device and all dtypes. Returns nil and a position if the argument there is neither array nor
// number.
static int trace_key_of(lua_State *L) {
  char key[MOST_ARGUMENTS + 1], kind;
  cp_device *device;
  cp_scalar s;
  bool weak;
  int n = lua_gettop(L);
  cp_state *state = cp_state_get(L);
  if (n > MOST_ARGUMENTS)
    return cp_raise(L, "vectorize", CP_EUSAGE, "%d arguments are too many; at most %d are possible", n,
                    (int)MOST_ARGUMENTS);
  cp_dtype common = common_dtype(L, 1, n, &device);
  key[0] = (char)(device != NULL ? device->id : -1);
  for (int k = 1; k <= n; k++) {
    const cp_array *a = cp_test_array(L, k);
    cp_dtype t = a != NULL ? a->dtype : common;
    if (a == NULL && !cp_to_scalar(L, k, &s, &kind, &weak)) {
      lua_pushnil(L);
      lua_pushinteger(L, k);
      return 2;
    }
    if (a == NULL) t = number_dtype(state, s, kind, weak, common);
    if (a == NULL && weak && kind == 'i' && cp_is_integer(t) && !cp_scalar_fits(s, t))
      return cp_raise(L, "vectorize", CP_EDTYPE, "%.17g does not fit %s; convert the array with :astype",
                      cp_scalar_cast(s, CP_FLOAT64).v.f, cp_dtypes[t].name);
    key[k] = (char)t;
  }
  lua_pushlstring(L, key, (size_t)n + 1);
  return 1;
}

// core.trace_dtypes(key): a list of the names of the dtypes in a key.
static int key_dtypes(lua_State *L) {
  size_t n;
  const char *key = luaL_checklstring(L, 1, &n);
  lua_createtable(L, 0, 0);
  for (size_t k = 1; k < n; k++) {
    cp_demand(L, "vectorize", key[k] >= 0 && key[k] < CP_NDTYPES, "this is not the key of a trace");
    lua_pushstring(L, cp_dtypes[(int)key[k]].name);
    lua_rawseti(L, -2, (int)k);
  }
  return 1;
}

// ---- making -----------------------------------------------------------------------------------------------

// core.trace_placeholder(dtype, device): a placeholder, an array that stands for one element.
static int placeholder(lua_State *L) {
  cp_node *n;
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_dtype t = cp_check_dtype(L, 1, "vectorize");
  cp_device *device = cp_arg_device(L, 2, "vectorize");
  cp_array *a = cp_push_array(L, 0);
  CP_CHECK(L, "vectorize", cp_node_placeholder(ctx, device, t, &n));
  CP_CHECK(L, "vectorize", cp_pend(ctx, a, n));
  return 1;
}

static cp_status check_node(const cp_node *n) {
  if (n->kind == CP_NODE_OP && n->op < CP_OP_cast && cp_is_draw(n->op))
    return cp_fail(CP_EUSAGE,
                   "f draws random numbers, which would be the same in each call; pass them to it");
  if (n->kind == CP_NODE_LEAF || n->kind == CP_NODE_INDEX || n->ndim > 0 || n->apart || n->reduces)
    return cp_fail(CP_EUSAGE, "f uses an array that is not one of its arguments; pass it as one");
  return CP_OK;
}

typedef struct order {
  int count;
  cp_node *list[MOST_NODES];
} order;

// Appends root and all nodes that it is made of to the list, arguments first, without recursion. The field
// mark of a listed node is its position in the list; that of others is negative.
static cp_status list_nodes(order *o, cp_node *root) {
  cp_node *stack[MOST_NODES];
  int depth = 0;
  if (root->mark < 0) stack[depth++] = root;
  while (depth > 0) {
    cp_node *n = stack[depth - 1];
    int waiting = 0;
    for (int k = 0; k < n->nargs && n->mark < 0; k++) {
      if (n->args[k]->mark >= 0) continue;
      if (depth == MOST_NODES) return cp_fail(CP_EUSAGE, "f makes more than %d values", (int)MOST_NODES);
      stack[depth++] = n->args[k];
      waiting++;
    }
    if (waiting > 0) continue;
    depth--;
    if (n->mark >= 0) continue;
    CP_TRY(check_node(n));
    if (o->count == MOST_NODES) return cp_fail(CP_EUSAGE, "f makes more than %d values", (int)MOST_NODES);
    n->mark = o->count;
    o->list[o->count++] = n;
  }
  return CP_OK;
}

// Gives the node of the result at index, cast to dtype t (CP_NDTYPES: not cast).
static cp_status result_node(lua_State *L, int index, cp_dtype t, cp_node **out) {
  cp_scalar s;
  char kind;
  bool weak;
  cp_array *a = cp_test_array(L, index);
  if (a != NULL) {
    if (a->node == NULL || !a->node->traced)
      return cp_fail(CP_EUSAGE, "f returns an array that was not computed from its arguments");
    CP_TRY(cp_array_node(a, out));
  } else if (cp_to_scalar(L, index, &s, &kind, &weak)) {
    s = cp_scalar_cast(s, cp_dtype_alone(L, s, kind, weak));
    CP_TRY(cp_node_scalar(s, out));
  } else {
    return cp_fail(CP_EUSAGE, "f returns %s; it must return numbers or what it computed from its arguments",
                   luaL_typename(L, index));
  }
  return t == CP_NDTYPES ? CP_OK : cp_node_cast(*out, t, out);
}

// The dtype of result k in the list at index; CP_NDTYPES if there is none.
static cp_dtype result_dtype(lua_State *L, int index, int k) {
  lua_rawgeti(L, index, k);
  cp_dtype t = cp_arg_dtype(L, lua_gettop(L), "vectorize");
  lua_pop(L, 1);
  return t;
}

static cp_status take_results(lua_State *L, trace *t, int count) {
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, 2, k + 1);
    CP_TRY(result_node(L, lua_gettop(L), result_dtype(L, 3, k + 1), &t->results[k]));
    lua_pop(L, 1);
    t->nresults = k + 1;
  }
  return CP_OK;
}

static cp_status fill_steps(lua_State *L, trace *t, const order *o) {
  for (int k = 0; k < o->count; k++) {
    trace_step *s = &t->steps[k];
    s->node = o->list[k];
    s->argument = -1;
    for (int j = 0; j < s->node->nargs; j++) s->args[j] = (short)s->node->args[j]->mark;
  }
  for (int k = 0; k < t->nresults; k++) t->roots[k] = (short)t->results[k]->mark;
  for (int k = 0; k < t->narguments; k++) {
    lua_rawgeti(L, 1, k + 1);
    const cp_array *a = cp_test_array(L, -1);
    if (a != NULL && a->node != NULL && a->node->mark >= 0) t->steps[a->node->mark].argument = (short)k;
    lua_pop(L, 1);
  }
  t->nsteps = o->count;
  for (int k = 0; k < o->count; k++)
    if (cp_is_placeholder(o->list[k]) && t->steps[k].argument < 0)
      return cp_fail(CP_EUSAGE, "f uses a value of another trace, or one that it freed");
  return CP_OK;
}

// core.trace_make(placeholders, results, dtypes): makes a trace of what the function returned.
static int make(lua_State *L) {
  order o;
  o.count = 0;
  for (int k = 1; k <= 3; k++) luaL_checktype(L, k, LUA_TTABLE);
  int nresults = (int)lua_rawlen(L, 2), narguments = (int)lua_rawlen(L, 1);
  if (nresults > MOST_RESULTS || nresults == 0)
    return cp_raise(L, "vectorize", CP_EUSAGE, "f returns %d values; it must return 1 to %d", nresults,
                    (int)MOST_RESULTS);
  cp_demand(L, "vectorize", narguments <= MOST_ARGUMENTS, "a trace has too many arguments");
  trace *t = cp_push_object(L, CP_KIND_TRACE, sizeof *t + MOST_NODES * sizeof *t->steps);
  int top = lua_gettop(L);
  t->narguments = narguments;
  cp_status status = take_results(L, t, nresults);
  lua_settop(L, top);
  for (int k = 0; k < t->nresults && status == CP_OK; k++) status = list_nodes(&o, t->results[k]);
  if (status == CP_OK) status = fill_steps(L, t, &o);
  for (int k = 0; k < o.count; k++) o.list[k]->mark = -1;
  CP_CHECK(L, "vectorize", status);
  return 1;
}

// ---- running ----------------------------------------------------------------------------------------------

typedef struct run {
  const trace *t;
  const char *where;
  cp_array *arrays[MOST_ARGUMENTS]; // NULL: a number
  cp_scalar scalars[MOST_ARGUMENTS];
  int narrays, ndim;
  int64_t shape[CP_MAXDIM];
  cp_node *nodes[MOST_NODES];
} run;

static void read_argument(lua_State *L, run *r, int k) {
  char kind;
  bool weak;
  int index = k + 3;
  cp_array *a = cp_test_array(L, index);
  r->arrays[k] = a;
  if (a == NULL) {
    if (!cp_to_scalar(L, index, &r->scalars[k], &kind, &weak))
      cp_raise(L, r->where, CP_EUSAGE, "argument %d must be an array, number or table, not %s", k + 1,
               luaL_typename(L, index));
    return;
  }
  CP_CHECK(L, r->where, cp_array_alive(a));
  r->narrays++;
  if (!cp_broadcast(&r->ndim, r->shape, a->ndim, a->shape)) {
    char one[CP_SHAPE_TEXT], two[CP_SHAPE_TEXT];
    cp_raise(L, r->where, CP_ESHAPE, "shapes %s and %s do not broadcast",
             cp_shape_text(r->ndim, r->shape, one), cp_shape_text(a->ndim, a->shape, two));
  }
}

// Computes pending arguments if the kernel of the results would be too large with them.
static cp_status bound(cp_context *ctx, const run *r) {
  cp_array *arrays[MOST_ARGUMENTS];
  cp_weight w = {.ops = r->t->nsteps};
  int n = 0;
  for (int k = 0; k < r->t->narguments; k++)
    if (r->arrays[k] != NULL) arrays[n++] = r->arrays[k];
  CP_TRY(cp_bound_operands(ctx, n, arrays, NULL));
  for (int k = 0; k < n; k++) {
    if (arrays[k]->node == NULL) continue;
    cp_weight_add(&w, &arrays[k]->node->weight);
  }
  if (cp_within_bounds(ctx, &w)) return CP_OK;
  for (int k = 0; k < n; k++) CP_TRY(cp_force(ctx, arrays[k]));
  return CP_OK;
}

static cp_status argument_node(const run *r, int k, cp_dtype t, cp_node **out) {
  if (r->arrays[k] == NULL) return cp_node_scalar(cp_scalar_cast(r->scalars[k], t), out);
  CP_TRY(cp_array_node(r->arrays[k], out));
  return cp_node_cast(*out, t, out);
}

static cp_status remake(const run *r, const trace_step *s, cp_node **out) {
  cp_node *args[CP_MAX_ARGS];
  if (s->argument >= 0) return argument_node(r, s->argument, s->node->dtype, out);
  if (s->node->kind == CP_NODE_SCALAR) return cp_node_scalar(s->node->u.scalar, out);
  for (int k = 0; k < s->node->nargs; k++) {
    args[k] = r->nodes[s->args[k]];
    cp_node_retain(args[k]);
  }
  return cp_node_remake(s->node, args, out);
}

// Makes a node for a value that depends on numbers only: a constant in the shape of the results.
static cp_status spread_number(cp_context *ctx, const run *r, cp_device *device, cp_node *n, cp_node **out) {
  cp_scalar s;
  CP_TRY(cp_evaluate_scalar(ctx, n, &s));
  return cp_node_constant(device, s, r->ndim, r->shape, 'C', out);
}

// Gives the node of result k, broadcast to the common shape of the arguments, for an array to wait for.
static cp_status result_of(cp_context *ctx, const run *r, cp_device *device, int k, cp_node **out) {
  cp_node *n = r->nodes[r->t->roots[k]];
  if (n->device == NULL) return spread_number(ctx, r, device, n, out);
  cp_node_retain(n);
  *out = n;
  return cp_shape_equal(n->ndim, n->dims, r->ndim, r->shape) ? CP_OK
                                                             : cp_node_broadcast(n, r->ndim, r->shape, out);
}

static cp_status give_results(cp_context *ctx, const run *r, cp_array *const *targets) {
  cp_device *device = NULL;
  for (int k = 0; k < r->t->narguments && device == NULL; k++)
    if (r->arrays[k] != NULL) device = r->arrays[k]->device;
  for (int k = 0; k < r->t->nresults; k++) {
    cp_node *n;
    CP_TRY(result_of(ctx, r, device, k, &n));
    CP_TRY(cp_give(targets[k], n));
  }
  return CP_OK;
}

static cp_status number_results(cp_context *ctx, const run *r, cp_scalar *list) {
  for (int k = 0; k < r->t->nresults; k++)
    CP_TRY(cp_evaluate_scalar(ctx, r->nodes[r->t->roots[k]], &list[k]));
  return CP_OK;
}

// core.trace_run(trace, name, arguments...): builds the expression with these arguments. Returns the results
// as pending arrays, or as Lua values if no argument is an array.
static int run_trace(lua_State *L) {
  run r;
  cp_array *targets[MOST_RESULTS] = {NULL};
  cp_scalar numbers[MOST_RESULTS];
  cp_context *ctx = &cp_state_get(L)->ctx;
  int made = 0;
  r.t = cp_check_object(L, 1, CP_KIND_TRACE, "vectorize", "argument 1");
  r.where = luaL_checkstring(L, 2);
  r.narrays = r.ndim = 0;
  lua_settop(L, 2 + r.t->narguments);
  for (int k = 0; k < r.t->narguments; k++) read_argument(L, &r, k);
  ctx->lazy.caller = r.where;
  CP_CHECK(L, r.where, bound(ctx, &r));
  luaL_checkstack(L, MOST_RESULTS + 4, "too many results");
  for (int k = 0; k < r.t->nresults && r.narrays > 0; k++) targets[k] = cp_push_array(L, r.ndim);
  cp_status status = CP_OK;
  for (; made < r.t->nsteps && status == CP_OK; made++)
    status = remake(&r, &r.t->steps[made], &r.nodes[made]);
  if (status != CP_OK) made--; // the node of the step that failed was not made
  if (status == CP_OK)
    status = r.narrays > 0 ? give_results(ctx, &r, targets) : number_results(ctx, &r, numbers);
  while (made > 0) cp_node_release(r.nodes[--made]);
  CP_CHECK(L, r.where, status);
  for (int k = 0; k < r.t->nresults && r.narrays == 0; k++) cp_push_scalar(L, numbers[k]);
  return r.t->nresults;
}

void cp_open_trace(lua_State *L) {
  static const luaL_Reg core[] = {{"trace_placeholder", placeholder}, {"trace_make", make},
                                  {"trace_key", trace_key_of},        {"trace_dtypes", key_dtypes},
                                  {"trace_run", run_trace},           {NULL, NULL}};
  cp_define_kind(L, CP_KIND_TRACE, NULL, end_trace);
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
}
