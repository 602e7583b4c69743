// Makes nodes of lookups (waiting.h).
#include "rules/indexing/waiting.h"

#include "array/view.h"
#include "cuda/run/precompile.h"
#include "lazy/arrays/pending.h"
#include "lazy/arrays/write.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/force.h"

#include <stdio.h>
#include <stdlib.h>

bool cp_lookup_may_wait(const cp_context *ctx, const cp_array *base, int count, cp_array *const *positions) {
  bool may = (base->device->ops->takes_lookups || cp_is_precompiling(ctx)) && ctx->lazy.fusion &&
             !ctx->settings.strict && base->size > 0 && count > 0 && count <= CP_MOST_SELECTING;
  for (int k = 0; k < count && may; k++)
    may = positions[k]->device == base->device && !cp_is_traced(positions[k]);
  return may;
}

// What l selects from.
static cp_status describe(const cp_lookup *l, cp_selected **out) {
  cp_selected *s = malloc(sizeof *s);
  if (s == NULL) return cp_no_memory(NULL);
  s->refs = 1;
  s->reported = false;
  s->count = l->count;
  for (int k = 0; k < l->count; k++) {
    s->list[k].length = l->positions[k].length;
    s->list[k].stride = l->positions[k].stride;
    s->list[k].axis = l->positions[k].axis;
  }
  snprintf(s->where, sizeof s->where, "%s", l->where);
  snprintf(s->site, sizeof s->site, "%s", l->site);
  *out = s;
  return CP_OK;
}

// Computes positions that must be in memory: those that a kernel over l's shape would compute repeatedly, and
// those whose axes are not the innermost. May run script code.
static cp_status settle(cp_context *ctx, const cp_lookup *l, cp_array *const *positions, int own) {
  CP_TRY(cp_bound_operands(ctx, l->count, positions, NULL));
  for (int k = 0; k < l->count; k++) {
    cp_array *p = positions[k];
    const bool repeated = p->node != NULL && cp_is_repeated(p->node, l->ndim, l->shape);
    if (repeated || own < l->ndim) CP_TRY(cp_force(ctx, p));
    CP_TRY(cp_array_alive(p));
  }
  return CP_OK;
}

// A leaf that reads p in l's shape.
static cp_status spread(const cp_lookup *l, int k, const cp_array *p, cp_node **out) {
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  cp_array_copy_view(view, p);
  view->ndim = (uint8_t)l->ndim;
  cp_copy_lengths(view->shape, l->shape, l->ndim);
  cp_copy_lengths(view->strides, l->positions[k].strides, l->ndim);
  return cp_node_leaf(view, out);
}

static cp_status selecting_node(const cp_lookup *l, int k, cp_array *p, int own, cp_dtype dtype,
                                cp_node **out) {
  CP_TRY(own < l->ndim ? spread(l, k, p, out) : cp_array_node(p, out));
  return cp_node_cast(*out, dtype, out);
}

// The distance that axes add which no position selects from; NULL: there are none.
static cp_status offset_node(cp_device *device, const cp_lookup *l, cp_node **out) {
  bool any = false;
  *out = NULL;
  for (int d = 0; d < l->ndim; d++) any = any || (l->base_strides[d] != 0 && l->shape[d] > 1);
  return any ? cp_node_index(device, l->ndim, l->shape, 0, l->base_strides, out) : CP_OK;
}

static cp_status make(cp_context *ctx, const cp_lookup *l, cp_array *base, cp_node *const *selecting,
                      cp_node **root) {
  cp_node *source = NULL, *offset = NULL;
  cp_selected *selected = NULL;
  CP_TRY(cp_capture_import(ctx, base));
  CP_TRY(cp_node_leaf(base, &source));
  cp_status status = offset_node(base->device, l, &offset);
  if (status == CP_OK) status = describe(l, &selected);
  if (status == CP_OK) {
    for (int k = 0; k < l->count; k++) cp_node_retain(selecting[k]);
    return cp_node_looked_up(source, offset, selected, selecting, l->ndim, l->shape, root);
  }
  cp_node_release(source);
  cp_node_release(offset);
  return status;
}

cp_status cp_lookup_wait(cp_context *ctx, const cp_lookup *l, cp_array *base, cp_array *const *positions,
                         int own, cp_node **root) {
  cp_node *selecting[CP_MOST_SELECTING];
  cp_dtype dtype = CP_INT32;
  int made = 0;
  cp_status status = settle(ctx, l, positions, own);
  for (int k = 0; k < l->count; k++)
    if (positions[k]->dtype != CP_INT32) dtype = CP_INT64;
  while (made < l->count && status == CP_OK) {
    status = selecting_node(l, made, positions[made], own, dtype, &selecting[made]);
    made += status == CP_OK;
  }
  if (status == CP_OK) status = make(ctx, l, base, selecting, root);
  while (made > 0) cp_node_release(selecting[--made]);
  return status;
}
