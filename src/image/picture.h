// Pictures in memory, and their decoders: PNG by libpng and JPEG by libjpeg-turbo, both opened at first use,
// and readers of our own for PNM, BMP and TGA.
//
// Opening a picture reads only the file's header. A file that claims more pixels than its bytes can hold, or
// than the limits below allow, is refused before memory is allocated for them. All memory of a picture's size
// belongs to the caller, so a state's limits hold for it. Nothing here raises, aborts, or reads beyond the
// bytes.
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
  cp_status (*open)(cp_picture *p); // fills in what the header says
  // writes as many samples as the header says, or fails
  cp_status (*decode)(const cp_picture *p, void *pixels);
} cp_picture_format;

struct cp_picture {
  const unsigned char *bytes; // the file, which belongs to the caller
  size_t length;
  const char *label; // the file's name in messages
  int wanted;        // channels that the caller wants, 0: the file's own; a format may convert to them itself
  const cp_picture_format *format;
  int64_t width, height;
  int channels;    // 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
  int depth;       // bytes per sample: 1, or 2 in the host's byte order
  size_t space;    // bytes that decoding needs: those of all samples, unless the format needs more
  cp_context *ctx; // for interrupts in formats that decode row by row; the caller sets it after opening
};

// Reads the header of the `length` bytes at `bytes`. CP_EIO if this is not a picture, or it is damaged,
// truncated, too large or of an unsupported format, and if the library that decodes it is missing.
cp_status cp_picture_open(cp_picture *p, const char *label, const void *bytes, size_t length, int wanted);
// Decodes an opened picture into `pixels`, p->space bytes: rows from the top, height x width x channels
// samples without gaps.
cp_status cp_picture_decode(const cp_picture *p, void *pixels);
// Converts `count` pixels to other channels (grey with stb_image's weights; alpha is dropped, or becomes
// opaque) and to another depth (8 bits to 16 by a factor of 257, 16 to 8 by the upper half).
void cp_picture_convert(const void *from, int channels, int depth, void *to, int to_channels, int to_depth,
                        size_t count);

// ---- for the formats ----

extern const cp_picture_format cp_png, cp_jpeg, cp_bmp, cp_pnm, cp_tga;

// Sets the picture's sides if they are within the limits.
cp_status cp_picture_sides(cp_picture *p, uint64_t width, uint64_t height);
// Fails unless the file has `least` bytes from `offset` on, without which it cannot hold its pixels.
cp_status cp_picture_holds(const cp_picture *p, uint64_t offset, uint64_t least);
cp_status cp_picture_damaged(const cp_picture *p, const char *fact);
cp_status cp_picture_cut(const cp_picture *p); // the bytes end too early

static inline unsigned cp_le16(const unsigned char *b) { return b[0] | (unsigned)b[1] << 8; }
static inline uint32_t cp_le32(const unsigned char *b) { return cp_le16(b) | (uint32_t)cp_le16(b + 2) << 16; }
static inline unsigned cp_be16(const unsigned char *b) { return b[1] | (unsigned)b[0] << 8; }

// Rescales v from 0..max to 0..to, rounded.
static inline uint16_t cp_rescale(uint64_t v, uint64_t max, unsigned to) {
  return (uint16_t)((v * to + max / 2) / max);
}

#endif
