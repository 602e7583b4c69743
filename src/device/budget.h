// The budget of a state: how much memory it may hold, and for a confined state (cp_budget.confined) how much
// it may leave behind. Compiled kernels are shared by all states and stay, in the process and on disk, after
// the state that made them ends; only confined states have a limit on them.
#ifndef CP_DEVICE_BUDGET_H
#define CP_DEVICE_BUDGET_H

#include "device/stream.h"

enum { CP_MOST_KERNELS = 2048, CP_MOST_STORED = 64 << 20 };

// Owner: device/budget.c. What the state may hold, and what it holds.
typedef struct cp_budget {
  size_t limit;      // of live_bytes + held_bytes, set by the host; 0: none
  size_t live_bytes; // bytes of the pools' blocks that the state has, counted by size class
  size_t held_bytes; // of what else it holds: scratch memory of the host, streams, events, recorded work
  // The host forbade some capability: the state changes nothing that other states see, and gets no memory
  // that still holds their data.
  bool confined;
  unsigned kernels_kept; // kernels that a confined state has made the process keep
  size_t bytes_stored;   // bytes that it has written to the folder of kernels
} cp_budget;

// Whether `bytes` more are within the limit.
bool cp_context_fits(const cp_context *ctx, size_t bytes);
// Counts memory that is not a block, without collecting garbage. Fails with CP_EMEMORY if it would pass the
// limit. cp_context_drop undoes it.
cp_status cp_context_hold(cp_context *ctx, size_t bytes);
// The same for work that is being recorded: the graph holds the bytes. Does nothing if no graph is captured.
cp_status cp_context_hold_captured(cp_context *ctx, size_t bytes);

// Counts a kernel before it is compiled, or loaded from a bundle or from disk, for the process to keep. Fails
// with CP_EUSAGE if the state is confined and has reached its limit.
cp_status cp_budget_kernel(cp_context *ctx);
// Whether the state may write `bytes` more to the folder of kernels; counts them if so. Otherwise the caller
// goes on without writing.
bool cp_budget_store(cp_context *ctx, size_t bytes);

#endif
