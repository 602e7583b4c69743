// What cp.cuda.runtime does with raw addresses besides allocating, copying and setting bytes:
// cp_device_ops.runtime. A device that has no other names cp_plain_runtime_ops, whose memory is the host's.
#ifndef CP_DEVICE_RUNTIME_H
#define CP_DEVICE_RUNTIME_H

#include "device/device.h"

// One side of a copy of a box: rows of bytes, `pitch` bytes apart, in planes of `rows` rows, and the byte,
// row and plane where the box begins. A CUDA array (device/texture.h) stands in place of a pointer.
typedef struct cp_box_side {
  char *pointer;
  void *array;
  size_t pitch, rows, x, y, z;
} cp_box_side;
typedef struct cp_box {
  cp_box_side to, from;
  size_t width, height, depth; // bytes, rows and planes, none of them 0
} cp_box;

enum { CP_ON_HOST = -1 }; // in place of a GPU's ordinal

typedef enum cp_memory_type {
  CP_UNREGISTERED,
  CP_HOST_MEMORY,
  CP_DEVICE_MEMORY,
  CP_MANAGED_MEMORY
} cp_memory_type;
typedef struct cp_pointer_facts {
  cp_memory_type type;
  int device; // its ordinal, or CP_ON_HOST
  void *on_device, *on_host;
} cp_pointer_facts;

enum { CP_IPC_BYTES = 64 }; // of a handle for other processes

typedef struct cp_runtime_ops {
  cp_status (*copy_box)(cp_stream *s, const cp_box *box);
  // Locks pages of the host's memory, and unlocks them. mapped: the device shall reach them.
  cp_status (*lock)(cp_device *d, void *pointer, size_t bytes, unsigned flags);
  cp_status (*unlock)(cp_device *d, void *pointer);
  // Managed memory: how it will be used (CUDA's numbers), and its move to a GPU or the host in stream order.
  cp_status (*advise)(cp_device *d, void *pointer, size_t bytes, int advice, int where);
  cp_status (*prefetch)(cp_stream *s, void *pointer, size_t bytes, int where);
  cp_status (*facts)(cp_device *d, void *pointer, cp_pointer_facts *out);
  cp_status (*profile)(cp_device *d, bool on); // starts or stops profilers that wait for it
  // The rest is optional, all or nothing: what only GPUs have.
  cp_status (*limit)(cp_device *d, int which, bool set, size_t *value);
  cp_status (*bus)(cp_device *d, char *text, size_t size);
  cp_status (*peer)(cp_device *d, cp_device *other, bool enable, bool *can);
  // The driver's pools by their handles. pool: the default one, or the one that is used now.
  cp_status (*pool)(cp_device *d, bool by_default, void **pool);
  cp_status (*pool_use)(cp_device *d, void *pool);
  cp_status (*pool_create)(cp_device *d, void **pool);
  cp_status (*pool_destroy)(cp_device *d, void *pool);
  cp_status (*pool_trim)(cp_device *d, void *pool, size_t keep);
  cp_status (*pool_allocate)(cp_stream *s, void *pool, size_t bytes, void **pointer);
  // Memory and events that other processes use. `event` is new.
  cp_status (*share)(cp_device *d, void *pointer, char handle[CP_IPC_BYTES]);
  cp_status (*open)(cp_device *d, const char handle[CP_IPC_BYTES], void **pointer);
  cp_status (*close)(cp_device *d, void *pointer);
  cp_status (*event_create)(cp_device *d, bool blocking, const char *handle, cp_event **event);
  cp_status (*event_share)(cp_event *e, char handle[CP_IPC_BYTES]);
} cp_runtime_ops;

extern const cp_runtime_ops cp_plain_runtime_ops, cp_cuda_runtime_ops;

#endif
