// Indices with arrays, resolved: which axes are kept, which ones arrays choose from, and where the result has its new axes (NumPy's rules).
#include "lua/indexing/choose.h"

#include "lua/conversion/convert.h"
#include "lua/conversion/routine.h"
#include "lua/indexing/view.h"

#include <string.h>

// ---- resolving ----------------------------------------------------------------------------------------------------

// Arrays and integers choose together. Where nothing stands between them the new axes take their place, else they come first.
typedef enum adjacency { NONE_YET, TOGETHER, AFTER_OTHER, APART } adjacency;

static void note_choosing(cp_selection *c, adjacency *state) {
  if (*state == NONE_YET) {
    c->place = c->kept->ndim;
    *state = TOGETHER;
  } else if (*state == AFTER_OTHER) {
    c->place = 0;
    *state = APART;
  }
}

static void note_other(adjacency *state) {
  if (*state == TOGETHER) *state = AFTER_OTHER;
}

// A mask has the lengths of the axes that it covers, or none along some of them: then it takes nothing, from an axis of any length (NumPy's rule).
static void check_mask(lua_State *L, const cp_selection *c, const cp_array *mask, int axis) {
  char text[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT];
  const int64_t *shape = c->source->shape + axis;
  bool fits = true;
  for (int d = 0; d < mask->ndim; d++) fits = fits && (mask->shape[d] == shape[d] || mask->shape[d] == 0);
  if (fits) return;
  char axes[48] = "";
  if (mask->ndim == 1)
    snprintf(axes, sizeof axes, "axis %d", axis + 1);
  else
    snprintf(axes, sizeof axes, "axes %d to %d", axis + 1, axis + mask->ndim);
  cp_raise(L, c->where, CP_EINDEX, "a mask of shape %s for %s of shape %s",
           cp_shape_text(mask->ndim, mask->shape, text), axes, cp_shape_text(mask->ndim, shape, want));
}

// Adds an axis to the chosen ones; they are put together in c->all, behind the kept axes, until all are known.
static void choose_axis(cp_selection *c, int64_t length, int64_t stride, int axis) {
  c->axes[c->nchosen] = axis;
  c->all->shape[c->nchosen] = length;
  c->all->strides[c->nchosen++] = stride;
}

static int add_array(lua_State *L, cp_selection *c, cp_array *array, int axis) {
  const cp_array *a = c->source;
  bool mask = array->dtype == CP_BOOL;
  int count = mask ? array->ndim : 1;
  if (c->narrays == CP_MAXDIM || c->nchosen + (count > 0 ? count : 1) > CP_MAXDIM)
    cp_raise(L, c->where, CP_EINDEX, "an index of more than %d arrays", CP_MAXDIM);
  if (mask) check_mask(L, c, array, axis);
  c->arrays[c->narrays].array = array;
  c->arrays[c->narrays++].first = c->nchosen;
  for (int k = 0; k < count; k++) choose_axis(c, a->shape[axis + k], a->strides[axis + k], axis + k + 1);
  if (count == 0) choose_axis(c, 1, 0, 1); // a mask without axes takes all or nothing, along a new axis
  return axis + count;
}

// Sets c->all from the chosen axes, which are in it, and the kept ones.
static void put_together(lua_State *L, cp_selection *c) {
  cp_array *all = c->all, *kept = c->kept;
  int n = c->nchosen, rest = kept->ndim - c->place;
  if (n + kept->ndim > CP_MAXDIM)
    cp_raise(L, c->where, CP_ESHAPE, "the index takes more than %d axes together", CP_MAXDIM);
  memmove(all->shape + c->place, all->shape, (size_t)n * sizeof *all->shape);
  memmove(all->strides + c->place, all->strides, (size_t)n * sizeof *all->strides);
  for (int k = 0; k < kept->ndim; k++) {
    int to = k < c->place ? k : k + n;
    all->shape[to] = kept->shape[k];
    all->strides[to] = kept->strides[k];
  }
  int64_t *shape = all->shape, *strides = all->strides;
  *all = *kept;
  all->shape = shape;
  all->strides = strides;
  all->ndim = (uint8_t)(c->place + n + rest);
  for (int k = 0; k < n; k++) all->size *= shape[c->place + k];
}

void cp_selection_resolve(lua_State *L, const cp_index *ix, cp_array *a, cp_selection *c) {
  int rest, axis = 0;
  CP_CHECK(L, ix->where, cp_index_rest(ix, a, &rest));
  adjacency state = NONE_YET;
  c->where = ix->where;
  c->source = a;
  c->all = cp_array_local_init(&c->all_local);
  c->kept = cp_array_local_init(&c->kept_local);
  c->place = c->nchosen = c->narrays = 0;
  cp_view_start(c->kept, a);
  for (int k = 0; k < ix->count; k++) {
    const cp_item *item = &ix->items[k];
    if (item->kind == CP_ITEM_INTEGER || item->kind == CP_ITEM_ARRAY)
      note_choosing(c, &state);
    else
      note_other(&state);
    if (item->kind == CP_ITEM_ARRAY)
      axis = add_array(L, c, item->array, axis);
    else
      CP_CHECK(L, c->where, cp_index_add_item(item, rest, a, &axis, c->kept));
  }
  if (!ix->ellipsis) cp_index_add_axes(c->kept, a, axis, rest);
  put_together(L, c);
  c->single_mask = c->narrays == 1 && c->arrays[0].array->dtype == CP_BOOL && c->arrays[0].array->size > 0;
}

// ---- masks --------------------------------------------------------------------------------------------------------

// The mask in memory, in C order, with an axis at least.
static cp_array *prepare_mask(lua_State *L, const char *where, cp_array *mask) {
  cp_need(L, where, mask);
  if (!cp_array_contiguous(mask, 'C')) mask = cp_push_copy(L, where, mask, 'C');
  if (mask->ndim > 0) return mask;
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  cp_view_start(view, mask);
  cp_view_axis(view, 1, 1);
  return cp_push_view(L, view);
}

cp_array *cp_selection_mask(lua_State *L, cp_selection *c) {
  cp_array *mask = c->arrays[0].array;
  if (mask->device != c->source->device)
    cp_raise(L, c->where, CP_EUSAGE, "a mask on %s for an array on %s; move it with :to(\"%s\")",
             mask->device->name, c->source->device->name, c->source->device->name);
  return c->arrays[0].array = prepare_mask(L, c->where, mask);
}

bool cp_selection_is_flat(const cp_selection *c, cp_array *flat) {
  const cp_array *all = c->all;
  if (c->kept->ndim > 0) return false;
  cp_view_start(flat, all);
  flat->ndim = 1;
  flat->size = flat->shape[0] = all->size;
  return cp_reshape_strides(all->ndim, all->shape, all->strides, 1, &all->size, cp_itemsize(all->dtype),
                            flat->strides);
}

cp_array *cp_push_mask_positions(lua_State *L, const char *where, cp_array *mask, bool rows) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_array_local local;
  cp_array *target = cp_array_local_init(&local);
  int64_t count;
  mask = prepare_mask(L, where, mask);
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_mask_count(ctx, mask, &count, NULL));
  int64_t shape[2] = {rows ? count : mask->ndim, rows ? mask->ndim : count};
  cp_array *positions = cp_push_new_array(L, where, mask->device, CP_INT64, 2, shape);
  cp_view_start(target, positions);
  cp_view_axis(target, mask->ndim, positions->strides[rows]);
  cp_view_axis(target, count, positions->strides[!rows]);
  CP_CHECK(L, where, cp_mask_move(ctx, CP_COMPACT_POSITIONS, mask, NULL, target));
  return positions;
}

// ---- values -------------------------------------------------------------------------------------------------------

static cp_array *push_number(lua_State *L, const char *where, const cp_array *target, int slot) {
  cp_array *a = cp_push_new_array(L, where, target->device, target->dtype, 0, NULL);
  cp_assign_value(L, where, a, slot);
  return a;
}

cp_array *cp_push_values_for(lua_State *L, const char *where, const cp_array *target, int slot) {
  cp_array *v = cp_test_array(L, slot);
  const char *to = cp_dtypes[target->dtype].name;
  if (v == NULL && lua_istable(L, slot))
    v = cp_push_from_table(L, where, slot, CP_NDTYPES, target->dtype, target->device);
  else if (v == NULL)
    return push_number(L, where, target, slot);
  else
    lua_pushvalue(L, slot);
  CP_CHECK(L, where, cp_array_alive(v));
  if (v->device != target->device)
    cp_raise(L, where, CP_EUSAGE, "cannot write values on %s into an array on %s; move them with :to(\"%s\")",
             v->device->name, target->device->name, target->device->name);
  if (!cp_can_cast(v->dtype, target->dtype, CP_CAST_SAME_KIND))
    cp_raise(L, where, CP_EDTYPE, "cannot write %s into %s; convert with :astype(\"%s\")",
             cp_dtypes[v->dtype].name, to, to);
  cp_need(L, where, v);
  if (v->dtype != target->dtype || cp_may_overlap(v, target)) v = cp_push_as(L, where, v, target->dtype);
  return v;
}

// ---- lookups ------------------------------------------------------------------------------------------------------

void cp_lookup_begin(cp_lookup_call *call, const char *where, cp_lookup_kind kind, bool distinct) {
  call->l.where = where;
  call->l.kind = kind;
  call->l.distinct = distinct;
  call->l.count = 0;
}

void cp_lookup_add(cp_lookup_call *call, cp_array *positions, int64_t length, int64_t stride, int axis) {
  cp_index_array *p = &call->l.positions[call->l.count];
  p->length = length;
  p->stride = stride;
  p->axis = axis;
  call->positions[call->l.count++] = positions;
}

void cp_lookup_settle(lua_State *L, cp_lookup_call *call, const cp_array *target) {
  const char *where = call->l.where;
  cp_dtype t = CP_INT32;
  luaL_checkstack(L, 2 * CP_MAXDIM + 8, "too many arrays");
  for (int k = 0; k < call->l.count; k++)
    if (call->positions[k]->dtype != CP_INT32) t = CP_INT64;
  call->l.positions_dtype = t;
  for (int k = 0; k < call->l.count; k++) {
    cp_array *p = call->positions[k];
    cp_need(L, where, p);
    if (p->dtype != t || (target != NULL && cp_may_overlap(p, target)))
      call->positions[k] = cp_push_as(L, where, p, t);
  }
}

// The line of the script as "FILE:LINE".
static void site_of(lua_State *L, char *text, size_t size) {
  cp_user_position(L, text, size);
  size_t n = strlen(text);
  if (n > 2) text[n - 2] = '\0'; // behind it stands ": "
}

// Pushes what the device needs to keep the last ones of a write's values. False, and nothing pushed: that is nothing.
static bool push_write_scratch(lua_State *L, cp_lookup *l, cp_device *device) {
  size_t (*bytes)(const cp_lookup *) = device->ops->index->write_scratch, size = 0;
  l->scratch = NULL;
  l->rivals.any = false;
  if (bytes == NULL) return false;
  cp_lookup_find_rivals(l);
  if (l->rivals.any) size = bytes(l);
  if (size == 0) return false;
  luaL_checkstack(L, 4, "too many arrays");
  l->scratch = cp_push_scratch(L, l->where, device, size);
  return true;
}

void cp_lookup_run(lua_State *L, cp_lookup_call *call, cp_array *base, cp_array *value) {
  char site[LUA_IDSIZE + 32] = "";
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_lookup *l = &call->l;
  if (base->device != cp_device_cpu()) site_of(L, site, sizeof site);
  l->site = site;
  l->dtype = base->dtype;
  l->itemsize = cp_itemsize(base->dtype);
  l->ordered = ctx->settings.deterministic;
  cp_lookup_collapse(l);
  bool scratch = push_write_scratch(L, l, base->device);
  ctx->lazy.caller = l->where;
  CP_CHECK(L, l->where, cp_lookup_arrays(ctx, l, base, value, call->positions));
  if (!scratch) return;
  cp_free_scratch(L, lua_gettop(L));
  lua_pop(L, 1);
}
