// What one state may hold, and what a confined one (cp_budget.confined) may make the process and the disk keep beyond its
// end: compiled kernels, which all states share and which are not given back. Others may make as many as they like.
#ifndef CP_DEVICE_BUDGET_H
#define CP_DEVICE_BUDGET_H

#include "device/stream.h"

enum { CP_MOST_KERNELS = 2048, CP_MOST_STORED = 64 << 20 };

// Of device/budget.c: what the state may hold, and what it holds.
typedef struct cp_budget {
  size_t limit;      // of the two below, set by the host; 0: none
  size_t live_bytes; // of the pools' blocks that the state has, by the size classes that it asked for
  size_t held_bytes; // of what else it holds: scratch memory of the host, streams, events, recorded work
  // The host closed a door: the state changes nothing that others see, and gets no memory that holds what others left.
  bool confined;
  unsigned kernels_kept; // that a confined state made the process keep
  size_t bytes_stored;   // that it wrote to the folder of kernels
} cp_budget;

// Whether so many bytes more keep the limit.
bool cp_context_fits(const cp_context *ctx, size_t bytes);
// Counts what is no block; collects nothing. CP_EMEMORY where that would pass the limit. See cp_context_drop.
cp_status cp_context_hold(cp_context *ctx, size_t bytes);
// The same for work that is recorded just now, where a graph is captured, which holds it.
cp_status cp_context_hold_captured(cp_context *ctx, size_t bytes);

// Before a kernel is made, or loaded from a bundle or from disk, for the process to keep: counts it. CP_EUSAGE when the state has had its share.
cp_status cp_budget_kernel(cp_context *ctx);
// Whether the state may write so many bytes more to the folder of kernels; counts them. One that may not goes without.
bool cp_budget_store(cp_context *ctx, size_t bytes);

#endif
