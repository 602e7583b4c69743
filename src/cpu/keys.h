// Elements as unsigned keys (order.h) and the sorting of keys in vectors, which src/cpu/keys.c is compiled into, one table per instruction level.
#ifndef CP_CPU_KEYS_H
#define CP_CPU_KEYS_H

#include "cpu/order.h"

#include <stddef.h>

typedef struct cp_keys {
  // The keys of n elements, and back, by the logarithm of their size; they may be in the same place.
  void (*encode[4])(const cp_ordering *o, void *keys, const void *elements, size_t n);
  void (*decode[4])(const cp_ordering *o, void *elements, const void *keys, size_t n);
  // Sort n keys in place, not stably. false: more than `levels` divisions lay within each other, and the keys are in some order. NULL: not at
  // this level.
  bool (*sort32)(void *keys, size_t n, int levels);
  bool (*sort64)(void *keys, size_t n, int levels);
} cp_keys;

// The table at the level of this machine.
const cp_keys *cp_cpu_keys(void);

#endif
