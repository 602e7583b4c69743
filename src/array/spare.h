// Taking and giving the small structs that a context keeps for reuse (cp_spare).
#ifndef CP_ARRAY_SPARE_H
#define CP_ARRAY_SPARE_H

#include "device/device.h"

#include <stdlib.h>

// Fetches the struct that is at this address, or was, to the processor's cache: thousands may have died since it was touched. Nothing is read.
static inline void cp_spare_warm(uintptr_t address) {
  enum { LINE = 64, LINES = 3 };
  for (int k = 0; k < LINES; k++) __builtin_prefetch((const void *)(address + (uintptr_t)(k * LINE)), 1);
}

// A struct of `size` bytes, contents undefined; NULL when the host is out of memory.
static inline void *cp_spare_take(cp_spare *spare, size_t size) {
  void *p = spare->first;
  if (p == NULL) return malloc(size);
  spare->first = *(void **)p;
  spare->count--;
  cp_spare_warm((uintptr_t)spare->first);
  return p;
}

static inline void cp_spare_give(cp_context *ctx, cp_spare *spare, void *p) {
  if (ctx->closed || spare->count >= CP_MAX_SPARE) {
    free(p);
    return;
  }
  *(void **)p = spare->first;
  spare->first = p;
  spare->count++;
}

#endif
