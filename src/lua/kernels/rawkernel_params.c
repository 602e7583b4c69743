// The parameters of raw kernels: reads what lua/cupola/kernels/signature.lua found in the source, and
// compares it with what the compiler made of it.
#include "lua/kernels/rawkernel.h"

#include <stdio.h>
#include <string.h>

static void copy_field(lua_State *L, const char *field, char *to, size_t size) {
  lua_getfield(L, -1, field);
  const char *text = lua_tostring(L, -1);
  snprintf(to, size, "%s", text != NULL ? text : "");
  lua_pop(L, 1);
}

static cp_dtype read_dtype(lua_State *L, const char *field) {
  lua_getfield(L, -1, field);
  const char *name = lua_tostring(L, -1);
  cp_dtype t = name != NULL ? cp_dtype_from_name(name) : CP_NDTYPES;
  lua_pop(L, 1);
  return t;
}

// The dtypes in the list `accepts` of the table on top; all dtypes if there is no list.
static uint32_t read_accepts(lua_State *L) {
  uint32_t accepts = 0;
  lua_getfield(L, -1, "accepts");
  int n = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
  for (int j = 1; j <= n; j++) {
    lua_rawgeti(L, -1, j);
    cp_dtype t = cp_dtype_from_name(luaL_checkstring(L, -1));
    if (t != CP_NDTYPES) accepts |= 1U << t;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return accepts != 0 ? accepts : UINT32_MAX;
}

void cp_raw_read_param(lua_State *L, cp_raw_param *p) {
  static const char *const kind_names[] = {"unknown", "pointer", "number",  "vector",
                                           "struct",  "texture", "surface", "faults"};
  char kind[16];
  copy_field(L, "kind", kind, sizeof kind);
  copy_field(L, "name", p->name, sizeof p->name);
  copy_field(L, "c", p->type, sizeof p->type);
  copy_field(L, "struct", p->structure, sizeof p->structure);
  for (int j = 0; j <= CP_PARAM_FAULTS; j++)
    if (strcmp(kind, kind_names[j]) == 0) p->kind = (cp_raw_kind)j;
  p->dtype = read_dtype(L, "dtype");
  lua_getfield(L, -1, "constant");
  p->constant = lua_toboolean(L, -1) != 0;
  lua_getfield(L, -2, "count");
  p->count = (int)lua_tointeger(L, -1);
  lua_pop(L, 2);
  if (p->kind == CP_PARAM_POINTER) {
    p->accepts = read_accepts(L);
    p->size = sizeof(void *);
  } else if (p->kind == CP_PARAM_NUMBER || p->kind == CP_PARAM_VECTOR) {
    p->size = cp_itemsize(p->dtype) * (size_t)(p->kind == CP_PARAM_VECTOR ? p->count : 1);
  } else if (p->kind == CP_PARAM_TEXTURE || p->kind == CP_PARAM_SURFACE) {
    p->size = sizeof(uint64_t);
  }
}

void cp_raw_compare_params(cp_raw_kernel *k, const cp_raw_function *f) {
  if (f->nparams < 0 || !k->known) return;
  if (f->nparams != k->nparams) {
    k->known = false;
    k->nparams = 0;
    return;
  }
  for (int j = 0; j < k->nparams; j++) {
    cp_raw_param *p = &k->params[j];
    if (p->size != 0 && p->size != f->sizes[j]) p->kind = CP_PARAM_UNKNOWN;
    p->size = f->sizes[j];
  }
}
