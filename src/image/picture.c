// Recognises a file's format.
#include "image/picture.h"

#include <string.h>

static const cp_picture_format *const formats[] = {&cp_png, &cp_jpeg, &cp_bmp, &cp_pnm, &cp_tga};

// Formats that are not supported, by their first bytes. They are refused by name, since otherwise they might
// pass for TGA, which has no signature.
static const struct {
  const char *begin, *name;
  size_t length;
} others[] = {
    {"GIF8", "GIF", 4},
    {"8BPS", "Photoshop", 4},
    {"#?RADIANCE", "Radiance HDR", 10},
    {"#?RGBE", "Radiance HDR", 6},
    {"\x53\x80\xf6\x34", "Softimage PIC", 4},
    {"II*\0", "TIFF", 4},
    {"MM\0*", "TIFF", 4},
    {"RIFF", "WebP", 4},
};

cp_status cp_picture_open(cp_picture *p, const char *label, const void *bytes, size_t length, int wanted) {
  *p = (cp_picture){.bytes = bytes, .length = length, .label = label, .wanted = wanted};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (length >= others[k].length && memcmp(bytes, others[k].begin, others[k].length) == 0)
      return cp_fail(CP_EIO,
                     "%s is an image of the format %s, which cannot be read; PNG, JPEG, BMP, TGA and PNM can",
                     label, others[k].name);
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    if (!formats[k]->matches(bytes, length)) continue;
    p->format = formats[k];
    CP_TRY(p->format->open(p));
    if (p->space == 0) p->space = (size_t)(p->width * p->height * p->channels * p->depth);
    return CP_OK;
  }
  return cp_fail(CP_EIO, "%s is not an image of a known format (PNG, JPEG, BMP, TGA, PNM)", label);
}

cp_status cp_picture_decode(const cp_picture *p, void *pixels) { return p->format->decode(p, pixels); }
