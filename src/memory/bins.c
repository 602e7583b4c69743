// Size classes and the lists of cached blocks: O(1) for small classes, O(log n) for large ones.
#include "memory/bins.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE_STEP = 2 << 20, STREAM_SEARCH = 8 };

size_t cp_size_class(size_t bytes) {
  if (bytes <= CP_SMALLEST_CLASS) return CP_SMALLEST_CLASS;
  if (bytes > SIZE_MAX / 2) return 0;
  size_t step = bytes > CP_LARGE_BLOCKS ? (size_t)LARGE_STEP : (size_t)1 << (cp_octave(bytes) - 2);
  return (bytes + step - 1) & ~(step - 1);
}

// The index of the first large bin of at least this size.
static size_t lower_bound(const cp_bins *b, size_t size) {
  size_t low = 0, high = b->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (b->large[middle].size < size)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool cp_bins_reserve(cp_bins *b, size_t blocks) {
  if (blocks <= b->capacity) return true;
  size_t capacity = blocks + blocks / 2 + 16;
  cp_bin *large = realloc(b->large, capacity * sizeof *large);
  if (large == NULL) return false;
  b->large = large;
  b->capacity = capacity;
  return true;
}

static void drop_empty_bins(cp_bins *b) {
  size_t n = 0;
  for (size_t i = 0; i < b->count; i++)
    if (b->large[i].head != NULL) b->large[n++] = b->large[i];
  b->count = n;
}

// The list of a large class, created if needed. cp_bins_reserve made room: there are never more bins than
// blocks.
static cp_block **large_bin(cp_bins *b, size_t size) {
  size_t i = lower_bound(b, size);
  if (i < b->count && b->large[i].size == size) return &b->large[i].head;
  if (b->count == b->capacity) {
    drop_empty_bins(b);
    i = lower_bound(b, size);
  }
  memmove(b->large + i + 1, b->large + i, (b->count - i) * sizeof *b->large);
  b->large[i] = (cp_bin){.size = size};
  b->count++;
  return &b->large[i].head;
}

void cp_bins_put(cp_bins *b, cp_block *block) {
  cp_block **head =
      cp_is_large(block->size) ? large_bin(b, block->size) : &b->small[cp_small_class(block->size)];
  block->prev = NULL;
  block->next = *head;
  if (*head != NULL) (*head)->prev = block;
  *head = block;
}

static cp_block *take_out(cp_block **head, cp_block *block) {
  if (block->prev == NULL)
    *head = block->next;
  else
    block->prev->next = block->next;
  if (block->next != NULL) block->next->prev = block->prev;
  return block;
}

// Prefers, among the most recent blocks, one that needs no waiting; else takes the most recent.
static cp_block *take_from(cp_block **head, const cp_stream *stream) {
  cp_block *block = *head;
  for (int i = 0; block != NULL && i < STREAM_SEARCH; i++, block = block->next)
    if (block->stream == stream || block->stream == NULL) return take_out(head, block);
  return *head == NULL ? NULL : take_out(head, *head);
}

cp_block *cp_bins_take(cp_bins *b, size_t size, const cp_stream *stream) {
  if (!cp_is_large(size)) return take_from(&b->small[cp_small_class(size)], stream);
  for (size_t i = lower_bound(b, size); i < b->count && b->large[i].size <= size + size / 4; i++)
    if (b->large[i].head != NULL) return take_from(&b->large[i].head, stream);
  return NULL;
}

void cp_bins_remove(cp_bins *b, cp_block *block) {
  size_t size = block->size;
  take_out(cp_is_large(size) ? &b->large[lower_bound(b, size)].head : &b->small[cp_small_class(size)], block);
}

cp_block *cp_bins_largest(cp_bins *b) {
  for (; b->count > 0; b->count--) {
    cp_block **head = &b->large[b->count - 1].head;
    if (*head != NULL) return take_out(head, *head);
  }
  for (int i = CP_SMALL_BINS - 1; i >= 0; i--)
    if (b->small[i] != NULL) return take_out(&b->small[i], b->small[i]);
  return NULL;
}

void cp_bins_free(cp_bins *b) {
  free(b->large);
  b->large = NULL;
  b->count = b->capacity = 0;
}

static void forget(cp_block *block, const cp_stream *stream) {
  for (; block != NULL; block = block->next) {
    int kept = 0;
    for (int k = 0; k < block->nusers; k++)
      if (block->users[k] != stream) block->users[kept++] = block->users[k];
    block->nusers = kept;
    if (block->stream == stream) block->stream = kept > 0 ? block->users[--block->nusers] : NULL;
  }
}

void cp_bins_forget_stream(cp_bins *b, const cp_stream *stream) {
  for (int i = 0; i < CP_SMALL_BINS; i++) forget(b->small[i], stream);
  for (size_t i = 0; i < b->count; i++) forget(b->large[i].head, stream);
}
