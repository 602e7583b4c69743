// Checks the vectorized sorting of keys, at this machine's instruction level, against qsort: lengths up to
// several vectors and rounds; keys that are equal, few, sorted or the highest; signed and floating elements;
// and the fallback to heapsort. Then splitting by a pivot.
#include "cpu/loops/keys.h"
#include "cpu/loops/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 100003, GUARD = 4, LEVELS = 40, KINDS = 7 };

static int failures;
static uint64_t state = 1;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static uint64_t key_of(int kind, size_t k, size_t n) {
  switch (kind) {
  case 0: return draw();
  case 1: return draw() % 3;
  case 2: return 7;
  case 3: return UINT64_MAX;
  case 4: return k;
  case 5: return n - k;
  default: return draw() % 2 ? UINT64_MAX : draw();
  }
}

static int compare32(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}
static int compare64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

typedef struct width {
  size_t size;
  void (*sort)(const cp_key_ordering *o, void *sorted, const void *elements, size_t n,
               const cp_wanted *wanted);
  int64_t (*split)(const void *keys, void *parted, int64_t n, uint64_t pivot, bool same);
  int (*compare)(const void *a, const void *b);
  cp_dtype dtypes[3];
} width;

static void fail(const width *w, const char *what, size_t n, int kind) {
  fprintf(stderr, "keys of %zu bytes, n = %zu, kind %d: %s\n", w->size, n, kind, what);
  failures++;
}

static void fill(const width *w, void *keys, size_t n, int kind) {
  for (size_t k = 0; k < n; k++) {
    uint64_t key = key_of(kind, k, n);
    uint32_t low = (uint32_t)key;
    memcpy((char *)keys + k * w->size, w->size == 4 ? (void *)&low : (void *)&key, w->size);
  }
  memset((char *)keys + n * w->size, 0x5a, GUARD * w->size); // must not be changed
}

static void check(const width *w, const char *what, const void *keys, const void *wanted, size_t n,
                  int kind) {
  if (memcmp(keys, wanted, (n + GUARD) * w->size) != 0) fail(w, what, n, kind);
}

static void check_sorted(const width *w, size_t n, int kind, int levels) {
  static uint64_t keys[LONGEST + GUARD], wanted[LONGEST + GUARD];
  fill(w, keys, n, kind);
  memcpy(wanted, keys, (n + GUARD) * w->size);
  qsort(wanted, n, w->size, w->compare);
  const cp_wanted all = {0, n > 0 ? n - 1 : 0, levels};
  w->sort(NULL, keys, keys, n, &all);
  check(w, levels < LEVELS ? "keys not sorted after few divisions" : "keys not sorted", keys, wanted, n,
        kind);
}

static bool is_above(const width *w, const char *keys, size_t a, size_t b) {
  return w->compare(keys + a * w->size, keys + b * w->size) > 0;
}

// Only some places are wanted: they hold what they hold after a sort, and what lies before and behind them is
// not above and not below.
static void check_part(const width *w, size_t n, int kind, size_t first, size_t last) {
  static uint64_t keys[LONGEST + GUARD], wanted[LONGEST + GUARD];
  const cp_wanted part = {first, last, LEVELS};
  const char *at = (const char *)keys;
  bool good = true;
  fill(w, keys, n, kind);
  memcpy(wanted, keys, (n + GUARD) * w->size);
  qsort(wanted, n, w->size, w->compare);
  w->sort(NULL, keys, keys, n, &part);
  for (size_t k = 0; k < first; k++) good = good && !is_above(w, at, k, first);
  for (size_t k = last + 1; k < n; k++) good = good && !is_above(w, at, last, k);
  good = good && memcmp(at + first * w->size, (const char *)wanted + first * w->size,
                        (last - first + 1) * w->size) == 0;
  qsort(keys, n, w->size, w->compare);
  check(w, "keys lost", keys, wanted, n, kind);
  if (!good) fail(w, "places not as in a sort", n, kind);
}

// Elements sorted in place, and to another place.
static void check_elements(const width *w, size_t n, int kind, cp_dtype dtype) {
  static uint64_t elements[LONGEST + GUARD], wanted[LONGEST + GUARD], sorted[LONGEST + GUARD];
  const cp_key_ordering o = cp_order_of(dtype);
  const int log = w->size == 4 ? 2 : 3;
  fill(w, elements, n, kind);
  memcpy(wanted, elements, (n + GUARD) * w->size);
  memcpy(sorted, elements, (n + GUARD) * w->size);
  cp_cpu_keys()->encode[log](&o, wanted, wanted, n);
  qsort(wanted, n, w->size, w->compare);
  cp_cpu_keys()->decode[log](&o, wanted, wanted, n);
  memset(sorted, 0, n * w->size);
  const cp_wanted all = {0, n > 0 ? n - 1 : 0, LEVELS};
  w->sort(&o, sorted, elements, n, &all);
  check(w, "elements not sorted", sorted, wanted, n, kind);
  w->sort(&o, elements, elements, n, &all);
  check(w, "elements not sorted in place", elements, wanted, n, kind);
}

static void check_split(const width *w, size_t n, int kind, bool same) {
  static uint64_t keys[LONGEST + GUARD], parted[LONGEST + GUARD];
  uint64_t pivot = 0;
  fill(w, keys, n, kind);
  fill(w, parted, n, kind);
  if (n > 0) memcpy(&pivot, (const char *)keys + n / 2 * w->size, w->size); // the lowest bytes come first
  const size_t low = (size_t)w->split(keys, parted, (int64_t)n, pivot, same);
  for (size_t k = 0; k < n; k++) {
    int order = w->compare((const char *)parted + k * w->size, &pivot);
    if ((same ? order <= 0 : order < 0) != (k < low)) {
      fail(w, "keys not split", n, kind);
      return;
    }
  }
  qsort(keys, n, w->size, w->compare);
  qsort(parted, n, w->size, w->compare);
  check(w, "keys lost by a split", parted, keys, n, kind);
}

int main(void) {
  const cp_keys *k = cp_cpu_keys();
  const width widths[] = {{4, k->sort32, k->split32, compare32, {CP_UINT32, CP_INT32, CP_FLOAT32}},
                          {8, k->sort64, k->split64, compare64, {CP_UINT64, CP_INT64, CP_FLOAT64}}};
  if ((k->sort32 != NULL) != (strcmp(cp_cpu_level(), "v4") == 0)) {
    fprintf(stderr, "level %s: sorting in vectors is for v4\n", cp_cpu_level());
    failures++;
  }
  for (int w = 0; w < 2 && k->sort32 != NULL; w++) {
    for (size_t n = 0; n <= LONGEST; n += n < 700 ? 1 : n < 5000 ? 97 : 31667) {
      for (int kind = 0; kind < KINDS; kind++) {
        check_sorted(&widths[w], n, kind, LEVELS);
        check_elements(&widths[w], n, kind, widths[w].dtypes[n % 3]);
        if (n > 0) check_part(&widths[w], n, kind, n / 3, n / 3 + n % 5 * (n > 8));
      }
      for (int levels = 0; levels < 3; levels++) check_sorted(&widths[w], n, 0, levels);
    }
  }
  for (int w = 0; w < 2 && k->split32 != NULL; w++) {
    for (size_t n = 0; n < 1500; n += n < 70 ? 1 : 477) {
      for (int kind = 0; kind < 2 * KINDS; kind++) check_split(&widths[w], n, kind / 2, kind % 2);
    }
  }
  if (failures == 0) puts("keys: passed");
  return failures != 0;
}
