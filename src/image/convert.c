// Converts a picture's samples to other channels and another depth.
#include "image/picture.h"

typedef struct pixel {
  unsigned grey, colour[3], alpha;
} pixel;

static inline unsigned load(const void *from, size_t k, int depth) {
  return depth == 1 ? ((const uint8_t *)from)[k] : ((const uint16_t *)from)[k];
}

static inline void store(void *to, size_t k, int depth, unsigned v, int was) {
  if (depth == 1)
    ((uint8_t *)to)[k] = (uint8_t)(was == 1 ? v : v >> 8);
  else
    ((uint16_t *)to)[k] = (uint16_t)(was == 2 ? v : v * 257);
}

// Reads the pixel whose samples start at index k.
static inline pixel read_pixel(const void *from, size_t k, int channels, int depth) {
  pixel p = {.alpha = depth == 1 ? 255 : 65535};
  if (channels < 3) {
    p.grey = p.colour[0] = p.colour[1] = p.colour[2] = load(from, k, depth);
  } else {
    for (size_t c = 0; c < 3; c++) p.colour[c] = load(from, k + c, depth);
    p.grey = (p.colour[0] * 77 + p.colour[1] * 150 + p.colour[2] * 29) >> 8;
  }
  if (channels == 2 || channels == 4) p.alpha = load(from, k + (size_t)channels - 1, depth);
  return p;
}

void cp_picture_convert(const void *from, int channels, int depth, void *to, int to_channels, int to_depth,
                        size_t count) {
  for (size_t i = 0, k = 0, j = 0; i < count; i++, k += (size_t)channels) {
    pixel p = read_pixel(from, k, channels, depth);
    if (to_channels < 3) store(to, j++, to_depth, p.grey, depth);
    for (int c = 0; c < 3 && to_channels >= 3; c++) store(to, j++, to_depth, p.colour[c], depth);
    if (to_channels == 2 || to_channels == 4) store(to, j++, to_depth, p.alpha, depth);
  }
}
