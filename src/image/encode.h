// Pictures to files: PNG here, with zlib; JPEG, BMP and TGA by stb_image_write (Debian: libstb-dev).
#ifndef CP_IMAGE_ENCODE_H
#define CP_IMAGE_ENCODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "device/interrupt.h"

typedef enum cp_encoding { CP_NO_ENCODING, CP_AS_PNG, CP_AS_JPEG, CP_AS_BMP, CP_AS_TGA } cp_encoding;

// The format that the end of a file's name stands for: ".png", ".jpg", ".jpeg", ".bmp", ".tga".
cp_encoding cp_encoding_of(const char *path);
// Whether a picture with such sides can be written in the format: within its fields, and within
// stb_image_write's ints.
bool cp_can_encode(cp_encoding as, int64_t width, int64_t height);

// 8-bit samples, height x width x channels (1 grey, 2 grey and alpha, 3 RGB, 4 RGBA).
typedef struct cp_pixels {
  int64_t width, height;
  int channels;
  const unsigned char *samples;
} cp_pixels;

// Writes the pixels. quality: of JPEG, 1 to 100. Fails when there is no zlib or no memory, the file did not take all
// bytes, or ctx (NULL: nobody) is to end its work, which is asked between the rows of a PNG.
cp_status cp_encode(cp_context *ctx, cp_encoding as, FILE *file, const cp_pixels *pixels, int quality);

// PNG alone, in png_write.c.
cp_status cp_write_png(cp_context *ctx, FILE *file, const cp_pixels *pixels);

#endif
