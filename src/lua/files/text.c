// core.parse_text: tables of numbers in text, for lua/cupola/files/text_files.lua. One pass splits lines into
// words and converts words to values of the dtype. The values are collected in a userdata that grows, so
// nothing leaks when Lua raises an error.
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/state/depth.h"
#include "lua/state/module.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMMENTS = 8, WORD = 128 };

// The slots of core.parse_text's arguments, and of its buffers.
enum {
  TEXT = 1,
  DTYPE,
  DELIMITER,
  COMMENTS,
  SKIP,
  MOST_ROWS,
  COLUMNS,
  CONVERTERS,
  FILLING,
  WHERE,
  LABEL,
  BREAK,
  BUFFER
};

typedef struct span {
  const char *start;
  size_t length;
} span;

typedef struct reader {
  lua_State *L;
  const char *where, *label;
  cp_dtype dtype;
  size_t item;
  span delimiter; // empty: white space
  // Lines also end at `line_break`; if that is empty, at white space.
  bool breaks;
  span line_break;
  span comments[MOST_COMMENTS];
  int ncomments;
  const char *at, *end;
  // columns: of each row that is kept; -1 before the first row.
  int64_t line, rows, columns;
  int64_t width; // words in the first row
  // The numbers of the columns to keep, from 0 or negative from the end; NULL: all.
  int64_t *chosen;
  int64_t nchosen;
  bool fill; // words that are not values are read as the filling value
  cp_scalar filling;
  span *words;
  size_t nwords, most_words;
  char *values;
  size_t used, capacity; // bytes
  char point;            // the decimal point of the locale
} reader;

// ---- words ------------------------------------------------------------------------------------------------

static span trimmed(const char *from, const char *to) {
  while (from < to && isspace((unsigned char)*from)) from++;
  while (to > from && isspace((unsigned char)to[-1])) to--;
  return (span){from, (size_t)(to - from)};
}

// The end of the line that begins at r->at. Sets *next to where the next line begins.
static const char *line_end(const reader *r, const char **next) {
  const span *mark = &r->line_break;
  const char *stop = r->at;
  if (r->breaks && mark->length == 0) {
    while (stop < r->end && !isspace((unsigned char)*stop)) stop++;
    for (*next = stop; *next < r->end && isspace((unsigned char)**next);) ++*next;
    return stop;
  }
  for (; r->breaks && stop < r->end && *stop != '\n'; stop++) {
    if (mark->length > (size_t)(r->end - stop) || memcmp(stop, mark->start, mark->length) != 0) continue;
    *next = stop + mark->length;
    return stop;
  }
  if (!r->breaks) stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
  if (stop == NULL) stop = r->end;
  *next = stop < r->end ? stop + 1 : r->end;
  return stop;
}

// Finds the next line, without its comment; false at the end.
static bool next_line(reader *r, const char **from, const char **to) {
  if (r->at >= r->end) return false;
  const char *next, *stop = line_end(r, &next);
  *from = r->at;
  r->at = next;
  for (int k = 0; k < r->ncomments; k++) {
    const span *c = &r->comments[k];
    for (const char *p = *from; p + c->length <= stop; p++)
      if (memcmp(p, c->start, c->length) == 0) stop = p;
  }
  *to = stop;
  r->line++;
  if (r->line % (CP_POLL_COUNT / 8) == 0) cp_check_interrupt(r->L, r->where);
  return true;
}

static void add_word(reader *r, span word) {
  if ((r->nwords + 1) % CP_POLL_COUNT == 0) cp_check_interrupt(r->L, r->where);
  if (r->nwords == r->most_words) { // the new userdata takes the slot of the old one
    size_t most = r->most_words * 2;
    span *words = cp_newuserdata(r->L, most * sizeof *words);
    memcpy(words, r->words, r->nwords * sizeof *words);
    lua_replace(r->L, BUFFER + 1);
    r->words = words;
    r->most_words = most;
  }
  r->words[r->nwords++] = word;
}

static void split_spaces(reader *r, const char *from, const char *to) {
  while (true) {
    while (from < to && isspace((unsigned char)*from)) from++;
    if (from == to) return;
    const char *start = from;
    while (from < to && !isspace((unsigned char)*from)) from++;
    add_word(r, (span){start, (size_t)(from - start)});
  }
}

static void split_delimited(reader *r, const char *from, const char *to) {
  const span *d = &r->delimiter;
  const char *start = from;
  while (from + d->length <= to) {
    if (memcmp(from, d->start, d->length) != 0) {
      from++;
      continue;
    }
    add_word(r, trimmed(start, from));
    from += d->length;
    start = from;
  }
  add_word(r, trimmed(start, to));
}

// ---- values -----------------------------------------------------------------------------------------------

// Reads a floating-point number at the start of text; *end is set behind it. As in NumPy, hexadecimal numbers
// are not accepted.
static double read_float(const char *text, char **end) {
  const char *digits = text + (*text == '-' || *text == '+');
  *end = (char *)(uintptr_t)text;
  if (isspace((unsigned char)*text) || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))) return 0;
  return strtod(text, end);
}

static bool read_complex(const char *text, cp_scalar *s) {
  char *end;
  double re = read_float(text, &end), im = 0;
  if (end == text) return false;
  if (*end == 'j' || *end == 'J') {
    *s = cp_scalar_complex(0, re, CP_COMPLEX128);
    return end[1] == '\0';
  }
  if (*end == '+' || *end == '-') {
    const char *second = end;
    if (second[0] == '+' && second[1] == '-') second++; // written by older versions of NumPy
    im = read_float(second, &end);
    if (end == second || (*end != 'j' && *end != 'J')) return false;
    end++;
  }
  *s = cp_scalar_complex(re, im, CP_COMPLEX128);
  return *end == '\0';
}

static bool read_integer(const char *text, cp_dtype t, cp_scalar *s) {
  char *end;
  errno = 0;
  *s = *text == '-' || t != CP_UINT64 ? cp_scalar_int(strtoll(text, &end, 10), CP_INT64)
                                      : cp_scalar_int((int64_t)strtoull(text, &end, 10), CP_UINT64);
  if (end != text && *end == '\0' && errno == 0) return t == CP_BOOL || cp_scalar_fits(*s, t);
  double v = read_float(text, &end); // 3.0 and 1e3 are whole numbers too
  if (end == text || *end != '\0' || v != floor(v)) return false;
  *s = cp_scalar_float(v, CP_FLOAT64);
  return t == CP_BOOL || cp_scalar_fits(*s, t);
}

static bool read_bool(const char *text, cp_scalar *s) {
  bool yes = strcmp(text, "True") == 0 || strcmp(text, "true") == 0;
  if (!yes && strcmp(text, "False") != 0 && strcmp(text, "false") != 0) return read_integer(text, CP_BOOL, s);
  *s = cp_scalar_int(yes, CP_BOOL);
  return true;
}

// Reads the value of a word in the reader's dtype; false if it is not a value.
static bool read_word(const reader *r, span word, cp_scalar *s) {
  char text[WORD], *end;
  if (word.length > 1 && word.start[0] == '(' && word.start[word.length - 1] == ')' &&
      cp_is_complex(r->dtype))
    word = (span){word.start + 1, word.length - 2};
  if (word.length == 0 || word.length >= sizeof text) return false;
  memcpy(text, word.start, word.length);
  text[word.length] = '\0';
  if (strlen(text) != word.length) return false;
  for (char *p = text; r->point != '.' && *p != '\0'; p++) // strtod follows the host's locale
    if (*p == '.') *p = r->point;
  bool good;
  if (cp_is_complex(r->dtype)) {
    good = read_complex(text, s);
  } else if (r->dtype == CP_BOOL) {
    good = read_bool(text, s);
  } else if (cp_is_integer(r->dtype)) {
    good = read_integer(text, r->dtype, s);
  } else {
    *s = cp_scalar_float(read_float(text, &end), CP_FLOAT64);
    good = end != text && *end == '\0';
  }
  if (good) *s = cp_scalar_cast(*s, r->dtype);
  return good;
}

static void bad_word(reader *r, span word) {
  char text[48];
  size_t n = word.length < sizeof text - 1 ? word.length : sizeof text - 1;
  memcpy(text, word.start, n);
  text[n] = '\0';
  cp_raise(r->L, r->where, CP_EIO, "%s, line %lld: '%s' is not a value of dtype %s", r->label,
           (long long)r->line, text, cp_dtypes[r->dtype].name);
}

// Calls the converter on top of the stack with the word, and pops it.
static void convert_word(reader *r, span word, cp_scalar *s) {
  char kind;
  bool weak;
  lua_pushlstring(r->L, word.start, word.length);
  cp_call(r->L, r->where, 1, 1);
  if (!cp_to_scalar(r->L, -1, s, &kind, &weak))
    cp_raise(r->L, r->where, CP_EUSAGE, "%s, line %lld: a converter gave a %s, not a number", r->label,
             (long long)r->line, luaL_typename(r->L, -1));
  cp_check_scalar_for(r->L, r->where, r->dtype, kind, weak, s);
  *s = cp_scalar_cast(*s, r->dtype);
  lua_pop(r->L, 1);
}

static bool push_converter(reader *r, int64_t column) {
  if (!lua_istable(r->L, CONVERTERS)) return false;
  lua_rawgeti(r->L, CONVERTERS, (int)column + 1);
  if (!lua_isnil(r->L, -1)) return true;
  lua_pop(r->L, 1);
  return false;
}

static void add_value(reader *r, cp_scalar s) {
  if (r->used + r->item > r->capacity) {
    size_t capacity = r->capacity * 2;
    char *values = cp_newuserdata(r->L, capacity);
    memcpy(values, r->values, r->used);
    lua_replace(r->L, BUFFER);
    r->values = values;
    r->capacity = capacity;
  }
  cp_scalar_store(s, r->values + r->used);
  r->used += r->item;
}

static void add_column(reader *r, int64_t column) {
  cp_scalar s = {0};
  span word = r->words[column];
  if (push_converter(r, column)) {
    convert_word(r, word, &s);
  } else if (!read_word(r, word, &s)) {
    if (!r->fill) bad_word(r, word);
    s = r->filling;
  }
  add_value(r, s);
}

static void add_row(reader *r) {
  int64_t n = (int64_t)r->nwords;
  if (r->width < 0) r->width = n;
  if (n != r->width && r->chosen == NULL)
    cp_raise(r->L, r->where, CP_EIO, "%s, line %lld has %lld columns, but the lines before have %lld",
             r->label, (long long)r->line, (long long)n, (long long)r->width);
  r->columns = r->chosen != NULL ? r->nchosen : n;
  for (int64_t k = 0; k < r->columns; k++) {
    int64_t column = r->chosen != NULL ? r->chosen[k] : k;
    if ((k + 1) % CP_POLL_COUNT == 0) cp_check_interrupt(r->L, r->where);
    if (column < 0) column += n;
    if (column < 0 || column >= n)
      cp_raise(r->L, r->where, CP_EIO, "%s, line %lld has %lld columns; there is no column %lld", r->label,
               (long long)r->line, (long long)n,
               (long long)(r->chosen[k] < 0 ? r->chosen[k] : r->chosen[k] + 1));
    add_column(r, column);
  }
  r->rows++;
}

// ---- the call ---------------------------------------------------------------------------------------------

// Leaves the comment marks on the stack, since the table may change while converters run.
static void read_comments(reader *r) {
  int n = lua_istable(r->L, COMMENTS) ? (int)lua_rawlen(r->L, COMMENTS) : 0;
  if (n > MOST_COMMENTS)
    cp_raise(r->L, r->where, CP_EUSAGE, "comments has %d marks; at most %d are possible", n, MOST_COMMENTS);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(r->L, COMMENTS, k + 1);
    span *c = &r->comments[r->ncomments++];
    c->start = luaL_checklstring(r->L, -1, &c->length);
  }
}

// Reads the chosen columns into a userdata, which stays on the stack.
static void read_columns(reader *r) {
  r->nchosen = lua_istable(r->L, COLUMNS) ? (int64_t)lua_rawlen(r->L, COLUMNS) : 0;
  int64_t *chosen = cp_newuserdata(r->L, ((size_t)r->nchosen + 1) * sizeof *chosen);
  for (int64_t k = 0; k < r->nchosen; k++) {
    lua_rawgeti(r->L, COLUMNS, (int)k + 1);
    int64_t c = cp_arg_integer(r->L, lua_gettop(r->L), r->where, "usecols");
    if (c == 0) cp_raise(r->L, r->where, CP_EINDEX, "usecols counts columns from 1; there is no column 0");
    chosen[k] = c > 0 ? c - 1 : c;
    lua_pop(r->L, 1);
  }
  if (lua_istable(r->L, COLUMNS)) r->chosen = chosen;
}

static void read_filling(reader *r) {
  char kind;
  bool weak;
  if (lua_isnil(r->L, FILLING)) return;
  r->fill = true;
  if (!cp_to_scalar(r->L, FILLING, &r->filling, &kind, &weak))
    cp_raise(r->L, r->where, CP_EUSAGE, "the filling value must be a number, not %s",
             luaL_typename(r->L, FILLING));
  cp_check_scalar_for(r->L, r->where, r->dtype, kind, weak, &r->filling);
  r->filling = cp_scalar_cast(r->filling, r->dtype);
}

static void start(reader *r) {
  lua_State *L = r->L;
  size_t length;
  r->at = luaL_checklstring(L, TEXT, &length);
  r->end = r->at + length;
  r->where = luaL_checkstring(L, WHERE);
  r->label = luaL_checkstring(L, LABEL);
  r->dtype = cp_check_dtype(L, DTYPE, r->where);
  r->item = cp_itemsize(r->dtype);
  if (!lua_isnil(L, DELIMITER)) r->delimiter.start = luaL_checklstring(L, DELIMITER, &r->delimiter.length);
  r->breaks = !lua_isnil(L, BREAK);
  if (r->breaks) r->line_break.start = luaL_checklstring(L, BREAK, &r->line_break.length);
  r->point = localeconv()->decimal_point[0];
  r->width = -1;
  read_filling(r);
  r->capacity = 4096;
  r->values = cp_newuserdata(L, r->capacity); // in slot BUFFER
  r->most_words = 64;
  r->words = cp_newuserdata(L, r->most_words * sizeof *r->words);
  read_columns(r);
  read_comments(r);
}

// core.parse_text(text, dtype, delimiter, comments, skip, most_rows, columns, converters, filling, where,
// label, line_break): returns a string of the values in C order, the number of rows and the number of
// columns. Empty lines are skipped. delimiter nil: white space. columns: a table of numbers from 1.
// converters: a table of functions by column. filling nil: every word must be a value. line_break: what ends
// lines besides "\n"; "" for white space.
static int parse_text(lua_State *L) {
  reader r = {.L = L};
  const char *from, *to;
  lua_settop(L, BREAK);
  luaL_checkstack(L, 16 + MOST_COMMENTS, "parse_text");
  start(&r);
  cp_check_interrupt(L, r.where); // the text may be a single line
  int64_t skip = cp_arg_integer_or(L, SKIP, r.where, "skiprows", 0);
  int64_t most = cp_arg_integer_or(L, MOST_ROWS, r.where, "max_rows", INT64_MAX);
  for (; skip > 0 && next_line(&r, &from, &to); skip--) {
  }
  while (r.rows < most && next_line(&r, &from, &to)) {
    if (trimmed(from, to).length == 0) continue;
    r.nwords = 0;
    if (r.delimiter.length > 0)
      split_delimited(&r, from, to);
    else
      split_spaces(&r, from, to);
    add_row(&r);
  }
  lua_pushlstring(L, r.values, r.used);
  lua_pushnumber(L, (lua_Number)r.rows);
  lua_pushnumber(L, (lua_Number)(r.rows > 0 ? r.columns : 0));
  return 3;
}

void cp_open_text(lua_State *L) {
  lua_pushcfunction(L, parse_text);
  lua_setfield(L, 1, "parse_text");
}
