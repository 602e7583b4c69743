// Products of sparse matrices with vectors and dense matrices, and triangular systems, on the CPU. A row's
// products with a vector are summed in several interleaved sums, which overlap in time.
#include "cpu/routines/sparse/sparse.h"

#include <string.h>

enum { PIECE = 4096 }; // rows of a triangular system between two checks for an interrupt

// ---- arithmetic of each dtype -----------------------------------------------------------------------------

// Smith's algorithm: the parts of the divisor with the larger magnitude come first.
#define DIVIDE(T, R)                                                                                         \
  static T divide_##T(T a, T b) {                                                                            \
    R x = b.re < 0 ? -b.re : b.re, y = b.im < 0 ? -b.im : b.im;                                              \
    if (x == 0 && y == 0) return (T){a.re / x, a.im / x};                                                    \
    if (!(x >= y)) {                                                                                         \
      a = (T){a.im, -a.re};                                                                                  \
      b = (T){b.im, -b.re};                                                                                  \
    }                                                                                                        \
    R ratio = b.im / b.re, d = b.re + b.im * ratio;                                                          \
    return (T){(a.re + a.im * ratio) / d, (a.im + -a.re * ratio) / d};                                       \
  }
DIVIDE(cp_complex64, float)
DIVIDE(cp_complex128, double)

// ---- products ---------------------------------------------------------------------------------------------

typedef void multiply_rows(const cp_sparse_product_job *j, int64_t first, int64_t end);

// Columns of a row of the result that are summed at a time: 64 bytes of them, which are kept in registers.
#define WIDE(T)       ((int64_t)(64 / sizeof(T)))

// Keeps compilers from making vectors of elements that are gathered one by one, which takes half as long
// again.
#define ONE_BY_ONE(k) __asm__("" : "+r"(k))

// Where x is read: to keep a position within it costs a tenth to a fifth of the time.
#define PLACE(I, v)   (within ? (int64_t)(v) : cp_sparse_place_##I(v, last))

// 16 bytes of x, at the positions `at`. As a list they take half as many instructions as if they were written
// into a vector one by one.
#define GATHER_2(x, I, at)                                                                                   \
  { x[PLACE(I, (at)[0])], x[PLACE(I, (at)[1])] }
#define GATHER_4(x, I, at)                                                                                   \
  { x[PLACE(I, (at)[0])], x[PLACE(I, (at)[1])], x[PLACE(I, (at)[2])], x[PLACE(I, (at)[3])] }
#define GATHER_uint32_t GATHER_4
#define GATHER_float    GATHER_4
#define GATHER_uint64_t GATHER_2
#define GATHER_double   GATHER_2

// 16 bytes that begin at counting + 16 - n mask the first n bytes of 16.
static const int8_t counting[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

// dot_NAME: the sum of the products of entries k to `to` - 1 with elements of x. Of real elements 16 bytes
// are multiplied at a time, of complex ones one in two sums each. What is left behind the last 16 bytes is
// either added one by one or, if it is `masked`, at once, which needs as many entries in memory, but no
// branches that are mispredicted where rows have various lengths. Both give the same bits.
#define DOT(name, I, T)                                                                                      \
  static inline __attribute__((always_inline))                                                               \
  T dot_##name(const T *values, const I *at, const T *x, int64_t k, int64_t to, int64_t last,                \
               const bool within, const bool masked)
#define REAL_DOT(name, I, T)                                                                                 \
  typedef T lanes_##name __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));                    \
  static inline __attribute__((always_inline)) lanes_##name products_##name(                                 \
      const T *values, const I *at, const T *x, int64_t k, int64_t last, const bool within) {                \
    const lanes_##name from = GATHER_##T(x, I, at + k);                                                      \
    return *(const lanes_##name *)(const void *)(values + k) * from;                                         \
  }                                                                                                          \
  /* The same of n entries, which is known when this is compiled. */                                         \
  static inline __attribute__((always_inline))                                                               \
  T short_##name(const T *values, const I *at, const T *x, const int64_t n) {                                \
    enum { LANES = 16 / sizeof(T) };                                                                         \
    T sum = 0;                                                                                               \
    int64_t k = 0;                                                                                           \
    if (n >= 2 * LANES) { /* with fewer entries the order is that of the entries */                          \
      lanes_##name sums = products_##name(values, at, x, 0, 0, true);                                        \
      for (k = LANES; k + LANES <= n; k += LANES) sums += products_##name(values, at, x, k, 0, true);        \
      for (int i = 0; i < LANES; i++) sum += sums[i];                                                        \
    }                                                                                                        \
    for (; k < n; k++) sum += values[k] * x[at[k]];                                                          \
    return sum;                                                                                              \
  }                                                                                                          \
  DOT(name, I, T) {                                                                                          \
    enum { LANES = 16 / sizeof(T) };                                                                         \
    T sum = 0;                                                                                               \
    if (k + LANES <= to) {                                                                                   \
      lanes_##name sums = {0};                                                                               \
      for (; k + LANES <= to; k += LANES) sums += products_##name(values, at, x, k, last, within);           \
      for (int i = 0; i < LANES; i++) sum += sums[i];                                                        \
    }                                                                                                        \
    if (masked) {                                                                                            \
      lanes_##name rest = products_##name(values, at, x, k, last, within);                                   \
      __typeof__(rest == rest) counts;                                                                       \
      memcpy(&counts, counting + 16 - ((size_t)(to - k) % LANES) * sizeof(T), 16);                           \
      rest = (lanes_##name)((__typeof__(counts))rest & counts);                                              \
      for (int i = 0; i < LANES - 1; i++) sum += rest[i];                                                    \
      return sum;                                                                                            \
    }                                                                                                        \
    for (; k < to; k++) {                                                                                    \
      ONE_BY_ONE(k);                                                                                         \
      sum += values[k] * x[PLACE(I, at[k])];                                                                 \
    }                                                                                                        \
    return sum;                                                                                              \
  }
#define PARTS_DOT(name, I, T)                                                                                \
  DOT(name, I, T) {                                                                                          \
    (void)masked;                                                                                            \
    T a = {0}, b = {0};                                                                                      \
    for (; k + 1 < to; k += 2) {                                                                             \
      ONE_BY_ONE(k);                                                                                         \
      CP_SPARSE_PARTS_STEP(a, values[k], x[PLACE(I, at[k])]);                                                \
      CP_SPARSE_PARTS_STEP(b, values[k + 1], x[PLACE(I, at[k + 1])]);                                        \
    }                                                                                                        \
    if (k < to) CP_SPARSE_PARTS_STEP(a, values[k], x[PLACE(I, at[k])]);                                      \
    CP_SPARSE_PARTS_SUM(a, b);                                                                               \
    return a;                                                                                                \
  }                                                                                                          \
  static inline __attribute__((always_inline))                                                               \
  T short_##name(const T *values, const I *at, const T *x, const int64_t n) {                                \
    return dot_##name(values, at, x, 0, n, 0, true, false);                                                  \
  }

// Whether many rows differ in length.
static bool uneven(const cp_sparse_product_job *j) {
  const int64_t average = j->m.entries / j->m.rows + 1;
  return j->longest > average + average / 2;
}

#define EACH(ID, T, HOW) HOW##_DOT(ID##_narrow, int32_t, T) HOW##_DOT(ID##_wide, int64_t, T)
CP_SPARSE_TYPES(EACH)
#undef EACH

// Rows of so few entries are added up without a loop, as many as follow one another with as many entries:
// what the loop would count and test is known.
enum { SHORT = 9 };
#define SHORT_ROWS(DO, name)                                                                                 \
  DO(1, name) DO(2, name) DO(3, name) DO(4, name) DO(5, name) DO(6, name) DO(7, name) DO(8, name) DO(9, name)
#define RUN(n, name)                                                                                         \
  case n:                                                                                                    \
    do {                                                                                                     \
      const __typeof__(*out) sum = short_##name(values + k, at + k, x, n);                                   \
      out[r] = scaled ? stored_##name(j, sum, r) : sum;                                                      \
      k += n;                                                                                                \
      r++;                                                                                                   \
    } while (r < end && starts[r + 1] - k == n);                                                             \
    break;

#define TIMES(name, I, T, STEP, SUM, FIRST)                                                                  \
  /* What is stored as element k of the result, whose sum this is. */                                        \
  static inline T stored_##name(const cp_sparse_product_job *j, T sum, int64_t k) {                          \
    T result, alpha, beta;                                                                                   \
    if (!j->scaled) return sum;                                                                              \
    memcpy(&alpha, j->alpha, sizeof alpha);                                                                  \
    if (j->factors != NULL) alpha = ((const T *)j->factors)[k];                                              \
    memcpy(&beta, j->beta, sizeof beta);                                                                     \
    FIRST(result, alpha, sum);                                                                               \
    if (j->add != NULL) STEP(result, beta, ((const T *)j->add)[k]);                                          \
    return result;                                                                                           \
  }                                                                                                          \
  static inline __attribute__((always_inline)) void vectors_##name(                                          \
      const cp_sparse_product_job *j, int64_t first, int64_t end, const bool within, const bool masked) {    \
    const cp_sparse_layout m = j->m; /* what is read through j might be in out */                            \
    const I *starts = m.starts, *at = m.columns_of;                                                          \
    const T *values = j->values, *x = j->x;                                                                  \
    T *out = j->out;                                                                                         \
    const bool scaled = j->scaled;                                                                           \
    const int64_t last = m.columns - 1, room = m.entries - (int64_t)(16 / sizeof(T));                        \
    int64_t k = CP_SPARSE_FIRST(&m, starts, first);                                                          \
    for (int64_t r = first; r < end; r++) {                                                                  \
      const int64_t to = within ? (int64_t)starts[r + 1] : CP_SPARSE_FIRST(&m, starts, r + 1);               \
      const T sum = masked && to <= room ? dot_##name(values, at, x, k, to, last, within, true)              \
                                         : dot_##name(values, at, x, k, to, last, within, false);            \
      out[r] = scaled ? stored_##name(j, sum, r) : sum;                                                      \
      k = to;                                                                                                \
    }                                                                                                        \
  }                                                                                                          \
  static void even_##name(const cp_sparse_product_job *j, int64_t first, int64_t end) {                      \
    const cp_sparse_layout m = j->m;                                                                         \
    const I *starts = m.starts, *at = m.columns_of;                                                          \
    const T *values = j->values, *x = j->x;                                                                  \
    T *out = j->out;                                                                                         \
    const bool scaled = j->scaled;                                                                           \
    int64_t k = starts[first];                                                                               \
    for (int64_t r = first; r < end;) {                                                                      \
      int64_t to = starts[r + 1];                                                                            \
      switch (to - k) {                                                                                      \
        SHORT_ROWS(RUN, name)                                                                                \
      default:                                                                                               \
        do {                                                                                                 \
          const T sum = dot_##name(values, at, x, k, to, 0, true, false);                                    \
          out[r] = scaled ? stored_##name(j, sum, r) : sum;                                                  \
          k = to;                                                                                            \
          to = ++r < end ? starts[r + 1] : k;                                                                \
        } while (to - k > SHORT);                                                                            \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  static void vector_##name(const cp_sparse_product_job *j, int64_t first, int64_t end) {                    \
    if (!j->within)                                                                                          \
      vectors_##name(j, first, end, false, false);                                                           \
    else if (uneven(j))                                                                                      \
      vectors_##name(j, first, end, true, true);                                                             \
    else                                                                                                     \
      even_##name(j, first, end);                                                                            \
  }                                                                                                          \
  static void sum_##name(const cp_sparse_product_job *j, int64_t first, int64_t end) {                       \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts;                                                                             \
    const T *values = j->values;                                                                             \
    T *out = j->out;                                                                                         \
    for (int64_t r = first; r < end; r++) {                                                                  \
      T a = {0};                                                                                             \
      int64_t k = CP_SPARSE_FIRST(m, starts, r), to = CP_SPARSE_FIRST(m, starts, r + 1);                     \
      for (; k < to; k++) SUM(a, values[k]);                                                                 \
      out[r] = a;                                                                                            \
    }                                                                                                        \
  }                                                                                                          \
  /* `count` columns of row r, from column c. Asks for the next ones, too: they lie in a row of x for */     \
  /* each entry, which may be more streams than a processor recognises. */                                   \
  static inline __attribute__((always_inline)) void part_##name(                                             \
      const cp_sparse_product_job *j, int64_t r, int64_t c, const int64_t count, const bool scaled) {        \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts, *at = m->columns_of;                                                        \
    const T *values = j->values, *x = (const T *)j->x + c;                                                   \
    const int64_t last = m->columns - 1, width = j->width, to = CP_SPARSE_FIRST(m, starts, r + 1);           \
    T sums[WIDE(T)];                                                                                         \
    for (int64_t i = 0; i < count; i++) sums[i] = (T){0};                                                    \
    for (int64_t k = CP_SPARSE_FIRST(m, starts, r); k < to; k++) {                                           \
      const T v = values[k], *from = x + cp_sparse_place_##I(at[k], last) * width;                           \
      if (count * (int64_t)sizeof(T) == 64) __builtin_prefetch(from + count);                                \
      for (int64_t i = 0; i < count; i++) STEP(sums[i], v, from[i]);                                         \
    }                                                                                                        \
    T *out = (T *)j->out + r * width + c;                                                                    \
    for (int64_t i = 0; i < count; i++)                                                                      \
      out[i] = scaled ? stored_##name(j, sums[i], r * width + c + i) : sums[i];                              \
  }                                                                                                          \
  static inline __attribute__((always_inline)) void rows_##name(                                             \
      const cp_sparse_product_job *j, int64_t first, int64_t end, const bool scaled) {                       \
    const int64_t width = j->width;                                                                          \
    for (int64_t r = first; r < end; r++) {                                                                  \
      int64_t c = 0;                                                                                         \
      for (; c + WIDE(T) <= width; c += WIDE(T)) part_##name(j, r, c, WIDE(T), scaled);                      \
      for (; c + WIDE(T) / 2 <= width; c += WIDE(T) / 2) part_##name(j, r, c, WIDE(T) / 2, scaled);          \
      for (; c < width; c++) part_##name(j, r, c, 1, scaled);                                                \
    }                                                                                                        \
  }                                                                                                          \
  static void matrix_##name(const cp_sparse_product_job *j, int64_t first, int64_t end) {                    \
    if (j->scaled)                                                                                           \
      rows_##name(j, first, end, true);                                                                      \
    else                                                                                                     \
      rows_##name(j, first, end, false);                                                                     \
  }

#define EACH(ID, T, HOW)                                                                                     \
  TIMES(ID##_narrow, int32_t, T, CP_SPARSE_##HOW##_STEP, CP_SPARSE_##HOW##_SUM, CP_SPARSE_##HOW##_TIMES)     \
  TIMES(ID##_wide, int64_t, T, CP_SPARSE_##HOW##_STEP, CP_SPARSE_##HOW##_SUM, CP_SPARSE_##HOW##_TIMES)
CP_SPARSE_TYPES(EACH)
#undef EACH

typedef struct loops_of_type {
  multiply_rows *vector, *sum, *matrix;
} loops_of_type;

// By whether positions are int64, then by dtype.
static const loops_of_type loops[2][CP_NDTYPES] = {
#define EACH(ID, T, HOW) [CP_##ID] = {vector_##ID##_narrow, sum_##ID##_narrow, matrix_##ID##_narrow},
    {CP_SPARSE_TYPES(EACH)},
#undef EACH
#define EACH(ID, T, HOW) [CP_##ID] = {vector_##ID##_wide, sum_##ID##_wide, matrix_##ID##_wide},
    {CP_SPARSE_TYPES(EACH)}
#undef EACH
};

// The task's element of `dots`, in four interleaved sums. Its rows of the result are in a cache.
#define DOTS(ID, T)                                                                                          \
  static void dots_##ID(const cp_sparse_product_job *j, int64_t task, int64_t first, int64_t end) {          \
    enum { SUMS = 4, LANES = 16 / sizeof(T), PARTS = SUMS / LANES };                                         \
    const T *x = j->x, *out = j->out;                                                                        \
    lanes_##ID##_narrow parts[PARTS] = {{0}};                                                                \
    for (; first + SUMS <= end; first += SUMS)                                                               \
      for (int i = 0; i < PARTS; i++)                                                                        \
        parts[i] += *(const lanes_##ID##_narrow *)(const void *)(x + first + i * LANES) *                    \
                    *(const lanes_##ID##_narrow *)(const void *)(out + first + i * LANES);                   \
    T sums[SUMS];                                                                                            \
    memcpy(sums, parts, sizeof sums);                                                                        \
    for (; first < end; first++) sums[0] += x[first] * out[first];                                           \
    ((T *)j->dots)[task] = (sums[0] + sums[1]) + (sums[2] + sums[3]);                                        \
  }
DOTS(FLOAT32, float)
DOTS(FLOAT64, double)

static void multiply(void *data, cp_tasks *tasks) {
  const cp_sparse_product_job *j = data;
  const loops_of_type *l = &loops[j->m.index == CP_INT64][j->dtype];
  multiply_rows *f = j->x == NULL ? l->sum : j->width == 1 ? l->vector : l->matrix;
  int64_t task, first, end;
  while (cp_next_task(tasks, &task)) {
    cp_sparse_rows_of(&j->m, task, &first, &end);
    f(j, first, end);
    if (j->dots == NULL) continue;
    if (j->dtype == CP_FLOAT32)
      dots_FLOAT32(j, task, first, end);
    else
      dots_FLOAT64(j, task, first, end);
  }
}

cp_status cp_cpu_sparse_product(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *job) {
  cp_sparse_product_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  bool share = cp_sparse_shared(&job->m) || job->width * job->m.entries > (1 << 16);
  return cp_parallel(ctx, multiply, &copy, cp_sparse_tasks(&job->m), share);
}

// ---- triangular systems -----------------------------------------------------------------------------------

// Solves for row r; its diagonal entry is the last one (lower) or the first one.
#define SOLVE(name, I, T, BACK, OVER)                                                                        \
  static void solve_##name(const cp_sparse_solve_job *j, int64_t r) {                                        \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts, *at = m->columns_of;                                                        \
    const T *values = j->values;                                                                             \
    const int64_t last = m->columns - 1, width = j->width;                                                   \
    T *x = j->x, *mine = x + r * width;                                                                      \
    int64_t k = CP_SPARSE_FIRST(m, starts, r), to = CP_SPARSE_FIRST(m, starts, r + 1);                       \
    T diagonal = {0};                                                                                        \
    if (!j->unit && k < to) diagonal = values[j->lower ? --to : k++];                                        \
    if (width == 1) { /* not in memory, where each step would wait for the one before to be written */       \
      T own = *mine;                                                                                         \
      for (; k < to; k++) BACK(own, values[k], x[cp_sparse_place_##I(at[k], last)]);                         \
      *mine = j->unit ? own : OVER(own, diagonal);                                                           \
      return;                                                                                                \
    }                                                                                                        \
    for (; k < to; k++) {                                                                                    \
      const T v = values[k], *other = x + cp_sparse_place_##I(at[k], last) * width;                          \
      for (int64_t c = 0; c < width; c++) BACK(mine[c], v, other[c]);                                        \
    }                                                                                                        \
    for (int64_t c = 0; c < width && !j->unit; c++) mine[c] = OVER(mine[c], diagonal);                       \
  }

// Solves for what column c determines, and takes it from the right sides of the other rows.
#define SOLVE_COLUMN(name, I, T, BACK, OVER)                                                                 \
  static void solve_column_##name(const cp_sparse_solve_job *j, int64_t c) {                                 \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts, *at = m->columns_of;                                                        \
    const T *values = j->values;                                                                             \
    const int64_t last = m->columns - 1, width = j->width;                                                   \
    T *x = j->x, *mine = x + c * width;                                                                      \
    int64_t k = CP_SPARSE_FIRST(m, starts, c), to = CP_SPARSE_FIRST(m, starts, c + 1);                       \
    if (!j->unit && k < to) {                                                                                \
      const T diagonal = values[j->lower ? k++ : --to];                                                      \
      for (int64_t i = 0; i < width; i++) mine[i] = OVER(mine[i], diagonal);                                 \
    }                                                                                                        \
    if (width == 1) {                                                                                        \
      const T own = *mine;                                                                                   \
      for (; k < to; k++) BACK(x[cp_sparse_place_##I(at[k], last)], values[k], own);                         \
      return;                                                                                                \
    }                                                                                                        \
    for (; k < to; k++) {                                                                                    \
      T v = values[k], *other = x + cp_sparse_place_##I(at[k], last) * width;                                \
      for (int64_t i = 0; i < width; i++) BACK(other[i], v, mine[i]);                                        \
    }                                                                                                        \
  }
#define QUOTIENT(a, b) ((a) / (b))

#define INEXACT_TYPES(EACH)                                                                                  \
  EACH(FLOAT32, float, CP_SPARSE_REAL_BACK, QUOTIENT)                                                        \
  EACH(FLOAT64, double, CP_SPARSE_REAL_BACK, QUOTIENT)                                                       \
  EACH(COMPLEX64, cp_complex64, CP_SPARSE_PARTS_BACK, divide_cp_complex64)                                   \
  EACH(COMPLEX128, cp_complex128, CP_SPARSE_PARTS_BACK, divide_cp_complex128)

#define EACH(ID, T, BACK, OVER)                                                                              \
  SOLVE(ID##_narrow, int32_t, T, BACK, OVER)                                                                 \
  SOLVE(ID##_wide, int64_t, T, BACK, OVER)                                                                   \
  SOLVE_COLUMN(ID##_narrow, int32_t, T, BACK, OVER)                                                          \
  SOLVE_COLUMN(ID##_wide, int64_t, T, BACK, OVER)
INEXACT_TYPES(EACH)
#undef EACH

// For rows and for columns.
typedef void solve_one(const cp_sparse_solve_job *j, int64_t r);
#define EACH(ID, T, BACK, OVER) [CP_##ID] = {solve_##ID##_narrow, solve_column_##ID##_narrow},
static solve_one *const narrow_solvers[CP_NDTYPES][2] = {INEXACT_TYPES(EACH)};
#undef EACH
#define EACH(ID, T, BACK, OVER) [CP_##ID] = {solve_##ID##_wide, solve_column_##ID##_wide},
static solve_one *const wide_solvers[CP_NDTYPES][2] = {INEXACT_TYPES(EACH)};
#undef EACH

static void solve_all(void *data, cp_tasks *tasks) {
  const cp_sparse_solve_job *j = data;
  solve_one *f = (j->m.index == CP_INT32 ? narrow_solvers : wide_solvers)[j->dtype][j->by_columns];
  int64_t task, n = j->m.rows;
  while (cp_next_task(tasks, &task))
    for (int64_t k = 0; k < n && (k % PIECE != 0 || cp_go_on(tasks)); k++) f(j, j->lower ? k : n - 1 - k);
}

cp_status cp_cpu_sparse_solve(cp_context *ctx, cp_stream *s, const cp_sparse_solve_job *job) {
  cp_sparse_solve_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, solve_all, &copy, 1, false);
}
