// Matrices that follow a diagonal: eye, identity, tri, tril and triu. They test an index node (the distance
// from the diagonal), which takes no memory, so one kernel writes the result.
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/creation/create.h"
#include "lua/values/handle.h"

// j - i - k at row i and column j (from 0) of a matrix: 0 on diagonal k, positive above it.
static cp_status distance(cp_device *device, int64_t rows, int64_t columns, int64_t k, cp_node **out) {
  int64_t shape[2] = {rows, columns}, steps[2] = {-1, 1};
  if (k > columns) k = columns; // beyond the corners nothing changes
  if (k < -rows) k = -rows;
  return cp_node_index(device, 2, shape, -k, steps, out);
}

// test(distance, 0), converted to dtype.
static cp_status diagonal_test(cp_op test, cp_device *device, const int64_t *shape, int64_t k, cp_dtype dtype,
                               cp_node **out) {
  CP_TRY(distance(device, shape[0], shape[1], k, out));
  CP_TRY(cp_with_scalar(test, out, cp_scalar_int(0, CP_INT64)));
  return cp_converted(out, dtype);
}

// The matrix to make, and the number of its diagonal.
typedef struct matrix {
  int64_t shape[2], k;
  cp_dtype dtype;
  char order;
  cp_device *device;
} matrix;

static int push_test(lua_State *L, const char *where, cp_op test, const matrix *m) {
  cp_node *root = NULL;
  cp_array *a = cp_push_array(L, 2);
  CP_CHECK(L, where, diagonal_test(test, m->device, m->shape, m->k, m->dtype, &root));
  cp_node_set_order(root, m->order);
  CP_CHECK(L, where, cp_give(a, root));
  return 1;
}

// eye(N, M = N, k = 0, dtype, order = "C", device): ones on diagonal k (above the main one if positive),
// zeros elsewhere.
CP_SIGNATURE(eye, 1, "N", "M", "k", "dtype", "order", "device");
static int eye(lua_State *L) {
  cp_arguments(L, &eye_signature);
  matrix m = {.shape = {cp_arg_length(L, 1, "eye", "N", -1)}};
  m.k = cp_arg_integer_or(L, 3, "eye", "k", 0);
  m.shape[1] = cp_arg_length(L, 2, "eye", "M", m.shape[0]);
  m.dtype = cp_arg_dtype_or(L, 4, "eye", cp_default_dtype(L));
  m.order = cp_arg_order(L, 5, "eye", "CF", 'C', NULL);
  m.device = cp_arg_device(L, 6, "eye");
  return push_test(L, "eye", CP_OP_equal, &m);
}

// identity(n, dtype, device): the square matrix with ones on the main diagonal.
CP_SIGNATURE(identity, 1, "n", "dtype", "device");
static int identity(lua_State *L) {
  cp_arguments(L, &identity_signature);
  int64_t n = cp_arg_length(L, 1, "identity", "n", -1);
  matrix m = {.shape = {n, n}, .order = 'C'};
  m.dtype = cp_arg_dtype_or(L, 2, "identity", cp_default_dtype(L));
  m.device = cp_arg_device(L, 3, "identity");
  return push_test(L, "identity", CP_OP_equal, &m);
}

// A length for tri, which takes a negative one as 0.
static int64_t rows_of_tri(lua_State *L, int slot, const char *argument, int64_t missing) {
  int64_t n = lua_isnil(L, slot) && missing >= 0 ? missing : cp_arg_integer(L, slot, "tri", argument);
  return n < 0 ? 0 : n;
}

// tri(N, M = N, k = 0, dtype, device): ones on and below diagonal k, zeros elsewhere.
CP_SIGNATURE(tri, 1, "N", "M", "k", "dtype", "device");
static int tri(lua_State *L) {
  cp_arguments(L, &tri_signature);
  matrix m = {.shape = {rows_of_tri(L, 1, "N", -1)}, .order = 'C'};
  m.k = cp_arg_integer_or(L, 3, "tri", "k", 0);
  m.shape[1] = rows_of_tri(L, 2, "M", m.shape[0]);
  m.dtype = cp_arg_dtype_or(L, 4, "tri", cp_default_dtype(L));
  m.device = cp_arg_device(L, 5, "tri");
  return push_test(L, "tri", CP_OP_less_equal, &m);
}

// where(test(distance), m, 0): the elements of m on one side of diagonal k, zeros on the other.
static cp_status triangle(cp_op test, cp_array *m, int64_t k, cp_node **out) {
  int64_t last = m->shape[m->ndim - 1], shape[2] = {m->ndim > 1 ? m->shape[m->ndim - 2] : last, last};
  cp_node *args[3] = {NULL, NULL, NULL};
  cp_status status = diagonal_test(test, m->device, shape, k, CP_BOOL, &args[0]);
  if (status == CP_OK) status = cp_array_node(m, &args[1]);
  if (status == CP_OK)
    status = cp_node_scalar(cp_scalar_cast(cp_scalar_int(0, CP_INT64), m->dtype), &args[2]);
  if (status == CP_OK) return cp_node_op(CP_OP_where, args, out);
  cp_node_release(args[0]);
  cp_node_release(args[1]);
  return status;
}

static int push_triangle(lua_State *L, const cp_signature *s, cp_op test) {
  cp_node *root = NULL;
  cp_arguments(L, s);
  cp_array *m = cp_take_value(L, 1, s->where, "m");
  int64_t k = cp_arg_integer_or(L, 2, s->where, "k", 0);
  if (m->ndim == 0) return cp_raise(L, s->where, CP_ESHAPE, "m must have at least one axis");
  cp_array *a = cp_push_array(L, m->ndim > 2 ? m->ndim : 2);
  CP_CHECK(L, s->where, cp_bound_operands(&cp_state_get(L)->ctx, 1, &m, NULL));
  CP_CHECK(L, s->where, triangle(test, m, k, &root));
  CP_CHECK(L, s->where, cp_give(a, root));
  return 1;
}

// tril(m, k = 0), triu(m, k = 0): m with zeros above (tril) or below (triu) diagonal k of its last two axes.
CP_SIGNATURE(tril, 1, "m", "k");
static int tril(lua_State *L) { return push_triangle(L, &tril_signature, CP_OP_less_equal); }
CP_SIGNATURE(triu, 1, "m", "k");
static int triu(lua_State *L) { return push_triangle(L, &triu_signature, CP_OP_greater_equal); }

void cp_open_triangle(lua_State *L) {
  static const luaL_Reg functions[] = {{"eye", eye}, {"identity", identity}, {"tri", tri}, {NULL, NULL}};
  static const luaL_Reg both[] = {{"tril", tril}, {"triu", triu}, {NULL, NULL}};
  cp_put_functions(L, 2, functions);
  cp_put_functions(L, 2, both);
  cp_put_functions(L, 3, both);
}
