// A hash table from byte strings to pointers: open addressing with linear probing, at most half full. Entries
// are never removed.
#include "cache/cache.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  uint64_t hash;
  size_t size;
  unsigned char *key; // NULL: unused slot
  void *value;
} entry;

struct cp_table {
  entry *slots;
  size_t capacity, count; // capacity: a power of two
};

enum { FIRST_CAPACITY = 64 };

cp_table *cp_table_new(void) {
  cp_table *t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->slots = calloc(FIRST_CAPACITY, sizeof *t->slots);
  if (t->slots == NULL) {
    free(t);
    return NULL;
  }
  t->capacity = FIRST_CAPACITY;
  return t;
}

// The slot of the key, or the unused slot where it belongs.
static entry *find(const cp_table *t, uint64_t hash, const void *key, size_t size) {
  for (size_t i = (size_t)hash;; i++) {
    entry *e = &t->slots[i & (t->capacity - 1)];
    if (e->key == NULL || (e->hash == hash && e->size == size && memcmp(e->key, key, size) == 0)) return e;
  }
}

void *cp_table_get(const cp_table *t, const void *key, size_t size) {
  return find(t, cp_hash(key, size, 0), key, size)->value;
}

static cp_status grow(cp_table *t) {
  cp_table bigger = {.capacity = 2 * t->capacity, .count = t->count};
  bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
  if (bigger.slots == NULL) return cp_no_memory(NULL);
  for (size_t i = 0; i < t->capacity; i++) {
    const entry *e = &t->slots[i];
    if (e->key != NULL) *find(&bigger, e->hash, e->key, e->size) = *e;
  }
  free(t->slots);
  *t = bigger;
  return CP_OK;
}

cp_status cp_table_set(cp_table *t, const void *key, size_t size, void *value) {
  if (2 * (t->count + 1) > t->capacity) CP_TRY(grow(t));
  uint64_t hash = cp_hash(key, size, 0);
  entry *e = find(t, hash, key, size);
  if (e->key == NULL) {
    unsigned char *copy = malloc(size + 1); // malloc(0) may return NULL
    if (copy == NULL) return cp_no_memory(NULL);
    if (size > 0) memcpy(copy, key, size);
    *e = (entry){.hash = hash, .size = size, .key = copy};
    t->count++;
  }
  e->value = value;
  return CP_OK;
}

size_t cp_table_count(const cp_table *t) { return t->count; }

void cp_table_free(cp_table *t, void (*free_value)(void *value)) {
  if (t == NULL) return;
  for (size_t i = 0; i < t->capacity; i++) {
    entry *e = &t->slots[i];
    if (e->key == NULL) continue;
    if (free_value != NULL) free_value(e->value);
    free(e->key);
  }
  free(t->slots);
  free(t);
}
