// Copies between the device and pageable host memory through staging buffers: page-locked memory that the
// device keeps for the next copy.
//
// A copy that fits into one staging buffer uses only that, each chunk in a place of its own, so chunks do not
// wait for each other. Only the calling thread calls the driver, where threads would block each other; from
// half a megabyte on, to the host sooner, other threads copy chunks too. To the device, it queues the chunks
// that are filled so far, in order. To the host, the whole copy is queued at once, and it tells the other
// threads how much has arrived. A larger copy uses one staging buffer per thread, with two alternating
// halves: while the bus transfers one, the thread copies the other. There chunks may go in any order, since
// the stream runs all of them between earlier and later work.
//
// To the device, the call returns when all chunks are in page-locked memory, and never waits for the stream.
#include "cpu/loops/copies.h"
#include "cuda/driver/cuda.h"
#include "host/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  LANE = 2 * CP_CUDA_CHUNK,
  MAX_LANES = 8,
  SHARED = 512 << 10,      // from this size on several threads copy to the device,
  PER_THREAD = 256 << 10,  // one for each share of this size;
  SHARED_DOWN = 192 << 10, // to the host sooner, as memory that is new there is expensive to write first
  PER_THREAD_DOWN = 128 << 10,
  ONE_LANE_THREADS = 4,      // more threads do not help the device, and slow the host
  SMALLEST_PIECE = 64 << 10, // least bytes that threads take at once with one staging buffer
  LARGEST_PIECE = 256 << 10,
  MAX_PIECES = LANE / SMALLEST_PIECE,
  SMALL_CHUNK = 512 << 10 // first chunk with several buffers: the bus waits for nothing else
};

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t within(size_t least, size_t n, size_t most) { return n < least ? least : n > most ? most : n; }

// ---- staging buffers ----

cpcu_result cp_cuda_pin(cp_cuda_device *d, size_t bytes, int nevents, char **memory, cpcu_event *event) {
  const cpcu_driver *cu = d->driver;
  void *p = NULL;
  int made = 0;
  cpcu_result result = cu->cuMemHostAlloc(&p, bytes, CPCU_MEMHOSTALLOC_PORTABLE);
  if (result != CPCU_SUCCESS) return result;
  while (made < nevents && result == CPCU_SUCCESS) {
    result = cu->cuEventCreate(&event[made], CPCU_EVENT_DISABLE_TIMING);
    made += result == CPCU_SUCCESS;
  }
  if (result == CPCU_SUCCESS) {
    *memory = p;
    return result;
  }
  while (made > 0) cu->cuEventDestroy(event[--made]);
  cu->cuMemFreeHost(p);
  return result;
}

// An event that was never recorded counts as passed. An error here occurs again when the buffer is used.
static bool is_idle(cp_cuda_device *d, const cp_cuda_staging_buffer *staging) {
  for (int k = 0; k < 2; k++)
    if (d->driver->cuEventQuery(staging->event[k]) == CPCU_ERROR_NOT_READY) return false;
  return true;
}

// Finds the most recently used staging buffer whose copies are done, as the processor's caches may still hold
// it. If there is none and `enough` buffers exist, takes the least recently used one; else NULL.
static cp_cuda_staging_buffer *find_staging(cp_cuda_device *d, int enough) {
  cp_cuda_staging_buffer **link = &d->staging_buffers;
  while (*link != NULL && !is_idle(d, *link) && ((*link)->next != NULL || d->nstaging_buffers < enough))
    link = &(*link)->next;
  cp_cuda_staging_buffer *staging = *link;
  if (staging != NULL) *link = staging->next;
  return staging;
}

static cp_cuda_staging_buffer *new_staging(cp_cuda_device *d) {
  cp_cuda_staging_buffer *staging = calloc(1, sizeof *staging);
  if (staging == NULL ||
      cp_cuda_pin(d, LANE, CP_CUDA_LANE_EVENTS, &staging->memory, staging->event) != CPCU_SUCCESS) {
    free(staging);
    return NULL;
  }
  pthread_mutex_lock(&d->lock);
  d->nstaging_buffers++;
  pthread_mutex_unlock(&d->lock);
  return staging;
}

cp_cuda_staging_buffer *cp_cuda_take_staging(cp_cuda_device *d, bool alone) {
  enum { FEW = 3 };
  pthread_mutex_lock(&d->lock);
  cp_cuda_staging_buffer *staging = find_staging(d, alone ? FEW : MAX_LANES);
  pthread_mutex_unlock(&d->lock);
  return staging != NULL ? staging : new_staging(d);
}

void cp_cuda_give_staging(cp_cuda_device *d, cp_cuda_staging_buffer *staging) {
  pthread_mutex_lock(&d->lock);
  staging->next = d->staging_buffers;
  d->staging_buffers = staging;
  pthread_mutex_unlock(&d->lock);
}

// ---- what the threads share ----

typedef struct job {
  cp_cuda_device *device;
  cpcu_stream stream;
  char *dst;
  const char *src;
  size_t bytes, chunk; // chunk: bytes that a thread takes at once
  cp_copy_kind kind;
  cp_cuda_staging_buffer *staging_buffers[MAX_LANES];
  int nstaging_buffers;
  pthread_t caller;
  atomic_size_t taken; // bytes handed out so far
  atomic_bool stop;
  pthread_mutex_t lock; // protects the first error
  cpcu_result result;
  const char *call;
  // With one staging buffer.
  atomic_bool filled[MAX_PIECES]; // to the device: chunks that are in page-locked memory
  size_t queued;                  // to the device: bytes of them that were passed to the driver
  size_t step;                    // to the host: bytes between two events
  atomic_size_t arrived;          // to the host: bytes that have arrived in page-locked memory
  bool shared;                    // several threads take part
} job;

typedef struct chunk {
  size_t offset, bytes; // bytes 0: no chunk
} chunk;

// Takes the next chunk, until there are none or a copy has failed.
static chunk take_chunk(job *j) {
  chunk c = {0, 0};
  if (atomic_load_explicit(&j->stop, memory_order_relaxed)) return c;
  c.offset = atomic_fetch_add_explicit(&j->taken, j->chunk, memory_order_relaxed);
  if (c.offset < j->bytes) c.bytes = smaller(j->chunk, j->bytes - c.offset);
  return c;
}

static bool done(job *j, cpcu_result result, const char *call) {
  if (result == CPCU_SUCCESS) return true;
  pthread_mutex_lock(&j->lock);
  if (j->result == CPCU_SUCCESS) {
    j->result = result;
    j->call = call;
  }
  pthread_mutex_unlock(&j->lock);
  atomic_store_explicit(&j->stop, true, memory_order_relaxed);
  return false;
}

// Waits until the copy before the event is done. An event that was never recorded counts as passed.
static bool wait_for(job *j, cpcu_event event) {
  return done(j, j->device->driver->cuEventSynchronize(event), "cuEventSynchronize");
}

static bool mark(job *j, cpcu_event event) {
  return done(j, j->device->driver->cuEventRecord(event, j->stream), "cuEventRecord");
}

static bool queue_up(job *j, chunk c, const char *buffer) {
  return done(
      j, j->device->driver->cuMemcpyHtoDAsync(cp_cuda_address(j->dst + c.offset), buffer, c.bytes, j->stream),
      "cuMemcpyHtoDAsync");
}

static bool queue_down(job *j, chunk c, char *buffer) {
  return done(
      j, j->device->driver->cuMemcpyDtoHAsync(buffer, cp_cuda_address(j->src + c.offset), c.bytes, j->stream),
      "cuMemcpyDtoHAsync");
}

static bool is_caller(const job *j) { return pthread_equal(pthread_self(), j->caller) != 0; }

// ---- to the device through one staging buffer ----

static bool queue_filled(job *j) {
  chunk c = {j->queued, 0};
  while (j->queued < j->bytes &&
         atomic_load_explicit(&j->filled[j->queued / j->chunk], memory_order_acquire)) {
    size_t n = smaller(j->chunk, j->bytes - j->queued);
    j->queued += n;
    c.bytes += n;
  }
  return c.bytes == 0 || queue_up(j, c, j->staging_buffers[0]->memory + c.offset);
}

// Uses non-temporal stores: the bus reads the bytes from memory, and cache lines that it has read are
// expensive to write.
static void fill_staging(void *data, cp_tasks *tasks) {
  job *j = data;
  int64_t unused;
  const cp_copy_loops *copies = cp_cpu_copy_loops();
  if (!cp_next_task(tasks, &unused)) return;
  for (chunk c = take_chunk(j); c.bytes > 0; c = take_chunk(j)) {
    copies->stream(j->staging_buffers[0]->memory + c.offset, j->src + c.offset, c.bytes);
    copies->stream_end();
    atomic_store_explicit(&j->filled[c.offset / j->chunk], true, memory_order_release);
    if (is_caller(j) && !queue_filled(j)) return;
  }
}

static void up_by_one_lane(job *j, int threads) {
  cp_parallel_whole(fill_staging, j, threads, true);
  if (queue_filled(j) && mark(j, j->staging_buffers[0]->event[0]))
    (void)mark(j, j->staging_buffers[0]->event[1]);
}

// ---- to the host through one staging buffer ----

// Waits for the next bytes and publishes their arrival.
static bool note_arrival(job *j) {
  size_t arrived = atomic_load_explicit(&j->arrived, memory_order_relaxed);
  if (!wait_for(j, j->staging_buffers[0]->event[arrived / j->step])) return false;
  atomic_store_explicit(&j->arrived, smaller(arrived + j->step, j->bytes), memory_order_release);
  return true;
}

// Waits until this many bytes have arrived. False: the copy failed.
static bool await_arrival(job *j, size_t bytes) {
  while (atomic_load_explicit(&j->arrived, memory_order_acquire) < bytes) {
    if (atomic_load_explicit(&j->stop, memory_order_relaxed)) return false;
    if (!is_caller(j))
      sched_yield();
    else if (!note_arrival(j))
      return false;
  }
  return true;
}

// The calling thread publishes what arrives, and then helps the others.
static void empty_staging(void *data, cp_tasks *tasks) {
  job *j = data;
  int64_t unused;
  if (!cp_next_task(tasks, &unused) || (is_caller(j) && j->shared && !await_arrival(j, j->bytes))) return;
  for (chunk c = take_chunk(j); c.bytes > 0; c = take_chunk(j)) {
    if (!await_arrival(j, c.offset + c.bytes)) return;
    memcpy(j->dst + c.offset, j->staging_buffers[0]->memory + c.offset, c.bytes);
  }
}

// The other threads are woken once the first bytes have arrived, as much work may be queued before this copy.
static void down_by_one_lane(job *j, int threads) {
  cp_cuda_staging_buffer *staging = j->staging_buffers[0];
  for (size_t at = 0, k = 0; at < j->bytes; at += j->step, k++) {
    chunk c = {at, smaller(j->step, j->bytes - at)};
    if (!queue_down(j, c, staging->memory + at) || !mark(j, staging->event[k])) return;
  }
  j->shared = threads > 1;
  if (note_arrival(j)) cp_parallel_whole(empty_staging, j, threads, true);
}

// After a failed copy the device may still write to the staging buffer.
static void by_one_lane(job *j, int threads) {
  size_t share = (j->bytes / (2 * (size_t)threads) + 4095) / 4096 * 4096;
  j->chunk = within(SMALLEST_PIECE, share, LARGEST_PIECE);
  j->step = within(LARGEST_PIECE, (j->bytes + CP_CUDA_LANE_EVENTS - 1) / CP_CUDA_LANE_EVENTS, LANE);
  if (wait_for(j, j->staging_buffers[0]->event[0]) && wait_for(j, j->staging_buffers[0]->event[1]))
    (j->kind == CP_TO_DEVICE ? up_by_one_lane : down_by_one_lane)(j, threads);
  if (j->result != CPCU_SUCCESS) (void)j->device->driver->cuStreamSynchronize(j->stream);
}

// ---- through a staging buffer per thread ----

static void move_to_device(job *j, cp_cuda_staging_buffer *staging) {
  int k = 0;
  for (chunk c = take_chunk(j); c.bytes > 0; c = take_chunk(j), k ^= 1) {
    char *buffer = staging->memory + (size_t)k * CP_CUDA_CHUNK;
    if (!wait_for(j, staging->event[k])) return;
    memcpy(buffer, j->src + c.offset, c.bytes);
    if (!queue_up(j, c, buffer) || !mark(j, staging->event[k])) return;
  }
}

// Queues the copy of the next chunk before it waits for the previous one and stores it.
static void move_to_host(job *j, cp_cuda_staging_buffer *staging) {
  chunk way[2] = {{0, 0}, {0, 0}};
  int k = 0;
  do {
    char *buffer = staging->memory + (size_t)k * CP_CUDA_CHUNK;
    way[k] = take_chunk(j);
    if (way[k].bytes > 0 &&
        !(wait_for(j, staging->event[k]) && queue_down(j, way[k], buffer) && mark(j, staging->event[k])))
      return;
    k ^= 1;
    if (way[k].bytes > 0) {
      if (!wait_for(j, staging->event[k])) return;
      memcpy(j->dst + way[k].offset, staging->memory + (size_t)k * CP_CUDA_CHUNK, way[k].bytes);
      way[k].bytes = 0;
    }
  } while (way[k ^ 1].bytes > 0);
}

static void move(void *data, cp_tasks *tasks) {
  job *j = data;
  int64_t mine;
  if (!cp_next_task(tasks, &mine) ||
      !done(j, j->device->driver->cuCtxSetCurrent(j->device->context), "cuCtxSetCurrent"))
    return;
  (j->kind == CP_TO_DEVICE ? move_to_device : move_to_host)(j, j->staging_buffers[mine]);
}

// Two chunks per staging buffer.
static void by_lanes(job *j) {
  size_t share = (j->bytes / (2 * MAX_LANES) + 65536) / 65536 * 65536;
  j->chunk = within(SMALL_CHUNK, share, CP_CUDA_CHUNK);
  cp_parallel_whole(move, j, j->nstaging_buffers, true);
}

// ---- the copy ----

// Half of the available threads: the copies are bound by memory bandwidth, not by arithmetic.
static int threads_for(size_t bytes, cp_copy_kind kind) {
  const bool up = kind == CP_TO_DEVICE;
  if (bytes < (size_t)(up ? SHARED : SHARED_DOWN)) return 1;
  size_t most = smaller((size_t)cp_thread_count() / 2, bytes <= LANE ? ONE_LANE_THREADS : MAX_LANES);
  return (int)within(1, bytes / (size_t)(up ? PER_THREAD : PER_THREAD_DOWN), most > 0 ? most : 1);
}

cp_status cp_cuda_staged_copy(cp_cuda_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind,
                              bool *did) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  job j = {.device = d,
           .stream = s->stream,
           .dst = dst,
           .src = src,
           .bytes = bytes,
           .kind = kind,
           .caller = pthread_self(),
           .lock = PTHREAD_MUTEX_INITIALIZER};
  int threads = threads_for(bytes, kind), wanted = bytes <= LANE ? 1 : threads;
  // an interruptible wait, as the waits in the parts below are not
  if (bytes > LANE) CP_TRY(cp_cuda_stream_await(&s->base));
  for (; j.nstaging_buffers < wanted; j.nstaging_buffers++)
    if ((j.staging_buffers[j.nstaging_buffers] = cp_cuda_take_staging(d, wanted == 1)) == NULL) break;
  *did = j.nstaging_buffers > 0;
  if (!*did) return CP_OK;
  if (bytes <= LANE)
    by_one_lane(&j, threads);
  else
    by_lanes(&j);
  while (j.nstaging_buffers > 0) cp_cuda_give_staging(d, j.staging_buffers[--j.nstaging_buffers]);
  return cp_cuda_result(d, j.result, j.call);
}
