// Runs elementwise plans: tasks of CP_CHUNK positions, shared by threads when there is enough work.
#include "cpu/run/program.h"
#include "cpu/run/run.h"
#include "host/threads.h"

#include <stdlib.h>

enum {
  UNTILED = 4096,      // below this size all operands fit into the cache, so tiles gain nothing
  TILE_BYTES = 16384,  // bytes of a tile that is only copied
  TILE_BLOCK = 1024,   // elements of a tile that is computed with
  LONG_COPY = 4 << 20, // bytes that the C library copies past the cache
  MIN_TILE_COLUMNS = 8,
  PIECE = 2048 // elements per block when the host may interrupt
};

typedef struct elementwise {
  const cp_program *program;
  int64_t size, chunk;
} elementwise;

void cp_worker_range(cp_worker *w, cp_tasks *tasks, int64_t begin, int64_t end) {
  while (begin < end && cp_go_on(tasks)) {
    size_t n = cp_program_range(w->program, begin, end);
    cp_worker_run(w, begin, n);
    begin += (int64_t)n;
  }
}

static void work(void *data, cp_tasks *tasks) {
  const elementwise *e = data;
  cp_worker w;
  int64_t task;
  char *memory = cp_arena(e->program->memory);
  if (!memory) return; // the caller's thread has its own block
  cp_worker_start(&w, e->program, memory);
  while (cp_next_task(tasks, &task)) {
    int64_t begin = task * e->chunk, end = begin + e->chunk;
    cp_worker_range(&w, tasks, begin, end < e->size ? end : e->size);
  }
  cp_worker_end(&w);
}

// Runs the program over its space of `size` positions, `chunk` of them per task. When the host may interrupt,
// blocks are shorter, as some functions take microseconds per element.
static cp_status run_space(cp_context *ctx, cp_program *g, int64_t size, int64_t chunk) {
  const cp_plan *p = g->plan;
  const int64_t limit = cp_may_end(ctx) ? PIECE : chunk;
  int keep[CP_MAX_OUTPUTS];
  for (int o = 0; o < p->noutputs; o++) keep[o] = p->outputs[o].reg;
  CP_TRY(cp_program_build(g, (size_t)(size < limit ? size : limit), p->noutputs, keep));
  if (!cp_arena(g->memory)) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for blocks", g->memory);
  elementwise e = {g, size, chunk};
  return cp_parallel(ctx, work, &e, (size + chunk - 1) / chunk, p->size > CP_CPU_ALONE);
}

// Runs the part of the space that t describes; an empty part is no work.
static cp_status run_tiles(cp_context *ctx, cp_program *g, const cp_plan *p, cp_tiling t) {
  if (t.rows == 0 || t.columns == 0) return CP_OK;
  if (t.tile_rows > t.rows) t.tile_rows = t.rows;
  if (t.tile_columns > t.columns) t.tile_columns = t.columns;
  int64_t size = p->size / (p->shape[t.dim] * p->shape[p->ndim - 1]) * t.rows * t.columns;
  int64_t tile = t.tile_rows * t.tile_columns;
  cp_program_tiles(g, p, &t);
  return run_space(ctx, g, size, CP_CHUNK / tile * tile);
}

// Runs all whole tiles first, then the strips at the two edges and the corner.
static cp_status run_tiled(cp_context *ctx, cp_program *g, const cp_plan *p, int dim) {
  int64_t rows = p->shape[dim], columns = p->shape[p->ndim - 1];
  int64_t itemsize = (int64_t)cp_itemsize(p->outputs[0].dtype), block = TILE_BYTES / itemsize;
  if (block > CP_BLOCK) block = CP_BLOCK;
  if (p->ninstrs > 2 && block > TILE_BLOCK) block = TILE_BLOCK;
  int64_t tile_rows = itemsize > 4 ? CP_TILE_BYTES / itemsize : CP_TILE_BYTES / 4;
  if (tile_rows > rows) tile_rows = rows;
  int64_t tile_columns = block / tile_rows;
  int64_t row = rows / tile_rows * tile_rows, column = columns / tile_columns * tile_columns;
  CP_TRY(run_tiles(ctx, g, p, (cp_tiling){dim, 0, row, tile_rows, 0, column, tile_columns}));
  CP_TRY(run_tiles(ctx, g, p, (cp_tiling){dim, 0, row, tile_rows, column, columns - column, tile_columns}));
  CP_TRY(run_tiles(ctx, g, p, (cp_tiling){dim, row, rows - row, tile_rows, 0, column, tile_columns}));
  return run_tiles(ctx, g, p,
                   (cp_tiling){dim, row, rows - row, tile_rows, column, columns - column, tile_columns});
}

// Positions per task of a copy: a thread's share, at most LONG_COPY.
static int64_t moved_chunk(const cp_plan *p) {
  int64_t share = p->size / cp_thread_count(), most = LONG_COPY / (int64_t)cp_itemsize(p->outputs[0].dtype);
  if (share > most) share = most;
  return share > CP_CHUNK ? share : CP_CHUNK;
}

static cp_status run_program(cp_context *ctx, cp_program *g, const cp_plan *p) {
  int dim = p->ndim > 1 && p->size > UNTILED ? cp_program_tile_dim(p) : -1;
  if (dim >= 0 && p->shape[p->ndim - 1] >= MIN_TILE_COLUMNS) return run_tiled(ctx, g, p, dim);
  cp_program_space(g, p, NULL);
  return run_space(ctx, g, p->size, cp_copies_moved(p) ? moved_chunk(p) : CP_CHUNK);
}

cp_status cp_cpu_elementwise(cp_context *ctx, const cp_plan *p) {
  cp_status status = CP_OK;
  if (p->size == 0 || cp_cpu_small(ctx, p) || cp_cpu_fill(ctx, p, &status)) return status;
  cp_program *g = malloc(sizeof *g);
  if (g == NULL) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for a program", sizeof *g);
  status = run_program(ctx, g, p);
  free(g);
  return status;
}
