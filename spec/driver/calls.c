// What cp.cuda.runtime calls besides: copies of boxes, page-locking, managed memory, pools, limits, and
// memory of other processes, which is this one's here. Misuse ends the process or is an error, as elsewhere.
#include "driver.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64, LIMITS = 8 };

// ---- copies ----

int cuMemcpyAsync(cpcu_deviceptr to, cpcu_deviceptr from, size_t bytes, void *s);

static bool fits(size_t x, size_t width, size_t pitch, size_t y, size_t height, size_t rows, size_t depth) {
  return x + width <= pitch && (depth == 1 || y + height <= rows);
}

// Finds a row of each side; false if it is outside.
static bool from_row(const cpcu_memcpy3d *c, size_t y, size_t z, const char **row) {
  char *inside = NULL;
  if (c->srcMemoryType == CPCU_MEMORYTYPE_ARRAY) {
    const bool there = driver_array_row(c->srcArray, c->srcXInBytes, y, z, c->WidthInBytes, &inside);
    *row = inside;
    return there;
  }
  const char *first = c->srcMemoryType == CPCU_MEMORYTYPE_HOST ? c->srcHost : driver_pointer(c->srcDevice);
  *row = first + (z * c->srcHeight + y) * c->srcPitch + c->srcXInBytes;
  return fits(c->srcXInBytes, c->WidthInBytes, c->srcPitch, c->srcY, c->Height, c->srcHeight, c->Depth);
}

static bool to_row(const cpcu_memcpy3d *c, size_t y, size_t z, char **row) {
  if (c->dstMemoryType == CPCU_MEMORYTYPE_ARRAY)
    return driver_array_row(c->dstArray, c->dstXInBytes, y, z, c->WidthInBytes, row);
  char *first = c->dstMemoryType == CPCU_MEMORYTYPE_HOST ? c->dstHost : driver_pointer(c->dstDevice);
  *row = first + (z * c->dstHeight + y) * c->dstPitch + c->dstXInBytes;
  return fits(c->dstXInBytes, c->WidthInBytes, c->dstPitch, c->dstY, c->Height, c->dstHeight, c->Depth);
}

int cuMemcpy3DAsync_v2(const cpcu_memcpy3d *c, void *s) {
  if (c->WidthInBytes == 0 || c->Height == 0 || c->Depth == 0) return CPCU_ERROR_INVALID_VALUE;
  for (size_t z = 0; z < c->Depth; z++)
    for (size_t y = 0; y < c->Height; y++) {
      const char *row = NULL;
      char *place = NULL;
      if (!from_row(c, c->srcY + y, c->srcZ + z, &row) || !to_row(c, c->dstY + y, c->dstZ + z, &place))
        return CPCU_ERROR_INVALID_VALUE;
      const int result =
          cuMemcpyAsync((cpcu_deviceptr)(uintptr_t)place, (cpcu_deviceptr)(uintptr_t)row, c->WidthInBytes, s);
      if (result != CPCU_SUCCESS) return result;
    }
  return CPCU_SUCCESS;
}

// ---- page-locked and managed memory ----

static const void *locked[MOST];

int cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags) {
  driver_forbid(driver_capturing(), "cuMemHostRegister inside of a capture");
  if (p == NULL || bytes == 0 || (flags & CPCU_MEMHOSTREGISTER_PORTABLE) == 0)
    return CPCU_ERROR_INVALID_VALUE;
  for (int k = 0; k < MOST; k++)
    if (locked[k] == NULL) {
      locked[k] = p;
      return CPCU_SUCCESS;
    }
  return CPCU_ERROR_OUT_OF_MEMORY;
}

int cuMemHostUnregister(void *p) {
  driver_forbid(driver_capturing(), "cuMemHostUnregister inside of a capture");
  for (int k = 0; k < MOST; k++)
    if (locked[k] == p) {
      locked[k] = NULL;
      return CPCU_SUCCESS;
    }
  return CPCU_ERROR_INVALID_VALUE;
}

static bool is_location(cpcu_location l) {
  return l.type == CPCU_MEM_LOCATION_TYPE_HOST ||
         (l.type == CPCU_MEM_LOCATION_TYPE_DEVICE && l.id >= 0 && l.id < driver_setting("DRIVER_GPUS", 1));
}

int cuMemAdvise_v2(cpcu_deviceptr p, size_t bytes, int advice, cpcu_location location) {
  return p != 0 && bytes > 0 && advice >= 1 && advice <= 6 && is_location(location)
             ? CPCU_SUCCESS
             : CPCU_ERROR_INVALID_VALUE;
}

int cuMemPrefetchAsync_v2(cpcu_deviceptr p, size_t bytes, cpcu_location location, unsigned flags, void *s) {
  (void)driver_stream(s);
  return p != 0 && bytes > 0 && flags == 0 && is_location(location) ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

int cuPointerGetAttribute(void *value, int attribute, cpcu_deviceptr p) {
  const int gpu = driver_place(driver_pointer(p));
  bool known = gpu != HOST;
  for (int k = 0; k < MOST; k++) known = known || locked[k] == driver_pointer(p);
  if (!known) return CPCU_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CPCU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(int *)value = gpu == HOST ? CPCU_MEMORYTYPE_HOST : CPCU_MEMORYTYPE_DEVICE;
    return CPCU_SUCCESS;
  case CPCU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)value = 0; return CPCU_SUCCESS;
  case CPCU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = gpu == HOST ? 0 : gpu; return CPCU_SUCCESS;
  case CPCU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(cpcu_deviceptr *)value = p; return CPCU_SUCCESS;
  case CPCU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (gpu != HOST) return CPCU_ERROR_INVALID_VALUE;
    *(void **)value = driver_pointer(p);
    return CPCU_SUCCESS;
  default: return CPCU_ERROR_INVALID_VALUE;
  }
}

// ---- GPUs ----

static size_t limits[MAX_GPUS][LIMITS];

int cuCtxGetLimit(size_t *value, int limit) {
  if (limit < 0 || limit >= LIMITS) return CPCU_ERROR_INVALID_VALUE;
  *value = limits[driver_gpu(driver_context())][limit];
  return CPCU_SUCCESS;
}

int cuCtxSetLimit(int limit, size_t value) {
  if (limit < 0 || limit >= LIMITS) return CPCU_ERROR_INVALID_VALUE;
  limits[driver_gpu(driver_context())][limit] = value;
  return CPCU_SUCCESS;
}

int cuDeviceGetPCIBusId(char *text, int size, int device) {
  snprintf(text, (size_t)size, "0000:%02x:00.0", 0x3b + device);
  return CPCU_SUCCESS;
}

int cuProfilerStart(void) { return CPCU_SUCCESS; }
int cuProfilerStop(void) { return CPCU_SUCCESS; }

// ---- pools ----

static char made[MOST]; // whose addresses are the handles: 1 while the pool exists
static void *used[MAX_GPUS];

int cuDeviceGetDefaultMemPool(void **pool, int device);
int cuMemAllocAsync(cpcu_deviceptr *p, size_t bytes, void *s);

static bool is_made(const void *pool) {
  const char *p = pool;
  return p >= made && p < made + MOST && *p == 1;
}

int cuDeviceGetMemPool(void **pool, int device) {
  *pool = used[device];
  return *pool != NULL ? CPCU_SUCCESS : cuDeviceGetDefaultMemPool(pool, device);
}

int cuDeviceSetMemPool(int device, void *pool) {
  void *first = NULL;
  (void)cuDeviceGetDefaultMemPool(&first, device);
  if (pool != first && !is_made(pool)) return CPCU_ERROR_INVALID_VALUE;
  used[device] = pool;
  return CPCU_SUCCESS;
}

int cuMemPoolCreate(void **pool, const cpcu_pool_props *p) {
  if (p->allocType != CPCU_MEM_ALLOCATION_TYPE_PINNED || !is_location(p->location) || p->maxSize != 0)
    return CPCU_ERROR_INVALID_VALUE;
  for (int k = 0; k < MOST; k++)
    if (made[k] == 0) {
      made[k] = 1;
      *pool = &made[k];
      return CPCU_SUCCESS;
    }
  return CPCU_ERROR_OUT_OF_MEMORY;
}

int cuMemPoolDestroy(void *pool) {
  if (!is_made(pool)) return CPCU_ERROR_INVALID_VALUE;
  *(char *)pool = 2; // never used again
  return CPCU_SUCCESS;
}

int cuMemAllocFromPoolAsync(cpcu_deviceptr *p, size_t bytes, void *pool, void *s) {
  void *first = NULL;
  (void)cuDeviceGetDefaultMemPool(&first, driver_gpu(driver_context()));
  return pool == first || is_made(pool) ? cuMemAllocAsync(p, bytes, s) : CPCU_ERROR_INVALID_VALUE;
}

// ---- other processes: a handle holds the address ----

int cuIpcGetMemHandle(cpcu_ipc_memory *handle, cpcu_deviceptr p) {
  if (driver_place(driver_pointer(p)) == HOST) return CPCU_ERROR_INVALID_VALUE;
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &p, sizeof p);
  return CPCU_SUCCESS;
}

int cuIpcOpenMemHandle_v2(cpcu_deviceptr *p, cpcu_ipc_memory handle, unsigned flags) {
  memcpy(p, &handle, sizeof *p);
  return flags == CPCU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

int cuIpcCloseMemHandle(cpcu_deviceptr p) {
  return driver_place(driver_pointer(p)) != HOST ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

int cuEventCreate(void **out, unsigned flags);

int cuIpcGetEventHandle(cpcu_ipc_event *handle, void *event) {
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &event, sizeof event);
  return CPCU_SUCCESS;
}

int cuIpcOpenEventHandle(void **event, cpcu_ipc_event handle) {
  void *of;
  memcpy(&of, &handle, sizeof of);
  return of != NULL ? cuEventCreate(event, 0) : CPCU_ERROR_INVALID_VALUE;
}
