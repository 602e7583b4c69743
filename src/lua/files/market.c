// core.read_market: matrices in Matrix Market files (Boisvert, Pozo, Remington, "The Matrix Market Exchange
// Formats", NIST 1996), for lua/cupola/scipy/io.lua. Lines are converted as pieces of the file arrive.
// Buffers are userdata that grow with what the file has, not with what it announces.
#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/files/file.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PIECE = 1 << 20, FIRST = 1 << 12, WORD = 128, EXACT_POWER = 22 };

// The slots of core.read_market's arguments and buffers.
enum { HANDLE = 1, HEADER_ONLY, DEVICE, TEXT, ROWS, COLUMNS, VALUES, SLOTS = VALUES };

// ORDER field_names, symmetry_names
typedef enum field { REAL, COMPLEX, INTEGER, UNSIGNED, PATTERN, FIELDS } field;
typedef enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN, SYMMETRIES } symmetry;
static const char *const field_names[] = {"real", "complex", "integer", "unsigned-integer", "pattern"};
static const char *const symmetry_names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
static const cp_dtype dtypes[FIELDS] = {CP_FLOAT64, CP_COMPLEX128, CP_INT64, CP_UINT64, CP_FLOAT64};

typedef struct reader {
  lua_State *L;
  cp_file *file;
  const char *where, *path;
  char *text; // the piece from `at` to `end` is still to be read; text[size] can be written
  char *at, *end;
  size_t size;
  bool ended; // the file has no more
  int64_t line;
  bool coordinate;
  field field;
  symmetry symmetry;
  int64_t rows, columns, entries; // entries: lines that follow the header
  bool wide;                      // positions are int64
  int64_t capacity;               // of the buffers, entries
  char *row, *column, *values;
  char point; // the decimal point of the locale
} reader;

static void fail(const reader *r, const char *fact) {
  cp_raise(r->L, r->where, CP_EIO, "%s, line %lld: %s", r->path, (long long)r->line, fact);
}

// ---- lines ------------------------------------------------------------------------------------------------

// Gets the next piece of the file, behind what is left of this one.
static void more(reader *r) {
  const size_t left = (size_t)(r->end - r->at);
  cp_check_interrupt(r->L, r->where);
  if (left == r->size) fail(r, "the line is too long");
  memmove(r->text, r->at, left);
  const size_t got = cp_file_read(r->L, r->file, r->text + left, r->size - left);
  r->ended = got < r->size - left;
  r->at = r->text;
  r->end = r->text + left + got;
}

// The next line, which ends with a zero byte; NULL behind the last one.
static char *next_line(reader *r) {
  char *stop;
  r->line++;
  while ((stop = memchr(r->at, '\n', (size_t)(r->end - r->at))) == NULL && !r->ended) more(r);
  if (stop == NULL && r->at == r->end) return NULL;
  if (stop == NULL) stop = r->end;
  char *line = r->at;
  r->at = stop < r->end ? stop + 1 : r->end;
  *stop = '\0';
  return line;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static char *skip_spaces(char *p) {
  while (is_space(*p)) p++;
  return p;
}

// The next line that holds more than spaces and comments, from its first word.
static char *content(reader *r) {
  char *line;
  do {
    line = next_line(r);
    if (line != NULL) line = skip_spaces(line);
  } while (line != NULL && (*line == '\0' || *line == '%'));
  return line;
}

// ---- words ------------------------------------------------------------------------------------------------

// Takes a word from the line, ended by a zero byte; empty at the line's end.
static char *word(char **line) {
  char *start = skip_spaces(*line), *p = start;
  while (*p != '\0' && !is_space(*p)) p++;
  *line = *p != '\0' ? p + 1 : p;
  *p = '\0';
  return start;
}

// Reads digits without a sign. Fails for values beyond uint64's.
static bool read_digits(char **p, uint64_t *v) {
  const char *start = *p;
  uint64_t sum = 0;
  for (; **p >= '0' && **p <= '9'; ++*p) {
    const uint64_t digit = (uint64_t)(**p - '0');
    if (sum > (UINT64_MAX - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  *v = sum;
  return *p > start;
}

static bool ends(const char *p) { return *p == '\0' || is_space(*p); }

static bool read_count(char **line, int64_t *v) {
  uint64_t n;
  char *p = skip_spaces(*line);
  if (*p == '+') p++;
  if (!read_digits(&p, &n) || n > INT64_MAX || !ends(p)) return false;
  *v = (int64_t)n;
  *line = p;
  return true;
}

static bool read_integer(char **line, bool is_signed, uint64_t *v) {
  char *p = skip_spaces(*line);
  const bool minus = *p == '-';
  if (minus || *p == '+') p++;
  if (!read_digits(&p, v) || !ends(p)) return false;
  *line = p;
  if (!is_signed) return !minus || *v == 0;
  if (*v > (uint64_t)INT64_MAX + minus) return false;
  if (minus) *v = 0 - *v;
  return true;
}

// The number by strtod, which follows the host's locale. "D" begins an exponent as in Fortran.
static bool read_slowly(const reader *r, char **line, double *v) {
  char copy[WORD], *p = skip_spaces(*line), *end;
  size_t n = 0;
  for (; !ends(p); p++) {
    if (n == WORD - 1) return false;
    copy[n++] = *p == '.' ? r->point : *p == 'd' || *p == 'D' ? 'e' : *p;
  }
  copy[n] = '\0';
  *v = strtod(copy, &end);
  *line = p;
  return n > 0 && end == copy + n;
}

// A decimal number. Where digits and power of ten are exact as doubles, one operation rounds correctly.
static bool read_real(const reader *r, char **line, double *v) {
  static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  char *p = skip_spaces(*line);
  const bool minus = *p == '-';
  if (minus || *p == '+') p++;
  uint64_t digits = 0;
  int count = 0, power = 0;
  for (; *p >= '0' && *p <= '9'; p++, count++) digits = digits * 10 + (uint64_t)(*p - '0');
  if (*p == '.')
    for (p++; *p >= '0' && *p <= '9'; p++, count++, power--) digits = digits * 10 + (uint64_t)(*p - '0');
  if (count > 0 && (*p == 'e' || *p == 'E')) {
    char *q = p + 1;
    const bool down = *q == '-';
    int exponent = 0;
    if (down || *q == '+') q++;
    for (; *q >= '0' && *q <= '9' && exponent < 10000; q++) exponent = exponent * 10 + (*q - '0');
    if (q[-1] >= '0' && q[-1] <= '9') p = q;
    power += down ? -exponent : exponent;
  }
  if (count == 0 || count > 19 || digits > (uint64_t)1 << 53 || power < -EXACT_POWER || power > EXACT_POWER ||
      !ends(p))
    return read_slowly(r, line, v);
  const double x = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
  *v = minus ? -x : x;
  *line = p;
  return true;
}

// ---- the header -------------------------------------------------------------------------------------------

static int name_at(reader *r, const char *text, const char *const *names, int count, const char *fact) {
  for (int k = 0; k < count; k++)
    if (strcasecmp(text, names[k]) == 0) return k;
  fail(r, fact);
  return 0;
}

static void read_banner(reader *r) {
  static const char *const formats[] = {"array", "coordinate"};
  char *line = next_line(r);
  if (line == NULL || strcasecmp(word(&line), "%%MatrixMarket") != 0)
    fail(r, "a Matrix Market file begins with %%MatrixMarket");
  if (strcasecmp(word(&line), "matrix") != 0) fail(r, "the object must be 'matrix'");
  r->coordinate = name_at(r, word(&line), formats, 2, "the format must be 'coordinate' or 'array'");
  const char *name = word(&line);
  if (strcasecmp(name, "double") == 0) name = "real";
  r->field = (field)name_at(r, name, field_names, FIELDS,
                            "the field must be 'real', 'complex', 'integer' or 'pattern'");
  r->symmetry =
      (symmetry)name_at(r, word(&line), symmetry_names, SYMMETRIES,
                        "the symmetry must be 'general', 'symmetric', 'skew-symmetric' or 'hermitian'");
  if (*word(&line) != '\0') fail(r, "there is text after the symmetry");
  if (r->field == PATTERN && !r->coordinate) fail(r, "an array cannot be a pattern");
  if (r->symmetry == HERMITIAN && r->field != COMPLEX && r->field != PATTERN)
    fail(r, "a hermitian matrix is complex");
}

// Values of an array: all, or those below the diagonal (with it unless it is 0).
static int64_t array_entries(reader *r) {
  const uint64_t most = INT64_MAX / 16, rows = (uint64_t)r->rows, columns = (uint64_t)r->columns;
  if (rows > 0 && columns > most / rows) fail(r, "the matrix is too large");
  if (r->symmetry == GENERAL || rows == 0) return (int64_t)(rows * columns);
  return (int64_t)(r->symmetry == SKEW ? rows * (rows - 1) / 2 : rows * (rows + 1) / 2);
}

static void read_size(reader *r) {
  char *line = content(r);
  if (line == NULL) fail(r, "the file ends before the matrix's size");
  if (!read_count(&line, &r->rows) || !read_count(&line, &r->columns) ||
      (r->coordinate && !read_count(&line, &r->entries)) || *skip_spaces(line) != '\0')
    fail(r, r->coordinate ? "expected the numbers of rows, columns and entries"
                          : "expected the numbers of rows and columns");
  if (r->symmetry != GENERAL && r->rows != r->columns) fail(r, "a symmetric matrix must be square");
  if (!r->coordinate) r->entries = array_entries(r);
  r->wide = r->rows > INT32_MAX || r->columns > INT32_MAX;
}

// ---- entries ----------------------------------------------------------------------------------------------

// Makes room for `capacity` entries in the buffer at stack index `slot`, `used` of which are in use.
static char *grow(reader *r, int slot, const char *old, int64_t used, size_t item) {
  char *bigger = cp_newuserdata(r->L, (size_t)r->capacity * item);
  if (used > 0) memcpy(bigger, old, (size_t)used * item);
  lua_replace(r->L, slot);
  return bigger;
}

static size_t item_of(const reader *r) { return cp_itemsize(dtypes[r->field]); }

static void make_room(reader *r, int64_t used) {
  const size_t position = r->wide ? 8 : 4;
  r->capacity = r->capacity == 0 ? FIRST : r->capacity * 2;
  if (r->capacity > r->entries) r->capacity = r->entries;
  if (r->coordinate) {
    r->row = grow(r, ROWS, r->row, used, position);
    r->column = grow(r, COLUMNS, r->column, used, position);
  }
  if (r->field != PATTERN) r->values = grow(r, VALUES, r->values, used, item_of(r));
}

static void store_position(reader *r, char *list, int64_t k, int64_t v) {
  if (r->wide)
    ((int64_t *)(void *)list)[k] = v - 1;
  else
    ((int32_t *)(void *)list)[k] = (int32_t)(v - 1);
}

static void read_positions(reader *r, char **line, int64_t k) {
  int64_t i = 0, j = 0;
  if (!read_count(line, &i) || !read_count(line, &j)) fail(r, "an entry begins with its row and column");
  if (i < 1 || i > r->rows) fail(r, "the row is out of range");
  if (j < 1 || j > r->columns) fail(r, "the column is out of range");
  store_position(r, r->row, k, i);
  store_position(r, r->column, k, j);
}

static void read_value(reader *r, char **line, int64_t k) {
  double *reals = (double *)(void *)r->values;
  bool good = true;
  if (r->field == REAL)
    good = read_real(r, line, reals + k);
  else if (r->field == COMPLEX)
    good = read_real(r, line, reals + 2 * k) && read_real(r, line, reals + 2 * k + 1);
  else if (r->field != PATTERN)
    good = read_integer(line, r->field == INTEGER, (uint64_t *)(void *)r->values + k);
  if (!good)
    fail(r, r->field == COMPLEX ? "expected two numbers, the parts of a complex value"
            : r->field == REAL  ? "expected a number"
                                : "expected an integer of 64 bits");
}

static void read_entries(reader *r) {
  for (int64_t k = 0; k < r->entries; k++) {
    char *line = content(r);
    if (line == NULL)
      cp_raise(r->L, r->where, CP_EIO, "%s, line %lld: the file ends after %lld of %lld entries", r->path,
               (long long)r->line, (long long)k, (long long)r->entries);
    if (k == r->capacity) make_room(r, k);
    if (r->coordinate) read_positions(r, &line, k);
    read_value(r, &line, k);
    if (*skip_spaces(line) != '\0') fail(r, "there is text after the entry");
  }
  if (content(r) != NULL) fail(r, "there are more entries than the header announces");
}

// ---- results ----------------------------------------------------------------------------------------------

static void push_vector(reader *r, cp_device *device, cp_dtype t, const char *values) {
  cp_array *a = cp_push_new_array(r->L, r->where, device, t, 1, &r->entries);
  if (r->entries > 0) cp_upload(r->L, r->where, a, values);
}

// core.read_market(file, header_only, device): reads a matrix from a file that core.open_file opened. Returns
// format, field and symmetry, the numbers of rows, columns and entries, then unless header_only the entries:
// the rows and columns (of an array: nil), from 0, and the values (of a pattern: nil), as the file has them.
static int read_market(lua_State *L) {
  lua_settop(L, DEVICE);
  cp_file *file = cp_check_file(L, HANDLE);
  reader r = {.L = L, .file = file, .where = cp_file_caller(file), .path = cp_file_path(file), .size = PIECE};
  cp_device *device = cp_arg_device(L, DEVICE, r.where);
  r.point = localeconv()->decimal_point[0];
  r.text = r.at = r.end = cp_newuserdata(L, PIECE + 1);
  lua_settop(L, SLOTS);
  read_banner(&r);
  read_size(&r);
  if (!lua_toboolean(L, HEADER_ONLY)) read_entries(&r);
  lua_pushstring(L, r.coordinate ? "coordinate" : "array");
  lua_pushstring(L, field_names[r.field]);
  lua_pushstring(L, symmetry_names[r.symmetry]);
  cp_push_scalar(L, cp_scalar_int(r.rows, CP_INT64));
  cp_push_scalar(L, cp_scalar_int(r.columns, CP_INT64));
  cp_push_scalar(L, cp_scalar_int(r.entries, CP_INT64));
  if (lua_toboolean(L, HEADER_ONLY)) return 6;
  for (int k = 0; k < 2; k++) {
    if (r.coordinate)
      push_vector(&r, device, r.wide ? CP_INT64 : CP_INT32, k == 0 ? r.row : r.column);
    else
      lua_pushnil(L);
  }
  if (r.field == PATTERN)
    lua_pushnil(L);
  else
    push_vector(&r, device, dtypes[r.field], r.values);
  return 9;
}

void cp_open_market(lua_State *L) {
  lua_pushcfunction(L, read_market);
  lua_setfield(L, 1, "read_market");
}
