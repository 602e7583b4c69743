// cp.image: writing pictures. The encoders are stb_image_write's (Debian: libstb-dev).
#include "lua/module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
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

static int encode(const char *ending, sink *s, int width, int height, int channels, const void *pixels) {
  if (strcmp(ending, ".png") == 0)
    return stbi_write_png_to_func(write_bytes, s, width, height, channels, pixels, width * channels);
  if (strcmp(ending, ".bmp") == 0)
    return stbi_write_bmp_to_func(write_bytes, s, width, height, channels, pixels);
  if (strcmp(ending, ".tga") == 0)
    return stbi_write_tga_to_func(write_bytes, s, width, height, channels, pixels);
  return stbi_write_jpg_to_func(write_bytes, s, width, height, channels, pixels, 95);
}

static bool known_ending(const char *ending) {
  return strcmp(ending, ".png") == 0 || strcmp(ending, ".bmp") == 0 || strcmp(ending, ".tga") == 0 ||
         strcmp(ending, ".jpg") == 0;
}

// cp.image.imwrite(file, pixels): pixels is a uint8 array (height, width) or (height, width, 1 to 4): grey, grey and alpha, RGB, RGBA. The
// file's ending chooses the format: .png, .jpg, .bmp or .tga. Errors: shape, dtype, io.
static int imwrite(lua_State *L) {
  static const char *const names[] = {"file", "pixels"};
  static const cp_signature signature = {"image.imwrite", names, 2, 2, false};
  cp_arguments(L, &signature);
  const char *where = signature.where, *path = lua_tostring(L, 1);
  if (path == NULL)
    return cp_raise(L, where, CP_EUSAGE, "file must be a file name, not %s", luaL_typename(L, 1));
  cp_array *a = cp_check_array(L, 2, where, "pixels");
  const char *ending = strrchr(path, '.');
  char text[CP_SHAPE_TEXT];
  if (ending == NULL || !known_ending(ending))
    return cp_raise(L, where, CP_EUSAGE, "the file's name must end in .png, .jpg, .bmp or .tga: %s", path);
  if (a->dtype != CP_UINT8)
    return cp_raise(L, where, CP_EDTYPE, "pixels must be uint8, not %s; convert with :astype",
                    cp_dtypes[a->dtype].name);
  int channels = a->ndim == 3 && a->shape[2] >= 1 && a->shape[2] <= 4 ? (int)a->shape[2]
                 : a->ndim == 2                                       ? 1
                                                                      : 0;
  if (channels == 0 || a->size == 0 || a->shape[0] > 65535 || a->shape[1] > 65535)
    return cp_raise(L, where, CP_ESHAPE, "pixels must be (height, width) or (height, width, 1 to 4), not %s",
                    cp_shape_text(a->ndim, a->shape, text));
  const void *pixels = cp_push_host_copy(L, where, a);
  sink s = {.file = fopen(path, "wb")};
  if (s.file == NULL) return cp_raise(L, where, CP_EIO, "cannot write %s: %s", path, strerror(errno));
  int done = encode(ending, &s, (int)a->shape[1], (int)a->shape[0], channels, pixels);
  int closed = fclose(s.file);
  if (!done || s.failed || closed != 0)
    return cp_raise(L, where, CP_EIO, "%s could not be written whole", path);
  return 0;
}

void cp_open_image(lua_State *L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, imwrite);
  lua_setfield(L, -2, "imwrite");
  lua_setfield(L, 2, "image");
}
