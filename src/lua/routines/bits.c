// Truth values as bits for the Lua side: core.pack_sites, core.fold_bits and core.unpack_sites, on which
// binary morphology of lua/cupola/scipy/ndimage builds. kernels/routine/sites/bits.cu describes words and
// slots.
#include "lua/routines/sites.h"

enum { WORD = 64 };

// ORDER as in kernels/routine/sites/window.h and bits.cu.
enum { IN = CP_SITES_OWN, OUT, TAPS, COUNT, OUTSIDE = IN + 5, FLIP = IN + 7, PASS, SIZE, AXES, LENGTHS };
enum { PACK, FOLD, UNPACK };

// A job for truth values of a shape: `each` of a row make a site.
static cp_sites_job job_of(int pass, int ndim, const int64_t *shape, int64_t each) {
  cp_sites_job job = {.kind = CP_SITES_BITS, .dtype = CP_UINT64, .axes = ndim, .fixed = pass, .rows = 1};
  for (int d = 0; d < ndim; d++) {
    job.slots[LENGTHS + 3 * d] = (uint64_t)shape[d];
    if (d < ndim - 1) job.rows *= shape[d];
  }
  job.columns = (shape[ndim - 1] + each - 1) / each;
  job.slots[PASS] = (uint64_t)pass;
  job.slots[AXES] = (uint64_t)ndim;
  return job;
}

// The shape of truth values whose words `words` has, with rows of n.
static void shape_of(lua_State *L, const char *where, const cp_array *words, int64_t n, int64_t *shape) {
  const int last = words->ndim - 1;
  cp_demand(L, where, last >= 0 && last < CP_SITES_AXES, "words must have axes");
  for (int d = 0; d < last; d++) shape[d] = words->shape[d];
  shape[last] = n;
  cp_demand(L, where, n > 0 && (n + WORD - 1) / WORD == words->shape[last], "rows must have so many words");
}

// core.pack_sites(where, x): the words (uint64) of x, which is uint8 and not empty: its shape but for the
// last axis.
static int pack(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  int64_t shape[CP_SITES_AXES];
  cp_array *x = cp_take_sites(L, 2, where, "input");
  cp_demand(L, where, x->dtype == CP_UINT8 && x->size > 0, "there must be bytes");
  cp_sites_job job = job_of(PACK, x->ndim, x->shape, WORD);
  for (int d = 0; d < x->ndim; d++) shape[d] = d < x->ndim - 1 ? x->shape[d] : job.columns;
  cp_array *words = cp_push_new_array(L, where, x->device, CP_UINT64, x->ndim, shape);
  const cp_sites_use uses[] = {{x, CP_READ, IN}, {words, CP_WRITE_WHOLE, OUT}};
  cp_run_sites(L, where, &job, 2, uses);
  return 1;
}

// core.unpack_sites(where, words, n): the bytes, 0 or 1, of rows of n sites.
static int unpack(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  int64_t shape[CP_SITES_AXES];
  cp_array *words = cp_take_table(L, 2, where, "words", CP_UINT64);
  shape_of(L, where, words, luaL_checkinteger(L, 3), shape);
  cp_sites_job job = job_of(UNPACK, words->ndim, shape, 8);
  cp_array *x = cp_push_new_array(L, where, words->device, CP_UINT8, words->ndim, shape);
  const cp_sites_use uses[] = {{words, CP_READ, IN}, {x, CP_WRITE_WHOLE, OUT}};
  cp_run_sites(L, where, &job, 2, uses);
  return 1;
}

// core.fold_bits(where, which, words, n, taps, outside): for rows of n sites whether all ("least") or any
// ("greatest") of each site's window are true. taps: as for core.window. outside: whether what lies outside
// of the array is true.
static int fold(lua_State *L) {
  static const char *const names[] = {"least", "greatest", NULL};
  const char *where = luaL_checkstring(L, 1);
  const bool any = luaL_checkoption(L, 2, NULL, names) == 1, outside = lua_toboolean(L, 6);
  int64_t shape[CP_SITES_AXES];
  cp_array *words = cp_take_table(L, 3, where, "words", CP_UINT64);
  cp_array *taps = cp_take_table(L, 5, where, "taps", CP_INT64);
  shape_of(L, where, words, luaL_checkinteger(L, 4), shape);
  cp_demand(L, where, taps->ndim == 2 && taps->shape[1] == words->ndim + 1, "the taps must have all axes");
  cp_sites_job job = job_of(FOLD, words->ndim, shape, WORD);
  job.slots[COUNT] = (uint64_t)taps->shape[0];
  job.slots[OUTSIDE] = outside ? UINT64_MAX : 0;
  job.slots[FLIP] = any ? UINT64_MAX : 0;
  cp_array *result = cp_push_new_array(L, where, words->device, CP_UINT64, words->ndim, words->shape);
  const cp_sites_use uses[] = {{words, CP_READ, IN}, {result, CP_WRITE_WHOLE, OUT}, {taps, CP_READ, TAPS}};
  cp_run_sites(L, where, &job, 3, uses);
  return 1;
}

void cp_open_bits(lua_State *L) {
  static const luaL_Reg core[] = {
      {"pack_sites", pack}, {"unpack_sites", unpack}, {"fold_bits", fold}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
