// Products and unions of two sparse matrices for the Lua side (lua/cupola/scipy/sparse): functions of the
// table core, products on devices whose core.sparse_room is not 0, and unions where core.sparse_meets is
// true. Positions are vectors of one dtype, int32 or int64, that count from 0; results are new arrays.
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/routines/sparse.h"
#include "lua/values/handle.h"

// The operands and results of one call.
typedef struct expanding {
  cp_sparse_matrix a, b;
  cp_array *products, *first_rows; // or NULL, and
  int64_t longest;
  cp_array *chosen;                           // or NULL
  cp_array *lengths, *starts, *columns, *out; // either the first, or the others
} expanding;

static void demand_alike(lua_State *L, const char *where, const cp_sparse_matrix *a,
                         const cp_sparse_matrix *b) {
  cp_demand(L, where, a->m.index == b->m.index && a->values->dtype == b->values->dtype,
            "both matrices must have the same dtypes");
}

static void take_operands(lua_State *L, const char *where, expanding *x) {
  cp_take_sparse_starts(L, 5, where, &x->b);
  cp_take_sparse_operand(L, 2, where, x->b.m.rows, &x->a);
  cp_take_sparse_operand(L, 5, where, cp_arg_integer(L, 8, where, "columns"), &x->b);
  demand_alike(L, where, &x->a, &x->b);
  cp_demand_sparse_dtype(L, where, x->a.values->dtype);
  cp_demand(L, where, x->a.m.entries > 0 && x->b.m.entries > 0, "both matrices must have entries");
  cp_demand(L, where, x->a.starts->device->ops->sparse->expand != NULL, "the device has no such product");
}

// Reads what the product of all rows is made of.
static void take_tiles(lua_State *L, const char *where, expanding *x) {
  if (lua_isnil(L, 9)) {
    x->longest = cp_arg_integer(L, 13, where, "longest");
    cp_demand(L, where, x->longest >= 0 && x->longest <= CP_SPARSE_MERGED, "a row of A is too long");
    return;
  }
  x->products = cp_take_sparse_vector(L, 9, where, "products");
  x->first_rows = cp_take_sparse_vector(L, 10, where, "first_rows");
  cp_demand(L, where, x->products->dtype == CP_INT64 && x->products->size == x->a.m.entries + 1,
            "there must be an int64 for each entry");
  cp_demand(L, where, x->first_rows->dtype == CP_INT64 && x->first_rows->size > 1,
            "there must be an int64 for each tile");
}

// Pushes what the call fills.
static void push_results(lua_State *L, const char *where, expanding *x) {
  cp_device *device = x->a.starts->device;
  if (lua_isnil(L, 11)) {
    x->lengths = cp_push_new_array(L, where, device, CP_INT64, 1, &x->a.m.rows);
    return;
  }
  const int64_t count = cp_arg_integer(L, 12, where, "count");
  x->starts = cp_take_sparse_vector(L, 11, where, "starts");
  cp_demand(L, where, count >= 0, "count must not be negative");
  cp_demand(L, where, x->starts->dtype == x->a.m.index && x->starts->size == x->a.m.rows + 1,
            "there must be a start for each row");
  x->columns = cp_push_new_array(L, where, device, x->a.m.index, 1, &count);
  x->out = cp_push_new_array(L, where, device, x->a.values->dtype, 1, &count);
}

static cp_status run_expand(cp_context *ctx, expanding *x) {
  cp_stream *stream;
  cp_sparse_matrix *a = &x->a, *b = &x->b;
  cp_use uses[11] = {{a->starts, CP_READ}, {a->columns, CP_READ}, {a->values, CP_READ},
                     {b->starts, CP_READ}, {b->columns, CP_READ}, {b->values, CP_READ}};
  int count = 6;
  if (x->products != NULL) {
    uses[count++] = (cp_use){x->products, CP_READ};
    uses[count++] = (cp_use){x->first_rows, CP_READ};
  }
  // chosen rows are written beside others
  const cp_use_kind write = x->chosen != NULL ? CP_WRITE : CP_WRITE_WHOLE;
  if (x->chosen != NULL) uses[count++] = (cp_use){x->chosen, CP_READ};
  if (x->lengths != NULL) uses[count++] = (cp_use){x->lengths, write};
  if (x->starts != NULL) {
    uses[count++] = (cp_use){x->starts, CP_READ};
    uses[count++] = (cp_use){x->columns, write};
    uses[count++] = (cp_use){x->out, write};
  }
  CP_TRY(cp_open_arrays(ctx, a->starts->device, count, uses, &stream));
  cp_address_sparse(a);
  cp_address_sparse(b);
  const cp_sparse_expand_job job = {.a = a->m,
                                    .b = b->m,
                                    .dtype = a->values->dtype,
                                    .a_values = cp_address(a->values),
                                    .b_values = cp_address(b->values),
                                    .products = (const int64_t *)cp_address_or_null(x->products),
                                    .longest = x->longest,
                                    .tiles = x->first_rows != NULL ? x->first_rows->size - 1 : 0,
                                    .first_rows = (const int64_t *)cp_address_or_null(x->first_rows),
                                    .chosen = (const int64_t *)cp_address_or_null(x->chosen),
                                    .many = x->chosen != NULL ? x->chosen->size : 0,
                                    .lengths = (int64_t *)cp_address_or_null(x->lengths),
                                    .starts = cp_address_or_null(x->starts),
                                    .entries = x->columns != NULL ? x->columns->size : 0,
                                    .columns = cp_address_or_null(x->columns),
                                    .out = cp_address_or_null(x->out)};
  return a->starts->device->ops->sparse->expand(ctx, stream, &job);
}

// core.sparse_expand(where, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, columns, products,
// first_rows, starts, count, longest): of the product of two matrices the number of places in each row,
// int64. With these numbers' running sum as starts, and the whole as count: the columns of the places, and
// the values. products: of b's rows before each entry of a; first_rows: of tiles that have at most
// core.sparse_room of them, both int64 and with the end. Without these two b's rows must ascend strictly,
// and those of a have at most `longest` entries, within the second result of core.sparse_room.
static int expand(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  expanding x = {0};
  lua_settop(L, 13);
  take_operands(L, where, &x);
  take_tiles(L, where, &x);
  push_results(L, where, &x);
  CP_CHECK(L, where, run_expand(&cp_state_get(L)->ctx, &x));
  return lua_gettop(L) - 13;
}

// core.sparse_expand_rows(where, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, columns, rows,
// lengths, starts, indices, data): the same for some rows (int64 from 0, each once), which may be of any
// length, in the results of core.sparse_expand: either lengths, or the others. b's rows must ascend strictly.
static int expand_rows(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  expanding x = {0};
  lua_settop(L, 13);
  take_operands(L, where, &x);
  const cp_array *a = x.a.starts;
  x.chosen = cp_take_sparse_vector(L, 9, where, "rows");
  cp_demand(L, where, x.chosen->dtype == CP_INT64 && x.chosen->size > 0, "rows must be int64");
  if (lua_isnil(L, 11)) {
    x.lengths = cp_take_sparse_vector(L, 10, where, "lengths");
    cp_demand(L, where, x.lengths->dtype == CP_INT64 && x.lengths->size == x.a.m.rows,
              "there must be an int64 for each row");
  } else {
    x.starts = cp_take_sparse_vector(L, 11, where, "starts");
    x.columns = cp_take_sparse_vector(L, 12, where, "indices");
    x.out = cp_take_sparse_vector(L, 13, where, "data");
    cp_demand(L, where,
              x.starts->dtype == a->dtype && x.starts->size == a->size && x.columns->dtype == a->dtype &&
                  x.out->dtype == x.a.values->dtype && x.out->size == x.columns->size,
              "starts, indices and data must be those of the product");
  }
  CP_CHECK(L, where, run_expand(&cp_state_get(L)->ctx, &x));
  return 0;
}

// core.sparse_room(where, x): the products that a tile of core.sparse_expand may have for values of the
// dtype and on the device of the array x, and the entries of a row without tiles; 0: the device has no such
// product.
static int room(lua_State *L) {
  const cp_array *x = cp_check_array(L, 2, luaL_checkstring(L, 1), "data");
  const cp_sparse_ops *ops = x->device->ops->sparse;
  cp_push_scalar(L, cp_scalar_int(ops->room != NULL ? ops->room(x->dtype) : 0, CP_INT64));
  cp_push_scalar(L, cp_scalar_int(ops->room != NULL ? CP_SPARSE_MERGED : 0, CP_INT64));
  return 2;
}

// ---- unions -----------------------------------------------------------------------------------------------

// The operands and results of one call: either `met`, or the others.
typedef struct meeting {
  cp_sparse_matrix a, b;
  cp_array *met, *met_before, *starts, *columns, *a_out, *b_out;
  cp_array *zero; // of sums
  bool subtract;
} meeting;

static cp_status run_meet(cp_context *ctx, meeting *x) {
  cp_stream *stream;
  cp_sparse_matrix *a = &x->a, *b = &x->b;
  cp_use uses[11] = {{a->starts, CP_READ}, {a->columns, CP_READ}, {a->values, CP_READ},
                     {b->starts, CP_READ}, {b->columns, CP_READ}, {b->values, CP_READ}};
  int count = 6;
  if (x->met != NULL) {
    uses[count++] = (cp_use){x->met, CP_WRITE_WHOLE};
  } else {
    uses[count++] = (cp_use){x->met_before, CP_READ};
    uses[count++] = (cp_use){x->starts, CP_WRITE_WHOLE};
    uses[count++] = (cp_use){x->columns, CP_WRITE_WHOLE};
    uses[count++] = (cp_use){x->a_out, CP_WRITE_WHOLE};
    uses[count++] = x->zero != NULL ? (cp_use){x->zero, CP_WRITE} : (cp_use){x->b_out, CP_WRITE_WHOLE};
  }
  CP_TRY(cp_open_arrays(ctx, a->starts->device, count, uses, &stream));
  cp_address_sparse(a);
  cp_address_sparse(b);
  const cp_sparse_meet_job job = {.a = a->m,
                                  .b = b->m,
                                  .met = (bool *)cp_address_or_null(x->met),
                                  .met_before = cp_address_or_null(x->met_before),
                                  .dtype = a->values->dtype,
                                  .a_values = cp_address(a->values),
                                  .b_values = cp_address(b->values),
                                  .entries = x->columns != NULL ? x->columns->size : 0,
                                  .starts = cp_address_or_null(x->starts),
                                  .columns = cp_address_or_null(x->columns),
                                  .a_out = cp_address_or_null(x->a_out),
                                  .b_out = cp_address_or_null(x->b_out),
                                  .zero = (bool *)cp_address_or_null(x->zero),
                                  .subtract = x->subtract};
  return a->starts->device->ops->sparse->meet(ctx, stream, &job);
}

static void push_union(lua_State *L, const char *where, meeting *x) {
  cp_device *device = x->a.starts->device;
  if (lua_isnil(L, 9)) {
    x->met = cp_push_new_array(L, where, device, CP_BOOL, 1, &x->a.m.entries);
    return;
  }
  const int64_t starts = x->a.m.rows + 1, count = cp_arg_integer(L, 10, where, "count");
  x->met_before = cp_take_sparse_vector(L, 9, where, "met_before");
  cp_demand(L, where, count >= 0, "count must not be negative");
  cp_demand(L, where, x->met_before->dtype == x->a.m.index && x->met_before->size == x->a.m.entries,
            "there must be a number for each entry");
  x->starts = cp_push_new_array(L, where, device, x->a.m.index, 1, &starts);
  x->columns = cp_push_new_array(L, where, device, x->a.m.index, 1, &count);
  x->a_out = cp_push_new_array(L, where, device, x->a.values->dtype, 1, &count);
  if (lua_isnil(L, 11)) {
    x->b_out = cp_push_new_array(L, where, device, x->a.values->dtype, 1, &count);
    return;
  }
  cp_demand_sparse_dtype(L, where, x->a.values->dtype);
  x->subtract = cp_arg_boolean_or(L, 11, where, "subtract", false);
  x->zero = cp_take_sparse_vector(L, 12, where, "zero");
  cp_demand(L, where, x->zero->dtype == CP_BOOL && x->zero->size == 1, "zero must be one bool");
}

// core.sparse_meet(where, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, columns, met_before,
// count, subtract, zero): of two matrices whose rows ascend strictly, for each of a's entries whether b has
// its place. With the running sum of this, in the dtype of indptr, and the number of places that one of them
// has: these places' starts and columns, and the values of both matrices there, 0 where there is none; or, if
// subtract is a boolean, the sums or differences of these, and `zero`, a bool, becomes true if one is 0.
static int meet(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  meeting x = {0};
  lua_settop(L, 12);
  const int64_t columns = cp_arg_integer(L, 8, where, "columns");
  cp_take_sparse_operand(L, 2, where, columns, &x.a);
  cp_take_sparse_operand(L, 5, where, columns, &x.b);
  demand_alike(L, where, &x.a, &x.b);
  cp_demand(L, where, x.a.m.rows == x.b.m.rows, "both matrices must have the same rows");
  cp_demand(L, where, x.a.starts->device->ops->sparse->meet != NULL, "the device merges rows instead");
  push_union(L, where, &x);
  CP_CHECK(L, where, run_meet(&cp_state_get(L)->ctx, &x));
  return lua_gettop(L) - 12;
}

// core.sparse_meets(x): whether the device of the array x has core.sparse_meet and core.sparse_turn.
static int meets(lua_State *L) {
  const cp_sparse_ops *ops = cp_check_array(L, 1, "sparse", "x")->device->ops->sparse;
  lua_pushboolean(L, ops->meet != NULL && ops->turn != NULL);
  return 1;
}

// ---- the other axis ---------------------------------------------------------------------------------------

// The results of core.sparse_turn: starts, rows, values; and the scratch memory, if there is any.
typedef struct turning {
  cp_sparse_matrix a;
  cp_array *out[3], *scratch;
} turning;

static cp_status run_turn(cp_context *ctx, turning *x, cp_sparse_turn_job *job) {
  cp_stream *stream;
  cp_sparse_matrix *a = &x->a;
  const cp_use uses[] = {{a->starts, CP_READ},        {a->columns, CP_READ},
                         {a->values, CP_READ},        {x->out[0], CP_WRITE_WHOLE},
                         {x->out[1], CP_WRITE_WHOLE}, {x->out[2], CP_WRITE_WHOLE},
                         {x->scratch, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, a->starts->device, x->scratch != NULL ? 7 : 6, uses, &stream));
  cp_address_sparse(a);
  job->m = a->m;
  job->values = cp_address(a->values);
  job->starts = cp_address(x->out[0]);
  job->rows = cp_address(x->out[1]);
  job->out = cp_address(x->out[2]);
  job->scratch = cp_address_or_null(x->scratch);
  return a->starts->device->ops->sparse->turn(ctx, stream, job);
}

// core.sparse_turn(where, indptr, indices, data, columns): the entries of a matrix by columns: where each
// column begins, and the rows and values.
static int turn(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  turning x = {0};
  lua_settop(L, 5);
  const int64_t columns = cp_arg_integer(L, 5, where, "columns"), starts = columns + 1;
  cp_take_sparse_operand(L, 2, where, columns, &x.a);
  cp_device *device = x.a.starts->device;
  const cp_sparse_ops *ops = device->ops->sparse;
  cp_demand(L, where, ops->turn != NULL && columns > 0 && x.a.m.entries > 0 && x.a.m.rows > 0,
            "the device groups entries instead");
  cp_sparse_turn_job job = {.m = x.a.m, .item = cp_itemsize(x.a.values->dtype)};
  const size_t bytes = ops->turn_scratch(device, &job);
  cp_push_scratch(L, where, device, bytes);
  x.scratch = bytes > 0 ? cp_test_array(L, 6) : NULL;
  x.out[0] = cp_push_new_array(L, where, device, x.a.m.index, 1, &starts);
  x.out[1] = cp_push_new_array(L, where, device, x.a.m.index, 1, &x.a.m.entries);
  x.out[2] = cp_push_new_array(L, where, device, x.a.values->dtype, 1, &x.a.m.entries);
  CP_CHECK(L, where, run_turn(&cp_state_get(L)->ctx, &x, &job));
  cp_free_scratch(L, 6);
  return 3;
}

void cp_open_sparse_expand(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_expand", expand},
                                       {"sparse_expand_rows", expand_rows},
                                       {"sparse_room", room},
                                       {"sparse_meet", meet},
                                       {"sparse_meets", meets},
                                       {"sparse_turn", turn},
                                       {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
