// Reads the arguments of a raw kernel: turns Lua values into the bytes that the kernel's parameters require
// (rawkernel.h). Every function may raise an error and holds nothing that would leak.
#include "lua/devices/texture.h"
#include "lua/kernels/rawkernel.h"
#include "lua/objects/handles.h"
#include "lua/state/error.h"
#include "lua/values/scalar.h"

#include "lazy/arrays/access.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Raises "argument 2 (y): FACT".
static void refuse(lua_State *L, const cp_raw_kernel *k, int n, cp_status kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void refuse(lua_State *L, const cp_raw_kernel *k, int n, cp_status kind, const char *format, ...) {
  char fact[512];
  va_list args;
  va_start(args, format);
  vsnprintf(fact, sizeof fact, format, args);
  va_end(args);
  if (n < k->nparams)
    cp_raise(L, k->name, kind, "argument %d (%s): %s", n + 1, k->params[n].name, fact);
  else
    cp_raise(L, k->name, kind, "argument %d: %s", n + 1, fact);
}

static const char *value_name(lua_State *L, int index) {
  if (cp_test_array(L, index) != NULL) return "an array";
  if (cp_test_struct(L, index) != NULL) return "a struct";
  const cp_boxed *b = cp_test_boxed(L, index);
  if (b != NULL) return b->weak ? "a complex value" : "a typed scalar";
  if (lua_isnoneornil(L, index)) return "nil (missing)";
  return luaL_typename(L, index);
}

// Reserves space for argument n, aligned to `align`, a power of two.
static void *reserve(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n, size_t size,
                     size_t align) {
  size_t at = (a->used + align - 1) & ~(align - 1);
  if (size > CP_MAX_RAW_BYTES || at + size > CP_MAX_RAW_BYTES)
    cp_raise(L, k->name, CP_EUSAGE, "the arguments take more than %d bytes", (int)CP_MAX_RAW_BYTES);
  a->used = at + size;
  a->sizes[n] = size;
  return a->addresses[n] = a->bytes + at;
}

// ---- pointers ---------------------------------------------------------------------------------------------

static void list_dtypes(uint32_t accepts, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int t = 0; t < CP_NDTYPES; t++)
    if (accepts >> t & 1 && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "", cp_dtypes[t].name);
}

static void check_array(lua_State *L, const cp_raw_kernel *k, int n, const cp_array *a, uint32_t accepts) {
  if ((accepts >> a->dtype & 1) == 0) {
    char wanted[96];
    int first = 0;
    while ((accepts >> first & 1) == 0) first++;
    list_dtypes(accepts, wanted, sizeof wanted);
    refuse(L, k, n, CP_EDTYPE, "%s needs an array of %s, not of %s; convert it with :astype(\"%s\")",
           k->params[n].type, wanted, cp_dtypes[a->dtype].name, cp_dtypes[first].name);
  }
  if (!k->strided && !cp_array_contiguous(a, 'C'))
    refuse(L, k, n, CP_EUSAGE,
           "the array is a view that is not contiguous in C order, and a pointer carries no strides; pass "
           "its :copy(), or make the kernel with strided = true and pass the strides too");
}

static void take_array(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n, cp_array *x,
                       bool constant) {
  if (a->device == NULL) a->device = x->device;
  if (x->device != a->device)
    refuse(L, k, n, CP_EUSAGE, "the array is on %s, but another argument is on %s; move it with :to(\"%s\")",
           x->device->name, a->device->name, a->device->name);
  a->slots[a->nuses] = n;
  a->uses[a->nuses++] = (cp_use){x, constant ? CP_READ : CP_WRITE};
  reserve(L, k, a, n, sizeof(void *), sizeof(void *));
}

// Takes a pointer argument that is not an array: cp.scalar(address, "uint64") is an address, anything else an
// error.
static void take_address(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n, int index) {
  const cp_boxed *b = cp_test_boxed(L, index);
  if (b == NULL || b->weak || (b->s.dtype != CP_UINT64 && b->s.dtype != CP_INT64))
    refuse(L, k, n, CP_EUSAGE,
           "%s must be an array, not %s (a raw address, also 0, is cp.scalar(address, \"uint64\"))",
           k->params[n].type, value_name(L, index));
  memcpy(reserve(L, k, a, n, sizeof(void *), sizeof(void *)), &b->s.v.u, sizeof(void *));
}

// ---- numbers ----------------------------------------------------------------------------------------------

static const char *describe(lua_State *L, int index, char *text, size_t size) {
  if (lua_type(L, index) == LUA_TNUMBER)
    snprintf(text, size, "%.17g", (double)lua_tonumber(L, index));
  else
    snprintf(text, size, "%s", value_name(L, index));
  return text;
}

// Converts the scalar at index to dtype t, or raises. part: the number of a vector's component, from 1; 0
// means the whole argument.
static cp_scalar convert(lua_State *L, const cp_raw_kernel *k, int n, int index, cp_dtype t, int part) {
  cp_scalar s = {0};
  char kind = 0, of[24] = "", text[64];
  bool weak;
  if (part > 0) snprintf(of, sizeof of, "component %d: ", part);
  const char *type = n < k->nparams ? k->params[n].type : cp_dtypes[t].name;
  if (!cp_to_scalar(L, index, &s, &kind, &weak))
    refuse(L, k, n, CP_EUSAGE, "%s%s needs a %s, not %s%s", of, type, t == CP_BOOL ? "boolean" : "number",
           value_name(L, index), cp_test_array(L, index) != NULL ? " (its :item() is a number)" : "");
  if (!weak && s.dtype != t)
    refuse(L, k, n, CP_EDTYPE, "%s%s needs %s, not a scalar of %s", of, type, cp_dtypes[t].name,
           cp_dtypes[s.dtype].name);
  if (!weak) return s;
  if ((kind == 'b') != (t == CP_BOOL))
    refuse(L, k, n, CP_EDTYPE, "%s%s needs a %s, not a %s", of, type, t == CP_BOOL ? "boolean" : "number",
           kind == 'b' ? "boolean" : "number");
  if (kind == 'c' && !cp_is_complex(t))
    refuse(L, k, n, CP_EDTYPE, "%s%s needs a real number, not a complex one", of, type);
  if (cp_is_integer(t) && (kind != 'i' || !cp_scalar_fits(s, t)))
    refuse(L, k, n, CP_EDTYPE, "%s%s is %s, which %s is not", of, type,
           kind == 'i' ? cp_dtypes[t].name : "a whole number", describe(L, index, text, sizeof text));
  return cp_scalar_cast(s, t);
}

// Reads a whole number that is exact in every Lua.
static bool is_exact_integer(lua_State *L, int index, int64_t *v) {
#if LUA_VERSION_NUM >= 503
  int exact = 0;
  *v = (int64_t)lua_tointegerx(L, index, &exact);
  return exact != 0;
#else
  double d = lua_tonumber(L, index);
  if (!(d >= -9007199254740992.0 && d <= 9007199254740992.0)) return false;
  *v = (int64_t)d;
  return (double)*v == d;
#endif
}

static bool is_small_integer(lua_State *L, int index, int *v) {
  int64_t whole;
  if (!is_exact_integer(L, index, &whole) || whole < INT32_MIN || whole > INT32_MAX) return false;
  *v = (int)whole;
  return true;
}

// Takes the usual cases directly, without a cp_scalar. Returns false for all others.
static bool take_plain(lua_State *L, int index, cp_dtype t, void *to) {
  int i;
  int64_t whole;
  if (lua_type(L, index) != LUA_TNUMBER) return false;
  switch (t) {
  case CP_INT32:
    if (!is_small_integer(L, index, &i)) return false;
    memcpy(to, &i, sizeof i);
    return true;
  case CP_INT64:
    if (!is_exact_integer(L, index, &whole)) return false;
    memcpy(to, &whole, sizeof whole);
    return true;
  case CP_FLOAT32: {
    float f = (float)cp_todouble(L, index);
    memcpy(to, &f, sizeof f);
    return true;
  }
  case CP_FLOAT64: {
    double d = cp_todouble(L, index);
    memcpy(to, &d, sizeof d);
    return true;
  }
  default: return false;
  }
}

static void take_number(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n, int index) {
  cp_dtype t = k->params[n].dtype;
  size_t size = cp_itemsize(t);
  void *to = reserve(L, k, a, n, size, size);
  if (!take_plain(L, index, t, to)) cp_scalar_store(convert(L, k, n, index, t, 0), to);
}

// ---- vectors, structs, and parameters of unknown type -----------------------------------------------------

static void take_vector(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n, int index) {
  const cp_raw_param *p = &k->params[n];
  size_t each = cp_itemsize(p->dtype);
  char *to = reserve(L, k, a, n, each * (size_t)p->count, 16);
  if (!lua_istable(L, index) || (int)lua_rawlen(L, index) != p->count)
    refuse(L, k, n, CP_EUSAGE, "%s needs a table of %d numbers, not %s", p->type, p->count,
           lua_istable(L, index) ? "a table of another length" : value_name(L, index));
  for (int j = 0; j < p->count; j++) {
    lua_rawgeti(L, index, j + 1);
    cp_scalar_store(convert(L, k, n, lua_gettop(L), p->dtype, j + 1), to + (size_t)j * each);
    lua_pop(L, 1);
  }
}

static void take_struct(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n,
                        const cp_struct_value *v) {
  if (v->device != NULL && a->device == NULL) a->device = v->device;
  if (v->device != NULL && v->device != a->device)
    refuse(L, k, n, CP_EUSAGE, "the struct points to arrays on %s, but another argument is on %s",
           v->device->name, a->device->name);
  memcpy(reserve(L, k, a, n, v->size, 16), v->bytes, v->size);
  a->unknown = true;
}

// Takes a texture or surface: its handle; what a texture reads of an array is one of the kernel's uses.
static void take_handle(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n, int index) {
  cp_texture *t = cp_test_texture(L, index);
  const cp_raw_param *p = n < k->nparams ? &k->params[n] : NULL;
  const bool surface = t != NULL && t->kind == CP_IS_SURFACE;
  const bool wanted = p == NULL || p->kind == CP_PARAM_UNKNOWN || surface == (p->kind == CP_PARAM_SURFACE);
  if (t == NULL || t->kind == CP_IS_CUDA_ARRAY || !wanted)
    refuse(L, k, n, CP_EUSAGE, "%s must be a %s object of cp.cuda.texture, not %s",
           p != NULL ? p->type : "it", p != NULL && p->kind == CP_PARAM_SURFACE ? "surface" : "texture",
           t == NULL                     ? value_name(L, index)
           : t->kind == CP_IS_CUDA_ARRAY ? "a CUDA array"
           : surface                     ? "a surface"
                                         : "a texture");
  if (a->device == NULL) a->device = t->device;
  if (t->device != a->device)
    refuse(L, k, n, CP_EUSAGE, "it is on %s, but another argument is on %s", t->device->name,
           a->device->name);
  if (t->array != NULL) {
    a->slots[a->nuses] = -1;
    a->uses[a->nuses++] = (cp_use){t->array, CP_READ};
  }
  cp_texture_use(L, index, t);
  memcpy(reserve(L, k, a, n, sizeof t->handle, sizeof t->handle), &t->handle, sizeof t->handle);
}

static void take_by_value(lua_State *L, const cp_raw_kernel *k, cp_raw_arguments *a, int n, int index) {
  const cp_struct_value *v = cp_test_struct(L, index);
  if (v == NULL && cp_test_texture(L, index) != NULL) {
    take_handle(L, k, a, n, index);
    a->unknown = true;
    return;
  }
  const cp_boxed *b = v == NULL ? cp_test_boxed(L, index) : NULL;
  const cp_raw_param *p = n < k->nparams ? &k->params[n] : NULL;
  bool structure = p != NULL && p->kind == CP_PARAM_STRUCT;
  if (v != NULL && structure && strcmp(v->name, p->structure) != 0)
    refuse(L, k, n, CP_EDTYPE, "the parameter is a %s, but the struct is a %s", p->structure, v->name);
  if (v != NULL) {
    take_struct(L, k, a, n, v);
  } else if (b != NULL && !b->weak) {
    size_t size = cp_itemsize(b->s.dtype);
    cp_scalar_store(b->s, reserve(L, k, a, n, size, size));
    a->unknown = true;
  } else {
    refuse(L, k, n, CP_EUSAGE,
           "its type (%s) is not known here: pass a value of cp.struct, a typed cp.scalar%s, or give "
           "signature = \"...\"; not %s",
           p != NULL && p->type[0] != '\0' ? p->type : "no source", p != NULL ? "" : ", an array",
           value_name(L, index));
  }
}

// ---- all arguments ----------------------------------------------------------------------------------------

// Whether x is one contiguous row, as most arrays of kernels are.
static inline bool is_row(const cp_array *x) {
  return x->ndim == 1 && x->strides[0] == (int64_t)cp_itemsize(x->dtype);
}

static void read_one(lua_State *L, const cp_raw_kernel *k, int n, const cp_raw_values *values,
                     cp_raw_arguments *a) {
  const int index = values->first + n;
  if (n < k->nparams && k->params[n].kind == CP_PARAM_NUMBER) {
    take_number(L, k, a, n, index);
    return;
  }
  cp_array *x = n < values->tested ? values->arrays[n] : cp_test_array(L, index);
  if (n >= k->nparams || k->params[n].kind == CP_PARAM_UNKNOWN) {
    if (x == NULL) {
      take_by_value(L, k, a, n, index);
      return;
    }
    if (!k->strided && !cp_array_contiguous(x, 'C')) check_array(L, k, n, x, UINT32_MAX);
    take_array(L, k, a, n, x, false);
    a->unknown = true;
    return;
  }
  const cp_raw_param *p = &k->params[n];
  switch (p->kind) {
  case CP_PARAM_POINTER:
    if (x == NULL) {
      take_address(L, k, a, n, index);
      return;
    }
    if ((p->accepts >> x->dtype & 1) == 0 || !is_row(x)) check_array(L, k, n, x, p->accepts);
    take_array(L, k, a, n, x, p->constant);
    break;
  case CP_PARAM_VECTOR: take_vector(L, k, a, n, index); break;
  case CP_PARAM_TEXTURE:
  case CP_PARAM_SURFACE:
    if (cp_test_boxed(L, index) != NULL)
      take_address(L, k, a, n, index); // the handle as a number
    else
      take_handle(L, k, a, n, index);
    break;
  default: take_by_value(L, k, a, n, index);
  }
}

void cp_raw_read(lua_State *L, const cp_raw_kernel *k, const cp_raw_values *values, cp_raw_arguments *a) {
  const int given = cp_raw_given(k), count = values->count;
  if (k->known && count != given)
    cp_raise(L, k->name, CP_EUSAGE, "the kernel has %d parameter%s, %d argument%s given", given,
             given == 1 ? "" : "s", count, count == 1 ? " was" : "s were");
  a->count = k->known ? k->nparams : count;
  a->device = NULL;
  a->used = 0;
  a->nuses = 0;
  a->unknown = false;
  for (int n = 0; n < count; n++) read_one(L, k, n, values, a);
  for (int n = count; n < a->count; n++) reserve(L, k, a, n, sizeof(void *), sizeof(void *));
}
