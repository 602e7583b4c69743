// Checks that all picture formats share: limits of the sides, and errors for damaged files.
#include "image/picture.h"

cp_status cp_picture_sides(cp_picture *p, uint64_t width, uint64_t height) {
  if (width == 0 || height == 0) return cp_picture_damaged(p, "it has no pixels");
  if (width > CP_PICTURE_SIDE || height > CP_PICTURE_SIDE || width * height > CP_PICTURE_PIXELS)
    return cp_fail(
        CP_EIO, "%s is too large: %llu x %llu pixels; a side may have at most %d, the whole image %d",
        p->label, (unsigned long long)width, (unsigned long long)height, CP_PICTURE_SIDE, CP_PICTURE_PIXELS);
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
  return cp_fail(CP_EIO, "%s is truncated: its %zu bytes cannot hold what its header says", p->label,
                 p->length);
}
