// Convolutions and recursive filters for the Lua side: core.convolve, core.slide, core.planes and core.recur.
// lua/cupola/analysis/convolution.lua and signal.lua build the public functions on them; routines/convolve.h
// describes the jobs that the device gets.
#include "routines/convolve.h"

#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/conversion/routine.h"
#include "lua/values/handle.h"

#include <string.h>

// Whether the array's offset and strides are multiples of the element size, as cp_convolve_job requires.
static bool in_steps(const cp_array *a) {
  const int64_t item = (int64_t)cp_itemsize(a->dtype);
  bool whole = a->offset % item == 0;
  for (int d = 0; d < a->ndim; d++) whole = whole && a->strides[d] % item == 0;
  return whole;
}

// The array at `slot`. Unless its offset, strides and address are multiples of the element size, a copy
// replaces it.
static cp_array *take_stepped(lua_State *L, int slot, const char *where) {
  cp_array *a = cp_take_array(L, slot, where, "a");
  char *pointer = NULL;
  CP_CHECK(L, where, cp_array_pointer(a, &pointer));
  if (in_steps(a) && (uintptr_t)pointer % cp_itemsize(a->dtype) == 0) return a;
  a = cp_push_copy(L, where, a, 'C');
  lua_replace(L, slot);
  return a;
}

// Element d + 1 of the table at `slot`: the length or the start on axis d.
static int64_t entry(lua_State *L, const char *where, int slot, int d) {
  enum { FARTHEST = 1 << 30 };
  lua_rawgeti(L, slot, d + 1);
  int64_t v = cp_arg_integer(L, lua_gettop(L), where, "shape and start");
  cp_demand(L, where, v >= -((int64_t)FARTHEST << 20) && v <= (int64_t)FARTHEST << 20,
            "shape and start must be lengths");
  lua_pop(L, 1);
  return v;
}

static void read_fill(lua_State *L, int slot, const char *where, cp_convolve_job *job) {
  cp_scalar s;
  char kind;
  bool weak;
  if (lua_isnil(L, slot) || job->border != CP_BORDER_FILL) return; // the fill value stays zero
  if (!cp_to_scalar(L, slot, &s, &kind, &weak))
    cp_raise(L, where, CP_EUSAGE, "fillvalue must be a number, not %s", luaL_typename(L, slot));
  cp_check_scalar_for(L, where, job->dtype, kind, weak, &s);
  cp_scalar_store(s, job->fill);
}

static cp_status run(cp_context *ctx, cp_array *x, cp_array *filter, cp_array *result, cp_convolve_job *job) {
  cp_stream *stream;
  const cp_use uses[] = {{x, CP_READ}, {filter, CP_READ}, {result, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, x->device, 3, uses, &stream));
  job->in = cp_address(x);
  job->filter = cp_address(filter);
  job->out = cp_address(result);
  return x->device->ops->convolve->convolve(ctx, stream, job);
}

// Reads the job's array and filter from slots 2 and 3, its border and fill value from slots `border` and
// border + 1. The caller then sets the result's lengths and where the filter starts.
static void begin(lua_State *L, const char *where, int border, cp_convolve_job *job) {
  static const char *const borders[] = {"fill",   "wrap", "symm", "edge",
                                        "mirror", "none", NULL}; // ORDER cp_border
  job->border = (cp_border)luaL_checkoption(L, border, "fill", borders);
  const cp_array *x = take_stepped(L, 2, where), *filter = cp_take_contiguous(L, 3, where, "filter");
  if (x->ndim == 0) cp_raise(L, where, CP_ESHAPE, "needs arrays with axes, not 0-d arrays");
  cp_demand(L, where, filter->ndim == x->ndim && filter->dtype == x->dtype,
            "the filter must have as many axes as the array, and its dtype");
  job->dtype = x->dtype;
  job->ndim = x->ndim;
  job->sparing = false;
  if (job->border == CP_BORDER_NONE && !cp_is_inexact(job->dtype)) job->border = CP_BORDER_FILL;
  memset(job->fill, 0, sizeof job->fill);
  read_fill(L, border + 1, where, job);
  for (int d = 0; d < x->ndim; d++) {
    job->axes[d].in = x->shape[d];
    job->axes[d].filter = filter->shape[d];
  }
}

// Makes the result of a job whose lengths and starts are set, runs the job and leaves the result on top.
static int finish(lua_State *L, const char *where, cp_convolve_job *job) {
  cp_array *x = cp_take_array(L, 2, where, "a"), *filter = cp_take_array(L, 3, where, "filter");
  int64_t shape[CP_MAXDIM];
  if (x->size == 0 || filter->size == 0) return cp_raise(L, where, CP_ESHAPE, "the input has no elements");
  for (int d = 0; d < job->ndim; d++) {
    shape[d] = job->axes[d].out;
    cp_demand(L, where, shape[d] >= 0, "the result would have a negative length");
  }
  cp_array *result = cp_push_new_array(L, where, x->device, job->dtype, job->ndim, shape);
  const int64_t item = (int64_t)cp_itemsize(job->dtype);
  if (result->size == 0) return 1;
  for (int d = 0; d < job->ndim; d++) {
    cp_convolve_axis *a = &job->axes[d];
    a->in_stride = x->strides[d] / item;
    a->out_stride = result->strides[d] / item;
  }
  cp_convolve_collapse(job);
  CP_CHECK(L, where, run(&cp_state_get(L)->ctx, x, filter, result, job));
  return 1;
}

// core.convolve(where, x, filter, shape, start, border, fill, reversed, conjugate, sparing): a new array. The
// tables `shape` and `start` have an entry for each axis: the result's length, and where the filter starts
// for its first element. x and filter have the same number of axes, dtype and device.
static int convolve(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_convolve_job job; // large, so only the members in use are set
  lua_settop(L, 10);
  job.reversed = lua_toboolean(L, 8);
  job.conjugate = lua_toboolean(L, 9);
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_checktype(L, 5, LUA_TTABLE);
  begin(L, where, 6, &job);
  job.sparing = lua_toboolean(L, 10) && cp_is_inexact(job.dtype);
  for (int d = 0; d < job.ndim; d++) {
    job.axes[d].out = entry(L, where, 4, d);
    job.axes[d].start = entry(L, where, 5, d);
  }
  return finish(L, where, &job);
}

typedef enum slide_mode { MODE_FULL, MODE_SAME, MODE_VALID } slide_mode;

static slide_mode mode_at(lua_State *L, int slot) {
  static const char *const modes[] = {"full", "same", "valid", NULL}; // ORDER slide_mode
  return (slide_mode)luaL_checkoption(L, slot, NULL, modes);
}

// Convolves or correlates with the lengths and starts of a mode. Convolution reverses the filter, correlation
// conjugates it. In mode "same", floor((m - before) / 2) of the filter's m elements lie before the result's
// first element.
static int push_slid(lua_State *L, const char *where, slide_mode mode, bool correlating, int64_t before) {
  cp_convolve_job job; // large, so only the members in use are set
  job.conjugate = correlating;
  job.reversed = !correlating;
  begin(L, where, 5, &job);
  for (int d = 0; d < job.ndim; d++) {
    cp_convolve_axis *a = &job.axes[d];
    a->out = mode == MODE_FULL ? a->in + a->filter - 1 : mode == MODE_SAME ? a->in : a->in - a->filter + 1;
    a->start = mode == MODE_FULL ? 1 - a->filter : mode == MODE_SAME ? -((a->filter - before) / 2) : 0;
  }
  return finish(L, where, &job);
}

// core.slide(where, x, filter, mode, border, fill, correlating, before): core.convolve with the lengths and
// starts of a mode.
static int slide(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 8);
  int64_t before = cp_arg_integer(L, 8, where, "before");
  cp_demand(L, where, before == 0 || before == 1, "before must be 0 or 1");
  return push_slid(L, where, mode_at(L, 4), lua_toboolean(L, 7), before);
}

// Turns the values at slots 2 and 3 into arrays of one dtype, which must have two axes.
static void take_planes(lua_State *L, const char *where) {
  char first[CP_SHAPE_TEXT], second[CP_SHAPE_TEXT];
  cp_array *in[] = {cp_take_beside(L, 2, where, "in1", 0), cp_take_beside(L, 3, where, "in2", 2)};
  if (in[0]->ndim != 2 || in[1]->ndim != 2)
    cp_raise(L, where, CP_ESHAPE, "in1 and in2 must have 2 axes, not shapes %s and %s",
             cp_shape_text(in[0]->ndim, in[0]->shape, first),
             cp_shape_text(in[1]->ndim, in[1]->shape, second));
  const cp_dtype common = cp_promote(in[0]->dtype, in[1]->dtype);
  for (int k = 0; k < 2; k++) {
    if (in[k]->dtype == common) continue;
    cp_push_as(L, where, in[k], common);
    lua_replace(L, 2 + k);
  }
}

// Mode "valid" slides the smaller array along the larger one. Whether the larger one is at slot 3; raises an
// error if neither is at least as long as the other on every axis.
static bool must_swap(lua_State *L, const char *where) {
  char first[CP_SHAPE_TEXT], second[CP_SHAPE_TEXT];
  const cp_array *a = cp_test_array(L, 2), *b = cp_test_array(L, 3);
  bool a_covers = true, b_covers = true;
  for (int d = 0; d < a->ndim; d++) {
    a_covers = a_covers && a->shape[d] >= b->shape[d];
    b_covers = b_covers && b->shape[d] >= a->shape[d];
  }
  if (!a_covers && !b_covers)
    cp_raise(
        L, where, CP_ESHAPE,
        "mode \"valid\" needs one array to be at least as long as the other on every axis, not %s and %s",
        cp_shape_text(a->ndim, a->shape, first), cp_shape_text(b->ndim, b->shape, second));
  return !a_covers;
}

// core.planes(where, in1, in2, mode, border, fill, correlating): core.slide for two values of two axes, which
// are swapped if mode "valid" needs it. Returns the result and whether they were swapped.
static int planes(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 7);
  const slide_mode mode = mode_at(L, 4);
  const bool correlating = lua_toboolean(L, 7);
  take_planes(L, where);
  const bool swap = mode == MODE_VALID && must_swap(L, where);
  if (swap) {
    lua_pushvalue(L, 2);
    lua_remove(L, 2);
    lua_insert(L, 3);
  }
  push_slid(L, where, mode, correlating, correlating);
  lua_pushboolean(L, swap);
  return 2;
}

static cp_status run_filter(cp_context *ctx, cp_array *x, cp_array *coefficients, cp_array *states,
                            cp_array *result, cp_recur_job *job) {
  cp_stream *stream;
  const cp_use uses[] = {{x, CP_READ}, {coefficients, CP_READ}, {states, CP_WRITE}, {result, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, x->device, 4, uses, &stream));
  job->in = cp_address(x);
  job->coefficients = cp_address(coefficients);
  job->states = cp_address(states);
  job->out = cp_address(result);
  return x->device->ops->convolve->recur(ctx, stream, job);
}

// Raises an error unless the arrays fit together as cp_recur_job requires.
static void check_filter(lua_State *L, const char *where, const cp_array *x, const cp_array *coefficients,
                         const cp_array *states, bool along_last) {
  const cp_dtype t = x->dtype;
  cp_demand(L, where,
            (cp_is_float(t) || cp_is_complex(t)) && !cp_is_half(t) && coefficients->dtype == t &&
                states->dtype == t,
            "x, a and zi must have the same dtype: float32, float64, complex64 or complex128");
  cp_demand(L, where,
            x->ndim == 2 && states->ndim == 2 && cp_array_contiguous(states, 'C') && !states->readonly,
            "x and zi must have two axes");
  const int64_t order = states->shape[1];
  cp_demand(L, where,
            order <= CP_MAX_ORDER && coefficients->size == 2 * order + 1 &&
                states->shape[0] == x->shape[along_last ? 0 : 1],
            "a must be the coefficients for zi, and zi have a row for each of x");
}

// core.recur(where, x, axis, coefficients, states): passes x, of two axes in C order, through the filter
// along axis 1 or 2. The coefficients are those of cp_recur_job. `states`, of shape (rows, order), is new
// memory of the caller; it is overwritten with the states after the last elements. All arrays have one dtype
// and device.
static int recur(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  bool along_last = luaL_checkinteger(L, 3) == 2;
  lua_settop(L, 5);
  cp_array *x = cp_take_contiguous(L, 2, where, "x"), *coefficients = cp_take_contiguous(L, 4, where, "a");
  cp_array *states = cp_take_array(L, 5, where, "zi");
  check_filter(L, where, x, coefficients, states, along_last);
  cp_array *result = cp_push_new_array(L, where, x->device, x->dtype, 2, x->shape);
  if (result->size == 0) return 1;
  cp_recur_job job = {.dtype = x->dtype,
                      .order = (int)states->shape[1],
                      .rows = x->shape[along_last ? 0 : 1],
                      .length = x->shape[along_last ? 1 : 0],
                      .row_stride = along_last ? x->shape[1] : 1,
                      .step = along_last ? 1 : x->shape[1]};
  CP_CHECK(L, where, run_filter(&cp_state_get(L)->ctx, x, coefficients, states, result, &job));
  return 1;
}

void cp_open_convolve(lua_State *L) {
  static const luaL_Reg core[] = {
      {"convolve", convolve}, {"slide", slide}, {"planes", planes}, {"recur", recur}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
