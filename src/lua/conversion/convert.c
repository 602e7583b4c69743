// Makes arrays from Lua values: nested tables, numbers, booleans, boxed values, 64-bit cdata and arrays.
//
// A table is walked up to four times, each time with another task: `inspect` finds the kinds of the values
// and holes in the table, and gathers plain numbers and booleans as doubles; `range` finds out whether all
// values fit an integer dtype; `fill` writes them to host memory; `insert` copies arrays inside the table on
// the device. If there are only plain numbers and booleans, which the doubles hold, usually the first walk is
// the only one. No walk runs Lua code of a script, and each one checks the shape again, because a collection
// between two walks may run finalizers that change the table.
#include "lua/conversion/convert.h"
#include "lua/objects/object.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct walk walk;
struct walk {
  lua_State *L;
  const char *where; // name of the public function
  int ndim;
  int64_t shape[CP_MAXDIM];    // as the first element of every level has it
  int64_t position[CP_MAXDIM]; // of the value being visited, from 0
  int64_t next;                // its index in C order
  // What this walk does with the value on top of the stack: a scalar, or an array with the last axes.
  void (*scalar)(walk *w);
  void (*array)(walk *w, cp_array *a);
  void (*row)(walk *w, int64_t length);             // visits a whole row of scalars; NULL: one by one
  void (*keys)(walk *w, int depth, int64_t length); // checks keys other than 1..length; NULL: no check
  // What `inspect` and `range` find.
  double *gathered;                                  // all elements, if they are plain; NULL: too many
  bool booleans, numbers, complexes, arrays, others; // others: values that a double does not hold
  cp_dtype_set dtypes;                               // dtypes of arrays and typed scalars
  cp_dtype strong;                                   // their common dtype; CP_NDTYPES: there are none
  bool by_value;                                     // the table is only compared with an array
  bool all_fit, all_whole;                           // the result of `range`
  // For `fill` and `insert`; `range` uses dtype, too.
  cp_dtype dtype;
  bool asked_for; // the caller gave the dtype
  char *host;
  cp_array *target;
};

// ---- messages ---------------------------------------------------------------------------------------------

// Writes the first `depth` positions, from 1: "2" or "(2, 1)".
static const char *position_text(const walk *w, int depth, char *buf) {
  int64_t position[CP_MAXDIM] = {0};
  for (int d = 0; d < depth; d++) position[d] = w->position[d] + 1;
  cp_shape_text(depth, position, buf);
  if (depth != 1) return buf;
  buf[strlen(buf) - 1] = '\0';
  return buf + 1;
}

// Raises "element (2, 1) FACT" for the value at `depth`.
static void bad_element(walk *w, int depth, cp_status kind, const char *fact) {
  char buf[CP_SHAPE_TEXT];
  if (depth == 0) cp_raise(w->L, w->where, kind, "the value %s", fact);
  cp_raise(w->L, w->where, kind, "element %s %s", position_text(w, depth, buf), fact);
}

static void bad_type(walk *w, int depth) {
  char fact[64] = "is ";
  if (cp_test_object(w->L, -1, CP_KIND_SPARSE) != NULL)
    bad_element(w, depth, CP_EUSAGE, "is a sparse array; its method toarray gives a dense one");
  const char *name = lua_type(w->L, -1) == LUA_TNIL ? "nil" : luaL_typename(w->L, -1);
  if (strcmp(name, "nil") != 0) strcat(fact, "a ");
  strncat(fact, name, 32);
  bad_element(w, depth, CP_EUSAGE, fact);
}

// Raises an error: a row has `length` elements, but the first row of this level has another number of them.
static void ragged(walk *w, int depth, int64_t length) {
  char here[CP_SHAPE_TEXT], first[CP_SHAPE_TEXT];
  const char *text = position_text(w, depth, here);
  walk begin = {.position = {0}};
  cp_raise(w->L, w->where, CP_ESHAPE, "row %s has %lld element%s, row %s has %lld", text, (long long)length,
           length == 1 ? "" : "s", position_text(&begin, depth, first), (long long)w->shape[depth]);
}

static void bad_array(walk *w, const cp_array *a, int depth) {
  char have[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT], fact[2 * CP_SHAPE_TEXT + 40];
  snprintf(fact, sizeof fact, "is an array of shape %s, not %s", cp_shape_text(a->ndim, a->shape, have),
           cp_shape_text(w->ndim - depth, w->shape + depth, want));
  bad_element(w, depth, CP_ESHAPE, fact);
}

// Raises an error: the scalar s does not fit the integer or real dtype.
static void bad_value(walk *w, cp_scalar s) {
  char fact[160];
  const char *name = cp_dtypes[w->dtype].name;
  if (cp_is_complex(s.dtype)) {
    snprintf(fact, sizeof fact,
             "is complex and does not fit %s; make the array without dtype and take its real part", name);
  } else {
    snprintf(fact, sizeof fact, "= %.17g does not fit %s; %s :astype", cp_scalar_cast(s, CP_FLOAT64).v.f,
             name,
             w->asked_for ? "make the array without dtype and convert it with"
                          : "convert the array beside it with");
  }
  bad_element(w, w->ndim, CP_EDTYPE, fact);
}

// ---- the walk ---------------------------------------------------------------------------------------------

// Finds the shape of the value on top by looking at the first element of every level.
static void find_shape(walk *w) {
  lua_State *L = w->L;
  int top = lua_gettop(L);
  for (;;) {
    const cp_array *a = cp_test_array(L, -1);
    int more = a != NULL ? a->ndim : lua_istable(L, -1) ? 1 : 0;
    if (w->ndim + more > CP_MAXDIM)
      cp_raise(L, w->where, CP_ESHAPE, "the table is nested deeper than %d levels; does it contain itself?",
               CP_MAXDIM);
    for (int d = 0; a != NULL && d < a->ndim; d++) w->shape[w->ndim++] = a->shape[d];
    if (a != NULL || more == 0) break;
    w->shape[w->ndim++] = (int64_t)lua_rawlen(L, -1);
    if (w->shape[w->ndim - 1] == 0) break;
    lua_rawgeti(L, -1, 1);
  }
  lua_settop(L, top);
}

static void visit(walk *w, int depth);

static void visit_row(walk *w, int depth) {
  lua_State *L = w->L;
  int64_t length = (int64_t)lua_rawlen(L, -1);
  if (w->keys != NULL) w->keys(w, depth, length);
  if (length != w->shape[depth]) ragged(w, depth, length);
  if (depth == w->ndim - 1 && w->row != NULL) {
    w->row(w, length);
    return;
  }
  for (int64_t k = 0; k < length; k++) {
    if (k % CP_POLL_COUNT == 0) cp_check_interrupt(L, w->where);
    w->position[depth] = k;
    lua_rawgeti(L, -1, (int)(k + 1));
    visit(w, depth + 1);
    lua_pop(L, 1);
  }
}

// Visits the value on top, which is `depth` levels inside.
static void visit(walk *w, int depth) {
  if (depth < w->ndim && lua_istable(w->L, -1)) {
    visit_row(w, depth);
    return;
  }
  cp_array *a = cp_test_array(w->L, -1);
  if (a != NULL) {
    if (!cp_shape_equal(a->ndim, a->shape, w->ndim - depth, w->shape + depth)) bad_array(w, a, depth);
    w->array(w, a);
    w->next += a->size;
    return;
  }
  if (lua_istable(w->L, -1)) bad_element(w, depth, CP_ESHAPE, "is a table, the first one is not");
  if (depth < w->ndim && lua_type(w->L, -1) != LUA_TNUMBER) bad_type(w, depth);
  if (depth < w->ndim) bad_element(w, depth, CP_ESHAPE, "is a number, the first one is a table or array");
  w->scalar(w);
  w->next++;
}

// Walks the value at the stack slot `index`.
static void walk_value(walk *w, int index) {
  lua_pushvalue(w->L, index);
  w->next = 0;
  visit(w, 0);
  lua_pop(w->L, 1);
}

// ---- inspect ----------------------------------------------------------------------------------------------

static void add_strong(walk *w, cp_dtype t) {
  w->dtypes |= cp_set_of(t);
  w->strong = cp_promote_all(w->dtypes);
}

static void inspect_array(walk *w, cp_array *a) {
  cp_need(w->L, w->where, a);
  w->arrays = w->others = true;
  add_strong(w, a->dtype);
}

// Gathers the number or boolean at the stack slot; returns false for any other value.
static inline bool gather(walk *w, int slot) {
  double v;
  switch (lua_type(w->L, slot)) {
  case LUA_TNUMBER:
    v = cp_todouble(w->L, slot);
    w->numbers = true;
    break;
  case LUA_TBOOLEAN:
    v = lua_toboolean(w->L, slot);
    w->booleans = true;
    break;
  default: return false;
  }
  if (w->gathered != NULL) w->gathered[w->next] = v;
  return true;
}

static void inspect_scalar(walk *w) {
  cp_scalar s;
  char kind;
  bool weak;
  if (gather(w, -1)) return;
  w->others = true;
  if (!cp_to_scalar(w->L, -1, &s, &kind, &weak)) {
    bad_type(w, w->ndim);
  } else if (!weak) {
    add_strong(w, s.dtype);
  } else {
    if (kind == 'c')
      w->complexes = true;
    else
      w->numbers = true;
  }
}

static void inspect_row(walk *w, int64_t length) {
  enum { BATCH = 8 }; // values that are popped at once; popping each would take much of the time
  lua_State *L = w->L;
  int row = lua_gettop(L);
  int64_t *position = &w->position[w->ndim - 1];
  for (int64_t k = 0; k < length; k += BATCH) {
    if (k % CP_POLL_COUNT == 0 && k > 0) cp_check_interrupt(L, w->where);
    int n = length - k < BATCH ? (int)(length - k) : BATCH;
    for (int j = 0; j < n; j++) lua_rawgeti(L, row, (int)(k + j) + 1);
    for (int j = 1; j <= n; j++) {
      if (gather(w, row + j)) {
        w->next++;
        continue;
      }
      *position = k + j - 1;
      lua_pushvalue(L, row + j);
      visit(w, w->ndim);
      lua_pop(L, 1);
    }
    lua_settop(L, row);
  }
}

// Raises an error about a numeric key of the table at `depth` whose elements are 1..length.
static void bad_key(walk *w, int depth, int64_t length, double key) {
  char fact[80];
  if (key < 1 || key != floor(key)) {
    snprintf(fact, sizeof fact, "has a key %.17g; elements count from 1", key);
    if (depth == 0) cp_raise(w->L, w->where, CP_EUSAGE, "the table %s", fact);
    bad_element(w, depth, CP_EUSAGE, fact);
  }
  w->position[depth] = length;
  snprintf(fact, sizeof fact, "is nil, but there is an element %.17g after it", key);
  bad_element(w, depth + 1, CP_EUSAGE, fact);
}

// Raises an error about a key of the table at `depth` that is a string.
static void bad_name(walk *w, int depth) {
  char fact[100];
  snprintf(fact, sizeof fact, "contains the name '%.40s', but data have no named entries",
           lua_tostring(w->L, -2));
  if (depth == 0) cp_raise(w->L, w->where, CP_EUSAGE, "the table %s", fact);
  bad_element(w, depth, CP_EUSAGE, fact);
}

// Checks the keys of the table on top. Numbers other than 1..length mean that there is a hole or that the
// script counts from 0; names are options in the wrong place. A table whose first key is 1 was almost
// certainly filled in order, so only the keys after `length` are checked.
static void inspect_keys(walk *w, int depth, int64_t length) {
  lua_State *L = w->L;
  if (length > INT32_MAX - 1)
    cp_raise(L, w->where, CP_ESHAPE, "a table of %lld elements is too long", (long long)length);
  lua_pushnil(L);
  if (lua_next(L, -2) == 0) return;
  if (length > 0 && lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) == 1) {
    lua_pop(L, 2);
    lua_pushinteger(L, (lua_Integer)length);
    if (lua_next(L, -2) == 0) return;
  }
  do {
    bool number = lua_type(L, -2) == LUA_TNUMBER;
    if (lua_type(L, -2) == LUA_TSTRING) bad_name(w, depth);
    double key = number ? lua_tonumber(L, -2) : 0;
    if (number && !(key >= 1 && key <= (double)length && key == floor(key))) bad_key(w, depth, length, key);
    lua_pop(L, 1);
  } while (lua_next(L, -2) != 0);
}

// ---- range ------------------------------------------------------------------------------------------------

static void range_scalar(walk *w) {
  cp_scalar s = {0};
  char kind = 'f';
  bool weak;
  if (!cp_to_scalar(w->L, -1, &s, &kind, &weak)) return;
  if (kind != 'b' && kind != 'i') w->all_whole = false;
  if (!cp_scalar_fits(s, w->dtype)) w->all_fit = false;
}

static void skip_array(walk *w, cp_array *a) { (void)w, (void)a; }

// Whether all values are gathered, are values of the integer dtype t, and are small enough that the doubles
// hold them exactly.
static bool gathered_fit(const walk *w, int64_t count, cp_dtype t) {
  int bits = (int)cp_itemsize(t) * 8 - !cp_is_unsigned(t);
  double limit = ldexp(1, bits < 53 ? bits : 53), least = cp_is_unsigned(t) ? 0 : -limit;
  if (w->others || w->gathered == NULL) return false;
  if (bits >= 53 && least < 0) least = 1 - limit;
  for (int64_t k = 0; k < count; k++) {
    double v = w->gathered[k];
    if (!(v >= least && v < limit && v == floor(v))) return false;
  }
  return true;
}

// Whether the integer dtype t suits the numbers. It does if all are whole numbers, even if some do not fit t:
// these are an error later, when the array is filled. If the table is only compared (by_value), all must fit.
static bool suits(walk *w, int index, cp_dtype t) {
  if (gathered_fit(w, w->next, t)) return true;
  w->scalar = range_scalar;
  w->array = skip_array;
  w->row = NULL;
  w->keys = NULL;
  w->dtype = t;
  w->all_fit = w->all_whole = true;
  walk_value(w, index);
  return w->all_whole && (w->all_fit || !w->by_value);
}

// The dtype that the inspected value gets beside arrays of dtype `like`, by the promotion rules.
static cp_dtype choose_dtype(walk *w, int index, cp_dtype like) {
  cp_dtype standard = cp_state_get(w->L)->default_dtype;
  cp_dtype beside = w->strong != CP_NDTYPES ? w->strong : like;
  if (!w->numbers && !w->complexes) {
    if (w->strong != CP_NDTYPES) return w->strong;
    if (w->booleans) return CP_BOOL;
    return like != CP_NDTYPES ? like : standard;
  }
  if (w->complexes) return cp_weak_dtype(CP_WEAK_COMPLEX, beside, standard);
  cp_dtype whole = cp_weak_dtype(CP_WEAK_INTEGER, beside, standard);
  return cp_is_inexact(whole) || suits(w, index, whole) ? whole
                                                        : cp_weak_dtype(CP_WEAK_FLOAT, beside, standard);
}

// ---- fill -------------------------------------------------------------------------------------------------

static void fill_scalar(walk *w) {
  cp_scalar s = {0};
  char kind = 0;
  bool weak;
  cp_dtype t = w->dtype;
  if (!cp_to_scalar(w->L, -1, &s, &kind, &weak)) bad_type(w, w->ndim);
  bool real = t != CP_BOOL && !cp_is_complex(t);
  if ((kind == 'c' && real) || (cp_is_integer(t) && kind != 'b' && (kind != 'i' || !cp_scalar_fits(s, t))))
    bad_value(w, s);
  cp_scalar_store(cp_scalar_cast(s, t), w->host + (size_t)w->next * cp_itemsize(t));
}

// Writes the double v as dtype t. If t is an integer dtype, v fits.
static inline void store_double(double v, cp_dtype t, char *p) {
  float f = (float)v;
  int32_t i;
  switch (t) {
  case CP_FLOAT32: memcpy(p, &f, sizeof f); break;
  case CP_BOOL: *p = v != 0; break;
  case CP_INT32:
    i = (int32_t)v;
    memcpy(p, &i, sizeof i);
    break;
  default: cp_scalar_store(cp_scalar_cast(cp_scalar_float(v, CP_FLOAT64), t), p);
  }
}

// Converts the gathered doubles to the dtype, in place. Returns false if not all values were gathered, one
// does not fit, or elements of the dtype are wider than doubles.
static bool fill_from_gathered(walk *w, int64_t size) {
  cp_dtype t = w->dtype;
  if (w->others || w->gathered == NULL || t == CP_COMPLEX128) return false;
  if (cp_is_integer(t) && !gathered_fit(w, size, t)) return false;
  w->host = (char *)w->gathered;
  for (int64_t k = 0; t != CP_FLOAT64 && k < size; k++) {
    if (k % CP_POLL_COUNT == 0 && k > 0) cp_check_interrupt(w->L, w->where);
    store_double(w->gathered[k], t, w->host + (size_t)k * cp_itemsize(t));
  }
  return true;
}

// Makes w->host, host memory with all elements, and zeros where the table has arrays. It belongs to a
// userdata on the stack.
static void fill_host(walk *w, int index, int64_t size) {
  size_t bytes = (size_t)size * cp_itemsize(w->dtype);
  if (fill_from_gathered(w, size)) return;
  w->host = cp_newuserdata(w->L, bytes > 0 ? bytes : 1);
  if (w->arrays) memset(w->host, 0, bytes);
  w->scalar = fill_scalar;
  w->array = skip_array;
  w->row = NULL;
  w->keys = NULL;
  walk_value(w, index);
}

// ---- insert -----------------------------------------------------------------------------------------------

static void insert_scalar(walk *w) { (void)w; }

// Writes the array a into the result at the position that it has in the table.
static void insert_array(walk *w, cp_array *a) {
  lua_State *L = w->L;
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  cp_node *leaf = NULL, *cast = NULL;
  if (a->size == 0) return;
  int top = lua_gettop(L);
  cp_need(L, w->where, a);
  if (a->device != w->target->device) a = cp_push_on_device(L, w->where, a, w->target->device);
  CP_CHECK(L, w->where, cp_array_layout(view, w->dtype, a->ndim, a->shape, 'C'));
  view->storage = w->target->storage; // without a reference of its own
  view->device = w->target->device;
  view->offset = w->target->offset + w->next * (int64_t)cp_itemsize(w->dtype);
  CP_CHECK(L, w->where, cp_node_leaf(a, &leaf));
  CP_CHECK(L, w->where, cp_node_cast(leaf, w->dtype, &cast));
  CP_CHECK(L, w->where, cp_assign(&cp_state_get(L)->ctx, view, cast, CP_MAY_RENAME));
  lua_settop(L, top);
}

static void insert_arrays(walk *w, int index) {
  w->scalar = insert_scalar;
  w->array = insert_array;
  w->row = NULL;
  walk_value(w, index);
}

// How a table is to be converted.
typedef struct conversion {
  cp_dtype dtype; // CP_NDTYPES: the values and `like` decide (choose_dtype)
  cp_dtype like;
  bool by_value;
  cp_device *device;
} conversion;

// Pushes the array made of the value at index. *weak, unless weak is NULL: whether the table has no arrays
// and no typed numbers.
static cp_array *push_table(lua_State *L, const char *where, int index, const conversion *as, bool *weak) {
  enum { MOST_GATHERED = 1 << 27 }; // 1 GB; a limit, because a ragged table may look larger than it is
  walk w = {.L = L,
            .where = where,
            .by_value = as->by_value,
            .strong = CP_NDTYPES,
            .scalar = inspect_scalar,
            .array = inspect_array,
            .row = inspect_row,
            .keys = inspect_keys};
  int64_t size;
  int top = lua_gettop(L);
  index = lua_absindex(L, index);
  luaL_checkstack(L, CP_MAXDIM + 32, "too many levels");
  lua_pushvalue(L, index);
  find_shape(&w);
  CP_CHECK(L, where, cp_shape_size(w.ndim, w.shape, sizeof(cp_complex128), &size));
  if (size <= MOST_GATHERED) w.gathered = cp_newuserdata(L, size > 0 ? (size_t)size * sizeof *w.gathered : 1);
  walk_value(&w, index);
  w.asked_for = as->dtype != CP_NDTYPES;
  w.dtype = w.asked_for ? as->dtype : choose_dtype(&w, index, as->like);
  fill_host(&w, index, size);
  w.target = cp_push_new_array(L, where, as->device, w.dtype, w.ndim, w.shape);
  cp_upload(L, where, w.target, w.host);
  if (w.arrays) insert_arrays(&w, index);
  if (weak != NULL) *weak = w.strong == CP_NDTYPES;
  lua_insert(L, top + 1);
  lua_settop(L, top + 1);
  return w.target;
}

cp_array *cp_push_from_table(lua_State *L, const char *where, int index, cp_dtype dtype, cp_dtype like,
                             cp_device *device) {
  const conversion as = {dtype, like, false, device};
  return push_table(L, where, index, &as, NULL);
}

int cp_push_operand_table(lua_State *L, const char *where, int index, cp_dtype like, bool by_value,
                          cp_device *device, cp_dtype_set *dtypes) {
  bool weak;
  const conversion as = {CP_NDTYPES, like, by_value, device};
  const cp_array *a = push_table(L, where, index, &as, &weak);
  bool exact = like != CP_NDTYPES && !cp_is_inexact(like);
  if (weak && exact && cp_is_inexact(a->dtype) && !by_value)
    return cp_is_complex(a->dtype) ? CP_WEAK_COMPLEX : CP_WEAK_FLOAT;
  *dtypes |= cp_set_of(a->dtype);
  return 0;
}
