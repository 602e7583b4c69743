// core.orthogonalise: steps of Gram's and Schmidt's method, for subspaces of Krylov.
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/values/handle.h"
#include "routines/blas.h"

#include <stdlib.h>

static cp_status run(cp_context *ctx, cp_orthogonal *o, cp_array *basis, cp_array *w) {
  cp_stream *stream;
  const cp_use uses[] = {{basis, CP_WRITE}, {w, CP_READ}};
  CP_TRY(cp_open_arrays(ctx, basis->device, 2, uses, &stream));
  o->basis = cp_address(basis);
  o->w = cp_address(w);
  ctx->counters.launches++;
  return basis->device->ops->blas->orthogonalise(stream, o);
}

// core.orthogonalise(where, basis, lines, w, first): the vector w without its parts along the first `lines`
// rows of the matrix `basis`, divided by its size, becomes the row behind them (routines/blas.h; first counts
// from 1). Returns a list of w's parts, and behind them the size. Returns nothing where the device does not
// do so.
static int orthogonalise(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 5);
  cp_array *basis = cp_check_array(L, 2, where, "basis");
  const cp_dtype dtype = basis->dtype;
  if (basis->device->ops->blas->orthogonalise == NULL || (dtype != CP_FLOAT32 && dtype != CP_FLOAT64))
    return 0;
  if (basis->context->capture.graph != NULL) return 0;
  cp_array *w = cp_take_contiguous(L, 4, where, "w");
  cp_demand(L, where, basis->ndim == 2 && cp_array_contiguous(basis, 'C') && !basis->readonly,
            "the basis must be a contiguous matrix");
  cp_demand(L, where,
            w->ndim == 1 && w->dtype == dtype && w->device == basis->device &&
                w->shape[0] == basis->shape[1] && w->shape[0] > 0,
            "w must be a vector that fits the basis");
  const int64_t lines = cp_arg_integer_or(L, 3, where, "lines", 0),
                first = cp_arg_integer_or(L, 5, where, "first", 1);
  cp_demand(L, where, lines >= 1 && lines < basis->shape[0] && first >= 1 && first <= lines,
            "lines or first is out of range");
  cp_orthogonal o = {.dtype = dtype, .lines = lines, .first = first - 1, .length = w->shape[0]};
  o.parts = lua_newuserdata(L, (size_t)(lines + 1) * sizeof *o.parts);
  CP_CHECK(L, where, run(basis->context, &o, basis, w));
  lua_createtable(L, (int)lines + 1, 0);
  for (int64_t k = 0; k <= lines; k++) {
    lua_pushnumber(L, o.parts[k]);
    lua_rawseti(L, -2, (int)k + 1);
  }
  return 1;
}

void cp_open_orthogonal(lua_State *L) {
  static const luaL_Reg core[] = {{"orthogonalise", orthogonalise}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
