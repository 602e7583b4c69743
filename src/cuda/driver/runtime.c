// Raw addresses on a GPU, for cp.cuda.runtime (device/runtime.h): copies of boxes, page-locked and managed
// memory, the driver's pools, memory of other processes, limits.
#include "device/runtime.h"
#include "cuda/driver/cuda.h"
#include "cuda/driver/graph.h"

#include <string.h>

// ---- copies -----------------------------------------------------------------------------------------------

// Whether the address is in memory that the driver knows, of the GPU or of the host. Other memory is the
// host's.
static int type_of(const cp_cuda_device *d, const cp_box_side *side) {
  int type = 0;
  if (side->array != NULL) return CPCU_MEMORYTYPE_ARRAY;
  const cpcu_result result = d->driver->cuPointerGetAttribute(&type, CPCU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                              cp_cuda_address(side->pointer));
  return result == CPCU_SUCCESS && type != 0 ? CPCU_MEMORYTYPE_UNIFIED : CPCU_MEMORYTYPE_HOST;
}

static cp_status copy_box(cp_stream *s, const cp_box *b) {
  cp_cuda_device *d = cp_cuda_of(s->device);
  CP_TRY(cp_cuda_enter(d));
  cpcu_memcpy3d c = {.srcXInBytes = b->from.x,
                     .srcY = b->from.y,
                     .srcZ = b->from.z,
                     .srcMemoryType = type_of(d, &b->from),
                     .srcHost = b->from.pointer,
                     .srcDevice = cp_cuda_address(b->from.pointer),
                     .srcArray = b->from.array,
                     .srcPitch = b->from.pitch,
                     .srcHeight = b->from.rows,
                     .dstXInBytes = b->to.x,
                     .dstY = b->to.y,
                     .dstZ = b->to.z,
                     .dstMemoryType = type_of(d, &b->to),
                     .dstHost = b->to.pointer,
                     .dstDevice = cp_cuda_address(b->to.pointer),
                     .dstArray = b->to.array,
                     .dstPitch = b->to.pitch,
                     .dstHeight = b->to.rows,
                     .WidthInBytes = b->width,
                     .Height = b->height,
                     .Depth = b->depth};
  return cp_cuda_result(d, d->driver->cuMemcpy3DAsync(&c, ((cp_cuda_stream *)s)->stream), "cuMemcpy3DAsync");
}

// ---- the host's memory and managed memory -----------------------------------------------------------------

static cp_status lock(cp_device *base, void *pointer, size_t bytes, unsigned flags) {
  cp_cuda_device *d = cp_cuda_of(base);
  CP_CUDA_CALL(d, cuMemHostRegister, pointer, bytes, flags | CPCU_MEMHOSTREGISTER_PORTABLE);
  return CP_OK;
}

static cp_status unlock(cp_device *base, void *pointer) {
  cp_cuda_device *d = cp_cuda_of(base);
  CP_CUDA_CALL(d, cuMemHostUnregister, pointer);
  return CP_OK;
}

// From CUDA 12.2 on places are given by their kind; drivers before have the functions of the old form alone.
static cpcu_location location_of(int where) {
  return (cpcu_location){where == CP_ON_HOST ? CPCU_MEM_LOCATION_TYPE_HOST : CPCU_MEM_LOCATION_TYPE_DEVICE,
                         where == CP_ON_HOST ? 0 : where};
}
static cpcu_device device_of(int where) { return where == CP_ON_HOST ? CPCU_DEVICE_CPU : where; }

static cp_status advise(cp_device *base, void *pointer, size_t bytes, int advice, int where) {
  cp_cuda_device *d = cp_cuda_of(base);
  const cpcu_deviceptr at = cp_cuda_address(pointer);
  if (d->driver->cuMemAdvise_v2 != NULL)
    CP_CUDA_CALL(d, cuMemAdvise_v2, at, bytes, advice, location_of(where));
  else if (d->driver->cuMemAdvise != NULL)
    CP_CUDA_CALL(d, cuMemAdvise, at, bytes, advice, device_of(where));
  else
    return cp_fail(CP_ECUDA, "the driver has no cuMemAdvise");
  return CP_OK;
}

static cp_status prefetch(cp_stream *s, void *pointer, size_t bytes, int where) {
  cp_cuda_device *d = cp_cuda_of(s->device);
  const cpcu_deviceptr at = cp_cuda_address(pointer);
  cpcu_stream stream = ((cp_cuda_stream *)s)->stream;
  CP_TRY(cp_cuda_enter(d));
  if (d->driver->cuMemPrefetchAsync_v2 != NULL)
    return cp_cuda_result(d, d->driver->cuMemPrefetchAsync_v2(at, bytes, location_of(where), 0, stream),
                          "cuMemPrefetchAsync");
  if (d->driver->cuMemPrefetchAsync != NULL)
    return cp_cuda_result(d, d->driver->cuMemPrefetchAsync(at, bytes, device_of(where), stream),
                          "cuMemPrefetchAsync");
  return cp_fail(CP_ECUDA, "the driver has no cuMemPrefetchAsync");
}

static bool ask(const cp_cuda_device *d, int attribute, void *pointer, void *value) {
  return d->driver->cuPointerGetAttribute(value, attribute, cp_cuda_address(pointer)) == CPCU_SUCCESS;
}

static cp_status facts(cp_device *base, void *pointer, cp_pointer_facts *out) {
  cp_cuda_device *d = cp_cuda_of(base);
  int type = 0, device = CP_ON_HOST;
  unsigned managed = 0;
  cpcu_deviceptr there = 0;
  void *here = NULL;
  CP_TRY(cp_cuda_enter(d));
  *out = (cp_pointer_facts){CP_UNREGISTERED, CP_ON_HOST, NULL, pointer};
  if (!ask(d, CPCU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer, &type) || type == 0) return CP_OK;
  (void)ask(d, CPCU_POINTER_ATTRIBUTE_IS_MANAGED, pointer, &managed);
  (void)ask(d, CPCU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer, &device);
  (void)ask(d, CPCU_POINTER_ATTRIBUTE_DEVICE_POINTER, pointer, &there);
  (void)ask(d, CPCU_POINTER_ATTRIBUTE_HOST_POINTER, pointer, &here);
  *out = (cp_pointer_facts){managed != 0                     ? CP_MANAGED_MEMORY
                            : type == CPCU_MEMORYTYPE_DEVICE ? CP_DEVICE_MEMORY
                                                             : CP_HOST_MEMORY,
                            device, (void *)(uintptr_t)there, here};
  return CP_OK;
}

static cp_status profile(cp_device *base, bool on) {
  cp_cuda_device *d = cp_cuda_of(base);
  if (on)
    CP_CUDA_CALL(d, cuProfilerStart);
  else
    CP_CUDA_CALL(d, cuProfilerStop);
  return CP_OK;
}

// ---- the GPU ----------------------------------------------------------------------------------------------

static cp_status limit(cp_device *base, int which, bool set, size_t *value) {
  cp_cuda_device *d = cp_cuda_of(base);
  if (set)
    CP_CUDA_CALL(d, cuCtxSetLimit, which, *value);
  else
    CP_CUDA_CALL(d, cuCtxGetLimit, value, which);
  return CP_OK;
}

static cp_status bus(cp_device *base, char *text, size_t size) {
  cp_cuda_device *d = cp_cuda_of(base);
  CP_CUDA_CALL(d, cuDeviceGetPCIBusId, text, (int)size, d->device);
  return CP_OK;
}

static cp_status peer(cp_device *base, cp_device *other, bool enable, bool *can) {
  cp_cuda_device *d = cp_cuda_of(base);
  int answer = 0;
  CP_CUDA_CALL(d, cuDeviceCanAccessPeer, &answer, d->device, cp_cuda_of(other)->device);
  *can = answer != 0;
  if (!enable) return CP_OK;
  const cpcu_result result = d->driver->cuCtxEnablePeerAccess(cp_cuda_of(other)->context, 0);
  return result == CPCU_ERROR_PEER_ACCESS_ALREADY_ENABLED
             ? CP_OK
             : cp_cuda_result(d, result, "cuCtxEnablePeerAccess");
}

// ---- pools ------------------------------------------------------------------------------------------------

static cp_status pool(cp_device *base, bool by_default, void **out) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_memory_pool p = NULL;
  if (by_default)
    CP_CUDA_CALL(d, cuDeviceGetDefaultMemPool, &p, d->device);
  else
    CP_CUDA_CALL(d, cuDeviceGetMemPool, &p, d->device);
  *out = p;
  return CP_OK;
}

static cp_status pool_use(cp_device *base, void *p) {
  cp_cuda_device *d = cp_cuda_of(base);
  CP_CUDA_CALL(d, cuDeviceSetMemPool, d->device, p);
  return CP_OK;
}

static cp_status pool_create(cp_device *base, void **out) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_memory_pool p = NULL;
  const cpcu_pool_props properties = {.allocType = CPCU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {CPCU_MEM_LOCATION_TYPE_DEVICE, d->base.ordinal}};
  CP_CUDA_CALL(d, cuMemPoolCreate, &p, &properties);
  *out = p;
  return CP_OK;
}

static cp_status pool_destroy(cp_device *base, void *p) {
  cp_cuda_device *d = cp_cuda_of(base);
  CP_CUDA_CALL(d, cuMemPoolDestroy, p);
  return CP_OK;
}

static cp_status pool_trim(cp_device *base, void *p, size_t keep) {
  cp_cuda_device *d = cp_cuda_of(base);
  CP_CUDA_CALL(d, cuMemPoolTrimTo, p, keep);
  return CP_OK;
}

static cp_status pool_allocate(cp_stream *s, void *p, size_t bytes, void **pointer) {
  cp_cuda_device *d = cp_cuda_of(s->device);
  cpcu_deviceptr at = 0;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(cp_cuda_result(d, d->driver->cuMemAllocFromPoolAsync(&at, bytes, p, ((cp_cuda_stream *)s)->stream),
                        "cuMemAllocFromPoolAsync"));
  *pointer = (void *)(uintptr_t)at;
  return CP_OK;
}

// ---- other processes --------------------------------------------------------------------------------------

static cp_status share(cp_device *base, void *pointer, char handle[CP_IPC_BYTES]) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_ipc_memory h;
  CP_CUDA_CALL(d, cuIpcGetMemHandle, &h, cp_cuda_address(pointer));
  memcpy(handle, &h, CP_IPC_BYTES);
  return CP_OK;
}

static cp_status open_shared(cp_device *base, const char handle[CP_IPC_BYTES], void **pointer) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_ipc_memory h;
  cpcu_deviceptr at = 0;
  memcpy(&h, handle, CP_IPC_BYTES);
  CP_CUDA_CALL(d, cuIpcOpenMemHandle, &at, h, CPCU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  *pointer = (void *)(uintptr_t)at;
  return CP_OK;
}

static cp_status close_shared(cp_device *base, void *pointer) {
  cp_cuda_device *d = cp_cuda_of(base);
  CP_CUDA_CALL(d, cuIpcCloseMemHandle, cp_cuda_address(pointer));
  return CP_OK;
}

const cp_runtime_ops cp_cuda_runtime_ops = {.copy_box = copy_box,
                                            .lock = lock,
                                            .unlock = unlock,
                                            .advise = advise,
                                            .prefetch = prefetch,
                                            .facts = facts,
                                            .profile = profile,
                                            .limit = limit,
                                            .bus = bus,
                                            .peer = peer,
                                            .pool = pool,
                                            .pool_use = pool_use,
                                            .pool_create = pool_create,
                                            .pool_destroy = pool_destroy,
                                            .pool_trim = pool_trim,
                                            .pool_allocate = pool_allocate,
                                            .share = share,
                                            .open = open_shared,
                                            .close = close_shared,
                                            .event_create = cp_cuda_event_open,
                                            .event_share = cp_cuda_event_share};
