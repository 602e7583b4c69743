// Orders of a graph's nodes and its spanning trees on the CPU (routines/walks.h). Each is a single task.
#include "cpu/routines/walks.h"

#include <stdlib.h>

enum { PIECE = 65536 }; // nodes or edges between two checks for an interrupt

// ---- breadth first ----------------------------------------------------------------------------------------

static void breadth(void *data, cp_tasks *tasks) {
  const cp_breadth_job *j = data;
  const cp_sparse_layout *m = &j->m;
  const int64_t *starts = m->starts, *at = m->columns_of;
  int64_t task, found = 0;
  if (!cp_next_task(tasks, &task)) return;
  enum { UNSEEN = -2 };
  for (int64_t k = 0; k < m->rows; k++) {
    j->order[k] = -1;
    j->predecessors[k] = UNSEEN;
  }
  const int64_t start = cp_sparse_place_int64_t(j->start, m->rows - 1);
  j->order[found++] = start;
  j->predecessors[start] = -1;
  for (int64_t done = 0; done < found && (done % PIECE != 0 || cp_go_on(tasks)); done++) {
    const int64_t node = j->order[done], end = CP_SPARSE_FIRST(m, starts, node + 1);
    for (int64_t k = CP_SPARSE_FIRST(m, starts, node); k < end; k++) {
      const int64_t next = cp_sparse_place_int64_t(at[k], m->rows - 1);
      if (j->predecessors[next] != UNSEEN) continue;
      j->predecessors[next] = node;
      j->order[found++] = next;
    }
  }
  for (int64_t k = 0; k < m->rows; k++)
    if (j->predecessors[k] == UNSEEN) j->predecessors[k] = -1;
  *j->count = found;
}

static cp_status run_breadth(cp_context *ctx, cp_stream *s, const cp_breadth_job *job) {
  cp_breadth_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, breadth, &copy, 1, false);
}

// ---- Cuthill and McKee ------------------------------------------------------------------------------------

typedef struct node_of_degree {
  int64_t degree, node;
} node_of_degree;
#define LESS(a, b) ((a).degree < (b).degree)
CP_SPARSE_SORT(sort_nodes, node_of_degree, LESS)

typedef struct ordering {
  const cp_cuthill_job *job;
  bool *seen;
  node_of_degree *list; // twice as many as there are nodes
  int64_t found;
} ordering;

static void find(ordering *o, int64_t node) {
  o->seen[node] = true;
  o->job->order[o->found++] = node;
}

// Adds the nodes that are found from one node, sorted by degree.
static void find_neighbours(ordering *o, int64_t node) {
  const cp_sparse_layout *m = &o->job->m;
  const int64_t *starts = m->starts, *at = m->columns_of;
  const int64_t end = CP_SPARSE_FIRST(m, starts, node + 1), first = o->found;
  for (int64_t k = CP_SPARSE_FIRST(m, starts, node); k < end; k++) {
    const int64_t next = cp_sparse_place_int64_t(at[k], m->rows - 1);
    if (!o->seen[next]) find(o, next);
  }
  const int64_t n = o->found - first;
  int64_t *order = o->job->order + first;
  for (int64_t k = 0; k < n; k++) o->list[k] = (node_of_degree){o->job->degrees[order[k]], order[k]};
  sort_nodes(o->list, o->list + m->rows, n);
  for (int64_t k = 0; k < n; k++) order[k] = o->list[k].node;
}

static void cuthill(void *data, cp_tasks *tasks) {
  ordering *o = data;
  const cp_sparse_layout *m = &o->job->m;
  int64_t task, done = 0;
  if (!cp_next_task(tasks, &task)) return;
  for (int64_t k = 0; k < m->rows; k++) {
    const int64_t seed = cp_sparse_place_int64_t(o->job->seeds[k], m->rows - 1);
    if (o->seen[seed]) continue;
    find(o, seed);
    for (; done < o->found; done++) {
      if (done % PIECE == 0 && !cp_go_on(tasks)) return;
      find_neighbours(o, o->job->order[done]);
    }
  }
  while (o->found < m->rows) o->job->order[o->found++] = 0; // nodes that were no seeds
}

static cp_status run_cuthill(cp_context *ctx, cp_stream *s, const cp_cuthill_job *job) {
  const size_t n = (size_t)job->m.rows;
  ordering o = {.job = job, .seen = calloc(n + 1, 1), .list = malloc((2 * n + 1) * sizeof *o.list)};
  (void)s;
  ctx->counters.launches++;
  cp_status status = o.seen != NULL && o.list != NULL ? cp_parallel(ctx, cuthill, &o, 1, false)
                                                      : cp_no_memory("ordering nodes");
  free(o.seen);
  free(o.list);
  return status;
}

// ---- spanning trees ---------------------------------------------------------------------------------------

typedef struct spanning {
  const cp_spanning_job *job;
  int64_t *parents;
} spanning;

// The root of a node's tree. Each node on the way is attached to its grandparent.
static int64_t root(int64_t *parents, int64_t node) {
  while (parents[node] != node) {
    parents[node] = parents[parents[node]];
    node = parents[node];
  }
  return node;
}

static void span(void *data, cp_tasks *tasks) {
  const spanning *x = data;
  const cp_spanning_job *j = x->job;
  int64_t task;
  if (!cp_next_task(tasks, &task)) return;
  for (int64_t k = 0; k < j->nodes; k++) x->parents[k] = k;
  for (int64_t k = 0; k < j->edges; k++) j->keep[k] = 0;
  for (int64_t k = 0; k < j->edges && (k % PIECE != 0 || cp_go_on(tasks)); k++) {
    const int64_t edge = cp_sparse_place_int64_t(j->order[k] - 1, j->edges - 1);
    const int64_t a = root(x->parents, cp_sparse_place_int64_t(j->from[edge], j->nodes - 1));
    const int64_t b = root(x->parents, cp_sparse_place_int64_t(j->to[edge], j->nodes - 1));
    j->keep[edge] = a != b;
    x->parents[a < b ? b : a] = a < b ? a : b;
  }
}

static cp_status run_spanning(cp_context *ctx, cp_stream *s, const cp_spanning_job *job) {
  spanning x = {.job = job, .parents = malloc(((size_t)job->nodes + 1) * sizeof *x.parents)};
  (void)s;
  ctx->counters.launches++;
  if (x.parents == NULL) return cp_no_memory("spanning trees");
  cp_status status = cp_parallel(ctx, span, &x, 1, false);
  free(x.parents);
  return status;
}

const cp_walk_ops cp_cpu_walk_ops = {.breadth = run_breadth,
                                     .cuthill = run_cuthill,
                                     .spanning = run_spanning,
                                     .nearest = cp_cpu_nearest,
                                     .relax = cp_cpu_relax};
