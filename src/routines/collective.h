// Communicators: several ranks, each with one device, in one process or many, that exchange and combine
// arrays. Devices may offer this family of functions: NCCL on GPUs (cuda/libraries/nccl.c), sockets on the
// CPU (cpu/comm/collective.c).
#ifndef CP_ROUTINES_COLLECTIVE_H
#define CP_ROUTINES_COLLECTIVE_H

#include "base/dtype.h"
#include "device/device.h"

enum { CP_ID_BYTES = 128 };

// Identifies a communicator before its ranks are connected. One rank makes it, and the program brings it to
// the others.
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

// A rank's end of a communicator. Families extend this struct.
typedef struct cp_comm {
  const struct cp_collective_ops *ops;
  cp_device *device;
  int rank, size;
  double timeout; // a call fails after this many seconds without progress; not all families can detect that
  bool broken;    // a call failed, so the ranks no longer agree on what comes next
  int working;    // calls in progress, during which it must not be destroyed
} cp_comm;

// What one rank does. Arrays are contiguous. In-place reductions and broadcasts have in == out.
typedef struct cp_collective {
  cp_comm *comm;
  cp_stream *stream; // a stream of the communicator's device
  cp_collective_kind kind;
  cp_dtype dtype;
  cp_combination combination; // for reductions
  int root;                   // for broadcast and reduce; for send and recv the other rank
  const void *in;             // NULL: recv
  void *out;                  // NULL: send, or reduce on a rank that is not the root
  // Number of elements: of one rank's part where parts are gathered or scattered, else of the whole array.
  size_t count;
} cp_collective;

typedef struct cp_collective_ops {
  const char *name; // "nccl", "tcp"
  // address: this host's address for other ranks; NULL: all ranks are on this host.
  cp_status (*unique_id)(cp_device *d, const char *address, cp_unique_id *id);
  // Waits for all ranks.
  cp_status (*join)(cp_context *ctx, cp_device *d, const cp_unique_id *id, int rank, int size, double timeout,
                    cp_comm **out);
  // All ranks of a communicator, in one thread.
  cp_status (*join_all)(int size, cp_device *const *devices, double timeout, cp_comm **out);
  // True if arrays of this dtype can be combined without a conversion.
  bool (*combines)(cp_dtype t, cp_combination c);
  // Runs one group: operations of one or several communicators (all of this family), of which none writes
  // what another one uses. All ranks must issue a communicator's collectives in the same order; sends and
  // receives run concurrently. After a failure the communicators are broken.
  cp_status (*run)(int count, const cp_collective *works);
  // Destroys a communicator. collected: called by a finalizer, so it does not wait for the device.
  void (*leave)(cp_comm *c, bool collected);
} cp_collective_ops;

extern const cp_collective_ops cp_cpu_collective_ops, cp_cuda_collective_ops;
// NCCL's version as a number; CP_ECUDA if it cannot be opened.
cp_status cp_nccl_version(int *version);

// CP_EDTYPE if no family combines such elements: an order of complex numbers, a mean of bool.
cp_status cp_check_combination(cp_dtype t, cp_combination c);

#endif
