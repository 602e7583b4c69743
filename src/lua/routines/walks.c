// The work of routines/walks.h for the Lua side (lua/cupola/scipy/sparse/csgraph): functions of the table
// core. Their first argument is the public name for error messages. Graphs are int64 vectors indptr and
// indices, on a device for which core.walks is true; nodes count from 0, and -1 is none. Results are new
// arrays.
#include "routines/walks.h"

#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/routines/sparse.h"
#include "lua/values/handle.h"

static const cp_walk_ops *walks_of(const cp_array *x) { return x->device->ops->walks; }

// core.walks(x): whether the device of the array x has these functions.
static int has_walks(lua_State *L) {
  lua_pushboolean(L, walks_of(cp_check_array(L, 1, "csgraph", "x")) != NULL);
  return 1;
}

static int64_t *places(const cp_array *x) { return x != NULL ? (int64_t *)(void *)cp_address(x) : NULL; }
static double *reals(const cp_array *x) { return (double *)(void *)cp_address(x); }

// Reads the graph at stack indices 2 and 3, which has a node.
static void take_any_graph(lua_State *L, const char *where, cp_sparse_matrix *g) {
  cp_take_sparse_starts(L, 2, where, g);
  cp_take_sparse_columns(L, 3, where, g->m.rows, g);
  cp_demand(L, where, g->m.rows > 0, "a graph has a node");
  cp_demand(L, where, walks_of(g->starts) != NULL, "the graph's device takes no walks");
}

static void take_graph(lua_State *L, const char *where, cp_sparse_matrix *g) {
  take_any_graph(L, where, g);
  cp_demand(L, where, g->m.index == CP_INT64, "a graph has int64 positions");
}

static void address_graph(cp_sparse_matrix *g) {
  g->m.starts = cp_address(g->starts);
  g->m.columns_of = cp_address(g->columns);
}

static cp_array *take_like(lua_State *L, int slot, const char *where, const char *name, cp_dtype t,
                           int64_t n) {
  cp_array *x = cp_take_sparse_vector(L, slot, where, name);
  cp_demand(L, where, x->dtype == t && x->size == n, "an argument has the wrong dtype or length");
  return x;
}

static cp_array *new_array(lua_State *L, const char *where, const cp_array *beside, cp_dtype t, int64_t rows,
                           int64_t columns) {
  const int64_t shape[] = {rows, columns};
  return cp_push_new_array(L, where, beside->device, t, 2, shape);
}

// ---- orders -----------------------------------------------------------------------------------------------

static cp_status run_search(cp_context *ctx, cp_sparse_matrix *g, cp_graph_search_job *job,
                            cp_array *const *out) {
  cp_stream *stream;
  const cp_use uses[] = {{g->starts, CP_READ},
                         {g->columns, CP_READ},
                         {out[0], CP_WRITE_WHOLE},
                         {out[1], CP_WRITE_WHOLE},
                         {out[2], CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, out[0]->device, 5, uses, &stream));
  address_graph(g);
  job->m = g->m;
  job->order = cp_address(out[0]);
  job->predecessors = cp_address(out[1]);
  job->count = places(out[2]);
  return walks_of(out[0])->search(ctx, stream, job);
}

// core.walk_search(where, indptr, indices, start, deep): the nodes in the order in which a search by breadth
// or by depth finds them, then -1; the node from which each was found, both of indptr's dtype; and how many
// were found (one element).
static int walk_search(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix g;
  cp_array *out[3];
  lua_settop(L, 5);
  take_any_graph(L, where, &g);
  cp_graph_search_job job = {.start = cp_arg_integer(L, 4, where, "start"), .deep = lua_toboolean(L, 5)};
  for (int k = 0; k < 3; k++)
    out[k] = cp_push_sparse_vector(L, where, g.starts, k < 2 ? g.m.index : CP_INT64, k < 2 ? g.m.rows : 1);
  CP_CHECK(L, where, run_search(&cp_state_get(L)->ctx, &g, &job, out));
  return 3;
}

static cp_status run_strong(cp_context *ctx, cp_sparse_matrix *g, cp_array *roots) {
  cp_stream *stream;
  const cp_use uses[] = {{g->starts, CP_READ}, {g->columns, CP_READ}, {roots, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, roots->device, 3, uses, &stream));
  address_graph(g);
  const cp_strong_job job = {.m = g->m, .roots = places(roots)};
  return walks_of(roots)->strong(ctx, stream, &job);
}

// core.walk_strong(where, indptr, indices): for each node one node of its strong component, the same for all
// of them.
static int walk_strong(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix g;
  lua_settop(L, 3);
  take_graph(L, where, &g);
  cp_array *roots = cp_push_sparse_vector(L, where, g.starts, CP_INT64, g.m.rows);
  CP_CHECK(L, where, run_strong(&cp_state_get(L)->ctx, &g, roots));
  return 1;
}

static cp_status run_cuthill(cp_context *ctx, cp_sparse_matrix *g, cp_array *seeds, cp_array *degrees,
                             cp_array *order) {
  cp_stream *stream;
  const cp_use uses[] = {{g->starts, CP_READ},
                         {g->columns, CP_READ},
                         {seeds, CP_READ},
                         {degrees, CP_READ},
                         {order, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, order->device, 5, uses, &stream));
  address_graph(g);
  const cp_cuthill_job job = {
      .m = g->m, .seeds = places(seeds), .degrees = places(degrees), .order = places(order)};
  return walks_of(order)->cuthill(ctx, stream, &job);
}

// core.walk_cuthill(where, indptr, indices, seeds, degrees): the order of Cuthill and McKee.
static int walk_cuthill(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix g;
  lua_settop(L, 5);
  take_graph(L, where, &g);
  cp_array *seeds = take_like(L, 4, where, "seeds", CP_INT64, g.m.rows);
  cp_array *degrees = take_like(L, 5, where, "degrees", CP_INT64, g.m.rows);
  cp_array *order = cp_push_sparse_vector(L, where, g.starts, CP_INT64, g.m.rows);
  CP_CHECK(L, where, run_cuthill(&cp_state_get(L)->ctx, &g, seeds, degrees, order));
  return 1;
}

// ---- trees ------------------------------------------------------------------------------------------------

// The numbers of nodes, and the edges' ends, which are arguments 2 to 4.
static int64_t take_edges(lua_State *L, const char *where, cp_array **from, cp_array **to) {
  const int64_t nodes = cp_arg_integer(L, 2, where, "nodes");
  *from = cp_take_sparse_vector(L, 3, where, "from");
  cp_demand(L, where,
            (*from)->dtype == CP_INT64 && walks_of(*from) != NULL && nodes >= 0 && nodes < INT64_MAX / 16,
            "nodes must be int64, on a device that takes walks");
  cp_demand(L, where, nodes > 0 || (*from)->size == 0, "edges must have nodes");
  *to = take_like(L, 4, where, "to", CP_INT64, (*from)->size);
  return nodes;
}

// order and keep, or roots, may be NULL.
static cp_status run_spanning(cp_context *ctx, int64_t nodes, cp_array *from, cp_array *to, cp_array *order,
                              cp_array *keep, cp_array *roots) {
  cp_stream *stream;
  cp_use uses[4] = {{from, CP_READ}, {to, CP_READ}, {keep != NULL ? keep : roots, CP_WRITE_WHOLE}};
  if (order != NULL) uses[3] = (cp_use){order, CP_READ};
  CP_TRY(cp_open_arrays(ctx, from->device, order != NULL ? 4 : 3, uses, &stream));
  const cp_spanning_job job = {.nodes = nodes,
                               .edges = from->size,
                               .from = places(from),
                               .to = places(to),
                               .order = order != NULL ? places(order) : NULL,
                               .keep = keep != NULL ? (unsigned char *)cp_address(keep) : NULL,
                               .roots = roots != NULL ? places(roots) : NULL};
  return walks_of(from)->spanning(ctx, stream, &job);
}

// core.walk_spanning(where, nodes, from, to, order): which edges Kruskal's algorithm keeps, a bool for each.
// order: their numbers from 1, the least weight first.
static int walk_spanning(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *from, *to;
  lua_settop(L, 5);
  const int64_t nodes = take_edges(L, where, &from, &to);
  cp_array *order = take_like(L, 5, where, "order", CP_INT64, from->size);
  cp_array *keep = cp_push_sparse_vector(L, where, from, CP_BOOL, from->size);
  if (keep->size > 0)
    CP_CHECK(L, where, run_spanning(&cp_state_get(L)->ctx, nodes, from, to, order, keep, NULL));
  return 1;
}

// core.walk_components(where, nodes, from, to): the least of the nodes that edges join with each node, from
// 0.
static int walk_components(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *from, *to;
  lua_settop(L, 4);
  const int64_t nodes = take_edges(L, where, &from, &to);
  cp_array *roots = cp_push_sparse_vector(L, where, from, CP_INT64, nodes);
  if (nodes > 0) CP_CHECK(L, where, run_spanning(&cp_state_get(L)->ctx, nodes, from, to, NULL, NULL, roots));
  return 1;
}

// ---- paths ------------------------------------------------------------------------------------------------

// The weights at stack index 4, one for each edge.
static cp_array *take_weights(lua_State *L, const char *where, const cp_sparse_matrix *g) {
  return take_like(L, 4, where, "weights", CP_FLOAT64, g->m.entries);
}

static cp_status run_nearest(cp_context *ctx, cp_sparse_matrix *g, cp_array *const *in, cp_array *const *out,
                             cp_nearest_job *job) {
  cp_stream *stream;
  cp_use uses[7] = {{g->starts, CP_READ}, {g->columns, CP_READ},    {in[0], CP_READ},
                    {in[1], CP_READ},     {out[0], CP_WRITE_WHOLE}, {out[1], CP_WRITE_WHOLE}};
  int count = 6;
  if (out[2] != NULL) uses[count++] = (cp_use){out[2], CP_WRITE_WHOLE};
  CP_TRY(cp_open_arrays(ctx, out[0]->device, count, uses, &stream));
  address_graph(g);
  job->m = g->m;
  job->weights = reals(in[0]);
  job->sources = places(in[1]);
  job->distances = reals(out[0]);
  job->predecessors = places(out[1]);
  job->origins = places(out[2]);
  return walks_of(out[0])->nearest(ctx, stream, job);
}

// core.walk_nearest(where, indptr, indices, weights, sources, joint, limit): distances and predecessors, a
// row for each source; joint: one row from the nearest source, and each node's source.
static int walk_nearest(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix g;
  cp_array *in[2], *out[3] = {NULL};
  lua_settop(L, 7);
  take_graph(L, where, &g);
  in[0] = take_weights(L, where, &g);
  in[1] = cp_take_sparse_vector(L, 5, where, "sources");
  cp_demand(L, where, in[1]->dtype == CP_INT64, "sources must be int64");
  cp_nearest_job job = {.count = in[1]->size, .joint = lua_toboolean(L, 6), .limit = luaL_checknumber(L, 7)};
  const int64_t rows = job.joint ? 1 : job.count, n = g.m.rows;
  out[0] = new_array(L, where, g.starts, CP_FLOAT64, rows, n);
  out[1] = new_array(L, where, g.starts, CP_INT64, rows, n);
  if (job.joint) out[2] = new_array(L, where, g.starts, CP_INT64, rows, n);
  if (rows > 0) CP_CHECK(L, where, run_nearest(&cp_state_get(L)->ctx, &g, in, out, &job));
  return job.joint ? 3 : 2;
}

static cp_status run_relax(cp_context *ctx, cp_sparse_matrix *g, cp_array *weights, cp_array *const *out) {
  cp_stream *stream;
  const cp_use uses[] = {{g->starts, CP_READ}, {g->columns, CP_READ},    {weights, CP_READ},
                         {out[0], CP_WRITE},   {out[1], CP_WRITE_WHOLE}, {out[2], CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, out[0]->device, 6, uses, &stream));
  address_graph(g);
  const cp_relax_job job = {.m = g->m,
                            .weights = reals(weights),
                            .count = out[0]->shape[0],
                            .distances = reals(out[0]),
                            .predecessors = places(out[1]),
                            .cycles = places(out[2])};
  return walks_of(out[0])->relax(ctx, stream, &job);
}

// core.walk_relax(where, indptr, indices, weights, distances): shortens distances (float64, a row for each
// source) in place. Returns predecessors, and for each row 1 if it has a cycle of negative length, else 0.
static int walk_relax(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_sparse_matrix g;
  cp_array *out[3];
  lua_settop(L, 5);
  take_graph(L, where, &g);
  cp_array *weights = take_weights(L, where, &g);
  out[0] = cp_check_array(L, 5, where, "distances");
  cp_demand(L, where,
            out[0]->ndim == 2 && out[0]->shape[1] == g.m.rows && out[0]->dtype == CP_FLOAT64 &&
                cp_array_contiguous(out[0], 'C') && !out[0]->readonly,
            "distances must be a contiguous float64 matrix with a column for each node");
  const int64_t rows = out[0]->shape[0];
  out[1] = new_array(L, where, g.starts, CP_INT64, rows, g.m.rows);
  out[2] = cp_push_sparse_vector(L, where, g.starts, CP_INT64, rows);
  if (rows > 0) CP_CHECK(L, where, run_relax(&cp_state_get(L)->ctx, &g, weights, out));
  return 2;
}

void cp_open_walks(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"walks", has_walks},           {"walk_search", walk_search},     {"walk_cuthill", walk_cuthill},
      {"walk_strong", walk_strong},   {"walk_spanning", walk_spanning}, {"walk_components", walk_components},
      {"walk_nearest", walk_nearest}, {"walk_relax", walk_relax},       {NULL, NULL}};
  cp_put_functions(L, 1, functions);
}
