// What a device can do: a table of functions, with pointers to further tables, one for each family of
// routines.
//
// A device must have every function, here and in the families, except those whose comment begins with
// "Optional", which may be NULL. cp_check_device_ops (devices.h) checks this when the kinds of devices are
// registered.
#ifndef CP_DEVICE_OPS_H
#define CP_DEVICE_OPS_H

#include "base/strbuf.h"
#include "device/garbage.h"
#include "device/stream.h"

typedef struct cp_plan cp_plan;
typedef struct cp_blas_ops cp_blas_ops;
typedef struct cp_solver_ops cp_solver_ops;
typedef struct cp_fft_ops cp_fft_ops;
struct cp_flat;

typedef enum cp_copy_kind { CP_TO_DEVICE, CP_TO_HOST, CP_WITHIN } cp_copy_kind;

typedef struct cp_device_ops {
  const char *kind; // "cpu" or "cuda"

  // Raw memory, for the pool alone. allocate fails with CP_EMEMORY if there is none left. release does not
  // wait: the pool synchronises first.
  cp_status (*allocate)(cp_device *d, size_t bytes, void **pointer);
  void (*release)(cp_device *d, void *pointer, size_t bytes);
  cp_status (*memory_info)(cp_device *d, size_t *free_bytes, size_t *total_bytes);
  cp_price price; // what a new block costs more than one that the pool has kept
  // How many blocks of one size, if they are large or not much smaller, the pool may ask for at once
  // (memory/slab.h); 0: one.
  size_t together;

  // Copies bytes in stream order. CP_TO_HOST returns when the bytes have arrived, CP_TO_DEVICE when src may
  // be changed again.
  cp_status (*copy)(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind);
  // Sets bytes in stream order.
  cp_status (*fill_bytes)(cp_stream *s, void *dst, int byte, size_t bytes);

  // Optional, both or neither (cp_has_peers): copies between two devices of this kind, in the order of both
  // streams. peer_reader says which of the two streams, `to` or `from`, reads the source; the caller records
  // this use (lazy/work/order.h) before the copy.
  cp_stream *(*peer_reader)(cp_stream *to, cp_stream *from);
  cp_status (*peer_copy)(cp_stream *to, void *dst, cp_stream *from, const void *src, size_t bytes);

  // Runs an elementwise, reduction or user-kernel plan in stream order, and asks ctx->generator for the
  // source of a kernel that is in no cache. May set plan->strategy. For a reduction over no elements (size 0)
  // it writes the reduction's identity, as changed by its `post` expression.
  cp_status (*run)(cp_context *ctx, cp_stream *s, cp_plan *plan);
  // Optional: whether the device runs this plan with phases (plan/plan.h) as one piece of work. Without it no
  // such plan is made. It is asked before each run, and sets access and vector, which cp_plan_phases leaves.
  bool (*takes_phases)(cp_plan *plan);
  int64_t phased_least, phased_most; // lengths of rows for which it may be so
  int64_t phased_size;               // and the least number of elements of all rows
  // Views of pending values of fewer elements do not wait, as computing these takes less time than describing
  // the views.
  int64_t viewed_size;
  // Whether it takes a reduction, of elements that nothing is made of, too, if their order matters.
  bool phased_plain;
  bool phased_joins;  // whether it takes several results of rows of other lengths, too
  bool draws_again;   // whether a random number takes less time to be drawn again than to be written and read
  bool takes_lookups; // whether plans may have lookups (plan.tables); otherwise each is made at its call
  bool writes_wait;   // whether writes into parts of pending values wait (lazy/arrays/pending_write.h)
  // Runs one operation (plan/flat.h) without a plan, if the device has a shorter way for it; otherwise sets
  // *done to false and does nothing. flat_most is the largest number of elements that it takes.
  cp_status (*run_flat)(cp_context *ctx, cp_stream *s, const struct cp_flat *f, bool *done);
  int64_t flat_most;

  cp_status (*synchronize)(cp_device *d); // waits for all of the process's work on the device
  cp_status (*stream_create)(cp_device *d, const cp_stream_options *options, cp_stream **out);
  void (*stream_destroy)(cp_stream *s); // waits for the stream's work first; leaves external streams alone
  cp_status (*stream_synchronize)(cp_stream *s);
  // The same for callers that cannot report a failure of the work, and for threads other than the stream's
  // own (pools): the failure is kept for the next synchronisation.
  cp_status (*stream_finish)(cp_stream *s);
  cp_status (*stream_query)(cp_stream *s, bool *done);
  // Makes later work of `waiter` start after the work queued on `other` so far. Meanwhile other threads may
  // queue work on `other`.
  cp_status (*stream_wait)(cp_stream *waiter, cp_stream *other);
  // The same in two steps: stream_mark marks the place that s has reached, stream_follow makes `waiter` wait
  // for the last mark of `other`, which may be on another device of this kind.
  cp_status (*stream_mark)(cp_stream *s);
  cp_status (*stream_follow)(cp_stream *waiter, cp_stream *other);
  uintptr_t (*stream_pointer)(cp_stream *s); // the driver's handle
  void (*priorities)(cp_device *d, int *least, int *greatest);

  // blocking: threads that wait for the event sleep.
  cp_status (*event_create)(cp_device *d, bool timing, bool blocking, cp_event **out);
  void (*event_destroy)(cp_device *d, cp_event *e);
  cp_status (*event_record)(cp_stream *s, cp_event *e);
  cp_status (*event_wait)(cp_stream *s, cp_event *e); // later work of s waits for e
  cp_status (*event_query)(cp_device *d, cp_event *e, bool *done);
  cp_status (*event_synchronize)(cp_device *d, cp_event *e);
  cp_status (*event_elapsed)(cp_device *d, cp_event *start, cp_event *end, double *milliseconds);
  uintptr_t (*event_pointer)(cp_event *e);

  // Calls `each` for each property of the device, whose value is `text`, or the number `value` if text is
  // NULL. With `attributes` these are the driver's own list, otherwise a few properties.
  cp_status (*properties)(cp_device *d, bool attributes,
                          void (*each)(void *data, const char *name, const char *text, double value),
                          void *data);

  // Elements chosen by masks and by arrays of positions (routines/index.h).
  const struct cp_index_ops *index;

  // Appends "key: value" lines for cp.show_config().
  void (*describe)(cp_device *d, cp_strbuf *out);

  // Libraries, opened at first use (routines/blas.h, solver.h, fft.h).
  const cp_blas_ops *blas;
  const cp_solver_ops *solver;
  const cp_fft_ops *fft;
  const struct cp_raw_ops *raw;         // raw kernels, which users write as a whole (device/raw.h)
  const struct cp_memory_ops *memory;   // page-locked, managed and stream-ordered memory (memory/allocator.h)
  const struct cp_runtime_ops *runtime; // raw addresses (device/runtime.h)
  const struct cp_texture_ops *textures; // Optional: CUDA arrays, textures, surfaces (device/texture.h)
  // Families of routines, each with a header in src/routines.
  const struct cp_scan_ops *scan;
  const struct cp_convolve_ops *convolve;
  const struct cp_sort_ops *sort;
  const struct cp_sparse_ops *sparse;
  const struct cp_sparse_form_ops *sparse_forms; // Optional
  const struct cp_walk_ops *walks;               // Optional
  const struct cp_sites_ops *sites;
  const struct cp_collective_ops *collective;
  const struct cp_graph_ops *graph; // work that is recorded and replayed (device/graph.h)
} cp_device_ops;

#endif
