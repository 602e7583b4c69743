// Arrays for the specs of src/rules: filled by a formula, compared with values.
#ifndef CP_SPEC_CORE_ARRAYS_H
#define CP_SPEC_CORE_ARRAYS_H

#include "pending_arrays.h"
#include "rules/values.h"

static cp_status last; // of the latest call that may fail

// The address of element k in C order.
static inline char *place_of(const cp_array *a, int64_t k) {
  int64_t offset = 0;
  for (int d = a->ndim - 1; d >= 0; d--) {
    offset += k % a->shape[d] * a->strides[d];
    k /= a->shape[d];
  }
  return cp_address(a) + offset;
}

// An array with f(k) at position k in C order.
static inline cp_array *filled(cp_array_local *l, cp_dtype t, int ndim, const int64_t *shape,
                               double (*f)(int64_t)) {
  cp_array *a = cp_array_local_init(l);
  REQUIRE(cp_new_array(&ctx, a, cpu, t, ndim, shape) == CP_OK);
  for (int64_t k = 0; k < a->size; k++)
    cp_scalar_store(cp_scalar_cast(cp_scalar_float(f(k), CP_FLOAT64), t), place_of(a, k));
  return a;
}

static inline cp_array *line(cp_array_local *l, cp_dtype t, int64_t n, double (*f)(int64_t)) {
  return filled(l, t, 1, &n, f);
}

// Element k of a in C order, whose value may be pending.
static inline double value(cp_array *a, int64_t k) {
  if (cp_force(&ctx, a) != CP_OK || k >= a->size) return NAN;
  return cp_scalar_cast(cp_scalar_load(place_of(a, k), a->dtype), CP_FLOAT64).v.f;
}

static inline bool has_shape(const cp_array *a, int ndim, const int64_t *shape) {
  return cp_shape_equal(a->ndim, a->shape, ndim, shape);
}

// Whether a has these values in C order.
static inline bool equals(cp_array *a, int64_t n, const double *values) {
  bool same = a->size == n;
  for (int64_t k = 0; k < n && same; k++) same = value(a, k) == values[k];
  return same;
}

static inline bool follows(cp_array *a, int64_t n, double (*f)(int64_t)) {
  bool same = a->size == n;
  for (int64_t k = 0; k < n && same; k++) same = value(a, k) == f(k);
  return same;
}

static inline cp_value array_value(cp_array *a) { return (cp_value){.array = a}; }
static inline cp_value bare_number(double v) {
  return (cp_value){.s = cp_scalar_float(v, CP_FLOAT64), .kind = v == floor(v) ? 'i' : 'f', .weak = true};
}

// Applies op to the values of x and y.
static inline cp_array *apply(cp_array_local *l, cp_op op, cp_array *x, cp_array *y) {
  cp_array *out = cp_array_local_init(l);
  cp_node *args[2] = {NULL, NULL}, *root = NULL;
  CHECK(cp_array_node(x, &args[0]) == CP_OK && cp_array_node(y, &args[1]) == CP_OK);
  last = cp_node_op(op, args, &root);
  if (last == CP_OK) last = cp_pend(&ctx, out, root);
  return out;
}

#define SHAPE(...)                                                                                           \
  (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]) { __VA_ARGS__ }
#define VALUES(...)                                                                                          \
  (int64_t)(sizeof((double[]){__VA_ARGS__}) / 8), (const double[]) { __VA_ARGS__ }

static inline double from_one(int64_t k) { return (double)k + 1; }
// ij at position i, j of 6 columns.
static inline double grid(int64_t k) { return (double)(10 * (k / 6 + 1) + k % 6 + 1); }

static const int64_t four_by_six[] = {4, 6};

#endif
