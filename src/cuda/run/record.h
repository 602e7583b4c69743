// Which images a bundle gets of a kernel, and which of them a GPU can run (cache/bundle.h).
#ifndef CP_CUDA_RUN_RECORD_H
#define CP_CUDA_RUN_RECORD_H

#include "cache/bundle.h"
#include "device/raw.h"

typedef struct cp_record_target {
  int arch;
  bool ptx;
} cp_record_target;

// What a kernel is recorded for: the architectures that were named, else own_arch (0: none), and PTX of the newest of them.
int cp_cuda_record_targets(int own_arch, cp_record_target list[CP_MAX_ARCHS + 1]);

// Keeps the images that a device of this architecture may run, the best first: its own machine code, that for an older device of its
// major version, PTX. Returns how many.
int cp_cuda_usable_images(int arch, int count, cp_image list[CP_MAX_IMAGES]);

// Compiles a module of raw kernels for the bundle, unless that has it (module.c). own_arch: as above.
cp_status cp_cuda_record_raw(const cp_raw_source *source, int own_arch);

#endif
