// Writes PNG with zlib. Each row uses the filter that gives the smallest numbers, and is compressed on the
// way to the file.
#include "host/zlib.h"
#include "image/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, NFILTERS = 5, ZLIB_FORMAT = 15 };

typedef struct writer {
  cp_context *ctx;
  cp_status ended; // the status of an interrupt through ctx
  FILE *file;
  const cp_zlib *z;
  cp_zstream stream;
  size_t row;              // bytes per row
  unsigned pixel;          // bytes per pixel
  unsigned char *filtered; // two rows: the best one so far, and another
  unsigned char piece[PIECE];
} writer;

static void put32(unsigned char *to, unsigned long v) {
  for (int k = 0; k < 4; k++) to[k] = (unsigned char)(v >> (24 - 8 * k));
}

static bool write_chunk(writer *w, const char *type, const unsigned char *bytes, size_t count) {
  unsigned char head[8], tail[4];
  put32(head, (unsigned long)count);
  memcpy(head + 4, type, 4);
  unsigned long crc = w->z->crc32(0, head + 4, 4);
  if (count > 0) crc = w->z->crc32(crc, bytes, (unsigned)count);
  put32(tail, crc);
  return fwrite(head, 1, 8, w->file) == 8 && fwrite(bytes, 1, count, w->file) == count &&
         fwrite(tail, 1, 4, w->file) == 4;
}

// ---- filters ----

static int paeth(int a, int b, int c) {
  int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// Filters row `x` into `to`; `up` is the row above it. Returns the sum of the absolute values.
static size_t filter_row(const writer *w, int filter, const unsigned char *x, const unsigned char *up,
                         unsigned char *to) {
  size_t sum = 0;
  to[0] = (unsigned char)filter;
  for (size_t k = 0; k < w->row; k++) {
    int a = k >= w->pixel ? x[k - w->pixel] : 0, b = up != NULL ? up[k] : 0;
    int c = k >= w->pixel && up != NULL ? up[k - w->pixel] : 0;
    int guess = filter == 0   ? 0
                : filter == 1 ? a
                : filter == 2 ? b
                : filter == 3 ? (a + b) / 2
                              : paeth(a, b, c);
    to[k + 1] = (unsigned char)(x[k] - guess);
    sum += (size_t)abs((signed char)to[k + 1]);
  }
  return sum;
}

static const unsigned char *best_filtered(writer *w, const unsigned char *x, const unsigned char *up) {
  unsigned char *best = w->filtered, *other = w->filtered + w->row + 1;
  size_t least = SIZE_MAX;
  for (int filter = 0; filter < NFILTERS; filter++) {
    size_t sum = filter_row(w, filter, x, up, other);
    if (sum >= least) continue;
    least = sum;
    unsigned char *was = best;
    best = other;
    other = was;
  }
  return best;
}

// ---- the file ----

static bool deflate_bytes(writer *w, const unsigned char *bytes, size_t count, int flush) {
  w->stream.next_in = bytes;
  w->stream.avail_in = (unsigned)count;
  do {
    w->stream.next_out = w->piece;
    w->stream.avail_out = PIECE;
    w->z->deflate(&w->stream, flush); // cannot fail, as its arguments are valid
    size_t made = PIECE - w->stream.avail_out;
    if (made > 0 && !write_chunk(w, "IDAT", w->piece, made)) return false;
  } while (w->stream.avail_out == 0);
  return true;
}

static bool write_rows(writer *w, const cp_pixels *p) {
  const unsigned char *row = p->samples;
  for (int64_t y = 0; y < p->height; y++, row += w->row) {
    w->ended = cp_poll(w->ctx);
    if (w->ended != CP_OK) return false;
    const unsigned char *filtered = best_filtered(w, row, y > 0 ? row - w->row : NULL);
    if (!deflate_bytes(w, filtered, w->row + 1, CP_Z_NO_FLUSH)) return false;
  }
  return deflate_bytes(w, NULL, 0, CP_Z_FINISH);
}

static bool write_all(writer *w, const cp_pixels *p) {
  static const unsigned char kinds[] = {0, 4, 2, 6}; // by number of channels
  unsigned char header[13] = {[8] = 8, [9] = kinds[p->channels - 1]};
  put32(header, (unsigned long)p->width);
  put32(header + 4, (unsigned long)p->height);
  return fwrite("\x89PNG\r\n\x1a\n", 1, 8, w->file) == 8 && write_chunk(w, "IHDR", header, sizeof header) &&
         write_rows(w, p) && write_chunk(w, "IEND", header, 0);
}

static cp_status start(writer *w, FILE *file, const cp_pixels *p) {
  w->file = file;
  w->pixel = (unsigned)p->channels;
  w->row = (size_t)p->width * (size_t)p->channels;
  w->stream = (cp_zstream){.next_in = NULL};
  CP_TRY(cp_zlib_open(&w->z));
  int size = (int)sizeof w->stream;
  if (w->z->deflate_init(&w->stream, -1, CP_Z_DEFLATED, ZLIB_FORMAT, 8, 0, w->z->version(), size) != CP_Z_OK)
    return cp_fail(CP_EMEMORY, "zlib ran out of memory");
  w->filtered = malloc(2 * (w->row + 1));
  if (w->filtered != NULL) return CP_OK;
  w->z->deflate_end(&w->stream);
  return cp_fail(CP_EMEMORY, "out of memory for two rows of pixels");
}

cp_status cp_write_png(cp_context *ctx, FILE *file, const cp_pixels *pixels) {
  writer *w = malloc(sizeof *w);
  if (w == NULL) return cp_fail(CP_EMEMORY, "out of memory while writing an image");
  w->ctx = ctx;
  w->ended = CP_OK;
  cp_status status = start(w, file, pixels);
  if (status == CP_OK) {
    if (!write_all(w, pixels)) status = w->ended != CP_OK ? w->ended : cp_fail(CP_EIO, "%s", strerror(errno));
    w->z->deflate_end(&w->stream);
    free(w->filtered);
  }
  free(w);
  return status;
}
