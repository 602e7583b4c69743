// Streams, copies and events of the simulated driver. A thread for each stream runs what is queued on it. An
// event is a position in the sequence of a stream's work.
#include "driver.h"

#include <string.h>
#include <unistd.h>

enum { MAX_STREAMS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects the list
static stream *streams[MAX_STREAMS];
static int count;

static bool is_paused(const char *how) {
  const char *pause = getenv("DRIVER_PAUSE");
  return pause != NULL && strcmp(pause, how) == 0;
}

// ---- work ----

// Waits until the stream has done `upto` pieces of work.
static void wait_for(stream *s, unsigned long upto) {
  pthread_mutex_lock(&s->lock);
  if (s->wanted < upto) s->wanted = upto;
  pthread_cond_broadcast(&s->moved);
  while (s->done < upto) pthread_cond_wait(&s->moved, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

static unsigned long queued(stream *s) {
  pthread_mutex_lock(&s->lock);
  unsigned long upto = s->queued;
  pthread_mutex_unlock(&s->lock);
  return upto;
}

static bool is_done(stream *s, unsigned long upto) {
  pthread_mutex_lock(&s->lock);
  bool done = s->done >= upto;
  pthread_mutex_unlock(&s->lock);
  return done;
}

void driver_finish(const void *context) {
  pthread_mutex_lock(&lock);
  for (int k = 0; k < count; k++)
    if (streams[k]->context == context) wait_for(streams[k], queued(streams[k]));
  pthread_mutex_unlock(&lock);
}

static void carry_out(const work *w, unsigned *seed) {
  unsigned most = (unsigned)driver_setting("DRIVER_PAUSE", 200); // 0 for "late"
  switch (w->kind) {
  case COPY:
    if (most > 0) usleep((unsigned)rand_r(seed) % most);
    memmove(w->to, w->from, w->bytes);
    break;
  case SET: memset(w->to, w->value, w->bytes); break;
  case LOOK_UP: driver_look_up(w); break;
  case CHECK_ROWS: driver_check_rows(w); break;
  case WRITE: driver_write(w); break;
  case JIT: driver_run_jit(w); break;
  case RUN: driver_run(w); break;
  case RELEASE: driver_free(w->to); break;
  case WAIT: wait_for(w->other, w->upto); break;
  case CHILD:
    for (const work *c = w->child->first; c != NULL; c = c->next) carry_out(c, seed);
    break;
  }
}

static void *run(void *argument) {
  stream *s = argument;
  bool late = is_paused("late");
  unsigned seed = (unsigned)(uintptr_t)s;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (!s->over && (s->first == NULL || (late && s->done >= s->wanted)))
      pthread_cond_wait(&s->moved, &s->lock);
    work *w = s->first;
    if (w == NULL) break;
    s->first = w->next;
    pthread_mutex_unlock(&s->lock);
    carry_out(w, &seed);
    free(w);
    pthread_mutex_lock(&s->lock);
    s->done++;
    pthread_cond_broadcast(&s->moved);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

int driver_queue(stream *s, work w) {
  work *copy = malloc(sizeof *copy);
  if (copy == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  *copy = w;
  if (s->capture != NULL) {
    driver_forbid(w.kind > CHILD, "an event or a release inside of a capture");
    return driver_append(s->capture, copy);
  }
  if (is_paused("none")) {
    unsigned seed = 0;
    carry_out(copy, &seed);
    free(copy);
    return CPCU_SUCCESS;
  }
  pthread_mutex_lock(&s->lock);
  if (s->first == NULL)
    s->first = copy;
  else
    s->last->next = copy;
  s->last = copy;
  s->queued++;
  pthread_cond_broadcast(&s->moved);
  pthread_mutex_unlock(&s->lock);
  return CPCU_SUCCESS;
}

// ---- streams, which are never freed, because queued work may refer to them ----

stream *driver_stream(void *handle) {
  stream *s = handle;
  driver_forbid(s == NULL, "the default stream, which the core never uses");
  driver_forbid(s->over, "a stream that was destroyed");
  driver_forbid(s->context != driver_context(), "a stream of another context");
  return s;
}

int cuStreamCreateWithPriority(void **out, unsigned flags, int priority) {
  stream *s = calloc(1, sizeof *s);
  (void)flags, (void)priority;
  if (s == NULL || count == MAX_STREAMS) return CPCU_ERROR_OUT_OF_MEMORY;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->moved, NULL);
  s->context = driver_context();
  pthread_create(&s->thread, NULL, run, s);
  pthread_mutex_lock(&lock);
  streams[count++] = s;
  pthread_mutex_unlock(&lock);
  *out = s;
  return CPCU_SUCCESS;
}

int cuStreamDestroy_v2(void *of) {
  stream *s = driver_stream(of);
  wait_for(s, queued(s));
  pthread_mutex_lock(&lock);
  for (int k = 0; k < count; k++)
    if (streams[k] == s) streams[k] = streams[--count];
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&s->lock);
  s->over = true;
  pthread_cond_broadcast(&s->moved);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  return CPCU_SUCCESS;
}

int cuStreamSynchronize(void *of) {
  stream *s = driver_stream(of);
  driver_forbid(s->capture != NULL, "cuStreamSynchronize inside of a capture");
  wait_for(s, queued(s));
  return CPCU_SUCCESS;
}

int cuStreamQuery(void *of) {
  stream *s = driver_stream(of);
  driver_forbid(s->capture != NULL, "cuStreamQuery inside of a capture");
  return is_done(s, queued(s)) ? CPCU_SUCCESS : CPCU_ERROR_NOT_READY;
}

int cuStreamIsCapturing(void *s, int *status) {
  (void)s;
  *status = CPCU_STREAM_CAPTURE_STATUS_NONE;
  return CPCU_SUCCESS;
}

// ---- copies ----

// Whether work of the current context may access p.
static bool is_open(const void *p) {
  int here = driver_gpu(driver_context()), gpu = driver_place(p);
  return gpu == HOST || gpu == here || driver_reaches(here, gpu);
}

static int copy(void *to, const void *from, size_t bytes, void *s) {
  if (!is_open(to) || !is_open(from)) return CPCU_ERROR_INVALID_VALUE;
  return driver_queue(driver_stream(s), (work){.kind = COPY, .to = to, .from = from, .bytes = bytes});
}

int cuMemcpyAsync(cpcu_deviceptr to, cpcu_deviceptr from, size_t bytes, void *s) {
  return copy(driver_pointer(to), driver_pointer(from), bytes, s);
}

int cuMemcpyHtoDAsync_v2(cpcu_deviceptr to, const void *from, size_t bytes, void *s) {
  return copy(driver_pointer(to), from, bytes, s);
}

int cuMemcpyDtoHAsync_v2(void *to, cpcu_deviceptr from, size_t bytes, void *s) {
  return copy(to, driver_pointer(from), bytes, s);
}

int cuMemcpyPeerAsync(cpcu_deviceptr to, void *to_context, cpcu_deviceptr from, void *from_context,
                      size_t bytes, void *s) {
  if (driver_place(driver_pointer(to)) != driver_gpu(to_context) ||
      driver_place(driver_pointer(from)) != driver_gpu(from_context))
    return CPCU_ERROR_INVALID_VALUE;
  return copy(driver_pointer(to), driver_pointer(from), bytes, s);
}

int cuMemsetD8Async(cpcu_deviceptr to, unsigned char value, size_t bytes, void *s) {
  void *p = driver_pointer(to);
  if (!is_open(p)) return CPCU_ERROR_INVALID_VALUE;
  return driver_queue(driver_stream(s), (work){.kind = SET, .to = p, .value = value, .bytes = bytes});
}

// ---- events ----

typedef struct event {
  const void *context;
  stream *of; // NULL: never recorded
  unsigned long upto;
} event;

static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER; // protects the fields of events

static event state_of(const event *e) {
  pthread_mutex_lock(&noting);
  event now = *e;
  pthread_mutex_unlock(&noting);
  return now;
}

int cuEventCreate(void **out, unsigned flags) {
  event *e = calloc(1, sizeof *e);
  (void)flags;
  if (e == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  e->context = driver_context();
  *out = e;
  return CPCU_SUCCESS;
}

int cuEventDestroy_v2(void *e) {
  free(e);
  return CPCU_SUCCESS;
}

int cuEventRecord(void *of, void *on) {
  event *e = of;
  stream *s = driver_stream(on);
  driver_forbid(s->capture != NULL, "an event inside of a capture");
  driver_forbid(e->context != s->context, "an event recorded on a stream of another context");
  pthread_mutex_lock(&noting);
  e->of = s;
  e->upto = queued(s);
  pthread_mutex_unlock(&noting);
  return CPCU_SUCCESS;
}

// Unlike recording, waiting is allowed for events of any context.
int cuStreamWaitEvent(void *on, void *of, unsigned flags) {
  stream *s = driver_stream(on);
  event e = state_of(of);
  if (flags != 0) return CPCU_ERROR_INVALID_VALUE;
  if (e.of == NULL) return CPCU_SUCCESS;
  return driver_queue(s, (work){.kind = WAIT, .other = e.of, .upto = e.upto});
}

int cuEventSynchronize(void *of) {
  event e = state_of(of);
  if (e.of != NULL) wait_for(e.of, e.upto);
  return CPCU_SUCCESS;
}

// All work takes a microsecond.
int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  const event a = state_of(from), b = state_of(to);
  driver_forbid(a.of == NULL || b.of == NULL, "the time of events that were not recorded");
  if (!is_done(a.of, a.upto) || !is_done(b.of, b.upto)) return CPCU_ERROR_NOT_READY;
  *milliseconds = 0.001F;
  return CPCU_SUCCESS;
}

int cuEventQuery(void *of) {
  event e = state_of(of);
  return e.of == NULL || is_done(e.of, e.upto) ? CPCU_SUCCESS : CPCU_ERROR_NOT_READY;
}
