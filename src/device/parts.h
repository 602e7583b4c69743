// The parts of a context (context.h). Each is a struct with one owner, which its comment names: only the
// owner changes it, others may read it. Some owners are on later floors; their parts are here because the
// context holds all parts by value.
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
  uint64_t prepared;        // batches that ran by a plan that was kept (lazy/evaluation/prepared.h)
  uint64_t waits;           // times that a stream had to wait for another one, as both use some memory
} cp_counters;

// Where the source text of kernels comes from: functions of the Lua side, set by src/lua.
typedef struct cp_generator {
  // Writes the source of the plan's kernel for a target: "cuda", or for user kernels also "cpu". Fails with
  // the generator's message.
  cp_status (*source)(void *data, const cp_plan *plan, const char *target, cp_strbuf *out);
  // The same for the routine in kernels/routine/FILE.cu, with values for its variables.
  cp_status (*routine)(void *data, const char *file, const char *variables, cp_strbuf *out);
  void *data;
  uint64_t version; // hash of ops.def, preludes, templates and generator: part of every key on disk
  // Collects the keys of the kernels that plans run (cuda/run/precompile.h); NULL: they are not collected.
  cp_strbuf *keys;
} cp_generator;

// A free list of small structs of one size: a garbage collection frees thousands at once, more than malloc
// keeps for quick reuse.
typedef struct cp_freed_structs {
  void *first; // each struct begins with the address of the next
  int count;
} cp_freed_structs;
enum { CP_MAX_FREED_STRUCTS = 65536 };

// Free lists of a device's small blocks (memory/free_list.h): one for each size class, the latest block
// first.
enum { CP_FREE_LIST_BINS = 29, CP_FREE_LIST_LARGEST = 1 << 16 };
typedef struct cp_free_list {
  struct cp_block *first[CP_FREE_LIST_BINS];
  size_t bytes;
} cp_free_list;

// What a script has chosen for its work; each coroutine that chose anything has its own copy.
typedef struct cp_current {
  cp_device *device;                  // the current device
  cp_stream *streams[CP_MAX_DEVICES]; // the current stream of each device; NULL: the state's own
  unsigned allocator; // number of the current allocator (memory/allocator.h); 0: the devices' pools
} cp_current;

// Where work goes while a graph is captured (lazy/arrays/capture.h).
typedef struct cp_capture_target {
  cp_device *device; // NULL: nothing is captured
  cp_stream *stream; // the stream that records
  size_t *charge;    // bytes counted in the state's budget for the recorded work
} cp_capture_target;

// An object whose destruction is deferred: destroying it may wait or call a driver, which finalizers must not
// do.
typedef struct cp_deferred {
  struct cp_deferred *next;
  void (*destroy)(struct cp_deferred *d);
} cp_deferred;

// Owner: device/streams.c. The state's streams, which live until the state is closed.
typedef struct cp_streams {
  cp_stream *own[CP_MAX_DEVICES]; // the default stream of each device, made at first use
  cp_stream **all;                // by slot
  int count, room;                // room: the length of `all`
  int nidle;                      // streams, other than `own`, that no Lua object refers to
  bool concurrent; // several streams are on devices of one kind: uses of memory are recorded (order.h)
} cp_streams;

// Owner: device/context.c. What finalizers gave up instead of destroying it.
typedef struct cp_given_up {
  cp_event *events;
  cp_deferred *objects;
} cp_given_up;

// Owner: device/interrupt.c. The host's way to end work that takes too long.
typedef struct cp_interrupt {
  int (*ask)(void *user); // a result other than 0 ends the running call; NULL: calls cannot be ended
  void *user;
  double due; // the time (cp_clock) from which `ask` is called again
  // The longest time in seconds, by estimate, that work may take without calling `ask` (routines/cost.h).
  double longest_piece;
} cp_interrupt;

// Owner: src/lua. Functions by which the core calls the Lua side. They are called with no lock held, and must
// not raise a Lua error.
typedef struct cp_hooks {
  // Notified of each synchronisation and how long it took (lua/devices/profiler.c); may be NULL.
  void (*sync_note)(void *data, double seconds);
  void *sync_data;
  // Collects garbage so that dead arrays return their blocks (lua/objects/lifetime.c). full: memory ran out.
  // Adds to counters.collections.
  void (*collect)(void *data, bool full);
  void *collect_data;
} cp_hooks;

// Owner: src/lua. What scripts set.
typedef struct cp_settings {
  bool deterministic; // results never depend on the order in which threads run, at a price
  // Work that checks its data on a device is waited for, so that it fails at the line that called it.
  bool strict;
  bool tf32;     // products of float32 matrices may use TF32
  unsigned slow; // bits by cp_fast_path (device/fast.h): the fast paths that are not taken
} cp_settings;

// Owner: src/memory.
typedef struct cp_memory {
  cp_garbage garbage[CP_MAX_DEVICES]; // when to collect garbage, by device id
  bool automatic;                     // false: collect only when memory runs out
  cp_free_list free_lists[CP_MAX_DEVICES];
  struct cp_allocator *allocators; // made by scripts and by the host (memory/allocator.h)
  unsigned last_allocator;         // number of the latest allocator
  unsigned host_allocator;         // number of the one that the host chose; 0: none
  struct cp_memory_log *log;       // of allocations and frees, for memory hooks; NULL: there are no hooks
} cp_memory;

// Owner: src/array.
typedef struct cp_arrays {
  cp_freed_structs combined; // combined allocations that were freed (array/array.h)
  uintptr_t latest_combined;
  struct cp_export *exports;    // exported DLPack tensors that are still in use (array/dlpack.h)
  _Atomic bool returned;        // some of them have been deleted by their users
  struct cp_borrowed *borrowed; // borrowed memory no longer used, whose owners have not been notified yet
} cp_arrays;

// Owner: lazy/arrays/capture.c. Captured graphs.
typedef struct cp_capture {
  struct cp_graph *graph;   // the graph that is being captured; NULL: none
  cp_capture_target target; // where that graph's work goes
  struct cp_graph *paused;  // the graph whose capture pauses while work outside of it is done
  cp_reserve *reserve;      // the memory of the graph that is being captured
  struct cp_command_buffer *command_buffers; // of all graphs that can run (device/graph.h)
  cp_stream *recorders;                      // streams that have recorded, kept for the next capture
  unsigned count;                            // number of captures so far
} cp_capture;

// Upper bounds of what a kernel for pending values needs.
typedef struct cp_weight {
  int ops, leaves, scalars;
  int functions; // those of the operations that are functions (cp_is_long), whose code is long
  int slots;     // 8-byte kernel arguments
} cp_weight;

// Owner: src/lazy. Pending values (lazy/arrays/pending.h).
typedef struct cp_lazy {
  bool fusion, log_fusion;
  bool samples; // sparse arrays are in use: products of dense matrices wait (lazy/work/product.h)
  struct cp_node *first, *last;  // the list of pending values, oldest first
  struct cp_pending_walk *walks; // walks along the list, the innermost first; nodes that leave move them on
  size_t pinned_bytes;           // bytes of the buffers that only pending values keep alive
  size_t pinned_bound;           // above this, some pending values are computed (0: not set yet)
  unsigned epoch;                // number of the last walk through nodes
  unsigned weighed;              // the walk that weighed values (graph.h); 0: they have changed since
  cp_weight weight;              // what it found
  unsigned settled;              // how often an operation has become a leaf (node.h)
  uint64_t operators;            // number of values that have been made pending
  uint64_t due;                  // the number at which the oldest of these is launched:
  int nreductions;               // how many reductions are in the list
  int nproducts;                 // how many products are there that no kernel has absorbed
  int raised_bounds;             // running functions whose bodies are to be one kernel each (graph.h)
  const char *caller;            // name of the public function that forces values now, for the log
  cp_freed_structs nodes;
  // Plans of batches that may come again (lazy/evaluation/prepared.h); NULL: none yet.
  struct cp_prepared_table *prepared;
} cp_lazy;

#endif
