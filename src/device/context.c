// What belongs to one lua_State beside its streams (streams.c): closing it, and its clock.
#include "device/allocator.h"
#include "device/raw.h"
#include "device/shelf.h"
#include "expr/capture.h"

#include <stdlib.h>
#include <time.h>

static void free_spare(cp_spare *spare) {
  while (spare->first != NULL) {
    void *next = *(void **)spare->first;
    free(spare->first);
    spare->first = next;
  }
  spare->count = 0;
}

static void destroy_given_up(cp_context *ctx) {
  while (ctx->given_up != NULL) {
    cp_event *e = ctx->given_up;
    ctx->given_up = e->next;
    e->device->ops->event_destroy(e->device, e);
  }
}

// Takes one of the kind out of the list; NULL: there is none. Making one anew is a call of the driver.
static cp_event *take_given_up(cp_context *ctx, const cp_device *device, bool timing, bool blocking) {
  cp_event **link = &ctx->given_up, *e;
  while ((e = *link) != NULL && (e->device != device || e->timing != timing || e->blocking != blocking))
    link = &e->next;
  if (e != NULL) *link = e->next;
  return e;
}

cp_status cp_context_new_event(cp_context *ctx, cp_device *device, bool timing, bool blocking,
                               cp_event **out) {
  *out = take_given_up(ctx, device, timing, blocking);
  if (*out == NULL) {
    destroy_given_up(ctx);
    CP_TRY(device->ops->event_create(device, timing, blocking, out));
  }
  (*out)->device = device;
  (*out)->timing = timing;
  (*out)->blocking = blocking;
  (*out)->recorded = false;
  (*out)->next = NULL;
  return CP_OK;
}

void cp_context_leave_event(cp_context *ctx, cp_event *e) {
  if (ctx->closed) {
    e->device->ops->event_destroy(e->device, e);
    return;
  }
  e->next = ctx->given_up;
  ctx->given_up = e;
}

double cp_sync_begin(cp_context *ctx) {
  if (ctx == NULL) return 0;
  ctx->counters.synchronizations++;
  return ctx->sync_note != NULL ? cp_clock() : 0;
}

void cp_sync_end(cp_context *ctx, double begin) {
  if (ctx != NULL && ctx->sync_note != NULL) ctx->sync_note(ctx->sync_data, cp_clock() - begin);
}

// Waits for all streams. The owner of an external one that a script named may have destroyed it by now.
static void end_work(cp_context *ctx) {
  for (cp_stream *s = ctx->streams; s != NULL; s = s->next) {
    if (s->options.external && s != ctx->own[s->device->id]) s->handles = 0;
    if (!s->over) (void)s->device->ops->stream_finish(s); // what it found wrong is told when it is destroyed
  }
}

void cp_context_close(cp_context *ctx) {
  cp_memory_forget(ctx);
  end_work(ctx);
  if (ctx->allocators != NULL) { // allocators that are functions of Lua are called for the last time
    cp_allocators_trim(ctx);
    end_work(ctx);
  }
  ctx->closed = true;
  cp_shelves_clear(ctx);
  free_spare(&ctx->pieces);
  free_spare(&ctx->nodes);
  free_spare(&ctx->plans);
  destroy_given_up(ctx);
  cp_graphs_close(ctx);
  for (cp_stream *s = ctx->streams; s != NULL; s = s->next) {
    cp_context_forget_stream(ctx, s);
    cp_allocators_forget_stream(ctx, s);
  }
  cp_allocators_close(ctx);
  while (ctx->streams != NULL) {
    cp_stream *s = ctx->streams;
    ctx->streams = s->next;
    free(s->seen);
    s->device->ops->stream_destroy(s);
  }
  for (int id = 0; id < CP_MAX_DEVICES; id++) ctx->own[id] = ctx->now.streams[id] = NULL;
  cp_raw_close(ctx);
}

double cp_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
