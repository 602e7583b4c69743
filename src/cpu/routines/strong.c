// Strong components of a graph on the CPU, by Tarjan's algorithm (1972).
#include "cpu/routines/walks.h"

#include <stdlib.h>

enum { PIECE = 65536 }; // steps between two checks for an interrupt

// What is known of a node: the least `found` that it reaches among nodes without a component, the edge at
// which its search goes on, the node from which it was found, and the one before it on the stack of nodes
// without a component.
typedef struct node {
  int64_t low, edge, from, below;
} node;

enum { UNSEEN = 0 };
#define CLOSED INT64_MAX // of nodes with a component, which no longer matter

typedef struct finding {
  const cp_strong_job *job;
  int64_t *found; // when each node was found, from 1; or UNSEEN or CLOSED
  node *nodes;
  int64_t count, top; // nodes found; the stack's last node, or -1
} finding;

static void begin(finding *x, int64_t at, int64_t from) {
  const cp_sparse_layout *m = &x->job->m;
  x->found[at] = ++x->count;
  x->nodes[at] = (node){.low = x->count,
                        .edge = CP_SPARSE_FIRST(m, (const int64_t *)m->starts, at),
                        .from = from,
                        .below = x->top};
  x->top = at;
}

// All nodes above `at` on the stack are its component.
static void close_component(finding *x, int64_t at) {
  int64_t member;
  do {
    member = x->top;
    x->top = x->nodes[member].below;
    x->found[member] = CLOSED;
    x->job->roots[member] = at;
  } while (member != at);
}

// Follows the edges of the node `at` to the first new node, or goes back. Returns the node to go on from, or
// -1.
static int64_t step(finding *x, int64_t at) {
  const cp_sparse_layout *m = &x->job->m;
  const int64_t *to = m->columns_of, *found = x->found, last = m->rows - 1;
  const int64_t end = CP_SPARSE_FIRST(m, (const int64_t *)m->starts, at + 1);
  node *n = &x->nodes[at];
  int64_t low = n->low, edge = n->edge, next = -1;
  while (edge < end && next < 0) {
    const int64_t other = cp_sparse_place_int64_t(to[edge++], last), when = found[other];
    if (when == UNSEEN)
      next = other;
    else if (when < low)
      low = when;
  }
  n->low = low;
  n->edge = edge;
  if (next >= 0) {
    begin(x, next, at);
    return next;
  }
  if (low == found[at]) close_component(x, at);
  if (n->from >= 0 && low < x->nodes[n->from].low) x->nodes[n->from].low = low;
  return n->from;
}

static void find_all(void *data, cp_tasks *tasks) {
  finding *x = data;
  int64_t task, steps = 0;
  if (!cp_next_task(tasks, &task)) return;
  for (int64_t k = 0; k < x->job->m.rows; k++) {
    if (x->found[k] != UNSEEN) continue;
    begin(x, k, -1);
    for (int64_t at = k; at >= 0; at = step(x, at))
      if (++steps % PIECE == 0 && !cp_go_on(tasks)) return;
  }
}

cp_status cp_cpu_strong(cp_context *ctx, cp_stream *s, const cp_strong_job *job) {
  const size_t n = (size_t)job->m.rows + 1;
  finding x = {
      .job = job, .found = calloc(n, sizeof *x.found), .nodes = malloc(n * sizeof *x.nodes), .top = -1};
  (void)s;
  ctx->counters.launches++;
  cp_status status = x.found != NULL && x.nodes != NULL ? cp_parallel(ctx, find_all, &x, 1, false)
                                                        : cp_no_memory("strong components");
  free(x.found);
  free(x.nodes);
  return status;
}
