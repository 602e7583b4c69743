// The parts of a context other than streams (streams.c): events, counted waits, and the deferred destruction
// of what finalizers gave up.
#include "device/interrupt.h"
#include "device/runtime.h"

#include <time.h>

enum { EVENT_BYTES = 1 << 10 }; // roughly what the driver allocates for an event

static void destroy_event(cp_context *ctx, cp_event *e) {
  e->device->ops->event_destroy(e->device, e);
  cp_context_drop(ctx, EVENT_BYTES);
}

void cp_context_destroy_events(cp_context *ctx) {
  while (ctx->given_up.events != NULL) {
    cp_event *e = ctx->given_up.events;
    ctx->given_up.events = e->next;
    destroy_event(ctx, e);
  }
}

// Takes an event of this kind out of the list, or returns NULL: reuse saves the driver call that makes one.
static cp_event *take_given_up(cp_context *ctx, const cp_device *device, bool timing, bool blocking) {
  cp_event **link = &ctx->given_up.events, *e;
  while ((e = *link) != NULL &&
         (e->shared || e->device != device || e->timing != timing || e->blocking != blocking))
    link = &e->next;
  if (e != NULL) *link = e->next;
  return e;
}

cp_status cp_context_new_event(cp_context *ctx, cp_device *device, bool timing, bool blocking,
                               cp_event **out) {
  *out = take_given_up(ctx, device, timing, blocking);
  if (*out == NULL) {
    cp_context_destroy_events(ctx);
    CP_TRY(cp_context_hold(ctx, EVENT_BYTES));
    cp_status status = device->ops->event_create(device, timing, blocking, out);
    if (status != CP_OK) cp_context_drop(ctx, EVENT_BYTES);
    CP_TRY(status);
  }
  (*out)->device = device;
  (*out)->timing = timing;
  (*out)->blocking = blocking;
  (*out)->shared = false;
  (*out)->recorded = false;
  (*out)->next = NULL;
  return CP_OK;
}

cp_status cp_context_open_event(cp_context *ctx, cp_device *device, bool blocking, const char *handle,
                                cp_event **out) {
  cp_context_destroy_events(ctx);
  CP_TRY(cp_context_hold(ctx, EVENT_BYTES));
  cp_status status = device->ops->runtime->event_create(device, blocking, handle, out);
  if (status != CP_OK) {
    cp_context_drop(ctx, EVENT_BYTES);
    return status;
  }
  (*out)->device = device;
  (*out)->timing = false;
  (*out)->blocking = blocking;
  (*out)->shared = true;
  (*out)->recorded = handle != NULL; // perhaps by the other process
  (*out)->next = NULL;
  return CP_OK;
}

void cp_context_leave_event(cp_context *ctx, cp_event *e) {
  if (ctx->closed) {
    destroy_event(ctx, e);
    return;
  }
  e->next = ctx->given_up.events;
  ctx->given_up.events = e;
}

double cp_sync_begin(cp_context *ctx) {
  if (ctx == NULL) return 0;
  ctx->counters.synchronizations++;
  return ctx->hooks.sync_note != NULL ? cp_clock() : 0;
}

void cp_sync_end(cp_context *ctx, double begin) {
  if (ctx != NULL && ctx->hooks.sync_note != NULL)
    ctx->hooks.sync_note(ctx->hooks.sync_data, cp_clock() - begin);
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

void cp_context_defer(cp_context *ctx, cp_deferred *d) {
  d->next = ctx->given_up.objects;
  ctx->given_up.objects = d;
}

void cp_context_settle(cp_context *ctx) {
  if (ctx->capture.target.device != NULL) return;
  while (ctx->given_up.objects != NULL) {
    cp_deferred *d = ctx->given_up.objects;
    ctx->given_up.objects = d->next;
    d->destroy(d);
  }
}

double cp_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
