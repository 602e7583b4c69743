// What belongs to one lua_State, in parts (parts.h), and its streams, events and memory.
#ifndef CP_DEVICE_CONTEXT_H
#define CP_DEVICE_CONTEXT_H

#include "device/parts.h"

struct cp_context {
  uint64_t number; // of all states that the process had, from 1 (lua/support/state.c)
  bool closed;     // set by cp_context_close
  cp_current now;  // of the coroutine that runs (lua/support/current.c)
  cp_streams streams;
  cp_given_up given_up;
  cp_interrupt interrupt;
  cp_budget budget;
  cp_counters counters; // whoever does the work counts it
  cp_hooks hooks;
  cp_settings settings;
  cp_generator generator;        // lua/kernels/generator.c
  struct cp_raw_module *modules; // device/raw.c: of raw kernels
  cp_memory memory;
  cp_arrays arrays;
  cp_freed_structs plans; // plan/plan.c
  cp_capture capture;
  cp_lazy lazy;
};

// The stream that work on device goes to: the current one, made at first use; while a graph is captured the
// one that records it.
cp_status cp_context_find_stream(cp_context *ctx, cp_device *device, cp_stream **out);
static inline cp_status cp_context_stream(cp_context *ctx, cp_device *device, cp_stream **out) {
  cp_stream *chosen = ctx->now.streams[device->id];
  *out = chosen != NULL ? chosen : ctx->streams.own[device->id];
  return *out != NULL && ctx->capture.graph == NULL ? CP_OK : cp_context_find_stream(ctx, device, out);
}
// Has the work on device that follows go to s (NULL: the state's own stream), until cp_leave_stream gets what
// this returns. Nothing in between may raise.
static inline cp_stream *cp_enter_stream(cp_context *ctx, const cp_device *device, cp_stream *s) {
  cp_stream **slot = &ctx->now.streams[device->id], *before = *slot;
  *slot = s;
  return before;
}
static inline void cp_leave_stream(cp_context *ctx, const cp_device *device, cp_stream *before) {
  ctx->now.streams[device->id] = before;
}
// The current one in any case.
cp_status cp_context_chosen_stream(cp_context *ctx, cp_device *device, cp_stream **out);
// The stream that work goes to where no other was chosen.
cp_status cp_context_own_stream(cp_context *ctx, cp_device *device, cp_stream **out);
// Makes a stream of the host program's that one; before the first use of the device. The host keeps it until
// the state is closed.
cp_status cp_context_borrow_stream(cp_context *ctx, cp_device *device, uintptr_t pointer);
// A further stream; one handle is the caller's.
cp_status cp_context_new_stream(cp_context *ctx, cp_device *device, const cp_stream_options *options,
                                cp_stream **out);
// A handle comes.
void cp_stream_hand(cp_stream *s);
// A handle goes. Safe in finalizers.
void cp_stream_unhand(cp_stream *s);
// Work that waiter queues from now on starts after the work of other up to this ticket.
cp_status cp_stream_after(cp_context *ctx, cp_stream *waiter, cp_stream *other, uint64_t sequence);
// Waits for all of this state's work on device (all devices when NULL); the first one counts as a
// synchronisation.
cp_status cp_context_synchronize(cp_context *ctx, const cp_device *device);
// The same for the library's own purposes, as when memory goes back to its owner: no synchronisation that a
// script asked for.
cp_status cp_context_finish(cp_context *ctx, const cp_device *device);
cp_status cp_stream_synchronize(cp_stream *s);
// Every wait of the host for a device passes here: counts it, and tells who asked (cp.profiler.trace_sync).
// begin's result goes to end.
double cp_sync_begin(cp_context *ctx);
// CP_EUSAGE while work of the device (NULL: of any) is being recorded for a graph: none of it is done, so it
// cannot be waited for.
cp_status cp_may_wait(const cp_context *ctx, const cp_device *device);
void cp_sync_end(cp_context *ctx, double begin);
// Waits for what the event was recorded behind.
cp_status cp_event_synchronize(cp_context *ctx, cp_event *e);
// Events: one of those that finalizers left, or a new one; when none of them is of the right kind they are
// destroyed.
cp_status cp_context_new_event(cp_context *ctx, cp_device *device, bool timing, bool blocking,
                               cp_event **out);
void cp_context_leave_event(cp_context *ctx, cp_event *e);
// Destroys the events that finalizers left.
void cp_context_destroy_events(cp_context *ctx);
// Has d destroyed by the next cp_context_settle.
void cp_context_defer(cp_context *ctx, cp_deferred *d);
// Destroys what finalizers gave up; waits for its work. Does nothing while a graph is captured.
void cp_context_settle(cp_context *ctx);

// Takes back what cp_context_hold counted.
static inline void cp_context_drop(cp_context *ctx, size_t bytes) { ctx->budget.held_bytes -= bytes; }

double cp_clock(void); // monotonic seconds

#endif
