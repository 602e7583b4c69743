// PNM: plain and raw PBM, PGM and PPM (P1 to P6), and PAM (P7), with samples of up to 16 bits.
#include "image/picture.h"

#include <string.h>

typedef struct cursor {
  const unsigned char *at, *end;
} cursor;

typedef struct header {
  int kind; // the digit after P
  uint32_t width, height, channels, max;
  cursor data;
} header;

static bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_spaces(cursor *c) {
  while (c->at < c->end && (is_space(*c->at) || *c->at == '#')) {
    if (*c->at == '#')
      while (c->at < c->end && *c->at != '\n') c->at++;
    else
      c->at++;
  }
}

// Reads a number of up to nine digits; false if there is none.
static bool read_number(cursor *c, uint32_t *out) {
  skip_spaces(c);
  const unsigned char *from = c->at;
  for (*out = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - from < 10; c->at++)
    *out = *out * 10 + (*c->at - (unsigned)'0');
  return c->at > from && c->at - from < 10;
}

// Reads the lines of a PAM header up to ENDHDR.
static bool read_pam(cursor *c, header *h) {
  const struct {
    const char *name;
    uint32_t *field;
  } known[] = {{"WIDTH", &h->width}, {"HEIGHT", &h->height}, {"DEPTH", &h->channels}, {"MAXVAL", &h->max}};
  for (;;) {
    skip_spaces(c);
    const unsigned char *word = c->at;
    while (c->at < c->end && !is_space(*c->at)) c->at++;
    size_t length = (size_t)(c->at - word);
    if (length == 0) return false;
    if (length == 6 && memcmp(word, "ENDHDR", 6) == 0) return true;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (strlen(known[k].name) == length && memcmp(word, known[k].name, length) == 0 &&
          !read_number(c, known[k].field))
        return false;
    // skips the rest of the line; TUPLTYPE, which describes the channels, is not needed
    while (c->at < c->end && *c->at != '\n') c->at++;
  }
}

static bool read_header(const cp_picture *p, header *h) {
  cursor c = {p->bytes + 2, p->bytes + p->length};
  *h = (header){.kind = p->bytes[1] - '0', .max = 1, .channels = 1};
  bool good = h->kind == 7 ? read_pam(&c, h)
                           : read_number(&c, &h->width) && read_number(&c, &h->height) &&
                                 (h->kind == 1 || h->kind == 4 || read_number(&c, &h->max));
  if (h->kind == 3 || h->kind == 6) h->channels = 3;
  if (!good || c.at == c.end || !is_space(*c.at)) return false;
  c.at++; // exactly one, as the next byte may look like another
  h->data = c;
  return true;
}

static bool pnm_matches(const unsigned char *bytes, size_t length) {
  return length >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7' &&
         (is_space(bytes[2]) || bytes[2] == '#');
}

static cp_status pnm_open(cp_picture *p) {
  header h;
  if (!read_header(p, &h)) return cp_picture_damaged(p, "its header is not whole");
  if (h.max < 1 || h.max > 65535) return cp_picture_damaged(p, "its maximum is not from 1 to 65535");
  if (h.channels < 1 || h.channels > 4) return cp_picture_damaged(p, "its depth is none of 1 to 4");
  CP_TRY(cp_picture_sides(p, h.width, h.height));
  p->channels = (int)h.channels;
  p->depth = h.max > 255 ? 2 : 1;
  uint64_t samples = (uint64_t)h.width * h.height * h.channels;
  uint64_t least = h.kind == 1   ? samples
                   : h.kind < 4  ? 2 * samples - 1
                   : h.kind == 4 ? (uint64_t)h.height * ((h.width + 7) / 8)
                                 : samples * (uint64_t)p->depth;
  return cp_picture_holds(p, (uint64_t)(h.data.at - p->bytes), least);
}

// ---- samples ----

static void store(const header *h, void *pixels, size_t k, uint32_t v) {
  if (h->max > 255)
    ((uint16_t *)pixels)[k] = cp_rescale(v, h->max, 65535);
  else
    ((uint8_t *)pixels)[k] = (uint8_t)cp_rescale(v, h->max, 255);
}

// A bitmap's digits need no spaces between them; 1 is black.
static bool read_bit(cursor *c, uint32_t *out) {
  skip_spaces(c);
  if (c->at == c->end || *c->at < '0' || *c->at > '1') return false;
  *out = *c->at++ == '0';
  return true;
}

static cp_status decode_plain(const cp_picture *p, header *h, void *pixels, size_t count) {
  for (size_t k = 0; k < count; k++) {
    uint32_t v;
    bool good = h->kind == 1 ? read_bit(&h->data, &v) : read_number(&h->data, &v);
    if (!good && h->data.at == h->data.end) return cp_picture_cut(p);
    if (!good || v > h->max) return cp_picture_damaged(p, "a sample is not a number or exceeds the maximum");
    store(h, pixels, k, v);
  }
  return CP_OK;
}

static cp_status decode_raw(const cp_picture *p, const header *h, void *pixels, size_t count) {
  const unsigned char *from = h->data.at;
  for (size_t k = 0; k < count; k++) {
    uint32_t v = h->max > 255 ? cp_be16(from + 2 * k) : from[k];
    if (v > h->max) return cp_picture_damaged(p, "a sample exceeds the maximum");
    store(h, pixels, k, v);
  }
  return CP_OK;
}

static void decode_bits(const header *h, unsigned char *pixels) {
  size_t width = h->width, row = (width + 7) / 8;
  for (size_t y = 0; y < h->height; y++)
    for (size_t x = 0; x < width; x++) *pixels++ = h->data.at[y * row + x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
}

static cp_status pnm_decode(const cp_picture *p, void *pixels) {
  header h;
  if (!read_header(p, &h)) return cp_picture_damaged(p, "its header is not whole");
  size_t count = (size_t)h.width * h.height * h.channels;
  if (h.kind < 4) return decode_plain(p, &h, pixels, count);
  if (h.kind > 4) return decode_raw(p, &h, pixels, count);
  decode_bits(&h, pixels);
  return CP_OK;
}

const cp_picture_format cp_pnm = {pnm_matches, pnm_open, pnm_decode};
