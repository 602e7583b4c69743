// Products of two sparse matrices on the CPU, row by row (Gustavson, "Two fast algorithms for sparse
// matrices", 1978): the sum of each column lies in a dense vector, beside a mark of the row that it belongs
// to. The columns that the row has go to the result, where they are sorted, or found by their marks where
// that is less work.
#include "cpu/routines/sparse/forms.h"

#include <string.h>

enum {
  MANY = 1 << 20, // products between two checks for an interrupt
  SPARE = 8       // columns looked at per one found
};

// What a thread works with. slots: for each column the sum of its products and the mark of the row in which
// it was last found, beside each other as both are looked at together.
typedef struct room {
  void *slots, *spare;
  uint64_t *bits, *tops; // a bit for each column, and for each word of these; all 0 between rows
  int64_t products;      // since the last check
} room;

typedef struct multiplying {
  const cp_sparse_multiply_job *job;
  cp_sparse_rooms rooms;
  cp_sparse_pieces pieces;
} multiplying;

// ---- the columns of a row ---------------------------------------------------------------------------------

#define FEWER(a, b) ((a) < (b))

#define COLUMNS(I)                                                                                           \
  /* The number of products of some rows. */                                                                 \
  static int64_t products_##I(const cp_sparse_multiply_job *j, int64_t first, int64_t end) {                 \
    const I *a_columns = j->a.columns_of, *b_starts = j->b.starts;                                           \
    const int64_t last = cp_sparse_start(&j->a, end);                                                        \
    int64_t n = 0;                                                                                           \
    for (int64_t k = cp_sparse_start(&j->a, first); k < last; k++) {                                         \
      const int64_t c = cp_sparse_place_##I(a_columns[k], j->b.rows - 1);                                    \
      const int64_t i = CP_SPARSE_FIRST(&j->b, b_starts, c), to = CP_SPARSE_FIRST(&j->b, b_starts, c + 1);   \
      n += to > i ? to - i : 0;                                                                              \
    }                                                                                                        \
    return n;                                                                                                \
  }                                                                                                          \
  static inline void rank_##I(I *list, int64_t n) {                                                          \
    I x[CP_SPARSE_RANKED], ranks[CP_SPARSE_RANKED];                                                          \
    memcpy(x, list, (size_t)n * sizeof(I));                                                                  \
    (void)cp_sparse_ranks_##I(x, n, ranks);                                                                  \
    for (int64_t k = 0; k < n; k++) list[ranks[k]] = x[k];                                                   \
  }                                                                                                          \
  CP_SPARSE_SORT(sort_##I, I, FEWER)                                                                         \
  /* Sorts n different columns between low and high: each is a bit in a word, each word that has */          \
  /* any is a bit in another one. */                                                                         \
  static void sort_by_bits_##I(room *m, I *list, int64_t n, I low, I high) {                                 \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      const uint64_t c = (uint64_t)list[k];                                                                  \
      m->bits[c >> 6] |= UINT64_C(1) << (c & 63);                                                            \
      m->tops[c >> 12] |= UINT64_C(1) << (c >> 6 & 63);                                                      \
    }                                                                                                        \
    for (uint64_t t = (uint64_t)low >> 12; t <= (uint64_t)high >> 12; t++) {                                 \
      for (uint64_t top = m->tops[t]; top != 0; top &= top - 1) {                                            \
        const uint64_t w = t << 6 | (uint64_t)__builtin_ctzll(top);                                          \
        for (uint64_t b = m->bits[w]; b != 0; b &= b - 1)                                                    \
          *list++ = (I)(w << 6 | (uint64_t)__builtin_ctzll(b));                                              \
        m->bits[w] = 0;                                                                                      \
      }                                                                                                      \
      m->tops[t] = 0;                                                                                        \
    }                                                                                                        \
  }                                                                                                          \
  /* Sorts n columns, unless there are so many among those from *low on that finding them by their */        \
  /* marks is less work; true: they are sorted. */                                                           \
  static bool sort_few_##I(room *m, I *list, int64_t n, I *low) {                                            \
    I high = *low = list[0];                                                                                 \
    bool sorted = true;                                                                                      \
    for (int64_t k = 1; k < n; k++) {                                                                        \
      *low = list[k] < *low ? list[k] : *low;                                                                \
      high = list[k] > high ? list[k] : high;                                                                \
      sorted &= list[k - 1] < list[k];                                                                       \
    }                                                                                                        \
    if (sorted) return true;                                                                                 \
    if ((int64_t)high - *low < SPARE * n) return false;                                                      \
    if (n <= CP_SPARSE_RANKED)                                                                               \
      rank_##I(list, n);                                                                                     \
    else if (((int64_t)high >> 12) - (*low >> 12) < n)                                                       \
      sort_by_bits_##I(m, list, n, *low, high);                                                              \
    else                                                                                                     \
      sort_##I(list, m->spare, n);                                                                           \
    return true;                                                                                             \
  }
COLUMNS(int32_t)
COLUMNS(int64_t)

// ---- rows -------------------------------------------------------------------------------------------------

// make_row_NAME adds row r to a piece; false: there is no memory.
#define ROW(name, I, T, STEP)                                                                                \
  typedef struct slot_##name {                                                                               \
    T sum;                                                                                                   \
    I mark;                                                                                                  \
  } slot_##name;                                                                                             \
  /* Adds the row's products to the sums; returns its columns in list. */                                    \
  static int64_t add_row_##name(const cp_sparse_multiply_job *j, int64_t r, room *m, I *list) {              \
    const I *a_columns = j->a.columns_of, *b_columns = j->b.columns_of, *b_starts = j->b.starts;             \
    const T *a_values = j->a_values, *b_values = j->b_values;                                                \
    const int64_t last = j->b.columns - 1, end = cp_sparse_start(&j->a, r + 1);                              \
    const I mark = (I)(r + 1);                                                                               \
    slot_##name *slots = m->slots;                                                                           \
    int64_t n = 0;                                                                                           \
    for (int64_t k = cp_sparse_start(&j->a, r); k < end; k++) {                                              \
      const int64_t c = cp_sparse_place_##I(a_columns[k], j->b.rows - 1);                                    \
      int64_t i = CP_SPARSE_FIRST(&j->b, b_starts, c), to = CP_SPARSE_FIRST(&j->b, b_starts, c + 1);         \
      const T v = a_values[k];                                                                               \
      m->products += to > i ? to - i : 0;                                                                    \
      for (; i < to; i++) {                                                                                  \
        const int64_t d = cp_sparse_place_##I(b_columns[i], last);                                           \
        slot_##name *slot = &slots[d];                                                                       \
        if (slot->mark != mark) {                                                                            \
          *slot = (slot_##name){.mark = mark};                                                               \
          list[n++] = (I)d;                                                                                  \
        }                                                                                                    \
        STEP(slot->sum, v, b_values[i]);                                                                     \
      }                                                                                                      \
    }                                                                                                        \
    return n;                                                                                                \
  }                                                                                                          \
  static bool make_row_##name(multiplying *x, int64_t r, room *m, cp_sparse_piece *p) {                      \
    if (!p->in_scratch) {                                                                                    \
      const int64_t products = products_##I(x->job, r, r + 1), most = x->job->b.columns;                     \
      if (!cp_sparse_extend(&x->pieces, p, (products < most ? products : most) + 1)) return false;           \
    }                                                                                                        \
    I *list = (I *)(void *)p->columns + p->entries, c;                                                       \
    T *values = (T *)(void *)p->values + p->entries;                                                         \
    const slot_##name *slots = m->slots;                                                                     \
    const int64_t n = add_row_##name(x->job, r, m, list);                                                    \
    if (n > 0 && !sort_few_##I(m, list, n, &c))                                                              \
      for (int64_t found = 0; found < n; c++) {                                                              \
        list[found] = c;                                                                                     \
        found += slots[c].mark == (I)(r + 1);                                                                \
      }                                                                                                      \
    for (int64_t k = 0; k < n; k++) values[k] = slots[list[k]].sum;                                          \
    x->pieces.lengths[r] = n;                                                                                \
    p->entries += n;                                                                                         \
    return true;                                                                                             \
  }
#define EACH(ID, T, HOW)                                                                                     \
  ROW(ID##_narrow, int32_t, T, CP_SPARSE_##HOW##_STEP) ROW(ID##_wide, int64_t, T, CP_SPARSE_##HOW##_STEP)
CP_SPARSE_TYPES(EACH)
#undef EACH

typedef bool make_row(multiplying *x, int64_t r, room *m, cp_sparse_piece *p);
#define EACH(ID, T, HOW) [CP_##ID] = {make_row_##ID##_narrow, make_row_##ID##_wide},
static make_row *const makers[CP_NDTYPES][2] = {CP_SPARSE_TYPES(EACH)};
#undef EACH
#define EACH(ID, T, HOW) [CP_##ID] = {sizeof(slot_##ID##_narrow), sizeof(slot_##ID##_wide)},
static const unsigned char slot_sizes[CP_NDTYPES][2] = {CP_SPARSE_TYPES(EACH)};
#undef EACH

// ---- the job ----------------------------------------------------------------------------------------------

// Bytes of the slots, after which the spare list begins.
static size_t slots_size(const cp_sparse_multiply_job *j) {
  const size_t bytes = ((size_t)j->b.columns + 1) * slot_sizes[j->dtype][j->a.index == CP_INT64];
  return (bytes + 15) / 16 * 16;
}

// And where the bits begin, which the words of bits of words follow.
static size_t lists_size(const cp_sparse_multiply_job *j) {
  return slots_size(j) + (((size_t)j->b.columns + 1) * cp_itemsize(j->a.index) + 15) / 16 * 16;
}

static size_t words_of(const cp_sparse_multiply_job *j) { return (size_t)(j->b.columns >> 6) + 1; }

static size_t room_size(const cp_sparse_multiply_job *j) {
  return lists_size(j) + (words_of(j) + (words_of(j) >> 6) + 1) * sizeof(uint64_t);
}

// Makes the rows first to end - 1; false: the job ends.
static bool multiply_rows(multiplying *x, int64_t task, room *m, cp_tasks *tasks) {
  const cp_sparse_multiply_job *j = x->job;
  const bool wide = j->a.index == CP_INT64;
  make_row *make = makers[j->dtype][wide];
  cp_sparse_piece *piece = &x->pieces.list[task];
  int64_t first, end;
  cp_sparse_rows_of(&j->a, task, &first, &end);
  if (j->target.columns != NULL)
    cp_sparse_begin_piece(&x->pieces, piece, (wide ? products_int64_t : products_int32_t)(j, first, end) + 1);
  for (int64_t r = first; r < end; r++) {
    if (!make(x, r, m, piece)) return false;
    if (m->products < MANY) continue;
    m->products = 0;
    if (!cp_go_on(tasks)) return false;
  }
  cp_sparse_end_piece(&x->pieces, piece);
  return true;
}

static void multiply(void *data, cp_tasks *tasks) {
  multiplying *x = data;
  char *memory = cp_sparse_room(&x->rooms);
  if (memory == NULL) return;
  uint64_t *bits = (uint64_t *)(void *)(memory + lists_size(x->job));
  room m = {
      .slots = memory, .spare = memory + slots_size(x->job), .bits = bits, .tops = bits + words_of(x->job)};
  int64_t task;
  while (cp_next_task(tasks, &task))
    if (!multiply_rows(x, task, &m, tasks)) return;
}

cp_status cp_cpu_sparse_multiply(cp_context *ctx, cp_stream *s, const cp_sparse_multiply_job *job) {
  const bool shared = cp_sparse_shared(&job->a);
  multiplying x = {.job = job};
  (void)s;
  ctx->counters.launches++;
  CP_TRY(cp_sparse_open_pieces(&x.pieces, &job->a, cp_itemsize(job->dtype), &job->target));
  cp_status status = cp_sparse_open_rooms(&x.rooms, room_size(job), shared);
  if (status == CP_OK) {
    status = cp_parallel(ctx, multiply, &x, x.pieces.count, shared);
    cp_sparse_close_rooms(&x.rooms);
    status = cp_sparse_join_pieces(ctx, &x.pieces, status);
  }
  cp_sparse_close_pieces(&x.pieces);
  return status;
}

const cp_sparse_form_ops cp_cpu_sparse_form_ops = {.group = cp_cpu_sparse_group,
                                                   .runs = cp_cpu_sparse_runs,
                                                   .take = cp_cpu_sparse_take,
                                                   .dense = cp_cpu_sparse_dense,
                                                   .tidy = cp_cpu_sparse_tidy,
                                                   .find = cp_cpu_sparse_find,
                                                   .pick = cp_cpu_sparse_pick,
                                                   .extremes = cp_cpu_sparse_extremes,
                                                   .sums = cp_cpu_sparse_sums,
                                                   .unite = cp_cpu_sparse_unite,
                                                   .multiply = cp_cpu_sparse_multiply,
                                                   .add = cp_cpu_sparse_add};
