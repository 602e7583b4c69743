// core.write_market: the lines of entries of Matrix Market files (market.c reads them). Numbers have the
// fewest digits that read back as the same value, or as many as asked for.
#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/files/file.h"
#include "lua/files/short_text.h"
#include "lua/state/module.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, LINE = 256 }; // a line has at most two positions and two numbers

typedef struct writer {
  lua_State *L;
  cp_file *file;
  const char *where;
  const int64_t *rows, *columns; // NULL: an array
  const char *values;            // NULL: a pattern
  cp_dtype dtype;
  int precision; // significant digits; 0: as many as needed
  char point;    // the decimal point of the locale
  char *text;
  size_t used;
} writer;

static void flush(writer *w) {
  cp_check_interrupt(w->L, w->where);
  cp_file_write(w->L, w->file, w->text, w->used);
  w->used = 0;
}

// ---- numbers ----------------------------------------------------------------------------------------------

static void put_unsigned(writer *w, uint64_t v) {
  char digits[24];
  int n = 0;
  do digits[n++] = (char)('0' + v % 10);
  while ((v /= 10) > 0);
  while (n > 0) w->text[w->used++] = digits[--n];
}

static void put_signed(writer *w, int64_t v) {
  if (v < 0) w->text[w->used++] = '-';
  put_unsigned(w, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void put_text(writer *w, const char *text) {
  const size_t n = strlen(text);
  memcpy(w->text + w->used, text, n);
  w->used += n;
}

static bool same(double v, const char *text, bool narrow) {
  const double read = strtod(text, NULL);
  return narrow ? (float)read == (float)v : read == v;
}

// narrow: v is a float32.
static void put_real(writer *w, double v, bool narrow) {
  char text[64];
  if (isnan(v) || isinf(v)) {
    put_text(w, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    return;
  }
  if (w->precision > 0) {
    snprintf(text, sizeof text, "%.*e", w->precision - 1, v);
  } else if (fabs(v) < 1e15 && v == (double)(int64_t)v && !(v == 0 && signbit(v))) {
    put_signed(w, (int64_t)v);
    return;
  } else {
    const size_t n = cp_short_text(v, narrow, w->text + w->used);
    w->used += n;
    if (n > 0) return;
    int digits = narrow ? 6 : 15;
    do snprintf(text, sizeof text, "%.*g", digits, v);
    while (!same(v, text, narrow) && ++digits <= (narrow ? 9 : 17));
  }
  for (char *p = text; w->point != '.' && *p != '\0'; p++)
    if (*p == w->point) *p = '.';
  put_text(w, text);
}

static void put_value(writer *w, int64_t k) {
  const void *v = w->values;
  if (w->dtype == CP_INT64)
    put_signed(w, ((const int64_t *)v)[k]);
  else if (w->dtype == CP_UINT64)
    put_unsigned(w, ((const uint64_t *)v)[k]);
  else if (w->dtype == CP_FLOAT32)
    put_real(w, (double)((const float *)v)[k], true);
  else if (w->dtype == CP_FLOAT64)
    put_real(w, ((const double *)v)[k], false);
  else
    for (int64_t part = 0; part < 2; part++) {
      if (part == 1) w->text[w->used++] = ' ';
      if (w->dtype == CP_COMPLEX64)
        put_real(w, (double)((const float *)v)[2 * k + part], true);
      else
        put_real(w, ((const double *)v)[2 * k + part], false);
    }
}

static void put_entries(writer *w, int64_t count) {
  for (int64_t k = 0; k < count; k++) {
    if (w->used > PIECE - LINE) flush(w);
    if (w->rows != NULL) {
      put_signed(w, w->rows[k] + 1);
      w->text[w->used++] = ' ';
      put_signed(w, w->columns[k] + 1);
      if (w->values != NULL) w->text[w->used++] = ' ';
    }
    if (w->values != NULL) put_value(w, k);
    w->text[w->used++] = '\n';
  }
  flush(w);
}

// ---- arguments --------------------------------------------------------------------------------------------

// The computed vector at this stack index, which must lie on the host; NULL for nil.
static cp_array *vector(lua_State *L, int slot, const char *where, const char *name) {
  if (lua_isnil(L, slot)) return NULL;
  cp_array *a = cp_take_contiguous(L, slot, where, name);
  cp_demand(L, where, a->ndim == 1 && a->device == cp_device_cpu(),
            "what is written must be vectors on the CPU");
  return a;
}

static bool can_write(cp_dtype t) {
  return t == CP_INT64 || t == CP_UINT64 || t == CP_FLOAT32 || t == CP_FLOAT64 || cp_is_complex(t);
}

static cp_status open_all(cp_context *ctx, int count, const cp_use *uses) {
  cp_stream *stream;
  if (count == 0) return CP_OK;
  CP_TRY(cp_open_arrays(ctx, cp_device_cpu(), count, uses, &stream));
  return cp_stream_synchronize(stream);
}

// core.write_market(file, rows, columns, values, precision): writes a line for each entry into a file that
// core.open_file opened. rows, columns: int64 vectors on the CPU that count from 0, or nil. values: a vector
// of int64, uint64, float32, float64 or a complex dtype, or nil. precision: significant digits, or nil.
static int write_market(lua_State *L) {
  lua_settop(L, 5);
  cp_file *file = cp_check_file(L, 1);
  writer w = {.L = L, .file = file, .where = cp_file_caller(file)};
  cp_array *rows = vector(L, 2, w.where, "rows"), *columns = vector(L, 3, w.where, "columns");
  cp_array *values = vector(L, 4, w.where, "values");
  const int64_t precision = cp_arg_integer_or(L, 5, w.where, "precision", 0);
  w.precision = precision < 0 ? 0 : precision > 40 ? 40 : (int)precision;
  w.point = localeconv()->decimal_point[0];
  cp_demand(L, w.where, (rows == NULL) == (columns == NULL) && (rows != NULL || values != NULL),
            "entries have rows and columns, values, or both");
  const int64_t count = rows != NULL ? rows->size : values->size;
  cp_demand(L, w.where, rows == NULL || (rows->dtype == CP_INT64 && columns->dtype == CP_INT64),
            "rows and columns must be int64");
  cp_demand(L, w.where,
            (columns == NULL || columns->size == count) && (values == NULL || values->size == count),
            "rows, columns and values must be equally long");
  cp_demand(L, w.where, values == NULL || can_write(values->dtype), "values of this dtype are not written");
  w.text = cp_newuserdata(L, PIECE);
  cp_use uses[3];
  int used = 0;
  if (rows != NULL) uses[used++] = (cp_use){rows, CP_READ};
  if (columns != NULL) uses[used++] = (cp_use){columns, CP_READ};
  if (values != NULL) uses[used++] = (cp_use){values, CP_READ};
  CP_CHECK(L, w.where, open_all(&cp_state_get(L)->ctx, used, uses));
  w.rows = rows != NULL ? (const int64_t *)(const void *)cp_address(rows) : NULL;
  w.columns = columns != NULL ? (const int64_t *)(const void *)cp_address(columns) : NULL;
  w.values = values != NULL ? cp_address(values) : NULL;
  if (values != NULL) w.dtype = values->dtype;
  put_entries(&w, count);
  return 0;
}

void cp_open_market_writing(lua_State *L) {
  lua_pushcfunction(L, write_market);
  lua_setfield(L, 1, "write_market");
}
