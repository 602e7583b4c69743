// Walks through graphs one node after the other, which cp_device_ops.walks points to. The family is optional:
// arrays on devices without it go to the CPU (lua/cupola/scipy/sparse/csgraph).
//
// A graph is the layout of a square sparse matrix with int64 positions (a search takes int32, too): an edge
// for each entry, from its row's node to its column's. Nodes count from 0, and -1 is none. Functions stay
// within the arrays that they are given, whatever the positions in them are.
#ifndef CP_ROUTINES_WALKS_H
#define CP_ROUTINES_WALKS_H

#include "routines/sparse.h"

// A search by breadth, or by depth: the nodes in the order in which they are found from `start`, and the node
// from which each was found.
typedef struct cp_graph_search_job {
  cp_sparse_layout m;
  int64_t start;
  bool deep;
  void *order, *predecessors; // m.rows each, of m.index; order[count] and behind is -1
  int64_t *count;             // of nodes that were found
} cp_graph_search_job;

// The order of Cuthill and McKee: breadth first from each seed that was not found before, and of the nodes
// found from one node those of least degree first.
typedef struct cp_cuthill_job {
  cp_sparse_layout m;
  const int64_t *seeds, *degrees; // m.rows each; every node is a seed
  int64_t *order;
} cp_cuthill_job;

// For each node the root of its strong component: one node of it, the same for all of them.
typedef struct cp_strong_job {
  cp_sparse_layout m;
  int64_t *roots;
} cp_strong_job;

// Kruskal's algorithm: goes through the edges in the given order and keeps those that join two trees.
typedef struct cp_spanning_job {
  int64_t nodes, edges;
  const int64_t *from, *to; // of each edge
  const int64_t *order;     // numbers of edges, from 1; NULL: all, one after the other
  unsigned char *keep;      // a bool for each edge, or NULL
  int64_t *roots;           // NULL, or the least node of each node's tree
} cp_spanning_job;

// Dijkstra's algorithm from each source, or `joint`: from whichever source is nearest. Row s of the results
// belongs to source s; joint: there is one row. Nodes that are not reached within `limit` have distance
// infinity.
typedef struct cp_nearest_job {
  cp_sparse_layout m;
  const double *weights; // not negative
  const int64_t *sources;
  int64_t count;
  bool joint;
  double limit;
  double *distances;
  int64_t *predecessors, *origins; // of nodes; origins only if joint, else NULL
} cp_nearest_job;

// Bellman's and Ford's algorithm: shortens the distances in `count` rows, which hold those of the sources,
// until no edge shortens any. cycles[s]: 1 if a cycle of negative length never lets that end, else 0.
typedef struct cp_relax_job {
  cp_sparse_layout m;
  const double *weights;
  int64_t count;
  double *distances;
  int64_t *predecessors, *cycles;
} cp_relax_job;

typedef struct cp_walk_ops {
  cp_status (*search)(cp_context *ctx, cp_stream *s, const cp_graph_search_job *job);
  cp_status (*cuthill)(cp_context *ctx, cp_stream *s, const cp_cuthill_job *job);
  cp_status (*strong)(cp_context *ctx, cp_stream *s, const cp_strong_job *job);
  cp_status (*spanning)(cp_context *ctx, cp_stream *s, const cp_spanning_job *job);
  cp_status (*nearest)(cp_context *ctx, cp_stream *s, const cp_nearest_job *job);
  cp_status (*relax)(cp_context *ctx, cp_stream *s, const cp_relax_job *job);
} cp_walk_ops;

extern const cp_walk_ops cp_cpu_walk_ops;

#endif
