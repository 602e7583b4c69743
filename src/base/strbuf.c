// A growing byte string, doubled when full.
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Makes room for n more bytes and the final NUL.
static bool reserve(cp_strbuf *b, size_t n) {
  if (b->failed) return false;
  if (n < b->capacity - b->size && b->capacity > 0) return true;
  size_t capacity = b->capacity < 128 ? 256 : b->capacity;
  while (n >= capacity - b->size && capacity <= SIZE_MAX / 2) capacity *= 2;
  char *text = n < capacity - b->size ? realloc(b->text, capacity) : NULL;
  if (text == NULL) {
    b->failed = true;
    return false;
  }
  b->text = text;
  b->capacity = capacity;
  return true;
}

void cp_strbuf_append(cp_strbuf *b, const void *bytes, size_t n) {
  if (!reserve(b, n)) return;
  if (n > 0) memcpy(b->text + b->size, bytes, n);
  b->size += n;
  b->text[b->size] = '\0';
}

void cp_strbuf_puts(cp_strbuf *b, const char *text) { cp_strbuf_append(b, text, strlen(text)); }

void cp_strbuf_printf(cp_strbuf *b, const char *format, ...) {
  if (!reserve(b, 0)) return;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(b->text + b->size, b->capacity - b->size, format, args);
  va_end(args);
  if (n < 0) {
    b->failed = true;
  } else if ((size_t)n >= b->capacity - b->size && reserve(b, (size_t)n)) {
    vsnprintf(b->text + b->size, b->capacity - b->size, format, again);
  }
  va_end(again);
  if (b->failed)
    b->text[b->size] = '\0'; // reserve succeeded at least once, so there is room for it
  else
    b->size += (size_t)n;
}

void cp_strbuf_free(cp_strbuf *b) {
  free(b->text);
  *b = (cp_strbuf){0};
}
