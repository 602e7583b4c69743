// Sorting, searching, counting and moving elements for the Lua side: functions of the table core, on which
// lua/cupola/statistics/sorting.lua, sets.lua and statistics.lua build the public ones. Their first argument
// is the public name for error messages; the arrays must fit together, as routines/sort.h describes.
#include "routines/sort.h"
#include "routines/index.h"

#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/values/handle.h"
#include "rules/sort.h"

// ---- sorting ----------------------------------------------------------------------------------------------

// Sorts the array at slot 2, or gives the positions of its sorted elements.
static int sort_whole(lua_State *L, const cp_places *places) {
  const char *where = luaL_checkstring(L, 1);
  bool positions = lua_toboolean(L, 3) != 0;
  lua_settop(L, 3);
  cp_array *x = cp_take_value(L, 2, where, "a"), *result = cp_push_array(L, x->ndim);
  cp_context *ctx = &cp_state_of(L, result)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_sort(ctx, x, positions, places, result));
  return 1;
}

// core.sort(where, x, positions, first, last, bound): a new array with x, of a real dtype, sorted along its
// last axis. With `positions`, the positions (from 1) of the sorted elements instead, by a stable sort.
// With `first` and `last` only these places, from 1, need to hold what they hold in the sorted row. bound:
// x has integers of which the library knows that they are 0 to bound - 1.
static int sort(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  if (lua_isnoneornil(L, 4)) return sort_whole(L, NULL);
  const cp_places places = {cp_arg_integer(L, 4, where, "first") - 1, cp_arg_integer(L, 5, where, "last") - 1,
                            lua_isnoneornil(L, 6) ? 0 : cp_arg_integer(L, 6, where, "bound")};
  return sort_whole(L, &places);
}

// core.sort_last(where, x, positions, axis): core.sort if x is an array that needs no conversion and `axis`
// is its last axis or nil; otherwise returns nothing.
static int sort_last(lua_State *L) {
  const cp_array *x = cp_test_array(L, 2);
  if (x == NULL || x->ndim == 0 || cp_is_complex(x->dtype)) return 0;
  if (!lua_isnoneornil(L, 4)) {
    if (lua_type(L, 4) != LUA_TNUMBER) return 0;
    lua_Number axis = lua_tonumber(L, 4);
    if (axis != x->ndim && axis != -1) return 0;
  }
  return sort_whole(L, NULL);
}

// ---- searching --------------------------------------------------------------------------------------------

// core.search(where, sorted, values, behind): the positions, from 1, at which to insert `values` (of the same
// dtype) into `sorted`: before equal elements or, if `behind`, after them.
static int search(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  bool behind = lua_toboolean(L, 4) != 0;
  lua_settop(L, 4);
  cp_array *sorted = cp_take_value(L, 2, where, "a"), *values = cp_take_value(L, 3, where, "v");
  cp_array *result = cp_push_array(L, values->ndim);
  cp_context *ctx = &cp_state_of(L, result)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_search(ctx, sorted, values, behind, result));
  return 1;
}

// core.interpolate(where, x, xp, fp, below, above, imaginary): the values at x of the line through the points
// (xp, fp), in ascending order of xp; below and above are the values outside of xp. All are float64 arrays.
// imaginary: fp are the imaginary parts of a function, 0 where x is nan.
static int interpolate(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 7);
  cp_array *x = cp_take_value(L, 2, where, "x");
  const cp_table table = {.xp = cp_take_value(L, 3, where, "xp"),
                          .fp = cp_take_value(L, 4, where, "fp"),
                          .below = cp_take_value(L, 5, where, "left"),
                          .above = cp_take_value(L, 6, where, "right"),
                          .imaginary = lua_toboolean(L, 7)};
  cp_array *result = cp_push_array(L, x->ndim);
  cp_context *ctx = &cp_state_of(L, result)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_interpolate(ctx, x, &table, result));
  return 1;
}

// ---- moving -----------------------------------------------------------------------------------------------

static cp_status run_move(cp_context *ctx, cp_move_job *job, cp_array *in, cp_array *at, cp_array *out) {
  cp_stream *stream;
  const cp_use uses[3] = {
      {out, job->kind == CP_MOVE_GATHER ? CP_WRITE_WHOLE : CP_WRITE}, {at, CP_READ}, {in, CP_READ}};
  CP_TRY(cp_open_arrays(ctx, out->device, 3, uses, &stream));
  job->out = cp_address(out);
  job->at = (const int64_t *)(const void *)cp_address(at);
  job->in = cp_address(in);
  return out->device->ops->sort->move(ctx, stream, job);
}

// core.gather(where, x, at): a new array of at's shape with the elements of x, taken flat, at the positions
// `at` (int64).
static int gather(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 3);
  cp_array *x = cp_take_contiguous(L, 2, where, "a"), *at = cp_take_contiguous(L, 3, where, "indices");
  cp_array *result = cp_push_new_array(L, where, x->device, x->dtype, at->ndim, at->shape);
  cp_demand(L, where, at->dtype == CP_INT64 && (x->size > 0 || at->size == 0),
            "indices must be int64, and of elements");
  if (at->size == 0) return 1;
  cp_move_job job = {
      .kind = CP_MOVE_GATHER, .itemsize = cp_itemsize(x->dtype), .count = at->size, .room = x->size};
  CP_CHECK(L, where, run_move(&cp_state_get(L)->ctx, &job, x, at, result));
  return 1;
}

// core.put_rows(where, x, at): a new array of x's shape with the elements of x put at the positions `at`,
// each of which occurs once.
static int scatter(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 3);
  cp_array *x = cp_take_contiguous(L, 2, where, "a"), *at = cp_take_contiguous(L, 3, where, "indices");
  cp_array *result = cp_push_new_array(L, where, x->device, x->dtype, x->ndim, x->shape);
  cp_demand(L, where, at->dtype == CP_INT64 && at->size == x->size,
            "indices must be int64, one for each element");
  if (x->size == 0) return 1;
  cp_move_job job = {
      .kind = CP_MOVE_SCATTER, .itemsize = cp_itemsize(x->dtype), .count = x->size, .room = x->size};
  CP_CHECK(L, where, run_move(&cp_state_get(L)->ctx, &job, x, at, result));
  return 1;
}

// ---- counting ---------------------------------------------------------------------------------------------

// edges and weights may be NULL.
static cp_status run_count(cp_context *ctx, cp_count_job *job, cp_array *x, cp_array *edges,
                           cp_array *weights, cp_array *out) {
  cp_stream *stream;
  cp_use uses[4] = {{out, CP_WRITE}, {x, CP_READ}};
  int count = 2;
  if (edges != NULL) uses[count++] = (cp_use){edges, CP_READ};
  if (weights != NULL) uses[count++] = (cp_use){weights, CP_READ};
  CP_TRY(cp_open_arrays(ctx, out->device, count, uses, &stream));
  job->out = cp_address(out);
  job->in = cp_address(x);
  job->edges = edges != NULL ? cp_address(edges) : NULL;
  job->weights = weights != NULL ? (const double *)(const void *)cp_address(weights) : NULL;
  CP_TRY(out->device->ops->fill_bytes(stream, job->out, 0, (size_t)job->bins * 8));
  return x->size > 0 ? out->device->ops->sort->count(ctx, stream, job) : CP_OK;
}

// core.count(where, x, bins, edges, first, last, weights): how many elements of x fall into each bin (int64),
// or the sums of their weights (float64, as the weights are). If edges is nil, the bin of an integer is its
// value, from 0.
static int count(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_count_job job = {.bins = cp_arg_integer(L, 3, where, "bins")};
  lua_settop(L, 7);
  cp_array *x = cp_take_contiguous(L, 2, where, "a");
  cp_array *edges = lua_isnil(L, 4) ? NULL : cp_take_contiguous(L, 4, where, "bins");
  cp_array *weights = lua_isnil(L, 7) ? NULL : cp_take_contiguous(L, 7, where, "weights");
  job.dtype = x->dtype;
  job.count = x->size;
  cp_demand(L, where, job.bins >= 0, "bins must not be negative");
  if (edges == NULL)
    cp_demand(L, where, cp_is_integer(x->dtype) || x->dtype == CP_BOOL, "a must be of integers");
  else
    cp_demand(L, where,
              edges->dtype == x->dtype && (x->dtype == CP_FLOAT32 || x->dtype == CP_FLOAT64) &&
                  edges->size - 1 == job.bins && job.bins > 0,
              "bins must have one edge more than there are bins, and a's dtype");
  if (weights != NULL)
    cp_demand(L, where, weights->dtype == CP_FLOAT64 && weights->size == x->size,
              "weights must be float64, one for each element");
  if (edges != NULL) {
    job.first = cp_arg_number(L, 5, where, "first");
    job.last = cp_arg_number(L, 6, where, "last");
  }
  cp_dtype dtype = weights != NULL ? CP_FLOAT64 : CP_INT64;
  cp_array *out = cp_push_new_array(L, where, x->device, dtype, 1, &job.bins);
  if (job.bins == 0) return 1;
  CP_CHECK(L, where, run_count(&cp_state_get(L)->ctx, &job, x, edges, weights, out));
  return 1;
}

// ---- bits -------------------------------------------------------------------------------------------------

// core.pack_bits(where, x, little): the bits of x's elements, eight to a byte, as a new vector. Returns
// nothing unless x is an array of bytes in C order, on a device that has a function for it and records
// nothing.
static int pack_bits(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const bool little = lua_toboolean(L, 3);
  cp_array *x = cp_test_array(L, 2);
  cp_stream *s;
  if (x == NULL || (x->dtype != CP_BOOL && x->dtype != CP_UINT8 && x->dtype != CP_INT8)) return 0;
  if (x->device->ops->index->pack == NULL || x->size == 0) return 0;
  x = cp_check_array(L, 2, where, "a");
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (!cp_array_contiguous(x, 'C') || ctx->capture.graph != NULL) return 0;
  const int64_t bytes = x->size / 8 + (x->size % 8 != 0);
  cp_array *bits = cp_push_new_array(L, where, x->device, CP_UINT8, 1, &bytes);
  const cp_use uses[] = {{x, CP_READ}, {bits, CP_WRITE_WHOLE}};
  CP_CHECK(L, where, cp_open_arrays(ctx, x->device, 2, uses, &s));
  CP_CHECK(L, where, x->device->ops->index->pack(ctx, s, cp_address(x), x->size, little, cp_address(bits)));
  return 1;
}

void cp_open_sort(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"sort", sort},     {"sort_last", sort_last}, {"search", search}, {"interpolate", interpolate},
      {"gather", gather}, {"put_rows", scatter},    {"count", count},   {"pack_bits", pack_bits},
      {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
