// Copies between host and device. The driver may access pageable host memory after its call has returned (on
// systems where the GPU reaches all host memory), and copies it at a fraction of the bus bandwidth. So host
// memory is copied through pinned buffers of our own:
//
//   up to 64 KB   a staging buffer of the stream: a memcpy and a copy, which to the device needs no wait
//   more          staging buffers of the device (staging.c)
//
// If no pinned memory can be had, the driver copies directly.
#include "cuda/driver/fault.h"
#include "cuda/driver/graph.h"
#include "device/interrupt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  SLOT_MAX = 64 << 10, // largest copy through the stream's staging buffers
  HALF = 256 << 10     // bytes of one of the two buffers
};

// ---- small copies ----

// False when there is no pinned memory; then the driver copies.
static bool have_small_buffers(cp_cuda_device *d, cp_cuda_small_buffers *small_buffers) {
  return small_buffers->memory != NULL ||
         cp_cuda_pin(d, 2 * HALF, 2, &small_buffers->memory, small_buffers->event) == CPCU_SUCCESS;
}

typedef struct awaited {
  cp_cuda_device *device;
  cpcu_event event;
} awaited;

static cp_status query(void *what, bool *done) {
  const awaited *a = what;
  cpcu_result result = a->device->driver->cuEventQuery(a->event);
  *done = result == CPCU_SUCCESS;
  return *done || result == CPCU_ERROR_NOT_READY ? CP_OK : cp_cuda_result(a->device, result, "cuEventQuery");
}

// The host may interrupt this wait, if it may interrupt at all.
static cp_status wait_for_half(cp_cuda_device *d, cp_cuda_stream *s, int half) {
  awaited a = {d, s->small_buffers.event[half]};
  if (cp_may_end(s->base.context)) CP_TRY(cp_wait_polling(s->base.context, query, &a));
  return cp_cuda_result(d, d->driver->cuEventSynchronize(a.event), "cuEventSynchronize");
}

// Pinned memory for a copy of `bytes` that the caller queues on s next. Switching to the other half waits for
// the copies out of it.
static cp_status take_small_buffer(cp_cuda_device *d, cp_cuda_stream *s, size_t bytes, char **small_buffer) {
  cp_cuda_small_buffers *small_buffers = &s->small_buffers;
  if (small_buffers->used + bytes > HALF) {
    CP_TRY(wait_for_half(d, s, small_buffers->current ^ 1));
    CP_TRY(cp_cuda_result(d,
                          d->driver->cuEventRecord(small_buffers->event[small_buffers->current], s->stream),
                          "cuEventRecord"));
    small_buffers->current ^= 1;
    small_buffers->used = 0;
  }
  *small_buffer = small_buffers->memory + (size_t)small_buffers->current * HALF + small_buffers->used;
  small_buffers->used += (bytes + 63) / 64 * 64;
  return CP_OK;
}

static cp_status small_to_device(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src,
                                 size_t bytes) {
  char *small_buffer;
  CP_TRY(take_small_buffer(d, s, bytes, &small_buffer));
  memcpy(small_buffer, src, bytes);
  return cp_cuda_result(d, d->driver->cuMemcpyHtoDAsync(cp_cuda_address(dst), small_buffer, bytes, s->stream),
                        "cuMemcpyHtoDAsync");
}

static cp_status small_to_host(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src,
                               size_t bytes) {
  char *small_buffer;
  CP_TRY(take_small_buffer(d, s, bytes, &small_buffer));
  CP_TRY(cp_cuda_result(d, d->driver->cuMemcpyDtoHAsync(small_buffer, cp_cuda_address(src), bytes, s->stream),
                        "cuMemcpyDtoHAsync"));
  CP_TRY(cp_cuda_stream_synchronize(&s->base));
  memcpy(dst, small_buffer, bytes);
  s->small_buffers.used = 0; // the stream is idle, so all of this half is free
  return CP_OK;
}

cp_status cp_cuda_result_buffer(cp_cuda_stream *s, size_t bytes, char **small_buffer) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  *small_buffer = NULL;
  CP_TRY(cp_cuda_enter(d));
  return have_small_buffers(d, &s->small_buffers) ? take_small_buffer(d, s, bytes, small_buffer) : CP_OK;
}

cp_status cp_cuda_take_result(cp_cuda_stream *s, void *dst, const char *small_buffer, size_t bytes) {
  CP_TRY(cp_cuda_stream_synchronize(&s->base));
  memcpy(dst, small_buffer, bytes);
  s->small_buffers.used = 0; // the stream is idle
  return CP_OK;
}

// ---- by the driver ----

static cp_status plain_copy(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src, size_t bytes,
                            cp_copy_kind kind) {
  if (kind == CP_TO_DEVICE)
    CP_TRY(cp_cuda_result(d, d->driver->cuMemcpyHtoDAsync(cp_cuda_address(dst), src, bytes, s->stream),
                          "cuMemcpyHtoDAsync"));
  else
    CP_TRY(cp_cuda_result(d, d->driver->cuMemcpyDtoHAsync(dst, cp_cuda_address(src), bytes, s->stream),
                          "cuMemcpyDtoHAsync"));
  return cp_cuda_stream_settle(&s->base); // until then the driver may access the caller's memory
}

static cp_status large_copy(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src, size_t bytes,
                            cp_copy_kind kind) {
  bool did = false;
  CP_TRY(cp_cuda_staged_copy(s, dst, src, bytes, kind, &did));
  return did ? CP_OK : plain_copy(d, s, dst, src, bytes, kind);
}

// ---- the device's functions ----

// Records a copy in a graph: each replay copies these bytes to the device.
static cp_status record_copy(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src, size_t bytes,
                             cp_copy_kind kind) {
  void *kept;
  if (kind == CP_TO_HOST) return cp_may_wait(s->base.context, s->base.device);
  CP_TRY(cp_cuda_keep_bytes(s, src, bytes, &kept));
  return cp_cuda_result(d, d->driver->cuMemcpyHtoDAsync(cp_cuda_address(dst), kept, bytes, s->stream),
                        "cuMemcpyHtoDAsync");
}

cp_status cp_cuda_copy(cp_stream *base, void *dst, const void *src, size_t bytes, cp_copy_kind kind) {
  cp_cuda_stream *s = (cp_cuda_stream *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  if (bytes == 0) return CP_OK;
  CP_TRY(cp_cuda_enter(d));
  if (base->capturing && kind != CP_WITHIN) return record_copy(d, s, dst, src, bytes, kind);
  if (kind == CP_WITHIN)
    return cp_cuda_result(
        d, d->driver->cuMemcpyAsync(cp_cuda_address(dst), cp_cuda_address(src), bytes, s->stream),
        "cuMemcpyAsync");
  if (kind == CP_TO_HOST) CP_TRY(cp_cuda_stream_await(base));
  if (bytes > SLOT_MAX || !have_small_buffers(d, &s->small_buffers))
    CP_TRY(large_copy(d, s, dst, src, bytes, kind));
  else if (kind == CP_TO_DEVICE)
    CP_TRY(small_to_device(d, s, dst, src, bytes));
  else
    CP_TRY(small_to_host(d, s, dst, src, bytes));
  return kind == CP_TO_HOST ? cp_cuda_check_faults(s) : CP_OK; // all work queued before is done
}

cp_status cp_cuda_fill_bytes(cp_stream *base, void *dst, int byte, size_t bytes) {
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  if (bytes == 0) return CP_OK;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d,
                        d->driver->cuMemsetD8Async(cp_cuda_address(dst), (unsigned char)byte, bytes,
                                                   ((cp_cuda_stream *)base)->stream),
                        "cuMemsetD8Async");
}
