// Runs a user's kernel (userkernel.h): makes the outputs, and temporaries where an output overlaps an input,
// builds the plan directly instead of from nodes, and launches it. The arguments stay in the stack slots from
// 2 on, so none of them is collected meanwhile.
#include "lua/kernels/userkernel_run.h"

#include "lazy/arrays/access.h"
#include "lazy/evaluation/eval.h"
#include "lua/kernels/generator.h"
#include "lua/kernels/userkernel.h"
#include "lua/values/handle.h"
#include "plan/params.h"

#include <string.h>

// Makes the call's stream current; see cp_enter_stream.
static cp_stream *enter(const cp_kernel_call *c) {
  cp_context *ctx = &c->state->ctx;
  return cp_enter_stream(ctx, c->device, c->stream != NULL ? c->stream : ctx->now.streams[c->device->id]);
}

// ---- shapes of outputs ------------------------------------------------------------------------------------

// The shape of the outputs: that of the elements, without the axes that are reduced (or with length 1 for
// them).
static int output_shape(const cp_kernel_call *c, int64_t *shape) {
  int n = 0;
  for (int d = 0; d < c->ndim; d++) {
    bool gone = c->k->reduction && (c->axes >> d & 1);
    if (gone && !c->keepdims) continue;
    shape[n++] = gone ? 1 : c->shape[d];
  }
  return n;
}

// Sets the strides of a new output so that its axes have the same order in memory as those of the inputs.
static void follow_inputs(const cp_kernel_call *c, cp_array *a) {
  int64_t store[CP_MAX_PARAMS][CP_MAXDIM];
  const int64_t *strides[CP_MAX_PARAMS];
  int count = 0, order[CP_MAXDIM];
  for (int k = 0; k < c->k->nin; k++) {
    const cp_array *x = c->arrays[k];
    if (x == NULL || c->k->params[k].raw || x->ndim == 0) continue;
    cp_broadcast_strides(c->ndim, c->shape, x->ndim, x->shape, x->strides, store[count]);
    strides[count] = store[count];
    count++;
  }
  cp_stride_order(a->ndim, a->shape, count, strides, order);
  cp_ordered_strides(a->ndim, a->shape, cp_itemsize(a->dtype), order, a->strides);
}

static cp_array *push_output(lua_State *L, const cp_kernel_call *c, int k) {
  const char *where = c->k->name;
  const cp_user_param *p = &c->k->params[k];
  int64_t shape[CP_MAXDIM];
  int ndim = output_shape(c, shape);
  if (p->raw && c->size < 0)
    cp_raise(L, where, CP_ESHAPE, "the shape of the raw output %s is not determined; pass the array",
             p->name);
  cp_array *a = cp_push_array(L, ndim);
  CP_CHECK(L, where, cp_array_layout(a, c->types[k], ndim, shape, 'C'));
  if (ndim > 1 && !c->k->reduction && !p->raw) follow_inputs(c, a);
  cp_stream *before = enter(c);
  cp_status status = cp_array_allocate(&c->state->ctx, a, c->device, c->types[k]);
  cp_leave_stream(&c->state->ctx, c->device, before);
  CP_CHECK(L, where, status);
  a->owner = true;
  return a;
}

static void check_output(lua_State *L, const cp_kernel_call *c, int k) {
  const cp_array *a = c->arrays[k];
  char have[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT];
  int64_t shape[CP_MAXDIM];
  int ndim = output_shape(c, shape);
  if (!c->k->params[k].raw && !cp_shape_equal(a->ndim, a->shape, ndim, shape))
    cp_raise(L, c->k->name, CP_ESHAPE, "output %s has shape %s, the result %s", c->k->params[k].name,
             cp_shape_text(a->ndim, a->shape, have), cp_shape_text(ndim, shape, want));
  for (int j = c->k->nin; j < k; j++)
    if (!c->k->params[k].raw && !c->k->params[j].raw && cp_may_overlap(a, c->arrays[j]))
      cp_raise(L, c->k->name, CP_EUSAGE, "outputs %s and %s share memory", c->k->params[j].name,
               c->k->params[k].name);
}

// ---- overlap ----------------------------------------------------------------------------------------------

// Whether writing output k while the inputs are being read could change what is read.
static bool conflicts(const cp_kernel_call *c, int k) {
  const cp_kernel_object *o = c->k;
  const cp_array *a = c->arrays[k];
  if (o->params[k].raw) return false; // the kernel's author decides what is read and written
  for (int j = 0; j < o->nin; j++) {
    const cp_array *x = c->arrays[j];
    if (x == NULL || !cp_may_overlap(a, x)) continue;
    cp_region out = cp_array_region(a), in = cp_array_region(x);
    if (o->reduction || o->params[j].raw || !cp_regions_equal(&out, &in)) return true;
  }
  return false;
}

static void copy_values(lua_State *L, cp_kernel_call *c, cp_array *to, const cp_array *from) {
  cp_node *root = NULL;
  CP_CHECK(L, c->k->name, cp_node_leaf(from, &root));
  CP_CHECK(L, c->k->name, cp_assign(&c->state->ctx, to, root, CP_MAY_RENAME));
}

// Pushes a temporary array that replaces output k during the launch.
static cp_array *push_temporary(lua_State *L, cp_kernel_call *c, int k) {
  const cp_array *a = c->arrays[k];
  cp_array *t = cp_push_new_array(L, c->k->name, a->device, a->dtype, a->ndim, a->shape);
  if (c->k->params[k].read) copy_values(L, c, t, a);
  return t;
}

// ---- the plan ---------------------------------------------------------------------------------------------

// Sets all fields but the strides. (Setting the whole struct would clear room for many strides, most of them
// unused.)
static void set_operand(cp_operand *o, const cp_array *a) {
  o->base = cp_address(a);
  o->start = 0;
  o->dtype = a->dtype;
  o->access = CP_ACCESS_STRIDED;
  o->reg = 0;
  o->moved = 0;
}

// Adds an operand that is the position of an element among the axes in `axes`, in C order.
static void add_position(cp_plan *p, const cp_kernel_call *c, uint32_t axes) {
  cp_operand *o = &p->leaves[p->nleaves++];
  int64_t step = 1;
  *o = (cp_operand){.dtype = CP_INT64, .access = CP_ACCESS_INDEX};
  for (int d = c->ndim - 1; d >= 0; d--) {
    o->strides[d] = axes >> d & 1 ? step : 0;
    if (axes >> d & 1) step *= c->shape[d];
  }
}

static void add_inputs(cp_plan *p, const cp_kernel_call *c) {
  const cp_kernel_object *k = c->k;
  for (int j = 0; j < k->nin; j++) {
    const cp_array *a = c->arrays[j];
    if (k->params[j].raw) continue;
    if (a == NULL) {
      p->scalars[p->nscalars++] = c->scalars[j];
      continue;
    }
    cp_operand *o = &p->leaves[p->nleaves++];
    set_operand(o, a);
    cp_broadcast_strides(c->ndim, c->shape, a->ndim, a->shape, a->strides, o->strides);
  }
  if (k->uses_i) add_position(p, c, UINT32_MAX);
  if (k->uses_J) add_position(p, c, c->axes);
  for (int d = 0; k->uses_shape && d < c->ndim; d++)
    p->scalars[p->nscalars++] = cp_scalar_int(c->shape[d], CP_INT64);
}

static void add_outputs(cp_plan *p, const cp_kernel_call *c) {
  for (int j = c->k->nin; j < c->k->nin + c->k->nout; j++) {
    const cp_array *a = c->arrays[j];
    if (c->k->params[j].raw) continue;
    cp_operand *o = &p->outputs[p->noutputs++];
    set_operand(o, a);
    if (!c->k->reduction) {
      memcpy(o->strides, a->strides, (size_t)c->ndim * sizeof *o->strides);
      continue;
    }
    int next = 0; // the axes that are kept come first; the reduced ones have strides of 0
    memset(o->strides, 0, (size_t)c->ndim * sizeof *o->strides);
    for (int d = 0; d < a->ndim; d++)
      if (!c->keepdims || !(c->axes >> d & 1)) o->strides[next++] = a->strides[d];
  }
}

static void add_raw(cp_user_kernel *user, const cp_kernel_call *c) {
  for (int j = 0; j < c->k->nin + c->k->nout; j++)
    if (c->k->params[j].raw) user->raw[user->nraw++] = c->arrays[j];
}

static void make_plan(cp_plan *p, cp_user_kernel *user, const cp_kernel_call *c) {
  const cp_user_variant *v = c->variant;
  *user = (cp_user_kernel){.name = c->k->name,
                           .id = v->id,
                           .identity = v->identity,
                           .identity_size = v->identity_size,
                           .reference = v->reference,
                           .accumulator_size = CP_MAX_ACCUMULATOR,
                           .block = c->block};
  add_raw(user, c);
  cp_plan_begin(p, c->ndim, c->shape);
  p->reduction = c->k->reduction;
  p->user = user;
  add_inputs(p, c);
  if (p->reduction) {
    for (int d = 0; d < c->ndim; d++) p->nred += (int)(c->axes >> d & 1);
    cp_plan_split_axes(p, c->axes);
  }
  add_outputs(p, c);
  cp_plan_finish(p);
  if (c->k->plain) cp_plan_ungroup(p); // its source is too long to be repeated for each element of a group
}

static bool writes(const cp_kernel_call *c, int j) { return j >= c->k->nin || c->k->params[j].mutable; }

static cp_status run_plan(cp_kernel_call *c, cp_plan *p, cp_stream *stream) {
  cp_user_kernel user;
  make_plan(p, &user, c);
  if (cp_plan_is_empty(p)) return CP_OK;
  if (p->nred > 0 && p->inner == 0 && !c->k->has_identity)
    return cp_fail(CP_ESHAPE, "an empty reduction needs an identity");
  return cp_run_plan(&c->state->ctx, stream, p);
}

// Opens all arrays and launches. cp_open_arrays checks the arrays again after it has allocated memory,
// because finalizers may have freed any of them.
static cp_status run(cp_kernel_call *c) {
  cp_plan *p;
  cp_stream *stream;
  cp_use uses[CP_MAX_PARAMS];
  int count = 0;
  for (int j = 0; j < c->k->nin + c->k->nout; j++)
    if (c->arrays[j] != NULL) uses[count++] = (cp_use){c->arrays[j], writes(c, j) ? CP_WRITE : CP_READ};
  CP_TRY(cp_open_arrays(&c->state->ctx, c->device, count, uses, &stream));
  CP_TRY(cp_plan_take(&c->state->ctx, &p));
  cp_status status = run_plan(c, p, stream);
  cp_plan_give(&c->state->ctx, p);
  return status;
}

// ---- a call -----------------------------------------------------------------------------------------------

// Raises the compiler's message together with the line of the user's source that it is about. Upvalue 1:
// core.
static void raise_compile_error(lua_State *L, const cp_kernel_call *c) {
  lua_getfield(L, lua_upvalueindex(1), "explain_compile_error");
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->k->declaration);
  lua_pushstring(L, cp_error_text());
  if (lua_pcall(L, 2, 1, 0) != LUA_OK || lua_type(L, -1) != LUA_TSTRING)
    cp_raise_status(L, c->k->name, CP_ECOMPILE);
  cp_raise(L, c->k->name, CP_ECOMPILE, "%s", lua_tostring(L, -1));
}

// Returns the outputs, which are in the stack slots from `first` on.
static int return_outputs(lua_State *L, const cp_kernel_call *c, int first) {
  if (c->k->no_return) return 0;
  lua_settop(L, first + c->k->nout - 1);
  if (!c->k->return_table) return c->k->nout;
  lua_createtable(L, c->k->nout, 0);
  for (int j = 0; j < c->k->nout; j++) {
    lua_pushvalue(L, first + j);
    lua_rawseti(L, -2, j + 1);
  }
  return 1;
}

// Does everything that comes before the launch. Returns the stack slot of the first output.
static int prepare(lua_State *L, cp_kernel_call *c) {
  c->k = cp_check_kernel(L, "kernel");
  c->state = cp_state_get(L);
  cp_kernel_arguments(L, c);
  c->variant = cp_kernel_variant(L, c);
  int first = c->given != 0 ? c->given : lua_gettop(L) + 1;
  for (int j = c->k->nin; j < c->k->nin + c->k->nout; j++)
    if (c->given != 0)
      check_output(L, c, j);
    else
      c->arrays[j] = push_output(L, c, j);
  return first;
}

int cp_kernel_call_event(lua_State *L) {
  cp_kernel_call c;
  cp_array *results[CP_MAX_OUTPUTS];
  int first = prepare(L, &c), nin = c.k->nin, nout = c.k->nout;
  memcpy(results, c.arrays + nin, (size_t)nout * sizeof *results);
  for (int j = nin; j < nin + nout && c.given != 0; j++)
    if (conflicts(&c, j)) c.arrays[j] = push_temporary(L, &c, j);
  cp_stream *before = enter(&c);
  cp_status status = run(&c);
  cp_leave_stream(&c.state->ctx, c.device, before);
  if (status == CP_ECOMPILE) raise_compile_error(L, &c);
  CP_CHECK(L, c.k->name, status);
  for (int j = 0; j < nout; j++)
    if (results[j] != c.arrays[nin + j]) copy_values(L, &c, results[j], c.arrays[nin + j]);
  return return_outputs(L, &c, first);
}

int cp_kernel_spec(lua_State *L) {
  cp_kernel_call c;
  cp_user_kernel user;
  prepare(L, &c);
  cp_plan *p = lua_newuserdata(L, sizeof *p);
  cp_params params;
  make_plan(p, &user, &c);
  CP_CHECK(L, c.k->name, cp_plan_params(p, &params));
  cp_generator_push_spec(L, p, "cuda");
  lua_createtable(L, params.count, 0);
  for (int k = 0; k < params.count; k++) {
    lua_pushinteger(L, (lua_Integer)params.slots[k]);
    lua_rawseti(L, -2, k + 1);
  }
  return 2;
}
