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

typedef enum kind { COPY, SET, RELEASE, PASS, WAIT, CHILD } kind;

typedef struct work {
  kind kind;
  void *to;
  const void *from;
  size_t bytes;
  int value;
  event *event;
  unsigned long ticket;
  struct graph *child;
  struct work *next;
} work;

typedef struct graph {
  work *first, *last;
  int count; // pieces of work
} graph;

typedef struct stream {
  graph *capture; // what is queued goes there; NULL: to the thread
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

static int captures; // under way

// What CUDA refuses, or what spoils the capture.
static void forbid(bool forbidden, const char *call) {
  if (!forbidden) return;
  printf("%s inside of a capture\n", call);
  fflush(stdout);
  _Exit(9);
}

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
  forbid(captures > 0, "cuMemFree");
  finish_all();
  free_memory(pointer(p));
  return CPCU_SUCCESS;
}

int cuMemAllocManaged(cpcu_deviceptr *p, size_t bytes, unsigned flags) {
  return flags == CPCU_MEM_ATTACH_GLOBAL ? cuMemAlloc_v2(p, bytes) : CPCU_ERROR_INVALID_VALUE;
}

int cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  forbid(captures > 0, "cuMemHostAlloc");
  *p = new_memory(bytes);
  if ((flags & CPCU_MEMHOSTALLOC_PORTABLE) == 0) return CPCU_ERROR_INVALID_VALUE;
  return *p != NULL ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuMemFreeHost(void *p) {
  forbid(captures > 0, "cuMemFreeHost");
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
  case CHILD:
    for (const work *c = w->child->first; c != NULL; c = c->next) carry_out(c, seed);
    break;
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

static int append(graph *g, work *w) {
  if (g->first == NULL)
    g->first = w;
  else
    g->last->next = w;
  g->last = w;
  g->count++;
  return CPCU_SUCCESS;
}

static int queue(void *on, work w) {
  stream *s = on;
  work *copy = malloc(sizeof *copy);
  if (s == NULL || copy == NULL) abort(); // the core never uses the default stream
  *copy = w;
  if (s->capture != NULL) {
    forbid(w.kind > SET, "an event or a release");
    return append(s->capture, copy);
  }
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
  forbid(((stream *)s)->capture != NULL, "cuStreamSynchronize");
  finish(s);
  return CPCU_SUCCESS;
}

int cuStreamQuery(void *of) {
  stream *s = of;
  forbid(s->capture != NULL, "cuStreamQuery");
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
  forbid(captures > 0, "cuCtxSynchronize");
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

// ---- graphs: they are never freed, as queued work may name them ----

int cuStreamBeginCapture_v2(void *of, int mode) {
  stream *s = of;
  if (s->capture != NULL || mode != CPCU_STREAM_CAPTURE_MODE_RELAXED) return CPCU_ERROR_INVALID_VALUE;
  s->capture = calloc(1, sizeof *s->capture);
  captures++;
  return s->capture != NULL ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuStreamEndCapture(void *of, void **out) {
  stream *s = of;
  if (s->capture == NULL) return CPCU_ERROR_INVALID_VALUE;
  *out = s->capture;
  s->capture = NULL;
  captures--;
  return CPCU_SUCCESS;
}

int cuGraphCreate(void **out, unsigned flags) {
  (void)flags;
  *out = calloc(1, sizeof(graph));
  return *out != NULL ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuGraphDestroy(void *g) {
  (void)g;
  return CPCU_SUCCESS;
}

// Only chains are made.
int cuGraphAddChildGraphNode(void **node, void *of, void *const *before, size_t n, void *child) {
  graph *g = of;
  work *w = calloc(1, sizeof *w);
  if (w == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  if (n > 1 || (n == 0) != (g->first == NULL) || (n == 1 && *before != g->last))
    return CPCU_ERROR_INVALID_VALUE;
  *w = (work){.kind = CHILD, .child = child};
  *node = w;
  return append(g, w);
}

int cuGraphGetNodes(void *of, void **nodes, size_t *n) {
  const graph *g = of;
  size_t k = 0;
  for (work *w = g->first; w != NULL; w = w->next, k++)
    if (nodes != NULL && k < *n) nodes[k] = w;
  *n = k;
  return CPCU_SUCCESS;
}

int cuGraphNodeGetType(void *node, int *type) {
  (void)node;
  *type = CPCU_GRAPH_NODE_TYPE_KERNEL + 1; // a copy: there are no kernels
  return CPCU_SUCCESS;
}

// An executable form is a graph of its own.
int cuGraphInstantiateWithFlags(void **out, void *of, unsigned long long flags) {
  graph *g = malloc(sizeof *g);
  if (g == NULL || flags != 0) return CPCU_ERROR_INVALID_VALUE;
  *g = *(graph *)of;
  *out = g;
  return CPCU_SUCCESS;
}

// As many pieces of the same kinds count as the same structure. Work that is queued keeps the old ones.
int cuGraphExecUpdate_v2(void *exec, void *of, void *info) {
  graph *old = exec;
  const graph *g = of;
  const work *a = old->first, *b = g->first;
  (void)info;
  while (a != NULL && b != NULL && a->kind == b->kind) a = a->next, b = b->next;
  if (a != NULL || b != NULL) return CPCU_ERROR_INVALID_VALUE;
  *old = *g;
  return CPCU_SUCCESS;
}

int cuGraphLaunch(void *exec, void *on) {
  graph *now = malloc(sizeof *now); // what it is at this moment
  forbid(((stream *)on)->capture != NULL, "cuGraphLaunch");
  if (now == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  *now = *(graph *)exec;
  return queue(on, (work){.kind = CHILD, .child = now});
}

int cuGraphExecDestroy(void *exec) {
  (void)exec;
  return CPCU_SUCCESS;
}

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
