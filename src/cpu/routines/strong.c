// Strong components of a graph on the CPU, by Tarjan's algorithm (1972).
#include "cpu/routines/walks.h"

#include <stdlib.h>

enum { PIECE = 65536 }; // steps between two checks for an interrupt

// Each node's numbers: when it was found (from 1; 0: not yet), the least such number that it reaches among
// nodes without a component, the edge at which its search goes on, the node from which it was found, and the
// one before it on the stack of nodes without a component.
typedef struct node {
  int64_t found, low, edge, from, below;
} node;

typedef struct finding {
  const cp_strong_job *job;
  node *nodes;
  int64_t count, top; // nodes found; the stack's last node, or -1
} finding;

static void begin(finding *x, int64_t at, int64_t from) {
  const cp_sparse_layout *m = &x->job->m;
  x->nodes[at] = (node){.found = x->count + 1,
                        .low = x->count + 1,
                        .edge = CP_SPARSE_FIRST(m, (const int64_t *)m->starts, at),
                        .from = from,
                        .below = x->top};
  x->count++;
  x->top = at;
}

// All nodes above `at` on the stack are its component.
static void close_component(finding *x, int64_t at) {
  int64_t member;
  do {
    member = x->top;
    x->top = x->nodes[member].below;
    x->job->roots[member] = at;
  } while (member != at);
}

// One step from the node `at`: along its next edge, or back. Returns the node to go on from, or -1.
static int64_t step(finding *x, int64_t at) {
  const cp_sparse_layout *m = &x->job->m;
  node *n = &x->nodes[at];
  if (n->edge < CP_SPARSE_FIRST(m, (const int64_t *)m->starts, at + 1)) {
    const int64_t to = cp_sparse_place_int64_t(((const int64_t *)m->columns_of)[n->edge++], m->rows - 1);
    if (x->nodes[to].found == 0) {
      begin(x, to, at);
      return to;
    }
    if (x->job->roots[to] < 0 && x->nodes[to].found < n->low) n->low = x->nodes[to].found;
    return at;
  }
  if (n->low == n->found) close_component(x, at);
  if (n->from >= 0 && n->low < x->nodes[n->from].low) x->nodes[n->from].low = n->low;
  return n->from;
}

static void find_all(void *data, cp_tasks *tasks) {
  finding *x = data;
  int64_t task, steps = 0;
  if (!cp_next_task(tasks, &task)) return;
  for (int64_t k = 0; k < x->job->m.rows; k++) x->job->roots[k] = -1;
  for (int64_t k = 0; k < x->job->m.rows; k++) {
    if (x->nodes[k].found != 0) continue;
    begin(x, k, -1);
    for (int64_t at = k; at >= 0; at = step(x, at))
      if (++steps % PIECE == 0 && !cp_go_on(tasks)) return;
  }
}

cp_status cp_cpu_strong(cp_context *ctx, cp_stream *s, const cp_strong_job *job) {
  finding x = {.job = job, .nodes = calloc((size_t)job->m.rows + 1, sizeof *x.nodes), .top = -1};
  (void)s;
  ctx->counters.launches++;
  if (x.nodes == NULL) return cp_no_memory("strong components");
  cp_status status = cp_parallel(ctx, find_all, &x, 1, false);
  free(x.nodes);
  return status;
}
