// Products of two sparse matrices by tiles for the Lua side (lua/cupola/scipy/sparse/products.lua): functions
// of the table core, on devices whose core.sparse_room is not 0. Positions are vectors of one dtype, int32 or
// int64, that count from 0; results are new arrays.
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/routines/sparse.h"
#include "lua/values/handle.h"

// The operands and results of one call.
typedef struct expanding {
  cp_sparse_matrix a, b;
  cp_array *products, *first_rows;
  cp_array *lengths, *starts, *columns, *out; // either the first, or the others
} expanding;

static void take_operand(lua_State *L, int slot, const char *where, int64_t columns, cp_sparse_matrix *x) {
  cp_take_sparse_starts(L, slot, where, x);
  cp_take_sparse_columns(L, slot + 1, where, columns, x);
  x->values = cp_take_sparse_vector(L, slot + 2, where, "data");
  cp_demand_sparse_dtype(L, where, x->values->dtype);
  cp_demand(L, where, x->values->size == x->m.entries, "data and indices must be equally long");
}

static void take_operands(lua_State *L, const char *where, expanding *x) {
  cp_take_sparse_starts(L, 5, where, &x->b);
  take_operand(L, 2, where, x->b.m.rows, &x->a);
  take_operand(L, 5, where, cp_arg_integer(L, 8, where, "columns"), &x->b);
  cp_demand(L, where, x->a.m.index == x->b.m.index && x->a.values->dtype == x->b.values->dtype,
            "both matrices must have the same dtypes");
  cp_demand(L, where, x->a.m.entries > 0 && x->b.m.entries > 0, "both matrices must have entries");
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

static void *address_of(const cp_array *x) { return x != NULL ? cp_address(x) : NULL; }

static cp_status run_expand(cp_context *ctx, expanding *x) {
  cp_stream *stream;
  cp_sparse_matrix *a = &x->a, *b = &x->b;
  cp_use uses[11] = {{a->starts, CP_READ},   {a->columns, CP_READ},   {a->values, CP_READ},
                     {b->starts, CP_READ},   {b->columns, CP_READ},   {b->values, CP_READ},
                     {x->products, CP_READ}, {x->first_rows, CP_READ}};
  int count = 8;
  if (x->lengths != NULL) uses[count++] = (cp_use){x->lengths, CP_WRITE_WHOLE};
  if (x->starts != NULL) {
    uses[count++] = (cp_use){x->starts, CP_READ};
    uses[count++] = (cp_use){x->columns, CP_WRITE_WHOLE};
    uses[count++] = (cp_use){x->out, CP_WRITE_WHOLE};
  }
  CP_TRY(cp_open_arrays(ctx, a->starts->device, count, uses, &stream));
  a->m.starts = cp_address(a->starts);
  a->m.columns_of = cp_address(a->columns);
  b->m.starts = cp_address(b->starts);
  b->m.columns_of = cp_address(b->columns);
  const cp_sparse_expand_job job = {.a = a->m,
                                    .b = b->m,
                                    .dtype = a->values->dtype,
                                    .a_values = cp_address(a->values),
                                    .b_values = cp_address(b->values),
                                    .products = (const int64_t *)address_of(x->products),
                                    .tiles = x->first_rows->size - 1,
                                    .first_rows = (const int64_t *)address_of(x->first_rows),
                                    .lengths = (int64_t *)address_of(x->lengths),
                                    .starts = address_of(x->starts),
                                    .entries = x->columns != NULL ? x->columns->size : 0,
                                    .columns = address_of(x->columns),
                                    .out = address_of(x->out)};
  return a->starts->device->ops->sparse->expand(ctx, stream, &job);
}

// core.sparse_expand(where, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, columns, products,
// first_rows, starts, count): of the product of two matrices the number of places in each row, int64. With
// these numbers' running sum as starts, and the whole as count: the columns of the places, and the values.
// products: of b's rows before each entry of a; first_rows: of tiles that have at most core.sparse_room of
// them, both int64 and with the end.
static int expand(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  expanding x = {0};
  lua_settop(L, 12);
  take_operands(L, where, &x);
  cp_demand(L, where, x.a.starts->device->ops->sparse->expand != NULL, "the device has no such tiles");
  push_results(L, where, &x);
  CP_CHECK(L, where, run_expand(&cp_state_get(L)->ctx, &x));
  return lua_gettop(L) - 12;
}

// core.sparse_room(where, x): the products that a tile of core.sparse_expand may have for values of the dtype
// and on the device of the array x; 0: it has no tiles.
static int room(lua_State *L) {
  const cp_array *x = cp_check_array(L, 2, luaL_checkstring(L, 1), "data");
  const cp_sparse_ops *ops = x->device->ops->sparse;
  cp_push_scalar(L, cp_scalar_int(ops->room != NULL ? ops->room(x->dtype) : 0, CP_INT64));
  return 1;
}

void cp_open_sparse_expand(lua_State *L) {
  static const luaL_Reg functions[] = {{"sparse_expand", expand}, {"sparse_room", room}, {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
