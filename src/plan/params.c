// What a plan puts into its kernel's slots: a function for each line of kernels/slots.def.
#include "plan/params.h"

#include <string.h>

static void put(cp_params *params, uint64_t v) {
  if (params->count < CP_MAX_SLOTS) params->slots[params->count] = v;
  params->count++;
}

static void put_double(cp_params *params, double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  put(params, bits);
}

// Appends a divisor v and its magic number m: i / v = (umulhi(i, m) + i) >> shift for every i < 2^31.
static void put_divisor(cp_params *params, int64_t divisor, bool wide) {
  if (wide || divisor <= 0) {
    put(params, (uint64_t)divisor);
    put(params, 0);
    return;
  }
  uint64_t v = (uint64_t)divisor;
  unsigned shift = 0;
  while (shift < 32 && (1ULL << shift) < v) shift++;
  uint64_t magic = ((1ULL << 32) * ((1ULL << shift) - v)) / v + 1;
  put(params, v | (uint64_t)shift << 32);
  put(params, magic);
}

static void put_operand(cp_params *params, const cp_plan *p, const cp_operand *a) {
  put(params, a->access == CP_ACCESS_INDEX ? (uint64_t)a->start : (uint64_t)(uintptr_t)a->base);
  if (a->access == CP_ACCESS_ONE) return;
  for (int d = 0; d < p->ndim; d++) put(params, (uint64_t)a->strides[d]);
}

static void put_first(cp_params *params, const cp_plan *p) {
  int64_t steps = 1;
  for (int d = 0; d < p->ndim - p->nred; d++) steps *= cp_plan_steps(p, d);
  put(params, (uint64_t)steps);
}

static void put_second(cp_params *params, const cp_plan *p) {
  put(params, (uint64_t)(p->nred > 0 ? p->inner : p->shape[p->ndim - 1]));
}

static void put_divisors(cp_params *params, const cp_plan *p) {
  for (int d = 0; d < p->ndim; d++) put_divisor(params, cp_plan_steps(p, d), p->wide);
}

static void put_leaves(cp_params *params, const cp_plan *p) {
  for (int k = 0; k < p->nleaves; k++) put_operand(params, p, &p->leaves[k]);
}

static void put_outputs(cp_params *params, const cp_plan *p) {
  for (int k = 0; k < p->noutputs; k++) put_operand(params, p, &p->outputs[k]);
}

static void put_scalars(cp_params *params, const cp_plan *p) {
  for (int k = 0; k < p->nscalars; k++) {
    uint64_t slots[2] = {0, 0};
    size_t bytes = cp_scalar_register(p->scalars[k], slots);
    put(params, slots[0]);
    if (bytes > 8) put(params, slots[1]);
  }
}

static void put_raw(cp_params *params, const cp_plan *p) {
  for (int k = 0; p->user != NULL && k < p->user->nraw; k++) {
    const cp_array *a = p->user->raw[k];
    put(params, (uint64_t)(uintptr_t)cp_address(a));
    put(params, (uint64_t)a->size);
    for (int d = 0; d < a->ndim; d++) put(params, (uint64_t)a->shape[d]);
    for (int d = 0; d < a->ndim; d++) put(params, (uint64_t)a->strides[d]);
  }
}

static void put_moves(cp_params *params, const cp_plan *p) {
  for (int k = 0; k < p->nmoves; k++) {
    put(params, (uint64_t)p->moves[k].shift);
    put(params, (uint64_t)p->moves[k].length);
  }
}

static void put_tables(cp_params *params, const cp_plan *p) {
  params->tables = params->count;
  for (int k = 0; k < p->ntables; k++) {
    const cp_plan_table *t = &p->tables[k];
    put(params, (uint64_t)t->region.start);
    put(params, 0); // the device's words for errors
    for (int j = 0; j < t->count; j++) {
      put(params, (uint64_t)t->positions->list[j].length);
      put(params, (uint64_t)t->positions->list[j].stride);
    }
  }
}

static void put_inner(cp_params *params, const cp_plan *p) { put_double(params, (double)p->inner); }

static void put_parameter(cp_params *params, const cp_plan *p) { put_double(params, p->parameter); }

static void put_parameters(cp_params *params, const cp_plan *p) {
  for (int k = 0; k < p->nphased; k++) put_double(params, p->reductions[k].parameter);
}

static void put_third(cp_params *params, const cp_plan *p) { put(params, (uint64_t)p->shape[p->ndim - 2]); }

#define IN_ALL       true
#define IN_REDUCTION (p->nred > 0)
#define IN_PHASED    (p->nphased > 0)
#define IN_TILED     (p->tile > 0)

cp_status cp_plan_params(const cp_plan *p, cp_params *params) {
  params->count = 0;
#define PLAN_SLOTS(name, kernels)                                                                            \
  if (IN_##kernels) put_##name(params, p);
#include "slots.def"
  if (params->count > CP_MAX_SLOTS)
    return cp_fail(CP_EUSAGE, "the kernel needs more than %d arguments", (int)CP_MAX_SLOTS);
  return CP_OK;
}
