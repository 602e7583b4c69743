// Matching columns with rows (cp_sparse_match): depth-first searches for augmenting paths, each of which
// looks for a free row before it goes deeper (Duff, 1981, "On algorithms for obtaining a maximum
// transversal").
#include "cpu/libraries/superlu.h"
#include "device/interrupt.h"

#include <stdlib.h>

typedef struct search {
  const int32_t *starts, *rows;
  int32_t *column_of; // of each row; -1: it is free
  int32_t *cheap;     // of each column: the entries before this one have rows that are not free any more
  int32_t *next;      // of each column: the next entry of the search
  int32_t *seen;      // of each column: the last search that came to it
  int32_t *path;      // columns from the first to the current one
} search;

// The entry of a column whose row is free, or -1. Rows that are matched once stay so.
static int32_t free_entry(search *s, int32_t column) {
  for (; s->cheap[column] < s->starts[column + 1]; s->cheap[column]++)
    if (s->column_of[s->rows[s->cheap[column]]] < 0) return s->cheap[column];
  return -1;
}

// The next column to go to from `column`, whose row can be taken from it; -1: none.
static int32_t deeper(search *s, int32_t column, int32_t mark) {
  while (s->next[column] < s->starts[column + 1]) {
    const int32_t other = s->column_of[s->rows[s->next[column]++]];
    if (s->seen[other] != mark) return other;
  }
  return -1;
}

// Matches `first`, and moves the matches of other columns for it if need be.
static bool augment(search *s, int32_t first) {
  const int32_t mark = first + 1;
  int32_t depth = 0;
  s->path[0] = first;
  s->seen[first] = mark;
  s->next[first] = s->starts[first];
  while (depth >= 0) {
    const int32_t column = s->path[depth], found = free_entry(s, column);
    if (found >= 0) {
      s->column_of[s->rows[found]] = column;
      while (depth-- > 0) s->column_of[s->rows[s->next[s->path[depth]] - 1]] = s->path[depth];
      return true;
    }
    const int32_t other = deeper(s, column, mark);
    if (other < 0) {
      depth--;
      continue;
    }
    s->seen[other] = mark;
    s->next[other] = s->starts[other];
    s->path[++depth] = other;
  }
  return false;
}

cp_status cp_sparse_match(cp_context *ctx, int n, const int32_t *starts, const int32_t *rows,
                          int64_t *unmatched) {
  const size_t each = (size_t)n;
  int32_t *all = malloc(5 * each * sizeof *all);
  *unmatched = 0;
  if (all == NULL) return cp_no_memory("looking for pivots");
  search s = {.starts = starts,
              .rows = rows,
              .column_of = all,
              .cheap = all + each,
              .next = all + 2 * each,
              .seen = all + 3 * each,
              .path = all + 4 * each};
  for (int k = 0; k < n; k++) {
    s.column_of[k] = -1;
    s.cheap[k] = starts[k];
    s.seen[k] = 0;
  }
  cp_status status = CP_OK;
  for (int k = 0; k < n && *unmatched == 0 && status == CP_OK; k++) {
    if (!augment(&s, k)) *unmatched = k + 1;
    if (k % 256 == 0) status = cp_poll(ctx);
  }
  free(all);
  return status;
}
