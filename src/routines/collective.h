// Communicators: several ranks, each with one device, in one process or many, that move and combine arrays together. A family of functions that a device
// may offer: NCCL on GPUs (cuda/libraries/nccl.c), sockets on the CPU (cpu/comm/collective.c).
#ifndef CP_ROUTINES_COLLECTIVE_H
#define CP_ROUTINES_COLLECTIVE_H

#include "base/dtype.h"
#include "device/device.h"

enum { CP_ID_BYTES = 128 };

// What the members of a communicator have in common before they meet: made by one, brought to the others by any way.
typedef struct cp_unique_id {
  char bytes[CP_ID_BYTES];
} cp_unique_id;

typedef enum cp_collective_kind { // ORDER cp_collective_names
  CP_ALL_REDUCE,
  CP_BROADCAST,
  CP_REDUCE,
  CP_ALL_GATHER,
  CP_REDUCE_SCATTER,
  CP_SEND,
  CP_RECV
} cp_collective_kind;
extern const char *const cp_collective_names[]; // "all_reduce", ...

typedef enum cp_combination {
  CP_SUM,
  CP_PROD,
  CP_MIN,
  CP_MAX,
  CP_AVG
} cp_combination;                                // ORDER cp_combination_names
extern const char *const cp_combination_names[]; // "sum", ...

// A rank's end of a communicator. Families extend it.
typedef struct cp_comm {
  const struct cp_collective_ops *ops;
  cp_device *device;
  int rank, size;
  double timeout; // seconds without any progress after which a call fails; not all families can tell
  bool broken;    // a call failed: the ranks do not agree any more on what comes next
  int working;    // calls that run now: it cannot be left meanwhile
} cp_comm;

// What one rank does. Arrays are contiguous; in == out where a reduction or a broadcast works in place.
typedef struct cp_collective {
  cp_comm *comm;
  cp_stream *stream; // of the communicator's device
  cp_collective_kind kind;
  cp_dtype dtype;
  cp_combination combination; // of reductions
  int root;                   // of broadcast and reduce; the other rank of send and recv
  const void *in;             // NULL: recv
  void *out;                  // NULL: send, and reduce where this rank is not the root
  // Elements: of one rank's part where parts are gathered or scattered, else of the whole.
  size_t count;
} cp_collective;

typedef struct cp_collective_ops {
  const char *name; // "nccl", "tcp"
  // The library's version as a number; CP_ECUDA where it cannot be opened. NULL: there is no library.
  cp_status (*version)(int *version);
  // address: of this host, where other ranks find it; NULL: they are on this host.
  cp_status (*unique_id)(cp_device *d, const char *address, cp_unique_id *id);
  // Waits for all ranks.
  cp_status (*join)(cp_context *ctx, cp_device *d, const cp_unique_id *id, int rank, int size, double timeout,
                    cp_comm **out);
  // All ranks of a communicator, for one thread.
  cp_status (*join_all)(int size, cp_device *const *devices, double timeout, cp_comm **out);
  // Whether arrays of this dtype can be reduced so as they are.
  bool (*combines)(cp_dtype t, cp_combination c);
  // One group: works of one or several communicators (all of this family), of which none writes what another one uses. All ranks name a communicator's
  // collectives in the same order; sends and receives go at once. After a failure the communicators are broken.
  cp_status (*run)(int count, const cp_collective *works);
  // The end of a communicator. collected: called by a finalizer, so the device is not waited for.
  void (*leave)(cp_comm *c, bool collected);
} cp_collective_ops;

extern const cp_collective_ops cp_cpu_collective_ops, cp_cuda_collective_ops;

// CP_EDTYPE where no family combines such elements: the order of complex numbers, the mean of truth values.
cp_status cp_check_combination(cp_dtype t, cp_combination c);

#endif
