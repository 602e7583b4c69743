// What belongs to one lua_State beside its streams (streams.c): closing it, and its clock.
#include "device/interrupt.h"
#include "device/raw.h"
#include "lazy/capture.h"
#include "memory/allocator.h"
#include "memory/shelf.h"

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

enum { EVENT_BYTES = 1 << 10 }; // what the driver has for one, about

static void destroy_event(cp_context *ctx, cp_event *e) {
  e->device->ops->event_destroy(e->device, e);
  cp_context_drop(ctx, EVENT_BYTES);
}

static void destroy_given_up(cp_context *ctx) {
  while (ctx->given_up != NULL) {
    cp_event *e = ctx->given_up;
    ctx->given_up = e->next;
    destroy_event(ctx, e);
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
    CP_TRY(cp_context_hold(ctx, EVENT_BYTES));
    cp_status status = device->ops->event_create(device, timing, blocking, out);
    if (status != CP_OK) cp_context_drop(ctx, EVENT_BYTES);
    CP_TRY(status);
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
    destroy_event(ctx, e);
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

static cp_status query_event(void *event, bool *done) {
  cp_event *e = event;
  return e->device->ops->event_query(e->device, e, done);
}

cp_status cp_event_synchronize(cp_context *ctx, cp_event *e) {
  double begin = cp_sync_begin(ctx);
  cp_status status = cp_may_end(ctx) ? cp_wait_polling(ctx, query_event, e) : CP_OK;
  if (status == CP_OK) status = e->device->ops->event_synchronize(e->device, e);
  cp_sync_end(ctx, begin);
  return status;
}

// Waits for all streams. The owner of an external one that a script named may have destroyed it by now.
static void end_work(cp_context *ctx) {
  for (int k = ctx->nstreams; k-- > 0;) {
    cp_stream *s = ctx->streams[k];
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
  for (int k = ctx->nstreams; k-- > 0;) {
    cp_context_forget_stream(ctx, ctx->streams[k]);
    cp_allocators_forget_stream(ctx, ctx->streams[k]);
  }
  cp_allocators_close(ctx);
  while (ctx->nstreams > 0) {
    cp_stream *s = ctx->streams[--ctx->nstreams];
    s->device->ops->stream_destroy(s);
  }
  free(ctx->streams);
  ctx->streams = NULL;
  for (int id = 0; id < CP_MAX_DEVICES; id++) ctx->own[id] = ctx->now.streams[id] = NULL;
  cp_raw_close(ctx);
}

static bool fits(const cp_context *ctx, size_t bytes) {
  size_t held = ctx->live_bytes + ctx->held_bytes;
  return ctx->limit == 0 || (held <= ctx->limit && bytes <= ctx->limit - held);
}

static cp_status check_limit(const cp_context *ctx, size_t bytes) {
  if (fits(ctx, bytes)) return CP_OK;
  return cp_fail(CP_EMEMORY, "out of memory: %zu bytes wanted, and this state holds %zu of its limit of %zu",
                 bytes, ctx->live_bytes + ctx->held_bytes, ctx->limit);
}

void cp_context_make_room(cp_context *ctx, size_t bytes) {
  if (!fits(ctx, bytes) && ctx->collect != NULL) cp_pool_collect(ctx, true);
}

cp_status cp_context_charge_limited(cp_context *ctx, size_t bytes) {
  cp_context_make_room(ctx, bytes);
  CP_TRY(check_limit(ctx, bytes));
  ctx->live_bytes += bytes;
  return CP_OK;
}

cp_status cp_context_hold(cp_context *ctx, size_t bytes) {
  CP_TRY(check_limit(ctx, bytes));
  ctx->held_bytes += bytes;
  return CP_OK;
}

double cp_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
