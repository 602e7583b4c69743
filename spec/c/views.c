// Arrays under other axes, shapes, strides and dtypes without a Lua state, by src/rules/axes.h and view.h.
#include "array/view.h"
#include "rules/axes.h"
#include "rules/indexing/view.h"

#include "core_arrays.h"

static const int64_t cube_shape[] = {2, 3, 4};

// ijk at position i, j, k of cube_shape.
static double digits(int64_t k) { return (double)(100 * (k / 12 + 1) + 10 * (k / 4 % 3 + 1) + k % 4 + 1); }

static cp_array *cube(cp_array_local *l) { return filled(l, CP_INT32, 3, cube_shape, digits); }

static bool fails(cp_status status, const char *text) {
  last = CP_OK;
  return status != CP_OK && strcmp(cp_error_text(), text) == 0;
}

static bool shares(const cp_array *v, const cp_array *a) { return v->storage == a->storage && !v->owner; }

// ---- axes -------------------------------------------------------------------------------------------------

static void check_axes(void) {
  cp_axes axes;
  int at = 0;
  cp_axes_begin(&axes);
  CHECK(cp_axis_resolve("axis", -3, 3, &at) == CP_OK && at == 0);
  CHECK(fails(cp_axis_resolve("axis", 0, 3, &at), "axis counts from 1; there is no axis 0"));
  CHECK(fails(cp_axis_resolve("axis", -4, 3, &at), "axis -4 is out of range for an array with 3 axes"));
  CHECK(fails(cp_axis_resolve("axis", 2, 1, &at), "axis 2 is out of range for an array with 1 axis"));
  CHECK(cp_axes_add(&axes, "axes", 3, 3) == CP_OK && cp_axes_add(&axes, "axes", 1, 3) == CP_OK);
  CHECK(fails(cp_axes_add(&axes, "axes", -1, 3), "axes names axis 3 twice") && axes.set == 5);
  CHECK(fails(cp_order_check(&axes, 3), "axes has 2 entries for an array with 3 axes"));
  CHECK(cp_axes_add(&axes, "axes", -2, 3) == CP_OK && cp_order_check(&axes, 3) == CP_OK);
  CHECK(axes.at[0] == 2 && axes.at[1] == 0 && axes.at[2] == 1);
}

static void check_axis_sets(void) {
  uint32_t set = 0;
  CHECK(cp_axes_include(&set, "axis", 3, 3) == CP_OK && cp_axes_include(&set, "axis", -3, 3) == CP_OK);
  CHECK(set == 5 && fails(cp_axes_include(&set, "axis", 1, 3), "axis names an axis twice"));
  CHECK(cp_axes_single(&set, "axis", -1, 2) == CP_OK && set == 2);
  CHECK(cp_axes_single(&set, "axis", -1, 0) == CP_OK && set == 0);
  CHECK(cp_axes_single(&set, "axis", 2, 0) == CP_EINDEX);
  CHECK(cp_all_axes(0) == 0 && cp_all_axes(3) == 7 && cp_all_axes(32) == UINT32_MAX);
}

// Whether axis d of v is axis perm[d] of a cube.
static bool is_cube(cp_array *v, const int *perm) {
  static const double weights[] = {100, 10, 1};
  bool same = v->ndim == 3 && v->size == 24;
  for (int64_t k = 0; k < v->size && same; k++) {
    double expected = 0;
    int64_t rest = k;
    for (int d = 2; d >= 0; d--) {
      expected += (double)(rest % v->shape[d] + 1) * weights[perm[d]];
      rest /= v->shape[d];
    }
    same = value(v, k) == expected;
  }
  return same;
}

static cp_axes list(int64_t one, int64_t two) {
  cp_axes axes;
  cp_axes_begin(&axes);
  CHECK(cp_axes_add(&axes, "axes", one, 3) == CP_OK);
  if (two != 0) CHECK(cp_axes_add(&axes, "axes", two, 3) == CP_OK);
  return axes;
}

#define ORDER(...)                                                                                           \
  (const int[]) { __VA_ARGS__ }
static bool is_order(const int *perm, const int *expected) {
  return memcmp(perm, expected, 3 * sizeof *perm) == 0;
}

static void check_orders(void) {
  cp_array_local l, lv;
  int perm[3];
  const cp_axes first = list(1, 0), last_one = list(-1, 0), both = list(1, 2), back = list(-1, -2);
  cp_array *a = cube(&l), *v = cp_array_local_init(&lv);
  cp_order_reverse(3, perm);
  cp_view_permute(a, perm, v);
  CHECK(is_order(perm, ORDER(2, 1, 0)) && is_cube(v, perm) && shares(v, a));
  cp_order_swap(3, 0, 2, perm);
  CHECK(is_order(perm, ORDER(2, 1, 0)));
  CHECK(cp_order_swap_last(3, perm) == CP_OK && is_order(perm, ORDER(0, 2, 1)));
  CHECK(fails(cp_order_swap_last(1, perm), "x needs at least 2 axes, not 1; x.T takes any array"));
  CHECK(cp_order_move(3, &first, &last_one, perm) == CP_OK && is_order(perm, ORDER(1, 2, 0)));
  cp_view_permute(a, perm, v);
  CHECK(is_cube(v, perm) && has_shape(v, SHAPE(3, 4, 2)));
  CHECK(cp_order_move(3, &both, &back, perm) == CP_OK && is_order(perm, ORDER(2, 1, 0)));
  CHECK(cp_order_move(3, &both, &first, perm) == CP_EUSAGE);
  CHECK(cp_order_roll(3, 2, 1, perm) == CP_OK && is_order(perm, ORDER(2, 0, 1)));
  CHECK(cp_order_roll(3, 0, 4, perm) == CP_OK && is_order(perm, ORDER(1, 2, 0)));
  CHECK(cp_order_roll(3, 0, -1, perm) == CP_OK && is_order(perm, ORDER(1, 0, 2)));
  CHECK(fails(cp_order_roll(3, 0, 5, perm), "start 5 must be in 1..4 or -3..-1"));
  forget(a);
}

static void check_single_axes(void) {
  cp_array_local l, lv, lw;
  int ndim = 0;
  cp_array *a = cube(&l), *v = cp_array_local_init(&lv), *w = cp_array_local_init(&lw);
  CHECK(cp_expanded_ndim(a, 2, &ndim) == CP_OK && ndim == 5);
  cp_view_expand(a, 1U << 0 | 1U << 3, ndim, v);
  CHECK(has_shape(v, SHAPE(1, 2, 3, 1, 4)) && follows(v, 24, digits) && shares(v, a));
  CHECK(fails(cp_expanded_ndim(a, 30, &ndim), "the result would have more than 32 axes"));
  CHECK(cp_view_squeeze(v, 31, false, w) == CP_OK && has_shape(w, SHAPE(2, 3, 4)) && follows(w, 24, digits));
  CHECK(cp_view_squeeze(v, 1U << 3, true, w) == CP_OK && has_shape(w, SHAPE(1, 2, 3, 4)));
  CHECK(fails(cp_view_squeeze(v, 1U << 1, true, w), "axis 2 has length 2, not 1"));
  forget(a);
}

static double flipped(int64_t k) { return (double)(10 * (4 - k / 6) + 6 - k % 6); }

static void check_flips(void) {
  cp_array_local l, lv;
  cp_array *a = filled(&l, CP_INT8, 2, four_by_six, grid), *v = cp_array_local_init(&lv);
  cp_view_flip(a, 3, v);
  CHECK(follows(v, 24, flipped) && shares(v, a));
  cp_view_flip(a, 0, v);
  CHECK(follows(v, 24, grid) && cp_check_ndim(a, 2) == CP_OK);
  CHECK(fails(cp_check_ndim(a, 3), "m needs at least 3 axes, not shape (4, 6)"));
  forget(a);
}

// ---- broadcasting and strides -----------------------------------------------------------------------------

static double columns(int64_t k) { return (double)(k % 3 + 1); }

static void check_broadcasts(void) {
  cp_array_local l[2], lv;
  int64_t shape[CP_MAXDIM];
  const int64_t six = 6, column[] = {2, 1};
  int ndim = 0;
  cp_array *x = line(&l[0], CP_FLOAT32, 3, from_one), *y = filled(&l[1], CP_INT16, 2, column, from_one);
  cp_array *v = cp_array_local_init(&lv);
  CHECK(cp_broadcast_with(&ndim, shape, x) == CP_OK && cp_broadcast_with(&ndim, shape, y) == CP_OK);
  CHECK(cp_shape_equal(ndim, shape, SHAPE(2, 3)));
  cp_view_broadcast(x, ndim, shape, v);
  CHECK(follows(v, 6, columns) && v->readonly);
  cp_view_broadcast(x, 1, x->shape, v);
  CHECK(follows(v, 3, from_one) && !v->readonly);
  CHECK(cp_view_broadcast_to(y, ndim, shape, v) == CP_OK && equals(v, VALUES(1, 1, 1, 2, 2, 2)));
  CHECK(cp_view_broadcast_to(x, 1, x->shape, v) == CP_OK && v->readonly && shares(v, x));
  CHECK(fails(cp_view_broadcast_to(y, 1, &six, v), "shape (2, 1) does not broadcast to (6)"));
  shape[1] = 4;
  CHECK(fails(cp_broadcast_with(&ndim, shape, x), "shapes (2, 4) and (3) do not broadcast"));
  for (int k = 0; k < 2; k++) forget(&l[k].a);
}

static double windows(int64_t k) { return (double)(k / 3 + k % 3 + 1); }

static void check_strides(void) {
  cp_array_local l, lv;
  cp_array *x = line(&l, CP_FLOAT64, 6, from_one), *v = cp_array_local_init(&lv);
  const int64_t eights[] = {8, 8}, rows[] = {8, 0}, odd[] = {8, 4};
  CHECK(cp_view_strided(x, SHAPE(4, 3), 2, eights, true, v) == CP_OK && follows(v, 12, windows));
  CHECK(shares(v, x) && !v->readonly);
  CHECK(cp_view_strided(x, SHAPE(2, 2), 2, eights, false, v) == CP_OK && v->readonly);
  CHECK(cp_view_strided(x, SHAPE(2, 2), 2, rows, true, v) == CP_OK && equals(v, VALUES(1, 1, 2, 2)));
  CHECK(v->readonly);
  CHECK(cp_view_strided(x, SHAPE(0, 9), 2, eights, true, v) == CP_OK && v->size == 0);
  CHECK(fails(cp_view_strided(x, SHAPE(5, 3), 2, eights, true, v),
              "this shape and these strides go beyond the array's memory of 48 bytes"));
  CHECK(fails(cp_view_strided(x, SHAPE(4), 2, eights, true, v), "strides has 2 entries for a shape of 1"));
  CHECK(fails(cp_view_strided(x, SHAPE(2, 2), 2, odd, true, v),
              "stride 4 is not a multiple of the element size, 8 bytes"));
  forget(x);
}

// Whether the bytes of a cannot be read as dtype t, for this reason.
static bool cannot_be(const cp_array *a, cp_dtype t, const char *text) {
  cp_array_local lv;
  return fails(cp_view_as(a, t, cp_array_local_init(&lv)), text);
}

static double pairs(int64_t k) { return k % 2 == 0 ? (double)(k / 2 + 1) : 0; }

static void check_dtypes(void) {
  cp_array_local l, lv, lw;
  const int64_t gaps = 16;
  cp_array *x = line(&l, CP_INT64, 6, from_one), *v = cp_array_local_init(&lv), *w = cp_array_local_init(&lw);
  CHECK(cp_view_as(x, CP_INT32, v) == CP_OK && shares(v, x));
  CHECK(follows(v, 12, pairs)); // the low half of each comes first
  CHECK(cp_view_as(v, CP_INT64, w) == CP_OK && follows(w, 6, from_one));
  CHECK(cp_view_as(x, CP_COMPLEX128, w) == CP_OK && w->size == 3);
  v->shape[0] = v->size = 5;
  CHECK(cannot_be(v, CP_INT64, "the last axis has 20 bytes, which is not a multiple of int64's 8"));
  v->shape[0] = v->size = 4;
  v->offset += 4;
  CHECK(cannot_be(v, CP_INT64, "rows do not begin at multiples of 8 bytes; use x:copy():view(...)"));
  CHECK(cp_view_strided(x, SHAPE(3), 1, &gaps, true, v) == CP_OK);
  CHECK(cannot_be(v, CP_INT8,
                  "the last axis must be contiguous for a dtype of another size; "
                  "use x:copy():view(...)"));
  CHECK(cp_view_as(v, CP_UINT64, w) == CP_OK && equals(w, VALUES(1, 3, 5)));
  CHECK(cp_view_strided(x, 0, NULL, 0, NULL, true, v) == CP_OK);
  CHECK(cannot_be(v, CP_INT8, "a 0-d array of int64 cannot become int8, which has another size"));
  forget(x);
}

// ---- reshaping --------------------------------------------------------------------------------------------

static cp_array *reshaped(cp_array_local *l, cp_array *a, int ndim, const int64_t *lengths, char order) {
  int64_t shape[CP_MAXDIM];
  cp_array *out = cp_array_local_init(l);
  cp_copy_lengths(shape, lengths, ndim);
  last = cp_reshape(&ctx, a, ndim, shape, order, false, out);
  return out;
}

// Whether the reshaping fails with this text.
static bool refuses(cp_array *a, int ndim, const int64_t *lengths, const char *text) {
  cp_array_local l;
  reshaped(&l, a, ndim, lengths, 'C');
  return l.a.storage == NULL && fails(last, text);
}

// The elements of a grid, taken in F order, in 6 by 4.
static double grid_by_columns(int64_t k) {
  int64_t n = k / 4 + k % 4 * 6;
  return (double)(10 * (n % 4 + 1) + n / 4 + 1);
}

// Elements that lie in memory as a grid's do, with 3 by 2 by 4 axes of which the first is the fastest.
static double grid_in_memory(int64_t k) { return grid(k / 8 + k / 4 % 2 * 3 + k % 4 * 6); }

static void check_shapes(void) {
  cp_array_local l[2], lv;
  const int perm[] = {1, 0};
  cp_array *a = filled(&l[0], CP_INT64, 2, four_by_six, grid), *b, *turned = cp_array_local_init(&lv);
  b = reshaped(&l[1], a, SHAPE(2, -1, 3), 'C');
  CHECK(has_shape(b, SHAPE(2, 4, 3)) && follows(b, 24, grid) && shares(b, a) && a->storage->refs == 2);
  forget(b);
  b = reshaped(&l[1], a, SHAPE(6, 4), 'F');
  CHECK(follows(b, 24, grid_by_columns) && b->storage != a->storage && b->owner);
  forget(b);
  cp_view_permute(a, perm, turned); // the same elements in F order
  b = reshaped(&l[1], turned, SHAPE(3, 2, 4), 'F');
  CHECK(shares(b, a) && follows(b, 24, grid_in_memory));
  forget(b);
  b = reshaped(&l[1], turned, SHAPE(24), 'C');
  CHECK(b->owner && value(b, 1) == 21 && value(b, 23) == 46);
  CHECK(refuses(a, SHAPE(5, 5), "cannot reshape (4, 6) of 24 elements to (5, 5)"));
  CHECK(refuses(a, SHAPE(-1, 7), "cannot reshape (4, 6) of 24 elements to (-1, 7)"));
  CHECK(refuses(a, SHAPE(-1, -1), "only one length in shape (-1, -1) can be -1"));
  CHECK(refuses(a, SHAPE(-2, 3), "length -2 in shape (-2, 3) is negative; only -1 is allowed"));
  for (int k = 0; k < 2; k++) forget(&l[k].a);
}

static cp_array *flat(cp_array_local *l, cp_array *a, char order, bool copy) {
  cp_array *out = cp_array_local_init(l);
  last = cp_ravel(&ctx, a, order, copy, out);
  return out;
}

static double grid_down(int64_t k) { return (double)(10 * (k % 4 + 1) + k / 4 + 1); }

static void check_ravel(void) {
  cp_array_local l[2], lv;
  const int perm[] = {1, 0};
  const int64_t stride = 16;
  cp_array *a = filled(&l[0], CP_INT64, 2, four_by_six, grid), *b, *v = cp_array_local_init(&lv);
  b = flat(&l[1], a, 'C', false);
  CHECK(follows(b, 24, grid) && shares(b, a));
  forget(b);
  b = flat(&l[1], a, 'C', true);
  CHECK(follows(b, 24, grid) && b->owner);
  forget(b);
  b = flat(&l[1], a, 'F', false);
  CHECK(follows(b, 24, grid_down) && b->owner);
  forget(b);
  cp_view_permute(a, perm, v);
  b = flat(&l[1], v, 'K', false);
  CHECK(follows(b, 24, grid) && shares(b, a));
  forget(b);
  CHECK(cp_view_strided(a, SHAPE(3), 1, &stride, true, v) == CP_OK);
  b = flat(&l[1], v, 'C', false); // with gaps
  CHECK(equals(b, VALUES(11, 13, 15)) && b->owner);
  for (int k = 0; k < 2; k++) forget(&l[k].a);
}

// The strides of new arrays of int16.
static bool lies(cp_array_local *l, int ndim, const int64_t *strides) {
  return cp_shape_equal(l->a.ndim, l->a.strides, ndim, strides);
}

static void check_layouts(void) {
  cp_array_local l, lv, lw;
  const int perm[] = {1, 0, 2};
  cp_array *a = cube(&l), *v = cp_array_local_init(&lv), *w = cp_array_local_init(&lw);
  cp_view_permute(a, perm, v);
  CHECK(cp_layout_like(w, CP_INT16, 3, v->shape, 'K', v) == CP_OK && lies(&lw, SHAPE(8, 24, 2)));
  CHECK(cp_layout_like(w, CP_INT16, 3, v->shape, 'F', v) == CP_OK && lies(&lw, SHAPE(2, 6, 12)));
  CHECK(cp_order_of(w) == 'F' && cp_order_of(a) == 'C' && cp_order_of(v) == 'C');
  CHECK(cp_layout_like(w, CP_INT16, 2, four_by_six, 'K', v) == CP_OK && lies(&lw, SHAPE(12, 2)));
  forget(a);
}

// ---- parts of complex values ------------------------------------------------------------------------------

static double minus_twice(int64_t k) { return -2 * (double)(k + 1); }

static cp_array *part(cp_array_local *l, const cp_array *a, bool imag) {
  cp_array *out = cp_array_local_init(l);
  last = cp_part(&ctx, a, imag, out);
  return out;
}

static void check_parts(void) {
  cp_array_local l[3];
  cp_array *z = line(&l[0], CP_COMPLEX64, 5, from_one), *x = line(&l[1], CP_INT16, 3, from_one), *p;
  for (int64_t k = 0; k < 5; k++)
    cp_scalar_store(cp_scalar_complex(from_one(k), minus_twice(k), CP_COMPLEX64), place_of(z, k));
  p = part(&l[2], z, false);
  CHECK(p->dtype == CP_FLOAT32 && follows(p, 5, from_one) && shares(p, z));
  forget(p);
  p = part(&l[2], z, true);
  CHECK(p->dtype == CP_FLOAT32 && follows(p, 5, minus_twice) && shares(p, z));
  forget(p);
  p = part(&l[2], x, false);
  CHECK(p->dtype == CP_INT16 && follows(p, 3, from_one) && shares(p, x));
  forget(p);
  p = part(&l[2], x, true);
  CHECK(p->dtype == CP_INT16 && equals(p, VALUES(0, 0, 0)) && p->readonly && p->strides[0] == 0);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

#define RUN(name) (check_##name(), check_nothing_left(#name))

int main(void) {
  if (!begin()) return 1;
  RUN(axes), RUN(axis_sets), RUN(orders), RUN(single_axes), RUN(flips);
  RUN(broadcasts), RUN(strides), RUN(dtypes);
  RUN(shapes), RUN(ravel), RUN(layouts);
  RUN(parts);
  return end("views");
}
