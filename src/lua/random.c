// Draws of random numbers as pending values: elementwise operations on the position of each element, see kernels/prelude/philox.h.
#include "lua/module.h"

#include <string.h>

static cp_op op_of(lua_State *L, int index) {
  static const struct {
    const char *name;
    cp_op op;
  } draws[] = {
      {"uniform", CP_OP_random_uniform}, {"normal", CP_OP_random_normal}, {"integer", CP_OP_random_integer}};
  const char *name = luaL_checkstring(L, index);
  for (size_t k = 0; k < sizeof draws / sizeof *draws; k++)
    if (strcmp(draws[k].name, name) == 0) return draws[k].op;
  luaL_error(L, "no draw %s", name);
  return CP_NOPS;
}

// The positions 0, 1, ... in C order over the shape.
static cp_status position_node(cp_device *device, int ndim, const int64_t *shape, cp_node **out) {
  int64_t steps[CP_MAXDIM];
  cp_contiguous_strides(ndim, shape, 1, 'C', steps);
  return cp_node_index(device, ndim, shape, 0, steps, out);
}

static cp_status draw_node(cp_op op, cp_node *positions, cp_scalar scale, uint64_t seed, uint64_t call,
                           cp_node **out) {
  cp_node *args[4] = {NULL, positions, NULL, NULL};
  cp_status status = cp_node_scalar(scale, &args[0]);
  if (status == CP_OK) status = cp_node_scalar(cp_scalar_int((int64_t)seed, CP_INT64), &args[2]);
  if (status == CP_OK) status = cp_node_scalar(cp_scalar_int((int64_t)call, CP_INT64), &args[3]);
  if (status == CP_OK) return cp_node_op(op, args, out);
  for (int k = 0; k < 4; k++) cp_node_release(args[k]);
  return status;
}

// core.draw(where, kind, shape, dtype, scale, seed_high, seed_low, call, device): a pending array of scale times a draw of the kind ("uniform", "normal"), or
// of "integer"s below scale. The seed is two whole numbers below 2^32, call one below 2^53. shape nil: one element, 0-d.
static int draw(lua_State *L) {
  int64_t shape[CP_MAXDIM];
  const char *where = luaL_checkstring(L, 1);
  cp_op op = op_of(L, 2);
  int ndim = lua_isnil(L, 3) ? 0 : cp_arg_shape(L, 3, where, "size", shape);
  cp_dtype t = cp_arg_dtype(L, 4, where);
  uint64_t seed = (uint64_t)luaL_checknumber(L, 6) << 32 | (uint64_t)luaL_checknumber(L, 7);
  uint64_t call = (uint64_t)luaL_checknumber(L, 8);
  cp_device *device = cp_arg_device(L, 9, where);
  cp_scalar scale;
  char kind;
  bool weak;
  if (!cp_to_scalar(L, 5, &scale, &kind, &weak)) return luaL_error(L, "no scale");
  cp_array *a = cp_push_array(L, ndim);
  cp_node *node = NULL;
  CP_CHECK(L, where, position_node(device, ndim, shape, &node));
  CP_CHECK(L, where, draw_node(op, node, cp_scalar_cast(scale, t), seed, call, &node));
  CP_CHECK(L, where, cp_give(a, node));
  return 1;
}

void cp_open_random(lua_State *L) {
  static const luaL_Reg core[] = {{"draw", draw}, {NULL, NULL}};
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core, 0);
  lua_pop(L, 1);
}
