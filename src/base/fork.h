// Whether the process has been forked: what its parent's threads, driver and random seeds were is the parent's.
#ifndef CP_BASE_FORK_H
#define CP_BASE_FORK_H

#include <stdatomic.h>

// Counts forks from now on; any number of calls, from any thread.
void cp_watch_forks(void);

extern atomic_uint cp_forks; // fork.c's
// The forks between this process and the one that first watched: what remembers this number knows later whether it still
// is in the process that it was made in.
static inline unsigned cp_fork_count(void) { return atomic_load_explicit(&cp_forks, memory_order_relaxed); }

#endif
