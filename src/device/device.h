// A device: its table of functions and its pool of memory. The registry of devices is process-wide and
// locked; what belongs to one lua_State is in its context (context.h).
#ifndef CP_DEVICE_DEVICE_H
#define CP_DEVICE_DEVICE_H

#include "device/ops.h"

typedef struct cp_pool cp_pool;

struct cp_device {
  const cp_device_ops *ops;
  char name[16]; // "cpu", "cuda:0"
  int ordinal;
  cp_pool *pool;
  int id; // index in the registry and in cp_context.streams.all
};

enum { CP_MAX_DEVICES = 33 }; // the CPU and 32 GPUs

// Whether devices of its kind copy from each other.
static inline bool cp_has_peers(const cp_device *d) { return d->ops->peer_copy != NULL; }

// A kind of devices, as the registry finds them.
typedef struct cp_device_kind {
  const cp_device_ops *ops; // of all its devices
  // How many are usable; 0: *reason says why, which stays valid.
  int (*count)(const char **reason);
  // Makes the device of this number (from 0), in the host program's context or, NULL, in one of its own; with
  // ops, name, ordinal and pool.
  cp_status (*open)(int ordinal, void *context, cp_device **out);
  bool (*is_in)(const cp_device *d, const void *context); // whether it works in this context
} cp_device_kind;

// Makes the kinds known; before the first device is asked for. Any number of times, the same ones.
void cp_register_kinds(const cp_device_kind *cpu, const cp_device_kind *cuda);

// The device named "cpu", "cuda" (the first) or "cuda:N"; CP_EUSAGE for another name, CP_ECUDA with the
// reason when it cannot be used.
cp_status cp_device_find(const char *name, cp_device **out);
// The same in a CUcontext of the host program's, which decides when it is opened: later ones must name the
// same, or NULL.
cp_status cp_device_find_in(const char *name, void *context, cp_device **out);
cp_device *cp_device_cpu(void); // NULL: out of host memory
// The device at this address, which may be any; NULL: there is none.
cp_device *cp_device_at(const void *address);
// Number of usable GPUs. 0: *reason says why.
int cp_cuda_device_count(const char **reason);
int cp_cuda_driver_version(void); // 13000 for CUDA 13.0; 0 without a driver

#endif
