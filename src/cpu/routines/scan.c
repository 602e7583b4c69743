// Scans on the CPU. A row is cut into chunks, each scanned from its start and combined with the total of the
// chunks before it. So threads can share a long row, and results do not depend on their number. Along another
// axis than the last, a strip of columns passes through all rows with an accumulator per column. float32
// accumulates in float64.
#include "routines/scan.h"
#include "cpu/loops/loops.h"
#include "cpu/run/run.h"
#include "host/threads.h"

#include <string.h>

enum {
  BLOCK = 2048,  // elements converted at a time
  CHUNK = 65536, // elements per task
  STRIP = 512,   // columns per task
  KINDS = CP_SCAN_MAX + 1
};

// The value accumulated so far, in the accumulator of the dtype at hand.
typedef struct carry {
  bool any;
  _Alignas(16) char value[16];
} carry;

// Scans n elements of a register block from src to dst (which may equal src; NULL: only the total is wanted),
// continuing *local. The values written are combined with *before.
typedef void scan_loop(const void *src, void *dst, size_t n, carry *local, const carry *before);

// Scans the next row of n columns; the first row sets the accumulators `sums`.
typedef void column_loop(const void *src, void *dst, size_t n, void *sums, bool first);

typedef struct loop_pair {
  scan_loop *rows;
  column_loop *columns;
} loop_pair;

#define SCAN_LOOP(function, T, ACC, WIDEN, NARROW, COMBINE)                                                  \
  static void function(const void *src, void *dst, size_t n, carry *local, const carry *before) {            \
    const T *s = src;                                                                                        \
    T *d = dst;                                                                                              \
    ACC a, p;                                                                                                \
    size_t k = 0;                                                                                            \
    memcpy(&a, local->value, sizeof a);                                                                      \
    memcpy(&p, before->value, sizeof p);                                                                     \
    for (; k < n; k++) {                                                                                     \
      ACC b = WIDEN(s[k]);                                                                                   \
      a = k > 0 || local->any ? COMBINE(a, b) : b;                                                           \
      if (d) d[k] = NARROW(before->any ? COMBINE(p, a) : a);                                                 \
    }                                                                                                        \
    local->any = local->any || n > 0;                                                                        \
    memcpy(local->value, &a, sizeof a);                                                                      \
  }                                                                                                          \
  static void function##_columns(const void *src, void *dst, size_t n, void *sums, bool first) {             \
    const T *s = src;                                                                                        \
    T *d = dst;                                                                                              \
    ACC *a = sums;                                                                                           \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ACC b = WIDEN(s[k]);                                                                                   \
      a[k] = first ? b : COMBINE(a[k], b);                                                                   \
      d[k] = NARROW(a[k]);                                                                                   \
    }                                                                                                        \
  }

#define SAME(a)        (a)
#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define LESSER(a, b)   ((a) <= (b) ? (a) : (b))
#define GREATER(a, b)  ((a) >= (b) ? (a) : (b))
#define MINIMUM(a, b)  ((a) != (a) || (a) <= (b) ? (a) : (b)) // keeps nan
#define MAXIMUM(a, b)  ((a) != (a) || (a) >= (b) ? (a) : (b))

#define SCAN_LOOPS(name, T, ACC, WIDEN, NARROW)                                                              \
  SCAN_LOOP(sum_##name, T, ACC, WIDEN, NARROW, ADD)                                                          \
  SCAN_LOOP(prod_##name, T, ACC, WIDEN, NARROW, MULTIPLY)                                                    \
  SCAN_LOOP(min_##name, T, ACC, WIDEN, NARROW, MINIMUM)                                                      \
  SCAN_LOOP(max_##name, T, ACC, WIDEN, NARROW, MAXIMUM)

// Integers are added and multiplied as unsigned ones, which wrap around.
#define TO_I8(a)  ((signed char)(a))
#define TO_I16(a) ((short)(a))
#define TO_I32(a) ((int)(a))
#define TO_I64(a) ((long long)(a))
#define TO_U8(a)  ((unsigned char)(a))
#define TO_U16(a) ((unsigned short)(a))
#define WRAP(a)   ((unsigned long long)(a))
#define SINGLE(a) ((float)(a))
#define DOUBLE(a) ((double)(a))

#define INTEGER_LOOPS(name, T, NARROW)                                                                       \
  SCAN_LOOP(sum_##name, T, unsigned long long, WRAP, NARROW, ADD)                                            \
  SCAN_LOOP(prod_##name, T, unsigned long long, WRAP, NARROW, MULTIPLY)                                      \
  SCAN_LOOP(min_##name, T, T, SAME, SAME, LESSER)                                                            \
  SCAN_LOOP(max_##name, T, T, SAME, SAME, GREATER)

INTEGER_LOOPS(int8, signed char, TO_I8)
INTEGER_LOOPS(int16, short, TO_I16)
INTEGER_LOOPS(int32, int, TO_I32)
INTEGER_LOOPS(int64, long long, TO_I64)
INTEGER_LOOPS(uint8, unsigned char, TO_U8)
INTEGER_LOOPS(uint16, unsigned short, TO_U16)
INTEGER_LOOPS(uint32, unsigned, (unsigned))
INTEGER_LOOPS(uint64, unsigned long long, SAME)
SCAN_LOOPS(float32, float, double, DOUBLE, SINGLE)
SCAN_LOOPS(float64, double, double, SAME, SAME)

static cp_complex128 widen(cp_complex64 a) { return (cp_complex128){(double)a.re, (double)a.im}; }
static cp_complex64 narrow(cp_complex128 a) { return (cp_complex64){(float)a.re, (float)a.im}; }
static cp_complex128 add(cp_complex128 a, cp_complex128 b) {
  return (cp_complex128){a.re + b.re, a.im + b.im};
}
static cp_complex128 multiply(cp_complex128 a, cp_complex128 b) {
  return (cp_complex128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static bool missing(cp_complex128 a) { return a.re != a.re || a.im != a.im; }
// Lexicographic order of complex numbers: real parts first, then imaginary parts.
static bool less(cp_complex128 a, cp_complex128 b) { return a.re < b.re || (a.re == b.re && a.im < b.im); }
static cp_complex128 minimum(cp_complex128 a, cp_complex128 b) {
  return missing(a) || (!missing(b) && !less(b, a)) ? a : b;
}
static cp_complex128 maximum(cp_complex128 a, cp_complex128 b) {
  return missing(a) || (!missing(b) && !less(a, b)) ? a : b;
}

#define COMPLEX_LOOPS(name, T, WIDEN, NARROW)                                                                \
  SCAN_LOOP(sum_##name, T, cp_complex128, WIDEN, NARROW, add)                                                \
  SCAN_LOOP(prod_##name, T, cp_complex128, WIDEN, NARROW, multiply)                                          \
  SCAN_LOOP(min_##name, T, cp_complex128, WIDEN, NARROW, minimum)                                            \
  SCAN_LOOP(max_##name, T, cp_complex128, WIDEN, NARROW, maximum)

COMPLEX_LOOPS(complex64, cp_complex64, widen, narrow)
COMPLEX_LOOPS(complex128, cp_complex128, SAME, SAME)

#define OR(a, b)  ((unsigned char)((a) | (b)))
#define AND(a, b) ((unsigned char)((a) & (b)))
SCAN_LOOP(any, unsigned char, unsigned char, SAME, SAME, OR)
SCAN_LOOP(all, unsigned char, unsigned char, SAME, SAME, AND)

#define PAIR(function)                                                                                       \
  { function, function##_columns }
#define ENTRY(ID, name) [CP_##ID] = {PAIR(sum_##name), PAIR(prod_##name), PAIR(min_##name), PAIR(max_##name)}
static const loop_pair loops[CP_NDTYPES][KINDS] = {[CP_BOOL] = {PAIR(any), PAIR(all), PAIR(all), PAIR(any)},
                                                   ENTRY(INT8, int8),
                                                   ENTRY(INT16, int16),
                                                   ENTRY(INT32, int32),
                                                   ENTRY(INT64, int64),
                                                   ENTRY(UINT8, uint8),
                                                   ENTRY(UINT16, uint16),
                                                   ENTRY(UINT32, uint32),
                                                   ENTRY(UINT64, uint64),
                                                   ENTRY(FLOAT16, float32),
                                                   ENTRY(BFLOAT16, float32),
                                                   ENTRY(FLOAT32, float32),
                                                   ENTRY(FLOAT64, float64),
                                                   ENTRY(COMPLEX64, complex64),
                                                   ENTRY(COMPLEX128, complex128)};

typedef struct scan {
  const cp_scan_job *job;
  loop_pair loop;
  bool direct;    // elements need no conversion
  int64_t chunks; // chunks per row
  int64_t tasks;
  bool totals;  // first phase: compute only the totals of the chunks
  carry *carry; // for each chunk its total, later that of all chunks before it; NULL: one chunk or one thread
} scan;

// Blocks of a thread.
typedef struct blocks {
  _Alignas(64) char sums[16 * STRIP], from[16 * BLOCK], to[16 * BLOCK];
} blocks;

static const char *load(const scan *s, blocks *b, int64_t at, size_t n) {
  const cp_scan_job *j = s->job;
  const char *src = (const char *)j->in + (size_t)at * cp_itemsize(j->from);
  const void *from = src;
  if (cp_is_half(j->from)) {
    cp_cpu_loops(CP_FLOAT32)->unpack[j->from == CP_BFLOAT16]((float *)(void *)b->from, from, n);
    from = b->from;
  } else if (j->from == CP_BOOL) {
    for (size_t k = 0; k < n; k++) b->from[k] = src[k] != 0;
    from = b->from;
  }
  if (j->from == j->to) return from;
  cp_cpu_loops(j->from)->casts[j->to](b->to, &from, n);
  return b->to;
}

static void store(const scan *s, blocks *b, int64_t at, size_t n) {
  const cp_scan_job *j = s->job;
  char *dst = (char *)j->out + (size_t)at * cp_itemsize(j->to);
  if (cp_is_half(j->to))
    cp_cpu_loops(CP_FLOAT32)
        ->pack[j->to == CP_BFLOAT16]((unsigned short *)(void *)dst, (const float *)(const void *)b->to, n);
  else
    memcpy(dst, b->to, n * cp_itemsize(j->to));
}

// Scans `rows` whole rows with n elements in all, or a piece of one row (rows = 1, continues *local).
static void scan_block(const scan *s, blocks *b, int64_t at, int64_t rows, size_t n, carry *local,
                       const carry *before) {
  const cp_scan_job *j = s->job;
  size_t in = cp_itemsize(j->from), out = cp_dtypes[j->to].register_size, row = n / (size_t)rows;
  const char *src = s->direct ? (const char *)j->in + (size_t)at * in : load(s, b, at, n);
  char *dst = s->totals ? NULL : s->direct ? (char *)j->out + (size_t)at * out : b->to;
  for (int64_t r = 0; r < rows; r++) {
    size_t skip = (size_t)r * row * out;
    if (rows > 1) local->any = false;
    s->loop.rows(src + skip, dst ? dst + skip : NULL, row, local, before);
  }
  if (!s->totals && !s->direct) store(s, b, at, n);
}

static void scan_chunk(const scan *s, blocks *b, int64_t row, int64_t chunk, carry *local,
                       const carry *before) {
  int64_t length = s->job->length, first = chunk * CHUNK, end = first + CHUNK;
  if (end > length) end = length;
  local->any = false;
  for (int64_t k = first; k < end; k += BLOCK)
    scan_block(s, b, row * length + k, 1, (size_t)(end - k < BLOCK ? end - k : BLOCK), local, before);
}

// Number of rows per task: several, if they are short.
static int64_t rows_per_task(const scan *s) { return s->job->length >= CHUNK ? 1 : CHUNK / s->job->length; }

static void scan_rows(const scan *s, blocks *b, int64_t task) {
  const cp_scan_job *j = s->job;
  int64_t per_task = rows_per_task(s), row = task * per_task, end = row + per_task, at_once = 1;
  const carry none = {.any = false};
  carry local = none;
  if (end > j->rows) end = j->rows;
  if (j->length <= BLOCK) at_once = BLOCK / j->length;
  for (; row < end && j->length > BLOCK; row++) scan_chunk(s, b, row, 0, &local, &none);
  for (; row < end; row += at_once) {
    int64_t rows = end - row < at_once ? end - row : at_once;
    local.any = false;
    scan_block(s, b, row * j->length, rows, (size_t)(rows * j->length), &local, &none);
  }
}

static void scan_columns(const scan *s, cp_tasks *tasks, blocks *b, int64_t task) {
  const cp_scan_job *j = s->job;
  int64_t strips = cp_divide_up(j->inner, STRIP), first = task % strips * STRIP;
  int64_t at = task / strips * j->length * j->inner + first;
  size_t n = (size_t)(j->inner - first < STRIP ? j->inner - first : STRIP);
  for (int64_t k = 0; k < j->length && cp_go_on(tasks); k++, at += j->inner) {
    const char *src = s->direct ? (const char *)j->in + (size_t)at * cp_itemsize(j->from) : load(s, b, at, n);
    char *dst = s->direct ? (char *)j->out + (size_t)at * cp_itemsize(j->to) : b->to;
    s->loop.columns(src, dst, n, b->sums, k == 0);
    if (!s->direct) store(s, b, at, n);
  }
}

static void work(void *data, cp_tasks *tasks) {
  const scan *s = data;
  int64_t task;
  blocks *b = cp_arena(sizeof *b);
  const carry none = {.any = false};
  if (b == NULL) return; // the caller checked that the memory is there
  while (cp_next_task(tasks, &task)) {
    if (s->job->inner > 1) {
      scan_columns(s, tasks, b, task);
      continue;
    }
    if (s->chunks == 1) {
      scan_rows(s, b, task);
      continue;
    }
    int64_t row = task / s->chunks, chunk = task % s->chunks;
    carry local = none;
    scan_chunk(s, b, row, chunk, &local, s->totals || chunk == 0 ? &none : &s->carry[task]);
    if (s->totals) s->carry[task] = local;
  }
}

// The dtype whose elements are the accumulators of t's loops.
static cp_dtype accumulator(cp_dtype t, cp_scan_kind kind) {
  if (t == CP_COMPLEX64) return CP_COMPLEX128;
  if (cp_loop_dtype(t) == CP_FLOAT32) return CP_FLOAT64;
  bool wraps = kind == CP_SCAN_SUM || kind == CP_SCAN_PROD;
  return cp_is_integer(t) && wraps ? CP_UINT64 : t;
}

// total = combination of total and next, as accumulators.
static void accumulate(const scan *s, carry *total, const carry *next) {
  static const carry none = {.any = false};
  cp_dtype t = accumulator(s->job->to, s->job->kind);
  loops[t][s->job->kind].rows(next->value, NULL, 1, total, &none);
}

// Replaces the total of each chunk by the total of all chunks before it.
static cp_status add_up(cp_context *ctx, const scan *s) {
  for (int64_t row = 0; row < s->job->rows; row++) {
    CP_TRY(cp_poll(ctx));
    carry total = {.any = false};
    for (int64_t c = 0; c < s->chunks; c++) {
      carry *here = &s->carry[row * s->chunks + c], next = *here;
      *here = total;
      accumulate(s, &total, &next);
    }
  }
  return CP_OK;
}

static cp_status scan_long_alone(cp_context *ctx, const scan *s, blocks *b) {
  for (int64_t row = 0; row < s->job->rows; row++) {
    carry total = {.any = false}, local = total;
    for (int64_t c = 0; c < s->chunks; c++) {
      CP_TRY(cp_poll(ctx));
      scan_chunk(s, b, row, c, &local, &total);
      accumulate(s, &total, &local);
    }
  }
  return CP_OK;
}

static cp_status scan_long(cp_context *ctx, scan *s, blocks *b) {
  if (s->carry == NULL) return scan_long_alone(ctx, s, b);
  s->totals = true;
  CP_TRY(cp_parallel(ctx, work, s, s->tasks, true));
  CP_TRY(add_up(ctx, s));
  s->totals = false;
  return cp_parallel(ctx, work, s, s->tasks, true);
}

static size_t scratch(cp_device *d, const cp_scan_job *job) {
  int64_t chunks = job->inner > 1 ? 1 : cp_divide_up(job->length, CHUNK);
  (void)d;
  return chunks > 1 && cp_thread_count() > 1 ? (size_t)(chunks * job->rows) * sizeof(carry) : 0;
}

static cp_status run(cp_context *ctx, cp_stream *stream, const cp_scan_job *job) {
  (void)stream;
  scan s = {.job = job, .loop = loops[job->to][job->kind], .carry = job->scratch};
  s.direct = job->from == job->to && !cp_is_half(job->to) && job->to != CP_BOOL;
  s.chunks = job->inner > 1 ? 1 : cp_divide_up(job->length, CHUNK);
  if (job->inner > 1)
    s.tasks = job->rows * cp_divide_up(job->inner, STRIP);
  else
    s.tasks = s.chunks > 1 ? job->rows * s.chunks : cp_divide_up(job->rows, rows_per_task(&s));
  blocks *b = cp_arena(sizeof *b);
  if (b == NULL) return cp_no_memory("scanning");
  ctx->counters.launches++;
  return s.chunks > 1 ? scan_long(ctx, &s, b) : cp_parallel(ctx, work, &s, s.tasks, s.tasks > 1);
}

const cp_scan_ops cp_cpu_scan_ops = {.scratch = scratch, .run = run};
