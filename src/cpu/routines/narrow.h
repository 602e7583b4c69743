// Included by sort.c alone, after select.h: the first steps of a selection where vectors can split elements,
// or list their positions (loops/keys.h), without making them keys. Only what they leave is made into keys,
// and back. The result is one that select_NAME could give for the whole row.

typedef int64_t splitter(const cp_key_ordering *o, const void *elements, void *parted, int64_t n,
                         uint64_t pivot, bool same);

typedef struct range {
  int64_t begin, end;
} range;

// Sorted keys of m elements of the row.
static void sample_keys(const sorter *s, uint64_t *sample, int64_t m) {
  const void *row = row_of(s);
  const int64_t step = s->job->length / m;
  for (int64_t k = 0; k < m; k++)
    sample[k] = s->order.bits == 64 ? cp_order_key(s->order, read_u64(row, k * step))
                                    : (uint32_t)cp_order_key(s->order, read_u32(row, k * step));
  sort_sample_u64(sample, m);
}

// The part of a range that has the wanted places, where its elements from `at` on come after the others.
static range wanted_part(const sorter *s, range whole, int64_t at) {
  return (range){at <= s->job->first ? at : whole.begin, at > s->job->last ? at : whole.end};
}

// Splits the row by the better of two pivots around the wanted places into where the results go, and values
// by the other one too. Returns the range left.
static range narrow(const sorter *s) {
  const cp_keys *keys = cp_cpu_keys();
  const int64_t n = s->job->length, m = sample_size(n);
  const bool wide = s->order.bits == 64, values = s->job->values != NULL;
  splitter *const split = values ? keys->split_elements[wide] : keys->split_places[wide];
  uint64_t sample[MOST_SAMPLE];
  int64_t low, high;
  sample_keys(s, sample, m);
  sample_places(n, s->job->first, s->job->last, m, &low, &high);
  const bool above = high + low < m; // which pivot leaves less
  int64_t at = split(&s->order, row_of(s), result_of(s), n, sample[above ? high : low], above);
  const range left = wanted_part(s, (range){0, n}, at);
  if (!values || low == 0 || high == m - 1) return left;
  char *rest = (char *)result_of(s) + (size_t)left.begin * s->steps->size;
  at = split(&s->order, rest, s->to, left.end - left.begin, sample[above ? low : high], !above);
  memcpy(rest, s->to, (size_t)(left.end - left.begin) * s->steps->size);
  return wanted_part(s, left, left.begin + at);
}

static bool can_narrow(const sorter *s) {
  return s->order.bits >= 32 && cp_cpu_keys()->split_places[0] != NULL && s->job->length > 4 * SHORT_RANGE;
}
