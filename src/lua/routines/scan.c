// Scans for the Lua side: core.scan, on which lua/cupola/statistics/scans.lua builds the public functions.
// routines/scan.h describes the job that the device gets.
#include "routines/scan.h"

#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/values/handle.h"

#include <string.h>

static cp_scan_kind kind_at(lua_State *L, int slot) {
  static const char *const names[] = {"sum", "prod", "min", "max", NULL}; // ORDER cp_scan_kind
  return (cp_scan_kind)luaL_checkoption(L, slot, NULL, names);
}

static cp_status run(cp_context *ctx, cp_array *x, cp_array *result, cp_scan_job *job) {
  cp_stream *stream;
  const cp_use uses[] = {{x, CP_READ}, {result, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, x->device, 2, uses, &stream));
  job->in = cp_address(x);
  job->out = cp_address(result);
  return x->device->ops->scan->run(ctx, stream, job);
}

// core.scan(where, kind, x, axis, dtype): a new array of x's shape with the running sum, product, minimum or
// maximum (kind "sum", "prod", "min" or "max") of `dtype` along the axis, counted from 1.
static int scan(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_scan_job job = {.kind = kind_at(L, 2), .to = cp_check_dtype(L, 5, where), .rows = 1, .inner = 1};
  int64_t axis = cp_arg_integer(L, 4, where, "axis") - 1;
  lua_settop(L, 5);
  cp_array *x = cp_take_contiguous(L, 3, where, "a");
  cp_demand(L, where, axis >= 0 && axis < x->ndim, "axis must be one of a's");
  cp_array *result = cp_push_new_array(L, where, x->device, job.to, x->ndim, x->shape);
  if (x->size == 0) return 1;
  job.from = x->dtype;
  job.length = x->shape[axis];
  for (int k = 0; k < axis; k++) job.rows *= x->shape[k];
  for (int64_t k = axis + 1; k < x->ndim; k++) job.inner *= x->shape[k];
  job.scratch = cp_push_scratch(L, where, x->device, x->device->ops->scan->scratch(x->device, &job));
  CP_CHECK(L, where, run(&cp_state_get(L)->ctx, x, result, &job));
  cp_free_scratch(L, 7);
  lua_settop(L, 6);
  return 1;
}

void cp_open_scan(lua_State *L) {
  lua_pushcfunction(L, scan);
  lua_setfield(L, 1, "scan");
}
