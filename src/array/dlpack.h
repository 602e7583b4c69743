// Exchange of memory without copies by DLPack tensors (github.com/dmlc/dlpack).
#ifndef CP_ARRAY_DLPACK_H
#define CP_ARRAY_DLPACK_H

#include "array/array.h"

#include <dlpack/dlpack.h>

// A tensor of DLPack 1, which says its version and whether it may be written. (dlpack.h before 1.0 lacks it.)
typedef struct cp_versioned_tensor {
  struct {
    uint32_t major, minor;
  } version;
  void *manager_ctx;
  void (*deleter)(struct cp_versioned_tensor *self);
  uint64_t flags;
  DLTensor dl_tensor;
} cp_versioned_tensor;
enum { CP_DLPACK_MAJOR = 1, CP_DLPACK_READONLY = 1, CP_DLPACK_COPIED = 2 }; // DLPack's version and flags

// A tensor of either kind; the other pointer is NULL. Both are NULL where there is none.
typedef struct cp_tensor {
  DLManagedTensor *plain;
  cp_versioned_tensor *versioned;
} cp_tensor;

static inline bool cp_is_tensor(cp_tensor t) { return t.plain != NULL || t.versioned != NULL; }
static inline bool cp_same_tensor(cp_tensor a, cp_tensor b) {
  return a.plain == b.plain && a.versioned == b.versioned;
}
static inline const DLTensor *cp_tensor_body(cp_tensor t) {
  return t.plain != NULL ? &t.plain->dl_tensor : &t.versioned->dl_tensor;
}
static inline void *cp_tensor_address(cp_tensor t) { return t.plain != NULL ? (void *)t.plain : t.versioned; }
// Calls the deleter, if the tensor has one.
void cp_delete_tensor(cp_tensor t);

// Exports an array that has memory, whose address counts as exposed from now on. The tensor's deleter may be
// called in any thread, even after the state of ctx was closed: the memory lives until then. CP_EMEMORY,
// CP_EUSAGE.
cp_status cp_to_dlpack(cp_context *ctx, const cp_array *a, bool versioned, cp_tensor *out);

// Validates a tensor and reads its dtype and device. CP_EDTYPE, CP_EUSAGE, CP_ESHAPE.
cp_status cp_read_dlpack(cp_tensor t, cp_dtype *dtype, cp_device **device);
// Makes an array (placed, with the tensor's dimensions) a view of the tensor, whose deleter is called when
// nothing uses it any more.
cp_status cp_from_dlpack(cp_context *ctx, cp_array *a, cp_tensor t);

// Frees the exports that consumers have deleted; called by cp_release_borrowed.
void cp_sweep_exports(cp_context *ctx);
// Called when the state is closed: from now on the remaining tensors own their memory.
void cp_orphan_exports(cp_context *ctx);

#endif
