// A call of cuSOLVER on a batch of matrices: the library's table and handles, scratch memory, and each
// matrix's result code.
#ifndef CP_CUDA_LIBRARIES_SOLVER_JOB_H
#define CP_CUDA_LIBRARIES_SOLVER_JOB_H

#include "cuda/libraries/math.h"
#include "memory/allocator.h"

typedef struct cp_solver_job {
  cp_context *ctx;
  cp_cuda_stream *s;
  cp_solver_call *c;
  const cpcu_cusolver_table *library;
  cp_cuda_math *m;
  size_t device_bytes, host_bytes; // scratch memory of one matrix
  int elements;                    // the same in elements, for older functions
  cp_block *block;
  char *work;                // on the device
  int *infos;                // on the device, one per matrix
  void *const *a, *const *b; // on the device: the matrices' addresses, for batched functions
  void *host;
  bool inaccurate; // result of the last matrix: its info becomes 1
} cp_solver_job;

// Opens the library and its handles, asks for the scratch sizes (sizes NULL: none), allocates, queues the
// work, and reads the infos if it can fail. CP_EMEMORY, CP_ECUDA.
cp_status cp_solver_run(cp_context *ctx, cp_stream *s, cp_solver_call *c, cp_status (*sizes)(cp_solver_job *),
                        cp_status (*queue)(cp_solver_job *), bool can_fail);

// Writes the addresses of the matrices at p, of `size` elements each, to the device.
cp_status cp_solver_addresses(const cp_solver_job *j, void *p, int64_t size, void *const *to);

// CP_OK, or the library's failure with the name of the call.
cp_status cp_cusolver_check(cpcu_cusolver_status status, const char *call);

// Address of matrix k, or of vector k of real numbers, among those at p with `size` elements each.
static inline char *cp_solver_matrix(const cp_solver_call *c, void *p, int64_t k, int64_t size) {
  return (char *)p + (size_t)(k * size) * cp_itemsize(c->dtype);
}
static inline char *cp_solver_reals(const cp_solver_call *c, void *p, int64_t k, int64_t size) {
  return (char *)p + (size_t)(k * size) * cp_itemsize(cp_dtypes[c->dtype].real);
}

#endif
