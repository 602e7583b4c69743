// Starts the driver, enters a device's context, and remembers faults.
//
// The driver is started once per process, under a lock. A failure is kept, so that every later call reports
// the same reason. If the process forks after that, the child must not use CUDA and has no GPUs. Objects can
// still be released in such a child; the driver is not called for them.
#include "base/fork.h"
#include "cuda/driver/cuda.h"

#include <stdio.h>
#include <string.h>

enum { OLDEST_DRIVER = 12000 };

static struct {
  pthread_mutex_t lock;
  bool tried;
  int count;
  int version;
  const cpcu_driver *driver;
  char reason[1024]; // "" when there are GPUs
  unsigned forks;    // number of forks before it was started
} start = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- starting the driver ----

static const char not_here[] =
    "CUDA was started before this process was forked, so only the parent can use it: "
    "start processes before the first use of a GPU";

// True if the driver was started in a process that this one was forked from.
static bool is_forked(void) { return start.driver != NULL && start.forks != cp_fork_count(); }

static cp_status start_driver(void) {
  const cpcu_driver *driver;
  cp_watch_forks();
  start.forks = cp_fork_count();
  CP_TRY(cp_cuda_driver(&driver));
  CP_TRY(cp_cuda_check(driver->cuInit(0), "no CUDA device: cuInit"));
  CP_TRY(cp_cuda_check(driver->cuDriverGetVersion(&start.version), "cuDriverGetVersion"));
  if (start.version < OLDEST_DRIVER)
    return cp_fail(CP_ECUDA,
                   "the NVIDIA driver supports CUDA up to %d.%d, and 12.0 is needed: update the driver",
                   start.version / 1000, start.version % 1000 / 10);
  CP_TRY(cp_cuda_check(driver->cuDeviceGetCount(&start.count), "cuDeviceGetCount"));
  if (start.count == 0)
    return cp_fail(CP_ECUDA,
                   "no CUDA device: the driver is there, but it lists no GPU (CUDA_VISIBLE_DEVICES?)");
  start.driver = driver;
  return CP_OK;
}

int cp_cuda_count(const char **reason) {
  pthread_mutex_lock(&start.lock);
  if (!start.tried) {
    start.tried = true;
    if (start_driver() != CP_OK) {
      snprintf(start.reason, sizeof start.reason, "%.1000s", cp_error_text());
      start.count = 0;
    }
  }
  pthread_mutex_unlock(&start.lock);
  bool forked = is_forked();
  if (reason != NULL) *reason = forked ? not_here : start.reason;
  return forked ? 0 : start.count;
}

int cp_cuda_driver_version(void) {
  (void)cp_cuda_count(NULL);
  return start.version;
}

// ---- entering, errors ----

cp_status cp_cuda_start(cp_cuda_device *d) {
  if (is_forked()) return cp_fail(CP_ECUDA, "%s", not_here);
  d->driver = start.driver;
  d->driver_version = start.version;
  return CP_OK;
}

// Writes "; kernels of the user's ...: a, b" with the device's unsynchronised launches, or "" if there are
// none. The caller holds the device's lock.
static void list_unsynced(const cp_cuda_device *d, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int k = 0; k < CP_MAX_UNSYNCED && d->unsynced[k].name != NULL && used < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%.60s",
                             k == 0 ? "; kernels of the user's that were not waited for, the latest first: "
                                    : ", ",
                             d->unsynced[k].name);
}

cp_status cp_cuda_result(cp_cuda_device *d, cpcu_result result, const char *call) {
  if (result == CPCU_SUCCESS) return CP_OK;
  cp_status status = cp_cuda_check(result, call);
  if (!cp_cuda_is_sticky(result)) return status;
  char unsynced[256];
  pthread_mutex_lock(&d->lock);
  list_unsynced(d, unsynced, sizeof unsynced);
  if (!atomic_load_explicit(&d->faulted, memory_order_relaxed)) {
    snprintf(d->fault, sizeof d->fault, "%.500s%s", cp_error_text(), unsynced);
    atomic_store_explicit(&d->faulted, true, memory_order_release);
  }
  pthread_mutex_unlock(&d->lock);
  return cp_fail(status, "the CUDA context of %s is lost: %s", d->base.name, d->fault);
}

cp_status cp_cuda_enter(cp_cuda_device *d) {
  cpcu_context now = NULL;
  if (is_forked()) return cp_fail(CP_ECUDA, "%s", not_here);
  if (atomic_load_explicit(&d->faulted, memory_order_acquire))
    return cp_fail(CP_ECUDA,
                   "%s cannot be used any more, its CUDA context is lost after an earlier fault: %s",
                   d->base.name, d->fault);
  // Querying the context is cheaper than setting it. A remembered context would be wrong once the host
  // program switches devices.
  if (d->driver->cuCtxGetCurrent(&now) == CPCU_SUCCESS && now == d->context) return CP_OK;
  return cp_cuda_result(d, d->driver->cuCtxSetCurrent(d->context), "cuCtxSetCurrent");
}

// ---- unsynchronised launches ----

void cp_cuda_add_unsynced(cp_cuda_stream *s, const char *name) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  if (s->unsynced_kernel == name) return; // already the latest one of this stream
  s->unsynced_kernel = name;
  pthread_mutex_lock(&d->lock);
  memmove(d->unsynced + 1, d->unsynced, sizeof d->unsynced - sizeof *d->unsynced);
  d->unsynced[0] = (cp_cuda_unsynced_launch){name, s};
  pthread_mutex_unlock(&d->lock);
}

void cp_cuda_clear_unsynced(cp_cuda_stream *s) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  int kept = 0;
  if (s->unsynced_kernel == NULL) return;
  s->unsynced_kernel = NULL;
  pthread_mutex_lock(&d->lock);
  for (int k = 0; k < CP_MAX_UNSYNCED; k++)
    if (d->unsynced[k].name != NULL && d->unsynced[k].stream != s) d->unsynced[kept++] = d->unsynced[k];
  for (; kept < CP_MAX_UNSYNCED; kept++) d->unsynced[kept] = (cp_cuda_unsynced_launch){NULL, NULL};
  pthread_mutex_unlock(&d->lock);
}
