// What NVRTC's stand-in (nvrtc.c) needs of compile.c.
#ifndef SPEC_COMPILE_H
#define SPEC_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

// Compiles a text with kernels for the host, into the folder that DRIVER_KERNELS names. expressions: the C++
// names of kernels that the text has by templates, up to NULL. Returns the path of the shared object, or NULL
// with a message in `log`.
char *driver_compile(const char *source, const char *const *expressions, char *log, size_t size);

#endif
