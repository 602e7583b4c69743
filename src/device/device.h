// What a device is: a table of functions, a pool of memory, and streams. The registry of devices is process-wide and locked;
// everything that belongs to one lua_State is in its cp_context.
#ifndef CP_DEVICE_DEVICE_H
#define CP_DEVICE_DEVICE_H

#include "base/error.h"
#include "base/strbuf.h"

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
struct cp_node;

typedef enum cp_copy_kind { CP_TO_DEVICE, CP_TO_HOST, CP_WITHIN } cp_copy_kind;

// A queue of work of one device, in order. Devices extend it.
struct cp_stream {
  cp_device *device;
};

typedef struct cp_device_ops {
  const char *kind; // "cpu" or "cuda"

  // Raw memory, called by the pool alone. allocate: CP_EMEMORY when there is none. release waits for nothing: the pool synchronises first.
  cp_status (*allocate)(cp_device *d, size_t bytes, void **pointer);
  void (*release)(cp_device *d, void *pointer, size_t bytes);
  cp_status (*memory_info)(cp_device *d, size_t *free_bytes, size_t *total_bytes);

  // Copies bytes in stream order. TO_HOST returns when the bytes are there; TO_DEVICE when src may be changed again.
  cp_status (*copy)(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind);
  // Sets bytes in stream order.
  cp_status (*fill_bytes)(cp_stream *s, void *dst, int byte, size_t bytes);

  // Runs an elementwise, reduction or user-kernel plan in stream order; asks ctx->generator for the source of a kernel that is in
  // no cache. May set plan->strategy. An empty plan (size 0) of a reduction writes what post gives of the identity.
  cp_status (*run)(cp_context *ctx, cp_stream *s, cp_plan *plan);

  cp_status (*stream_create)(cp_device *d, cp_stream **out);
  void (*stream_destroy)(cp_stream *s); // waits for its work
  cp_status (*stream_synchronize)(cp_stream *s);
  // Later work of waiter starts after the work queued on other so far.
  cp_status (*stream_wait)(cp_stream *waiter, cp_stream *other);

  cp_status (*event_create)(cp_device *d, cp_event **out);
  void (*event_destroy)(cp_device *d, cp_event *e);
  cp_status (*event_record)(cp_stream *s, cp_event *e);
  cp_status (*event_synchronize)(cp_device *d, cp_event *e);
  cp_status (*event_elapsed)(cp_device *d, cp_event *start, cp_event *end, double *milliseconds);

  // Appends "key: value" lines for cp.show_config().
  void (*describe)(cp_device *d, cp_strbuf *out);

  const struct cp_raw_ops *raw; // kernels that users write whole (device/raw.h)
} cp_device_ops;

struct cp_device {
  const cp_device_ops *ops;
  char name[16]; // "cpu", "cuda:0"
  int ordinal;
  cp_pool *pool;
  int id; // index in the registry and in cp_context.streams
};

enum { CP_MAX_DEVICES = 33 }; // the CPU and 32 GPUs

// The device named "cpu", "cuda" (the first) or "cuda:N"; CP_EUSAGE for another name, CP_ECUDA with the reason when it cannot be used.
cp_status cp_device_find(const char *name, cp_device **out);
cp_device *cp_device_cpu(void); // NULL: out of host memory
// Number of usable GPUs. 0: *reason says why.
int cp_cuda_device_count(const char **reason);

// Work counters of one lua_State, as cp.profiler.counters() shows them.
typedef struct cp_counters {
  uint64_t launches, compiles, cache_hits, allocations, bytes_allocated, synchronizations, collections;
  uint64_t forces, renames; // pending values computed; buffers exchanged because of pending readers
} cp_counters;

// Where the source text of kernels comes from: the Lua side, set by src/lua.
typedef struct cp_generator {
  // Writes the source of plan's kernel for target ("cuda" or "cpu", the latter for user kernels only); fails with the generator's message.
  cp_status (*source)(void *data, const cp_plan *plan, const char *target, cp_strbuf *out);
  // The same for the routine kernels/routine/FILE.cu with its variables.
  cp_status (*routine)(void *data, const char *file, const char *variables, cp_strbuf *out);
  void *data;
  uint64_t version; // hash of ops.def, preludes, templates and generator: part of every key on disk
} cp_generator;

// Small structs of one size that were freed, for the next ones: a collection frees thousands at once, more than malloc keeps at hand.
typedef struct cp_spare {
  void *first; // each begins with the address of the next
  int count;
} cp_spare;
enum { CP_MAX_SPARE = 4096 };

struct cp_context {
  cp_device *device;                  // the current one
  cp_stream *streams[CP_MAX_DEVICES]; // made at first use
  cp_generator generator;
  cp_counters counters;
  // Collects garbage so that dead arrays give their blocks back. Called with no lock held; must not raise. full: out of memory. Counts
  // itself in counters.collections and collect_seconds.
  void (*collect)(void *data, bool full);
  void *collect_data;
  size_t live_bytes;    // of this state's arrays, by block size
  size_t limit;         // of live_bytes, set by the host; 0: none
  size_t since_collect; // allocated since the last collection, less what was given back meanwhile
  size_t budget;        // collect when since_collect passes it; 0: the pool sets it at the first allocation
  // Large blocks that may come from the device before garbage is looked for instead, and how many after the last time that was not worth it.
  unsigned fresh_left, fresh_step;
  double collect_seconds,
      collect_mark; // time spent collecting in all, and the clock after the last collection
  bool automatic;   // false: collect only when memory runs out
  cp_spare buffers, storages, nodes;
  struct cp_export *exports; // tensors that are out (array/dlpack.h)
  _Atomic bool returned;     // some of them were deleted
  struct cp_lent *lent;      // memory of others that is no longer used: its owners have not heard yet
  struct cp_raw_module *modules; // of raw kernels, see device/raw.h
  // Pending values (expr/pending.h).
  bool fusion, log_fusion;
  struct cp_node *pending_first, *pending_last; // oldest first
  struct cp_pending_walk
      *pending_walks;  // along them, the innermost first: what leaves the list moves them on
  size_t pinned_bytes; // of buffers that pending values alone keep
  size_t pinned_bound; // when they pass it, some values are computed (0: not set yet)
  unsigned epoch;      // number of the last walk through nodes
  const char *why;     // what asks for values just now, for the log
  bool closed;
};

// This state's stream on device, made at first use.
cp_status cp_context_stream(cp_context *ctx, cp_device *device, cp_stream **out);
// Waits for all of this state's work on device (all devices when NULL).
cp_status cp_context_synchronize(cp_context *ctx, cp_device *device);
// Destroys the streams. Blocks still live keep their memory.
void cp_context_close(cp_context *ctx);

double cp_clock(void); // monotonic seconds

#endif
