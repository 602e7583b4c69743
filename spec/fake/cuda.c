// A driver of two GPUs that are host memory, for spec/fake_gpus_spec.lua: copies, streams and events, no kernels.
//
// Work is queued and done as late as it can be: when something waits for it, and then no more than that needs. So work that is not ordered is done in the
// wrong order. Wrong contexts, events on foreign streams, and copies that no access was switched on for, end the process. FAKE_PEERS=1: the GPUs reach
// each other.
#include "cuda/api.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { GPUS = 2, HOST = -1, FREED = 0xDD, INVALID_VALUE = 1, NOT_READY = 600, UNSUPPORTED = 801 };

typedef enum kind { COPY, SET, WAIT } kind;

typedef struct stream stream;
typedef struct work {
  kind what;
  void *to;
  const void *from;
  size_t bytes;
  int value;
  stream *other; // WAIT: its work up to `upto`
  long upto;
  struct work *next;
} work;

struct stream {
  int gpu;
  work *first, **end;
  long queued, done;
};

typedef struct event {
  int gpu;
  stream *of; // NULL: never recorded
  long upto;
} event;

typedef struct memory {
  char *begin;
  size_t bytes;
  int gpu; // or HOST
  struct memory *next;
} memory;

static int current = HOST; // the thread's context
static int reaches[GPUS][GPUS];
static memory *memories;

static void fail(const char *what) {
  fprintf(stderr, "fake driver: %s\n", what);
  abort();
}

// ---- work ----

static void run_to(stream *s, long upto) {
  while (s->done < upto) {
    work *w = s->first;
    s->first = w->next;
    if (s->first == NULL) s->end = &s->first;
    s->done++;
    if (w->what == COPY) memmove(w->to, w->from, w->bytes);
    if (w->what == SET) memset(w->to, w->value, w->bytes);
    if (w->what == WAIT) run_to(w->other, w->upto);
    free(w);
  }
}

static void queue(stream *s, work w) {
  work *copy = malloc(sizeof *copy);
  *copy = w;
  copy->next = NULL;
  *s->end = copy;
  s->end = &copy->next;
  s->queued++;
}

static stream *stream_of(cpcu_stream handle) {
  stream *s = (stream *)handle;
  if (s == NULL || s->gpu != current) fail("a stream of another context");
  return s;
}

static void *host(cpcu_deviceptr p) { return (void *)(uintptr_t)p; }

static memory *find(const void *p) {
  for (memory *m = memories; m != NULL; m = m->next)
    if ((const char *)p >= m->begin && (const char *)p < m->begin + m->bytes) return m;
  return NULL;
}

static int place_of(const void *p) {
  const memory *m = find(p);
  return m != NULL ? m->gpu : HOST;
}

// A copy between GPUs needs that the one whose stream it is reaches the other.
static cpcu_result queue_copy(void *to, const void *from, size_t bytes, cpcu_stream handle) {
  int there = place_of(from) != HOST && place_of(from) != current ? place_of(from) : place_of(to);
  if (there != HOST && there != current && !reaches[current][there]) return INVALID_VALUE;
  queue(stream_of(handle), (work){.what = COPY, .to = to, .from = from, .bytes = bytes});
  return 0;
}

// ---- memory ----

static void *allocate(size_t bytes, int gpu) {
  memory *m = malloc(sizeof *m);
  *m = (memory){calloc(1, bytes), bytes, gpu, memories};
  memories = m;
  return m->begin;
}

// Kept, and spoiled: work that still needs it shows.
static void release(void *p, int gpu) {
  memory **at = &memories;
  while (*at != NULL && (*at)->begin != p) at = &(*at)->next;
  if (*at == NULL || (*at)->gpu != gpu) fail("freed memory of another context, or none");
  memset((*at)->begin, FREED, (*at)->bytes);
  *at = (*at)->next;
}

EXPORT cpcu_result cuMemAlloc_v2(cpcu_deviceptr *p, size_t bytes) {
  *p = (uintptr_t)allocate(bytes, current);
  return 0;
}
EXPORT cpcu_result cuMemFree_v2(cpcu_deviceptr p) {
  release(host(p), current);
  return 0;
}
EXPORT cpcu_result cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  (void)flags;
  *p = allocate(bytes, HOST);
  return 0;
}
EXPORT cpcu_result cuMemFreeHost(void *p) {
  release(p, HOST);
  return 0;
}
EXPORT cpcu_result cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = (size_t)1 << 30;
  return 0;
}
EXPORT cpcu_result cuMemcpyAsync(cpcu_deviceptr to, cpcu_deviceptr from, size_t bytes, cpcu_stream s) {
  return queue_copy(host(to), host(from), bytes, s);
}
// Memory that is not page-locked is read and written at once.
static cpcu_result host_copy(void *to, const void *from, const void *here, size_t bytes, cpcu_stream s) {
  if (find(here) != NULL) return queue_copy(to, from, bytes, s);
  run_to(stream_of(s), stream_of(s)->queued);
  memcpy(to, from, bytes);
  return 0;
}
EXPORT cpcu_result cuMemcpyHtoDAsync_v2(cpcu_deviceptr to, const void *from, size_t bytes, cpcu_stream s) {
  return host_copy(host(to), from, from, bytes, s);
}
EXPORT cpcu_result cuMemcpyDtoHAsync_v2(void *to, cpcu_deviceptr from, size_t bytes, cpcu_stream s) {
  return host_copy(to, host(from), to, bytes, s);
}
EXPORT cpcu_result cuMemcpyPeerAsync(cpcu_deviceptr to, cpcu_context to_context, cpcu_deviceptr from,
                                     cpcu_context from_context, size_t bytes, cpcu_stream s) {
  if (place_of(host(to)) + 1 != (intptr_t)to_context || place_of(host(from)) + 1 != (intptr_t)from_context)
    return INVALID_VALUE;
  return queue_copy(host(to), host(from), bytes, s);
}
EXPORT cpcu_result cuMemsetD8Async(cpcu_deviceptr to, unsigned char value, size_t count, cpcu_stream s) {
  queue(stream_of(s), (work){.what = SET, .to = host(to), .value = value, .bytes = count});
  return 0;
}

// ---- GPUs ----

EXPORT cpcu_result cuInit(unsigned flags) { return flags != 0; }
EXPORT cpcu_result cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
EXPORT cpcu_result cuGetErrorName(cpcu_result error, const char **name) {
  *name = error == UNSUPPORTED ? "FAKE_UNSUPPORTED" : "FAKE_ERROR";
  return 0;
}
EXPORT cpcu_result cuDeviceGetCount(int *count) {
  *count = GPUS;
  return 0;
}
EXPORT cpcu_result cuDeviceGet(cpcu_device *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT cpcu_result cuDeviceGetName(char *name, int size, cpcu_device device) {
  snprintf(name, (size_t)size, "Fake %d", device);
  return 0;
}
EXPORT cpcu_result cuDeviceGetAttribute(int *value, cpcu_attribute attribute, cpcu_device device) {
  (void)device;
  *value = attribute == CPCU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 1024;
  return 0;
}
EXPORT cpcu_result cuDeviceCanAccessPeer(int *can, cpcu_device device, cpcu_device other) {
  *can = device != other && getenv("FAKE_PEERS") != NULL;
  return 0;
}
EXPORT cpcu_result cuDevicePrimaryCtxRetain(cpcu_context *context, cpcu_device device) {
  *context = (cpcu_context)(intptr_t)(device + 1);
  return 0;
}
EXPORT cpcu_result cuCtxSetCurrent(cpcu_context context) {
  current = (int)(intptr_t)context - 1;
  return 0;
}
EXPORT cpcu_result cuCtxGetCurrent(cpcu_context *context) {
  *context = (cpcu_context)(intptr_t)(current + 1);
  return 0;
}
EXPORT cpcu_result cuCtxEnablePeerAccess(cpcu_context other, unsigned flags) {
  int *reach = &reaches[current][(intptr_t)other - 1];
  if (*reach || flags != 0) return CPCU_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  *reach = 1;
  return 0;
}

// ---- streams and events ----

EXPORT cpcu_result cuStreamCreateWithPriority(cpcu_stream *out, unsigned flags, int priority) {
  stream *s = calloc(1, sizeof *s);
  (void)flags, (void)priority;
  s->gpu = current;
  s->end = &s->first;
  *out = (cpcu_stream)s;
  return 0;
}
EXPORT cpcu_result cuStreamDestroy_v2(cpcu_stream s) {
  (void)stream_of(s);
  return 0;
}
EXPORT cpcu_result cuStreamSynchronize(cpcu_stream s) {
  run_to(stream_of(s), stream_of(s)->queued);
  return 0;
}
EXPORT cpcu_result cuStreamQuery(cpcu_stream s) {
  return stream_of(s)->done < stream_of(s)->queued ? NOT_READY : 0;
}
EXPORT cpcu_result cuStreamWaitEvent(cpcu_stream s, cpcu_event handle, unsigned flags) {
  const event *e = (event *)handle;
  if (e->of != NULL && flags == 0) queue(stream_of(s), (work){.what = WAIT, .other = e->of, .upto = e->upto});
  return 0;
}
EXPORT cpcu_result cuEventCreate(cpcu_event *out, unsigned flags) {
  event *e = calloc(1, sizeof *e);
  (void)flags;
  e->gpu = current;
  *out = (cpcu_event)e;
  return 0;
}
EXPORT cpcu_result cuEventDestroy_v2(cpcu_event e) { return e == NULL; }
EXPORT cpcu_result cuEventRecord(cpcu_event handle, cpcu_stream s) {
  event *e = (event *)handle;
  if (e->gpu != stream_of(s)->gpu) fail("an event recorded on a stream of another context");
  e->of = stream_of(s);
  e->upto = e->of->queued;
  return 0;
}
EXPORT cpcu_result cuEventSynchronize(cpcu_event handle) {
  const event *e = (event *)handle;
  if (e->of != NULL) run_to(e->of, e->upto);
  return 0;
}
EXPORT cpcu_result cuEventQuery(cpcu_event handle) {
  const event *e = (event *)handle;
  return e->of != NULL && e->of->done < e->upto ? NOT_READY : 0;
}
