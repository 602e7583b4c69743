// Gives computed values their memory (new_output.h).
#include "lazy/work/new_output.h"

#include "lazy/expression/pending_list.h"
#include "lazy/expression/planned.h"

cp_status cp_output_make(cp_context *ctx, const cp_node *n, cp_new_output *h) {
  h->a = (cp_array){.shape = (int64_t *)n->dims, .strides = h->strides, .ndim = (uint8_t)n->ndim};
  if (n->kind == CP_NODE_INDEX)
    cp_contiguous_strides(n->ndim, n->dims, cp_itemsize(n->dtype), 'C', h->strides);
  else
    cp_copy_lengths(h->strides, cp_node_strides(n), n->ndim);
  return cp_array_allocate(ctx, &h->a, n->device, n->dtype);
}

void cp_output_settle(cp_node *n, cp_array *output) {
  cp_array *a = n->handle;
  cp_buffer *buffer = output->storage->buffer;
  // One reference is the caller's. Constants stay constants for others, whose bounds count them as such.
  if (n->kind != CP_NODE_LEAF && n->kind != CP_NODE_SCALAR && n->refs > (a != NULL ? 2 : 1))
    cp_node_become_leaf(n, buffer, 0, output->strides);
  if (a == NULL) return;
  if (n->kind != CP_NODE_LEAF) cp_pending_remove(n);
  n->handle = NULL;
  if (n->planned) {
    n->planned = false;
    cp_planned_settle((cp_planned *)(void *)a, output);
  } else {
    a->node = NULL;
    a->storage = output->storage;
    a->offset = 0;
    output->storage = NULL;
  }
  cp_node_release(n);
}
