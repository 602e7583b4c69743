// The write barrier: handles pending readers of memory that is about to be written (write.h).
#include "lazy/arrays/write.h"

#include "lazy/evaluation/force.h"
#include "lazy/expression/graph.h"
#include "lazy/work/order.h"
#include "lazy/work/recording.h"

// ---- readers ----------------------------------------------------------------------------------------------

// Sets `touched` in the leaves that writing a would change; returns their number.
static int touch_readers(const cp_array *a) {
  int count = 0;
  cp_region written = cp_array_region(a);
  for (cp_node *n = a->storage->buffer->readers; n != NULL; n = n->next) {
    cp_region read = cp_leaf_region(n);
    n->touched = cp_regions_overlap(&written, &read);
    count += n->touched;
  }
  return count;
}

static void untouch(cp_buffer *b) {
  for (cp_node *n = b->readers; n != NULL; n = n->next) n->touched = false;
}

bool cp_reads_elsewhere(cp_context *ctx, const cp_array *a, cp_node *root) {
  cp_buffer *b = a->storage->buffer;
  const cp_region written = cp_array_region(a);
  int count = 0;
  for (cp_node *n = b->readers; n != NULL; n = n->next) {
    const cp_region read = cp_leaf_region(n);
    n->touched = (n->scattered ? cp_regions_overlap : cp_regions_conflict)(&written, &read);
    count += n->touched;
  }
  const bool found = count > 0 && cp_reaches_touched(ctx, root);
  untouch(b);
  return found;
}

// Resets `touched` in the leaves that only root's expression reads, as the kernel that writes reads them.
// Returns their number.
static int exempt_own_leaves(cp_context *ctx, cp_node *root) {
  cp_walk walk;
  int own = 0;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, root);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->touched) {
      n->touched = false;
      own++;
    }
    for (int k = 0; k < n->nargs; k++)
      if (n->args[k]->refs == 1) cp_walk_push(&walk, n->args[k]);
  }
  return own;
}

// Whether all readers of b are arguments of root and of nothing else, and only the caller and its batch refer
// to root.
static bool is_sole_reader(const cp_node *root, const cp_buffer *b) {
  if (root->refs != 2) return false;
  for (const cp_node *n = b->readers; n != NULL; n = n->next) {
    int k = 0;
    while (k < root->nargs && root->args[k] != n) k++;
    if (k == root->nargs || n->refs != 1) return false;
  }
  return true;
}

// ---- another buffer ---------------------------------------------------------------------------------------

static cp_status copy_bytes(cp_context *ctx, cp_device *device, cp_buffer *to, cp_buffer *from,
                            size_t bytes) {
  cp_stream *stream;
  CP_TRY(cp_context_stream(ctx, device, &stream));
  CP_TRY(cp_before_read(ctx, stream, from));
  CP_TRY(cp_before_write(ctx, stream, to));
  ctx->counters.launches++;
  return device->ops->copy(stream, to->pointer, from->pointer, bytes, CP_WITHIN);
}

// Gives the array's storage another buffer, with a copy of the bytes unless all of them will be written.
static cp_status rename_buffer(cp_context *ctx, cp_array *a, bool whole) {
  cp_buffer *fresh;
  cp_storage *s = a->storage;
  CP_TRY(cp_buffer_new(ctx, a->device, s->nbytes, &fresh));
  cp_status status = cp_array_check(a); // a collection may have freed it
  if (status == CP_OK && !whole) status = copy_bytes(ctx, a->device, fresh, s->buffer, s->nbytes);
  if (status != CP_OK) {
    cp_buffer_release(fresh);
    return status;
  }
  ctx->counters.renames++;
  cp_storage_rename(s, fresh);
  return CP_OK;
}

// Computes the array's pending readers, whose leaves have `touched` set. If another storage shares the
// array's buffer, the array gets its own.
static cp_status force_readers(cp_context *ctx, cp_array *a, const cp_node *except) {
  cp_buffer *b = a->storage->buffer;
  cp_buffer_retain(b);
  cp_status status = cp_force_touched(ctx, b, except);
  untouch(b);
  bool shared = b->storages > 1;
  cp_buffer_release(b);
  if (status == CP_OK && shared) status = rename_buffer(ctx, a, false);
  return status;
}

// Computes values from before the capture that read the array, and gives it its own buffer. The capture is
// paused, so this work is not recorded.
static cp_status part_from_others(cp_context *ctx, cp_array *a) {
  cp_buffer *b = a->storage->buffer;
  for (cp_node *n = b->readers; n != NULL; n = n->next) n->touched = true;
  if (b->readers != NULL || b->storages > 1) CP_TRY(force_readers(ctx, a, NULL));
  return CP_OK;
}

static bool is_imported(const cp_context *ctx, const cp_buffer *b) {
  return b->imported == ctx->capture.count || cp_made_inside(ctx, b);
}

cp_status cp_capture_import(cp_context *ctx, cp_array *a) {
  if (ctx->capture.graph == NULL || a->device != ctx->capture.graph->device) return CP_OK;
  bool waits = a->node != NULL && a->node->kind == CP_NODE_LEAF && !is_imported(ctx, a->node->u.leaf.buffer);
  if (!waits && (a->node != NULL || a->storage == NULL || a->storage->buffer == NULL)) return CP_OK;
  if (!waits && is_imported(ctx, a->storage->buffer)) return CP_OK;
  cp_graph *g = cp_capture_pause(ctx);
  cp_status status = waits ? cp_force(ctx, a) : CP_OK;
  if (status == CP_OK) status = part_from_others(ctx, a);
  cp_capture_resume(ctx, g);
  if (status == CP_OK) status = cp_array_check(a); // script code may have freed it
  if (status == CP_OK) a->storage->buffer->imported = ctx->capture.count;
  return status;
}

static bool copying_is_cheaper(cp_context *ctx, const cp_array *a) {
  enum { SMALL = 1 << 18 }; // a launch costs as much time as copying so many bytes
  size_t bytes = a->storage->nbytes;
  return bytes <= SMALL || 2 * bytes < cp_touched_bytes(ctx);
}

bool cp_is_copied_for_readers(cp_context *ctx, const cp_array *a, cp_node *root) {
  cp_buffer *b = a->storage->buffer;
  int others = ctx->lazy.nreductions == 0 ? touch_readers(a) : 0;
  if (others > 0) others -= exempt_own_leaves(ctx, root);
  const bool copies = others > 0 && copying_is_cheaper(ctx, a);
  untouch(b);
  return copies;
}

cp_status cp_fail_readonly(void) {
  return cp_fail(CP_EUSAGE, "the array is a broadcast view, which cannot be written");
}

// Whether a pending value reads elements of a, all of its memory, when others may have been written.
static bool is_read_elsewhere(const cp_array *a) {
  const cp_region written = cp_array_region(a);
  bool found = false;
  for (const cp_node *n = a->storage->buffer->readers; n != NULL && !found; n = n->next) {
    const cp_region read = cp_leaf_region(n);
    found = n->u.leaf.moves != NULL || n->scattered || cp_regions_conflict(&written, &read);
  }
  return found;
}

// Where only root reads a: whole memory that root reads elsewhere, too, is written into another buffer, which
// takes the place of a temporary, and of a copy from it.
static cp_status clear_own(cp_context *ctx, cp_array *a, bool whole, const cp_node *root, bool may_rename,
                           bool *renamed) {
  *renamed = whole && root != NULL && may_rename && is_read_elsewhere(a);
  return *renamed ? rename_buffer(ctx, a, true) : CP_OK;
}

cp_status cp_clear_readers(cp_context *ctx, cp_array *a, bool whole, cp_node *root, cp_rename rename,
                           int *own, bool *renamed) {
  *own = 0;
  *renamed = false;
  for (;;) {
    cp_buffer *b = a->storage->buffer;
    const bool may_rename = rename == CP_MAY_RENAME && b->exposed == 0 && !cp_is_fixed(ctx, b);
    if (b->storages == 1 && (b->readers == NULL || (root != NULL && is_sole_reader(root, b))))
      return clear_own(ctx, a, whole, root, may_rename, renamed);
    int others = touch_readers(a);
    if (root != NULL && others > 0) {
      *own = exempt_own_leaves(ctx, root);
      others -= *own;
      *own += cp_reaches_touched(ctx, root); // leaves below a part that root uses twice
    }
    if (others > 0 && ctx->lazy.nreductions > 0) { // reductions are computed first, and nothing is copied
      uint64_t before = ctx->counters.forces;
      cp_buffer_retain(b);
      cp_status status = cp_force_touched_reductions(ctx, root);
      bool computed = ctx->counters.forces != before;
      if (computed || status != CP_OK) untouch(b);
      cp_buffer_release(b);
      CP_TRY(status);
      if (computed) CP_TRY(cp_check_writable(a));
      if (computed) continue;
    }
    bool shared = b->storages > 1;
    if (others == 0 && !shared) return clear_own(ctx, a, whole, root, may_rename, renamed);
    if (others == 0 || (may_rename && (whole || copying_is_cheaper(ctx, a)))) {
      untouch(b);
      *renamed = true;
      return rename_buffer(ctx, a, whole);
    }
    uint64_t before = ctx->counters.forces;
    CP_TRY(force_readers(ctx, a, root));
    // A finalizer may have freed a, written another part of it, or built new values on this one.
    CP_TRY(cp_check_writable(a));
    if (ctx->counters.forces == before) return CP_OK;
  }
}

cp_status cp_begin_write(cp_context *ctx, cp_array *a, bool whole) {
  int own;
  bool renamed;
  CP_TRY(cp_check_writable(a));
  CP_TRY(cp_capture_import(ctx, a));
  CP_TRY(cp_clear_readers(ctx, a, whole, NULL, CP_MAY_RENAME, &own, &renamed));
  cp_storage_touch(a->storage);
  return CP_OK;
}

// Computing readers may run script code, which may free the array or build new values on it.
cp_status cp_expose(cp_context *ctx, cp_array *a, cp_exposure why) {
  uint64_t before;
  do {
    before = ctx->counters.forces;
    CP_TRY(cp_force(ctx, a));
    cp_buffer *b = a->storage->buffer;
    for (cp_node *n = b->readers; n != NULL; n = n->next) n->touched = true;
    if (b->readers != NULL || b->storages > 1) CP_TRY(force_readers(ctx, a, NULL));
    CP_TRY(cp_array_check(a));
  } while (ctx->counters.forces != before);
  CP_TRY(cp_await_transfer(ctx, a->storage->buffer));
  cp_storage_touch(a->storage); // from now on others may write it at any time
  a->storage->buffer->exposed |= (unsigned)why;
  return CP_OK;
}
