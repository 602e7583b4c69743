// Writes pictures to files: PNG here, with zlib; JPEG, BMP and TGA by stb_image_write (Debian: libstb-dev).
#ifndef CP_IMAGE_ENCODE_H
#define CP_IMAGE_ENCODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "device/interrupt.h"

typedef enum cp_encoding { CP_NO_ENCODING, CP_AS_PNG, CP_AS_JPEG, CP_AS_BMP, CP_AS_TGA } cp_encoding;

// The format for a file name's extension: ".png", ".jpg", ".jpeg", ".bmp", ".tga".
cp_encoding cp_encoding_of(const char *path);
// True if the format's fields and stb_image_write's ints can hold a picture of this size.
bool cp_can_encode(cp_encoding as, int64_t width, int64_t height);

// 8-bit samples, height x width x channels (1 grey, 2 grey and alpha, 3 RGB, 4 RGBA).
typedef struct cp_pixels {
  int64_t width, height;
  int channels;
  const unsigned char *samples;
} cp_pixels;

// Writes the pixels. quality: of JPEG, 1 to 100. Fails when zlib is missing, memory runs out, the file does
// not take all bytes, or the host interrupts through ctx (NULL: never), which is checked between the rows of
// a PNG.
cp_status cp_encode(cp_context *ctx, cp_encoding as, FILE *file, const cp_pixels *pixels, int quality);

// Writes PNG (png_write.c).
cp_status cp_write_png(cp_context *ctx, FILE *file, const cp_pixels *pixels);

#endif
