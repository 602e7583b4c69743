// Compiling CUDA C++ to machine code by NVRTC. Needs no GPU and no driver.
//
// Thread-safe. Results are malloc'ed and belong to the caller.
#ifndef CP_CUDA_RUN_NVRTC_H
#define CP_CUDA_RUN_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/raw.h"

// What to compile. Zero members mean none, but source, name and arch are needed.
typedef struct cp_nvrtc_request {
  const char *source;
  const char *name;           // as the log names the source; #line in the source changes it
  int arch;                   // the device's compute capability, 90 for 9.0
  const char *const *options; // added to ours; see below
  int noptions;
  const char *const *expressions; // C++ names of kernels ("scale<float>") whose lowered names are wanted
  int nexpressions;
  const char *const *headers; // texts of files that the source may include, and their names
  const char *const *header_names;
  int nheaders;
  bool ptx;            // PTX instead of machine code
  bool fmad;           // contract products and sums where the options say nothing, as CUDA does
  bool whole_language; // leave out -minimal: textures, cudaError_t, launches from kernels; slower to compile
} cp_nvrtc_request;

typedef struct cp_nvrtc_output {
  void *image; // for cuModuleLoadData: a cubin, or PTX text with its NUL
  size_t size;
  bool ptx;
  char **lowered; // one for each expression of the request
  int nlowered;
  char *log; // the compiler's text, on success its warnings; NULL when it said nothing
} cp_nvrtc_output;

// Compiles `request` into `out`. Our own options are -arch, -minimal (NVRTC 12.4 and later), and -fmad (false
// unless the request says so) and --std=c++17, unless its options speak of these (a fast-math option counts as one
// about fmad).
// The image is a cubin for the best architecture that NVRTC knows within the device's major version; for a
// device that is newer than NVRTC it is PTX. Fails with CP_ECOMPILE and at most 4 KB of the log in the
// message (out->log has all of it), CP_ECUDA without NVRTC, CP_EMEMORY. After either outcome
// cp_nvrtc_output_free releases out.
cp_status cp_nvrtc_compile_request(const cp_nvrtc_request *request, cp_nvrtc_output *out);

void cp_nvrtc_output_free(cp_nvrtc_output *out);

// The module of raw kernels that `source` (C++ text) describes.
cp_status cp_nvrtc_compile_raw(const cp_raw_source *source, int arch, bool ptx, cp_nvrtc_output *out);

// NVRTC's version, 13 and 0 for CUDA 13.0. Fails with CP_ECUDA without NVRTC.
cp_status cp_nvrtc_version(int *major, int *minor);

#endif
