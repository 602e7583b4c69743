// What cuBLAS, cuSOLVER, cuFFT and cuRAND share: the place where a stream keeps their handles.
#include "cuda/libraries/math.h"

#include "cuda/driver/graph.h"

#include <stdlib.h>

// According to the documentation, destroying a cuBLAS handle waits for the whole device.
static void close_math(cp_cuda_stream *s) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  cp_cuda_alone_begin(d);
  while (s->math->nclosers > 0) s->math->closers[--s->math->nclosers](s->math, d->driver);
  cp_cuda_alone_end(d);
  free(s->math);
  s->math = NULL;
}

cp_status cp_cuda_math_of(cp_cuda_stream *s, cp_cuda_math **out) {
  if (s->math == NULL) s->math = calloc(1, sizeof *s->math);
  *out = s->math;
  if (s->math == NULL) return cp_no_memory(NULL);
  s->close_math = close_math;
  return cp_cuda_enter((cp_cuda_device *)s->base.device);
}

void cp_cuda_math_closes(cp_cuda_math *m, void (*close)(cp_cuda_math *m, const cpcu_driver *driver)) {
  for (int k = 0; k < m->nclosers; k++)
    if (m->closers[k] == close) return;
  m->closers[m->nclosers++] = close;
}

cpcu_data_type cp_cuda_data_type(cp_dtype t) {
  switch (t) {
  case CP_FLOAT16: return CPCU_R_16F;
  case CP_BFLOAT16: return CPCU_R_16BF;
  case CP_FLOAT32: return CPCU_R_32F;
  case CP_COMPLEX64: return CPCU_C_32F;
  case CP_COMPLEX128: return CPCU_C_64F;
  default: return CPCU_R_64F;
  }
}
