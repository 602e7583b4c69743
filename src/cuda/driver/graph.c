// CUDA graphs: captures in parts, the executable form, and the host memory that a graph holds.
#include "cuda/driver/graph.h"

#include "cuda/driver/fault.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 64 << 10, PATIENCE = 2 }; // PATIENCE: seconds

// Pinned memory of a graph.
typedef struct chunk {
  struct chunk *next;
  char *memory;
  size_t size, used;
} chunk;

typedef struct commands {
  cp_command_buffer base;
  struct recording *recording; // while it is being recorded
  cpcu_graph_exec exec;        // NULL: it has no work, or a newer command buffer took it over
  cp_cuda_faults *faults;      // errors that its lookups find
  chunk *chunks;
} commands;

// The capture in progress in this thread.
typedef struct recording {
  cp_cuda_device *device;
  cp_cuda_stream *stream;
  commands *commands;
  cpcu_graph *parts;
  size_t nparts, room;
  bool open;         // a part is in progress
  int pauses;        // nested pauses
  cpcu_result wrong; // the first call that failed during a pause or at its end
  const char *call;
} recording;

static _Thread_local recording *now;

static void note(recording *r, cpcu_result result, const char *call) {
  if (result == CPCU_SUCCESS || r->wrong != CPCU_SUCCESS) return;
  r->wrong = result;
  r->call = call;
}

// ---- the gate ---------------------------------------------------------------------------------------------

bool cp_cuda_gate_init(cp_cuda_gate *g) {
  pthread_condattr_t kind;
  if (pthread_condattr_init(&kind) != 0) return false;
  pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
  bool made = pthread_cond_init(&g->changed, &kind) == 0;
  pthread_condattr_destroy(&kind);
  if (made && pthread_mutex_init(&g->lock, NULL) == 0) return true;
  if (made) pthread_cond_destroy(&g->changed);
  return false;
}

void cp_cuda_gate_destroy(cp_cuda_gate *g) {
  pthread_mutex_destroy(&g->lock);
  pthread_cond_destroy(&g->changed);
}

static void enter_part(cp_cuda_gate *g) {
  pthread_mutex_lock(&g->lock);
  while (g->calls > 0) pthread_cond_wait(&g->changed, &g->lock);
  g->parts++;
  pthread_mutex_unlock(&g->lock);
}

static void leave_part(cp_cuda_gate *g) {
  pthread_mutex_lock(&g->lock);
  if (--g->parts == 0) pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->lock);
}

// A capturing thread may wait for this thread, through a lock of the pool or of its program. After PATIENCE
// seconds the call goes ahead, and that capture fails.
void cp_cuda_alone_begin(cp_cuda_device *d) {
  cp_cuda_gate *g = &d->gate;
  struct timespec end;
  cp_cuda_pause();
  pthread_mutex_lock(&g->lock);
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += PATIENCE;
  g->calls++; // keeps other parts from starting
  int status = 0;
  while (g->parts > 0 && status == 0) status = pthread_cond_timedwait(&g->changed, &g->lock, &end);
  pthread_mutex_unlock(&g->lock);
}

void cp_cuda_alone_end(cp_cuda_device *d) {
  cp_cuda_gate *g = &d->gate;
  pthread_mutex_lock(&g->lock);
  if (--g->calls == 0) pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->lock);
  cp_cuda_resume();
}

cp_status cp_cuda_wait_for_context(cp_cuda_device *d) {
  cp_cuda_alone_begin(d);
  cpcu_result result = d->driver->cuCtxSynchronize();
  cp_cuda_alone_end(d);
  return cp_cuda_result(d, result, "cuCtxSynchronize");
}

// ---- parts ------------------------------------------------------------------------------------------------

static void begin_part(recording *r) {
  enter_part(&r->device->gate);
  cpcu_result result =
      r->device->driver->cuStreamBeginCapture(r->stream->stream, CPCU_STREAM_CAPTURE_MODE_RELAXED);
  note(r, result, "cuStreamBeginCapture");
  r->open = result == CPCU_SUCCESS;
  if (!r->open) leave_part(&r->device->gate);
}

static bool add_part(recording *r, cpcu_graph part) {
  if (r->nparts == r->room) {
    size_t room = r->room > 0 ? 2 * r->room : 8;
    cpcu_graph *grown = realloc(r->parts, room * sizeof *grown);
    if (grown == NULL) return false;
    r->parts = grown;
    r->room = room;
  }
  r->parts[r->nparts++] = part;
  return true;
}

// Counts the kernels and nodes of a part.
static cpcu_result count(recording *r, cpcu_graph part, size_t *nodes) {
  const cpcu_driver *cu = r->device->driver;
  *nodes = 0;
  cpcu_result result = cu->cuGraphGetNodes(part, NULL, nodes);
  if (result != CPCU_SUCCESS || *nodes == 0) return result;
  cpcu_graph_node *list = malloc(*nodes * sizeof(cpcu_graph_node));
  if (list == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  result = cu->cuGraphGetNodes(part, list, nodes);
  for (size_t k = 0; k < *nodes && result == CPCU_SUCCESS; k++) {
    cpcu_graph_node_type type = 0;
    result = cu->cuGraphNodeGetType(list[k], &type);
    r->commands->base.kernels += type == CPCU_GRAPH_NODE_TYPE_KERNEL;
  }
  r->commands->base.nodes += *nodes;
  free(list);
  return result;
}

static void end_part(recording *r) {
  cpcu_graph part = NULL;
  size_t nodes = 0;
  if (!r->open) return;
  note(r, r->device->driver->cuStreamEndCapture(r->stream->stream, &part), "cuStreamEndCapture");
  r->open = false;
  leave_part(&r->device->gate);
  if (part == NULL) return;
  note(r, count(r, part, &nodes), "cuGraphGetNodes");
  if (nodes > 0 && add_part(r, part)) return;
  if (nodes > 0) note(r, CPCU_ERROR_OUT_OF_MEMORY, "cuStreamEndCapture");
  (void)r->device->driver->cuGraphDestroy(part);
}

void cp_cuda_pause(void) {
  if (now != NULL && now->pauses++ == 0) end_part(now);
}

void cp_cuda_resume(void) {
  if (now != NULL && --now->pauses == 0) begin_part(now);
}

// ---- host memory ------------------------------------------------------------------------------------------

static cp_status add_chunk(cp_cuda_device *d, commands *s, size_t size) {
  void *memory = NULL;
  chunk *c = calloc(1, sizeof *c);
  if (c == NULL) return cp_no_memory("capturing a graph");
  cp_cuda_pause();
  cp_status status = cp_cuda_result(d, d->driver->cuMemHostAlloc(&memory, size, CPCU_MEMHOSTALLOC_PORTABLE),
                                    "cuMemHostAlloc");
  cp_cuda_resume();
  if (status != CP_OK) {
    free(c);
    return status;
  }
  *c = (chunk){.next = s->chunks, .memory = memory, .size = size};
  s->chunks = c;
  return CP_OK;
}

cp_status cp_cuda_keep_bytes(cp_cuda_stream *stream, const void *bytes, size_t size, void **copy) {
  commands *s = (commands *)stream->base.commands;
  size_t rounded = (size + 63) / 64 * 64;
  if (s->chunks == NULL || s->chunks->size - s->chunks->used < rounded)
    CP_TRY(add_chunk((cp_cuda_device *)s->base.device, s, rounded > CHUNK ? rounded : CHUNK));
  *copy = s->chunks->memory + s->chunks->used;
  s->chunks->used += rounded;
  memcpy(*copy, bytes, size);
  return CP_OK;
}

static void free_chunks(const cp_cuda_device *d, commands *s) {
  while (s->chunks != NULL) {
    chunk *c = s->chunks;
    s->chunks = c->next;
    (void)d->driver->cuMemFreeHost(c->memory);
    free(c);
  }
}

cp_cuda_faults *cp_cuda_next_faults(const cp_cuda_stream *s, const cp_cuda_faults *faults) {
  bool found = faults == NULL;
  const cp_context *ctx = s->base.context;
  for (const cp_command_buffer *t = ctx != NULL ? ctx->capture.command_buffers : NULL; t != NULL;
       t = t->next) {
    cp_cuda_faults *of = t->device == s->base.device ? ((const commands *)t)->faults : NULL;
    if (of != NULL && found) return of;
    found = found || (of != NULL && of == faults);
  }
  return NULL;
}

// ---- capturing --------------------------------------------------------------------------------------------

static cp_status begin(cp_context *ctx, cp_stream *base) {
  cp_cuda_stream *s = (cp_cuda_stream *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  (void)ctx;
  CP_TRY(cp_cuda_enter(d));
  if (now != NULL) return cp_fail(CP_EUSAGE, "this thread is capturing a graph already, of another state");
  recording *r = calloc(1, sizeof *r);
  commands *made = calloc(1, sizeof *made);
  cp_status status = r != NULL && made != NULL ? CP_OK : cp_no_memory(NULL);
  if (status == CP_OK) {
    *r = (recording){.device = d, .stream = s, .commands = made};
    begin_part(r);
    status = cp_cuda_result(d, r->wrong, "cuStreamBeginCapture");
  }
  if (status != CP_OK) {
    free(r);
    free(made);
    return status;
  }
  made->base.device = base->device;
  made->recording = r;
  s->turn = 0; // each replay clears the table before it is used
  base->commands = &made->base;
  base->capturing = true;
  now = r;
  return CP_OK;
}

static void destroy_parts(recording *r) {
  for (size_t k = 0; k < r->nparts; k++) (void)r->device->driver->cuGraphDestroy(r->parts[k]);
  free(r->parts);
  r->parts = NULL;
  r->nparts = 0;
}

// Ends recording, so that the stream runs work again. Returns the command buffer with all that it holds.
static commands *end(cp_cuda_stream *s, recording *r) {
  if (r->pauses == 0) end_part(r);
  commands *made = (commands *)s->base.commands;
  made->faults = cp_cuda_take_faults(s);
  s->base.commands = NULL;
  s->base.capturing = false;
  made->recording = NULL;
  if (now == r) now = NULL; // otherwise another thread is closing the state
  return made;
}

// Joins the parts in order, as child nodes of one graph.
static cpcu_result join(recording *r, cpcu_graph *whole, const char **call) {
  const cpcu_driver *cu = r->device->driver;
  cpcu_graph_node last = NULL;
  if (r->nparts == 1) {
    *whole = r->parts[0];
    r->nparts = 0;
    return CPCU_SUCCESS;
  }
  *call = "cuGraphCreate";
  cpcu_result result = cu->cuGraphCreate(whole, 0);
  for (size_t k = 0; k < r->nparts && result == CPCU_SUCCESS; k++) {
    cpcu_graph_node node = NULL;
    *call = "cuGraphAddChildGraphNode";
    result = cu->cuGraphAddChildGraphNode(&node, *whole, k > 0 ? &last : NULL, k > 0, r->parts[k]);
    last = node;
  }
  return result;
}

// Updates the executable form of an older command buffer to the new work. False: the driver cannot, and a new
// one must be made.
static bool take_over(const cpcu_driver *cu, commands *older, cpcu_graph whole, commands *s) {
  cpcu_update_info info;
  memset(&info, 0, sizeof info);
  if (older == NULL || older->exec == NULL ||
      cu->cuGraphExecUpdate(older->exec, whole, &info) != CPCU_SUCCESS)
    return false;
  s->exec = older->exec;
  s->base.updated = true;
  older->exec = NULL;
  return true;
}

static cp_status make_executable(recording *r, commands *older, commands *s) {
  const cpcu_driver *cu = r->device->driver;
  const char *call = "cuGraphInstantiateWithFlags";
  cpcu_graph whole = NULL;
  if (r->nparts == 0) return CP_OK;
  cpcu_result result = join(r, &whole, &call);
  if (result == CPCU_SUCCESS && !take_over(cu, older, whole, s)) {
    call = "cuGraphInstantiateWithFlags";
    result = cu->cuGraphInstantiateWithFlags(&s->exec, whole, 0);
  }
  if (whole != NULL) (void)cu->cuGraphDestroy(whole);
  return cp_cuda_result(r->device, result, call);
}

// last: the stream of the last replay, or NULL if there was none.
static void destroy(cp_command_buffer *base, cp_stream *last) {
  commands *s = (commands *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  if (cp_cuda_enter(d) == CP_OK) {
    if (s->exec != NULL) (void)d->driver->cuGraphExecDestroy(s->exec);
    free_chunks(d, s);
    if (last != NULL) cp_cuda_inherit_faults((cp_cuda_stream *)last, s->faults);
    cp_cuda_drop_faults(d, s->faults);
  }
  free(s);
}

static cp_status finish(cp_stream *base, cp_command_buffer *older, cp_command_buffer **out) {
  cp_cuda_stream *s = (cp_cuda_stream *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  recording *r = ((commands *)base->commands)->recording;
  *out = NULL;
  commands *made = end(s, r);
  cp_status status = cp_cuda_enter(d);
  if (status == CP_OK && r->wrong != CPCU_SUCCESS) status = cp_cuda_result(d, r->wrong, r->call);
  if (status == CP_OK) status = make_executable(r, (commands *)older, made);
  destroy_parts(r);
  free(r);
  if (status == CP_OK) {
    *out = &made->base;
    return CP_OK;
  }
  char reason[CP_ERROR_SIZE];
  strncpy(reason, cp_error_text(), sizeof reason - 1);
  reason[sizeof reason - 1] = '\0';
  destroy(&made->base, NULL);
  return cp_fail(status, "%s", reason);
}

static void cancel(cp_stream *base) {
  recording *r = ((commands *)base->commands)->recording;
  (void)cp_cuda_enter(r->device);
  commands *made = end((cp_cuda_stream *)base, r);
  destroy_parts(r);
  free(r);
  destroy(&made->base, NULL);
}

static cp_status launch(cp_context *ctx, cp_command_buffer *base, cp_stream *s) {
  const commands *made = (const commands *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  (void)ctx;
  CP_TRY(cp_cuda_enter(d));
  if (made->exec == NULL) return CP_OK;
  return cp_cuda_result(d, d->driver->cuGraphLaunch(made->exec, ((cp_cuda_stream *)s)->stream),
                        "cuGraphLaunch");
}

const cp_graph_ops cp_cuda_graph_ops = {
    .begin = begin, .finish = finish, .cancel = cancel, .launch = launch, .destroy = destroy};
