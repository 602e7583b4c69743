// cp.image.imwrite, and the primitives with which lua/cupola/files/image.lua reads, writes and colours
// pictures. The decoders and encoders are those of src/image.
#include "image/encode.h"
#include "image/picture.h"
#include "image/strokes.h"
#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/state/capability.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The number of channels of an array of pixels; raises an error for arrays that cannot be pixels.
static int channels_of(lua_State *L, const char *where, const cp_array *a) {
  char text[CP_SHAPE_TEXT];
  int channels = a->ndim == 2                                           ? 1
                 : a->ndim == 3 && a->shape[2] >= 1 && a->shape[2] <= 4 ? (int)a->shape[2]
                                                                        : 0;
  if (a->dtype != CP_UINT8)
    return cp_raise(L, where, CP_EDTYPE, "pixels must be uint8, not %s; convert with :astype",
                    cp_dtypes[a->dtype].name);
  if (channels == 0 || a->size == 0)
    return cp_raise(L, where, CP_ESHAPE, "pixels must be (height, width) or (height, width, 1 to 4), not %s",
                    cp_shape_text(a->ndim, a->shape, text));
  return channels;
}

// The pixels at slot 2, in host memory, which must fit the format. label: the file, or the format's name.
static cp_pixels read_pixels(lua_State *L, const char *where, cp_encoding as, const char *label) {
  cp_array *a = cp_check_array(L, 2, where, "pixels");
  int channels = channels_of(L, where, a);
  cp_pixels pixels = {a->shape[1], a->shape[0], channels, NULL};
  if (!cp_can_encode(as, pixels.width, pixels.height))
    cp_raise(L, where, CP_ESHAPE, "%lld x %lld pixels are too many for the format of %s",
             (long long)pixels.width, (long long)pixels.height, label);
  pixels.samples = cp_push_host_copy(L, where, a);
  return pixels;
}

// Writes the array at slot 2 to the file named at slot 1.
static void write_picture(lua_State *L, const char *where, int quality) {
  cp_check_capability(L, where, CUPOLA_FILES);
  const char *path = lua_tostring(L, 1);
  if (path == NULL)
    cp_raise(L, where, CP_EUSAGE, "file must be a file name, not %s",
             lua_isnil(L, 1) ? "nil (missing)" : luaL_typename(L, 1));
  cp_check_array(L, 2, where, "pixels");
  cp_encoding as = cp_encoding_of(path);
  if (as == CP_NO_ENCODING)
    cp_raise(L, where, CP_EUSAGE, "the file's name must end in .png, .jpg, .bmp or .tga: %s", path);
  cp_pixels pixels = read_pixels(L, where, as, path);
  // From here to fclose nothing raises an error.
  FILE *file = fopen(path, "wb");
  if (file == NULL) cp_raise(L, where, CP_EIO, "cannot write %s: %s", path, strerror(errno));
  cp_status status = cp_encode(&cp_state_get(L)->ctx, as, file, &pixels, quality);
  if (fclose(file) != 0 && status == CP_OK) status = cp_fail(CP_EIO, "%s", strerror(errno));
  if (status != CP_OK)
    cp_raise(L, where, status, "%s could not be written completely: %s", path, cp_error_text());
}

typedef struct encoded {
  char *at;
  size_t size;
} encoded;

static int push_bytes(lua_State *L) {
  const encoded *b = lua_touserdata(L, 1);
  lua_pushlstring(L, b->at, b->size);
  return 1;
}

// core.encode_picture(format, pixels, quality): the bytes of a picture file, as a string. format: "png",
// "jpg", "bmp" or "tga".
static int encode(lua_State *L) {
  static const char where[] = "image.encode";
  char ending[8];
  encoded b = {NULL, 0};
  int quality = (int)luaL_checkinteger(L, 3);
  lua_settop(L, 2);
  snprintf(ending, sizeof ending, ".%s", lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "");
  cp_encoding as = cp_encoding_of(ending);
  if (as == CP_NO_ENCODING) cp_not_among(L, where, "format", "\"png\", \"jpg\", \"bmp\" or \"tga\"", 1);
  cp_pixels pixels = read_pixels(L, where, as, ending + 1);
  lua_pushcfunction(L, push_bytes);
  lua_pushlightuserdata(L, &b);
  // From here to free no error passes.
  FILE *file = open_memstream(&b.at, &b.size);
  if (file == NULL) return cp_raise(L, where, CP_EMEMORY, "%s", strerror(errno));
  cp_status status = cp_encode(&cp_state_get(L)->ctx, as, file, &pixels, quality);
  if (fclose(file) != 0 && status == CP_OK) status = cp_fail(CP_EMEMORY, "%s", strerror(errno));
  int failed = status == CP_OK ? lua_pcall(L, 1, 1, 0) : LUA_OK;
  free(b.at);
  CP_CHECK(L, where, status);
  return failed != LUA_OK ? lua_error(L) : 1;
}

// cp.image.imwrite(file, pixels): writes a uint8 array of shape (height, width) or (height, width, 1 to 4):
// grey, grey and alpha, RGB or RGBA. The extension of the file's name chooses the format: .png, .jpg, .bmp or
// .tga. Kinds of errors: shape, dtype, io.
static int imwrite(lua_State *L) {
  static const char *const names[] = {"file", "pixels"};
  static const cp_signature signature = {"image.imwrite", names, 2, 2};
  cp_arguments(L, &signature);
  write_picture(L, signature.where, 95);
  return 0;
}

// core.write_picture(file, pixels, quality): imwrite with a quality, for image.save.
static int save(lua_State *L) {
  int quality = (int)luaL_checkinteger(L, 3);
  lua_settop(L, 2);
  write_picture(L, "image.save", quality);
  return 0;
}

// ---- reading ----------------------------------------------------------------------------------------------

// Decodes the picture into a's memory. If a is on another device, or its samples differ from the file's, it
// goes through host memory. May leave values on the stack.
static void fill(lua_State *L, const char *where, const cp_picture *p, cp_array *a) {
  int channels = a->ndim == 2 ? 1 : (int)a->shape[2], depth = (int)cp_itemsize(a->dtype);
  size_t count = (size_t)(p->width * p->height), size = count * (size_t)(channels * depth);
  bool alike = channels == p->channels && depth == p->depth && p->space == size;
  bool direct = a->device == cp_device_cpu();
  void *scratch = alike ? NULL : cp_newuserdata(L, p->space);
  void *to = direct ? cp_host_target(L, where, a) : cp_newuserdata(L, size);
  void *decoded = alike ? to : scratch;
  CP_CHECK(L, where, cp_picture_decode(p, decoded));
  if (!alike) cp_picture_convert(decoded, p->channels, p->depth, to, channels, depth, count);
  if (!direct) cp_upload(L, where, a, to);
}

// core.read_picture(bytes, label, channels, wide, device, where): the pixels of a picture file as an array of
// shape (height, width[, channels]), of uint16 if `wide`, else uint8; nil: as the file has them. channels 0:
// as many as the file has.
static int load(lua_State *L) {
  lua_settop(L, 6);
  const char *where = luaL_checkstring(L, 6), *label = luaL_checkstring(L, 2);
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  int channels = (int)luaL_checkinteger(L, 3);
  cp_device *device = cp_arg_device(L, 5, where);
  cp_picture p;
  if (channels < 0 || channels > 4) return luaL_error(L, "read_picture");
  CP_CHECK(L, where, cp_picture_open(&p, label, bytes, length, channels));
  p.ctx = &cp_state_get(L)->ctx;
  bool wide = lua_isnil(L, 4) ? p.depth == 2 : lua_toboolean(L, 4) != 0;
  int n = channels > 0 ? channels : p.channels;
  int64_t shape[3] = {p.height, p.width, n};
  cp_array *a = cp_push_new_array(L, where, device, wide ? CP_UINT16 : CP_UINT8, n == 1 ? 2 : 3, shape);
  fill(L, where, &p, a);
  lua_settop(L, 7);
  return 1;
}

// core.apply_palette(x, palette): for each element of x (uint8) its colour in the palette, a string of 256
// colours of three bytes. The result has one more axis than x, of length 3.
static int apply_palette(lua_State *L) {
  const char *where = "image.colormap";
  cp_array *x = cp_check_array(L, 1, where, "x");
  size_t length;
  const char *palette = luaL_checklstring(L, 2, &length);
  int64_t shape[CP_MAXDIM];
  if (x->dtype != CP_UINT8 || length != 768 || x->ndim == CP_MAXDIM) return luaL_error(L, "apply_palette");
  memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
  shape[x->ndim] = 3;
  cp_array *a = cp_push_new_array(L, where, x->device, CP_UINT8, x->ndim + 1, shape);
  char *colours = cp_newuserdata(L, x->size > 0 ? (size_t)x->size * 3 : 1);
  const unsigned char *index = cp_push_host_copy(L, where, x);
  for (int64_t k = 0; k < x->size; k++) {
    if (k % CP_POLL_COUNT == 0) cp_check_interrupt(L, where);
    memcpy(colours + 3 * k, palette + 3 * index[k], 3);
  }
  cp_upload(L, where, a, colours);
  lua_pop(L, 2);
  return 1;
}

// core.stroke_coverage(points, joined, radius, width, height): what cp_cover_strokes says, as a float32 array
// of shape (height, width) on the CPU device. points: float64, of shape (n, 2).
static int stroke_coverage(lua_State *L) {
  const char *where = "plot";
  lua_settop(L, 5);
  cp_array *points = cp_check_array(L, 1, where, "points");
  double radius = luaL_checknumber(L, 3);
  int64_t width = luaL_checkinteger(L, 4), height = luaL_checkinteger(L, 5), shape[2] = {height, width};
  bool fits = width > 0 && height > 0 && width <= CP_STROKED_PIXELS / height;
  if (points->dtype != CP_FLOAT64 || points->ndim != 2 || points->shape[1] != 2 || !fits || !(radius > 0))
    return luaL_error(L, "stroke_coverage");
  cp_strokes strokes = {NULL, points->shape[0], lua_toboolean(L, 2) != 0, radius < 1e6 ? radius : 1e6};
  strokes.points = cp_push_host_copy(L, where, points);
  cp_array *coverage = cp_push_new_array(L, where, cp_device_cpu(), CP_FLOAT32, 2, shape);
  float *to = cp_host_target(L, where, coverage);
  CP_CHECK(L, where, cp_cover_strokes(&cp_state_get(L)->ctx, &strokes, width, height, to));
  lua_settop(L, 7);
  return 1;
}

void cp_open_image(lua_State *L) {
  static const luaL_Reg core[] = {
      {"write_picture", save},          {"encode_picture", encode},           {"read_picture", load},
      {"apply_palette", apply_palette}, {"stroke_coverage", stroke_coverage}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, imwrite);
  lua_setfield(L, -2, "imwrite");
  lua_setfield(L, 2, "image");
}
