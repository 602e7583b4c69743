#include "image/encode.h"
#include "image/picture.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

// Writes pictures in the formats of stb_image_write. Only functions that do not allocate are used: its PNG
// writer aborts when memory runs out.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#define STBIW_ASSERT(x) ((void)0)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop
// reported at the end of the file: it declares functions that it does not define
#pragma GCC diagnostic ignored "-Wunused-function"

cp_encoding cp_encoding_of(const char *path) {
  static const struct {
    const char *ending;
    cp_encoding as;
  } known[] = {{".png", CP_AS_PNG},
               {".jpg", CP_AS_JPEG},
               {".jpeg", CP_AS_JPEG},
               {".bmp", CP_AS_BMP},
               {".tga", CP_AS_TGA}};
  const char *ending = strrchr(path, '.');
  for (size_t k = 0; ending != NULL && k < sizeof known / sizeof *known; k++)
    if (strcmp(ending, known[k].ending) == 0) return known[k].as;
  return CP_NO_ENCODING;
}

bool cp_can_encode(cp_encoding as, int64_t width, int64_t height) {
  int64_t side = as == CP_AS_PNG ? CP_PICTURE_SIDE : 65535;
  if (width < 1 || height < 1 || width > side || height > side) return false;
  if (as == CP_AS_PNG) return width * height <= CP_PICTURE_PIXELS;
  return height * (4 * width + 4) <= INT_MAX - 256; // the size of such a BMP in bytes
}

typedef struct sink {
  FILE *file;
  int failure; // an errno value
} sink;

static void write_bytes(void *context, void *data, int size) {
  sink *s = context;
  if (fwrite(data, 1, (size_t)size, s->file) != (size_t)size && s->failure == 0) s->failure = errno;
}

cp_status cp_encode(cp_context *ctx, cp_encoding as, FILE *file, const cp_pixels *pixels, int quality) {
  sink s = {file, 0};
  int w = (int)pixels->width, h = (int)pixels->height, channels = pixels->channels, done;
  const unsigned char *samples = pixels->samples;
  switch (as) {
  case CP_AS_PNG: return cp_write_png(ctx, file, pixels);
  case CP_AS_BMP: done = stbi_write_bmp_to_func(write_bytes, &s, w, h, channels, samples); break;
  case CP_AS_TGA: done = stbi_write_tga_to_func(write_bytes, &s, w, h, channels, samples); break;
  default: done = stbi_write_jpg_to_func(write_bytes, &s, w, h, channels, samples, quality);
  }
  if (s.failure != 0) return cp_fail(CP_EIO, "%s", strerror(s.failure));
  return done ? CP_OK : cp_fail(CP_EIO, "it could not be encoded");
}
