// Detects forks: threads, the CUDA driver and random seeds of the parent must not be used in the child.
#ifndef CP_BASE_FORK_H
#define CP_BASE_FORK_H

#include <stdatomic.h>

// Counts forks from the first call on. Any thread may call it, any number of times.
void cp_watch_forks(void);

extern atomic_uint cp_forks; // the counter of fork.c
// The number of forks since cp_watch_forks was first called. An object that stores it at creation can tell
// later whether it is still in the process that created it.
static inline unsigned cp_fork_count(void) { return atomic_load_explicit(&cp_forks, memory_order_relaxed); }

#endif
