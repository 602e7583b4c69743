// Prepares a call of a user's kernel (userkernel.h): reads the arguments, resolves type letters and
// broadcasts shapes. Every function may raise an error and holds nothing that would leak.
#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/devices/stream.h"
#include "lua/kernels/userkernel.h"
#include "lua/state/current_device.h"
#include "lua/state/unknown.h"
#include "lua/values/handle.h"

#include <string.h>

static const char *type_name(cp_dtype t) { return cp_dtypes[t].name; }

// ---- values -----------------------------------------------------------------------------------------------

static void take_array(lua_State *L, cp_kernel_call *c, int k, cp_array *a) {
  const char *where = c->k->name;
  cp_need(L, where, a);
  if (c->device == NULL) c->device = a->device;
  if (a->device != c->device)
    cp_raise(L, where, CP_EUSAGE, "%s is on %s, but another argument is on %s; move it with :to(\"%s\")",
             c->k->params[k].name, a->device->name, c->device->name, c->device->name);
  c->arrays[k] = a;
}

// Takes argument k from a stack index. Tables become arrays later, when the types of the other arguments are
// known; *tables is set if there is one.
static void take_argument(lua_State *L, cp_kernel_call *c, int k, int index, bool *tables) {
  const cp_user_param *p = &c->k->params[k];
  cp_array *a = cp_test_array(L, index);
  c->arrays[k] = NULL;
  c->kinds[k] = 0;
  if (a != NULL) {
    take_array(L, c, k, a);
    return;
  }
  bool input = k < c->k->nin;
  if (input && !p->raw && !p->mutable) {
    if (cp_to_scalar(L, index, &c->scalars[k], &c->kinds[k], &c->weak[k])) return;
    if (lua_istable(L, index)) {
      *tables = true;
      c->kinds[k] = 't';
      return;
    }
  }
  cp_raise(L, c->k->name, CP_EUSAGE, "%s must be an array%s, not %s", p->name,
           input && !p->raw ? ", number or table" : "",
           lua_isnoneornil(L, index) ? "nil (missing)" : luaL_typename(L, index));
}

// ---- options ----------------------------------------------------------------------------------------------

static const char *const elementwise_options[] = {"size", "block_size", "stream"};
static const char *const reduction_options[] = {"axis", "keepdims", "out", "stream"};

// Pushes the values of all options in a fixed order, nil for those that the table at index does not have.
// Index 0: there is no table.
static void push_options(lua_State *L, const cp_kernel_object *k, int index) {
  const char *const *names = k->reduction ? reduction_options : elementwise_options;
  int count = k->reduction ? 4 : 3, first = lua_gettop(L) + 1;
  for (int j = 0; j < count; j++) lua_pushnil(L);
  if (index == 0) return;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    int j = 0;
    while (j < count && strcmp(names[j], name) != 0) j++;
    if (j == count) {
      const char *best = cp_suggest(name, count, names);
      cp_raise(L, k->name, CP_EUSAGE, "no option '%s'%s%s%s; the options are %s", name,
               best ? " (did you mean '" : "", best ? best : "", best ? "'?)" : "",
               k->reduction ? "axis, keepdims, out, stream" : "size, block_size, stream");
    }
    lua_pushvalue(L, -1);
    lua_replace(L, first + j);
  }
}

static void read_elementwise_options(lua_State *L, cp_kernel_call *c, int first) {
  c->size = cp_arg_integer_or(L, first, c->k->name, "size", -1);
  if (!lua_isnil(L, first) && c->size < 0) cp_raise(L, c->k->name, CP_ESHAPE, "size must not be negative");
  int64_t block = cp_arg_integer_or(L, first + 1, c->k->name, "block_size", 0);
  if (!lua_isnil(L, first + 1) && (block < 32 || block > 1024 || block % 32 != 0))
    cp_raise(L, c->k->name, CP_EUSAGE, "block_size must be a multiple of 32 from 32 to 1024, not %lld",
             (long long)block);
  c->block = (int)block;
}

static void read_stream(lua_State *L, cp_kernel_call *c, int index) {
  if (!lua_isnil(L, index)) c->stream = cp_check_stream(L, index, c->k->name, "stream");
}

// ---- type letters -----------------------------------------------------------------------------------------

typedef struct binding {
  cp_dtype dtype;
  int by; // the parameter that determined it
} binding;

static void check_type(lua_State *L, const cp_kernel_call *c, int k, binding *bound) {
  const cp_user_param *p = &c->k->params[k];
  cp_dtype t = c->arrays[k]->dtype;
  if (p->letter < 0) {
    if (t != p->dtype)
      cp_raise(L, c->k->name, CP_EDTYPE, "%s is %s, but the kernel needs %s; convert with :astype(\"%s\")",
               p->name, type_name(t), type_name(p->dtype), type_name(p->dtype));
    return;
  }
  binding *b = &bound[p->letter];
  if (b->dtype == CP_NDTYPES) {
    b->dtype = t;
    b->by = k;
  } else if (b->dtype != t) {
    cp_raise(L, c->k->name, CP_EDTYPE, "%s is %s, but %s, of the same type, is %s; convert with :astype",
             p->name, type_name(t), c->k->params[b->by].name, type_name(b->dtype));
  }
}

// The dtype of a type letter that only numbers and tables determine.
static cp_dtype free_type(const cp_kernel_call *c, int k) {
  if (c->kinds[k] == 't') return CP_NDTYPES; // cp_push_from_table decides it
  return c->weak[k] ? cp_weak_dtype(cp_weak_of(c->kinds[k]), CP_NDTYPES, c->state->default_dtype)
                    : c->scalars[k].dtype;
}

static void convert_tables(lua_State *L, cp_kernel_call *c, int first, binding *bound) {
  cp_device *device = c->device != NULL ? c->device : cp_device_on(L, c->stream);
  for (int k = 0; k < c->k->nin; k++) {
    const cp_user_param *p = &c->k->params[k];
    if (c->kinds[k] != 't') continue;
    cp_dtype t = p->letter < 0 ? p->dtype : bound[p->letter].dtype;
    cp_array *a = cp_push_from_table(L, c->k->name, first + k, t, CP_NDTYPES, device);
    lua_replace(L, first + k); // keeps the array alive
    c->kinds[k] = 0;
    take_array(L, c, k, a);
    check_type(L, c, k, bound);
  }
}

static void resolve_types(lua_State *L, cp_kernel_call *c, int first, bool tables) {
  const cp_kernel_object *k = c->k;
  binding bound[CP_MAX_PARAMS];
  for (int j = 0; j < k->nin + k->nout; j++) bound[j].dtype = CP_NDTYPES;
  for (int j = k->nin; j < k->nin + k->nout && c->given != 0; j++) check_type(L, c, j, bound);
  for (int j = 0; j < k->nin; j++)
    if (c->arrays[j] != NULL) check_type(L, c, j, bound);
  if (tables) convert_tables(L, c, first, bound);
  // Letters that only numbers determine.
  for (int j = 0; j < k->nin; j++)
    if (c->arrays[j] == NULL && k->params[j].letter >= 0 && bound[k->params[j].letter].dtype == CP_NDTYPES)
      bound[k->params[j].letter] = (binding){free_type(c, j), j};
  for (int j = 0; j < k->nin + k->nout; j++) {
    const cp_user_param *p = &k->params[j];
    c->types[j] = p->letter < 0 ? p->dtype : bound[p->letter].dtype;
    if (c->types[j] == CP_NDTYPES)
      cp_raise(L, k->name, CP_EDTYPE,
               "the type of %s is not determined: pass the output %s, or name its dtype in the kernel",
               p->name, p->name);
  }
}

// Converts numbers to the types of their parameters.
static void convert_numbers(lua_State *L, cp_kernel_call *c) {
  for (int k = 0; k < c->k->nin; k++) {
    if (c->arrays[k] != NULL) continue;
    cp_dtype t = c->types[k];
    cp_scalar s = c->scalars[k];
    const char *name = c->k->params[k].name;
    if (!c->weak[k] && !cp_can_cast(s.dtype, t, CP_CAST_SAME_KIND))
      cp_raise(L, c->k->name, CP_EDTYPE, "%s is %s, but the kernel needs %s", name, type_name(s.dtype),
               type_name(t));
    if (c->kinds[k] == 'c' && !cp_is_complex(t))
      cp_raise(L, c->k->name, CP_EDTYPE, "%s is complex, but the kernel needs %s", name, type_name(t));
    bool whole = cp_is_integer(t) || t == CP_BOOL;
    if (whole && c->kinds[k] == 'f')
      cp_raise(L, c->k->name, CP_EDTYPE, "%s = %.17g is not a value of %s", name, s.v.f, type_name(t));
    if (cp_is_integer(t) && c->kinds[k] == 'i' && !cp_scalar_fits(s, t))
      cp_raise(L, c->k->name, CP_EDTYPE, "%s = %.17g does not fit %s", name,
               cp_scalar_cast(s, CP_FLOAT64).v.f, type_name(t));
    c->scalars[k] = cp_scalar_cast(s, t);
  }
}

// ---- shapes -----------------------------------------------------------------------------------------------

static void broadcast_one(lua_State *L, cp_kernel_call *c, const cp_array *a, int k) {
  char have[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT];
  if (cp_broadcast(&c->ndim, c->shape, a->ndim, a->shape)) return;
  cp_raise(L, c->k->name, CP_ESHAPE,
           "%s has shape %s, which does not broadcast with shape %s of the other arguments",
           c->k->params[k].name, cp_shape_text(a->ndim, a->shape, have),
           cp_shape_text(c->ndim, c->shape, want));
}

// Finds the shape that the kernel works on: the common shape of the arrays that are not raw, or the option
// size.
static void broadcast_arguments(lua_State *L, cp_kernel_call *c) {
  const cp_kernel_object *k = c->k;
  bool any = false, inputs = false;
  c->ndim = 0;
  for (int j = 0; j < k->nin + k->nout; j++) {
    if (c->arrays[j] == NULL || k->params[j].raw || (j >= k->nin && (k->reduction || inputs))) continue;
    broadcast_one(L, c, c->arrays[j], j);
    any = true;
    inputs = inputs || j < k->nin;
  }
  if (k->reduction) {
    if (!any) cp_raise(L, k->name, CP_EUSAGE, "a reduction needs an input that is an array and not raw");
    return;
  }
  if (any && c->size >= 0)
    cp_raise(L, k->name, CP_EUSAGE,
             "size is only for calls whose arrays are all raw; here the arrays determine it");
  if (!any && c->size < 0)
    cp_raise(L, k->name, CP_EUSAGE, "size is missing: every array is raw, so nothing determines it");
  if (any) return;
  c->ndim = 1;
  c->shape[0] = c->size;
}

// Checks that there are not too many numbers: a kernel that uses the shape gets its lengths as further ones.
static void check_numbers(lua_State *L, const cp_kernel_call *c) {
  int numbers = c->ndim;
  for (int j = 0; j < c->k->nin; j++) numbers += c->arrays[j] == NULL;
  if (c->k->uses_shape && numbers > CP_MAX_SCALARS)
    cp_raise(L, c->k->name, CP_EUSAGE, "%d axes and numbers are more than %d in a kernel with _ind.get()",
             numbers, (int)CP_MAX_SCALARS);
}

// ---- all arguments ----------------------------------------------------------------------------------------

static void wrong_count(lua_State *L, const cp_kernel_object *k, int given) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int j = 0; j < k->nin + k->nout; j++) {
    if (j == k->nin)
      luaL_addstring(&b, k->nin > 0 ? " and, not necessarily, " : "not necessarily ");
    else if (j > 0)
      luaL_addstring(&b, ", ");
    luaL_addstring(&b, k->params[j].name);
  }
  luaL_pushresult(&b);
  cp_raise(L, k->name, CP_EUSAGE, "takes %d or %d arrays (%s), %d were given", k->nin, k->nin + k->nout,
           lua_tostring(L, -1), given);
}

// Reads k(x, ..., [out, ...], [axis, keepdims], [options]). Pushes axis, keepdims, out and stream above the
// arguments and returns the stack slot of axis. *outputs: the slot of the first output; 0: none was given.
static int reduction_arguments(lua_State *L, cp_kernel_call *c, int *outputs) {
  const cp_kernel_object *k = c->k;
  int top = lua_gettop(L), options = top > 1 + k->nin && cp_is_named(L, top) ? top : 0;
  int last = options ? top - 1 : top, next = 2 + k->nin;
  *outputs = 0;
  if (last < 1 + k->nin) wrong_count(L, k, last - 1);
  if (cp_test_array(L, next) != NULL) {
    *outputs = next;
    next += k->nout;
    if (last < next - 1) wrong_count(L, k, last - 1);
  }
  push_options(L, k, options);
  for (int j = 0; j < 2; j++) {
    if (next + j > last || lua_isnil(L, next + j)) continue;
    if (!lua_isnil(L, top + 1 + j))
      cp_raise(L, k->name, CP_EUSAGE, "%s is given by position and by name", reduction_options[j]);
    lua_pushvalue(L, next + j);
    lua_replace(L, top + 1 + j);
  }
  if (last > next + 1) wrong_count(L, k, last - 1);
  if (!lua_isnil(L, top + 3)) {
    if (*outputs != 0) cp_raise(L, k->name, CP_EUSAGE, "out is given by position and by name");
    if (k->nout != 1)
      cp_raise(L, k->name, CP_EUSAGE, "the kernel has several outputs; pass them after the inputs");
    *outputs = top + 3;
  }
  read_stream(L, c, top + 4);
  return top + 1;
}

static int elementwise_arguments(lua_State *L, cp_kernel_call *c, int *outputs) {
  const cp_kernel_object *k = c->k;
  int top = lua_gettop(L), options = top > 1 + k->nin && cp_is_named(L, top) ? top : 0;
  int count = (options ? top - 1 : top) - 1;
  while (count > k->nin && lua_isnil(L, 1 + count)) count--;
  if (count != k->nin && count != k->nin + k->nout) wrong_count(L, k, count);
  *outputs = count > k->nin ? 2 + k->nin : 0;
  if (options == 0) return 0;
  push_options(L, k, options);
  read_elementwise_options(L, c, top + 1);
  read_stream(L, c, top + 3);
  return 0;
}

void cp_kernel_arguments(lua_State *L, cp_kernel_call *c) {
  cp_kernel_object *k = c->k;
  int outputs;
  bool tables = false;
  luaL_checkstack(L, CP_MAX_PARAMS + 16, "too many arguments");
  c->device = NULL;
  c->size = -1;
  c->block = 0;
  c->stream = NULL;
  c->axes = 0;
  int axis = k->reduction ? reduction_arguments(L, c, &outputs) : elementwise_arguments(L, c, &outputs);
  for (int j = 0; j < k->nin; j++) take_argument(L, c, j, 2 + j, &tables);
  for (int j = 0; j < k->nout; j++) {
    c->arrays[k->nin + j] = NULL;
    if (outputs != 0) take_argument(L, c, k->nin + j, outputs + j, &tables);
  }
  c->given = outputs;
  resolve_types(L, c, 2, tables);
  convert_numbers(L, c);
  broadcast_arguments(L, c);
  check_numbers(L, c);
  if (c->device == NULL) c->device = cp_device_on(L, c->stream);
  if (c->stream != NULL) cp_match_stream(L, k->name, c->stream, c->device);
  if (!k->reduction) return;
  c->axes = cp_arg_axes(L, axis, k->name, "axis", c->ndim);
  c->keepdims = cp_arg_boolean_or(L, axis + 1, k->name, "keepdims", false);
}
