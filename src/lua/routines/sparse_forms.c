// The work of routines/sparse_forms.h for the Lua side (lua/cupola/scipy/sparse): functions of the table
// core. Their first argument is the public name for error messages. Positions are vectors of one dtype, int32
// or int64, that count from 0; results are new arrays. All need a device for which core.sparse_forms is true.
#include "routines/sparse_forms.h"

#include "device/interrupt.h"
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/routines/sparse.h"
#include "lua/values/handle.h"

static const cp_sparse_form_ops *forms_of(const cp_array *x) { return x->device->ops->sparse_forms; }

// core.sparse_forms(x): whether the device of the array x has these functions.
static int has_forms(lua_State *L) {
  lua_pushboolean(L, forms_of(cp_check_array(L, 1, "sparse", "x")) != NULL);
  return 1;
}

static void demand_forms(lua_State *L, const char *where, const cp_array *x) {
  cp_demand(L, where, forms_of(x) != NULL, "the array's device sorts entries instead");
}

// Reads a matrix whose starts, columns and values are at stack indices slot to slot + 2.
static void take_matrix(lua_State *L, int slot, const char *where, int64_t columns, cp_sparse_matrix *x) {
  cp_take_sparse_operand(L, slot, where, columns, x);
  demand_forms(L, where, x->starts);
}

// ---- grouping ---------------------------------------------------------------------------------------------

typedef struct grouping {
  cp_array *keys, *others, *rows, *values; // others or rows is NULL
  cp_array *starts, *out_others, *out_values;
} grouping;

static cp_status run_group(cp_context *ctx, const grouping *g, cp_sparse_group_job *job) {
  cp_stream *stream;
  const cp_use uses[] = {{g->keys, CP_READ},
                         {g->others != NULL ? g->others : g->rows, CP_READ},
                         {g->values, CP_READ},
                         {g->starts, CP_WRITE_WHOLE},
                         {g->out_others, CP_WRITE_WHOLE},
                         {g->out_values, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, g->keys->device, 6, uses, &stream));
  job->keys = cp_address(g->keys);
  if (g->others != NULL) job->others = cp_address(g->others);
  if (g->rows != NULL) job->m.starts = cp_address(g->rows);
  job->values = cp_address(g->values);
  job->starts = cp_address(g->starts);
  job->out_others = cp_address(g->out_others);
  job->out_values = cp_address(g->out_values);
  return forms_of(g->keys)->group(ctx, stream, job);
}

// core.sparse_group(where, keys, groups, others, indptr, data): sorts entries by keys, 0 to groups - 1 as was
// checked, which keep their order where keys are equal. Their other positions are `others`, or if this is nil
// the rows of a matrix with these starts. Returns where each group begins (groups + 1
// elements), others and data.
static int group(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  grouping g = {0};
  cp_sparse_matrix x;
  lua_settop(L, 6);
  g.keys = cp_take_sparse_vector(L, 2, where, "keys");
  cp_sparse_group_job job = {.groups = cp_arg_integer(L, 3, where, "groups"), .within = true};
  if (lua_isnil(L, 4)) {
    cp_take_sparse_starts(L, 5, where, &x);
    job.m = x.m;
    g.rows = x.starts;
  } else {
    g.others = cp_take_sparse_vector(L, 4, where, "others");
    job.m.index = g.others->dtype;
    cp_demand(L, where, g.others->size == g.keys->size, "keys and others must be equally long");
  }
  g.values = cp_take_sparse_vector(L, 6, where, "data");
  job.m.entries = g.keys->size;
  job.item = cp_itemsize(g.values->dtype);
  demand_forms(L, where, g.keys);
  cp_demand(L, where, g.keys->dtype == job.m.index && (job.m.index == CP_INT32 || job.m.index == CP_INT64),
            "positions must have one dtype, int32 or int64");
  cp_demand(L, where, g.values->size == g.keys->size, "keys and data must be equally long");
  cp_demand(L, where, job.groups >= 0 && job.groups < INT64_MAX, "groups must not be negative");
  cp_demand(L, where, g.keys->size == 0 || (job.groups > 0 && (g.rows == NULL || job.m.rows > 0)),
            "entries must be in rows");
  g.starts = cp_push_sparse_vector(L, where, g.keys, job.m.index, job.groups + 1);
  g.out_others = cp_push_sparse_vector(L, where, g.keys, job.m.index, g.keys->size);
  g.out_values = cp_push_sparse_vector(L, where, g.keys, g.values->dtype, g.keys->size);
  CP_CHECK(L, where, run_group(&cp_state_get(L)->ctx, &g, &job));
  return 3;
}

// ---- runs -------------------------------------------------------------------------------------------------

static cp_status run_take(cp_context *ctx, cp_sparse_matrix *x, cp_array *from, cp_array *columns,
                          cp_array *values, cp_sparse_take_job *job) {
  cp_stream *stream;
  const cp_use uses[] = {{x->starts, CP_READ}, {x->columns, CP_READ},     {x->values, CP_READ},
                         {from, CP_READ},      {columns, CP_WRITE_WHOLE}, {values, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, columns->device, 6, uses, &stream));
  cp_address_sparse(x);
  job->m = x->m;
  job->m.entries = columns->size;
  job->from = (const int64_t *)(const void *)cp_address(from);
  job->values = cp_address(x->values);
  job->columns = cp_address(columns);
  job->out = cp_address(values);
  return forms_of(columns)->take(ctx, stream, job);
}

static cp_status run_runs(cp_context *ctx, cp_sparse_matrix *x, cp_array *at, cp_array *starts,
                          cp_array *from, int64_t *entries) {
  cp_stream *stream;
  const cp_use uses[] = {
      {x->starts, CP_READ}, {at, CP_READ}, {starts, CP_WRITE_WHOLE}, {from, CP_WRITE_WHOLE}};
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_may_wait(ctx, x->starts->device));
  CP_TRY(cp_open_arrays(ctx, x->starts->device, 4, uses, &stream));
  x->m.starts = cp_address(x->starts);
  const cp_sparse_runs_job job = {.m = x->m,
                                  .at = (const int64_t *)(const void *)cp_address(at),
                                  .count = at->size,
                                  .starts = cp_address(starts),
                                  .from = (int64_t *)(void *)cp_address(from),
                                  .entries = entries};
  return forms_of(starts)->runs(ctx, stream, &job);
}

// core.sparse_runs(where, indptr, entries, at): the rows `at` (int64) of a matrix with these starts as
// core.sparse_take takes them: indptr, from and count. The count may be more than the dtype of indptr holds.
static int runs(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  int64_t entries = 0;
  lua_settop(L, 4);
  cp_take_sparse_starts(L, 2, where, &x);
  x.m.entries = cp_arg_integer(L, 3, where, "entries");
  cp_array *at = cp_take_sparse_vector(L, 4, where, "at");
  demand_forms(L, where, x.starts);
  cp_demand(L, where,
            at->dtype == CP_INT64 && at->device == x.starts->device && (at->size == 0 || x.m.rows > 0),
            "rows must be int64, on the array's device");
  cp_array *starts = cp_push_sparse_vector(L, where, x.starts, x.m.index, at->size + 1);
  cp_array *from = cp_push_sparse_vector(L, where, x.starts, CP_INT64, at->size);
  CP_CHECK(L, where, run_runs(&cp_state_get(L)->ctx, &x, at, starts, from, &entries));
  cp_push_scalar(L, cp_scalar_int(entries, CP_INT64));
  return 3;
}

// core.sparse_take(where, indptr, indices, data, from, count): runs of entries one after the other. Run r
// becomes the entries indptr[r] to indptr[r + 1] - 1 of the result, and is found at from[r] (int64) and
// behind; count: entries of the result. Returns indices and data.
static int take(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  lua_settop(L, 6);
  take_matrix(L, 2, where, INT64_MAX, &x);
  cp_array *from = cp_take_sparse_vector(L, 5, where, "from");
  int64_t count = cp_arg_integer(L, 6, where, "count");
  cp_demand(L, where, from->dtype == CP_INT64 && from->size == x.m.rows,
            "from must be int64, one for each run");
  cp_demand(L, where, count >= 0 && (count == 0 || x.m.entries > 0), "count must not be negative");
  cp_sparse_take_job job = {.source = x.m.entries, .item = cp_itemsize(x.values->dtype)};
  cp_array *columns = cp_push_sparse_vector(L, where, x.starts, x.m.index, count);
  cp_array *values = cp_push_sparse_vector(L, where, x.starts, x.values->dtype, count);
  if (count > 0) CP_CHECK(L, where, run_take(&cp_state_get(L)->ctx, &x, from, columns, values, &job));
  return 2;
}

// ---- dense matrices ---------------------------------------------------------------------------------------

static cp_status run_dense(cp_context *ctx, cp_sparse_matrix *x, cp_array *out) {
  cp_stream *stream;
  const cp_use uses[] = {
      {x->starts, CP_READ}, {x->columns, CP_READ}, {x->values, CP_READ}, {out, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, out->device, 4, uses, &stream));
  cp_address_sparse(x);
  const cp_sparse_dense_job job = {
      .m = x->m, .item = cp_itemsize(out->dtype), .values = cp_address(x->values), .out = cp_address(out)};
  return forms_of(out)->dense(ctx, stream, &job);
}

// core.sparse_dense(where, indptr, indices, data, columns): the dense matrix in C order.
static int dense(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  lua_settop(L, 5);
  take_matrix(L, 2, where, cp_arg_integer(L, 5, where, "columns"), &x);
  const int64_t shape[] = {x.m.rows, x.m.columns};
  cp_array *out = cp_push_new_array(L, where, x.starts->device, x.values->dtype, 2, shape);
  if (out->size > 0) CP_CHECK(L, where, run_dense(&cp_state_get(L)->ctx, &x, out));
  return 1;
}

// ---- rows in order ----------------------------------------------------------------------------------------

static cp_status run_tidy(cp_context *ctx, cp_sparse_matrix *x, cp_array *lengths) {
  cp_stream *stream;
  const cp_use uses[] = {
      {x->starts, CP_READ}, {x->columns, CP_WRITE}, {x->values, CP_WRITE}, {lengths, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, lengths->device, 4, uses, &stream));
  cp_address_sparse(x);
  const cp_sparse_tidy_job job = {.m = x->m,
                                  .dtype = x->values->dtype,
                                  .columns = cp_address(x->columns),
                                  .values = cp_address(x->values),
                                  .lengths = (int64_t *)(void *)cp_address(lengths)};
  return forms_of(lengths)->tidy(ctx, stream, &job);
}

// Raises an error unless a write goes to the array at this stack index itself.
static void demand_target(lua_State *L, int slot, const char *where) {
  const cp_array *x = cp_check_array(L, slot, where, "array");
  cp_demand(L, where, x->ndim == 1 && cp_array_contiguous(x, 'C') && !x->readonly,
            "what is sorted must be contiguous and writable");
}

// core.sparse_tidy(where, indptr, indices, data): sorts the entries of each row by columns in place, and sums
// those of one column. Returns for each row (int64) how many entries are left, where the row began.
static int tidy(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix x;
  lua_settop(L, 4);
  demand_target(L, 3, where);
  demand_target(L, 4, where);
  take_matrix(L, 2, where, INT64_MAX, &x);
  cp_demand_sparse_dtype(L, where, x.values->dtype);
  cp_demand(L, where, x.columns->storage != x.values->storage, "indices and data must not share memory");
  cp_array *lengths = cp_push_sparse_vector(L, where, x.starts, CP_INT64, x.m.rows);
  if (x.m.rows > 0) CP_CHECK(L, where, run_tidy(&cp_state_get(L)->ctx, &x, lengths));
  return 1;
}

// ---- two matrices -----------------------------------------------------------------------------------------

// Two matrices on the stack, and what is filled: lengths, or columns and values at places that begin at
// `starts`.
typedef struct two {
  cp_sparse_matrix a, b;
  cp_array *starts, *lengths, *columns, *out, *b_out;
} two;

// Reads a and b from stack index 2 on, of which b has `columns`, and the starts and the number of entries of
// the result at `slot`; pushes the arrays to fill.
static void take_two(lua_State *L, const char *where, int64_t columns, int slot, two *x) {
  take_matrix(L, 2, where, columns, &x->a);
  take_matrix(L, 5, where, cp_arg_integer(L, 8, where, "columns"), &x->b);
  cp_demand(L, where, x->a.m.index == x->b.m.index && x->a.values->dtype == x->b.values->dtype,
            "both matrices must have the same dtypes");
  x->starts = x->lengths = x->columns = x->out = x->b_out = NULL;
  if (lua_isnil(L, slot)) {
    x->lengths = cp_push_sparse_vector(L, where, x->a.starts, CP_INT64, x->a.m.rows);
    return;
  }
  x->starts = cp_take_sparse_vector(L, slot, where, "starts");
  const int64_t count = cp_arg_integer(L, slot + 1, where, "count");
  cp_demand(L, where, count >= 0, "count must not be negative");
  cp_demand(L, where, x->starts->dtype == x->a.m.index && x->starts->size == x->a.m.rows + 1,
            "there must be a start for each row");
  x->columns = cp_push_sparse_vector(L, where, x->a.starts, x->a.m.index, count);
  x->out = cp_push_sparse_vector(L, where, x->a.starts, x->a.values->dtype, count);
}

static cp_status open_two(cp_context *ctx, two *x, cp_stream **stream) {
  const cp_sparse_matrix *a = &x->a, *b = &x->b;
  cp_use uses[10] = {{a->starts, CP_READ}, {a->columns, CP_READ}, {a->values, CP_READ},
                     {b->starts, CP_READ}, {b->columns, CP_READ}, {b->values, CP_READ}};
  int count = 6;
  if (x->lengths != NULL) uses[count++] = (cp_use){x->lengths, CP_WRITE_WHOLE};
  if (x->starts != NULL) {
    uses[count++] = (cp_use){x->starts, CP_READ};
    uses[count++] = (cp_use){x->columns, CP_WRITE_WHOLE};
    uses[count++] = (cp_use){x->out, CP_WRITE_WHOLE};
  }
  if (x->b_out != NULL) uses[count++] = (cp_use){x->b_out, CP_WRITE_WHOLE};
  CP_TRY(cp_open_arrays(ctx, a->starts->device, count, uses, stream));
  cp_address_sparse(&x->a);
  cp_address_sparse(&x->b);
  return CP_OK;
}

static cp_status run_unite(cp_context *ctx, two *x) {
  cp_stream *stream;
  CP_TRY(open_two(ctx, x, &stream));
  const cp_sparse_union_job job = {.a = x->a.m,
                                   .b = x->b.m,
                                   .item = cp_itemsize(x->a.values->dtype),
                                   .a_values = cp_address(x->a.values),
                                   .b_values = cp_address(x->b.values),
                                   .lengths = (int64_t *)cp_address_or_null(x->lengths),
                                   .starts = cp_address_or_null(x->starts),
                                   .entries = x->columns != NULL ? x->columns->size : 0,
                                   .columns = cp_address_or_null(x->columns),
                                   .a_out = cp_address_or_null(x->out),
                                   .b_out = cp_address_or_null(x->b_out)};
  return forms_of(x->a.starts)->unite(ctx, stream, &job);
}

// core.sparse_unite(where, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, columns, starts, count):
// of two matrices whose rows ascend strictly, the number of places in each row that one of them has, int64.
// With these numbers' running sum as starts, and the whole as count: the columns of the places, and the
// values of both matrices there, 0 where there is none.
static int unite(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  two x;
  lua_settop(L, 10);
  take_two(L, where, cp_arg_integer(L, 8, where, "columns"), 9, &x);
  cp_demand(L, where, x.a.m.rows == x.b.m.rows, "both matrices must have the same rows");
  if (x.starts != NULL) x.b_out = cp_push_sparse_vector(L, where, x.out, x.out->dtype, x.out->size);
  CP_CHECK(L, where, run_unite(&cp_state_get(L)->ctx, &x));
  return lua_gettop(L) - 10;
}

// ---- results of a size that nobody knows ------------------------------------------------------------------

// The handles of a matrix that is a result: starts, columns and values.
typedef struct placing {
  cp_context *ctx;
  cp_device *device;
  int64_t rows;
  cp_dtype index, dtype; // index: of the operands
  cp_array *results[3];
  cp_array *scratch[2]; // memory for columns and values
  bool adopted;         // which are the result's
} placing;

// cp_sparse_target.place
static cp_status place(void *data, int64_t entries, cp_sparse_result *out) {
  const placing *p = data;
  out->index = entries > INT32_MAX ? CP_INT64 : p->index;
  CP_TRY(cp_allocate_sparse_vector(p->ctx, p->results[0], p->device, out->index, p->rows + 1));
  CP_TRY(cp_allocate_sparse_vector(p->ctx, p->results[1], p->device, out->index, entries));
  CP_TRY(cp_allocate_sparse_vector(p->ctx, p->results[2], p->device, p->dtype, entries));
  out->starts = cp_address(p->results[0]);
  out->columns = cp_address(p->results[1]);
  out->values = cp_address(p->results[2]);
  return CP_OK;
}

// cp_sparse_target.adopt
static cp_status adopt(void *data, int64_t entries, cp_sparse_result *out) {
  placing *p = data;
  CP_TRY(cp_allocate_sparse_vector(p->ctx, p->results[0], p->device, p->index, p->rows + 1));
  CP_TRY(cp_array_layout(p->scratch[0], p->index, 1, &entries, 'C'));
  CP_TRY(cp_array_layout(p->scratch[1], p->dtype, 1, &entries, 'C'));
  p->adopted = true;
  *out = (cp_sparse_result){.index = p->index,
                            .starts = cp_address(p->results[0]),
                            .columns = cp_address(p->scratch[0]),
                            .values = cp_address(p->scratch[1])};
  return CP_OK;
}

// Reads matrices a and b, of which b has `columns`, from stack index 2 on, and pushes the result's handles.
static placing take_operands(lua_State *L, const char *where, int64_t of_a, two *x) {
  take_matrix(L, 2, where, of_a, &x->a);
  take_matrix(L, 5, where, cp_arg_integer(L, 8, where, "columns"), &x->b);
  cp_demand(L, where, x->a.m.index == x->b.m.index && x->a.values->dtype == x->b.values->dtype,
            "both matrices must have the same dtypes");
  cp_demand_sparse_dtype(L, where, x->a.values->dtype);
  placing p = {.ctx = &cp_state_get(L)->ctx,
               .device = x->a.starts->device,
               .rows = x->a.m.rows,
               .index = x->a.m.index,
               .dtype = x->a.values->dtype};
  for (int k = 0; k < 3; k++) p.results[k] = cp_push_array(L, 1);
  return p;
}

// Where the result goes, with scratch memory, which is pushed, for `share` times the operands' entries.
static cp_sparse_target target_of(lua_State *L, const char *where, placing *p, const two *x, int64_t share) {
  const int64_t room = share * (x->a.m.entries + x->b.m.entries) + 64;
  p->scratch[0] = cp_push_sparse_vector(L, where, x->a.starts, p->index, room);
  p->scratch[1] = cp_push_sparse_vector(L, where, x->a.starts, p->dtype, room);
  return (cp_sparse_target){.place = place,
                            .adopt = adopt,
                            .data = p,
                            .columns = cp_address(p->scratch[0]),
                            .values = cp_address(p->scratch[1]),
                            .room = room};
}

// Leaves the three results on top of the stack, where the scratch memory's handles are.
static int leave_results(lua_State *L, const placing *p) {
  const int top = lua_gettop(L), first = top - 4;
  for (int k = 0; k < 2; k++) {
    if (p->adopted) {
      lua_pushvalue(L, top - 1 + k);
      lua_replace(L, first + 1 + k);
    } else {
      cp_free_scratch(L, top - 1 + k);
    }
  }
  lua_settop(L, top - 2);
  return 3;
}

static cp_status open_operands(placing *p, two *x, cp_stream **stream) {
  CP_TRY(cp_poll(p->ctx));
  CP_TRY(cp_may_wait(p->ctx, p->device));
  return open_two(p->ctx, x, stream);
}

static cp_status run_multiply(placing *p, two *x, const cp_sparse_target *target) {
  cp_stream *stream;
  CP_TRY(open_operands(p, x, &stream));
  const cp_sparse_multiply_job job = {.a = x->a.m,
                                      .b = x->b.m,
                                      .dtype = p->dtype,
                                      .a_values = cp_address(x->a.values),
                                      .b_values = cp_address(x->b.values),
                                      .target = *target};
  return forms_of(x->a.starts)->multiply(p->ctx, stream, &job);
}

// core.sparse_multiply(where, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, columns): indptr,
// indices (ascending in each row) and data of the product of two matrices.
static int multiply(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  two x = {0};
  lua_settop(L, 8);
  const cp_array *b_starts = cp_check_array(L, 5, where, "indptr");
  placing p = take_operands(L, where, b_starts->size - 1, &x);
  cp_demand(L, where, x.b.m.columns < INT64_MAX / 64, "too many columns");
  const cp_sparse_target target = target_of(L, where, &p, &x, 2);
  CP_CHECK(L, where, run_multiply(&p, &x, &target));
  return leave_results(L, &p);
}

static cp_status run_add(placing *p, two *x, cp_sparse_pairing pairing, const cp_sparse_target *target) {
  cp_stream *stream;
  CP_TRY(open_operands(p, x, &stream));
  const cp_sparse_add_job job = {.a = x->a.m,
                                 .b = x->b.m,
                                 .dtype = p->dtype,
                                 .pairing = pairing,
                                 .a_values = cp_address(x->a.values),
                                 .b_values = cp_address(x->b.values),
                                 .target = *target};
  return forms_of(x->a.starts)->add(p->ctx, stream, &job);
}

// core.sparse_add(where, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, columns, name): indptr,
// indices and data of what the operation of this name makes of two matrices whose rows ascend strictly,
// without values that are 0.
static int add(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  two x = {0};
  static const char *const names[] = {"add",  "subtract", "multiply",  "maximum", "minimum",
                                      "less", "greater",  "not_equal", NULL};
  const cp_sparse_pairing pairing = (cp_sparse_pairing)luaL_checkoption(L, 9, NULL, names);
  lua_settop(L, 9);
  placing p = take_operands(L, where, cp_arg_integer(L, 8, where, "columns"), &x);
  cp_demand(L, where, pairing < CP_SPARSE_MULTIPLY || !cp_is_complex(p.dtype), "the values must be real");
  cp_demand(L, where, x.a.m.rows == x.b.m.rows, "both matrices must have the same rows");
  const cp_sparse_target target = target_of(L, where, &p, &x, 1);
  CP_CHECK(L, where, run_add(&p, &x, pairing, &target));
  return leave_results(L, &p);
}

void cp_open_sparse_forms(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_forms", has_forms}, {"sparse_group", group},
                                       {"sparse_runs", runs},       {"sparse_take", take},
                                       {"sparse_dense", dense},     {"sparse_tidy", tidy},
                                       {"sparse_unite", unite},     {"sparse_multiply", multiply},
                                       {"sparse_add", add},         {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
