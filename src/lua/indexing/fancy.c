// x[index] and x[index] = v for an index with arrays, and what the Lua side needs of it.
//
// One mask alone has ways of its own: what it reads is a pending value (lazy/mask.h), and numbers, and values that were read by the same mask, are
// written by one elementwise kernel over the whole array. Everything else is a lookup by arrays of positions, which masks are turned into.
#include "lua/indexing/choose.h"

#include "lua/conversion/convert.h"
#include "lua/indexing/view.h"

#include <string.h>

// ---- lookups ------------------------------------------------------------------------------------------------------

// Adds the mask as arrays of positions: of one axis where the axes that it covers lie like one.
static void add_mask(lua_State *L, cp_selection *c, cp_lookup_call *call, int which) {
  cp_array *mask = c->arrays[which].array;
  int first = c->arrays[which].first, n = mask->ndim > 0 ? mask->ndim : 1;
  const int64_t *shape = c->all->shape + c->place + first, *strides = c->all->strides + c->place + first;
  int64_t size = mask->size, stride;
  cp_array_local local;
  cp_array *flat = cp_array_local_init(&local);
  cp_need(L, c->where, mask);
  bool one = size > 0 && cp_array_contiguous(mask, 'C') && // without elements its axes may have other lengths
             cp_reshape_strides(n, shape, strides, 1, &size, cp_itemsize(c->all->dtype), &stride);
  if (one) {
    cp_view_start(flat, mask);
    cp_view_axis(flat, size, 1);
    mask = cp_push_view(L, flat);
  }
  cp_array *positions = cp_push_mask_positions(L, c->where, mask, false);
  for (int k = 0; k < (one ? 1 : n); k++) {
    cp_array *row = cp_push_view(L, positions);
    row->ndim = 1;
    row->offset += k * positions->strides[0];
    row->shape[0] = row->size = positions->shape[1];
    row->strides[0] = positions->strides[1];
    cp_lookup_add(call, row, one ? size : shape[k], one ? stride : strides[k], c->axes[first + k]);
  }
}

static void add_arrays(lua_State *L, cp_selection *c, cp_lookup_call *call) {
  luaL_checkstack(L, 6 * CP_MAXDIM + 8, "too many arrays");
  for (int k = 0; k < c->narrays; k++) {
    int at = c->place + c->arrays[k].first;
    if (c->arrays[k].array->dtype == CP_BOOL)
      add_mask(L, c, call, k);
    else
      cp_lookup_add(call, c->arrays[k].array, c->all->shape[at], c->all->strides[at],
                    c->axes[c->arrays[k].first]);
  }
}

// The shape that the arrays of positions have together.
static int common_shape(lua_State *L, const cp_lookup_call *call, int64_t *shape) {
  char so_far[CP_SHAPE_TEXT], other[CP_SHAPE_TEXT];
  int ndim = 0;
  for (int k = 0; k < call->l.count; k++) {
    const cp_array *p = call->positions[k];
    if (!cp_broadcast(&ndim, shape, p->ndim, p->shape))
      cp_raise(L, call->l.where, CP_EINDEX, "index arrays of shapes %s and %s do not broadcast",
               cp_shape_text(ndim, shape, so_far), cp_shape_text(p->ndim, p->shape, other));
  }
  return ndim;
}

// Sets shape and strides of the lookup: the kept axes, and in their place those of the positions.
static void lay_out(lua_State *L, const cp_selection *c, cp_lookup_call *call) {
  cp_lookup *l = &call->l;
  int64_t shape[CP_MAXDIM];
  int n = common_shape(L, call, shape);
  l->ndim = c->kept->ndim + n;
  if (l->ndim > CP_MAXDIM)
    cp_raise(L, c->where, CP_ESHAPE, "the result would have more than %d axes", CP_MAXDIM);
  for (int k = 0; k < c->kept->ndim; k++) {
    int d = k < c->place ? k : k + n;
    l->shape[d] = c->kept->shape[k];
    l->base_strides[d] = c->kept->strides[k];
    for (int j = 0; j < l->count; j++) l->positions[j].strides[d] = 0;
  }
  for (int k = 0; k < n; k++) {
    l->shape[c->place + k] = shape[k];
    l->base_strides[c->place + k] = 0;
  }
  for (int j = 0; j < l->count; j++) {
    const cp_array *p = call->positions[j];
    cp_broadcast_strides(n, shape, p->ndim, p->shape, p->strides, l->positions[j].strides + c->place);
  }
  CP_CHECK(L, c->where, cp_shape_size(l->ndim, l->shape, cp_itemsize(c->all->dtype), &l->size));
}

// A mask alone chooses each of its elements once.
static void begin_lookup(lua_State *L, cp_selection *c, cp_lookup_call *call, cp_lookup_kind kind,
                         bool distinct) {
  cp_lookup_begin(call, c->where, kind, distinct || c->single_mask);
  add_arrays(L, c, call);
  cp_lookup_settle(L, call, kind == CP_LOOKUP_READ ? NULL : c->all);
  lay_out(L, c, call);
}

static void read_by_lookup(lua_State *L, cp_selection *c) {
  cp_lookup_call call;
  begin_lookup(L, c, &call, CP_LOOKUP_READ, false);
  cp_array *out = cp_push_new_array(L, c->where, c->all->device, c->all->dtype, call.l.ndim, call.l.shape);
  memcpy(call.l.value_strides, out->strides, (size_t)out->ndim * sizeof *out->strides);
  cp_lookup_run(L, &call, c->all, out);
}

// The strides by which v is read in the lookup's shape; leading axes of length 1 that v has beyond it are no harm (NumPy's rule).
static void lay_values(lua_State *L, cp_lookup *l, const cp_array *v) {
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  int extra = 0, ndim = l->ndim;
  int64_t shape[CP_MAXDIM];
  while (v->ndim - extra > l->ndim && v->shape[extra] == 1) extra++;
  memcpy(shape, l->shape, (size_t)ndim * sizeof *shape);
  if (!cp_broadcast(&ndim, shape, v->ndim - extra, v->shape + extra) ||
      !cp_shape_equal(ndim, shape, l->ndim, l->shape))
    cp_raise(L, l->where, CP_ESHAPE, "shape %s does not broadcast into %s",
             cp_shape_text(v->ndim, v->shape, from), cp_shape_text(l->ndim, l->shape, to));
  cp_broadcast_strides(l->ndim, l->shape, v->ndim - extra, v->shape + extra, v->strides + extra,
                       l->value_strides);
}

static void write_by_lookup(lua_State *L, cp_selection *c, int value, cp_lookup_kind kind, bool distinct) {
  cp_lookup_call call;
  luaL_checkstack(L, 8, "too many arrays");
  cp_array *v = cp_push_values_for(L, c->where, c->source, value);
  begin_lookup(L, c, &call, kind, distinct);
  lay_values(L, &call.l, v);
  cp_lookup_run(L, &call, c->all, v);
}

// ---- one mask -----------------------------------------------------------------------------------------------------

// Pushes what the mask takes from an array of its shape, as a pending value. False, and nothing pushed, where it takes more than single elements.
static bool push_masked(lua_State *L, cp_selection *c) {
  cp_array_local local;
  int64_t count;
  cp_node *source = NULL, *mask = NULL, *root = NULL;
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (!cp_selection_is_flat(c, cp_array_local_init(&local))) return false;
  cp_array *m = cp_selection_mask(L, c);
  ctx->lazy.caller = c->where;
  CP_CHECK(L, c->where, cp_mask_count(ctx, m, &count, NULL));
  cp_array *out = cp_push_array(L, 1);
  CP_CHECK(L, c->where, cp_node_leaf(c->all, &source));
  cp_status status = cp_node_leaf(m, &mask);
  if (status == CP_OK)
    status = cp_node_masked(source, mask, count, &root);
  else
    cp_node_release(source);
  CP_CHECK(L, c->where, status);
  CP_CHECK(L, c->where, cp_give(out, root));
  return true;
}

// The mask as a node over all axes; it need not be in memory where it covers them all.
static cp_status mask_node(cp_selection *c, cp_array *mask, cp_node **out) {
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  if (c->kept->ndim == 0) return cp_array_node(mask, out);
  int axis = 0;
  cp_view_start(view, mask);
  for (int d = 0; d < c->all->ndim; d++) {
    bool chosen = d >= c->place && d < c->place + c->nchosen && mask->ndim > 0;
    cp_view_axis(view, c->all->shape[d], chosen ? mask->strides[axis] : 0);
    axis += chosen;
  }
  return cp_node_leaf(view, out);
}

// all:assign(where(mask, value, all)). Takes value's reference.
static cp_status assign_where(cp_context *ctx, cp_selection *c, cp_array *mask, cp_node *value) {
  cp_node *args[3] = {NULL, NULL, NULL}, *root = NULL;
  CP_TRY(cp_node_cast(value, c->all->dtype, &args[1]));
  cp_status status = mask_node(c, mask, &args[0]);
  if (status == CP_OK) status = cp_node_leaf(c->all, &args[2]);
  if (status != CP_OK) {
    cp_node_release(args[0]);
    cp_node_release(args[1]);
    return status;
  }
  CP_TRY(cp_node_op(CP_OP_where, args, &root));
  return cp_assign(ctx, c->all, root, CP_MAY_RENAME);
}

// The mask of a write that no count is needed for.
static cp_array *writing_mask(lua_State *L, cp_selection *c) {
  cp_array *mask = c->arrays[0].array;
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = c->where;
  if (mask->node != NULL && c->kept->ndim > 0) cp_need(L, c->where, mask);
  if (mask->node != NULL) CP_CHECK(L, c->where, cp_bound_operands(ctx, 1, &mask));
  return mask;
}

static bool write_number(lua_State *L, cp_selection *c, int value) {
  cp_scalar s;
  char kind;
  bool weak;
  cp_node *node = NULL;
  if (cp_test_array(L, value) != NULL || !cp_to_scalar(L, value, &s, &kind, &weak)) return false;
  cp_check_scalar_for(L, c->where, c->all->dtype, kind, weak, &s);
  cp_array *mask = writing_mask(L, c);
  CP_CHECK(L, c->where, cp_node_scalar(s, &node));
  CP_CHECK(L, c->where, assign_where(&cp_state_get(L)->ctx, c, mask, node));
  return true;
}

// Values that were all read by this mask from arrays of this shape, where enough elements are true.
static bool write_spread(lua_State *L, cp_selection *c, int value) {
  cp_array *v = cp_test_array(L, value), *mask = c->arrays[0].array;
  cp_node *root = NULL;
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (v == NULL || v->node == NULL || !v->node->masked || mask->node != NULL || c->kept->ndim > 0)
    return false;
  const cp_index_ops *ops = mask->device->ops->index;
  if (v->ndim != 1 || (mask->size > ops->spread_size && v->size < mask->size / ops->spread_share))
    return false;
  if (cp_array_check(mask) != CP_OK || !cp_can_cast(v->dtype, c->all->dtype, CP_CAST_SAME_KIND)) return false;
  CP_CHECK(L, c->where, cp_spread(ctx, v->node, mask, c->all, &root));
  if (root == NULL) return false;
  ctx->lazy.caller = c->where;
  CP_CHECK(L, c->where, assign_where(ctx, c, mask, root));
  return true;
}

// As many values as there are true elements, in order.
static bool write_in_order(lua_State *L, cp_selection *c, int value) {
  cp_array_local local, one;
  cp_array *flat = cp_array_local_init(&local), *line = cp_array_local_init(&one);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_lookup l = {.where = c->where, .ndim = 1};
  if (!cp_selection_is_flat(c, flat)) return false;
  cp_array *v = cp_push_values_for(L, c->where, c->source, value);
  cp_array *mask = cp_selection_mask(L, c);
  if (cp_may_overlap(mask, c->all)) mask = cp_push_as(L, c->where, mask, CP_BOOL);
  ctx->lazy.caller = c->where;
  CP_CHECK(L, c->where, cp_mask_count(ctx, mask, l.shape, NULL));
  lay_values(L, &l, v);
  cp_view_start(line, v);
  cp_view_axis(line, l.shape[0], l.value_strides[0]);
  CP_CHECK(L, c->where, cp_mask_move(ctx, CP_COMPACT_WRITE, mask, flat, line));
  return true;
}

// ---- both ---------------------------------------------------------------------------------------------------------

void cp_choose(lua_State *L, const cp_index *ix, cp_array *a) {
  cp_selection c;
  cp_selection_resolve(L, ix, a, &c);
  luaL_checkstack(L, 8, "too many arrays");
  if (c.single_mask && push_masked(L, &c)) return;
  read_by_lookup(L, &c);
}

static void check_order(lua_State *L, const char *where, cp_lookup_kind kind, cp_dtype t) {
  if ((kind == CP_LOOKUP_MAX || kind == CP_LOOKUP_MIN) && cp_is_complex(t))
    cp_raise(L, where, CP_EDTYPE, "complex values have no order");
}

void cp_choose_write(lua_State *L, const cp_index *ix, cp_array *a, int value, cp_lookup_kind kind,
                     bool distinct) {
  cp_selection c;
  cp_selection_resolve(L, ix, a, &c);
  luaL_checkstack(L, 8, "too many arrays");
  if (a->readonly)
    cp_raise(L, ix->where, CP_EUSAGE, "the array is a broadcast view, which cannot be written");
  check_order(L, ix->where, kind, a->dtype);
  if (kind == CP_LOOKUP_WRITE && c.single_mask &&
      (write_number(L, &c, value) || write_spread(L, &c, value) || write_in_order(L, &c, value)))
    return;
  write_by_lookup(L, &c, value, kind, distinct);
}

// ---- for the Lua side ---------------------------------------------------------------------------------------------

// *distinct: "any" writes where places are known to be distinct, or where any of the values for one element will do.
static cp_lookup_kind kind_at(lua_State *L, int slot, bool *distinct) {
  static const char *const names[] = {"read", "write", "add", "max", "min", "any", NULL};
  int kind = luaL_checkoption(L, slot, "read", names);
  *distinct = kind > CP_LOOKUP_MIN;
  return *distinct ? CP_LOOKUP_WRITE : (cp_lookup_kind)kind;
}

// core.scatter(where, kind, x, key, value): element = element op value at every place that key chooses.
static int scatter(lua_State *L) {
  cp_index ix;
  bool distinct;
  const char *where = luaL_checkstring(L, 1);
  cp_lookup_kind kind = kind_at(L, 2, &distinct);
  cp_array *a = cp_check_array(L, 3, where, "a");
  if (lua_isnoneornil(L, 5)) return cp_raise(L, where, CP_EUSAGE, "value is missing");
  cp_index_read(L, &ix, where, 4);
  cp_choose_write(L, &ix, a, 5, kind, distinct);
  return 0;
}

// The shape of a lookup along one axis: that of positions there, elsewhere what both have together.
static void along_shape(lua_State *L, cp_lookup *l, const cp_array *a, const cp_array *p, int axis) {
  char text[2][CP_SHAPE_TEXT];
  l->ndim = a->ndim;
  bool fits = p->ndim == a->ndim;
  for (int d = 0; d < a->ndim && fits; d++) {
    bool own = d == axis || a->shape[d] == 1;
    fits = own || p->shape[d] == 1 || p->shape[d] == a->shape[d];
    l->shape[d] = own ? p->shape[d] : a->shape[d];
    l->base_strides[d] = own ? 0 : a->strides[d];
  }
  if (!fits)
    cp_raise(L, l->where, CP_ESHAPE, "indices of shape %s do not go with shape %s along axis %d",
             cp_shape_text(p->ndim, p->shape, text[0]), cp_shape_text(a->ndim, a->shape, text[1]), axis + 1);
  CP_CHECK(L, l->where, cp_shape_size(l->ndim, l->shape, cp_itemsize(a->dtype), &l->size));
}

// core.along(where, kind, x, indices, axis[, values]): element indices[i, j, ...] along the axis (from 1), for each place of indices.
static int along(lua_State *L) {
  cp_lookup_call call;
  bool distinct;
  const char *where = luaL_checkstring(L, 1);
  cp_lookup_kind kind = kind_at(L, 2, &distinct);
  cp_array *a = cp_check_array(L, 3, where, "arr"), *p = cp_check_array(L, 4, where, "indices"), *v = NULL;
  int64_t given = cp_arg_integer(L, 5, where, "axis");
  cp_demand(L, where, given >= 1 && given <= a->ndim, "axis must be one of the array's");
  int axis = (int)given - 1;
  if (kind != CP_LOOKUP_READ)
    cp_demand(L, where, !a->readonly, "the array is a broadcast view, which cannot be written");
  check_order(L, where, kind, a->dtype);
  if (!cp_is_integer(p->dtype))
    return cp_raise(L, where, CP_EDTYPE, "indices must be integers, not %s", cp_dtypes[p->dtype].name);
  if (kind != CP_LOOKUP_READ) v = cp_push_values_for(L, where, a, 6);
  cp_lookup_begin(&call, where, kind, distinct);
  cp_lookup_add(&call, p, a->shape[axis], a->strides[axis], axis + 1);
  cp_lookup_settle(L, &call, v != NULL ? a : NULL);
  p = call.positions[0];
  along_shape(L, &call.l, a, p, axis);
  cp_broadcast_strides(a->ndim, call.l.shape, p->ndim, p->shape, p->strides, call.l.positions[0].strides);
  if (v == NULL) {
    v = cp_push_new_array(L, where, a->device, a->dtype, a->ndim, call.l.shape);
    memcpy(call.l.value_strides, v->strides, (size_t)v->ndim * sizeof *v->strides);
  } else {
    lay_values(L, &call.l, v);
  }
  cp_lookup_run(L, &call, a, v);
  return 1;
}

// core.positions(where, mask, rows): see cp_push_mask_positions.
static int positions(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *mask = cp_check_array(L, 2, where, "a");
  bool rows = lua_toboolean(L, 3);
  if (mask->dtype != CP_BOOL) mask = cp_push_as(L, where, mask, CP_BOOL);
  cp_push_mask_positions(L, where, mask, rows);
  return 1;
}

// core.count_true(where, mask): how many elements of a bool array are true.
static int count_true(lua_State *L) {
  int64_t count;
  cp_array_local local;
  cp_array *flat = cp_array_local_init(&local);
  const char *where = luaL_checkstring(L, 1);
  cp_array *mask = cp_check_array(L, 2, where, "mask");
  cp_demand(L, where, mask->dtype == CP_BOOL, "mask must be of bool");
  if (!cp_array_contiguous(mask, 'C')) mask = cp_push_copy(L, where, mask, 'C');
  cp_view_start(flat, mask);
  cp_view_axis(flat, mask->size, 1);
  CP_CHECK(L, where, cp_mask_count(&cp_state_get(L)->ctx, flat, &count, NULL));
  cp_push_scalar(L, cp_scalar_int(count, CP_INT64));
  return 1;
}

// ---- settings -----------------------------------------------------------------------------------------------------

// cp.deterministic([on]): whether results are the same in every run, at a price; on sets it. Returns the setting before.
CP_SIGNATURE(deterministic, 0, "on");
static int deterministic(lua_State *L) {
  cp_arguments(L, &deterministic_signature);
  cp_context *ctx = &cp_state_get(L)->ctx;
  lua_pushboolean(L, ctx->settings.deterministic);
  if (!lua_isnoneornil(L, 1))
    ctx->settings.deterministic = cp_arg_boolean_or(L, 1, "deterministic", "on", true);
  return 1;
}

// cp.checks([mode]): "strict": work that finds its errors on a device is waited for; "lazy": they come with the next synchronisation.
// Returns the setting before.
CP_SIGNATURE(checks, 0, "mode");
static int checks(lua_State *L) {
  cp_arguments(L, &checks_signature);
  cp_context *ctx = &cp_state_get(L)->ctx;
  const char *mode = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : NULL;
  if (!lua_isnil(L, 1) && (mode == NULL || (strcmp(mode, "strict") != 0 && strcmp(mode, "lazy") != 0)))
    cp_not_among(L, "checks", "mode", "\"strict\" or \"lazy\"", 1);
  lua_pushstring(L, ctx->settings.strict ? "strict" : "lazy");
  if (mode != NULL) ctx->settings.strict = strcmp(mode, "strict") == 0;
  return 1;
}

void cp_open_fancy(lua_State *L) {
  static const luaL_Reg core[] = {{"scatter", scatter},
                                  {"along", along},
                                  {"positions", positions},
                                  {"count_true", count_true},
                                  {NULL, NULL}};
  static const luaL_Reg cp[] = {{"deterministic", deterministic}, {"checks", checks}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_put_functions(L, 2, cp);
}
