// A set of compiled kernels by kind and key, each with an image for every architecture it was compiled for:
// what bundles loaded, and what is being recorded (bundle.c). The caller locks.
#ifndef CP_CACHE_KERNEL_SET_H
#define CP_CACHE_KERNEL_SET_H

#include "cache/bundle.h"
#include "cache/cache.h"

typedef struct cp_image_node {
  cp_image image;
  bool owned; // its bytes are not part of a file that was read
  struct cp_image_node *next;
} cp_image_node;

typedef struct cp_kernel_entry {
  struct cp_kernel_entry *next;
  cp_bundle_kind kind;
  int nimages;
  cp_image_node *images;
  size_t key_size;
  char key[]; // the kind as a byte, then the key
} cp_kernel_entry;

typedef struct cp_kernel_set {
  cp_table *table;
  cp_kernel_entry *first, *last; // in the order in which they were added
  int count;
} cp_kernel_set;

// The entry of the key, created if missing when `make` is set. NULL: there is none, or out of memory.
cp_kernel_entry *cp_kernel_set_entry(cp_kernel_set *set, cp_bundle_kind kind, const void *key, size_t size,
                                     bool make);
// True if there is an image for the same target (architecture, PTX or not).
bool cp_kernel_entry_has(const cp_kernel_entry *e, const cp_image *image);
// Adds an image; the first one for a target stays. copied: copies the data, which the caller keeps.
// CP_EMEMORY.
cp_status cp_kernel_set_add(cp_kernel_set *set, cp_bundle_kind kind, const void *key, size_t size,
                            const cp_image *image, bool copied);
// Empties the set. Frees only images that were copied.
void cp_kernel_set_free(cp_kernel_set *set);

#endif
