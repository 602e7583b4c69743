// Searches and orders of a graph's nodes, and its spanning trees, on the CPU (routines/walks.h). Each is a
// single task.
#include "cpu/routines/walks.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 65536 }; // nodes or edges between two checks for an interrupt

// ---- searches ---------------------------------------------------------------------------------------------

typedef struct search {
  const cp_graph_search_job *job;
  void *next; // by depth: for each node the edge at which its own search goes on
  int64_t found;
} search;

enum { UNSEEN = -2 };

// For each type of positions: fewer bytes are more nodes in a cache.
#define SEARCH(I)                                                                                            \
  static void breadth_##I(search *x, cp_tasks *tasks) {                                                      \
    enum { AHEAD = 8 };                                                                                      \
    const cp_graph_search_job *j = x->job;                                                                   \
    const I *starts = j->m.starts, *at = j->m.columns_of;                                                    \
    const int64_t last = j->m.rows - 1;                                                                      \
    I *order = j->order, *predecessors = j->predecessors;                                                    \
    int64_t found = x->found;                                                                                \
    for (int64_t done = 0; done < found && (done % PIECE != 0 || cp_go_on(tasks)); done++) {                 \
      const I node = order[done];                                                                            \
      const int64_t end = CP_SPARSE_FIRST(&j->m, starts, node + 1);                                          \
      if (done + 2 * AHEAD < found) { /* nodes that come soon lie anywhere, and few are in a cache */        \
        __builtin_prefetch(&starts[order[done + 2 * AHEAD]]);                                                \
        const int64_t soon = CP_SPARSE_FIRST(&j->m, starts, order[done + AHEAD]);                            \
        __builtin_prefetch(at + soon);                                                                       \
        __builtin_prefetch(at + soon + 8);                                                                   \
      }                                                                                                      \
      for (int64_t k = CP_SPARSE_FIRST(&j->m, starts, node); k < end; k++) {                                 \
        const int64_t to = cp_sparse_place_##I(at[k], last);                                                 \
        if (predecessors[to] != UNSEEN) continue;                                                            \
        predecessors[to] = node;                                                                             \
        order[found++] = (I)to;                                                                              \
      }                                                                                                      \
    }                                                                                                        \
    x->found = found;                                                                                        \
  }                                                                                                          \
  /* Goes on from the node found last, and where that has no new neighbours back to the one before it. */    \
  static void depth_##I(search *x, cp_tasks *tasks) {                                                        \
    const cp_graph_search_job *j = x->job;                                                                   \
    const I *starts = j->m.starts, *at = j->m.columns_of;                                                    \
    const int64_t last = j->m.rows - 1;                                                                      \
    I *order = j->order, *predecessors = j->predecessors, *next = x->next, node = order[0];                  \
    int64_t steps = 0;                                                                                       \
    for (int64_t k = 0; k < j->m.rows; k++) next[k] = (I)CP_SPARSE_FIRST(&j->m, starts, k);                  \
    while (node >= 0 && (++steps % PIECE != 0 || cp_go_on(tasks))) {                                         \
      const int64_t end = CP_SPARSE_FIRST(&j->m, starts, node + 1);                                          \
      int64_t k = next[node], to = -1;                                                                       \
      while (k < end && to < 0) {                                                                            \
        const int64_t other = cp_sparse_place_##I(at[k++], last);                                            \
        if (predecessors[other] != UNSEEN) continue;                                                         \
        predecessors[other] = node;                                                                          \
        order[x->found++] = (I)other;                                                                        \
        to = other;                                                                                          \
      }                                                                                                      \
      next[node] = (I)k;                                                                                     \
      node = to >= 0 ? (I)to : predecessors[node];                                                           \
    }                                                                                                        \
  }                                                                                                          \
  static void search_##I(search *x, cp_tasks *tasks) {                                                       \
    const cp_graph_search_job *j = x->job;                                                                   \
    I *order = j->order, *predecessors = j->predecessors;                                                    \
    for (int64_t k = 0; k < j->m.rows; k++) predecessors[k] = UNSEEN;                                        \
    order[0] = (I)cp_sparse_place_int64_t(j->start, j->m.rows - 1);                                          \
    predecessors[order[0]] = -1;                                                                             \
    x->found = 1;                                                                                            \
    (j->deep ? depth_##I : breadth_##I)(x, tasks);                                                           \
    for (int64_t k = x->found; k < j->m.rows; k++) order[k] = -1;                                            \
    for (int64_t k = 0; k < j->m.rows; k++)                                                                  \
      predecessors[k] = predecessors[k] == UNSEEN ? -1 : predecessors[k];                                    \
  }
SEARCH(int32_t)
SEARCH(int64_t)

static void run_search_task(void *data, cp_tasks *tasks) {
  search *x = data;
  int64_t task;
  if (!cp_next_task(tasks, &task)) return;
  (x->job->m.index == CP_INT64 ? search_int64_t : search_int32_t)(x, tasks);
  *x->job->count = x->found;
}

static cp_status run_search(cp_context *ctx, cp_stream *s, const cp_graph_search_job *job) {
  search x = {.job = job};
  (void)s;
  ctx->counters.launches++;
  if (job->deep && (x.next = malloc(((size_t)job->m.rows + 1) * cp_itemsize(job->m.index))) == NULL)
    return cp_no_memory("a search");
  cp_status status = cp_parallel(ctx, run_search_task, &x, 1, false);
  free(x.next);
  return status;
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
  while (o->found < m->rows) o->job->order[o->found++] = 0; // nodes that were not seeds
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
  if (j->keep != NULL) memset(j->keep, 0, (size_t)j->edges);
  for (int64_t k = 0; k < j->edges && (k % PIECE != 0 || cp_go_on(tasks)); k++) {
    const int64_t edge = j->order != NULL ? cp_sparse_place_int64_t(j->order[k] - 1, j->edges - 1) : k;
    const int64_t a = root(x->parents, cp_sparse_place_int64_t(j->from[edge], j->nodes - 1));
    const int64_t b = root(x->parents, cp_sparse_place_int64_t(j->to[edge], j->nodes - 1));
    if (j->keep != NULL) j->keep[edge] = a != b;
    x->parents[a < b ? b : a] = a < b ? a : b;
  }
  for (int64_t k = 0; j->roots != NULL && k < j->nodes; k++) j->roots[k] = root(x->parents, k);
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

const cp_walk_ops cp_cpu_walk_ops = {.search = run_search,
                                     .cuthill = run_cuthill,
                                     .strong = cp_cpu_strong,
                                     .spanning = run_spanning,
                                     .nearest = cp_cpu_nearest,
                                     .relax = cp_cpu_relax};
