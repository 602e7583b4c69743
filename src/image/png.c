// Reads PNG by libpng, declared by hand: the functions of version 1.6 have not changed since 2013, and libpng
// checks the version that its callers state. It reports errors by a function that must not return. Ours calls
// longjmp, which skips only frames of libpng, as libpng intends. Its simplified interface avoids this, but
// takes 16-bit samples for linear light and converts them.
#include "host/library.h"
#include "image/picture.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

typedef struct png png;   // png_struct
typedef struct info info; // png_info
typedef void complain(png *p, const char *fact);
typedef void take(png *p, unsigned char *to, size_t count);

// F(field, name after png_, result, arguments)
// clang-format off
#define FUNCTIONS(F) \
  F(version, get_libpng_ver, const char *, (const png *p)) \
  F(create, create_read_struct, png *, (const char *version, void *user, complain *error, complain *warn)) \
  F(create_info, create_info_struct, info *, (png *p)) \
  F(destroy, destroy_read_struct, void, (png **p, info **i, info **end)) \
  F(error_user, get_error_ptr, void *, (const png *p)) \
  F(set_read, set_read_fn, void, (png *p, void *user, take *read)) \
  F(read_user, get_io_ptr, void *, (const png *p)) \
  F(error, error, void, (const png *p, const char *fact)) \
  F(set_limits, set_user_limits, void, (png *p, uint32_t width, uint32_t height)) \
  F(read_info, read_info, void, (png *p, info *i)) \
  F(expand, set_expand, void, (png *p)) \
  F(swap, set_swap, void, (png *p)) \
  F(passes, set_interlace_handling, int, (png *p)) \
  F(update, read_update_info, void, (png *p, info *i)) \
  F(width, get_image_width, uint32_t, (const png *p, const info *i)) \
  F(height, get_image_height, uint32_t, (const png *p, const info *i)) \
  F(channels, get_channels, unsigned char, (const png *p, const info *i)) \
  F(bits, get_bit_depth, unsigned char, (const png *p, const info *i)) \
  F(row_bytes, get_rowbytes, size_t, (const png *p, const info *i)) \
  F(read_row, read_row, void, (png *p, unsigned char *row, unsigned char *display)) \
  F(read_end, read_end, void, (png *p, info *i))
// clang-format on

typedef struct functions {
#define FIELD(field, name, result, arguments) result(*field) arguments;
  FUNCTIONS(FIELD)
#undef FIELD
  void (*keep)(png *p, int keep, const unsigned char *chunks, int count);
} functions;

static functions f;

static const cp_symbol symbols[] = {
#define SYMBOL(field, name, result, arguments) {"png_" #name, offsetof(functions, field), false},
    FUNCTIONS(SYMBOL)
#undef SYMBOL
        {"png_set_keep_unknown_chunks", offsetof(functions, keep), true},
};

static cp_library library = {
    .title = "libpng, which PNG pictures need,",
    .names = CP_LIST("libpng16.so.16"),
    .folders = CP_LIST("/usr/lib/" CP_MULTIARCH, "/usr/lib64", "/usr/local/lib"),
    .hint = "install it (Debian 12: libpng16-16; later ones and Ubuntu: libpng16-16t64)",
    .outdated = "libpng 1.6 is needed",
    .kind = CP_EIO,
    CP_FILLS(&f, symbols),
};

// ---- calls of libpng, any of which may jump to `failed` ----

typedef struct reading {
  jmp_buf failed;
  png *p;
  info *i;
  const unsigned char *at, *end;
  size_t packed; // bytes per row in the file
  char *pixels;
  char fact[128];
  cp_context *ctx;
  cp_status ended; // the status of an interrupt through ctx
} reading;

static void leave(png *p, const char *fact) {
  reading *r = f.error_user(p);
  snprintf(r->fact, sizeof r->fact, "%s", fact);
  longjmp(r->failed, 1);
}

static void ignore(png *p, const char *fact) {
  (void)p;
  (void)fact;
}

static void read_bytes(png *p, unsigned char *to, size_t count) {
  reading *r = f.read_user(p);
  if (count > (size_t)(r->end - r->at)) f.error(p, "it is truncated");
  memcpy(to, r->at, count);
  r->at += count;
}

// Reads the header, and sets how samples are converted: 8 or 16 bits in the host's byte order, palettes to
// colours, transparency to alpha.
static void read_header(reading *r) {
  static const uint16_t one = 1;
  f.set_read(r->p, r, read_bytes);
  f.set_limits(r->p, CP_PICTURE_SIDE, CP_PICTURE_SIDE);
  if (f.keep != NULL) f.keep(r->p, 1, NULL, -1); // skips texts, profiles and the like
  f.read_info(r->p, r->i);
  r->packed = f.row_bytes(r->p, r->i);
  f.expand(r->p);
  if (f.bits(r->p, r->i) == 16 && *(const unsigned char *)&one == 1) f.swap(r->p);
}

static void read_pixels(reading *r) {
  read_header(r);
  int passes = f.passes(r->p);
  f.update(r->p, r->i);
  size_t row = f.row_bytes(r->p, r->i);
  uint32_t height = f.height(r->p, r->i);
  for (int pass = 0; pass < passes; pass++) {
    for (uint32_t y = 0; y < height; y++) {
      f.read_row(r->p, (unsigned char *)r->pixels + row * y, NULL);
      r->ended = cp_poll(r->ctx);
      if (r->ended != CP_OK) return;
    }
  }
  f.read_end(r->p, NULL);
}

static void read_layout(reading *r) {
  read_header(r);
  f.update(r->p, r->i);
}

// Runs `work`. False if it jumped out; r->fact is the reason.
static bool run(reading *r, void (*work)(reading *r)) {
  if (setjmp(r->failed)) return false;
  work(r);
  return true;
}

// ---- the format ----

// Starts reading p's file and runs `work`. The caller must end with f.destroy, also after a failure.
static cp_status start(const cp_picture *p, reading *r, void (*work)(reading *r)) {
  r->at = p->bytes;
  r->end = p->bytes + p->length;
  r->p = f.create(f.version(NULL), r, leave, ignore);
  if (r->p != NULL) r->i = f.create_info(r->p);
  if (r->i == NULL) return cp_fail(CP_EMEMORY, "libpng ran out of memory while reading %s", p->label);
  return run(r, work) ? r->ended : cp_picture_damaged(p, r->fact);
}

static cp_status take_layout(cp_picture *p, reading *r) {
  CP_TRY(start(p, r, read_layout));
  CP_TRY(cp_picture_sides(p, f.width(r->p, r->i), f.height(r->p, r->i)));
  p->channels = f.channels(r->p, r->i);
  p->depth = f.bits(r->p, r->i) / 8;
  // deflate makes at most 1032 bytes of one
  return cp_picture_holds(p, 0, (r->packed + 1) * (uint64_t)p->height / 1032);
}

static bool png_matches(const unsigned char *bytes, size_t length) {
  return length >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static cp_status png_open(cp_picture *p) {
  reading r = {.p = NULL};
  CP_TRY(cp_open_library(&library));
  cp_status status = take_layout(p, &r);
  f.destroy(&r.p, &r.i, NULL);
  return status;
}

static cp_status png_decode(const cp_picture *p, void *pixels) {
  reading r = {.pixels = pixels, .ctx = p->ctx};
  CP_TRY(cp_open_library(&library));
  cp_status status = start(p, &r, read_pixels);
  f.destroy(&r.p, &r.i, NULL);
  return status;
}

const cp_picture_format cp_png = {png_matches, png_open, png_decode};
