// The context: everything that belongs to one lua_State, in parts (parts.h). Here are also the functions for
// its streams, events and synchronisation.
#ifndef CP_DEVICE_CONTEXT_H
#define CP_DEVICE_CONTEXT_H

#include "device/parts.h"

struct cp_context {
  uint64_t number; // counts the states that the process has had, from 1 (lua/state/state.c)
  bool closed;     // set by cp_context_close
  cp_current now;  // what the running coroutine has chosen (lua/guards/current.c)
  cp_streams streams;
  cp_given_up given_up;
  cp_interrupt interrupt;
  cp_budget budget;
  cp_counters counters; // the code that does a piece of work counts it
  cp_hooks hooks;
  cp_settings settings;
  cp_generator generator;        // lua/kernels/generator.c
  struct cp_raw_module *modules; // modules of raw kernels (device/raw.c)
  cp_memory memory;
  cp_arrays arrays;
  cp_freed_structs plans;    // plan/plan.c
  cp_freed_structs programs; // cpu/run/phases.c
  cp_capture capture;
  cp_lazy lazy;
};

// Finds the stream that work on device goes to: the current one, which is made at first use, or while a graph
// is captured the one that records it.
cp_status cp_context_find_stream(cp_context *ctx, cp_device *device, cp_stream **out);
static inline cp_status cp_context_stream(cp_context *ctx, cp_device *device, cp_stream **out) {
  cp_stream *chosen = ctx->now.streams[device->id];
  *out = chosen != NULL ? chosen : ctx->streams.own[device->id];
  return *out != NULL && ctx->capture.graph == NULL ? CP_OK : cp_context_find_stream(ctx, device, out);
}
// Sends the following work on device to s (NULL: the state's own stream), until cp_leave_stream gets what
// this function returned. Nothing in between may raise a Lua error.
static inline cp_stream *cp_enter_stream(cp_context *ctx, const cp_device *device, cp_stream *s) {
  cp_stream **slot = &ctx->now.streams[device->id], *before = *slot;
  *slot = s;
  return before;
}
static inline void cp_leave_stream(cp_context *ctx, const cp_device *device, cp_stream *before) {
  ctx->now.streams[device->id] = before;
}
// Finds the current stream, even while a graph is captured.
cp_status cp_context_chosen_stream(cp_context *ctx, cp_device *device, cp_stream **out);
// Finds the state's own stream: the one that work goes to if no other was chosen.
cp_status cp_context_own_stream(cp_context *ctx, cp_device *device, cp_stream **out);
// Makes a stream of the host program the state's own stream; only before the first use of the device. The
// host must keep the stream until the state is closed.
cp_status cp_context_borrow_stream(cp_context *ctx, cp_device *device, uintptr_t pointer);
// Gives a further stream, with one handle for the caller.
cp_status cp_context_new_stream(cp_context *ctx, cp_device *device, const cp_stream_options *options,
                                cp_stream **out);
// Adds a handle (cp_stream.handles).
void cp_stream_add_handle(cp_stream *s);
// Removes a handle. Safe in finalizers.
void cp_stream_remove_handle(cp_stream *s);
// Makes work that `waiter` queues from now on start after the work of `other` up to this sequence number.
cp_status cp_stream_after(cp_context *ctx, cp_stream *waiter, cp_stream *other, uint64_t sequence);
// Waits for all of this state's work on device (NULL: on all devices), and counts as one synchronisation.
cp_status cp_context_synchronize(cp_context *ctx, const cp_device *device);
// The same for the library's own purposes, for example when memory goes back to its owner: it does not count
// as a synchronisation, because no script asked for it.
cp_status cp_context_finish(cp_context *ctx, const cp_device *device);
cp_status cp_stream_synchronize(cp_stream *s);
// The host calls these two around every wait for a device: they count it, and notify the hook of
// cp.profiler.trace_sync. Pass the result of begin to end.
double cp_sync_begin(cp_context *ctx);
// CP_EUSAGE while work on the device (NULL: on any) is being recorded for a graph: the work has not run, so
// it cannot be waited for.
cp_status cp_may_wait(const cp_context *ctx, const cp_device *device);
void cp_sync_end(cp_context *ctx, double begin);
// Waits for the work that was queued before the event was recorded.
cp_status cp_event_synchronize(cp_context *ctx, cp_event *e);
// Gives an event: one that finalizers gave up, or a new one. If none of those given up is of the right kind,
// all of them are destroyed.
cp_status cp_context_new_event(cp_context *ctx, cp_device *device, bool timing, bool blocking,
                               cp_event **out);
// A new event that other processes may use, or with a handle (CP_IPC_BYTES bytes) the event of another
// process. The device must have runtime->event_create.
cp_status cp_context_open_event(cp_context *ctx, cp_device *device, bool blocking, const char *handle,
                                cp_event **out);
// Gives an event up, for later use or destruction. Safe in finalizers.
void cp_context_leave_event(cp_context *ctx, cp_event *e);
// Destroys the events that were given up.
void cp_context_destroy_events(cp_context *ctx);
// Leaves d for the next cp_context_settle to destroy.
void cp_context_defer(cp_context *ctx, cp_deferred *d);
// Destroys the objects that finalizers gave up, after waiting for their work. Does nothing while a graph is
// captured.
void cp_context_settle(cp_context *ctx);

// Undoes cp_context_hold.
static inline void cp_context_drop(cp_context *ctx, size_t bytes) { ctx->budget.held_bytes -= bytes; }

double cp_clock(void); // monotonic seconds

#endif
