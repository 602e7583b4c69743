// The registry of devices, the one piece of state that all lua_States share: devices are made at their first
// use and live as long as the process. Nothing of CUDA is touched before a GPU is asked for.
#include "cpu/run/cpu.h"
#include "cuda/driver/cuda.h"
#include "memory/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cp_device *devices[CP_MAX_DEVICES]; // the CPU, then GPU n at n + 1
static cp_device cpu;

// Gives a device its place and its pool. The lock is held.
static cp_status enter(cp_device *d, int id) {
  d->id = id;
  d->pool = cp_pool_new(d);
  if (d->pool == NULL) return cp_no_memory(NULL);
  devices[id] = d;
  return CP_OK;
}

static cp_status open_cpu(cp_device **out) {
  cp_status status = CP_OK;
  if (devices[0] == NULL) {
    cpu.ops = &cp_cpu_ops;
    strcpy(cpu.name, "cpu");
    status = enter(&cpu, 0);
  }
  *out = devices[0];
  return status;
}

// context: see cp_device_find_in.
static cp_status open_gpu(int ordinal, void *context, cp_device **out) {
  cp_device *d = devices[ordinal + 1];
  if (d != NULL && context != NULL && !cp_cuda_is_in(d, context))
    return cp_fail(CP_EUSAGE,
                   "%s is in use already, in another context than the one given: all states share one",
                   d->name);
  if (d == NULL) {
    const char *reason = "";
    int count = cp_cuda_count(&reason);
    if (count == 0) return cp_fail(CP_ECUDA, "no usable GPU: %s", reason);
    if (ordinal >= count)
      return cp_fail(CP_EUSAGE, "no device cuda:%d: there %s %d", ordinal, count == 1 ? "is" : "are", count);
    CP_TRY(cp_cuda_open(ordinal, context, &d));
    d->ordinal = ordinal;
    snprintf(d->name, sizeof d->name, "cuda:%d", ordinal);
    CP_TRY(enter(d, ordinal + 1));
  }
  *out = d;
  return CP_OK;
}

// The N of "cuda:N" or 0 of "cuda"; -1 for another name.
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
  cp_status status = is_cpu ? open_cpu(out) : open_gpu(ordinal, context, out);
  pthread_mutex_unlock(&lock);
  return status;
}

cp_device *cp_device_cpu(void) {
  static _Atomic(cp_device *) made;
  cp_device *d = atomic_load_explicit(&made, memory_order_acquire);
  if (d != NULL) return d;
  pthread_mutex_lock(&lock);
  (void)open_cpu(&d);
  pthread_mutex_unlock(&lock);
  atomic_store_explicit(&made, d, memory_order_release);
  return d;
}

cp_device *cp_device_at(const void *address) {
  cp_device *d = NULL;
  pthread_mutex_lock(&lock);
  for (int id = 0; id < CP_MAX_DEVICES && address != NULL; id++)
    if (devices[id] == address) d = devices[id];
  pthread_mutex_unlock(&lock);
  return d;
}

int cp_cuda_device_count(const char **reason) {
  const char *why = "";
  pthread_mutex_lock(&lock);
  int count = cp_cuda_count(&why);
  pthread_mutex_unlock(&lock);
  if (reason != NULL) *reason = why;
  return count < CP_MAX_DEVICES - 1 ? count : CP_MAX_DEVICES - 1;
}
