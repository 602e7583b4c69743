// BMP of Windows and OS/2: palettes of 1 to 8 bits, plain or run-length encoded, and colours of 16 to 32
// bits, also with bit masks.
#include "image/picture.h"

#include <string.h>

enum { PLAIN, RUNS8, RUNS4, MASKS, ALPHA_MASKS = 6 }; // biCompression

typedef struct mask {
  unsigned shift;
  uint32_t max; // 0: there is no such channel
} mask;

typedef struct header {
  uint32_t info; // bytes of the second header; this length tells its version
  int64_t width, height;
  bool down; // the first row is the top one
  unsigned bits, compression;
  unsigned colours, entry;     // of the palette: number of colours, bytes of each
  uint64_t palette, data, row; // offsets of palette and pixels; bytes per row
  mask masks[4];               // red, green, blue, alpha
} header;

static bool bmp_matches(const unsigned char *bytes, size_t length) {
  return length >= 26 && bytes[0] == 'B' && bytes[1] == 'M';
}

// False if the bits of the mask are not contiguous.
static bool read_mask(uint32_t bits, mask *m) {
  *m = (mask){0, bits};
  if (bits == 0) return true;
  while ((m->max & 1) == 0) {
    m->max >>= 1;
    m->shift++;
  }
  return (m->max & (m->max + 1)) == 0;
}

static const char *read_masks(const cp_picture *p, header *h) {
  static const uint32_t default_masks[2][4] = {{0x7c00, 0x3e0, 0x1f, 0},
                                               {0xff0000, 0xff00, 0xff, 0xff000000}};
  bool given = h->compression == MASKS || h->compression == ALPHA_MASKS;
  bool with_alpha = h->compression == ALPHA_MASKS || h->info >= 56;
  if (h->bits != 16 && h->bits != 32) return given ? "its masks are for 16 or 32 bits only" : NULL;
  if (given && p->length < (with_alpha ? 70 : 66)) return "its header is not whole";
  for (size_t c = 0; c < 4; c++) {
    uint32_t bits = !given                  ? default_masks[h->bits == 32][c]
                    : c == 3 && !with_alpha ? 0
                                            : cp_le32(p->bytes + 54 + 4 * c);
    if (!read_mask(bits, &h->masks[c])) return "a mask of its colours has gaps";
  }
  return NULL;
}

static void read_sides(const unsigned char *b, header *h) {
  if (h->info == 12) { // OS/2 1
    h->width = cp_le16(b + 18);
    h->height = cp_le16(b + 20);
    h->bits = cp_le16(b + 24);
    h->entry = 3;
    return;
  }
  h->width = (int32_t)cp_le32(b + 18);
  h->height = (int32_t)cp_le32(b + 22);
  h->down = h->height < 0;
  if (h->down) h->height = -h->height;
  h->bits = cp_le16(b + 28);
  h->compression = cp_le32(b + 30);
  h->entry = 4;
}

static bool is_known(const header *h) {
  switch (h->compression) {
  case PLAIN:
    return h->bits <= 8 ? h->bits == 1 || h->bits == 2 || h->bits == 4 || h->bits == 8
                        : h->bits == 16 || h->bits == 24 || h->bits == 32;
  case RUNS8: return h->bits == 8 && !h->down;
  case RUNS4: return h->bits == 4 && !h->down;
  default: return h->compression == MASKS || h->compression == ALPHA_MASKS;
  }
}

// Reads as many colours as the palette has room for.
static void read_palette(const cp_picture *p, header *h) {
  uint32_t declared = h->info >= 40 ? cp_le32(p->bytes + 46) : 0;
  unsigned most = h->bits <= 8 ? 1u << h->bits : 0;
  uint64_t end = h->data < p->length ? h->data : p->length;
  h->palette = 14 + (uint64_t)h->info;
  uint64_t room = end > h->palette ? (end - h->palette) / h->entry : 0;
  h->colours = declared > 0 && declared < most ? declared : most;
  if (h->colours > room) h->colours = (unsigned)room;
}

// Returns NULL, or what is wrong.
static const char *read_header(const cp_picture *p, header *h) {
  const unsigned char *b = p->bytes;
  *h = (header){.info = cp_le32(b + 14), .data = cp_le32(b + 10)};
  if (h->info != 12 && (h->info < 40 || h->info > 1024)) return "its header is of no known length";
  if (p->length < 14 + (uint64_t)h->info) return "its header is not whole";
  read_sides(b, h);
  if (h->width < 0) return "its width is negative";
  if (!is_known(h)) return "it has a compression or number of bits that is not known";
  h->row = ((uint64_t)h->width * h->bits + 31) / 32 * 4;
  read_palette(p, h);
  return read_masks(p, h);
}

static cp_status bmp_open(cp_picture *p) {
  header h;
  const char *wrong = read_header(p, &h);
  if (wrong != NULL) return cp_picture_damaged(p, wrong);
  CP_TRY(cp_picture_sides(p, (uint64_t)h.width, (uint64_t)h.height));
  p->channels = h.masks[3].max > 0 ? 4 : 3;
  p->depth = 1;
  bool runs = h.compression == RUNS8 || h.compression == RUNS4;
  // four bytes can skip 255 x 255 pixels
  return cp_picture_holds(p, h.data,
                          runs ? (uint64_t)(h.width * h.height) / 16384 : h.row * (uint64_t)h.height);
}

// ---- pixels ----

static bool put_colour(const cp_picture *p, const header *h, unsigned index, unsigned char *to) {
  if (index >= h->colours) return false;
  const unsigned char *b = p->bytes + h->palette + (uint64_t)index * h->entry;
  for (unsigned c = 0; c < 3; c++) to[c] = b[2 - c];
  return true;
}

static void put_masked(const header *h, uint32_t v, int channels, unsigned char *to) {
  for (int c = 0; c < channels; c++) {
    const mask *m = &h->masks[c];
    to[c] = m->max > 0 ? (unsigned char)cp_rescale(v >> m->shift & m->max, m->max, 255) : 0;
  }
}

static bool put_pixel(const cp_picture *p, const header *h, const unsigned char *row, uint64_t x,
                      unsigned char *to) {
  if (h->bits <= 8) {
    unsigned per = 8 / h->bits, shift = (per - 1 - (unsigned)(x % per)) * h->bits;
    return put_colour(p, h, (unsigned)row[x / per] >> shift & ((1u << h->bits) - 1), to);
  }
  if (h->bits == 24)
    for (unsigned c = 0; c < 3; c++) to[c] = row[3 * x + 2 - c];
  else
    put_masked(h, h->bits == 16 ? cp_le16(row + 2 * x) : cp_le32(row + 4 * x), p->channels, to);
  return true;
}

static unsigned char *row_of(const cp_picture *p, const header *h, unsigned char *pixels, int64_t y) {
  return pixels + (h->down ? y : h->height - 1 - y) * h->width * p->channels;
}

// Many programs leave the fourth byte of 32 bits 0 but mean opaque colours.
static void mend_alpha(const header *h, unsigned char *pixels) {
  size_t count = (size_t)(h->width * h->height);
  if (h->compression != PLAIN) return;
  for (size_t k = 0; k < count; k++)
    if (pixels[4 * k + 3] != 0) return;
  for (size_t k = 0; k < count; k++) pixels[4 * k + 3] = 255;
}

static cp_status decode_rows(const cp_picture *p, const header *h, unsigned char *pixels) {
  for (int64_t y = 0; y < h->height; y++) {
    const unsigned char *row = p->bytes + h->data + (uint64_t)y * h->row;
    unsigned char *to = row_of(p, h, pixels, y);
    for (int64_t x = 0; x < h->width; x++, to += p->channels)
      if (!put_pixel(p, h, row, (uint64_t)x, to))
        return cp_picture_damaged(p, "a pixel has a colour that the palette lacks");
  }
  if (p->channels == 4) mend_alpha(h, pixels);
  return CP_OK;
}

// ---- runs ----

typedef struct place {
  const cp_picture *p;
  const header *h;
  unsigned char *pixels;
  int64_t x, y;
} place;

// Puts `count` pixels whose indices are in `b`: all of them, or for a run one (two with 4 bits) that repeats.
// Some programs pad rows to whole words, so pixels behind a row's end are skipped. False if one lies above
// the picture or outside its palette.
static bool put_run(place *at, const unsigned char *b, unsigned count, bool repeats) {
  const header *h = at->h;
  if (at->y >= h->height) return false;
  unsigned char *row = row_of(at->p, h, at->pixels, at->y);
  for (unsigned k = 0; k < count; k++, at->x++) {
    unsigned value = b[repeats ? 0 : h->bits == 8 ? k : k / 2];
    unsigned index = h->bits == 8 ? value : value >> (k % 2 ? 0 : 4) & 15;
    if (at->x < h->width && !put_colour(at->p, h, index, row + 3 * at->x)) return false;
  }
  return true;
}

// Bytes of `count` literal values, padded to 16-bit words.
static size_t size_of_values(const header *h, unsigned count) {
  return ((size_t)count * h->bits + 15) / 16 * 2;
}

static cp_status decode_runs(const cp_picture *p, const header *h, unsigned char *pixels) {
  const unsigned char *b = p->bytes + h->data, *end = p->bytes + p->length;
  place at = {p, h, pixels, 0, 0};
  for (size_t k = 0, count = (size_t)(h->width * h->height); k < count; k++)
    if (!put_colour(p, h, 0, pixels + 3 * k)) return cp_picture_damaged(p, "it has no palette");
  for (size_t used = 2;; b += used, used = 2) {
    if (end - b < 2) return cp_picture_cut(p);
    bool good = true;
    if (b[0] > 0) {
      good = put_run(&at, b + 1, b[0], true);
    } else if (b[1] == 0) {
      at.x = 0;
      at.y++;
    } else if (b[1] == 1) {
      return CP_OK;
    } else if (b[1] == 2) {
      if (end - b < 4) return cp_picture_cut(p);
      at.x += b[2];
      at.y += b[3];
      used = 4;
    } else {
      used = 2 + size_of_values(h, b[1]);
      if ((size_t)(end - b) < used) return cp_picture_cut(p);
      good = put_run(&at, b + 2, b[1], false);
    }
    if (!good) return cp_picture_damaged(p, "a run goes beyond the picture or its palette");
  }
}

static cp_status bmp_decode(const cp_picture *p, void *pixels) {
  header h;
  const char *wrong = read_header(p, &h);
  if (wrong != NULL) return cp_picture_damaged(p, wrong);
  bool runs = h.compression == RUNS8 || h.compression == RUNS4;
  return runs ? decode_runs(p, &h, pixels) : decode_rows(p, &h, pixels);
}

const cp_picture_format cp_bmp = {bmp_matches, bmp_open, bmp_decode};
