// Numbers as short text.
#ifndef CP_LUA_FILES_SHORT_TEXT_H
#define CP_LUA_FILES_SHORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { CP_SHORT_TEXT = 32 }; // characters that a number may take

// Writes v as printf's %.*g does with the fewest digits, from 15 on (narrow: v is a float32, from 6 on), that
// read back as v. Returns the length, or 0 for numbers that arithmetic of this width does not decide; about
// one of twenty.
size_t cp_short_text(double v, bool narrow, char text[CP_SHORT_TEXT]);

#endif
