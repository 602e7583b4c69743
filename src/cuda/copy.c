// Copies between host and device. The driver may read or write pageable host memory after its call returned
// (on systems where the GPU reaches all of the host's memory), and moves it at a fraction of the bus's rate,
// so host memory goes through pinned buffers of our own:
//
//   up to 32 KB   a slot of the stream's two small buffers: a memcpy and a copy, to the device without a wait
//   more          chunks, with a lane of two pinned buffers: while the bus works on one, the thread copies the
//                 other. Above 4 MB several threads do so at once, each with its lane. Chunks may go in any order:
//                 the stream has all of them between what was queued before and what comes later. To the device
//                 the call returns when all chunks are in pinned memory, and never waits for the stream.
//   up to 4 MB, to the host: the driver's copy, which is quicker than a chunk that waits for itself
//
// Lanes are kept by the device for the next copy; a lane's events say when its buffers are free again.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sched_getaffinity
#endif
#include "cuda/graph.h"
#include "cuda/index.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  SLOT_MAX = 32 << 10,   // largest copy through a slot
  HALF = 128 << 10,      // bytes of one of the small buffers
  LARGE = 4 << 20,       // from here on several threads
  CHUNK = CP_CUDA_CHUNK, // bytes of one of a lane's buffers, and the most that is copied at once
  SMALL_CHUNK = 512 << 10,
  MAX_LANES = 8
};

static cpcu_deviceptr address(const void *p) { return (cpcu_deviceptr)(uintptr_t)p; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// ---- pinned buffers ----

// Two events and pinned memory of `bytes`; on failure nothing is left.
static cpcu_result pin(cp_cuda_device *d, size_t bytes, char **memory, cpcu_event event[2]) {
  const cpcu_driver *cu = d->driver;
  void *p = NULL;
  event[0] = event[1] = NULL;
  cpcu_result result = cu->cuMemHostAlloc(&p, bytes, CPCU_MEMHOSTALLOC_PORTABLE);
  if (result != CPCU_SUCCESS) return result;
  for (int k = 0; k < 2 && result == CPCU_SUCCESS; k++)
    result = cu->cuEventCreate(&event[k], CPCU_EVENT_DISABLE_TIMING);
  if (result == CPCU_SUCCESS) {
    *memory = p;
    return result;
  }
  if (event[0] != NULL) cu->cuEventDestroy(event[0]);
  cu->cuMemFreeHost(p);
  event[0] = NULL;
  return result;
}

void cp_cuda_slots_free(cp_cuda_device *d, cp_cuda_slots *slots) {
  if (slots->memory == NULL) return;
  for (int k = 0; k < 2; k++) d->driver->cuEventDestroy(slots->event[k]);
  d->driver->cuMemFreeHost(slots->memory);
  slots->memory = NULL;
}

// ---- small copies ----

// False when there is no pinned memory: then the driver copies.
static bool have_slots(cp_cuda_device *d, cp_cuda_slots *slots) {
  return slots->memory != NULL || pin(d, 2 * HALF, &slots->memory, slots->event) == CPCU_SUCCESS;
}

// Pinned memory for a copy of `bytes` that the caller queues on s next. Turning to the other half waits for
// the copies out of it.
static cp_status take_slot(cp_cuda_device *d, cp_cuda_stream *s, size_t bytes, char **slot) {
  cp_cuda_slots *slots = &s->slots;
  if (slots->used + bytes > HALF) {
    CP_TRY(cp_cuda_result(d, d->driver->cuEventRecord(slots->event[slots->current], s->stream),
                          "cuEventRecord"));
    slots->current ^= 1;
    slots->used = 0;
    CP_TRY(
        cp_cuda_result(d, d->driver->cuEventSynchronize(slots->event[slots->current]), "cuEventSynchronize"));
  }
  *slot = slots->memory + (size_t)slots->current * HALF + slots->used;
  slots->used += (bytes + 63) / 64 * 64;
  return CP_OK;
}

static cp_status small_to_device(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src,
                                 size_t bytes) {
  char *slot;
  CP_TRY(take_slot(d, s, bytes, &slot));
  memcpy(slot, src, bytes);
  return cp_cuda_result(d, d->driver->cuMemcpyHtoDAsync(address(dst), slot, bytes, s->stream),
                        "cuMemcpyHtoDAsync");
}

static cp_status small_to_host(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src,
                               size_t bytes) {
  char *slot;
  CP_TRY(take_slot(d, s, bytes, &slot));
  CP_TRY(cp_cuda_result(d, d->driver->cuMemcpyDtoHAsync(slot, address(src), bytes, s->stream),
                        "cuMemcpyDtoHAsync"));
  CP_TRY(cp_cuda_stream_synchronize(&s->base));
  memcpy(dst, slot, bytes);
  s->slots.used = 0; // the stream is empty, so all of this half is free
  return CP_OK;
}

cp_status cp_cuda_result_slot(cp_cuda_stream *s, size_t bytes, char **slot) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  *slot = NULL;
  CP_TRY(cp_cuda_enter(d));
  return have_slots(d, &s->slots) ? take_slot(d, s, bytes, slot) : CP_OK;
}

cp_status cp_cuda_take_result(cp_cuda_stream *s, void *dst, const char *slot, size_t bytes) {
  CP_TRY(cp_cuda_stream_synchronize(&s->base));
  memcpy(dst, slot, bytes);
  s->slots.used = 0; // the stream is empty
  return CP_OK;
}

// ---- by the driver ----

static cp_status plain_copy(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src, size_t bytes,
                            cp_copy_kind kind) {
  if (kind == CP_TO_DEVICE)
    CP_TRY(cp_cuda_result(d, d->driver->cuMemcpyHtoDAsync(address(dst), src, bytes, s->stream),
                          "cuMemcpyHtoDAsync"));
  else
    CP_TRY(cp_cuda_result(d, d->driver->cuMemcpyDtoHAsync(dst, address(src), bytes, s->stream),
                          "cuMemcpyDtoHAsync"));
  return cp_cuda_stream_synchronize(&s->base);
}

// ---- by lanes ----

// One large copy. Its threads take chunks until there are none or one of them failed.
typedef struct job {
  cp_cuda_device *device;
  cpcu_stream stream;
  char *dst;
  const char *src;
  size_t bytes, chunk;
  cp_copy_kind kind;
  atomic_size_t taken; // bytes handed out
  atomic_bool stop;
} job;

typedef struct worker {
  job *job;
  cp_cuda_lane *lane;
  pthread_t thread;
  cpcu_result result;
  const char *call; // that failed
} worker;

typedef struct chunk {
  size_t offset, bytes; // bytes 0: none
} chunk;

static chunk take_chunk(job *j) {
  chunk c = {0, 0};
  if (atomic_load_explicit(&j->stop, memory_order_relaxed)) return c;
  c.offset = atomic_fetch_add_explicit(&j->taken, j->chunk, memory_order_relaxed);
  if (c.offset < j->bytes) c.bytes = smaller(j->chunk, j->bytes - c.offset);
  return c;
}

static bool done(worker *w, cpcu_result result, const char *call) {
  if (result == CPCU_SUCCESS) return true;
  w->result = result;
  w->call = call;
  atomic_store_explicit(&w->job->stop, true, memory_order_relaxed);
  return false;
}

// Waits until the copy that used buffer k last has been carried out; an event that was never recorded is over
// at once.
static bool wait_buffer(worker *w, int k) {
  return done(w, w->job->device->driver->cuEventSynchronize(w->lane->event[k]), "cuEventSynchronize");
}

static bool mark_buffer(worker *w, int k) {
  return done(w, w->job->device->driver->cuEventRecord(w->lane->event[k], w->job->stream), "cuEventRecord");
}

static void move_to_device(worker *w) {
  job *j = w->job;
  int k = 0;
  for (chunk c = take_chunk(j); c.bytes > 0; c = take_chunk(j), k ^= 1) {
    char *buffer = w->lane->memory + (size_t)k * CHUNK;
    if (!wait_buffer(w, k)) return;
    memcpy(buffer, j->src + c.offset, c.bytes);
    cpcu_result result =
        j->device->driver->cuMemcpyHtoDAsync(address(j->dst + c.offset), buffer, c.bytes, j->stream);
    if (!done(w, result, "cuMemcpyHtoDAsync") || !mark_buffer(w, k)) return;
  }
}

// Queues the copy of the next chunk before the one on its way is waited for and stored.
static void move_to_host(worker *w) {
  job *j = w->job;
  chunk way[2] = {{0, 0}, {0, 0}};
  int k = 0;
  do {
    char *buffer = w->lane->memory + (size_t)k * CHUNK;
    way[k] = take_chunk(j);
    if (way[k].bytes > 0) {
      if (!wait_buffer(w, k)) return;
      cpcu_result result = j->device->driver->cuMemcpyDtoHAsync(buffer, address(j->src + way[k].offset),
                                                                way[k].bytes, j->stream);
      if (!done(w, result, "cuMemcpyDtoHAsync") || !mark_buffer(w, k)) return;
    }
    k ^= 1;
    if (way[k].bytes > 0) {
      if (!wait_buffer(w, k)) return;
      memcpy(j->dst + way[k].offset, w->lane->memory + (size_t)k * CHUNK, way[k].bytes);
      way[k].bytes = 0;
    }
  } while (way[k ^ 1].bytes > 0);
}

static void *work(void *argument) {
  worker *w = argument;
  cp_cuda_device *d = w->job->device;
  if (!done(w, d->driver->cuCtxSetCurrent(d->context), "cuCtxSetCurrent")) return NULL;
  if (w->job->kind == CP_TO_DEVICE)
    move_to_device(w);
  else
    move_to_host(w);
  return NULL;
}

// An event that was never recorded is over; what fails here fails again when the lane is used.
static bool is_idle(cp_cuda_device *d, const cp_cuda_lane *lane) {
  for (int k = 0; k < 2; k++)
    if (d->driver->cuEventQuery(lane->event[k]) == CPCU_ERROR_NOT_READY) return false;
  return true;
}

// The first lane whose copies are over, else, when there are `enough`, the one that was used longest ago; NULL: none.
static cp_cuda_lane *find_lane(cp_cuda_device *d, int enough) {
  cp_cuda_lane **link = &d->lanes;
  while (*link != NULL && !is_idle(d, *link)) link = &(*link)->next;
  if (*link == NULL && d->nlanes >= enough) link = &d->lanes;
  cp_cuda_lane *lane = *link;
  if (lane != NULL) *link = lane->next;
  return lane;
}

static cp_cuda_lane *new_lane(cp_cuda_device *d) {
  cp_cuda_lane *lane = calloc(1, sizeof *lane);
  if (lane == NULL || pin(d, 2 * CHUNK, &lane->memory, lane->event) != CPCU_SUCCESS) {
    free(lane);
    return NULL;
  }
  pthread_mutex_lock(&d->lock);
  d->nlanes++;
  pthread_mutex_unlock(&d->lock);
  return lane;
}

cp_cuda_lane *cp_cuda_take_lane(cp_cuda_device *d, bool alone) {
  enum { FEW = 3 };
  pthread_mutex_lock(&d->lock);
  cp_cuda_lane *lane = find_lane(d, alone ? FEW : MAX_LANES);
  pthread_mutex_unlock(&d->lock);
  return lane != NULL ? lane : new_lane(d);
}

// Behind the others: the first one was used longest ago.
void cp_cuda_give_lane(cp_cuda_device *d, cp_cuda_lane *lane) {
  pthread_mutex_lock(&d->lock);
  cp_cuda_lane **link = &d->lanes;
  while (*link != NULL) link = &(*link)->next;
  lane->next = NULL;
  *link = lane;
  pthread_mutex_unlock(&d->lock);
}

// Two chunks for each lane: a copy of one lane finds both buffers free and need not wait for the stream. The first
// chunk is all that the bus waits for, so chunks of what several lanes share are small where that makes sense.
static size_t chunk_for(size_t bytes) {
  size_t lanes = bytes > LARGE ? MAX_LANES : 1, size = (bytes / (2 * lanes) + 65536) / 65536 * 65536;
  return size < SMALL_CHUNK ? SMALL_CHUNK : smaller(size, CHUNK);
}

// Half of the processors that this process may use: the copies are bound by memory, not by arithmetic. What is not
// large is not worth a thread.
static int lanes_for(size_t bytes) {
  cpu_set_t set;
  int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : MAX_LANES;
  int count = processors / 2 < MAX_LANES ? processors / 2 : MAX_LANES;
  size_t useful = bytes > LARGE ? bytes / (2 * chunk_for(bytes)) : 1;
  if (useful < (size_t)count) count = (int)useful;
  return count < 1 ? 1 : count;
}

// Runs workers 1 .. count-1 in threads of their own, which take no signals from the host program, and worker
// 0 here.
static void run_workers(worker *workers, int count) {
  sigset_t all, before;
  int started = 1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < count && pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
    started++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work(&workers[0]);
  for (int i = 1; i < started; i++) pthread_join(workers[i].thread, NULL);
}

static cp_status large_copy(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src, size_t bytes,
                            cp_copy_kind kind) {
  job j = {.device = d, .stream = s->stream, .dst = dst, .src = src, .bytes = bytes, .kind = kind};
  j.chunk = chunk_for(bytes);
  worker workers[MAX_LANES];
  int count = 0, wanted = lanes_for(bytes);
  cp_status status = CP_OK;
  for (; count < wanted; count++) {
    workers[count] = (worker){.job = &j, .lane = cp_cuda_take_lane(d, wanted == 1)};
    if (workers[count].lane == NULL) break;
  }
  if (count == 0) return plain_copy(d, s, dst, src, bytes, kind);
  run_workers(workers, count);
  for (int i = 0; i < count; i++) {
    if (status == CP_OK) status = cp_cuda_result(d, workers[i].result, workers[i].call);
    cp_cuda_give_lane(d, workers[i].lane);
  }
  return status;
}

// ---- the device's functions ----

// For a graph: the device gets these bytes whenever it runs.
static cp_status record_copy(cp_cuda_device *d, cp_cuda_stream *s, void *dst, const void *src, size_t bytes,
                             cp_copy_kind kind) {
  void *kept;
  if (kind == CP_TO_HOST) return cp_may_wait(s->base.context, s->base.device);
  CP_TRY(cp_cuda_keep_bytes(s, src, bytes, &kept));
  return cp_cuda_result(d, d->driver->cuMemcpyHtoDAsync(address(dst), kept, bytes, s->stream),
                        "cuMemcpyHtoDAsync");
}

cp_status cp_cuda_copy(cp_stream *base, void *dst, const void *src, size_t bytes, cp_copy_kind kind) {
  cp_cuda_stream *s = (cp_cuda_stream *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  if (bytes == 0) return CP_OK;
  CP_TRY(cp_cuda_enter(d));
  if (base->capturing && kind != CP_WITHIN) return record_copy(d, s, dst, src, bytes, kind);
  if (kind == CP_WITHIN)
    return cp_cuda_result(d, d->driver->cuMemcpyAsync(address(dst), address(src), bytes, s->stream),
                          "cuMemcpyAsync");
  if (bytes > SLOT_MAX || !have_slots(d, &s->slots))
    CP_TRY((kind == CP_TO_DEVICE || bytes > LARGE ? large_copy : plain_copy)(d, s, dst, src, bytes, kind));
  else if (kind == CP_TO_DEVICE)
    CP_TRY(small_to_device(d, s, dst, src, bytes));
  else
    CP_TRY(small_to_host(d, s, dst, src, bytes));
  return kind == CP_TO_HOST ? cp_cuda_check_faults(s) : CP_OK; // what was queued before is done
}

cp_status cp_cuda_fill_bytes(cp_stream *base, void *dst, int byte, size_t bytes) {
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  if (bytes == 0) return CP_OK;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(
      d,
      d->driver->cuMemsetD8Async(address(dst), (unsigned char)byte, bytes, ((cp_cuda_stream *)base)->stream),
      "cuMemsetD8Async");
}
