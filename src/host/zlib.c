// Opening zlib (zlib.h).
#include "host/zlib.h"

#include "host/library.h"

static cp_zlib table;

static const cp_symbol symbols[] = {
    {"zlibVersion", offsetof(cp_zlib, version), false},
    {"deflateInit2_", offsetof(cp_zlib, deflate_init), false},
    {"deflate", offsetof(cp_zlib, deflate), false},
    {"deflateEnd", offsetof(cp_zlib, deflate_end), false},
    {"inflateInit2_", offsetof(cp_zlib, inflate_init), false},
    {"inflate", offsetof(cp_zlib, inflate), false},
    {"inflateEnd", offsetof(cp_zlib, inflate_end), false},
    {"crc32", offsetof(cp_zlib, crc32), false},
};

static cp_library library = {
    .title = "zlib, which archives and PNG files need,",
    .names = CP_LIST("libz.so.1", "libz.so"),
    .folders = CP_LIST("/usr/lib/" CP_MULTIARCH, "/lib/" CP_MULTIARCH, "/usr/lib64", "/usr/local/lib"),
    .hint = "install it (Debian and Ubuntu: zlib1g)",
    .outdated = "zlib 1.2 is needed",
    .kind = CP_EIO,
    CP_FILLS(&table, symbols),
};

cp_status cp_zlib_open(const cp_zlib **out) {
  *out = &table;
  return cp_open_library(&library);
}
