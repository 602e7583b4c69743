// Rows of sparse matrices in order on the CPU: sorted by columns, each of which they have once.
#include "cpu/routines/sparse/forms.h"

#include <stdlib.h>

// ---- rooms ------------------------------------------------------------------------------------------------

cp_status cp_sparse_open_rooms(cp_sparse_rooms *r, size_t bytes, bool shared) {
  *r = (cp_sparse_rooms){.caller = pthread_self(), .count = shared ? cp_thread_count() : 1};
  atomic_init(&r->taken, 1); // the first one is the caller's
  r->bytes = (bytes + 63) / 64 * 64;
  r->memory = calloc((size_t)r->count, r->bytes);
  return r->memory != NULL ? CP_OK : cp_no_memory("sparse matrices");
}

void *cp_sparse_room(cp_sparse_rooms *r) {
  int k = pthread_equal(r->caller, pthread_self()) ? 0 : atomic_fetch_add(&r->taken, 1);
  return k < r->count ? r->memory + (size_t)k * r->bytes : NULL;
}

void cp_sparse_close_rooms(cp_sparse_rooms *r) { free(r->memory); }

// ---- rows in order ----------------------------------------------------------------------------------------

typedef struct place {
  int64_t column, entry;
} place;
#define BEFORE(p, q) ((p).column < (q).column)
CP_SPARSE_SORT(sort_places, place, BEFORE)

typedef struct tidying {
  const cp_sparse_tidy_job *job;
  int64_t longest;
  cp_sparse_rooms rooms;
} tidying;

// A room has two lists of places and one of values, as long as the longest row.
#define TIDY(name, I, T, SUM)                                                                                \
  static void sort_long_##name(I *at, T *values, int64_t n, place *list, int64_t longest) {                  \
    T *old = (T *)(void *)(list + 2 * longest);                                                              \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      list[k] = (place){at[k], k};                                                                           \
      old[k] = values[k];                                                                                    \
    }                                                                                                        \
    sort_places(list, list + longest, n);                                                                    \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      at[k] = (I)list[k].column;                                                                             \
      values[k] = old[list[k].entry];                                                                        \
    }                                                                                                        \
  }                                                                                                          \
  static void sort_short_##name(I *at, T *values, int64_t k, int64_t n) {                                    \
    for (; k < n; k++) {                                                                                     \
      const I column = at[k];                                                                                \
      const T v = values[k];                                                                                 \
      int64_t i = k;                                                                                         \
      for (; i > 0 && at[i - 1] > column; i--) {                                                             \
        at[i] = at[i - 1];                                                                                   \
        values[i] = values[i - 1];                                                                           \
      }                                                                                                      \
      at[i] = column;                                                                                        \
      values[i] = v;                                                                                         \
    }                                                                                                        \
  }                                                                                                          \
  /* false: some are repeated, whose order would not be kept. */                                             \
  static bool sort_by_ranks_##name(I *at, T *values, int64_t n) {                                            \
    I old_at[CP_SPARSE_RANKED], ranks[CP_SPARSE_RANKED];                                                     \
    T old[CP_SPARSE_RANKED];                                                                                 \
    if (!cp_sparse_ranks_##I(at, n, ranks)) return false;                                                    \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      old_at[k] = at[k];                                                                                     \
      old[k] = values[k];                                                                                    \
    }                                                                                                        \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      at[ranks[k]] = old_at[k];                                                                              \
      values[ranks[k]] = old[k];                                                                             \
    }                                                                                                        \
    return true;                                                                                             \
  }                                                                                                          \
  static int64_t tidy_row_##name(I *at, T *values, int64_t n, void *room, int64_t longest) {                 \
    int64_t k = 1, last = 0;                                                                                 \
    while (k < n && at[k - 1] < at[k]) k++;                                                                  \
    if (k >= n) return n;                                                                                    \
    if (n <= CP_SPARSE_RANKED) {                                                                             \
      if (!sort_by_ranks_##name(at, values, n)) sort_short_##name(at, values, k, n);                         \
    } else                                                                                                   \
      sort_long_##name(at, values, n, room, longest);                                                        \
    for (k = 1; k < n; k++) {                                                                                \
      if (at[k] == at[last]) {                                                                               \
        SUM(values[last], values[k]);                                                                        \
      } else if (++last != k) {                                                                              \
        at[last] = at[k];                                                                                    \
        values[last] = values[k];                                                                            \
      }                                                                                                      \
    }                                                                                                        \
    return last + 1;                                                                                         \
  }                                                                                                          \
  static void tidy_##name(const tidying *t, void *room, int64_t first, int64_t end) {                        \
    const cp_sparse_layout *m = &t->job->m;                                                                  \
    const I *starts = m->starts;                                                                             \
    for (int64_t r = first; r < end; r++) {                                                                  \
      const int64_t k = CP_SPARSE_FIRST(m, starts, r), to = CP_SPARSE_FIRST(m, starts, r + 1);               \
      const int64_t n = to - k < t->longest ? to - k : t->longest;                                           \
      t->job->lengths[r] =                                                                                   \
          n > 0 ? tidy_row_##name((I *)t->job->columns + k, (T *)t->job->values + k, n, room, t->longest)    \
                : 0;                                                                                         \
    }                                                                                                        \
  }
#define EACH(ID, T, HOW)                                                                                     \
  TIDY(ID##_narrow, int32_t, T, CP_SPARSE_##HOW##_SUM) TIDY(ID##_wide, int64_t, T, CP_SPARSE_##HOW##_SUM)
CP_SPARSE_TYPES(EACH)
#undef EACH

typedef void tidy_rows(const tidying *t, void *room, int64_t first, int64_t end);
#define EACH(ID, T, HOW) [CP_##ID] = {tidy_##ID##_narrow, tidy_##ID##_wide},
static tidy_rows *const tidiers[CP_NDTYPES][2] = {CP_SPARSE_TYPES(EACH)};
#undef EACH

static void tidy_all(void *data, cp_tasks *tasks) {
  tidying *t = data;
  int64_t first, end;
  void *room = cp_sparse_room(&t->rooms);
  if (room == NULL) return;
  while (cp_sparse_next(tasks, &t->job->m, &first, &end))
    tidiers[t->job->dtype][t->job->m.index == CP_INT64](t, room, first, end);
}

// Entries of the longest row.
static int64_t longest_row(const cp_sparse_layout *m) {
  int64_t most = 0;
  for (int64_t r = 0, from = 0, to; r < m->rows; r++, from = to) {
    to = cp_sparse_start(m, r + 1);
    if (to - from > most) most = to - from;
  }
  return most;
}

cp_status cp_cpu_sparse_tidy(cp_context *ctx, cp_stream *s, const cp_sparse_tidy_job *job) {
  const bool shared = cp_sparse_shared(&job->m);
  tidying t = {.job = job, .longest = longest_row(&job->m)};
  const size_t entry = 2 * sizeof(place) + cp_itemsize(job->dtype);
  (void)s;
  ctx->counters.launches++;
  CP_TRY(cp_sparse_open_rooms(&t.rooms, (size_t)t.longest * entry, shared));
  cp_status status = cp_parallel(ctx, tidy_all, &t, cp_sparse_tasks(&job->m), shared);
  cp_sparse_close_rooms(&t.rooms);
  return status;
}
