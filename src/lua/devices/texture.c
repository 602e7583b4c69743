// CUDA arrays, textures and surfaces (device/texture.h) for lua/cupola/devices/texture.lua. An object keeps
// its fields, which the Lua side made, and what it reads in the table of its userdata.
#include "lua/devices/texture.h"

#include "device/runtime.h"
#include "lazy/arrays/access.h"
#include "lazy/arrays/write.h"
#include "lua/arguments/args.h"
#include "lua/devices/stream.h"
#include "lua/objects/handles.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "lua/values/handle.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 1, SOURCE, OBJECT_BYTES = 1 << 9 }; // places in the table; roughly what a handle takes

// What is left to destroy when the object is gone.
typedef struct texture_end {
  cp_deferred dead; // must be the first field
  cp_context *ctx;
  cp_device *device;
  cp_texture_kind kind;
  uint64_t handle;
  size_t held;
} texture_end;

static void destroy(cp_deferred *dead) {
  texture_end *e = (texture_end *)dead;
  const cp_texture_ops *ops = e->device->ops->textures;
  if (!e->ctx->closed) (void)cp_context_finish(e->ctx, e->device); // kernels may still read it
  if (e->kind == CP_IS_CUDA_ARRAY)
    ops->array_destroy(e->device, (void *)(uintptr_t)e->handle);
  else
    (e->kind == CP_IS_TEXTURE ? ops->texture_destroy : ops->surface_destroy)(e->device, e->handle);
  cp_context_drop(e->ctx, e->held);
  free(e);
}

// Finalizers must not call the driver, so the handle is destroyed later.
static void end_texture(lua_State *L, void *object) {
  texture_end *e = ((cp_texture *)object)->end;
  (void)L;
  ((cp_texture *)object)->end = NULL;
  if (e == NULL) return;
  e->dead.destroy = destroy;
  if (e->ctx->closed)
    destroy(&e->dead);
  else
    cp_context_defer(e->ctx, &e->dead);
}

cp_texture *cp_check_cuda_array(lua_State *L, int index, const char *where, const char *argument) {
  cp_texture *t = cp_test_texture(L, index);
  if (t == NULL || t->kind != CP_IS_CUDA_ARRAY)
    cp_raise(L, where, CP_EUSAGE, "%s must be a CUDA array, not %s", argument,
             t == NULL                  ? cp_kind_text(L, index)
             : t->kind == CP_IS_TEXTURE ? "a texture"
                                        : "a surface");
  return t;
}

void cp_texture_use(lua_State *L, int index, cp_texture *t) {
  if (t->captured || cp_state_get(L)->ctx.capture.graph == NULL) return;
  t->captured = true;
  lua_pushvalue(L, index);
  (void)luaL_ref(L, LUA_REGISTRYINDEX);
}

// ---- making -----------------------------------------------------------------------------------------------

static int read_among(lua_State *L, int index, const char *where, const char *argument, int most) {
  const int64_t v = cp_arg_integer(L, index, where, argument);
  if (v < 0 || v > most)
    cp_raise(L, where, CP_EUSAGE, "%s must be a number from 0 to %d, not %lld", argument, most, (long long)v);
  return (int)v;
}

static size_t read_length(lua_State *L, int index, const char *where, const char *argument) {
  const int64_t v = cp_arg_integer(L, index, where, argument);
  if (v < 0 || v > INT32_MAX)
    cp_raise(L, where, CP_EUSAGE, "%s is %lld, which is out of range", argument, (long long)v);
  return (size_t)v;
}

// Reads kind, bits and channels from the slots at index.
static void read_format(lua_State *L, int index, const char *where, cp_texels *t) {
  t->kind = (cp_channel)read_among(L, index, where, "the kind of channels", CP_CHANNEL_FLOAT);
  const int64_t bits = cp_arg_integer(L, index + 1, where, "bits");
  const int64_t channels = cp_arg_integer(L, index + 2, where, "channels");
  if ((bits != 8 && bits != 16 && bits != 32) || (bits == 8 && t->kind == CP_CHANNEL_FLOAT))
    cp_raise(L, where, CP_EUSAGE, "channels of %lld bits are not possible%s", (long long)bits,
             t->kind == CP_CHANNEL_FLOAT ? " for floats: 16 or 32" : ": 8, 16 or 32");
  if (channels != 1 && channels != 2 && channels != 4)
    cp_raise(L, where, CP_EUSAGE, "%lld channels are not possible: 1, 2 or 4", (long long)channels);
  t->bits = (int)bits;
  t->channels = (int)channels;
}

static cp_device *texture_device(lua_State *L, const char *where, cp_device *d) {
  if (d->ops->textures == NULL) cp_raise(L, where, CP_EUSAGE, "%s has no textures", d->name);
  return d;
}

// Pushes a new object with the fields at `fields` and what it reads at `source` (0: nothing). Its handle is
// still to be made.
static cp_texture *push_texture(lua_State *L, const char *where, cp_texture_kind kind, cp_device *d,
                                int fields, int source) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_context_settle(ctx);
  luaL_checktype(L, fields, LUA_TTABLE);
  cp_texture *t = cp_push_object(L, CP_KIND_TEXTURE, sizeof *t);
  lua_createtable(L, SOURCE, 0);
  lua_pushvalue(L, fields);
  lua_rawseti(L, -2, FIELDS);
  if (source > 0) {
    lua_pushvalue(L, source);
    lua_rawseti(L, -2, SOURCE);
  }
  cp_keep_table(L, -2);
  t->kind = kind;
  t->device = d;
  CP_CHECK(L, where, cp_may_wait(ctx, d)); // handles are not made while work is recorded
  return t;
}

// Makes the handle by `make` and gives it to the object, or counts nothing.
static cp_status take_handle(cp_context *ctx, cp_texture *t, size_t held, cp_status made, uint64_t handle) {
  if (made != CP_OK) {
    cp_context_drop(ctx, held);
    free(t->end);
    t->end = NULL;
    return made;
  }
  t->handle = handle;
  *t->end = (texture_end){.ctx = ctx, .device = t->device, .kind = t->kind, .handle = handle, .held = held};
  return CP_OK;
}

static cp_status prepare(cp_context *ctx, cp_texture *t, size_t held) {
  CP_TRY(cp_context_hold(ctx, held));
  t->end = malloc(sizeof *t->end);
  if (t->end != NULL) return CP_OK;
  cp_context_drop(ctx, held);
  return cp_no_memory("making a texture");
}

static cp_status make_array(cp_context *ctx, cp_texture *t) {
  const size_t held = OBJECT_BYTES + cp_texel_count(&t->texels) * cp_texel_size(&t->texels);
  void *array = NULL;
  CP_TRY(prepare(ctx, t, held));
  const cp_status made = t->device->ops->textures->array_create(t->device, &t->texels, t->surface, &array);
  return take_handle(ctx, t, held, made, (uint64_t)(uintptr_t)array);
}

// core.texture_array(where, kind, bits, channels, width, height, depth, surface, fields): a new CUDA array on
// the current device.
static int new_array(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_texels x = {0};
  lua_settop(L, 9);
  read_format(L, 2, where, &x);
  x.width = read_length(L, 5, where, "width");
  x.height = read_length(L, 6, where, "height");
  x.depth = read_length(L, 7, where, "depth");
  cp_demand(L, where, x.width > 0, "width must be positive");
  cp_demand(L, where, x.depth == 0 || x.height > 0, "an array with a depth must have a height");
  const double bytes = (double)x.width * (double)(x.height + 1) * (double)(x.depth + 1) * 16;
  cp_demand(L, where, bytes < 1e15, "the array is too large");
  cp_device *d = texture_device(L, where, cp_current_device(L));
  // A GPU's memory may still hold what others left there.
  if (d->ops->textures != &cp_plain_texture_ops) cp_check_shared(L, where);
  cp_texture *t = push_texture(L, where, CP_IS_CUDA_ARRAY, d, 9, 0);
  t->texels = x;
  t->surface = lua_toboolean(L, 8);
  CP_CHECK(L, where, make_array(&cp_state_get(L)->ctx, t));
  return 1;
}

// Reads what a texture or surface of an array or of memory reads, from the slots 2 to 9.
static cp_array *read_source(lua_State *L, const char *where, cp_texture_source *s, cp_device **d) {
  s->kind = (cp_resource)read_among(L, 2, where, "the kind of resource", CP_RESOURCE_PITCHED);
  if (s->kind == CP_RESOURCE_ARRAY) {
    const cp_texture *of = cp_check_cuda_array(L, 3, where, "cuArr");
    s->pointer = (void *)(uintptr_t)of->handle;
    s->texels = of->texels;
    *d = of->device;
    return NULL;
  }
  cp_array *a = cp_check_array(L, 3, where, "arr");
  read_format(L, 4, where, &s->texels);
  s->texels.width = read_length(L, 7, where, "width");
  const size_t row = s->texels.width * cp_texel_size(&s->texels);
  size_t bytes = row;
  cp_demand(L, where, s->texels.width > 0, "a texture must have elements");
  if (s->kind == CP_RESOURCE_PITCHED) {
    s->texels.height = read_length(L, 8, where, "height");
    s->pitch = read_length(L, 9, where, "pitchInBytes");
    cp_demand(L, where, s->texels.height > 0, "height must be positive");
    if (s->pitch < row)
      cp_raise(L, where, CP_EUSAGE, "pitchInBytes is %zu, but a row has %zu bytes", s->pitch, row);
    bytes += (s->texels.height - 1) * s->pitch;
  } else if (s->kind != CP_RESOURCE_LINEAR) {
    cp_raise(L, where, CP_EUSAGE, "mipmapped arrays are not supported");
  }
  if (!cp_array_contiguous(a, 'C')) cp_raise(L, where, CP_EUSAGE, "arr must be contiguous; pass its :copy()");
  const size_t there = (size_t)a->size * cp_itemsize(a->dtype);
  if (bytes > there)
    cp_raise(L, where, CP_EUSAGE, "arr has %zu bytes, but the texture reads %zu", there, bytes);
  *d = a->device;
  return a;
}

static float read_float(lua_State *L, int list, int k, const char *where, const char *argument) {
  lua_rawgeti(L, list, k);
  const float v = (float)cp_arg_number(L, lua_gettop(L), where, argument);
  lua_pop(L, 1);
  return v;
}

// Reads {three address modes, filter, read mode, normalised, sRGB, anisotropy, four channels of the border}.
static cp_sampling read_sampling(lua_State *L, int list, const char *where, const cp_texture_source *s) {
  static const char *const names[] = {"addressModes", "addressModes",     "addressModes", "filterMode",
                                      "readMode",     "normalizedCoords", "sRGB",         "maxAnisotropy"};
  static const int most[] = {CP_ADDRESS_BORDER,
                             CP_ADDRESS_BORDER,
                             CP_ADDRESS_BORDER,
                             CP_FILTER_LINEAR,
                             CP_READ_NORMALIZED,
                             1,
                             1,
                             16};
  int v[8];
  cp_sampling how = {.filter = 0};
  luaL_checktype(L, list, LUA_TTABLE);
  for (int k = 0; k < 8; k++) {
    lua_rawgeti(L, list, k + 1);
    v[k] = read_among(L, lua_gettop(L), where, names[k], most[k]);
    lua_pop(L, 1);
  }
  for (int k = 0; k < 4; k++) how.border[k] = read_float(L, list, 9 + k, where, "borderColors");
  memcpy(how.address, v, sizeof how.address);
  how.filter = v[3];
  how.read = v[4];
  how.normalized = v[5] != 0;
  how.srgb = v[6] != 0;
  how.anisotropy = (unsigned)v[7];
  const bool whole = s->texels.kind != CP_CHANNEL_FLOAT, fractions = how.read == CP_READ_NORMALIZED;
  cp_demand(L, where, !(whole && fractions && s->texels.bits == 32),
            "integers of 32 bits cannot be read as fractions (readModeNormalizedFloat)");
  cp_demand(L, where, !(whole && !fractions && how.filter == CP_FILTER_LINEAR),
            "integers can be filtered linearly only as fractions (readModeNormalizedFloat)");
  cp_demand(L, where,
            !how.srgb || (fractions && s->texels.kind == CP_CHANNEL_UNSIGNED && s->texels.bits == 8),
            "sRGB is for channels of 8 bits, unsigned, read as fractions (readModeNormalizedFloat)");
  return how;
}

static cp_status make_object(cp_context *ctx, cp_texture *t, cp_texture_source *s, const cp_sampling *how) {
  const cp_texture_ops *ops = t->device->ops->textures;
  uint64_t handle = 0;
  if (t->array != NULL) {
    char *p = NULL;
    CP_TRY(cp_expose(ctx, t->array, CP_EXPOSED_POINTER));
    CP_TRY(cp_array_pointer(t->array, &p));
    s->pointer = p;
  }
  CP_TRY(prepare(ctx, t, OBJECT_BYTES));
  const cp_status made = t->kind == CP_IS_TEXTURE ? ops->texture_create(t->device, s, how, &handle)
                                                  : ops->surface_create(t->device, s->pointer, &handle);
  return take_handle(ctx, t, OBJECT_BYTES, made, handle);
}

// core.texture(where, resource, source, kind, bits, channels, width, height, pitch, sampling, fields): a new
// texture of a CUDA array (resource 0) or of an array's memory (2: a row, 3: rows); without sampling a
// surface.
static int new_texture(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_texture_source s = {0};
  cp_sampling how = {0};
  cp_device *d = NULL;
  lua_settop(L, 11);
  cp_array *a = read_source(L, where, &s, &d);
  const bool surface = lua_isnil(L, 10);
  if (!surface) how = read_sampling(L, 10, where, &s);
  if (surface && (s.kind != CP_RESOURCE_ARRAY || !cp_check_cuda_array(L, 3, where, "cuArr")->surface))
    return cp_raise(L, where, CP_EUSAGE, "a surface needs a CUDA array with runtime.arraySurfaceLoadStore");
  cp_texture *t =
      push_texture(L, where, surface ? CP_IS_SURFACE : CP_IS_TEXTURE, texture_device(L, where, d), 11, 3);
  t->array = a;
  cp_state_get(L)->ctx.lazy.caller = where;
  CP_CHECK(L, where, make_object(&cp_state_get(L)->ctx, t, &s, &how));
  return 1;
}

// ---- copies -----------------------------------------------------------------------------------------------

static cp_status copy(cp_context *ctx, cp_stream *s, const cp_texture *t, cp_array *x, bool back) {
  const cp_texels *e = &t->texels;
  const cp_use use = {x, back ? CP_WRITE : CP_READ};
  const size_t row = e->width * cp_texel_size(e), rows = e->height > 0 ? e->height : 1;
  const cp_box_side inside = {.array = (void *)(uintptr_t)t->handle, .pitch = row, .rows = rows};
  cp_box_side outside = {.pitch = row, .rows = rows};
  cp_stream *before = cp_enter_stream(ctx, t->device, s), *stream;
  cp_status status = cp_open_arrays(ctx, t->device, 1, &use, &stream);
  if (status == CP_OK) {
    outside.pointer = cp_address(x);
    const cp_box box = {back ? outside : inside, back ? inside : outside, row, rows,
                        e->depth > 0 ? e->depth : 1};
    status = t->device->ops->runtime->copy_box(stream, &box);
  }
  cp_leave_stream(ctx, t->device, before);
  return status;
}

// core.texture_copy(where, array, x, back, stream): copies the elements of x, which has as many bytes, into a
// CUDA array, or back.
static int copy_array(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const cp_texture *t = cp_check_cuda_array(L, 2, where, "argument 1");
  const bool back = lua_toboolean(L, 4);
  cp_array *x = cp_check_array(L, 3, where, back ? "out_arr" : "in_arr");
  cp_stream *s = lua_isnoneornil(L, 5) ? NULL : cp_check_stream(L, 5, where, "stream");
  if (s != NULL) cp_match_stream(L, where, s, t->device);
  if (x->device != t->device)
    return cp_raise(L, where, CP_EUSAGE, "the array is on %s, but the CUDA array on %s", x->device->name,
                    t->device->name);
  cp_demand(L, where, cp_array_contiguous(x, 'C'), "the array must be contiguous");
  const size_t bytes = cp_texel_count(&t->texels) * cp_texel_size(&t->texels);
  if ((size_t)x->size * cp_itemsize(x->dtype) != bytes)
    return cp_raise(L, where, CP_ESHAPE, "the array has %zu bytes, but the CUDA array %zu",
                    (size_t)x->size * cp_itemsize(x->dtype), bytes);
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_may_wait(ctx, t->device));
  CP_CHECK(L, where, copy(ctx, s != NULL ? s : ctx->now.streams[t->device->id], t, x, back));
  return 0;
}

// ---- fields -----------------------------------------------------------------------------------------------

// core.texture_free(where, object): destroys it now, once the device has done this state's work.
static int free_texture(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_texture *t = cp_test_texture(L, 2);
  cp_demand(L, where, t != NULL, "the object was freed already");
  cp_demand(L, where, !t->captured, "a captured graph uses the object");
  end_texture(L, t);
  cp_context_settle(ctx);
  return 0;
}

// object.FIELD: of the fields that the Lua side gave it; or ptr, the handle, and device.
static int index_texture(lua_State *L) {
  const cp_texture *t = cp_check_object(L, 1, CP_KIND_TEXTURE, "texture", "argument 1");
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
  if (t->end == NULL) return cp_raise(L, name, CP_EUSAGE, "the object was freed or could not be made");
  if (strcmp(name, "ptr") == 0) {
    cp_check_capability(L, "ptr", CUPOLA_POINTERS);
    cp_push_scalar(L, cp_scalar_int((int64_t)t->handle, CP_INT64));
    return 1;
  }
  if (strcmp(name, "device") == 0) {
    lua_pushstring(L, t->device->name);
    return 1;
  }
  cp_push_kept(L, 1);
  lua_rawgeti(L, -1, FIELDS);
  lua_pushvalue(L, 2);
  lua_gettable(L, -2);
  return 1;
}

static int texture_text(lua_State *L) {
  static const char *const names[] = {"CUDA array", "texture", "surface"};
  const cp_texture *t = cp_check_object(L, 1, CP_KIND_TEXTURE, "tostring", "argument 1");
  if (t->end == NULL)
    lua_pushstring(L, "freed texture");
  else
    lua_pushfstring(L, "%s of %s", names[t->kind], t->device->name);
  return 1;
}

// core.texture_kind(value): "array", "texture" or "surface"; nil for anything else.
static int texture_kind(lua_State *L) {
  static const char *const names[] = {"array", "texture", "surface"};
  const cp_texture *t = cp_test_texture(L, 1);
  if (t == NULL) return 0;
  lua_pushstring(L, names[t->kind]);
  return 1;
}

void cp_open_texture(lua_State *L) {
  static const luaL_Reg meta[] = {{"__index", index_texture}, {"__tostring", texture_text}, {NULL, NULL}};
  static const luaL_Reg core[] = {{"texture_array", new_array},   {"texture", new_texture},
                                  {"texture_copy", copy_array},   {"texture_free", free_texture},
                                  {"texture_kind", texture_kind}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_TEXTURE, meta, end_texture);
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
}
