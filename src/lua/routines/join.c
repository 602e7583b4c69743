// core.join: joins arrays by one call, for lua/cupola/arrays/joining.lua. Each array is written straight to
// its place in the result: as bytes where it lies ready for that, several pending values of one shape by one
// kernel, others by assignment.
#include "array/view.h"
#include "lazy/arrays/access.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/eval.h"
#include "lazy/expression/graph.h"
#include "rules/operands.h"

#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <string.h>

// ---- the form of a piece ----------------------------------------------------------------------------------

// What becomes of the shape of each array before it is joined to the others: numbers that the Lua side uses,
// too.
typedef enum form {
  AS_IS,    // nothing; joined along an axis that is an argument
  NEW_AXIS, // it gets a new axis there
  ROWS,     // at least two axes, new ones in front; joined along the first
  LINES,    // at least one axis; joined along the second, vectors along their only one
  COLUMNS,  // vectors become columns; joined along the second
  LAYERS,   // at least three axes, (n) as (1, n, 1) and (n, m) as (n, m, 1); joined along the third
  NFORMS
} form;

// An array in its form: for each axis the length, and the axis of the array that it is, or -1 for a new one.
typedef struct shaped {
  int ndim;
  int64_t lengths[CP_MAXDIM];
  int from[CP_MAXDIM];
} shaped;

// Appends `count` new axes.
static void add_new(shaped *s, int count) {
  for (int k = 0; k < count; k++) {
    s->lengths[s->ndim] = 1;
    s->from[s->ndim++] = -1;
  }
}

// Appends the axes first to last - 1 of x.
static void add_axes(shaped *s, const cp_array *x, int first, int last) {
  for (int d = first; d < last; d++) {
    s->lengths[s->ndim] = x->shape[d];
    s->from[s->ndim++] = d;
  }
}

// x in its form. axis: of NEW_AXIS, at most x->ndim; x has fewer than CP_MAXDIM axes or gets no new one.
static void shape_piece(const cp_array *x, form f, int axis, shaped *s) {
  const int n = x->ndim;
  // The number of new axes before all others, and behind them.
  int before = 0, behind = 0;
  if (f == ROWS) before = n < 2 ? 2 - n : 0;
  if (f == LINES) before = n < 1;
  if (f == COLUMNS) before = n < 1, behind = n < 2;
  if (f == LAYERS) before = n == 0 ? 2 : n == 1, behind = n < 3;
  s->ndim = 0;
  add_new(s, before);
  add_axes(s, x, 0, f == NEW_AXIS ? axis : n);
  if (f == NEW_AXIS) {
    add_new(s, 1);
    add_axes(s, x, axis, n);
  }
  add_new(s, behind);
}

// The axis along which arrays of the form of `first` are joined. given: of the forms that have no axis of
// their own.
static int joined_axis(const shaped *first, form f, int given) {
  if (f == ROWS) return 0;
  if (f == COLUMNS) return 1;
  if (f == LAYERS) return 2;
  return f == LINES ? first->ndim > 1 : given;
}

// Whether both have the same lengths but for those along an axis.
static bool fits(int ndim, const int64_t *lengths, int other, const int64_t *others, int axis) {
  if (ndim != other) return false;
  for (int d = 0; d < ndim; d++)
    if (d != axis && lengths[d] != others[d]) return false;
  return true;
}

// ---- what is joined ---------------------------------------------------------------------------------------

// core.join_length(where, list, axis): the sum of the lengths along an axis (from 1) that all arrays of the
// list have; else the number of the first array, negative, whose shape differs from the first one's beside
// that axis.
static int join_length(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  const int axis = (int)luaL_checkinteger(L, 3) - 1;
  const int count = (int)lua_rawlen(L, 2);
  const cp_array *first = NULL;
  double total = 0;
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 2, k);
    const cp_array *x = cp_check_value(L, -1, where, "arrays");
    if (first == NULL) first = x;
    cp_demand(L, where, axis >= 0 && axis < first->ndim, "there is no such axis");
    if (!fits(x->ndim, x->shape, first->ndim, first->shape, axis)) {
      lua_pushinteger(L, -k);
      return 1;
    }
    total += (double)x->shape[axis];
    lua_pop(L, 1);
  }
  lua_pushnumber(L, total);
  return 1;
}

// The arrays of a list, and the result.
typedef struct joint {
  const char *where;
  form form;
  int list, count; // the stack slot and the length of the list
  int axis;
  int given; // the axis that was asked for, of the forms that have no other
  cp_device *device;
  cp_dtype_set dtypes; // of all arrays
  int ndim;
  int64_t lengths[CP_MAXDIM]; // of the result
  cp_array *result;
  int64_t done; // how much of it, along the axis, has values
} joint;

// Array k, from 1; NULL if the list has something else there, or an array that was freed.
static cp_array *member(lua_State *L, const joint *j, int k) {
  lua_rawgeti(L, j->list, k);
  cp_array *x = cp_test_array(L, -1);
  lua_pop(L, 1); // the list holds it
  return x != NULL && cp_array_alive(x) == CP_OK ? x : NULL;
}

// The length of x along the axis, in the form of the joint; -1 if x does not fit to the first array.
static int64_t length_of(const joint *j, const cp_array *x) {
  shaped s;
  if (j->form == AS_IS) return fits(x->ndim, x->shape, j->ndim, j->lengths, j->axis) ? x->shape[j->axis] : -1;
  if (x->ndim > j->ndim || (j->form == NEW_AXIS && x->ndim != j->ndim - 1)) return -1;
  shape_piece(x, j->form, j->given, &s);
  return fits(s.ndim, s.lengths, j->ndim, j->lengths, j->axis) ? s.lengths[j->axis] : -1;
}

// Begins with the first array. False if it cannot be joined.
static bool begin(joint *j, const cp_array *first) {
  shaped s;
  const bool longer = j->form != AS_IS;
  if (first->ndim + 2 * longer > CP_MAXDIM || (first->ndim == 0 && j->form == AS_IS)) return false;
  if (j->given < 0 || j->given >= first->ndim + longer) return false;
  shape_piece(first, j->form, j->given, &s);
  j->axis = joined_axis(&s, j->form, j->given);
  j->device = first->device;
  j->ndim = s.ndim;
  memcpy(j->lengths, s.lengths, (size_t)s.ndim * sizeof *s.lengths);
  j->lengths[j->axis] = 0;
  return true;
}

// Looks at all arrays: sets what the result will be. False if something of the list cannot be joined, or is
// no array.
static bool measure(lua_State *L, joint *j) {
  const int64_t most = (int64_t)1 << 53; // more would be no number of Lua
  for (int k = 1; k <= j->count; k++) {
    const cp_array *x = member(L, j, k);
    if (x == NULL || (k == 1 && !begin(j, x)) || x->device != j->device) return false;
    const int64_t length = length_of(j, x);
    if (length < 0 || length > most - j->lengths[j->axis]) return false;
    j->lengths[j->axis] += length;
    j->dtypes |= cp_set_of(x->dtype);
  }
  return j->count > 0;
}

// Whether arrays of all these dtypes may be written into one of dtype `to`.
static bool can_cast_all(cp_dtype_set dtypes, cp_dtype to) {
  for (cp_dtype t = 0; t < CP_NDTYPES; t++)
    if ((dtypes & cp_set_of(t)) != 0 && !cp_can_cast(t, to, CP_CAST_SAME_KIND)) return false;
  return true;
}

// The length of x along the axis, if it fits behind the position `at` of the result; -1 if not: making the
// result runs finalizers, which may change the list.
static int64_t length_at(const joint *j, const cp_array *x, int64_t at) {
  if (x == NULL || x->device != j->device) return -1;
  const int64_t length = length_of(j, x);
  return length <= j->lengths[j->axis] - at ? length : -1;
}

// The part of the result for x, which fits there, as a view of x's shape that begins at the position `at`.
static cp_array *part_of(const joint *j, const cp_array *x, int64_t at, cp_array_local *local) {
  const cp_array *r = j->result;
  cp_array *part = cp_array_local_init(local);
  shaped s;
  shape_piece(x, j->form, j->given, &s);
  cp_view_start(part, r);
  part->offset += at * r->strides[j->axis];
  for (int d = 0; d < r->ndim; d++)
    if (s.from[d] >= 0) cp_view_axis(part, s.lengths[d], r->strides[d]);
  return part;
}

// ---- pieces that are copied as bytes ----------------------------------------------------------------------

// Rows are the pieces of memory that lie together in both arrays. If there are more of them, or longer ones,
// a kernel is quicker.
enum { MOST_ROWS = 16, LONGEST_ROW = 4096 };

static int64_t count_rows(const joint *j) {
  int64_t rows = 1;
  for (int d = 0; d < j->axis; d++) rows *= j->result->shape[d];
  return rows;
}

// Whether x is in memory with its elements as the result will have them. On a GPU a kernel is as quick as a
// copy.
static bool is_ready(const joint *j, const cp_array *x, int64_t rows) {
  const cp_array *r = j->result;
  if (x->node != NULL || x->dtype != r->dtype || !cp_array_contiguous(x, 'C')) return false;
  if (strcmp(r->device->ops->kind, "cpu") != 0) return false;
  const size_t bytes = (size_t)x->size * cp_itemsize(x->dtype);
  return rows == 1 ||
         (rows <= MOST_ROWS && bytes <= (size_t)rows * LONGEST_ROW && r->context->capture.graph == NULL);
}

// Copies `rows` rows, which lie `step` bytes from each other in the result.
static cp_status copy_rows(cp_stream *s, char *to, size_t step, const cp_array *x, int64_t rows) {
  const char *from = cp_address(x);
  const size_t bytes = rows > 0 ? (size_t)(x->size / rows) * cp_itemsize(x->dtype) : 0;
  cp_status status = CP_OK;
  for (int64_t k = 0; k < rows && bytes > 0 && status == CP_OK; k++)
    status = s->device->ops->copy(s, to + (size_t)k * step, from + (size_t)k * bytes, bytes, CP_WITHIN);
  return status;
}

// Copies some pieces from piece k on. Returns how many: 0 if k is not ready for that, or no longer fits.
static int copy_some(lua_State *L, joint *j, int k) {
  enum { SOME = 15 };
  cp_context *ctx = j->result->context;
  cp_use uses[SOME + 1] = {{j->result, CP_WRITE}};
  int64_t at[SOME + 1] = {j->done};
  const int64_t rows = count_rows(j);
  const size_t step = j->axis > 0 ? (size_t)j->result->strides[j->axis - 1] : 0;
  cp_stream *s;
  int n = 0;
  for (; n < SOME && k + n <= j->count; n++) {
    cp_array *x = member(L, j, k + n);
    const int64_t length = length_at(j, x, at[n]);
    if (length < 0 || !is_ready(j, x, rows)) break;
    uses[n + 1] = (cp_use){x, CP_READ};
    at[n + 1] = at[n] + length;
  }
  if (n == 0) return 0;
  CP_CHECK(L, j->where, cp_open_arrays(ctx, j->device, n + 1, uses, &s));
  ctx->counters.launches++;
  for (int i = 0; i < n; i++) {
    char *to = (char *)cp_address(j->result) + at[i] * j->result->strides[j->axis];
    CP_CHECK(L, j->where, copy_rows(s, to, step, uses[i + 1].array, rows));
  }
  j->done = at[n];
  return n;
}

// ---- pieces that are computed -----------------------------------------------------------------------------

// Some pieces of one shape, and the parts of the result that they become.
typedef struct pieces {
  int count;
  int64_t end; // along the axis
  cp_node *nodes[CP_MAX_OUTPUTS];
  cp_array *parts[CP_MAX_OUTPUTS];
  cp_array_local locals[CP_MAX_OUTPUTS];
} pieces;

// Whether x's value may be computed together with others.
static bool may_join(const cp_array *x) {
  const cp_node *n = x->node;
  return n != NULL && n->kind == CP_NODE_OP && !n->reduces && !n->apart && !n->traced;
}

// Adds the piece x at the end of those.
static cp_status add_piece(pieces *p, cp_array *x, cp_dtype dtype, int64_t length) {
  p->end += length;
  CP_TRY(cp_array_node(x, &p->nodes[p->count]));
  CP_TRY(cp_node_cast(p->nodes[p->count], dtype, &p->nodes[p->count]));
  p->count++;
  return CP_OK;
}

// Computes the pieces into their parts by one kernel. *done: false if no kernel can compute all of them, or
// some value among them is to be kept.
static cp_status run_pieces(cp_context *ctx, pieces *p, bool *done) {
  cp_node *kept[1];
  *done =
      cp_fit_together(ctx, p->count, p->nodes) && cp_find_kept(ctx, p->count, p->nodes, true, 1, kept) == 0;
  return *done ? cp_evaluate(ctx, p->count, p->nodes, p->parts, true) : CP_OK;
}

// Computes some pieces from piece k on. Returns how many: 0 if these are not at least two pending elementwise
// operations of one shape, or cannot be computed together.
static int compute_some(lua_State *L, joint *j, int k) {
  cp_context *ctx = j->result->context;
  const cp_array *first = NULL;
  pieces p;
  cp_status status = CP_OK;
  bool done = true;
  const int top = lua_gettop(L);
  if (!ctx->lazy.fusion) return 0;
  p.count = 0;
  p.end = j->done;
  luaL_checkstack(L, CP_MAX_OUTPUTS + 4, "too many arrays");
  while (p.count < CP_MAX_OUTPUTS && k + p.count <= j->count && status == CP_OK) {
    lua_rawgeti(L, j->list, k + p.count); // stays on the stack, as computing one may change the list
    cp_array *x = cp_test_array(L, -1);
    if (x == NULL || cp_array_alive(x) != CP_OK || !may_join(x) || x->size == 0) break;
    if (first != NULL && !cp_shape_equal(x->ndim, x->shape, first->ndim, first->shape)) break;
    const int64_t length = length_at(j, x, p.end);
    if (length < 0) break;
    p.parts[p.count] = part_of(j, x, p.end, &p.locals[p.count]);
    if (first == NULL) first = x;
    status = add_piece(&p, x, j->result->dtype, length);
  }
  if (status == CP_OK && (done = p.count > 1)) status = run_pieces(ctx, &p, &done);
  lua_settop(L, top);
  for (int i = 0; i < p.count; i++) cp_node_release(p.nodes[i]);
  CP_CHECK(L, j->where, status);
  if (done) j->done = p.end;
  return done ? p.count : 0;
}

// Writes piece k to its place. False if it is no longer one that fits.
static bool write_piece(lua_State *L, joint *j, int k) {
  cp_array_local local;
  const cp_array *x = member(L, j, k);
  const int64_t length = length_at(j, x, j->done);
  if (length < 0) return false;
  lua_rawgeti(L, j->list, k);
  if (x->size > 0) cp_assign_value(L, j->where, part_of(j, x, j->done, &local), lua_gettop(L));
  lua_pop(L, 1);
  j->done += length;
  return true;
}

// The axis in slot 4, from 0; false if it is none of `ndim` axes, or no number.
static bool read_axis(lua_State *L, int ndim, int *axis) {
  const lua_Number v = lua_type(L, 4) == LUA_TNUMBER ? lua_tonumber(L, 4) : lua_isnil(L, 4);
  if (!(v >= -ndim && v <= ndim) || v == 0 || v != (lua_Number)(int)v) return false;
  *axis = v > 0 ? (int)v - 1 : ndim + (int)v;
  return true;
}

// core.join(where, list, form, axis?, dtype?): the arrays of the list joined along an axis (from 1; default
// 1), of the common dtype unless there is another. Nothing where these are not arrays of one device that can
// be joined so, or the list is no plain table; then the Lua side says what is wrong, or joins them by other
// ways.
static int join(lua_State *L) {
  joint j = {.where = luaL_checkstring(L, 1), .list = 2};
  const lua_Integer f = luaL_checkinteger(L, 3);
  lua_settop(L, 5);
  if (!lua_istable(L, 2) || lua_getmetatable(L, 2)) return 0;
  cp_demand(L, j.where, f >= 0 && f < NFORMS, "there is no such form");
  j.form = (form)f;
  j.count = (int)lua_rawlen(L, 2);
  const cp_array *first = j.count > 0 ? member(L, &j, 1) : NULL;
  if (first == NULL || !read_axis(L, first->ndim + (j.form != AS_IS), &j.given) || !measure(L, &j)) return 0;
  const cp_dtype dtype = cp_arg_dtype(L, 5, j.where);
  if (dtype != CP_NDTYPES && !can_cast_all(j.dtypes, dtype)) return 0;
  j.result = cp_push_new_array(L, j.where, j.device, dtype != CP_NDTYPES ? dtype : cp_promote_all(j.dtypes),
                               j.ndim, j.lengths);
  j.result->context->lazy.caller = j.where;
  for (int k = 1, n; k <= j.count; k += n) {
    n = copy_some(L, &j, k);
    if (n == 0) n = compute_some(L, &j, k);
    if (n == 0) n = write_piece(L, &j, k);
    if (n == 0) return 0;
  }
  return j.done == j.result->shape[j.axis];
}

void cp_open_join(lua_State *L) {
  lua_pushcfunction(L, join_length);
  lua_setfield(L, 1, "join_length");
  lua_pushcfunction(L, join);
  lua_setfield(L, 1, "join");
}
