// Checks plans with shifted groups (cp_plan_shift): for rows with all kinds of starts, pitches and item
// sizes, the groups contain every element once, and each operand marked as aligned is.
#include "check.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

static int shifted_plans;

enum { ROWS = 5, START = 1 << 20 }; // no memory is accessed, so addresses are invented

// An operand that starts `start` elements after an aligned address, in rows of `pitch` elements.
static cp_operand operand(cp_dtype dtype, int64_t start, int64_t pitch) {
  int64_t size = (int64_t)cp_itemsize(dtype);
  return (cp_operand){.base = (char *)(uintptr_t)(START + start * size),
                      .dtype = dtype,
                      .access = CP_ACCESS_STRIDED,
                      .strides = {pitch * size, size}};
}

// The first position of group number g in a row of o, computed like generated text.
static int64_t first_of(const cp_plan *p, const cp_operand *o, int64_t row, int64_t g) {
  int64_t size = (int64_t)cp_itemsize(o->dtype);
  int64_t address = (int64_t)(uintptr_t)o->base + (p->ndim > 1 ? row * o->strides[0] : 0);
  return g * p->vector - address / size % p->vector;
}

static void check_alignment(const cp_plan *p, const cp_operand *a, int64_t row, int64_t first) {
  int64_t size = (int64_t)cp_itemsize(a->dtype);
  int64_t address = (int64_t)(uintptr_t)a->base + (p->ndim > 1 ? row * a->strides[0] : 0) + first * size;
  if (a->access == CP_ACCESS_VECTOR) CHECK(address % (p->vector * size) == 0);
}

static void check_shifted(const cp_plan *p) {
  int64_t rows = p->ndim > 1 ? p->shape[0] : 1, length = p->shape[p->ndim - 1];
  int64_t groups = cp_plan_steps(p, p->ndim - 1);
  CHECK(p->outputs[0].access == CP_ACCESS_VECTOR);
  for (int64_t row = 0; row < rows; row++) {
    CHECK(first_of(p, &p->outputs[0], row, 0) <= 0);
    CHECK(first_of(p, &p->outputs[0], row, groups) >= length);
    for (int64_t g = 0; g < groups; g++) {
      int64_t first = first_of(p, &p->outputs[0], row, g);
      if (first < 0 || first + p->vector > length) continue; // processed element by element
      for (int k = 0; k < p->noutputs; k++) check_alignment(p, &p->outputs[k], row, first);
      for (int k = 0; k < p->nleaves; k++) check_alignment(p, &p->leaves[k], row, first);
    }
  }
}

static cp_plan plan_of(int64_t length, int64_t pitch, const cp_dtype dtypes[3], const int64_t starts[3]) {
  cp_plan p;
  int64_t shape[2] = {ROWS, length};
  cp_plan_begin(&p, 2, shape);
  p.outputs[p.noutputs++] = operand(dtypes[0], starts[0], pitch);
  p.leaves[p.nleaves++] = operand(dtypes[1], starts[1], pitch);
  p.leaves[p.nleaves++] = operand(dtypes[2], starts[2], pitch + starts[2]);
  cp_plan_finish(&p);
  cp_plan_shift(&p);
  return p;
}

static void check_starts(const cp_dtype dtypes[3], int64_t length, int64_t pitch) {
  for (int64_t code = 0; code < 512; code++) {
    const int64_t starts[3] = {code & 7, code >> 3 & 7, code >> 6 & 7};
    cp_plan p = plan_of(length, pitch, dtypes, starts);
    shifted_plans += p.shifted;
    if (p.shifted) check_shifted(&p);
    // operands with equal starts and pitches are aligned alike
    if (p.shifted && dtypes[0] == dtypes[1] && starts[0] == starts[1])
      CHECK(p.leaves[0].access == CP_ACCESS_VECTOR);
  }
}

static void check_others(void) {
  const cp_dtype floats[3] = {CP_FLOAT32, CP_FLOAT32, CP_FLOAT32};
  const int64_t starts[3] = {1, 0, 0}, aligned[3] = {0, 1, 0};
  CHECK(plan_of(1000, 1000, floats, starts).shifted);
  CHECK(!plan_of(1000, 1000, floats, aligned).shifted); // the output is aligned
  CHECK(!plan_of(100, 100, floats, starts).shifted || plan_of(100, 100, floats, starts).ndim == 1);
  CHECK(!plan_of(100, 104, floats, starts).shifted); // rows too short
  cp_plan p = plan_of(1000, 1004, floats, starts);
  CHECK(p.shifted && p.vector == 4 && p.leaves[0].access == CP_ACCESS_CONTIGUOUS);
  CHECK(cp_plan_steps(&p, p.ndim - 1) == 251);
}

int main(void) {
  static const cp_dtype sets[][3] = {
      {CP_FLOAT32, CP_FLOAT32, CP_FLOAT32}, {CP_INT8, CP_INT8, CP_INT8},
      {CP_FLOAT32, CP_INT8, CP_FLOAT16},    {CP_FLOAT64, CP_FLOAT64, CP_INT16},
      {CP_INT16, CP_FLOAT32, CP_FLOAT64},   {CP_COMPLEX64, CP_COMPLEX64, CP_BOOL}};
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
    for (int64_t pitch = 600; pitch < 608; pitch++) check_starts(sets[k], 590, pitch);
  CHECK(shifted_plans > 1000);
  check_others();
  printf("%d plans are shifted\n", shifted_plans);
  return verdict("shift");
}
