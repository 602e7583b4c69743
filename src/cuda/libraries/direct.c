// Factors of sparse matrices by cuDSS: cp_cuda_direct.
#include "cuda/driver/graph.h"
#include "cuda/libraries/cudss.h"

#include "device/interrupt.h"
#include "memory/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the end of factors ----

static void unlink_factors(cp_direct *f) {
  cp_direct **at = &f->home->factors;
  while (*at != f) at = &(*at)->next;
  *at = f->next;
}

// The library may free what its work on the device still needs, so that ends first.
static void end_alone(cp_direct *f) {
  cp_cuda_device *d = (cp_cuda_device *)f->home->device;
  if (cp_cuda_enter(d) != CP_OK) return;
  (void)cp_cuda_stream_finish(&f->home->own->base);
  cp_cuda_alone_begin(d);
  cp_cudss_end(f);
  cp_cuda_alone_end(d);
}

static void destroy(cp_deferred *dead) {
  cp_direct *f = (cp_direct *)dead;
  if (f->home != NULL) {
    unlink_factors(f);
    end_alone(f);
  }
  free(f);
}

static void leave(cp_direct *f) {
  f->dead.destroy = destroy;
  if (f->ctx->closed)
    destroy(&f->dead);
  else
    cp_context_defer(f->ctx, &f->dead);
}

// ---- matrices ----

// The library's objects for one call.
typedef struct operands {
  cpcu_cudss_matrix a, b, x;
} operands;

static void end_operands(operands *o) {
  if (o->a != NULL) (void)cp_cudss_table.cudssMatrixDestroy(o->a);
  if (o->b != NULL) (void)cp_cudss_table.cudssMatrixDestroy(o->b);
  if (o->x != NULL) (void)cp_cudss_table.cudssMatrixDestroy(o->x);
}

static cp_status make_vector(cpcu_cudss_matrix *out, const cp_direct_system *s, const void *values) {
  return cp_cudss_check(cp_cudss_table.cudssMatrixCreateDn(out, s->m.rows, 1, s->m.rows, values,
                                                           cp_cuda_data_type(s->dtype),
                                                           CPCU_CUDSS_LAYOUT_COL_MAJOR),
                        "cudssMatrixCreateDn");
}

static cp_status make_operands(operands *o, const cp_direct_system *s) {
  const cpcu_data_type index = s->m.index == CP_INT32 ? CPCU_R_32I : CPCU_R_64I;
  CP_TRY(make_vector(&o->b, s, s->b));
  CP_TRY(make_vector(&o->x, s, s->x));
  return cp_cudss_check(cp_cudss_table.cudssMatrixCreateCsr(
                            &o->a, s->m.rows, s->m.columns, s->m.entries, s->m.starts, NULL, s->m.columns_of,
                            s->values, index, index, cp_cuda_data_type(s->dtype), CPCU_CUDSS_MTYPE_GENERAL,
                            CPCU_CUDSS_MVIEW_FULL, CPCU_CUDSS_BASE_ZERO),
                        "cudssMatrixCreateCsr");
}

static cpcu_cudss_status execute(cp_direct *f, int phase, const operands *o) {
  return cp_cudss_table.cudssExecute(f->home->handle, phase, f->config, f->data, o->a, o->x, o->b);
}

// A phase of factoring, in which the library may wait for the whole device.
static cp_status execute_alone(cp_direct *f, int phase, const char *name, const operands *o) {
  cp_cuda_device *d = (cp_cuda_device *)f->home->device;
  CP_TRY(cp_poll(f->ctx));
  CP_TRY(cp_cuda_enter(d)); // the host's code may have run
  cp_cuda_alone_begin(d);
  const cpcu_cudss_status status = execute(f, phase, o);
  cp_cuda_alone_end(d);
  return cp_cudss_check(status, name);
}

static cp_status set(cp_direct *f, cpcu_cudss_setting which, int value, const char *name) {
  return cp_cudss_check(cp_cudss_table.cudssConfigSet(f->config, which, &value, sizeof value), name);
}

// ---- factoring ----

static cp_status make_objects(cp_direct *f) {
  CP_TRY(cp_cudss_check(cp_cudss_table.cudssConfigCreate(&f->config), "cudssConfigCreate"));
  CP_TRY(cp_cudss_check(cp_cudss_table.cudssDataCreate(f->home->handle, &f->data), "cudssDataCreate"));
  return set(f, CPCU_CUDSS_CONFIG_DETERMINISTIC_MODE, 1, "cudssConfigSet of determinism");
}

// What the library found out: waits for the device.
static cp_status fact(cp_direct *f, cpcu_cudss_fact which, int *out) {
  size_t written = 0;
  *out = 0;
  return cp_cudss_check(
      cp_cudss_table.cudssDataGet(f->home->handle, f->data, which, out, sizeof *out, &written),
      "cudssDataGet");
}

static cp_status run_phases(cp_direct *f, const operands *o, char *why) {
  int info, pivots;
  CP_TRY(make_objects(f));
  CP_TRY(execute_alone(f, CPCU_CUDSS_PHASE_REORDERING, "cudssExecute (reordering)", o));
  CP_TRY(execute_alone(f, CPCU_CUDSS_PHASE_SYMBOLIC_FACTORIZATION, "cudssExecute (symbolic)", o));
  CP_TRY(execute_alone(f, CPCU_CUDSS_PHASE_FACTORIZATION, "cudssExecute (factorization)", o));
  CP_TRY(cp_cuda_stream_await(&f->home->own->base));
  CP_TRY(fact(f, CPCU_CUDSS_DATA_INFO, &info));
  CP_TRY(fact(f, CPCU_CUDSS_DATA_NPIVOTS, &pivots));
  if (info != 0)
    snprintf(why, CP_DIRECT_WHY, "cuDSS met an error at pivot %d", info);
  else if (pivots != 0)
    snprintf(why, CP_DIRECT_WHY, "cuDSS changed pivots that were too small: %d", pivots);
  return CP_OK;
}

// Factors, or destroys what there is of f and fills `why`.
static cp_status attempt(cp_direct *f, const cp_direct_system *a, char *why) {
  operands o = {0};
  cp_status status = make_operands(&o, a);
  if (status == CP_OK) status = run_phases(f, &o, why);
  end_operands(&o);
  if (status == CP_OK && why[0] == '\0') return CP_OK;
  end_alone(f);
  return status;
}

// Frees what the state can do without, for the library, whose memory is not of the pool.
static cp_status make_room(cp_context *ctx, cp_cudss *u) {
  if (ctx->hooks.collect != NULL) cp_pool_collect(ctx, true);
  cp_context_settle(ctx);
  cp_pool_trim(u->device->pool);
  return cp_cuda_enter((cp_cuda_device *)u->device);
}

// Tries once more where there was no memory.
static cp_status make_factors(cp_context *ctx, cp_direct *f, const cp_direct_system *a, char *why) {
  const cp_status status = attempt(f, a, why);
  if (status != CP_EMEMORY) return status;
  CP_TRY(make_room(ctx, f->home));
  return attempt(f, a, why);
}

// Makes `status` a reason where SuperLU may do better. A fault of the device itself is reported by whatever
// follows.
static cp_status as_reason(cp_status status, char *why) {
  if (status != CP_ECUDA && status != CP_EMEMORY) return status;
  snprintf(why, CP_DIRECT_WHY, "%s", cp_error_text());
  return CP_OK;
}

static cp_status factor(cp_context *ctx, cp_stream *s, const cp_direct_system *a, cp_direct **out,
                        char *why) {
  cp_cudss *u;
  const char *missing;
  *out = NULL;
  CP_TRY(cp_may_wait(ctx, s->device));
  snprintf(why, CP_DIRECT_WHY, "cuDSS's memory would not count towards a limit");
  if (ctx->budget.limit > 0 || cp_pool_read(s->device->pool).limit > 0) return CP_OK;
  cp_context_settle(ctx); // factors that were dropped keep memory that no pool counts
  CP_TRY(cp_cudss_of(ctx, s->device, &u, &missing));
  snprintf(why, CP_DIRECT_WHY, "%s", u == NULL ? missing : "");
  if (u == NULL) return CP_OK;
  CP_TRY(cp_cuda_stream_synchronize(s));
  cp_direct *f = calloc(1, sizeof *f);
  if (f == NULL) return cp_no_memory(NULL);
  *f = (cp_direct){.home = u, .ctx = ctx};
  ctx->counters.launches++;
  ctx->counters.synchronizations++;
  const cp_status status = as_reason(make_factors(ctx, f, a, why), why);
  if (status != CP_OK || why[0] != '\0') {
    free(f);
    return status;
  }
  f->next = u->factors;
  u->factors = f;
  *out = f;
  return CP_OK;
}

// ---- solving ----

static cp_status set_mode(cp_direct *f, const cp_direct_system *a) {
  const bool conjugated = a->trans == 'C' && cp_is_complex(a->dtype); // which is refused for real numbers
  const int mode = a->trans == 'N' ? CPCU_CUDSS_SOLVE_MODE_NORMAL
                   : conjugated    ? CPCU_CUDSS_SOLVE_MODE_CONJUGATE_TRANSPOSE
                                   : CPCU_CUDSS_SOLVE_MODE_TRANSPOSE;
  return set(f, CPCU_CUDSS_CONFIG_SOLVE_MODE, mode, "cudssConfigSet of the mode");
}

// Solves for one right side, and waits: until then the library may read its parameters.
static cp_status run_solve(cp_direct *f, const cp_direct_system *a, bool *did) {
  operands o = {0};
  cp_status status = make_operands(&o, a);
  if (status == CP_OK) {
    const cpcu_cudss_status solved = execute(f, CPCU_CUDSS_PHASE_SOLVE, &o);
    *did = solved != CPCU_CUDSS_STATUS_NOT_SUPPORTED || a->trans == 'N';
    if (*did) status = cp_cudss_check(solved, "cudssExecute (solve)");
  }
  const cp_status finished = cp_cuda_stream_finish(&f->home->own->base);
  end_operands(&o);
  return status == CP_OK ? finished : status;
}

// One right side after the other: the library repeats its bits for single ones only.
static cp_status solve(cp_context *ctx, cp_stream *s, cp_direct *f, const cp_direct_system *a, bool *did) {
  cp_direct_system one = *a;
  const size_t step = (size_t)a->m.rows * cp_itemsize(a->dtype);
  CP_TRY(cp_may_wait(ctx, s->device)); // no graph would keep the factors
  if (f->home == NULL) return cp_fail(CP_EUSAGE, "the factors' device is closed");
  CP_TRY(cp_cuda_stream_synchronize(s));
  CP_TRY(set_mode(f, a));
  *did = true;
  for (int64_t k = 0; k < a->right && *did; k++) {
    one.b = (const char *)a->b + (size_t)k * step;
    one.x = (char *)a->x + (size_t)k * step;
    ctx->counters.launches++;
    ctx->counters.synchronizations++;
    CP_TRY(run_solve(f, &one, did));
  }
  return CP_OK;
}

static cp_status make_room_for(cp_context *ctx, cp_direct *f) {
  return f->home != NULL ? make_room(ctx, f->home) : CP_OK;
}

const struct cp_direct_ops cp_cuda_direct = {
    .there = cp_cudss_there, .factor = factor, .solve = solve, .make_room = make_room_for, .leave = leave};
