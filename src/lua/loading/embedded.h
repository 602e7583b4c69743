/* Files of the repository that the module contains as text: the Lua side (lua/cupola) and the kernel sources
* (kernels/: the table of operations, preludes, templates). cmake/embed.cmake writes the table, sorted by name
* in byte order. Texts end with a NUL, which `size` does not count. */
#ifndef CUPOLA_LUA_EMBEDDED_H
#define CUPOLA_LUA_EMBEDDED_H

#include <stddef.h>

struct cp_embedded {
  const char *name; /* its path in the repository: "lua/cupola/init.lua", "kernels/prelude/float32.h" */
  const char *text;
  size_t size;
};

/* cp_embedded_count entries, followed by one whose name is NULL. */
extern const struct cp_embedded cp_embedded_files[];
extern const size_t cp_embedded_count;

#endif
