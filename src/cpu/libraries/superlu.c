// LU factors by SuperLU (routines/sparse.h). The library trusts its arguments, computes sizes of memory in
// int and gives no warning of a column without a pivot. So everything that it relies on is checked before:
// places, values, sizes, and that the places allow a pivot in each column.
#include "cpu/libraries/superlu.h"
#include "cpu/libraries/lapack.h"
#include "device/interrupt.h"
#include "routines/sparse.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct factoring {
  cp_context *ctx;
  const cp_superlu *library;
  const cp_sparse_factor_job *job;
  int n, relax, panel, info;
  int *column_places, *row_places, *tree;
  cp_slu_options options;
  cp_slu_matrix a, ordered, l, u;
  cp_slu_columns store;
  cp_slu_hidden memory, counts;
} factoring;

// ---- checks -----------------------------------------------------------------------------------------------

static cp_status check_places(const cp_sparse_layout *m) {
  const int32_t *starts = m->starts, *rows = m->columns_of;
  bool right = starts[0] == 0 && starts[m->rows] == m->entries;
  for (int64_t c = 0; c < m->rows && right; c++) {
    right = starts[c] <= starts[c + 1] && starts[c + 1] <= m->entries;
    for (int64_t k = starts[c]; right && k < starts[c + 1]; k++)
      right = rows[k] >= 0 && rows[k] < m->rows && (k == starts[c] || rows[k] > rows[k - 1]);
  }
  return right ? CP_OK : cp_fail(CP_EUSAGE, "the columns' rows must ascend and be in range");
}

static cp_status check_values(const cp_sparse_factor_job *j) {
  const int64_t count = j->m.entries * (cp_is_complex(j->dtype) ? 2 : 1);
  const bool single = cp_lapack_index(j->dtype) % 2 == 0;
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(single ? (double)((const float *)j->values)[k] : ((const double *)j->values)[k]))
      return cp_fail(CP_EUSAGE, "A has elements that are infinite or NaN");
  return CP_OK;
}

static double squares_of_rows(const cp_sparse_layout *m, int32_t *lengths) {
  const int32_t *rows = m->columns_of;
  double sum = 0;
  for (int64_t k = 0; k < m->entries; k++) lengths[rows[k]]++;
  for (int64_t r = 0; r < m->rows; r++) sum += (double)lengths[r] * lengths[r];
  return sum;
}

// The structure of A' A, whose size is bounded by the squares of the rows' lengths.
static cp_status check_order(const cp_sparse_factor_job *j) {
  if (j->order != CP_ORDER_MMD_ATA) return CP_OK;
  int32_t *lengths = calloc((size_t)j->m.rows, sizeof *lengths);
  if (lengths == NULL) return cp_no_memory("ordering columns");
  const double sum = squares_of_rows(&j->m, lengths);
  free(lengths);
  return sum < INT_MAX ? CP_OK : cp_fail(CP_EUSAGE, "A has rows too long for MMD_ATA: use COLAMD");
}

// Chooses block sizes with which the library's sizes in bytes fit its ints.
static cp_status choose_blocks(factoring *f) {
  enum { RELAX = 2, PANEL = 1, LARGEST = 3, ROWS = 4, FILL = 6, LARGEST_RELAXED = 7 };
  int (*const parameter)(int) = f->library->parameter;
  const cp_sparse_factor_job *j = f->job;
  const int own_panel = parameter(PANEL), own_relax = parameter(RELAX), rows = parameter(ROWS);
  const int relaxed = parameter(LARGEST_RELAXED), largest = parameter(LARGEST);
  const int block = relaxed > largest ? relaxed : largest;
  const double n = f->n, bytes = (double)cp_itemsize(j->dtype);
  f->panel = j->panel > 0 && j->panel < own_panel ? j->panel : own_panel;
  f->relax = j->relax > 0 && j->relax < own_relax ? j->relax : own_relax;
  for (; f->panel > 0; f->panel /= 2) {
    const double integers = ((2.0 * f->panel + 6) * n + n) * sizeof(int);
    const double values = (n * f->panel + fmax(n, (double)(block + rows) * f->panel)) * bytes;
    if (integers < INT_MAX && values < INT_MAX) break;
  }
  const double fill = j->incomplete ? f->options.fill : parameter(FILL);
  const bool fits = f->panel > 0 && 2 * fmax(fill, 2) * (double)j->m.entries < INT_MAX;
  return fits ? CP_OK : cp_fail(CP_EUSAGE, "A is too large for SuperLU, whose positions have 32 bits");
}

// ---- the factors ------------------------------------------------------------------------------------------

// All bits but signs: a value has one of them unless it is 0 or -0.
static uint64_t bits_of(cp_dtype t) {
  return t == CP_FLOAT32 || t == CP_COMPLEX64 ? 0x7fffffff7fffffff : 0x7fffffffffffffff;
}

// Copies a value of 4, 8 or 16 bytes, and says whether it has one of these bits.
static inline __attribute__((always_inline)) bool move_value(void *to, const char *value, size_t bytes,
                                                             uint64_t bits) {
  uint64_t words[2] = {0};
  switch (bytes) { // constant sizes are single instructions
  case 4:
    memcpy(words, value, 4);
    memcpy(to, words, 4);
    break;
  case 8:
    memcpy(words, value, 8);
    memcpy(to, words, 8);
    break;
  default:
    memcpy(words, value, 16);
    memcpy(to, words, 16);
    break;
  }
  return ((words[0] | words[1]) & bits) != 0;
}

// Entries of one column that lie one after the other. Those that are 0 only fill a block.
typedef struct piece {
  const int *rows;
  const char *values;
  int count;
} piece;

// A column of the factors. A block begins with the rows of its own columns, so its upper triangle is known
// without looking at rows.
typedef struct column {
  piece above, upper, lower; // U's own, U's in the block that end with the diagonal, and L's
} column;

static column column_of(const factoring *f, int c, size_t bytes) {
  const cp_slu_blocks *l = f->l.store;
  const cp_slu_columns *u = f->u.store;
  const int first = l->first_column[l->block_of[c]], begin = u->starts[c];
  const int *rows = l->rows + l->row_starts[first];
  const int count = l->row_starts[first + 1] - l->row_starts[first], upper = c - first + 1;
  const char *block = (const char *)l->values + (size_t)l->value_starts[c] * bytes;
  return (column){
      .above = {u->rows + begin, (const char *)u->values + (size_t)begin * bytes, u->starts[c + 1] - begin},
      .upper = {rows, block, upper},
      .lower = {rows + upper, block + (size_t)upper * bytes, count - upper}};
}

static inline __attribute__((always_inline)) int32_t count_entries(const char *values, int count,
                                                                   const size_t bytes, const uint64_t bits) {
  int32_t kept = 0;
  char unused[16];
  for (int k = 0; k < count; k++) kept += move_value(unused, values + (size_t)k * bytes, bytes, bits);
  return kept;
}

// Sets where the columns of L and U start. The diagonal of L is ones, and not stored by the library; that of
// U is always stored.
static inline __attribute__((always_inline)) cp_status
count_sized(const factoring *f, int32_t *const starts[2], const size_t bytes) {
  const uint64_t bits = bits_of(f->job->dtype);
  starts[0][0] = starts[1][0] = 0;
  for (int c = 0; c < f->n; c++) {
    const column x = column_of(f, c, bytes);
    if (c % 1024 == 0) CP_TRY(cp_poll(f->ctx));
    starts[0][c + 1] = starts[0][c] + 1 + count_entries(x.lower.values, x.lower.count, bytes, bits);
    starts[1][c + 1] = starts[1][c] + count_entries(x.above.values, x.above.count, bytes, bits) +
                       count_entries(x.upper.values, x.upper.count - 1, bytes, bits) + 1;
  }
  return CP_OK;
}

// Writes the entries of a piece from `at` on, up to `end`. Which are 0 follows no pattern, so all are
// written, each over the one before it if that is not kept.
static inline __attribute__((always_inline)) int32_t write_entries(int32_t *rows, char *values, int32_t at,
                                                                   int32_t end, piece p, const size_t bytes,
                                                                   const uint64_t bits) {
  for (int k = 0; k < p.count && at < end; k++) {
    rows[at] = p.rows[k];
    at += move_value(values + (size_t)at * bytes, p.values + (size_t)k * bytes, bytes, bits);
  }
  return at;
}

static inline __attribute__((always_inline)) cp_status
write_sized(const factoring *f, const cp_sparse_factors *out, const char *one, const size_t bytes) {
  const uint64_t bits = bits_of(f->job->dtype);
  int32_t *const l_rows = out->rows[0], *const u_rows = out->rows[1];
  char *const l_values = out->values[0], *const u_values = out->values[1];
  for (int c = 0; c < f->n; c++) {
    column x = column_of(f, c, bytes);
    int32_t at = out->starts[0][c], end = out->starts[1][c + 1] - 1;
    if (c % 1024 == 0) CP_TRY(cp_poll(f->ctx));
    l_rows[at] = c;
    move_value(l_values + (size_t)at * bytes, one, bytes, bits);
    write_entries(l_rows, l_values, at + 1, out->starts[0][c + 1], x.lower, bytes, bits);
    at = write_entries(u_rows, u_values, out->starts[1][c], end, x.above, bytes, bits);
    write_entries(u_rows, u_values, at, end, x.upper, bytes, bits);
    u_rows[end] = c;
    move_value(u_values + (size_t)end * bytes, x.upper.values + (size_t)(x.upper.count - 1) * bytes, bytes,
               bits);
  }
  return CP_OK;
}

static cp_status count(const factoring *f, int32_t *const starts[2]) {
  switch (cp_itemsize(f->job->dtype)) { // known sizes make values single instructions
  case 4: return count_sized(f, starts, 4);
  case 8: return count_sized(f, starts, 8);
  default: return count_sized(f, starts, 16);
  }
}

static cp_status write(const factoring *f, const cp_sparse_factors *out, const char *one) {
  switch (cp_itemsize(f->job->dtype)) {
  case 4: return write_sized(f, out, one, 4);
  case 8: return write_sized(f, out, one, 8);
  default: return write_sized(f, out, one, 16);
  }
}

static void make_one(char *one, cp_dtype t) {
  const float single = 1;
  const double wide = 1;
  if (cp_lapack_index(t) % 2 == 0)
    memcpy(one, &single, sizeof single);
  else
    memcpy(one, &wide, sizeof wide);
}

static cp_status hand_over(const factoring *f, cp_superlu_call *call) {
  const size_t n = (size_t)f->n;
  cp_sparse_factors out;
  int32_t *starts[2];
  char one[16] = {0};
  make_one(one, f->job->dtype);
  for (int which = 0; which < 2; which++) {
    starts[which] = cp_superlu_allocate(call, (n + 1) * sizeof(int32_t));
    if (starts[which] == NULL) return cp_no_memory("reading the factors");
  }
  CP_TRY(count(f, starts));
  const int64_t counts[2] = {starts[0][n], starts[1][n]};
  CP_TRY(f->job->place(f->job->data, counts, &out));
  memcpy(out.row_places, f->row_places, n * sizeof(int32_t));
  memcpy(out.column_places, f->column_places, n * sizeof(int32_t));
  for (int which = 0; which < 2; which++) memcpy(out.starts[which], starts[which], (n + 1) * sizeof(int32_t));
  return write(f, &out, one);
}

// ---- factoring --------------------------------------------------------------------------------------------

static void set_options(factoring *f) {
  const cp_sparse_factor_job *j = f->job;
  cp_slu_options *o = &f->options;
  (j->incomplete ? f->library->incomplete_defaults : f->library->defaults)(o);
  o->order = (int)j->order;
  o->symmetric = j->symmetric;
  if (j->threshold >= 0) o->threshold = j->threshold;
  if (!j->incomplete) return;
  o->drop_tolerance = j->drop_tolerance;
  o->fill = j->fill;
  o->drop_rule = j->drop_rule;
}

static void describe(factoring *f) {
  const cp_sparse_factor_job *j = f->job;
  f->store = (cp_slu_columns){.entries = (int)j->m.entries,
                              .values = (void *)(uintptr_t)j->values,
                              .rows = (int *)(uintptr_t)j->m.columns_of,
                              .starts = (int *)(uintptr_t)j->m.starts};
  f->a = (cp_slu_matrix){.store_type = CP_SLU_BY_COLUMNS,
                         .dtype = cp_lapack_index(j->dtype),
                         .kind = CP_SLU_GENERAL,
                         .rows = f->n,
                         .columns = f->n,
                         .store = &f->store};
}

// Orders the columns. The library's code for minimum degrees keeps static variables.
static bool order_columns(factoring *f, cp_superlu_call *call) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  volatile bool done = false;
  pthread_mutex_lock(&lock);
  if (setjmp(call->leave) == 0) {
    f->library->order(f->options.order, &f->a, f->column_places);
    done = true;
  }
  pthread_mutex_unlock(&lock);
  return done;
}

static bool factor_columns(factoring *f, cp_superlu_call *call) {
  const int type = cp_lapack_index(f->job->dtype);
  if (setjmp(call->leave) != 0) return false;
  f->library->begin_counts(&f->counts);
  f->library->preorder(&f->options, &f->a, f->column_places, f->tree, &f->ordered);
  (f->job->incomplete ? f->library->incomplete : f->library->factor)[type](
      &f->options, &f->ordered, f->relax, f->panel, f->tree, NULL, 0, f->column_places, f->row_places, &f->l,
      &f->u, &f->memory, &f->counts, &f->info);
  return true;
}

// The status of a stretch of calls that did not reach its end.
static cp_status failure_of(const factoring *f, const cp_superlu_call *call, int64_t *singular) {
  if (call->interrupted) return CP_EINTERRUPTED; // whose error cp_poll has recorded
  if (call->out_of_memory || f->info > f->n) return cp_no_memory("factoring a sparse array");
  if (f->info < 0) return cp_fail(CP_EUSAGE, "SuperLU refuses its argument %d", -f->info);
  *singular = f->info > 0 ? f->info : f->n; // an incomplete factorisation does not say where it ended
  return CP_OK;
}

static cp_status factor(factoring *f, cp_superlu_call *call, int64_t *singular) {
  const size_t bytes = (size_t)f->n * sizeof(int);
  f->column_places = cp_superlu_allocate(call, bytes);
  f->row_places = cp_superlu_allocate(call, bytes);
  f->tree = cp_superlu_allocate(call, bytes);
  if (f->column_places == NULL || f->row_places == NULL || f->tree == NULL)
    return cp_no_memory("factoring a sparse array");
  describe(f);
  const bool done = order_columns(f, call) && factor_columns(f, call);
  cp_superlu_suspend();
  return done && f->info == 0 ? hand_over(f, call) : failure_of(f, call, singular);
}

cp_status cp_cpu_sparse_factor(cp_context *ctx, cp_stream *s, const cp_sparse_factor_job *job,
                               int64_t *singular) {
  cp_superlu_call call;
  factoring f = {.ctx = ctx, .job = job, .n = (int)job->m.rows};
  *singular = 0;
  ctx->counters.launches++;
  CP_TRY(cp_superlu_open(&f.library));
  set_options(&f);
  CP_TRY(check_places(&job->m));
  CP_TRY(check_values(job));
  CP_TRY(choose_blocks(&f));
  CP_TRY(check_order(job));
  CP_TRY(cp_sparse_match(ctx, f.n, job->m.starts, job->m.columns_of, singular));
  if (*singular != 0) return CP_OK;
  // SuperLU calls BLAS for small blocks, which several threads make slower.
  const cp_lapack *blas;
  const bool has_blas = cp_lapack_open(&blas) == CP_OK;
  const int before = has_blas ? cp_lapack_enter(1) : 0;
  cp_superlu_enter(&call, ctx, s);
  // Which entries incomplete factors keep depends on roundings, so they get those of BLAS, as everywhere
  // else.
  call.own_loops = !job->incomplete;
  cp_status status = factor(&f, &call, singular);
  cp_superlu_leave(&call);
  if (has_blas) cp_lapack_leave(before);
  return status;
}
