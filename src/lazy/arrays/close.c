// Closes a state in the right order: work, memory, graphs, streams, modules (close.h).
#include "lazy/arrays/close.h"

#include "device/raw.h"
#include "lazy/arrays/capture.h"
#include "lazy/evaluation/prepared.h"
#include "memory/allocator.h"
#include "memory/free_list.h"

#include <stdlib.h>

static void free_structs(cp_freed_structs *freed) {
  while (freed->first != NULL) {
    void *next = *(void **)freed->first;
    free(freed->first);
    freed->first = next;
  }
  freed->count = 0;
}

// Waits for all streams. External ones that a script opened lose their handles, because their owners may have
// destroyed them by now.
static void end_work(cp_context *ctx) {
  for (int k = ctx->streams.count; k-- > 0;) {
    cp_stream *s = ctx->streams.all[k];
    if (s->options.external && s != ctx->streams.own[s->device->id]) s->handles = 0;
    if (!s->closed) (void)s->device->ops->stream_finish(s); // a failure is reported when s is destroyed
  }
}

static void destroy_streams(cp_context *ctx) {
  while (ctx->streams.count > 0) {
    cp_stream *s = ctx->streams.all[--ctx->streams.count];
    s->device->ops->stream_destroy(s);
  }
  free(ctx->streams.all);
  ctx->streams.all = NULL;
  for (int id = 0; id < CP_MAX_DEVICES; id++) ctx->streams.own[id] = ctx->now.streams[id] = NULL;
}

void cp_context_close(cp_context *ctx) {
  cp_memory_forget(ctx);
  end_work(ctx);
  if (ctx->memory.allocators != NULL) { // the last call of allocators that are Lua functions
    cp_allocators_trim(ctx);
    end_work(ctx);
  }
  ctx->closed = true;
  ctx->settings.slow = ~0U; // no memory is kept for reuse any more
  cp_free_lists_clear(ctx);
  free_structs(&ctx->arrays.combined);
  free_structs(&ctx->lazy.nodes);
  cp_prepared_clear(ctx);
  free_structs(&ctx->plans);
  free_structs(&ctx->programs);
  cp_context_destroy_events(ctx);
  cp_graphs_close(ctx);
  for (int k = ctx->streams.count; k-- > 0;) cp_memory_forget_stream(ctx, ctx->streams.all[k]);
  cp_allocators_close(ctx);
  destroy_streams(ctx);
  cp_raw_close(ctx);
}

cp_status cp_stream_close(cp_stream *s) {
  cp_stream_remove_handle(s);
  if (!s->options.external || s->closed || s == s->context->streams.own[s->device->id]) return CP_OK;
  CP_TRY(cp_stream_synchronize(s));
  cp_memory_forget_stream(s->context, s);
  s->closed = true;
  return CP_OK;
}
