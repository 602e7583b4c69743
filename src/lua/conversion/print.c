// Arrays as text: tostring, print, `..` and the print options. The layout is NumPy's. Of a large array only
// the edges are shown, and only they are copied from the device.
//
// The text is built in a luaL_Buffer, so that nothing leaks if Lua runs out of memory.
#include "array/view.h"
#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/conversion/print_number.h"
#include "lua/objects/object.h"
#include "lua/values/handle.h"
#include "lua/values/shape.h"

#include <stdio.h>
#include <string.h>

static const char options_key = 0; // registry: the print options of the state, a userdata

typedef struct print_options {
  int precision;
  int64_t threshold, edgeitems, linewidth;
  bool suppress;
} print_options;

static print_options *options_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &options_key);
  print_options *o = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return o;
}

// The state of one printout.
typedef struct printout {
  lua_State *L;
  luaL_Buffer b;
  const char *data; // host memory of the shown elements in C order
  cp_dtype dtype;
  int ndim;
  int64_t shown[CP_MAXDIM]; // how many positions of each axis are shown
  bool cut[CP_MAXDIM];      // whether "..." replaces the middle of the axis
  int64_t linewidth, column;
  int64_t blanks; // spaces not written yet, so that a wrapped line does not end with them
  cp_real_format real, imag;
  int width; // the width of integers
} printout;

// ---- elements ---------------------------------------------------------------------------------------------

static void fit_formats(printout *p, int64_t count, const print_options *o) {
  char text[CP_NUMBER_TEXT];
  char kind = cp_dtypes[p->dtype].kind;
  cp_context *ctx = &cp_state_get(p->L)->ctx;
  const cp_parts real = {p->data, p->dtype, count, false}, imag = {p->data, p->dtype, count, true};
  if (kind == 'f' || kind == 'c')
    CP_CHECK(p->L, "tostring", cp_real_format_fit(ctx, &p->real, &real, o->precision, o->suppress));
  if (kind == 'c')
    CP_CHECK(p->L, "tostring", cp_real_format_fit(ctx, &p->imag, &imag, o->precision, o->suppress));
  p->width = 0;
  for (int64_t k = 0; (kind == 'i' || kind == 'u') && k < count; k++) {
    if ((k + 1) % CP_POLL_COUNT == 0) cp_check_interrupt(p->L, "tostring");
    int n = cp_scalar_text(cp_scalar_load(p->data + (size_t)k * cp_itemsize(p->dtype), p->dtype), text);
    if (n > p->width) p->width = n;
  }
}

// Writes the next element into buf in the format that all elements share; returns the length.
static int element_text(printout *p, char *buf) {
  char text[CP_NUMBER_TEXT];
  cp_scalar s = cp_scalar_load(p->data, p->dtype);
  p->data += cp_itemsize(p->dtype);
  switch (cp_dtypes[p->dtype].kind) {
  case 'b': return sprintf(buf, "%5s", s.v.i != 0 ? "true" : "false");
  case 'f': return cp_real_format_write(&p->real, s.v.f, buf);
  case 'c': break;
  default: cp_scalar_text(s, text); return sprintf(buf, "%*s", p->width, text);
  }
  int n = cp_real_format_write(&p->real, s.v.c.re, buf);
  int m = cp_real_format_write(&p->imag, s.v.c.im, text);
  int used = m; // the j comes before the spaces that fill the column
  while (used > 0 && text[used - 1] == ' ') used--;
  return n + sprintf(buf + n, "%.*sj%s", used, text, text + used);
}

// ---- layout -----------------------------------------------------------------------------------------------

static void put(printout *p, const char *text, size_t n) {
  p->column += (int64_t)n;
  for (; n > 0 && *text == ' '; text++, n--) p->blanks++;
  if (n == 0) return;
  for (; p->blanks > 0; p->blanks--) luaL_addlstring(&p->b, " ", 1);
  size_t used = n;
  while (text[used - 1] == ' ') used--;
  luaL_addlstring(&p->b, text, used);
  p->blanks = (int64_t)(n - used);
}

static void new_line(printout *p, int indent) {
  luaL_addlstring(&p->b, "\n", 1);
  p->column = p->blanks = indent;
}

// Writes an element of the last axis, on a new line if the current one is full.
static void put_word(printout *p, const char *text, int n) {
  if (p->column + n > p->linewidth - p->ndim && p->column > p->ndim) new_line(p, p->ndim);
  put(p, text, (size_t)n);
}

static void put_axis(printout *p, int axis) {
  char text[2 * CP_NUMBER_TEXT];
  bool last = axis == p->ndim - 1;
  int64_t length = p->shown[axis];
  put(p, "[", 1);
  for (int64_t k = 0; k < length; k++) {
    if ((k + 1) % CP_POLL_COUNT == 0 || !last) cp_check_interrupt(p->L, "tostring");
    bool gap = p->cut[axis] && 2 * k == length;
    for (int round = gap ? 0 : 1; round < 2; round++) { // round 0 writes the dots, round 1 the element
      if (k > 0 && last) put(p, " ", 1);
      for (int line = 1; k > 0 && !last && line < p->ndim - axis; line++)
        new_line(p, line < p->ndim - axis - 1 ? 0 : axis + 1);
      if (round == 0 && last)
        put_word(p, "...", 3);
      else if (round == 0)
        put(p, "...", 3);
      else if (last)
        put_word(p, text, element_text(p, text));
      else
        put_axis(p, axis + 1);
    }
  }
  put(p, "]", 1);
}

// Makes `view` a view of the part of a that is shown. A long axis becomes two: one of length 2, for its two
// ends, and one over the items of an end.
static void view_edges(lua_State *L, printout *p, const cp_array *a, int64_t edge, cp_array *view) {
  cp_view_start(view, a);
  for (int d = 0; d < a->ndim; d++) {
    int64_t n = a->shape[d], stride = a->strides[d];
    p->cut[d] = n > 2 * edge;
    p->shown[d] = p->cut[d] ? 2 * edge : n;
    bool two = p->cut[d] && stride != 0;
    if (p->shown[d] == 1) continue;
    if (view->ndim + two >= CP_MAXDIM) cp_raise(L, "tostring", CP_ESHAPE, "too many long axes to show");
    if (two) cp_view_axis(view, 2, (n - edge) * stride);
    cp_view_axis(view, two ? edge : p->shown[d], stride);
  }
}

// Copies the elements that are shown to host memory, which it pushes as a userdata.
static void push_shown(lua_State *L, printout *p, cp_array *a, const print_options *o) {
  if (a->size > o->threshold) {
    cp_array_local local;
    cp_array *view = cp_array_local_init(&local);
    view_edges(L, p, a, o->edgeitems, view);
    cp_array *handle = cp_push_view(L, view);
    p->data = cp_push_host_copy(L, "tostring", handle);
    lua_remove(L, -2);
    return;
  }
  for (int d = 0; d < a->ndim; d++) {
    p->shown[d] = a->shape[d];
    p->cut[d] = false;
  }
  p->data = cp_push_host_copy(L, "tostring", a);
}

// Pushes the text of the array at index.
static void push_text(lua_State *L, int index) {
  static const int64_t first[CP_MAXDIM] = {0};
  char text[CP_NUMBER_TEXT], shape[CP_SHAPE_TEXT], line[CP_SHAPE_TEXT + 64];
  printout p;
  cp_array *a = cp_check_array(L, index, "tostring", "x");
  if (a->ndim == 0) {
    int n = cp_scalar_text(cp_read_element(L, "tostring", a, first), text);
    lua_pushlstring(L, text, (size_t)n);
    return;
  }
  print_options o = *options_of(L);
  p.L = L;
  p.dtype = a->dtype;
  p.ndim = a->ndim;
  p.linewidth = o.linewidth;
  p.column = p.blanks = 0;
  push_shown(L, &p, a, &o);
  int64_t count = 1;
  for (int d = 0; d < a->ndim; d++) count *= p.shown[d];
  fit_formats(&p, count, &o);
  luaL_buffinit(L, &p.b);
  if (a->size == 0)
    luaL_addstring(&p.b, "[]");
  else
    put_axis(&p, 0);
  int n = snprintf(line, sizeof line, "\n%s %s %s", cp_dtypes[a->dtype].name,
                   cp_shape_text(a->ndim, a->shape, shape), a->device->name);
  luaL_addlstring(&p.b, line, (size_t)n);
  luaL_pushresult(&p.b);
  lua_remove(L, -2); // the host memory is no longer needed
}

static int tostring_event(lua_State *L) {
  push_text(L, 1);
  return 1;
}

// Joins text .. array or array .. text.
static int concat_event(lua_State *L) {
  lua_settop(L, 2);
  if (cp_test_array(L, 1) != NULL && cp_test_array(L, 2) != NULL)
    return cp_raise(L, "concat", CP_EUSAGE,
                    ".. joins text with the text of one array; cp.concatenate{a, b} joins arrays");
  for (int k = 1; k <= 2; k++) {
    if (cp_test_array(L, k) != NULL)
      push_text(L, k);
    else
      cp_push_joinable(L, k, "an array");
  }
  lua_concat(L, 2);
  return 1;
}

// ---- options ----------------------------------------------------------------------------------------------

static int64_t count_option(lua_State *L, int slot, const char *name, int64_t least, int64_t missing) {
  if (lua_isnil(L, slot)) return missing;
  // Such as math.huge: no limit.
  if (lua_type(L, slot) == LUA_TNUMBER && lua_tonumber(L, slot) > 1e18) return INT64_MAX / 2;
  int64_t v = cp_arg_integer(L, slot, "set_printoptions", name);
  if (v < least)
    cp_raise(L, "set_printoptions", CP_EUSAGE, "%s must be at least %lld, not %lld", name, (long long)least,
             (long long)v);
  return v;
}

// cp.set_printoptions{precision = 8, threshold = 1000, edgeitems = 3, linewidth = 75, suppress = false}:
// options that are not given keep their values.
static int set_printoptions(lua_State *L) {
  static const char *const names[] = {"precision", "threshold", "edgeitems", "linewidth", "suppress"};
  static const cp_signature s = {"set_printoptions", names, 5, 0};
  if (lua_gettop(L) == 1 && lua_istable(L, 1)) { // an empty table is a table of options here
    lua_pushnil(L);
    if (lua_next(L, 1) == 0)
      lua_settop(L, 0);
    else
      lua_pop(L, 2);
  }
  cp_arguments(L, &s);
  print_options o = *options_of(L);
  int64_t precision = count_option(L, 1, names[0], 0, o.precision);
  if (precision > CP_MAX_PRECISION)
    return cp_raise(L, s.where, CP_EUSAGE, "precision must be at most %d, not %lld", CP_MAX_PRECISION,
                    (long long)precision);
  o.precision = (int)precision;
  o.threshold = count_option(L, 2, names[1], 0, o.threshold);
  o.edgeitems = count_option(L, 3, names[2], 1, o.edgeitems);
  o.linewidth = count_option(L, 4, names[3], 1, o.linewidth);
  o.suppress = cp_arg_boolean_or(L, 5, s.where, names[4], o.suppress);
  *options_of(L) = o;
  return 0;
}

static int get_printoptions(lua_State *L) {
  cp_at_most(L, "get_printoptions", 0);
  const print_options *o = options_of(L);
  lua_createtable(L, 0, 5);
  lua_pushinteger(L, o->precision);
  lua_setfield(L, -2, "precision");
  cp_push_scalar(L, cp_scalar_int(o->threshold, CP_INT64));
  lua_setfield(L, -2, "threshold");
  cp_push_scalar(L, cp_scalar_int(o->edgeitems, CP_INT64));
  lua_setfield(L, -2, "edgeitems");
  cp_push_scalar(L, cp_scalar_int(o->linewidth, CP_INT64));
  lua_setfield(L, -2, "linewidth");
  lua_pushboolean(L, o->suppress);
  lua_setfield(L, -2, "suppress");
  return 1;
}

void cp_open_print(lua_State *L) {
  static const luaL_Reg cp[] = {
      {"set_printoptions", set_printoptions}, {"get_printoptions", get_printoptions}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__tostring", tostring_event}, {"__concat", concat_event}, {NULL, NULL}};
  print_options *o = cp_newuserdata(L, sizeof *o);
  *o = (print_options){.precision = 8, .threshold = 1000, .edgeitems = 3, .linewidth = 75};
  lua_rawsetp(L, LUA_REGISTRYINDEX, &options_key);
  cp_push_kind(L, CP_KIND_ARRAY);
  cp_put_functions(L, -1, meta);
  cp_put_functions(L, 2, cp);
  lua_pop(L, 1);
}
