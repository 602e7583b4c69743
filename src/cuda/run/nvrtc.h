// Compiles CUDA C++ to machine code by NVRTC. Needs no GPU and no driver.
//
// Thread-safe. Results are malloc'ed and belong to the caller.
#ifndef CP_CUDA_RUN_NVRTC_H
#define CP_CUDA_RUN_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/raw.h"

// What to compile. Only source, name and arch are required; zero in the other members means none.
typedef struct cp_nvrtc_request {
  const char *source;
  const char *name;           // the source's name in the log; #line in the source changes it
  int arch;                   // the device's compute capability, 90 for 9.0
  const char *const *options; // added to ours; see below
  int noptions;
  const char *const *expressions; // C++ names of kernels ("scale<float>") whose lowered names are wanted
  int nexpressions;
  const char *const *headers; // texts of files that the source may include, and their names
  const char *const *header_names;
  int nheaders;
  bool ptx;  // PTX instead of machine code
  bool fmad; // contract products and sums unless the options say otherwise, as CUDA does
  // omit -minimal, to have textures, cudaError_t and launches from kernels; compiles more slowly
  bool whole_language;
} cp_nvrtc_request;

typedef struct cp_nvrtc_output {
  void *image; // for cuModuleLoadData: a cubin, or PTX text with its NUL
  size_t size;
  bool ptx;
  char **lowered; // one for each expression of the request
  int nlowered;
  char *log; // the compiler's messages (warnings, on success), or NULL when there are none
} cp_nvrtc_output;

// Compiles `request` into `out`. Our own options are -arch, -minimal (NVRTC 12.4 and later), and, unless the
// request has these options, -fmad (false unless the request asks for it) and --std=c++17. A fast-math option
// counts as one about fmad. The image is a cubin for the best architecture that NVRTC knows within the
// device's major version, or PTX for a device newer than NVRTC. CP_ECOMPILE with at most 4 KB of the log in
// the message (out->log has all of it), CP_ECUDA without NVRTC, CP_EMEMORY. After success and failure alike,
// cp_nvrtc_output_free releases out.
cp_status cp_nvrtc_compile_request(const cp_nvrtc_request *request, cp_nvrtc_output *out);

void cp_nvrtc_output_free(cp_nvrtc_output *out);

// Compiles the module of raw kernels that `source` (C++ text) describes.
cp_status cp_nvrtc_compile_raw(const cp_raw_source *source, int arch, bool ptx, cp_nvrtc_output *out);

// NVRTC's version, 13 and 0 for CUDA 13.0. CP_ECUDA without NVRTC.
cp_status cp_nvrtc_version(int *major, int *minor);

#endif
