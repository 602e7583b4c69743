// What the files on cuDSS share: the library, opened at first use, and its handle for one state and device.
#ifndef CP_CUDA_LIBRARIES_CUDSS_H
#define CP_CUDA_LIBRARIES_CUDSS_H

#include "cuda/libraries/api_cudss.h"
#include "cuda/libraries/math.h"
#include "routines/direct.h"

// A handle, whose work is on the state's own stream of the device. Version 1.0 reads right sides too early on
// streams that it was given later, so the host waits for operands before each call, and for results after it.
typedef struct cp_cudss {
  cpcu_cudss handle;
  cp_device *device;
  cp_cuda_stream *own;
  struct cp_direct *factors;
  char unusable[CP_DIRECT_WHY]; // why no handle could be made; empty: it could
} cp_cudss;

struct cp_direct {
  cp_deferred dead;
  cp_cudss *home; // NULL: the state's streams were destroyed, and the factors with them
  cp_context *ctx;
  cpcu_cudss_config config;
  cpcu_cudss_data data;
  cp_direct *next; // of the handle's factors
};

extern cpcu_cudss_table cp_cudss_table;

// Opens the library; false: it is not there.
bool cp_cudss_there(void);
// Finds the handle, made at first use, and enters the device. *out NULL: the library is not there or does not
// work here, as *why says.
cp_status cp_cudss_of(cp_context *ctx, cp_device *d, cp_cudss **out, const char **why);
// Destroys what the library holds of the factors, whose work is done.
void cp_cudss_end(cp_direct *f);
// CP_OK, or the library's failure with the name of the call.
cp_status cp_cudss_check(cpcu_cudss_status status, const char *call);

#endif
