// Shortest paths on the CPU (routines/walks.h); a task for each source.
#include "cpu/routines/walks.h"

#include <math.h>
#include <string.h>

enum { PIECE = 16384 }; // nodes between two checks for an interrupt

// ---- a heap of nodes --------------------------------------------------------------------------------------

// Nodes by their distances, the least first; each node of the heap has up to four below it. place: a node's
// place in it from 1; 0: it was not in the heap yet, -1: it has left.
typedef struct heap {
  const double *distances;
  int64_t *nodes, *place, count;
} heap;

static void put(heap *h, int64_t at, int64_t node) {
  h->nodes[at] = node;
  h->place[node] = at + 1;
}

// Puts the node where it belongs at or above the place `at`.
static void lift(heap *h, int64_t at, int64_t node) {
  const double d = h->distances[node];
  while (at > 0 && h->distances[h->nodes[(at - 1) / 4]] > d) {
    put(h, at, h->nodes[(at - 1) / 4]);
    at = (at - 1) / 4;
  }
  put(h, at, node);
}

static int64_t take_least(heap *h) {
  const int64_t least = h->nodes[0], last = h->nodes[--h->count];
  int64_t at = 0;
  h->place[least] = -1;
  if (h->count == 0) return least;
  for (int64_t child; (child = 4 * at + 1) < h->count; at = child) {
    const int64_t end = h->count - child < 4 ? h->count : child + 4;
    for (int64_t k = child + 1; k < end; k++)
      if (h->distances[h->nodes[k]] < h->distances[h->nodes[child]]) child = k;
    if (!(h->distances[h->nodes[child]] < h->distances[last])) break;
    put(h, at, h->nodes[child]);
  }
  put(h, at, last);
  return least;
}

// ---- Dijkstra ---------------------------------------------------------------------------------------------

typedef struct nearing {
  const cp_nearest_job *job;
  cp_sparse_rooms rooms;
} nearing;

static void reach(const cp_nearest_job *j, heap *h, int64_t row, int64_t node, double d) {
  j->distances[row * j->m.rows + node] = d;
  if (h->place[node] == 0) {
    lift(h, h->count++, node);
  } else {
    lift(h, h->place[node] - 1, node);
  }
}

static void begin(const cp_nearest_job *j, heap *h, int64_t row, int64_t source) {
  source = cp_sparse_place_int64_t(source, j->m.rows - 1);
  if (h->place[source] != 0) return;
  if (j->joint) j->origins[source] = source;
  reach(j, h, row, source, 0);
}

static void search(const cp_nearest_job *j, heap *h, int64_t row, cp_tasks *tasks) {
  const cp_sparse_layout *m = &j->m;
  const int64_t *starts = m->starts, *at = m->columns_of;
  int64_t *predecessors = j->predecessors + row * m->rows;
  for (int64_t steps = 1; h->count > 0 && (steps % PIECE != 0 || cp_go_on(tasks)); steps++) {
    const int64_t node = take_least(h), end = CP_SPARSE_FIRST(m, starts, node + 1);
    for (int64_t k = CP_SPARSE_FIRST(m, starts, node); k < end; k++) {
      const int64_t next = cp_sparse_place_int64_t(at[k], m->rows - 1);
      const double d = h->distances[node] + j->weights[k];
      if (h->place[next] < 0 || !(d <= j->limit) || !(d < h->distances[next])) continue;
      predecessors[next] = node;
      if (j->joint) j->origins[next] = j->origins[node];
      reach(j, h, row, next, d);
    }
  }
}

static void search_all(void *data, cp_tasks *tasks) {
  nearing *x = data;
  const cp_nearest_job *j = x->job;
  const int64_t n = j->m.rows;
  int64_t *memory = (int64_t *)cp_sparse_room(&x->rooms), row;
  if (memory == NULL) return;
  while (cp_next_task(tasks, &row)) {
    heap h = {.distances = j->distances + row * n, .nodes = memory, .place = memory + n};
    memset(h.place, 0, (size_t)n * sizeof *h.place);
    for (int64_t k = 0; k < n; k++) {
      j->distances[row * n + k] = INFINITY;
      j->predecessors[row * n + k] = -1;
      if (j->joint) j->origins[k] = -1;
    }
    for (int64_t k = j->joint ? 0 : row; k < (j->joint ? j->count : row + 1); k++)
      begin(j, &h, row, j->sources[k]);
    search(j, &h, row, tasks);
  }
}

cp_status cp_cpu_nearest(cp_context *ctx, cp_stream *s, const cp_nearest_job *job) {
  const int64_t rows = job->joint ? 1 : job->count;
  nearing x = {.job = job};
  (void)s;
  ctx->counters.launches++;
  CP_TRY(cp_sparse_open_rooms(&x.rooms, ((size_t)job->m.rows * 2 + 1) * sizeof(int64_t), rows > 1));
  cp_status status = cp_parallel(ctx, search_all, &x, rows, rows > 1);
  cp_sparse_close_rooms(&x.rooms);
  return status;
}

// ---- Bellman and Ford -------------------------------------------------------------------------------------

// Goes through all edges once; whether any shortened a distance.
static bool relax_edges(const cp_relax_job *j, double *distances, int64_t *predecessors) {
  const cp_sparse_layout *m = &j->m;
  const int64_t *starts = m->starts, *at = m->columns_of;
  bool shortened = false;
  for (int64_t node = 0; node < m->rows; node++) {
    const int64_t end = CP_SPARSE_FIRST(m, starts, node + 1);
    if (distances[node] == INFINITY) continue;
    for (int64_t k = CP_SPARSE_FIRST(m, starts, node); k < end; k++) {
      const int64_t next = cp_sparse_place_int64_t(at[k], m->rows - 1);
      const double d = distances[node] + j->weights[k];
      if (!(d < distances[next])) continue;
      distances[next] = d;
      predecessors[next] = node;
      shortened = true;
    }
  }
  return shortened;
}

static void relax(void *data, cp_tasks *tasks) {
  const cp_relax_job *j = data;
  const int64_t n = j->m.rows;
  int64_t row;
  while (cp_next_task(tasks, &row)) {
    bool more = true;
    for (int64_t k = 0; k < n; k++) j->predecessors[row * n + k] = -1;
    for (int64_t round = 0; more && round <= n && cp_go_on(tasks); round++)
      more = relax_edges(j, j->distances + row * n, j->predecessors + row * n);
    j->cycles[row] = more;
  }
}

cp_status cp_cpu_relax(cp_context *ctx, cp_stream *s, const cp_relax_job *job) {
  cp_relax_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, relax, &copy, job->count, job->count > 1);
}
