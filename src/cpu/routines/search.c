// Binary search in sorted arrays, interpolation between their elements, and copies of elements to and from
// given positions, on the CPU.
#include "cpu/routines/search.h"

#include "cpu/loops/order.h"
#include "host/threads.h"

#define CP_FN static inline
#include "routine/sorting/line.h"

// Elements per task, and between two checks for an interrupt.
enum { CHUNK = 16384, PIECE = 2048 };

static int64_t chunks_of(int64_t n) { return n / CHUNK + (n % CHUNK != 0); }

// ---- searching --------------------------------------------------------------------------------------------

// An element in a form that `less` compares: the keys of its parts (b is 0 unless complex).
typedef struct rank {
  uint64_t a, b;
} rank;

// Complex numbers are ordered by whether the real part is nan, then whether the imaginary part is, then by
// the parts.
static bool less(rank x, rank y, bool complex, uint64_t nan) {
  if (complex) {
    int cx = 2 * (x.a == nan) + (x.b == nan), cy = 2 * (y.a == nan) + (y.b == nan);
    if (cx != cy) return cx < cy;
  }
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

// rank_NAME: the rank of element k. find_NAME: where each of the values first to end - 1 is to be inserted
// into the sorted array.
#define FIND(name, T, complex, first_part, second_part)                                                      \
  static rank rank_##name(const void *base, int64_t k, cp_key_ordering o) {                                  \
    const T *v = base;                                                                                       \
    const uint64_t mask = UINT64_MAX >> (64 - o.bits);                                                       \
    (void)mask;                                                                                              \
    return (rank){first_part, second_part};                                                                  \
  }                                                                                                          \
  static void find_##name(const cp_search_job *j, int64_t first, int64_t end) {                              \
    const cp_key_ordering o = cp_order_of(cp_dtypes[j->dtype].real);                                         \
    const uint64_t nan = UINT64_MAX >> (64 - o.bits);                                                        \
    for (int64_t k = first; k < end; k++) {                                                                  \
      rank v = rank_##name(j->values, k, o);                                                                 \
      int64_t low = 0, high = j->length;                                                                     \
      while (low < high) {                                                                                   \
        int64_t middle = low + (high - low) / 2;                                                             \
        rank m = rank_##name(j->sorted, middle, o);                                                          \
        bool on = j->behind ? !less(v, m, complex, nan) : less(m, v, complex, nan);                          \
        low = on ? middle + 1 : low;                                                                         \
        high = on ? high : middle;                                                                           \
      }                                                                                                      \
      j->positions[k] = low + 1;                                                                             \
    }                                                                                                        \
  }

#define PART(e) (cp_order_rank(o, e) & mask)
FIND(bool, uint8_t, false, v[k] != 0, 0)
FIND(half, uint16_t, false, PART(v[k]), 0)
FIND(c64, uint32_t, true, PART(v[2 * k]), PART(v[2 * k + 1]))
FIND(c128, uint64_t, true, PART(v[2 * k]), PART(v[2 * k + 1]))

// Elements that the processor compares. Many values are searched for side by side, so that what one waits for
// in memory does not delay the others. `behind` is a constant where this is called. A nan is above all
// numbers: an element is before it if it is a number, and no element is behind it.
enum { SIDE_BY_SIDE = 16 };

// Where the last value of a group belongs, and how far that is from where its first one does. If values are
// sorted, or change slowly, those of the next group belong close to it.
typedef struct lately {
  int64_t at, spread;
} lately;

#define FIND_MANY(T)                                                                                         \
  static inline __attribute__((always_inline)) void find_some_##T(const T *sorted, int64_t n, const T *v,    \
                                                                  const bool behind, int64_t *at) {          \
    for (int i = 0; i < SIDE_BY_SIDE; i++) at[i] = 0;                                                        \
    while (n > 0) {                                                                                          \
      const int64_t half = n - n / 2; /* of the elements that remain, so many are passed or left */          \
      for (int i = 0; i < SIDE_BY_SIDE; i++) {                                                               \
        const T m = sorted[at[i] + half - 1];                                                                \
        const bool on = behind ? (m <= v[i]) | (v[i] != v[i]) : (m < v[i]) | ((v[i] != v[i]) & (m == m));    \
        at[i] += half & -(int64_t)on; /* without a branch, as it would be unpredictable */                   \
      }                                                                                                      \
      n /= 2;                                                                                                \
    }                                                                                                        \
  }                                                                                                          \
  /* Narrows the n elements to those from *from on where all values belong, near the last ones. */           \
  static inline __attribute__((always_inline))                                                               \
  int64_t narrow_##T(const T *sorted, int64_t n, const T *v, const bool behind, lately l, int64_t *from) {   \
    T least[4], most[4]; /* side by side, too */                                                             \
    int numbers = 1;                                                                                         \
    for (int k = 0; k < 4; k++) least[k] = most[k] = v[k];                                                   \
    for (int i = 0; i < SIDE_BY_SIDE; i += 4)                                                                \
      for (int k = 0; k < 4; k++) {                                                                          \
        least[k] = v[i + k] < least[k] ? v[i + k] : least[k];                                                \
        most[k] = v[i + k] > most[k] ? v[i + k] : most[k];                                                   \
      }                                                                                                      \
    for (int i = 0; i < SIDE_BY_SIDE; i++) numbers &= v[i] == v[i];                                          \
    for (int k = 1; k < 4; k++) {                                                                            \
      least[0] = least[k] < least[0] ? least[k] : least[0];                                                  \
      most[0] = most[k] > most[0] ? most[k] : most[0];                                                       \
    }                                                                                                        \
    int64_t low = l.at, high = l.at;                                                                         \
    if (!numbers) return n;                                                                                  \
    for (int64_t step = l.spread + l.spread / 4 + 2; low > 0; step *= 8) {                                   \
      const T m = sorted[low - 1];                                                                           \
      if (behind ? m <= least[0] : m < least[0]) break;                                                      \
      low = low > step ? low - step : 0;                                                                     \
    }                                                                                                        \
    for (int64_t step = l.spread + l.spread / 4 + 2; high < n; step *= 8) {                                  \
      high = n - high > step ? high + step : n;                                                              \
      const T m = sorted[high - 1];                                                                          \
      if (!(behind ? m <= most[0] : m < most[0])) break;                                                     \
    }                                                                                                        \
    *from = low;                                                                                             \
    return high - low;                                                                                       \
  }                                                                                                          \
  /* find_some for a group of values, of which the one before was `l`. */                                    \
  static inline __attribute__((always_inline)) void find_group_##T(                                          \
      const T *sorted, int64_t n, const T *values, int count, const bool behind, lately *l, int64_t *at) {   \
    int64_t from = 0, m = n;                                                                                 \
    T v[SIDE_BY_SIDE];                                                                                       \
    for (int i = 0; i < SIDE_BY_SIDE; i++) v[i] = values[i < count ? i : 0];                                 \
    if (l->spread < n / 32) m = narrow_##T(sorted, n, v, behind, *l, &from);                                 \
    find_some_##T(sorted + from, m, v, behind, at);                                                          \
    for (int i = 0; i < count; i++) at[i] += from;                                                           \
    l->at = at[count - 1];                                                                                   \
    l->spread = at[0] < l->at ? l->at - at[0] : at[0] - l->at;                                               \
  }                                                                                                          \
  static void find_##T(const cp_search_job *j, int64_t first, int64_t end) {                                 \
    const T *values = j->values;                                                                             \
    int64_t at[SIDE_BY_SIDE];                                                                                \
    lately l = {0, j->length};                                                                               \
    for (; first < end; first += SIDE_BY_SIDE) {                                                             \
      const int count = end - first < SIDE_BY_SIDE ? (int)(end - first) : SIDE_BY_SIDE;                      \
      if (j->behind)                                                                                         \
        find_group_##T(j->sorted, j->length, values + first, count, true, &l, at);                           \
      else                                                                                                   \
        find_group_##T(j->sorted, j->length, values + first, count, false, &l, at);                          \
      for (int i = 0; i < count; i++) j->positions[first + i] = at[i] + 1;                                   \
    }                                                                                                        \
  }
FIND_MANY(int8_t)
FIND_MANY(int16_t)
FIND_MANY(int32_t)
FIND_MANY(int64_t)
FIND_MANY(uint8_t)
FIND_MANY(uint16_t)
FIND_MANY(uint32_t)
FIND_MANY(uint64_t)
FIND_MANY(float)
FIND_MANY(double)

typedef void find_values(const cp_search_job *j, int64_t first, int64_t end);

static find_values *const finders[CP_NDTYPES] = {
    [CP_BOOL] = find_bool,       [CP_INT8] = find_int8_t,     [CP_INT16] = find_int16_t,
    [CP_INT32] = find_int32_t,   [CP_INT64] = find_int64_t,   [CP_UINT8] = find_uint8_t,
    [CP_UINT16] = find_uint16_t, [CP_UINT32] = find_uint32_t, [CP_UINT64] = find_uint64_t,
    [CP_FLOAT16] = find_half,    [CP_BFLOAT16] = find_half,   [CP_FLOAT32] = find_float,
    [CP_FLOAT64] = find_double,  [CP_COMPLEX64] = find_c64,   [CP_COMPLEX128] = find_c128};

static void search_chunks(void *data, cp_tasks *tasks) {
  const cp_search_job *j = data;
  find_values *find = finders[j->dtype];
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    int64_t first = task * CHUNK, end = j->count - first < CHUNK ? j->count : first + CHUNK;
    for (; first < end && cp_go_on(tasks); first += PIECE)
      find(j, first, end - first < PIECE ? end : first + PIECE);
  }
}

cp_status cp_cpu_search(cp_context *ctx, cp_stream *s, const cp_search_job *job) {
  cp_search_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, search_chunks, &copy, chunks_of(job->count), job->count >= CHUNK);
}

// ---- interpolating ----------------------------------------------------------------------------------------

static void interpolate(const cp_interpolate_job *j, int64_t first, int64_t end) {
  int64_t at[SIDE_BY_SIDE];
  lately l = {0, j->length};
  for (; first < end; first += SIDE_BY_SIDE) {
    const int count = end - first < SIDE_BY_SIDE ? (int)(end - first) : SIDE_BY_SIDE;
    find_group_double(j->xp, j->length, j->x + first, count, true, &l, at);
    for (int i = 0; i < count; i++)
      j->out[first + i] = cp_interpolated(j->x[first + i], at[i], j->xp, j->fp, j->length, *j->below,
                                          *j->above, j->imaginary);
  }
}

static void interpolate_chunks(void *data, cp_tasks *tasks) {
  const cp_interpolate_job *j = data;
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    int64_t first = task * CHUNK, end = j->count - first < CHUNK ? j->count : first + CHUNK;
    for (; first < end && cp_go_on(tasks); first += PIECE)
      interpolate(j, first, end - first < PIECE ? end : first + PIECE);
  }
}

cp_status cp_cpu_interpolate(cp_context *ctx, cp_stream *s, const cp_interpolate_job *job) {
  cp_interpolate_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, interpolate_chunks, &copy, chunks_of(job->count), job->count >= CHUNK);
}

// ---- moving -----------------------------------------------------------------------------------------------

typedef struct wide {
  uint64_t w[2];
} wide;

#define MOVE(T)                                                                                              \
  static void move_##T(const cp_move_job *j, int64_t first, int64_t end) {                                   \
    const T *in = j->in;                                                                                     \
    T *out = j->out;                                                                                         \
    const int64_t *at = j->at;                                                                               \
    const uint64_t room = (uint64_t)j->room;                                                                 \
    if (j->kind == CP_MOVE_GATHER)                                                                           \
      for (int64_t k = first; k < end; k++) {                                                                \
        uint64_t place = (uint64_t)at[k] - 1;                                                                \
        out[k] = in[place < room ? place : 0];                                                               \
      }                                                                                                      \
    else                                                                                                     \
      for (int64_t k = first; k < end; k++) {                                                                \
        uint64_t place = (uint64_t)at[k] - 1;                                                                \
        if (place < room) out[place] = in[k];                                                                \
      }                                                                                                      \
  }
MOVE(uint8_t)
MOVE(uint16_t)
MOVE(uint32_t)
MOVE(uint64_t)
MOVE(wide)

static void move_chunks(void *data, cp_tasks *tasks) {
  const cp_move_job *j = data;
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    int64_t first = task * CHUNK, end = j->count - first < CHUNK ? j->count : first + CHUNK;
    if (j->itemsize == 1)
      move_uint8_t(j, first, end);
    else if (j->itemsize == 2)
      move_uint16_t(j, first, end);
    else if (j->itemsize == 4)
      move_uint32_t(j, first, end);
    else if (j->itemsize == 8)
      move_uint64_t(j, first, end);
    else
      move_wide(j, first, end);
  }
}

// All positions differ, so threads never write the same element.
cp_status cp_cpu_move(cp_context *ctx, cp_stream *s, const cp_move_job *job) {
  cp_move_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, move_chunks, &copy, chunks_of(job->count), job->count >= 4 * CHUNK);
}
