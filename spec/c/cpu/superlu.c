// Checks LU factors by SuperLU: that they multiply to the matrix, that a limit on memory at any of the
// library's requests is an error which leaves nothing behind, and what is refused. Without the library the
// program is skipped.
#include "cpu/libraries/superlu.h"
#include "check.h"

#include <math.h>
#include <string.h>

enum { SIDE = 9, N = SIDE * SIDE, MOST = 5 * N };

// A matrix of a grid's points and their neighbours, by columns, without symmetry.
typedef struct matrix {
  int32_t starts[N + 1], rows[MOST];
  double values[MOST];
} matrix;

static void add(matrix *m, int *count, int row, double value) {
  m->rows[*count] = row;
  m->values[(*count)++] = value;
}

static void make(matrix *m) {
  int count = 0;
  for (int c = 0; c < N; c++) {
    m->starts[c] = count;
    if (c >= SIDE) add(m, &count, c - SIDE, -1);
    if (c % SIDE > 0) add(m, &count, c - 1, -1.5);
    add(m, &count, c, 4 + 0.01 * c);
    if (c % SIDE < SIDE - 1) add(m, &count, c + 1, -0.5);
    if (c + SIDE < N) add(m, &count, c + SIDE, -1.25);
  }
  m->starts[N] = count;
}

typedef struct results {
  cp_sparse_factors f;
  int places;
} results;

static void *room(int64_t count, size_t size) {
  void *p = malloc((size_t)count * size + 1);
  REQUIRE(p != NULL);
  return p;
}

static cp_status place(void *data, const int64_t entries[2], cp_sparse_factors *out) {
  results *r = data;
  r->places++;
  r->f.row_places = room(N, sizeof(int32_t));
  r->f.column_places = room(N, sizeof(int32_t));
  for (int k = 0; k < 2; k++) {
    r->f.starts[k] = room(N + 1, sizeof(int32_t));
    r->f.rows[k] = room(entries[k], sizeof(int32_t));
    r->f.values[k] = room(entries[k], sizeof(double));
  }
  *out = r->f;
  return CP_OK;
}

static void forget(results *r) {
  free(r->f.row_places);
  free(r->f.column_places);
  for (int k = 0; k < 2; k++) {
    free(r->f.starts[k]);
    free(r->f.rows[k]);
    free(r->f.values[k]);
  }
  memset(r, 0, sizeof *r);
}

static cp_sparse_factor_job job_of(const matrix *m, results *r) {
  return (cp_sparse_factor_job){.m = {.rows = N,
                                      .columns = N,
                                      .entries = m->starts[N],
                                      .index = CP_INT32,
                                      .starts = m->starts,
                                      .columns_of = m->rows},
                                .dtype = CP_FLOAT64,
                                .values = m->values,
                                .order = CP_ORDER_COLAMD,
                                .threshold = -1,
                                .drop_tolerance = 1e-3,
                                .fill = 10,
                                .drop_rule = 9,
                                .place = place,
                                .data = r};
}

static cp_status factor(cp_context *ctx, const cp_sparse_factor_job *job, int64_t *singular) {
  return cp_cpu_sparse_factor(ctx, NULL, job, singular);
}

// A factor as a dense matrix.
static void expand(const cp_sparse_factors *f, int which, double *dense) {
  memset(dense, 0, N * N * sizeof *dense);
  for (int c = 0; c < N; c++)
    for (int k = f->starts[which][c]; k < f->starts[which][c + 1]; k++) {
      double *element = &dense[f->rows[which][k] * N + c];
      const double value = ((const double *)f->values[which])[k];
      CHECK(*element == 0 && (value != 0 || (which == 1 && f->rows[which][k] == c)));
      *element = value;
    }
}

static void check_product(const matrix *m, const cp_sparse_factors *f) {
  static double l[N * N], u[N * N], product[N * N];
  expand(f, 0, l);
  expand(f, 1, u);
  memset(product, 0, sizeof product);
  for (int i = 0; i < N; i++) {
    CHECK(l[i * N + i] == 1);
    for (int k = 0; k < N; k++) {
      CHECK(k <= i || l[i * N + k] == 0);
      CHECK(k >= i || u[i * N + k] == 0);
      for (int j = 0; j < N; j++) product[i * N + j] += l[i * N + k] * u[k * N + j];
    }
  }
  for (int c = 0; c < N; c++)
    for (int k = m->starts[c]; k < m->starts[c + 1]; k++)
      product[f->row_places[m->rows[k]] * N + f->column_places[c]] -= m->values[k];
  for (int k = 0; k < N * N; k++) CHECK(fabs(product[k]) < 1e-12);
}

static void check_factors(const matrix *m) {
  cp_context ctx = {0};
  results r = {0};
  int64_t singular = -1;
  for (int order = 0; order < CP_SPARSE_ORDERS; order++) {
    cp_sparse_factor_job job = job_of(m, &r);
    job.order = (cp_sparse_order)order;
    CHECK(factor(&ctx, &job, &singular) == CP_OK && singular == 0 && r.places == 1);
    check_product(m, &r.f);
    forget(&r);
  }
  CHECK(ctx.budget.held_bytes == 0);
}

// Lets every request for memory fail once.
static void check_limits(const matrix *m, bool incomplete) {
  cp_context ctx = {0};
  results r = {0};
  int64_t singular = -1;
  int failed = 0;
  cp_sparse_factor_job job = job_of(m, &r);
  job.incomplete = incomplete;
  for (size_t limit = 1; r.places == 0 && limit < (size_t)64 << 20; limit += limit / 16 + 1) {
    ctx.budget.limit = limit;
    const cp_status status = factor(&ctx, &job, &singular);
    CHECK(status == CP_EMEMORY || (status == CP_OK && r.places == 1));
    CHECK(ctx.budget.held_bytes == 0);
    failed += status == CP_EMEMORY;
  }
  CHECK(r.places == 1 && failed > 20);
  forget(&r);
}

static void check_singular(matrix *m) {
  cp_context ctx = {0};
  results r = {0};
  int64_t singular = 0;
  cp_sparse_factor_job job = job_of(m, &r);
  for (int k = m->starts[3]; k < m->starts[4]; k++) m->values[k] = 0; // by values
  for (int incomplete = 0; incomplete < 2; incomplete++) {
    job.incomplete = incomplete;
    CHECK(factor(&ctx, &job, &singular) == CP_OK && singular > 0 && r.places == 0);
  }
  job.incomplete = false;
  make(m);
  for (int c = 5; c <= N; c++) m->starts[c] = m->starts[4]; // by places
  job.m.entries = m->starts[N];
  CHECK(factor(&ctx, &job, &singular) == CP_OK && singular == 5 && r.places == 0);
  make(m);
}

static void check_refusals(matrix *m) {
  cp_context ctx = {0};
  results r = {0};
  int64_t singular = 0;
  cp_sparse_factor_job job = job_of(m, &r);
  m->values[7] = NAN;
  CHECK(factor(&ctx, &job, &singular) == CP_EUSAGE);
  make(m);
  m->rows[7] = N;
  CHECK(factor(&ctx, &job, &singular) == CP_EUSAGE);
  m->rows[7] = m->rows[6];
  CHECK(factor(&ctx, &job, &singular) == CP_EUSAGE);
  make(m);
  m->starts[4] = m->starts[6];
  CHECK(factor(&ctx, &job, &singular) == CP_EUSAGE);
  make(m);
  job.fill = 1e9;
  job.incomplete = true;
  CHECK(factor(&ctx, &job, &singular) == CP_EUSAGE && r.places == 0);
}

int main(void) {
  static matrix m;
  const cp_superlu *library;
  if (cp_superlu_open(&library) != CP_OK) {
    printf("superlu: %s\n", cp_error_text());
    return 77;
  }
  make(&m);
  check_factors(&m);
  check_limits(&m, false);
  check_limits(&m, true);
  check_singular(&m);
  check_refusals(&m);
  return verdict("superlu");
}
