// Other kinds of memory on a GPU: page-locked host memory, managed memory, and the driver's own
// stream-ordered pool.
#include "cuda/driver/cuda.h"
#include "memory/allocator.h"

#include <stdint.h>

static cp_status pinned_allocate(cp_device *base, size_t bytes, bool write_combined, void **pointer) {
  cp_cuda_device *d = cp_cuda_of(base);
  unsigned flags = CPCU_MEMHOSTALLOC_PORTABLE | CPCU_MEMHOSTALLOC_DEVICEMAP |
                   (write_combined ? CPCU_MEMHOSTALLOC_WRITECOMBINED : 0);
  *pointer = NULL;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d, d->driver->cuMemHostAlloc(pointer, bytes, flags), "cuMemHostAlloc");
}

// An error here comes from earlier work, and the next cp_cuda_enter reports it.
static void pinned_release(cp_device *base, void *pointer, size_t bytes) {
  cp_cuda_device *d = cp_cuda_of(base);
  (void)bytes;
  if (cp_cuda_enter(d) == CP_OK) (void)cp_cuda_result(d, d->driver->cuMemFreeHost(pointer), "cuMemFreeHost");
}

static cp_status pinned_address(cp_device *base, void *pointer, void **there) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_deviceptr p = 0;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(
      cp_cuda_result(d, d->driver->cuMemHostGetDevicePointer(&p, pointer, 0), "cuMemHostGetDevicePointer"));
  *there = (void *)(uintptr_t)p;
  return CP_OK;
}

static cp_status managed_allocate(cp_device *base, size_t bytes, void **pointer) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_deviceptr p = 0;
  *pointer = NULL;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(cp_cuda_result(d, d->driver->cuMemAllocManaged(&p, bytes, CPCU_MEM_ATTACH_GLOBAL),
                        "cuMemAllocManaged"));
  *pointer = (void *)(uintptr_t)p;
  return CP_OK;
}

// By default the driver releases the free memory of its pool at every synchronisation; this makes it keep the
// memory.
static cp_status keep_async(cp_cuda_device *d) {
  cpcu_memory_pool pool = NULL;
  unsigned long long all = UINT64_MAX;
  if (d->keeps_async) return CP_OK;
  CP_TRY(
      cp_cuda_result(d, d->driver->cuDeviceGetDefaultMemPool(&pool, d->device), "cuDeviceGetDefaultMemPool"));
  CP_TRY(cp_cuda_result(d, d->driver->cuMemPoolSetAttribute(pool, CPCU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all),
                        "cuMemPoolSetAttribute"));
  d->keeps_async = true;
  return CP_OK;
}

static cp_status async_allocate(cp_stream *s, size_t bytes, void **pointer) {
  cp_cuda_device *d = cp_cuda_of(s->device);
  cpcu_deviceptr p = 0;
  *pointer = NULL;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(keep_async(d));
  CP_TRY(cp_cuda_result(d, d->driver->cuMemAllocAsync(&p, bytes, ((cp_cuda_stream *)s)->stream),
                        "cuMemAllocAsync"));
  *pointer = (void *)(uintptr_t)p;
  return CP_OK;
}

static cp_status async_release(cp_device *base, cp_stream *s, void *pointer, size_t bytes) {
  cp_cuda_device *d = cp_cuda_of(base);
  (void)bytes;
  CP_TRY(cp_cuda_enter(d));
  if (s == NULL) return cp_cuda_result(d, d->driver->cuMemFree(cp_cuda_address(pointer)), "cuMemFree");
  return cp_cuda_result(d, d->driver->cuMemFreeAsync(cp_cuda_address(pointer), ((cp_cuda_stream *)s)->stream),
                        "cuMemFreeAsync");
}

static void async_trim(cp_device *base) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_memory_pool pool = NULL;
  if (cp_cuda_enter(d) != CP_OK) return;
  if (cp_cuda_result(d, d->driver->cuDeviceGetDefaultMemPool(&pool, d->device),
                     "cuDeviceGetDefaultMemPool") == CP_OK)
    (void)cp_cuda_result(d, d->driver->cuMemPoolTrimTo(pool, 0), "cuMemPoolTrimTo");
}

static cp_status copy_pinned(cp_stream *base, void *dst, const void *src, size_t bytes, cp_copy_kind kind) {
  cp_cuda_device *d = cp_cuda_of(base->device);
  cpcu_stream s = ((cp_cuda_stream *)base)->stream;
  if (bytes == 0) return CP_OK;
  CP_TRY(cp_cuda_enter(d));
  if (kind == CP_TO_DEVICE)
    return cp_cuda_result(d, d->driver->cuMemcpyHtoDAsync(cp_cuda_address(dst), src, bytes, s),
                          "cuMemcpyHtoDAsync");
  return cp_cuda_result(d, d->driver->cuMemcpyDtoHAsync(dst, cp_cuda_address(src), bytes, s),
                        "cuMemcpyDtoHAsync");
}

const cp_memory_ops cp_cuda_memory_ops = {.pinned_allocate = pinned_allocate,
                                          .pinned_release = pinned_release,
                                          .pinned_address = pinned_address,
                                          .managed_allocate = managed_allocate,
                                          .async_allocate = async_allocate,
                                          .async_release = async_release,
                                          .async_trim = async_trim,
                                          .copy_pinned = copy_pinned};
