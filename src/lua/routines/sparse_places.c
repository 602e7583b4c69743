// Entries of sparse matrices found by their places and picked, for the Lua side (lua/cupola/scipy/sparse), as
// in sparse_forms.c: functions of the table core for devices for which core.sparse_forms is true.
#include "device/interrupt.h"
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/routines/sparse.h"
#include "lua/values/handle.h"
#include "routines/sparse_forms.h"

static const cp_sparse_form_ops *forms_of(const cp_array *x) { return x->device->ops->sparse_forms; }

// Reads the starts and columns at stack indices 2 and 3 of a matrix with `columns` columns.
static void take_layout(lua_State *L, const char *where, int64_t columns, cp_sparse_matrix *x) {
  cp_take_sparse_starts(L, 2, where, x);
  cp_take_sparse_columns(L, 3, where, columns, x);
  cp_demand(L, where, forms_of(x->starts) != NULL, "the array's device sorts entries instead");
}

// Also the values, at stack index 4.
static void take_matrix(lua_State *L, const char *where, int64_t columns, cp_sparse_matrix *x) {
  cp_take_sparse_operand(L, 2, where, columns, x);
  cp_demand(L, where, forms_of(x->starts) != NULL, "the array's device sorts entries instead");
}

static void address_layout(cp_sparse_matrix *x) {
  x->m.starts = cp_address(x->starts);
  x->m.columns_of = cp_address(x->columns);
}

// ---- finding ----------------------------------------------------------------------------------------------

// Finds places (int64), or, of a matrix with values, these. Without rows and columns: of the diagonal k.
static cp_status run_find(cp_context *ctx, cp_sparse_matrix *x, cp_array *rows, cp_array *columns, int64_t k,
                          cp_array *out) {
  cp_stream *stream;
  cp_use uses[6] = {{x->starts, CP_READ}, {x->columns, CP_READ}, {out, CP_WRITE_WHOLE}};
  int count = 3;
  if (x->values != NULL) uses[count++] = (cp_use){x->values, CP_READ};
  if (rows != NULL) uses[count++] = (cp_use){rows, CP_READ};
  if (rows != NULL) uses[count++] = (cp_use){columns, CP_READ};
  CP_TRY(cp_open_arrays(ctx, out->device, count, uses, &stream));
  address_layout(x);
  cp_sparse_find_job job = {
      .m = x->m, .first_row = k < 0 ? -k : 0, .first_column = k > 0 ? k : 0, .count = out->size};
  if (rows != NULL) {
    job.rows = (const int64_t *)(const void *)cp_address(rows);
    job.columns = (const int64_t *)(const void *)cp_address(columns);
  }
  if (x->values != NULL) {
    job.item = cp_itemsize(out->dtype);
    job.values = cp_address(x->values);
    job.out = cp_address(out);
  } else {
    job.places = (int64_t *)(void *)cp_address(out);
  }
  return forms_of(out)->find(ctx, stream, &job);
}

// The lists of rows and columns at `slot` and behind it; pushes an array for what is found there.
static int find_pairs(lua_State *L, const char *where, int slot, cp_sparse_matrix *x) {
  cp_array *rows = cp_take_sparse_vector(L, slot, where, "rows");
  cp_array *columns = cp_take_sparse_vector(L, slot + 1, where, "columns");
  cp_demand(L, where,
            rows->dtype == CP_INT64 && columns->dtype == CP_INT64 && rows->size == columns->size &&
                rows->device == x->starts->device && columns->device == x->starts->device,
            "rows and columns must be int64 and equally long, on the array's device");
  const cp_dtype dtype = x->values != NULL ? x->values->dtype : CP_INT64;
  cp_array *out = cp_push_sparse_vector(L, where, x->starts, dtype, rows->size);
  if (out->size > 0) CP_CHECK(L, where, run_find(&cp_state_get(L)->ctx, x, rows, columns, 0, out));
  return 1;
}

// core.sparse_find(where, indptr, indices, rows, columns): for each pair of rows and columns (int64, from 0)
// the number of its entry in a matrix whose rows ascend strictly, from 0, or -1.
static int find(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x = {0};
  lua_settop(L, 5);
  take_layout(L, where, INT64_MAX, &x);
  return find_pairs(L, where, 4, &x);
}

// core.sparse_elements(where, indptr, indices, data, rows, columns): the values at these places, 0 where the
// matrix has no entry.
static int elements(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x = {0};
  lua_settop(L, 6);
  take_matrix(L, where, INT64_MAX, &x);
  return find_pairs(L, where, 5, &x);
}

// core.sparse_diagonal(where, indptr, indices, data, k, count): the same of the places of diagonal k that are
// in the matrix, of which there are `count`.
static int diagonal(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x = {0};
  lua_settop(L, 6);
  take_matrix(L, where, INT64_MAX, &x);
  const int64_t k = cp_arg_integer(L, 5, where, "k"), count = cp_arg_integer(L, 6, where, "count");
  cp_demand(L, where, count >= 0 && count <= x.m.rows && k > -x.m.rows && k < INT64_MAX - count,
            "the diagonal must be in the matrix");
  cp_array *out = cp_push_sparse_vector(L, where, x.starts, x.values->dtype, count);
  if (count > 0) CP_CHECK(L, where, run_find(&cp_state_get(L)->ctx, &x, NULL, NULL, k, out));
  return 1;
}

static cp_status run_entry(cp_context *ctx, cp_sparse_matrix *x, int64_t row, int64_t column,
                           int64_t *place) {
  cp_stream *stream;
  const cp_use uses[] = {{x->starts, CP_READ}, {x->columns, CP_READ}};
  CP_TRY(cp_may_wait(ctx, x->starts->device));
  CP_TRY(cp_open_arrays(ctx, x->starts->device, 2, uses, &stream));
  address_layout(x);
  const cp_sparse_find_job job = {.m = x->m, .rows = &row, .columns = &column, .count = 1, .places = place};
  return forms_of(x->starts)->find(ctx, stream, &job);
}

// core.sparse_entry(where, indptr, indices, row, column): the same of one place, as a number of Lua.
static int entry(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  int64_t place = -1;
  lua_settop(L, 5);
  take_layout(L, where, INT64_MAX, &x);
  const int64_t row = cp_arg_integer(L, 4, where, "row"), column = cp_arg_integer(L, 5, where, "column");
  CP_CHECK(L, where, run_entry(&cp_state_get(L)->ctx, &x, row, column, &place));
  cp_push_scalar(L, cp_scalar_int(place, CP_INT64));
  return 1;
}

// ---- extremes ---------------------------------------------------------------------------------------------

static cp_status run_extremes(cp_context *ctx, cp_sparse_matrix *x, cp_array *out,
                              cp_sparse_extremes_job *job) {
  cp_stream *stream;
  const cp_use uses[] = {
      {x->starts, CP_READ}, {x->columns, CP_READ}, {x->values, CP_READ}, {out, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, out->device, 4, uses, &stream));
  cp_address_sparse(x);
  job->m = x->m;
  job->values = cp_address(x->values);
  job->out = cp_address(out);
  return forms_of(out)->extremes(ctx, stream, job);
}

// core.sparse_extremes(where, indptr, indices, data, columns, least, stored): the greatest or least element
// of each row of a matrix whose rows ascend strictly, `stored` ones alone or with the zeros beside them. The
// values are real numbers, but no float16 or bfloat16.
static int extremes(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x = {0};
  lua_settop(L, 7);
  take_matrix(L, where, cp_arg_integer(L, 5, where, "columns"), &x);
  const cp_dtype t = x.values->dtype;
  cp_demand(L, where, t != CP_BOOL && !cp_is_half(t) && !cp_is_complex(t), "data has a dtype without loops");
  cp_sparse_extremes_job job = {.dtype = t, .least = lua_toboolean(L, 6), .stored = lua_toboolean(L, 7)};
  cp_array *out = cp_push_sparse_vector(L, where, x.starts, t, x.m.rows);
  if (out->size > 0) CP_CHECK(L, where, run_extremes(&cp_state_get(L)->ctx, &x, out, &job));
  return 1;
}

// ---- sums -------------------------------------------------------------------------------------------------

static cp_status run_sums(cp_context *ctx, cp_array *places, cp_array *values, cp_array *out) {
  cp_stream *stream;
  const cp_use uses[] = {{places, CP_READ}, {values, CP_READ}, {out, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, out->device, 3, uses, &stream));
  const cp_sparse_sums_job job = {.m = {.columns = out->size,
                                        .entries = values->size,
                                        .index = places->dtype,
                                        .columns_of = cp_address(places)},
                                  .dtype = out->dtype,
                                  .values = cp_address(values),
                                  .out = cp_address(out)};
  return forms_of(out)->sums(ctx, stream, &job);
}

// core.sparse_sums(where, indices, data, columns): for each column the sum of the entries there, added in
// their order.
static int sums(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *places = cp_take_sparse_vector(L, 2, where, "indices");
  cp_array *values = cp_take_sparse_vector(L, 3, where, "data");
  const int64_t columns = cp_arg_integer(L, 4, where, "columns");
  cp_demand(L, where, forms_of(places) != NULL, "the array's device sorts entries instead");
  cp_demand(L, where,
            (places->dtype == CP_INT32 || places->dtype == CP_INT64) && places->size == values->size &&
                places->device == values->device && columns > 0,
            "indices must be int32 or int64 and as many as there are values");
  cp_demand_sparse_dtype(L, where, values->dtype);
  cp_array *out = cp_push_sparse_vector(L, where, places, values->dtype, columns);
  CP_CHECK(L, where, run_sums(&cp_state_get(L)->ctx, places, values, out));
  return 1;
}

// ---- picking ----------------------------------------------------------------------------------------------

typedef struct picking {
  cp_sparse_matrix x;
  cp_array *keep, *turned; // or NULL
  cp_array *starts, *columns, *out;
} picking;

// Fills the starts; then, with columns and out, these.
static cp_status run_pick(cp_context *ctx, picking *p, cp_sparse_pick_job *job) {
  cp_stream *stream;
  cp_use uses[8] = {{p->x.starts, CP_READ}, {p->x.columns, CP_READ}, {p->x.values, CP_READ}};
  int count = 3;
  if (p->keep != NULL) uses[count++] = (cp_use){p->keep, CP_READ};
  if (p->turned != NULL) uses[count++] = (cp_use){p->turned, CP_READ};
  uses[count++] = (cp_use){p->starts, p->columns == NULL ? CP_WRITE_WHOLE : CP_READ};
  if (p->columns != NULL) uses[count++] = (cp_use){p->columns, CP_WRITE_WHOLE};
  if (p->out != NULL) uses[count++] = (cp_use){p->out, CP_WRITE_WHOLE};
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_may_wait(ctx, p->starts->device));
  CP_TRY(cp_open_arrays(ctx, p->starts->device, count, uses, &stream));
  cp_address_sparse(&p->x);
  job->m = p->x.m;
  job->values = cp_address(p->x.values);
  job->keep = cp_address_or_null(p->keep);
  job->turned = cp_address_or_null(p->turned);
  job->starts = cp_address(p->starts);
  job->columns = cp_address_or_null(p->columns);
  job->out = cp_address_or_null(p->out);
  return forms_of(p->starts)->pick(ctx, stream, job);
}

// The vector at stack index `slot` beside the matrix, or NULL for nil.
static cp_array *take_optional(lua_State *L, int slot, const char *where, const char *name, const picking *p,
                               cp_dtype t, int64_t size) {
  if (lua_isnil(L, slot)) return NULL;
  cp_array *x = cp_take_sparse_vector(L, slot, where, name);
  cp_demand(L, where, x->dtype == t && x->size == size && x->device == p->x.starts->device,
            "masks and columns must fit the matrix");
  return x;
}

// core.sparse_pick(where, indptr, indices, data, columns, keep, turned): indptr, indices and data of the
// entries for which `keep` (bool, or nil) is true. turned (of the dtype of indices, one for each column, or
// nil, if not both are): the columns' numbers in the result, negative for those that are left out. Entries
// of a row keep their order.
static int pick(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  picking p = {0};
  lua_settop(L, 7);
  const int64_t columns = cp_arg_integer(L, 5, where, "columns");
  take_matrix(L, where, columns, &p.x);
  p.keep = take_optional(L, 6, where, "keep", &p, CP_BOOL, p.x.m.entries);
  p.turned = take_optional(L, 7, where, "turned", &p, p.x.m.index, columns);
  cp_sparse_pick_job job = {.item = cp_itemsize(p.x.values->dtype)};
  cp_demand(L, where, p.keep != NULL || p.turned != NULL, "keep or turned must be given");
  cp_demand(L, where, p.turned == NULL || columns > 0 || p.x.m.entries == 0, "entries must be in columns");
  p.starts = cp_push_sparse_vector(L, where, p.x.starts, p.x.m.index, p.x.m.rows + 1);
  CP_CHECK(L, where, run_pick(ctx, &p, &job));
  cp_array *at = cp_push_sparse_vector(L, where, p.x.starts, p.x.m.index, job.entries);
  p.out = cp_push_sparse_vector(L, where, p.x.starts, p.x.values->dtype, job.entries);
  p.columns = at;
  if (job.entries > 0) CP_CHECK(L, where, run_pick(ctx, &p, &job));
  return 3;
}

void cp_open_sparse_places(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_find", find},         {"sparse_elements", elements},
                                       {"sparse_diagonal", diagonal}, {"sparse_entry", entry},
                                       {"sparse_extremes", extremes}, {"sparse_sums", sums},
                                       {"sparse_pick", pick},         {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
