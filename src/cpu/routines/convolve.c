// Convolutions on the CPU, row by row in blocks of results. For each block the lines of elements that it
// needs are read in place or, where they cross a border or have another format, copied with their borders.
// The loops of convolutions.c then sum them up.
#include "routines/convolve.h"

#include "cpu/loops/convolutions.h"
#include "cpu/loops/copies.h"
#include "cpu/loops/loops.h"
#include "cpu/routines/recur.h"
#include "host/threads.h"

#include <math.h>
#include <string.h>

enum {
  BLOCK = 1024,     // results per block
  ROWS = 16,        // lines per call of a loop
  TAPS = 128,       // weights of each line per call of a loop
  PER_TASK = 16384, // results per task
  WIDEST = 16       // largest element size in bytes
};

typedef struct slide {
  const cp_convolve_job *job;
  const cp_convolve_axis *inner; // the last axis
  size_t item, part;             // bytes per element in memory, and per number in the loops
  size_t parts;                  // numbers per element: 2 for complex
  cp_convolution_loop *loop;
  bool half, direct;       // direct: loops can read the array's own lines
  bool within;             // no products with elements outside, whatever the weights
  bool sparing;            // no products with weights of 0, of which there are some
  int64_t outer_taps;      // number of lines that a row of results depends on
  int64_t blocks, units;   // blocks per row; blocks of all rows
  int64_t units_of_a_task; // units that a thread takes at a time
} slide;

typedef struct room {
  // complex elements: sums with the real and with the imaginary parts of the weights
  _Alignas(64) char sums[2][BLOCK * WIDEST];
  _Alignas(64) char weights[2][ROWS * TAPS * sizeof(double)];
  _Alignas(64) char lines[ROWS][(BLOCK + TAPS) * WIDEST];
  unsigned short halves[BLOCK + TAPS];
  const void *row[ROWS];
} room;

// ---- reading

// Reads `count` elements that lie `stride` apart, as numbers that the loops take.
static void read_run(const slide *s, room *m, char *to, const char *from, int64_t stride, size_t count) {
  void (*gather)(char *, const char *, int64_t, size_t) = cp_cpu_copy_loops()->gather[cp_move_size(s->item)];
  if (!s->half) {
    gather(to, from, stride, count);
    return;
  }
  gather((char *)m->halves, from, stride, count);
  cp_cpu_loops(CP_FLOAT32)->unpack[s->job->dtype == CP_BFLOAT16]((float *)(void *)to, m->halves, count);
}

// Reads `count` elements of a line from index `first` on, which may lie outside the line. line NULL: the
// whole line lies outside the array.
static void read_line(const slide *s, room *m, char *to, const char *line, int64_t first, size_t count) {
  const int64_t n = s->inner->in, stride = s->inner->in_stride * (int64_t)s->item;
  for (size_t k = 0, run; k < count; k += run, to += run * s->part * s->parts) {
    int64_t c = first + (int64_t)k;
    run = 1;
    if (line != NULL && c >= 0 && c < n) {
      run = n - c < (int64_t)(count - k) ? (size_t)(n - c) : count - k;
      read_run(s, m, to, line + c * stride, stride, run);
      continue;
    }
    int64_t place = line == NULL ? -1 : cp_border_place(s->job->border, c, n);
    read_run(s, m, to, place < 0 ? s->job->fill : line + place * stride, 0, 1);
  }
}

// The line that outer tap r reads for the row of results at `at`. NULL: it lies outside the array.
static const char *line_of(const slide *s, const int64_t *at, int64_t r) {
  const cp_convolve_job *j = s->job;
  int64_t offset = 0;
  for (int d = j->ndim - 2; d >= 0; d--) {
    const cp_convolve_axis *a = &j->axes[d];
    int64_t place = cp_border_place(j->border, at[d] + a->start + r % a->filter, a->in);
    if (place < 0) return NULL;
    r /= a->filter;
    offset += place * a->in_stride;
  }
  return j->in + offset * (int64_t)s->item;
}

// Reads the weights of `rows` outer taps from r on and `taps` inner taps from k on.
static void read_weights(const slide *s, room *m, int64_t r, size_t rows, int64_t k, size_t taps) {
  const cp_convolve_job *j = s->job;
  const int64_t length = s->inner->filter, total = s->outer_taps * length;
  char element[2 * sizeof(double)];
  for (size_t i = 0; i < rows * taps; i++) {
    int64_t e = (r + (int64_t)(i / taps)) * length + k + (int64_t)(i % taps);
    read_run(s, m, element, j->filter + (j->reversed ? total - 1 - e : e) * (int64_t)s->item, 0, 1);
    if (j->dtype == CP_BOOL) element[0] = element[0] != 0 ? (char)-1 : 0;
    memcpy(m->weights[0] + i * s->part, element, s->part);
    if (s->parts > 1) memcpy(m->weights[1] + i * s->part, element + s->part, s->part);
  }
}

// ---- sums

static int64_t between(int64_t low, int64_t v, int64_t high) { return v < low ? low : v > high ? high : v; }

// Combines the sums with the real and with the imaginary parts of the weights into complex numbers.
#define MEET(name, R)                                                                                        \
  static void meet_##name(void *real, const void *imaginary, size_t n, R sign) {                             \
    R *a = real;                                                                                             \
    const R *b = imaginary;                                                                                  \
    for (size_t k = 0; k < 2 * n; k += 2) {                                                                  \
      a[k] -= sign * b[k + 1];                                                                               \
      a[k + 1] += sign * b[k];                                                                               \
    }                                                                                                        \
  }
MEET(float, float)
MEET(double, double)

static void write_sums(const slide *s, room *m, char *out, size_t n) {
  const cp_convolve_job *j = s->job;
  const char *from = m->sums[0];
  if (j->dtype == CP_COMPLEX64) meet_float(m->sums[0], m->sums[1], n, j->conjugate ? -1.0f : 1.0f);
  if (j->dtype == CP_COMPLEX128) meet_double(m->sums[0], m->sums[1], n, j->conjugate ? -1.0 : 1.0);
  if (j->dtype == CP_BOOL)
    for (size_t k = 0; k < n; k++) m->sums[0][k] = m->sums[0][k] != 0;
  if (s->half) {
    cp_cpu_loops(CP_FLOAT32)
        ->pack[j->dtype == CP_BFLOAT16](m->halves, (const float *)(const void *)m->sums[0], n);
    from = (const char *)m->halves;
  }
  cp_cpu_copy_loops()->scatter[cp_move_size(s->item)](out, from, s->inner->out_stride * (int64_t)s->item, n);
}

static bool is_zero(const slide *s, const char *weight) {
  float narrow;
  double wide;
  memcpy(s->part == sizeof wide ? (void *)&wide : (void *)&narrow, weight, s->part);
  return s->part == sizeof wide ? wide == 0 : narrow == 0;
}

// How many of `taps` weights come before the first that is 0, or isn't.
static size_t run_of(const slide *s, const char *weights, size_t taps, bool zeros) {
  size_t n = 0;
  while (n < taps && (s->sparing && is_zero(s, weights + n * s->part)) == zeros) n++;
  return n;
}

// Adds the products with these weights, which belong to `taps` elements of each row, to n results: rows
// without anything to leave out together, others by runs of weights other than 0.
static void multiply(const slide *s, room *m, size_t rows, size_t taps, size_t n) {
  const size_t parts = s->parts, part = s->part;
  for (size_t p = 0; p < parts; p++) {
    for (size_t i = 0, next; i < rows; i = next) {
      const char *weights = m->weights[p] + i * taps * part;
      for (next = i; next < rows && m->row[next] != NULL; next++)
        if (run_of(s, weights + (next - i) * taps * part, taps, false) < taps) break;
      if (next > i) {
        s->loop(m->sums[p], m->row + i, weights, next - i, taps, parts, n * parts);
        continue;
      }
      next = i + 1;
      for (size_t k = 0, run; m->row[i] != NULL && k < taps; k += run) {
        k += run_of(s, weights + k * part, taps - k, true);
        run = run_of(s, weights + k * part, taps - k, false);
        const void *row = (const char *)m->row[i] + k * part * parts;
        if (run > 0) s->loop(m->sums[p], &row, weights + k * part, 1, run, parts, n * parts);
      }
    }
  }
}

// Computes n results from position `from` on, n <= BLOCK.
static void add_up(const slide *s, cp_tasks *tasks, room *m, const int64_t *at, char *out, int64_t from,
                   size_t n) {
  // Of a single result, `within` leaves out the weights of elements outside.
  const int64_t lead = from + s->inner->start, all = s->inner->filter;
  const int64_t before = s->within && n == 1 ? between(0, -lead, all) : 0;
  const int64_t length = s->within && n == 1 ? between(before, s->inner->in - lead, all) : all;
  size_t rows, taps;
  for (size_t p = 0; p < s->parts; p++) memset(m->sums[p], 0, n * s->parts * s->part);
  for (int64_t r = 0; r < s->outer_taps; r += (int64_t)rows) {
    rows = s->outer_taps - r < ROWS ? (size_t)(s->outer_taps - r) : ROWS;
    for (int64_t k = before; k < length; k += (int64_t)taps) {
      if (!cp_go_on(tasks)) return;
      taps = length - k < TAPS ? (size_t)(length - k) : TAPS;
      int64_t first = lead + k;
      size_t count = n + taps - 1;
      bool inside = s->direct && first >= 0 && first + (int64_t)count <= s->inner->in;
      read_weights(s, m, r, rows, k, taps);
      for (size_t i = 0; i < rows; i++) {
        const char *line = line_of(s, at, r + (int64_t)i);
        m->row[i] = m->lines[i];
        if (s->within && line == NULL)
          m->row[i] = NULL;
        else if (inside && line != NULL)
          m->row[i] = line + first * (int64_t)s->item;
        else
          read_line(s, m, m->lines[i], line, first, count);
      }
      multiply(s, m, rows, taps, n);
    }
  }
  write_sums(s, m, out + from * s->inner->out_stride * (int64_t)s->item, n);
}

// ---- blocks

// Computes a block: the results that need no border apart from those that do.
static void run_unit(const slide *s, cp_tasks *tasks, room *m, int64_t unit) {
  const cp_convolve_job *j = s->job;
  int64_t at[CP_MAXDIM], row = unit / s->blocks, from = unit % s->blocks * BLOCK, offset = 0;
  int64_t end = between(0, from + BLOCK, s->inner->out);
  for (int d = j->ndim - 2; d >= 0; d--) {
    at[d] = row % j->axes[d].out;
    row /= j->axes[d].out;
    offset += at[d] * j->axes[d].out_stride;
  }
  int64_t safe = between(from, -s->inner->start, end);
  int64_t unsafe = between(safe, s->inner->in - s->inner->filter - s->inner->start + 1, end);
  const int64_t ends[] = {s->direct ? safe : from, s->direct ? unsafe : from, end};
  char *out = j->out + offset * (int64_t)s->item;
  for (int k = 0; k < 3; from = ends[k++]) {
    for (; s->within && k != 1 && from < ends[k]; from++) add_up(s, tasks, m, at, out, from, 1);
    if (ends[k] > from) add_up(s, tasks, m, at, out, from, (size_t)(ends[k] - from));
  }
}

static void work(void *data, cp_tasks *tasks) {
  const slide *s = data;
  int64_t task;
  room *m = cp_arena(sizeof *m);
  if (m == NULL) return; // the caller checked that the memory is there
  while (cp_next_task(tasks, &task)) {
    int64_t unit = task * s->units_of_a_task, end = between(0, unit + s->units_of_a_task, s->units);
    for (; unit < end; unit++) run_unit(s, tasks, m, unit);
  }
}

static bool is_special(double weight) { return !isfinite(weight); }

static bool is_nothing(double weight) { return weight == 0; }

// Whether a number of the filter is as asked.
static bool has_weight(const slide *s, room *m, bool (*asked)(double)) {
  double number[2];
  const bool wide = s->part == sizeof(double);
  int64_t n = s->outer_taps * s->inner->filter;
  for (int64_t e = 0; e < n; e++) {
    float narrow[2];
    read_run(s, m, wide ? (char *)number : (char *)narrow, s->job->filter + e * (int64_t)s->item, 0, 1);
    for (size_t p = 0; p < s->parts; p++)
      if (asked(wide ? number[p] : (double)narrow[p])) return true;
  }
  return false;
}

static cp_convolution_loop *loop_of(cp_dtype t) {
  const cp_convolution_loops *convolutions = cp_cpu_convolution_loops();
  cp_dtype real = cp_dtypes[cp_loop_dtype(t)].real;
  if (t == CP_BOOL) return convolutions->bool_;
  if (real == CP_FLOAT32) return convolutions->float32;
  if (real == CP_FLOAT64) return convolutions->float64;
  return convolutions->bits[cp_move_size(cp_itemsize(t))];
}

static cp_status convolve(cp_context *ctx, cp_stream *stream, const cp_convolve_job *j) {
  (void)stream;
  slide s = {.job = j, .inner = &j->axes[j->ndim - 1], .item = cp_itemsize(j->dtype), .outer_taps = 1};
  s.half = cp_is_half(j->dtype);
  s.parts = cp_is_complex(j->dtype) ? 2 : 1;
  s.part = s.half ? sizeof(float) : s.item / s.parts;
  s.direct = !s.half && s.inner->in_stride == 1;
  s.loop = loop_of(j->dtype);
  s.blocks = s.units = s.inner->out / BLOCK + (s.inner->out % BLOCK != 0);
  for (int d = 0; d < j->ndim - 1; d++) {
    s.units *= j->axes[d].out;
    s.outer_taps *= j->axes[d].filter;
  }
  s.units_of_a_task = PER_TASK / (s.inner->out < BLOCK ? s.inner->out : BLOCK);
  int64_t tasks = s.units / s.units_of_a_task + (s.units % s.units_of_a_task != 0);
  room *m = cp_arena(sizeof *m);
  if (m == NULL) return cp_no_memory("convolving");
  s.within = j->border == CP_BORDER_NONE && has_weight(&s, m, is_special);
  s.sparing = j->sparing && has_weight(&s, m, is_nothing);
  ctx->counters.launches++;
  return cp_parallel(ctx, work, &s, tasks, tasks > 1);
}

const cp_convolve_ops cp_cpu_convolve_ops = {.convolve = convolve, .recur = cp_cpu_recur};
