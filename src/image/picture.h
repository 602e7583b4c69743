// Pictures in memory and what decodes them: PNG by libpng and JPEG by libjpeg-turbo, both opened when first
// needed, and readers of our own for PNM, BMP and TGA.
//
// Opening reads a file's header and nothing more: a file that says more pixels than its bytes can hold, or
// more than the limits below, is refused before memory is made for them. All memory of a picture's size is
// the caller's, so a state's limits hold for it. Nothing here raises, aborts, or reads beyond the bytes.
#ifndef CP_IMAGE_PICTURE_H
#define CP_IMAGE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/interrupt.h"

enum { CP_PICTURE_SIDE = 1 << 20, CP_PICTURE_PIXELS = 1 << 30 }; // of the largest picture

typedef struct cp_picture cp_picture;

typedef struct cp_picture_format {
  bool (*matches)(const unsigned char *bytes, size_t length);
  cp_status (*open)(cp_picture *p);                       // fills in what the header says
  cp_status (*decode)(const cp_picture *p, void *pixels); // as many samples as the header says, or fails
} cp_picture_format;

struct cp_picture {
  const unsigned char *bytes; // the file; the caller's
  size_t length;
  const char *label; // how messages name the file
  int wanted;        // channels that the caller will have, 0: the file's own; a format may give them itself
  const cp_picture_format *format;
  int64_t width, height;
  int channels;    // 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
  int depth;       // bytes for each sample: 1, or 2 in the host's order
  size_t space;    // bytes that decoding needs; those of all samples, where the format asks for no more
  cp_context *ctx; // asked by formats that decode row by row; the caller's, set once it is opened
};

// Reads the header of the `length` bytes at `bytes`. Fails (CP_EIO) for what is no picture, damaged, cut off,
// too large, or of a format that is not read, and where the library that decodes it is missing.
cp_status cp_picture_open(cp_picture *p, const char *label, const void *bytes, size_t length, int wanted);
// Decodes an opened picture into `pixels`, p->space bytes: rows from the top, height x width x channels
// samples without gaps.
cp_status cp_picture_decode(const cp_picture *p, void *pixels);
// Converts `count` pixels to other channels (grey of colours as stb_image weighs them; alpha goes, or is
// full) and to another depth (8 bits to 16 by 257, 16 to 8 by the upper half).
void cp_picture_convert(const void *from, int channels, int depth, void *to, int to_channels, int to_depth,
                        size_t count);

// ---- for formats ----

extern const cp_picture_format cp_png, cp_jpeg, cp_bmp, cp_pnm, cp_tga;

// Sets the picture's sides, if they are within the limits.
cp_status cp_picture_sides(cp_picture *p, uint64_t width, uint64_t height);
// Fails unless the file has `least` bytes from `offset` on, without which it cannot hold its pixels.
cp_status cp_picture_holds(const cp_picture *p, uint64_t offset, uint64_t least);
cp_status cp_picture_damaged(const cp_picture *p, const char *fact);
cp_status cp_picture_cut(const cp_picture *p); // the bytes end too early

static inline unsigned cp_le16(const unsigned char *b) { return b[0] | (unsigned)b[1] << 8; }
static inline uint32_t cp_le32(const unsigned char *b) { return cp_le16(b) | (uint32_t)cp_le16(b + 2) << 16; }
static inline unsigned cp_be16(const unsigned char *b) { return b[1] | (unsigned)b[0] << 8; }

// v of 0..max as one of 0..to, rounded.
static inline uint16_t cp_rescale(uint64_t v, uint64_t max, unsigned to) {
  return (uint16_t)((v * to + max / 2) / max);
}

#endif
