// Exchange of memory without copies by DLPack tensors (github.com/dmlc/dlpack).
#ifndef CP_ARRAY_DLPACK_H
#define CP_ARRAY_DLPACK_H

#include "array/array.h"

#include <dlpack/dlpack.h>

// Exports an array that has memory, whose address counts as exposed from now on. The tensor's deleter may be
// called in any thread, even after the state of ctx was closed: the memory lives until then. CP_EMEMORY,
// CP_EUSAGE.
cp_status cp_to_dlpack(cp_context *ctx, const cp_array *a, DLManagedTensor **out);

// Validates a tensor and reads its dtype and device. CP_EDTYPE, CP_EUSAGE, CP_ESHAPE.
cp_status cp_read_dlpack(const DLManagedTensor *t, cp_dtype *dtype, cp_device **device);
// Makes an array (placed, with the tensor's dimensions) a view of the tensor, whose deleter is called when
// nothing uses it any more.
cp_status cp_from_dlpack(cp_context *ctx, cp_array *a, DLManagedTensor *t);

// Frees the exports that consumers have deleted; called by cp_release_borrowed.
void cp_sweep_exports(cp_context *ctx);
// Called when the state is closed: from now on the remaining tensors own their memory.
void cp_orphan_exports(cp_context *ctx);

#endif
