// Streams and events of the CUDA device.
//
// Streams do not synchronise with the legacy default stream. Other threads than a stream's own may wait for
// it (the pool moves blocks from stream to stream), so its event is created with it. If two threads record an
// event at once, both wait for the later of the two points, which is harmless.
#include "cuda/driver/fault.h"

#include "cuda/driver/graph.h"
#include "device/interrupt.h"

#include <stdlib.h>
#include <string.h>

typedef struct cuda_event {
  cp_event base;
  cpcu_event event;
} cuda_event;

static inline cpcu_event handle_of(cp_event *e) { return ((cuda_event *)e)->event; }

// Their copies must be done. The context is current.
static void free_small_buffers(const cp_cuda_device *d, cp_cuda_small_buffers *small_buffers) {
  if (small_buffers->memory == NULL) return;
  for (int k = 0; k < 2; k++) d->driver->cuEventDestroy(small_buffers->event[k]);
  d->driver->cuMemFreeHost(small_buffers->memory);
  small_buffers->memory = NULL;
}

static void free_retired(cp_cuda_stream *s) {
  while (s->retired != NULL) {
    cp_cuda_retired *r = s->retired;
    s->retired = r->next;
    (void)cp_cuda_device_of(&s->base)->driver->cuMemFree(r->memory);
    free(r);
  }
}

// ---- streams ----

// Checks an external handle first, since the driver rejects most invalid handles but dereferences them.
static cp_status check_external(cp_cuda_device *d, uintptr_t pointer) {
  static const uintptr_t last_special = 2, // 0, 1 and 2 are CUDA's default streams
      first_page = 4096, end = (uintptr_t)1 << 47;
  cpcu_context context = NULL;
  if (pointer <= last_special) return CP_OK;
  if (pointer < first_page || pointer >= end || pointer % sizeof(void *) != 0)
    return cp_fail(CP_EUSAGE, "%lld is not the handle of a CUDA stream", (long long)pointer);
  CP_TRY(cp_cuda_result(d, d->driver->cuStreamGetCtx((cpcu_stream)pointer, &context), "cuStreamGetCtx"));
  if (context == d->context) return CP_OK;
  return cp_fail(CP_EUSAGE, "the stream does not belong to the CUDA context that %s uses", d->base.name);
}

static cp_status make_stream(cp_cuda_device *d, const cp_stream_options *o, cp_cuda_stream *s) {
  const cpcu_driver *cu = d->driver;
  unsigned flags = o->non_blocking ? CPCU_STREAM_NON_BLOCKING : CPCU_STREAM_DEFAULT;
  CP_TRY(cp_cuda_enter(d));
  if (o->external) CP_TRY(check_external(d, o->pointer));
  if (o->external)
    s->stream = (cpcu_stream)o->pointer;
  else
    CP_TRY(cp_cuda_result(d, cu->cuStreamCreateWithPriority(&s->stream, flags, o->priority),
                          "cuStreamCreateWithPriority"));
  return cp_cuda_result(d, cu->cuEventCreate(&s->event, CPCU_EVENT_DISABLE_TIMING), "cuEventCreate");
}

cp_status cp_cuda_stream_create(cp_device *d, const cp_stream_options *options, cp_stream **out) {
  *out = NULL;
  cp_cuda_stream *s = calloc(1, sizeof *s);
  if (s == NULL) return cp_no_memory("making a stream");
  s->base.device = d;
  s->base.options = *options;
  cp_status status = make_stream((cp_cuda_device *)d, options, s);
  if (status == CP_OK)
    *out = &s->base;
  else
    cp_cuda_stream_destroy(&s->base);
  return status;
}

// If the driver can no longer be used (after a fault, or in a forked child), its objects are left to the
// process's end.
void cp_cuda_stream_destroy(cp_stream *base) {
  cp_cuda_stream *s = (cp_cuda_stream *)base;
  cp_cuda_device *d = cp_cuda_device_of(base);
  bool ours = !base->options.external && s->stream != NULL;
  if (cp_cuda_enter(d) == CP_OK) {
    if (ours) (void)cp_cuda_result(d, d->driver->cuStreamSynchronize(s->stream), "cuStreamSynchronize");
    cp_cuda_clear_unsynced(s);
    if (s->math != NULL) s->close_math(s);
    cp_cuda_free_faults(s);
    free_small_buffers(d, &s->small_buffers);
    if (s->workspace != 0) d->driver->cuMemFree(s->workspace);
    if (s->counters != 0) d->driver->cuMemFree(s->counters);
    if (s->table != 0) d->driver->cuMemFree(s->table);
    free_retired(s);
    if (s->event != NULL) d->driver->cuEventDestroy(s->event);
    if (ours) d->driver->cuStreamDestroy(s->stream);
  }
  free(s);
}

// The owner of an external stream without handles may have destroyed it, so all of the device's work is
// waited for instead.
static bool is_abandoned(const cp_stream *s) { return s->options.external && (s->handles == 0 || s->closed); }

cp_status cp_cuda_stream_finish(cp_stream *s) {
  cp_cuda_device *d = cp_cuda_device_of(s);
  CP_TRY(cp_cuda_enter(d));
  if (s->capturing) return cp_may_wait(s->context, s->device);
  if (is_abandoned(s)) return cp_cuda_wait_for_context(d);
  return cp_cuda_result(d, d->driver->cuStreamSynchronize(((cp_cuda_stream *)s)->stream),
                        "cuStreamSynchronize");
}

cp_status cp_cuda_stream_settle(cp_stream *s) {
  CP_TRY(cp_cuda_stream_finish(s));
  cp_cuda_clear_unsynced((cp_cuda_stream *)s);
  return cp_cuda_check_faults((cp_cuda_stream *)s);
}

// Sets *done to whether the work is complete; on failure *done is unchanged.
static cp_status answer(cp_cuda_device *d, cpcu_result result, const char *call, bool *done) {
  if (result != CPCU_ERROR_NOT_READY) CP_TRY(cp_cuda_result(d, result, call));
  *done = result == CPCU_SUCCESS;
  return CP_OK;
}

cp_status cp_cuda_stream_query(cp_stream *s, bool *done) {
  cp_cuda_device *d = cp_cuda_device_of(s);
  CP_TRY(cp_cuda_enter(d));
  return answer(d, d->driver->cuStreamQuery(((cp_cuda_stream *)s)->stream), "cuStreamQuery", done);
}

static cp_status query_stream(void *s, bool *done) { return cp_cuda_stream_query(s, done); }

cp_status cp_cuda_stream_await(cp_stream *s) {
  if (!cp_may_end(s->context) || s->capturing || is_abandoned(s)) return CP_OK;
  return cp_wait_polling(s->context, query_stream, s);
}

cp_status cp_cuda_stream_synchronize(cp_stream *s) {
  CP_TRY(cp_cuda_stream_await(s));
  return cp_cuda_stream_settle(s);
}

cp_status cp_cuda_stream_mark(cp_stream *base) {
  cp_cuda_device *d = cp_cuda_device_of(base);
  cp_cuda_stream *s = (cp_cuda_stream *)base;
  CP_TRY(cp_cuda_enter(d));
  if (is_abandoned(base)) return cp_cuda_wait_for_context(d);
  return cp_cuda_result(d, d->driver->cuEventRecord(s->event, s->stream), "cuEventRecord");
}

cp_status cp_cuda_stream_follow(cp_stream *waiter, cp_stream *other) {
  cp_cuda_device *d = cp_cuda_device_of(waiter);
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(
      d,
      d->driver->cuStreamWaitEvent(((cp_cuda_stream *)waiter)->stream, ((cp_cuda_stream *)other)->event, 0),
      "cuStreamWaitEvent");
}

cp_status cp_cuda_stream_wait(cp_stream *waiter, cp_stream *other) {
  if (waiter == other) return CP_OK;
  if (other->device->ops != waiter->device->ops) return other->device->ops->stream_synchronize(other);
  CP_TRY(cp_cuda_stream_mark(other));
  return cp_cuda_stream_follow(waiter, other);
}

uintptr_t cp_cuda_stream_pointer(cp_stream *s) { return (uintptr_t)((cp_cuda_stream *)s)->stream; }

void cp_cuda_priorities(cp_device *base, int *least, int *greatest) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  *least = *greatest = 0;
  if (cp_cuda_enter(d) == CP_OK) (void)d->driver->cuCtxGetStreamPriorityRange(least, greatest);
}

// ---- events ----

cp_status cp_cuda_event_create(cp_device *base, bool timing, bool blocking, cp_event **out) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  unsigned flags = (timing ? CPCU_EVENT_DEFAULT : CPCU_EVENT_DISABLE_TIMING) |
                   (blocking ? CPCU_EVENT_BLOCKING_SYNC : CPCU_EVENT_DEFAULT);
  *out = NULL;
  CP_TRY(cp_cuda_enter(d));
  cuda_event *e = calloc(1, sizeof *e);
  if (e == NULL) return cp_no_memory("making an event");
  cp_status status = cp_cuda_result(d, d->driver->cuEventCreate(&e->event, flags), "cuEventCreate");
  if (status == CP_OK)
    *out = &e->base;
  else
    free(e);
  return status;
}

cp_status cp_cuda_event_open(cp_device *base, bool blocking, const char *handle, cp_event **out) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  const unsigned flags =
      CPCU_EVENT_INTERPROCESS | CPCU_EVENT_DISABLE_TIMING | (blocking ? CPCU_EVENT_BLOCKING_SYNC : 0u);
  cpcu_ipc_event h;
  *out = NULL;
  if (handle != NULL) memcpy(&h, handle, sizeof h);
  CP_TRY(cp_cuda_enter(d));
  cuda_event *e = calloc(1, sizeof *e);
  if (e == NULL) return cp_no_memory("making an event");
  cp_status status =
      handle == NULL
          ? cp_cuda_result(d, d->driver->cuEventCreate(&e->event, flags), "cuEventCreate")
          : cp_cuda_result(d, d->driver->cuIpcOpenEventHandle(&e->event, h), "cuIpcOpenEventHandle");
  if (status == CP_OK)
    *out = &e->base;
  else
    free(e);
  return status;
}

cp_status cp_cuda_event_share(cp_event *e, char *handle) {
  cp_cuda_device *d = (cp_cuda_device *)e->device;
  cpcu_ipc_event h;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(cp_cuda_result(d, d->driver->cuIpcGetEventHandle(&h, handle_of(e)), "cuIpcGetEventHandle"));
  memcpy(handle, &h, sizeof h);
  return CP_OK;
}

void cp_cuda_event_destroy(cp_device *base, cp_event *e) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  if (e == NULL) return;
  if (cp_cuda_enter(d) == CP_OK) d->driver->cuEventDestroy(handle_of(e));
  free(e);
}

cp_status cp_cuda_event_record(cp_stream *s, cp_event *e) {
  cp_cuda_device *d = cp_cuda_device_of(s);
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d, d->driver->cuEventRecord(handle_of(e), ((cp_cuda_stream *)s)->stream),
                        "cuEventRecord");
}

cp_status cp_cuda_event_wait(cp_stream *s, cp_event *e) {
  cp_cuda_device *d = cp_cuda_device_of(s);
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d, d->driver->cuStreamWaitEvent(((cp_cuda_stream *)s)->stream, handle_of(e), 0),
                        "cuStreamWaitEvent");
}

cp_status cp_cuda_event_query(cp_device *base, cp_event *e, bool *done) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  CP_TRY(cp_cuda_enter(d));
  return answer(d, d->driver->cuEventQuery(handle_of(e)), "cuEventQuery", done);
}

uintptr_t cp_cuda_event_pointer(cp_event *e) { return (uintptr_t)handle_of(e); }

cp_status cp_cuda_event_synchronize(cp_device *base, cp_event *e) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d, d->driver->cuEventSynchronize(handle_of(e)), "cuEventSynchronize");
}

cp_status cp_cuda_event_elapsed(cp_device *base, cp_event *start, cp_event *end, double *milliseconds) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  float elapsed = 0;
  CP_TRY(cp_cuda_event_synchronize(base, start));
  CP_TRY(cp_cuda_event_synchronize(base, end));
  cpcu_result result = d->driver->cuEventElapsedTime(&elapsed, handle_of(start), handle_of(end));
  if (result == CPCU_ERROR_INVALID_HANDLE)
    return cp_fail(
        CP_EUSAGE,
        "both events must have been recorded on one device before the time between them can be measured");
  CP_TRY(cp_cuda_result(d, result, "cuEventElapsedTime"));
  *milliseconds = (double)elapsed;
  return CP_OK;
}
