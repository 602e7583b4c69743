// Elements as unsigned keys (order.h) and the sorting of keys in vectors, which src/cpu/loops/keys.c is compiled into, one table per instruction level.
#ifndef CP_CPU_LOOPS_KEYS_H
#define CP_CPU_LOOPS_KEYS_H

#include "cpu/loops/order.h"

#include <stddef.h>

typedef struct cp_keys {
  // The keys of n elements, and back, by the logarithm of their size; they may be in the same place.
  void (*encode[4])(const cp_key_ordering *o, void *keys, const void *elements, size_t n);
  void (*decode[4])(const cp_key_ordering *o, void *elements, const void *keys, size_t n);
  // Sort n elements, not stably, from one place to another, or where they are; o NULL: keys, where they are. After so many levels of
  // divisions within each other heapsort does the rest. NULL: not at this level of instructions.
  void (*sort32)(const cp_key_ordering *o, void *sorted, const void *elements, size_t n, int levels);
  void (*sort64)(const cp_key_ordering *o, void *sorted, const void *elements, size_t n, int levels);
} cp_keys;

// The table at the level of this machine.
const cp_keys *cp_cpu_keys(void);

#endif
