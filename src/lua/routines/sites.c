// Windows and labels for the Lua side: core.window and core.label, on which lua/cupola/scipy/ndimage builds
// rank filters, morphology and labels. routines/sites.h describes the jobs, kernels/routine/sites their
// slots.
#include "lua/routines/sites.h"

#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "routines/convolve.h"

#include <string.h>

// ---- shared -----------------------------------------------------------------------------------------------

cp_array *cp_take_sites(lua_State *L, int slot, const char *where, const char *argument) {
  cp_array *a = cp_take_contiguous(L, slot, where, argument);
  const cp_dtype t = a->dtype;
  if (t == CP_BOOL || cp_is_half(t) || cp_is_complex(t))
    cp_raise(L, where, CP_EDTYPE, "%s must be of an integer dtype, float32 or float64, not %s", argument,
             cp_dtypes[t].name);
  if (a->ndim < 1 || a->ndim > CP_SITES_AXES)
    cp_raise(L, where, CP_ESHAPE, "%s must have 1 to %d axes, but has %d", argument, CP_SITES_AXES, a->ndim);
  return a;
}

cp_array *cp_take_table(lua_State *L, int slot, const char *where, const char *argument, cp_dtype dtype) {
  cp_array *a = cp_take_contiguous(L, slot, where, argument);
  if (a->dtype != dtype)
    cp_raise(L, where, CP_EDTYPE, "%s must be of dtype %s, not %s", argument, cp_dtypes[dtype].name,
             cp_dtypes[a->dtype].name);
  return a;
}

uint64_t cp_real_slot(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

int64_t cp_sites_extent(const cp_array *a, int first, int end) {
  int64_t n = 1;
  for (int d = first; d < end; d++) n *= a->shape[d];
  return n;
}

static cp_status run(cp_context *ctx, cp_sites_job *job, int count, const cp_sites_use *uses) {
  cp_stream *stream;
  cp_use opened[CP_SITES_ARRAYS];
  int n = 0;
  for (int k = 0; k < count; k++)
    if (uses[k].array != NULL) opened[n++] = (cp_use){uses[k].array, uses[k].kind};
  cp_device *device = uses[0].array->device;
  CP_TRY(cp_open_arrays(ctx, device, n, opened, &stream));
  for (int k = 0; k < count; k++)
    job->slots[uses[k].slot] = uses[k].array != NULL ? (uintptr_t)cp_address(uses[k].array) : 0;
  return device->ops->sites->run(ctx, stream, job);
}

void cp_run_sites(lua_State *L, const char *where, cp_sites_job *job, int count, const cp_sites_use *uses) {
  CP_CHECK(L, where, run(&cp_state_get(L)->ctx, job, count, uses));
}

// ---- windows ----------------------------------------------------------------------------------------------

// ORDER as in kernels/routine/sites/window.h.
enum { IN = CP_SITES_OWN, OUT, TAPS, COUNT, BORDER, FILL, ADDED, WHICH, RANK, SIZE, AXES, LENGTHS };
enum { LINE_STEP = LENGTHS + 3 * CP_SITES_AXES, LINE_FIRST };

// Element d + 1 of the table at `slot`, a distance along an axis.
static int64_t distance(lua_State *L, const char *where, int slot, int d) {
  lua_rawgeti(L, slot, d + 1);
  const int64_t v = cp_arg_integer(L, lua_gettop(L), where, "before and behind");
  cp_demand(L, where, v >= 0 && v <= INT32_MAX, "before and behind must be distances");
  lua_pop(L, 1);
  return v;
}

// Sets what windows of x have in common: taps, and the tables at `before` and the next slot.
static void set_window(lua_State *L, const char *where, cp_sites_job *job, const cp_array *x,
                       const cp_array *taps) {
  if (taps->ndim != 2 || taps->shape[1] != x->ndim + 1 || taps->shape[0] > INT32_MAX)
    cp_raise(L, where, CP_ESHAPE, "the taps must have a row of %d numbers for each, not shape (%lld, ...)",
             x->ndim + 1, (long long)taps->shape[0]);
  job->axes = x->ndim;
  job->columns = x->shape[x->ndim - 1];
  job->rows = x->size / job->columns;
  job->slots[COUNT] = (uint64_t)taps->shape[0];
  job->slots[SIZE] = (uint64_t)x->size;
  job->slots[AXES] = (uint64_t)x->ndim;
  for (int d = 0; d < x->ndim; d++) {
    job->slots[LENGTHS + 3 * d] = (uint64_t)x->shape[d];
    job->slots[LENGTHS + 3 * d + 1] = job->slots[LENGTHS + 3 * d + 2] = 0;
  }
}

// Notes whether the taps, which ascend, are all elements between the farthest ones along one axis.
static void note_line(cp_sites_job *job, const cp_array *x) {
  int64_t step = 1, boxes = 1;
  uint64_t line_step = 0;
  for (int d = x->ndim - 1; d >= 0; d--) {
    const int64_t before = (int64_t)job->slots[LENGTHS + 3 * d + 1];
    const int64_t reach = before + (int64_t)job->slots[LENGTHS + 3 * d + 2];
    if (reach > 0) {
      line_step = boxes == 1 ? (uint64_t)step : 0;
      job->slots[LINE_FIRST] = (uint64_t)(-before * step);
    }
    boxes *= reach + 1;
    step *= x->shape[d];
  }
  job->slots[LINE_STEP] = boxes == (int64_t)job->slots[COUNT] ? line_step : 0;
}

static void read_fill(lua_State *L, int slot, const char *where, cp_sites_job *job) {
  cp_scalar s;
  char kind;
  bool weak;
  if (lua_isnil(L, slot)) return; // the fill value stays zero
  if (!cp_to_scalar(L, slot, &s, &kind, &weak))
    cp_raise(L, where, CP_EUSAGE, "cval must be a number, not %s", luaL_typename(L, slot));
  if (weak && s.dtype == CP_INT64 && cp_is_integer(job->dtype)) s = cp_scalar_cast(s, job->dtype);
  cp_check_scalar_for(L, where, job->dtype, kind, weak, &s);
  char element[16] = {0};
  cp_scalar_store(s, element);
  memcpy(&job->slots[FILL], element, sizeof(uint64_t));
}

static int longest_paired(const cp_array *x) {
  return x->device->ops->sites->most_paired[cp_dtypes[x->dtype].itemsize > 1];
}

// core.most_paired(x): the longest windows for which the device of x takes taps of pairs; 0: none.
static int most_paired(lua_State *L) {
  lua_pushinteger(L, longest_paired(cp_check_value(L, 1, "window", "x")));
  return 1;
}

// core.window(where, which, x, taps, before, behind, border, fill, added, common): a new array with the
// least ("least") or greatest ("greatest") element of each element's window, or that of a rank (a number
// from 0). taps: int64, a row for each element of a window: its distance in elements of x, and along each
// axis. before, behind: tables of the farthest distances along each axis. added: for each tap a number of
// x's dtype that is added to its element. common: for ranks, where taps are those of pairs
// (core.most_paired), how many of them both windows have.
static int window(lua_State *L) {
  static const char *const borders[] = {"fill", "wrap", "symm", "edge", "mirror", NULL}; // ORDER cp_border
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 10);
  cp_array *x = cp_take_sites(L, 3, where, "input"), *taps = cp_take_table(L, 4, where, "taps", CP_INT64);
  luaL_checktype(L, 5, LUA_TTABLE);
  luaL_checktype(L, 6, LUA_TTABLE);
  cp_sites_job job = {.kind = CP_SITES_EXTREME, .dtype = x->dtype};
  const int64_t count = taps->ndim > 0 ? taps->shape[0] : 0;
  cp_array *added = lua_isnil(L, 9) ? NULL : cp_take_table(L, 9, where, "structure", x->dtype);
  cp_demand(L, where, count > 0 && (added == NULL || added->size == count), "there must be taps");
  cp_array *result = cp_push_new_array(L, where, x->device, x->dtype, x->ndim, x->shape);
  if (result->size == 0) return 1;
  set_window(L, where, &job, x, taps);
  for (int d = 0; d < x->ndim; d++) {
    job.slots[LENGTHS + 3 * d + 1] = (uint64_t)distance(L, where, 5, d);
    job.slots[LENGTHS + 3 * d + 2] = (uint64_t)distance(L, where, 6, d);
  }
  job.slots[BORDER] = (uint64_t)luaL_checkoption(L, 7, "fill", borders);
  read_fill(L, 8, where, &job);
  if (lua_type(L, 2) == LUA_TNUMBER) {
    const int64_t rank = cp_arg_integer(L, 2, where, "rank"), common = luaL_optinteger(L, 10, 0);
    const int64_t size = common > 0 ? common + (count - common) / 2 : count;
    cp_demand(L, where, rank > 0 && rank < size - 1 && added == NULL, "the rank must lie inside");
    cp_demand(L, where,
              common == 0 ||
                  (common > 0 && common < count && (count - common) % 2 == 0 && size <= longest_paired(x)),
              "the taps are not those of a pair of windows");
    job.kind = CP_SITES_RANK;
    job.fixed = (int)size;
    job.common = (int)common;
    job.slots[RANK] = (uint64_t)rank;
  } else {
    static const char *const which[] = {"least", "greatest", NULL};
    job.slots[WHICH] = (uint64_t)luaL_checkoption(L, 2, NULL, which);
    note_line(&job, x);
  }
  const cp_sites_use uses[] = {
      {x, CP_READ, IN}, {result, CP_WRITE_WHOLE, OUT}, {taps, CP_READ, TAPS}, {added, CP_READ, ADDED}};
  cp_run_sites(L, where, &job, 4, uses);
  return 1;
}

// ---- labels -----------------------------------------------------------------------------------------------

// Replaces what pass 1 of a label gives by numbers of components.
static cp_status number(cp_context *ctx, cp_array *labels, int64_t *components) {
  const cp_use use = {labels, CP_WRITE};
  cp_stream *s;
  CP_TRY(cp_may_wait(ctx, labels->device));
  CP_TRY(cp_open_arrays(ctx, labels->device, 1, &use, &s));
  const cp_sites_ops *ops = labels->device->ops->sites;
  return ops->number(ctx, s, labels->dtype, cp_address(labels), labels->size, components);
}

// core.label(where, mask, taps, joined[, numbered]): a new array of mask's shape, int32 or, where that is too
// short, int64: for each element that is not 0 the number, from 0, of the first element of its component in C
// order; -1 for others. mask: uint8. taps: the neighbours before an element, as for core.window. joined:
// whether neighbours along the last axis are among them. numbered: if the device can, the array has numbers
// of components, from 1 in the order of their first elements, and 0 for others, and their number follows;
// else only first elements have their own number, others that of one nearer to it: core.label_numbers.
static int label(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 5);
  cp_array *mask = cp_take_sites(L, 2, where, "input"), *taps = cp_take_table(L, 3, where, "taps", CP_INT64);
  cp_demand(L, where, mask->dtype == CP_UINT8 && taps->ndim == 2, "the mask must be uint8");
  cp_sites_job job = {.kind = CP_SITES_LABEL, .dtype = mask->size > INT32_MAX ? CP_INT64 : CP_INT32};
  const bool numbered = lua_toboolean(L, 5);
  cp_array *result = cp_push_new_array(L, where, mask->device, job.dtype, mask->ndim, mask->shape);
  int64_t components = 0;
  if (result->size == 0) return 1;
  set_window(L, where, &job, mask, taps);
  job.slots[RANK] = lua_toboolean(L, 4) != 0;
  for (int pass = 0; pass < (numbered ? 2 : 3); pass++) {
    const cp_sites_use uses[] = {
        {mask, CP_READ, IN}, {result, pass == 0 ? CP_WRITE_WHOLE : CP_WRITE, OUT}, {taps, CP_READ, TAPS}};
    job.fixed = pass;
    job.slots[WHICH] = (uint64_t)pass;
    cp_run_sites(L, where, &job, 3, uses);
  }
  if (!numbered || mask->device->ops->sites->number == NULL) return 1;
  CP_CHECK(L, where, number(&cp_state_get(L)->ctx, result, &components));
  cp_push_scalar(L, cp_scalar_int(components, CP_INT64));
  return 2;
}

// What core.label gives for a device that does not number components, at stack index 2.
static cp_array *take_trees(lua_State *L, const char *where, cp_sites_job *job) {
  cp_array *trees = cp_take_sites(L, 2, where, "input");
  const cp_dtype t = trees->dtype;
  cp_demand(L, where, trees->device->ops->sites->number == NULL, "the device numbers components");
  cp_demand(L, where, (t == CP_INT32 || t == CP_INT64) && trees->size > 0, "trees must be integers");
  *job = (cp_sites_job){.kind = CP_SITES_LABEL, .dtype = t, .axes = 1, .rows = 1, .columns = trees->size};
  return trees;
}

// core.label_roots(where, trees): which elements are the first ones of their components (uint8).
static int label_roots(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sites_job job;
  cp_array *trees = take_trees(L, where, &job);
  cp_array *roots = cp_push_new_array(L, where, trees->device, CP_UINT8, trees->ndim, trees->shape);
  const cp_sites_use uses[] = {{trees, CP_READ, IN}, {roots, CP_WRITE_WHOLE, OUT}};
  job.fixed = 4;
  cp_run_sites(L, where, &job, 2, uses);
  return 1;
}

// core.label_numbers(where, trees, numbers): for each element what `numbers`, of the same dtype and size, has
// for the first one of its component; 0 for elements outside of the mask. Elements of trees may be changed to
// refer to nearer ones.
static int label_numbers(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sites_job job;
  cp_array *trees = take_trees(L, where, &job), *numbers = cp_take_sites(L, 3, where, "numbers");
  cp_demand(L, where, numbers->dtype == trees->dtype && numbers->size == trees->size,
            "numbers must be like trees");
  cp_array *result = cp_push_new_array(L, where, trees->device, trees->dtype, trees->ndim, trees->shape);
  const cp_sites_use uses[] = {
      {trees, CP_WRITE, IN}, {result, CP_WRITE_WHOLE, OUT}, {numbers, CP_READ, ADDED}};
  job.fixed = 3;
  cp_run_sites(L, where, &job, 3, uses);
  return 1;
}

void cp_open_sites(lua_State *L) {
  static const luaL_Reg core[] = {
      {"window", window},           {"most_paired", most_paired},     {"label", label},
      {"label_roots", label_roots}, {"label_numbers", label_numbers}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
