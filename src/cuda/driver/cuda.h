// What the files of the CUDA device share.
//
// A cp_cuda_device is process-wide and lives until the process ends; its lock protects its kernels and
// staging buffers. A cp_cuda_stream belongs to one cp_context. Every function that calls the driver enters
// the device first, since CUDA's current context is a property of the thread, which the host program may
// change between two calls.
#ifndef CP_CUDA_DRIVER_CUDA_H
#define CP_CUDA_DRIVER_CUDA_H

#include "cache/cache.h"
#include "cuda/driver/library.h"
#include "device/context.h"
#include "plan/params.h"
#include "plan/plan.h"

// ---- the device (driver.c) ----

// A staging buffer: page-locked memory for copies of any size (staging.c), used as two alternating buffers or
// as one. Event k is recorded after the last copy that used buffer k; a copy that uses the other events waits
// for them itself.
enum { CP_CUDA_CHUNK = 2 << 20, CP_CUDA_LANE_EVENTS = 8 };
typedef struct cp_cuda_staging_buffer {
  char *memory; // two chunks
  cpcu_event event[CP_CUDA_LANE_EVENTS];
  struct cp_cuda_staging_buffer *next;
} cp_cuda_staging_buffer;

// A user's kernel whose launch has not been synchronised with yet. If a fault occurs, its name is reported.
typedef struct cp_cuda_unsynced_launch {
  const char *name; // lives as long as the process; NULL: none
  const void *stream;
} cp_cuda_unsynced_launch;
enum { CP_MAX_UNSYNCED = 4 };

// Counts captured parts in progress, and calls that would invalidate a capture (graph.h).
typedef struct cp_cuda_gate {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int parts, calls;
} cp_cuda_gate;

struct cp_cuda_stream;

typedef struct cp_cuda_device {
  cp_device base;
  const cpcu_driver *driver; // functions of libcuda
  cpcu_device device;
  cpcu_context context; // the primary context, retained until the process ends, or the host program's
  char title[96];       // "NVIDIA H200"
  int arch;             // compute capability: 90 for 9.0
  int sm_count;         // number of multiprocessors
  int max_threads;      // most threads per block
  int max_sm_threads;   // most threads per multiprocessor
  int max_shared;       // bytes of shared memory per block, by default and after opting in
  int max_shared_optin;
  int l2_bytes;
  int driver_version; // 13000 for CUDA 13.0

  cp_cuda_gate gate;
  pthread_mutex_t lock;
  cp_table *kernels;                       // key bytes (cp_plan_key) -> cp_cuda_function
  cp_cuda_staging_buffer *staging_buffers; // idle staging buffers (staging.c), the most recently used first
  int nstaging_buffers;                    // number of staging buffers, idle or not
  atomic_bool keeps_async;                 // the driver's pool was told to keep freed memory (memory.c)
  atomic_bool faulted;                     // a sticky error happened; `fault` says which
  char fault[1024];
  cp_cuda_unsynced_launch unsynced[CP_MAX_UNSYNCED]; // the latest first
  // how memory of another GPU, by its ordinal, is read (peer.c); 0: not known yet
  atomic_int links[CP_MAX_DEVICES];
} cp_cuda_device;

// Number of usable GPUs (depends on CUDA_VISIBLE_DEVICES). 0: *reason says why; that text stays valid until
// the process ends.
int cp_cuda_count(const char **reason);
// Starts the driver and stores it in d. CP_ECUDA in a forked child.
cp_status cp_cuda_start(cp_cuda_device *d);

// Makes the device's context current in the calling thread. CP_ECUDA after a sticky error, and in a forked
// child.
cp_status cp_cuda_enter(cp_cuda_device *d);

// The driver's form of a device address.
static inline cp_cuda_device *cp_cuda_of(cp_device *d) { return (cp_cuda_device *)d; }
static inline cp_cuda_device *cp_cuda_device_of(const cp_stream *s) { return cp_cuda_of(s->device); }
static inline cpcu_deviceptr cp_cuda_address(const void *p) { return (cpcu_deviceptr)(uintptr_t)p; }

// cp_cuda_check that also remembers a sticky error; after that every cp_cuda_enter fails and reports it.
cp_status cp_cuda_result(cp_cuda_device *d, cpcu_result result, const char *call);

// Remembers that a user's kernel was launched on s. `name` lives as long as the process.
void cp_cuda_add_unsynced(struct cp_cuda_stream *s, const char *name);
// Forgets the stream's unsynchronised launches, as it was synchronised without an error.
void cp_cuda_clear_unsynced(struct cp_cuda_stream *s);

// ---- streams and events (stream.c) ----

// Two alternating pinned buffers for copies of a few kilobytes, allocated at first use.
typedef struct cp_cuda_small_buffers {
  char *memory;        // both halves; NULL before the first use
  cpcu_event event[2]; // recorded after the last copy of each half
  int current;
  size_t used; // used bytes of the current half
} cp_cuda_small_buffers;

typedef struct cp_cuda_faults cp_cuda_faults;

// Memory that graphs recorded on a stream still use after it was replaced by larger memory. Freed with the
// stream.
typedef struct cp_cuda_retired {
  struct cp_cuda_retired *next;
  cpcu_deviceptr memory;
} cp_cuda_retired;

// A recently found kernel of a single operation (flat.c).
enum { CP_CUDA_RECENT = 64 };
typedef struct cp_cuda_recent {
  uint64_t word; // 0: empty entry
  const struct cp_cuda_function *function;
} cp_cuda_recent;

typedef struct cp_cuda_stream {
  cp_stream base;
  cpcu_stream stream;
  cpcu_event event; // for others that wait for this stream
  cp_cuda_small_buffers small_buffers;
  cpcu_deviceptr workspace, counters; // see cp_cuda_workspace
  size_t workspace_size, counters_size;
  cpcu_deviceptr table; // see cp_cuda_table
  size_t table_size;
  unsigned turn;             // 0: the table must be cleared
  bool backwards;            // whether the last kernel's blocks went through memory backwards
  cp_cuda_retired *retired;  // replaced memory that graphs still use
  struct cp_cuda_math *math; // handles of cuBLAS, cuSOLVER and cuFFT (libraries/math.h), created at first use
  void (*close_math)(struct cp_cuda_stream *s); // destroys them
  const char *unsynced_kernel; // the user's kernel launched last; NULL: none since the last synchronisation
  cp_cuda_faults *faults; // errors that kernels found in their data (fault.c); NULL: no kernel checked any
  cp_cuda_recent recent[CP_CUDA_RECENT];
} cp_cuda_stream;

// Whether the blocks of the stream's next kernel are to go through memory backwards: the other way than those
// of the last one.
static inline bool cp_cuda_turn_round(cp_cuda_stream *s) { return s->backwards = !s->backwards; }

// Tells a kernel with these slots (kernels/blocks.cu).
static inline void cp_cuda_alternate(cp_cuda_stream *s, uint64_t *slots) {
  slots[0] |= (uint64_t)cp_cuda_turn_round(s) << 63;
}

// Scratch memory for the next kernel of this stream: at least `bytes` at *workspace (aligned to 256 bytes,
// any content), and at least `ncounters` 32-bit zeros at *counters, which the kernel must leave zero. Kernels
// of one stream run one after the other and share both; the addresses are valid until the next call for this
// stream. Either amount may be 0. CP_EMEMORY, CP_ECUDA.
cp_status cp_cuda_workspace(cp_cuda_stream *s, size_t bytes, size_t ncounters, cpcu_deviceptr *workspace,
                            cpcu_deviceptr *counters);

// A table for the next kernel of this stream, in which no 32-bit word is above *turn << CP_CUDA_TURN. The
// kernel writes only words between that and (*turn + 1) << CP_CUDA_TURN. So each kernel finds the words of
// earlier kernels lower than its own, and the table need not be cleared between them. CP_EMEMORY, CP_ECUDA.
enum { CP_CUDA_TURN = 20 };
cp_status cp_cuda_table(cp_cuda_stream *s, size_t bytes, cpcu_deviceptr *table, unsigned *turn);

// Functions of cp_device_ops; see device.h. stream_wait also waits for streams of other devices.
cp_status cp_cuda_stream_create(cp_device *d, const cp_stream_options *options, cp_stream **out);
void cp_cuda_stream_destroy(cp_stream *s);
cp_status cp_cuda_stream_synchronize(cp_stream *s);
// Waits for the stream while the host may interrupt, if it may at all. Comes before waits that cannot be
// interrupted.
cp_status cp_cuda_stream_await(cp_stream *s);
// The rest of cp_cuda_stream_synchronize, which cannot be interrupted.
cp_status cp_cuda_stream_settle(cp_stream *s);
cp_status cp_cuda_stream_finish(cp_stream *s);
cp_status cp_cuda_stream_query(cp_stream *s, bool *done);
cp_status cp_cuda_stream_wait(cp_stream *waiter, cp_stream *other);
cp_status cp_cuda_stream_mark(cp_stream *s);
cp_status cp_cuda_stream_follow(cp_stream *waiter, cp_stream *other);
uintptr_t cp_cuda_stream_pointer(cp_stream *s);
void cp_cuda_priorities(cp_device *d, int *least, int *greatest);
cp_status cp_cuda_event_create(cp_device *d, bool timing, bool blocking, cp_event **out);
void cp_cuda_event_destroy(cp_device *d, cp_event *e);
cp_status cp_cuda_event_record(cp_stream *s, cp_event *e);
cp_status cp_cuda_event_wait(cp_stream *s, cp_event *e);
cp_status cp_cuda_event_query(cp_device *d, cp_event *e, bool *done);
cp_status cp_cuda_event_synchronize(cp_device *d, cp_event *e);
cp_status cp_cuda_event_elapsed(cp_device *d, cp_event *start, cp_event *end, double *milliseconds);
uintptr_t cp_cuda_event_pointer(cp_event *e);
// An event for several processes, and its handle for them. handle: of another process's event; NULL: a new
// one.
cp_status cp_cuda_event_open(cp_device *d, bool blocking, const char *handle, cp_event **out);
cp_status cp_cuda_event_share(cp_event *e, char *handle);

// ---- copies (copy.c) ----

cp_status cp_cuda_copy(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind);
cp_status cp_cuda_fill_bytes(cp_stream *s, void *dst, int byte, size_t bytes);
// For a few bytes that a kernel returns to the host. cp_cuda_result_buffer gives pinned memory that the
// kernel may write (*slot NULL: there is none); cp_cuda_take_result waits for the stream after the launch and
// fetches the bytes.
cp_status cp_cuda_result_buffer(cp_cuda_stream *s, size_t bytes, char **slot);
cp_status cp_cuda_take_result(cp_cuda_stream *s, void *dst, const char *slot, size_t bytes);
// Allocates `bytes` of pinned memory and creates events. On failure nothing is left allocated.
cpcu_result cp_cuda_pin(cp_cuda_device *d, size_t bytes, int nevents, char **memory, cpcu_event *event);
// Copies between the device and pageable memory through staging buffers. *did false: there is no memory for
// one, and nothing was done. The context is current.
cp_status cp_cuda_staged_copy(cp_cuda_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind,
                              bool *did);
// Takes a staging buffer of the device, an idle one if possible; NULL when there is no memory for one.
// `alone`: the copy needs only one, so one of the few in use is good enough. The context is current. The
// buffer is the caller's until cp_cuda_give_staging, which may be called before the copies through it are
// done: the next user waits for its events.
cp_cuda_staging_buffer *cp_cuda_take_staging(cp_cuda_device *d, bool alone);
void cp_cuda_give_staging(cp_cuda_device *d, cp_cuda_staging_buffer *staging);

// ---- copies between GPUs (peer.c) ----

cp_stream *cp_cuda_peer_reader(cp_stream *to, cp_stream *from);
cp_status cp_cuda_peer_copy(cp_stream *to, void *dst, cp_stream *from, const void *src, size_t bytes);

// ---- collective operations (nccl.c) ----

// The file that NCCL was opened from, or NULL.
const char *cp_nccl_path(void);

// ---- other kinds of memory (memory.c) ----

extern const struct cp_memory_ops cp_cuda_memory_ops;

// ---- kernels (kernel.c) ----

typedef struct cp_cuda_function {
  cpcu_function function;
  cpcu_module module;
  int registers;    // per thread
  int max_threads;  // most threads per block that its registers allow
  int shared_bytes; // static shared memory per block
  int local_bytes;  // bytes of local memory per thread, for spilled registers
  bool awaits;      // it begins by waiting for the kernels before it (launch.c)
  char name[72];    // for messages: "sum of float32"
} cp_cuda_function;

// Finds the kernel of a plan whose key is *key (from cp_plan_key, after plan->strategy was set): in memory,
// on disk, or generated by ctx->generator and compiled. Its entry point is `extern "C" __global__ void
// CP_ENTRY(struct of 8-byte slots)`. Generated text may start with lines `//nvrtc OPTION`, one compiler
// option each. The function lives as long as the process. No lock is held while the generator runs.
// CP_ECOMPILE with the compiler's text, the generator's own errors, CP_ECUDA, CP_EMEMORY.
cp_status cp_cuda_kernel(cp_context *ctx, cp_cuda_device *d, const cp_plan *plan, const cp_key *key,
                         cp_cuda_function **out);

// The kernel of a routine: kernels/routine/FILE.cu, instantiated for variables such as "PASS=1 T=float32"
// (lua/cupola/kernels/routine.lua says how). `variables` is a printf format with no conversions but %s and
// %d. The entry point and all else are as for plans.
cp_status cp_cuda_routine(cp_context *ctx, cp_cuda_device *d, const char *file, cp_cuda_function **out,
                          const char *variables, ...) __attribute__((format(printf, 5, 6)));

// Compiles the kernel of an arranged plan (cp_cuda_arrange) for the bundle being recorded (cache/bundle.h),
// unless the bundle has it already. own_arch: the architecture to record for if none was named; 0: record
// nothing then. Needs no GPU.
cp_status cp_cuda_record_plan(cp_context *ctx, int own_arch, const cp_plan *plan, const cp_key *key);

// ---- launches (launch.c) ----

// from this architecture on, machine code can wait for earlier kernels itself
enum { CP_CUDA_AWAITING_ARCH = 90 };

typedef struct cp_cuda_shape {
  unsigned grid[3], block[3];
  unsigned shared; // bytes of dynamic shared memory per block
} cp_cuda_shape;

// Launches a function with the arguments at these addresses. awaits: the kernel itself waits for earlier
// kernels, so the launch need not. The caller has entered the device.
cpcu_result cp_cuda_launch_function(const cp_cuda_device *d, cpcu_stream stream, cpcu_function f, bool awaits,
                                    const cp_cuda_shape *shape, void **arguments);

// Launches f with `slots`, a struct, as its only argument, on `grid` blocks of `block` threads with `shared`
// bytes of dynamic shared memory. A grid of 0 blocks launches nothing. CP_ECUDA; CP_EUSAGE for more blocks
// than a grid can have.
cp_status cp_cuda_launch(cp_context *ctx, cp_cuda_stream *s, const cp_cuda_function *f, int64_t grid,
                         unsigned block, unsigned shared, const uint64_t *slots);
// Launches f with a thread for each of `count` pieces of work.
static inline cp_status cp_cuda_launch_each(cp_context *ctx, cp_stream *s, const cp_cuda_function *f,
                                            int64_t count, unsigned block, const uint64_t *slots) {
  ((cp_cuda_stream *)s)->backwards = false;
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, cp_divide_up(count, block), block, 0, slots);
}

// ---- raw kernels (module.c) ----

extern const struct cp_raw_ops cp_cuda_raw_ops;

// ---- running plans (run.c) ----

cp_status cp_cuda_run(cp_context *ctx, cp_stream *s, cp_plan *plan);
// Runs one operation (flat.c); see cp_device_ops.
cp_status cp_cuda_run_flat(cp_context *ctx, cp_stream *s, const struct cp_flat *f, bool *done);
// Brings a plan into the form that a GPU with this many multiprocessors runs, and computes its kernel's key.
void cp_cuda_arrange(int sm_count, cp_plan *p, cp_key *key);

#endif
