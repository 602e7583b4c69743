// Sorting on the CPU: radix sort from the lowest digit of 8 bits to the highest, of keys (order.h) or of keys
// with their positions. Threads share the rows, or the chunks of one long row: each counts the digits of its
// chunk, which gives where its elements go. A row that one thread sorts is sorted with vector instructions
// (keys.h), where keys are wide and the processor has them.
#include "routines/sort.h"
#include "cpu/loops/keys.h"
#include "cpu/routines/search.h"
#include "cpu/run/run.h"
#include "host/threads.h"

#include <string.h>

enum {
  DIGITS = 256,
  LONG = 1 << 17, // threads share a row of at least this length
  SHORT = 64,     // rows up to this length are sorted by insertion
  MAX_CHUNKS = 64,
  PIECE = 1 << 16,   // elements between two checks for an interrupt
  WHOLE = 16 * PIECE // up to this many elements are sorted by vectors without a check
};

// A key with its position, where both do not fit into 64 bits.
typedef struct pair {
  uint64_t key, at;
} pair;

typedef struct sorter sorter;

// The steps for one element type. Each handles elements first to end - 1 of the row; every chunk has counters
// of its own.
typedef struct steps {
  size_t size; // bytes per element
  void (*encode)(const sorter *s, int64_t first, int64_t end);
  void (*count)(const sorter *s, int64_t chunk, int64_t first, int64_t end);
  void (*scatter)(const sorter *s, int64_t chunk, int64_t first, int64_t end);
  void (*insert)(const sorter *s);
  void (*select)(const sorter *s, int64_t first, int64_t end);
  void (*collect)(const sorter *s, int64_t first, int64_t end); // encodes what narrow left among the results
  void (*decode)(const sorter *s, int64_t first, int64_t end);
} steps;

struct sorter {
  const cp_sort_job *job;
  const steps *steps;
  cp_key_ordering order;
  int low;         // the lowest bit of the key within an element
  int64_t row;     // the row being sorted
  void *from, *to; // elements before and after a pass
  int shift;       // of the current digit
  int64_t chunks;
  int64_t (*counts)[DIGITS]; // digit counts of each chunk; later where its next element with that digit goes
  void (*step)(const sorter *s, cp_tasks *tasks, int64_t chunk); // the step that threads are doing
  cp_context *ctx;                                               // of a long row: its host may interrupt
};

static const void *row_of(const sorter *s) {
  return (const char *)s->job->in + (size_t)(s->row * s->job->length) * cp_itemsize(s->job->dtype);
}

static void *result_of(const sorter *s) {
  const int64_t first = s->row * s->job->length;
  if (s->job->values != NULL) return (char *)s->job->values + (size_t)first * cp_itemsize(s->job->dtype);
  return s->job->positions + first;
}

// ---- elements ---------------------------------------------------------------------------------------------

#define READ(T, name, value)                                                                                 \
  static uint64_t read_##name(const void *in, int64_t k) {                                                   \
    const T *v = in;                                                                                         \
    return (uint64_t)(value);                                                                                \
  }
READ(uint8_t, u8, v[k])
READ(uint16_t, u16, v[k])
READ(uint32_t, u32, v[k])
READ(uint64_t, u64, v[k])
READ(uint8_t, bool, v[k] != 0)

// Loops over k, with v the element of the row at position i. The reader is a constant in each use, so it is
// inlined.
#define EACH_OF(read, index, body)                                                                           \
  for (int64_t k = first; k < end; k++) {                                                                    \
    const int64_t i = index;                                                                                 \
    uint64_t v = read(in, i);                                                                                \
    body;                                                                                                    \
  }
#define EACH(index, body)                                                                                    \
  const cp_key_ordering o = s->order;                                                                        \
  const void *in = row_of(s);                                                                                \
  if (s->job->dtype == CP_BOOL)                                                                              \
    EACH_OF(read_bool, index, body)                                                                          \
  else if (o.bits == 8)                                                                                      \
    EACH_OF(read_u8, index, body)                                                                            \
  else if (o.bits == 16)                                                                                     \
    EACH_OF(read_u16, index, body)                                                                           \
  else if (o.bits == 32)                                                                                     \
    EACH_OF(read_u32, index, body)                                                                           \
  else                                                                                                       \
    EACH_OF(read_u64, index, body)

#define KEY(e)      ((uint64_t)(e))
#define PAIR_KEY(e) ((e).key)

// Defines count, scatter and insert for element type E.
#define RADIX(name, E, KEY_OF)                                                                               \
  static void count_##name(const sorter *s, int64_t chunk, int64_t first, int64_t end) {                     \
    int64_t *counts = s->counts[chunk];                                                                      \
    const E *from = s->from;                                                                                 \
    int shift = s->shift;                                                                                    \
    for (int64_t k = first; k < end; k++) counts[KEY_OF(from[k]) >> shift & (DIGITS - 1)]++;                 \
  }                                                                                                          \
  static void scatter_##name(const sorter *s, int64_t chunk, int64_t first, int64_t end) {                   \
    int64_t *places = s->counts[chunk];                                                                      \
    const E *from = s->from;                                                                                 \
    E *to = s->to;                                                                                           \
    int shift = s->shift;                                                                                    \
    for (int64_t k = first; k < end; k++) {                                                                  \
      E e = from[k];                                                                                         \
      to[places[KEY_OF(e) >> shift & (DIGITS - 1)]++] = e;                                                   \
    }                                                                                                        \
  }                                                                                                          \
  static void insert_##name(const sorter *s) {                                                               \
    E *list = s->from;                                                                                       \
    for (int64_t k = 1; k < s->job->length; k++) {                                                           \
      E e = list[k];                                                                                         \
      int64_t at = k;                                                                                        \
      for (; at > 0 && KEY_OF(list[at - 1]) > KEY_OF(e); at--) list[at] = list[at - 1];                      \
      list[at] = e;                                                                                          \
    }                                                                                                        \
  }

// Elements that are keys alone, by the logarithm of their size.
#define SORT_KEYS(name, E, log)                                                                              \
  RADIX(name, E, KEY)                                                                                        \
  static void encode_##name(const sorter *s, int64_t first, int64_t end) {                                   \
    const E *in = (const E *)s->job->in + s->row * s->job->length;                                           \
    E *to = s->from;                                                                                         \
    if (s->job->dtype == CP_BOOL)                                                                            \
      for (int64_t k = first; k < end; k++) to[k] = in[k] != 0;                                              \
    else                                                                                                     \
      cp_cpu_keys()->encode[log](&s->order, to + first, in + first, (size_t)(end - first));                  \
  }                                                                                                          \
  static void collect_##name(const sorter *s, int64_t first, int64_t end) {                                  \
    E *from = s->from;                                                                                       \
    cp_cpu_keys()->encode[log](&s->order, from + first, from + first, (size_t)(end - first));                \
  }                                                                                                          \
  static void decode_##name(const sorter *s, int64_t first, int64_t end) {                                   \
    E *values = (E *)s->job->values + s->row * s->job->length;                                               \
    cp_cpu_keys()->decode[log](&s->order, values + first, (const E *)s->from + first,                        \
                               (size_t)(end - first));                                                       \
  }
SORT_KEYS(u8, uint8_t, 0)
SORT_KEYS(u16, uint16_t, 1)
SORT_KEYS(u32, uint32_t, 2)
SORT_KEYS(u64, uint64_t, 3)

// A key of up to 32 bits above its position.
static uint64_t packed_key(uint64_t e) { return e; }
RADIX(packed, uint64_t, packed_key)
static void encode_packed(const sorter *s, int64_t first, int64_t end) {
  uint64_t *to = s->from;
  const uint64_t mask = UINT64_MAX >> (64 - s->order.bits);
  EACH(k, to[k] = (cp_order_rank(o, v) & mask) << 32 | (uint64_t)i)
}
static void collect_packed(const sorter *s, int64_t first, int64_t end) {
  uint64_t *to = s->from;
  const int64_t *places = result_of(s); // may be where the elements go
  const uint64_t mask = UINT64_MAX >> (64 - s->order.bits);
  EACH(places[k] - 1, to[k] = (cp_order_rank(o, v) & mask) << 32 | (uint64_t)i)
}
static void decode_packed(const sorter *s, int64_t first, int64_t end) {
  const uint64_t *from = s->from;
  int64_t *positions = s->job->positions + s->row * s->job->length;
  for (int64_t k = first; k < end; k++) positions[k] = (int64_t)(from[k] & UINT32_MAX) + 1;
}

RADIX(pair, pair, PAIR_KEY)
static void encode_pair(const sorter *s, int64_t first, int64_t end) {
  pair *to = s->from;
  const uint64_t mask = UINT64_MAX >> (64 - s->order.bits);
  EACH(k, to[k] = ((pair){cp_order_rank(o, v) & mask, (uint64_t)i}))
}
static void collect_pair(const sorter *s, int64_t first, int64_t end) {
  pair *to = s->from;
  const int64_t *places = result_of(s);
  const uint64_t mask = UINT64_MAX >> (64 - s->order.bits);
  EACH(places[k] - 1, to[k] = ((pair){cp_order_rank(o, v) & mask, (uint64_t)i}))
}
static void decode_pair(const sorter *s, int64_t first, int64_t end) {
  const pair *from = s->from;
  int64_t *positions = s->job->positions + s->row * s->job->length;
  for (int64_t k = first; k < end; k++) positions[k] = (int64_t)from[k].at + 1;
}

#include "cpu/routines/select.h"
SELECT(u8, uint8_t, KEY, NULL)
SELECT(u16, uint16_t, KEY, NULL)
SELECT(u32, uint32_t, KEY, cp_cpu_keys()->split32)
SELECT(u64, uint64_t, KEY, cp_cpu_keys()->split64)
SELECT(packed, uint64_t, packed_key, NULL)
SELECT(pair, pair, PAIR_KEY, NULL)
#include "cpu/routines/narrow.h"

#define STEPS(name, E)                                                                                       \
  {                                                                                                          \
    sizeof(E), encode_##name, count_##name, scatter_##name, insert_##name, select_##name, collect_##name,    \
        decode_##name                                                                                        \
  }
static const steps u8_steps = STEPS(u8, uint8_t), u16_steps = STEPS(u16, uint16_t),
                   u32_steps = STEPS(u32, uint32_t), u64_steps = STEPS(u64, uint64_t),
                   packed_steps = STEPS(packed, uint64_t), pair_steps = STEPS(pair, pair);

static sorter sorter_of(const cp_sort_job *job) {
  sorter s = {.job = job, .order = cp_order_of(job->dtype)};
  if (job->values != NULL) {
    s.steps = s.order.bits == 8    ? &u8_steps
              : s.order.bits == 16 ? &u16_steps
              : s.order.bits == 32 ? &u32_steps
                                   : &u64_steps;
  } else {
    bool packed = s.order.bits <= 32 && job->length <= (int64_t)UINT32_MAX;
    s.steps = packed ? &packed_steps : &pair_steps;
    s.low = packed ? 32 : 0;
  }
  return s;
}

// Bytes of a buffer for the elements of a row.
static size_t buffer_size(const sorter *s) {
  return ((size_t)s->job->length * s->steps->size + 63) / 64 * 64;
}

// ---- one row ----------------------------------------------------------------------------------------------

static void range_of(const sorter *s, int64_t chunk, int64_t *first, int64_t *end) {
  int64_t n = s->job->length, size = n / s->chunks + (n % s->chunks != 0);
  *first = chunk * size < n ? chunk * size : n;
  *end = *first + size < n ? *first + size : n;
}

static bool is_long(const cp_sort_job *job) { return job->length >= LONG; }

// Short rows are one chunk.
#define STEP(name, ...)                                                                                      \
  static void step_##name(const sorter *s, cp_tasks *tasks, int64_t chunk) {                                 \
    int64_t first, last;                                                                                     \
    range_of(s, chunk, &first, &last);                                                                       \
    for (int64_t end; first < last && (tasks == NULL || cp_go_on(tasks)); first = end) {                     \
      end = last - first < PIECE ? last : first + PIECE;                                                     \
      s->steps->name(s, __VA_ARGS__);                                                                        \
    }                                                                                                        \
  }
STEP(encode, first, end)
STEP(decode, first, end)
STEP(count, chunk, first, end)
STEP(scatter, chunk, first, end)

static void work_on_chunks(void *data, cp_tasks *tasks) {
  const sorter *s = data;
  int64_t chunk;
  while (cp_next_task(tasks, &chunk)) s->step(s, tasks, chunk);
}

static cp_status each_chunk(sorter *s, void (*step)(const sorter *s, cp_tasks *tasks, int64_t chunk)) {
  s->step = step;
  if (is_long(s->job)) return cp_parallel(s->ctx, work_on_chunks, s, s->chunks, s->chunks > 1);
  step(s, NULL, 0);
  return CP_OK;
}

// Replaces counts by positions. False: all elements have the same digit, so they can stay where they are.
static bool place(const sorter *s) {
  int64_t at = 0;
  for (int d = 0; d < DIGITS; d++) {
    int64_t before = at;
    for (int64_t c = 0; c < s->chunks; c++) {
      int64_t n = s->counts[c][d];
      s->counts[c][d] = at;
      at += n;
    }
    if (at - before == s->job->length) return false;
  }
  return true;
}

// True if elements and results have the same size. Then the elements are built where the results go, and one
// buffer is enough.
static bool in_place(const sorter *s) {
  return s->steps->size == (s->job->values != NULL ? cp_itemsize(s->job->dtype) : sizeof *s->job->positions);
}

// Whether few places of a row are wanted, which one thread finds sooner than several sort the row.
static bool wants_few(const cp_sort_job *job) {
  enum { FEW = 1024 };
  return job->last - job->first < FEW && job->last - job->first < job->length / 16;
}

// Whether only few places near an end of a long row are wanted. Then it is faster to discard most elements
// before keys are made than to partition all of them by vectors. The gain is greater if positions are sorted,
// too, as their keys are wider.
static bool narrows_sooner(const sorter *s) {
  enum { LEAST_VALUES = 1 << 16, LEAST_PLACES = 512 };
  const cp_sort_job *job = s->job;
  const int64_t n = job->length, near = n / 8;
  return n >= (job->values != NULL ? LEAST_VALUES : LEAST_PLACES) && wants_few(job) && can_narrow(s) &&
         (job->last < near || job->first >= n - near);
}

// Sorts the row with vector instructions, if one thread has the row and the processor supports it. Stability
// does not matter, as no two packed elements are equal.
static cp_status sort_in_vectors(sorter *s, bool *did) {
  const cp_keys *k = cp_cpu_keys();
  const size_t n = (size_t)s->job->length;
  cp_wanted wanted = {(size_t)s->job->first, (size_t)s->job->last, 16};
  for (size_t left = n; left > 0; left /= 2) wanted.levels += 2; // twice the logarithm, plus a margin
  *did = (s->chunks == 1 || wants_few(s->job)) && k->sort64 != NULL && (n <= WHOLE || !cp_may_end(s->ctx)) &&
         (s->steps == &u32_steps || s->steps == &u64_steps || s->steps == &packed_steps) &&
         !narrows_sooner(s);
  if (!*did) return CP_OK;
  if (s->steps == &u32_steps || s->steps == &u64_steps) {
    (s->steps == &u32_steps ? k->sort32 : k->sort64)(&s->order, result_of(s), row_of(s), n, &wanted);
    return CP_OK;
  }
  CP_TRY(each_chunk(s, step_encode));
  k->sort64(NULL, s->from, s->from, n, &wanted);
  return each_chunk(s, step_decode);
}

// Moves the wanted elements of a row to their places, if they are few.
static cp_status select_few(sorter *s, bool *did) {
  *did = wants_few(s->job) && s->job->length > SHORT && (s->job->length <= WHOLE || !cp_may_end(s->ctx));
  if (!*did) return CP_OK;
  if (can_narrow(s)) {
    const range left = narrow(s);
    s->steps->collect(s, left.begin, left.end);
    s->steps->select(s, left.begin, left.end);
    s->steps->decode(s, left.begin, left.end);
    return CP_OK;
  }
  CP_TRY(each_chunk(s, step_encode));
  s->steps->select(s, 0, s->job->length);
  return each_chunk(s, step_decode);
}

// Sorts the row, in buffers for its elements.
static cp_status sort_row(sorter *s, char *buffers) {
  bool done;
  int bits = s->job->dtype == CP_BOOL ? 1 : s->order.bits;
  s->from = in_place(s) ? result_of(s) : buffers + buffer_size(s);
  s->to = buffers;
  CP_TRY(sort_in_vectors(s, &done));
  if (!done) CP_TRY(select_few(s, &done));
  if (done) return CP_OK;
  CP_TRY(each_chunk(s, step_encode));
  if (s->job->length <= SHORT) {
    s->steps->insert(s);
    bits = 0;
  }
  for (int bit = 0; bit < bits; bit += 8) {
    s->shift = s->low + bit;
    memset(s->counts, 0, (size_t)s->chunks * sizeof *s->counts);
    CP_TRY(each_chunk(s, step_count));
    if (!place(s)) continue;
    CP_TRY(each_chunk(s, step_scatter));
    void *swap = s->from;
    s->from = s->to;
    s->to = swap;
  }
  return each_chunk(s, step_decode);
}

// ---- rows -------------------------------------------------------------------------------------------------

static size_t buffers_size(const sorter *s) { return (in_place(s) ? 1 : 2) * buffer_size(s); }

static void work_on_rows(void *data, cp_tasks *tasks) {
  const sorter *shared = data;
  sorter s = *shared;
  char *memory = cp_arena(sizeof *s.counts + buffers_size(&s));
  if (memory == NULL) return; // the caller checked that the memory is there
  s.chunks = 1;
  s.counts = (int64_t(*)[DIGITS])(void *)memory;
  memory += sizeof *s.counts;
  while (cp_next_task(tasks, &s.row)) (void)sort_row(&s, memory); // short rows cannot fail
}

static size_t sort_scratch(cp_device *d, const cp_sort_job *job) {
  sorter s = sorter_of(job);
  (void)d;
  return is_long(job) ? MAX_CHUNKS * sizeof *s.counts + buffers_size(&s) : 0;
}

static cp_status sort(cp_context *ctx, cp_stream *stream, const cp_sort_job *job) {
  sorter s = sorter_of(job);
  (void)stream;
  ctx->counters.launches++;
  if (!is_long(job)) {
    if (cp_arena(sizeof *s.counts + buffers_size(&s)) == NULL) return cp_no_memory("sorting");
    return cp_parallel(ctx, work_on_rows, &s, job->rows, job->rows * job->length >= LONG / 8);
  }
  char *buffers = (char *)job->scratch + MAX_CHUNKS * sizeof *s.counts;
  s.counts = (int64_t(*)[DIGITS])job->scratch;
  s.chunks = cp_thread_count() < MAX_CHUNKS ? cp_thread_count() : MAX_CHUNKS;
  s.ctx = ctx;
  for (s.row = 0; s.row < job->rows; s.row++) CP_TRY(sort_row(&s, buffers));
  return CP_OK;
}

const cp_sort_ops cp_cpu_sort_ops = {.sort_scratch = sort_scratch,
                                     .sort = sort,
                                     .search = cp_cpu_search,
                                     .interpolate = cp_cpu_interpolate,
                                     .move = cp_cpu_move,
                                     .count = cp_cpu_count};
