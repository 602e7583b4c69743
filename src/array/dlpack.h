// Exchange of memory without copies by DLPack tensors (github.com/dmlc/dlpack).
#ifndef CP_ARRAY_DLPACK_H
#define CP_ARRAY_DLPACK_H

#include "array/array.h"

#include <dlpack/dlpack.h>

// A tensor on the memory of a (which has some, and is foreign from now on). Its deleter may be called by any thread, also after the state of ctx was
// closed: the memory lives until then. CP_EMEMORY.
cp_status cp_to_dlpack(cp_context *ctx, const cp_array *a, DLManagedTensor **out);

// Where the elements of t lie, and as what: checks everything of it. CP_EDTYPE, CP_EUSAGE, CP_ESHAPE.
cp_status cp_read_dlpack(const DLManagedTensor *t, cp_dtype *dtype, cp_device **device);
// Makes a (placed for the tensor's dimensions) a view of the tensor, whose deleter is called when nothing uses it any more.
cp_status cp_from_dlpack(cp_context *ctx, cp_array *a, DLManagedTensor *t);

// Takes back what consumers have deleted. For cp_release_borrowed.
void cp_sweep_exports(cp_context *ctx);
// The state is being closed: tensors that are still out keep their memory by themselves.
void cp_orphan_exports(cp_context *ctx);

#endif
