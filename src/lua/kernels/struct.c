// cp.struct: types of C structs and their values, which raw kernels take as arguments. The Lua side reads the
// declaration (lua/cupola/userkernels/structs.lua); this file computes offsets and reads and writes fields.
#include "lua/kernels/rawkernel.h"

#include "lua/arguments/args.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/module.h"

#include <stdio.h>
#include <string.h>

// Registry: a table with weak keys, from a value or type to a table of what must live as long as it.
static const char held_key = 0;

enum { MAX_FIELDS = 128, MAX_STRUCT_DIMS = 4, MAX_NESTING = 32 };

typedef struct field {
  char name[48];
  bool pointer;
  uint32_t accepts;                    // the dtypes that a pointer's array may have, one bit each
  cp_dtype dtype;                      // of a number or of a vector's components
  const struct cp_struct_type *nested; // the type of a field that is a struct; else NULL
  size_t offset, each;                 // bytes from the start of the struct; bytes of one element
  int components;                      // number of components of a vector type; 1 for others
  int ndim;                            // number of dimensions of an array; 0 for a single element
  int64_t dims[MAX_STRUCT_DIMS];
} field;

// A userdata, kept alive by its values and by the types that contain it.
typedef struct cp_struct_type {
  char name[64];
  size_t size, align;
  int nfields;
  int depth; // levels of structs inside it: how deep reading and writing recurse
  field fields[];
} cp_struct_type;

cp_struct_value *cp_test_struct(lua_State *L, int index) { return cp_test_object(L, index, CP_KIND_STRUCT); }

// Keeps the value at index alive as long as the object at `owner`, under the key `place`, whose previous
// value is let go.
static void hold(lua_State *L, int owner, int index, size_t place) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &held_key);
  lua_pushvalue(L, owner);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, owner);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, (int)place);
  lua_pop(L, 2);
}

// ---- types ------------------------------------------------------------------------------------------------

static const char *string_field(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1); // the table keeps the string alive
  return text;
}

static void read_dims(lua_State *L, field *f) {
  lua_getfield(L, -1, "dims");
  size_t ndim = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
  cp_demand(L, "struct", ndim <= MAX_STRUCT_DIMS, "an array in a struct has too many dimensions");
  for (f->ndim = 0; f->ndim < (int)ndim; f->ndim++) {
    lua_rawgeti(L, -1, f->ndim + 1);
    int64_t length = f->dims[f->ndim] = cp_arg_integer(L, lua_gettop(L), "struct", "dims");
    cp_demand(L, "struct", length > 0 && length <= CP_MAX_RAW_BYTES,
              "an array in a struct has no such length");
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

// Reads size, dtype and components of an element of field k, which the table on top describes, and returns
// its alignment. type: the stack index of the struct's type.
static size_t read_element(lua_State *L, field *f, int type, int k) {
  const char *dtype = string_field(L, "dtype");
  f->components = 1;
  f->dtype = dtype != NULL ? cp_dtype_from_name(dtype) : CP_NDTYPES;
  f->accepts = UINT32_MAX;
  lua_getfield(L, -1, "nested");
  if (!lua_isnil(L, -1)) {
    f->nested = cp_check_object(L, -1, CP_KIND_STRUCT_TYPE, "struct", "nested");
    hold(L, type, lua_gettop(L), (size_t)k + 1);
  }
  lua_getfield(L, -2, "pointer");
  f->pointer = lua_toboolean(L, -1) != 0;
  lua_getfield(L, -3, "count");
  int64_t components = cp_arg_integer_or(L, lua_gettop(L), "struct", "count", 1);
  cp_demand(L, "struct", components >= 1 && components <= 4, "a vector has 2 to 4 components");
  f->components = (int)components;
  lua_pop(L, 3);
  cp_demand(L, "struct", f->pointer || f->nested != NULL || f->dtype != CP_NDTYPES, "a field has no dtype");
  if (f->pointer) {
    if (f->dtype != CP_NDTYPES) f->accepts = 1U << f->dtype;
    f->each = sizeof(void *);
    return f->each;
  }
  if (f->nested != NULL) {
    f->each = f->nested->size;
    return f->nested->align;
  }
  size_t number = cp_itemsize(f->dtype), vector = number * (size_t)f->components;
  f->each = vector;
  // As CUDA aligns float4 and other vector types.
  return f->components == 3 || f->components == 1 ? number : vector > 16 ? 16 : vector;
}

// The number of elements of a field. If a struct cannot have as many, the result may be less, but still too
// large for a struct.
static size_t elements(const field *f) {
  size_t n = 1;
  for (int d = 0; d < f->ndim && n <= CP_MAX_RAW_BYTES; d++) n *= (size_t)f->dims[d];
  return n;
}

// core.struct_type(name, {{name =, dtype =, count =, pointer =, nested =, dims =}...}): returns the type, its
// size and its alignment.
static int make_type(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  int n = (int)lua_rawlen(L, 2);
  if (n > MAX_FIELDS)
    return cp_raise(L, "struct", CP_EUSAGE, "%d fields are too many; at most %d are possible", n,
                    (int)MAX_FIELDS);
  cp_struct_type *t = cp_push_object(L, CP_KIND_STRUCT_TYPE, sizeof *t + (size_t)n * sizeof *t->fields);
  int type = lua_gettop(L);
  snprintf(t->name, sizeof t->name, "%s", name);
  t->nfields = n;
  t->align = 1;
  for (int k = 0; k < n; k++) {
    field *f = &t->fields[k];
    lua_rawgeti(L, 2, k + 1);
    luaL_checktype(L, lua_gettop(L), LUA_TTABLE);
    const char *field_name = string_field(L, "name");
    cp_demand(L, "struct", field_name != NULL, "a field has no name");
    snprintf(f->name, sizeof f->name, "%s", field_name);
    read_dims(L, f);
    size_t align = read_element(L, f, type, k);
    lua_pop(L, 1);
    f->offset = (t->size + align - 1) / align * align;
    t->size = f->offset + f->each * elements(f);
    if (align > t->align) t->align = align;
    if (f->nested != NULL && f->nested->depth >= t->depth) t->depth = f->nested->depth + 1;
    if (t->depth > MAX_NESTING)
      return cp_raise(L, "struct", CP_EUSAGE, "%s nests structs deeper than %d levels", name,
                      (int)MAX_NESTING);
    if (t->size > CP_MAX_RAW_BYTES)
      return cp_raise(L, "struct", CP_EUSAGE, "%s takes more than %d bytes", name, (int)CP_MAX_RAW_BYTES);
  }
  t->size = (t->size + t->align - 1) / t->align * t->align;
  if (t->size == 0) t->size = 1;
  lua_pushinteger(L, (lua_Integer)t->size);
  lua_pushinteger(L, (lua_Integer)t->align);
  return 3;
}

// ---- writing fields ---------------------------------------------------------------------------------------

// Where a value is written: the struct, and the name of the field for messages ("Params.w").
typedef struct place {
  int value; // stack index of the struct
  cp_struct_value *v;
  char name[160];
} place;

static void write_struct(lua_State *L, place *p, const cp_struct_type *t, size_t offset, int index);

static void write_number(lua_State *L, const place *p, cp_dtype t, size_t offset, int index) {
  cp_scalar s = {0};
  char kind = 0;
  bool weak;
  if (!cp_to_scalar(L, index, &s, &kind, &weak) || (kind == 'b') != (t == CP_BOOL))
    cp_raise(L, "struct", CP_EUSAGE, "%s must be a %s, not %s", p->name, t == CP_BOOL ? "boolean" : "number",
             luaL_typename(L, index));
  bool fits = cp_is_integer(t) ? kind == 'i' && cp_scalar_fits(s, t) : kind != 'c' || cp_is_complex(t);
  if (!fits)
    cp_raise(L, "struct", CP_EDTYPE, "%s is %s, and the value does not fit it", p->name, cp_dtypes[t].name);
  cp_scalar_store(cp_scalar_cast(s, t), p->v->bytes + offset);
}

static void write_pointer(lua_State *L, const place *p, const field *f, size_t offset, int index) {
  cp_array *a = cp_test_array(L, index);
  const cp_boxed *b = a == NULL ? cp_test_boxed(L, index) : NULL;
  char *pointer = NULL;
  cp_check_capability(L, "struct", CUPOLA_POINTERS);
  if (b != NULL && !b->weak && b->s.dtype == CP_UINT64) {
    memcpy(p->v->bytes + offset, &b->s.v.u, sizeof(void *));
    return;
  }
  if (a == NULL)
    cp_raise(L, "struct", CP_EUSAGE, "%s must be an array or cp.scalar(address, \"uint64\"), not %s", p->name,
             luaL_typename(L, index));
  if ((f->accepts >> a->dtype & 1) == 0)
    cp_raise(L, "struct", CP_EDTYPE, "%s points to %s, but the array is of %s", p->name,
             cp_dtypes[f->dtype].name, cp_dtypes[a->dtype].name);
  if (p->v->device != NULL && p->v->device != a->device)
    cp_raise(L, "struct", CP_EUSAGE, "%s is on %s, but another array of the struct is on %s", p->name,
             a->device->name, p->v->device->name);
  CP_CHECK(L, "struct", cp_expose(&cp_state_get(L)->ctx, a, CP_EXPOSED_POINTER));
  if (!cp_array_contiguous(a, 'C'))
    cp_raise(L, "struct", CP_EUSAGE, "%s is a view that is not contiguous; pass its :copy()", p->name);
  CP_CHECK(L, "struct", cp_array_pointer(a, &pointer));
  hold(L, p->value, index, offset + 1);
  p->v->device = a->device;
  memcpy(p->v->bytes + offset, (const void *)&pointer, sizeof(void *));
}

static void write_vector(lua_State *L, place *p, const field *f, size_t offset, int index) {
  if (!lua_istable(L, index) || (int)lua_rawlen(L, index) != f->components)
    cp_raise(L, "struct", CP_EUSAGE, "%s must be a table of %d numbers, not %s", p->name, f->components,
             lua_istable(L, index) ? "one of another length" : luaL_typename(L, index));
  for (int k = 0; k < f->components; k++) {
    lua_rawgeti(L, index, k + 1);
    write_number(L, p, f->dtype, offset + (size_t)k * cp_itemsize(f->dtype), lua_gettop(L));
    lua_pop(L, 1);
  }
}

static void write_element(lua_State *L, place *p, const field *f, size_t offset, int index) {
  if (f->pointer)
    write_pointer(L, p, f, offset, index);
  else if (f->nested != NULL)
    write_struct(L, p, f->nested, offset, index);
  else if (f->components > 1)
    write_vector(L, p, f, offset, index);
  else
    write_number(L, p, f->dtype, offset, index);
}

// Writes the elements of dimension d and of the dimensions inside it; returns the offset after them.
static size_t write_array(lua_State *L, place *p, const field *f, int d, size_t offset, int index) {
  // The second test is for the compiler, which does not know that ndim is not larger.
  if (d == f->ndim || d == MAX_STRUCT_DIMS) {
    write_element(L, p, f, offset, index);
    return offset + f->each;
  }
  luaL_checkstack(L, 8, "a struct too deep");
  if (!lua_istable(L, index) || (int64_t)lua_rawlen(L, index) != f->dims[d])
    cp_raise(L, "struct", CP_EUSAGE, "%s must be a table of %d values, not %s", p->name, (int)f->dims[d],
             lua_istable(L, index) ? "one of another length" : luaL_typename(L, index));
  for (int64_t k = 0; k < f->dims[d]; k++) {
    lua_rawgeti(L, index, (int)k + 1);
    offset = write_array(L, p, f, d + 1, offset, lua_gettop(L));
    lua_pop(L, 1);
  }
  return offset;
}

static const field *find_field(lua_State *L, const cp_struct_type *t, int index) {
  const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  for (int k = 0; name != NULL && k < t->nfields; k++)
    if (strcmp(t->fields[k].name, name) == 0) return &t->fields[k];
  cp_raise(L, "struct", CP_EUSAGE, "%s has no field %s", t->name,
           name != NULL ? name : luaL_typename(L, index));
  return NULL;
}

static void write_field(lua_State *L, place *p, const cp_struct_type *t, const field *f, size_t offset,
                        int index) {
  snprintf(p->name, sizeof p->name, "%s.%s", t->name, f->name);
  write_array(L, p, f, 0, offset + f->offset, index);
}

// Writes a struct, which may be inside another one, from a value of its type or from a table of fields.
static void write_struct(lua_State *L, place *p, const cp_struct_type *t, size_t offset, int index) {
  const cp_struct_value *from = cp_test_struct(L, index);
  luaL_checkstack(L, 8, "a struct too deep");
  if (from != NULL && from->type == t) {
    memcpy(p->v->bytes + offset, from->bytes, t->size);
    if (from->device != NULL) {
      p->v->device = from->device;
      hold(L, p->value, index, offset + 1);
    }
    return;
  }
  if (!lua_istable(L, index))
    cp_raise(L, "struct", CP_EUSAGE, "%s must be a %s or a table of its fields, not %s", p->name, t->name,
             luaL_typename(L, index));
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) (void)find_field(L, t, lua_gettop(L) - 1);
  // Gets each field by name instead of walking the table: writing a pointer may run finalizers, which may
  // change the table.
  for (int k = 0; k < t->nfields; k++) {
    lua_pushstring(L, t->fields[k].name);
    if (cp_rawget(L, index) != LUA_TNIL) write_field(L, p, t, &t->fields[k], offset, lua_gettop(L));
    lua_pop(L, 1);
  }
}

// ---- reading fields ---------------------------------------------------------------------------------------

static void push_struct(lua_State *L, const cp_struct_type *t, const char *bytes);

static void push_element(lua_State *L, const field *f, const char *bytes) {
  uint64_t address;
  if (f->pointer) {
    cp_check_capability(L, "struct", CUPOLA_POINTERS);
    memcpy(&address, bytes, sizeof address);
    cp_push_scalar(L, cp_scalar_int((int64_t)address, CP_INT64));
  } else if (f->nested != NULL) {
    push_struct(L, f->nested, bytes);
  } else if (f->components == 1) {
    cp_push_scalar(L, cp_scalar_load(bytes, f->dtype));
  } else {
    lua_createtable(L, f->components, 0);
    for (int k = 0; k < f->components; k++) {
      cp_push_scalar(L, cp_scalar_load(bytes + (size_t)k * cp_itemsize(f->dtype), f->dtype));
      lua_rawseti(L, -2, k + 1);
    }
  }
}

static const char *push_array(lua_State *L, const field *f, int d, const char *bytes) {
  luaL_checkstack(L, 8, "a struct too deep");
  // The second test is for the compiler, which does not know that ndim is not larger.
  bool single = d == f->ndim || d == MAX_STRUCT_DIMS;
  if (single) {
    push_element(L, f, bytes);
    return bytes + f->each;
  }
  lua_createtable(L, (int)f->dims[d], 0);
  for (int64_t k = 0; k < f->dims[d]; k++) {
    bytes = push_array(L, f, d + 1, bytes);
    lua_rawseti(L, -2, (int)k + 1);
  }
  return bytes;
}

// Pushes a struct that is inside another one as a table, which is a copy.
static void push_struct(lua_State *L, const cp_struct_type *t, const char *bytes) {
  luaL_checkstack(L, 8, "a struct too deep");
  lua_createtable(L, 0, t->nfields);
  for (int k = 0; k < t->nfields; k++) {
    push_array(L, &t->fields[k], 0, bytes + t->fields[k].offset);
    lua_setfield(L, -2, t->fields[k].name);
  }
}

// ---- values -----------------------------------------------------------------------------------------------

// core.struct_value(type, fields or nil): makes a value; fields that are not given are 0.
static int make_value(lua_State *L) {
  const cp_struct_type *t = cp_check_object(L, 1, CP_KIND_STRUCT_TYPE, "struct", "type");
  lua_settop(L, 2);
  cp_struct_value *v = cp_push_object(L, CP_KIND_STRUCT, sizeof *v + t->size);
  v->type = t;
  v->size = t->size;
  v->name = t->name;
  hold(L, 3, 1, 0);
  place p = {3, v, ""};
  snprintf(p.name, sizeof p.name, "%s", t->name);
  if (!lua_isnil(L, 2)) write_struct(L, &p, t, 0, 2);
  return 1;
}

static cp_struct_value *self(lua_State *L) {
  cp_struct_value *v = cp_check_object(L, 1, CP_KIND_STRUCT, "struct", "argument 1");
  if (v->type == NULL) cp_raise(L, "struct", CP_EUSAGE, "the struct could not be made");
  return v;
}

static int get_field(lua_State *L) {
  const cp_struct_value *v = self(L);
  const field *f = find_field(L, v->type, 2);
  push_array(L, f, 0, v->bytes + f->offset);
  return 1;
}

static int set_field(lua_State *L) {
  place p = {1, self(L), ""};
  write_field(L, &p, p.v->type, find_field(L, p.v->type, 2), 0, 3);
  return 0;
}

static int value_text(lua_State *L) {
  lua_pushfstring(L, "struct %s", self(L)->name);
  return 1;
}

void cp_open_struct(lua_State *L) {
  static const luaL_Reg core[] = {{"struct_type", make_type}, {"struct_value", make_value}, {NULL, NULL}};
  static const luaL_Reg events[] = {
      {"__index", get_field}, {"__newindex", set_field}, {"__tostring", value_text}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_STRUCT_TYPE, NULL, NULL);
  cp_define_kind(L, CP_KIND_STRUCT, events, NULL);
  lua_pop(L, 2);
  cp_push_weak(L, "k", 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &held_key);
  cp_put_functions(L, 1, core);
}
