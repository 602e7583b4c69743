// Ranges and marks for profilers (NVTX). Without a profiler they cost one test.
//
// There is no library to link with: a profiler names its own in NVTX_INJECTION64_PATH, and that library fills
// a table of functions.
#ifndef CP_CUDA_DRIVER_NVTX_H
#define CP_CUDA_DRIVER_NVTX_H

#include <stdbool.h>

// The parts of NVTX's NvtxCallbackModule, NvtxCallbackIdCore and NvtxExportTableID that are needed.
// check_api.c compares them with its headers.
enum { CP_NVTX_CORE = 1, CP_NVTX_CORE2 = 5 };
enum { CP_NVTX_MARK = 2, CP_NVTX_PUSH = 9, CP_NVTX_POP = 11, CP_NVTX_SIZE = 16 };
enum { CP_NVTX_CALLBACKS = 1, CP_NVTX_VERSION = 3 };

void cp_nvtx_push(const char *message);
void cp_nvtx_pop(void);
void cp_nvtx_mark(const char *message);

#endif
