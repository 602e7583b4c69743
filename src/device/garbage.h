// When a state collects garbage. The decision weighs what the state allocated on a device since the last
// collection, how long collections take, and what it saves to find a free block. Nothing here reads a clock
// or calls a device, so spec/c/garbage.c can simulate years of it.
//
// Small blocks count against a budget in bytes. The budget grows if collections take more than a twentieth of
// the time while the device is idle. It does not grow if a collection is cheaper than the first use of as
// many new bytes as were allocated since the last one: reusing a little memory keeps it in the processor's
// cache.
//
// Each large block is decided on its own. If no block that the pool keeps fits, either the device is asked
// for memory or garbage is collected. Collecting pays if the blocks allocated since the last collection would
// have cost more, had they come from the device, than the collection does. A program that drops each result
// then reuses a few blocks in turn. If the device is idle during these collections, and they take more than a
// twentieth of the time, each of them lets the number of blocks grow by a quarter. So collections become
// rarer step by step, and memory use never jumps.
#ifndef CP_DEVICE_GARBAGE_H
#define CP_DEVICE_GARBAGE_H

#include <stdbool.h>
#include <stddef.h>

// How many seconds memory from the device costs more than memory that the pool has kept, including its first
// use: so much for each block, and so much for each byte.
typedef struct cp_price {
  double block, byte;
} cp_price;

typedef struct cp_garbage {
  // Bytes in small and in large blocks allocated since the last collection, less those returned since.
  size_t small, large;
  size_t budget; // collect when `small` passes it; 0: not set yet
  // Seconds that the last collection took, and the shorter of the last two: one may have been delayed.
  double latest, cost;
  double share; // the part of what was allocated that a collection is expected to free
  double mark;  // the time at the end of the last collection
  size_t extra; // large blocks that may come from the device before the next collection
  // Seconds that the device took for its last large block, and the shorter time of the last two of that size;
  // and that size.
  double latest_paid, paid;
  size_t paid_size;
} cp_garbage;

// A finished collection.
typedef struct cp_collection {
  double begin, end; // times in seconds
  bool hidden;       // the device was busy all the time
  // Bytes of small and large blocks: allocated since the collection before, live before this one, and freed
  // by it.
  size_t made, live, found;
} cp_collection;

static inline size_t *cp_garbage_count(cp_garbage *g, bool large) { return large ? &g->large : &g->small; }

// Counts a block that is returned without a collection.
static inline void cp_garbage_returned(cp_garbage *g, size_t size, bool large) {
  size_t *made = cp_garbage_count(g, large);
  *made -= size < *made ? size : *made;
}

// Called at a state's first allocation on a device. cap: the largest budget.
void cp_garbage_begin(cp_garbage *g, size_t cap, double now);
// Whether `bytes`, those already allocated and those to be allocated, pass the budget.
static inline bool cp_garbage_over_budget(const cp_garbage *g, size_t bytes) { return bytes > g->budget; }
// Whether to collect before the device is asked for a large block; false may use up one of `extra`. cap:
// after this many bytes in large blocks the answer is always yes.
bool cp_garbage_worth(cp_garbage *g, size_t size, cp_price price, size_t cap);
// Records how long the device took to give a large block. On some machines that is ten times the price.
void cp_garbage_pay(cp_garbage *g, size_t size, double seconds);
// Called after a collection: set_budget if it was for a small block; set_extra if it was for a large block of
// this size, to set how many more come from the device. fits: the collection freed a block of that size.
void cp_garbage_set_budget(cp_garbage *g, const cp_collection *c, cp_price price, size_t cap);
void cp_garbage_set_extra(cp_garbage *g, const cp_collection *c, size_t size, bool fits);

#endif
