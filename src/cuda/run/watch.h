// Called for each plan before it runs. Gives the key of its kernel to whoever collects keys (cp.fuse). While
// kernels are recorded for GPUs, also makes the kernels of plans that run on the CPU.
#ifndef CP_CUDA_RUN_WATCH_H
#define CP_CUDA_RUN_WATCH_H

#include "cache/bundle.h"
#include "device/context.h"

static inline bool cp_is_watched(const cp_context *ctx) {
  return ctx->generator.keys != NULL || cp_recording();
}

// Appends the key of p's GPU kernel to ctx->generator.keys, preceded by its size (size_t), and records the
// kernel.
cp_status cp_watch_plan(cp_context *ctx, const cp_device *device, const cp_plan *p);

#endif
