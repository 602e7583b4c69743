// Which format a file has, and the limits that hold for all of them (picture.h).
#include "image/picture.h"

#include <string.h>

static const cp_picture_format *const formats[] = {&cp_png, &cp_jpeg, &cp_bmp, &cp_pnm, &cp_tga};

// Pictures of other formats, by their first bytes: better refused by name than taken for TGA, which has none.
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

cp_status cp_picture_sides(cp_picture *p, uint64_t width, uint64_t height) {
  if (width == 0 || height == 0) return cp_picture_damaged(p, "it has no pixels");
  if (width > CP_PICTURE_SIDE || height > CP_PICTURE_SIDE || width * height > CP_PICTURE_PIXELS)
    return cp_fail(CP_EIO, "%s is too large: %llu x %llu pixels, where a side may have %d and all %d",
                   p->label, (unsigned long long)width, (unsigned long long)height, CP_PICTURE_SIDE,
                   CP_PICTURE_PIXELS);
  p->width = (int64_t)width;
  p->height = (int64_t)height;
  return CP_OK;
}

cp_status cp_picture_holds(const cp_picture *p, uint64_t offset, uint64_t least) {
  if (offset <= p->length && least <= p->length - offset) return CP_OK;
  return cp_picture_cut(p);
}

cp_status cp_picture_damaged(const cp_picture *p, const char *fact) {
  return cp_fail(CP_EIO, "%s is damaged: %s", p->label, fact);
}

cp_status cp_picture_cut(const cp_picture *p) {
  return cp_fail(CP_EIO, "%s is cut off: its %zu bytes do not hold what its header says", p->label,
                 p->length);
}

cp_status cp_picture_open(cp_picture *p, const char *label, const void *bytes, size_t length, int wanted) {
  *p = (cp_picture){.bytes = bytes, .length = length, .label = label, .wanted = wanted};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (length >= others[k].length && memcmp(bytes, others[k].begin, others[k].length) == 0)
      return cp_fail(CP_EIO, "%s is a picture of the format %s; read are PNG, JPEG, BMP, TGA and PNM", label,
                     others[k].name);
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    if (!formats[k]->matches(bytes, length)) continue;
    p->format = formats[k];
    CP_TRY(p->format->open(p));
    if (p->space == 0) p->space = (size_t)(p->width * p->height * p->channels * p->depth);
    return CP_OK;
  }
  return cp_fail(CP_EIO, "%s is no picture that is known (PNG, JPEG, BMP, TGA, PNM)", label);
}

cp_status cp_picture_decode(const cp_picture *p, void *pixels) { return p->format->decode(p, pixels); }
