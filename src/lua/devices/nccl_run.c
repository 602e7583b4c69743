// Calls of communicators. core.comm_run runs a group of calls that lua/cupola/devices/nccl.lua has collected,
// with arrays that it has checked and converted. core.comm_try is a fast path for the usual calls by all
// ranks of this process.
#include "lua/arguments/args.h"
#include "lua/devices/nccl.h"
#include "lua/values/handle.h"

#include "lazy/arrays/access.h"

#include <stdio.h>
#include <string.h>

static bool find_combination(const char *name, cp_combination *out) {
  for (*out = CP_SUM; *out <= CP_AVG; ++*out)
    if (name != NULL && strcmp(name, cp_combination_names[*out]) == 0) return true;
  return false;
}

cp_combination cp_read_combination(lua_State *L, int index, const char *where) {
  cp_combination op;
  const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  if (!find_combination(name, &op))
    cp_not_among(L, where, "op", "\"sum\", \"prod\", \"min\", \"max\" or \"avg\"", index);
  return op;
}

// A call with its arrays, which the group's table keeps alive.
typedef struct call {
  cp_array *in, *out;
  cp_collective work;
} call;

static cp_array *array_at(lua_State *L, int entry, const char *name, const char *where) {
  lua_getfield(L, entry, name);
  cp_array *a = lua_isnil(L, -1) ? NULL : cp_check_array(L, -1, where, name);
  lua_pop(L, 1);
  return a;
}

static int integer_at(lua_State *L, int entry, const char *name, const char *where) {
  lua_getfield(L, entry, name);
  int64_t v = cp_arg_integer_or(L, lua_gettop(L), where, name, 0);
  lua_pop(L, 1);
  return (int)v;
}

static void read_call(lua_State *L, int entry, const char *where, call *c) {
  lua_getfield(L, entry, "comm");
  cp_comm *comm = cp_check_comm(L, lua_gettop(L), where);
  lua_getfield(L, entry, "kind");
  cp_collective_kind kind = CP_ALL_REDUCE;
  while (kind < CP_RECV && strcmp(luaL_checkstring(L, -1), cp_collective_names[kind]) != 0) kind++;
  lua_pop(L, 2);
  *c = (call){.in = array_at(L, entry, "x", where), .out = array_at(L, entry, "out", where)};
  lua_getfield(L, entry, "op");
  cp_combination op = lua_isnil(L, -1) ? CP_SUM : cp_read_combination(L, lua_gettop(L), where);
  lua_pop(L, 1);
  const cp_array *a = c->in != NULL ? c->in : c->out;
  if (a == NULL) cp_raise(L, where, CP_EUSAGE, "x is missing");
  c->work = (cp_collective){.comm = comm,
                            .kind = kind,
                            .dtype = a->dtype,
                            .combination = op,
                            .root = integer_at(L, entry, "root", where)};
  int64_t count = kind == CP_REDUCE_SCATTER ? c->out->size : a->size;
  c->work.count = (size_t)count;
}

// Opens the arrays of a call: computes pending values, and handles other streams and pending readers of what
// is written.
static cp_status open_call(cp_context *ctx, call *c) {
  cp_use uses[2];
  int n = 0;
  if (c->in != NULL) uses[n++] = (cp_use){c->in, CP_READ};
  if (c->out != NULL) {
    bool fresh = c->in == NULL || c->in->storage != c->out->storage;
    bool whole = fresh && cp_array_covers_storage(c->out);
    uses[n++] = (cp_use){c->out, whole ? CP_WRITE_WHOLE : CP_WRITE};
  }
  return cp_open_arrays(ctx, c->work.comm->device, n, uses, &c->work.stream);
}

static cp_status take_addresses(call *c) {
  char *p;
  if (c->in != NULL) {
    CP_TRY(cp_array_pointer(c->in, &p));
    c->work.in = p;
  }
  if (c->out != NULL) {
    CP_TRY(cp_array_pointer(c->out, &p));
    c->work.out = p;
  }
  return CP_OK;
}

// Raises an error if a call writes memory that another one uses: the order of a group's calls is not defined,
// as NCCL sorts and merges them.
static cp_status check_independent(int count, const call *calls) {
  for (int j = 0; j < count; j++) {
    const cp_array *written = calls[j].out;
    for (int k = 0; k < count && written != NULL; k++) {
      const cp_array *in = calls[k].in, *out = calls[k].out;
      if (k == j || written->size == 0) continue;
      if ((in != NULL && cp_may_overlap(written, in)) || (out != NULL && cp_may_overlap(written, out)))
        return cp_fail(CP_EUSAGE,
                       "call %d of the group writes memory that call %d uses; end the group between them",
                       j + 1, k + 1);
    }
  }
  return CP_OK;
}

// Runs the calls of one kind of device; `works` has room for all calls.
static cp_status run_family(const cp_collective_ops *ops, int count, const call *calls,
                            cp_collective *works) {
  int n = 0;
  for (int k = 0; k < count; k++)
    if (calls[k].work.comm->ops == ops) works[n++] = calls[k].work;
  return n > 0 ? ops->run(n, works) : CP_OK;
}

// Computing, renaming or allocating for one call may move the arrays of another, so addresses are taken last.
// The calls of GPUs are queued before those of the CPU device, which wait.
static cp_status run_open_calls(cp_context *ctx, int count, call *calls, cp_collective *works) {
  for (int k = 0; k < count; k++) {
    if (calls[k].in != NULL) CP_TRY(cp_force(ctx, calls[k].in));
    if (calls[k].out != NULL) CP_TRY(cp_force(ctx, calls[k].out));
  }
  CP_TRY(check_independent(count, calls));
  for (int k = 0; k < count; k++) CP_TRY(open_call(ctx, &calls[k]));
  for (int k = 0; k < count; k++) CP_TRY(take_addresses(&calls[k]));
  ctx->counters.launches += (uint64_t)count;
  CP_TRY(run_family(&cp_cuda_collective_ops, count, calls, works));
  return run_family(&cp_cpu_collective_ops, count, calls, works);
}

// Marks the communicators as working meanwhile: allocating memory may run script code, which must not close
// them.
static cp_status run_calls(cp_context *ctx, int count, call *calls, cp_collective *works) {
  for (int k = 0; k < count; k++) calls[k].work.comm->working++;
  cp_status status = run_open_calls(ctx, count, calls, works);
  for (int k = 0; k < count; k++) calls[k].work.comm->working--;
  return status;
}

// Reads the communicator of call k again from the table of handles at `list`, once no more script code can
// run before the work. False if it was closed.
static bool refresh_comm(lua_State *L, int list, int k, call *c) {
  lua_rawgeti(L, list, k);
  c->work.comm = cp_test_comm(L, -1);
  lua_pop(L, 1);
  return c->work.comm != NULL;
}

// core.comm_run(where, calls): runs a group of calls {comm =, kind =, x =, out =, op =, root =}, all of
// contiguous arrays.
int cp_comm_run(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  int count = (int)lua_rawlen(L, 2);
  if (count == 0) return 0;
  call *calls = cp_newuserdata(L, (size_t)count * sizeof *calls);
  cp_collective *works = cp_newuserdata(L, (size_t)count * sizeof *works);
  lua_createtable(L, count, 0);
  int comms = lua_gettop(L);
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, 2, k + 1);
    read_call(L, lua_gettop(L), where, &calls[k]);
    lua_getfield(L, -1, "comm");
    lua_rawseti(L, comms, k + 1);
    lua_pop(L, 1);
  }
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  for (int k = 0; k < count; k++)
    if (!refresh_comm(L, comms, k + 1, &calls[k]))
      return cp_raise(L, where, CP_EUSAGE, "the communicator was closed");
  CP_CHECK(L, where, run_calls(ctx, count, calls, works));
  return 0;
}

// ---- the usual calls: a fast path, equal to nccl.lua's general way with core.comm_run ---------------------

// The arguments of core.comm_try that hold for all ranks.
typedef struct fast_call {
  cp_collective_kind kind;
  cp_combination op;
  int64_t root;
  bool in_place;
} fast_call;

static bool read_kind(lua_State *L, int index, cp_collective_kind *kind) {
  const char *name = lua_tostring(L, index);
  for (*kind = CP_ALL_REDUCE; *kind < CP_SEND; ++*kind)
    if (name != NULL && strcmp(name, cp_collective_names[*kind]) == 0) return true;
  return false;
}

// Reads the arguments of core.comm_try. False if they need the general way.
static bool read_fast_call(lua_State *L, fast_call *u) {
  u->op = CP_SUM;
  u->root = 0;
  u->in_place = lua_toboolean(L, 6);
  if (!read_kind(L, 1, &u->kind)) return false;
  if (u->in_place && (u->kind == CP_ALL_GATHER || u->kind == CP_REDUCE_SCATTER)) return false;
  if (!lua_isnil(L, 4) && (lua_type(L, 4) != LUA_TSTRING || !find_combination(lua_tostring(L, 4), &u->op)))
    return false;
  return lua_isnil(L, 5) || (lua_type(L, 5) == LUA_TNUMBER && cp_to_integer(L, 5, &u->root));
}

static bool is_reduction(cp_collective_kind kind) {
  return kind == CP_ALL_REDUCE || kind == CP_REDUCE || kind == CP_REDUCE_SCATTER;
}

// Whether the rank's call can take x as it is.
static bool suits(const cp_comm *comm, const cp_array *x, const fast_call *u) {
  if (comm == NULL || comm->broken || x == NULL || x->device != comm->device) return false;
  if (x->storage == NULL && x->node == NULL) return false; // freed
  if (u->in_place && x->readonly) return false;
  if (u->root < 0 || u->root >= comm->size || !cp_array_contiguous(x, 'C')) return false;
  if (u->kind == CP_REDUCE_SCATTER && (x->ndim == 0 || x->shape[0] % comm->size != 0)) return false;
  return !is_reduction(u->kind) ||
         (comm->ops->combines(x->dtype, u->op) && cp_check_combination(x->dtype, u->op) == CP_OK);
}

// Pushes a new array for the result.
static cp_array *push_result(lua_State *L, const char *where, const cp_comm *comm, const cp_array *x,
                             cp_collective_kind kind) {
  int64_t shape[CP_MAXDIM] = {1};
  int ndim = x->ndim;
  for (int d = 0; d < ndim; d++) shape[d] = x->shape[d];
  if (kind == CP_ALL_GATHER && ndim == 0) ndim = 1;
  if (kind == CP_ALL_GATHER) shape[0] *= comm->size;
  if (kind == CP_REDUCE_SCATTER) shape[0] /= comm->size;
  return cp_push_new_array(L, where, comm->device, x->dtype, ndim, shape);
}

// Pushes what the rank's call returns: x itself, a new array, or nil if this rank gets no result.
static cp_array *push_given(lua_State *L, const char *where, const cp_comm *comm, int x, const fast_call *u) {
  if (u->kind == CP_REDUCE && comm->rank != u->root) {
    lua_pushnil(L);
    return NULL;
  }
  if (!u->in_place) return push_result(L, where, comm, lua_touserdata(L, x), u->kind);
  lua_pushvalue(L, x);
  return lua_touserdata(L, x);
}

static void set_call(call *c, cp_comm *comm, cp_array *x, cp_array *out, const fast_call *u) {
  *c = (call){.in = x, .out = out};
  c->work = (cp_collective){.comm = comm,
                            .kind = u->kind,
                            .dtype = x->dtype,
                            .combination = u->op,
                            .root = (int)u->root,
                            .count = (size_t)(u->kind == CP_REDUCE_SCATTER ? out->size : x->size)};
}

// core.comm_try(kind, comms, xs, op, root, in_place): makes the same call for all ranks of this process at
// once, and returns the table of their results; op and root may be nil. Returns nothing, and does nothing, if
// anything is wrong or must be converted first.
int cp_comm_try(lua_State *L) {
  enum { MOST = 64, COMMS = 2, XS, GIVEN = 7, KEPT, KEPT_COMMS, COMM, X };
  call calls[MOST];
  cp_collective works[MOST];
  char where[32];
  fast_call u;
  lua_settop(L, GIVEN - 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  int count = (int)lua_rawlen(L, COMMS);
  if (ctx->capture.graph != NULL || count == 0 || count > MOST || !read_fast_call(L, &u)) return 0;
  snprintf(where, sizeof where, "nccl.%s", lua_tostring(L, 1));
  lua_createtable(L, count, 0);
  // These two keep arrays and communicators alive, whatever finalizers do to the lists.
  lua_createtable(L, count, 0);
  lua_createtable(L, count, 0);
  for (int k = 1; k <= count; k++, lua_settop(L, KEPT_COMMS)) {
    lua_rawgeti(L, COMMS, k);
    lua_rawgeti(L, XS, k);
    if (!suits(cp_test_comm(L, COMM), cp_test_array(L, X), &u)) return 0;
    lua_rawseti(L, KEPT, k);
    lua_rawseti(L, KEPT_COMMS, k);
  }
  for (int k = 1; k <= count; k++, lua_settop(L, KEPT_COMMS)) {
    lua_rawgeti(L, KEPT_COMMS, k);
    lua_rawgeti(L, KEPT, k);
    cp_comm *comm = cp_test_comm(L, COMM);
    if (comm == NULL) return 0;
    cp_array *out = push_given(L, where, comm, X, &u);
    set_call(&calls[k - 1], comm, lua_touserdata(L, X), out, &u);
    lua_rawseti(L, GIVEN, k);
  }
  ctx->lazy.caller = where;
  for (int k = 1; k <= count; k++)
    if (!refresh_comm(L, KEPT_COMMS, k, &calls[k - 1])) return 0;
  CP_CHECK(L, where, run_calls(ctx, count, calls, works));
  lua_settop(L, GIVEN);
  return 1;
}
