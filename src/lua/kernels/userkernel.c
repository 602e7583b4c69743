// Kernel objects (userkernel.h): makes them from a declaration of the Lua side, finds and makes their
// variants, and frees both. Also adds the functions that cp.ElementwiseKernel uses to core.
#include "lua/kernels/userkernel.h"

#include "base/hash.h"
#include "lua/kernels/userkernel_run.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/error.h"
#include "lua/state/module.h"
#include "lua/state/unknown.h"

#include <stdlib.h>
#include <string.h>

// ---- making -----------------------------------------------------------------------------------------------

static bool flag(lua_State *L, int table, const char *name) {
  lua_getfield(L, table, name);
  bool v = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return v;
}

static void copy_name(lua_State *L, int table, char *to, size_t size) {
  lua_getfield(L, table, "name");
  const char *name = lua_tostring(L, -1);
  size_t n = name != NULL ? strlen(name) : 0;
  if (n >= size)
    cp_raise(L, "kernel", CP_EUSAGE, "the name '%s' is longer than %d characters", name, (int)size - 1);
  if (n > 0) memcpy(to, name, n);
  to[n] = '\0';
  lua_pop(L, 1);
}

// Reads the parameter that the table on top describes. letters: the type letters seen so far.
static void read_param(lua_State *L, cp_kernel_object *k, int index, char *letters) {
  cp_user_param *p = &k->params[index];
  int table = lua_gettop(L);
  copy_name(L, table, p->name, sizeof p->name);
  p->raw = flag(L, table, "raw");
  p->mutable = flag(L, table, "mutable");
  p->read = flag(L, table, "direct");
  p->letter = -1;
  p->dtype = CP_NDTYPES;
  lua_getfield(L, table, "letter");
  if (lua_isnil(L, -1)) {
    lua_getfield(L, table, "dtype");
    p->dtype = cp_dtype_from_name(luaL_checkstring(L, -1));
    lua_pop(L, 2);
    return;
  }
  char letter = lua_tostring(L, -1)[0];
  p->letter = 0;
  while (letters[p->letter] != '\0' && letters[p->letter] != letter) p->letter++;
  letters[p->letter] = letter;
  lua_pop(L, 1);
}

static void read_params(lua_State *L, int declaration, cp_kernel_object *k) {
  char letters[CP_MAX_PARAMS + 1] = {0};
  lua_getfield(L, declaration, "params");
  int table = lua_gettop(L), count = (int)lua_rawlen(L, table), raw = 0, scalars = 0;
  const char *where = k->reduction ? "ReductionKernel" : "ElementwiseKernel";
  if (count > CP_MAX_PARAMS)
    cp_raise(L, where, CP_EUSAGE, "%d parameters are too many; at most %d are possible", count,
             (int)CP_MAX_PARAMS);
  for (int j = 0; j < count; j++) {
    lua_rawgeti(L, table, j + 1);
    bool output = flag(L, table + 1, "output");
    k->nin += !output;
    k->nout += output;
    read_param(L, k, j, letters);
    raw += k->params[j].raw;
    scalars += !k->params[j].raw && !output;
    lua_pop(L, 1);
  }
  if (raw > CP_MAX_RAW)
    cp_raise(L, where, CP_EUSAGE, "%d raw parameters are too many; at most %d are possible", raw,
             (int)CP_MAX_RAW);
  if (k->nout > CP_MAX_OUTPUTS)
    cp_raise(L, where, CP_EUSAGE, "%d outputs are too many; at most %d are possible", k->nout,
             (int)CP_MAX_OUTPUTS);
  if (scalars + 2 > CP_MAX_LEAVES)
    cp_raise(L, where, CP_EUSAGE, "%d inputs are too many; at most %d are possible", scalars,
             (int)CP_MAX_LEAVES - 2);
  lua_pop(L, 1);
}

// core.user_kernel(declaration): makes a kernel object.
static int make_kernel(lua_State *L) {
  cp_check_capability(L, "kernel", CUPOLA_KERNELS);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  cp_kernel_object *k = cp_push_object(L, CP_KIND_KERNEL, sizeof *k);
  copy_name(L, 1, k->name, sizeof k->name);
  k->reduction = flag(L, 1, "reduction");
  k->no_return = flag(L, 1, "no_return");
  k->return_table = flag(L, 1, "return_tuple");
  k->plain = flag(L, 1, "plain");
  lua_getfield(L, 1, "identity");
  k->has_identity = lua_rawlen(L, -1) > 0;
  lua_getfield(L, 1, "uses");
  k->uses_i = flag(L, lua_gettop(L), "i");
  k->uses_J = flag(L, lua_gettop(L), "J");
  k->uses_shape = flag(L, lua_gettop(L), "shape");
  lua_pop(L, 2);
  read_params(L, 1, k);
  lua_pushvalue(L, 1);
  k->declaration = luaL_ref(L, LUA_REGISTRYINDEX);
  return 1;
}

static void end_kernel(lua_State *L, void *object) {
  cp_kernel_object *k = object;
  while (k->variants != NULL) {
    cp_user_variant *v = k->variants;
    k->variants = v->next;
    luaL_unref(L, LUA_REGISTRYINDEX, v->reference);
    free(v->identity);
    free(v);
  }
  if (k->declaration > 0) luaL_unref(L, LUA_REGISTRYINDEX, k->declaration);
}

cp_kernel_object *cp_check_kernel(lua_State *L, const char *where) {
  cp_kernel_object *k = cp_check_object(L, 1, CP_KIND_KERNEL, where, "argument 1");
  if (k->declaration <= 0) cp_raise(L, where, CP_EUSAGE, "the kernel could not be made");
  return k;
}

static int kernel_text(lua_State *L) {
  const cp_kernel_object *k = cp_check_kernel(L, "tostring");
  lua_pushfstring(L, "%s %s", k->reduction ? "ReductionKernel" : "ElementwiseKernel", k->name);
  return 1;
}

// The only field is k.name.
static int kernel_index(lua_State *L) {
  static const char *const fields[] = {"name", NULL};
  const cp_kernel_object *k = cp_check_kernel(L, "kernel");
  const char *name = lua_tostring(L, 2);
  if (name != NULL && strcmp(name, "name") == 0)
    lua_pushstring(L, k->name);
  else
    return cp_raise_unknown(L, k->name, "a kernel", name != NULL ? name : "?", 0, fields);
  return 1;
}

// ---- variants ---------------------------------------------------------------------------------------------

static size_t write_key(const cp_kernel_call *c, unsigned char *key) {
  const cp_kernel_object *k = c->k;
  size_t n = 0;
  for (int j = 0; j < k->nin + k->nout; j++) {
    bool scalar = j < k->nin && c->arrays[j] == NULL;
    bool contiguous = k->params[j].raw && (c->arrays[j] == NULL || cp_array_contiguous(c->arrays[j], 'C'));
    key[n++] = (unsigned char)((unsigned)c->types[j] | (unsigned)scalar << 5 | (unsigned)contiguous << 6);
  }
  key[n++] = (unsigned char)(c->block / 32);
  key[n++] = (unsigned char)(k->uses_shape ? c->ndim : 0);
  return n;
}

// Pushes the description of a variant, which lua/cupola/kernels/user.lua reads.
static void push_description(lua_State *L, const cp_kernel_call *c, const unsigned char *key) {
  const cp_kernel_object *k = c->k;
  int count = k->nin + k->nout, raw = 0;
  lua_createtable(L, 0, 5);
  lua_rawgeti(L, LUA_REGISTRYINDEX, k->declaration);
  lua_setfield(L, -2, "declaration");
  lua_createtable(L, count, 0);
  lua_createtable(L, count, 0);
  lua_createtable(L, CP_MAX_RAW, 0);
  for (int j = 0; j < count; j++) {
    lua_pushstring(L, cp_dtypes[c->types[j]].name);
    lua_rawseti(L, -4, j + 1);
    lua_pushboolean(L, key[j] >> 5 & 1);
    lua_rawseti(L, -3, j + 1);
    if (!k->params[j].raw) continue;
    lua_pushboolean(L, key[j] >> 6 & 1);
    lua_rawseti(L, -2, ++raw);
  }
  lua_setfield(L, -4, "contiguous");
  lua_setfield(L, -3, "scalar");
  lua_setfield(L, -2, "types");
  if (c->block == 0) return;
  lua_pushinteger(L, c->block);
  lua_setfield(L, -2, "block");
}

// Adds a new variant to the kernel's list. Pops the variant's description from the stack.
static cp_user_variant *add_variant(lua_State *L, cp_kernel_object *k, const unsigned char *key,
                                    size_t size) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, k->declaration);
  lua_getfield(L, -1, "identity_key"); // the declaration keeps the string alive
  size_t length;
  const char *text = luaL_checklstring(L, -1, &length);
  lua_pop(L, 2);
  int reference = luaL_ref(L, LUA_REGISTRYINDEX);
  cp_user_variant *v = malloc(sizeof *v);
  char *identity = malloc(length + size);
  if (v == NULL || identity == NULL) {
    free(v);
    free(identity);
    luaL_unref(L, LUA_REGISTRYINDEX, reference);
    cp_raise_status(L, k->name, cp_no_memory(NULL));
    return NULL;
  }
  memcpy(identity, text, length);
  memcpy(identity + length, key, size);
  *v = (cp_user_variant){.next = k->variants,
                         .size = size,
                         .identity = identity,
                         .identity_size = length + size,
                         .id = cp_hash(identity, length + size, k->reduction ? 2 : 1),
                         .reference = reference};
  memcpy(v->key, key, size);
  k->variants = v;
  return v;
}

cp_user_variant *cp_kernel_variant(lua_State *L, cp_kernel_call *c) {
  unsigned char key[CP_MAX_VARIANT_KEY];
  size_t size = write_key(c, key);
  for (cp_user_variant *v = c->k->variants; v != NULL; v = v->next)
    if (v->size == size && memcmp(v->key, key, size) == 0) return v;
  push_description(L, c, key);
  return add_variant(L, c->k, key, size);
}

// ---- the Lua side -----------------------------------------------------------------------------------------

// core.find_dtype(text): the name of the dtype that the text names, or nothing.
static int find_dtype(lua_State *L) {
  cp_dtype t = cp_dtype_from_name(luaL_checkstring(L, 1));
  if (t == CP_NDTYPES) return 0;
  lua_pushstring(L, cp_dtypes[t].name);
  return 1;
}

void cp_open_userkernel(lua_State *L) {
  static const luaL_Reg core[] = {{"user_kernel", make_kernel},
                                  {"kernel_spec", cp_kernel_spec},
                                  {"find_dtype", find_dtype},
                                  {NULL, NULL}};
  static const luaL_Reg events[] = {{"__tostring", kernel_text}, {"__index", kernel_index}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_define_kind(L, CP_KIND_KERNEL, events, end_kernel);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, cp_kernel_call_event, 1);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
}
