// Reads JPEG by libjpeg-turbo's TurboJPEG interface, which reports errors by return values.
#include "host/library.h"
#include "image/picture.h"

#include <string.h>

typedef void *decoder;
enum { TO_RGB = 0, TO_GREY = 6, TO_RGBA = 7, TO_CMYK = 11 }; // TJPF
enum { OF_GREY = 2, OF_CMYK = 3, OF_YCCK = 4 };              // TJCS
enum { STOP_ON_WARNING = 8192, LIMIT_SCANS = 32768 };        // TJFLAG

static struct functions {
  decoder (*create)(void);
  int (*destroy)(decoder d);
  int (*header)(decoder d, const unsigned char *bytes, unsigned long length, int *width, int *height,
                int *subsampling, int *colours);
  int (*decompress)(decoder d, const unsigned char *bytes, unsigned long length, unsigned char *to, int width,
                    int pitch, int height, int format, int flags);
  char *(*error)(decoder d);
} f;

static const cp_symbol symbols[] = {
    {"tjInitDecompress", offsetof(struct functions, create), false},
    {"tjDestroy", offsetof(struct functions, destroy), false},
    {"tjDecompressHeader3", offsetof(struct functions, header), false},
    {"tjDecompress2", offsetof(struct functions, decompress), false},
    {"tjGetErrorStr2", offsetof(struct functions, error), false},
};

static cp_library library = {
    .title = "libjpeg-turbo, which JPEG pictures need,",
    .names = CP_LIST("libturbojpeg.so.0"),
    .folders = CP_LIST("/usr/lib/" CP_MULTIARCH, "/usr/lib64", "/usr/local/lib", "/opt/libjpeg-turbo/lib64"),
    .hint = "install it (Debian: libturbojpeg0; Ubuntu: libturbojpeg)",
    .outdated = "libjpeg-turbo 2 is needed",
    .kind = CP_EIO,
    CP_FILLS(&f, symbols),
};

// ---- what TurboJPEG does not report ----

typedef struct markers {
  bool adobe;      // then CMYK is stored inverted
  bool arithmetic; // arithmetic coding, for which no least size of a block is known
} markers;

// Reads the segments before the first scan.
static markers read_markers(const cp_picture *p) {
  markers m = {false, false};
  for (size_t at = 2; p->length >= 4 && at <= p->length - 4;) {
    const unsigned char *b = p->bytes + at;
    unsigned kind = b[1], size = cp_be16(b + 2);
    if (b[0] != 0xff || kind == 0xda) break;
    if (kind == 0xff) { // fill bytes before a marker
      at++;
      continue;
    }
    bool frame = kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc;
    if (frame && kind > 0xc8) m.arithmetic = true;
    if (kind == 0xee && p->length - at >= 9 && memcmp(b + 4, "Adobe", 5) == 0) m.adobe = true;
    at += 2 + (size_t)size;
  }
  return m;
}

// True if the file has its end marker, which decoders invent where it is missing. More bytes may follow it.
static bool has_end(const cp_picture *p) {
  size_t from = p->length > 65536 ? p->length - 65536 : 0;
  for (size_t k = p->length; k >= from + 2; k--)
    if (p->bytes[k - 2] == 0xff && p->bytes[k - 1] == 0xd9) return true;
  return false;
}

// ---- the format ----

static bool jpeg_matches(const unsigned char *bytes, size_t length) {
  return length >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
}

// Reads the header. *colours becomes TurboJPEG's number of the pixel format to decode to.
static cp_status read_header(cp_picture *p, decoder d, int *colours) {
  int width = 0, height = 0, subsampling;
  int failed = f.header(d, p->bytes, p->length, &width, &height, &subsampling, colours);
  // it also fails if it has no name for the subsampling, which does not matter here
  if (failed && (width <= 0 || height <= 0)) return cp_picture_damaged(p, f.error(d));
  return cp_picture_sides(p, (uint64_t)width, (uint64_t)height);
}

static cp_status read_layout(cp_picture *p, decoder d) {
  int colours = OF_GREY;
  if (!has_end(p)) return cp_fail(CP_EIO, "%s is truncated: a JPEG file without its end", p->label);
  CP_TRY(read_header(p, d, &colours));
  bool inks = colours == OF_CMYK || colours == OF_YCCK;
  p->depth = 1;
  p->channels = colours == OF_GREY                            ? 1
                : !inks && (p->wanted == 1 || p->wanted == 2) ? 1 // the luminance as it is stored
                : !inks && p->wanted == 4                     ? 4
                                                              : 3;
  uint64_t pixels = (uint64_t)p->width * (uint64_t)p->height;
  p->space = (size_t)pixels * (inks ? 4 : (size_t)p->channels);
  // Huffman codes take at least one bit for each block of 64 samples
  return read_markers(p).arithmetic ? CP_OK : cp_picture_holds(p, 0, pixels / 512);
}

static cp_status jpeg_open(cp_picture *p) {
  CP_TRY(cp_open_library(&library));
  decoder d = f.create();
  if (d == NULL) return cp_fail(CP_EMEMORY, "libjpeg-turbo ran out of memory while reading %s", p->label);
  cp_status status = read_layout(p, d);
  f.destroy(d);
  return status;
}

// True for warnings that mean no loss. Others mean that libjpeg invented samples.
static bool is_harmless(const char *warning) {
  return strstr(warning, "extraneous bytes before marker") != NULL ||
         strstr(warning, "unknown JFIF") != NULL || strstr(warning, "Unknown Adobe") != NULL;
}

// Decodes strictly. If that stops at a harmless warning, decodes once more and ignores such warnings.
static cp_status decompress(const cp_picture *p, decoder d, void *to, int format, int samples) {
  int width = (int)p->width, height = (int)p->height, pitch = width * samples;
  for (int flags = LIMIT_SCANS | STOP_ON_WARNING;; flags = LIMIT_SCANS) {
    if (f.decompress(d, p->bytes, p->length, to, width, pitch, height, format, flags) == 0) return CP_OK;
    if (!is_harmless(f.error(d))) return cp_picture_damaged(p, f.error(d));
    if (flags == LIMIT_SCANS) return CP_OK;
  }
}

// Converts four inks to three colours, in place. Adobe's programs store the complements of the inks.
static void mix_inks(unsigned char *pixels, size_t count, bool complements) {
  unsigned flip = complements ? 0 : 255;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *inks = pixels + 4 * i;
    unsigned black = inks[3] ^ flip;
    for (size_t c = 0; c < 3; c++)
      pixels[3 * i + c] = (unsigned char)cp_rescale((inks[c] ^ flip) * black, 255, 1);
  }
}

static cp_status jpeg_decode(const cp_picture *p, void *pixels) {
  size_t count = (size_t)p->width * (size_t)p->height;
  bool inks = p->space > count * (size_t)p->channels;
  int format = inks ? TO_CMYK : p->channels == 1 ? TO_GREY : p->channels == 4 ? TO_RGBA : TO_RGB;
  CP_TRY(cp_open_library(&library));
  decoder d = f.create();
  if (d == NULL) return cp_fail(CP_EMEMORY, "libjpeg-turbo ran out of memory while reading %s", p->label);
  cp_status status = decompress(p, d, pixels, format, inks ? 4 : p->channels);
  f.destroy(d);
  if (status == CP_OK && inks) mix_inks(pixels, count, read_markers(p).adobe);
  return status;
}

const cp_picture_format cp_jpeg = {jpeg_matches, jpeg_open, jpeg_decode};
