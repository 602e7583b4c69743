// The registry of devices, which all lua_States share. Devices are made at their first use and live as long
// as the process. CUDA is not used before a GPU is asked for.
#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const cp_device_kind *cpus, *gpus;
static cp_device *devices[CP_MAX_DEVICES]; // the CPU at 0, GPU n at n + 1

void cp_register_kinds(const cp_device_kind *cpu, const cp_device_kind *cuda) {
  pthread_mutex_lock(&lock);
  cpus = cpu;
  gpus = cuda;
  pthread_mutex_unlock(&lock);
}

static cp_status open_device(const cp_device_kind *kind, int ordinal, void *context, int id) {
  CP_TRY(kind->open(ordinal, context, &devices[id]));
  devices[id]->id = id;
  return CP_OK;
}

static cp_status find_cpu(cp_device **out) {
  cp_status status = devices[0] == NULL ? open_device(cpus, 0, NULL, 0) : CP_OK;
  *out = status == CP_OK ? devices[0] : NULL;
  return status;
}

// For `context` see cp_device_find_in.
static cp_status find_gpu(int ordinal, void *context, cp_device **out) {
  cp_device **d = &devices[ordinal + 1];
  if (*d != NULL && context != NULL && !gpus->is_in(*d, context))
    return cp_fail(CP_EUSAGE,
                   "%s is already in use in another context than the one given, and all states share one",
                   (*d)->name);
  if (*d == NULL) {
    const char *reason = "";
    int count = gpus->count(&reason);
    if (count == 0) return cp_fail(CP_ECUDA, "no usable GPU: %s", reason);
    if (ordinal >= count)
      return cp_fail(CP_EUSAGE, "no device cuda:%d: there %s %d", ordinal, count == 1 ? "is" : "are", count);
    CP_TRY(open_device(gpus, ordinal, context, ordinal + 1));
  }
  *out = *d;
  return CP_OK;
}

// Returns N for "cuda:N", 0 for "cuda", and -1 for any other name.
static int parse_gpu(const char *name) {
  if (strncmp(name, "cuda", 4) != 0) return -1;
  const char *p = name + 4;
  if (*p == '\0') return 0;
  if (*p++ != ':' || *p == '\0' || strlen(p) > 2 || strspn(p, "0123456789") != strlen(p)) return -1;
  int ordinal = atoi(p);
  return ordinal + 1 < CP_MAX_DEVICES ? ordinal : -1;
}

cp_status cp_device_find(const char *name, cp_device **out) { return cp_device_find_in(name, NULL, out); }

cp_status cp_device_find_in(const char *name, void *context, cp_device **out) {
  int ordinal = -1;
  bool is_cpu = strcmp(name, "cpu") == 0;
  if (is_cpu && context != NULL) return cp_fail(CP_EUSAGE, "the CPU has no contexts");
  if (!is_cpu) {
    ordinal = parse_gpu(name);
    if (ordinal < 0)
      return cp_fail(CP_EUSAGE, "no device is named '%.40s': use 'cpu', 'cuda' or 'cuda:N'", name);
  }
  pthread_mutex_lock(&lock);
  cp_status status = is_cpu ? find_cpu(out) : find_gpu(ordinal, context, out);
  pthread_mutex_unlock(&lock);
  return status;
}

cp_device *cp_device_cpu(void) {
  static _Atomic(cp_device *) made;
  cp_device *d = atomic_load_explicit(&made, memory_order_acquire);
  if (d != NULL) return d;
  pthread_mutex_lock(&lock);
  (void)find_cpu(&d);
  pthread_mutex_unlock(&lock);
  atomic_store_explicit(&made, d, memory_order_release);
  return d;
}

int cp_cuda_device_count(const char **reason) {
  const char *why = "";
  pthread_mutex_lock(&lock);
  int count = gpus->count(&why);
  pthread_mutex_unlock(&lock);
  if (reason != NULL) *reason = why;
  return count < CP_MAX_DEVICES - 1 ? count : CP_MAX_DEVICES - 1;
}
