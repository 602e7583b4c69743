/* Files of the repository that travel inside the module as text: the Lua side (lua/cupola) and the kernel texts
 * (kernels/: the table of operations, preludes, templates). The table is written by cmake/embed.cmake, in the order
 * of the names (byte order). Texts are NUL-terminated; `size` does not count the NUL. */
#ifndef CUPOLA_LUA_EMBEDDED_H
#define CUPOLA_LUA_EMBEDDED_H

#include <stddef.h>

struct cp_embedded {
  const char *name; /* path in the repository: "lua/cupola/init.lua", "kernels/prelude/float32.h" */
  const char *text;
  size_t size;
};

/* cp_embedded_count entries, then one whose name is NULL. */
extern const struct cp_embedded cp_embedded_files[];
extern const size_t cp_embedded_count;

#endif
