// Arrays without a Lua state: made, indexed, computed with, reduced and sorted by the functions of src/rules
// and below, on the CPU device. Nothing of Lua is linked. What is expected follows from formulas. views.c has
// other axes and shapes.
#include "array/view.h"
#include "lazy/arrays/assign.h"
#include "lazy/arrays/element.h"
#include "rules/apply.h"
#include "rules/indexing/lookup.h"
#include "rules/reduce.h"
#include "rules/sort.h"

#include "core_arrays.h"

// ---- formulas ---------------------------------------------------------------------------------------------

static double scattered(int64_t k) { return (double)(k * 37 % 101); } // a permutation of 0..100
static double minus(int64_t k) { return -(double)k; }
static double threes(int64_t k) { return (double)(k % 3); }

// ---- indices ----------------------------------------------------------------------------------------------

static cp_index key(const char *text) {
  cp_index ix;
  cp_index_begin(&ix, "core", '"');
  last = cp_index_add_text(&ix, text, strlen(text));
  return ix;
}

// An index of one array, and of the items of a text behind it.
static cp_index array_key(cp_array *a, const char *text) {
  cp_index ix;
  cp_index_begin(&ix, "core", '{');
  last = cp_index_add_array(&ix, a);
  if (text != NULL) CHECK(cp_index_add_text(&ix, text, strlen(text)) == CP_OK);
  return ix;
}

// The view that a text selects, which borrows a's memory.
static cp_array *slice(cp_array_local *l, const cp_array *a, const char *text) {
  cp_array *v = cp_array_local_init(l);
  cp_index ix = key(text);
  if (last == CP_OK) last = cp_index_view(&ix, a, v);
  return v;
}

static void check_slices(void) {
  cp_array_local l, lv;
  cp_array *a = filled(&l, CP_INT32, 2, four_by_six, grid);
  CHECK(equals(slice(&lv, a, "2, 3:5"), VALUES(23, 24, 25)));
  CHECK(equals(slice(&lv, a, "..., -1"), VALUES(16, 26, 36, 46)));
  CHECK(equals(slice(&lv, a, "4:1:-2, new, 5:"), VALUES(45, 46, 25, 26)) && has_shape(&lv.a, SHAPE(2, 1, 2)));
  CHECK(equals(slice(&lv, a, "3:2"), 0, NULL) && has_shape(&lv.a, SHAPE(0, 6)) && last == CP_OK);
  CHECK(follows(slice(&lv, a, ":"), 24, grid) && lv.a.storage == a->storage);
  slice(&lv, a, "5, 1");
  CHECK(last == CP_EINDEX && strcmp(cp_error_text(), "index 5 is out of range for axis 1 of length 4") == 0);
  slice(&lv, a, "1, 0");
  CHECK(last == CP_EINDEX && strstr(cp_error_text(), "positions count from 1") != NULL);
  slice(&lv, a, "1, 2, 3");
  CHECK(last == CP_EINDEX && strcmp(cp_error_text(), "3 indices for an array of 2 axes") == 0);
  slice(&lv, a, "1:4:0");
  CHECK(last == CP_EINDEX);
  slice(&lv, a, "1, x");
  CHECK(last == CP_EINDEX && strstr(cp_error_text(), "at character 4") != NULL);
  forget(a);
}

// The same by items, as a binding makes them.
static void check_items(void) {
  cp_array_local l, lv;
  cp_index ix;
  cp_item *item;
  int64_t offset = 0;
  cp_array *a = filled(&l, CP_INT32, 2, four_by_six, grid), *v = cp_array_local_init(&lv);
  cp_index_begin(&ix, "core", '(');
  CHECK(cp_index_add_integer(&ix, 3) == CP_OK && cp_index_add_integer(&ix, -2) == CP_OK);
  CHECK(cp_index_is_element(&ix, a) && cp_index_element(&ix, a, &offset) == CP_OK);
  CHECK(cp_scalar_load(a->storage->buffer->pointer + offset, a->dtype).v.i == 35);
  cp_index_begin(&ix, "core", '{');
  CHECK(cp_index_add(&ix, CP_ITEM_ELLIPSIS, &item) == CP_OK);
  CHECK(cp_index_add_range(&ix, 3, (const int64_t[]){6, 1, -3}) == CP_OK);
  CHECK(cp_index_view(&ix, a, v) == CP_OK && equals(v, VALUES(16, 13, 26, 23, 36, 33, 46, 43)));
  CHECK(cp_index_add(&ix, CP_ITEM_ELLIPSIS, &item) == CP_EINDEX);
  forget(a);
}

static void check_elements(void) {
  cp_array_local l[2], lv;
  cp_scalar s = {0};
  cp_array *a = filled(&l[0], CP_INT16, 2, four_by_six, grid), *v = slice(&lv, a, "4:1:-1, 2:"), *twice;
  CHECK(cp_element_at(&ctx, v, (const int64_t[]){1, 3}, &s) == CP_OK && s.dtype == CP_INT16 && s.v.i == 35);
  CHECK(cp_load_element(&ctx, v, v->offset, &s) == CP_OK && s.v.i == 42);
  twice = pend(&l[1], CP_OP_add, a, a);
  CHECK(cp_element_at(&ctx, twice, (const int64_t[]){3, 5}, &s) == CP_OK && s.v.i == 92);
  ctx.capture.target.device = cpu;
  CHECK(cp_load_element(&ctx, a, 0, &s) == CP_EUSAGE);
  ctx.capture.target.device = NULL;
  for (int k = 0; k < 2; k++) forget(&l[k].a);
}

static cp_node *number_node(double v, cp_dtype t) {
  cp_node *n = NULL;
  REQUIRE(cp_node_scalar(cp_scalar_cast(cp_scalar_float(v, CP_FLOAT64), t), &n) == CP_OK);
  return n;
}

static void check_slice_writes(void) {
  cp_array_local l, lv, lw;
  cp_node *root = NULL;
  cp_array *a = line(&l, CP_FLOAT64, 8, from_one);
  CHECK(cp_assign(&ctx, slice(&lv, a, "2:4"), number_node(0, CP_FLOAT64), CP_MAY_RENAME) == CP_OK);
  CHECK(equals(a, VALUES(1, 0, 0, 0, 5, 6, 7, 8)));
  cp_array *backwards = slice(&lw, a, "-1:1:-1"); // overlaps what it is written to
  CHECK(cp_array_node(backwards, &root) == CP_OK && cp_assign(&ctx, a, root, CP_MAY_RENAME) == CP_OK);
  CHECK(equals(a, VALUES(8, 7, 6, 5, 0, 0, 0, 1)));
  forget(a);
}

// ---- masks and positions ----------------------------------------------------------------------------------

static cp_array *read_key(cp_array_local *l, const cp_index *ix, cp_array *a) {
  cp_selection c;
  cp_node *root = NULL;
  cp_array *out = cp_array_local_init(l);
  last = cp_select(ix, a, &c);
  if (last == CP_OK) last = cp_select_read(&ctx, &c, out, &root);
  if (root != NULL) CHECK(cp_pend(&ctx, out, root) == CP_OK);
  return out;
}

static cp_status write_key(const cp_index *ix, cp_array *a, const cp_value *v, cp_lookup_kind kind) {
  cp_selection c;
  cp_status status = cp_select(ix, a, &c);
  return status == CP_OK ? cp_select_write(&ctx, &c, v, kind, false) : status;
}

static void check_masks(void) {
  cp_array_local l[6];
  int64_t count = 0;
  cp_value zero = bare_number(0), half = bare_number(0.5), v;
  cp_array *x = line(&l[0], CP_FLOAT64, 6, from_one), *y = line(&l[1], CP_FLOAT64, 6, minus);
  cp_array *limit = line(&l[2], CP_FLOAT64, 1, from_one), *mask;
  CHECK(cp_assign(&ctx, limit, number_node(3, CP_FLOAT64), CP_MAY_RENAME) == CP_OK);
  mask = apply(&l[3], CP_OP_greater, x, limit);
  CHECK(mask->dtype == CP_BOOL && cp_count_true(&ctx, mask, &count) == CP_OK && count == 3);
  cp_index ix = array_key(mask, NULL);
  cp_array *taken = read_key(&l[4], &ix, x);
  CHECK(last == CP_OK && taken->node != NULL && equals(taken, VALUES(4, 5, 6)));
  v = array_value(taken);
  CHECK(write_key(&ix, y, &v, CP_LOOKUP_WRITE) == CP_OK && equals(y, VALUES(0, -1, -2, 4, 5, 6)));
  CHECK(write_key(&ix, y, &zero, CP_LOOKUP_WRITE) == CP_OK && equals(y, VALUES(0, -1, -2, 0, 0, 0)));
  CHECK(write_key(&ix, y, &half, CP_LOOKUP_ADD) == CP_OK && equals(y, VALUES(0, -1, -2, 0.5, 0.5, 0.5)));
  forget(taken);
  taken = read_key(&l[4], &ix, x);
  cp_array *twice =
      apply(&l[5], CP_OP_add, taken, taken); // read and written by one mask: no element is moved
  v = array_value(twice);
  CHECK(write_key(&ix, x, &v, CP_LOOKUP_WRITE) == CP_OK && equals(x, VALUES(1, 2, 3, 8, 10, 12)));
  forget(twice);
  v = array_value(limit); // one value does not do for three elements but by broadcasting
  CHECK(write_key(&ix, x, &v, CP_LOOKUP_WRITE) == CP_OK && equals(x, VALUES(1, 2, 3, 3, 3, 3)));
  v = array_value(y);
  CHECK(write_key(&ix, x, &v, CP_LOOKUP_WRITE) == CP_ESHAPE);
  for (int k = 0; k < 5; k++) forget(&l[k].a);
}

// A mask of rows, and what it must not have.
static void check_row_masks(void) {
  cp_array_local l[4], lv;
  cp_value zero = bare_number(0);
  const int64_t four = 4, five = 5;
  cp_array *a = filled(&l[0], CP_INT16, 2, four_by_six, grid),
           *rows = filled(&l[1], CP_BOOL, 1, &four, threes);
  cp_array *longer = filled(&l[2], CP_BOOL, 1, &five, threes);
  cp_index ix = array_key(rows, "2:3");
  cp_array *b = read_key(&l[3], &ix, a);
  CHECK(last == CP_OK && has_shape(b, SHAPE(2, 2)) && equals(b, VALUES(22, 23, 32, 33)));
  CHECK(b->dtype == CP_INT16);
  ix = array_key(rows, NULL);
  CHECK(write_key(&ix, a, &zero, CP_LOOKUP_WRITE) == CP_OK);
  CHECK(equals(slice(&lv, a, ":, 1"), VALUES(11, 0, 0, 41)));
  forget(b);
  ix = array_key(longer, NULL);
  read_key(&l[3], &ix, a);
  CHECK(last == CP_EINDEX &&
        strcmp(cp_error_text(), "a mask of shape (5) does not fit axis 1 of shape (4)") == 0);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

static void check_positions(void) {
  cp_array_local l[5];
  cp_array *a = filled(&l[0], CP_INT32, 2, four_by_six, grid);
  cp_array *at = line(&l[1], CP_INT64, 3, from_one), *narrow = line(&l[2], CP_INT32, 3, from_one);
  cp_index ix = array_key(at, NULL);
  cp_array *b = read_key(&l[3], &ix, a);
  CHECK(last == CP_OK && has_shape(b, SHAPE(3, 6)) && follows(b, 18, grid));
  forget(b);
  ix = array_key(at, "-1");
  b = read_key(&l[3], &ix, a);
  CHECK(last == CP_OK && equals(b, VALUES(16, 26, 36)));
  forget(b);
  ix = array_key(at, NULL);
  CHECK(cp_index_add_array(&ix, narrow) == CP_OK); // of two dtypes, side by side
  b = read_key(&l[3], &ix, a);
  CHECK(last == CP_OK && equals(b, VALUES(11, 22, 33)));
  forget(b);
  CHECK(cp_assign(&ctx, at, number_node(-7, CP_INT64), CP_MAY_RENAME) == CP_OK);
  ix = array_key(at, NULL);
  read_key(&l[3], &ix, a);
  CHECK(last == CP_EINDEX &&
        strstr(cp_error_text(), "index -7 is out of range for axis 1 of length 4") != NULL);
  forget(&l[3].a);
  cp_array *real = line(&l[4], CP_FLOAT32, 3, from_one);
  ix = array_key(real, NULL);
  CHECK(last == CP_EDTYPE);
  for (int k = 0; k < 5; k++) forget(&l[k].a);
}

// The axes of arrays that stand apart come first.
static void check_apart(void) {
  cp_array_local l[3];
  const int64_t shape[] = {2, 3, 4};
  cp_array *a = filled(&l[0], CP_INT64, 3, shape, from_one), *at = line(&l[1], CP_INT64, 2, from_one);
  cp_index ix = array_key(at, ":, 2");
  cp_array *b = read_key(&l[2], &ix, a);
  CHECK(last == CP_OK && has_shape(b, SHAPE(2, 3)) && equals(b, VALUES(2, 6, 10, 14, 18, 22)));
  forget(b);
  ix = array_key(at, ":, :, 1");
  read_key(&l[2], &ix, a);
  CHECK(last == CP_EINDEX);
  for (int k = 0; k < 2; k++) forget(&l[k].a);
}

static void check_position_writes(void) {
  cp_array_local l[3];
  cp_value one = bare_number(1), half = bare_number(0.5), v;
  cp_array *a = line(&l[0], CP_INT32, 4, minus), *at = line(&l[1], CP_INT64, 6, threes);
  cp_array *from = line(&l[2], CP_INT8, 6, from_one);
  cp_node *two[2] = {NULL, number_node(1, CP_INT64)}, *root = NULL;
  CHECK(cp_array_node(at, &two[0]) == CP_OK && cp_node_op(CP_OP_add, two, &root) == CP_OK);
  CHECK(cp_assign(&ctx, at, root, CP_MAY_RENAME) == CP_OK); // 1, 2, 3, 1, 2, 3
  cp_index ix = array_key(at, NULL);
  v = array_value(from);
  CHECK(write_key(&ix, a, &v, CP_LOOKUP_WRITE) == CP_OK &&
        equals(a, VALUES(4, 5, 6, -3))); // the last ones stay
  CHECK(write_key(&ix, a, &one, CP_LOOKUP_ADD) == CP_OK && equals(a, VALUES(6, 7, 8, -3)));
  CHECK(write_key(&ix, a, &v, CP_LOOKUP_MAX) == CP_OK && equals(a, VALUES(6, 7, 8, -3)));
  CHECK(write_key(&ix, a, &half, CP_LOOKUP_WRITE) == CP_EDTYPE);
  a->readonly = true;
  CHECK(write_key(&ix, a, &one, CP_LOOKUP_WRITE) == CP_EUSAGE);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

// ---- operators --------------------------------------------------------------------------------------------

static double one_and_a_half(int64_t k) { return 1.5 * (double)(k + 1); }

static void check_promotion(void) {
  static const struct {
    cp_dtype x, y, sum;
  } rows[] = {{CP_INT8, CP_UINT8, CP_INT16},        {CP_INT32, CP_FLOAT32, CP_FLOAT64},
              {CP_INT64, CP_UINT64, CP_FLOAT64},    {CP_BOOL, CP_UINT16, CP_UINT16},
              {CP_FLOAT16, CP_FLOAT32, CP_FLOAT32}, {CP_INT16, CP_COMPLEX64, CP_COMPLEX64}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    cp_array_local l[3];
    cp_array *x = line(&l[0], rows[k].x, 1, from_one), *y = line(&l[1], rows[k].y, 1, from_one);
    cp_array *sum = apply(&l[2], CP_OP_add, x, y);
    CHECK(last == CP_OK && sum->dtype == rows[k].sum && value(sum, 0) == 2);
    for (int j = 0; j < 3; j++) forget(&l[j].a);
  }
}

static double table_of_sums(int64_t k) { return 1.5 * (double)(k / 4 + 1) + (double)(k % 4 + 1); }

static void check_broadcasting(void) {
  cp_array_local l[4];
  const int64_t column[] = {3, 1};
  cp_array *x = filled(&l[0], CP_FLOAT32, 2, column, one_and_a_half), *y = line(&l[1], CP_INT16, 4, from_one);
  cp_array *sum = apply(&l[2], CP_OP_add, x, y);
  CHECK(last == CP_OK && has_shape(sum, SHAPE(3, 4)) && sum->dtype == CP_FLOAT32);
  CHECK(follows(sum, 12, table_of_sums));
  cp_array *z = line(&l[3], CP_INT16, 3, from_one);
  forget(sum);
  apply(&l[2], CP_OP_add, y, z);
  CHECK(last == CP_ESHAPE);
  for (int k = 0; k < 4; k++) forget(&l[k].a);
}

// Two operands, as a binding reads them.
static cp_status read_two(cp_operands *o, cp_value x, cp_value y, int flags) {
  static const char *const names[] = {"x1", "x2"};
  const cp_reading how = {"core", names, flags, CP_NDTYPES};
  cp_operands_begin(o, &ctx, &how, 2);
  o->v[0] = x;
  o->v[1] = y;
  for (int k = 0; k < 2; k++) CHECK(cp_operands_add(o, k) == CP_OK);
  return cp_operands_settle(o, &how, 0, CP_FLOAT64);
}

// op on an array and a bare number.
static cp_array *with_number(cp_array_local *l, cp_op op, cp_array *x, double number) {
  cp_array *out = cp_array_local_init(l);
  cp_node *root = NULL;
  cp_operands o;
  last = read_two(&o, array_value(x), bare_number(number), cp_ops[op].reading);
  if (last == CP_OK) last = cp_apply(op, CP_NDTYPES, &o, &root);
  if (last == CP_OK) last = cp_pend(&ctx, out, root);
  return out;
}

// Bare numbers take the dtype of what stands beside them where it can hold them; comparisons never fail.
static void check_numbers(void) {
  static const struct {
    cp_dtype x;
    double number;
    cp_dtype sum;
  } rows[] = {{CP_UINT8, 200, CP_UINT8},
              {CP_INT32, 1.5, CP_FLOAT64},
              {CP_FLOAT32, 1.5, CP_FLOAT32},
              {CP_FLOAT16, -3, CP_FLOAT16},
              {CP_BOOL, 2, CP_INT64}};
  cp_array_local l[2];
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    cp_array *x = line(&l[0], rows[k].x, 1, from_one),
             *sum = with_number(&l[1], CP_OP_add, x, rows[k].number);
    CHECK(last == CP_OK && sum->dtype == rows[k].sum && value(sum, 0) == 1 + rows[k].number);
    for (int j = 0; j < 2; j++) forget(&l[j].a);
  }
  cp_array *x = line(&l[0], CP_UINT8, 3, from_one);
  forget(with_number(&l[1], CP_OP_add, x, 300));
  CHECK(last == CP_EDTYPE && strstr(cp_error_text(), "x2 = 300 does not fit uint8") != NULL);
  CHECK(equals(with_number(&l[1], CP_OP_less, x, 300), VALUES(1, 1, 1)));
  forget(&l[1].a);
  CHECK(equals(with_number(&l[1], CP_OP_power, x, 2), VALUES(1, 4, 9)));
  for (int j = 0; j < 2; j++) forget(&l[j].a);
}

// ---- reductions -------------------------------------------------------------------------------------------

static cp_array *reduced(cp_array_local *l, cp_red red, cp_array *a, uint32_t axes, bool keepdims) {
  cp_reduction r = {.red = red, .axes = axes, .keepdims = keepdims};
  cp_array *out = cp_array_local_init(l);
  cp_node *root = NULL;
  last = cp_reduction_types(&r, a->dtype, CP_NDTYPES, NULL);
  if (last == CP_OK) last = cp_reduce_node(&ctx, &r, a, &root);
  if (last == CP_OK) last = cp_pend(&ctx, out, root);
  return out;
}

// Whether the reduction over all axes gives this value of this dtype.
static bool gives(cp_red red, cp_array *a, cp_dtype t, double expected) {
  cp_array_local l;
  cp_array *out = reduced(&l, red, a, (1U << a->ndim) - 1, false);
  bool same = last == CP_OK && out->ndim == 0 && out->dtype == t && fabs(value(out, 0) - expected) < 1e-9;
  forget(out);
  return same;
}

static void check_reductions(void) {
  enum { COUNT = 1000 };
  cp_array_local l[3], lv;
  cp_array *x = line(&l[0], CP_INT16, COUNT, from_one), *p = line(&l[1], CP_FLOAT64, 101, scattered);
  CHECK(gives(CP_RED_sum, x, CP_INT64, COUNT * (COUNT + 1) / 2) && gives(CP_RED_max, x, CP_INT16, COUNT));
  CHECK(gives(CP_RED_mean, x, CP_FLOAT64, (COUNT + 1) / 2.0));
  CHECK(gives(CP_RED_var, x, CP_FLOAT64, (COUNT * COUNT - 1) / 12.0));
  CHECK(gives(CP_RED_argmin, p, CP_INT64, 1) && gives(CP_RED_ptp, p, CP_FLOAT64, 100));
  CHECK(gives(CP_RED_all, x, CP_BOOL, 1) && gives(CP_RED_all, p, CP_BOOL, 0));
  CHECK(gives(CP_RED_sum, slice(&lv, x, "::2"), CP_INT64, 250000)); // odd numbers: a square
  cp_array *squares = apply(&l[2], CP_OP_multiply, p, p);           // pending
  CHECK(gives(CP_RED_sum, squares, CP_FLOAT64, 100.0 * 101 * 201 / 6) && squares->node != NULL);
  CHECK(gives(CP_RED_sum, slice(&lv, x, "1:0"), CP_INT64, 0));
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

static void check_reduced_axes(void) {
  cp_array_local l[3], lv;
  cp_array *a = filled(&l[0], CP_FLOAT32, 2, four_by_six, grid);
  cp_array *rows = reduced(&l[1], CP_RED_sum, a, 2, true);
  CHECK(has_shape(rows, SHAPE(4, 1)) && equals(rows, VALUES(81, 141, 201, 261)));
  cp_array *columns = reduced(&l[2], CP_RED_max, a, 1, false);
  CHECK(has_shape(columns, SHAPE(6)) && equals(columns, VALUES(41, 42, 43, 44, 45, 46)));
  forget(columns);
  cp_array *none = slice(&lv, a, "1:0");
  reduced(&l[2], CP_RED_max, none, 1, false);
  CHECK(last == CP_ESHAPE && strcmp(cp_error_text(), "an empty array or axis has no max") == 0);
  forget(&l[2].a);
  CHECK(equals(reduced(&l[2], CP_RED_sum, none, 1, false), VALUES(0, 0, 0, 0, 0, 0)));
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

static void check_questions(void) {
  cp_array_local l[2];
  bool known = false, yes = false;
  cp_array *mask = line(&l[0], CP_BOOL, 9, threes), *out = line(&l[1], CP_INT32, 1, from_one);
  CHECK(cp_ask_mask(&ctx, CP_RED_any, mask, &known, &yes) == CP_OK && known && yes);
  CHECK(cp_ask_mask(&ctx, CP_RED_all, mask, &known, &yes) == CP_OK && known && !yes); // it was counted
  CHECK(cp_ask_mask(&ctx, CP_RED_any, out, &known, &yes) == CP_OK && !known);
  for (int k = 0; k < 2; k++) forget(&l[k].a);
}

// The reduction over axes, combined with an initial value.
static cp_array *reduced_from(cp_array_local *l, cp_red red, cp_array *a, uint32_t axes, cp_value initial) {
  cp_reduction r = {.red = red, .axes = axes, .initial = true};
  cp_array *out = cp_array_local_init(l);
  cp_operands o;
  cp_node *root = NULL;
  last = cp_reduction_types(&r, a->dtype, CP_NDTYPES, NULL);
  if (last == CP_OK) last = cp_reduce_node(&ctx, &r, a, &root);
  if (last == CP_OK) last = cp_pend(&ctx, out, root);
  if (last == CP_OK) last = read_two(&o, array_value(out), initial, 0);
  if (last == CP_OK) last = cp_reduce_initial(red, &o, &root);
  if (last == CP_OK) last = cp_assign(&ctx, out, root, CP_MAY_RENAME);
  return out;
}

static void check_initial(void) {
  static const struct {
    cp_red red;
    double initial, expected;
  } rows[] = {{CP_RED_sum, 10, 25},
              {CP_RED_prod, 2, 240},
              {CP_RED_max, 9, 9},
              {CP_RED_max, -9, 5},
              {CP_RED_nanmin, -9, -9}};
  cp_array_local l[3], lv;
  cp_array *x = line(&l[0], CP_INT32, 5, from_one), *out, *a, *none;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    out = reduced_from(&l[1], rows[k].red, x, 1, bare_number(rows[k].initial));
    CHECK(last == CP_OK && out->ndim == 0 && value(out, 0) == rows[k].expected);
    forget(out);
  }
  out = reduced_from(&l[1], CP_RED_sum, x, 1, bare_number(0.5));
  CHECK(last == CP_EDTYPE); // the result stays a whole number
  forget(out);
  a = filled(&l[2], CP_FLOAT32, 2, four_by_six, grid);
  none = slice(&lv, a, "1:0, 1:5");
  out = reduced_from(&l[1], CP_RED_max, none, 1, array_value(x)); // no element has a maximum, but for x
  CHECK(last == CP_OK && out->dtype == CP_FLOAT32 && follows(out, 5, from_one));
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

static void check_equality(void) {
  cp_array_local l[3];
  cp_operands o;
  bool same = false;
  cp_array *x = line(&l[0], CP_INT64, 5, from_one), *y = line(&l[1], CP_FLOAT32, 5, from_one);
  CHECK(read_two(&o, array_value(x), array_value(y), CP_BY_VALUE) == CP_OK);
  CHECK(cp_all_equal(&o, &same) == CP_OK && same);
  cp_array *sum = pend(&l[2], CP_OP_add, x, y);
  CHECK(read_two(&o, array_value(x), array_value(sum), CP_BY_VALUE) == CP_OK);
  CHECK(cp_all_equal(&o, &same) == CP_OK && !same);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

// ---- sorting ----------------------------------------------------------------------------------------------

static double from_zero(int64_t k) { return (double)k; }
static double rows_down(int64_t k) { return (double)(6 * (k / 6) + 5 - k % 6); }

static void check_sort(void) {
  cp_array_local l[5];
  cp_array *p = line(&l[0], CP_FLOAT32, 101, scattered);
  for (int k = 1; k < 5; k++) cp_array_local_init(&l[k]);
  CHECK(cp_sort(&ctx, p, false, NULL, &l[1].a) == CP_OK && follows(&l[1].a, 101, from_zero));
  CHECK(cp_sort(&ctx, p, true, NULL, &l[2].a) == CP_OK && l[2].a.dtype == CP_INT64);
  for (int64_t k = 0; k < 101; k++) CHECK(scattered((int64_t)value(&l[2].a, k) - 1) == (double)k);
  cp_along w = {.where = "core", .site = "", .array = p, .positions = &l[2].a};
  cp_node *waiting;
  CHECK(cp_along_read(&ctx, &w, &l[3].a, &waiting) == CP_OK && waiting == NULL &&
        follows(&l[3].a, 101, from_zero));
  CHECK(cp_search(&ctx, &l[1].a, p, true, &l[4].a) == CP_OK); // behind itself
  for (int64_t k = 0; k < 101; k++) CHECK(value(&l[4].a, k) == scattered(k) + 2);
  for (int k = 0; k < 5; k++) forget(&l[k].a);
}

// Rows of a view, which is copied, and of complex values, which have no order.
static void check_sorted_rows(void) {
  cp_array_local l[4], lv;
  cp_array *a = filled(&l[0], CP_INT32, 2, four_by_six, from_zero), *v = slice(&lv, a, ":, ::-1");
  for (int k = 1; k < 4; k++) cp_array_local_init(&l[k]);
  CHECK(follows(v, 24, rows_down));
  CHECK(cp_sort(&ctx, v, false, NULL, &l[1].a) == CP_OK && follows(&l[1].a, 24, from_zero));
  CHECK(cp_sort(&ctx, slice(&lv, a, "1, 1"), false, NULL, &l[2].a) == CP_EUSAGE);
  cp_array *c = line(&l[3], CP_COMPLEX64, 3, from_one);
  CHECK(cp_sort(&ctx, c, false, NULL, &l[2].a) == CP_EUSAGE);
  for (int k = 0; k < 4; k++) forget(&l[k].a);
}

#define RUN(name) (check_##name(), check_nothing_left(#name))

int main(void) {
  if (!begin()) return 1;
  RUN(slices), RUN(items), RUN(elements), RUN(slice_writes);
  RUN(masks), RUN(row_masks);
  RUN(positions), RUN(apart), RUN(position_writes);
  RUN(promotion), RUN(broadcasting), RUN(numbers);
  RUN(reductions), RUN(reduced_axes), RUN(initial), RUN(equality), RUN(questions);
  RUN(sort), RUN(sorted_rows);
  return end("core");
}
