// Direct solvers of sparse systems by a device's library, whose factors stay on the device:
// cp_solver_ops.direct.
//
// The matrix's arrays belong to the caller alone, so nobody else can write or free them meanwhile, and their
// positions were checked. The caller keeps them as long as the factors.
#ifndef CP_ROUTINES_DIRECT_H
#define CP_ROUTINES_DIRECT_H

#include "routines/sparse.h"

// Factors of one matrix.
typedef struct cp_direct cp_direct;

typedef struct cp_direct_system {
  cp_sparse_layout m; // square, compressed by rows, canonical
  cp_dtype dtype;     // float32, float64, complex64 or complex128
  const void *values;
  int64_t right; // of a solution: the number of right sides,
  const void *b; // each of them one row here
  void *x;       // and the solutions, likewise
  char trans;    // 'N', 'T' or 'C'
} cp_direct_system;

struct cp_direct_ops {
  // Whether the library can be opened.
  bool (*there)(void);
  // Factors the matrix and waits for the result. *out is NULL where the library is not there or cannot do it
  // well: a pivot was too small, for example. Then `why`, of CP_DIRECT_WHY bytes, says so.
  cp_status (*factor)(cp_context *ctx, cp_stream *s, const cp_direct_system *a, cp_direct **out, char *why);
  // Solves for right sides, and waits for the result. *did is false where the library cannot solve with this
  // matrix's transpose. After CP_EMEMORY, make_room collects garbage and waits, so that another attempt may
  // do better.
  cp_status (*solve)(cp_context *ctx, cp_stream *s, cp_direct *f, const cp_direct_system *a, bool *did);
  cp_status (*make_room)(cp_context *ctx, cp_direct *f);
  // Gives the factors up; cp_context_settle destroys them. Safe in finalizers.
  void (*leave)(cp_direct *f);
};
enum { CP_DIRECT_WHY = 512 }; // bytes of `why`

#endif
