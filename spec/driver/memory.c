// The memory of the simulated driver: host memory, each block with the GPU that it belongs to.
#include "driver.h"

#include <string.h>

static const size_t TOTAL = (size_t)4 << 30, LARGEST = (size_t)1 << 30;

#ifdef __SANITIZE_ADDRESS__
void __asan_poison_memory_region(const volatile void *p, size_t bytes);
#endif

typedef struct memory {
  char *begin;
  size_t bytes;
  int gpu; // HOST: page-locked or managed memory
  struct memory *next;
} memory;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects the list
static memory *memories;

// Blocks end at a multiple of 16 bytes, because kernels read the whole words that contain elements.
static void *new_memory(size_t wanted, int gpu) {
  enum { PAGE = 4096, WORD = 16 };
  size_t bytes = (wanted + WORD - 1) / WORD * WORD;
  void *p = NULL;
  memory *m = malloc(sizeof *m);
  if (m == NULL || bytes > LARGEST || posix_memalign(&p, PAGE, bytes) != 0) {
    free(m);
    return NULL;
  }
  memset(p, 0xA5, bytes);
  pthread_mutex_lock(&lock);
  *m = (memory){p, bytes, gpu, memories};
  memories = m;
  pthread_mutex_unlock(&lock);
  return p;
}

int driver_place(const void *p) {
  pthread_mutex_lock(&lock);
  const memory *m = memories;
  while (m != NULL && ((const char *)p < m->begin || (const char *)p >= m->begin + m->bytes)) m = m->next;
  int gpu = m != NULL ? m->gpu : HOST;
  pthread_mutex_unlock(&lock);
  return gpu;
}

// Overwrites the memory and never reuses it, so that work which still reads it gives wrong results.
void driver_free(void *p) {
  pthread_mutex_lock(&lock);
  memory **at = &memories;
  while (*at != NULL && (*at)->begin != p) at = &(*at)->next;
  memory *m = *at;
  driver_forbid(m == NULL, "freed memory that is none");
  *at = m->next;
  pthread_mutex_unlock(&lock);
  memset(p, 0x5A, m->bytes);
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(p, m->bytes);
#endif
  free(m);
}

// The memory must belong to the current context or to the host.
static void check_place(const void *p) {
  int gpu = driver_place(p);
  driver_forbid(gpu != HOST && gpu != driver_gpu(driver_context()), "freed memory of another context");
}

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = TOTAL;
  return CPCU_SUCCESS;
}

int cuMemAlloc_v2(cpcu_deviceptr *p, size_t bytes) {
  *p = (cpcu_deviceptr)(uintptr_t)new_memory(bytes, driver_gpu(driver_context()));
  return *p != 0 ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

// CUDA waits for the context's work first but does not promise to, so this does not wait.
int cuMemFree_v2(cpcu_deviceptr p) {
  driver_forbid(driver_capturing(), "cuMemFree inside of a capture");
  check_place(driver_pointer(p));
  driver_free(driver_pointer(p));
  return CPCU_SUCCESS;
}

int cuMemAllocManaged(cpcu_deviceptr *p, size_t bytes, unsigned flags) {
  if (flags != CPCU_MEM_ATTACH_GLOBAL) return CPCU_ERROR_INVALID_VALUE;
  *p = (cpcu_deviceptr)(uintptr_t)new_memory(bytes, HOST);
  return *p != 0 ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  driver_forbid(driver_capturing(), "cuMemHostAlloc inside of a capture");
  if ((flags & CPCU_MEMHOSTALLOC_PORTABLE) == 0) return CPCU_ERROR_INVALID_VALUE;
  *p = new_memory(bytes, HOST);
  return *p != NULL ? CPCU_SUCCESS : CPCU_ERROR_OUT_OF_MEMORY;
}

int cuMemFreeHost(void *p) {
  driver_forbid(driver_capturing(), "cuMemFreeHost inside of a capture");
  driver_forbid(driver_place(p) != HOST, "cuMemFreeHost of a GPU's memory");
  driver_free(p);
  return CPCU_SUCCESS;
}

int cuMemHostGetDevicePointer_v2(cpcu_deviceptr *p, void *host, unsigned flags) {
  *p = (cpcu_deviceptr)(uintptr_t)host;
  return flags == 0 ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

// ---- stream-ordered memory ----

int cuMemAllocAsync(cpcu_deviceptr *p, size_t bytes, void *s) {
  (void)driver_stream(s);
  return cuMemAlloc_v2(p, bytes);
}

int cuMemFreeAsync(cpcu_deviceptr p, void *s) {
  check_place(driver_pointer(p));
  return driver_queue(driver_stream(s), (work){.kind = RELEASE, .to = driver_pointer(p)});
}

static int pools[MAX_GPUS]; // their addresses are the handles

int cuDeviceGetDefaultMemPool(void **pool, int device) {
  *pool = &pools[device];
  return CPCU_SUCCESS;
}

static bool is_pool(const void *pool) { return pool == &pools[driver_gpu(driver_context())]; }

int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  bool good = is_pool(pool) && attribute == CPCU_MEMPOOL_ATTR_RELEASE_THRESHOLD &&
              *(unsigned long long *)value == UINT64_MAX;
  return good ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

int cuMemPoolTrimTo(void *pool, size_t bytes) {
  (void)bytes;
  return pool != NULL ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}
