// When a state looks for garbage: what it made on a device since it last did, what that took, and what a block that is found saves. No clock and no device
// here, so that spec/c/garbage.c can run years of it.
//
// Small blocks count against a budget of bytes. It grows while collections take more than a twentieth of the time that the device stands idle, but
// not where a collection takes less than the bytes made since the last one cost to be touched for the first time: going round little memory
// keeps it in the processor's cache. A large block is worth a look of its own: where none that is kept fits, either the device is asked
// for memory or garbage is collected. Collecting is right when what was made since the last time, had it come from the device, would have
// cost more than the collection does. A program that drops each result then goes round few blocks. While the device stands idle during its
// collections and these take more than a twentieth of the time, each round of theirs adds a quarter to the blocks, so that they become rarer and
// nothing jumps.
#ifndef CP_DEVICE_GARBAGE_H
#define CP_DEVICE_GARBAGE_H

#include <stdbool.h>
#include <stddef.h>

// Seconds that memory from the device costs more than memory that is kept, its first use included.
typedef struct cp_price {
  double block, byte;
} cp_price;

typedef struct cp_garbage {
  // Bytes in blocks of either kind that were made since the last collection, less what was given back.
  size_t small, large;
  size_t budget; // collect when small passes it; 0: not set yet
  // Seconds of the last collection, and of the cheaper one of the last two: one may have been held up.
  double latest, cost;
  double share; // of what is made, the part that a collection is expected to find
  double mark;  // the clock after the last collection
  size_t extra; // large blocks that may come from the device before the next one
  // What the device took for its last large block, for the cheaper one of the last two of that size, and the size.
  double latest_paid, paid;
  size_t paid_size;
} cp_garbage;

// A collection that is over.
typedef struct cp_collection {
  double begin, end; // by the clock
  bool hidden;       // the device had work all the while
  // Bytes of blocks of both kinds made since the one before, live before it, and given back by it.
  size_t made, live, found;
} cp_collection;

static inline size_t *cp_garbage_count(cp_garbage *g, bool large) { return large ? &g->large : &g->small; }

// Blocks of so many bytes are given back without a collection.
static inline void cp_garbage_returned(cp_garbage *g, size_t size, bool large) {
  size_t *made = cp_garbage_count(g, large);
  *made -= size < *made ? size : *made;
}

// The first allocation of a state on a device; cap: the budget's end.
void cp_garbage_begin(cp_garbage *g, size_t cap, double now);
// Whether so many bytes, made and to be made, pass the budget.
static inline bool cp_garbage_over_budget(const cp_garbage *g, size_t bytes) { return bytes > g->budget; }
// Whether to collect before the device is asked for a large block; false uses up one of `extra`. cap: bytes that may be made in any case.
bool cp_garbage_worth(cp_garbage *g, size_t size, cp_price price, size_t cap);
// The device gave a large block and took so long. On some machines that is ten times the price.
void cp_garbage_pay(cp_garbage *g, size_t size, double seconds);
// Both are told of every collection that they asked for: after one for a small block the budget is set, after one for a large block of this
// size how many more come from the device. fits: a block was found.
void cp_garbage_set_budget(cp_garbage *g, const cp_collection *c, cp_price price, size_t cap);
void cp_garbage_set_extra(cp_garbage *g, const cp_collection *c, size_t size, bool fits);

#endif
