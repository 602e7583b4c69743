// Simulates libcudss.so.1 on the GPUs of driver.c: dense factors without exchanges of rows. It does not solve
// with the transpose of two rows, nor several right sides at once, and of three rows it factors none.
// DRIVER_CUDSS=N: the N-th analysis finds no memory, from 1. Objects that are not given back end the process
// with an error.
#include "cuda/libraries/api_cudss.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { SUCCESS = CPCU_CUDSS_STATUS_SUCCESS, INVALID = 3 };

typedef double complex number;

struct cpcu_cudss_handle {
  cpcu_stream stream;
};
struct cpcu_cudss_config_fields {
  int mode;
};
struct cpcu_cudss_data_fields {
  int n, pivots, type;
  number *lu;
};
struct cpcu_cudss_matrix_fields {
  int64_t rows, columns;
  const int *starts, *columns_of; // NULL: dense
  char *values;
  int type;
};

static int living; // objects

static void report(void) {
  if (living == 0) return;
  fprintf(stderr, "the simulated cuDSS: %d objects are left\n", living);
  _Exit(9);
}

static void *make(size_t bytes) {
  static int registered;
  if (!registered) registered = !atexit(report);
  living++;
  return calloc(1, bytes);
}

static cpcu_cudss_status end(void *object) {
  living--;
  free(object);
  return SUCCESS;
}

static void wait_for(cpcu_stream stream) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  cpcu_result (*wait)(cpcu_stream) = (cpcu_result(*)(cpcu_stream))dlsym(driver, "cuStreamSynchronize");
  if (wait(stream) != CPCU_SUCCESS) {
    fprintf(stderr, "the simulated cuDSS: a stream of another context\n");
    _Exit(9);
  }
}

// ---- elements ----

static number read_at(const char *p, int type, int64_t k) {
  switch (type) {
  case CPCU_R_32F: return ((const float *)p)[k];
  case CPCU_R_64F: return ((const double *)p)[k];
  case CPCU_C_32F: return ((const float complex *)p)[k];
  default: return ((const double complex *)p)[k];
  }
}

static void write_at(char *p, int type, int64_t k, number v) {
  switch (type) {
  case CPCU_R_32F: ((float *)p)[k] = (float)creal(v); break;
  case CPCU_R_64F: ((double *)p)[k] = creal(v); break;
  case CPCU_C_32F: ((float complex *)p)[k] = (float complex)v; break;
  default: ((double complex *)p)[k] = v;
  }
}

// ---- factors ----

static void fill(number *lu, int n, const struct cpcu_cudss_matrix_fields *a) {
  memset(lu, 0, (size_t)n * (size_t)n * sizeof *lu);
  for (int r = 0; r < n; r++)
    for (int k = a->starts[r]; k < a->starts[r + 1]; k++)
      lu[r * n + a->columns_of[k]] = read_at(a->values, a->type, k);
}

static void factor(cpcu_cudss_data d) {
  const int n = d->n;
  d->pivots = 0;
  for (int k = 0; k < n; k++) {
    if (cabs(d->lu[k * n + k]) < 1e-13) d->pivots++, d->lu[k * n + k] = 1e-13;
    for (int r = k + 1; r < n; r++) {
      const number f = d->lu[r * n + k] /= d->lu[k * n + k];
      for (int c = k + 1; c < n; c++) d->lu[r * n + c] -= f * d->lu[k * n + c];
    }
  }
}

// Element (r, c) of the matrix that solves: of L U, or of its transpose U' L'.
static number at(const struct cpcu_cudss_data_fields *d, int mode, int r, int c) {
  const number v = mode == 0 ? d->lu[r * d->n + c] : d->lu[c * d->n + r];
  return mode == 2 ? conj(v) : v;
}

static void solve(const struct cpcu_cudss_data_fields *d, int mode, number *x) {
  const int n = d->n;
  for (int r = 0; r < n; r++) {
    for (int c = 0; c < r; c++) x[r] -= at(d, mode, r, c) * x[c];
    if (mode != 0) x[r] /= at(d, mode, r, r);
  }
  for (int r = n - 1; r >= 0; r--) {
    for (int c = r + 1; c < n; c++) x[r] -= at(d, mode, r, c) * x[c];
    if (mode == 0) x[r] /= at(d, mode, r, r);
  }
}

static cpcu_cudss_status analyse(cpcu_cudss_data d, const struct cpcu_cudss_matrix_fields *a) {
  static int requests;
  const char *fails = getenv("DRIVER_CUDSS");
  if (fails != NULL && atoi(fails) == ++requests) return CPCU_CUDSS_STATUS_ALLOC_FAILED;
  d->n = (int)a->rows;
  d->lu = malloc((size_t)d->n * (size_t)d->n * sizeof(number));
  return SUCCESS;
}

EXPORT cpcu_cudss_status cudssExecute(cpcu_cudss h, int phase, cpcu_cudss_config config, cpcu_cudss_data d,
                                      cpcu_cudss_matrix a, cpcu_cudss_matrix x, cpcu_cudss_matrix b) {
  wait_for(h->stream);
  if (phase == CPCU_CUDSS_PHASE_REORDERING) return analyse(d, a);
  if (phase == CPCU_CUDSS_PHASE_SYMBOLIC_FACTORIZATION) return SUCCESS;
  if (phase == CPCU_CUDSS_PHASE_FACTORIZATION) {
    if (d->n == 3) return INVALID;
    fill(d->lu, d->n, a);
    factor(d);
    return SUCCESS;
  }
  if (phase != CPCU_CUDSS_PHASE_SOLVE || x->values == NULL) return INVALID;
  if (config->mode == CPCU_CUDSS_SOLVE_MODE_TRANSPOSE && d->n == 2) return CPCU_CUDSS_STATUS_NOT_SUPPORTED;
  if (b->columns != 1 || (config->mode == CPCU_CUDSS_SOLVE_MODE_CONJUGATE_TRANSPOSE && a->type < CPCU_C_32F))
    return CPCU_CUDSS_STATUS_NOT_SUPPORTED;
  number *v = malloc((size_t)d->n * sizeof *v);
  for (int r = 0; r < d->n; r++) v[r] = read_at(b->values, b->type, r);
  solve(d, config->mode, v);
  for (int r = 0; r < d->n; r++) write_at(x->values, x->type, r, v[r]);
  free(v);
  return SUCCESS;
}

// ---- objects ----

EXPORT cpcu_cudss_status cudssCreate(cpcu_cudss *h) { return *h = make(sizeof **h), SUCCESS; }
EXPORT cpcu_cudss_status cudssDestroy(cpcu_cudss h) { return end(h); }
EXPORT cpcu_cudss_status cudssSetStream(cpcu_cudss h, cpcu_stream s) { return h->stream = s, SUCCESS; }
EXPORT cpcu_cudss_status cudssSetJitCacheDir(cpcu_cudss h, const char *folder) {
  return h == NULL || folder == NULL ? INVALID : SUCCESS;
}
EXPORT cpcu_cudss_status cudssConfigCreate(cpcu_cudss_config *c) { return *c = make(sizeof **c), SUCCESS; }
EXPORT cpcu_cudss_status cudssConfigDestroy(cpcu_cudss_config c) { return end(c); }
EXPORT cpcu_cudss_status cudssConfigSet(cpcu_cudss_config c, int which, const void *value, size_t bytes) {
  if (bytes != sizeof(int)) return INVALID;
  if (which == CPCU_CUDSS_CONFIG_SOLVE_MODE) memcpy(&c->mode, value, sizeof c->mode);
  return SUCCESS;
}
EXPORT cpcu_cudss_status cudssDataCreate(cpcu_cudss h, cpcu_cudss_data *d) {
  return *d = make(sizeof **d), h == NULL ? INVALID : SUCCESS;
}
EXPORT cpcu_cudss_status cudssDataDestroy(cpcu_cudss h, cpcu_cudss_data d) {
  free(d->lu);
  return h == NULL ? INVALID : end(d);
}
EXPORT cpcu_cudss_status cudssDataGet(cpcu_cudss h, cpcu_cudss_data d, int which, void *value, size_t bytes,
                                      size_t *written) {
  const int v = which == CPCU_CUDSS_DATA_NPIVOTS ? d->pivots : 0;
  if (h == NULL || bytes != sizeof v) return INVALID;
  memcpy(value, &v, sizeof v);
  return *written = sizeof v, SUCCESS;
}
EXPORT cpcu_cudss_status cudssMatrixCreateDn(cpcu_cudss_matrix *m, int64_t rows, int64_t columns, int64_t ld,
                                             const void *values, cpcu_data_type type, int layout) {
  if (ld != rows || layout != CPCU_CUDSS_LAYOUT_COL_MAJOR) return INVALID;
  *m = make(sizeof **m);
  **m = (struct cpcu_cudss_matrix_fields){
      .rows = rows, .columns = columns, .values = (char *)(uintptr_t)values, .type = type};
  return SUCCESS;
}
EXPORT cpcu_cudss_status cudssMatrixCreateCsr(cpcu_cudss_matrix *m, int64_t rows, int64_t columns,
                                              int64_t entries, const void *starts, const void *ends,
                                              const void *columns_of, const void *values,
                                              cpcu_data_type starts_type, cpcu_data_type columns_type,
                                              cpcu_data_type type, int kind, int view, int base) {
  if (ends != NULL || starts_type != CPCU_R_32I || columns_type != CPCU_R_32I || kind != 0 || view != 0 ||
      base != 0 || entries < 0)
    return INVALID;
  *m = make(sizeof **m);
  **m = (struct cpcu_cudss_matrix_fields){.rows = rows,
                                          .columns = columns,
                                          .starts = starts,
                                          .columns_of = columns_of,
                                          .values = (char *)(uintptr_t)values,
                                          .type = type};
  return SUCCESS;
}
EXPORT cpcu_cudss_status cudssMatrixDestroy(cpcu_cudss_matrix m) { return end(m); }
