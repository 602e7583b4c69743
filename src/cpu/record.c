// Records work of the CPU device in command buffers: copies of its arguments, and a function that replays it.
//
// The replay functions below call the device's own functions, on a stream that does not record.
#include "cpu/record.h"

#include "cpu/routines/index.h"
#include "cpu/run/commands.h"
#include "cpu/run/cpu.h"
#include "cpu/run/run.h"

#include <string.h>

// ---- moving and setting bytes -----------------------------------------------------------------------------

typedef struct bytes_job {
  void *dst;
  const void *src; // NULL: the bytes follow the struct
  int byte;
  size_t bytes;
} bytes_job;

static cp_status replay_copy(cp_context *ctx, cp_stream *s, void *arguments) {
  const bytes_job *j = arguments;
  (void)ctx;
  return s->device->ops->copy(s, j->dst, j->src, j->bytes, CP_WITHIN);
}

static cp_status replay_upload(cp_context *ctx, cp_stream *s, void *arguments) {
  const bytes_job *j = arguments;
  (void)ctx;
  return s->device->ops->copy(s, j->dst, (const char *)arguments + (sizeof *j + 15) / 16 * 16, j->bytes,
                              CP_TO_DEVICE);
}

cp_status cp_record_copy(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind) {
  bytes_job j = {.dst = dst, .src = src, .bytes = bytes};
  if (kind == CP_TO_HOST) return cp_commands_refuse(s);
  if (kind == CP_WITHIN) return cp_commands_put(s, replay_copy, &j, sizeof j, false);
  char *at = cp_commands_add(s, replay_upload, &j, sizeof j, bytes, false);
  if (at == NULL) return CP_EMEMORY;
  memcpy(at + (sizeof j + 15) / 16 * 16, src, bytes);
  return CP_OK;
}

static cp_status replay_fill(cp_context *ctx, cp_stream *s, void *arguments) {
  const bytes_job *j = arguments;
  (void)ctx;
  return s->device->ops->fill_bytes(s, j->dst, j->byte, j->bytes);
}

cp_status cp_record_fill_bytes(cp_stream *s, void *dst, int byte, size_t bytes) {
  const bytes_job j = {.dst = dst, .byte = byte, .bytes = bytes};
  return cp_commands_put(s, replay_fill, &j, sizeof j, false);
}

// ---- plans ------------------------------------------------------------------------------------------------

static cp_status replay_plan(cp_context *ctx, cp_stream *s, void *plan) {
  return s->device->ops->run(ctx, s, plan);
}

cp_status cp_record_run(cp_context *ctx, cp_stream *s, const cp_plan *plan) {
  ctx->counters.launches++;
  if (plan->user != NULL) return cp_cpu_user_record(ctx, s, plan);
  return cp_commands_put(s, replay_plan, plan, sizeof *plan, true);
}

// ---- libraries --------------------------------------------------------------------------------------------

static cp_status prepare_blas(cp_context *ctx, cp_stream *s) { return cp_cpu_blas.prepare(ctx, s); }

static cp_status replay_gemm(cp_context *ctx, cp_stream *s, void *g) {
  (void)ctx;
  return cp_cpu_blas.gemm(s, g);
}

static cp_status gemm(cp_stream *s, const cp_gemm *g) {
  return s->capturing ? cp_commands_put(s, replay_gemm, g, sizeof *g, true) : cp_cpu_blas.gemm(s, g);
}

static cp_status replay_gemv(cp_context *ctx, cp_stream *s, void *g) {
  (void)ctx;
  return cp_cpu_gemv(s, g);
}

static cp_status gemv(cp_stream *s, const cp_gemv *g) {
  return s->capturing ? cp_commands_put(s, replay_gemv, g, sizeof *g, true) : cp_cpu_gemv(s, g);
}

const cp_blas_ops cp_record_blas_ops = {.half = false,
                                        .prepare = prepare_blas,
                                        .gemm = gemm,
                                        .gemv = gemv,
                                        .orthogonalise = cp_cpu_orthogonalise};

typedef struct fft_job {
  cp_fft_plan *plan; // the graph keeps it open
  void *in, *out, *work;
} fft_job;

static cp_status open_plan(cp_context *ctx, cp_stream *s, const cp_fft_shape *shape, cp_fft_plan **plan,
                           size_t *work) {
  return cp_cpu_fft.open(ctx, s, shape, plan, work);
}

static cp_status replay_fft(cp_context *ctx, cp_stream *s, void *arguments) {
  const fft_job *j = arguments;
  (void)ctx;
  return cp_cpu_fft.run(s, j->plan, j->in, j->out, j->work);
}

static cp_status run_fft(cp_stream *s, cp_fft_plan *plan, void *in, void *out, void *work) {
  const fft_job j = {plan, in, out, work};
  return s->capturing ? cp_commands_put(s, replay_fft, &j, sizeof j, true)
                      : cp_cpu_fft.run(s, plan, in, out, work);
}

static int trim_plans(cp_stream *s, int limit, int keep) { return cp_cpu_fft.trim(s, limit, keep); }

const cp_fft_ops cp_record_fft_ops = {
    .strided = true, .open = open_plan, .run = run_fft, .close = cp_fft_cache_close, .trim = trim_plans};

// ---- masks and positions ----------------------------------------------------------------------------------

static cp_status scan_mask(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, char *offsets,
                           int64_t *count) {
  CP_TRY(cp_commands_refuse(s));
  return cp_cpu_index_ops.scan(ctx, s, mask, size, offsets, count);
}

static cp_status replay_compact(cp_context *ctx, cp_stream *s, void *job) {
  return cp_cpu_index_ops.compact(ctx, s, job);
}

static cp_status compact(cp_context *ctx, cp_stream *s, const cp_compaction *c) {
  return s->capturing ? cp_commands_put(s, replay_compact, c, sizeof *c, true)
                      : cp_cpu_index_ops.compact(ctx, s, c);
}

typedef struct lookup_job {
  cp_lookup lookup;
  char where[48], site[96];
} lookup_job;

static cp_status replay_lookup(cp_context *ctx, cp_stream *s, void *arguments) {
  lookup_job *j = arguments;
  j->lookup.where = j->where;
  j->lookup.site = j->site;
  return cp_cpu_index_ops.lookup(ctx, s, &j->lookup);
}

static cp_status lookup(cp_context *ctx, cp_stream *s, const cp_lookup *l) {
  if (!s->capturing) return cp_cpu_index_ops.lookup(ctx, s, l);
  lookup_job j = {.lookup = *l};
  strncpy(j.where, l->where != NULL ? l->where : "", sizeof j.where - 1);
  strncpy(j.site, l->site != NULL ? l->site : "", sizeof j.site - 1);
  return cp_commands_put(s, replay_lookup, &j, sizeof j, true);
}

static cp_status pack(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, bool little,
                      char *bits) {
  if (s->capturing) return cp_commands_refuse(s); // callers have another way
  return cp_cpu_index_ops.pack(ctx, s, mask, size, little, bits);
}

const cp_index_ops cp_record_index_ops = {.scan = scan_mask,
                                          .compact = compact,
                                          .pack = pack,
                                          .lookup = lookup,
                                          .spread_share = 2,
                                          .spread_size = 1 << 10};

// ---- routines: each takes a job, which is copied ----------------------------------------------------------

#define ROUTINE(name, type, function)                                                                        \
  static cp_status replay_##name(cp_context *ctx, cp_stream *s, void *job) { return function(ctx, s, job); } \
  static cp_status name(cp_context *ctx, cp_stream *s, const type *job) {                                    \
    return s->capturing ? cp_commands_put(s, replay_##name, job, sizeof *job, true) : function(ctx, s, job); \
  }

// The same for jobs that may rely on positions having been checked: when the graph runs, memory may hold
// others.
#define CHECKED_ROUTINE(name, type, function)                                                                \
  static cp_status replay_##name(cp_context *ctx, cp_stream *s, void *job) { return function(ctx, s, job); } \
  static cp_status name(cp_context *ctx, cp_stream *s, const type *job) {                                    \
    if (!s->capturing) return function(ctx, s, job);                                                         \
    type copy = *job;                                                                                        \
    copy.within = false;                                                                                     \
    return cp_commands_put(s, replay_##name, &copy, sizeof copy, true);                                      \
  }

ROUTINE(scan_rows, cp_scan_job, cp_cpu_scan_ops.run)
ROUTINE(sort_rows, cp_sort_job, cp_cpu_sort_ops.sort)
ROUTINE(search, cp_search_job, cp_cpu_sort_ops.search)
ROUTINE(interpolate, cp_interpolate_job, cp_cpu_sort_ops.interpolate)
ROUTINE(move, cp_move_job, cp_cpu_sort_ops.move)
ROUTINE(count, cp_count_job, cp_cpu_sort_ops.count)
ROUTINE(convolve, cp_convolve_job, cp_cpu_convolve_ops.convolve)
ROUTINE(recur, cp_recur_job, cp_cpu_convolve_ops.recur)
ROUTINE(sparse_check, cp_sparse_check_job, cp_cpu_sparse_ops.check)
ROUTINE(sparse_rows, cp_sparse_rows_job, cp_cpu_sparse_ops.rows)
ROUTINE(sparse_sample, cp_sparse_sample_job, cp_cpu_sparse_ops.sample)
ROUTINE(sparse_solve, cp_sparse_solve_job, cp_cpu_sparse_ops.solve)
CHECKED_ROUTINE(sparse_product, cp_sparse_product_job, cp_cpu_sparse_ops.product)
CHECKED_ROUTINE(sparse_group, cp_sparse_group_job, cp_cpu_sparse_form_ops.group)
ROUTINE(sparse_take, cp_sparse_take_job, cp_cpu_sparse_form_ops.take)
ROUTINE(sparse_dense, cp_sparse_dense_job, cp_cpu_sparse_form_ops.dense)
ROUTINE(sparse_tidy, cp_sparse_tidy_job, cp_cpu_sparse_form_ops.tidy)
ROUTINE(sparse_find, cp_sparse_find_job, cp_cpu_sparse_form_ops.find)
ROUTINE(sparse_extremes, cp_sparse_extremes_job, cp_cpu_sparse_form_ops.extremes)
ROUTINE(sparse_sums, cp_sparse_sums_job, cp_cpu_sparse_form_ops.sums)
ROUTINE(sparse_unite, cp_sparse_union_job, cp_cpu_sparse_form_ops.unite)
ROUTINE(graph_search, cp_graph_search_job, cp_cpu_walk_ops.search)
ROUTINE(cuthill, cp_cuthill_job, cp_cpu_walk_ops.cuthill)
ROUTINE(strong, cp_strong_job, cp_cpu_walk_ops.strong)
ROUTINE(spanning, cp_spanning_job, cp_cpu_walk_ops.spanning)
ROUTINE(nearest, cp_nearest_job, cp_cpu_walk_ops.nearest)
ROUTINE(relax, cp_relax_job, cp_cpu_walk_ops.relax)
ROUTINE(sites, cp_sites_job, cp_cpu_sites_ops.run)

static size_t scan_scratch(cp_device *d, const cp_scan_job *job) { return cp_cpu_scan_ops.scratch(d, job); }

static size_t sort_scratch(cp_device *d, const cp_sort_job *job) {
  return cp_cpu_sort_ops.sort_scratch(d, job);
}

static int64_t sparse_parts(cp_device *d, const cp_sparse_product_job *job) {
  return cp_cpu_sparse_ops.parts(d, job);
}
static int64_t sparse_tile(const cp_sparse_product_job *job) { return cp_cpu_sparse_ops.tile(job); }
// These wait for their results, so no graph has them (src/lua/routines asks).
static cp_status sparse_factor(cp_context *ctx, cp_stream *s, const cp_sparse_factor_job *job,
                               int64_t *singular) {
  return cp_cpu_sparse_ops.factor(ctx, s, job, singular);
}

static cp_status sparse_incomplete(cp_context *ctx, cp_stream *s, const cp_sparse_incomplete_job *job,
                                   int64_t *singular) {
  return cp_cpu_sparse_ops.incomplete(ctx, s, job, singular);
}

static cp_status sparse_runs(cp_context *ctx, cp_stream *s, const cp_sparse_runs_job *job) {
  return cp_cpu_sparse_form_ops.runs(ctx, s, job);
}

static cp_status sparse_pick(cp_context *ctx, cp_stream *s, cp_sparse_pick_job *job) {
  return cp_cpu_sparse_form_ops.pick(ctx, s, job);
}

static cp_status sparse_multiply(cp_context *ctx, cp_stream *s, const cp_sparse_multiply_job *job) {
  return cp_cpu_sparse_form_ops.multiply(ctx, s, job);
}

static cp_status sparse_add(cp_context *ctx, cp_stream *s, const cp_sparse_add_job *job) {
  return cp_cpu_sparse_form_ops.add(ctx, s, job);
}

static size_t solve_scratch(const cp_sparse_solve_job *job) { return cp_cpu_sparse_ops.solve_scratch(job); }

const cp_convolve_ops cp_record_convolve_ops = {.convolve = convolve, .recur = recur};
static cp_status number_components(cp_context *ctx, cp_stream *s, cp_dtype dtype, void *labels, int64_t count,
                                   int64_t *components) {
  if (s->capturing) return cp_commands_refuse(s);
  return cp_cpu_sites_ops.number(ctx, s, dtype, labels, count, components);
}

const cp_sites_ops cp_record_sites_ops = {.run = sites, .number = number_components};
const cp_scan_ops cp_record_scan_ops = {.scratch = scan_scratch, .run = scan_rows};
const cp_sort_ops cp_record_sort_ops = {.sort_scratch = sort_scratch,
                                        .sort = sort_rows,
                                        .search = search,
                                        .interpolate = interpolate,
                                        .move = move,
                                        .count = count};
const cp_sparse_ops cp_record_sparse_ops = {.waits_from = 16384,
                                            .check = sparse_check,
                                            .rows = sparse_rows,
                                            .tile = sparse_tile,
                                            .parts = sparse_parts,
                                            .product = sparse_product,
                                            .sample = sparse_sample,
                                            .solves_columns = true,
                                            .solve_scratch = solve_scratch,
                                            .solve = sparse_solve,
                                            .factor = sparse_factor,
                                            .incomplete = sparse_incomplete};

const cp_sparse_form_ops cp_record_sparse_form_ops = {.group = sparse_group,
                                                      .runs = sparse_runs,
                                                      .take = sparse_take,
                                                      .dense = sparse_dense,
                                                      .tidy = sparse_tidy,
                                                      .find = sparse_find,
                                                      .extremes = sparse_extremes,
                                                      .sums = sparse_sums,
                                                      .pick = sparse_pick,
                                                      .unite = sparse_unite,
                                                      .multiply = sparse_multiply,
                                                      .add = sparse_add};
const cp_walk_ops cp_record_walk_ops = {.search = graph_search,
                                        .cuthill = cuthill,
                                        .strong = strong,
                                        .spanning = spanning,
                                        .nearest = nearest,
                                        .relax = relax};
