// A stand-in for libcuda.so.1 without a GPU: memory is the host's, and what is queued on a stream is carried out by a thread of its own, late and
// with pauses. So what the CUDA device does about memory, copies, streams and events is tested anywhere (spec/transfer_spec.lua). There are no kernels.
//   DRIVER_PAUSE   longest pause before a copy, in microseconds (default 200)
//   DRIVER_GPUS    how many GPUs there seem to be (default 1)
//   DRIVER_PEERS   1: they reach each other's memory
//
// It is stricter than a GPU where that finds mistakes: copies of pageable memory are late too, and memory that is given back is overwritten.
#include "cuda/api.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_STREAMS = 256, MAX_GPUS = 8 };
static const size_t TOTAL = (size_t)4 << 30, LARGEST = (size_t)1 << 30;

typedef struct event {
  pthread_mutex_t lock;
  pthread_cond_t moved;
  unsigned long recorded, passed;
  void *context;
} event;

typedef enum kind { COPY, SET, RELEASE, PASS, WAIT } kind;

typedef struct work {
  kind kind;
  void *to;
  const void *from;
  size_t bytes;
  int value;
  event *event;
  unsigned long ticket;
  struct work *next;
} work;

typedef struct stream {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  work *first, *last;
  bool busy, over;
  void *context;
} stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stream *streams[MAX_STREAMS];
static int count;
static _Thread_local void *current;

static void *pointer(cpcu_deviceptr p) { return (void *)(uintptr_t)p; }

static int contexts[MAX_GPUS];           // their addresses are the contexts
static bool reached[MAX_GPUS][MAX_GPUS]; // peer access was enabled

static int setting(const char *name, int missing) {
  const char *text = getenv(name);
  return text != NULL ? atoi(text) : missing;
}

static int device_of(const void *context) { return (int)((const int *)context - contexts); }

// ---- memory ----

// The size stands before it, so that it can be overwritten.
enum { HEADER = 4096 };

static void *new_memory(size_t bytes) {
  char *p = NULL;
  if (bytes > LARGEST || posix_memalign((void **)&p, HEADER, bytes + HEADER) != 0) return NULL;
  *(size_t *)(void *)p = bytes;
  memset(p + HEADER, 0xA5, bytes);
  return p + HEADER;
}

static void free_memory(void *p) {
  char *begin = (char *)p - HEADER;
  memset(p, 0x5A, *(size_t *)(void *)begin);
  free(begin);
}

static void finish(stream *s) {
  pthread_mutex_lock(&s->lock);
  while (s->first != NULL || s->busy) pthread_cond_wait(&s->moved, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

static void finish_all(void) {
  pthread_mutex_lock(&lock);
  for (int k = 0; k < count; k++) finish(streams[k]);
  pthread_mutex_unlock(&lock);
}

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = TOTAL;
  return CPCU_SUCCESS;
}

int cuMemAlloc_v2(cpcu_deviceptr *p, size_t bytes) {
  *p = (cpcu_deviceptr)(uintptr_t)new_memory(bytes);
  return *p != 0 ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuMemFree_v2(cpcu_deviceptr p) {
  finish_all();
  free_memory(pointer(p));
  return CPCU_SUCCESS;
}

int cuMemAllocManaged(cpcu_deviceptr *p, size_t bytes, unsigned flags) {
  return flags == CPCU_MEM_ATTACH_GLOBAL ? cuMemAlloc_v2(p, bytes) : CPCU_ERROR_INVALID_VALUE;
}

int cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  *p = new_memory(bytes);
  if ((flags & CPCU_MEMHOSTALLOC_PORTABLE) == 0) return CPCU_ERROR_INVALID_VALUE;
  return *p != NULL ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuMemFreeHost(void *p) {
  finish_all();
  free_memory(p);
  return CPCU_SUCCESS;
}

int cuMemHostGetDevicePointer_v2(cpcu_deviceptr *p, void *host, unsigned flags) {
  *p = (cpcu_deviceptr)(uintptr_t)host;
  return flags == 0 ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

static int the_pool;

int cuDeviceGetDefaultMemPool(void **pool, int device) {
  (void)device;
  *pool = &the_pool;
  return CPCU_SUCCESS;
}

int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  bool good = pool == &the_pool && attribute == CPCU_MEMPOOL_ATTR_RELEASE_THRESHOLD &&
              *(unsigned long long *)value == UINT64_MAX;
  return good ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

int cuMemPoolTrimTo(void *pool, size_t bytes) {
  return pool == &the_pool && bytes == 0 ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

// ---- streams ----

static void pass(event *e, unsigned long ticket) {
  pthread_mutex_lock(&e->lock);
  if (e->passed < ticket) e->passed = ticket;
  pthread_cond_broadcast(&e->moved);
  pthread_mutex_unlock(&e->lock);
}

static void wait_for(event *e, unsigned long ticket) {
  pthread_mutex_lock(&e->lock);
  while (e->passed < ticket) pthread_cond_wait(&e->moved, &e->lock);
  pthread_mutex_unlock(&e->lock);
}

static void carry_out(const work *w, unsigned *seed) {
  unsigned most = (unsigned)setting("DRIVER_PAUSE", 200);
  switch (w->kind) {
  case COPY:
    if (most > 0) usleep((unsigned)rand_r(seed) % most);
    memcpy(w->to, w->from, w->bytes);
    break;
  case SET: memset(w->to, w->value, w->bytes); break;
  case RELEASE: free_memory(w->to); break;
  case PASS: pass(w->event, w->ticket); break;
  case WAIT: wait_for(w->event, w->ticket); break;
  }
}

static void *run(void *argument) {
  stream *s = argument;
  unsigned seed = (unsigned)(uintptr_t)s;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (s->first == NULL && !s->over) pthread_cond_wait(&s->moved, &s->lock);
    work *w = s->first;
    if (w == NULL) break;
    s->first = w->next;
    s->busy = true;
    pthread_mutex_unlock(&s->lock);
    carry_out(w, &seed);
    free(w);
    pthread_mutex_lock(&s->lock);
    s->busy = false;
    pthread_cond_broadcast(&s->moved);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static int queue(void *on, work w) {
  stream *s = on;
  work *copy = malloc(sizeof *copy);
  if (s == NULL || copy == NULL) abort(); // the core never uses the default stream
  *copy = w;
  pthread_mutex_lock(&s->lock);
  if (s->first == NULL)
    s->first = copy;
  else
    s->last->next = copy;
  s->last = copy;
  pthread_cond_broadcast(&s->moved);
  pthread_mutex_unlock(&s->lock);
  return CPCU_SUCCESS;
}

int cuStreamCreateWithPriority(void **out, unsigned flags, int priority) {
  stream *s = calloc(1, sizeof *s);
  (void)flags, (void)priority;
  if (s == NULL || count == MAX_STREAMS) return CPCU_ERROR_OUT_OF_MEMORY;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->moved, NULL);
  s->context = current;
  pthread_create(&s->thread, NULL, run, s);
  pthread_mutex_lock(&lock);
  streams[count++] = s;
  pthread_mutex_unlock(&lock);
  *out = s;
  return CPCU_SUCCESS;
}

int cuStreamDestroy_v2(void *of) {
  stream *s = of;
  finish(s);
  pthread_mutex_lock(&lock);
  for (int k = 0; k < count; k++)
    if (streams[k] == s) streams[k] = streams[--count];
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&s->lock);
  s->over = true;
  pthread_cond_broadcast(&s->moved);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  free(s);
  return CPCU_SUCCESS;
}

int cuStreamSynchronize(void *s) {
  finish(s);
  return CPCU_SUCCESS;
}

int cuStreamQuery(void *of) {
  stream *s = of;
  pthread_mutex_lock(&s->lock);
  bool done = s->first == NULL && !s->busy;
  pthread_mutex_unlock(&s->lock);
  return done ? CPCU_SUCCESS : CPCU_ERROR_NOT_READY;
}

int cuStreamIsCapturing(void *s, int *status) {
  (void)s;
  *status = CPCU_STREAM_CAPTURE_STATUS_NONE;
  return CPCU_SUCCESS;
}

int cuCtxSynchronize(void) {
  finish_all();
  return CPCU_SUCCESS;
}

int cuMemcpyAsync(cpcu_deviceptr to, cpcu_deviceptr from, size_t bytes, void *s) {
  return queue(s, (work){.kind = COPY, .to = pointer(to), .from = pointer(from), .bytes = bytes});
}

int cuMemcpyHtoDAsync_v2(cpcu_deviceptr to, const void *from, size_t bytes, void *s) {
  return queue(s, (work){.kind = COPY, .to = pointer(to), .from = from, .bytes = bytes});
}

int cuMemcpyDtoHAsync_v2(void *to, cpcu_deviceptr from, size_t bytes, void *s) {
  return queue(s, (work){.kind = COPY, .to = to, .from = pointer(from), .bytes = bytes});
}

int cuMemsetD8Async(cpcu_deviceptr to, unsigned char value, size_t bytes, void *s) {
  return queue(s, (work){.kind = SET, .to = pointer(to), .value = value, .bytes = bytes});
}

int cuMemAllocAsync(cpcu_deviceptr *p, size_t bytes, void *s) {
  (void)s;
  return cuMemAlloc_v2(p, bytes);
}

int cuMemFreeAsync(cpcu_deviceptr p, void *s) { return queue(s, (work){.kind = RELEASE, .to = pointer(p)}); }

// ---- events: they are never freed, as queued work may name them ----

int cuEventCreate(void **out, unsigned flags) {
  event *e = calloc(1, sizeof *e);
  (void)flags;
  if (e == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  e->context = current;
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->moved, NULL);
  *out = e;
  return CPCU_SUCCESS;
}

int cuEventDestroy_v2(void *e) {
  (void)e;
  return CPCU_SUCCESS;
}

static unsigned long latest(event *e, unsigned more) {
  pthread_mutex_lock(&e->lock);
  unsigned long ticket = e->recorded += more;
  pthread_mutex_unlock(&e->lock);
  return ticket;
}

// Of its own device's streams alone.
int cuEventRecord(void *e, void *s) {
  if (((event *)e)->context != ((stream *)s)->context) return CPCU_ERROR_INVALID_HANDLE;
  return queue(s, (work){.kind = PASS, .event = e, .ticket = latest(e, 1)});
}

int cuStreamWaitEvent(void *s, void *e, unsigned flags) {
  (void)flags;
  return queue(s, (work){.kind = WAIT, .event = e, .ticket = latest(e, 0)});
}

int cuEventSynchronize(void *e) {
  wait_for(e, latest(e, 0));
  return CPCU_SUCCESS;
}

int cuEventQuery(void *of) {
  event *e = of;
  pthread_mutex_lock(&e->lock);
  bool done = e->passed == e->recorded;
  pthread_mutex_unlock(&e->lock);
  return done ? CPCU_SUCCESS : CPCU_ERROR_NOT_READY;
}

// ---- the device ----

int cuInit(unsigned flags) {
  (void)flags;
  return CPCU_SUCCESS;
}

int cuDriverGetVersion(int *version) {
  *version = 13000;
  return CPCU_SUCCESS;
}

int cuDeviceGetCount(int *n) {
  *n = setting("DRIVER_GPUS", 1);
  return CPCU_SUCCESS;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return CPCU_SUCCESS;
}

int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "no GPU");
  return CPCU_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == CPCU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 64;
  return CPCU_SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contexts[device];
  return CPCU_SUCCESS;
}

int cuCtxSetCurrent(void *context) {
  current = context;
  return CPCU_SUCCESS;
}

int cuCtxGetCurrent(void **context) {
  *context = current;
  return CPCU_SUCCESS;
}

int cuCtxGetDevice(int *device) {
  *device = device_of(current);
  return CPCU_SUCCESS;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = device != peer && setting("DRIVER_PEERS", 0) == 1;
  return CPCU_SUCCESS;
}

int cuCtxEnablePeerAccess(void *peer, unsigned flags) {
  bool *access = &reached[device_of(current)][device_of(peer)];
  if (flags != 0 || setting("DRIVER_PEERS", 0) != 1) return CPCU_ERROR_INVALID_VALUE;
  if (*access) return CPCU_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  *access = true;
  return CPCU_SUCCESS;
}

int cuMemcpyPeerAsync(cpcu_deviceptr to, void *to_context, cpcu_deviceptr from, void *from_context,
                      size_t bytes, void *s) {
  if (((stream *)s)->context != to_context || !reached[device_of(to_context)][device_of(from_context)])
    return CPCU_ERROR_INVALID_VALUE;
  return queue(s, (work){.kind = COPY, .to = pointer(to), .from = pointer(from), .bytes = bytes});
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return CPCU_SUCCESS;
}

int cuGetErrorName(int error, const char **name) {
  (void)error;
  *name = "ERROR";
  return CPCU_SUCCESS;
}

int cuGetErrorString(int error, const char **text) {
  (void)error;
  *text = "of the stand-in";
  return CPCU_SUCCESS;
}
