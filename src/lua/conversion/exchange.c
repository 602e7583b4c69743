// DLPack tensors for Lua (array/dlpack.h), and arrays on memory whose address a script gives.
#include "lua/conversion/exchange.h"

#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/conversion/take.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"
#include "memory/allocator.h"

#include <stdlib.h>
#include <string.h>

// Holds a tensor until a consumer takes it.
typedef struct capsule {
  cp_tensor tensor; // none: it was consumed, or not made yet
} capsule;

cp_tensor cp_export_array(lua_State *L, const char *where, cp_array *a, bool versioned) {
  cp_tensor t = {NULL, NULL};
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_expose(ctx, a, CP_EXPOSED_EXPORT));
  CP_CHECK(L, where, cp_to_dlpack(ctx, a, versioned, &t));
  return t;
}

// Pushes an array on the memory of t. c: the capsule that t is from, or NULL. It is checked again because
// making the handle may run finalizers, which may consume the capsule.
static void push_tensor(lua_State *L, const char *where, cp_tensor t, capsule *c) {
  cp_dtype dtype;
  cp_device *device;
  CP_CHECK(L, where, cp_read_dlpack(t, &dtype, &device));
  cp_array *a = cp_push_array(L, cp_tensor_body(t)->ndim);
  if (c != NULL && !cp_same_tensor(c->tensor, t))
    cp_raise(L, where, CP_EUSAGE, "the tensor was already consumed");
  CP_CHECK(L, where, cp_from_dlpack(&cp_state_get(L)->ctx, a, t));
  if (c != NULL) c->tensor = (cp_tensor){NULL, NULL};
}

void cp_push_dlpack(lua_State *L, const char *where, cp_tensor t) { push_tensor(L, where, t, NULL); }

// ---- capsules ---------------------------------------------------------------------------------------------

static capsule *check_capsule(lua_State *L, const char *where) {
  return cp_check_object(L, 1, CP_KIND_CAPSULE, where, "argument 1");
}

static void end_capsule(lua_State *L, void *object) {
  capsule *c = object;
  cp_tensor t = c->tensor;
  (void)L;
  c->tensor = (cp_tensor){NULL, NULL};
  cp_delete_tensor(t);
}

static int close_capsule(lua_State *L) {
  end_capsule(L, check_capsule(L, "close"));
  return 0;
}

static int capsule_text(lua_State *L) {
  const capsule *c = check_capsule(L, "tostring");
  lua_pushstring(L, cp_is_tensor(c->tensor) ? "DLPack tensor" : "DLPack tensor (consumed)");
  return 1;
}

static void push_address(lua_State *L, const capsule *c) {
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)cp_tensor_address(c->tensor), CP_INT64));
}

// capsule:release(): returns the address of the tensor. From now on the caller owns it and must pass it to a
// consumer, which calls its deleter.
static int release_capsule(lua_State *L) {
  capsule *c = check_capsule(L, "release");
  cp_at_most(L, "release", 1);
  if (!cp_is_tensor(c->tensor)) return cp_raise(L, "dlpack", CP_EUSAGE, "the tensor was already consumed");
  push_address(L, c);
  c->tensor = (cp_tensor){NULL, NULL};
  return 1;
}

// The fields of a capsule: capsule.ptr, the address of the tensor, which the capsule still owns;
// capsule.versioned, whether that is a DLManagedTensorVersioned; both nil if it was consumed. And the method
// capsule.release.
static int capsule_field(lua_State *L) {
  const capsule *c = check_capsule(L, "dlpack");
  const char *name = lua_tostring(L, 2);
  if (name == NULL) return 0;
  if (strcmp(name, "release") == 0) {
    lua_pushcfunction(L, release_capsule);
    return 1;
  }
  if (!cp_is_tensor(c->tensor)) return 0;
  if (strcmp(name, "versioned") == 0) {
    lua_pushboolean(L, c->tensor.versioned != NULL);
    return 1;
  }
  if (strcmp(name, "ptr") != 0) return 0;
  push_address(L, c);
  return 1;
}

// Whether the consumer's version, a table {major, minor}, is 1.0 or later.
static bool wants_version(lua_State *L, int slot) {
  if (lua_isnil(L, slot)) return false;
  if (!lua_istable(L, slot))
    cp_raise(L, "dlpack", CP_EUSAGE, "max_version must be a table such as {1, 0}, not %s",
             luaL_typename(L, slot));
  lua_rawgeti(L, slot, 1);
  int64_t major = cp_arg_integer(L, -1, "dlpack", "max_version[1]");
  lua_pop(L, 1);
  return major >= CP_DLPACK_MAJOR;
}

// Replaces the array at slot 1 by a copy where `copy` or another device asks for one; returns whether it did.
static bool copy_for_dlpack(lua_State *L, int device_slot, int copy_slot) {
  cp_array *a = cp_check_array(L, 1, "dlpack", "x");
  cp_device *device = lua_isnil(L, device_slot) ? a->device : cp_arg_device(L, device_slot, "dlpack");
  bool copy = cp_arg_boolean_or(L, copy_slot, "dlpack", "copy", false);
  if (!copy && device == a->device) return false;
  cp_demand(L, "dlpack", copy || lua_isnil(L, copy_slot),
            "copy is false, but the array must be copied to get to this device");
  if (device != a->device)
    cp_push_on_device(L, "dlpack", a, device);
  else
    cp_push_as(L, "dlpack", a, a->dtype);
  lua_replace(L, 1);
  return true;
}

// x:dlpack(max_version, device, copy): the array's memory as a DLPack tensor, without a copy unless `copy` is
// true or the device another one. max_version: {1, 0} or later for a tensor of DLPack 1. Returns a capsule,
// whose tensor one consumer may take: cp.from_dlpack, or whoever gets the result of capsule:release(). If
// nobody does, the capsule's finalizer deletes the tensor. Work that is queued on the array is done when this
// returns.
CP_SIGNATURE(dlpack, 1, "x", "max_version", "device", "copy");
static int to_dlpack(lua_State *L) {
  cp_check_capability(L, "dlpack", CUPOLA_POINTERS);
  cp_arguments(L, &dlpack_signature);
  bool versioned = wants_version(L, 2), copied = copy_for_dlpack(L, 3, 4);
  cp_array *a = cp_check_array(L, 1, "dlpack", "x");
  capsule *c = cp_push_object(L, CP_KIND_CAPSULE, sizeof *c);
  CP_CHECK(L, "dlpack", cp_context_synchronize(&cp_state_get(L)->ctx, a->device));
  c->tensor = cp_export_array(L, "dlpack", a, versioned);
  if (copied && versioned) c->tensor.versioned->flags |= CP_DLPACK_COPIED;
  return 1;
}

// ---- addresses --------------------------------------------------------------------------------------------

// The address that the value at index stands for: a number, a light userdata, a pointer, array or 64-bit
// integer of LuaJIT's ffi library, or a table {ptr =} such as x.data.
static int64_t read_address(lua_State *L, int index, const char *where, const char *argument) {
  int64_t address = 0;
  if (lua_istable(L, index)) {
    lua_getfield(L, index, "ptr");
    if (lua_isnil(L, -1))
      lua_pop(L, 1);
    else
      lua_replace(L, index);
  }
  if (lua_islightuserdata(L, index)) return (int64_t)(intptr_t)lua_touserdata(L, index);
  if (cp_cdata_to_address(L, index, &address)) return address;
  if (lua_type(L, index) != LUA_TNUMBER)
    cp_raise(L, where, CP_EUSAGE, "%s must be an address (a number, a light userdata or a pointer), not %s",
             argument, lua_isnoneornil(L, index) ? "nil" : cp_kind_text(L, index));
  if (!cp_to_integer(L, index, &address) || address < 0 || address >= (int64_t)1 << 57)
    cp_raise(L, where, CP_EUSAGE, "%s is %.0f, which is not an address", argument,
             (double)lua_tonumber(L, index));
  return address;
}

// core.pointer(value, where, argument): returns the address as a number.
static int pointer(lua_State *L) {
  const char *where = luaL_checkstring(L, 2), *argument = luaL_checkstring(L, 3);
  cp_check_capability(L, where, CUPOLA_POINTERS);
  lua_pushnumber(L, (lua_Number)read_address(L, 1, where, argument));
  return 1;
}

// The owner of memory borrowed from a script: a value of the script, which a reference in the registry keeps
// alive. It is released in the state's own thread.
typedef struct owner {
  cp_state *state;
  int reference;
} owner;

static void release_owner(void *data) {
  owner *o = data;
  if (o->state->running != NULL) luaL_unref(o->state->running, LUA_REGISTRYINDEX, o->reference);
  free(o);
}

static void read_strides(lua_State *L, int index, cp_array *a) {
  if (lua_isnil(L, index)) return;
  if (!lua_istable(L, index) || (int)lua_rawlen(L, index) != a->ndim)
    cp_raise(L, "from_pointer", CP_ESHAPE, "strides must be a table of %d numbers of bytes", a->ndim);
  for (int d = 0; d < a->ndim; d++) {
    lua_rawgeti(L, index, d + 1);
    a->strides[d] = cp_arg_integer(L, -1, "from_pointer", "strides");
    lua_pop(L, 1);
  }
}

static cp_status borrow(lua_State *L, cp_array *a, void *pointer, int index) {
  cp_state *s = cp_state_get(L);
  if (lua_isnil(L, index)) return cp_array_borrow(&s->ctx, a, pointer, NULL, NULL);
  owner *o = malloc(sizeof *o);
  if (o == NULL) return cp_no_memory(NULL);
  lua_pushvalue(L, index);
  *o = (owner){s, LUA_NOREF};
  o->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  cp_status status = cp_array_borrow(&s->ctx, a, pointer, release_owner, o);
  if (status != CP_OK) release_owner(o);
  return status;
}

// core.from_pointer(address, shape, dtype, owner, device, strides): an array on memory at an address. owner:
// any value, which is kept alive as long as the memory is used. strides: in bytes; C order by default.
static int from_pointer(lua_State *L) {
  int64_t shape[CP_MAXDIM];
  cp_check_capability(L, "from_pointer", CUPOLA_POINTERS);
  lua_settop(L, 6);
  int64_t address = read_address(L, 1, "from_pointer", "ptr");
  int ndim = cp_arg_shape(L, 2, "from_pointer", "shape", shape);
  cp_dtype t = cp_arg_dtype(L, 3, "from_pointer");
  cp_device *device = cp_arg_device(L, 5, "from_pointer");
  if (t == CP_NDTYPES) t = cp_state_get(L)->default_dtype;
  cp_array *a = cp_push_array(L, ndim);
  CP_CHECK(L, "from_pointer", cp_array_layout(a, t, ndim, shape, 'C'));
  read_strides(L, 6, a);
  a->device = device;
  if (address == 0 && a->size > 0) return cp_raise(L, "from_pointer", CP_EUSAGE, "ptr is a nil pointer");
  CP_CHECK(L, "from_pointer", borrow(L, a, (void *)(intptr_t)address, 4));
  return 1;
}

// core.from_dlpack(capsule or address, versioned): an array on the tensor's memory. Consumes the capsule.
// versioned: the address is that of a DLManagedTensorVersioned.
static int from_dlpack(lua_State *L) {
  cp_check_capability(L, "from_dlpack", CUPOLA_POINTERS);
  lua_settop(L, 2);
  capsule *c = cp_test_object(L, 1, CP_KIND_CAPSULE);
  cp_tensor t = {NULL, NULL};
  if (c != NULL) t = c->tensor;
  if (c != NULL && !cp_is_tensor(t))
    return cp_raise(L, "from_dlpack", CP_EUSAGE, "the tensor was already consumed");
  void *address = c == NULL ? (void *)(intptr_t)read_address(L, 1, "from_dlpack", "tensor") : NULL;
  if (c == NULL && address == NULL) return cp_raise(L, "from_dlpack", CP_EUSAGE, "tensor is a nil pointer");
  if ((uintptr_t)address % _Alignof(DLManagedTensor) != 0)
    return cp_raise(L, "from_dlpack", CP_EUSAGE,
                    "there cannot be a tensor at the address %lld, which is not a multiple of %d",
                    (long long)(intptr_t)address, (int)_Alignof(DLManagedTensor));
  if (c == NULL && lua_toboolean(L, 2))
    t.versioned = address;
  else if (c == NULL)
    t.plain = address;
  push_tensor(L, "from_dlpack", t, c);
  return 1;
}

static void release_buffer(void *buffer) { cp_buffer_release(buffer); }

// core.zero_copy(x, device): an array of the device on the page-locked memory of x. The memory lives as long
// as either array.
static int zero_copy(lua_State *L) {
  static const char where[] = "zero_copy";
  char *p;
  lua_settop(L, 2);
  cp_array *x = cp_take_array(L, 1, where, "x");
  cp_device *device = cp_arg_device(L, 2, where);
  if (!cp_is_pinned(x) || (device != cp_device_cpu() && !cp_block_is_pinned(x->storage->buffer->block)))
    return cp_raise(L, where, CP_EUSAGE, "x must lie in page-locked memory: make it with cp.empty_pinned");
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_array *a = cp_push_array(L, x->ndim);
  CP_CHECK(L, where, cp_array_layout(a, x->dtype, x->ndim, x->shape, 'C'));
  memcpy(a->strides, x->strides, (size_t)x->ndim * sizeof *x->strides);
  a->device = device;
  a->readonly = x->readonly;
  CP_CHECK(L, where, cp_expose(ctx, x, CP_EXPOSED_POINTER));
  CP_CHECK(L, where, cp_array_pointer(x, &p));
  cp_buffer *buffer = x->storage->buffer;
  cp_buffer_retain(buffer);
  cp_status status = cp_array_borrow(ctx, a, p, release_buffer, buffer);
  if (status != CP_OK) cp_buffer_release(buffer);
  CP_CHECK(L, where, status);
  return 1;
}

void cp_open_exchange(lua_State *L) {
  static const luaL_Reg core[] = {{"from_dlpack", from_dlpack},
                                  {"from_pointer", from_pointer},
                                  {"pointer", pointer},
                                  {"zero_copy", zero_copy},
                                  {NULL, NULL}};
  static const luaL_Reg meta[] = {
      {"__close", close_capsule}, {"__tostring", capsule_text}, {"__index", capsule_field}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_define_kind(L, CP_KIND_CAPSULE, meta, end_capsule);
  lua_pop(L, 1);
  lua_pushcfunction(L, to_dlpack);
  lua_setfield(L, 3, "dlpack");
}
