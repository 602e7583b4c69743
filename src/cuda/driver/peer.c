// Copies between GPUs. If one GPU can access the other's memory (NVLink, or PCIe below one root), access is
// enabled when a pair is first used, and the reader's copy engine fetches the bytes. Otherwise they go
// through host memory, chunk by chunk through the two halves of a staging buffer: one stream fills one half
// while the other stream empties the other. Both ways only queue work; events order the two streams.
#include "cuda/driver/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, DIRECT, STAGED };

// CUPOLA_PEER_ACCESS=0 sends every copy through host memory, for hosts where peer access is reported but does
// not work.
static bool is_wanted(void) {
  const char *v = getenv("CUPOLA_PEER_ACCESS");
  return v == NULL || strcmp(v, "0") != 0;
}

// True if kernels and copies on `to` can read memory of `from` from now on. A GPU supports a limited number
// of peers; beyond it the answer is false.
static bool enable(cp_cuda_device *to, cp_cuda_device *from) {
  int can = 0;
  const cpcu_driver *cu = to->driver;
  if (cu->cuDeviceCanAccessPeer(&can, to->device, from->device) != CPCU_SUCCESS || can == 0) return false;
  if (cp_cuda_enter(to) != CP_OK) return false;
  cpcu_result result = cu->cuCtxEnablePeerAccess(from->context, 0);
  return result == CPCU_SUCCESS || result == CPCU_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

// Two threads may determine this at once; they find the same.
static int link_of(cp_cuda_device *to, cp_cuda_device *from) {
  atomic_int *link = &to->links[from->base.ordinal];
  int known = atomic_load_explicit(link, memory_order_acquire);
  if (known != UNKNOWN) return known;
  known = is_wanted() && enable(to, from) ? DIRECT : STAGED;
  atomic_store_explicit(link, known, memory_order_release);
  return known;
}

cp_stream *cp_cuda_peer_reader(cp_stream *to, cp_stream *from) {
  cp_cuda_device *here = (cp_cuda_device *)to->device, *there = (cp_cuda_device *)from->device;
  return link_of(here, there) == DIRECT ? to : from;
}

// Copies one chunk through half k of a staging buffer, which is free once event k has passed. CUDA records an
// event only on streams of the event's own device, but any stream can wait for it.
static cp_status copy_staged(cp_cuda_stream *to, cp_cuda_stream *from, cp_cuda_staging_buffer *staging, int k,
                             char *dst, const char *src, size_t bytes) {
  cp_cuda_device *here = (cp_cuda_device *)to->base.device, *there = (cp_cuda_device *)from->base.device;
  const cpcu_driver *cu = here->driver;
  char *buffer = staging->memory + (size_t)k * CP_CUDA_CHUNK;
  CP_TRY(cp_cuda_enter(there));
  CP_TRY(
      cp_cuda_result(there, cu->cuStreamWaitEvent(from->stream, staging->event[k], 0), "cuStreamWaitEvent"));
  CP_TRY(cp_cuda_result(there,
                        cu->cuMemcpyAsync(cp_cuda_address(buffer), cp_cuda_address(src), bytes, from->stream),
                        "cuMemcpyAsync"));
  CP_TRY(cp_cuda_result(there, cu->cuEventRecord(from->event, from->stream), "cuEventRecord"));
  CP_TRY(cp_cuda_enter(here));
  CP_TRY(cp_cuda_result(here, cu->cuStreamWaitEvent(to->stream, from->event, 0), "cuStreamWaitEvent"));
  CP_TRY(cp_cuda_result(here,
                        cu->cuMemcpyAsync(cp_cuda_address(dst), cp_cuda_address(buffer), bytes, to->stream),
                        "cuMemcpyAsync"));
  return cp_cuda_result(here, cu->cuEventRecord(staging->event[k], to->stream), "cuEventRecord");
}

static cp_status staged_copy(cp_cuda_stream *to, char *dst, cp_cuda_stream *from, const char *src,
                             size_t bytes) {
  cp_cuda_device *here = (cp_cuda_device *)to->base.device;
  cp_status status = CP_OK;
  CP_TRY(cp_cuda_enter(here));
  cp_cuda_staging_buffer *staging = cp_cuda_take_staging(here, true);
  if (staging == NULL)
    return cp_fail(CP_EMEMORY, "no page-locked memory for a copy from %s to %s", from->base.device->name,
                   here->base.name);
  int k = 0;
  for (size_t done = 0; done < bytes && status == CP_OK; done += CP_CUDA_CHUNK, k ^= 1) {
    size_t n = bytes - done < CP_CUDA_CHUNK ? bytes - done : CP_CUDA_CHUNK;
    status = copy_staged(to, from, staging, k, dst + done, src + done, n);
  }
  cp_cuda_give_staging(here, staging);
  return status;
}

cp_status cp_cuda_peer_copy(cp_stream *to, void *dst, cp_stream *from, const void *src, size_t bytes) {
  cp_cuda_device *here = (cp_cuda_device *)to->device, *there = (cp_cuda_device *)from->device;
  if (bytes == 0) return CP_OK;
  if (link_of(here, there) != DIRECT)
    return staged_copy((cp_cuda_stream *)to, dst, (cp_cuda_stream *)from, src, bytes);
  CP_TRY(cp_cuda_enter(here));
  cpcu_stream stream = ((cp_cuda_stream *)to)->stream;
  cpcu_result result = here->driver->cuMemcpyPeerAsync(cp_cuda_address(dst), here->context,
                                                       cp_cuda_address(src), there->context, bytes, stream);
  // Mapped host memory and managed memory belong to no single context.
  if (result == CPCU_ERROR_INVALID_VALUE)
    result = here->driver->cuMemcpyAsync(cp_cuda_address(dst), cp_cuda_address(src), bytes, stream);
  return cp_cuda_result(here, result, "cuMemcpyPeerAsync");
}
