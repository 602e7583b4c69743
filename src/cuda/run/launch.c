// Launches kernels.
//
// By default the driver makes a launch wait for the kernel before it, at a cost for every call: half a
// microsecond of host time on an H200, and a fifth of a small kernel's time in a graph. With CUDA's
// programmatic dependent launch the kernel waits instead, by its first instruction (griddepcontrol.wait),
// which returns when every earlier kernel is done and its writes are visible. So the order stays the same.
// Every thread must run that instruction before any access to memory, and a kernel without it may not be
// launched this way. Only the machine code knows, as code for architectures before 9.0 lacks the instruction.
// Our kernels say so by the name of their entry point (lua/cupola/kernels/preludes.lua), users' modules by an
// additional kernel (lua/cupola/kernels/raw.lua).
#include "cuda/driver/cuda.h"

#include <stdio.h>

// driver 12.3: from there on captures keep this attribute of launches
enum { STATIC_SHARED = 48 << 10, KNOWN_TO_GRAPHS = 12030 };

cpcu_result cp_cuda_launch_function(const cp_cuda_device *d, cpcu_stream stream, cpcu_function f, bool awaits,
                                    const cp_cuda_shape *shape, void **arguments) {
  const unsigned *g = shape->grid, *b = shape->block;
  if (!awaits || d->driver_version < KNOWN_TO_GRAPHS)
    return d->driver->cuLaunchKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], shape->shared, stream, arguments,
                                     NULL);
  cpcu_launch_attribute overlap = {.id = CPCU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                   .value.programmaticStreamSerializationAllowed = 1};
  const cpcu_launch_config config = {.gridDimX = g[0],
                                     .gridDimY = g[1],
                                     .gridDimZ = g[2],
                                     .blockDimX = b[0],
                                     .blockDimY = b[1],
                                     .blockDimZ = b[2],
                                     .sharedMemBytes = shape->shared,
                                     .hStream = stream,
                                     .attrs = &overlap,
                                     .numAttrs = 1};
  return d->driver->cuLaunchKernelEx(&config, f, arguments, NULL);
}

static cp_status fail_launch(cp_cuda_device *d, const cp_cuda_function *f, cpcu_result result) {
  char call[sizeof f->name + 32];
  snprintf(call, sizeof call, "%s: cuLaunchKernel", f->name);
  return cp_cuda_result(d, result, call);
}

cp_status cp_cuda_launch(cp_context *ctx, cp_cuda_stream *s, const cp_cuda_function *f, int64_t grid,
                         unsigned block, unsigned shared, const uint64_t *slots) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  void *arguments[1] = {(void *)(uintptr_t)slots}; // the driver copies the arguments
  const cp_cuda_shape shape = {{(unsigned)grid, 1, 1}, {block, 1, 1}, shared};
  cpcu_result result = CPCU_SUCCESS;
  if (grid == 0) return CP_OK;
  if (grid > INT32_MAX) return cp_fail(CP_EUSAGE, "there are more elements than one kernel can take");
  CP_TRY(cp_cuda_enter(d));
  if (shared > STATIC_SHARED)
    result = d->driver->cuFuncSetAttribute(f->function, CPCU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           (int)shared);
  if (result == CPCU_SUCCESS)
    result = cp_cuda_launch_function(d, s->stream, f->function, f->awaits, &shape, arguments);
  if (result != CPCU_SUCCESS) return fail_launch(d, f, result);
  ctx->counters.launches++;
  return CP_OK;
}
