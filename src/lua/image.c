// cp.image: pictures from and to files; lua/cupola/image.lua has the public functions beside imwrite. Decoders and encoders are stb_image's and
// stb_image_write's (Debian: libstb-dev).
#include "lua/convert.h"
#include "lua/module.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_GIF
#define STBI_NO_HDR
#define STBI_NO_PSD
#define STBI_NO_PIC

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

typedef struct sink {
  FILE *file;
  bool failed;
} sink;

static void write_bytes(void *context, void *data, int size) {
  sink *s = context;
  if (fwrite(data, 1, (size_t)size, s->file) != (size_t)size) s->failed = true;
}

static int encode(const char *ending, sink *s, int width, int height, int channels, const void *pixels,
                  int quality) {
  if (strcmp(ending, ".png") == 0)
    return stbi_write_png_to_func(write_bytes, s, width, height, channels, pixels, width * channels);
  if (strcmp(ending, ".bmp") == 0)
    return stbi_write_bmp_to_func(write_bytes, s, width, height, channels, pixels);
  if (strcmp(ending, ".tga") == 0)
    return stbi_write_tga_to_func(write_bytes, s, width, height, channels, pixels);
  return stbi_write_jpg_to_func(write_bytes, s, width, height, channels, pixels, quality);
}

static bool known_ending(const char *ending) {
  return strcmp(ending, ".png") == 0 || strcmp(ending, ".bmp") == 0 || strcmp(ending, ".tga") == 0 ||
         strcmp(ending, ".jpg") == 0 || strcmp(ending, ".jpeg") == 0;
}

// The channels of an array that can be a picture's pixels; raises for others.
static int channels_of(lua_State *L, const char *where, const cp_array *a) {
  char text[CP_SHAPE_TEXT];
  int channels = a->ndim == 2                                           ? 1
                 : a->ndim == 3 && a->shape[2] >= 1 && a->shape[2] <= 4 ? (int)a->shape[2]
                                                                        : 0;
  if (a->dtype != CP_UINT8)
    return cp_raise(L, where, CP_EDTYPE, "pixels must be uint8, not %s; convert with :astype",
                    cp_dtypes[a->dtype].name);
  if (channels == 0 || a->size == 0 || a->shape[0] > 65535 || a->shape[1] > 65535 || a->size > INT_MAX)
    return cp_raise(L, where, CP_ESHAPE, "pixels must be (height, width) or (height, width, 1 to 4), not %s",
                    cp_shape_text(a->ndim, a->shape, text));
  return channels;
}

// Writes the array at slot 2 to the file named at slot 1.
static void write_picture(lua_State *L, const char *where, int quality) {
  const char *path = lua_tostring(L, 1);
  if (path == NULL)
    cp_raise(L, where, CP_EUSAGE, "file must be a file name, not %s",
             lua_isnil(L, 1) ? "nil (missing)" : luaL_typename(L, 1));
  cp_array *a = cp_check_array(L, 2, where, "pixels");
  const char *ending = strrchr(path, '.');
  if (ending == NULL || !known_ending(ending))
    cp_raise(L, where, CP_EUSAGE, "the file's name must end in .png, .jpg, .bmp or .tga: %s", path);
  int channels = channels_of(L, where, a);
  const void *pixels = cp_push_host_copy(L, where, a);
  sink s = {.file = fopen(path, "wb")};
  if (s.file == NULL) cp_raise(L, where, CP_EIO, "cannot write %s: %s", path, strerror(errno));
  int done = encode(ending, &s, (int)a->shape[1], (int)a->shape[0], channels, pixels, quality);
  int closed = fclose(s.file);
  if (!done || s.failed || closed != 0) cp_raise(L, where, CP_EIO, "%s could not be written whole", path);
}

// cp.image.imwrite(file, pixels): pixels is a uint8 array (height, width) or (height, width, 1 to 4): grey, grey and alpha, RGB, RGBA. The
// file's ending chooses the format: .png, .jpg, .bmp or .tga. Errors: shape, dtype, io.
static int imwrite(lua_State *L) {
  static const char *const names[] = {"file", "pixels"};
  static const cp_signature signature = {"image.imwrite", names, 2, 2, false};
  cp_arguments(L, &signature);
  write_picture(L, signature.where, 95);
  return 0;
}

// core.write_picture(file, pixels, quality): the same for image.save.
static int save(lua_State *L) {
  int quality = (int)luaL_checkinteger(L, 3);
  lua_settop(L, 2);
  write_picture(L, "image.save", quality);
  return 0;
}

// ---- reading ------------------------------------------------------------------------------------------------------

// core.read_picture(bytes, label, channels, wide, device): the pixels of a picture file as an array (height, width[, channels]) of uint8, or of
// uint16 if wide. channels 0: as many as the file has.
static int load(lua_State *L) {
  const char *where = "image.load", *label = luaL_checkstring(L, 2);
  size_t length;
  const unsigned char *bytes = (const unsigned char *)luaL_checklstring(L, 1, &length);
  int channels = (int)luaL_checkinteger(L, 3), width, height, there;
  bool wide = lua_toboolean(L, 4) != 0;
  cp_device *device = cp_arg_device(L, 5, where);
  if (length > INT_MAX) return cp_raise(L, where, CP_EIO, "%s is larger than 2 GB", label);
  if (!stbi_info_from_memory(bytes, (int)length, &width, &height, &there))
    return cp_raise(L, where, CP_EIO, "%s is no picture that is known (PNG, JPEG, BMP, TGA, PNM)", label);
  int n = channels > 0 ? channels : there;
  size_t size = (size_t)width * (size_t)height * (size_t)n * (wide ? 2 : 1);
  int64_t shape[3] = {height, width, n};
  cp_array *a = cp_push_new_array(L, where, device, wide ? CP_UINT16 : CP_UINT8, n == 1 ? 2 : 3, shape);
  void *host = cp_newuserdata(L, size > 0 ? size : 1);
  int w = 0, h = 0; // from here to free nothing raises
  void *pixels = wide ? (void *)stbi_load_16_from_memory(bytes, (int)length, &w, &h, &there, channels)
                      : (void *)stbi_load_from_memory(bytes, (int)length, &w, &h, &there, channels);
  bool good = pixels != NULL && w == width && h == height && (channels > 0 || there == n);
  if (good) memcpy(host, pixels, size);
  stbi_image_free(pixels);
  if (!good)
    return cp_raise(L, where, CP_EIO, "%s is damaged: %s", label,
                    pixels == NULL ? stbi_failure_reason() : "its header does not say what it holds");
  cp_upload(L, where, a, host);
  lua_pop(L, 1);
  return 1;
}

// core.apply_palette(x, palette): x with an axis of three behind the others: the colour that each element of x, uint8, has in the palette, a
// string of 256 colours of three bytes.
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
  for (int64_t k = 0; k < x->size; k++) memcpy(colours + 3 * k, palette + 3 * index[k], 3);
  cp_upload(L, where, a, colours);
  lua_pop(L, 2);
  return 1;
}

void cp_open_image(lua_State *L) {
  static const luaL_Reg core[] = {
      {"write_picture", save}, {"read_picture", load}, {"apply_palette", apply_palette}, {NULL, NULL}};
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core, 0);
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, imwrite);
  lua_setfield(L, -2, "imwrite");
  lua_setfield(L, 2, "image");
}
