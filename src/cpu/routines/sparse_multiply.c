// Products of two sparse matrices on the CPU, row by row (Gustavson, "Two fast algorithms for sparse
// matrices", 1978): the sums of a row lie in a dense vector, beside a mark for each column and a list of
// those that the row has. Columns are then sorted, or found by their marks where that is less work.
#include "cpu/routines/sparse_forms.h"

enum {
  MANY = 1 << 20,
  SPARE = 8
}; // products between two checks for an interrupt; columns looked at per one found

// What a thread works with.
typedef struct room {
  void *sums, *marks, *list, *spare;
  int64_t products; // since the last check
} room;

static size_t padded(size_t bytes) { return (bytes + 15) / 16 * 16; }

static size_t room_size(const cp_sparse_multiply_job *j, bool fill) {
  const size_t columns = (size_t)j->b.columns + 1, position = cp_itemsize(j->a.index);
  return padded(columns * position) * (fill ? 3 : 1) + (fill ? padded(columns * cp_itemsize(j->dtype)) : 0);
}

static room furnish(const cp_sparse_multiply_job *j, char *memory) {
  const size_t columns = (size_t)j->b.columns + 1, list = padded(columns * cp_itemsize(j->a.index));
  return (room){
      .marks = memory, .list = memory + list, .spare = memory + 2 * list, .sums = memory + 3 * list};
}

// ---- counting ---------------------------------------------------------------------------------------------

#define FEWER(a, b) ((a) < (b))

#define COUNT(I)                                                                                             \
  static int64_t count_##I(const cp_sparse_multiply_job *j, int64_t r, room *m) {                            \
    const I *a_columns = j->a.columns_of, *b_columns = j->b.columns_of, *b_starts = j->b.starts;             \
    const int64_t last = j->b.columns - 1, end = cp_sparse_start(&j->a, r + 1);                              \
    const I mark = (I)(r + 1);                                                                               \
    I *marks = m->marks;                                                                                     \
    int64_t n = 0;                                                                                           \
    for (int64_t k = cp_sparse_start(&j->a, r); k < end; k++) {                                              \
      const int64_t c = cp_sparse_place_##I(a_columns[k], j->b.rows - 1);                                    \
      int64_t i = CP_SPARSE_FIRST(&j->b, b_starts, c), to = CP_SPARSE_FIRST(&j->b, b_starts, c + 1);         \
      m->products += to - i;                                                                                 \
      for (; i < to; i++) {                                                                                  \
        I *at = marks + cp_sparse_place_##I(b_columns[i], last);                                             \
        n += *at != mark;                                                                                    \
        *at = mark;                                                                                          \
      }                                                                                                      \
    }                                                                                                        \
    return n;                                                                                                \
  }                                                                                                          \
  CP_SPARSE_SORT(sort_##I, I, FEWER)                                                                         \
  /* The row's n columns, ascending, in m->list. */                                                          \
  static void order_##I(room *m, int64_t n, I mark) {                                                        \
    I *list = m->list, *marks = m->marks, low = list[0], high = list[0];                                     \
    bool sorted = true;                                                                                      \
    for (int64_t k = 1; k < n; k++) {                                                                        \
      low = list[k] < low ? list[k] : low;                                                                   \
      high = list[k] > high ? list[k] : high;                                                                \
      sorted &= list[k - 1] < list[k];                                                                       \
    }                                                                                                        \
    if (sorted) return;                                                                                      \
    if ((int64_t)high - low >= SPARE * n) {                                                                  \
      sort_##I(list, m->spare, n);                                                                           \
      return;                                                                                                \
    }                                                                                                        \
    int64_t found = 0;                                                                                       \
    for (I c = low; found < n; c++) {                                                                        \
      list[found] = c;                                                                                       \
      found += marks[c] == mark;                                                                             \
    }                                                                                                        \
  }
COUNT(int32_t)
COUNT(int64_t)

// ---- filling ----------------------------------------------------------------------------------------------

#define FILL(name, I, T, STEP)                                                                               \
  static int64_t add_row_##name(const cp_sparse_multiply_job *j, int64_t r, room *m) {                       \
    const I *a_columns = j->a.columns_of, *b_columns = j->b.columns_of, *b_starts = j->b.starts;             \
    const T *a_values = j->a_values, *b_values = j->b_values;                                                \
    const int64_t last = j->b.columns - 1, end = cp_sparse_start(&j->a, r + 1);                              \
    const I mark = (I)(r + 1);                                                                               \
    I *marks = m->marks, *list = m->list;                                                                    \
    T *sums = m->sums;                                                                                       \
    int64_t n = 0;                                                                                           \
    for (int64_t k = cp_sparse_start(&j->a, r); k < end; k++) {                                              \
      const int64_t c = cp_sparse_place_##I(a_columns[k], j->b.rows - 1);                                    \
      int64_t i = CP_SPARSE_FIRST(&j->b, b_starts, c), to = CP_SPARSE_FIRST(&j->b, b_starts, c + 1);         \
      const T v = a_values[k];                                                                               \
      m->products += to - i;                                                                                 \
      for (; i < to; i++) {                                                                                  \
        const int64_t d = cp_sparse_place_##I(b_columns[i], last);                                           \
        STEP(sums[d], v, b_values[i]);                                                                       \
        list[n] = (I)d;                                                                                      \
        n += marks[d] != mark;                                                                               \
        marks[d] = mark;                                                                                     \
      }                                                                                                      \
    }                                                                                                        \
    return n;                                                                                                \
  }                                                                                                          \
  static void fill_##name(const cp_sparse_multiply_job *j, int64_t r, room *m) {                             \
    const cp_sparse_layout out = {.index = j->a.index, .entries = j->entries, .starts = j->starts};          \
    const int64_t n = add_row_##name(j, r, m), at = cp_sparse_start(&out, r);                                \
    const int64_t place = cp_sparse_start(&out, r + 1) - at;                                                 \
    I *list = m->list, *columns = (I *)j->columns + at;                                                      \
    T *sums = m->sums, *values = (T *)j->out + at;                                                           \
    if (n > 0) order_##I(m, n, (I)(r + 1));                                                                  \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      if (k < place) {                                                                                       \
        columns[k] = list[k];                                                                                \
        values[k] = sums[list[k]];                                                                           \
      }                                                                                                      \
      sums[list[k]] = (T){0};                                                                                \
    }                                                                                                        \
  }
#define EACH(ID, T, HOW)                                                                                     \
  FILL(ID##_narrow, int32_t, T, CP_SPARSE_##HOW##_STEP) FILL(ID##_wide, int64_t, T, CP_SPARSE_##HOW##_STEP)
CP_SPARSE_TYPES(EACH)
#undef EACH

typedef void fill_row(const cp_sparse_multiply_job *j, int64_t r, room *m);
#define EACH(ID, T, HOW) [CP_##ID] = {fill_##ID##_narrow, fill_##ID##_wide},
static fill_row *const fillers[CP_NDTYPES][2] = {CP_SPARSE_TYPES(EACH)};
#undef EACH

// ---- the job ----------------------------------------------------------------------------------------------

typedef struct multiplying {
  const cp_sparse_multiply_job *job;
  cp_sparse_rooms rooms;
} multiplying;

static void multiply_row(const cp_sparse_multiply_job *j, int64_t r, room *m) {
  const bool wide = j->a.index == CP_INT64;
  if (j->starts != NULL)
    fillers[j->dtype][wide](j, r, m);
  else
    j->lengths[r] = wide ? count_int64_t(j, r, m) : count_int32_t(j, r, m);
}

static void multiply_rows(void *data, cp_tasks *tasks) {
  multiplying *x = data;
  char *memory = cp_sparse_room(&x->rooms);
  if (memory == NULL) return;
  room m = furnish(x->job, memory);
  int64_t first, end;
  while (cp_sparse_next(tasks, &x->job->a, &first, &end)) {
    for (int64_t r = first; r < end; r++) {
      multiply_row(x->job, r, &m);
      if (m.products < MANY) continue;
      m.products = 0;
      if (!cp_go_on(tasks)) return;
    }
  }
}

cp_status cp_cpu_sparse_multiply(cp_context *ctx, cp_stream *s, const cp_sparse_multiply_job *job) {
  const bool shared = cp_sparse_shared(&job->a);
  multiplying x = {.job = job};
  (void)s;
  ctx->counters.launches++;
  CP_TRY(cp_sparse_open_rooms(&x.rooms, room_size(job, job->starts != NULL), shared));
  cp_status status = cp_parallel(ctx, multiply_rows, &x, cp_sparse_tasks(&job->a), shared);
  cp_sparse_close_rooms(&x.rooms);
  return status;
}

const cp_sparse_form_ops cp_cpu_sparse_form_ops = {.group = cp_cpu_sparse_group,
                                                   .take = cp_cpu_sparse_take,
                                                   .dense = cp_cpu_sparse_dense,
                                                   .tidy = cp_cpu_sparse_tidy,
                                                   .unite = cp_cpu_sparse_unite,
                                                   .multiply = cp_cpu_sparse_multiply};
