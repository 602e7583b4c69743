// Conversion of elements to unsigned sort keys (order.h) and sorting of keys with vector instructions: the
// tables that src/cpu/loops/keys.c is compiled into, one per instruction level.
#ifndef CP_CPU_LOOPS_KEYS_H
#define CP_CPU_LOOPS_KEYS_H

#include "cpu/loops/order.h"

#include <stddef.h>

// Places from `first` to `last`. After `levels` nested divisions heapsort sorts the rest.
typedef struct cp_wanted {
  size_t first, last;
  int levels;
} cp_wanted;

typedef struct cp_keys {
  // Convert n elements to keys and back, in place or not. Indexed by the logarithm of the element size.
  void (*encode[4])(const cp_key_ordering *o, void *keys, const void *elements, size_t n);
  void (*decode[4])(const cp_key_ordering *o, void *elements, const void *keys, size_t n);
  // Sort n elements, not stably, from one array into another or in place. With o == NULL they sort keys, in
  // place. Only the wanted places need to hold what they hold after a sort. NULL: this instruction level has
  // no such function.
  void (*sort32)(const cp_key_ordering *o, void *sorted, const void *elements, size_t n,
                 const cp_wanted *wanted);
  void (*sort64)(const cp_key_ordering *o, void *sorted, const void *elements, size_t n,
                 const cp_wanted *wanted);
  // Copy n keys to another array, those below the pivot, or with `same` not above it, first; return how many
  // these are. NULL likewise.
  int64_t (*split32)(const void *keys, void *parted, int64_t n, uint64_t pivot, bool same);
  int64_t (*split64)(const void *keys, void *parted, int64_t n, uint64_t pivot, bool same);
  // The same for elements of 32 and of 64 bits, compared by their keys: copy the elements, or list their
  // positions, from 1, as int64.
  int64_t (*split_elements[2])(const cp_key_ordering *o, const void *elements, void *parted, int64_t n,
                               uint64_t pivot, bool same);
  int64_t (*split_places[2])(const cp_key_ordering *o, const void *elements, void *places, int64_t n,
                             uint64_t pivot, bool same);
} cp_keys;

// The table at this machine's level.
const cp_keys *cp_cpu_keys(void);

#endif
