#include "host/zlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static cp_zlib table;
static bool usable;

// memcpy, because C has no cast from an object to a function pointer.
static bool find(void *library, const char *name, void *field, size_t size) {
  void *address = dlsym(library, name);
  if (address != NULL) memcpy(field, &address, size);
  return address != NULL;
}

static void open_once(void) {
  static const char *const names[] = {"libz.so.1", "libz.so", NULL};
  void *z = NULL;
  for (int k = 0; z == NULL && names[k] != NULL; k++) z = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
  if (z == NULL) return;
#define FIND(field, name) find(z, name, &table.field, sizeof table.field)
  usable = FIND(version, "zlibVersion") && FIND(deflate_init, "deflateInit2_") && FIND(deflate, "deflate") &&
           FIND(deflate_end, "deflateEnd") && FIND(inflate_init, "inflateInit2_") &&
           FIND(inflate, "inflate") && FIND(inflate_end, "inflateEnd") && FIND(crc32, "crc32");
#undef FIND
}

cp_status cp_zlib_open(const cp_zlib **out) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_once);
  *out = &table;
  return usable ? CP_OK
                : cp_fail(CP_EIO, "zlib (libz.so.1) could not be opened, which archives need; Debian and "
                                  "Ubuntu have it in zlib1g");
}
