// Sets of compiled kernels (kernel_set.h).
#include "cache/kernel_set.h"

#include <stdlib.h>
#include <string.h>

static cp_kernel_entry *new_entry(cp_bundle_kind kind, const void *key, size_t size) {
  cp_kernel_entry *e = malloc(sizeof *e + 1 + size);
  if (e == NULL) return NULL;
  *e = (cp_kernel_entry){.kind = kind, .key_size = size};
  e->key[0] = (char)kind;
  if (size > 0) memcpy(e->key + 1, key, size);
  return e;
}

cp_kernel_entry *cp_kernel_set_entry(cp_kernel_set *set, cp_bundle_kind kind, const void *key, size_t size,
                                     bool make) {
  if (set->table == NULL && (!make || (set->table = cp_table_new()) == NULL)) return NULL;
  cp_kernel_entry *e = new_entry(kind, key, size);
  if (e == NULL) return NULL;
  cp_kernel_entry *found = cp_table_get(set->table, e->key, 1 + size);
  if (found != NULL || !make || cp_table_set(set->table, e->key, 1 + size, e) != CP_OK) {
    free(e);
    return found;
  }
  if (set->last != NULL)
    set->last->next = e;
  else
    set->first = e;
  set->last = e;
  set->count++;
  return e;
}

static bool same_target(const cp_image *a, const cp_image *b) {
  return a->arch == b->arch && a->ptx == b->ptx;
}

bool cp_kernel_entry_has(const cp_kernel_entry *e, const cp_image *image) {
  for (const cp_image_node *n = e->images; n != NULL; n = n->next)
    if (same_target(&n->image, image)) return true;
  return false;
}

cp_status cp_kernel_set_add(cp_kernel_set *set, cp_bundle_kind kind, const void *key, size_t size,
                            const cp_image *image, bool copied) {
  cp_kernel_entry *e = cp_kernel_set_entry(set, kind, key, size, true);
  if (e == NULL) return cp_no_memory("collecting kernels");
  if (cp_kernel_entry_has(e, image) || e->nimages == CP_MAX_IMAGES) return CP_OK;
  // aligned_alloc requires a multiple of the alignment
  size_t room = (image->size + CP_IMAGE_ALIGN - 1) / CP_IMAGE_ALIGN * CP_IMAGE_ALIGN;
  void *copy = copied ? aligned_alloc(CP_IMAGE_ALIGN, room > 0 ? room : CP_IMAGE_ALIGN) : NULL;
  cp_image_node *n = malloc(sizeof *n);
  if (n == NULL || (copied && copy == NULL)) {
    free(copy);
    free(n);
    return cp_no_memory("collecting kernels");
  }
  n->image = *image;
  n->owned = copied;
  if (copied) n->image.data = memcpy(copy, image->data, image->size);
  n->next = e->images;
  e->images = n;
  e->nimages++;
  return CP_OK;
}

void cp_kernel_set_free(cp_kernel_set *set) {
  while (set->first != NULL) {
    cp_kernel_entry *e = set->first;
    set->first = e->next;
    while (e->images != NULL) {
      cp_image_node *n = e->images;
      e->images = n->next;
      if (n->owned) free((void *)(uintptr_t)n->image.data);
      free(n);
    }
    free(e);
  }
  cp_table_free(set->table, NULL);
  *set = (cp_kernel_set){0};
}
