// Included by sort.c alone: moves what is wanted of a row to its place without sorting the rest. SELECT
// defines select_NAME(s, keys, spare) for elements E, whose keys KEY_OF gives. FAST splits keys by vectors
// (loops/keys.h), or is NULL.
//
// Two pivots around the wanted places, from a sorted sample, split a range into what comes before, between
// and after them; the part between is the next range (Floyd and Rivest, "Expected time bounds for selection",
// 1975). Splitting writes each element to both ends of another array, without a branch.

enum { SHORT_RANGE = 32, LEAST_SAMPLE = 15, MOST_SAMPLE = 255, MOST_ROUNDS = 64 };

static int64_t sample_size(int64_t n) {
  const int64_t m = n / 64;
  return m < LEAST_SAMPLE ? LEAST_SAMPLE : m > MOST_SAMPLE ? MOST_SAMPLE : m;
}

// Where the wanted places, `first` to `last` of n, are about in a sample of m, with a margin on both sides.
static void sample_places(int64_t n, int64_t first, int64_t last, int64_t m, int64_t *low, int64_t *high) {
  int64_t margin = 1;
  while (margin * margin < m) margin++;
  *low = (int64_t)((double)first / (double)n * (double)m) - margin / 2 - 1;
  *high = (int64_t)((double)last / (double)n * (double)m) + margin / 2 + 1;
  if (*low < 0) *low = 0;
  if (*high > m - 1) *high = m - 1;
}

#define SELECT(name, E, KEY_OF, FAST)                                                                        \
  /* Moves the elements whose keys are below `key`, or with `same` not above it, to the front. */            \
  static int64_t split_##name(E *list, E *spare, int64_t n, uint64_t key, const bool same) {                 \
    int64_t low = 0, high = n - 1;                                                                           \
    int64_t (*const fast)(const void *, void *, int64_t, uint64_t, bool) = FAST;                             \
    if (fast != NULL) {                                                                                      \
      low = fast(list, spare, n, key, same);                                                                 \
      memcpy(list, spare, (size_t)n * sizeof *list);                                                         \
      return low;                                                                                            \
    }                                                                                                        \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      const E e = list[k];                                                                                   \
      const bool first = same ? KEY_OF(e) <= key : KEY_OF(e) < key;                                          \
      spare[low] = e;                                                                                        \
      spare[high] = e;                                                                                       \
      low += first;                                                                                          \
      high -= !first;                                                                                        \
    }                                                                                                        \
    memcpy(list, spare, (size_t)n * sizeof *list);                                                           \
    return low;                                                                                              \
  }                                                                                                          \
  static void insert_range_##name(E *list, int64_t n) {                                                      \
    for (int64_t k = 1; k < n; k++) {                                                                        \
      E e = list[k];                                                                                         \
      int64_t at = k;                                                                                        \
      for (; at > 0 && KEY_OF(list[at - 1]) > KEY_OF(e); at--) list[at] = list[at - 1];                      \
      list[at] = e;                                                                                          \
    }                                                                                                        \
  }                                                                                                          \
  /* Few elements by counting those that come before each: no branch depends on them. */                     \
  static void sort_sample_##name(E *list, int64_t n) {                                                       \
    E sorted[LEAST_SAMPLE];                                                                                  \
    if (n > LEAST_SAMPLE) {                                                                                  \
      insert_range_##name(list, n);                                                                          \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      int64_t before = 0;                                                                                    \
      for (int64_t i = 0; i < k; i++) before += KEY_OF(list[i]) <= KEY_OF(list[k]);                          \
      for (int64_t i = k + 1; i < n; i++) before += KEY_OF(list[i]) < KEY_OF(list[k]);                       \
      sorted[before] = list[k];                                                                              \
    }                                                                                                        \
    memcpy(list, sorted, (size_t)n * sizeof *list);                                                          \
  }                                                                                                          \
  static void sink_##name(E *heap, int64_t at, int64_t n) {                                                  \
    E e = heap[at];                                                                                          \
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {                                              \
      child += child + 1 < n && KEY_OF(heap[child]) < KEY_OF(heap[child + 1]);                               \
      if (KEY_OF(heap[child]) <= KEY_OF(e)) break;                                                           \
      heap[at] = heap[child];                                                                                \
    }                                                                                                        \
    heap[at] = e;                                                                                            \
  }                                                                                                          \
  static void sort_range_##name(E *list, int64_t n) {                                                        \
    if (n <= SHORT_RANGE) {                                                                                  \
      insert_range_##name(list, n);                                                                          \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t k = n / 2; k-- > 0;) sink_##name(list, k, n);                                               \
    while (n-- > 1) {                                                                                        \
      E e = list[n];                                                                                         \
      list[n] = list[0];                                                                                     \
      list[0] = e;                                                                                           \
      sink_##name(list, 0, n);                                                                               \
    }                                                                                                        \
  }                                                                                                          \
  static void select_##name(const sorter *s, int64_t begin, int64_t end) {                                   \
    const int64_t first = s->job->first, last = s->job->last, few = last - first + SHORT_RANGE;              \
    E *list = s->from, *spare = s->to, sample[MOST_SAMPLE];                                                  \
    for (int round = 0; end - begin > few && round < MOST_ROUNDS; round++) {                                 \
      const int64_t n = end - begin;                                                                         \
      const int64_t m = sample_size(n);                                                                      \
      int64_t low, high;                                                                                     \
      for (int64_t k = 0; k < m; k++) sample[k] = list[begin + k * (n / m)];                                 \
      sort_sample_##name(sample, m);                                                                         \
      sample_places(n, first - begin, last - begin, m, &low, &high);                                         \
      const uint64_t below = KEY_OF(sample[low]), above = KEY_OF(sample[high]);                              \
      int64_t at =                                                                                           \
          high < m - 1 || below == above ? begin + split_##name(list + begin, spare, n, above, true) : end;  \
      if (at <= first)                                                                                       \
        begin = at; /* the pivot was too low */                                                              \
      else if (at > last)                                                                                    \
        end = at;                                                                                            \
      if (low == 0 && end - begin < n) continue;                                                             \
      at = begin + split_##name(list + begin, spare, end - begin, below, false);                             \
      if (at > last)                                                                                         \
        end = at;                                                                                            \
      else if (at <= first)                                                                                  \
        begin = at;                                                                                          \
      if (below == above && end - begin == n) return; /* all keys are equal */                               \
    }                                                                                                        \
    sort_range_##name(list + begin, end - begin);                                                            \
  }
