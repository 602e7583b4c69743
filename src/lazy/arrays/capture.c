// Captures graphs, launches them, and manages what they hold.
#include "lazy/arrays/capture.h"

#include "lazy/evaluation/force.h"
#include "lazy/expression/pending_list.h"
#include "lazy/work/order.h"

#include <stdlib.h>

// ---- pending values ---------------------------------------------------------------------------------------

// Forces all pending values, also those that others depend on: each belongs either to the capture or to the
// time outside of it.
static cp_status force_all(cp_context *ctx) {
  cp_status status = CP_OK;
  cp_pending_walk walk;
  cp_pending_begin(ctx, &walk);
  for (cp_node *n = cp_pending_next(&walk); n != NULL; n = status == CP_OK ? cp_pending_next(&walk) : NULL)
    status = cp_force_listed(ctx, n);
  cp_pending_end(ctx, &walk);
  return status;
}

// Gives memory of their own to arrays that wait for a leaf on b.
static cp_status settle_readers(cp_context *ctx, cp_buffer *b) {
  if (b->readers == NULL) return CP_OK;
  for (cp_node *n = b->readers; n != NULL; n = n->next) n->touched = true;
  cp_buffer_retain(b);
  cp_status status = cp_force_touched(ctx, b, NULL);
  for (cp_node *n = b->readers; n != NULL; n = n->next) n->touched = false;
  cp_buffer_release(b);
  return status;
}

static cp_status settle_all_readers(cp_graph *g) {
  for (size_t k = 0; k < g->nused; k++) CP_TRY(settle_readers(g->ctx, g->used[k].buffer));
  for (cp_block *b = g->reserve.blocks; b != NULL; b = b->graph_next)
    if (b->holder != NULL) CP_TRY(settle_readers(g->ctx, b->holder));
  return CP_OK;
}

// ---- what a graph holds -----------------------------------------------------------------------------------

// Keeps the buffer's address fixed. If the graph writes the buffer, pending values must not read it, because
// a replay would change what they read.
static void fix(cp_buffer *b, bool written) {
  b->fixed++;
  if (!written) return;
  b->rewritten++;
  b->exposed |= CP_EXPOSED_GRAPH;
  cp_buffer_forget(b);
}

static void unfix(cp_buffer *b, bool written) {
  b->fixed--;
  if (written && --b->rewritten == 0) b->exposed &= ~(unsigned)CP_EXPOSED_GRAPH;
}

static void fix_all(cp_graph *g) {
  for (size_t k = 0; k < g->nused; k++) fix(g->used[k].buffer, g->used[k].written);
  for (cp_block *b = g->reserve.blocks; b != NULL; b = b->graph_next)
    if (b->holder != NULL) fix(b->holder, true);
}

static void release_memory(cp_graph *g) {
  bool fixed = g->phase == CP_GRAPH_READY;
  for (cp_block *b = g->reserve.blocks; b != NULL; b = b->graph_next)
    if (fixed && b->holder != NULL) unfix(b->holder, true);
  cp_reserve_dissolve(g->ctx, &g->reserve, g->last);
  for (size_t k = 0; k < g->nused; k++) {
    if (fixed) unfix(g->used[k].buffer, g->used[k].written);
    cp_buffer_release(g->used[k].buffer);
  }
  free(g->used);
  g->used = NULL;
  g->nused = g->used_room = 0;
  g->phase = CP_GRAPH_DEAD;
}

// ---- capturing --------------------------------------------------------------------------------------------

static cp_status take_recorder(cp_context *ctx, cp_device *device, const cp_graph *older, cp_stream **out) {
  static const cp_stream_options options = {.non_blocking = true};
  cp_stream **place = &ctx->capture.recorders;
  *out = older != NULL ? older->recorder : NULL;
  while (*out == NULL && *place != NULL && (*place)->device != device) place = &(*place)->next;
  if (*out == NULL && *place != NULL) {
    *out = *place;
    *place = (*place)->next;
  }
  if (*out == NULL) {
    CP_TRY(device->ops->stream_create(device, &options, out));
    (*out)->context = ctx;
    (*out)->device = device;
  }
  (*out)->handles++;
  return CP_OK;
}

static void leave_recorder(cp_graph *g) {
  cp_stream *s = g->recorder;
  if (s == NULL || --s->handles > 0) return;
  s->next = g->ctx->capture.recorders;
  g->ctx->capture.recorders = s;
}

static cp_status check_begin(const cp_context *ctx, const cp_device *device, const cp_graph *older) {
  if (ctx->capture.graph != NULL || ctx->capture.paused != NULL)
    return cp_fail(CP_EUSAGE, "a graph is being captured already");
  if (older == NULL) return CP_OK;
  if (older->phase != CP_GRAPH_READY) return cp_fail(CP_EUSAGE, "the graph was freed");
  if (older->device == device) return CP_OK;
  return cp_fail(CP_EUSAGE, "the graph belongs to %s, but the current device is %s", older->device->name,
                 device->name);
}

static void destroy(cp_deferred *dead) {
  cp_graph *g = (cp_graph *)dead;
  if (g->commands != NULL) {
    (void)g->device->ops->stream_finish(g->last); // the stream keeps a failure for its next synchronisation
    g->device->ops->graph->destroy(g->commands, g->last);
  }
  for (size_t k = 0; k < g->nkept; k++) g->kept[k].release(g->kept[k].object);
  free(g->kept);
  leave_recorder(g);
  cp_context_drop(g->ctx, g->charge);
  free(g);
}

// Releases the graph's memory now, and the rest at the next safe point.
static void give_up(cp_graph *g) {
  release_memory(g);
  g->dead.destroy = destroy;
  cp_context_defer(g->ctx, &g->dead);
}

static void end_capture(cp_graph *g) {
  cp_recording_leave(g->ctx);
  if (g->ctx->streams.count == g->nstreams) g->ctx->streams.concurrent = g->was_concurrent;
}

cp_status cp_capture_begin(cp_context *ctx, cp_device *device, cp_graph *older, cp_graph **out) {
  cp_stream *home;
  CP_TRY(check_begin(ctx, device, older));
  CP_TRY(cp_context_stream(ctx, device, &home));
  CP_TRY(force_all(ctx));
  cp_context_settle(ctx);
  if (older != NULL) CP_TRY(device->ops->stream_synchronize(older->last)); // both share the recorder's memory
  CP_TRY(check_begin(ctx, device, older));                                 // again, as finalizers have run
  cp_graph *g = calloc(1, sizeof *g);
  if (g == NULL) return cp_no_memory("capturing a graph");
  g->ctx = ctx;
  g->device = device;
  g->reserve.home = g->last = home;
  cp_status status = take_recorder(ctx, device, older, &g->recorder);
  if (status == CP_OK) status = device->ops->graph->begin(ctx, g->recorder);
  if (status != CP_OK) {
    leave_recorder(g);
    free(g);
    return status;
  }
  g->was_concurrent = ctx->streams.concurrent;
  g->nstreams = ctx->streams.count;
  ctx->streams.concurrent = true; // so that every use of memory is recorded (order.c)
  ctx->capture.count++;
  cp_recording_enter(g);
  *out = g;
  return CP_OK;
}

void cp_capture_cancel(cp_graph *g) {
  end_capture(g);
  g->device->ops->graph->cancel(g->recorder);
  give_up(g);
}

cp_status cp_capture_finish(cp_graph *g, cp_graph *older) {
  cp_context *ctx = g->ctx;
  ctx->hooks.collect(ctx->hooks.collect_data, true); // so that values of dead arrays are not computed
  cp_status status = force_all(ctx);
  if (status == CP_OK) status = settle_all_readers(g);
  if (status != CP_OK) {
    cp_capture_cancel(g);
    return status;
  }
  end_capture(g);
  cp_command_buffer *replaced = older != NULL ? older->commands : NULL;
  status = g->device->ops->graph->finish(g->recorder, replaced, &g->commands);
  if (status != CP_OK) {
    give_up(g);
    return status;
  }
  fix_all(g);
  g->phase = CP_GRAPH_READY;
  g->sequence = ++g->last->issued; // the first launch comes after work done outside during the capture
  g->commands->graph = g;
  g->commands->next = ctx->capture.command_buffers;
  ctx->capture.command_buffers = g->commands;
  return CP_OK;
}

// ---- launching --------------------------------------------------------------------------------------------

// Records the graph's uses of memory for a launch on s, which then waits for other streams that use the same
// memory.
static cp_status note_uses(cp_graph *g, cp_stream *s) {
  for (size_t k = 0; k < g->nused; k++)
    CP_TRY((g->used[k].written ? cp_track_write : cp_track_read)(g->ctx, s, g->used[k].buffer));
  for (cp_block *b = g->reserve.blocks; b != NULL; b = b->graph_next)
    if (b->holder != NULL) CP_TRY(cp_track_write(g->ctx, s, b->holder));
  return CP_OK;
}

cp_status cp_graph_launch(cp_graph *g) {
  cp_context *ctx = g->ctx;
  cp_stream *s;
  if (g->phase != CP_GRAPH_READY) return cp_fail(CP_EUSAGE, "the graph was freed");
  if (ctx->capture.graph != NULL)
    return cp_fail(CP_EUSAGE, "a graph is being captured, and another one cannot run inside");
  cp_context_settle(ctx);
  CP_TRY(cp_context_stream(ctx, g->device, &s));
  if (ctx->streams.concurrent) CP_TRY(note_uses(g, s));
  if (g->last != s) CP_TRY(cp_stream_after(ctx, s, g->last, g->sequence));
  CP_TRY(g->device->ops->graph->launch(ctx, g->commands, s));
  ctx->counters.launches++;
  g->last = s;
  g->sequence = ++s->issued;
  return CP_OK;
}

// ---- destroying -------------------------------------------------------------------------------------------

void cp_graph_leave(cp_graph *g) {
  if (g->phase != CP_GRAPH_READY) return;
  cp_command_buffer **link = &g->ctx->capture.command_buffers;
  while (*link != g->commands) link = &(*link)->next;
  *link = g->commands->next;
  give_up(g);
}

void cp_graphs_close(cp_context *ctx) {
  cp_capture_resume(ctx, ctx->capture.paused);
  if (ctx->capture.graph != NULL) cp_capture_cancel(ctx->capture.graph); // the script ended during a capture
  while (ctx->capture.command_buffers != NULL) cp_graph_leave(ctx->capture.command_buffers->graph);
  cp_context_settle(ctx);
  while (ctx->capture.recorders != NULL) {
    cp_stream *s = ctx->capture.recorders;
    ctx->capture.recorders = s->next;
    s->device->ops->stream_destroy(s);
  }
}
