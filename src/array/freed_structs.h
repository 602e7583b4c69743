// Takes and gives back the small structs that a context keeps for reuse (cp_freed_structs). A fast path,
// equal to malloc and free.
#ifndef CP_ARRAY_FREED_STRUCTS_H
#define CP_ARRAY_FREED_STRUCTS_H

#include "device/fast.h"

#include <stdlib.h>

// Prefetches the struct at this address, which may be freed, into the processor's cache: thousands of others
// may have been freed since it was last touched.
static inline void cp_struct_prefetch(uintptr_t address) {
  enum { LINE = 64, LINES = 3 };
  for (int k = 0; k < LINES; k++) __builtin_prefetch((const void *)(address + (uintptr_t)(k * LINE)), 1);
}

// Returns an uninitialized struct of `size` bytes; NULL when the host is out of memory.
static inline void *cp_struct_take(cp_freed_structs *freed, size_t size) {
  void *p = freed->first;
  if (p == NULL) return malloc(size);
  freed->first = *(void **)p;
  freed->count--;
  cp_struct_prefetch((uintptr_t)freed->first);
  return p;
}

// Frees the struct, or keeps it for reuse.
static inline void cp_struct_put(cp_context *ctx, cp_freed_structs *freed, void *p) {
  if (freed->count >= CP_MAX_FREED_STRUCTS || !cp_may_go_fast(ctx, CP_FAST_LISTS)) {
    free(p);
    return;
  }
  *(void **)p = freed->first;
  freed->first = p;
  freed->count++;
}

#endif
