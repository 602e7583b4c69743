// Captures and graphs of the simulated driver: a graph is a chain of work. Graphs are never freed, because
// queued work may refer to them.
#include "driver.h"

static int captures; // that are in progress

bool driver_capturing(void) { return captures > 0; }

int driver_append(graph *g, work *w) {
  if (g->first == NULL)
    g->first = w;
  else
    g->last->next = w;
  g->last = w;
  g->count++;
  return CPCU_SUCCESS;
}

int cuStreamBeginCapture_v2(void *of, int mode) {
  stream *s = driver_stream(of);
  if (s->capture != NULL || mode != CPCU_STREAM_CAPTURE_MODE_RELAXED) return CPCU_ERROR_INVALID_VALUE;
  s->capture = calloc(1, sizeof *s->capture);
  captures++;
  return s->capture != NULL ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuStreamEndCapture(void *of, void **out) {
  stream *s = driver_stream(of);
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

// Accepts only graphs that are chains.
int cuGraphAddChildGraphNode(void **node, void *of, void *const *before, size_t n, void *child) {
  graph *g = of;
  work *w = calloc(1, sizeof *w);
  if (w == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  if (n > 1 || (n == 0) != (g->first == NULL) || (n == 1 && *before != g->last))
    return CPCU_ERROR_INVALID_VALUE;
  *w = (work){.kind = CHILD, .child = child};
  *node = w;
  return driver_append(g, w);
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
  const kind k = ((work *)node)->kind;
  *type = CPCU_GRAPH_NODE_TYPE_KERNEL + (k != LOOK_UP && k != WRITE && k != JIT); // + 1: a copy
  return CPCU_SUCCESS;
}

// An executable graph is a copy of the graph.
int cuGraphInstantiateWithFlags(void **out, void *of, unsigned long long flags) {
  graph *g = malloc(sizeof *g);
  if (g == NULL || flags != 0) return CPCU_ERROR_INVALID_VALUE;
  *g = *(graph *)of;
  *out = g;
  return CPCU_SUCCESS;
}

// Two graphs have the same structure if their nodes are of the same kinds. Runs that are already queued keep
// the old nodes.
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
  stream *s = driver_stream(on);
  graph *now = malloc(sizeof *now); // a copy, because an update may change the graph before this runs
  driver_forbid(s->capture != NULL, "cuGraphLaunch inside of a capture");
  if (now == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  *now = *(graph *)exec;
  return driver_queue(s, (work){.kind = CHILD, .child = now});
}

int cuGraphExecDestroy(void *exec) {
  (void)exec;
  return CPCU_SUCCESS;
}
