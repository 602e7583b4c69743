// Reads indices in text, as in x["2:5, ..., new, -1"].
#include "rules/indexing/index.h"

#include <string.h>

typedef struct reader {
  cp_index *ix;
  const char *start, *p;
} reader;

static const char *after_space(const char *p) {
  while (*p <= ' ' && (*p == ' ' || (*p >= '\t' && *p <= '\r'))) p++;
  return p;
}

static cp_status unreadable(const reader *r) {
  if (*r->p == '\0')
    return cp_fail(CP_EINDEX, "cannot read the index \"%.40s\": an item is missing at its end", r->start);
  return cp_fail(CP_EINDEX, "cannot read the index \"%.40s\" at character %d", r->start,
                 (int)(r->p - r->start) + 1);
}

// Reads a whole number with an optional sign. Numbers too large for int64 are limited to INT64_MAX, or its
// negative.
static bool read_number(reader *r, int64_t *v) {
  const char *p = r->p = after_space(r->p);
  bool negative = *p == '-';
  if (negative || *p == '+') p++;
  if (*p < '0' || *p > '9') return false;
  int64_t n = 0;
  for (; *p >= '0' && *p <= '9'; p++) n = n > (INT64_MAX - 9) / 10 ? INT64_MAX : n * 10 + (*p - '0');
  *v = negative ? -n : n;
  r->p = after_space(p);
  return true;
}

// Reads the rest of a range, from its colon (r->p) on; `first` is the number before the colon, if there is
// one.
static cp_status read_range(reader *r, bool has_first, int64_t first) {
  cp_item *item = NULL;
  CP_TRY(cp_index_add(r->ix, CP_ITEM_RANGE, &item));
  item->open_first = !has_first;
  item->first = first;
  item->step = 1;
  r->p++;
  item->open_last = !read_number(r, &item->last);
  if (*r->p != ':') return CP_OK;
  r->p++;
  if (read_number(r, &item->step) && item->step == 0)
    return cp_fail(CP_EINDEX, "the step of a range must not be 0");
  return CP_OK;
}

static bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static cp_status read_word(reader *r) {
  cp_item *item = NULL;
  if (strncmp(r->p, "...", 3) == 0)
    CP_TRY(cp_index_add(r->ix, CP_ITEM_ELLIPSIS, &item));
  else if (strncmp(r->p, "new", 3) == 0 && !is_name_character(r->p[3]))
    CP_TRY(cp_index_add(r->ix, CP_ITEM_NEWAXIS, &item));
  else
    return unreadable(r);
  r->p += 3;
  return CP_OK;
}

static cp_status read_item(reader *r) {
  int64_t first = 0;
  bool has_first = read_number(r, &first); // skips space even if there is no number
  if (*r->p == ':')
    CP_TRY(read_range(r, has_first, first));
  else if (has_first)
    CP_TRY(cp_index_add_integer(r->ix, first));
  else
    CP_TRY(read_word(r));
  r->p = after_space(r->p);
  return CP_OK;
}

cp_status cp_index_add_text(cp_index *ix, const char *text, size_t size) {
  reader r = {ix, text, text};
  for (;;) {
    CP_TRY(read_item(&r));
    if (*r.p != ',') break;
    r.p++;
  }
  return r.p == text + size ? CP_OK : unreadable(&r);
}
