// A growing byte string. After a failed allocation, appends do nothing: check `failed` once at the end.
#ifndef CP_BASE_STRBUF_H
#define CP_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cp_strbuf {
  char *text; // NUL-terminated; NULL until something is appended
  size_t size, capacity;
  bool failed;
} cp_strbuf; // {0} is an empty one

void cp_strbuf_append(cp_strbuf *b, const void *bytes, size_t n);
void cp_strbuf_puts(cp_strbuf *b, const char *text);
void cp_strbuf_printf(cp_strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cp_strbuf_free(cp_strbuf *b);

#endif
