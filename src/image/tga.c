// TGA: grey, true colour and palettes, plain or run-length encoded. The format has no signature, so it is
// tried last.
#include "image/picture.h"

typedef struct header {
  int kind;                // 1 palette, 2 true colour, 3 grey
  bool runs, down, left;   // run-length encoded; first row is the top one; rows go from right to left
  unsigned entry, sample;  // bytes per palette entry and per pixel
  unsigned first, colours; // of the palette
  uint64_t palette, data;  // offsets
  unsigned width, height;
} header;

static header read_header(const unsigned char *b) {
  header h = {.kind = b[2] & 7,
              .runs = (b[2] & 8) != 0,
              .down = (b[17] & 32) != 0,
              .left = (b[17] & 16) != 0,
              .entry = (b[7] + 7u) / 8,
              .sample = (b[16] + 7u) / 8,
              .first = cp_le16(b + 3),
              .colours = b[1] == 1 ? cp_le16(b + 5) : 0,
              .palette = 18 + (uint64_t)b[0],
              .width = cp_le16(b + 12),
              .height = cp_le16(b + 14)};
  h.data = h.palette + (uint64_t)h.colours * h.entry;
  return h;
}

static bool is_colour_size(unsigned bits) { return bits == 15 || bits == 16 || bits == 24 || bits == 32; }

// True if the bytes can be a header.
static bool tga_matches(const unsigned char *b, size_t length) {
  if (length < 18 || b[1] > 1 || (b[17] & 0xc0) != 0) return false;
  header h = read_header(b);
  if (h.width == 0 || h.height == 0) return false;
  switch (b[2]) {
  case 1:
  case 9: return b[1] == 1 && h.colours > 0 && is_colour_size(b[7]) && (b[16] == 8 || b[16] == 16);
  case 2:
  case 10: return is_colour_size(b[16]);
  case 3:
  case 11: return b[16] == 8 || b[16] == 16;
  default: return false;
  }
}

static int channels_of(const header *h) {
  if (h->kind == 3) return (int)h->sample; // 16 bits: grey and alpha
  return (h->kind == 1 ? h->entry : h->sample) == 4 ? 4 : 3;
}

static cp_status tga_open(cp_picture *p) {
  header h = read_header(p->bytes);
  CP_TRY(cp_picture_sides(p, h.width, h.height));
  p->channels = channels_of(&h);
  p->depth = 1;
  uint64_t pixels = (uint64_t)h.width * h.height;
  return cp_picture_holds(p, h.data, h.runs ? (pixels + 127) / 128 * (1 + h.sample) : pixels * h.sample);
}

// Converts the colour of `size` bytes at `b` to RGB or RGBA.
static void read_colour(const unsigned char *b, unsigned size, unsigned char *to) {
  if (size == 2) {
    unsigned v = cp_le16(b);
    for (unsigned c = 0; c < 3; c++) to[c] = (unsigned char)cp_rescale(v >> (10 - 5 * c) & 31, 31, 255);
    return;
  }
  for (unsigned c = 0; c < 3; c++) to[c] = b[2 - c];
  if (size == 4) to[3] = b[3];
}

// Converts the pixel at `b`. False if the palette has no such colour.
static bool read_pixel(const cp_picture *p, const header *h, const unsigned char *b, unsigned char *to) {
  if (h->kind == 3) {
    for (unsigned c = 0; c < h->sample; c++) to[c] = b[c];
    return true;
  }
  if (h->kind == 2) {
    read_colour(b, h->sample, to);
    return true;
  }
  unsigned index = h->sample == 2 ? cp_le16(b) : b[0];
  if (index < h->first || index - h->first >= h->colours) return false;
  read_colour(p->bytes + h->palette + (uint64_t)(index - h->first) * h->entry, h->entry, to);
  return true;
}

// Where pixel number k of the file goes.
static unsigned char *place_of(const cp_picture *p, const header *h, unsigned char *pixels, uint64_t k) {
  uint64_t y = k / h->width, x = k % h->width;
  if (!h->down) y = h->height - 1 - y;
  if (h->left) x = h->width - 1 - x;
  return pixels + (y * h->width + x) * (unsigned)p->channels;
}

static cp_status tga_decode(const cp_picture *p, void *pixels) {
  header h = read_header(p->bytes);
  const unsigned char *at = p->bytes + h.data, *end = p->bytes + p->length;
  uint64_t count = (uint64_t)h.width * h.height;
  unsigned left = 0; // pixels left in the packet
  bool repeats = false;
  for (uint64_t k = 0; k < count; k++) {
    if (h.runs && left == 0) {
      if (at == end) return cp_picture_cut(p);
      repeats = (*at & 128) != 0;
      left = (*at++ & 127) + 1u;
    }
    if ((size_t)(end - at) < h.sample) return cp_picture_cut(p);
    if (!read_pixel(p, &h, at, place_of(p, &h, pixels, k)))
      return cp_picture_damaged(p, "a pixel has a colour that the palette lacks");
    if (h.runs) left--;
    if (!repeats || left == 0) at += h.sample;
  }
  return CP_OK;
}

const cp_picture_format cp_tga = {tga_matches, tga_open, tga_decode};
