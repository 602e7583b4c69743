// The libraries of CUDA: the driver and NVRTC. Libraries with one purpose (cublas.c, cusolver.c, cufft.c) are
// opened where they are used.
#ifndef CP_CUDA_DRIVER_LIBRARY_H
#define CP_CUDA_DRIVER_LIBRARY_H

#include "cuda/driver/api.h"
#include "host/library.h"

typedef enum cp_library_id { CP_LIBRARY_DRIVER, CP_LIBRARY_NVRTC, CP_LIBRARY_COUNT } cp_library_id;

// The driver's functions; cuInit has not been called. CP_ECUDA if there is no NVIDIA driver.
cp_status cp_cuda_driver(const cpcu_driver **out);

// NVRTC's functions. A 12.x driver gets an NVRTC 12 if there is one. CP_ECUDA if there is no NVRTC, or
// CUPOLA_NVRTC=off is set.
cp_status cp_nvrtc_library(const cpcu_nvrtc **out);

// Where the libraries of a toolkit are searched for (those of wheels in the folder of CUDA 13 or in one of
// their own), what an error message suggests, and whether CUDA 12's libraries come before those of CUDA 13.
extern const char *const cp_toolkit_variables[], *const cp_toolkit_folders[];
#define CP_TOOLKIT_PLACES(own)                                                                               \
  .folders = cp_toolkit_folders, .variables = cp_toolkit_variables,                                          \
  .wheels = CP_LIST("nvidia/cu13/lib", "nvidia/" own "/lib")
#define CP_TOOLKIT_HINT(wheel)                                                                               \
  "install a CUDA toolkit 12 or 13, or the Python wheel " wheel ", or set CUPOLA_CUDA_PATH"
bool cp_cuda_prefers_12(void);

// The file that a library was opened from, or NULL when it was not opened (yet). Opens nothing.
const char *cp_library_path(cp_library_id which);

// Turns a driver function's result into a status: CP_OK, CP_EMEMORY when memory ran out, otherwise CP_ECUDA.
// The message has `call` (such as "cuLaunchKernel"), the error's name, CUDA's description and sometimes a
// hint.
cp_status cp_cuda_check(cpcu_result result, const char *call);

// True for errors after which CUDA refuses every further call of this process.
bool cp_cuda_is_sticky(cpcu_result result);

#endif
