// A set of compiled kernels by kind and key, each with an image for every architecture that it is there for: what bundles
// brought, and what is recorded (bundle.c). The caller locks.
#ifndef CP_CACHE_KERNEL_SET_H
#define CP_CACHE_KERNEL_SET_H

#include "cache/bundle.h"
#include "cache/cache.h"

typedef struct cp_image_node {
  cp_image image;
  bool owned; // its bytes are no part of a file that was read
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
  cp_kernel_entry *first, *last; // in the order in which they came
  int count;
} cp_kernel_set;

// The entry of the key, made where it is missing and `make`; NULL: there is none, or no memory.
cp_kernel_entry *cp_kernel_set_entry(cp_kernel_set *set, cp_bundle_kind kind, const void *key, size_t size,
                                     bool make);
// Whether there is an image for the target (architecture, PTX or not) of this one.
bool cp_kernel_entry_has(const cp_kernel_entry *e, const cp_image *image);
// The first image for a target stays. copied: data is the caller's. CP_EMEMORY.
cp_status cp_kernel_set_add(cp_kernel_set *set, cp_bundle_kind kind, const void *key, size_t size,
                            const cp_image *image, bool copied);
// Makes it empty. Images that were not copied are left.
void cp_kernel_set_free(cp_kernel_set *set);

#endif
