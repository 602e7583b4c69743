// Included by loops.c alone: moments (count, mean, sum of squared deviations) of many elements, without a
// division per element.
//
// Elements are taken as differences from `near`, a number close to their mean: the mean of every fourth step
// or row. The sum of squares around it is at most four times that around the true mean, whatever the elements
// are. The remaining difference is corrected in the end (moments_near). A complex element counts as PARTS
// real numbers. With `skip`, nan is ignored, and `near` is the mean of all other elements; real numbers only.

enum { PARTS = sizeof(T) / sizeof(R), EVERY = 4 };

CP_FN acc_moments moments_of_parts(const R *near, const R *sum, const R *squares, R n) {
#if defined(CP_KIND_COMPLEX)
  return moments_near(c_make(near[0], near[1]), c_make(sum[0], sum[1]), squares[0] + squares[1], n);
#else
  return moments_near(near[0], sum[0], squares[0], n);
#endif
}

// ---- contiguous elements: a step is 128 bytes whatever the vector size, so the order of additions is the
// same

enum { STEP = 128 / sizeof(R), WIDE = VECTOR / sizeof(R), VECTORS = 128 / VECTOR, RUN = 16, PIECE = 4 * RUN };
typedef R moments_vector __attribute__((vector_size(VECTOR)));
#if defined(CP_LOOP_TYPE_float64) || defined(CP_LOOP_TYPE_complex128)
typedef long long moments_mask __attribute__((vector_size(VECTOR)));
#else
typedef int moments_mask __attribute__((vector_size(VECTOR)));
#endif
typedef struct moments_step {
  moments_vector v[VECTORS];
} moments_step;
#define EACH_VECTOR(i) _Pragma("GCC unroll 8") for (int i = 0; i < VECTORS; i++)

CP_FN moments_step step_of(const R *v) {
  moments_step s;
  EACH_VECTOR(i) memcpy(&s.v[i], v + i * WIDE, VECTOR);
  return s;
}

CP_FN moments_step step_none(void) {
  moments_step s;
  EACH_VECTOR(i) s.v[i] = (moments_vector){0};
  return s;
}

// A step whose elements all equal the given one (a number per part).
CP_FN moments_step step_like(const R *parts) {
  R v[STEP];
  for (int j = 0; j < STEP; j++) v[j] = parts[j % PARTS];
  return step_of(v);
}

CP_FN void step_add(moments_step *s, const moments_step *a) { EACH_VECTOR(i) s->v[i] += a->v[i]; }

// Adds up each part, by halving.
CP_FN void step_across(const moments_step *s, R *parts) {
  moments_step t = *s;
  R v[WIDE];
  for (int half = VECTORS / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; i++) t.v[i] += t.v[i + half];
  }
  memcpy(v, &t.v[0], VECTOR);
  for (int half = WIDE / 2; half >= PARTS; half /= 2) {
    for (int j = 0; j < half; j++) v[j] += v[j + half];
  }
  for (int j = 0; j < PARTS; j++) parts[j] = v[j];
}

// The mean of every fourth step, or of the tail where there is none. *n becomes the number of elements that
// count.
CP_FN void near_of(const R *v, size_t steps, const R *tail, size_t rest, const int skip, R *near, R *n) {
  const moments_vector one = (moments_vector){0} + (R)1;
  moments_step sum = step_none(), count = step_none();
  size_t taken = 0, count_of = steps + (rest > 0 && (skip || steps == 0));
  for (size_t k = 0; k < count_of; k += skip ? 1 : EVERY) {
    const moments_step x = step_of(k < steps ? v + k * STEP : tail);
    taken += k < steps ? (size_t)STEP : rest;
    EACH_VECTOR(i) {
      moments_mask counts = (moments_mask)(x.v[i] == x.v[i]);
      sum.v[i] += skip ? (moments_vector)((moments_mask)x.v[i] & counts) : x.v[i];
      if (skip) count.v[i] += (moments_vector)((moments_mask)one & counts);
    }
  }
  step_across(&sum, near);
  if (skip) step_across(&count, n);
  const R among = skip ? *n : (R)(taken / PARTS);
  for (int p = 0; p < PARTS; p++) {
    near[p] = among > 0 ? near[p] / among : (R)0;
    if (!(near[p] - near[p] == 0)) near[p] = skip ? (R)0 : steps > 0 ? v[p] : tail[p]; // the sum overflowed
  }
}

typedef struct moments_sums {
  moments_step sum, squares; // sums of differences and of their squares
} moments_sums;

CP_FN moments_sums sums_none(void) {
  moments_sums r = {step_none(), step_none()};
  return r;
}

CP_FN void take_step(moments_sums *to, const R *v, const moments_step *near, const int skip) {
  const moments_step x = step_of(v);
  EACH_VECTOR(i) {
    moments_vector d = x.v[i] - near->v[i];
    if (skip) d = (moments_vector)((moments_mask)d & (moments_mask)(x.v[i] == x.v[i]));
    to->sum.v[i] += d;
    to->squares.v[i] += d * d;
  }
}

// Moments of at most PIECE steps, in runs, so that few additions follow one another. The tail is padded with
// values that do not change the result.
CP_FN acc_moments moments_piece(const R *v, size_t reals, const int skip) {
  size_t steps = reals / STEP, rest = reals % STEP;
  R tail[STEP], near[PARTS], sum[PARTS], squares[PARTS], n = (R)(reals / PARTS);
  for (int j = 0; j < STEP; j++) tail[j] = skip ? (R)NAN : (R)0;
  memcpy(tail, v + steps * STEP, rest * sizeof *tail);
  near_of(v, steps, tail, rest, skip, near, &n);
  const moments_step base = step_like(near);
  moments_sums total = sums_none();
  for (size_t k = 0; k < steps; k += RUN) {
    moments_sums run = sums_none();
    for (size_t j = k; j < steps && j < k + RUN; j++) take_step(&run, v + j * STEP, &base, skip);
    step_add(&total.sum, &run.sum);
    step_add(&total.squares, &run.squares);
  }
  if (rest > 0) {
    for (int j = 0; !skip && j < STEP; j++) tail[j] = (size_t)j < rest ? tail[j] : near[j % PARTS];
    take_step(&total, tail, &base, skip);
  }
  step_across(&total.sum, sum);
  step_across(&total.squares, squares);
  return moments_of_parts(near, sum, squares, n);
}

// Fewer numbers than two steps, where the overhead of steps would dominate. Here `near` is the mean of all.
enum { FEW = 2 * STEP, LANE = 32 / sizeof(R) };
typedef R moments_lane __attribute__((vector_size(32)));

CP_FN void lane_across(const moments_lane *lane, R *parts) {
  R v[LANE];
  memcpy(v, lane, sizeof v);
  for (int half = LANE / 2; half >= PARTS; half /= 2) {
    for (int j = 0; j < half; j++) v[j] += v[j + half];
  }
  for (int p = 0; p < PARTS; p++) parts[p] += v[p];
}

CP_FN acc_moments moments_few(const R *v, size_t reals) {
  moments_lane x, base, lane = {0}, lanes = {0};
  R near[PARTS] = {0}, sum[PARTS] = {0}, squares[PARTS] = {0}, n = (R)(reals / PARTS), like[LANE];
  size_t whole = reals / LANE * LANE;
  for (size_t k = 0; k < whole; k += LANE) {
    memcpy(&x, v + k, sizeof x);
    lane += x;
  }
  for (size_t k = whole; k < reals; k++) near[k % PARTS] += v[k];
  lane_across(&lane, near);
  for (int p = 0; p < PARTS; p++) {
    near[p] /= n;
    if (!(near[p] - near[p] == 0)) near[p] = v[p]; // the sum overflowed
  }
  for (int j = 0; j < LANE; j++) like[j] = near[j % PARTS];
  memcpy(&base, like, sizeof base);
  lane = lanes;
  for (size_t k = 0; k < whole; k += LANE) {
    memcpy(&x, v + k, sizeof x);
    x -= base;
    lane += x;
    lanes += x * x;
  }
  for (size_t k = whole; k < reals; k++) {
    R d = v[k] - near[k % PARTS];
    sum[k % PARTS] += d;
    squares[k % PARTS] += d * d;
  }
  lane_across(&lane, sum);
  lane_across(&lanes, squares);
  return moments_of_parts(near, sum, squares, n);
}

CP_FN size_t front_moments(acc_moments *acc, const T *v, size_t n, const int skip) {
  enum { MOST = PIECE * STEP / PARTS };
  if (!skip && n > 0 && n * PARTS < FEW) {
    *acc = moments_few((const R *)v, n * PARTS);
    return n;
  }
  for (size_t k = 0; k < n; k += MOST) {
    const acc_moments piece = moments_piece((const R *)(v + k), (n - k < MOST ? n - k : MOST) * PARTS, skip);
    *acc = k == 0 ? piece : moments_add(*acc, piece);
  }
  return n;
}

// ---- columns

enum {
  ACROSS = 4096 / sizeof(R)
}; // numbers of a row that are processed at once, while their sums stay in the cache

// Adds a row to near[j], and with skip to the counts n[j] of elements that are not nan. fresh: stores instead
// of adding.
CP_FN void near_row(const R *v, size_t m, const int skip, const int fresh, R *near, R *n) {
  INDEPENDENT for (size_t j = 0; j < m; j++) {
    near[j] = (fresh ? (R)0 : near[j]) + (skip && v[j] != v[j] ? (R)0 : v[j]);
    if (skip) n[j] = (fresh ? (R)0 : n[j]) + (v[j] != v[j] ? (R)0 : (R)1);
  }
}

// A part of a matrix whose rows are `pitch` bytes apart: m numbers of each row from the k-th on.
typedef struct columns {
  const void *values;
  size_t k, m;
  int64_t pitch;
} columns;

CP_FN const R *numbers_of(const columns c, size_t r) { return (const R *)row_at(c.values, r, c.pitch) + c.k; }

// near[j] = the mean of column j over every fourth row; with skip, over all rows.
CP_FN void near_of_rows(const columns c, size_t rows, const int skip, R *near, R *n) {
  const R *first = numbers_of(c, 0);
  const size_t m = c.m;
  const R share = (R)1 / (R)((rows + EVERY - 1) / EVERY);
  int odd = 0;
  near_row(first, m, skip, 1, near, n);
  for (size_t r = skip ? 1 : EVERY; r < rows; r += skip ? 1 : EVERY) {
    near_row(numbers_of(c, r), m, skip, 0, near, n);
  }
  INDEPENDENT for (size_t j = 0; j < m; j++) {
    near[j] = !skip ? near[j] * share : n[j] > 0 ? near[j] / n[j] : (R)0;
    odd |= near[j] - near[j] != 0;
  }
  for (size_t j = 0; odd && j < m; j++) {
    if (near[j] - near[j] != 0) near[j] = skip ? (R)0 : first[j]; // the sum overflowed
  }
}

CP_FN R apart(R a, R near, const int skip) { return skip && a != a ? (R)0 : a - near; }

CP_FN void take_row(const R *v, size_t m, const int skip, const int fresh, const R *near, R *sum,
                    R *squares) {
  INDEPENDENT for (size_t j = 0; j < m; j++) {
    const R a = apart(v[j], near[j], skip);
    sum[j] = (fresh ? (R)0 : sum[j]) + a;
    squares[j] = (fresh ? (R)0 : squares[j]) + a * a;
  }
}

CP_FN void take_four_rows(const columns c, size_t r, const int skip, const int fresh, const R *near, R *sum,
                          R *squares) {
  const R *v0 = numbers_of(c, r), *v1 = numbers_of(c, r + 1), *v2 = numbers_of(c, r + 2),
          *v3 = numbers_of(c, r + 3);
  const size_t m = c.m;
  INDEPENDENT for (size_t j = 0; j < m; j++) {
    const R a0 = apart(v0[j], near[j], skip), a1 = apart(v1[j], near[j], skip);
    const R a2 = apart(v2[j], near[j], skip), a3 = apart(v3[j], near[j], skip);
    sum[j] = (fresh ? (R)0 : sum[j]) + ((a0 + a1) + (a2 + a3));
    squares[j] = (fresh ? (R)0 : squares[j]) + ((a0 * a0 + a1 * a1) + (a2 * a2 + a3 * a3));
  }
}

// Adds the differences of rows from `near`, and their squares, for the rows from r on (at least one).
CP_FN void take_rows(const columns c, size_t r, size_t rows, const int skip, const R *near, R *sum,
                     R *squares) {
  if (r + 4 <= rows) {
    take_four_rows(c, r, skip, 1, near, sum, squares);
    r += 4;
  } else {
    take_row(numbers_of(c, r), c.m, skip, 1, near, sum, squares);
    r++;
  }
  for (; r + 4 <= rows; r += 4) take_four_rows(c, r, skip, 0, near, sum, squares);
  for (; r < rows; r++) take_row(numbers_of(c, r), c.m, skip, 0, near, sum, squares);
}

// Computes the moments of columns with n elements each, or count[j] where count is given. Merges them with
// accumulators only where these are not empty, as merging takes longer.
CP_FN void settle(acc_moments *accs, size_t m, const R *near, const R *sum, const R *squares, R n,
                  const R *count) {
  int any = 0;
  for (size_t j = 0; j < m / PARTS; j++) any |= accs[j].n > 0;
  if (!any) {
    INDEPENDENT for (size_t j = 0; j < m; j += PARTS) {
      accs[j / PARTS] = moments_of_parts(near + j, sum + j, squares + j, count ? count[j] : n);
    }
    return;
  }
  INDEPENDENT for (size_t j = 0; j < m; j += PARTS) {
    const acc_moments more = moments_of_parts(near + j, sum + j, squares + j, count ? count[j] : n);
    accs[j / PARTS] = moments_add(accs[j / PARTS], more);
  }
}

static int rows_moments(acc_moments *accs, const void *values, size_t n, size_t rows, int64_t pitch,
                        const int skip) {
  if (rows < 2) return 0;
  for (size_t k = 0; k < n * PARTS; k += ACROSS) {
    size_t m = n * PARTS - k < ACROSS ? n * PARTS - k : ACROSS;
    R near[ACROSS], sum[ACROSS], squares[ACROSS], count[ACROSS];
    const size_t first = !skip && rows <= EVERY; // row 0 is `near`, and its difference from itself is 0
    const R *base = first ? (const R *)values + k : near;
    const columns c = {values, k, m, pitch};
    if (!first) near_of_rows(c, rows, skip, near, count);
    take_rows(c, first, rows, skip, base, sum, squares);
    settle(accs + k / PARTS, m, base, sum, squares, (R)rows, skip ? count : NULL);
  }
  return 1;
}

#if defined(CP_KIND_COMPLEX)
#define SKIP_FRONT(acc, v, n)              0
#define SKIP_ROWS(accs, v, n, rows, pitch) 0
#else
#define SKIP_FRONT(acc, v, n)              front_moments(acc, v, n, 1)
#define SKIP_ROWS(accs, v, n, rows, pitch) rows_moments(accs, v, n, rows, pitch, 1)
#endif
#define front_var(acc, v, n)                 front_moments(acc, v, n, 0)
#define front_std(acc, v, n)                 front_moments(acc, v, n, 0)
#define front_nanvar(acc, v, n)              SKIP_FRONT(acc, v, n)
#define front_nanstd(acc, v, n)              SKIP_FRONT(acc, v, n)
#define rows_var(accs, v, n, rows, pitch)    rows_moments(accs, v, n, rows, pitch, 0)
#define rows_std(accs, v, n, rows, pitch)    rows_moments(accs, v, n, rows, pitch, 0)
#define rows_nanvar(accs, v, n, rows, pitch) SKIP_ROWS(accs, v, n, rows, pitch)
#define rows_nanstd(accs, v, n, rows, pitch) SKIP_ROWS(accs, v, n, rows, pitch)
