// What a device is: a table of functions, a pool of memory, and streams. The registry of devices is process-wide and locked;
// everything that belongs to one lua_State is in its cp_context.
#ifndef CP_DEVICE_DEVICE_H
#define CP_DEVICE_DEVICE_H

#include "base/error.h"
#include "base/strbuf.h"
#include "device/garbage.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cp_device cp_device;
typedef struct cp_stream cp_stream;
typedef struct cp_event cp_event;
typedef struct cp_context cp_context;
typedef struct cp_plan cp_plan;
typedef struct cp_pool cp_pool;
typedef struct cp_reserve cp_reserve;
struct cp_node;
struct cp_flat;
typedef struct cp_blas_ops cp_blas_ops;
typedef struct cp_solver_ops cp_solver_ops;
typedef struct cp_fft_ops cp_fft_ops;

typedef enum cp_copy_kind { CP_TO_DEVICE, CP_TO_HOST, CP_WITHIN } cp_copy_kind;

// What a stream is made with; zeros make a plain one.
typedef struct cp_stream_options {
  bool non_blocking; // does not wait for CUDA's legacy default stream, nor that one for it
  int priority;      // below 0: its kernels go first; cut to what the device knows
  bool external;     // `pointer` is a stream of the host program or of another library, which keeps owning it
  uintptr_t pointer;
} cp_stream_options;

// Up to which ticket another stream is waited for.
typedef struct cp_waited_for {
  int slot; // the other's
  uint64_t sequence;
} cp_waited_for;
enum { CP_WAITED_FOR = 16 };

// A queue of work of one device, in order. Devices extend it.
//
// A state's streams live until the state is closed, so memory may name the streams that used it; one that no Lua object names any more is taken for
// the next that is asked for. Work is counted: a ticket is the number of a work in its stream.
struct cp_stream {
  cp_device *device;
  cp_context *context; // whose it is; NULL in tests
  cp_stream *next;     // of ctx->capture.recorders
  cp_stream_options options;
  int slot;    // its number among the context's streams
  int handles; // objects of Lua that name it
  bool fresh; // values may wait for it that were asked for since it last launched what waits (lazy/pending.h)
  bool over;  // an external one that was given back: its work was waited for, it must not be touched
  bool capturing;                     // what is queued here is recorded for a graph (device/graph.h)
  struct cp_command_buffer *commands; // where to, on devices that keep it there
  uint64_t issued;                    // tickets so far (from 1: what was queued before tickets were counted)
  uint64_t marked;                    // up to this ticket the stream's own event covers its work
  cp_waited_for waited_for
      [CP_WAITED_FOR]; // what it waits for already, by the rest of the other's slot; no more is remembered
};

// A place in a stream.
struct cp_event {
  cp_device *device;
  bool timing;    // it has a time
  bool blocking;  // threads that wait for it sleep
  bool recorded;  // at least once
  cp_event *next; // among the events that a finalizer gave up
};

typedef struct cp_device_ops {
  const char *kind; // "cpu" or "cuda"

  // Raw memory, called by the pool alone. allocate: CP_EMEMORY when there is none. release waits for nothing: the pool synchronises first.
  cp_status (*allocate)(cp_device *d, size_t bytes, void **pointer);
  void (*release)(cp_device *d, void *pointer, size_t bytes);
  cp_status (*memory_info)(cp_device *d, size_t *free_bytes, size_t *total_bytes);
  cp_price price; // of a new block, against one that the pool has kept
  // So many blocks of one size, large or not much smaller, the pool may ask for at once (memory/slab.h); 0: one.
  size_t together;

  // Copies bytes in stream order. TO_HOST returns when the bytes are there; TO_DEVICE when src may be changed again.
  cp_status (*copy)(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind);
  // Sets bytes in stream order.
  cp_status (*fill_bytes)(cp_stream *s, void *dst, int byte, size_t bytes);

  // Copies between two devices of this kind, in the order of both streams. What reads the source is work of the stream that peer_reader gives, `to` or
  // `from`; the caller tells lazy/order.h so before. NULL where there is one device of the kind.
  cp_stream *(*peer_reader)(cp_stream *to, cp_stream *from);
  cp_status (*peer_copy)(cp_stream *to, void *dst, cp_stream *from, const void *src, size_t bytes);

  // Runs an elementwise, reduction or user-kernel plan in stream order; asks ctx->generator for the source of a kernel that is in
  // no cache. May set plan->strategy. An empty plan (size 0) of a reduction writes what post gives of the identity.
  cp_status (*run)(cp_context *ctx, cp_stream *s, cp_plan *plan);
  // Runs one operation (plan/flat.h) without a plan, where the device has a shorter way for it; else *done is false and nothing happened. flat_most:
  // elements of the largest one.
  cp_status (*run_flat)(cp_context *ctx, cp_stream *s, const struct cp_flat *f, bool *done);
  int64_t flat_most;

  cp_status (*synchronize)(cp_device *d); // waits for all work of the process on the device
  cp_status (*stream_create)(cp_device *d, const cp_stream_options *options, cp_stream **out);
  void (*stream_destroy)(cp_stream *s); // waits for its work; leaves external ones alone
  cp_status (*stream_synchronize)(cp_stream *s);
  // The same where nobody would hear of a failure, and for threads other than the stream's own (pools): what its work found wrong stays, for the next
  // synchronisation.
  cp_status (*stream_finish)(cp_stream *s);
  cp_status (*stream_query)(cp_stream *s, bool *done);
  // Later work of waiter starts after the work queued on other so far. Other threads may queue on `other` meanwhile.
  cp_status (*stream_wait)(cp_stream *waiter, cp_stream *other);
  // The same in two steps: marks the place that s has reached; waiter waits for the last mark of other, which may be of another device of this kind.
  cp_status (*stream_mark)(cp_stream *s);
  cp_status (*stream_follow)(cp_stream *waiter, cp_stream *other);
  uintptr_t (*stream_pointer)(cp_stream *s); // the driver's handle
  void (*priorities)(cp_device *d, int *least, int *greatest);

  // blocking: threads that wait for it sleep.
  cp_status (*event_create)(cp_device *d, bool timing, bool blocking, cp_event **out);
  void (*event_destroy)(cp_device *d, cp_event *e);
  cp_status (*event_record)(cp_stream *s, cp_event *e);
  cp_status (*event_wait)(cp_stream *s, cp_event *e); // later work of s waits for e
  cp_status (*event_query)(cp_device *d, cp_event *e, bool *done);
  cp_status (*event_synchronize)(cp_device *d, cp_event *e);
  cp_status (*event_elapsed)(cp_device *d, cp_event *start, cp_event *end, double *milliseconds);
  uintptr_t (*event_pointer)(cp_event *e);

  // Calls `each` with what the device says of itself: text, or a number where text is NULL. attributes: the driver's own list, else a few properties.
  cp_status (*properties)(cp_device *d, bool attributes,
                          void (*each)(void *data, const char *name, const char *text, double value),
                          void *data);

  const struct cp_index_ops *index; // elements chosen by masks and arrays of positions (index.h)

  // Appends "key: value" lines for cp.show_config().
  void (*describe)(cp_device *d, cp_strbuf *out);

  // Libraries, opened at first use (blas.h, solver.h, fft.h).
  const cp_blas_ops *blas;
  const cp_solver_ops *solver;
  const cp_fft_ops *fft;
  const struct cp_raw_ops *raw;       // kernels that users write whole (device/raw.h)
  const struct cp_memory_ops *memory; // page-locked, managed and stream-ordered memory (memory/allocator.h)
  // Families of routines, each a header of this room.
  const struct cp_scan_ops *scan;
  const struct cp_convolve_ops *convolve;
  const struct cp_sort_ops *sort;
  const struct cp_collective_ops *collective;
  const struct cp_graph_ops *graph; // work that is recorded and run again
} cp_device_ops;

struct cp_device {
  const cp_device_ops *ops;
  char name[16]; // "cpu", "cuda:0"
  int ordinal;
  cp_pool *pool;
  int id; // index in the registry and in cp_context.streams.all
};

enum { CP_MAX_DEVICES = 33 }; // the CPU and 32 GPUs

// A kind of devices, as the registry finds them.
typedef struct cp_device_kind {
  // How many are usable; 0: *reason says why, which stays valid.
  int (*count)(const char **reason);
  // Makes the device of this number (from 0), in the host program's context or, NULL, in one of its own; with ops, name, ordinal and pool.
  cp_status (*open)(int ordinal, void *context, cp_device **out);
  bool (*is_in)(const cp_device *d, const void *context); // whether it works in this context
} cp_device_kind;

// Makes the kinds known; before the first device is asked for. Any number of times, the same ones.
void cp_register_kinds(const cp_device_kind *cpu, const cp_device_kind *cuda);

// The device named "cpu", "cuda" (the first) or "cuda:N"; CP_EUSAGE for another name, CP_ECUDA with the reason when it cannot be used.
cp_status cp_device_find(const char *name, cp_device **out);
// The same in a CUcontext of the host program's, which decides when it is opened: later ones must name the same, or NULL.
cp_status cp_device_find_in(const char *name, void *context, cp_device **out);
cp_device *cp_device_cpu(void); // NULL: out of host memory
// The device at this address, which may be any; NULL: there is none.
cp_device *cp_device_at(const void *address);
// Number of usable GPUs. 0: *reason says why.
int cp_cuda_device_count(const char **reason);
int cp_cuda_driver_version(void); // 13000 for CUDA 13.0; 0 without a driver

// Work counters of one lua_State, as cp.profiler.counters() shows them.
typedef struct cp_counters {
  uint64_t launches, compiles, cache_hits, allocations, bytes_allocated, synchronizations, collections;
  uint64_t forces, renames; // pending values computed; buffers exchanged because of pending readers
  uint64_t waits;           // of a stream for another one, because of memory that both use
} cp_counters;

// Where the source text of kernels comes from: the Lua side, set by src/lua.
typedef struct cp_generator {
  // Writes the source of plan's kernel for target ("cuda" or "cpu", the latter for user kernels only); fails with the generator's message.
  cp_status (*source)(void *data, const cp_plan *plan, const char *target, cp_strbuf *out);
  // The same for the routine kernels/routine/FILE.cu with its variables.
  cp_status (*routine)(void *data, const char *file, const char *variables, cp_strbuf *out);
  void *data;
  uint64_t version; // hash of ops.def, preludes, templates and generator: part of every key on disk
  cp_strbuf *keys; // where the keys of the kernels that plans run are noted (cuda/run/watch.h); NULL: nowhere
} cp_generator;

// Small structs of one size that were freed, for the next ones: a collection frees thousands at once, more than malloc keeps at hand.
typedef struct cp_freed_structs {
  void *first; // each begins with the address of the next
  int count;
} cp_freed_structs;
enum { CP_MAX_FREED_STRUCTS = 65536 };

// Small blocks of a device that are between two arrays (memory/shelf.h), by size class, each list the latest first.
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

// Where work goes while a graph is captured (lazy/capture.h).
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

// ---- what belongs to one lua_State, in parts: each has one owner, which alone keeps it right ---------------------

// Of device/streams.c: the state's streams. They live until the state is closed.
typedef struct cp_streams {
  cp_stream *own[CP_MAX_DEVICES]; // where work goes when no other was chosen, made at first use
  cp_stream **all;                // by slot
  int count, room;                // room: of the array
  int nidle;                      // of those, but for own, that no object of Lua names
  bool concurrent;                // several are of one kind: uses of memory are recorded (lazy/order.h)
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

// Of src/lua: what the core tells and asks those who know Lua. All are called with no lock held and must not raise.
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

// Of lazy/capture.c: graphs.
typedef struct cp_capture {
  struct cp_graph *graph;   // the one whose work is being recorded; NULL: none
  cp_capture_target target; // of that one
  struct cp_graph *paused;  // the one whose capture rests while something outside of it is done
  cp_reserve *reserve;      // its memory
  struct cp_command_buffer *command_buffers; // of those that live (device/graph.h)
  cp_stream *recorders;                      // streams that recorded, for the next capture
  unsigned count;                            // captures so far
} cp_capture;

// Of src/lazy: pending values (lazy/pending.h).
typedef struct cp_lazy {
  bool fusion, log_fusion;
  struct cp_node *first, *last;  // oldest first
  struct cp_pending_walk *walks; // along them, the innermost first: what leaves the list moves them on
  size_t pinned_bytes;           // of buffers that pending values alone keep
  size_t pinned_bound;           // when they pass it, some values are computed (0: not set yet)
  unsigned epoch;                // number of the last walk through nodes
  int raised_bounds;             // functions that run whose bodies are to be one kernel each (lazy/graph.h)
  const char *caller;            // what asks for values just now, for the log
  cp_freed_structs nodes;
} cp_lazy;

struct cp_context {
  uint64_t number; // of all states that the process had, from 1 (lua/support/state.c)
  bool closed;     // set by cp_context_close
  cp_current now;  // of the coroutine that runs (lua/support/current.c)
  cp_streams streams;
  cp_given_up given_up;
  cp_interrupt interrupt;
  cp_budget budget;
  cp_counters counters; // whoever does the work counts it
  cp_hooks hooks;
  cp_settings settings;
  cp_generator generator;        // lua/kernels/generator.c
  struct cp_raw_module *modules; // device/raw.c: of raw kernels
  cp_memory memory;
  cp_arrays arrays;
  cp_freed_structs plans; // plan/plan.c
  cp_capture capture;
  cp_lazy lazy;
};

// The stream that work on device goes to: the current one, made at first use; while a graph is captured the one that records it.
cp_status cp_context_find_stream(cp_context *ctx, cp_device *device, cp_stream **out);
static inline cp_status cp_context_stream(cp_context *ctx, cp_device *device, cp_stream **out) {
  cp_stream *chosen = ctx->now.streams[device->id];
  *out = chosen != NULL ? chosen : ctx->streams.own[device->id];
  return *out != NULL && ctx->capture.graph == NULL ? CP_OK : cp_context_find_stream(ctx, device, out);
}
// Has the work on device that follows go to s (NULL: the state's own stream), until cp_leave_stream gets what this returns. Nothing in between may raise.
static inline cp_stream *cp_enter_stream(cp_context *ctx, const cp_device *device, cp_stream *s) {
  cp_stream **slot = &ctx->now.streams[device->id], *before = *slot;
  *slot = s;
  return before;
}
static inline void cp_leave_stream(cp_context *ctx, const cp_device *device, cp_stream *before) {
  ctx->now.streams[device->id] = before;
}
// The current one in any case.
cp_status cp_context_chosen_stream(cp_context *ctx, cp_device *device, cp_stream **out);
// The stream that work goes to where no other was chosen.
cp_status cp_context_own_stream(cp_context *ctx, cp_device *device, cp_stream **out);
// Makes a stream of the host program's that one; before the first use of the device. The host keeps it until the state is closed.
cp_status cp_context_borrow_stream(cp_context *ctx, cp_device *device, uintptr_t pointer);
// A further stream; one handle is the caller's.
cp_status cp_context_new_stream(cp_context *ctx, cp_device *device, const cp_stream_options *options,
                                cp_stream **out);
// A handle comes.
void cp_stream_hand(cp_stream *s);
// A handle goes. Safe in finalizers.
void cp_stream_unhand(cp_stream *s);
// Work that waiter queues from now on starts after the work of other up to this ticket.
cp_status cp_stream_after(cp_context *ctx, cp_stream *waiter, cp_stream *other, uint64_t sequence);
// Waits for all of this state's work on device (all devices when NULL); the first one counts as a synchronisation.
cp_status cp_context_synchronize(cp_context *ctx, const cp_device *device);
// The same for the library's own purposes, as when memory goes back to its owner: no synchronisation that a script asked for.
cp_status cp_context_finish(cp_context *ctx, const cp_device *device);
cp_status cp_stream_synchronize(cp_stream *s);
// Every wait of the host for a device passes here: counts it, and tells who asked (cp.profiler.trace_sync). begin's result goes to end.
double cp_sync_begin(cp_context *ctx);
// CP_EUSAGE while work of the device (NULL: of any) is being recorded for a graph: none of it is done, so it cannot be waited for.
cp_status cp_may_wait(const cp_context *ctx, const cp_device *device);
void cp_sync_end(cp_context *ctx, double begin);
// Waits for what the event was recorded behind.
cp_status cp_event_synchronize(cp_context *ctx, cp_event *e);
// Events: one of those that finalizers left, or a new one; when none of them is of the right kind they are destroyed.
cp_status cp_context_new_event(cp_context *ctx, cp_device *device, bool timing, bool blocking,
                               cp_event **out);
void cp_context_leave_event(cp_context *ctx, cp_event *e);
// Destroys the events that finalizers left.
void cp_context_destroy_events(cp_context *ctx);
// Has d destroyed by the next cp_context_settle.
void cp_context_defer(cp_context *ctx, cp_deferred *d);
// Destroys what finalizers gave up; waits for its work. Does nothing while a graph is captured.
void cp_context_settle(cp_context *ctx);

// What counts for a state's limit: blocks of pools (live_bytes, see memory/pool.h) and what else it holds (held_bytes).
// Whether so many bytes more keep the limit.
bool cp_context_fits(const cp_context *ctx, size_t bytes);
// Counts what is no block; collects nothing. CP_EMEMORY where that would pass the limit.
cp_status cp_context_hold(cp_context *ctx, size_t bytes);
static inline void cp_context_drop(cp_context *ctx, size_t bytes) { ctx->budget.held_bytes -= bytes; }
// The same for work that is recorded just now, where a graph is captured, which holds it.
cp_status cp_context_hold_captured(cp_context *ctx, size_t bytes);

double cp_clock(void); // monotonic seconds

#endif
