// The counter of forks (fork.h).
#include "base/fork.h"

#include <pthread.h>

atomic_uint cp_forks;

static void count(void) { atomic_fetch_add_explicit(&cp_forks, 1, memory_order_relaxed); }

static void watch(void) { pthread_atfork(NULL, NULL, count); }

void cp_watch_forks(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
}
