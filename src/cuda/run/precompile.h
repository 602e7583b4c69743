// Compiles kernels before they are needed. Says which images of a kernel are put into a bundle, and which of
// them a GPU can run. Each plan comes here before it runs: the key of its kernel goes to whoever collects
// keys (cp.fuse). While kernels are recorded for GPUs, those of plans that run on the CPU are compiled too.
#ifndef CP_CUDA_RUN_PRECOMPILE_H
#define CP_CUDA_RUN_PRECOMPILE_H

#include "cache/bundle.h"
#include "device/context.h"
#include "device/raw.h"

static inline bool cp_is_precompiling(const cp_context *ctx) {
  return ctx->generator.keys != NULL || cp_recording();
}

// Appends the key of p's GPU kernel to ctx->generator.keys, preceded by its size (size_t), and records the
// kernel.
cp_status cp_precompile_plan(cp_context *ctx, const cp_device *device, const cp_plan *p);
// The same for a plan with phases that a device other than a GPU may run, as a GPU would. Where the device
// takes the plan and a GPU would not, *takes becomes false, so that the plans that a GPU runs are made.
cp_status cp_precompile_phases(cp_context *ctx, const cp_device *device, const cp_plan *p, bool *takes);

typedef struct cp_record_target {
  int arch;
  bool ptx;
} cp_record_target;

// The targets that a kernel is recorded for: the architectures that were named, else own_arch (0: none), and
// PTX for the newest of them.
int cp_cuda_record_targets(int own_arch, cp_record_target list[CP_MAX_ARCHS + 1]);

// Keeps the images that a device of this architecture can run, the best first: its own machine code, that of
// an older device of its major version, PTX. Returns their number.
int cp_cuda_usable_images(int arch, int count, cp_image list[CP_MAX_IMAGES]);

// Compiles a module of raw kernels for the bundle, unless the bundle has it already (module.c). own_arch: as
// above.
cp_status cp_cuda_record_raw(const cp_raw_source *source, int own_arch);

#endif
