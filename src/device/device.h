// A device: its table of functions (ops.h) and its memory pool. The registry of devices is shared by the
// process and has a lock; what belongs to one lua_State is in its context (context.h).
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

// Whether devices of d's kind can copy from each other.
static inline bool cp_has_peers(const cp_device *d) { return d->ops->peer_copy != NULL; }

// A kind of devices: how the registry counts and opens them.
typedef struct cp_device_kind {
  const cp_device_ops *ops; // shared by all devices of the kind
  // The number of usable devices. If it is 0, *reason says why; that text stays valid.
  int (*count)(const char **reason);
  // Makes device `ordinal` (from 0) and sets its ops, name, ordinal and pool. It works in the host program's
  // context, or in a context of its own if `context` is NULL.
  cp_status (*open)(int ordinal, void *context, cp_device **out);
  bool (*is_in)(const cp_device *d, const void *context); // whether d works in this context
} cp_device_kind;

// Registers the kinds. Must be called before the first device is looked up; further calls must pass the same
// kinds.
void cp_register_kinds(const cp_device_kind *cpu, const cp_device_kind *cuda);

// Finds the device named "cpu", "cuda" (the first GPU) or "cuda:N". Fails with CP_EUSAGE for any other name,
// and with CP_ECUDA and the reason if the device cannot be used.
cp_status cp_device_find(const char *name, cp_device **out);
// The same, but opens the device in a CUcontext of the host program. The first call that opens the device
// decides its context: later calls must pass the same one, or NULL.
cp_status cp_device_find_in(const char *name, void *context, cp_device **out);
cp_device *cp_device_cpu(void); // NULL if out of host memory
// The number of usable GPUs. If it is 0, *reason says why.
int cp_cuda_device_count(const char **reason);
int cp_cuda_driver_version(void); // 13000 for CUDA 13.0; 0 without a driver

#endif
