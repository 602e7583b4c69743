// The parts of a context (context.h), each a struct with one owner, which its comment names: the owner alone
// keeps it right; others may read it. Parts that floors above own stand here because the context holds them
// by value.
#ifndef CP_DEVICE_PARTS_H
#define CP_DEVICE_PARTS_H

#include "device/budget.h"
#include "device/device.h"

#include <stdatomic.h>

typedef struct cp_reserve cp_reserve;
struct cp_node;

// Work counters of one lua_State, as cp.profiler.counters() shows them.
typedef struct cp_counters {
  uint64_t launches, compiles, cache_hits, allocations, bytes_allocated, synchronizations, collections;
  uint64_t forces, renames; // pending values computed; buffers exchanged because of pending readers
  uint64_t waits;           // of a stream for another one, because of memory that both use
} cp_counters;

// Where the source text of kernels comes from: the Lua side, set by src/lua.
typedef struct cp_generator {
  // Writes the source of plan's kernel for target ("cuda" or "cpu", the latter for user kernels only); fails
  // with the generator's message.
  cp_status (*source)(void *data, const cp_plan *plan, const char *target, cp_strbuf *out);
  // The same for the routine kernels/routine/FILE.cu with its variables.
  cp_status (*routine)(void *data, const char *file, const char *variables, cp_strbuf *out);
  void *data;
  uint64_t version; // hash of ops.def, preludes, templates and generator: part of every key on disk
  cp_strbuf *keys; // where the keys of the kernels that plans run are noted (cuda/run/watch.h); NULL: nowhere
} cp_generator;

// Small structs of one size that were freed, for the next ones: a collection frees thousands at once, more
// than malloc keeps at hand.
typedef struct cp_freed_structs {
  void *first; // each begins with the address of the next
  int count;
} cp_freed_structs;
enum { CP_MAX_FREED_STRUCTS = 65536 };

// Small blocks of a device that are between two arrays (memory/free_list.h), by size class, each list the
// latest first.
enum { CP_FREE_LIST_BINS = 29, CP_FREE_LIST_LARGEST = 1 << 16 };
typedef struct cp_free_list {
  struct cp_block *first[CP_FREE_LIST_BINS];
  size_t bytes;
} cp_free_list;

// What work goes to: each coroutine that chose has its own.
typedef struct cp_current {
  cp_device *device;                  // the current one
  cp_stream *streams[CP_MAX_DEVICES]; // the current one of each device; NULL: the state's own
  unsigned allocator;                 // number of the current one (memory/allocator.h); 0: the devices' pools
} cp_current;

// Where work goes while a graph is captured (lazy/arrays/capture.h).
typedef struct cp_capture_target {
  cp_device *device; // NULL: nothing is captured
  cp_stream *stream; // that records
  size_t *charge;    // bytes that the state holds for what was recorded
} cp_capture_target;

// What has to be destroyed once the state may wait or call a driver, which finalizers must not.
typedef struct cp_deferred {
  struct cp_deferred *next;
  void (*destroy)(struct cp_deferred *d);
} cp_deferred;

// Of device/streams.c: the state's streams. They live until the state is closed.
typedef struct cp_streams {
  cp_stream *own[CP_MAX_DEVICES]; // where work goes when no other was chosen, made at first use
  cp_stream **all;                // by slot
  int count, room;                // room: of the array
  int nidle;                      // of those, but for own, that no object of Lua names
  bool concurrent;                // several are of one kind: uses of memory are recorded (order.h)
} cp_streams;

// Of device/context.c: what finalizers gave up, which must not wait or call a driver.
typedef struct cp_given_up {
  cp_event *events;
  cp_deferred *objects;
} cp_given_up;

// Of device/interrupt.c: the host's way to end work that takes too long.
typedef struct cp_interrupt {
  int (*ask)(void *user); // not 0 ends the running call; NULL: nobody may
  void *user;
  double due; // cp_clock from which on it is asked again
  // Seconds that work may take, by estimate, in which it cannot be asked (routines/cost.h).
  double longest_piece;
} cp_interrupt;

// Of src/lua: what the core tells and asks those who know Lua. All are called with no lock held and must not
// raise.
typedef struct cp_hooks {
  // Told of each synchronisation (lua/devices/profiler.c); NULL: nobody.
  void (*sync_note)(void *data, double seconds);
  void *sync_data;
  // Collects garbage so that dead arrays give their blocks back (lua/support/state.c). full: memory ran out.
  // Counts itself in counters.collections.
  void (*collect)(void *data, bool full);
  void *collect_data;
} cp_hooks;

// Of src/lua: what scripts set.
typedef struct cp_settings {
  bool deterministic; // results never depend on the order in which threads run, at a price
  bool strict; // work that checks its data on a device is waited for, so that it fails where it was written
  bool tf32;   // products of float32 matrices may use TF32
} cp_settings;

// Of src/memory.
typedef struct cp_memory {
  cp_garbage garbage[CP_MAX_DEVICES]; // when to collect, by the devices' numbers
  bool automatic;                     // false: collect only when memory runs out
  cp_free_list free_lists[CP_MAX_DEVICES];
  struct cp_allocator *allocators; // that scripts and the host made (memory/allocator.h)
  unsigned last_allocator;         // number of the latest one
  unsigned host_allocator;         // number of that which the host chose; 0: none
  struct cp_memory_log *log;       // of what is allocated and freed, for hooks; NULL: nobody listens
} cp_memory;

// Of src/array.
typedef struct cp_arrays {
  cp_freed_structs combined; // array/array.h
  uintptr_t latest_combined;
  struct cp_export *exports;    // tensors that are out (array/dlpack.h)
  _Atomic bool returned;        // some of them were deleted
  struct cp_borrowed *borrowed; // memory of others that is no longer used: its owners have not heard yet
} cp_arrays;

// Of lazy/arrays/capture.c: graphs.
typedef struct cp_capture {
  struct cp_graph *graph;   // the one whose work is being recorded; NULL: none
  cp_capture_target target; // of that one
  struct cp_graph *paused;  // the one whose capture rests while something outside of it is done
  cp_reserve *reserve;      // its memory
  struct cp_command_buffer *command_buffers; // of those that live (device/graph.h)
  cp_stream *recorders;                      // streams that recorded, for the next capture
  unsigned count;                            // captures so far
} cp_capture;

// Of src/lazy: pending values (lazy/arrays/pending.h).
typedef struct cp_lazy {
  bool fusion, log_fusion;
  struct cp_node *first, *last;  // oldest first
  struct cp_pending_walk *walks; // along them, the innermost first: what leaves the list moves them on
  size_t pinned_bytes;           // of buffers that pending values alone keep
  size_t pinned_bound;           // when they pass it, some values are computed (0: not set yet)
  unsigned epoch;                // number of the last walk through nodes
  int raised_bounds;             // functions that run whose bodies are to be one kernel each (graph.h)
  const char *caller;            // what asks for values just now, for the log
  cp_freed_structs nodes;
} cp_lazy;

#endif
