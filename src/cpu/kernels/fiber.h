// Fibers: stacks that an OS thread switches between. Switches are announced to AddressSanitizer and
// ThreadSanitizer. A set of fibers belongs to the thread that made it.
#ifndef CP_CPU_KERNELS_FIBER_H
#define CP_CPU_KERNELS_FIBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cp_fibers cp_fibers;

// The calling thread's set with at least `count` fibers. It is kept for the thread's next call. NULL: out of
// memory.
cp_fibers *cp_fibers_get(int count);

// Frees the calling thread's set if it has more than `most` fibers.
void cp_fibers_keep(int most);

// Resets the fibers 0..count-1: the first resume of each calls entry(data, number). What they ran before is
// dropped.
void cp_fibers_start(cp_fibers *f, int count, void (*entry)(void *data, int number), void *data);

// Runs fiber `number`, which has not ended, until it calls cp_fiber_suspend or its entry returns. True: it
// has ended.
bool cp_fiber_resume(cp_fibers *f, int number);

// Called in a fiber: returns to where it was resumed.
void cp_fiber_suspend(cp_fibers *f);

#endif
