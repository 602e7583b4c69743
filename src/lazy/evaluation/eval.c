// Evaluates expressions: plans them, runs the plans, and uses a temporary where a target overlaps an operand.
#include "lazy/evaluation/eval.h"

#include "cuda/run/precompile.h"
#include "device/fast.h"
#include "device/interrupt.h"
#include "lazy/evaluation/batch.h"
#include "lazy/evaluation/lookups.h"
#include "lazy/evaluation/parts.h"
#include "lazy/evaluation/phases.h"
#include "lazy/evaluation/prepared.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/planning.h"
#include "lazy/work/order.h"
#include "lazy/work/recording.h"
#include "plan/flat.h"

#include <stdio.h>
#include <string.h>

// Whether writing an output may overwrite elements of a leaf before they are read.
static bool any_conflict(const cp_plan *p) {
  int64_t written[CP_MAXDIM + 1], read[CP_MAXDIM + 1];
  for (int o = 0; o < p->noutputs; o++) {
    cp_region out = cp_plan_region(p, &p->outputs[o], written);
    for (int k = 0; k < p->nleaves; k++) {
      if (p->leaves[k].access == CP_ACCESS_INDEX) continue;
      cp_region leaf = cp_plan_region(p, &p->leaves[k], read);
      bool moved = p->leaves[k].moved != 0; // then even the same view is read in another order
      if ((moved ? cp_regions_overlap : cp_regions_conflict)(&out, &leaf)) return true;
    }
    for (int k = 0; k < p->ntables; k++)
      if (cp_regions_overlap(&out, &p->tables[k].region)) return true;
  }
  return false;
}

// Bytes of the distinct elements that an operand reads or writes.
static size_t operand_bytes(const cp_plan *p, const cp_operand *a) {
  int64_t shape[CP_MAXDIM + 1];
  size_t bytes = cp_itemsize(a->dtype);
  cp_region region = cp_plan_region(p, a, shape);
  for (int d = 0; d < p->ndim; d++)
    if (a->strides[d] != 0) bytes *= (size_t)region.shape[d];
  return bytes;
}

// Writes the line of CUPOLA_LOG=fusion to stderr: what is computed, and which function asked for it.
static void log_plan(const cp_context *ctx, const cp_device *device, const cp_plan *p) {
  char text[512], shape[CP_SHAPE_TEXT];
  size_t used = 0, bytes = 0;
  text[0] = '\0';
  for (int k = 0; k < p->ninstrs && used < sizeof text - 48; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, " %s", cp_instr_title(p, &p->instrs[k]));
  if (p->nred > 0 && p->nphased == 0) snprintf(text + used, sizeof text - used, " %s", cp_reds[p->red].name);
  for (int k = 0; k < p->nleaves; k++)
    if (p->leaves[k].access != CP_ACCESS_INDEX) bytes += operand_bytes(p, &p->leaves[k]);
  for (int k = 0; k < p->noutputs; k++) bytes += operand_bytes(p, &p->outputs[k]);
  fprintf(stderr, "cupola fusion: %s on %s:%s over %s; %d operations, %d leaves, %d results, %zu bytes\n",
          ctx->lazy.caller != NULL ? ctx->lazy.caller : "?", device->name,
          used > 0 || p->nred > 0 ? text : " copy", cp_shape_text(p->ndim, p->shape, shape), p->ninstrs,
          p->nleaves, p->noutputs, bytes);
}

cp_status cp_run_plan(cp_context *ctx, cp_stream *stream, cp_plan *p) {
  cp_device *device = stream->device;
  if (cp_is_precompiling(ctx)) CP_TRY(cp_precompile_plan(ctx, device, p));
  return device->ops->run(ctx, stream, p);
}

static cp_status run(cp_context *ctx, cp_plan *p, int count, cp_node *const *roots,
                     cp_array *const *targets) {
  cp_device *device = targets[0]->device;
  cp_stream *stream;
  if (cp_plan_is_empty(p)) return CP_OK;
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_context_stream(ctx, device, &stream));
  CP_TRY(cp_before_work(ctx, stream, count, roots, targets));
  if (ctx->lazy.log_fusion) log_plan(ctx, device, p);
  return cp_run_plan(ctx, stream, p);
}

// Computes root, a single operation, into target without a plan, where that is possible. A fast path, equal
// to planning and running it (as cp_evaluate does otherwise), since conflicts with the target are ruled out.
static cp_status run_flat(cp_context *ctx, cp_node *root, cp_array *target, bool *done) {
  cp_device *device = target->device;
  cp_stream *stream;
  cp_flat f;
  *done = false;
  if (!cp_flat_of(root, target, device->ops->flat_most, &f)) return CP_OK;
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_context_stream(ctx, device, &stream));
  if (!cp_may_go_fast(ctx, CP_FAST_FLAT)) return CP_OK;
  if (stream->capturing || ctx->lazy.log_fusion || cp_is_precompiling(ctx)) return CP_OK;
  CP_TRY(cp_before_work(ctx, stream, 1, &root, &target));
  root->read = true;
  return device->ops->run_flat(ctx, stream, &f, done);
}

// Computes all values before it writes the first, because a target may be an operand of another root.
static cp_status evaluate_through_temporaries(cp_context *ctx, int count, cp_node *const *roots,
                                              cp_array *const *targets) {
  cp_array_local locals[CP_MAX_OUTPUTS];
  cp_array *t[CP_MAX_OUTPUTS] = {NULL};
  cp_status status = CP_OK;
  int made = 0;
  for (; made < count && status == CP_OK; made++) {
    const cp_array *like = targets[made];
    t[made] = cp_array_local_init(&locals[made]);
    status = cp_array_layout(t[made], like->dtype, like->ndim, like->shape, 'C');
    if (status == CP_OK) status = cp_array_allocate(ctx, t[made], like->device, like->dtype);
  }
  if (status == CP_OK) status = cp_evaluate(ctx, count, roots, t, true);
  for (int k = 0; k < count && status == CP_OK; k++) {
    cp_node *leaf = NULL;
    status = cp_node_leaf(t[k], &leaf);
    if (status == CP_OK) status = cp_evaluate(ctx, 1, &leaf, &targets[k], false);
    cp_node_release(leaf);
  }
  while (made > 0) cp_array_release(t[--made]);
  return status;
}

static bool any_parts(int count, cp_node *const *roots) {
  bool parts = false;
  for (int k = 0; k < count; k++) parts = parts || cp_has_parts(roots[k]);
  return parts;
}

// Before lookups are computed each on its own: records the kernel that a GPU has for all, where kernels are
// recorded. reduction: NULL, or that of the one root.
static cp_status record_lookups(cp_context *ctx, int count, cp_node *const *roots,
                                const cp_node_reduction *reduction, cp_array *const *targets) {
  cp_plan *p;
  bool looks = false;
  for (int k = 0; k < count; k++) looks = looks || roots[k]->looks;
  if (!looks || targets[0]->device->ops->takes_lookups || !cp_is_precompiling(ctx)) return CP_OK;
  CP_TRY(cp_plan_take(ctx, &p));
  cp_status status = reduction != NULL ? cp_plan_reduce(p, roots[0], reduction, targets[0])
                                       : cp_plan_elementwise(ctx, p, count, roots, targets);
  if (status == CP_OK) status = cp_precompile_plan(ctx, targets[0]->device, p);
  cp_plan_give(ctx, p);
  return status;
}

// Reduces n's argument into target, which does not overlap it.
static cp_status reduce(cp_context *ctx, cp_node *n, cp_array *target) {
  cp_plan *p;
  cp_node *arg = n->args[0];
  const cp_node_reduction r = n->u.reduction;
  cp_node_retain(arg); // script code may run, and compute n
  cp_status status = cp_keep_values(ctx, arg);
  if (status == CP_OK) status = record_lookups(ctx, 1, &arg, &r, &target);
  if (status == CP_OK) status = cp_compute_lookups(ctx, arg);
  if (status == CP_OK) status = cp_plan_take(ctx, &p);
  if (status == CP_OK) {
    status = cp_plan_reduce(p, arg, &r, target);
    if (status == CP_OK) status = run(ctx, p, 1, &arg, &target);
    cp_plan_give(ctx, p);
  }
  cp_node_release(arg);
  return status;
}

// Whether each target has the shape of its root.
static bool same_shapes(int count, cp_node *const *roots, cp_array *const *targets) {
  bool same = true;
  for (int k = 0; k < count; k++)
    same = same && cp_shape_equal(roots[k]->ndim, roots[k]->dims, targets[k]->ndim, targets[k]->shape);
  return same;
}

cp_status cp_evaluate_phases(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                             const cp_phases_known *known, bool *done) {
  cp_device *device = targets[0]->device;
  cp_preparation *keep = known->to_prepare;
  cp_domain domain;
  cp_plan *p;
  *done = false;
  const bool alone = count == 1 && cp_is_plain_reduction(roots[0]);
  if (device->ops->takes_phases == NULL || (alone && !cp_may_be_phased_alone(device, roots[0]))) return CP_OK;
  if (!same_shapes(count, roots, targets)) return CP_OK;
  const cp_domain *d = known->domain != NULL ? known->domain : &domain;
  if (known->domain == NULL && !cp_find_domain(ctx, count, roots, &domain)) return CP_OK;
  if (!cp_is_phased_domain(ctx, device, d) && (alone || !cp_is_joint_domain(ctx, device, d, count, roots)))
    return CP_OK;
  CP_TRY(cp_plan_take(ctx, &p));
  cp_status status = cp_plan_phases(p, d, count, roots, targets, keep != NULL ? keep->scalars : NULL);
  bool takes = status == CP_OK && (p->ntables == 0 || device->ops->takes_lookups) &&
               device->ops->takes_phases(p) && (known->fresh || !any_conflict(p));
  if (status == CP_OK && cp_is_precompiling(ctx)) status = cp_precompile_phases(ctx, device, p, &takes);
  if (takes && status == CP_OK) {
    *done = true;
    cp_mark_read(ctx, count, roots);
    if (keep != NULL) cp_prepare(ctx, keep, d, p);
    status = run(ctx, p, count, roots, targets);
  }
  cp_plan_give(ctx, p);
  return *done || status != CP_EUSAGE ? status : CP_OK; // several plans may do what was too much for one
}

cp_status cp_evaluate_prepared(cp_context *ctx, const cp_prepared *prepared, const cp_structure *s,
                               cp_node *const *roots, cp_array *const *targets) {
  cp_plan *p;
  CP_TRY(cp_plan_take(ctx, &p));
  ctx->counters.prepared++;
  cp_status status = cp_prepared_plan(prepared, s, targets, p);
  for (int k = 0; k < s->count && status == CP_OK; k++) s->nodes[k]->read = true;
  if (status == CP_OK) status = run(ctx, p, p->noutputs, roots, targets);
  cp_plan_give(ctx, p);
  return status;
}

// Computes the parts of roots on their own, and then the roots.
static cp_status evaluate_parts(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                                bool fresh) {
  if (count == 1 && fresh && cp_is_reduction(roots[0])) return reduce(ctx, roots[0], targets[0]);
  for (int k = 0; k < count; k++) CP_TRY(cp_compute_parts(ctx, roots[k]));
  return cp_evaluate(ctx, count, roots, targets, fresh);
}

static bool one_shape(int count, cp_node *const *roots) {
  bool one = true;
  for (int k = 1; k < count; k++)
    one = one && cp_shape_equal(roots[k]->ndim, roots[k]->dims, roots[0]->ndim, roots[0]->dims);
  return one;
}

// The first may be written into memory that the others read.
static cp_status evaluate_singly(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                                 bool fresh) {
  for (int k = count - 1; k >= 0; k--) CP_TRY(cp_evaluate(ctx, 1, &roots[k], &targets[k], fresh));
  return CP_OK;
}

cp_status cp_evaluate(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                      bool fresh) {
  cp_plan *p;
  bool done = false;
  if (any_parts(count, roots)) {
    CP_TRY(cp_evaluate_phases(ctx, count, roots, targets, &(cp_phases_known){.fresh = fresh}, &done));
    return done ? CP_OK : evaluate_parts(ctx, count, roots, targets, fresh);
  }
  if (count > 1 && !one_shape(count, roots)) return evaluate_singly(ctx, count, roots, targets, fresh);
  if (count == 1 && fresh && cp_is_plain_lookup(roots[0]) && same_shapes(1, roots, targets))
    return cp_run_lookup(ctx, roots[0], targets[0]);
  CP_TRY(record_lookups(ctx, count, roots, NULL, targets));
  for (int k = 0; k < count; k++) CP_TRY(cp_compute_lookups(ctx, roots[k]));
  if (count == 1 && cp_is_single(roots[0])) CP_TRY(run_flat(ctx, roots[0], targets[0], &done));
  if (done) return CP_OK;
  CP_TRY(cp_plan_take(ctx, &p));
  cp_status status = cp_plan_elementwise(ctx, p, count, roots, targets);
  bool conflict = status == CP_OK && !fresh && any_conflict(p);
  if (status == CP_OK && !conflict) status = run(ctx, p, count, roots, targets);
  cp_plan_give(ctx, p);
  return conflict ? evaluate_through_temporaries(ctx, count, roots, targets) : status;
}

cp_status cp_evaluate_scalar(cp_context *ctx, cp_node *root, cp_scalar *out) {
  union {
    double align;
    char bytes[16];
  } memory;
  cp_buffer buffer = {.refs = 1, .pointer = memory.bytes, .device = cp_device_cpu()};
  cp_storage storage = {.refs = 1, .buffer = &buffer, .nbytes = sizeof memory};
  cp_array_local local;
  cp_array *t = cp_array_local_init(&local);
  CP_TRY(cp_array_layout(t, root->dtype, 0, NULL, 'C'));
  t->storage = &storage;
  t->device = buffer.device;
  cp_graph *g = cp_capture_pause(ctx); // the number is needed now, so this must not be recorded
  cp_status status = cp_evaluate(ctx, 1, &root, &t, true);
  cp_capture_resume(ctx, g);
  CP_TRY(status);
  *out = cp_scalar_load(memory.bytes, root->dtype);
  return CP_OK;
}
