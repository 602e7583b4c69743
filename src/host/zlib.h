// zlib, opened when it is first needed: the few functions that zip archives and PNG files use, declared by
// hand with the interface of zlib 1.2. zlib checks the version and the size of z_stream that its callers
// pass.
#ifndef CP_HOST_ZLIB_H
#define CP_HOST_ZLIB_H

#include "base/error.h"

#include <stddef.h>

typedef struct cp_zstream { // z_stream
  const unsigned char *next_in;
  unsigned avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *(*allocate)(void *, unsigned, unsigned);
  void (*release)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler, reserved;
} cp_zstream;

enum {
  CP_Z_NO_FLUSH = 0,
  CP_Z_FINISH = 4,
  CP_Z_OK = 0,
  CP_Z_STREAM_END = 1,
  CP_Z_BUF_ERROR = -5,
  CP_Z_DEFLATED = 8,
  CP_Z_RAW = -15, // window bits of raw streams without zlib's header, as in zip archives
  CP_Z_GZIP = 31  // of streams with gzip's header and checksum
};

typedef struct cp_zlib {
  const char *(*version)(void);
  int (*deflate_init)(cp_zstream *s, int level, int method, int window_bits, int memory_level, int strategy,
                      const char *version, int size);
  int (*deflate)(cp_zstream *s, int flush);
  int (*deflate_end)(cp_zstream *s);
  int (*inflate_init)(cp_zstream *s, int window_bits, const char *version, int size);
  int (*inflate)(cp_zstream *s, int flush);
  int (*inflate_end)(cp_zstream *s);
  unsigned long (*crc32)(unsigned long crc, const unsigned char *bytes, unsigned count);
} cp_zlib;

// Opens zlib; CP_EIO when it cannot be found.
cp_status cp_zlib_open(const cp_zlib **out);

#endif
