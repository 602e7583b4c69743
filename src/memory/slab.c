// Slabs, and the counts of requests that decide their size (slab.h).
#include "memory/slab.h"

#include <stdlib.h>

cp_slab *cp_slab_new(cp_pool *pool, size_t size, size_t count) {
  cp_slab *s = malloc(sizeof *s + count * sizeof *s->blocks);
  if (s == NULL) return NULL;
  s->whole = (cp_block){.size = count * size, .pool = pool};
  s->count = count;
  s->live = 0;
  for (size_t k = 0; k < count; k++) s->blocks[k] = (cp_block){.size = size, .pool = pool, .slab = s};
  return s;
}

void cp_slab_settle(cp_slab *s) {
  char *p = s->whole.pointer;
  for (size_t k = 0; k < s->count; k++) s->blocks[k].pointer = p + k * s->blocks[k].size;
}

static size_t find(const cp_demand *d, size_t size) {
  size_t k = 0;
  while (k < CP_DEMANDS && d->of[k].size != size) k++;
  return k;
}

size_t cp_demand_of(const cp_demand *d, size_t size) {
  size_t k = find(d, size);
  return k < CP_DEMANDS ? d->of[k].blocks : 0;
}

void cp_demand_add(cp_demand *d, size_t size, size_t blocks) {
  size_t k = find(d, size);
  if (k == CP_DEMANDS) {
    k = d->next++ % CP_DEMANDS;
    d->of[k].size = size;
    d->of[k].blocks = 0;
  }
  d->of[k].blocks += blocks;
}
