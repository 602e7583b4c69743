// What is told of each plan before it runs: the key of its kernel goes to whoever notes them (cp.fuse), and a plan that runs on the CPU while
// kernels are recorded for GPUs has its kernel made for them.
#ifndef CP_CUDA_RUN_WATCH_H
#define CP_CUDA_RUN_WATCH_H

#include "cache/bundle.h"
#include "device/device.h"

static inline bool cp_is_watched(const cp_context *ctx) {
  return ctx->generator.keys != NULL || cp_recording();
}

// Appends the key of the kernel that a GPU runs for p to ctx->generator.keys, its size (size_t) in front, and records the kernel.
cp_status cp_watch_plan(cp_context *ctx, const cp_device *device, const cp_plan *p);

#endif
