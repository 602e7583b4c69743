// What a captured graph holds, and its use of memory (recording.h).
#include "lazy/work/recording.h"

#include <stdlib.h>

// Makes room for one more entry of `size` bytes; false if out of memory.
static bool grow(void **list, size_t count, size_t *room, size_t size) {
  if (count < *room) return true;
  size_t wanted = *room > 0 ? 2 * *room : 32;
  void *grown = realloc(*list, wanted * size);
  if (grown == NULL) return false;
  *list = grown;
  *room = wanted;
  return true;
}

bool cp_made_inside(const cp_context *ctx, const cp_buffer *b) {
  return ctx->capture.reserve != NULL && b->block != NULL && b->block->reserve == ctx->capture.reserve;
}

bool cp_is_fixed(const cp_context *ctx, const cp_buffer *b) {
  return b->fixed > 0 || (ctx->capture.graph != NULL && !cp_made_inside(ctx, b));
}

cp_status cp_capture_use(cp_graph *g, cp_buffer *b, bool write) {
  cp_context *ctx = g->ctx;
  if (b->device != g->device || cp_made_inside(ctx, b)) return CP_OK;
  if (b->used_in_capture == ctx->capture.count) {
    g->used[b->place].written |= write;
    return CP_OK;
  }
  if (b->storages > 1 && b->imported != ctx->capture.count)
    return cp_fail(CP_EUSAGE, "an array has shared its memory with another one since :assign(); copy it "
                              "before the graph is captured");
  if (!grow((void **)&g->used, g->nused, &g->used_room, sizeof *g->used))
    return cp_no_memory("capturing a graph");
  b->used_in_capture = b->imported = ctx->capture.count;
  b->place = g->nused;
  g->used[g->nused++] = (cp_used){b, write};
  cp_buffer_retain(b);
  return CP_OK;
}

cp_status cp_capture_keep(cp_graph *g, void (*release)(void *object), void *object) {
  if (grow((void **)&g->kept, g->nkept, &g->kept_room, sizeof *g->kept)) {
    g->kept[g->nkept++] = (cp_kept){release, object};
    return CP_OK;
  }
  release(object);
  return cp_no_memory("capturing a graph");
}

void cp_recording_enter(cp_graph *g) {
  g->ctx->capture.graph = g;
  g->ctx->capture.target = (cp_capture_target){g->device, g->recorder, &g->charge};
  g->ctx->capture.reserve = &g->reserve;
}

void cp_recording_leave(cp_context *ctx) {
  ctx->capture.graph = NULL;
  ctx->capture.target = (cp_capture_target){0};
  ctx->capture.reserve = NULL;
}

cp_graph *cp_capture_pause(cp_context *ctx) {
  cp_graph *g = ctx->capture.graph;
  if (g == NULL) return NULL;
  ctx->capture.paused = g;
  cp_recording_leave(ctx);
  return g;
}

void cp_capture_resume(cp_context *ctx, cp_graph *paused) {
  if (paused == NULL) return;
  ctx->capture.paused = NULL;
  cp_recording_enter(paused);
}
