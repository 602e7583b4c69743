// What a device does: a table of functions, and tables of families of functions.
//
// A device must have every function, here and in the families, but for those whose comment begins with
// "Optional": NULL says that it has none. cp_check_device_ops (devices.h) sees to that when the kinds of
// devices are registered.
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

  // Raw memory, called by the pool alone. allocate: CP_EMEMORY when there is none. release waits for nothing:
  // the pool synchronises first.
  cp_status (*allocate)(cp_device *d, size_t bytes, void **pointer);
  void (*release)(cp_device *d, void *pointer, size_t bytes);
  cp_status (*memory_info)(cp_device *d, size_t *free_bytes, size_t *total_bytes);
  cp_price price; // of a new block, against one that the pool has kept
  // Blocks of one size, large or not much smaller, that the pool may ask for at once (memory/slab.h); 0: one.
  size_t together;

  // Copies bytes in stream order. TO_HOST returns when the bytes are there; TO_DEVICE when src may be changed
  // again.
  cp_status (*copy)(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind);
  // Sets bytes in stream order.
  cp_status (*fill_bytes)(cp_stream *s, void *dst, int byte, size_t bytes);

  // Optional, both or neither (cp_has_peers): copies between two devices of this kind, in the order of both
  // streams. What reads the source is work of the stream that peer_reader gives, `to` or `from`; the caller
  // tells lazy/evaluation/order.h so before.
  cp_stream *(*peer_reader)(cp_stream *to, cp_stream *from);
  cp_status (*peer_copy)(cp_stream *to, void *dst, cp_stream *from, const void *src, size_t bytes);

  // Runs an elementwise, reduction or user-kernel plan in stream order; asks ctx->generator for the source of
  // a kernel that is in no cache. May set plan->strategy. An empty plan (size 0) of a reduction writes what
  // post gives of the identity.
  cp_status (*run)(cp_context *ctx, cp_stream *s, cp_plan *plan);
  // Runs one operation (plan/flat.h) without a plan, where the device has a shorter way for it; else *done is
  // false and nothing happened. flat_most: elements of the largest one.
  cp_status (*run_flat)(cp_context *ctx, cp_stream *s, const struct cp_flat *f, bool *done);
  int64_t flat_most;

  cp_status (*synchronize)(cp_device *d); // waits for all work of the process on the device
  cp_status (*stream_create)(cp_device *d, const cp_stream_options *options, cp_stream **out);
  void (*stream_destroy)(cp_stream *s); // waits for its work; leaves external ones alone
  cp_status (*stream_synchronize)(cp_stream *s);
  // The same where nobody would hear of a failure, and for threads other than the stream's own (pools): what
  // its work found wrong stays, for the next synchronisation.
  cp_status (*stream_finish)(cp_stream *s);
  cp_status (*stream_query)(cp_stream *s, bool *done);
  // Later work of waiter starts after the work queued on other so far. Other threads may queue on `other`
  // meanwhile.
  cp_status (*stream_wait)(cp_stream *waiter, cp_stream *other);
  // The same in two steps: marks the place that s has reached; waiter waits for the last mark of other, which
  // may be of another device of this kind.
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

  // Calls `each` with what the device says of itself: text, or a number where text is NULL. attributes: the
  // driver's own list, else a few properties.
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

#endif
