// Building plans by hand for the CPU device, and checks for the programs that run them.
#ifndef CP_SPEC_CPU_PLANS_H
#define CP_SPEC_CPU_PLANS_H

#include "cpu/device.h"
#include "cpu/loops/loops.h"
#include "cpu/run/cpu.h"
#include "cpu/run/run.h"
#include "host/threads.h"
#include "plan/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static inline void check(bool ok, const char *format, ...) {
  va_list args;
  if (ok) return;
  failures++;
  va_start(args, format);
  printf("FAILED ");
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

static inline void run(cp_plan *p) {
  cp_device device = {.ops = &cp_cpu_ops, .name = "cpu"};
  cp_stream stream = {.device = &device};
  static cp_context ctx;
  check(cp_cpu_ops.run(&ctx, &stream, p) == CP_OK, "run: %s", cp_error_text());
}

// Plans ----------------------------------------------------------------------------------------------------

typedef struct shape {
  int ndim;
  int64_t n[4];
} shape;

static inline cp_plan *plan(shape s) {
  cp_plan *p = calloc(1, sizeof *p);
  p->ndim = s.ndim;
  memcpy(p->shape, s.n, (size_t)s.ndim * sizeof *s.n);
  p->vector = 1;
  p->red = CP_NREDS;
  p->value = p->position = -1;
  return p;
}

static inline cp_operand operand(const void *base, cp_dtype t, const int64_t *strides, int ndim) {
  cp_operand o = {.base = (char *)(uintptr_t)base, .dtype = t, .access = CP_ACCESS_STRIDED};
  for (int d = 0; d < ndim; d++) o.strides[d] = strides[d];
  return o;
}

#define STRIDES(...) ((const int64_t[4]){__VA_ARGS__})

static inline int leaf(cp_plan *p, const void *base, cp_dtype t, const int64_t *strides) {
  p->leaves[p->nleaves] = operand(base, t, strides, p->ndim);
  return p->nleaves++;
}

static inline int indices(cp_plan *p, int64_t start, const int64_t *steps) {
  p->leaves[p->nleaves] = operand(NULL, CP_INT64, steps, p->ndim);
  p->leaves[p->nleaves].access = CP_ACCESS_INDEX;
  p->leaves[p->nleaves].start = start;
  return p->nleaves++;
}

static inline int instr(cp_plan *p, cp_op op, cp_dtype loop, cp_dtype dtype, int a, int b) {
  p->instrs[p->ninstrs] =
      (cp_instr){.op = op, .loop = loop, .dtype = dtype, .nargs = b < 0 ? 1 : 2, .args = {a, b}};
  return p->nleaves + p->nscalars + p->ninstrs++;
}

static inline void output(cp_plan *p, void *base, cp_dtype t, const int64_t *strides, int reg) {
  p->outputs[p->noutputs] = operand(base, t, strides, p->ndim);
  p->outputs[p->noutputs++].reg = reg;
}

static inline void run_and_free(cp_plan *p) {
  cp_plan_finish(p);
  run(p);
  free(p);
}

static inline double noise(uint64_t k) {
  k = (k + 1) * 0x9e3779b97f4a7c15u;
  k = (k ^ k >> 29) * 0xbf58476d1ce4e5b9u;
  return (double)(k >> 40) / (1 << 23) - 1;
}

static inline float *floats(int64_t n) {
  float *a = malloc((size_t)n * sizeof *a + 64);
  for (int64_t k = 0; k < n; k++) a[k] = (float)noise((uint64_t)k);
  return a;
}

// Prints the result and returns the program's exit status.
static inline int report(const char *program) {
  printf("%s (%s, up to 4 threads): %s\n", program, cp_cpu_level(), failures ? "FAILED" : "passed");
  return failures ? 1 : 0;
}

#endif
